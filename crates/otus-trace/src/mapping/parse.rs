//! From the text of `otus.toml` to a plan.
//!
//! Everything that a source says once for all its rules (`lifeline`, `group`, `message`, …) is
//! resolved anew for each rule, since the names in it may be groups of the rule's pattern.

use otus_core::Direction;
use otus_syntax::diagnostic::any_error;
use otus_syntax::suggest::did_you_mean;
use otus_syntax::{Code, Diagnostic, Source, Span};
use regex::bytes::Regex;
use toml::de::{DeTable, DeValue};

use super::table::{Reader, Table, Text, Value, get, kind, span};
use super::template::{Piece, Raw, Template};
use super::{
    ActionPlan, Aliases, Assign, Condition, DirectionPlan, Glob, Mapped, Observation, Pairing,
    Plan, Rule, RuleKind, SourcePlan, SpanActions, template,
};
use crate::read::{self, Fields, Format};

/// The keys of the file that are about logs.
pub(super) const FILE_KEYS: [&str; 6] =
    ["source", "lifelines", "messages", "observation", "pairing", "group"];

/// What a source and a rule may both say.
pub(super) const SHARED_KEYS: [&str; 11] = [
    "lifeline", "clock", "order", "time", "group", "dir", "message", "reply", "peer", "id", "label",
];

pub(super) const SOURCE_KEYS: [&str; 9] =
    ["name", "files", "format", "ignore", "rule", "separator", "columns", "pattern", "longest"];

pub(super) const RULE_KEYS: [&str; 8] =
    ["name", "match", "where", "emit", "set", "share", "ignore", "closes"];

pub(super) fn parse(source: &Source, others: &[&str]) -> (Option<Plan>, Vec<Diagnostic>) {
    let mut reader = Reader { source, found: Vec::new() };
    let (document, faults) = DeTable::parse_recoverable(source.text());
    for fault in faults {
        let place = fault.span().map_or(Span::at(0), span);
        let message = format!("this is not TOML: {}", fault.message().trim_end_matches('.'));
        let help =
            "texts stand in quotes, a table begins with `[name]`, a list of tables with `[[name]]`";
        reader.error(Code::NOT_TOML, place, message).help = Some(help.to_owned());
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
        if let Some(source) = reader.source(table, number) {
            plan.sources.push(source);
        }
    }
    plan.lifelines = reader.aliases(file, "lifelines", "[lifelines]");
    plan.messages = reader.aliases(file, "messages", "[messages]");
    plan.observation = reader.observation(file);
    if let Some(table) = reader.table(file, "pairing", "[pairing]") {
        reader.keys(table, &["by"]);
        let choices = [
            ("auto", Pairing::Auto),
            ("id", Pairing::Id),
            ("fifo", Pairing::Fifo),
            ("count", Pairing::Count),
            ("none", Pairing::None),
        ];
        plan.pairing = reader.choice(table, "by", &choices).unwrap_or_default();
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

/// A rule while it is read: the table it stands in and the one of its source, and what its
/// patterns capture.
struct Scope<'t> {
    rule: Option<Table<'t>>,
    source: Table<'t>,
    /// By pattern: the names of its groups.
    groups: Vec<Vec<Option<String>>>,
    format: Format,
    name: String,
}

/// How much a setting is needed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// A field that nothing provides is an error.
    Sure,
    /// If it is said for all rules, those whose pattern lacks the field go without.
    Maybe,
}

