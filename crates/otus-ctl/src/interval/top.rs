//! The set of vectors allowed by a family of clocks: the lattice of the cuts of a partial order.
//!
//! # Definition
//!
//! Clocks say, for every two dimensions `i ≠ j`, how little and how much of `j` a value of `i` allows:
//! `L_ij(x)` and `U_ij(x)`, monotone in `x`, with `L_ij(x) ≤ y ⇔ x ≤ U_ji(y)`. The set is
//!
//! ```text
//!   { (x_1,…,x_k) : L_ij(x_i) ≤ x_j for all i ≠ j }
//! ```
//!
//! For a partial order on events of `k` processes, `L_ij(x)` is the vector clock of event `x` of process `i`
//! at `j`: how many events of `j` happened before or are it. The set is then that of all cuts.
//!
//! # Theorem
//!
//! After choosing `x_1, …, x_{i-1}`, what may follow depends only on the box `lo_j = max_{l<i} L_lj(x_l)`,
//! `hi_j = min_{l<i} U_lj(x_l)` for `j ≥ i`. *Proof.* A constraint between a chosen `l` and a `j` to come
//! says `L_lj(x_l) ≤ x_j` or `L_jl(x_j) ≤ x_l`, the latter being `x_j ≤ U_lj(x_l)`: all of them together are the box;
//! the others concern only what is to come. ∎
//!
//! If the clocks are transitive, as vector clocks are (`L_jm(L_ij(x)) ≤ L_im(x)`), different boxes
//! leave different sets: `lo` is itself allowed, being the componentwise maximum of vectors each of which is
//! closed under the constraints; so is `hi`; they are the least and the greatest member of what
//! is left, which thus determines the box. The box is a canonical key, there are as many boxes as
//! there are nodes, and none is ever tried in vain. If they are not transitive the result is right all
//! the same, and some boxes come to nothing or coincide.
//!
//! # How
//!
//! Layer by layer, all boxes of one layer give those of the next. Along a component the next box
//! changes only where some `L_ij` exceeds the `lo_j` reached, which is at `U_ji(lo_j) + 1`, or where some
//! `U_ij` comes up to more than the `hi_j` reached, at `L_ji(hi_j + 1)`: two looks at the clocks instead of a
//! walk. The hash of a box is a sum over its components, and changes with them. Then nodes are made from
//! the last layer up. There is no recursion; the boxes of two layers are held at a time, and the
//! intervals of all. Cost: `O(k)` simple steps per interval of the result.
//!
//! The first version subtracted what each single message forbids, as [001] does: seconds instead
//! of microseconds. A second one recursed from box to box with a table for all layers: the
//! same time but keys of all layers in memory.
//!
//! # With a machine
//!
//! A [`Machine`] may read the vectors on the way: the key is then a box and a state. What it rejects is
//! never expanded, so that a selective predicate is cheap where the lattice is far too large to be made.

use super::budget::{Budget, Stop};
use super::build::{ACCEPT, Machine, REJECT, Splits};
use super::clocks::Clocks;
use super::diagram::{Diagram, Set};
use super::store::{EMPTY, Edge, FULL, Id, grow};

impl Diagram {
    /// The set of vectors that the clocks allow.
    ///
    /// # Errors
    ///
    /// A bound was met.
    pub fn lattice(&mut self, clocks: &impl Clocks) -> Result<Set, Stop> {
        self.lattice_where(clocks, &mut Anything, ACCEPT)
    }

