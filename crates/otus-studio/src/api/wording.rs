//! Places and findings as the page reads them. Offsets count UTF-16 code units, as editors in browsers do.

use otus::Place;
use otus::draft::TextFinding;
use serde_json::{Value, json};

/// A place, or `null`.
pub(crate) fn place(place: Option<&Place>) -> Value {
    let Some(place) = place else { return Value::Null };
    let mut value = json!({ "file": place.file, "line": place.line });
    if let Some(columns) = place.columns {
        value["column"] = json!(columns.start);
        value["end_line"] = json!(columns.end_line);
        value["end_column"] = json!(columns.end);
    }
    value
}

/// Findings; with offsets for those in a text, which is given with its name.
pub(crate) fn diagnostics(found: &[TextFinding], text: Option<(&str, &str)>) -> Vec<Value> {
    let mut all = Vec::new();
    for finding in found {
        let mut value = json!({
            "code": finding.code,
            "severity": finding.severity,
            "message": finding.message,
            "place": { "file": finding.file, "line": finding.start.0 },
        });
        if finding.start.1 > 0 {
            value["place"]["column"] = json!(finding.start.1);
            value["place"]["end_line"] = json!(finding.end.0);
            value["place"]["end_column"] = json!(finding.end.1);
        }
        if let Some(help) = &finding.help {
            value["help"] = json!(help);
        }
        if let Some((_, text)) = text.filter(|(name, _)| *name == finding.file) {
            value["from"] = json!(utf16(text, finding.span.start));
            value["to"] = json!(utf16(text, finding.span.end));
            if let Some((span, replacement)) = &finding.fix {
                value["fix"] = json!({
                    "from": utf16(text, span.start),
                    "to": utf16(text, span.end),
                    "replacement": replacement,
                });
            }
        }
        all.push(value);
    }
    all
}

/// The number of UTF-16 code units before a byte.
pub(crate) fn utf16(text: &str, byte: usize) -> usize {
    text[..text.floor_char_boundary(byte.min(text.len()))].encode_utf16().count()
}

/// The byte after so many UTF-16 code units.
pub(crate) fn byte(text: &str, units: usize) -> usize {
    let mut left = units;
    for (at, letter) in text.char_indices() {
        if left < letter.len_utf16() {
            return at;
        }
        left -= letter.len_utf16();
    }
    text.len()
}

/// A text of one file as `diff -u` prints it.
pub(crate) fn diff(name: &str, before: &str, after: &str) -> String {
    let diff = similar::TextDiff::from_lines(before, after);
    diff.unified_diff()
        .context_radius(3)
        .header(&format!("a/{name}"), &format!("b/{name}"))
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_those_of_browsers() {
        let text = "a€😀b";
        for (at, unit) in [(0, 0), (1, 1), (4, 2), (8, 4), (9, 5)] {
            assert_eq!(utf16(text, at), unit);
            assert_eq!(byte(text, unit), at);
        }
        assert_eq!(utf16(text, 99), 5);
        assert_eq!(byte(text, 3), 4, "inside of a pair");
        assert_eq!(byte(text, 99), 9);
    }
}
