//! Events that are held, component by component.

use std::collections::VecDeque;

use super::level::Positions;
use crate::engine::residuals::LeafId;

/// The held events of each component. Positions count from the beginning of the group, so they stay as they are when
/// events are consumed.
#[derive(Debug)]
pub(super) struct Queues {
    all: Box<[VecDeque<LeafId>]>,
    /// For each component: the number of events before its queue.
    pub(super) first: Positions,
    held: usize,
}

impl Queues {
    pub(super) fn new(components: usize) -> Queues {
        let all = (0..components).map(|_| VecDeque::new()).collect();
        Queues { all, first: Positions::from_elem(0, components), held: 0 }
    }

    pub(super) fn push(&mut self, component: usize, leaf: LeafId) {
        self.all[component].push_back(leaf);
        self.held += 1;
    }

    /// Forgets the first event of a component.
    pub(super) fn pop(&mut self, component: usize) {
        if self.all[component].pop_front().is_some() {
            self.first[component] += 1;
            self.held -= 1;
        }
    }

    /// The event at a position, if it is held.
    #[inline]
    pub(super) fn get(&self, component: usize, position: u64) -> Option<LeafId> {
        let index = position.checked_sub(self.first[component])?;
        self.all[component].get(usize::try_from(index).ok()?).copied()
    }

    /// The events of a component from a position on.
    pub(super) fn after(&self, component: usize, position: u64) -> impl Iterator<Item = LeafId> {
        let skipped = usize::try_from(position.saturating_sub(self.first[component]));
        self.all[component].iter().skip(skipped.unwrap_or(usize::MAX)).copied()
    }

    /// The number of held events.
    pub(super) fn held(&self) -> usize {
        self.held
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Gives memory back after long queues.
    pub(super) fn shrink(&mut self) {
        for queue in &mut self.all {
            if queue.capacity() > 64 + 4 * queue.len() {
                queue.shrink_to(2 * queue.len());
            }
        }
    }
}
