//! Options: `@analyze_option{ strategy = DFS; goal = Pass }`.
//!
//! The text is read in two steps. First its shape, which all options share:
//!
//! ```text
//! section := '{' (entry (';' entry)* ';'?)? '}'
//! entry   := phrase ('=' value)? | phrase list | phrase number
//! value   := entry | list | number | truth | '{' region (',' region)* '}'
//! list    := '[' (entry (',' entry)*)? ']'
//! phrase  := word+                      spoken with `_` or spaces: `max_depth`, `max depth`
//! ```
//!
//! Then its meaning, one function per option. Both generations of spellings are known; an option
//! that Otus does not need is kept and noted.

mod analysis;
mod fault;
mod logger;
mod meaning;
mod search;
mod shape;
mod value;

use std::mem::{Discriminant, discriminant};

use self::fault::{not_needed, twice};
use self::meaning::option;
use self::shape::{entry, skip_entry};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::lexer::TokenKind;
use crate::options::{OptionItem, OptionSection, OptionValue, Process};
use crate::parser::Cursor;
use crate::source::Span;

/// `section := '{' (entry (';' entry)* ';'?)? '}'`, after its keyword; `at` is the `@`.
pub(super) fn section(cursor: &mut Cursor<'_>, at: Span, process: Process) -> OptionSection {
    let mut items: Vec<OptionItem> = Vec::new();
    // Where each kind of option was first set; there are few kinds, but perhaps many options.
    let mut firsts: Vec<(Discriminant<OptionValue>, Span)> = Vec::new();
    if process == Process::Canonize {
        not_needed(cursor, at, "`@canonize_option`", "Otus normalises interactions by itself");
    }
    if let Some(open) = cursor.expect(TokenKind::LeftBrace, "`{`") {
        loop {
            match cursor.kind() {
                TokenKind::RightBrace => {
                    cursor.bump();
                    break;
                }
                TokenKind::End | TokenKind::At => {
                    cursor.unclosed(open.span, '}');
                    break;
                }
                TokenKind::Semicolon => {
                    cursor.bump();
                }
                TokenKind::Word => {
                    let entry = entry(cursor, 0);
                    if let Some(value) = option(cursor, &entry, process) {
                        let kind = discriminant(&value);
                        match firsts.iter().find(|first| first.0 == kind) {
                            Some(&(_, first)) => twice(cursor, first, entry.key),
                            None => firsts.push((kind, entry.span)),
                        }
                        items.push(OptionItem { span: entry.span, value });
                    }
                    separator(cursor);
                }
                _ => {
                    cursor.unexpected("an option such as `strategy = DFS`");
                    skip_entry(cursor);
                }
            }
        }
    }
    OptionSection { span: Span::new(at.start, cursor.previous_end()), process, items }
}

/// Reports options that are not separated, and skips what no option can begin with.
fn separator(cursor: &mut Cursor<'_>) {
    match cursor.kind() {
        TokenKind::Semicolon | TokenKind::RightBrace | TokenKind::End | TokenKind::At => {}
        TokenKind::Word | TokenKind::Comma => {
            let end = Span::at(cursor.previous_end());
            cursor.report(
                Diagnostic::new(
                    Code::UNEXPECTED_TOKEN,
                    cursor.source(),
                    cursor.token().span,
                    "`;` is missing between two options",
                )
                .with_help("separate options by `;`")
                .with_fix(end, ";"),
            );
            cursor.eat(TokenKind::Comma);
        }
        _ => {
            cursor.unexpected("`;` or `}`");
            skip_entry(cursor);
        }
    }
}
