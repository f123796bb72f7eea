//! Pairs the receptions of a group with their emissions.
//!
//! There are three methods, from the most to the least certain. Which one applies depends on the
//! properties that are known of an event:
//!
//! 1. **By id.** An emission and a reception with the same id are a pair. In logs that number their
//!    messages, the messages must be equal, too; the ids of spans are unique. If an event names its
//!    peer, the peer must be the lifeline of the other event, so that ids may repeat per channel.
//! 2. **First in, first out.** Without an id but with a peer, the k-th reception of a message on a
//!    channel belongs to the k-th emission on it.
//! 3. **By counting.** With neither, the events are ordered only as far as it is certain
//!    ([`certain_emissions`]).
//!
//! An emission that does not name its receiver may be a broadcast, and each lifeline receives it at
//! most once. An emission that names its receiver is received once. Time stamps of different clocks
//! are never compared. The cost is linear in the number of events.

use otus_core::Direction;
use rustc_hash::FxHashMap;

use crate::group::{Row, RowFlags};
use crate::mapping::Pairing;
use crate::order::certain_emissions;
use crate::run::{RunLifelineId, RunMessageId};

/// The pairs of a group, as indices of events.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    pub(crate) matched: Vec<(usize, usize)>,
    /// Emissions that certainly happened before a reception, but may belong to another one.
    pub(crate) before: Vec<(usize, usize)>,
    pub(crate) unpaired: Vec<usize>,
    /// The number of receptions that have an emission.
    pub(crate) paired: usize,
}

/// The properties of an action that matter for pairing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side {
    pub(crate) direction: Direction,
    pub(crate) message: RunMessageId,
    pub(crate) component: usize,
}

const ANY: RunLifelineId = RunLifelineId(u32::MAX);

/// Ends a list of emissions.
const END: u32 = u32::MAX;

/// The properties that must be equal in a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key<'e> {
    subject: Subject,
    id: &'e [u8],
    from: RunLifelineId,
    to: RunLifelineId,
}

/// A message, or the request or the reply of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Subject(u32);

impl Subject {
    const REQUEST: Subject = Subject(u32::MAX);
    const REPLY: Subject = Subject(u32::MAX - 1);

    fn of(row: &Row, side: &Side) -> Subject {
        if row.flags.has(RowFlags::REQUEST) {
            Subject::REQUEST
        } else if row.flags.has(RowFlags::REPLY) {
            Subject::REPLY
        } else {
            Subject(side.message.0)
        }
    }

    fn is_span(self) -> bool {
        self.0 >= Subject::REPLY.0
    }
}

/// A key that stands for any id. It is not valid UTF-8, so it differs from every id of a log.
const WITH_ID: &[u8] = b"\xff any";

/// A linked list of emissions, in order.
#[derive(Debug, Clone, Copy)]
struct Queue {
    head: u32,
    tail: u32,
}

