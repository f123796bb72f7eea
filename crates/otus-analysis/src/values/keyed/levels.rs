//! An event in nested sessions, level by level, with changes that can be taken back.
//!
//! Each level may need unobserved events first, and may make tables of sessions do without lifelines. If a level below cannot go
//! on, all that was changed above it is undone.

use otus_core::LifelineSet;
use otus_core::index::Index;
use otus_core::valued::{Atom, Valued};
use otus_trace::ComponentId;
use smallvec::SmallVec;

use super::super::expr::{ExprId, Exprs, KindId, SetId};
use super::super::observation::Problem;
use super::fast::{Answer, Entry, FastStep, REGISTERS, Registers, Without};
use super::fire::Next;
use super::plan::{Level, Route, Unit};
use super::run::{Fired, Run};
use super::sessions::{IDLE, ONLY, Place, SLOW, Session};
use super::silent::{Goal, Reached};
use super::slow::SlowSession;

/// unit around.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entered {
    pub(super) table: u32,
    pub(super) without: SetId,
}

/// A change that can be taken back.
#[derive(Debug)]
pub(super) enum Change {
    Session(Place, Session),
    /// A session with open variables, by its index.
    Slow(usize, Box<SlowSession>),
    Opened(usize, u32),
}

impl Run<'_, '_> {
    /// Lets the next event of a component happen in its sessions, whatever it takes.
    #[cold]
    pub(super) fn fire_slowly(&mut self, component: usize, route: Route) -> Fired {
        debug_assert!(self.journal.is_empty());
        let before = self.trail.as_ref().map(Vec::len);
        let happened = self.happen(component, route);
        let fired = match happened {
            Ok(true) => {
                self.consumed[component] += 1;
                Fired::Moved
            }
            Ok(false) => Fired::Blocked,
            Err(fired) => fired,
        };
        if fired == Fired::Moved {
            self.journal.clear();
            for (unit, table) in std::mem::take(&mut self.closing) {
                self.sessions[unit].close(table);
            }
        } else {
            self.undo(0, before);
        }
        fired
    }

    /// Takes changes back.
    pub(super) fn undo(&mut self, mark: usize, events: Option<usize>) {
        self.closing.clear();
        while self.journal.len() > mark {
            match self.journal.pop() {
                Some(Change::Session(Place { unit, cell }, session)) => {
                    self.sessions[unit].set(cell, session);
                }
                Some(Change::Slow(at, session)) => self.slow[at] = *session,
                Some(Change::Opened(unit, table)) => self.sessions[unit].close(table),
                None => {}
            }
        }
        if let (Some(trail), Some(events)) = (&mut self.trail, events) {
            trail.truncate(events);
        }
    }

