//! Guards in the labels of arrows: `A->>B: PUBLISH [mid = m, A at s]`.
//!
//! Labels with brackets are common in diagrams of today, so they are guards only in a diagram with the directive `otus: values`.
//! There, brackets at the end of a label, at its begin or after a blank, are one. Elsewhere a label keeps its meaning, and a
//! note says so if it could be a guard.
//!
//! A label is divided before it is decoded. So a name that ends like a guard can be written: its brackets are encoded.

use std::borrow::Cow;
use std::ops::Range;

use crate::code::Code;
use crate::diagnostic::Label;
use crate::diagram::statement::{Mark, StatementKind};
use crate::grammar::interaction::guard::{self, Draft};
use crate::lexer::TokenKind;
use crate::name::Names;
use crate::parser::{Cursor, Findings};
use crate::source::{Source, SourceId, Span, offset};

/// The guard in a label, with its brackets.
pub(super) fn part<'t>(
    label: &'t str,
    decode: impl Fn(&'t str) -> Cow<'t, str>,
) -> Option<Range<usize>> {
    let end = label.trim_end().len();
    if !label[..end].ends_with(']') {
        return None;
    }
    // A label has few brackets. The bound keeps the time linear in any case.
    let starts = label.match_indices('[').map(|(at, _)| at).take(MAX_BRACKETS);
    let is_apart = |at: &usize| label[..*at].chars().next_back().is_none_or(char::is_whitespace);
    let mut fitting =
        starts.filter(is_apart).filter(|&at| ends_with_bracket(&decode(&label[at..end])));
    fitting.next().map(|at| at..end)
}

/// The most brackets of a label that are tried as the begin of a guard.
const MAX_BRACKETS: usize = 20;

/// Whether the bracket at the start of a text is closed by its last character, and not before.
fn ends_with_bracket(text: &str) -> bool {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let closing = text.bytes().position(|byte| {
        let escaped = std::mem::replace(&mut is_escaped, false);
        match byte {
            b'\\' if is_quoted => is_escaped = !escaped,
            b'"' if !escaped => is_quoted = !is_quoted,
            _ => {}
        }
        byte == b']' && !is_quoted
    });
    closing == Some(text.len() - 1)
}

/// Parses a guard with its brackets, at `span` of the source. `is_literal` says whether it is there as it is in `text`.
pub(super) fn read(
    text: &str,
    span: Span,
    is_literal: bool,
    names: &mut Names,
    findings: &mut Findings,
) -> Vec<Draft> {
    let source = Source::new("guard", text);
    let mut cursor = Cursor::new(&source);
    std::mem::swap(&mut cursor.names, names);
    let mut drafts = guard::guard(&mut cursor);
    if cursor.kind() != TokenKind::End {
        cursor.unexpected("the end of the guard");
    }
    std::mem::swap(&mut cursor.names, names);
    let place = |inside: Span| {
        let placed = Span::new(span.start + inside.start, span.start + inside.end);
        if is_literal && placed.end <= span.end { placed } else { span }
    };
    for draft in &mut drafts {
        draft.relocate(place);
    }
    let own = |label: Label| Label { source: findings.source(), span: place(label.span), ..label };
    let found: Vec<_> = cursor
        .findings
        .list
        .into_iter()
        .map(|mut found| {
            found.primary = own(found.primary);
            found.related = found.related.into_iter().map(own).collect();
            found.fix = found.fix.filter(|_| is_literal);
            if let Some(fix) = &mut found.fix {
                fix.span = place(fix.span);
            }
            found
        })
        .collect();
    for found in found {
        findings.push(found);
    }
    drafts
}

/// Whether a text in brackets is a guard without a fault.
pub(super) fn is_guard(text: &str) -> bool {
    let source = Source::new("guard", text);
    let mut cursor = Cursor::new(&source);
    let drafts = guard::guard(&mut cursor);
    !drafts.is_empty() && cursor.kind() == TokenKind::End && cursor.findings.list.is_empty()
}

/// Whether some comment of a diagram is the directive `otus: values`.
pub(super) fn is_declared<'t>(mut comments: impl Iterator<Item = &'t str>) -> bool {
    comments.any(|comment| {
        let (mut names, mut findings) =
            (Names::default(), Findings::unbounded(SourceId::default()));
        comment.contains("values")
            && super::directive::read(comment, 0, &mut names, &mut findings)
                == Some(StatementKind::Mark(Mark::Values))
    })
}

/// The labels that look like guards, in a diagram without the directive.
#[derive(Default)]
pub(super) struct Suspects {
    first: Option<Span>,
    count: usize,
}

impl Suspects {
    /// Notes a label.
    pub(super) fn add(&mut self, span: Span) {
        self.first.get_or_insert(span);
        self.count += 1;
    }

    /// Tells the first one.
    pub(super) fn report(self, findings: &mut Findings) {
        let Some(span) = self.first else { return };
        let places =
            if self.count == 1 { String::new() } else { format!(" ({} places)", self.count) };
        let message = format!("these brackets look like a guard, but are part of the name{places}");
        let help = "add the directive `otus: values` in a comment to have guards checked";
        findings.report(Code::NOT_A_GUARD, span, message, help);
    }
}

/// The name of a message as its label is written, with its brackets encoded by `code`, so that no guard is found in it.
pub(super) fn without_guards(label: &str, code: impl Fn(char) -> String) -> String {
    let mut written = String::with_capacity(label.len());
    for c in label.chars() {
        if matches!(c, '[' | ']') {
            written.push_str(&code(c));
        } else {
            written.push(c);
        }
    }
    written
}

/// The span of a part of a text that begins at `start` of the source.
pub(super) fn span_of(start: usize, part: &Range<usize>) -> Span {
    Span::new(offset(start + part.start), offset(start + part.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_at_the_end_after_a_blank_are_a_guard() {
        #[track_caller]
        fn check(label: &str, expected: Option<&str>) {
            let found = part(label, Cow::Borrowed);
            assert_eq!(found.map(|range| &label[range]), expected, "{label}");
        }
        check("PUBLISH [mid = m]", Some("[mid = m]"));
        check("[k = 1] ", Some("[k = 1]"));
        check("m [x] [k = 1]", Some("[k = 1]"));
        check("m [k ~ \"a]b\"]", Some("[k ~ \"a]b\"]"));
        check("m [k = \"a\\\"]\"]", Some("[k = \"a\\\"]\"]"));
        check("m[0]", None);
        check("m [k = 1] n", None);
        check("m [k = \"]", None);
        check("]", None);
        check("", None);
    }
}
