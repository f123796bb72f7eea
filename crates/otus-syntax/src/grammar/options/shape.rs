//! The syntax that all options share: phrases, lists, numbers.
//!
//! These functions recurse, but at most [`MAX_NESTING`] levels deep, which suffices for every option;
//! deeper nesting is reported.

use super::meaning::is_option;
use crate::lexer::TokenKind::{self, Sign};
use crate::lexer::unquote;
use crate::name::Name;
use crate::parser::Cursor;
use crate::source::Span;

/// An uninterpreted option or value: a phrase with an optional argument.
pub(super) struct Entry {
    pub(super) span: Span,
    /// The phrase with its words joined by `_`; empty for a bare list or number.
    pub(super) phrase: String,
    pub(super) key: Span,
    pub(super) argument: Argument,
}

pub(super) enum Argument {
    None,
    /// `= value`, or a number right after the phrase.
    Value(Box<Entry>),
    /// `[…]`
    List(Vec<Entry>),
    /// `{(l1,l2),(l3)}`
    Regions(Vec<Vec<Name>>),
    /// A number with its sign.
    Number {
        negative: bool,
        digits: Span,
    },
    /// `true`, `⊤`, …
    Truth(bool),
}

/// The deepest nesting of lists and values.
const MAX_NESTING: usize = 8;

/// `entry := phrase ('=' value)? | phrase list | phrase number`
pub(super) fn entry(cursor: &mut Cursor<'_>, depth: usize) -> Entry {
    let start = cursor.token().span;
    let mut phrase = String::new();
    let mut key = Span::at(start.start);
    while cursor.kind() == TokenKind::Word {
        if !phrase.is_empty() {
            // The next option does not belong to this phrase; the `;` is missing.
            if is_option(cursor.text()) && cursor.kind_after() == Sign('=') {
                break;
            }
            phrase.push('_');
        }
        phrase.push_str(cursor.text());
        key = start.to(cursor.bump().span);
    }
    let argument = if cursor.eat(Sign('=')).is_some() {
        Argument::Value(Box::new(value(cursor, depth + 1)))
    } else {
        match cursor.kind() {
            Sign('[') => Argument::List(list(cursor, depth)),
            TokenKind::Number => Argument::Value(Box::new(value(cursor, depth + 1))),
            _ => Argument::None,
        }
    };
    Entry {
        span: Span::new(start.start, cursor.previous_end().max(start.start)),
        phrase,
        key,
        argument,
    }
}

/// `value := entry | list | number | truth | '{' region (',' region)* '}'`
fn value(cursor: &mut Cursor<'_>, depth: usize) -> Entry {
    let start = cursor.token().span;
    let argument = match cursor.kind() {
        Sign('[') => Argument::List(list(cursor, depth)),
        Sign('{') => Argument::Regions(regions(cursor)),
        TokenKind::Number | Sign('-') => {
            let negative = cursor.eat(Sign('-')).is_some();
            let digits = cursor.token().span;
            cursor.expect(TokenKind::Number, "a number");
            Argument::Number { negative, digits }
        }
        Sign('⊤' | '⊥') => Argument::Truth(cursor.bump().kind == Sign('⊤')),
        TokenKind::Word if matches!(cursor.text(), "true" | "True" | "TRUE") => {
            cursor.bump();
            Argument::Truth(true)
        }
        TokenKind::Word if matches!(cursor.text(), "false" | "False" | "FALSE") => {
            cursor.bump();
            Argument::Truth(false)
        }
        TokenKind::Word if depth < MAX_NESTING => return entry(cursor, depth),
        TokenKind::Word => {
            cursor.unexpected("the end of this option");
            skip_entry(cursor);
            Argument::None
        }
        TokenKind::Quoted => {
            let quoted = cursor.bump().span;
            let phrase = unquote(cursor.slice(quoted)).into_owned();
            return Entry { span: quoted, phrase, key: quoted, argument: Argument::None };
        }
        _ => {
            cursor.unexpected("a value");
            Argument::None
        }
    };
    let span = Span::new(start.start, cursor.previous_end().max(start.start));
    Entry { span, phrase: String::new(), key: start, argument }
}

/// `list := '[' (entry (',' entry)*)? ']'`
fn list(cursor: &mut Cursor<'_>, depth: usize) -> Vec<Entry> {
    let open = cursor.bump().span;
    let mut entries = Vec::new();
    cursor.items(open, ']', "@;}", |cursor| match cursor.kind() {
        TokenKind::Word if depth < MAX_NESTING => entries.push(entry(cursor, depth + 1)),
        kind => {
            if kind != Sign(',') {
                cursor.unexpected("an entry, `,` or `]`");
            }
            cursor.bump();
        }
    });
    entries
}

/// `'{' region (',' region)* '}'` with `region := '(' name (',' name)* ')'`
fn regions(cursor: &mut Cursor<'_>) -> Vec<Vec<Name>> {
    let open = cursor.bump().span;
    let mut regions: Vec<Vec<Name>> = Vec::new();
    cursor.items(open, '}', "@;]", |cursor| match cursor.kind() {
        TokenKind::Word | TokenKind::Quoted | TokenKind::OpenQuote => {
            let name = cursor.name("a lifeline");
            match regions.last_mut() {
                Some(region) => region.extend(name),
                None => cursor.unexpected("`(` before the lifelines of a co-localization"),
            }
        }
        kind => {
            match kind {
                Sign('(') => regions.push(Vec::new()),
                Sign(',' | ')') => {}
                _ => cursor.unexpected("`(`, a lifeline, `,` or `}`"),
            }
            cursor.bump();
        }
    });
    regions
}

pub(super) fn skip_entry(cursor: &mut Cursor<'_>) {
    while !matches!(cursor.kind(), Sign(';' | '}' | '@') | TokenKind::End) {
        cursor.bump();
    }
}
