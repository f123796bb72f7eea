//! From a model to a witness.
//!
//! A model chooses branches, and determines for each component which leaves are before the window,
//! which of them is which moment, and which are after. That is a linear order on every component.
//! If the term is decoupled, then by the theorem of [`coupling`](crate::engine::coupling) these
//! orders and the constraints of the operators have no cycle, so
//! [`schedule`] can order the chosen leaves. Otherwise there may be a [`Cycle`], and
//! only necessary pairs are ordered.
//!
//! Iterations of loops without observed events are left out, which by the loop lemma preserves the
//! witness. [`ResidualTree`] gives the position of each event.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use otus_core::index::Index as _;
use otus_core::{LifelineSet, Pool};
use otus_trace::multitrace::ComponentId;
use otus_trace::{MultiTrace, Partition};

use super::compile::{Operator, OperatorKind, Part, Unrolled};
use super::encode::is_simple;
use super::residual::ResidualTree;
use super::{Model, Problem};
use crate::observation::observed_lifelines;
use crate::question::{Observed, Question};
use crate::witness::{Witness, WitnessEvent};

impl Problem {
    /// A global trace that proves the answer: all events of the chosen branches, in an order that
    /// the term allows and the multi-trace shows.
    ///
    /// # Panics
    /// If the model is not one of this term, multi-trace and question.
    pub fn witness(
        &self,
        pool: &mut Pool,
        trace: &MultiTrace,
        question: &Question,
        model: &Model,
    ) -> Witness {
        let compiled = self.compiled(model);
        let plan = plan(compiled, &self.partition, trace, question, model);
        let Ok(Plan { order, observed }) = plan else {
            unreachable!("what is explained has an order")
        };
        let mut rest = ResidualTree::new(pool, self.term);
        let steps = order.into_iter().map(|leaf| {
            let event = compiled.leaves[leaf as usize].event;
            let position =
                rest.step(pool, compiled, leaf).expect("a model allows its leaves in this order");
            let observes = |component| observed[leaf as usize].contains(&component);
            let seen = observed_lifelines(pool, &self.partition, event, observes);
            WitnessEvent { event, position, observed: pool.intern_region(&seen) }.into()
        });
        Witness { steps: steps.collect() }
    }
}

/// A run of the term.
pub(super) struct Plan {
    /// The leaves that happen, in order.
    order: Vec<u32>,
    /// For each leaf: the components that observe it.
    observed: Vec<Vec<ComponentId>>,
}

/// An edge of a cycle that is due to the places of two leaves on a component, given by their
/// indexes.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByPlace {
    pub(super) component: ComponentId,
    pub(super) pair: (usize, usize),
}

/// A set of chosen leaves that wait for each other in a circle, with the places in the logs at
/// which some of them were put. No multi-trace contains all the leaves at these places.
#[derive(Debug, Default)]
pub(super) struct Cycle {
    pub(super) leaves: Vec<u32>,
    pub(super) places: Vec<ByPlace>,
}

/// The run that a model describes, or a cycle in its constraints. There is never a cycle if the
/// term is decoupled.
pub(super) fn plan(
    compiled: &Unrolled,
    partition: &Partition,
    trace: &MultiTrace,
    question: &Question,
    model: &Model,
) -> Result<Plan, Cycle> {
    let mut orders: Vec<Vec<Placed>> = Vec::new();
    let mut observed: Vec<Vec<ComponentId>> = vec![Vec::new(); compiled.leaves.len()];
    // For each iteration: whether it has an observed event.
    let mut useful = vec![false; compiled.iterations.len()];
    useful[0] = true;
    for component in partition.components() {
        let order = order(compiled, trace, question, model, component);
        for placed in order.iter().filter(|placed| placed.observed) {
            observed[placed.leaf as usize].push(component);
            let mut iteration = compiled.leaves[placed.leaf as usize].iteration as usize;
            while !useful[iteration] {
                useful[iteration] = true;
                iteration = compiled.iterations[iteration].parent as usize;
            }
        }
        orders.push(order);
    }
    let happens: Vec<bool> = compiled
        .leaves
        .iter()
        .map(|leaf| leaf.chosen.holds(&model.values) && useful[leaf.iteration as usize])
        .collect();
    let mut edges = Vec::new();
    for (component, order) in partition.components().zip(&mut orders) {
        order.retain(|placed| happens[placed.leaf as usize]);
        if model.exact && !compiled.chains[component.index()] {
            pairs(compiled, &partition.set(component), component, order, &mut edges);
        } else {
            edges.extend(order.windows(2).map(|pair| Edge::new(pair[0].leaf, pair[1].leaf)));
        }
    }
    Ok(Plan { order: schedule(compiled, &happens, edges)?, observed })
}

