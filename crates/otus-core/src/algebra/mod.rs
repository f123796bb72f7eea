//! Operators from terms to terms, one per file.
//!
//! All of them use [`fold`], which visits each distinct sub-term once, operands first. The caller
//! keeps results in a [`Memo`], so that a search computes each sub-term once.

pub mod fold;
pub mod prune;
pub mod remove;
pub mod restrict;
pub mod simplify;

use rustc_hash::FxHashMap;

use crate::index::{RegionId, TermId};

pub use prune::prune;
pub use remove::{project, remove};
pub use restrict::restrict;
pub use simplify::simplify;

/// The results of the operators so far, for the terms of one pool.
#[derive(Debug, Clone, Default)]
pub struct Memo {
    pub(crate) prune: FxHashMap<RegionId, FxHashMap<TermId, Option<TermId>>>,
    pub(crate) remove: FxHashMap<RegionId, FxHashMap<TermId, TermId>>,
}
