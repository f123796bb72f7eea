//! Deduces messages from vector clocks, for logs whose rules define no messages.
//!
//! An event whose clock takes over entries of other hosts has received something. The sender is the host whose latest
//! event, among those taken over, knows all the others, because its message brought their entries along. So the clocks
//! show the sender and the receiver, but not the content: a message gets the text of the event that sent it.
//!
//! Events that neither send nor receive are kept, without an action. If no clock ever takes over an entry, the clocks
//! show no messages, and each event becomes an action of its own host.
//!
//! The events keep their labels as names, because formulas refer to labels.

use std::collections::BTreeMap;

use otus_core::Direction;
use otus_core::index::Index as _;
use rustc_hash::FxHashMap;

use super::super::vocabulary::{RunAction, RunLifelineId};
use super::Mapper;
use crate::group::{Row, RowFlags};
use crate::mapping::{Plan, SourcePlan};
use crate::read::Format;

/// An emission and its reception, as indices of rows.
struct Exchange {
    from: usize,
    to: usize,
}

impl Mapper {
    /// Adds the actions that vector clocks show, if no rule defines an action. Returns the new number of
    /// rows.
    pub(super) fn exchange(&mut self, rows: &mut Vec<Row>, count: usize, plan: &Plan) -> usize {
        let part = &rows[..count];
        // Each source of this format has a default rule for events that no other rule takes.
        let has_rules =
            |source: &SourcePlan| source.format == Format::Shiviz && source.rules.len() > 1;
        let is_told = part.iter().any(|row| row.action.is_some());
        let has_clocks = part.iter().any(|row| !row.vector.is_empty());
        if is_told || !has_clocks || plan.sources.iter().any(has_rules) {
            return count;
        }
        rows.truncate(count);
        let exchanges = exchanges(rows);
        // For each row: the receptions, and then the emissions, in the order of the rows.
        let mut of: FxHashMap<usize, Vec<Row>> = FxHashMap::default();
        let actions = exchanges.iter().flat_map(|it| [(it, false), (it, true)]);
        for (&Exchange { from, to }, is_sent) in actions {
            let (own, peer) = if is_sent { (from, to) } else { (to, from) };
            let direction = if is_sent { Direction::Emission } else { Direction::Reception };
            let Some(mut row) = self.told(&rows[own], direction, &rows[from], plan) else {
                continue;
            };
            row.peer = Some(rows[peer].lifeline);
            row.id = format!("{from}>{to}").into_bytes();
            row.flags.add(RowFlags::HAS_ID);
            of.entry(own).or_default().push(row);
        }
        if exchanges.is_empty() {
            for (at, event) in rows.iter().enumerate() {
                let row = self.told(event, Direction::Emission, event, plan);
                let row = row.map(|row| Row { peer: Some(event.lifeline), ..row });
                of.entry(at).or_default().extend(row);
            }
        }
        let events = std::mem::take(rows);
        for (at, mut event) in events.into_iter().enumerate() {
            let mut actions = of.remove(&at).unwrap_or_default();
            let direction =
                |row: &Row| row.action.map(|it| self.accounting.vocabulary.action(it).direction);
            actions.sort_by_key(|row| direction(row) == Some(Direction::Emission));
            let mut actions = actions.into_iter();
            if let Some(first) = actions.next() {
                (event.action, event.peer, event.id) = (first.action, first.peer, first.id);
                event.flags.add(RowFlags::CLOCKED);
                if first.flags.has(RowFlags::HAS_ID) {
                    event.flags.add(RowFlags::HAS_ID);
                }
            }
            rows.push(event);
            rows.extend(actions.map(|mut row| {
                row.flags.add(RowFlags::FOLLOWS);
                row
            }));
        }
        for row in rows.iter().filter(|row| row.action.is_some()) {
            if !row.flags.has(RowFlags::FOLLOWS) {
                // The event was counted as an event without an action before.
                let account = &mut self.accounting.lifelines[row.lifeline.index()];
                account.others = account.others.saturating_sub(1);
            }
            self.count_event(row.lifeline, row.action, row.peer, row.place);
        }
        rows.len()
    }

    /// An action at an event, whose message is the text of another event.
    fn told(&mut self, at: &Row, direction: Direction, text: &Row, plan: &Plan) -> Option<Row> {
        let vocabulary = &mut self.accounting.vocabulary;
        let text = vocabulary.label(text.label?).trim().to_owned();
        if text.is_empty() {
            return None;
        }
        let message = vocabulary.intern_message(text.as_bytes(), &plan.messages);
        let action = RunAction { lifeline: at.lifeline, direction, message };
        let action = Some(vocabulary.actions.intern(action));
        let flags = RowFlags::CLOCKED;
        let mut row = Row {
            lifeline: at.lifeline,
            action,
            place: at.place,
            order: at.order,
            flags,
            ..Row::default()
        };
        row.carry(at);
        Some(row)
    }
}

/// The messages that the clocks show, in the order of the receptions.
fn exchanges(rows: &[Row]) -> Vec<Exchange> {
    // For each host: the own entries of its events with their rows, ascending.
    let mut hosts: BTreeMap<RunLifelineId, Vec<(u32, usize)>> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        hosts.entry(row.lifeline).or_default().push((entry(row, row.lifeline), at));
    }
    for events in hosts.values_mut() {
        events.sort_unstable();
    }
    // The latest event of a host that an entry knows.
    let latest = |host: RunLifelineId, known: u32| {
        let events = hosts.get(&host)?;
        let after = events.partition_point(|&(own, _)| own <= known);
        after.checked_sub(1).map(|last| events[last].1)
    };
    let mut found = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let own = entry(row, row.lifeline);
        let before = own.checked_sub(1).and_then(|own| latest(row.lifeline, own));
        let known = |host| before.map_or(0, |before| entry(&rows[before], host));
        let new = row
            .vector
            .iter()
            .filter(|(host, count)| *host != row.lifeline && *count > known(*host));
        let taken: Vec<(RunLifelineId, u32, usize)> =
            new.filter_map(|&(host, count)| Some((host, count, latest(host, count)?))).collect();
        // An entry that another sender's message brought along is not a message by itself.
        let is_brought = |host: RunLifelineId, count: u32| {
            taken
                .iter()
                .any(|&(other, _, sender)| other != host && entry(&rows[sender], host) >= count)
        };
        let direct = taken.iter().filter(|&&(host, count, _)| !is_brought(host, count));
        found.extend(direct.map(|&(_, _, from)| Exchange { from, to: at }));
    }
    found
}

/// The entry of a host in the clock of an event.
fn entry(row: &Row, host: RunLifelineId) -> u32 {
    row.vector.iter().find(|(known, _)| *known == host).map_or(0, |&(_, count)| count)
}
