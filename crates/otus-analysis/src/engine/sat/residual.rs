//! The residual of a term as a tree with parent links, to find the positions of leaves.
//!
//! A residual of a term is the term with leaves removed, branches dropped, loops instantiated and ∅
//! simplified. Here the nodes of the term form a tree that is rewritten step by step by the rules
//! of [`Frontiers`](otus_core::semantics::Frontiers), all of which are local to the path from a
//! leaf to the root; the letters along this path are the position of the leaf. So a chosen leaf is
//! found without enumerating all possible steps.
//!
//! Leaves and loops are identified by the iteration they are directly in and their index there (see
//! [`Iteration`](super::compile::Iteration)). A loop node holds its body as a *template*, in
//! which branches may be pruned; the first event of an iteration copies it. In
//!
//! ```text
//! coreg_r(loopC_r(i)∖…, coreg_r(i′, loopC_r(i)))
//! ```
//!
//! there are then two loops, for iterations before and after this one: a loop node stands for a
//! *gap* between two iterations that have begun.

use otus_core::{LifelineId, Pool, RegionId, Term, TermId};
use rustc_hash::FxHashMap;

use super::compile::Unrolled;

/// ∅, and the parent of the root.
const NONE: u32 = u32::MAX;

pub(super) struct ResidualTree {
    nodes: Vec<Node>,
    /// For each iteration and ordinal: the leaves of iterations that have begun.
    leaves: FxHashMap<(u32, u32), u32>,
    /// For each iteration and ordinal: the loops of iterations that have begun.
    gaps: FxHashMap<(u32, u32), Vec<Gap>>,
}

#[derive(Clone, Copy)]
struct Node {
    kind: NodeKind,
    /// Both operands; for a loop its template and ∅.
    operands: [u32; 2],
    parent: u32,
    /// The index of this node among the operands of its parent.
    side: usize,
    /// A superset of the lifelines below it.
    lifelines: RegionId,
    /// For leaves and loops: the ordinal in the innermost iteration.
    ordinal: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeKind {
    Leaf,
    Alt,
    Strict,
    Coreg(RegionId),
    LoopS,
    LoopC(RegionId),
}

/// The iterations from one index on, up to the next gap.
#[derive(Clone, Copy)]
struct Gap {
    from: u32,
    node: u32,
}

impl ResidualTree {
    pub(super) fn new(pool: &Pool, term: TermId) -> Self {
        let mut rest = ResidualTree {
            nodes: Vec::new(),
            leaves: FxHashMap::default(),
            gaps: FxHashMap::default(),
        };
        let root = rest.build(pool, term);
        rest.begin(root, 0);
        rest
    }

    /// The tree of a term, simplified.
    fn build(&mut self, pool: &Pool, term: TermId) -> u32 {
        let mut pending = vec![(term, 0, false)];
        let mut done: Vec<u32> = Vec::new();
        // The ordinals of the next leaf and loop, for each enclosing body.
        let mut next = vec![(0, 0)];
        while let Some((term, ordinal, operands_done)) = pending.pop() {
            let lifelines = pool.attributes(term).lifelines;
            let node = pool.node(term);
            let counters = next.last_mut().expect("the whole term is around");
            let kind = match node {
                Term::Empty => {
                    done.push(NONE);
                    continue;
                }
                Term::Event(_) => {
                    let ordinal = counters.0;
                    counters.0 += 1;
                    done.push(self.node(NodeKind::Leaf, lifelines, ordinal));
                    continue;
                }
                Term::Alt(..) => NodeKind::Alt,
                Term::Strict(..) => NodeKind::Strict,
                Term::Coreg(region, ..) => NodeKind::Coreg(region),
                Term::LoopS(_) => NodeKind::LoopS,
                Term::LoopC(region, _) => NodeKind::LoopC(region),
            };
            let is_loop = matches!(kind, NodeKind::LoopS | NodeKind::LoopC(_));
            if !operands_done {
                let ordinal = counters.1;
                if is_loop {
                    counters.1 += 1;
                    next.push((0, 0));
                }
                pending.push((term, ordinal, true));
                pending.extend(node.operands().rev().map(|operand| (operand, 0, false)));
                continue;
            }
            let right = if is_loop { NONE } else { done.pop().expect("operands are done") };
            let left = done.pop().expect("operands are done");
            if is_loop {
                next.pop();
            }
            let id = self.node(kind, lifelines, ordinal);
            done.push(self.compose(id, [left, right]));
        }
        done.pop().expect("the root is done")
    }

