//! `otus lint`: what is wrong, and what is probably not meant.

use otus_syntax::Severity;
use otus_syntax::diagnostic::any_error;

use crate::args::{LintArgs, ReportFormat};
use crate::shell::Shell;
use crate::exit::Exit;
use otus::load::{Fences, Loaded};
use crate::output::Stream;
use otus::words::counted;
use crate::{output, report};

pub(crate) fn run(args: &LintArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let mut loaded = Loaded::read(&shell.context, &args.files, args.from.map(Into::into), Fences::All)?;
    let mut checked = Vec::new();
    for spec in &loaded.specs {
        let mut lowered = spec.lower();
        // Of a text with errors, what is not used or never sent is guesswork.
        if !spec.faulty && !any_error(&lowered.diagnostics) {
            loaded.diagnostics.extend(otus_core::lint(&spec.trees(), &lowered));
        }
        loaded.diagnostics.append(&mut lowered.diagnostics);
        checked.push(lowered);
    }
    if checked.len() > 1 && !loaded.traces.is_empty() {
        anyhow::bail!(
            "traces are checked against one specification; {} are given here",
            checked.len()
        );
    }
    loaded.check_traces(checked.first_mut());
    let diagnostics = &mut loaded.diagnostics;
    diagnostics.sort_by_key(|found| (found.primary.source, found.primary.span.start));
    let sources = &loaded.sources.all;
    output::print(&match args.format {
        ReportFormat::Text => {
            let colored = output::colored(color, Stream::Output);
            report::text(sources, diagnostics, colored)
        }
        ReportFormat::Short => report::short(sources, diagnostics),
        ReportFormat::Json => report::json(sources, diagnostics),
    })?;
    if args.format != ReportFormat::Json {
        output::complain(&format!(
            "checked {} and {}: {}",
            counted(loaded.specs.len(), "specification"),
            counted(loaded.traces.len(), "trace"),
            report::summary(&loaded.diagnostics).unwrap_or_else(|| "nothing found".to_owned())
        ));
    }
    Ok(match report::worst(&loaded.diagnostics) {
        Some(Severity::Error) => Exit::Error,
        Some(Severity::Warning) => Exit::Failure,
        Some(Severity::Note) | None => Exit::Success,
    })
}
