//! Why logs are not explained, in terms of values: as plain data.
//!
//! An engine that is stuck has a state for every event that comes next. The event is compared with the leaves of its action
//! that could come now, guards left aside, and the leaf with the fewest false atoms is told. Of several logs that are stuck,
//! one whose event waits for an event that another log still has ahead is only waiting, and the others are the cause;
//! if all of them wait, the logs contradict each other's causality, and the shortest cycle is told.

use otus_core::index::Index as _;
use otus_core::valued::{
    Atom, FieldId, Operand, Test, Valued, ValuedId, ValuedNode, VariableId, plus,
};
use otus_core::{Action, Value};
use otus_syntax::ast::guard::Relation;
use otus_trace::ComponentId;
use rustc_hash::FxHashSet;

use super::epoch::Epoch;
use super::event::{Gap, Memory, Register, Sureness};
use super::expr::{ExprId, Exprs, KindId, Var};
use super::observation::Observation;
use super::step::{Steps, Way};
use super::sureness::between;

/// An event of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LogPlace {
    /// The component of the log.
    pub component: ComponentId,
    /// The number of the step in its trace.
    pub step: usize,
}

/// Why a multi-trace with values fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueFailure {
    /// The event that cannot be explained; for an overdue or missing event, the last one of its session.
    pub at: Option<LogPlace>,
    /// What is wrong with it.
    pub cause: ValueCause,
    /// The leaf whose guard it does not satisfy; otherwise, what its session allowed instead.
    pub expected: Vec<ExpectedLeaf>,
    /// The field and value of its session's key.
    pub key: Option<(FieldId, Value)>,
    /// By log that cannot go on: what could have come there.
    pub frontier: Vec<(ComponentId, Vec<Action>)>,
}

impl ValueFailure {
    /// The failure with other places.
    #[must_use]
    pub(super) fn moved(mut self, to: impl Fn(LogPlace) -> LogPlace) -> Self {
        let since = |place: &mut Option<LogPlace>| *place = place.map(&to);
        since(&mut self.at);
        match &mut self.cause {
            ValueCause::WrongValue { since: place, .. }
            | ValueCause::UsedAgain { since: place, .. } => since(place),
            ValueCause::TooLate(elapsed) | ValueCause::TooEarly(elapsed) => {
                since(&mut elapsed.since);
            }
            ValueCause::NoSession { .. } | ValueCause::Unexpected => {}
            ValueCause::Cycle(all) => {
                for waiting in all {
                    *waiting = Waiting { at: to(waiting.at), before: to(waiting.before) };
                }
            }
            ValueCause::Missing { since: place, overdue } => {
                since(place);
                if let Some(overdue) = overdue {
                    since(&mut overdue.time.since);
                    overdue.end = to(overdue.end);
                }
            }
        }
        self
    }
}

/// An action that was possible, and where the specification has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ExpectedLeaf {
    /// The action.
    pub action: Action,
    /// The event of the valued tree.
    pub leaf: ValuedId,
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
    TooLate(Elapsed),
    /// It comes earlier than a bound allows.
    TooEarly(Elapsed),
    /// It begins a session whose key is in use, or was used before where it must be new.
    UsedAgain {
        /// The field of the key.
        field: FieldId,
        /// The key.
        value: Value,
        /// The event that began the session that has it.
        since: Option<LogPlace>,
    },
    /// It continues a session that never began.
    NoSession {
        /// The field of the key.
        field: FieldId,
        /// The key.
        value: Value,
        /// The keys of some sessions in which such an event could have come.
        open: Vec<Value>,
        /// The number of all such sessions.
        open_count: usize,
    },
    /// No event of its action is possible now, whatever it carries.
    Unexpected,
    /// Every log waits for an event that another one has ahead: the logs that wait for each other.
    Cycle(Vec<Waiting>),
    /// The logs end before a session does.
    Missing {
        /// The last event of the session.
        since: Option<LogPlace>,
        /// The deadline that passed before a log ended.
        overdue: Option<Overdue>,
    },
}

