//! Processes that run together, and who knows of what: from steps of a simulation to a partial-order trace.
//!
//! A step of a process becomes an event. It happens after
//!
//! - the previous event of its process;
//! - for each variable that it reads, the last write of it;
//! - for each variable that it writes, the last write of it and all reads since, so that what they
//!   read is what they would have read in every other order;
//! - the sending of a message that it receives.
//!
//! So every order of events that the partial order allows is one that the processes could have
//! run in, and all writes of one variable are ordered. Each process carries a vector clock, and an edge that says
//! nothing new is left out.

use std::rc::Rc;

use otus_trace::order::{Builder, Happened, PartialOrder, ProcessId, Value, Writes};

/// What has happened so far.
#[derive(Debug, Default)]
pub(super) struct World {
    builder: Builder,
    processes: Vec<ProcessId>,
    /// By process: how many events of each it knows of.
    known: Vec<Vec<u32>>,
    cells: Vec<Cell>,
    events: usize,
}

/// A variable, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Variable(usize);

/// An event that others may come to know of.
#[derive(Debug, Clone)]
pub(super) struct Stamp {
    process: usize,
    at: Happened,
    /// How many events of each process it knows of, itself included.
    known: Rc<[u32]>,
}

/// What a step does.
#[derive(Debug, Default)]
pub(super) struct Step<'a> {
    pub(super) reads: &'a [Variable],
    pub(super) writes: Option<(Variable, Value)>,
    /// The sending of the message that is received.
    pub(super) hears: Option<&'a Stamp>,
}

#[derive(Debug)]
struct Cell {
    name: String,
    written: Option<Stamp>,
    /// Reads since then, one for each process.
    read: Vec<Stamp>,
}

impl World {
    /// A world of some processes, which are called `p0`, `p1`, …
    pub(super) fn new(processes: usize) -> Self {
        let mut world = World { known: vec![vec![0; processes]; processes], ..World::default() };
        for process in 0..processes {
            world.processes.push(world.builder.process(&format!("p{process}")));
        }
        world
    }

    /// A variable and what it holds at first.
    pub(super) fn variable(
        &mut self,
        name: impl Into<String>,
        initial: impl Into<Value>,
    ) -> Variable {
        let name = name.into();
        self.builder.initial(&name, initial);
        self.cells.push(Cell { name, written: None, read: Vec::new() });
        Variable(self.cells.len() - 1)
    }

    /// One variable for each process: `name0`, `name1`, …
    pub(super) fn variables(&mut self, name: &str, initial: impl Into<Value>) -> Vec<Variable> {
        let initial = initial.into();
        (0..self.processes.len())
            .map(|process| self.variable(format!("{name}{process}"), initial.clone()))
            .collect()
    }

    /// How many events there were.
    pub(super) fn events(&self) -> usize {
        self.events
    }

    /// A process does something.
    pub(super) fn step(&mut self, process: usize, step: &Step<'_>) -> Stamp {
        let mut causes: Vec<Stamp> = step.hears.cloned().into_iter().collect();
        for &variable in step.reads {
            causes.extend(self.cells[variable.0].written.clone());
        }
        let mut event = self.builder.event(self.processes[process]);
        if let Some((variable, value)) = &step.writes {
            let cell = &self.cells[variable.0];
            event = event.set(&cell.name, value.clone());
            causes.extend(cell.written.iter().chain(&cell.read).cloned());
        }
        let at = event.at();
        self.events += 1;
        self.learn(process, at, &causes);
        let known = &mut self.known[process];
        known[process] = at.position;
        let stamp = Stamp { process, at, known: known.as_slice().into() };
        for &variable in step.reads {
            let read = &mut self.cells[variable.0].read;
            read.retain(|other| other.process != process);
            read.push(stamp.clone());
        }
        if let Some((variable, _)) = step.writes {
            let cell = &mut self.cells[variable.0];
            cell.read.clear();
            cell.written = Some(stamp.clone());
        }
        stamp
    }

    /// Edges from those causes that are not known otherwise.
    fn learn(&mut self, process: usize, at: Happened, causes: &[Stamp]) {
        let known = &mut self.known[process];
        let is_new = |cause: &Stamp, known: &[u32]| known[cause.process] < cause.at.position;
        let mut needed: Vec<&Stamp> = Vec::new();
        for cause in causes.iter().filter(|cause| is_new(cause, known)) {
            if needed.iter().all(|other| is_new(cause, &other.known)) {
                needed.retain(|other| is_new(other, &cause.known));
                needed.push(cause);
            }
        }
        for cause in needed {
            self.builder.edge(cause.at, at);
            for (own, &theirs) in known.iter_mut().zip(&*cause.known) {
                *own = theirs.max(*own);
            }
        }
    }

    /// The trace.
    pub(super) fn finish(self) -> PartialOrder {
        self.builder.finish(Writes::Checked).expect("steps happen after what they depend on")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_follow_reads_writes_and_messages() {
        let mut world = World::new(3);
        let x = world.variable("x", 0);
        let write = |value: i64| Step { writes: Some((x, value.into())), ..Step::default() };
        world.step(0, &write(1));
        world.step(1, &Step { reads: &[x], ..Step::default() });
        let sent = world.step(0, &write(2));
        world.step(2, &Step { hears: Some(&sent), reads: &[x], ..Step::default() });
        // Known already: the message came after both writes.
        world.step(2, &write(3));
        let trace = world.finish();
        let edges: Vec<(u32, u32)> =
            trace.edges().iter().map(|edge| (edge.from.0, edge.to.0)).collect();
        // Events 0 and 1 are of p0, 2 of p1, 3 and 4 of p2.
        assert_eq!(edges, [(2, 1), (0, 2), (1, 3)]);
    }
}
