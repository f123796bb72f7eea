//! The explanation of a multi-trace that is explained without its values, but not with them.

use std::fmt::Write as _;

use otus_analysis::values::{
    Elapsed, ExpectedLeaf, LogPlace as Event, ValueCause, ValueChange, ValueCore, ValueEdit,
    ValueEngine, ValueFailure, ValueRepair,
};
use otus_analysis::{Question, explain};
use otus_core::budget::Budget;
use otus_core::index::Index as _;
use otus_core::valued::{FieldId, Valued};
use otus_syntax::ast::guard::Relation;
use otus_trace::Step;

use super::{Explain, Wording, notes};
use crate::analysis::places::Places;
use crate::analysis::spec_text::Excerpt;
use crate::analysis::values;
use crate::case::Place;
use crate::explanation::{
    Core, CoreLog, Edit, Explanation, LogPlace, LogProgress, Repair, Situation, SpecPlace,
    ValueFault,
};
use crate::value::FieldValue;

/// A cause, the sentence about it, and the other events that it is about, with their roles.
struct Told {
    cause: &'static str,
    cause_name: &'static str,
    headline: String,
    related: Vec<(Event, &'static str)>,
    fault: ValueFault,
}

impl Told {
    fn new(cause: &'static str, cause_name: &'static str, headline: String) -> Self {
        let (related, fault) = (Vec::new(), ValueFault::default());
        Told { cause, cause_name, headline, related, fault }
    }

    fn since(mut self, event: Option<Event>, role: &'static str) -> Self {
        self.related.extend(event.map(|event| (event, role)));
        self
    }
}

/// What repairs and cores are asked with.
pub(super) struct Asked<'a> {
    pub(super) question: &'a Question,
    pub(super) budget: &'a Budget,
    pub(super) effort: Explain,
}

/// Whether a failure is about a value or a session. Otherwise names and order say as much.
pub(super) fn is_telling(failure: &ValueFailure) -> bool {
    match &failure.cause {
        ValueCause::Unexpected => failure.key.is_some(),
        ValueCause::Missing { overdue, .. } => failure.key.is_some() || overdue.is_some(),
        ValueCause::Cycle(_)
        | ValueCause::WrongValue { .. }
        | ValueCause::TooLate(_)
        | ValueCause::TooEarly(_)
        | ValueCause::UsedAgain { .. }
        | ValueCause::NoSession { .. } => true,
    }
}

