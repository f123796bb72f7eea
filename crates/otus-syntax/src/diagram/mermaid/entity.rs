//! Mermaid's entities, which encode `;`, `#` and line breaks in texts.
//!
//! Mermaid replaces `#NAME;` before it parses, so an entity can occur anywhere. Otherwise `#` begins a
//! comment and `;` ends the statement.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The length of the entity that begins at the start of `text`, if there is one.
pub(super) fn entity_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'#') {
        return None;
    }
    let name = bytes[1..].iter().take_while(|&&b| b.is_ascii_alphanumeric() || b == b'_').count();
    (name > 0 && bytes.get(name + 1) == Some(&b';')).then_some(name + 2)
}

/// The text with its entities replaced, except unknown ones.
pub(super) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('#') {
        return Cow::Borrowed(text);
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('#') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = entity_length(rest).unwrap_or(1);
        match character(&rest[1..length.max(2) - 1]) {
            Some(c) => decoded.push(c),
            None => decoded.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

/// The lines of a text that `<br>`, `<br/>` or `<br />` separate, still encoded.
pub(super) fn lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices('<') {
        if at >= start
            && let Some(length) = break_length(&text[at..])
        {
            lines.push(&text[start..at]);
            start = at + length;
        }
    }
    lines.push(&text[start..]);
    lines
}

/// The decoded text as the picture shows it, with line breaks.
pub(super) fn shown(text: &str) -> String {
    let lines: Vec<_> = lines(text).into_iter().map(|line| decode(line.trim())).collect();
    lines.join("\n")
}

/// The inverse of [`shown`].
pub(super) fn encode_shown(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(encode).collect();
    lines.join("<br/>")
}

/// The decoded text with its lines joined by blanks: a line break belongs to the picture, not to a name.
pub(super) fn on_one_line<'a>(text: &'a str, decode: impl Fn(&'a str) -> Cow<'a, str>) -> String {
    let mut joined = String::with_capacity(text.len());
    for line in lines(text).into_iter().map(str::trim).filter(|line| !line.is_empty()) {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(&decode(line));
    }
    // A text that consists only of line breaks must still give a name, so it is kept.
    if joined.is_empty() { decode(text).into_owned() } else { joined }
}

/// The length of the line break `<br/>` at the start of a text.
fn break_length(text: &str) -> Option<usize> {
    let tag = text.get(..3).filter(|tag| tag.eq_ignore_ascii_case("<br"))?;
    let rest = text[tag.len()..].trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix('/').unwrap_or(rest).strip_prefix('>')?;
    Some(text.len() - rest.len())
}

/// The text on one line, encoded so that Mermaid and [`decode`] give it back.
pub(super) fn encode(text: &str) -> Cow<'_, str> {
    // Readers trim texts, so spaces at the beginning and the end are encoded.
    let inner = text.len() - text.trim_start().len()..text.trim_end().len();
    let must_encode = |at, c| must_encode(text, at, c) || (c == ' ' && !inner.contains(&at));
    if !text.char_indices().any(|(at, c)| must_encode(at, c)) {
        return Cow::Borrowed(text);
    }
    let mut encoded = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        // Mermaid mistakes `style…:…#…;` for a style of another kind of diagram and drops its `;`,
        // so colons are encoded in a text with entities.
        if must_encode(at, c) || c == ':' {
            let _ = write!(encoded, "#{};", u32::from(c));
        } else {
            encoded.push(c);
        }
    }
    Cow::Owned(encoded)
}

/// A directive, encoded so that it does not contain `%%{`, with which a Mermaid setting begins. Only
/// a quoted name can contain that text, and there a numeric escape is possible.
pub(super) fn encode_directive(text: &str) -> String {
    text.replace("%%{", "%\\u{25}{")
}

