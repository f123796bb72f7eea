//! What is remembered of one group.

use smallvec::SmallVec;

use super::alone::Alone;
use super::apart::Apart;
use super::kept::Kept;
use super::standing::{Standing, Why};

/// The number of an open group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId {
    pub(super) slot: u32,
    /// How often the slot was used before.
    pub(super) use_of: u32,
}

#[derive(Debug)]
pub(super) enum Past {
    Alone(Alone),
    Apart(Apart),
    /// It is in [`Group::kept`].
    Kept,
}

#[derive(Debug)]
pub(super) struct Group {
    pub(super) events: u64,
    pub(super) standing: Standing,
    pub(super) past: Past,
    /// The past if no log starts late, or why it is unknown.
    pub(super) strong: Option<Result<Apart, Why>>,
    pub(super) kept: Option<Box<Kept>>,
    /// For each component, whether it has any event.
    pub(super) seen: SmallVec<[u64; 1]>,
}

#[derive(Debug, Default)]
pub(super) struct Slot {
    pub(super) group: Option<Group>,
    pub(super) use_of: u32,
}

impl Group {
    pub(super) fn held(&self) -> usize {
        let past = match &self.past {
            Past::Apart(apart) => apart.held(),
            Past::Alone(_) | Past::Kept => 0,
        };
        past.max(self.kept.as_ref().map_or(0, |kept| kept.held()))
    }

    pub(super) fn bytes(&self) -> usize {
        let past = match &self.past {
            Past::Apart(apart) => apart.bytes(),
            Past::Alone(alone) => alone.bytes(),
            Past::Kept => 0,
        };
        let strong = self.strong.iter().flatten().map(Apart::bytes).sum::<usize>();
        past + strong + self.kept.as_ref().map_or(0, |kept| kept.bytes())
    }
}
