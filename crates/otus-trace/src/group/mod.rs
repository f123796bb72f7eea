//! The store of open groups: a run of logs is split into many multi-traces by key.
//!
//! [`Groups`] stores events by group, in as few bytes as possible (about thirty for an action of a
//! text log), until the group ends: when a rule closes it, when it has been idle for long enough,
//! or at the end of the logs. Then it becomes an [`Observed`](crate::run::Observed). Groups are
//! numbered in the order of their first event, and at the end of the logs they are released in that
//! order.

mod arena;

use std::hash::Hasher as _;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use arena::{Arena, Ref};
use otus_core::define_id;
use otus_core::index::Index as _;

use crate::run::{
    RunActionId, RunFileId, RunLabelId, RunLifelineId, RunMessageId, RunPlace, RunValueId,
    RunVariableId, Translation,
};

define_id! {
    /// An open group.
    pub(crate) OpenGroupId;
}

/// An event, by the ids of the vocabulary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) lifeline: RunLifelineId,
    /// The action of the event; `None` if the event only sets variables.
    pub(crate) action: Option<RunActionId>,
    pub(crate) place: RunPlace,
    pub(crate) peer: Option<RunLifelineId>,
    /// The other name of the message, if the counterpart of the event uses another one. It is known
    /// only after pairing, so it is never stored.
    pub(crate) also: Option<RunMessageId>,
    pub(crate) label: Option<RunLabelId>,
    /// The key by which the event is ordered among the events of its clock.
    pub(crate) order: Option<i128>,
    /// The message id, which pairs it with its counterpart.
    pub(crate) id: Vec<u8>,
    /// The id of the span of which it is the start.
    pub(crate) span: Vec<u8>,
    pub(crate) flags: RowFlags,
    pub(crate) set: Vec<(RunVariableId, RunValueId)>,
    /// The vector clock: hosts and counts.
    pub(crate) vector: Vec<(RunLifelineId, u32)>,
    /// What it carries. It has a place of its own, because most runs keep nothing, and rows are sorted.
    pub(crate) carried: Option<Box<Carried>>,
}

/// The values and the time of an event, as far as they are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Carried {
    /// By the index of their field.
    values: Vec<(u32, RunValueId)>,
    /// When it happened, in nanoseconds.
    time: Option<i64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RowFlags(u32);

impl RowFlags {
    /// The event happened at the same moment as the event before it.
    pub(crate) const JOINED: RowFlags = RowFlags(1);
    /// The event is the request of a span, which is paired by its id alone.
    pub(crate) const REQUEST: RowFlags = RowFlags(2);
    /// The event is the reply of a span, which is paired by its id alone.
    pub(crate) const REPLY: RowFlags = RowFlags(4);
    /// The event is the start of a server span without a parent.
    pub(crate) const ROOT: RowFlags = RowFlags(8);
    pub(crate) const HAS_ID: RowFlags = RowFlags(16);
    /// The event comes from the same record as the event before it.
    pub(crate) const FOLLOWS: RowFlags = RowFlags(32);
    /// A rule, not the name of the span, names the message of the event.
    pub(crate) const NAMED: RowFlags = RowFlags(64);
    /// The row belongs to a span that seems to be internal by its kind. It becomes an event only if
    /// the parent of the span belongs to another service.
    pub(crate) const LATENT: RowFlags = RowFlags(128);
    /// No log has the event: the span of its counterpart implies it. Such an event is never stored.
    pub(crate) const DEDUCED: RowFlags = RowFlags(256);
    /// The action of the event was deduced from vector clocks. Such an event is never stored.
    pub(crate) const CLOCKED: RowFlags = RowFlags(512);

    pub(crate) fn has(self, other: RowFlags) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn add(&mut self, other: RowFlags) {
        self.0 |= other.0;
    }

    pub(crate) fn remove(&mut self, other: RowFlags) {
        self.0 &= !other.0;
    }
}

// The optional parts of an encoded row, in the word of its flags.
const ACTION: u32 = 1 << 8;
const PEER: u32 = 1 << 9;
const LABEL: u32 = 1 << 10;
const ORDER: u32 = 1 << 11;
const ID: u32 = 1 << 12;
const SPAN: u32 = 1 << 13;
const SET: u32 = 1 << 14;
const VECTOR: u32 = 1 << 15;
const VALUES: u32 = 1 << 16;
const TIME: u32 = 1 << 17;

