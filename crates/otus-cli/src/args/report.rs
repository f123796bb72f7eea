//! The arguments of `otus report`.

use std::path::{Path, PathBuf};

use clap::Parser;
use otus::report::ReportFormat;

use super::outputs::REPORT_FORMATS;
use super::{ReportFile, one_of};

/// Make a report from results that were written before.
///
/// Results are what `otus analyze` writes: a file of --results (.jsonl, or .parquet with a row for
/// each run), output of --format json or jsonl, or the folder of tables of --results FOLDER/. The
/// tables of the Python package and of clusters have the same columns, so they are results, too.
/// Several files are one report: counts are added, and the failures of a table `sample` explain the
/// runs of a table `verdicts`. Without a table of verdicts, the report lists the sample, and the
/// tables `totals`, `causes` and `coverage` tell the rest.
///
/// No specification and no log is read, so the report has no pictures, and it says no more than the
/// results do: failures that were not explained stay without an explanation.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus analyze flow.mmd lake/ --results night/     write tables of results
  otus report night/ -o report.html                a page about them
  otus report monday.jsonl tuesday.jsonl           the verdicts of two runs, as text
  otus report night/ --format markdown             a summary for a ticket
  otus report night/ --report junit=junit.xml      several formats at once

Exit status: 0 the report is written, 2 invalid input or command line.")]
pub(crate) struct ReportArgs {
    /// Files of results (.jsonl, .json, .parquet), or folders of them.
    #[arg(required = true, value_name = "RESULTS")]
    pub(crate) files: Vec<String>,

    /// Write the report to this file. Its ending gives the format, unless --format does: .html, .md,
    /// .json, .jsonl, .xml (junit), .sarif, .tap or .txt.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// The format of the report [default: that of the ending of --output, or else text].
    #[arg(long, value_name = "FORMAT", value_parser = one_of(REPORT_FORMATS))]
    pub(crate) format: Option<ReportFormat>,

    /// Also write a report to this file. Repeat the flag for several files.
    #[arg(long, value_name = "FORMAT=FILE")]
    pub(crate) report: Vec<ReportFile>,
}

/// The format that the ending of a file name selects.
pub(crate) fn format_of(path: &Path) -> Option<ReportFormat> {
    Some(match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "html" | "htm" => ReportFormat::Html,
        "md" => ReportFormat::Markdown,
        "json" => ReportFormat::Json,
        "jsonl" => ReportFormat::Jsonl,
        "xml" => ReportFormat::Junit,
        "sarif" => ReportFormat::Sarif,
        "tap" => ReportFormat::Tap,
        "txt" => ReportFormat::Text,
        _ => return None,
    })
}
