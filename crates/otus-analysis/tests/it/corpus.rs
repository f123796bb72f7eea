//! The recorded verdicts of the peer, and those of a brute-force oracle.
//!
//! `../shared/corpus/README.md` says which of them can be trusted. Without that folder these
//! tests say so and pass.

use std::path::{Path, PathBuf};

use otus_analysis::budget::Budget;
use otus_analysis::certify::certify;
use otus_analysis::config::Kind;
use otus_analysis::graph::{self, Silent};
use otus_analysis::{Config, Verdict};
use otus_core::{Pool, TermId};
use otus_syntax::{Source, SourceId, parse_spec, parse_trace};
use otus_trace::MultiTrace;
use otus_trace::case::{self, Case};
use serde_json::Value;

use crate::config;

/// The models with `<synch>`, for which only version 0.8.5 of the peer is right.
const SYNCHRONOUS: [&str; 3] = ["abp", "coping", "network"];

struct Model {
    name: String,
    pool: Pool,
    term: TermId,
    cases: Vec<Case>,
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
    }
}

/// Enough nodes to decide every case.
const ENOUGH: u64 = 1_000_000;

/// Compares one kind on all cases. `expected` says what a recorded verdict allows.
fn compare(
    (options, states): (&str, u64),
    key: &str,
    expected: impl Fn(&Value, &Value) -> Option<Vec<Verdict>>,
) {
    let config = Config {
        budget: Budget { max_states: Some(states), ..Budget::default() },
        ..config(&format!("memoize = true; {options}"))
    };
    let mut compared = 0;
    for mut model in models() {
        let synchronous = SYNCHRONOUS.contains(&model.name.as_str());
        let key = if synchronous { format!("{key}@0.8.5") } else { key.to_owned() };
        for case in std::mem::take(&mut model.cases) {
            let Some(allowed) = expected(&case.rest["verdicts"][&key], &case.rest["oracle"]) else {
                continue;
            };
            let tree = parse_trace(&Source::new("case", case.htf.clone())).tree;
            let (trace, _) = otus_trace::lower(&tree, &mut model.pool);
            if config.kind == Kind::Eliminate && !trace.partition().is_discrete() {
                continue;
            }
            let outcome = graph::analyze(&mut model.pool, model.term, &trace, &config, &mut Silent)
                .expect("the kind fits the partition");
            certified(&mut model, &trace, &config, &outcome);
            compared += 1;
            assert!(
                allowed.contains(&outcome.verdict),
                "{options}: {} is {}, expected one of {allowed:?}",
                case.id,
                outcome.verdict
            );
        }
    }
    println!("{key}: {compared} compared");
}

fn certified(model: &mut Model, trace: &MultiTrace, config: &Config, outcome: &graph::Outcome) {
    let Some(witness) = &outcome.witness else { return };
    let claim = (config.kind, outcome.verdict);
    assert_eq!(certify(&mut model.pool, model.term, trace, claim, witness), Ok(()));
}

fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !matches!(*text, "TIMEOUT" | "CRASH" | "SKIPPED"))
}

#[test]
fn accept() {
    compare(("analysis_kind = accept", ENOUGH), "accept", |peer, oracle| {
        let accepted = oracle["accept"].as_bool().or(text(peer).map(|text| text == "Pass"))?;
        Some(vec![if accepted { Verdict::Pass } else { Verdict::Fail }])
    });
}

#[test]
fn prefix() {
    compare(("analysis_kind = prefix", ENOUGH), "prefix", |peer, oracle| {
        if let Some(text) = text(peer) {
            return Some(vec![match text {
                "Pass" => Verdict::Pass,
                "WeakPass" => Verdict::WeakPass,
                _ => Verdict::Fail,
            }]);
        }
        let prefix = oracle["prefix"].as_bool()?;
        Some(if prefix { vec![Verdict::Pass, Verdict::WeakPass] } else { vec![Verdict::Fail] })
    });
}

#[test]
fn eliminate() {
    compare(("analysis_kind = eliminate; goal = WeakPass", ENOUGH), "eliminate", |peer, oracle| {
        let prefix = text(peer).map(|text| text != "Fail").or(oracle["multiprefix"].as_bool())?;
        Some(if prefix { vec![Verdict::Pass, Verdict::WeakPass] } else { vec![Verdict::Fail] })
    });
}

/// What the peer's simulation found, ours finds; what it did not find proves nothing. The peer's
/// simulation is unsound on models with `<synch>`, and no version of it is recorded as right there.
#[track_caller]
fn simulated(key: &str, bounds: &str) {
    // To execute before guessing, and to check components alone, changes no verdict but finds it
    // sooner.
    let options = format!(
        "goal = WeakPass; priorities = [simu = -1]; local_analysis = true; \
         analysis_kind = simulate[before = true, loop max depth, {bounds}]"
    );
    compare((&options, ENOUGH), key, |peer, _| {
        matches!(text(peer)?, "Pass" | "WeakPass").then(|| vec![Verdict::Pass, Verdict::WeakPass])
    });
}

#[test]
fn simulate() {
    simulated("simulate", "act none, reset = true, multiply = false");
}

#[test]
fn simulate_with_bounded_actions() {
    simulated("simulate_act", "act max num, reset = true, multiply = false");
}

#[test]
fn simulate_with_multiplied_bounds() {
    simulated("simulate_mult", "act none, reset = false, multiply = true");
}

/// What ours finds by simulation does not contradict the oracle: an oracle knows slices only
/// where it says `true`, so what it knows not to be accepted is never a Pass.
#[test]
fn simulation_never_passes_what_is_not_accepted() {
    let options =
        "analysis_kind = simulate[before = true, loop max depth, act max num, reset = true]";
    compare((options, 5_000), "accept", |_, oracle| {
        (!oracle["accept"].as_bool()?)
            .then(|| vec![Verdict::WeakPass, Verdict::WeakFail, Verdict::Inconclusive])
    });
}