/// A leaf that happens on a component.
#[derive(Debug, Clone, Copy)]
struct Placed {
    /// The place of the leaf: before, in, or after the observed window.
    place: usize,
    leaf: u32,
    /// The index of the leaf on the component.
    index: usize,
    observed: bool,
}

/// A constraint: one node comes before another.
#[derive(Debug, Clone, Copy)]
struct Edge {
    from: usize,
    to: usize,
    place: Option<ByPlace>,
}

impl Edge {
    fn new(from: u32, to: u32) -> Self {
        Edge { from: from as usize, to: to as usize, place: None }
    }
}

/// The ordered pairs on a component, and no others: those ordered by an operator or by their
/// places.
fn pairs(
    compiled: &Unrolled,
    lifelines: &LifelineSet,
    component: ComponentId,
    order: &[Placed],
    edges: &mut Vec<Edge>,
) {
    let parts = compiled.on(component);
    let mut by_index: Vec<Placed> = order.to_vec();
    by_index.sort_unstable_by_key(|placed| placed.index);
    for (i, left) in by_index.iter().enumerate() {
        let mut operator = Operator { depth: u32::MAX, kind: OperatorKind::Alt };
        let mut next = left.index + 1;
        for right in &by_index[i + 1..] {
            for part in &parts[next..=right.index] {
                if part.before.depth < operator.depth {
                    operator = part.before;
                }
            }
            next = right.index + 1;
            if compiled.orders(operator.kind, left.leaf, right.leaf, lifelines) {
                edges.push(Edge::new(left.leaf, right.leaf));
            } else if left.place != right.place {
                let (first, second) =
                    if left.place < right.place { (left, right) } else { (right, left) };
                let place = ByPlace { component, pair: (first.index, second.index) };
                let edge = Edge::new(first.leaf, second.leaf);
                edges.push(Edge { place: Some(place), ..edge });
            }
        }
    }
}

/// The chosen leaves of a component, in order.
fn order(
    compiled: &Unrolled,
    trace: &MultiTrace,
    question: &Question,
    model: &Model,
    component: ComponentId,
) -> Vec<Placed> {
    let declared = question.of(component);
    let moments: Vec<u32> = if declared == Observed::Unobserved {
        Vec::new()
    } else {
        compiled.moments(trace, component).collect()
    };
    let parts = compiled.on(component);
    let chosen = |leaf: u32| compiled.leaves[leaf as usize].chosen.holds(&model.values);
    let count = moments.len();
    if is_simple(compiled, component, &moments, declared, model.exact) {
        // The leaves are ordered from left to right. If the window fits at several indexes, any of
        // them is a valid choice.
        let chosen: Vec<_> =
            parts.iter().enumerate().filter(|(_, part)| chosen(part.leaf)).collect();
        let fits = |start: usize| {
            let window = chosen.iter().skip(start).map(|(_, part)| part.label).take(count);
            window.eq(moments.iter().copied())
        };
        let last = chosen.len().saturating_sub(count);
        let start = match (declared.may_start_late(), declared.may_stop_early()) {
            (false, _) => 0,
            (true, false) => last,
            (true, true) => (0..=last).find(|&start| fits(start)).unwrap_or(0),
        };
        debug_assert!(fits(start), "a model leaves a window");
        let window = start..start + count;
        let placed = |(i, &(index, part)): (usize, &(usize, &Part))| {
            // If there are no moments, all leaves have the same place.
            let place = if count == 0 { 0 } else { i };
            Placed { place, leaf: part.leaf, index, observed: window.contains(&i) }
        };
        return chosen.iter().enumerate().map(placed).collect();
    }
    let places = model.places.iter().find(|places| places.component == component);
    let places = places.expect("every other component has places");
    let mut order: Vec<Placed> = Vec::new();
    for (index, part) in parts.iter().enumerate().filter(|(_, part)| chosen(part.leaf)) {
        let place = (0..=count).find(|&place| places.at_most(index, place).holds(&model.values));
        let place = place.unwrap_or(count + 1);
        let observed = (1..=count).contains(&place);
        order.push(Placed { place, leaf: part.leaf, index, observed });
    }
    order.sort_unstable_by_key(|placed| (placed.place, placed.leaf));
    order
}

