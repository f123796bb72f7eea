//! Coverage as JSON for scripts, and as Markdown for tickets and summaries.

use std::fmt::Write as _;

use otus_analysis::coverage::{CoverageState, PartKind};
use serde_json::{Value, json};

use super::report::{CoverageReport, Part, kind_name};

impl CoverageReport {
    /// The coverage as one JSON document with a version.
    pub fn json(&self) -> Value {
        let left_out =
            self.left_out.iter().map(|(count, why)| json!({ "count": count, "why": why }));
        json!({
            "version": 1,
            "specification": self.specification,
            "counted": self.counted,
            "left_out": left_out.collect::<Vec<_>>(),
            "all": self.share(None),
            "actions": self.share(Some(PartKind::Action)),
            "branches": self.share(Some(PartKind::Branch)),
            "loops": self.share(Some(PartKind::Loop)),
            "parts": self.parts.iter().map(part).collect::<Vec<_>>(),
        })
    }

    /// The coverage as a section in Markdown.
    pub fn markdown(&self) -> String {
        let headline = self.headline();
        let headline = headline.strip_prefix("coverage: ").unwrap_or(&headline);
        let mut out = format!("## Coverage of {}\n\n{headline}\n\n", cell(&self.specification));
        out.push_str("| part | where | groups | |\n|---|---|---:|---|\n");
        for part in &self.parts {
            let seen = match part.count.state() {
                CoverageState::Exercised => "✓",
                CoverageState::Assumed => "only assumed",
                CoverageState::Never => "**never**",
            };
            let (label, place) = (cell(&part.label), cell(&part.excerpt.place.in_line()));
            let groups = part.count.groups;
            let _ = writeln!(out, "| {label} | {place} | {groups} | {seen} |");
        }
        out
    }
}

fn part(part: &Part) -> Value {
    let mut value = json!({
        "kind": kind_name(part.kind),
        "label": part.label,
        "state": state_name(part.count.state()),
        "observed": part.count.observed,
        "assumed": part.count.assumed,
        "groups": part.count.groups,
        "place": part.excerpt.place,
        "text": part.excerpt.text,
    });
    if part.kind == PartKind::Loop {
        let left = part.count.exits;
        value["left"] = json!({
            "zero": left.zero,
            "one": left.one,
            "more": left.more,
            "most": left.most,
            "assumed": left.assumed,
        });
    }
    value
}

fn state_name(state: CoverageState) -> &'static str {
    match state {
        CoverageState::Exercised => "exercised",
        CoverageState::Assumed => "assumed",
        CoverageState::Never => "never",
    }
}

/// Escapes a text for a cell of a table.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '&' => {
                out.push('\\');
                out.push(letter);
            }
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}
