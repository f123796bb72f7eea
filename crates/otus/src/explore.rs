//! Explores the execution tree of an interaction, and collects the multi-traces of its nodes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use otus_analysis::graph::record::{Context as Recorded, Graph};
use otus_analysis::graph::values::Learned;
use otus_analysis::values::ValueWalks;
use otus_analysis::{Config, explore as engine, generate};
use otus_core::budget::Budget;
use otus_core::{Pool, TermId, Valued, automaton};
use otus_draw::layout::automaton as automaton_layout;
use otus_syntax::ast::{SpecFile, TraceFile};
use otus_syntax::options::{Generation, Logger, Process, TracegenOption};
use otus_trace::multitrace::Partition;
use otus_trace::raise_with_facts;

use crate::analysis::SearchOptions;
use crate::analysis::attach::{GraphOptions, LOGGER_NODES};
use crate::analysis::legend::Legend;
use crate::context::Context;
use crate::derive::Derived;
use crate::error::{Error, Result, unfit};
use crate::format::Format;
use crate::generate::{Unique, projected};
use crate::load::{Loaded, options};
use crate::picture::{self, Picture, PictureFormat, PictureStyle};
use crate::units::counted;

/// The seed of the values of multi-traces.
const SEED: u64 = 0;
/// The maximum number of nodes of a search.
const NODES: u64 = 1_000_000;

/// The specification to explore, and the files to make.
#[derive(Debug, Clone, Default)]
pub struct ExploreRequest {
    /// The specification.
    pub names: Vec<String>,
    /// The format of the specification, if its name does not give it.
    pub from: Option<Format>,
    /// The options of the search; only strategy, priorities, filters and seed are used.
    pub search: SearchOptions,
    /// The time limit.
    pub timeout: Option<Duration>,
    /// The graph, if requested.
    pub graph: Option<GraphOptions>,
    /// The style of pictures that loggers ask for.
    pub logger_style: PictureStyle,
    /// The nodes that give multi-traces: `exact`, `prefix`, `terminal`.
    pub traces: Option<String>,
    /// The lifelines that share a log.
    pub partition: Option<String>,
    /// Whether the caller gives a destination for multi-traces.
    pub has_output: bool,
}

/// The result of an exploration.
#[derive(Debug)]
#[non_exhaustive]
pub struct Explored {
    /// The tree as text, unless a graph or multi-traces were requested.
    pub tree: Option<String>,
    /// The graph, and the file that a logger names for it.
    pub graph: Option<(Picture, Option<PathBuf>)>,
    /// The automaton, and the file that a logger names for it.
    pub automaton: Option<(Picture, PathBuf)>,
    /// The multi-traces, and the folder that a logger names for them.
    pub traces: Option<(Vec<Derived>, Option<PathBuf>)>,
    /// A sentence about the exploration.
    pub text: String,
    /// Whether a limit ended it.
    pub is_limited: bool,
}