/// The text without an initial instruction `wrap:` or `nowrap:`.
pub(super) fn without_wrap(text: &str) -> &str {
    let body = text.strip_prefix(':').unwrap_or(text);
    for instruction in ["wrap:", "nowrap:"] {
        if let Some(rest) = body.strip_prefix(instruction) {
            return rest.trim_start();
        }
    }
    text
}

/// Words at which Mermaid assumes another kind of diagram, wherever they occur.
pub(super) const FOREIGN_WORDS: [&str; 4] =
    ["C4Container", "C4Component", "C4Dynamic", "C4Deployment"];

fn must_encode(text: &str, at: usize, c: char) -> bool {
    match c {
        '#' | ';' => true,
        // `<br/>` would be a line break.
        '<' => break_length(&text[at..]).is_some(),
        // `%%{` would begin a setting.
        '%' => text[at + 1..].starts_with('%'),
        // `wrap:` at the beginning of a text is an instruction.
        ':' => matches!(&text[..at], "" | "wrap" | "nowrap"),
        'C' => FOREIGN_WORDS.iter().any(|word| text[at..].starts_with(word)),
        _ => c.is_control() || (c.is_whitespace() && c != ' ') || c == '\u{feff}',
    }
}

fn character(name: &str) -> Option<char> {
    if name.is_empty() {
        return None;
    }
    if name.bytes().all(|b| b.is_ascii_digit()) {
        return name.parse().ok().and_then(char::from_u32);
    }
    let mut characters = ENTITIES.split(' ').filter_map(|entity| entity.strip_prefix(name));
    characters.find_map(|rest| rest.parse().ok())
}

/// The entities that have a name; each name is followed by its character.
const ENTITIES: &str = "amp& apos' ast* bsol\\ colon: comma, commat@ copy© dollar$ equals= excl! \
    grave` gt> hellip… infin∞ larr← lbrace{ lbrack[ lowbar_ lpar( lt< mdash— nbsp\u{a0} ndash– num# \
    percnt% period. plus+ quest? quot\" rarr→ rbrace} rbrack] rpar) semi; sol/ vert|";

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(plain: &str, encoded: &str) {
        assert_eq!(encode(plain), encoded);
        assert_eq!(decode(encoded), plain);
    }

    #[test]
    fn texts_come_back() {
        check("plain text: 50% (x) <b>", "plain text: 50% (x) <b>");
        check("a<br/>b", "a#60;br/>b");
        check("a;b", "a#59;b");
        check("a#59;b", "a#35;59#59;b");
        check("style:x#1;", "style#58;x#35;1#59;");
        check(" a ", "#32;a#32;");
        check("two\nlines", "two#10;lines");
        check("%%{init}%%", "#37;%{init}#37;%");
        check("wrap:x", "wrap#58;x");
        check(":wrap:x", "#58;wrap#58;x");
        check("", "");
        check(" ", "#32;");
        check("C4Container", "#67;4Container");
    }

    #[test]
    fn line_breaks_are_blanks_in_names() {
        for (text, expected) in [
            ("a<br/>b", "a b"),
            ("a <br> b<BR />c", "a b c"),
            ("<br/>a<br/>", "a"),
            ("a#60;br/>b", "a<br/>b"),
            ("<br/>", "<br/>"),
            ("a<brow>b", "a<brow>b"),
            ("é<br", "é<br"),
        ] {
            assert_eq!(on_one_line(text, decode), expected, "{text}");
        }
    }

    #[test]
    fn entities_decode_and_others_stay() {
        for (text, expected) in [
            ("a#quot;b#quot;", "a\"b\""),
            ("#9829;", "♥"),
            ("#nosuch;", "#nosuch;"),
            ("#", "#"),
            ("#;", "#;"),
            ("##35;", "##"),
            ("#1114112;", "#1114112;"),
            ("#99999999999999999999;", "#99999999999999999999;"),
            ("#é;", "#é;"),
        ] {
            assert_eq!(decode(text), expected, "{text}");
        }
    }
}
