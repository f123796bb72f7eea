//! The producer of certificates: a best-first search over all situations within the bound. The
//! situation with the largest number of remaining events is expanded first.
//!
//! A step leads from (s, n) to (t, min(n − 1, bound of t)), which increases with n and is always
//! less than n. So when a situation is taken from the queue, with the largest n of all queued ones,
//! no later path reaches it with a larger n: each situation is expanded once.
//!
//! Before a situation is expanded, the search asks whether a moment is scarce, then whether some
//! component alone is stuck. Answers to the latter are memoized by the projection onto that
//! component; a component that takes too many states is given up.

use std::collections::BinaryHeap;

use otus_core::algebra::simplify;
use otus_core::index::Index as _;
use otus_core::semantics::Step;
use otus_core::{LifelineSet, Pool, TermId};
use otus_trace::MultiTrace;
use otus_trace::multitrace::ComponentId;
use rustc_hash::FxHashMap;

use super::rules::{Move, Rules, Situation, Tables};
use super::{Blocked, Certificate, CertificateState, NotRefuted};
use crate::budget::{Budget, Meter, Stop};
use crate::observation::observed_lifelines;
use crate::question::Question;
use crate::verdict::Verdict;
use crate::witness::{Witness, WitnessEvent, WitnessStep};

/// The maximum number of states if the budget sets no limit.
const MOST_STATES: u64 = 1_000_000;
/// The maximum number of nodes of a term that is searched.
pub(super) const LARGEST_TERM: u64 = 20_000;
/// The maximum number of states of a search of one component alone.
const MOST_ALONE: usize = 2_000;

pub(super) struct Search<'a> {
    tables: Tables<'a>,
    trace: &'a MultiTrace,
    rules: Rules,
    alone: Vec<Alone>,
    meter: Meter<'a>,
    states: u64,
}

/// Memoized results for one component by itself.
struct Alone {
    rules: Rules,
    /// The blocked states, by canonical situation.
    stuck: FxHashMap<Situation, CertificateState>,
    /// The keys of `stuck` in the order in which they were found.
    order: Vec<Situation>,
    /// For each canonical situation: a number of events that suffices; 0 also if the search was
    /// given up.
    free: FxHashMap<Situation, u64>,
}

struct Node {
    situation: Situation,
    events: u64,
    /// Whether the situation was reached again with more events.
    stale: bool,
    /// The parent node, the step from it, and the components that observe the step.
    parent: Option<(usize, Step, Vec<usize>)>,
}

