//! Reading and writing of names in directives: plain, or quoted with escapes.

use std::fmt::Write as _;

use super::read::{Cursor, Fault};
use crate::code::Code;
use crate::name::{self, Name, Names};

impl Cursor<'_> {
    pub(super) fn name(&mut self, shape: &str) -> Result<Name, Fault> {
        self.skip_spaces();
        let start = self.position;
        if self.rest().starts_with('"') {
            return self.quoted_name();
        }
        let length = self.rest().find(is_delimiter).unwrap_or(self.rest().len());
        if length == 0 {
            let found = self.rest().chars().next().map_or(0, char::len_utf8);
            return Err(Fault {
                code: Code::UNEXPECTED_TOKEN,
                span: self.span(start, start + found),
                message: String::from("a name was expected here"),
                help: format!("the directive reads {shape}; quote a name that has spaces in it"),
            });
        }
        self.position += length;
        let symbol = self.names.intern(&self.text[start..self.position]);
        Ok(Name { symbol, span: self.span(start, self.position) })
    }

    fn quoted_name(&mut self) -> Result<Name, Fault> {
        let start = self.position;
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((index, c)) = characters.next() {
            match c {
                '"' => {
                    self.position = start + index + 1;
                    let span = self.span(start, self.position);
                    if text.is_empty() {
                        return Err(Fault {
                            code: Code::EMPTY_NAME,
                            span,
                            message: String::from("a name has at least one character"),
                            help: String::from("put the name between the quotes"),
                        });
                    }
                    return Ok(Name { symbol: self.names.intern(&text), span });
                }
                '\\' => match characters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, 't')) => text.push('\t'),
                    Some((at, 'u')) => {
                        let Some((character, length)) = numbered(&self.rest()[at..]) else {
                            text.push('u');
                            continue;
                        };
                        text.push(character);
                        for _ in 1..length {
                            characters.next();
                        }
                    }
                    Some((_, escaped)) => text.push(escaped),
                    None => break,
                },
                other => text.push(other),
            }
        }
        Err(Fault {
            code: Code::UNTERMINATED_QUOTE,
            span: self.span(start, self.text.trim_end().len()),
            message: String::from("the quoted name does not end on this line"),
            help: String::from("close it with `\"`; a quote inside is written `\\\"`"),
        })
    }
}

fn is_delimiter(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | '(' | ')' | '"')
}

/// The character of an escape `u{2028}`, and the length of the escape.
fn numbered(text: &str) -> Option<(char, usize)> {
    let digits = text.strip_prefix("u{")?;
    let length = digits.bytes().take(7).position(|byte| byte == b'}')?;
    let digits = &digits[..length];
    let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let character = char::from_u32(u32::from_str_radix(digits, 16).ok().filter(|_| all)?)?;
    Some((character, length + 3))
}

pub(super) fn write_name(text: &mut String, name: Name, names: &Names) {
    let name = names.text(name.symbol);
    if name::is_plain(name) && !name.is_empty() {
        text.push_str(name);
        return;
    }
    text.push('"');
    for c in name.chars() {
        match c {
            '"' | '\\' => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\{c}");
            }
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            // PlantUML takes some of these for line breaks.
            _ if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                let _ = write!(text, "\\u{{{:x}}}", u32::from(c));
            }
            other => text.push(other),
        }
    }
    text.push('"');
}
