//! A mutation: one change in one component of a multi-trace.

use otus_core::valued::Valued;
use otus_core::{Action, Pool};

use super::word::{self, Part, Word};
use crate::facts::{self, Facts};
use crate::multitrace::{ComponentId, MultiTrace};

/// The difference between a mutant and its original. Indices count moments of the original, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// An action was inserted.
    Noise {
        /// The component.
        component: ComponentId,
        /// The moment before which it was inserted; the number of moments for the end.
        index: usize,
        /// The action.
        action: Action,
    },
    /// Two moments changed places.
    SwapActions {
        /// The component.
        component: ComponentId,
        /// The earlier moment.
        first: usize,
        /// The later moment.
        second: usize,
    },
    /// A moment was dropped.
    Remove {
        /// The component.
        component: ComponentId,
        /// The moment.
        index: usize,
    },
    /// A moment was repeated right after itself.
    Duplicate {
        /// The component.
        component: ComponentId,
        /// The moment.
        index: usize,
    },
}

impl Change {
    /// The component that is changed.
    pub fn component(&self) -> ComponentId {
        match *self {
            Change::Noise { component, .. }
            | Change::SwapActions { component, .. }
            | Change::Remove { component, .. }
            | Change::Duplicate { component, .. } => component,
        }
    }

    /// The first moment that the change concerns.
    pub fn index(&self) -> usize {
        match *self {
            Change::Noise { index, .. }
            | Change::SwapActions { first: index, .. }
            | Change::Remove { index, .. }
            | Change::Duplicate { index, .. } => index,
        }
    }

    /// Applies the change to the original and returns the mutant. A new action is added to the pool
    /// of the original.
    ///
    /// # Panics
    /// If the change does not belong to this multi-trace.
    pub fn apply(&self, original: &MultiTrace, pool: &mut Pool) -> MultiTrace {
        self.rebuild(original, pool, false).0
    }

    /// Applies the change to the original and the values of its events. All values of a new action are unknown. Two moments
    /// that change places keep the times of their places, because a log is in the order of its clock.
    ///
    /// # Panics
    /// If the change does not belong to this multi-trace.
    pub fn apply_with_facts(
        &self,
        original: &MultiTrace,
        facts: &Facts,
        pool: &mut Pool,
    ) -> (MultiTrace, Facts) {
        let (mutant, origins) = self.rebuild(original, pool, true);
        let mut rearranged = facts.rearranged(&mutant, &origins);
        if let Change::SwapActions { component, first, second } = *self {
            let bounds = Word::new(original, component).bounds;
            let place = |index: usize| bounds[index]..bounds[index + 1];
            if place(first).len() == 1 && place(second).len() == 1 {
                let at = [bounds[first], bounds[second]];
                for (step, time) in at.map(|step| (step, facts.time(component, step))) {
                    match time {
                        Some(time) => rearranged.set_time(component, step, time),
                        None => rearranged.forget(Valued::TIME, component, step),
                    }
                }
                rearranged.find_breaks(&mutant);
            }
        }
        (mutant, rearranged)
    }

    fn rebuild(
        &self,
        original: &MultiTrace,
        pool: &mut Pool,
        tagged: bool,
    ) -> (MultiTrace, Vec<u32>) {
        word::rebuild(original.partition(), original.len() + 1, tagged, |component, builder| {
            let all = Part::all(original, component);
            if component != self.component() {
                return word::copy(builder, all);
            }
            let bounds = Word::new(original, component).bounds;
            let moments = |from: usize, to: usize| all.part(bounds[from]..bounds[to]);
            let end = bounds.len() - 1;
            let mut add = |part: Part<'_>| word::copy(builder, part);
            match *self {
                Change::Noise { index, action, .. } => {
                    add(moments(0, index));
                    builder.next_moment();
                    builder.push_tagged(pool.intern_action(action), 0, facts::NEW);
                    builder.next_moment();
                    word::copy(builder, moments(index, end));
                }
                Change::SwapActions { first, second, .. } => {
                    add(moments(0, first));
                    add(moments(second, second + 1));
                    add(moments(first + 1, second));
                    add(moments(first, first + 1));
                    add(moments(second + 1, end));
                }
                Change::Remove { index, .. } => {
                    add(moments(0, index));
                    add(moments(index + 1, end));
                }
                Change::Duplicate { index, .. } => {
                    add(moments(0, index + 1));
                    add(moments(index, end));
                }
            }
        })
    }

    /// Describes the change; places count from 1.
    pub fn describe(&self, original: &MultiTrace, pool: &Pool) -> String {
        let name = word::component_text(original.partition(), self.component(), pool.signature());
        let moment = |index: usize| word::place_text(original, self.component(), index, pool);
        match *self {
            Change::Noise { index, action, .. } => {
                let action = action.text(pool.signature());
                format!("inserted {action} (place {}) in {name}", index + 1)
            }
            Change::SwapActions { first, second, .. } => {
                format!("swapped {} and {} in {name}", moment(first), moment(second))
            }
            Change::Remove { index, .. } => format!("removed {} from {name}", moment(index)),
            Change::Duplicate { index, .. } => format!("repeated {} in {name}", moment(index)),
        }
    }
}
