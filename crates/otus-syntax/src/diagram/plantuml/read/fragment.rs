//! Fragments: `alt`, `else`, `end` and so on.
//!
//! The stack of open fragments serves to resolve `return`, to detect `critical` inside `par`, and to tell what
//! an `else` divides; nesting is checked later.

use super::{Reader, first_word};
use crate::ast::Operator;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::diagram::directive;
use crate::diagram::picture::Decoration;
use crate::diagram::plantuml::line::Line;
use crate::diagram::plantuml::text;
use crate::diagram::statement::{Fragment, Look, Separator, StatementKind};
use crate::drawing;
use crate::source::Span;

#[derive(Clone, Copy)]
pub(super) struct Opened {
    /// Whether the operands of the fragment run concurrently.
    pub(super) concurrent: bool,
    /// Whether PlantUML draws the fragment. It does not draw one that a directive opened.
    pub(super) drawn: bool,
    /// The kind of operands into which a separator divides the fragment.
    divides: Divides,
    /// The line that opened it.
    span: Span,
}

/// The operands that a fragment has by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Divides {
    Alternatives,
    Concurrent,
    Nothing,
}

impl Reader<'_> {
    pub(super) fn fragment(&mut self, line: &Line<'_>, word: &str, start: usize) {
        let rest = &line.text()[start..];
        let label = without_colours(rest);
        let label_at = line.text().len() - label.len();
        let fragment = match word {
            "alt" => Fragment::Alt,
            "opt" => Fragment::Opt,
            "par" | "par2" => Fragment::Par,
            "break" => Fragment::Break,
            "loop" => Fragment::Loop(directive::repetition(label)),
            "critical" => {
                if self.concurrent > 0 {
                    self.picture.add(Decoration::ATOMIC, line.span(0..word.len()));
                }
                Fragment::Frame
            }
            // `group opt` and `group loop 3 times` are the fragments that they name.
            _ if first_word(label) == "opt" => Fragment::Opt,
            _ if first_word(label) == "loop" => Fragment::Loop(directive::repetition(label)),
            _ => {
                // In `group strict [why]`, the second label is free text.
                let first = match label.strip_suffix(']').and_then(|label| label.find('[')) {
                    Some(second) => label[..second].trim_end(),
                    None => label,
                };
                let at = line.span(label_at..label_at + first.len()).start;
                directive::block(first, at, self.names).unwrap_or_else(|| {
                    if directive::has_fresh(first) {
                        let span = line.span(label_at..label_at + first.len());
                        let message = format!(
                            "this group is only a frame around its lines: `{first}` is free text"
                        );
                        let help = format!("write `' otus: {first}` above a `loop`");
                        self.findings.report(Code::PICTURE_ONLY, span, message, help);
                    }
                    if let Some(meant) = directive::nearly_block(first) {
                        let span = line.span(label_at..label_at + first.len());
                        let message = format!(
                            "this group is only a frame around its lines: `{first}` is free text"
                        );
                        let help = format!("did you mean `group {meant}`?");
                        self.findings.report(Code::PICTURE_ONLY, span, message, help);
                    }
                    Fragment::Frame
                })
            }
        };
        if matches!(fragment, Fragment::Alt | Fragment::Opt | Fragment::Break) && !label.is_empty()
        {
            self.picture.add(Decoration::GUARD, line.whole());
        }
        let coloured = rest.trim_start().strip_prefix('#').filter(|_| rest.len() > label.len());
        let colour = coloured.map(|_| rest.split_whitespace().next().unwrap_or("").to_owned());
        let (first, second) = match label.strip_suffix(']').and_then(|label| label.split_once('['))
        {
            Some((first, second)) if word == "group" => (first.trim_end(), second),
            _ => (label, ""),
        };
        let frame = drawing::Frame {
            keyword: word.to_owned(),
            label: text::shown(first),
            second: text::shown(second),
            colour,
            operands: Vec::new(),
        };
        self.look(line.whole(), Look::Frame(frame));
        self.enter(&fragment, line.whole(), true);
        self.push(line.whole(), StatementKind::Open(fragment));
    }

    /// `else` and `also`
    pub(super) fn separator(&mut self, line: &Line<'_>, rest: &str) {
        // PlantUML allows a separator in any fragment, and does not distinguish `also` from `else`.
        let separator = match self.fragments.last() {
            Some(Opened { divides: Divides::Alternatives, .. }) => Separator::Else,
            Some(Opened { divides: Divides::Concurrent, .. }) => Separator::And,
            Some(Opened { divides: Divides::Nothing, .. }) => {
                self.picture.add(Decoration::DIVIDED, line.whole());
                Separator::Or
            }
            None => Separator::Else,
        };
        if !without_colours(rest).is_empty() {
            self.picture.add(Decoration::GUARD, line.whole());
        }
        self.look(line.whole(), Look::Guard(text::shown(without_colours(rest))));
        self.calls.next();
        self.push(line.whole(), StatementKind::Next(separator));
    }

    pub(super) fn end_of(&mut self, line: &Line<'_>, what: &str) -> bool {
        let word = first_word(what).to_ascii_lowercase();
        match word.as_str() {
            "box" => {
                self.picture.add(Decoration::BOX, line.whole());
                self.look(line.whole(), Look::CloseBox);
            }
            "note" | "hnote" | "rnote" | "ref" | "title" | "header" | "footer" | "legend" => {
                return false;
            }
            _ => {
                self.leave();
                self.push(line.whole(), StatementKind::Close);
            }
        }
        true
    }

    pub(super) fn enter(&mut self, fragment: &Fragment, span: Span, drawn: bool) {
        let concurrent =
            matches!(fragment, Fragment::Par | Fragment::Block(Operator::Par | Operator::Coreg(_)));
        self.concurrent += usize::from(concurrent);
        if drawn {
            self.calls.open();
        }
        let divides = match fragment {
            Fragment::Alt => Divides::Alternatives,
            Fragment::Par => Divides::Concurrent,
            Fragment::Opt
            | Fragment::Loop(_)
            | Fragment::Break
            | Fragment::Frame
            | Fragment::Critical(_)
            | Fragment::Block(_)
            | Fragment::Broadcast => Divides::Nothing,
        };
        self.fragments.push(Opened { concurrent, drawn, divides, span });
    }

    /// Closes the fragments that are still open at the end of the diagram, as PlantUML does. Fragments that a
    /// directive opened stay open, which is an error.
    pub(super) fn close_all(&mut self) {
        while let Some(&Opened { drawn: true, span, .. }) = self.fragments.last() {
            self.leave();
            let message = "this fragment is never closed: it ends with the diagram";
            let found = self.findings.finding(Code::NEVER_CLOSED, span, message);
            let found = found.with_help("write `end` after its last line");
            self.findings.push(Diagnostic { severity: Severity::Warning, ..found });
            self.push(span, StatementKind::Close);
        }
    }

    pub(super) fn leave(&mut self) {
        if let Some(opened) = self.fragments.pop() {
            self.concurrent -= usize::from(opened.concurrent);
            if opened.drawn {
                self.calls.close();
            }
        }
    }
}

/// The label of `alt#Gold #LightBlue label`, without the colours.
fn without_colours(text: &str) -> &str {
    let mut rest = text;
    for _ in 0..2 {
        if let Some(colour) = rest.trim_start().strip_prefix('#') {
            let length = colour.find(|c: char| c != '_' && !c.is_alphanumeric());
            let after = &colour[length.unwrap_or(colour.len())..];
            if after.is_empty() || after.starts_with(char::is_whitespace) || after.starts_with('#')
            {
                rest = after;
            }
        }
    }
    rest.trim()
}
