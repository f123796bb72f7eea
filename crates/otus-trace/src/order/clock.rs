//! Vector clocks, computed on demand.
//!
//! The clock of an event e at a process q is the number of events of q in ↓e, the past of e
//! (Fidge and Mattern, 1988). So `e ⪯ f` iff the clock of f at pid(e) is at least pos(e), and a
//! vector (x1..xk) is a cut iff the clock of the last event of each process in it is below it.
//!
//! Apart from its own position, the clock of an event differs from that of the event before it on
//! the same process only if an edge leads to it. So a row of numbers is stored for each event with
//! incoming edges, and for each event the index of its row. The columns are independent of each
//! other, so the cost of [`PartialOrder::clocks_on`] depends on the processes that are asked for.

use otus_core::budget::{Budget, Stop};
use otus_core::index::Index as _;

use super::{Edge, EventId, PartialOrder, ProcessId, process_of};

/// The clocks of all events at some processes.
#[derive(Debug, Clone)]
pub struct Clocks {
    starts: Vec<u32>,
    columns: Vec<ProcessId>,
    /// For each process: its column, from 1; 0 if it has none.
    column_of: Vec<u32>,
    /// For each event: the index of its row.
    row_of: Vec<u32>,
    /// The rows, one after the other; the first is all zeros.
    rows: Vec<u32>,
}

impl Clocks {
    /// The processes of the columns, in order.
    pub fn columns(&self) -> &[ProcessId] {
        &self.columns
    }

    /// The clock of an event at the process of a column.
    pub fn at(&self, event: EventId, column: usize) -> u32 {
        let process = process_of(&self.starts, event);
        if self.columns[column] == process {
            return event.0 - self.starts[process.index()] + 1;
        }
        self.rows[self.row_of[event.index()] as usize * self.columns.len() + column]
    }

    /// Writes the clock of an event to `clock`, which has a number per column.
    pub fn read(&self, event: EventId, clock: &mut [u32]) {
        let width = self.columns.len();
        let row = self.row_of[event.index()] as usize * width;
        clock.copy_from_slice(&self.rows[row..row + width]);
        let process = process_of(&self.starts, event);
        if let Some(column) = self.column_of[process.index()].checked_sub(1) {
            clock[column as usize] = event.0 - self.starts[process.index()] + 1;
        }
    }

    /// The number of bytes that they take.
    pub fn bytes(&self) -> usize {
        let words = self.rows.capacity() + self.row_of.capacity() + self.starts.capacity();
        words * size_of::<u32>()
    }

    /// `e ⪯ f`; `None` if the process of e has no column.
    pub fn precedes(&self, e: EventId, f: EventId) -> Option<bool> {
        let process = process_of(&self.starts, e);
        let column = self.column_of[process.index()].checked_sub(1)?;
        Some(self.at(f, column as usize) > e.0 - self.starts[process.index()])
    }
}

impl PartialOrder {
    /// The clocks of all events at all processes.
    ///
    /// ```
    /// use otus_trace::order::{Builder, Writes};
    ///
    /// let mut builder = Builder::default();
    /// let (p, q) = (builder.process("p"), builder.process("q"));
    /// let (a, b) = (builder.event(p).at(), builder.event(q).at());
    /// builder.edge(a, b);
    /// let trace = builder.finish(Writes::Checked).unwrap();
    /// let clocks = trace.clocks();
    /// let (a, b) = (trace.event(p, 1).unwrap(), trace.event(q, 1).unwrap());
    /// assert_eq!(clocks.precedes(a, b), Some(true));
    /// assert_eq!([clocks.at(b, 0), clocks.at(b, 1)], [1, 1]);
    /// assert_eq!([clocks.at(a, 0), clocks.at(a, 1)], [1, 0]);
    /// ```
    pub fn clocks(&self) -> Clocks {
        self.clocks_on(&self.processes().collect::<Vec<_>>())
    }

    /// The number of four-byte entries of the clocks at this many processes, for budgets. The index
    /// takes another four bytes per event.
    pub fn clock_entries(&self, columns: usize) -> usize {
        let rows = self.edges.chunk_by(|a, b| a.to == b.to).count() + 1;
        rows.saturating_mul(columns)
    }

