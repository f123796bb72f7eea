//! Sessions with open variables, or more of them than there are registers: state by state, as the exact search has them.
//!
//! An event that waits for unobserved ones is looked for breadth first. With several ways to go on, the one that is taken need
//! not be the right one, so a run that gets stuck later proves nothing.

use otus_core::Value;
use otus_core::index::Index as _;
use otus_core::valued::ValuedId;
use otus_trace::FactId;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::super::event::{Memory, Register};
use super::super::expr::{ExprId, Exprs, HoleId, KindId, SetId, Var};
use super::super::observation::Moment;
use super::fast::{REGISTERS, Registers, Without};
use super::levels::{Entered, to_table};
use super::run::{Fired, Run};
use super::sessions::{IDLE, ONLY, Place, SLOW, Session};
use super::silent::changes_nothing;

/// The most states in which an unobserved event is looked for.
const MANY: usize = 256;

/// A session with open variables, or more of them than there are registers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct SlowSession {
    pub(super) expr: ExprId,
    pub(super) memory: Memory,
}

impl SlowSession {
    /// The session with another expression, whose slots were these variables.
    pub(super) fn renamed(self, expr: ExprId, moves: &[Var]) -> SlowSession {
        let mut memory = self.memory;
        let register = |var: &Var| memory.registers.get(var.slot()?).cloned();
        let registers = moves.iter().filter_map(register).collect();
        memory.registers = registers;
        if let Some(epochs) = &mut memory.epochs {
            let renamed = (0..).zip(moves).filter_map(|(at, var)| {
                let epoch = epochs.of_register(var.slot()?)?;
                Some((at, epoch))
            });
            epochs.anchors = renamed.collect();
        }
        SlowSession { expr, memory }
    }

    /// The number of the table in a register.
    fn table(&self, at: usize) -> u32 {
        match self.memory.registers.get(at) {
            Some(Register::Known(Value::Number(number))) => number.integer().map_or(ONLY, to_table),
            _ => ONLY,
        }
    }
}

/// An event that nobody saw.
#[derive(Debug, Clone, Copy)]
struct Unobserved {
    leaf: ValuedId,
    component: usize,
}

/// A step of a session.
#[derive(Debug, Clone)]
struct Taken {
    next: SlowSession,
    leaf: ValuedId,
    /// The hole in which the event happens, its table, and the lifelines on which it has no more events.
    hole: Option<(HoleId, Var, SetId)>,
    /// The register of a table that the step opens.
    opens: Option<usize>,
    without: SmallVec<[(HoleId, Var, SetId); 1]>,
    /// Whether it changes nothing but to open a table.
    is_idle: bool,
}

/// By state of a session: the one before it, and the unobserved event between them.
#[derive(Debug, Default)]
struct Came {
    from: FxHashMap<SlowSession, (SlowSession, Unobserved)>,
    start: Option<SlowSession>,
}

impl Came {
    fn add(&mut self, before: &SlowSession, to: &SlowSession, event: Unobserved, is_asked: bool) {
        if !is_asked {
            return;
        }
        let start = self.start.get_or_insert_with(|| before.clone());
        if start != to {
            self.from.entry(to.clone()).or_insert_with(|| (before.clone(), event));
        }
    }
}

impl Run<'_, '_> {
    pub(super) fn slow_of(&self, session: Session) -> &SlowSession {
        &self.slow[usize::try_from(session.registers[0]).unwrap_or(0)]
    }

    /// The table of a hole, given its name in the expression of a session.
    pub(super) fn table_of(&self, session: Session, table: Var) -> u32 {
        match table.slot() {
            None => ONLY,
            Some(at) if session.shape == SLOW => self.slow_of(session).table(at),
            Some(at) => session.registers.get(at).map_or(ONLY, |&register| to_table(register)),
        }
    }

    /// A session in the form that every step understands.
    pub(super) fn slow_session(&self, place: Place) -> SlowSession {
        let session = self.session(place);
        let Session { shape, registers } = session;
        let tables = &self.keyed.units[place.unit].tables;
        let expr = match shape {
            SLOW => return self.slow_of(session).clone(),
            IDLE => tables.root,
            shape => shape,
        };
        let problem = self.observation.problem;
        let slots = tables.exprs.slot_count(expr);
        let variables = tables.exprs.slot_variables(expr, slots);
        let mut memory = Memory::new(problem.valued, self.consumed.len());
        for (at, (variable, number)) in (0..).zip(variables.iter().zip(registers)) {
            let anchor = variable.map(|v| problem.anchors.get(v.index()).copied().flatten());
            let value = match (anchor, u32::try_from(number)) {
                (Some(None), Ok(id)) => problem.facts.item(FactId(id)).clone(),
                (Some(Some(clock)), _) if let Some(instants) = &self.instants[clock] => {
                    let (epoch, time) = instants.time(number);
                    memory.epochs.get_or_insert_default().anchors.push((at, epoch));
                    Value::integer(time)
                }
                // A time, or a table, which no guard mentions.
                _ => Value::integer(number),
            };
            memory.registers.push(Register::Known(value));
        }
        SlowSession { expr, memory }
    }

