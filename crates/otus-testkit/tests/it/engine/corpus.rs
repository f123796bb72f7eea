//! Recorded verdicts of `hibou_label` and of a brute-force oracle.
//!
//! Every difference is counted by its reason. The only allowed reason is a difference of the question itself.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use otus_analysis::engine::Options;
use otus_analysis::{Engine, Question, Verdict};
use otus_testkit::corpus::{self, Model, models};
use otus_trace::case::Case;
use otus_trace::{MultiTrace, Partition};

use super::compare::enough;

/// A model with its engines.
struct Subject {
    model: Model,
    engines: Vec<(Partition, Engine)>,
}

impl Subject {
    /// The engine for a partition. Actions that only a later multi-trace contains are unknown to it, as in production.
    fn verdict(&mut self, trace: &MultiTrace, question: &Question) -> Verdict {
        let partition = trace.partition();
        let known = self.engines.iter().position(|(other, _)| other == partition);
        let at = known.unwrap_or_else(|| {
            let engine =
                Engine::new(&self.model.pool, self.model.term, partition, Options::default());
            self.engines.push((partition.clone(), engine));
            self.engines.len() - 1
        });
        self.engines[at].1.analyze(trace, question, &enough()).verdict
    }
}

/// The verdicts of Otus that a recorded verdict allows.
type Allowed = Option<(&'static [Verdict], &'static str)>;

const PASS: &[Verdict] = &[Verdict::Pass];
const WEAK_PASS: &[Verdict] = &[Verdict::WeakPass];
const EXPLAINED: &[Verdict] = &[Verdict::Pass, Verdict::WeakPass];
const UNACCEPTED: &[Verdict] = &[Verdict::WeakPass, Verdict::Fail];
const FAIL: &[Verdict] = &[Verdict::Fail];

/// The verdicts that a case allows for each question, with the source.
fn allowed(model: &Model, case: &Case) -> Vec<(Question, Allowed)> {
    let peer = |key: &str| model.peer(case, key);
    let oracle = |key: &str| corpus::oracle(case, key);
    let synchronous = model.is_synchronous();
    let mut all: Vec<(Question, Allowed)> = Vec::new();
    let accept = peer("accept").map(|text| if text == "Pass" { PASS } else { FAIL });
    all.push((Question::ACCEPT, accept.map(|allowed| (allowed, "the peer's accept"))));
    let accept = oracle("accept").map(|yes| if yes { PASS } else { FAIL });
    all.push((Question::ACCEPT, accept.map(|allowed| (allowed, "the oracle's accept"))));
    let prefix = peer("prefix").map(|text| match text.as_str() {
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
    // The simulation of hibou_label is unsound on models with `<synch>`; and if it finds nothing, that proves nothing.
    for key in ["simulate", "simulate_act", "simulate_mult"] {
        let slice =
            peer(key).filter(|text| !synchronous && matches!(text.as_str(), "Pass" | "WeakPass"));
        all.push((Question::SLICE, slice.map(|_| (EXPLAINED, "the peer's simulate"))));
    }
    let slice = oracle("slice").filter(|&yes| yes).map(|_| (EXPLAINED, "the oracle's slice"));
    all.push((Question::SLICE, slice));
    // For every question, Pass means that the multi-trace is accepted as it is.
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
    let Some(models) = models() else { return println!("{}", corpus::MISSING) };
    let mut differences: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut compared: BTreeMap<&str, usize> = BTreeMap::new();
    let mut slowest: Vec<(Duration, String)> = Vec::new();
    for mut model in models {
        let cases = std::mem::take(&mut model.cases);
        let mut subject = Subject { model, engines: Vec::new() };
        for case in cases {
            let trace = subject.model.trace(&case);
            for (question, allowed) in allowed(&subject.model, &case) {
                let start = Instant::now();
                let found = subject.verdict(&trace, &question);
                slowest.push((start.elapsed(), format!("{} of {}", question.name(), case.id)));
                let Some((allowed, by)) = allowed else {
                    // The right verdict is unknown, but the engine must decide.
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
