//! The values of events: which a rule gives, and which of them are kept.
//!
//! Guards of a specification name fields. [`Plan::keep`] looks up where the records of each rule have them:
//!
//! 1. in `values` of the rule or its source;
//! 2. `id`: what pairs the message, if the rule says it;
//! 3. in a format whose records have fields, in the field or attribute with that path.
//!
//! Everything else costs nothing: the reader does not even look for it.

use super::template::Template;
use super::{Plan, Rule, SourcePlan};
use crate::facts::TIME;
use crate::read::htf::VALUES;
use crate::read::{Fields, Format};

/// How a text becomes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum As {
    /// A number or a truth value if it has the form of one, else a text.
    #[default]
    Plain,
    /// A text, whatever its form.
    Text,
    /// A number.
    Number,
    /// A truth value.
    Boolean,
    /// A value as it is written in a `.htf`.
    Literal,
}

/// Where the value of a field comes from.
#[derive(Debug, Clone)]
pub(crate) struct ValueSource {
    pub(crate) template: Template,
    /// Other texts for some texts.
    pub(crate) map: Vec<(Vec<u8>, String)>,
    pub(crate) kind: As,
}

/// The value of one field.
#[derive(Debug, Clone)]
pub(crate) struct ValuePlan {
    pub(crate) name: String,
    pub(crate) source: ValueSource,
}

/// Where the time of an event comes from.
#[derive(Debug, Clone)]
pub(crate) struct TimePlan {
    pub(crate) template: Template,
    /// A number counts so many parts of a second: 1, or 1000 for milliseconds.
    pub(crate) per_second: i128,
}

impl TimePlan {
    pub(crate) fn seconds(template: Template) -> Self {
        TimePlan { template, per_second: 1 }
    }
}

impl Plan {
    /// Keeps the values of these fields. Those of all others are left out.
    ///
    /// ```
    /// use otus_syntax::Source;
    /// use otus_trace::mapping::Plan;
    ///
    /// let text = "[[source]]\nfiles = ['*.log']\nformat = 'json'\nlifeline = '{at}'\n\
    ///             dir = '{d}'\nmessage = '{m}'\n";
    /// let (plan, _) = Plan::parse(&Source::new("otus.toml", text), &[]);
    /// let mut plan = plan.unwrap();
    /// plan.keep(["time", "mid"]);
    /// assert!(plan.sources[0].fields.find("mid").is_some());
    /// ```
    pub fn keep<'n>(&mut self, fields: impl IntoIterator<Item = &'n str>) {
        self.kept.clear();
        (self.keeps_time, self.keeps_all, self.are_wanted) = (false, false, true);
        for name in fields {
            if name == TIME {
                self.keeps_time = true;
            } else if !self.kept.iter().any(|known| known == name) {
                self.kept.push(name.to_owned());
            }
        }
        for source in &mut self.sources {
            for rule in &mut source.rules {
                let kept = self.kept.iter().zip(0..);
                rule.kept = kept
                    .filter_map(|(name, index)| {
                        let found = value_source(rule, name, source.format, &mut source.fields);
                        found.map(|found| (index, found))
                    })
                    .collect();
                if self.keeps_time && rule.time.is_none() {
                    let slot = time_field(source.format).map(|name| source.fields.slot(name));
                    rule.time = slot.map(|slot| TimePlan::seconds(Template::field(slot)));
                }
            }
        }
    }

    /// Keeps all values and times that the rules list, and all of canonical lines.
    pub fn keep_listed(&mut self) {
        let rules = || self.sources.iter().flat_map(|source| &source.rules);
        let mut names: Vec<String> = Vec::new();
        for value in rules().flat_map(|rule| &rule.values) {
            if !names.contains(&value.name) {
                names.push(value.name.clone());
            }
        }
        let has_time = |rule: &Rule| rule.time.is_some() || rule.span_actions.is_some();
        let is_canonical = |source: &SourcePlan| source.format == Format::Canonical;
        let keeps_all = self.sources.iter().any(is_canonical);
        if keeps_all || rules().any(has_time) {
            names.push(TIME.to_owned());
        }
        self.keep(names.iter().map(String::as_str));
        (self.keeps_all, self.are_wanted) = (keeps_all, false);
    }

    /// The fields whose values are kept, without the time.
    pub fn kept(&self) -> &[String] {
        &self.kept
    }
}

/// The field with the time of a record, if no setting says it. The times of spans are no field.
fn time_field(format: Format) -> Option<&'static str> {
    match format {
        Format::Json | Format::Csv => Some(TIME),
        Format::Htf => Some("values.time"),
        Format::Text
        | Format::Otlp
        | Format::Jaeger
        | Format::Zipkin
        | Format::Shiviz
        | Format::Canonical => None,
    }
}

fn value_source(
    rule: &Rule,
    name: &str,
    format: Format,
    fields: &mut Fields,
) -> Option<ValueSource> {
    if let Some(value) = rule.values.iter().find(|value| value.name == name) {
        return Some(value.source.clone());
    }
    if name == "id" && rule.actions.iter().any(|action| action.id.is_some()) {
        return None;
    }
    let kind = match format {
        // A line of text has the fields that a rule lists, a canonical line says its values itself.
        Format::Text | Format::Canonical => return None,
        Format::Htf => As::Literal,
        Format::Json
        | Format::Csv
        | Format::Otlp
        | Format::Jaeger
        | Format::Zipkin
        | Format::Shiviz => As::Plain,
    };
    if format.has_spans() && name == "id" {
        return None;
    }
    let slot = match kind {
        As::Literal => fields.slot(&format!("{VALUES}{name}")),
        As::Plain | As::Text | As::Number | As::Boolean => fields.slot(name),
    };
    Some(ValueSource { template: Template::field(slot), map: Vec::new(), kind })
}
