//! Reports of answers, in the formats of `otus analyze`. They use the same functions for the elements of each format.
//!
//! A formula is a test. It fails if it does not hold, or if it has a warning and warnings count ([`Report::strict`]).
//! Times are left out, so that the same input gives the same report.

mod html;

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::answer::Answer;
use super::json::document;
use super::summary::Summary;
use crate::case::{Outcome, Place};
use crate::cause::Cause;
use crate::report::{ReportFormat, github, junit, markdown, sarif, tap, test_case};
use crate::units::counted;

/// Answers as a report.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Report<'a> {
    /// The answers.
    pub answers: &'a [Answer],
    /// The summary of the answers.
    pub summary: &'a Summary,
    /// Whether a warning makes a formula fail.
    pub strict: bool,
}

/// The maximum number of runs that a Markdown summary shows.
const MOST_RUNS: usize = 20;

/// The kinds of results, as rules of SARIF.
const RULES: [Cause; 3] = [
    Cause {
        id: "formula-fails",
        name: "formula fails",
        meaning: "The formula does not hold over all orders of events that the trace allows.",
        help: "The run that is shown leads to the cut at which it fails. Another run of the system may take it.",
    },
    Cause {
        id: "undecided",
        name: "undecided",
        meaning: "A limit ended the check before it found an answer.",
        help: "Give it more time (--timeout), memory (--memory) or nodes (--max-nodes).",
    },
    Cause {
        id: "says-nothing",
        name: "formula says nothing",
        meaning: "The formula does not speak of anything that happens in this trace.",
        help: "Check its variables, values and conditions; a misspelt word is the usual reason.",
    },
];

