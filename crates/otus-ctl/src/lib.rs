//! Checks CTL formulas on partial-order traces: partial order × formula → verdict + witness.
//!
//! The consistent cuts of a trace form a lattice, and a formula speaks of the runs through it. Data flows down this
//! list:
//!
//! - [`formula`], [`atom`]: hash-consed formulas and their atomic predicates; [`mod@lower`] makes them from the
//!   syntax tree and resolves names over a trace;
//! - [`track`], [`view`]: the events at which atoms change, and the part of the trace that a formula can see;
//! - [`interval`]: the canonical interval diagram, a data structure for sets of vectors. It knows
//!   neither traces nor CTL;
//! - three engines compute sets of cuts: [`encode`] and [`evaluate`] with interval diagrams, [`explicit`] cut by cut,
//!   [`ist`] with the interval sharing trees of paper 001;
//! - [`ending`]: the parts of a formula that the last cut decides; [`narrow`]: the engine that suits a part;
//!   [`conjunctive`], [`check`]: the verdict at the first cut; [`satisfying`]: all cuts at which a formula holds;
//!   [`witness`]: a run that shows the verdict; [`mod@certify`]: an independent check of such a run;
//!   [`vacuity`]: whether the verdict says anything; [`stats`]: the sizes of a check; [`prefix`]: whether it is final
//!   although more events come.
//!
//! All of them keep to time, memory and cancellation by means of [`pace`].
#![forbid(unsafe_code)]

pub mod atom;
pub mod certify;
pub mod check;
mod conjunctive;
mod encode;
mod ending;
mod evaluate;
mod explicit;
pub mod formula;
mod interval;
pub mod ist;
pub mod lower;
mod narrow;
mod pace;
pub mod prefix;
pub mod satisfying;
pub mod stats;
#[cfg(test)]
mod tests;
mod track;
pub mod vacuity;
mod view;
pub mod witness;

/// An index as a number of 32 bits. Traces and formulas have fewer than 2³² parts, since their ids have 32 bits.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Runs the work of a level of recursion, on a stack that grows if the level is deep. The first query of the remaining
/// stack takes as long as a small check, so the first levels do not ask.
fn nested<T>(depth: usize, work: impl FnOnce() -> T) -> T {
    if depth <= 16 { work() } else { stacker::maybe_grow(64 * 1024, 1024 * 1024, work) }
}

/// The least common multiple of two positive numbers, if it fits.
fn lcm(a: i128, b: i128) -> Option<i128> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b)
}

pub use certify::certify;
pub use check::{Answer, Checker, Counts, Engine, Options};
pub use formula::{Formula, FormulaId, Formulas};
pub use ist::Closure;
pub use ist::graph::{SharingTree, TreeNode};
pub use lower::{Lowered, Property, lower, lower_with};
pub use num_bigint::BigUint;
pub use satisfying::Satisfying;
pub use stats::Stats;
pub use vacuity::{Vacuities, Vacuity};
pub use view::Arrangement;
pub use witness::{Evidence, Explanation};
