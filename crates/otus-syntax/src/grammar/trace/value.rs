//! The values of events: `(mid=7, topic="a/b", time=12.5)` behind an action.

use super::Reader;
use crate::ast::TraceValue;
use crate::ast::guard::Literal;
use crate::code::Code;
use crate::excerpt::printable;
use crate::lexer::{scan_quoted, scan_word, unquote};
use crate::rational::Rational;
use crate::source::{Span, offset};

impl Reader<'_> {
    /// `values?` behind an event; the reader is behind its action.
    pub(super) fn values(&mut self) {
        self.skip_trivia();
        if self.peek() != Some(b'(') {
            return;
        }
        let open = self.at;
        self.at += 1;
        let first = self.tree.values.len();
        loop {
            self.skip_trivia();
            match self.peek() {
                Some(b')') => {
                    self.at += 1;
                    self.skip_trivia();
                    return;
                }
                Some(b',') => self.at += 1,
                None | Some(b';' | b'.' | b'[' | b']' | b'{' | b'}') => {
                    self.unclosed(open, ')');
                    return;
                }
                Some(_) => {
                    if self.value(first).is_none() {
                        self.recover_value();
                    }
                }
            }
        }
    }

    /// `name '=' value`; `None` after a fault, which is reported. `first` is the first value of the event.
    fn value(&mut self, first: usize) -> Option<()> {
        let Some(field) = self.name() else {
            self.bad_value("a field such as `mid=7`");
            return None;
        };
        self.skip_trivia();
        if self.peek() != Some(b'=') {
            self.bad_value("`=` and a value behind the field");
            return None;
        }
        self.at += 1;
        self.skip_trivia();
        let start = self.at;
        let value = self.literal()?;
        let span = Span::new(offset(start), offset(self.at));
        let same = |known: &&TraceValue| known.field.symbol == field.symbol;
        if let Some(known) = self.tree.values[first..].iter().find(same) {
            let name = self.tree.names.text(field.symbol);
            let message = format!("this event has two values of `{name}`");
            let found = self.findings.finding(Code::BAD_VALUE, field.span, message);
            let found = found.with_related(self.source.id(), known.field.span, "the first one");
            self.findings.push(found.with_help("an event has one value of a field; leave one out"));
            return Some(());
        }
        let occurrence = offset(self.tree.occurrences.len().saturating_sub(1));
        self.tree.values.push(TraceValue { occurrence, field, value, span });
        Some(())
    }

    /// `value`; the outer `None` is a fault, which is reported.
    #[expect(clippy::option_option, reason = "a fault differs from `null`")]
    fn literal(&mut self) -> Option<Option<Literal>> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => {
                let end = scan_quoted(self.text, start);
                self.at = end.end;
                let span = Span::new(offset(start), offset(end.end));
                if !end.closed {
                    self.findings.open_quote(span);
                    return None;
                }
                return Some(Some(Literal::Text(unquote(self.source.slice(span)).into())));
            }
            Some(b'-' | b'0'..=b'9') => return self.number().map(Some),
            _ => {}
        }
        let end = scan_word(self.text, start);
        let value = match &self.text[start..end] {
            "true" => Some(Literal::Boolean(true)),
            "false" => Some(Literal::Boolean(false)),
            "null" => None,
            _ => {
                self.bad_value("a value");
                return None;
            }
        };
        self.at = end;
        Some(value)
    }

    /// `'-'? digits ('.' digits)? (('e' | 'E') sign? digits)?`, or a fraction such as `1/3`.
    fn number(&mut self) -> Option<Literal> {
        let start = self.at;
        let mut at = start + usize::from(self.bytes[start] == b'-');
        at = scan_word(self.text, at);
        for separator in [b'.', b'/'] {
            let is_digit = self.bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
            if self.bytes.get(at) == Some(&separator) && is_digit {
                at = scan_word(self.text, at + 1);
            }
        }
        // The exponent is a part of the word before it, up to its sign.
        if matches!(self.bytes.get(at), Some(b'+' | b'-'))
            && matches!(self.bytes[at - 1], b'e' | b'E')
        {
            at = scan_word(self.text, at + 1);
        }
        let text = &self.text[start..at];
        if let Some(number) = Rational::parse(text) {
            self.at = at;
            return Some(Literal::Number(number));
        }
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || b"-+.eE/".contains(&byte));
        if is_number && text.len() > 1 && !text.contains("/0") {
            let span = Span::new(offset(start), offset(at));
            let message = format!("`{}` does not fit in 64 bits", shortened(text));
            let help =
                "a number is a fraction of two 64-bit integers; an id can be a text in quotes";
            self.findings.report(Code::BAD_VALUE, span, message, help);
            return None;
        }
        self.bad_value("a value");
        None
    }

    /// Reports that something else was expected at the cursor.
    fn bad_value(&mut self, expected: &str) {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| ",;()[]{}=\"".contains(c) || c.is_whitespace());
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let found = &rest[..length.unwrap_or(rest.len()).max(first)];
        let span = Span::new(offset(self.at), offset(self.at + found.len()));
        let is_text = scan_word(found, 0) > 0 && expected == "a value";
        let found = if found.is_empty() {
            "the end of the text".to_owned()
        } else {
            format!("`{}`", printable(&shortened(found)))
        };
        let message = format!("expected {expected}, found {found}");
        let help = if is_text {
            "a text is written in quotes; other values are numbers, true, false, and null if it is unknown"
        } else {
            "values are written `a!m(mid=7, topic=\"a/b\", ok=true, time=12.5)`"
        };
        self.findings.report(Code::BAD_VALUE, span, message, help);
    }

    /// Skips the rest of a value with a fault.
    fn recover_value(&mut self) {
        while !matches!(self.peek(), None | Some(b',' | b')' | b';' | b'[' | b']' | b'{' | b'}')) {
            if self.peek() == Some(b'"') {
                self.at = scan_quoted(self.text, self.at).end;
            } else {
                self.skip_character();
            }
        }
    }
}

/// The beginning of a text, for a message.
fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().take(24).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
