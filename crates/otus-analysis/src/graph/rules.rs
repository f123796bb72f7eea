//! The rules of each kind of analysis: the children of a node of the graph, or the local verdict of
//! a leaf.

mod accept;
mod eliminate;
mod simulate;

use std::rc::Rc;

use otus_core::index::Index as _;
use otus_core::semantics::{Frontiers, Positions, Step};
use otus_core::{Pool, TermId};
use otus_syntax::options::LocalAnalysis;
use otus_trace::MultiTrace;
use otus_trace::multitrace::ComponentId;
use smallvec::SmallVec;

use crate::config::{Config, Kind};
use crate::graph::local::{Local, Rest};
use crate::graph::measure::Measure;
use crate::graph::reduce;
use crate::graph::search::{Expander, Expansion};
use crate::graph::state::{Leaf, LeafKind, Occurrence, Rule, SearchState, StoreId};
use crate::graph::values::{Taken, Values};
use crate::observation::{MomentId, Observation};
use crate::verdict::Verdict;

/// The rules for a pool and a multi-trace.
#[derive(Debug)]
pub struct Rules<'a, 'p> {
    pub(super) pool: &'a mut Pool,
    pub(super) frontiers: Frontiers,
    pub(super) observation: Observation<'a>,
    config: &'a Config,
    local: Local,
    /// Whether the partial-order reduction applies ([`reduce`]).
    unordered: bool,
    /// If the interaction has values: the terms are over letters.
    values: Option<Values<'p>>,
}

/// The steps of a term, in the order of positions.
pub(super) enum Steps {
    Plain(Rc<[Step]>),
    Valued(Rc<[Taken]>),
}

impl Steps {
    pub(super) fn all(&self) -> impl Iterator<Item = Step> {
        let (plain, valued) = match self {
            Steps::Plain(steps) => (&**steps, &[][..]),
            Steps::Valued(steps) => (&[][..], &**steps),
        };
        plain.iter().copied().chain(valued.iter().map(|taken| taken.step))
    }
}

impl<'a, 'p> Rules<'a, 'p> {
    /// The rules of the configured kind.
    pub fn new(pool: &'a mut Pool, trace: &'a MultiTrace, config: &'a Config) -> Self {
        Rules {
            pool,
            frontiers: Frontiers::default(),
            observation: Observation::new(trace),
            config,
            local: Local::default(),
            unordered: false,
            values: None,
        }
    }

