//! The questions as a step relation between situations. The producer of certificates searches it,
//! and the checker steps through it.

use std::rc::Rc;

use otus_core::algebra::{fold::fold, project, prune};
use otus_core::index::Index as _;
use otus_core::semantics::{Frontiers, Step};
use otus_core::{ActionId, EventId, LifelineSet, Pool, RegionId, Term, TermId};
use otus_trace::MultiTrace;
use otus_trace::multitrace::ComponentId;
use rustc_hash::FxHashMap;

use super::canonical::Canonicalizer;
use crate::engine::coupling;
use crate::observation::{by_component, observers, sorted_actions};
use crate::question::{Observed, Question};

/// The interaction that is left, and how many moments of each component are consumed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Situation {
    /// The interaction that is left.
    pub term: TermId,
    /// For each component: the number of consumed moments. Observation of a component that may
    /// start late has started if this is not zero.
    pub consumed: Box<[u32]>,
}

impl Situation {
    /// The situation after a step to a term that these components observe.
    pub(crate) fn after(&self, term: TermId, observed: &[usize]) -> Situation {
        let mut consumed = self.consumed.clone();
        for &component in observed {
            consumed[component] += 1;
        }
        Situation { term, consumed }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Move {
    pub(crate) step: Step,
    /// The components that observe it.
    pub(crate) observed: Vec<usize>,
    pub(crate) next: Situation,
}

/// The actions that a component observes at one time, sorted.
type Moment = Box<[ActionId]>;

/// A question about a multi-trace. With `only`, the question is about one component, and the others
/// count as unobserved.
#[derive(Debug)]
pub(super) struct Rules {
    /// For each component: its moments; none if it is unobserved.
    pub(super) moments: Vec<Vec<Moment>>,
    declared: Vec<Observed>,
    /// Whether the question is about a global prefix: unobserved events come after all observed
    /// ones.
    pub(super) global: bool,
    /// The lifelines on which nothing may happen once the multi-trace is consumed.
    pub(super) closed: RegionId,
    /// The maximum number of components that one event touches.
    widest: u64,
    partition: otus_trace::Partition,
    parts: FxHashMap<EventId, Rc<[(usize, Moment)]>>,
    bounds: FxHashMap<TermId, (u64, u64)>,
    supplies: FxHashMap<(usize, Moment), FxHashMap<TermId, Option<u64>>>,
}

/// The tables that the rules of a question and those of its components share.
#[derive(Debug)]
pub(super) struct Tables<'p> {
    pub(super) pool: &'p mut Pool,
    pub(super) frontiers: Frontiers,
    canonicalizer: Canonicalizer,
}

impl<'p> Tables<'p> {
    pub(super) fn new(pool: &'p mut Pool) -> Self {
        let (frontiers, canonicalizer) = (Frontiers::default(), Canonicalizer::default());
        Tables { pool, frontiers, canonicalizer }
    }

    /// The situation with its canonical term.
    pub(super) fn canonical(&mut self, now: &Situation) -> Situation {
        let term = self.canonicalizer.canonical(self.pool, now.term);
        Situation { term, consumed: now.consumed.clone() }
    }
}

impl Rules {
    pub(super) fn new(
        pool: &mut Pool,
        term: TermId,
        trace: &MultiTrace,
        question: &Question,
        only: Option<ComponentId>,
    ) -> Self {
        let partition = trace.partition().clone();
        let declared = partition.components().map(|component| match only {
            Some(only) if only != component => Observed::Unobserved,
            Some(_) | None => question.of(component),
        });
        let declared: Vec<Observed> = declared.collect();
        let moments = partition.components().zip(&declared).map(|(component, declared)| {
            if *declared == Observed::Unobserved {
                return Vec::new();
            }
            trace.moments(component).map(|moment| sorted_actions(moment).into()).collect()
        });
        let moments: Vec<Vec<Moment>> = moments.collect();
        let may_go_on = |component: &ComponentId| {
            let at = component.0 as usize;
            let started = !moments[at].is_empty();
            declared[at].may_stop_early() || declared[at].may_start_late() && !started
        };
        let closed = partition.components().filter(|component| !may_go_on(component));
        let closed = closed.flat_map(|component| partition.lifelines(component).iter().copied());
        let closed = pool.intern_region(&closed.collect::<LifelineSet>());
        let mut rules = Rules {
            global: only.is_none() && *question == Question::GlobalPrefix,
            closed,
            widest: 1,
            moments,
            declared,
            partition,
            parts: FxHashMap::default(),
            bounds: FxHashMap::default(),
            supplies: FxHashMap::default(),
        };
        // A single component observes an event at most once, so `widest` stays 1.
        for event in events(pool, term).into_iter().filter(|_| only.is_none()) {
            let parts = rules.parts(pool, event);
            rules.widest = rules.widest.max(parts.len() as u64);
        }
        rules
    }

