//! The diagram: the nodes, the memo and the construction of nodes, which every operation uses.

use std::ops::Range;

use otus_core::budget::{Budget, Stop};

use crate::pace::Pace;

use super::memo::Memo;
use super::store::{EMPTY, Edge, FULL, Id, Store, hash};

/// A set of vectors of one [`Diagram`]. Two `Set` values are equal iff the sets of vectors are equal.
///
/// It is an id, cheap to copy and only valid with its own diagram. [`Diagram::collect`] renames all sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Set(pub(super) Id);

impl Set {
    pub(crate) const EMPTY: Set = Set(EMPTY);
    /// The set of all vectors within the ranges.
    pub(crate) const FULL: Set = Set(FULL);

    pub(crate) fn is_empty(self) -> bool {
        self == Set::EMPTY
    }
}

/// Sets of vectors in `[0,n_1] × … × [0,n_k]`.
#[derive(Debug, Clone)]
pub(crate) struct Diagram {
    pub(super) bounds: Box<[u32]>,
    pub(super) store: Store,
    pub(super) memo: Memo,
    /// Intervals of nodes under construction; those of the innermost call are last.
    pub(super) scratch: Vec<Edge>,
    /// The number of bytes that the caller, or an operation, uses in addition to the diagram.
    pub(crate) beside: usize,
    /// The limits. A step of an operation is an interval that is read or made.
    pub(crate) pace: Pace,
    /// The results of prefetching reads of the unique table; kept so that the compiler does not remove the reads.
    glances: u32,
}

/// The number of dimensions above which an operation runs on a stack of its own.
const DEEP: usize = 256;
/// Bytes of that stack per dimension; a frame in an unoptimised build takes less than half of it.
const FRAME: usize = 4096;
/// The number of nodes that are made together where that is possible.
pub(super) const TOGETHER: usize = 16;

impl Diagram {
    /// A diagram for vectors whose component `i` is in `0..=bounds[i]`, with limits. A bound of `u32::MAX` is lowered by one.
    /// The clock starts now.
    pub(crate) fn with_budget(bounds: &[u32], budget: &Budget) -> Self {
        let bounds: Box<[u32]> = bounds.iter().map(|&bound| bound.min(u32::MAX - 1)).collect();
        Diagram {
            store: Store::new(&bounds),
            bounds,
            memo: Memo::new(),
            scratch: Vec::new(),
            beside: 0,
            pace: Pace::new(budget),
            glances: 0,
        }
    }

    /// The number of nodes, garbage included.
    pub(crate) fn nodes(&self) -> usize {
        self.store.count
    }

    pub(crate) fn bytes(&self) -> usize {
        self.store.bytes() + self.other_bytes()
    }

    fn other_bytes(&self) -> usize {
        self.beside + self.memo.bytes() + self.scratch.capacity() * size_of::<Edge>()
    }

    /// Runs an operation: with empty scratch lists, and on a stack that is as deep as the operation
    /// needs.
    pub(super) fn operate<T>(
        &mut self,
        operation: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        self.scratch.clear();
        self.pace.check()?;
        let dimensions = self.bounds.len();
        if dimensions <= DEEP {
            return operation(self);
        }
        stacker::grow((dimensions + DEEP) * FRAME, || operation(self))
    }

    /// Appends an interval to the node under construction whose intervals start at `base`; intervals
    /// come in ascending order.
    #[inline]
    pub(super) fn append(&mut self, base: usize, high: u32, child: Id) {
        match self.scratch[base..].last_mut() {
            Some(last) if last.child == child => last.high = high,
            _ => self.scratch.push(Edge { high, child }),
        }
    }

    /// Like [`append`](Self::append), but intervals come in descending order; the caller reverses
    /// them at the end.
    #[inline]
    pub(super) fn append_below(&mut self, base: usize, high: u32, child: Id) {
        let above = self.scratch[base..].last().map_or(EMPTY, |last| last.child);
        // An interval that continues the interval above it is covered by the upper end of the
        // interval above.
        if above != child {
            self.scratch.push(Edge { high, child });
        }
    }

