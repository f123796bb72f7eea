//! Parses `values` and `time`: what an event carries.

use otus_syntax::Code;
use toml::de::DeValue;

use super::Scope;
use super::setting::{Need, ValueTable, lacks_captures};
use crate::facts::TIME;
use crate::mapping::table::{Table, TomlReader, Value, get, span};
use crate::mapping::template::Template;
use crate::mapping::{As, TimePlan, ValuePlan, ValueSource};

/// How often the units of times are in a second.
const UNITS: [(&str, i128); 4] = [("s", 1), ("ms", 1000), ("us", 1_000_000), ("ns", 1_000_000_000)];

impl TomlReader<'_> {
    /// Parses `values`. Those of a rule come before those of its source.
    pub(super) fn values(&mut self, scope: &Scope<'_>) -> Vec<ValuePlan> {
        let mut values: Vec<ValuePlan> = Vec::new();
        for (table, own) in [(scope.rule, true), (Some(scope.source), false)] {
            let Some(table) = table.and_then(|table| self.table(table, "values", "`values`"))
            else {
                continue;
            };
            for (name, value) in table.entries {
                let field: &str = name.get_ref();
                if field == TIME {
                    let message = "the time is a setting of its own";
                    let help = "say `time = …` beside `values`";
                    self.error(Code::CONTRADICTING_SETTINGS, span(name.span()), message, help);
                }
                if field.is_empty() {
                    let message = "a field needs a name";
                    self.error(Code::WRONG_SETTING, span(name.span()), message, "such as `mid`");
                }
                if values.iter().any(|known| known.name == field) {
                    continue;
                }
                if let Some(source) = self.value_source(value, field, scope, own) {
                    values.push(ValuePlan { name: field.to_owned(), source });
                }
            }
        }
        values
    }

    /// A template, a constant, or `{ from = "field", as = "text" }`.
    fn value_source(
        &mut self,
        value: &Value<'_>,
        field: &str,
        scope: &Scope<'_>,
        own: bool,
    ) -> Option<ValueSource> {
        let constant = |text: &str| {
            let template = Template::constant(text);
            Some(ValueSource { template, map: Vec::new(), kind: As::Plain })
        };
        match value.get_ref() {
            DeValue::String(_) => {
                let text = self.as_text(value, field)?;
                let template = self.template_of_values(&text, scope, own)?;
                Some(ValueSource { template, map: Vec::new(), kind: As::Plain })
            }
            DeValue::Integer(number) => constant(&number.as_str().replace('_', "")),
            DeValue::Boolean(truth) => constant(&truth.to_string()),
            DeValue::Table(entries) => {
                let table = Table { entries, span: span(value.span()), name: "a value" };
                self.value_table_of(table, scope, own)
            }
            DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Array(_) => {
                self.wrong(value, field, "a text, a whole number, a truth value or a table");
                None
            }
        }
    }

    fn value_table_of(
        &mut self,
        table: Table<'_>,
        scope: &Scope<'_>,
        own: bool,
    ) -> Option<ValueSource> {
        let choices = [("text", As::Text), ("number", As::Number), ("bool", As::Boolean)];
        let kind = self.choice(table, "as", &choices).unwrap_or_default();
        if !own && is_not_captured(table, scope) {
            return None;
        }
        let table = self.value_table_with(table, &["from", "map", "as"], scope, own)?;
        let ValueTable { template, map } = table;
        let map = map.into_iter().map(|(key, text)| (key, text.content)).collect();
        Some(ValueSource { template, map, kind })
    }

    /// Parses `time`: a template, or `{ from = "field", unit = "ms" }`.
    pub(super) fn time(&mut self, scope: &Scope<'_>) -> Option<TimePlan> {
        let (value, own) = scope.find("time")?;
        if !value.get_ref().is_table() {
            let template = self.setting(scope, "time", Need::IfCaptured)?;
            return Some(TimePlan::seconds(template));
        }
        let table = self.as_table(value, "time", "`time`")?;
        let per_second = self.choice(table, "unit", &UNITS).unwrap_or(1);
        if !own && is_not_captured(table, scope) {
            return None;
        }
        let ValueTable { template, .. } =
            self.value_table_with(table, &["from", "unit"], scope, own)?;
        Some(TimePlan { template, per_second })
    }
}

/// Whether the source has a table about a field that the pattern of the rule does not capture. The rule then does without
/// it.
fn is_not_captured(table: Table<'_>, scope: &Scope<'_>) -> bool {
    let from = get(table, "from").and_then(|from| from.get_ref().as_str());
    from.is_some_and(|from| {
        let is_template = from.contains('{');
        lacks_captures(&if is_template { from.to_owned() } else { format!("{{{from}}}") }, scope)
    })
}
