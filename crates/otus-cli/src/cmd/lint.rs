//! `otus lint`: prints errors, and parts that are probably mistakes.

use otus::Status;
use otus::lint::lint;
use otus::units::counted;

use crate::args::{LintArgs, LintFormat};
use crate::output::{self, Stream};
use crate::shell::Shell;

pub(crate) fn run(args: &LintArgs, shell: &Shell) -> anyhow::Result<Status> {
    let linted = lint(&shell.context, &args.files, args.from)?;
    let found = &linted.found;
    match args.format {
        LintFormat::Text if found.is_empty() => {}
        LintFormat::Text => {
            output::print(&format!("{}\n\n", found.render(shell.colored(Stream::Output))))?;
        }
        LintFormat::Short => output::print(&found.lines())?,
        LintFormat::Json => output::print(&found.json())?,
    }
    if args.format != LintFormat::Json {
        for sentence in &linted.sessions {
            output::complain(sentence);
        }
        output::complain(&format!(
            "checked {} and {}: {}",
            counted(linted.specifications, "specification"),
            counted(linted.traces, "trace"),
            found.summary().unwrap_or_else(|| "nothing found".to_owned())
        ));
    }
    Ok(match (found.has_errors(), found.has_warnings()) {
        (true, _) => Status::Unusable,
        (false, true) => Status::Failed,
        (false, false) => Status::Passed,
    })
}
