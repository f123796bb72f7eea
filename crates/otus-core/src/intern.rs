//! Interning: equal items get equal ids.

use std::hash::{Hash, Hasher as _};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::index::{Index, IndexVec};

/// Distinct items with dense ids, in order of first use.
#[derive(Debug, Clone)]
pub struct Interner<I, T> {
    /// The items, indexed by id.
    pub items: IndexVec<I, T>,
    table: HashTable<I>,
}

impl<I, T> Default for Interner<I, T> {
    fn default() -> Self {
        Interner { items: IndexVec::default(), table: HashTable::default() }
    }
}

impl<I: Index, T: Eq + Hash> Interner<I, T> {
    /// The id of an item, if it has one.
    pub fn find(&self, item: &T) -> Option<I> {
        self.table.find(hash(item), |&id| self.items[id] == *item).copied()
    }

    /// The id of an item, looked up by a borrowed key that hashes like it. `equals` compares an item with
    /// the key.
    pub fn find_as(&self, key: &impl Hash, equals: impl Fn(&T) -> bool) -> Option<I> {
        self.table.find(hash(key), |&id| equals(&self.items[id])).copied()
    }

    /// The id of an item. An item that is new gets the next id.
    pub fn intern(&mut self, item: T) -> I {
        let hash = hash(&item);
        if let Some(&id) = self.table.find(hash, |&id| self.items[id] == item) {
            return id;
        }
        let id = self.items.push(item);
        self.table.insert_unique(hash, id, |&id| self::hash(&self.items[id]));
        id
    }
}

fn hash<T: Hash>(item: &T) -> u64 {
    let mut hasher = FxHasher::default();
    item.hash(&mut hasher);
    hasher.finish()
}
