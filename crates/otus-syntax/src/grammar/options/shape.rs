//! The syntax that all options share: phrases, lists, numbers.
//!
//! These functions recurse, but at most [`MAX_NESTING`] levels deep, which suffices for every option;
//! deeper nesting is reported.

use super::meaning::OPTIONS;
use crate::lexer::{TokenKind, unquote};
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

/// The argument of a phrase.
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
            if OPTIONS.contains(&cursor.text()) && cursor.kind_after() == TokenKind::Equals {
                break;
            }
            phrase.push('_');
        }
        phrase.push_str(cursor.text());
        key = start.to(cursor.bump().span);
    }
    let argument = if cursor.eat(TokenKind::Equals).is_some() {
        Argument::Value(Box::new(value(cursor, depth + 1)))
    } else {
        match cursor.kind() {
            TokenKind::LeftBracket => Argument::List(list(cursor, depth)),
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
        TokenKind::LeftBracket => Argument::List(list(cursor, depth)),
        TokenKind::LeftBrace => Argument::Regions(regions(cursor)),
        TokenKind::Number | TokenKind::Minus => {
            let negative = cursor.eat(TokenKind::Minus).is_some();
            let digits = cursor.token().span;
            cursor.expect(TokenKind::Number, "a number");
            Argument::Number { negative, digits }
        }
        TokenKind::Top | TokenKind::Bottom => Argument::Truth(cursor.bump().kind == TokenKind::Top),
        TokenKind::Word => {
            let truth = match cursor.text() {
                "true" | "True" | "TRUE" => Some(true),
                "false" | "False" | "FALSE" => Some(false),
                _ => None,
            };
            match truth {
                Some(truth) => {
                    cursor.bump();
                    Argument::Truth(truth)
                }
                None if depth < MAX_NESTING => return entry(cursor, depth),
                None => {
                    cursor.unexpected("the end of this option");
                    skip_entry(cursor);
                    Argument::None
                }
            }
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
    loop {
        match cursor.kind() {
            TokenKind::RightBracket => {
                cursor.bump();
                return entries;
            }
            TokenKind::Comma => {
                cursor.bump();
            }
            TokenKind::Word if depth < MAX_NESTING => entries.push(entry(cursor, depth + 1)),
            TokenKind::End | TokenKind::At | TokenKind::Semicolon | TokenKind::RightBrace => {
                cursor.unclosed(open, ']');
                return entries;
            }
            _ => {
                cursor.unexpected("an entry, `,` or `]`");
                cursor.bump();
            }
        }
    }
}

/// `'{' region (',' region)* '}'` with `region := '(' name (',' name)* ')'`
fn regions(cursor: &mut Cursor<'_>) -> Vec<Vec<Name>> {
    let open = cursor.bump().span;
    let mut regions: Vec<Vec<Name>> = Vec::new();
    loop {
        match cursor.kind() {
            TokenKind::RightBrace => {
                cursor.bump();
                return regions;
            }
            TokenKind::LeftParen => {
                cursor.bump();
                regions.push(Vec::new());
            }
            TokenKind::Comma | TokenKind::RightParen => {
                cursor.bump();
            }
            TokenKind::Word | TokenKind::Quoted | TokenKind::OpenQuote => {
                let name = cursor.name("a lifeline");
                match regions.last_mut() {
                    Some(region) => region.extend(name),
                    None => cursor.unexpected("`(` before the lifelines of a co-localization"),
                }
            }
            TokenKind::End | TokenKind::At | TokenKind::Semicolon | TokenKind::RightBracket => {
                cursor.unclosed(open, '}');
                return regions;
            }
            _ => {
                cursor.unexpected("`(`, a lifeline, `,` or `}`");
                cursor.bump();
            }
        }
    }
}

pub(super) fn skip_entry(cursor: &mut Cursor<'_>) {
    while !matches!(
        cursor.kind(),
        TokenKind::Semicolon | TokenKind::RightBrace | TokenKind::End | TokenKind::At
    ) {
        cursor.bump();
    }
}
