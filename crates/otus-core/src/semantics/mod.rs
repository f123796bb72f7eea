//! The small-step semantics: the events a term can execute, their positions, and the follow-up terms.
//!
//! Mahe et al., "Tooling offline runtime verification against interaction models", section 3. Each
//! file implements one judgement and shows its inference rules.

pub mod frontier;
pub mod position;
pub mod terminates;

pub use frontier::{Frontiers, Step};
pub use position::{PositionId, Positions};
pub use terminates::terminates;
