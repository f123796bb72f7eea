//! Diagnostics about invalid values and about options without effect.

use super::shape::{Argument, Entry};
use crate::code::Code;
use crate::excerpt::shortened;
use crate::parser::Cursor;
use crate::source::Span;
use crate::suggest::nearest;

/// The help for a bound.
pub(super) const NATURAL: &str = "write a number such as `= 0` or `= 10`";
/// The help for a priority level.
pub(super) const WHOLE: &str = "write a number such as `= 1` or `= -1`";

/// Reports an invalid number; the result is always `None`.
pub(super) fn bad_number<T>(
    cursor: &mut Cursor<'_>,
    span: Span,
    message: &str,
    help: &str,
) -> Option<T> {
    cursor.report(cursor.finding(Code::BAD_NUMBER, span, message).with_help(help));
    None
}

/// Reports an entry that is not `what`; the result is always `None`.
pub(super) fn bad_value<T>(
    cursor: &mut Cursor<'_>,
    entry: &Entry,
    what: &str,
    known: &[&str],
) -> Option<T> {
    let span = if entry.phrase.is_empty() { entry.span } else { entry.key };
    // A missing value has already been reported.
    let is_missing = matches!(entry.argument, Argument::None) && entry.phrase.is_empty();
    if is_missing
        && cursor.diagnostics.last().is_some_and(|last| last.primary.span.start == span.start)
    {
        return None;
    }
    let written = cursor.slice(span).trim();
    let found = cursor.finding(
        Code::UNKNOWN_VALUE,
        span,
        format!("`{}` is not {what}", shortened(written, 40)),
    );
    let meant = nearest(written, known.iter().copied());
    cursor.report(match meant {
        Some(meant) => found.with_help(format!("did you mean `{meant}`?")).with_fix(span, meant),
        None => found.with_help(format!("known are {}", known.join(", "))),
    });
    None
}

pub(super) fn not_needed(cursor: &mut Cursor<'_>, span: Span, what: &str, why: &str) {
    cursor.report(cursor.finding(
        Code::OPTION_NOT_NEEDED,
        span,
        format!("{what} is accepted, and changes nothing: {why}"),
    ));
}

/// Warns that an option was set before in this section, at `first`.
pub(super) fn twice(cursor: &mut Cursor<'_>, first: Span, key: Span) {
    cursor.report(
        cursor
            .finding(Code::OPTION_TWICE, key, "this option was set before; the last one counts")
            .with_related(cursor.source(), first, "first set here")
            .with_help("keep one of the two"),
    );
}
