//! One step along an axis: predecessors and successors.
//!
//! A *step* leads from `x` to `x + e_i`, both within the ranges. The residuals are
//!
//! ```text
//!   pre(S)(x)  = pre(S(x))  ∪ S(x+1)        (no S(x+1) at the upper end)
//!   post(S)(x) = post(S(x)) ∪ S(x−1)        (no S(x−1) at the lower end)
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
    ///
    /// # Errors
    ///
    /// The limit of the budget that was met.
    pub fn predecessors(&mut self, set: Set) -> Result<Set, Stop> {
        self.operate(|diagram| diagram.pre(set.0, 0)).map(Set)
    }

    /// The vectors to which one step leads from `set`.
    ///
    /// # Errors
    ///
    /// The limit of the budget that was met.
    pub fn successors(&mut self, set: Set) -> Result<Set, Stop> {
        self.operate(|diagram| diagram.post(set.0, 0)).map(Set)
    }

    /// The vectors from which one step along `dimension` leads into `set`; none along a dimension
    /// that does not exist.
    ///
    /// # Errors
    ///
    /// The limit of the budget that was met.
    pub fn predecessors_along(&mut self, set: Set, dimension: usize) -> Result<Set, Stop> {
        if dimension >= self.bounds.len() {
            return Ok(Set::EMPTY);
        }
        self.operate(|diagram| diagram.shift(set.0, 0, dimension)).map(Set)
    }

    fn pre(&mut self, set: Id, layer: usize) -> Result<Id, Stop> {
        if set == EMPTY || layer == self.bounds.len() {
            return Ok(EMPTY);
        }
        // Only the terminal needs its layer.
        let key = if set == FULL { id(layer)? } else { 0 };
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

    fn post(&mut self, set: Id, layer: usize) -> Result<Id, Stop> {
        if set == EMPTY || layer == self.bounds.len() {
            return Ok(EMPTY);
        }
        let key = if set == FULL { id(layer)? } else { 0 };
        if let Some(known) = self.memo.find(set, key, Op::Successors) {
            return Ok(known);
        }
        let base = self.scratch.len();
        let (start, end) = self.store.span(set, layer);
        let (mut low, mut before) = (0, EMPTY);
        for at in start..end {
            let edge = self.store.edge(at);
            let deeper = self.post(edge.child, layer + 1)?;
            let child = self.join(deeper, before)?;
            self.append(base, low, child);
            if low < edge.high {
                let child = self.join(deeper, edge.child)?;
                self.append(base, edge.high, child);
            }
            (low, before) = (edge.high + 1, edge.child);
        }
        if low <= self.bounds[layer] {
            self.append(base, low, before);
        }
        let result = self.finish(layer, base)?;
        Ok(self.keep(set, key, Op::Successors, result))
    }

    fn shift(&mut self, set: Id, layer: usize, dimension: usize) -> Result<Id, Stop> {
        if set == EMPTY {
            return Ok(EMPTY);
        }
        // Results for the terminal are cheap and not memoized.
        let key = id(dimension)?;
        if set != FULL
            && let Some(known) = self.memo.find(set, key, Op::Shift)
        {
            return Ok(known);
        }
        let base = self.scratch.len();
        let (start, end) = self.store.span(set, layer);
        for at in start..end {
            let edge = self.store.edge(at);
            if layer < dimension {
                let child = self.shift(edge.child, layer + 1, dimension)?;
                self.append(base, edge.high, child);
            } else if let Some(high) = edge.high.checked_sub(1) {
                self.append(base, high, edge.child);
            }
        }
        let result = self.finish(layer, base)?;
        Ok(if set == FULL { result } else { self.keep(set, key, Op::Shift, result) })
    }
}

fn id(number: usize) -> Result<Id, Stop> {
    Id::try_from(number).map_err(|_| Stop::States)
}
