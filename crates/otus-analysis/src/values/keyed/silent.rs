//! Events that nobody saw, without a search: the one way in which a session reaches an event that waits for them.
//!
//! A log that is over may have stopped early, so events of its component can happen unobserved. If the next event of another
//! log waits for them, and at each point only one of them is possible, they form a *chain* that depends on the shape of
//! the session alone. It is found once for each shape and kind of event, and then replayed on registers. An unobserved event takes
//! the time at which its log ended, which suits every bound from above. (Bounds from below are left to the search.)
//!
//! The same serves sessions that must do without a lifeline from now on, and sessions at the end of the logs.
//!
//! Chains depend on which logs are over, so they are forgotten when one more ends. Whatever is no chain goes the slow way,
//! session by session.

use std::rc::Rc;

use otus_core::index::Index as _;
use rustc_hash::FxHashMap;

use super::super::expr::{ExprId, Exprs, KindId, SetId, Var};
use super::fast::{Entry, FastStep};
use super::levels::make;
use super::run::{Fired, Run};
use super::sessions::{Place, SLOW, Session};

/// The most unobserved events before an observed one, or before the end of a session.
const LONGEST: usize = 16;

/// What a session is to reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Goal {
    /// An event of a kind is possible.
    Kind(KindId),
    /// It can do without these lifelines.
    Without(SetId),
    /// It can end.
    End,
}

/// An event that nobody saw.
#[derive(Debug, Clone)]
struct Silent {
    component: usize,
    kind: KindId,
    step: FastStep,
}

/// How a session reaches a goal.
#[derive(Debug, Clone)]
enum Chain {
    /// After these unobserved events.
    Reached(Rc<[Silent]>),
    /// Whatever happens unobserved, it does not.
    Blocked,
    /// There is more than one way, or registers do not suffice.
    Unclear,
}

/// Whether a session reached a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reached {
    Yes,
    No,
    Unclear,
}

/// The chains of all shapes met since the last log ended.
#[derive(Debug, Default)]
pub(super) struct Chains {
    /// By unit, shape and goal.
    known: FxHashMap<(usize, ExprId, Goal), Chain>,
    /// The number of logs that were over.
    over: usize,
}

impl Run<'_, '_> {
    /// Lets unobserved events happen in the last session of a path until it reaches a goal. If it does not, some of them may
    /// have happened.
    pub(super) fn reach(&mut self, path: &[Place], goal: Goal) -> Result<Reached, Fired> {
        let Some(&place) = path.last() else { return Ok(Reached::Unclear) };
        let shape = self.session(place).shape;
        if shape == SLOW {
            return Ok(Reached::Unclear);
        }
        let silent = match self.chain(place.unit, shape, goal) {
            Chain::Reached(silent) => silent,
            Chain::Blocked => return Ok(Reached::No),
            Chain::Unclear => return Ok(Reached::Unclear),
        };
        for Silent { component, kind, step } in &*silent {
            // The sessions around it must allow the event, too.
            for outer in 1..path.len() {
                if self.pass(&path[..outer], *kind, *component, None)?.is_none() {
                    return Ok(Reached::Unclear);
                }
            }
            let end = self.end(*component);
            let Some(registers) = step.unobserved(&self.session(place).registers, end) else {
                return Ok(Reached::Unclear);
            };
            if self.take(path, step, registers, *component, None)?.is_none() {
                return Ok(Reached::Unclear);
            }
        }
        Ok(Reached::Yes)
    }

    /// A session after the unobserved events that lead to a goal, if they matter to nothing else.
    pub(super) fn after_chain(
        &mut self,
        unit: usize,
        session: Session,
        goal: Goal,
    ) -> Option<Session> {
        let Chain::Reached(silent) = self.chain(unit, session.shape, goal) else {
            return None;
        };
        let mut session = session;
        for Silent { component, step, .. } in &*silent {
            if !step.without.is_empty() {
                return None;
            }
            let registers = step.unobserved(&session.registers, self.end(*component))?;
            session = Session { shape: step.to, registers };
        }
        Some(session)
    }

