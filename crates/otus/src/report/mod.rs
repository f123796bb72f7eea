//! Reports: writers over cases, one format per file.
//!
//! A [`Writer`] receives a run step by step: [`Writer::begin`], then cases and unusable inputs in the order of the
//! input, then [`Writer::end`]. It keeps no cases, so memory stays constant. [`Reports`] is a set of writers with
//! their sinks. Cases in our own formats (text, JSON, JSONL) are formatted by the threads that made them
//! ([`Reports::formatter`]).

pub(crate) mod github;
pub(crate) mod html;
mod json;
pub(crate) mod junit;
pub(crate) mod markdown;
pub(crate) mod sarif;
mod spool;
pub(crate) mod tap;
mod text;

use std::io::{self, Write};

use crate::analysis::{Explain, Request, WitnessPolicy};
use crate::case::{Case, Place, Unusable};
use crate::summary::Summary;

pub(crate) use json::set;
pub use json::summary as summary_json;
pub(crate) use junit::test_case;
pub use junit::{escape as xml_attribute, escape_text as xml_text};
pub use tap::{details as tap_details, one_line};

/// `too early` as `Too early`.
fn capitalized(text: &str) -> String {
    let mut out = text.to_owned();
    out.get_mut(..1).map(str::make_ascii_uppercase);
    out
}

/// The data that all cases of a run share.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Run {
    /// The version of Otus.
    pub version: &'static str,
    /// The files of the specification.
    pub specs: Vec<String>,
    /// The place where its interaction begins.
    pub interaction: Option<Place>,
    /// The name of the question.
    pub kind: &'static str,
    /// Whether that name is one of `--observed`.
    pub by_observed: bool,
    /// The engine.
    pub engine: &'static str,
}

impl Run {
    /// The name of the specification.
    pub fn name(&self) -> String {
        match &self.interaction {
            Some(place) => place.file.clone(),
            None => self.specs.join(" "),
        }
    }

    /// The line where the interaction begins. It has no columns, so that an editor does not mark the
    /// whole interaction.
    fn first_line(&self) -> Option<Place> {
        self.interaction.clone().map(|place| Place { columns: None, ..place })
    }
}

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReportFormat {
    /// Text for people.
    Text,
    /// One JSON document.
    Json,
    /// One JSON object per line, for bulk runs.
    Jsonl,
    /// `JUnit` XML.
    Junit,
    /// SARIF 2.1.0.
    Sarif,
    /// Annotations of GitHub Actions.
    Github,
    /// Test Anything Protocol.
    Tap,
    /// Markdown for a pull request.
    Markdown,
    /// A page in one file.
    Html,
}

impl ReportFormat {
    /// All report formats.
    pub const ALL: [ReportFormat; 9] = [
        ReportFormat::Text,
        ReportFormat::Json,
        ReportFormat::Jsonl,
        ReportFormat::Junit,
        ReportFormat::Sarif,
        ReportFormat::Github,
        ReportFormat::Tap,
        ReportFormat::Markdown,
        ReportFormat::Html,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            ReportFormat::Text => "text",
            ReportFormat::Json => "json",
            ReportFormat::Jsonl => "jsonl",
            ReportFormat::Junit => "junit",
            ReportFormat::Sarif => "sarif",
            ReportFormat::Github => "github",
            ReportFormat::Tap => "tap",
            ReportFormat::Markdown => "markdown",
            ReportFormat::Html => "html",
        }
    }

    /// A writer of this format.
    pub fn writer(self, fingerprint: Option<&str>, colored: bool) -> Box<dyn Writer> {
        match self {
            ReportFormat::Text => Box::new(text::Text { colored }),
            ReportFormat::Json => Box::new(json::Json::default()),
            ReportFormat::Jsonl => {
                Box::new(json::Jsonl { fingerprint: fingerprint.map(str::to_owned) })
            }
            ReportFormat::Junit => Box::new(junit::Junit::default()),
            ReportFormat::Sarif => Box::new(sarif::Sarif::default()),
            ReportFormat::Github => Box::new(github::Github::default()),
            ReportFormat::Tap => Box::new(tap::Tap::default()),
            ReportFormat::Markdown => Box::new(markdown::Markdown::default()),
            ReportFormat::Html => Box::new(html::Html::default()),
        }
    }
}

/// A writer of a table of verdicts as Parquet, with a row for each run.
#[cfg(feature = "parquet")]
pub fn verdict_table() -> Box<dyn Writer> {
    Box::new(crate::parquet::Verdicts::default())
}

/// The number of failures whose explanations are in the tables of findings.
#[cfg(feature = "parquet")]
const SAMPLE: usize = 1_000;

/// Writers of all result tables as Parquet, with their names: `verdicts` with a row for each run, and the
/// [findings](crate::findings) about all runs: `totals`, `causes`, `sample` and `coverage`, which has rows if coverage is
/// counted.
#[cfg(feature = "parquet")]
pub fn result_tables() -> Vec<(&'static str, Box<dyn Writer>)> {
    let findings = crate::parquet::findings_writers(SAMPLE).into_iter();
    let findings = findings.map(|(name, writer)| (name, Box::new(writer) as Box<dyn Writer>));
    std::iter::once(("verdicts", verdict_table())).chain(findings).collect()
}

/// The default details of cases for some formats.
///
/// JSONL is for bulk runs, so with it alone failures are not explained and witnesses are left out.
pub fn defaults_for(formats: &[ReportFormat], request: &mut Request) {
    let is_bulk = formats.iter().all(|&format| format == ReportFormat::Jsonl);
    request.explain = if is_bulk { Explain::None } else { Explain::Short };
    let with_witness = [ReportFormat::Text, ReportFormat::Json, ReportFormat::Tap];
    request.witness = match (is_bulk, formats.iter().any(|it| with_witness.contains(it))) {
        (true, _) => WitnessPolicy::None,
        (false, true) => WitnessPolicy::Cheap,
        (false, false) => WitnessPolicy::Weak,
    };
    request.pictures = formats.contains(&ReportFormat::Html);
    request.is_brief = is_bulk;
}

