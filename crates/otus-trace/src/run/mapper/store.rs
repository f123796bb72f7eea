//! Events into their group, and groups that have ended out of it, with receptions paired.

use std::ops::ControlFlow;

use otus_core::Direction;
use otus_syntax::Code;

use super::super::account::Unpaired;
use super::super::observed::{Component, Observed};
use super::super::release::{arrange, duplicates};
use super::super::shape::Place;
use super::super::vocabulary::ActionKey;
use super::super::{LifelineAccount, MessageAccount, Sink};
use super::{Mapper, Pending, Release, View};
use crate::causality::{self, Side};
use crate::group::Marks;
use crate::mapping::Plan;
use crate::mapping::template::Context;
use crate::read::Format;

impl Mapper {
    /// Stores the events of a record.
    pub(super) fn store(
        &mut self,
        group: u32,
        lifeline: u32,
        order: Option<i128>,
        view: &View<'_>,
        context: &Context<'_>,
    ) {
        let place = Place { file: view.file, line: context.record.at.line };
        (self.row.file, self.row.line) = (place.file, place.line);
        let joined = view.source.format == Format::Htf && {
            let slot = view.source.fields.find("joined");
            slot.is_some_and(|slot| context.record.field(slot).is_some())
        };
        let mut room = true;
        if self.pending.is_empty() {
            (self.row.lifeline, self.row.action, self.row.order) = (lifeline, None, order);
            self.count_event(lifeline, None, None, place);
            room &= self.groups.push(group, &self.row);
        }
        let ids = std::mem::take(&mut self.row.id);
        for index in 0..self.pending.len() {
            let Pending { lifeline, action, peer, id, mut marks, order } = self.pending[index];
            if index > 0 {
                marks.add(Marks::FOLLOWS);
                // What the record says besides its actions, its first event says.
                self.row.set.clear();
                self.row.span.clear();
            }
            if joined {
                marks.add(Marks::JOINED);
            }
            self.row.id.clear();
            if let Some((from, to)) = id {
                self.row.id.extend_from_slice(&ids[from..to]);
            }
            (self.row.lifeline, self.row.action) = (lifeline, Some(action));
            (self.row.peer, self.row.marks, self.row.order) = (peer, marks, order);
            self.count_event(lifeline, Some(action), peer, place);
            room &= self.groups.push(group, &self.row);
        }
        if !room {
            let message = "more events are open at once than fit into memory".to_owned();
            let help = "close groups with `closes = true` or `[group] idle = …`";
            self.repeated.note(Code::UNREADABLE_RECORD, place, message, help);
        }
    }

    pub(super) fn count_event(
        &mut self,
        lifeline: u32,
        action: Option<u32>,
        peer: Option<u32>,
        place: Place,
    ) {
        self.stored += 1;
        let accounting = &mut self.accounting;
        let most = lifeline.max(peer.unwrap_or(0)) as usize;
        if accounting.lifelines.len() <= most {
            accounting.lifelines.resize(most + 1, LifelineAccount::default());
        }
        if let Some(peer) = peer {
            accounting.lifelines[peer as usize].named += 1;
        }
        let account = &mut accounting.lifelines[lifeline as usize];
        account.first.get_or_insert(place);
        let Some(action) = action else {
            account.others += 1;
            return;
        };
        let key = accounting.vocabulary.action(action);
        let message = key.message as usize;
        if accounting.messages.len() <= message {
            accounting.messages.resize(message + 1, MessageAccount::default());
        }
        match key.direction {
            Direction::Emission => {
                account.sends += 1;
                accounting.messages[message].sends += 1;
            }
            Direction::Reception => {
                account.receives += 1;
                accounting.messages[message].receives += 1;
            }
        }
    }

    /// Puts a group together and gives it away.
    pub(super) fn give(&mut self, slot: u32, plan: &Plan, sink: &mut dyn Sink) -> ControlFlow<()> {
        let ended = self.groups.end(slot);
        let vocabulary = &self.accounting.vocabulary;
        let Release { rows, components, sides } = &mut self.release;
        let mut count = self.groups.take(&ended, rows, |action| vocabulary.action(action).lifeline);
        count -= duplicates(&mut rows[..count], vocabulary, &mut self.repeated);
        let rows = &mut rows[..count];
        arrange(rows, vocabulary, components);
        sides.clear();
        let mut component = 0;
        for (index, row) in rows.iter().enumerate() {
            while components.get(component).is_some_and(|c: &Component| c.events.end <= index) {
                component += 1;
            }
            sides.push(row.action.map(|action| {
                let ActionKey { direction, message, .. } = vocabulary.action(action);
                Side { direction, message, component }
            }));
        }
        let pairs = causality::pair(rows, sides, plan.pairing);
        self.spans.note(rows, sides, &pairs);
        let groups = &mut self.accounting.groups;
        groups.total += 1;
        groups.closed += u64::from(ended.closed);
        groups.largest = groups.largest.max(count);
        let key = || String::from_utf8_lossy(&ended.key).into_owned();
        if groups.closable && !ended.closed && groups.never_closed.len() < SOME_GROUPS {
            groups.never_closed.push(key());
        }
        let account = &mut self.accounting.pairs;
        account.paired += pairs.paired as u64;
        for &index in &pairs.unpaired {
            let (row, Some(side)) = (&rows[index], sides[index]) else { continue };
            let unpaired = Unpaired {
                direction: side.direction,
                lifeline: row.lifeline,
                message: side.message,
                peer: row.peer,
            };
            let place = Place { file: row.file, line: row.line };
            account.unpaired.entry(unpaired).or_insert((0, place)).0 += 1;
        }
        let observed = Observed {
            key: &ended.key,
            number: ended.number,
            closed: ended.closed,
            rows,
            components,
            pairs: &pairs,
            vocabulary,
            gaps: self.gaps || self.grouped,
        };
        sink.group(&observed)
    }
}

/// How many groups are named.
pub(super) const SOME_GROUPS: usize = 5;
