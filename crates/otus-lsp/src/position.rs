//! Offsets in bytes, and positions by lines and characters.
//!
//! The protocol counts characters in units of UTF-16 unless client and server agree on another encoding. A character beyond the
//! basic plane is two such units; a position between them is the start of the character. Positions beyond the end of a line are
//! its end, and lines beyond the last are the end of the text.

use std::ops::Range;

use lsp_types::{Position, PositionEncodingKind};

/// How columns are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Encoding {
    /// In bytes.
    Utf8,
    /// In units of UTF-16.
    #[default]
    Utf16,
    /// In characters.
    Utf32,
}

impl Encoding {
    /// The best of the encodings that a client offers.
    pub(crate) fn chosen(offered: Option<&[PositionEncodingKind]>) -> Encoding {
        let offered = offered.unwrap_or_default();
        if offered.contains(&PositionEncodingKind::UTF8) {
            return Encoding::Utf8;
        }
        let is_only = !offered.is_empty() && !offered.contains(&PositionEncodingKind::UTF16);
        if is_only && offered.contains(&PositionEncodingKind::UTF32) {
            return Encoding::Utf32;
        }
        Encoding::Utf16
    }

    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn width(self, character: char) -> usize {
        match self {
            Encoding::Utf8 => character.len_utf8(),
            Encoding::Utf16 => character.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }
}

/// The lines of a text.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    text: &'t str,
    /// The offset of the start of each line.
    starts: Vec<usize>,
    encoding: Encoding,
}

impl<'t> Lines<'t> {
    /// Lines end with `\n`, `\r\n` or `\r`.
    pub(crate) fn new(text: &'t str, encoding: Encoding) -> Lines<'t> {
        let bytes = text.as_bytes();
        let ends = |&(at, &byte): &(usize, &u8)| {
            byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'))
        };
        let after = bytes.iter().enumerate().filter(ends).map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(after).collect();
        Lines { text, starts, encoding }
    }

    /// The text of a line without its end.
    fn line(&self, line: usize) -> &'t str {
        let start = self.starts[line];
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// The offset of a position.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        if line >= self.starts.len() {
            return self.text.len();
        }
        let mut left = position.character as usize;
        let content = self.line(line);
        for (at, character) in content.char_indices() {
            let width = self.encoding.width(character);
            if left < width {
                return self.starts[line] + at;
            }
            left -= width;
        }
        self.starts[line] + content.len()
    }

    /// The position of an offset.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.starts.partition_point(|&start| start <= offset).saturating_sub(1);
        let content = self.line(line);
        let inside = (offset - self.starts[line]).min(content.len());
        let column: usize =
            content[..inside].chars().map(|character| self.encoding.width(character)).sum();
        Position { line: number(line), character: number(column) }
    }

    pub(crate) fn range(&self, range: Range<usize>) -> lsp_types::Range {
        let end = range.end.max(range.start);
        lsp_types::Range { start: self.position(range.start), end: self.position(end) }
    }

    /// The offsets of a range; its ends are exchanged if they are in the wrong order.
    pub(crate) fn offsets(&self, range: lsp_types::Range) -> Range<usize> {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        start.min(end)..start.max(end)
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, encoding: Encoding, offset: usize, line: u32, character: u32) {
        let lines = Lines::new(text, encoding);
        assert_eq!(lines.position(offset), Position { line, character });
        assert_eq!(lines.offset(Position { line, character }), offset);
    }

    #[test]
    fn columns_depend_on_the_encoding() {
        let text = "a\u{1f989}b\r\n\u{2205}c\rd\n";
        for (encoding, columns) in [
            (Encoding::Utf8, [0, 1, 5, 6, 3]),
            (Encoding::Utf16, [0, 1, 3, 4, 1]),
            (Encoding::Utf32, [0, 1, 2, 3, 1]),
        ] {
            check(text, encoding, 0, 0, columns[0]);
            check(text, encoding, 1, 0, columns[1]);
            check(text, encoding, 5, 0, columns[2]);
            check(text, encoding, 6, 0, columns[3]);
            check(text, encoding, 11, 1, columns[4]);
            check(text, encoding, 13, 2, 0);
            check(text, encoding, 15, 3, 0);
        }
    }

    #[test]
    fn positions_outside_are_moved_inside() {
        let lines = Lines::new("a\u{1f989}\r\nb", Encoding::Utf16);
        let offset = |line, character| lines.offset(Position { line, character });
        assert_eq!(offset(0, 2), 1, "between the halves of a pair");
        assert_eq!(offset(0, 99), 5);
        assert_eq!(offset(9, 0), 8);
        assert_eq!(offset(u32::MAX, u32::MAX), 8);
        assert_eq!(lines.position(3), Position { line: 0, character: 1 });
        assert_eq!(lines.position(6), Position { line: 0, character: 3 });
        assert_eq!(lines.position(999), Position { line: 1, character: 1 });
        assert_eq!(Lines::new("", Encoding::Utf8).position(0), Position::default());
    }
}
