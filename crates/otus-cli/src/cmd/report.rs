//! `otus report`: makes reports from results.

use std::io;
use std::path::Path;

use anyhow::bail;
use otus::Status;
use otus::report::{ReportFormat, Reports};
use otus::results::Results;

use crate::args::{ReportArgs, format_of};
use crate::output::{self, Draft, Sink, Stream};
use crate::shell::Shell;

pub(crate) fn run(args: &ReportArgs, shell: &Shell) -> anyhow::Result<Status> {
    refuse_overwriting(args)?;
    let format = format(args)?;
    let results = Results::read(&shell.context, &args.files)?;
    let mut all = Vec::new();
    match args.output.as_deref().filter(|path| path.as_os_str() != "-") {
        Some(path) => all.push((format.writer(None, false), Sink::File(Draft::create(path)?))),
        // With files only, nothing is printed but the totals.
        None if !args.report.is_empty() && args.format.is_none() => {}
        None => {
            let colored = shell.colored(Stream::Output);
            all.push((format.writer(None, colored), Sink::Stream(Box::new(io::stdout()))));
        }
    }
    for report in &args.report {
        let file = Sink::File(Draft::create(&report.path)?);
        all.push((report.format.writer(None, false), file));
    }
    let (summary, sinks) = results.write(Reports::new(all))?;
    for sink in sinks {
        if let Sink::File(draft) = sink {
            output::complain(&format!("wrote {}", draft.finish()?.display()));
        }
    }
    output::complain(&format!("{}{}", summary.verdicts, summary.remainder()));
    Ok(Status::Passed)
}

fn format(args: &ReportArgs) -> anyhow::Result<ReportFormat> {
    let output = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    match (args.format, output) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(ReportFormat::Text),
        (None, Some(path)) => match format_of(path) {
            Some(format) => Ok(format),
            None => bail!(
                "the ending of {} names no format; use .html, .md, .json, .jsonl, .xml, .sarif, .tap or .txt, or --format",
                path.display()
            ),
        },
    }
}

/// A report must not replace the results that it is about, nor another report.
fn refuse_overwriting(args: &ReportArgs) -> anyhow::Result<()> {
    let same = |one: &Path, other: &Path| {
        one == other
            || std::fs::canonicalize(one)
                .ok()
                .is_some_and(|one| std::fs::canonicalize(other).ok() == Some(one))
    };
    let outputs: Vec<&Path> = args
        .output
        .as_deref()
        .into_iter()
        .chain(args.report.iter().map(|it| it.path.as_path()))
        .collect();
    for (index, path) in outputs.iter().enumerate() {
        if let Some(input) = args.files.iter().find(|input| same(Path::new(input), path)) {
            bail!("the report would overwrite {input}, which is read; give it another name");
        }
        if outputs[..index].iter().any(|other| same(other, path)) {
            bail!(
                "two reports would be written to {}; give each a file of its own",
                path.display()
            );
        }
    }
    Ok(())
}
