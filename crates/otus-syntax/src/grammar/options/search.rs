//! The options `strategy`, `filters` and `priorities`: the order and the bounds of a search.

use super::fault::{WHOLE, bad_number, bad_value, not_needed};
use super::shape::{Argument, Entry};
use super::value::{entries, entry_number, signed, truth};
use crate::options::{Filter, Priority, PriorityKind, Rewrite, Strategy};
use crate::parser::Cursor;

pub(super) fn strategy(cursor: &mut Cursor<'_>, value: &Entry) -> Option<Strategy> {
    match value.phrase.to_ascii_lowercase().as_str() {
        "bfs" | "breadthfs" | "breadth_first_search" => Some(Strategy::Breadth),
        "dfs" | "depthfs" | "depth_first_search" => Some(Strategy::Depth),
        "hcs" | "highcoverages" | "high_coverage_search" => Some(Strategy::HighCoverage),
        _ => bad_value(cursor, value, "a strategy", &["DFS", "BFS", "HCS"]),
    }
}

pub(super) fn filters(cursor: &mut Cursor<'_>, value: &Entry) -> Vec<Filter> {
    const KNOWN: [&str; 3] = ["max_depth", "max_loop_depth", "max_node_number"];
    let mut filters = Vec::new();
    for entry in entries(cursor, value, "filters") {
        let filter = match entry.phrase.as_str() {
            "max_depth" => Filter::Depth,
            "max_loop_depth" => Filter::LoopDepth,
            "max_node_number" => Filter::NodeNumber,
            _ => {
                filters.extend(bad_value::<Filter>(cursor, entry, "a filter", &KNOWN));
                continue;
            }
        };
        filters.extend(entry_number(cursor, entry).map(filter));
    }
    filters
}

pub(super) fn priorities(cursor: &mut Cursor<'_>, value: &Entry) -> Vec<Priority> {
    const KNOWN: [&str; 8] = [
        "emission",
        "reception",
        "in_loop",
        "simulate",
        "eliminate",
        "step",
        "multi_rdv",
        "randomize",
    ];
    if matches!(value.phrase.as_str(), "random" | "rand" | "randomize") {
        return vec![Priority::Randomize(true)];
    }
    let mut priorities = Vec::new();
    for entry in entries(cursor, value, "priorities") {
        let kind = match entry.phrase.as_str() {
            "random" | "rand" | "randomize" => {
                let randomize = match &entry.argument {
                    Argument::Value(value) => truth(cursor, value),
                    _ => Some(true),
                };
                priorities.extend(randomize.map(Priority::Randomize));
                continue;
            }
            "emission" => PriorityKind::Emission,
            "reception" => PriorityKind::Reception,
            "loop" | "in_loop" => PriorityKind::InLoop,
            "simu" | "simulate" => PriorityKind::Simulate,
            "elim" | "eliminate" | "hide" => PriorityKind::Eliminate,
            "step" => PriorityKind::Step,
            "multi_rdv" => PriorityKind::Rendezvous,
            "simpl" => PriorityKind::Rewrite(Rewrite::Simplify),
            "flush" => PriorityKind::Rewrite(Rewrite::Flush),
            "invert" => PriorityKind::Rewrite(Rewrite::Invert),
            "deduplicate" => PriorityKind::Rewrite(Rewrite::Deduplicate),
            "factorize" => PriorityKind::Rewrite(Rewrite::Factorize),
            "defactorize" => PriorityKind::Rewrite(Rewrite::Defactorize),
            _ => {
                priorities.extend(bad_value::<Priority>(cursor, entry, "a priority", &KNOWN));
                continue;
            }
        };
        if let PriorityKind::Rewrite(_) = kind {
            let what = format!("the priority `{}`", entry.phrase);
            not_needed(cursor, entry.key, &what, "Otus has no rewriting steps to order");
        }
        let level = match &entry.argument {
            Argument::Value(value) => signed(cursor, value),
            _ => bad_number(cursor, entry.span, "the level of this priority is missing", WHOLE),
        };
        priorities.extend(level.map(|level| Priority::Level(kind, level)));
    }
    priorities
}
