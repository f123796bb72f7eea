//! The lexer of `.hsf`, `.hif` and `.hcf` texts, and the parts of it that `.htf` shares.
//!
//! The lexer is lazy: its only state is an offset, so look-ahead copies it. White space and comments are
//! skipped between tokens.

use std::borrow::Cow;

use crate::name::is_name_char;
use crate::source::{Span, offset};

/// A token with its span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// The kind of the token.
    pub kind: TokenKind,
    /// The span of the token.
    pub span: Span,
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// A plain name or keyword.
    Word,
    /// A name in double quotes.
    Quoted,
    /// A quote without its end on the same line.
    OpenQuote,
    /// Decimal digits.
    Number,
    /// A sign of one character: `@`, `{`, `,`, `∅` and so on.
    Sign(char),
    /// `--`
    Dashes,
    /// `->`
    Arrow,
    /// A character that begins no token.
    Unknown,
    /// The end of the text.
    End,
}

/// A comment between tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trivia {
    /// The comment with its delimiters.
    pub span: Span,
    /// Whether the comment is closed.
    pub terminated: bool,
}

/// An offset in a text from which tokens are read.
#[derive(Debug, Clone, Copy)]
pub struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    /// A lexer at the beginning of a text (after a byte order mark, if there is one).
    pub fn new(text: &'t str) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lexer { text, at }
    }

    /// Skips white space and at most one comment; returns the comment.
    pub fn comment(&mut self) -> Option<Trivia> {
        let (start, found) = skip_to_comment(self.text, self.at);
        self.at = start;
        let found = found?;
        self.at = found.span.end as usize;
        Some(found)
    }

    /// The next token; comments before it must have been skipped with [`Lexer::comment`].
    pub fn token(&mut self) -> Token {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let Some(&first) = bytes.get(start) else {
            return Token { kind: TokenKind::End, span: Span::at(offset(start)) };
        };
        let next = bytes.get(start + 1).copied();
        let (kind, length) = match first {
            b'@' | b'{' | b'}' | b'(' | b')' | b'[' | b']' | b',' | b';' | b'=' | b'.' | b'!'
            | b'?' | b'|' | b'<' | b'>' => (TokenKind::Sign(char::from(first)), 1),
            b'-' => match next {
                Some(b'-') => (TokenKind::Dashes, 2),
                Some(b'>') => (TokenKind::Arrow, 2),
                _ => (TokenKind::Sign('-'), 1),
            },
            b'"' => {
                let end = scan_quoted(self.text, start);
                let kind = if end.closed { TokenKind::Quoted } else { TokenKind::OpenQuote };
                (kind, end.end - start)
            }
            _ => {
                let end = scan_word(self.text, start);
                if end > start {
                    let word = &bytes[start..end];
                    let number = word.iter().all(u8::is_ascii_digit);
                    (if number { TokenKind::Number } else { TokenKind::Word }, end - start)
                } else {
                    match self.text[start..].chars().next() {
                        Some(sign @ ('∅' | '⊤' | '⊥')) => {
                            (TokenKind::Sign(sign), sign.len_utf8())
                        }
                        // A typographic quotation is one fault, not one for each character.
                        Some(quote @ '“') => {
                            let quoted = other_quote(&self.text[start..], '”');
                            (TokenKind::Unknown, quoted.unwrap_or(quote.len_utf8()))
                        }
                        // A run of control characters is one fault.
                        Some(other) if other.is_control() => {
                            let rest = &self.text[start..];
                            let end = rest.find(|c: char| !c.is_control() || c.is_whitespace());
                            (TokenKind::Unknown, end.unwrap_or(rest.len()).max(other.len_utf8()))
                        }
                        Some(other) => (TokenKind::Unknown, other.len_utf8()),
                        None => (TokenKind::End, 0),
                    }
                }
            }
        };
        self.at = start + length;
        Token { kind, span: Span::new(offset(start), offset(self.at)) }
    }
}

