//! Typed 32-bit ids and vectors indexed by them.
//!
//! Each kind of object has its own id type, so that a lifeline cannot be passed for a message.
//! Ids are dense: the first object of a kind has the id 0, the next 1.

use std::fmt;
use std::marker::PhantomData;
use std::ops;

/// A dense id.
pub trait Index: Copy + Eq + Ord + fmt::Debug {
    /// The id with a given number.
    ///
    /// # Panics
    /// If the number does not fit in 32 bits.
    fn new(index: usize) -> Self;

    /// The number of the id.
    fn index(self) -> usize;
}

/// Defines id types: a new type around `u32` that implements [`Index`].
#[macro_export]
macro_rules! define_id {
    ($($(#[$meta:meta])* $visibility:vis $name:ident;)*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility struct $name(pub u32);

        impl $crate::index::Index for $name {
            fn new(index: usize) -> Self {
                $name(u32::try_from(index).expect("ids have 32 bits"))
            }

            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

define_id! {
    /// A lifeline of a signature.
    pub LifelineId;
    /// A message of a signature.
    pub MessageId;
    /// An action of a pool: `l!m` or `l?m`.
    pub ActionId;
    /// An event of a pool: the actions of one indivisible step.
    pub EventId;
    /// A set of lifelines of a pool: a concurrent region, or the lifelines of a term.
    pub RegionId;
    /// A term of a pool.
    pub TermId;
}

/// A vector indexed by ids of one type.
#[derive(Clone, PartialEq, Eq)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    index: PhantomData<fn(I) -> I>,
}

impl<I: Index, T> IndexVec<I, T> {
    /// `len` copies of an item.
    pub fn filled(item: T, len: usize) -> Self
    where
        T: Clone,
    {
        IndexVec { items: vec![item; len], index: PhantomData }
    }

    /// Appends an item and returns its id.
    pub fn push(&mut self, item: T) -> I {
        let id = I::new(self.items.len());
        self.items.push(item);
        id
    }

    /// The item with an id, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The ids in order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    /// The items in order, with their ids.
    pub fn iter_with_ids(&self) -> impl ExactSizeIterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(index, item)| (I::new(index), item))
    }

    /// The items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// Removes all items and keeps the allocated memory.
    pub fn clear(&mut self) {
        self.items.clear();
    }
}

impl<I, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        IndexVec { items: Vec::new(), index: PhantomData }
    }
}

impl<I: Index, T> ops::Index<I> for IndexVec<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Index, T> ops::IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Index, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(items: A) -> Self {
        IndexVec { items: items.into_iter().collect(), index: PhantomData }
    }
}

impl<'a, I: Index, T> IntoIterator for &'a IndexVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.items).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_dense_and_typed() {
        let mut names: IndexVec<LifelineId, &str> = IndexVec::default();
        assert_eq!(names.push("a"), LifelineId(0));
        assert_eq!(names.push("b"), LifelineId(1));
        assert_eq!(names[LifelineId(1)], "b");
        assert_eq!(names.get(LifelineId(2)), None);
        assert_eq!(names.ids().collect::<Vec<_>>(), [LifelineId(0), LifelineId(1)]);
        assert_eq!(format!("{:?}", LifelineId(1)), "LifelineId(1)");
    }
}
