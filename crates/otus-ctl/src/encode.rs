//! The set of cuts at which a formula without temporal operators holds, in one pass.
//!
//! The construction reads a cut component by component. Once the first components are known, a formula is partly
//! decided. Its *residual* has only atoms that depend on later components. Each of these atoms has a *stage*: what is
//! known about its readings so far. The residuals are the states of a [`Machine`], so the diagram is built directly
//! from them instead of with one operation per connective.
//!
//! A *chain* is the sequence of events at which a reading changes, for example all assignments to a variable; it may
//! spread over several processes. The stage of an atom has:
//!
//! - for each chain, the greatest position reached. At a cut, a reading has the value of the last event of its chain in
//!   the cut, which is the maximum over processes;
//! - for a sum, the sum of the readings whose chains are complete.
//!
//! **Claim.** The machine accepts a cut iff the formula holds there. *Proof.* After the last layer with an event of a
//! chain, the greatest position reached is known; so after the last layer of all its chains, an atom is decided.
//! Substituting truth values in a residual is the semantics of connectives. (Vectors that are not cuts may be
//! accepted or not, since the diagram is only built within the cuts.) ∎

use std::rc::Rc;

use otus_core::budget::{Budget, Stop};
use otus_core::define_id;
use otus_core::index::{Index as _, IndexVec};
use otus_core::intern::Interner;
use otus_syntax::Rational;
use otus_trace::order::{EventId, PartialOrder};
use rustc_hash::FxHashMap;

use crate::atom::{Atom, scaled};
use crate::check::Problem;
use crate::formula::{AtomId, Formula, FormulaId, Formulas};
use crate::interval::{ACCEPT, Machine, REJECT};
use crate::number;
use crate::pace::Pace;
use crate::track::Course;
use crate::view::View;

define_id! {
    /// The residual of a formula; `false` and `true` are [`REJECT`] and [`ACCEPT`].
    ResidualId;
    /// What is known about the readings of an atom.
    StageId;
}

const FALSE: ResidualId = ResidualId(REJECT);
const TRUE: ResidualId = ResidualId(ACCEPT);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Residual {
    False,
    True,
    /// An atom (`true`) or its negation.
    Literal(StageId, bool),
    And(Box<[ResidualId]>),
    Or(Box<[ResidualId]>),
}

/// What is known about the readings of an atom after the first components.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Stage {
    /// The number of the atom among those in use.
    atom: u32,
    /// In a sum: the sum of the readings whose chains are complete.
    sum: Rational,
    /// For each chain: the number of its events reached, or [`GONE`] if its reading is in the sum
    /// already.
    reached: Box<[u32]>,
}

const GONE: u32 = u32::MAX;

/// The size in bytes of a residual and of a stage: the item, a slot of the interner's table, and the residual's list of
/// chains.
const RESIDUAL: usize = size_of::<Residual>() + size_of::<Option<Rc<[u32]>>>() + SLOT;
const STAGE: usize = size_of::<Stage>() + SLOT;
const SLOT: usize = 8;

/// The number of values in a block at which a chain has an event. It is small in tests, so that small cases have
/// several blocks.
const BLOCK: usize = if cfg!(test) { 2 } else { 8 };

/// A chain of events at which a reading, or the truth value of an atom, changes.
#[derive(Debug)]
struct Chain {
    /// The last layer that has an event of the chain.
    last: Option<usize>,
    /// Whether all events of the chain are on that layer.
    alone: bool,
    /// For each number of events: the least number of events after which the value is the same.
    same: Box<[u32]>,
    /// The events of the chain, sorted by layer and value.
    points: Box<[ChainPoint]>,
}

impl Chain {
    /// The events of the chain on a layer, sorted by value.
    fn on(&self, layer: usize) -> &[ChainPoint] {
        let layer = number(layer);
        let start = self.points.partition_point(|point| point.layer < layer);
        let own = &self.points[start..];
        &own[..own.partition_point(|point| point.layer == layer)]
    }
}

/// An atom in use.
#[derive(Debug)]
struct UsedAtom<'f> {
    atom: &'f Atom,
    course: &'f Course,
    /// The range of the atom's chains.
    chains: std::ops::Range<usize>,
    /// The last layer with an event of the atom's chains.
    last: Option<usize>,
}

/// An event of a chain on some layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ChainPoint {
    layer: u32,
    /// The least value of the component that includes the event.
    value: u32,
    /// The position of the event in the chain, from 1.
    reached: u32,
}

