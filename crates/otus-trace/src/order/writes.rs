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
    let rows = order.edges.chunk_by(|a, b| a.to == b.to).count() + 1;
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
fn neighbours(order: &PartialOrder, runs: &[Run]) -> Vec<Pair> {
    let mut last: IndexVec<VariableId, Option<EventId>> =
        IndexVec::filled(None, order.variable_count());
    let mut pairs = Vec::new();
    if order.variables().all(|variable| order.owner(variable) != Owner::Shared) {
        return pairs;
    }
    for run in runs {
        let own = order.starts[run.process.index()]..order.starts[run.process.index() + 1];
        for later in run.events.clone().map(EventId) {
            for assignment in order.assignments(later) {
                let variable = assignment.variable;
                if order.owner(variable) != Owner::Shared {
                    continue;
                }
                if let Some(earlier) = last[variable].filter(|before| !own.contains(&before.0)) {
                    pairs.push(Pair { later, earlier, variable });
                }
                last[variable] = Some(later);
            }
        }
    }
    pairs
}

/// The pairs that no single edge orders: none leads from the earlier event, or one after it on
/// its process, to the later one, or one before it.
fn without_edge(order: &PartialOrder, mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.sort_unstable();
    // By process: the last of its events from which an edge came, and on which process it ended.
    let mut latest: Vec<(u32, u32)> = vec![(0, u32::MAX); order.process_count()];
    let mut edges = order.edges.iter().peekable();
    pairs.retain(|pair| {
        let process = order.process_of(pair.later);
        let start = order.starts[process.index()];
        while let Some(edge) = edges.next_if(|edge| edge.to <= pair.later) {
            if edge.to.0 >= start {
                let entry = &mut latest[process_of(&order.starts, edge.from).index()];
                let known = if entry.1 == process.0 { entry.0 } else { 0 };
                *entry = (known.max(edge.from.0), process.0);
            }
        }
        let (event, ended) = latest[order.process_of(pair.earlier).index()];
        ended != process.0 || event < pair.earlier.0
    });
    pairs
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
