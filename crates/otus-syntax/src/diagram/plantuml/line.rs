//! The lines of a PlantUML text, with continued lines joined, and the diagrams in it.
//!
//! A line that ends with a single `\` continues on the next line; `\\` is a backslash in the picture. A
//! joined line records the offset of each of its pieces, so that spans are exact.

use std::borrow::Cow;
use std::ops::Range;

use crate::source::{Span, offset};

/// A logical line, without surrounding white space.
#[derive(Debug, Clone)]
pub(super) struct Line<'a> {
    text: Cow<'a, str>,
    /// The beginnings of the pieces: index in `text` and offset in the source. Never empty.
    pieces: Vec<(usize, u32)>,
    /// For an expanded line: the span of the source line that it comes from. All of its parts have
    /// this span.
    origin: Option<Span>,
    /// The width of the white space before it.
    indent: usize,
}

impl Line<'_> {
    /// A line that the preprocessor has made of the line at `origin`.
    pub(super) fn expanded(text: &str, origin: Span) -> Line<'static> {
        let indent = indent_of(text);
        let text = Cow::Owned(text.trim().to_owned());
        Line { text, pieces: vec![(0, origin.start)], origin: Some(origin), indent }
    }

    /// Whether the preprocessor has made it, so that all its parts have the span of another line.
    pub(super) fn is_expanded(&self) -> bool {
        self.origin.is_some()
    }

    /// The same line with more white space before it.
    pub(super) fn indented(self, by: usize) -> Self {
        Line { indent: self.indent + by, ..self }
    }

    /// The width of the white space before it, in blanks.
    pub(super) fn indent(&self) -> usize {
        self.indent
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The span in the source of a part of the line.
    pub(super) fn span(&self, part: Range<usize>) -> Span {
        if let Some(origin) = self.origin {
            return origin;
        }
        let start = self.offset(part.start);
        // The end belongs to the piece of the last byte.
        let end = if part.is_empty() { start } else { self.offset(part.end - 1) + 1 };
        Span::new(start, end.max(start))
    }

    /// The span of the line in the source.
    pub(super) fn whole(&self) -> Span {
        self.span(0..self.text.len())
    }

    /// A part of the line, trimmed.
    pub(super) fn part(&self, part: Range<usize>) -> Line<'_> {
        let text = &self.text[part.clone()];
        let start = part.start + (text.len() - text.trim_start().len());
        let text = text.trim();
        let first = self.pieces.partition_point(|piece| piece.0 <= start).max(1) - 1;
        let mut pieces = vec![(0, self.offset(start))];
        pieces.extend(
            self.pieces[first + 1..]
                .iter()
                .filter(|piece| piece.0 < start + text.len())
                .map(|piece| (piece.0 - start, piece.1)),
        );
        Line { text: Cow::Borrowed(text), pieces, origin: self.origin, indent: self.indent }
    }

    fn offset(&self, index: usize) -> u32 {
        let piece = self.pieces.partition_point(|piece| piece.0 <= index).max(1) - 1;
        let (start, at) = self.pieces[piece];
        at + offset(index - start)
    }
}

#[derive(Debug, Clone)]
pub(super) struct Lines<'a> {
    text: &'a str,
    position: usize,
    end: usize,
}

impl<'a> Lines<'a> {
    /// The lines of `range`, which is clipped to character boundaries of the text.
    pub(super) fn new(text: &'a str, range: Span) -> Self {
        let position = text.floor_char_boundary(range.start as usize);
        Lines { text, position, end: text.floor_char_boundary(range.end as usize).max(position) }
    }

    /// The next physical line without its line break, and its offset.
    fn physical(&mut self) -> Option<(&'a str, usize)> {
        if self.position >= self.end {
            return None;
        }
        let start = self.position;
        let rest = &self.text[start..self.end];
        let length = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        self.position = (start + length + 1).min(self.end);
        let line = &rest[..length];
        Some((line.strip_suffix('\r').unwrap_or(line), start))
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let (first, start) = self.physical()?;
        let Some(begun) = continued(first) else {
            let text = first.trim();
            let start = start + (first.len() - first.trim_start().len());
            return Some(Line {
                text: Cow::Borrowed(text),
                pieces: vec![(0, offset(start))],
                origin: None,
                indent: indent_of(first),
            });
        };
        let lead = begun.len() - begun.trim_start().len();
        let indent = indent_of(begun);
        let mut text = begun.trim_start().to_owned();
        let mut pieces = vec![(0, offset(start + lead))];
        while let Some((line, start)) = self.physical() {
            pieces.push((text.len(), offset(start)));
            match continued(line) {
                Some(more) => text.push_str(more),
                None => {
                    text.push_str(line);
                    break;
                }
            }
        }
        text.truncate(text.trim_end().len());
        Some(Line { text: Cow::Owned(text), pieces, origin: None, indent })
    }
}

