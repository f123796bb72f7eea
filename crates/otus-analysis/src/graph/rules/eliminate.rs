//! `eliminate`: lifelines that are no longer observed are removed.
//!
//! Mahe et al., "Dealing with observability…", Def. 6:
//!
//! ```text
//! (R_o) (i, ε) ⇝ Ok                    (R_r) (i, µ) ⇝ (rmv_h(i), rmv_h(µ))   if µ|h = ε
//! (R_e) (i, a.µ) ⇝ (i′, µ)  if i —a→ i′     (R_n) (i, µ) ⇝ Nok   if nothing else applies
//! ```
//!
//! By Property 5 all lifelines that can be removed may be removed in one step, and R_e need not be
//! tried where R_r applies. The paper's semantics of tuples of local traces, which forgets
//! causality between machines, is decided exactly for the paper's own language, in which all
//! sequencing is `seq`. Steps respect the causality of `strict`, `loopS` and synchronous events,
//! but removal forgets it. With these operators the accepted multi-traces therefore lie between the
//! two semantics: they include all projections of global traces and contain only tuples of local
//! traces. `par(a -- <synch> m -> b, b -- <synch> m -> a)` with `[a] a!m; [b] b!m` fails, though it
//! is a prefix of a tuple; with `coreg(a)` for `par`, `[a] a?m; [b]` passes, though it is not a
//! prefix of a projection.
//!
//! *Values.* A removed action leaves its condition behind: it has happened, or will, and its guard holds of something. So a
//! guarded action stays in the term, and happens unobserved (drawn as R_s) when the search likes, or after the end. Actions without a
//! guard are removed as above. Such a step may begin an iteration of a loop; by the loop lemma each of these needs an
//! observed event, which bounds their number (λ of the measure).

use otus_core::algebra::remove;
use otus_core::semantics::{Positions, Step};
use otus_core::{LifelineSet, Pool, TermId};
use otus_trace::multitrace::ComponentId;
use smallvec::SmallVec;

use super::{Ending, Known, Rules, Steps, occurrence};
use crate::graph::measure::Measure;
use crate::graph::search::Expansion;
use crate::graph::state::{Leaf, LeafKind, Occurrence, Rule, SearchState};
use crate::observation::{Parts, observed_lifelines};
use crate::verdict::Verdict;

/// `Nok`: nothing applies.
const STUCK: Leaf = Leaf { kind: LeafKind::Ko, verdict: Verdict::Fail };

impl Rules<'_, '_> {
    pub(super) fn eliminate(&mut self, state: &SearchState) -> Expansion {
        if self.all_over(state) {
            let ending = self.ending(state, true);
            let ok =
                |ending: Ending| Leaf { kind: LeafKind::Ok, verdict: ending.verdict(state.exact) };
            return (Some(ending.map_or(STUCK, ok)), Vec::new());
        }
        if let Some(child) = self.removal(state) {
            return (None, vec![child]);
        }
        let mut children = self.executions(state);
        if self.values.is_some() && state.removed != Pool::NONE {
            self.conditions(state, &mut children);
        }
        (children.is_empty().then_some(STUCK), children)
    }

    /// The bound on iterations that begin with an event of a removed lifeline.
    pub(super) fn conditions_measure(&self, term: TermId) -> Measure {
        let depth = u64::from(self.pool.attributes(term).loop_depth);
        let loops = depth.saturating_mul(self.observation.size() as u64);
        Measure { loops: (depth > 0).then_some(loops), actions: None }
    }

    /// R_e where lifelines were removed: an event is observed on the others.
    pub(super) fn execute_rest(
        &mut self,
        state: &SearchState,
        (steps, at, step): (&Steps, usize, &Step),
        parts: &Parts,
    ) -> Option<(Rule, SearchState)> {
        let partition = self.observation.trace().partition();
        let is_removed = |component: ComponentId| {
            let mut lifelines = partition.lifelines(component).iter();
            lifelines.all(|&lifeline| self.pool.region_contains(state.removed, lifeline))
        };
        let mut observers: SmallVec<[ComponentId; 2]> = SmallVec::new();
        for &(component, moment) in parts.iter().filter(|&&(component, _)| !is_removed(component)) {
            if moment.is_none() || self.head(state, component) != moment {
                return None;
            }
            observers.push(component);
        }
        if observers.is_empty() {
            return None;
        }
        let observes = |component| observers.contains(&component);
        let observed = observed_lifelines(self.pool, partition, step.event, observes);
        let known = self.after(state, (steps, at), &observers)?;
        let next = self.consume(state, step, &observers, known);
        let observed = self.pool.intern_region(&observed);
        Some((Rule::Execute(Occurrence { observed, ..occurrence(self.pool, step) }), next))
    }

    /// The nodes after a guarded event of removed lifelines.
    fn conditions(&mut self, state: &SearchState, children: &mut Vec<(Rule, SearchState)>) {
        let steps = self.steps(state.term);
        let removed = self.pool.region(state.removed);
        for (at, step) in steps.all().enumerate() {
            let own = self.pool.region(self.pool.event_lifelines(step.event));
            if !own.is_subset(&removed) {
                continue;
            }
            let mut measure = state.measure;
            if step.loop_depth > 0 {
                let rest = innermost(self.pool, state.term, &self.frontiers.positions, &step);
                let is_seen =
                    rest.is_some_and(|body| !self.pool.lifelines(body).is_subset(&removed));
                let left = measure.loops.and_then(|loops| loops.checked_sub(1));
                if !is_seen || left.is_none() {
                    continue;
                }
                measure.loops = left;
            }
            if let Some(Known { store, .. }) = self.after(state, (&steps, at), &[]) {
                let term = step.follow_up;
                let next = SearchState { term, measure, exact: false, store, ..state.clone() };
                let now = Occurrence { observed: Pool::NONE, ..occurrence(self.pool, &step) };
                children.push((Rule::Simulate(now), next));
            }
        }
    }

    /// R_r for all lifelines whose traces are consumed and that are not removed yet.
    fn removal(&mut self, state: &SearchState) -> Option<(Rule, SearchState)> {
        let partition = self.observation.trace().partition();
        let removed = self.pool.region(state.removed);
        let over: LifelineSet = partition
            .components()
            .filter(|&component| self.is_over(state, component))
            .flat_map(|component| partition.lifelines(component).iter().copied())
            .filter(|&lifeline| !removed.contains(lifeline))
            .collect();
        if over.is_empty() {
            return None;
        }
        let exact = state.exact && self.pool.lifelines(state.term).is_disjoint(&over);
        let region = self.pool.intern_region(&over);
        let memo = &mut self.frontiers.memo;
        let term = match &mut self.values {
            Some(values) => values.remove(self.pool, memo, state.term, region),
            None => remove(self.pool, memo, state.term, region),
        };
        let removed = self.pool.union(state.removed, region);
        let next = SearchState { term, removed, exact, ..state.clone() };
        Some((Rule::Remove(region), next))
    }
}

/// The body of the innermost loop around the position of a step.
fn innermost(pool: &Pool, term: TermId, positions: &Positions, step: &Step) -> Option<TermId> {
    let (mut at, mut found) = (term, None);
    for letter in positions.letters(step.position) {
        let node = pool.node(at);
        at = node.operands().nth(usize::from(letter).checked_sub(1)?)?;
        if node.is_loop() {
            found = Some(at);
        }
    }
    found
}
