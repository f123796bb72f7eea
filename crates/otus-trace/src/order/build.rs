//! Builds partial-order traces, and checks them.
//!
//! A [`Builder`] takes the events of all processes in any order. A [`Draft`] takes them process
//! after process, straight into the columns of the result: the reader of `.pot.json` fills one at a
//! few nanoseconds per event. A builder ends by filling a draft, so all traces are checked by
//! [`Draft::finish`].

use otus_core::IndexVec;
use otus_core::index::Index as _;
use otus_syntax::name::Names;
use otus_syntax::source::offset;

use super::linear::linearize;
use super::value::{Kind, Value, ValueId, Values};
use super::{
    Assignment, Edge, EventId, Notes, OrderError, Owner, PartialOrder, ProcessId, VariableFacts,
    VariableId, cycle, error, writes,
};

/// The treatment of concurrent assignments to one variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Writes {
    /// Concurrent writes are an error, as Definition 1 requires.
    #[default]
    Checked,
    /// Concurrent writes are ordered by Lamport time and then by process.
    Ordered,
}

/// An event, by its process and its position there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Happened {
    /// The process.
    pub process: ProcessId,
    /// The position of the event in the process, from 1.
    pub position: u32,
}

/// Builds a trace from processes, events and edges in any order.
#[derive(Debug, Clone, Default)]
pub struct Builder {
    /// The names and values, and the assignments in the order of the given events.
    draft: Draft,
    /// For each process: its number of events.
    lengths: Vec<u32>,
    events: Vec<Given>,
    edges: Vec<(Happened, Happened)>,
}

/// An event in the order in which it was given.
#[derive(Debug, Clone, Copy)]
struct Given {
    process: ProcessId,
    /// The index of the event's first assignment.
    start: u32,
    label: u32,
    file: u32,
    line: u32,
}

impl Builder {
    /// The process with a name, which is added if it is new. Processes keep the order of their
    /// first mention.
    pub fn process(&mut self, name: &str) -> ProcessId {
        let process = ProcessId(self.draft.order.processes.intern(name).0);
        if process.index() == self.lengths.len() {
            self.lengths.push(0);
        }
        process
    }

    /// Sets the initial value of a variable.
    pub fn initial(&mut self, variable: &str, value: impl Into<Value>) {
        let variable = self.variable(variable);
        let value = self.draft.order.values.intern(value.into());
        self.draft.initial[variable.index()] = Some(value);
    }

    /// Adds the next event of a process.
    ///
    /// # Panics
    /// If the process is not of this builder.
    pub fn event(&mut self, process: ProcessId) -> NewEvent<'_> {
        let length = &mut self.lengths[process.index()];
        *length += 1;
        let at = Happened { process, position: *length };
        let start = offset(self.draft.order.assignments.len());
        self.events.push(Given { process, start, label: 0, file: 0, line: 0 });
        NewEvent { builder: self, at }
    }

    /// Adds an edge: `from` happened before `to`, as an emission happened before its reception.
    pub fn edge(&mut self, from: Happened, to: Happened) {
        self.edges.push((from, to));
    }

    /// Builds the trace.
    ///
    /// # Errors
    /// If the events and edges do not form a partial-order trace.
    pub fn finish(self, writes: Writes) -> Result<PartialOrder, OrderError> {
        let Builder { mut draft, lengths, events, edges } = self;
        let order = &mut draft.order;
        let mut end = 0_u32;
        for length in lengths {
            // The two greatest numbers are reserved for special values elsewhere.
            let next = end.checked_add(length).filter(|&end| end < u32::MAX - 1);
            end = next.ok_or(OrderError::TooLarge)?;
            order.starts.push(end);
        }
        // A stable counting sort by process keeps the order of the events of a process.
        let mut next: Vec<u32> = order.starts.clone();
        let mut sorted = vec![0_u32; events.len()];
        for (index, given) in events.iter().enumerate() {
            let slot = &mut next[given.process.index()];
            sorted[*slot as usize] = offset(index);
            *slot += 1;
        }
        let notes = |column: fn(&Given) -> u32| -> Vec<u32> {
            let none = events.iter().all(|given| column(given) == 0);
            let all = sorted.iter().map(|&index| column(&events[index as usize]));
            if none { Vec::new() } else { all.collect() }
        };
        order.notes.labels = notes(|given| given.label);
        order.notes.files = notes(|given| given.file);
        order.notes.lines = notes(|given| given.line);
        let given = std::mem::take(&mut order.assignments);
        for &index in &sorted {
            let start = events[index as usize].start as usize;
            let after = events.get(index as usize + 1);
            let end = after.map_or(given.len(), |after| after.start as usize);
            order.assignments.extend_from_slice(&given[start..end]);
            order.ends.push(offset(order.assignments.len()));
        }
        for (from, to) in edges {
            let (from, to) = (draft.located(from)?, draft.located(to)?);
            draft.edge(from, to);
        }
        draft.finish(writes)
    }

    fn variable(&mut self, name: &str) -> VariableId {
        let variable = VariableId(self.draft.order.variables.intern(name).0);
        if variable.index() == self.draft.initial.len() {
            self.draft.initial.push(None);
        }
        variable
    }
}

