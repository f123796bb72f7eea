//! A repair of logs whose values are wrong: up to three edits after which they would be explained.
//!
//! The cause tells what to try: a value or a time that the guard asks for, a lost event, an event of another session, two
//! events in the wrong order. Every repair was answered by the engine before it is told. If no single edit is enough, the
//! one after which the most is explained is kept, and the search goes on from the failure that is left.
//!
//! A time is changed only as far as its neighbours in the log allow: a clock that goes backwards would be taken for
//! another clock, about which nothing is known.

use otus_core::index::Index as _;
use otus_core::valued::{FieldId, Valued};
use otus_core::{Action, ActionId, Value};
use otus_syntax::SourceId;
use otus_syntax::ast::guard::Relation;
use otus_trace::facts::NEW;
use otus_trace::multitrace::Builder;
use otus_trace::{ComponentId, Facts, MultiTrace};

use super::failure::{Elapsed, LogPlace, ValueCause, ValueFailure};
use super::{Clocks, ValueEngine};
use crate::budget::Budget;
use crate::explain::Change;
use crate::question::{Observed, Question};
use crate::verdict::Verdict;

/// Edits after which a multi-trace with values is explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueRepair {
    /// The edits, to be applied in this order.
    pub edits: Vec<ValueEdit>,
}

/// One edit of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueEdit {
    /// The edited log.
    pub component: ComponentId,
    /// The observed event that is changed, or before which one is inserted; `None` for the end of the log.
    pub at: Option<LogPlace>,
    /// What is changed.
    pub change: ValueChange,
}

/// A change of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueChange {
    /// It carries another value.
    Value {
        /// The field.
        field: FieldId,
        /// The value in the log.
        from: Value,
        /// The value that it would have.
        to: Value,
    },
    /// It comes this many nanoseconds later, or earlier if negative.
    Time(i64),
    /// It did not happen.
    Drop,
    /// An event with this action and key happened before it.
    Insert(Action, Option<(FieldId, Value)>),
    /// It and the other event were logged in each other's place.
    Swap(Option<LogPlace>),
    /// It happened before the other event, if that is earlier in the log; otherwise, after it.
    Move(Option<LogPlace>),
    /// The log stopped early.
    StoppedEarly,
}

/// What is repaired.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The multi-trace.
    pub trace: &'a MultiTrace,
    /// The values of its events.
    pub facts: &'a Facts,
    /// What is known of the clocks.
    pub clocks: Clocks,
    /// The question that it fails.
    pub question: &'a Question,
}

/// The most questions to the engine for each edit, and the most events in all of them.
const QUESTIONS: usize = 64;
const WORK: usize = 4_000_000;
/// The most edits.
const EDITS: usize = 3;
/// The most neighbours of an event with which it is swapped.
const NEAR: usize = 3;

/// An event that was observed, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Event {
    action: ActionId,
    origin: Option<LogPlace>,
    changed: Vec<(FieldId, Value)>,
}

/// The events of one moment.
type Moment = Vec<Event>;

/// The logs after some edits.
#[derive(Debug, Clone)]
struct Logs {
    moments: Vec<Vec<Moment>>,
    declared: Option<Vec<Observed>>,
}

/// The budget of one question about a changed multi-trace. Its states are limited, so that explanations do not depend on
/// how fast the machine is.
pub(super) fn limited(trace: &MultiTrace, budget: &Budget) -> Budget {
    let enough = 2_000 + 8 * trace.len() as u64;
    let max_states = Some(budget.max_states.map_or(enough, |most| most.min(enough)));
    Budget { max_states, ..budget.clone() }
}