/// The queued situations, and the best node of each known situation.
#[derive(Default)]
struct Queue {
    nodes: Vec<Node>,
    /// Ordered by most events, then by age.
    waiting: BinaryHeap<(u64, std::cmp::Reverse<usize>)>,
    best: FxHashMap<Situation, usize>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        pool: &'a mut Pool,
        term: TermId,
        trace: &'a MultiTrace,
        question: &Question,
        budget: &'a Budget,
    ) -> Self {
        let rules = Rules::new(pool, term, trace, question, None);
        // If there is only one component, asking about it alone would be the same question.
        let several = trace.partition().len() > 1;
        let components = trace.partition().components().filter(|_| several);
        let alone = components.map(|component| Alone {
            rules: Rules::new(pool, term, trace, question, Some(component)),
            stuck: FxHashMap::default(),
            order: Vec::new(),
            free: FxHashMap::default(),
        });
        let alone = alone.collect();
        let tables = Tables::new(pool);
        Search { tables, trace, rules, alone, meter: Meter::new(budget), states: 0 }
    }

    pub(super) fn run(mut self, term: TermId) -> Result<Certificate, NotRefuted> {
        let start = self.rules.start(simplify(self.tables.pool, term));
        let mut queue = Queue::default();
        let events = self.rules.bound(self.tables.pool, &start);
        let start = Node { situation: start, events, stale: false, parent: None };
        queue.add(&mut self.tables, start);
        let mut states = Vec::new();
        while let Some(at) = queue.next() {
            self.count()?;
            let Node { situation, events, .. } = &queue.nodes[at];
            let (situation, events) = (situation.clone(), *events);
            if self.rules.is_explained(&mut self.tables, &situation) {
                return Err(self.explained(&queue, at));
            }
            let blocked = match scarce(self.tables.pool, &mut self.rules, &situation) {
                Some(scarce) => scarce,
                None => match self.stuck_alone(&situation, events)? {
                    Some(component) => Blocked::Alone(component),
                    None => Blocked::Moves,
                },
            };
            if blocked == Blocked::Moves {
                queue.expand(&mut self.tables, &mut self.rules, at);
            }
            states.push(CertificateState { situation, events, blocked });
        }
        let alone = self.trace.partition().components().zip(self.alone);
        let alone = alone.filter(|(_, alone)| !alone.order.is_empty());
        let alone = alone.map(|(component, mut alone)| {
            let states = alone.order.iter().filter_map(|key| alone.stuck.remove(key));
            (component, states.collect())
        });
        Ok(Certificate { states, alone: alone.collect() })
    }

    fn count(&mut self) -> Result<(), NotRefuted> {
        self.states += 1;
        let stop = if self.states > MOST_STATES { Some(Stop::States) } else { self.meter.count() };
        stop.map_or(Ok(()), |stop| Err(NotRefuted::TooLarge(stop)))
    }

    /// A component that cannot be explained by itself with this number of events.
    fn stuck_alone(
        &mut self,
        now: &Situation,
        events: u64,
    ) -> Result<Option<ComponentId>, NotRefuted> {
        for at in 0..self.alone.len() {
            let may_go_on = self.alone[at].rules.closed == Pool::NONE;
            if self.rules.next(now, at).is_none() && may_go_on {
                continue;
            }
            let here = self.rules.alone(&mut self.tables, now, at);
            if self.is_stuck(at, here, events)? {
                return Ok(Some(ComponentId::new(at)));
            }
        }
        Ok(None)
    }

    fn is_stuck(&mut self, at: usize, here: Situation, events: u64) -> Result<bool, NotRefuted> {
        let own = &mut self.alone[at];
        let events = own.rules.bound(self.tables.pool, &here).min(events);
        let key = self.tables.canonical(&here);
        if own.stuck.get(&key).is_some_and(|state| state.events >= events) {
            return Ok(true);
        }
        if own.free.get(&key).is_some_and(|&enough| enough <= events) {
            return Ok(false);
        }
        let mut queue = Queue::default();
        let start = Node { situation: here, events, stale: false, parent: None };
        queue.add(&mut self.tables, start);
        let mut found: Vec<(Situation, CertificateState)> = Vec::new();
        while let Some(node) = queue.next() {
            self.count()?;
            let own = &mut self.alone[at];
            let Node { situation, events, .. } = &queue.nodes[node];
            let (situation, events) = (situation.clone(), *events);
            let key = self.tables.canonical(&situation);
            if own.stuck.get(&key).is_some_and(|state| state.events >= events) {
                continue;
            }
            let explained = own.rules.is_explained(&mut self.tables, &situation);
            let free = own.free.get(&key).copied().filter(|&enough| enough <= events);
            if let Some(mut enough) = if explained { Some(0) } else { free } {
                // A known number of events suffices here, so it does on the whole path to here.
                let mut way = Some(node);
                while let Some(node) = way {
                    let Node { situation, parent, .. } = &queue.nodes[node];
                    let key = self.tables.canonical(situation);
                    let known = own.free.entry(key).or_insert(enough);
                    *known = enough.min(*known);
                    enough = known.saturating_add(1);
                    way = parent.as_ref().map(|(parent, ..)| *parent);
                }
                return Ok(false);
            }
            if found.len() >= MOST_ALONE {
                // Gives up. 0 events are recorded as sufficient, so that the search is not
                // repeated.
                let start = &queue.nodes[0].situation;
                own.free.insert(self.tables.canonical(start), 0);
                return Ok(false);
            }
            let blocked =
                scarce(self.tables.pool, &mut own.rules, &situation).unwrap_or(Blocked::Moves);
            if blocked == Blocked::Moves {
                queue.expand(&mut self.tables, &mut own.rules, node);
            }
            found.push((key, CertificateState { situation, events, blocked }));
        }
        let own = &mut self.alone[at];
        for (key, state) in found {
            if own.stuck.insert(key.clone(), state).is_none() {
                own.order.push(key);
            }
        }
        Ok(true)
    }

    /// The witness: the path to a situation, completed to the end of the interaction.
    fn explained(&mut self, queue: &Queue, at: usize) -> NotRefuted {
        let mut steps = Vec::new();
        let mut complete = true;
        let unobserved = self.rules.unobserved();
        let mut way = at;
        while let Some((parent, step, observed)) = &queue.nodes[way].parent {
            let lifelines = self.tables.pool.region(self.tables.pool.event_lifelines(step.event));
            let sees = |component: ComponentId| observed.contains(&component.index());
            let partition = self.trace.partition();
            let seen = observed_lifelines(self.tables.pool, partition, step.event, sees);
            complete &= lifelines.difference(&seen).is_subset(&unobserved);
            steps.push(self.witness_step(step, &seen));
            way = *parent;
        }
        steps.reverse();
        let mut term = queue.nodes[at].situation.term;
        // The witness of a global prefix may end after the last observed event. Every other witness is a whole
        // execution, so it is completed here.
        if !self.rules.global {
            while let Some(step) = self.completion(term) {
                steps.push(self.witness_step(&step, &LifelineSet::EMPTY));
                let lifelines =
                    self.tables.pool.region(self.tables.pool.event_lifelines(step.event));
                complete &= lifelines.is_subset(&unobserved);
                term = step.follow_up;
            }
        }
        let ends = self.tables.pool.attributes(term).terminates;
        let verdict = if complete && ends { Verdict::Pass } else { Verdict::WeakPass };
        NotRefuted::Explained { witness: Witness { steps }, verdict }
    }

    /// A step that brings the interaction nearer to termination, if it may not terminate yet.
    ///
    /// The interaction has a trace without events on closed lifelines, hence one in which every
    /// loop has no iteration. The first event of that trace is outside loops and makes the term
    /// smaller.
    fn completion(&mut self, term: TermId) -> Option<Step> {
        if self.tables.pool.attributes(term).terminates {
            return None;
        }
        let closed = self.rules.closed;
        let avoided = self.tables.pool.region(closed);
        let steps = self.tables.frontiers.steps(self.tables.pool, term);
        steps.iter().copied().find(|step| {
            let memo = &mut self.tables.frontiers.memo;
            let lifelines = self.tables.pool.region(self.tables.pool.event_lifelines(step.event));
            step.loop_depth == 0
                && lifelines.is_disjoint(&avoided)
                && otus_core::algebra::prune(self.tables.pool, memo, step.follow_up, closed)
                    .is_some()
        })
    }

    fn witness_step(&mut self, step: &Step, observed: &LifelineSet) -> WitnessStep {
        let position = self.tables.frontiers.positions.letters(step.position).collect();
        let observed = self.tables.pool.intern_region(observed);
        WitnessEvent { event: step.event, position, observed }.into()
    }
}

