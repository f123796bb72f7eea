//! `simulate`: what was not observed is guessed, within a measure.
//!
//! Mahe et al., "Tooling offline runtime verification…", Def. 7:
//!
//! ```text
//! (R_p) (i, ε, γ, j) ⇝ Ok
//! (R_e) (i, a.µ, γ, j) ⇝ (i′, µ, γ + θ(a), κ(i′))      if i —a@p→ i′
//! (R_s) (i, µ, γ, j) ⇝ (i′, µ, γ, j′)   if µ ≠ ε, i —a@p→ i′, j ⇁ j′ and a is outside the period of
//!                                       observation: γ(θ(a)) = ⊥ or µ|θ(a) = ε
//! (R_f) (i, µ, γ, j) ⇝ Ko   if µ ≠ ε and nothing else applies
//! ```
//!
//! A step may be both executed and simulated. An event of several lifelines is simulated only
//! if it is outside the period of observation on all of them.

use super::{Rules, happening, index};
use crate::config::Simulation;
use crate::graph::search::Expansion;
use crate::graph::state::{Leaf, LeafKind, Rule, State};
use crate::verdict::Verdict;

impl Rules<'_> {
    pub(super) fn simulate(&mut self, state: &State, simulation: &Simulation) -> Expansion {
        if self.all_over(state) {
            let accepted = state.exact && self.pool.attributes(state.term).terminates;
            let verdict = if accepted { Verdict::Pass } else { Verdict::WeakPass };
            return (Some(Leaf { kind: LeafKind::Ok, verdict }), Vec::new());
        }
        let steps = self.frontiers.steps(self.pool, state.term);
        let before = self.pool.attributes(state.term);
        let mut children = Vec::new();
        for step in steps.iter() {
            children.extend(self.execute(state, step));
            let parts = self.observation.parts(self.pool, step.event);
            let unobserved = parts.iter().all(|&(component, _)| {
                let started = state.consumed[index(component)] > 0;
                self.is_over(state, component) || (simulation.before && !started)
            });
            let after = self.pool.attributes(step.follow_up);
            let measure = state.measure.simulated(simulation, step.loop_depth, before, after);
            if let (true, Some(measure)) = (unobserved, measure) {
                let term = step.follow_up;
                let next = State { term, measure, exact: false, ..state.clone() };
                children.push((Rule::Simulate(happening(step)), next));
            }
        }
        let stuck = Leaf { kind: LeafKind::Ko, verdict: Verdict::WeakFail };
        (children.is_empty().then_some(stuck), children)
    }
}
