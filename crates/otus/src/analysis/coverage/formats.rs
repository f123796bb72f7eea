//! Coverage as JSON for scripts, and as Markdown for tickets and summaries.

use std::fmt::Write as _;

use otus_analysis::coverage::{CoverageState, PartKind};
use serde_json::{Value, json};

use super::report::{CoverageReport, Part, Share, kind_name};
use super::text;

/// One JSON document, versioned.
pub(super) fn json(report: &CoverageReport) -> Value {
    let share = |kind| {
        let Share { total, exercised, assumed } = report.share(kind);
        json!({ "total": total, "exercised": exercised, "assumed": assumed })
    };
    let left_out = report.left_out.iter().map(|(count, why)| json!({ "count": count, "why": why }));
    json!({
        "version": 1,
        "specification": report.specification,
        "counted": report.counted,
        "left_out": left_out.collect::<Vec<_>>(),
        "all": share(None),
        "actions": share(Some(PartKind::Action)),
        "branches": share(Some(PartKind::Branch)),
        "loops": share(Some(PartKind::Loop)),
        "parts": report.parts.iter().map(part).collect::<Vec<_>>(),
    })
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

/// A section with a table.
pub(super) fn markdown(report: &CoverageReport) -> String {
    let headline = text::headline(report);
    let headline = headline.strip_prefix("coverage: ").unwrap_or(&headline);
    let mut out = format!("## Coverage of {}\n\n{headline}\n\n", cell(&report.specification));
    out.push_str("| part | where | groups | |\n|---|---|---:|---|\n");
    for (part, row) in report.parts.iter().zip(report.rows()) {
        let seen = match part.count.state() {
            CoverageState::Exercised => "✓",
            CoverageState::Assumed => "only assumed",
            CoverageState::Never => "**never**",
        };
        let (label, place) = (cell(&part.label), cell(&row.place));
        let groups = row.groups;
        let _ = writeln!(out, "| {label} | {place} | {groups} | {seen} |");
    }
    out
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
