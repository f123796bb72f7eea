//! Growth of witnesses: an execution with its values is found, and a checker accepts it.
//!
//! The verdict is asked for first and not measured. Of the keyed workload the logs double five times, of the other
//! shapes four times.

use cpu_time::ThreadTime;
use otus_analysis::budget::Budget;
use otus_analysis::values::certify::{ValuedCase, certify};
use otus_analysis::values::{Clocks, ValueEngine};
use otus_analysis::{Question, Verdict};
use otus_core::{Pool, Valued};
use otus_papers::statistics::number;
use otus_trace::{Facts, MultiTrace};

use super::shapes::{LINEAR, SHAPES};
use super::{Model, workload};
use crate::measure::{Point, exponent, peak_bytes, reset_peak};
use crate::size::Size;
use crate::targets::Targets;

/// An engine, and logs with their values.
struct Case<'a> {
    pool: &'a Pool,
    valued: &'a Valued,
    engine: ValueEngine,
    trace: &'a MultiTrace,
    facts: &'a Facts,
}

/// What a witness took.
struct Measured {
    verdict: Verdict,
    /// Nanoseconds of processor time to find it, and to check it.
    found: f64,
    checked: f64,
    megabytes: f64,
    /// Whether there is one that holds.
    holds: bool,
}

impl Case<'_> {
    fn measure(&mut self, question: &Question) -> Measured {
        let Case { trace, facts, valued, .. } = *self;
        let clocks = Clocks::default();
        let limit = std::time::Duration::from_secs(40);
        let budget = Budget { timeout: Some(limit), ..Budget::default() };
        let verdict = self.engine.analyze(trace, facts, clocks, question, &budget).verdict;
        let mut pool = self.pool.clone();
        let before = reset_peak();
        let start = ThreadTime::now();
        let witness =
            self.engine.witness(&mut pool, trace, facts, clocks, None, question, verdict, &budget);
        let found = start.elapsed().as_secs_f64() * 1e9;
        let start = ThreadTime::now();
        let case = ValuedCase { valued, trace, facts, clocks };
        let holds =
            witness.is_some_and(|it| certify(&mut pool, case, (question, verdict), &it).is_ok());
        let checked = start.elapsed().as_secs_f64() * 1e9;
        let peak = peak_bytes().zip(before).map_or(0, |(peak, old)| peak.saturating_sub(old));
        #[expect(clippy::cast_precision_loss, reason = "a size to two digits")]
        let megabytes = peak as f64 / f64::from(1 << 20);
        Measured { verdict, found, checked, megabytes, holds }
    }
}

/// The rows so far, and the greatest exponent.
struct Table {
    worst: f64,
    missing: usize,
}

impl Table {
    fn row(
        &mut self,
        name: &str,
        question: &Question,
        cases: impl Iterator<Item = (usize, Option<Measured>)>,
    ) {
        let mut points = Vec::new();
        let mut last = None;
        for (events, measured) in cases {
            let Some(measured) = measured.filter(|it| it.holds || it.verdict < Verdict::WeakPass)
            else {
                self.missing += 1;
                println!("| {name} | {} | no witness | {events} | | | | |", question.name());
                break;
            };
            // Without a verdict there is nothing to witness.
            if !measured.holds {
                println!(
                    "| {name} | {} | {} | {events} | | | | |",
                    question.name(),
                    measured.verdict
                );
                break;
            }
            let value = measured.found + measured.checked;
            points.push(Point { events: number(events), value });
            last = Some((events, measured));
        }
        let Some((events, measured)) = last else { return };
        let Some(exponent) = exponent(&points) else { return };
        self.worst = self.worst.max(exponent);
        let Measured { verdict, found, checked, megabytes, .. } = measured;
        println!(
            "| {name} | {} | {verdict} | {events} | {:.0} | {:.0} | {megabytes:.0} | {exponent:.2} |",
            question.name(),
            found / number(events),
            checked / number(events),
        );
    }
}

pub(super) fn witness(size: Size, targets: &mut Targets) {
    println!("\n## Witnesses\n");
    println!(
        "| model | question | verdict | events | found in, ns/event | checked in, ns/event | MB | exponent |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut table = Table { worst: 0.0, missing: 0 };
    let most = if size.full { 125_000 } else { 12_500 };
    let Some(model) = Model::new() else { return };
    for (window, name) in [(100, "exchanges, 100 in flight"), (65_535, "exchanges, many in flight")]
    {
        for (question, cut) in [(Question::ACCEPT, false), (Question::MULTI_PREFIX, true)] {
            let cases = (0..=5).rev().map(|half| {
                let mut logs = workload(most >> half, window, 42);
                if cut {
                    let left = logs[0].len() * 7 / 10;
                    logs[0].truncate(left);
                }
                let (trace, facts) = model.trace(&logs);
                let measured = model.engine().map(|engine| {
                    let (pool, valued) = (&model.lowered.pool, &*model.valued);
                    Case { pool, valued, engine, trace: &trace, facts: &facts }.measure(&question)
                });
                (trace.len(), measured)
            });
            table.row(name, &question, cases);
        }
    }
    for shape in &SHAPES {
        for (question, cut) in [(Question::ACCEPT, false), (Question::MULTI_PREFIX, true)] {
            let cases = (0..5).map(|k| {
                let Some(prepared) = shape.prepare(size.pick(250, 8000) << k, cut) else {
                    return (0, None);
                };
                let (pool, valued) = (&prepared.pool, &*prepared.valued);
                let (trace, facts) = (&prepared.trace, &prepared.facts);
                let engine = prepared.engine;
                let mut case = Case { pool, valued, engine, trace, facts };
                (trace.len(), Some(case.measure(&question)))
            });
            table.row(shape.name, &question, cases);
        }
    }
    let Table { worst, missing } = table;
    targets.add(
        "greatest exponent of all witnesses",
        LINEAR,
        format!("{worst:.2}"),
        worst <= LINEAR,
    );
    targets.add("rows that end without a witness", "0", missing, missing == 0);
}
