//! Greedy firing over the sessions of all units.

use otus_core::ActionId;
use otus_core::index::Index;
use otus_core::valued::ValuedId;
use otus_trace::{ComponentId, LogFacts};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::super::Findings;
use super::super::construct::{Item, Path};
use super::super::failure::LogPlace;
use super::super::observation::{Log, Moment, Observation, Problem};
use super::super::search::{Found, Tables};
use super::confluence::all_confluent;
use super::instants::Instants;
use super::levels::Change;
use super::plain::{Ended, Lane};
use super::plan::{Keyed, Level, ROOT, Route, Unit};
use super::sessions::{self, Cells, IDLE, Place, SLOW, Session, Sessions};
use super::silent::{Chains, Goal, Reached};
use super::slow::SlowSession;
use crate::budget::{Meter, Stop};

/// Whether the sessions explain the logs; `None` if this engine does not decide it.
pub(in super::super) fn explain(
    keyed: &mut Keyed,
    problem: &Problem<'_>,
    meter: &mut Meter<'_>,
    findings: &mut Findings,
    trail: Option<&mut Path>,
) -> Option<Found> {
    let observation = Observation::new(problem);
    let is_partial = |log: &Log| log.observed.may_stop_early() || log.observed.may_start_late();
    let may_miss = observation.global || observation.logs.iter().any(is_partial);
    let is_late = |log: &Log| log.len > 0 && log.observed.may_start_late();
    if (!observation.global && observation.logs.iter().any(is_late))
        || (may_miss && keyed.has_lower_bounds)
    {
        return None;
    }
    let instants = instants(&observation)?;
    let mut run = Run::new(keyed, observation, &instants, may_miss, trail.is_some());
    if let Some(stuck) = findings.stuck.take().filter(|_| trail.is_none()) {
        run.resume(stuck);
    }
    let found = run.run(meter);
    if let (Some(path), Some(items)) = (trail, run.trail.take()) {
        *path = Path { items, is_ordered: true };
    }
    if found == Some(Found::No) {
        findings.furthest = Some(run.consumed.as_slice().into());
        if problem.strict {
            // A question that is not strict follows. It tells more.
            findings.stuck = run.stuck();
        } else {
            findings.failure = run.failure();
        }
    }
    found
}

/// By component: its times, if its clock goes backwards and times matter; `None` if some are too far apart.
fn instants(observation: &Observation<'_>) -> Option<Vec<Option<Instants>>> {
    let problem = observation.problem;
    let logs = observation.logs.iter().enumerate();
    let each = logs.map(|(at, log)| {
        if log.is_broken && problem.valued.has_times() {
            Instants::new(problem, ComponentId::new(at), log).map(Some)
        } else {
            Some(None)
        }
    });
    each.collect()
}

/// A run over complete logs that got stuck.
///
/// All that happened in it is possible, too, if logs may have stopped early. So a run with that question goes on from here.
#[derive(Debug)]
pub(in super::super) struct Stuck {
    sessions: Vec<Sessions>,
    consumed: Vec<u32>,
}

/// The number of events of a long log.
const LONG: usize = 1000;

