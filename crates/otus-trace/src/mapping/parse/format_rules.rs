//! The rules that a format has by itself. They come after all rules of the file.

use super::Scope;
use super::setting::Need;
use crate::mapping::table::{Table, TomlReader, get};
use crate::mapping::template::{Piece, Template};
use crate::mapping::{ActionPlan, Condition, DirectionPlan, Mapped, PeerPlan, Rule, RuleKind};
use crate::read::{self, Fields, Format};

impl TomlReader<'_> {
    pub(super) fn rules_of_format(
        &mut self,
        source: Table<'_>,
        format: Format,
        rules: &mut Vec<Rule>,
    ) {
        let name = "the format".to_owned();
        let mut scope = Scope { rule: None, source, groups: Vec::new(), format, name };
        let new = |name: &str| Rule::new(name.to_owned(), source.span, RuleKind::Format);
        match format {
            Format::Otlp | Format::Jaeger | Format::Zipkin => {
                let mut messages = new("spans");
                let kind = self.fields.slot("kind");
                let kinds = ["CLIENT", "SERVER", "PRODUCER", "CONSUMER"];
                let values = kinds.map(|kind| kind.as_bytes().to_vec()).to_vec();
                messages.conditions.push(Condition::OneOf { slot: kind, values });
                self.outcome(&mut messages, &scope);
                for rule in rules.iter_mut().chain(std::iter::once(&mut messages)) {
                    span_defaults(rule, &mut self.fields);
                }
                let mut internal = new("internal spans");
                let values = vec![b"INTERNAL".to_vec(), b"UNSPECIFIED".to_vec()];
                internal.conditions.push(Condition::OneOf { slot: kind, values });
                // If `dir` and `message` of the source define all messages, there are no spans to
                // join.
                internal.latent = messages.span_actions.is_some();
                if internal.latent {
                    self.outcome(&mut internal, &scope);
                    span_defaults(&mut internal, &mut self.fields);
                }
                internal.ignore = true;
                rules.extend([messages, internal]);
            }
            Format::Shiviz => {
                let [host, clock, event, _] =
                    ["host", "clock", "event", "execution"].map(|name| self.fields.slot(name));
                for rule in rules.iter_mut() {
                    rule.lifeline.get_or_insert_with(|| Mapped::field(host));
                    rule.label.get_or_insert(Template::field(event));
                }
                let mut events = new("events");
                events.conditions.push(Condition::Present { slot: clock, there: true });
                "events".clone_into(&mut scope.name);
                events.lifeline = self.mapped(&scope, "lifeline").or(Some(Mapped::field(host)));
                events.group = self.setting(&scope, "group", Need::Required);
                events.clock = self.setting(&scope, "clock", Need::Required);
                events.label = Some(Template::field(event));
                rules.push(events);
            }
            Format::Htf => {
                let [lifeline, direction, message, component, _] =
                    ["lifeline", "dir", "message", "component", "joined"]
                        .map(|name| self.fields.slot(name));
                let mut actions = new("actions");
                actions.lifeline = Some(Mapped::field(lifeline));
                actions.clock = Some(Template::field(component));
                actions.group = Some(Template { pieces: vec![Piece::FileStem] });
                actions.actions.push(ActionPlan {
                    direction: DirectionPlan::From(Template::field(direction), Vec::new()),
                    message: Template::field(message),
                    peer: PeerPlan::default(),
                    id: None,
                    lifeline: None,
                });
                rules.push(actions);
            }
            Format::Canonical => {
                for name in read::canonical::KEYS {
                    self.fields.slot(name);
                }
                let mut events = new("events");
                events.lifeline = Some(Mapped::field(self.fields.slot("lifeline")));
                events.label = Some(Template::field(self.fields.slot("label")));
                rules.push(events);
            }
            Format::Json | Format::Csv => {
                // If the only rules of a source ignore lines, the settings of the source apply to
                // all other lines.
                let alike = get(source, "dir").is_some() && get(source, "message").is_some();
                if rules.iter().all(|rule| rule.kind == RuleKind::Ignored) && alike {
                    let name = "all lines".to_owned();
                    let mut all = Rule::new(name, source.span, RuleKind::Written);
                    "the source".clone_into(&mut scope.name);
                    self.outcome(&mut all, &scope);
                    rules.push(all);
                }
            }
            Format::Text => {}
        }
    }
}

/// The defaults of a rule about spans: services are lifelines, traces are groups.
fn span_defaults(rule: &mut Rule, fields: &mut Fields) {
    if rule.ignore {
        return;
    }
    rule.lifeline.get_or_insert_with(|| Mapped::field(fields.slot("resource.service.name")));
    rule.group.get_or_insert_with(|| Template::field(fields.slot("trace_id")));
    // The diagnosis of calls that lose their context needs these fields.
    for name in ["name", "server.address", "peer.service", "url.path"] {
        fields.slot(name);
    }
}
