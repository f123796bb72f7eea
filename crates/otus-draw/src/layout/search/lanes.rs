//! What happened to each component on the way to a node: how much was consumed, simulated before
//! observation began and after it ended, and whether it was removed. These are the flags and
//! clovers of Fig. 7 of Mahe et al., "Tooling offline runtime verification…".
//!
//! A state says what is consumed, but not what was simulated: that depends on the way. Counts go
//! from parents to children, and only for ancestors of what is drawn.

use otus_analysis::graph::record::{Context, Graph};
use otus_analysis::graph::{Rule, SearchState};
use otus_core::LifelineSet;
use otus_core::index::Index as _;
use otus_trace::MultiTrace;
use rustc_hash::FxHashMap;

use crate::layout::multitrace::Lane;

/// By node that is kept, and by component. Nothing for an exploration.
pub(super) fn lanes(
    context: &Context<'_>,
    graph: &Graph,
    kept: &[bool],
) -> FxHashMap<usize, Vec<Lane>> {
    let mut known: FxHashMap<usize, Vec<Lane>> = FxHashMap::default();
    let Some(trace) = context.trace else { return known };
    let parent = |node: usize| graph.nodes[node].parent.map(|(parent, _)| parent.0 as usize);
    // Parents have smaller numbers than their children.
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

/// Counts what a rule lets happen without being observed, once for each component it touches.
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
        // What was never observed at all has ended before it began.
        if consumed == 0 && !trace.steps(component).is_empty() {
            lane.simulated_before += 1;
        } else {
            lane.simulated_after += 1;
        }
    }
}
