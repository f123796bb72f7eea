//! Sets from descriptions: boxes, lists of points, and machines that read a vector from left to right.
//!
//! The diagram of a [`Machine`] is built within a given set, keyed on residual and node of that set. This makes fewer
//! intermediate nodes than one operation per connective, and none outside the set.
//!
//! Two residuals may be equivalent; the diagram is canonical nevertheless. Fewer residuals make it
//! faster.

use otus_core::budget::Stop;
use rustc_hash::FxHashMap;

use super::diagram::{Diagram, Set};
use super::machine::{ACCEPT, Machine, REJECT, Reading, Splits};
use super::memo::{Memo, Op};
use super::store::{EMPTY, FULL, Id};

impl Diagram {
    /// The vectors whose component `i` is in `ranges[i]`, both ends included; components beyond the
    /// list are free. Ranges may exceed the bounds; an inverted range makes the box empty.
    ///
    /// # Errors
    ///
    /// The limit of the budget that was met.
    pub fn cuboid(&mut self, ranges: &[(u32, u32)]) -> Result<Set, Stop> {
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

    /// The vectors whose component `dimension` is in one of the ranges, which are ascending and do not
    /// overlap. None along a dimension that does not exist.
    ///
    /// # Errors
    ///
    /// The limit of the budget that was met.
    pub fn slab(&mut self, dimension: usize, ranges: &[(u32, u32)]) -> Result<Set, Stop> {
        let Some(&bound) = self.bounds.get(dimension) else { return Ok(Set::EMPTY) };
        self.operate(|diagram| {
            let mut next = 0;
            for &(low, high) in ranges {
                let (low, high) = (low.max(next), high.min(bound));
                if low > high {
                    continue;
                }
                if low > next {
                    diagram.append(0, low - 1, EMPTY);
                }
                diagram.append(0, high, FULL);
                next = high + 1;
            }
            let mut node = diagram.finish(dimension, 0)?;
            for layer in (0..dimension).rev() {
                diagram.append(0, diagram.bounds[layer], node);
                node = diagram.finish(layer, 0)?;
            }
            Ok(Set(node))
        })
    }

    /// The set of these vectors; those of the wrong length or out of range are left out. Fastest if they
    /// are in lexicographic order.
    ///
    /// # Errors
    ///
    /// The limit of the budget that was met.
    pub fn from_points<P: AsRef<[u32]>>(&mut self, points: &[P]) -> Result<Set, Stop> {
        let dimensions = self.bounds.len();
        let fits = |point: &&[u32]| {
            point.len() == dimensions && point.iter().zip(&self.bounds).all(|(x, bound)| x <= bound)
        };
        let mut points: Vec<&[u32]> = points.iter().map(AsRef::as_ref).filter(fits).collect();
        if !points.is_sorted() {
            points.sort_unstable();
        }
        self.operate(|diagram| diagram.gather(&points, 0)).map(Set)
    }

    /// The vectors of `within` that the machine accepts from `state` on.
    ///
    /// # Errors
    ///
    /// The limit of the budget that was met.
    pub fn build(
        &mut self,
        machine: &mut impl Machine,
        state: u32,
        within: Set,
    ) -> Result<Set, Stop> {
        let mut job = Job::new(machine);
        let result = self.operate(|diagram| diagram.run(&mut job, 0, state, within.0));
        self.count_memo(&job);
        result.map(Set)
    }

    /// Adds the memo lookups of a job to the counters.
    pub(super) fn count_memo<M>(&mut self, job: &Job<'_, M>) {
        self.memo.lookups += job.memo.lookups;
        self.memo.hits += job.memo.hits;
    }

    fn gather(&mut self, points: &[&[u32]], layer: usize) -> Result<Id, Stop> {
        if points.is_empty() {
            return Ok(EMPTY);
        }
        if layer == self.bounds.len() {
            return Ok(FULL);
        }
        let base = self.scratch.len();
        let mut next = 0;
        for group in points.chunk_by(|a, b| a[layer] == b[layer]) {
            let value = group[0][layer];
            let child = self.gather(group, layer + 1)?;
            if value > next {
                self.append(base, value - 1, EMPTY);
            }
            self.append(base, value, child);
            next = value + 1;
        }
        self.finish(layer, base)
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
        if let Some(known) = job.known(layer, state, within) {
            return Ok(known);
        }
        let mut reading = Reading::new(layer, state);
        let (mut j, j_end) = self.store.span(within, layer);
        let base = self.scratch.len();
        let mut low = 0;
        while j < j_end {
            let bound = self.store.edge(j);
            if bound.child == EMPTY {
                self.append(base, bound.high, EMPTY);
                j += 1;
                low = bound.high.saturating_add(1);
                continue;
            }
            let (end, next) =
                job.splits.read(&mut reading, low, &self.budget, || self.bytes())?;
            let end = end.min(self.bounds[layer]);
            if next == REJECT {
                self.append(base, end, EMPTY);
                low = end.saturating_add(1);
                j = self.store.seek(j, j_end, low);
            } else {
                let high = end.min(bound.high);
                let child = self.run(job, layer + 1, next, bound.child)?;
                self.append(base, high, child);
                low = high.saturating_add(1);
                j += usize::from(bound.high == high);
            }
        }
        let result = self.finish(layer, base)?;
        job.keep(layer, state, within, result, self);
        Ok(result)
    }
}

/// A run of a machine within a set.
pub(super) struct Job<'m, M> {
    pub(super) splits: Splits<'m, M>,
    /// Results within nodes, and within the terminal, which is the same on all layers.
    memo: Memo,
    full: FxHashMap<(usize, u32), Id>,
}

impl<'m, M: Machine> Job<'m, M> {
    pub(super) fn new(machine: &'m mut M) -> Self {
        Job { splits: Splits::new(machine), memo: Memo::new(), full: FxHashMap::default() }
    }

    /// The memoized result for a state within a set.
    #[inline]
    pub(super) fn known(&mut self, layer: usize, state: u32, within: Id) -> Option<Id> {
        if within == FULL {
            return self.full.get(&(layer, state)).copied();
        }
        self.memo.find(within, state, Op::Build)
    }

    /// Stores a result.
    #[inline]
    pub(super) fn keep(
        &mut self,
        layer: usize,
        state: u32,
        within: Id,
        result: Id,
        diagram: &Diagram,
    ) {
        if within == FULL {
            self.full.insert((layer, state), result);
            return;
        }
        if self.memo.is_crowded() {
            self.memo.grow(&diagram.budget, diagram.bytes());
        }
        self.memo.keep(within, state, Op::Build, result);
    }
}
