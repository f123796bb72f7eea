//! Peterson's mutual exclusion for n processes: n − 1 levels, at each of which one waits.
//!
//! ```text
//! loop   work                    (up to n − 1 events of its own)
//!        for l in 1..n:  level_i := l
//!                        last_l := i
//!                        await no other j has level_j ≥ l | last_l ≠ i
//!        in_i := true, ncrit := ncrit + 1, ncrit := ncrit − 1, in_i := false
//!        level_i := 0
//! ```

use otus_trace::order::PartialOrder;

use super::world::{Step, Variable, World};
use super::{Turns, work};

/// Where a process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Working(usize),
    /// About to take, to sign, to pass a level.
    Takes(usize),
    Signs(usize),
    Passes(usize),
    /// The steps inside and out.
    Inside(usize),
}

pub(super) fn trace(processes: usize, events: usize, rng: &mut fastrand::Rng) -> PartialOrder {
    let mut world = World::new(processes);
    let level = world.variables("level", 0);
    let inside = world.variables("in", false);
    let own = world.variables("work", 0);
    let last: Vec<Variable> =
        (0..processes).map(|at| world.variable(format!("last{at}"), -1)).collect();
    let ncrit = world.variable("ncrit", 0);
    // The more there are, the more often another one runs.
    let stay = 1000_usize.saturating_sub(10 * processes).max(500);
    let mut turns = Turns::new(u32::try_from(stay).unwrap_or(0));
    let mut places = vec![Place::Working(0); processes];
    let mut levels = vec![0_usize; processes];
    let mut signed: Vec<Option<usize>> = vec![None; processes];
    let mut count = 0_i64;
    let integer = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
    while world.events() < events {
        let is_alone =
            |i: usize, at: usize| levels.iter().enumerate().all(|(j, &other)| j == i || other < at);
        let can = |i: usize| match places[i] {
            Place::Passes(at) => signed[at] != Some(i) || is_alone(i, at),
            Place::Working(_) | Place::Takes(_) | Place::Signs(_) | Place::Inside(_) => true,
        };
        let Some(i) = turns.next(processes, rng, can) else { break };
        let write = |variable, value| Step { writes: Some((variable, value)), ..Step::default() };
        places[i] = match places[i] {
            Place::Working(left) if left > 0 => {
                work(&mut world, i, own[i], left);
                Place::Working(left - 1)
            }
            Place::Working(_) => {
                levels[i] = 1;
                world.step(i, &write(level[i], 1.into()));
                Place::Signs(1)
            }
            Place::Takes(at) => {
                levels[i] = at;
                world.step(i, &write(level[i], integer(at).into()));
                Place::Signs(at)
            }
            Place::Signs(at) => {
                signed[at] = Some(i);
                world.step(i, &write(last[at], integer(i).into()));
                Place::Passes(at)
            }
            Place::Passes(at) => {
                // The signature is read only if the levels did not decide.
                let others = (0..processes).filter(|&j| j != i).map(|j| level[j]);
                let signature = (!is_alone(i, at)).then_some(last[at]);
                let reads: Vec<Variable> = others.chain(signature).collect();
                let is_last = at + 1 >= processes;
                let step = if is_last {
                    write(inside[i], true.into())
                } else {
                    write(own[i], integer(at % 10).into())
                };
                world.step(i, &Step { reads: &reads, ..step });
                if is_last { Place::Inside(0) } else { Place::Takes(at + 1) }
            }
            Place::Inside(step @ (0 | 1)) => {
                count += if step == 0 { 1 } else { -1 };
                world.step(i, &Step { reads: &[ncrit], ..write(ncrit, count.into()) });
                Place::Inside(step + 1)
            }
            Place::Inside(2) => {
                world.step(i, &write(inside[i], false.into()));
                Place::Inside(3)
            }
            Place::Inside(_) => {
                levels[i] = 0;
                world.step(i, &write(level[i], 0.into()));
                Place::Working(rng.usize(0..processes))
            }
        };
    }
    world.finish()
}
