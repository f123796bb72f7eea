//! Lines, indentation and comments.
//!
//! A line break is not written when it is asked for but when more text comes, so that a comment
//! that stood at the end of a line can still be put there.

use crate::ast::Comment;

/// How wide a line may be before it is broken.
pub const WIDTH: usize = 80;
/// Spaces per level.
pub const INDENT: usize = 2;
/// Levels that are indented; deeper ones stay there, or deep trees would print quadratically.
pub const MAX_INDENTED: usize = 30;

pub(super) struct Writer<'c> {
    out: String,
    /// Comments not yet printed.
    comments: &'c [Comment],
    /// A line break that was asked for, with its level.
    pending: Option<usize>,
    /// The level of the current line.
    level: usize,
    /// What the current line has.
    line: Line,
}

/// What a line has, which decides whether a comment can follow on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Nothing, or only comments: a comment there would be read as standing by itself.
    NoCode,
    /// Something a comment can follow.
    Code,
    /// A `//` comment, which ends it.
    Closed,
}

impl<'c> Writer<'c> {
    pub(super) fn new(comments: &'c [Comment]) -> Self {
        Writer { out: String::new(), comments, pending: None, level: 0, line: Line::NoCode }
    }

    /// Writes text that has no line break.
    pub(super) fn text(&mut self, text: &str) {
        self.break_line();
        self.out.push_str(text);
        self.line = Line::Code;
    }

    /// Asks for a line break; the next text stands on a new line of this level.
    pub(super) fn line(&mut self, level: usize) {
        self.pending = Some(level);
    }

    /// Prints all comments that stand before `offset`.
    pub(super) fn comments_before(&mut self, offset: u32) {
        while let Some((comment, rest)) = self.comments.split_first() {
            if comment.span.start >= offset {
                return;
            }
            self.comments = rest;
            self.comment(comment);
        }
    }

    /// Whether a comment that was not printed stands before `offset`.
    pub(super) fn has_comment_before(&self, offset: u32) -> bool {
        self.comments.first().is_some_and(|comment| comment.span.start < offset)
    }

    /// Where the next comment stands.
    pub(super) fn next_comment(&self) -> u32 {
        self.comments.first().map_or(u32::MAX, |comment| comment.span.start)
    }

    fn comment(&mut self, comment: &Comment) {
        let level = self.pending.unwrap_or(self.level);
        if comment.trailing && self.line == Line::Code {
            // On the line it followed, before any break that was asked for.
            if !self.out.ends_with(' ') {
                self.out.push(' ');
            }
            self.out.push_str(&comment.text);
            if self.pending.is_none() {
                self.out.push(' ');
            }
        } else {
            if self.line != Line::NoCode {
                self.pending = Some(level);
            }
            self.break_line();
            self.out.push_str(&comment.text);
            self.pending = Some(level);
        }
        if comment.text.starts_with("//") {
            self.pending = Some(level);
            self.line = Line::Closed;
        }
    }

    fn break_line(&mut self) {
        let Some(level) = self.pending.take() else { return };
        self.level = level;
        self.line = Line::NoCode;
        self.out.truncate(self.out.trim_end_matches(' ').len());
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        let spaces = INDENT * level.min(MAX_INDENTED);
        self.out.extend(std::iter::repeat_n(' ', spaces));
    }

    /// The text, with the comments that are left and a final line break.
    pub(super) fn finish(mut self) -> String {
        self.comments_before(u32::MAX);
        self.out.truncate(self.out.trim_end_matches([' ', '\n']).len());
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }
}
