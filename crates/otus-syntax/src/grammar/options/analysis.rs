//! The options `analysis_kind`, `goal` and `local_analysis`.

use super::fault::bad_value;
use super::shape::{Argument, Entry};
use super::value::{entry_number, truth};
use crate::options::{AnalysisKind, Criterion, Goal, LocalAnalysis, SimulateOption};
use crate::parser::Cursor;

pub(super) fn kind(cursor: &mut Cursor<'_>, value: &Entry) -> Option<AnalysisKind> {
    match (value.phrase.as_str(), &value.argument) {
        ("accept", Argument::None) => Some(AnalysisKind::Accept),
        ("prefix", Argument::None) => Some(AnalysisKind::Prefix),
        ("eliminate" | "hide", Argument::None) => Some(AnalysisKind::Eliminate),
        ("simulate", Argument::None) => Some(AnalysisKind::Simulate(Vec::new())),
        ("simulate", Argument::List(entries)) => Some(AnalysisKind::Simulate(
            entries.iter().filter_map(|entry| simulate(cursor, entry)).collect(),
        )),
        _ => {
            let known = ["accept", "prefix", "eliminate", "simulate[…]"];
            bad_value(cursor, value, "a kind of analysis", &known)
        }
    }
}

/// `before = true`, `loop max depth`, `loop num = 2`, `act none`, `reset = true`, …
fn simulate(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<SimulateOption> {
    const KNOWN: [&str; 9] = [
        "before",
        "multiply",
        "reset",
        "loop max depth",
        "loop max num",
        "loop num",
        "loop none",
        "act max num",
        "act num",
    ];
    let phrase = entry.phrase.as_str();
    let flag = match phrase {
        "before" | "slice" | "preamble" => Some(SimulateOption::Before as fn(bool) -> _),
        "multiply" | "resized" | "dependent" => Some(SimulateOption::Multiply as fn(bool) -> _),
        "reset" | "reinitialize" => Some(SimulateOption::Reset as fn(bool) -> _),
        _ => None,
    };
    if let Some(flag) = flag {
        return match &entry.argument {
            Argument::Value(value) => truth(cursor, value).map(flag),
            _ => Some(flag(true)),
        };
    }
    let criterion = match phrase.split_once('_') {
        Some(("loop", rest)) => Some((SimulateOption::Loop as fn(Criterion) -> _, rest)),
        Some(("act", rest)) => Some((SimulateOption::Act as fn(Criterion) -> _, rest)),
        _ => None,
    };
    let Some((make, rest)) = criterion else {
        return bad_value(cursor, entry, "an option of `simulate`", &KNOWN);
    };
    match rest.to_ascii_lowercase().as_str() {
        "none" => Some(make(Criterion::None)),
        "max_num" | "maxnum" => Some(make(Criterion::MaxNumber)),
        "max_depth" | "maxdepth" if phrase.starts_with("loop") => Some(make(Criterion::MaxDepth)),
        "num" => entry_number(cursor, entry).map(|n| make(Criterion::Number(n))),
        _ => bad_value(cursor, entry, "an option of `simulate`", &KNOWN),
    }
}

pub(super) fn goal(cursor: &mut Cursor<'_>, value: &Entry) -> Option<Goal> {
    match value.phrase.as_str() {
        "Pass" => Some(Goal::Pass),
        "WeakPass" => Some(Goal::WeakPass),
        "None" => Some(Goal::None),
        _ => bad_value(cursor, value, "a goal", &["Pass", "WeakPass", "None"]),
    }
}

pub(super) fn local_analysis(cursor: &mut Cursor<'_>, value: &Entry) -> Option<LocalAnalysis> {
    match (value.phrase.as_str(), &value.argument) {
        ("", Argument::Truth(true)) => Some(LocalAnalysis::On),
        ("", Argument::Truth(false)) => Some(LocalAnalysis::Off),
        ("front" | "onlyfront" | "only_front", Argument::None) => Some(LocalAnalysis::Front),
        _ => bad_value(cursor, value, "a local analysis", &["true", "false", "front"]),
    }
}
