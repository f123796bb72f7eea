//! Phrases of log lines about messages.
//!
//! ```text
//! Sending CONNACK to sub2 (0, 0)                    a word for the direction, then the message
//! n3 [logterm: 1] sent MsgVote request to n1        the other side after a word or two
//! PING received from b                              the message first
//! request GET /items to shop                        a word for a message, and where it goes
//! alice ->> bob: hello                              both sides, in a log of all of them
//! {"dir": "send", "message": "PING", "to": "b"}     fields
//! ```

use std::collections::{BTreeMap, BTreeSet};

use otus_trace::read::Format as LogFormat;
use serde_json::Value;

use super::access::Access;
use super::speaker::{Speakers, text_of};
use super::state::States;

#[derive(Debug, Default)]
pub(super) struct Phrases {
    /// The phrases, by the field that contains them (empty in text) and by their word order.
    pub(super) by_kind: BTreeMap<(String, WordOrder), Phrase>,
    /// Lines about state.
    pub(super) states: States,
    /// Lines of HTTP servers.
    pub(super) access: Access,
    /// Fields that hold a direction, and the words in them.
    pub(super) directions: BTreeMap<String, BTreeSet<String>>,
    /// The programs that wrote the lines.
    pub(super) speakers: Speakers,
    /// The number of records that have each field as a plain text.
    fields: BTreeMap<String, usize>,
    records: usize,
}

/// The position of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WordOrder {
    /// After the word for the direction.
    DirectionFirst,
    /// Before it.
    MessageFirst,
    /// A word such as `request`, and then `to` or `from`.
    Noun,
    /// After both sides, with an arrow between them that points to the right or to the left.
    Between,
    BetweenLeft,
}

/// Lines with the same kind of phrase.
#[derive(Debug, Default)]
pub(super) struct Phrase {
    /// The words for directions.
    pub(super) words: BTreeSet<String>,
    pub(super) count: usize,
    /// The number of lines that name the other side.
    pub(super) peers: usize,
    /// Whether it may follow a quotation mark.
    pub(super) is_quoted: bool,
    pub(super) example: String,
}

impl Phrases {
    /// Adds the phrases of the first lines of a log. CSV is separated by commas, unless another separator is given.
    pub(super) fn read(&mut self, format: LogFormat, lines: &[&str], separator: Option<char>) {
        match format {
            LogFormat::Text => {
                for line in lines {
                    self.records += 1;
                    self.speakers.line(line);
                    self.line("", line);
                }
            }
            LogFormat::Json => {
                for line in lines {
                    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(line) else {
                        continue;
                    };
                    self.records += 1;
                    self.states.record(&fields, line);
                    for (name, value) in &fields {
                        if let Value::String(text) = value {
                            self.field(name, text);
                        }
                    }
                }
            }
            LogFormat::Csv => {
                let separator = separator.unwrap_or(',');
                let unquoted = |cell: &str| cell.trim().trim_matches('"').to_owned();
                let Some((title, lines)) = lines.split_first() else { return };
                let names: Vec<String> = title.split(separator).map(unquoted).collect();
                for line in lines {
                    self.records += 1;
                    for (name, text) in names.iter().zip(line.split(separator)) {
                        self.field(name, &unquoted(text));
                    }
                }
            }
            LogFormat::Otlp
            | LogFormat::Jaeger
            | LogFormat::Zipkin
            | LogFormat::Shiviz
            | LogFormat::Htf
            | LogFormat::Canonical => {}
        }
    }

    fn field(&mut self, name: &str, text: &str) {
        *self.fields.entry(name.to_owned()).or_default() += 1;
        if is_direction(text) {
            self.directions.entry(name.to_owned()).or_default().insert(text.to_owned());
        } else if text.contains(' ') {
            self.line(name, text);
        }
    }

    fn line(&mut self, field: &str, line: &str) {
        if self.access.line(line) && field.is_empty() {
            return;
        }
        // An arrow between two states is no direction of a message; a message may come with values.
        let quoted = text_of(line).filter(|_| field.is_empty()).and_then(parse);
        let is_quoted = quoted.is_some();
        let parsed = quoted.or_else(|| parse(line));
        if parsed.as_ref().is_none_or(|parsed| !parsed.word.chars().any(char::is_alphabetic))
            && self.states.line(field, line)
        {
            return;
        }
        let Some(Parsed { order, word, has_peer }) = parsed else { return };
        let phrase = self.by_kind.entry((field.to_owned(), order)).or_default();
        // An example that names a peer shows all parts of the rule, so it is preferred.
        if phrase.count == 0 || (has_peer && phrase.peers == 0) {
            line.clone_into(&mut phrase.example);
        }
        phrase.is_quoted |= is_quoted;
        phrase.words.insert(word.to_owned());
        phrase.count += 1;
        phrase.peers += usize::from(has_peer);
    }

    /// The first of some names (separated by blanks) that is a field of nearly all records.
    pub(super) fn usual_field(&self, names: &str) -> Option<&str> {
        let names = names.split_whitespace().filter_map(|name| self.fields.get_key_value(name));
        let mut usual = names.filter(|(_, count)| **count * 10 >= self.records * 9);
        usual.next().map(|(name, _)| &**name)
    }

