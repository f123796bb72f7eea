//! The engine of paper 001: Interval Sharing Trees and the operations on them as the paper has them.
//!
//! Kalyon, Massart, Meuter and Van Begin, *Testing Distributed Systems through Symbolic Model Checking* (CFV 2007.79),
//! sections 4 and 5. This engine exists for comparison. It gives the same answers to the same formulas, but computes
//! them as the paper does: with an operation on whole trees for every communication and every event.
//!
//! | paper | here |
//! |---|---|
//! | Definition 2, the trees; union, intersection, difference, complement | [`tree`], [`apply`] |
//! | `I^[xᵢ ← xᵢ + δ]` and `↓I` (section 4.2) | [`shift`] |
//! | I₀, A(e), B(e), `I_⊤` one edge at a time (section 5.1, Lemma 1); predicates by blocks (5.2, Lemma 2); `blocked_i` (Lemma 8) | [`blocks`] |
//! | Boolean operators (5.3, Lemma 3), spre∃ (Definition 3, Theorem 1), spre∀ (Definition 4, Theorem 2), fixpoints (5.4, 5.5), EF by ↓ (5.6, Lemma 10) | [`fixpoint`] |
//!
//! # Two corrections
//!
//! Runs are finite, and two fixpoints of the paper do not take this into account. `gfp X. φ ∩ pre∃(X)` is always empty,
//! since E has no successor; and `lfp X. ψ ∪ (φ ∩ pre∀(X))` contains E wherever φ does, since pre∀ holds there for want
//! of successors. The semantics of section 3.2 is
//!
//! ```text
//! [EG φ]     = lfp X. ([φ] ∩ {E}) ∪ ([φ] ∩ pre∃(X))
//! [A[φ U ψ]] = lfp X. [ψ] ∪ (([φ] ∖ {E}) ∩ pre∀(X))
//! ```
//!
//! *Proof.* Every chain of successors ends in E, so either equation determines X from E down, and X at C is the
//! unfolding of the run semantics at C: at E the run is over, so EG φ is φ and A[φ U ψ] is
//! ψ; elsewhere some (every) run goes on at some (every) successor. ∎
//!
//! # Beyond the paper
//!
//! Atoms on several variables are unions of intersections of blocks, one per combination of values; sums are added up
//! value by value. The states that the budget counts are the nodes of all trees.

mod apply;
mod blocks;
mod fixpoint;
pub mod graph;
mod shift;
mod tree;

use otus_core::budget::{Budget, Stop};

use crate::BigUint;
use crate::check::Problem;
use crate::formula::FormulaId;

/// The way in which EF is computed, and thereby AG, which is ¬EF¬.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Closure {
    /// By downward closure, in one operation (section 5.6 of paper 001).
    #[default]
    Downward,
    /// As fixpoints of spre∃ and spre∀ (sections 5.4 and 5.5 of paper 001).
    Fixpoint,
}

/// Whether a formula holds at the first cut.
pub(crate) fn holds(
    problem: Problem<'_>,
    formula: FormulaId,
    closure: Closure,
    budget: &Budget,
) -> Result<bool, Stop> {
    let mut evaluation = fixpoint::Evaluation::new(problem, closure, budget)?;
    let set = evaluation.set(formula)?;
    Ok(evaluation.trees.contains(set, &vec![0; problem.view.processes.len()]))
}

/// Counts all cuts, and those at which a formula holds.
pub(crate) fn count(
    problem: Problem<'_>,
    formula: FormulaId,
    closure: Closure,
    budget: &Budget,
) -> Result<(BigUint, BigUint), Stop> {
    let mut evaluation = fixpoint::Evaluation::new(problem, closure, budget)?;
    let set = evaluation.set(formula)?;
    let top = evaluation.known.top;
    Ok((evaluation.trees.count(top)?, evaluation.trees.count(set)?))
}

/// The number of all cuts, and the number of nodes of all trees that the set of a formula needs.
pub(crate) fn size(
    problem: Problem<'_>,
    formula: FormulaId,
    closure: Closure,
    budget: &Budget,
) -> Result<(BigUint, u64), Stop> {
    let mut evaluation = fixpoint::Evaluation::new(problem, closure, budget)?;
    evaluation.set(formula)?;
    let count = evaluation.trees.count(evaluation.known.top)?;
    Ok((count, evaluation.trees.node_count() as u64))
}