/// A topological order of the leaves that happen, consistent with the orders of the components and
/// with every `strict`; the leftmost leaf first, where there is a choice. The constraints of
/// `coreg` are among the given edges.
///
/// A `strict` is expressed by two points in time for each operand, its beginning and its end.
fn schedule(
    compiled: &Unrolled,
    happens: &[bool],
    mut edges: Vec<Edge>,
) -> Result<Vec<u32>, Cycle> {
    let count = compiled.leaves.len();
    let begin = |scope: usize| count + 2 * scope;
    let end = |scope: usize| count + 2 * scope + 1;
    let total = count + 2 * compiled.scopes.len();
    let mut add = |from: usize, to: usize| edges.push(Edge { from, to, place: None });
    for (i, scope) in compiled.scopes.iter().enumerate().skip(1) {
        add(begin(scope.parent as usize), begin(i));
        add(end(i), end(scope.parent as usize));
        if scope.follows {
            add(end(i - 1), begin(i));
        }
    }
    for (i, leaf) in compiled.leaves.iter().enumerate().filter(|&(i, _)| happens[i]) {
        add(begin(leaf.scope as usize), i);
        add(i, end(leaf.scope as usize));
    }
    edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
    let mut waits = vec![0u32; total];
    for edge in &edges {
        waits[edge.to] += 1;
    }
    // Points in time come before leaves.
    let key = |node: usize| Reverse((node < count, node));
    let free = (0..total).filter(|&node| waits[node] == 0 && (node >= count || happens[node]));
    let mut ready: BinaryHeap<_> = free.map(key).collect();
    let mut order = Vec::new();
    while let Some(Reverse((is_leaf, node))) = ready.pop() {
        if is_leaf {
            order.push(u32::try_from(node).expect("leaves have 32 bits"));
        }
        let first = edges.partition_point(|edge| edge.from < node);
        for edge in edges[first..].iter().take_while(|edge| edge.from == node) {
            waits[edge.to] -= 1;
            if waits[edge.to] == 0 {
                ready.push(key(edge.to));
            }
        }
    }
    if order.len() == happens.iter().filter(|&&happens| happens).count() {
        return Ok(order);
    }
    Err(cycle(count, &edges, &waits))
}

/// A cycle among the nodes that still wait for others.
fn cycle(count: usize, edges: &[Edge], waits: &[u32]) -> Cycle {
    // Going back from any waiting node leads to another waiting node, and finally to one that was
    // visited.
    let mut cause: Vec<Option<Edge>> = vec![None; waits.len()];
    for edge in edges.iter().filter(|edge| waits[edge.from] > 0 && waits[edge.to] > 0) {
        cause[edge.to].get_or_insert(*edge);
    }
    let mut met = vec![false; waits.len()];
    let Some(mut node) = waits.iter().position(|&waits| waits > 0) else { return Cycle::default() };
    while !met[node] {
        met[node] = true;
        let Some(edge) = cause[node] else { return Cycle::default() };
        node = edge.from;
    }
    let (start, mut cycle) = (node, Cycle::default());
    loop {
        if node < count {
            cycle.leaves.push(u32::try_from(node).expect("leaves have 32 bits"));
        }
        let Some(edge) = cause[node] else { return Cycle::default() };
        cycle.places.extend(edge.place);
        node = edge.from;
        if node == start {
            return cycle;
        }
    }
}