    pub(super) fn store(&mut self, place: Place, session: SlowSession) {
        let before = self.session(place);
        if let Some(registers) = self.plain(place.unit, &session) {
            self.put(place, Session { shape: session.expr, registers });
        } else if before.shape == SLOW {
            self.put_slow(usize::try_from(before.registers[0]).unwrap_or(0), session);
        } else {
            let at = i64::try_from(self.slow.len()).unwrap_or(i64::MAX);
            self.slow.push(session);
            self.put(place, Session { shape: SLOW, registers: [at, 0] });
        }
    }

    /// The registers of a session as numbers, if all of them are known times or tables.
    fn plain(&self, unit: usize, session: &SlowSession) -> Option<Registers> {
        let Memory { registers, conditions, last, epochs, .. } = &session.memory;
        if registers.len() > REGISTERS || !conditions.is_empty() || last.iter().any(Option::is_some)
        {
            return None;
        }
        if epochs.as_ref().is_some_and(|epochs| !epochs.has_anchors_only()) {
            return None;
        }
        let problem = self.observation.problem;
        let exprs = &self.keyed.units[unit].tables.exprs;
        let variables = exprs.slot_variables(session.expr, registers.len());
        let mut plain = [0; REGISTERS];
        for (at, ((to, register), variable)) in
            plain.iter_mut().zip(registers).zip(variables).enumerate()
        {
            let Register::Known(Value::Number(number)) = register else { return None };
            let number = number.integer()?;
            *to = match variable {
                None => number,
                Some(variable) => {
                    // Of other values the ids are not known.
                    let clock = problem.anchors.get(variable.index()).copied().flatten()?;
                    match &self.instants[clock] {
                        Some(instants) => instants.number(session.memory.epoch(at)?, number)?,
                        None => number,
                    }
                }
            };
        }
        Some(plain)
    }

    /// Lets an event happen in the last session of a path, after unobserved events if it waits for them.
    pub(super) fn pass_slowly(
        &mut self,
        path: &[Place],
        kind: KindId,
        component: usize,
        step: Option<usize>,
    ) -> Result<Option<Entered>, Fired> {
        let Some(&place) = path.last() else { return Err(Fired::GivenUp) };
        self.was_slow = true;
        let start = self.slow_session(place);
        let ends: [(usize, Moment); 1] = [(component, step.map(|at| (at, at + 1)))];
        let mut seen: FxHashSet<SlowSession> = FxHashSet::default();
        let mut came = Came::default();
        let mut level = vec![start];
        while !level.is_empty() && seen.len() <= MANY {
            let mut found: Vec<(Taken, SlowSession)> = Vec::new();
            for session in &level {
                for taken in self.steps(place.unit, session, kind, &ends)? {
                    let is_same = |(other, _): &(Taken, SlowSession)| {
                        other.next == taken.next && other.without == taken.without
                    };
                    if !found.iter().any(is_same) {
                        found.push((taken, session.clone()));
                    }
                }
            }
            if found.len() > 1 {
                return Err(Fired::GivenUp);
            }
            if let Some((taken, before)) = found.pop() {
                if self.trail.is_some() {
                    self.record_unobserved(place, &came, &before);
                }
                return self.take_slowly(path, &before, taken, ends[0]);
            }
            let mut next_level = Vec::new();
            for session in level {
                let next = self.unobserved(path, &session)?;
                // With several ways to go on, the one that is taken need not be the right one.
                self.is_forced &= next.len() <= 1;
                if seen.insert(session.clone()) {
                    for (next, event) in next {
                        came.add(&session, &next, event, self.trail.is_some());
                        next_level.push(next);
                    }
                }
            }
            level = next_level;
        }
        if level.is_empty() { Ok(None) } else { Err(Fired::GivenUp) }
    }

    /// Takes a step from a state of the last session of a path.
    fn take_slowly(
        &mut self,
        path: &[Place],
        before: &SlowSession,
        taken: Taken,
        end: (usize, Moment),
    ) -> Result<Option<Entered>, Fired> {
        let Some(&place) = path.last() else { return Err(Fired::GivenUp) };
        let Taken { mut next, leaf, hole, opens, without, is_idle } = taken;
        for (hole, table, lifelines) in without {
            let own = table.slot().map_or(ONLY, |at| before.table(at));
            let without = Without { hole, table: None, lifelines, is_last: false };
            if !self.do_without(path, without, own)? {
                return Ok(None);
            }
        }
        self.is_forced &= end.1.is_some() || hole.is_none() || is_idle;
        let mut entered = Entered { table: ONLY, without: Exprs::NONE };
        if let Some((hole, table, without)) = hole {
            entered.without = without;
            if let Some(at) = opens {
                let inner = self.keyed.units[place.unit].holes[hole.index()];
                entered.table = self.open(inner, place);
                let number = Value::integer(i64::from(entered.table));
                next.memory.registers[at] = Register::Known(number);
            } else if let Some(at) = table.slot() {
                entered.table = before.table(at);
            }
        } else if self.trail.is_some() {
            self.record(place, leaf, end);
        }
        self.store(place, next);
        Ok(Some(entered))
    }

