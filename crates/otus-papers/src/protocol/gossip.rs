//! Gossip: everybody talks to everybody, at random. No order of processes puts friends side by side.
//!
//! Each event of process i gives `v_i` a new value from 0 to 9. Some send a message to a random peer, who
//! receives it some time later.

use std::collections::VecDeque;

use otus_trace::order::PartialOrder;

use super::world::{Stamp, Step, World};

/// Of a thousand events, how many send something. With this, 20 processes and 10,000 events have about 10³⁰ cuts.
const TALK: u32 = 100;

/// What a trace of gossip is to be like.
#[derive(Debug, Clone, Copy)]
pub struct Gossip {
    /// How many talk.
    pub processes: usize,
    /// How many events there are.
    pub events: usize,
}

impl Gossip {
    /// So many processes and events.
    pub fn new(processes: usize, events: usize) -> Self {
        Gossip { processes, events }
    }

    /// The trace of a seed.
    pub fn trace(self, seed: u64) -> PartialOrder {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut world = World::new(self.processes);
        let heard = world.variables("v", 0);
        let mut boxes: Vec<VecDeque<Stamp>> = vec![VecDeque::new(); self.processes];
        while world.events() < self.events {
            let i = rng.usize(0..self.processes);
            let writes = Some((heard[i], i64::from(rng.u8(0..10)).into()));
            if rng.bool()
                && let Some(stamp) = boxes[i].pop_front()
            {
                world.step(i, &Step { hears: Some(&stamp), writes, ..Step::default() });
                continue;
            }
            let stamp = world.step(i, &Step { writes, ..Step::default() });
            if rng.u32(0..1000) < TALK && self.processes > 1 {
                let other = rng.usize(1..self.processes);
                boxes[(i + other) % self.processes].push_back(stamp);
            }
        }
        world.finish()
    }
}
