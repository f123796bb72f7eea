//! The operation `I^[xᵢ ← xᵢ + δ]` on sharing trees (section 4.2 of paper 001): adds δ to the
//! labels of one layer.

use otus_core::budget::Stop;
use otus_core::index::Index as _;
use rustc_hash::FxHashMap;

use super::tree::{EMPTY, END, Ist, Node, Trees};

impl Trees {
    /// `I^[xᵢ ← xᵢ + by]`. Labels may become negative, as Definition 2 has integers there.
    pub(super) fn shift(&mut self, tree: Ist, layer: usize, by: i64) -> Result<Ist, Stop> {
        if tree == EMPTY || tree == END {
            return Ok(tree);
        }
        // The lists of each layer, down to the layer that changes.
        let mut layers: Vec<Vec<Ist>> = vec![vec![tree]];
        for above in 0..layer {
            let mut next: Vec<Ist> = Vec::new();
            for &list in &layers[above] {
                next.extend(self.list(list).iter().map(|node| node.below));
            }
            next.sort_unstable_by_key(|list| list.index());
            next.dedup();
            layers.push(next);
        }
        let mut moved: FxHashMap<Ist, Ist> = FxHashMap::default();
        for (at, lists) in layers.iter().enumerate().rev() {
            for &list in lists {
                let nodes = self.list(list).iter();
                let nodes: Vec<Node> = if at == layer {
                    nodes.map(|n| Node { low: n.low + by, high: n.high + by, ..*n }).collect()
                } else {
                    nodes.map(|n| Node { below: moved[&n.below], ..*n }).collect()
                };
                let result = self.tree(nodes)?;
                moved.insert(list, result);
            }
        }
        Ok(moved[&tree])
    }
}
