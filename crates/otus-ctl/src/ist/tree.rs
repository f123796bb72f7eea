//! Interval Sharing Trees (Definition 2).
//!
//! A tree has a layer of nodes per component of a vector; a node is labelled with an interval of integers; a
//! vector is accepted if a path from the root to the end has it in its labels.
//!
//! Here a node is its label and the list of its successors, and lists are hash-consed: an [`Ist`] is
//! the list of the nodes below a root, or below any other node. The conditions of the definition become
//!
//! - (i) the end has no successors: [`END`] is the list with the end alone;
//! - (ii) a list belongs to one layer, and no node has an empty one;
//! - (iii) nodes of one list have different labels. Ours are even disjoint, which the definition allows and does not
//!   require: where labels overlap, they are split. Trees with overlapping labels grow with every step of
//!   a fixpoint; the report that bounds this growth ([18] of the paper) is not followed here;
//! - (iv) nodes with the same label and the same successors are the same, since equal lists have equal ids.

use otus_core::budget::{Budget, Stop};
use otus_core::define_id;
use otus_core::index::Index as _;
use otus_core::intern::Interner;
use rustc_hash::FxHashMap;

use super::apply::Operation;
use crate::BigUint;
use crate::pace::Pace;

define_id! {
    /// The successors of the root of a tree, or of another node: the tree below it.
    pub(super) Ist;
}

/// A tree that accepts nothing.
pub(super) const EMPTY: Ist = Ist(0);
/// The end alone, after the last layer.
pub(super) const END: Ist = Ist(1);

/// The number of nodes from which garbage is collected.
const MANY: usize = 100_000;

/// A node: its label, which is an interval of numbers with both ends included, and its successors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Node {
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) below: Ist,
}

/// All trees of one computation.
#[derive(Debug)]
pub(super) struct Trees {
    pub(super) lists: Interner<Ist, Box<[Node]>>,
    /// The number of nodes of all lists.
    nodes: usize,
    /// The number of nodes after the last garbage collection.
    live: usize,
    pub(super) memory: FxHashMap<(Operation, Ist, Ist), Ist>,
    pub(super) pace: Pace,
}

impl Trees {
    pub(super) fn new(budget: &Budget) -> Self {
        let mut lists: Interner<Ist, Box<[Node]>> = Interner::default();
        lists.intern(Box::default());
        // No other list equals this one, since its label is empty.
        lists.intern(Box::new([Node { low: 0, high: -1, below: EMPTY }]));
        let (memory, pace) = (FxHashMap::default(), Pace::new(budget));
        Trees { lists, nodes: 1, live: 1, memory, pace }
    }

    /// The number of nodes of all trees.
    pub(super) fn node_count(&self) -> usize {
        self.nodes
    }

    pub(super) fn list(&self, tree: Ist) -> &[Node] {
        &self.lists.items[tree]
    }

    /// The tree with these nodes, which are disjoint and ascending. Neighbours with the same successors become one.
    pub(super) fn tree(&mut self, nodes: impl IntoIterator<Item = Node>) -> Result<Ist, Stop> {
        let mut list: Vec<Node> = Vec::new();
        self.pace.step(1)?;
        for node in nodes {
            self.pace.step(1)?;
            if node.below == EMPTY || node.low > node.high {
                continue;
            }
            match list.last_mut() {
                Some(last) if last.below == node.below && last.high + 1 == node.low => {
                    last.high = node.high;
                }
                _ => list.push(node),
            }
        }
        let (count, length) = (self.lists.items.len(), list.len());
        let tree = self.lists.intern(list.into());
        if self.lists.items.len() > count {
            self.nodes += length;
            if self.pace.budget.max_states.is_some_and(|most| self.nodes as u64 > most) {
                return Err(Stop::States);
            }
            self.pace.budget.check_bytes(self.bytes())?;
        }
        Ok(tree)
    }

    /// The approximate size in bytes of nodes, table of lists and memo.
    fn bytes(&self) -> usize {
        let lists = self.lists.items.len() * (size_of::<Box<[Node]>>() + 8);
        let memory = self.memory.capacity() * size_of::<((Operation, Ist, Ist), Ist)>();
        self.nodes * size_of::<Node>() + lists + memory
    }

    /// Whether a vector is accepted.
    pub(super) fn contains(&self, tree: Ist, vector: &[u32]) -> bool {
        let below = |at: Ist, value: i64| {
            let mut nodes = self.list(at).iter();
            nodes.find(|node| (node.low..=node.high).contains(&value)).map(|node| node.below)
        };
        let end = vector.iter().try_fold(tree, |at, &value| below(at, value.into()));
        end == Some(END)
    }

    /// The number of accepted vectors.
    pub(super) fn count(&mut self, tree: Ist) -> Result<BigUint, Stop> {
        let wanted = self.reach([tree]);
        let mut counts: Vec<BigUint> = vec![BigUint::default(); self.lists.items.len()];
        counts[END.index()] = BigUint::from(1_u64);
        for id in (END.index() + 1..counts.len()).filter(|&id| wanted[id]) {
            let mut sum = BigUint::default();
            self.pace.step(self.list(Ist::new(id)).len())?;
            for node in self.list(Ist::new(id)) {
                let width = u64::try_from(node.high - node.low + 1).unwrap_or(0);
                sum += &counts[node.below.index()] * width;
            }
            counts[id] = sum;
        }
        Ok(counts.swap_remove(tree.index()))
    }

    /// For each list: whether it is part of some trees. Successors have smaller ids.
    fn reach(&self, trees: impl IntoIterator<Item = Ist>) -> Vec<bool> {
        let mut wanted = vec![false; self.lists.items.len()];
        trees.into_iter().for_each(|tree| wanted[tree.index()] = true);
        for id in (END.index() + 1..wanted.len()).rev() {
            if wanted[id] {
                for node in self.list(Ist::new(id)) {
                    wanted[node.below.index()] = true;
                }
            }
        }
        wanted
    }

    /// Collects garbage if there are many nodes: only these trees are kept, and get new ids.
    pub(super) fn tidy<'a>(&mut self, kept: impl IntoIterator<Item = &'a mut Ist>) {
        let allowed = self.pace.budget.max_states.unwrap_or(u64::MAX) / 2;
        let limit = (2 * self.live).max(MANY).min(usize::try_from(allowed).unwrap_or(usize::MAX));
        if self.nodes <= limit {
            return;
        }
        let kept: Vec<&mut Ist> = kept.into_iter().collect();
        let wanted = self.reach(kept.iter().map(|tree| **tree));
        let old = std::mem::take(&mut self.lists);
        let mut numbers = vec![EMPTY; wanted.len()];
        self.nodes = 0;
        for ((list, wanted), id) in old.items.iter().zip(wanted).zip(0..) {
            if !wanted && id > END.index() {
                continue;
            }
            let mut list = list.clone();
            for node in &mut list {
                node.below = numbers[node.below.index()];
            }
            self.nodes += list.len();
            numbers[id] = self.lists.intern(list);
        }
        self.memory.clear();
        self.live = self.nodes;
        for tree in kept {
            *tree = numbers[tree.index()];
        }
    }
}
