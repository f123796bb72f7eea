//! The memo of operations: one direct-mapped, lossy table for all of them.
//!
//! A key is an operation and two nodes, or three nodes for the one operation that has three operands: the
//! third word is then a node, and otherwise the operation, whose number is not that of a node. If two keys
//! share a slot, the later replaces the earlier, which only costs time. The table doubles when as many results were
//! stored as it has slots, up to a bound, so that small problems stay in the cache and large ones keep nearly
//! all results.

use otus_core::budget::Budget;

use super::store::{FEW, Id};

/// The operations with memoized results; their numbers are below those of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Op {
    Union,
    Intersect,
    Difference,
    /// The predecessors of a node. For a terminal, the second operand is the layer.
    Predecessors,
    /// The downward closure of a node.
    Below,
    Until,
    /// The result of a machine, in a table of its own; the key is a node and a state.
    Build,
}

/// An operation that has two operands, as a key of [`Memo`].
impl From<Op> for Id {
    fn from(op: Op) -> Id {
        op as Id
    }
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    first: Id,
    second: Id,
    third: Id,
    result: Id,
}

/// A free entry: its third word is neither an operation nor a node.
const VACANT: Entry = Entry { first: 0, second: 0, third: FEW - 1, result: 0 };
const SMALLEST: usize = 1 << 8;
const LARGEST: usize = 1 << 24;

#[derive(Debug, Clone)]
pub(super) struct Memo {
    entries: Vec<Entry>,
    stored: usize,
}

impl Memo {
    pub(super) fn new() -> Self {
        Memo { entries: vec![VACANT; SMALLEST], stored: 0 }
    }

    pub(super) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
    }

    /// The result for two operands and an operation, or for three operands.
    #[inline]
    pub(super) fn find(&self, first: Id, second: Id, third: impl Into<Id>) -> Option<Id> {
        let third = third.into();
        let entry = self.entries[place(first, second, third, self.entries.len())];
        let found = entry.first == first && entry.second == second && entry.third == third;
        found.then_some(entry.result)
    }

    #[inline]
    pub(super) fn keep(&mut self, first: Id, second: Id, third: impl Into<Id>, result: Id) {
        let third = third.into();
        let at = place(first, second, third, self.entries.len());
        self.entries[at] = Entry { first, second, third, result };
        self.stored += 1;
    }

    /// Whether the table should be [`grown`](Memo::grow).
    #[inline]
    pub(super) fn is_crowded(&self) -> bool {
        self.stored > self.entries.len()
    }

    /// Doubles the table if the budget allows: it takes at most a quarter of the bytes.
    pub(super) fn grow(&mut self, budget: &Budget, other_bytes: usize) {
        self.stored = 0;
        let more = self.entries.len() * 2;
        let bytes = more * size_of::<Entry>();
        if more > LARGEST
            || budget.max_bytes.is_some_and(|most| bytes as u64 > most / 4)
            || budget.check_bytes(other_bytes + self.bytes() + bytes).is_err()
        {
            return;
        }
        let mut entries = vec![VACANT; more];
        for &entry in self.entries.iter().filter(|entry| entry.third != VACANT.third) {
            entries[place(entry.first, entry.second, entry.third, more)] = entry;
        }
        self.entries = entries;
    }

    pub(super) fn clear(&mut self) {
        self.entries.fill(VACANT);
        self.stored = 0;
    }
}

#[inline]
fn place(first: u32, second: u32, third: u32, size: usize) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let word = u64::from(first) | u64::from(second) << 32;
    let mixed = (word.wrapping_mul(FACTOR) ^ u64::from(third).rotate_left(20)).wrapping_mul(FACTOR);
    // Only the upper bits depend on the whole key; the size is a power of two.
    (mixed >> 32) as usize & (size - 1)
}
