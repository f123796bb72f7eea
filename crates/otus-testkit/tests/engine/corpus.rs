//! The recorded verdicts of the peer, and those of a brute-force oracle.
//!
//! `../shared/corpus/README.md` says which of them can be trusted. Without that folder these
//! tests say so and pass.
//!
//! Every difference has a reason, by which it is counted; of those that are no differences of
//! the question itself there must be none.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use otus_analysis::engine::Options;
use otus_analysis::{Engine, Question, Verdict};
use otus_core::{Pool, TermId};
use otus_syntax::{Source, SourceId, parse_spec, parse_trace};
use otus_trace::case::{self, Case};
use otus_trace::{MultiTrace, Partition};
use serde_json::Value;

use crate::compare::enough;

/// The models with `<synch>`, for which only version 0.8.5 of the peer is right.
const SYNCHRONOUS: [&str; 4] = ["abp", "coping", "network", "sensor"];

struct Model {
    name: String,
    pool: Pool,
    term: TermId,
    cases: Vec<Case>,
    engines: Vec<(Partition, Engine)>,
}

fn models() -> Vec<Model> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: there is no ../shared/corpus beside this repository");
        return Vec::new();
    };
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    folders.sort();
    folders.iter().filter(|folder| folder.join("model.hif").is_file()).map(|f| model(f)).collect()
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
        engines: Vec::new(),
    }
}

impl Model {
    fn trace(&mut self, case: &Case) -> MultiTrace {
        let tree = parse_trace(&Source::new("case", case.htf.clone())).tree;
        otus_trace::lower(&tree, &mut self.pool).0
    }

    /// The engine for a partition. Actions that a multi-trace brings along later are unknown to
    /// it, as they are in reality.
    fn verdict(&mut self, trace: &MultiTrace, question: &Question) -> Verdict {
        let partition = trace.partition();
        let known = self.engines.iter().position(|(other, _)| other == partition);
        let at = known.unwrap_or_else(|| {
            let engine = Engine::new(&self.pool, self.term, partition, Options::default());
            self.engines.push((partition.clone(), engine));
            self.engines.len() - 1
        });
        self.engines[at].1.analyze(trace, question, &enough()).verdict
    }
}

/// What a recorded verdict says: which ones of ours it allows.
type Allowed = Option<(&'static [Verdict], &'static str)>;

const PASS: &[Verdict] = &[Verdict::Pass];
const WEAK_PASS: &[Verdict] = &[Verdict::WeakPass];
const EXPLAINED: &[Verdict] = &[Verdict::Pass, Verdict::WeakPass];
const UNACCEPTED: &[Verdict] = &[Verdict::WeakPass, Verdict::Fail];
const FAIL: &[Verdict] = &[Verdict::Fail];

/// The verdicts that a case allows for each question, with who says so.
fn allowed(synchronous: bool, case: &Case) -> Vec<(Question, Allowed)> {
    let peer = |key: &str| -> Option<&str> {
        let key = if synchronous { format!("{key}@0.8.5") } else { key.to_owned() };
        let text = case.rest["verdicts"].get(&key).and_then(Value::as_str);
        text.filter(|text| !matches!(*text, "TIMEOUT" | "CRASH" | "SKIPPED"))
    };
    let oracle = |key: &str| case.rest["oracle"].get(key).and_then(Value::as_bool);
    let mut all: Vec<(Question, Allowed)> = Vec::new();
    let accept = peer("accept").map(|text| if text == "Pass" { PASS } else { FAIL });
    all.push((Question::ACCEPT, accept.map(|allowed| (allowed, "the peer's accept"))));
    let accept = oracle("accept").map(|yes| if yes { PASS } else { FAIL });
    all.push((Question::ACCEPT, accept.map(|allowed| (allowed, "the oracle's accept"))));
    let prefix = peer("prefix").map(|text| match text {
        "Pass" => PASS,
        "WeakPass" => WEAK_PASS,
        _ => FAIL,
    });
    all.push((Question::GlobalPrefix, prefix.map(|allowed| (allowed, "the peer's prefix"))));
    let prefix = oracle("prefix").map(|yes| if yes { EXPLAINED } else { FAIL });
    all.push((Question::GlobalPrefix, prefix.map(|allowed| (allowed, "the oracle's prefix"))));
    let multi = peer("eliminate").map(|text| if text == "Fail" { FAIL } else { EXPLAINED });
    all.push((Question::MULTI_PREFIX, multi.map(|allowed| (allowed, "the peer's eliminate"))));
    let multi = oracle("multiprefix").map(|yes| if yes { EXPLAINED } else { FAIL });
    all.push((Question::MULTI_PREFIX, multi.map(|allowed| (allowed, "the oracle's multiprefix"))));
    // The peer's simulation is unsound on models with `<synch>`; what it does not find proves
    // nothing anywhere.
    for key in ["simulate", "simulate_act", "simulate_mult"] {
        let slice = peer(key).filter(|text| !synchronous && matches!(*text, "Pass" | "WeakPass"));
        all.push((Question::SLICE, slice.map(|_| (EXPLAINED, "the peer's simulate"))));
    }
    let slice = oracle("slice").filter(|&yes| yes).map(|_| (EXPLAINED, "the oracle's slice"));
    all.push((Question::SLICE, slice));
    // Whatever may be missing, Pass is for what is accepted.
    if let Some(yes) = oracle("accept") {
        let allowed = if yes { PASS } else { UNACCEPTED };
        for question in [Question::GlobalPrefix, Question::MULTI_PREFIX, Question::SLICE] {
            all.push((question, Some((allowed, "the oracle's accept"))));
        }
    }
    all
}

#[test]
fn every_recorded_verdict() {
    let mut differences: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut compared: BTreeMap<&str, usize> = BTreeMap::new();
    let mut slowest: Vec<(Duration, String)> = Vec::new();
    for mut model in models() {
        let synchronous = SYNCHRONOUS.contains(&model.name.as_str());
        for case in std::mem::take(&mut model.cases) {
            let trace = model.trace(&case);
            for (question, allowed) in allowed(synchronous, &case) {
                let start = Instant::now();
                let found = model.verdict(&trace, &question);
                slowest.push((start.elapsed(), format!("{} of {}", question.name(), case.id)));
                let Some((allowed, by)) = allowed else {
                    // Nobody knows, but it must be decided all the same.
                    if found == Verdict::Inconclusive {
                        let reason = format!("{} is undecided", question.name());
                        differences.entry(reason).or_default().push(case.id.clone());
                    }
                    continue;
                };
                *compared.entry(by).or_default() += 1;
                if !allowed.contains(&found) {
                    let reason =
                        format!("{} is {found} against {by}: {allowed:?}", question.name());
                    differences.entry(reason).or_default().push(case.id.clone());
                }
            }
        }
    }
    println!("the corpus: {compared:?}");
    slowest.sort_by_key(|(time, _)| Reverse(*time));
    for (elapsed, text) in slowest.iter().take(10) {
        println!("  slow: {elapsed:?} for {text}");
    }
    for (reason, ids) in &differences {
        println!("{} times {reason}: {}", ids.len(), ids[..ids.len().min(8)].join(", "));
    }
    assert!(differences.is_empty(), "{} kinds of differences, listed above", differences.len());
}
