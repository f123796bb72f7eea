//! The grammars: one function per production, with the production in its documentation.
//!
//! `.hsf`, `.hif`, `.hcf` and the single-file form of 2020 have different subsets of the same parts, so
//! they share one grammar:
//!
//! ```text
//! spec    := section* interaction?
//! section := '@message' '{' names '}' | '@lifeline' '{' names '}' | '@…_option' '{' options '}'
//! ```
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a production lists the tokens it accepts; every other token is unexpected"
)]

pub mod formula;
pub mod interaction;
pub mod options;
pub mod signature;
pub mod trace;

use crate::ast::{Interaction, NodeKind, Section, SpecFile};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::lexer::TokenKind::{self, Sign};
use crate::options::Process;
use crate::parser::Cursor;
use crate::source::{Source, Span};
use crate::suggest::nearest;

pub use formula::parse_formulas;
pub use trace::parse_trace;

/// The result of a parser: always a tree, and diagnostics.
#[derive(Debug, Clone, Default)]
pub struct Parsed<T> {
    /// The tree; parts with syntax errors are left out or marked invalid.
    pub tree: T,
    /// The findings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses `.hsf`, `.hif`, `.hcf` and the single-file form of 2020.
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
            Sign('@') => sections.extend(section(&mut cursor)),
            _ if interaction.is_none() => interaction = Some(interaction::interaction(&mut cursor)),
            _ => trailing_text(&mut cursor, interaction.as_ref()),
        }
    }
    let Cursor { names, comments, findings, .. } = cursor;
    let source = source.id();
    findings.with_tree(SpecFile {
        source,
        names,
        sections,
        interaction,
        comments,
        implicit: false,
        drawing: None,
    })
}

/// The keywords of sections, after the `@`.
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
        // A plural or a misspelt keyword is read as the nearest section.
        let meant = nearest(word, SECTIONS);
        if !word.is_empty() {
            let message = format!("there is no section `@{word}`");
            let found = cursor.findings.finding(Code::UNKNOWN_SECTION, span, message);
            cursor.findings.push(found.with_nearest(
                meant.map(|meant| format!("@{meant}")),
                "the sections are @message, @lifeline, @analyze_option and @explore_option",
            ));
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
    if cursor.eat(Sign('{')).is_none() {
        return;
    }
    let mut open = 1_u32;
    while open > 0 && !matches!(cursor.kind(), TokenKind::End | Sign('@')) {
        match cursor.bump().kind {
            Sign('{') => open += 1,
            Sign('}') => open -= 1,
            _ => {}
        }
    }
}

/// Parses `'{' (item | ';')* '}'`; `item` parses from any token that is neither `;` nor the end.
fn braced(cursor: &mut Cursor<'_>, mut item: impl FnMut(&mut Cursor<'_>)) {
    let Some(open) = cursor.expect(Sign('{'), "`{`") else { return };
    cursor.items(open.span, '}', "@", |cursor| {
        if cursor.eat(Sign(';')).is_none() {
            item(cursor);
        }
    });
}

/// Reports text after a complete interaction, and skips to the next section.
fn trailing_text(cursor: &mut Cursor<'_>, before: Option<&Interaction>) {
    let start = cursor.token().span;
    while !matches!(cursor.kind(), TokenKind::End | Sign('@')) {
        cursor.bump();
    }
    // After a syntax error in the interaction, this text belongs to the same fault.
    if before.is_some_and(|before| before.node(before.root).kind == NodeKind::Invalid) {
        return;
    }
    let span = Span::new(start.start, cursor.previous_end().max(start.end));
    let message = "this stands after the end of the interaction";
    let help =
        "a file has one interaction: combine parts with seq(…, …), and check the brackets above";
    cursor.findings.report(Code::TRAILING_TEXT, span, message, help);
}
