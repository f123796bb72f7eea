//! Mutants that combine components of two multi-traces.
//!
//! A mutant takes some components from one multi-trace of a model and the others from another. Each
//! component alone is accepted, so only an analysis of the whole detects such mutants, which makes
//! them the hard ones (§5.5 of the paper on slices, Appendix C of the paper on removal).

use std::collections::BTreeMap;

use otus_core::index::Index as _;
use otus_core::{LifelineId, Pool};
use rustc_hash::FxHashSet;

use super::shuffle::{Shuffle, derive_seed};
use super::word::{self, Part};
use crate::facts::Facts;
use crate::multitrace::{ComponentId, MultiTrace, Partition, Step};

/// Multi-traces whose components can be combined.
///
/// ```
/// use otus_core::Pool;
/// use otus_syntax::{Source, parse_trace, print};
/// use otus_trace::{lower, raise, transform};
///
/// let parse = |text| parse_trace(&Source::new("run.htf", text)).tree;
/// let trees = [parse("{[a] a!m; [b] b?m}"), parse("{[a] a!n; [b] b?n}")];
/// let mut pool = Pool::new(transform::implied_signature(&trees));
/// let runs = trees.each_ref().map(|tree| lower(tree, &mut pool).0);
/// let swaps = transform::Swaps::new(&runs);
/// let mut mixed: Vec<String> = swaps
///     .sample(0, 1)
///     .map(|swap| print::trace_line(&raise(&swap.apply(&runs[0], &runs[swap.donor]), &pool)))
///     .collect();
/// mixed.sort();
/// assert_eq!(mixed, ["{[a] a!m; [b] b?n}", "{[a] a!n; [b] b?m}"]);
/// ```
#[derive(Debug, Clone)]
pub struct Swaps<'a> {
    traces: &'a [MultiTrace],
    /// For each multi-trace, and for each component in the order of its group: the number of the
    /// local trace. Two local traces are equal iff their numbers are equal.
    contents: Vec<Vec<usize>>,
    /// For each multi-trace: the index of its group.
    group_of: Vec<usize>,
    groups: Vec<SwapGroup>,
}

/// Multi-traces with the same partition, regardless of the order of its components.
#[derive(Debug, Clone)]
struct SwapGroup {
    /// The first multi-trace of the group, which fixes the order of the components.
    first: usize,
    /// One of each set of equal multi-traces; empty if the multi-traces differ in one component
    /// only, so that a thousand global traces do not cost a million attempts.
    donors: Vec<usize>,
}

/// A choice of components to take from another multi-trace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Swap {
    /// The components of the original that are replaced.
    pub components: Vec<ComponentId>,
    /// The index of the multi-trace that provides the new components.
    pub donor: usize,
}

/// The maximum number of differing components that are replaced, so that a subset of them fits into
/// a number.
const MAX_DIFFERING: usize = 64;

