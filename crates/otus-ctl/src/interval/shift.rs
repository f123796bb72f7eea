//! One step along an axis: predecessors.
//!
//! A *step* leads from `x` to `x + e_i`, both within the ranges. The residual is
//!
//! ```text
//!   pre(S)(x) = pre(S(x)) ∪ S(x+1)        (no S(x+1) at the upper end)
//! ```
//!
//! as a step changes either the component of this layer or one further down. On an interval of `S` the
//! right side is constant but for the one value at the end where the neighbour belongs to another interval: at
//! most twice as many intervals, whatever their lengths.

use otus_core::budget::Stop;

use super::diagram::{Diagram, Set};
use super::memo::Op;
use super::store::{EMPTY, FULL, Id};

impl Diagram {
    /// The vectors from which one step leads into `set`.
    pub(crate) fn predecessors(&mut self, set: Set) -> Result<Set, Stop> {
        self.operate(|diagram| diagram.pre(set.0, 0)).map(Set)
    }

    fn pre(&mut self, set: Id, layer: usize) -> Result<Id, Stop> {
        if set == EMPTY || layer == self.bounds.len() {
            return Ok(EMPTY);
        }
        // Only the key of a terminal needs its layer, because a node knows its own.
        let key = if set == FULL { Id::try_from(layer).map_err(|_| Stop::States)? } else { 0 };
        if let Some(known) = self.memo.find(set, key, Op::Predecessors) {
            return Ok(known);
        }
        let base = self.scratch.len();
        let (start, end) = self.store.span(set, layer);
        let mut low = 0;
        for at in start..end {
            let edge = self.store.edge(at);
            let next = if at + 1 < end { self.store.edge(at + 1).child } else { EMPTY };
            let deeper = self.pre(edge.child, layer + 1)?;
            self.pace.step(1)?;
            if low < edge.high {
                let child = self.join(deeper, edge.child)?;
                self.append(base, edge.high - 1, child);
            }
            let child = self.join(deeper, next)?;
            self.append(base, edge.high, child);
            low = edge.high + 1;
        }
        let result = self.finish(layer, base)?;
        Ok(self.keep(set, key, Op::Predecessors, result))
    }
}
