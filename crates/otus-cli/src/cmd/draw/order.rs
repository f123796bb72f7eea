//! The space-time diagram of a partial-order trace, with cuts.

use anyhow::{Context as _, bail};
use otus_core::index::Index as _;
use otus_draw::layout::order::{Cut, Options, lattice, space_time};
use otus_draw::scene::Tone;
use otus_draw::terminal;
use otus_syntax::suggest::did_you_mean;
use otus_trace::order::{PartialOrder, from_multi_trace};

use super::{Drawing, format_of, text_options, title, trace};
use crate::args::{DrawArgs};
use crate::shell::Shell;
use otus::Format;
use crate::cmd::ctl;
use otus::load::{Fences, Loaded};

pub(super) fn draw(args: &DrawArgs, shell: &Shell) -> anyhow::Result<Option<Drawing>> {
    let Some(order) = read(args, color)? else { return Ok(None) };
    let cuts = cuts(args, &order)?;
    let options = Options { cuts: &cuts, ..Options::default() };
    let mut scene = space_time(&order, &options);
    scene.title = title("Space-time diagram", args);
    let text = Ok(terminal::order(&order, &text_options(args)));
    Ok(Some(Drawing { scene, text, dot: None }))
}

/// All cuts, from the empty one to the whole.
pub(super) fn draw_lattice(args: &DrawArgs, shell: &Shell) -> anyhow::Result<Option<Drawing>> {
    let Some(order) = read(args, color)? else { return Ok(None) };
    let cuts = cuts(args, &order)?;
    let mut scene = lattice(&order, &cuts, args.max_nodes, &|_| Tone::Normal)
        .context("--max-nodes allows for more")?;
    scene.title = title("Lattice of cuts", args);
    Ok(Some(Drawing::picture(scene)))
}

fn cuts(args: &DrawArgs, order: &PartialOrder) -> anyhow::Result<Vec<Cut>> {
    let numbered = args.cut.iter().enumerate();
    numbered.map(|(number, text)| cut(order, text, number, args.cut.len())).collect()
}

fn read(args: &DrawArgs, shell: &Shell) -> anyhow::Result<Option<PartialOrder>> {
    if let [file] = args.files.as_slice()
        && format_of(file, args) == Some(Format::Pot)
    {
        return ctl::read_trace(file, color);
    }
    if args.files.iter().any(|file| format_of(file, args) == Some(Format::Pot)) {
        bail!("a partial-order trace is drawn by itself; leave out the other files");
    }
    let mut loaded = Loaded::read(&shell.context, &args.files, args.from.map(Into::into), Fences::One)?;
    let Some((pool, observed, source)) = trace::one(&mut loaded, color)? else {
        return Ok(None);
    };
    let paired = from_multi_trace(&observed, &pool, Some(loaded.sources.source(source)))?;
    Ok(Some(paired.order))
}

/// A cut as `p=1,q=2`; processes that it does not name have no event in it.
fn cut(order: &PartialOrder, text: &str, number: usize, of: usize) -> anyhow::Result<Cut> {
    let mut counts = vec![0; order.process_count()];
    for part in text.split(',').filter(|part| !part.trim().is_empty()) {
        let (name, count) = part.split_once('=').with_context(|| {
            format!(
                "--cut takes how many events of each process happened, as p=1,q=2; not `{text}`"
            )
        })?;
        let (name, count) = (name.trim(), count.trim());
        let Some(process) = order.process(name) else {
            let hint = did_you_mean(name, order.process_names());
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            bail!("the trace has no process `{name}`{hint}");
        };
        let happened: u32 = count
            .parse()
            .with_context(|| format!("`{count}` is not how many events of {name} happened"))?;
        let most = order.length(process);
        if happened > most {
            bail!("{name} has {most} events, not {happened}");
        }
        counts[process.index()] = happened as usize;
    }
    if let Some((early, late)) = broken(order, &counts) {
        bail!("`{text}` is not a cut: it has {late}, but not {early}, which happened before");
    }
    let name = if of > 1 { number.to_string() } else { "cut".to_owned() };
    Ok(Cut { counts, name, tone: Tone::Active })
}

/// An edge that leads from outside of a set of events into it.
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