    fn chain(&mut self, unit: usize, shape: ExprId, goal: Goal) -> Chain {
        let logs = self.observation.logs.iter().zip(&self.consumed);
        let over = logs.filter(|(log, consumed)| **consumed as usize == log.len).count();
        if over != self.chains.over {
            self.chains = Chains { over, ..Chains::default() };
        }
        let at = (unit, shape, goal);
        if let Some(known) = self.chains.known.get(&at) {
            return known.clone();
        }
        let chain = self.find_chain(unit, shape, goal).unwrap_or(Chain::Unclear);
        self.chains.known.insert(at, chain.clone());
        chain
    }

    /// `None` if it is unclear.
    fn find_chain(&mut self, unit: usize, mut shape: ExprId, goal: Goal) -> Option<Chain> {
        let mut silent = Vec::new();
        for _ in 0..LONGEST {
            let own = &mut self.keyed.units[unit];
            let is_reached = match goal {
                Goal::Kind(kind) => {
                    let mut entry = own.fast.get(shape, kind);
                    if entry == Entry::Unknown {
                        entry = make(own, self.observation.problem, shape, kind);
                    }
                    match entry {
                        Entry::Fast(..) => true,
                        Entry::Slow | Entry::Unknown => return None,
                        Entry::Never => false,
                    }
                }
                Goal::Without(set) => own.tables.exprs.prune(shape, set) != Exprs::NEVER,
                Goal::End => own.tables.exprs.nullable(shape),
            };
            if is_reached {
                return Some(Chain::Reached(silent.into()));
            }
            let Some(next) = self.only_unobserved(unit, shape)?.pop() else {
                return Some(Chain::Blocked);
            };
            shape = next.step.to;
            silent.push(next);
        }
        None
    }

    /// The events that can happen unobserved in a session of this shape: none, or one. `None` if there are
    /// several, or one does not work on registers alone.
    fn only_unobserved(&mut self, unit: usize, shape: ExprId) -> Option<Vec<Silent>> {
        let partition = self.observation.problem.trace.partition();
        let left = self.observation.lifelines_left(&self.consumed);
        let kinds: Vec<KindId> = self.keyed.units[unit].tables.exprs.kinds.items.ids().collect();
        let mut found: Vec<Silent> = Vec::new();
        let mut has_holes = false;
        for kind in kinds {
            let own = &mut self.keyed.units[unit];
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
                if way.hole.is_some() {
                    // Events of holes matter to their own sessions, unless they change this one.
                    if changes_nothing(&mut tables.exprs, shape, way) {
                        has_holes = true;
                        continue;
                    }
                    return None;
                }
                if !found.is_empty() {
                    return None;
                }
                let anchors = self.observation.problem.anchors;
                let step = FastStep::silent(&tables.exprs, way, component, anchors, partition)?;
                found.push(Silent { component, kind, step });
            }
        }
        // An event around a hole may exclude events inside of it that nobody saw either, as `b!k` of
        // `seq(loopP(fresh x)(b -- m[f = x] -> a), b -- k -> c)` excludes `b!m`. Which of them happened first is a choice.
        if has_holes && found.iter().any(|silent| !silent.step.without.is_empty()) {
            self.is_forced = false;
        }
        Some(found)
    }
}

/// Whether an event of a hole leaves the expression around it as it was.
pub(super) fn changes_nothing(
    exprs: &mut Exprs,
    shape: ExprId,
    way: &super::super::step::Way,
) -> bool {
    if !way.without.is_empty() {
        return false;
    }
    match way.hole {
        Some((_, Var::Opened(at), _)) => {
            let table = way.opened[usize::from(at)];
            exprs.opened(shape, table) == way.rest
        }
        _ => way.rest == shape,
    }
}
