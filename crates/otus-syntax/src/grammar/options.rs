//! Options: `@analyze_option{ strategy = DFS; goal = Pass }`.
//!
//! The text is read in two steps. First its shape, which all options share:
//!
//! ```text
//! section := '{' (entry (';' entry)* ';'?)? '}'
//! entry   := phrase ('=' value)? | phrase list | phrase number
//! value   := entry | list | number | truth | '{' region (',' region)* '}'
//! list    := '[' (entry (',' entry)*)? ']'
//! phrase  := word+                      spoken with `_` or spaces: `max_depth`, `max depth`
//! ```
//!
//! Then its meaning, one function per option. Both generations of spellings are known; an option
//! that Otus does not need is kept and noted.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::lexer::TokenKind;
use crate::name::Name;
use crate::options::{
    AnalysisKind, Criterion, Filter, Generation, Goal, GraphicOption, Layout, LocalAnalysis,
    Logger, OptionItem, OptionSection, OptionValue, Partition, Picture, Priority, PriorityKind,
    Process, Rewrite, SimulateOption, Strategy, TracegenOption,
};
use crate::parser::Cursor;
use crate::source::Span;
use crate::suggest::nearest;

/// `section := '{' (entry (';' entry)* ';'?)? '}'`, after its keyword; `at` is the `@`.
pub(super) fn section(cursor: &mut Cursor<'_>, at: Span, process: Process) -> OptionSection {
    let mut items: Vec<OptionItem> = Vec::new();
    if process == Process::Canonize {
        not_needed(cursor, at, "`@canonize_option`", "Otus normalises interactions by itself");
    }
    if let Some(open) = cursor.expect(TokenKind::LeftBrace, "`{`") {
        loop {
            match cursor.kind() {
                TokenKind::RightBrace => {
                    cursor.bump();
                    break;
                }
                TokenKind::End | TokenKind::At => {
                    cursor.unclosed(open.span, '}');
                    break;
                }
                TokenKind::Semicolon => {
                    cursor.bump();
                }
                TokenKind::Word => {
                    let entry = entry(cursor, 0);
                    if let Some(value) = option(cursor, &entry, process) {
                        let item = OptionItem { span: entry.span, value };
                        twice(cursor, &items, &item, entry.key);
                        items.push(item);
                    }
                    separator(cursor);
                }
                _ => {
                    cursor.unexpected("an option such as `strategy = DFS`");
                    skip_entry(cursor);
                }
            }
        }
    }
    OptionSection { span: Span::new(at.start, cursor.previous_end()), process, items }
}

/// Reports options that are not separated, and skips what no option can begin with.
fn separator(cursor: &mut Cursor<'_>) {
    match cursor.kind() {
        TokenKind::Semicolon | TokenKind::RightBrace | TokenKind::End | TokenKind::At => {}
        TokenKind::Word | TokenKind::Comma => {
            let end = Span::at(cursor.previous_end());
            cursor.report(
                Diagnostic::new(
                    Code::UNEXPECTED_TOKEN,
                    cursor.source(),
                    cursor.token().span,
                    "`;` is missing between two options",
                )
                .with_help("separate options by `;`")
                .with_fix(end, ";"),
            );
            cursor.eat(TokenKind::Comma);
        }
        _ => {
            cursor.unexpected("`;` or `}`");
            skip_entry(cursor);
        }
    }
}

fn skip_entry(cursor: &mut Cursor<'_>) {
    while !matches!(
        cursor.kind(),
        TokenKind::Semicolon | TokenKind::RightBrace | TokenKind::End | TokenKind::At
    ) {
        cursor.bump();
    }
}

/// The shape of an option: a phrase and perhaps something about it.
struct Entry {
    span: Span,
    /// The phrase with its words joined by `_`; empty for a bare list or number.
    phrase: String,
    key: Span,
    argument: Argument,
}

/// What follows a phrase.
enum Argument {
    None,
    /// `= value`, or a number right after the phrase.
    Value(Box<Entry>),
    /// `[…]`
    List(Vec<Entry>),
    /// `{(l1,l2),(l3)}`
    Regions(Vec<Vec<Name>>),
    /// A number with its sign.
    Number {
        negative: bool,
        digits: Span,
    },
    /// `true`, `⊤`, …
    Truth(bool),
}

/// No option nests its lists and values deeper than this.
const MAX_NESTING: usize = 8;

