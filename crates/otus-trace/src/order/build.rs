//! Builds partial-order traces, and checks them.
//!
//! A [`Builder`] takes the events of all processes in any order. A [`Draft`] takes them process
//! after process, straight into the columns of the result: the reader of `.pot.json` fills one at a
//! few nanoseconds per event. A builder ends by filling a draft, so all traces are checked by
//! [`Draft::finish`].

use otus_core::IndexVec;
use otus_core::index::Index as _;
use otus_syntax::name::{Names, Symbol};
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
    /// They are an error, as Definition 1 requires.
    #[default]
    Checked,
    /// They are ordered by Lamport time and then by process.
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
    processes: Names,
    /// By process: its number of events.
    lengths: Vec<u32>,
    variables: Names,
    initial: Vec<Option<ValueId>>,
    values: Values,
    events: Vec<Given>,
    /// In the order of the events.
    assignments: Vec<Assignment>,
    edges: Vec<(Happened, Happened)>,
    label_names: Names,
    file_names: Names,
}

/// An event in the order in which it was given.
#[derive(Debug, Clone, Copy)]
struct Given {
    process: ProcessId,
    /// The index of its first assignment.
    start: u32,
    label: u32,
    file: u32,
    line: u32,
}

impl Builder {
    /// The process with a name, which is added if it is new. Processes keep the order of their
    /// first mention.
    pub fn process(&mut self, name: &str) -> ProcessId {
        let process = ProcessId(self.processes.intern(name).0);
        if process.index() == self.lengths.len() {
            self.lengths.push(0);
        }
        process
    }

    /// Sets the initial value of a variable.
    pub fn initial(&mut self, variable: &str, value: impl Into<Value>) {
        let variable = self.variable(variable);
        let value = self.values.intern(value.into());
        self.initial[variable.index()] = Some(value);
    }

    /// Adds the next event of a process.
    ///
    /// # Panics
    /// If the process is not of this builder.
    pub fn event(&mut self, process: ProcessId) -> NewEvent<'_> {
        let length = &mut self.lengths[process.index()];
        *length += 1;
        let at = Happened { process, position: *length };
        let start = offset(self.assignments.len());
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
        let mut starts = vec![0_u32];
        for &length in &self.lengths {
            let end = starts.last().copied().unwrap_or(0).checked_add(length);
            // The last two numbers stand for special values elsewhere.
            let end = end.filter(|&end| end < u32::MAX - 1).ok_or(OrderError::TooLarge)?;
            starts.push(end);
        }
        let mut draft = Draft::new(self.processes, starts, self.variables, self.values);
        draft.initial = self.initial;
        // A stable counting sort by process keeps the order of the events of a process.
        let mut next: Vec<u32> = draft.starts.clone();
        let mut sorted = vec![0_u32; self.events.len()];
        for (index, given) in self.events.iter().enumerate() {
            let slot = &mut next[given.process.index()];
            sorted[*slot as usize] = offset(index);
            *slot += 1;
        }
        let notes = |column: fn(&Given) -> u32| -> Vec<u32> {
            let none = self.events.iter().all(|given| column(given) == 0);
            let all = sorted.iter().map(|&index| column(&self.events[index as usize]));
            if none { Vec::new() } else { all.collect() }
        };
        draft.notes.labels = notes(|given| given.label);
        draft.notes.files = notes(|given| given.file);
        draft.notes.lines = notes(|given| given.line);
        draft.notes.label_names = self.label_names;
        draft.notes.file_names = self.file_names;
        for &index in &sorted {
            let start = self.events[index as usize].start as usize;
            let after = self.events.get(index as usize + 1);
            let end = after.map_or(self.assignments.len(), |after| after.start as usize);
            draft.assignments.extend_from_slice(&self.assignments[start..end]);
            draft.ends.push(offset(draft.assignments.len()));
        }
        for (from, to) in self.edges {
            let (from, to) = (draft.located(from)?, draft.located(to)?);
            draft.edges.push(from, to);
        }
        draft.finish(writes)
    }

    fn variable(&mut self, name: &str) -> VariableId {
        let variable = VariableId(self.variables.intern(name).0);
        if variable.index() == self.initial.len() {
            self.initial.push(None);
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
        let value = self.builder.values.intern(value.into());
        self.builder.assignments.push(Assignment { variable, value });
        self
    }

    /// Sets the label.
    #[must_use = "call `at` to end the description of an event"]
    pub fn label(self, text: &str) -> Self {
        let label = self.builder.label_names.intern(text).0 + 1;
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
        let file = self.builder.file_names.intern(name).0 + 1;
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

/// A trace that has not been checked, in the columns of the result.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) processes: Names,
    pub(super) starts: Vec<u32>,
    pub(super) variables: Names,
    /// By variable; may be shorter than the list of variables.
    pub(super) initial: Vec<Option<ValueId>>,
    pub(super) values: Values,
    pub(super) ends: Vec<u32>,
    pub(super) assignments: Vec<Assignment>,
    pub(super) edges: Crossing,
    pub(super) notes: Notes,
}

/// An event with the index of its process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Located {
    pub(super) process: usize,
    pub(super) event: EventId,
}

/// The edges between processes. An edge within a process is redundant, or backward and thus an
/// error.
#[derive(Debug, Default)]
pub(super) struct Crossing {
    edges: Vec<Edge>,
    backward: Option<Edge>,
}

