//! Operators from terms to terms, one a file.
//!
//! All of them go through [`fold`], which visits operands before operators with a stack of its
//! own and each distinct sub-term once. Results are remembered by the caller in a [`Memo`], so
//! that a search which meets the same sub-terms again and again pays for them once.

pub mod fold;
pub mod project;
pub mod prune;
pub mod remove;
pub mod simplify;

use rustc_hash::FxHashMap;

use crate::index::{RegionId, TermId};

pub use project::project;
pub use prune::prune;
pub use remove::remove;
pub use simplify::simplify;

/// What the operators have computed so far for the terms of one pool.
#[derive(Debug, Clone, Default)]
pub struct Memo {
    pub(crate) prune: FxHashMap<RegionId, FxHashMap<TermId, Option<TermId>>>,
    pub(crate) remove: FxHashMap<RegionId, FxHashMap<TermId, TermId>>,
}
