//! `otus.toml` as an editor sees it: the names in it, the files that it names, and its schema.
//!
//! While a line is typed the text is not TOML, so what can be completed is found by lines, and not in a tree.

use std::ops::Range;

use otus_syntax::Source;
use otus_syntax::mentions::{Role, Use};
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::place::line_at;
use super::spots::Spot;
use crate::schema::{Schema, schema};

type Item<'t> = Spanned<DeValue<'t>>;

/// The lifelines and messages of a specification that an `otus.toml` names. Texts with fields in braces and patterns name
/// none.
pub(super) fn spots(source: &Source) -> Vec<Spot> {
    let (document, _) = DeTable::parse_recoverable(source.text());
    let mut collector = Collector { text: source.text(), found: Vec::new() };
    for (key, value) in document.get_ref() {
        match &**key.get_ref() {
            "lifelines" => collector.values(value, Role::Lifeline),
            "messages" => collector.values(value, Role::Message),
            "observation" => {
                for (key, value) in value.get_ref().as_table().into_iter().flatten() {
                    let lists = ["complete", "may_stop_early", "may_start_late", "unobserved"];
                    if lists.contains(&&**key.get_ref()) {
                        collector.each(value, |it, item| it.name(item, Role::Lifeline, 0));
                    }
                }
            }
            "source" => collector.each(value, Collector::rules),
            _ => {}
        }
    }
    collector.found.sort_by_key(|spot| spot.range.start);
    collector.found
}

struct Collector<'t> {
    text: &'t str,
    found: Vec<Spot>,
}

impl Collector<'_> {
    /// Does something with the items of a list, or with a value that is not a list.
    fn each(&mut self, value: &Item<'_>, one: impl Fn(&mut Self, &Item<'_>)) {
        match value.get_ref().as_array() {
            Some(items) => items.iter().for_each(|item| one(self, item)),
            None => one(self, value),
        }
    }

    /// The settings of a `[[source]]` and of its rules.
    fn rules(&mut self, source: &Item<'_>) {
        for (key, value) in source.get_ref().as_table().into_iter().flatten() {
            if &**key.get_ref() == "rule" {
                self.each(value, Collector::rule);
            }
        }
        self.rule(source);
    }

    fn rule(&mut self, rule: &Item<'_>) {
        for (key, value) in rule.get_ref().as_table().into_iter().flatten() {
            match &**key.get_ref() {
                "lifeline" | "peer" => self.mapped(value, Role::Lifeline),
                "message" | "reply" => self.mapped(value, Role::Message),
                "emit" => self.each(value, |it, item| {
                    if item.get_ref().is_str() {
                        it.name(item, Role::Message, 1);
                    } else {
                        it.rule(item);
                    }
                }),
                _ => {}
            }
        }
    }

    /// A text, or a table that maps the texts of a field.
    fn mapped(&mut self, value: &Item<'_>, role: Role) {
        match value.get_ref().as_table() {
            None => self.name(value, role, 0),
            Some(table) => {
                for (key, value) in table {
                    if &**key.get_ref() == "map" {
                        self.values(value, role);
                    }
                }
            }
        }
    }

    /// The values of a table.
    fn values(&mut self, table: &Item<'_>, role: Role) {
        for (_, value) in table.get_ref().as_table().into_iter().flatten() {
            self.name(value, role, 0);
        }
    }

    /// A name behind some characters of a text.
    fn name(&mut self, value: &Item<'_>, role: Role, skipped: usize) {
        let Some(content) = value.get_ref().as_str() else { return };
        let Some(name) = content.get(skipped..).filter(|name| !name.is_empty()) else { return };
        if name.contains(['{', '*']) || (skipped == 1 && !content.starts_with(['!', '?'])) {
            return;
        }
        let Some(inside) = inside(self.text, value) else { return };
        let range = inside.start + skipped..inside.end;
        self.found.push(Spot { role, name: name.to_owned(), range, used: Use::Named });
    }
}

/// The place of a text without its quotes; `None` if it has escapes.
fn inside(text: &str, value: &Item<'_>) -> Option<Range<usize>> {
    let content = value.get_ref().as_str()?;
    let whole = value.span();
    let written = text.get(whole.clone())?;
    let quotes = ["'''\n", "\"\"\"\n", "'''", "\"\"\"", "'", "\""];
    let quote = quotes.iter().find(|quote| written.starts_with(**quote))?;
    let start = whole.start + quote.len();
    written[quote.len()..].starts_with(content).then_some(start..start + content.len())
}

/// The file of a specification that is named at an offset, as it is written, and its place.
pub(super) fn file_at(source: &Source, at: usize) -> Option<(String, Range<usize>)> {
    let (document, _) = DeTable::parse_recoverable(source.text());
    let mut pending: Vec<(&str, &Item<'_>)> = Vec::new();
    for (key, value) in document.get_ref() {
        if ["spec", "test"].contains(&&**key.get_ref()) {
            pending.push(("spec", value));
        }
    }
    while let Some((key, value)) = pending.pop() {
        match value.get_ref() {
            DeValue::String(name)
                if value.span().contains(&at) && ["spec", "file"].contains(&key) =>
            {
                return Some((name.to_string(), inside(source.text(), value)?));
            }
            DeValue::Array(items) => pending.extend(items.iter().map(|item| (key, item))),
            DeValue::Table(entries) => {
                pending.extend(entries.iter().map(|(key, value)| (&**key.get_ref(), value)));
            }
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_) => {}
        }
    }
    None
}

