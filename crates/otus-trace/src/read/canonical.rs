//! Canonical JSON lines: the format for mapped logs, with one event on each line.
//!
//! `otus map --write` writes this format, and every command that takes logs reads it. The first
//! line names the format and its version; each other line is one event:
//!
//! ```text
//! {"otus":"trace","version":1}
//! {"group":"7","lifeline":"client","action":"!","message":"request","peer":"server","id":"1","file":"c.log","line":3}
//! {"group":"7","lifeline":"server","clock":"host1","action":"?","message":"request","set":{"busy":true}}
//! {"group":"7","end":true}
//! ```
//!
//! Events of one `clock` (by default the lifeline) are in local order; the order of lines says
//! nothing about events of different clocks. A line without `action` only sets variables. `values` are
//! what the event carries, `{"mid":7,"topic":"a/b"}`, and `time` is a number of seconds or a text in the
//! form of RFC 3339; `null`, or nothing, is unknown. `joined`
//! puts an event at the same moment as the one before it. `vector` is a vector clock. `end` marks a
//! group as complete. Unknown keys are faults, so that a newer version is not misread. [`schema`]
//! is the JSON Schema.

use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;

use super::json::{quote, write_object};

/// The version that is written, and the newest that can be read.
pub const VERSION: u32 = 1;

/// The first line of a file.
pub fn header() -> String {
    format!("{{\"otus\":\"trace\",\"version\":{VERSION}}}")
}

/// The keys of a line.
pub const KEYS: [&str; 18] = [
    "otus", "version", "group", "lifeline", "clock", "action", "message", "peer", "id", "label",
    "set", "joined", "vector", "file", "line", "end", "values", "time",
];

pub(crate) struct LineWriter {
    line: String,
}

impl LineWriter {
    pub(crate) fn new(group: &str) -> Self {
        let mut line = String::from("{\"group\":");
        quote(group, &mut line);
        LineWriter { line }
    }

    fn key(&mut self, key: &str) {
        let _ = write!(self.line, ",\"{key}\":");
    }

    pub(crate) fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        quote(text, &mut self.line);
    }

    /// A member that is left out if it has no value.
    pub(crate) fn optional(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(key, text);
        }
    }

    /// A member whose value is a number or a truth value.
    pub(crate) fn literal(&mut self, key: &str, value: impl fmt::Display) {
        self.key(key);
        let _ = write!(self.line, "{value}");
    }

    /// A member whose value is an object; left out if that has no members.
    pub(crate) fn object<'n, T>(
        &mut self,
        key: &str,
        members: impl Iterator<Item = (Cow<'n, str>, T)>,
        write_value: impl Fn(T, &mut String),
    ) {
        let mut members = members.peekable();
        if members.peek().is_some() {
            self.key(key);
            write_object(members, write_value, &mut self.line);
        }
    }

    pub(crate) fn finish(mut self) -> String {
        self.line.push_str("}\n");
        self.line
    }
}

/// The JSON Schema of a line.
pub fn schema() -> &'static str {
    include_str!("canonical.schema.json")
}
