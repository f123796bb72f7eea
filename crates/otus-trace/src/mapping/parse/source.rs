//! Parses `[[source]]`: its files, its format, the options of its reader, and its rules.

use otus_syntax::Code;
use otus_syntax::suggest::did_you_mean;
use regex::bytes::Regex;

use super::{SHARED_KEYS, SOURCE_KEYS};
use crate::mapping::finder::Finder;
use crate::mapping::table::{Table, TomlReader, get, span};
use crate::mapping::{Condition, Glob, Rule, RuleKind, SourcePlan};
use crate::read::{self, Fields, Format, literal_braces};

impl TomlReader<'_> {
    pub(super) fn source(&mut self, table: Table<'_>, number: usize) -> Option<SourcePlan> {
        let known: Vec<&str> = SOURCE_KEYS.iter().chain(&SHARED_KEYS).copied().collect();
        self.keys(table, &known);
        let before = self.found.len();
        let name = self.text(table, "name").map_or(format!("source {number}"), |name| name.content);
        let files = self.texts(table, "files");
        if files.as_ref().is_none_or(Vec::is_empty) && get(table, "files").is_none() {
            let message = format!("`{name}` does not say which files it is about");
            self.missing(table.span, message, "say `files = [\"logs/*.log\"]`");
        }
        let files = files.unwrap_or_default();
        let format = self.format(table)?;
        let options = self.options(table, format);
        self.fields = Fields::default();
        let mut rules = Vec::new();
        for (at, rule) in self.tables(table, "rule", "[[source.rule]]").into_iter().enumerate() {
            if matches!(format, Format::Htf | Format::Canonical) {
                let message = format!("the format `{}` needs no rules", format.name());
                let help = "leave the rule out: such files say themselves what happened";
                self.error(Code::CONTRADICTING_SETTINGS, rule.span, message, help);
                continue;
            }
            rules.push(self.rule(rule, table, format, at + 1));
        }
        let ignored = self.texts(table, "ignore").unwrap_or_default();
        for (at, pattern) in ignored.into_iter().enumerate() {
            let Some(found) = self.pattern(&pattern) else { continue };
            let mut rule = Rule::new(format!("ignore {}", at + 1), pattern.span, RuleKind::Ignored);
            rule.ignore = true;
            rule.conditions.push(Condition::line(found));
            rules.push(rule);
        }
        self.rules_of_format(table, format, &mut rules);
        let written = rules.iter().any(|rule| rule.kind != RuleKind::Ignored);
        if !written && self.found.len() == before {
            let help =
                "add a `[[source.rule]]` with a `match`, or say `dir` and `message` for all lines";
            self.missing(table.span, format!("`{name}` has no rules"), help);
        }
        let files = files.iter().map(|file| Glob::path(&file.content)).collect();
        let fields = std::mem::take(&mut self.fields);
        let finder = Finder::new(rules.iter().map(Rule::line_pattern));
        Some(SourcePlan { name, span: table.span, files, format, options, fields, rules, finder })
    }

    fn format(&mut self, table: Table<'_>) -> Option<Format> {
        let names = Format::ALL.map(Format::name);
        let Some(text) = self.text(table, "format") else {
            if get(table, "format").is_none() {
                let help = format!("say `format = \"…\"` with one of `{}`", names.join("`, `"));
                self.missing(table.span, "a source does not say its format".to_owned(), &help);
            }
            return None;
        };
        let format = Format::from_name(&text.content);
        if format.is_none() {
            let help = did_you_mean(&text.content, names)
                .unwrap_or_else(|| format!("it is one of `{}`", names.join("`, `")));
            let message = format!("there is no format `{}`", text.content);
            self.error(Code::WRONG_SETTING, text.span, message, help);
        }
        format
    }

    fn options(&mut self, table: Table<'_>, format: Format) -> read::Options {
        let mut options = read::Options::default();
        for (key, only) in [
            ("separator", Format::Csv),
            ("columns", Format::Csv),
            ("pattern", Format::Shiviz),
            ("delimiter", Format::Shiviz),
        ] {
            if let Some(value) = get(table, key).filter(|_| format != only) {
                let message = format!("`{key}` says nothing about the format `{}`", format.name());
                let help = format!("only `{}` has it", only.name());
                self.error(Code::CONTRADICTING_SETTINGS, span(value.span()), message, help);
            }
        }
        if let Some(text) = self.text(table, "separator") {
            match text.content.as_bytes() {
                [byte] => options.separator = *byte,
                _ => {
                    let message = "`separator` is not one ASCII character";
                    self.error(Code::WRONG_SETTING, text.span, message, "such as `;` or `\\t`");
                }
            }
        }
        let columns = self.texts(table, "columns").unwrap_or_default();
        options.columns = columns.into_iter().map(|column| column.content).collect();
        if let Some(longest) = self.count(table, "longest") {
            options.longest = usize::try_from(longest).unwrap_or(usize::MAX);
        }
        if let Some(delimiter) = self.text(table, "delimiter") {
            let delimiter = delimiter.map(literal_braces);
            let is_pattern = self.pattern(&delimiter).is_some();
            options.delimiter = Regex::new(&delimiter.content).ok().filter(|_| is_pattern);
        }
        if let Some(pattern) = self.text(table, "pattern")
            && self.pattern(&pattern.map(literal_braces)).is_some()
        {
            options.pattern = read::anchored(&pattern.content).ok();
            let names = options.pattern.iter().flat_map(Regex::capture_names).flatten();
            let names: Vec<&str> = names.collect();
            for wanted in ["host", "clock"] {
                if !names.contains(&wanted) {
                    let message = format!("the pattern has no group `{wanted}`");
                    let help = "it is like `(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)`";
                    self.error(Code::BAD_PATTERN, pattern.span, message, help);
                }
            }
        }
        options
    }
}