impl ValueEngine {
    /// A repair of a multi-trace that fails for a known cause; `None` if none was found.
    pub fn repair(
        &mut self,
        asked: Asked<'_>,
        failure: &ValueFailure,
        budget: &Budget,
    ) -> Option<ValueRepair> {
        let mut logs = Logs::of(asked.trace);
        let mut failure = failure.clone();
        let mut edits = Vec::new();
        let mut work = WORK;
        let limited = limited(asked.trace, budget);
        for _ in 0..EDITS {
            let mut best: Option<(u64, Logs, ValueEdit, ValueFailure)> = None;
            let before = logs.len();
            for (component, change) in self.candidates(asked, &logs, &failure) {
                work = work.checked_sub(asked.trace.len() + 1)?;
                if budget.check_time().is_err() {
                    return None;
                }
                let mut changed = logs.clone();
                if change == Change::StoppedEarly {
                    let all = asked.trace.partition().components();
                    let mut own = logs.declared.clone().unwrap_or_else(|| {
                        all.map(|component| asked.question.of(component)).collect()
                    });
                    own[component] = crate::explain::stops_early(own[component]);
                    changed.declared = Some(own);
                } else {
                    change.apply(&mut changed.moments[component]);
                }
                let edit = logs.published(asked.facts, component, &change, &self.pool);
                let (trace, facts) = changed.rebuilt(asked.trace, asked.facts);
                let own = changed.declared.clone().map(|own| Question::Each(own.into()));
                let question = own.as_ref().unwrap_or(asked.question);
                let found = self.analyze(&trace, &facts, asked.clocks, question, &limited);
                if matches!(found.verdict, Verdict::Pass | Verdict::WeakPass) {
                    edits.push(edit);
                    return Some(ValueRepair { edits });
                }
                let reached = found.furthest.iter().flatten().map(|&it| u64::from(it)).sum::<u64>();
                // What is left to explain must shrink.
                let left = changed.len().saturating_sub(reached);
                if let Some(next) = self.failure.clone()
                    && best.as_ref().is_none_or(|(least, ..)| left < *least)
                    && left < before
                {
                    best = Some((left, changed, edit, next));
                }
            }
            let (_, next, edit, left) = best?;
            (logs, failure) = (next, left);
            edits.push(edit);
        }
        None
    }

