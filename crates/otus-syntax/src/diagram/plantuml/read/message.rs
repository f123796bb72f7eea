//! The messages of a diagram, from its arrows and from `return`.

use std::ops::Range;

use super::Reader;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::diagram::UNNAMED;
use crate::diagram::picture::Decoration;
use crate::diagram::plantuml::arrow::{self, Activation, Arrow, Participant, Reading};
use crate::diagram::plantuml::calls::Call;
use crate::diagram::plantuml::line::Line;
use crate::diagram::plantuml::text;
use crate::diagram::statement::{Course, Fragment, Look, Mark, Message, Statement, StatementKind};
use crate::diagram::values;
use crate::drawing;
use crate::grammar::interaction::guard::Draft;
use crate::name::Name;
use crate::source::Span;

impl Reader<'_> {
    pub(super) fn arrow(&mut self, line: &Line<'_>) -> bool {
        match arrow::read(line.text()) {
            Reading::Arrow(arrow) => self.message(line, &arrow),
            Reading::Headless(place) => {
                let message = "this line between participants has no arrow head";
                let span = line.span(trimmed(line.text(), place));
                let help = "write `->` for a message, `-->` for a reply";
                self.findings.report(Code::LINE_NOT_UNDERSTOOD, span, message, help);
            }
            Reading::Duration => self.duration(line),
            Reading::Other => return false,
        }
        true
    }

    fn message(&mut self, line: &Line<'_>, arrow: &Arrow) {
        let (from, to) = self.ends(line, arrow);
        if arrow.hidden {
            self.picture.add(Decoration::HIDDEN, line.whole());
            let ends = [from, to].into_iter().flatten().collect();
            self.push(line.whole(), StatementKind::Lifelines(ends));
            return;
        }
        let label = arrow.label.clone().unwrap_or(line.text().len()..line.text().len());
        let (body, guard) = self.without_guard(line, label.clone());
        let message = self.message_name(line, body.clone());
        let written = |range: &Range<usize>| line.text()[range.clone()].to_owned();
        self.anchor(line);
        if !guard.is_empty() {
            self.push(line.whole(), StatementKind::Mark(Mark::Guard(guard.clone())));
        }
        let look = drawing::Arrow {
            text: text::shown(&written(&body)),
            guard: text::shown(line.text()[body.end..label.end].trim()),
            dotted: arrow.dotted,
            head: arrow.head,
            colour: arrow.colour.as_ref().map(written),
            ..drawing::Arrow::default()
        };
        self.look(line.whole(), Look::Arrow(look));
        self.courses(line, arrow, Message::new(from, to, message), &guard);
        self.calls.message(Call { from, to });
        if arrow.activations.is_empty() {
            if self.calls.automatic && !arrow.lost && !arrow.crossed {
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
                    if let Some(lifeline) = to {
                        self.mark(line, drawing::Mark::Activate { lifeline, colour: None });
                    }
                    Decoration::ACTIVATION
                }
                Activation::Deactivate => {
                    self.calls.deactivate();
                    self.mark(line, drawing::Mark::Deactivate(from));
                    Decoration::ACTIVATION
                }
                Activation::Create => {
                    if let Some(lifeline) = to {
                        // The lifeline begins with this arrow, so the mark is placed before the
                        // arrow.
                        let mark = StatementKind::Look(Look::Mark(drawing::Mark::Create(lifeline)));
                        let at = self.statements.len().saturating_sub(2);
                        self.statements.insert(at, Statement { span: line.whole(), kind: mark });
                    }
                    Decoration::CREATE
                }
                Activation::Destroy => {
                    if let Some(lifeline) = to {
                        self.mark(line, drawing::Mark::Destroy(lifeline));
                    }
                    Decoration::DESTROY
                }
            };
            self.picture.add(decoration, line.whole());
        }
    }

    /// The sender and the receiver. The one at the left of the arrow is declared first.
    fn ends(&mut self, line: &Line<'_>, arrow: &Arrow) -> (Option<Name>, Option<Name>) {
        let place = |end: Option<&Participant>| end.map(|end| end.place.start);
        let (from, to) = (arrow.from.as_ref(), arrow.to.as_ref());
        let is_reversed = to.is_some() && place(to) < place(from);
        let (left, right) = if is_reversed { (to, from) } else { (from, to) };
        let left = self.end(line, left);
        // A label declares its participant, and spans of expanded lines do not tell the order.
        let is_unclear =
            right.is_some_and(|right| right.label.is_some()) || is_reversed && line.is_expanded();
        if let Some(left) = left.filter(|_| is_unclear) {
            self.push(line.whole(), StatementKind::Lifelines(vec![left]));
        }
        let right = self.end(line, right);
        if is_reversed { (right, left) } else { (left, right) }
    }

    /// The messages of an arrow: one, one each way, or a broadcast.
    fn courses(&mut self, line: &Line<'_>, arrow: &Arrow, message: Message, guard: &[Draft]) {
        let span = line.whole();
        if arrow.lost && message.to.is_some() {
            self.picture.add(Decoration::LOST, span);
        }
        if !arrow.others.is_empty() {
            self.picture.add(Decoration::MULTICAST, span);
            // The block opens before the guard and the look of its first arrow.
            let is_own = |statement: &Statement| {
                matches!(
                    statement.kind,
                    StatementKind::Mark(Mark::Guard(_)) | StatementKind::Look(Look::Arrow(_))
                )
            };
            let at = self.statements.iter().rposition(|it| !is_own(it)).map_or(0, |at| at + 1);
            let kind = StatementKind::Open(Fragment::Broadcast);
            self.statements.insert(at, Statement { span, kind });
            self.push(span, StatementKind::Message(message));
            for other in &arrow.others {
                let to = self.end(line, Some(other));
                if !guard.is_empty() {
                    self.push(span, StatementKind::Mark(Mark::Guard(guard.to_vec())));
                }
                self.push(span, StatementKind::Message(Message { to, ..message }));
            }
            self.push(span, StatementKind::Close);
            return;
        }
        let course = |lost| if lost { Course::Lost } else { Course::Arrives };
        let forth = Message { course: course(arrow.lost), ..message };
        if !arrow.both {
            if arrow.crossed && message.from.is_some() {
                self.picture.add(Decoration::CROSS, span);
            }
            self.push(span, StatementKind::Message(forth));
            return;
        }
        // A message from a participant to itself has only one direction.
        let is_local = message.from.is_some()
            && message.from.map(|end| end.symbol) == message.to.map(|end| end.symbol);
        if !is_local {
            self.picture.add(Decoration::BOTH, span);
        }
        if is_local || (!arrow.lost && !arrow.crossed) {
            let both = Message { course: Course::BothWays, ..message };
            self.push(span, StatementKind::Message(both));
            return;
        }
        let back = Message {
            from: message.to,
            to: message.from,
            course: course(arrow.crossed),
            ..message
        };
        self.push(span, StatementKind::Message(forth));
        if !guard.is_empty() {
            self.push(span, StatementKind::Mark(Mark::Guard(guard.to_vec())));
        }
        self.push(span, StatementKind::Mark(Mark::Beside));
        self.push(span, StatementKind::Message(back));
    }

    /// The name of a message, from the text after the colon.
    fn message_name(&mut self, line: &Line<'_>, label: Range<usize>) -> Name {
        let text = text::name(&line.text()[label.clone()]);
        if text.is_empty() {
            self.picture.add(Decoration::UNNAMED, line.whole());
            return Name { symbol: self.names.intern(UNNAMED), span: line.whole() };
        }
        Name { symbol: self.names.intern(&text), span: line.span(label) }
    }

    /// A label without the guard at its end, and the guard.
    fn without_guard(
        &mut self,
        line: &Line<'_>,
        label: Range<usize>,
    ) -> (Range<usize>, Vec<Draft>) {
        let written = &line.text()[label.clone()];
        let Some(part) = values::part(written, text::name) else { return (label, Vec::new()) };
        let text = text::name(&written[part.clone()]);
        let span = line.span(label.start + part.start..label.start + part.end);
        if !self.has_values {
            if values::is_guard(&text) {
                self.suspects.add(span);
            }
            return (label, Vec::new());
        }
        let is_literal = *text == written[part.clone()] && span.len() as usize == part.len();
        let guard = values::read(&text, span, is_literal, self.names, self.findings);
        (label.start..label.start + written[..part.start].trim_end().len(), guard)
    }

    /// The lifeline at one end of an arrow.
    fn end(&mut self, line: &Line<'_>, side: Option<&Participant>) -> Option<Name> {
        let participant = side?;
        let name = self.name(line, participant);
        let known = self.declared.get(name.symbol.index()).copied().unwrap_or(false);
        if let Some(label) = &participant.label
            && !known
        {
            let label = text::shown(&line.text()[label.clone()]);
            self.declare(line.span(participant.place.clone()), name, Some(label));
        }
        Some(name)
    }

    /// `return`: the arrow that answers a call, which [`Calls`](super::Calls) determines.
    pub(super) fn reply(&mut self, line: &Line<'_>, start: usize) {
        let rest = &line.text()[start..];
        let mut label = rest.trim();
        // In `return #red ok` the first word is a colour. If there is only one word, it is the
        // message.
        if label.starts_with('#')
            && let Some((_, message)) = label.split_once(char::is_whitespace)
        {
            label = message.trim_start();
        }
        let label = line.text().len() - label.len()..line.text().len();
        let call = match self.calls.reply() {
            Ok(call) => call,
            Err([None, None]) => {
                let message = "there is no call before this `return` that it could answer";
                let help = "put it after the arrow it answers, or write the reply as an arrow: `B --> A : ok`";
                self.findings.report(Code::RETURN_WITHOUT_CALL, line.span(0..start), message, help);
                return;
            }
            Err([drawn, operand]) => {
                self.disputed(line.span(0..start), drawn, operand, &line.text()[label.clone()]);
                let Some(call) = operand.or(drawn) else { return };
                self.calls.answer(call);
                call
            }
        };
        let (body, guard) = self.without_guard(line, label.clone());
        let look = drawing::Arrow {
            text: text::shown(&line.text()[body.clone()]),
            guard: text::shown(line.text()[body.end..label.end].trim()),
            dotted: true,
            ..drawing::Arrow::default()
        };
        let message = self.message_name(line, body);
        if !guard.is_empty() {
            self.push(line.whole(), StatementKind::Mark(Mark::Guard(guard)));
        }
        self.look(line.whole(), Look::Arrow(look));
        let reply = Message::new(call.to, call.from, message);
        self.push(line.whole(), StatementKind::Message(reply));
        self.mark(line, drawing::Mark::Deactivate(call.to));
    }

    fn disputed(&mut self, span: Span, drawn: Option<Call>, operand: Option<Call>, label: &str) {
        let shown = |call: Option<Call>| {
            call.map(|call| format!("{} --> {}", self.end_text(call.to), self.end_text(call.from)))
        };
        let picture = match shown(drawn) {
            Some(arrow) => format!("PlantUML draws it as `{arrow}`"),
            None => String::from("PlantUML refuses it"),
        };
        let label = if label.is_empty() { "ok" } else { label };
        let arrow = shown(operand.or(drawn)).unwrap_or_default();
        let help =
            format!("it is read as `{arrow} : {label}`; write that arrow, or the one you mean");
        let message =
            format!("the call of this `return` was answered in another operand; {picture}");
        let found = self.findings.finding(Code::RETURN_WITHOUT_CALL, span, message);
        self.findings.push(Diagnostic { severity: Severity::Warning, ..found.with_help(help) });
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
