//! Fills the picture of a multi-trace: its events, those that the accepted run has, those that were expected instead,
//! and its messages.
//!
//! Messages are those that the logs pair. The remaining events are paired where the interaction leaves no doubt (see
//! [`super::channels`]): the first emission with the first reception, and so on. Expected events are paired only with
//! expected events, so that observed events keep their counterparts.

use otus_analysis::explain::{Explanation, Progress};
use otus_analysis::witness::{Witness, WitnessStep};
use otus_core::index::Index as _;
use otus_core::{ActionId, LifelineId, Pool, TermId};
use otus_draw::layout::failure::{
    EventState, PictureEvent, PictureLifeline, PictureMessage, drawn,
};
use otus_trace::transform::learn::Pair;
use otus_trace::{ComponentId, MultiTrace};
use rustc_hash::{FxHashMap, FxHashSet};

use super::channels::{channels, first_terms};
use crate::case::picture::LIMITS;
use crate::case::{CasePicture, Passage};

/// The maximum number of moments that are drawn as expected at one point of a component.
const EXPECTED: usize = 3;

/// The findings about a multi-trace.
#[derive(Clone, Copy)]
pub(super) struct Facts<'f> {
    pub(super) pool: &'f Pool,
    pub(super) term: TermId,
    pub(super) trace: &'f MultiTrace,
    pub(super) explanation: Option<&'f Explanation>,
    /// A run of the accepted part. For an accepted multi-trace this is the whole run; for a
    /// failure, it is the run that [`super::accepted_run`] finds.
    pub(super) run: Option<&'f Witness>,
    /// Emissions with their receptions, as far as the logs show them.
    pub(super) pairs: &'f [Pair],
    /// The log line of an action, by component and index there.
    pub(super) log: &'f dyn Fn(ComponentId, usize) -> Option<Passage>,
    /// The place of an event of the interaction.
    pub(super) place: &'f dyn Fn(TermId) -> Option<Passage>,
    /// What an observed action carries, by component and index there.
    pub(super) values: &'f dyn Fn(ComponentId, usize) -> Option<String>,
}

pub(super) fn fill(facts: &Facts<'_>) -> CasePicture {
    let mut filling = Filling::new(facts);
    for step in facts.run.iter().flat_map(|run| &run.steps) {
        filling.happen(step);
    }
    filling.rest();
    filling.messages();
    filling.logs();
    filling.picture
}

/// For each component: the number of its moments that the furthest situation has.
pub(super) fn consumed(trace: &MultiTrace, explanation: &Explanation) -> Vec<usize> {
    let mut consumed = vec![0; trace.partition().len()];
    for progress in progress(explanation) {
        consumed[progress.component.index()] = progress.consumed;
    }
    consumed
}

fn progress(explanation: &Explanation) -> &[Progress] {
    explanation.frontier.states.first().map_or(&[], |state| &state.components)
}

struct Filling<'f> {
    facts: &'f Facts<'f>,
    picture: CasePicture,
    /// For each event: its action, and the component and index of its observation.
    actions: Vec<ActionId>,
    origins: Vec<Option<(ComponentId, usize)>>,
    /// For each component: the number of its observed actions that are in the picture already.
    next: Vec<usize>,
    /// For each action: the first event of the interaction with this action.
    terms: FxHashMap<ActionId, TermId>,
    /// For each term: the index of its place in the picture.
    places: FxHashMap<TermId, Option<usize>>,
}

impl<'f> Filling<'f> {
    fn new(facts: &'f Facts<'f>) -> Self {
        let partition = facts.trace.partition();
        let core = facts.explanation.and_then(|explanation| explanation.core.as_ref());
        let lifelines = (0..partition.lifeline_count()).map(|at| {
            let lifeline = LifelineId::new(at);
            let component = partition.component_of(lifeline);
            PictureLifeline {
                name: facts.pool.signature().lifeline_name(lifeline).to_owned(),
                component: component.index(),
                core: core.is_some_and(|core| core.components.contains(&component)),
            }
        });
        let mut picture = CasePicture::default();
        picture.diagram.lifelines = lifelines.collect();
        Filling {
            facts,
            picture,
            actions: Vec::new(),
            origins: Vec::new(),
            next: vec![0; partition.len()],
            terms: first_terms(facts.pool, facts.term),
            places: FxHashMap::default(),
        }
    }

