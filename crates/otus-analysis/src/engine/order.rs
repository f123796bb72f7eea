//! Conflict relations between lifelines.
//!
//! Every scheduling operator of the language is one operator `sched_D(x, y)` with a relation D
//! between lifelines: an event of y may come before one of x only if no lifeline of the one is
//! related to a lifeline of the other. The relations that occur are partial equivalences, that
//! is, sets of disjoint *classes* of lifelines:
//!
//! | operator | classes |
//! |---|---|
//! | `par` | none |
//! | `coreg_r` (`seq` is `coreg_∅`) | each lifeline outside r by itself |
//! | `strict` | one, of all lifelines |
//! | `strict`, relaxed ([`coupling`](super::coupling)) | each component |
//!
//! Restriction to a set of lifelines keeps this property. D(X), the lifelines in conflict with some
//! lifeline of X, is the union of the classes that meet X. Classes of one lifeline, which nearly
//! all are, are stored together as one set.

use otus_core::LifelineSet;
use smallvec::SmallVec;

/// A partial equivalence relation on lifelines.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Order {
    /// The union of the classes with one lifeline.
    singles: LifelineSet,
    /// The classes with several lifelines, sorted by their first lifeline.
    blocks: Box<[LifelineSet]>,
}

impl Order {
    /// The relation with these disjoint classes.
    pub(crate) fn new(classes: impl IntoIterator<Item = LifelineSet>) -> Self {
        let mut singles = LifelineSet::EMPTY;
        let mut blocks: Vec<LifelineSet> = Vec::new();
        for class in classes {
            match class.len() {
                0 => {}
                1 => singles = singles.union(&class),
                _ => blocks.push(class),
            }
        }
        blocks.sort_unstable_by_key(|block| block.iter().next());
        Order { singles, blocks: blocks.into() }
    }

    /// The lifelines of the relation, if each of them is in conflict only with itself.
    pub(crate) fn as_diagonal(&self) -> Option<&LifelineSet> {
        self.blocks.is_empty().then_some(&self.singles)
    }

    /// The relation in which each lifeline of a set is in conflict only with itself.
    pub(crate) fn diagonal(singles: LifelineSet) -> Self {
        Order { singles, blocks: Box::default() }
    }

    /// Whether nothing is in conflict.
    pub(crate) fn is_none(&self) -> bool {
        self.blocks.is_empty() && self.singles.is_empty()
    }

    /// D(X).
    #[inline]
    pub(crate) fn conflicts(&self, lifelines: &LifelineSet) -> LifelineSet {
        let mut all = self.singles.intersection(lifelines);
        for block in &self.blocks {
            if !block.is_disjoint(lifelines) {
                all = all.union(block);
            }
        }
        all
    }

    /// Whether an event on `left` and one on `right` are in conflict.
    #[inline]
    pub(crate) fn relates(&self, left: &LifelineSet, right: &LifelineSet) -> bool {
        if !self.singles.is_empty() {
            let both = left.intersection(right);
            if !both.is_disjoint(&self.singles) {
                return true;
            }
        }
        self.blocks.iter().any(|block| !block.is_disjoint(left) && !block.is_disjoint(right))
    }

    pub(crate) fn classes(&self) -> impl Iterator<Item = LifelineSet> {
        let singles = self.singles.iter().map(LifelineSet::singleton);
        singles.chain(self.blocks.iter().cloned())
    }

    /// The restriction of the relation to some lifelines.
    pub(crate) fn within(&self, lifelines: &LifelineSet) -> Order {
        let singles = self.singles.intersection(lifelines);
        if self.blocks.is_empty() {
            return Order::diagonal(singles);
        }
        let blocks = self.blocks.iter().map(|block| block.intersection(lifelines));
        Order::new(blocks.chain(singles.iter().map(LifelineSet::singleton)))
    }

    /// The part that matters between operands with these lifelines: the classes that meet at least
    /// two operands, restricted to the lifelines of the operands.
    #[inline]
    pub(crate) fn between<'s>(
        &self,
        operands: impl Iterator<Item = &'s LifelineSet> + Clone,
    ) -> Order {
        if self.blocks.is_empty() {
            let shared = LifelineSet::in_several(operands);
            return Order::diagonal(self.singles.intersection(&shared));
        }
        self.between_with_blocks(operands)
    }

    fn between_with_blocks<'s>(
        &self,
        operands: impl Iterator<Item = &'s LifelineSet> + Clone,
    ) -> Order {
        let shared = LifelineSet::in_several(operands.clone());
        let mut once = LifelineSet::EMPTY;
        let mut met: SmallVec<[u32; 8]> = SmallVec::from_elem(0, self.blocks.len());
        for lifelines in operands {
            once = once.union(lifelines);
            for (count, block) in met.iter_mut().zip(&self.blocks) {
                *count += u32::from(!block.is_disjoint(lifelines));
            }
        }
        let singles = self.singles.intersection(&shared);
        let blocks = self.blocks.iter().zip(&met).filter(|(_, count)| **count >= 2);
        let blocks = blocks.map(|(block, _)| block.intersection(&once));
        Order::new(blocks.chain(singles.iter().map(LifelineSet::singleton)))
    }

    /// The least partial equivalence that contains both.
    pub(crate) fn join(&self, other: &Order) -> Order {
        if self.blocks.is_empty() && other.blocks.is_empty() {
            return Order::diagonal(self.singles.union(&other.singles));
        }
        let mut classes: Vec<LifelineSet> = Vec::new();
        for class in self.classes().chain(other.classes()) {
            let mut class = class;
            classes.retain(|known| {
                let apart = known.is_disjoint(&class);
                if !apart {
                    class = class.union(known);
                }
                apart
            });
            classes.push(class);
        }
        Order::new(classes)
    }
}

#[cfg(test)]
mod tests {
    use otus_core::LifelineId;

    use super::*;

    fn set(lifelines: &[u32]) -> LifelineSet {
        lifelines.iter().map(|&lifeline| LifelineId(lifeline)).collect()
    }

    fn order(classes: &[&[u32]]) -> Order {
        Order::new(classes.iter().map(|class| set(class)))
    }

    #[test]
    fn conflicts_are_the_classes_that_are_met() {
        let some = order(&[&[0], &[1, 2], &[5]]);
        assert_eq!(some.conflicts(&set(&[0, 2, 3])), set(&[0, 1, 2]));
        assert_eq!(some.conflicts(&set(&[3])), set(&[]));
        assert!(some.relates(&set(&[1]), &set(&[2])) && some.relates(&set(&[0, 4]), &set(&[0])));
        assert!(!some.relates(&set(&[0]), &set(&[5])) && !some.relates(&set(&[4]), &set(&[4])));
    }

    #[test]
    fn only_what_two_operands_share_matters() {
        let some = order(&[&[0], &[1, 2, 3], &[4, 5]]);
        let operands = [set(&[0, 1]), set(&[2, 4]), set(&[0])];
        assert_eq!(some.between(operands.iter()), order(&[&[0], &[1, 2]]));
        assert_eq!(some.within(&set(&[1, 4, 5])), order(&[&[1], &[4, 5]]));
    }

    #[test]
    fn joined_classes_grow_together() {
        let left = order(&[&[0], &[1, 2]]);
        let right = order(&[&[2, 3], &[4], &[0]]);
        assert_eq!(left.join(&right), order(&[&[0], &[1, 2, 3], &[4]]));
    }
}