    /// Likely edits, the most likely first.
    fn candidates(
        &mut self,
        asked: Asked<'_>,
        logs: &Logs,
        failure: &ValueFailure,
    ) -> Vec<(usize, Change<Moment>)> {
        let mut found: Vec<(usize, Change<Moment>)> = Vec::new();
        let facts = asked.facts;
        let with = |place: LogPlace, field: FieldId, value: Value| {
            let at = logs.moment_at(place)?;
            let mut moment = logs.moments[place.component.index()][at].clone();
            let event = logs.event_in(&mut moment, place)?;
            event.changed.retain(|(own, _)| *own != field);
            event.changed.push((field, value));
            Some((place.component.index(), Change::Replace(at, moment)))
        };
        let key = failure.key.clone();
        let expected: Vec<Action> = failure.expected.iter().map(|it| it.action).collect();
        let Some(at) = failure.at else { return found };
        let component = at.component.index();
        let place = logs.moment_at(at);
        match &failure.cause {
            ValueCause::WrongValue { field, relation, wanted, since, found: own, .. } => {
                let nearest = |wanted: &Value| match relation {
                    Relation::Equal | Relation::LessEqual | Relation::GreaterEqual => {
                        Some(wanted.clone())
                    }
                    Relation::Less => otus_core::valued::plus(wanted, (-1).into()),
                    Relation::Greater => otus_core::valued::plus(wanted, 1.into()),
                    Relation::NotEqual => None,
                };
                let values = wanted.iter().take(8).filter_map(nearest);
                found.extend(values.filter_map(|value| with(at, *field, value)));
                let is_equal = *relation == Relation::Equal;
                let other = since.filter(|_| is_equal);
                found.extend(other.and_then(|since| with(since, *field, own.clone())));
            }
            ValueCause::NoSession { field, open, .. } => {
                found.extend(open.iter().filter_map(|value| with(at, *field, value.clone())));
            }
            ValueCause::TooLate(time) | ValueCause::TooEarly(time) => {
                let is_late = matches!(failure.cause, ValueCause::TooLate(_));
                let moved = logs.times(facts, at, *time, is_late);
                found.extend(
                    moved.filter_map(|(place, time)| {
                        with(place, Valued::TIME, Value::integer(time))
                    }),
                );
            }
            ValueCause::Cycle(links) => {
                for link in links {
                    let own = link.at.component.index();
                    let Some((from, to)) = logs.moment_at(link.at).zip(logs.moment_at(link.before))
                    else {
                        continue;
                    };
                    found.push((own, Change::Swap(from, to)));
                    found.push((own, Change::Move(from, to)));
                    found.push((own, Change::Move(to, from)));
                }
            }
            ValueCause::UsedAgain { .. } | ValueCause::Unexpected | ValueCause::Missing { .. } => {}
        }
        let is_over = matches!(failure.cause, ValueCause::Missing { .. });
        // An event that is overdue must come before its time is over.
        let deadline = match &failure.cause {
            ValueCause::Missing { overdue: Some(overdue), .. } => {
                overdue.time.since.and_then(|at| {
                    let mut moment =
                        logs.moments[at.component.index()][logs.moment_at(at)?].clone();
                    let start = Logs::time(facts, logs.event_in(&mut moment, at)?)?;
                    start.checked_add(overdue.time.allowed)
                })
            }
            ValueCause::Missing { overdue: None, .. }
            | ValueCause::WrongValue { .. }
            | ValueCause::TooLate(_)
            | ValueCause::TooEarly(_)
            | ValueCause::UsedAgain { .. }
            | ValueCause::NoSession { .. }
            | ValueCause::Unexpected
            | ValueCause::Cycle(_) => None,
        };
        // An expected event that comes later on its log, one that was lost, or one that is too much.
        for &action in &expected {
            let own = asked.trace.partition().component_of(action.lifeline).index();
            let end = logs.moments[own].len();
            let from = if own != component || is_over { end } else { place.unwrap_or(end) };
            let is_it = |moment: &Moment| {
                moment.iter().any(|event| self.pool.action(event.action).without_peer() == action)
            };
            if own == component {
                let mut later = (from + 1..end.min(from + 1 + QUESTIONS))
                    .filter(|&at| is_it(&logs.moments[own][at]));
                if let Some(later) = later.next() {
                    found.push((own, Change::Swap(from, later)));
                    found.push((own, Change::Move(later, from)));
                    found.push((own, Change::Move(from, later)));
                }
            }
        }
        for &action in &expected {
            let own = asked.trace.partition().component_of(action.lifeline).index();
            let end = logs.moments[own].len();
            let at = if own != component || is_over { end } else { place.unwrap_or(end) };
            let at = deadline.map_or(at, |deadline| {
                let is_later = |moment: &Moment| {
                    moment
                        .iter()
                        .any(|event| Logs::time(facts, event).is_some_and(|time| time > deadline))
                };
                logs.moments[own].iter().position(is_later).unwrap_or(at)
            });
            let event = Event {
                action: self.pool.intern_action(action),
                origin: None,
                changed: key.iter().cloned().collect(),
            };
            found.push((own, Change::Insert(at, vec![event])));
        }
        if let Some(place) = place.filter(|_| !is_over) {
            let end = logs.moments[component].len();
            for other in place + 1..end.min(place + 1 + NEAR) {
                found.push((component, Change::Swap(place, other)));
            }
            for other in place.saturating_sub(NEAR)..place {
                found.push((component, Change::Swap(other, place)));
            }
            found.push((component, Change::Drop(place)));
        }
        for component in 0..logs.moments.len() {
            let observed = asked.question.of(ComponentId::new(component));
            let has_more = expected.iter().any(|action| {
                asked.trace.partition().component_of(action.lifeline).index() == component
            });
            if is_over
                && has_more
                && *asked.question != Question::GlobalPrefix
                && crate::explain::stops_early(observed) != observed
            {
                found.push((component, Change::StoppedEarly));
            }
        }
        found.truncate(QUESTIONS);
        found
    }
}

