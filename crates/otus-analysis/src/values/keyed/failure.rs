//! Why a run got stuck, or which session could not end.
//!
//! Of the sessions of an event, the outermost one in which it is not possible tells the cause.

use std::sync::Arc;

use otus_core::index::Index as _;
use otus_core::valued::{FieldId, ValuedId, ValuedNode};
use otus_core::{Action, Value};
use otus_syntax::ast::guard::Relation;
use otus_trace::ComponentId;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::super::event::Memory;
use super::super::expr::{Exprs, KindId};
use super::super::failure::{
    self, ExpectedLeaf, LogPlace, Met, Obstacle, ValueCause, ValueFailure,
};
use super::super::step::Way;
use super::plan::{Level, ROOT};
use super::run::Run;
use super::sessions::{IDLE, ONLY, Place};
use super::slow::SlowSession;

/// The most open sessions that a failure names.
const FEW: usize = 3;

/// The units around an event with the keys of their sessions, the outermost first.
type Keys = SmallVec<[(usize, u32); 3]>;

/// An open session in which an event of a kind is possible, and as which leaf.
#[derive(Debug, Clone, Copy)]
struct Fitting {
    cell: usize,
    kind: KindId,
    leaf: ValuedId,
}

/// The session that stands in the way of an event.
struct Hindrance {
    state: SlowSession,
    level: Level,
    /// The keys from the outermost session to this one.
    keys: Keys,
    table: u32,
    is_idle: bool,
}

impl Run<'_, '_> {
    /// Why the run could not go on.
    pub(super) fn failure(&mut self) -> Option<ValueFailure> {
        if let Some(place) = self.unfinished {
            return Some(self.unfinished_session(place));
        }
        let obstacles = (0..self.consumed.len()).filter_map(|component| self.obstacle(component));
        let obstacles = obstacles.collect::<Vec<_>>();
        let failure = failure::choose(obstacles)?;
        Some(self.mistaken(&failure).unwrap_or(failure))
    }

    /// The state of a session of a unit, which may not have begun.
    fn state(&self, unit: usize, cell: Option<usize>) -> (SlowSession, bool) {
        let place = cell.map(|cell| Place { unit, cell });
        match place.filter(|&place| self.session(place).shape != IDLE) {
            Some(place) => (self.slow_session(place), false),
            None => {
                let memory = Memory::new(self.observation.problem.valued, self.consumed.len());
                (SlowSession { expr: self.keyed.units[unit].tables.root, memory }, true)
            }
        }
    }

    fn ways(&mut self, unit: usize, state: &SlowSession, kind: KindId) -> Arc<[Way]> {
        let tables = &mut self.keyed.units[unit].tables;
        tables.steps.ways(&mut tables.exprs, state.expr, kind)
    }

    /// Whether a session can begin with an event of a kind.
    fn is_first(&mut self, unit: usize, kind: KindId) -> bool {
        let tables = &mut self.keyed.units[unit].tables;
        !tables.steps.ways(&mut tables.exprs, tables.root, kind).is_empty()
    }

    /// The outermost session in which an event is not possible, or its own.
    fn hindrance(&mut self, at: LogPlace) -> Option<Hindrance> {
        let route = self.route(at)?;
        let levels: SmallVec<[Level; 3]> = self.keyed.levels(route).into();
        let all = self.keys(at)?;
        let mut table = ONLY;
        for (depth, &level) in levels.iter().enumerate() {
            let (unit, key) = all[depth];
            let cell = self.sessions[unit].find(table, key as usize);
            let (state, is_idle) = self.state(unit, cell);
            let keys: Keys = all[..=depth].into();
            let ways = self.ways(unit, &state, route.kind);
            let way = ways.first().filter(|_| depth + 1 < levels.len());
            let Some(way) = way else {
                return Some(Hindrance { state, level, keys, table, is_idle });
            };
            table = match (way.hole, cell) {
                (Some((_, var, _)), Some(cell)) if var.slot().is_some() => {
                    self.table_of(self.session(Place { unit, cell }), var)
                }
                (Some((_, var, _)), None) if var.slot().is_some() => return None,
                // The table is not there yet, so its sessions have not begun.
                (Some((hole, ..)), _) => {
                    let exprs = &self.keyed.units[unit].tables.exprs;
                    if exprs.holes[hole].is_single { ONLY } else { u32::MAX }
                }
                (None, _) => return None,
            };
        }
        None
    }

