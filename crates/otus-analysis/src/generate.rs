//! Generates multi-traces from an interaction: all that an exploration meets, or random ones.

use otus_core::algebra::fold::fold;
use otus_core::algebra::simplify;
use otus_core::semantics::Frontiers;
use otus_core::{EventId, LifelineId, Pool, Term, TermId};
use otus_syntax::options::Generation;
use otus_trace::MultiTrace;
use otus_trace::multitrace::{Builder, Partition};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::Config;
use crate::explore::explore;
use crate::graph::record::Graph;
use crate::graph::state::Rule;

/// The global traces of an exploration, in the order of its nodes: those of accepting nodes
/// (`exact`), of all nodes (`prefix`), of nodes without children (`terminal`), or of nodes at given
/// depths.
pub fn explored(
    pool: &mut Pool,
    term: TermId,
    config: &Config,
    generation: Generation,
) -> Vec<Vec<EventId>> {
    let mut graph = Graph::default();
    let _ = explore(pool, term, config, &mut graph);
    of_graph(&graph, generation)
}

/// The global traces of the nodes of a recorded exploration.
pub fn of_graph(graph: &Graph, generation: Generation) -> Vec<Vec<EventId>> {
    let mut has_children = vec![false; graph.nodes.len()];
    for node in &graph.nodes {
        if let Some((parent, _)) = node.parent {
            has_children[parent.0 as usize] = true;
        }
    }
    let mut traces: Vec<Vec<EventId>> = Vec::with_capacity(graph.nodes.len());
    let mut wanted = Vec::new();
    for (id, node) in graph.nodes.iter().enumerate() {
        let mut trace =
            node.parent.map_or_else(Vec::new, |(parent, _)| traces[parent.0 as usize].clone());
        if let Some((_, Rule::Execute(occurrence))) = node.parent {
            trace.push(occurrence.event);
        }
        let depth = trace.len() as u64;
        let is_wanted = match generation {
            Generation::Exact => node.leaf.is_some(),
            Generation::Prefix => true,
            Generation::Terminal => !has_children[id],
            Generation::Depth(n) => depth == n,
            Generation::Modulo(n) => n > 0 && depth.is_multiple_of(n),
        };
        if is_wanted {
            wanted.push(trace.clone());
        }
        traces.push(trace);
    }
    wanted
}

/// Random accepted global traces of at most `max_length` events, without repetition; fewer than
/// `count` if that many different ones are not found.
pub fn random(
    pool: &mut Pool,
    term: TermId,
    count: usize,
    max_length: usize,
    seed: u64,
) -> Vec<Vec<EventId>> {
    let mut seen = FxHashSet::default();
    let mut traces = Vec::new();
    let mut walks = Walks::new(pool, term, max_length, seed);
    // Small interactions have few traces, so the search for new ones gives up at some point.
    let mut misses = 0;
    while traces.len() < count && misses < count.saturating_mul(10).saturating_add(100) {
        let Some(trace) = walks.walk() else { break };
        if seen.insert(trace.clone()) {
            traces.push(trace);
        } else {
            misses += 1;
        }
    }
    traces
}

/// An endless stream of random executions, with repetitions.
#[derive(Debug)]
pub struct Walks<'p> {
    pool: &'p mut Pool,
    root: TermId,
    max_length: usize,
    random: fastrand::Rng,
    frontiers: Frontiers,
    lengths: FxHashMap<TermId, Lengths>,
}

impl<'p> Walks<'p> {
    /// Walks of at most `max_length` events.
    pub fn new(pool: &'p mut Pool, term: TermId, max_length: usize, seed: u64) -> Self {
        let root = simplify(pool, term);
        Walks {
            pool,
            root,
            max_length,
            random: fastrand::Rng::with_seed(seed),
            frontiers: Frontiers::default(),
            lengths: FxHashMap::default(),
        }
    }

    /// The pool that the events refer to.
    pub fn pool(&self) -> &Pool {
        self.pool
    }

    /// How many events the shortest accepted trace has.
    pub fn shortest(&mut self) -> u64 {
        lengths(self.pool, &mut self.lengths, self.root).shortest
    }

