//! Why logs are not explained, in terms of values: as plain data.
//!
//! An engine that is stuck has a state for every event that comes next. The event is compared with the leaves of its action
//! that could come now, guards left aside, and the leaf with the fewest false atoms is told. Of several logs that are stuck,
//! one whose event waits for an event that another log still has ahead is only waiting, and the others are the cause;
//! if all of them wait, the logs contradict each other's causality.

use otus_core::index::Index as _;
use otus_core::valued::{FieldId, Operand, Test, Valued, plus};
use otus_core::{Action, Value};
use otus_syntax::ast::guard::Relation;
use otus_trace::ComponentId;

use super::event::{Memory, Register};
use super::expr::{ExprId, Exprs, KindId, Var};
use super::observation::Observation;
use super::step::{Steps, Way};

/// An event of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LogPlace {
    /// The component of the log.
    pub component: ComponentId,
    /// The number of the step in its trace.
    pub step: usize,
}

/// Why a multi-trace with values fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueFailure {
    /// The event that cannot be explained; for an overdue or missing event, the last one of its log.
    pub at: Option<LogPlace>,
    /// What is wrong with it.
    pub cause: ValueCause,
    /// The actions that its session allowed instead.
    pub expected: Vec<Action>,
}

/// What is wrong with an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueCause {
    /// It carries another value than the specification asks for.
    WrongValue {
        /// The field.
        field: FieldId,
        /// Its value in the log.
        found: Value,
        /// How it should be related to `wanted`.
        relation: Relation,
        /// What it is compared with: the value of a variable or a constant. Several for `in`; none for a pattern.
        wanted: Vec<Value>,
        /// The pattern that it should match.
        pattern: Option<Box<str>>,
        /// The event that gave the variable its value.
        since: Option<LogPlace>,
    },
    /// It comes later than a bound allows.
    TooLate {
        /// Nanoseconds since the anchor.
        elapsed: i64,
        /// The most nanoseconds that are allowed.
        allowed: i64,
        /// The event of the anchor.
        since: Option<LogPlace>,
    },
    /// It comes earlier than a bound allows.
    TooEarly {
        /// Nanoseconds since the anchor.
        elapsed: i64,
        /// The fewest nanoseconds that are allowed.
        allowed: i64,
        /// The event of the anchor.
        since: Option<LogPlace>,
    },
    /// It begins a session whose key is in use, or was used before where it must be new.
    UsedAgain {
        /// The field of the key.
        field: FieldId,
        /// The key.
        value: Value,
        /// The first event of the session that has it.
        since: Option<LogPlace>,
    },
    /// It continues a session that never began.
    NoSession {
        /// The field of the key.
        field: FieldId,
        /// The key.
        value: Value,
    },
    /// No event of its action is possible now, whatever it carries.
    Unexpected {
        /// The field and value of its session's key.
        key: Option<(FieldId, Value)>,
    },
    /// Every log waits for an event that another one has ahead: the first events of the logs that wait for each other.
    Cycle(Vec<LogPlace>),
    /// The logs end before a session does.
    Missing {
        /// The field and value of the session's key.
        key: Option<(FieldId, Value)>,
        /// The last event of the session.
        since: Option<LogPlace>,
        /// For a deadline that passed before a log ended: nanoseconds since the anchor, and those that were allowed.
        overdue: Option<(i64, i64)>,
    },
}

/// What stands in the way of the next event of a log.
#[derive(Debug, Clone)]
pub(super) struct Obstacle {
    pub(super) failure: ValueFailure,
    /// The number of false atoms; for an event that is not possible at all, more than any guard has.
    pub(super) weight: usize,
    /// The event of another log that it waits for.
    pub(super) waits_for: Option<LogPlace>,
}

/// The weight of an event whose action is not possible now.
const IMPOSSIBLE: usize = usize::MAX / 2;

/// What an event of some kind meets in a state.
pub(super) struct Met<'m, 'p> {
    pub(super) observation: &'m Observation<'p>,
    pub(super) exprs: &'m mut Exprs,
    pub(super) steps: &'m mut Steps,
    pub(super) expr: ExprId,
    pub(super) memory: &'m Memory,
}

impl Met<'_, '_> {
    /// The kinds of events that are possible, conditions on values left aside.
    pub(super) fn expected(&mut self) -> Vec<Action> {
        let kinds: Vec<KindId> = self.exprs.kinds.items.ids().collect();
        let mut expected = Vec::new();
        for kind in kinds {
            if !self.steps.ways(self.exprs, self.expr, kind).is_empty() {
                expected.extend(self.exprs.kinds.items[kind].iter().copied());
            }
        }
        expected
    }

    /// A deadline of the rest that passed before its log ended: the nanoseconds since the anchor, and those allowed.
    pub(super) fn overdue(&mut self) -> Option<(i64, i64)> {
        let problem = self.observation.problem;
        let slots = self.exprs.slot_count(self.expr);
        let anchors = self.exprs.bounds_from_above(self.expr, slots);
        anchors.into_iter().find_map(|(slot, lifeline, allowed)| {
            let Some(Register::Known(Value::Number(start))) = self.memory.registers.get(slot)
            else {
                return None;
            };
            let component = problem.trace.partition().component_of(lifeline);
            let end = self.observation.logs[component.index()].last?;
            let elapsed = end.checked_sub(start.integer()?)?;
            (elapsed > allowed).then_some((elapsed, allowed))
        })
    }

