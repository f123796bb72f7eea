//! All mutants of a multi-trace that differ from it by one change.
//!
//! Changes with the same result count once, by these laws about words:
//! - inserting `x` before or after an `x` has the same result, so `x` is not inserted right after
//!   an `x`; other insertions have different results;
//! - dropping, or repeating, any letter of a run of equal letters has the same result, so only the
//!   first is dropped and only the last is repeated; others have different results;
//! - exchanging equal letters changes nothing; two exchanges of different letters have different
//!   results, because each changes exactly its two places.
//!
//! So the number of mutants is a sum over the word, and a mutant is found by its number in
//! logarithmic time.

use otus_core::index::Index as _;
use otus_core::{Action, Direction, MessageId, Pool};

use super::change::Change;
use super::shuffle::Shuffle;
use super::word::Word;
use crate::multitrace::{ComponentId, MultiTrace};

/// The mutants with one action of the signature inserted in the component of its lifeline, as a
/// separate moment; ordered by component, place and action.
///
/// ```
/// use otus_core::Pool;
/// use otus_syntax::{Source, parse_trace, print};
/// use otus_trace::{lower, raise, transform};
///
/// let tree = parse_trace(&Source::new("run.htf", "{[a] a!m}")).tree;
/// let mut pool = Pool::new(transform::implied_signature([&tree]));
/// let (run, _) = lower(&tree, &mut pool);
/// let mutants = transform::noise(&run, &pool).choose(10, 0, &mut pool);
/// let mut shown: Vec<String> =
///     mutants.iter().map(|mutant| print::trace_line(&raise(&mutant.trace, &pool))).collect();
/// shown.sort();
/// assert_eq!(shown, ["{[#all] a!m.a!m}", "{[#all] a!m.a?m}", "{[#all] a?m.a!m}"]);
/// ```
pub fn noise<'a>(trace: &'a MultiTrace, pool: &Pool) -> Changes<'a> {
    let messages = pool.signature().message_count();
    changes(trace, |component| {
        let lifelines = trace.partition().lifelines(component);
        let rank = |action: Action| {
            let lifeline = lifelines.binary_search(&action.lifeline).ok()?;
            let reception = usize::from(action.direction == Direction::Reception);
            Some((lifeline * 2 + reception) * messages + action.message.index())
        };
        let actions = lifelines.len() * 2 * messages;
        let mut gaps = vec![Gap { before: 0, excluded: None }];
        let mut total = actions as u128;
        for moment in trace.moments(component) {
            let excluded = match moment {
                [step] => rank(pool.action(step.action())),
                _ => None,
            };
            gaps.push(Gap { before: total, excluded });
            total += (actions - usize::from(excluded.is_some())) as u128;
        }
        (total, Table::Noise { messages, gaps })
    })
}

/// The mutants with two moments of a component exchanged; ordered by component, earlier moment and
/// later moment.
pub fn swap_actions(trace: &MultiTrace) -> Changes<'_> {
    changes(trace, |component| {
        let (total, pairs) = Pairs::new(Word::new(trace, component).letters);
        (total, Table::Swap(pairs))
    })
}

/// The pairs of different letters of a word, by number; ordered by earlier and later place.
#[derive(Debug, Clone)]
pub(super) struct Pairs {
    letters: Vec<u32>,
    /// For each letter: the places that have it.
    places: Vec<Vec<usize>>,
    /// For each place: its index among the places with its letter.
    ranks: Vec<usize>,
    /// For each earlier place: the number of pairs that come before its own.
    firsts: Vec<u128>,
}

impl Pairs {
    /// The number of pairs, and the pairs. Letters are numbered by first occurrence.
    pub(super) fn new(letters: Vec<u32>) -> (u128, Pairs) {
        let mut places: Vec<Vec<usize>> = Vec::new();
        let mut ranks = Vec::with_capacity(letters.len());
        for (i, &letter) in letters.iter().enumerate() {
            if places.len() <= letter as usize {
                places.push(Vec::new());
            }
            let equal = &mut places[letter as usize];
            ranks.push(equal.len());
            equal.push(i);
        }
        let mut firsts = Vec::with_capacity(letters.len());
        let mut total = 0;
        for (i, (&letter, rank)) in letters.iter().zip(&ranks).enumerate() {
            firsts.push(total);
            let later_equal = places[letter as usize].len() - rank - 1;
            total += (letters.len() - i - 1 - later_equal) as u128;
        }
        (total, Pairs { letters, places, ranks, firsts })
    }

    /// The pair with a number.
    pub(super) fn get(&self, number: u128) -> (usize, usize) {
        let (first, rest) = locate(&self.firsts, |&before| before, number);
        let equal = &self.places[self.letters[first] as usize][self.ranks[first] + 1..];
        (first, nth_other(first + 1, equal, small(rest)))
    }
}

/// A number that is an index of a vector.
fn small(number: u128) -> usize {
    usize::try_from(number).expect("it is an index of a vector")
}

/// The mutants with one moment dropped; ordered by component and moment.
pub fn remove(trace: &MultiTrace) -> Changes<'_> {
    let change = |component, index| Change::Remove { component, index };
    at_moments(trace, change, |letters, i| i == 0 || letters[i - 1] != letters[i])
}

