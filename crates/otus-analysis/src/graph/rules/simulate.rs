//! `simulate`: unobserved events are simulated, within a measure.
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
//! A step may be both executed and simulated. The paper's events are single actions. An event on
//! several lifelines touches several components, and each of them either observes it or has it
//! outside its period of observation: the event is executed if all components observe it, simulated
//! if none does, and partly executed otherwise. A partial execution consumes some of µ, so it needs
//! no measure. The number of such children is exponential only in the components that have not
//! started.

use otus_core::Pool;
use otus_core::index::Index as _;
use otus_core::semantics::Step;
use otus_trace::multitrace::ComponentId;

use super::{Ending, Known, Rules, Steps, occurrence};
use crate::config::Simulation;
use crate::graph::search::Expansion;
use crate::graph::state::{Leaf, LeafKind, Occurrence, Rule, SearchState};
use crate::observation::{observed_lifelines, observers};
use crate::verdict::Verdict;

/// Nothing applies. The search is bounded, so this proves nothing.
const STUCK: Leaf = Leaf { kind: LeafKind::Ko, verdict: Verdict::WeakFail };

impl Rules<'_, '_> {
    pub(super) fn simulate(&mut self, state: &SearchState, simulation: &Simulation) -> Expansion {
        if self.all_over(state) {
            let ending = self.ending(state, true);
            let ok =
                |ending: Ending| Leaf { kind: LeafKind::Ok, verdict: ending.verdict(state.exact) };
            return (Some(ending.map_or(STUCK, ok)), Vec::new());
        }
        let steps = self.steps(state.term);
        let before = self.pool.attributes(state.term);
        let mut children = Vec::new();
        for (at, step) in steps.all().enumerate() {
            let step = &step;
            children.extend(self.execute(state, (&steps, at, step)));
            let parts = self.observation.parts(self.pool, step.event);
            if parts.len() > 1 {
                self.execute_in_part(state, (&steps, at, step), simulation, &mut children);
            }
            let mut components = parts.iter().map(|&(component, _)| component);
            let unobserved = components.all(|c| self.is_outside(state, simulation, c));
            let after = self.pool.attributes(step.follow_up);
            let measure = state.measure.simulated(simulation, step.loop_depth, before, after);
            if let (true, Some(measure)) = (unobserved, measure)
                && let Some(Known { store, .. }) = self.after(state, (&steps, at), &[])
            {
                let term = step.follow_up;
                let next = SearchState { term, measure, exact: false, store, ..state.clone() };
                let observed = Pool::NONE;
                let now = Occurrence { observed, ..occurrence(self.pool, step) };
                children.push((Rule::Simulate(now), next));
            }
        }
        (children.is_empty().then_some(STUCK), children)
    }

    /// The nodes after a step that some, but not all, of the components it touches observe.
    fn execute_in_part(
        &mut self,
        state: &SearchState,
        (steps, at, step): (&Steps, usize, &Step),
        simulation: &Simulation,
        children: &mut Vec<(Rule, SearchState)>,
    ) {
        let parts = self.observation.parts(self.pool, step.event);
        let mut choices = observers(parts.iter().map(|&(component, moment)| {
            let observed = moment.is_some() && self.head(state, component) == moment;
            (component, observed, self.is_outside(state, simulation, component))
        }));
        choices.retain(|chosen| !chosen.is_empty() && chosen.len() < parts.len());
        for chosen in choices {
            let Some(known) = self.after(state, (steps, at), &chosen) else { continue };
            let next = self.consume(state, step, &chosen, known);
            let partition = self.observation.trace().partition();
            let observes = |component| chosen.contains(&component);
            let observed = observed_lifelines(self.pool, partition, step.event, observes);
            let observed = self.pool.intern_region(&observed);
            let now = Occurrence { observed, ..occurrence(self.pool, step) };
            children.push((Rule::Execute(now), SearchState { exact: false, ..next }));
        }
    }

    /// Whether events on a component are now outside its period of observation.
    fn is_outside(
        &self,
        state: &SearchState,
        simulation: &Simulation,
        component: ComponentId,
    ) -> bool {
        let started = state.consumed[component.index()] > 0;
        self.is_over(state, component) || (simulation.before && !started)
    }
}
