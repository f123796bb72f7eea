//! Union, intersection, difference, and tests of inclusion and disjointness.
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
    /// `a ∪ b`.
    ///
    /// # Errors
    ///
    /// The limit of the [budget](otus_core::budget::Budget) that was met; so for every operation.
    pub fn union(&mut self, a: Set, b: Set) -> Result<Set, Stop> {
        self.operate(|diagram| diagram.join(a.0, b.0)).map(Set)
    }

    /// `a ∩ b`.
    ///
    /// # Errors
    ///
    /// The limit of the budget that was met.
    pub fn intersect(&mut self, a: Set, b: Set) -> Result<Set, Stop> {
        self.operate(|diagram| diagram.meet(a.0, b.0)).map(Set)
    }

    /// `a ∖ b`: the complement of `b` relative to `a`.
    ///
    /// # Errors
    ///
    /// The limit of the budget that was met.
    pub fn difference(&mut self, a: Set, b: Set) -> Result<Set, Stop> {
        self.operate(|diagram| diagram.minus(a.0, b.0)).map(Set)
    }

    /// All vectors that are not in `a`.
    ///
    /// # Errors
    ///
    /// The limit of the budget that was met.
    pub fn complement(&mut self, a: Set) -> Result<Set, Stop> {
        self.difference(Set::FULL, a)
    }

    /// `a ∪ (b ∩ c)` in one pass.
    ///
    /// # Errors
    ///
    /// The limit of the budget that was met.
    pub fn union_intersect(&mut self, a: Set, b: Set, c: Set) -> Result<Set, Stop> {
        self.operate(|diagram| diagram.join_meet(a.0, b.0, c.0)).map(Set)
    }

    /// Whether `a ⊆ b`. Makes no nodes and ends at the first vector of `a` that is not in `b`.
    ///
    /// # Errors
    ///
    /// The time limit was met, or the operation was cancelled.
    pub fn is_subset(&mut self, a: Set, b: Set) -> Result<bool, Stop> {
        self.operate(|diagram| diagram.is_within(a.0, b.0))
    }

    /// Whether `a ∩ b = ∅`. Makes no nodes and ends at the first common vector.
    ///
    /// # Errors
    ///
    /// The time limit was met, or the operation was cancelled.
    pub fn is_disjoint(&mut self, a: Set, b: Set) -> Result<bool, Stop> {
        self.operate(|diagram| diagram.meets(a.0, b.0)).map(|meets| !meets)
    }

    pub(super) fn join(&mut self, a: Id, b: Id) -> Result<Id, Stop> {
        if a == b || b == EMPTY || a == FULL {
            return Ok(a);
        }
        if a == EMPTY || b == FULL {
            return Ok(b);
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(known) = self.memo.find(a, b, Op::Union) {
            return Ok(known);
        }
        let layer = self.store.layer(a);
        let base = self.scratch.len();
        let ((mut i, i_end), (mut j, j_end)) =
            (self.store.span(a, layer), self.store.span(b, layer));
        while i < i_end && j < j_end {
            let (left, right) = (self.store.edge(i), self.store.edge(j));
            let high = left.high.min(right.high);
            let child = self.join(left.child, right.child)?;
            self.append(base, high, child);
            i += usize::from(left.high == high);
            j += usize::from(right.high == high);
        }
        // Above the last interval of one operand, the result is the other one.
        for at in (i..i_end).chain(j..j_end) {
            let rest = self.store.edge(at);
            self.append(base, rest.high, rest.child);
        }
        let result = self.finish_like(layer, base, [a, b])?;
        Ok(self.keep(a, b, Op::Union, result))
    }

    pub(super) fn meet(&mut self, a: Id, b: Id) -> Result<Id, Stop> {
        if a == b || a == EMPTY || b == FULL {
            return Ok(a);
        }
        if b == EMPTY || a == FULL {
            return Ok(b);
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(known) = self.memo.find(a, b, Op::Intersect) {
            return Ok(known);
        }
        let layer = self.store.layer(a);
        let base = self.scratch.len();
        let ((mut i, i_end), (mut j, j_end)) =
            (self.store.span(a, layer), self.store.span(b, layer));
        while i < i_end && j < j_end {
            let (left, right) = (self.store.edge(i), self.store.edge(j));
            if left.child == EMPTY {
                self.append(base, left.high, EMPTY);
                i += 1;
                j = self.store.seek(j, j_end, left.high + 1);
            } else if right.child == EMPTY {
                self.append(base, right.high, EMPTY);
                j += 1;
                i = self.store.seek(i, i_end, right.high + 1);
            } else {
                let high = left.high.min(right.high);
                let child = self.meet(left.child, right.child)?;
                self.append(base, high, child);
                i += usize::from(left.high == high);
                j += usize::from(right.high == high);
            }
        }
        let result = self.finish_like(layer, base, [a, b])?;
        Ok(self.keep(a, b, Op::Intersect, result))
    }

    pub(super) fn minus(&mut self, a: Id, b: Id) -> Result<Id, Stop> {
        if a == b || a == EMPTY || b == FULL {
            return Ok(EMPTY);
        }
        if b == EMPTY {
            return Ok(a);
        }
        if let Some(known) = self.memo.find(a, b, Op::Difference) {
            return Ok(known);
        }
        let layer = self.store.layer(b);
        let base = self.scratch.len();
        let ((mut i, i_end), (mut j, j_end)) =
            (self.store.span(a, layer), self.store.span(b, layer));
        while i < i_end && j < j_end {
            let (left, right) = (self.store.edge(i), self.store.edge(j));
            if left.child == EMPTY {
                self.append(base, left.high, EMPTY);
                i += 1;
                j = self.store.seek(j, j_end, left.high + 1);
                continue;
            }
            let high = left.high.min(right.high);
            let child = self.minus(left.child, right.child)?;
            self.append(base, high, child);
            i += usize::from(left.high == high);
            j += usize::from(right.high == high);
        }
        for at in i..i_end {
            let rest = self.store.edge(at);
            self.append(base, rest.high, rest.child);
        }
        let result = self.finish_like(layer, base, [a])?;
        Ok(self.keep(a, b, Op::Difference, result))
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
            at_a += usize::from(first.high == high);
            at_b += usize::from(second.high == high);
            at_c += usize::from(third.high == high);
        }
        // Above `b` or `c` the result is the rest of `a`; above `a`, the intersection of the other two.
        for at in at_a..end_a {
            let rest = self.store.edge(at);
            self.append(base, rest.high, rest.child);
        }
        while at_a == end_a && at_b < end_b && at_c < end_c {
            let (second, third) = (self.store.edge(at_b), self.store.edge(at_c));
            let high = second.high.min(third.high);
            let child = self.meet(second.child, third.child)?;
            self.append(base, high, child);
            at_b += usize::from(second.high == high);
            at_c += usize::from(third.high == high);
        }
        let result = self.finish_like(layer, base, [a, b, c])?;
        Ok(self.keep(a, b, c, result))
    }

    fn is_within(&mut self, a: Id, b: Id) -> Result<bool, Stop> {
        if a == b || a == EMPTY || b == FULL {
            return Ok(true);
        }
        // A node is neither empty nor full.
        if b == EMPTY || a == FULL {
            return Ok(false);
        }
        if let Some(known) = self.memo.find(a, b, Op::Within) {
            return Ok(known == 1);
        }
        let layer = self.store.layer(a);
        let ((mut i, i_end), (mut j, j_end)) =
            (self.store.span(a, layer), self.store.span(b, layer));
        // The last interval of a node is not empty: it must not end above that of the other.
        let mut holds = self.store.edge(i_end - 1).high <= self.store.edge(j_end - 1).high;
        while holds && i < i_end && j < j_end {
            let (left, right) = (self.store.edge(i), self.store.edge(j));
            holds = self.is_within(left.child, right.child)?;
            let high = left.high.min(right.high);
            i += usize::from(left.high == high);
            j += usize::from(right.high == high);
            self.count_down(1)?;
        }
        self.keep(a, b, Op::Within, Id::from(holds));
        Ok(holds)
    }

    pub(super) fn meets(&mut self, a: Id, b: Id) -> Result<bool, Stop> {
        if a == EMPTY || b == EMPTY {
            return Ok(false);
        }
        if a == b || a == FULL || b == FULL {
            return Ok(true);
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(known) = self.memo.find(a, b, Op::Meets) {
            return Ok(known == 1);
        }
        let layer = self.store.layer(a);
        let ((mut i, i_end), (mut j, j_end)) =
            (self.store.span(a, layer), self.store.span(b, layer));
        let mut holds = false;
        while !holds && i < i_end && j < j_end {
            let (left, right) = (self.store.edge(i), self.store.edge(j));
            if left.child == EMPTY {
                i += 1;
                j = self.store.seek(j, j_end, left.high + 1);
            } else if right.child == EMPTY {
                j += 1;
                i = self.store.seek(i, i_end, right.high + 1);
            } else {
                holds = self.meets(left.child, right.child)?;
                let high = left.high.min(right.high);
                i += usize::from(left.high == high);
                j += usize::from(right.high == high);
            }
            self.count_down(1)?;
        }
        self.keep(a, b, Op::Meets, Id::from(holds));
        Ok(holds)
    }
}
