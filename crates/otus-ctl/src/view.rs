//! The part of a trace that a formula can see, as a lattice to be searched.
//!
//! An event is *visible* to a formula if the truth value of one of its atoms can change at it.
//!
//! **Theorem.** For formulas without X, the visible events alone, with happened-before restricted to them,
//! give the same answer.
//!
//! *Proof.* Map a cut C to its visible part C ∩ V. Atoms have the same value at both. A step of the trace by an invisible
//! event keeps C ∩ V, and one by a visible event adds it; so a run becomes a run of the visible part with some
//! cuts repeated. Conversely let v be a visible event that can be added to D = C ∩ V. All
//! visible events before v are in D, hence in C; so the invisible ones before v that are not yet in C can
//! be run first, in their order, without leaving D, and then v. At the end, when D is all of V, the
//! rest of the trace is invisible. So runs from corresponding cuts correspond up to repetition of cuts: this is a
//! stutter bisimulation, which formulas without X cannot distinguish, and a run ends in E iff its image ends
//! in V. ∎
//!
//! Processes without visible events disappear; a property that no event can change is decided at
//! the first cut. With X every event is visible.
//!
//! *Order of processes.* It has the greatest influence on the size of interval diagrams. Processes that
//! constrain each other should be neighbours: a greedy order starts with the pair that has most constraints between
//! them, and always takes next the process with the most constraints towards the placed ones, the
//! last placed counting most.

use otus_core::budget::Stop;
use otus_trace::order::{Clocks, EventId, PartialOrder, ProcessId};

use crate::interval::ClockTable;
use crate::number;
use crate::pace::Pace;

/// Some events of a trace, as dimensions of a lattice.
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// For each dimension: its process.
    pub(crate) processes: Vec<ProcessId>,
    /// For each dimension: its events, in order.
    pub(crate) events: Vec<Vec<EventId>>,
    pub(crate) clocks: ClockTable,
}

/// The order of the processes of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrangement {
    /// The order of the trace.
    Given,
    /// Processes that communicate much are neighbours.
    Greedy,
}

impl View {
    pub(crate) fn whole<'c>(
        trace: &PartialOrder,
        clocks: &dyn Fn() -> Result<&'c Clocks, Stop>,
        arrangement: Arrangement,
        pace: &mut Pace,
    ) -> Result<Self, Stop> {
        let busy = |&process: &ProcessId| trace.length(process) > 0;
        let processes: Vec<ProcessId> = trace.processes().filter(busy).collect();
        let events = |process| trace.events(process).collect();
        View::new(trace, clocks, &processes, events, arrangement, pace)
    }

    /// The view of some events, which may be in any order and may occur several times.
    pub(crate) fn of<'c>(
        trace: &PartialOrder,
        clocks: &dyn Fn() -> Result<&'c Clocks, Stop>,
        visible: impl IntoIterator<Item = EventId>,
        arrangement: Arrangement,
        pace: &mut Pace,
    ) -> Result<Self, Stop> {
        let mut all: Vec<EventId> = visible.into_iter().collect();
        pace.step(all.len())?;
        if !all.is_sorted() {
            // The events of each atom are in order already: a stable sort merges such runs.
            all.sort();
        }
        all.dedup();
        let mut processes: Vec<ProcessId> = Vec::new();
        let mut rest = all.as_slice();
        while let Some(&first) = rest.first() {
            let process = trace.process_of(first);
            processes.push(process);
            rest = &rest[rest.partition_point(|event| event.0 < trace.range(process).end)..];
        }
        let events = |process: ProcessId| {
            let range = trace.range(process);
            let start = all.partition_point(|event| event.0 < range.start);
            let end = all.partition_point(|event| event.0 < range.end);
            all[start..end].to_vec()
        };
        View::new(trace, clocks, &processes, events, arrangement, pace)
    }

    fn new<'c>(
        trace: &PartialOrder,
        clocks: &dyn Fn() -> Result<&'c Clocks, Stop>,
        processes: &[ProcessId],
        events: impl Fn(ProcessId) -> Vec<EventId>,
        arrangement: Arrangement,
        pace: &mut Pace,
    ) -> Result<Self, Stop> {
        let mut events: Vec<Vec<EventId>> = processes.iter().map(|&p| events(p)).collect();
        let count = processes.len();
        let (rows, weights) = if count > 1 {
            reaches(trace, clocks()?, processes, &events, pace)?
        } else {
            (Vec::new(), vec![0; count])
        };
        let order = match arrangement {
            Arrangement::Given => (0..count).collect(),
            Arrangement::Greedy => arrange(count, &weights, pace)?,
        };
        let bounds: Vec<u32> = order.iter().map(|&at| number(events[at].len())).collect();
        let lower = |dimension: usize, value: u32, other: usize| {
            let row = &rows[order[dimension]];
            row[(value as usize - 1) * count + order[other]]
        };
        let clocks = ClockTable::new(&bounds, lower, pace)?;
        Ok(View {
            processes: order.iter().map(|&at| processes[at]).collect(),
            events: order.iter().map(|&at| std::mem::take(&mut events[at])).collect(),
            clocks,
        })
    }

    /// The number of bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.event_count() * size_of::<EventId>() + ClockTable::bytes(&self.bounds())
    }

    /// For each dimension: the number of its events.
    pub(crate) fn bounds(&self) -> Vec<u32> {
        self.events.iter().map(|events| number(events.len())).collect()
    }

    pub(crate) fn event_count(&self) -> usize {
        self.events.iter().map(Vec::len).sum()
    }

    /// For each of some events: its dimension and the least value there that includes it, if it is in the view.
    pub(crate) fn places<'a>(
        &'a self,
        trace: &'a PartialOrder,
        events: impl Iterator<Item = EventId> + 'a,
    ) -> impl Iterator<Item = Option<(usize, u32)>> + 'a {
        // Events of one process usually come one after the other, so the process of the last event
        // is tried first.
        let mut here: Option<(std::ops::Range<u32>, usize)> = None;
        let mut next = 0;
        events.map(move |event| {
            if here.as_ref().is_none_or(|(range, _)| !range.contains(&event.0)) {
                let process = trace.process_of(event);
                let dimension = self.processes.iter().position(|&other| other == process);
                here = dimension.map(|dimension| (trace.range(process), dimension));
            }
            let dimension = here.as_ref()?.1;
            let own = &self.events[dimension];
            if own.get(next) != Some(&event) {
                next = own.binary_search(&event).ok()?;
            }
            next += 1;
            Some((dimension, number(next)))
        })
    }
}

