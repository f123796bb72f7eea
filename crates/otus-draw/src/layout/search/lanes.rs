//! The lane of each component at a node of a search: the numbers of actions consumed, simulated before
//! observation began and after it ended, and whether the component was removed. These are the flags and
//! clovers of Fig. 7 of Mahe et al., "Tooling offline runtime verification…".
//!
//! A state has the number of consumed actions, but not of simulated ones, which depend on the path. They are counted
//! from parents to children, and only for ancestors of drawn nodes.

use otus_analysis::graph::record::{Context, Graph};
use otus_analysis::graph::{Rule, SearchState};
use otus_core::LifelineSet;
use otus_core::index::Index as _;
use otus_trace::MultiTrace;
use rustc_hash::FxHashMap;

use crate::layout::multitrace::Lane;

/// The lanes by kept node and component; empty for an exploration.
pub(super) fn lanes(
    context: &Context<'_>,
    graph: &Graph,
    kept: &[bool],
) -> FxHashMap<usize, Vec<Lane>> {
    let mut known: FxHashMap<usize, Vec<Lane>> = FxHashMap::default();
    let Some(trace) = context.trace else { return known };
    let parent = |node: usize| graph.nodes[node].parent.map(|(parent, _)| parent.0 as usize);
    // Parents have smaller numbers than their children, so a backward pass finds all ancestors.
    let mut needed = kept.to_vec();
    for node in (0..needed.len()).rev() {
        if let (true, Some(parent)) = (needed[node], parent(node)) {
            needed[parent] = true;
        }
    }
    for (index, node) in graph.nodes.iter().enumerate().filter(|(index, _)| needed[*index]) {
        let mut now = match &node.parent {
            None => vec![Lane::default(); trace.partition().len()],
            Some((parent, rule)) => {
                let parent = parent.0 as usize;
                let mut now = known[&parent].clone();
                simulated(context, trace, &graph.nodes[parent].state, rule, &mut now);
                now
            }
        };
        for (component, lane) in trace.partition().components().zip(&mut now) {
            lane.consumed = node.state.consumed[component.index()] as usize;
            let lifelines = trace.partition().lifelines(component);
            lane.removed = !lifelines.is_empty()
                && lifelines.iter().all(|&l| context.pool.region_contains(node.state.removed, l));
        }
        known.insert(index, now);
    }
    known
}

/// Counts the unobserved actions of a rule, once for each component it touches.
fn simulated(
    context: &Context<'_>,
    trace: &MultiTrace,
    before: &SearchState,
    rule: &Rule,
    lanes: &mut [Lane],
) {
    let pool = context.pool;
    let (event, observed) = match rule {
        Rule::Execute(now) => (now.event, pool.region(now.observed)),
        Rule::Simulate(now) => (now.event, LifelineSet::default()),
        Rule::Remove(_) => return,
    };
    let unseen = pool.region(pool.event_lifelines(event)).difference(&observed);
    let partition = trace.partition();
    let mut touched: Vec<_> = unseen.iter().map(|l| partition.component_of(l)).collect();
    touched.sort_unstable();
    touched.dedup();
    for component in touched {
        let consumed = before.consumed[component.index()];
        let lane = &mut lanes[component.index()];
        // On a component without any observation, all actions count as simulated after its end.
        if consumed == 0 && !trace.steps(component).is_empty() {
            lane.simulated_before += 1;
        } else {
            lane.simulated_after += 1;
        }
    }
}
