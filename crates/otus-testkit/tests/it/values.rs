//! Interactions with values: the two methods of the oracle against each other, the laws of the design, and the engine.
//!
//! `OTUS_VALUE_CASES` sets the number of cases of each comparison and `OTUS_VALUE_SEED` the first seed; a failing case is
//! shrunk and printed as text.
#![expect(clippy::print_stdout, reason = "the tests print how much was compared and skipped")]

mod compare;
mod engine;
mod examples;
mod graph;
mod laws;
mod letters;
mod methods;
mod refute;
mod walks;
mod witness;

/// The number of cases of a comparison.
fn cases(default: u64) -> u64 {
    crate::setting("OTUS_VALUE_CASES", default)
}

/// The random numbers of a case.
fn rng(test: u64, case: u64) -> fastrand::Rng {
    let seed: u64 = crate::setting("OTUS_VALUE_SEED", 0);
    fastrand::Rng::with_seed(
        seed.wrapping_mul(1_000_003).wrapping_add(test << 40).wrapping_add(case),
    )
}
