//! The exact search: states of shape, registers and conditions, event by event.
//!
//! A state is an expression, its registers, the conditions on open variables, and how much of each log is consumed. Its
//! steps consume the next moment of some log, or let an event happen that no log saw: on components whose log has not begun
//! and may start late, is over and may have stopped early, or is not there at all. By the loop lemma an explanation needs
//! only iterations with an observed event, so the number of unobserved events is bounded, and the search ends.
//!
//! Only events that touch a [stubborn](super::stubborn) set of components are tried. Where components are decoupled and the
//! question is not about a global prefix, `strict` is [relaxed](super::expr), and any single component is such a set: variables
//! do not couple components, because a valuation is one more choice that is made beforehand. So the search follows one
//! component at a time there, and only genuine choices branch.
//!
//! An order that was observed between logs ([`ObservedOrder`](otus_trace::ObservedOrder)) only removes steps: a moment is
//! consumed when its causes are, or together with them. It couples components, so all of them are followed at once then.

use std::sync::Arc;

use otus_core::index::Index as _;
use otus_core::{Action, ActionId, LifelineId, LifelineSet};
use otus_trace::ComponentId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::construct::{Item, Keys, Path};
use super::event::Memory;
use super::expr::{ExprId, Exprs, KindId, LeafId};
use super::failure::{self, LogPlace, Met, ValueCause, ValueFailure};
use super::observation::{Moment, Observation, Problem};
use super::step::{Steps, Way};
use crate::budget::{Meter, Stop};

/// The number of unobserved events that an explanation has at first.
const FEW: u64 = 4;

/// The conditions that are looked at in about the time that a state takes otherwise.
const WORK_OF_A_STATE: u64 = 20_000;

/// The size of expressions whose steps are kept only if they are asked for again.
const LARGE: u64 = 64;

/// The answer of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Yes,
    No,
    Unknown(Stop),
}

/// The tables that searches share.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) exprs: Exprs,
    pub(super) steps: Steps,
    pub(super) root: ExprId,
    /// By component and the actions of a moment: the kinds of events that it can be.
    pub(super) kinds: KindsOfMoments,
}

/// By component and the actions of a moment: kinds of events.
type KindsOfMoments = FxHashMap<(usize, Box<[ActionId]>), Arc<[KindId]>>;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) expr: ExprId,
    memory: Memory,
    /// By component: the number of consumed steps.
    pub(super) consumed: SmallVec<[u32; 4]>,
}

struct Node {
    state: State,
    /// The number of its event in the trail, if there is one.
    at: u32,
    /// The number of unobserved events that may still happen.
    silent: u64,
}

pub(super) struct Search<'s, 'p> {
    pub(super) observation: Observation<'p>,
    pub(super) tables: &'s mut Tables,
    /// By component: the leaves with an action there.
    pub(super) leaves_on: Vec<Vec<LeafId>>,
    /// By lifeline: the lifelines of its component.
    pub(super) homes: Vec<LifelineSet>,
    seen: FxHashMap<State, u64>,
    /// Whether some conditions could not be decided.
    undecided: bool,
    /// Whether more unobserved events could have happened.
    was_limited: bool,
    bytes: usize,
    /// The work of deciding conditions since a state was last counted, in conditions that were looked at.
    work: u64,
    /// The state that consumed the most steps; for a failure.
    furthest: Option<State>,
    /// The events that were tried, each with the number of the one before it; if a witness is asked for.
    trail: Option<Vec<(u32, Item)>>,
    /// The last event of the explanation that was found.
    found: u32,
}

/// No event.
const START: u32 = u32::MAX;

impl<'s, 'p> Search<'s, 'p> {
    pub(super) fn new(problem: &'p Problem<'p>, tables: &'s mut Tables) -> Self {
        let observation = Observation::new(problem);
        let partition = problem.trace.partition();
        let homes = (0..partition.lifeline_count())
            .map(|at| partition.set(partition.component_of(LifelineId::new(at))))
            .collect();
        let mut leaves_on = vec![Vec::new(); observation.logs.len()];
        for (id, leaf) in tables.exprs.leaves.iter_with_ids() {
            for lifeline in leaf.lifelines.iter() {
                let on: &mut Vec<LeafId> = &mut leaves_on[partition.component_of(lifeline).index()];
                if on.last() != Some(&id) {
                    on.push(id);
                }
            }
        }
        Search {
            observation,
            tables,
            leaves_on,
            homes,
            seen: FxHashMap::default(),
            undecided: false,
            was_limited: false,
            bytes: 0,
            work: 0,
            furthest: None,
            trail: None,
            found: START,
        }
    }

