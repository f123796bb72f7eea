//! Fields that tell the sessions of runs apart.
//!
//! A field is a *key* if every event carries it and the events of each value are one session, the same for all values: the same
//! moments in the same order on each log, or this sequence several times, if a value is used again when its session is over.
//! Some run has at least two values.
//!
//! A field is *common* to both ends of a message if every event of the message carries it, and emissions and receptions
//! carry the same values equally often; again there are at least two values.
//!
//! Both are guesses from what was seen. A caller builds the interaction that they suggest and checks that it accepts all runs.

use std::collections::BTreeMap;

use otus_core::index::Index as _;
use otus_core::valued::FieldId;
use otus_core::{ActionId, Direction, MessageId, Pool, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{FactId, Facts};
use crate::multitrace::{ComponentId, MultiTrace};
use crate::transform::word::{self, Part, Word};

/// The most fields that are looked at.
const MOST: usize = 64;

/// A run with the values of its events.
#[derive(Debug, Clone, Copy)]
pub struct ValuedRun<'r> {
    /// The run.
    pub trace: &'r MultiTrace,
    /// The values; all runs have the same fields.
    pub facts: &'r Facts,
}

/// A field that tells sessions apart.
#[derive(Debug, Clone)]
pub struct Key {
    /// The field.
    pub field: FieldId,
    /// The observation of one session.
    pub session: MultiTrace,
    /// The number of values in all runs.
    pub values: usize,
    /// Whether a value is used again when its session is over.
    pub is_reused: bool,
}

/// By component: the actions of its moments.
type Shape = Vec<Vec<Box<[ActionId]>>>;

