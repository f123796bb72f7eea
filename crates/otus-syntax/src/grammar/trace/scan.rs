//! Skipping of white space, comments and unexpected text in traces, and reports of syntax errors.

use super::Reader;
use crate::code::Code;
use crate::excerpt::printable;
use crate::lexer::{scan_word, skip_to_comment};
use crate::parser;
use crate::source::{Span, offset};

impl Reader<'_> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The first byte from `at` on that is neither white space nor in a comment.
    pub(super) fn byte_after_trivia(&self, mut at: usize) -> Option<u8> {
        loop {
            match skip_to_comment(self.text, at) {
                (_, Some(comment)) => at = comment.span.end as usize,
                (end, None) => return self.bytes.get(end).copied(),
            }
        }
    }

    pub(super) fn skip_trivia(&mut self) {
        loop {
            let (at, comment) = skip_to_comment(self.text, self.at);
            self.at = at;
            let Some(comment) = comment else { return };
            self.at = comment.span.end as usize;
            if !comment.terminated {
                self.findings.open_comment(comment.span);
            }
            parser::push_comment(&mut self.tree.comments, self.text, comment);
        }
    }

    /// Skips one character, or a comment.
    pub(super) fn skip_character(&mut self) {
        let before = self.at;
        self.skip_trivia();
        if self.at == before {
            self.at += self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        }
    }

    /// Skips to the end of an invalid step.
    pub(super) fn recover_step(&mut self) {
        while !matches!(self.peek(), None | Some(b'.' | b';' | b'}' | b'[')) {
            self.skip_character();
        }
    }

    /// Skips text outside of components.
    pub(super) fn recover(&mut self) {
        self.skip_character();
        while !matches!(self.peek(), None | Some(b';' | b'}' | b'[')) {
            self.skip_character();
        }
    }

    /// Moves back to `start`; removes the comments and the findings from there on.
    pub(super) fn go_back(&mut self, start: u32) {
        self.at = start as usize;
        while self.tree.comments.last().is_some_and(|comment| comment.span.start >= start) {
            self.tree.comments.pop();
        }
        while self.findings.list.last().is_some_and(|found| found.primary.span.start >= start) {
            self.findings.list.pop();
        }
    }

    /// Reports that `what` was expected at the cursor.
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
        let message = format!("expected {what}, found {found}");
        let help = "a component is `[a, b] a!m.b?m`: lifelines, then actions separated by `.`";
        self.findings.report(Code::EXPECTED_ACTION, span, message, help);
    }

    /// Reports a separator that is missing at the cursor.
    pub(super) fn missing(&mut self, separator: char, between: &str) {
        let at = Span::at(offset(self.text[..self.at].trim_end().len()));
        let message = format!("`{separator}` is missing between two {between}");
        let help = format!("separate {between} by `{separator}`");
        let found = self.findings.finding(Code::UNEXPECTED_TOKEN, at, message).with_help(help);
        self.findings.push(found.with_fix(at, separator.to_string()));
    }

    pub(super) fn unclosed(&mut self, open: usize, closer: char) {
        let open = Span::new(offset(open), offset(open + 1));
        let expected = format!("`{closer}` expected before this");
        self.findings.unclosed(self.source, open, closer, Span::at(offset(self.at)), expected);
    }
}
