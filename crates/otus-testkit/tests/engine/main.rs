//! The fast engine gives the right verdicts.
//!
//! - [`small`]: against the oracle, on all small interactions, partitions and multi-traces;
//! - [`random`]: against the oracle on random larger ones, and, where the oracle gives up, on
//!   multi-traces whose answer is known by the way they were made;
//! - [`by_graph`]: against the papers' searches, where both decide;
//! - [`corpus`]: against the recorded verdicts of the peer and of a brute-force oracle;
//! - [`properties`]: against itself, where verdicts must be equal or follow from others;
//! - [`budgets`]: a search that is cut never claims what is not so.
//!
//! `OTUS_ENGINE_CASES` says about how many cases are tried in all; a case is an interaction, a
//! partition, a multi-trace and a question. The default is for every day. For more:
//!
//! ```console
//! $ OTUS_ENGINE_CASES=4000000 cargo test --release -p otus-testkit --test engine -- --nocapture
//! ```
//!
//! tries every case of the small scopes and fills up with random ones. `OTUS_ENGINE_SEED` gives
//! other random ones. A wrong verdict is printed as texts, the smallest first.
#![expect(clippy::print_stdout, reason = "how much was compared, and what was skipped, is said")]

mod budgets;
mod by_graph;
mod compare;
mod corpus;
mod properties;
mod random;
mod small;

use otus_analysis::engine::Options;

/// How many cases all tests together try by default.
const CASES: u64 = 200_000;

/// A share of the cases, in percent.
fn cases(percent: u64) -> u64 {
    let all = std::env::var("OTUS_ENGINE_CASES").ok().and_then(|text| text.parse().ok());
    (all.unwrap_or(CASES) * percent / 100).max(1)
}

/// Where randomness comes from; each test has its own number.
fn rng(test: u64) -> fastrand::Rng {
    let seed = std::env::var("OTUS_ENGINE_SEED").ok().and_then(|text| text.parse().ok());
    fastrand::Rng::with_seed(seed.unwrap_or(0_u64).wrapping_mul(1_000) + test)
}

/// Some switches on, some off. All are listed, so that a new one is not forgotten here.
fn random_options(rng: &mut fastrand::Rng) -> Options {
    Options {
        relax: rng.bool(),
        look_ahead: rng.bool(),
        decompose: rng.bool(),
        stubborn: rng.bool(),
        erase: rng.bool(),
        absorb: rng.bool(),
        solver: rng.bool(),
    }
}
