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

/// The text on one line, encoded so that Mermaid and [`decode`] give it back.
pub(super) fn encode(text: &str) -> Cow<'_, str> {
    // Readers trim texts, so spaces at both ends are encoded.
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

/// A directive encoded so that Mermaid does not find the beginning of a setting, `%%{`, in it. Only a
/// quoted name can contain it, and there a numeric escape is possible.
pub(super) fn encode_directive(text: &str) -> String {
    text.replace("%%{", "%\\u{25}{")
}

/// Words that make Mermaid assume another kind of diagram, at any position.
pub(super) const FOREIGN_WORDS: [&str; 4] =
    ["C4Container", "C4Component", "C4Dynamic", "C4Deployment"];

fn must_encode(text: &str, at: usize, c: char) -> bool {
    match c {
        '#' | ';' => true,
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
        check("plain text: 50% (x) <br/>", "plain text: 50% (x) <br/>");
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
