//! Events that nobody saw, without a search: the one way in which a session reaches an event that waits for them.
//!
//! A log that is over may have stopped early, so events of its component can happen unobserved. If the next event of another
//! log waits for them, and at each point only one of them is possible, they form a *chain* that depends on the shape of
//! the session alone. It is found once for each shape and kind of event, and then replayed on registers. An unobserved event takes
//! the time at which its log ended, which suits every bound from above. (Bounds from below are left to the search.)
//!
//! Chains depend on which logs are over, so they are forgotten when one more ends. Whatever is no chain goes the slow way,
//! session by session.

use otus_core::index::Index as _;
use otus_trace::ComponentId;
use rustc_hash::FxHashMap;

use super::super::expr::{ExprId, KindId};
use super::fast::{Answer, At, Entry, FastStep, Registers};
use super::plan::Route;
use super::run::{Fired, Run, Session, make};

/// The most unobserved events before an observed one, or before the end of a session.
const LONGEST: usize = 16;

/// How a session reaches an event, or its end.
#[derive(Debug, Clone)]
enum Chain {
    /// After these unobserved events, which have these components, the steps of the event are in a range.
    Reached(Vec<(usize, FastStep)>, u32, u32),
    /// Whatever happens unobserved, the event is not possible.
    Blocked,
    /// There is more than one way, or registers do not suffice.
    Unclear,
}

/// The chains of all shapes met since the last log ended.
#[derive(Debug, Default)]
pub(super) struct Chains {
    /// By part, shape, and kind of event; no kind for the end of a session.
    known: FxHashMap<(usize, ExprId, Option<KindId>), Chain>,
    /// The number of logs that were over.
    over: usize,
}

impl Run<'_, '_> {
    /// Lets the next event of a component happen after a chain of unobserved events; `None` if there is no chain.
    pub(super) fn fire_after_chain(
        &mut self,
        component: usize,
        (route, key): (Route, usize),
        session: Session,
    ) -> Option<Fired> {
        let problem = self.observation.problem;
        let (silent, from, to) = match self.chain(route.part, session.shape, Some(route.kind)) {
            Chain::Reached(silent, from, to) => (silent, *from, *to),
            Chain::Blocked => return Some(Fired::Blocked),
            Chain::Unclear => return None,
        };
        let silent = std::mem::take(silent);
        let mut registers = session.registers;
        let holds = silent.iter().all(|(at, step)| self.happens(&mut registers, *at, step));
        self.put_back(route, session.shape, silent);
        if !holds {
            return None;
        }
        let id = ComponentId::new(component);
        let at = self.consumed[component] as usize;
        let peer = problem.pool.action(problem.trace.steps(id)[at].action()).peer;
        let event = At { facts: problem.facts, component: id, step: at, peer };
        let mut next = None;
        for step in self.keyed.parts[route.part].fast.range(from, to) {
            match step.test(&registers, event) {
                Answer::Fails => {}
                Answer::Holds if next.is_none() => {
                    let registers = step.registers(&registers, event)?;
                    next = Some((Session { shape: step.to, registers }, step.leaf));
                }
                Answer::Unlogged | Answer::Holds => return None,
            }
        }
        let (next, leaf) = next?;
        if self.trail.is_some() {
            self.record_chain((route.part, key), session.shape, Some(route.kind));
            self.record((route.part, key), leaf, (component, Some((at, at + 1))));
        }
        self.sessions[route.part][key] = next;
        self.consumed[component] += 1;
        Some(Fired::Moved)
    }

    /// Whether a session can end after a chain of unobserved events; `None` if there is no chain.
    pub(super) fn ends_after_chain(&mut self, part: usize, key: usize) -> Option<bool> {
        let session = self.sessions[part][key];
        let silent = match self.chain(part, session.shape, None) {
            Chain::Reached(silent, ..) => silent.clone(),
            Chain::Blocked => return Some(false),
            Chain::Unclear => return None,
        };
        let mut registers = session.registers;
        let holds = silent.iter().all(|(at, step)| self.happens(&mut registers, *at, step));
        if holds && self.trail.is_some() {
            self.record_chain((part, key), session.shape, None);
        }
        // With a deadline that had passed, there may be another way.
        holds.then_some(true)
    }

