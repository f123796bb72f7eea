//! Predicates on vectors as machines that read them from left to right.
//!
//! A predicate over several components, such as a Boolean combination of conditions on single ones, is represented
//! by its *residuals*: the predicates that remain once the first components are known. A [`Machine`] numbers
//! residuals and gives, for a layer and a residual, the intervals into which the range splits and the next residual
//! on each. Diagrams are built from it in one pass, instead of with one operation per connective.
//!
//! # Blocks
//!
//! A layer may have a million values, and there may be as many residuals, while each residual is met only within a
//! small box: computing the intervals of whole layers would then cost quadratic time. So a machine divides each layer
//! into *blocks* of a few intervals, and a block is computed when a value of it is read for the first time. The cost is
//! at most the size of a block per reading, and a block that is read often is computed once.

use otus_core::budget::{Budget, Stop};
use rustc_hash::FxHashMap;

/// A predicate on vectors as a machine that reads them component by component.
pub(crate) trait Machine {
    /// The block of a value of a layer. Blocks are numbered in ascending order of their values.
    fn block(&self, _layer: usize, _value: u32) -> u32 {
        0
    }

    /// For the component of `layer`, in `state`: the intervals that meet a block, in ascending order, each as its
    /// upper end, inclusive, and the state after it. The first one has the least value of the block; the last one
    /// may end beyond the block. Values of the block above the last upper end are rejected; an upper end that is not above the one
    /// before is ignored. `intervals` is empty at first.
    ///
    /// A machine that takes long checks time itself, and gives the limit that was met.
    fn split(
        &mut self,
        layer: usize,
        state: u32,
        block: u32,
        intervals: &mut Vec<(u32, u32)>,
    ) -> Result<(), Stop>;

    /// The number of bytes that the machine holds.
    fn bytes(&self) -> usize {
        0
    }
}

/// The state in which nothing more is accepted.
pub(crate) const REJECT: u32 = 0;
/// The state in which everything is accepted. A vector that ends in any other state is rejected.
pub(crate) const ACCEPT: u32 = 1;

/// The intervals of a machine, computed once per layer, state and block.
pub(super) struct Splits<'m, M> {
    machine: &'m mut M,
    /// The range of the intervals of a block, by layer, state and block.
    spans: FxHashMap<(u32, u32, u32), (usize, usize)>,
    intervals: Vec<(u32, u32)>,
    /// The intervals that the machine gives for a block.
    given: Vec<(u32, u32)>,
    /// The number of bytes that the machine held before, which the [diagram](super::Diagram) counts already.
    before: usize,
}

impl<'m, M: Machine> Splits<'m, M> {
    pub(super) fn new(machine: &'m mut M) -> Self {
        Splits {
            before: machine.bytes(),
            machine,
            spans: FxHashMap::default(),
            intervals: Vec::new(),
            given: Vec::new(),
        }
    }

    /// The number of bytes in use, including those that the machine has taken since.
    pub(super) fn bytes(&self) -> usize {
        let span = size_of::<((u32, u32, u32), (usize, usize))>();
        self.spans.capacity() * span
            + self.intervals.capacity() * size_of::<(u32, u32)>()
            + self.machine.bytes().saturating_sub(self.before)
    }

    /// The interval that contains a value: its upper end and the state after it. `held` is the number of bytes in use
    /// elsewhere.
    #[inline]
    pub(super) fn read(
        &mut self,
        reading: &mut Reading,
        value: u32,
        budget: &Budget,
        held: impl FnOnce() -> usize,
    ) -> Result<(u32, u32), Stop> {
        let rest = &self.intervals[reading.at..reading.end];
        // The value is usually in the next interval.
        let skip = match rest {
            [first, ..] if first.0 >= value => 0,
            [_, second, ..] if second.0 >= value => 1,
            _ => rest.partition_point(|interval| interval.0 < value),
        };
        if let Some(&found) = rest.get(skip) {
            reading.at += skip;
            return Ok(found);
        }
        (reading.at, reading.end) = self.span(reading.layer, reading.state, value, budget, held)?;
        let own = &self.intervals[reading.at..reading.end];
        reading.at += own.partition_point(|interval| interval.0 < value);
        let found = self.intervals[..reading.end].get(reading.at);
        Ok(found.copied().unwrap_or((u32::MAX, REJECT)))
    }

    /// The range of the intervals of the block that contains a value.
    fn span(
        &mut self,
        layer: u32,
        state: u32,
        value: u32,
        budget: &Budget,
        held: impl FnOnce() -> usize,
    ) -> Result<(usize, usize), Stop> {
        let block = self.machine.block(layer as usize, value);
        if let Some(&span) = self.spans.get(&(layer, state, block)) {
            return Ok(span);
        }
        self.given.clear();
        self.machine.split(layer as usize, state, block, &mut self.given)?;
        let start = self.intervals.len();
        for &(high, next) in &self.given {
            match self.intervals[start..].last_mut() {
                Some(last) if high <= last.0 => {}
                Some(last) if next == last.1 => last.0 = high,
                Some(_) | None => self.intervals.push((high, next)),
            }
        }
        let span = (start, self.intervals.len());
        self.spans.insert((layer, state, block), span);
        budget.check_bytes(held() + self.bytes())?;
        Ok(span)
    }
}

/// A position among the intervals of a layer and state. It only moves up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    layer: u32,
    state: u32,
    /// The range of the intervals of the current block that are still to be read.
    at: usize,
    end: usize,
}

impl Reading {
    /// A reading that has not begun.
    pub(super) fn new(layer: usize, state: u32) -> Self {
        Reading { layer: crate::number(layer), state, at: 0, end: 0 }
    }
}