    fn node(&mut self, kind: NodeKind, lifelines: RegionId, ordinal: u32) -> u32 {
        let id = self.next_id();
        let operands = [NONE, NONE];
        self.nodes.push(Node { kind, operands, parent: NONE, side: 0, lifelines, ordinal });
        id
    }

    fn next_id(&self) -> u32 {
        u32::try_from(self.nodes.len()).expect("terms are far smaller")
    }

    /// Sets the operands of a node.
    fn join(&mut self, id: u32, operands: [u32; 2]) -> u32 {
        self.nodes[id as usize].operands = operands;
        for (side, operand) in operands.into_iter().enumerate().filter(|&(_, o)| o != NONE) {
            self.nodes[operand as usize].parent = id;
            self.nodes[operand as usize].side = side;
        }
        id
    }

    /// Sets the operands of a node, simplified.
    fn compose(&mut self, id: u32, operands: [u32; 2]) -> u32 {
        let kind = self.nodes[id as usize].kind;
        match operands {
            [NONE, NONE] => NONE,
            [NONE, other] | [other, NONE]
                if matches!(kind, NodeKind::Strict | NodeKind::Coreg(_)) =>
            {
                other
            }
            [..] => self.join(id, operands),
        }
    }

    /// Registers the leaves and loops of a tree as those of an iteration.
    fn begin(&mut self, root: u32, iteration: u32) {
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            if id == NONE {
                continue;
            }
            let Node { kind, operands, ordinal, .. } = self.nodes[id as usize];
            match kind {
                NodeKind::Leaf => {
                    self.leaves.insert((iteration, ordinal), id);
                }
                NodeKind::LoopS | NodeKind::LoopC(_) => {
                    self.gaps.insert((iteration, ordinal), vec![Gap { from: 0, node: id }]);
                }
                NodeKind::Alt | NodeKind::Strict | NodeKind::Coreg(_) => pending.extend(operands),
            }
        }
    }

    /// A copy of a tree, templates included.
    fn copy(&mut self, root: u32) -> u32 {
        let first = self.next_id();
        self.nodes.push(self.nodes[root as usize]);
        let mut at = first as usize;
        // Copies are made breadth first; each then gets copies of its operands.
        while at < self.nodes.len() {
            let mut operands = self.nodes[at].operands;
            for operand in &mut operands {
                if *operand != NONE {
                    let copy = self.next_id();
                    self.nodes.push(self.nodes[*operand as usize]);
                    *operand = copy;
                }
            }
            let id = u32::try_from(at).expect("terms are far smaller");
            self.join(id, operands);
            at += 1;
        }
        first
    }

    /// The key of an iteration's loop, and the index of its gap there.
    fn gap(&self, compiled: &Unrolled, iteration: u32) -> Option<((u32, u32), usize)> {
        let about = compiled.iterations[iteration as usize];
        let key = (about.parent, about.ordinal);
        let gaps = self.gaps.get(&key)?;
        let at = gaps.partition_point(|gap| gap.from <= about.index).checked_sub(1)?;
        Some((key, at))
    }

    /// The node of a leaf, after copying the templates of the loops around it that have not begun.
    /// Also returns the loop nodes and iterations that begin with it.
    fn find(&mut self, compiled: &Unrolled, leaf: u32) -> Option<(u32, Vec<(u32, u32)>)> {
        let leaf = compiled.leaves[leaf as usize];
        let mut around = Vec::new();
        let mut iteration = leaf.iteration;
        while !self.leaves.contains_key(&(leaf.iteration, leaf.ordinal)) && iteration != 0 {
            around.push(iteration);
            iteration = compiled.iterations[iteration as usize].parent;
        }
        let mut begun = Vec::new();
        for iteration in around.into_iter().rev() {
            if self.has_begun(compiled, iteration) {
                continue;
            }
            let (key, at) = self.gap(compiled, iteration)?;
            let gap = self.gaps[&key][at].node;
            let template = self.nodes[gap as usize].operands[0];
            let body = self.copy(template);
            self.nodes[body as usize].parent = gap;
            self.nodes[body as usize].side = 0;
            self.begin(body, iteration);
            begun.push((gap, iteration));
        }
        let node = *self.leaves.get(&(leaf.iteration, leaf.ordinal))?;
        Some((node, begun))
    }

