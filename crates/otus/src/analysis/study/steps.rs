//! A run as steps: which event of a log is matched with which message of the specification, one after the other.
//!
//! The explained part of a run is replayed on the specification as it is written, so that two messages with the same name
//! have different places. What cannot be matched follows, log by log.

use otus_analysis::question::Observed;
use otus_analysis::witness::{Witness, WitnessStep};
use otus_analysis::{Question, Verdict, coverage};
use otus_core::algebra::Memo;
use otus_core::budget::Budget;
use otus_core::index::Index as _;
use otus_core::semantics::{Frontiers, execute};
use otus_core::{ActionId, Pool};
use otus_draw::layout::failure::{EventState, drawn};
use otus_trace::ComponentId;
use rustc_hash::FxHashMap;

use super::{Held, Study, cut};
use crate::case::Place;
use crate::case::picture::LIMITS;

/// The logs of a run, and its steps.
#[derive(Debug, Clone)]
pub struct Steps {
    /// The logs, one for each set of lifelines that share one.
    pub logs: Vec<RunLog>,
    /// First the explained events in an order that the specification allows, then the others.
    pub steps: Vec<Step>,
    /// The number of explained steps.
    pub explained: usize,
}

/// A log of a run.
#[derive(Debug, Clone)]
pub struct RunLog {
    /// The lifelines of the log.
    pub lifelines: Vec<String>,
    /// The events of the log.
    pub events: Vec<RunEvent>,
}

/// An event of a log: the actions of one moment.
#[derive(Debug, Clone)]
pub struct RunEvent {
    /// Like `shop!pay`.
    pub action: String,
    /// The place where it was read.
    pub place: Option<Place>,
    /// The line, if it can be read again.
    pub text: Option<String>,
    /// Its number in the picture of the case, if it is drawn.
    pub drawn: Option<usize>,
}

/// A step of a run.
#[derive(Debug, Clone)]
pub struct Step {
    /// The numbers of a log and of its event; `None` if the event was not observed.
    pub event: Option<(usize, usize)>,
    /// Like `shop!pay`.
    pub action: String,
    /// The message of the specification with which it is matched.
    pub spec: Option<Place>,
    /// What is known about it.
    pub state: StepState,
    /// For each log: what could happen next in it before this step. `None` for late steps of a long run.
    pub expected: Option<Vec<Vec<String>>>,
    /// Its number in the picture of the case, if it is drawn.
    pub drawn: Option<usize>,
}

/// What is known about a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    /// It is matched with a message of the specification.
    Matched,
    /// It was not observed, but is assumed.
    Assumed,
    /// It cannot be matched.
    Blamed,
    /// It comes after an event that cannot be matched.
    Rest,
}

impl StepState {
    /// The state in a word.
    pub fn name(self) -> &'static str {
        match self {
            StepState::Matched => "matched",
            StepState::Assumed => "assumed",
            StepState::Blamed => "blamed",
            StepState::Rest => "rest",
        }
    }
}

/// The most steps before which expectations are computed, the most names of one, and the most follow-ups that are made for
/// all of them.
const MOST_EXPECTED: usize = 2000;
const MOST_NAMES: usize = 12;
const MOST_WORK: u64 = 300_000;
/// The most events whose lines are read.
const MOST_LINES: usize = 20_000;
/// The states that the search for the order of the explained part may take.
const STATES: u64 = 2_000_000;

impl Study {
    /// The run, step by step.
    pub fn steps(&self) -> Steps {
        let logs = self.logs();
        let run = self.explained_run();
        let mut next = vec![0; logs.len()];
        let mut steps = Vec::new();
        if let Some(run) = &run {
            self.matched(run, &logs, &mut next, &mut steps);
        }
        let explained = steps.len();
        self.unmatched(&next, &logs, &mut steps);
        let numbers = self.assumed_numbers();
        let mut assumed: FxHashMap<String, usize> = FxHashMap::default();
        for step in &mut steps {
            step.drawn = match step.event {
                Some((log, event)) => {
                    logs.get(log).and_then(|log| log.events.get(event)).and_then(|it| it.drawn)
                }
                None => {
                    let count = assumed.entry(step.action.clone()).or_default();
                    *count += 1;
                    numbers.get(&step.action).and_then(|all| all.get(*count - 1)).copied().flatten()
                }
            };
        }
        Steps { logs, steps, explained }
    }

    fn logs(&self) -> Vec<RunLog> {
        let places = self.places();
        let numbers = self.numbers(true);
        let mut left = MOST_LINES;
        let logs = self.trace.partition().components().map(|component| {
            let mut end = 0;
            let events = self.trace.moments(component).map(|steps| {
                let step = end;
                end += steps.len();
                let actions: Vec<ActionId> = steps.iter().map(|step| step.action()).collect();
                let (place, text) = if left == 0 {
                    (None, None)
                } else {
                    left -= 1;
                    self.event_place(&places, component, step)
                };
                let drawn = numbers.get(&(component.index(), step)).copied();
                RunEvent { action: self.moment_text(&actions), place, text, drawn }
            });
            RunLog { lifelines: self.lifelines(component), events: events.collect() }
        });
        logs.collect()
    }

