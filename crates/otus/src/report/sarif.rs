//! SARIF 2.1.0: a rule for each cause; a result for each multi-trace that fails or is undecided.
//!
//! The location of a result is the line of the specification with the expected action, or the beginning of the
//! interaction; lines of logs are related locations, and each log that has one is a thread flow. Results are written
//! as they arrive.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Run, Writer, capitalized, set};
use crate::case::{Case, Outcome, Place, Unusable};
use crate::cause::{CAUSES, Cause};
use crate::explanation::{Explanation, LogPlace};
use crate::summary::Summary;

#[derive(Debug, Default)]
pub(super) struct Sarif {
    interaction: Option<Place>,
    begun: bool,
    notifications: Vec<Value>,
}

/// The maximum number of unchecked inputs that are listed.
const NOTIFIED: usize = 100;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

impl Writer for Sarif {
    fn begin(&mut self, run: &Run, out: &mut dyn Write) -> io::Result<()> {
        self.interaction = run.first_line();
        let rules = CAUSES.iter().map(|rule| Rule { cause: rule, level: level(rule.id) });
        out.write_all(head(run.version, rules).as_bytes())
    }

    fn case(&mut self, case: &Case, out: &mut dyn Write) -> io::Result<()> {
        let Some(rule) = case.cause().filter(|_| case.outcome != Outcome::Passed) else {
            return Ok(());
        };
        let index = CAUSES.iter().position(|other| other.id == rule.id);
        let explanation = case.explanation.as_deref();
        let mut text = format!("{}: {}", case.id, case.headline());
        for note in explanation.iter().flat_map(|explanation| &explanation.notes) {
            let _ = write!(text, "\n{}: {}", note.topic, note.text);
        }
        let expected = explanation.map(|it| it.expected.as_slice()).unwrap_or_default();
        let place = expected.first().map(|first| &first.place).or(self.interaction.as_ref());
        let location = place.map(|place| located(place, None));
        let mut result = json!({
            "ruleId": rule.id,
            "ruleIndex": index,
            "level": if case.outcome == Outcome::Failed { "error" } else { "warning" },
            "message": { "text": text },
            "locations": location.into_iter().collect::<Vec<_>>(),
            "partialFingerprints": { "otusCase/v1": case.id },
            "properties": {
                "verdict": case.verdict.name(),
                "partition": &*case.partition,
                "actions": case.actions,
            },
        });
        let more = expected.iter().skip(1).map(|expected| {
            located(&expected.place, Some(&format!("expected here: {}", expected.action)))
        });
        let logs: Vec<&LogPlace> = explanation.into_iter().flat_map(Explanation::logs).collect();
        let related = more.chain(logs.iter().map(|log| of_log(log)));
        let mut related: Vec<Value> = related.collect();
        for (location, id) in related.iter_mut().zip(1..) {
            location["id"] = json!(id);
        }
        set(&mut result, "relatedLocations", Some(related).filter(|it| !it.is_empty()));
        if !logs.is_empty() {
            let mut flows: Vec<(String, Vec<Value>)> = Vec::new();
            for log in logs {
                let name = log.lifelines.join("+");
                let step = json!({ "location": of_log(log) });
                match flows.iter_mut().find(|(other, _)| *other == name) {
                    Some((_, steps)) => steps.push(step),
                    None => flows.push((name, vec![step])),
                }
            }
            let flow = |(id, steps)| json!({ "id": id, "locations": steps });
            let flows: Vec<Value> = flows.into_iter().map(flow).collect();
            result["codeFlows"] = json!([{ "threadFlows": flows }]);
        }
        let justification = "The baseline has it among the known failures.";
        let suppressions = || json!([{ "kind": "external", "justification": justification }]);
        set(&mut result, "suppressions", case.known.then(suppressions));
        write!(out, "{}\n{result}", if self.begun { "," } else { "" })?;
        self.begun = true;
        Ok(())
    }

