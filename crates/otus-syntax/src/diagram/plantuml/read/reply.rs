//! `return`: the arrow that answers a call, which [`calls`](crate::diagram::plantuml::calls) determines.

use super::Reader;
use crate::code::Code;
use crate::diagram::plantuml::calls::{Call, Reply};
use crate::diagram::plantuml::line::Line;
use crate::diagram::plantuml::text;
use crate::diagram::statement::{End, StatementKind};
use crate::name::Name;
use crate::source::Span;

impl Reader<'_> {
    pub(super) fn reply(&mut self, line: &Line<'_>, start: usize) {
        let rest = &line.text()[start..];
        let mut label = rest.trim();
        // In `return #red ok`, the first word is a colour; a single word is the message.
        if label.starts_with('#')
            && let Some((_, message)) = label.split_once(char::is_whitespace)
        {
            label = message.trim_start();
        }
        let span = line.span(line.text().len() - label.len()..line.text().len());
        let call = match self.calls.reply() {
            Reply::To(call) => call,
            Reply::Nowhere => {
                self.report(Code::RETURN_WITHOUT_CALL, line.span(0..start), "there is no call before this `return` that it could answer", "put it after the arrow it answers, or write the reply as an arrow: `B --> A : ok`");
                return;
            }
            Reply::Disputed(drawn, operand) => {
                self.disputed(line.span(0..start), drawn, operand, label);
                return;
            }
        };
        if label.is_empty() {
            self.report(
                Code::EMPTY_NAME,
                line.whole(),
                "this `return` has no message",
                "name the reply: `return ok`",
            );
            return;
        }
        let message = Name { symbol: self.names.intern(&text::decode(label)), span };
        let kind = StatementKind::Message { from: call.to, to: call.from, message };
        self.push(line.whole(), kind);
    }

    fn disputed(&mut self, span: Span, drawn: Option<Call>, operand: Option<Call>, label: &str) {
        let shown = |call: Option<Call>| {
            call.map(|call| format!("{} --> {}", self.end_text(call.to), self.end_text(call.from)))
        };
        let drawn = match shown(drawn) {
            Some(arrow) => format!("PlantUML draws it as `{arrow}`"),
            None => String::from("PlantUML refuses it"),
        };
        let label = if label.is_empty() { "ok" } else { label };
        let help = match shown(operand) {
            Some(arrow) => format!("write the reply as an arrow: `{arrow} : {label}`"),
            None => format!("write the reply as an arrow: `B --> A : {label}`"),
        };
        let message = format!("the call of this `return` was answered in another operand; {drawn}");
        self.report(Code::RETURN_WITHOUT_CALL, span, message, help);
    }

    fn end_text(&self, end: End) -> &str {
        match end {
            End::Lifeline(name) => self.names.text(name.symbol),
            End::Environment => "]",
        }
    }
}
