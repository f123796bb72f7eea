//! From a model to a witness.
//!
//! A model chooses branches, and on each component it says which leaves are before the window, which
//! of them is which moment, and which are after. That is a linear order on every component; by the
//! theorem of [`harm`](crate::engine::harm) these orders and all that the operators ask for have no cycle, so
//! [`schedule`] can put the chosen leaves in an order.
//!
//! Iterations of loops in which nothing is observed are left out, which by the loop lemma leaves a
//! witness. The position of each event comes from [`Rest`].

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use otus_core::{LifelineSet, Pool};
use otus_trace::multitrace::ComponentId;
use otus_trace::{MultiTrace, Partition};

use super::compile::Compiled;
use super::encode::is_simple;
use super::rest::Rest;
use super::{Model, Problem};
use crate::question::{Observed, Question};
use crate::witness::{Place, Witness, WitnessStep};

/// See [`Problem::witness`].
pub(super) fn witness(
    pool: &mut Pool,
    problem: &Problem,
    trace: &MultiTrace,
    question: &Question,
    model: &Model,
) -> Witness {
    let compiled = problem.compiled(model);
    let plan = plan((compiled, &problem.partition), trace, question, model);
    let Plan { order, observed } = plan.expect("what is explained has an order");
    let mut rest = Rest::new(pool, problem.term);
    let steps = order.into_iter().map(|leaf| {
        let event = compiled.leaves[leaf as usize].event;
        let position =
            rest.step(pool, compiled, leaf).expect("a model allows its leaves in this order");
        let seen: LifelineSet = pool
            .region(pool.event_lifelines(event))
            .iter()
            .filter(|&lifeline| {
                observed[leaf as usize].contains(&problem.partition.component_of(lifeline))
            })
            .collect();
        let place = Place { event, position, observed: pool.intern_region(&seen) };
        if seen.is_empty() { WitnessStep::Unobserved(place) } else { WitnessStep::Observed(place) }
    });
    Witness { steps: steps.collect() }
}

/// A run.
pub(super) struct Plan {
    /// The leaves that happen.
    order: Vec<u32>,
    /// By leaf: the components that observe it.
    observed: Vec<Vec<ComponentId>>,
}

/// The run that a model describes; `None` if its orders make a cycle, which they never do if
/// the term is decoupled.
pub(super) fn plan(
    (compiled, partition): (&Compiled, &Partition),
    trace: &MultiTrace,
    question: &Question,
    model: &Model,
) -> Option<Plan> {
    let mut orders: Vec<Vec<u32>> = Vec::new();
    let mut observed: Vec<Vec<ComponentId>> = vec![Vec::new(); compiled.leaves.len()];
    // By iteration: whether something is observed in it.
    let mut useful = vec![false; compiled.iterations.len()];
    useful[0] = true;
    for component in partition.components() {
        let order = order(compiled, trace, question, model, component);
        for &(_, leaf) in order.iter().filter(|(seen, _)| *seen) {
            observed[leaf as usize].push(component);
            let mut iteration = compiled.leaves[leaf as usize].iteration as usize;
            while !useful[iteration] {
                useful[iteration] = true;
                iteration = compiled.iterations[iteration].parent as usize;
            }
        }
        orders.push(order.into_iter().map(|(_, leaf)| leaf).collect());
    }
    let happens: Vec<bool> = compiled
        .leaves
        .iter()
        .map(|leaf| leaf.chosen.holds(&model.values) && useful[leaf.iteration as usize])
        .collect();
    for order in &mut orders {
        order.retain(|&leaf| happens[leaf as usize]);
    }
    Some(Plan { order: schedule(compiled, &happens, &orders)?, observed })
}

/// The chosen leaves of a component in order, each with whether it is observed.
fn order(
    compiled: &Compiled,
    trace: &MultiTrace,
    question: &Question,
    model: &Model,
    component: ComponentId,
) -> Vec<(bool, u32)> {
    let declared = question.of(component);
    let moments = match declared {
        Observed::Unobserved => Vec::new(),
        Observed::Complete | Observed::StopsEarly | Observed::StartsLate | Observed::Slice => {
            compiled.moments(trace, component).collect()
        }
    };
    let parts = compiled.on(component);
    let chosen = |leaf: u32| compiled.leaves[leaf as usize].chosen.holds(&model.values);
    let count = moments.len();
    if is_simple(compiled, component, &moments, declared) {
        // From left to right; the first window that fits is as good as any.
        let chosen: Vec<_> = parts.iter().filter(|part| chosen(part.leaf)).collect();
        let fits = |start: usize| {
            let window = chosen.iter().skip(start).map(|part| part.label).take(count);
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
        return chosen
            .iter()
            .enumerate()
            .map(|(i, part)| (window.contains(&i), part.leaf))
            .collect();
    }
    let places = model.places.iter().find(|places| places.component == component);
    let places = places.expect("every other component has places");
    let mut order: Vec<(usize, u32)> = Vec::new();
    for (i, part) in parts.iter().enumerate().filter(|(_, part)| chosen(part.leaf)) {
        let place = (0..=count).find(|&place| places.at_most(i, place).holds(&model.values));
        order.push((place.unwrap_or(count + 1), part.leaf));
    }
    order.sort_unstable();
    order.into_iter().map(|(place, leaf)| ((1..=count).contains(&place), leaf)).collect()
}

/// The leaves that happen in an order that agrees with those of the components and with every `strict`;
/// further to the left first, where there is a choice. What `coreg` asks for is in the
/// orders of components. `None` if there is a cycle.
///
/// A `strict` is said by two points in time for each operand, its beginning and its end.
fn schedule(compiled: &Compiled, happens: &[bool], orders: &[Vec<u32>]) -> Option<Vec<u32>> {
    let count = compiled.leaves.len();
    let begin = |scope: usize| count + 2 * scope;
    let end = |scope: usize| count + 2 * scope + 1;
    let total = count + 2 * compiled.scopes.len();
    let mut edges: Vec<(usize, usize)> = Vec::new();
    for (i, scope) in compiled.scopes.iter().enumerate().skip(1) {
        edges.push((begin(scope.parent as usize), begin(i)));
        edges.push((end(i), end(scope.parent as usize)));
        if scope.follows {
            edges.push((end(i - 1), begin(i)));
        }
    }
    for (i, leaf) in compiled.leaves.iter().enumerate().filter(|&(i, _)| happens[i]) {
        edges.push((begin(leaf.scope as usize), i));
        edges.push((i, end(leaf.scope as usize)));
    }
    for order in orders {
        edges.extend(order.windows(2).map(|pair| (pair[0] as usize, pair[1] as usize)));
    }
    edges.sort_unstable();
    let mut waits = vec![0u32; total];
    for &(_, to) in &edges {
        waits[to] += 1;
    }
    // Points in time first: they take none.
    let key = |node: usize| Reverse((node < count, node));
    let free = (0..total).filter(|&node| waits[node] == 0 && (node >= count || happens[node]));
    let mut ready: BinaryHeap<_> = free.map(key).collect();
    let mut order = Vec::new();
    while let Some(Reverse((is_leaf, node))) = ready.pop() {
        if is_leaf {
            order.push(u32::try_from(node).expect("leaves have 32 bits"));
        }
        let first = edges.partition_point(|&(from, _)| from < node);
        for &(_, to) in edges[first..].iter().take_while(|&&(from, _)| from == node) {
            waits[to] -= 1;
            if waits[to] == 0 {
                ready.push(key(to));
            }
        }
    }
    let count = happens.iter().filter(|&&happens| happens).count();
    (order.len() == count).then_some(order)
}
