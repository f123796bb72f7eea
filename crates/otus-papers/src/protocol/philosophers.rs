//! Dining philosophers, with shared variables for the forks.
//!
//! ```text
//! loop   thought_i               (some local events)
//!        state_i := hungry
//!        await fork = −1; fork := i     (the fork with the smaller number first, which avoids deadlock)
//!        await fork = −1; fork := i
//!        state_i := eat
//!        state_i := idle
//!        fork := −1
//!        fork := −1
//! ```
//!
//! Philosopher i has fork i on the right and fork i + 1 on the left.

use otus_trace::order::{PartialOrder, Value};

use super::simulation::{Simulation, Step};
use super::{Scheduler, work};

/// The maximum number of local events between meals.
const THOUGHTS: usize = 2;

pub(super) fn trace(processes: usize, events: usize, rng: &mut fastrand::Rng) -> PartialOrder {
    let mut simulation = Simulation::new(processes);
    let state = simulation.variables("state", "idle");
    let fork = simulation.variables("fork", -1);
    let own = simulation.variables("thought", 0);
    let [idle, hungry, eat] = ["idle", "hungry", "eat"].map(Value::from);
    let mut scheduler = Scheduler { now: 0, stay: 300 };
    let mut place = vec![0_usize; processes];
    let mut left: Vec<usize> = (0..processes).map(|_| rng.usize(0..=THOUGHTS)).collect();
    let mut is_free = vec![true; processes];
    let forks = |i: usize| {
        let (a, b) = (i, (i + 1) % processes);
        [a.min(b), a.max(b)]
    };
    while simulation.events() < events {
        let can = |i: usize| match place[i] {
            taking @ (1 | 2) => is_free[forks(i)[taking - 1]],
            _ => true,
        };
        let Some(i) = scheduler.next(processes, rng, can) else { break };
        if place[i] == 0 && left[i] > 0 {
            left[i] -= 1;
            work(&mut simulation, i, own[i], left[i]);
            continue;
        }
        let holder = i64::try_from(i).unwrap_or(i64::MAX);
        let (variable, value) = match place[i] {
            0 => (state[i], hungry.clone()),
            at @ (1 | 2) => (fork[forks(i)[at - 1]], holder.into()),
            3 => (state[i], eat.clone()),
            4 => (state[i], idle.clone()),
            at => (fork[forks(i)[at - 5]], (-1).into()),
        };
        let reads = [variable];
        let reads = if matches!(place[i], 1 | 2) { &reads[..] } else { &[] };
        simulation.step(i, &Step { reads, ..Step::write(variable, value) });
        match place[i] {
            at @ (1 | 2) => is_free[forks(i)[at - 1]] = false,
            at @ (5 | 6) => is_free[forks(i)[at - 5]] = true,
            _ => {}
        }
        place[i] += 1;
        if place[i] == 7 {
            place[i] = 0;
            left[i] = rng.usize(0..=THOUGHTS);
        }
    }
    simulation.finish()
}