impl Reader<'_> {
    fn source(&mut self, table: Table<'_>, number: usize) -> Option<SourcePlan> {
        let known: Vec<&str> = SOURCE_KEYS.iter().chain(&SHARED_KEYS).copied().collect();
        self.keys(table, &known);
        let before = self.found.len();
        let name = self.text(table, "name").map_or(format!("source {number}"), |name| name.text);
        let files = self.texts(table, "files");
        if files.as_ref().is_none_or(Vec::is_empty) && get(table, "files").is_none() {
            self.missing(
                table.span,
                format!("{} does not say which files it is about", quoted(&name)),
            )
            .help = Some("say `files = [\"logs/*.log\"]`".to_owned());
        }
        let files = files.unwrap_or_default();
        let format = self.format(table)?;
        let options = self.options(table, format);
        let mut fields = Fields::default();
        let mut rules = Vec::new();
        let own = matches!(format, Format::Htf | Format::Canonical);
        for (at, rule) in self.tables(table, "rule", "[[source.rule]]").into_iter().enumerate() {
            if own {
                let message = format!("the format `{}` needs no rules", format.name());
                self.error(Code::CONTRADICTING_SETTINGS, rule.span, message).help =
                    Some("leave the rule out: such files say themselves what happened".to_owned());
                continue;
            }
            rules.push(self.rule(rule, table, format, at + 1, &mut fields));
        }
        let ignored = self.texts(table, "ignore").unwrap_or_default();
        for (at, pattern) in ignored.into_iter().enumerate() {
            let Some(regex) = self.regex(&pattern) else { continue };
            let mut rule = Rule::new(format!("ignore {}", at + 1), pattern.span, RuleKind::Ignored);
            rule.ignore = true;
            rule.conditions.push(Condition::Pattern { slot: None, regex, index: 0 });
            rules.push(rule);
        }
        self.rules_of_format(table, format, &mut fields, &mut rules);
        let written = rules.iter().any(|rule| rule.kind != RuleKind::Ignored);
        if !written && self.found.len() == before {
            self.missing(table.span, format!("{} has no rules", quoted(&name))).help = Some(
                "add a `[[source.rule]]` with a `match`, or say `dir` and `message` for all lines"
                    .to_owned(),
            );
        }
        let files = files.iter().map(|file| Glob::path(&file.text)).collect();
        Some(SourcePlan { name, span: table.span, files, format, options, fields, rules })
    }

    fn missing(&mut self, span: Span, message: String) -> &mut Diagnostic {
        // The header of a table stands for the whole.
        let text = self.source.slice(span);
        let line = text.lines().next().map_or(0, str::len);
        let line = Span::new(span.start, span.start + otus_syntax::source::offset(line));
        self.error(Code::MISSING_SETTING, line, message)
    }

    fn format(&mut self, table: Table<'_>) -> Option<Format> {
        let Some(text) = self.text(table, "format") else {
            if get(table, "format").is_none() {
                let names = Format::ALL.map(Format::name).join("`, `");
                self.missing(table.span, "a source does not say its format".to_owned()).help =
                    Some(format!("say `format = \"…\"` with one of `{names}`"));
            }
            return None;
        };
        let format = Format::from_name(&text.text);
        if format.is_none() {
            let names = Format::ALL.map(Format::name);
            let help = did_you_mean(&text.text, names)
                .unwrap_or_else(|| format!("it is one of `{}`", names.join("`, `")));
            let message = format!("there is no format `{}`", text.text);
            self.error(Code::WRONG_SETTING, text.span, message).help = Some(help);
        }
        format
    }

    fn options(&mut self, table: Table<'_>, format: Format) -> read::Options {
        let mut options = read::Options::default();
        for (key, only) in
            [("separator", Format::Csv), ("columns", Format::Csv), ("pattern", Format::Shiviz)]
        {
            if let Some(value) = get(table, key).filter(|_| format != only) {
                let message = format!("`{key}` says nothing about the format `{}`", format.name());
                self.error(Code::CONTRADICTING_SETTINGS, span(value.span()), message).help =
                    Some(format!("only `{}` has it", only.name()));
            }
        }
        if let Some(text) = self.text(table, "separator") {
            match text.text.as_bytes() {
                [byte] => options.separator = *byte,
                _ => {
                    let message = "`separator` is not one ASCII character".to_owned();
                    self.error(Code::WRONG_SETTING, text.span, message).help =
                        Some("such as `;` or `\\t`".to_owned());
                }
            }
        }
        let columns = self.texts(table, "columns").unwrap_or_default();
        options.columns = columns.into_iter().map(|column| column.text).collect();
        if let Some(longest) = self.count(table, "longest") {
            options.longest = usize::try_from(longest).unwrap_or(usize::MAX);
        }
        if let Some(pattern) = self.text(table, "pattern")
            && self.regex(&pattern).is_some()
        {
            options.pattern = read::anchored(&pattern.text).ok();
            let names = options.pattern.iter().flat_map(Regex::capture_names).flatten();
            let names: Vec<&str> = names.collect();
            for wanted in ["host", "clock"] {
                if !names.contains(&wanted) {
                    let message = format!("the pattern has no group `{wanted}`");
                    self.error(Code::BAD_PATTERN, pattern.span, message).help =
                        Some("it is like `(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)`".to_owned());
                }
            }
        }
        options
    }

    /// A rule as it is written.
    fn rule(
        &mut self,
        table: Table<'_>,
        source: Table<'_>,
        format: Format,
        number: usize,
        fields: &mut Fields,
    ) -> Rule {
        let known: Vec<&str> = RULE_KEYS.iter().chain(&SHARED_KEYS).copied().collect();
        self.keys(table, &known);
        let name = self.text(table, "name").map_or(format!("rule {number}"), |name| name.text);
        let mut rule = Rule::new(name.clone(), table.span, RuleKind::Written);
        let mut scope = Scope { rule: Some(table), source, groups: Vec::new(), format, name };
        self.conditions(table, &mut rule, &mut scope, fields);
        rule.ignore = self.truth(table, "ignore").unwrap_or(false);
        rule.closes = self.truth(table, "closes").unwrap_or(false);
        let said = get(table, "match").is_some() || get(table, "where").is_some();
        if !said && !format.has_spans() {
            self.missing(
                table.span,
                format!("{} does not say which lines it takes", quoted(&rule.name)),
            )
            .help = Some("say `match = '…'`, or `where = { field = \"value\" }`".to_owned());
        }
        if rule.ignore {
            for key in ["emit", "set", "share", "message", "closes"] {
                if let Some(value) = get(table, key) {
                    let message = format!("a rule that ignores its lines has no `{key}`");
                    self.error(Code::CONTRADICTING_SETTINGS, span(value.span()), message).help =
                        Some(format!("leave out `ignore` or `{key}`"));
                }
            }
            return rule;
        }
        self.outcome(&mut rule, &scope, fields);
        rule
    }

    fn conditions(
        &mut self,
        table: Table<'_>,
        rule: &mut Rule,
        scope: &mut Scope<'_>,
        fields: &mut Fields,
    ) {
        let by_field = ["where", "match"].into_iter().filter_map(|key| get(table, key));
        for value in by_field.filter(|value| value.get_ref().is_table()) {
            if scope.format == Format::Text {
                let message = "lines of text have no fields".to_owned();
                self.error(Code::UNKNOWN_FIELD, span(value.span()), message).help =
                    Some("say `match = '…'`, a pattern for the whole line".to_owned());
            }
        }
        if let Some(wanted) = get(table, "where")
            && let Some(wanted) = self.as_table(wanted, "where", "`where`")
        {
            for (key, value) in wanted.entries {
                let slot = fields.slot(key.get_ref());
                let condition = match value.get_ref() {
                    DeValue::Boolean(true) => Condition::Present { slot, there: true },
                    DeValue::Boolean(false) => Condition::Present { slot, there: false },
                    DeValue::String(text) => {
                        Condition::OneOf { slot, values: vec![text.as_bytes().to_vec()] }
                    }
                    DeValue::Integer(number) => {
                        let value = number.as_str().as_bytes().to_vec();
                        Condition::OneOf { slot, values: vec![value] }
                    }
                    DeValue::Array(items) => {
                        let values =
                            items.iter().filter_map(|item| self.as_text(item, key.get_ref()));
                        let values = values.map(|text| text.text.into_bytes()).collect();
                        Condition::OneOf { slot, values }
                    }
                    DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Table(_) => {
                        self.wrong(
                            value,
                            key.get_ref(),
                            "a text, a list of texts, `true` or `false`",
                        );
                        continue;
                    }
                };
                rule.conditions.push(condition);
            }
        }
        let Some(value) = get(table, "match") else { return };
        let patterns: Vec<(Option<usize>, Text)> = match value.get_ref() {
            DeValue::Table(entries) => {
                let mut patterns = Vec::new();
                for (key, value) in entries {
                    if let Some(text) = self.as_text(value, key.get_ref()) {
                        patterns.push((Some(fields.slot(key.get_ref())), text));
                    }
                }
                patterns
            }
            DeValue::String(_) => {
                self.as_text(value, "match").map(|text| (None, text)).into_iter().collect()
            }
            DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_) => {
                self.wrong(value, "match", "a pattern, or a table of fields and their patterns");
                return;
            }
        };
        for (slot, text) in patterns {
            let Some(regex) = self.regex(&text) else {
                scope.groups.push(Vec::new());
                continue;
            };
            let names = regex.capture_names().map(|name| name.map(str::to_owned)).collect();
            let index = scope.groups.len();
            scope.groups.push(names);
            rule.conditions.push(Condition::Pattern { slot, regex, index });
        }
    }

    /// What a rule says about its lines.
    fn outcome(&mut self, rule: &mut Rule, scope: &Scope<'_>, fields: &mut Fields) {
        rule.lifeline = self.mapped(scope, "lifeline", fields);
        rule.clock = self.setting(scope, "clock", Need::Sure, fields);
        rule.group = self.setting(scope, "group", Need::Sure, fields);
        rule.time = self.setting(scope, "time", Need::Maybe, fields);
        rule.label = self.setting(scope, "label", Need::Maybe, fields);
        rule.order = match scope.find("order") {
            Some((value, _)) if value.get_ref().as_str() == Some("line") => None,
            _ => self.setting(scope, "order", Need::Sure, fields),
        };
        if let Some(table) = scope.rule {
            for (key, shared) in [("set", false), ("share", true)] {
                self.assignments(table, key, shared, rule, scope, fields);
            }
        }
        self.actions(rule, scope, fields);
        let happens = !rule.actions.is_empty() || rule.span_actions.is_some();
        let says = ["emit", "dir", "message", "set", "share", "label", "closes"];
        let said = says.iter().any(|key| scope.find(key).is_some());
        if !happens && !said {
            let span = scope.rule.unwrap_or(scope.source).span;
            self.missing(span, format!("{} says nothing about its lines", quoted(&rule.name)))
                .help = Some(
                "say `dir` and `message`, `emit = [\"!message\"]`, `set`, or `ignore = true`"
                    .to_owned(),
            );
        }
        if rule.lifeline.is_none() && !scope.has_lifeline() {
            let span = scope.rule.unwrap_or(scope.source).span;
            self.missing(
                span,
                format!("{} does not say on which lifeline it happens", quoted(&rule.name)),
            )
            .help = Some("say `lifeline = \"name\"`, or `lifeline = \"{field}\"`".to_owned());
        }
    }

    fn actions(&mut self, rule: &mut Rule, scope: &Scope<'_>, fields: &mut Fields) {
        let emit = scope.rule.and_then(|table| get(table, "emit"));
        if let Some(value) = emit {
            let one = std::slice::from_ref(value);
            let items: Vec<&Value<'_>> = match value.get_ref().as_array() {
                Some(items) => items.iter().collect(),
                None => one.iter().collect(),
            };
            for item in items {
                rule.actions.extend(self.emitted(item, scope, fields));
            }
            for key in ["dir", "message"] {
                if let Some(value) = scope.rule.and_then(|table| get(table, key)) {
                    let message = format!("a rule with `emit` has no `{key}` of its own");
                    self.error(Code::CONTRADICTING_SETTINGS, span(value.span()), message).help =
                        Some("say all of it in `emit`".to_owned());
                }
            }
            return;
        }
        let direction = self.direction(scope, fields);
        if scope.format.has_spans() && direction.is_none() {
            rule.span_actions = self.span_actions(scope, fields);
            return;
        }
        let message = self.setting(scope, "message", Need::Sure, fields);
        match (direction, message) {
            (Some(direction), Some(message)) => {
                let peer = self.setting(scope, "peer", Need::Maybe, fields);
                let id = self.setting(scope, "id", Need::Maybe, fields);
                rule.actions.push(ActionPlan { direction, message, peer, id, lifeline: None });
            }
            (None, Some(_)) => {
                if let (Some((value, true)), None) = (scope.find("message"), scope.find("dir")) {
                    let message = format!("{} has a message but no direction", quoted(&rule.name));
                    self.error(Code::MISSING_SETTING, span(value.span()), message).help =
                        Some("say `dir = \"!\"` or `dir = \"?\"`".to_owned());
                }
            }
            (Some(_), None) => {
                if let (Some((value, true)), None) = (scope.find("dir"), scope.find("message")) {
                    let message = format!("{} has a direction but no message", quoted(&rule.name));
                    self.error(Code::MISSING_SETTING, span(value.span()), message).help =
                        Some("say `message = \"…\"`".to_owned());
                }
            }
            (None, None) => {}
        }
    }

    /// The actions of a span: CLIENT and SERVER have a request and a reply.
    fn span_actions(&mut self, scope: &Scope<'_>, fields: &mut Fields) -> Option<SpanActions> {
        let message = match scope.find("message") {
            Some(_) => self.setting(scope, "message", Need::Sure, fields)?,
            None => Template { pieces: vec![Piece::Field(fields.slot("name"))] },
        };
        let reply = match scope.find("reply") {
            Some((value, _)) if matches!(value.get_ref(), DeValue::Boolean(false)) => None,
            Some(_) => Some(self.setting(scope, "reply", Need::Sure, fields)?),
            None => {
                let mut pieces = message.pieces.clone();
                pieces.push(Piece::Text(" reply".to_owned()));
                Some(Template { pieces })
            }
        };
        let peer = self.setting(scope, "peer", Need::Maybe, fields);
        Some(SpanActions { message, reply, peer })
    }

    /// An item of `emit`: `"!message"`, or a table.
    fn emitted(
        &mut self,
        item: &Value<'_>,
        scope: &Scope<'_>,
        fields: &mut Fields,
    ) -> Option<ActionPlan> {
        if let DeValue::Table(entries) = item.get_ref() {
            let table = Table { entries, span: span(item.span()), name: "an item of `emit`" };
            self.keys(table, &["dir", "message", "peer", "id", "lifeline"]);
            let own = Scope {
                rule: Some(table),
                source: table,
                groups: scope.groups.clone(),
                format: scope.format,
                name: scope.name.clone(),
            };
            let direction = self.direction(&own, fields);
            let message = self.setting(&own, "message", Need::Sure, fields);
            let or_rule = |reader: &mut Self, key: &str, fields: &mut Fields| {
                let scope = if own.find(key).is_some() { &own } else { scope };
                reader.setting(scope, key, Need::Maybe, fields)
            };
            let peer = or_rule(self, "peer", fields);
            let id = or_rule(self, "id", fields);
            let lifeline = self.mapped(&own, "lifeline", fields);
            let (Some(direction), Some(message)) = (direction, message) else {
                let message = "an action needs `dir` and `message`".to_owned();
                self.error(Code::MISSING_SETTING, table.span, message).help =
                    Some("such as `{ dir = \"!\", message = \"CONNACK\" }`".to_owned());
                return None;
            };
            return Some(ActionPlan { direction, message, peer, id, lifeline });
        }
        let text = self.as_text(item, "emit")?;
        let direction = match text.text.chars().next() {
            Some('!') => Direction::Emission,
            Some('?') => Direction::Reception,
            _ => {
                let message =
                    format!("`{}` does not say whether it is sent or received", text.text);
                self.error(Code::WRONG_SETTING, text.span, message).help =
                    Some("begin with `!` for sent or `?` for received".to_owned());
                return None;
            }
        };
        let message = self.template(&text, 1, scope, true, fields)?;
        let peer = self.setting(scope, "peer", Need::Maybe, fields);
        let id = self.setting(scope, "id", Need::Maybe, fields);
        let direction = DirectionPlan::Fixed(direction);
        Some(ActionPlan { direction, message, peer, id, lifeline: None })
    }

    fn direction(&mut self, scope: &Scope<'_>, fields: &mut Fields) -> Option<DirectionPlan> {
        let (value, own) = scope.find("dir")?;
        match value.get_ref() {
            DeValue::String(_) => {
                let text = self.as_text(value, "dir")?;
                if let Some(direction) = direction(text.text.as_bytes()) {
                    return Some(DirectionPlan::Fixed(direction));
                }
                if !text.text.contains('{') {
                    let message = format!("`{}` is no direction", text.text);
                    self.error(Code::WRONG_SETTING, text.span, message).help = Some(
                        "say `!` or `send`, `?` or `receive`, or the field that tells: `\"{field}\"`"
                            .to_owned(),
                    );
                    return None;
                }
                let template = self.template(&text, 0, scope, own, fields)?;
                Some(DirectionPlan::From(template, Vec::new()))
            }
            DeValue::Table(_) => {
                let table = self.as_table(value, "dir", "`dir`")?;
                self.keys(table, &["from", "map"]);
                let template = self.from(table, scope, own, fields)?;
                let mut map = Vec::new();
                if let Some(table) = self.table(table, "map", "`map`") {
                    for (key, value) in table.entries {
                        let Some(text) = self.as_text(value, key.get_ref()) else { continue };
                        match direction(text.text.as_bytes()) {
                            Some(direction) => {
                                map.push((key.get_ref().as_bytes().to_vec(), direction));
                            }
                            None => {
                                let message = format!("`{}` is no direction", text.text);
                                self.error(Code::WRONG_SETTING, text.span, message).help =
                                    Some("say `!` for sent or `?` for received".to_owned());
                            }
                        }
                    }
                }
                Some(DirectionPlan::From(template, map))
            }
            other @ (DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_)) => {
                let kind = kind(other);
                let message = format!("`dir` is {kind}, not a direction");
                self.error(Code::WRONG_SETTING, span(value.span()), message).help =
                    Some("say `!`, `?`, or `{ from = \"field\", map = { … } }`".to_owned());
                None
            }
        }
    }

    /// `from` of a table with a `map`: a field or a template.
    fn from(
        &mut self,
        table: Table<'_>,
        scope: &Scope<'_>,
        own: bool,
        fields: &mut Fields,
    ) -> Option<Template> {
        let Some(text) = self.text(table, "from") else {
            if get(table, "from").is_none() {
                let message = "a table of values does not say which field it is about".to_owned();
                self.error(Code::MISSING_SETTING, table.span, message).help =
                    Some("say `from = \"field\"`".to_owned());
            }
            return None;
        };
        if text.text.contains('{') {
            return self.template(&text, 0, scope, own, fields);
        }
        let end = text.text.len();
        let name = text.text.clone();
        let piece = self.resolve(&name, text.part(0, end), scope, own, fields)?;
        Some(Template { pieces: vec![piece] })
    }

    fn mapped(&mut self, scope: &Scope<'_>, key: &str, fields: &mut Fields) -> Option<Mapped> {
        let (value, own) = scope.find(key)?;
        let DeValue::Table(_) = value.get_ref() else {
            let template = self.setting(scope, key, Need::Sure, fields)?;
            return Some(Mapped { template, map: Vec::new() });
        };
        let table = self.as_table(value, key, "a table of values")?;
        self.keys(table, &["from", "map"]);
        let template = self.from(table, scope, own, fields)?;
        let mut map = Vec::new();
        if let Some(table) = self.table(table, "map", "`map`") {
            for (key, value) in table.entries {
                if let Some(text) = self.as_text(value, key.get_ref()) {
                    map.push((key.get_ref().as_bytes().to_vec(), text.text));
                }
            }
        }
        Some(Mapped { template, map })
    }

    fn assignments(
        &mut self,
        table: Table<'_>,
        key: &str,
        shared: bool,
        rule: &mut Rule,
        scope: &Scope<'_>,
        fields: &mut Fields,
    ) {
        let Some(table) = self.table(table, key, "a table of variables") else { return };
        for (name, value) in table.entries {
            let template = match value.get_ref() {
                DeValue::String(_) => {
                    let Some(text) = self.as_text(value, name.get_ref()) else { continue };
                    self.template(&text, 0, scope, true, fields)
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

    /// A template that the rule or its source gives.
    fn setting(
        &mut self,
        scope: &Scope<'_>,
        key: &str,
        need: Need,
        fields: &mut Fields,
    ) -> Option<Template> {
        let (value, own) = scope.find(key)?;
        let text = self.as_text(value, key)?;
        if need == Need::Maybe && !own && scope.format == Format::Text {
            // Rules whose pattern has no such group go without.
            let missing = |piece: &Raw| match piece {
                Raw::Text(_) => false,
                Raw::Name { name, .. } => scope.capture(name).is_none() && built_in(name).is_none(),
            };
            if template::parse(&text.text).is_ok_and(|pieces| pieces.iter().any(missing)) {
                return None;
            }
        }
        self.template(&text, 0, scope, own, fields)
    }

    fn template(
        &mut self,
        text: &Text,
        skip: usize,
        scope: &Scope<'_>,
        own: bool,
        fields: &mut Fields,
    ) -> Option<Template> {
        let pieces = match template::parse(&text.text[skip..]) {
            Ok(pieces) => pieces,
            Err(found) => {
                let at = found.at + skip;
                let message = format!("this template has {}", found.cause);
                self.error(Code::BAD_TEMPLATE, text.part(at, at + 1), message).help = Some(
                    "a field stands in braces, `{name}`; a brace itself is written twice"
                        .to_owned(),
                );
                return None;
            }
        };
        let mut resolved = Vec::new();
        for piece in pieces {
            resolved.push(match piece {
                Raw::Text(literal) => Piece::Text(literal),
                Raw::Name { name, start, end } => {
                    let place = text.part(start + skip, end + skip);
                    self.resolve(&name, place, scope, own, fields)?
                }
            });
        }
        if resolved.iter().all(|piece| *piece == Piece::Text(String::new())) {
            self.error(Code::BAD_TEMPLATE, text.span, "this template is empty".to_owned()).help =
                Some("write a name, or a field in braces".to_owned());
            return None;
        }
        Some(Template { pieces: resolved })
    }

    /// What a name in a template means.
    fn resolve(
        &mut self,
        name: &str,
        place: Span,
        scope: &Scope<'_>,
        own: bool,
        fields: &mut Fields,
    ) -> Option<Piece> {
        if let Some(piece) = scope.capture(name).or_else(|| built_in(name)) {
            return Some(piece);
        }
        if scope.format != Format::Text {
            return Some(Piece::Field(fields.slot(name)));
        }
        let groups = || scope.groups.iter().flatten().flatten().map(String::as_str);
        let message = if own {
            format!("the pattern captures no `{name}`")
        } else {
            format!("the pattern of {} captures no `{name}`", quoted(&scope.name))
        };
        let listed: Vec<&str> = groups().collect();
        let help = did_you_mean(name, groups()).unwrap_or_else(|| {
            if listed.is_empty() {
                format!("name a group of the pattern: `(?<{name}>…)`")
            } else {
                format!(
                    "its groups are `{}`; a new one is written `(?<{name}>…)`",
                    listed.join("`, `")
                )
            }
        });
        self.error(Code::UNKNOWN_FIELD, place, message).help = Some(help);
        None
    }

    fn regex(&mut self, text: &Text) -> Option<Regex> {
        match Regex::new(&text.text) {
            Ok(regex) => Some(regex),
            Err(error) => {
                let (cause, place) = pattern_fault(text, &error);
                let message = format!("this is not a regular expression: {cause}");
                self.error(Code::BAD_PATTERN, place, message).help = Some(
                    "use single quotes so that backslashes stay; look-around and back references do not exist"
                        .to_owned(),
                );
                None
            }
        }
    }

    /// What the format itself says, after all rules that were written.
    fn rules_of_format(
        &mut self,
        source: Table<'_>,
        format: Format,
        fields: &mut Fields,
        rules: &mut Vec<Rule>,
    ) {
        let mut scope =
            Scope { rule: None, source, groups: Vec::new(), format, name: "the format".to_owned() };
        match format {
            Format::Otlp | Format::Jaeger | Format::Zipkin => {
                let mut messages = Rule::new("spans".to_owned(), source.span, RuleKind::Format);
                let kind = fields.slot("kind");
                let kinds = ["CLIENT", "SERVER", "PRODUCER", "CONSUMER"];
                let values = kinds.map(|kind| kind.as_bytes().to_vec()).to_vec();
                messages.conditions.push(Condition::OneOf { slot: kind, values });
                self.outcome(&mut messages, &scope, fields);
                for rule in rules.iter_mut().chain(std::iter::once(&mut messages)) {
                    span_defaults(rule, fields);
                }
                let mut internal =
                    Rule::new("internal spans".to_owned(), source.span, RuleKind::Format);
                let values = vec![b"INTERNAL".to_vec(), b"UNSPECIFIED".to_vec()];
                internal.conditions.push(Condition::OneOf { slot: kind, values });
                internal.ignore = true;
                rules.push(messages);
                rules.push(internal);
            }
            Format::Shiviz => {
                let host = fields.slot("host");
                let clock = fields.slot("clock");
                let event = fields.slot("event");
                for rule in rules.iter_mut() {
                    rule.lifeline.get_or_insert_with(|| Mapped::field(host));
                    rule.label.get_or_insert(Template { pieces: vec![Piece::Field(event)] });
                }
                let mut events = Rule::new("events".to_owned(), source.span, RuleKind::Format);
                events.conditions.push(Condition::Present { slot: clock, there: true });
                "events".clone_into(&mut scope.name);
                events.lifeline =
                    self.mapped(&scope, "lifeline", fields).or(Some(Mapped::field(host)));
                events.group = self.setting(&scope, "group", Need::Sure, fields);
                events.clock = self.setting(&scope, "clock", Need::Sure, fields);
                events.label = Some(Template { pieces: vec![Piece::Field(event)] });
                rules.push(events);
            }
            Format::Htf => {
                for name in ["lifeline", "dir", "message", "component", "joined"] {
                    fields.slot(name);
                }
                let field = |fields: &mut Fields, name: &str| Template {
                    pieces: vec![Piece::Field(fields.slot(name))],
                };
                let mut actions = Rule::new("actions".to_owned(), source.span, RuleKind::Format);
                actions.lifeline = Some(Mapped::field(fields.slot("lifeline")));
                actions.clock = Some(field(fields, "component"));
                actions.group = Some(Template { pieces: vec![Piece::FileStem] });
                actions.actions.push(ActionPlan {
                    direction: DirectionPlan::From(field(fields, "dir"), Vec::new()),
                    message: field(fields, "message"),
                    peer: None,
                    id: None,
                    lifeline: None,
                });
                rules.push(actions);
            }
            Format::Canonical => {
                for name in read::canonical::KEYS {
                    fields.slot(name);
                }
                let field = |fields: &mut Fields, name: &str| Template {
                    pieces: vec![Piece::Field(fields.slot(name))],
                };
                let mut events = Rule::new("events".to_owned(), source.span, RuleKind::Format);
                events.lifeline = Some(Mapped::field(fields.slot("lifeline")));
                events.label = Some(field(fields, "label"));
                rules.push(events);
            }
            Format::Json | Format::Csv => {
                // All lines are alike.
                let alike = get(source, "dir").is_some() && get(source, "message").is_some();
                if rules.iter().all(|rule| rule.kind == RuleKind::Ignored) && alike {
                    let mut all = Rule::new("all lines".to_owned(), source.span, RuleKind::Written);
                    "the source".clone_into(&mut scope.name);
                    self.outcome(&mut all, &scope, fields);
                    // After what is ignored.
                    rules.push(all);
                }
            }
            Format::Text => {}
        }
    }

    fn aliases(&mut self, file: Table<'_>, key: &str, name: &'static str) -> Aliases {
        let Some(table) = self.table(file, key, name) else { return Aliases::default() };
        let mut entries = Vec::new();
        for (key, value) in table.entries {
            if let Some(text) = self.as_text(value, key.get_ref()) {
                entries.push((Glob::name(key.get_ref()), text.text));
            }
        }
        Aliases { entries }
    }

    fn observation(&mut self, file: Table<'_>) -> Observation {
        let Some(table) = self.table(file, "observation", "[observation]") else {
            return Observation::default();
        };
        self.keys(table, &["complete", "may_stop_early", "may_start_late", "unobserved"]);
        let mut globs = |key: &str| {
            let texts = self.texts(table, key).unwrap_or_default();
            texts.iter().map(|text| Glob::name(&text.text)).collect()
        };
        Observation {
            complete: globs("complete"),
            may_stop_early: globs("may_stop_early"),
            may_start_late: globs("may_start_late"),
            unobserved: globs("unobserved"),
        }
    }
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

    /// Whether the format says where things happen.
    fn has_lifeline(&self) -> bool {
        self.format.has_spans()
            || matches!(self.format, Format::Shiviz | Format::Htf | Format::Canonical)
            // What is wrong with it has been told.
            || self.find("lifeline").is_some()
    }
}

impl Rule {
    fn new(name: String, span: Span, kind: RuleKind) -> Rule {
        Rule {
            name,
            span,
            conditions: Vec::new(),
            ignore: false,
            lifeline: None,
            clock: None,
            order: None,
            time: None,
            group: None,
            actions: Vec::new(),
            span_actions: None,
            label: None,
            set: Vec::new(),
            closes: false,
            kind,
        }
    }
}

impl Mapped {
    fn field(slot: usize) -> Mapped {
        Mapped { template: Template { pieces: vec![Piece::Field(slot)] }, map: Vec::new() }
    }
}

/// What spans are by themselves: services are lifelines, traces are groups.
fn span_defaults(rule: &mut Rule, fields: &mut Fields) {
    if rule.ignore {
        return;
    }
    let field = |fields: &mut Fields, name: &str| Piece::Field(fields.slot(name));
    if rule.lifeline.is_none() {
        rule.lifeline = Some(Mapped::field(fields.slot("resource.service.name")));
    }
    if rule.group.is_none() {
        rule.group = Some(Template { pieces: vec![field(fields, "trace_id")] });
    }
    // For the diagnosis of calls that lose their context.
    for name in ["name", "server.address", "peer.service", "url.path"] {
        fields.slot(name);
    }
}

fn built_in(name: &str) -> Option<Piece> {
    Some(match name {
        "file" => Piece::File,
        "file.name" => Piece::FileName,
        "file.stem" => Piece::FileStem,
        "file.folder" => Piece::FileFolder,
        "line" => Piece::Line,
        _ => return None,
    })
}

/// What a word for a direction means.
pub(crate) fn direction(word: &[u8]) -> Option<Direction> {
    let word = word.trim_ascii().to_ascii_lowercase();
    Some(match &word[..] {
        b"!" | b"send" | b"sends" | b"sending" | b"sent" | b"emit" | b"emits" | b"emitted"
        | b"out" | b"outgoing" | b"tx" | b"->" => Direction::Emission,
        b"?" | b"receive" | b"receives" | b"receiving" | b"received" | b"recv" | b"in"
        | b"incoming" | b"rx" | b"<-" => Direction::Reception,
        _ => return None,
    })
}

/// What is wrong with a pattern, and where in it.
fn pattern_fault(text: &Text, error: &regex::Error) -> (String, Span) {
    let parsed = regex_syntax::ParserBuilder::new().utf8(false).build().parse(&text.text);
    match parsed {
        Err(regex_syntax::Error::Parse(found)) => {
            let (start, end) = (found.span().start.offset, found.span().end.offset);
            (found.kind().to_string(), text.part(start, end))
        }
        Err(regex_syntax::Error::Translate(found)) => {
            let (start, end) = (found.span().start.offset, found.span().end.offset);
            (found.kind().to_string(), text.part(start, end))
        }
        Ok(_) | Err(_) => {
            let large = matches!(error, regex::Error::CompiledTooBig(_));
            let text_of = error.to_string();
            let last = text_of.lines().last().unwrap_or_default();
            let cause = if large { "it is too large" } else { last };
            (cause.to_owned(), text.span)
        }
    }
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}
