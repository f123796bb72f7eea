//! Greedy firing over the sessions of all units.

use otus_core::index::Index;
use otus_core::valued::{Atom, FieldId, Valued, ValuedId};
use otus_core::{ActionId, LifelineSet};
use otus_trace::ComponentId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::super::construct::{Item, Path};
use super::super::expr::{ExprId, Exprs, KindId, SetId};
use super::super::failure::{LogPlace, ValueFailure};
use super::super::observation::{Log, Moment, Observation, Problem};
use super::super::search::{Found, Tables};
use super::confluence::all_confluent;
use super::fast::{Answer, At, Entry, FastStep, REGISTERS, Registers, Without};
use super::plan::{Keyed, Level, ROOT, Route, Unit};
use super::sessions::{self, IDLE, ONLY, Place, SLOW, Session, Sessions};
use super::silent::{Chains, Goal, Reached};
use super::slow::SlowSession;
use crate::budget::{Meter, Stop};

/// Whether the sessions explain the logs; `None` if this engine does not decide it.
pub(in super::super) fn explain(
    keyed: &mut Keyed,
    problem: &Problem<'_>,
    meter: &mut Meter<'_>,
    furthest: &mut Option<Box<[u32]>>,
    failure: &mut Option<ValueFailure>,
    trail: Option<&mut Path>,
) -> Option<Found> {
    let observation = Observation::new(problem);
    let is_partial = |log: &Log| log.observed.may_stop_early() || log.observed.may_start_late();
    let may_miss = observation.global || observation.logs.iter().any(is_partial);
    let is_late = |log: &Log| log.len > 0 && log.observed.may_start_late();
    if (!observation.global && observation.logs.iter().any(is_late))
        || (may_miss && keyed.has_lower_bounds)
        || (problem.valued.has_times() && observation.logs.iter().any(|log| log.is_broken))
    {
        return None;
    }
    let mut run = Run::new(keyed, observation, may_miss, trail.is_some());
    let found = run.run(meter);
    if let (Some(path), Some(items)) = (trail, run.trail.take()) {
        *path = Path { items, is_ordered: true };
    }
    if found == Some(Found::No) {
        // A strict question is followed by one that is not, which tells more.
        *failure = if problem.strict { None } else { run.failure() };
        *furthest = Some(run.consumed.into());
    }
    found
}

/// The number of events of a long log.
const LONG: usize = 1000;

/// The route of an action, as far as it is known.
#[derive(Debug, Clone, Copy)]
enum Looked {
    NotYet,
    Nowhere,
    Found(Route),
}

/// What an attempt to let an event happen led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fired {
    Moved,
    Blocked,
    /// This engine does not decide.
    GivenUp,
}

/// The table in which an event happens next, and the lifelines on which its sessions have no more events, as a set of the
/// unit around.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entered {
    pub(super) table: u32,
    pub(super) without: SetId,
}

/// A change that can be taken back.
#[derive(Debug)]
enum Change {
    Session(Place, Session),
    /// A session with open variables, by its index.
    Slow(usize, Box<SlowSession>),
    Opened(usize, u32),
}

pub(super) struct Run<'r, 'p> {
    pub(super) keyed: &'r mut Keyed,
    pub(super) observation: Observation<'p>,
    /// By unit.
    pub(super) sessions: Vec<Sessions>,
    /// How sessions go on with events that nobody saw.
    pub(super) chains: Chains,
    pub(super) slow: Vec<SlowSession>,
    /// By action: its route, once looked up.
    routes: Vec<Looked>,
    pub(super) consumed: Vec<u32>,
    pub(super) may_miss: bool,
    /// Whether all choices so far were forced.
    pub(super) is_forced: bool,
    budget_spent: Option<Stop>,
    /// The operand of the outermost `strict` whose events happen now.
    rank: usize,
    /// Changes that may have to be taken back.
    journal: Vec<Change>,
    /// Tables in which nothing can happen any more, once the event at hand has happened.
    closing: Vec<(usize, u32)>,
    /// By unit: a session that could not do without some lifelines.
    hints: Vec<usize>,
    /// A session that cannot end.
    pub(super) unfinished: Option<Place>,
    /// The events so far, if a witness is asked for.
    pub(super) trail: Option<Vec<Item>>,
}

