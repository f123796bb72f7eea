//! Gossip: every process sends to every other one, at random, so no order of the processes has locality.
//!
//! Each event of process i gives `v_i` a new value from 0 to 9. Some events send a message to a random process, which
//! receives it some time later.

use std::collections::VecDeque;

use otus_trace::order::PartialOrder;

use super::simulation::{Simulation, Stamp, Step};

/// The events that send a message, out of a thousand. With 100, 20 processes and 10,000 events have about 10³⁰ cuts.
const SENDING: u32 = 100;

/// The size of a trace of gossip.
#[derive(Debug, Clone, Copy)]
pub struct Gossip {
    /// The number of processes.
    pub processes: usize,
    /// The number of events.
    pub events: usize,
}

impl Gossip {
    /// Gossip of this size.
    pub fn new(processes: usize, events: usize) -> Self {
        Gossip { processes, events }
    }

    /// Simulates a trace.
    pub fn trace(self, seed: u64) -> PartialOrder {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut simulation = Simulation::new(self.processes);
        let values = simulation.variables("v", 0);
        let mut inboxes: Vec<VecDeque<Stamp>> = vec![VecDeque::new(); self.processes];
        while simulation.events() < self.events {
            let i = rng.usize(0..self.processes);
            let writes = Some((values[i], i64::from(rng.u8(0..10)).into()));
            if rng.bool()
                && let Some(stamp) = inboxes[i].pop_front()
            {
                simulation.step(i, &Step { receives: Some(&stamp), writes, ..Step::default() });
                continue;
            }
            let stamp = simulation.step(i, &Step { writes, ..Step::default() });
            if rng.u32(0..1000) < SENDING && self.processes > 1 {
                let other = rng.usize(1..self.processes);
                inboxes[(i + other) % self.processes].push_back(stamp);
            }
        }
        simulation.finish()
    }
}
