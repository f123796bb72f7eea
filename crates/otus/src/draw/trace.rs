//! The picture of a multi-trace, with one lane per log.

use otus_core::Pool;
use otus_draw::layout::multitrace::{Options, multi_trace};
use otus_draw::terminal;
use otus_trace::MultiTrace;

use super::{DrawRequest, Drawing};
use crate::context::Context;
use crate::error::{Result, unfit};
use crate::load::{Loaded, Trace};

pub(super) fn draw(context: &Context, request: &DrawRequest) -> Result<Drawing> {
    let mut loaded = Loaded::read(context, &request.names, request.from)?;
    let lowered = loaded.lower_with_traces(context)?;
    let (pool, observed, values) =
        only(&loaded)?.lower_with_values(lowered.map(|lowered| lowered.pool));
    let values = values.as_ref().map(|(facts, fields)| (facts, fields));
    let mut scene = multi_trace(&observed, &pool, &Options { values, ..Options::default() });
    scene.title = request.title("Multi-trace");
    let text = terminal::multi_trace(&observed, &pool, &[], values, &request.text_options());
    let text = Ok(text);
    Ok(Drawing { scene, text, dot: None })
}

/// The only multi-trace, and the pool with its names.
pub(super) fn one(context: &Context, loaded: &mut Loaded) -> Result<(Pool, MultiTrace)> {
    let lowered = loaded.lower_with_traces(context)?;
    Ok(only(loaded)?.lower(lowered.map(|lowered| lowered.pool)))
}

fn only(loaded: &Loaded) -> Result<&Trace> {
    let [trace] = loaded.traces.as_slice() else {
        if loaded.traces.is_empty() {
            unfit!(
                "this is a picture of a trace, and none is given; add a .htf, or name a .pot.json"
            );
        }
        unfit!("one multi-trace is drawn at a time; {} are given", loaded.traces.len());
    };
    Ok(trace)
}
