//! Measurements of the fast engine: `otus-bench engine`.
//!
//! - [`random`]: many small multi-traces of random interactions, beside `graph` and beside recorded
//!   times of `hibou_label`;
//! - [`use_cases`]: the use cases of the papers;
//! - [`long`]: from a hundred events to ten million;
//! - [`sessions`]: parallel sessions, all of them in flight;
//! - [`slices`]: the interactions of the slices paper, and long slices that are right or wrong;
//! - [`sat`]: 3-SAT formulas, beside two solvers;
//! - [`end_to_end`]: a file of a hundred thousand cases through the `otus` program;
//! - `compared`: the cases of `otus-bench compare`;
//! - [`hibou`]: `hibou_label` itself, if `OTUS_HIBOU` names its program.
//!
//! Everything but the times follows from a seed. Each analysis and each table has a time limit, so a slow engine
//! gives a shorter table instead of a run that takes hours. The last table compares with the targets.

mod compared;
mod end_to_end;
mod hibou;
mod long;
mod memory;
mod once;
mod random;
mod sat;
mod sessions;
mod sets;
mod slices;
mod timing;
mod use_cases;
mod walk;

use std::time::Duration;

use otus_analysis::budget::Budget;
use otus_analysis::config::{Config, Kind, Simulation};
use otus_analysis::{Question, Verdict};
use otus_trace::MultiTrace;

use crate::size::Size;
use crate::targets::run_parts;

pub(crate) use compared::compared;
pub(crate) use memory::measure;
pub(crate) use once::{Once, once};
pub(crate) use walk::part;

const SEED: u64 = 2026;

/// The papers' searches for the questions, with memoization and at most so many nodes.
fn searches(nodes: u64) -> [Config; 4] {
    let kinds =
        [Kind::Accept, Kind::Prefix, Kind::Eliminate, Kind::Simulate(Simulation::default())];
    kinds.map(|kind| Config {
        kind,
        memoize: true,
        goal: Some(Verdict::WeakPass),
        budget: Budget { max_states: Some(nodes), ..Budget::default() },
        ..Config::default()
    })
}

/// The questions, from the strongest to the weakest.
const QUESTIONS: [Question; 4] =
    [Question::ACCEPT, Question::GlobalPrefix, Question::MULTI_PREFIX, Question::SLICE];

impl Size {
    fn table_limit(self) -> Duration {
        Duration::from_secs(self.pick(30, 120))
    }

    /// The budget of one analysis. It grows with the trace, so that it never ends an analysis that only has much to read.
    fn budget(self, trace: &MultiTrace) -> Budget {
        Budget {
            max_states: Some(500_000 + 64 * trace.len() as u64),
            timeout: Some(Duration::from_secs(self.pick(2, 20))),
            ..Budget::default()
        }
    }
}

pub(crate) fn run(size: Size, wanted: &[String]) {
    println!("# The fast engine\n");
    println!(
        "Seed {SEED}, one thread{}. Sums and means are processor time of that thread.",
        size.pick("", ", full size")
    );
    run_parts(
        size,
        wanted,
        &[
            ("random", random::run),
            ("uses", use_cases::run),
            ("long", long::run),
            ("sessions", sessions::run),
            ("slices", slices::run),
            ("sat", sat::run),
            ("end", end_to_end::run),
            ("peer", hibou::run),
        ],
    );
}