/// The time between an anchor and an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed {
    /// Nanoseconds since the anchor.
    pub elapsed: i64,
    /// The nanoseconds that are allowed at most or at least.
    pub allowed: i64,
    /// By how many nanoseconds the two clocks may differ, if there are two.
    pub uncertainty: Option<i64>,
    /// The event of the anchor.
    pub since: Option<LogPlace>,
}

/// A deadline that passed before a log ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overdue {
    /// The nanoseconds between the anchor and the end of the log.
    pub time: Elapsed,
    /// The last event of the log that ended.
    pub end: LogPlace,
}

/// A log in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// The event that waits for one of the next log.
    pub at: LogPlace,
    /// The later event of this log for which the previous log waits.
    pub before: LogPlace,
}

/// What stands in the way of the next event of a log.
#[derive(Debug, Clone)]
pub(super) struct Obstacle {
    pub(super) failure: ValueFailure,
    /// The number of false atoms; for an event that is not possible at all, more than any guard has.
    pub(super) weight: usize,
    /// The events of other logs that it waits for, one of each log at most.
    pub(super) waits_for: Vec<LogPlace>,
    /// What is possible on its log.
    pub(super) possible: Vec<Action>,
}

/// The weight of an event whose action is not possible now.
const IMPOSSIBLE: usize = usize::MAX / 2;
/// The most states that are visited to find out whether an event only waits for others.
const LOOK_AHEAD: usize = 64;

/// What an event of some kind meets in a state.
pub(super) struct Met<'m, 'p> {
    pub(super) observation: &'m Observation<'p>,
    pub(super) exprs: &'m mut Exprs,
    pub(super) steps: &'m mut Steps,
    pub(super) expr: ExprId,
    pub(super) memory: &'m Memory,
    /// The events of the session that happened; `None` if all events are of one.
    pub(super) session: Option<&'m [LogPlace]>,
}

impl Met<'_, '_> {
    /// The events that are possible, conditions on values left aside.
    pub(super) fn expected(&mut self) -> Vec<ExpectedLeaf> {
        let kinds: Vec<KindId> = self.exprs.kinds.items.ids().collect();
        let mut expected = Vec::new();
        for kind in kinds {
            for way in &*self.steps.ways(self.exprs, self.expr, kind) {
                let leaf = &self.exprs.leaves[way.leaf];
                let all = leaf
                    .parts
                    .iter()
                    .map(|part| ExpectedLeaf { action: part.action, leaf: leaf.node });
                for one in all {
                    if !expected.contains(&one) {
                        expected.push(one);
                    }
                }
            }
        }
        expected
    }

    /// A deadline of the rest that passed before its log ended.
    pub(super) fn overdue(&mut self) -> Option<Overdue> {
        let problem = self.observation.problem;
        let slots = self.exprs.slot_count(self.expr);
        let anchors = self.exprs.bounds_from_above(self.expr, slots);
        anchors.into_iter().find_map(|(slot, variable, lifeline, allowed)| {
            let Some(Register::Known(start)) = self.memory.registers.get(slot) else {
                return None;
            };
            let component = problem.trace.partition().component_of(lifeline);
            let log = &self.observation.logs[component.index()];
            let clock = self.observation.clock(variable)?;
            let event = (component.index(), log.epoch_outside(false));
            let anchor = (clock, self.observation.logs[clock].is_broken);
            let epoch = self.memory.epoch(slot);
            let between = between(event, anchor, false, problem.clocks.uncertainty);
            let uncertainty = match between.gap(epoch) {
                Gap::None => None,
                Gap::Known(uncertainty) => Some(uncertainty),
                Gap::Unknown => return None,
            };
            let elapsed = log.last?.checked_sub(integer(start)?)?;
            let end = LogPlace { component, step: log.len.checked_sub(1)? };
            if elapsed.saturating_sub(uncertainty.unwrap_or(0)) <= allowed {
                return None;
            }
            let since = bound_at(self.observation, self.session, variable, (start, epoch), end);
            Some(Overdue { time: Elapsed { elapsed, allowed, uncertainty, since }, end })
        })
    }