    /// For each observed action, by log and index there: the number of its event in the picture; only for those that are
    /// drawn, if so wanted.
    pub(super) fn numbers(&self, is_drawn: bool) -> FxHashMap<(usize, usize), usize> {
        let Some(picture) = &self.case.picture else { return FxHashMap::default() };
        let diagram = &picture.diagram;
        let shown = drawn(diagram, &LIMITS);
        let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
        let mut numbers = FxHashMap::default();
        for (number, event) in diagram.events.iter().enumerate() {
            if matches!(event.state, EventState::Expected | EventState::Assumed) {
                continue;
            }
            let Some(component) = diagram.lifelines.get(event.lifeline).map(|it| it.component)
            else {
                continue;
            };
            let at = counts.entry(component).or_default();
            if !is_drawn || shown.get(number) == Some(&true) {
                numbers.insert((component, *at), number);
            }
            *at += 1;
        }
        numbers
    }

    /// By name of an action: the numbers of its assumed events in the picture, in the order of the run.
    fn assumed_numbers(&self) -> FxHashMap<String, Vec<Option<usize>>> {
        let mut numbers: FxHashMap<String, Vec<Option<usize>>> = FxHashMap::default();
        let Some(picture) = &self.case.picture else { return numbers };
        let diagram = &picture.diagram;
        let shown = drawn(diagram, &LIMITS);
        for &number in &diagram.run {
            let Some(event) = diagram.events.get(number) else { continue };
            if event.state == EventState::Assumed {
                let is_shown = shown.get(number) == Some(&true);
                numbers.entry(event.label.clone()).or_default().push(is_shown.then_some(number));
            }
        }
        numbers
    }

    /// An execution of the explained part of the run; of all of it, unless the run fails.
    pub(super) fn explained_run(&self) -> Option<Witness> {
        let mut pool = self.pool.clone();
        let budget = Budget { max_states: Some(STATES), ..self.budget() };
        let mut engine = self.engine();
        if self.case.verdict >= Verdict::WeakPass {
            let order = match &self.held {
                Held::Raw(group) if self.plan.request.ignore_order != Some(true) => {
                    group.order(&self.trace)
                }
                Held::Raw(_) | Held::Case { .. } | Held::File { .. } => None,
            };
            let (question, verdict) = (&self.question, self.case.verdict);
            let found = match &order {
                Some(order) => engine.witness_ordered(
                    &mut pool,
                    self.term,
                    &self.trace,
                    order,
                    question,
                    verdict,
                    &budget,
                ),
                None => {
                    engine.witness(&mut pool, self.term, &self.trace, question, verdict, &budget)
                }
            };
            if found.is_some() {
                return found;
            }
        }
        let accepted = self.prefix(&self.consumed(), None);
        let each: Vec<Observed> = self.declared().into_iter().map(cut).collect();
        let questions = [Question::GlobalPrefix, Question::Each(each.into())];
        let mut run = questions.iter().find_map(|question| {
            let found = engine.analyze_up_to(Verdict::WeakPass, &accepted, question, &budget);
            engine.witness(&mut pool, self.term, &accepted, question, found.verdict, &budget)
        })?;
        // The execution may go on after the explained part.
        let is_observed = |step: &WitnessStep| matches!(step, WitnessStep::Observed(_));
        let end = run.steps.iter().rposition(is_observed).map_or(0, |last| last + 1);
        run.steps.truncate(end);
        Some(run)
    }

    /// The places of the events of an execution in the specification.
    pub(super) fn spec_places(&self, run: &Witness) -> Vec<Option<Place>> {
        let count = run.events().count();
        let mut pool = self.pool.clone();
        let exact = self.plan.covering.as_ref().and_then(|covering| {
            let plain = self.plan.spec.plain(&mut pool, run);
            let nodes = coverage::nodes(&pool, covering.tree(), &plain)?;
            Some(nodes.into_iter().map(|node| covering.place(node)).collect::<Vec<_>>())
        });
        if let Some(exact) = exact.filter(|places| places.len() == count) {
            return exact;
        }
        let by_name = super::super::pictures::first_terms(&self.pool, self.term);
        let place = |action: &ActionId| {
            let term = by_name.get(action)?;
            Some(self.plan.spec.text.excerpt(*term, None, 1)?.place)
        };
        let of = |event| self.pool.event_actions(event).iter().find_map(place);
        run.events().map(|(event, _)| of(event)).collect()
    }

