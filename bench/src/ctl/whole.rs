//! Whole runs, each in a process of its own: a file is read, a formula checked, and what that took is told.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use otus_ctl::{Checker, Options};
use otus_syntax::Source;
use otus_trace::order::{Writes, pot};

use super::ask::formulas;
use crate::measure::peak_bytes;

/// What a process took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whole {
    /// On processors, from its start to the answer.
    pub(super) processor: Duration,
    /// Of that, until the trace was there.
    pub(super) reading: Duration,
    /// By the clock on the wall, from starting it to its end.
    pub(super) wall: Duration,
    /// The most memory it held, in bytes.
    pub(super) bytes: u64,
    pub(super) holds: bool,
}

/// Starts this program again for one file and formula: the best of some runs.
pub(super) fn run(file: &Path, formula: &str) -> Option<Whole> {
    let mut best: Option<Whole> = None;
    for _ in 0..3 {
        let next = one(file, formula)?;
        if best.is_none_or(|best| next.processor < best.processor) {
            best = Some(next);
        }
    }
    best
}

fn one(file: &Path, formula: &str) -> Option<Whole> {
    let program = std::env::current_exe().ok()?;
    let start = Instant::now();
    let output = Command::new(program).arg("ctl-whole").arg(file).arg(formula).output().ok()?;
    let wall = start.elapsed();
    let text = String::from_utf8(output.stdout).ok()?;
    let numbers: Vec<u64> =
        text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let &[processor, reading, bytes, holds] = numbers.as_slice() else { return None };
    Some(Whole {
        processor: Duration::from_nanos(processor),
        reading: Duration::from_nanos(reading),
        wall,
        bytes,
        holds: holds == 1,
    })
}

/// In that process.
pub(crate) fn measure(file: &str, formula: &str) {
    let Ok(text) = std::fs::read_to_string(file) else { return };
    let source = Source::new(file, text);
    let Ok(trace) = pot::read(&source, Writes::Checked) else { return };
    drop(source);
    let reading = since_start();
    let lowered = formulas(&trace, formula);
    let wanted = lowered.properties[0].formula;
    let mut checker = Checker::new(&trace, lowered.formulas);
    let Ok(answer) = checker.check(wanted, &Options::default()) else { return };
    let processor = since_start();
    let Some(bytes) = peak_bytes() else { return };
    println!("{} {} {bytes} {}", processor.as_nanos(), reading.as_nanos(), u8::from(answer.holds));
}

/// The processor time of this process so far.
fn since_start() -> Duration {
    ProcessTime::now().as_duration()
}
