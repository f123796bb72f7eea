//! The names of traces, plain or quoted, and diagnostics about invalid ones.

use super::Reader;
use crate::code::Code;
use crate::lexer::{scan_quoted, scan_word, unquote};
use crate::name::Name;
use crate::source::{Span, offset};

impl Reader<'_> {
    /// Parses a plain or quoted name, if there is one here.
    pub(super) fn name(&mut self) -> Option<Name> {
        let start = self.at;
        if self.peek() == Some(b'"') {
            let end = scan_quoted(self.text, start);
            self.at = end.end;
            let span = Span::new(offset(start), offset(end.end));
            if !end.closed {
                self.report(
                    self.source
                        .finding(
                            Code::UNTERMINATED_QUOTE,
                            span,
                            "this quoted name has no closing quote on its line",
                        )
                        .with_help("close it with `\"`; inside, write `\\\"` for a quote"),
                );
            } else if end.end == start + 2 {
                self.report(
                    self.source
                        .finding(Code::EMPTY_NAME, span, "this name is empty")
                        .with_help("put at least one character between the quotes"),
                );
            }
            let symbol = self.tree.names.intern(&unquote(self.source.slice(span)));
            return Some(Name { symbol, span });
        }
        let end = scan_word(self.text, start);
        if end == start {
            return None;
        }
        let dashed = self.scan_dashed(end);
        if dashed > end {
            let (span, text) =
                (Span::new(offset(start), offset(dashed)), &self.text[start..dashed]);
            self.report(
                self.source.finding(Code::NEEDS_QUOTES, span,
                    format!("the name `{text}` must be quoted"),
                )
                .with_help(format!(
                    "only letters, digits and `_` stand without quotes: write \"{text}\" everywhere"
                ))
                .with_fix(span, format!("\"{text}\"")),
            );
            self.at = dashed;
            return Some(self.intern(start, dashed));
        }
        self.at = end;
        if self.bytes[start..end].iter().all(u8::is_ascii_digit) {
            let (span, text) = (Span::new(offset(start), offset(end)), &self.text[start..end]);
            self.report(
                self.source
                    .finding(Code::NEEDS_QUOTES, span, format!("`{text}` is a number, not a name"))
                    .with_help(format!("to use it as a name, quote it: \"{text}\""))
                    .with_fix(span, format!("\"{text}\"")),
            );
        }
        Some(self.intern(start, end))
    }

    pub(super) fn intern(&mut self, start: usize, end: usize) -> Name {
        let symbol = self.tree.names.intern(&self.text[start..end]);
        Name { symbol, span: Span::new(offset(start), offset(end)) }
    }

    /// The end of a name that continues with `-` and a word at `end`, or `end`.
    fn scan_dashed(&self, mut end: usize) -> usize {
        while self.bytes.get(end) == Some(&b'-') {
            let word = scan_word(self.text, end + 1);
            if word == end + 1 {
                break;
            }
            end = word;
        }
        end
    }
}
