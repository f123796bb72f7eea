//! `otus ctl`: turns the arguments into a request, and writes the answers as a report.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::bail;
use otus::ctl::{self, CutQuery, Report, Request};
use otus::report::ReportFormat;
use otus::{Limits, PictureFormat, Status};

use crate::args::CtlArgs;
use crate::shell::Shell;
use crate::{output, picture, watchdog};

pub(crate) fn run(args: &CtlArgs, shell: &Shell) -> anyhow::Result<Status> {
    let start = Instant::now();
    if args.patterns {
        return output::answer(&ctl::patterns());
    }
    // The file for the picture of the first answer that a run proves. It is `None` after the
    // picture is written.
    let mut picture_name = args.draw.as_deref();
    let Some(picture_format) = PictureFormat::of_name(picture_name.unwrap_or("-")) else {
        bail!("--draw writes .svg and .png files, not {}", picture_name.unwrap_or_default());
    };
    if picture_name.is_none() {
        picture::note_idle(&args.picture, "add --draw FILE");
    }
    let style = picture::style(&args.picture)?;
    let check = ctl::open(&shell.context, &request(args, shell))?;
    let mut answers = check.run(&shell.context);
    let mut of_document = Vec::new();
    let mut separator = "";
    for answer in answers.by_ref() {
        let answer = answer?;
        if let Some(name) = picture_name
            && let Some(picture) = answer.draw(picture_format, &style)
        {
            picture::deliver(&picture, name)?;
            picture_name = None;
        }
        // The formats text and JSONL need no summary in front, so each answer is printed as soon as
        // it is known.
        if args.format == ReportFormat::Text {
            output::print(&format!("{separator}{}", answer.text()))?;
        } else if args.format == ReportFormat::Jsonl {
            output::print(&format!("{}\n", answer.json()))?;
        } else {
            of_document.push(answer);
        }
        separator = "\n";
    }
    if let Some(name) = picture_name {
        output::complain(&format!("{name} was not written: no answer is shown by a run"));
    }
    watchdog::answered();
    let summary = answers.summary();
    if !matches!(args.format, ReportFormat::Text | ReportFormat::Jsonl) {
        let mut report = Report::new(&of_document, summary);
        report.strict = args.strict;
        output::print(&report.write(args.format))?;
    }
    output::complain(&summary.text(start.elapsed()));
    Ok(summary.status(args.fail_on, args.strict))
}

fn request(args: &CtlArgs, shell: &Shell) -> Request {
    let mut request = Request::new(args.names.iter().cloned());
    request.files.clone_from(&args.file);
    request.config = args.logs.config.as_ref().map(PathBuf::from);
    request.group.clone_from(&args.logs.group);
    request.order_writes = args.order_writes;
    request.engine = args.engine;
    request.closure = args.closure;
    request.slice = !args.no_slice;
    request.process_order = args.process_order;
    request.cuts = match (args.all, args.count) {
        (true, _) => CutQuery::List { limit: args.limit },
        (false, true) => CutQuery::Count,
        (false, false) => CutQuery::None,
    };
    request.stats = args.stats;
    request.witness = !args.no_witness;
    request.warnings = !args.no_warnings;
    request.limits = Limits {
        timeout: shell.limits.timeout,
        max_states: args.max_nodes,
        max_bytes: Some(shell.limits.tables),
    };
    request
}
