//! The printer of options, in the current spelling.

use crate::lexer::quote;
use crate::name::{Name, Names};
use crate::options::{
    AnalysisKind, Criterion, Filter, Generation, Goal, GraphicFormat, GraphicOption, Layout,
    LocalAnalysis, Logger, OptionSection, OptionValue, PRIORITIES, PartitionOption, Priority,
    PriorityKind, SimulateOption, Strategy, TracegenOption,
};
use crate::print::Dialect;
use crate::print::writer::Writer;

/// Prints one option per line.
pub(super) fn print(
    writer: &mut Writer<'_>,
    names: &Names,
    section: &OptionSection,
    dialect: Dialect,
) {
    writer.text(&format!("@{}{{", section.process.keyword()));
    let commented = writer.has_comment_before(section.span.end);
    if section.items.is_empty() && !commented {
        writer.text("}");
        return;
    }
    for (i, item) in section.items.iter().enumerate() {
        writer.line(1);
        writer.comments_before(item.span.start);
        writer.text(&value(names, &item.value, dialect));
        if i + 1 < section.items.len() {
            writer.text(";");
        }
    }
    if commented {
        writer.line(1);
        writer.comments_before(section.span.end);
    }
    writer.line(0);
    writer.text("}");
}

/// An option as in a `.hcf`, without names of files and folders: `strategy = DFS`.
pub fn option(option: &OptionValue) -> String {
    value(&Names::default(), option, Dialect::Current)
}

