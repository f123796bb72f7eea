//! An iterator over the members of a set, as boxes in lexicographic order.

use super::diagram::{Diagram, Set};
use super::store::{EMPTY, Id};

impl Diagram {
    /// Disjoint boxes whose union is `set`: one per path through the diagram, in lexicographic order of
    /// their least vectors. There may be very many.
    pub(crate) fn boxes(&self, set: Set) -> Boxes<'_> {
        Boxes { diagram: self, path: Vec::new(), ranges: Vec::new(), root: Some(set.0) }
    }
}

/// See [`Diagram::boxes`].
#[derive(Debug)]
pub(crate) struct Boxes<'d> {
    diagram: &'d Diagram,
    /// For each layer: the node, and the number of the current interval.
    path: Vec<(Id, usize)>,
    ranges: Vec<(u32, u32)>,
    root: Option<Id>,
}

impl Iterator for Boxes<'_> {
    type Item = Vec<(u32, u32)>;

    fn next(&mut self) -> Option<Self::Item> {
        // The first call goes down from the root; later calls go down from the next interval of the deepest
        // layer that has one.
        let mut node = match self.root.take() {
            Some(root) => root,
            None => self.advance()?,
        };
        if node == EMPTY {
            return None;
        }
        while self.path.len() < self.diagram.bounds.len() {
            self.path.push((node, 0));
            node = self.settle()?;
        }
        Some(self.ranges.clone())
    }
}

impl Boxes<'_> {
    /// Moves to the first non-empty interval from the current one on, on the last layer of the path.
    fn settle(&mut self) -> Option<Id> {
        let layer = self.path.len() - 1;
        let (node, at) = self.path.last_mut()?;
        let edges = self.diagram.store.edges(*node, layer);
        while edges.get(*at)?.child == EMPTY {
            *at += 1;
        }
        let edge = edges[*at];
        let low = if *at == 0 { 0 } else { edges[*at - 1].high + 1 };
        self.ranges.truncate(layer);
        self.ranges.push((low, edge.high));
        Some(edge.child)
    }

    fn advance(&mut self) -> Option<Id> {
        while let Some((_, at)) = self.path.last_mut() {
            *at += 1;
            if let Some(child) = self.settle() {
                return Some(child);
            }
            self.path.pop();
        }
        None
    }
}
