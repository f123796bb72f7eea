//! The output formats, and the files that reports are written to.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ValueEnum;
use otus::TextFormat;
use otus::report::ReportFormat;
use otus_syntax::suggest::did_you_mean;

use super::{Choice, named};

/// The output formats of `otus map` and `otus mutate --score`.
pub(super) const TEXT_OR_JSON: &[Choice<TextFormat>] =
    &[(TextFormat::Text, "text", "Plain text"), (TextFormat::Json, "json", "One JSON document")];

/// The output formats of `otus analyze` and `otus ctl`.
pub(super) const REPORT_FORMATS: &[Choice<ReportFormat>] = &[
    (ReportFormat::Text, "text", "Plain text"),
    (ReportFormat::Json, "json", "One JSON document"),
    (ReportFormat::Jsonl, "jsonl", "One JSON object per line"),
    (ReportFormat::Junit, "junit", "An XML test report, which CI servers read"),
    (ReportFormat::Sarif, "sarif", "SARIF 2.1.0, which code hosts show beside the specification"),
    (ReportFormat::Github, "github", "Annotations for GitHub Actions"),
    (ReportFormat::Tap, "tap", "Test Anything Protocol, version 14"),
    (ReportFormat::Markdown, "markdown", "A summary for a pull request or a job"),
    (ReportFormat::Html, "html", "A self-contained page with diagrams"),
];

/// A report format and the file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReportFile {
    pub(crate) format: ReportFormat,
    pub(crate) path: PathBuf,
}

impl FromStr for ReportFile {
    type Err = String;

    fn from_str(text: &str) -> Result<ReportFile, String> {
        let Some((name, path)) = text.split_once('=') else {
            return Err("expected a format and a file, for example junit=report.xml".to_owned());
        };
        let Some(format) = named(REPORT_FORMATS, name) else {
            let names = ReportFormat::ALL.map(ReportFormat::name);
            let help = did_you_mean(name, names);
            let help = help.map(|help| format!("; {help}")).unwrap_or_default();
            let names = names.join(", ");
            return Err(format!("unknown format `{name}`; the formats are {names}{help}"));
        };
        if path.is_empty() {
            return Err("the name of the file is missing after the `=`".to_owned());
        }
        if path == "-" {
            return Err(format!("a report goes to a file; --format {name} prints one"));
        }
        Ok(ReportFile { format, path: PathBuf::from(path) })
    }
}

/// The destination of the coverage report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CoverageOutput {
    /// Text, after the verdicts.
    Text,
    /// JSON, with the verdicts.
    Json,
    File(PathBuf, CoverageFile),
}

impl FromStr for CoverageOutput {
    type Err = String;

    fn from_str(text: &str) -> Result<CoverageOutput, String> {
        match text {
            "text" => Ok(CoverageOutput::Text),
            "json" => Ok(CoverageOutput::Json),
            path => match CoverageFile::of(Path::new(path)) {
                Some(kind) => Ok(CoverageOutput::File(PathBuf::from(path), kind)),
                None => {
                    Err("expected text, json, or a file that ends in .txt, .json, .md, .svg or \
                             .png"
                        .to_owned())
                }
            },
        }
    }
}

/// The format of a coverage file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CoverageFile {
    Json,
    Text,
    Markdown,
    Picture,
}

impl CoverageFile {
    /// The format that the ending of a file name selects.
    pub(crate) fn of(path: &Path) -> Option<CoverageFile> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(CoverageFile::Json),
            "txt" => Some(CoverageFile::Text),
            "md" => Some(CoverageFile::Markdown),
            "svg" | "png" => Some(CoverageFile::Picture),
            _ => None,
        }
    }
}

pub(super) fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim_end().parse();
    number
        .ok()
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or_else(|| "expected a number from 0 to 100".to_owned())
}

/// The output formats of `otus lint`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LintFormat {
    /// Text with the source lines.
    Text,
    /// One line per finding: `file:line:column: error[O0301]: …`.
    Short,
    /// One JSON document.
    Json,
}