    pub(super) fn start(&self, term: TermId) -> Situation {
        Situation { term, consumed: vec![0; self.moments.len()].into() }
    }

    /// Whether a situation has the right number of components, and consumes at most as many moments
    /// as each log has.
    pub(super) fn is_possible(&self, now: &Situation) -> bool {
        now.consumed.len() == self.moments.len()
            && now.consumed.iter().zip(&self.moments).all(|(&n, own)| n as usize <= own.len())
    }

    /// Whether all moments are consumed and the interaction can terminate without another event on a lifeline whose log
    /// is complete. If pruning such events leaves a term, it can terminate, because every term has a trace.
    pub(super) fn is_explained(&self, tables: &mut Tables<'_>, now: &Situation) -> bool {
        let Tables { pool, frontiers, .. } = tables;
        self.left(now).all(|rest| rest == 0)
            && prune(pool, &mut frontiers.memo, now.term, self.closed).is_some()
    }

    pub(super) fn unobserved(&self) -> LifelineSet {
        let components = self.partition.components().zip(&self.declared);
        let unobserved = components.filter(|(_, declared)| **declared == Observed::Unobserved);
        unobserved.flat_map(|(component, _)| self.partition.lifelines(component)).copied().collect()
    }

    /// All steps, with every choice of the components that observe the event.
    pub(super) fn moves(&mut self, tables: &mut Tables<'_>, now: &Situation) -> Vec<Move> {
        let mut moves = Vec::new();
        let steps = tables.frontiers.steps(tables.pool, now.term);
        for step in steps.iter() {
            let parts = self.parts(tables.pool, step.event);
            let choices = observers(parts.iter().map(|&(component, ref moment)| {
                let sees = self.next(now, component) == Some(moment);
                (component, sees, !self.global && self.is_outside(now, component))
            }));
            for observed in choices {
                let next = now.after(step.follow_up, &observed);
                moves.push(Move { step: *step, observed, next });
            }
        }
        moves
    }

    pub(super) fn next(&self, now: &Situation, component: usize) -> Option<&Moment> {
        self.moments[component].get(now.consumed[component] as usize)
    }

    /// Whether events on a component are now outside its period of observation.
    pub(super) fn is_outside(&self, now: &Situation, component: usize) -> bool {
        let declared = self.declared[component];
        let consumed = now.consumed[component] as usize;
        declared.may_start_late() && consumed == 0
            || declared.may_stop_early() && consumed == self.moments[component].len()
    }

    /// For each component: the number of moments that are left.
    fn left(&self, now: &Situation) -> impl Iterator<Item = u64> {
        let pairs = now.consumed.iter().zip(&self.moments);
        pairs.map(|(&consumed, moments)| moments.len() as u64 - u64::from(consumed))
    }

    /// A lower bound on the number of events that explain the rest.
    pub(super) fn need(&self, now: &Situation) -> u64 {
        let sum: u64 = self.left(now).sum();
        self.left(now).max().unwrap_or(0).max(sum.div_ceil(self.widest))
    }

