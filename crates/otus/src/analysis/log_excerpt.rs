//! The part of a log record that an explanation shows.
//!
//! A long line of text is cut around the message. If a JSON record is long, or spans several lines, only the members
//! that identify the event are shown: its name, its ids and its time. If a line has several spans, the members of
//! the span with the name of the message are shown.

use std::ops::Range;

use otus_syntax::excerpt;

/// The members that identify the event of a record, by role. Of each role, the first member that a
/// record has is shown.
const TELLING: [&[&str]; 6] = [
    &["name", "operationName", "Name", "msg", "message", "event", "type"],
    &["spanId", "span_id", "spanID", "id"],
    &["parentSpanId", "parent_span_id", "parentSpanID", "parentId", "parent_id"],
    &[
        "startTimeUnixNano",
        "start_time_unix_nano",
        "startTime",
        "start_time",
        "timeUnixNano",
        "timestamp",
        "@timestamp",
        "time",
        "ts",
    ],
    &["kind", "level", "severity"],
    &["traceId", "trace_id", "traceID"],
];

/// The maximum number of characters of a line. A longer line is cut.
const WIDEST: usize = 160;

/// The part of a record that is shown, on one line, and the bytes of it that are marked. `action` is the action that
/// the record became, as `client!request`.
pub(super) fn telling(record: &str, action: &str) -> (String, Range<usize>) {
    let message = action.split_once(['!', '?']).map_or(action, |(_, message)| message);
    let message = message.trim_matches('"');
    let is_short = record.len() <= WIDEST && !record.trim().contains('\n');
    if is_short {
        return excerpt::whole(record);
    }
    let begin = record.trim_start();
    if begin.starts_with(['{', '[']) {
        let object = if begin.lines().next().is_some_and(|line| line.trim().len() < WIDEST) {
            begin
        } else {
            span_of(begin, message).unwrap_or(begin)
        };
        if let Some(text) = summary(object) {
            return excerpt::whole(&text);
        }
        let joined = record.split_whitespace().collect::<Vec<_>>().join(" ");
        return excerpt::whole(&joined);
    }
    match record.find(message).filter(|_| !message.is_empty()) {
        Some(at) => excerpt::line(record, at..at + message.len()),
        None => excerpt::whole(record),
    }
}

/// The identifying members of the object with which a text begins; `None` if it has none.
fn summary(object: &str) -> Option<String> {
    let mut found: [Option<(usize, &str, &str)>; TELLING.len()] = [None; TELLING.len()];
    let mut count = 0;
    members(object, |member| {
        if member.depth > 1 {
            return;
        }
        count += 1;
        if member.value.is_empty() {
            return;
        }
        for (role, names) in TELLING.iter().enumerate() {
            let Some(rank) = names.iter().position(|name| *name == member.key) else { continue };
            if found[role].is_none_or(|(known, ..)| rank < known) {
                found[role] = Some((rank, member.key, member.value));
            }
        }
    });
    let shown: Vec<String> =
        found.iter().flatten().map(|(_, key, value)| format!("\"{key}\": {value}")).collect();
    let rest = if shown.len() < count { ", …" } else { "" };
    (!shown.is_empty()).then(|| format!("{{{}{rest}}}", shown.join(", ")))
}

/// The object in a text whose name resembles the message most.
fn span_of<'t>(text: &'t str, message: &str) -> Option<&'t str> {
    let mut best: Option<(usize, usize)> = None;
    members(text, |member| {
        if !TELLING[0].contains(&member.key) {
            return;
        }
        let name = member.value.trim_matches('"');
        // The message of a reply consists of the name of its span and a suffix.
        let rank = if name == message {
            usize::MAX
        } else if !name.is_empty() && message.contains(name) {
            name.len()
        } else {
            return;
        };
        if best.is_none_or(|(known, _)| rank > known) {
            best = Some((rank, member.object));
        }
    });
    best.map(|(_, object)| &text[object..])
}

