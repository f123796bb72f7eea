//! Analyses of specifications with values: which fields are kept, what is asked, and what a failure says.
//!
//! The engine of `otus_analysis::values` decides about names, order on each log, and values. The order that was
//! observed *between* logs (ids, spans, vector clocks) is a second question, to the engine of the interaction without its
//! values. The verdict is the lower of both answers. This is sound for Fail: an explanation with values in that order
//! would be one without values in that order, and one with values. It is not complete: a multi-trace that only values
//! and order *together* refute is not a Fail.

use std::collections::BTreeMap;

use otus_analysis::engine::Outcome;
use otus_analysis::values::{ValueEngine, ValueFailure};
use otus_analysis::{Engine, Observed, Question, Verdict};
use otus_core::index::Index as _;
use otus_core::valued::{FieldId, Valued, ValuedNode};
use otus_core::{Action, LifelineId, Pool, Signature};
use otus_trace::mapping::{Observation, Plan};
use otus_trace::{ComponentId, Facts, MultiTrace, Step};
use rustc_hash::FxHashMap;

use super::verdict::Subject;
use crate::context::Context;
use crate::units::counted;
use crate::value::FieldValue;

/// Keeps the fields of raw logs that some guard names, if there are guards.
pub(super) fn keep<'v>(plan: &mut Plan, specs: impl IntoIterator<Item = &'v Valued>) {
    let mut names: Vec<&str> = Vec::new();
    for valued in specs {
        names.extend(valued.atoms().map(|atom| valued.field_name(atom.field)));
    }
    if !names.is_empty() {
        plan.keep(names);
    }
}

/// Drops the guards on fields that `otus.toml` declares as never logged. An entry that no guard is about is told.
pub(super) fn drop_unlogged(
    context: &Context,
    observation: &Observation,
    valued: &mut Valued,
    signature: &Signature,
) {
    for unused in observation.drop_unlogged(valued, signature) {
        context.remark(format!(
            "note: unlogged = [\"{}\"] drops nothing: no guard of the specification is about that field there",
            unused.text()
        ));
    }
}

/// A question about a multi-trace with the values of its events.
pub(super) struct Asked<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) facts: &'a Facts,
    pub(super) question: &'a Question,
}

/// The answer to a question.
pub(super) struct Answer {
    pub(super) outcome: Outcome,
    /// Whether only the order between logs makes it a Fail.
    pub(super) is_by_order: bool,
    /// For a Fail by values: what is wrong with them.
    pub(super) failure: Option<Box<ValueFailure>>,
}

impl Asked<'_> {
    pub(super) fn answer(&self, plain: &mut Engine, valued: &mut ValueEngine) -> Answer {
        let Asked { subject, facts, question } = *self;
        let Subject { plan, trace, budget, .. } = *subject;
        let known = plan.spec.pool.action_count();
        if has_stranger(trace, question, known) {
            // Values cannot explain an action that no execution has.
            let outcome = plain.analyze(trace, question, budget);
            return Answer { outcome, is_by_order: false, failure: None };
        }
        let mut outcome = valued.analyze(trace, facts, plan.clocks, question, budget);
        let Some(order) = subject.order.filter(|_| outcome.verdict != Verdict::Fail) else {
            let failure = valued.failure().cloned().map(Box::new);
            return Answer { outcome, is_by_order: false, failure };
        };
        let mut ordered = plain.analyze_ordered(trace, order, question, budget);
        let states = outcome.states + ordered.states;
        if ordered.verdict < outcome.verdict {
            std::mem::swap(&mut outcome, &mut ordered);
        }
        outcome.states = states;
        let is_by_order = outcome.verdict == Verdict::Fail && subject.is_by_order(plain, question);
        Answer { outcome, is_by_order, failure: None }
    }
}

/// Whether an observed log has an action that the pool of the specification does not have.
pub(super) fn has_stranger(trace: &MultiTrace, question: &Question, known: usize) -> bool {
    let is_strange = |step: &Step| step.action().index() >= known;
    trace.partition().components().any(|component| {
        question.of(component) != Observed::Unobserved
            && trace.steps(component).iter().any(is_strange)
    })
}

