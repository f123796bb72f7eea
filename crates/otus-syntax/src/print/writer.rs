//! The writer of lines, indentation and comments.
//!
//! A requested line break is written only when more text follows, so that a comment at the end of a
//! line can still be added to it.

use crate::ast::Comment;

/// The widest line, in characters.
pub const WIDTH: usize = 80;
/// The spaces per level.
pub const INDENT: usize = 2;
/// The deepest level with an indentation of its own. Without a bound, the output for deep trees would
/// have quadratic size.
pub const MAX_INDENTED: usize = 30;

pub(super) struct Writer<'c> {
    out: String,
    /// The comments not yet printed.
    comments: &'c [Comment],
    /// The level of a requested line break.
    pending: Option<usize>,
    /// The level of the current line.
    level: usize,
    line: LineContent,
}

/// The content of a line, which decides whether a comment can follow on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineContent {
    /// Nothing, or only comments; a comment on such a line would not be a trailing comment.
    NoCode,
    /// Text that a comment can follow.
    Code,
    /// A `//` comment, which ends the line.
    Closed,
}

impl<'c> Writer<'c> {
    pub(super) fn new(comments: &'c [Comment]) -> Self {
        Writer { out: String::new(), comments, pending: None, level: 0, line: LineContent::NoCode }
    }

    /// Writes text that has no line break.
    pub(super) fn text(&mut self, text: &str) {
        self.break_line();
        self.out.push_str(text);
        self.line = LineContent::Code;
    }

    /// Requests a line break: the next text starts a new line of this level.
    pub(super) fn line(&mut self, level: usize) {
        self.pending = Some(level);
    }

    /// Prints all comments that begin before `offset`.
    pub(super) fn comments_before(&mut self, offset: u32) {
        while let Some((comment, rest)) = self.comments.split_first() {
            if comment.span.start >= offset {
                return;
            }
            self.comments = rest;
            self.comment(comment);
        }
    }

    /// Whether an unprinted comment begins before `offset`.
    pub(super) fn has_comment_before(&self, offset: u32) -> bool {
        self.comments.first().is_some_and(|comment| comment.span.start < offset)
    }

    fn comment(&mut self, comment: &Comment) {
        let level = self.pending.unwrap_or(self.level);
        if comment.trailing && self.line == LineContent::Code {
            // The comment is written on the line that it followed in the source, before any
            // requested line break.
            if !self.out.ends_with(' ') {
                self.out.push(' ');
            }
            self.out.push_str(&comment.text);
            if self.pending.is_none() {
                self.out.push(' ');
            }
        } else {
            if self.line != LineContent::NoCode {
                self.pending = Some(level);
            }
            self.break_line();
            self.out.push_str(&comment.text);
            self.pending = Some(level);
        }
        if comment.text.starts_with("//") {
            self.pending = Some(level);
            self.line = LineContent::Closed;
        }
    }

    fn break_line(&mut self) {
        let Some(level) = self.pending.take() else { return };
        self.level = level;
        self.line = LineContent::NoCode;
        self.out.truncate(self.out.trim_end_matches(' ').len());
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        let spaces = INDENT * level.min(MAX_INDENTED);
        self.out.extend(std::iter::repeat_n(' ', spaces));
    }

    /// The text with the remaining comments and a final line break.
    pub(super) fn finish(mut self) -> String {
        self.comments_before(u32::MAX);
        self.out.truncate(self.out.trim_end_matches([' ', '\n']).len());
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }
}
