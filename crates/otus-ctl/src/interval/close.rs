//! Downward and upward closure, relative to a set.
//!
//! `↓S = { x : x ≤ y for some y ∈ S }`, component by component. With `D(x) = S(x) ∪ S(x+1) ∪ … ∪ S(n)`,
//!
//! ```text
//!   (↓S ∩ T)(x) = ↓D(x) ∩ T(x)
//! ```
//!
//! since the first component of `y` may be any value from `x` on, and the rest of `y` then lies in `D(x)`.
//! Going through the intervals from high to low, `D` grows by one union per interval. Upward is
//! the mirror image.
//!
//! In a lattice of cuts `T`, which has all unions and intersections of its members, `↓S ∩ T` for `S ⊆ T` is
//! what reaches `S` by steps within `T`: from a cut `x ≤ y` one gets to the cut `y` by adding the
//! missing elements in any order that respects the partial order, a cut at every step. So it
//! equals [`until(T, S)`](Diagram::until); both are kept, as either may be cheaper.

use super::budget::Stop;
use super::diagram::{Diagram, Set};
use super::memo::Op;
use super::store::{EMPTY, FULL, Id};

impl Diagram {
    /// The vectors of `within` that are at most some vector of `set`.
    ///
    /// # Errors
    ///
    /// A bound was met.
    pub fn below(&mut self, set: Set, within: Set) -> Result<Set, Stop> {
        self.operate(|diagram| diagram.close_down(set.0, within.0)).map(Set)
    }

    /// The vectors of `within` that are at least some vector of `set`.
    ///
    /// # Errors
    ///
    /// A bound was met.
    pub fn above(&mut self, set: Set, within: Set) -> Result<Set, Stop> {
        self.operate(|diagram| diagram.close_up(set.0, within.0)).map(Set)
    }

    fn close_down(&mut self, set: Id, within: Id) -> Result<Id, Stop> {
        if set == EMPTY {
            return Ok(EMPTY);
        }
        if set == FULL || within == EMPTY || set == within {
            return Ok(within);
        }
        if let Some(known) = self.memo.find(Op::Below, set, within, 0) {
            return Ok(known);
        }
        let layer = self.store.layer(set);
        let base = self.scratch.len();
        let (mut s, mut high) = self.top_down(set, layer);
        let mut t = self.containing(within, layer, high);
        let mut reached = EMPTY;
        loop {
            let ((child, s_low), (bound, t_low)) = (self.at(s), self.at(t));
            reached = self.join(reached, child)?;
            let child = self.close_down(reached, bound)?;
            self.append_below(base, high, child);
            let low = s_low.max(t_low);
            if low == 0 {
                break;
            }
            high = low - 1;
            s.at -= usize::from(s_low == low);
            t.at -= usize::from(t_low == low);
        }
        let result = self.finish_reversed(layer, base)?;
        Ok(self.keep(Op::Below, (set, within, 0), result))
    }

    fn close_up(&mut self, set: Id, within: Id) -> Result<Id, Stop> {
        if set == EMPTY {
            return Ok(EMPTY);
        }
        if set == FULL || within == EMPTY || set == within {
            return Ok(within);
        }
        if let Some(known) = self.memo.find(Op::Above, set, within, 0) {
            return Ok(known);
        }
        let layer = self.store.layer(set);
        let base = self.scratch.len();
        let ((mut i, i_end), (mut j, j_end)) =
            (self.store.span(set, layer), self.store.span(within, layer));
        let mut reached = EMPTY;
        while j < j_end {
            let bound = self.store.edge(j);
            let mut high = bound.high;
            if i < i_end {
                let edge = self.store.edge(i);
                reached = self.join(reached, edge.child)?;
                high = high.min(edge.high);
                i += usize::from(edge.high == high);
            }
            let child = self.close_up(reached, bound.child)?;
            self.append(base, high, child);
            j += usize::from(bound.high == high);
        }
        let result = self.finish(layer, base)?;
        Ok(self.keep(Op::Above, (set, within, 0), result))
    }
}
