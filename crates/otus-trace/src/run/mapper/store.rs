//! Stores the events of a record in their group: the half of the work that depends on the records before.

use std::ops::ControlFlow;

use otus_core::Direction;
use otus_core::index::Index as _;
use otus_syntax::Code;

use super::super::Sink;
use super::super::account::FileAccount;
use super::super::vocabulary::{RunActionId, RunClockId, RunLifelineId, RunPlace};
use super::mapped::{Kind, Mapped};
use super::{Incomplete, Mapper, PendingAction, Stored, entry};
use crate::group::{OpenGroupId, RowFlags};
use crate::mapping::{Plan, Rule, SourcePlan};
use crate::read::Format;

impl Mapper {
    /// Stores the events of the current record, and accounts for it.
    pub(super) fn accept(
        &mut self,
        account: &mut FileAccount,
        plan: &Plan,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let is_latent = self.current.kind == Kind::Latent;
        match self.stored_in(plan) {
            // A latent span is no event yet.
            Ok(stored) if is_latent => {
                self.show_record(stored, sink);
                ControlFlow::Continue(())
            }
            Err(_) if is_latent => ControlFlow::Continue(()),
            Ok(stored) => {
                account.tally.matched += 1;
                account.events += std::mem::take(&mut self.stored);
                self.after(stored, sink, plan)
            }
            Err(incomplete) => {
                let Mapped { source, rule, place, .. } = *self.current;
                self.incomplete(account, plan, [source, rule], place, incomplete);
                ControlFlow::Continue(())
            }
        }
    }

    fn stored_in(&mut self, plan: &Plan) -> Result<Stored, Incomplete> {
        let source = &plan.sources[self.current.source];
        let rule = &source.rules[self.current.rule];
        self.accounting.groups.closable |= self.current.can_close;
        let mut closes = self.current.closes;
        if self.current.kind == Kind::End {
            closes = true;
        } else {
            let clock = self.set_clocks(source)?;
            if let Some(origin) = self.current.origin {
                let file = self.texts.text(origin);
                self.current.place.file = self.accounting.vocabulary.intern_file(file);
            }
            if let Some(clock) = clock.filter(|_| source.format != Format::Canonical) {
                self.watch_clock(clock, plan, source, rule);
            }
        }
        let group = self.groups.find(&self.current.key, self.now);
        if self.current.kind != Kind::End {
            self.store(group);
        }
        Ok(Stored { group, closes })
    }

    /// Gives the lifelines of the current record their clocks; returns the clock of the record.
    fn set_clocks(&mut self, source: &SourcePlan) -> Result<Option<RunClockId>, Incomplete> {
        let mut first = None;
        for &(lifeline, name) in &self.current.clocks {
            let name = name.map(|name| self.texts.text(name));
            let vocabulary = &mut self.accounting.vocabulary;
            let clock = match vocabulary.set_clock(lifeline, name) {
                Ok(clock) => clock,
                Err(_) if source.format == Format::Canonical => {
                    let name = format!("`{}`", name.unwrap_or_default());
                    return Err(Incomplete::Unusable("clock", name));
                }
                Err(known) => {
                    let message = format!(
                        "`{}` has the clock `{}` and elsewhere `{}`",
                        vocabulary.lifeline(lifeline),
                        vocabulary.clock(known),
                        name.unwrap_or_default(),
                    );
                    let help = "the first one counts; say the same `clock` wherever it logs";
                    self.findings.add(Code::TWO_CLOCKS, self.current.place, message, help);
                    known
                }
            };
            first.get_or_insert(clock);
        }
        Ok(first)
    }

    /// Reports clocks that go backwards, and files of one clock without a common order.
    fn watch_clock(&mut self, clock: RunClockId, plan: &Plan, source: &SourcePlan, rule: &Rule) {
        let Mapped { place, order, time, .. } = *self.current;
        let vocabulary = &self.accounting.vocabulary;
        if let Some(time) = time {
            let before = entry(&mut self.last_time, clock.index()).replace((place.file, time));
            if before.is_some_and(|(file, before)| file == place.file && time < before) {
                let (clock, file) = (vocabulary.clock(clock), vocabulary.file(place.file));
                let message = format!("the clock of `{clock}` goes backwards in {file}");
                let help = if rule.order.is_some() {
                    "the events were put in the order of their times"
                } else if plan.keeps_time {
                    "from here on it counts as another clock, with an unknown distance to all others"
                } else {
                    "the lines keep their order; the clock was set, or several writers share the file"
                };
                self.findings.add(Code::CLOCK_BACKWARDS, place, message, help);
            }
        }
        let by_line = order.is_none()
            && self.current.row.vector.is_empty()
            && source.format != Format::Htf
            && rule.clock.is_some();
        let Some(lifeline) = self.current.pending.first().map(|action| action.lifeline) else {
            return;
        };
        if !by_line {
            return;
        }
        let last = entry(&mut self.last_line, clock.index()).replace((place.file, lifeline));
        if let Some((file, before)) = last
            && file != place.file
            && before != lifeline
        {
            let message = format!(
                "{} and {} share the clock `{}` but have no common order",
                vocabulary.file(file),
                vocabulary.file(place.file),
                vocabulary.clock(clock),
            );
            let help = "say `order = \"{field}\"` with a time that both have, or give them clocks of their own";
            self.findings.add(Code::TWO_CLOCKS, place, message, help);
        }
    }

    /// Stores the pending actions of a record, or an event without an action if there are none.
    fn store(&mut self, group: OpenGroupId) {
        let Mapped { lifeline, order, place, is_joined, .. } = *self.current;
        self.current.row.place = place;
        let mut fits = true;
        if self.current.pending.is_empty() {
            (self.current.row.lifeline, self.current.row.action, self.current.row.order) =
                (lifeline, None, order);
            self.stored += 1;
            self.count_event(lifeline, None, None, place);
            fits &= self.push(group);
        }
        let ids = std::mem::take(&mut self.current.row.id);
        for index in 0..self.current.pending.len() {
            let PendingAction { lifeline, action, peer, id, mut flags, order } =
                self.current.pending[index];
            if let Some(Some(time)) = self.current.pending_times.get(index) {
                self.current.row.set_time(*time);
            }
            if index > 0 {
                flags.add(RowFlags::FOLLOWS);
                // Variables and the span belong to the first event of the record.
                self.current.row.set.clear();
                self.current.row.span.clear();
            }
            if is_joined {
                flags.add(RowFlags::JOINED);
            }
            self.current.row.id.clear();
            if let Some((from, to)) = id {
                self.current.row.id.extend_from_slice(&ids[from..to]);
            }
            (self.current.row.lifeline, self.current.row.action) = (lifeline, Some(action));
            (self.current.row.peer, self.current.row.flags, self.current.row.order) =
                (peer, flags, order);
            if !flags.has(RowFlags::LATENT) {
                self.stored += 1;
                self.count_event(lifeline, Some(action), peer, place);
                if !self.accounting.values.is_empty() {
                    self.count_values();
                }
            }
            fits &= self.push(group);
        }
        if !fits {
            let message = "more events are open at once than fit into memory".to_owned();
            let help = "close groups with `closes = true` or `[group] idle = …`";
            self.findings.add(Code::UNREADABLE_RECORD, place, message, help);
        }
    }

    fn push(&mut self, group: OpenGroupId) -> bool {
        if let Some(shown) = &mut self.shown {
            shown.push(self.current.row.clone());
        }
        self.groups.push(group, &self.current.row)
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
