//! Analyses of specifications with values: which fields are kept, what is asked, and what a failure says.
//!
//! The engine of `otus_analysis::values` decides about names, values, and all order at once: that of each log, and the one
//! that was observed *between* logs (ids, spans, vector clocks). A failure is told by its cause: by values if the
//! multi-trace fails without the order between logs, too; by that order if it fails without values; otherwise by both together.

use std::collections::BTreeMap;

use otus_analysis::certify::certify_order;
use otus_analysis::engine::Outcome;
pub(super) use otus_analysis::values::Asked as About;
use otus_analysis::values::certify::{ValuedCase, certify};
use otus_analysis::values::{ValueEngine, ValueFailure, ValuedWitness, anchors};
use otus_analysis::{Engine, Observed, Question, Verdict};
use otus_core::index::Index as _;
use otus_core::residual::Residual;
use otus_core::valued::{FieldId, Valued, ValuedNode};
use otus_core::{Action, LifelineId, Pool, Signature, Value};
use otus_trace::mapping::{Observation, Plan};
use otus_trace::{ComponentId, Facts, MultiTrace, Partition, Step};
use rustc_hash::FxHashMap;

use super::verdict::Subject;
use crate::case::{AssumedValue, Valuation, VariableValue};
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
        let observed = (trace, facts);
        let outcome =
            valued.analyze_ordered(observed, subject.order, plan.clocks, question, budget);
        let mut failure = valued.failure().cloned().map(Box::new);
        let Some(order) = subject.order.filter(|_| outcome.verdict == Verdict::Fail) else {
            return Answer { outcome, is_by_order: false, failure };
        };
        let mut without = valued.analyze(trace, facts, plan.clocks, question, budget);
        without.states += outcome.states;
        if without.verdict == Verdict::Fail {
            failure = valued.failure().cloned().map(Box::new);
            return Answer { outcome: without, is_by_order: false, failure };
        }
        let ordered = plain.analyze_ordered(trace, order, question, budget);
        let is_by_order = ordered.verdict == Verdict::Fail;
        // If the order alone is possible, the values are told that do not go with it.
        let failure = failure.filter(|_| !is_by_order);
        Answer { outcome, is_by_order: is_by_order || failure.is_none(), failure }
    }
}

impl Asked<'_> {
    /// An execution with values that explains a verdict, certified; none if the budget ends before one is found, or if it does
    /// not respect the order that was observed between logs.
    pub(super) fn witness(
        &self,
        pool: &mut Pool,
        engine: &mut ValueEngine,
        verdict: Verdict,
    ) -> Result<Option<ValuedWitness>, String> {
        let Asked { subject, facts, question } = *self;
        let Subject { plan, trace, .. } = *subject;
        let Some(valued) = plan.spec.valued.as_deref() else { return Ok(None) };
        let (clocks, budget) = (plan.clocks, subject.witness_budget());
        let found =
            engine.witness(pool, trace, facts, clocks, subject.order, question, verdict, &budget);
        let Some(found) = found else { return Ok(None) };
        let case = ValuedCase { valued, trace, facts, clocks };
        certify(pool, case, (question, verdict), &found)
            .map_err(|error| subject.bug("the witness", "does not hold", &error))?;
        let is_in_order = subject
            .order
            .is_none_or(|order| certify_order(pool, trace, order, &found.witness).is_ok());
        Ok(Some(found).filter(|_| is_in_order))
    }
}

