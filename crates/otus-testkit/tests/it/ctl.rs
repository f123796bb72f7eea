//! All engines of `otus-ctl` give the answers of the definitions.
//!
//! - [`oracle`]: the oracle against itself, and against what the paper says;
//! - [`random`]: every engine against the oracle, on random traces and formulas;
//! - [`small`]: the same on all traces and formulas of a small scope;
//! - [`slicing`]: visible events alone against all events;
//! - [`witness`]: what explains an answer does;
//! - [`budgets`]: a search that is cut says so; [`speed`]: what a cut costs.
//!
//! `OTUS_CTL_CASES` says how many random cases are tried; a case is a trace and a formula. The default is for every
//! day. For more:
//!
//! ```console
//! $ OTUS_CTL_CASES=100000 cargo test --release -p otus-testkit --test it ctl -- --nocapture
//! ```
//!
//! `OTUS_CTL_SEED` gives other ones. A wrong answer is printed with its trace, the smallest first.
#![expect(clippy::print_stdout, reason = "how much was compared is said")]

mod budgets;
mod compare;
mod oracle;
mod random;
mod slicing;
mod small;
mod speed;
mod witness;

use crate::setting;

/// How many random cases there are by default.
const CASES: usize = 2_000;

fn cases(percent: usize) -> usize {
    (setting("OTUS_CTL_CASES", CASES) * percent / 100).max(1)
}

/// Where randomness comes from; each test has its own number.
fn rng(test: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(setting("OTUS_CTL_SEED", 0_u64).wrapping_mul(1_000) + test)
}
