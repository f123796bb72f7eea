//! The next event of a log as one fast step in its session, or in each of its nested sessions.
//!
//! Nothing has to be taken back here. Whatever needs more, such as open variables or holes that must do without lifelines, goes
//! [level by level](super::levels).

use otus_core::Peer;
use otus_core::index::Index;
use otus_core::valued::FieldId;
use otus_trace::ComponentId;
use smallvec::SmallVec;

use super::super::expr::{Exprs, KindId};
use super::fast::{Across, Answer, At, End, Entry, FastStep, Registers};
use super::levels::to_table;
use super::plan::{Level, Route};
use super::run::{Fired, Looked, Run};
use super::sessions::{IDLE, ONLY, Place, SLOW, Session};
use super::silent::Goal;

/// The next event of a log.
#[derive(Debug, Clone, Copy)]
pub(super) struct Next {
    pub(super) component: usize,
    pub(super) step: usize,
    pub(super) peer: Option<Peer>,
}

impl Run<'_, '_> {
    /// Lets the next event of a component happen in its sessions.
    #[inline]
    pub(super) fn fire(&mut self, component: usize) -> Fired {
        let problem = self.observation.problem;
        let id = ComponentId::new(component);
        let at = self.consumed[component] as usize;
        let steps = problem.trace.steps(id);
        if steps.get(at + 1).is_some_and(|next| next.joined()) {
            return Fired::GivenUp;
        }
        if problem.order.is_some()
            && !self.observation.is_in_order(&self.consumed, &[(component, Some((at, at + 1)))])
        {
            return Fired::Blocked;
        }
        let action = steps[at].action();
        let route = match self.routes.get(action.index()) {
            Some(Looked::Found(route)) => *route,
            Some(Looked::NotYet) => match self.find_route(action) {
                Some(route) => route,
                None => return Fired::Blocked,
            },
            Some(Looked::Nowhere) | None => return Fired::Blocked,
        };
        if self.keyed.ranks.is_some() && self.rank_of(route) > self.rank {
            return Fired::Blocked;
        }
        let peer = problem.pool.action(action).peer;
        let event = Next { component, step: at, peer };
        let levels = self.keyed.levels(route);
        let fired = if let [level] = *levels {
            self.fire_one(level, route.kind, event)
        } else {
            self.fire_all(route, event)
        };
        fired.unwrap_or_else(|| self.fire_slowly(component, route))
    }

    /// The key of an event's session; `None` if it was not logged.
    #[inline]
    fn key_of(&self, key: Option<FieldId>, event: Next) -> Option<usize> {
        match key {
            None => Some(0),
            Some(field) => self.facts[event.component].value(field, event.step).map(Index::index),
        }
    }

