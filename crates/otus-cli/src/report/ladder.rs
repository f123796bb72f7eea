//! An explanation as text for people, with excerpts of the specification and of the logs, and as
//! JSON for scripts.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde_json::{Value, json};

use super::model::{Explanation, LogPlace, Place, SpecPlace};

/// For people. Each line ends with a newline.
pub(crate) fn text(explanation: &Explanation, colored: bool) -> String {
    let renderer = if colored { Renderer::styled() } else { Renderer::plain() };
    let Explanation { rule, headline, expected, observed, related, notes, .. } = explanation;
    let mut group: Group<'_> = Group::with_title(Level::ERROR.primary_title(headline).id(*rule));
    for SpecPlace { place, text, span, action } in expected {
        let label = format!("expected here: {action}");
        let annotation = AnnotationKind::Primary.span(span.clone()).label(label);
        group = group.element(
            Snippet::source(text).path(&place.file).line_start(place.line).annotation(annotation),
        );
    }
    let is_first = expected.is_empty();
    for (at, LogPlace { place, text, span, action, role, .. }) in
        observed.iter().chain(related).enumerate()
    {
        let label = format!("{role}: {action}");
        let Some(text) = text else {
            let at = format!("{label} at {}:{}", place.file, place.line);
            group = group.element(Level::NOTE.with_name("seen").message(at));
            continue;
        };
        let kind =
            if is_first && at == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        let annotation = kind.span(span.clone()).label(label);
        group = group.element(
            Snippet::source(text).path(&place.file).line_start(place.line).annotation(annotation),
        );
    }
    for note in notes {
        group = group.element(Level::NOTE.with_name(note.topic).message(&note.text));
    }
    let within: Vec<String> = observed
        .iter()
        .chain(related)
        .filter(|seen| seen.is_within)
        .map(|seen| format!("{}:{}", seen.place.file, seen.place.line))
        .collect();
    let mut out = String::new();
    for line in renderer.render(&[group]).lines() {
        let line = line.trim_end();
        match within.iter().find_map(|place| without_column(line, place)) {
            Some(line) => out.push_str(&line),
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// The line that says where an excerpt is from, if it is from this place, without a column.
fn without_column(line: &str, place: &str) -> Option<String> {
    let arrow = line.find("::: ").or_else(|| line.find("--> "))?;
    let at = arrow + line[arrow..].find(place)? + place.len();
    let rest = line[at..].strip_prefix(':')?;
    let rest = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    // What is left can only be the end of a colour.
    (rest.is_empty() || rest.starts_with('\x1b')).then(|| format!("{}{rest}", &line[..at]))
}

/// For scripts.
pub(crate) fn json(explanation: &Explanation) -> Value {
    let mut value = json!({
        "cause": explanation.rule,
        "headline": explanation.headline,
    });
    if !explanation.expected.is_empty() {
        let expected = explanation.expected.iter().map(|expected| {
            let mut value = place(&expected.place);
            value["action"] = json!(expected.action);
            value["text"] = json!(expected.text);
            value
        });
        value["expected"] = expected.collect();
    }
    if let Some(observed) = &explanation.observed {
        value["observed"] = log_place(observed);
    }
    if !explanation.related.is_empty() {
        value["related"] = explanation.related.iter().map(log_place).collect();
    }
    let furthest = explanation.furthest.iter().map(|state| {
        let logs = state.components.iter().map(|progress| {
            let mut value = json!({
                "lifelines": progress.lifelines,
                "consumed": progress.consumed,
                "total": progress.total,
                "expected": progress.expected,
            });
            if let Some(next) = &progress.next {
                value["next"] = json!(next);
            }
            value
        });
        json!({ "logs": logs.collect::<Vec<_>>(), "choices": state.choices })
    });
    value["furthest"] = furthest.collect();
    value["alone"] = json!(explanation.alone);
    if let Some(repair) = &explanation.repair {
        let edits = repair.edits.iter().zip(&repair.places).map(|(text, at)| {
            let mut value = at.as_ref().map_or_else(|| json!({}), place);
            value["text"] = json!(text);
            value
        });
        value["repair"] = json!({
            "edits": edits.collect::<Vec<_>>(),
            "at_least": repair.at_least,
            "smallest": repair.is_smallest,
            "certified": repair.is_certified,
        });
        if let Some(reason) = repair.gave_up {
            value["repair"]["gave_up"] = json!(reason);
        }
    }
    if let Some(core) = &explanation.core {
        let logs = core.components.iter().map(|part| {
            json!({ "lifelines": part.lifelines, "prefix": part.prefix, "total": part.total })
        });
        value["core"] = json!({
            "logs": logs.collect::<Vec<_>>(),
            "smallest": core.is_smallest,
            "certified": core.is_certified,
        });
    }
    if let Some(reason) = explanation.gave_up {
        value["gave_up"] = json!(reason);
    }
    value
}

fn log_place(log: &LogPlace) -> Value {
    let mut value = place(&log.place);
    value["lifelines"] = json!(log.lifelines);
    value["action"] = json!(log.action);
    value["role"] = json!(log.role);
    if let Some(text) = &log.text {
        value["text"] = json!(text);
    }
    value
}

/// A place for scripts.
pub(crate) fn place(place: &Place) -> Value {
    let mut value = json!({ "file": place.file, "line": place.line });
    if let Some(columns) = place.columns {
        value["column"] = json!(columns.start);
        value["end_line"] = json!(columns.end_line);
        value["end_column"] = json!(columns.end);
    }
    value
}
