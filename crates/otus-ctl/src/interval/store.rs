//! Nodes and their unique table.
//!
//! All nodes are in one array of pairs of numbers. The id of a node is the index of its header, which gives
//! its layer and the number of its intervals, which follow: reading a node takes one memory access. Children
//! are made before parents, so the id of a child is smaller than that of its parent.
//!
//! The unique table uses open addressing with linear probing over pairs of a 32-bit hash and a
//! node. The hash is stored so that the table can grow without reading nodes, and a probe
//! rarely reads a node other than the one sought.
//!
//! The ids 0 and 1 are the terminals. They are followed by one entry per layer that belongs to no node: the
//! interval `(n_i, FULL)`, which represents the terminal `FULL` beside a node of that layer.
//!
//! A first version kept headers in an array of their own: one more cache miss per node,
//! and 10 to 30 % more time on diagrams that do not fit into the cache.

use otus_core::budget::{Budget, Stop};

/// A node or a terminal.
pub(super) type Id = u32;

/// The terminal of the empty set, on every layer.
pub(super) const EMPTY: Id = 0;
/// The terminal of all vectors, on every layer.
pub(super) const FULL: Id = 1;
/// Ids below this one are not those of nodes: the memo uses them for operations.
pub(super) const FEW: Id = 16;

/// An interval of a node: it ends at `high` and starts after the end of the one before.
///
/// In a header, `high` is the number of intervals, and `child` the layer with the marks of the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    /// The upper end, inclusive.
    pub(super) high: u32,
    /// The residual on this interval.
    pub(super) child: Id,
}

/// In a header: garbage collection has reached the node.
pub(super) const NEEDED: u32 = 1 << 31;
/// In a header: the set is closed under maximum and minimum, component by component.
const LATTICE: u32 = 1 << 30;
const LAYER: u32 = LATTICE - 1;

/// A slot of the unique table.
#[derive(Debug, Clone, Copy)]
struct Slot {
    hash: u32,
    /// `EMPTY` where the slot is free.
    id: Id,
}

/// The initial number of slots, so that small problems take little memory.
const SMALLEST: usize = 256;
const FREE: Slot = Slot { hash: 0, id: EMPTY };

#[derive(Debug, Clone)]
pub(super) struct Store {
    pub(super) places: Vec<Edge>,
    /// The number of nodes.
    pub(super) count: usize,
    /// The unique table; its length is a power of two, and at most three quarters are occupied.
    slots: Vec<Slot>,
}

impl Store {
    pub(super) fn new(bounds: &[u32]) -> Self {
        let unused = Edge { high: 0, child: 0 };
        let mut places = vec![unused, unused];
        places.extend(bounds.iter().map(|&high| Edge { high, child: FULL }));
        places.resize(places.len().max(FEW as usize), unused);
        Store { places, count: 0, slots: vec![FREE; SMALLEST] }
    }

    /// The id of the first node, given the number of dimensions.
    pub(super) fn first(dimensions: usize) -> usize {
        (dimensions + 2).max(FEW as usize)
    }

