//! `otus explore`: the execution tree of an interaction, and the multi-traces in it.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::bail;
use otus_analysis::Config;
use otus_analysis::explore::explore;
use otus_analysis::generate;
use otus_analysis::graph::record::{Context, Graph};
use otus_core::{Lowered, Pool, TermId, automaton};
use otus_draw::layout::automaton as automaton_layout;
use otus_syntax::ast::SpecFile;
use otus_syntax::options::{Generation, Logger, Process, TracegenOption};
use otus_trace::multitrace::Partition;

use super::analyze::{budget, one_specification};
use super::generate::write_traces;
use crate::args::{Color, ExploreArgs};
use crate::cases::Place;
use crate::exit::Exit;
use crate::graph_file::GraphFile;
use crate::load::{Fences, Loaded};
use crate::picture::{self, Look};
use crate::words::counted;
use crate::{options, output};

pub(crate) fn run(args: &ExploreArgs, color: Color) -> anyhow::Result<Exit> {
    let mut loaded = Loaded::read(&args.files, args.from, Fences::One)?;
    let specification = one_specification(&mut loaded)?;
    let faulty = loaded.explain(color);
    let Some((mut lowered, term)) = specification.filter(|_| !faulty) else {
        return Ok(Exit::Error);
    };
    if let Some(trace) = loaded.traces.first() {
        let name = loaded.inputs.source(trace.tree.source).name();
        bail!(
            "`otus explore` is about a specification alone, and {name} is a multi-trace; leave it \
             out, or ask `otus analyze`"
        );
    }
    let files = &loaded.specs[0].files;
    let mut config = configuration(args, files)?;
    let bounded = bound(&mut config, &lowered, term);
    let mut graph = Graph::default();
    let (report, positions) = explore(&mut lowered.pool, term, &config, &mut graph);
    let context = Context { pool: &lowered.pool, positions: &positions, trace: None };
    let file = match GraphFile::of_flag(&args.search)? {
        Some(file) => Some(file),
        None => {
            let name = loaded.interaction_name();
            GraphFile::of_loggers(&args.search, files, Process::Explore, name)?
        }
    };
    if let Some(file) = &file {
        file.write(&context, &graph, None)?;
    }
    if file.is_none() && !wants_automaton(files) {
        picture::note_idle_search(&args.search);
    }
    if wants_automaton(files) {
        write_automaton(&mut lowered.pool, term, &loaded, &Look::new(&args.search.picture)?)?;
    }
    let context = Context { pool: &lowered.pool, positions: &positions, trace: None };
    let wanted = wanted(args, files, &lowered.pool)?;
    if let Some(wanted) = &wanted {
        let traces = generate::of_graph(&graph, wanted.generation);
        write_traces(
            &lowered.pool,
            &wanted.partition,
            &traces,
            wanted.place.clone(),
            args.write.force,
        )?;
    } else if args.search.graph.is_none() {
        output::print(&tree(&context, &graph))?;
    }
    let accepting = graph.nodes.iter().filter(|node| node.leaf.is_some()).count();
    let verb = if accepting == 1 { "accepts" } else { "accept" };
    let nodes = counted(report.nodes, "node");
    let mut said = format!("explored {nodes}, {accepting} of which {verb}");
    if report.cut {
        said.push_str("; the filters cut the tree");
    }
    if report.stop.is_early() {
        let _ = write!(said, "; {}", report.stop.reason());
    }
    if bounded {
        said.push_str(
            "\nthe interaction has loops and no filter was given: bounded to depth 6 and 500 nodes",
        );
    }
    output::complain(&said);
    Ok(if report.stop.is_early() { Exit::Undecided } else { Exit::Success })
}

/// Whether a logger asks for the automaton.
fn wants_automaton(files: &[SpecFile]) -> bool {
    options::sections(files, Process::Explore)
        .flat_map(|(_, section)| &section.items)
        .flat_map(|item| options::loggers(&item.value))
        .any(|logger| matches!(logger, Logger::Automaton))
}

