//! Witnesses with values: one global execution, and the values that it assumes.
//!
//! A witness of an interaction with values is a plain [`Witness`] (events with their positions, observed or not) with a
//! *valuation*: a value for every variable of every iteration that the execution has, and for each event the values of its
//! guarded fields that no log has. So a [checker](mod@super::certify) only has to evaluate guards.
//!
//! Variables are told apart as [`letters`](otus_core::letters) number them when the positions are replayed.

use std::collections::BTreeMap;

use otus_core::index::Index as _;
use otus_core::letters::InstanceId;
use otus_core::valued::{FieldId, Part, Valued, ValuedId, ValuedNode};
use otus_core::{LifelineSet, Pool, Value};
use otus_trace::{ComponentId, Facts, MultiTrace};

use crate::witness::{Witness, WitnessStep, together};

/// A global execution with values that explains a multi-trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValuedWitness {
    /// The execution, at positions of the interaction without values.
    pub witness: Witness,
    /// By step: its leaf in the valued tree.
    pub leaves: Vec<ValuedId>,
    /// The values of variables. One that is compared with nothing may be left out.
    pub variables: BTreeMap<InstanceId, Value>,
    /// By step: the values that no log has.
    pub assumed: Vec<Vec<Assumed>>,
}

/// The value of a field of an event that no log has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumed {
    /// The number of the action in its event.
    pub part: usize,
    /// The field.
    pub field: FieldId,
    /// The value.
    pub value: Value,
}

/// A guarded field of an action of a witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// The number of the action in its event.
    pub part: usize,
    /// The field.
    pub field: FieldId,
    /// Its value; `None` if no log has it and nothing is compared with it.
    pub value: Option<Value>,
    /// Whether no log has it.
    pub is_assumed: bool,
}

impl ValuedWitness {
    /// By step: the values of the guarded fields of its event.
    pub fn carried(
        &self,
        pool: &Pool,
        valued: &Valued,
        trace: &MultiTrace,
        facts: &Facts,
    ) -> Vec<Vec<Carried>> {
        let mut places = Places::new(trace);
        let mut all = Vec::with_capacity(self.leaves.len());
        for (at, (step, &leaf)) in self.witness.steps.iter().zip(&self.leaves).enumerate() {
            let mut carried = Vec::new();
            let parts = parts(valued, leaf);
            let seen = observed(pool, step);
            let found = places.next(pool, trace, parts, &seen);
            for (number, part) in parts.iter().enumerate() {
                let logged = |field| {
                    let (component, at) = found.get(number).copied().flatten()?;
                    facts.known(field, component, at)
                };
                let mut fields: Vec<FieldId> = part.guard.iter().map(|atom| atom.field).collect();
                fields.sort_unstable();
                fields.dedup();
                // The time comes last, as in the texts of traces.
                fields.sort_by_key(|&field| field == Valued::TIME);
                for field in fields {
                    let known = logged(field);
                    let is_assumed = known.is_none();
                    let value = known.or_else(|| self.assumed(at, number, field).cloned());
                    carried.push(Carried { part: number, field, value, is_assumed });
                }
            }
            all.push(carried);
        }
        all
    }

    /// The assumed value of a field of an action.
    pub fn assumed(&self, step: usize, part: usize, field: FieldId) -> Option<&Value> {
        let own = self.assumed.get(step)?.iter();
        own.filter(|it| (it.part, it.field) == (part, field)).map(|it| &it.value).next()
    }

