//! Case files: JSON lines with one multi-trace each.
//!
//! ```text
//! {"id": "run-7", "htf": "{[a] a!m; [b] b?m}", "expected": "Pass"}
//! ```
//!
//! Keys other than `id` and `htf` are not ours: they are carried through, in order, and numbers
//! with all their digits. Lines are independent of each other, so a file of any length can be read
//! as a stream ([`parse_line`], [`glance`]), and a bad line does not spoil its neighbours. Blank
//! lines are skipped.

use std::borrow::Cow;

use otus_syntax::source::offset;
use otus_syntax::{Code, Diagnostic, Source, SourceId, Span};
use serde_json::{Map, Value};

/// One line of a case file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Case {
    /// What to call it; the number of its line if the file does not say.
    pub id: String,
    /// The text of the multi-trace.
    pub htf: String,
    /// All other keys, in order.
    pub rest: Map<String, Value>,
    /// The number of its line, from 1.
    pub line: usize,
}

/// The cases of a text, one after the other, with a diagnostic in place of each bad line.
///
/// ```
/// let source = otus_syntax::Source::new("cases.jsonl", "{\"id\": \"x\", \"htf\": \"[a] a!m\"}\n");
/// let case = otus_trace::case::read(&source).next().unwrap().unwrap();
/// assert_eq!((case.id.as_str(), case.htf.as_str()), ("x", "[a] a!m"));
/// ```
pub fn read(source: &Source) -> impl Iterator<Item = Result<Case, Box<Diagnostic>>> {
    let mut start = 0;
    let lines = source.text().split_inclusive('\n').enumerate();
    lines.filter_map(move |(index, line)| {
        let at = Place { source: source.id(), start: offset(start), line: index + 1 };
        start += line.len();
        parse_line(line, at).transpose()
    })
}

/// Where a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Which text.
    pub source: SourceId,
    /// The offset of the line's first byte.
    pub start: u32,
    /// The number of the line, from 1.
    pub line: usize,
}

/// The case of one line, with or without its end; `None` if the line is blank.
///
/// # Errors
/// If the line is not a case; the diagnostic names the line and the cause.
pub fn parse_line(text: &str, place: Place) -> Result<Option<Case>, Box<Diagnostic>> {
    // A byte order mark is not text, though some editors begin a file with it.
    let unmarked = text.strip_prefix('\u{feff}').filter(|_| place.line == 1).unwrap_or(text);
    let trimmed = unmarked.trim();
    if trimmed.is_empty() {
        return Ok(None);
    }
    let line = place.line;
    let begin = text.find(trimmed).unwrap_or(0);
    let position = |index: usize| place.start.saturating_add(offset(begin + index));
    let bad = |cause: String, span: Span| {
        let message = format!("line {line} is not a case: {cause}");
        let help = r#"each line is an object like {"id": "x", "htf": "{[a] a!m; [b] b?m}"}"#;
        Box::new(Diagnostic::new(Code::BAD_CASE, place.source, span, message).with_help(help))
    };
    let whole = Span::new(position(0), position(trimmed.len()));
    let value: Value = serde_json::from_str(trimmed).map_err(|error| {
        let column = trimmed.floor_char_boundary(error.column().saturating_sub(1));
        bad(format!("it is not JSON ({})", describe(&error)), Span::at(position(column)))
    })?;
    let Value::Object(mut fields) = value else {
        return Err(bad(format!("it is {}, not an object", kind(&value)), whole));
    };
    let htf = match fields.shift_remove("htf") {
        Some(Value::String(text)) => text,
        Some(other) => return Err(bad(format!("`htf` is {}, not a string", kind(&other)), whole)),
        None => return Err(bad("it has no `htf`".to_owned(), whole)),
    };
    let id = match fields.shift_remove("id") {
        Some(Value::String(text)) => text,
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Null) | None => line.to_string(),
        Some(other @ (Value::Bool(_) | Value::Array(_) | Value::Object(_))) => {
            return Err(bad(format!("`id` is {}, not a string", kind(&other)), whole));
        }
    };
    Ok(Some(Case { id, htf, rest: fields, line }))
}

/// What an analysis needs of a line, borrowed from it where it can be.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
pub struct Glance<'t> {
    /// Its id, if it has one and that is a string.
    #[serde(borrow, default)]
    pub id: Option<Cow<'t, str>>,
    /// The text of the multi-trace.
    #[serde(borrow)]
    pub htf: Cow<'t, str>,
}

/// A line without its other keys, many times as fast as [`parse_line`]; `None` if that is to have
/// a closer look at it: it is wrong, blank, or has a number as its id.
///
/// ```
/// let line = otus_trace::case::glance(r#"{"id": "x", "expected": "Pass", "htf": "[a] a!m"}"#);
/// assert_eq!(line.unwrap().htf, "[a] a!m");
/// ```
pub fn glance(text: &str) -> Option<Glance<'_>> {
    serde_json::from_str(text).ok()
}