impl Queue {
    /// Adds a situation, unless it was reached with as many events before.
    fn add(&mut self, tables: &mut Tables<'_>, node: Node) {
        let key = tables.canonical(&node.situation);
        let at = self.nodes.len();
        if let Some(&known) = self.best.get(&key) {
            if self.nodes[known].events >= node.events {
                return;
            }
            self.nodes[known].stale = true;
        }
        self.best.insert(key, at);
        self.waiting.push((node.events, std::cmp::Reverse(at)));
        self.nodes.push(node);
    }

    /// Adds the situations after every step from a node.
    fn expand(&mut self, tables: &mut Tables<'_>, rules: &mut Rules, at: usize) {
        let Node { situation, events, .. } = &self.nodes[at];
        let Some(after) = events.checked_sub(1) else { return };
        for Move { step, observed, next } in rules.moves(tables, &situation.clone()) {
            let events = rules.bound(tables.pool, &next).min(after);
            if events >= rules.need(&next) {
                let parent = Some((at, step, observed));
                self.add(tables, Node { situation: next, events, stale: false, parent });
            }
        }
    }

    /// Takes the situation with the most remaining events.
    fn next(&mut self) -> Option<usize> {
        loop {
            let (_, at) = self.waiting.pop()?;
            if !self.nodes[at.0].stale {
                return Some(at.0);
            }
        }
    }
}

/// The first moment that a log contains more often than the interaction can still produce it.
fn scarce(pool: &mut Pool, rules: &mut Rules, now: &Situation) -> Option<Blocked> {
    for component in 0..rules.moments.len() {
        let from = now.consumed[component] as usize;
        let mut times: FxHashMap<&[otus_core::ActionId], u64> = FxHashMap::default();
        let own = std::mem::take(&mut rules.moments[component]);
        let found = own.iter().enumerate().skip(from).find_map(|(at, moment)| {
            let wanted = times.entry(moment).or_insert(0);
            *wanted += 1;
            let supply = rules.supply(pool, now.term, component, moment)?;
            (*wanted > supply).then_some((at, supply))
        });
        rules.moments[component] = own;
        if let Some((at, supply)) = found {
            let component = ComponentId::new(component);
            let moment = u32::try_from(at).unwrap_or(u32::MAX);
            return Some(Blocked::Scarce { component, moment, supply });
        }
    }
    None
}