/// Writes the automaton of an interaction beside other things, called like the specification.
fn write_automaton(
    pool: &mut Pool,
    term: TermId,
    loaded: &Loaded,
    look: &Look,
) -> anyhow::Result<()> {
    let limits =
        automaton::AutomatonLimits { states: 200, ..automaton::AutomatonLimits::default() };
    let found = automaton::build(pool, term, limits);
    let scene = automaton_layout::automaton(pool, &found, &automaton_layout::Options::default());
    let name = loaded.interaction_name().map(Path::new).and_then(Path::file_stem);
    let name = name.unwrap_or("interaction".as_ref()).to_string_lossy();
    look.write(&scene, &format!("{name}_nfa.svg"))
}

fn configuration(args: &ExploreArgs, files: &[SpecFile]) -> anyhow::Result<Config> {
    let mut config = Config::default();
    for (_, section) in options::sections(files, Process::Explore) {
        config.apply(section);
    }
    let priorities = args.search.priorities.as_ref().map(|it| it.to_lowercase());
    let filters = args.search.filters.as_ref().map(|it| it.to_lowercase());
    let flags = [
        ("strategy", args.search.strategy.as_deref()),
        ("priorities", priorities.as_deref()),
        ("filters", filters.as_deref()),
    ];
    for (key, value) in flags {
        if let Some(value) = value {
            config.apply(&options::parse(Process::Explore, &format!("{key} = {value}"))?);
        }
    }
    config.seed = args.search.seed;
    config.budget = budget(args.search.timeout, Some(1_000_000))?;
    Ok(config)
}

/// Without any bound, an exploration of a loop would not end: sets small ones. Says whether.
fn bound(config: &mut Config, lowered: &Lowered, term: TermId) -> bool {
    let filters = &mut config.filters;
    let free = filters.depth.is_none() && filters.loop_depth.is_none() && filters.nodes.is_none();
    let endless = free && lowered.pool.attributes(term).loops > 0;
    if endless {
        filters.depth = Some(6);
        filters.nodes = Some(500);
    }
    endless
}

/// Which multi-traces to write, and where.
struct Wanted {
    generation: Generation,
    partition: Partition,
    place: Place,
}

/// What the flags or a `tracegen` logger ask for.
fn wanted(args: &ExploreArgs, files: &[SpecFile], pool: &Pool) -> anyhow::Result<Option<Wanted>> {
    let signature = pool.signature();
    let mut wanted: Option<Wanted> = None;
    let discrete = || Partition::discrete(signature.lifeline_count());
    for (file, section) in options::sections(files, Process::Explore) {
        for item in &section.items {
            for logger in options::loggers(&item.value) {
                let Logger::Tracegen(chosen) = logger else { continue };
                let mut found = Wanted {
                    generation: Generation::Exact,
                    partition: discrete(),
                    place: Place::Folder("traces".into()),
                };
                for option in chosen {
                    match option {
                        TracegenOption::Generation(generation) => found.generation = *generation,
                        TracegenOption::Partition(partition) => {
                            found.partition = options::resolve(partition, file, signature)?;
                        }
                        TracegenOption::Folder(name) => {
                            found.place = Place::Folder(file.names.text(name.symbol).into());
                        }
                        TracegenOption::Prefix(_) => {}
                    }
                }
                wanted = Some(found);
            }
        }
    }
    if args.traces.is_none() && args.write.output.is_none() && args.partition.is_none() {
        return Ok(wanted);
    }
    let mut wanted = wanted.unwrap_or_else(|| Wanted {
        generation: Generation::Exact,
        partition: discrete(),
        place: Place::Stdout,
    });
    if let Some(traces) = &args.traces {
        wanted.generation = options::generation(traces)?;
    }
    if let Some(partition) = &args.partition {
        wanted.partition = options::partition(partition, signature)?;
    }
    if args.write.output.is_some() || args.traces.is_some() {
        wanted.place = Place::named(args.write.output.as_deref());
    }
    Ok(Some(wanted))
}

/// The tree as text: a step a line, indented by depth; `✓` where the interaction may end.
fn tree(context: &Context<'_>, graph: &Graph) -> String {
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
            .map_or_else(|| context.pool.text(node.state.term), |(_, rule)| context.rule(&rule));
        let accepts = if node.leaf.is_some() { " ✓" } else { "" };
        let cut = if node.cut > 0 { " …" } else { "" };
        let _ = writeln!(out, "{}{step}{accepts}{cut}", "  ".repeat(depth.min(40)));
        stack.extend(children[id].iter().rev().map(|&child| (child, depth + 1)));
    }
    out
}