    /// Adds the steps of an execution. `next` counts the moments of each log.
    fn matched(&self, run: &Witness, logs: &[RunLog], next: &mut [usize], steps: &mut Vec<Step>) {
        let places = self.spec_places(run);
        let partition = self.trace.partition();
        let mut replay = Replay::new(self);
        let mut number = 0;
        for step in &run.steps {
            let Some(event) = step.event() else {
                replay.stop();
                continue;
            };
            let is_observed = matches!(step, WitnessStep::Observed(_));
            let spec = places.get(number).cloned().flatten();
            number += 1;
            let expected = if steps.len() < MOST_EXPECTED { replay.expected(self) } else { None };
            let mut met: Vec<ComponentId> = Vec::new();
            let mut unseen: Vec<ActionId> = Vec::new();
            for &action in self.pool.event_actions(event.event) {
                let lifeline = self.pool.action(action).lifeline;
                let component = partition.component_of(lifeline);
                if !(is_observed && self.pool.region_contains(event.observed, lifeline)) {
                    unseen.push(action);
                } else if !met.contains(&component) {
                    met.push(component);
                }
            }
            for component in met {
                let at = next[component.index()];
                next[component.index()] += 1;
                let event = logs[component.index()].events.get(at);
                steps.push(Step {
                    event: Some((component.index(), at)),
                    action: event.map(|event| event.action.clone()).unwrap_or_default(),
                    spec: spec.clone(),
                    state: StepState::Matched,
                    expected: expected.clone(),
                    drawn: None,
                });
            }
            for action in unseen {
                steps.push(Step {
                    event: None,
                    action: self.action_text(action),
                    spec: spec.clone(),
                    state: StepState::Assumed,
                    expected: expected.clone(),
                    drawn: None,
                });
            }
            replay.step(&event.position);
        }
    }

    /// Adds the events that are not matched: the one that the explanation names, the first one of each log, and the rest.
    fn unmatched(&self, next: &[usize], logs: &[RunLog], steps: &mut Vec<Step>) {
        let named = self.case.failure().and_then(|it| it.observed.as_ref());
        let mut first: Vec<(bool, usize)> = Vec::new();
        for (log, events) in logs.iter().enumerate() {
            if next[log] < events.events.len() {
                let event = &events.events[next[log]];
                let is_named = named.is_some_and(|named| {
                    named.lifelines == events.lifelines
                        && event.place.as_ref().is_none_or(|place| place.line == named.place.line)
                });
                first.push((!is_named, log));
            }
        }
        first.sort_unstable();
        let is_any_named = first.first().is_some_and(|(is_other, _)| !is_other);
        let mut push = |log: usize, event: usize, state| {
            steps.push(Step {
                event: Some((log, event)),
                action: logs[log].events[event].action.clone(),
                spec: None,
                state,
                expected: None,
                drawn: None,
            });
        };
        for &(is_other, log) in &first {
            let is_blamed = !is_other || !is_any_named;
            push(log, next[log], if is_blamed { StepState::Blamed } else { StepState::Rest });
        }
        for &(_, log) in &first {
            for event in next[log] + 1..logs[log].events.len() {
                push(log, event, StepState::Rest);
            }
        }
    }
}

/// Replays an execution, to tell what could happen before each step.
struct Replay {
    pool: Pool,
    memo: Memo,
    frontiers: Frontiers,
    /// What is left; `None` when the replay has stopped.
    left: Option<otus_core::TermId>,
    work: u64,
}

impl Replay {
    fn new(study: &Study) -> Replay {
        let mut pool = study.pool.clone();
        let left = otus_core::algebra::simplify(&mut pool, study.term);
        let (memo, frontiers) = (Memo::default(), Frontiers::default());
        Replay { pool, memo, frontiers, left: Some(left), work: 0 }
    }

    fn stop(&mut self) {
        self.left = None;
    }

    fn step(&mut self, position: &[u8]) {
        let Some(left) = self.left else { return };
        let after = execute(&mut self.pool, &mut self.memo, left, position.iter().copied());
        self.left = after.map(|(_, after)| after);
    }

    /// For each log: the next actions.
    fn expected(&mut self, study: &Study) -> Option<Vec<Vec<String>>> {
        let left = self.left?;
        self.work = self.work.saturating_add(self.frontiers.cost(&mut self.pool, left));
        if self.work > MOST_WORK {
            return None;
        }
        let partition = study.trace.partition();
        let mut expected: Vec<Vec<String>> = vec![Vec::new(); partition.len()];
        for step in self.frontiers.steps(&mut self.pool, left).iter() {
            for &action in self.pool.event_actions(step.event) {
                let action = self.pool.action(action);
                let names = &mut expected[partition.component_of(action.lifeline).index()];
                let text = action.text(self.pool.signature());
                if names.len() < MOST_NAMES && !names.contains(&text) {
                    names.push(text);
                }
            }
        }
        Some(expected)
    }
}
