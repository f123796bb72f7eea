//! The rules of each kind of analysis: which nodes follow a node, and which nodes are leaves.

mod accept;
mod eliminate;
mod simulate;

use otus_core::semantics::{Frontiers, Positions, Step};
use otus_core::{Pool, TermId};
use otus_syntax::options::LocalAnalysis;
use otus_trace::MultiTrace;
use otus_trace::multitrace::ComponentId;

use crate::config::{Config, Kind};
use crate::graph::local::Local;
use crate::graph::measure::Measure;
use crate::graph::reduce;
use crate::graph::search::{Expansion, Span};
use crate::graph::state::{Happening, Leaf, LeafKind, Rule, State};
use crate::observation::{Observation, Parts};
use crate::verdict::Verdict;

/// A pool, a multi-trace and the rules for them.
#[derive(Debug)]
pub struct Rules<'a> {
    pub(super) pool: &'a mut Pool,
    pub(super) frontiers: Frontiers,
    pub(super) observation: Observation<'a>,
    config: &'a Config,
    local: Local,
    /// Whether the order of components makes no difference and is to be left out.
    unordered: bool,
}

impl<'a> Rules<'a> {
    /// The rules of the configured kind.
    pub fn new(pool: &'a mut Pool, trace: &'a MultiTrace, config: &'a Config) -> Self {
        Rules {
            pool,
            frontiers: Frontiers::default(),
            observation: Observation::new(trace),
            config,
            local: Local::default(),
            unordered: false,
        }
    }

    /// What the positions of all rules so far refer to.
    pub fn into_positions(self) -> Positions {
        self.frontiers.positions
    }

    /// The node to begin with. The term is simplified, as follow-ups are.
    pub fn root(&mut self, term: TermId) -> State {
        let term = otus_core::algebra::simplify(self.pool, term);
        let consumes_all = match self.config.kind {
            Kind::Accept | Kind::Eliminate => true,
            Kind::Prefix => !self.config.legacy_verdicts,
            Kind::Simulate(_) => false,
        };
        self.unordered = self.config.partial_order_reduction
            && consumes_all
            && self.observation.trace().partition().is_discrete()
            && reduce::is_free(self.pool, term);
        State {
            term,
            consumed: vec![0; self.observation.len()].into(),
            removed: Pool::NONE,
            measure: self.initial_measure(term),
            exact: true,
        }
    }

    /// Whether each component by itself can still be explained, if that is to be asked. The verdicts
    /// of 2020 depend on how paths end that do not pass, so all paths must be followed for them.
    fn locally_possible(&mut self, state: &State, rule: Option<Rule>) -> bool {
        if self.config.kind == Kind::Prefix && self.config.legacy_verdicts {
            return true;
        }
        let touched: Vec<ComponentId> = match (self.config.local_analysis, rule) {
            (LocalAnalysis::Off, _) => return true,
            (LocalAnalysis::Front, Some(Rule::Execute(happening))) => {
                let parts = self.observation.parts(self.pool, happening.event);
                parts.iter().map(|&(component, _)| component).collect()
            }
            (LocalAnalysis::Front, Some(Rule::Simulate(_) | Rule::Remove(_))) => return true,
            (LocalAnalysis::On, _) | (LocalAnalysis::Front, None) => {
                self.observation.trace().partition().components().collect()
            }
        };
        let kind = self.config.kind;
        touched.into_iter().all(|component| {
            self.local.possible(
                self.pool,
                &mut self.frontiers,
                &mut self.observation,
                (state.term, component, state.consumed[index(component)]),
                kind,
            )
        })
    }

    /// κ of a term.
    fn initial_measure(&self, term: TermId) -> Measure {
        match &self.config.kind {
            Kind::Simulate(simulation) => {
                Measure::initial(simulation, self.pool.attributes(term), self.observation.size())
            }
            Kind::Accept | Kind::Prefix | Kind::Eliminate => Measure::default(),
        }
    }

