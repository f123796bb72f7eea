//! Encoding and decoding of texts in PlantUML.
//!
//! The name of a message or lifeline is the text in the picture. PlantUML encodes a line break as `\n`
//! (`\l` and `\r` also align the line), a tab as `\t`, a backslash before such a letter as `\\`, and any
//! character as `<U+0041>`; [`decode`] decodes these. Other markup, such as `**bold**`, is not
//! interpreted.
//!
//! Invariant: `decode(message(text)) = text`, and the same for [`quoted`].

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::diagram::numbered;

/// The text in the picture.
pub(super) fn decode(written: &str) -> Cow<'_, str> {
    if !written.contains(['\\', '<']) {
        return Cow::Borrowed(written);
    }
    let mut text = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(at) = rest.find(['\\', '<']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let (decoded, length) = match rest.as_bytes() {
            [b'\\', b'n' | b'l' | b'r', ..] => ('\n', 2),
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

/// The encoding of a text between double quotes.
pub(super) fn quoted(text: &str) -> String {
    encode(text, true)
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
            '\n' | '\t' => false,
            // Line breaks, the byte order mark, and characters that PlantUML uses internally.
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{e000}'..='\u{f8ff}' => true,
            _ => c.is_control(),
        };
        if must_number {
            // Writing to a string cannot fail.
            let _ = write!(written, "<U+{:04X}>", u32::from(c));
        } else {
            match c {
                '\n' => written.push_str("\\n"),
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
            for written in [message(text), quoted(text)] {
                assert_eq!(decode(&written), text, "{written:?}");
                assert!(!written.contains(['\n', '\r']), "{written:?}");
            }
            assert_eq!(message(text).trim(), message(text));
            assert!(!quoted(text).contains('"'));
        }
    }

    #[test]
    fn the_spellings_of_plantuml_are_understood() {
        assert_eq!(decode("a\\nb\\lc\\rd\\te\\\\nf\\g"), "a\nb\nc\nd\te\\nf\\g");
        assert_eq!(decode("<U+1F600><U+41><U+D800><b>"), "😀<U+41><U+D800><b>");
    }
}
