//! The atoms that hold at a cut, computed component by component.
//!
//! An atom that depends on one component has a bit in a table of that component. Any other atom is decided
//! at the last of its components: the position of each of its chains of events is the maximum over components, and is
//! known by then.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use otus_core::budget::{Budget, Stop};
use otus_syntax::Rational;
use otus_syntax::ast::formula::Comparison;
use otus_trace::order::{EventId, Value};
use rustc_hash::FxHashMap;

use crate::atom::{Atom, scaled};
use crate::check::Problem;
use crate::formula::AtomId;
use crate::lcm;
use crate::pace::Pace;
use crate::track::{Course, Track};

#[derive(Debug)]
pub(super) struct Atoms<'f> {
    pub(super) position: FxHashMap<AtomId, usize>,
    /// The number of words with one bit per atom.
    pub(super) words: usize,
    /// The number of chains of all atoms over several components.
    pub(super) chains: usize,
    /// The atoms that depend on no component and hold.
    pub(super) constant: Vec<u64>,
    layers: Vec<Layer>,
    distant: Vec<Distant<'f>>,
    /// The size of the tables in bytes.
    pub(super) bytes: usize,
}

/// The facts about a cut that are known before its last component.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before<'a> {
    /// The atoms that are decided and hold, as a bit mask.
    pub(super) mask: &'a [u64],
    /// For each chain: its position.
    pub(super) reached: &'a [u32],
}

/// The tables of one component.
#[derive(Debug, Default, Clone)]
struct Layer {
    /// For each value: the atoms that depend on this component alone and hold.
    local: Vec<u64>,
    /// The chains that have events on this component.
    chains: Vec<u32>,
    /// For each value and each of these chains: the position of the chain.
    reached: Vec<u32>,
    /// The atoms of several components that are decided at this component.
    decided: Vec<usize>,
}

/// An atom of several components.
#[derive(Debug)]
struct Distant<'f> {
    position: usize,
    atom: &'f Atom,
    course: &'f Course,
    chains: std::ops::Range<usize>,
    /// The atom as a sum of integers compared with 0, if it has that form.
    sum: Option<Sum>,
}

/// `constant + Σ (summand of a chain) ⋈ 0`
#[derive(Debug)]
struct Sum {
    /// For each chain and position: the summand.
    summands: Vec<Vec<i64>>,
    constant: i64,
    comparison: Comparison,
}

/// An event of a chain: its layer, the least value there that includes it, and its position in the chain.
struct Point {
    layer: usize,
    value: u32,
    reached: u32,
}

impl<'f> Atoms<'f> {
    /// The tables for the components in the given order: by layer, the dimension of the view.
    pub(super) fn new(
        problem: Problem<'f>,
        order: &[usize],
        bounds: &[u32],
        budget: &Budget,
    ) -> Result<Self, Stop> {
        let mut pace = Pace::new(budget);
        let words = problem.atoms.len().div_ceil(64).max(1);
        let values: usize = bounds.iter().map(|&bound| bound as usize + 1).sum();
        let mut bytes = values.saturating_mul(words * size_of::<u64>());
        budget.check_bytes(bytes)?;
        let layer = |bound: &u32| Layer {
            local: vec![0; (*bound as usize + 1) * words],
            ..Layer::default()
        };
        let mut atoms = Atoms {
            position: FxHashMap::default(),
            words,
            chains: 0,
            constant: vec![0; words],
            layers: bounds.iter().map(layer).collect(),
            distant: Vec::new(),
            bytes: 0,
        };
        // For each layer: the points of chains there.
        let mut points: Vec<Vec<(u32, u32, u32)>> = vec![Vec::new(); bounds.len()];
        for (position, &(atom, course)) in problem.atoms.iter().enumerate() {
            atoms.position.insert(atom, position);
            // The events of an atom are listed once, and a second time if the atom depends on
            // several components.
            let events = course.events().count();
            pace.step(2 * events)?;
            budget.check_bytes(bytes + events * (size_of::<Point>() + size_of::<[u32; 3]>()))?;
            let chains: Vec<Vec<Point>> = match course {
                Course::Flips(_, flips) => vec![place(problem, order, flips.iter().copied())],
                Course::Tracks(tracks) => tracks
                    .iter()
                    .map(|track| place(problem, order, track.changes.iter().map(|change| change.0)))
                    .collect(),
            };
            let mut used = chains.iter().flatten().map(|point| point.layer);
            let first = used.next();
            let alone = used.all(|layer| Some(layer) == first);
            match (first, course) {
                (Some(layer), Course::Flips(initial, _)) if alone => {
                    atoms.local(position, layer, *initial, &chains[0], &mut pace)?;
                }
                _ => {
                    let start = atoms.chains;
                    atoms.chains += chains.len();
                    for (chain, own) in (start..).zip(&chains) {
                        for point in own {
                            let chain = u32::try_from(chain).expect("chains are few");
                            points[point.layer].push((chain, point.value, point.reached));
                            bytes += size_of::<(u32, u32, u32)>();
                        }
                    }
                    let (atom, chains_of) = (problem.formulas.atom_of(atom), start..atoms.chains);
                    let sum = Sum::new(atom, course);
                    bytes += sum.as_ref().map_or(0, Sum::bytes);
                    budget.check_bytes(bytes)?;
                    let distant = Distant { position, atom, course, chains: chains_of, sum };
                    match chains.iter().flatten().map(|point| point.layer).max() {
                        Some(last) => atoms.layers[last].decided.push(atoms.distant.len()),
                        None => set(
                            &mut atoms.constant,
                            position,
                            distant.holds(&vec![0; atoms.chains]),
                        ),
                    }
                    atoms.distant.push(distant);
                }
            }
        }
        for ((layer, points), &bound) in atoms.layers.iter_mut().zip(&mut points).zip(bounds) {
            pace.step(4 * points.len())?;
            points.sort_unstable();
            let width = points.chunk_by(|a, b| a.0 == b.0).count();
            bytes += (bound as usize + 1) * width * size_of::<u32>();
            budget.check_bytes(bytes)?;
            layer.gather(points, bound, &mut pace)?;
        }
        atoms.bytes = bytes;
        Ok(atoms)
    }

