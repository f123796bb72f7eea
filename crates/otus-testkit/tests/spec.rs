//! Every case of `spec/` is a test of its own.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use otus_testkit::spec;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec");
    let mut trials = Vec::new();
    for path in documents(&root) {
        let text = std::fs::read_to_string(&path).expect("spec/ can be read");
        let file = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for case in spec::cases(&text) {
            let name = format!("{file}: {}", case.title);
            trials.push(Trial::test(name, move || {
                spec::run(&case).map_err(|error| Failed::from(format!("{error:#}")))
            }));
        }
    }
    assert!(!trials.is_empty(), "spec/ has cases");
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn documents(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("spec/ is there");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("spec/ can be listed").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    paths.sort();
    paths
}
