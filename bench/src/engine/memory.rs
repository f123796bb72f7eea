//! The memory that an analysis takes beside the multi-trace.
//!
//! Each analysis runs in a child process, which makes the multi-trace, resets its peak memory, and analyses. The
//! result is the difference between the new peak and the memory before. The system counts in pages, so small
//! results are rounded up. The time limit is far longer than an analysis should need, because the memory of an analysis
//! that was cut short says nothing.

use std::time::Duration;

use cpu_time::ThreadTime;
use otus_analysis::budget::Budget;
use otus_papers::statistics::number;

use super::long::{LongTrace, workloads};
use super::{QUESTIONS, Size};
use crate::measure::{head, in_child, peak_bytes, reset_peak};
use crate::targets::Targets;

pub(super) fn run(size: Size, targets: &mut Targets) {
    let actions: usize = size.pick(1_000_000, 10_000_000);
    println!(
        "\nMegabytes beside the multi-trace, at {actions} actions, whole analyses; `!` is undecided after {} s:\n",
        TIME_LIMIT.as_secs()
    );
    head("model", "accept | global prefix | multi-prefix | slice");
    let mut worst: Option<f64> = Some(0.0);
    for workload in workloads() {
        let mut cells = Vec::new();
        for question in 0..QUESTIONS.len() {
            let found = in_process(workload.name, question, actions);
            if matches!(workload.name, "abp" | "network" | "sensor") {
                let decided = found.filter(|found| found.is_decided).map(|found| found.megabytes);
                worst = worst.zip(decided).map(|(worst, found)| worst.max(found));
            }
            cells.push(found.map_or("–".to_owned(), |found| {
                let mark = if found.is_decided { "" } else { " !" };
                format!("{:.1}{mark}", found.megabytes)
            }));
        }
        println!("| {} | {} |", workload.name, cells.join(" | "));
    }
    targets.add(
        format!("memory beside {actions} actions, abp/network/sensor, all questions"),
        "< 10 MB",
        worst.map_or("not known".to_owned(), |worst| format!("{worst:.1} MB")),
        worst.is_some_and(|worst| worst < 10.0),
    );
}

const TIME_LIMIT: Duration = Duration::from_mins(2);

#[derive(Debug, Clone, Copy)]
pub(super) struct Memory {
    pub(super) megabytes: f64,
    is_decided: bool,
}

/// The memory of one analysis; none if the system does not report it.
pub(super) fn in_process(model: &str, question: usize, actions: usize) -> Option<Memory> {
    let text = in_child(["engine-memory", model, &question.to_string(), &actions.to_string()])?;
    let (bytes, rest) = text.trim().split_once(' ')?;
    let bytes: usize = bytes.parse().ok()?;
    Some(Memory { megabytes: number(bytes) / 1e6, is_decided: !rest.starts_with("Inconclusive") })
}

/// The child process: prints the bytes, the verdict, the seconds and the states, or nothing if the system does not
/// report its memory.
pub(crate) fn measure(model: &str, question: usize, actions: usize) {
    let Some(LongTrace { model, trace, question }) = LongTrace::new(model, question, actions)
    else {
        return;
    };
    let budget = Budget { timeout: Some(TIME_LIMIT), ..Budget::default() };
    let Some(before) = reset_peak() else { return };
    let start = ThreadTime::now();
    let mut engine = model.engine(trace.partition());
    let outcome = engine.analyze(&trace, question, &budget);
    let elapsed = start.elapsed();
    let Some(peak) = peak_bytes() else { return };
    // The use of the engine keeps it alive until after the measurement.
    let tables = engine.bytes();
    println!(
        "{} {:?}, {:.2} s, {} states, {tables} bytes of tables",
        peak.saturating_sub(before),
        outcome.verdict,
        elapsed.as_secs_f64(),
        outcome.states
    );
}
