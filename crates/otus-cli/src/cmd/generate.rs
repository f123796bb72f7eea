//! `otus generate`: writes random multi-traces that a specification accepts.

use otus::Status;
use otus::generate::{GenerateRequest, generate};
use otus::units::counted;

use crate::args::GenerateArgs;
use crate::output;
use crate::shell::Shell;
use crate::trace_files::{self, Sink};

pub(crate) fn run(args: &GenerateArgs, shell: &Shell) -> anyhow::Result<Status> {
    let request = GenerateRequest {
        names: args.files.clone(),
        from: args.from,
        partition: args.partition.clone(),
        max_length: args.max_length,
        count: args.count as u64,
        seed: args.seed,
    };
    let place = trace_files::place(args.write.output.as_deref());
    let mut sink = Sink::new(place, args.write.force, false)?;
    let made = generate(&shell.context, &request, &mut |made| sink.take(&made))?;
    if made > 0 {
        finish(sink)?;
    }
    Ok(if made == 0 && request.count > 0 { Status::Failed } else { Status::Passed })
}

/// Ends the output, and prints its name.
pub(super) fn finish(sink: Sink) -> anyhow::Result<()> {
    let written = counted(sink.written, "multi-trace");
    if let Some(path) = sink.close()? {
        output::complain(&format!("wrote {written} to {}", path.display()));
    }
    Ok(())
}
