//! Membership, and the least and greatest vector of a set.

use super::diagram::{Diagram, Set};
use super::store::{EMPTY, FULL, Id};

impl Diagram {
    /// Whether `point` is in `set`; a vector of the wrong length or out of range is in none.
    pub fn contains(&self, set: Set, point: &[u32]) -> bool {
        if point.len() != self.bounds.len() {
            return false;
        }
        if point.iter().zip(&self.bounds).any(|(value, bound)| value > bound) {
            return false;
        }
        let mut node = set.0;
        for (layer, &value) in point.iter().enumerate() {
            if node == EMPTY || node == FULL {
                break;
            }
            node = self.store.child(node, layer, value);
        }
        node == FULL
    }

    /// The first vector of `set` in lexicographic order. Where `set` has a least vector, it is that.
    pub fn least(&self, set: Set) -> Option<Vec<u32>> {
        let mut point = Vec::with_capacity(self.bounds.len());
        (!set.is_empty()).then(|| {
            self.complete(&mut point, set.0);
            point
        })
    }

    /// The last vector of `set` in lexicographic order. Where `set` has a greatest vector, it is that.
    pub fn greatest(&self, set: Set) -> Option<Vec<u32>> {
        let mut node = set.0;
        let mut point = Vec::with_capacity(self.bounds.len());
        for layer in 0..self.bounds.len() {
            // The last interval of a node is not empty.
            let last = self.store.edges(node, layer).last()?;
            point.push(last.high);
            node = last.child;
        }
        (!set.is_empty()).then_some(point)
    }

    /// Completes a vector with the first one of `node`, a set that is not empty and starts with the next
    /// component.
    pub(super) fn complete(&self, point: &mut Vec<u32>, mut node: Id) {
        for layer in point.len()..self.bounds.len() {
            let (value, child) = match self.store.edges(node, layer) {
                // Neighbours differ: one of the first two is not empty.
                [first, next, ..] if first.child == EMPTY => (first.high + 1, next.child),
                [first, ..] => (0, first.child),
                [] => (0, EMPTY),
            };
            point.push(value);
            node = child;
        }
    }

    /// The end of the longest straight path from `point`, a member of `set`, along `dimension` within `set`: the
    /// greatest value of that component such that all values up to it, with the other components unchanged,
    /// give members. `None` if `point` is no member or there is no such dimension.
    ///
    /// With it, a run through a set takes one call per change of direction instead of one per step.
    pub fn stretch(&self, set: Set, point: &[u32], dimension: usize) -> Option<u32> {
        if dimension >= self.bounds.len() || !self.contains(set, point) {
            return None;
        }
        let mut node = set.0;
        for (layer, &value) in point.iter().enumerate().take(dimension) {
            if node == FULL {
                break;
            }
            node = self.store.child(node, layer, value);
        }
        if node == FULL {
            return Some(self.bounds[dimension]);
        }
        let edges = self.store.edges(node, dimension);
        let from = edges.partition_point(|edge| edge.high < point[dimension]);
        let mut reached = point[dimension];
        for edge in &edges[from..] {
            let mut child = edge.child;
            for (layer, &value) in point.iter().enumerate().skip(dimension + 1) {
                if child == EMPTY || child == FULL {
                    break;
                }
                child = self.store.child(child, layer, value);
            }
            if child != FULL {
                break;
            }
            reached = edge.high;
        }
        Some(reached)
    }
}