/// The end of a quoted name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuoteEnd {
    /// The byte after it.
    pub end: usize,
    /// Whether the closing quote was found on the same line.
    pub closed: bool,
}

/// The end of the word (plain name, keyword or number) that begins at `start`, or `start`.
pub fn scan_word(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    loop {
        while bytes.get(at).is_some_and(|&byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
            at += 1;
        }
        if bytes.get(at).is_none_or(u8::is_ascii) {
            return at;
        }
        match text[at..].chars().next() {
            Some(c) if is_name_char(c) => at += c.len_utf8(),
            _ => return at,
        }
    }
}

/// The end of the quoted name whose opening quote is at `start`.
pub fn scan_quoted(text: &str, start: usize) -> QuoteEnd {
    let found = scan_quote(text, start, b'"');
    if found.closed {
        return found;
    }
    let line = &text[start..found.end];
    // Brackets and arrows on the line are most likely not part of the name.
    let mut name = line;
    if line.len() < NEAR {
        let brackets = name.find([';', ',', '(', ')', '[', ']', '{', '}']);
        name = &name[..brackets.unwrap_or(name.len())];
        for arrow in ["--", "->"] {
            name = &name[..name.find(arrow).unwrap_or(name.len())];
        }
    }
    QuoteEnd { end: start + name.trim_end().len(), closed: false }
}

/// The end of the text in quotes of one kind that begins at `start`; the end of the line if it is open.
pub(crate) fn scan_quote(text: &str, start: usize, quote: u8) -> QuoteEnd {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => break,
            b'\\' if bytes.get(at + 1).is_some_and(|&next| next != b'\n') => at += 2,
            _ if byte == quote => return QuoteEnd { end: at + 1, closed: true },
            _ => at += 1,
        }
    }
    // A backslash skips only the first byte of the next character.
    QuoteEnd { end: text.ceil_char_boundary(at), closed: false }
}

/// The length of a text in quotes of another kind, where `close` is the closing quote; `None` if the closing
/// quote is too far away.
pub(crate) fn other_quote(text: &str, close: char) -> Option<usize> {
    let near = text.char_indices().take(NEAR).take_while(|&(_, c)| c != '\n');
    near.skip(1).find(|&(_, c)| c == close).map(|(at, c)| at + c.len_utf8())
}

/// The distance within which the end of an open quote is guessed. Without a bound, many open quotes on one
/// long line would take quadratic time.
const NEAR: usize = 1000;

/// The name of a quoted token; `quoted` includes the quotes, which may be back quotes.
pub fn unquote(quoted: &str) -> Cow<'_, str> {
    let quote = if quoted.starts_with('`') { '`' } else { '"' };
    let inner = quoted.strip_prefix(quote).unwrap_or(quoted);
    let inner = inner.strip_suffix(quote).unwrap_or(inner);
    if inner.contains('\\') { Cow::Owned(unescape(inner, |_| None)) } else { Cow::Borrowed(inner) }
}

/// The text with its escapes replaced. `other` gives the character of a further escape, after its
/// backslash, and the length of the escape.
pub(crate) fn unescape(text: &str, other: impl Fn(&str) -> Option<(char, usize)>) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (character, length) = match rest.chars().next() {
            None => ('\\', 0),
            Some('n') => ('\n', 1),
            Some('r') => ('\r', 1),
            Some('t') => ('\t', 1),
            Some(c) => other(rest).unwrap_or((c, c.len_utf8())),
        };
        plain.push(character);
        rest = &rest[length..];
    }
    plain + rest
}

/// A name as it is written: quoted unless it is plain. `unquote(quote(name)) = name`.
pub fn quote(name: &str) -> Cow<'_, str> {
    if crate::name::is_plain(name) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(quoted(name, '"'))
}

