//! The peer's program, `hibou_label`, on the same cases, if `OTUS_HIBOU` names it.
//!
//! It is called as its authors describe: `analyze SIGNATURE INTERACTION TRACE OPTIONS`. It prints
//! how long its search took, which is what counts here; if that is not found in what it prints, the
//! time of the whole process is taken, and said so.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use otus_analysis::engine::Options;
use otus_analysis::{Engine, generate};
use otus_syntax::print;
use otus_trace::{MultiTrace, Partition, raise};

use super::checks::Checks;
use super::sets::derived;
use super::timing::{Times, analyse, nanoseconds, show, times};
use super::use_cases::{MODELS, asynchronous};
use super::{QUESTIONS, SEED, Size};

/// Its options for our questions.
const KINDS: [&str; 4] = [
    "accept",
    "prefix",
    "eliminate",
    "simulate[before = true, loop max depth, act max num, reset = true, multiply = false]",
];

pub(super) fn run(size: Size, _: &mut Checks) {
    println!();
    println!("## The peer");
    println!();
    let Some(program) = std::env::var_os("OTUS_HIBOU") else {
        println!("Left out: `OTUS_HIBOU` names no program.");
        return;
    };
    let program = Path::new(&program);
    let folder = std::env::temp_dir().join(format!("otus-peer-{}", std::process::id()));
    if std::fs::create_dir_all(&folder).is_err() {
        println!("Left out: {} cannot be made.", folder.display());
        return;
    }
    println!("The use cases without `<synch>`, accepted multi-traces, parts and mutants:");
    println!();
    println!("| model | question | multi-traces | peer, total | engine, total | ratio | clock |");
    println!("|---|---|--:|--:|--:|--:|---|");
    for (name, texts) in MODELS {
        let mut model = asynchronous(texts);
        let partition = Partition::discrete(model.pool.signature().lifeline_count());
        let global = generate::random(&mut model.pool.clone(), model.term, 5, 30, SEED);
        let accepted: Vec<MultiTrace> =
            global.iter().map(|trace| generate::project(&model.pool, &partition, trace)).collect();
        let sets = derived(&mut model, accepted, 1, name);
        let traces: Vec<MultiTrace> = sets.into_iter().flat_map(|set| set.traces).collect();
        let interaction = texts.1.replace("<synch> ", "");
        for (question, kind) in QUESTIONS.iter().zip(KINDS) {
            let options = format!(
                "@analyze_option{{ analysis_kind = {kind}; strategy = DFS; memoize = true; goal = WeakPass }}"
            );
            let call = Call { program, folder: &folder, texts: [texts.0, &interaction, &options] };
            let mut theirs = Duration::ZERO;
            let mut own_clock = true;
            let mut done = 0;
            let begin = Instant::now();
            for trace in &traces {
                let text = print::trace(&raise(trace, &model.pool));
                let Some((elapsed, is_own)) = call.time(&text) else { break };
                theirs += elapsed;
                own_clock &= is_own;
                done += 1;
                if begin.elapsed() > size.patience() {
                    break;
                }
            }
            let mut engine = Engine::new(&model.pool, model.term, &partition, Options::default());
            let ours: Times = analyse(&mut engine, &traces[..done], question, size);
            let ours = nanoseconds(ours.total());
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
    let _ = std::fs::remove_dir_all(&folder);
}

/// The peer's program with everything but the multi-trace.
struct Call<'a> {
    program: &'a Path,
    folder: &'a Path,
    /// Signature, interaction, options.
    texts: [&'a str; 3],
}

impl Call<'_> {
    /// How long it takes, and whether that is by its own clock. `None` if it cannot be called.
    fn time(&self, trace: &str) -> Option<(Duration, bool)> {
        let names = ["x.hsf", "x.hif", "x.hcf"];
        for (name, text) in names.iter().zip(self.texts) {
            std::fs::write(self.folder.join(name), text).ok()?;
        }
        std::fs::write(self.folder.join("x.htf"), trace).ok()?;
        let mut command = Command::new(self.program);
        command.current_dir(self.folder).args(["analyze", "x.hsf", "x.hif", "x.htf", "x.hcf"]);
        let start = Instant::now();
        let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        let whole = start.elapsed();
        let text = String::from_utf8_lossy(&output.stdout);
        Some(own_time(&text).map_or((whole, false), |own| (own, true)))
    }
}

/// The number of seconds after the word "elapsed" in what it printed.
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