    fn obstacle(&mut self, component: usize) -> Option<Obstacle> {
        let at = self.next_place(component)?;
        let kind = self.route(at)?.kind;
        let hindrance = self.hindrance(at)?;
        let Hindrance { state, level, keys, is_idle, .. } = &hindrance;
        let named = self.named_key(level.key, keys);
        let events = self.keyed.has_keys.then(|| self.events_of(keys));
        let later = self.later(component, keys);
        let mut ahead =
            |action: Action| later.iter().find(|(own, _)| *own == action).map(|&(_, place)| place);
        let is_first = self.is_first(level.unit, kind);
        let tables = &mut self.keyed.units[level.unit].tables;
        let mut met = Met {
            observation: &self.observation,
            exprs: &mut tables.exprs,
            steps: &mut tables.steps,
            expr: state.expr,
            memory: &state.memory,
            session: events.as_deref(),
        };
        let mut obstacle = met.obstacle(kind, at, &mut ahead);
        obstacle.failure.expected = self.told(level.unit, &obstacle.failure.expected);
        obstacle.failure.key.clone_from(&named);
        if let (ValueCause::Unexpected, Some((field, value))) = (&obstacle.failure.cause, named) {
            if *is_idle {
                self.no_session(&mut obstacle, kind, &hindrance, (field, value));
            } else if is_first {
                let since = self.begun(keys);
                obstacle.failure.cause = ValueCause::UsedAgain { field, value, since };
            }
        }
        Some(obstacle)
    }

    /// Expected events, those of holes with the leaves that can be first in them.
    fn told(&mut self, unit: usize, expected: &[ExpectedLeaf]) -> Vec<ExpectedLeaf> {
        let valued = self.observation.problem.valued;
        let mut found: Vec<ExpectedLeaf> = Vec::new();
        for one in expected {
            if matches!(valued.nodes[one.leaf], ValuedNode::Event(_)) {
                found.push(*one);
                continue;
            }
            let exprs = &self.keyed.units[unit].tables.exprs;
            let Some(kind) = exprs.kinds.find_as(&[one.action], |kind| **kind == [one.action])
            else {
                continue;
            };
            for inner in self.keyed.units[unit].holes.clone() {
                let (state, _) = self.state(inner, None);
                let ways = self.ways(inner, &state, kind);
                let leaves = &self.keyed.units[inner].tables.exprs.leaves;
                let own: Vec<ExpectedLeaf> = ways
                    .iter()
                    .map(|way| ExpectedLeaf { action: one.action, leaf: leaves[way.leaf].node })
                    .collect();
                found.extend(self.told(inner, &own));
            }
        }
        found.dedup();
        found
    }

    /// The obstacle of an event whose session never began. If it fits one open session only, its key is wrong.
    fn no_session(
        &mut self,
        obstacle: &mut Obstacle,
        kind: KindId,
        hindrance: &Hindrance,
        (field, value): (FieldId, Value),
    ) {
        let open = self.fitting(hindrance, kind);
        if let ([meant], true) = (open.as_slice(), obstacle.waits_for.is_empty()) {
            self.tell_wrong_key(&mut obstacle.failure, hindrance, (field, value), *meant);
            return;
        }
        let open_count = open.len();
        let open = open.into_iter().take(FEW).map(|it| self.key_at(hindrance, it.cell)).collect();
        obstacle.failure.cause = ValueCause::NoSession { field, value, open, open_count };
    }

    /// The open sessions, beside that of an event, in which an event of its kind is possible.
    fn fitting(&mut self, hindrance: &Hindrance, kind: KindId) -> Vec<Fitting> {
        let Hindrance { level: Level { unit, .. }, table, .. } = *hindrance;
        let mut open = Vec::new();
        for cell in 0..self.sessions[unit].all().len() {
            let session = self.session(Place { unit, cell });
            if session.shape == IDLE || !self.sessions[unit].is_in(table, cell) {
                continue;
            }
            let shape = match session.shape {
                super::sessions::SLOW => self.slow_of(session).expr,
                shape => shape,
            };
            let tables = &mut self.keyed.units[unit].tables;
            if let Some(way) = tables.steps.ways(&mut tables.exprs, shape, kind).first() {
                open.push(Fitting { cell, kind, leaf: tables.exprs.leaves[way.leaf].node });
            }
        }
        open
    }