/// Explores the executions of a specification.
///
/// # Errors
/// If the specification cannot be read, or a picture cannot be made.
pub fn explore(context: &Context, request: &ExploreRequest) -> Result<Explored> {
    let mut loaded = Loaded::read(context, &request.names, request.from)?;
    let (mut lowered, term) = loaded.only_interaction(context)?;
    if let Some(trace) = loaded.traces.first() {
        let name = loaded.sources.source(trace.tree.source).name();
        unfit!(
            "`otus explore` is about a specification alone, and {name} is a multi-trace; leave it \
             out, or ask `otus analyze`"
        );
    }
    let files = &loaded.specs[0].files;
    let mut config = configuration(context, request, files)?;
    // If no bounds are given, and a loop would make the tree infinite, small bounds are set.
    let filters = &mut config.filters;
    let is_free = filters.depth.is_none() && filters.loop_depth.is_none();
    let is_bounded = is_free && filters.nodes.is_none() && lowered.pool.attributes(term).loops > 0;
    if is_bounded {
        (filters.depth, filters.nodes) = (Some(6), Some(500));
    }
    let mut graph = Graph::default();
    let wanted = wanted(request, files, &lowered.pool)?;
    let mut trees = Vec::new();
    let (report, positions) = if let Some(valued) = lowered.valued.as_deref() {
        let found = engine::explore_valued(&lowered.pool, valued, &config, &mut graph);
        let (report, positions, mut learned) =
            found.map_err(|unfit| Error::Unfit(unfit.to_string()))?;
        if let Some(wanted) = &wanted {
            trees = with_values(context, &mut lowered.pool, valued, (&graph, &learned), wanted);
        }
        let shown = learned.show(&lowered.pool, &graph, None);
        (lowered.pool, graph) = (shown.pool, shown.graph);
        (report, positions)
    } else {
        let found = engine::explore(&mut lowered.pool, term, &config, &mut graph);
        if let Some(wanted) = &wanted {
            let traces = generate::of_graph(&graph, wanted.generation);
            let tree = |trace: &Vec<_>| projected(&lowered.pool, &wanted.partition, trace);
            trees = traces.iter().map(tree).collect();
        }
        found
    };
    let mut loggers = options::loggers(files, Process::Explore);
    let automaton = loggers
        .any(|(_, logger)| matches!(logger, Logger::Automaton))
        .then(|| automaton_picture(&mut lowered.pool, term, &loaded, &request.logger_style));
    let recorded = Recorded { pool: &lowered.pool, positions: &positions, trace: None };
    let style = request.logger_style.clone();
    let by_logger = || GraphOptions::of_loggers(&loaded, Process::Explore, style);
    let legend = Legend::of_exploration(&config);
    let drawn = request
        .graph
        .clone()
        .or_else(by_logger)
        .map(|options| (options.render(&recorded, &graph, (&legend, None)), options.path));
    let tree = (wanted.is_none() && request.graph.is_none()).then(|| tree(&recorded, &graph));
    let traces = wanted.map(|wanted| {
        let mut made = Vec::new();
        let mut take = |derived| {
            made.push(derived);
            Ok(())
        };
        let mut unique = Unique::new(&mut take);
        for tree in trees {
            unique.add(tree)?;
        }
        Ok((made, wanted.folder))
    });
    let accepting = graph.nodes.iter().filter(|node| node.leaf.is_some()).count();
    let verb = if accepting == 1 { "accepts" } else { "accept" };
    let nodes = counted(report.nodes, "node");
    let mut text = format!("explored {nodes}, {accepting} of which {verb}");
    if report.cut {
        text.push_str("; the filters cut the tree, at the nodes marked …");
    }
    if report.stop.is_early() {
        let _ = write!(text, "; {}", report.stop.reason());
    }
    if is_bounded {
        text.push_str(
            "\nthe interaction has loops and no filter was given: bounded to depth 6 and 500 nodes",
        );
    }
    Ok(Explored {
        tree,
        graph: drawn,
        automaton: automaton.transpose()?,
        traces: traces.transpose()?,
        text,
        is_limited: report.stop.is_early(),
    })
}

/// The multi-traces of the nodes of a graph, with values that satisfy the guards.
fn with_values(
    context: &Context,
    pool: &mut Pool,
    valued: &Valued,
    (graph, learned): (&Graph, &Learned),
    wanted: &Wanted,
) -> Vec<TraceFile> {
    let traces = generate::of_graph(graph, wanted.generation);
    let longest = traces.iter().map(Vec::len).max().unwrap_or(0);
    let walks = ValueWalks::new(pool, valued, &wanted.partition, longest, SEED);
    let mut walks = walks.until(context.cancel.clone());
    let is_accepted = wanted.generation == Generation::Exact;
    let trees: Vec<TraceFile> = traces
        .iter()
        .filter_map(|trace| {
            let leaves: Vec<_> = trace.iter().filter_map(|&event| learned.leaf(event)).collect();
            let walked = walks.walk_along(&leaves, is_accepted)?;
            let (trace, facts) = (&walked.trace, &walked.facts);
            Some(raise_with_facts(trace, facts, &valued.fields, walks.pool()))
        })
        .collect();
    let without = traces.len() - trees.len();
    if without > 0 {
        context.remark(format!(
            "warning: no values were found for {}, which {} left out",
            counted(without, "multi-trace"),
            if without == 1 { "is" } else { "are" },
        ));
    }
    trees
}