/// `entry := phrase ('=' value)? | phrase list | phrase number`
fn entry(cursor: &mut Cursor<'_>, depth: usize) -> Entry {
    let start = cursor.token().span;
    let mut phrase = String::new();
    let mut key = Span::at(start.start);
    while cursor.kind() == TokenKind::Word {
        if !phrase.is_empty() {
            // A `;` may be missing: the next option does not belong to this phrase.
            if OPTIONS.contains(&cursor.text()) && cursor.kind_after() == TokenKind::Equals {
                break;
            }
            phrase.push('_');
        }
        phrase.push_str(cursor.text());
        key = start.to(cursor.bump().span);
    }
    let argument = if cursor.eat(TokenKind::Equals).is_some() {
        Argument::Value(Box::new(value(cursor, depth + 1)))
    } else {
        match cursor.kind() {
            TokenKind::LeftBracket => Argument::List(list(cursor, depth)),
            TokenKind::Number => Argument::Value(Box::new(value(cursor, depth + 1))),
            _ => Argument::None,
        }
    };
    Entry {
        span: Span::new(start.start, cursor.previous_end().max(start.start)),
        phrase,
        key,
        argument,
    }
}

/// `value := entry | list | number | truth | '{' region (',' region)* '}'`
fn value(cursor: &mut Cursor<'_>, depth: usize) -> Entry {
    let start = cursor.token().span;
    let argument = match cursor.kind() {
        TokenKind::LeftBracket => Argument::List(list(cursor, depth)),
        TokenKind::LeftBrace => Argument::Regions(regions(cursor)),
        TokenKind::Number | TokenKind::Minus => {
            let negative = cursor.eat(TokenKind::Minus).is_some();
            let digits = cursor.token().span;
            cursor.expect(TokenKind::Number, "a number");
            Argument::Number { negative, digits }
        }
        TokenKind::Top | TokenKind::Bottom => Argument::Truth(cursor.bump().kind == TokenKind::Top),
        TokenKind::Word => {
            let truth = match cursor.text() {
                "true" | "True" | "TRUE" => Some(true),
                "false" | "False" | "FALSE" => Some(false),
                _ => None,
            };
            match truth {
                Some(truth) => {
                    cursor.bump();
                    Argument::Truth(truth)
                }
                None if depth < MAX_NESTING => return entry(cursor, depth),
                None => {
                    cursor.unexpected("the end of this option");
                    skip_entry(cursor);
                    Argument::None
                }
            }
        }
        TokenKind::Quoted => {
            let quoted = cursor.bump().span;
            let phrase = crate::lexer::unquote(cursor.slice(quoted)).into_owned();
            return Entry { span: quoted, phrase, key: quoted, argument: Argument::None };
        }
        _ => {
            cursor.unexpected("a value");
            Argument::None
        }
    };
    let span = Span::new(start.start, cursor.previous_end().max(start.start));
    Entry { span, phrase: String::new(), key: start, argument }
}

/// `list := '[' (entry (',' entry)*)? ']'`
fn list(cursor: &mut Cursor<'_>, depth: usize) -> Vec<Entry> {
    let open = cursor.bump().span;
    let mut entries = Vec::new();
    loop {
        match cursor.kind() {
            TokenKind::RightBracket => {
                cursor.bump();
                return entries;
            }
            TokenKind::Comma => {
                cursor.bump();
            }
            TokenKind::Word if depth < MAX_NESTING => entries.push(entry(cursor, depth + 1)),
            TokenKind::End | TokenKind::At | TokenKind::Semicolon | TokenKind::RightBrace => {
                cursor.unclosed(open, ']');
                return entries;
            }
            _ => {
                cursor.unexpected("an entry, `,` or `]`");
                cursor.bump();
            }
        }
    }
}

/// `'{' region (',' region)* '}'` with `region := '(' name (',' name)* ')'`
fn regions(cursor: &mut Cursor<'_>) -> Vec<Vec<Name>> {
    let open = cursor.bump().span;
    let mut regions: Vec<Vec<Name>> = Vec::new();
    loop {
        match cursor.kind() {
            TokenKind::RightBrace => {
                cursor.bump();
                return regions;
            }
            TokenKind::LeftParen => {
                cursor.bump();
                regions.push(Vec::new());
            }
            TokenKind::Comma | TokenKind::RightParen => {
                cursor.bump();
            }
            TokenKind::Word | TokenKind::Quoted | TokenKind::OpenQuote => {
                let name = cursor.name("a lifeline");
                match regions.last_mut() {
                    Some(region) => region.extend(name),
                    None => cursor.unexpected("`(` before the lifelines of a co-localization"),
                }
            }
            TokenKind::End | TokenKind::At | TokenKind::Semicolon | TokenKind::RightBracket => {
                cursor.unclosed(open, '}');
                return regions;
            }
            _ => {
                cursor.unexpected("`(`, a lifeline, `,` or `}`");
                cursor.bump();
            }
        }
    }
}