impl Row {
    /// Clears the row, but keeps its memory for the next event.
    pub(crate) fn clear(&mut self) {
        self.lifeline = RunLifelineId::default();
        (self.action, self.peer, self.label, self.order) = (None, None, None, None);
        self.also = None;
        self.flags = RowFlags::default();
        self.id.clear();
        self.span.clear();
        self.set.clear();
        self.vector.clear();
        if let Some(carried) = &mut self.carried {
            carried.values.clear();
            carried.time = None;
        }
    }

    /// The values that are kept, by the index of their field.
    pub(crate) fn values(&self) -> &[(u32, RunValueId)] {
        self.carried.as_ref().map_or(&[], |carried| &carried.values)
    }

    /// When it happened, in nanoseconds, if times are kept.
    pub(crate) fn time(&self) -> Option<i64> {
        self.carried.as_ref()?.time
    }

    pub(crate) fn add_value(&mut self, field: u32, value: RunValueId) {
        self.carried.get_or_insert_default().values.push((field, value));
    }

    pub(crate) fn set_time(&mut self, time: i64) {
        self.carried.get_or_insert_default().time = Some(time);
    }

    /// Carries the same as another event.
    pub(crate) fn carry(&mut self, other: &Row) {
        self.carried.clone_from(&other.carried);
    }

    /// Replaces the ids of a thread by those of the run.
    pub(crate) fn translate(&mut self, by: &Translation) {
        self.peer = self.peer.map(|peer| by.lifeline(peer));
        self.label = self.label.map(|label| by.label(label));
        for (variable, value) in &mut self.set {
            (*variable, *value) = (by.variable(*variable), by.value(*value));
        }
        for (host, _) in &mut self.vector {
            *host = by.lifeline(*host);
        }
        for (field, value) in self.carried.iter_mut().flat_map(|carried| &mut carried.values) {
            (*field, *value) = (by.field(*field), by.value(*value));
        }
    }

    fn change_values(&mut self, change: &mut impl FnMut(RunValueId) -> RunValueId) {
        let carried = self.carried.iter_mut().flat_map(|carried| &mut carried.values);
        let carried = carried.map(|(_, value)| value);
        for value in self.set.iter_mut().map(|(_, value)| value).chain(carried) {
            *value = change(*value);
        }
    }

    /// Encodes the row as words: link, flags, lifeline or action, file, line, then the optional
    /// parts.
    fn encode(&self, words: &mut Vec<u32>) {
        words.clear();
        words.extend([Ref::NONE.0, 0, 0, self.place.file.0, self.place.line]);
        let mut parts = self.flags.0 & 0xff;
        words[2] = match self.action {
            Some(action) => {
                parts |= ACTION;
                action.0
            }
            None => self.lifeline.0,
        };
        if let Some(peer) = self.peer {
            parts |= PEER;
            words.push(peer.0);
        }
        if let Some(label) = self.label {
            parts |= LABEL;
            words.push(label.0);
        }
        if let Some(order) = self.order {
            parts |= ORDER;
            let bytes = order.to_le_bytes();
            words.extend(bytes.chunks_exact(4).map(word));
        }
        for (text, part) in [(&self.id, ID), (&self.span, SPAN)] {
            if !text.is_empty() {
                parts |= part;
                words.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
                words.extend(text.chunks(4).map(word));
            }
        }
        if !self.set.is_empty() {
            parts |= SET;
            words.push(u32::try_from(self.set.len()).unwrap_or(u32::MAX));
            words.extend(self.set.iter().flat_map(|&(variable, value)| [variable.0, value.0]));
        }
        if !self.vector.is_empty() {
            parts |= VECTOR;
            words.push(u32::try_from(self.vector.len()).unwrap_or(u32::MAX));
            words.extend(self.vector.iter().flat_map(|&(host, count)| [host.0, count]));
        }
        if let Some(carried) = &self.carried {
            if !carried.values.is_empty() {
                parts |= VALUES;
                words.push(u32::try_from(carried.values.len()).unwrap_or(u32::MAX));
                words.extend(carried.values.iter().flat_map(|&(field, value)| [field, value.0]));
            }
            if let Some(time) = carried.time {
                parts |= TIME;
                words.extend(time.to_le_bytes().chunks_exact(4).map(word));
            }
        }
        words[1] = parts;
    }

