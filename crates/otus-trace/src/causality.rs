//! Which reception belongs to which emission.
//!
//! Three ways, from the surest to the least sure, tried for each event by what is known of it:
//!
//! 1. **By id.** An emission and a reception with the same id are a pair: of the same message in
//!    logs that number their messages, whatever the message in spans, whose ids are unique. If
//!    the other side is named, it must be the right one, so that ids may repeat per channel.
//! 2. **First in, first out.** Without an id but with a peer, the k-th reception of a message on a
//!    channel is of the k-th emission on it.
//! 3. **By counting.** With neither, only what is certain is claimed
//!    ([`from_multi_trace`](crate::order::from_multi_trace) has the argument).
//!
//! An emission that does not name its receiver may be a broadcast and is received once by each
//! lifeline at most; one that does is received once. Time stamps are never compared across clocks.
//! Linear in the number of events.

use otus_core::Direction;
use rustc_hash::FxHashMap;

use crate::group::{Marks, Row};
use crate::mapping::Pairing;

/// Pairs of events, as indices.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// An emission and its reception.
    pub(crate) matched: Vec<(usize, usize)>,
    /// Emissions that certainly happened before a reception, though they may not be its own.
    pub(crate) before: Vec<(usize, usize)>,
    pub(crate) unpaired: Vec<usize>,
    /// How many receptions have an emission.
    pub(crate) paired: usize,
}

/// What an event is for pairing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side {
    pub(crate) direction: Direction,
    pub(crate) message: u32,
    /// The process it happens on.
    pub(crate) component: usize,
}

/// No lifeline, or any.
const ANY: u32 = u32::MAX;

/// What must be equal in a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key<'e> {
    /// The message, or whether it is the request or the reply of a span.
    what: u32,
    id: &'e [u8],
    from: u32,
    to: u32,
}

const REQUEST: u32 = u32::MAX;
const REPLY: u32 = u32::MAX - 1;

/// In place of an id: any. No id of a log is this, since it is not UTF-8.
const WITH_ID: &[u8] = b"\xff any";

/// A list of emissions in order.
#[derive(Debug, Clone, Copy)]
struct Queue {
    head: u32,
    tail: u32,
}

/// Pairs the events of a group, which are in the order of their components. `sides` says of each
/// what it is; `None` for what is no action.
pub(crate) fn pair(rows: &[Row], sides: &[Option<Side>], pairing: Pairing) -> Pairs {
    let mut pairs = Pairs::default();
    if pairing == Pairing::None {
        return pairs;
    }
    let by_id = |row: &Row| row.marks.has(Marks::HAS_ID) && pairing != Pairing::Fifo;
    // Messages of which some event without an id names its peer.
    let mut channels: Vec<u32> = Vec::new();
    if matches!(pairing, Pairing::Auto | Pairing::Fifo) {
        for (row, side) in rows.iter().zip(sides) {
            if let Some(side) = side.filter(|_| row.peer.is_some() && !by_id(row)) {
                channels.push(side.message);
            }
        }
        channels.sort_unstable();
        channels.dedup();
    }
    let mut queues = Queues::new(rows.len());
    let mut counted = Vec::new();
    let mut receptions = Vec::new();
    for (index, (row, side)) in rows.iter().zip(sides).enumerate() {
        let Some(side) = side else { continue };
        let queued = if pairing == Pairing::Count {
            None
        } else if by_id(row) {
            Some(what(row, side))
        } else if channels.binary_search(&side.message).is_ok() {
            Some(side.message)
        } else {
            None
        };
        let Some(what) = queued else {
            if pairing == Pairing::Id || row.marks.has(Marks::ROOT) {
                pairs.unpaired.push(index);
            } else {
                counted.push(index);
            }
            continue;
        };
        let id: &[u8] = if by_id(row) { &row.id } else { &[] };
        match side.direction {
            Direction::Emission => queues.emit(index, what, id, row),
            Direction::Reception => receptions.push((index, what, id)),
        }
    }
    let mut left = Vec::new();
    for (index, what, id) in receptions {
        match queues.receive(what, id, &rows[index]) {
            Some(emission) => pairs.matched.push((emission, index)),
            None => left.push((index, what, id)),
        }
    }
    for (index, what, id) in left {
        // Some logs have the id on one side only.
        let row = &rows[index];
        let other = if id.is_empty() { WITH_ID } else { &[] };
        let again = (pairing == Pairing::Auto && what < REPLY)
            .then(|| queues.receive(what, other, row))
            .flatten();
        match again {
            Some(emission) => pairs.matched.push((emission, index)),
            None => pairs.unpaired.push(index),
        }
    }
    pairs.paired = pairs.matched.len();
    pairs.unpaired.extend(queues.unheard());
    count(&counted, sides, &mut pairs);
    pairs.unpaired.sort_unstable();
    pairs
}