    /// The set of vectors that the clocks allow and the machine accepts from `state` on: the same as
    /// [`build`](Diagram::build) within [`lattice`](Diagram::lattice), without making the latter.
    ///
    /// # Errors
    ///
    /// A bound was met.
    pub fn lattice_where(
        &mut self,
        clocks: &impl Clocks,
        machine: &mut impl Machine,
        state: u32,
    ) -> Result<Set, Stop> {
        let dimensions = self.bounds.len();
        if state == REJECT || dimensions == 0 {
            return Ok(if state == ACCEPT { Set::FULL } else { Set::EMPTY });
        }
        let mut splits = Splits::new(machine);
        self.operate(|diagram| {
            let mut layers: Vec<Layer> = Vec::with_capacity(dimensions);
            let mut boxes = Boxes::new(dimensions);
            boxes.key[dimensions..2 * dimensions].copy_from_slice(&diagram.bounds);
            boxes.key[2 * dimensions] = state;
            let parts = boxes.key.iter().enumerate().map(|(at, &value)| part(at, value));
            boxes.hash = parts.fold(0, u64::wrapping_add);
            let held = boxes.bytes();
            let mut allowance = Allowance { before: diagram.bytes(), held, states: 0 };
            boxes.intern(&diagram.budget, &mut allowance)?;
            for layer in 0..dimensions {
                let (made, next) =
                    diagram.expand(layer, &boxes, clocks, &mut splits, &mut allowance)?;
                allowance.held -= boxes.bytes();
                layers.push(made);
                boxes = next;
            }
            diagram.raise(layers, &boxes, state == ACCEPT)
        })
        .map(Set)
    }

    /// From the boxes of a layer to their intervals and the boxes of the next one.
    fn expand<M: Machine>(
        &mut self,
        layer: usize,
        boxes: &Boxes,
        clocks: &impl Clocks,
        splits: &mut Splits<'_, M>,
        allowance: &mut Allowance,
    ) -> Result<(Layer, Boxes), Stop> {
        let width = boxes.width - 1;
        let is_last = width == 0;
        let mut next = Boxes::new(width);
        allowance.held += next.bytes();
        let mut made = Layer::default();
        // Where each component of the box changes next.
        let mut changes = vec![0_u32; 2 * width];
        for state in 0..boxes.count {
            let key = boxes.get(state);
            let (low, high) = key[..2 * boxes.width].split_at(boxes.width);
            let (mut value, last) = (low[0], high[0]);
            let (low, high) = (&low[1..], &high[1..]);
            // An accepting state is kept to the end; any other one is asked for its intervals.
            let mut residual = key[2 * boxes.width];
            let mut readings = match residual {
                ACCEPT => &[],
                _ => splits.of(layer, residual),
            };
            let mut holds = u32::MAX;
            if residual != ACCEPT {
                (holds, residual) = next_reading(&mut readings, value);
            }
            next.start(layer, value, low, high, residual, clocks, &mut changes);
            made.push(value, &self.budget, allowance)?;
            loop {
                let until =
                    changes.iter().fold(holds.saturating_add(1), |least, &at| least.min(at));
                let until = until.max(value + 1).min(last + 1);
                // At the end only what is accepted stays.
                let child = if residual == REJECT || (is_last && residual != ACCEPT) {
                    NONE
                } else {
                    next.intern(&self.budget, allowance)?
                };
                made.append(until - 1, child, &self.budget, allowance)?;
                if until > last {
                    break;
                }
                value = until;
                if value > holds {
                    (holds, residual) = next_reading(&mut readings, value);
                    next.set(2 * width, residual);
                }
                next.advance(layer, value, high, clocks, &mut changes);
            }
            let work = made.edges.len() - made.starts[state] as usize;
            self.count_down(u32::try_from(work).unwrap_or(u32::MAX))?;
        }
        Ok((made, next))
    }

    /// Makes nodes from the last layer up; all of them are lattices if nothing was rejected.
    fn raise(&mut self, layers: Vec<Layer>, end: &Boxes, is_lattice: bool) -> Result<Id, Stop> {
        let mut below = vec![FULL; end.count];
        for (layer, made) in layers.into_iter().enumerate().rev() {
            let mut nodes = Vec::with_capacity(made.starts.len());
            for (state, &start) in made.starts.iter().enumerate() {
                let end = made.starts.get(state + 1).map_or(made.edges.len(), |&end| end as usize);
                for edge in &made.edges[start as usize..end] {
                    let child = if edge.child == NONE { EMPTY } else { below[edge.child as usize] };
                    self.append(0, edge.high, child);
                }
                let node = self.finish(layer, 0)?;
                if is_lattice {
                    self.store.note_lattice(node);
                }
                nodes.push(node);
            }
            below = nodes;
        }
        Ok(below[0])
    }
}

