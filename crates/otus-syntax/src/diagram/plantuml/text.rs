//! Encoding and decoding of texts in PlantUML.
//!
//! PlantUML encodes a line break as `\n` (`\l` and `\r` also align the line), a tab as `\t`, a backslash before
//! such a letter as `\\`, and any character as `<U+0041>`; [`shown`] and [`name`] decode these. Other markup,
//! such as `**bold**`, is not interpreted.
//!
//! A line break belongs to the picture: [`shown`] keeps it, and [`name`], which gives the name of a message or
//! lifeline, joins the lines with blanks. A line break that is part of a name is written `<U+000A>`.
//!
//! Invariants: `name(message(text)) = text`, `name(quoted(text)) = text`, `shown(quoted_shown(text)) = text`.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::diagram::numbered;

/// The text in the picture, with its line breaks.
pub(super) fn shown(written: &str) -> String {
    let lines: Vec<_> = lines(written).into_iter().map(decode).collect();
    lines.join("\n")
}

/// The name that a text gives: the text in the picture on one line.
pub(super) fn name(written: &str) -> Cow<'_, str> {
    let lines = lines(written);
    if let [only] = lines[..] {
        return decode(only);
    }
    let last = lines.len() - 1;
    let mut joined = String::with_capacity(written.len());
    for (at, line) in lines.into_iter().enumerate() {
        let line = if at == 0 { line } else { line.trim_start() };
        let line = if at == last { line } else { line.trim_end() };
        if !joined.is_empty() && !line.is_empty() {
            joined.push(' ');
        }
        joined.push_str(&decode(line));
    }
    // A text that consists only of line breaks must still give a name, so it is kept.
    if joined.is_empty() { Cow::Borrowed(written) } else { Cow::Owned(joined) }
}

/// The lines of a written text.
fn lines(written: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(length) = written[at..].find('\\') {
        let sign = at + length;
        match written.as_bytes().get(sign + 1) {
            Some(b'n' | b'l' | b'r') => {
                lines.push(&written[start..sign]);
                start = sign + 2;
                at = start;
            }
            Some(b'\\' | b't') => at = sign + 2,
            _ => at = sign + 1,
        }
    }
    lines.push(&written[start..]);
    lines
}

/// One line, with its other escapes resolved.
fn decode(written: &str) -> Cow<'_, str> {
    if !written.contains(['\\', '<']) {
        return Cow::Borrowed(written);
    }
    let mut text = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(at) = rest.find(['\\', '<']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let (decoded, length) = match rest.as_bytes() {
            [b'\\', b't', ..] => ('\t', 2),
            [b'\\', b'\\', ..] => ('\\', 2),
            [b'<', ..] => numbered(rest, "<U+", b'>', 4).unwrap_or(('<', 1)),
            _ => ('\\', 1),
        };
        text.push(decoded);
        rest = &rest[length..];
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The encoding of a text after the colon of an arrow.
pub(super) fn message(text: &str) -> String {
    encode(text, false)
}

/// The encoding of a name between double quotes.
pub(super) fn quoted(text: &str) -> String {
    encode(text, true)
}

/// The encoding of a text with line breaks of the picture, between double quotes.
pub(super) fn quoted_shown(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(quoted).collect();
    lines.join("\\n")
}

fn encode(text: &str, quoted: bool) -> String {
    let inner = text.len() - text.trim_start().len()..text.trim_end().len();
    let mut written = String::with_capacity(text.len());
    let mut previous = ' ';
    for (index, c) in text.char_indices() {
        let rest = &text[index..];
        let at_edge = !inner.contains(&index);
        let next = rest[c.len_utf8()..].chars().next();
        let must_number = match c {
            // PlantUML trims labels.
            _ if c.is_whitespace() && at_edge && !quoted => true,
            // A text like `<U+0041>` would be decoded.
            '<' => rest.starts_with("<U+"),
            // `%date()` calls a function of the preprocessor, `/'` begins a comment.
            '%' => next.is_some_and(|next| next.is_ascii_alphabetic()),
            '\'' => previous == '/',
            // PlantUML reads all of these as double quotes.
            '"' | '“' | '”' | '«' | '»' => quoted,
            '\t' => false,
            // Line breaks, the byte order mark, and characters that PlantUML uses internally.
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{e000}'..='\u{f8ff}' => true,
            _ => c.is_control(),
        };
        if must_number {
            // Writing to a string cannot fail.
            let _ = write!(written, "<U+{:04X}>", u32::from(c));
        } else {
            match c {
                '\t' => written.push_str("\\t"),
                '\\' if matches!(next, None | Some('n' | 'l' | 'r' | 't' | '\\' | '\n' | '\t')) => {
                    written.push_str("\\\\");
                }
                other => written.push(other),
            }
        }
        previous = c;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_was_meant() {
        let texts = [
            "hello",
            "",
            " ",
            "  a  b ",
            "a\nb",
            "\n",
            "\\n",
            "\\",
            "\\\\",
            "\\\\n",
            "C:\\dir\\new",
            "\t",
            "\\t\t",
            "<U+0041>",
            "<U+",
            "<<U+003C>",
            "100%",
            "%date()",
            "/' x '/",
            "it's",
            "\"q\" “q” «q»",
            "a\rb",
            "\u{2028}",
            "\u{a0}x\u{a0}",
            "\u{e100}",
            "[[x]]",
            "😀",
            "a\\",
        ];
        for text in texts {
            assert_eq!(shown(&quoted_shown(text)), text);
            for written in [message(text), quoted(text)] {
                assert_eq!(name(&written), text, "{written:?}");
                assert!(!written.contains(['\n', '\r']), "{written:?}");
            }
            assert_eq!(message(text).trim(), message(text));
            assert!(!quoted(text).contains('"'));
        }
    }

    #[test]
    fn the_spellings_of_plantuml_are_understood() {
        assert_eq!(shown("a\\nb\\lc\\rd\\te\\\\nf\\g"), "a\nb\nc\nd\te\\nf\\g");
        assert_eq!(name("a \\n b\\n\\n c\\n"), "a b c");
        assert_eq!(name("\\n"), "\\n");
        assert_eq!(name("<U+1F600><U+41><U+D800><b>"), "😀<U+41><U+D800><b>");
    }
}