    fn decode(&mut self, words: &[u32], lifeline_of: impl Fn(RunActionId) -> RunLifelineId) {
        self.clear();
        let [_, parts, what, file, line, rest @ ..] = words else { return };
        let mut rest = rest.iter().copied();
        let mut next = || rest.next().unwrap_or_default();
        self.place = RunPlace { file: RunFileId(*file), line: *line };
        self.flags = RowFlags(parts & 0xff);
        if parts & ACTION != 0 {
            let action = RunActionId(*what);
            self.action = Some(action);
            self.lifeline = lifeline_of(action);
        } else {
            self.lifeline = RunLifelineId(*what);
        }
        if parts & PEER != 0 {
            self.peer = Some(RunLifelineId(next()));
        }
        if parts & LABEL != 0 {
            self.label = Some(RunLabelId(next()));
        }
        if parts & ORDER != 0 {
            let mut bytes = [0; 16];
            for chunk in bytes.chunks_exact_mut(4) {
                chunk.copy_from_slice(&next().to_le_bytes());
            }
            self.order = Some(i128::from_le_bytes(bytes));
        }
        for (text, part) in [(&mut self.id, ID), (&mut self.span, SPAN)] {
            if parts & part != 0 {
                let length = next() as usize;
                for _ in 0..length.div_ceil(4) {
                    text.extend(next().to_le_bytes());
                }
                text.truncate(length);
            }
        }
        if parts & SET != 0 {
            for _ in 0..next() {
                self.set.push((RunVariableId(next()), RunValueId(next())));
            }
        }
        if parts & VECTOR != 0 {
            for _ in 0..next() {
                self.vector.push((RunLifelineId(next()), next()));
            }
        }
        if parts & (VALUES | TIME) == 0 {
            return;
        }
        if parts & VALUES != 0 {
            for _ in 0..next() {
                self.add_value(next(), RunValueId(next()));
            }
        }
        if parts & TIME != 0 {
            let (low, high) = (u64::from(next()), u64::from(next()));
            self.set_time((high << 32 | low).cast_signed());
        }
    }
}

fn word(bytes: &[u8]) -> u32 {
    let mut word = [0; 4];
    word[..bytes.len()].copy_from_slice(bytes);
    u32::from_le_bytes(word)
}

#[derive(Debug)]
struct OpenGroup {
    key: Box<[u8]>,
    first: Ref,
    last: Ref,
    number: u32,
    count: u32,
    /// Whether a rule has marked the group as complete.
    closed: bool,
    /// The number of records that were read before the group's last event.
    seen: u64,
    /// The neighbours of the group in the list of groups by last event.
    older: OpenGroupId,
    newer: OpenGroupId,
}

const NO_GROUP: OpenGroupId = OpenGroupId(u32::MAX);

impl Default for OpenGroupId {
    fn default() -> Self {
        NO_GROUP
    }
}

#[derive(Debug, Default)]
pub(crate) struct Groups {
    slots: Vec<OpenGroup>,
    free: Vec<OpenGroupId>,
    table: HashTable<OpenGroupId>,
    arena: Arena,
    words: Vec<u32>,
    next_number: u32,
    /// The ends of the list of groups by last event. The list is kept only if idle groups end.
    oldest: OpenGroupId,
    newest: OpenGroupId,
    idle: Option<u64>,
    pub(crate) peak: usize,
}

#[derive(Debug)]
pub(crate) struct EndedGroup {
    pub(crate) key: Box<[u8]>,
    pub(crate) number: u32,
    pub(crate) closed: bool,
    first: Ref,
}

