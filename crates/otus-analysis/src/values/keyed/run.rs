//! Greedy firing over a table of sessions.

use std::cmp::Ordering;

use otus_core::index::Index as _;
use otus_core::valued::{Atom, FieldId, Valued, ValuedId};
use otus_core::{Action, LifelineId, LifelineSet, Value};
use otus_syntax::ast::guard::Relation;
use otus_trace::{ComponentId, FactId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::super::construct::{Item, Path};
use super::super::event::{Memory, Register};
use super::super::expr::{ExprId, Exprs, KindId};
use super::super::failure::{
    self, ExpectedLeaf, LogPlace, Met, Obstacle, ValueCause, ValueFailure,
};
use super::super::observation::{Log, Moment, Observation, Problem};
use super::super::search::{Found, Tables};
use super::super::step::Way;
use super::confluence::all_confluent;
use super::fast::{Answer, At, Entry, REGISTERS, Registers};
use super::plan::{Keyed, Part, Route};
use super::silent::Chains;
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
    let count = observation.logs.len();
    let values = problem.facts.value_count();
    let sessions = keyed
        .parts
        .iter()
        .map(|part| {
            let idle = Session { shape: IDLE, registers: [0; REGISTERS] };
            let single = Session { shape: part.tables.root, registers: [0; REGISTERS] };
            if part.is_single { vec![single] } else { vec![idle; values] }
        })
        .collect();
    let stages = keyed.parts.iter().map(|part| part.stage + 1).max().unwrap_or(0);
    let routes = vec![Looked::NotYet; problem.pool.action_count()];
    let mut run = Run {
        keyed,
        observation,
        sessions,
        chains: Chains::default(),
        slow: Vec::new(),
        routes,
        consumed: vec![0; count],
        may_miss,
        // Unobserved events of a stage before others are left to the search.
        is_forced: !may_miss || stages <= 1,
        budget_spent: None,
        unfinished: None,
        stages: vec![0; problem.trace.partition().lifeline_count()],
        trail: trail.is_some().then(Vec::new),
    };
    let found = run.run(meter);
    if let (Some(path), Some(items)) = (trail, run.trail.take()) {
        *path = Path { items, is_ordered: true };
    }
    if found == Some(Found::No) {
        *failure = run.failure();
        *furthest = Some(run.consumed.into());
    }
    found
}

/// A session: its shape, and the values of its variables.
#[derive(Debug, Clone, Copy)]
pub(super) struct Session {
    pub(super) shape: ExprId,
    pub(super) registers: Registers,
}

/// A session of which no event has happened.
const IDLE: ExprId = ExprId(u32::MAX);
/// A session in `slow`; its first register is the index.
const SLOW: ExprId = ExprId(u32::MAX - 1);
/// The most states in which an unobserved event is looked for.
const MANY: usize = 256;
/// The most open sessions that a failure names.
const FEW: usize = 3;

/// The route of an action, as far as it is known.
#[derive(Debug, Clone, Copy)]
enum Looked {
    NotYet,
    Nowhere,
    Found(Route),
}

/// A session with open variables, or more of them than there are registers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct SlowSession {
    expr: ExprId,
    memory: Memory,
}

/// An event that nobody saw.
#[derive(Debug, Clone, Copy)]
struct Unobserved {
    leaf: ValuedId,
    component: usize,
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

/// What an attempt to let an event happen led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fired {
    Moved,
    Blocked,
    /// This engine does not decide.
    GivenUp,
}