/// An event that is being described.
#[derive(Debug)]
pub struct NewEvent<'b> {
    builder: &'b mut Builder,
    at: Happened,
}

impl NewEvent<'_> {
    /// Adds an assignment.
    #[must_use = "call `at` to end the description of an event"]
    pub fn set(self, variable: &str, value: impl Into<Value>) -> Self {
        let variable = self.builder.variable(variable);
        let order = &mut self.builder.draft.order;
        let value = order.values.intern(value.into());
        order.assignments.push(Assignment { variable, value });
        self
    }

    /// Sets the label.
    #[must_use = "call `at` to end the description of an event"]
    pub fn label(self, text: &str) -> Self {
        let label = self.builder.draft.order.notes.label_names.intern(text).0 + 1;
        self.change(|given| given.label = label)
    }

    /// Sets the line from which it was read, from 1.
    #[must_use = "call `at` to end the description of an event"]
    pub fn line(self, line: u32) -> Self {
        self.change(|given| given.line = line)
    }

    /// Sets the file from which it was read.
    #[must_use = "call `at` to end the description of an event"]
    pub fn file(self, name: &str) -> Self {
        let file = self.builder.draft.order.notes.file_names.intern(name).0 + 1;
        self.change(|given| given.file = file)
    }

    /// Ends the description; returns the event.
    pub fn at(self) -> Happened {
        self.at
    }

    fn change(self, change: impl FnOnce(&mut Given)) -> Self {
        if let Some(given) = self.builder.events.last_mut() {
            change(given);
        }
        self
    }
}

/// A trace that has not been checked, in the columns of the result. Its edges are in any order, and
/// nothing is known about its variables.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub(super) order: PartialOrder,
    /// For each variable: its initial value, if one is given. Variables without an entry have none.
    pub(super) initial: Vec<Option<ValueId>>,
    /// An edge that leads backward within a process, which is an error.
    backward: Option<Edge>,
}

/// An event with the index of its process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Located {
    pub(super) process: usize,
    pub(super) event: EventId,
}

impl Default for Draft {
    fn default() -> Self {
        let order = PartialOrder {
            processes: Names::default(),
            starts: vec![0],
            variables: Names::default(),
            variable_facts: IndexVec::default(),
            values: Values::default(),
            ends: Vec::new(),
            assignments: Vec::new(),
            edges: Vec::new(),
            runs: Vec::new(),
            assumed: Vec::new(),
            notes: Notes::default(),
        };
        Draft { order, initial: Vec::new(), backward: None }
    }
}

impl Draft {
    /// Adds an edge. A forward edge within a process is redundant.
    #[inline]
    pub(super) fn edge(&mut self, from: Located, to: Located) {
        let edge = Edge { to: to.event, from: from.event };
        if from.process != to.process {
            self.order.edges.push(edge);
        } else if edge.from >= edge.to {
            self.backward.get_or_insert(edge);
        }
    }

    /// Checks Definition 1 and builds the trace.
    pub(super) fn finish(self, writes: Writes) -> Result<PartialOrder, OrderError> {
        let Draft { mut order, initial, backward } = self;
        order.variable_facts = variable_facts(&mut order, &initial);
        refuse_double_assignments(&order)?;
        let cycle = |order: &PartialOrder, events: Vec<EventId>| {
            let names = events.into_iter().map(|event| error::name(order, event));
            Err(OrderError::Cycle(names.collect()))
        };
        if let Some(Edge { from, to }) = backward {
            return cycle(&order, if from == to { vec![from] } else { vec![from, to] });
        }
        sort_edges(&mut order.edges, order.ends.len());
        match linearize(&order.starts, &order.edges) {
            Ok(runs) => order.runs = runs,
            Err(stuck) => {
                return cycle(&order, cycle::find(&order.starts, &order.edges, &stuck));
            }
        }
        let unordered = writes::unordered(&order);
        if let Some(pair) = unordered.first() {
            match writes {
                Writes::Checked => {
                    let (a, b) = (pair.earlier, pair.later);
                    return Err(OrderError::UnorderedWrites {
                        variable: order.variable_name(pair.variable).into(),
                        first: error::name(&order, a.min(b)),
                        second: error::name(&order, a.max(b)),
                    });
                }
                Writes::Ordered => {
                    let more = writes::ordering(&order, &unordered);
                    order.assumed = unordered.iter().map(|pair| pair.variable).collect();
                    order.edges.extend(more);
                    sort_edges(&mut order.edges, order.ends.len());
                    order.relinearize();
                }
            }
        }
        Ok(order)
    }