/// The width of the white space at the start of a line. A tab goes to the next multiple of four.
fn indent_of(line: &str) -> usize {
    let blanks = line.chars().take_while(|c| c.is_whitespace());
    blanks.fold(0, |width, c| if c == '\t' { (width / 4 + 1) * 4 } else { width + 1 })
}

/// The line without its continuation character, if it has one.
fn continued(line: &str) -> Option<&str> {
    let begun = line.strip_suffix('\\')?;
    (!begun.ends_with('\\')).then_some(begun)
}

/// A diagram between `@start…` and `@end…`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Diagram<'a> {
    /// The word after `@start`, in any case: `uml`, `mindmap`.
    pub(super) kind: &'a str,
    /// The line that starts it.
    pub(super) start: Span,
    /// The span between the two.
    pub(super) content: Span,
    /// Whether there is an `@end…`.
    pub(super) closed: bool,
}

pub(super) fn diagrams(text: &str, range: Span) -> Vec<Diagram<'_>> {
    let mut lines = Lines::new(text, range);
    let mut found = Vec::new();
    let mut open: Option<Diagram<'_>> = None;
    while let Some((line, start)) = lines.physical() {
        let trimmed = line.trim();
        if let Some(diagram) = open {
            let ends = word_after(trimmed, "@end")
                .is_some_and(|kind| kind.eq_ignore_ascii_case(diagram.kind));
            if ends {
                let content = Span::new(diagram.content.start, offset(start));
                found.push(Diagram { content, closed: true, ..diagram });
                open = None;
            }
        } else if let Some(kind) = word_after(trimmed, "@start") {
            let at = offset(start + (line.len() - line.trim_start().len()));
            let start = Span::new(at, at + offset(trimmed.len()));
            let content = Span::at(offset(lines.position));
            open = Some(Diagram { kind, start, content, closed: false });
        }
    }
    if let Some(diagram) = open {
        let content = Span::new(diagram.content.start, offset(lines.end));
        found.push(Diagram { content, ..diagram });
    }
    found
}

fn word_after<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    let start = line.get(..prefix.len()).filter(|start| start.eq_ignore_ascii_case(prefix))?;
    let rest = &line[start.len()..];
    let word = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len())];
    (!word.is_empty()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continued_lines_are_joined_and_keep_their_places() {
        let text = " A -> \\\nB : hi \\\r\n  there  \nlast\\\\\n";
        let mut lines = Lines::new(text, Span::new(0, 38));
        let line = lines.next().expect("a joined line");
        assert_eq!(line.text(), "A -> B : hi   there");
        let at = line.text().find("there").expect("the word is there");
        assert_eq!(&text[line.span(at..at + 5).range()], "there");
        let name = line.text().find('B').expect("the name is there");
        assert_eq!(&text[line.span(name..name + 1).range()], "B");
        let part = line.part(name..line.text().len());
        assert_eq!(part.text(), "B : hi   there");
        assert_eq!(&text[part.span(9..14).range()], "there");
        assert_eq!(lines.next().map(|line| line.text().to_owned()), Some("last\\\\".to_owned()));
        assert!(lines.next().is_none());
    }

    #[test]
    fn diagrams_are_found_between_their_marks() {
        let text =
            "x\n@startuml name\nA\n@enduml\n@startmindmap\n* x\n@enduml\n@endmindmap\n@startuml\nB";
        let found: Vec<(&str, &str, bool)> =
            diagrams(text, Span::new(0, u32::try_from(text.len()).expect("short")))
                .into_iter()
                .map(|diagram| (diagram.kind, &text[diagram.content.range()], diagram.closed))
                .collect();
        assert_eq!(
            found,
            [("uml", "A\n", true), ("mindmap", "* x\n@enduml\n", true), ("uml", "B", false)]
        );
    }
}