    /// The obstacle of the next event of a component, as an event of some kind. `ahead` finds an event that another log
    /// still has.
    pub(super) fn obstacle(
        &mut self,
        kind: KindId,
        at: LogPlace,
        ahead: &mut dyn FnMut(Action) -> Option<LogPlace>,
    ) -> Obstacle {
        let ways = self.steps.ways(self.exprs, self.expr, kind);
        let mut best: Option<(usize, ValueCause, Vec<ExpectedLeaf>)> = None;
        for way in &*ways {
            let found = self.false_atoms(way, at);
            let weight = found.len() + usize::from(!self.has_peer(way, at));
            if let Some(cause) = found.into_iter().next()
                && best.as_ref().is_none_or(|(least, ..)| weight < *least)
            {
                let leaf = &self.exprs.leaves[way.leaf];
                let partition = self.observation.problem.trace.partition();
                let is_own =
                    |action: Action| partition.component_of(action.lifeline) == at.component;
                let parts = leaf.parts.iter().filter(|part| is_own(part.action));
                let expected = parts
                    .map(|part| ExpectedLeaf { action: part.action, leaf: leaf.node })
                    .collect();
                best = Some((weight, cause, expected));
            }
        }
        let possible = self.expected();
        let partition = self.observation.problem.trace.partition();
        let own = possible.iter().map(|it| it.action);
        let own = own.filter(|it| partition.component_of(it.lifeline) == at.component).collect();
        let (weight, cause, expected) =
            best.unwrap_or((IMPOSSIBLE, ValueCause::Unexpected, possible));
        let waits_for =
            if weight == IMPOSSIBLE { self.waits_for(kind, at, ahead) } else { Vec::new() };
        Obstacle {
            failure: ValueFailure {
                at: Some(at),
                cause,
                expected,
                key: None,
                frontier: Vec::new(),
            },
            weight,
            waits_for,
            possible: own,
        }
    }

    /// Whether the log says nothing of an event's peer, or a peer that the leaf has.
    fn has_peer(&self, way: &Way, at: LogPlace) -> bool {
        let problem = self.observation.problem;
        let step = problem.trace.steps(at.component).get(at.step);
        let peer = step.and_then(|step| problem.pool.action(step.action()).peer);
        let parts = &self.exprs.leaves[way.leaf].parts;
        peer.is_none_or(|peer| parts.iter().any(|part| part.peers.contains(&peer)))
    }

