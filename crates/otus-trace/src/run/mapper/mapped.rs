//! A record of which the rules have made events, before it is stored.
//!
//! This is the seam between the two halves of a run. The first half depends on nothing but the record and the plan: reading,
//! matching, templates. The second half depends on all records before: clocks, groups, what is released when. If
//! several threads do the first half, each has a vocabulary of its own, and [`Translation`] turns its ids into those of
//! the run, in the order of the records. So the ids of the run are the same as with one thread.

use super::super::vocabulary::{Marks, RunLifelineId, RunPlace, Translation};
use super::PendingAction;
use crate::group::Row;
use otus_syntax::name::Symbol;

/// The events of a record.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(in crate::run) struct Mapped {
    /// Its source in the plan, and its rule in the source.
    pub(super) source: usize,
    pub(super) rule: usize,
    pub(super) kind: Kind,
    pub(super) place: RunPlace,
    /// For a canonical line: the file from which the event was first read.
    pub(super) origin: Option<Symbol>,
    /// The number of records until now.
    pub(super) now: u64,
    /// The key of its group.
    pub(super) key: Vec<u8>,
    /// The lifelines of the record that act, with the names of their clocks.
    pub(super) clocks: Vec<(RunLifelineId, Option<Symbol>)>,
    pub(super) lifeline: RunLifelineId,
    /// The key by which the record is ordered on its clock.
    pub(super) order: Option<i128>,
    /// When it happened, as a key of its clock, if its rule says that.
    pub(super) time: Option<i128>,
    /// Whether it happened at the same moment as the record before.
    pub(super) is_joined: bool,
    pub(super) closes: bool,
    /// Whether it is a span without a parent, which ends after all others of its trace.
    pub(super) is_top: bool,
    /// Whether a line like it can end a group.
    pub(super) can_close: bool,
    /// The event that is stored next.
    pub(super) row: Row,
    pub(super) pending: Vec<PendingAction>,
    /// By pending action: when it happened, if times are kept and it has one beside that of the record.
    pub(super) pending_times: Vec<Option<i64>>,
    /// How much of the vocabulary of its thread was in use after it.
    pub(super) marks: Marks,
}

/// What becomes of a record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// It has events.
    #[default]
    Events,
    /// It marks the end of a group.
    End,
    /// An internal span, which may have events when its group ends.
    Latent,
}

impl Mapped {
    /// Clears everything, but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.row.clear();
        self.pending.clear();
        self.pending_times.clear();
        self.key.clear();
        self.clocks.clear();
        self.kind = Kind::Events;
        self.lifeline = RunLifelineId::default();
        (self.origin, self.order, self.time) = (None, None, None);
        (self.is_joined, self.closes, self.can_close) = (false, false, false);
        self.is_top = false;
    }

    /// Replaces the ids of a thread by those of the run.
    pub(super) fn translate(&mut self, by: &Translation) {
        self.lifeline = by.lifeline(self.lifeline);
        for (lifeline, _) in &mut self.clocks {
            *lifeline = by.lifeline(*lifeline);
        }
        for action in &mut self.pending {
            action.lifeline = by.lifeline(action.lifeline);
            action.action = by.action(action.action);
            action.peer = action.peer.map(|peer| by.lifeline(peer));
        }
        self.row.translate(by);
    }
}
