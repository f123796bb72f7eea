//! `return`: the arrow that answers a call.
//!
//! Which call that is, [`calls`](crate::diagram::plantuml::calls) knows.

use super::Reader;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
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
        // `return #red ok`; a word alone that looks like a colour is the message.
        if label.starts_with('#')
            && let Some((_, message)) = label.split_once(char::is_whitespace)
        {
            label = message.trim_start();
        }
        let span = line.span(line.text().len() - label.len()..line.text().len());
        let call = match self.calls.reply() {
            Reply::To(call) => call,
            Reply::Nowhere => {
                self.diagnostics.push(
                    Diagnostic::new(
                        Code::RETURN_WITHOUT_CALL,
                        self.source,
                        line.span(0..start),
                        "there is no call before this `return` that it could answer",
                    )
                    .with_help("put it after the arrow it answers, or write the reply as an arrow: `B --> A : ok`"),
                );
                return;
            }
            Reply::Disputed(drawn, operand) => {
                self.disputed(line.span(0..start), drawn, operand, label);
                return;
            }
        };
        if label.is_empty() {
            self.diagnostics.push(
                Diagnostic::new(
                    Code::EMPTY_NAME,
                    self.source,
                    line.whole(),
                    "this `return` has no message",
                )
                .with_help("name the reply: `return ok`"),
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
        self.diagnostics.push(
            Diagnostic::new(Code::RETURN_WITHOUT_CALL, self.source, span, message).with_help(help),
        );
    }

    fn end_text(&self, end: End) -> &str {
        match end {
            End::Lifeline(name) => self.names.text(name.symbol),
            End::Environment => "]",
        }
    }
}
