//! The fast engine at work: `-- engine`, or `-- engine --full`, or `-- engine long sat` for some of it.
//!
//! - [`random`]: many small multi-traces of random interactions, beside `graph` and beside recorded
//!   times of the peer;
//! - [`use_cases`]: the use cases of the papers;
//! - [`long`]: from a hundred events to ten million;
//! - [`slices`]: the interactions of the slices paper, and long slices that are right or wrong;
//! - [`sat`]: formulas, beside two solvers;
//! - [`end_to_end`]: a file of a hundred thousand cases through the program itself;
//! - [`peer`]: the peer, if `OTUS_HIBOU` names its program.
//!
//! Everything but the times follows from a seed. Each analysis has a budget and each table has one,
//! so that a slow engine gives a short table, not a lost afternoon. At the end stands what was to be
//! reached and what was.

pub(crate) mod checks;
mod end_to_end;
mod long;
mod memory;
mod once;
mod peer;
mod random;
mod sat;
mod sets;
mod slices;
pub(crate) mod timing;
mod use_cases;
mod walk;

use std::time::Duration;

use otus_analysis::Question;
use otus_analysis::budget::Budget;
use otus_trace::MultiTrace;

use crate::size::Size;

pub(crate) use memory::measure;
pub(crate) use once::once;

/// Where all randomness comes from.
const SEED: u64 = 2026;

/// The questions, from the strongest to the weakest.
const QUESTIONS: [Question; 4] =
    [Question::ACCEPT, Question::GlobalPrefix, Question::MULTI_PREFIX, Question::SLICE];

impl Size {
    /// How long one table may take.
    fn patience(self) -> Duration {
        Duration::from_secs(self.pick(30, 120))
    }

    /// What one analysis may use. It must not end an analysis that only has a lot to read.
    fn budget(self, trace: &MultiTrace) -> Budget {
        Budget {
            max_states: Some(500_000 + 64 * trace.len() as u64),
            timeout: Some(Duration::from_secs(self.pick(2, 20))),
            ..Budget::default()
        }
    }
}

/// A part of the group.
type Part = fn(Size, &mut checks::Checks);

pub(crate) fn run(size: Size, wanted: &[String]) {
    let runs = |part: &str| wanted.is_empty() || wanted.iter().any(|name| name == part);
    println!("# The fast engine");
    println!();
    println!(
        "Seed {SEED}, one thread{}. Sums and means are processor time of that thread.",
        size.pick("", ", full size")
    );
    let mut checks = checks::Checks::default();
    let parts: [(&str, Part); 7] = [
        ("random", random::run),
        ("uses", use_cases::run),
        ("long", long::run),
        ("slices", slices::run),
        ("sat", sat::run),
        ("end", end_to_end::run),
        ("peer", peer::run),
    ];
    for (part, run) in parts {
        if runs(part) {
            run(size, &mut checks);
        }
    }
    checks.print();
}
