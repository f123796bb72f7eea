//! Iterators over the members of a set, as boxes or one by one, in lexicographic order.

use super::diagram::{Diagram, Set};
use super::store::{EMPTY, FULL, Id};

impl Diagram {
    /// Disjoint boxes whose union is `set`: one per path through the diagram, in lexicographic order of
    /// their least vectors. There may be very many.
    pub fn boxes(&self, set: Set) -> Boxes<'_> {
        Boxes { diagram: self, path: Vec::new(), ranges: Vec::new(), root: Some(set.0) }
    }

    /// The vectors of `set` in lexicographic order. There may be very many.
    pub fn points(&self, set: Set) -> Points<'_> {
        Points { diagram: self, path: vec![set.0], point: Vec::new(), started: false }
    }
}

/// See [`Diagram::boxes`].
#[derive(Debug)]
pub struct Boxes<'d> {
    diagram: &'d Diagram,
    /// By layer: the node, and the number of the current interval.
    path: Vec<(Id, usize)>,
    ranges: Vec<(u32, u32)>,
    root: Option<Id>,
}

impl Iterator for Boxes<'_> {
    type Item = Vec<(u32, u32)>;

    fn next(&mut self) -> Option<Self::Item> {
        let dimensions = self.diagram.bounds.len();
        // The first time down from the root, then from the next interval of the deepest layer that has one.
        let mut node = match self.root.take() {
            Some(root) => root,
            None => self.advance()?,
        };
        if node == EMPTY {
            return None;
        }
        while self.path.len() < dimensions {
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

/// See [`Diagram::points`].
#[derive(Debug)]
pub struct Points<'d> {
    diagram: &'d Diagram,
    /// The nodes above each component, the root first.
    path: Vec<Id>,
    point: Vec<u32>,
    started: bool,
}

impl Iterator for Points<'_> {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Self::Item> {
        let dimensions = self.diagram.bounds.len();
        let mut from = 0;
        if self.started {
            // Advance the last component that has a next value.
            self.path.pop();
            from = self.point.pop()? + 1;
        }
        self.started = true;
        loop {
            let layer = self.point.len();
            let node = *self.path.last()?;
            if layer == dimensions {
                return (node == FULL).then(|| self.point.clone());
            }
            let edges = self.diagram.store.edges(node, layer);
            let mut at = edges.partition_point(|edge| edge.high < from);
            let mut value = from;
            if edges.get(at).is_some_and(|edge| edge.child == EMPTY) {
                value = edges[at].high + 1;
                at += 1;
            }
            match edges.get(at) {
                Some(edge) => {
                    self.point.push(value);
                    self.path.push(edge.child);
                    from = 0;
                }
                None => {
                    self.path.pop();
                    from = self.point.pop()? + 1;
                }
            }
        }
    }
}
