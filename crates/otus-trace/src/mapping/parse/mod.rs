//! Parses `otus.toml` into a [`Plan`].
//!
//! A setting of a source (`lifeline`, `group`, `message`, …) applies to all its rules. It is
//! resolved anew for each rule, because the names in it may be capture groups of the rule's
//! pattern.
//!
//! | file | part of `otus.toml` |
//! |---|---|
//! | [`source`] | `[[source]]` and the options of its reader |
//! | [`rule`] | `[[source.rule]]`: its conditions, and what a record of it means |
//! | [`action`] | the actions of a rule: `dir`, `message`, `emit`, spans |
//! | [`setting`] | templates and patterns |
//! | [`value`] | `values` and `time`: what an event carries |
//! | [`format_rules`] | the rules that a format has by itself |

mod action;
mod format_rules;
mod rule;
mod setting;
mod source;
mod value;

use otus_core::Direction;
use otus_syntax::ast::guard::Duration;
use otus_syntax::diagnostic::any_error;
use otus_syntax::{Code, Diagnostic, Rational, Source, Span};
use toml::de::DeTable;

use super::table::{Table, TomlReader, Value, get, span};
use super::template::Piece;
use super::{Aliases, Glob, Observation, Pairing, Plan, SpanNames, Unlogged};
use crate::read::{Fields, Format};

/// The top-level keys that are about logs.
pub(super) const FILE_KEYS: [&str; 8] =
    ["source", "lifelines", "messages", "observation", "pairing", "group", "values", "clocks"];

const OBSERVATION_KEYS: [&str; 9] = [
    "complete",
    "may_stop_early",
    "may_start_late",
    "unobserved",
    "allow_empty",
    "ignore_unknown_messages",
    "ignore_order",
    "ignore_peers",
    "unlogged",
];

/// The keys that a source and a rule have in common.
pub(super) const SHARED_KEYS: [&str; 12] = [
    "lifeline", "clock", "order", "time", "group", "dir", "message", "reply", "peer", "id",
    "label", "values",
];

pub(super) const SOURCE_KEYS: [&str; 10] = [
    "name",
    "files",
    "format",
    "ignore",
    "rule",
    "separator",
    "columns",
    "pattern",
    "delimiter",
    "longest",
];

pub(super) const RULE_KEYS: [&str; 8] =
    ["name", "match", "where", "emit", "set", "share", "ignore", "closes"];

pub(super) fn parse(source: &Source, others: &[&str]) -> (Option<Plan>, Vec<Diagnostic>) {
    let mut reader = TomlReader { source, found: Vec::new(), fields: Fields::default() };
    let (document, faults) = DeTable::parse_recoverable(source.text());
    for fault in faults {
        let place = fault.span().map_or(Span::at(0), span);
        let message = format!("this is not TOML: {}", fault.message().trim_end_matches('.'));
        let help =
            "texts stand in quotes, a table begins with `[name]`, a list of tables with `[[name]]`";
        reader.error(Code::NOT_TOML, place, message, help);
    }
    if !reader.found.is_empty() {
        return (None, reader.found);
    }
    let file = Table { entries: document.get_ref(), span: source.whole(), name: "otus.toml" };
    let known: Vec<&str> = FILE_KEYS.iter().chain(others).copied().collect();
    reader.keys(file, &known);
    let mut plan = Plan::default();
    for table in reader.tables(file, "source", "[[source]]") {
        let number = plan.sources.len() + 1;
        plan.sources.extend(reader.source(table, number));
    }
    plan.lifelines = reader.aliases(file, "lifelines", "[lifelines]");
    plan.messages = reader.aliases(file, "messages", "[messages]");
    plan.observation = reader.observation(file);
    if let Some(table) = reader.table(file, "pairing", "[pairing]") {
        reader.keys(table, &["by", "names", "links", "deduce"]);
        let choices = [
            ("auto", Pairing::Auto),
            ("id", Pairing::Id),
            ("fifo", Pairing::Fifo),
            ("count", Pairing::Count),
            ("none", Pairing::None),
        ];
        plan.pairing = reader.choice(table, "by", &choices).unwrap_or_default();
        let choices =
            [("server", SpanNames::Server), ("client", SpanNames::Client), ("own", SpanNames::Own)];
        plan.names = reader.choice(table, "names", &choices).unwrap_or_default();
        plan.links = reader.truth(table, "links").unwrap_or(true);
        plan.deduce = reader.truth(table, "deduce").unwrap_or(true);
    }
    if let Some(table) = reader.table(file, "values", "[values]") {
        reader.keys(table, &["same"]);
        let same = reader.texts(table, "same").unwrap_or_default();
        plan.same = same.into_iter().map(|field| field.content).collect();
    }
    if let Some(table) = reader.table(file, "clocks", "[clocks]") {
        reader.keys(table, &["uncertainty"]);
        plan.uncertainty = reader.duration(table, "uncertainty");
    }
    if let Some(table) = reader.table(file, "group", "[group]") {
        reader.keys(table, &["idle"]);
        plan.idle = reader.count(table, "idle");
    }
    let mut found = reader.found;
    found.sort_by_key(|found| found.primary.span.start);
    found.dedup();
    let plan = (!any_error(&found)).then_some(plan);
    (plan, found)
}