/// The keys of some runs, those with the most values first.
pub fn keys(runs: &[ValuedRun<'_>]) -> Vec<Key> {
    let fields = runs.first().map_or(0, |run| run.facts.field_count());
    let mut keys: Vec<Key> =
        (1..fields.min(MOST)).filter_map(|field| key(runs, FieldId::new(field))).collect();
    keys.sort_by_key(|key| (std::cmp::Reverse(key.values), key.field));
    keys
}

/// The moments of one value.
struct Session {
    /// By component: the indices of its moments.
    moments: Vec<Vec<usize>>,
}

fn key(runs: &[ValuedRun<'_>], field: FieldId) -> Option<Key> {
    let partition = runs.first()?.trace.partition();
    let mut shape: Option<Shape> = None;
    // How often the shape occurs in each session.
    let mut times: Vec<usize> = Vec::new();
    let mut is_apart = false;
    let mut first: Option<(usize, Session)> = None;
    for (number, run) in runs.iter().enumerate() {
        if run.trace.partition() != partition {
            return None;
        }
        let sessions = sessions(*run, field)?;
        is_apart |= sessions.len() > 1;
        for session in sessions {
            let whole = shape_of(run.trace, &session);
            let (root, count) = root(&whole);
            if *shape.get_or_insert_with(|| root.clone()) != root {
                return None;
            }
            times.push(count);
            first.get_or_insert((number, session));
        }
    }
    let (number, session) = first.filter(|_| is_apart)?;
    let most = times.iter().copied().max()?;
    // If all sessions repeat their moments equally often, the repetition belongs to the session.
    let is_reused = times.iter().any(|&count| count != most);
    let parts = if is_reused { times[0] } else { 1 };
    let trace = runs[number].trace;
    let (session, _) = word::rebuild(partition, trace.len(), false, |component, builder| {
        let bounds = Word::new(trace, component).bounds;
        let moments = &session.moments[component.index()];
        for &at in &moments[..moments.len() / parts] {
            let moment = Part::all(trace, component).part(bounds[at]..bounds[at + 1]);
            word::copy(builder, moment);
        }
    });
    Some(Key { field, session, values: times.len(), is_reused })
}

/// The sessions of a run, in the order of their first event; `None` if an event lacks the field, or a moment has two
/// values.
fn sessions(run: ValuedRun<'_>, field: FieldId) -> Option<Vec<Session>> {
    let count = run.trace.partition().len();
    let mut numbers: FxHashMap<FactId, usize> = FxHashMap::default();
    let mut sessions: Vec<Session> = Vec::new();
    for component in run.trace.partition().components() {
        let mut step = 0;
        for (index, moment) in run.trace.moments(component).enumerate() {
            let mut values =
                (step..step + moment.len()).map(|at| run.facts.value(field, component, at));
            let value = values.next()??;
            if values.any(|other| other != Some(value)) {
                return None;
            }
            let number = *numbers.entry(value).or_insert_with(|| {
                sessions.push(Session { moments: vec![Vec::new(); count] });
                sessions.len() - 1
            });
            sessions[number].moments[component.index()].push(index);
            step += moment.len();
        }
    }
    Some(sessions)
}

fn shape_of(trace: &MultiTrace, session: &Session) -> Shape {
    let components = session.moments.iter().enumerate();
    components
        .map(|(component, wanted)| {
            let mut wanted = wanted.iter().copied().peekable();
            let moments = trace.moments(ComponentId::new(component)).enumerate();
            moments
                .filter(|(index, _)| wanted.next_if_eq(index).is_some())
                .map(|(_, moment)| moment.iter().map(|step| step.action()).collect())
                .collect()
        })
        .collect()
}

/// The shortest shape of which this one is a power, and the power.
fn root(shape: &Shape) -> (Shape, usize) {
    let common = shape.iter().map(Vec::len).fold(0, gcd);
    let is_power = |count: &usize| {
        common.is_multiple_of(*count)
            && shape.iter().all(|word| {
                let length = word.len() / count;
                word.iter().skip(length).zip(word).all(|(later, earlier)| later == earlier)
            })
    };
    let count = (2..=common).rev().find(is_power).unwrap_or(1);
    (shape.iter().map(|word| word[..word.len() / count].to_vec()).collect(), count)
}

fn gcd(one: usize, other: usize) -> usize {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// How often the ends of a message carry a value.
#[derive(Debug, Default)]
struct Ends {
    /// Emissions minus receptions, by run and value.
    surplus: FxHashMap<(usize, Value), i64>,
    values: FxHashSet<Value>,
    is_received: bool,
    is_unknown: bool,
}

/// The fields that both ends of a message carry alike, by message.
pub fn common(runs: &[ValuedRun<'_>], pool: &Pool) -> Vec<(MessageId, FieldId)> {
    let fields = runs.first().map_or(0, |run| run.facts.field_count());
    let mut found = Vec::new();
    for field in (1..fields.min(MOST)).map(FieldId::new) {
        let mut messages: BTreeMap<MessageId, Ends> = BTreeMap::new();
        for (number, run) in runs.iter().enumerate() {
            for component in run.trace.partition().components() {
                for (step, action) in run.trace.steps(component).iter().enumerate() {
                    let action = pool.action(action.action());
                    let ends = messages.entry(action.message).or_default();
                    let Some(value) = run.facts.known(field, component, step) else {
                        ends.is_unknown = true;
                        continue;
                    };
                    let sign = match action.direction {
                        Direction::Emission => 1,
                        Direction::Reception => -1,
                    };
                    ends.is_received |= sign < 0;
                    ends.values.insert(value.clone());
                    *ends.surplus.entry((number, value)).or_default() += sign;
                }
            }
        }
        let is_common = |ends: &Ends| {
            ends.is_received
                && !ends.is_unknown
                && ends.values.len() > 1
                && ends.surplus.values().all(|&surplus| surplus == 0)
        };
        found.extend(messages.iter().filter(|(_, ends)| is_common(ends)).map(|(&m, _)| (m, field)));
    }
    found
}

#[cfg(test)]
mod tests {
    use otus_syntax::{Source, parse_trace, print};

    use super::*;
    use crate::{facts, lower_with_facts, raise, transform};

    fn found(texts: &[&str]) -> (Vec<String>, Vec<String>) {
        let trees: Vec<_> =
            texts.iter().map(|text| parse_trace(&Source::new("x.htf", *text)).tree).collect();
        let mut pool = Pool::new(transform::implied_signature(&trees));
        let fields = facts::all_fields(&trees);
        let read: Vec<_> =
            trees.iter().map(|tree| lower_with_facts(tree, &mut pool, &fields)).collect();
        let runs: Vec<ValuedRun<'_>> =
            read.iter().map(|(trace, facts, _)| ValuedRun { trace, facts }).collect();
        let shown = |key: &Key| {
            let session = print::trace_line(&raise(&key.session, &pool));
            let again = if key.is_reused { " again" } else { "" };
            format!("{} {}{again}: {session}", fields.items[key.field], key.values)
        };
        let keys = keys(&runs).iter().map(shown).collect();
        let name = |message| pool.signature().message_name(message);
        let common = common(&runs, &pool);
        let common = common.iter().map(|(m, f)| format!("{} {}", name(*m), fields.items[*f]));
        (keys, common.collect())
    }

    #[test]
    fn sessions_that_overlap_have_a_key() {
        let text = "{[a] a!m(i=1, k=5).a!m(i=2, k=5).a?n(i=2, k=5).a?n(i=1, k=5); \
                     [b] b?m(i=2, k=5).b!n(i=2, k=5).b?m(i=1, k=5).b!n(i=1, k=5)}";
        let (keys, common) = found(&[text]);
        assert_eq!(keys, ["i 2: {[a] a!m.a?n; [b] b?m.b!n}"]);
        assert_eq!(common, ["m i", "n i"]);
    }

    #[test]
    fn a_value_may_be_used_again() {
        let text = "{[a] a!m(i=1).a?n(i=1).a!m(i=2).a!m(i=1).a?n(i=1).a?n(i=2)}";
        assert_eq!(found(&[text]).0, ["i 2 again: {[#all] a!m.a?n}"]);
        // Two values each of which is used twice: that may as well be one session.
        let text = "{[a] a!m(i=1).a!m(i=1).a!m(i=2).a!m(i=2)}";
        assert_eq!(found(&[text]).0, ["i 2: {[#all] a!m.a!m}"]);
    }

    #[test]
    fn what_is_no_key() {
        for text in [
            "{[a] a!m(i=1).a!n(i=1).a!m(i=2)}",
            "{[a] a!m(i=1).a!n.a!m(i=2).a!n}",
            "{[a] a!m(i=1).a!n(i=1)}",
            "{[a] a!m(time=1).a!m(time=2)}",
            "{[a] a!m(i=1).a!m(i=2); [b] b?m(i=1).b?m(i=3)}",
            "{[a] a!m.a!m}",
        ] {
            assert_eq!(found(&[text]), (Vec::new(), Vec::new()), "{text}");
        }
    }
}
