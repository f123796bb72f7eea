//! A case file through the `otus` program: reading, checking, printing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use otus_papers::statistics::number;
use otus_papers::workload::Model;
use otus_papers::workload::model::Texts;

use super::sets::{Sample, derived};
use super::use_cases::MODELS;
use super::{SEED, Size};
use crate::measure::{Scratch, head};
use crate::targets::Targets;

const CASES: usize = 100_000;

pub(super) fn run(_: Size, targets: &mut Targets) {
    println!("\n## End to end\n");
    let program = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join("otus")));
    let Some(program) = program.filter(|program| program.is_file()) else {
        println!("Skipped: `otus` is not beside this program; `cargo build --release` builds it.");
        return;
    };
    println!(
        "{CASES} multi-traces in one file (accepted ones, parts and mutants) through `otus analyze … \
         --format jsonl --jobs 1`; the best of three.\n"
    );
    head("model | question", "bytes read | bytes printed | cases each second");
    let Some(Scratch(folder)) = &Scratch::new("bench") else { return };
    let mut slowest = f64::MAX;
    for (name, texts) in MODELS {
        let Some(files) = write(folder, name, texts) else {
            println!("Skipped: cannot write to {}.", folder.display());
            break;
        };
        for observed in ["complete", "global-prefix", "prefix", "slice"] {
            match measure(&program, &files, observed) {
                Ok(Throughput { rate, read, printed }) => {
                    println!("| {name} | {observed} | {read} | {printed} | {rate:.0} |");
                    slowest = slowest.min(rate);
                }
                Err(why) => {
                    println!("| {name} | {observed} | – | – | {why} |");
                    slowest = 0.0;
                }
            }
        }
    }
    targets.add(
        "cases from end to end, slowest question",
        "≥ 50000 a second",
        format!("{slowest:.0}"),
        (50_000.0..f64::MAX).contains(&slowest),
    );
}

fn write(folder: &Path, name: &str, texts: Texts<'_>) -> Option<[PathBuf; 3]> {
    let path = |ending: &str| folder.join(format!("{name}.{ending}"));
    std::fs::write(path("hsf"), texts.signature).ok()?;
    std::fs::write(path("hif"), texts.interaction).ok()?;
    let mut model = Model::new(texts);
    let sets = derived(&mut model, Sample { count: 1_000, length: 20 }, SEED, 2, name);
    let traces = sets.iter().flat_map(|set| &set.traces);
    let htfs: Vec<String> = traces.map(|trace| model.text(trace)).collect();
    let mut text = String::new();
    for number in 0..CASES {
        // The names of the models need no escapes in JSON.
        let _ = writeln!(text, r#"{{"id": "{number}", "htf": "{}"}}"#, htfs[number % htfs.len()]);
    }
    std::fs::write(path("jsonl"), text).ok()?;
    Some(["hsf", "hif", "jsonl"].map(path))
}

/// Cases per second, and the bytes of the case file and of the output.
struct Throughput {
    rate: f64,
    read: u64,
    printed: usize,
}

fn measure(program: &Path, files: &[PathBuf; 3], observed: &str) -> Result<Throughput, String> {
    let mut rate = 0.0_f64;
    let mut printed = 0;
    for _ in 0..3 {
        let mut command = Command::new(program);
        command.arg("analyze").args(files).args(["--observed", observed]);
        command.args(["--format", "jsonl", "--jobs", "1"]).stdin(Stdio::null());
        let start = Instant::now();
        let output = command.output().map_err(|error| error.to_string())?;
        let elapsed = start.elapsed();
        // 0 and 1 are verdicts, 3 is undecided; the rest are errors.
        if !matches!(output.status.code(), Some(0 | 1 | 3)) {
            let text = String::from_utf8_lossy(&output.stderr);
            return Err(text.lines().next().unwrap_or("it failed").to_owned());
        }
        printed = output.stdout.len();
        rate = rate.max(number(CASES) / elapsed.as_secs_f64());
        if elapsed.as_secs() > 20 {
            break;
        }
    }
    let read = std::fs::metadata(&files[2]).map_or(0, |data| data.len());
    Ok(Throughput { rate, read, printed })
}
