//! The explanation of a multi-trace that is explained without its values, but not with them.

use otus_analysis::explain;
use otus_analysis::values::{LogPlace as Event, ValueCause, ValueFailure};
use otus_core::Action;
use otus_core::index::Index as _;
use otus_core::valued::{FieldId, Valued};
use otus_syntax::ast::guard::Relation;
use otus_trace::Step;

use super::{Explain, Wording, notes};
use crate::analysis::values;
use crate::explanation::{Explanation, LogPlace, LogProgress, Situation};
use crate::value::FieldValue;

/// A cause, the sentence about it, and the other events that it is about, with their roles.
struct Told {
    cause: &'static str,
    cause_name: &'static str,
    headline: String,
    related: Vec<(Event, &'static str)>,
}

impl Wording<'_> {
    pub(super) fn by_value(
        &self,
        failure: Option<&ValueFailure>,
        furthest: &[u32],
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
        let told = match failure {
            Some(failure) => self.told(valued, failure, at),
            None => self.plain(valued, at, is_over),
        };
        let related = told.related.iter().filter(|(event, _)| *event != at);
        let related = related.filter_map(|&(event, role)| self.event_place(event, role));
        let mut told = Explanation {
            cause: told.cause,
            cause_name: told.cause_name,
            headline: told.headline,
            expected: Vec::new(),
            observed: self.event_place(at, if is_over { "the log ends after" } else { "observed" }),
            related: related.collect(),
            furthest: vec![self.reached(furthest)],
            alone: Vec::new(),
            repair: None,
            core: None,
            gave_up: None,
            notes: Vec::new(),
        };
        told.notes = notes(&told, Explain::Short);
        Some(told)
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
        Told { cause: "wrong-value", cause_name: "wrong value", headline, related: Vec::new() }
    }

