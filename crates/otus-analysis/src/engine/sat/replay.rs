//! From a model to a witness.
//!
//! A model chooses branches, and on each component it says which leaves are before the window, which
//! of them is which moment, and which are after. That is a linear order on every component; by the
//! theorem of [`harm`](crate::engine::harm) these orders and all that the operators ask for have no cycle, so
//! [`schedule`] can put the chosen leaves in an order.
//!
//! The witness also needs the position of each event in what is left of the term at that time. The
//! residuals of a term are the term with leaves taken away, branches dropped and ∅ simplified, so [`Rest`]
//! keeps the nodes of the term as a tree that is cut down step by step by the rules of
//! [`Frontiers`](otus_core::semantics::Frontiers): a leaf knows where it stands by going up to the root.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use otus_core::{LifelineId, LifelineSet, Pool, RegionId, Term, TermId};
use otus_trace::MultiTrace;
use otus_trace::multitrace::ComponentId;

use super::encode::is_simple;
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
    let compiled = &problem.compiled;
    let mut orders = Vec::new();
    // By leaf: the components that observe it.
    let mut observed: Vec<Vec<ComponentId>> = vec![Vec::new(); compiled.leaves.len()];
    for component in problem.partition.components() {
        let order = order(problem, trace, question, model, component);
        for &(seen, leaf) in &order {
            if seen {
                observed[leaf as usize].push(component);
            }
        }
        orders.push(order.into_iter().map(|(_, leaf)| leaf).collect());
    }
    let mut rest = Rest::new(pool, problem.term);
    let steps = schedule(problem, model, &orders).into_iter().map(|leaf| {
        let event = compiled.leaves[leaf as usize].event;
        let position = rest.step(pool, leaf).expect("a model allows its leaves in this order");
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

/// The chosen leaves of a component in order, each with whether it is observed.
fn order(
    problem: &Problem,
    trace: &MultiTrace,
    question: &Question,
    model: &Model,
    component: ComponentId,
) -> Vec<(bool, u32)> {
    let compiled = &problem.compiled;
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

/// The chosen leaves in an order that agrees with those of the components and with every `strict`;
/// further to the left first, where there is a choice. What `coreg` asks for is in the
/// orders of components.
///
/// A `strict` is said by two points in time for each operand, its beginning and its end.
fn schedule(problem: &Problem, model: &Model, orders: &[Vec<u32>]) -> Vec<u32> {
    let compiled = &problem.compiled;
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
    let chosen: Vec<bool> =
        compiled.leaves.iter().map(|leaf| leaf.chosen.holds(&model.values)).collect();
    for (i, leaf) in compiled.leaves.iter().enumerate().filter(|&(i, _)| chosen[i]) {
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
    let free = (0..total).filter(|&node| waits[node] == 0 && (node >= count || chosen[node]));
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
    assert_eq!(
        order.len(),
        chosen.iter().filter(|&&chosen| chosen).count(),
        "a decoupled term has no cycle"
    );
    order
}

/// ∅, and the node above the root.
const NONE: u32 = u32::MAX;

/// What is left of a term: its nodes as a tree, simplified.
struct Rest {
    nodes: Vec<Node>,
    /// By leaf: its node.
    leaves: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Node {
    kind: NodeKind,
    operands: [u32; 2],
    parent: u32,
    /// Which operand of its parent it is.
    side: usize,
    /// At least the lifelines below.
    lifelines: RegionId,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeKind {
    Leaf,
    Alt,
    Strict,
    Coreg(RegionId),
}

impl Rest {
    fn new(pool: &Pool, term: TermId) -> Self {
        let mut rest = Rest { nodes: Vec::new(), leaves: Vec::new() };
        let mut pending = vec![(term, false)];
        let mut done: Vec<u32> = Vec::new();
        while let Some((term, operands_done)) = pending.pop() {
            let lifelines = pool.attributes(term).lifelines;
            let node = pool.node(term);
            let kind = match node {
                Term::Event(_) => {
                    let leaf = rest.node(NodeKind::Leaf, lifelines, [NONE, NONE]);
                    rest.leaves.push(leaf);
                    done.push(leaf);
                    continue;
                }
                Term::Alt(..) => NodeKind::Alt,
                Term::Strict(..) => NodeKind::Strict,
                Term::Coreg(region, ..) => NodeKind::Coreg(region),
                // There are no loops.
                Term::Empty | Term::LoopS(_) | Term::LoopC(..) => {
                    done.push(NONE);
                    continue;
                }
            };
            if !operands_done {
                pending.push((term, true));
                pending.extend(node.operands().rev().map(|operand| (operand, false)));
                continue;
            }
            let right = done.pop().expect("both operands are done");
            let left = done.pop().expect("both operands are done");
            let new = match (kind, left, right) {
                (_, NONE, NONE) => NONE,
                (NodeKind::Strict | NodeKind::Coreg(_), NONE, other)
                | (NodeKind::Strict | NodeKind::Coreg(_), other, NONE) => other,
                (NodeKind::Leaf | NodeKind::Alt | NodeKind::Strict | NodeKind::Coreg(_), ..) => {
                    rest.node(kind, lifelines, [left, right])
                }
            };
            done.push(new);
        }
        rest
    }

    fn node(&mut self, kind: NodeKind, lifelines: RegionId, operands: [u32; 2]) -> u32 {
        let id = u32::try_from(self.nodes.len()).expect("terms are far smaller");
        self.nodes.push(Node { kind, operands, parent: NONE, side: 0, lifelines });
        self.join(id, operands)
    }

    /// The node with these operands, which are not both ∅.
    fn join(&mut self, id: u32, operands: [u32; 2]) -> u32 {
        self.nodes[id as usize].operands = operands;
        for (side, operand) in operands.into_iter().enumerate().filter(|&(_, o)| o != NONE) {
            self.nodes[operand as usize].parent = id;
            self.nodes[operand as usize].side = side;
        }
        id
    }

    /// The `strict` or `coreg` with these operands, simplified.
    fn compose(&mut self, id: u32, operands: [u32; 2]) -> u32 {
        match operands {
            [NONE, other] | [other, NONE] => other,
            [..] => self.join(id, operands),
        }
    }

    /// Takes the step of a leaf; returns its position before that. `None` if it cannot step.
    fn step(&mut self, pool: &Pool, leaf: u32) -> Option<Box<[u8]>> {
        let leaf = self.leaves[leaf as usize];
        let event_lifelines = pool.region(self.nodes[leaf as usize].lifelines);
        let mut letters: Vec<u8> = Vec::new();
        let mut at = leaf;
        let mut left = NONE;
        loop {
            let Node { parent, side, .. } = self.nodes[at as usize];
            if parent == NONE {
                break;
            }
            letters.push(if side == 0 { 1 } else { 2 });
            let Node { kind, operands, .. } = self.nodes[parent as usize];
            left = match (kind, side) {
                (NodeKind::Leaf | NodeKind::Alt, _) | (NodeKind::Strict, 1) => left,
                (NodeKind::Coreg(region), 1) => {
                    let ordered: Vec<LifelineId> = event_lifelines
                        .iter()
                        .filter(|&lifeline| !pool.region_contains(region, lifeline))
                        .collect();
                    let pruned = self.prune(pool, operands[0], &ordered)?;
                    self.compose(parent, [pruned, left])
                }
                (NodeKind::Strict | NodeKind::Coreg(_), _) => {
                    self.compose(parent, [left, operands[1]])
                }
            };
            at = parent;
        }
        if left != NONE {
            self.nodes[left as usize].parent = NONE;
        }
        letters.reverse();
        Some(letters.into())
    }

    /// Drops the branches with events on the given lifelines. `None` if there is no other way.
    fn prune(&mut self, pool: &Pool, root: u32, avoided: &[LifelineId]) -> Option<u32> {
        let mut pending = vec![(root, false)];
        let mut done: Vec<Option<u32>> = Vec::new();
        while let Some((id, operands_done)) = pending.pop() {
            if id == NONE {
                done.push(Some(NONE));
                continue;
            }
            let Node { kind, operands, lifelines, .. } = self.nodes[id as usize];
            let touched = avoided.iter().any(|&lifeline| pool.region_contains(lifelines, lifeline));
            if !touched {
                done.push(Some(id));
                continue;
            }
            if kind == NodeKind::Leaf {
                done.push(None);
                continue;
            }
            if !operands_done {
                pending.push((id, true));
                pending.extend(operands.into_iter().rev().map(|operand| (operand, false)));
                continue;
            }
            let right = done.pop().expect("both operands are done");
            let left = done.pop().expect("both operands are done");
            let new = match (kind, left, right) {
                (NodeKind::Alt, Some(NONE), Some(NONE)) => Some(NONE),
                (NodeKind::Alt, Some(left), Some(right)) => Some(self.join(id, [left, right])),
                (NodeKind::Alt, left, right) => left.or(right),
                (_, Some(left), Some(right)) => Some(self.compose(id, [left, right])),
                (_, _, _) => None,
            };
            done.push(new);
        }
        done.pop().flatten()
    }
}