fn what(row: &Row, side: &Side) -> u32 {
    if row.marks.has(Marks::REQUEST) {
        REQUEST
    } else if row.marks.has(Marks::REPLY) {
        REPLY
    } else {
        side.message
    }
}

/// The other side. Spans name it by an address, which need not be the name of the service, and
/// their ids are enough.
fn peer(row: &Row) -> Option<u32> {
    row.peer.filter(|_| !row.marks.has(Marks::REQUEST) && !row.marks.has(Marks::REPLY))
}

/// Emissions by all that a reception may know of them.
struct Queues<'e> {
    map: FxHashMap<Key<'e>, Queue>,
    /// By emission: the next one in each of its queues: of the same sender, of any sender, and both
    /// again whatever the id.
    next: Vec<[u32; 4]>,
    /// By emission: whether it has been received.
    heard: Vec<bool>,
    /// How far a receiver has read a queue of emissions to nobody in particular.
    read: FxHashMap<(Key<'e>, u32), u32>,
    emissions: Vec<usize>,
}

impl<'e> Queues<'e> {
    fn new(count: usize) -> Self {
        Queues {
            map: FxHashMap::default(),
            next: vec![[ANY; 4]; count],
            heard: vec![false; count],
            read: FxHashMap::default(),
            emissions: Vec::new(),
        }
    }

    fn emit(&mut self, index: usize, what: u32, id: &'e [u8], row: &Row) {
        self.emissions.push(index);
        let Ok(number) = u32::try_from(index) else { return };
        let to = peer(row).unwrap_or(ANY);
        let any: &[u8] = WITH_ID;
        let queues = [(row.lifeline, id), (ANY, id), (row.lifeline, any), (ANY, any)];
        // What has no id, and the ids of spans, are paired in one way only.
        let count = if id.is_empty() || what >= REPLY { 2 } else { 4 };
        for (list, (from, id)) in queues.into_iter().take(count).enumerate() {
            let queue = self.map.entry(Key { what, id, from, to });
            let queue = queue.or_insert(Queue { head: number, tail: number });
            if queue.tail != number {
                self.next[queue.tail as usize][list] = number;
                queue.tail = number;
            }
        }
    }

    fn receive(&mut self, what: u32, id: &'e [u8], row: &Row) -> Option<usize> {
        let (from, list) = peer(row).map_or((ANY, 1), |peer| (peer, 0));
        let list = if id == WITH_ID { list + 2 } else { list };
        // One that was sent to this lifeline and to no other.
        let own = Key { what, id, from, to: row.lifeline };
        if let Some(queue) = self.map.get_mut(&own) {
            while queue.head != ANY {
                let emission = queue.head as usize;
                queue.head = self.next[emission][list];
                if !std::mem::replace(&mut self.heard[emission], true) {
                    return Some(emission);
                }
            }
            // What is empty stays so: all emissions have been noted.
        }
        let anyone = Key { to: ANY, ..own };
        let head = self.map.get(&anyone)?.head;
        let place = self.read.entry((anyone, row.lifeline)).or_insert(head);
        // By another id than its own it has not been received.
        while id == WITH_ID && *place != ANY && self.heard[*place as usize] {
            *place = self.next[*place as usize][list];
        }
        if *place == ANY {
            return None;
        }
        let emission = *place as usize;
        *place = self.next[emission][list];
        self.heard[emission] = true;
        Some(emission)
    }

    fn unheard(&self) -> impl Iterator<Item = usize> + '_ {
        self.emissions.iter().copied().filter(|&emission| !self.heard[emission])
    }
}

