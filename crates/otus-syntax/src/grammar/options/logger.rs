//! The option `loggers`: the pictures and traces that a run writes.

use super::fault::{bad_value, not_needed};
use super::shape::{Argument, Entry};
use super::value::{entries, file_name, number, truth};
use crate::options::{
    Generation, GraphicFormat, GraphicOption, Layout, Logger, PartitionOption, TracegenOption,
};
use crate::parser::Cursor;

const LOGGERS: [&str; 3] = ["graphic", "tracegen", "nfa"];

/// `loggers = [graphic[svg, vertical], tracegen[generation = exact], nfa]`
pub(super) fn loggers(cursor: &mut Cursor<'_>, value: &Entry) -> Vec<Logger> {
    let mut loggers = Vec::new();
    for entry in entries(cursor, value, "loggers") {
        let options = match &entry.argument {
            Argument::None => &[],
            Argument::List(entries) => entries.as_slice(),
            Argument::Value(value) => std::slice::from_ref(value.as_ref()),
            Argument::Regions(_) | Argument::Number { .. } | Argument::Truth(_) => {
                loggers.extend(bad_value::<Logger>(cursor, entry, "a logger", &LOGGERS));
                continue;
            }
        };
        loggers.extend(match entry.phrase.as_str() {
            "graphic" => Some(Logger::Graphic(
                options.iter().filter_map(|option| graphic(cursor, option)).collect(),
            )),
            "tracegen" => Some(Logger::Tracegen(
                options.iter().filter_map(|option| tracegen(cursor, option)).collect(),
            )),
            "nfa" | "nfait" => Some(Logger::Automaton),
            _ => bad_value(cursor, entry, "a logger", &LOGGERS),
        });
    }
    loggers
}

/// `svg`, `format = svg`, `vertical`, `draw_sd = true`, `output = name`, …
fn graphic(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<GraphicOption> {
    const KNOWN: [&str; 11] = [
        "svg",
        "png",
        "vertical",
        "horizontal",
        "format",
        "layout",
        "draw_sd",
        "draw_tt",
        "draw_legend",
        "folder",
        "output",
    ];
    let argument = match &entry.argument {
        Argument::Value(value) => Some(value.as_ref()),
        _ => None,
    };
    let word = match (entry.phrase.as_str(), argument) {
        ("format" | "layout", Some(value)) => value.phrase.as_str(),
        (word, _) => word,
    };
    match (word, argument) {
        ("svg", _) => Some(GraphicOption::Format(GraphicFormat::Svg)),
        ("png", _) => Some(GraphicOption::Format(GraphicFormat::Png)),
        ("vertical", _) => Some(GraphicOption::Layout(Layout::Vertical)),
        ("horizontal", _) => Some(GraphicOption::Layout(Layout::Horizontal)),
        ("draw_sd", Some(value)) => truth(cursor, value).map(GraphicOption::SequenceDiagrams),
        ("draw_tt", Some(value)) => truth(cursor, value).map(GraphicOption::TermTrees),
        ("draw_sub_processes", Some(value)) => {
            not_needed(cursor, entry.key, "`draw_sub_processes`", "local analyses are drawn apart");
            truth(cursor, value).map(GraphicOption::SubProcesses)
        }
        ("draw_legend", Some(value)) => truth(cursor, value).map(GraphicOption::Legend),
        ("parent" | "parent_folder" | "folder", Some(value)) => {
            Some(GraphicOption::Folder(file_name(cursor, value)))
        }
        ("output" | "name", Some(value)) => Some(GraphicOption::Output(file_name(cursor, value))),
        _ => bad_value(cursor, entry, "an option of `graphic`", &KNOWN),
    }
}

/// `generation = exact`, `exact`, `partition = discrete`, `folder = name`, `prefix = name`, …
fn tracegen(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<TracegenOption> {
    const KNOWN: [&str; 8] = [
        "generation",
        "partition",
        "exact",
        "accepted",
        "prefix",
        "terminal",
        "folder",
        "trace_prefix",
    ];
    match (entry.phrase.as_str(), &entry.argument) {
        ("generation", Argument::Value(value)) => {
            generation(cursor, value).map(TracegenOption::Generation)
        }
        ("partition", Argument::Value(value)) => {
            partition(cursor, value).map(TracegenOption::Partition)
        }
        ("parent" | "parent_folder" | "folder", Argument::Value(value)) => {
            Some(TracegenOption::Folder(file_name(cursor, value)))
        }
        ("name_prefix" | "trace_prefix" | "prefix", Argument::Value(value)) => {
            Some(TracegenOption::Prefix(file_name(cursor, value)))
        }
        ("exact" | "accepted" | "prefix" | "terminal" | "exact_depth" | "modulo_depth", _) => {
            generation(cursor, entry).map(TracegenOption::Generation)
        }
        _ => bad_value(cursor, entry, "an option of `tracegen`", &KNOWN),
    }
}

fn generation(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<Generation> {
    const KNOWN: [&str; 6] =
        ["exact", "accepted", "prefix", "terminal", "exact depth", "modulo depth"];
    match (entry.phrase.as_str(), &entry.argument) {
        ("exact" | "accepted", Argument::None) => Some(Generation::Exact),
        ("prefix", Argument::None) => Some(Generation::Prefix),
        ("terminal", Argument::None) => Some(Generation::Terminal),
        ("exact_depth", Argument::Value(value)) => number(cursor, value).map(Generation::Depth),
        ("modulo_depth", Argument::Value(value)) => number(cursor, value).map(Generation::Modulo),
        _ => bad_value(cursor, entry, "a kind of generation", &KNOWN),
    }
}

fn partition(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<PartitionOption> {
    match (entry.phrase.as_str(), &entry.argument) {
        ("discrete", Argument::None) => Some(PartitionOption::Discrete),
        ("trivial", Argument::None) => Some(PartitionOption::Trivial),
        ("", Argument::Regions(regions)) => Some(PartitionOption::Listed(regions.clone())),
        _ => bad_value(cursor, entry, "a partition", &["discrete", "trivial", "{(l1,l2),(l3)}"]),
    }
}