    /// R_e: the node after a step, if the step's event is what comes next on every component it
    /// touches.
    fn execute(&mut self, state: &State, step: &Step) -> Option<(Rule, State)> {
        let parts = self.observation.parts(self.pool, step.event);
        if !self.matches(state, &parts) {
            return None;
        }
        let next = self.consume(state, step, parts.iter().map(|&(component, _)| component));
        Some((Rule::Execute(happening(self.pool, step)), next))
    }

    /// The node after a step that is observed on some components.
    fn consume(
        &self,
        state: &State,
        step: &Step,
        components: impl Iterator<Item = ComponentId>,
    ) -> State {
        let mut consumed = state.consumed.clone();
        for component in components {
            consumed[index(component)] += 1;
        }
        let measure = match &self.config.kind {
            Kind::Simulate(simulation) if simulation.reset => self.initial_measure(step.follow_up),
            Kind::Simulate(_) | Kind::Accept | Kind::Prefix | Kind::Eliminate => state.measure,
        };
        State { term: step.follow_up, consumed, measure, ..state.clone() }
    }

    fn matches(&self, state: &State, parts: &Parts) -> bool {
        parts
            .iter()
            .all(|&(component, moment)| moment.is_some() && self.head(state, component) == moment)
    }

    /// The next moment of a component.
    fn head(&self, state: &State, component: ComponentId) -> Option<crate::observation::MomentId> {
        let at = state.consumed[index(component)] as usize;
        self.observation.moments(component).get(at).copied()
    }

    /// Whether a component is consumed.
    fn is_over(&self, state: &State, component: ComponentId) -> bool {
        self.head(state, component).is_none()
    }

    /// Whether all is consumed.
    fn all_over(&self, state: &State) -> bool {
        let mut components = self.observation.trace().partition().components();
        components.all(|component| self.is_over(state, component))
    }

    /// The children by R_e, in the order of positions.
    fn executions(&mut self, state: &State) -> Vec<(Rule, State)> {
        let steps = self.frontiers.steps(self.pool, state.term);
        let mut children: Vec<(Rule, State)> =
            steps.iter().filter_map(|step| self.execute(state, step)).collect();
        if self.unordered {
            let components: Vec<ComponentId> =
                self.observation.trace().partition().components().collect();
            // Only one component was consumed from.
            let moved = |(_, child): &(Rule, State)| {
                let pairs = child.consumed.iter().zip(&state.consumed);
                pairs.take_while(|(after, before)| after == before).count()
            };
            let is_open = |i: usize| !self.is_over(state, components[i]);
            reduce::keep_fewest(&mut children, components.len(), is_open, moved);
        }
        children
    }
}

impl Span for Rules<'_> {
    fn expand(&mut self, state: &State, rule: Option<Rule>) -> Expansion {
        if !self.locally_possible(state, rule) {
            let verdict = match self.config.kind {
                Kind::Simulate(_) => Verdict::WeakFail,
                Kind::Accept | Kind::Prefix | Kind::Eliminate => Verdict::Fail,
            };
            return (Some(Leaf { kind: LeafKind::Dead, verdict }), Vec::new());
        }
        match self.config.kind {
            Kind::Accept => self.accept(state),
            Kind::Prefix => self.prefix(state, self.config.legacy_verdicts),
            Kind::Eliminate => self.eliminate(state),
            Kind::Simulate(simulation) => self.simulate(state, &simulation),
        }
    }

    fn pool(&self) -> &Pool {
        self.pool
    }
}

/// A step that is observed.
pub(crate) fn happening(pool: &Pool, step: &Step) -> Happening {
    Happening {
        event: step.event,
        position: step.position,
        loop_depth: step.loop_depth,
        observed: pool.event_lifelines(step.event),
    }
}

pub(super) fn index(component: ComponentId) -> usize {
    component.0 as usize
}
