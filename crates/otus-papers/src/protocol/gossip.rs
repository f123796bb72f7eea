//! Gossip: every process sends messages to random other processes. So in no order of the processes do they
//! communicate mainly with their neighbours.
//!
//! Each event of process i gives `v_i` a new value from 0 to 9. Some events send a message to a random process, which
//! receives it some time later.

use std::collections::VecDeque;

use otus_trace::order::PartialOrder;

use super::simulation::{Simulation, Stamp, Step};

/// The number of events that send a message, out of a thousand. With the value 100, 20 processes with 10,000 events
/// have about 10³⁰ cuts.
const SENDING: u32 = 100;

/// Simulates a trace of gossip.
pub fn gossip(processes: usize, events: usize, seed: u64) -> PartialOrder {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut simulation = Simulation::new(processes);
    let values = simulation.variables("v", 0);
    let mut inboxes: Vec<VecDeque<Stamp>> = vec![VecDeque::new(); processes];
    while simulation.events() < events {
        let i = rng.usize(0..processes);
        let write = Step::write(values[i], i64::from(rng.u8(0..10)));
        if rng.bool()
            && let Some(stamp) = inboxes[i].pop_front()
        {
            simulation.step(i, &Step { receives: Some(&stamp), ..write });
            continue;
        }
        let stamp = simulation.step(i, &write);
        if rng.u32(0..1000) < SENDING && processes > 1 {
            let other = rng.usize(1..processes);
            inboxes[(i + other) % processes].push_back(stamp);
        }
    }
    simulation.finish()
}
