//! Sessions by the exact search, each by itself, and then together.
//!
//! Where the greedy run decides nothing, because logs start late, because the order of events matters, or because an event can
//! happen in several ways, the events of a session are still known by their key. If the root orders nothing:
//!
//! - *No.* An explanation of all logs has one of each session in it: that of its own events, in logs that are as complete as the
//!   whole ones and have their first and last times. So a session that is not explained refutes the logs.
//! - *Yes.* The explanations of the sessions say which leaf each event is, and which events nobody saw. All of them together
//!   happen in the real order of the logs, first those that nobody saw. If that ends, it is an explanation. If not, others might
//!   do, so nothing is decided.

use std::collections::{BTreeMap, VecDeque};

use otus_core::index::Index as _;
use otus_core::valued::{FieldId, ValuedId};
use otus_trace::multitrace::Builder;
use otus_trace::{ComponentId, FactId, Facts, MultiTrace};
use smallvec::SmallVec;

use super::super::Findings;
use super::super::construct::{Item, Keys, Path};
use super::super::event::Memory;
use super::super::expr::KindId;
use super::super::failure::{LogPlace, ValueCause, ValueFailure};
use super::super::observation::{Log, Moment, Observation, Problem};
use super::super::search::{Found, Search, Tables};
use super::plan::{Keyed, Level, ROOT};
use super::slow::SlowSession;
use crate::budget::{Meter, Stop};

/// Whether the sessions explain the logs; `None` if that is not decided.
pub(in super::super) fn explain_by_sessions(
    keyed: &mut Keyed,
    problem: &Problem<'_>,
    meter: &mut Meter<'_>,
    findings: &mut Findings,
    trail: Option<&mut Path>,
) -> Option<Found> {
    let observation = Observation::new(problem);
    if !keyed.skips_root || keyed.units[ROOT + 1..].iter().any(|unit| !unit.holes.is_empty()) {
        return None;
    }
    // A session that is not in a log has no epoch there, if all of it may have been before the log or after it.
    let is_unclear = |log: &Log| log.is_broken && log.observed.may_start_late();
    if problem.valued.has_times() && observation.logs.iter().any(is_unclear) {
        return None;
    }
    let sessions = sessions(keyed, &observation)?;
    let mut parts = Vec::with_capacity(sessions.len());
    for ((unit, key), steps) in sessions {
        let (trace, facts) = part_of(problem, &steps);
        let part = Problem { trace: &trace, facts: &facts, order: None, ..*problem };
        let mut search = Search::new(&part, &mut keyed.units[unit].tables).with_trail();
        let logs = search.observation.logs.iter_mut().zip(&observation.logs);
        for ((own, log), steps) in logs.zip(&steps) {
            own.copy_epochs(log, steps);
            // Of a session without events in a log, all may have been before it or after it.
            let is_outside = own.len == 0 && log.observed.may_start_late();
            (own.first, own.last) = if is_outside { (None, None) } else { (log.first, log.last) };
        }
        match search.run(meter) {
            Found::Yes => {}
            Found::No => {
                findings.furthest =
                    search.consumed().map(|consumed| reached(&observation, &steps, &consumed));
                let own = search.failure().map(|failure| failure.moved(|at| full(&steps, at)));
                let begun = search.consumed().and_then(|consumed| begun(&steps, &consumed));
                findings.failure = own.map(|own| named(keyed, problem, own, begun));
                return Some(Found::No);
            }
            Found::Unknown(stop) if stop != Stop::States || meter.is_out() => {
                return Some(Found::Unknown(stop));
            }
            Found::Unknown(_) => return None,
        }
        let items = search.path().items;
        parts.push(Part::new(keyed, problem, (unit, key), &steps, items));
    }
    let wants_trail = trail.is_some();
    let together = Together::new(keyed, observation, parts, wants_trail)?;
    let items = together.run(meter)?;
    if let Some(path) = trail {
        *path = Path { items, is_ordered: true };
    }
    Some(Found::Yes)
}

/// By component: the steps of a session.
type Steps = Vec<Vec<usize>>;

/// A step of the logs, given its place in those of a session.
fn full(steps: &Steps, at: LogPlace) -> LogPlace {
    let own = &steps[at.component.index()];
    LogPlace { step: own.get(at.step).or(own.last()).copied().unwrap_or(0), ..at }
}

/// By component: the steps before the first one of a session that is not explained.
fn reached(observation: &Observation<'_>, steps: &Steps, consumed: &[u32]) -> Box<[u32]> {
    let logs = observation.logs.iter().zip(steps).zip(consumed);
    let first = logs.map(|((log, own), &consumed)| own.get(consumed as usize).unwrap_or(&log.len));
    first.map(|&step| u32::try_from(step).unwrap_or(u32::MAX)).collect()
}

/// The event that began a session, as far as it was explained: the first one of a log.
fn begun(steps: &Steps, consumed: &[u32]) -> Option<LogPlace> {
    let component = consumed.iter().position(|&consumed| consumed > 0)?;
    let step = *steps[component].first()?;
    Some(LogPlace { component: ComponentId::new(component), step })
}

