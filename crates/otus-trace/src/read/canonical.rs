//! Our canonical JSON lines: mapped logs, one action on each line.
//!
//! `otus map --write` writes them and everything that takes logs reads them. The first line says
//! what it is and in which version; each other line is one event:
//!
//! ```text
//! {"otus":"trace","version":1}
//! {"group":"7","lifeline":"client","action":"!","message":"request","peer":"server","id":"1","file":"c.log","line":3}
//! {"group":"7","lifeline":"server","clock":"host1","action":"?","message":"request","set":{"busy":true}}
//! {"group":"7","end":true}
//! ```
//!
//! Events of one `clock` (by default the lifeline) are in their order; events of different clocks
//! are not ordered by where they stand. Without `action` a line only sets variables. `joined`
//! puts an event at the same moment as the one before it. `vector` is a vector clock. `end` says
//! that a group is complete. Keys that are not known are faults, so that a newer version is not
//! misread. [`schema`] has all of it as a JSON Schema.

use std::fmt::Write as _;

use crate::order::Value;

/// The version that is written, and the newest that is read.
pub const VERSION: u32 = 1;

/// The first line of a file.
pub fn header() -> String {
    format!("{{\"otus\":\"trace\",\"version\":{VERSION}}}")
}

/// The keys of a line.
pub const KEYS: [&str; 16] = [
    "otus", "version", "group", "lifeline", "clock", "action", "message", "peer", "id", "label",
    "set", "joined", "vector", "file", "line", "end",
];

/// A line of a file, to be written.
#[derive(Debug, Clone, Default)]
pub struct Event<'e> {
    /// The group that it belongs to.
    pub group: &'e str,
    /// Where it happened.
    pub lifeline: &'e str,
    /// The clock of the lifeline, if that is another name.
    pub clock: Option<&'e str>,
    /// The direction (`!` or `?`) and the message.
    pub action: Option<(&'e str, &'e str)>,
    /// The other side.
    pub peer: Option<&'e str>,
    /// The id that pairs it with its counterpart.
    pub id: Option<&'e str>,
    /// What happened, if it is no action.
    pub label: Option<&'e str>,
    /// Variables and their values.
    pub set: &'e [(&'e str, Value)],
    /// Whether it happened at the same moment as the event before it.
    pub joined: bool,
    /// Its vector clock.
    pub vector: &'e [(String, u32)],
    /// Where it was read.
    pub file: Option<&'e str>,
    /// On which line.
    pub line: Option<u32>,
}

/// An event as a line, without its end.
pub fn write(event: &Event<'_>) -> String {
    let mut line = String::from("{\"group\":");
    quote(event.group, &mut line);
    let mut member = |key: &str, text: &str| {
        let _ = write!(line, ",\"{key}\":");
        quote(text, &mut line);
    };
    member("lifeline", event.lifeline);
    if let Some(clock) = event.clock {
        member("clock", clock);
    }
    if let Some((direction, message)) = event.action {
        member("action", direction);
        member("message", message);
    }
    for (key, text) in [("peer", event.peer), ("id", event.id), ("label", event.label)] {
        if let Some(text) = text {
            member(key, text);
        }
    }
    if !event.set.is_empty() {
        line.push_str(",\"set\":{");
        for (i, (name, value)) in event.set.iter().enumerate() {
            line.push_str(if i > 0 { "," } else { "" });
            quote(name, &mut line);
            line.push(':');
            match value {
                Value::Boolean(truth) => {
                    let _ = write!(line, "{truth}");
                }
                Value::Number(number) if number.integer().is_some() => {
                    let _ = write!(line, "{number}");
                }
                Value::Number(number) => quote(&number.to_string(), &mut line),
                Value::Text(text) => quote(text, &mut line),
            }
        }
        line.push('}');
    }
    if event.joined {
        line.push_str(",\"joined\":true");
    }
    if !event.vector.is_empty() {
        line.push_str(",\"vector\":{");
        for (i, (host, count)) in event.vector.iter().enumerate() {
            line.push_str(if i > 0 { "," } else { "" });
            quote(host, &mut line);
            let _ = write!(line, ":{count}");
        }
        line.push('}');
    }
    if let Some(file) = event.file {
        line.push_str(",\"file\":");
        quote(file, &mut line);
    }
    if let Some(number) = event.line {
        let _ = write!(line, ",\"line\":{number}");
    }
    line.push('}');
    line
}

/// The line that says that a group is complete.
pub fn write_end(group: &str) -> String {
    let mut line = String::from("{\"group\":");
    quote(group, &mut line);
    line.push_str(",\"end\":true}");
    line
}

/// A text as a JSON string.
pub(crate) fn quote(text: &str, line: &mut String) {
    line.push('"');
    for c in text.chars() {
        match c {
            '"' => line.push_str("\\\""),
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            '\0'..='\x1f' => {
                let _ = write!(line, "\\u{:04x}", u32::from(c));
            }
            _ => line.push(c),
        }
    }
    line.push('"');
}

/// The JSON Schema of a line.
pub fn schema() -> &'static str {
    include_str!("canonical.schema.json")
}