pub(super) struct Run<'r, 'p> {
    pub(super) keyed: &'r mut Keyed,
    pub(super) observation: Observation<'p>,
    /// By part, then by key.
    pub(super) sessions: Vec<Vec<Session>>,
    /// How sessions go on with events that nobody saw.
    pub(super) chains: Chains,
    slow: Vec<SlowSession>,
    /// By action: its route, once looked up.
    routes: Vec<Looked>,
    pub(super) consumed: Vec<u32>,
    may_miss: bool,
    /// Whether all choices so far were forced.
    is_forced: bool,
    budget_spent: Option<Stop>,
    /// By lifeline: the stage that its events belong to now.
    pub(super) stages: Vec<usize>,
    /// A session that cannot end: its part and key.
    unfinished: Option<(usize, usize)>,
    /// The events so far, if a witness is asked for.
    pub(super) trail: Option<Vec<Item>>,
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
            // An event of a later stage may prevent others, so it waits until nothing else can happen.
            let mut waiting: Vec<(usize, usize)> =
                (0..count).filter_map(|at| Some((self.next_stage(at)?, at))).collect();
            waiting.sort_unstable();
            if !waiting.into_iter().any(|(_, component)| self.advance(component)) {
                break;
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

    /// Whether a run that got stuck proves that there is no explanation.
    #[cold]
    fn is_conclusive(&mut self, meter: &mut Meter<'_>) -> bool {
        if !self.is_forced {
            return false;
        }
        // The longest sessions of each part. Events that nobody saw are not counted, so nothing bounds these.
        let mut longest = vec![if self.may_miss { usize::MAX } else { 0 }; self.keyed.parts.len()];
        if !self.may_miss {
            let mut counts: FxHashMap<(usize, usize), usize> = FxHashMap::default();
            for component in 0..self.consumed.len() {
                for step in 0..self.observation.logs[component].len {
                    let at = LogPlace { component: ComponentId::new(component), step };
                    if let Some((route, key)) = self.route(at) {
                        let count = counts.entry((route.part, key)).or_default();
                        *count += 1;
                        longest[route.part] = longest[route.part].max(*count);
                    }
                }
            }
        }
        let partition = self.observation.problem.trace.partition();
        self.keyed.parts.iter_mut().zip(longest).all(|(part, events)| match part.confluent {
            Some((known, is_confluent)) if events <= known || !is_confluent => is_confluent,
            _ if part.unclear.is_some_and(|known| known <= events) => false,
            _ => {
                let Tables { exprs, steps, root, .. } = &mut part.tables;
                let start = (*root, events);
                let mut is_over = false;
                let found = all_confluent(exprs, steps, partition, start, || {
                    is_over = meter.count().is_some();
                    is_over
                });
                match found {
                    Some(is_confluent) => part.confluent = Some((events, is_confluent)),
                    // Another question may have more time.
                    None if is_over => {}
                    None => part.unclear = Some(events),
                }
                found == Some(true)
            }
        })
    }

    /// Whether what is left of the only session is much larger than the interaction, so that the search may be better.
    fn is_too_large(&self) -> bool {
        let (Some(part), Some([session])) =
            (self.keyed.parts.first(), self.sessions.first().map(Vec::as_slice))
        else {
            return false;
        };
        let exprs = &part.tables.exprs;
        let shape = match session.shape {
            IDLE => return false,
            SLOW => self.slow[usize::try_from(session.registers[0]).unwrap_or(0)].expr,
            shape => shape,
        };
        exprs.size(shape) > 16 * exprs.size(part.tables.root).saturating_add(4)
    }

    /// Lets the next event of a component happen in its session.
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
        let key = match route.key {
            None => 0,
            Some(field) => match problem.facts.value(field, id, at) {
                Some(key) => key.index(),
                None => return Fired::GivenUp,
            },
        };
        let session = self.sessions[route.part][key];
        let part = &mut self.keyed.parts[route.part];
        if part.stage != self.stages[route.lifeline] {
            return Fired::Blocked;
        }
        let shape = match session.shape {
            IDLE => part.tables.root,
            SLOW => return self.fire_slowly(component, route, key),
            shape => shape,
        };
        let mut entry = part.fast.get(shape, route.kind);
        if entry == Entry::Unknown {
            entry = make(part, problem, shape, route.kind);
        }
        let session = Session { shape, ..session };
        let Entry::Fast(from, to) = entry else {
            return if entry == Entry::Slow {
                self.fire_slowly(component, route, key)
            } else if self.has_outside() {
                self.fire_after_chain(component, (route, key), session)
                    .unwrap_or_else(|| self.fire_slowly(component, route, key))
            } else {
                Fired::Blocked
            };
        };
        let peer = problem.pool.action(action).peer;
        let event = At { facts: problem.facts, component: id, step: at, peer };
        let mut next = None;
        for step in part.fast.range(from, to) {
            match step.test(&session.registers, event) {
                Answer::Fails => {}
                Answer::Unlogged => return Fired::GivenUp,
                Answer::Holds if next.is_some() => return Fired::GivenUp,
                Answer::Holds => match step.registers(&session.registers, event) {
                    Some(registers) => {
                        next = Some((Session { shape: step.to, registers }, step.leaf));
                    }
                    None => return Fired::GivenUp,
                },
            }
        }
        match next {
            Some((next, leaf)) => {
                self.sessions[route.part][key] = next;
                if self.trail.is_some() {
                    self.record((route.part, key), leaf, (component, Some((at, at + 1))));
                }
                self.consumed[component] += 1;
                Fired::Moved
            }
            None if self.has_outside() => self.fire_slowly(component, route, key),
            None => Fired::Blocked,
        }
    }

