//! A report as one HTML file that needs no server, no network and no other file.
//!
//! [`page`] writes the frame: the overview as plain HTML, the data as JSON, and a script that makes the table and the
//! panels from the data. [`panel`] says what a panel shows of a case. Its picture is an SVG of
//! [`otus_draw::layout::failure`], which the script only puts in place and marks. Where scripts do not run (some CI
//! servers forbid them), the failures are listed as plain text.
//!
//! A row of the table is written to a [`Spool`] as soon as its case comes, so memory does not grow with their number. A
//! page with a million rows would be of no use, so rows beyond some thousands are counted and not listed.
//!
//! Safety: a policy in the page forbids it to load anything. The script makes elements and text; the SVG, which escapes
//! every text, is the only markup that it parses, as XML. Everything else is escaped by [`page`].
//!
//! `scripts/check-report` opens sample pages in a browser and clicks through them.

mod page;
mod panel;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

use otus_draw::metrics::grouped;
use serde::Serialize;

use super::spool::Spool;
use super::{Run, Writer, capitalized};
use crate::case::{Case, Place, Unusable, Verdict};
use crate::summary::{LogSummary, Summary, Verdicts};
pub(crate) use page::head as page_head;
use page::{Frame, embedded};
use panel::Panel;

/// The verdicts, from those that need attention most to those that need least.
const VERDICTS: [Verdict; 5] =
    [Verdict::Fail, Verdict::WeakFail, Verdict::Inconclusive, Verdict::WeakPass, Verdict::Pass];

/// The maximum number of Passes that are listed, and of cases of each other verdict.
const PASSES: u64 = 5_000;
const OTHERS: u64 = 20_000;

/// The number of drawn events after which further cases are not drawn.
const DRAWN: usize = 60_000;

/// The maximum number of unusable inputs that are named.
const UNUSABLE: usize = 20;

#[derive(Debug, Default)]
pub(crate) struct Html {
    frame: Frame,
    /// The rows as JSON.
    rows: Spool,
    listed: u64,
    /// For each verdict: the number of cases, and of those that are listed.
    counts: [u64; VERDICTS.len()],
    listed_by: [u64; VERDICTS.len()],
    drawn_events: usize,
    /// The number of cases that an earlier run decided.
    earlier: u64,
    /// The number of failures of this run without an explanation.
    unexplained: u64,
    /// The number of listed accepted cases with a picture, and the number of those without a
    /// picture.
    drawn: u64,
    undrawn: u64,
    unusable: Vec<String>,
}

impl Writer for Html {
    fn begin(&mut self, run: &Run, _: &mut dyn Write) -> io::Result<()> {
        self.frame.title = format!("Conformance to {}", run.name());
        self.frame.tool = format!("otus {}", run.version);
        self.frame.specifications.clone_from(&run.specs);
        self.frame.question = question(run);
        Ok(())
    }

    fn case(&mut self, case: &Case, _: &mut dyn Write) -> io::Result<()> {
        let number = &mut self.counts[case.verdict as usize];
        *number += 1;
        self.earlier += u64::from(case.is_earlier);
        let is_explained = case.explanation.is_some() || case.is_earlier;
        self.unexplained += u64::from(case.verdict == Verdict::Fail && !is_explained);
        if *number > most(case.verdict) {
            return Ok(());
        }
        self.listed_by[case.verdict as usize] += 1;
        if case.conforms() {
            let drawn = u64::from(case.picture.is_some());
            self.drawn += drawn;
            self.undrawn += 1 - drawn;
        }
        let row = self.row(case);
        if self.listed > 0 {
            self.rows.0.write_all(b",\n")?;
        }
        self.rows.0.write_all(embedded(&row).as_bytes())?;
        self.listed += 1;
        if matches!(case.verdict, Verdict::Fail | Verdict::WeakFail) {
            let ladder = row.detail.map(|panel| panel.ladder).unwrap_or_default();
            self.frame.list(&case.id, case.verdict, &row.headline, &ladder);
        }
        Ok(())
    }

