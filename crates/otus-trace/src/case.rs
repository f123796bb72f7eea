//! Case files: JSON lines with one multi-trace each.
//!
//! ```text
//! {"id": "run-7", "htf": "{[a] a!m; [b] b?m}", "expected": "Pass"}
//! ```
//!
//! Otus interprets the keys `id` and `htf`. It passes all other keys through unchanged and in order
//! ([`OtherFields`]). Each line stands alone, so a file of any length can be read as a stream
//! ([`parse_line`], [`glance`]), and a bad line does not affect its neighbours. Blank lines are
//! skipped.

use std::borrow::Cow;
use std::fmt;

use otus_syntax::source::offset;
use otus_syntax::{Code, Diagnostic, Source, SourceId, Span};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// One line of a case file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Case {
    /// The id of the case; the number of its line if the line has none.
    pub id: String,
    /// The text of the multi-trace.
    pub htf: String,
    /// All other keys.
    pub rest: OtherFields,
    /// The number of its line, from 1.
    pub line: usize,
}

/// The keys of a case that Otus does not interpret, in order, each with the JSON text of its value.
///
/// Values are kept as text and not as [`Value`]s, because a `Value` drops digits of large numbers
/// unless the feature `arbitrary_precision` of `serde_json` is on. Cargo would switch that feature
/// on for every crate of a program that uses this library.
///
/// ```
/// let mut fields = otus_trace::case::OtherFields::default();
/// fields.insert("seed", 7);
/// assert_eq!(fields.get("seed"), Some(7.into()));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherFields {
    /// Keys are distinct; values are valid JSON without white space between tokens.
    entries: Vec<(String, String)>,
}

impl OtherFields {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<Value> {
        let (_, value) = self.entries.iter().find(|(name, _)| name == key)?;
        serde_json::from_str(value).ok()
    }

    /// Sets the value of a key. A new key comes last; a known one keeps its place.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        self.insert_text(key.into(), value.into().to_string());
    }

    fn insert_text(&mut self, key: String, value: String) {
        match self.entries.iter_mut().find(|(name, _)| *name == key) {
            Some((_, known)) => *known = value,
            None => self.entries.push((key, value)),
        }
    }
}

impl Extend<(String, Value)> for OtherFields {
    fn extend<I: IntoIterator<Item = (String, Value)>>(&mut self, fields: I) {
        fields.into_iter().for_each(|(key, value)| self.insert(key, value));
    }
}

/// Parses the cases of a text, one after the other, with a diagnostic in place of each bad line.
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
        let at = LinePlace { source: source.id(), start: offset(start), line: index + 1 };
        start += line.len();
        parse_line(line, at).transpose()
    })
}

/// The position of a line of a case file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePlace {
    /// The text that the line is part of.
    pub source: SourceId,
    /// The offset of the line's first byte.
    pub start: u32,
    /// The number of the line, from 1.
    pub line: usize,
}

