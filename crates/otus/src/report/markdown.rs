//! A summary in Markdown, for a pull request or a CI job: counts, a table of the multi-traces that are not accepted,
//! and the first explanations. Its length is bounded.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Run, Writer};
use crate::case::{Case, Outcome, Place, Unusable};
use crate::summary::{Summary, Verdicts};
use crate::units::counted;

/// The maximum number of rows of the table, and of explanations.
const ROWS: usize = 50;
const EXPLAINED: usize = 20;

#[derive(Debug, Default)]
pub(super) struct Markdown {
    name: String,
    question: String,
    rows: Vec<String>,
    /// The number of rows that are left out.
    more: usize,
    explanations: Vec<String>,
    unusable: Vec<String>,
}

impl Writer for Markdown {
    fn begin(&mut self, run: &Run, _: &mut dyn Write) -> io::Result<()> {
        self.name = run.name();
        let words = if run.by_observed { "observed " } else { "" };
        if !run.kind.is_empty() {
            self.question = format!("; question: {words}{}, {} engine", run.kind, run.engine);
        }
        Ok(())
    }

    fn case(&mut self, case: &Case, _: &mut dyn Write) -> io::Result<()> {
        if case.outcome == Outcome::Passed || case.known {
            return Ok(());
        }
        if self.rows.len() >= ROWS {
            self.more += 1;
            return Ok(());
        }
        let explanation = case.explanation.as_deref();
        let expected = explanation.and_then(|it| it.expected.first());
        let observed = explanation.and_then(|it| it.observed.as_ref());
        self.rows.push(format!(
            "| {} | {} | {} | {} | {} |",
            cell(&case.id),
            case.verdict.name(),
            cell(&case.headline()),
            expected.map(|it| cell(&it.place.in_line())).unwrap_or_default(),
            observed.map(|it| cell(&it.place.in_line())).unwrap_or_default(),
        ));
        if let Some(explanation) = explanation.filter(|_| self.explanations.len() < EXPLAINED) {
            let text = explanation.render(false);
            let fence = fence(&text);
            self.explanations.push(format!(
                "<details><summary>{}</summary>\n\n{fence}text\n{text}{fence}\n\n</details>\n",
                cell(&format!("{}: {}", case.id, explanation.cause_name)),
            ));
        }
        Ok(())
    }

    fn unusable(&mut self, unusable: &Unusable, _: &mut dyn Write) -> io::Result<()> {
        if self.unusable.len() < ROWS {
            let at = unusable.place.as_ref().map(Place::in_line);
            let parts = at.iter().chain(&unusable.id).chain([&unusable.message]);
            let parts: Vec<&str> = parts.map(String::as_str).collect();
            self.unusable.push(format!("- {}", cell(&parts.join(": "))));
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "## Otus: {}\n\n{}\n", cell(&self.name), verdict(summary))?;
        writeln!(out, "| pass | weak | fail | undecided | unusable |")?;
        writeln!(out, "|---:|---:|---:|---:|---:|")?;
        let Verdicts { pass, weak, fail, undecided, .. } = summary.verdicts;
        let unusable = summary.unusable;
        writeln!(out, "| {pass} | {weak} | {fail} | {undecided} | {unusable} |\n")?;
        let (cases, actions) =
            (counted(summary.checked(), "multi-trace"), counted(summary.actions, "action"));
        writeln!(out, "{cases} with {actions}{}.", self.question)?;
        if !self.rows.is_empty() {
            writeln!(out, "\n| case | verdict | what is wrong | specification | log |")?;
            writeln!(out, "|---|---|---|---|---|")?;
            for row in &self.rows {
                writeln!(out, "{row}")?;
            }
        }
        if self.more > 0 {
            writeln!(out, "\nand {} more.", self.more)?;
        }
        for explanation in &self.explanations {
            write!(out, "\n{explanation}")?;
        }
        if !self.unusable.is_empty() {
            writeln!(out, "\n### Not checked\n\n{}", self.unusable.join("\n"))?;
        }
        for warning in &summary.warnings {
            writeln!(out, "\nWarning: {warning}.")?;
        }
        if summary.interrupted > 0 {
            writeln!(out, "\nInterrupted; {} not checked.", summary.interrupted)?;
        }
        Ok(())
    }
}

/// The counts in a sentence.
fn verdict(summary: &Summary) -> String {
    if summary.is_vacuous() {
        "**Nothing was checked.**".to_owned()
    } else if summary.verdicts.fail > summary.verdicts.known {
        let new = summary.verdicts.fail - summary.verdicts.known;
        let known = match summary.verdicts.known {
            0 => String::new(),
            known => format!(" Besides, {}.", counted(known, "known failure")),
        };
        format!("**{} failed.**{known}", counted(new, "multi-trace"))
    } else if summary.verdicts.known > 0 {
        "**All failures are known.**".to_owned()
    } else if summary.verdicts.undecided + summary.unusable + summary.interrupted > 0 {
        "**Nothing failed, but not everything was decided.**".to_owned()
    } else {
        "**Everything is accepted.**".to_owned()
    }
}

/// Escapes a text for a cell of a table or within a line.
pub(crate) fn cell(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '~' | '@' => {
                // Some Markdown renderers keep a backslash inside HTML; they all resolve character references.
                let _ = write!(out, "&#{};", u32::from(letter));
            }
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

/// A fence that is longer than any fence in a text.
pub(crate) fn fence(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_cell_is_markup() {
        assert_eq!(cell("a|b\n<i>*é"), "a&#124;b &lt;i&gt;&#42;é");
        assert_eq!(fence("a ``` b"), "````");
        assert_eq!(fence("a"), "```");
    }
}