    /// The node whose intervals are those from `base` on, which are removed.
    #[inline]
    pub(super) fn finish(&mut self, layer: usize, base: usize) -> Result<Id, Stop> {
        let edges = trimmed(&self.scratch[base..]);
        let made = edges.len();
        let id = match terminal(edges, self.bounds[layer]) {
            Some(id) => id,
            None => self.intern(layer, base..base + edges.len(), hash(layer, edges))?,
        };
        self.scratch.truncate(base);
        self.pace.step(made)?;
        Ok(id)
    }

    /// [`finish`](Self::finish) for several nodes of a layer, whose intervals start at these indexes;
    /// their ids are put into `ids`. A first pass prefetches the slots of the unique table, all at once.
    /// This saves a fifth of the time for lattices that do not fit into the cache.
    pub(super) fn finish_all(
        &mut self,
        layer: usize,
        starts: &[usize],
        ids: &mut Vec<Id>,
    ) -> Result<(), Stop> {
        let length = self.scratch.len();
        let end = |at: usize| starts.get(at + 1).copied().unwrap_or(length);
        let mut hashes = [0; TOGETHER];
        let mut glances = 0;
        for ((at, &start), slot) in starts.iter().enumerate().zip(&mut hashes) {
            *slot = hash(layer, trimmed(&self.scratch[start..end(at)]));
            glances ^= self.store.glance(*slot);
        }
        self.glances ^= glances;
        let mut made = 0;
        for (at, (&start, hash)) in starts.iter().zip(hashes).enumerate() {
            let edges = trimmed(&self.scratch[start..end(at)]);
            made += edges.len();
            let id = match terminal(edges, self.bounds[layer]) {
                Some(id) => id,
                None => self.intern(layer, start..start + edges.len(), hash)?,
            };
            ids.push(id);
        }
        self.scratch.clear();
        self.pace.step(made)
    }

    #[inline]
    fn intern(&mut self, layer: usize, edges: Range<usize>, hash: u32) -> Result<Id, Stop> {
        let others = self.other_bytes();
        self.store.intern(layer, &self.scratch[edges], hash, &self.pace.budget, others)
    }

    /// [`finish`](Self::finish) where the result is often one of these nodes, which were just read: this avoids
    /// a lookup in the unique table, which is usually a cache miss.
    #[inline]
    pub(super) fn finish_like<const N: usize>(
        &mut self,
        layer: usize,
        base: usize,
        likely: [Id; N],
    ) -> Result<Id, Stop> {
        let edges = trimmed(&self.scratch[base..]);
        for id in likely {
            if id > FULL && self.store.edges_of(id) == edges {
                let made = edges.len();
                self.scratch.truncate(base);
                self.pace.step(made)?;
                return Ok(id);
            }
        }
        self.finish(layer, base)
    }

    #[inline]
    pub(super) fn keep(&mut self, first: Id, second: Id, third: impl Into<Id>, result: Id) -> Id {
        if self.memo.is_crowded() {
            let others = self.bytes() - self.memo.bytes();
            self.memo.grow(&self.pace.budget, others);
        }
        self.memo.keep(first, second, third, result);
        result
    }
}

/// The intervals, without the last one if its residual is empty.
#[inline]
fn trimmed(edges: &[Edge]) -> &[Edge] {
    match edges {
        [rest @ .., Edge { child: EMPTY, .. }] => rest,
        _ => edges,
    }
}

/// The terminal that these intervals represent on a layer with this bound; `None` if they represent
/// a node.
#[inline]
fn terminal(edges: &[Edge], bound: u32) -> Option<Id> {
    match *edges {
        [] => Some(EMPTY),
        [Edge { high, child: FULL }] if high == bound => Some(FULL),
        _ => None,
    }
}