/// The values that a witness assumes, as plain data.
pub(super) fn valuation(
    witness: &ValuedWitness,
    pool: &Pool,
    valued: &Valued,
    partition: &Partition,
) -> Option<Valuation> {
    let mut residual = Residual::new(pool, valued)?;
    let is_time = anchors(valued, partition);
    let mut found = Valuation::default();
    for (event, (step, leaf)) in witness.witness.steps.iter().zip(&witness.leaves).enumerate() {
        let position = &step.event()?.position;
        residual.step(position.iter().copied())?;
        let text: String = position.iter().map(u8::to_string).collect();
        found.positions.push(if text.is_empty() { "ε".to_owned() } else { text });
        let ValuedNode::Event(parts) = &valued.nodes[*leaf] else { continue };
        for assumed in &witness.assumed[event] {
            let action = parts.get(assumed.part)?.action.text(pool.signature());
            let field = valued.field_name(assumed.field).to_owned();
            let value = FieldValue::of(assumed.field, &assumed.value);
            found.assumed.push(AssumedValue { event, action, field, value });
        }
    }
    for (&instance, value) in &witness.variables {
        let variable = residual.instance(instance).variable;
        let value = match is_time[variable.index()] {
            Some(_) => FieldValue::of(Valued::TIME, value),
            None => FieldValue(Some(value.clone())),
        };
        let name = valued.variables[variable].to_string();
        found.variables.push(VariableValue { name, number: instance.index(), value });
    }
    Some(found)
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
/// The most values that are tried for one that was not logged, and the most events of a multi-trace for which they are.
const TRIED: usize = 12;
const LONG: usize = 20_000;

/// Values that guards name and that were not logged.
#[derive(Debug)]
pub(super) struct Unlogged {
    /// The first of them.
    component: ComponentId,
    step: usize,
    field: FieldId,
    /// A value that it may have had.
    value: Option<Value>,
    /// By lifeline and field: the number of events.
    counts: BTreeMap<(LifelineId, FieldId), usize>,
}

/// The fields that guards name, by the action of their events.
#[derive(Debug)]
pub(super) struct Guarded(FxHashMap<Action, Vec<FieldId>>);

impl Guarded {
    pub(super) fn new(valued: &Valued) -> Guarded {
        let mut fields: FxHashMap<Action, Vec<FieldId>> = FxHashMap::default();
        for node in &valued.nodes {
            let ValuedNode::Event(parts) = node else { continue };
            for part in parts {
                fields.entry(part.action).or_default().extend(part.guard.iter().map(|it| it.field));
            }
        }
        #[expect(clippy::iter_over_hash_type, reason = "each list is sorted by itself")]
        for known in fields.values_mut() {
            known.sort_unstable();
            known.dedup();
        }
        Guarded(fields)
    }

    /// The values of observed events that were not logged; `None` if everything was logged.
    pub(super) fn unlogged(
        &self,
        pool: &Pool,
        question: &Question,
        (trace, facts): (&MultiTrace, &Facts),
    ) -> Option<Unlogged> {
        let mut found: Option<Unlogged> = None;
        let observed = trace.partition().components();
        for component in observed.filter(|&it| question.of(it) != Observed::Unobserved) {
            for (number, step) in trace.steps(component).iter().enumerate() {
                // The pool of the specification lacks the actions of unknown messages, which no guard is about.
                if step.action().index() >= pool.action_count() {
                    continue;
                }
                let action = pool.action(step.action()).without_peer();
                for &field in self.0.get(&action).into_iter().flatten() {
                    if facts.known(field, component, number).is_none() {
                        let found = found.get_or_insert_with(|| Unlogged {
                            component,
                            step: number,
                            field,
                            value: None,
                            counts: BTreeMap::new(),
                        });
                        *found.counts.entry((action.lifeline, field)).or_default() += 1;
                    }
                }
            }
        }
        found
    }
}

impl Asked<'_> {
    /// What a `WeakPass` assumed about values that were not logged, with a value that the engine accepts.
    pub(super) fn assumed(&self, pool: &Pool, engine: &mut ValueEngine) -> Option<Unlogged> {
        let Asked { subject, facts, question } = *self;
        let Subject { plan, trace, budget, .. } = *subject;
        let valued = plan.spec.valued.as_deref()?;
        let mut found = Guarded::new(valued).unlogged(pool, question, (trace, facts))?;
        if trace.len() > LONG {
            return Some(found);
        }
        if !engine.assumes_values(trace, facts, plan.clocks, question, budget) {
            return None;
        }
        let Unlogged { component, step, field, .. } = found;
        // The values of neighbours come first.
        let own = trace.steps(component).len();
        let near = (0..step).rev().chain(step + 1..own).map(|step| (component, step));
        let others = trace.partition().components().filter(|&it| it != component);
        let others = others.flat_map(|it| (0..trace.steps(it).len()).map(move |step| (it, step)));
        let mut tried: Vec<Value> = Vec::new();
        for (component, step) in near.chain(others).filter(|_| field != Valued::TIME) {
            let Some(value) = facts.known(field, component, step) else { continue };
            if tried.contains(&value) {
                continue;
            }
            if tried.len() == TRIED {
                break;
            }
            tried.push(value);
        }
        found.value = tried.into_iter().find(|value| {
            let mut facts = facts.clone();
            facts.set(field, found.component, found.step, value.clone());
            let outcome = engine.analyze(trace, &facts, plan.clocks, question, budget);
            matches!(outcome.verdict, Verdict::Pass | Verdict::WeakPass)
        });
        Some(found)
    }
}

impl Unlogged {
    /// How many values were not logged.
    pub(super) fn count(&self) -> usize {
        self.counts.values().sum()
    }

    /// The event of the first of them.
    pub(super) fn first(&self) -> (ComponentId, usize) {
        (self.component, self.step)
    }

    /// `assumed mid = 7 (sub1.log:3, not logged), 212 more of sub1.mid; declare it unlogged if it never is`
    pub(super) fn text(
        &self,
        valued: &Valued,
        pool: &Pool,
        trace: &MultiTrace,
        place: Option<&str>,
    ) -> String {
        let name = |(lifeline, field): (LifelineId, FieldId)| {
            format!("{}.{}", pool.signature().lifeline_name(lifeline), valued.field_name(field))
        };
        let declare = "declare it unlogged in otus.toml if it never is logged";
        let mut counts = self.counts.clone();
        let Some(value) = &self.value else {
            let all = counts.iter().take(NAMED);
            let all =
                all.map(|(&at, &count)| format!("{} ({})", name(at), counted(count, "event")));
            let mut texts: Vec<String> = all.collect();
            if counts.len() > NAMED {
                texts.push(format!("{} more", counts.len() - NAMED));
            }
            return format!("assumed values that were not logged: {}; {declare}", texts.join(", "));
        };
        let action = trace.steps(self.component)[self.step].action();
        let first = (pool.action(action).lifeline, self.field);
        if let Some(count) = counts.get_mut(&first) {
            *count -= 1;
        }
        counts.retain(|_, count| *count > 0);
        let field = valued.field_name(self.field);
        let place = place.map_or_else(|| name(first), ToOwned::to_owned);
        let value = FieldValue::of(self.field, value);
        let mut texts = vec![format!("assumed {field} = {value} ({place}, not logged)")];
        let more = counts.iter().take(NAMED);
        texts.extend(more.map(|(&at, count)| format!("{count} more of {}", name(at))));
        format!("{}; {declare}", texts.join(", "))
    }
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
