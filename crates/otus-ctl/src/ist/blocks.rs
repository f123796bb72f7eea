//! Trees made of blocks: the vectors that contain an event, or do not.
//!
//! ```text
//! I₀             all vectors                            xⱼ ∈ [0,|Pⱼ|]
//! A(e)           all with e                             x_pid(e) ∈ [pos(e), |P_pid(e)|]
//! B(e)           all without e                          x_pid(e) ∈ [0, pos(e) − 1]
//! I_⊤            I₀ ∖ ⋃ (A(e') ∩ B(e))                   over all communications e →_c e' (Lemma 1)
//! I_p            ⋃ (A(e_sᵢ) ∩ B(e_sᵢ₊₁))                 over all blocks with p (Lemma 2), and ∩ I_⊤
//! I_blockedᵢ     {xᵢ = |Pᵢ|} ∪ ⋃ {xᵢ = pos(e') − 1} ∩ B(e)  over all e →_c e' ∈ Pᵢ (Lemma 8), and ∩ I_⊤
//! ```

use otus_core::budget::Stop;
use otus_syntax::Rational;
use otus_trace::order::EventId;
use rustc_hash::FxHashMap;

use super::tree::{EMPTY, END, Ist, Node, Trees};
use crate::atom::{Atom, scaled};
use crate::check::Problem;
use crate::formula::AtomId;
use crate::interval::Clocks as _;
use crate::pace::Pace;
use crate::track::{Course, Track};

/// An event: its component, from 0, and its position there, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockEvent {
    pub(super) process: usize,
    pub(super) position: u32,
}

#[derive(Debug)]
pub(super) struct Blocks<'f> {
    problem: Problem<'f>,
    /// For each process: the number of its events.
    pub(super) bounds: Vec<u32>,
    /// The communication edges of the Hasse diagram.
    communications: Vec<(BlockEvent, BlockEvent)>,
}

impl<'f> Blocks<'f> {
    pub(super) fn new(problem: Problem<'f>, pace: &mut Pace) -> Result<Self, Stop> {
        let bounds = problem.view.bounds();
        let communications = communications(problem, &bounds, pace)?;
        Ok(Blocks { problem, bounds, communications })
    }

    /// I₀ with other labels on some layers.
    pub(super) fn labelled(
        &self,
        trees: &mut Trees,
        labels: &[(usize, u32, u32)],
    ) -> Result<Ist, Stop> {
        let mut tree = END;
        for (layer, &bound) in self.bounds.iter().enumerate().rev() {
            let (mut low, mut high) = (0, bound);
            for &(_, from, to) in labels.iter().filter(|label| label.0 == layer) {
                (low, high) = (low.max(from), high.min(to));
            }
            if low > high {
                return Ok(EMPTY);
            }
            tree = trees.tree([Node { low: low.into(), high: high.into(), below: tree }])?;
        }
        Ok(tree)
    }

    /// A(e)
    fn after(&self, trees: &mut Trees, e: BlockEvent) -> Result<Ist, Stop> {
        self.labelled(trees, &[(e.process, e.position, u32::MAX)])
    }

    /// B(e)
    fn before(&self, trees: &mut Trees, e: BlockEvent) -> Result<Ist, Stop> {
        self.labelled(trees, &[(e.process, 0, e.position - 1)])
    }

    /// {E}
    pub(super) fn end(&self, trees: &mut Trees) -> Result<Ist, Stop> {
        let labels: Vec<(usize, u32, u32)> =
            self.bounds.iter().enumerate().map(|(layer, &bound)| (layer, bound, bound)).collect();
        self.labelled(trees, &labels)
    }

    /// `I_⊤`, edge by edge.
    pub(super) fn top(&self, trees: &mut Trees, universe: &mut Ist) -> Result<Ist, Stop> {
        let mut top = *universe;
        for &(e, then) in &self.communications {
            let (after, before) = (self.after(trees, then)?, self.before(trees, e)?);
            let neither = trees.intersect(after, before)?;
            top = trees.difference(top, neither)?;
            trees.tidy([&mut *universe, &mut top]);
        }
        Ok(top)
    }

    /// `I_blockedᵢ`
    pub(super) fn blocked(&self, trees: &mut Trees, top: Ist, process: usize) -> Result<Ist, Stop> {
        let bound = self.bounds[process];
        let mut all = vec![self.labelled(trees, &[(process, bound, bound)])?];
        for &(e, then) in self.communications.iter().filter(|(_, then)| then.process == process) {
            let ready = then.position - 1;
            let labels = [(process, ready, ready), (e.process, 0, e.position - 1)];
            all.push(self.labelled(trees, &labels)?);
        }
        let blocked = trees.union_all(all)?;
        trees.intersect(blocked, top)
    }

    /// `I_p`
    pub(super) fn predicate(
        &self,
        trees: &mut Trees,
        universe: Ist,
        top: Ist,
        atom: AtomId,
    ) -> Result<Ist, Stop> {
        let Some(&(_, course)) = self.problem.atoms.iter().find(|used| used.0 == atom) else {
            return Ok(EMPTY);
        };
        let tree = match course {
            Course::Flips(initial, flips) => {
                let events = self.chain(flips.iter().copied());
                let mut all = Vec::new();
                for block in 0..=events.len() {
                    if *initial == block.is_multiple_of(2) {
                        all.push(self.block(trees, universe, &events, block)?);
                    }
                }
                trees.union_all(all)?
            }
            Course::Tracks(tracks) => {
                self.combinations(trees, universe, self.problem.formulas.atom_of(atom), tracks)?
            }
        };
        trees.intersect(tree, top)
    }

