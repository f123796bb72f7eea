//! `otus slice`: writes slices of multi-traces, that is, partial observations of them.

use otus::Status;
use otus::derive::{SliceRequest, slice};

use crate::args::SliceArgs;
use crate::output;
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
    let sliced = slice(&shell.context, &request, &mut |made| sink.take(&made))?;
    let written = u128::from(sink.written);
    let status = sink.finish("slice", sliced.originals)?;
    if let Some(by_place) = sliced.by_place.filter(|&by_place| by_place > written) {
        output::complain(&format!(
            "there are {} if equal slices count once for each place where a log can be cut so, as \
             paper 003 counts them; each is written once",
            if by_place == u128::MAX { "more than 10^38".to_owned() } else { by_place.to_string() }
        ));
    }
    Ok(status)
}