/// Where in the schema a place of the file is.
pub(super) struct Context {
    schema: Value,
    /// The keys of the tables around the place, outermost first.
    path: Vec<String>,
    /// The key before the `=` of the line, if the place is behind it.
    pub(super) key: Option<String>,
}

impl Context {
    pub(super) fn at(text: &str, at: usize) -> Context {
        let schema = serde_json::from_str(&schema(Schema::Mapping)).unwrap_or_default();
        let (start, line) = line_at(text, at);
        let is_header = |line: &&str| line.trim_start().starts_with('[') && !line.contains('=');
        let header = text[..start].lines().rfind(is_header).unwrap_or_default();
        let header = header.split('#').next().unwrap_or_default();
        let header = header.trim().trim_start_matches('[').trim_end_matches(']');
        let mut path: Vec<String> = keys(header);
        let before = line.get(..at.saturating_sub(start)).unwrap_or(line);
        let key = before.split_once('=').map(|(key, _)| key);
        let key = key.and_then(|key| {
            let mut keys = keys(key);
            let last = keys.pop();
            path.append(&mut keys);
            last
        });
        Context { schema, path, key }
    }

    /// The keys of the table, and their descriptions.
    pub(super) fn keys(&self) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        for table in self.tables() {
            for (key, property) in table["properties"].as_object().into_iter().flatten() {
                if !found.iter().any(|(known, _)| known == key) {
                    found.push((key.clone(), self.description(property)));
                }
            }
        }
        found
    }

    /// The values that a key may have, if they are known.
    pub(super) fn values(&self, key: &str) -> Vec<String> {
        let mut found = Vec::new();
        for property in self.properties(key) {
            for value in self.alternatives(property) {
                if value["type"] == "boolean" {
                    found.extend(["true".to_owned(), "false".to_owned()]);
                }
                let items = self.alternatives(&value["items"]);
                for one in std::iter::once(value).chain(items) {
                    let words = one["enum"].as_array().into_iter().flatten();
                    found.extend(words.filter_map(|it| Some(format!("\"{}\"", it.as_str()?))));
                }
            }
        }
        found
    }

    /// What a key means.
    pub(super) fn meaning(&self, key: &str) -> Option<String> {
        self.properties(key).first().map(|property| self.description(property))
    }

    /// What the last table of the path means.
    pub(super) fn table_meaning(&self) -> Option<String> {
        let (last, before) = self.path.split_last()?;
        let outer = Context { schema: self.schema.clone(), path: before.to_vec(), key: None };
        outer.meaning(last)
    }

    fn properties(&self, key: &str) -> Vec<&Value> {
        let found = self.tables().into_iter().map(|table| &table["properties"][key]);
        found.filter(|property| !property.is_null()).collect()
    }

    /// The schemas of the table that the path leads to.
    fn tables(&self) -> Vec<&Value> {
        let mut tables = vec![&self.schema];
        for key in &self.path {
            let mut next = Vec::new();
            for table in tables {
                let property = &table["properties"][key];
                let property =
                    if property.is_null() { &table["additionalProperties"] } else { property };
                for one in self.alternatives(property) {
                    next.push(one);
                    next.extend(self.alternatives(&one["items"]));
                }
            }
            tables = next;
        }
        tables
    }

    /// A schema with references followed, and each of its alternatives.
    fn alternatives<'v>(&'v self, schema: &'v Value) -> Vec<&'v Value> {
        let mut found = Vec::new();
        let mut pending = vec![schema];
        // The schema has no cycles, but a bound costs nothing.
        while let Some(one) = pending.pop().filter(|_| found.len() < 100) {
            if let Some(pointer) = one["$ref"].as_str() {
                let target = self.schema.pointer(pointer.trim_start_matches('#'));
                pending.extend(target);
                continue;
            }
            pending.extend(one["anyOf"].as_array().into_iter().flatten());
            if one.is_object() {
                found.push(one);
            }
        }
        found
    }

    /// The first description on the way from a property to what it refers to, or else that of an alternative.
    fn description(&self, property: &Value) -> String {
        let of = |value: &Value| value["description"].as_str().map(str::to_owned);
        let target = |value: &Value| {
            let pointer = value["$ref"].as_str()?;
            self.schema.pointer(pointer.trim_start_matches('#')).cloned()
        };
        let steps = std::iter::successors(Some(property.clone()), target).take(10);
        let found = steps.into_iter().find_map(|value| of(&value));
        found.or_else(|| self.alternatives(property).into_iter().find_map(of)).unwrap_or_default()
    }
}

/// The keys of a dotted key.
fn keys(text: &str) -> Vec<String> {
    let clean = |key: &str| key.trim().trim_matches(['"', '\'']).to_owned();
    text.split('.').map(clean).filter(|key| !key.is_empty()).collect()
}
