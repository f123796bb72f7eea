//! The interpretation of an entry as an option, with one function per option.

use super::shape::{Argument, Entry};
use crate::code::Code;
use crate::excerpt::shortened;
use crate::name::Name;
use crate::options::{
    AnalysisKind, Criterion, Filter, Generation, Goal, GraphicFormat, GraphicOption, Layout,
    LocalAnalysis, Logger, OptionValue, PRIORITIES, PartitionOption, Priority, PriorityKind,
    Process, REWRITES, SimulateOption, Strategy, TracegenOption,
};
use crate::parser::Cursor;
use crate::source::Span;
use crate::suggest::nearest;

/// The names of all options, old and new.
const OPTIONS: &str = "loggers strategy filters pre_filters priorities frontier_priorities \
    analysis_kind semantics goal local_analysis memoize partial_order_reduction por search_all";

pub(super) fn is_option(word: &str) -> bool {
    OPTIONS.split(' ').any(|option| option == word)
}

/// The option that an entry of a section sets.
pub(super) fn option(
    cursor: &mut Cursor<'_>,
    entry: &Entry,
    process: Process,
) -> Option<OptionValue> {
    let phrase = entry.phrase.as_str();
    if !is_option(phrase) {
        unknown_option(cursor, entry);
        return None;
    }
    let analysis_only = matches!(phrase, "analysis_kind" | "semantics" | "goal" | "local_analysis");
    if analysis_only && process == Process::Explore {
        let message = format!("`{phrase}` has no meaning in an exploration");
        let help = "move it to @analyze_option";
        cursor.findings.report(Code::OPTION_MISPLACED, entry.key, message, help);
    }
    let Argument::Value(argument) = &entry.argument else {
        // `search_all` alone means true; every other option needs a value.
        if phrase == "search_all" && matches!(entry.argument, Argument::None) {
            return Some(OptionValue::SearchAll(true));
        }
        let message = format!("`{phrase}` has no value");
        let help = format!("write `{phrase} = …`");
        cursor.findings.report(Code::UNKNOWN_VALUE, entry.key, message, help);
        return None;
    };
    match phrase {
        "loggers" => Some(OptionValue::Loggers(list(cursor, argument, "loggers", logger))),
        "strategy" => strategy(cursor, argument).map(OptionValue::Strategy),
        "filters" | "pre_filters" => {
            Some(OptionValue::Filters(list(cursor, argument, "filters", filter)))
        }
        "priorities" | "frontier_priorities" => {
            Some(OptionValue::Priorities(priorities(cursor, argument)))
        }
        "analysis_kind" | "semantics" => kind(cursor, argument).map(OptionValue::Kind),
        "goal" => goal(cursor, argument).map(OptionValue::Goal),
        "local_analysis" => local_analysis(cursor, argument).map(OptionValue::LocalAnalysis),
        "memoize" => truth(cursor, argument).map(OptionValue::Memoize),
        "partial_order_reduction" | "por" => {
            truth(cursor, argument).map(OptionValue::PartialOrderReduction)
        }
        _ => truth(cursor, argument).map(OptionValue::SearchAll),
    }
}

fn unknown_option(cursor: &mut Cursor<'_>, entry: &Entry) {
    let phrase = entry.phrase.as_str();
    let begins =
        |option: &&str| phrase.strip_prefix(*option).is_some_and(|rest| rest.starts_with('_'));
    if cursor.slice(entry.key).contains(char::is_whitespace)
        && let Some(option) = OPTIONS.split(' ').find(begins)
    {
        let message = format!("`{option}` has no `=` before its value");
        let help = format!("write `{option} = …`");
        return cursor.findings.report(Code::UNKNOWN_VALUE, entry.key, message, help);
    }
    let message = format!("there is no option `{phrase}`");
    let found = cursor.findings.finding(Code::UNKNOWN_OPTION, entry.key, message);
    cursor.findings.push(found.with_nearest(
        nearest(phrase, OPTIONS.split(' ')),
        "the options are loggers, strategy, filters, priorities, analysis_kind, goal, \
         local_analysis, memoize and partial_order_reduction",
    ));
}

