//! The execution that explains a multi-trace, as a partial-order trace for `otus ctl`.

use std::path::Path;

use anyhow::bail;
use otus_analysis::Witness;
use otus_core::Pool;
use otus_trace::MultiTrace;
use otus_trace::order::{from_steps, pot};

use crate::output;

/// Writes the order of an execution by its messages, a process per log; `-` is standard output.
pub(crate) fn write(
    path: &str,
    pool: &Pool,
    trace: &MultiTrace,
    witness: Option<&Witness>,
) -> anyhow::Result<()> {
    let Some(witness) = witness else {
        bail!("there is no execution to write to {path}: nothing explains it, or a budget ended");
    };
    let paired = from_steps(witness.events().map(|(event, _)| event), pool, trace.partition())?;
    let text = pot::write(&paired.order);
    if path == "-" {
        return output::print(&text);
    }
    output::write_file(Path::new(path), &text)?;
    let assumed = witness.events().filter(|(_, observed)| !observed).count();
    let assumed = match assumed {
        0 => String::new(),
        count => format!(" ({count} of them assumed, since they were not observed)"),
    };
    output::complain(&format!(
        "wrote {path}: {} processes, {} events{assumed}, {} edges",
        paired.order.process_count(),
        paired.order.event_count(),
        paired.order.edges().len()
    ));
    Ok(())
}
