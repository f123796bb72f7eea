//! Where a leaf occurs in a term over letters.
//!
//! Two attributes of terms, computed once for each, keep the search away from parts in which there is nothing to find: a
//! mask of the letters with instances below it, and the distance to the nearest occurrence of a leaf whose variables are bound or
//! that has none. Sessions that are over leave loops behind, in which no letter has an instance; and a session that begins takes
//! the nearest loop, so that the term stays balanced (see [`guided`](crate::engine)).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use otus_core::index::Index as _;
use otus_core::letters::{LetterId, Letters, Variables};
use otus_core::valued::ValuedId;
use otus_core::{Term, TermId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A position: the letters of the path from the root.
pub(super) type Position = Box<[u8]>;

/// The attributes of the terms met so far.
#[derive(Debug, Default)]
pub(super) struct Positions {
    masks: FxHashMap<TermId, u128>,
    /// By leaf, then by term: the distance to its nearest occurrence without instances.
    nearest: FxHashMap<ValuedId, FxHashMap<TermId, u32>>,
}

/// The distance to what is not there.
const FAR: u32 = u32::MAX;

impl Positions {
    /// The letters with instances below a term, as a mask.
    fn mask(&mut self, letters: &Letters, term: TermId) -> u128 {
        attribute(letters, &mut self.masks, term, |node, operands| match node.as_event() {
            Some(event) => bit(letters, letters.letter_of(event)),
            None => operands.iter().fold(0, |all, mask| all | mask),
        })
    }

    /// The distance from a term to the nearest occurrence of a leaf without instances.
    fn distance(&mut self, letters: &Letters, leaf: ValuedId, term: TermId) -> u32 {
        let is_own = |letter: LetterId| {
            letters.letter(letter).leaf == leaf && !has_instances(letters, letter)
        };
        let table = self.nearest.entry(leaf).or_default();
        attribute(letters, table, term, |node, operands| {
            let letter = node.as_event().and_then(|event| letters.letter_of(event));
            if letter.is_some_and(is_own) {
                return 0;
            }
            operands.iter().copied().min().unwrap_or(FAR).saturating_add(1)
        })
    }

    /// The positions of a letter with instances, at most some.
    pub(super) fn of_letter(
        &mut self,
        letters: &mut Letters,
        term: TermId,
        letter: LetterId,
        most: usize,
    ) -> Vec<Position> {
        let own = bit(letters, Some(letter));
        let event = letters.event(letter);
        let mut found = Vec::new();
        let mut pending: Vec<(TermId, Vec<u8>)> = vec![(term, Vec::new())];
        while let Some((at, path)) = pending.pop() {
            if self.mask(letters, at) & own == 0 {
                continue;
            }
            if letters.pool.node(at) == Term::Event(event) {
                found.push(path.into());
                if found.len() == most {
                    break;
                }
                continue;
            }
            let operands: Vec<TermId> = letters.pool.node(at).operands().collect();
            for (operand, number) in operands.into_iter().zip([1u8, 2]).rev() {
                let mut path = path.clone();
                path.push(number);
                pending.push((operand, path));
            }
        }
        found
    }

    /// The nearest positions of a leaf whose variables are bound, or that has none; at most some.
    pub(super) fn of_leaf(
        &mut self,
        letters: &Letters,
        term: TermId,
        leaf: ValuedId,
        most: usize,
    ) -> Vec<Position> {
        let mut found = Vec::new();
        let mut heap = BinaryHeap::new();
        let mut paths: Vec<(TermId, Vec<u8>)> = vec![(term, Vec::new())];
        let first = self.distance(letters, leaf, term);
        heap.push(Reverse((first, 0usize)));
        while let Some(Reverse((distance, at))) = heap.pop() {
            if distance == FAR {
                break;
            }
            let (term, path) = paths[at].clone();
            if matches!(letters.pool.node(term), Term::Event(_)) {
                found.push(path.into());
                if found.len() == most {
                    break;
                }
                continue;
            }
            let operands: Vec<TermId> = letters.pool.node(term).operands().collect();
            for (operand, number) in operands.into_iter().zip([1u8, 2]) {
                let mut path = path.clone();
                path.push(number);
                let length = u32::try_from(path.len()).unwrap_or(FAR);
                let distance = self.distance(letters, leaf, operand);
                if distance != FAR {
                    heap.push(Reverse((distance.saturating_add(length), paths.len())));
                    paths.push((operand, path));
                }
            }
        }
        found
    }
}

/// An attribute of a term that is computed from those of its operands, with a table of those known.
fn attribute<R: Copy + Default>(
    letters: &Letters,
    known: &mut FxHashMap<TermId, R>,
    term: TermId,
    compute: impl Fn(Term, &[R]) -> R,
) -> R {
    let mut pending = vec![term];
    while let Some(&at) = pending.last() {
        if known.contains_key(&at) {
            pending.pop();
            continue;
        }
        let node = letters.pool.node(at);
        let operands: SmallVec<[R; 2]> =
            node.operands().filter_map(|operand| known.get(&operand).copied()).collect();
        if operands.len() == node.operands().len() {
            known.insert(at, compute(node, &operands));
            pending.pop();
        } else {
            pending.extend(node.operands().filter(|operand| !known.contains_key(operand)));
        }
    }
    known.get(&term).copied().unwrap_or_default()
}

/// The bit of a letter with instances.
fn bit(letters: &Letters, letter: Option<LetterId>) -> u128 {
    letter.filter(|&it| has_instances(letters, it)).map_or(0, |it| 1 << (it.index() % 128))
}

/// Whether a letter belongs to an iteration: some of its variables have, or can have, instances of it.
pub(super) fn has_instances(letters: &Letters, letter: LetterId) -> bool {
    match &letters.letter(letter).variables {
        Variables::Instances(own) => !own.is_empty(),
        Variables::Bound(template) => template.iteration != Letters::WHOLE,
    }
}