    /// The clocks of all events at some distinct processes.
    ///
    /// # Panics
    /// Never, because there is no limit that could be met.
    pub fn clocks_on(&self, columns: &[ProcessId]) -> Clocks {
        self.clocks_within(columns, &Budget::default()).expect("there is no limit")
    }

    /// The clocks of all events at some distinct processes, if time and memory suffice.
    ///
    /// # Errors
    /// The limit of the budget that was met.
    pub fn clocks_within(&self, columns: &[ProcessId], budget: &Budget) -> Result<Clocks, Stop> {
        let PartialOrder { starts, edges, runs, .. } = self;
        let width = columns.len();
        let mut column_of = vec![0; starts.len() - 1];
        for (column, process) in (1..).zip(columns) {
            column_of[process.index()] = column;
        }
        let entries = self.clock_entries(width);
        budget.check_bytes(entries.saturating_add(self.event_count()).saturating_mul(4))?;
        budget.check_time()?;
        let mut row_of = rows_of_events(starts, edges);
        let mut rows = vec![0; entries];
        let mut clock = vec![0; width];
        let mut left = BETWEEN_CHECKS;
        for run in runs {
            let own_start = starts[run.process.index()];
            for group in edges[run.edges.clone()].chunk_by(|a, b| a.to == b.to) {
                let Some(to) = group.first().map(|edge| edge.to) else { continue };
                left = left.saturating_sub((group.len() + 1) * (width + 1));
                if left == 0 {
                    budget.check_time()?;
                    left = BETWEEN_CHECKS;
                }
                if to.0 > own_start {
                    let before = row_of[to.index() - 1] as usize * width;
                    clock.copy_from_slice(&rows[before..before + width]);
                } else {
                    clock.fill(0);
                }
                for edge in group {
                    let source = row_of[edge.from.index()] as usize * width;
                    for (entry, &other) in clock.iter_mut().zip(&rows[source..source + width]) {
                        *entry = (*entry).max(other);
                    }
                    let process = process_of(starts, edge.from).index();
                    if let Some(column) = usize::checked_sub(column_of[process] as usize, 1) {
                        clock[column] = clock[column].max(edge.from.0 - starts[process] + 1);
                    }
                }
                let row = row_of[to.index()] as usize * width;
                rows[row..row + width].copy_from_slice(&clock);
            }
        }
        row_of.shrink_to_fit();
        Ok(Clocks { starts: starts.clone(), columns: columns.to_vec(), column_of, row_of, rows })
    }

    /// The clocks at some processes, for as many of them at a time as [`ENTRIES`] allows.
    pub(super) fn clocks_in_parts(
        &self,
        mut processes: Vec<ProcessId>,
    ) -> impl Iterator<Item = Clocks> {
        processes.sort_unstable();
        processes.dedup();
        let most = (ENTRIES / self.clock_entries(1)).max(1);
        let parts: Vec<Vec<ProcessId>> = processes.chunks(most).map(<[_]>::to_vec).collect();
        parts.into_iter().map(|columns| self.clocks_on(&columns))
    }
}

/// The number of entries that are computed between two checks of the clock.
const BETWEEN_CHECKS: usize = 1 << 18;

/// The maximum number of entries of vector clocks that are in memory at a time.
const ENTRIES: usize = 1 << 24;

/// For each event: the row of the last event on its process, up to itself, that has incoming edges;
/// 0 if there is none.
fn rows_of_events(starts: &[u32], edges: &[Edge]) -> Vec<u32> {
    let mut row_of = vec![0; starts.last().map_or(0, |&end| end as usize)];
    let mut groups = edges.chunk_by(|a, b| a.to == b.to).filter_map(|group| group.first());
    let mut next = groups.next();
    let mut rows = 0;
    for bounds in starts.windows(2) {
        let mut current = 0;
        let mut at = bounds[0];
        while at < bounds[1] {
            let until = next.map_or(bounds[1], |edge| edge.to.0.min(bounds[1]));
            row_of[at as usize..until as usize].fill(current);
            at = until;
            if at < bounds[1] {
                rows += 1;
                current = rows;
                row_of[at as usize] = current;
                at += 1;
                next = groups.next();
            }
        }
    }
    row_of
}
