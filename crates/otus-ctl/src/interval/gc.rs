//! Garbage collection by mark and copy.
//!
//! A traversal from the roots marks headers. Then the marked nodes are copied in their order, so that children
//! still come before parents; each leaves its new id in the old header, where its parents find it.
//! So the peak memory is the old array and a new one for the marked nodes; if the budget does not allow that, nothing
//! is collected. The roots are renamed, and the memo is cleared, since it has old ids.

use otus_core::budget::Stop;

use super::diagram::{Diagram, Set};
use super::store::{Edge, FULL, Id, NEEDED, Store};
use crate::pace::Pace;

impl Diagram {
    /// Removes every node that is not reachable from `roots`, and renames the roots. All other sets of this
    /// diagram are invalid afterwards.
    ///
    /// # Errors
    /// The limit of the budget that was met; the diagram cannot be used any more.
    pub(crate) fn collect<'s>(
        &mut self,
        roots: impl IntoIterator<Item = &'s mut Set>,
    ) -> Result<(), Stop> {
        let roots: Vec<&mut Set> = roots.into_iter().collect();
        let first = Store::first(self.bounds.len());
        let needed = self.store.mark(roots.iter().map(|root| root.0), &mut self.pace)?;
        if self.pace.budget.check_bytes(self.bytes() + needed * size_of::<Edge>()).is_err() {
            return self.store.unmark(first, &mut self.pace);
        }
        let old = self.store.compact(first, &mut self.pace)?;
        for root in roots.into_iter().filter(|root| root.0 > FULL) {
            root.0 = old[root.0 as usize].high;
        }
        self.memo.clear();
        Ok(())
    }
}

impl Store {
    /// Marks the nodes below some roots, and returns the number of array entries that they take.
    fn mark(&mut self, roots: impl Iterator<Item = Id>, pace: &mut Pace) -> Result<usize, Stop> {
        let mut stack: Vec<Id> = roots.collect();
        let mut needed = 0;
        while let Some(id) = stack.pop() {
            let at = id as usize;
            if id <= FULL || self.places[at].child & NEEDED != 0 {
                continue;
            }
            self.places[at].child |= NEEDED;
            let edges = self.edges_of(id);
            pace.step(edges.len())?;
            needed += 1 + edges.len();
            for edge in edges {
                let header = self.places[edge.child as usize];
                if edge.child > FULL && header.child & NEEDED == 0 {
                    stack.push(edge.child);
                }
            }
        }
        Ok(needed)
    }

    fn unmark(&mut self, first: usize, pace: &mut Pace) -> Result<(), Stop> {
        let mut at = first;
        while at < self.places.len() {
            pace.step(1)?;
            self.places[at].child &= !NEEDED;
            at += 1 + self.places[at].high as usize;
        }
        Ok(())
    }

    /// Keeps the marked nodes, and returns the old array, where the header of each of them has its new
    /// id.
    fn compact(&mut self, first: usize, pace: &mut Pace) -> Result<Vec<Edge>, Stop> {
        let mut old = std::mem::take(&mut self.places);
        self.places.extend_from_slice(&old[..first]);
        self.count = 0;
        let mut at = first;
        while at < old.len() {
            let Edge { high: length, child: header } = old[at];
            let end = at + 1 + length as usize;
            pace.step(1)?;
            if header & NEEDED != 0 {
                let id = Id::try_from(self.places.len()).unwrap_or(Id::MAX);
                self.places.push(Edge { high: length, child: header & !NEEDED });
                for edge in &old[at + 1..end] {
                    let moved = edge.child > FULL;
                    let child = if moved { old[edge.child as usize].high } else { edge.child };
                    self.places.push(Edge { high: edge.high, child });
                }
                old[at].high = id;
                self.count += 1;
            }
            at = end;
        }
        self.rebuild(first);
        Ok(old)
    }
}
