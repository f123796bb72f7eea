//! The workload as raw text logs, from the files to the verdict: `otus-bench values raw`.
//!
//! Two logs with a line for each event, as a client and a broker would write them, are written to a temporary folder with an
//! `otus.toml`. The library reads, maps and analyses them, as `otus analyze` does. Writing them is not measured.

use std::fmt::Write as _;
use std::path::Path;

use otus::{Project, Verdict};
use otus_papers::statistics::number;

use super::{Fault, Logs, MODEL, in_flight, position, workload};
use crate::measure::{Scratch, fastest, peak_bytes, reset_peak};
use crate::size::Size;
use crate::targets::Targets;

const SETTINGS: &str = r#"spec = "model.hsf"

[[source]]
files = ["*.log"]
format = "regex"
lifeline = "{file.stem}"

[[source.rule]]
match = '^(?<ts>\S+) \w+ (?<dir>sending|received) (?<message>\w+) mid (?<mid>\d+)'
dir = "{dir}"
message = "{message}"
time = "{ts}"
values = { mid = "{mid}" }
"#;

pub(super) fn raw(size: Size, targets: &mut Targets) {
    println!("\n## Raw text logs, from files to the verdict\n");
    println!("| exchanges | lines | MB | in flight | verdict | s | MB/s | ns/event | peak MB |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let none: Fault = |_| {};
    let wrong_id: Fault = |logs| {
        let at = position(&logs[0], 6);
        logs[0][at].id += 1;
    };
    let mut rows = vec![
        (100_000, 10, none, Verdict::Pass),
        (100_000, 65_535, none, Verdict::Pass),
        (100_000, 65_535, wrong_id, Verdict::Fail),
    ];
    if size.full {
        rows.push((1_000_000, 65_535, none, Verdict::Pass));
    }
    let mut wrong = 0;
    for (exchanges, window, fault, expected) in rows {
        let Some(scratch) = Scratch::new("values-raw") else { return };
        let mut logs = workload(exchanges, window, 42);
        fault(&mut logs);
        let (flight, events) = (in_flight(&logs), logs.iter().map(Vec::len).sum::<usize>());
        let bytes = match write(&scratch.0, &logs) {
            Ok(bytes) => bytes,
            Err(error) => return println!("Skipped: {error}."),
        };
        drop(logs);
        let before = reset_peak();
        let (elapsed, verdict) = fastest(3, || verdict(&scratch.0));
        let peak = peak_bytes().zip(before).map_or(0, |(peak, before)| (peak - before) >> 20);
        wrong += usize::from(verdict != Some(expected));
        let verdict = verdict.map_or_else(|| "none".to_owned(), |verdict| verdict.to_string());
        let seconds = elapsed.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "means to three digits")]
        let (megabytes, mean) = (bytes as f64 / 1e6, seconds * 1e9 / events as f64);
        println!(
            "| {} | {} | {megabytes:.0} | {} | {verdict} | {seconds:.2} | {:.0} | {mean:.0} | {peak} |",
            number(exchanges),
            number(events),
            number(flight),
            megabytes / seconds,
        );
    }
    targets.add("raw logs with a wrong verdict", "0", wrong, wrong == 0);
}

/// Writes the folder; returns how many bytes of logs it has.
fn write(folder: &Path, logs: &Logs) -> std::io::Result<usize> {
    std::fs::write(folder.join("model.hsf"), MODEL)?;
    std::fs::write(folder.join("otus.toml"), SETTINGS)?;
    let mut bytes = 0;
    for (side, log) in logs.iter().enumerate() {
        let name = ["client", "broker"][side];
        let mut text = String::new();
        for event in log {
            let message = event.symbol / 2;
            let packet = ["PUBLISH", "PUBREC", "PUBREL", "PUBCOMP"][message];
            let does = if message % 2 == side { "sending" } else { "received" };
            let (seconds, rest) = (event.time / 1_000_000_000, event.time % 1_000_000_000);
            let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
            let _ = writeln!(
                text,
                "2026-11-18T{hour:02}:{minute:02}:{second:02}.{rest:09}Z {name} {does} {packet} mid {}",
                event.id
            );
        }
        bytes += text.len();
        std::fs::write(folder.join(format!("{name}.log")), text)?;
    }
    Ok(bytes)
}

/// The verdict on the only group of the logs.
fn verdict(folder: &Path) -> Option<Verdict> {
    let outcomes = Project::open(folder).ok()?.check().ok()?;
    outcomes.cases.first().map(|case| case.verdict)
}
