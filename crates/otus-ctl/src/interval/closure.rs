//! Downward closure, and its intersection with a set.
//!
//! `↓S = { x : x ≤ y for some y ∈ S }`, component by component. The first component of `y` may be any value from
//! that of `x` on, so that
//!
//! ```text
//!   (↓S)(x) = ↓S(x) ∪ ↓S(x+1) ∪ … ∪ ↓S(n)
//! ```
//!
//! which goes through the intervals from high to low with one union each. A downward closed set is a union of boxes
//! with one corner at the origin, so its diagram is often small even if that of `S` is large.
//!
//! # Within a lattice
//!
//! Let `T` be closed under maximum and minimum, component by component, as the results of
//! [`lattice`](Diagram::lattice) and [`cuboid`](Diagram::cuboid) and all their residuals are. A non-empty `T` has a
//! greatest member, so a downward closed `D` contains `T` iff it contains that one member, and meets `T` iff
//! it contains the least one. Nodes of lattices are marked as such. So the intersection `↓S ∩ T` descends
//! only where the border of `↓S` runs through `T`: on the lattice of 10 processes with 10,000
//! events (800,000 nodes) it visits some thousand nodes.
//!
//! In the lattice of the cuts of a partial order, `↓S ∩ T` for `S ⊆ T` is the set of cuts that reach `S` by steps
//! within `T`: from a cut `x ≤ y`, adding the missing elements in any order that respects the
//! partial order leads to `y`, with a cut at every step. So it equals [`until(T, S)`](Diagram::until), and is much cheaper.
//!
//! Closing relative to `T` during the traversal, by uniting `S(x), …, S(n)` before they are closed, was tried and
//! dropped: these unions have many more intervals, and it was 2 to 14 times slower.

use otus_core::budget::Stop;

use super::diagram::{Diagram, Set};
use super::member::first;
use super::memo::Op;
use super::store::{EMPTY, Edge, FULL, Id};

impl Diagram {
    /// The vectors of `within` that are at most some vector of `set`.
    pub(crate) fn below(&mut self, set: Set, within: Set) -> Result<Set, Stop> {
        self.operate(|diagram| {
            let closed = diagram.down(set.0)?;
            diagram.meet_closed(closed, within.0)
        })
        .map(Set)
    }

    fn down(&mut self, set: Id) -> Result<Id, Stop> {
        if set == EMPTY || set == FULL {
            return Ok(set);
        }
        if let Some(known) = self.memo.find(set, 0, Op::Below) {
            return Ok(known);
        }
        let layer = self.store.layer(set);
        let base = self.scratch.len();
        let (start, end) = self.store.span(set, layer);
        let mut reached = EMPTY;
        for at in (start..end).rev() {
            let edge = self.store.edge(at);
            let closed = self.down(edge.child)?;
            reached = self.join(reached, closed)?;
            self.pace.step(1)?;
            self.append_below(base, edge.high, reached);
        }
        self.scratch[base..].reverse();
        let result = self.finish(layer, base)?;
        Ok(self.keep(set, 0, Op::Below, result))
    }

    /// The intersection of a downward closed set with any set.
    fn meet_closed(&mut self, closed: Id, within: Id) -> Result<Id, Stop> {
        if closed == within || closed == EMPTY || within == FULL {
            return Ok(closed);
        }
        if within == EMPTY || closed == FULL {
            return Ok(within);
        }
        // The result is an intersection, so it shares the memo of intersections.
        let (a, b) = (closed.min(within), closed.max(within));
        if let Some(known) = self.memo.find(a, b, Op::Intersect) {
            return Ok(known);
        }
        let layer = self.store.layer(closed);
        if self.store.is_lattice(within) {
            self.pace.step(self.bounds.len() - layer)?;
            let greatest = |edges: &[Edge]| edges.last().map_or((0, EMPTY), |e| (e.high, e.child));
            if self.has_corner(closed, within, greatest) {
                return Ok(self.keep(a, b, Op::Intersect, within));
            }
            if !self.has_corner(closed, within, first) {
                return Ok(self.keep(a, b, Op::Intersect, EMPTY));
            }
        }
        let base = self.scratch.len();
        let (mut i, i_end) = self.store.span(closed, layer);
        let (mut j, j_end) = self.store.span(within, layer);
        while i < i_end && j < j_end {
            let (mine, bound) = (self.store.edge(i), self.store.edge(j));
            let high = mine.high.min(bound.high);
            let child = self.meet_closed(mine.child, bound.child)?;
            self.append(base, high, child);
            self.pace.step(1)?;
            i += usize::from(mine.high == high);
            j += usize::from(bound.high == high);
        }
        let result = self.finish_like(layer, base, [within, closed])?;
        Ok(self.keep(a, b, Op::Intersect, result))
    }

    /// Whether the least or greatest member of `within`, a lattice, is in `closed`; both are nodes of
    /// one layer. `corner` gives the least or greatest value of a node, and the residual there.
    fn has_corner(
        &self,
        mut closed: Id,
        mut within: Id,
        corner: impl Fn(&[Edge]) -> (u32, Id),
    ) -> bool {
        let mut layer = self.store.layer(closed);
        while closed != EMPTY && closed != FULL && closed != within {
            let (value, child) = corner(self.store.edges(within, layer));
            closed = self.store.child(closed, layer, value);
            within = child;
            layer += 1;
        }
        closed != EMPTY
    }
}
