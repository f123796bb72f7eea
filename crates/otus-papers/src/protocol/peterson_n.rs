//! Peterson's mutual exclusion for n processes: n − 1 levels, at each of which one process waits.
//!
//! ```text
//! loop   work                    (up to n − 1 local events)
//!        for l in 1..n:  level_i := l
//!                        last_l := i
//!                        await no other j has level_j ≥ l | last_l ≠ i
//!        in_i := true, ncrit := ncrit + 1, ncrit := ncrit − 1, in_i := false
//!        level_i := 0
//! ```

use otus_trace::order::PartialOrder;

use super::simulation::{Simulation, Step, Variable};
use super::{Scheduler, work};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ControlState {
    /// The number of local events that are left.
    Working(usize),
    /// The process is about to write `level_i`, to write `last_l`, or to pass the await, at this
    /// level.
    Takes(usize),
    Signs(usize),
    Passes(usize),
    /// In the critical section, before the step with this number.
    Inside(usize),
}

pub(super) fn trace(processes: usize, events: usize, rng: &mut fastrand::Rng) -> PartialOrder {
    let mut simulation = Simulation::new(processes);
    let level = simulation.variables("level", 0);
    let inside = simulation.variables("in", false);
    let own = simulation.variables("work", 0);
    let last: Vec<Variable> =
        (0..processes).map(|at| simulation.variable(format!("last{at}"), -1)).collect();
    let ncrit = simulation.variable("ncrit", 0);
    // With more processes, the next step more often belongs to another process.
    let stay = 1000_usize.saturating_sub(10 * processes).max(500);
    let mut scheduler = Scheduler { now: 0, stay: u32::try_from(stay).unwrap_or(0) };
    let mut states = vec![ControlState::Working(0); processes];
    let mut levels = vec![0_usize; processes];
    let mut signed: Vec<Option<usize>> = vec![None; processes];
    let mut count = 0_i64;
    let integer = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
    while simulation.events() < events {
        let is_alone =
            |i: usize, at: usize| levels.iter().enumerate().all(|(j, &other)| j == i || other < at);
        let can = |i: usize| {
            let ControlState::Passes(at) = states[i] else { return true };
            signed[at] != Some(i) || is_alone(i, at)
        };
        let Some(i) = scheduler.next(processes, rng, can) else { break };
        states[i] = match states[i] {
            ControlState::Working(left) if left > 0 => {
                work(&mut simulation, i, own[i], left);
                ControlState::Working(left - 1)
            }
            state @ (ControlState::Working(_) | ControlState::Takes(_)) => {
                let at = if let ControlState::Takes(at) = state { at } else { 1 };
                levels[i] = at;
                simulation.step(i, &Step::write(level[i], integer(at)));
                ControlState::Signs(at)
            }
            ControlState::Signs(at) => {
                signed[at] = Some(i);
                simulation.step(i, &Step::write(last[at], integer(i)));
                ControlState::Passes(at)
            }
            ControlState::Passes(at) => {
                // `last_l` is read only if the levels do not decide the test.
                let others = (0..processes).filter(|&j| j != i).map(|j| level[j]);
                let signature = (!is_alone(i, at)).then_some(last[at]);
                let reads: Vec<Variable> = others.chain(signature).collect();
                let is_last = at + 1 >= processes;
                let step = if is_last {
                    Step::write(inside[i], true)
                } else {
                    Step::write(own[i], integer(at % 10))
                };
                simulation.step(i, &Step { reads: &reads, ..step });
                if is_last { ControlState::Inside(0) } else { ControlState::Takes(at + 1) }
            }
            ControlState::Inside(step @ (0 | 1)) => {
                count += if step == 0 { 1 } else { -1 };
                simulation.step(i, &Step { reads: &[ncrit], ..Step::write(ncrit, count) });
                ControlState::Inside(step + 1)
            }
            ControlState::Inside(2) => {
                simulation.step(i, &Step::write(inside[i], false));
                ControlState::Inside(3)
            }
            ControlState::Inside(_) => {
                levels[i] = 0;
                simulation.step(i, &Step::write(level[i], 0));
                ControlState::Working(rng.usize(0..processes))
            }
        };
    }
    simulation.finish()
}