/// A text in quotes of the given kind, with escapes.
pub(crate) fn quoted(text: &str, quote: char) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push(quote);
    for c in text.chars() {
        match c {
            '\\' | '\n' | '\r' | '\t' => quoted.extend(c.escape_default()),
            _ if c == quote => quoted.extend(['\\', c]),
            _ => quoted.push(c),
        }
    }
    quoted.push(quote);
    quoted
}

/// Skips white space from `at`; returns its end and the comment that begins there, if any.
pub fn skip_to_comment(text: &str, mut at: usize) -> (usize, Option<Trivia>) {
    let bytes = text.as_bytes();
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\n' | b'\t' | b'\r') => at += 1,
            Some(b'/') => break,
            Some(byte) if byte.is_ascii() => return (at, None),
            Some(_) => match text[at..].chars().next() {
                Some(c) if c.is_whitespace() || c == '\u{feff}' => at += c.len_utf8(),
                _ => return (at, None),
            },
            None => return (at, None),
        }
    }
    let (end, terminated) = match bytes.get(at + 1) {
        Some(b'*') => match memchr::memmem::find(&bytes[at + 2..], b"*/") {
            Some(length) => (at + 2 + length + 2, true),
            None => (bytes.len(), false),
        },
        Some(b'/') => {
            let length = memchr::memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at);
            (at + text[at..at + length].trim_end().len(), true)
        }
        _ => return (at, None),
    };
    (at, Some(Trivia { span: Span::new(offset(at), offset(end)), terminated }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let mut lexer = Lexer::new(text);
        let mut kinds = Vec::new();
        loop {
            while lexer.comment().is_some() {}
            let token = lexer.token();
            if token.kind == TokenKind::End {
                return kinds;
            }
            kinds.push(token.kind);
        }
    }

    #[test]
    fn tokens_of_an_arrow() {
        use TokenKind::{Arrow, Dashes, Sign, Word};
        assert_eq!(kinds("a--m->|"), [Word, Dashes, Word, Arrow, Sign('|')]);
        assert_eq!(
            kinds("a -- <synch>m -> (b"),
            [Word, Dashes, Sign('<'), Word, Sign('>'), Word, Arrow, Sign('('), Word]
        );
        assert_eq!(kinds("a - b"), [Word, Sign('-'), Word]);
    }

    #[test]
    fn words_numbers_and_signs() {
        use TokenKind::{Number, OpenQuote, Quoted, Sign, Unknown, Word};
        assert_eq!(kinds("été l_1 12 2nd"), [Word, Word, Number, Word]);
        assert_eq!(kinds("∅ ⊤ ⊥ $ \u{1F989}"), [Sign('∅'), Sign('⊤'), Sign('⊥'), Unknown, Unknown]);
        assert_eq!(kinds("\"a b\" \"x\\\"y\" \"open\n"), [Quoted, Quoted, OpenQuote]);
    }

    #[test]
    fn comments_are_skipped() {
        use TokenKind::{Unknown, Word};
        assert_eq!(kinds("\u{feff}a /* b */ c // d\n e /* open"), [Word, Word, Word]);
        assert_eq!(kinds("a / b"), [Word, Unknown, Word]);
        let mut lexer = Lexer::new(" /* open");
        assert_eq!(lexer.comment().map(|comment| comment.terminated), Some(false));
    }

    #[test]
    fn quoting_is_undone_by_unquoting() {
        for name in ["", "a", "a b", "1", "\"", "\\", "a\nb\r\tc", "∅", "\\n", "é\"", "o"] {
            assert_eq!(unquote(&quote(name)), if name == "a" { "a" } else { name });
        }
        assert_eq!(quote("l1"), "l1");
        assert_eq!(quote("user-service"), "\"user-service\"");
    }

    #[test]
    fn an_open_quote_ends_on_a_character_boundary() {
        for text in ["\"\\", "\"\\∅", "\"∅\\", "\"\\\n"] {
            let end = scan_quoted(text, 0);
            assert!(!end.closed && text.is_char_boundary(end.end));
        }
    }
}
