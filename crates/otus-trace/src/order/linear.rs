//! Computes a linear extension of ⪯, if there is one.
//!
//! Processes take turns. A process runs until the source of an edge into its next event has not
//! happened; then it waits until the process of that source wakes it up. The result consists of
//! [`Run`]s of consecutive events. There are at most as many runs as edges and processes together,
//! and events without incoming edges cost nothing. If all remaining processes wait, the edges have
//! a cycle.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;

use otus_core::index::Index as _;

use super::{Edge, PartialOrder, ProcessId, process_of};

/// Consecutive events of one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The process.
    pub process: ProcessId,
    /// The numbers of the events.
    pub events: Range<u32>,
    /// The indices of the edges that lead to them.
    pub edges: Range<usize>,
}

impl PartialOrder {
    /// A linear extension of ⪯, as runs of consecutive events of one process.
    pub fn linear_extension(&self) -> &[Run] {
        &self.runs
    }

    /// Recomputes the runs after a change of the edges that added no cycle.
    pub(super) fn relinearize(&mut self) {
        self.runs = linearize(&self.starts, &self.edges).unwrap_or_default();
    }
}

/// Computes a linear extension of the order that `edges`, sorted by target, generate on the
/// processes that begin at `starts`. The error has, for each process, the first event that can never
/// happen, or the end of the process.
pub(super) fn linearize(starts: &[u32], edges: &[Edge]) -> Result<Vec<Run>, Vec<u32>> {
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
    if left == 0 { Ok(runs) } else { Err(turns.iter().map(|turn| turn.next).collect()) }
}

/// The progress of a process.
#[derive(Debug, Clone)]
struct Turn {
    next: u32,
    /// The first edge to its next event or a later one.
    first_edge: usize,
    /// The first edge that leads to the same event as `edge`.
    group: usize,
    /// The first edge whose source has not been checked, or has not happened.
    edge: usize,
    last_edge: usize,
    /// The events of this process that other processes wait for.
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
