//! The nodes that a set needs, in ascending order of their numbers: children before parents.
//!
//! What is small is found by a walk that remembers where it was; once that has seen a good part
//! of all nodes, a pass over all numbers is cheaper. So the cost is that of the set, not of all that was
//! ever made.

use rustc_hash::FxHashMap;

use super::diagram::Diagram;
use super::store::{EMPTY, FULL, Id};

/// The nodes below a root, terminals apart.
#[derive(Debug)]
pub(super) struct Reach {
    /// In ascending order; the last one is the root.
    pub(super) ids: Vec<Id>,
    places: Places,
}

#[derive(Debug)]
enum Places {
    Few(FxHashMap<Id, u32>),
    Many(Vec<u32>),
}

impl Reach {
    /// The place of a node in `ids`.
    #[inline]
    pub(super) fn place(&self, id: Id) -> usize {
        match &self.places {
            Places::Few(places) => places.get(&id).copied().unwrap_or(0) as usize,
            Places::Many(places) => places[id as usize] as usize,
        }
    }
}

impl Diagram {
    /// The nodes that `root` needs; none for a terminal.
    pub(super) fn reach_from(&self, root: Id) -> Reach {
        if let Some(found) = self.walk(root, root as usize / 16) {
            return found;
        }
        let marked = self.mark(std::iter::once(root));
        let mut places = vec![0; root as usize + 1];
        let mut ids = Vec::new();
        for id in FULL + 1..=root {
            if marked[id as usize] {
                places[id as usize] = u32::try_from(ids.len()).unwrap_or(u32::MAX);
                ids.push(id);
            }
        }
        Reach { ids, places: Places::Many(places) }
    }

    /// The same by a walk; `None` if there are more than `most`.
    fn walk(&self, root: Id, most: usize) -> Option<Reach> {
        let mut places = FxHashMap::default();
        let mut ids = Vec::new();
        if root > FULL {
            places.insert(root, 0);
            ids.push(root);
        }
        let mut at = 0;
        while let Some(&id) = ids.get(at) {
            at += 1;
            for edge in self.store.edges_of(id as usize) {
                if edge.child > FULL && places.insert(edge.child, 0).is_none() {
                    ids.push(edge.child);
                }
            }
            if ids.len() > most.max(16) {
                return None;
            }
        }
        ids.sort_unstable();
        for (place, id) in (0..).zip(&ids) {
            places.insert(*id, place);
        }
        Some(Reach { ids, places: Places::Few(places) })
    }

    /// Which numbers are needed by these, the terminals always.
    pub(super) fn mark(&self, roots: impl Iterator<Item = Id>) -> Vec<bool> {
        let mut marked = vec![false; self.store.len()];
        marked[EMPTY as usize] = true;
        marked[FULL as usize] = true;
        let mut highest = FULL as usize;
        for root in roots {
            marked[root as usize] = true;
            highest = highest.max(root as usize);
        }
        for id in (FULL as usize + 1..=highest).rev() {
            if marked[id] {
                for edge in self.store.edges_of(id) {
                    marked[edge.child as usize] = true;
                }
            }
        }
        marked
    }
}
