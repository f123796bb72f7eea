//! The fast engine gives the right verdicts.
//!
//! It is compared with
//!
//! - [`small`]: the oracle, on all small interactions, partitions and multi-traces;
//! - [`random`]: the oracle, on random larger ones, and, where the oracle gives up, on multi-traces whose verdict follows from
//!   their construction;
//! - [`by_graph`]: the papers' searches, where both decide;
//! - [`corpus`]: recorded verdicts of `hibou_label` and of a brute-force oracle;
//! - [`properties`]: itself, where verdicts must be equal or follow from others;
//! - [`attacks`]: single cases that were once expensive;
//! - [`budgets`]: itself with a budget, under which it must not give a wrong verdict.
//!
//! `OTUS_ENGINE_CASES` is the approximate number of cases of all tests; a case is an interaction, a partition, a multi-trace and
//! a question. The default is small. For more:
//!
//! ```console
//! $ OTUS_ENGINE_CASES=4000000 cargo test --release -p otus-testkit --test it engine -- --nocapture
//! ```
//!
//! tries every case of the small scopes and adds random ones. `OTUS_ENGINE_SEED` gives other random cases. Wrong verdicts are
//! printed as texts, the smallest case first.
#![expect(clippy::print_stdout, reason = "the tests print how much was compared and skipped")]

mod attacks;
mod budgets;
mod by_graph;
pub(crate) mod compare;
mod corpus;
mod properties;
mod random;
mod sessions;
mod small;

use otus_analysis::engine::{Options, When};

use crate::setting;

/// The default number of cases of all tests together.
const CASES: u64 = 200_000;

/// A share of the cases, in percent.
fn cases(percent: u64) -> u64 {
    (setting("OTUS_ENGINE_CASES", CASES) * percent / 100).max(1)
}

/// The random generator of a test; each test has its own number.
fn rng(test: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(setting("OTUS_ENGINE_SEED", 0_u64).wrapping_mul(1_000) + test)
}

/// Random switches. All are listed, so that the compiler reports a new one.
fn random_options(rng: &mut fastrand::Rng) -> Options {
    let mut options = Options {
        relax: rng.bool(),
        look_ahead: rng.bool(),
        decompose: rng.bool(),
        stubborn: rng.bool(),
        erase: rng.bool(),
        absorb: rng.bool(),
        sessions: if rng.bool() { When::Always } else { When::Never },
        counting: if rng.bool() { When::Always } else { When::Never },
        places: When::Never,
        solver: rng.bool(),
    };
    // Both refute by single logs, and go together here.
    options.places = options.counting;
    options
}