    /// The same, and its events are kept.
    pub(super) fn with_trail(self) -> Self {
        Search { trail: Some(Vec::new()), ..self }
    }

    /// The events of the explanation that was found.
    pub(super) fn path(self) -> Path {
        let trail = self.trail.unwrap_or_default();
        let mut items = Vec::new();
        let mut at = self.found;
        while let Some((before, item)) = trail.get(at as usize) {
            items.push(item.clone());
            at = *before;
        }
        items.reverse();
        Path { items, is_ordered: !self.tables.exprs.is_relaxed() }
    }

    /// Whether the interaction explains the multi-trace.
    pub(super) fn run(&mut self, meter: &mut Meter<'_>) -> Found {
        let moments: u64 = (0..self.observation.logs.len())
            .filter(|&at| self.observation.logs[at].len > 0)
            .map(|at| self.observation.problem.trace.moments(ComponentId::new(at)).count() as u64)
            .sum();
        let memory = Memory::new(self.observation.problem.valued, self.observation.logs.len());
        let root = self.tables.root;
        let consumed = SmallVec::from_elem(0, self.observation.logs.len());
        let state = State { expr: root, memory, consumed };
        let most = self.tables.exprs.bound(root, moments);
        // Most explanations need few unobserved events.
        let mut limit = FEW;
        loop {
            self.was_limited = false;
            let silent = limit.min(most);
            let start = Node { state: state.clone(), at: START, silent };
            if let Some(found) = self.explore(start, meter) {
                return found;
            }
            if !self.was_limited || limit >= most {
                break;
            }
            limit = limit.saturating_mul(4);
        }
        if self.undecided { Found::Unknown(Stop::States) } else { Found::No }
    }

    /// Explores all states from one on; `None` if none of them is explained.
    fn explore(&mut self, start: Node, meter: &mut Meter<'_>) -> Option<Found> {
        let mut pending = vec![start];
        while let Some(node) = pending.pop() {
            if let Some(stop) = meter.count() {
                return Some(Found::Unknown(stop));
            }
            let work = std::mem::take(&mut self.work) / WORK_OF_A_STATE;
            if work > 0
                && let Some(stop) = meter.count_work(work)
            {
                return Some(Found::Unknown(stop));
            }
            let tables = self.tables.exprs.bytes() + self.tables.steps.bytes();
            if meter.is_too_large(self.bytes + tables) {
                return Some(Found::Unknown(Stop::Memory));
            }
            if !self.enter(&node) {
                continue;
            }
            if self.is_explained(&node.state) {
                self.found = node.at;
                return Some(Found::Yes);
            }
            let mut next = self.successors(&node);
            // The first successor is followed first.
            next.reverse();
            pending.extend(next);
        }
        None
    }

    /// Whether a state is new, or has more unobserved events left than before.
    fn enter(&mut self, node: &Node) -> bool {
        let sum = |consumed: &[u32]| consumed.iter().map(|&c| u64::from(c)).sum::<u64>();
        let reached = self.furthest.as_ref().map(|state| sum(&state.consumed));
        if reached.is_none_or(|reached| sum(&node.state.consumed) > reached) {
            self.furthest = Some(node.state.clone());
        }
        match self.seen.get_mut(&node.state) {
            Some(known) if *known >= node.silent => false,
            Some(known) => {
                *known = node.silent;
                true
            }
            None => {
                self.bytes += size_of::<State>() + 32 + node.state.memory.bytes();
                self.seen.insert(node.state.clone(), node.silent);
                true
            }
        }
    }

    /// Whether all logs are consumed and the rest can be left out.
    fn is_explained(&self, state: &State) -> bool {
        self.observation.all_consumed(&state.consumed) && self.tables.exprs.nullable(state.expr)
    }

    /// The states after the events that touch a stubborn set: one with the fewest of them.
    fn successors(&mut self, node: &Node) -> Vec<Node> {
        let mut best: Option<(usize, usize, u32, Vec<Node>)> = None;
        for set in self.stubborn(&node.state) {
            let components = set.iter().filter(|is_in| **is_in).count();
            if best.as_ref().is_some_and(|(fewest, ..)| *fewest < components) {
                break;
            }
            let mut next = Vec::new();
            for component in 0..set.len() {
                self.consume(node, component, &set, &mut next);
            }
            self.let_happen(node, &set, &mut next);
            let size = next.iter().map(|n| self.tables.exprs.size(n.state.expr)).max().unwrap_or(0);
            let is_forced = next.len() <= 1 && size <= self.tables.exprs.size(node.state.expr);
            let is_better = best
                .as_ref()
                .is_none_or(|(_, others, old, _)| (next.len(), size) < (*others, *old));
            if is_better {
                best = Some((components, next.len(), size, next));
            }
            if is_forced {
                break;
            }
        }
        best.map_or_else(Vec::new, |(.., next)| next)
    }

