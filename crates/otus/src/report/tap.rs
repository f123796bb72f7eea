//! Test Anything Protocol, version 14: a test point for each multi-trace, the plan at the end.

use std::io::{self, Write};

use serde_json::json;

use super::{Run, Writer};
use crate::case::{Case, Outcome, Unusable};
use crate::summary::Summary;

#[derive(Debug, Default)]
pub(super) struct Tap {
    points: usize,
}

impl Writer for Tap {
    fn begin(&mut self, run: &Run, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "TAP version 14\n# otus {}: {}", run.version, one_line(&run.name()))
    }

    fn case(&mut self, case: &Case, out: &mut dyn Write) -> io::Result<()> {
        self.point(case.outcome == Outcome::Passed, &case.id, case.known, out)?;
        let Some(cause) = case.cause() else { return Ok(()) };
        let mut lines = vec![
            ("message", case.headline()),
            ("verdict", case.verdict.name().to_owned()),
            ("rule", cause.id.to_owned()),
        ];
        if let Some(witness) = &case.witness {
            lines.push(("explained_by", witness.to_string()));
        }
        if let Some(explanation) = &case.explanation {
            if let Some(expected) = explanation.expected.first() {
                lines.push(("spec", expected.place.in_line()));
                lines.push(("expected", expected.action.clone()));
            }
            if let Some(observed) = &explanation.observed {
                lines.push(("log", observed.place.in_line()));
                lines.push(("observed", observed.action.clone()));
            }
            for note in &explanation.notes {
                // Keys must be unique, but a full explanation has several situations, so only the
                // first note of a topic is written.
                if lines.iter().all(|(key, _)| *key != note.topic) {
                    lines.push((note.topic, note.text.clone()));
                }
            }
        }
        details(&lines, out)
    }

    fn unusable(&mut self, unusable: &Unusable, out: &mut dyn Write) -> io::Result<()> {
        self.point(false, unusable.name().as_deref().unwrap_or("input"), false, out)?;
        let mut lines = vec![("message", unusable.message.clone())];
        lines.extend(unusable.place.as_ref().map(|place| ("at", place.in_line())));
        details(&lines, out)
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        if self.points == 0 {
            return writeln!(out, "1..0 # SKIP nothing was checked");
        }
        writeln!(out, "1..{}", self.points)?;
        for warning in &summary.warnings {
            writeln!(out, "# warning: {warning}")?;
        }
        if summary.interrupted > 0 {
            writeln!(out, "Bail out! interrupted, {} not checked", summary.interrupted)?;
        }
        Ok(())
    }
}

impl Tap {
    /// A test point; a known failure is marked as TODO.
    fn point(
        &mut self,
        passed: bool,
        name: &str,
        known: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.points += 1;
        let todo = if known { " # TODO known failure" } else { "" };
        writeln!(out, "{}{todo}", test_point(passed, self.points, name))
    }
}

/// The line of a test.
pub(crate) fn test_point(passed: bool, number: usize, name: &str) -> String {
    let not = if passed { "" } else { "not " };
    // A number sign would begin a directive.
    let name = one_line(name).replace('\\', "\\\\").replace('#', "\\#");
    format!("{not}ok {number} - {name}")
}

/// A YAML block whose strings are written as in JSON.
///
/// # Errors
/// If the output cannot be written.
pub fn details(lines: &[(&str, String)], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "  ---")?;
    for (key, text) in lines {
        writeln!(out, "  {key}: {}", json!(text))?;
    }
    writeln!(out, "  ...")
}

/// A text without line ends and other control characters.
pub fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
