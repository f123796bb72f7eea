//! The program `hibou_label` on the same cases, if `OTUS_HIBOU` names it.
//!
//! It is called as its authors describe: `analyze SIGNATURE INTERACTION TRACE OPTIONS`. The time of its search, which
//! it prints, counts; if its output has none, the time of the whole process counts, and the table says so.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use otus_syntax::print;
use otus_trace::{MultiTrace, raise};

use super::sets::{Sample, derived};
use super::timing::analyse;
use super::use_cases::{MODELS, asynchronous};
use super::{QUESTIONS, SEED, Size};
use crate::measure::{Scratch, nanoseconds, show, times};
use crate::targets::Targets;

/// Its options for our four questions.
const KINDS: [&str; 4] = [
    "accept",
    "prefix",
    "eliminate",
    "simulate[before = true, loop max depth, act max num, reset = true, multiply = false]",
];

pub(super) fn run(size: Size, _: &mut Targets) {
    println!("\n## hibou_label\n");
    let Some(program) = std::env::var_os("OTUS_HIBOU") else {
        println!("Skipped: `OTUS_HIBOU` names no program.");
        return;
    };
    let program = Path::new(&program);
    let Some(Scratch(folder)) = &Scratch::new("hibou") else { return };
    println!("The use cases without `<synch>`, accepted multi-traces, parts and mutants:\n");
    println!(
        "| model | question | multi-traces | hibou_label, total | engine, total | ratio | clock |"
    );
    println!("|---|---|--:|--:|--:|--:|---|");
    for (name, texts) in MODELS {
        let mut model = asynchronous(texts);
        let sets = derived(&mut model, Sample { count: 5, length: 30 }, SEED, 1, name);
        let traces: Vec<MultiTrace> = sets.into_iter().flat_map(|set| set.traces).collect();
        let interaction = texts.interaction.replace("<synch> ", "");
        for (question, kind) in QUESTIONS.iter().zip(KINDS) {
            let options = format!(
                "@analyze_option{{ analysis_kind = {kind}; strategy = DFS; memoize = true; goal = WeakPass }}"
            );
            let mut theirs = Duration::ZERO;
            let mut own_clock = true;
            let mut done = 0;
            let begin = Instant::now();
            for trace in &traces {
                let text = print::trace(&raise(trace, &model.pool));
                let Some((elapsed, is_own)) =
                    time(program, folder, [texts.signature, &interaction, &text, &options])
                else {
                    break;
                };
                theirs += elapsed;
                own_clock &= is_own;
                done += 1;
                if begin.elapsed() > size.table_limit() {
                    break;
                }
            }
            let mut engine = model.engine(&model.discrete());
            let ours = analyse(&mut engine, &traces[..done], question, size);
            let ours = nanoseconds(ours.total);
            println!(
                "| {name} | {} | {done} | {} | {} | {} | {} |",
                question.name(),
                show(nanoseconds(theirs)),
                show(ours),
                times(nanoseconds(theirs) / ours),
                if own_clock { "its own" } else { "the process" }
            );
        }
    }
}

/// The time of a call, and whether it is by the program's own clock; `None` if the program cannot be called. The texts are
/// the signature, the interaction, the multi-trace and the options.
fn time(program: &Path, folder: &Path, texts: [&str; 4]) -> Option<(Duration, bool)> {
    let names = ["x.hsf", "x.hif", "x.htf", "x.hcf"];
    for (name, text) in names.iter().zip(texts) {
        std::fs::write(folder.join(name), text).ok()?;
    }
    let mut command = Command::new(program);
    command.current_dir(folder).arg("analyze").args(names);
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let whole = start.elapsed();
    let text = String::from_utf8_lossy(&output.stdout);
    Some(own_time(&text).map_or((whole, false), |own| (own, true)))
}

/// The time after the word "elapsed" in the program's output.
fn own_time(text: &str) -> Option<Duration> {
    let line = text.lines().find(|line| line.to_lowercase().contains("elapsed"))?;
    let digits: String = line
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(|c| c.is_ascii_digit() || *c == '.' || *c == 'e' || *c == '-')
        .collect();
    let value: f64 = digits.parse().ok()?;
    let rest = line.to_lowercase();
    let scale = match () {
        () if rest.contains("µs") || rest.contains("micro") => 1e-6,
        () if rest.contains("ms") || rest.contains("milli") => 1e-3,
        () => 1.0,
    };
    Duration::try_from_secs_f64(value * scale).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_own_clock_is_found() {
        let check = |text: &str, seconds: Option<f64>| {
            assert_eq!(own_time(text), seconds.map(Duration::from_secs_f64), "{text}");
        };
        check("verdict: Pass\nelapsed time : 0.5\n", Some(0.5));
        check("Elapsed: 12 ms", Some(0.012));
        check("elapsed 250µs", Some(0.00025));
        check("nothing", None);
    }
}
