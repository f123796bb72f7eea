//! Hash-consed sets of lifelines: regions, and the lifelines of every event and term.
//!
//! A set is a binary tree over words of 64 lifelines. All trees of one table have the same height,
//! equal trees are stored once, and the empty tree of any height is the node 0. With up to 64
//! lifelines a set is therefore one interned word. With more, similar sets share most of their
//! nodes: the lifeline sets of all tails of a chain of n operators over n lifelines take O(n log n)
//! nodes together, whereas separate bit sets take n² bits (lowering such a chain of 40,000 passings
//! took 420 MB and 1.6 s with bit sets and takes 45 MB and 0.2 s with trees, in an unoptimised build).
//!
//! Functions recurse on the height, which is at most 26 for 32-bit ids.

use crate::index::{Index as _, IndexVec, LifelineId, RegionId};
use crate::intern::Interner;
use crate::set::LifelineSet;

crate::define_id! {
    /// A node of the trees.
    pub(crate) NodeId;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Word(u64),
    Branch(NodeId, NodeId),
}

const EMPTY: NodeId = NodeId(0);
const BITS: u32 = u64::BITS;

/// The sets of one signature.
#[derive(Debug, Clone)]
pub(crate) struct Regions {
    nodes: Interner<NodeId, Node>,
    /// The number of branch levels above the words.
    height: u32,
    roots: IndexVec<RegionId, NodeId>,
    /// For each node: the region it is the root of. Extended on demand.
    by_root: IndexVec<NodeId, Option<RegionId>>,
}

impl Regions {
    pub(crate) const NONE: RegionId = RegionId(0);
    pub(crate) const ALL: RegionId = RegionId(1);

    /// The table for `count` lifelines. If there are none, [`Regions::ALL`] is empty too.
    pub(crate) fn new(count: usize) -> Self {
        let words = count.div_ceil(BITS as usize);
        let mut regions = Regions {
            nodes: Interner::default(),
            height: words.next_power_of_two().trailing_zeros(),
            roots: IndexVec::default(),
            by_root: IndexVec::default(),
        };
        regions.nodes.intern(Node::Word(0));
        regions.region(EMPTY);
        let all = regions.build(regions.height, LifelineSet::full(count).words());
        if all == EMPTY {
            regions.roots.push(EMPTY);
        } else {
            regions.region(all);
        }
        regions
    }

    pub(crate) fn intern(&mut self, lifelines: &LifelineSet) -> RegionId {
        let root = self.build(self.height, lifelines.words());
        self.region(root)
    }

    pub(crate) fn singleton(&mut self, lifeline: LifelineId) -> RegionId {
        let mut node = self.nodes.intern(Node::Word(1 << (lifeline.0 % BITS)));
        let word = lifeline.0 / BITS;
        for level in 0..self.height {
            let right = word >> level & 1 == 1;
            let branch = if right { Node::Branch(EMPTY, node) } else { Node::Branch(node, EMPTY) };
            node = self.nodes.intern(branch);
        }
        self.region(node)
    }

    pub(crate) fn union(&mut self, left: RegionId, right: RegionId) -> RegionId {
        if left == right || right == Self::NONE || left == Self::ALL {
            return left;
        }
        if left == Self::NONE || right == Self::ALL {
            return right;
        }
        let root = self.unite(self.roots[left], self.roots[right]);
        self.region(root)
    }

    pub(crate) fn contains(&self, region: RegionId, lifeline: LifelineId) -> bool {
        let mut node = self.roots[region];
        let mut level = self.height;
        loop {
            match self.nodes.items[node] {
                Node::Word(word) => return word & 1 << (lifeline.0 % BITS) != 0,
                Node::Branch(left, right) => {
                    level -= 1;
                    let right_half = (lifeline.0 / BITS) >> level & 1 == 1;
                    node = if right_half { right } else { left };
                }
            }
        }
    }

