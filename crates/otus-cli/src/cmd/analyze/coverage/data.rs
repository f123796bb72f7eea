//! Coverage as JSON for scripts, and as Markdown for tickets and summaries.

use std::fmt::Write as _;

use otus_analysis::coverage::{CoverageState, PartKind};
use serde_json::{Value, json};

use super::found::{Found, Part, Share, kind_name};
use super::text;
use crate::report::ladder::place;

/// One JSON document, versioned.
pub(super) fn json(found: &Found) -> Value {
    let share = |kind| {
        let Share { total, exercised, assumed } = found.share(kind);
        json!({ "total": total, "exercised": exercised, "assumed": assumed })
    };
    let left_out = found.left_out.iter().map(|(count, why)| json!({ "count": count, "why": why }));
    json!({
        "version": 1,
        "specification": found.specification,
        "counted": found.counted,
        "left_out": left_out.collect::<Vec<_>>(),
        "all": share(None),
        "actions": share(Some(PartKind::Action)),
        "branches": share(Some(PartKind::Branch)),
        "loops": share(Some(PartKind::Loop)),
        "parts": found.parts.iter().map(part).collect::<Vec<_>>(),
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
        "place": place(&part.place),
        "text": part.text,
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
pub(super) fn markdown(found: &Found) -> String {
    let headline = text::headline(found);
    let headline = headline.strip_prefix("coverage: ").unwrap_or(&headline);
    let mut out = format!("## Coverage of {}\n\n{headline}\n\n", cell(&found.specification));
    out.push_str("| part | where | groups | |\n|---|---|---:|---|\n");
    for (part, (_, _, place, groups)) in found.parts.iter().zip(found.rows()) {
        let seen = match part.count.state() {
            CoverageState::Exercised => "✓",
            CoverageState::Assumed => "only assumed",
            CoverageState::Never => "**never**",
        };
        let (label, place) = (cell(&part.label), cell(&place));
        let _ = writeln!(out, "| {label} | {place} | {groups} | {seen} |");
    }
    out
}

/// Text that is only text in the cell of a table.
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