/// Parses one line, with or without its line end, as a case; `None` if the line is blank.
///
/// # Errors
/// If the line is not a case; the diagnostic names the line and the cause.
pub fn parse_line(text: &str, place: LinePlace) -> Result<Option<Case>, Box<Diagnostic>> {
    // Some editors begin a file with a byte order mark, which is not part of the text.
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
    // `at` is the offset in the line at which the text that `serde_json` read begins.
    let not_json = |error: &serde_json::Error, at: usize| {
        let column = trimmed.floor_char_boundary(at + error.column().saturating_sub(1));
        bad(format!("it is not JSON ({})", describe(error, at)), Span::at(position(column)))
    };
    if !trimmed.starts_with('{') {
        let value: &RawValue =
            serde_json::from_str(trimmed).map_err(|error| not_json(&error, 0))?;
        return Err(bad(format!("it is {}, not an object", kind(value)), whole));
    }
    let members: Members<'_> =
        serde_json::from_str(trimmed).map_err(|error| not_json(&error, 0))?;
    let (mut htf, mut id, mut rest) = (None, None, OtherFields::default());
    for (key, value) in members.0 {
        match &*key {
            "htf" => htf = Some(value),
            "id" => id = Some(value),
            _ => rest.insert_text(key.into_owned(), compact(value.get())),
        }
    }
    let string = |value: &RawValue| {
        let at = value.get().as_ptr() as usize - trimmed.as_ptr() as usize;
        serde_json::from_str::<String>(value.get()).map_err(|error| not_json(&error, at))
    };
    let htf = match htf {
        Some(value) if value.get().starts_with('"') => string(value)?,
        Some(other) => return Err(bad(format!("`htf` is {}, not a string", kind(other)), whole)),
        None => return Err(bad("it has no `htf`".to_owned(), whole)),
    };
    let id = match id.map(|value| (value, value.get().as_bytes()[0])) {
        Some((value, b'"')) => string(value)?,
        Some((value, b'-' | b'0'..=b'9')) => value.get().to_owned(),
        Some((_, b'n')) | None => line.to_string(),
        Some((other, _)) => {
            return Err(bad(format!("`id` is {}, not a string", kind(other)), whole));
        }
    };
    Ok(Some(Case { id, htf, rest, line }))
}

/// The members of an object in order, with the text of each value.
struct Members<'t>(Vec<(Cow<'t, str>, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// Removes the white space between the tokens of a JSON text.
fn compact(json: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let keep = |c: &char| {
        let kept = quoted || !matches!(c, ' ' | '\t' | '\n' | '\r');
        quoted ^= *c == '"' && !escaped;
        escaped = quoted && *c == '\\' && !escaped;
        kept
    };
    json.chars().filter(keep).collect()
}

/// The part of a line that an analysis needs, borrowed from the line where possible.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Glance<'t> {
    /// The id, if it is a string.
    #[serde(borrow, default)]
    pub id: Option<Cow<'t, str>>,
    /// The text of the multi-trace.
    #[serde(borrow)]
    pub htf: Cow<'t, str>,
}

/// Reads `id` and `htf` of a line and skips its other keys, many times as fast as [`parse_line`].
/// Returns `None` for lines that only [`parse_line`] handles: those that are wrong or blank, and
/// those whose id is a number.
///
/// ```
/// let line = otus_trace::case::glance(r#"{"id": "x", "expected": "Pass", "htf": "[a] a!m"}"#);
/// assert_eq!(line.unwrap().htf, "[a] a!m");
/// ```
pub fn glance(text: &str) -> Option<Glance<'_>> {
    serde_json::from_str(text).ok()
}

/// Writes a case as one line of JSON, without the line end: `id`, `htf`, then the other keys.
///
/// ```
/// use otus_trace::{Case, case};
///
/// let case = Case { id: "x".into(), htf: "[a] a!m".into(), rest: Default::default(), line: 1 };
/// assert_eq!(case::write(&case), r#"{"id":"x","htf":"[a] a!m"}"#);
/// ```
pub fn write(case: &Case) -> String {
    // Every text is a JSON string, so this never fails.
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    let mut line = format!("{{\"id\":{},\"htf\":{}", quoted(&case.id), quoted(&case.htf));
    for (key, value) in &case.rest.entries {
        if !["id", "htf"].contains(&key.as_str()) {
            line.extend([",", &quoted(key), ":", value]);
        }
    }
    line.push('}');
    line
}

/// The message of an error, with its column in the line. `serde_json` counts lines as well, but a
/// case has only one.
fn describe(error: &serde_json::Error, at: usize) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    format!("{} at column {}", &text[..end], at + error.column())
}

fn kind(value: &RawValue) -> &'static str {
    match value.get().as_bytes()[0] {
        b'n' => "null",
        b't' | b'f' => "a truth value",
        b'"' => "a string",
        b'[' => "a list",
        b'{' => "an object",
        _ => "a number",
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
                r#"1 {"id":"x","htf":"","z":1,"a":[1.5e3,123456789012345678901234567890,{"htf":null}]}"#,
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
        let place = LinePlace { source: SourceId(0), start: 0, line: 7 };
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
