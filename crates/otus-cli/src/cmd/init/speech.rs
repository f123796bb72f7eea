//! Lines that speak of sending and receiving, in the ways that logs usually do.
//!
//! ```text
//! Sending CONNACK to sub2 (0, 0)                    a word for the direction, then the message
//! n3 [logterm: 1] sent MsgVote request to n1        the other side after a word or two
//! PING received from b                              the message first
//! {"dir": "send", "message": "PING", "to": "b"}     fields
//! ```

use std::collections::{BTreeMap, BTreeSet};

use otus_trace::read::Format;
use serde_json::Value;

/// What lines say.
#[derive(Debug, Default)]
pub(super) struct Speech {
    /// By the field that lines are in (empty if they are text), and by the way they say it.
    pub(super) said: BTreeMap<(String, Way), Said>,
    /// Fields with a direction, and the words in them.
    pub(super) directions: BTreeMap<String, BTreeSet<String>>,
    /// How many records have each field with a plain text.
    pub(super) fields: BTreeMap<String, usize>,
    pub(super) records: usize,
}

/// Where the message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// After the word for the direction.
    After,
    /// Before it.
    Before,
}

/// Lines that say it one way.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// The words for directions.
    pub(super) words: BTreeSet<String>,
    pub(super) count: usize,
    /// How many name the other side.
    pub(super) peers: usize,
    /// One of them.
    pub(super) example: String,
}

/// Takes in the first lines of a file.
pub(super) fn listen(speech: &mut Speech, format: Format, lines: &[&str], separator: char) {
    match format {
        Format::Text => {
            for line in lines {
                speech.records += 1;
                speech.line("", line);
            }
        }
        Format::Json => {
            for line in lines {
                let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(line) else {
                    continue;
                };
                speech.records += 1;
                for (name, value) in &fields {
                    if let Value::String(text) = value {
                        speech.field(name, text);
                    }
                }
            }
        }
        Format::Csv => {
            let mut lines = lines.iter();
            let unquoted = |cell: &str| cell.trim().trim_matches('"').to_owned();
            let names: Vec<String> = match lines.next() {
                Some(title) => title.split(separator).map(unquoted).collect(),
                None => return,
            };
            for line in lines {
                speech.records += 1;
                for (name, text) in names.iter().zip(line.split(separator)) {
                    speech.field(name, &unquoted(text));
                }
            }
        }
        Format::Otlp
        | Format::Jaeger
        | Format::Zipkin
        | Format::Shiviz
        | Format::Htf
        | Format::Canonical => {}
    }
}

impl Speech {
    fn field(&mut self, name: &str, text: &str) {
        *self.fields.entry(name.to_owned()).or_default() += 1;
        if is_direction(text) {
            self.directions.entry(name.to_owned()).or_default().insert(text.to_owned());
        } else if text.contains(' ') {
            self.line(name, text);
        }
    }

    fn line(&mut self, field: &str, line: &str) {
        let Some((way, word, peer)) = heard(line) else { return };
        let said = self.said.entry((field.to_owned(), way)).or_default();
        // One with everything shows best what the rule takes.
        if said.count == 0 || (peer && said.peers == 0) {
            line.clone_into(&mut said.example);
        }
        said.words.insert(word.to_owned());
        said.count += 1;
        said.peers += usize::from(peer);
    }

    /// The field with the most records among some names.
    pub(super) fn usual(&self, names: &[&str]) -> Option<&str> {
        let names = names.iter().filter_map(|name| self.fields.get_key_value(*name));
        let enough = |(_, count): &(&String, &usize)| **count * 10 >= self.records * 9;
        names.filter(enough).map(|(name, _)| &**name).next()
    }

    /// The first of some names that is a field at all.
    pub(super) fn any(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.fields.get_key_value(*name)).map(|(name, _)| &**name)
    }
}

/// How a line speaks of a message: where it is, with which word, and whether the other side is named.
fn heard(line: &str) -> Option<(Way, &str, bool)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|word| is_direction(word))?;
    let rest = &words[at + 1..];
    let peer = |rest: &[&str]| {
        let at = rest.iter().take(3).position(|word| matches!(*word, "to" | "from"));
        at.is_some_and(|at| rest.get(at + 1).is_some_and(|word| is_name(word)))
    };
    match rest.first() {
        Some(first) if is_name(first) && !is_filler(first) => {
            Some((Way::After, words[at], peer(&rest[1..])))
        }
        first => {
            let before = *words.get(at.checked_sub(1)?)?;
            let follows = first.is_none_or(|word| matches!(*word, "to" | "from" | "by"));
            (follows && is_name(before)).then(|| (Way::Before, words[at], peer(rest)))
        }
    }
}

/// Whether a word is one that the rules of `otus.toml` take for a direction. `in` and `out` are, too,
/// but say something else in most lines.
fn is_direction(word: &str) -> bool {
    let known = [
        "send",
        "sends",
        "sending",
        "sent",
        "emit",
        "emits",
        "emitted",
        "tx",
        "->",
        "receive",
        "receives",
        "receiving",
        "received",
        "recv",
        "rx",
        "<-",
    ];
    known.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Whether a word can be the name of something.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '/')
}

/// Words that stand where a message would be.
fn is_filler(word: &str) -> bool {
    let word = word.trim_end_matches([';', ',', '.', ':']);
    ["to", "from", "by", "a", "an", "the", "with", "and", "on", "at", "in", "for", "signal"]
        .iter()
        .any(|filler| word.eq_ignore_ascii_case(filler))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(Way, &str, bool)>) {
        assert_eq!(heard(line), expected, "{line}");
    }

    #[test]
    fn usual_ways_to_speak_of_messages_are_heard() {
        check("12:00: Sending CONNACK to sub2 (0, 0)", Some((Way::After, "Sending", true)));
        check("Client pub1 received PUBREC (Mid: 1)", Some((Way::After, "received", false)));
        check("x [term: 1] sent MsgVote request to n1", Some((Way::After, "sent", true)));
        check("PING received from b", Some((Way::Before, "received", true)));
        check("PING sent", Some((Way::Before, "sent", false)));
        check("-> PING", Some((Way::After, "->", false)));
        check("started", None);
        check("(received)", None);
        check("received", None);
        check("sent a lot", None);
    }
}