    /// The obstacle of the next event of a component, as an event of some kind.
    pub(super) fn obstacle(&mut self, kind: KindId, at: LogPlace) -> Obstacle {
        let ways = self.steps.ways(self.exprs, self.expr, kind);
        let mut best: Option<(usize, ValueCause)> = None;
        for way in &*ways {
            let found = self.false_atoms(way, at);
            let weight = found.len();
            if let Some(cause) = found.into_iter().next()
                && best.as_ref().is_none_or(|(least, _)| weight < *least)
            {
                best = Some((weight, cause));
            }
        }
        let (weight, cause) = best.unwrap_or((IMPOSSIBLE, ValueCause::Unexpected { key: None }));
        let expected = if weight == IMPOSSIBLE { self.expected() } else { Vec::new() };
        Obstacle {
            failure: ValueFailure { at: Some(at), cause, expected },
            weight,
            waits_for: None,
        }
    }

    /// The atoms that an event does not satisfy.
    fn false_atoms(&self, way: &Way, at: LogPlace) -> Vec<ValueCause> {
        let problem = self.observation.problem;
        let leaf = &self.exprs.leaves[way.leaf];
        let partition = problem.trace.partition();
        let mut found = Vec::new();
        for part in &leaf.parts {
            if partition.component_of(part.action.lifeline) != at.component {
                continue;
            }
            for atom in &part.guard {
                let Some(value) = problem.facts.known(atom.field, at.component, at.step) else {
                    continue;
                };
                let var = atom.variable().and_then(|variable| {
                    let position = leaf.variables.iter().position(|&other| other == variable)?;
                    Some(way.arguments[position])
                });
                let bound = match var {
                    Some(Var::Slot(slot)) => match self.memory.registers.get(usize::from(slot)) {
                        Some(Register::Known(value)) => Some(value.clone()),
                        _ => continue,
                    },
                    Some(Var::Opened(_) | Var::Bound(_)) => continue,
                    None => None,
                };
                if atom.test.holds(&value, bound.as_ref()) {
                    continue;
                }
                let anchor = atom
                    .variable()
                    .and_then(|variable| problem.anchors.get(variable.index()).copied().flatten());
                found.push(cause(self.observation, atom.field, &value, &atom.test, bound, anchor));
            }
        }
        found
    }
}

/// The cause of an atom that does not hold.
fn cause(
    observation: &Observation<'_>,
    field: FieldId,
    value: &Value,
    test: &Test,
    bound: Option<Value>,
    anchor: Option<usize>,
) -> ValueCause {
    let number = |value: &Value| match value {
        Value::Number(number) => number.integer(),
        Value::Boolean(_) | Value::Text(_) => None,
    };
    if let (Valued::TIME, Test::Compare(relation, Operand::Variable(_, offset)), Some(bound)) =
        (field, test, &bound)
        && let (Some(time), Some(start), Some(allowed)) =
            (number(value), number(bound), offset.integer())
    {
        let elapsed = time.saturating_sub(start);
        let since = anchor.and_then(|component| event_at(observation, component, start));
        return match relation {
            Relation::Greater | Relation::GreaterEqual => {
                ValueCause::TooEarly { elapsed, allowed, since }
            }
            Relation::Equal | Relation::NotEqual | Relation::Less | Relation::LessEqual => {
                ValueCause::TooLate { elapsed, allowed, since }
            }
        };
    }
    let (relation, wanted, pattern) = match test {
        Test::Compare(relation, Operand::Constant(constant)) => {
            (*relation, vec![constant.clone()], None)
        }
        Test::Compare(relation, Operand::Variable(_, offset)) => {
            let wanted = bound.as_ref().and_then(|bound| plus(bound, *offset));
            (*relation, wanted.into_iter().collect(), None)
        }
        Test::In(values) => (Relation::Equal, values.to_vec(), None),
        Test::Matches(pattern) => (Relation::Equal, Vec::new(), Some(pattern.clone())),
    };
    let since = bound.and_then(|bound| first_with(observation, field, &bound));
    ValueCause::WrongValue { field, found: value.clone(), relation, wanted, pattern, since }
}

/// The event of a component with this time.
fn event_at(observation: &Observation<'_>, component: usize, time: i64) -> Option<LogPlace> {
    let id = ComponentId::new(component);
    let steps = 0..observation.logs.get(component)?.len;
    let mut steps = steps.filter(|&step| observation.problem.facts.time(id, step) == Some(time));
    Some(LogPlace { component: id, step: steps.next()? })
}

/// The first event of any log that carries a value.
fn first_with(observation: &Observation<'_>, field: FieldId, value: &Value) -> Option<LogPlace> {
    let facts = observation.problem.facts;
    (0..observation.logs.len()).find_map(|component| {
        let id = ComponentId::new(component);
        let mut steps = 0..observation.logs[component].len;
        let step = steps.find(|&step| facts.known(field, id, step).as_ref() == Some(value))?;
        Some(LogPlace { component: id, step })
    })
}

/// The failure to tell of all obstacles.
pub(super) fn choose(obstacles: Vec<Obstacle>) -> Option<ValueFailure> {
    let is_waiting = |obstacle: &&Obstacle| obstacle.waits_for.is_some();
    if !obstacles.is_empty() && obstacles.iter().all(|obstacle| is_waiting(&obstacle)) {
        let places = obstacles.iter().filter_map(|obstacle| obstacle.failure.at).collect();
        let first = obstacles.first()?;
        let at = first.failure.at;
        let expected = first.failure.expected.clone();
        return Some(ValueFailure { at, cause: ValueCause::Cycle(places), expected });
    }
    let others = obstacles.into_iter().filter(|obstacle| obstacle.waits_for.is_none());
    others.min_by_key(|obstacle| obstacle.weight).map(|obstacle| obstacle.failure)
}
