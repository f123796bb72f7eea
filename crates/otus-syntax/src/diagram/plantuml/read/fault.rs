//! Diagnostics about lines without a meaning, with suggestions.

use super::{Reader, first_word};
use crate::code::Code;
use crate::diagram::plantuml::line::Line;
use crate::diagram::plantuml::words;
use crate::source::Span;
use crate::suggest;

/// The most syntax errors that are reported; further ones usually have the same cause.
const MAX_NOT_UNDERSTOOD: usize = 50;

impl Reader<'_> {
    pub(super) fn unsupported(&mut self, span: Span, message: &str, help: &str) {
        self.report(Code::UNSUPPORTED_CONSTRUCT, span, message, help);
    }

    pub(super) fn line_not_understood(&mut self, line: &Line<'_>) {
        let text = line.text();
        let word = first_word(text);
        let foreign = words::is_foreign(word)
            || ["[*]", "(*)", "(", ":"].iter().any(|sign| text.starts_with(sign));
        if foreign {
            let length = if word.is_empty() { text.len().min(1) } else { word.len() };
            let message = "this line belongs to another kind of diagram";
            self.report(
                Code::NOT_A_DIAGRAM,
                line.span(0..length),
                message,
                "Otus reads sequence diagrams: participants, arrows and fragments",
            );
            self.other_diagram = true;
            return;
        }
        self.not_understood += 1;
        if self.not_understood > MAX_NOT_UNDERSTOOD {
            if self.not_understood == MAX_NOT_UNDERSTOOD + 1 {
                let message = "further lines that are not understood are not reported";
                self.report(
                    Code::TOO_MANY_ERRORS,
                    line.whole(),
                    message,
                    "is this a PlantUML sequence diagram?",
                );
            }
            return;
        }
        let help = if text.contains("->") || text.contains("<-") {
            String::from(
                "an arrow is written `A -> B : message`, or `A ->] : message` and \
                 `[-> A : message` to and from outside; quote a name that has other characters \
                 than letters, digits, `_`, `.` and `@`",
            )
        } else {
            let lower = word.to_ascii_lowercase();
            if words::is_participant_kind(&lower) || lower == "create" {
                format!(
                    "write `{lower} NAME` or `{lower} \"what it shows\" as NAME`; quote a name that \
                     has other characters than letters, digits, `_`, `.` and `@`"
                )
            } else if lower == "and" {
                String::from("in PlantUML, `else` separates the operands of `par` too")
            } else if words::commands().any(|command| command == lower) {
                format!("PlantUML has lines that begin with `{lower}`, but not this one")
            } else {
                suggest::did_you_mean(&lower, words::commands()).unwrap_or_else(|| {
                    String::from(
                        "a message is written `A -> B : message`, a comment begins with `'`",
                    )
                })
            }
        };
        let message = "this line is not understood";
        self.report(Code::LINE_NOT_UNDERSTOOD, line.whole(), message, help);
    }
}
