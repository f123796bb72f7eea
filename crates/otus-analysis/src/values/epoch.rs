//! Clocks that go backwards.
//!
//! A clock that goes backwards is another clock from there on. The *epoch* of a step is the number of times that the clock of its
//! log went backwards before it or at it. An event that nobody saw is in the first epoch if it is before a log, and in
//! the last one otherwise. Times of different epochs are times of two clocks, of which nothing is known.
//!
//! The value of an anchor is a time of the epoch of its event. A comparison with an anchor that no event has set yet is settled
//! when one does:
//!
//! ```text
//! a question about Pass    the anchor must be set in the epoch in which the comparison is exact
//! otherwise                the comparison must hold if the anchor is set in this epoch
//! ```

use smallvec::SmallVec;

use super::condition::{Condition, Open};

/// The number of the clock of a component.
pub(crate) type Epoch = u32;

/// What a state of a search knows of epochs. There is none without clocks that go backwards.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Epochs {
    /// By register of an anchor on a clock that goes backwards: its epoch, if an event told it.
    pub(super) anchors: SmallVec<[(u16, Epoch); 2]>,
    /// By component: the epoch of the last time that no log tells, unless it is the first.
    pub(super) last: SmallVec<[(usize, Epoch); 2]>,
    /// The comparisons with anchors that are not set yet.
    pub(super) later: Vec<Later>,
}

/// A condition that must hold if an anchor is set in an epoch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Later {
    pub(super) anchor: Open,
    pub(super) epoch: Epoch,
    pub(super) condition: Condition,
}

impl Epochs {
    pub(super) fn is_empty(&self) -> bool {
        self.anchors.is_empty() && self.last.is_empty() && self.later.is_empty()
    }

    /// Whether nothing is known but the epochs of anchors.
    pub(super) fn has_anchors_only(&self) -> bool {
        self.last.is_empty() && self.later.is_empty()
    }

    /// The epoch of the anchor in a register, if an event told it.
    pub(super) fn of_register(&self, register: usize) -> Option<Epoch> {
        let mut own = self.anchors.iter().filter(|(own, _)| usize::from(*own) == register);
        own.next().map(|(_, epoch)| *epoch)
    }

    /// The epoch of the last time that no log tells.
    pub(super) fn of_last(&self, component: usize) -> Epoch {
        self.last.iter().find(|(own, _)| *own == component).map_or(0, |(_, epoch)| *epoch)
    }

    pub(super) fn set_last(&mut self, component: usize, epoch: Epoch) {
        self.last.retain(|(own, _)| *own != component);
        if epoch > 0 {
            self.last.push((component, epoch));
            self.last.sort_unstable();
        }
    }
}
