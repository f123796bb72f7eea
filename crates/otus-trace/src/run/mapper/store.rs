//! Stores the events of a record in their group.

use otus_core::Direction;
use otus_core::index::Index as _;
use otus_syntax::Code;

use super::super::vocabulary::{RunActionId, RunLifelineId, RunPlace};
use super::{Mapper, PendingAction, Taken, entry};
use crate::group::{OpenGroupId, RowFlags};
use crate::read::Format;

impl Mapper {
    /// Stores the pending actions of a record, or an event without an action if there are none.
    pub(super) fn store(
        &mut self,
        group: OpenGroupId,
        lifeline: RunLifelineId,
        order: Option<i128>,
        taken: &Taken<'_>,
    ) {
        let place = taken.place;
        self.row.place = place;
        let joined = taken.source.format == Format::Htf && {
            let slot = taken.source.fields.find("joined");
            slot.is_some_and(|slot| taken.context.record.field(slot).is_some())
        };
        let mut fits = true;
        if self.pending.is_empty() {
            (self.row.lifeline, self.row.action, self.row.order) = (lifeline, None, order);
            self.stored += 1;
            self.count_event(lifeline, None, None, place);
            fits &= self.groups.push(group, &self.row);
        }
        let ids = std::mem::take(&mut self.row.id);
        for index in 0..self.pending.len() {
            let PendingAction { lifeline, action, peer, id, mut flags, order } =
                self.pending[index];
            if let Some(Some(time)) = self.pending_times.get(index) {
                self.row.set_time(*time);
            }
            if index > 0 {
                flags.add(RowFlags::FOLLOWS);
                // Variables and the span belong to the first event of the record.
                self.row.set.clear();
                self.row.span.clear();
            }
            if joined {
                flags.add(RowFlags::JOINED);
            }
            self.row.id.clear();
            if let Some((from, to)) = id {
                self.row.id.extend_from_slice(&ids[from..to]);
            }
            (self.row.lifeline, self.row.action) = (lifeline, Some(action));
            (self.row.peer, self.row.flags, self.row.order) = (peer, flags, order);
            if !flags.has(RowFlags::LATENT) {
                self.stored += 1;
                self.count_event(lifeline, Some(action), peer, place);
                if !self.accounting.values.is_empty() {
                    self.count_values();
                }
            }
            fits &= self.groups.push(group, &self.row);
        }
        if !fits {
            let message = "more events are open at once than fit into memory".to_owned();
            let help = "close groups with `closes = true` or `[group] idle = …`";
            self.findings.add(Code::UNREADABLE_RECORD, place, message, help);
        }
    }

    pub(super) fn count_event(
        &mut self,
        lifeline: RunLifelineId,
        action: Option<RunActionId>,
        peer: Option<RunLifelineId>,
        place: RunPlace,
    ) {
        let accounting = &mut self.accounting;
        if let Some(peer) = peer {
            entry(&mut accounting.lifelines, peer.index()).named += 1;
        }
        let account = entry(&mut accounting.lifelines, lifeline.index());
        account.first.get_or_insert(place);
        let Some(action) = action else {
            account.others += 1;
            return;
        };
        let action = accounting.vocabulary.action(action);
        let message = entry(&mut accounting.messages, action.message.index());
        match action.direction {
            Direction::Emission => {
                account.sends += 1;
                message.sends += 1;
            }
            Direction::Reception => {
                account.receives += 1;
                message.receives += 1;
            }
        }
    }
}