/// Writes a report step by step.
pub trait Writer {
    /// The head, if there is one.
    ///
    /// # Errors
    /// If the output cannot be written.
    fn begin(&mut self, _run: &Run, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// A case.
    ///
    /// # Errors
    /// The errors of [`Writer::begin`].
    fn case(&mut self, case: &Case, out: &mut dyn Write) -> io::Result<()> {
        let mut bytes = Vec::new();
        if let Some(format) = self.formatter() {
            format(case, &mut bytes);
        }
        self.formatted(&bytes, out)
    }

    /// An input that could not be checked, if the format reports it.
    ///
    /// # Errors
    /// The errors of [`Writer::begin`].
    fn unusable(&mut self, _unusable: &Unusable, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// The end, if there is one.
    ///
    /// # Errors
    /// The errors of [`Writer::begin`].
    fn end(&mut self, _summary: &Summary, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// A function that formats a case by itself, if the format allows that. Its bytes are given to
    /// [`Writer::formatted`] instead of [`Writer::case`].
    fn formatter(&self) -> Option<Formatter> {
        None
    }

    /// Some formatted cases, concatenated.
    ///
    /// # Errors
    /// The errors of [`Writer::begin`].
    fn formatted(&mut self, bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
        out.write_all(bytes)
    }
}

/// Formats a case by itself.
pub type Formatter = Box<dyn Fn(&Case, &mut Vec<u8>) + Send + Sync>;

/// Several reports of one run.
pub struct Reports<S> {
    all: Vec<Output<S>>,
}

struct Output<S> {
    writer: Box<dyn Writer>,
    sink: S,
    /// Whether the threads format its cases.
    is_formatted: bool,
}

impl<S> std::fmt::Debug for Reports<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reports").field("count", &self.all.len()).finish()
    }
}

/// Some formatted cases.
#[derive(Debug, Default)]
pub struct Formatted {
    /// For each report: the bytes of its cases.
    bytes: Vec<Vec<u8>>,
    /// The case, if a writer or the caller needs it.
    case: Option<Box<Case>>,
}

impl<S: Write> Reports<S> {
    /// Reports with their sinks.
    pub fn new(all: Vec<(Box<dyn Writer>, S)>) -> Reports<S> {
        let output = |(writer, sink): (Box<dyn Writer>, S)| {
            let is_formatted = writer.formatter().is_some();
            Output { writer, sink, is_formatted }
        };
        Reports { all: all.into_iter().map(output).collect() }
    }

    /// Writes the heads.
    ///
    /// # Errors
    /// If a sink cannot be written.
    pub fn begin(&mut self, run: &Run) -> io::Result<()> {
        self.all.iter_mut().try_for_each(|it| it.writer.begin(run, &mut it.sink))
    }

    /// A function that formats cases for all reports, to be given to
    /// [`Analysis::start_fold`](crate::Analysis::start_fold).
    pub fn formatter(
        &self,
    ) -> impl Fn(&Case, Option<&mut Formatted>) -> Option<Formatted> + Send + Sync + use<S> {
        let all: Vec<Option<Formatter>> = self.all.iter().map(|it| it.writer.formatter()).collect();
        let is_kept = all.iter().any(Option::is_none);
        move |case, last| {
            let is_kept = is_kept || !case.attachments.is_empty();
            let mut new = None;
            // Cases that no writer keeps are concatenated into one buffer, because an allocation for each case would
            // cost as much as its analysis.
            let into = match last.filter(|last| !is_kept && last.case.is_none()) {
                Some(last) => last,
                None => new.insert(Formatted { bytes: vec![Vec::new(); all.len()], case: None }),
            };
            for (formatter, bytes) in all.iter().zip(&mut into.bytes) {
                if let Some(formatter) = formatter.as_ref().filter(|_| !case.is_earlier) {
                    formatter(case, bytes);
                }
            }
            into.case = is_kept.then(|| Box::new(case.clone()));
            new
        }
    }

    /// Writes some cases.
    ///
    /// # Errors
    /// If a sink cannot be written.
    pub fn write(&mut self, formatted: &Formatted) -> io::Result<()> {
        for (output, bytes) in self.all.iter_mut().zip(&formatted.bytes) {
            if output.is_formatted {
                if !bytes.is_empty() {
                    output.writer.formatted(bytes, &mut output.sink)?;
                }
            } else if let Some(case) = &formatted.case {
                output.writer.case(case, &mut output.sink)?;
            }
        }
        Ok(())
    }

    /// Writes an input that could not be checked.
    ///
    /// # Errors
    /// If a sink cannot be written.
    pub fn unusable(&mut self, unusable: &Unusable) -> io::Result<()> {
        self.all.iter_mut().try_for_each(|it| it.writer.unusable(unusable, &mut it.sink))
    }

    /// Writes the end of each report, and returns the sinks.
    ///
    /// # Errors
    /// If a sink cannot be written.
    pub fn end(mut self, summary: &Summary) -> io::Result<Vec<S>> {
        self.all.iter_mut().try_for_each(|it| it.writer.end(summary, &mut it.sink))?;
        Ok(self.all.into_iter().map(|it| it.sink).collect())
    }
}

impl Formatted {
    /// The case, if a report or an attachment needs it.
    pub fn case(&self) -> Option<&Case> {
        self.case.as_deref()
    }
}