    /// The steps of a session for an event of a kind.
    fn steps(
        &mut self,
        unit: usize,
        session: &SlowSession,
        kind: KindId,
        ends: &[(usize, Moment)],
    ) -> Result<Vec<Taken>, Fired> {
        let is_silent = ends.iter().all(|(_, moment)| moment.is_none());
        let left = is_silent.then(|| self.observation.lifelines_left(&self.consumed));
        let tables = &mut self.keyed.units[unit].tables;
        let ways = tables.steps.ways(&mut tables.exprs, session.expr, kind);
        let mut found = Vec::new();
        for way in &*ways {
            if let Some(left) = &left
                && way.entered.iter().any(|&rest| tables.exprs.is_disjoint(rest, left))
            {
                continue;
            }
            let mut memory = session.memory.clone();
            let leaf = &tables.exprs.leaves[way.leaf];
            if !self.observation.test(&mut memory, &self.consumed, &way.usage(leaf), ends) {
                continue;
            }
            match memory.settle() {
                Some(true) => {}
                Some(false) => continue,
                None => return Err(Fired::GivenUp),
            }
            let opens = match way.hole {
                Some((_, table @ Var::Opened(_), _)) => {
                    let at = way.moves.iter().position(|var| *var == table);
                    Some(at.ok_or(Fired::GivenUp)?)
                }
                _ => None,
            };
            let leaf = leaf.node;
            let is_idle = changes_nothing(&mut tables.exprs, session.expr, way);
            found.push(Taken {
                next: SlowSession { expr: way.rest, memory },
                leaf,
                hole: way.hole,
                opens,
                without: way.without.clone(),
                is_idle,
            });
        }
        Ok(found)
    }

    /// The last session of a path after one event that nobody saw.
    fn unobserved(
        &mut self,
        path: &[Place],
        session: &SlowSession,
    ) -> Result<Vec<(SlowSession, Unobserved)>, Fired> {
        let Some((place, around)) = path.split_last().filter(|_| self.may_miss) else {
            return Ok(Vec::new());
        };
        let kinds: Vec<KindId> =
            self.keyed.units[place.unit].tables.exprs.kinds.items.ids().collect();
        let partition = self.observation.problem.trace.partition();
        let mut found: Vec<(SlowSession, Unobserved)> = Vec::new();
        for kind in kinds {
            let exprs = &self.keyed.units[place.unit].tables.exprs;
            let Some(action) = exprs.kinds.items[kind].first().copied() else { continue };
            let component = partition.component_of(action.lifeline).index();
            if !self.observation.is_outside(&self.consumed, component) {
                continue;
            }
            for taken in self.steps(place.unit, session, kind, &[(component, None)])? {
                let Taken { next, leaf, hole, without, is_idle, .. } = taken;
                if hole.is_some() && is_idle {
                    continue;
                }
                if hole.is_some() || !without.is_empty() || !self.is_idle_around(around, kind) {
                    self.is_forced = false;
                    continue;
                }
                if !found.iter().any(|(known, _)| *known == next) {
                    found.push((next, Unobserved { leaf, component }));
                }
            }
        }
        Ok(found)
    }

    /// Whether an event changes nothing in the sessions around its own.
    fn is_idle_around(&mut self, around: &[Place], kind: KindId) -> bool {
        around.iter().all(|&place| {
            let session = self.session(place);
            let tables = &mut self.keyed.units[place.unit].tables;
            let shape = match session.shape {
                IDLE => return false,
                SLOW => self.slow[usize::try_from(session.registers[0]).unwrap_or(0)].expr,
                shape => shape,
            };
            let ways = tables.steps.ways(&mut tables.exprs, shape, kind);
            matches!(&*ways, [way] if way.rest == shape && way.without.is_empty())
        })
    }

    /// Keeps the unobserved events of a session that led to its present state.
    fn record_unobserved(&mut self, place: Place, came: &Came, to: &SlowSession) {
        let mut events = Vec::new();
        let mut at = to;
        while let Some((before, event)) = came.from.get(at) {
            events.push(*event);
            at = before;
        }
        for Unobserved { leaf, component } in events.into_iter().rev() {
            self.record(place, leaf, (component, None));
        }
    }

    /// Whether the last session of a path can end after unobserved events; `None` if that is not known.
    pub(super) fn can_session_end(&mut self, path: &[Place]) -> Option<bool> {
        let place = *path.last()?;
        let mut seen: FxHashSet<SlowSession> = FxHashSet::default();
        let mut came = Came::default();
        let mut pending = vec![self.slow_session(place)];
        while let Some(session) = pending.pop() {
            if self.keyed.units[place.unit].tables.exprs.nullable(session.expr) {
                if self.trail.is_some() {
                    self.record_unobserved(place, &came, &session);
                }
                return Some(true);
            }
            if seen.len() > MANY {
                return None;
            }
            if seen.insert(session.clone()) {
                for (next, event) in self.unobserved(path, &session).ok()? {
                    came.add(&session, &next, event, self.trail.is_some());
                    pending.push(next);
                }
            }
        }
        Some(false)
    }
}
