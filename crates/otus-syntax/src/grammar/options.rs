//! The grammar of options: `@analyze_option{ strategy = DFS; goal = Pass }`.
//!
//! Parsing has two steps. The first parses the syntax that all options share (`shape.rs`):
//!
//! ```text
//! section := '{' (entry (';' entry)* ';'?)? '}'
//! entry   := phrase ('=' value)? | phrase list | phrase number
//! value   := entry | list | number | truth | '{' region (',' region)* '}'
//! list    := '[' (entry (',' entry)*)? ']'
//! phrase  := word+                      joined by `_` or spaces: `max_depth`, `max depth`
//! ```
//!
//! The second interprets each entry, with one function per option (`meaning.rs`). Both generations of
//! spellings are accepted; an option that Otus does not need is kept, with a note.

mod meaning;
mod shape;

use std::mem::{Discriminant, discriminant};

use self::meaning::{not_needed, option};
use self::shape::{entry, skip_entry};
use super::braced;
use crate::code::Code;
use crate::lexer::TokenKind::{self, Sign};
use crate::options::{OptionItem, OptionSection, OptionValue, Process};
use crate::parser::Cursor;
use crate::source::Span;

/// `section := '{' (entry (';' entry)* ';'?)? '}'`, after its keyword; `at` is the `@`.
pub(super) fn section(cursor: &mut Cursor<'_>, at: Span, process: Process) -> OptionSection {
    let mut items: Vec<OptionItem> = Vec::new();
    // The first entry of each kind of option. There are few kinds, but perhaps many entries.
    let mut firsts: Vec<(Discriminant<OptionValue>, Span)> = Vec::new();
    if process == Process::Canonize {
        not_needed(cursor, at, "`@canonize_option`", "Otus normalises interactions by itself");
    }
    braced(cursor, |cursor| {
        if cursor.kind() != TokenKind::Word {
            cursor.unexpected("an option such as `strategy = DFS`");
            skip_entry(cursor);
            return;
        }
        let entry = entry(cursor, 0);
        if let Some(value) = option(cursor, &entry, process) {
            let kind = discriminant(&value);
            match firsts.iter().find(|first| first.0 == kind) {
                Some(&(_, first)) => {
                    let message = "this option was set before; the last one counts";
                    let found = cursor.findings.finding(Code::OPTION_TWICE, entry.key, message);
                    let found =
                        found.with_related(cursor.findings.source(), first, "first set here");
                    cursor.findings.push(found.with_help("keep one of the two"));
                }
                None => firsts.push((kind, entry.span)),
            }
            items.push(OptionItem { span: entry.span, value });
        }
        separator(cursor);
    });
    OptionSection { span: Span::new(at.start, cursor.previous_end()), process, items }
}

/// Reports a missing separator, and skips tokens that cannot begin an option.
fn separator(cursor: &mut Cursor<'_>) {
    match cursor.kind() {
        Sign(';' | '}' | '@') | TokenKind::End => {}
        TokenKind::Word | Sign(',') => {
            let end = Span::at(cursor.previous_end());
            let message = "`;` is missing between two options";
            let span = cursor.token().span;
            let found = cursor.findings.finding(Code::UNEXPECTED_TOKEN, span, message);
            cursor.findings.push(found.with_help("separate options by `;`").with_fix(end, ";"));
            cursor.eat(Sign(','));
        }
        _ => {
            cursor.unexpected("`;` or `}`");
            skip_entry(cursor);
        }
    }
}
