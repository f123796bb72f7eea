//! A case file through the program itself: reading, checking, printing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use otus_analysis::generate;
use otus_syntax::print;
use otus_trace::{MultiTrace, Partition, raise};

use super::checks::Checks;
use super::sets::derived;
use super::timing::number;
use super::use_cases::MODELS;
use super::{SEED, Size};
use otus_papers::workload::Model;

const CASES: usize = 100_000;

pub(super) fn run(_: Size, checks: &mut Checks) {
    println!();
    println!("## End to end");
    println!();
    let program = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join("otus")));
    let Some(program) = program.filter(|program| program.is_file()) else {
        println!("Left out: `otus` is not beside this program; `cargo build --release` makes it.");
        return;
    };
    println!(
        "{CASES} multi-traces in one file (accepted ones, parts and mutants) through `otus analyze … \
         --format jsonl --jobs 1`; the best of three."
    );
    println!();
    println!("| model | question | bytes read | bytes printed | cases each second |");
    println!("|---|---|--:|--:|--:|");
    let folder = std::env::temp_dir().join(format!("otus-bench-{}", std::process::id()));
    let mut slowest = f64::MAX;
    for (name, texts) in MODELS {
        let Some(files) = write(&folder, name, texts) else {
            println!("Left out: {} cannot be written.", folder.display());
            break;
        };
        for observed in ["complete", "global-prefix", "prefix", "slice"] {
            match measure(&program, &files, observed) {
                Ok((rate, read, printed)) => {
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
    // What cannot be removed is left to whoever cleans the folder for temporary files.
    let _ = std::fs::remove_dir_all(&folder);
    checks.add(
        "cases from end to end, slowest question",
        "≥ 50000 a second",
        format!("{slowest:.0}"),
        (50_000.0..f64::MAX).contains(&slowest),
    );
}

/// The files of a model: signature, interaction, cases.
fn write(folder: &Path, name: &str, texts: (&str, &str)) -> Option<[PathBuf; 3]> {
    std::fs::create_dir_all(folder).ok()?;
    let path = |ending: &str| folder.join(format!("{name}.{ending}"));
    std::fs::write(path("hsf"), texts.0).ok()?;
    std::fs::write(path("hif"), texts.1).ok()?;
    let mut model = Model::new(texts);
    let partition = Partition::discrete(model.pool.signature().lifeline_count());
    let global = generate::random(&mut model.pool.clone(), model.term, 1_000, 20, SEED);
    let accepted: Vec<MultiTrace> =
        global.iter().map(|trace| generate::project(&model.pool, &partition, trace)).collect();
    let sets = derived(&mut model, accepted, 2, name);
    let htfs: Vec<String> = sets
        .iter()
        .flat_map(|set| &set.traces)
        .map(|trace| print::trace_line(&raise(trace, &model.pool)))
        .collect();
    let mut text = String::new();
    for number in 0..CASES {
        // Names here have nothing that JSON would have to escape.
        let _ = writeln!(text, r#"{{"id": "{number}", "htf": "{}"}}"#, htfs[number % htfs.len()]);
    }
    std::fs::write(path("jsonl"), text).ok()?;
    Some(["hsf", "hif", "jsonl"].map(path))
}

/// Cases each second, bytes read and printed.
fn measure(
    program: &Path,
    files: &[PathBuf; 3],
    observed: &str,
) -> Result<(f64, u64, usize), String> {
    let mut best = 0.0_f64;
    let mut printed = 0;
    for _ in 0..3 {
        let mut command = Command::new(program);
        command.arg("analyze").args(files).args(["--observed", observed]);
        command.args(["--format", "jsonl", "--jobs", "1"]).stdin(Stdio::null());
        let start = Instant::now();
        let output = command.output().map_err(|error| error.to_string())?;
        let elapsed = start.elapsed();
        // 0 and 1 are verdicts, 3 is undecided.
        if !matches!(output.status.code(), Some(0 | 1 | 3)) {
            let text = String::from_utf8_lossy(&output.stderr);
            return Err(text.lines().next().unwrap_or("it failed").to_owned());
        }
        printed = output.stdout.len();
        best = best.max(number(CASES) / elapsed.as_secs_f64());
        if elapsed.as_secs() > 20 {
            break;
        }
    }
    let read = std::fs::metadata(&files[2]).map_or(0, |data| data.len());
    Ok((best, read, printed))
}