impl Logs {
    fn of(trace: &MultiTrace) -> Self {
        let moments = trace.partition().components().map(|component| {
            let mut step = 0;
            let moments = trace.moments(component).map(|moment| {
                let events = moment.iter().map(|own| {
                    let origin = Some(LogPlace { component, step });
                    step += 1;
                    Event { action: own.action(), origin, changed: Vec::new() }
                });
                events.collect()
            });
            moments.collect()
        });
        Logs { moments: moments.collect(), declared: None }
    }

    /// The number of all events.
    fn len(&self) -> u64 {
        self.moments.iter().flatten().map(|moment| moment.len() as u64).sum()
    }

    /// The moment of a step after the edits so far.
    fn moment_at(&self, place: LogPlace) -> Option<usize> {
        let mut end = 0;
        self.moments[place.component.index()].iter().position(|moment| {
            end += moment.len();
            place.step < end
        })
    }

    /// The event of a moment that is a step after the edits so far.
    fn event_in<'m>(&self, moment: &'m mut Moment, place: LogPlace) -> Option<&'m mut Event> {
        let at = self.moment_at(place)?;
        let before: usize = self.moments[place.component.index()][..at].iter().map(Vec::len).sum();
        moment.get_mut(place.step - before)
    }

    /// The time of an event after the edits so far.
    fn time(facts: &Facts, event: &Event) -> Option<i64> {
        let changed = event.changed.iter().find(|(field, _)| *field == Valued::TIME);
        match (changed, event.origin) {
            (Some((_, Value::Number(number))), _) => number.integer(),
            (_, Some(LogPlace { component, step })) => facts.time(component, step),
            (_, None) => None,
        }
    }

    /// The places and times that would satisfy a bound, as far as the neighbours in the logs allow.
    fn times<'a>(
        &'a self,
        facts: &'a Facts,
        at: LogPlace,
        time: Elapsed,
        is_late: bool,
    ) -> impl Iterator<Item = (LogPlace, i64)> + 'a {
        let Elapsed { elapsed, allowed, uncertainty, since } = time;
        let slack = uncertainty.unwrap_or(0);
        let wanted = if is_late { allowed.saturating_add(slack) } else { allowed - slack };
        // By how much the event must come later.
        let by = wanted.saturating_sub(elapsed);
        let both = [Some((at, by)), since.map(|since| (since, by.saturating_neg()))];
        both.into_iter().flatten().filter_map(move |(place, by)| {
            let index = self.moment_at(place)?;
            let log = &self.moments[place.component.index()];
            let mut moment = log[index].clone();
            let own = Logs::time(facts, self.event_in(&mut moment, place)?)?;
            let moved = own.checked_add(by)?;
            let known = |event: &Event| Logs::time(facts, event);
            let before = log[..index].iter().rev().flatten().find_map(known);
            let after = log[index + 1..].iter().flatten().find_map(known);
            let fits = before.is_none_or(|before| before <= moved)
                && after.is_none_or(|after| moved <= after);
            fits.then_some((place, moved))
        })
    }

    /// The multi-trace, and the values of its events.
    fn rebuilt(&self, original: &MultiTrace, facts: &Facts) -> (MultiTrace, Facts) {
        let mut starts = vec![0; self.moments.len()];
        let mut sum = 0;
        for component in original.partition().components() {
            starts[component.index()] = sum;
            sum += original.steps(component).len();
        }
        let partition = original.shared_partition().clone();
        let mut builder = Builder::new(partition, original.len() + 1, false).with_tags();
        let mut changed: Vec<(u32, &(FieldId, Value))> = Vec::new();
        let mut inserted: Vec<&Event> = Vec::new();
        for log in &self.moments {
            for moment in log {
                builder.next_moment();
                for event in moment {
                    let tag = match event.origin {
                        Some(LogPlace { component, step }) => {
                            let tag = starts[component.index()] + step;
                            let tag = u32::try_from(tag).unwrap_or(NEW);
                            changed.extend(event.changed.iter().map(|it| (tag, it)));
                            tag
                        }
                        None => {
                            inserted.push(event);
                            NEW
                        }
                    };
                    builder.push_tagged(event.action, 0, tag);
                }
            }
            builder.next_component();
        }
        let (trace, tags) = builder.finish_tagged(SourceId(0));
        let mut facts = facts.rearranged(&trace, &tags);
        let mut at = 0;
        let mut inserted = inserted.into_iter();
        for component in trace.partition().components() {
            for step in 0..trace.steps(component).len() {
                if tags[at] == NEW
                    && let Some(event) = inserted.next()
                {
                    for (field, value) in &event.changed {
                        facts.set(*field, component, step, value.clone());
                    }
                }
                for (_, (field, value)) in changed.iter().filter(|(tag, _)| *tag == tags[at]) {
                    facts.set(*field, component, step, value.clone());
                }
                at += 1;
            }
        }
        for component in trace.partition().components() {
            self.keep_times(&trace, &mut facts, component);
        }
        facts.find_breaks(&trace);
        (trace, facts)
    }

    /// Events that were logged in each other's place leave the times where they are, so that no clock goes backwards.
    fn keep_times(&self, trace: &MultiTrace, facts: &mut Facts, component: ComponentId) {
        let events = self.moments[component.index()].iter().flatten();
        let origins: Vec<LogPlace> = events.filter_map(|event| event.origin).collect();
        if origins.is_sorted() {
            return;
        }
        let steps = 0..trace.steps(component).len();
        let timed: Vec<(usize, i64)> =
            steps.filter_map(|step| Some((step, facts.time(component, step)?))).collect();
        let mut times: Vec<i64> = timed.iter().map(|&(_, time)| time).collect();
        times.sort_unstable();
        for ((step, _), time) in timed.into_iter().zip(times) {
            facts.set_time(component, step, time);
        }
    }

    /// A change of these logs as plain data, with the places of observed events.
    fn published(
        &self,
        facts: &Facts,
        component: usize,
        change: &Change<Moment>,
        pool: &otus_core::Pool,
    ) -> ValueEdit {
        let log = &self.moments[component];
        let origin = |at: usize| log.get(at)?.iter().find_map(|event| event.origin);
        let (at, change) = match change {
            Change::Drop(at) => (origin(*at), ValueChange::Drop),
            Change::Insert(at, moment) => {
                let event = &moment[0];
                let action = pool.action(event.action);
                let key = event.changed.first().cloned();
                (origin(*at), ValueChange::Insert(action, key))
            }
            Change::Swap(first, second) => (origin(*first), ValueChange::Swap(origin(*second))),
            Change::Move(from, to) => (origin(*from), ValueChange::Move(origin(*to))),
            Change::StoppedEarly => (None, ValueChange::StoppedEarly),
            Change::Replace(at, moment) => {
                let pairs = moment.iter().zip(&log[*at]);
                let (new, old) = pairs
                    .clone()
                    .find(|(new, old)| new != old)
                    .unwrap_or((&moment[0], &log[*at][0]));
                let of = |event: &Event, field: FieldId| {
                    let changed = event.changed.iter().find(|(own, _)| *own == field);
                    let logged = event.origin.and_then(|LogPlace { component, step }| {
                        facts.known(field, component, step)
                    });
                    changed.map(|(_, value)| value.clone()).or(logged)
                };
                let change = match new.changed.last() {
                    Some((Valued::TIME, _)) => {
                        let before = Logs::time(facts, old).unwrap_or(0);
                        let after = Logs::time(facts, new).unwrap_or(0);
                        ValueChange::Time(after.saturating_sub(before))
                    }
                    Some((field, to)) => {
                        let from = of(old, *field).unwrap_or_else(|| to.clone());
                        ValueChange::Value { field: *field, from, to: to.clone() }
                    }
                    None => ValueChange::Drop,
                };
                (new.origin, change)
            }
        };
        ValueEdit { component: ComponentId::new(component), at, change }
    }
}