impl<'r, 'p> Run<'r, 'p> {
    fn new(
        keyed: &'r mut Keyed,
        observation: Observation<'p>,
        may_miss: bool,
        wants_trail: bool,
    ) -> Self {
        let problem = observation.problem;
        let of_unit = |unit: &Unit| match (unit.is_single, unit.keys.is_empty()) {
            (false, _) => Sessions::Sparse(sessions::Tables::default()),
            (true, false) => Sessions::Dense(vec![Session::new(IDLE); problem.facts.value_count()]),
            (true, true) => Sessions::Dense(vec![Session::new(unit.tables.root)]),
        };
        Run {
            sessions: keyed.units.iter().map(of_unit).collect(),
            chains: Chains::default(),
            slow: Vec::new(),
            routes: vec![Looked::NotYet; problem.pool.action_count()],
            consumed: vec![0; observation.logs.len()],
            may_miss,
            is_forced: true,
            budget_spent: None,
            rank: 0,
            journal: Vec::new(),
            closing: Vec::new(),
            hints: vec![0; keyed.units.len()],
            unfinished: None,
            trail: wants_trail.then(Vec::new),
            keyed,
            observation,
        }
    }
}

impl Run<'_, '_> {
    fn run(&mut self, meter: &mut Meter<'_>) -> Option<Found> {
        let count = self.consumed.len();
        loop {
            let mut moved = false;
            for component in 0..count {
                while (self.consumed[component] as usize) < self.observation.logs[component].len {
                    if let Some(stop) = meter.count() {
                        return Some(Found::Unknown(stop));
                    }
                    match self.fire(component) {
                        Fired::Moved => moved = true,
                        Fired::Blocked => break,
                        Fired::GivenUp => return None,
                    }
                    // The events of one session take turns, or one log runs ahead and what is left grows with it.
                    if !self.keyed.has_keys {
                        break;
                    }
                }
            }
            if !self.keyed.has_keys && self.is_too_large() {
                return None;
            }
            if moved {
                continue;
            }
            // An event of a later operand of `strict` prevents others, so it waits until nothing else can happen.
            match self.advance() {
                Fired::Moved => {}
                Fired::Blocked => break,
                Fired::GivenUp => return None,
            }
        }
        if !self.observation.all_consumed(&self.consumed) {
            return self.is_conclusive(meter).then_some(Found::No);
        }
        match self.can_end(meter) {
            Some(true) => Some(Found::Yes),
            Some(false) if self.is_conclusive(meter) => Some(Found::No),
            Some(false) => None,
            None => self.budget_spent.map(Found::Unknown),
        }
    }

    /// Lets the first event of the earliest operand of `strict` happen.
    #[cold]
    fn advance(&mut self) -> Fired {
        let before = self.rank;
        let mut waiting: Vec<(usize, usize)> = (0..self.consumed.len())
            .filter_map(|component| {
                let at = self.next_place(component)?;
                Some((self.rank_of(self.route(at)?), component))
            })
            .filter(|(rank, _)| *rank > before)
            .collect();
        waiting.sort_unstable();
        for (rank, component) in waiting {
            self.rank = rank;
            match self.fire(component) {
                Fired::Blocked => self.rank = before,
                fired @ (Fired::Moved | Fired::GivenUp) => return fired,
            }
        }
        Fired::Blocked
    }

    fn rank_of(&self, route: Route) -> usize {
        self.keyed.ranks.as_ref().map_or(0, |ranks| ranks[route.kind.index()])
    }

    /// The next event of a log.
    pub(super) fn next_place(&self, component: usize) -> Option<LogPlace> {
        let (step, _) = self.observation.next_moment(&self.consumed, component)?;
        Some(LogPlace { component: ComponentId::new(component), step })
    }