    /// Adds the events of a step of the run: on each component an observed moment, or an assumed one.
    fn happen(&mut self, step: &WitnessStep) {
        let (place, is_observed) = match step {
            WitnessStep::Observed(place) => (place, true),
            WitnessStep::Unobserved(place) => (place, false),
            WitnessStep::Removed(_) => return,
        };
        let pool = self.facts.pool;
        let partition = self.facts.trace.partition();
        let actions = pool.event_actions(place.event);
        let component_of = |action: ActionId| partition.component_of(pool.action(action).lifeline);
        let mut components: Vec<ComponentId> = actions.iter().map(|&a| component_of(a)).collect();
        components.sort_unstable();
        components.dedup();
        for component in components {
            let own = actions.iter().filter(|&&action| component_of(action) == component);
            let (seen, unseen): (Vec<ActionId>, Vec<ActionId>) =
                own.copied().partition(|&action| {
                    is_observed
                        && pool.region_contains(place.observed, pool.action(action).lifeline)
                });
            let first = self.actions.len();
            if !seen.is_empty() {
                self.observe(component, EventState::Explained);
            }
            for action in unseen {
                let joined = self.actions.len() > first;
                self.push(action, EventState::Assumed, joined, None);
            }
            self.picture.diagram.run.extend(first..self.actions.len());
        }
    }

    fn observe(&mut self, component: ComponentId, state: EventState) {
        let steps = self.facts.trace.steps(component);
        let mut joined = false;
        loop {
            let at = self.next[component.index()];
            let Some(step) = steps.get(at).filter(|step| !joined || step.joined()) else { return };
            self.push(step.action(), state, joined, Some((component, at)));
            self.next[component.index()] += 1;
            joined = true;
        }
    }

    /// Adds the events that the run does not have: the expected ones, and then those that were observed
    /// instead.
    fn rest(&mut self) {
        let trace = self.facts.trace;
        let explanation = self.facts.explanation;
        let headline = explanation.and_then(|explanation| explanation.headline.as_ref());
        let accepted = explanation.map(|explanation| consumed(trace, explanation));
        for component in trace.partition().components() {
            let fault = headline.filter(|headline| headline.component == component);
            let moments: Vec<usize> = trace
                .moments(component)
                .scan(0, |at, moment| {
                    let start = *at;
                    *at += moment.len();
                    Some(start)
                })
                .collect();
            let accepted = accepted.as_ref().map_or(moments.len(), |of| of[component.index()]);
            let done = moments.partition_point(|&start| start < self.next[component.index()]);
            for moment in done..=moments.len() {
                let is_fault = fault.is_some_and(|fault| fault.moment == moment);
                let event = self.actions.len();
                self.expect(component, moment == accepted, is_fault && moment >= accepted);
                let culprit = if moment == moments.len() {
                    // At the end of a log, the missing event is the failure.
                    (event < self.actions.len()).then_some(event)
                } else {
                    let state = if moment < accepted {
                        EventState::Explained
                    } else if moment == accepted || is_fault {
                        EventState::Offending
                    } else {
                        EventState::NotReached
                    };
                    let event = self.actions.len();
                    self.observe(component, state);
                    Some(event)
                };
                if is_fault {
                    self.picture.diagram.culprit = culprit;
                }
            }
            // If the run contains the moment that the headline names, the faulty event is one of
            // the run's events.
            if let Some(fault) = fault.filter(|fault| fault.moment < done) {
                self.picture.diagram.culprit = self.find(component, moments[fault.moment]);
            }
        }
    }

    fn find(&self, component: ComponentId, at: usize) -> Option<usize> {
        self.origins.iter().position(|&origin| origin == Some((component, at)))
    }