impl Wording<'_> {
    pub(super) fn by_value(
        &self,
        failure: Option<&ValueFailure>,
        furthest: &[u32],
        asked: &Asked<'_>,
    ) -> Option<Explanation> {
        let valued = self.plan.spec.valued.as_deref()?;
        let at = match failure.and_then(|failure| failure.at) {
            Some(at) => at,
            None => {
                let (component, step) = values::stuck(valued, self.pool, self.trace, furthest)?;
                Event { component, step }
            }
        };
        let explained = furthest.get(at.component.index()).copied().unwrap_or_default() as usize;
        let is_over = explained > at.step;
        let mut told = match failure {
            Some(failure) => self.told(valued, failure, at),
            None => self.plain(valued, at, is_over),
        };
        if let Some((field, value)) = failure.and_then(|failure| failure.key.as_ref()) {
            let value = FieldValue::of(*field, value);
            told.fault.key = [(valued.field_name(*field).to_owned(), value)].into();
        }
        let first = told.related.first().map(|&(event, _)| event);
        let fault_since = first.and_then(|event| self.event_place(event, "")).map(|it| it.place);
        told.fault.since = fault_since;
        let related = told.related.iter().filter(|(event, _)| *event != at);
        let related = related.filter_map(|&(event, role)| self.event_place(event, role));
        let expected = failure.map(|failure| self.leaves(valued, failure)).unwrap_or_default();
        let role = match failure.map(|failure| &failure.cause) {
            _ if is_over => "the last event of it",
            Some(ValueCause::Cycle(_)) => "waits for another log",
            Some(
                ValueCause::UsedAgain { .. }
                | ValueCause::Unexpected
                | ValueCause::NoSession { .. }
                | ValueCause::Missing { .. },
            ) => "observed instead",
            Some(
                ValueCause::WrongValue { .. } | ValueCause::TooLate(_) | ValueCause::TooEarly(_),
            )
            | None => "observed",
        };
        let mut explanation = Explanation {
            cause: told.cause,
            cause_name: told.cause_name,
            headline: told.headline,
            expected,
            observed: self.event_place(at, role),
            value: failure.map(|_| told.fault),
            related: related.collect(),
            furthest: vec![self.reached(furthest, failure)],
            alone: Vec::new(),
            repair: None,
            core: None,
            gave_up: None,
            notes: Vec::new(),
            restored: None,
        };
        if let Some((failure, facts)) = failure.zip(self.facts) {
            let partition = self.trace.partition();
            let term = self.plan.spec.term_for(self.pool, self.trace);
            let mut engine = ValueEngine::new(self.pool, term, valued, partition);
            let clocks = self.plan.clocks;
            let own = values::About { trace: self.trace, facts, clocks, question: asked.question };
            let repair = engine.repair(own, failure, asked.budget);
            explanation.repair = repair.map(|found| self.value_repair(valued, &found));
            let core = engine.core(own, failure, asked.budget);
            explanation.core = core.map(|core| self.value_core(valued, &core));
        }
        explanation.notes = notes(&explanation, asked.effort);
        Some(explanation)
    }

    /// The places of the specification that allowed something else, each once.
    fn leaves(&self, valued: &Valued, failure: &ValueFailure) -> Vec<SpecPlace> {
        let mut places: Vec<SpecPlace> = Vec::new();
        for expected in &failure.expected {
            let Some(&span) = valued.spans.get(expected.leaf) else { continue };
            let Some(found) = self.plan.spec.text.excerpt_at(span) else { continue };
            let Excerpt { place, text, span } = found;
            let action =
                expected.action.text(self.pool.signature()) + &Self::asked(valued, failure);
            match places.iter_mut().find(|known| known.place == place) {
                Some(known) if known.action != action => {
                    known.action = format!("{} or {action}", known.action);
                }
                Some(_) => {}
                None => places.push(SpecPlace { place, action, text, span }),
            }
        }
        places.truncate(3);
        places
    }

    /// What the guard of an expected event asks for: ` with mid 9`, ` within 2 s`.
    fn asked(valued: &Valued, failure: &ValueFailure) -> String {
        match &failure.cause {
            ValueCause::WrongValue { field, wanted, relation, .. } => match wanted.as_slice() {
                [wanted] => {
                    let relation = match relation {
                        Relation::Equal => String::new(),
                        Relation::NotEqual
                        | Relation::Less
                        | Relation::LessEqual
                        | Relation::Greater
                        | Relation::GreaterEqual => format!("{} ", relation.symbol()),
                    };
                    let wanted = FieldValue::of(*field, wanted);
                    format!(" with {} {relation}{wanted}", valued.field_name(*field))
                }
                _ => String::new(),
            },
            ValueCause::TooLate(time) => format!(" within {}", duration(time.allowed)),
            ValueCause::TooEarly(time) => format!(" after at least {}", duration(time.allowed)),
            ValueCause::UsedAgain { .. }
            | ValueCause::NoSession { .. }
            | ValueCause::Unexpected
            | ValueCause::Cycle(_)
            | ValueCause::Missing { .. } => String::new(),
        }
    }

    fn value_repair(&self, valued: &Valued, found: &ValueRepair) -> Repair {
        let edits = found.edits.iter().map(|edit| {
            let place = edit.at.and_then(|at| self.event_place(at, "")).map(|log| log.place);
            let mut text = self.edit_text(valued, edit, place.as_ref());
            let is_told = matches!(edit.change, ValueChange::Value { .. } | ValueChange::Time(_));
            if let Some(place) = place.as_ref().filter(|_| !is_told) {
                let _ = write!(text, " at {}", place.in_line());
            }
            Edit { place, text }
        });
        let is_smallest = found.edits.len() == 1;
        let edits = edits.collect();
        // The engine itself has confirmed it; there is no independent checker for values yet.
        Repair { edits, at_least: 1, is_smallest, is_certified: false, gave_up: None }
    }

    fn edit_text(&self, valued: &Valued, edit: &ValueEdit, place: Option<&Place>) -> String {
        let show = |at: Option<Event>| match at {
            Some(at) => self.action_at(at),
            None => "the end of the log".to_owned(),
        };
        let own = show(edit.at);
        // A line of a raw log is one event; other texts have several in a line.
        let is_line = matches!(self.places, Places::Raw { .. });
        let line = match place.map(Place::in_line) {
            Some(line) if is_line => line,
            Some(line) => format!("{own} at {line}"),
            None => own.clone(),
        };
        match &edit.change {
            ValueChange::Value { field, from, to } => format!(
                "would pass if {line} carried {} {} instead of {}",
                valued.field_name(*field),
                FieldValue::of(*field, to),
                FieldValue::of(*field, from)
            ),
            ValueChange::Time(by) => {
                let word = if *by < 0 { "earlier" } else { "later" };
                format!("would pass if {line} came {} {word}", duration(by.saturating_abs()))
            }
            ValueChange::Drop => format!("drop {own}"),
            ValueChange::Insert(action, key) => {
                let action = action.text(self.pool.signature());
                let key = key.as_ref().map(|(field, value)| {
                    let value = FieldValue::of(*field, value);
                    format!(" with {} {value}", valued.field_name(*field))
                });
                let key = key.unwrap_or_default();
                match edit.at {
                    Some(_) => format!("insert {action}{key} before {own}"),
                    None => format!("insert {action}{key} at the end"),
                }
            }
            ValueChange::Swap(other) => format!("swap {own} and {}", show(*other)),
            ValueChange::Move(other) => {
                let is_back = other.zip(edit.at).is_some_and(|(other, own)| other.step < own.step);
                let word = if is_back { "before" } else { "after" };
                format!("move {own} {word} {}", show(*other))
            }
            ValueChange::StoppedEarly => {
                let names = self.lifelines(edit.component).join(" and ");
                format!("take it that the log of {names} stopped early")
            }
        }
    }

    fn value_core(&self, valued: &Valued, core: &ValueCore) -> Core {
        let keys = core.keys.iter().map(|(field, value)| {
            format!("{} {}", valued.field_name(*field), FieldValue::of(*field, value))
        });
        let logs = core.logs.iter().map(|&(component, prefix, total)| CoreLog {
            lifelines: self.lifelines(component),
            prefix,
            total,
        });
        let is_smallest = core.logs.len() == 1;
        Core { keys: keys.collect(), logs: logs.collect(), is_smallest, is_certified: false }
    }

    /// What is said without a known cause.
    fn plain(&self, valued: &Valued, at: Event, is_over: bool) -> Told {
        let happened = self.happened(at);
        let carried = self.facts.map(|facts| values::known(valued, facts, at.component, at.step));
        let carried: Vec<String> = carried
            .unwrap_or_default()
            .iter()
            .map(|(field, value)| format!("{field} {value}"))
            .collect();
        let headline = if is_over {
            format!("the logs end after {happened}, and no execution can go on with these values")
        } else if carried.is_empty() {
            format!("{happened}, which no execution allows with these values")
        } else {
            format!(
                "{happened} with {}, which no execution allows with these values",
                carried.join(", ")
            )
        };
        Told::new("wrong-value", "wrong value", headline)
    }

    fn told(&self, valued: &Valued, failure: &ValueFailure, at: Event) -> Told {
        let happened = self.happened(at);
        let name = |field: FieldId| valued.field_name(field);
        let pair = |field: FieldId, value: &otus_core::Value| {
            format!("{} {}", name(field), FieldValue::of(field, value))
        };
        let key = failure.key.as_ref().map(|(field, value)| pair(*field, value));
        match &failure.cause {
            ValueCause::WrongValue { field, found, relation, wanted, pattern, since } => {
                let all: Vec<FieldValue> =
                    wanted.iter().map(|it| FieldValue::of(*field, it)).collect();
                let texts: Vec<String> = all.iter().map(ToString::to_string).collect();
                let asked = match (pattern, texts.as_slice()) {
                    (Some(pattern), _) => format!("a text like {pattern:?}"),
                    (None, [one]) if *relation == Relation::Equal => one.clone(),
                    (None, [one]) => format!("{} {} {one}", name(*field), relation.symbol()),
                    (None, _) => format!("one of {}", texts.join(", ")),
                };
                let carries = pair(*field, found);
                let headline =
                    format!("{happened}: it carries {carries}, but {asked} was asked for");
                let mut told = Told::new("wrong-value", "wrong value", headline)
                    .since(*since, "where that value comes from");
                told.fault.field = Some(name(*field).to_owned());
                told.fault.found = Some(FieldValue::of(*field, found));
                told.fault.relation = Some(match (pattern, all.len()) {
                    (Some(_), _) => "~",
                    (None, 0 | 1) => relation.symbol(),
                    (None, _) => "in",
                });
                told.fault.wanted = match pattern {
                    Some(pattern) => vec![FieldValue::from(&**pattern)],
                    None => all,
                };
                told
            }
            ValueCause::TooLate(time) | ValueCause::TooEarly(time) => {
                let is_late = matches!(failure.cause, ValueCause::TooLate(_));
                let (cause, name) =
                    if is_late { ("overdue", "overdue") } else { ("too-soon", "too soon") };
                let headline = self.bound_text(&happened, *time, is_late);
                let mut told = Told::new(cause, name, headline).since(time.since, "since");
                durations(&mut told.fault, *time);
                told
            }
            ValueCause::UsedAgain { field, value, since } => {
                let pair = pair(*field, value);
                let rest = match self.missing(&failure.expected) {
                    Some(missing) => {
                        format!("what was begun with {pair} is not over, {missing} is missing")
                    }
                    None => format!("{pair} must not be used twice"),
                };
                let headline = format!("{happened} with {pair} again: {rest}");
                Told::new("used-again", "used again", headline).since(*since, "used first")
            }
            ValueCause::NoSession { field, value, open, open_count } => {
                let pair = pair(*field, value);
                let mut headline =
                    format!("{happened} with {pair}, but nothing with {pair} was begun");
                if !open.is_empty() {
                    let some: Vec<String> =
                        open.iter().map(|it| FieldValue::of(*field, it).to_string()).collect();
                    let more = open_count - open.len();
                    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                    let name = name(*field);
                    headline = format!("{headline}; it would fit {name} {}{more}", some.join(", "));
                }
                let mut told = Told::new("unknown-session", "unknown session", headline);
                told.fault.field = Some(name(*field).to_owned());
                told.fault.found = Some(FieldValue::of(*field, value));
                told.fault.wanted = open.iter().map(|it| FieldValue::of(*field, it)).collect();
                told
            }
            ValueCause::Unexpected => {
                let key = key.map(|key| format!(" with {key}")).unwrap_or_default();
                let instead = match self.missing(&failure.expected) {
                    None => "nothing was to come there".to_owned(),
                    Some(expected) => format!("{expected} was to come"),
                };
                let headline = format!("{happened}{key}, but {instead}");
                Told::new("unexpected-message", "unexpected message", headline)
            }
            ValueCause::Cycle(links) => {
                let all: Vec<String> = links
                    .iter()
                    .map(|link| {
                        let (first, then) = (self.carrying(valued, link.at), link.before);
                        format!("{first} before {}", self.carrying(valued, then))
                    })
                    .collect();
                let headline =
                    format!("{}: no order of these events is possible", all.join(", but "));
                let mut told = Told::new("cycle", "cycle", headline);
                for link in links {
                    told = told.since(Some(link.at), "waits for another log");
                    told = told.since(Some(link.before), "another log waits for this");
                }
                told
            }
            ValueCause::Missing { since, overdue } => {
                let what = self.missing(&failure.expected);
                let what = what.unwrap_or_else(|| "the rest".to_owned());
                let whose = match &key {
                    Some(key) => format!("{key} never got its {what}"),
                    None => format!("{what} is missing"),
                };
                let Some(overdue) = overdue else {
                    let headline = format!("{whose}: the logs end before it");
                    return Told::new("stopped-early", "stopped early", headline)
                        .since(*since, "since");
                };
                let end = self.event_place(overdue.end, "").map_or_else(
                    || format!("the log of {}", self.lifelines(overdue.end.component).join("+")),
                    |log| log.place.file,
                );
                let time = overdue.time;
                let clocks = time.uncertainty.map(|by| format!(" ± {}", duration(by)));
                let headline = format!(
                    "{whose}: {} were over when {end} ended, {}{} after {}",
                    duration(time.allowed),
                    duration(time.elapsed),
                    clocks.unwrap_or_default(),
                    self.after(time.since)
                );
                let mut told = Told::new("overdue", "overdue", headline)
                    .since(time.since, "since")
                    .since(Some(overdue.end), "the log ends after");
                durations(&mut told.fault, time);
                told
            }
        }
    }

    /// `client received PUBCOMP 3.1 s after PUBLISH, at most 2 s are allowed`; across clocks, with their uncertainty.
    fn bound_text(&self, happened: &str, time: Elapsed, is_late: bool) -> String {
        let Elapsed { elapsed, allowed, uncertainty, since } = time;
        let word = if elapsed < 0 { "before" } else { "after" };
        let clocks = uncertainty.map(|by| format!(" ± {}", duration(by))).unwrap_or_default();
        let between = format!(
            "{happened} {}{clocks} {word} {}",
            duration(elapsed.saturating_abs()),
            self.after(since)
        );
        let by = if uncertainty.is_some() { " by the clocks of both" } else { "" };
        match (is_late, elapsed < 0, allowed) {
            (false, true, ..=0) => format!("{between}: too early{by}"),
            (true, ..) => format!("{between}{by}, at most {} are allowed", duration(allowed)),
            (false, ..) => format!("{between}{by}, at least {} are asked for", duration(allowed)),
        }
    }

    fn after(&self, since: Option<Event>) -> String {
        since.map_or_else(|| "its start".to_owned(), |since| self.message(since))
    }

    /// The messages that were expected, as an actor sees them: `PUBCOMP`, or `PUBREC or PUBREL`.
    fn missing(&self, expected: &[ExpectedLeaf]) -> Option<String> {
        let signature = self.pool.signature();
        let mut names: Vec<&str> = Vec::new();
        for expected in expected {
            let name = signature.message_name(expected.action.message);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let more = names.len().saturating_sub(3);
        names.truncate(3);
        let text = names.join(" or ");
        match more {
            _ if names.is_empty() => None,
            0 => Some(text),
            more => Some(format!("{text} or {more} more")),
        }
    }

    /// `client received PUBREC with mid 1`
    fn carrying(&self, valued: &Valued, at: Event) -> String {
        let happened = self.happened(at);
        let values = self.facts.map(|facts| values::known(valued, facts, at.component, at.step));
        let values = values.unwrap_or_default();
        let values = values.iter().filter(|(field, _)| field != "time").take(2);
        let values: Vec<String> = values.map(|(field, value)| format!("{field} {value}")).collect();
        if values.is_empty() { happened } else { format!("{happened} with {}", values.join(", ")) }
    }

    /// The action of an event: `client?PUBREC`.
    fn action_at(&self, event: Event) -> String {
        let step = self.trace.steps(event.component).get(event.step);
        step.map(|step| self.moment(&[step.action()])).unwrap_or_default()
    }

    /// `client received PUBCOMP`
    fn happened(&self, event: Event) -> String {
        let step = self.trace.steps(event.component).get(event.step);
        let actions: Vec<_> = step.iter().map(|step| step.action()).collect();
        explain::in_the_past(self.pool, &actions)
    }

    /// The message of an event.
    fn message(&self, event: Event) -> String {
        let step = self.trace.steps(event.component).get(event.step);
        let message = step.map(|step| self.pool.action(step.action()).message);
        message.map(|it| self.pool.signature().message_name(it).to_owned()).unwrap_or_default()
    }

    fn event_place(&self, event: Event, role: &'static str) -> Option<LogPlace> {
        self.log_place(event.component, self.moment_of(event.component, event.step), role)
    }

    /// How far the logs could be explained.
    fn reached(&self, furthest: &[u32], failure: Option<&ValueFailure>) -> Situation {
        let moments = |steps: &[Step]| steps.iter().filter(|step| !step.joined()).count();
        let logs = self.trace.partition().components().zip(furthest);
        let logs = logs.map(|(component, &reached)| {
            let steps = self.trace.steps(component);
            let next = steps.get(reached as usize).map(|step| self.moment(&[step.action()]));
            let stuck = failure.iter().flat_map(|failure| &failure.frontier);
            let stuck = stuck.filter(|(own, _)| *own == component);
            let mut expected: Vec<String> = stuck
                .flat_map(|(_, actions)| actions)
                .map(|action| action.text(self.pool.signature()))
                .collect();
            expected.dedup();
            LogProgress {
                lifelines: self.lifelines(component),
                consumed: moments(&steps[..(reached as usize).min(steps.len())]),
                total: moments(steps),
                expected,
                next,
            }
        });
        Situation { logs: logs.collect(), choices: Vec::new() }
    }
}