    fn local(
        &mut self,
        position: usize,
        layer: usize,
        initial: bool,
        flips: &[Point],
        pace: &mut Pace,
    ) -> Result<(), Stop> {
        let table = self.layers[layer].local.chunks_exact_mut(self.words);
        let mut next = 0;
        for (words, value) in table.zip(0..) {
            pace.step(1)?;
            while flips.get(next).is_some_and(|flip| flip.value <= value) {
                next += 1;
            }
            set(words, position, initial == next.is_multiple_of(2));
        }
        Ok(())
    }

    /// Updates the atoms that hold and the positions of chains with one more component.
    pub(super) fn enter(&self, layer: usize, value: u32, mask: &mut [u64], reached: &mut [u32]) {
        let own = &self.layers[layer];
        let table = &own.local[value as usize * self.words..][..self.words];
        for (mask, here) in mask.iter_mut().zip(table) {
            *mask |= here;
        }
        own.raise(value, reached);
        for &at in &own.decided {
            let distant = &self.distant[at];
            set(mask, distant.position, distant.holds(reached));
        }
    }

    /// The atoms that hold at each cut of a row, from the greatest value of the last component down.
    pub(super) fn row(
        &self,
        layer: usize,
        values: RangeInclusive<u32>,
        Before { mask, reached }: Before<'_>,
        rows: &mut Vec<u64>,
        pace: &mut Pace,
    ) -> Result<(), Stop> {
        let own = &self.layers[layer];
        let (low, high) = (*values.start(), *values.end());
        rows.clear();
        let table = &own.local[low as usize * self.words..(high as usize + 1) * self.words];
        if let [mask] = *mask {
            rows.extend(table.iter().rev().map(|here| mask | here));
        } else {
            for here in table.chunks_exact(self.words).rev() {
                rows.extend(mask.iter().zip(here).map(|(mask, here)| mask | here));
            }
        }
        if own.decided.is_empty() {
            return Ok(());
        }
        let mut now = reached.to_vec();
        let mut before: Option<u32> = None;
        for (value, words) in values.rev().zip(0_usize..) {
            pace.step(own.decided.len())?;
            let same = before.is_some_and(|before| own.reached(before) == own.reached(value));
            before = Some(value);
            let (done, rest) = rows.split_at_mut(words * self.words);
            let current = &mut rest[..self.words];
            if !same {
                now.copy_from_slice(reached);
                own.raise(value, &mut now);
            }
            for &at in &own.decided {
                let distant = &self.distant[at];
                let holds = if same {
                    let last = &done[(words - 1) * self.words..];
                    last[distant.position / 64] >> (distant.position % 64) & 1 == 1
                } else {
                    distant.holds(&now)
                };
                set(current, distant.position, holds);
            }
        }
        Ok(())
    }
}

impl Layer {
    /// Makes the table of chains from their points, which are sorted.
    fn gather(
        &mut self,
        points: &[(u32, u32, u32)],
        bound: u32,
        pace: &mut Pace,
    ) -> Result<(), Stop> {
        for group in points.chunk_by(|a, b| a.0 == b.0) {
            self.chains.push(group[0].0);
        }
        let width = self.chains.len();
        if width == 0 {
            return Ok(());
        }
        self.reached = vec![0; (bound as usize + 1) * width];
        for (column, group) in points.chunk_by(|a, b| a.0 == b.0).enumerate() {
            let (mut next, mut reached) = (0, 0);
            for (row, value) in self.reached.chunks_exact_mut(width).zip(0..) {
                pace.step(1)?;
                while let Some(point) = group.get(next).filter(|point| point.1 <= value) {
                    reached = point.2.max(reached);
                    next += 1;
                }
                row[column] = reached;
            }
        }
        Ok(())
    }

