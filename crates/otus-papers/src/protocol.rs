//! Seeded simulators of the paper's protocols and one more, each of any size.
//!
//! The paper (001, section 6) does not publish its traces, only the numbers of processes, events, communications
//! and cuts. The simulators have a few dials (how much a process does by itself, how long it runs before another
//! one does), which are set so that these numbers come out alike.

mod alternating_bit;
mod gossip;
mod peterson;
mod peterson_n;
mod philosophers;
mod world;

use otus_trace::order::PartialOrder;

pub use gossip::Gossip;

use world::World;

/// A protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Peterson's mutual exclusion for two.
    Peterson,
    /// The same for any number of processes.
    PetersonN,
    /// Alternating bit over channels that lose messages.
    AlternatingBit,
    /// Dining philosophers.
    Philosophers,
}

impl Protocol {
    /// As the paper's Table 1 has it.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Peterson => "Pet",
            Protocol::PetersonN => "PetN",
            Protocol::AlternatingBit => "ABP",
            Protocol::Philosophers => "Phil",
        }
    }

    /// The paper's formula.
    pub fn formula(self) -> &'static str {
        match self {
            Protocol::Peterson | Protocol::PetersonN => "AG(ncrit < 2)",
            Protocol::AlternatingBit => "AG(sent_msg = 0 -> AF(received_msg = 0))",
            Protocol::Philosophers => {
                "AG(state1 = eat -> (AG(state1 = eat) | A[state0 != eat U state1 != eat]))"
            }
        }
    }

    /// A trace of so many processes and events. Those for two have two, whatever is asked for.
    pub fn trace(self, processes: usize, events: usize, seed: u64) -> PartialOrder {
        let mut rng = fastrand::Rng::with_seed(seed);
        match self {
            Protocol::Peterson => peterson::trace(events, &mut rng),
            Protocol::PetersonN => peterson_n::trace(processes, events, &mut rng),
            Protocol::AlternatingBit => alternating_bit::trace(events, &mut rng),
            Protocol::Philosophers => philosophers::trace(processes, events, &mut rng),
        }
    }
}

/// Who runs next: the same process again with some chance, else any that can.
#[derive(Debug)]
struct Turns {
    now: usize,
    /// In thousandths.
    stay: u32,
}

impl Turns {
    fn new(stay: u32) -> Self {
        Turns { now: 0, stay }
    }

    /// One of some processes of which `can` is true; `None` if it is true of none.
    fn next(
        &mut self,
        processes: usize,
        rng: &mut fastrand::Rng,
        can: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let stays = rng.u32(0..1000) < self.stay;
        if !(stays && can(self.now)) {
            let first = rng.usize(0..processes.max(1));
            self.now = (0..processes).map(|at| (first + at) % processes).find(|&at| can(at))?;
        }
        Some(self.now)
    }
}

/// Work of a process for itself: one event that nobody else sees.
fn work(world: &mut World, process: usize, variable: world::Variable, value: usize) {
    let value = i64::try_from(value % 10).unwrap_or(0);
    let step = world::Step { writes: Some((variable, value.into())), ..Default::default() };
    world.step(process, &step);
}

#[cfg(test)]
mod tests {
    use otus_trace::order::pot;

    use super::*;

    const SMALL: [(Protocol, usize); 5] = [
        (Protocol::Peterson, 2),
        (Protocol::AlternatingBit, 2),
        (Protocol::PetersonN, 3),
        (Protocol::Philosophers, 3),
        (Protocol::Philosophers, 4),
    ];

    #[test]
    fn a_seed_fixes_a_trace_of_the_wanted_size() {
        for (protocol, processes) in SMALL {
            for events in [0, 1, 7, 100, 333] {
                let make = |seed| protocol.trace(processes, events, seed);
                let trace = make(3);
                assert_eq!((trace.process_count(), trace.event_count()), (processes, events));
                assert_eq!(pot::write(&trace), pot::write(&make(3)));
            }
        }
        let make = || Gossip::new(5, 300).trace(3);
        assert_eq!(make().event_count(), 300);
        assert_eq!(pot::write(&make()), pot::write(&make()));
    }
}
