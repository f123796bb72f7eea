//! A bounded, seeded run of every fuzz target, on any toolchain.

use otus_testkit::fuzz::TARGETS;

/// `OTUS_FUZZ_COUNT=1000000 cargo test -p otus-testkit --test fuzz` runs longer.
fn count() -> usize {
    std::env::var("OTUS_FUZZ_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000)
}

#[track_caller]
fn smoke(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    target.smoke(count(), 7);
}

#[test]
fn spec() {
    smoke("spec");
}

#[test]
fn trace() {
    smoke("trace");
}

#[test]
fn mermaid() {
    smoke("mermaid");
}

#[test]
fn plantuml() {
    smoke("plantuml");
}

#[test]
fn markdown() {
    smoke("markdown");
}

#[test]
fn cases() {
    smoke("cases");
}
