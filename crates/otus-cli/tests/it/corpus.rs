//! The shared corpus of models and traces, when it is there: it is not part of the repository.
//! `OTUS_CORPUS` says where else it is.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use otus_core::{Lowered, lower, raise};
use otus_syntax::ast::SpecFile;
use otus_syntax::diagnostic::any_error;
use otus_syntax::diagram::{mermaid, plantuml};
use otus_syntax::{Source, parse_spec, parse_trace, print};

fn models() -> Vec<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("OTUS_CORPUS").map_or(beside, PathBuf::from);
    let Ok(entries) = std::fs::read_dir(&corpus) else {
        // Written past the test harness, which shows nothing of a test that passes.
        let skipped = "skipped: the shared corpus (../shared/corpus) is not beside the repository";
        let _ = writeln!(std::io::stderr(), "{skipped}");
        return Vec::new();
    };
    let mut models: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    models.retain(|folder| folder.join("model.hif").exists());
    models.sort();
    assert!(models.len() > 20, "the corpus has its models");
    models
}

fn source(path: &Path) -> Source {
    Source::new(path.to_string_lossy(), std::fs::read_to_string(path).unwrap())
}

fn spec(path: &Path) -> SpecFile {
    let source = source(path);
    let parsed = parse_spec(&source);
    assert!(!any_error(&parsed.diagnostics), "{}: {:?}", path.display(), parsed.diagnostics);
    let printed = print::spec(&parsed.tree);
    let again = parse_spec(&Source::new("printed", printed.clone()));
    assert_eq!(print::spec(&again.tree), printed, "{}: fmt is idempotent", path.display());
    parsed.tree
}

fn term(lowered: &Lowered) -> String {
    lowered.pool.text(lowered.term.expect("an interaction"))
}

#[test]
fn models_parse_format_and_convert_to_the_same_term() {
    for folder in models() {
        let name = folder.display();
        let files = [spec(&folder.join("sig.hsf")), spec(&folder.join("model.hif"))];
        let lowered = lower(&[&files[0], &files[1]]);
        assert!(!any_error(&lowered.diagnostics), "{name}: {:?}", lowered.diagnostics);
        let expected = term(&lowered);
        let raised = raise(&lowered.pool, lowered.term.expect("an interaction"));
        assert_eq!(term(&lower(&[&raised])), expected, "{name}");
        for (language, text) in
            [("mermaid", mermaid::write(&raised)), ("plantuml", plantuml::write(&raised))]
        {
            let source = Source::new("diagram", text);
            let parsed = match language {
                "mermaid" => mermaid::read(&source, source.whole()),
                _ => plantuml::read(&source, source.whole()),
            };
            assert!(!any_error(&parsed.diagnostics), "{name}: {:?}", parsed.diagnostics);
            let again = lower(&[&parsed.tree]);
            assert!(!any_error(&again.diagnostics), "{name}: {:?}", again.diagnostics);
            assert_eq!(term(&again), expected, "{name} as {language}");
        }
    }
}

#[test]
fn traces_parse_and_format_and_fit_their_models() {
    for folder in models() {
        let files = [spec(&folder.join("sig.hsf")), spec(&folder.join("model.hif"))];
        let mut lowered = lower(&[&files[0], &files[1]]);
        let cases = source(&folder.join("cases.jsonl"));
        let mut count = 0;
        for case in otus_trace::case::read(&cases) {
            let case = case.unwrap_or_else(|fault| panic!("{}: {fault:?}", folder.display()));
            let text = Source::new(case.id, case.htf);
            let parsed = parse_trace(&text);
            assert!(!any_error(&parsed.diagnostics), "{}: {:?}", text.name(), parsed.diagnostics);
            let found = otus_trace::lower(&parsed.tree, &mut lowered.pool).1;
            assert!(!any_error(&found), "{}: {found:?}", text.name());
            for printed in [print::trace(&parsed.tree), print::trace_line(&parsed.tree)] {
                let again = parse_trace(&Source::new("printed", printed.clone()));
                assert!(!any_error(&again.diagnostics), "{}: {printed}", text.name());
                assert_eq!(again.tree.occurrences.len(), parsed.tree.occurrences.len());
            }
            let printed = print::trace(&parsed.tree);
            let again = parse_trace(&Source::new("printed", printed.clone()));
            assert_eq!(print::trace(&again.tree), printed, "{}: fmt is idempotent", text.name());
            count += 1;
        }
        assert!(count > 0, "{} has cases", folder.display());
    }
}
