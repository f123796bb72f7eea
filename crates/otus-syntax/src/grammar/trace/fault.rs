//! Diagnostics about syntax errors in multi-traces.

use super::Reader;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::excerpt::printable;
use crate::lexer::scan_word;
use crate::parser;
use crate::source::{Span, offset};

impl Reader<'_> {
    pub(super) fn unexpected(&mut self, what: &str) {
        let (span, found) = match self.text[self.at..].chars().next() {
            None => {
                let end = self.text.trim_end().len();
                (Span::at(offset(end)), "the end of the text".to_owned())
            }
            Some(c) => {
                let end = scan_word(self.text, self.at).max(self.at + c.len_utf8());
                let found: String = self.text[self.at..end].chars().take(24).collect();
                let span = Span::new(offset(self.at), offset(end));
                (span, format!("`{}`", printable(&found)))
            }
        };
        self.report(
            self.source
                .finding(Code::EXPECTED_ACTION, span, format!("expected {what}, found {found}"))
                .with_help(
                    "a component is `[a, b] a!m.b?m`: lifelines, then actions separated by `.`",
                ),
        );
    }

    /// Reports a separator that is missing at the cursor.
    pub(super) fn missing(&mut self, separator: char, between: &str) {
        let at = Span::at(offset(self.text[..self.at].trim_end().len()));
        self.report(
            self.source
                .finding(
                    Code::UNEXPECTED_TOKEN,
                    at,
                    format!("`{separator}` is missing between two {between}"),
                )
                .with_help(format!("separate {between} by `{separator}`"))
                .with_fix(at, separator.to_string()),
        );
    }

    pub(super) fn unclosed(&mut self, open: usize, closer: char) {
        let span = Span::new(offset(open), offset(open + 1));
        self.report(
            self.source
                .finding(
                    Code::UNCLOSED_DELIMITER,
                    span,
                    format!("this `{}` is never closed", &self.text[open..=open]),
                )
                .with_label("opened here")
                .with_related(
                    self.source.id(),
                    Span::at(offset(self.at)),
                    format!("`{closer}` expected before this"),
                )
                .with_help(format!("add the missing `{closer}`")),
        );
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        parser::report(&mut self.diagnostics, diagnostic);
    }
}
