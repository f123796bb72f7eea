//! Findings about logs: as plain data, and in words.

use std::fmt::Write as _;

use otus_syntax::{Code, Severity};
use otus_trace::run::{self, Accounting};
use serde::Serialize;

use crate::case::Place;
use crate::context::Context;

/// A problem or an anomaly of logs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LogFinding {
    /// The code, like `O1102`; see `otus explain O1102`.
    pub code: String,
    /// `note`, `warning` or `error`.
    pub severity: &'static str,
    /// A sentence without a final period.
    pub message: String,
    /// The number of occurrences.
    pub count: u64,
    /// The first places; line 0 is the whole file.
    pub places: Vec<Place>,
    /// The advice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// All findings of a run, the worst first.
pub(crate) fn all(accounting: &Accounting) -> Vec<LogFinding> {
    let finding = |found: &run::Finding| LogFinding {
        code: found.code.to_string(),
        severity: found.severity.name(),
        message: found.message.clone(),
        count: found.count,
        places: found.places.iter().map(|&found| place(accounting, found)).collect(),
        help: found.help.clone(),
    };
    accounting.findings.iter().map(finding).collect()
}

/// The warnings and errors of a run in words, if there are any.
pub(crate) fn warnings(accounting: &Accounting) -> Option<String> {
    let text = text(&all(accounting), false);
    (!text.is_empty()).then(|| text.trim_end().to_owned())
}

/// Reports the warnings and errors of a run.
pub(crate) fn report(context: &Context, accounting: &Accounting) {
    if let Some(found) = warnings(accounting) {
        context.remark(found);
    }
}

/// Findings in words, one per line; notes are included only on request. Messages without a counterpart are left out,
/// because the account of the logs counts them.
pub(crate) fn text(findings: &[LogFinding], with_notes: bool) -> String {
    let mut out = String::new();
    let unpaired = Code::UNPAIRED_MESSAGE.to_string();
    let wanted = |finding: &&LogFinding| {
        finding.code != unpaired && (with_notes || finding.severity != Severity::Note.name())
    };
    for finding in findings.iter().filter(wanted) {
        let _ = writeln!(out, "{}[{}]: {}", finding.severity, finding.code, finding.message);
        // A rule that never matches belongs to no line of a log.
        let nowhere = finding.code == Code::NOTHING_MATCHED.to_string();
        let places = finding.places.iter().filter(|place| place.line > 0 || !nowhere);
        let shown = finding.places.len() as u64;
        for (index, place) in places.enumerate() {
            let arrow = if index == 0 { "-->" } else { ":::" };
            let _ = writeln!(out, "  {arrow} {place}");
        }
        if shown > 0 && finding.count > shown && !nowhere {
            let _ = writeln!(out, "  ::: and {} more", finding.count - shown);
        }
        if let Some(help) = &finding.help {
            let _ = writeln!(out, "   = help: {help}");
        }
        out.push('\n');
    }
    out
}

/// A place with the name of its file.
pub(crate) fn place(accounting: &Accounting, place: run::RunPlace) -> Place {
    let file = accounting.vocabulary.file(place.file);
    Place { file: file.to_owned(), line: place.line as usize, columns: None }
}