    /// The first of some names that is a field of any record.
    pub(super) fn any_field(&self, names: &str) -> Option<&str> {
        let mut names = names.split_whitespace();
        names.find_map(|name| self.fields.get_key_value(name)).map(|(name, _)| &**name)
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Parsed<'l> {
    order: WordOrder,
    /// The word for the direction.
    word: &'l str,
    has_peer: bool,
}

fn parse(line: &str) -> Option<Parsed<'_>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    between(line).or_else(|| by_direction(&words)).or_else(|| by_noun(&words))
}

/// `alice ->> bob: hello`, with or without spaces.
fn between(line: &str) -> Option<Parsed<'_>> {
    let at = ARROWS.iter().filter_map(|arrow| line.find(arrow)).min()?;
    let here = ARROWS.iter().filter(|arrow| line[at..].starts_with(**arrow));
    let arrow = here.max_by_key(|arrow| arrow.len())?;
    let sender = line[..at].split_whitespace().next_back()?;
    let (receiver, message) = line[at + arrow.len()..].split_once(':')?;
    let is_side = |name: &str| {
        is_name(name) && name.chars().all(|c| c.is_alphanumeric() || "_.-".contains(c))
    };
    let fits = is_side(sender) && is_side(receiver.trim()) && message.starts_with([' ', '\t']);
    let order = if arrow.starts_with('<') { WordOrder::BetweenLeft } else { WordOrder::Between };
    let word = &line[at..at + arrow.len()];
    (fits && !message.trim().is_empty()).then_some(Parsed { order, word, has_peer: true })
}

/// The arrows of sequence diagrams.
const ARROWS: [&str; 8] = ["-->>", "->>", "-->", "->", "<<--", "<<-", "<--", "<-"];

/// `request GET /items to shop`.
fn by_noun<'l>(words: &[&'l str]) -> Option<Parsed<'l>> {
    let is_noun = |word: &&str| NOUNS.iter().any(|noun| word.eq_ignore_ascii_case(noun));
    let at = words.iter().position(is_noun)?;
    let rest = words.get(at + 1..at + 6.min(words.len() - at))?;
    let to = rest.iter().position(|word| matches!(*word, "to" | "from"))?;
    let has_peer = words.get(at + to + 2).is_some_and(|word| is_name(word));
    has_peer.then_some(Parsed { order: WordOrder::Noun, word: rest[to], has_peer })
}

/// Words for messages.
pub(super) const NOUNS: [&str; 5] = ["request", "response", "reply", "query", "answer"];

fn by_direction<'l>(words: &[&'l str]) -> Option<Parsed<'l>> {
    let at = words.iter().position(|word| is_direction(word))?;
    let (word, rest) = (words[at], &words[at + 1..]);
    let has_peer = |rest: &[&str]| {
        let at = rest.iter().take(3).position(|word| matches!(*word, "to" | "from"));
        at.is_some_and(|at| rest.get(at + 1).is_some_and(|word| is_name(word)))
    };
    match rest.first() {
        Some(first) if is_name(first) && !is_filler(first) => {
            let has_peer = has_peer(&rest[1..]);
            Some(Parsed { order: WordOrder::DirectionFirst, word, has_peer })
        }
        first => {
            let before = *words.get(at.checked_sub(1)?)?;
            let follows = first.is_none_or(|word| matches!(*word, "to" | "from" | "by"));
            let has_peer = has_peer(rest);
            (follows && is_name(before)).then_some(Parsed {
                order: WordOrder::MessageFirst,
                word,
                has_peer,
            })
        }
    }
}

/// Whether the rules of `otus.toml` accept a word as a direction. They also accept some words that mean something else
/// in most lines.
fn is_direction(word: &str) -> bool {
    let usual = ["in", "out", "got", "!", "?", "incoming", "outgoing", "inbound", "outbound"];
    let is_other = usual.iter().any(|other| word.eq_ignore_ascii_case(other));
    !is_other && otus_trace::mapping::direction(word.as_bytes()).is_some()
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '/')
}

/// Whether a word in the position of a message is not a message.
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
    fn check(line: &str, expected: Option<(WordOrder, &str, bool)>) {
        let found = parse(line).map(|it| (it.order, it.word, it.has_peer));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn usual_phrases_are_parsed() {
        use WordOrder::{Between, BetweenLeft, DirectionFirst, MessageFirst, Noun};
        check("12:00: Sending CONNACK to sub2 (0, 0)", Some((DirectionFirst, "Sending", true)));
        check("Client pub1 received PUBREC (Mid: 1)", Some((DirectionFirst, "received", false)));
        check("x [term: 1] sent MsgVote request to n1", Some((DirectionFirst, "sent", true)));
        check("PING received from b", Some((MessageFirst, "received", true)));
        check("PING sent", Some((MessageFirst, "sent", false)));
        check("-> PING", Some((DirectionFirst, "->", false)));
        check("->> PING", Some((DirectionFirst, "->>", false)));
        check("<<- PONG from b", Some((DirectionFirst, "<<-", true)));
        check("requesting items from shop", Some((DirectionFirst, "requesting", true)));
        check("request GET /items to shop", Some((Noun, "to", true)));
        check("10:00 Response 200 from shop", Some((Noun, "from", true)));
        check("alice ->> bob: hello", Some((Between, "->>", true)));
        check("10:00 alice-->bob: hello there", Some((Between, "-->", true)));
        check("bob <<- alice: hello", Some((BetweenLeft, "<<-", true)));
        check("started", None);
        check("(received)", None);
        check("received", None);
        check("sent a lot", None);
    }
}