    /// The kinds of events that a component would observe as its next moment.
    pub(super) fn kinds_of(&mut self, component: usize, from: usize, to: usize) -> Arc<[KindId]> {
        let problem = self.observation.problem;
        let steps = &problem.trace.steps(ComponentId::new(component))[from..to];
        let key: Box<[ActionId]> = steps.iter().map(|step| step.action()).collect();
        if let Some(known) = self.tables.kinds.get(&(component, key.clone())) {
            return Arc::clone(known);
        }
        let partition = problem.trace.partition();
        let is_own = |action: &Action| partition.component_of(action.lifeline).index() == component;
        let mut actions: Vec<Action> =
            key.iter().map(|&action| problem.pool.action(action).without_peer()).collect();
        actions.sort_unstable();
        let kinds: Arc<[KindId]> = self
            .tables
            .exprs
            .kinds
            .items
            .iter_with_ids()
            .filter(|(_, kind)| kind.iter().filter(|a| is_own(a)).eq(actions.iter()))
            .map(|(id, _)| id)
            .collect();
        self.tables.kinds.insert((component, key), Arc::clone(&kinds));
        kinds
    }

    /// Adds the states after a component's next moment, if the event touches a set of components.
    fn consume(&mut self, node: &Node, component: usize, set: &[bool], next: &mut Vec<Node>) {
        let Some((from, to)) = self.observation.next_moment(&node.state.consumed, component) else {
            return;
        };
        for &kind in &*self.kinds_of(component, from, to) {
            if !self.components_of(kind).iter().any(|&other| set[other]) {
                continue;
            }
            // By component of the event: the moment that it is there, or `None` if it is unobserved.
            let mut ways: Vec<Vec<(usize, Moment)>> = vec![Vec::new()];
            for other in self.components_of(kind) {
                let mut choices: SmallVec<[Moment; 2]> = SmallVec::new();
                if other == component {
                    choices.push(Some((from, to)));
                } else {
                    if let Some((from, to)) = self.observation.next_moment(&node.state.consumed, other)
                        && self.kinds_of(other, from, to).contains(&kind)
                        // Each combination is made from its first component only.
                        && other > component
                    {
                        choices.push(Some((from, to)));
                    }
                    if self.observation.is_outside(&node.state.consumed, other) {
                        choices.push(None);
                    }
                }
                ways = ways
                    .iter()
                    .flat_map(|way| {
                        choices.iter().map(move |&choice| {
                            let mut way = way.clone();
                            way.push((other, choice));
                            way
                        })
                    })
                    .collect();
            }
            for ends in ways {
                self.fire(node, kind, &ends, next);
            }
        }
    }

    /// Adds the states after an event that no log saw, if it touches a set of components.
    fn let_happen(&mut self, node: &Node, set: &[bool], next: &mut Vec<Node>) {
        let kinds: Vec<KindId> = self.tables.exprs.kinds.items.ids().collect();
        for kind in kinds {
            let components = self.components_of(kind);
            if !components.iter().any(|&component| set[component]) {
                continue;
            }
            if components
                .iter()
                .all(|&component| self.observation.is_outside(&node.state.consumed, component))
            {
                let ends: Vec<_> = components.iter().map(|&component| (component, None)).collect();
                self.fire(node, kind, &ends, next);
            }
        }
    }

    /// The components of a kind of event.
    pub(super) fn components_of(&self, kind: KindId) -> SmallVec<[usize; 2]> {
        let partition = self.observation.problem.trace.partition();
        let mut all: SmallVec<[usize; 2]> = SmallVec::new();
        for action in &self.tables.exprs.kinds.items[kind] {
            let component = partition.component_of(action.lifeline).index();
            if !all.contains(&component) {
                all.push(component);
            }
        }
        all
    }

