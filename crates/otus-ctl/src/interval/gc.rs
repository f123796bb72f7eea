//! Collecting garbage: what no root needs is removed and the rest moves together.
//!
//! Children come before their parents, so that one pass down over all numbers marks, and one
//! pass up moves. Moving keeps the order, hence the invariant. Numbers change; the roots are rewritten. The
//! memory of operations is forgotten, as it speaks of the old numbers.

use super::diagram::{Diagram, Set};
use super::store::{EMPTY, Edge, FULL, Id, Node, Store};

impl Diagram {
    /// Removes every node that none of `roots` needs, and renames the roots. All other sets of this
    /// diagram mean nothing afterwards.
    pub fn collect<'s>(&mut self, roots: impl IntoIterator<Item = &'s mut Set>) {
        self.stats.peak_nodes = self.stats.peak_nodes.max(self.nodes() as u64);
        self.stats.collections += 1;
        let roots: Vec<&mut Set> = roots.into_iter().collect();
        let marked = self.mark(roots.iter().map(|root| root.0));
        let names = self.store.sweep(&marked);
        for root in roots {
            root.0 = names[root.0 as usize];
        }
        self.memo.clear();
    }
}

impl Store {
    /// Keeps the marked nodes; returns the new number of each, `EMPTY` for what is gone.
    fn sweep(&mut self, marked: &[bool]) -> Vec<Id> {
        let mut names = vec![EMPTY; marked.len()];
        names[FULL as usize] = FULL;
        let mut kept = FULL as usize + 1;
        let mut start = self.nodes[kept].start;
        for (id, _) in marked.iter().enumerate().skip(kept).filter(|(_, marked)| **marked) {
            let (from, to) = (self.nodes[id].start as usize, self.nodes[id + 1].start as usize);
            // What is kept moves down, never up: nothing is overwritten before it is read.
            self.nodes[kept] = Node { start, layer: self.nodes[id].layer };
            for at in from..to {
                let Edge { high, child } = self.edges[at];
                self.edges[start as usize] = Edge { high, child: names[child as usize] };
                start += 1;
            }
            names[id] = Id::try_from(kept).unwrap_or(EMPTY);
            kept += 1;
        }
        self.nodes[kept] = Node { start, layer: u32::MAX };
        self.nodes.truncate(kept + 1);
        self.edges.truncate(start as usize);
        self.nodes.shrink_to(self.nodes.len() * 2);
        self.edges.shrink_to(self.edges.len() * 2);
        self.rebuild();
        names
    }
}
