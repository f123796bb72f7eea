//! The shared corpus: models, multi-traces, and the recorded verdicts of `hibou_label` and of a brute-force oracle. Its README
//! says which of these verdicts can be trusted.
//!
//! The corpus is not part of the repository. `OTUS_CORPUS` names its folder; the default is a folder beside the checkout. If it
//! is missing, tests print [`MISSING`] and pass.

use std::path::{Path, PathBuf};

use otus_core::{Pool, TermId};
use otus_syntax::{Source, SourceId, parse_spec, parse_trace};
use otus_trace::MultiTrace;
use otus_trace::case::{self, Case};
use serde_json::Value;

use crate::sat::Problem;

/// The message of tests if there is no corpus.
pub const MISSING: &str =
    "skipped: there is no ../shared/corpus beside this repository (OTUS_CORPUS names another)";

/// The models with `<synch>`, for which only version 0.8.5 of `hibou_label` is right.
const SYNCHRONOUS: [&str; 4] = ["abp", "coping", "network", "sensor"];

/// A model with its cases.
#[derive(Debug)]
pub struct Model {
    /// The name of its folder.
    pub name: String,
    /// The pool of the term.
    pub pool: Pool,
    /// The interaction.
    pub term: TermId,
    /// Multi-traces, each with its recorded verdicts.
    pub cases: Vec<Case>,
}

/// All models, by name; none if there is no corpus.
///
/// # Panics
/// If a model or a case of it cannot be read.
pub fn models() -> Option<Vec<Model>> {
    let entries = std::fs::read_dir(folder()).ok()?;
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    folders.retain(|folder| folder.join("model.hif").is_file());
    folders.sort();
    Some(folders.iter().map(|folder| model(folder)).collect())
}

/// The satisfiability problems of `uf20`; none if there is no corpus.
///
/// # Panics
/// If they cannot be read.
pub fn uf20() -> Option<Vec<Problem>> {
    let text = std::fs::read_to_string(folder().join("uf20/uf20.jsonl")).ok()?;
    Some(Problem::from_json_lines(&text).expect("the corpus is well-formed"))
}

impl Model {
    /// The multi-trace of a case.
    pub fn trace(&mut self, case: &Case) -> MultiTrace {
        let tree = parse_trace(&Source::new("case", case.htf.clone())).tree;
        otus_trace::lower(&tree, &mut self.pool).0
    }

    /// Whether it has a `<synch>`.
    pub fn is_synchronous(&self) -> bool {
        SYNCHRONOUS.contains(&self.name.as_str())
    }

    /// The key under which the answer of `hibou_label` to a question is recorded; it depends on the version.
    pub fn key(&self, question: &str) -> String {
        if self.is_synchronous() { format!("{question}@0.8.5") } else { question.to_owned() }
    }

    /// The answer of `hibou_label` in a case, if there is one.
    pub fn peer(&self, case: &Case, question: &str) -> Option<String> {
        let verdicts = case.rest.get("verdicts")?;
        let text = verdicts.get(self.key(question)).and_then(Value::as_str)?;
        (!matches!(text, "TIMEOUT" | "CRASH" | "SKIPPED")).then(|| text.to_owned())
    }
}

/// The answer of the brute-force oracle in a case, if there is one.
pub fn oracle(case: &Case, question: &str) -> Option<bool> {
    case.rest.get("oracle")?.get(question)?.as_bool()
}

fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    std::env::var_os("OTUS_CORPUS").map_or_else(beside, PathBuf::from)
}

fn model(folder: &Path) -> Model {
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("readable");
    let signature = parse_spec(&Source::new("sig.hsf", read("sig.hsf"))).tree;
    let interaction =
        parse_spec(&Source::with_id(SourceId(1), "model.hif", read("model.hif"))).tree;
    let lowered = otus_core::lower(&[&signature, &interaction]);
    let cases = Source::new("cases.jsonl", read("cases.jsonl"));
    Model {
        name: folder.file_name().expect("a name").to_string_lossy().into_owned(),
        pool: lowered.pool,
        term: lowered.term.expect("an interaction"),
        cases: case::read(&cases).map(|case| case.expect("a case")).collect(),
    }
}
