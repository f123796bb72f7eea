//! `JUnit` XML: the specification is a suite, each multi-trace a test of it.
//!
//! A Fail is a failure; an undecided or unreadable multi-trace is an error. Times are left out, so that the same
//! input gives the same report. The counts of a suite precede its tests in the file, so the tests are kept in a
//! spool until the counts are known.

use std::io::{self, Write};

use super::spool::Spool;
use super::{Run, Writer};
use crate::case::{Case, Outcome, Place, Unusable};
use crate::summary::Summary;

#[derive(Debug, Default)]
pub(super) struct Junit {
    suite: String,
    /// The specification of the current test.
    class: String,
    tests: usize,
    failures: usize,
    errors: usize,
    /// The number of known failures, which count as skipped.
    skipped: usize,
    body: Spool,
}

impl Writer for Junit {
    fn begin(&mut self, run: &Run, _: &mut dyn Write) -> io::Result<()> {
        self.suite = run.name();
        self.class.clone_from(&self.suite);
        Ok(())
    }

    fn case(&mut self, case: &Case, _: &mut dyn Write) -> io::Result<()> {
        self.class = case.spec.as_deref().unwrap_or(&self.suite).to_owned();
        let headline = case.headline();
        let rule = case.cause().map_or("", |rule| rule.id);
        match case.outcome {
            Outcome::Passed => {
                let note = if case.cause().is_some() { Some(&*headline) } else { None };
                self.test(&case.id, None, note)
            }
            Outcome::Failed if case.known => {
                self.skipped += 1;
                let message = format!("known failure ({rule}): {headline}");
                self.test(&case.id, Some(("skipped", rule, &message, "")), None)
            }
            Outcome::Failed => {
                self.failures += 1;
                self.test(&case.id, Some(("failure", rule, &headline, &details(case))), None)
            }
            Outcome::Undecided => {
                self.errors += 1;
                self.test(&case.id, Some(("error", rule, &headline, "")), None)
            }
        }
    }

    fn unusable(&mut self, unusable: &Unusable, _: &mut dyn Write) -> io::Result<()> {
        let at = unusable.place.as_ref().map(Place::in_line).unwrap_or_default();
        let name = unusable.name().unwrap_or_else(|| "input".to_owned());
        self.errors += 1;
        self.test(&name, Some(("error", "unusable", &unusable.message, &at)), None)
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let Junit { tests, failures, errors, .. } = *self;
        let skipped = match self.skipped {
            0 => String::new(),
            skipped => format!(" skipped=\"{skipped}\""),
        };
        out.write_all(head(&self.suite, [tests, failures, errors], &skipped).as_bytes())?;
        std::mem::take(&mut self.body).copy(out)?;
        if !summary.warnings.is_empty() {
            let warnings = escape_text(&summary.warnings.join("\n"));
            writeln!(out, "    <system-err>{warnings}</system-err>")?;
        }
        out.write_all(TAIL.as_bytes())
    }
}

/// The beginning of a report with one suite: its name, the numbers of its tests, failures and errors, and further
/// attributes.
pub(crate) fn head(suite: &str, [tests, failures, errors]: [usize; 3], more: &str) -> String {
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"otus\" {counts}>\n  \
         <testsuite name=\"{}\" {counts}{more}>\n",
        escape(suite)
    )
}

/// The end of a report with one suite.
pub(crate) const TAIL: &str = "  </testsuite>\n</testsuites>\n";

impl Junit {
    fn test(
        &mut self,
        name: &str,
        fault: Option<(&str, &str, &str, &str)>,
        note: Option<&str>,
    ) -> io::Result<()> {
        self.tests += 1;
        self.body.0.write_all(test_case(&self.class, name, fault, note).as_bytes())
    }
}

/// A test, with its problem (element, type, message, text) or note.
pub(crate) fn test_case(
    class: &str,
    name: &str,
    fault: Option<(&str, &str, &str, &str)>,
    note: Option<&str>,
) -> String {
    let test = format!("    <testcase classname=\"{}\" name=\"{}\"", escape(class), escape(name));
    let inside = match (fault, note) {
        (Some((element, kind, message, text)), _) => {
            let (kind, message, text) = (escape(kind), escape(message), escape_text(text));
            format!("<{element} type=\"{kind}\" message=\"{message}\">{text}</{element}>")
        }
        (None, Some(note)) => format!("<system-out>{}</system-out>", escape_text(note)),
        (None, None) => return format!("{test}/>\n"),
    };
    format!("{test}>\n      {inside}\n    </testcase>\n")
}

fn details(case: &Case) -> String {
    match &case.explanation {
        Some(explanation) => format!("\n{}", explanation.render(false)),
        None => case.how_far().unwrap_or_default(),
    }
}

/// Escapes a text for an attribute.
pub fn escape(text: &str) -> String {
    escaped(text, true)
}

/// Escapes a text between tags.
pub fn escape_text(text: &str) -> String {
    escaped(text, false)
}

/// Replaces control characters that XML cannot represent.
fn escaped(text: &str, attribute: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if attribute => out.push_str("&quot;"),
            // An XML reader would turn these into spaces.
            '\n' if attribute => out.push_str("&#10;"),
            '\t' if attribute => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            '\n' | '\t' => out.push(letter),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => {
                out.push('\u{fffd}');
            }
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_can_be_written() {
        let text = "a<b>&\"'\n\t\r\u{0}\u{1b}\u{ffff}é∅";
        assert_eq!(escape(text), "a&lt;b&gt;&amp;&quot;'&#10;&#9;&#13;\u{fffd}\u{fffd}\u{fffd}é∅");
        assert_eq!(escape_text("a\n\t\"]]>"), "a\n\t\"]]&gt;");
    }
}
