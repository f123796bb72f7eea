//! Joins the spans of a group: adds the events that follow from the parents, links and peers of
//! spans.
//!
//! When all logs have been read, traces whose spans are connected by links become one group
//! ([`Mapper::join_traces`]). Before the events of a group are paired ([`Mapper::deduce`]):
//!
//! 1. A span that calls itself internal, or does not say its kind, but has a parent in another
//!    service, was called by that service: its latent events become events.
//! 2. If that parent, or the parent of a server, is no client span, the caller does not log its
//!    calls. The call and its answer are deduced, at the times of the callee, but within the
//!    parent.
//! 3. A database or a queue logs no spans. If a call has no other side, and its peer acts nowhere,
//!    the events of the peer are deduced, at the times of the caller.
//!
//! Afterwards ([`Mapper::name`]), a message has one name on both sides, whatever their spans are
//! called, and each side knows the other. A deduced event gets the line of the span that implies
//! it.

use otus_core::Direction;
use otus_core::index::Index as _;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::account::Accounting;
use super::super::vocabulary::{RunAction, RunLifelineId, RunMessageId};
use super::{Mapper, entry};
use crate::causality::Pairs;
use crate::group::{Row, RowFlags};
use crate::mapping::{Plan, SpanNames};

/// A span of the group.
#[derive(Debug, Clone, Copy)]
struct SpanAt {
    lifeline: RunLifelineId,
    /// The range of its rows.
    first: usize,
    end: usize,
    is_latent: bool,
    /// Whether its request is sent, as that of a client or a producer.
    is_sent: bool,
}

impl SpanAt {
    fn rows(&self) -> std::ops::Range<usize> {
        self.first..self.end
    }
}

/// Some tracers give the spans of client and server the same id without marking them as shared. If
/// the parent of a server span is unknown, but a client of another service has the same id, that
/// client called the server.
fn share_ids<'s>(rows: &mut [Row], all: &[SpanAt], with_id: impl Fn(&[u8]) -> &'s [SpanAt]) {
    for span in all.iter().filter(|span| !span.is_sent && !span.is_latent) {
        let first = &rows[span.first];
        let is_client = |it: &SpanAt| it.is_sent && it.lifeline != span.lifeline;
        let is_known = with_id(&first.id).iter().any(|it| it.is_sent);
        if is_known || !with_id(&first.span).iter().any(is_client) {
            continue;
        }
        let id = first.span.clone();
        for row in &mut rows[span.rows()] {
            row.id.clone_from(&id);
            row.flags.add(RowFlags::HAS_ID);
            row.flags.remove(RowFlags::ROOT);
        }
    }
}

/// The spans of a group by id. Client and server may share an id.
type Spans = FxHashMap<Vec<u8>, Vec<SpanAt>>;

impl Mapper {
    /// Makes one group of traces that are connected by a message. A consumer often begins a new
    /// trace, with a link to the trace of the producer.
    pub(super) fn join_traces(&mut self) {
        let mut joined: FxHashMap<Vec<u8>, Vec<u8>> = FxHashMap::default();
        for pair in std::mem::take(&mut self.linked) {
            let [a, b] = pair.map(|mut key| {
                while let Some(into) = joined.get(&key) {
                    key.clone_from(into);
                }
                key
            });
            if let Some([into, part]) = self.groups.join(&a, &b) {
                joined.insert(part.into_vec(), into.into_vec());
            }
        }
    }

