//! From the steps of simulated processes to a partial-order trace.
//!
//! A step of a process becomes an event. It happens after
//!
//! - the previous event of its process;
//! - for each variable that it reads, the last write of it;
//! - for each variable that it writes, the last write of it and all reads since, so that these reads
//!   have the same result in every order;
//! - the sending of a message that it receives.
//!
//! So the processes could have run in every order that the partial order allows, and all writes of one variable are
//! ordered. Each process has a vector clock, and edges that others imply are left out.

use std::rc::Rc;

use otus_trace::order::{Builder, Happened, PartialOrder, ProcessId, Value, Writes};

#[derive(Debug, Default)]
pub(super) struct Simulation {
    builder: Builder,
    processes: Vec<ProcessId>,
    /// The vector clock of each process.
    known: Vec<Vec<u32>>,
    variables: Vec<VariableState>,
    events: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Variable(usize);

#[derive(Debug, Clone)]
pub(super) struct Stamp {
    process: usize,
    at: Happened,
    known: Rc<[u32]>,
}

#[derive(Debug, Default)]
pub(super) struct Step<'a> {
    pub(super) reads: &'a [Variable],
    pub(super) writes: Option<(Variable, Value)>,
    /// The emission of the message that the step receives.
    pub(super) receives: Option<&'a Stamp>,
}

impl Step<'_> {
    pub(super) fn write(variable: Variable, value: impl Into<Value>) -> Self {
        Step { writes: Some((variable, value.into())), ..Step::default() }
    }
}

/// The accesses to a variable that later steps depend on.
#[derive(Debug)]
struct VariableState {
    name: String,
    last_write: Option<Stamp>,
    /// The last read of each process since the last write.
    reads: Vec<Stamp>,
}

impl Simulation {
    /// A simulation of processes named `p0`, `p1`, …
    pub(super) fn new(processes: usize) -> Self {
        let mut simulation =
            Simulation { known: vec![vec![0; processes]; processes], ..Simulation::default() };
        for process in 0..processes {
            simulation.processes.push(simulation.builder.process(&format!("p{process}")));
        }
        simulation
    }

    pub(super) fn variable(
        &mut self,
        name: impl Into<String>,
        initial: impl Into<Value>,
    ) -> Variable {
        let name = name.into();
        self.builder.initial(&name, initial);
        self.variables.push(VariableState { name, last_write: None, reads: Vec::new() });
        Variable(self.variables.len() - 1)
    }

    /// Adds a variable for each process: `name0`, `name1`, …
    pub(super) fn variables(&mut self, name: &str, initial: impl Into<Value>) -> Vec<Variable> {
        let initial = initial.into();
        (0..self.processes.len())
            .map(|process| self.variable(format!("{name}{process}"), initial.clone()))
            .collect()
    }

    pub(super) fn events(&self) -> usize {
        self.events
    }

    pub(super) fn step(&mut self, process: usize, step: &Step<'_>) -> Stamp {
        let mut causes: Vec<Stamp> = step.receives.cloned().into_iter().collect();
        for &variable in step.reads {
            causes.extend(self.variables[variable.0].last_write.clone());
        }
        let mut event = self.builder.event(self.processes[process]);
        if let Some((variable, value)) = &step.writes {
            let state = &self.variables[variable.0];
            event = event.set(&state.name, value.clone());
            causes.extend(state.last_write.iter().chain(&state.reads).cloned());
        }
        let at = event.at();
        self.events += 1;
        self.add_edges(process, at, &causes);
        let known = &mut self.known[process];
        known[process] = at.position;
        let stamp = Stamp { process, at, known: known.as_slice().into() };
        for &variable in step.reads {
            let reads = &mut self.variables[variable.0].reads;
            reads.retain(|other| other.process != process);
            reads.push(stamp.clone());
        }
        if let Some((variable, _)) = step.writes {
            let state = &mut self.variables[variable.0];
            state.reads.clear();
            state.last_write = Some(stamp.clone());
        }
        stamp
    }

    /// Adds edges from those causes that no other edge implies.
    fn add_edges(&mut self, process: usize, at: Happened, causes: &[Stamp]) {
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

    pub(super) fn finish(self) -> PartialOrder {
        self.builder.finish(Writes::Checked).expect("steps happen after what they depend on")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_follow_reads_writes_and_messages() {
        let mut simulation = Simulation::new(3);
        let x = simulation.variable("x", 0);
        let write = |value: i64| Step::write(x, value);
        simulation.step(0, &write(1));
        simulation.step(1, &Step { reads: &[x], ..Step::default() });
        let sent = simulation.step(0, &write(2));
        simulation.step(2, &Step { receives: Some(&sent), reads: &[x], ..Step::default() });
        // No edge is needed: the message was sent after both writes.
        simulation.step(2, &write(3));
        let trace = simulation.finish();
        let edges: Vec<(u32, u32)> =
            trace.edges().iter().map(|edge| (edge.from.0, edge.to.0)).collect();
        // Events 0 and 1 are of p0, 2 of p1, 3 and 4 of p2.
        assert_eq!(edges, [(2, 1), (0, 2), (1, 3)]);
    }
}
