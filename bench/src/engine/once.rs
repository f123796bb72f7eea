//! One measurement by itself, for a profiler: `otus-bench engine-once`.
//!
//! ```console
//! $ otus-bench engine-once random theirs 4 5
//! $ otus-bench engine-once long abp 0 1000000 5
//! ```
//!
//! Questions are numbered as in [`QUESTIONS`]; 4 is the multi-prefix question with the goal WeakPass, as `hibou_label` was
//! asked. The measured code runs inside [`measured`], so `valgrind --tool=callgrind --toggle-collect='*measured*'`
//! counts nothing else.

use anyhow::Context as _;
use clap::Subcommand;
use cpu_time::ThreadTime;
use otus_analysis::{Question, Verdict};
use otus_papers::statistics::number;

use super::long::LongTrace;
use super::{QUESTIONS, Size, random};
use crate::measure::nanoseconds;

/// A measurement.
#[derive(Debug, Subcommand)]
pub(crate) enum Once {
    /// The multi-traces of a group of random interactions: nanoseconds for each multi-trace.
    Random {
        /// The group: theirs, like theirs, harder.
        group: String,
        /// The number of the question.
        question: usize,
        /// The number of runs, of which the best counts.
        runs: usize,
    },
    /// A long multi-trace of a model: nanoseconds for each action.
    Long {
        /// The model: abp, book, network, sensor, book16, twins.
        model: String,
        /// The number of the question.
        question: usize,
        /// The number of actions.
        actions: usize,
        /// The number of runs, of which the best counts.
        runs: usize,
    },
}

pub(crate) fn once(once: &Once) -> anyhow::Result<()> {
    let size = Size { full: true };
    let best = match *once {
        Once::Random { ref group, question, runs } => {
            let group = random::group(group).context("no group has this name")?;
            let (question, goal) = match QUESTIONS.get(question) {
                Some(question) => (question, Verdict::Pass),
                None => (&Question::MULTI_PREFIX, Verdict::WeakPass),
            };
            let run = |_| measured(|| random::mean(&group, question, goal, size));
            (0..runs).map(run).min_by(f64::total_cmp)
        }
        Once::Long { ref model, question, actions, runs } => {
            let LongTrace { model, trace, question } = LongTrace::new(model, question, actions)
                .context("no model has this name, or no question this number")?;
            let budget = size.budget(&trace);
            let run = || {
                let start = ThreadTime::now();
                let mut engine = model.engine(trace.partition());
                let outcome = engine.analyze(&trace, question, &budget);
                let elapsed = start.elapsed();
                println!(
                    "{:?}, {} states, {} bytes, {:?}",
                    outcome.verdict,
                    outcome.states,
                    engine.bytes(),
                    engine.counters()
                );
                nanoseconds(elapsed) / number(trace.len())
            };
            (0..runs).map(|_| measured(run)).min_by(f64::total_cmp)
        }
    };
    println!("{best:?}");
    Ok(())
}

/// The part that a profiler counts.
#[inline(never)]
fn measured<T>(work: impl FnOnce() -> T) -> T {
    work()
}
