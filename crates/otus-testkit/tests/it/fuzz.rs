//! A bounded, seeded run of every fuzz target, on any toolchain.
//!
//! `OTUS_FUZZ_COUNT=1000000 cargo test -p otus-testkit --test it fuzz` runs longer, and `OTUS_FUZZ_SEED=8` tries other inputs.

use std::path::Path;

use otus_testkit::fuzz::{TARGETS, Target};

use crate::setting;

/// One test for each target, so that they run in parallel.
macro_rules! targets {
    ($($name:ident)*) => {
        const TESTED: &[&str] = &[$(stringify!($name)),*];
        $(#[test]
        fn $name() {
            smoke(stringify!($name));
        })*
    };
}

targets! {
    spec trace mermaid plantuml markdown cases order formulas dimacs
    settings text_lines json_lines csv otlp jaeger zipkin detect shiviz htf canonical packed
}

#[track_caller]
fn smoke(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    let count = setting("OTUS_FUZZ_COUNT", 20_000);
    // A log goes through a whole plan, several times: a tenth of the inputs takes as long.
    let count = if target.is_log { count / 10 } else { count };
    target.smoke(count, setting("OTUS_FUZZ_SEED", 7));
}

/// Targets whose promises are those of other crates, which have their tests.
const ELSEWHERE: [&str; 2] = ["lsp", "parquet"];

#[test]
fn every_target_has_a_test_and_a_libfuzzer_target() {
    let names = TARGETS.map(|target: Target| target.name);
    assert_eq!(names, TESTED);
    let manifest = std::fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    let readme = std::fs::read_to_string(fuzz().join("README.md")).unwrap();
    let files = std::fs::read_dir(fuzz().join("fuzz_targets")).unwrap().count();
    assert_eq!(
        files,
        names.len() + ELSEWHERE.len(),
        "fuzz/fuzz_targets has a file for each target"
    );
    for name in names.into_iter().chain(ELSEWHERE) {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
        assert!(readme.contains(&format!("`{name}`")), "fuzz/README.md does not list {name}");
    }
}

/// Inputs that once broke a promise, in `fuzz/regressions/TARGET/`, keep it now.
#[test]
fn regressions() {
    let mut inputs = 0;
    for target in &TARGETS {
        let folder = fuzz().join("regressions").join(target.name);
        let Ok(folder) = std::fs::read_dir(folder) else { continue };
        for entry in folder {
            target.keeps(&std::fs::read(entry.unwrap().path()).unwrap());
            inputs += 1;
        }
    }
    assert!(inputs > 0, "fuzz/regressions has no inputs");
}

fn fuzz() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}
