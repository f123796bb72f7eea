//! What is left of a term, as a tree in which leaves know where they stand.
//!
//! The residuals of a term are the term with leaves taken away, branches dropped, loops
//! instantiated and ∅ simplified. Here the nodes of the term are a tree that is changed step by
//! step by the rules of [`Frontiers`](otus_core::semantics::Frontiers), all of which are local to the way from a leaf
//! up to the root; the letters met on this way are the position of the leaf. So a chosen leaf
//! is found without looking at all steps that are possible.
//!
//! Leaves and loops are known by the iteration they are directly in and their number there (see
//! [`Iteration`](super::compile::Iteration)). A loop node holds its body as a *template*, in
//! which branches may be pruned; the first event of an iteration makes a copy of it. In
//!
//! ```text
//! coreg_r(loopC_r(i)∖…, coreg_r(i′, loopC_r(i)))
//! ```
//!
//! there are two loops then, for iterations before and after this one: a loop node stands for a
//! *gap* between two iterations that have begun.

use otus_core::{LifelineId, Pool, RegionId, Term, TermId};
use rustc_hash::FxHashMap;

use super::compile::Compiled;

/// ∅, and the node above the root.
const NONE: u32 = u32::MAX;

/// What is left of a term.
pub(super) struct Rest {
    nodes: Vec<Node>,
    /// By iteration and number: the leaves of iterations that have begun.
    leaves: FxHashMap<(u32, u32), u32>,
    /// By iteration and number: the loops of iterations that have begun.
    gaps: FxHashMap<(u32, u32), Vec<Gap>>,
}

#[derive(Clone, Copy)]
struct Node {
    kind: Kind,
    /// Both operands; or the template of a loop and ∅.
    operands: [u32; 2],
    parent: u32,
    /// Which operand of its parent it is.
    side: usize,
    /// At least the lifelines below.
    lifelines: RegionId,
    /// Of leaves and loops: the number in the innermost iteration.
    ordinal: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Leaf,
    Alt,
    Strict,
    Coreg(RegionId),
    LoopS,
    LoopC(RegionId),
}

/// The iterations from one number on, up to the next gap.
#[derive(Clone, Copy)]
struct Gap {
    from: u32,
    node: u32,
}

impl Rest {
    pub(super) fn new(pool: &Pool, term: TermId) -> Self {
        let mut rest =
            Rest { nodes: Vec::new(), leaves: FxHashMap::default(), gaps: FxHashMap::default() };
        let root = rest.build(pool, term);
        rest.begin(root, 0);
        rest
    }

