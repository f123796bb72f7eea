//! The set of vectors allowed by a family of clocks: the lattice of the cuts of a partial order.
//!
//! # Definition
//!
//! Clocks give, for every two dimensions `i ≠ j`, the least and the greatest value of `j` that a value of `i` allows:
//! `L_ij(x)` and `U_ij(x)`, monotone in `x`, with `L_ij(x) ≤ y ⇔ x ≤ U_ji(y)`. The set is
//!
//! ```text
//!   { (x_1,…,x_k) : L_ij(x_i) ≤ x_j for all i ≠ j }
//! ```
//!
//! For a partial order on events of `k` processes, `L_ij(x)` is the vector clock of event `x` of process `i`
//! at `j`: the number of events of `j` that happened before it. The set is then that of all cuts.
//!
//! # Theorem
//!
//! Given `x_1, …, x_{i-1}`, the set of extensions depends only on the box `lo_j = max_{l<i} L_lj(x_l)`,
//! `hi_j = min_{l<i} U_lj(x_l)` for `j ≥ i`. *Proof.* A constraint between a chosen `l` and a remaining `j`
//! is `L_lj(x_l) ≤ x_j` or `L_jl(x_j) ≤ x_l`, the latter being `x_j ≤ U_lj(x_l)`: together they are the box.
//! The other constraints concern only remaining components. ∎
//!
//! If the clocks are transitive, as vector clocks are (`L_jm(L_ij(x)) ≤ L_im(x)`), different boxes
//! have different extensions: `lo` is itself allowed, being the componentwise maximum of vectors each of which is
//! closed under the constraints; so is `hi`; they are the least and the greatest extension, so the
//! extensions determine the box. The box is a canonical key, there are as many boxes as
//! nodes, and none is empty. If they are not transitive, the result is still correct,
//! but some boxes are empty or equivalent.
//!
//! # Algorithm
//!
//! All boxes of one layer give those of the next. Along a component, the next box
//! changes only where some `L_ij` exceeds the current `lo_j`, which is at `U_ji(lo_j) + 1`, or where some
//! `U_ij` exceeds the current `hi_j`, at `L_ji(hi_j + 1)`: two clock lookups instead of a
//! scan. The hash of a box is a sum over its components, and is updated with them. Then nodes are made from
//! the last layer up. There is no recursion; the boxes of two layers are held at a time, and the
//! intervals of all. Cost: `O(k)` simple steps per interval of the result.
//!
//! Paper 001 starts from all vectors and subtracts the set that each message forbids, so it builds
//! as many intermediate diagrams as there are messages. Recursion from box to box, instead of layer by layer,
//! would hold the boxes of all layers.
//!
//! # With a machine
//!
//! A [`Machine`] may read the vectors during the construction: the key is then a box and a state. Rejected boxes are
//! not expanded, so a selective predicate is cheap even if the lattice is too large to be built.

use otus_core::budget::{Budget, Stop};

use super::boxes::{Allowance, BoxTable, NONE};
use super::clocks::Clocks;
use super::diagram::{Diagram, Set, TOGETHER};
use super::machine::{ACCEPT, Machine, REJECT, Splits};
use super::store::{EMPTY, Edge, FULL, Id};
use super::sweep::Sweep;

impl Diagram {
    /// The set of vectors that the clocks allow.
    pub(crate) fn lattice(&mut self, clocks: &impl Clocks) -> Result<Set, Stop> {
        self.lattice_where(clocks, &mut Anything, ACCEPT)
    }