/// Pairs by counting: see the module.
fn count(counted: &[usize], sides: &[Option<Side>], pairs: &mut Pairs) {
    if counted.is_empty() {
        return;
    }
    let mut by_message: Vec<(u32, usize)> = counted
        .iter()
        .filter_map(|&index| sides[index].map(|side| (side.message, index)))
        .collect();
    by_message.sort_unstable();
    for same in by_message.chunk_by(|a, b| a.0 == b.0) {
        let sides = same.iter().filter_map(|&(_, index)| sides[index].map(|side| (index, side)));
        let (mut emissions, mut receptions): (Vec<_>, Vec<_>) =
            sides.partition(|(_, side)| side.direction == Direction::Emission);
        // Indices are in the order of components already.
        emissions.sort_unstable_by_key(|(index, _)| *index);
        receptions.sort_unstable_by_key(|(index, _)| *index);
        let senders: Vec<&[(usize, Side)]> =
            emissions.chunk_by(|a, b| a.1.component == b.1.component).collect();
        let mut most = 0;
        for received in receptions.chunk_by(|a, b| a.1.component == b.1.component) {
            most = most.max(received.len());
            for (before, &(index, side)) in received.iter().enumerate() {
                // On its own component only what is not after it counts.
                let counts = senders.iter().map(|sent| match sent.first() {
                    Some((_, first)) if first.component == side.component => {
                        sent.partition_point(|(emission, _)| *emission < index)
                    }
                    _ => sent.len(),
                });
                let counts: Vec<usize> = counts.collect();
                let total: usize = counts.iter().sum();
                if before >= total {
                    pairs.unpaired.push(index);
                    continue;
                }
                pairs.paired += 1;
                for (sent, &known) in senders.iter().zip(&counts) {
                    let other = sent.first().is_some_and(|(_, s)| s.component != side.component);
                    if let Some(place) = before.checked_sub(total - known).filter(|_| other) {
                        let edge = (sent[place].0, index);
                        if senders.len() == 1 {
                            pairs.matched.push(edge);
                        } else {
                            pairs.before.push(edge);
                        }
                    }
                }
            }
        }
        // Which of several senders' emissions are lost nobody knows; of one it is the last ones.
        if most == 0 {
            pairs.unpaired.extend(emissions.iter().map(|(index, _)| *index));
        } else if let [sent] = senders.as_slice() {
            pairs.unpaired.extend(sent.iter().skip(most).map(|(index, _)| *index));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events like `a!m>b#7`: a lifeline, a direction, a message, a peer, an id. Pairs are shown as
    /// `0-3`, orders as `0<3`, unpaired events by their index.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        check_by(text, Pairing::Auto, expected);
    }

    #[track_caller]
    fn check_by(text: &str, pairing: Pairing, expected: &str) {
        let (mut rows, mut sides) = (Vec::new(), Vec::new());
        for event in text.split_whitespace() {
            let (event, id) = event.split_once('#').unwrap_or((event, ""));
            let (event, peer) = event.split_once('>').unwrap_or((event, ""));
            let mut row = Row { id: id.as_bytes().to_vec(), ..Row::default() };
            let bytes = event.as_bytes();
            row.lifeline = u32::from(bytes[0]);
            row.peer = peer.bytes().next().map(u32::from);
            if !id.is_empty() {
                row.marks.add(Marks::HAS_ID);
            }
            let direction =
                if bytes[1] == b'!' { Direction::Emission } else { Direction::Reception };
            let component = bytes[0] as usize;
            sides.push(Some(Side { direction, message: u32::from(bytes[2]), component }));
            rows.push(row);
        }
        let pairs = pair(&rows, &sides, pairing);
        let mut shown: Vec<String> =
            pairs.matched.iter().map(|(a, b)| format!("{a}-{b}")).collect();
        shown.extend(pairs.before.iter().map(|(a, b)| format!("{a}<{b}")));
        shown.extend(pairs.unpaired.iter().map(ToString::to_string));
        assert_eq!(shown.join(" "), expected, "{text}");
    }

    #[test]
    fn ids_pair_in_any_order() {
        check("a!m#1 a!m#2 b?m#2 b?m#1", "1-2 0-3");
        check("a!m#1 b?n#1", "0 1");
        check("a!m#1 a!m#1 b?m#1 b?m#1", "0-2 1-3");
        check("a!m#1 b?m#1 c?m#1", "0-1 0-2");
        check("b?m#1", "0");
    }

    #[test]
    fn ids_may_repeat_on_other_channels() {
        check("a!m>b#1 b!m>c#1 b?m>a#1 c?m>b#1", "0-2 1-3");
        check("a!m>b#1 c?m>a#1", "0 1");
        check("a!m>b#1 b!m>c#1 b?m#1 c?m#1", "0-2 1-3");
        check("a!m#1 c!m#1 b?m>c#1", "1-2 0");
        check("a!m>b#1 b?m>a#1 b?m>a#1", "0-1 2");
    }

    #[test]
    fn an_id_on_one_side_only_does_no_harm() {
        check("a!m>b#1 a!m>b#2 b?m>a#2 b?m>a", "1-2 0-3");
        check("a!m>b b?m>a#1", "0-1");
        check("a!m>b#1 b?m>a#2", "0 1");
        check("a!m#1 b?m>a", "0-1");
    }

    #[test]
    fn channels_are_first_in_first_out() {
        check("a!m>b a!m>c a!m>b b?m>a b?m>a c?m>a", "0-3 2-4 1-5");
        check("a!m>b c!m>b b?m>c b?m>a", "1-2 0-3");
        check("a!m>b b?m b?m", "0-1 2");
        check_by("a!m>b#1 b?m>a#2", Pairing::Fifo, "0-1");
    }

    #[test]
    fn without_ids_and_peers_only_what_is_certain_is_claimed() {
        check("a!m a!m b?m", "0-2 1");
        check("a!m b!m c?m c?m", "0<3 1<3");
        check("a!m b?m b?m", "0-1 2");
        check("a!m", "0");
        check_by("a!m>b#1 b?m>a#2", Pairing::Count, "0-1");
        check_by("a!m b?m", Pairing::Id, "0 1");
        check_by("a!m b?m", Pairing::None, "");
    }
}
