//! `otus lint`: prints errors, and parts that are probably mistakes.

use otus::text::lint;
use otus::units::counted;

use crate::args::{LintArgs, ReportFormat};
use crate::exit::Exit;
use crate::output::{self, Stream};
use crate::shell::Shell;

pub(crate) fn run(args: &LintArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let linted = lint(&shell.context, &args.files, args.from.map(Into::into))?;
    let found = &linted.found;
    match args.format {
        ReportFormat::Text if found.is_empty() => {}
        ReportFormat::Text => {
            output::print(&format!("{}\n\n", found.render(shell.colored(Stream::Output))))?;
        }
        ReportFormat::Short => output::print(&found.lines())?,
        ReportFormat::Json => output::print(&found.json())?,
    }
    if args.format != ReportFormat::Json {
        output::complain(&format!(
            "checked {} and {}: {}",
            counted(linted.specifications, "specification"),
            counted(linted.traces, "trace"),
            found.summary().unwrap_or_else(|| "nothing found".to_owned())
        ));
    }
    Ok(match (found.has_errors(), found.has_warnings()) {
        (true, _) => Exit::Error,
        (false, true) => Exit::Failure,
        (false, false) => Exit::Success,
    })
}
