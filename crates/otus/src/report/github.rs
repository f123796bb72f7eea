//! Annotations for GitHub Actions: one command per failure or undecided case, at the line of the specification, and a
//! notice at the end.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Run, Writer};
use crate::case::{Case, Outcome, Place, Unusable};
use crate::explanation::Explanation;
use crate::summary::Summary;

#[derive(Debug, Default)]
pub(super) struct Github {
    interaction: Option<Place>,
}

impl Writer for Github {
    fn begin(&mut self, run: &Run, _: &mut dyn Write) -> io::Result<()> {
        self.interaction = run.first_line();
        Ok(())
    }

    fn case(&mut self, case: &Case, out: &mut dyn Write) -> io::Result<()> {
        let level = match case.outcome {
            Outcome::Passed => return Ok(()),
            // A failure that the baseline lists gets no annotation.
            Outcome::Failed if case.known => return Ok(()),
            Outcome::Failed => "error",
            Outcome::Undecided => "warning",
        };
        let explanation = case.explanation.as_deref();
        let mut text = case.headline();
        for log in explanation.into_iter().flat_map(Explanation::logs) {
            let _ = write!(text, "\n{}: {} at {}", log.role, log.action, log.place.in_line());
        }
        for note in explanation.iter().flat_map(|it| &it.notes) {
            let _ = write!(text, "\n{}: {}", note.topic, note.text);
        }
        let expected = explanation.and_then(|it| it.expected.first()).map(|it| &it.place);
        let rule = case.cause().map_or("", |rule| rule.name);
        let title = format!("{}: {rule}", case.id);
        command(level, expected.or(self.interaction.as_ref()), &title, &text, out)
    }

    fn unusable(&mut self, unusable: &Unusable, out: &mut dyn Write) -> io::Result<()> {
        let title = unusable.id.clone().unwrap_or_else(|| "unusable input".to_owned());
        command("error", unusable.place.as_ref(), &title, &unusable.message, out)
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        for warning in &summary.warnings {
            command("warning", self.interaction.as_ref(), "otus", warning, out)?;
        }
        let mut text = format!("checked {}: {}", summary.checked(), summary.verdicts);
        for (count, what) in [(summary.unusable, "unusable"), (summary.interrupted, "not checked")]
        {
            if count > 0 {
                let _ = write!(text, ", {count} {what}");
            }
        }
        command("notice", None, "otus", &text, out)
    }
}

/// A command that annotates a place.
pub(crate) fn command(
    level: &str,
    place: Option<&Place>,
    title: &str,
    text: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "::{level} ")?;
    if let Some(place) = place {
        write!(out, "file={},line={},", property(&place.file), place.line)?;
        if let Some(columns) = place.columns.filter(|columns| columns.end_line == place.line) {
            write!(out, "col={},endColumn={},", columns.start, columns.end)?;
        }
    }
    writeln!(out, "title={}::{}", property(title), data(text))
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_or_a_property_is_escaped() {
        assert_eq!(data("50%\r\n::x, y"), "50%25%0D%0A::x, y");
        assert_eq!(property("a:b,c\n%é"), "a%3Ab%2Cc%0A%25é");
    }
}