    fn told(&self, valued: &Valued, failure: &ValueFailure, at: Event) -> Told {
        let happened = self.happened(at);
        let name = |field: FieldId| valued.field_name(field);
        let pair = |field: FieldId, value: &otus_core::Value| {
            format!("{} {}", name(field), FieldValue::of(field, value))
        };
        let since = |since: Option<Event>, role| since.map(|it| (it, role)).into_iter().collect();
        let after = |since: Option<Event>| {
            since.map_or_else(|| "its start".to_owned(), |since| self.message(since))
        };
        let expected = self.actions(&failure.expected);
        match &failure.cause {
            ValueCause::WrongValue { field, found, relation, wanted, pattern, since: first } => {
                let wanted: Vec<String> =
                    wanted.iter().map(|it| FieldValue::of(*field, it).to_string()).collect();
                let asked = match (pattern, wanted.as_slice()) {
                    (Some(pattern), _) => format!("a text like {pattern:?}"),
                    (None, [one]) if *relation == Relation::Equal => one.clone(),
                    (None, [one]) => format!("{} {} {one}", name(*field), relation.symbol()),
                    (None, _) => format!("one of {}", wanted.join(", ")),
                };
                let headline = format!(
                    "{happened}: it carries {}, but {asked} was asked for",
                    pair(*field, found)
                );
                let related = since(*first, "where that value comes from");
                Told { cause: "wrong-value", cause_name: "wrong value", headline, related }
            }
            ValueCause::TooLate { elapsed, allowed, since: first } => Told {
                cause: "overdue",
                cause_name: "overdue",
                headline: format!(
                    "{happened} {} after {}, at most {} are allowed",
                    duration(*elapsed),
                    after(*first),
                    duration(*allowed)
                ),
                related: since(*first, "since"),
            },
            ValueCause::TooEarly { elapsed, allowed, since: first } => Told {
                cause: "too-soon",
                cause_name: "too soon",
                headline: format!(
                    "{happened} {} after {}, at least {} are asked for",
                    duration(*elapsed),
                    after(*first),
                    duration(*allowed)
                ),
                related: since(*first, "since"),
            },
            ValueCause::UsedAgain { field, value, since: first } => {
                let pair = pair(*field, value);
                let rest = match expected.as_str() {
                    "" => format!("{pair} must not be used twice"),
                    expected => {
                        format!("what was begun with {pair} is not over, {expected} is missing")
                    }
                };
                Told {
                    cause: "used-again",
                    cause_name: "used again",
                    headline: format!("{happened} with {pair} again: {rest}"),
                    related: since(*first, "used first"),
                }
            }
            ValueCause::NoSession { field, value } => {
                let pair = pair(*field, value);
                Told {
                    cause: "unknown-session",
                    cause_name: "unknown session",
                    headline: format!("{happened} with {pair}, but nothing with {pair} was begun"),
                    related: Vec::new(),
                }
            }
            ValueCause::Unexpected { key } => {
                let key =
                    key.as_ref().map(|(field, value)| format!(" with {}", pair(*field, value)));
                let instead = match expected.as_str() {
                    "" => "nothing was to come there".to_owned(),
                    expected => format!("{expected} was to come"),
                };
                Told {
                    cause: "unexpected-message",
                    cause_name: "unexpected message",
                    headline: format!("{happened}{}, but {instead}", key.unwrap_or_default()),
                    related: Vec::new(),
                }
            }
            ValueCause::Cycle(places) => {
                let all: Vec<String> = places.iter().map(|&it| self.happened(it)).collect();
                Told {
                    cause: "cycle",
                    cause_name: "cycle",
                    headline: format!(
                        "each of these waits for another one, so no order of them is possible: {}",
                        all.join("; ")
                    ),
                    related: places.iter().map(|&it| (it, "waits, too")).collect(),
                }
            }
            ValueCause::Missing { key, since: first, overdue } => {
                let whose =
                    key.as_ref().map(|(field, value)| format!(" of {}", pair(*field, value)));
                let what = match expected.as_str() {
                    "" => "the rest".to_owned(),
                    expected => expected.to_owned(),
                };
                let whose = whose.unwrap_or_default();
                let (cause, cause_name, why) = match overdue {
                    Some((elapsed, allowed)) => (
                        "overdue",
                        "overdue",
                        format!(
                            "at most {} are allowed, and {} were over when the log ended",
                            duration(*allowed),
                            duration(*elapsed)
                        ),
                    ),
                    None => ("stopped-early", "stopped early", "the logs end before it".to_owned()),
                };
                Told {
                    cause,
                    cause_name,
                    headline: format!("{what}{whose} is missing: {why}"),
                    related: since(*first, "since"),
                }
            }
        }
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

    /// Some actions, joined by `or`, each once.
    fn actions(&self, actions: &[Action]) -> String {
        let mut texts: Vec<String> =
            actions.iter().map(|action| action.text(self.pool.signature())).collect();
        texts.dedup();
        let more = texts.len().saturating_sub(3);
        texts.truncate(3);
        let text = texts.join(" or ");
        if more > 0 { format!("{text} or {more} more") } else { text }
    }

    fn event_place(&self, event: Event, role: &'static str) -> Option<LogPlace> {
        self.log_place(event.component, self.moment_of(event.component, event.step), role)
    }

    /// How far the logs could be explained.
    fn reached(&self, furthest: &[u32]) -> Situation {
        let moments = |steps: &[Step]| steps.iter().filter(|step| !step.joined()).count();
        let logs = self.trace.partition().components().zip(furthest);
        let logs = logs.map(|(component, &reached)| {
            let steps = self.trace.steps(component);
            let next = steps.get(reached as usize).map(|step| self.moment(&[step.action()]));
            LogProgress {
                lifelines: self.lifelines(component),
                consumed: moments(&steps[..(reached as usize).min(steps.len())]),
                total: moments(steps),
                expected: Vec::new(),
                next,
            }
        });
        Situation { logs: logs.collect(), choices: Vec::new() }
    }
}

/// A number of nanoseconds in the largest unit of which it has one: `3.1 s`, `40 ms`.
fn duration(nanoseconds: i64) -> String {
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