/// Every option by its names, old and new.
const OPTIONS: [&str; 14] = [
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

/// What an entry of a section sets.
fn option(cursor: &mut Cursor<'_>, entry: &Entry, process: Process) -> Option<OptionValue> {
    let phrase = entry.phrase.as_str();
    let begins =
        |option: &&str| phrase.strip_prefix(*option).is_some_and(|rest| rest.starts_with('_'));
    if !OPTIONS.contains(&phrase)
        && cursor.slice(entry.key).contains(char::is_whitespace)
        && let Some(option) = OPTIONS.into_iter().find(|option| begins(option))
    {
        cursor.report(
            Diagnostic::new(
                Code::UNKNOWN_VALUE,
                cursor.source(),
                entry.key,
                format!("`{option}` has no `=` before its value"),
            )
            .with_help(format!("write `{option} = …`")),
        );
        return None;
    }
    if !OPTIONS.contains(&phrase) {
        let found = Diagnostic::new(
            Code::UNKNOWN_OPTION,
            cursor.source(),
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
            Diagnostic::new(
                Code::OPTION_MISPLACED,
                cursor.source(),
                entry.key,
                format!("`{phrase}` has no meaning in an exploration"),
            )
            .with_help("move it to @analyze_option"),
        );
    }
    let Argument::Value(value) = &entry.argument else {
        // `search_all` alone means true; everything else needs a value.
        if phrase == "search_all" && matches!(entry.argument, Argument::None) {
            return Some(OptionValue::SearchAll(true));
        }
        cursor.report(
            Diagnostic::new(
                Code::UNKNOWN_VALUE,
                cursor.source(),
                entry.key,
                format!("`{phrase}` has no value"),
            )
            .with_help(format!("write `{phrase} = …`")),
        );
        return None;
    };
    match phrase {
        "loggers" => Some(OptionValue::Loggers(loggers(cursor, value))),
        "strategy" => strategy(cursor, value).map(OptionValue::Strategy),
        "filters" | "pre_filters" => Some(OptionValue::Filters(filters(cursor, value))),
        "priorities" | "frontier_priorities" => {
            Some(OptionValue::Priorities(priorities(cursor, value)))
        }
        "analysis_kind" | "semantics" => kind(cursor, value).map(OptionValue::Kind),
        "goal" => goal(cursor, value).map(OptionValue::Goal),
        "local_analysis" => local_analysis(cursor, value).map(OptionValue::LocalAnalysis),
        "memoize" => truth(cursor, value).map(OptionValue::Memoize),
        "partial_order_reduction" | "por" => {
            truth(cursor, value).map(OptionValue::PartialOrderReduction)
        }
        _ => truth(cursor, value).map(OptionValue::SearchAll),
    }
}

/// `loggers = [graphic[svg, vertical], tracegen[generation = exact], nfa]`
fn loggers(cursor: &mut Cursor<'_>, value: &Entry) -> Vec<Logger> {
    let mut loggers = Vec::new();
    for entry in entries(cursor, value, "loggers") {
        let options = match &entry.argument {
            Argument::None => &[],
            Argument::List(entries) => entries.as_slice(),
            Argument::Value(value) => std::slice::from_ref(value.as_ref()),
            Argument::Regions(_) | Argument::Number { .. } | Argument::Truth(_) => {
                bad_value(cursor, entry, "a logger", &["graphic", "tracegen", "nfa"]);
                continue;
            }
        };
        match entry.phrase.as_str() {
            "graphic" => loggers.push(Logger::Graphic(
                options.iter().filter_map(|option| graphic(cursor, option)).collect(),
            )),
            "tracegen" => loggers.push(Logger::Tracegen(
                options.iter().filter_map(|option| tracegen(cursor, option)).collect(),
            )),
            "nfa" | "nfait" => loggers.push(Logger::Automaton),
            _ => bad_value(cursor, entry, "a logger", &["graphic", "tracegen", "nfa"]),
        }
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
        ("svg", _) => Some(GraphicOption::Format(Picture::Svg)),
        ("png", _) => Some(GraphicOption::Format(Picture::Png)),
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
        _ => {
            bad_value(cursor, entry, "an option of `graphic`", &KNOWN);
            None
        }
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
        _ => {
            bad_value(cursor, entry, "an option of `tracegen`", &KNOWN);
            None
        }
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
        _ => {
            bad_value(cursor, entry, "a kind of generation", &KNOWN);
            None
        }
    }
}

fn partition(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<Partition> {
    match (entry.phrase.as_str(), &entry.argument) {
        ("discrete", Argument::None) => Some(Partition::Discrete),
        ("trivial", Argument::None) => Some(Partition::Trivial),
        ("", Argument::Regions(regions)) => Some(Partition::Listed(regions.clone())),
        _ => {
            bad_value(cursor, entry, "a partition", &["discrete", "trivial", "{(l1,l2),(l3)}"]);
            None
        }
    }
}

fn strategy(cursor: &mut Cursor<'_>, value: &Entry) -> Option<Strategy> {
    match value.phrase.to_ascii_lowercase().as_str() {
        "bfs" | "breadthfs" | "breadth_first_search" => Some(Strategy::Breadth),
        "dfs" | "depthfs" | "depth_first_search" => Some(Strategy::Depth),
        "hcs" | "highcoverages" | "high_coverage_search" => Some(Strategy::HighCoverage),
        _ => {
            bad_value(cursor, value, "a strategy", &["DFS", "BFS", "HCS"]);
            None
        }
    }
}

fn filters(cursor: &mut Cursor<'_>, value: &Entry) -> Vec<Filter> {
    const KNOWN: [&str; 3] = ["max_depth", "max_loop_depth", "max_node_number"];
    let mut filters = Vec::new();
    for entry in entries(cursor, value, "filters") {
        let filter = match entry.phrase.as_str() {
            "max_depth" => Filter::Depth,
            "max_loop_depth" => Filter::LoopDepth,
            "max_node_number" => Filter::NodeNumber,
            _ => {
                bad_value(cursor, entry, "a filter", &KNOWN);
                continue;
            }
        };
        filters.extend(entry_number(cursor, entry).map(filter));
    }
    filters
}

fn priorities(cursor: &mut Cursor<'_>, value: &Entry) -> Vec<Priority> {
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
                bad_value(cursor, entry, "a priority", &KNOWN);
                continue;
            }
        };
        if let PriorityKind::Rewrite(_) = kind {
            let what = format!("the priority `{}`", entry.phrase);
            not_needed(cursor, entry.key, &what, "Otus has no rewriting steps to order");
        }
        let level = match &entry.argument {
            Argument::Value(value) => signed(cursor, value),
            _ => {
                bad_number(cursor, entry.span, "the level of this priority is missing", WHOLE);
                None
            }
        };
        priorities.extend(level.map(|level| Priority::Level(kind, level)));
    }
    priorities
}

