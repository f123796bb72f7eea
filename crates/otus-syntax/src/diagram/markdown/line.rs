//! What a line of Markdown can begin.

use super::Language;

/// A line and how far it is indented; a tab goes to the next multiple of four.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// The line without indentation and trailing space.
    pub(super) text: &'a str,
    /// The column of its first character.
    pub(super) indent: usize,
    /// The bytes before that.
    pub(super) offset: usize,
    /// The bytes of the line with its line break.
    pub(super) whole: usize,
}

impl<'a> Line<'a> {
    pub(super) fn new(line: &'a str) -> Line<'a> {
        Line { text: line.trim_end(), indent: 0, offset: 0, whole: line.len() }.without(0)
    }

    /// The line after its first `width` bytes and the blanks that follow them.
    pub(super) fn without(self, width: usize) -> Line<'a> {
        let mut column = self.indent + width;
        let rest = &self.text[width..];
        let mut blanks = 0;
        for b in rest.bytes() {
            match b {
                b' ' => column += 1,
                b'\t' => column = (column / 4 + 1) * 4,
                _ => break,
            }
            blanks += 1;
        }
        Line {
            text: &rest[blanks..],
            indent: column,
            offset: self.offset + width + blanks,
            whole: self.whole,
        }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.is_empty()
    }

    /// The width of the list marker the line begins with (`-`, `*`, `+`, `1.`, `1)`), if it can
    /// be one in a container whose contents begin at `column`.
    pub(super) fn list_marker(&self, column: usize) -> Option<usize> {
        if self.indent > column + 3 {
            return None;
        }
        let bytes = self.text.as_bytes();
        let digits = bytes.iter().take(10).take_while(|b| b.is_ascii_digit()).count();
        let width = match (digits, bytes.get(digits)) {
            (0, Some(b'-' | b'*' | b'+')) => 1,
            (1..=9, Some(b'.' | b')')) => digits + 1,
            _ => return None,
        };
        matches!(bytes.get(width), Some(b' ' | b'\t')).then_some(width)
    }

    /// The text of an ATX heading, without its `#`s.
    pub(super) fn heading(&self) -> Option<&'a str> {
        let level = self.text.bytes().take_while(|&b| b == b'#').count();
        let rest = &self.text[level..];
        if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
            return None;
        }
        let rest = rest.trim();
        let without = rest.trim_end_matches('#');
        // Closing `#`s need a blank before them.
        let is_closed = without.is_empty() || without.ends_with([' ', '\t']);
        Some(if is_closed { without.trim_end() } else { rest })
    }

    /// Whether it makes the paragraph above it a setext heading.
    pub(super) fn is_underline(&self) -> bool {
        let is_all = |c| self.text.bytes().all(|b| b == c);
        !self.text.is_empty() && (is_all(b'=') || is_all(b'-'))
    }
}

/// The opening line of a fence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marker<'a> {
    sign: u8,
    length: usize,
    info: &'a str,
}

impl<'a> Marker<'a> {
    /// The fence that a line opens.
    pub(super) fn of(line: &Line<'a>) -> Option<Marker<'a>> {
        let sign = *line.text.as_bytes().first()?;
        if sign != b'`' && sign != b'~' {
            return None;
        }
        let length = line.text.bytes().take_while(|&b| b == sign).count();
        let info = line.text[length..].trim();
        // With a backtick in it, it is code in a paragraph.
        if length < 3 || (sign == b'`' && info.contains('`')) {
            return None;
        }
        Some(Marker { sign, length, info })
    }

    /// The language of a diagram, if the fence is one.
    pub(super) fn language(&self) -> Option<Language> {
        let end = self.info.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.info.len());
        let word = &self.info[..end];
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        if is("mermaid") {
            Some(Language::Mermaid)
        } else if is("plantuml") || is("puml") {
            Some(Language::PlantUml)
        } else {
            None
        }
    }

    /// Without the text it came from.
    pub(super) fn owned(&self) -> Marker<'static> {
        Marker { sign: self.sign, length: self.length, info: "" }
    }

    /// Whether a line closes the fence, which stands in a container at `column`.
    pub(super) fn is_closed_by(&self, line: &Line<'_>, column: usize) -> bool {
        line.indent <= column + 3
            && line.text.len() >= self.length
            && line.text.bytes().all(|b| b == self.sign)
    }

    /// A line that closes it.
    pub(super) fn spelling(&self) -> String {
        char::from(self.sign).to_string().repeat(self.length.min(80))
    }
}

/// Where a document begins after front matter (`---` … `---`).
pub(super) fn front_matter(text: &str) -> usize {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else { return 0 };
    let mut at = first.len();
    for line in lines {
        at += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return at;
        }
    }
    0
}