    /// Whether a run that got stuck proves that there is no explanation.
    #[cold]
    fn is_conclusive(&mut self, meter: &mut Meter<'_>) -> bool {
        if !self.is_forced {
            return false;
        }
        // Long logs are counted only if that can help.
        let is_long = self.observation.logs.iter().any(|log| log.len > LONG);
        if self.may_miss || is_long {
            // Events that nobody saw are not counted, so nothing bounds sessions then.
            let unbounded = vec![usize::MAX; self.keyed.units.len()];
            let are_confluent = self.are_confluent(&unbounded, meter);
            if self.may_miss || are_confluent {
                return are_confluent;
            }
        }
        let longest = self.longest();
        self.are_confluent(&longest, meter)
    }

    /// By unit: the number of events of its longest session.
    fn longest(&self) -> Vec<usize> {
        let mut longest = vec![0; self.keyed.units.len()];
        let mut counts: FxHashMap<SmallVec<[(usize, u32); 3]>, usize> = FxHashMap::default();
        for component in 0..self.consumed.len() {
            for step in 0..self.observation.logs[component].len {
                let at = LogPlace { component: ComponentId::new(component), step };
                let Some(keys) = self.keys(at) else { continue };
                for depth in 1..=keys.len() {
                    let count = counts.entry(keys[..depth].into()).or_default();
                    *count += 1;
                    let longest = &mut longest[keys[depth - 1].0];
                    *longest = (*longest).max(*count);
                }
            }
        }
        longest
    }

    /// Whether all shapes of all units are confluent that sessions have after at most so many events.
    fn are_confluent(&mut self, longest: &[usize], meter: &mut Meter<'_>) -> bool {
        let partition = self.observation.problem.trace.partition();
        let ranks = self.keyed.ranks.as_deref();
        let all_observed = !self.may_miss;
        let asked = usize::from(all_observed);
        let units = self.keyed.units.iter_mut().zip(longest).enumerate();
        units.into_iter().all(|(number, (unit, &events))| match unit.confluent[asked] {
            Some((known, is_confluent)) if events <= known || !is_confluent => is_confluent,
            _ if unit.unclear[asked].is_some_and(|known| known <= events) => false,
            _ => {
                let Tables { exprs, steps, root, .. } = &mut unit.tables;
                let ranks = ranks.filter(|_| number == ROOT);
                let start = (*root, events);
                let mut is_over = false;
                let found =
                    all_confluent(exprs, steps, partition, start, ranks, all_observed, || {
                        is_over = meter.count().is_some();
                        is_over
                    });
                match found {
                    Some(is_confluent) => unit.confluent[asked] = Some((events, is_confluent)),
                    // Another question may have more time.
                    None if is_over => {}
                    None => unit.unclear[asked] = Some(events),
                }
                found == Some(true)
            }
        })
    }

    /// Whether what is left of the only session is much larger than the interaction, so that the search may be better.
    fn is_too_large(&self) -> bool {
        let (Some(unit), Some(session)) =
            (self.keyed.units.first(), self.sessions[ROOT].all().first())
        else {
            return false;
        };
        let exprs = &unit.tables.exprs;
        let shape = match session.shape {
            IDLE => return false,
            SLOW => self.slow_of(*session).expr,
            shape => shape,
        };
        exprs.size(shape) > 16 * exprs.size(unit.tables.root).saturating_add(4)
    }