fn kind(cursor: &mut Cursor<'_>, value: &Entry) -> Option<AnalysisKind> {
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
            bad_value(cursor, value, "a kind of analysis", &known);
            None
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
        bad_value(cursor, entry, "an option of `simulate`", &KNOWN);
        return None;
    };
    match rest.to_ascii_lowercase().as_str() {
        "none" => Some(make(Criterion::None)),
        "max_num" | "maxnum" => Some(make(Criterion::MaxNumber)),
        "max_depth" | "maxdepth" if phrase.starts_with("loop") => Some(make(Criterion::MaxDepth)),
        "num" => entry_number(cursor, entry).map(|n| make(Criterion::Number(n))),
        _ => {
            bad_value(cursor, entry, "an option of `simulate`", &KNOWN);
            None
        }
    }
}

fn goal(cursor: &mut Cursor<'_>, value: &Entry) -> Option<Goal> {
    match value.phrase.as_str() {
        "Pass" => Some(Goal::Pass),
        "WeakPass" => Some(Goal::WeakPass),
        "None" => Some(Goal::None),
        _ => {
            bad_value(cursor, value, "a goal", &["Pass", "WeakPass", "None"]);
            None
        }
    }
}

fn local_analysis(cursor: &mut Cursor<'_>, value: &Entry) -> Option<LocalAnalysis> {
    match (value.phrase.as_str(), &value.argument) {
        ("", Argument::Truth(true)) => Some(LocalAnalysis::On),
        ("", Argument::Truth(false)) => Some(LocalAnalysis::Off),
        ("front" | "onlyfront" | "only_front", Argument::None) => Some(LocalAnalysis::Front),
        _ => {
            bad_value(cursor, value, "a local analysis", &["true", "false", "front"]);
            None
        }
    }
}

