//! Source texts and spans.
//!
//! A [`Source`] is a named text; a [`Span`] is a range of its bytes. Offsets have 32 bits, so that the
//! spans of a trace with many millions of actions take little memory; a text of 4 GiB or more is
//! rejected (`O0214`).

use std::ops::Range;
use std::sync::OnceLock;

/// The id of a text among those of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SourceId(pub u32);

/// A half-open range of bytes in one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`.
    pub fn new(start: u32, end: u32) -> Self {
        debug_assert!(start <= end, "a span does not end before it starts");
        Span { start, end }
    }

    /// The empty range at `offset`.
    pub fn at(offset: u32) -> Self {
        Span { start: offset, end: offset }
    }

    /// From the start of `self` to the end of `other`.
    #[must_use]
    pub fn to(self, other: Span) -> Self {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The span as a range of indices.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Length in bytes.
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    /// Whether the span is empty.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// The longest text of a [`Source`], in bytes.
pub const MAX_SOURCE_BYTES: usize = u32::MAX as usize - 1;

/// A named text.
#[derive(Debug, Clone)]
pub struct Source {
    id: SourceId,
    name: String,
    text: String,
    /// The number of lines before the text in the document that contains it.
    lines_before: usize,
    line_starts: OnceLock<Vec<u32>>,
}

impl Source {
    /// The source of a run that has only one text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Source::with_id(SourceId(0), name, text)
    }

    /// A source of a run that has several texts.
    ///
    /// # Panics
    /// If the text is longer than [`MAX_SOURCE_BYTES`]; callers check the length of files first.
    pub fn with_id(id: SourceId, name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        assert!(text.len() <= MAX_SOURCE_BYTES, "a source is shorter than 4 GiB");
        Source { id, name: name.into(), text, lines_before: 0, line_starts: OnceLock::new() }
    }

    /// The same text as a part of a larger document, in which it starts at this line (from 1).
    #[must_use]
    pub fn from_line(self, line: usize) -> Self {
        Source { lines_before: line.saturating_sub(1), ..self }
    }

    /// The id of the source.
    pub fn id(&self) -> SourceId {
        self.id
    }

    /// The name of the source: a path as the user wrote it, or `<stdin>`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty if the span is not within this text.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// The span of the whole text.
    pub fn whole(&self) -> Span {
        Span { start: 0, end: offset(self.text.len()) }
    }

    /// Line and column of a byte offset, both from 1; columns count characters.
    pub fn line_column(&self, at: u32) -> (usize, usize) {
        let starts = self.line_starts();
        let line = starts.partition_point(|&start| start <= at).max(1);
        let start = starts.get(line - 1).copied().unwrap_or(0);
        let column = self.slice(Span { start, end: at.max(start) }).chars().count() + 1;
        (line + self.lines_before, column)
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            std::iter::once(0)
                .chain(memchr::memchr_iter(b'\n', self.text.as_bytes()).map(|at| offset(at + 1)))
                .collect()
        })
    }
}

/// A byte index as an offset.
///
/// # Panics
/// Never for an index into a [`Source`], which is shorter than 4 GiB.
pub fn offset(index: usize) -> u32 {
    u32::try_from(index).expect("a source is shorter than 4 GiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let source = Source::new("x", "ab\n∅c\n");
        assert_eq!(source.line_column(0), (1, 1));
        assert_eq!(source.line_column(2), (1, 3));
        assert_eq!(source.line_column(3), (2, 1));
        assert_eq!(source.line_column(6), (2, 2));
        assert_eq!(source.line_column(8), (3, 1));
        assert_eq!(source.from_line(7).line_column(3), (8, 1));
    }
}