/// Accepts every vector.
struct Anything;

impl Machine for Anything {
    fn split(&mut self, _: usize, _: u32, _: &mut Vec<(u32, u32)>) {}
}

/// The interval that has `value`: its upper end and the state after it. Those before it are dropped.
fn next_reading(readings: &mut &[(u32, u32)], value: u32) -> (u32, u32) {
    let at = readings.partition_point(|reading| reading.0 < value);
    *readings = &readings[at..];
    readings.first().copied().unwrap_or((u32::MAX, REJECT))
}

/// Where `U_layer,other` comes up to more than `greatest`, if that is below what the box allows.
#[inline]
fn rise(clocks: &impl Clocks, layer: usize, other: usize, greatest: u32, bound: u32) -> u32 {
    if greatest >= bound { u32::MAX } else { clocks.lower(other, greatest + 1, layer) }
}

/// What one component contributes to the hash of a box.
#[inline]
fn part(at: usize, value: u32) -> u64 {
    let word = (at as u64 + 1) << 32 | u64::from(value);
    let mixed = word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// An interval without a box: nothing is allowed there.
const NONE: u32 = u32::MAX;

/// The intervals of all boxes of a layer; children are boxes of the next one.
#[derive(Debug, Default)]
struct Layer {
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

impl Layer {
    /// Starts the intervals of the next box, which begin at `low`.
    fn push(&mut self, low: u32, budget: &Budget, allowance: &mut Allowance) -> Result<(), Stop> {
        let start = u32::try_from(self.edges.len()).map_err(|_| Stop::Nodes)?;
        allowance.push(&mut self.starts, &[start], budget)?;
        match low.checked_sub(1) {
            Some(gap) => self.append(gap, NONE, budget, allowance),
            None => Ok(()),
        }
    }

    #[inline]
    fn append(
        &mut self,
        high: u32,
        child: u32,
        budget: &Budget,
        allowance: &mut Allowance,
    ) -> Result<(), Stop> {
        allowance.push(&mut self.edges, &[Edge { high, child }], budget)
    }
}

/// The boxes of a layer, each stored once: `width` lower ends, as many upper ends, a state.
#[derive(Debug)]
struct Boxes {
    width: usize,
    count: usize,
    keys: Vec<u32>,
    /// Hash and number of each box; a power of two of them.
    slots: Vec<(u32, u32)>,
    /// The box in the making, and its hash.
    key: Vec<u32>,
    hash: u64,
}

impl Boxes {
    fn new(width: usize) -> Self {
        let slots = vec![(0, NONE); 64];
        Boxes { width, count: 0, keys: Vec::new(), slots, key: vec![0; 2 * width + 1], hash: 0 }
    }

    #[inline]
    fn get(&self, at: usize) -> &[u32] {
        let length = 2 * self.width + 1;
        &self.keys[at * length..][..length]
    }

    fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<u32>() + self.slots.capacity() * size_of::<(u32, u32)>()
    }

    /// Changes a part of the box in the making.
    #[inline]
    fn set(&mut self, at: usize, value: u32) {
        let before = std::mem::replace(&mut self.key[at], value);
        self.hash = self.hash.wrapping_sub(part(at, before)).wrapping_add(part(at, value));
    }

    /// The box that follows `value` on `layer` within `low` and `high`, and where it changes.
    #[expect(clippy::too_many_arguments, reason = "a box has two ends, and there are two boxes")]
    fn start(
        &mut self,
        layer: usize,
        value: u32,
        low: &[u32],
        high: &[u32],
        residual: u32,
        clocks: &impl Clocks,
        changes: &mut [u32],
    ) {
        let width = self.width;
        self.key[2 * width] = residual;
        self.hash = part(2 * width, residual);
        for at in 0..width {
            let other = layer + 1 + at;
            let least = low[at].max(clocks.lower(layer, value, other));
            let greatest = high[at].min(clocks.upper(layer, value, other));
            self.key[at] = least;
            self.key[width + at] = greatest;
            changes[at] = clocks.upper(other, least, layer).saturating_add(1);
            changes[width + at] = rise(clocks, layer, other, greatest, high[at]);
            self.hash = self.hash.wrapping_add(part(at, least));
            self.hash = self.hash.wrapping_add(part(width + at, greatest));
        }
    }

    /// What changes up to `value`.
    #[inline]
    fn advance(
        &mut self,
        layer: usize,
        value: u32,
        high: &[u32],
        clocks: &impl Clocks,
        changes: &mut [u32],
    ) {
        let width = self.width;
        for (at, change) in changes.iter_mut().enumerate() {
            if *change > value {
                continue;
            }
            if at < width {
                let other = layer + 1 + at;
                let least = clocks.lower(layer, value, other).max(self.key[at]);
                *change = clocks.upper(other, least, layer).saturating_add(1);
                self.set(at, least);
            } else {
                let bound = high[at - width];
                let other = layer + 1 + at - width;
                let greatest = clocks.upper(layer, value, other).min(bound);
                *change = rise(clocks, layer, other, greatest, bound);
                self.set(at, greatest);
            }
        }
    }

    /// The number of the box in the making; `NONE` if it is empty.
    fn intern(&mut self, budget: &Budget, allowance: &mut Allowance) -> Result<u32, Stop> {
        let (low, high) = self.key[..2 * self.width].split_at(self.width);
        if low.iter().zip(high).any(|(low, high)| low > high) {
            return Ok(NONE);
        }
        let hash = (self.hash >> 32) as u32;
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let (other, state) = self.slots[at];
            if state == NONE {
                break;
            }
            if other == hash && self.get(state as usize) == self.key {
                return Ok(state);
            }
            at = (at + 1) & mask;
        }
        allowance.states += 1;
        if budget.max_nodes.is_some_and(|most| allowance.states > most) {
            return Err(Stop::Nodes);
        }
        let state = u32::try_from(self.count).map_err(|_| Stop::Nodes)?;
        allowance.push(&mut self.keys, &self.key, budget)?;
        self.slots[at] = (hash, state);
        self.count += 1;
        if self.count * 4 > self.slots.len() * 3 {
            self.rehash(budget, allowance)?;
        }
        Ok(state)
    }

    fn rehash(&mut self, budget: &Budget, allowance: &mut Allowance) -> Result<(), Stop> {
        let more = self.slots.len() * 2;
        allowance.check(more * size_of::<(u32, u32)>(), budget)?;
        let mut slots = vec![(0, NONE); more];
        for &(hash, state) in self.slots.iter().filter(|slot| slot.1 != NONE) {
            let mut at = hash as usize & (more - 1);
            while slots[at].1 != NONE {
                at = (at + 1) & (more - 1);
            }
            slots[at] = (hash, state);
        }
        allowance.held += (more - self.slots.len()) * size_of::<(u32, u32)>();
        self.slots = slots;
        Ok(())
    }
}

/// What the construction holds beside the diagram.
#[derive(Debug)]
struct Allowance {
    before: usize,
    held: usize,
    states: u64,
}

impl Allowance {
    fn check(&self, more: usize, budget: &Budget) -> Result<(), Stop> {
        budget.check_bytes(self.before + self.held + more)
    }

    #[inline]
    fn push<T: Copy>(
        &mut self,
        list: &mut Vec<T>,
        items: &[T],
        budget: &Budget,
    ) -> Result<(), Stop> {
        let capacity = list.capacity();
        if list.len() + items.len() > capacity {
            // The list itself is part of what is held, so that `grow` may subtract it.
            grow(list, items.len(), self.before + self.held, budget)?;
            self.held += (list.capacity() - capacity) * size_of::<T>();
        }
        list.extend_from_slice(items);
        Ok(())
    }
}