    /// Keeps the unobserved events of a chain, for a witness.
    #[cold]
    fn record_chain(&mut self, at: (usize, usize), shape: ExprId, kind: Option<KindId>) {
        let Chain::Reached(silent, ..) = self.chain(at.0, shape, kind) else { return };
        let events: Vec<_> = silent.iter().map(|(own, step)| (*own, step.leaf)).collect();
        for (component, leaf) in events {
            self.record(at, leaf, (component, None));
        }
    }

    /// Lets an unobserved event of a component change registers, if it passes its tests.
    fn happens(&self, registers: &mut Registers, component: usize, step: &FastStep) -> bool {
        let now = self.observation.logs[component].last;
        let Some(next) = step.unobserved(registers, now) else { return false };
        *registers = next;
        true
    }

    /// A chain was taken out to be replayed.
    fn put_back(&mut self, route: Route, shape: ExprId, silent: Vec<(usize, FastStep)>) {
        let at = (route.part, shape, Some(route.kind));
        if let Some(Chain::Reached(empty, ..)) = self.chains.known.get_mut(&at) {
            *empty = silent;
        }
    }

    fn chain(&mut self, part: usize, shape: ExprId, kind: Option<KindId>) -> &mut Chain {
        let logs = self.observation.logs.iter().zip(&self.consumed);
        let over = logs.filter(|(log, consumed)| **consumed as usize == log.len).count();
        if over != self.chains.over {
            self.chains = Chains { over, ..Chains::default() };
        }
        let at = (part, shape, kind);
        if !self.chains.known.contains_key(&at) {
            let chain = self.find_chain(part, shape, kind).unwrap_or(Chain::Unclear);
            self.chains.known.insert(at, chain);
        }
        self.chains.known.entry(at).or_insert(Chain::Unclear)
    }

    /// `None` if it is unclear.
    fn find_chain(
        &mut self,
        part: usize,
        mut shape: ExprId,
        kind: Option<KindId>,
    ) -> Option<Chain> {
        let mut silent = Vec::new();
        for _ in 0..LONGEST {
            let own = &mut self.keyed.parts[part];
            match kind {
                Some(kind) => {
                    let mut entry = own.fast.get(shape, kind);
                    if entry == Entry::Unknown {
                        entry = make(own, self.observation.problem, shape, kind);
                    }
                    match entry {
                        Entry::Fast(from, to) => return Some(Chain::Reached(silent, from, to)),
                        Entry::Slow | Entry::Unknown => return None,
                        Entry::Never => {}
                    }
                }
                None if own.tables.exprs.nullable(shape) => {
                    return Some(Chain::Reached(silent, 0, 0));
                }
                None => {}
            }
            let Some((component, step)) = self.only_unobserved(part, shape)?.pop() else {
                return Some(Chain::Blocked);
            };
            shape = step.to;
            silent.push((component, step));
        }
        None
    }

    /// The events that can happen unobserved in a session of this shape: none, or one with its component. `None` if there are
    /// several, or one does not work on registers alone.
    fn only_unobserved(&mut self, part: usize, shape: ExprId) -> Option<Vec<(usize, FastStep)>> {
        let partition = self.observation.problem.trace.partition();
        let left = self.observation.lifelines_left(&self.consumed);
        let kinds: Vec<KindId> = self.keyed.parts[part].tables.exprs.kinds.items.ids().collect();
        let mut found = Vec::new();
        for kind in kinds {
            let own = &mut self.keyed.parts[part];
            let action = own.tables.exprs.kinds.items[kind].first().copied()?;
            let component = partition.component_of(action.lifeline).index();
            if !self.observation.is_outside(&self.consumed, component) {
                continue;
            }
            let tables = &mut own.tables;
            let ways = tables.steps.ways(&mut tables.exprs, shape, kind);
            for way in &*ways {
                if way.entered.iter().any(|&rest| tables.exprs.is_disjoint(rest, &left)) {
                    continue;
                }
                if !found.is_empty() || own.stage != self.stages[action.lifeline.index()] {
                    return None;
                }
                let anchors = self.observation.problem.anchors;
                let exprs = &tables.exprs;
                let step = FastStep::silent(exprs, way, component, anchors, partition)?;
                found.push((component, step));
            }
        }
        Some(found)
    }
}
