//! Condition 2 of Definition 1: all assignments to one variable are ordered.
//!
//! **Claim.** Let the writers of a variable be listed along any linear extension of ⪯. They are
//! ordered by ⪯ iff each happened before the next one in the list. *Proof.* If they are ordered,
//! the list is their order. If neighbours are ordered, all are, because ⪯ is transitive. ∎
//!
//! So only neighbours are looked at, and only those on different processes. For most of them one
//! edge shows the order, since processes that share a variable tell each other; the rest is
//! looked up in vector clocks, for as many columns at a time as [`ENTRIES`] allow.
//!
//! # Putting them in order
//!
//! Where the order is missing it can be made up ([`Writes::Ordered`](super::Writes)): the writers
//! are sorted by their Lamport time (the length of the longest chain that ends in them; Lamport
//! 1978) and, if that is equal, by process. *This adds no cycle*: if e ≺ f, the time of e is
//! less than that of f, so every edge, old or new, goes up in (time, process).

use otus_core::IndexVec;
use otus_core::index::Index as _;

use super::clock::clocks;
use super::linear::Run;
use super::{Edge, EventId, Owner, PartialOrder, ProcessId, VariableId, process_of};

/// How many entries of vector clocks are in memory at a time.
const ENTRIES: usize = 1 << 24;

/// Two writers of a variable that follow each other in a linear extension, on two processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pair {
    pub(super) later: EventId,
    pub(super) earlier: EventId,
    pub(super) variable: VariableId,
}

/// The pairs of neighbouring writers that are not ordered.
pub(super) fn unordered(order: &PartialOrder, runs: &[Run]) -> Vec<Pair> {
    let pairs = neighbours(order, runs);
    let doubtful = without_edge(order, pairs);
    if doubtful.is_empty() {
        return doubtful;
    }
    let mut sources: Vec<ProcessId> =
        doubtful.iter().map(|pair| order.process_of(pair.earlier)).collect();
    sources.sort_unstable();
    sources.dedup();
    let rows = order.clock_entries(1);
    let mut found = Vec::new();
    for columns in sources.chunks((ENTRIES / rows).max(1)) {
        let clocks = clocks(&order.starts, &order.edges, runs, columns);
        found.extend(
            doubtful.iter().filter(|pair| clocks.precedes(pair.earlier, pair.later) == Some(false)),
        );
    }
    found.sort_unstable();
    found
}

/// The edges that put all writers of the variables of these pairs in order.
pub(super) fn ordering(order: &PartialOrder, runs: &[Run], unordered: &[Pair]) -> Vec<Edge> {
    let times = lamport(&order.starts, &order.edges, runs);
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

/// The pairs of writers of shared variables that follow each other and are on two processes.
/// By the process of the later one, in the order of its events.
fn neighbours(order: &PartialOrder, runs: &[Run]) -> Vec<Vec<Pair>> {
    // By variable: nothing if it is not shared, else its last writer if it had one.
    let mut last: IndexVec<VariableId, u32> = order
        .variables()
        .map(|variable| if order.owner(variable) == Owner::Shared { NOBODY } else { NOT_SHARED })
        .collect();
    let mut pairs = vec![Vec::new(); order.process_count()];
    if last.iter().all(|&last| last == NOT_SHARED) {
        return pairs;
    }
    for run in runs {
        let own = order.range(run.process);
        let pairs = &mut pairs[run.process.index()];
        for later in run.events.clone().map(EventId) {
            for assignment in order.assignments(later) {
                let variable = assignment.variable;
                let earlier = last[variable];
                if earlier == NOT_SHARED {
                    continue;
                }
                if earlier != NOBODY && !own.contains(&earlier) {
                    pairs.push(Pair { later, earlier: EventId(earlier), variable });
                }
                last[variable] = later.0;
            }
        }
    }
    pairs
}

/// No event has these numbers: whoever makes a trace takes fewer events.
const NOT_SHARED: u32 = u32::MAX;
const NOBODY: u32 = u32::MAX - 1;

/// The pairs that no single edge orders: none leads from the earlier event, or one after it on
/// its process, to the later one, or one before it.
fn without_edge(order: &PartialOrder, pairs: Vec<Vec<Pair>>) -> Vec<Pair> {
    // By process: the last of its events from which an edge came, and on which process it ended.
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

/// By event: the length of the longest chain that ends in it.
fn lamport(starts: &[u32], edges: &[Edge], runs: &[Run]) -> Vec<u32> {
    let mut times = vec![0; starts.last().map_or(0, |&end| end as usize)];
    for run in runs {
        let mut incoming = edges[run.edges.clone()].iter().peekable();
        for event in run.events.clone() {
            let before =
                if event > starts[run.process.index()] { times[event as usize - 1] } else { 0 };
            let mut time = before;
            while let Some(edge) = incoming.next_if(|edge| edge.to.0 == event) {
                time = time.max(times[edge.from.index()]);
            }
            times[event as usize] = time + 1;
        }
    }
    times
}
