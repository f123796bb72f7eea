//! Condition 2 of Definition 1: all assignments to one variable are ordered.
//!
//! **Claim.** Let the writers of a variable be listed along any linear extension of ⪯. They are
//! ordered by ⪯ iff each happened before the next one in the list. *Proof.* If they are ordered,
//! the list is their order. If neighbours are ordered, all are, because ⪯ is transitive. ∎
//!
//! So only neighbours on different processes are checked. For most of them a single edge shows the
//! order, because processes that share a variable usually exchange messages. The others are looked
//! up in vector clocks ([`PartialOrder::clocks_in_parts`]).
//!
//! # Ordering the writers
//!
//! With [`Writes::Ordered`](super::Writes), unordered writers are sorted by their Lamport time (the
//! length of the longest chain that ends in them; Lamport 1978) and then by process. *This adds no
//! cycle*: if e ≺ f, the time of e is less than that of f, so every edge, old or new, increases
//! (time, process).

use otus_core::IndexVec;
use otus_core::index::Index as _;

use super::{Edge, EventId, Owner, PartialOrder, VariableId, process_of};

/// Two writers of a variable on different processes that are neighbours in a linear extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WriterPair {
    pub(super) later: EventId,
    pub(super) earlier: EventId,
    pub(super) variable: VariableId,
}

/// The pairs of neighbouring writers that are not ordered.
pub(super) fn unordered(order: &PartialOrder) -> Vec<WriterPair> {
    let doubtful = without_edge(order, neighbours(order));
    if doubtful.is_empty() {
        return doubtful;
    }
    let sources = doubtful.iter().map(|pair| order.process_of(pair.earlier)).collect();
    let mut found = Vec::new();
    for clocks in order.clocks_in_parts(sources) {
        found.extend(
            doubtful.iter().filter(|pair| clocks.precedes(pair.earlier, pair.later) == Some(false)),
        );
    }
    found.sort_unstable();
    found
}

/// The edges that put all writers of the variables of these pairs in order.
pub(super) fn ordering(order: &PartialOrder, unordered: &[WriterPair]) -> Vec<Edge> {
    let times = lamport(order);
    let mut variables: Vec<VariableId> = unordered.iter().map(|pair| pair.variable).collect();
    variables.sort_unstable();
    variables.dedup();
    let mut edges = Vec::new();
    for mut history in order.histories(&variables) {
        history.sort_unstable_by_key(|write| (times[write.event.index()], write.event));
        for pair in history.windows(2) {
            let (from, to) = (pair[0].event, pair[1].event);
            if order.process_of(from) != order.process_of(to) {
                edges.push(Edge { to, from });
            }
        }
    }
    edges
}

/// The pairs of neighbouring writers of shared variables, by the process of the later one and in
/// the order of its events.
fn neighbours(order: &PartialOrder) -> Vec<Vec<WriterPair>> {
    // For each variable: its last writer, `NO_WRITER`, or `NOT_SHARED`.
    let mut last: IndexVec<VariableId, u32> = order
        .variables()
        .map(|variable| if order.owner(variable) == Owner::Shared { NO_WRITER } else { NOT_SHARED })
        .collect();
    let mut pairs = vec![Vec::new(); order.process_count()];
    if last.iter().all(|&last| last == NOT_SHARED) {
        return pairs;
    }
    for run in &order.runs {
        let own = order.range(run.process);
        let pairs = &mut pairs[run.process.index()];
        for later in run.events.clone().map(EventId) {
            for assignment in order.assignments(later) {
                let variable = assignment.variable;
                let earlier = last[variable];
                if earlier == NOT_SHARED {
                    continue;
                }
                if earlier != NO_WRITER && !own.contains(&earlier) {
                    pairs.push(WriterPair { later, earlier: EventId(earlier), variable });
                }
                last[variable] = later.0;
            }
        }
    }
    pairs
}

/// Marks that are not event numbers: every constructor of a trace refuses that many events.
const NOT_SHARED: u32 = u32::MAX;
const NO_WRITER: u32 = u32::MAX - 1;

/// The pairs that no single edge orders, that is, for which no edge leads from the earlier event,
/// or one after it on its process, to the later event, or one before it on its process.
fn without_edge(order: &PartialOrder, pairs: Vec<Vec<WriterPair>>) -> Vec<WriterPair> {
    // For each process P: the last event of P with an edge to process Q, and Q itself. The entry
    // counts only while Q is the current process.
    let mut latest: Vec<(u32, u32)> = vec![(0, u32::MAX); order.process_count()];
    let mut doubtful = Vec::new();
    for (process, pairs) in (0_u32..).zip(pairs) {
        let start = order.starts[process as usize];
        let first = order.edges.partition_point(|edge| edge.to.0 < start);
        let mut edges = order.edges[first..].iter().peekable();
        for pair in pairs {
            while let Some(edge) = edges.next_if(|edge| edge.to <= pair.later) {
                let entry = &mut latest[process_of(&order.starts, edge.from).index()];
                let known = if entry.1 == process { entry.0 } else { 0 };
                *entry = (known.max(edge.from.0), process);
            }
            let (event, ended) = latest[order.process_of(pair.earlier).index()];
            if ended != process || event < pair.earlier.0 {
                doubtful.push(pair);
            }
        }
    }
    doubtful
}

/// For each event: its Lamport time, the length of the longest chain that ends in it.
fn lamport(order: &PartialOrder) -> Vec<u32> {
    let mut times = vec![0; order.event_count()];
    for run in &order.runs {
        let start = order.range(run.process).start;
        let mut incoming = order.edges[run.edges.clone()].iter().peekable();
        for event in run.events.clone() {
            let mut time = if event > start { times[event as usize - 1] } else { 0 };
            while let Some(edge) = incoming.next_if(|edge| edge.to.0 == event) {
                time = time.max(times[edge.from.index()]);
            }
            times[event as usize] = time + 1;
        }
    }
    times
}
