//! The rules of each kind of analysis: the children of a node of the graph, or the local verdict of
//! a leaf.

mod accept;
mod eliminate;
mod simulate;

use otus_core::index::Index as _;
use otus_core::semantics::{Frontiers, Positions, Step};
use otus_core::{Pool, TermId};
use otus_syntax::options::LocalAnalysis;
use otus_trace::MultiTrace;
use otus_trace::multitrace::ComponentId;

use crate::config::{Config, Kind};
use crate::graph::local::{Local, Rest};
use crate::graph::measure::Measure;
use crate::graph::reduce;
use crate::graph::search::{Expander, Expansion};
use crate::graph::state::{Leaf, LeafKind, Occurrence, Rule, SearchState};
use crate::observation::{MomentId, Observation};

/// The rules for a pool and a multi-trace.
#[derive(Debug)]
pub struct Rules<'a> {
    pub(super) pool: &'a mut Pool,
    pub(super) frontiers: Frontiers,
    pub(super) observation: Observation<'a>,
    config: &'a Config,
    local: Local,
    /// Whether the partial-order reduction applies ([`reduce`]).
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

    /// The positions that all rules so far refer to.
    pub fn into_positions(self) -> Positions {
        self.frontiers.positions
    }

    /// The root. Its term is simplified, as follow-ups are.
    pub fn root(&mut self, term: TermId) -> SearchState {
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
        SearchState {
            term,
            consumed: vec![0; self.observation.trace().partition().len()].into(),
            removed: Pool::NONE,
            measure: self.initial_measure(term),
            exact: true,
        }
    }

    /// Whether each component by itself can still be explained, if the configuration asks for this
    /// check. The verdicts of 2020 depend on how failing paths end, so they need all paths.
    fn locally_possible(&mut self, state: &SearchState, rule: Option<Rule>) -> bool {
        if self.config.kind == Kind::Prefix && self.config.legacy_verdicts {
            return true;
        }
        let touched: Vec<ComponentId> = match (self.config.local_analysis, rule) {
            (LocalAnalysis::Off, _) => return true,
            (LocalAnalysis::Front, Some(Rule::Execute(occurrence))) => {
                let parts = self.observation.parts(self.pool, occurrence.event);
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
                Rest { term: state.term, component, consumed: state.consumed[component.index()] },
                kind,
            )
        })
    }

    fn initial_measure(&self, term: TermId) -> Measure {
        match &self.config.kind {
            Kind::Simulate(simulation) => {
                Measure::initial(simulation, self.pool.attributes(term), self.observation.size())
            }
            Kind::Accept | Kind::Prefix | Kind::Eliminate => Measure::default(),
        }
    }

    /// R_e: the node after a step whose event is the next moment on every component it touches.
    fn execute(&mut self, state: &SearchState, step: &Step) -> Option<(Rule, SearchState)> {
        let parts = self.observation.parts(self.pool, step.event);
        let is_next = |&(component, moment): &(ComponentId, Option<MomentId>)| {
            moment.is_some() && self.head(state, component) == moment
        };
        if !parts.iter().all(is_next) {
            return None;
        }
        let next = self.consume(state, step, parts.iter().map(|&(component, _)| component));
        Some((Rule::Execute(occurrence(self.pool, step)), next))
    }

    /// The node after a step that is observed on these components.
    fn consume(
        &self,
        state: &SearchState,
        step: &Step,
        components: impl Iterator<Item = ComponentId>,
    ) -> SearchState {
        let mut consumed = state.consumed.clone();
        for component in components {
            consumed[component.index()] += 1;
        }
        let measure = match &self.config.kind {
            Kind::Simulate(simulation) if simulation.reset => self.initial_measure(step.follow_up),
            Kind::Simulate(_) | Kind::Accept | Kind::Prefix | Kind::Eliminate => state.measure,
        };
        SearchState { term: step.follow_up, consumed, measure, ..state.clone() }
    }

    fn head(&self, state: &SearchState, component: ComponentId) -> Option<MomentId> {
        let at = state.consumed[component.index()] as usize;
        self.observation.moments(component).get(at).copied()
    }

    fn is_over(&self, state: &SearchState, component: ComponentId) -> bool {
        self.head(state, component).is_none()
    }

    fn all_over(&self, state: &SearchState) -> bool {
        let mut components = self.observation.trace().partition().components();
        components.all(|component| self.is_over(state, component))
    }

    /// The children by R_e, in the order of positions.
    fn executions(&mut self, state: &SearchState) -> Vec<(Rule, SearchState)> {
        let steps = self.frontiers.steps(self.pool, state.term);
        let mut children: Vec<(Rule, SearchState)> =
            steps.iter().filter_map(|step| self.execute(state, step)).collect();
        if self.unordered {
            let components: Vec<ComponentId> =
                self.observation.trace().partition().components().collect();
            // An execution consumes from one component only, since the partition is discrete.
            let moved = |(_, child): &(Rule, SearchState)| {
                let pairs = child.consumed.iter().zip(&state.consumed);
                pairs.take_while(|(after, before)| after == before).count()
            };
            let is_open = |i: usize| !self.is_over(state, components[i]);
            reduce::keep_fewest(&mut children, components.len(), is_open, moved);
        }
        children
    }
}

impl Expander for Rules<'_> {
    fn expand(&mut self, state: &SearchState, rule: Option<Rule>) -> Expansion {
        if !self.locally_possible(state, rule) {
            let verdict = self.config.kind.worst();
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

/// The step as an event observed on all of its lifelines.
pub(crate) fn occurrence(pool: &Pool, step: &Step) -> Occurrence {
    Occurrence {
        event: step.event,
        position: step.position,
        loop_depth: step.loop_depth,
        observed: pool.event_lifelines(step.event),
    }
}
