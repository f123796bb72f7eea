//! Local analysis: whether a component, by itself, can still be explained.
//!
//! The interaction is projected onto the component, and the rest of the component's trace must be a
//! trace (for `accept`) or a prefix of a trace (for the other kinds) of the projection. If not, no
//! descendant of the node can pass. The answer depends only on the projection, the component and
//! the number of its consumed moments, and is memoized under these.
//!
//! In `simulate`, a component whose observation has not started may begin anywhere and is not
//! checked. If a projection has too many states, the component counts as explainable.

use otus_core::algebra::project;
use otus_core::semantics::Frontiers;
use otus_core::{Pool, RegionId, TermId};
use otus_trace::multitrace::ComponentId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::Kind;
use crate::observation::Observation;

/// The maximum number of states of a projection that are followed at the same time.
const MAX_STATES: usize = 1000;

#[derive(Debug, Default)]
pub(super) struct Local {
    regions: FxHashMap<ComponentId, RegionId>,
    known: FxHashMap<Rest, bool>,
}

/// A component from a point of its trace on, and the interaction that is to explain it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Rest {
    pub(super) term: TermId,
    pub(super) component: ComponentId,
    /// The number of consumed moments.
    pub(super) consumed: u32,
}

impl Local {
    /// Whether the projection of a component can explain the rest of its trace.
    pub(super) fn possible(
        &mut self,
        pool: &mut Pool,
        frontiers: &mut Frontiers,
        observation: &mut Observation<'_>,
        rest: Rest,
        kind: Kind,
    ) -> bool {
        let Rest { term, component, consumed } = rest;
        let starts_anywhere = matches!(kind, Kind::Simulate(simulation) if simulation.before);
        if starts_anywhere && consumed == 0 {
            return true;
        }
        // Nothing is left to explain; only `accept` asks whether the projection may terminate.
        let is_over = consumed as usize == observation.moments(component).len();
        if is_over && kind != Kind::Accept {
            return true;
        }
        let region = *self
            .regions
            .entry(component)
            .or_insert_with(|| pool.intern_region(&observation.trace().partition().set(component)));
        let term = project(pool, &mut frontiers.memo, term, region);
        let key = Rest { term, ..rest };
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let answer = follow(pool, frontiers, observation, key, kind == Kind::Accept);
        self.known.insert(key, answer);
        answer
    }
}

/// Follows the rest of a component's trace through all states of its projection.
fn follow(
    pool: &mut Pool,
    frontiers: &mut Frontiers,
    observation: &mut Observation<'_>,
    Rest { term, component, consumed }: Rest,
    to_the_end: bool,
) -> bool {
    let mut states = vec![term];
    for at in consumed as usize..observation.moments(component).len() {
        let moment = observation.moments(component)[at];
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        let mut next = Vec::new();
        for state in states {
            for step in frontiers.steps(pool, state).iter() {
                let fits =
                    observation.parts(pool, step.event).iter().all(|&(_, m)| m == Some(moment));
                if fits && seen.insert(step.follow_up) {
                    next.push(step.follow_up);
                }
            }
        }
        if next.is_empty() {
            return false;
        }
        if next.len() > MAX_STATES {
            return true;
        }
        states = next;
    }
    !to_the_end || states.iter().any(|&state| pool.attributes(state).terminates)
}