    /// Adds the events that spans imply, and removes latent events that nothing confirms. Returns
    /// the new number of rows.
    pub(super) fn deduce(&mut self, rows: &mut Vec<Row>, count: usize, plan: &Plan) -> usize {
        let is_of_span = |row: &Row| row.flags.has(RowFlags::REQUEST);
        if !rows[..count].iter().any(is_of_span) {
            return count;
        }
        rows.truncate(count);
        let spans = self.spans_of(rows);
        let mut all: Vec<SpanAt> = spans.values().flatten().copied().collect();
        all.sort_unstable_by_key(|span| span.first);
        let with_id = |id: &[u8]| spans.get(id).map_or(&[][..], Vec::as_slice);
        share_ids(rows, &all, with_id);
        // The ids that servers and consumers look for.
        let mut wanted: FxHashSet<Vec<u8>> = FxHashSet::default();
        for span in all.iter().filter(|span| !span.is_latent && !span.is_sent) {
            let requests = rows[span.rows()].iter().filter(|row| is_of_span(row));
            wanted.extend(requests.map(|row| row.id.clone()));
        }
        for span in all.iter_mut().filter(|span| span.is_latent) {
            let parents = with_id(&rows[span.first].id);
            // A span whose parent belongs to the same service is internal, even if a client has the
            // same id. If the server of a client is known, the client called nobody else.
            let is_internal = parents.iter().any(|it| it.lifeline == span.lifeline);
            let is_free =
                parents.iter().any(|it| !it.is_sent) || !wanted.contains(&rows[span.first].id);
            if parents.is_empty() || is_internal || !is_free {
                continue;
            }
            span.is_latent = false;
            wanted.insert(rows[span.first].id.clone());
            for row in &mut rows[span.rows()] {
                row.flags.remove(RowFlags::LATENT);
                let row = &*row;
                self.count_event(row.lifeline, row.action, row.peer, row.place);
            }
        }
        for span in all.iter().filter(|span| !span.is_latent) {
            let row = &rows[span.first];
            // The span that has the parent's id and is not a client span is the caller. A server
            // that shares its id with a client was called by that client.
            let is_caller = |it: &&SpanAt| !it.is_sent && it.lifeline != span.lifeline;
            let is_shared = row.id == row.span;
            let caller = with_id(&row.id).iter().find(is_caller);
            if let Some(&caller) = caller.filter(|_| !span.is_sent && !is_shared) {
                self.add_counterpart(rows, *span, caller.lifeline, Some(caller));
                continue;
            }
            let is_answered = |row: &Row| {
                if span.is_sent {
                    wanted.contains(&row.id)
                } else {
                    with_id(&row.id).iter().any(|other| other.is_sent)
                }
            };
            if rows[span.rows()].iter().any(|row| is_of_span(row) && is_answered(row)) {
                continue;
            }
            let peer = rows[span.first].peer.filter(|&it| plan.deduce && it != span.lifeline);
            if let Some(peer) = peer.filter(|&it| self.is_silent(it)) {
                self.deduced.insert(peer);
                self.add_counterpart(rows, *span, peer, None);
            }
        }
        rows.retain(|row| !row.flags.has(RowFlags::LATENT));
        rows.len()
    }

    fn spans_of(&self, rows: &[Row]) -> Spans {
        let mut spans = Spans::default();
        for (first, row) in rows.iter().enumerate().filter(|(_, row)| !row.span.is_empty()) {
            let follows = |row: &&Row| row.flags.has(RowFlags::FOLLOWS);
            let end = first + 1 + rows[first + 1..].iter().take_while(follows).count();
            let direction = |action| self.accounting.vocabulary.action(action).direction;
            let is_sent = row.action.map(direction) == Some(Direction::Emission);
            let is_latent = row.flags.has(RowFlags::LATENT);
            let span = SpanAt { lifeline: row.lifeline, first, end, is_latent, is_sent };
            spans.entry(row.span.clone()).or_default().push(span);
        }
        spans
    }

    /// Whether a lifeline has no event of its own in any log so far.
    fn is_silent(&self, lifeline: RunLifelineId) -> bool {
        let account = self.accounting.lifelines.get(lifeline.index());
        account.is_none_or(|it| it.first.is_none()) || self.deduced.contains(&lifeline)
    }

