//! All tests of the testkit except the literate cases (`tests/spec.rs`).
//!
//! They are one binary because tests of different modules then run in parallel, and the crates of the workspace are linked
//! once instead of 18 times.

mod automaton;
mod certify;
mod codes;
mod converted;
mod coupling;
mod ctl;
mod diagram_tables;
mod documents;
mod engine;
mod explain;
mod fuzz;
mod graph;

mod learn;
mod limits;
mod live;
mod live_values;
mod oracle;
mod ordered;
mod peers;
mod reference;
mod refute;
mod round_trip;
mod samples;
mod sat;
mod semantics;
mod solver;
mod values;

/// Whether `OTUS_SCOPE=large` asks for larger scopes, which take hours.
fn is_large() -> bool {
    std::env::var("OTUS_SCOPE").is_ok_and(|scope| scope == "large")
}

/// A number from an environment variable.
fn setting<T: std::str::FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