/// For each dimension: the clock of each of its events, one row per event; and the number of changes in these
/// columns.
fn reaches(
    trace: &PartialOrder,
    clocks: &Clocks,
    processes: &[ProcessId],
    events: &[Vec<EventId>],
    pace: &mut Pace,
) -> Result<(Vec<Vec<u32>>, Vec<u64>), Stop> {
    let columns: Vec<usize> = processes
        .iter()
        .map(|process| clocks.columns().iter().position(|column| column == process))
        .map(|column| column.expect("the clocks have all processes that matter"))
        .collect();
    let count = processes.len();
    let total: usize = events.iter().map(Vec::len).sum();
    // The budget must allow the rows and the tables that are made of them.
    pace.budget.check_bytes(total.saturating_mul(3 * count * size_of::<u32>()))?;
    let mut rows: Vec<Vec<u32>> = Vec::with_capacity(count);
    let mut weights = vec![0_u64; count * count];
    let mut clock = vec![0; clocks.columns().len()];
    for (dimension, own) in events.iter().enumerate() {
        let mut row = Vec::with_capacity(own.len() * count);
        let mut reached = vec![0_usize; count];
        for &event in own {
            pace.step(count)?;
            clocks.read(event, &mut clock);
            for other in (0..count).filter(|&other| other != dimension) {
                let theirs = &events[other];
                let start = trace.range(processes[other]).start;
                let before = reached[other];
                let past = start + clock[columns[other]];
                while theirs.get(reached[other]).is_some_and(|e| e.0 < past) {
                    reached[other] += 1;
                }
                weights[dimension * count + other] += u64::from(reached[other] > before);
            }
            row.extend(reached.iter().map(|&n| number(n)));
        }
        rows.push(row);
    }
    Ok((rows, weights))
}

/// The order of dimensions: see the module's documentation.
fn arrange(count: usize, weights: &[u64], pace: &mut Pace) -> Result<Vec<usize>, Stop> {
    let weight = |a: usize, b: usize| weights[a * count + b] + weights[b * count + a];
    let mut placed: Vec<usize> = Vec::with_capacity(count);
    let mut left: Vec<usize> = (0..count).collect();
    // For each dimension that is left: the weight of its constraints towards the placed ones, where the last
    // placed dimension counts most.
    let mut pull = vec![0_u64; count];
    while !left.is_empty() {
        pace.step(left.len())?;
        let next = if placed.is_empty() || left.iter().all(|&at| pull[at] == 0) {
            pace.step(left.len() * left.len())?;
            // A new group begins with the dimension that has the greatest weight towards another one.
            let most = |&at: &usize| left.iter().map(|&other| weight(at, other)).max();
            left.iter().copied().max_by_key(|at| (most(at), std::cmp::Reverse(*at)))
        } else {
            left.iter().copied().max_by_key(|&at| (pull[at], std::cmp::Reverse(at)))
        };
        let Some(next) = next else { break };
        left.retain(|&at| at != next);
        for &at in &left {
            pull[at] = pull[at] / 2 + weight(at, next) * 1024;
        }
        placed.push(next);
    }
    Ok(placed)
}
