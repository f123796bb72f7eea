//! A cursor that traverses the intervals of a node from high to low.

use super::diagram::Diagram;
use super::store::{EMPTY, Id};

/// A place in a node: the interval that ends before `at`, or the gap above the last one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor {
    start: usize,
    /// One more than the place of the interval among all edges; `end + 1` in the gap.
    pub(super) at: usize,
    end: usize,
}

impl Diagram {
    /// At the last interval of a node, and its upper end.
    #[inline]
    pub(super) fn top_down(&self, node: Id, layer: usize) -> (Cursor, u32) {
        let (start, end) = self.store.span(node, layer);
        (Cursor { start, at: end, end }, self.store.edge(end - 1).high)
    }

    /// At the interval or gap that has `value`.
    #[inline]
    pub(super) fn containing(&self, node: Id, layer: usize, value: u32) -> Cursor {
        let (start, end) = self.store.span(node, layer);
        Cursor { start, at: self.store.seek(start, end, value) + 1, end }
    }

    /// The residual at the cursor, and the least value that has it there.
    #[inline]
    pub(super) fn at(&self, cursor: Cursor) -> (Id, u32) {
        let index = cursor.at - 1;
        let child = if index < cursor.end { self.store.edge(index).child } else { EMPTY };
        let low = if index > cursor.start { self.store.edge(index - 1).high + 1 } else { 0 };
        (child, low)
    }
}
