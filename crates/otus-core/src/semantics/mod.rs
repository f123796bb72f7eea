//! The small-step semantics: which events can happen now, where, and what is left to happen.
//!
//! Mahe et al., "Tooling offline runtime verification against interaction models", section 3.
//! Judgements are inference rules over terms; each file shows its rules and computes them.

pub mod frontier;
pub mod position;
pub mod terminates;

pub use frontier::{Frontiers, Step};
pub use position::{PositionId, Positions};
pub use terminates::terminates;
