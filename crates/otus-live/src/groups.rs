//! Groups: which are open, when they end, and which have ended.
//!
//! A group ends some time after a rule closed it or its root span ended, when it was idle for long, or when too many are
//! open. Of each, two queues know the next in constant time: `due` has the groups with a time at which they end, in the order of
//! these times, and `recent` all groups by their last event. An entry of a queue that no longer holds is skipped when it is
//! met, and the queue is rebuilt when most of its entries are such.
//!
//! The keys of ended groups are remembered by their hashes, the oldest are forgotten first, so that an event that comes late opens no
//! group of its own.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::config::Closing;
use crate::follow::Followed;
use crate::hash::{SEED, fnv, mixed};
use crate::properties::Standing;
use crate::verdict::Ended;

/// What is known of a group.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) key: Box<[u8]>,
    /// No other group ever has this number.
    pub(crate) serial: u64,
    pub(crate) generation: u32,
    pub(crate) events: u64,
    /// The first segment of the log with an event of it.
    pub(crate) segment: u64,
    pub(crate) state: State,
    pub(crate) followed: Option<Followed>,
    /// Whether its events were too many to be kept.
    pub(crate) is_thinned: bool,
    pub(crate) standing: Standing,
    pub(crate) seen: Instant,
    stamp: u64,
    /// Why it ends soon.
    due: Option<Ended>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Open,
    /// It fails, and that was told.
    Failed,
    /// It was judged, and its events are kept in case that more come.
    Judged,
}

#[derive(Debug)]
pub(crate) struct Groups {
    table: FxHashMap<Box<[u8]>, u32>,
    slots: Vec<Option<Group>>,
    free: Vec<u32>,
    /// Slots with the stamp of their last event.
    recent: VecDeque<(u32, u64)>,
    due: VecDeque<(Instant, u32, u64)>,
    /// Judged groups, until their events are dropped.
    lingering: VecDeque<(Instant, u32, u64)>,
    /// The numbers of the keys of groups that ended ([`number`]), with their generation.
    ended: FxHashMap<u64, u32>,
    ended_order: VecDeque<u64>,
    remembered: usize,
    stamp: u64,
    serial: u64,
}

impl Groups {
    pub(crate) fn new(remembered: usize) -> Groups {
        Groups {
            table: FxHashMap::default(),
            slots: Vec::new(),
            free: Vec::new(),
            recent: VecDeque::new(),
            due: VecDeque::new(),
            lingering: VecDeque::new(),
            ended: FxHashMap::default(),
            ended_order: VecDeque::new(),
            remembered,
            stamp: 0,
            serial: 0,
        }
    }

