//! Reads values from TOML tables, and reports errors with their spans.

use otus_syntax::source::offset;
use otus_syntax::suggest::did_you_mean;
use otus_syntax::{Code, Diagnostic, Source, Span};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::read::Fields;

#[derive(Debug, Clone)]
pub(super) struct Text {
    pub(super) content: String,
    pub(super) span: Span,
    /// The offset of the first character of the text, if the text has no escapes.
    inside: Option<u32>,
}

impl Text {
    pub(super) fn part(&self, start: usize, end: usize) -> Span {
        match self.inside {
            Some(first) => Span::new(first + offset(start), first + offset(end)),
            None => self.span,
        }
    }

    /// The text with a changed content. Parts of a changed text have no span of their own.
    pub(super) fn map(&self, change: impl Fn(&str) -> String) -> Text {
        let content = change(&self.content);
        let inside = self.inside.filter(|_| content == self.content);
        Text { content, span: self.span, inside }
    }
}

pub(super) struct TomlReader<'s> {
    pub(super) source: &'s Source,
    pub(super) found: Vec<Diagnostic>,
    /// The fields that the rules of the current source want.
    pub(super) fields: Fields,
}

#[derive(Clone, Copy)]
pub(super) struct Table<'t> {
    pub(super) entries: &'t DeTable<'t>,
    pub(super) span: Span,
    /// The name of the table, such as `[[source]]`.
    pub(super) name: &'static str,
}

pub(super) type Value<'t> = Spanned<DeValue<'t>>;

pub(super) fn get<'t>(table: Table<'t>, key: &str) -> Option<&'t Value<'t>> {
    table.entries.iter().find(|(name, _)| *name.get_ref() == key).map(|(_, value)| value)
}

pub(super) fn span(range: std::ops::Range<usize>) -> Span {
    Span::new(offset(range.start), offset(range.end))
}

impl TomlReader<'_> {
    pub(super) fn error(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let found = Diagnostic::new(code, self.source.id(), span, message);
        self.found.push(found.with_help(help));
    }

    /// Reports unknown keys of a table.
    pub(super) fn keys(&mut self, table: Table<'_>, known: &[&str]) {
        for (key, _) in table.entries {
            let name: &str = key.get_ref();
            if known.contains(&name) {
                continue;
            }
            let listed = known.join("`, `");
            let help = did_you_mean(name, known.iter().copied())
                .unwrap_or_else(|| format!("the keys of {} are `{listed}`", table.name));
            let message = format!("{} has no key `{name}`", table.name);
            self.error(Code::UNKNOWN_SETTING, span(key.span()), message, help);
        }
    }

    pub(super) fn wrong(&mut self, value: &Value<'_>, key: &str, wanted: &str) {
        let kind = kind(value.get_ref());
        let message = format!("`{key}` is {kind}, not {wanted}");
        let help = format!("write {wanted}");
        self.error(Code::WRONG_SETTING, span(value.span()), message, help);
    }

    pub(super) fn text(&mut self, table: Table<'_>, key: &str) -> Option<Text> {
        let value = get(table, key)?;
        self.as_text(value, key)
    }

    pub(super) fn as_text(&mut self, value: &Value<'_>, key: &str) -> Option<Text> {
        let Some(text) = value.get_ref().as_str() else {
            self.wrong(value, key, "a text in quotes");
            return None;
        };
        let whole = span(value.span());
        let written = self.source.slice(whole);
        // The text is written as `'x'`, `"x"`, or with three of these quotes. A text with escapes
        // differs from what is written in the file.
        let inside = ["'''\n", "\"\"\"\n", "'''", "\"\"\"", "'", "\""]
            .iter()
            .find(|quote| written.starts_with(**quote))
            .filter(|quote| written[quote.len()..].starts_with(text))
            .map(|quote| whole.start + offset(quote.len()));
        Some(Text { content: text.to_owned(), span: whole, inside })
    }

    /// A list of strings; a single string is a list of one.
    pub(super) fn texts(&mut self, table: Table<'_>, key: &str) -> Option<Vec<Text>> {
        let value = get(table, key)?;
        if let Some(items) = value.get_ref().as_array() {
            return Some(items.iter().filter_map(|item| self.as_text(item, key)).collect());
        }
        if !value.get_ref().is_str() {
            self.wrong(value, key, "a list of texts");
            return None;
        }
        Some(vec![self.as_text(value, key)?])
    }

    pub(super) fn truth(&mut self, table: Table<'_>, key: &str) -> Option<bool> {
        let value = get(table, key)?;
        let truth = value.get_ref().as_bool();
        if truth.is_none() {
            self.wrong(value, key, "`true` or `false`");
        }
        truth
    }

    pub(super) fn count(&mut self, table: Table<'_>, key: &str) -> Option<u64> {
        let value = get(table, key)?;
        let number = value.get_ref().as_integer();
        let count = number.and_then(|number| number.as_str().replace('_', "").parse().ok());
        let count = count.filter(|&count: &u64| count > 0);
        if count.is_none() {
            self.wrong(value, key, "a whole number from 1 on");
        }
        count
    }

    pub(super) fn table<'t>(
        &mut self,
        table: Table<'t>,
        key: &str,
        name: &'static str,
    ) -> Option<Table<'t>> {
        let value = get(table, key)?;
        self.as_table(value, key, name)
    }

    pub(super) fn as_table<'t>(
        &mut self,
        value: &'t Value<'t>,
        key: &str,
        name: &'static str,
    ) -> Option<Table<'t>> {
        let Some(entries) = value.get_ref().as_table() else {
            self.wrong(value, key, "a table");
            return None;
        };
        Some(Table { entries, span: span(value.span()), name })
    }

    pub(super) fn tables<'t>(
        &mut self,
        table: Table<'t>,
        key: &str,
        name: &'static str,
    ) -> Vec<Table<'t>> {
        let Some(value) = get(table, key) else { return Vec::new() };
        let Some(items) = value.get_ref().as_array() else {
            self.wrong(value, key, &format!("a list of tables ({name})"));
            return Vec::new();
        };
        items.iter().filter_map(|item| self.as_table(item, key, name)).collect()
    }

    pub(super) fn choice<T: Copy>(
        &mut self,
        table: Table<'_>,
        key: &str,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let text = self.text(table, key)?;
        let found = choices.iter().find(|(name, _)| *name == text.content);
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let help = did_you_mean(&text.content, names.iter().copied())
                .unwrap_or_else(|| format!("it is one of `{}`", names.join("`, `")));
            let message = format!("`{key}` cannot be `{}`", text.content);
            self.error(Code::WRONG_SETTING, text.span, message, help);
        }
        found.map(|(_, choice)| *choice)
    }
}

pub(super) fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a truth value",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
