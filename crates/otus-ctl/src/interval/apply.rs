//! Union, intersection and difference.
//!
//! Each operation traverses two diagrams in parallel: the residual of `A ∘ B` at `x` is `A(x) ∘ B(x)`, which
//! is constant wherever both are. Results are memoized by pair of nodes:
//! at most `|A|·|B|` steps, and about `|A| + |B|` where the sets have similar structure.
//!
//! Where a residual of one operand decides the result for a long interval (in an intersection: where
//! it is empty), the intervals of the other operand within it are skipped.

use otus_core::budget::Stop;

use super::diagram::{Diagram, Set};
use super::memo::Op;
use super::store::{EMPTY, FULL, Id};

impl Diagram {
    /// `a ∪ b`. This and every other operation returns the limit of the [budget](otus_core::budget::Budget)
    /// if one was reached.
    pub(crate) fn union(&mut self, a: Set, b: Set) -> Result<Set, Stop> {
        self.operate(|diagram| diagram.join(a.0, b.0)).map(Set)
    }

    /// `a ∩ b`.
    pub(crate) fn intersect(&mut self, a: Set, b: Set) -> Result<Set, Stop> {
        self.operate(|diagram| diagram.meet(a.0, b.0)).map(Set)
    }

    /// `a ∖ b`: the complement of `b` relative to `a`.
    pub(crate) fn difference(&mut self, a: Set, b: Set) -> Result<Set, Stop> {
        self.operate(|diagram| diagram.apply::<true, false, false>(a.0, b.0)).map(Set)
    }

    pub(super) fn join(&mut self, a: Id, b: Id) -> Result<Id, Stop> {
        self.apply::<true, true, true>(a, b)
    }

    pub(super) fn meet(&mut self, a: Id, b: Id) -> Result<Id, Stop> {
        self.apply::<false, false, true>(a, b)
    }

    /// The vectors that are only in `a` if `LEFT`, only in `b` if `RIGHT`, and in both if `BOTH`. The compiler makes a
    /// function of its own for each of the three operations.
    fn apply<const LEFT: bool, const RIGHT: bool, const BOTH: bool>(
        &mut self,
        a: Id,
        b: Id,
    ) -> Result<Id, Stop> {
        if a == b {
            return Ok(if BOTH { a } else { EMPTY });
        }
        if a == EMPTY {
            return Ok(if RIGHT { b } else { EMPTY });
        }
        if b == EMPTY {
            return Ok(if LEFT { a } else { EMPTY });
        }
        if a == FULL && BOTH {
            return Ok(if LEFT { FULL } else { b });
        }
        if b == FULL && BOTH == RIGHT {
            return Ok(if BOTH { FULL } else { EMPTY });
        }
        if b == FULL {
            return Ok(a);
        }
        let (a, b) = if LEFT == RIGHT { (a.min(b), a.max(b)) } else { (a, b) };
        let operation = match (LEFT, RIGHT) {
            (true, true) => Op::Union,
            (false, _) => Op::Intersect,
            (true, false) => Op::Difference,
        };
        if let Some(known) = self.memo.find(a, b, operation) {
            return Ok(known);
        }
        let layer = self.store.layer(b);
        let base = self.scratch.len();
        let ((i_start, i_end), (j_start, j_end)) =
            (self.store.span(a, layer), self.store.span(b, layer));
        let (mut i, mut j) = (i_start, j_start);
        while i < i_end && j < j_end {
            let (left, right) = (self.store.edge(i), self.store.edge(j));
            if !RIGHT && left.child == EMPTY {
                self.append(base, left.high, EMPTY);
                i += 1;
                j = self.store.seek(j, j_end, left.high + 1);
            } else if !LEFT && right.child == EMPTY {
                self.append(base, right.high, EMPTY);
                j += 1;
                i = self.store.seek(i, i_end, right.high + 1);
            } else {
                let high = left.high.min(right.high);
                let child = self.apply::<LEFT, RIGHT, BOTH>(left.child, right.child)?;
                self.append(base, high, child);
                i += usize::from(left.high == high);
                j += usize::from(right.high == high);
            }
        }
        // Intervals that merge into one are not counted when the merged interval is made, so they
        // are counted here.
        self.pace.step(i_end - i_start + j_end - j_start)?;
        // Above the last interval of one operand, only the vectors of the other operand count.
        let (i, j) = (if LEFT { i } else { i_end }, if RIGHT { j } else { j_end });
        for at in (i..i_end).chain(j..j_end) {
            let rest = self.store.edge(at);
            self.append(base, rest.high, rest.child);
        }
        let result = if BOTH {
            self.finish_like(layer, base, [a, b])?
        } else {
            self.finish_like(layer, base, [a])?
        };
        Ok(self.keep(a, b, operation, result))
    }

    /// `a ∪ (b ∩ c)`.
    pub(super) fn join_meet(&mut self, a: Id, b: Id, c: Id) -> Result<Id, Stop> {
        if b == EMPTY || c == EMPTY || a == b || a == c || a == FULL {
            return Ok(a);
        }
        if b == FULL || b == c {
            return self.join(a, c);
        }
        if c == FULL {
            return self.join(a, b);
        }
        if a == EMPTY {
            return self.meet(b, c);
        }
        let (b, c) = (b.min(c), b.max(c));
        if let Some(known) = self.memo.find(a, b, c) {
            return Ok(known);
        }
        let layer = self.store.layer(a);
        let base = self.scratch.len();
        let (mut at_a, end_a) = self.store.span(a, layer);
        let ((mut at_b, end_b), (mut at_c, end_c)) =
            (self.store.span(b, layer), self.store.span(c, layer));
        while at_a < end_a && at_b < end_b && at_c < end_c {
            let first = self.store.edge(at_a);
            let (second, third) = (self.store.edge(at_b), self.store.edge(at_c));
            let high = first.high.min(second.high).min(third.high);
            let child = self.join_meet(first.child, second.child, third.child)?;
            self.append(base, high, child);
            self.pace.step(1)?;
            at_a += usize::from(first.high == high);
            at_b += usize::from(second.high == high);
            at_c += usize::from(third.high == high);
        }
        // Above the last interval of `b` or `c`, the result is the rest of `a`; above that of `a`, it
        // is the intersection of the other two.
        for at in at_a..end_a {
            let rest = self.store.edge(at);
            self.append(base, rest.high, rest.child);
        }
        while at_a == end_a && at_b < end_b && at_c < end_c {
            let (second, third) = (self.store.edge(at_b), self.store.edge(at_c));
            let high = second.high.min(third.high);
            let child = self.meet(second.child, third.child)?;
            self.append(base, high, child);
            self.pace.step(1)?;
            at_b += usize::from(second.high == high);
            at_c += usize::from(third.high == high);
        }
        let result = self.finish_like(layer, base, [a, b, c])?;
        Ok(self.keep(a, b, c, result))
    }
}
