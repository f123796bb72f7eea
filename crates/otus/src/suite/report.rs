//! Reports on tests, for people, for scripts and for CI servers.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::SuiteSummary;
use super::run::{Judged, TestOutcome};
use crate::project::Settings;
use crate::project::expectation::{Formula, Test};
use crate::report::{one_line, set, tap_details as details, test_case, xml_attribute as escape};

/// The maximum number of differences of a test that are reported.
const SHOWN: usize = 20;

/// A test in a line: its name and its inputs.
pub fn listed(test: &Test, settings: &Settings) -> String {
    let about = match (&test.formula, test.spec.as_slice()) {
        (Some(Formula::Text(text)), _) => text.clone(),
        (Some(Formula::Property(name)), _) => format!("the property {name}"),
        (None, []) => settings.spec.join(" "),
        (None, some) => some.join(" "),
    };
    let inputs: Vec<&str> = test.traces.iter().chain(&test.logs).map(|it| &**it).collect();
    let inputs = if inputs.is_empty() { "all logs".to_owned() } else { inputs.join(" ") };
    let group = test.group.as_ref().map(|group| format!(", group {group}"));
    format!("{}: {about}, {inputs}{}\n", test.name, group.unwrap_or_default())
}

/// The format of a report on tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SuiteFormat {
    /// Text for people.
    Text,
    /// One JSON document.
    Json,
    /// `JUnit` XML.
    Junit,
    /// Test Anything Protocol.
    Tap,
}

impl SuiteFormat {
    /// The head of a report.
    pub fn head(self, config: &str) -> String {
        match self {
            SuiteFormat::Tap => {
                let version = env!("CARGO_PKG_VERSION");
                format!("TAP version 14\n# otus {version} test: {}\n", one_line(config))
            }
            SuiteFormat::Text | SuiteFormat::Json | SuiteFormat::Junit => String::new(),
        }
    }

    /// One test, the `number`-th from 1, when it has run.
    pub fn test(self, outcome: &TestOutcome<'_>, number: usize) -> String {
        match self {
            SuiteFormat::Text => text(outcome),
            SuiteFormat::Tap => point(outcome, number),
            SuiteFormat::Json | SuiteFormat::Junit => String::new(),
        }
    }

    /// The end of a report, when all tests have run.
    pub fn end(self, config: &str, outcomes: &[TestOutcome<'_>], summary: &SuiteSummary) -> String {
        match self {
            SuiteFormat::Text => String::new(),
            SuiteFormat::Tap => format!("1..{}\n", outcomes.len()),
            SuiteFormat::Json => {
                let SuiteSummary { tests, fit, differ, broken, checked, interrupted, .. } =
                    *summary;
                let document = json!({
                    "version": 1,
                    "config": config,
                    "tests": outcomes.iter().map(value).collect::<Vec<_>>(),
                    "summary": {
                        "tests": tests,
                        "expected": fit,
                        "different": differ,
                        "broken": broken,
                        "answers": checked,
                        "interrupted": interrupted,
                    },
                });
                format!("{document:#}\n")
            }
            SuiteFormat::Junit => junit(outcomes),
        }
    }
}

fn text(outcome: &TestOutcome<'_>) -> String {
    let name = &outcome.test.name;
    if let Some(error) = &outcome.error {
        return format!("test {name} … could not be run\n  {error}\n");
    }
    let counts = counts(outcome.cases.iter().map(|judged| judged.found));
    let counts: Vec<String> =
        counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
    if outcome.is_expected() {
        return format!("test {name} … ok ({})\n", counts.join(", "));
    }
    let mut out = format!("test {name} … differs\n");
    for line in differences(outcome) {
        let _ = writeln!(out, "  {line}");
    }
    out
}

/// The number of times that each word occurs, in the order of first occurrence.
pub(super) fn counts(words: impl Iterator<Item = &'static str>) -> Vec<(&'static str, usize)> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for word in words {
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    counts
}

fn differences(outcome: &TestOutcome<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if outcome.interrupted {
        lines.push("it was interrupted".to_owned());
    } else if outcome.cases.is_empty() {
        lines
            .push("nothing was checked; `otus map --explain` shows what became of logs".to_owned());
    }
    let wrong: Vec<&Judged> = outcome.cases.iter().filter(|it| !it.is_expected()).collect();
    for judged in wrong.iter().take(SHOWN) {
        lines.push(difference(judged));
        lines.extend(judged.details.iter().map(|detail| format!("    {detail}")));
    }
    if let Some(more) = wrong.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        lines.push(format!("… and {more} more (--format json has all)"));
    }
    for id in &outcome.absent {
        let some: Vec<&str> = outcome.cases.iter().take(5).map(|judged| &*judged.id).collect();
        let more = if outcome.cases.len() > some.len() { ", …" } else { "" };
        let there = format!("there are {}{more}", some.join(", "));
        lines.push(format!("{id}: something is expected of it, but it is not there; {there}"));
    }
    lines
}

