//! The names of lifelines and messages in traces, plain or quoted, and diagnostics about invalid
//! names.

use super::Reader;
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
                self.findings.open_quote(span);
            } else if end.end == start + 2 {
                self.findings.empty_name(span, "this name is empty");
            }
            let symbol = self.tree.names.intern(&unquote(self.source.slice(span)));
            return Some(Name { symbol, span });
        }
        let end = scan_word(self.text, start);
        if end == start {
            return None;
        }
        let whole = self.scan_dashed(end);
        self.at = whole;
        let (name, text) = (self.intern(start, whole), &self.text[start..whole]);
        if whole > end {
            self.findings.dashed_name(name.span, text);
        } else if text.bytes().all(|byte| byte.is_ascii_digit()) {
            self.findings.number_as_name(name.span, text, "quote it");
        }
        Some(name)
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
