//! Membership of a vector in a set, and the least vector of a set.

use super::diagram::{Diagram, Set};
use super::store::{EMPTY, Edge, FULL, Id};

impl Diagram {
    /// Whether `point` is in `set`; a vector of the wrong length or out of range is in none.
    pub(crate) fn contains(&self, set: Set, point: &[u32]) -> bool {
        if point.len() != self.bounds.len()
            || point.iter().zip(&self.bounds).any(|(value, bound)| value > bound)
        {
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
    pub(crate) fn least(&self, set: Set) -> Option<Vec<u32>> {
        if set.is_empty() {
            return None;
        }
        let mut point = Vec::with_capacity(self.bounds.len());
        let mut node = set.0;
        for layer in 0..self.bounds.len() {
            let (value, child) = first(self.store.edges(node, layer));
            point.push(value);
            node = child;
        }
        Some(point)
    }
}

/// The least value of a node that is not empty, given its intervals, and the residual there.
pub(super) fn first(edges: &[Edge]) -> (u32, Id) {
    match edges {
        // Neighbouring intervals have different residuals, so one of the first two is not empty.
        [first, next, ..] if first.child == EMPTY => (first.high + 1, next.child),
        [first, ..] => (0, first.child),
        [] => (0, EMPTY),
    }
}