    /// The stage of a component's next event. Of several stages that could begin, the first one must not be left out.
    fn next_stage(&mut self, component: usize) -> Option<usize> {
        let (step, _) = self.observation.next_moment(&self.consumed, component)?;
        let (route, _) = self.route(LogPlace { component: ComponentId::new(component), step })?;
        Some(self.keyed.parts[route.part].stage)
    }

    /// Lets a later stage begin on the lifeline of a component's next event, if the stages before it can do without.
    #[cold]
    fn advance(&mut self, component: usize) -> bool {
        let component = ComponentId::new(component);
        let next = self.observation.next_moment(&self.consumed, component.index());
        let Some((step, _)) = next else { return false };
        let Some((route, _)) = self.route(LogPlace { component, step }) else { return false };
        let stage = self.keyed.parts[route.part].stage;
        if stage <= self.stages[route.lifeline] {
            return false;
        }
        let count = self.stages.len();
        let lifelines = if self.keyed.is_strict {
            LifelineSet::full(count)
        } else {
            LifelineSet::singleton(LifelineId::new(route.lifeline))
        };
        let mut parts = 0..self.keyed.parts.len();
        if !parts.all(|part| {
            self.keyed.parts[part].stage >= stage || self.can_do_without(part, &lifelines)
        }) {
            return false;
        }
        // Chains depend on the stages that have begun.
        self.chains = Chains::default();
        for lifeline in lifelines.iter() {
            let own = &mut self.stages[lifeline.index()];
            *own = stage.max(*own);
        }
        true
    }

    /// Whether all sessions of a part can do without events on some lifelines.
    fn can_do_without(&mut self, part: usize, lifelines: &LifelineSet) -> bool {
        let exprs = &mut self.keyed.parts[part].tables.exprs;
        let set = exprs.set(lifelines);
        let slow = &self.slow;
        self.sessions[part].iter().all(|session| {
            let shape = match session.shape {
                IDLE => return true,
                SLOW => slow[usize::try_from(session.registers[0]).unwrap_or(0)].expr,
                shape => shape,
            };
            exprs.prune(shape, set) != Exprs::NEVER
        })
    }

    /// Whether events of some component may be unobserved now.
    fn has_outside(&self) -> bool {
        let is_outside = |component| self.observation.is_outside(&self.consumed, component);
        self.may_miss && !self.observation.global && (0..self.consumed.len()).any(is_outside)
    }

    #[cold]
    fn find_route(&mut self, action: otus_core::ActionId) -> Option<Route> {
        let plain = self.observation.problem.pool.action(action).without_peer();
        let route = self.keyed.routes.get(&plain).copied();
        self.routes[action.index()] = route.map_or(Looked::Nowhere, Looked::Found);
        route
    }

    /// A session in the form that every step understands.
    fn slow_session(&self, part: usize, key: usize) -> SlowSession {
        let Session { shape, registers } = self.sessions[part][key];
        let expr = match shape {
            SLOW => {
                let at = usize::try_from(registers[0]).unwrap_or(0);
                return self.slow[at].clone();
            }
            IDLE => self.keyed.parts[part].tables.root,
            shape => shape,
        };
        let problem = self.observation.problem;
        let exprs = &self.keyed.parts[part].tables.exprs;
        let slots = exprs.slot_count(expr);
        let variables = exprs.slot_variables(expr, slots);
        let registers = variables.iter().zip(registers).map(|(variable, number)| {
            let anchor = variable.and_then(|v| problem.anchors.get(v.index()).copied().flatten());
            let value = match (anchor, u32::try_from(number)) {
                (None, Ok(id)) => problem.facts.item(FactId(id)).clone(),
                _ => Value::integer(number),
            };
            Register::Known(value)
        });
        let components = self.consumed.len();
        let has_times = problem.valued.has_times();
        let last = if has_times { SmallVec::from_elem(None, components) } else { SmallVec::new() };
        let memory =
            Memory { registers: registers.collect(), last, ..Memory::new(problem.valued, 0) };
        SlowSession { expr, memory }
    }

