//! Seeded simulators of the protocols of 001 and one more, for any number of processes and events.
//!
//! The paper (001, section 6) does not publish its traces, only their numbers of processes, events, communications and
//! cuts. The simulators have a few parameters: how many local events a process has, and how long it runs before
//! another process does. The parameters are chosen so that these numbers come close to the paper's.

mod alternating_bit;
mod gossip;
mod peterson;
mod peterson_n;
mod philosophers;
mod simulation;

use otus_trace::order::PartialOrder;

pub use gossip::gossip;

use simulation::Simulation;

/// A protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Peterson's mutual exclusion for two processes.
    Peterson,
    /// Peterson's mutual exclusion for any number of processes.
    PetersonN,
    /// The alternating bit protocol over channels that lose messages.
    AlternatingBit,
    /// Dining philosophers.
    Philosophers,
}

impl Protocol {
    /// Every protocol with few processes, for tests.
    pub const SMALL: [(Protocol, usize); 5] = [
        (Protocol::Peterson, 2),
        (Protocol::AlternatingBit, 2),
        (Protocol::PetersonN, 3),
        (Protocol::Philosophers, 3),
        (Protocol::Philosophers, 4),
    ];

    /// The name of the protocol in Table 1 of the paper.
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

    /// Simulates a trace. `Peterson` and `AlternatingBit` always have two processes.
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

/// A scheduler that keeps running the same process with some probability, and otherwise picks any that can run.
#[derive(Debug)]
struct Scheduler {
    now: usize,
    /// The probability in thousandths.
    stay: u32,
}

impl Scheduler {
    /// The next process for which `can` is true, if there is one.
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

/// A local step of a process: it writes a variable that no other process reads.
fn work(simulation: &mut Simulation, process: usize, variable: simulation::Variable, value: usize) {
    let value = i64::try_from(value % 10).unwrap_or(0);
    simulation.step(process, &simulation::Step::write(variable, value));
}

#[cfg(test)]
mod tests {
    use otus_trace::order::pot;

    use super::*;

    #[test]
    fn a_seed_fixes_a_trace_of_the_wanted_size() {
        for (protocol, processes) in Protocol::SMALL {
            for events in [0, 1, 7, 100, 333] {
                let make = |seed| protocol.trace(processes, events, seed);
                let trace = make(3);
                assert_eq!((trace.process_count(), trace.event_count()), (processes, events));
                assert_eq!(pot::write(&trace), pot::write(&make(3)));
            }
        }
        let make = || gossip(5, 300, 3);
        assert_eq!(make().event_count(), 300);
        assert_eq!(pot::write(&make()), pot::write(&make()));
    }
}