/// The residuals of formulas over a view of a trace.
#[derive(Debug)]
pub(crate) struct Encoder<'f> {
    formulas: &'f Formulas,
    bounds: Vec<u32>,
    used: Vec<UsedAtom<'f>>,
    by_atom: FxHashMap<AtomId, u32>,
    chains: Vec<Chain>,
    /// For each layer: the least value of each of its blocks.
    blocks: Vec<Vec<u32>>,
    residuals: Interner<ResidualId, Residual>,
    stages: Interner<StageId, Stage>,
    /// For each residual: the chains that it waits for, sorted.
    waits: IndexVec<ResidualId, Option<Rc<[u32]>>>,
    /// For each chain that the current residual waits for: the position reached.
    reached: Vec<u32>,
    /// The number of bytes of chains, residuals and stages.
    bytes: usize,
    pace: Pace,
}

impl<'f> Encoder<'f> {
    /// An encoder for formulas over some atoms, whose events are all in the view.
    pub(crate) fn new(problem: Problem<'f>, budget: &Budget) -> Result<Self, Stop> {
        let Problem { formulas, trace, view, atoms } = problem;
        let mut encoder = Encoder {
            formulas,
            bounds: view.bounds(),
            used: Vec::new(),
            by_atom: FxHashMap::default(),
            chains: Vec::new(),
            blocks: Vec::new(),
            residuals: Interner::default(),
            stages: Interner::default(),
            waits: IndexVec::default(),
            reached: Vec::new(),
            bytes: 0,
            pace: Pace::new(budget),
        };
        encoder.intern(Residual::False);
        encoder.intern(Residual::True);
        for &(atom, course) in atoms {
            let first = encoder.chains.len();
            match course {
                Course::Flips(_, flips) => {
                    let turns = flips.iter().zip([1, 0].into_iter().cycle());
                    encoder.chain(trace, view, 0, turns.map(|(&event, truth)| (event, truth)))?;
                }
                Course::Tracks(tracks) => {
                    for track in tracks {
                        let changes = track.changes.iter().copied();
                        encoder.chain(trace, view, track.initial, changes)?;
                    }
                }
            }
            let chains = first..encoder.chains.len();
            let last = encoder.chains[chains.clone()].iter().filter_map(|chain| chain.last).max();
            encoder.by_atom.insert(atom, number(encoder.used.len()));
            encoder.used.push(UsedAtom { atom: formulas.atom_of(atom), course, chains, last });
        }
        encoder.reached = vec![0; encoder.chains.len()];
        for layer in 0..view.processes.len() {
            let blocks = encoder.divide(layer)?;
            encoder.blocks.push(blocks);
        }
        Ok(encoder)
    }

    /// The least values of the blocks of a layer: a block has the events of all chains at a few values.
    fn divide(&mut self, layer: usize) -> Result<Vec<u32>, Stop> {
        let points = self.chains.iter().flat_map(|chain| chain.on(layer));
        let mut values: Vec<u32> = points.map(|point| point.value).collect();
        self.pace.step(self.chains.len() + values.len())?;
        self.pace.budget.check_bytes(self.bytes + size_of_val::<[_]>(&values))?;
        values.sort_unstable();
        values.dedup();
        let starts = values.iter().copied().skip(BLOCK).step_by(BLOCK);
        Ok(std::iter::once(0).chain(starts).collect())
    }

    fn chain(
        &mut self,
        trace: &PartialOrder,
        view: &View,
        initial: u32,
        changes: impl Iterator<Item = (EventId, u32)> + Clone,
    ) -> Result<(), Stop> {
        let (mut last, mut first) = (None, None);
        let mut points = Vec::new();
        let mut fewest: FxHashMap<u32, u32> = FxHashMap::default();
        fewest.insert(initial, 0);
        let mut same = vec![0];
        let places = view.places(trace, changes.clone().map(|(event, _)| event));
        for (((_, value), place), reached) in changes.zip(places).zip(1..) {
            self.pace.step(2)?;
            same.push(*fewest.entry(value).or_insert(reached));
            let Some((layer, value)) = place else { continue };
            first = Some(first.unwrap_or(layer).min(layer));
            last = last.max(Some(layer));
            points.push(ChainPoint { layer: number(layer), value, reached });
        }
        if first != last {
            points.sort();
        }
        self.bytes += size_of_val::<[_]>(&same) + size_of_val::<[_]>(&points);
        self.pace.budget.check_bytes(self.bytes)?;
        self.chains.push(Chain {
            last,
            alone: first == last,
            same: same.into(),
            points: points.into(),
        });
        Ok(())
    }

