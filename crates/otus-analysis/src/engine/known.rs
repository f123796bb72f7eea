//! What is known of expressions and leaves: the automaton as far as it has been met.
//!
//! Long logs and many short ones mostly take steps that were taken before, so that finding them is
//! what an action costs. An alphabet is small as a rule; then an expression of which anything is
//! known has a row with a cell for each leaf, and finding it is two look-ups by index. Of a large
//! alphabet an expression can take few leaves, and what is known is hashed.
//!
//! *Cost.* Four bytes for each leaf of each expression that has a row.

use rustc_hash::FxHashMap;

use super::store::{ExprId, LeafId};

/// What fits in a cell.
pub(crate) trait Cell: Copy {
    /// As a number below [`u32::MAX`].
    fn pack(self) -> u32;
    /// From that number.
    fn unpack(number: u32) -> Self;
}

impl Cell for ExprId {
    fn pack(self) -> u32 {
        self.0
    }

    fn unpack(number: u32) -> Self {
        ExprId(number)
    }
}

impl Cell for bool {
    fn pack(self) -> u32 {
        u32::from(self)
    }

    fn unpack(number: u32) -> Self {
        number != 0
    }
}

/// Up to how many leaves there are rows.
const NARROW: usize = 64;
/// What a cell holds of which nothing is known.
const UNKNOWN: u32 = u32::MAX;

/// Something about expressions and leaves, as far as it is known.
#[derive(Debug)]
pub(crate) struct Known<T> {
    /// By expression: one more than where its row begins, or 0.
    rows: Vec<u32>,
    cells: Vec<u32>,
    /// How many cells a row has; none as long as there is no row.
    width: usize,
    /// What is known with leaves that have no cell.
    others: FxHashMap<(ExprId, LeafId), T>,
}

impl<T> Default for Known<T> {
    fn default() -> Self {
        Known { rows: Vec::new(), cells: Vec::new(), width: 0, others: FxHashMap::default() }
    }
}

impl<T: Cell> Known<T> {
    /// What is known of an expression and a leaf.
    #[inline]
    pub(crate) fn get(&self, expr: ExprId, leaf: LeafId) -> Option<T> {
        let column = leaf.0 as usize;
        if column < self.width {
            let row = *self.rows.get(expr.0 as usize)?;
            let start = row.checked_sub(1)? as usize;
            let found = *self.cells.get(start + column)?;
            return (found != UNKNOWN).then(|| T::unpack(found));
        }
        if self.others.is_empty() { None } else { self.others.get(&(expr, leaf)).copied() }
    }

    /// Notes something, there being so many leaves.
    pub(crate) fn insert(&mut self, (expr, leaf): (ExprId, LeafId), leaves: usize, found: T) {
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
        self.cells[self.rows[index] as usize - 1 + column] = found.pack();
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        *self = Known::default();
    }

    /// About how much memory it takes.
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
            let mut known: Known<ExprId> = Known::default();
            assert_eq!(known.get(ExprId(7), LeafId(2)), None);
            known.insert((ExprId(7), LeafId(2)), leaves, ExprId(5));
            known.insert((ExprId(4), LeafId(0)), leaves, ExprId(0));
            // A leaf that was made later.
            known.insert((ExprId(4), LeafId(2000)), 2001, ExprId(9));
            assert_eq!(known.get(ExprId(7), LeafId(2)), Some(ExprId(5)));
            assert_eq!(known.get(ExprId(7), LeafId(1)), None);
            assert_eq!(known.get(ExprId(5), LeafId(2)), None);
            assert_eq!(known.get(ExprId(4), LeafId(0)), Some(ExprId(0)));
            assert_eq!(known.get(ExprId(4), LeafId(2000)), Some(ExprId(9)));
            known.clear();
            assert_eq!(known.get(ExprId(7), LeafId(2)), None);
        }
    }
}