    pub(crate) fn set(&self, region: RegionId) -> LifelineSet {
        // The common case of at most 64 lifelines.
        if let Node::Word(word) = self.nodes.items[self.roots[region]] {
            return LifelineSet::from_word(word);
        }
        let mut words = vec![0; 1 << self.height];
        let mut pending = vec![(self.roots[region], 0, self.height)];
        while let Some((node, at, level)) = pending.pop() {
            match self.nodes.items[node] {
                Node::Word(word) => words[at] = word,
                Node::Branch(left, right) => {
                    let level = level - 1;
                    pending.push((left, at, level));
                    pending.push((right, at + (1 << level), level));
                }
            }
        }
        LifelineSet::from_words(words)
    }

    /// The tree of a given height over words.
    fn build(&mut self, height: u32, words: &[u64]) -> NodeId {
        if words.iter().all(|&word| word == 0) {
            return EMPTY;
        }
        if height == 0 {
            assert_eq!(words.len(), 1, "a region has lifelines of its signature only");
            return self.nodes.intern(Node::Word(words[0]));
        }
        let half = words.len().min(1 << (height - 1));
        let left = self.build(height - 1, &words[..half]);
        let right = self.build(height - 1, &words[half..]);
        self.nodes.intern(Node::Branch(left, right))
    }

    fn unite(&mut self, left: NodeId, right: NodeId) -> NodeId {
        if left == right || right == EMPTY {
            return left;
        }
        if left == EMPTY {
            return right;
        }
        match (self.nodes.items[left], self.nodes.items[right]) {
            (Node::Word(a), Node::Word(b)) => self.nodes.intern(Node::Word(a | b)),
            (Node::Branch(a, b), Node::Branch(c, d)) => {
                let (left, right) = (self.unite(a, c), self.unite(b, d));
                self.nodes.intern(Node::Branch(left, right))
            }
            (Node::Word(_), Node::Branch(..)) | (Node::Branch(..), Node::Word(_)) => {
                unreachable!("all trees of a table have the same height")
            }
        }
    }

    /// The region with a given root, which is created if it is new.
    fn region(&mut self, root: NodeId) -> RegionId {
        while self.by_root.len() <= root.index() {
            self.by_root.push(None);
        }
        *self.by_root[root].get_or_insert_with(|| self.roots.push(root))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lifelines(count: u32) -> impl Strategy<Value = LifelineSet> {
        prop::collection::vec(0..count, 0..8)
            .prop_map(|numbers| numbers.into_iter().map(LifelineId).collect())
    }

    #[test]
    fn none_and_all_are_fixed() {
        for count in [0, 1, 64, 65, 128, 129, 1000] {
            let mut regions = Regions::new(count);
            let all = LifelineSet::full(count);
            assert_eq!(regions.set(Regions::NONE), LifelineSet::EMPTY);
            assert_eq!(regions.set(Regions::ALL), all);
            let found = regions.intern(&all);
            assert_eq!(found, if count == 0 { Regions::NONE } else { Regions::ALL });
            assert_eq!(regions.intern(&LifelineSet::EMPTY), Regions::NONE);
        }
    }

    proptest! {
        #[test]
        fn regions_are_sets(
            (count, a, b) in (1u32..400).prop_flat_map(|n| (Just(n), lifelines(n), lifelines(n))),
        ) {
            let mut regions = Regions::new(count as usize);
            let (x, y) = (regions.intern(&a), regions.intern(&b));
            prop_assert_eq!(&regions.set(x), &a);
            prop_assert_eq!(x == y, a == b);
            let union = regions.union(x, y);
            prop_assert_eq!(&regions.set(union), &a.union(&b));
            prop_assert_eq!(union, regions.intern(&a.union(&b)));
            for lifeline in (0..count).map(LifelineId) {
                prop_assert_eq!(regions.contains(x, lifeline), a.contains(lifeline));
            }
            let mut grown = Regions::NONE;
            for lifeline in a.iter() {
                let one = regions.singleton(lifeline);
                prop_assert_eq!(regions.set(one), LifelineSet::singleton(lifeline));
                grown = regions.union(one, grown);
            }
            prop_assert_eq!(grown, x);
        }
    }
}
