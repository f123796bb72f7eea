//! What is odd about logs, in words.

use std::fmt::Write as _;

use otus_syntax::{Code, Severity};
use otus_trace::run::{Accounting, Finding, RunPlace};
use serde_json::{Value, json};

/// Findings at least as bad as `least`, one below the other. Messages without a counterpart are
/// counted by whoever wants to know.
pub fn text(accounting: &Accounting, least: Severity) -> String {
    let mut out = String::new();
    let wanted =
        |finding: &&Finding| finding.severity >= least && finding.code != Code::UNPAIRED_MESSAGE;
    for finding in accounting.findings.iter().filter(wanted) {
        one(accounting, finding, &mut out);
        out.push('\n');
    }
    out
}

fn one(accounting: &Accounting, finding: &Finding, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{}[{}]: {}", finding.severity.name(), finding.code, finding.message);
    // A rule that never fits is at no place of a log.
    let nowhere = finding.code == Code::NOTHING_MATCHED;
    let places = finding.places.iter().filter(|place| place.line > 0 || !nowhere);
    let shown = finding.places.len() as u64;
    for (index, &found) in places.enumerate() {
        let arrow = if index == 0 { "-->" } else { ":::" };
        let _ = writeln!(out, "  {arrow} {}", place(accounting, found));
    }
    if shown > 0 && finding.count > shown && !nowhere {
        let _ = writeln!(out, "  ::: and {} more", finding.count - shown);
    }
    if let Some(help) = &finding.help {
        let _ = writeln!(out, "   = help: {help}");
    }
}

/// `logs/broker.log:36`; a whole file is without a line.
pub fn place(accounting: &Accounting, place: Place) -> String {
    let name = accounting.files.get(place.file as usize).map_or("", |file| &*file.name);
    if place.line == 0 { name.to_owned() } else { format!("{name}:{}", place.line) }
}

/// A place for scripts.
pub fn place_json(accounting: &Accounting, place: Place) -> Value {
    let name = accounting.files.get(place.file as usize).map_or("", |file| &*file.name);
    json!({ "file": name, "line": place.line })
}

/// All findings for scripts.
pub fn json(accounting: &Accounting) -> Value {
    let findings = accounting.findings.iter().map(|finding| {
        let places = finding.places.iter().map(|&found| place_json(accounting, found));
        let mut value = json!({
            "code": finding.code.to_string(),
            "severity": finding.severity.name(),
            "message": finding.message,
            "count": finding.count,
            "places": places.collect::<Vec<_>>(),
        });
        if let Some(help) = &finding.help {
            value["help"] = json!(help);
        }
        value
    });
    findings.collect()
}