/// The route of an action, as far as it is known.
#[derive(Debug, Clone, Copy)]
pub(super) enum Looked {
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

#[expect(clippy::struct_excessive_bools, reason = "what is so of the whole run, each by itself")]
pub(super) struct Run<'r, 'p> {
    pub(super) keyed: &'r mut Keyed,
    pub(super) observation: Observation<'p>,
    /// By unit.
    pub(super) sessions: Vec<Sessions>,
    /// How sessions go on with events that nobody saw.
    pub(super) chains: Chains,
    pub(super) slow: Vec<SlowSession>,
    /// By action: its route, once looked up.
    pub(super) routes: Vec<Looked>,
    /// By action: what its events have in common, for those that are [plain](super::plain).
    pub(super) lanes: Vec<Lane>,
    /// Whether events may happen as plain ones, without a look at the order of logs or the rank of events, and untold.
    runs_plain: bool,
    /// By component: the values of its log.
    pub(super) facts: Vec<LogFacts<'p>>,
    /// By component: its times, if its clock goes backwards.
    pub(super) instants: &'p [Option<Instants>],
    pub(super) consumed: Vec<u32>,
    pub(super) may_miss: bool,
    /// Whether some event went the way of the exact search.
    pub(super) was_slow: bool,
    /// Whether all choices so far were forced.
    pub(super) is_forced: bool,
    budget_spent: Option<Stop>,
    /// The operand of the outermost `strict` whose events happen now.
    pub(super) rank: usize,
    /// Changes that may have to be taken back.
    pub(super) journal: Vec<Change>,
    /// Tables in which nothing can happen any more, once the event at hand has happened.
    pub(super) closing: Vec<(usize, u32)>,
    /// By unit: a session that could not do without some lifelines.
    pub(super) hints: Vec<usize>,
    /// A session that cannot end.
    pub(super) unfinished: Option<Place>,
    /// The events so far, if a witness is asked for.
    pub(super) trail: Option<Vec<Item>>,
}

impl<'r, 'p> Run<'r, 'p> {
    fn new(
        keyed: &'r mut Keyed,
        observation: Observation<'p>,
        instants: &'p [Option<Instants>],
        may_miss: bool,
        wants_trail: bool,
    ) -> Self {
        let problem = observation.problem;
        let of_unit = |unit: &Unit| match (unit.is_single, unit.keys.is_empty()) {
            (false, _) => Sessions::Sparse(sessions::Tables::default()),
            (true, false) => Sessions::Dense(Cells::of(IDLE, problem.facts.value_count())),
            (true, true) => Sessions::Dense(Cells::of(unit.tables.root, 1)),
        };
        let components = problem.trace.partition().components();
        let facts = components.zip(instants).map(|(component, instants)| {
            let facts = problem.facts.log(component);
            match instants {
                Some(instants) => facts.with_times(&instants.numbers),
                None => facts,
            }
        });
        Run {
            facts: facts.collect(),
            instants,
            lanes: vec![Lane::NotYet; problem.pool.action_count()],
            runs_plain: keyed.has_keys
                && keyed.ranks.is_none()
                && problem.order.is_none()
                && !wants_trail,
            sessions: keyed.units.iter().map(of_unit).collect(),
            chains: Chains::default(),
            slow: Vec::new(),
            routes: vec![Looked::NotYet; problem.pool.action_count()],
            consumed: vec![0; observation.logs.len()],
            may_miss,
            was_slow: false,
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
    /// The run as it is, if another one can go on from here: if all its steps would be the only ones there, too. A step that
    /// compares values that were not logged, or times across a clock that went backwards, may fail in a question about Pass only; and
    /// no event may have waited for its rank in vain.
    fn stuck(self) -> Option<Stuck> {
        let is_certain = !self.was_slow && self.instants.iter().all(Option::is_none);
        let is_simple = is_certain && self.trail.is_none() && self.is_forced;
        let Run { sessions, consumed, .. } = self;
        (is_simple && self.keyed.ranks.is_none()).then_some(Stuck { sessions, consumed })
    }

    /// Goes on from where another run over the same logs got stuck.
    fn resume(&mut self, Stuck { sessions, consumed }: Stuck) {
        let logs = self.observation.logs.iter();
        if logs.zip(&consumed).all(|(log, &consumed)| consumed as usize <= log.len) {
            self.sessions = sessions;
            self.consumed = consumed;
        }
    }

    fn run(&mut self, meter: &mut Meter<'_>) -> Option<Found> {
        let count = self.consumed.len();
        loop {
            let mut moved = false;
            for component in 0..count {
                while (self.consumed[component] as usize) < self.observation.logs[component].len {
                    if self.runs_plain {
                        let before = self.consumed[component];
                        let ended = self.fire_plain(component, meter);
                        moved |= self.consumed[component] > before;
                        match ended {
                            Ended::Blocked => break,
                            Ended::General => {}
                            Ended::Stopped(stop) => return Some(Found::Unknown(stop)),
                        }
                    }
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

    pub(super) fn rank_of(&self, route: Route) -> usize {
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
            (self.keyed.units.first(), self.sessions[ROOT].all().get(0))
        else {
            return false;
        };
        let exprs = &unit.tables.exprs;
        let shape = match session.shape {
            IDLE => return false,
            SLOW => self.slow_of(session).expr,
            shape => shape,
        };
        exprs.size(shape) > 16 * exprs.size(unit.tables.root).saturating_add(4)
    }

    /// Whether events of some component may be unobserved now.
    pub(super) fn has_outside(&self) -> bool {
        let is_outside = |component| self.observation.is_outside(&self.consumed, component);
        self.may_miss && (0..self.consumed.len()).any(is_outside)
    }

    #[cold]
    pub(super) fn find_route(&mut self, action: ActionId) -> Option<Route> {
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

    pub(super) fn session(&self, place: Place) -> Session {
        self.sessions[place.unit].all().get(place.cell).unwrap_or(Session::new(IDLE))
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
            let around = &self.keyed.units[unit].around;
            let is_alone = around.is_empty() || (self.keyed.skips_root && **around == [ROOT]);
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
                // Nobody looks at this session again.
                if is_alone
                    && self.trail.is_none()
                    && session.shape != SLOW
                    && self.after_chain(unit, session, Goal::End).is_some()
                {
                    continue;
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
        let key = |&Place { unit, cell }: &Place| {
            let variable = self.keyed.units[unit].only_key()?;
            Some((variable, facts.item(self.sessions[unit].key(cell)).clone()))
        };
        let keys = self.path_to(place).iter().filter_map(key).collect();
        let item = Item { leaf, ends: SmallVec::from_elem(end, 1), keys, position: None };
        self.trail.get_or_insert_default().push(item);
    }
}
