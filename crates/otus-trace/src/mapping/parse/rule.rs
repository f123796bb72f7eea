//! Parses `[[source.rule]]`: the conditions of the rule, and the meaning of the records that match
//! it.

use otus_syntax::Code;
use toml::de::DeValue;

use super::setting::Need;
use super::{RULE_KEYS, SHARED_KEYS, Scope};
use crate::mapping::pattern::Pattern;
use crate::mapping::table::{Table, Text, TomlReader, get, span};
use crate::mapping::template::Template;
use crate::mapping::{Assign, Condition, Rule, RuleKind};
use crate::read::Format;

impl TomlReader<'_> {
    pub(super) fn rule(
        &mut self,
        table: Table<'_>,
        source: Table<'_>,
        format: Format,
        number: usize,
    ) -> Rule {
        let known: Vec<&str> = RULE_KEYS.iter().chain(&SHARED_KEYS).copied().collect();
        self.keys(table, &known);
        let name = self.text(table, "name").map_or(format!("rule {number}"), |name| name.content);
        let mut rule = Rule::new(name.clone(), table.span, RuleKind::Written);
        let mut scope = Scope { rule: Some(table), source, groups: Vec::new(), format, name };
        self.fields_and_values(table, &mut rule, &scope);
        self.patterns(table, &mut rule, &mut scope);
        rule.ignore = self.truth(table, "ignore").unwrap_or(false);
        rule.closes = self.truth(table, "closes").unwrap_or(false);
        let said = get(table, "match").is_some() || get(table, "where").is_some();
        if !said {
            self.every_record(&mut rule, &mut scope);
        }
        if !said && format == Format::Text {
            let message = format!("`{}` does not say which lines it takes", rule.name);
            let help = "say `match = '…'`; only records with fields can be taken without one";
            self.missing(table.span, message, help);
        }
        if rule.ignore {
            for key in ["emit", "set", "share", "message", "closes"] {
                if let Some(value) = get(table, key) {
                    let message = format!("a rule that ignores its lines has no `{key}`");
                    let help = format!("leave out `ignore` or `{key}`");
                    self.error(Code::CONTRADICTING_SETTINGS, span(value.span()), message, help);
                }
            }
            return rule;
        }
        self.outcome(&mut rule, &scope);
        rule
    }

    /// The conditions of a rule that does not say which records it takes. It takes every record
    /// that is in the format of the source. Other records are possible, because programs print
    /// plain lines between JSON records and between events with vector clocks.
    fn every_record(&mut self, rule: &mut Rule, scope: &mut Scope<'_>) {
        match scope.format {
            Format::Json => {
                let Ok(pattern) = Pattern::new(r"^\s*\{") else { return };
                rule.conditions.push(Condition::line(pattern));
                scope.groups.push(Vec::new());
            }
            Format::Shiviz => {
                let slot = self.fields.slot("clock");
                rule.conditions.push(Condition::Present { slot, there: true });
            }
            Format::Text
            | Format::Csv
            | Format::Otlp
            | Format::Jaeger
            | Format::Zipkin
            | Format::Htf
            | Format::Canonical => {}
        }
    }

    /// Parses `where`: conditions on the values of fields.
    fn fields_and_values(&mut self, table: Table<'_>, rule: &mut Rule, scope: &Scope<'_>) {
        let by_field = ["where", "match"].into_iter().filter_map(|key| get(table, key));
        for value in by_field.filter(|value| value.get_ref().is_table()) {
            if scope.format == Format::Text {
                let help = "say `match = '…'`, a pattern for the whole line";
                let message = "lines of text have no fields";
                self.error(Code::UNKNOWN_FIELD, span(value.span()), message, help);
            }
        }
        let Some(wanted) = self.table(table, "where", "`where`") else { return };
        for (key, value) in wanted.entries {
            let slot = self.fields.slot(key.get_ref());
            let condition = match value.get_ref() {
                DeValue::Boolean(there) => Condition::Present { slot, there: *there },
                DeValue::String(text) => {
                    Condition::OneOf { slot, values: vec![text.as_bytes().to_vec()] }
                }
                DeValue::Integer(number) => {
                    let value = number.as_str().as_bytes().to_vec();
                    Condition::OneOf { slot, values: vec![value] }
                }
                DeValue::Array(items) => {
                    let values = items.iter().filter_map(|item| self.as_text(item, key.get_ref()));
                    let values = values.map(|text| text.content.into_bytes()).collect();
                    Condition::OneOf { slot, values }
                }
                DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Table(_) => {
                    let wanted = "a text, a list of texts, `true` or `false`";
                    self.wrong(value, key.get_ref(), wanted);
                    continue;
                }
            };
            rule.conditions.push(condition);
        }
    }

    /// Parses `match`: a pattern for the line, or patterns for fields.
    fn patterns(&mut self, table: Table<'_>, rule: &mut Rule, scope: &mut Scope<'_>) {
        let Some(value) = get(table, "match") else { return };
        let mut patterns: Vec<(Option<usize>, Text)> = Vec::new();
        if let Some(entries) = value.get_ref().as_table() {
            for (key, value) in entries {
                if let Some(text) = self.as_text(value, key.get_ref()) {
                    patterns.push((Some(self.fields.slot(key.get_ref())), text));
                }
            }
        } else if value.get_ref().is_str() {
            patterns.extend(self.as_text(value, "match").map(|text| (None, text)));
        } else {
            self.wrong(value, "match", "a pattern, or a table of fields and their patterns");
        }
        for (slot, text) in patterns {
            let Some(pattern) = self.pattern(&text) else {
                scope.groups.push(Vec::new());
                continue;
            };
            let names = pattern.group_names().map(|name| name.map(str::to_owned)).collect();
            let index = scope.groups.len();
            scope.groups.push(names);
            rule.conditions.push(Condition::Pattern { slot, pattern: Box::new(pattern), index });
        }
    }

    /// Parses the settings that say what a record of the rule means.
    pub(super) fn outcome(&mut self, rule: &mut Rule, scope: &Scope<'_>) {
        rule.lifeline = self.mapped(scope, "lifeline");
        rule.clock = self.setting(scope, "clock", Need::Required);
        rule.group = self.setting(scope, "group", Need::Required);
        rule.time = self.time(scope);
        rule.values = self.values(scope);
        rule.label = self.setting(scope, "label", Need::IfCaptured);
        rule.order = match scope.find("order") {
            Some((value, _)) if value.get_ref().as_str() == Some("line") => None,
            _ => self.setting(scope, "order", Need::Required),
        };
        for (key, shared) in [("set", false), ("share", true)] {
            self.assignments(key, shared, rule, scope);
        }
        self.actions(rule, scope);
        let happens = !rule.actions.is_empty() || rule.span_actions.is_some();
        let says = ["emit", "dir", "message", "set", "share", "label", "closes"];
        let said = says.iter().any(|key| scope.find(key).is_some());
        if !happens && !said {
            let message = format!("`{}` says nothing about its lines", rule.name);
            let help =
                "say `dir` and `message`, `emit = [\"!message\"]`, `set`, or `ignore = true`";
            self.missing(scope.span(), message, help);
        }
        // The format may determine the lifeline, or the setting has an error that was reported
        // already.
        let has_lifeline = scope.format.is_self_describing() || scope.find("lifeline").is_some();
        if rule.lifeline.is_none() && !has_lifeline {
            let message = format!("`{}` does not say on which lifeline it happens", rule.name);
            let help = "say `lifeline = \"name\"`, or `lifeline = \"{field}\"`";
            self.missing(scope.span(), message, help);
        }
    }

    /// Parses `set` or `share`: the variables that a record assigns.
    fn assignments(&mut self, key: &str, shared: bool, rule: &mut Rule, scope: &Scope<'_>) {
        let table = scope.rule.and_then(|table| self.table(table, key, "a table of variables"));
        let Some(table) = table else { return };
        for (name, value) in table.entries {
            let template = match value.get_ref() {
                DeValue::String(_) => {
                    let Some(text) = self.as_text(value, name.get_ref()) else { continue };
                    self.template(&text, 0, scope, true)
                }
                DeValue::Integer(number) => Some(Template::constant(number.as_str())),
                DeValue::Boolean(truth) => Some(Template::constant(&truth.to_string())),
                DeValue::Float(_)
                | DeValue::Datetime(_)
                | DeValue::Array(_)
                | DeValue::Table(_) => {
                    self.wrong(value, name.get_ref(), "a text, a whole number or a truth value");
                    None
                }
            };
            let Some(value) = template else { continue };
            rule.set.push(Assign { name: name.get_ref().to_string(), shared, value });
        }
    }
}