impl<'a> Report<'a> {
    /// A report in which warnings do not make a formula fail.
    pub fn new(answers: &'a [Answer], summary: &'a Summary) -> Report<'a> {
        Report { answers, summary, strict: false }
    }

    /// The report in a format.
    pub fn write(&self, format: ReportFormat) -> String {
        match format {
            ReportFormat::Text => {
                let texts: Vec<String> = self.answers.iter().map(Answer::text).collect();
                texts.join("\n")
            }
            ReportFormat::Json => document(self.answers, self.summary),
            ReportFormat::Jsonl => {
                let lines = self.answers.iter().map(|answer| answer.json() + "\n");
                lines.collect()
            }
            ReportFormat::Junit => self.junit(),
            ReportFormat::Sarif => self.sarif(),
            ReportFormat::Github => self.github(),
            ReportFormat::Tap => self.tap(),
            ReportFormat::Markdown => self.markdown(),
            ReportFormat::Html => html::page(self),
        }
    }

    fn outcome(&self, answer: &Answer) -> Outcome {
        match answer.decided() {
            Some(true) if self.strict && !answer.warnings.is_empty() => Outcome::Failed,
            Some(true) => Outcome::Passed,
            Some(false) => Outcome::Failed,
            None => Outcome::Undecided,
        }
    }

    fn junit(&self) -> String {
        let count = |wanted: Outcome| {
            self.answers.iter().filter(|answer| self.outcome(answer) == wanted).count()
        };
        let counts = [self.answers.len(), count(Outcome::Failed), count(Outcome::Undecided)];
        let suite = &self.summary.trace;
        let mut out = junit::head(suite, counts, "");
        for answer in self.answers {
            let (headline, details) = (answer.full_headline(), format!("\n{answer}\n"));
            let fault = match (self.outcome(answer), answer.holds()) {
                (Outcome::Passed, _) => None,
                (Outcome::Failed, true) => Some(("failure", RULES[2].id)),
                (Outcome::Failed, false) => Some(("failure", RULES[0].id)),
                (Outcome::Undecided, _) => Some(("error", RULES[1].id)),
            };
            let fault = fault.map(|(element, rule)| (element, rule, &*headline, &*details));
            let remarks = answer.remarks().join("\n");
            let note = (!remarks.is_empty()).then_some(&*remarks);
            out.push_str(&test_case(suite, &answer.title_text(), fault, note));
        }
        out.push_str(junit::TAIL);
        out
    }

    fn sarif(&self) -> String {
        let levels = ["error", "warning", "warning"];
        let rules = RULES.iter().zip(levels).map(|(cause, level)| sarif::Rule { cause, level });
        let mut out = sarif::head(env!("CARGO_PKG_VERSION"), rules);
        let mut results: Vec<Value> = Vec::new();
        for answer in self.answers {
            let rule = match answer.decided() {
                Some(true) => None,
                Some(false) => Some((0, "error")),
                None => Some((1, "warning")),
            };
            if let Some((rule, level)) = rule {
                let text = format!("{}: {}", answer.title_text(), answer.full_headline());
                results.push(result(answer, rule, level, &text));
            }
            for warning in &answer.warnings {
                let level = if self.strict { "error" } else { "warning" };
                let text = format!("{}: {warning}", answer.title_text());
                results.push(result(answer, 2, level, &text));
            }
        }
        let results: Vec<String> = results.iter().map(|result| format!("\n{result}")).collect();
        out.push_str(&results.join(","));
        let summary = self.summary;
        let counts = json!({
            "checked": summary.formulas,
            "hold": summary.hold,
            "fail": summary.fail,
            "undecided": summary.undecided,
            "warnings": summary.warnings,
        });
        out + &sarif::tail(&json!({ "executionSuccessful": !summary.interrupted }), &counts)
    }

    fn github(&self) -> String {
        let mut out: Vec<u8> = Vec::new();
        // Writing to a vector cannot fail.
        let mut command = |level: &str, place: Option<&Place>, title: &str, text: &str| {
            let _ = github::command(level, place, title, text, &mut out);
        };
        for answer in self.answers {
            let (place, title) = (answer.report_place(), answer.title_text());
            let level = match answer.decided() {
                Some(true) => None,
                Some(false) => Some("error"),
                None => Some("warning"),
            };
            if let Some(level) = level {
                let mut text = answer.full_headline();
                for line in answer.details() {
                    let _ = write!(text, "\n{line}");
                }
                command(level, place.as_ref(), &title, &text);
            }
            for warning in &answer.warnings {
                let level = if self.strict { "error" } else { "warning" };
                command(level, place.as_ref(), &title, &warning.to_string());
            }
        }
        command("notice", None, "otus ctl", &self.summary.counts());
        String::from_utf8(out).unwrap_or_default()
    }

    fn tap(&self) -> String {
        let trace = tap::one_line(&self.summary.trace);
        let mut out = format!("TAP version 14\n# otus {}: {trace}\n", env!("CARGO_PKG_VERSION"));
        for (answer, number) in self.answers.iter().zip(1..) {
            let passed = self.outcome(answer) == Outcome::Passed;
            let _ = writeln!(out, "{}", tap::test_point(passed, number, &answer.title_text()));
            let mut lines = vec![("message", answer.full_headline())];
            let remarks = answer.remarks();
            if !remarks.is_empty() {
                lines.push(("remarks", remarks.join("; ")));
            }
            if !passed || !remarks.is_empty() {
                let mut bytes = Vec::new();
                let _ = tap::details(&lines, &mut bytes);
                out.push_str(&String::from_utf8_lossy(&bytes));
            }
        }
        let _ = writeln!(out, "1..{}", self.answers.len());
        out
    }

    fn markdown(&self) -> String {
        let cell = markdown::cell;
        let summary = self.summary;
        let verdict = if summary.fail > 0 {
            let fail = if summary.fail == 1 { "does" } else { "do" };
            format!("**{} {fail} not hold.**", counted(summary.fail, "formula"))
        } else if summary.undecided > 0 {
            "**No formula fails, but not all were decided.**".to_owned()
        } else {
            "**All formulas hold.**".to_owned()
        };
        let warnings = match summary.warnings {
            0 => String::new(),
            some => format!(" {}.", counted(some, "warning")),
        };
        let mut out = format!("## Otus: {}\n\n{verdict}{warnings}\n\n", cell(&summary.trace));
        out.push_str("| formula | answer | meaning | remarks |\n|---|---|---|---|\n");
        for answer in self.answers {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} |",
                cell(&answer.title_text()),
                answer.verdict(),
                cell(&answer.headline()),
                cell(&answer.remarks().join("; ")),
            );
        }
        let _ = writeln!(out, "\n{}.", cell(&summary.counts()));
        for answer in self.answers.iter().filter(|it| it.witness.is_some()).take(MOST_RUNS) {
            let text = format!("{answer}\n");
            let fence = markdown::fence(&text);
            let _ = write!(
                out,
                "\n<details><summary>{}: {}</summary>\n\n{fence}text\n{text}{fence}\n\n</details>\n",
                cell(&answer.title_text()),
                answer.verdict()
            );
        }
        out
    }
}

/// A result of SARIF: the place of the formula, and the events of its run as a thread flow for each
/// process.
fn result(answer: &Answer, rule: usize, level: &str, text: &str) -> Value {
    let place = answer.report_place();
    let location = place.iter().map(|place| sarif::located(place, None));
    let mut result = json!({
        "ruleId": RULES[rule].id,
        "ruleIndex": rule,
        "level": level,
        "message": { "text": text },
        "locations": location.collect::<Vec<_>>(),
        "partialFingerprints": { "otusFormula/v1": answer.title_text() },
    });
    let steps: Vec<Value> = answer
        .event_places()
        .into_iter()
        .map(|(place, text)| json!({ "location": sarif::located(&place, Some(&text)) }))
        .collect();
    if !steps.is_empty() && rule == 0 {
        result["codeFlows"] = json!([{ "threadFlows": [{ "id": "run", "locations": steps }] }]);
    }
    result
}