    pub(super) fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<Edge>() + self.slots.capacity() * size_of::<Slot>()
    }

    /// The layer of a node; undefined for a terminal.
    #[inline]
    pub(super) fn layer(&self, id: Id) -> usize {
        (self.places[id as usize].child & LAYER) as usize
    }

    /// Whether a set is known to be closed under maximum and minimum.
    #[inline]
    pub(super) fn is_lattice(&self, id: Id) -> bool {
        self.places[id as usize].child & LATTICE != 0
    }

    /// Marks a node whose set is closed under maximum and minimum.
    pub(super) fn note_lattice(&mut self, id: Id) {
        if id > FULL {
            self.places[id as usize].child |= LATTICE;
        }
    }

    /// The range of the intervals of `id` in the array, if `id` is read as a set on `layer`.
    #[inline]
    pub(super) fn span(&self, id: Id, layer: usize) -> (usize, usize) {
        let at = id as usize;
        match id {
            EMPTY => (0, 0),
            FULL => (layer + 2, layer + 3),
            _ => (at + 1, at + 1 + self.places[at].high as usize),
        }
    }

    /// The intervals of `id`, if `id` is read as a set on `layer`.
    #[inline]
    pub(super) fn edges(&self, id: Id, layer: usize) -> &[Edge] {
        let (start, end) = self.span(id, layer);
        &self.places[start..end]
    }

    /// The intervals of a node.
    #[inline]
    pub(super) fn edges_of(&self, id: Id) -> &[Edge] {
        self.edges(id, 0)
    }

    #[inline]
    pub(super) fn edge(&self, at: usize) -> Edge {
        self.places[at]
    }

    /// The first index from `at` on, before `end`, of an interval that ends at `value` or later.
    ///
    /// The search doubles its stride and then halves it, so its cost is logarithmic in the
    /// distance.
    pub(super) fn seek(&self, mut at: usize, end: usize, value: u32) -> usize {
        let mut stride = 1;
        while at + stride < end && self.places[at + stride - 1].high < value {
            at += stride;
            stride *= 2;
        }
        let last = end.min(at + stride);
        at + self.places[at..last].partition_point(|edge| edge.high < value)
    }

    /// The residual at `value` of `id`, if `id` is read as a set on `layer`.
    #[inline]
    pub(super) fn child(&self, id: Id, layer: usize, value: u32) -> Id {
        let edges = self.edges(id, layer);
        edges.get(edges.partition_point(|edge| edge.high < value)).map_or(EMPTY, |edge| edge.child)
    }

    /// The node with these intervals, which must be in normal form and have this hash.
    ///
    /// `other_bytes` is the memory of the rest of the diagram, for the budget.
    pub(super) fn intern(
        &mut self,
        layer: usize,
        edges: &[Edge],
        hash: u32,
        budget: &Budget,
        other_bytes: usize,
    ) -> Result<Id, Stop> {
        let layer = u32::try_from(layer).map_err(|_| Stop::States)?;
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.id == EMPTY {
                break;
            }
            if slot.hash == hash && self.is_node(slot.id, layer, edges) {
                return Ok(slot.id);
            }
            at = (at + 1) & mask;
        }
        self.make_room(edges.len() + 1, budget, other_bytes)?;
        let id = u32::try_from(self.places.len()).map_err(|_| Stop::States)?;
        let length = u32::try_from(edges.len()).map_err(|_| Stop::States)?;
        self.places.push(Edge { high: length, child: layer & LAYER });
        self.places.extend_from_slice(edges);
        self.count += 1;
        // If the table has grown, the slot is another one.
        if mask == self.slots.len() - 1 {
            self.slots[at] = Slot { hash, id };
        } else {
            insert(&mut self.slots, Slot { hash, id });
        }
        Ok(id)
    }

    /// Prefetches the slot of a node with this hash: the next access to it is fast, and several prefetches
    /// overlap.
    #[inline]
    pub(super) fn glance(&self, hash: u32) -> u32 {
        self.slots[hash as usize & (self.slots.len() - 1)].hash
    }

    /// Builds the table again, after nodes were moved.
    pub(super) fn rebuild(&mut self, first: usize) {
        let size = (self.count * 2).next_power_of_two().max(SMALLEST);
        self.slots = vec![FREE; size];
        let mut at = first;
        while at < self.places.len() {
            let id = Id::try_from(at).unwrap_or(EMPTY);
            let hash = hash(self.layer(id), self.edges_of(id));
            insert(&mut self.slots, Slot { hash, id });
            at += 1 + self.places[at].high as usize;
        }
    }

    #[inline]
    fn is_node(&self, id: Id, layer: u32, edges: &[Edge]) -> bool {
        self.places[id as usize].child & LAYER == layer && self.edges_of(id) == edges
    }

    #[inline]
    fn make_room(&mut self, more: usize, budget: &Budget, others: usize) -> Result<(), Stop> {
        if self.places.len() + more > u32::MAX as usize
            || budget.max_states.is_some_and(|most| self.count as u64 >= most)
        {
            return Err(Stop::States);
        }
        if self.places.len() + more > self.places.capacity() {
            let bytes = self.bytes() + others;
            grow(&mut self.places, more, bytes, budget)?;
        }
        if self.count * 4 >= self.slots.len() * 3 {
            let size = self.slots.len() * 2;
            // The old and the new table exist at the same time.
            budget.check_bytes(self.bytes() + others + size * size_of::<Slot>())?;
            let mut slots = vec![FREE; size];
            for &slot in self.slots.iter().filter(|slot| slot.id != EMPTY) {
                insert(&mut slots, slot);
            }
            self.slots = slots;
        }
        Ok(())
    }
}

fn insert(slots: &mut [Slot], slot: Slot) {
    let mask = slots.len() - 1;
    let mut at = slot.hash as usize & mask;
    while slots[at].id != EMPTY {
        at = (at + 1) & mask;
    }
    slots[at] = slot;
}

#[inline]
pub(super) fn hash(layer: usize, edges: &[Edge]) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = (layer as u64 + 1).wrapping_mul(FACTOR);
    for edge in edges {
        let word = u64::from(edge.high) << 32 | u64::from(edge.child);
        state = (state.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    }
    // Only the upper half depends on all bits of every word.
    ((state ^ state >> 29) >> 32) as u32
}

/// Reserves room for `more` elements: doubles the capacity if the budget allows, else adds an eighth
/// to the need, else fails.
pub(super) fn grow<T>(
    list: &mut Vec<T>,
    more: usize,
    bytes: usize,
    budget: &Budget,
) -> Result<(), Stop> {
    let needed = list.len() + more;
    let twice = needed.max(list.capacity() * 2).max(64);
    let frugal = needed + needed / 8;
    let before = bytes - list.capacity() * size_of::<T>();
    let check =
        |wanted: usize| budget.check_bytes(before + wanted * size_of::<T>()).map(|()| wanted);
    let wanted = check(twice).or_else(|_| check(frugal))?;
    list.reserve_exact(wanted - list.len());
    Ok(())
}
