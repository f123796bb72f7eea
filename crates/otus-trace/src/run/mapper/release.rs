//! Releases a group that has ended: takes its events out of the store, orders and pairs them, and
//! gives them to the sink.

use std::ops::ControlFlow;

use otus_syntax::Code;
use rustc_hash::FxHashMap;

use super::super::Sink;
use super::super::account::{Findings, Unpaired};
use super::super::observed::{Component, Observed};
use super::super::vocabulary::{RunAction, RunClockId, Vocabulary};
use super::Mapper;
use crate::causality::{self, Pairs, Side};
use crate::group::{OpenGroupId, Row, RowFlags};
use crate::mapping::Plan;

/// Memory that is reused from group to group.
#[derive(Debug, Default)]
pub(super) struct Memory {
    rows: Vec<Row>,
    components: Vec<Component>,
    sides: Vec<Option<Side>>,
}

/// The maximum number of groups that a finding names.
const NAMED_GROUPS: usize = 5;

/// A group that is shown.
struct Shown<'g> {
    key: &'g [u8],
    number: u32,
    closed: bool,
    /// Whether it is over. Only then it is counted.
    is_over: bool,
}

impl Mapper {
    pub(super) fn release(
        &mut self,
        group: OpenGroupId,
        plan: &Plan,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let ended = self.groups.end(group);
        let mut rows = std::mem::take(&mut self.release.rows);
        let vocabulary = &self.accounting.vocabulary;
        let lifeline_of = |action| vocabulary.action(action).lifeline;
        let count = self.groups.take(&ended, &mut rows, lifeline_of);
        let shown =
            Shown { key: &ended.key, number: ended.number, closed: ended.closed, is_over: true };
        self.show(&shown, rows, count, plan, sink)
    }

    /// Gives a group to the sink as it is now. It stays open.
    pub(super) fn peek(
        &mut self,
        group: OpenGroupId,
        plan: &Plan,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let mut rows = std::mem::take(&mut self.release.rows);
        let vocabulary = &self.accounting.vocabulary;
        let lifeline_of = |action| vocabulary.action(action).lifeline;
        let count = self.groups.copy(group, &mut rows, lifeline_of);
        let (key, number, closed) = self.groups.about(group);
        let key: Box<[u8]> = key.into();
        let shown = Shown { key: &key, number, closed, is_over: false };
        self.show(&shown, rows, count, plan, sink)
    }

    fn show(
        &mut self,
        group: &Shown<'_>,
        mut rows: Vec<Row>,
        mut count: usize,
        plan: &Plan,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let Memory { mut components, mut sides, .. } = std::mem::take(&mut self.release);
        let vocabulary = &self.accounting.vocabulary;
        let had_events = count > 0;
        count -= drop_duplicate_spans(&mut rows[..count], vocabulary, &mut self.findings);
        count = self.deduce(&mut rows, count, plan);
        count = self.exchange(&mut rows, count, plan);
        if had_events && count == 0 {
            // All spans of the group are internal, so no events are left.
            self.release = Memory { rows, components, sides };
            return ControlFlow::Continue(());
        }
        let vocabulary = &self.accounting.vocabulary;
        sort_by_component(&mut rows[..count], vocabulary, &mut components);
        sides.clear();
        for (component, part) in components.iter().enumerate() {
            sides.extend(rows[part.events.clone()].iter().map(|row| {
                row.action.map(|action| {
                    let RunAction { direction, message, .. } = vocabulary.action(action);
                    Side { direction, message, component }
                })
            }));
        }
        let pairs = causality::pair(&rows[..count], &sides, plan.pairing);
        self.spans.note(&rows[..count], &sides, &pairs);
        self.name(&mut rows[..count], &pairs, plan.names);
        if group.is_over {
            self.count_group(group, &rows[..count], &sides, &pairs);
        }
        let flow = sink.group(&Observed {
            key: group.key,
            number: group.number,
            closed: group.closed,
            rows: &rows[..count],
            components: &components,
            pairs: &pairs,
            vocabulary: &self.accounting.vocabulary,
            kept: &self.kept,
            gaps: self.gaps || self.grouped,
            is_read: self.is_read,
        });
        self.release = Memory { rows, components, sides };
        flow
    }