    /// The events that other logs have ahead and after which an event of this kind is possible, perhaps after more of
    /// them. Conditions on values are left aside.
    fn waits_for(
        &mut self,
        kind: KindId,
        at: LogPlace,
        ahead: &mut dyn FnMut(Action) -> Option<LogPlace>,
    ) -> Vec<LogPlace> {
        let kinds: Vec<KindId> = self.exprs.kinds.items.ids().collect();
        let mut found: Vec<LogPlace> = Vec::new();
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        // A state, and the last event on the way to it.
        let mut pending: std::collections::VecDeque<(ExprId, Option<LogPlace>)> =
            [(self.expr, None)].into();
        while let Some((expr, last)) = pending.pop_front() {
            if let Some(last) = last
                && !self.steps.ways(self.exprs, expr, kind).is_empty()
            {
                if !found.iter().any(|other| other.component == last.component) {
                    found.push(last);
                }
                continue;
            }
            for &other in kinds.iter().filter(|&&other| other != kind) {
                if seen.len() > LOOK_AHEAD {
                    return found;
                }
                let Some(&action) = self.exprs.kinds.items[other].first() else { continue };
                let ways = self.steps.ways(self.exprs, expr, other);
                let place = if ways.is_empty() { None } else { ahead(action) };
                let Some(place) = place.filter(|place| place.component != at.component) else {
                    continue;
                };
                for way in &*ways {
                    if seen.insert(way.rest) {
                        pending.push_back((way.rest, Some(place)));
                    }
                }
            }
        }
        found
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
                let mut epoch = None;
                let bound = match var {
                    Some(Var::Slot(slot)) => match self.memory.registers.get(usize::from(slot)) {
                        Some(Register::Known(value)) => {
                            epoch = self.memory.epoch(usize::from(slot));
                            Some(value.clone())
                        }
                        _ => continue,
                    },
                    Some(Var::Opened(_) | Var::Bound(_)) => continue,
                    None => None,
                };
                let log = &self.observation.logs[at.component.index()];
                let event = (at.component.index(), log.epoch(at.step));
                let gap = self.observation.between(atom, event).gap(epoch);
                let sureness = Sureness { gap, strict: false };
                let holds = match (&atom.test, &bound) {
                    (Test::Compare(relation, Operand::Variable(_, offset)), Some(bound)) => {
                        sureness.holds(&value, *relation, bound, *offset)
                    }
                    (test, bound) => test.holds(&value, bound.as_ref()),
                };
                if !holds {
                    found.push(cause(
                        self.observation,
                        self.session,
                        atom,
                        &value,
                        bound.as_ref().map(|bound| (bound, epoch)),
                        gap,
                        at,
                    ));
                }
            }
        }
        found
    }
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.integer(),
        Value::Boolean(_) | Value::Text(_) => None,
    }
}

/// The cause of an atom that does not hold.
fn cause(
    observation: &Observation<'_>,
    session: Option<&[LogPlace]>,
    atom: &Atom,
    value: &Value,
    bound: Option<(&Value, Option<Epoch>)>,
    gap: Gap,
    at: LogPlace,
) -> ValueCause {
    let since = atom
        .variable()
        .zip(bound)
        .and_then(|(variable, bound)| bound_at(observation, session, variable, bound, at));
    let bound = bound.map(|(bound, _)| bound);
    if let (Valued::TIME, Test::Compare(relation, Operand::Variable(_, offset)), Some(bound)) =
        (atom.field, &atom.test, bound)
        && let (Some(time), Some(start), Some(allowed)) =
            (integer(value), integer(bound), offset.integer())
    {
        let uncertainty = match gap {
            Gap::Known(uncertainty) => Some(uncertainty),
            Gap::None | Gap::Unknown => None,
        };
        let elapsed = time.saturating_sub(start);
        let found = Elapsed { elapsed, allowed, uncertainty, since };
        let is_early = match relation {
            Relation::Greater | Relation::GreaterEqual => true,
            Relation::Less | Relation::LessEqual => false,
            Relation::Equal | Relation::NotEqual => elapsed < allowed,
        };
        return if is_early { ValueCause::TooEarly(found) } else { ValueCause::TooLate(found) };
    }
    let (relation, wanted, pattern) = match &atom.test {
        Test::Compare(relation, Operand::Constant(constant)) => {
            (*relation, vec![constant.clone()], None)
        }
        Test::Compare(relation, Operand::Variable(_, offset)) => {
            let wanted = bound.and_then(|bound| plus(bound, *offset));
            (*relation, wanted.into_iter().collect(), None)
        }
        Test::In(values) => (Relation::Equal, values.to_vec(), None),
        Test::Matches(pattern) => (Relation::Equal, Vec::new(), Some(pattern.clone())),
    };
    let (field, found) = (atom.field, value.clone());
    ValueCause::WrongValue { field, found, relation, wanted, pattern, since }
}