    /// The tree of a term, simplified.
    fn build(&mut self, pool: &Pool, term: TermId) -> u32 {
        let mut pending = vec![(term, 0, false)];
        let mut done: Vec<u32> = Vec::new();
        // The numbers of the next leaf and loop, for each body around.
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
                    done.push(self.node(Kind::Leaf, lifelines, ordinal));
                    continue;
                }
                Term::Alt(..) => Kind::Alt,
                Term::Strict(..) => Kind::Strict,
                Term::Coreg(region, ..) => Kind::Coreg(region),
                Term::LoopS(_) => Kind::LoopS,
                Term::LoopC(region, _) => Kind::LoopC(region),
            };
            let is_loop = matches!(kind, Kind::LoopS | Kind::LoopC(_));
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
            let new = match (kind, left, right) {
                (_, NONE, NONE) => NONE,
                (Kind::Strict | Kind::Coreg(_), NONE, other)
                | (Kind::Strict | Kind::Coreg(_), other, NONE) => other,
                (
                    Kind::Leaf
                    | Kind::Alt
                    | Kind::Strict
                    | Kind::Coreg(_)
                    | Kind::LoopS
                    | Kind::LoopC(_),
                    ..,
                ) => {
                    let id = self.node(kind, lifelines, ordinal);
                    self.join(id, [left, right])
                }
            };
            done.push(new);
        }
        done.pop().expect("the root is done")
    }

    fn node(&mut self, kind: Kind, lifelines: RegionId, ordinal: u32) -> u32 {
        let id = u32::try_from(self.nodes.len()).expect("terms are far smaller");
        let operands = [NONE, NONE];
        self.nodes.push(Node { kind, operands, parent: NONE, side: 0, lifelines, ordinal });
        id
    }

    /// The node with these operands.
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

    /// Makes the leaves and loops of a tree known as those of an iteration.
    fn begin(&mut self, root: u32, iteration: u32) {
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            if id == NONE {
                continue;
            }
            let Node { kind, operands, ordinal, .. } = self.nodes[id as usize];
            match kind {
                Kind::Leaf => {
                    self.leaves.insert((iteration, ordinal), id);
                }
                Kind::LoopS | Kind::LoopC(_) => {
                    self.gaps.insert((iteration, ordinal), vec![Gap { from: 0, node: id }]);
                }
                Kind::Alt | Kind::Strict | Kind::Coreg(_) => pending.extend(operands),
            }
        }
    }

    /// A copy of a tree, templates included.
    fn copy(&mut self, root: u32) -> u32 {
        let first = u32::try_from(self.nodes.len()).expect("terms are far smaller");
        self.nodes.push(self.nodes[root as usize]);
        let mut at = first as usize;
        // Copies are made in order, and each is then given copies of its operands.
        while at < self.nodes.len() {
            let mut operands = self.nodes[at].operands;
            for operand in &mut operands {
                if *operand != NONE {
                    let copy = u32::try_from(self.nodes.len()).expect("terms are far smaller");
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

    /// The loop node for an iteration, and where it is among the gaps of its loop.
    fn gap(&self, compiled: &Compiled, iteration: u32) -> Option<((u32, u32), usize)> {
        let about = compiled.iterations[iteration as usize];
        let key = (about.parent, about.ordinal);
        let gaps = self.gaps.get(&key)?;
        let at = gaps.partition_point(|gap| gap.from <= about.index).checked_sub(1)?;
        Some((key, at))
    }

    /// The node of a leaf, after copies were made of all loops around it that are needed. Returns
    /// the loops and iterations that begin with it as well.
    fn find(&mut self, compiled: &Compiled, leaf: u32) -> Option<(u32, Vec<(u32, u32)>)> {
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
    fn has_begun(&self, compiled: &Compiled, iteration: u32) -> bool {
        // A gap begins after each iteration that has begun.
        let about = compiled.iterations[iteration as usize];
        let gaps = self.gaps.get(&(about.parent, about.ordinal));
        gaps.is_some_and(|gaps| gaps.iter().any(|gap| gap.from == about.index + 1))
    }

    /// Takes the step of a leaf; returns its position before that. `None` if it cannot step.
    pub(super) fn step(
        &mut self,
        pool: &Pool,
        compiled: &Compiled,
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
            // Taken now, because a loop node moves to another place below.
            let above = self.up(at);
            let Node { kind, operands, lifelines, .. } = self.nodes[at as usize];
            left = match (kind, side) {
                (Kind::Leaf | Kind::Alt, _) | (Kind::Strict, 1) => left,
                (Kind::Coreg(region), 1) => {
                    let pruned = self.prune(pool, operands[0], &ordered(region))?;
                    self.compose(at, [pruned, left])
                }
                (Kind::Strict | Kind::Coreg(_), _) => self.compose(at, [left, operands[1]]),
                (Kind::LoopS, _) => {
                    self.split(compiled, &begun, at, None);
                    let strict = self.node(Kind::Strict, lifelines, 0);
                    self.compose(strict, [left, at])
                }
                (Kind::LoopC(region), _) => {
                    let copy = self.copy(at);
                    let before = self.prune(pool, copy, &ordered(region))?;
                    self.split(compiled, &begun, at, Some(before));
                    let inner = self.node(Kind::Coreg(region), lifelines, 0);
                    let after = self.compose(inner, [left, at]);
                    let outer = self.node(Kind::Coreg(region), lifelines, 0);
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

    /// The parent of a node, and which of its operands the node is.
    fn up(&self, id: u32) -> (u32, usize) {
        let Node { parent, side, .. } = self.nodes[id as usize];
        (parent, side)
    }

    /// An iteration begins in a gap: what was one is two, the first of which may be another node.
    fn split(&mut self, compiled: &Compiled, begun: &[(u32, u32)], gap: u32, before: Option<u32>) {
        let iteration =
            begun.iter().find(|(node, _)| *node == gap).map(|&(_, iteration)| iteration);
        let iteration = iteration.expect("only what begins goes up through a loop");
        let (key, at) = self.gap(compiled, iteration).expect("it begins in this gap");
        let index = compiled.iterations[iteration as usize].index;
        let gaps = self.gaps.get_mut(&key).expect("it begins in this gap");
        // Nothing comes before an iteration of a strict loop any more.
        gaps[at].node = before.unwrap_or(NONE);
        gaps.insert(at + 1, Gap { from: index + 1, node: gap });
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
            if kind == Kind::Leaf {
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
                (Kind::LoopS | Kind::LoopC(_), None, _) => Some(NONE),
                (_, Some(NONE), Some(NONE)) => Some(NONE),
                (Kind::Alt | Kind::LoopS | Kind::LoopC(_), Some(left), Some(right)) => {
                    Some(self.join(id, [left, right]))
                }
                (Kind::Alt, left, right) => left.or(right),
                (_, Some(left), Some(right)) => Some(self.compose(id, [left, right])),
                (_, _, _) => None,
            };
            done.push(new);
        }
        done.pop().flatten()
    }
}