    fn store(&mut self, part: usize, key: usize, session: SlowSession) {
        let plain = self.plain(&session);
        let place = &mut self.sessions[part][key];
        if let Some(registers) = plain {
            *place = Session { shape: session.expr, registers };
        } else if place.shape == SLOW {
            let at = usize::try_from(place.registers[0]).unwrap_or(0);
            self.slow[at] = session;
        } else {
            let at = i64::try_from(self.slow.len()).unwrap_or(i64::MAX);
            self.slow.push(session);
            *place = Session { shape: SLOW, registers: [at, 0] };
        }
    }

    /// The registers of a session as numbers, if all of them are known times.
    fn plain(&self, session: &SlowSession) -> Option<Registers> {
        let Memory { registers, conditions, last, .. } = &session.memory;
        if registers.len() > REGISTERS || !conditions.is_empty() || last.iter().any(Option::is_some)
        {
            return None;
        }
        if registers.is_empty() {
            return Some([0; REGISTERS]);
        }
        let problem = self.observation.problem;
        let mut plain = [0; REGISTERS];
        for (to, register) in plain.iter_mut().zip(registers) {
            let Register::Known(Value::Number(number)) = register else { return None };
            *to = number.integer()?;
        }
        // Ids of values cannot be told from times here, so only interactions whose variables are all anchors come back.
        problem.anchors.iter().all(Option::is_some).then_some(plain)
    }

    /// Lets the next event of a component happen in its session, after unobserved events if it waits for them.
    #[cold]
    fn fire_slowly(&mut self, component: usize, route: Route, key: usize) -> Fired {
        self.try_slowly(component, route, key).unwrap_or_else(|fired| fired)
    }

