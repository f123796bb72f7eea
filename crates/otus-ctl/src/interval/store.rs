//! Nodes and their unique table.
//!
//! A node is a span of one array of [`Edge`]s; the span ends where that of the next node starts. Children
//! are made before parents, so that a child's number is smaller than its parent's: passes over all
//! nodes need no recursion.
//!
//! The unique table is open addressing with linear probing over pairs of a 32-bit hash and a
//! node. The hash is kept so that the table can grow without looking at the nodes, and a probe
//! rarely looks at a node that is not the one sought.
//!
//! The numbers 0 and 1 are the terminals. The first `k` edges are `(n_i, FULL)`: the one interval
//! that the terminal `FULL` has when it is met on layer `i` beside a node.

use super::budget::{Budget, Stop};

/// A node or a terminal.
pub(super) type Id = u32;

/// The terminal of the empty set, on every layer.
pub(super) const EMPTY: Id = 0;
/// The terminal of all vectors, on every layer.
pub(super) const FULL: Id = 1;
/// Nodes have 28 bits: the memory of operations uses the other four.
pub(super) const MOST_IDS: usize = 1 << 28;

/// An interval of a node: it ends at `high` and starts after the end of the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    /// The upper end, inclusive.
    pub(super) high: u32,
    /// The residual on this interval.
    pub(super) child: Id,
}

/// Where the intervals of a node start, and its layer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) start: u32,
    pub(super) layer: u32,
}

/// A place of the unique table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    hash: u32,
    /// `EMPTY` where the slot is free.
    id: Id,
}

/// How many places the table has at first: small problems stay small.
const SMALLEST: usize = 256;
const FREE: Slot = Slot { hash: 0, id: EMPTY };

/// All nodes of a diagram.
#[derive(Debug, Clone)]
pub(super) struct Store {
    /// One per id, and a last one that ends the last span.
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    /// A power of two, at most three quarters of it taken.
    slots: Vec<Slot>,
}

impl Store {
    /// The terminals alone.
    pub(super) fn new(bounds: &[u32]) -> Self {
        let edges: Vec<Edge> = bounds.iter().map(|&high| Edge { high, child: FULL }).collect();
        let start = u32::try_from(edges.len()).unwrap_or(u32::MAX);
        let terminal = Node { start: 0, layer: u32::MAX };
        let end = Node { start, layer: u32::MAX };
        Store { nodes: vec![terminal, terminal, end], edges, slots: vec![FREE; SMALLEST] }
    }