    /// Lets the next event of a component happen in its sessions.
    #[inline]
    fn fire(&mut self, component: usize) -> Fired {
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
        let event = At { facts: problem.facts, component: id, step: at, peer };
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
    fn key_of(key: Option<FieldId>, event: At<'_>) -> Option<usize> {
        match key {
            None => Some(0),
            Some(field) => event.facts.value(field, event.component, event.step).map(Index::index),
        }
    }

    /// The only one of some fast steps that an event is; `None` if it is none, or if this engine does not decide.
    #[inline]
    fn only(
        &self,
        unit: usize,
        (from, to): (u32, u32),
        registers: &Registers,
        event: At<'_>,
    ) -> Result<Option<(&FastStep, Registers)>, Fired> {
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
    fn fire_one(
        &mut self,
        Level { unit, key }: Level,
        kind: KindId,
        event: At<'_>,
    ) -> Option<Fired> {
        let Some(cell) = Self::key_of(key, event) else { return Some(Fired::GivenUp) };
        let mut session = *self.sessions[unit].all().get(cell)?;
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
        if !step.without.is_empty() || step.inside.is_some() {
            return None;
        }
        let (to, leaf) = (step.to, step.leaf);
        if self.trail.is_some() {
            let moment = Some((event.step, event.step + 1));
            self.record(Place { unit, cell }, leaf, (event.component.index(), moment));
        }
        *self.sessions[unit].get_mut(cell) = Session { shape: to, registers };
        self.consumed[event.component.index()] += 1;
        Some(Fired::Moved)
    }

    /// Lets an event happen that waits for a chain of unobserved ones in its only session, if that is all it needs.
    fn fire_after_chain(
        &mut self,
        place: Place,
        session: Session,
        kind: KindId,
        event: At<'_>,
    ) -> Option<Fired> {
        if !self.has_outside() {
            return Some(Fired::Blocked);
        }
        let Place { unit, cell } = place;
        let Session { shape, registers } = self.after_chain(unit, session, kind)?;
        let Entry::Fast(from, to) = self.keyed.units[unit].fast.get(shape, kind) else {
            return None;
        };
        let (step, registers) = self.only(unit, (from, to), &registers, event).ok()??;
        if !step.without.is_empty() || step.inside.is_some() {
            return None;
        }
        let shape = step.to;
        *self.sessions[unit].get_mut(cell) = Session { shape, registers };
        self.consumed[event.component.index()] += 1;
        Some(Fired::Moved)
    }

    /// Lets an event happen if that is one fast step in each of its sessions and nothing else; `None` if it needs more.
    fn fire_all(&mut self, route: Route, event: At<'_>) -> Option<Fired> {
        let mut table = ONLY;
        let mut without = Exprs::NONE;
        let mut moves: SmallVec<[(Place, Session); 4]> = SmallVec::new();
        let mut leaf = None;
        for &Level { unit, key } in self.keyed.levels(route) {
            let Some(key) = Self::key_of(key, event) else { return Some(Fired::GivenUp) };
            let cell = self.sessions[unit].find(table, key)?;
            let session = self.sessions[unit].all()[cell];
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
        let component = event.component.index();
        if self.trail.is_some() {
            // The innermost session is the one that the event belongs to.
            let place = moves.last().map(|(place, _)| *place)?;
            self.record(place, leaf?, (component, Some((event.step, event.step + 1))));
        }
        for (Place { unit, cell }, session) in moves {
            *self.sessions[unit].get_mut(cell) = session;
        }
        self.consumed[component] += 1;
        Some(Fired::Moved)
    }

    /// Whether events of some component may be unobserved now.
    pub(super) fn has_outside(&self) -> bool {
        let is_outside = |component| self.observation.is_outside(&self.consumed, component);
        self.may_miss && (0..self.consumed.len()).any(is_outside)
    }

    #[cold]
    fn find_route(&mut self, action: ActionId) -> Option<Route> {
        let plain = self.observation.problem.pool.action(action).without_peer();
        let route = self.keyed.routes.get(&plain).copied();
        self.routes[action.index()] = route.map_or(Looked::Nowhere, Looked::Found);
        route
    }

    /// The route of an event.
    pub(super) fn route(&self, at: LogPlace) -> Option<Route> {
        let problem = self.observation.problem;
        let action = problem.trace.steps(at.component).get(at.step)?.action();
        match self.routes.get(action.index())? {
            Looked::Found(route) => Some(*route),
            Looked::NotYet => {
                let plain = problem.pool.action(action).without_peer();
                self.keyed.routes.get(&plain).copied()
            }
            Looked::Nowhere => None,
        }
    }

    /// The units of an event with the keys of its sessions, the outermost first.
    pub(super) fn keys(&self, at: LogPlace) -> Option<SmallVec<[(usize, u32); 3]>> {
        let facts = self.observation.problem.facts;
        let levels = self.keyed.levels(self.route(at)?).iter();
        let key = |level: &Level| match level.key {
            None => Some((level.unit, 0)),
            Some(field) => Some((level.unit, facts.value(field, at.component, at.step)?.0)),
        };
        levels.map(key).collect()
    }

    /// Lets the next event of a component happen in its sessions, whatever it takes.
    #[cold]
    fn fire_slowly(&mut self, component: usize, route: Route) -> Fired {
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
    fn undo(&mut self, mark: usize, events: Option<usize>) {
        self.closing.clear();
        while self.journal.len() > mark {
            match self.journal.pop() {
                Some(Change::Session(Place { unit, cell }, session)) => {
                    *self.sessions[unit].get_mut(cell) = session;
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
                    let event = At { facts: problem.facts, component: id, step: at, peer };
                    match step.test(&session.registers, event) {
                        Answer::Fails => continue,
                        Answer::Unlogged => return Err(Fired::GivenUp),
                        Answer::Holds => step.registers(&session.registers, event),
                    }
                }
                None => step.unobserved(&session.registers, self.observation.logs[component].last),
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
                && self.prune_shape(unit, *session, set) == Exprs::NEVER
            {
                return Ok(false);
            }
        }
        for cell in self.sessions[unit].cells_of(table) {
            let cell = cell as usize;
            let session = self.sessions[unit].all()[cell];
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

    pub(super) fn session(&self, place: Place) -> Session {
        self.sessions[place.unit].all()[place.cell]
    }

    /// Changes a session in a way that can be taken back.
    pub(super) fn put(&mut self, place: Place, session: Session) {
        let own = self.sessions[place.unit].get_mut(place.cell);
        let before = std::mem::replace(own, session);
        self.journal.push(Change::Session(place, before));
    }

    /// The same for a session with open variables.
    pub(super) fn put_slow(&mut self, at: usize, session: SlowSession) {
        let before = std::mem::replace(&mut self.slow[at], session);
        self.journal.push(Change::Slow(at, Box::new(before)));
    }

    /// The path to a session.
    pub(super) fn path_to(&self, place: Place) -> SmallVec<[Place; 4]> {
        let mut path: SmallVec<[Place; 4]> = SmallVec::new();
        path.push(place);
        let mut at = place;
        for &unit in self.keyed.units[place.unit].around.iter().rev() {
            let cell = self.sessions[at.unit].around(at.cell).unwrap_or(0);
            at = Place { unit, cell };
            path.push(at);
        }
        path.reverse();
        path
    }

    /// Whether every session can end, after events that nobody saw; `None` if that is not known.
    fn can_end(&mut self, meter: &mut Meter<'_>) -> Option<bool> {
        // The sessions inside others first.
        for unit in (0..self.keyed.units.len()).rev() {
            for cell in 0..self.sessions[unit].all().len() {
                let place = Place { unit, cell };
                let session = self.session(place);
                if session.shape == IDLE {
                    continue;
                }
                let exprs = &self.keyed.units[unit].tables.exprs;
                if session.shape != SLOW && exprs.nullable(session.shape) {
                    continue;
                }
                if let Some(stop) = meter.count() {
                    self.budget_spent = Some(stop);
                    return None;
                }
                let path = self.path_to(place);
                let before = self.trail.as_ref().map(Vec::len);
                self.journal.clear();
                let reached = match session.shape {
                    SLOW => Reached::Unclear,
                    _ => self.reach(&path, Goal::End).ok()?,
                };
                let can_end = match reached {
                    Reached::Yes => true,
                    Reached::No => false,
                    Reached::Unclear => {
                        self.undo(0, before);
                        self.can_session_end(&path)?
                    }
                };
                if !can_end {
                    self.unfinished = Some(place);
                    return Some(false);
                }
            }
        }
        Some(true)
    }

    /// Keeps an event of a session.
    #[cold]
    pub(super) fn record(&mut self, place: Place, leaf: ValuedId, end: (usize, Moment)) {
        let facts = self.observation.problem.facts;
        // Of several keys the outermost one: its session is there before those inside it.
        let is_keyed = |place: &&Place| !self.keyed.units[place.unit].keys.is_empty();
        let path = self.path_to(place);
        let key = path.iter().find(is_keyed).and_then(|&Place { unit, cell }| {
            let variable = self.keyed.units[unit].only_key()?;
            Some((variable, facts.item(self.sessions[unit].key(cell)).clone()))
        });
        let item = Item { leaf, ends: SmallVec::from_elem(end, 1), key, position: None };
        self.trail.get_or_insert_default().push(item);
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
