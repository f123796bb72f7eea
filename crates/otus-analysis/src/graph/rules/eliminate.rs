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

use otus_core::LifelineSet;
use otus_core::algebra::remove;

use super::Rules;
use crate::graph::search::Expansion;
use crate::graph::state::{Leaf, LeafKind, Rule, SearchState};
use crate::verdict::Verdict;

impl Rules<'_> {
    pub(super) fn eliminate(&mut self, state: &SearchState) -> Expansion {
        if self.all_over(state) {
            let accepted = state.exact && self.pool.attributes(state.term).terminates;
            let verdict = if accepted { Verdict::Pass } else { Verdict::WeakPass };
            return (Some(Leaf { kind: LeafKind::Ok, verdict }), Vec::new());
        }
        if let Some(child) = self.removal(state) {
            return (None, vec![child]);
        }
        let children = self.executions(state);
        let stuck = Leaf { kind: LeafKind::Ko, verdict: Verdict::Fail };
        (children.is_empty().then_some(stuck), children)
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
        let term = remove(self.pool, &mut self.frontiers.memo, state.term, region);
        let removed = self.pool.union(state.removed, region);
        let next = SearchState { term, removed, exact, ..state.clone() };
        Some((Rule::Remove(region), next))
    }
}
