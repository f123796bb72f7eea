//! Groups: one run of logs splits into many multi-traces by key.
//!
//! A [`Groups`] takes events as they come and keeps them by group, in as few bytes as they
//! need (about thirty for an action of a text log), until the group ends. A group ends when a rule
//! says so, when it has been idle for long enough, or with the logs; then it becomes an
//! [`Observed`](crate::run::Observed). Groups are numbered in the order of their first event, and at the
//! end of the logs they come in that order.

mod arena;

use std::hash::Hasher as _;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use arena::{Arena, Ref};

/// An event as it is stored, in numbers of the vocabulary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Row {
    /// The lifeline it happened on.
    pub(crate) lifeline: u32,
    /// The action, if it is one.
    pub(crate) action: Option<u32>,
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) peer: Option<u32>,
    pub(crate) label: Option<u32>,
    /// By which it is ordered on its clock.
    pub(crate) order: Option<i128>,
    /// What pairs it with its counterpart.
    pub(crate) id: Vec<u8>,
    /// The id of the span that it is the start of.
    pub(crate) span: Vec<u8>,
    pub(crate) marks: Marks,
    /// Variables and values.
    pub(crate) set: Vec<(u32, u32)>,
    /// Hosts and counts.
    pub(crate) vector: Vec<(u32, u32)>,
}

/// What else is known of an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks(u32);

impl Marks {
    /// At the same moment as the one before it.
    pub(crate) const JOINED: Marks = Marks(1);
    /// It is a request of a span, paired by the id alone.
    pub(crate) const REQUEST: Marks = Marks(2);
    /// It is a reply of a span, paired by the id alone.
    pub(crate) const REPLY: Marks = Marks(4);
    /// It is the start of a server span without a parent.
    pub(crate) const ROOT: Marks = Marks(8);
    /// It has an id.
    pub(crate) const HAS_ID: Marks = Marks(16);
    /// It follows from the same record as the event before it.
    pub(crate) const FOLLOWS: Marks = Marks(32);

    pub(crate) fn has(self, other: Marks) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn add(&mut self, other: Marks) {
        self.0 |= other.0;
    }
}

// Which optional parts a row has, in the word of its marks.
const ACTION: u32 = 1 << 8;
const PEER: u32 = 1 << 9;
const LABEL: u32 = 1 << 10;
const ORDER: u32 = 1 << 11;
const ID: u32 = 1 << 12;
const SPAN: u32 = 1 << 13;
const SET: u32 = 1 << 14;
const VECTOR: u32 = 1 << 15;

