//! The core of a failure by values: the sessions, logs and beginnings of logs that fail whatever the rest observed.
//!
//! *Sessions.* An explanation of parallel sessions explains each of them, so if the events of some keys fail, all of them
//! fail. The converse fails only for a deadline that a line of another session shows to have passed, and for cycles of
//! several sessions; then the events of all keys are kept.
//!
//! *Logs and beginnings.* As in [`crate::explain::Core`]: a log outside the core counts as unobserved, and one that is cut
//! may stop early.

use otus_core::Value;
use otus_core::index::Index as _;
use otus_core::valued::FieldId;
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::{ComponentId, Facts, MultiTrace};

use super::ValueEngine;
use super::failure::{LogPlace, ValueCause, ValueFailure};
use super::repair::{Asked, limited};
use crate::budget::Budget;
use crate::explain::stops_early;
use crate::question::{Observed, Question};
use crate::verdict::Verdict;

/// What suffices to fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueCore {
    /// The keys of the sessions; empty if all events are needed.
    pub keys: Vec<(FieldId, Value)>,
    /// The logs, with the number of their first moments that suffice, and that of all moments of these sessions.
    pub logs: Vec<(ComponentId, usize, usize)>,
}

/// The most events of all questions together, and the most logs that are left out one by one.
const WORK: usize = 4_000_000;
const LOGS: usize = 64;

struct Cores<'a> {
    engine: &'a mut ValueEngine,
    asked: Asked<'a>,
    budget: &'a Budget,
    work: usize,
}

impl ValueEngine {
    /// The core of a multi-trace that fails; `None` if it is too large to tell.
    pub fn core(
        &mut self,
        asked: Asked<'_>,
        failure: &ValueFailure,
        budget: &Budget,
    ) -> Option<ValueCore> {
        if asked.trace.len() > WORK / 8 {
            return None;
        }
        // A global prefix is a multi-prefix as well, so logs that are none of the second kind are none of the first.
        let is_global = *asked.question == Question::GlobalPrefix;
        let question = if is_global { &Question::MULTI_PREFIX } else { asked.question };
        let asked = Asked { question, ..asked };
        let keys = self.keys(asked, failure);
        let mut cores = Cores { engine: self, asked, budget, work: WORK };
        let own = cores.restricted(&keys);
        if !keys.is_empty() && cores.fails(&own, &cores.whole(&own))? {
            return Some(cores.shorten(keys, &own));
        }
        let all = (asked.trace.clone(), asked.facts.clone());
        if is_global && !cores.fails(&all, &cores.whole(&all))? {
            return None;
        }
        Some(cores.shorten(Vec::new(), &all))
    }

    /// The keys of the events that a failure is about.
    fn keys(&self, asked: Asked<'_>, failure: &ValueFailure) -> Vec<(FieldId, Value)> {
        let mut places: Vec<LogPlace> = failure.at.into_iter().collect();
        let mut keys: Vec<(FieldId, Value)> = failure.key.iter().cloned().collect();
        match &failure.cause {
            ValueCause::Cycle(links) => {
                places.extend(links.iter().flat_map(|link| [link.at, link.before]));
            }
            ValueCause::Missing { overdue: Some(overdue), .. } => places.push(overdue.end),
            ValueCause::WrongValue { .. }
            | ValueCause::TooLate(_)
            | ValueCause::TooEarly(_)
            | ValueCause::UsedAgain { .. }
            | ValueCause::NoSession { .. }
            | ValueCause::Unexpected
            | ValueCause::Missing { overdue: None, .. } => {}
        }
        for place in places {
            let Some(step) = asked.trace.steps(place.component).get(place.step) else { continue };
            let field = self.key_field(step.action());
            let key = field.and_then(|field| {
                Some((field, asked.facts.known(field, place.component, place.step)?))
            });
            keys.extend(key.filter(|key| !keys.contains(key)));
        }
        keys
    }

    /// The field of an action's key, if it belongs to a session.
    fn key_field(&self, action: otus_core::ActionId) -> Option<FieldId> {
        let action = self.pool.action(action).without_peer();
        self.keyed.as_ref().and_then(|keyed| keyed.key_of(action))
    }
}

type Restricted = (MultiTrace, Facts);