    /// For each chain with events here: its position at a value.
    fn reached(&self, value: u32) -> &[u32] {
        let width = self.chains.len();
        &self.reached[value as usize * width..][..width]
    }

    /// Moves chains to their positions at a value.
    fn raise(&self, value: u32, reached: &mut [u32]) {
        for (&chain, &here) in self.chains.iter().zip(self.reached(value)) {
            let reached = &mut reached[chain as usize];
            *reached = (*reached).max(here);
        }
    }
}

impl Distant<'_> {
    /// Whether the atom holds, given the positions of all chains.
    fn holds(&self, reached: &[u32]) -> bool {
        let reached = &reached[self.chains.clone()];
        if let Some(sum) = &self.sum {
            return sum.holds(reached);
        }
        self.course.holds(self.atom, reached)
    }
}

impl Sum {
    /// The atom as a sum of integers. A sum of fractions gets a common denominator, and a
    /// comparison of two values uses their ranks.
    fn new(atom: &Atom, course: &Course) -> Option<Self> {
        let Course::Tracks(tracks) = course else { return None };
        let (comparison, constant, values) = match atom {
            Atom::Linear(terms, comparison, constant) => {
                let mut summands: Vec<Vec<Rational>> = Vec::new();
                for (track, (_, factor)) in tracks.iter().zip(terms) {
                    let summand = |value: &Value| scaled(value, *factor);
                    summands.push(track.values.iter().map(summand).collect::<Option<_>>()?);
                }
                let all = summands.iter().flatten().chain([constant]);
                let common = all.into_iter().try_fold(1, |common: i64, number| {
                    i64::try_from(lcm(common.into(), number.denominator().into())?).ok()
                })?;
                let scale = |number: &Rational| {
                    number.numerator().checked_mul(common / number.denominator())
                };
                let scaled = |numbers: &Vec<Rational>| numbers.iter().map(scale).collect();
                let values: Vec<Vec<i64>> = summands.iter().map(scaled).collect::<Option<_>>()?;
                (*comparison, scale(constant)?.checked_neg()?, values)
            }
            Atom::Pair(_, comparison, _) => {
                let mut all: Vec<&Value> = tracks.iter().flat_map(|track| &track.values).collect();
                let kind = all.first()?.kind();
                if all.iter().any(|value| value.kind() != kind) {
                    return None;
                }
                let order = |a: &Value, b: &Value| a.compare(b).unwrap_or(Ordering::Equal);
                all.sort_by(|a, b| order(a, b));
                let rank = |value: &Value| {
                    i64::try_from(all.partition_point(|other| order(other, value).is_lt())).ok()
                };
                let ranks = |track: &Track| track.values.iter().map(rank).collect();
                let mut values: Vec<Vec<i64>> = tracks.iter().map(ranks).collect::<Option<_>>()?;
                values[1].iter_mut().for_each(|rank| *rank = -*rank);
                (*comparison, 0, values)
            }
            Atom::Member(..) | Atom::Compare(..) => return None,
        };
        // No partial sum, in any order of adding, exceeds this.
        let greatest = |numbers: &Vec<i64>| numbers.iter().map(|x| i128::from(*x).abs()).max();
        let most: i128 =
            values.iter().filter_map(greatest).sum::<i128>() + i128::from(constant).abs();
        i64::try_from(most).ok()?;
        let along = |(track, values): (&Track, Vec<i64>)| {
            let numbers = track.changes.iter().map(|change| change.1);
            [track.initial]
                .into_iter()
                .chain(numbers)
                .map(|number| values[number as usize])
                .collect()
        };
        Some(Sum { summands: tracks.iter().zip(values).map(along).collect(), constant, comparison })
    }

    fn bytes(&self) -> usize {
        self.summands.iter().map(|summands| size_of_val::<[_]>(summands)).sum()
    }

    fn holds(&self, reached: &[u32]) -> bool {
        let summands = self.summands.iter().zip(reached);
        let sum: i64 = summands.map(|(summands, &reached)| summands[reached as usize]).sum();
        self.comparison.holds((sum + self.constant).cmp(&0))
    }
}

fn place(
    problem: Problem<'_>,
    order: &[usize],
    events: impl Iterator<Item = EventId>,
) -> Vec<Point> {
    let mut layers = vec![0; order.len()];
    for (layer, &dimension) in order.iter().enumerate() {
        layers[dimension] = layer;
    }
    let places = problem.view.places(problem.trace, events).zip(1..);
    places
        .filter_map(|(place, reached)| {
            let (dimension, value) = place?;
            Some(Point { layer: layers[dimension], value, reached })
        })
        .collect()
}

fn set(words: &mut [u64], position: usize, holds: bool) {
    words[position / 64] |= u64::from(holds) << (position % 64);
}
