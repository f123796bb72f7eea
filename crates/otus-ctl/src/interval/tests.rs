//! The interval diagram against plain sets of vectors.

mod bounds;
mod lattice;
mod random;
mod small_scope;

use otus_core::budget::{Budget, Stop};

use super::store::{EMPTY, FULL, Id};
use super::{Diagram, Set};

/// All vectors within bounds, in lexicographic order.
fn universe(bounds: &[u32]) -> Vec<Vec<u32>> {
    bounds.iter().fold(vec![vec![]], |points, &bound| {
        let longer =
            |point: Vec<u32>| (0..=bound).map(move |value| [point.as_slice(), &[value]].concat());
        points.into_iter().flat_map(longer).collect()
    })
}

/// Whether a vector is in a box.
fn inside(ranges: &[(u32, u32)], point: &[u32]) -> bool {
    ranges.iter().zip(point).all(|(range, value)| (range.0..=range.1).contains(value))
}

impl Diagram {
    /// A diagram without limits.
    pub(super) fn new(bounds: &[u32]) -> Self {
        Diagram::with_budget(bounds, &Budget::default())
    }

    /// The set of these vectors, which are within the bounds and in lexicographic order.
    fn set_of<P: AsRef<[u32]>>(&mut self, points: &[P]) -> Result<Set, Stop> {
        let points: Vec<&[u32]> = points.iter().map(AsRef::as_ref).collect();
        assert!(points.is_sorted());
        self.operate(|diagram| diagram.gather(&points, 0)).map(Set)
    }

    fn gather(&mut self, points: &[&[u32]], layer: usize) -> Result<Id, Stop> {
        if points.is_empty() {
            return Ok(EMPTY);
        }
        if layer == self.bounds.len() {
            return Ok(FULL);
        }
        let base = self.scratch.len();
        let mut next = 0;
        for group in points.chunk_by(|a, b| a[layer] == b[layer]) {
            let value = group[0][layer];
            let child = self.gather(group, layer + 1)?;
            if value > next {
                self.append(base, value - 1, EMPTY);
            }
            self.append(base, value, child);
            next = value + 1;
        }
        self.finish(layer, base)
    }

    /// The vectors of a set in lexicographic order.
    fn points(&self, set: Set) -> Vec<Vec<u32>> {
        let mut points: Vec<Vec<u32>> = Vec::new();
        for ranges in self.boxes(set) {
            points.extend(ranges.iter().fold(vec![vec![]], |points: Vec<Vec<u32>>, range| {
                let longer = |point: Vec<u32>| {
                    (range.0..=range.1).map(move |value| [point.as_slice(), &[value]].concat())
                };
                points.into_iter().flat_map(longer).collect()
            }));
        }
        points.sort_unstable();
        points
    }

    /// `a ∪ (b ∩ c)`.
    fn union_intersect(&mut self, a: Set, b: Set, c: Set) -> Result<Set, Stop> {
        self.operate(|diagram| diagram.join_meet(a.0, b.0, c.0)).map(Set)
    }
}
