//! The messages of a diagram, from its arrows.

use std::ops::Range;

use super::Reader;
use crate::code::Code;
use crate::diagram::plantuml::arrow::{self, Activation, Arrow, Reading, Side};
use crate::diagram::plantuml::calls::Call;
use crate::diagram::plantuml::decoration::Decoration;
use crate::diagram::plantuml::line::Line;
use crate::diagram::plantuml::text;
use crate::diagram::statement::{End, StatementKind};
use crate::name::Name;

impl Reader<'_> {
    pub(super) fn arrow(&mut self, line: &Line<'_>) -> bool {
        match arrow::read(line.text()) {
            Reading::Arrow(arrow) => self.message(line, &arrow),
            Reading::Both(place) => self.unsupported(
                line.span(trimmed(line.text(), place)),
                "an arrow with two heads stands for two messages whose order it does not say",
                "write two arrows, `A -> B : m` and `B -> A : m`, inside `par` if their order is open",
            ),
            Reading::Unclear(place) => self.unsupported(
                line.span(trimmed(line.text(), place)),
                "versions of PlantUML disagree on which way this arrow points",
                "write `->x` or `x<-` to say which end is the target",
            ),
            Reading::Multicast(place) => self.unsupported(
                line.span(trimmed(line.text(), place)),
                "one arrow to several targets does not say how they receive it",
                "write `group broadcast`, one arrow to each target, and `end`",
            ),
            Reading::Headless(place) => {
                let message = "this line between participants has no arrow head";
                let span = line.span(trimmed(line.text(), place));
                self.report(Code::LINE_NOT_UNDERSTOOD, span, message, "write `->` for a message, `-->` for a reply");
            }
            Reading::Duration => self.picture.add(Decoration::Anchor, line.whole()),
            Reading::Other => return false,
        }
        true
    }

    fn message(&mut self, line: &Line<'_>, arrow: &Arrow) {
        let (from, to) = (self.end(line, &arrow.from), self.end(line, &arrow.to));
        if line.text().starts_with('{') {
            self.picture.add(Decoration::Anchor, line.whole());
        }
        if arrow.crossed {
            self.picture.add(Decoration::Cross, line.whole());
        }
        let label = arrow.label.clone().unwrap_or(line.text().len()..line.text().len());
        let text = text::decode(&line.text()[label.clone()]);
        if text.is_empty() {
            let span = if label.is_empty() { line.whole() } else { line.span(label) };
            self.report(
                Code::EMPTY_NAME,
                span,
                "this arrow has no message",
                "name the message after a colon: `A -> B : request`",
            );
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
                    Decoration::Activation
                }
                Activation::Deactivate => {
                    self.calls.deactivate();
                    Decoration::Activation
                }
                Activation::Create => Decoration::Create,
                Activation::Destroy => Decoration::Destroy,
            };
            self.picture.add(decoration, line.whole());
        }
    }

    fn end(&mut self, line: &Line<'_>, side: &Side) -> End {
        match side {
            Side::Outside => End::Environment,
            Side::Participant(participant) => {
                let name = self.name(line, participant);
                let known = self.declared.get(name.symbol.index()).copied().unwrap_or(false);
                if let Some(label) = &participant.label
                    && !known
                {
                    let label = text::decode(&line.text()[label.clone()]).into_owned();
                    self.declare(line.span(participant.place.clone()), name, Some(label));
                }
                End::Lifeline(name)
            }
        }
    }
}

/// A range without surrounding white space.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}