/// A failure with the key of its session. An event that is not possible at all belongs to a session that never began, or
/// begins one again.
fn named(
    keyed: &mut Keyed,
    problem: &Problem<'_>,
    mut failure: ValueFailure,
    begun: Option<LogPlace>,
) -> ValueFailure {
    let Some(at) = failure.at else { return failure };
    let Some(step) = problem.trace.steps(at.component).get(at.step) else { return failure };
    let action = problem.pool.action(step.action()).without_peer();
    let Some(&route) = keyed.routes.get(&action) else { return failure };
    let Some(&Level { unit, key: Some(field) }) = keyed.levels(route).last() else {
        return failure;
    };
    let Some(value) = problem.facts.known(field, at.component, at.step) else { return failure };
    failure.key = Some((field, value.clone()));
    if failure.cause == ValueCause::Unexpected {
        let Tables { exprs, steps, root, .. } = &mut keyed.units[unit].tables;
        let is_first = !steps.ways(exprs, *root, route.kind).is_empty();
        if begun.is_none() {
            failure.cause = ValueCause::NoSession { field, value, open: Vec::new(), open_count: 0 };
        } else if is_first {
            failure.cause = ValueCause::UsedAgain { field, value, since: begun };
        }
    }
    failure
}

/// By unit and key: the steps of a session.
type AllSteps = BTreeMap<(usize, u32), Steps>;

/// The steps of all sessions; `None` if the session of an event is not known.
fn sessions(keyed: &Keyed, observation: &Observation<'_>) -> Option<AllSteps> {
    let problem = observation.problem;
    let count = observation.logs.len();
    let mut found: AllSteps = BTreeMap::new();
    for (number, unit) in keyed.units.iter().enumerate().skip(1) {
        if unit.keys.is_empty() {
            found.insert((number, 0), vec![Vec::new(); count]);
        }
    }
    for (component, log) in observation.logs.iter().enumerate() {
        let id = ComponentId::new(component);
        let steps = problem.trace.steps(id);
        for (at, step) in steps[..log.len].iter().enumerate() {
            if step.joined() {
                return None;
            }
            let action = problem.pool.action(step.action()).without_peer();
            let &Level { unit, key } = keyed.levels(*keyed.routes.get(&action)?).last()?;
            let key = match key {
                None => 0,
                Some(field) => problem.facts.value(field, id, at)?.0,
            };
            let own = found.entry((unit, key)).or_insert_with(|| vec![Vec::new(); count]);
            own[component].push(at);
        }
    }
    Some(found)
}

/// The events of a session as logs of their own.
fn part_of(problem: &Problem<'_>, steps: &Steps) -> (MultiTrace, Facts) {
    let partition = problem.trace.shared_partition().clone();
    let count = steps.iter().map(Vec::len).sum();
    let mut builder = Builder::new(partition, count, false);
    for (component, own) in steps.iter().enumerate() {
        let all = problem.trace.steps(ComponentId::new(component));
        for &step in own {
            builder.next_moment();
            builder.push(all[step].action(), 0);
        }
        builder.next_component();
    }
    let trace = builder.finish(otus_syntax::SourceId::default());
    let count = problem.valued.fields.items.len();
    let mut facts = Facts::unknown(&trace, count);
    for (component, own) in steps.iter().enumerate() {
        let id = ComponentId::new(component);
        for (at, &step) in own.iter().enumerate() {
            for field in (0..count).map(FieldId::new) {
                if let Some(value) = problem.facts.known(field, id, step) {
                    facts.set(field, id, at, value);
                }
            }
        }
    }
    (trace, facts)
}

/// A session and the events of its explanation that have not happened yet.
struct Part {
    unit: usize,
    state: SlowSession,
    /// By component.
    queues: SmallVec<[VecDeque<Item>; 4]>,
}

impl Part {
    fn new(
        keyed: &Keyed,
        problem: &Problem<'_>,
        (unit, key): (usize, u32),
        steps: &Steps,
        items: Vec<Item>,
    ) -> Part {
        let own = &keyed.units[unit];
        let memory = Memory::new(problem.valued, steps.len());
        let mut queues: SmallVec<[VecDeque<Item>; 4]> =
            SmallVec::from_elem(VecDeque::new(), steps.len());
        // A unit without a key has one session, and its logs may carry no values at all.
        let value = || problem.facts.item(FactId(key)).clone();
        let keys: Keys = own.only_key().map(|variable| (variable, value())).into_iter().collect();
        for mut item in items {
            for (component, moment) in &mut item.ends {
                if let Some((from, to)) = moment {
                    let at = steps[*component][*from];
                    (*from, *to) = (at, at + 1);
                }
            }
            item.keys.clone_from(&keys);
            let component = item.ends[0].0;
            queues[component].push_back(item);
        }
        Part { unit, state: SlowSession { expr: own.tables.root, memory }, queues }
    }
}

