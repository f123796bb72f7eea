//! Sets of lifelines.
//!
//! Almost every signature has at most 64 lifelines, so a set is one inline word; a larger one is a
//! boxed slice of words. The representation is canonical: words are boxed only if the set contains a
//! lifeline with an id of at least 64, and the last boxed word is never zero. Equal sets are
//! therefore equal values with equal hashes.

use std::fmt;

use crate::index::LifelineId;

/// A set of lifelines.
///
/// ```
/// use otus_core::{LifelineId, LifelineSet};
///
/// let set: LifelineSet = [LifelineId(2), LifelineId(0), LifelineId(2)].into_iter().collect();
/// assert_eq!(set.len(), 2);
/// assert!(set.is_subset(&LifelineSet::full(3)));
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LifelineSet(Words);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Words {
    Inline(u64),
    Boxed(Box<[u64]>),
}

const BITS: u32 = u64::BITS;

impl LifelineSet {
    /// The empty set.
    pub const EMPTY: LifelineSet = LifelineSet(Words::Inline(0));

    /// The set of the first `count` lifelines.
    pub fn full(count: usize) -> Self {
        let bits = BITS as usize;
        let mut words = vec![u64::MAX; count / bits];
        if !count.is_multiple_of(bits) {
            words.push((1 << (count % bits)) - 1);
        }
        LifelineSet::from_words(words)
    }

    /// The set of one lifeline.
    pub fn singleton(lifeline: LifelineId) -> Self {
        let mut set = LifelineSet::EMPTY;
        set.insert(lifeline);
        set
    }

    /// Adds a lifeline; returns whether it is new.
    pub fn insert(&mut self, lifeline: LifelineId) -> bool {
        let (word, bit) = place(lifeline);
        if word >= self.words().len() {
            let mut words = self.words().to_vec();
            words.resize(word + 1, 0);
            self.0 = Words::Boxed(words.into());
        }
        let slot = match &mut self.0 {
            Words::Inline(only) => only,
            Words::Boxed(words) => &mut words[word],
        };
        let new = *slot & bit == 0;
        *slot |= bit;
        new
    }

    /// Whether a lifeline is in the set.
    pub fn contains(&self, lifeline: LifelineId) -> bool {
        let (word, bit) = place(lifeline);
        self.words().get(word).is_some_and(|word| word & bit != 0)
    }

    /// The lifelines of either set.
    #[must_use]
    #[inline]
    pub fn union(&self, other: &LifelineSet) -> LifelineSet {
        self.combine(other, |a, b| a | b)
    }

    /// The lifelines of both sets.
    #[must_use]
    #[inline]
    pub fn intersection(&self, other: &LifelineSet) -> LifelineSet {
        self.combine(other, |a, b| a & b)
    }

    /// The lifelines of this set that are not in the other.
    #[must_use]
    #[inline]
    pub fn difference(&self, other: &LifelineSet) -> LifelineSet {
        self.combine(other, |a, b| a & !b)
    }

    /// The lifelines that are in at least two of the sets.
    #[inline]
    pub fn in_several<'s>(sets: impl Iterator<Item = &'s LifelineSet> + Clone) -> LifelineSet {
        let (mut once, mut twice) = (0, 0);
        for set in sets.clone() {
            let Words::Inline(word) = set.0 else { return LifelineSet::in_several_words(sets) };
            twice |= once & word;
            once |= word;
        }
        LifelineSet(Words::Inline(twice))
    }

    #[cold]
    fn in_several_words<'s>(sets: impl Iterator<Item = &'s LifelineSet>) -> LifelineSet {
        let (mut once, mut twice) = (LifelineSet::EMPTY, LifelineSet::EMPTY);
        for set in sets {
            twice = twice.union(&once.intersection(set));
            once = once.union(set);
        }
        twice
    }

    /// Whether every lifeline of this set is in the other.
    #[inline]
    pub fn is_subset(&self, other: &LifelineSet) -> bool {
        if let (Words::Inline(a), Words::Inline(b)) = (&self.0, &other.0) {
            return a & !b == 0;
        }
        let (own, others) = (self.words(), other.words());
        own.len() <= others.len() && own.iter().zip(others).all(|(a, b)| a & !b == 0)
    }

    /// Whether no lifeline is in both sets.
    #[inline]
    pub fn is_disjoint(&self, other: &LifelineSet) -> bool {
        if let (Words::Inline(a), Words::Inline(b)) = (&self.0, &other.0) {
            return a & b == 0;
        }
        self.words().iter().zip(other.words()).all(|(a, b)| a & b == 0)
    }

    /// Whether the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        matches!(self.0, Words::Inline(0))
    }

    /// The number of lifelines.
    pub fn len(&self) -> usize {
        self.words().iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The lifelines in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = LifelineId> {
        (0..).step_by(BITS as usize).zip(self.words()).flat_map(|(first, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                Some(LifelineId(first + bit))
            })
        })
    }

    /// The words, of 64 lifelines each; at least one.
    pub(crate) fn words(&self) -> &[u64] {
        match &self.0 {
            Words::Inline(word) => std::slice::from_ref(word),
            Words::Boxed(words) => words,
        }
    }

    #[inline]
    fn combine(&self, other: &LifelineSet, operation: impl Fn(u64, u64) -> u64) -> LifelineSet {
        if let (Words::Inline(a), Words::Inline(b)) = (&self.0, &other.0) {
            return LifelineSet(Words::Inline(operation(*a, *b)));
        }
        self.combine_words(other, operation)
    }

    #[cold]
    fn combine_words(
        &self,
        other: &LifelineSet,
        operation: impl Fn(u64, u64) -> u64,
    ) -> LifelineSet {
        let (own, others) = (self.words(), other.words());
        let word = |words: &[u64], i: usize| words.get(i).copied().unwrap_or(0);
        let words = (0..own.len().max(others.len()))
            .map(|i| operation(word(own, i), word(others, i)))
            .collect();
        LifelineSet::from_words(words)
    }

    pub(crate) fn from_word(word: u64) -> Self {
        LifelineSet(Words::Inline(word))
    }

    /// The set with these words, in canonical form.
    pub(crate) fn from_words(mut words: Vec<u64>) -> Self {
        let used = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        words.truncate(used);
        LifelineSet(match words.as_slice() {
            [] => Words::Inline(0),
            [only] => Words::Inline(*only),
            [..] => Words::Boxed(words.into()),
        })
    }
}