/// The mutants with one moment repeated; ordered by component and moment.
pub fn duplicate(trace: &MultiTrace) -> Changes<'_> {
    let change = |component, index| Change::Duplicate { component, index };
    at_moments(trace, change, |letters, i| letters.get(i + 1) != Some(&letters[i]))
}

/// The mutants with a change at one of the wanted moments.
fn at_moments(
    trace: &MultiTrace,
    change: fn(ComponentId, usize) -> Change,
    wanted: impl Fn(&[u32], usize) -> bool,
) -> Changes<'_> {
    changes(trace, |component| {
        let letters = Word::new(trace, component).letters;
        let indices: Vec<usize> = (0..letters.len()).filter(|&i| wanted(&letters, i)).collect();
        (indices.len() as u128, Table::Moments(indices, change))
    })
}

/// A set of changes of a multi-trace, with distinct results that differ from the original.
#[derive(Debug, Clone)]
pub struct Changes<'a> {
    trace: &'a MultiTrace,
    /// For each component: the table of its changes.
    tables: Vec<Table>,
    /// For each component: the number of changes before its own.
    before: Vec<u128>,
    count: u128,
}

/// A mutant and its difference from the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// The mutant.
    pub trace: MultiTrace,
    /// The change.
    pub change: Change,
}

impl<'a> Changes<'a> {
    /// The number of changes.
    pub fn count(&self) -> u128 {
        self.count
    }

    /// The change with the given number, from 0.
    pub fn get(&self, number: u128) -> Option<Change> {
        if number >= self.count {
            return None;
        }
        let (index, rest) = locate(&self.before, |&before| before, number);
        Some(self.tables[index].get(ComponentId::new(index), rest, self.trace))
    }

    /// All changes in order.
    pub fn iter(&self) -> impl Iterator<Item = Change> + use<'_, 'a> {
        (0..self.count).filter_map(|number| self.get(number))
    }

    /// All changes in a random order that the seed determines. The first ones are a random sample.
    pub fn sample(&self, seed: u64) -> impl Iterator<Item = Change> + use<'_, 'a> {
        Shuffle::new(self.count, seed).filter_map(|number| self.get(number))
    }

    /// `count` random mutants, or all if there are fewer.
    pub fn choose(&self, count: usize, seed: u64, pool: &mut Pool) -> Vec<Mutant> {
        let made = |change: Change| Mutant { trace: change.apply(self.trace, pool), change };
        self.sample(seed).take(count).map(made).collect()
    }
}

/// The changes of one component by number.
#[derive(Debug, Clone)]
enum Table {
    Noise {
        messages: usize,
        /// The gap before each moment, and the gap at the end.
        gaps: Vec<Gap>,
    },
    Swap(Pairs),
    /// The moments that can be changed, and the function that makes the change of a moment.
    Moments(Vec<usize>, fn(ComponentId, usize) -> Change),
}

/// A gap between moments. The actions of a component are numbered by lifeline, direction and
/// message.
#[derive(Debug, Clone, Copy)]
struct Gap {
    /// The number of changes before those in this gap.
    before: u128,
    /// The number of the action of the moment before the gap. It is not inserted, because the
    /// result would be the same as in the gap before.
    excluded: Option<usize>,
}

/// Builds the tables of all components.
fn changes(trace: &MultiTrace, table: impl Fn(ComponentId) -> (u128, Table)) -> Changes<'_> {
    let mut changes = Changes { trace, tables: Vec::new(), before: Vec::new(), count: 0 };
    for component in trace.partition().components() {
        let (count, table) = table(component);
        changes.before.push(changes.count);
        changes.tables.push(table);
        changes.count += count;
    }
    changes
}

impl Table {
    fn get(&self, component: ComponentId, number: u128, trace: &MultiTrace) -> Change {
        match self {
            Table::Noise { messages, gaps } => {
                let (index, rest) = locate(gaps, |gap| gap.before, number);
                let rest = small(rest);
                let skipped = gaps[index].excluded.is_some_and(|excluded| excluded <= rest);
                let rank = rest + usize::from(skipped);
                let lifeline = trace.partition().lifelines(component)[rank / messages / 2];
                let message = MessageId::new(rank % messages);
                let action = match rank / messages % 2 {
                    0 => Action::emission(lifeline, message),
                    _ => Action::reception(lifeline, message),
                };
                Change::Noise { component, index, action }
            }
            Table::Swap(pairs) => {
                let (first, second) = pairs.get(number);
                Change::SwapActions { component, first, second }
            }
            Table::Moments(indices, change) => change(component, indices[small(number)]),
        }
    }
}

/// The index of the last entry that has at most `number` changes before it, and the remaining
/// number.
pub(super) fn locate<T>(entries: &[T], before: impl Fn(&T) -> u128, number: u128) -> (usize, u128) {
    let index = entries.partition_point(|entry| before(entry) <= number) - 1;
    (index, number - before(&entries[index]))
}

/// The `rank`-th number, from 0, among the numbers from `start` on that are not in a sorted list.
fn nth_other(start: usize, list: &[usize], rank: usize) -> usize {
    // There are `list[i] - start - i` such numbers before `list[i]`.
    let (mut low, mut high) = (0, list.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        if list[middle] - start - middle <= rank {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    start + rank + low
}
