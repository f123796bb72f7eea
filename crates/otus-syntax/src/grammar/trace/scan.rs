//! Skipping white space, comments and unexpected text in traces.

use super::Reader;
use crate::code::Code;
use crate::lexer::{scan_word, skip_to_comment};
use crate::parser;
use crate::source::Span;

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

    pub(super) fn begins_word(&self) -> bool {
        scan_word(self.text, self.at) > self.at
    }

    pub(super) fn skip_trivia(&mut self) {
        loop {
            let (at, comment) = skip_to_comment(self.text, self.at);
            self.at = at;
            let Some(comment) = comment else { return };
            self.at = comment.span.end as usize;
            if !comment.terminated {
                self.report(
                    self.source
                        .finding(
                            Code::UNTERMINATED_COMMENT,
                            Span::new(comment.span.start, comment.span.start + 2),
                            "this comment never ends",
                        )
                        .with_help("end it with `*/`"),
                );
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
        while self.diagnostics.last().is_some_and(|found| found.primary.span.start >= start) {
            self.diagnostics.pop();
        }
    }
}