fn value(names: &Names, value: &OptionValue, dialect: Dialect) -> String {
    match value {
        OptionValue::Loggers(loggers) => {
            let loggers = loggers.iter().map(|logger| self::logger(names, logger, dialect));
            format!("loggers = {}", list(loggers))
        }
        OptionValue::Strategy(strategy) => {
            let word = match strategy {
                Strategy::Breadth => "BFS",
                Strategy::Depth => "DFS",
                Strategy::HighCoverage => "HCS",
            };
            format!("strategy = {word}")
        }
        OptionValue::Filters(filters) => {
            let key = dialect.choose("filters", "pre_filters");
            format!("{key} = {}", list(filters.iter().map(|&filter| self::filter(filter))))
        }
        OptionValue::Priorities(priorities) => {
            let key = dialect.choose("priorities", "frontier_priorities");
            match priorities.as_slice() {
                [Priority::Randomize(true)] => format!("{key} = random"),
                _ => format!("{key} = {}", list(priorities.iter().map(|&p| priority(p)))),
            }
        }
        OptionValue::Kind(kind) => {
            format!("{} = {}", dialect.choose("analysis_kind", "semantics"), self::kind(kind))
        }
        OptionValue::Goal(goal) => {
            let word = match goal {
                Goal::Pass => "Pass",
                Goal::WeakPass => "WeakPass",
                Goal::None => "None",
            };
            format!("goal = {word}")
        }
        OptionValue::LocalAnalysis(local) => {
            let word = match local {
                LocalAnalysis::Off => "false",
                LocalAnalysis::On => "true",
                LocalAnalysis::Front => "front",
            };
            format!("local_analysis = {word}")
        }
        OptionValue::Memoize(on) => format!("memoize = {on}"),
        OptionValue::PartialOrderReduction(on) => format!("partial_order_reduction = {on}"),
        OptionValue::SearchAll(on) => format!("search_all = {on}"),
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// A keyword with its options in brackets, if it has any.
fn with_options(keyword: &str, options: impl ExactSizeIterator<Item = String>) -> String {
    if options.len() == 0 { keyword.to_owned() } else { format!("{keyword}{}", list(options)) }
}

fn logger(names: &Names, logger: &Logger, dialect: Dialect) -> String {
    match logger {
        Logger::Graphic(options) if dialect == Dialect::Of2020 && options.len() == 1 => {
            format!("graphic={}", graphic(names, options[0]))
        }
        Logger::Graphic(options) => {
            with_options("graphic", options.iter().map(|&option| graphic(names, option)))
        }
        Logger::Tracegen(options) => {
            with_options("tracegen", options.iter().map(|option| tracegen(names, option)))
        }
        Logger::Automaton => "nfa".to_owned(),
    }
}

fn text(names: &Names, name: Name) -> String {
    quote(names.text(name.symbol)).into_owned()
}

fn graphic(names: &Names, option: GraphicOption) -> String {
    match option {
        GraphicOption::Format(GraphicFormat::Svg) => "svg".to_owned(),
        GraphicOption::Format(GraphicFormat::Png) => "png".to_owned(),
        GraphicOption::Layout(Layout::Vertical) => "vertical".to_owned(),
        GraphicOption::Layout(Layout::Horizontal) => "horizontal".to_owned(),
        GraphicOption::SequenceDiagrams(on) => format!("draw_sd = {on}"),
        GraphicOption::TermTrees(on) => format!("draw_tt = {on}"),
        GraphicOption::SubProcesses(on) => format!("draw_sub_processes = {on}"),
        GraphicOption::Legend(on) => format!("draw_legend = {on}"),
        GraphicOption::Folder(name) => format!("folder = {}", text(names, name)),
        GraphicOption::Output(name) => format!("output = {}", text(names, name)),
    }
}

fn tracegen(names: &Names, option: &TracegenOption) -> String {
    match option {
        TracegenOption::Generation(generation) => {
            let value = match generation {
                Generation::Exact => "exact".to_owned(),
                Generation::Prefix => "prefix".to_owned(),
                Generation::Terminal => "terminal".to_owned(),
                Generation::Depth(depth) => format!("exact depth {depth}"),
                Generation::Modulo(depth) => format!("modulo depth {depth}"),
            };
            format!("generation = {value}")
        }
        TracegenOption::Partition(PartitionOption::Discrete) => "partition = discrete".to_owned(),
        TracegenOption::Partition(PartitionOption::Trivial) => "partition = trivial".to_owned(),
        TracegenOption::Partition(PartitionOption::Listed(regions)) => {
            let region = |region: &Vec<Name>| format!("({})", super::list(names, region));
            let regions: Vec<_> = regions.iter().map(region).collect();
            format!("partition = {{{}}}", regions.join(", "))
        }
        TracegenOption::Folder(name) => format!("folder = {}", text(names, *name)),
        TracegenOption::Prefix(name) => format!("trace_prefix = {}", text(names, *name)),
    }
}

fn filter(filter: Filter) -> String {
    match filter {
        Filter::Depth(n) => format!("max_depth = {n}"),
        Filter::LoopDepth(n) => format!("max_loop_depth = {n}"),
        Filter::NodeNumber(n) => format!("max_node_number = {n}"),
    }
}

fn priority(priority: Priority) -> String {
    match priority {
        Priority::Randomize(on) => format!("randomize = {on}"),
        Priority::Level(kind, level) => {
            let word = if let PriorityKind::Rewrite(word) = kind {
                word
            } else {
                PRIORITIES.iter().find(|(_, known)| *known == kind).map_or("", |row| row.0)
            };
            let word = word.split(' ').next().unwrap_or("");
            format!("{word} = {level}")
        }
    }
}

fn kind(kind: &AnalysisKind) -> String {
    match kind {
        AnalysisKind::Accept => "accept".to_owned(),
        AnalysisKind::Prefix => "prefix".to_owned(),
        AnalysisKind::Eliminate => "eliminate".to_owned(),
        AnalysisKind::Simulate(options) => {
            with_options("simulate", options.iter().map(|&option| simulate(option)))
        }
    }
}

fn simulate(option: SimulateOption) -> String {
    let criterion = |criterion: Criterion| match criterion {
        Criterion::None => "none".to_owned(),
        Criterion::Number(n) => format!("num = {n}"),
        Criterion::MaxNumber => "max num".to_owned(),
        Criterion::MaxDepth => "max depth".to_owned(),
    };
    match option {
        SimulateOption::Before(on) => format!("before = {on}"),
        SimulateOption::Multiply(on) => format!("multiply = {on}"),
        SimulateOption::Reset(on) => format!("reset = {on}"),
        SimulateOption::Loop(bound) => format!("loop {}", criterion(bound)),
        SimulateOption::Act(bound) => format!("act {}", criterion(bound)),
    }
}