impl Row {
    /// Forgets the last event but keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.lifeline = 0;
        (self.action, self.peer, self.label, self.order) = (None, None, None, None);
        self.marks = Marks::default();
        self.id.clear();
        self.span.clear();
        self.set.clear();
        self.vector.clear();
    }

    /// The row as words: link, marks, lifeline or action, file, line, then the optional parts.
    fn encode(&self, words: &mut Vec<u32>) {
        words.clear();
        words.extend([Ref::NONE.0, 0, 0, self.file, self.line]);
        let mut parts = self.marks.0 & 0xff;
        words[2] = match self.action {
            Some(action) => {
                parts |= ACTION;
                action
            }
            None => self.lifeline,
        };
        if let Some(peer) = self.peer {
            parts |= PEER;
            words.push(peer);
        }
        if let Some(label) = self.label {
            parts |= LABEL;
            words.push(label);
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
        for (pairs, part) in [(&self.set, SET), (&self.vector, VECTOR)] {
            if !pairs.is_empty() {
                parts |= part;
                words.push(u32::try_from(pairs.len()).unwrap_or(u32::MAX));
                words.extend(pairs.iter().flat_map(|&(a, b)| [a, b]));
            }
        }
        words[1] = parts;
    }

    /// Reads a row back.
    fn decode(&mut self, words: &[u32], lifeline_of: impl Fn(u32) -> u32) {
        self.clear();
        let [_, parts, what, file, line, rest @ ..] = words else { return };
        let mut rest = rest.iter().copied();
        let mut next = || rest.next().unwrap_or_default();
        (self.file, self.line) = (*file, *line);
        self.marks = Marks(parts & 0xff);
        if parts & ACTION != 0 {
            self.action = Some(*what);
            self.lifeline = lifeline_of(*what);
        } else {
            self.lifeline = *what;
        }
        if parts & PEER != 0 {
            self.peer = Some(next());
        }
        if parts & LABEL != 0 {
            self.label = Some(next());
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
        for (pairs, part) in [(&mut self.set, SET), (&mut self.vector, VECTOR)] {
            if parts & part != 0 {
                for _ in 0..next() {
                    pairs.push((next(), next()));
                }
            }
        }
    }
}

fn word(bytes: &[u8]) -> u32 {
    let mut word = [0; 4];
    word[..bytes.len()].copy_from_slice(bytes);
    u32::from_le_bytes(word)
}

/// A group that has not ended.
#[derive(Debug)]
struct Open {
    key: Box<[u8]>,
    first: Ref,
    last: Ref,
    number: u32,
    count: u32,
    /// Whether a rule has said that it is complete.
    closed: bool,
    /// When it last had an event, in records.
    seen: u64,
    /// Its neighbours in the order of that.
    older: u32,
    newer: u32,
}

/// No group.
const NOBODY: u32 = u32::MAX;

/// All groups that have not ended.
#[derive(Debug)]
pub(crate) struct Groups {
    slots: Vec<Open>,
    free: Vec<u32>,
    table: HashTable<u32>,
    arena: Arena,
    words: Vec<u32>,
    next_number: u32,
    /// The ends of the list by last event; only kept if groups end by being idle.
    oldest: u32,
    newest: u32,
    idle: Option<u64>,
    pub(crate) peak: usize,
}

/// A group that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) key: Box<[u8]>,
    pub(crate) number: u32,
    pub(crate) closed: bool,
    first: Ref,
}

impl Groups {
    pub(crate) fn new(idle: Option<u64>) -> Self {
        Groups {
            slots: Vec::new(),
            free: Vec::new(),
            table: HashTable::new(),
            arena: Arena::default(),
            words: Vec::new(),
            next_number: 0,
            oldest: NOBODY,
            newest: NOBODY,
            idle,
            peak: 0,
        }
    }

    /// How many groups are open.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// The open group with a key, new or known.
    pub(crate) fn find(&mut self, key: &[u8], now: u64) -> u32 {
        let hash = hash(key);
        let known = self.table.find(hash, |&slot| *self.slots[slot as usize].key == *key).copied();
        let slot = known.unwrap_or_else(|| {
            let open = Open {
                key: key.into(),
                first: Ref::NONE,
                last: Ref::NONE,
                number: self.next_number,
                count: 0,
                closed: false,
                seen: now,
                older: NOBODY,
                newer: NOBODY,
            };
            self.next_number += 1;
            let slot = match self.free.pop() {
                Some(slot) => {
                    self.slots[slot as usize] = open;
                    slot
                }
                None => {
                    self.slots.push(open);
                    u32::try_from(self.slots.len() - 1).unwrap_or(NOBODY)
                }
            };
            let slots = &self.slots;
            self.table.insert_unique(hash, slot, |&slot| self::hash(&slots[slot as usize].key));
            self.peak = self.peak.max(self.table.len());
            if self.idle.is_some() {
                self.append(slot);
            }
            slot
        });
        if self.idle.is_some() {
            self.unlink(slot);
            self.append(slot);
            self.slots[slot as usize].seen = now;
        }
        slot
    }

    /// Adds an event to an open group; whether there was room.
    pub(crate) fn push(&mut self, slot: u32, row: &Row) -> bool {
        row.encode(&mut self.words);
        let Some(at) = self.arena.push(&self.words) else { return false };
        let open = &mut self.slots[slot as usize];
        let last = std::mem::replace(&mut open.last, at);
        open.count += 1;
        if last == Ref::NONE {
            open.first = at;
        } else {
            self.arena.link(last, at);
        }
        true
    }