/// The tables in which the settings of a rule are looked up, and the names that the templates of
/// the rule can use.
struct Scope<'t> {
    rule: Option<Table<'t>>,
    source: Table<'t>,
    /// For each pattern: the names of its capture groups.
    groups: Vec<Vec<Option<String>>>,
    format: Format,
    name: String,
}

impl Scope<'_> {
    /// The value of a key, and whether the rule itself has it.
    fn find(&self, key: &str) -> Option<(&Value<'_>, bool)> {
        let own = self.rule.and_then(|table| get(table, key));
        own.map(|value| (value, true)).or_else(|| get(self.source, key).map(|value| (value, false)))
    }

    fn capture(&self, name: &str) -> Option<Piece> {
        self.groups.iter().enumerate().find_map(|(pattern, names)| {
            let group = names.iter().position(|group| group.as_deref() == Some(name))?;
            Some(Piece::Capture { pattern, group })
        })
    }

    /// The span of the table that stands for the rule in diagnostics.
    fn span(&self) -> Span {
        self.rule.unwrap_or(self.source).span
    }
}

impl TomlReader<'_> {
    fn aliases(&mut self, file: Table<'_>, key: &str, name: &'static str) -> Aliases {
        let Some(table) = self.table(file, key, name) else { return Aliases::default() };
        let mut entries = Vec::new();
        for (key, value) in table.entries {
            if let Some(text) = self.as_text(value, key.get_ref()) {
                entries.push((Glob::name(key.get_ref()), text.content));
            }
        }
        Aliases { entries }
    }

    fn observation(&mut self, file: Table<'_>) -> Observation {
        let Some(table) = self.table(file, "observation", "[observation]") else {
            return Observation::default();
        };
        self.keys(table, &OBSERVATION_KEYS);
        let mut globs = |key: &str| {
            let texts = self.texts(table, key).unwrap_or_default();
            texts.iter().map(|text| Glob::name(&text.content)).collect()
        };
        let [complete, may_stop_early, may_start_late, unobserved] =
            ["complete", "may_stop_early", "may_start_late", "unobserved"].map(&mut globs);
        Observation {
            complete,
            may_stop_early,
            may_start_late,
            unobserved,
            allow_empty: self.truth(table, "allow_empty"),
            ignore_unknown_messages: self.truth(table, "ignore_unknown_messages"),
            ignore_order: self.truth(table, "ignore_order"),
            ignore_peers: self.truth(table, "ignore_peers"),
            unlogged: self.unlogged(table),
        }
    }

    /// Parses `unlogged`: lifelines with a field each.
    fn unlogged(&mut self, table: Table<'_>) -> Vec<Unlogged> {
        let mut entries = Vec::new();
        for text in self.texts(table, "unlogged").unwrap_or_default() {
            match Unlogged::parse(&text.content) {
                Some(entry) => entries.push(entry),
                None => {
                    let message = format!("`{}` is not a field of a lifeline", text.content);
                    let help = "write the lifeline, a dot and the field: `client.mid`, `sub*.time`";
                    self.error(Code::WRONG_SETTING, text.span, message, help);
                }
            }
        }
        entries
    }

    /// A length of time such as `20ms`, in nanoseconds.
    fn duration(&mut self, table: Table<'_>, key: &str) -> Option<i64> {
        let text = self.text(table, key)?;
        let content = text.content.trim();
        let digits = content.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (number, unit) = content.split_at(digits.unwrap_or(content.len()));
        let number = Rational::parse(number);
        let duration = number.and_then(|number| Duration::new(number, unit.trim_start()));
        if duration.is_none() {
            let units: Vec<&str> = Duration::units().collect();
            let message = format!("`{content}` is not a duration");
            let help = format!("write a number and one of the units {}: 20ms", units.join(", "));
            self.error(Code::BAD_DURATION, text.span, message, help);
        }
        duration.map(|duration| duration.0)
    }

    /// Reports that a table lacks a setting, at the header of the table.
    fn missing(&mut self, span: Span, message: String, help: &str) {
        let text = self.source.slice(span);
        let line = text.lines().next().map_or(0, str::len);
        let header = Span::new(span.start, span.start + otus_syntax::source::offset(line));
        self.error(Code::MISSING_SETTING, header, message, help);
    }
}

/// The direction that a word or an arrow stands for; `None` if it stands for none.
pub fn direction(word: &[u8]) -> Option<Direction> {
    let word = word.trim_ascii().to_ascii_lowercase();
    Some(match &word[..] {
        b"!" | b"send" | b"sends" | b"sending" | b"sent" | b"emit" | b"emits" | b"emitted"
        | b"out" | b"outgoing" | b"outbound" | b"tx" | b"->" | b"->>" | b"-->" | b"-->>"
        | b">>" | b">>>" | b"requesting" | b"calling" | b"publishing" | b"published"
        | b"publishes" | b"responding" | b"responded" | b"responds" | b"replying" | b"replied"
        | b"replies" | b"forwarding" | b"forwarded" | b"transmitting" | b"transmitted" => {
            Direction::Emission
        }
        b"?" | b"receive" | b"receives" | b"receiving" | b"received" | b"recv" | b"rcvd"
        | b"in" | b"incoming" | b"inbound" | b"rx" | b"<-" | b"<<-" | b"<--" | b"<<--" | b"<<"
        | b"<<<" | b"got" | b"consuming" | b"consumed" | b"consumes" => Direction::Reception,
        _ => return None,
    })
}
