//! The interpretation of an entry as an option.

use super::shape::{Argument, Entry};
use super::{analysis, logger, search, value};
use crate::code::Code;
use crate::options::{OptionValue, Process};
use crate::parser::Cursor;
use crate::suggest::nearest;

/// The names of all options, old and new.
pub(super) const OPTIONS: [&str; 14] = [
    "loggers",
    "strategy",
    "filters",
    "pre_filters",
    "priorities",
    "frontier_priorities",
    "analysis_kind",
    "semantics",
    "goal",
    "local_analysis",
    "memoize",
    "partial_order_reduction",
    "por",
    "search_all",
];

/// The option that an entry of a section sets.
pub(super) fn option(
    cursor: &mut Cursor<'_>,
    entry: &Entry,
    process: Process,
) -> Option<OptionValue> {
    let phrase = entry.phrase.as_str();
    let begins =
        |option: &&str| phrase.strip_prefix(*option).is_some_and(|rest| rest.starts_with('_'));
    if !OPTIONS.contains(&phrase)
        && cursor.slice(entry.key).contains(char::is_whitespace)
        && let Some(option) = OPTIONS.into_iter().find(|option| begins(option))
    {
        cursor.report(
            cursor
                .finding(
                    Code::UNKNOWN_VALUE,
                    entry.key,
                    format!("`{option}` has no `=` before its value"),
                )
                .with_help(format!("write `{option} = …`")),
        );
        return None;
    }
    if !OPTIONS.contains(&phrase) {
        let found = cursor.finding(
            Code::UNKNOWN_OPTION,
            entry.key,
            format!("there is no option `{phrase}`"),
        );
        cursor.report(match nearest(phrase, OPTIONS) {
            Some(meant) => {
                found.with_help(format!("did you mean `{meant}`?")).with_fix(entry.key, meant)
            }
            None => found.with_help(
                "the options are loggers, strategy, filters, priorities, analysis_kind, goal, \
                 local_analysis, memoize and partial_order_reduction",
            ),
        });
        return None;
    }
    let analysis_only = matches!(phrase, "analysis_kind" | "semantics" | "goal" | "local_analysis");
    if analysis_only && process == Process::Explore {
        cursor.report(
            cursor
                .finding(
                    Code::OPTION_MISPLACED,
                    entry.key,
                    format!("`{phrase}` has no meaning in an exploration"),
                )
                .with_help("move it to @analyze_option"),
        );
    }
    let Argument::Value(argument) = &entry.argument else {
        // `search_all` alone means true; every other option needs a value.
        if phrase == "search_all" && matches!(entry.argument, Argument::None) {
            return Some(OptionValue::SearchAll(true));
        }
        cursor.report(
            cursor
                .finding(Code::UNKNOWN_VALUE, entry.key, format!("`{phrase}` has no value"))
                .with_help(format!("write `{phrase} = …`")),
        );
        return None;
    };
    match phrase {
        "loggers" => Some(OptionValue::Loggers(logger::loggers(cursor, argument))),
        "strategy" => search::strategy(cursor, argument).map(OptionValue::Strategy),
        "filters" | "pre_filters" => Some(OptionValue::Filters(search::filters(cursor, argument))),
        "priorities" | "frontier_priorities" => {
            Some(OptionValue::Priorities(search::priorities(cursor, argument)))
        }
        "analysis_kind" | "semantics" => analysis::kind(cursor, argument).map(OptionValue::Kind),
        "goal" => analysis::goal(cursor, argument).map(OptionValue::Goal),
        "local_analysis" => {
            analysis::local_analysis(cursor, argument).map(OptionValue::LocalAnalysis)
        }
        "memoize" => value::truth(cursor, argument).map(OptionValue::Memoize),
        "partial_order_reduction" | "por" => {
            value::truth(cursor, argument).map(OptionValue::PartialOrderReduction)
        }
        _ => value::truth(cursor, argument).map(OptionValue::SearchAll),
    }
}