    /// Adds the other side of a span: for each action of the span, the opposite action on a given
    /// lifeline, within the time of the parent if there is one.
    fn add_counterpart(
        &mut self,
        rows: &mut Vec<Row>,
        span: SpanAt,
        lifeline: RunLifelineId,
        parent: Option<SpanAt>,
    ) {
        // The children of one parent would share its id, so each gets an id of its own.
        let id = [b">", &rows[span.first].span[..]].concat();
        let bounds = parent.and_then(|parent| {
            let last = rows[parent.rows()].last()?;
            Some((rows[parent.first].order?, last.order?))
        });
        let vocabulary = &mut self.accounting.vocabulary;
        let _ = vocabulary.set_clock(lifeline, None);
        let before = rows.len();
        for index in span.rows() {
            let row = &mut rows[index];
            let Some(action) = row.action.map(|action| vocabulary.action(action)) else { continue };
            row.id.clone_from(&id);
            row.flags.add(RowFlags::HAS_ID);
            row.flags.remove(RowFlags::ROOT);
            row.peer = Some(lifeline);
            let direction = match action.direction {
                Direction::Emission => Direction::Reception,
                Direction::Reception => Direction::Emission,
            };
            let opposite = RunAction { lifeline, direction, message: action.message };
            let opposite = vocabulary.actions.intern(opposite);
            let mut flags = RowFlags::DEDUCED;
            for flag in [RowFlags::REQUEST, RowFlags::REPLY, RowFlags::HAS_ID, RowFlags::NAMED] {
                if row.flags.has(flag) {
                    flags.add(flag);
                }
            }
            // The call comes after the start of the parent, and the answer before its end.
            let within = |order: i128| match bounds {
                Some((start, end)) if start < end => order.clamp(start, end - 1),
                _ => order,
            };
            let new = Row {
                lifeline,
                action: Some(opposite),
                place: row.place,
                peer: Some(row.lifeline),
                order: row.order.map(within),
                id: id.clone(),
                flags,
                ..Row::default()
            };
            rows.push(new);
        }
        for row in &rows[before..] {
            let (action, peer, place) = (row.action, row.peer, row.place);
            self.count_event(lifeline, action, peer, place);
        }
    }

    /// For each call between spans: gives both sides the same message, and makes each side the peer
    /// of the other.
    pub(super) fn name(&mut self, rows: &mut [Row], pairs: &Pairs, names: SpanNames) {
        let accounting = &mut self.accounting;
        // Emissions whose name is settled by an earlier reception of the same message.
        let mut settled: FxHashSet<usize> = FxHashSet::default();
        for &(from, to) in &pairs.matched {
            let flags = [rows[from].flags, rows[to].flags];
            let are_both = |flag: RowFlags| flags.iter().all(|flags| flags.has(flag));
            if !are_both(RowFlags::REQUEST) && !are_both(RowFlags::REPLY) {
                continue;
            }
            let (sender, receiver) = (rows[from].lifeline, rows[to].lifeline);
            set_peer(&mut rows[from], receiver, accounting);
            set_peer(&mut rows[to], sender, accounting);
            let message = |row: &Row| row.action.map(|it| accounting.vocabulary.action(it).message);
            let (Some(sent), Some(received)) = (message(&rows[from]), message(&rows[to])) else {
                continue;
            };
            if sent == received || names == SpanNames::Own {
                continue;
            }
            // The caller sends requests and receives replies.
            let is_request = are_both(RowFlags::REQUEST);
            let [caller, callee] = if is_request { [sent, received] } else { [received, sent] };
            let is_named = |row: usize| rows[row].flags.has(RowFlags::NAMED);
            let [caller_row, callee_row] = if is_request { [from, to] } else { [to, from] };
            let by_caller = match (is_named(caller_row), is_named(callee_row)) {
                (true, false) => true,
                (false, true) => false,
                _ => names == SpanNames::Client,
            };
            let chosen = match (settled.insert(from), by_caller) {
                // The message was sent to several receivers, and has the name that the first of
                // them uses.
                (false, _) => sent,
                (true, true) => caller,
                (true, false) => callee,
            };
            for (row, old) in [(from, sent), (to, received)] {
                let other = if sent == chosen { received } else { sent };
                rows[row].also.get_or_insert(other);
                accounting.other_names.insert((chosen, other));
                rename(&mut rows[row], old, chosen, accounting);
            }
        }
    }
}

fn set_peer(row: &mut Row, peer: RunLifelineId, accounting: &mut Accounting) {
    if let Some(old) = row.peer.replace(peer) {
        let named = &mut entry(&mut accounting.lifelines, old.index()).named;
        *named = named.saturating_sub(1);
    }
    entry(&mut accounting.lifelines, peer.index()).named += 1;
}

fn rename(row: &mut Row, old: RunMessageId, new: RunMessageId, accounting: &mut Accounting) {
    let Some(action) = row.action.map(|action| accounting.vocabulary.action(action)) else {
        return;
    };
    if old == new {
        return;
    }
    let renamed = RunAction { message: new, ..action };
    row.action = Some(accounting.vocabulary.actions.intern(renamed));
    for (message, change) in [(old, -1), (new, 1)] {
        let account = entry(&mut accounting.messages, message.index());
        let count = match action.direction {
            Direction::Emission => &mut account.sends,
            Direction::Reception => &mut account.receives,
        };
        *count = count.saturating_add_signed(change);
    }
}
