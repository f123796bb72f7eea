//! A linear extension of ⪯, and whether there is one.
//!
//! Processes take turns. A process runs until the source of an edge into its next event has not
//! happened; then it waits for that source, and the process that makes it happen wakes it up. The
//! order is thus made of [`Run`]s of consecutive events, of which there are no more than edges
//! and processes together, and it costs nothing to pass an event that no edge leads to. If all
//! that are left wait, they wait for each other: the edges have a cycle.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;

use otus_core::index::Index as _;

use super::{Edge, EventId, PartialOrder, ProcessId, process_of};

/// Consecutive events of one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Whose events.
    pub process: ProcessId,
    /// The numbers of their ids.
    pub events: Range<u32>,
    /// The edges that lead to them, as indices into all edges.
    pub edges: Range<usize>,
}

impl PartialOrder {
    /// All events in an order that ⪯ allows, as runs of consecutive events of one process.
    pub fn linear_extension(&self) -> &[Run] {
        &self.runs
    }

    /// Makes the runs again after edges have changed; ⪯ still has no cycle.
    pub(super) fn relinearize(&mut self) {
        self.runs = linearize(&self.starts, &self.edges).unwrap_or_default();
    }
}

/// What cannot happen: for each process, the first event that waits for ever (or the end).
#[derive(Debug)]
pub(super) struct Stuck {
    pub(super) next: Vec<u32>,
}

/// A linear extension of the order that `edges`, sorted by where they lead, generate on processes
/// whose events begin at `starts`.
pub(super) fn linearize(starts: &[u32], edges: &[Edge]) -> Result<Vec<Run>, Stuck> {
    let count = starts.len() - 1;
    let mut turns: Vec<Turn> =
        (0..count).map(|process| Turn::new(starts, edges, process)).collect();
    let mut ready: VecDeque<usize> = (0..count).collect();
    let mut runs = Vec::with_capacity(count);
    let mut left = starts[count];
    while let Some(process) = ready.pop_front() {
        let (mut stop, mut edges_before) = (starts[process + 1], turns[process].last_edge);
        while turns[process].edge < turns[process].last_edge {
            let at = turns[process].edge;
            let edge = edges[at];
            let source = process_of(starts, edge.from).0 as usize;
            if at > 0 && edges[at - 1].to != edge.to {
                turns[process].group = at;
            }
            if edge.from.0 >= turns[source].next {
                turns[source].waiting.push(Reverse((edge.from.0, process)));
                (stop, edges_before) = (edge.to.0, turns[process].group);
                break;
            }
            turns[process].edge += 1;
        }
        let turn = &mut turns[process];
        if stop > turn.next {
            runs.push(Run {
                process: ProcessId::new(process),
                events: turn.next..stop,
                edges: turn.first_edge..edges_before,
            });
            left -= stop - turn.next;
            turn.next = stop;
            turn.first_edge = edges_before;
        }
        while let Some(&Reverse((event, waiter))) = turn.waiting.peek() {
            if event >= stop {
                break;
            }
            turn.waiting.pop();
            ready.push_back(waiter);
        }
    }
    let next = || turns.iter().map(|turn| turn.next).collect();
    if left == 0 { Ok(runs) } else { Err(Stuck { next: next() }) }
}

/// How far a process is.
#[derive(Debug, Clone)]
struct Turn {
    /// Its next event.
    next: u32,
    /// The first edge that leads to one of its events from the next on.
    first_edge: usize,
    /// The first edge that leads to the same event as `edge`.
    group: usize,
    /// The first edge whose source has not been looked at, or has not happened.
    edge: usize,
    /// After its last edge.
    last_edge: usize,
    /// Who waits for which of its events.
    waiting: BinaryHeap<Reverse<(u32, usize)>>,
}

impl Turn {
    fn new(starts: &[u32], edges: &[Edge], process: usize) -> Self {
        let first_at = |event: u32| edges.partition_point(|edge| edge.to.0 < event);
        let first = first_at(starts[process]);
        Turn {
            next: starts[process],
            first_edge: first,
            group: first,
            edge: first,
            last_edge: first_at(starts[process + 1]),
            waiting: BinaryHeap::new(),
        }
    }
}

/// Whether an event has happened when each process is before its next one.
pub(super) fn happened(starts: &[u32], next: &[u32], event: EventId) -> bool {
    event.0 < next[process_of(starts, event).0 as usize]
}