/// The automaton of an interaction, in a file named after the specification.
fn automaton_picture(
    pool: &mut Pool,
    term: TermId,
    loaded: &Loaded,
    style: &PictureStyle,
) -> Result<(Picture, PathBuf)> {
    let limits = automaton::AutomatonLimits {
        states: LOGGER_NODES,
        ..automaton::AutomatonLimits::default()
    };
    let found = automaton::build(pool, term, limits);
    let scene = automaton_layout::automaton(pool, &found, &automaton_layout::Options::default());
    let name = loaded.interaction_name().map(Path::new).and_then(Path::file_stem);
    let name = name.unwrap_or("interaction".as_ref()).to_string_lossy();
    let picture = picture::render(&scene, PictureFormat::Svg, style)?;
    Ok((picture, format!("{name}_nfa.svg").into()))
}

fn configuration(
    context: &Context,
    request: &ExploreRequest,
    files: &[SpecFile],
) -> Result<Config> {
    let mut config = Config::default();
    for (_, section) in options::sections(files, Process::Explore) {
        config.apply(section);
    }
    let priorities = request.search.priorities.as_ref().map(|it| it.to_lowercase());
    let filters = request.search.filters.as_ref().map(|it| it.to_lowercase());
    let flags = [
        ("strategy", request.search.strategy.as_deref()),
        ("priorities", priorities.as_deref()),
        ("filters", filters.as_deref()),
    ];
    for (key, value) in flags {
        if let Some(value) = value {
            config.apply(&options::parse(Process::Explore, &format!("{key} = {value}"))?);
        }
    }
    config.seed = request.search.seed;
    config.budget = Budget {
        max_states: Some(NODES),
        timeout: request.timeout,
        cancel: context.cancel.clone(),
        ..Budget::default()
    };
    Ok(config)
}

struct Wanted {
    generation: Generation,
    partition: Partition,
    /// The folder that a logger names; otherwise the destination of the caller.
    folder: Option<PathBuf>,
}

/// The multi-traces that the request or a `tracegen` logger asks for.
fn wanted(request: &ExploreRequest, files: &[SpecFile], pool: &Pool) -> Result<Option<Wanted>> {
    let signature = pool.signature();
    let mut wanted: Option<Wanted> = None;
    let usual = |folder| Wanted {
        generation: Generation::Exact,
        partition: Partition::discrete(signature.lifeline_count()),
        folder,
    };
    for (file, logger) in options::loggers(files, Process::Explore) {
        let Logger::Tracegen(chosen) = logger else { continue };
        let mut found = usual(Some("traces".into()));
        for option in chosen {
            match option {
                TracegenOption::Generation(generation) => found.generation = *generation,
                TracegenOption::Partition(partition) => {
                    found.partition = options::resolve(partition, file, signature)?;
                }
                TracegenOption::Folder(name) => {
                    found.folder = Some(file.names.text(name.symbol).into());
                }
                TracegenOption::Prefix(_) => {}
            }
        }
        wanted = Some(found);
    }
    if request.traces.is_none() && !request.has_output && request.partition.is_none() {
        return Ok(wanted);
    }
    let mut wanted = wanted.unwrap_or_else(|| usual(None));
    if let Some(traces) = &request.traces {
        wanted.generation = options::generation(traces)?;
    }
    if let Some(partition) = &request.partition {
        wanted.partition = options::partition(partition, signature)?;
    }
    if request.has_output || request.traces.is_some() {
        wanted.folder = None;
    }
    Ok(Some(wanted))
}

/// The tree as text: one step per line, indented by depth; `✓` where the interaction may end.
fn tree(recorded: &Recorded<'_>, graph: &Graph) -> String {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for (id, node) in graph.nodes.iter().enumerate() {
        if let Some((parent, _)) = node.parent {
            children[parent.0 as usize].push(id);
        }
    }
    let mut out = String::new();
    let mut stack = vec![(0_usize, 0_usize)];
    while let Some((id, depth)) = stack.pop() {
        let Some(node) = graph.nodes.get(id) else { continue };
        let step = node
            .parent
            .map_or_else(|| recorded.pool.text(node.state.term), |(_, rule)| recorded.rule(&rule));
        let accepts = if node.leaf.is_some() { " ✓" } else { "" };
        let cut = if node.cut > 0 { " …" } else { "" };
        let _ = writeln!(out, "{}{step}{accepts}{cut}", "  ".repeat(depth.min(40)));
        stack.extend(children[id].iter().rev().map(|&child| (child, depth + 1)));
    }
    out
}