/// `graphic[svg, vertical]`, `tracegen[generation = exact]`, `nfa`
fn logger(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<Logger> {
    let options = match &entry.argument {
        Argument::None => &[],
        Argument::List(entries) => entries.as_slice(),
        Argument::Value(value) => std::slice::from_ref(value.as_ref()),
        Argument::Regions(_) | Argument::Number { .. } | Argument::Truth(_) => {
            return bad_value(cursor, entry, "a logger", LOGGERS);
        }
    };
    match entry.phrase.as_str() {
        "graphic" => Some(Logger::Graphic(each(cursor, options, graphic))),
        "tracegen" => Some(Logger::Tracegen(each(cursor, options, tracegen))),
        "nfa" | "nfait" => Some(Logger::Automaton),
        _ => bad_value(cursor, entry, "a logger", LOGGERS),
    }
}

const LOGGERS: &str = "graphic, tracegen, nfa";

/// `svg`, `format = svg`, `vertical`, `draw_sd = true`, `output = name`, …
fn graphic(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<GraphicOption> {
    const KNOWN: &str = "svg, png, vertical, horizontal, format, layout, draw_sd, draw_tt, \
        draw_legend, folder, output";
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
        _ => bad_value(cursor, entry, "an option of `graphic`", KNOWN),
    }
}

/// `generation = exact`, `exact`, `partition = discrete`, `folder = name`, `prefix = name`, …
fn tracegen(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<TracegenOption> {
    const KNOWN: &str =
        "generation, partition, exact, accepted, prefix, terminal, folder, trace_prefix";
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
        _ => bad_value(cursor, entry, "an option of `tracegen`", KNOWN),
    }
}

fn generation(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<Generation> {
    const KNOWN: &str = "exact, accepted, prefix, terminal, exact depth, modulo depth";
    match (entry.phrase.as_str(), &entry.argument) {
        ("exact" | "accepted", Argument::None) => Some(Generation::Exact),
        ("prefix", Argument::None) => Some(Generation::Prefix),
        ("terminal", Argument::None) => Some(Generation::Terminal),
        ("exact_depth", Argument::Value(value)) => number(cursor, value).map(Generation::Depth),
        ("modulo_depth", Argument::Value(value)) => number(cursor, value).map(Generation::Modulo),
        _ => bad_value(cursor, entry, "a kind of generation", KNOWN),
    }
}

fn partition(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<PartitionOption> {
    match (entry.phrase.as_str(), &entry.argument) {
        ("discrete", Argument::None) => Some(PartitionOption::Discrete),
        ("trivial", Argument::None) => Some(PartitionOption::Trivial),
        ("", Argument::Regions(regions)) => Some(PartitionOption::Listed(regions.clone())),
        _ => bad_value(cursor, entry, "a partition", "discrete, trivial, {(l1,l2),(l3)}"),
    }
}

fn strategy(cursor: &mut Cursor<'_>, value: &Entry) -> Option<Strategy> {
    match value.phrase.to_ascii_lowercase().as_str() {
        "bfs" | "breadthfs" | "breadth_first_search" => Some(Strategy::Breadth),
        "dfs" | "depthfs" | "depth_first_search" => Some(Strategy::Depth),
        "hcs" | "highcoverages" | "high_coverage_search" => Some(Strategy::HighCoverage),
        _ => bad_value(cursor, value, "a strategy", "DFS, BFS, HCS"),
    }
}

fn filter(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<Filter> {
    let filter = match entry.phrase.as_str() {
        "max_depth" => Filter::Depth,
        "max_loop_depth" => Filter::LoopDepth,
        "max_node_number" => Filter::NodeNumber,
        _ => {
            let known = "max_depth, max_loop_depth, max_node_number";
            return bad_value(cursor, entry, "a filter", known);
        }
    };
    entry_number(cursor, entry).map(filter)
}

fn priorities(cursor: &mut Cursor<'_>, value: &Entry) -> Vec<Priority> {
    if matches!(value.phrase.as_str(), "random" | "rand" | "randomize") {
        return vec![Priority::Randomize(true)];
    }
    list(cursor, value, "priorities", priority)
}

fn priority(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<Priority> {
    const KNOWN: &str =
        "emission, reception, in_loop, simulate, eliminate, step, multi_rdv, randomize";
    let phrase = entry.phrase.as_str();
    if matches!(phrase, "random" | "rand" | "randomize") {
        return flag(cursor, entry).map(Priority::Randomize);
    }
    let is_known = |(spellings, _): &&(&str, _)| spellings.split(' ').any(|word| word == phrase);
    let kind = if let Some(&(_, kind)) = PRIORITIES.iter().find(is_known) {
        kind
    } else if let Some(word) = REWRITES.split(' ').find(|&word| word == phrase) {
        let what = format!("the priority `{word}`");
        not_needed(cursor, entry.key, &what, "Otus has no rewriting steps to order");
        PriorityKind::Rewrite(word)
    } else {
        return bad_value(cursor, entry, "a priority", KNOWN);
    };
    let level = match &entry.argument {
        Argument::Value(value) => signed(cursor, value),
        _ => bad_number(cursor, entry.span, "the level of this priority is missing", WHOLE),
    };
    level.map(|level| Priority::Level(kind, level))
}

fn kind(cursor: &mut Cursor<'_>, value: &Entry) -> Option<AnalysisKind> {
    match (value.phrase.as_str(), &value.argument) {
        ("accept", Argument::None) => Some(AnalysisKind::Accept),
        ("prefix", Argument::None) => Some(AnalysisKind::Prefix),
        ("eliminate" | "hide", Argument::None) => Some(AnalysisKind::Eliminate),
        ("simulate", Argument::None) => Some(AnalysisKind::Simulate(Vec::new())),
        ("simulate", Argument::List(entries)) => {
            Some(AnalysisKind::Simulate(each(cursor, entries, simulate)))
        }
        _ => {
            let known = "accept, prefix, eliminate, simulate[…]";
            bad_value(cursor, value, "a kind of analysis", known)
        }
    }
}

/// `before = true`, `loop max depth`, `loop num = 2`, `act none`, `reset = true`, …
fn simulate(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<SimulateOption> {
    const KNOWN: &str = "before, multiply, reset, loop max depth, loop max num, loop num, \
        loop none, act max num, act num";
    let phrase = entry.phrase.as_str();
    let make = match phrase {
        "before" | "slice" | "preamble" => return flag(cursor, entry).map(SimulateOption::Before),
        "multiply" | "resized" | "dependent" => {
            return flag(cursor, entry).map(SimulateOption::Multiply);
        }
        "reset" | "reinitialize" => return flag(cursor, entry).map(SimulateOption::Reset),
        _ if phrase.starts_with("loop_") => SimulateOption::Loop,
        _ if phrase.starts_with("act_") => SimulateOption::Act,
        _ => return bad_value(cursor, entry, "an option of `simulate`", KNOWN),
    };
    let bound = phrase.split_once('_').map_or("", |split| split.1).to_ascii_lowercase();
    let criterion = match bound.as_str() {
        "none" => Criterion::None,
        "max_num" | "maxnum" => Criterion::MaxNumber,
        "max_depth" | "maxdepth" if phrase.starts_with("loop") => Criterion::MaxDepth,
        "num" => Criterion::Number(entry_number(cursor, entry)?),
        _ => return bad_value(cursor, entry, "an option of `simulate`", KNOWN),
    };
    Some(make(criterion))
}

fn goal(cursor: &mut Cursor<'_>, value: &Entry) -> Option<Goal> {
    match value.phrase.as_str() {
        "Pass" => Some(Goal::Pass),
        "WeakPass" => Some(Goal::WeakPass),
        "None" => Some(Goal::None),
        _ => bad_value(cursor, value, "a goal", "Pass, WeakPass, None"),
    }
}

fn local_analysis(cursor: &mut Cursor<'_>, value: &Entry) -> Option<LocalAnalysis> {
    match (value.phrase.as_str(), &value.argument) {
        ("", Argument::Truth(true)) => Some(LocalAnalysis::On),
        ("", Argument::Truth(false)) => Some(LocalAnalysis::Off),
        ("front" | "onlyfront" | "only_front", Argument::None) => Some(LocalAnalysis::Front),
        _ => bad_value(cursor, value, "a local analysis", "true, false, front"),
    }
}

/// The items of a list value.
fn list<T>(
    cursor: &mut Cursor<'_>,
    value: &Entry,
    option: &str,
    item: fn(&mut Cursor<'_>, &Entry) -> Option<T>,
) -> Vec<T> {
    if let Argument::List(entries) = &value.argument
        && value.phrase.is_empty()
    {
        return each(cursor, entries, item);
    }
    let message = format!("`{option}` takes a list");
    let help = format!("put it in brackets: {option} = […]");
    cursor.findings.report(Code::UNKNOWN_VALUE, value.span, message, help);
    Vec::new()
}

fn each<T>(
    cursor: &mut Cursor<'_>,
    entries: &[Entry],
    item: fn(&mut Cursor<'_>, &Entry) -> Option<T>,
) -> Vec<T> {
    entries.iter().filter_map(|entry| item(cursor, entry)).collect()
}

/// A name that becomes part of a file name.
fn file_name(cursor: &mut Cursor<'_>, value: &Entry) -> Name {
    Name { symbol: cursor.names.intern(&value.phrase), span: value.span }
}

/// The truth value of an entry; true if it has no `=`.
fn flag(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<bool> {
    match &entry.argument {
        Argument::Value(value) => truth(cursor, value),
        _ => Some(true),
    }
}

fn truth(cursor: &mut Cursor<'_>, value: &Entry) -> Option<bool> {
    if let Argument::Truth(truth) = value.argument {
        return Some(truth);
    }
    bad_value(cursor, value, "`true` or `false`", "true, false")
}

/// The number after `=` of an entry.
fn entry_number(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<u64> {
    match &entry.argument {
        Argument::Value(value) => number(cursor, value),
        _ => bad_number(cursor, entry.span, "the number is missing", NATURAL),
    }
}

fn number(cursor: &mut Cursor<'_>, value: &Entry) -> Option<u64> {
    let Argument::Number { negative, digits } = value.argument else {
        return bad_number(cursor, value.span, "this is not a number", NATURAL);
    };
    if negative {
        return bad_number(cursor, value.span, "this number cannot be negative", NATURAL);
    }
    cursor.slice(digits).parse().ok().or_else(|| {
        let help = format!("the largest is {}; leave the option out for no limit", u64::MAX);
        bad_number(cursor, digits, "this number is too large", &help)
    })
}

fn signed(cursor: &mut Cursor<'_>, value: &Entry) -> Option<i64> {
    let Argument::Number { negative, digits } = value.argument else {
        return bad_number(cursor, value.span, "this is not a number", WHOLE);
    };
    let parsed: Option<i64> = cursor.slice(digits).parse().ok();
    let parsed = parsed.or_else(|| {
        let help = format!("levels are between {} and {}", -i64::MAX, i64::MAX);
        bad_number(cursor, digits, "this number is too large", &help)
    });
    parsed.map(|n| if negative { -n } else { n })
}

/// The help for a bound.
const NATURAL: &str = "write a number such as `= 0` or `= 10`";
/// The help for a priority level.
const WHOLE: &str = "write a number such as `= 1` or `= -1`";

/// Reports an invalid number; the result is always `None`.
fn bad_number<T>(cursor: &mut Cursor<'_>, span: Span, message: &str, help: &str) -> Option<T> {
    cursor.findings.report(Code::BAD_NUMBER, span, message, help);
    None
}

/// Reports an entry that is not a valid `what`; the result is always `None`. `known` lists the valid
/// values.
fn bad_value<T>(cursor: &mut Cursor<'_>, entry: &Entry, what: &str, known: &str) -> Option<T> {
    let span = if entry.phrase.is_empty() { entry.span } else { entry.key };
    // A missing value has already been reported.
    let is_missing = matches!(entry.argument, Argument::None) && entry.phrase.is_empty();
    let last = cursor.findings.list.last();
    if is_missing && last.is_some_and(|last| last.primary.span.start == span.start) {
        return None;
    }
    let written = cursor.slice(span).trim();
    let message = format!("`{}` is not {what}", shortened(written, 40));
    let found = cursor.findings.finding(Code::UNKNOWN_VALUE, span, message);
    let meant = nearest(written, known.split(", "));
    cursor.findings.push(found.with_nearest(meant, &format!("known are {known}")));
    None
}

/// Reports, as a note, that an option has no effect.
pub(super) fn not_needed(cursor: &mut Cursor<'_>, span: Span, what: &str, why: &str) {
    let message = format!("{what} is accepted, and changes nothing: {why}");
    cursor.findings.push(cursor.findings.finding(Code::OPTION_NOT_NEEDED, span, message));
}
