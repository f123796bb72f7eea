//! All engines of `otus-ctl` give the answers of the definitions.
//!
//! - [`oracle`]: the oracle compared with itself and with paper 001;
//! - [`random`]: every engine compared with the oracle, on random traces and formulas;
//! - [`small`]: the same on all traces and formulas of a small scope;
//! - [`slicing`]: visible events alone compared with all events;
//! - [`witness`]: the runs that show answers; [`history`]: `at_most_one` compared with its definition;
//! - [`budgets`]: a check that reaches a limit says so; [`speed`]: the time per cut.
//!
//! `OTUS_CTL_CASES` is the number of random cases; a case is a trace and a formula. The default is small. For more:
//!
//! ```console
//! $ OTUS_CTL_CASES=100000 cargo test --release -p otus-testkit --test it ctl -- --nocapture
//! ```
//!
//! `OTUS_CTL_SEED` gives other cases. A wrong answer is printed with its trace, the smallest first.
#![expect(clippy::print_stdout, reason = "the tests print how much was compared")]

mod budgets;
mod compare;
mod history;
mod oracle;
mod random;
mod slicing;
mod small;
mod speed;
mod witness;

use crate::setting;

/// The default number of random cases.
const CASES: usize = 2_000;

fn cases(percent: usize) -> usize {
    (setting("OTUS_CTL_CASES", CASES) * percent / 100).max(1)
}

/// The random generator of a test; each test has its own number.
fn rng(test: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(setting("OTUS_CTL_SEED", 0_u64).wrapping_mul(1_000) + test)
}