    fn try_slowly(&mut self, component: usize, route: Route, key: usize) -> Result<Fired, Fired> {
        let start = self.slow_session(route.part, key);
        let at = self.consumed[component] as usize;
        let ends: [(usize, Moment); 1] = [(component, Some((at, at + 1)))];
        let mut seen: FxHashSet<SlowSession> = FxHashSet::default();
        let mut came = Came::default();
        let mut level = vec![start];
        while !level.is_empty() && seen.len() <= MANY {
            let mut found: Vec<SlowSession> = Vec::new();
            let mut last = None;
            for session in &level {
                for (next, leaf) in self.steps(route.part, session, route.kind, &ends)? {
                    if !found.contains(&next) {
                        last = Some((session.clone(), leaf));
                        found.push(next);
                    }
                }
            }
            match found.len() {
                0 => {}
                1 => {
                    if let Some(next) = found.pop() {
                        self.store(route.part, key, next);
                    }
                    if let (true, Some((before, leaf))) = (self.trail.is_some(), last) {
                        self.record_unobserved((route.part, key), &came, &before);
                        self.record((route.part, key), leaf, ends[0]);
                    }
                    self.consumed[component] += 1;
                    return Ok(Fired::Moved);
                }
                _ => return Err(Fired::GivenUp),
            }
            let mut next_level = Vec::new();
            for session in level {
                let next = self.unobserved(route.part, &session)?;
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
        Ok(if level.is_empty() { Fired::Blocked } else { Fired::GivenUp })
    }

    /// The sessions after an event of a kind.
    fn steps(
        &mut self,
        part: usize,
        session: &SlowSession,
        kind: KindId,
        ends: &[(usize, Moment)],
    ) -> Result<Vec<(SlowSession, ValuedId)>, Fired> {
        let is_silent = ends.iter().all(|(_, moment)| moment.is_none());
        let left = is_silent.then(|| self.observation.lifelines_left(&self.consumed));
        let part = &mut self.keyed.parts[part];
        let tables = &mut part.tables;
        let ways = tables.steps.ways(&mut tables.exprs, session.expr, kind);
        let mut found = Vec::new();
        for way in &*ways {
            if let Some(left) = &left
                && way.entered.iter().any(|&rest| tables.exprs.is_disjoint(rest, left))
            {
                continue;
            }
            if let Some(memory) =
                test(&self.observation, &tables.exprs, &self.consumed, session, way, ends)?
            {
                let leaf = tables.exprs.leaves[way.leaf].node;
                found.push((SlowSession { expr: way.rest, memory }, leaf));
            }
        }
        Ok(found)
    }

    /// The sessions after one event that nobody saw.
    fn unobserved(
        &mut self,
        part: usize,
        session: &SlowSession,
    ) -> Result<Vec<(SlowSession, Unobserved)>, Fired> {
        if !self.may_miss {
            return Ok(Vec::new());
        }
        let kinds: Vec<KindId> = self.keyed.parts[part].tables.exprs.kinds.items.ids().collect();
        let partition = self.observation.problem.trace.partition();
        let mut found: Vec<(SlowSession, Unobserved)> = Vec::new();
        for kind in kinds {
            let action = self.keyed.parts[part].tables.exprs.kinds.items[kind].first().copied();
            let Some(action) = action else { continue };
            let component = partition.component_of(action.lifeline).index();
            if !self.observation.is_outside(&self.consumed, component) {
                continue;
            }
            let next = self.steps(part, session, kind, &[(component, None)])?;
            if next.is_empty() {
                continue;
            }
            // What stages before it still have to do there is left to the search.
            match self.keyed.parts[part].stage.cmp(&self.stages[action.lifeline.index()]) {
                Ordering::Less => continue,
                Ordering::Equal => {}
                Ordering::Greater => return Err(Fired::GivenUp),
            }
            for (next, leaf) in next {
                if !found.iter().any(|(known, _)| *known == next) {
                    found.push((next, Unobserved { leaf, component }));
                }
            }
        }
        Ok(found)
    }

    /// Whether every session can end, after events that nobody saw; `None` if that is not known.
    fn can_end(&mut self, meter: &mut Meter<'_>) -> Option<bool> {
        for part in 0..self.sessions.len() {
            for key in 0..self.sessions[part].len() {
                let session = self.sessions[part][key];
                if session.shape == IDLE {
                    continue;
                }
                if session.shape != SLOW
                    && self.keyed.parts[part].tables.exprs.nullable(session.shape)
                {
                    continue;
                }
                if let Some(stop) = meter.count() {
                    self.budget_spent = Some(stop);
                    return None;
                }
                let by_chain = match session.shape {
                    SLOW => None,
                    _ => self.ends_after_chain(part, key),
                };
                let can_end = match by_chain {
                    Some(can_end) => can_end,
                    None => self.can_session_end(part, key)?,
                };
                if !can_end {
                    self.unfinished = Some((part, key));
                    return Some(false);
                }
            }
        }
        Some(true)
    }

    /// Keeps an event of a session.
    #[cold]
    pub(super) fn record(
        &mut self,
        (part, key): (usize, usize),
        leaf: ValuedId,
        end: (usize, Moment),
    ) {
        let facts = self.observation.problem.facts;
        let variable = self.keyed.parts[part].key;
        let key = variable.map(|variable| (variable, facts.item(FactId::new(key)).clone()));
        let item = Item { leaf, ends: SmallVec::from_elem(end, 1), key, position: None };
        self.trail.get_or_insert_default().push(item);
    }

    /// Keeps the unobserved events of a session that led to its present state.
    fn record_unobserved(&mut self, session: (usize, usize), came: &Came, to: &SlowSession) {
        let mut events = Vec::new();
        let mut at = to;
        while let Some((before, event)) = came.from.get(at) {
            events.push(*event);
            at = before;
        }
        for Unobserved { leaf, component } in events.into_iter().rev() {
            self.record(session, leaf, (component, None));
        }
    }

    fn can_session_end(&mut self, part: usize, key: usize) -> Option<bool> {
        let mut seen: FxHashSet<SlowSession> = FxHashSet::default();
        let mut came = Came::default();
        let mut pending = vec![self.slow_session(part, key)];
        while let Some(session) = pending.pop() {
            if self.keyed.parts[part].tables.exprs.nullable(session.expr) {
                if self.trail.is_some() {
                    self.record_unobserved((part, key), &came, &session);
                }
                return Some(true);
            }
            if seen.len() > MANY {
                return None;
            }
            if seen.insert(session.clone()) {
                for (next, event) in self.unobserved(part, &session).ok()? {
                    came.add(&session, &next, event, self.trail.is_some());
                    pending.push(next);
                }
            }
        }
        Some(false)
    }
}

impl Run<'_, '_> {
    /// Why the run could not go on.
    fn failure(&mut self) -> Option<ValueFailure> {
        if let Some((part, key)) = self.unfinished {
            return Some(self.unfinished_session(part, key));
        }
        let obstacles = (0..self.consumed.len()).filter_map(|component| self.obstacle(component));
        let obstacles = obstacles.collect::<Vec<_>>();
        failure::choose(obstacles)
    }

    /// The route and the key of an event.
    fn route(&mut self, at: LogPlace) -> Option<(Route, usize)> {
        let problem = self.observation.problem;
        let action = problem.trace.steps(at.component).get(at.step)?.action();
        let route = match *self.routes.get(action.index())? {
            Looked::Found(route) => route,
            Looked::NotYet => self.find_route(action)?,
            Looked::Nowhere => return None,
        };
        let key = match route.key {
            None => 0,
            Some(field) => problem.facts.value(field, at.component, at.step)?.index(),
        };
        Some((route, key))
    }

    fn obstacle(&mut self, component: usize) -> Option<Obstacle> {
        let (step, _) = self.observation.next_moment(&self.consumed, component)?;
        let at = LogPlace { component: ComponentId::new(component), step };
        let (route, key) = self.route(at)?;
        let session = self.slow_session(route.part, key);
        let is_idle = self.sessions[route.part][key].shape == IDLE;
        let named = self.named_key(route.key, key);
        let events = route.key.map(|_| self.events_of(route.part, key));
        let later = self.later(component, (route.part, key));
        let mut ahead =
            |action: Action| later.iter().find(|(own, _)| *own == action).map(|&(_, place)| place);
        let tables = &mut self.keyed.parts[route.part].tables;
        let is_first = !tables.steps.ways(&mut tables.exprs, tables.root, route.kind).is_empty();
        let mut met = Met {
            observation: &self.observation,
            exprs: &mut tables.exprs,
            steps: &mut tables.steps,
            expr: session.expr,
            memory: &session.memory,
            session: events.as_deref(),
        };
        let mut obstacle = met.obstacle(route.kind, at, &mut ahead);
        obstacle.failure.key.clone_from(&named);
        if let (ValueCause::Unexpected, Some((field, value))) = (&obstacle.failure.cause, named) {
            if is_idle {
                self.no_session(&mut obstacle, route, field, value);
            } else if is_first {
                let since = self.begun(route.part, key);
                obstacle.failure.cause = ValueCause::UsedAgain { field, value, since };
            }
        }
        Some(obstacle)
    }

    /// The obstacle of an event whose session never began. If it fits one open session only, its key is wrong.
    fn no_session(&mut self, obstacle: &mut Obstacle, route: Route, field: FieldId, value: Value) {
        let mut open = Vec::new();
        let mut open_count = 0;
        for key in 0..self.sessions[route.part].len() {
            let session = self.sessions[route.part][key];
            let shape = match session.shape {
                IDLE => continue,
                SLOW => self.slow[usize::try_from(session.registers[0]).unwrap_or(0)].expr,
                shape => shape,
            };
            let tables = &mut self.keyed.parts[route.part].tables;
            let ways = tables.steps.ways(&mut tables.exprs, shape, route.kind);
            if let Some(way) = ways.first() {
                open_count += 1;
                if open.len() < FEW {
                    open.push((key, tables.exprs.leaves[way.leaf].node));
                }
            }
        }
        let facts = self.observation.problem.facts;
        let item = |key: usize| facts.item(FactId::new(key)).clone();
        if let ([(key, leaf)], true) = (open.as_slice(), obstacle.waits_for.is_empty()) {
            let (key, leaf) = (*key, *leaf);
            let (found, wanted) = (value, vec![item(key)]);
            let since = self.begun(route.part, key);
            let (relation, pattern) = (Relation::Equal, None);
            obstacle.failure.cause =
                ValueCause::WrongValue { field, found, relation, wanted, pattern, since };
            let actions = &self.keyed.parts[route.part].tables.exprs.kinds.items[route.kind];
            obstacle.failure.expected =
                actions.iter().map(|&action| ExpectedLeaf { action, leaf }).collect();
            return;
        }
        let open = open.into_iter().map(|(key, _)| item(key)).collect();
        obstacle.failure.cause = ValueCause::NoSession { field, value, open, open_count };
    }

    /// By action: the first event of a session that another log still has.
    fn later(&mut self, component: usize, session: (usize, usize)) -> Vec<(Action, LogPlace)> {
        let problem = self.observation.problem;
        let mut found: Vec<(Action, LogPlace)> = Vec::new();
        for other in (0..self.consumed.len()).filter(|&other| other != component) {
            let id = ComponentId::new(other);
            for step in self.consumed[other] as usize..self.observation.logs[other].len {
                let at = LogPlace { component: id, step };
                if self.route(at).is_some_and(|(route, key)| (route.part, key) == session) {
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

    /// The field and the value of a key.
    fn named_key(&self, field: Option<FieldId>, key: usize) -> Option<(FieldId, Value)> {
        let facts = self.observation.problem.facts;
        Some((field?, facts.item(FactId::new(key)).clone()))
    }

    /// The events of a session that happened, log by log.
    fn events_of(&mut self, part: usize, key: usize) -> Vec<LogPlace> {
        let mut found = Vec::new();
        for component in 0..self.consumed.len() {
            for step in 0..self.consumed[component] as usize {
                let at = LogPlace { component: ComponentId::new(component), step };
                if self.route(at).is_some_and(|(route, own)| (route.part, own) == (part, key)) {
                    found.push(at);
                }
            }
        }
        found
    }

    /// The event that began a session, the last time.
    fn begun(&mut self, part: usize, key: usize) -> Option<LogPlace> {
        let events = self.events_of(part, key);
        let is_first = |run: &mut Self, at: LogPlace| {
            run.route(at).is_some_and(|(route, _)| {
                let tables = &mut run.keyed.parts[part].tables;
                !tables.steps.ways(&mut tables.exprs, tables.root, route.kind).is_empty()
            })
        };
        let begin = events.iter().rev().copied().find(|&at| is_first(self, at));
        begin.or(events.first().copied())
    }

    /// What a session lacks that cannot end.
    fn unfinished_session(&mut self, part: usize, key: usize) -> ValueFailure {
        let session = self.slow_session(part, key);
        let events = self.events_of(part, key);
        let last = events.last().copied();
        let field = last.and_then(|at| self.route(at)).and_then(|(route, _)| route.key);
        let named = self.named_key(field, key);
        let tables = &mut self.keyed.parts[part].tables;
        let (expr, memory) = (session.expr, &session.memory);
        let (exprs, steps) = (&mut tables.exprs, &mut tables.steps);
        let session = field.map(|_| &*events);
        let observation = &self.observation;
        let mut met = Met { observation, exprs, steps, expr, memory, session };
        let expected = met.expected();
        let overdue = met.overdue();
        let cause = ValueCause::Missing { since: last, overdue };
        ValueFailure { at: last, cause, expected, key: named, frontier: Vec::new() }
    }
}

/// The memory after an event, if it passes the guard.
fn test(
    observation: &Observation<'_>,
    exprs: &Exprs,
    consumed: &[u32],
    session: &SlowSession,
    way: &Way,
    ends: &[(usize, Moment)],
) -> Result<Option<Memory>, Fired> {
    let mut memory = session.memory.clone();
    if !observation.test(&mut memory, consumed, &way.usage(&exprs.leaves[way.leaf]), ends) {
        return Ok(None);
    }
    match memory.settle() {
        Some(true) => Ok(Some(memory)),
        Some(false) => Ok(None),
        None => Err(Fired::GivenUp),
    }
}

/// Finds the steps of a shape.
#[cold]
pub(super) fn make(part: &mut Part, problem: &Problem<'_>, shape: ExprId, kind: KindId) -> Entry {
    let partition = problem.trace.partition();
    let tables = &mut part.tables;
    let action = tables.exprs.kinds.items[kind].first().copied();
    let component = action.map(|action| partition.component_of(action.lifeline).index());
    let is_same_clock = |atom: &Atom| {
        atom.field != Valued::TIME
            || atom
                .variable()
                .and_then(|variable| problem.anchors.get(variable.index()).copied().flatten())
                .is_none_or(|clock| Some(clock) == component)
    };
    part.fast.make(&mut tables.exprs, &mut tables.steps, shape, kind, &is_same_clock)
}
