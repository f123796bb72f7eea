//! Answers about groups: so far, and at the end.

use crate::budget::Stop;
use crate::verdict::Verdict;

/// The answer so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// What has arrived is explained, if every log may stop early.
    Explained,
    /// What has arrived is not explained, whatever follows.
    Failed {
        /// The event that made it so: the number of events of the group before it.
        event: u64,
    },
    /// Undecided, and it will remain so.
    Unknown {
        /// The number of events of the group before the one that could not be decided.
        event: u64,
        /// The reason.
        why: Why,
    },
}

/// The reason for which a group is undecided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The group has more events than are kept ([`Limits::kept`](super::Limits::kept)), and no residual stands for them.
    Kept,
    /// More events are held than allowed ([`Limits::held`](super::Limits::held)), because a component is silent.
    Held,
    /// The budget of an event was used up.
    Stopped(Stop),
}

impl From<Stop> for Why {
    fn from(stop: Stop) -> Self {
        Why::Stopped(stop)
    }
}

/// The answer about a group when it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The verdict on the declared question.
    pub verdict: Verdict,
    /// Whether the declared question holds; known in some cases in which it is unknown whether the verdict is a Pass or a
    /// `WeakPass`.
    pub explained: Option<bool>,
    /// The event that made a Fail final, if one did: the number of events of the group before it.
    pub event: Option<u64>,
    /// The number of events.
    pub events: u64,
    /// Why the verdict is inconclusive.
    pub why: Option<Why>,
}