    /// Adds the moments that could have come next on a component: at the furthest situation, at the fault,
    /// or at both.
    fn expect(&mut self, component: ComponentId, is_frontier: bool, is_fault: bool) {
        let Some(explanation) = self.facts.explanation else { return };
        let own = progress(explanation).iter().filter(|progress| progress.component == component);
        let now =
            own.flat_map(|progress| &progress.expected).filter(|next| is_frontier && next.now);
        let fault = explanation.headline.iter().filter(|_| is_fault);
        let said = fault.flat_map(|headline| &headline.expected);
        let mut met: FxHashSet<&[ActionId]> = FxHashSet::default();
        for next in said.chain(now).filter(|next| met.insert(&next.moment)).take(EXPECTED) {
            let mut joined = false;
            for &action in &next.moment {
                self.push(action, EventState::Expected, std::mem::replace(&mut joined, true), None);
                let place = self.place(next.term);
                self.locate(self.actions.len() - 1, place);
            }
        }
    }

    fn push(
        &mut self,
        action: ActionId,
        state: EventState,
        joined: bool,
        origin: Option<(ComponentId, usize)>,
    ) {
        let of = self.facts.pool.action(action);
        let place = self.terms.get(&action).copied().and_then(|term| self.place(term));
        self.actions.push(action);
        self.origins.push(origin);
        self.picture.diagram.events.push(PictureEvent {
            lifeline: of.lifeline.index(),
            label: of.text(self.facts.pool.signature()),
            state,
            joined,
            values: origin.and_then(|(component, at)| (self.facts.values)(component, at)),
            ..PictureEvent::default()
        });
        self.picture.logs.push(None);
        self.picture.places.push(None);
        self.locate(self.actions.len() - 1, place);
    }

    fn locate(&mut self, event: usize, place: Option<usize>) {
        let name = place.map(|place| self.picture.specification[place].place.clone());
        self.picture.diagram.events[event].specification = name;
        self.picture.places[event] = place;
    }

    fn place(&mut self, term: TermId) -> Option<usize> {
        if let Some(&known) = self.places.get(&term) {
            return known;
        }
        let found = (self.facts.place)(term).map(|passage| {
            self.picture.specification.push(passage);
            self.picture.specification.len() - 1
        });
        self.places.insert(term, found);
        found
    }

    /// Looks up the log lines of the events that are drawn. Looking up those of all events could
    /// take too long.
    fn logs(&mut self) {
        for (index, is_drawn) in drawn(&self.picture.diagram, &LIMITS).into_iter().enumerate() {
            if let Some((component, at)) = self.origins[index].filter(|_| is_drawn) {
                let log = (self.facts.log)(component, at);
                self.picture.diagram.events[index].log = log.as_ref().map(|it| it.place.clone());
                self.picture.logs[index] = log;
            }
        }
    }

    /// Pairs emissions with receptions.
    fn messages(&mut self) {
        let mut is_paired = vec![false; self.actions.len()];
        let events: FxHashMap<(ComponentId, usize), usize> = self
            .origins
            .iter()
            .enumerate()
            .filter_map(|(event, origin)| origin.map(|origin| (origin, event)))
            .collect();
        for Pair { from, to } in self.facts.pairs {
            if let (Some(&from), Some(&to)) = (events.get(from), events.get(to)) {
                self.picture.diagram.messages.push(PictureMessage { from, to });
                is_paired[from] = true;
                is_paired[to] = true;
            }
        }
        let channels = channels(self.facts.pool, self.facts.term);
        for is_expected in [false, true] {
            let mut by_action: FxHashMap<ActionId, Vec<usize>> = FxHashMap::default();
            for (index, event) in self.picture.diagram.events.iter().enumerate() {
                if (event.state == EventState::Expected) == is_expected && !is_paired[index] {
                    by_action.entry(self.actions[index]).or_default().push(index);
                }
            }
            for &(sent, received) in &channels {
                let (Some(from), Some(to)) = (by_action.get(&sent), by_action.get(&received))
                else {
                    continue;
                };
                let pairs = from.iter().zip(to);
                let pairs = pairs.map(|(&from, &to)| PictureMessage { from, to });
                self.picture.diagram.messages.extend(pairs);
            }
        }
        self.picture.diagram.messages.sort_unstable();
        self.picture.diagram.messages.dedup();
    }
}
