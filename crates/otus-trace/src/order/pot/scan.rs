//! Scans the tokens of JSON and reports errors with their spans.
//!
//! A scanner stops at the first byte that is not JSON ([`Malformed`]). Values that are JSON but not
//! in the format are reported and skipped, so that one pass finds many errors. Nothing recurses on
//! the depth of the text.

use std::borrow::Cow;

use otus_syntax::source::offset;
use otus_syntax::{Code, Diagnostic, Source, Span, parser};

use crate::read::json::escape;

/// The rest of the text cannot be read; the reason has been reported.
#[derive(Debug)]
pub(super) struct Malformed;

/// A position in a JSON text.
pub(super) struct Scanner<'s> {
    pub(super) source: &'s Source,
    pub(super) bytes: &'s [u8],
    pub(super) at: usize,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'s> Scanner<'s> {
    pub(super) fn new(source: &'s Source) -> Self {
        let text = source.text();
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Scanner { source, bytes: text.as_bytes(), at, diagnostics: Vec::new() }
    }

    /// Skips white space and returns the next byte without taking it.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    /// Takes a byte if it is next; returns whether it is.
    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Takes a byte, or reports that `what` was expected.
    #[inline]
    pub(super) fn expect(&mut self, byte: u8, what: &str) -> Result<(), Malformed> {
        if self.eat(byte) { Ok(()) } else { Err(self.malformed(what)) }
    }

    /// After an item of a list or object that ends with `close`: takes the comma or the end;
    /// returns whether another item follows.
    #[inline]
    pub(super) fn more(&mut self, close: u8) -> Result<bool, Malformed> {
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                if self.peek() == Some(close) {
                    return Err(self.malformed("another item after the comma"));
                }
                Ok(true)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(self.malformed(if close == b'}' { "`,` or `}`" } else { "`,` or `]`" })),
        }
    }

    /// Takes the opening bracket of a list or object; returns whether it has an item.
    #[inline]
    pub(super) fn open(&mut self, open: u8, close: u8) -> Result<bool, Malformed> {
        let what = if open == b'{' { "an object" } else { "a list" };
        self.expect(open, what)?;
        Ok(!self.eat(close))
    }

    /// Takes a key with its colon.
    #[inline]
    pub(super) fn key(&mut self) -> Result<(Cow<'s, str>, Span), Malformed> {
        if self.peek() != Some(b'"') {
            return Err(self.malformed("a key in double quotes"));
        }
        let start = self.at;
        let key = self.string()?;
        let span = self.span_from(start);
        self.expect(b':', "`:`")?;
        Ok((key, span))
    }

    /// Takes a string, at its opening quote.
    #[inline]
    pub(super) fn string(&mut self) -> Result<Cow<'s, str>, Malformed> {
        let start = self.at + 1;
        let mut end = start;
        loop {
            match self.bytes.get(end) {
                Some(b'"') => {
                    self.at = end + 1;
                    return Ok(Cow::Borrowed(&self.source.text()[start..end]));
                }
                Some(b'\\') => return self.escaped(start, end).map(Cow::Owned),
                Some(0..0x20) | None => {
                    self.at = end;
                    return Err(self.unterminated(start - 1));
                }
                Some(_) => end += 1,
            }
        }
    }

    /// Takes a string with escapes, the first of which is at `at`.
    #[cold]
    fn escaped(&mut self, start: usize, mut at: usize) -> Result<String, Malformed> {
        let mut text = self.source.text()[start..at].to_owned();
        loop {
            let plain = at;
            while matches!(self.bytes.get(at), Some(byte) if !matches!(byte, b'"' | b'\\' | 0..0x20))
            {
                at += 1;
            }
            text.push_str(&self.source.text()[plain..at]);
            self.at = at;
            match self.bytes.get(at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => match escape(self.bytes, at) {
                    Ok((character, length)) => {
                        text.push(character);
                        at += length;
                    }
                    Err(length) => return Err(self.bad_escape(at, length)),
                },
                _ => return Err(self.unterminated(start - 1)),
            }
        }
    }

    /// Takes a number; returns its text.
    pub(super) fn number(&mut self) -> Result<(&'s str, Span), Malformed> {
        let start = self.at;
        self.at += usize::from(self.bytes.get(start) == Some(&b'-'));
        let whole = self.at;
        self.digits()?;
        if self.bytes[whole] == b'0' && self.at > whole + 1 {
            self.at = whole + 1;
            return Err(self.malformed("a number without zeros before it"));
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.bytes.get(self.at), Some(b'+' | b'-')));
            self.digits()?;
        }
        let span = self.span_from(start);
        Ok((&self.source.text()[start..self.at], span))
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == start { Err(self.malformed("a digit")) } else { Ok(()) }
    }

    /// Takes an integer of up to 18 digits, if one is next.
    #[inline]
    pub(super) fn small_integer(&mut self) -> Option<i64> {
        let negative = self.bytes.get(self.at) == Some(&b'-');
        let start = self.at + usize::from(negative);
        let mut value = 0_i64;
        let mut at = start;
        while let Some(digit) = self.bytes.get(at).map(|byte| byte.wrapping_sub(b'0')) {
            if digit > 9 {
                break;
            }
            if at - start == 18 {
                return None;
            }
            value = value * 10 + i64::from(digit);
            at += 1;
        }
        let leading_zero = at - start > 1 && self.bytes[start] == b'0';
        let more = matches!(self.bytes.get(at), Some(b'.' | b'e' | b'E'));
        if at == start || leading_zero || more {
            return None;
        }
        self.at = at;
        Some(if negative { -value } else { value })
    }

    /// Takes `true` or `false`, if one is next.
    pub(super) fn boolean(&mut self) -> Option<bool> {
        let rest = &self.bytes[self.at..];
        for (word, value) in [(&b"true"[..], true), (b"false", false)] {
            if rest.starts_with(word) {
                self.at += word.len();
                return Some(value);
            }
        }
        None
    }

    pub(super) fn skip(&mut self) -> Result<Span, Malformed> {
        self.peek();
        let start = self.at;
        let mut open: Vec<u8> = Vec::new();
        loop {
            // Before a value.
            match self.peek() {
                Some(b'{') => {
                    self.at += 1;
                    if !self.eat(b'}') {
                        self.key()?;
                        open.push(b'}');
                        continue;
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    if !self.eat(b']') {
                        open.push(b']');
                        continue;
                    }
                }
                Some(b'"') => drop(self.string()?),
                Some(b'-' | b'0'..=b'9') => drop(self.number()?),
                _ if self.boolean().is_some() => {}
                _ if self.bytes[self.at..].starts_with(b"null") => self.at += 4,
                _ => return Err(self.malformed("a value")),
            }
            // After a value: close the containers that end here.
            loop {
                let Some(&close) = open.last() else { return Ok(self.span_from(start)) };
                if self.more(close)? {
                    if close == b'}' {
                        self.key()?;
                    }
                    break;
                }
                open.pop();
            }
        }
    }

    pub(super) fn span_from(&self, start: usize) -> Span {
        Span::new(offset(start), offset(self.at))
    }

    /// Reports that the text is not JSON from here on.
    #[cold]
    pub(super) fn malformed(&mut self, what: &str) -> Malformed {
        let rest = &self.source.text()[self.at..];
        let (found, length) = match rest.chars().next() {
            None => ("the end of the text".to_owned(), 0),
            Some(c) if c.is_control() => {
                (format!("the character {}", c.escape_unicode()), c.len_utf8())
            }
            Some(c) => (format!("`{c}`"), c.len_utf8()),
        };
        let span = Span::new(offset(self.at), offset(self.at + length));
        let help =
            "the file must be JSON; a program that writes JSON gets brackets and commas right";
        self.fail(span, &format!("expected {what}, found {found}"), help)
    }

    #[cold]
    fn unterminated(&mut self, quote: usize) -> Malformed {
        let span = Span::new(offset(quote), offset(self.at));
        let help = "close it with `\"`; write a line end as `\\n` and a quote as `\\\"`";
        self.fail(span, "this text has no closing quote on its line", help)
    }

    #[cold]
    fn bad_escape(&mut self, start: usize, length: usize) -> Malformed {
        // The character after the backslash may have several bytes.
        let end = self.source.text().ceil_char_boundary((start + length + 1).min(self.bytes.len()));
        let span = Span::new(offset(start), offset(end));
        let help =
            "write `\\\\` for a backslash, `\\u` and four hexadecimal digits for a character";
        self.fail(span, "no character is written like this", help)
    }

    fn fail(&mut self, span: Span, message: &str, help: &str) -> Malformed {
        self.fault(Code::MALFORMED_JSON, span, message, help);
        Malformed
    }

    #[cold]
    pub(super) fn fault(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let found = Diagnostic::new(code, self.source.id(), span, message);
        self.report(found.with_help(help));
    }

    #[cold]
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        parser::report(&mut self.diagnostics, diagnostic);
    }

    /// Whether the list of diagnostics is full, so that further ones would not be shown.
    pub(super) fn is_full(&self) -> bool {
        self.diagnostics.len() > parser::MAX_DIAGNOSTICS
    }
}
