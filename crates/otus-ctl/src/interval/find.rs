//! The lexicographically first member of a set, without building the set.
//!
//! To find one vector that satisfies a predicate, the diagram of all of them is not needed. The
//! search is depth-first, component by component, with the same keys as the construction. It stores the keys
//! below which there is no member, and ends at the first member.

use otus_core::budget::Stop;

use super::boxes::{Allowance, BoxTable};
use super::build::Job;
use super::clocks::Clocks;
use super::diagram::{Diagram, Set};
use super::machine::{ACCEPT, Machine, REJECT, Reading, Splits};
use super::store::{EMPTY, Id};
use super::sweep::Sweep;

impl Diagram {
    /// The first vector that is in both sets.
    ///
    /// # Errors
    ///
    /// The time limit was met, or the operation was cancelled.
    pub fn find_common(&mut self, a: Set, b: Set) -> Result<Option<Vec<u32>>, Stop> {
        self.operate(|diagram| {
            if !diagram.meets(a.0, b.0)? {
                return Ok(None);
            }
            let (mut a, mut b) = (a.0, b.0);
            let mut point = Vec::with_capacity(diagram.bounds.len());
            for layer in 0..diagram.bounds.len() {
                let (mut i, i_end) = diagram.store.span(a, layer);
                let (mut j, j_end) = diagram.store.span(b, layer);
                let mut low = 0;
                while i < i_end && j < j_end {
                    let (left, right) = (diagram.store.edge(i), diagram.store.edge(j));
                    if diagram.meets(left.child, right.child)? {
                        point.push(low);
                        (a, b) = (left.child, right.child);
                        break;
                    }
                    let high = left.high.min(right.high);
                    low = high + 1;
                    i += usize::from(left.high == high);
                    j += usize::from(right.high == high);
                }
            }
            Ok(Some(point))
        })
    }

    /// The first vector of `within` that the machine accepts from `state` on.
    ///
    /// # Errors
    ///
    /// The time limit was met, or the operation was cancelled.
    pub fn find(
        &mut self,
        machine: &mut impl Machine,
        state: u32,
        within: Set,
    ) -> Result<Option<Vec<u32>>, Stop> {
        let mut job = Job::new(machine);
        let mut point = Vec::with_capacity(self.bounds.len());
        let found = self.operate(|diagram| diagram.hunt(&mut job, &mut point, state, within.0));
        self.count_memo(&job);
        Ok(found?.then_some(point))
    }

    /// The first vector that the clocks allow and the machine accepts from `state` on.
    ///
    /// # Errors
    ///
    /// The limit of the budget that was met; keys without a member count as nodes.
    pub fn lattice_find(
        &mut self,
        clocks: &impl Clocks,
        machine: &mut impl Machine,
        state: u32,
    ) -> Result<Option<Vec<u32>>, Stop> {
        let dimensions = self.bounds.len();
        if state == REJECT || (dimensions == 0 && state != ACCEPT) {
            return Ok(None);
        }
        self.budget.check_time()?;
        let mut splits = Splits::new(machine);
        let mut allowance = Allowance::new(self.bytes());
        let mut layers = vec![BoxTable::root(&self.bounds, state, &self.budget, &mut allowance)?];
        layers.extend((0..dimensions).rev().map(|width| BoxTable::new(width, &mut allowance)));
        let mut sweeps: Vec<Sweep> =
            (0..dimensions).map(|layer| Sweep::new(layer, dimensions - layer)).collect();
        let (mut layer, mut key) = (0, 0);
        // Down if the key is new, else to the next interval, else up.
        while layer < dimensions {
            let (above, below) = layers.split_at_mut(layer + 1);
            let place = above[layer].get(key);
            sweeps[layer].start(
                place,
                &mut below[0],
                clocks,
                &mut splits,
                &self.budget,
                &mut allowance,
            )?;
            loop {
                let next = &mut layers[layer + 1];
                self.count_down(1)?;
                if sweeps[layer].is_open() {
                    let (found, is_new) = next.intern(&self.budget, &mut allowance)?;
                    if is_new {
                        (layer, key) = (layer + 1, found as usize);
                        break;
                    }
                }
                while !sweeps[layer].advance(
                    &mut layers[layer + 1],
                    clocks,
                    &mut splits,
                    &self.budget,
                    &mut allowance,
                )? {
                    if layer == 0 {
                        return Ok(None);
                    }
                    layer -= 1;
                }
            }
        }
        Ok(Some(sweeps.iter().map(Sweep::value).collect()))
    }

    /// Whether the machine accepts a vector of `within`, the first of which is then put after `point`.
    fn hunt<M: Machine>(
        &mut self,
        job: &mut Job<'_, M>,
        point: &mut Vec<u32>,
        state: u32,
        within: Id,
    ) -> Result<bool, Stop> {
        let layer = point.len();
        if within == EMPTY || state == REJECT {
            return Ok(false);
        }
        if state == ACCEPT {
            self.complete(point, within);
            return Ok(true);
        }
        if layer == self.bounds.len() || job.known(layer, state, within).is_some() {
            return Ok(false);
        }
        let mut reading = Reading::new(layer, state);
        let (mut j, j_end) = self.store.span(within, layer);
        let mut low = 0;
        while j < j_end {
            let bound = self.store.edge(j);
            let (end, next) =
                job.splits.read(&mut reading, low, &self.budget, || self.bytes())?;
            point.push(low);
            if self.hunt(job, point, next, bound.child)? {
                return Ok(true);
            }
            point.pop();
            let high = end.min(bound.high);
            low = high.saturating_add(1);
            j += usize::from(bound.high == high);
            self.count_down(1)?;
        }
        // There is no member below this key.
        job.keep(layer, state, within, EMPTY, self);
        Ok(false)
    }
}