    #[inline]
    pub(super) fn at(&self, Next { component, step, peer }: Next) -> At<'_> {
        At { facts: &self.facts[component], step, peer, across: self.across(component) }
    }

    /// What is said of a bound on times of a component between which its clock went backwards: it is possible, never certain.
    #[inline]
    pub(super) fn across(&self, component: usize) -> Across {
        match self.instants[component] {
            Some(_) => Across::Holds(!self.observation.problem.strict),
            None => Across::Nothing,
        }
    }

    /// The end of a log.
    pub(super) fn end(&self, component: usize) -> End {
        let time = match &self.instants[component] {
            Some(instants) => instants.last,
            None => self.observation.logs[component].last,
        };
        End { time, across: self.across(component) }
    }

    /// The only one of some fast steps that an event is; `None` if it is none, or if this engine does not decide.
    #[inline]
    fn only(
        &self,
        unit: usize,
        (from, to): (u32, u32),
        registers: &Registers,
        event: Next,
    ) -> Result<Option<(&FastStep, Registers)>, Fired> {
        let event = self.at(event);
        let mut next: Option<(&FastStep, Registers)> = None;
        for step in self.keyed.units[unit].fast.range(from, to) {
            match step.test(registers, event) {
                Answer::Fails => {}
                Answer::Unlogged => return Err(Fired::GivenUp),
                Answer::Holds if next.is_some() => return Err(Fired::GivenUp),
                Answer::Holds => {
                    let after = step.registers(registers, event).ok_or(Fired::GivenUp)?;
                    next = Some((step, after));
                }
            }
        }
        Ok(next)
    }

    /// Lets an event happen that is one fast step in its only session, perhaps after a chain of unobserved ones; `None` if it
    /// needs more.
    #[inline]
    fn fire_one(&mut self, Level { unit, key }: Level, kind: KindId, event: Next) -> Option<Fired> {
        let Some(cell) = self.key_of(key, event) else { return Some(Fired::GivenUp) };
        let mut session = self.sessions[unit].all().get(cell)?;
        let own = &self.keyed.units[unit];
        match session.shape {
            IDLE => session.shape = own.tables.root,
            SLOW => return None,
            _ => {}
        }
        let range = match own.fast.get(session.shape, kind) {
            Entry::Fast(from, to) => (from, to),
            Entry::Never if !self.may_miss => return Some(Fired::Blocked),
            Entry::Never if self.trail.is_none() => {
                return self.fire_after_chain(Place { unit, cell }, session, kind, event);
            }
            Entry::Never | Entry::Slow | Entry::Unknown => return None,
        };
        let (step, registers) = match self.only(unit, range, &session.registers, event) {
            Ok(Some(next)) => next,
            Ok(None) if !self.may_miss => return Some(Fired::Blocked),
            Ok(None) => return None,
            Err(fired) => return Some(fired),
        };
        if !step.is_plain() {
            return None;
        }
        let (to, leaf) = (step.to, step.leaf);
        if self.trail.is_some() {
            let moment = Some((event.step, event.step + 1));
            self.record(Place { unit, cell }, leaf, (event.component, moment));
        }
        self.sessions[unit].set(cell, Session { shape: to, registers });
        self.consumed[event.component] += 1;
        Some(Fired::Moved)
    }

    /// Lets an event happen that waits for a chain of unobserved ones in its only session, if that is all it needs.
    fn fire_after_chain(
        &mut self,
        place: Place,
        session: Session,
        kind: KindId,
        event: Next,
    ) -> Option<Fired> {
        if !self.has_outside() {
            return Some(Fired::Blocked);
        }
        let Place { unit, cell } = place;
        let Session { shape, registers } = self.after_chain(unit, session, Goal::Kind(kind))?;
        let Entry::Fast(from, to) = self.keyed.units[unit].fast.get(shape, kind) else {
            return None;
        };
        let (step, registers) = self.only(unit, (from, to), &registers, event).ok()??;
        if !step.is_plain() {
            return None;
        }
        let shape = step.to;
        self.sessions[unit].set(cell, Session { shape, registers });
        self.consumed[event.component] += 1;
        Some(Fired::Moved)
    }

    /// Lets an event happen if that is one fast step in each of its sessions and nothing else; `None` if it needs more.
    fn fire_all(&mut self, route: Route, event: Next) -> Option<Fired> {
        let mut table = ONLY;
        let mut without = Exprs::NONE;
        let mut moves: SmallVec<[(Place, Session); 4]> = SmallVec::new();
        let mut leaf = None;
        for &Level { unit, key } in self.keyed.levels(route) {
            let Some(key) = self.key_of(key, event) else { return Some(Fired::GivenUp) };
            let cell = self.sessions[unit].find(table, key)?;
            let session = self.sessions[unit].all().get(cell)?;
            let own = &self.keyed.units[unit];
            let shape = match session.shape {
                IDLE if without == Exprs::NONE => own.tables.root,
                IDLE | SLOW => return None,
                shape => shape,
            };
            let Entry::Fast(from, to) = own.fast.get(shape, route.kind) else { return None };
            let (step, registers) = match self.only(unit, (from, to), &session.registers, event) {
                Ok(next) => next?,
                Err(fired) => return Some(fired),
            };
            if !step.without.is_empty() || step.opens.is_some() {
                return None;
            }
            match step.inside {
                Some(inside) => {
                    table = inside.table.map_or(ONLY, |at| to_table(registers[usize::from(at)]));
                    without = inside.without;
                }
                None => leaf = Some(step.leaf),
            }
            if !step.is_idle || step.inside.is_none() {
                moves.push((Place { unit, cell }, Session { shape: step.to, registers }));
            }
        }
        let component = event.component;
        if self.trail.is_some() {
            // The innermost session is the one that the event belongs to.
            let place = moves.last().map(|(place, _)| *place)?;
            self.record(place, leaf?, (component, Some((event.step, event.step + 1))));
        }
        for (Place { unit, cell }, session) in moves {
            self.sessions[unit].set(cell, session);
        }
        self.consumed[component] += 1;
        Some(Fired::Moved)
    }
}