    fn unusable(&mut self, unusable: &Unusable, _: &mut dyn Write) -> io::Result<()> {
        if self.unusable.len() < UNUSABLE {
            let at = unusable.place.as_ref().map(Place::in_line).or_else(|| unusable.id.clone());
            let at = at.map(|at| format!("{at}: ")).unwrap_or_default();
            self.unusable.push(format!("{at}{}", unusable.message));
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let mut frame = std::mem::take(&mut self.frame);
        frame.summary = format!("checked {}: {}", summary.checked(), summary.verdicts);
        frame.totals = totals(summary);
        self.count_unlisted(summary);
        frame.causes.clone_from(&summary.causes);
        frame.warnings = self.warnings(summary);
        let is_always_shown = |verdict| matches!(verdict, Verdict::Fail | Verdict::Pass);
        frame.counts = VERDICTS.into_iter().zip(self.counts).collect();
        frame.counts.retain(|&(verdict, cases)| cases > 0 || is_always_shown(verdict));
        let coverage: Vec<Coverage<'_>> = summary
            .coverage
            .iter()
            .map(|report| Coverage {
                specification: &report.specification,
                parts: report.rows().collect(),
            })
            .collect();
        let rows = std::mem::take(&mut self.rows);
        frame.write(&coverage, |out| rows.copy(out), out)
    }
}

impl Html {
    fn row<'c>(&mut self, case: &'c Case) -> Row<'c> {
        let explanation = case.explanation.as_deref();
        let headline = match case.verdict {
            _ if case.is_earlier => "decided by an earlier run".to_owned(),
            // The badge shows the verdict already.
            Verdict::Pass => String::new(),
            Verdict::WeakPass | Verdict::Fail | Verdict::WeakFail | Verdict::Inconclusive => {
                case.headline()
            }
        };
        let observed = explanation.and_then(|it| it.observed.as_ref()).map(|it| it.place.in_line());
        let cause = case.cause().filter(|_| explanation.is_some());
        // For other cases, the headline contains everything that is known.
        let detail = (explanation.is_some() || case.picture.is_some()).then(|| {
            let panel = Panel::new(case, self.drawn_events < DRAWN);
            self.drawn_events += panel.diagram.events.len();
            panel
        });
        Row {
            id: &case.id,
            verdict: case.verdict.name(),
            headline,
            cause: cause.map_or("", |cause| cause.name),
            log: observed.or_else(|| case.origin.clone()).unwrap_or_default(),
            specification: case.spec.as_deref().unwrap_or_default(),
            events: case.actions,
            known: case.known,
            detail,
        }
    }

    /// Counts cases that the totals have and that nobody listed, as in results that are a sample.
    fn count_unlisted(&mut self, summary: &Summary) {
        let Verdicts { pass, weak, fail, undecided, .. } = summary.verdicts;
        let bounded = self.counts[Verdict::WeakFail as usize];
        let totals = [
            (Verdict::Pass, pass as u64),
            (Verdict::WeakPass, weak as u64),
            (Verdict::Fail, fail as u64),
            (Verdict::Inconclusive, (undecided as u64).saturating_sub(bounded)),
        ];
        for (verdict, total) in totals {
            let count = &mut self.counts[verdict as usize];
            *count = total.max(*count);
        }
    }

    /// The remarks that a reader needs in order to trust the numbers.
    fn warnings(&self, summary: &Summary) -> Vec<String> {
        let mut warnings = Vec::new();
        if summary.is_vacuous() && summary.warnings.is_empty() {
            warnings.push("Nothing was checked.".to_owned());
        }
        warnings.extend(summary.warnings.iter().map(|text| format!("{}.", capitalized(text))));
        if summary.interrupted > 0 {
            let count = grouped(summary.interrupted);
            warnings.push(format!("The run was interrupted; {count} were not checked."));
        }
        for input in &self.unusable {
            warnings.push(format!("Could not be checked: {input}"));
        }
        if let Some(more) = summary.unusable.checked_sub(UNUSABLE).filter(|&more| more > 0) {
            warnings.push(format!("{} more could not be checked.", grouped(more)));
        }
        if self.unexplained > 0 {
            let count = grouped(self.unexplained);
            warnings.push(format!(
                "The first failures are explained; {count} more are not (--explain full explains all)."
            ));
        }
        if self.earlier > 0 {
            let count = grouped(self.earlier);
            warnings.push(format!(
                "{count} were decided by an earlier run; why is in the file of --results."
            ));
        }
        for (verdict, count) in VERDICTS.into_iter().zip(self.counts) {
            let listed = self.listed_by[verdict as usize];
            if count > most(verdict) {
                let (count, most) = (grouped(count), grouped(most(verdict)));
                warnings.push(format!(
                    "Of {count} groups with {verdict}, the first {most} are listed."
                ));
            } else if count > listed {
                let (count, listed) = (grouped(count), grouped(listed));
                warnings.push(format!(
                    "Of {count} groups with {verdict}, {listed} are listed: the results have no more."
                ));
            }
        }
        if self.undrawn > 0 && self.drawn > 0 {
            let count = grouped(self.drawn);
            warnings.push(format!("Of the groups that pass, {count} are drawn, the first ones."));
        }
        warnings
    }
}

fn most(verdict: Verdict) -> u64 {
    if verdict == Verdict::Pass { PASSES } else { OTHERS }
}

/// A row of the table, and the panel that it opens.
#[derive(Debug, Serialize)]
struct Row<'c> {
    id: &'c str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    headline: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    cause: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    log: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    specification: &'c str,
    events: usize,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    known: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<Panel<'c>>,
}

#[derive(Debug, Serialize)]
struct Coverage<'s> {
    specification: &'s str,
    parts: Vec<serde_json::Value>,
}

fn question(run: &Run) -> String {
    let words = match (run.kind, run.by_observed) {
        ("accept", _) | ("complete", true) => "every log is complete",
        ("prefix", false) | ("global-prefix", true) => {
            "the logs may all have been cut at one moment of the run"
        }
        ("eliminate", _) | ("prefix", true) => "each log may stop early",
        ("simulate", _) => "parts of the logs may be missing",
        ("slice", true) => "each log may start late and stop early",
        ("declared", _) => return "as declared for each lifeline".to_owned(),
        _ => return run.kind.to_owned(),
    };
    let observed = if run.by_observed { "observed " } else { "" };
    format!("{words} ({observed}{})", run.kind)
}

/// Numbers about the whole run, with their names.
fn totals(summary: &Summary) -> Vec<(&'static str, String)> {
    let mut totals = Vec::new();
    if let Some(LogSummary { logs, lines, unmatched, unread, .. }) = &summary.logs {
        totals.push(("Logs", grouped(*logs)));
        totals.push(("Lines", grouped(*lines)));
        totals.push(("Unmatched lines", grouped(*unmatched)));
        if *unread > 0 {
            totals.push(("Values not read", grouped(*unread)));
        }
    }
    if summary.unknown_values > 0 {
        totals.push(("Unknown values", grouped(summary.unknown_values)));
    }
    totals.push(("Actions", grouped(summary.actions)));
    if summary.unusable > 0 {
        totals.push(("Could not be checked", grouped(summary.unusable)));
    }
    totals
}
