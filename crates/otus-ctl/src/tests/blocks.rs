//! The intervals of a machine are computed in blocks, of two points each in tests. Wherever a block ends, the set of a formula
//! is the one that a visit to every cut finds.

use otus_trace::order::{Builder, Happened, PartialOrder, ProcessId, Writes};

use super::checker;
use crate::{Arrangement, Engine, Options};

/// Processes that write variables of their own (`x0`, `x1`, …) and a shared one (`s`), and send each other messages.
fn random_trace(rng: &mut fastrand::Rng) -> PartialOrder {
    let mut builder = Builder::default();
    let count = rng.usize(1..=3);
    let processes: Vec<ProcessId> = (0..count).map(|i| builder.process(&format!("p{i}"))).collect();
    builder.initial("s", 0);
    for other in 0..3 {
        builder.initial(&format!("x{other}"), 0);
    }
    let mut happened: Vec<Happened> = Vec::new();
    let mut written: Option<Happened> = None;
    let chatter = rng.f64();
    for _ in 0..rng.usize(1..=26) {
        let process = rng.usize(..count);
        let mut event =
            builder.event(processes[process]).label(["send", "receive"][rng.usize(..2)]);
        if rng.u8(..3) > 0 {
            event = event.set(&format!("x{process}"), rng.i64(0..4));
        }
        let writes = rng.bool();
        if writes {
            event = event.set("s", rng.i64(0..3));
        }
        let at = event.at();
        if let Some(before) = written.filter(|_| writes) {
            builder.edge(before, at);
        }
        if rng.f64() < chatter && !happened.is_empty() {
            builder.edge(happened[rng.usize(..happened.len())], at);
        }
        written = if writes { Some(at) } else { written };
        happened.push(at);
    }
    builder.finish(Writes::Checked).expect("edges go forward, and writes are ordered")
}

#[test]
fn sets_are_the_same_wherever_blocks_end() {
    let formulas = [
        "s = 1",
        "s < x0",
        "x0 - x1 > s",
        "x0 + x1 + x2 = 3 | s != 2",
        "count(p0) - count(p0.send) <= s",
        "x0 = x1 <-> s > x2",
        "EF(x0 > s)",
        "AG(x0 = 1 -> AF s = 0)",
        "E[x0 <= s + 1 U x1 = x0]",
        "AX(s = 0 | x0 < 2) & EX true",
        "EG(x0 + x1 < 5 & (s = 0 -> EF s = 2))",
    ];
    let mut rng = fastrand::Rng::with_seed(17);
    for round in 0..300 {
        let trace = random_trace(&mut rng);
        for formula in formulas {
            let with = |engine: Engine, arrangement: Arrangement| {
                let (mut checker, wanted) = checker(&trace, formula);
                let options = Options { engine, arrangement, ..Options::default() };
                let holds = checker.check(wanted, &options).expect("no limits").holds;
                (holds, checker.count(wanted, &options).expect("no limits"))
            };
            let expected = with(Engine::Explicit, Arrangement::Given);
            for arrangement in [Arrangement::Given, Arrangement::Greedy] {
                for engine in [Engine::Interval, Engine::Auto] {
                    let found = with(engine, arrangement);
                    assert_eq!(found, expected, "{round}, {engine:?}, {arrangement:?}: {formula}");
                }
            }
        }
    }
}