    /// How many numbers are in use, those of the terminals included.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// How many bytes the arrays hold.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.edges.capacity() * size_of::<Edge>()
            + self.slots.capacity() * size_of::<Slot>()
    }

    /// The layer of a node; that of a terminal means nothing.
    pub(super) fn layer(&self, id: Id) -> usize {
        self.nodes[id as usize].layer as usize
    }

    /// Where the intervals of `id`, seen on `layer`, are among all edges.
    #[inline]
    pub(super) fn span(&self, id: Id, layer: usize) -> (usize, usize) {
        match id {
            EMPTY => (0, 0),
            FULL => (layer, layer + 1),
            _ => {
                let id = id as usize;
                (self.nodes[id].start as usize, self.nodes[id + 1].start as usize)
            }
        }
    }

    /// The intervals of `id`, seen on `layer`.
    #[inline]
    pub(super) fn edges(&self, id: Id, layer: usize) -> &[Edge] {
        let (start, end) = self.span(id, layer);
        &self.edges[start..end]
    }

    /// The intervals of a node.
    pub(super) fn edges_of(&self, id: usize) -> &[Edge] {
        &self.edges[self.nodes[id].start as usize..self.nodes[id + 1].start as usize]
    }

    /// One interval, by its place among all edges.
    #[inline]
    pub(super) fn edge(&self, at: usize) -> Edge {
        self.edges[at]
    }

    /// The first place from `at` on, before `end`, of an interval that ends at `value` or later.
    ///
    /// Doubles its stride and then halves it: the cost is logarithmic in the distance.
    pub(super) fn seek(&self, mut at: usize, end: usize, value: u32) -> usize {
        let mut stride = 1;
        while at + stride < end && self.edges[at + stride - 1].high < value {
            at += stride;
            stride *= 2;
        }
        let last = end.min(at + stride);
        at + self.edges[at..last].partition_point(|edge| edge.high < value)
    }

    /// The residual of `id`, seen on `layer`, at `value`.
    pub(super) fn child(&self, id: Id, layer: usize, value: u32) -> Id {
        let edges = self.edges(id, layer);
        edges.get(edges.partition_point(|edge| edge.high < value)).map_or(EMPTY, |edge| edge.child)
    }

    /// The node with these intervals, which must be in normal form; whether it is new.
    ///
    /// `other_bytes` is what the rest of the diagram holds, for the budget.
    pub(super) fn intern(
        &mut self,
        layer: usize,
        edges: &[Edge],
        budget: &Budget,
        other_bytes: usize,
    ) -> Result<(Id, bool), Stop> {
        let layer = u32::try_from(layer).map_err(|_| Stop::Nodes)?;
        let hash = hash(layer, edges);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.id == EMPTY {
                break;
            }
            if slot.hash == hash && self.is_node(slot.id, layer, edges) {
                return Ok((slot.id, false));
            }
            at = (at + 1) & mask;
        }
        self.make_room(edges.len(), budget, other_bytes)?;
        let id = self.push(layer, edges)?;
        // The table may have grown, in which case the place is another one.
        if mask == self.slots.len() - 1 {
            self.slots[at] = Slot { hash, id };
        } else {
            insert(&mut self.slots, Slot { hash, id });
        }
        Ok((id, true))
    }

    /// Makes the table anew, after nodes were moved.
    pub(super) fn rebuild(&mut self) {
        let size = (self.len() * 2).next_power_of_two().max(SMALLEST);
        self.slots = vec![FREE; size];
        for id in FULL + 1..u32::try_from(self.len()).unwrap_or(u32::MAX) {
            let layer = self.nodes[id as usize].layer;
            let hash = hash(layer, self.edges(id, 0));
            insert(&mut self.slots, Slot { hash, id });
        }
    }

    #[inline]
    fn is_node(&self, id: Id, layer: u32, edges: &[Edge]) -> bool {
        let id = id as usize;
        let node = self.nodes[id];
        let end = self.nodes[id + 1].start as usize;
        node.layer == layer && self.edges[node.start as usize..end] == *edges
    }

    fn push(&mut self, layer: u32, edges: &[Edge]) -> Result<Id, Stop> {
        let id = u32::try_from(self.len()).map_err(|_| Stop::Nodes)?;
        let end = u32::try_from(self.edges.len() + edges.len()).map_err(|_| Stop::Nodes)?;
        self.edges.extend_from_slice(edges);
        self.nodes[id as usize].layer = layer;
        self.nodes.push(Node { start: end, layer: u32::MAX });
        Ok(id)
    }

    /// Makes room for a node with so many intervals, or says that there may be none.
    #[inline]
    fn make_room(&mut self, edges: usize, budget: &Budget, others: usize) -> Result<(), Stop> {
        let nodes = self.len() - 2;
        if nodes + 2 >= MOST_IDS || budget.max_nodes.is_some_and(|most| nodes as u64 >= most) {
            return Err(Stop::Nodes);
        }
        if self.nodes.len() == self.nodes.capacity() {
            let bytes = self.bytes() + others;
            grow(&mut self.nodes, 1, bytes, budget)?;
        }
        if self.edges.len() + edges > self.edges.capacity() {
            let bytes = self.bytes() + others;
            grow(&mut self.edges, edges, bytes, budget)?;
        }
        if nodes * 4 >= self.slots.len() * 3 {
            let more = self.slots.len() * 2;
            // Both tables exist for a moment.
            budget.check_bytes(self.bytes() + others + more * size_of::<Slot>())?;
            let mut slots = vec![FREE; more];
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

fn hash(layer: u32, edges: &[Edge]) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = u64::from(layer).wrapping_add(1).wrapping_mul(FACTOR);
    for edge in edges {
        let word = u64::from(edge.high) << 32 | u64::from(edge.child);
        state = (state.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    }
    // The upper half depends on all bits of every word; the lower half hardly does.
    ((state ^ state >> 29) >> 32) as u32
}

/// Makes room for `more` elements: twice as many as there were if the budget allows, else an eighth
/// more than needed, else none.
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
    let wanted = match budget.check_bytes(before + twice * size_of::<T>()) {
        Ok(()) => twice,
        Err(_) => {
            budget.check_bytes(before + frugal * size_of::<T>())?;
            frugal
        }
    };
    list.reserve_exact(wanted - list.len());
    Ok(())
}
