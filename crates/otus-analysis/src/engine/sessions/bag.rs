//! The sessions in flight, in one of two representations.

use super::super::store::{LeafId, SetId, Store};
use super::counts::Counts;
use super::shapes::Shapes;
use super::trail::Trail;

/// Whether a leaf may happen unobserved now.
pub(super) type Unobserved<'u> = &'u dyn Fn(&Store, LeafId) -> bool;

/// The sessions in flight.
#[derive(Debug, Clone)]
pub(super) enum Bag {
    Shapes(Shapes),
    Counts(Counts),
}

impl Bag {
    /// Whether greedy firing that gets stuck proves that there is no explanation. `unobserved`: whether events may be
    /// unobserved.
    pub(super) fn is_forced(&self, unobserved: bool) -> bool {
        match self {
            Bag::Shapes(shapes) => shapes.is_forced(unobserved),
            Bag::Counts(_) => true,
        }
    }

    /// The leaves of all sessions.
    pub(super) fn leaves(&self) -> Vec<LeafId> {
        match self {
            Bag::Shapes(shapes) => shapes.leaves(),
            Bag::Counts(counts) => counts.leaves(),
        }
    }

    /// Adds a stock of sessions in every shape that unobserved events can reach.
    pub(super) fn stock(&mut self, store: &Store, unobserved: Unobserved<'_>) {
        match self {
            Bag::Shapes(shapes) => shapes.stock(store, unobserved),
            // In this representation there is no stock. Fewer explanations are found then, which is
            // sound.
            Bag::Counts(_) => {}
        }
    }

    /// Lets a leaf happen in some session, after unobserved events that it needs; returns whether it can happen.
    /// The consequences are added to `effects`.
    #[inline]
    pub(super) fn fire(
        &mut self,
        store: &Store,
        leaf: LeafId,
        unobserved: Unobserved<'_>,
        effects: &mut Effects,
    ) -> bool {
        match self {
            Bag::Shapes(shapes) => shapes.fire(store, leaf, unobserved, effects),
            Bag::Counts(counts) => counts.fire(store, leaf, unobserved, effects),
        }
    }

    /// Excludes further events on some lifelines.
    pub(super) fn exclude(&mut self, store: &mut Store, lifelines: SetId) -> Exclusion {
        match self {
            Bag::Shapes(shapes) => shapes.exclude(store, lifelines),
            Bag::Counts(counts) => counts.exclude(store, lifelines),
        }
    }

    /// Whether every session can be completed without events on some lifelines.
    pub(super) fn can_end(&self, store: &mut Store, lifelines: SetId) -> bool {
        match self {
            Bag::Shapes(shapes) => shapes.can_end(store, lifelines),
            Bag::Counts(counts) => counts.can_end(store, lifelines),
        }
    }
}

/// The consequences of firing an event.
#[derive(Debug, Default)]
pub(super) struct Effects {
    /// Leaves that may have become possible.
    pub(super) woken: Vec<LeafId>,
    /// The events that were fired so far, if the caller wants a trail.
    pub(super) trail: Option<Trail>,
}

/// The answer to the exclusion of lifelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exclusion {
    /// No session has such events left, and no session with such events begins any more.
    Done,
    /// Some session still needs such an event.
    Blocked,
    /// Some session would lose choices, which is not supported.
    Unsupported,
}
