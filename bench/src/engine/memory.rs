//! How much memory an analysis takes beside the multi-trace.
//!
//! Each is measured in a process of its own, which makes the multi-trace, lets the system forget
//! the peak so far, and analyses. What the peak then exceeds what there was before is the answer. It is in
//! pages of the system, so small ones are rounded up. The analysis has far more time than it should need: the
//! memory of one that was cut short says nothing.

use std::process::Command;
use std::time::Duration;

use cpu_time::ThreadTime;
use otus_analysis::Engine;
use otus_analysis::budget::Budget;
use otus_analysis::engine::Options;

use super::checks::Checks;
use super::long::{trace, workloads};
use super::timing::number;
use super::walk::Part;
use super::{QUESTIONS, Size};
use crate::measure::{peak_bytes, present_bytes};
use otus_papers::workload::Model;

pub(super) fn run(size: Size, checks: &mut Checks) {
    let actions: usize = size.pick(1_000_000, 10_000_000);
    println!();
    println!(
        "Megabytes beside the multi-trace, at {actions} actions, whole analyses; `!` is undecided after {} s:",
        PATIENCE.as_secs()
    );
    println!();
    println!("| model | accept | global prefix | multi-prefix | slice |");
    println!("|---|--:|--:|--:|--:|");
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
    checks.add(
        format!("memory beside {actions} actions, abp/network/sensor, all questions"),
        "< 10 MB",
        worst.map_or("not known".to_owned(), |worst| format!("{worst:.1} MB")),
        worst.is_some_and(|worst| worst < 10.0),
    );
}

/// How long an analysis may take here.
const PATIENCE: Duration = Duration::from_mins(2);

/// What one process said.
#[derive(Debug, Clone, Copy)]
struct Memory {
    megabytes: f64,
    is_decided: bool,
}

/// Starts this program again for one measurement.
fn in_process(model: &str, question: usize, actions: usize) -> Option<Memory> {
    let program = std::env::current_exe().ok()?;
    let mut command = Command::new(program);
    command.args(["engine-memory", model, &question.to_string(), &actions.to_string()]);
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (bytes, rest) = text.trim().split_once(' ')?;
    let bytes: usize = bytes.parse().ok()?;
    Some(Memory { megabytes: number(bytes) / 1e6, is_decided: !rest.starts_with("Inconclusive") })
}

/// In that process: prints the bytes, the verdict, the seconds and the states, or nothing if the system does
/// not tell.
pub(crate) fn measure(model: &str, question: &str, actions: &str) {
    let Some(workload) = workloads().into_iter().find(|workload| workload.name == model) else {
        return;
    };
    let (Ok(question), Ok(actions)) = (question.parse::<usize>(), actions.parse::<usize>()) else {
        return;
    };
    let (Some(asked), Some(&part)) = (QUESTIONS.get(question), Part::ALL.get(question)) else {
        return;
    };
    let model = Model::new(workload.texts);
    let trace = trace(&model, &workload, part, actions);
    let budget = Budget { timeout: Some(PATIENCE), ..Budget::default() };
    // 5: the peak is that of now.
    if std::fs::write("/proc/self/clear_refs", "5").is_err() {
        return;
    }
    let Some(before) = present_bytes() else { return };
    let start = ThreadTime::now();
    let mut engine = Engine::new(&model.pool, model.term, trace.partition(), Options::default());
    let outcome = engine.analyze(&trace, asked, &budget);
    let elapsed = start.elapsed();
    let Some(peak) = peak_bytes() else { return };
    // The engine lives until here, whatever a compiler may think of it.
    let tables = engine.bytes();
    drop(engine);
    println!(
        "{} {:?}, {:.2} s, {} states, {tables} bytes of tables",
        peak.saturating_sub(before),
        outcome.verdict,
        elapsed.as_secs_f64(),
        outcome.states
    );
}
