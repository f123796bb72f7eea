//! The picture of a multi-trace, with one lane per log.

use otus_core::Pool;
use otus_draw::layout::multitrace::{Options, multi_trace};
use otus_draw::terminal;
use otus_trace::MultiTrace;
use otus_trace::transform::implied_signature;

use super::{DrawRequest, Drawing};
use crate::context::Context;
use crate::error::{Result, unfit};
use crate::load::{Fences, Loaded, SpecFiles};

pub(super) fn draw(context: &Context, request: &DrawRequest) -> Result<Drawing> {
    let mut loaded = Loaded::read(context, &request.names, request.from, Fences::One)?;
    let (pool, observed) = one(context, &mut loaded)?;
    let mut scene = multi_trace(&observed, &pool, &Options::default());
    scene.title = request.title("Multi-trace");
    let text = Ok(terminal::multi_trace(&observed, &pool, &[], &request.text_options()));
    Ok(Drawing { scene, text, dot: None })
}

/// The only multi-trace, and the pool with its names.
pub(super) fn one(context: &Context, loaded: &mut Loaded) -> Result<(Pool, MultiTrace)> {
    let mut lowered = loaded.specs.first().map(SpecFiles::lower);
    if let Some(lowered) = &mut lowered {
        loaded.diagnostics.append(&mut lowered.diagnostics);
    }
    loaded.check_traces(lowered.as_mut());
    loaded.warn(context)?;
    let [trace] = loaded.traces.as_slice() else {
        if loaded.traces.is_empty() {
            unfit!(
                "this is a picture of a trace, and none is given; add a .htf, or name a .pot.json"
            );
        }
        unfit!("one multi-trace is drawn at a time; {} are given", loaded.traces.len());
    };
    let pool = lowered.map(|lowered| lowered.pool);
    let mut pool = pool.unwrap_or_else(|| Pool::new(implied_signature([&trace.tree])));
    let (observed, _) = otus_trace::lower(&trace.tree, &mut pool);
    Ok((pool, observed))
}