    /// Lets the next event of a component happen, level by level.
    fn happen(&mut self, component: usize, route: Route) -> Result<bool, Fired> {
        let facts = self.observation.problem.facts;
        let at = self.consumed[component] as usize;
        let levels: SmallVec<[Level; 3]> = self.keyed.levels(route).into();
        let mut path: SmallVec<[Place; 3]> = SmallVec::new();
        let mut entered = Entered { table: ONLY, without: Exprs::NONE };
        for Level { unit, key } in levels {
            let key = match key {
                None => 0,
                Some(field) => {
                    let key = facts.value(field, ComponentId::new(component), at);
                    key.ok_or(Fired::GivenUp)?.index()
                }
            };
            let cell = self.sessions[unit].enter(entered.table, key).ok_or(Fired::GivenUp)?;
            let place = Place { unit, cell };
            self.begin(&path, place, entered.without);
            path.push(place);
            match self.pass(&path, route.kind, component, Some(at))? {
                Some(next) => entered = next,
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Gives a session that has not begun its first shape.
    fn begin(&mut self, around: &[Place], place: Place, without: SetId) {
        if self.session(place).shape != IDLE {
            return;
        }
        let mut shape = self.keyed.units[place.unit].tables.root;
        if let Some(around) = around.last().filter(|_| without != Exprs::NONE) {
            let lifelines = self.keyed.units[around.unit].tables.exprs.set_of(without).clone();
            let exprs = &mut self.keyed.units[place.unit].tables.exprs;
            let without = exprs.set(&lifelines);
            shape = exprs.prune(shape, without);
        }
        self.put(place, Session::new(shape));
    }

    /// Lets an event of a kind happen in the last session of a path: at a step of a log, or unobserved. `None` if it cannot.
    /// Some changes may have been made then.
    pub(super) fn pass(
        &mut self,
        path: &[Place],
        kind: KindId,
        component: usize,
        seen: Option<usize>,
    ) -> Result<Option<Entered>, Fired> {
        let Some(&place) = path.last() else { return Err(Fired::GivenUp) };
        for is_last in [false, true] {
            let session = self.session(place);
            if session.shape == SLOW {
                break;
            }
            let problem = self.observation.problem;
            let unit = &mut self.keyed.units[place.unit];
            let mut entry = unit.fast.get(session.shape, kind);
            if entry == Entry::Unknown {
                entry = make(unit, problem, session.shape, kind);
            }
            match entry {
                Entry::Slow | Entry::Unknown => break,
                Entry::Never if is_last || !self.has_outside() => return Ok(None),
                Entry::Never => match self.reach(path, Goal::Kind(kind))? {
                    Reached::Yes => {}
                    Reached::No => return Ok(None),
                    Reached::Unclear => break,
                },
                Entry::Fast(from, to) => {
                    match self.choose(session, place, (from, to), component, seen)? {
                        Some((step, registers)) => {
                            return self.take(path, &step, registers, component, seen);
                        }
                        None if self.has_outside() => break,
                        None => return Ok(None),
                    }
                }
            }
        }
        self.pass_slowly(path, kind, component, seen)
    }

    /// The only one of some fast steps that is possible.
    fn choose(
        &self,
        session: Session,
        place: Place,
        (from, to): (u32, u32),
        component: usize,
        seen: Option<usize>,
    ) -> Result<Option<(FastStep, Registers)>, Fired> {
        let problem = self.observation.problem;
        let id = ComponentId::new(component);
        let mut next = None;
        for step in self.keyed.units[place.unit].fast.range(from, to) {
            let registers = match seen {
                Some(at) => {
                    let peer = problem.pool.action(problem.trace.steps(id)[at].action()).peer;
                    let event = self.at(Next { component, step: at, peer });
                    match step.test(&session.registers, event) {
                        Answer::Fails => continue,
                        Answer::Unlogged => return Err(Fired::GivenUp),
                        Answer::Holds => step.registers(&session.registers, event),
                    }
                }
                None => step.unobserved(&session.registers, self.end(component)),
            };
            if next.is_some() {
                return Err(Fired::GivenUp);
            }
            next = Some((step.clone(), registers.ok_or(Fired::GivenUp)?));
        }
        Ok(next)
    }

    /// Takes a fast step in the last session of a path; `None` if sessions inside it cannot do without lifelines.
    pub(super) fn take(
        &mut self,
        path: &[Place],
        step: &FastStep,
        mut registers: Registers,
        component: usize,
        seen: Option<usize>,
    ) -> Result<Option<Entered>, Fired> {
        let Some(&place) = path.last() else { return Err(Fired::GivenUp) };
        let before = self.session(place).registers;
        for &without in &step.without {
            let table = without.table.map_or(ONLY, |at| to_table(before[usize::from(at)]));
            if !self.do_without(path, without, table)? {
                return Ok(None);
            }
        }
        if let Some((hole, at)) = step.opens {
            let inner = self.keyed.units[place.unit].holes[hole.index()];
            registers[usize::from(at)] = i64::from(self.open(inner, place));
        }
        if seen.is_none() && step.inside.is_some() && !step.is_idle && step.opens.is_none() {
            self.is_forced = false;
        }
        self.put(place, Session { shape: step.to, registers });
        let Some(inside) = step.inside else {
            if self.trail.is_some() {
                self.record(place, step.leaf, (component, seen.map(|at| (at, at + 1))));
            }
            return Ok(Some(Entered { table: ONLY, without: Exprs::NONE }));
        };
        let table = inside.table.map_or(ONLY, |at| to_table(registers[usize::from(at)]));
        Ok(Some(Entered { table, without: inside.without }))
    }

    /// Opens a table for a hole of a session.
    pub(super) fn open(&mut self, inner: usize, around: Place) -> u32 {
        let table = self.sessions[inner].open(around.cell);
        self.journal.push(Change::Opened(inner, table));
        table
    }

    /// Lets the sessions of a table do without lifelines from now on; whether they can.
    pub(super) fn do_without(
        &mut self,
        path: &[Place],
        Without { hole, lifelines, is_last, .. }: Without,
        table: u32,
    ) -> Result<bool, Fired> {
        let Some(&place) = path.last() else { return Err(Fired::GivenUp) };
        let own = &self.keyed.units[place.unit];
        let inner = own.holes[hole.index()];
        let lifelines = own.tables.exprs.set_of(lifelines).clone();
        let can_all = self.prune_all(path, (inner, table), &lifelines)?;
        if can_all && is_last {
            self.closing.push((inner, table));
        }
        Ok(can_all)
    }

    fn prune_all(
        &mut self,
        path: &[Place],
        (unit, table): (usize, u32),
        lifelines: &LifelineSet,
    ) -> Result<bool, Fired> {
        let own = &mut self.keyed.units[unit];
        let set = own.tables.exprs.set(lifelines);
        let is_silent = self.has_outside();
        if !is_silent {
            // Most attempts fail for the same session as the one before.
            let hint = self.hints[unit];
            if let Some(session) = self.sessions[unit].all().get(hint)
                && self.sessions[unit].is_in(table, hint)
                && self.prune_shape(unit, session, set) == Exprs::NEVER
            {
                return Ok(false);
            }
        }
        for cell in self.sessions[unit].cells_of(table) {
            let cell = cell as usize;
            let session = self.session(Place { unit, cell });
            if !is_silent && self.prune_shape(unit, session, set) == Exprs::NEVER {
                self.hints[unit] = cell;
                return Ok(false);
            }
            if session.shape != IDLE {
                let path: SmallVec<[Place; 4]> =
                    path.iter().copied().chain([Place { unit, cell }]).collect();
                if !self.prune_session(&path, set, lifelines)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// What is left of a session without lifelines.
    fn prune_shape(&mut self, unit: usize, session: Session, set: SetId) -> ExprId {
        let shape = match session.shape {
            IDLE => return Exprs::EMPTY,
            SLOW => self.slow_of(session).expr,
            shape => shape,
        };
        self.keyed.units[unit].tables.exprs.prune(shape, set)
    }

    /// Lets a session do without lifelines from now on, after unobserved events if it must; whether it can.
    fn prune_session(
        &mut self,
        path: &[Place],
        set: SetId,
        lifelines: &LifelineSet,
    ) -> Result<bool, Fired> {
        let Some(&place) = path.last() else { return Err(Fired::GivenUp) };
        if self.prune_shape(place.unit, self.session(place), set) == Exprs::NEVER {
            if !self.has_outside() {
                return Ok(false);
            }
            match self.reach(path, Goal::Without(set))? {
                Reached::Yes => {}
                Reached::No => return Ok(false),
                Reached::Unclear => {
                    self.is_forced = false;
                    return Ok(false);
                }
            }
        }
        let session = self.session(place);
        let slow = (session.shape == SLOW).then(|| self.slow_of(session).clone());
        let shape = slow.as_ref().map_or(session.shape, |slow| slow.expr);
        let own = &mut self.keyed.units[place.unit];
        let exprs = &mut own.tables.exprs;
        let pruned = exprs.prune(shape, set);
        if pruned == shape {
            return Ok(true);
        }
        for (hole, table) in exprs.holes_on(shape, set) {
            let inner = self.keyed.units[place.unit].holes[hole.index()];
            let table = self.table_of(session, table);
            if !self.prune_all(path, (inner, table), lifelines)? {
                return Ok(false);
            }
        }
        let (pruned, moves) = self.keyed.units[place.unit].tables.exprs.canonical(pruned);
        match slow {
            Some(slow) => self.store(place, slow.renamed(pruned, &moves)),
            None => {
                let mut registers = [0; REGISTERS];
                for (to, var) in registers.iter_mut().zip(&moves) {
                    *to = session.registers[var.slot().unwrap_or(0)];
                }
                self.put(place, Session { shape: pruned, registers });
            }
        }
        Ok(true)
    }

    /// Changes a session in a way that can be taken back.
    pub(super) fn put(&mut self, place: Place, session: Session) {
        let before = self.session(place);
        self.sessions[place.unit].set(place.cell, session);
        self.journal.push(Change::Session(place, before));
    }

    /// The same for a session with open variables.
    pub(super) fn put_slow(&mut self, at: usize, session: SlowSession) {
        let before = std::mem::replace(&mut self.slow[at], session);
        self.journal.push(Change::Slow(at, Box::new(before)));
    }
}

/// A register as the number of a table.
pub(super) fn to_table(register: i64) -> u32 {
    u32::try_from(register).unwrap_or(u32::MAX)
}

/// Finds the steps of a shape.
#[cold]
pub(super) fn make(unit: &mut Unit, problem: &Problem<'_>, shape: ExprId, kind: KindId) -> Entry {
    let partition = problem.trace.partition();
    let tables = &mut unit.tables;
    let action = tables.exprs.kinds.items[kind].first().copied();
    let component = action.map(|action| partition.component_of(action.lifeline).index());
    let is_same_clock = |atom: &Atom| {
        atom.field != Valued::TIME
            || atom
                .variable()
                .and_then(|variable| problem.anchors.get(variable.index()).copied().flatten())
                .is_none_or(|clock| Some(clock) == component)
    };
    unit.fast.make(&mut tables.exprs, &mut tables.steps, shape, kind, &is_same_clock)
}