/// The known values of a step, by the names of their fields. Times are seconds.
pub(super) fn known(
    valued: &Valued,
    facts: &Facts,
    component: ComponentId,
    step: usize,
) -> Vec<(String, FieldValue)> {
    let fields = (0..facts.field_count()).map(FieldId::new);
    let known = fields.filter_map(|field| {
        let value = facts.known(field, component, step)?;
        Some((valued.field_name(field).to_owned(), FieldValue::of(field, &value)))
    });
    known.collect()
}

/// The most lifelines and fields that a note names.
const NAMED: usize = 4;

/// The fields that guards name and that were not logged, in words; `None` if everything was logged. An analysis may have
/// assumed values of them.
pub(super) fn not_logged(
    valued: &Valued,
    pool: &Pool,
    question: &Question,
    (trace, facts): (&MultiTrace, &Facts),
) -> Option<String> {
    let mut fields: FxHashMap<Action, Vec<FieldId>> = FxHashMap::default();
    for node in &valued.nodes {
        let ValuedNode::Event(parts) = node else { continue };
        for part in parts {
            let known = fields.entry(part.action).or_default();
            for atom in &part.guard {
                if !known.contains(&atom.field) {
                    known.push(atom.field);
                }
            }
        }
    }
    let mut counts: BTreeMap<(LifelineId, FieldId), usize> = BTreeMap::new();
    let observed = trace.partition().components();
    for component in observed.filter(|&it| question.of(it) != Observed::Unobserved) {
        for (number, step) in trace.steps(component).iter().enumerate() {
            let action = pool.action(step.action()).without_peer();
            for &field in fields.get(&action).into_iter().flatten() {
                if facts.known(field, component, number).is_none() {
                    *counts.entry((action.lifeline, field)).or_default() += 1;
                }
            }
        }
    }
    if counts.is_empty() {
        return None;
    }
    let text = |(&(lifeline, field), &count): (&(LifelineId, FieldId), &usize)| {
        let lifeline = pool.signature().lifeline_name(lifeline);
        format!("{lifeline}.{} ({})", valued.field_name(field), counted(count, "event"))
    };
    let mut texts: Vec<String> = counts.iter().take(NAMED).map(text).collect();
    if counts.len() > NAMED {
        texts.push(format!("{} more", counts.len() - NAMED));
    }
    Some(format!(
        "guards name what was not logged: {}; declare a field that is never logged as unlogged in otus.toml",
        texts.join(", ")
    ))
}

/// The step that a failure by values is about: of the logs that cannot continue, the first one whose next event has a
/// guard; if all logs were explained to their ends, the last event of the first log that has one.
pub(super) fn stuck(
    valued: &Valued,
    pool: &Pool,
    trace: &MultiTrace,
    furthest: &[u32],
) -> Option<(ComponentId, usize)> {
    let is_guarded = |step: &Step| {
        let action = pool.action(step.action()).without_peer();
        valued.nodes.iter().any(|node| match node {
            ValuedNode::Event(parts) => {
                parts.iter().any(|part| part.action == action && !part.guard.is_empty())
            }
            ValuedNode::Empty
            | ValuedNode::Strict(..)
            | ValuedNode::Coreg(..)
            | ValuedNode::Alt(..)
            | ValuedNode::LoopS(_)
            | ValuedNode::LoopC(..)
            | ValuedNode::New(..)
            | ValuedNode::Fresh(..) => false,
        })
    };
    let logs = || trace.partition().components().zip(furthest);
    let next = logs().filter_map(|(component, &reached)| {
        let step = trace.steps(component).get(reached as usize)?;
        Some((component, reached as usize, is_guarded(step)))
    });
    let next: Vec<_> = next.collect();
    let chosen = next.iter().find(|(_, _, guarded)| *guarded).or(next.first());
    chosen.map(|&(component, step, _)| (component, step)).or_else(|| {
        logs().find_map(|(component, _)| {
            let last = trace.steps(component).len().checked_sub(1)?;
            Some((component, last))
        })
    })
}
