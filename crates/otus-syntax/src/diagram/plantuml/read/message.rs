//! The messages of a diagram, from its arrows and from `return`.

use std::ops::Range;

use super::Reader;
use crate::code::Code;
use crate::diagram::picture::Decoration;
use crate::diagram::plantuml::arrow::{self, Activation, Arrow, Participant, Reading};
use crate::diagram::plantuml::calls::Call;
use crate::diagram::plantuml::line::Line;
use crate::diagram::plantuml::text;
use crate::diagram::statement::StatementKind;
use crate::name::Name;
use crate::source::Span;

impl Reader<'_> {
    pub(super) fn arrow(&mut self, line: &Line<'_>) -> bool {
        let (place, message, help) = match arrow::read(line.text()) {
            Reading::Arrow(arrow) => {
                self.message(line, &arrow);
                return true;
            }
            Reading::Both(place) => (
                place,
                "an arrow with two heads stands for two messages whose order it does not say",
                "write two arrows, `A -> B : m` and `B -> A : m`, inside `par` if their order is open",
            ),
            Reading::Unclear(place) => (
                place,
                "versions of PlantUML disagree on which way this arrow points",
                "write `->x` or `x<-` to say which end is the target",
            ),
            Reading::Multicast(place) => (
                place,
                "one arrow to several targets does not say how they receive it",
                "write `group broadcast`, one arrow to each target, and `end`",
            ),
            Reading::Headless(place) => {
                let message = "this line between participants has no arrow head";
                let span = line.span(trimmed(line.text(), place));
                let help = "write `->` for a message, `-->` for a reply";
                self.findings.report(Code::LINE_NOT_UNDERSTOOD, span, message, help);
                return true;
            }
            Reading::Duration => {
                self.picture.add(Decoration::ANCHOR, line.whole());
                return true;
            }
            Reading::Other => return false,
        };
        self.unsupported(line.span(trimmed(line.text(), place)), message, help);
        true
    }

    fn message(&mut self, line: &Line<'_>, arrow: &Arrow) {
        let (from, to) = (self.end(line, arrow.from.as_ref()), self.end(line, arrow.to.as_ref()));
        if line.text().starts_with('{') {
            self.picture.add(Decoration::ANCHOR, line.whole());
        }
        if arrow.crossed {
            self.picture.add(Decoration::CROSS, line.whole());
        }
        let label = arrow.label.clone().unwrap_or(line.text().len()..line.text().len());
        let text = text::decode(&line.text()[label.clone()]);
        if text.is_empty() {
            let span = if label.is_empty() { line.whole() } else { line.span(label) };
            let help = "name the message after a colon: `A -> B : request`";
            self.findings.report(Code::EMPTY_NAME, span, "this arrow has no message", help);
        } else {
            let message = Name { symbol: self.names.intern(&text), span: line.span(label) };
            self.push(line.whole(), StatementKind::Message { from, to, message });
        }
        self.calls.message(Call { from, to });
        if arrow.activations.is_empty() {
            if self.calls.automatic && !arrow.crossed {
                if arrow.dotted {
                    self.calls.deactivate();
                } else {
                    self.calls.activate();
                }
            }
            return;
        }
        for activation in &arrow.activations {
            let decoration = match activation {
                Activation::Activate => {
                    self.calls.activate();
                    Decoration::ACTIVATION
                }
                Activation::Deactivate => {
                    self.calls.deactivate();
                    Decoration::ACTIVATION
                }
                Activation::Create => Decoration::CREATE,
                Activation::Destroy => Decoration::DESTROY,
            };
            self.picture.add(decoration, line.whole());
        }
    }

    /// The lifeline at one end of an arrow.
    fn end(&mut self, line: &Line<'_>, side: Option<&Participant>) -> Option<Name> {
        let participant = side?;
        let name = self.name(line, participant);
        let known = self.declared.get(name.symbol.index()).copied().unwrap_or(false);
        if let Some(label) = &participant.label
            && !known
        {
            let label = text::decode(&line.text()[label.clone()]).into_owned();
            self.declare(line.span(participant.place.clone()), name, Some(label));
        }
        Some(name)
    }

    /// `return`: the arrow that answers a call, which [`Calls`](super::Calls) determines.
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
            Ok(call) => call,
            Err([None, None]) => {
                let message = "there is no call before this `return` that it could answer";
                let help = "put it after the arrow it answers, or write the reply as an arrow: `B --> A : ok`";
                self.findings.report(Code::RETURN_WITHOUT_CALL, line.span(0..start), message, help);
                return;
            }
            Err([drawn, operand]) => {
                self.disputed(line.span(0..start), drawn, operand, label);
                return;
            }
        };
        if label.is_empty() {
            let message = "this `return` has no message";
            let help = "name the reply: `return ok`";
            self.findings.report(Code::EMPTY_NAME, line.whole(), message, help);
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
        self.findings.report(Code::RETURN_WITHOUT_CALL, span, message, help);
    }

    fn end_text(&self, end: Option<Name>) -> &str {
        match end {
            Some(name) => self.names.text(name.symbol),
            None => "]",
        }
    }
}

/// A range without surrounding white space.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}
