//! The nodes that are reachable from a set, in ascending order of their ids: children before parents.
//!
//! A graph search with a hash set finds them; once it has visited a large part of all nodes, a pass over all ids
//! is cheaper and replaces it. So the cost depends on the set, not on the whole diagram.

use otus_core::budget::Stop;
use rustc_hash::FxHashMap;

use super::diagram::Diagram;
use super::store::{FULL, Id, Store};

/// The nodes below a root, without the terminals.
#[derive(Debug)]
pub(super) struct Reach {
    /// The ids in ascending order; the last one is the root.
    pub(super) ids: Vec<Id>,
    places: Places,
}

#[derive(Debug)]
enum Places {
    Few(FxHashMap<Id, u32>),
    Many(Vec<u32>),
}

/// The index that stands for a node that is not reachable.
const UNNEEDED: u32 = u32::MAX;

impl Reach {
    pub(super) fn bytes(&self) -> usize {
        let places = match &self.places {
            Places::Few(places) => places.capacity() * size_of::<(Id, u32)>(),
            Places::Many(places) => places.capacity() * size_of::<u32>(),
        };
        places + self.ids.capacity() * size_of::<Id>()
    }

    /// The index of a node in `ids`.
    #[inline]
    pub(super) fn place(&self, id: Id) -> usize {
        match &self.places {
            Places::Few(places) => places.get(&id).copied().unwrap_or(0) as usize,
            Places::Many(places) => places[id as usize] as usize,
        }
    }
}

impl Diagram {
    /// The nodes reachable from `root`; none for a terminal.
    pub(super) fn reach_from(&mut self, root: Id) -> Result<Reach, Stop> {
        if let Some(found) = self.walk(root, self.store.count / 16) {
            return Ok(found);
        }
        let lists = (root as usize + self.store.count) * size_of::<Id>();
        self.pace.budget.check_bytes(self.bytes() + lists)?;
        self.pace.check()?;
        // Parents come after their children, so one descending pass marks and one ascending pass collects.
        let mut places = vec![UNNEEDED; root as usize + 1];
        places[root as usize] = 0;
        let mut ids: Vec<Id> = Vec::new();
        let mut at = Store::first(self.bounds.len());
        while at <= root as usize {
            ids.push(Id::try_from(at).unwrap_or(Id::MAX));
            at += 1 + self.store.places[at].high as usize;
        }
        for &id in ids.iter().rev() {
            if places[id as usize] != UNNEEDED {
                self.pace.step(self.store.edges_of(id).len())?;
                for edge in self.store.edges_of(id) {
                    places[edge.child as usize] = 0;
                }
            }
        }
        ids.retain(|&id| places[id as usize] != UNNEEDED);
        for (place, &id) in (0..).zip(&ids) {
            places[id as usize] = place;
        }
        Ok(Reach { ids, places: Places::Many(places) })
    }

    /// Finds the reachable nodes by a graph search; `None` if there are more than `most`.
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
            for edge in self.store.edges_of(id) {
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
}