impl Crossing {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Crossing { edges: Vec::with_capacity(capacity), backward: None }
    }

    #[inline]
    pub(super) fn push(&mut self, from: Located, to: Located) {
        let edge = Edge { to: to.event, from: from.event };
        if from.process != to.process {
            self.edges.push(edge);
        } else if edge.from >= edge.to {
            self.backward.get_or_insert(edge);
        }
    }
}

impl Draft {
    pub(super) fn new(
        processes: Names,
        starts: Vec<u32>,
        variables: Names,
        values: Values,
    ) -> Self {
        Draft {
            processes,
            starts,
            variables,
            initial: Vec::new(),
            values,
            ends: Vec::new(),
            assignments: Vec::new(),
            edges: Crossing::default(),
            notes: Notes::default(),
        }
    }

    /// Checks Definition 1 and builds the trace.
    pub(super) fn finish(self, writes: Writes) -> Result<PartialOrder, OrderError> {
        let facts = variable_facts(&self);
        let mut values = self.values;
        let variable_facts = facts.into_iter().map(|(owner, kind, initial)| {
            let zero = || values.intern(kind.map_or(Value::integer(0), Kind::zero));
            VariableFacts { owner, kind, initial: initial.unwrap_or_else(zero) }
        });
        let variable_facts = variable_facts.collect();
        let mut order = PartialOrder {
            processes: self.processes,
            starts: self.starts,
            variables: self.variables,
            variable_facts,
            values,
            ends: self.ends,
            assignments: self.assignments,
            edges: self.edges.edges,
            runs: Vec::new(),
            notes: self.notes,
        };
        refuse_double_assignments(&order)?;
        if let Some(Edge { from, to }) = self.edges.backward {
            let mut events = vec![error::name(&order, from)];
            if from != to {
                events.push(error::name(&order, to));
            }
            return Err(OrderError::Cycle(events));
        }
        sort_edges(&mut order.edges, order.ends.len());
        match linearize(&order.starts, &order.edges) {
            Ok(runs) => order.runs = runs,
            Err(stuck) => {
                let events = cycle::find(&order.starts, &order.edges, &stuck);
                let names = events.into_iter().map(|event| error::name(&order, event));
                return Err(OrderError::Cycle(names.collect()));
            }
        }
        let unordered = writes::unordered(&order, &order.runs);
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
                    let more = writes::ordering(&order, &order.runs, &unordered);
                    order.edges.extend(more);
                    sort_edges(&mut order.edges, order.ends.len());
                    order.relinearize();
                }
            }
        }
        Ok(order)
    }

    /// The event at a position of a process.
    fn located(&self, at: Happened) -> Result<Located, OrderError> {
        let process = at.process.index();
        let start = self.starts[process];
        let length = self.starts[process + 1] - start;
        if (1..=length).contains(&at.position) {
            return Ok(Located { process, event: EventId(start + at.position - 1) });
        }
        let process = self.processes.text(Symbol(at.process.0)).into();
        Err(OrderError::OutOfRange { process, position: at.position, length })
    }
}

/// By variable: the processes that assign it, the kind of its values, and its initial value if one
/// was given.
fn variable_facts(draft: &Draft) -> Vec<(Owner, Option<Kind>, Option<ValueId>)> {
    #[derive(Clone, Copy)]
    struct Seen {
        owner: Owner,
        kind: Option<Kind>,
        mixed: bool,
    }
    let nothing = Seen { owner: Owner::None, kind: None, mixed: false };
    let mut seen: IndexVec<VariableId, Seen> = IndexVec::filled(nothing, draft.variables.len());
    let notice = |seen: &mut Seen, value: ValueId| {
        let kind = draft.values.kind(value);
        seen.mixed |= *seen.kind.get_or_insert(kind) != kind;
    };
    for process in (0..draft.starts.len() - 1).map(ProcessId::new) {
        let assignments = draft.assignments_of(process);
        for assignment in assignments {
            let seen = &mut seen[assignment.variable];
            notice(seen, assignment.value);
            seen.owner = match seen.owner {
                Owner::None => Owner::Process(process),
                Owner::Process(other) if other == process => Owner::Process(process),
                Owner::Process(_) | Owner::Shared => Owner::Shared,
            };
        }
    }
    seen.iter_with_ids()
        .map(|(variable, seen)| {
            let mut seen = *seen;
            let initial = draft.initial.get(variable.index()).copied().flatten();
            if let Some(initial) = initial {
                notice(&mut seen, initial);
            }
            // A variable without any value is a number.
            let kind = seen.kind.unwrap_or(Kind::Number);
            (seen.owner, (!seen.mixed).then_some(kind), initial)
        })
        .collect()
}

impl Draft {
    fn assignments_of(&self, process: ProcessId) -> &[Assignment] {
        let end_before = |event: u32| match event.checked_sub(1) {
            Some(before) => self.ends[before as usize] as usize,
            None => 0,
        };
        let (start, end) = (self.starts[process.index()], self.starts[process.index() + 1]);
        &self.assignments[end_before(start)..end_before(end)]
    }
}

/// Refuses events that assign a variable twice, because their outcome would be ambiguous.
fn refuse_double_assignments(order: &PartialOrder) -> Result<(), OrderError> {
    // Most traces have one assignment per event, which is quick to check.
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