/// Pairs the events of a group, which are sorted by component. `sides` has `None` for events
/// without an action.
pub(crate) fn pair(rows: &[Row], sides: &[Option<Side>], pairing: Pairing) -> Pairs {
    let mut pairs = Pairs::default();
    if pairing == Pairing::None {
        return pairs;
    }
    let by_id = |row: &Row| row.flags.has(RowFlags::HAS_ID) && pairing != Pairing::Fifo;
    // The messages of events that name their peer but have no id.
    let mut channels: Vec<RunMessageId> = Vec::new();
    if matches!(pairing, Pairing::Auto | Pairing::Fifo) {
        for (row, side) in rows.iter().zip(sides) {
            if let Some(side) = side.filter(|_| row.peer.is_some() && !by_id(row)) {
                channels.push(side.message);
            }
        }
        channels.sort_unstable();
        channels.dedup();
    }
    let mut counted = Vec::new();
    let mut receptions = Vec::new();
    let mut emissions = Vec::new();
    for (index, (row, side)) in rows.iter().zip(sides).enumerate() {
        let Some(side) = side else { continue };
        let queued = if pairing == Pairing::Count {
            None
        } else if by_id(row) {
            Some(Subject::of(row, side))
        } else if channels.binary_search(&side.message).is_ok() {
            Some(Subject(side.message.0))
        } else {
            None
        };
        let Some(subject) = queued else {
            if pairing == Pairing::Id || row.flags.has(RowFlags::ROOT) {
                pairs.unpaired.push(index);
            } else {
                counted.push(index);
            }
            continue;
        };
        let id: &[u8] = if by_id(row) { &row.id } else { &[] };
        match side.direction {
            Direction::Emission => emissions.push((index, subject, id)),
            Direction::Reception => receptions.push((index, subject, id)),
        }
    }
    // Often one log has one side of a message only. Then there is nothing to queue for.
    let mut received: Vec<Subject> = receptions.iter().map(|&(_, subject, _)| subject).collect();
    received.sort_unstable();
    received.dedup();
    let mut queues = Queues::new(if received.is_empty() { 0 } else { rows.len() });
    for (index, subject, id) in emissions {
        if received.binary_search(&subject).is_ok() {
            queues.emit(index, subject, id, &rows[index]);
        } else {
            pairs.unpaired.push(index);
        }
    }
    let mut left = Vec::new();
    for (index, subject, id) in receptions {
        match queues.receive(subject, id, &rows[index]) {
            Some(emission) => pairs.matched.push((emission, index)),
            None => left.push((index, subject, id)),
        }
    }
    for (index, subject, id) in left {
        // In some logs only the emission or only the reception has the id.
        let row = &rows[index];
        let other = if id.is_empty() { WITH_ID } else { &[] };
        let again = (pairing == Pairing::Auto && !subject.is_span())
            .then(|| queues.receive(subject, other, row))
            .flatten();
        match again {
            Some(emission) => pairs.matched.push((emission, index)),
            None => pairs.unpaired.push(index),
        }
    }
    pairs.paired = pairs.matched.len();
    pairs.unpaired.extend(queues.emissions.iter().filter(|&&sent| !queues.received[sent]));
    count(&counted, sides, &mut pairs);
    pairs.unpaired.sort_unstable();
    pairs
}

/// The peer of an event. The peer of a span is not used: it is an address, which need not be the
/// name of the service, and ids of spans need no peer.
fn peer(row: &Row) -> Option<RunLifelineId> {
    row.peer.filter(|_| !row.flags.has(RowFlags::REQUEST) && !row.flags.has(RowFlags::REPLY))
}

/// Queues of emissions, one for each combination of properties by which a reception may look for
/// its emission.
#[derive(Default)]
struct Queues<'e> {
    map: FxHashMap<Key<'e>, Queue>,
    /// For each emission: the next one in each of its four queues: of the same sender, of any
    /// sender, and the same two for any id.
    next: Vec<[u32; 4]>,
    /// For each emission: whether it has been received.
    received: Vec<bool>,
    /// For each queue of emissions without a named receiver, and for each receiver: the next
    /// emission to receive.
    next_unnamed: FxHashMap<(Key<'e>, RunLifelineId), u32>,
    emissions: Vec<usize>,
}

impl<'e> Queues<'e> {
    fn new(rows: usize) -> Self {
        Queues { next: vec![[END; 4]; rows], received: vec![false; rows], ..Queues::default() }
    }

    fn emit(&mut self, index: usize, subject: Subject, id: &'e [u8], row: &Row) {
        self.emissions.push(index);
        let Ok(number) = u32::try_from(index) else { return };
        let to = peer(row).unwrap_or(ANY);
        let any: &[u8] = WITH_ID;
        let queues = [(row.lifeline, id), (ANY, id), (row.lifeline, any), (ANY, any)];
        // The queues for any id are only needed for messages with an id.
        let count = if id.is_empty() || subject.is_span() { 2 } else { 4 };
        for (list, (from, id)) in queues.into_iter().take(count).enumerate() {
            let queue = self.map.entry(Key { subject, id, from, to });
            let queue = queue.or_insert(Queue { head: number, tail: number });
            if queue.tail != number {
                self.next[queue.tail as usize][list] = number;
                queue.tail = number;
            }
        }
    }