    /// The residual of a formula without temporal operators before any component is known.
    pub(crate) fn residual(&mut self, formula: FormulaId) -> u32 {
        let mut done: FxHashMap<FormulaId, ResidualId> = FxHashMap::default();
        for f in self.formulas.parts(formula, Formula::is_connective) {
            let node = self.formulas.get(f);
            let made = match node {
                Formula::True => TRUE,
                Formula::False => FALSE,
                Formula::And(all) | Formula::Or(all) => {
                    let all = all.iter().map(|g| done[g]).collect();
                    self.connective(all, matches!(node, Formula::And(_)))
                }
                Formula::Atom(_)
                | Formula::Not(_)
                | Formula::End
                | Formula::Next(_)
                | Formula::Until(_) => {
                    let literal = self.formulas.as_literal(f);
                    let (atom, positive) = literal.expect("temporal formulas are not encoded");
                    self.literal(atom, positive)
                }
            };
            done.insert(f, made);
        }
        done[&formula].0
    }

    /// The conjunction, or disjunction, of residuals.
    pub(crate) fn join(&mut self, all: &[u32], and: bool) -> u32 {
        self.connective(all.iter().map(|&residual| ResidualId(residual)).collect(), and).0
    }

    fn literal(&mut self, atom: AtomId, positive: bool) -> ResidualId {
        let slot = self.by_atom[&atom];
        let chains = self.used[slot as usize].chains.len();
        let stage = Stage {
            atom: slot,
            sum: Rational::from(0),
            reached: vec![0; chains].into_boxed_slice(),
        };
        self.settle(stage, positive, None)
    }

    /// The literal of a stage after a layer, or before the first layer. It is decided if no later layer
    /// has an event of its chains.
    fn settle(&mut self, stage: Stage, positive: bool, layer: Option<usize>) -> ResidualId {
        let used = &self.used[stage.atom as usize];
        let over = |last: Option<usize>| match (last, layer) {
            (None, _) => true,
            (Some(last), Some(layer)) => last <= layer,
            (Some(_), None) => false,
        };
        if over(used.last) {
            return if self.holds(&stage) == positive { TRUE } else { FALSE };
        }
        let mut stage = stage;
        if let (Atom::Linear(terms, ..), Course::Tracks(tracks)) = (used.atom, used.course) {
            for (at, chain) in used.chains.clone().enumerate() {
                if stage.reached[at] == GONE || !over(self.chains[chain].last) {
                    continue;
                }
                let summand = scaled(tracks[at].value_after(stage.reached[at]), terms[at].1);
                if let Some(sum) = summand.and_then(|next| stage.sum.checked_add(next)) {
                    stage.sum = sum;
                    stage.reached[at] = GONE;
                }
            }
        }
        let before = self.stages.items.len();
        let stage = self.stages.intern(stage);
        if self.stages.items.len() > before {
            self.bytes += STAGE + size_of_val::<[_]>(&self.stages.items[stage].reached);
        }
        self.intern(Residual::Literal(stage, positive))
    }

    /// The truth value of an atom whose chains are all complete.
    fn holds(&self, stage: &Stage) -> bool {
        let used = &self.used[stage.atom as usize];
        let (Atom::Linear(terms, comparison, constant), Course::Tracks(tracks)) =
            (used.atom, used.course)
        else {
            return used.course.holds(used.atom, &stage.reached);
        };
        let rest = stage.reached.iter().enumerate().filter(|&(_, &reached)| reached != GONE);
        let mut rest = rest.map(|(at, &n)| scaled(tracks[at].value_after(n), terms[at].1));
        let sum = rest.try_fold(stage.sum, |sum, next| sum.checked_add(next?));
        sum.is_some_and(|sum| comparison.holds(sum.cmp(constant)))
    }

    fn connective(&mut self, mut all: Vec<ResidualId>, and: bool) -> ResidualId {
        let (decisive, neutral) = if and { (FALSE, TRUE) } else { (TRUE, FALSE) };
        if all.contains(&decisive) {
            return decisive;
        }
        all.retain(|&residual| residual != neutral);
        all.sort_unstable();
        all.dedup();
        match *all {
            [] => neutral,
            [only] => only,
            _ if and => self.intern(Residual::And(all.into())),
            _ => self.intern(Residual::Or(all.into())),
        }
    }

    fn intern(&mut self, residual: Residual) -> ResidualId {
        let id = self.residuals.intern(residual);
        if id.index() == self.waits.len() {
            self.waits.push(None);
            self.bytes += match &self.residuals.items[id] {
                Residual::And(all) | Residual::Or(all) => RESIDUAL + size_of_val::<[_]>(all),
                Residual::False | Residual::True | Residual::Literal(..) => RESIDUAL,
            };
        }
        id
    }