    /// An upper bound on the number of events that explain the rest, if anything does: a + b·k,
    /// with k the number of moments that are left.
    pub(super) fn bound(&mut self, pool: &mut Pool, now: &Situation) -> u64 {
        let left: u64 = self.left(now).sum();
        let combine = |pool: &mut Pool, term: TermId, operands: &[(u64, u64)]| match pool.node(term)
        {
            Term::Empty => (0, 0),
            Term::Event(_) => (1, 0),
            Term::Alt(..) => {
                let [(a1, b1), (a2, b2)] = [operands[0], operands[1]];
                (a1.max(a2), b1.max(b2))
            }
            Term::Strict(..) | Term::Coreg(..) => {
                let [(a1, b1), (a2, b2)] = [operands[0], operands[1]];
                (a1.saturating_add(a2), b1.max(b2))
            }
            Term::LoopS(_) | Term::LoopC(..) => (0, operands[0].0.saturating_add(operands[0].1)),
        };
        let (a, b) = fold(pool, now.term, &mut self.bounds, |_, _| None, combine);
        a.saturating_add(b.saturating_mul(left))
    }

    /// The maximum number of events of a trace of the term that a component observes as this
    /// moment; `None` if there is no limit.
    ///
    /// ```text
    /// alt: the larger of the two    strict, coreg: their sum    loop: 0 or no limit
    /// ```
    pub(super) fn supply(
        &mut self,
        pool: &mut Pool,
        term: TermId,
        component: usize,
        moment: &Moment,
    ) -> Option<u64> {
        let mut supplies = self.supplies.remove(&(component, moment.clone())).unwrap_or_default();
        let found = fold(
            pool,
            term,
            &mut supplies,
            |_, _| None,
            |pool, term, operands: &[Option<u64>]| match pool.node(term) {
                Term::Empty => Some(0),
                Term::Event(event) => {
                    let parts = self.parts(pool, event);
                    let sees = |(own, seen): &(usize, Moment)| *own == component && seen == moment;
                    Some(u64::from(parts.iter().any(sees)))
                }
                Term::Alt(..) => Some(operands[0]?.max(operands[1]?)),
                Term::Strict(..) | Term::Coreg(..) => {
                    Some(operands[0]?.saturating_add(operands[1]?))
                }
                Term::LoopS(_) | Term::LoopC(..) => operands[0].filter(|&times| times == 0),
            },
        );
        self.supplies.insert((component, moment.clone()), supplies);
        found
    }

    /// A situation with all other lifelines than those of one component removed.
    pub(super) fn alone(&self, tables: &mut Tables<'_>, now: &Situation, at: usize) -> Situation {
        let own = tables.pool.intern_region(&self.partition.set(ComponentId::new(at)));
        let term = project(tables.pool, &mut tables.frontiers.memo, now.term, own);
        let mut here = self.start(term);
        here.consumed[at] = now.consumed[at];
        here
    }

    /// The components an event touches, each with the moment that its actions form there.
    pub(super) fn parts(&mut self, pool: &Pool, event: EventId) -> Rc<[(usize, Moment)]> {
        if let Some(parts) = self.parts.get(&event) {
            return parts.clone();
        }
        let parts = by_component(pool, &self.partition, event).into_iter();
        let parts = parts.map(|(component, actions)| (component.index(), actions.into()));
        let parts: Rc<[(usize, Moment)]> = parts.collect();
        self.parts.insert(event, parts.clone());
        parts
    }
}

pub(super) fn events(pool: &Pool, term: TermId) -> Vec<EventId> {
    let parts = coupling::parts(pool, term).into_iter();
    let mut events: Vec<EventId> = parts.filter_map(|part| pool.node(part).as_event()).collect();
    events.sort_unstable();
    events.dedup();
    events
}
