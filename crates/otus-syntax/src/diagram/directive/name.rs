//! Reading and writing of names in directives: plain, or quoted with escapes.

use super::read::Cursor;
use crate::code::Code;
use crate::diagram::numbered;
use crate::lexer::{quoted, scan_quoted, unescape};
use crate::name::{self, Name, Names};

impl Cursor<'_> {
    pub(super) fn name(&mut self, shape: &str) -> Option<Name> {
        self.skip_spaces();
        let start = self.position;
        if self.rest().starts_with('"') {
            return self.quoted_name();
        }
        let is_delimiter = |c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '"');
        let mut length = self.rest().find(is_delimiter).unwrap_or(self.rest().len());
        // The lifelines of `loopC(a, b; fresh x)` end before the semicolon, which other names may contain.
        if let Some(at) = self.rest()[..length].find(';')
            && self.rest()[at + 1..].trim_start().starts_with("fresh ")
        {
            length = at;
        }
        if length == 0 {
            let found = self.rest().chars().next().map_or(0, char::len_utf8);
            let span = self.span(start, start + found);
            let help = format!("the directive reads {shape}; quote a name that has spaces in it");
            return self.fail(Code::UNEXPECTED_TOKEN, span, "a name was expected here", help);
        }
        self.position += length;
        let symbol = self.names.intern(&self.text[start..self.position]);
        Some(Name { symbol, span: self.span(start, self.position) })
    }

    fn quoted_name(&mut self) -> Option<Name> {
        let start = self.position;
        let quote = scan_quoted(self.text, start);
        if !quote.closed {
            let span = self.span(start, self.text.trim_end().len());
            let message = "the quoted name does not end on this line";
            let help = "close it with `\"`; a quote inside is written `\\\"`";
            return self.fail(Code::UNTERMINATED_QUOTE, span, message, help);
        }
        self.position = quote.end;
        let span = self.span(start, quote.end);
        let inner = &self.text[start + 1..quote.end - 1];
        if inner.is_empty() {
            let message = "a name has at least one character";
            let help = "put the name between the quotes";
            return self.fail(Code::EMPTY_NAME, span, message, help);
        }
        let text = unescape(inner, |rest| numbered(rest, "u{", b'}', 1));
        Some(Name { symbol: self.names.intern(&text), span })
    }
}

pub(super) fn write_name(text: &mut String, name: Name, names: &Names) {
    let name = names.text(name.symbol);
    if name::is_plain(name) && !name.is_empty() {
        text.push_str(name);
        return;
    }
    // PlantUML takes some of these for line breaks.
    let is_numbered = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    for c in quoted(name, '"').chars() {
        if is_numbered(c) {
            text.extend(c.escape_unicode());
        } else {
            text.push(c);
        }
    }
}
