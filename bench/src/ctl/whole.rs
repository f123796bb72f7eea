//! The time and memory of a whole process that reads a trace from a file and checks a formula.

use std::path::Path;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use otus_ctl::{Checker, Options};
use otus_papers::ctl::formulas;
use otus_syntax::Source;
use otus_trace::order::{Writes, pot};

use crate::measure::{in_child, peak_bytes};

#[derive(Debug, Clone, Copy)]
pub(super) struct ProcessRun {
    /// Processor time, from its start to the answer.
    pub(super) processor: Duration,
    /// Processor time until the trace was read.
    pub(super) reading: Duration,
    /// Wall time, from its start to its end.
    pub(super) wall: Duration,
    /// Peak memory in bytes.
    pub(super) bytes: u64,
    pub(super) holds: bool,
}

/// Checks a formula over a file in a child process: the best of three runs.
pub(super) fn run(file: &Path, formula: &str) -> Option<ProcessRun> {
    let mut best: Option<ProcessRun> = None;
    for _ in 0..3 {
        let next = one(file, formula)?;
        if best.is_none_or(|best| next.processor < best.processor) {
            best = Some(next);
        }
    }
    best
}

fn one(file: &Path, formula: &str) -> Option<ProcessRun> {
    let start = Instant::now();
    let text = in_child(["ctl-whole".as_ref(), file.as_os_str(), formula.as_ref()])?;
    let wall = start.elapsed();
    let numbers: Vec<u64> =
        text.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let &[processor, reading, bytes, holds] = numbers.as_slice() else { return None };
    Some(ProcessRun {
        processor: Duration::from_nanos(processor),
        reading: Duration::from_nanos(reading),
        wall,
        bytes,
        holds: holds == 1,
    })
}

/// The child process: prints the numbers of a [`ProcessRun`].
pub(crate) fn measure(file: &Path, formula: &str) {
    let Ok(text) = std::fs::read_to_string(file) else { return };
    let source = Source::new(file.display().to_string(), text);
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
