//! The page of a run: cases become rows as they come, and the page is put around them at the end.
//!
//! What is kept of a case is a row in a [`Spool`], so memory does not grow with their number. A page with a
//! million rows would be of no use to anybody, so beyond some thousands they are counted and not listed; the
//! page says so.

use std::io::{self, Write};

use otus_analysis::Verdict as Found;

use super::mermaid;
use super::model::{About, Case, Count, Coverage, Part, Run, Rung, Total, Verdict};
use super::window::thousands;
use super::{Rows, page};
use crate::case::{self, Place, Unusable};
use crate::cause::CAUSES;
use crate::explanation::{Explanation, LogPlace, LogProgress as Progress};
use crate::report::spool::Spool;
use crate::report::{self, Writer};
use crate::summary::{LogSummary, Summary};
use crate::words::counted;

/// How many groups that pass are listed, and how many of each other verdict.
const PASSES: u64 = 5_000;
const OTHERS: u64 = 20_000;

/// Up to how many logs each is named that can be explained.
const NAMED: usize = 8;

/// How many inputs that could not be read are named.
const UNUSABLE: usize = 20;

/// Writes the page.
#[derive(Debug, Default)]
pub(crate) struct Html {
    run: Run,
    counts: [u64; Verdict::ALL.len()],
    rows: Rows,
    body: Spool,
    /// How many groups an earlier run has decided.
    earlier: u64,
    /// How many failures have no explanation although this run has found them.
    unexplained: u64,
    /// How many groups that are listed and pass have a diagram, and how many have none.
    drawn: u64,
    undrawn: u64,
    unusable: Vec<String>,
}

impl Writer for Html {
    fn begin(&mut self, run: &report::Run, _: &mut dyn Write) -> io::Result<()> {
        self.run = Run {
            title: format!("Conformance to {}", run.name()),
            tool: format!("otus {}", run.version),
            specifications: run.specs.clone(),
            question: question(run),
            ..Run::default()
        };
        Ok(())
    }

    fn case(&mut self, case: &case::Case, _: &mut dyn Write) -> io::Result<()> {
        let verdict = verdict(case.verdict);
        let number = &mut self.counts[verdict as usize];
        *number += 1;
        self.earlier += u64::from(case.is_earlier);
        let is_explained = case.explanation.is_some() || case.is_earlier;
        self.unexplained += u64::from(verdict == Verdict::Fail && !is_explained);
        if *number > most(verdict) {
            return Ok(());
        }
        if matches!(verdict, Verdict::Pass | Verdict::WeakPass) {
            let drawn = u64::from(case.picture.is_some());
            self.drawn += drawn;
            self.undrawn += 1 - drawn;
        }
        self.rows.write(&row(case, verdict), &mut self.body)
    }

