//! A sweep along the first component of a box: the intervals, and the next box and state of each.
//!
//! See [`lattice`](super::lattice) for the values at which the next box changes.

use otus_core::budget::{Budget, Stop};

use super::boxes::{Allowance, BoxTable};
use super::clocks::Clocks;
use super::machine::{ACCEPT, Machine, REJECT, Reading, Splits};

/// The current interval of a sweep.
#[derive(Debug)]
pub(super) struct Sweep {
    layer: usize,
    /// The first and the last value of the interval, and the last value of the box.
    value: u32,
    high: u32,
    last: u32,
    /// The state after this interval, the last value with this state, and the position among the intervals of the
    /// machine.
    state: u32,
    holds: u32,
    reading: Reading,
    /// For each part of the next box: the value at which it changes.
    changes: Vec<u32>,
    /// The upper ends of the box for the remaining components.
    bounds: Vec<u32>,
}

impl Sweep {
    /// A sweep over boxes of `layer`, which have `width` components.
    pub(super) fn new(layer: usize, width: usize) -> Self {
        Sweep {
            layer,
            value: 0,
            high: 0,
            last: 0,
            state: REJECT,
            holds: 0,
            reading: Reading::new(layer, REJECT),
            changes: vec![0; 2 * (width - 1)],
            bounds: vec![0; width - 1],
        }
    }

    /// Starts with the first interval of a box; the box it leads to is put into `next`.
    pub(super) fn start<M: Machine>(
        &mut self,
        key: &[u32],
        next: &mut BoxTable,
        clocks: &impl Clocks,
        splits: &mut Splits<'_, M>,
        budget: &Budget,
        allowance: &mut Allowance,
    ) -> Result<(), Stop> {
        let width = self.bounds.len();
        let low = &key[1..=width];
        self.bounds.copy_from_slice(&key[width + 2..2 * width + 2]);
        (self.value, self.last) = (key[0], key[width + 1]);
        self.state = key[2 * width + 2];
        self.holds = u32::MAX;
        // An accepting state stays accepting; any other state is split into intervals.
        if self.state != ACCEPT {
            self.reading = Reading::new(self.layer, self.state);
            self.read(splits, budget, allowance)?;
        }
        next.clear(self.state);
        for (at, (&low, &high)) in low.iter().zip(&self.bounds).enumerate() {
            let other = self.layer + 1 + at;
            let least = low.max(clocks.lower(self.layer, self.value, other));
            let greatest = high.min(clocks.upper(self.layer, self.value, other));
            next.put(at, least);
            next.put(width + at, greatest);
            self.changes[at] = clocks.upper(other, least, self.layer).saturating_add(1);
            self.changes[width + at] = rise(clocks, self.layer, other, greatest, high);
        }
        self.look_ahead();
        Ok(())
    }

    /// The first value of the interval.
    pub(super) fn value(&self) -> u32 {
        self.value
    }

    /// The last value of the interval.
    pub(super) fn high(&self) -> u32 {
        self.high
    }

    /// Whether the machine may accept an extension of the vector; after the last component, whether
    /// it accepts the vector.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.state == ACCEPT || (self.state != REJECT && !self.bounds.is_empty())
    }

    /// Moves to the next interval, if there is one.
    #[inline]
    pub(super) fn advance<M: Machine>(
        &mut self,
        next: &mut BoxTable,
        clocks: &impl Clocks,
        splits: &mut Splits<'_, M>,
        budget: &Budget,
        allowance: &mut Allowance,
    ) -> Result<bool, Stop> {
        if self.high == self.last {
            return Ok(false);
        }
        self.value = self.high + 1;
        if self.value > self.holds {
            self.read(splits, budget, allowance)?;
            next.set_state(self.state);
        }
        let (value, layer, width) = (self.value, self.layer, self.bounds.len());
        for (at, change) in self.changes.iter_mut().enumerate() {
            if *change > value {
                continue;
            }
            if at < width {
                let other = layer + 1 + at;
                let least = clocks.lower(layer, value, other).max(next.part(at));
                *change = clocks.upper(other, least, layer).saturating_add(1);
                next.set(at, least);
            } else {
                let bound = self.bounds[at - width];
                let other = layer + 1 + at - width;
                let greatest = clocks.upper(layer, value, other).min(bound);
                *change = rise(clocks, layer, other, greatest, bound);
                next.set(at, greatest);
            }
        }
        self.look_ahead();
        Ok(true)
    }

    /// Finds the last value before the next box or the state changes.
    #[inline]
    fn look_ahead(&mut self) {
        let mut next = self.holds.saturating_add(1);
        // In a rejecting state the box does not matter.
        if self.state != REJECT {
            next = self.changes.iter().fold(next, |least, &change| least.min(change));
        }
        self.high = (next.max(self.value + 1) - 1).min(self.last);
    }

    /// Reads the state of the machine at the value.
    fn read<M: Machine>(
        &mut self,
        splits: &mut Splits<'_, M>,
        budget: &Budget,
        allowance: &mut Allowance,
    ) -> Result<(), Stop> {
        (self.holds, self.state) =
            splits.read(&mut self.reading, self.value, budget, || allowance.total())?;
        allowance.machine = splits.bytes();
        Ok(())
    }
}

/// The least value at which `U_layer,other` exceeds `greatest`, if `greatest` is below the upper end of the box.
#[inline]
fn rise(clocks: &impl Clocks, layer: usize, other: usize, greatest: u32, bound: u32) -> u32 {
    if greatest >= bound { u32::MAX } else { clocks.lower(other, greatest + 1, layer) }
}