    /// The same for an interaction over letters. The values know the positions of the memoized steps.
    pub(super) fn with_values(
        pool: &'a mut Pool,
        (values, frontiers): (Values<'p>, Frontiers),
        trace: &'a MultiTrace,
        config: &'a Config,
    ) -> Self {
        let observation = Observation::of_letters(trace, pool);
        Rules { observation, frontiers, values: Some(values), ..Rules::new(pool, trace, config) }
    }

    /// The positions that all rules so far refer to.
    pub fn into_positions(self) -> Positions {
        self.frontiers.positions
    }

    /// The memoized steps, whose positions the rules refer to, and the values.
    pub(super) fn into_parts(self) -> (Frontiers, Option<Values<'p>>) {
        (self.frontiers, self.values)
    }

    /// Whether some conditions on values could not be decided.
    pub(super) fn is_undecided(&self) -> bool {
        self.values.as_ref().is_some_and(|values| values.undecided)
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
            && reduce::is_free(self.pool, term)
            // Removal leaves events behind that happen unobserved, which the reduction does not know.
            && (self.values.is_none() || self.config.kind != Kind::Eliminate);
        let store = match &mut self.values {
            Some(values) => values.root(self.pool, term),
            None => StoreId(0),
        };
        self.name_letters();
        SearchState {
            term,
            consumed: vec![0; self.observation.trace().partition().len()].into(),
            removed: Pool::NONE,
            measure: self.initial_measure(term),
            exact: true,
            store,
        }
    }

    /// The steps of a term.
    pub(super) fn steps(&mut self, term: TermId) -> Steps {
        match &mut self.values {
            Some(values) => {
                let steps = values.steps(self.pool, &mut self.frontiers, term);
                self.name_letters();
                Steps::Valued(steps)
            }
            None => Steps::Plain(self.frontiers.steps(self.pool, term)),
        }
    }

    /// Tells the messages that new letters stand for.
    fn name_letters(&mut self) {
        if let Some(values) = &self.values {
            let count = self.pool.signature().message_count();
            self.observation.name(count, |message| values.plain(message));
        }
    }

    /// What is known of values after a step that these components observe; `None` if its guards cannot hold.
    pub(super) fn after(
        &mut self,
        state: &SearchState,
        (steps, at): (&Steps, usize),
        observers: &[ComponentId],
    ) -> Option<Known> {
        match (&mut self.values, steps) {
            (Some(values), Steps::Valued(taken)) => {
                let store = values.fire((state.store, &state.consumed), &taken[at], observers)?;
                Some(Known { store, exact: values.is_strict(store) })
            }
            (Some(_) | None, _) => Some(Known { store: state.store, exact: true }),
        }
    }

    /// How a node whose multi-trace is consumed can end; `None` if what is left cannot happen, whatever it carries.
    /// `may_go_on`: whether something may be left.
    pub(super) fn ending(&mut self, state: &SearchState, may_go_on: bool) -> Option<Ending> {
        let ends = self.pool.attributes(state.term).terminates;
        let Some(values) = self.values.as_mut().filter(|_| !ends && may_go_on) else {
            return Some(Ending { ends, is_known: true });
        };
        let cancel = &self.config.budget.cancel;
        let found =
            values.completes(self.pool, &mut self.frontiers, state, || cancel.is_cancelled());
        match found {
            Some(true) => Some(Ending { ends: false, is_known: true }),
            Some(false) => None,
            None => Some(Ending { ends: false, is_known: false }),
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
            Kind::Eliminate if self.values.is_some() => self.conditions_measure(term),
            Kind::Accept | Kind::Prefix | Kind::Eliminate => Measure::default(),
        }
    }

    /// R_e: the node after a step whose event is the next moment on every component it touches.
    fn execute(
        &mut self,
        state: &SearchState,
        (steps, at, step): (&Steps, usize, &Step),
    ) -> Option<(Rule, SearchState)> {
        let parts = self.observation.parts(self.pool, step.event);
        if self.values.is_some() && state.removed != Pool::NONE {
            return self.execute_rest(state, (steps, at, step), &parts);
        }
        let is_next = |&(component, moment): &(ComponentId, Option<MomentId>)| {
            moment.is_some() && self.head(state, component) == moment
        };
        if !parts.iter().all(is_next) {
            return None;
        }
        let observers: SmallVec<[ComponentId; 2]> =
            parts.iter().map(|&(component, _)| component).collect();
        let known = self.after(state, (steps, at), &observers)?;
        let next = self.consume(state, step, &observers, known);
        Some((Rule::Execute(occurrence(self.pool, step)), next))
    }

    /// The node after a step that is observed on these components.
    fn consume(
        &self,
        state: &SearchState,
        step: &Step,
        components: &[ComponentId],
        Known { store, exact }: Known,
    ) -> SearchState {
        let mut consumed = state.consumed.clone();
        for component in components {
            consumed[component.index()] += 1;
        }
        let measure = match &self.config.kind {
            Kind::Simulate(simulation) if simulation.reset => self.initial_measure(step.follow_up),
            Kind::Simulate(_) | Kind::Accept | Kind::Prefix | Kind::Eliminate => state.measure,
        };
        let exact = state.exact && exact;
        SearchState { term: step.follow_up, consumed, measure, exact, store, ..state.clone() }
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
        let steps = self.steps(state.term);
        let numbered = steps.all().enumerate();
        let mut children: Vec<(Rule, SearchState)> =
            numbered.filter_map(|(at, step)| self.execute(state, (&steps, at, &step))).collect();
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

impl Expander for Rules<'_, '_> {
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

    fn bytes(&self) -> usize {
        self.values.as_ref().map_or(0, Values::bytes)
    }
}

/// What is known of values after a step.
pub(super) struct Known {
    pub(super) store: StoreId,
    /// Whether nothing was compared that was not logged.
    pub(super) exact: bool,
}

/// How an interaction whose logs are consumed can end.
pub(super) struct Ending {
    /// Whether it may end here.
    pub(super) ends: bool,
    /// Whether that is known: conditions on values may be undecided.
    pub(super) is_known: bool,
}

impl Ending {
    /// The verdict, given whether nothing was missing so far.
    pub(super) fn verdict(&self, is_exact: bool) -> Verdict {
        match *self {
            Ending { is_known: false, .. } => Verdict::Inconclusive,
            Ending { ends, .. } if ends && is_exact => Verdict::Pass,
            Ending { .. } => Verdict::WeakPass,
        }
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
