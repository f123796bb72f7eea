//! Parses the actions of a rule: `dir` and `message`, `emit`, or the start and end of a span.

use otus_core::Direction;
use otus_syntax::Code;
use toml::de::DeValue;

use super::setting::{Need, ValueTable};
use super::{Scope, direction};
use crate::mapping::peer::PeerField;
use crate::mapping::table::{Table, TomlReader, Value, get, kind, span};
use crate::mapping::template::{Piece, Template};
use crate::mapping::{ActionPlan, DirectionPlan, PeerPlan, Rule, SpanActions};

impl TomlReader<'_> {
    pub(super) fn actions(&mut self, rule: &mut Rule, scope: &Scope<'_>) {
        let emit = scope.rule.and_then(|table| get(table, "emit"));
        if let Some(value) = emit {
            let one = std::slice::from_ref(value);
            for item in value.get_ref().as_array().map_or(one, |items| &items[..]) {
                rule.actions.extend(self.emitted(item, scope));
            }
            for key in ["dir", "message"] {
                if let Some(value) = scope.rule.and_then(|table| get(table, key)) {
                    let message = format!("a rule with `emit` has no `{key}` of its own");
                    let help = "say all of it in `emit`";
                    self.error(Code::CONTRADICTING_SETTINGS, span(value.span()), message, help);
                }
            }
            return;
        }
        let direction = self.direction(scope);
        if scope.format.has_spans() && direction.is_none() {
            rule.span_actions = self.span_actions(scope);
            return;
        }
        let message = self.setting(scope, "message", Need::Required);
        let (key, missing) = match (direction, message) {
            (Some(direction), Some(message)) => {
                rule.actions.push(self.action(direction, message, scope));
                return;
            }
            (None, None) => return,
            (None, Some(_)) => ("message", "dir"),
            (Some(_), None) => ("dir", "message"),
        };
        // An error in a setting has been reported already.
        if let (Some((value, true)), None) = (scope.find(key), scope.find(missing)) {
            let (text, help) = if key == "message" {
                ("a message but no direction", "say `dir = \"!\"` or `dir = \"?\"`")
            } else {
                ("a direction but no message", "say `message = \"…\"`")
            };
            let message = format!("`{}` has {text}", rule.name);
            self.error(Code::MISSING_SETTING, span(value.span()), message, help);
        }
    }

    /// The actions of a span: a request at its start, and a reply at its end.
    fn span_actions(&mut self, scope: &Scope<'_>) -> Option<SpanActions> {
        let message = match scope.find("message") {
            Some(_) => self.setting(scope, "message", Need::Required)?,
            None => Template::field(self.fields.slot("name")),
        };
        let reply = match scope.find("reply") {
            Some((value, _)) if matches!(value.get_ref(), DeValue::Boolean(false)) => None,
            Some(_) => Some(self.setting(scope, "reply", Need::Required)?),
            None => {
                let mut pieces = message.pieces.clone();
                pieces.push(Piece::Text(" reply".to_owned()));
                Some(Template { pieces })
            }
        };
        let peer = self.setting(scope, "peer", Need::IfCaptured);
        let named = scope.find("message").is_some();
        let peers = PeerField::all(&mut self.fields);
        Some(SpanActions { message, reply, peer, peers, named })
    }

    /// An item of `emit`: `"!message"`, or a table.
    fn emitted(&mut self, item: &Value<'_>, scope: &Scope<'_>) -> Option<ActionPlan> {
        if let DeValue::Table(entries) = item.get_ref() {
            let table = Table { entries, span: span(item.span()), name: "an item of `emit`" };
            return self.emitted_table(table, scope);
        }
        let text = self.as_text(item, "emit")?;
        let direction = match text.content.chars().next() {
            Some('!') => Direction::Emission,
            Some('?') => Direction::Reception,
            _ => {
                let message =
                    format!("`{}` does not say whether it is sent or received", text.content);
                let help = "begin with `!` for sent or `?` for received";
                self.error(Code::WRONG_SETTING, text.span, message, help);
                return None;
            }
        };
        let message = self.template(&text, 1, scope, true)?;
        Some(self.action(DirectionPlan::Fixed(direction), message, scope))
    }

    /// An action with `peer` and `id` of the rule.
    fn action(
        &mut self,
        direction: DirectionPlan,
        message: Template,
        scope: &Scope<'_>,
    ) -> ActionPlan {
        let peer = self.peer(scope, scope);
        let id = self.setting(scope, "id", Need::IfCaptured);
        ActionPlan { direction, message, peer, id, lifeline: None }
    }

    /// The other side of an action: the setting `peer` of an item or of its rule, or else the
    /// capture group `peer` of the pattern, or else the capture group `to` for an emission and
    /// `from` for a reception.
    fn peer(&mut self, own: &Scope<'_>, rule: &Scope<'_>) -> PeerPlan {
        let scope = if own.find("peer").is_some() { own } else { rule };
        if scope.find("peer").is_some() {
            let peer = self.setting(scope, "peer", Need::IfCaptured);
            return PeerPlan { to: peer.clone(), from: peer };
        }
        let captured = |name: &str| Some(Template { pieces: vec![rule.capture(name)?] });
        let [to, from] = ["to", "from"].map(|side| captured("peer").or_else(|| captured(side)));
        PeerPlan { to, from }
    }

    fn emitted_table(&mut self, table: Table<'_>, scope: &Scope<'_>) -> Option<ActionPlan> {
        self.keys(table, &["dir", "message", "peer", "id", "lifeline"]);
        let own = Scope {
            rule: Some(table),
            source: table,
            groups: scope.groups.clone(),
            format: scope.format,
            name: scope.name.clone(),
        };
        let direction = self.direction(&own);
        let message = self.setting(&own, "message", Need::Required);
        // `peer` and `id` of the rule apply to items that do not have them.
        let peer = self.peer(&own, scope);
        let id = self.setting(
            if own.find("id").is_some() { &own } else { scope },
            "id",
            Need::IfCaptured,
        );
        let lifeline = self.mapped(&own, "lifeline");
        let (Some(direction), Some(message)) = (direction, message) else {
            let help = "such as `{ dir = \"!\", message = \"CONNACK\" }`";
            let message = "an action needs `dir` and `message`";
            self.error(Code::MISSING_SETTING, table.span, message, help);
            return None;
        };
        Some(ActionPlan { direction, message, peer, id, lifeline })
    }

    /// Parses `dir`: a direction, a field, or a table that maps the values of a field.
    fn direction(&mut self, scope: &Scope<'_>) -> Option<DirectionPlan> {
        let (value, own) = scope.find("dir")?;
        if value.get_ref().is_str() {
            let text = self.as_text(value, "dir")?;
            if let Some(direction) = direction(text.content.as_bytes()) {
                return Some(DirectionPlan::Fixed(direction));
            }
            if !text.content.contains('{') {
                let message = format!("`{}` is no direction", text.content);
                let help =
                    "say `!` or `send`, `?` or `receive`, or the field that tells: `\"{field}\"`";
                self.error(Code::WRONG_SETTING, text.span, message, help);
                return None;
            }
            let template = self.template(&text, 0, scope, own)?;
            return Some(DirectionPlan::From(template, Vec::new()));
        }
        if !value.get_ref().is_table() {
            let message = format!("`dir` is {}, not a direction", kind(value.get_ref()));
            let help = "say `!`, `?`, or `{ from = \"field\", map = { … } }`";
            self.error(Code::WRONG_SETTING, span(value.span()), message, help);
            return None;
        }
        let table = self.as_table(value, "dir", "`dir`")?;
        let ValueTable { template, map: texts } = self.value_table(table, scope, own)?;
        let mut map = Vec::new();
        for (key, text) in texts {
            match direction(text.content.as_bytes()) {
                Some(direction) => map.push((key, direction)),
                None => {
                    let message = format!("`{}` is no direction", text.content);
                    let help = "say `!` for sent or `?` for received";
                    self.error(Code::WRONG_SETTING, text.span, message, help);
                }
            }
        }
        Some(DirectionPlan::From(template, map))
    }
}