/// The entries of a list value.
fn entries<'e>(cursor: &mut Cursor<'_>, value: &'e Entry, option: &str) -> &'e [Entry] {
    match &value.argument {
        Argument::List(entries) if value.phrase.is_empty() => entries,
        _ => {
            cursor.report(
                Diagnostic::new(
                    Code::UNKNOWN_VALUE,
                    cursor.source(),
                    value.span,
                    format!("`{option}` takes a list"),
                )
                .with_help(format!("put it in brackets: {option} = […]")),
            );
            &[]
        }
    }
}

/// A name that becomes part of a file name.
fn file_name(cursor: &mut Cursor<'_>, value: &Entry) -> Name {
    Name { symbol: cursor.names.intern(&value.phrase), span: value.span }
}

fn truth(cursor: &mut Cursor<'_>, value: &Entry) -> Option<bool> {
    if let Argument::Truth(truth) = value.argument {
        return Some(truth);
    }
    bad_value(cursor, value, "`true` or `false`", &["true", "false"]);
    None
}

/// The number after `=` of an entry.
fn entry_number(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<u64> {
    match &entry.argument {
        Argument::Value(value) => number(cursor, value),
        _ => {
            bad_number(cursor, entry.span, "the number is missing", NATURAL);
            None
        }
    }
}

fn number(cursor: &mut Cursor<'_>, value: &Entry) -> Option<u64> {
    let Argument::Number { negative, digits } = value.argument else {
        bad_number(cursor, value.span, "this is not a number", NATURAL);
        return None;
    };
    if negative {
        bad_number(cursor, value.span, "this number cannot be negative", NATURAL);
        return None;
    }
    let parsed = cursor.slice(digits).parse().ok();
    if parsed.is_none() {
        let help = format!("the largest is {}; leave the option out for no limit", u64::MAX);
        bad_number(cursor, digits, "this number is too large", &help);
    }
    parsed
}

fn signed(cursor: &mut Cursor<'_>, value: &Entry) -> Option<i64> {
    let Argument::Number { negative, digits } = value.argument else {
        bad_number(cursor, value.span, "this is not a number", WHOLE);
        return None;
    };
    let parsed: Option<i64> = cursor.slice(digits).parse().ok();
    if parsed.is_none() {
        let help = format!("levels are between {} and {}", -i64::MAX, i64::MAX);
        bad_number(cursor, digits, "this number is too large", &help);
    }
    parsed.map(|n| if negative { -n } else { n })
}

/// What a bound is.
const NATURAL: &str = "write a number such as `= 0` or `= 10`";
/// What a level is.
const WHOLE: &str = "write a number such as `= 1` or `= -1`";

fn bad_number(cursor: &mut Cursor<'_>, span: Span, message: &str, help: &str) {
    cursor
        .report(Diagnostic::new(Code::BAD_NUMBER, cursor.source(), span, message).with_help(help));
}

fn bad_value(cursor: &mut Cursor<'_>, entry: &Entry, what: &str, known: &[&str]) {
    let span = if entry.phrase.is_empty() { entry.span } else { entry.key };
    // Where a value is missing, that has been said.
    let is_missing = matches!(entry.argument, Argument::None) && entry.phrase.is_empty();
    if is_missing
        && cursor.diagnostics.last().is_some_and(|last| last.primary.span.start == span.start)
    {
        return;
    }
    let written = cursor.slice(span).trim();
    let found = Diagnostic::new(
        Code::UNKNOWN_VALUE,
        cursor.source(),
        span,
        format!("`{}` is not {what}", shorten(written)),
    );
    let meant = nearest(written, known.iter().copied());
    cursor.report(match meant {
        Some(meant) => found.with_help(format!("did you mean `{meant}`?")).with_fix(span, meant),
        None => found.with_help(format!("known are {}", known.join(", "))),
    });
}

fn shorten(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

fn not_needed(cursor: &mut Cursor<'_>, span: Span, what: &str, why: &str) {
    cursor.report(Diagnostic::new(
        Code::OPTION_NOT_NEEDED,
        cursor.source(),
        span,
        format!("{what} is accepted, and changes nothing: {why}"),
    ));
}

/// Warns when the same option was set before in this section.
fn twice(cursor: &mut Cursor<'_>, items: &[OptionItem], item: &OptionItem, key: Span) {
    let same = |other: &&OptionItem| {
        std::mem::discriminant(&other.value) == std::mem::discriminant(&item.value)
    };
    let Some(first) = items.iter().find(same) else { return };
    cursor.report(
        Diagnostic::new(
            Code::OPTION_TWICE,
            cursor.source(),
            key,
            "this option was set before; the last one counts",
        )
        .with_related(cursor.source(), first.span, "first set here")
        .with_help("keep one of the two"),
    );
}