impl Cores<'_> {
    /// The events of these sessions, and those that belong to no session.
    fn restricted(&self, keys: &[(FieldId, Value)]) -> Restricted {
        let Asked { trace, facts, .. } = self.asked;
        let partition = trace.shared_partition().clone();
        let mut builder = Builder::new(partition, 0, false).with_tags();
        let mut number = 0;
        for component in trace.partition().components() {
            for (at, step) in trace.steps(component).iter().enumerate() {
                let is_kept = match self.engine.key_field(step.action()) {
                    Some(field) => {
                        let value = facts.known(field, component, at);
                        value.is_some_and(|value| keys.iter().any(|(_, key)| *key == value))
                    }
                    None => true,
                };
                if is_kept {
                    if !step.joined() {
                        builder.next_moment();
                    }
                    builder.push_tagged(step.action(), 0, number);
                }
                number += 1;
            }
            builder.next_component();
        }
        let (own, tags) = builder.finish_tagged(SourceId(0));
        let facts = facts.rearranged(&own, &tags);
        (own, facts)
    }

    /// Each log as it is declared, with all of its moments.
    fn whole(&self, (trace, _): &Restricted) -> Vec<(Observed, usize)> {
        let all = trace.partition().components();
        all.map(|it| (self.asked.question.of(it), trace.moments(it).count())).collect()
    }

    /// Whether the beginnings of these logs fail; `None` if unknown.
    fn fails(&mut self, (trace, facts): &Restricted, logs: &[(Observed, usize)]) -> Option<bool> {
        self.work = self.work.checked_sub(trace.len() + 1)?;
        self.budget.check_time().ok()?;
        let mut builder =
            Builder::new(trace.shared_partition().clone(), trace.len(), false).with_tags();
        let (mut number, mut declared) = (0, Vec::new());
        for (component, &(observed, length)) in trace.partition().components().zip(logs) {
            let is_cut = length < trace.moments(component).count();
            for (at, moment) in trace.moments(component).enumerate() {
                if at < length {
                    builder.next_moment();
                }
                for step in moment {
                    if at < length {
                        builder.push_tagged(step.action(), 0, number);
                    }
                    number += 1;
                }
            }
            builder.next_component();
            declared.push(if is_cut { stops_early(observed) } else { observed });
        }
        let (cut, tags) = builder.finish_tagged(SourceId(0));
        let facts = facts.rearranged(&cut, &tags);
        let question = Question::Each(declared.into());
        let limited = limited(&cut, self.budget);
        let found = self.engine.analyze(&cut, &facts, self.asked.clocks, &question, &limited);
        match found.verdict {
            Verdict::Fail => Some(true),
            Verdict::Pass | Verdict::WeakPass => Some(false),
            Verdict::WeakFail | Verdict::Inconclusive => None,
        }
    }

    /// Leaves out logs one by one, and cuts the others as short as possible.
    fn shorten(mut self, keys: Vec<(FieldId, Value)>, own: &Restricted) -> ValueCore {
        let mut logs = self.whole(own);
        let totals = logs.clone();
        if logs.len() <= LOGS {
            for at in (0..logs.len()).rev() {
                let before = std::mem::replace(&mut logs[at], (Observed::Unobserved, 0));
                if before.0 != Observed::Unobserved && self.fails(own, &logs) != Some(true) {
                    logs[at] = before;
                }
            }
        }
        for at in 0..logs.len() {
            if logs[at].0 == Observed::Unobserved {
                continue;
            }
            // `low`: no shorter beginning is known to fail; `high`: this one fails.
            let (mut low, mut high) = (0, logs[at].1);
            while low < high {
                let middle = usize::midpoint(low, high);
                let before = std::mem::replace(&mut logs[at].1, middle);
                match self.fails(own, &logs) {
                    Some(true) => high = middle,
                    Some(false) => low = middle + 1,
                    None => low = high,
                }
                logs[at].1 = before;
            }
            logs[at].1 = high;
        }
        let kept = logs.iter().zip(&totals).enumerate();
        let kept = kept.filter(|(_, ((observed, _), _))| *observed != Observed::Unobserved);
        let logs =
            kept.map(|(at, (&(_, length), &(_, total)))| (ComponentId::new(at), length, total));
        ValueCore { keys, logs: logs.collect() }
    }
}
