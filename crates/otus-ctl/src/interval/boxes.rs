//! Interned boxes of bounds with a state: the keys of [`lattice`](super::lattice) and [`find`](super::find).
//!
//! Interning sixteen boxes at a time, so that table lookups overlap as those of nodes do, was tried and
//! dropped, because it gained only a few per cent.

use otus_core::budget::{Budget, Stop};

use super::store::grow;

/// The boxes of one layer. A box has `width` lower ends, as many upper ends, and a state.
#[derive(Debug)]
pub(super) struct BoxTable {
    width: usize,
    count: usize,
    keys: Vec<u32>,
    /// The hash table: the hash and the number of each box. Its length is a power of two.
    slots: Vec<(u32, u32)>,
    /// The box under construction.
    key: Vec<u32>,
    /// The hash of the box under construction: a sum over its parts, updated with each of them.
    hash: u64,
}

/// The empty box.
pub(super) const NONE: u32 = u32::MAX;

impl BoxTable {
    /// A table without boxes.
    pub(super) fn new(width: usize, allowance: &mut Allowance) -> Self {
        let key = vec![0; 2 * width + 1];
        let slots = vec![(0, NONE); 64];
        let boxes = BoxTable { width, count: 0, keys: Vec::new(), slots, key, hash: 0 };
        allowance.held += boxes.bytes();
        boxes
    }

    /// A table with the box of all vectors and a state.
    pub(super) fn root(
        bounds: &[u32],
        state: u32,
        budget: &Budget,
        allowance: &mut Allowance,
    ) -> Result<Self, Stop> {
        let width = bounds.len();
        let mut boxes = BoxTable::new(width, allowance);
        boxes.clear(state);
        for (at, &bound) in bounds.iter().enumerate() {
            boxes.put(at, 0);
            boxes.put(width + at, bound);
        }
        boxes.intern(budget, allowance)?;
        Ok(boxes)
    }

    /// The number of remaining components.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The number of boxes.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// A box: its lower ends, its upper ends, its state.
    #[inline]
    pub(super) fn get(&self, at: usize) -> &[u32] {
        let length = 2 * self.width + 1;
        &self.keys[at * length..][..length]
    }

    pub(super) fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<u32>() + self.slots.capacity() * size_of::<(u32, u32)>()
    }

    /// Begins a box with this state, all of whose parts are then [`put`](Self::put).
    #[inline]
    pub(super) fn clear(&mut self, state: u32) {
        self.key[2 * self.width] = state;
        self.hash = part(2 * self.width, state);
    }

    /// Sets a part of a new box: a lower end, or after these an upper end.
    #[inline]
    pub(super) fn put(&mut self, at: usize, value: u32) {
        self.key[at] = value;
        self.hash = self.hash.wrapping_add(part(at, value));
    }

    /// Changes a part of the box under construction.
    #[inline]
    pub(super) fn set(&mut self, at: usize, value: u32) {
        let before = std::mem::replace(&mut self.key[at], value);
        self.hash = self.hash.wrapping_sub(part(at, before)).wrapping_add(part(at, value));
    }

    /// Changes the state of the box under construction.
    #[inline]
    pub(super) fn set_state(&mut self, state: u32) {
        self.set(2 * self.width, state);
    }

    /// A part of the box under construction.
    #[inline]
    pub(super) fn part(&self, at: usize) -> u32 {
        self.key[at]
    }

    /// Interns the box under construction: its number, [`NONE`] if it is empty, and whether it is new.
    pub(super) fn intern(
        &mut self,
        budget: &Budget,
        allowance: &mut Allowance,
    ) -> Result<(u32, bool), Stop> {
        let (low, high) = self.key[..2 * self.width].split_at(self.width);
        if low.iter().zip(high).any(|(low, high)| low > high) {
            return Ok((NONE, false));
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
                return Ok((state, false));
            }
            at = (at + 1) & mask;
        }
        allowance.states += 1;
        if budget.max_states.is_some_and(|most| allowance.states > most) {
            return Err(Stop::States);
        }
        let state = u32::try_from(self.count).map_err(|_| Stop::States)?;
        allowance.push(&mut self.keys, &self.key, budget)?;
        self.slots[at] = (hash, state);
        self.count += 1;
        if self.count * 4 > self.slots.len() * 3 {
            self.rehash(budget, allowance)?;
        }
        Ok((state, true))
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

/// The contribution of one component to the hash of a box.
#[inline]
fn part(at: usize, value: u32) -> u64 {
    let word = (at as u64 + 1) << 32 | u64::from(value);
    let mixed = word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// The memory that a construction uses in addition to the diagram.
#[derive(Debug)]
pub(super) struct Allowance {
    before: usize,
    pub(super) held: usize,
    /// The memory of the machine and its intervals.
    pub(super) machine: usize,
    states: u64,
}

impl Allowance {
    pub(super) fn new(before: usize) -> Self {
        Allowance { before, held: 0, machine: 0, states: 0 }
    }

    /// The memory in use, without that of the machine.
    pub(super) fn total(&self) -> usize {
        self.before + self.held
    }

    fn check(&self, more: usize, budget: &Budget) -> Result<(), Stop> {
        budget.check_bytes(self.total() + self.machine + more)
    }

    #[inline]
    pub(super) fn push<T: Copy>(
        &mut self,
        list: &mut Vec<T>,
        items: &[T],
        budget: &Budget,
    ) -> Result<(), Stop> {
        let capacity = list.capacity();
        if list.len() + items.len() > capacity {
            // `held` includes the list itself, so that `grow` may subtract it.
            grow(list, items.len(), self.total() + self.machine, budget)?;
            self.held += (list.capacity() - capacity) * size_of::<T>();
        }
        list.extend_from_slice(items);
        Ok(())
    }
}