/// A case as one line of JSON, without the end of the line: `id`, `htf`, then the other keys.
///
/// ```
/// use otus_trace::{Case, case};
///
/// let case = Case { id: "x".into(), htf: "[a] a!m".into(), rest: Default::default(), line: 1 };
/// assert_eq!(case::write(&case), r#"{"id":"x","htf":"[a] a!m"}"#);
/// ```
pub fn write(case: &Case) -> String {
    let mut fields = Map::new();
    fields.insert("id".to_owned(), Value::String(case.id.clone()));
    fields.insert("htf".to_owned(), Value::String(case.htf.clone()));
    for (key, value) in &case.rest {
        fields.entry(key.as_str()).or_insert_with(|| value.clone());
    }
    Value::Object(fields).to_string()
}

/// The error's own words without its line, which is always the first.
fn describe(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    format!("{} at column {}", &text[..end], error.column())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let source = Source::new("cases.jsonl", text);
        let shown: Vec<String> = read(&source)
            .map(|line| match line {
                Ok(case) => format!("{} {}", case.line, write(&case)),
                Err(found) => {
                    assert_eq!(found.code, Code::BAD_CASE);
                    format!("{:?}: {}", found.primary.span.range(), found.message)
                }
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn keys_are_carried_through_in_order() {
        check(
            "\u{feff}{\"z\": 1, \"id\": \"x\", \"a\": [1.5e3, 123456789012345678901234567890, {\"htf\": null}], \"htf\": \"\"}\r\n\n  \n{\"htf\":\"[a]\"}",
            &[
                r#"1 {"id":"x","htf":"","z":1,"a":[1.5e+3,123456789012345678901234567890,{"htf":null}]}"#,
                r#"4 {"id":"4","htf":"[a]"}"#,
            ],
        );
        check(r#"{"id": 7, "htf": "x"}"#, &[r#"1 {"id":"7","htf":"x"}"#]);
        check("", &[]);
    }

    #[test]
    fn a_bad_line_is_named_with_its_cause_and_the_rest_is_read() {
        check(
            "{\"htf\": \"x\"\n{\"htf\": \"x\"}\n  [1]\n{\"id\": \"y\"}\n{\"htf\": 3}\n{\"id\": [], \"htf\": \"\"}\nnull",
            &[
                "10..10: line 1 is not a case: it is not JSON (EOF while parsing an object at column 11)",
                r#"2 {"id":"2","htf":"x"}"#,
                "27..30: line 3 is not a case: it is a list, not an object",
                "31..42: line 4 is not a case: it has no `htf`",
                "43..53: line 5 is not a case: `htf` is a number, not a string",
                "54..75: line 6 is not a case: `id` is a list, not a string",
                "76..80: line 7 is not a case: it is null, not an object",
            ],
        );
    }

    #[test]
    fn a_glance_sees_what_a_closer_look_does() {
        let place = Place { source: SourceId(0), start: 0, line: 7 };
        let lines = [
            r#"{"id": "x", "htf": "[a] a!m"}"#,
            r#" {"htf": "\"é\\n\u00e9", "z": {"htf": [1, 2.5e7]}, "id": "\t"} "#,
            r#"{"htf": ""}"#,
            r#"{"id": null, "htf": "x"}"#,
        ];
        for line in lines {
            let case = parse_line(line, place).unwrap().unwrap();
            let glance = glance(line).unwrap();
            let id = glance.id.map_or("7".to_owned(), Cow::into_owned);
            assert_eq!((id, glance.htf.into_owned()), (case.id, case.htf), "{line}");
        }
        let others = [
            "",
            "  ",
            "[1]",
            r#"{"id": 7, "htf": "x"}"#,
            r#"{"id": "x"}"#,
            r#"{"htf": 3}"#,
            r#"{"htf": "x"} {}"#,
            r#"{"htf": "x", "htf": "y"}"#,
            "\u{feff}{\"htf\": \"x\"}",
        ];
        for line in others {
            assert_eq!(glance(line), None, "{line}");
        }
    }

    #[test]
    fn nothing_makes_it_panic() {
        let deep = "[".repeat(100_000);
        for text in
            ["{\"é\": é}", "\u{feff}", "\"\u{1}é\"", "{\"htf\": \"\\ud800\"}", deep.as_str()]
        {
            let source = Source::new("x", text);
            for line in read(&source) {
                if let Err(found) = line {
                    assert!(text.is_char_boundary(found.primary.span.start as usize));
                }
            }
        }
    }
}
