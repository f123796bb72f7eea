//! `--coverage` and `--min-coverage`: the outputs of the coverage report, and its effect on the exit status.

use anyhow::{bail, ensure};
use otus::report::ReportFormat;
use otus::{FailOn, Finished, PictureFormat, Status, Summary};

use crate::args::{AnalyzeArgs, CoverageFile, CoverageOutput};
use crate::output::{self, Stream};
use crate::picture;
use crate::shell::Shell;

/// The maximum number of gaps that are listed after the verdicts. Files list all gaps.
const SHORT: usize = 20;

pub(super) fn is_asked(args: &AnalyzeArgs) -> bool {
    !args.coverage.is_empty() || args.min_coverage.is_some()
}

pub(super) fn is_drawn(args: &AnalyzeArgs) -> bool {
    args.coverage.iter().any(|it| matches!(it, CoverageOutput::File(_, CoverageFile::Picture)))
}

/// Refuses outputs that cannot be written, before the analysis starts.
pub(super) fn refuse_unwritable(args: &AnalyzeArgs) -> anyhow::Result<()> {
    for output in &args.coverage {
        match output {
            CoverageOutput::Text => {}
            CoverageOutput::Json => ensure!(
                matches!(args.format, ReportFormat::Text | ReportFormat::Json),
                "standard output has the verdicts; name a file, as --coverage=coverage.json"
            ),
            CoverageOutput::File(path, _) => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
                    let (path, folder) = (path.display(), folder.display());
                    bail!("cannot write {path}: there is no folder {folder}");
                }
            }
        }
    }
    Ok(())
}

/// Prints and writes the coverage in the requested formats.
pub(super) fn write(args: &AnalyzeArgs, shell: &Shell, finished: &Finished) -> anyhow::Result<()> {
    let Some(report) = &finished.summary.coverage else { return Ok(()) };
    // `--min-coverage` alone also prints the text, because it lists the gaps.
    let is_implied = args.coverage.is_empty().then_some(CoverageOutput::Text);
    for output in args.coverage.iter().chain(is_implied.as_ref()) {
        match (output, args.format) {
            (CoverageOutput::Text, ReportFormat::Text) => {
                output::print(&report.text(shell.colored(Stream::Output), Some(SHORT)))?;
            }
            (CoverageOutput::Text, _) => {
                let text = report.text(shell.colored(Stream::Error), Some(SHORT));
                output::complain(text.trim_end());
            }
            // The JSON document of the verdicts contains the coverage.
            (CoverageOutput::Json, ReportFormat::Json) => {}
            (CoverageOutput::Json, _) => output::print(&format!("{:#}\n", report.json()))?,
            (CoverageOutput::File(path, kind), _) => {
                let name = path.to_string_lossy();
                let text = match kind {
                    CoverageFile::Json => format!("{:#}\n", report.json()),
                    CoverageFile::Text => report.text(false, None),
                    CoverageFile::Markdown => report.markdown(),
                    CoverageFile::Picture => {
                        let style = picture::style(&args.search.picture)?;
                        let format = PictureFormat::of_name(&name).unwrap_or(PictureFormat::Svg);
                        if let Some(picture) = finished.coverage_picture(format, &style) {
                            picture::deliver(&picture, &name)?;
                        }
                        continue;
                    }
                };
                output::deliver(&*name, text.as_bytes(), None)?;
            }
        }
    }
    Ok(())
}

/// The exit status: coverage below the limit is a failure.
pub(super) fn status(args: &AnalyzeArgs, summary: &Summary, status: Status) -> Status {
    let Some(report) = &summary.coverage else { return status };
    let is_worse = match status {
        Status::Unusable | Status::Failed => return status,
        Status::Passed | Status::Undecided => args.fail_on != Some(FailOn::Never),
    };
    let failed = if is_worse { Status::Failed } else { status };
    if let Some(least) = args.min_coverage
        && !report.reaches(least)
    {
        output::complain(&format!(
            "otus: coverage is {}, and --min-coverage asks for {least} %",
            report.percent_text()
        ));
        return failed;
    }
    if args.strict && report.is_nothing() {
        output::complain("otus: nothing was exercised, and that is a failure by --strict");
        return failed;
    }
    status
}
