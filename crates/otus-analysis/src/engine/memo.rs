//! Memo tables by expression and leaf: the automaton as far as it is built.
//!
//! Long logs, and many short ones, mostly take steps that were taken before, so the cost of an
//! action is the cost of finding its step. If the alphabet is small, as usual, an expression with
//! any entry has a row with a cell for each leaf, and a look-up is two array accesses. If the
//! alphabet is large, an expression can take few of its leaves, and the entries are hashed.
//!
//! *Cost.* Four bytes for each leaf of each expression that has a row.

use rustc_hash::FxHashMap;

use super::store::{ExprId, LeafId};

/// The maximum number of leaves for which there are rows.
const NARROW: usize = 64;
/// An empty cell.
const UNKNOWN: u32 = u32::MAX;

/// Memoized numbers below [`UNKNOWN`] by expression and leaf.
#[derive(Debug, Default)]
pub(crate) struct LeafMemo {
    /// For each expression: one more than the start of its row, or 0 if it has none.
    rows: Vec<u32>,
    cells: Vec<u32>,
    /// The number of cells of a row; 0 before the first row.
    width: usize,
    /// The values for leaves that have no cell.
    others: FxHashMap<(ExprId, LeafId), u32>,
}

impl LeafMemo {
    #[inline]
    pub(crate) fn get(&self, expr: ExprId, leaf: LeafId) -> Option<u32> {
        let column = leaf.0 as usize;
        if column < self.width {
            let row = *self.rows.get(expr.0 as usize)?;
            let start = row.checked_sub(1)? as usize;
            let found = *self.cells.get(start + column)?;
            return (found != UNKNOWN).then_some(found);
        }
        if self.others.is_empty() { None } else { self.others.get(&(expr, leaf)).copied() }
    }

    /// Records a value, given the number of leaves.
    pub(crate) fn insert(&mut self, expr: ExprId, leaf: LeafId, leaves: usize, found: u32) {
        if self.width == 0 && leaves <= NARROW {
            self.width = leaves;
        }
        let (index, column) = (expr.0 as usize, leaf.0 as usize);
        if column >= self.width || self.cells.len() + self.width >= u32::MAX as usize {
            self.others.insert((expr, leaf), found);
            return;
        }
        if self.rows.len() <= index {
            self.rows.resize(index + 1, 0);
        }
        if self.rows[index] == 0 {
            self.rows[index] = u32::try_from(self.cells.len() + 1).unwrap_or(u32::MAX);
            self.cells.resize(self.cells.len() + self.width, UNKNOWN);
        }
        self.cells[self.rows[index] as usize - 1 + column] = found;
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.rows.capacity() + self.cells.capacity()) * 4 + self.others.capacity() * 14
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_found_in_rows_and_beside_them() {
        for leaves in [3, 1000] {
            let mut known = LeafMemo::default();
            assert_eq!(known.get(ExprId(7), LeafId(2)), None);
            known.insert(ExprId(7), LeafId(2), leaves, 5);
            known.insert(ExprId(4), LeafId(0), leaves, 0);
            // This leaf was created after the row.
            known.insert(ExprId(4), LeafId(2000), 2001, 9);
            assert_eq!(known.get(ExprId(7), LeafId(2)), Some(5));
            assert_eq!(known.get(ExprId(7), LeafId(1)), None);
            assert_eq!(known.get(ExprId(5), LeafId(2)), None);
            assert_eq!(known.get(ExprId(4), LeafId(0)), Some(0));
            assert_eq!(known.get(ExprId(4), LeafId(2000)), Some(9));
        }
    }
}
