//! Every case of `spec/` and `docs/` is a test of its own.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use otus_testkit::spec;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let is_blessing = std::env::var_os("OTUS_BLESS").is_some();
    let mut trials = Vec::new();
    for path in ["spec", "docs"].into_iter().flat_map(|folder| documents(&root.join(folder))) {
        let mut text = std::fs::read_to_string(&path).expect("documents can be read");
        if is_blessing {
            let blessed = spec::bless(&text);
            if blessed != text {
                std::fs::write(&path, &blessed).expect("documents can be written");
                text = blessed;
            }
        }
        let file = path.strip_prefix(&root).unwrap_or(&path).with_extension("");
        let file = file.to_string_lossy().replace('\\', "/");
        for case in spec::cases(&text) {
            let name = format!("{file}: {}", case.title);
            trials.push(Trial::test(name, move || {
                spec::run(&case).map_err(|error| Failed::from(format!("{error:#}")))
            }));
        }
    }
    assert!(!trials.is_empty(), "there are cases");
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The documents of a folder and of those in it, sorted.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let (mut paths, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("the folder can be listed").path();
            // `reference/files` has the inputs of the examples of the reference.
            if path.is_dir() && !path.ends_with("reference/files") {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths
}