    fn receive(&mut self, subject: Subject, id: &'e [u8], row: &Row) -> Option<usize> {
        let (from, list) = peer(row).map_or((ANY, 1), |peer| (peer, 0));
        let list = if id == WITH_ID { list + 2 } else { list };
        // First the emissions to this lifeline, then those without a named receiver.
        let own = Key { subject, id, from, to: row.lifeline };
        if let Some(queue) = self.map.get_mut(&own) {
            while queue.head != END {
                let emission = queue.head as usize;
                queue.head = self.next[emission][list];
                if !std::mem::replace(&mut self.received[emission], true) {
                    return Some(emission);
                }
            }
        }
        let anyone = Key { to: ANY, ..own };
        let head = self.map.get(&anyone)?.head;
        let next = self.next_unnamed.entry((anyone, row.lifeline)).or_insert(head);
        // A reception without an id takes only an emission that no reception with the same id has
        // taken.
        while id == WITH_ID && *next != END && self.received[*next as usize] {
            *next = self.next[*next as usize][list];
        }
        if *next == END {
            return None;
        }
        let emission = *next as usize;
        *next = self.next[emission][list];
        self.received[emission] = true;
        Some(emission)
    }
}

fn count(counted: &[usize], sides: &[Option<Side>], pairs: &mut Pairs) {
    let mut by_message: Vec<(RunMessageId, usize)> = counted
        .iter()
        .filter_map(|&index| sides[index].map(|side| (side.message, index)))
        .collect();
    by_message.sort_unstable();
    for same in by_message.chunk_by(|a, b| a.0 == b.0) {
        let sides = same.iter().filter_map(|&(_, index)| sides[index].map(|side| (index, side)));
        let (mut emissions, mut receptions): (Vec<_>, Vec<_>) =
            sides.partition(|(_, side)| side.direction == Direction::Emission);
        // Sorting by index sorts by component.
        emissions.sort_unstable_by_key(|(index, _)| *index);
        receptions.sort_unstable_by_key(|(index, _)| *index);
        let senders: Vec<&[(usize, Side)]> =
            emissions.chunk_by(|a, b| a.1.component == b.1.component).collect();
        let mut most = 0;
        for received in receptions.chunk_by(|a, b| a.1.component == b.1.component) {
            most = most.max(received.len());
            for (before, &(index, side)) in received.iter().enumerate() {
                // Of the emissions on the reception's own component, only those before the
                // reception count.
                let counts = senders.iter().map(|sent| match sent.first() {
                    Some((_, first)) if first.component == side.component => {
                        sent.partition_point(|(emission, _)| *emission < index)
                    }
                    _ => sent.len(),
                });
                let counts: Vec<usize> = counts.collect();
                let Some(certain) = certain_emissions(&counts, before + 1) else {
                    pairs.unpaired.push(index);
                    continue;
                };
                pairs.paired += 1;
                let edges = if senders.len() == 1 { &mut pairs.matched } else { &mut pairs.before };
                for (sender, number) in certain {
                    let (emission, sent) = senders[sender][number];
                    if sent.component != side.component {
                        edges.push((emission, index));
                    }
                }
            }
        }
        // With one sender, the unreceived emissions are the last ones. With several senders, it is
        // unknown which ones they are.
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
            row.lifeline = RunLifelineId(u32::from(bytes[0]));
            row.peer = peer.bytes().next().map(|name| RunLifelineId(u32::from(name)));
            if !id.is_empty() {
                row.flags.add(RowFlags::HAS_ID);
            }
            let direction =
                if bytes[1] == b'!' { Direction::Emission } else { Direction::Reception };
            let component = bytes[0] as usize;
            let message = RunMessageId(u32::from(bytes[2]));
            sides.push(Some(Side { direction, message, component }));
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
