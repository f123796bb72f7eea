//! Local analysis: can a component, by itself, still be explained?
//!
//! The interaction is projected onto the component, and what is left of its trace must be a trace
//! (for `accept`) or a prefix of one (for the other kinds) of the projection. If not, no node below
//! can pass. The answer depends only on the projection, the component and how much of it is
//! consumed, so it is remembered for those.
//!
//! For `simulate` a component whose observation has not started may begin anywhere and is not
//! asked about. A component whose projection has too many states is taken for possible.

use otus_core::algebra::project;
use otus_core::semantics::Frontiers;
use otus_core::{Pool, RegionId, TermId};
use otus_trace::multitrace::ComponentId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::Kind;
use crate::observation::Observation;

/// States of a projection that are followed at the same time.
const MAX_STATES: usize = 1000;

/// What local analyses have found.
#[derive(Debug, Default)]
pub(super) struct Local {
    regions: FxHashMap<ComponentId, RegionId>,
    known: FxHashMap<(TermId, ComponentId, u32), bool>,
}

impl Local {
    /// Whether the rest of a component can be explained by its projection.
    pub(super) fn possible(
        &mut self,
        pool: &mut Pool,
        frontiers: &mut Frontiers,
        observation: &mut Observation<'_>,
        (term, component, consumed): (TermId, ComponentId, u32),
        kind: Kind,
    ) -> bool {
        let starts_anywhere = matches!(kind, Kind::Simulate(simulation) if simulation.before);
        if starts_anywhere && consumed == 0 {
            return true;
        }
        // Nothing is left to explain; only `accept` asks whether the projection may end.
        let is_over = consumed as usize == observation.moments(component).len();
        if is_over && kind != Kind::Accept {
            return true;
        }
        let region = *self
            .regions
            .entry(component)
            .or_insert_with(|| pool.intern_region(&observation.trace().partition().set(component)));
        let projected = project(pool, &mut frontiers.memo, term, region);
        let key = (projected, component, consumed);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let answer = follow(pool, frontiers, observation, key, kind == Kind::Accept);
        self.known.insert(key, answer);
        answer
    }
}

/// Follows the rest of a component through all states of its projection.
fn follow(
    pool: &mut Pool,
    frontiers: &mut Frontiers,
    observation: &mut Observation<'_>,
    (term, component, consumed): (TermId, ComponentId, u32),
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
