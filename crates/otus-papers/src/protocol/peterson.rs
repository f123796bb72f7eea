//! Peterson's mutual exclusion for two processes.
//!
//! ```text
//! loop   work                    (some local events)
//!        flag_i := true
//!        turn := j
//!        await !flag_j | turn = i
//!        in_i := true            (in the event of the successful test)
//!        ncrit := ncrit + 1      (counts the processes in the critical section)
//!        ncrit := ncrit − 1
//!        in_i := false
//!        flag_i := false
//! ```

use otus_trace::order::PartialOrder;

use super::simulation::{Simulation, Step};
use super::{Scheduler, work};

/// The maximum number of local events in a round.
const WORK: usize = 4;

pub(super) fn trace(events: usize, rng: &mut fastrand::Rng) -> PartialOrder {
    let mut simulation = Simulation::new(2);
    let flag = simulation.variables("flag", false);
    let inside = simulation.variables("in", false);
    let own = simulation.variables("work", 0);
    let turn = simulation.variable("turn", 0);
    let ncrit = simulation.variable("ncrit", 0);
    let mut scheduler = Scheduler { now: 0, stay: 900 };
    let mut place = [0_usize; 2];
    let mut left = [rng.usize(0..=WORK), rng.usize(0..=WORK)];
    let (mut flags, mut turn_now, mut count) = ([false; 2], 0, 0_i64);
    while simulation.events() < events {
        let waits = |i: usize| place[i] == 2 && flags[1 - i] && turn_now != i;
        let Some(i) = scheduler.next(2, rng, |i| !waits(i)) else { break };
        match place[i] {
            0 if left[i] > 0 => {
                left[i] -= 1;
                work(&mut simulation, i, own[i], left[i]);
                continue;
            }
            0 => {
                flags[i] = true;
                simulation.step(i, &Step::write(flag[i], true));
            }
            1 => {
                turn_now = 1 - i;
                simulation.step(i, &Step::write(turn, i64::from(i == 0)));
            }
            2 => {
                // `turn` is read only if `flag_j` does not decide the test.
                let reads = [flag[1 - i], turn];
                let reads = if flags[1 - i] { &reads[..] } else { &reads[..1] };
                simulation.step(i, &Step { reads, ..Step::write(inside[i], true) });
            }
            3 | 4 => {
                count += if place[i] == 3 { 1 } else { -1 };
                simulation.step(i, &Step { reads: &[ncrit], ..Step::write(ncrit, count) });
            }
            5 => {
                simulation.step(i, &Step::write(inside[i], false));
            }
            _ => {
                flags[i] = false;
                simulation.step(i, &Step::write(flag[i], false));
                left[i] = rng.usize(0..=WORK);
                place[i] = 0;
                continue;
            }
        }
        place[i] += 1;
    }
    simulation.finish()
}
