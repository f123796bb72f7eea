//! JSON: one document with all results, or one object per line (JSONL) for bulk runs.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use super::{Formatter, Writer};
use crate::case::Case;
use crate::summary::{LifelineCount, LogSummary, Summary};

/// One document, indented.
#[derive(Debug, Default)]
pub(super) struct Json {
    has_results: bool,
}

const BEGIN: &str = "{\n  \"version\": 1,\n  \"results\": [\n";
/// The separator after each formatted result; the last result of a document must not have it.
const SEPARATOR: &[u8] = b",\n";

impl Writer for Json {
    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let begin = if self.has_results { "\n" } else { BEGIN };
        write!(out, "{begin}  ],\n  \"summary\": {}", indented(&summary_document(summary)))?;
        if let Some(coverage) = &summary.coverage {
            write!(out, ",\n  \"coverage\": {}", indented(&coverage.json()))?;
        }
        out.write_all(b"\n}\n")
    }

    fn formatter(&self) -> Option<Formatter> {
        Some(Box::new(result))
    }

    fn formatted(&mut self, bytes: &[u8], out: &mut dyn Write) -> io::Result<()> {
        out.write_all(if self.has_results { SEPARATOR } else { BEGIN.as_bytes() })?;
        self.has_results = true;
        out.write_all(bytes.strip_suffix(SEPARATOR).unwrap_or(bytes))
    }
}

fn result(case: &Case, out: &mut Vec<u8>) {
    let text = serde_json::to_string_pretty(case).expect("a case has only keys that are texts");
    out.extend_from_slice(b"    ");
    out.extend_from_slice(text.replace('\n', "\n    ").as_bytes());
    out.extend_from_slice(SEPARATOR);
}

fn indented(value: &Value) -> String {
    format!("{value:#}").replace('\n', "\n  ")
}

/// Sets a key of an object, if there is a value for it.
pub(crate) fn set<T: Serialize>(object: &mut Value, key: &str, value: Option<T>) {
    if let Some(value) = value {
        object[key] = json!(value);
    }
}

/// The counts of a run, with those of each specification if there are several.
fn summary_document(all: &Summary) -> Value {
    let mut value = summary(all);
    if !all.by_spec.is_empty() {
        let by_spec = all.by_spec.iter().map(|(name, counts)| {
            let mut value = summary(counts);
            value["spec"] = json!(name);
            value
        });
        value["specs"] = by_spec.collect();
    }
    value
}

/// The counts of a run.
pub fn summary(summary: &Summary) -> Value {
    let verdicts = summary.verdicts;
    let mut value = json!({
        "checked": summary.checked(),
        "actions": summary.actions,
        "pass": verdicts.pass,
        "weak": verdicts.weak,
        "fail": verdicts.fail,
        "undecided": verdicts.undecided,
        "unusable": summary.unusable,
        "interrupted": summary.interrupted,
    });
    set(&mut value, "warnings", Some(&summary.warnings).filter(|all| !all.is_empty()));
    if let Some(LifelineCount { acted, all }) = summary.lifelines {
        value["lifelines"] = json!({ "observed": acted, "all": all });
    }
    set(&mut value, "silent", Some(&summary.silent).filter(|all| !all.is_empty()));
    set(&mut value, "unassigned", Some(summary.unassigned).filter(|&count| count > 0));
    if let Some(fixed) = &summary.fixed {
        value["known"] = json!(verdicts.known);
        value["fixed"] = json!(fixed);
    }
    if let Some(LogSummary { logs, lines, unmatched, unread, .. }) = &summary.logs {
        value["logs"] = json!(logs);
        value["lines"] = json!(lines);
        value["unmatched"] = json!(unmatched);
        value["groups"] = json!(summary.groups);
        set(&mut value, "unread_values", Some(*unread).filter(|&count| count > 0));
    }
    set(&mut value, "unknown_values", Some(summary.unknown_values).filter(|&count| count > 0));
    value
}

/// One object per line, with the keys that a script needs.
#[derive(Debug)]
pub(super) struct Jsonl {
    pub(super) fingerprint: Option<String>,
}

impl Writer for Jsonl {
    fn formatter(&self) -> Option<Formatter> {
        let fingerprint = self.fingerprint.clone();
        Some(Box::new(move |case, out| line(case, fingerprint.as_deref(), out)))
    }
}

/// `{"id","verdict","kind","observed"?,"partition","engine","states","micros","asked"?,"reason"?,"note"?,"witness"?,
/// "explanation"?,"spec"?,"known"?}`, written without serde, because a bulk run writes hundreds of thousands of
/// lines per second.
fn line(case: &Case, fingerprint: Option<&str>, out: &mut Vec<u8>) {
    field("{\"id\":", &case.id, out);
    word(",\"verdict\":", case.verdict.name(), out);
    word(",\"kind\":", case.kind, out);
    if let Some(observed) = case.observed {
        word(",\"observed\":", observed, out);
    }
    field(",\"partition\":", &case.partition, out);
    word(",\"engine\":", case.engine, out);
    number(",\"states\":", case.states, out);
    number(",\"micros\":", u64::try_from(case.elapsed.as_micros()).unwrap_or(u64::MAX), out);
    if let Some(fingerprint) = fingerprint {
        field(",\"asked\":", fingerprint, out);
    }
    if let Some(reason) = &case.reason {
        field(",\"reason\":", reason, out);
    }
    if let Some(note) = &case.note {
        field(",\"note\":", note, out);
    }
    if let Some(witness) = &case.witness {
        field(",\"witness\":", &witness.to_string(), out);
    }
    if let Some(explanation) = &case.explanation {
        out.extend_from_slice(b",\"explanation\":");
        let _ = serde_json::to_writer(&mut *out, explanation);
    }
    if let Some(spec) = &case.spec {
        field(",\"spec\":", spec, out);
    }
    if case.known {
        out.extend_from_slice(b",\"known\":true");
    }
    out.extend_from_slice(b"}\n");
}

/// A word of ours after a text. It needs no escapes.
fn word(before: &str, word: &'static str, out: &mut Vec<u8>) {
    for part in [before, "\"", word, "\""] {
        out.extend_from_slice(part.as_bytes());
    }
}

/// A number after a text.
fn number(before: &str, number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(before.as_bytes());
    let _ = serde_json::to_writer(out, &number);
}

/// Appends a text and then a JSON string.
fn field(before: &str, text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(before.as_bytes());
    string(text, out);
}

fn string(text: &str, out: &mut Vec<u8>) {
    let plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
    if text.bytes().all(plain) {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        let _ = serde_json::to_writer(out, text);
    }
}

#[cfg(test)]
mod tests {
    use super::string;

    #[test]
    fn strings_are_escaped_as_json_wants_it() {
        for text in ["", "plain é", "\"quoted\" \\ \n\t\u{1}\u{7f}", "∅"] {
            let mut out = Vec::new();
            string(text, &mut out);
            assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
    }
}
