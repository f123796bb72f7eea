//! The values that events carry, and those of variables.
//!
//! There are three kinds: truth values, exact numbers, and texts (which include the members of
//! enumerations). Values of one kind are totally ordered: false before true, numbers by size, texts
//! by bytes. Values of different kinds are different and not ordered.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use otus_syntax::Rational;

/// The value of a variable.
///
/// A text in the form of a fraction is that number ([`Value::text`]), so that files can contain
/// `"1/3"`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// `true` or `false`.
    Boolean(bool),
    /// An integer or a fraction.
    Number(Rational),
    /// A text, or a member of an enumeration.
    Text(Arc<str>),
}

/// The kind of a value; only values of one kind are comparable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `true` or `false`.
    Boolean,
    /// Integers and fractions.
    Number,
    /// Texts and members of enumerations.
    Text,
}

impl Kind {
    /// The kind in words, with an article.
    pub fn describe(self) -> &'static str {
        match self {
            Kind::Boolean => "a truth value",
            Kind::Number => "a number",
            Kind::Text => "a text",
        }
    }

    /// The default initial value of a variable of this kind.
    pub fn zero(self) -> Value {
        match self {
            Kind::Boolean => Value::Boolean(false),
            Kind::Number => Value::Number(Rational::from(0)),
            Kind::Text => Value::Text("".into()),
        }
    }
}

impl Value {
    /// The integer as a value.
    pub fn integer(integer: i64) -> Self {
        Value::Number(Rational::from(integer))
    }

    /// The value of a quoted text: a number if it has the form of a fraction (`"1/3"`, with an
    /// optional sign and digits around the slash), otherwise the text.
    ///
    /// ```
    /// use otus_core::value::{Kind, Value};
    ///
    /// assert_eq!(Value::text("2/4").to_string(), "1/2");
    /// assert_eq!(Value::text("2/4").kind(), Kind::Number);
    /// assert_eq!(Value::text("12").kind(), Kind::Text);
    /// ```
    pub fn text(text: &str) -> Self {
        match Rational::parse(text).filter(|_| text.contains('/')) {
            Some(number) => Value::Number(number),
            None => Value::Text(text.into()),
        }
    }

    /// The value as a text: a text is itself, and any other value is what it looks like in a file.
    ///
    /// ```
    /// use otus_core::value::Value;
    ///
    /// assert_eq!(Value::integer(3).as_text(), "3".into());
    /// assert_eq!(Value::Boolean(true).as_text(), "true".into());
    /// assert_eq!(Value::text("idle").as_text(), "idle".into());
    /// ```
    pub fn as_text(&self) -> Arc<str> {
        match self {
            Value::Boolean(truth) => truth.to_string().into(),
            Value::Number(number) => number.to_string().into(),
            Value::Text(text) => text.clone(),
        }
    }

    /// Whether a text has the form of a fraction (`1/3`), but is none: the denominator is 0, or a number does not
    /// fit.
    pub fn is_impossible_fraction(text: &str) -> bool {
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_fraction = text.split_once('/').is_some_and(|(above, below)| {
            digits(above.strip_prefix('-').unwrap_or(above)) && digits(below)
        });
        is_fraction && Rational::parse(text).is_none()
    }

    /// The kind of the value.
    pub fn kind(&self) -> Kind {
        match self {
            Value::Boolean(_) => Kind::Boolean,
            Value::Number(_) => Kind::Number,
            Value::Text(_) => Kind::Text,
        }
    }

    /// The order of two values of one kind; `None` for values of different kinds.
    pub fn compare(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Boolean(a), Value::Boolean(b)) => Some(a.cmp(b)),
            (Value::Number(a), Value::Number(b)) => Some(a.cmp(b)),
            (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
            (Value::Boolean(_) | Value::Number(_) | Value::Text(_), _) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Boolean(value) => write!(f, "{value}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) => write!(f, "{text:?}"),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Boolean(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::integer(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::text(value)
    }
}

impl From<Rational> for Value {
    fn from(value: Rational) -> Self {
        Value::Number(value)
    }
}
