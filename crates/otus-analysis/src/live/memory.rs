//! What a specification makes a group remember, known before the first event.
//!
//! `RTLola` and other stream monitors tell beforehand how much memory a specification needs (Faymonville, Finkbeiner et al.,
//! CAV 2019). Interactions allow that as well: the plan of the live engine follows from the interaction, the partition and
//! the question alone.

use otus_trace::multitrace::ComponentId;

use super::Live;
use super::plan::Plan;
use crate::question::{Observed, Question};

/// What bounds the memory of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// All that a group remembers. The first entry tells how it is answered.
    pub bounds: Vec<Bound>,
}

/// Something that a group remembers, and what bounds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bound {
    /// A residual for each component; nothing else, however long the logs are.
    EachAlone {
        /// The number of components.
        components: usize,
    },
    /// One residual for all components, of up to so many leaves and choices while components are in step.
    Residual {
        /// The size up to which no event is held.
        size: u32,
    },
    /// A second residual, because logs may start late, which tells a Pass from a `WeakPass` when the group closes.
    Second,
    /// Events of a component that is ahead of others, 12 bytes each. One of these components that is silent for
    /// good must be declared unobserved.
    Ahead {
        /// The components that must speak.
        components: Vec<ComponentId>,
        /// The number of events beyond which the group is undecided.
        most: usize,
    },
    /// Sessions of a parallel loop: the residual grows with those that are in flight.
    Sessions,
    /// The events themselves, four bytes for each action, and beyond so many events the answer is known only as long as they
    /// arrive in a possible order.
    Kept {
        /// The number of events that are kept.
        most: usize,
        /// The reason.
        why: KeptFor,
    },
    /// Nothing can be answered: preparing the specification exceeded the budget.
    Unprepared,
}

/// Why events are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptFor {
    /// The interaction couples its components: the order in which they move matters.
    Coupled,
    /// Iterations of a loop overlap, so that a residual that forgets the order between components would grow with every
    /// event.
    Sessions,
    /// A global prefix depends on the order between components, which residuals forget.
    GlobalPrefix,
    /// Each log is followed by itself, and only all events together tell a Pass from a `WeakPass`.
    Pass,
}

impl Live {
    /// What a group remembers, and what bounds it.
    pub fn memory(&self) -> Memory {
        let components = self.partition.components();
        let observed: Vec<ComponentId> =
            components.filter(|&c| self.open.of(c) != Observed::Unobserved).collect();
        let mut bounds = Vec::new();
        match &self.plan {
            Plan::Alone { .. } => bounds.push(Bound::EachAlone { components: observed.len() }),
            Plan::Apart { reach, .. } => {
                bounds.push(Bound::Residual { size: reach.slack });
                if observed.len() > 1 {
                    let most = self.limits.held;
                    bounds.push(Bound::Ahead { components: observed, most });
                }
            }
            Plan::Kept => {}
            Plan::Unknown(_) => bounds.push(Bound::Unprepared),
        }
        if self.strong.is_some() {
            bounds.push(Bound::Second);
        }
        if self.path.is_some() {
            let why = if matches!(self.plan, Plan::Kept) {
                let is_decoupled = self.residuals.is_decoupled(&self.open);
                if is_decoupled { KeptFor::Sessions } else { KeptFor::Coupled }
            } else if self.declared == Question::GlobalPrefix {
                KeptFor::GlobalPrefix
            } else {
                KeptFor::Pass
            };
            bounds.push(Bound::Kept { most: self.limits.kept, why });
        }
        if !matches!(self.plan, Plan::Alone { .. }) && self.residuals.has_sessions() {
            bounds.push(Bound::Sessions);
        }
        Memory { bounds }
    }
}