    /// The text of each step: `a!m(mid=7, time=1.5)`, with a question mark behind values that no log has, and events or actions
    /// that no log has in parentheses.
    pub fn texts(
        &self,
        pool: &Pool,
        valued: &Valued,
        trace: &MultiTrace,
        facts: &Facts,
    ) -> Vec<String> {
        let carried = self.carried(pool, valued, trace, facts);
        let steps = self.witness.steps.iter().zip(&self.leaves).zip(&carried);
        let text = |((step, &leaf), carried): ((&WitnessStep, &ValuedId), &Vec<Carried>)| {
            let seen = observed(pool, step);
            let parts = parts(valued, leaf);
            let texts = parts.iter().enumerate().map(|(number, part)| {
                let own = carried.iter().filter(|it| it.part == number);
                let values = own.map(|it| it.text(valued)).collect::<Vec<_>>();
                let values = if values.is_empty() {
                    String::new()
                } else {
                    format!("({})", values.join(", "))
                };
                let text = format!("{}{values}", part.action.text(pool.signature()));
                let is_seen = seen.contains(part.action.lifeline);
                if is_seen || seen.is_empty() { text } else { format!("({text})") }
            });
            let text = together(texts, ", ");
            if seen.is_empty() { format!("({text})") } else { text }
        };
        steps.map(text).collect()
    }
}

impl Carried {
    /// `mid=7`; `mid=7?` if no log has it.
    pub fn text(&self, valued: &Valued) -> String {
        let field = valued.field_name(self.field);
        let value = match &self.value {
            Some(value) => shown(self.field, value),
            None => String::new(),
        };
        format!("{field}={value}{}", if self.is_assumed { "?" } else { "" })
    }
}

/// A value as traces write it: times are seconds.
pub fn shown(field: FieldId, value: &Value) -> String {
    match value {
        Value::Number(number) if field == Valued::TIME => {
            let second = otus_syntax::Rational::new(1, 1_000_000_000);
            let seconds = second.and_then(|second| number.checked_mul(second));
            seconds.unwrap_or(*number).decimal()
        }
        Value::Number(number) => number.decimal(),
        Value::Boolean(_) | Value::Text(_) => value.to_string(),
    }
}

/// The parts of a leaf.
pub(super) fn parts(valued: &Valued, leaf: ValuedId) -> &[Part] {
    match valued.nodes.get(leaf) {
        Some(ValuedNode::Event(parts)) => parts,
        Some(
            ValuedNode::Empty
            | ValuedNode::Strict(..)
            | ValuedNode::Coreg(..)
            | ValuedNode::Alt(..)
            | ValuedNode::LoopS(_)
            | ValuedNode::LoopC(..)
            | ValuedNode::New(..)
            | ValuedNode::Fresh(..),
        )
        | None => &[],
    }
}

/// The lifelines on which a step is observed.
pub(super) fn observed(pool: &Pool, step: &WitnessStep) -> LifelineSet {
    step.event().map_or(LifelineSet::EMPTY, |place| pool.region(place.observed))
}

/// How far each log is consumed.
pub(super) struct Places {
    pub(super) consumed: Vec<usize>,
}

impl Places {
    pub(super) fn new(trace: &MultiTrace) -> Self {
        Places { consumed: vec![0; trace.partition().len()] }
    }

    /// By part of the next event: the component and the step as which it was logged, if it was. `None` for a part that
    /// should be there but is not.
    pub(super) fn next(
        &mut self,
        pool: &Pool,
        trace: &MultiTrace,
        parts: &[Part],
        seen: &LifelineSet,
    ) -> Vec<Option<(ComponentId, usize)>> {
        let partition = trace.partition();
        let mut found = Vec::with_capacity(parts.len());
        let mut moved: Vec<ComponentId> = Vec::new();
        for part in parts {
            if !seen.contains(part.action.lifeline) {
                found.push(None);
                continue;
            }
            let component = partition.component_of(part.action.lifeline);
            let from = self.consumed[component.index()];
            let steps = trace.steps(component).get(from..).unwrap_or(&[]);
            let count = 1 + steps.iter().skip(1).take_while(|step| step.joined()).count();
            let is_own =
                |step: &otus_trace::Step| pool.action(step.action()).without_peer() == part.action;
            let at = steps.iter().take(count).position(is_own);
            found.push(at.map(|at| (component, from + at)));
            if !moved.contains(&component) {
                moved.push(component);
            }
        }
        for component in moved {
            let from = self.consumed[component.index()];
            let rest = trace.steps(component).get(from + 1..).unwrap_or(&[]);
            self.consumed[component.index()] +=
                1 + rest.iter().take_while(|step| step.joined()).count();
        }
        found
    }
}