/// A member of an object. Its value is a text, a number or a word, or empty for a container.
struct Member<'t> {
    /// Where its object begins.
    object: usize,
    depth: usize,
    key: &'t str,
    value: &'t str,
}

/// Visits the members of all objects until the first container ends. In a text that is cut off, only the members
/// before the cut are visited.
fn members<'t>(text: &'t str, mut visit: impl FnMut(Member<'t>)) {
    let bytes = text.as_bytes();
    let mut open: Vec<usize> = Vec::new();
    let mut key: Option<&str> = None;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'{' | b'[' => {
                if let (Some(key), Some(&object)) = (key.take(), open.last()) {
                    visit(Member { object, depth: open.len(), key, value: "" });
                }
                open.push(start);
            }
            b'}' | b']' => {
                open.pop();
                key = None;
                if open.is_empty() {
                    return;
                }
            }
            b',' => key = None,
            b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                at = if byte == b'"' { after_string(bytes, at) } else { after_word(bytes, at) };
                let Some(token) = text.get(start..at) else { return };
                let Some(&object) = open.last() else { return };
                let is_key = byte == b'"' && text[at..].trim_start().starts_with(':');
                match key.take() {
                    Some(key) => visit(Member { object, depth: open.len(), key, value: token }),
                    None if is_key => key = Some(token.trim_matches('"')),
                    None => {}
                }
            }
            _ => {}
        }
    }
}

/// The byte after the closing quote.
fn after_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => return at,
            b'\\' => at += 1,
            _ => {}
        }
    }
    bytes.len()
}

fn after_word(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte)) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(record: &str, action: &str, expected: &str) {
        assert_eq!(telling(record, action).0, expected);
    }

    #[test]
    fn a_short_line_is_shown_as_it_is() {
        check("  sent x", "a!x", "  sent x");
        check(r#"{"m": "x"}"#, "a!x", r#"{"m": "x"}"#);
    }

    #[test]
    fn a_long_line_is_cut_around_the_message() {
        let line = format!("{} sent hello to b {}", "x".repeat(300), "y".repeat(300));
        let (text, span) = telling(&line, "a!hello");
        assert_eq!(&text[span], "hello");
        assert!(text.starts_with("…x") && text.ends_with("y…"));
    }

    #[test]
    fn a_span_over_several_lines_is_shown_by_its_name_ids_and_time() {
        let record = "  {\n \"traceId\": \"1\",\n \"spanId\": \"2\",\n \"attributes\": [{\"key\": \"name\"}],\n \"name\": \"GET\",\n \"startTimeUnixNano\": \"5\"\n },\n {\n \"name\": \"other\"";
        check(
            record,
            "a!GET",
            r#"{"name": "GET", "spanId": "2", "startTimeUnixNano": "5", "traceId": "1", …}"#,
        );
    }

    #[test]
    fn of_a_line_with_several_spans_that_of_the_message_is_shown() {
        let span = |name: &str| {
            format!(r#"{{"spanId":"{name}1","name":"{name}","events":[{{"name":"{name} x"}}]}}"#)
        };
        let line = format!(
            r#"{{"resourceSpans":[{{"resource":{{}},"scopeSpans":[{{"spans":[{},{}]}}]}}]}}{}"#,
            span("GET"),
            span("POST"),
            " ".repeat(200)
        );
        check(&line, "a!POST", r#"{"name": "POST", "spanId": "POST1", …}"#);
        check(&line, "a!\"POST reply\"", r#"{"name": "POST", "spanId": "POST1", …}"#);
    }

    #[test]
    fn what_is_cut_or_says_nothing_is_shown_as_far_as_it_goes() {
        check("{\n \"name\": \"GE", "a!GET", r#"{"name": "GE}"#);
        check("{\n \"a\": 1\n}", "a!GET", "{ \"a\": 1 }");
        check("{\n", "a!GET", "{");
    }
}