    fn located(&self, at: Happened) -> Result<Located, OrderError> {
        let Happened { process, position } = at;
        match self.order.event(process, position) {
            Some(event) => Ok(Located { process: process.index(), event }),
            None => Err(OrderError::OutOfRange {
                process: self.order.process_name(process).into(),
                position,
                length: self.order.length(process),
            }),
        }
    }
}

/// For each variable: the processes that assign it, the kind of its values, and its initial value,
/// which is the zero of its kind if none was given. The values of a variable that has several kinds
/// become texts.
fn variable_facts(
    order: &mut PartialOrder,
    initial: &[Option<ValueId>],
) -> IndexVec<VariableId, VariableFacts> {
    #[derive(Clone, Copy)]
    struct Seen {
        owner: Owner,
        kind: Option<Kind>,
        mixed: bool,
    }
    let nothing = Seen { owner: Owner::None, kind: None, mixed: false };
    let mut seen: IndexVec<VariableId, Seen> = IndexVec::filled(nothing, order.variables.len());
    let notice = |seen: &mut Seen, values: &Values, value: ValueId| {
        let kind = values.kind(value);
        seen.mixed |= *seen.kind.get_or_insert(kind) != kind;
    };
    let mut start = 0;
    for process in order.processes() {
        let last = order.range(process).end.checked_sub(1);
        let end = last.map_or(0, |last| order.ends[last as usize] as usize);
        for assignment in &order.assignments[start..end] {
            let seen = &mut seen[assignment.variable];
            notice(seen, &order.values, assignment.value);
            seen.owner = match seen.owner {
                Owner::None => Owner::Process(process),
                Owner::Process(other) if other == process => Owner::Process(process),
                Owner::Process(_) | Owner::Shared => Owner::Shared,
            };
        }
        start = end;
    }
    let given = |variable: VariableId| initial.get(variable.index()).copied().flatten();
    for variable in (0..order.variables.len()).map(VariableId::new) {
        if let Some(given) = given(variable) {
            notice(&mut seen[variable], &order.values, given);
        }
    }
    let PartialOrder { values, assignments, .. } = order;
    if seen.iter().any(|seen| seen.mixed) {
        for assignment in assignments.iter_mut().filter(|it| seen[it.variable].mixed) {
            let value = values.value(assignment.value);
            assignment.value = values.intern_text(&value);
        }
    }
    let facts = seen.iter_with_ids().map(|(variable, seen)| {
        // A variable without any value is a number.
        let kind = if seen.mixed { Kind::Text } else { seen.kind.unwrap_or(Kind::Number) };
        let initial = match given(variable) {
            Some(given) if seen.mixed => {
                let value = values.value(given);
                values.intern_text(&value)
            }
            Some(given) => given,
            None => values.intern(kind.zero()),
        };
        VariableFacts { owner: seen.owner, kind, initial }
    });
    facts.collect()
}

/// Refuses events that assign a variable twice, because their outcome would be ambiguous.
fn refuse_double_assignments(order: &PartialOrder) -> Result<(), OrderError> {
    // In most traces every event has one assignment, which is quick to check.
    if order.ends.iter().zip(1..).all(|(&end, count)| end == count) {
        return Ok(());
    }
    let mut seen: Vec<u32> = vec![u32::MAX; order.variable_count()];
    for event in (0..order.event_count()).map(EventId::new) {
        let assignments = order.assignments(event);
        if assignments.len() < 2 {
            continue;
        }
        for assignment in assignments {
            let last = &mut seen[assignment.variable.index()];
            if *last == event.0 {
                return Err(OrderError::AssignedTwice {
                    variable: order.variable_name(assignment.variable).into(),
                    event: error::name(order, event),
                });
            }
            *last = event.0;
        }
    }
    Ok(())
}

/// Sorts edges by target and removes duplicates. A counting sort takes 10 ms for a million edges in
/// random order; a comparison sort takes 30 ms.
fn sort_edges(edges: &mut Vec<Edge>, events: usize) {
    if !edges.is_sorted() {
        let mut ends = vec![0_u32; events + 1];
        for edge in &*edges {
            ends[edge.to.index() + 1] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        let mut sorted = vec![Edge { to: EventId(0), from: EventId(0) }; edges.len()];
        for edge in &*edges {
            let slot = &mut ends[edge.to.index()];
            sorted[*slot as usize] = *edge;
            *slot += 1;
        }
        // Few edges have the same target, so these sorts are cheap.
        let mut rest = sorted.as_mut_slice();
        while let Some(first) = rest.first() {
            let to = first.to;
            let length = rest.iter().take_while(|edge| edge.to == to).count();
            let (group, after) = rest.split_at_mut(length);
            if length > 1 {
                group.sort_unstable();
            }
            rest = after;
        }
        *edges = sorted;
    }
    edges.dedup();
    edges.shrink_to_fit();
}