    /// The number of groups whose events are kept or counted.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    pub(crate) fn slot(&self, key: &[u8]) -> Option<u32> {
        self.table.get(key).copied()
    }

    pub(crate) fn get(&mut self, slot: u32) -> Option<&mut Group> {
        self.slots.get_mut(slot as usize)?.as_mut()
    }

    /// Whether a group with this key has ended and is not open again.
    pub(crate) fn has_ended(&self, key: &[u8]) -> bool {
        self.ended.contains_key(&number(key))
    }

    /// Opens a group.
    pub(crate) fn open(&mut self, key: &[u8], segment: u64, now: Instant) -> u32 {
        self.serial += 1;
        let group = Group {
            key: key.into(),
            serial: self.serial,
            generation: 1,
            events: 0,
            segment,
            state: State::Open,
            followed: None,
            is_thinned: false,
            standing: Standing::default(),
            seen: now,
            stamp: 0,
            due: None,
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(group);
                slot
            }
            None => {
                self.slots.push(Some(group));
                u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX)
            }
        };
        self.table.insert(key.into(), slot);
        slot
    }

    /// Notes that a group had an event.
    pub(crate) fn touch(&mut self, slot: u32, now: Instant) {
        self.stamp += 1;
        let stamp = self.stamp;
        if let Some(group) = self.get(slot) {
            (group.seen, group.stamp) = (now, stamp);
        }
        match self.recent.back_mut() {
            // Many events in a row are often of the same group.
            Some((last, of)) if *last == slot => *of = stamp,
            _ => self.recent.push_back((slot, stamp)),
        }
        if self.recent.len() > 4 * self.table.len() + 1024 {
            let slots = &self.slots;
            self.recent.retain(|&(slot, stamp)| is_current(slots, slot, stamp));
        }
    }

    /// Notes that a group ends after the grace.
    pub(crate) fn end_soon(&mut self, slot: u32, why: Ended, at: Instant) {
        if let Some(group) = self.get(slot)
            && group.due.is_none()
        {
            group.due = Some(why);
            let serial = group.serial;
            self.due.push_back((at, slot, serial));
        }
    }

    /// A group that ends now, and why.
    pub(crate) fn next_end(&mut self, closing: &Closing, now: Instant) -> Option<(u32, Ended)> {
        while let Some(&(at, slot, serial)) = self.due.front() {
            let group = self.get(slot).filter(|group| group.serial == serial);
            match group.and_then(|group| group.due) {
                None => drop(self.due.pop_front()),
                Some(why) if at <= now => {
                    self.due.pop_front();
                    return Some((slot, why));
                }
                Some(_) => break,
            }
        }
        while let Some(&(slot, stamp)) = self.recent.front() {
            if !is_current(&self.slots, slot, stamp) {
                self.recent.pop_front();
                continue;
            }
            let is_idle = |group: &Group| now.duration_since(group.seen) >= closing.idle;
            let is_idle = self.slots[slot as usize].as_ref().is_some_and(is_idle);
            let why = match (is_idle, self.table.len() > closing.most_open) {
                (true, _) => Ended::Idle,
                (false, true) => Ended::Forced,
                (false, false) => return None,
            };
            self.recent.pop_front();
            return Some((slot, why));
        }
        None
    }

    /// All groups in the order in which they were opened.
    pub(crate) fn in_order(&self) -> Vec<u32> {
        let groups = self.slots.iter().enumerate();
        let mut all: Vec<(u64, u32)> = groups
            .filter_map(|(slot, group)| Some((group.as_ref()?.serial, u32::try_from(slot).ok()?)))
            .collect();
        all.sort_unstable();
        all.into_iter().map(|(_, slot)| slot).collect()
    }

    /// Keeps a judged group for late events.
    pub(crate) fn linger(&mut self, slot: u32, until: Instant) {
        if let Some(group) = self.get(slot) {
            (group.state, group.due) = (State::Judged, None);
            let serial = group.serial;
            self.lingering.push_back((until, slot, serial));
        }
    }

    /// Lets a judged group be open again, in its next generation.
    pub(crate) fn reopen(&mut self, slot: u32) {
        if let Some(group) = self.get(slot) {
            group.state = State::Open;
            group.generation += 1;
            group.standing.renew();
        }
    }

    /// A judged group for which late events are no longer awaited.
    pub(crate) fn next_leaving(&mut self, now: Instant) -> Option<u32> {
        while let Some(&(until, slot, serial)) = self.lingering.front() {
            if until > now {
                return None;
            }
            self.lingering.pop_front();
            let group = self.get(slot).filter(|group| group.serial == serial);
            if group.is_some_and(|group| group.state == State::Judged) {
                return Some(slot);
            }
        }
        None
    }

    /// Removes a group, whose key is remembered.
    pub(crate) fn remove(&mut self, slot: u32) -> Option<Group> {
        let group = self.slots.get_mut(slot as usize)?.take()?;
        self.table.remove(&group.key);
        self.free.push(slot);
        self.remember(number(&group.key), group.generation);
        Some(group)
    }

    /// Remembers that the group with the key of a number has ended.
    pub(crate) fn remember(&mut self, number: u64, generation: u32) {
        if self.ended.insert(number, generation).is_none() {
            self.ended_order.push_back(number);
        }
        while self.ended_order.len() > self.remembered {
            if let Some(oldest) = self.ended_order.pop_front() {
                self.ended.remove(&oldest);
            }
        }
    }

    /// The numbers of the keys of groups that ended, the oldest first.
    pub(crate) fn ended(&self) -> Vec<(u64, u32)> {
        let generation = |number: &u64| self.ended.get(number).copied().unwrap_or(1);
        self.ended_order.iter().map(|it| (*it, generation(it))).collect()
    }

    /// The first segment that a group needs.
    pub(crate) fn first_segment(&self) -> Option<u64> {
        self.slots.iter().flatten().map(|group| group.segment).min()
    }

    /// Forgets how long ago events came, because they were only read again.
    pub(crate) fn refresh(&mut self, now: Instant, grace: Duration) {
        for group in self.slots.iter_mut().flatten() {
            group.seen = now;
        }
        for (at, ..) in self.due.iter_mut().chain(&mut self.lingering) {
            *at = now + grace;
        }
    }
}