    fn fire(&mut self, node: &Node, kind: KindId, ends: &[(usize, Moment)], next: &mut Vec<Node>) {
        if !self.observation.is_in_order(&node.state.consumed, ends) {
            return;
        }
        let is_silent = ends.iter().all(|(_, moment)| moment.is_none());
        let silent = node.silent.checked_sub(u64::from(is_silent));
        let ways = self.ways(&node.state, kind, ends);
        // Every iteration has an observed event, so one that begins unobserved needs a log with events left.
        let left = is_silent.then(|| self.observation.lifelines_left(&node.state.consumed));
        for way in &*ways {
            if let Some(left) = &left
                && way.entered.iter().any(|&rest| self.tables.exprs.is_disjoint(rest, left))
            {
                continue;
            }
            let Some(silent) = silent else {
                self.was_limited = true;
                return;
            };
            let mut memory = node.state.memory.clone();
            let leaf = &self.tables.exprs.leaves[way.leaf];
            let consumed = &node.state.consumed;
            if !self.observation.test(&mut memory, consumed, &way.usage(leaf), ends) {
                continue;
            }
            match memory.settle_counted(&mut self.work) {
                Some(true) => {}
                Some(false) => continue,
                // Going on with conditions that may have no solution must not end in a Yes.
                None => {
                    self.undecided = true;
                    continue;
                }
            }
            let mut consumed = node.state.consumed.clone();
            for &(component, moment) in ends {
                if let Some((_, to)) = moment {
                    consumed[component] = u32::try_from(to).unwrap_or(u32::MAX);
                }
            }
            let state = State { expr: way.rest, memory, consumed };
            let mut at = START;
            if let Some(trail) = &mut self.trail {
                at = u32::try_from(trail.len()).unwrap_or(START);
                let leaf = self.tables.exprs.leaves[way.leaf].node;
                let item = Item { leaf, ends: ends.into(), keys: Keys::new(), position: None };
                trail.push((node.at, item));
                self.bytes += size_of::<(u32, Item)>();
            }
            next.push(Node { state, at, silent });
        }
    }

    /// The ways in which an event can happen in a state. In large expressions that are new, those whose guards are false are
    /// left out.
    fn ways(&mut self, state: &State, kind: KindId, ends: &[(usize, Moment)]) -> Arc<[Way]> {
        let Search { tables, observation, work, .. } = self;
        let Tables { exprs, steps, .. } = &mut **tables;
        let size = u64::from(exprs.size(state.expr));
        if size <= LARGE || steps.recurs(state.expr, kind) {
            return steps.ways(exprs, state.expr, kind);
        }
        Steps::possible(exprs, (state.expr, kind), |usage| {
            *work += size;
            observation.test(&mut state.memory.clone(), &state.consumed, usage, ends)
        })
    }

    /// The numbers of steps that the furthest state consumed.
    pub(super) fn consumed(&self) -> Option<Box<[u32]>> {
        self.furthest.as_ref().map(|state| state.consumed.as_slice().into())
    }

    /// Why the furthest state could not go on.
    pub(super) fn failure(&mut self) -> Option<ValueFailure> {
        let state = self.furthest.clone()?;
        let mut obstacles = Vec::new();
        for component in 0..self.observation.logs.len() {
            let Some((from, to)) = self.observation.next_moment(&state.consumed, component) else {
                continue;
            };
            let at = LogPlace { component: ComponentId::new(component), step: from };
            let kinds = self.kinds_of(component, from, to);
            let observation = &self.observation;
            let mut ahead = |action: Action| {
                let problem = observation.problem;
                let component = problem.trace.partition().component_of(action.lifeline);
                let mut steps = state.consumed[component.index()] as usize
                    ..observation.logs[component.index()].len;
                let step = steps.find(|&step| {
                    let own = problem.trace.steps(component)[step].action();
                    problem.pool.action(own).without_peer() == action
                })?;
                Some(LogPlace { component, step })
            };
            let Tables { exprs, steps, .. } = &mut *self.tables;
            let (expr, memory) = (state.expr, &state.memory);
            let mut met = Met { observation, exprs, steps, expr, memory, session: None };
            let found = kinds.iter().map(|&kind| met.obstacle(kind, at, &mut ahead));
            obstacles.extend(found.min_by_key(|obstacle| obstacle.weight));
        }
        if obstacles.is_empty() {
            let Tables { exprs, steps, .. } = &mut *self.tables;
            let (expr, memory) = (state.expr, &state.memory);
            let observation = &self.observation;
            let mut met = Met { observation, exprs, steps, expr, memory, session: None };
            let expected = met.expected();
            let overdue = met.overdue();
            let cause = ValueCause::Missing { since: None, overdue };
            let at = overdue.and_then(|overdue| overdue.time.since);
            return Some(ValueFailure { at, cause, expected, key: None, frontier: Vec::new() });
        }
        failure::choose(obstacles)
    }
}