/// The expected and the actual value, in a line.
fn difference(judged: &Judged) -> String {
    let Judged { id, found, headline, .. } = judged;
    let Some(wanted) = &judged.wanted else {
        return format!(
            "{id}: nothing is expected (--update writes it), found {found}: {headline}"
        );
    };
    let wanted = wanted.join(" or ");
    let Some(causes) = judged.wanted_cause.as_ref().filter(|_| !judged.is_cause_expected()) else {
        return format!("{id}: expected {wanted}, found {found}: {headline}");
    };
    let causes = causes.join(" or ");
    let cause = judged.cause.unwrap_or("not worked out");
    format!("{id}: expected {wanted} ({causes}), found {found} ({cause}): {headline}")
}

/// A test point and its differences.
fn point(outcome: &TestOutcome<'_>, number: usize) -> String {
    let not = if outcome.is_expected() { "" } else { "not " };
    let name = one_line(&outcome.test.name).replace('\\', "\\\\").replace('#', "\\#");
    let mut out = format!("{not}ok {number} - {name}\n").into_bytes();
    let message = match &outcome.error {
        Some(error) => Some(error.clone()),
        None => Some(differences(outcome).join("\n")).filter(|text| !text.is_empty()),
    };
    if let Some(message) = message {
        let _ = details(&[("message", message)], &mut out);
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn value(outcome: &TestOutcome<'_>) -> Value {
    let cases = outcome.cases.iter().map(|judged| {
        let mut value = json!({
            "id": judged.id,
            "ok": judged.is_expected(),
            "found": judged.found,
            "headline": judged.headline,
        });
        set(&mut value, "expected", judged.wanted.as_ref());
        set(&mut value, "cause", judged.cause);
        set(&mut value, "expected_cause", judged.wanted_cause.as_ref());
        set(&mut value, "details", (!judged.is_expected()).then_some(&judged.details));
        value
    });
    let mut value = json!({
        "name": outcome.test.name,
        "ok": outcome.is_expected(),
        "cases": cases.collect::<Vec<_>>(),
    });
    set(&mut value, "error", outcome.error.as_ref());
    set(&mut value, "absent", Some(&outcome.absent).filter(|ids| !ids.is_empty()));
    value
}

/// One suite per test, in which each answer is a test.
fn junit(outcomes: &[TestOutcome<'_>]) -> String {
    let (mut body, mut all) = (String::new(), [0; 3]);
    for outcome in outcomes {
        let suite = escape(&outcome.test.name);
        let (mut inside, mut counts) = (String::new(), [0; 3]);
        let mut add = |name: &str, fault: Option<(&str, &str, &str)>| {
            counts[0] += 1;
            let fault = fault.map(|(element, message, text)| {
                let (at, kind) =
                    if element == "failure" { (1, "different") } else { (2, "broken") };
                counts[at] += 1;
                (element, kind, message, text)
            });
            inside.push_str(&test_case(&outcome.test.name, name, fault, None));
        };
        if let Some(error) = &outcome.error {
            add(&outcome.test.name, Some(("error", error, "")));
        } else if outcome.cases.is_empty() {
            add(&outcome.test.name, Some(("failure", "nothing was checked", "")));
        }
        for judged in outcome.cases.iter().filter(|_| outcome.error.is_none()) {
            let (message, text) = (difference(judged), judged.details.join("\n"));
            let fault = (!judged.is_expected()).then_some(("failure", &*message, &*text));
            add(&judged.id, fault);
        }
        for id in &outcome.absent {
            add(id, Some(("failure", "something is expected of it, but it is not there", "")));
        }
        for (sum, count) in all.iter_mut().zip(counts) {
            *sum += count;
        }
        let _ = write!(
            body,
            "  <testsuite name=\"{suite}\" {}>\n{inside}  </testsuite>\n",
            attributes(counts)
        );
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"otus test\" {}>\n{body}\
         </testsuites>\n",
        attributes(all)
    )
}

fn attributes([tests, failures, errors]: [usize; 3]) -> String {
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"")
}