    fn key_at(&self, hindrance: &Hindrance, cell: usize) -> Value {
        self.observation.problem.facts.item(self.sessions[hindrance.level.unit].key(cell)).clone()
    }

    /// Makes a failure say that an event carries the key of another session than the one that was meant.
    fn tell_wrong_key(
        &mut self,
        failure: &mut ValueFailure,
        hindrance: &Hindrance,
        (field, found): (FieldId, Value),
        Fitting { cell, kind, leaf }: Fitting,
    ) {
        let unit = hindrance.level.unit;
        let wanted = vec![self.key_at(hindrance, cell)];
        let mut meant = hindrance.keys.clone();
        if let Some(last) = meant.last_mut() {
            last.1 = self.sessions[unit].key(cell).0;
        }
        let since = self.begun(&meant);
        let (relation, pattern) = (Relation::Equal, None);
        failure.cause = ValueCause::WrongValue { field, found, relation, wanted, pattern, since };
        let actions = self.keyed.units[unit].tables.exprs.kinds.items[kind].clone();
        let expected: Vec<ExpectedLeaf> =
            actions.iter().map(|&action| ExpectedLeaf { action, leaf }).collect();
        failure.expected = self.told(unit, &expected);
    }

    /// The same failure told as a wrong key, if that is what happened: an event that is not possible in its own session, or
    /// that waits in a cycle, would fit exactly one other session that lacks such an event for good.
    fn mistaken(&mut self, failure: &ValueFailure) -> Option<ValueFailure> {
        let places: Vec<LogPlace> = match &failure.cause {
            ValueCause::Cycle(all) => all.iter().map(|waiting| waiting.at).collect(),
            ValueCause::Unexpected => failure.at.into_iter().collect(),
            ValueCause::WrongValue { .. }
            | ValueCause::TooLate(_)
            | ValueCause::TooEarly(_)
            | ValueCause::UsedAgain { .. }
            | ValueCause::NoSession { .. }
            | ValueCause::Missing { .. } => return None,
        };
        let mut all = Vec::new();
        for at in places {
            let kind = self.route(at)?.kind;
            let Some(hindrance) = self.hindrance(at) else { continue };
            let lacking = self.lacking(at, &hindrance, kind);
            all.extend(lacking.into_iter().map(|meant| (at, meant)));
        }
        let &[(at, meant)] = all.as_slice() else { return None };
        let hindrance = self.hindrance(at)?;
        let named = self.named_key(hindrance.level.key, &hindrance.keys)?;
        let mut told = ValueFailure { at: Some(at), key: Some(named.clone()), ..failure.clone() };
        self.tell_wrong_key(&mut told, &hindrance, named, meant);
        Some(told)
    }

    /// The sessions that an event would fit, and that have no event of its kind in the rest of its log before they begin
    /// again.
    fn lacking(&mut self, at: LogPlace, hindrance: &Hindrance, kind: KindId) -> Vec<Fitting> {
        let unit = hindrance.level.unit;
        let log = &self.observation.logs[at.component.index()];
        if log.observed.may_stop_early() {
            return Vec::new();
        }
        let len = log.len;
        let mut lacking = self.fitting(hindrance, kind);
        let cell_of = |run: &Self, keys: &Keys| {
            let (last, outer) = keys.get(..hindrance.keys.len())?.split_last()?;
            let is_beside = outer == &hindrance.keys[..outer.len()] && last.0 == unit;
            is_beside.then(|| run.sessions[unit].find(hindrance.table, last.1 as usize))?
        };
        // By session: whether its next event of the log, of this kind or the first of a session, was met.
        let mut is_settled = FxHashSet::default();
        let mut is_answered = FxHashSet::default();
        for step in at.step + 1..len {
            let here = LogPlace { component: at.component, step };
            let Some(route) = self.route(here) else { continue };
            let is_first = self.is_first(unit, route.kind);
            if route.kind != kind && !is_first {
                continue;
            }
            let Some(cell) = self.keys(here).and_then(|keys| cell_of(self, &keys)) else {
                continue;
            };
            if is_settled.insert(cell) && route.kind == kind {
                is_answered.insert(cell);
            }
        }
        lacking.retain(|it| !is_answered.contains(&it.cell));
        lacking
    }

