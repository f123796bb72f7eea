//! From the text of a field to a value.
//!
//! A text that has the form of a number is one, if nothing else is said. The form is that of JSON: `007` is a text,
//! because it is more likely an id than a number, and so is `1e5` in a line of text. A number that does not fit is
//! no text: it would never compare with numbers that do. It is refused, and its value is unknown.

use std::borrow::Cow;
use std::hash::Hash;

use otus_core::Value;
use otus_syntax::Rational;
use otus_syntax::lexer::unquote;

use crate::mapping::As;

/// A value that is borrowed from a text. It hashes like the [`Value`] that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ValueKey<'t> {
    Boolean(bool),
    Number(Rational),
    Text(&'t str),
}

impl ValueKey<'_> {
    pub(super) fn is(&self, value: &Value) -> bool {
        match (self, value) {
            (ValueKey::Boolean(own), Value::Boolean(other)) => own == other,
            (ValueKey::Number(own), Value::Number(other)) => own == other,
            (ValueKey::Text(own), Value::Text(other)) => **own == **other,
            (ValueKey::Boolean(_) | ValueKey::Number(_) | ValueKey::Text(_), _) => false,
        }
    }

    pub(super) fn to_value(self) -> Value {
        match self {
            ValueKey::Boolean(truth) => Value::Boolean(truth),
            ValueKey::Number(number) => Value::Number(number),
            ValueKey::Text(text) => Value::Text(text.into()),
        }
    }
}

/// Why a text is no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueFault {
    TooLarge,
    NotANumber,
    NotATruthValue,
    Nested,
    /// The record has the field twice.
    Repeated,
}

impl ValueFault {
    /// The fault, after "is".
    pub(super) fn describe(self) -> &'static str {
        match self {
            ValueFault::TooLarge => "a number that does not fit in 64 bits",
            ValueFault::NotANumber => "no number",
            ValueFault::NotATruthValue => "neither true nor false",
            ValueFault::Nested => "a list or an object",
            ValueFault::Repeated => "there twice",
        }
    }

    pub(super) fn help(self) -> &'static str {
        match self {
            ValueFault::TooLarge => {
                "it counts as unknown; say `as = \"text\"` in `values` if it is an id"
            }
            ValueFault::NotANumber | ValueFault::NotATruthValue => {
                "it counts as unknown; leave out `as`, or say `as = \"text\"`"
            }
            ValueFault::Nested => "it counts as unknown; name a part of it by its path: `user.id`",
            ValueFault::Repeated => "it counts as unknown; an object has one value of a field",
        }
    }
}

/// The value of a text. `is_bare` is a JSON value without quotes.
pub(super) fn parse(text: &str, kind: As, is_bare: bool) -> Result<ValueKey<'_>, ValueFault> {
    if is_bare && text.starts_with(['{', '[']) {
        return Err(ValueFault::Nested);
    }
    match kind {
        As::Text | As::Literal => Ok(ValueKey::Text(text)),
        As::Number => number(text.trim().trim_start_matches('+')),
        As::Boolean => match text.trim() {
            "1" => Ok(ValueKey::Boolean(true)),
            "0" => Ok(ValueKey::Boolean(false)),
            word if word.eq_ignore_ascii_case("true") => Ok(ValueKey::Boolean(true)),
            word if word.eq_ignore_ascii_case("false") => Ok(ValueKey::Boolean(false)),
            _ => Err(ValueFault::NotATruthValue),
        },
        As::Plain => match text {
            "true" => Ok(ValueKey::Boolean(true)),
            "false" => Ok(ValueKey::Boolean(false)),
            _ if is_bare || has_form_of_number(text.as_bytes()) => number(text),
            _ => Ok(ValueKey::Text(text)),
        },
    }
}

/// The value of a text as it is written in a `.htf`: a text in quotes, or another value without. `None` for `null`.
pub(super) fn literal(written: &str) -> (Cow<'_, str>, As) {
    if written.starts_with('"') {
        (unquote(written), As::Text)
    } else {
        (written.into(), As::Plain)
    }
}

fn number(text: &str) -> Result<ValueKey<'_>, ValueFault> {
    let is_short = !text.is_empty() && text.len() <= 18;
    if is_short && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let digits = text.bytes().fold(0, |number, byte| number * 10 + i64::from(byte - b'0'));
        return Ok(ValueKey::Number(Rational::from(digits)));
    }
    let found = Rational::parse(text).map(ValueKey::Number);
    found.ok_or_else(|| {
        let is_numeric = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
        let is_number = text.bytes().all(is_numeric) && text.bytes().any(|it| it.is_ascii_digit());
        if is_number { ValueFault::TooLarge } else { ValueFault::NotANumber }
    })
}

/// Whether a text has the form of a number without an exponent.
fn has_form_of_number(text: &[u8]) -> bool {
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let (whole, fraction) = match unsigned.iter().position(|&byte| byte == b'.') {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    digits(whole) && (whole.len() == 1 || whole[0] != b'0') && fraction.is_none_or(digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Vocabulary;

    #[track_caller]
    fn check(text: &str, kind: As, is_bare: bool, expected: &str) {
        let shown = match parse(text, kind, is_bare) {
            Ok(value) => value.to_value().to_string(),
            Err(fault) => fault.describe().to_owned(),
        };
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn texts_that_are_numbers_are_numbers() {
        for (text, expected) in [
            ("7", "7"),
            ("-0.50", "-1/2"),
            ("0", "0"),
            ("true", "true"),
            ("007", "\"007\""),
            ("1e5", "\"1e5\""),
            ("1.", "\"1.\""),
            (".5", "\".5\""),
            ("-", "\"-\""),
            ("", "\"\""),
            ("1/3", "\"1/3\""),
            ("NaN", "\"NaN\""),
            ("inf", "\"inf\""),
            ("[1]", "\"[1]\""),
            ("1234567890123456789", "1234567890123456789"),
            ("12345678901234567890", "a number that does not fit in 64 bits"),
            ("0.1234567890123456789012345", "a number that does not fit in 64 bits"),
        ] {
            check(text, As::Plain, false, expected);
        }
    }

    #[test]
    fn values_of_json_have_no_quotes() {
        check("1e5", As::Plain, true, "100000");
        check("1e400", As::Plain, true, "a number that does not fit in 64 bits");
        check("-Infinity", As::Plain, true, "no number");
        check("[1]", As::Plain, true, "a list or an object");
        check("{}", As::Text, true, "a list or an object");
        check("false", As::Plain, true, "false");
    }

    #[test]
    fn kinds_that_are_said_count() {
        check("007", As::Number, false, "7");
        check("+1.5e1", As::Number, false, "15");
        check("NaN", As::Number, false, "no number");
        check("", As::Number, false, "no number");
        check("7", As::Text, false, "\"7\"");
        check("True", As::Boolean, false, "true");
        check("0", As::Boolean, false, "false");
        check("yes", As::Boolean, false, "neither true nor false");
    }

    #[test]
    fn equal_values_have_one_id() {
        let mut vocabulary = Vocabulary::default();
        for key in [
            ValueKey::Text("a"),
            ValueKey::Number(Rational::from(7)),
            ValueKey::Boolean(true),
            ValueKey::Text(""),
        ] {
            let id = vocabulary.intern_value(key);
            assert_eq!(vocabulary.intern_value(key), id);
            assert_eq!(vocabulary.values.find(&key.to_value()), Some(id));
        }
    }
}
