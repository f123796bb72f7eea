//! One measurement by itself, for a profiler: `engine-once`.
//!
//! ```console
//! $ otus-bench engine-once random theirs 4 5      # a group, a question by number, how often
//! $ otus-bench engine-once long abp 0 1000000 5   # a model, a question, how many actions, how often
//! ```
//!
//! Questions are numbered as in [`QUESTIONS`]; 4 is the multi-prefix asked as the peer was asked. What is
//! measured happens inside [`measured`], so `valgrind --tool=callgrind --toggle-collect='*measured*'` counts
//! nothing else.

use cpu_time::ThreadTime;
use otus_analysis::engine::Options;
use otus_analysis::{Engine, Question, Verdict};

use super::long::{trace, workloads};
use super::timing::{nanoseconds, number};
use super::walk::Part;
use super::{QUESTIONS, Size, random};
use otus_papers::workload::Model;

/// Prints nanoseconds for each multi-trace or each action, the best of some runs.
pub(crate) fn once(arguments: &[String]) {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let size = Size { full: true };
    let best = match words.as_slice() {
        ["random", group, question, runs] => {
            let (Ok(question), Ok(runs)) = (question.parse::<usize>(), runs.parse::<usize>())
            else {
                return;
            };
            let asked = match QUESTIONS.get(question) {
                Some(question) => (question, Verdict::Pass),
                None => (&Question::MULTI_PREFIX, Verdict::WeakPass),
            };
            let Some(group) = random::group(group) else { return };
            let times = (0..runs).map(|_| measured(|| random::mean(&group, asked, size)));
            times.min_by(f64::total_cmp)
        }
        ["long", name, question, actions, runs] => {
            let (Ok(question), Ok(actions), Ok(runs)) =
                (question.parse::<usize>(), actions.parse::<usize>(), runs.parse::<usize>())
            else {
                return;
            };
            let (Some(asked), Some(&part)) = (QUESTIONS.get(question), Part::ALL.get(question))
            else {
                return;
            };
            let found = workloads().into_iter().find(|workload| workload.name == *name);
            let Some(workload) = found else { return };
            let model = Model::new(workload.texts);
            let trace = trace(&model, &workload, part, actions);
            let budget = size.budget(&trace);
            let one = || {
                let start = ThreadTime::now();
                let mut engine =
                    Engine::new(&model.pool, model.term, trace.partition(), Options::default());
                let outcome = engine.analyze(&trace, asked, &budget);
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
            (0..runs).map(|_| measured(one)).min_by(f64::total_cmp)
        }
        _ => None,
    };
    println!("{best:?}");
}

/// What a profiler looks at.
#[inline(never)]
fn measured<T>(work: impl FnOnce() -> T) -> T {
    work()
}
