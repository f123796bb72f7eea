//! The grammars: one function per production, shown in its documentation.
//!
//! `.hsf`, `.hif`, `.hcf` and the single-file form of 2020 differ only in which parts they have,
//! so one grammar reads them all:
//!
//! ```text
//! spec    := section* interaction?
//! section := '@message' '{' names '}' | '@lifeline' '{' names '}' | '@…_option' '{' options '}'
//! ```
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a production names the tokens it can take; every other token is unexpected"
)]

pub mod formula;
pub mod interaction;
pub mod options;
pub mod signature;
pub mod trace;

use crate::ast::{Interaction, NodeKind, Section, SpecFile};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::lexer::TokenKind;
use crate::options::Process;
use crate::parser::Cursor;
use crate::source::{Source, Span};
use crate::suggest::nearest;

pub use formula::parse_formulas;
pub use trace::parse_trace;

/// What a parser returns: always a tree, and whatever there is to say about the text.
#[derive(Debug, Clone, Default)]
pub struct Parsed<T> {
    /// The tree; parts that could not be read are left out or marked invalid.
    pub tree: T,
    /// Findings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads `.hsf`, `.hif`, `.hcf` and the single-file form of 2020.
///
/// ```
/// use otus_syntax::{Source, parse_spec};
///
/// let text = "@message{ m } @lifeline{ a; b } loopW(a -- m -> b)";
/// let parsed = parse_spec(&Source::new("model.hsf", text));
/// assert!(parsed.diagnostics.is_empty());
/// assert_eq!(parsed.tree.sections.len(), 2);
/// assert!(parsed.tree.interaction.is_some());
/// ```
pub fn parse_spec(source: &Source) -> Parsed<SpecFile> {
    let mut cursor = Cursor::new(source);
    let mut sections = Vec::new();
    let mut interaction = None;
    loop {
        match cursor.kind() {
            TokenKind::End => break,
            TokenKind::At => sections.extend(section(&mut cursor)),
            _ if interaction.is_none() => interaction = Some(interaction::interaction(&mut cursor)),
            _ => trailing_text(&mut cursor, interaction.as_ref()),
        }
    }
    let Cursor { names, comments, mut diagnostics, .. } = cursor;
    diagnostics.sort_by_key(|found| found.primary.span.start);
    let tree =
        SpecFile { source: source.id(), names, sections, interaction, comments, implicit: false };
    Parsed { tree, diagnostics }
}

/// What follows the `@` of a section.
const SECTIONS: [&str; 5] =
    ["message", "lifeline", "analyze_option", "explore_option", "canonize_option"];

/// `section := '@' keyword '{' … '}'`
fn section(cursor: &mut Cursor<'_>) -> Option<Section> {
    let at = cursor.bump().span;
    let keyword = cursor.token().span;
    let word = if cursor.kind() == TokenKind::Word { cursor.text() } else { "" };
    if word.is_empty() {
        cursor.unexpected("a section keyword such as `@message` or `@lifeline`");
    } else {
        cursor.bump();
    }
    let word = if SECTIONS.contains(&word) {
        word
    } else {
        let span = at.to(keyword);
        // A plural or a slip of the pen is read as the section that was meant.
        let meant = nearest(word, SECTIONS);
        if !word.is_empty() {
            let found = Diagnostic::new(
                Code::UNKNOWN_SECTION,
                cursor.source(),
                span,
                format!("there is no section `@{word}`"),
            );
            cursor.report(match meant {
                Some(meant) => found
                    .with_help(format!("did you mean `@{meant}`?"))
                    .with_fix(span, format!("@{meant}")),
                None => found.with_help(
                    "the sections are @message, @lifeline, @analyze_option and @explore_option",
                ),
            });
        }
        meant.unwrap_or("")
    };
    let process = match word {
        "message" => return Some(Section::Messages(signature::declarations(cursor, at))),
        "lifeline" => return Some(Section::Lifelines(signature::declarations(cursor, at))),
        "analyze_option" => Process::Analyze,
        "explore_option" => Process::Explore,
        "canonize_option" => Process::Canonize,
        _ => {
            skip_braces(cursor);
            return None;
        }
    };
    Some(Section::Options(options::section(cursor, at, process)))
}

/// Skips a `{…}` of an unknown section, if there is one.
fn skip_braces(cursor: &mut Cursor<'_>) {
    if cursor.eat(TokenKind::LeftBrace).is_none() {
        return;
    }
    let mut open = 1_u32;
    while open > 0 && !matches!(cursor.kind(), TokenKind::End | TokenKind::At) {
        match cursor.bump().kind {
            TokenKind::LeftBrace => open += 1,
            TokenKind::RightBrace => open -= 1,
            _ => {}
        }
    }
}

/// Reports what follows a complete interaction, and skips to the next section.
fn trailing_text(cursor: &mut Cursor<'_>, before: Option<&Interaction>) {
    let start = cursor.token().span;
    while !matches!(cursor.kind(), TokenKind::End | TokenKind::At) {
        cursor.bump();
    }
    // After an interaction that could not be read, this is more of the same fault.
    if before.is_some_and(|before| before.node(before.root).kind == NodeKind::Invalid) {
        return;
    }
    let span = Span::new(start.start, cursor.previous_end().max(start.end));
    cursor.report(
        Diagnostic::new(
            Code::TRAILING_TEXT,
            cursor.source(),
            span,
            "this stands after the end of the interaction",
        )
        .with_help(
            "a file has one interaction: combine parts with seq(…, …), and check the brackets above",
        ),
    );
}
