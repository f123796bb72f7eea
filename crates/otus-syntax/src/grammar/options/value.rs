//! The values that several options share: lists, names, truth values and numbers.

use super::fault::{NATURAL, WHOLE, bad_number, bad_value};
use super::shape::{Argument, Entry};
use crate::code::Code;
use crate::name::Name;
use crate::parser::Cursor;

/// The entries of a list value.
pub(super) fn entries<'e>(cursor: &mut Cursor<'_>, value: &'e Entry, option: &str) -> &'e [Entry] {
    match &value.argument {
        Argument::List(entries) if value.phrase.is_empty() => entries,
        _ => {
            cursor.report(
                cursor
                    .finding(Code::UNKNOWN_VALUE, value.span, format!("`{option}` takes a list"))
                    .with_help(format!("put it in brackets: {option} = […]")),
            );
            &[]
        }
    }
}

/// A name that becomes part of a file name.
pub(super) fn file_name(cursor: &mut Cursor<'_>, value: &Entry) -> Name {
    Name { symbol: cursor.names.intern(&value.phrase), span: value.span }
}

pub(super) fn truth(cursor: &mut Cursor<'_>, value: &Entry) -> Option<bool> {
    if let Argument::Truth(truth) = value.argument {
        return Some(truth);
    }
    bad_value(cursor, value, "`true` or `false`", &["true", "false"])
}

/// The number after `=` of an entry.
pub(super) fn entry_number(cursor: &mut Cursor<'_>, entry: &Entry) -> Option<u64> {
    match &entry.argument {
        Argument::Value(value) => number(cursor, value),
        _ => bad_number(cursor, entry.span, "the number is missing", NATURAL),
    }
}

pub(super) fn number(cursor: &mut Cursor<'_>, value: &Entry) -> Option<u64> {
    let Argument::Number { negative, digits } = value.argument else {
        return bad_number(cursor, value.span, "this is not a number", NATURAL);
    };
    if negative {
        return bad_number(cursor, value.span, "this number cannot be negative", NATURAL);
    }
    cursor.slice(digits).parse().ok().or_else(|| {
        let help = format!("the largest is {}; leave the option out for no limit", u64::MAX);
        bad_number(cursor, digits, "this number is too large", &help)
    })
}

pub(super) fn signed(cursor: &mut Cursor<'_>, value: &Entry) -> Option<i64> {
    let Argument::Number { negative, digits } = value.argument else {
        return bad_number(cursor, value.span, "this is not a number", WHOLE);
    };
    let parsed: Option<i64> = cursor.slice(digits).parse().ok();
    let parsed = parsed.or_else(|| {
        let help = format!("levels are between {} and {}", -i64::MAX, i64::MAX);
        bad_number(cursor, digits, "this number is too large", &help)
    });
    parsed.map(|n| if negative { -n } else { n })
}