    /// The set of vectors that the clocks allow and the machine accepts from `state` on: the same as
    /// [`build`](Diagram::build) within [`lattice`](Diagram::lattice), without making the latter.
    pub(crate) fn lattice_where(
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
            let mut allowance = Allowance::new(diagram.bytes());
            let mut boxes =
                BoxTable::root(&diagram.bounds, state, &diagram.pace.budget, &mut allowance)?;
            for layer in 0..dimensions {
                let (made, next) =
                    diagram.expand(layer, &boxes, clocks, &mut splits, &mut allowance)?;
                allowance.held -= boxes.bytes();
                layers.push(made);
                boxes = next;
            }
            let before = diagram.beside;
            diagram.beside += allowance.held + allowance.machine;
            let root = diagram.raise(layers, &boxes, state == ACCEPT);
            diagram.beside = before;
            root
        })
        .map(Set)
    }

    /// Expands the boxes of a layer to their intervals and the boxes of the next one.
    fn expand<M: Machine>(
        &mut self,
        layer: usize,
        boxes: &BoxTable,
        clocks: &impl Clocks,
        splits: &mut Splits<'_, M>,
        allowance: &mut Allowance,
    ) -> Result<(Layer, BoxTable), Stop> {
        let mut next = BoxTable::new(boxes.width() - 1, allowance);
        let mut made = Layer::default();
        let mut sweep = Sweep::new(layer, boxes.width());
        let width = boxes.width();
        for state in 0..boxes.len() {
            sweep.start(
                boxes.get(state),
                &mut next,
                clocks,
                splits,
                &self.pace.budget,
                allowance,
            )?;
            made.push(sweep.value(), &self.pace.budget, allowance)?;
            loop {
                self.pace.step(width)?;
                let child = if sweep.is_open() {
                    next.intern(&self.pace.budget, allowance)?.0
                } else {
                    NONE
                };
                made.append(sweep.high(), child, &self.pace.budget, allowance)?;
                if !sweep.advance(&mut next, clocks, splits, &self.pace.budget, allowance)? {
                    break;
                }
            }
        }
        Ok((made, next))
    }

    /// Makes nodes from the last layer up; all of them are lattices if nothing was rejected.
    fn raise(&mut self, layers: Vec<Layer>, end: &BoxTable, is_lattice: bool) -> Result<Id, Stop> {
        let mut below = vec![FULL; end.len()];
        for (layer, made) in layers.into_iter().enumerate().rev() {
            let mut nodes = Vec::with_capacity(made.starts.len());
            let lists = (nodes.capacity() + below.capacity()) * size_of::<Id>();
            self.beside += lists;
            self.pace.budget.check_bytes(self.bytes())?;
            for first in (0..made.starts.len()).step_by(TOGETHER) {
                let group = first..made.starts.len().min(first + TOGETHER);
                let mut bases = [0; TOGETHER];
                for (state, base) in group.clone().zip(&mut bases) {
                    *base = self.scratch.len();
                    for edge in made.of(state) {
                        let is_none = edge.child == NONE;
                        let child = if is_none { EMPTY } else { below[edge.child as usize] };
                        self.append(*base, edge.high, child);
                    }
                }
                self.finish_all(layer, &bases[..group.len()], &mut nodes)?;
            }
            if is_lattice {
                for &node in &nodes {
                    self.store.note_lattice(node);
                }
            }
            self.beside -= lists + made.bytes();
            below = nodes;
        }
        Ok(below[0])
    }
}

/// Accepts every vector.
struct Anything;

impl Machine for Anything {
    fn split(&mut self, _: usize, _: u32, _: u32, _: &mut Vec<(u32, u32)>) -> Result<(), Stop> {
        Ok(())
    }
}

/// The intervals of all boxes of a layer; children are boxes of the next one.
#[derive(Debug, Default)]
struct Layer {
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

impl Layer {
    /// The intervals of a box.
    fn of(&self, state: usize) -> &[Edge] {
        let end = self.starts.get(state + 1).map_or(self.edges.len(), |&end| end as usize);
        &self.edges[self.starts[state] as usize..end]
    }

    fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<u32>() + self.edges.capacity() * size_of::<Edge>()
    }

    /// Starts the intervals of the next box, which begin at `low`.
    fn push(&mut self, low: u32, budget: &Budget, allowance: &mut Allowance) -> Result<(), Stop> {
        let start = u32::try_from(self.edges.len()).map_err(|_| Stop::States)?;
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
