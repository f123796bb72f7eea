//! The picture of a multi-trace, a lane per log.

use anyhow::bail;
use otus_core::Pool;
use otus_draw::layout::multitrace::{Options, multi_trace};
use otus_draw::terminal;
use otus_trace::transform::implied_signature;

use super::{Drawing, text_options, title};
use crate::args::{DrawArgs};
use crate::shell::Shell;
use otus::load::{Fences, Loaded, Spec};

pub(super) fn draw(args: &DrawArgs, shell: &Shell) -> anyhow::Result<Option<Drawing>> {
    let mut loaded = Loaded::read(&shell.context, &args.files, args.from.map(Into::into), Fences::One)?;
    let Some((pool, observed, _)) = one(&mut loaded, color)? else { return Ok(None) };
    let mut scene = multi_trace(&observed, &pool, &Options::default());
    scene.title = title("Multi-trace", args);
    let text = Ok(terminal::multi_trace(&observed, &pool, &[], &text_options(args)));
    Ok(Some(Drawing { scene, text, dot: None }))
}

/// The only multi-trace of a call with its signature, and which of the sources it is from; nothing
/// if something is wrong with it, which has been told.
pub(super) fn one(
    loaded: &mut Loaded,
    shell: &Shell,
) -> anyhow::Result<Option<(Pool, otus_trace::MultiTrace, otus_syntax::SourceId)>> {
    let mut lowered = loaded.specs.first().map(Spec::lower);
    if let Some(lowered) = &mut lowered {
        loaded.diagnostics.append(&mut lowered.diagnostics);
    }
    loaded.check_traces(lowered.as_mut());
    if loaded.explain(color) {
        return Ok(None);
    }
    let [trace] = loaded.traces.as_slice() else {
        if loaded.traces.is_empty() {
            bail!(
                "this is a picture of a trace, and none is given; add a .htf, or name a .pot.json"
            );
        }
        bail!("one multi-trace is drawn at a time; {} are given", loaded.traces.len());
    };
    let pool = lowered.map(|lowered| lowered.pool);
    let mut pool = pool.unwrap_or_else(|| Pool::new(implied_signature([&trace.tree])));
    let (observed, _) = otus_trace::lower(&trace.tree, &mut pool);
    Ok(Some((pool, observed, trace.tree.source)))
}