impl Groups {
    pub(crate) fn new(idle: Option<u64>) -> Self {
        Groups { idle, ..Groups::default() }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// The open group with a key, which is opened if there is none.
    pub(crate) fn find(&mut self, key: &[u8], now: u64) -> OpenGroupId {
        let hash = hash(key);
        let known = self.table.find(hash, |&slot| *self.slots[slot.index()].key == *key).copied();
        let slot = known.unwrap_or_else(|| {
            let open = OpenGroup {
                key: key.into(),
                first: Ref::NONE,
                last: Ref::NONE,
                number: self.next_number,
                count: 0,
                closed: false,
                seen: now,
                older: NO_GROUP,
                newer: NO_GROUP,
            };
            self.next_number += 1;
            let slot = match self.free.pop() {
                Some(slot) => {
                    self.slots[slot.index()] = open;
                    slot
                }
                None => {
                    self.slots.push(open);
                    OpenGroupId::new(self.slots.len() - 1)
                }
            };
            let slots = &self.slots;
            self.table.insert_unique(hash, slot, |&slot| self::hash(&slots[slot.index()].key));
            self.peak = self.peak.max(self.table.len());
            slot
        });
        if self.idle.is_some() {
            if known.is_some() {
                self.unlink(slot);
            }
            self.append(slot);
            self.slots[slot.index()].seen = now;
        }
        slot
    }

    /// Adds an event to an open group; returns whether there was room.
    pub(crate) fn push(&mut self, slot: OpenGroupId, row: &Row) -> bool {
        row.encode(&mut self.words);
        let Some(at) = self.arena.push(&self.words) else { return false };
        let open = &mut self.slots[slot.index()];
        let last = std::mem::replace(&mut open.last, at);
        open.count += 1;
        if last == Ref::NONE {
            open.first = at;
        } else {
            self.arena.link(last, at);
        }
        true
    }

    /// Joins two open groups, if there are groups with these keys: the later one becomes a part of
    /// the earlier one. Returns the key of the joined group, and that of the part.
    pub(crate) fn join(&mut self, a: &[u8], b: &[u8]) -> Option<[Box<[u8]>; 2]> {
        let find = |key: &[u8]| {
            self.table.find(hash(key), |&slot| *self.slots[slot.index()].key == *key).copied()
        };
        let (a, b) = (find(a)?, find(b)?);
        if a == b {
            return None;
        }
        let is_first = self.slots[a.index()].number < self.slots[b.index()].number;
        let (into, part) = if is_first { (a, b) } else { (b, a) };
        let OpenGroup { last, count, .. } = self.slots[part.index()];
        let ended = self.end(part);
        let open = &mut self.slots[into.index()];
        open.closed |= ended.closed;
        open.count += count;
        let before = open.last;
        if ended.first != Ref::NONE {
            open.last = last;
            if before == Ref::NONE {
                open.first = ended.first;
            } else {
                self.arena.link(before, ended.first);
            }
        }
        Some([self.slots[into.index()].key.clone(), ended.key])
    }

    pub(crate) fn close(&mut self, slot: OpenGroupId) {
        self.slots[slot.index()].closed = true;
    }

    pub(crate) fn idle(&self, now: u64) -> Option<OpenGroupId> {
        let oldest = self.slots.get(self.oldest.index())?;
        (now - oldest.seen > self.idle?).then_some(self.oldest)
    }

    /// Ends a group. [`Groups::take`] then takes its events.
    pub(crate) fn end(&mut self, slot: OpenGroupId) -> EndedGroup {
        if self.idle.is_some() {
            self.unlink(slot);
        }
        let open = &mut self.slots[slot.index()];
        let key = std::mem::take(&mut open.key);
        let ended = EndedGroup { number: open.number, closed: open.closed, first: open.first, key };
        if let Ok(entry) = self.table.find_entry(hash(&ended.key), |&other| other == slot) {
            entry.remove();
        }
        self.free.push(slot);
        ended
    }

    /// All open groups in the order of their first events.
    pub(crate) fn all(&self) -> Vec<OpenGroupId> {
        let mut all: Vec<OpenGroupId> = self.table.iter().copied().collect();
        all.sort_unstable_by_key(|&slot| self.slots[slot.index()].number);
        all
    }

    /// Takes the events of a group that has ended, in the order in which they were stored, and
    /// frees their memory. The rows are overwritten; returns how many are used.
    pub(crate) fn take(
        &mut self,
        ended: &EndedGroup,
        rows: &mut Vec<Row>,
        lifeline_of: impl Fn(RunActionId) -> RunLifelineId,
    ) -> usize {
        let count = self.decode(ended.first, rows, lifeline_of);
        let mut at = ended.first;
        while at != Ref::NONE {
            let next = self.arena.next(at);
            self.arena.drop(at);
            at = next;
        }
        count
    }

    /// The events of an open group, as [`Groups::take`] gives those of one that has ended.
    pub(crate) fn copy(
        &self,
        slot: OpenGroupId,
        rows: &mut Vec<Row>,
        lifeline_of: impl Fn(RunActionId) -> RunLifelineId,
    ) -> usize {
        self.decode(self.slots[slot.index()].first, rows, lifeline_of)
    }

    fn decode(
        &self,
        first: Ref,
        rows: &mut Vec<Row>,
        lifeline_of: impl Fn(RunActionId) -> RunLifelineId,
    ) -> usize {
        let (mut at, mut count) = (first, 0);
        while at != Ref::NONE {
            if rows.len() == count {
                rows.push(Row::default());
            }
            rows[count].decode(self.arena.row(at), &lifeline_of);
            count += 1;
            at = self.arena.next(at);
        }
        count
    }

    /// Changes the values of all events, one after the other. Every value takes as many words as another, so rows stay where they are.
    pub(crate) fn change_values(&mut self, mut change: impl FnMut(RunValueId) -> RunValueId) {
        let (mut row, mut words) = (Row::default(), Vec::new());
        for slot in self.all() {
            let mut at = self.slots[slot.index()].first;
            while at != Ref::NONE {
                // An encoded row has no lifeline beside its action.
                row.decode(self.arena.row(at), |_| RunLifelineId::default());
                row.change_values(&mut change);
                row.encode(&mut words);
                self.arena.replace(at, &words);
                at = self.arena.next(at);
            }
        }
    }

    /// The key of an open group, its number, and whether a rule has marked it as complete.
    pub(crate) fn about(&self, slot: OpenGroupId) -> (&[u8], u32, bool) {
        let open = &self.slots[slot.index()];
        (&open.key, open.number, open.closed)
    }

    /// The open group with a key, if there is one.
    pub(crate) fn open(&self, key: &[u8]) -> Option<OpenGroupId> {
        self.table.find(hash(key), |&slot| *self.slots[slot.index()].key == *key).copied()
    }

    /// The number of bytes of all open groups.
    pub(crate) fn bytes(&self) -> usize {
        self.arena.bytes()
    }

    /// Appends a group to the list by last event.
    fn append(&mut self, slot: OpenGroupId) {
        let newest = self.newest;
        let open = &mut self.slots[slot.index()];
        (open.older, open.newer) = (newest, NO_GROUP);
        match self.slots.get_mut(newest.index()) {
            Some(before) => before.newer = slot,
            None => self.oldest = slot,
        }
        self.newest = slot;
    }

    /// Removes a group from the list by last event.
    fn unlink(&mut self, slot: OpenGroupId) {
        let OpenGroup { older, newer, .. } = self.slots[slot.index()];
        match self.slots.get_mut(older.index()) {
            Some(before) => before.newer = newer,
            None => self.oldest = newer,
        }
        match self.slots.get_mut(newer.index()) {
            Some(after) => after.older = older,
            None => self.newest = older,
        }
    }
}

fn hash(key: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(key);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(line: u32) -> Row {
        let place = RunPlace { line, ..RunPlace::default() };
        Row { action: Some(RunActionId(line % 5)), place, ..Row::default() }
    }

    fn lines(groups: &mut Groups, slot: OpenGroupId) -> (String, Vec<u32>, bool) {
        let ended = groups.end(slot);
        let mut rows = Vec::new();
        let count = groups.take(&ended, &mut rows, |action| RunLifelineId(action.0));
        let lines = rows[..count].iter().map(|row| row.place.line).collect();
        (String::from_utf8_lossy(&ended.key).into_owned(), lines, ended.closed)
    }

    #[test]
    fn rows_come_back_as_they_were() {
        let full = Row {
            also: None,
            lifeline: RunLifelineId(9),
            action: None,
            place: RunPlace { file: RunFileId(3), line: 7 },
            peer: Some(RunLifelineId(2)),
            label: Some(RunLabelId(4)),
            order: Some(-5),
            id: b"12345".to_vec(),
            span: b"abcd".to_vec(),
            flags: RowFlags::ROOT,
            set: vec![(RunVariableId(1), RunValueId(2)), (RunVariableId(3), RunValueId(4))],
            vector: vec![(RunLifelineId(5), 6)],
            carried: Some(Box::new(Carried {
                values: vec![(0, RunValueId(8)), (3, RunValueId(2))],
                time: Some(-7),
            })),
        };
        let (action, lifeline) = (Some(RunActionId(6)), RunLifelineId(1));
        for row in [full.clone(), Row { lifeline, action, ..full }, Row::default()] {
            let mut words = Vec::new();
            row.encode(&mut words);
            words.extend([77; 3]);
            let mut back = Row { id: b"old".to_vec(), ..Row::default() };
            back.decode(&words, |_| lifeline);
            assert_eq!(back, row);
        }
    }

    #[test]
    fn groups_keep_the_order_of_their_first_events() {
        let mut groups = Groups::new(None);
        for (line, key) in (1..).zip(["b", "a", "b", "c", "a"]) {
            let slot = groups.find(key.as_bytes(), u64::from(line));
            assert!(groups.push(slot, &row(line)));
        }
        let slot = groups.find(b"a", 9);
        groups.close(slot);
        let all: Vec<_> = groups.all().into_iter().map(|slot| lines(&mut groups, slot)).collect();
        let expected = [("b", vec![1, 3], false), ("a", vec![2, 5], true), ("c", vec![4], false)];
        let expected = expected.map(|(key, lines, closed)| (key.to_owned(), lines, closed));
        assert_eq!(all, expected);
        assert_eq!(groups.len(), 0);
    }

    #[test]
    fn idle_groups_end_and_may_begin_again() {
        let mut groups = Groups::new(Some(2));
        let mut ended = Vec::new();
        for (now, key) in (1_u32..).zip(["a", "b", "a", "b", "b", "b", "a"]) {
            let slot = groups.find(key.as_bytes(), u64::from(now));
            groups.push(slot, &row(now));
            while let Some(slot) = groups.idle(u64::from(now)) {
                ended.push(lines(&mut groups, slot).1);
            }
        }
        assert_eq!(ended, [vec![1, 3]]);
        let rest: Vec<_> =
            groups.all().into_iter().map(|slot| lines(&mut groups, slot).1).collect();
        assert_eq!(rest, [vec![2, 4, 5, 6], vec![7]]);
    }

    #[test]
    fn memory_is_bounded_by_the_open_groups() {
        let mut groups = Groups::new(None);
        let mut peak = 0;
        for i in 0..200_000_u32 {
            let slot = groups.find(&(i / 4).to_le_bytes(), u64::from(i));
            groups.push(slot, &row(i));
            if i % 4 == 3 {
                lines(&mut groups, slot);
            }
            peak = peak.max(groups.bytes());
        }
        assert!(peak < 1 << 20, "{peak}");
        assert_eq!(groups.peak, 1);
    }

    #[test]
    fn groups_that_are_joined_are_one() {
        let mut groups = Groups::new(None);
        for (key, line) in [("a", 1), ("b", 2), ("a", 3), ("b", 4), ("c", 5)] {
            let slot = groups.find(key.as_bytes(), 0);
            assert!(groups.push(slot, &row(line)));
        }
        assert!(groups.join(b"a", b"d").is_none());
        assert!(groups.join(b"a", b"a").is_none());
        let [into, part] = groups.join(b"b", b"a").unwrap();
        assert_eq!((&*into, &*part), (&b"a"[..], &b"b"[..]));
        let slot = groups.find(b"a", 0);
        assert_eq!(lines(&mut groups, slot), ("a".to_owned(), vec![1, 3, 2, 4], false));
        assert_eq!(groups.len(), 1);
    }
}
