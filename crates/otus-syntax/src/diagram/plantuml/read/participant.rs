//! Participants: declarations, names, activation and destruction.

use std::ops::Range;

use super::skip::Until;
use super::{Reader, first_word};
use crate::diagram::picture::Decoration;
use crate::diagram::plantuml::arrow::{self, Participant};
use crate::diagram::plantuml::line::Line;
use crate::diagram::plantuml::text;
use crate::diagram::statement::{Look, StatementKind};
use crate::drawing::{Head, HeadKind, Mark};
use crate::name::Name;
use crate::source::Span;

/// The text of a stereotype without its spot: `Testable` of `(C,#ADD1B2) Testable`.
fn without_spot(text: &str) -> &str {
    let text = text.trim();
    let after = text.strip_prefix('(').and_then(|inside| Some(&inside[inside.find(')')? + 1..]));
    after.map_or(text, str::trim_start)
}

impl Reader<'_> {
    /// `NAME`, `"Long" as NAME`, `NAME as "Long"`, `LABEL as NAME`, and decorations.
    pub(super) fn participant(&mut self, line: &Line<'_>, start: usize) -> bool {
        let part = line.part(start..line.text().len());
        let text = part.text();
        let Some(first) = arrow::name(text) else { return false };
        let mut rest = text[first.place.end..].trim_start();
        let mut declared = first.clone();
        let mut label = None;
        if first_word(rest).eq_ignore_ascii_case("as") {
            let after = rest[2..].trim_start();
            let at = text.len() - after.len();
            let shifted = |range: Range<usize>| at + range.start..at + range.end;
            if let Some(second) = arrow::name(after) {
                rest = after[second.place.end..].trim_start();
                if second.quoted {
                    if first.quoted {
                        return false;
                    }
                    label = Some(text::shown(&text[shifted(second.name)]));
                } else {
                    label = Some(text::shown(&text[first.name]));
                    declared = Participant {
                        name: shifted(second.name),
                        place: shifted(second.place),
                        ..second
                    };
                }
            } else {
                return false;
            }
        }
        let (mut multiple_lines, mut ordered) = (false, None);
        let (mut stereotype, mut colour) = (None, None);
        while !rest.is_empty() {
            let length = if rest.starts_with("<<") {
                let length = rest.find(">>").map(|length| length + 2);
                let inside = length.map(|length| without_spot(&rest[2..length - 2]));
                if let Some(inside) = inside.filter(|inside| !inside.is_empty()) {
                    let known: Option<String> = stereotype.take();
                    stereotype = Some(match known {
                        Some(known) => format!("{known}, {inside}"),
                        None => inside.to_owned(),
                    });
                }
                length
            } else if rest.starts_with("[[") {
                rest.find("]]").map(|length| length + 2)
            } else if rest.starts_with('#') {
                let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
                colour = Some(rest[..length].to_owned());
                Some(length)
            } else if rest == "[" {
                multiple_lines = true;
                Some(1)
            } else if first_word(rest).eq_ignore_ascii_case("order") {
                let number = rest[5..].trim_start();
                let digits = number.strip_prefix('-').unwrap_or(number);
                let length = digits.bytes().take_while(u8::is_ascii_digit).count();
                ordered = number[..number.len() - digits.len() + length].parse().ok();
                (length > 0).then_some(rest.len() - digits.len() + length)
            } else {
                None
            };
            let Some(length) = length else { return false };
            rest = rest[length..].trim_start();
        }
        if ordered.is_some() {
            self.picture.add(Decoration::ORDER, line.whole());
        }
        let name = self.name(&part, &declared);
        let words = line.text()[..start].split_whitespace();
        let kind = words.filter_map(HeadKind::from_word).next_back().unwrap_or_default();
        let head = Head { lifeline: name, kind, stereotype, colour, order: ordered };
        self.look(line.whole(), Look::Head(head));
        if multiple_lines {
            self.skip_until(line, Until::Label { name, lines: Vec::new() });
        } else {
            self.declare(line.whole(), name, label);
        }
        if first_word(line.text()).eq_ignore_ascii_case("create") {
            self.mark(line, Mark::Create(name));
        }
        true
    }

    pub(super) fn declare(&mut self, span: Span, name: Name, label: Option<String>) {
        let index = name.symbol.index();
        if self.declared.len() <= index {
            self.declared.resize(index + 1, false);
        }
        self.declared[index] = true;
        let label = label.filter(|label| label != self.names.text(name.symbol));
        self.push(span, StatementKind::Participant { name, label });
    }

    pub(super) fn name(&mut self, line: &Line<'_>, participant: &Participant) -> Name {
        let written = &line.text()[participant.name.clone()];
        let symbol = if participant.quoted {
            self.names.intern(&text::name(written))
        } else {
            self.names.intern(written)
        };
        Name { symbol, span: line.span(participant.place.clone()) }
    }

    /// `activate B #red`
    pub(super) fn life(&mut self, line: &Line<'_>, word: &str, rest: &str) -> bool {
        // Only `deactivate` may omit the participant.
        let named = arrow::name(rest);
        let tail = match &named {
            Some(name) => rest[name.place.end..].trim_start(),
            None if rest.is_empty() && word == "deactivate" => "",
            None => return false,
        };
        if !tail.is_empty() && (!tail.starts_with('#') || tail.contains(char::is_whitespace)) {
            return false;
        }
        match word {
            "activate" => self.calls.activate(),
            "deactivate" => self.calls.deactivate(),
            _ => {}
        }
        let decoration =
            if word == "destroy" { Decoration::DESTROY } else { Decoration::ACTIVATION };
        self.picture.add(decoration, line.whole());
        let part = line.part(line.text().len() - rest.len()..line.text().len());
        let lifeline = named.map(|name| self.name(&part, &name));
        let mark = match (word, lifeline) {
            ("activate", Some(lifeline)) => {
                // It declares its participant, unlike Mermaid's.
                self.push(line.whole(), StatementKind::Lifelines(vec![lifeline]));
                let colour = (!tail.is_empty()).then(|| tail.to_owned());
                Mark::Activate { lifeline, colour }
            }
            ("destroy", Some(lifeline)) => Mark::Destroy(lifeline),
            (_, lifeline) => Mark::Deactivate(lifeline),
        };
        self.mark(line, mark);
        true
    }
}
