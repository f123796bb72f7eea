//! A bounded, seeded run of every fuzz target, on any toolchain.

use std::path::Path;

use otus_testkit::fuzz::TARGETS;

/// `OTUS_FUZZ_COUNT=1000000 cargo test -p otus-testkit --test fuzz` runs longer, and
/// `OTUS_FUZZ_SEED=8` runs elsewhere.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[track_caller]
fn smoke(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    let count = usize::try_from(setting("OTUS_FUZZ_COUNT", 20_000)).expect("a count fits");
    target.smoke(count, setting("OTUS_FUZZ_SEED", 7));
}

/// A log goes through a whole plan, several times; a tenth of the inputs takes as long.
#[track_caller]
fn smoke_logs(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    let count = usize::try_from(setting("OTUS_FUZZ_COUNT", 20_000) / 10).expect("a count fits");
    target.smoke(count, setting("OTUS_FUZZ_SEED", 7));
}

/// What once broke a promise, in `fuzz/regressions/TARGET/`, keeps it now.
#[test]
fn regressions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions");
    let mut inputs = 0;
    for target in &TARGETS {
        let Ok(folder) = std::fs::read_dir(root.join(target.name)) else { continue };
        for entry in folder {
            target.keeps(&std::fs::read(entry.unwrap().path()).unwrap());
            inputs += 1;
        }
    }
    assert!(inputs > 0, "fuzz/regressions holds what was found");
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

#[test]
fn order() {
    smoke("order");
}

#[test]
fn formulas() {
    smoke("formulas");
}

#[test]
fn settings() {
    smoke_logs("settings");
}

#[test]
fn text_lines() {
    smoke_logs("text_lines");
}

#[test]
fn json_lines() {
    smoke_logs("json_lines");
}

#[test]
fn csv() {
    smoke_logs("csv");
}

#[test]
fn otlp() {
    smoke_logs("otlp");
}

#[test]
fn jaeger() {
    smoke_logs("jaeger");
}

#[test]
fn zipkin() {
    smoke_logs("zipkin");
}

#[test]
fn shiviz() {
    smoke_logs("shiviz");
}

#[test]
fn htf() {
    smoke_logs("htf");
}

#[test]
fn canonical() {
    smoke_logs("canonical");
}

#[test]
fn packed() {
    smoke_logs("packed");
}