    /// A(e₁) ∩ B(e₂) for the events e₁ and e₂ around a block of a chain. The first block has no e₁, and the
    /// last one has no e₂.
    fn block(
        &self,
        trees: &mut Trees,
        universe: Ist,
        events: &[BlockEvent],
        block: usize,
    ) -> Result<Ist, Stop> {
        let mut tree = universe;
        if let Some(&first) = block.checked_sub(1).and_then(|before| events.get(before)) {
            tree = self.after(trees, first)?;
        }
        if let Some(&next) = events.get(block) {
            let before = self.before(trees, next)?;
            tree = trees.intersect(tree, before)?;
        }
        Ok(tree)
    }

    /// For each value: the vectors at which a reading has it.
    fn by_value(&self, trees: &mut Trees, universe: Ist, track: &Track) -> Result<Vec<Ist>, Stop> {
        let events = self.chain(track.changes.iter().map(|change| change.0));
        let mut blocks: Vec<Vec<Ist>> = vec![Vec::new(); track.values.len()];
        for block in 0..=events.len() {
            let number = block.checked_sub(1).map_or(track.initial, |at| track.changes[at].1);
            blocks[number as usize].push(self.block(trees, universe, &events, block)?);
        }
        blocks.into_iter().map(|blocks| trees.union_all(blocks)).collect()
    }

    /// An atom on several readings: the union over all combinations of values that satisfy it.
    fn combinations(
        &self,
        trees: &mut Trees,
        universe: Ist,
        atom: &Atom,
        tracks: &[Track],
    ) -> Result<Ist, Stop> {
        let mut readings = Vec::with_capacity(tracks.len());
        for track in tracks {
            readings.push(self.by_value(trees, universe, track)?);
        }
        let mut found = EMPTY;
        match atom {
            Atom::Linear(terms, comparison, constant) => {
                // The sums of the readings so far, each with its vectors, in order of discovery.
                let mut sums: Vec<(Rational, Ist)> = vec![(Rational::from(0), universe)];
                for ((track, by_value), &(_, factor)) in tracks.iter().zip(&readings).zip(terms) {
                    let mut next: Vec<(Rational, Ist)> = Vec::new();
                    let mut places: FxHashMap<Rational, usize> = FxHashMap::default();
                    for &(sum, tree) in &sums {
                        for (value, &there) in track.values.iter().zip(by_value) {
                            let more = scaled(value, factor);
                            let Some(more) = more.and_then(|more| sum.checked_add(more)) else {
                                continue;
                            };
                            let both = trees.intersect(tree, there)?;
                            if both == EMPTY {
                                continue;
                            }
                            let place = *places.entry(more).or_insert_with(|| {
                                next.push((more, EMPTY));
                                next.len() - 1
                            });
                            next[place].1 = trees.union(next[place].1, both)?;
                        }
                    }
                    sums = next;
                }
                for (sum, tree) in sums {
                    if comparison.holds(sum.cmp(constant)) {
                        found = trees.union(found, tree)?;
                    }
                }
            }
            Atom::Pair(..) => {
                let (left, right) = (&tracks[0], &tracks[1]);
                for (a, &here) in left.values.iter().zip(&readings[0]) {
                    for (b, &there) in right.values.iter().zip(&readings[1]) {
                        if atom.holds(&[a, b]) {
                            let both = trees.intersect(here, there)?;
                            found = trees.union(found, both)?;
                        }
                    }
                }
            }
            Atom::Member(..) | Atom::Compare(..) => {
                unreachable!("the course of an atom with one reading has flips")
            }
        }
        Ok(found)
    }

    /// The components and positions of the given events, without those that are not in the view.
    fn chain(&self, events: impl Iterator<Item = EventId>) -> Vec<BlockEvent> {
        let places = self.problem.view.places(self.problem.trace, events).flatten();
        places.map(|(process, position)| BlockEvent { process, position }).collect()
    }
}

/// The communication edges of the Hasse diagram: e →_c e' if e is the last event of its process in the past of e', was
/// not in the past of the event before e', and is in the past of no other event that happened before e'.
fn communications(
    problem: Problem<'_>,
    bounds: &[u32],
    pace: &mut Pace,
) -> Result<Vec<(BlockEvent, BlockEvent)>, Stop> {
    let clocks = &problem.view.clocks;
    let mut found = Vec::new();
    for (process, &bound) in bounds.iter().enumerate() {
        for position in 1..=bound {
            let then = BlockEvent { process, position };
            for other in (0..bounds.len()).filter(|&other| other != process) {
                pace.step(1)?;
                let last = clocks.lower(process, position, other);
                if last == clocks.lower(process, position - 1, other) {
                    continue;
                }
                pace.step(bounds.len())?;
                let implied = (0..bounds.len()).any(|third| {
                    third != process && third != other && {
                        let between = clocks.lower(process, position, third);
                        clocks.lower(third, between, other) >= last
                    }
                });
                if !implied {
                    found.push((BlockEvent { process: other, position: last }, then));
                }
            }
        }
    }
    Ok(found)
}
