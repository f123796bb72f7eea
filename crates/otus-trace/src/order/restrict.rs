//! The happened-before relation restricted to some events.
//!
//! A formula refers to few events of a trace. The order restricted to those is again an order on
//! processes. Its clocks count only the kept events: the clock of e at q is the number of kept
//! events of q in ↓e.

use otus_syntax::source::offset;

use super::{EventId, PartialOrder, ProcessId};

/// Some events of a trace, with the clocks of the order among them. Processes without a kept event
/// are left out; the others keep their order and are called columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restriction {
    processes: Vec<ProcessId>,
    /// The index of the first event of each column, and the end of the last one.
    starts: Vec<u32>,
    events: Vec<EventId>,
    clocks: Vec<u32>,
}

impl Restriction {
    /// The process of each column.
    pub fn processes(&self) -> &[ProcessId] {
        &self.processes
    }

    /// All events in order.
    pub fn events(&self) -> &[EventId] {
        &self.events
    }

    /// The events of a column in order.
    pub fn events_of(&self, column: usize) -> &[EventId] {
        &self.events[self.range(column)]
    }

    /// The clock of the event with an index: for each column, the number of its events in the past
    /// of this event, itself included.
    pub fn clock(&self, index: usize) -> &[u32] {
        let width = self.processes.len();
        &self.clocks[index * width..(index + 1) * width]
    }

    /// The clocks of all events, one after the other.
    pub fn clocks(&self) -> &[u32] {
        &self.clocks
    }

    fn range(&self, column: usize) -> std::ops::Range<usize> {
        self.starts[column] as usize..self.starts[column + 1] as usize
    }
}

impl PartialOrder {
    /// Restricts the order to some events, listed in any order.
    ///
    /// ```
    /// use otus_trace::order::{Builder, Writes};
    ///
    /// // a → b → c, of which b is left out.
    /// let mut builder = Builder::default();
    /// let [p, q, r] = ["p", "q", "r"].map(|name| builder.process(name));
    /// let [a, b, c] = [p, q, r].map(|process| builder.event(process).at());
    /// builder.edge(a, b);
    /// builder.edge(b, c);
    /// let trace = builder.finish(Writes::Checked).unwrap();
    /// let [a, c] = [p, r].map(|process| trace.event(process, 1).unwrap());
    /// let kept = trace.restrict(vec![c, a]);
    /// assert_eq!(kept.processes(), [p, r]);
    /// assert_eq!(kept.clocks(), [1, 0, 1, 1]);
    /// ```
    pub fn restrict(&self, mut events: Vec<EventId>) -> Restriction {
        events.sort_unstable();
        events.dedup();
        let mut processes: Vec<ProcessId> = Vec::new();
        let mut starts: Vec<u32> = Vec::new();
        let mut end = 0;
        for (index, &event) in events.iter().enumerate() {
            if index == 0 || event.0 >= end {
                let process = self.process_of(event);
                end = self.range(process).end;
                processes.push(process);
                starts.push(offset(index));
            }
        }
        starts.push(offset(events.len()));
        let mut kept = Restriction { processes, starts, events, clocks: Vec::new() };
        let width = kept.processes.len();
        if width == 0 {
            return kept;
        }
        let full = self.clocks_on(&kept.processes);
        let mut clocks = Vec::with_capacity(kept.events.len() * width);
        let mut row = vec![0; width];
        for column in 0..width {
            // By column: the number of its kept events in the past so far.
            let mut known = vec![0_usize; width];
            for &event in kept.events_of(column) {
                full.read(event, &mut row);
                for (other, (known, &count)) in known.iter_mut().zip(&row).enumerate() {
                    let past = self.range(kept.processes[other]).start + count;
                    let events = kept.events_of(other);
                    while events.get(*known).is_some_and(|event| event.0 < past) {
                        *known += 1;
                    }
                    clocks.push(offset(*known));
                }
            }
        }
        kept.clocks = clocks;
        kept
    }
}
