//! The explicit engine: one cut at a time.
//!
//! Every cut is visited once, in descending lexicographic order of its vector. The successors of a cut are
//! greater, so the truth values there are known when the cut is visited, and all parts of a formula are
//! decided in one pass, directly from
//!
//! ```text
//! C ⊨ EX f       iff  some successor of C satisfies f
//! C ⊨ E[f U g]   iff  C ⊨ g, or C ⊨ f and some successor of C satisfies E[f U g]
//! ```
//!
//! So a cut needs only the disjunction of the truth values at its successors: a few bits.
//!
//! # No cut is stored or looked up
//!
//! Call a vector of the first d components a *prefix* if it can be extended to a cut. Because happened-before is
//! transitive, a vector is a prefix iff its components allow each other; so the values of the next component form an
//! interval, bounded by the clocks of the others. Hence the cuts with a common prefix are consecutive, and a prefix is
//! two numbers: its greatest next value, and where its extensions begin. The successor of a prefix p.x along an earlier
//! component is found from the successor p′ of p along that component: it is p′.x, if x is in the interval of p′. A
//! whole row of cuts, all with one prefix, finds its successors by one lookup per component, and copies their bits as
//! slices.
//!
//! *Cost.* 8 bytes per prefix and one bit per cut and temporal part, rounded up to bytes. Visiting alone takes 5 to 15
//! ns per cut (26 for twenty processes of one event each), `AG(Σ xᵢ < 4 → AF all done)` 35 to 140 ns, most of it in the
//! interpreter of [`program`]: `cargo test --release -p otus-testkit --test it -- --ignored speed`. A row could also be
//! decided operation by operation for 64 cuts at a time; this is not implemented.
//!
//! A formula without temporal parts needs no memory, and a search for one cut (an outermost EF or AG) stops at
//! the first that satisfies it.
//!
//! The states that the budget counts are cuts.

mod atoms;
mod program;
mod walk;

use otus_core::budget::{Budget, Stop};

use crate::check::Problem;
use crate::formula::FormulaId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tally {
    /// The number of cuts visited.
    pub(crate) cuts: u64,
    /// The number of visited cuts at which the formula holds.
    pub(crate) satisfying: u64,
    /// Whether the formula holds at the cut visited last. That is the first cut of the trace, unless the
    /// search ended early.
    pub(crate) holds: bool,
}

/// Visits all cuts, or stops at the first cut at which the formula holds.
pub(crate) fn walk(
    problem: Problem<'_>,
    formula: FormulaId,
    until_satisfied: bool,
    budget: &Budget,
) -> Result<Tally, Stop> {
    walk::Walk::new(problem, formula, budget)?.run(until_satisfied)
}
