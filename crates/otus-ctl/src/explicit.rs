//! The explicit engine: one cut at a time.
//!
//! Every cut is visited once, in descending lexicographic order of its vector. The successors of a cut are
//! greater, so what a formula says of them is known when the cut is reached, and all its parts are
//! decided in one pass, straight from
//!
//! ```text
//! C ⊨ EX f       iff  some successor of C satisfies f
//! C ⊨ E[f U g]   iff  C ⊨ g, or C ⊨ f and some successor of C satisfies E[f U g]
//! ```
//!
//! So a cut needs only the disjunction of what its successors say: a few bits.
//!
//! # No cut is stored, and none is looked up
//!
//! Call a vector of the first d components a *prefix* if it can be extended to a cut. Because happened-before is
//! transitive, it is one iff its components allow each other; so the values of the next component form an
//! interval, bounded by the clocks of the others. Hence the cuts with a common prefix are consecutive, and a
//! prefix is two numbers: its greatest next value, and where its extensions begin. The successor of a
//! prefix along a component is found from that of the prefix one shorter: the same next value there,
//! if it is in the interval. A whole row of cuts, all with one prefix, finds its successors by one look per
//! component, and takes over their bits as slices.
//!
//! *Cost.* 8 bytes per prefix and one bit per cut and temporal part, rounded up to bytes. Visiting alone takes 5 to
//! 15 ns a cut (26 for twenty processes of one event each), `AG(Σ xᵢ < 4 → AF all done)` 35 to 140 ns, most of it in the
//! interpreter of [`program`]: `cargo test --release -p otus-testkit --test it -- --ignored speed`. Not done: deciding
//! a row operation by operation, 64 cuts at a time.
//!
//! A formula without temporal parts needs no memory at all, and whoever only asks whether it holds anywhere
//! (an outermost EF or AG) stops at the first cut that shows it.
//!
//! The budget's nodes are cuts.

mod atoms;
mod program;
mod walk;

use crate::formula::{AtomId, FormulaId, Formulas};
use crate::interval::{Budget, Stop};
use crate::track::Course;
use crate::view::View;
use otus_trace::order::PartialOrder;

/// What the engine is asked about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Input<'f> {
    pub(crate) formulas: &'f Formulas,
    pub(crate) trace: &'f PartialOrder,
    /// The events that make a difference.
    pub(crate) view: &'f View,
    /// The atoms of the formula, and how they change.
    pub(crate) atoms: &'f [(AtomId, &'f Course)],
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tally {
    /// How many cuts were visited.
    pub(crate) cuts: u64,
    /// At how many of them the formula holds.
    pub(crate) satisfying: u64,
    /// Whether it holds at the one visited last: the first cut of the trace, unless the search ended early.
    pub(crate) holds: bool,
}

/// Visits all cuts.
pub(crate) fn count(input: Input<'_>, formula: FormulaId, budget: &Budget) -> Result<Tally, Stop> {
    walk::Walk::new(input, formula, budget)?.run(false)
}

/// Whether a formula holds at the first cut.
pub(crate) fn holds(input: Input<'_>, formula: FormulaId, budget: &Budget) -> Result<bool, Stop> {
    Ok(count(input, formula, budget)?.holds)
}

/// Whether a formula holds at some cut.
pub(crate) fn possible(
    input: Input<'_>,
    formula: FormulaId,
    budget: &Budget,
) -> Result<bool, Stop> {
    Ok(walk::Walk::new(input, formula, budget)?.run(true)?.satisfying > 0)
}