/// All sessions, in the real order of the logs.
struct Together<'k, 'p> {
    keyed: &'k mut Keyed,
    observation: Observation<'p>,
    parts: Vec<Part>,
    consumed: Vec<u32>,
    /// By component: for each step, the session that it belongs to.
    owners: Vec<Vec<usize>>,
    /// By component: the unobserved events that must be before its log.
    early: Vec<usize>,
    items: Vec<Item>,
    wants_trail: bool,
}

impl<'k, 'p> Together<'k, 'p> {
    fn new(
        keyed: &'k mut Keyed,
        observation: Observation<'p>,
        parts: Vec<Part>,
        wants_trail: bool,
    ) -> Option<Self> {
        let count = observation.logs.len();
        let mut owners: Vec<Vec<usize>> =
            observation.logs.iter().map(|log| vec![0; log.len]).collect();
        let mut early = vec![0; count];
        for (number, part) in parts.iter().enumerate() {
            for (component, queue) in part.queues.iter().enumerate() {
                let moment = |item: &Item| item.ends[0].1;
                for (step, _) in queue.iter().filter_map(moment) {
                    *owners[component].get_mut(step)? = number;
                }
                let first = queue.iter().position(|item| moment(item).is_some());
                early[component] += first.unwrap_or(0);
            }
        }
        let consumed = vec![0; count];
        Some(Together {
            keyed,
            observation,
            parts,
            consumed,
            owners,
            early,
            items: Vec::new(),
            wants_trail,
        })
    }

    /// The events in an order in which all of them happen; `None` if none is found.
    fn run(mut self, meter: &mut Meter<'_>) -> Option<Vec<Item>> {
        let count = self.consumed.len();
        let mut changed: Vec<usize> = (0..self.parts.len()).collect();
        loop {
            while let Some(part) = changed.pop() {
                while (0..count).any(|component| self.happens(part, component, false)) {
                    if meter.count().is_some() {
                        return None;
                    }
                }
            }
            let next = (0..count).find_map(|component| {
                let at = self.consumed[component] as usize;
                let owner = *self.owners[component].get(at)?;
                (at > 0 || self.early[component] == 0).then_some(())?;
                self.happens(owner, component, true).then_some((owner, component))
            });
            let Some((owner, component)) = next else { break };
            if meter.count().is_some() {
                return None;
            }
            if self.consumed[component] as usize == self.observation.logs[component].len {
                changed.extend(0..self.parts.len());
            } else {
                changed.push(owner);
            }
        }
        let is_over = self.observation.all_consumed(&self.consumed)
            && self.parts.iter().all(|part| {
                let exprs = &self.keyed.units[part.unit].tables.exprs;
                part.queues.iter().all(VecDeque::is_empty) && exprs.nullable(part.state.expr)
            });
        is_over.then_some(self.items)
    }

    /// Lets the next event of a session on a component happen, if it is an observed one or not as asked; whether it did.
    fn happens(&mut self, part: usize, component: usize, is_observed: bool) -> bool {
        let own = &self.parts[part];
        let Some(item) = own.queues[component].front() else { return false };
        let ends: SmallVec<[(usize, Moment); 2]> = item.ends.clone();
        let leaf = item.leaf;
        match ends[0].1 {
            Some((from, _)) if !is_observed || from != self.consumed[component] as usize => {
                return false;
            }
            None if is_observed || !self.observation.is_outside(&self.consumed, component) => {
                return false;
            }
            Some(_) | None => {}
        }
        if !self.observation.is_in_order(&self.consumed, &ends) {
            return false;
        }
        let Some(next) = self.step(part, leaf, &ends) else { return false };
        if ends[0].1.is_some() {
            self.consumed[component] += 1;
        } else if self.consumed[component] == 0
            && self.parts[part].queues[component].iter().any(|item| item.ends[0].1.is_some())
        {
            self.early[component] -= 1;
        }
        let own = &mut self.parts[part];
        own.state = next;
        let item = own.queues[component].pop_front();
        if self.wants_trail {
            self.items.extend(item);
        }
        true
    }

    fn step(
        &mut self,
        part: usize,
        leaf: ValuedId,
        ends: &[(usize, Moment)],
    ) -> Option<SlowSession> {
        let Part { unit, state, .. } = &self.parts[part];
        let Tables { exprs, steps, .. } = &mut self.keyed.units[*unit].tables;
        let kind: KindId = exprs.leaves.iter().find(|own| own.node == leaf)?.kind;
        let ways = steps.ways(exprs, state.expr, kind);
        ways.iter().filter(|way| exprs.leaves[way.leaf].node == leaf).find_map(|way| {
            let mut memory = state.memory.clone();
            let usage = way.usage(&exprs.leaves[way.leaf]);
            let holds = self.observation.test(&mut memory, &self.consumed, &usage, ends)
                && memory.settle() == Some(true);
            holds.then_some(SlowSession { expr: way.rest, memory })
        })
    }
}