impl<'a> Swaps<'a> {
    /// The combinations of some multi-traces over one pool.
    pub fn new(traces: &'a [MultiTrace]) -> Swaps<'a> {
        let mut numbers: BTreeMap<Vec<&[LifelineId]>, usize> = BTreeMap::new();
        let mut known: BTreeMap<&[Step], usize> = BTreeMap::new();
        let (mut contents, mut group_of, mut groups) = (Vec::new(), Vec::new(), Vec::new());
        for (i, trace) in traces.iter().enumerate() {
            let partition = trace.partition();
            let mut key: Vec<_> =
                partition.components().map(|component| partition.lifelines(component)).collect();
            key.sort_unstable();
            let group = *numbers.entry(key).or_insert(groups.len());
            if group == groups.len() {
                groups.push(SwapGroup { first: i, donors: Vec::new() });
            }
            group_of.push(group);
            let order = traces[groups[group].first].partition();
            let numbered = order.components().map(|component| {
                let steps = trace.steps(counterpart(order, component, partition));
                let next = known.len();
                *known.entry(steps).or_insert(next)
            });
            contents.push(numbered.collect::<Vec<usize>>());
        }
        let mut varying: Vec<Vec<bool>> =
            groups.iter().map(|group| vec![false; contents[group.first].len()]).collect();
        let mut seen = FxHashSet::default();
        for (i, &group) in group_of.iter().enumerate() {
            if seen.insert((group, contents[i].as_slice())) {
                groups[group].donors.push(i);
            }
            let first = &contents[groups[group].first];
            for (varies, (own, other)) in
                varying[group].iter_mut().zip(contents[i].iter().zip(first))
            {
                *varies |= own != other;
            }
        }
        for (group, varying) in groups.iter_mut().zip(varying) {
            if varying.iter().filter(|&&varies| varies).count() < 2 {
                group.donors.clear();
            }
        }
        Swaps { traces, contents, group_of, groups }
    }

    /// The mutants of one of the multi-traces, in a random order that the seed determines. All
    /// mutants are different, and none equals its original or its donor. The first ones have
    /// different donors, as far as there are donors with at least two differing components.
    ///
    /// # Panics
    /// If there is no multi-trace with this index.
    pub fn sample(&self, original: usize, seed: u64) -> impl Iterator<Item = Swap> + use<'_, 'a> {
        let candidates = &self.groups[self.group_of[original]].donors;
        let mut donors = Shuffle::new(candidates.len() as u128, seed);
        let mut started: Vec<Donor> = Vec::new();
        let mut turn = 0;
        let mut seen: FxHashSet<Vec<usize>> = FxHashSet::default();
        std::iter::from_fn(move || {
            loop {
                let at = if let Some(number) = donors.next() {
                    let index = usize::try_from(number).expect("it is an index of a vector");
                    let Some(donor) = self.donor(original, candidates[index], seed) else {
                        continue;
                    };
                    started.push(donor);
                    started.len() - 1
                } else {
                    turn = if turn < started.len() { turn } else { 0 };
                    turn
                };
                let donor = started.get_mut(at)?;
                let Some(subset) = donor.subsets.next() else {
                    started.remove(at);
                    continue;
                };
                turn = at + 1;
                // The empty subset would give the original, and the full one the donor; neither is
                // drawn.
                let taken = |i: usize| (subset + 1) >> i & 1 == 1;
                let chosen: Vec<usize> = (0..donor.differing.len())
                    .filter(|&i| taken(i))
                    .map(|i| donor.differing[i])
                    .collect();
                let mut contents = self.contents[original].clone();
                for &component in &chosen {
                    contents[component] = self.contents[donor.index][component];
                }
                if seen.insert(contents) {
                    return Some(self.swap(original, donor.index, &chosen));
                }
            }
        })
    }

    /// The components that another multi-trace can give to an original, if at least two differ.
    fn donor(&self, original: usize, index: usize, seed: u64) -> Option<Donor> {
        let (own, other) = (&self.contents[original], &self.contents[index]);
        let mut differing: Vec<usize> = (0..own.len()).filter(|&i| own[i] != other[i]).collect();
        if differing.len() < 2 {
            return None;
        }
        let all = differing.len() <= MAX_DIFFERING;
        differing.truncate(MAX_DIFFERING);
        let subsets = (1u128 << differing.len()) - if all { 2 } else { 1 };
        let seed = derive_seed(seed, &["donor", &index.to_string()]);
        Some(Donor { index, differing, subsets: Shuffle::new(subsets, seed) })
    }

    /// The swap, with components numbered as in the original.
    fn swap(&self, original: usize, donor: usize, chosen: &[usize]) -> Swap {
        let first = self.traces[self.groups[self.group_of[original]].first].partition();
        let own = self.traces[original].partition();
        let mut components: Vec<ComponentId> =
            chosen.iter().map(|&i| counterpart(first, ComponentId::new(i), own)).collect();
        components.sort_unstable();
        Swap { components, donor }
    }
}

/// A multi-trace that gives components, and the order in which subsets of them are tried.
struct Donor {
    index: usize,
    differing: Vec<usize>,
    subsets: Shuffle,
}

impl Swap {
    /// Replaces these components of the original by those of the donor.
    ///
    /// # Panics
    /// If the swap does not belong to these multi-traces.
    pub fn apply(&self, original: &MultiTrace, donor: &MultiTrace) -> MultiTrace {
        self.rebuild(original, donor, false).0
    }

    /// Replaces these components of the original by those of the donor, with the values of their events. Both must have
    /// the same fields.
    ///
    /// # Panics
    /// If the swap does not belong to these multi-traces.
    pub fn apply_with_facts(
        &self,
        original: (&MultiTrace, &Facts),
        donor: (&MultiTrace, &Facts),
    ) -> (MultiTrace, Facts) {
        let (mutant, origins) = self.rebuild(original.0, donor.0, true);
        let facts = original.1.followed_by(donor.1).rearranged(&mutant, &origins);
        (mutant, facts)
    }

    fn rebuild(
        &self,
        original: &MultiTrace,
        donor: &MultiTrace,
        tagged: bool,
    ) -> (MultiTrace, Vec<u32>) {
        let partition = original.partition();
        word::rebuild(partition, original.len(), tagged, |component, builder| {
            let part = if self.components.binary_search(&component).is_ok() {
                let other = counterpart(partition, component, donor.partition());
                Part::all(donor, other).after(original.len())
            } else {
                Part::all(original, component)
            };
            word::copy(builder, part);
        })
    }

    /// Describes the swap.
    pub fn describe(&self, original: &MultiTrace, donor: &str, pool: &Pool) -> String {
        let name = |&component: &ComponentId| {
            word::component_text(original.partition(), component, pool.signature())
        };
        let names: Vec<String> = self.components.iter().map(name).collect();
        format!("took {} from {donor}", names.join(" and "))
    }
}

/// The component of another partition with the same lifelines.
fn counterpart(own: &Partition, component: ComponentId, other: &Partition) -> ComponentId {
    other.component_of(own.lifelines(component)[0])
}
