//! The lexicographically first vector of a lattice that a machine accepts, without building a set.
//!
//! To find one vector that satisfies a predicate, the diagram of all of them is not needed. The
//! search is depth-first, component by component, with the same keys as the construction. It stores the keys
//! below which there is no member, and ends at the first member.

use otus_core::budget::Stop;

use super::boxes::{Allowance, BoxTable};
use super::clocks::Clocks;
use super::diagram::Diagram;
use super::machine::{ACCEPT, Machine, REJECT, Splits};
use super::sweep::Sweep;

impl Diagram {
    /// The first vector that the clocks allow and the machine accepts from `state` on.
    ///
    /// Keys without a member count as nodes of the budget.
    pub(crate) fn lattice_find(
        &mut self,
        clocks: &impl Clocks,
        machine: &mut impl Machine,
        state: u32,
    ) -> Result<Option<Vec<u32>>, Stop> {
        let dimensions = self.bounds.len();
        if state == REJECT || (dimensions == 0 && state != ACCEPT) {
            return Ok(None);
        }
        self.pace.check()?;
        let mut splits = Splits::new(machine);
        let mut allowance = Allowance::new(self.bytes());
        let mut layers =
            vec![BoxTable::root(&self.bounds, state, &self.pace.budget, &mut allowance)?];
        layers.extend((0..dimensions).rev().map(|width| BoxTable::new(width, &mut allowance)));
        let mut sweeps: Vec<Sweep> =
            (0..dimensions).map(|layer| Sweep::new(layer, dimensions - layer)).collect();
        let (mut layer, mut key) = (0, 0);
        // Goes down if the key is new, otherwise to the next interval, and up if there is none.
        while layer < dimensions {
            let (above, below) = layers.split_at_mut(layer + 1);
            let place = above[layer].get(key);
            sweeps[layer].start(
                place,
                &mut below[0],
                clocks,
                &mut splits,
                &self.pace.budget,
                &mut allowance,
            )?;
            loop {
                let next = &mut layers[layer + 1];
                self.pace.step(dimensions - layer)?;
                if sweeps[layer].is_open() {
                    let (found, is_new) = next.intern(&self.pace.budget, &mut allowance)?;
                    if is_new {
                        (layer, key) = (layer + 1, found as usize);
                        break;
                    }
                }
                while !sweeps[layer].advance(
                    &mut layers[layer + 1],
                    clocks,
                    &mut splits,
                    &self.pace.budget,
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
}
