//! `otus slice`: partial observations of multi-traces.

use otus::derive::{SliceRequest, slice};

use crate::args::SliceArgs;
use crate::cases::{self, Sink};
use crate::exit::Exit;
use crate::shell::Shell;

pub(crate) fn run(args: &SliceArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let place = cases::place(args.derive.write.output.as_deref());
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
