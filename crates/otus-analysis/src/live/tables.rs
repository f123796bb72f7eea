//! The tables that all groups share, and what is in use of them.
//!
//! When the tables have grown beyond a limit, only the residuals of open groups and of the empty group are kept
//! ([`compact`](crate::engine)); everything else is computed again when it is needed. What is in use may be large itself, so
//! the next compaction waits until the tables have doubled.

use super::group::{Group, Past, Slot};
use super::plan::Plan;
use super::{Apart, Live};
use crate::engine::Engine;
use crate::engine::residuals::ExprId;

impl Live {
    /// The approximate memory of the tables, which all groups share.
    pub fn table_bytes(&self) -> usize {
        self.residuals.bytes() + self.asker.as_ref().map_or(0, Engine::bytes)
    }

    /// The approximate memory of all groups.
    pub fn group_bytes(&self) -> usize {
        let groups = self.slots.iter().filter_map(|slot| slot.group.as_ref());
        self.slots.capacity() * size_of::<Slot>() + groups.map(Group::bytes).sum::<usize>()
    }

    /// How often the tables were compacted.
    pub fn compactions(&self) -> u64 {
        self.compactions
    }

    /// Compacts the tables if they are large.
    #[cold]
    pub(super) fn look_at_tables(&mut self) {
        self.looked = self.residuals.len();
        if self.residuals.bytes() > self.large {
            self.compact();
            // What is still in use may itself be large.
            self.large = self.limits.tables.max(2 * self.residuals.bytes());
            self.looked = self.residuals.len();
        }
    }

    /// Forgets all residuals but those of open groups.
    pub fn compact(&mut self) {
        let mut roots: Vec<&mut ExprId> = Vec::new();
        match &mut self.plan {
            Plan::Alone { starts, .. } => roots.extend(starts.iter_mut().flatten()),
            Plan::Apart { start, .. } => roots.push(start),
            Plan::Kept | Plan::Unknown(_) => {}
        }
        roots.extend(self.strong.iter_mut().map(|(start, _)| start));
        roots.extend(self.path.iter_mut());
        for of in self.slots.iter_mut().filter_map(|slot| slot.group.as_mut()) {
            match &mut of.past {
                Past::Alone(alone) => roots.extend(alone.roots()),
                Past::Apart(apart) => roots.extend(apart.roots()),
                Past::Kept => {}
            }
            roots.extend(of.strong.iter_mut().flatten().flat_map(Apart::roots));
            roots.extend(of.kept.iter_mut().flat_map(|kept| kept.roots()));
        }
        self.residuals.compact(&mut roots);
        self.compactions += 1;
    }
}