    fn count_group(
        &mut self,
        group: &Shown<'_>,
        rows: &[Row],
        sides: &[Option<Side>],
        pairs: &Pairs,
    ) {
        let groups = &mut self.accounting.groups;
        groups.total += 1;
        groups.closed += u64::from(group.closed);
        groups.largest = groups.largest.max(rows.len());
        if groups.closable && !group.closed && groups.never_closed.len() < NAMED_GROUPS {
            groups.never_closed.push(String::from_utf8_lossy(group.key).into_owned());
        }
        self.accounting.pairs.paired += pairs.paired as u64;
        for &index in &pairs.unpaired {
            let (row, Some(side)) = (&rows[index], sides[index]) else { continue };
            let unpaired = Unpaired {
                direction: side.direction,
                lifeline: row.lifeline,
                message: side.message,
                peer: row.peer,
            };
            self.unpaired.add(unpaired, row.place);
        }
    }
}

/// Moves the events of duplicate spans to the end; returns the number of these events.
fn drop_duplicate_spans(
    rows: &mut [Row],
    vocabulary: &Vocabulary,
    findings: &mut Findings,
) -> usize {
    let direction = |row: &Row| row.action.map(|action| vocabulary.action(action).direction);
    let mut spans: Vec<usize> = (0..rows.len()).filter(|&i| !rows[i].span.is_empty()).collect();
    if spans.len() < 2 {
        return 0;
    }
    let key = |i: usize| (&rows[i].span, direction(&rows[i]), rows[i].lifeline);
    spans.sort_by(|&a, &b| key(a).cmp(&key(b)).then(a.cmp(&b)));
    let again: Vec<usize> =
        spans.windows(2).filter(|pair| key(pair[0]) == key(pair[1])).map(|pair| pair[1]).collect();
    if again.is_empty() {
        return 0;
    }
    let mut dropped = vec![false; rows.len()];
    for first in again {
        let row = &rows[first];
        let message = format!("spans of `{}` are there twice", vocabulary.lifeline(row.lifeline));
        let help = "the first of them counts; an exporter that retries writes them again";
        findings.add(Code::DUPLICATE_SPAN, row.place, message, help);
        dropped[first] = true;
        let mut next = first + 1;
        while rows.get(next).is_some_and(|row| row.flags.has(RowFlags::FOLLOWS)) {
            dropped[next] = true;
            next += 1;
        }
    }
    let mut kept = 0;
    for (index, dropped) in dropped.into_iter().enumerate() {
        if !dropped {
            rows.swap(kept, index);
            kept += 1;
        }
    }
    rows.len() - kept
}

/// Sorts events by component and, within each component, by its local order.
fn sort_by_component(rows: &mut [Row], vocabulary: &Vocabulary, components: &mut Vec<Component>) {
    let clock = |row: &Row| vocabulary.clock_of(row.lifeline).unwrap_or(RunClockId(u32::MAX));
    if rows.iter().any(|row| row.order.is_some()) {
        // An event without an order key stays after the event that precedes it on its clock.
        let mut last: FxHashMap<RunClockId, Option<i128>> = FxHashMap::default();
        for row in rows.iter_mut() {
            let known = last.entry(clock(row)).or_default();
            row.order = row.order.or(*known);
            *known = row.order;
        }
    }
    let key = |row: &Row| (clock(row), row.order);
    if !rows.is_sorted_by_key(key) {
        rows.sort_by_key(key);
    }
    components.clear();
    let mut start = 0;
    for same in rows.chunk_by(|a, b| clock(a) == clock(b)) {
        let end = start + same.len();
        components.push(Component { clock: clock(&same[0]), events: start..end });
        start = end;
    }
}