    /// An accepted trace of about this length. Until then, steps that would end the trace sooner
    /// are avoided; afterwards, the nearest end is taken. A uniformly random walk rarely produces
    /// long traces, since it leaves loops early. `None` if every accepted trace is longer than
    /// `max_length`.
    pub fn walk_of(&mut self, length: usize) -> Option<Vec<EventId>> {
        let length = length.min(self.max_length);
        self.walk_by(length, |taken, end, next| {
            if taken < length {
                next.longest >= (length - taken - 1) as u64
            } else {
                next.shortest < end
            }
        })
    }

    /// A random number between 0 and `most`.
    pub fn number(&mut self, most: usize) -> usize {
        self.random.usize(..=most)
    }

    /// An accepted trace that ends as soon as it can after a random number of events. `None` if
    /// every accepted trace is longer than `max_length`.
    pub fn walk(&mut self) -> Option<Vec<EventId>> {
        let length = self.random.usize(..=self.max_length);
        self.walk_by(length, |_, _, _| true)
    }

    /// An accepted trace that ends as soon as it can after this number of events. Among the steps
    /// that leave room for an end, those are preferred that are good, given the number of steps
    /// taken before, the number of events to the nearest end, and the lengths after the step.
    fn walk_by(
        &mut self,
        length: usize,
        is_good: impl Fn(usize, u64, Lengths) -> bool,
    ) -> Option<Vec<EventId>> {
        if self.shortest() > self.max_length as u64 {
            return None;
        }
        let mut term = self.root;
        let mut trace = Vec::new();
        loop {
            let over = trace.len() >= length && self.pool.attributes(term).terminates;
            if over || trace.len() >= self.max_length {
                return Some(trace);
            }
            let left = (self.max_length - trace.len() - 1) as u64;
            let end = lengths(self.pool, &mut self.lengths, term).shortest;
            let steps = self.frontiers.steps(self.pool, term);
            let (mut good, mut possible) = (Vec::new(), Vec::new());
            for step in steps.iter() {
                let next = lengths(self.pool, &mut self.lengths, step.follow_up);
                if next.shortest <= left {
                    let is_good = is_good(trace.len(), end, next);
                    if is_good { &mut good } else { &mut possible }.push(step);
                }
            }
            let chosen = if good.is_empty() { possible } else { good };
            let Some(step) = self.random.choice(chosen) else { return Some(trace) };
            trace.push(step.event);
            term = step.follow_up;
        }
    }
}

/// The lengths of the shortest and of the longest accepted trace, `u64::MAX` if there is no longest
/// one.
///
/// ```text
/// ∅: 0    e: 1    alt: the smaller, the larger    strict, coreg: the sum
/// loop(i): 0, and MAX unless i is empty
/// ```
fn lengths(pool: &mut Pool, known: &mut FxHashMap<TermId, Lengths>, term: TermId) -> Lengths {
    fold(
        pool,
        term,
        known,
        |_, _| None,
        |pool, term, operands| match (pool.node(term), operands) {
            (Term::Event(_), _) => Lengths { shortest: 1, longest: 1 },
            (Term::LoopS(_) | Term::LoopC(..), [body]) => {
                Lengths { shortest: 0, longest: if body.longest == 0 { 0 } else { u64::MAX } }
            }
            (Term::Alt(..), [one, other]) => Lengths {
                shortest: one.shortest.min(other.shortest),
                longest: one.longest.max(other.longest),
            },
            (_, operands) => operands.iter().fold(Lengths::default(), |sum, more| Lengths {
                shortest: sum.shortest.saturating_add(more.shortest),
                longest: sum.longest.saturating_add(more.longest),
            }),
        },
    )
}

#[derive(Debug, Clone, Copy, Default)]
struct Lengths {
    shortest: u64,
    longest: u64,
}

/// The projection of a global trace onto a partition.
pub fn project(pool: &Pool, partition: &Partition, trace: &[EventId]) -> MultiTrace {
    let mut builder = Builder::new(partition.clone(), trace.len(), false);
    for component in partition.components() {
        let here = |lifeline: LifelineId| partition.component_of(lifeline) == component;
        for &event in trace {
            builder.next_moment();
            for &action in pool.event_actions(event) {
                if here(pool.action(action).lifeline) {
                    builder.push(action, 0);
                }
            }
        }
        builder.next_component();
    }
    builder.finish(otus_syntax::SourceId(0))
}