    /// Whether the first event of an iteration has happened.
    fn has_begun(&self, compiled: &Unrolled, iteration: u32) -> bool {
        // A gap begins after each iteration that has begun.
        let about = compiled.iterations[iteration as usize];
        let gaps = self.gaps.get(&(about.parent, about.ordinal));
        gaps.is_some_and(|gaps| gaps.iter().any(|gap| gap.from == about.index + 1))
    }

    /// Takes the step of a leaf; returns its position before the step. `None` if it cannot step.
    pub(super) fn step(
        &mut self,
        pool: &Pool,
        compiled: &Unrolled,
        leaf: u32,
    ) -> Option<Box<[u8]>> {
        let (leaf, begun) = self.find(compiled, leaf)?;
        let event_lifelines = pool.region(self.nodes[leaf as usize].lifelines);
        let ordered = |region: RegionId| -> Vec<LifelineId> {
            let outside = |&lifeline: &LifelineId| !pool.region_contains(region, lifeline);
            event_lifelines.iter().filter(outside).collect()
        };
        let mut letters: Vec<u8> = Vec::new();
        let (mut at, mut side) = self.up(leaf);
        let mut left = NONE;
        while at != NONE {
            letters.push(if side == 0 { 1 } else { 2 });
            // Read the parent now, because a loop node is moved below.
            let above = self.up(at);
            let Node { kind, operands, lifelines, .. } = self.nodes[at as usize];
            left = match (kind, side) {
                (NodeKind::Leaf | NodeKind::Alt, _) | (NodeKind::Strict, 1) => left,
                (NodeKind::Coreg(region), 1) => {
                    let pruned = self.prune(pool, operands[0], &ordered(region))?;
                    self.compose(at, [pruned, left])
                }
                (NodeKind::Strict | NodeKind::Coreg(_), _) => self.compose(at, [left, operands[1]]),
                (NodeKind::LoopS, _) => {
                    self.split(compiled, &begun, at, None);
                    let strict = self.node(NodeKind::Strict, lifelines, 0);
                    self.compose(strict, [left, at])
                }
                (NodeKind::LoopC(region), _) => {
                    let copy = self.copy(at);
                    let before = self.prune(pool, copy, &ordered(region))?;
                    self.split(compiled, &begun, at, Some(before));
                    let inner = self.node(NodeKind::Coreg(region), lifelines, 0);
                    let after = self.compose(inner, [left, at]);
                    let outer = self.node(NodeKind::Coreg(region), lifelines, 0);
                    self.compose(outer, [before, after])
                }
            };
            (at, side) = above;
        }
        if left != NONE {
            self.nodes[left as usize].parent = NONE;
        }
        letters.reverse();
        Some(letters.into())
    }

    /// The parent of a node, and the node's index among its operands.
    fn up(&self, id: u32) -> (u32, usize) {
        let Node { parent, side, .. } = self.nodes[id as usize];
        (parent, side)
    }

    /// Splits a gap at a beginning iteration; the gap before it may be another node.
    fn split(&mut self, compiled: &Unrolled, begun: &[(u32, u32)], gap: u32, before: Option<u32>) {
        let iteration =
            begun.iter().find(|(node, _)| *node == gap).map(|&(_, iteration)| iteration);
        let iteration = iteration.expect("only what begins goes up through a loop");
        let (key, at) = self.gap(compiled, iteration).expect("it begins in this gap");
        let index = compiled.iterations[iteration as usize].index;
        let gaps = self.gaps.get_mut(&key).expect("it begins in this gap");
        // In a strict loop, no iteration can begin before this one any more.
        gaps[at].node = before.unwrap_or(NONE);
        gaps.insert(at + 1, Gap { from: index + 1, node: gap });
    }

    /// Drops the branches with events on these lifelines. `None` if every branch has one.
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
            done.push(match (kind, left, right) {
                (_, Some(left), Some(right)) => Some(self.compose(id, [left, right])),
                (NodeKind::LoopS | NodeKind::LoopC(_), ..) => Some(NONE),
                (NodeKind::Alt, left, right) => left.or(right),
                (_, _, _) => None,
            });
        }
        done.pop().flatten()
    }
}
