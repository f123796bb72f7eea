//! Sets from descriptions: boxes, and machines that read a vector from left to right.
//!
//! # Machines
//!
//! A predicate over several components, such as a Boolean combination of conditions on single ones, is represented
//! by its *residuals*: the predicates that remain once the first components are known. A [`Machine`] numbers
//! residuals and gives, for a layer and a residual, the intervals into which the range splits and the next residual
//! on each. The diagram is built in one pass within a given set, keyed on residual and node of that set, instead of
//! with one operation per connective. This makes fewer intermediate nodes, and
//! none outside the set. The machine is called once per layer and residual.
//!
//! Two residuals may be equivalent; the diagram is canonical nevertheless. Fewer residuals make it
//! faster.

use otus_core::budget::Stop;
use rustc_hash::FxHashMap;

use super::diagram::{Diagram, Set};
use super::memo::{Memo, Op};
use super::store::{EMPTY, FULL, Id};

/// A predicate on vectors as a machine that reads them component by component.
pub(crate) trait Machine {
    /// For the component of `layer`, in `state`: the intervals of its range in ascending order, each as its
    /// upper end, inclusive, and the state after it. Values above the last one are rejected; an
    /// upper end that is not above the one before is ignored. `intervals` is empty at first.
    fn split(&mut self, layer: usize, state: u32, intervals: &mut Vec<(u32, u32)>);
}

/// The state in which nothing more is accepted.
pub(crate) const REJECT: u32 = 0;
/// The state in which everything is accepted. A vector that ends in any other state is rejected.
pub(crate) const ACCEPT: u32 = 1;

impl Diagram {
    /// The vectors whose component `i` is in `ranges[i]`, both ends included; components beyond the
    /// list are free. Ranges may exceed the bounds; an inverted range makes the box empty.
    pub(crate) fn cuboid(&mut self, ranges: &[(u32, u32)]) -> Result<Set, Stop> {
        let bounds = self.bounds.iter();
        if ranges.iter().zip(bounds).any(|(&(low, high), &bound)| low > high || low > bound) {
            return Ok(Set::EMPTY);
        }
        self.operate(|diagram| {
            let mut node = FULL;
            for (layer, &(low, high)) in ranges.iter().enumerate().take(diagram.bounds.len()).rev()
            {
                if let Some(gap) = low.checked_sub(1) {
                    diagram.append(0, gap, EMPTY);
                }
                let high = high.min(diagram.bounds[layer]);
                diagram.append(0, high, node);
                node = diagram.finish(layer, 0)?;
                diagram.store.note_lattice(node);
            }
            Ok(Set(node))
        })
    }

    /// The vectors of `within` that the machine accepts from `state` on.
    pub(crate) fn build(
        &mut self,
        machine: &mut impl Machine,
        state: u32,
        within: Set,
    ) -> Result<Set, Stop> {
        let mut job =
            Job { splits: Splits::new(machine), memo: Memo::new(), full: FxHashMap::default() };
        self.operate(|diagram| diagram.run(&mut job, 0, state, within.0)).map(Set)
    }

    fn run<M: Machine>(
        &mut self,
        job: &mut Job<'_, M>,
        layer: usize,
        state: u32,
        within: Id,
    ) -> Result<Id, Stop> {
        if within == EMPTY || state == REJECT {
            return Ok(EMPTY);
        }
        if state == ACCEPT {
            return Ok(within);
        }
        if layer == self.bounds.len() {
            return Ok(EMPTY);
        }
        let known = match within {
            FULL => job.full.get(&(layer, state)).copied(),
            _ => job.memo.find(within, state, Op::Build),
        };
        if let Some(known) = known {
            return Ok(known);
        }
        let (mut i, i_end) = job.splits.span(layer, state);
        let (mut j, j_end) = self.store.span(within, layer);
        let base = self.scratch.len();
        while i < i_end && j < j_end {
            let (mine, bound) = (job.splits.intervals[i], self.store.edge(j));
            if bound.child == EMPTY {
                self.append(base, bound.high, EMPTY);
                j += 1;
                i += job.splits.intervals[i..i_end]
                    .partition_point(|interval| interval.0 <= bound.high);
            } else if mine.1 == REJECT {
                self.append(base, mine.0, EMPTY);
                i += 1;
                j = self.store.seek(j, j_end, mine.0.saturating_add(1));
            } else {
                let high = mine.0.min(bound.high);
                let child = self.run(job, layer + 1, mine.1, bound.child)?;
                self.append(base, high, child);
                i += usize::from(mine.0 == high);
                j += usize::from(bound.high == high);
            }
        }
        let result = self.finish(layer, base)?;
        if within == FULL {
            job.full.insert((layer, state), result);
            return Ok(result);
        }
        if job.memo.is_crowded() {
            job.memo.grow(&self.budget, self.bytes());
        }
        job.memo.keep(within, state, Op::Build, result);
        Ok(result)
    }
}

/// A run of a machine within a set.
struct Job<'m, M> {
    splits: Splits<'m, M>,
    /// Results within nodes, and within the terminal, which is the same on all layers.
    memo: Memo,
    full: FxHashMap<(usize, u32), Id>,
}

/// The intervals of a machine, computed once per layer and state.
pub(super) struct Splits<'m, M> {
    machine: &'m mut M,
    /// The place of the intervals of a layer and state.
    spans: FxHashMap<(usize, u32), (usize, usize)>,
    intervals: Vec<(u32, u32)>,
}

impl<'m, M: Machine> Splits<'m, M> {
    pub(super) fn new(machine: &'m mut M) -> Self {
        Splits { machine, spans: FxHashMap::default(), intervals: Vec::new() }
    }

    /// The intervals of a [`span`](Self::span).
    #[inline]
    pub(super) fn intervals(&self, span: (usize, usize)) -> &[(u32, u32)] {
        &self.intervals[span.0..span.1]
    }

    /// The place of the intervals of a layer and state.
    pub(super) fn span(&mut self, layer: usize, state: u32) -> (usize, usize) {
        if let Some(&span) = self.spans.get(&(layer, state)) {
            return span;
        }
        let mut given = Vec::new();
        self.machine.split(layer, state, &mut given);
        let start = self.intervals.len();
        for (high, next) in given {
            match self.intervals[start..].last_mut() {
                Some(last) if high <= last.0 => {}
                Some(last) if next == last.1 => last.0 = high,
                Some(_) | None => self.intervals.push((high, next)),
            }
        }
        let span = (start, self.intervals.len());
        self.spans.insert((layer, state), span);
        span
    }
}