/// The event of a session that gave a variable its value: the last one before `at` on its log that could have, or the first
/// one of another log. A time is one of an epoch.
fn bound_at(
    observation: &Observation<'_>,
    session: Option<&[LogPlace]>,
    variable: VariableId,
    (value, epoch): (&Value, Option<Epoch>),
    at: LogPlace,
) -> Option<LogPlace> {
    let problem = observation.problem;
    let mut binding: Vec<(Action, FieldId)> = Vec::new();
    for node in &problem.valued.nodes {
        let ValuedNode::Event(parts) = node else { continue };
        for part in parts {
            let atoms = part.guard.iter().filter(|atom| atom.binds() == Some(variable));
            binding.extend(atoms.map(|atom| (part.action, atom.field)));
        }
    }
    let carries = |component: ComponentId, step: usize| {
        let action = problem.trace.steps(component)[step].action();
        let action = problem.pool.action(action).without_peer();
        let is_own = |place: &LogPlace| *place == LogPlace { component, step };
        let own = || observation.logs[component.index()].epoch(step);
        session.is_none_or(|session| session.iter().any(is_own))
            && epoch.is_none_or(|epoch| epoch == own())
            && binding.iter().any(|&(own, field)| {
                own == action && problem.facts.known(field, component, step).as_ref() == Some(value)
            })
    };
    let own = (0..at.step).rev().find(|&step| carries(at.component, step));
    let own = own.map(|step| LogPlace { component: at.component, step });
    own.or_else(|| {
        let others = (0..observation.logs.len()).map(ComponentId::new);
        others.filter(|&component| component != at.component).find_map(|component| {
            let mut steps = 0..observation.logs[component.index()].len;
            let step = steps.find(|&step| carries(component, step))?;
            Some(LogPlace { component, step })
        })
    })
}

/// The failure to tell of all obstacles.
pub(super) fn choose(obstacles: Vec<Obstacle>) -> Option<ValueFailure> {
    let frontier = obstacles
        .iter()
        .filter_map(|it| Some((it.failure.at?.component, it.possible.clone())))
        .collect();
    let cycle = if obstacles.iter().all(|obstacle| !obstacle.waits_for.is_empty()) {
        cycle(&obstacles)
    } else {
        None
    };
    if let Some(cycle) = cycle {
        let at = cycle.first().map(|waiting| waiting.at);
        let first = obstacles.into_iter().find(|obstacle| obstacle.failure.at == at)?.failure;
        return Some(ValueFailure { cause: ValueCause::Cycle(cycle), frontier, ..first });
    }
    let others = obstacles.into_iter().filter(|obstacle| obstacle.waits_for.is_empty());
    let chosen = others.min_by_key(|obstacle| obstacle.weight)?.failure;
    Some(ValueFailure { frontier, ..chosen })
}

/// The shortest cycle of logs that wait for each other.
fn cycle(obstacles: &[Obstacle]) -> Option<Vec<Waiting>> {
    let place = |at: usize| obstacles[at].failure.at;
    let of = |component: ComponentId| {
        (0..obstacles.len()).find(|&at| place(at).is_some_and(|it| it.component == component))
    };
    let mut shortest: Option<Vec<Waiting>> = None;
    for start in 0..obstacles.len() {
        // Breadth first: by obstacle, the one before it, and the event of this log that that one waits for.
        let mut from: Vec<Option<(usize, LogPlace)>> = vec![None; obstacles.len()];
        let mut pending: std::collections::VecDeque<usize> = [start].into();
        while let Some(at) = pending.pop_front() {
            for &awaited in &obstacles[at].waits_for {
                let Some(next) = of(awaited.component) else { continue };
                if from[next].is_none() {
                    from[next] = Some((at, awaited));
                    pending.push_back(next);
                }
            }
        }
        let mut found = Vec::new();
        let mut at = start;
        while let Some((before, awaited)) = from[at] {
            found.push(Waiting { at: place(at)?, before: awaited });
            at = before;
            if at == start {
                break;
            }
        }
        // The first log waits for the second, and so on.
        found.reverse();
        let is_cycle = at == start && !found.is_empty();
        found.rotate_right(usize::from(is_cycle));
        if is_cycle && shortest.as_ref().is_none_or(|known| found.len() < known.len()) {
            shortest = Some(found);
        }
    }
    shortest
}
