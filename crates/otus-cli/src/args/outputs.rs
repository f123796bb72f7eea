//! The output formats, and the files that reports are written to.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ValueEnum;
use otus_syntax::suggest::did_you_mean;

/// The output formats of `otus ctl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResultFormat {
    /// Plain text.
    Text,
    /// One JSON document.
    Json,
    /// One JSON object per line.
    Jsonl,
}

/// The output formats of `otus analyze`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum VerdictFormat {
    /// Plain text.
    #[default]
    Text,
    /// One JSON document.
    Json,
    /// One JSON object per line.
    Jsonl,
    /// An XML test report, which CI servers read.
    Junit,
    /// SARIF 2.1.0, which code hosts show beside the specification.
    Sarif,
    /// Annotations for GitHub Actions.
    Github,
    /// Test Anything Protocol, version 14.
    Tap,
    /// A summary for a pull request or a job.
    Markdown,
    /// A self-contained page with diagrams.
    Html,
}

/// A report format and the file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReportFile {
    pub(crate) format: VerdictFormat,
    pub(crate) path: PathBuf,
}

impl FromStr for ReportFile {
    type Err = String;

    fn from_str(text: &str) -> Result<ReportFile, String> {
        let names = || {
            let all =
                VerdictFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value);
            all.map(|value| value.get_name().to_owned()).collect::<Vec<_>>()
        };
        let Some((format, path)) = text.split_once('=') else {
            return Err("expected a format and a file, like junit=report.xml".to_owned());
        };
        let Ok(format) = VerdictFormat::from_str(format, true) else {
            let names = names();
            let help = did_you_mean(format, names.iter().map(String::as_str));
            let help = help.map(|help| format!("; {help}")).unwrap_or_default();
            return Err(format!(
                "unknown format `{format}`; the formats are {}{help}",
                names.join(", ")
            ));
        };
        if path.is_empty() {
            return Err("the name of the file is missing after the `=`".to_owned());
        }
        if path == "-" {
            return Err(format!(
                "a report goes to a file; --format {} prints one",
                text.split('=').next().unwrap_or_default()
            ));
        }
        Ok(ReportFile { format, path: PathBuf::from(path) })
    }
}

/// The destination of the coverage report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CoverageOutput {
    /// As text, after the verdicts.
    Text,
    /// As JSON, with the verdicts.
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
pub(crate) enum ReportFormat {
    /// With the source lines.
    Text,
    /// One line each: `file:line:column: error[O0301]: …`.
    Short,
    /// One JSON document.
    Json,
}

impl From<VerdictFormat> for otus::report::ReportFormat {
    fn from(format: VerdictFormat) -> Self {
        match format {
            VerdictFormat::Text => Self::Text,
            VerdictFormat::Json => Self::Json,
            VerdictFormat::Jsonl => Self::Jsonl,
            VerdictFormat::Junit => Self::Junit,
            VerdictFormat::Sarif => Self::Sarif,
            VerdictFormat::Github => Self::Github,
            VerdictFormat::Tap => Self::Tap,
            VerdictFormat::Markdown => Self::Markdown,
            VerdictFormat::Html => Self::Html,
        }
    }
}