    fn unusable(&mut self, unusable: &Unusable, _: &mut dyn Write) -> io::Result<()> {
        if self.unusable.len() < UNUSABLE {
            let at = unusable.place.as_ref().map(place).or_else(|| unusable.id.clone());
            let at = at.map(|at| format!("{at}: ")).unwrap_or_default();
            self.unusable.push(format!("{at}{}", unusable.message));
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let mut run = std::mem::take(&mut self.run);
        run.summary = format!("checked {}: {}", summary.checked(), summary.verdicts);
        run.totals = figures(summary);
        run.warnings = self.warnings(summary);
        let each = Verdict::ALL.into_iter().zip(self.counts);
        let is_looked_for = |verdict| matches!(verdict, Verdict::Fail | Verdict::Pass);
        let counts = each.filter(|&(verdict, cases)| cases > 0 || is_looked_for(verdict));
        let counts = counts.map(|(verdict, cases)| Count { verdict, cases }).collect();
        let coverage = summary.coverage.iter().map(|report| {
            let parts = report.rows().map(|row| Part {
                kind: row.kind.to_owned(),
                label: row.label,
                place: row.place,
                times: row.groups,
            });
            Coverage { specification: report.specification.clone(), parts: parts.collect() }
        });
        let about = About { run, counts, coverage: coverage.collect() };
        let body = std::mem::take(&mut self.body);
        page(&about, &self.rows, |out| body.copy(out), out)
    }
}

impl Html {
    /// What a reader must know.
    fn warnings(&self, summary: &Summary) -> Vec<String> {
        let mut warnings = Vec::new();
        if summary.is_vacuous() {
            warnings.push("Nothing was checked.".to_owned());
        }
        if summary.interrupted > 0 {
            let count = thousands(summary.interrupted as u64);
            warnings.push(format!("The run was interrupted; {count} were not checked."));
        }
        for what in &self.unusable {
            warnings.push(format!("Could not be checked: {what}"));
        }
        if let Some(more) = summary.unusable.checked_sub(UNUSABLE).filter(|&more| more > 0) {
            warnings.push(format!("{} more could not be checked.", thousands(more as u64)));
        }
        if self.unexplained > 0 {
            let count = thousands(self.unexplained);
            warnings.push(format!(
                "The first failures are explained; {count} more are not (--explain full explains all)."
            ));
        }
        if self.earlier > 0 {
            let count = thousands(self.earlier);
            warnings.push(format!(
                "{count} were decided by an earlier run; why is in the file of --results."
            ));
        }
        for (verdict, count) in Verdict::ALL.into_iter().zip(self.counts) {
            if count > most(verdict) {
                let (name, count, most) =
                    (verdict.name(), thousands(count), thousands(most(verdict)));
                warnings
                    .push(format!("Of {count} groups with {name}, the first {most} are listed."));
            }
        }
        if self.undrawn > 0 && self.drawn > 0 {
            warnings.push(format!(
                "Of the groups that pass, {} are drawn, the first ones.",
                thousands(self.drawn)
            ));
        }
        warnings
    }
}

/// How many groups with a verdict are listed.
fn most(verdict: Verdict) -> u64 {
    match verdict {
        Verdict::Pass => PASSES,
        Verdict::Fail | Verdict::WeakFail | Verdict::Inconclusive | Verdict::WeakPass => OTHERS,
    }
}

/// A group as it is listed and shown.
fn row(case: &case::Case, verdict: Verdict) -> Case {
    let explanation = case.explanation.as_deref();
    let headline = match case.verdict {
        _ if case.is_earlier => "decided by an earlier run".to_owned(),
        // The badge says it.
        Found::Pass => String::new(),
        Found::WeakPass | Found::Fail | Found::WeakFail | Found::Inconclusive => case.headline(),
    };
    let observed = explanation.and_then(|it| it.observed.as_ref()).map(|it| place(&it.place));
    let cause = explanation.and_then(|it| CAUSES.iter().find(|cause| cause.id == it.cause));
    // Of the others, the headline says what is known.
    let detail = (explanation.is_some() || case.picture.is_some()).then(|| {
        let mut detail = case.picture.as_deref().cloned().unwrap_or_default();
        detail.ladder = ladder(case);
        detail.mermaid = mermaid::text(&detail);
        detail
    });
    Case {
        id: case.id.clone(),
        verdict,
        headline,
        cause: cause.map(|rule| rule.name.to_owned()).unwrap_or_default(),
        log: observed.or_else(|| case.origin.clone()).unwrap_or_default(),
        specification: String::new(),
        events: case.actions as u64,
        known: case.known,
        detail,
    }
}

fn verdict(found: Found) -> Verdict {
    match found {
        Found::Pass => Verdict::Pass,
        Found::WeakPass => Verdict::WeakPass,
        Found::Fail => Verdict::Fail,
        Found::WeakFail => Verdict::WeakFail,
        Found::Inconclusive => Verdict::Inconclusive,
    }
}

/// What was asked, in words.
fn question(run: &report::Run) -> String {
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

fn figures(summary: &Summary) -> Vec<Total> {
    let mut figures = Vec::new();
    let mut figure = |name: &str, value: u64| {
        figures.push(Total { name: name.to_owned(), value: thousands(value) });
    };
    if let Some(LogSummary { logs, lines, unmatched, .. }) = summary.logs {
        figure("Logs", logs as u64);
        figure("Lines", lines);
        figure("Unmatched lines", unmatched);
    }
    figure("Actions", summary.actions as u64);
    if summary.unusable > 0 {
        figure("Could not be checked", summary.unusable as u64);
    }
    figures
}

/// The steps of the explanation, from a word to the details.
fn ladder(case: &case::Case) -> Vec<Rung> {
    let mut rungs = Vec::new();
    let mut rung = |title: &str, text: String| {
        rungs.push(Rung { title: title.to_owned(), text });
    };
    if let Some(explanation) = case.explanation.as_deref() {
        if let Some(rule) = CAUSES.iter().find(|cause| cause.id == explanation.cause) {
            let mut name = rule.name.to_owned();
            name.get_mut(..1).map(str::make_ascii_uppercase);
            rung("Cause", format!("{name}. {}\n{}", rule.meaning, rule.help));
        }
        for (title, lines) in places(explanation) {
            rung(title, lines.join("\n"));
        }
        for (title, text) in furthest(explanation) {
            rung(&title, text);
        }
        // That one is above, log by log.
        for note in explanation.notes.iter().filter(|note| note.topic != "consumed") {
            let mut topic = note.topic.to_owned();
            topic.get_mut(..1).map(str::make_ascii_uppercase);
            rung(&topic, note.text.clone());
        }
    }
    let missing = case.missing.as_deref().unwrap_or_default();
    if !missing.is_empty() {
        let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
        rung("Assumed missing", missing.join("\n"));
    }
    if let Some(reason) = &case.reason {
        rung("Undecided whether it is more", reason.to_string());
    }
    rungs
}

/// Where to look: in the specification, in the logs.
fn places(explanation: &Explanation) -> Vec<(&'static str, Vec<String>)> {
    let expected = explanation.expected.iter();
    let expected = expected.map(|it| format!("{} at {}", it.action, place(&it.place)));
    let observed = explanation.observed.iter().chain(&explanation.related).map(|log| {
        let LogPlace { place: at, action, role, .. } = log;
        format!("{role}: {action} at {}", place(at))
    });
    let both = [("Expected", expected.collect()), ("Observed", observed.collect::<Vec<_>>())];
    both.into_iter().filter(|(_, lines)| !lines.is_empty()).collect()
}

/// How far it can be explained, in each different way.
fn furthest(explanation: &Explanation) -> Vec<(String, String)> {
    let is_one = explanation.furthest.len() == 1;
    let mut texts: Vec<String> = Vec::new();
    for situation in &explanation.furthest {
        let mut lines = progress_of_all(&situation.logs);
        if !is_one {
            lines.extend(situation.choices.iter().map(|choice| format!("It {choice}.")));
        }
        let text = lines.join("\n");
        // Situations that differ in what cannot be told here are one.
        if !text.is_empty() && !texts.contains(&text) {
            texts.push(text);
        }
    }
    let is_one = texts.len() == 1;
    let title = |number: usize| match (is_one, number) {
        (true, _) => "How far it can be explained".to_owned(),
        (false, number) => format!("How far it can be explained, way {}", number + 1),
    };
    texts.into_iter().enumerate().map(|(number, text)| (title(number), text)).collect()
}

/// How far each log can be explained; of many, those that can be to their end are counted.
fn progress_of_all(components: &[Progress]) -> Vec<String> {
    let is_whole = |it: &&Progress| it.consumed == it.total;
    let (whole, part): (Vec<&Progress>, Vec<&Progress>) = components.iter().partition(is_whole);
    if components.len() <= NAMED || part.is_empty() || whole.is_empty() {
        return components.iter().filter_map(progress).collect();
    }
    let mut lines: Vec<String> = part.into_iter().filter_map(progress).collect();
    lines.push(format!("{} to the end", counted(whole.len(), "other log")));
    lines
}

/// `broker: 5 of 7, next broker?PUBCOMP, expected broker!PUBREL`
fn progress(progress: &Progress) -> Option<String> {
    let Progress { lifelines, consumed, total, next, expected } = progress;
    if *total == 0 && expected.is_empty() {
        return None;
    }
    let mut text = format!("{}: {consumed} of {total}", lifelines.join("+"));
    if let Some(next) = next {
        text.push_str(", next ");
        text.push_str(next);
    }
    if !expected.is_empty() {
        text.push_str(", expected ");
        text.push_str(&expected.join(" or "));
    }
    Some(text)
}

fn place(place: &Place) -> String {
    format!("{}:{}", place.file, place.line)
}
