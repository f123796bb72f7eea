//! Generates multi-traces from an interaction: all multi-traces that an exploration meets, or
//! random multi-traces.

mod walks;

use otus_core::{EventId, LifelineId, Pool, TermId};
use otus_syntax::options::Generation;
use otus_trace::MultiTrace;
use otus_trace::multitrace::{Builder, Partition};
use rustc_hash::FxHashSet;

use crate::config::Config;
use crate::explore::explore;
use crate::graph::record::Graph;
use crate::graph::state::Rule;

pub use walks::Walks;

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
