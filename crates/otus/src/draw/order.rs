//! The space-time diagram of a partial-order trace, with cuts, the lattice of its cuts, and interval sharing trees.

use otus_core::budget::Budget;
use otus_core::index::Index as _;
use otus_ctl::{Checker, lower};
use otus_draw::layout::order::{Cut, Options, lattice, space_time};
use otus_draw::layout::sharing::sharing_tree;
use otus_draw::scene::Tone;
use otus_draw::terminal;
use otus_syntax::parse_formulas;
use otus_syntax::suggest::did_you_mean;
use otus_trace::order::{PartialOrder, Writes, from_multi_trace};

use super::{DrawRequest, Drawing, trace};
use crate::context::Context;
use crate::ctl::read_trace;
use crate::diagnostics::Diagnostics;
use crate::error::{Error, Result, unfit};
use crate::format::Format;
use crate::load::{Loaded, Sources};

pub(super) fn draw(context: &Context, request: &DrawRequest) -> Result<Drawing> {
    let order = read(context, request)?;
    let cuts = cuts(request, &order)?;
    let options = Options { cuts: &cuts, ..Options::default() };
    let mut scene = space_time(&order, &options);
    scene.title = request.title("Space-time diagram");
    let text = Ok(terminal::order(&order, &request.text_options()));
    Ok(Drawing { scene, text, dot: None })
}

/// All cuts, from the empty one to the whole.
pub(super) fn draw_lattice(context: &Context, request: &DrawRequest) -> Result<Drawing> {
    let order = read(context, request)?;
    let cuts = cuts(request, &order)?;
    let mut scene = lattice(&order, &cuts, request.max_nodes)
        .map_err(|error| Error::Unfit(format!("--max-nodes allows for more: {error}")))?;
    scene.title = request.title("Lattice of cuts");
    Ok(Drawing::picture(scene))
}

/// The maximum number of nodes of all trees that are made for one picture.
const MOST_NODES: u64 = 1_000_000;

/// The cuts at which a formula holds, as an interval sharing tree.
pub(super) fn draw_sharing_tree(context: &Context, request: &DrawRequest) -> Result<Drawing> {
    let order = read(context, request)?;
    let formula = request.formula.as_deref().unwrap_or("true");
    let mut sources = Sources::default();
    sources.add("--formula".to_owned(), formula.to_owned());
    let parsed = parse_formulas(&sources.all[0]);
    let lowered = lower(&parsed.tree, &order);
    let mut found = parsed.diagnostics;
    found.extend(lowered.diagnostics);
    context.warn(Diagnostics::new(sources.all, found).or_error()?);
    let [property] = &*lowered.properties else {
        unfit!("--formula takes one formula; here are {}", lowered.properties.len());
    };
    let budget = Budget {
        max_states: Some(MOST_NODES),
        cancel: context.cancel.clone(),
        ..Budget::default()
    };
    let options = otus_ctl::Options { budget, ..otus_ctl::Options::default() };
    let mut checker = Checker::new(&order, lowered.formulas);
    let tree = checker
        .sharing_tree(property.formula, &options)
        .map_err(|stop| Error::Unfit(format!("the tree cannot be made: {}", stop.reason())))?;
    let (nodes, most) = (tree.nodes.len(), request.max_nodes);
    if nodes > most {
        unfit!("the tree has {nodes} nodes, and {most} are drawn; --max-nodes allows for more");
    }
    let names: Vec<&str> = tree.processes.iter().map(|&it| order.process_name(it)).collect();
    let mut scene = sharing_tree(&tree, &names);
    scene.title = request.title("Interval sharing tree");
    Ok(Drawing::picture(scene))
}

fn cuts(request: &DrawRequest, order: &PartialOrder) -> Result<Vec<Cut>> {
    let numbered = request.cuts.iter().enumerate();
    numbered.map(|(number, text)| cut(order, text, number, request.cuts.len())).collect()
}

fn read(context: &Context, request: &DrawRequest) -> Result<PartialOrder> {
    if let [file] = request.names.as_slice()
        && request.format_of(file) == Some(Format::Pot)
    {
        return read_trace(context, file, Writes::Checked);
    }
    if request.names.iter().any(|file| request.format_of(file) == Some(Format::Pot)) {
        unfit!("a partial-order trace is drawn by itself; leave out the other files");
    }
    let mut loaded = Loaded::read(context, &request.names, request.from)?;
    let (pool, observed) = trace::one(context, &mut loaded)?;
    let source = loaded.traces[0].tree.source;
    let paired = from_multi_trace(&observed, &pool, Some(loaded.sources.source(source)))
        .map_err(|error| Error::Unfit(error.to_string()))?;
    Ok(paired.order)
}

/// Parses a cut such as `p=1,q=2`; processes that are not named have no event in the cut.
fn cut(order: &PartialOrder, text: &str, number: usize, of: usize) -> Result<Cut> {
    let mut counts = vec![0; order.process_count()];
    for part in text.split(',').filter(|part| !part.trim().is_empty()) {
        let Some((name, count)) = part.split_once('=') else {
            unfit!(
                "--cut takes how many events of each process happened, as p=1,q=2; not `{text}`"
            );
        };
        let (name, count) = (name.trim(), count.trim());
        let Some(process) = order.process(name) else {
            let hint = did_you_mean(name, order.process_names());
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            unfit!("the trace has no process `{name}`{hint}");
        };
        let Ok(happened) = count.parse::<u32>() else {
            unfit!("`{count}` is not how many events of {name} happened");
        };
        let most = order.length(process);
        if happened > most {
            unfit!("{name} has {most} events, not {happened}");
        }
        counts[process.index()] = happened as usize;
    }
    if let Some((early, late)) = broken(order, &counts) {
        unfit!("`{text}` is not a cut: it has {late}, but not {early}, which happened before");
    }
    let name = if of > 1 { number.to_string() } else { "cut".to_owned() };
    Ok(Cut { counts, name, tone: Tone::Active })
}

/// An edge that leads from outside a set of events into it. A set with such an edge is not a cut.
fn broken(order: &PartialOrder, counts: &[usize]) -> Option<(String, String)> {
    let is_in = |event| {
        let process = order.process_of(event);
        order.position(event) as usize <= counts[process.index()]
    };
    let name = |event| {
        let process = order.process_name(order.process_of(event));
        format!("{process}:{}", order.position(event))
    };
    let edge = order.edges().iter().find(|edge| is_in(edge.to) && !is_in(edge.from))?;
    Some((name(edge.from), name(edge.to)))
}
