//! Sets from descriptions: boxes, and machines that read a vector from left to right.
//!
//! The diagram of a [`Machine`] is built within a given set, keyed on residual and node of that set. This makes fewer
//! intermediate nodes than one operation per connective, and none outside the set.
//!
//! Two residuals of a machine may be equivalent. The diagram is canonical nevertheless, but the construction is
//! faster if the machine has fewer residuals.

use otus_core::budget::Stop;
use rustc_hash::FxHashMap;

use super::diagram::{Diagram, Set};
use super::machine::{ACCEPT, Machine, REJECT, Reading, Splits};
use super::memo::{Memo, Op};
use super::store::{EMPTY, FULL, Id};

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
        let mut reading = Reading::new(layer, state);
        let (mut j, j_end) = self.store.span(within, layer);
        let base = self.scratch.len();
        let mut low = 0;
        while j < j_end {
            let bound = self.store.edge(j);
            self.pace.step(1)?;
            if bound.child == EMPTY {
                self.append(base, bound.high, EMPTY);
                j += 1;
                low = bound.high.saturating_add(1);
                continue;
            }
            let (end, next) =
                job.splits.read(&mut reading, low, &self.pace.budget, || self.bytes())?;
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
        if within == FULL {
            job.full.insert((layer, state), result);
            return Ok(result);
        }
        if job.memo.is_crowded() {
            job.memo.grow(&self.pace.budget, self.bytes());
        }
        job.memo.keep(within, state, Op::Build, result);
        Ok(result)
    }
}

/// A run of a machine within a set.
struct Job<'m, M> {
    splits: Splits<'m, M>,
    /// The results for nodes. Those for the terminal are the same on all layers.
    memo: Memo,
    full: FxHashMap<(usize, u32), Id>,
}