/// The durations of a fault, in seconds.
fn durations(fault: &mut ValueFault, time: Elapsed) {
    let seconds = |time: i64| FieldValue::of(Valued::TIME, &otus_core::Value::integer(time));
    fault.elapsed = Some(seconds(time.elapsed));
    fault.allowed = Some(seconds(time.allowed));
    fault.uncertainty = time.uncertainty.map(seconds);
}

/// A number of nanoseconds in the largest unit of which it has one: `3.1 s`, `40 ms`.
pub(crate) fn duration(nanoseconds: i64) -> String {
    let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1000)];
    let size = nanoseconds.unsigned_abs();
    let Some((unit, length)) = units.into_iter().find(|(_, length)| size >= *length) else {
        return format!("{nanoseconds} ns");
    };
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let (whole, rest) = (size / length, size % length * 1000 / length);
    let decimals = format!("{rest:03}");
    let decimals = decimals.trim_end_matches('0');
    let dot = if decimals.is_empty() { "" } else { "." };
    format!("{sign}{whole}{dot}{decimals} {unit}")
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn durations_have_the_largest_unit() {
        for (nanoseconds, text) in [
            (3_100_000_000, "3.1 s"),
            (2_000_000_000, "2 s"),
            (-40_000_000, "-40 ms"),
            (1_500, "1.5 µs"),
            (999, "999 ns"),
            (0, "0 ns"),
        ] {
            assert_eq!(duration(nanoseconds), text);
        }
    }
}