impl Default for LifelineSet {
    fn default() -> Self {
        LifelineSet::EMPTY
    }
}

impl FromIterator<LifelineId> for LifelineSet {
    fn from_iter<A: IntoIterator<Item = LifelineId>>(lifelines: A) -> Self {
        let mut words = vec![0];
        for lifeline in lifelines {
            let (word, bit) = place(lifeline);
            if word >= words.len() {
                words.resize(word + 1, 0);
            }
            words[word] |= bit;
        }
        LifelineSet::from_words(words)
    }
}

impl fmt::Debug for LifelineSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|lifeline| lifeline.0)).finish()
    }
}

fn place(lifeline: LifelineId) -> (usize, u64) {
    ((lifeline.0 / BITS) as usize, 1 << (lifeline.0 % BITS))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn set(numbers: &BTreeSet<u32>) -> LifelineSet {
        numbers.iter().map(|&number| LifelineId(number)).collect()
    }

    fn numbers(set: &LifelineSet) -> Vec<u32> {
        set.iter().map(|lifeline| lifeline.0).collect()
    }

    #[test]
    fn full_sets_hold_the_first_lifelines() {
        for count in [0, 1, 63, 64, 65, 127, 128, 129] {
            let full = LifelineSet::full(count);
            assert_eq!(full.len(), count);
            assert_eq!(full, (0..count).map(|i| LifelineId(u32::try_from(i).unwrap())).collect());
        }
    }

    #[test]
    fn a_set_is_two_words_wide() {
        assert_eq!(size_of::<LifelineSet>(), 16);
    }

    #[test]
    fn shrinking_back_under_65_lifelines_is_inline_again() {
        let big = LifelineSet::full(65);
        let small = big.difference(&LifelineSet::singleton(LifelineId(64)));
        assert_eq!(small, LifelineSet::full(64));
        assert!(matches!(small.0, Words::Inline(u64::MAX)));
    }

    proptest! {
        #[test]
        fn sets_behave_like_sets_of_numbers(
            a in proptest::collection::btree_set(0u32..150, 0..20),
            b in proptest::collection::btree_set(0u32..150, 0..20),
        ) {
            let (x, y) = (set(&a), set(&b));
            prop_assert_eq!(numbers(&x), a.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(x.union(&y), set(&a.union(&b).copied().collect()));
            prop_assert_eq!(x.intersection(&y), set(&a.intersection(&b).copied().collect()));
            prop_assert_eq!(x.difference(&y), set(&a.difference(&b).copied().collect()));
            prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
            prop_assert_eq!(x.is_disjoint(&y), a.is_disjoint(&b));
            prop_assert_eq!(x == y, a == b);
            prop_assert_eq!(LifelineSet::in_several([&x, &y].into_iter()), x.intersection(&y));
            prop_assert_eq!(&LifelineSet::in_several([&x, &y, &x].into_iter()), &x);
            prop_assert_eq!(x.len(), a.len());
            let mut inserted = LifelineSet::EMPTY;
            for &number in a.iter().rev() {
                prop_assert!(inserted.insert(LifelineId(number)));
                prop_assert!(!inserted.insert(LifelineId(number)));
            }
            prop_assert_eq!(inserted, x);
        }
    }
}
