//! What is said about values that have no meaning, and options that have no effect.

use super::shape::{Argument, Entry};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::excerpt::shortened;
use crate::parser::Cursor;
use crate::source::Span;
use crate::suggest::nearest;

/// What a bound is.
pub(super) const NATURAL: &str = "write a number such as `= 0` or `= 10`";
/// What a level is.
pub(super) const WHOLE: &str = "write a number such as `= 1` or `= -1`";

pub(super) fn bad_number(cursor: &mut Cursor<'_>, span: Span, message: &str, help: &str) {
    cursor
        .report(Diagnostic::new(Code::BAD_NUMBER, cursor.source(), span, message).with_help(help));
}

pub(super) fn bad_value(cursor: &mut Cursor<'_>, entry: &Entry, what: &str, known: &[&str]) {
    let span = if entry.phrase.is_empty() { entry.span } else { entry.key };
    // Where a value is missing, that has been said.
    let is_missing = matches!(entry.argument, Argument::None) && entry.phrase.is_empty();
    if is_missing
        && cursor.diagnostics.last().is_some_and(|last| last.primary.span.start == span.start)
    {
        return;
    }
    let written = cursor.slice(span).trim();
    let found = Diagnostic::new(
        Code::UNKNOWN_VALUE,
        cursor.source(),
        span,
        format!("`{}` is not {what}", shortened(written, 40)),
    );
    let meant = nearest(written, known.iter().copied());
    cursor.report(match meant {
        Some(meant) => found.with_help(format!("did you mean `{meant}`?")).with_fix(span, meant),
        None => found.with_help(format!("known are {}", known.join(", "))),
    });
}

pub(super) fn not_needed(cursor: &mut Cursor<'_>, span: Span, what: &str, why: &str) {
    cursor.report(Diagnostic::new(
        Code::OPTION_NOT_NEEDED,
        cursor.source(),
        span,
        format!("{what} is accepted, and changes nothing: {why}"),
    ));
}

/// Warns that an option was set before in this section, at `first`.
pub(super) fn twice(cursor: &mut Cursor<'_>, first: Span, key: Span) {
    cursor.report(
        Diagnostic::new(
            Code::OPTION_TWICE,
            cursor.source(),
            key,
            "this option was set before; the last one counts",
        )
        .with_related(cursor.source(), first, "first set here")
        .with_help("keep one of the two"),
    );
}