    /// A residual and all its parts, operands first.
    fn parts(&self, whole: ResidualId) -> Vec<ResidualId> {
        let mut parts = vec![whole];
        let mut next = 0;
        while let Some(&part) = parts.get(next) {
            next += 1;
            if let Residual::And(all) | Residual::Or(all) = &self.residuals.items[part] {
                parts.extend_from_slice(all);
            }
        }
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    /// The chains that the literals of a residual wait for.
    fn waits(&mut self, whole: ResidualId) -> Rc<[u32]> {
        if let Some(known) = &self.waits[whole] {
            return known.clone();
        }
        let mut chains: Vec<u32> = Vec::new();
        for part in self.parts(whole) {
            if let Residual::Literal(stage, _) = self.residuals.items[part] {
                let used = &self.used[self.stages.items[stage].atom as usize];
                chains.extend(used.chains.clone().map(number));
            }
        }
        chains.sort_unstable();
        chains.dedup();
        let chains: Rc<[u32]> = chains.into();
        self.bytes += size_of_val::<[_]>(&chains);
        self.waits[whole] = Some(chains.clone());
        chains
    }

    /// The residual after a layer, given the positions that the chains it waits for have
    /// [`reached`](Self::reached).
    fn advance(&mut self, whole: ResidualId, layer: usize) -> Result<ResidualId, Stop> {
        let mut after: FxHashMap<ResidualId, ResidualId> = FxHashMap::default();
        for part in self.parts(whole) {
            self.pace.step(8)?;
            let next = match self.residuals.items[part].clone() {
                Residual::False | Residual::True => part,
                Residual::Literal(stage, positive) => {
                    let mut stage = self.stages.items[stage].clone();
                    let chains = self.used[stage.atom as usize].chains.clone();
                    for (own, chain) in stage.reached.iter_mut().zip(chains) {
                        if *own != GONE {
                            *own = (*own).max(self.reached[chain]);
                            let chain = &self.chains[chain];
                            if chain.last.is_some_and(|last| last <= layer) {
                                *own = chain.same[*own as usize];
                            }
                        }
                    }
                    self.settle(stage, positive, Some(layer))
                }
                Residual::And(all) => self.connective(all.iter().map(|x| after[x]).collect(), true),
                Residual::Or(all) => self.connective(all.iter().map(|x| after[x]).collect(), false),
            };
            after.insert(part, next);
        }
        Ok(after[&whole])
    }
}

impl Machine for Encoder<'_> {
    fn block(&self, layer: usize, value: u32) -> u32 {
        // The first block starts at 0.
        number(self.blocks[layer].partition_point(|&start| start <= value) - 1)
    }

    fn split(
        &mut self,
        layer: usize,
        state: u32,
        block: u32,
        intervals: &mut Vec<(u32, u32)>,
    ) -> Result<(), Stop> {
        let state = ResidualId(state);
        let bound = self.bounds[layer];
        if state == FALSE || state == TRUE {
            intervals.push((bound, state.0));
            return Ok(());
        }
        let waits = self.waits(state);
        let start = self.blocks[layer][block as usize];
        let end = self.blocks[layer].get(block as usize + 1).copied().unwrap_or(u32::MAX);
        // For each chain: the number of its events on the layer that are included.
        let mut included: Vec<usize> = waits
            .iter()
            .map(|&chain| {
                let points = self.chains[chain as usize].on(layer);
                let included = points.partition_point(|point| point.value <= start);
                let reached = included.checked_sub(1).map_or(0, |last| points[last].reached);
                self.reached[chain as usize] = reached;
                included
            })
            .collect();
        // The next residual depends only on the positions of the chains that this one waits for.
        let mut known: FxHashMap<Box<[u32]>, ResidualId> = FxHashMap::default();
        let mut key = vec![0; waits.len()];
        loop {
            self.pace.step(waits.len())?;
            for (key, &chain) in key.iter_mut().zip(&*waits) {
                let reached = self.reached[chain as usize];
                let chain = &self.chains[chain as usize];
                *key = if chain.alone { chain.same[reached as usize] } else { reached };
            }
            let after = match known.get(&*key) {
                Some(&after) => after,
                None => {
                    let after = self.advance(state, layer)?;
                    known.insert(key.as_slice().into(), after);
                    after
                }
            };
            let points = waits.iter().zip(&included).filter_map(|(&chain, &included)| {
                self.chains[chain as usize].on(layer).get(included)
            });
            let Some(next) = points.map(|point| point.value).min() else {
                intervals.push((bound, after.0));
                break;
            };
            intervals.push((next - 1, after.0));
            if next >= end {
                break;
            }
            for (included, &chain) in included.iter_mut().zip(&*waits) {
                let point = self.chains[chain as usize].on(layer).get(*included);
                if let Some(point) = point.filter(|point| point.value == next) {
                    self.reached[chain as usize] = point.reached;
                    *included += 1;
                }
            }
        }
        for &chain in &*waits {
            self.reached[chain as usize] = 0;
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}