    /// Whether an event belongs to the session with these keys, or to one inside it.
    fn is_of(&self, at: LogPlace, keys: &[(usize, u32)]) -> bool {
        self.keys(at).is_some_and(|own| own.starts_with(keys))
    }

    /// By action: the first event of a session that another log still has.
    fn later(&mut self, component: usize, keys: &Keys) -> Vec<(Action, LogPlace)> {
        let problem = self.observation.problem;
        let mut found: Vec<(Action, LogPlace)> = Vec::new();
        for other in (0..self.consumed.len()).filter(|&other| other != component) {
            let id = ComponentId::new(other);
            for step in self.consumed[other] as usize..self.observation.logs[other].len {
                let at = LogPlace { component: id, step };
                if self.is_of(at, keys) {
                    let action = problem.pool.action(problem.trace.steps(id)[step].action());
                    let action = action.without_peer();
                    if !found.iter().any(|(own, _)| *own == action) {
                        found.push((action, at));
                    }
                }
            }
        }
        found
    }

    /// The field and the value of the last of some keys.
    fn named_key(&self, field: Option<FieldId>, keys: &Keys) -> Option<(FieldId, Value)> {
        let (_, key) = keys.last()?;
        let facts = self.observation.problem.facts;
        Some((field?, facts.item(otus_trace::FactId(*key)).clone()))
    }

    /// The events of a session that happened, log by log.
    fn events_of(&self, keys: &Keys) -> Vec<LogPlace> {
        let mut found = Vec::new();
        for component in 0..self.consumed.len() {
            for step in 0..self.consumed[component] as usize {
                let at = LogPlace { component: ComponentId::new(component), step };
                if self.is_of(at, keys) {
                    found.push(at);
                }
            }
        }
        found
    }

    /// The event that began a session, the last time.
    fn begun(&mut self, keys: &Keys) -> Option<LogPlace> {
        let events = self.events_of(keys);
        let (unit, _) = *keys.last()?;
        let begin = events
            .iter()
            .rev()
            .copied()
            .find(|&at| self.route(at).is_some_and(|route| self.is_first(unit, route.kind)));
        begin.or(events.first().copied())
    }

    /// What a session lacks that cannot end.
    fn unfinished_session(&mut self, place: Place) -> ValueFailure {
        let state = self.slow_session(place);
        let path = self.path_to(place);
        let skipped = usize::from(self.keyed.skips_root && place.unit != ROOT);
        let key = |place: &Place| {
            let is_keyed = !self.keyed.units[place.unit].keys.is_empty();
            (place.unit, if is_keyed { self.sessions[place.unit].key(place.cell).0 } else { 0 })
        };
        let keys: Keys = path.iter().skip(skipped).map(key).collect();
        let events = self.events_of(&keys);
        let last = events.last().copied();
        let field = last.and_then(|at| {
            let levels = self.keyed.levels(self.route(at)?);
            levels.iter().find(|level| level.unit == place.unit)?.key
        });
        let named = self.named_key(field, &keys);
        let tables = &mut self.keyed.units[place.unit].tables;
        let (expr, memory) = (state.expr, &state.memory);
        let (exprs, steps): (&mut Exprs, _) = (&mut tables.exprs, &mut tables.steps);
        let session = field.map(|_| &*events);
        let observation = &self.observation;
        let mut met = Met { observation, exprs, steps, expr, memory, session };
        let expected = met.expected();
        let overdue = met.overdue();
        let expected = self.told(place.unit, &expected);
        let cause = ValueCause::Missing { since: last, overdue };
        ValueFailure { at: last, cause, expected, key: named, frontier: Vec::new() }
    }
}