    fn unusable(&mut self, unusable: &Unusable, _: &mut dyn Write) -> io::Result<()> {
        if self.notifications.len() < NOTIFIED {
            let id = unusable.id.as_ref().map(|id| format!("{id}: ")).unwrap_or_default();
            let mut value = json!({
                "level": "error",
                "message": { "text": format!("{id}{}", unusable.message) },
            });
            let place = unusable.place.as_ref();
            set(&mut value, "locations", place.map(|place| [located(place, None)]));
            self.notifications.push(value);
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let mut invocation =
            json!({ "executionSuccessful": summary.unusable + summary.interrupted == 0 });
        self.notifications.extend(summary.warnings.iter().map(|warning| {
            json!({ "level": "warning", "message": { "text": format!("{}.", capitalized(warning)) } })
        }));
        let notifications = Some(&self.notifications).filter(|all| !all.is_empty());
        set(&mut invocation, "toolExecutionNotifications", notifications);
        let counts = json!({
            "checked": summary.checked(),
            "pass": summary.verdicts.pass,
            "weak": summary.verdicts.weak,
            "fail": summary.verdicts.fail,
            "undecided": summary.verdicts.undecided,
            "unusable": summary.unusable,
        });
        out.write_all(tail(&invocation, &counts).as_bytes())
    }
}

/// A rule, and the level of its results.
pub(crate) struct Rule<'r> {
    pub(crate) cause: &'r Cause,
    pub(crate) level: &'static str,
}

/// The beginning of a report, up to its results.
pub(crate) fn head<'r>(version: &str, rules: impl Iterator<Item = Rule<'r>>) -> String {
    let rules = rules.map(|Rule { cause, level }| {
        let mut value = json!({
            "id": cause.id,
            "shortDescription": { "text": format!("{}.", capitalized(cause.name)) },
            "fullDescription": { "text": cause.meaning },
            "help": { "text": cause.help },
            "defaultConfiguration": { "level": level },
        });
        // An id that consists of one word needs no separate name.
        let name = || cause.id.split('-').map(capitalized).collect::<String>();
        set(&mut value, "name", cause.id.contains('-').then(name));
        value
    });
    let tool = json!({
        "driver": {
            "name": "otus",
            "informationUri": env!("CARGO_PKG_REPOSITORY"),
            "version": version,
            "semanticVersion": version,
            "rules": rules.collect::<Vec<_>>(),
        },
    });
    format!(
        "{{\n\"$schema\": \"{SCHEMA}\",\n\"version\": \"2.1.0\",\n\"runs\": [{{\n\"tool\": {tool},\n\
         \"columnKind\": \"unicodeCodePoints\",\n\"results\": ["
    )
}

/// The end of a report, after its results.
pub(crate) fn tail(invocation: &Value, counts: &Value) -> String {
    format!("\n],\n\"invocations\": [{invocation}],\n\"properties\": {counts}\n}}]\n}}\n")
}

pub(crate) fn located(place: &Place, text: Option<&str>) -> Value {
    let mut region = json!({ "startLine": place.line.max(1) });
    if let Some(columns) = place.columns {
        region["startColumn"] = json!(columns.start);
        region["endLine"] = json!(columns.end_line);
        region["endColumn"] = json!(columns.end.max(1));
    }
    let mut value = json!({
        "physicalLocation": { "artifactLocation": { "uri": uri(&place.file) }, "region": region },
    });
    set(&mut value, "message", text.map(|text| json!({ "text": text })));
    value
}

fn of_log(log: &LogPlace) -> Value {
    located(&log.place, Some(&format!("{}: {}", log.role, log.action)))
}

/// The name of a file as a URI reference.
fn uri(name: &str) -> String {
    let mut out = String::new();
    let name = name.replace('\\', "/");
    if name.starts_with('/') {
        out.push_str("file://");
    } else if name.as_bytes().get(1) == Some(&b':') {
        out.push_str("file:///");
    }
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            other => {
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
    out
}

fn level(id: &str) -> &'static str {
    match id {
        "weak-pass" => "note",
        "undecided" => "warning",
        _ => "error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_uris() {
        for (name, expected) in [
            ("docs/flow.mmd", "docs/flow.mmd"),
            ("a b/é#1.log", "a%20b/%C3%A9%231.log"),
            ("/tmp/x.log", "file:///tmp/x.log"),
            ("C:\\logs\\x.log", "file:///C%3A/logs/x.log"),
            ("<stdin>", "%3Cstdin%3E"),
        ] {
            assert_eq!(uri(name), expected);
        }
    }
}
