//! `otus slice`: partial observations of multi-traces.

use otus::Status;
use otus::derive::{SliceRequest, slice};

use crate::args::SliceArgs;
use crate::shell::Shell;
use crate::trace_files::{self, Sink};

pub(crate) fn run(args: &SliceArgs, shell: &Shell) -> anyhow::Result<Status> {
    let place = trace_files::place(args.derive.write.output.as_deref());
    let request = SliceRequest {
        from: args.derive.from(),
        count: args.count,
        all: args.all,
        wide: args.wide,
        place: place.clone(),
    };
    let mut sink = Sink::new(place, args.derive.write.force, args.derive.unique)?;
    let originals = slice(&shell.context, &request, &mut |made| sink.take(&made))?;
    sink.finish("slice", originals)
}
