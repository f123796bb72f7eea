//! Diagrams of public repositories, as far as they are beside this repository: nearly all that Mermaid and PlantUML
//! accept must be read.
#![expect(clippy::print_stdout, reason = "a test says what it counted, or that it was skipped")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use otus_syntax::Source;
use otus_syntax::diagram::{mermaid, plantuml};

/// The diagrams of one language, those of its own project apart.
#[derive(Debug, Default)]
struct Tally {
    read: usize,
    refused: usize,
    /// The refused files by the message of their first error.
    causes: BTreeMap<String, Vec<String>>,
}

impl Tally {
    fn add(&mut self, file: &Path, language: &str) {
        let text = std::fs::read(file).expect("a sample can be read");
        let name = file.file_name().expect("a file").to_string_lossy().into_owned();
        let source = Source::new(name.clone(), String::from_utf8_lossy(&text).into_owned());
        let parsed = match language {
            "mermaid" => mermaid::read(&source, source.whole()),
            _ => plantuml::read(&source, source.whole()),
        };
        match parsed.diagnostics.iter().find(|found| found.is_error()) {
            None => self.read += 1,
            Some(first) => {
                self.refused += 1;
                let cause = format!("{} {}", first.code, first.message);
                self.causes.entry(cause).or_default().push(name);
            }
        }
    }

    /// Checks that at least `least` of 1000 are read.
    fn check(&self, what: &str, least: usize) {
        let all = self.read + self.refused;
        println!("{what}: {} of {all} are read", self.read);
        assert!(all > 0, "there are no {what}");
        assert!(self.read * 1000 >= least * all, "too many {what} are refused: {:#?}", self.causes);
    }
}

fn samples(language: &str) -> Option<Vec<PathBuf>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/diagrams");
    let root = std::env::var_os("OTUS_DIAGRAMS").map_or(root, PathBuf::from);
    let mut files: Vec<PathBuf> = std::fs::read_dir(root.join(language))
        .ok()?
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    Some(files)
}

#[test]
fn wild_diagrams_are_read() {
    for (language, wild_least, own_least) in [("mermaid", 995, 980), ("plantuml", 970, 900)] {
        let Some(files) = samples(language) else {
            println!(
                "skipped: there is no ../shared/samples/diagrams (OTUS_DIAGRAMS names another folder)"
            );
            return;
        };
        let (mut wild, mut own) = (Tally::default(), Tally::default());
        for file in files {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let is_own = name.starts_with(&format!("{language}__"));
            if is_own { &mut own } else { &mut wild }.add(&file, language);
        }
        wild.check(&format!("wild {language} diagrams"), wild_least);
        own.check(&format!("diagrams of {language} itself"), own_least);
    }
}