    /// Says that a group is complete.
    pub(crate) fn close(&mut self, slot: u32) {
        self.slots[slot as usize].closed = true;
    }

    /// A group that has had no event for too long, if there is one.
    pub(crate) fn idle(&self, now: u64) -> Option<u32> {
        let oldest = self.slots.get(self.oldest as usize)?;
        (now - oldest.seen > self.idle?).then_some(self.oldest)
    }

    /// Ends a group. Its events are still there until [`Groups::take`].
    pub(crate) fn end(&mut self, slot: u32) -> Ended {
        if self.idle.is_some() {
            self.unlink(slot);
        }
        let open = &mut self.slots[slot as usize];
        let key = std::mem::take(&mut open.key);
        let ended = Ended { number: open.number, closed: open.closed, first: open.first, key };
        if let Ok(entry) = self.table.find_entry(hash(&ended.key), |&other| other == slot) {
            entry.remove();
        }
        self.free.push(slot);
        ended
    }

    /// All open groups in the order of their first events, to be ended.
    pub(crate) fn all(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.table.iter().copied().collect();
        all.sort_unstable_by_key(|&slot| self.slots[slot as usize].number);
        all
    }

    /// The events of a group that has ended, in the order in which they came; their memory is
    /// given back. Rows are written over those that are there.
    pub(crate) fn take(
        &mut self,
        ended: &Ended,
        rows: &mut Vec<Row>,
        lifeline_of: impl Fn(u32) -> u32,
    ) -> usize {
        let (mut at, mut count) = (ended.first, 0);
        while at != Ref::NONE {
            if rows.len() == count {
                rows.push(Row::default());
            }
            let words = self.arena.row(at);
            let next = Ref(words.first().copied().unwrap_or(Ref::NONE.0));
            rows[count].decode(words, &lifeline_of);
            count += 1;
            self.arena.drop(at);
            at = next;
        }
        count
    }

    /// How many bytes the events take.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.arena.bytes()
    }

    fn append(&mut self, slot: u32) {
        let newest = self.newest;
        let open = &mut self.slots[slot as usize];
        (open.older, open.newer) = (newest, NOBODY);
        match self.slots.get_mut(newest as usize) {
            Some(before) => before.newer = slot,
            None => self.oldest = slot,
        }
        self.newest = slot;
    }

    fn unlink(&mut self, slot: u32) {
        let Open { older, newer, .. } = self.slots[slot as usize];
        match self.slots.get_mut(older as usize) {
            Some(before) => before.newer = newer,
            None => self.oldest = newer,
        }
        match self.slots.get_mut(newer as usize) {
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
        Row { action: Some(line % 5), line, ..Row::default() }
    }

    fn lines(groups: &mut Groups, slot: u32) -> (String, Vec<u32>, bool) {
        let ended = groups.end(slot);
        let mut rows = Vec::new();
        let count = groups.take(&ended, &mut rows, |action| action);
        let lines = rows[..count].iter().map(|row| row.line).collect();
        (String::from_utf8_lossy(&ended.key).into_owned(), lines, ended.closed)
    }

    #[test]
    fn rows_come_back_as_they_were() {
        let full = Row {
            lifeline: 9,
            action: None,
            file: 3,
            line: 7,
            peer: Some(2),
            label: Some(4),
            order: Some(-5),
            id: b"12345".to_vec(),
            span: b"abcd".to_vec(),
            marks: Marks::ROOT,
            set: vec![(1, 2), (3, 4)],
            vector: vec![(5, 6)],
        };
        for row in [full.clone(), Row { action: Some(6), lifeline: 1, ..full }, Row::default()] {
            let mut words = Vec::new();
            row.encode(&mut words);
            words.extend([77; 3]);
            let mut back = Row { id: b"old".to_vec(), ..Row::default() };
            back.decode(&words, |_| 1);
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
}