/// The number by which the key of an ended group is remembered. It is a hash, so that a key takes a few bytes whatever its length. Two keys
/// have the same number with a probability of 2⁻⁶⁴; then the events of the later one count as late.
fn number(key: &[u8]) -> u64 {
    mixed(fnv(SEED, key))
}

fn is_current(slots: &[Option<Group>], slot: u32, stamp: u64) -> bool {
    let group = slots.get(slot as usize).and_then(Option::as_ref);
    group.is_some_and(|group| group.stamp == stamp && group.state != State::Judged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closing() -> Closing {
        Closing { idle: Duration::from_secs(10), most_open: 3, ..Closing::default() }
    }

    #[test]
    fn groups_end_when_they_are_due_idle_or_too_many() {
        let now = Instant::now();
        let after = |seconds| now + Duration::from_secs(seconds);
        let mut groups = Groups::new(2);
        for (time, key) in [b"a", b"b", b"c"].into_iter().enumerate() {
            let slot = groups.open(key, 0, now);
            groups.touch(slot, after(time as u64));
        }
        let [a, b, c] = [b"a", b"b", b"c"].map(|key| groups.slot(key).unwrap());
        groups.touch(a, after(5));
        groups.end_soon(c, Ended::Rule, after(7));
        assert_eq!(groups.next_end(&closing(), after(6)), None);
        assert_eq!(groups.next_end(&closing(), after(7)), Some((c, Ended::Rule)));
        groups.remove(c);
        assert_eq!(groups.next_end(&closing(), after(10)), None);
        assert_eq!(groups.next_end(&closing(), after(11)), Some((b, Ended::Idle)));
        groups.remove(b);
        assert_eq!(groups.next_end(&closing(), after(12)), None);
        for key in [b"d", b"e", b"f"] {
            let slot = groups.open(key, 1, after(12));
            groups.touch(slot, after(12));
        }
        assert_eq!(groups.next_end(&closing(), after(12)), Some((a, Ended::Forced)));
        groups.remove(a);
        assert_eq!(groups.next_end(&closing(), after(12)), None);
        // Only the last two are remembered.
        assert!(!groups.has_ended(b"c") && groups.has_ended(b"b") && groups.has_ended(b"a"));
        assert_eq!(groups.first_segment(), Some(1));
        let keys = groups.in_order().into_iter();
        let keys: Vec<u8> =
            keys.map(|slot| groups.slots[slot as usize].as_ref().unwrap().key[0]).collect();
        assert_eq!(keys, b"def");
    }

    #[test]
    fn a_judged_group_waits_for_late_events() {
        let now = Instant::now();
        let after = |seconds| now + Duration::from_secs(seconds);
        let mut groups = Groups::new(2);
        let slot = groups.open(b"a", 0, now);
        groups.touch(slot, now);
        groups.linger(slot, after(3));
        assert_eq!(groups.next_end(&closing(), after(60)), None);
        groups.reopen(slot);
        groups.touch(slot, after(2));
        assert_eq!(groups.get(slot).unwrap().generation, 2);
        assert_eq!(groups.next_leaving(after(4)), None);
        groups.linger(slot, after(5));
        assert_eq!(groups.next_leaving(after(5)), Some(slot));
    }
}
