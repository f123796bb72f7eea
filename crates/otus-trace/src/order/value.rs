//! The values of variables, and their representation in a trace.
//!
//! There are three kinds: truth values, exact numbers, and texts (which include the members of
//! enumerations). Values of one kind are totally ordered: false before true, numbers by size, texts
//! by bytes. Values of different kinds are not ordered. All values of one variable are of one kind: if a trace
//! gives it several, all of them are texts ([`Value::as_text`]).
//!
//! Most values of a large trace are small integers or repeat. So a [`ValueId`] has four bytes: a
//! small integer stands for itself, and every other value is interned. Equal values have equal ids.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use otus_core::define_id;
use otus_core::intern::Interner;
use otus_syntax::Rational;

use crate::read::json::quote;

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
    /// use otus_trace::order::{Kind, Value};
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
    /// use otus_trace::order::Value;
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

    /// Whether a text looks like a fraction (`1/3`) but is not a valid one: the denominator is 0, or a number is
    /// too large.
    pub fn is_impossible_fraction(text: &str) -> bool {
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_fraction = text.split_once('/').is_some_and(|(above, below)| {
            digits(above.strip_prefix('-').unwrap_or(above)) && digits(below)
        });
        is_fraction && Rational::parse(text).is_none()
    }

    /// Appends the value as JSON; a fraction is a string such as `"1/3"`.
    pub(crate) fn write_json(&self, out: &mut String) {
        match self {
            Value::Boolean(truth) => out.push_str(if *truth { "true" } else { "false" }),
            Value::Number(number) if number.integer().is_some() => {
                out.push_str(&number.to_string());
            }
            Value::Number(number) => quote(&number.to_string(), out),
            Value::Text(text) => quote(text, out),
        }
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

define_id! {
    /// A value of a trace; equal ids are equal values.
    pub ValueId;
    /// An interned value.
    Stored;
}

#[derive(Debug, Clone, Default)]
pub(super) struct Values {
    table: Interner<Stored, Value>,
}

/// The integers from `-HALF` to `HALF - 1` stand for themselves.
const HALF: i64 = 1 << 30;
/// The bit that is set in the ids of interned values.
const INTERNED: u32 = 1 << 31;

impl Values {
    pub(super) fn small(integer: i64) -> Option<ValueId> {
        if !(-HALF..HALF).contains(&integer) {
            return None;
        }
        u32::try_from(integer + HALF).ok().map(ValueId)
    }

    /// The id of a value, which is interned if it is new. A text that looks like a fraction becomes
    /// that number, even if the value was not made by [`Value::text`].
    pub(super) fn intern(&mut self, value: Value) -> ValueId {
        let value = match value {
            Value::Text(text) if text.contains('/') => Value::text(&text),
            Value::Text(_) | Value::Boolean(_) | Value::Number(_) => value,
        };
        if let Value::Number(number) = &value
            && let Some(id) = number.integer().and_then(Values::small)
        {
            return id;
        }
        self.store(value)
    }

    /// The id of a value [as a text](Value::as_text). A text that looks like a fraction stays a text.
    pub(super) fn intern_text(&mut self, value: &Value) -> ValueId {
        self.store(Value::Text(value.as_text()))
    }

    fn store(&mut self, value: Value) -> ValueId {
        let Stored(index) = self.table.intern(value);
        assert!(index < INTERNED, "a trace has fewer than 2^31 distinct values");
        ValueId(index | INTERNED)
    }

    pub(super) fn value(&self, id: ValueId) -> Value {
        if id.0 & INTERNED == 0 {
            Value::integer(i64::from(id.0) - HALF)
        } else {
            self.table.items[Stored(id.0 & !INTERNED)].clone()
        }
    }

    /// The kind of a value, without a copy of it.
    pub(super) fn kind(&self, id: ValueId) -> Kind {
        if id.0 & INTERNED == 0 {
            Kind::Number
        } else {
            self.table.items[Stored(id.0 & !INTERNED)].kind()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_equal_ids_and_come_back() {
        let mut values = Values::default();
        let all: Vec<Value> = vec![
            true.into(),
            false.into(),
            0.into(),
            (-1).into(),
            (HALF - 1).into(),
            HALF.into(),
            (-HALF).into(),
            (-HALF - 1).into(),
            i64::MAX.into(),
            i64::MIN.into(),
            "1/3".into(),
            "".into(),
            "leader".into(),
            "12".into(),
        ];
        let ids: Vec<ValueId> = all.iter().map(|value| values.intern(value.clone())).collect();
        for (i, (value, &id)) in all.iter().zip(&ids).enumerate() {
            assert_eq!(values.value(id), *value);
            assert_eq!(values.kind(id), value.kind());
            assert_eq!(values.intern(value.clone()), id);
            assert_eq!(ids.iter().position(|&other| other == id), Some(i), "{value}");
        }
        assert_eq!(values.intern("2/6".into()), values.intern("1/3".into()));
        assert_eq!(values.intern(Value::Text("4/2".into())), values.intern(2.into()));
    }

    #[test]
    fn values_of_one_kind_are_ordered_and_others_are_not() {
        let compare = |a: Value, b: Value| a.compare(&b);
        assert_eq!(compare("1/3".into(), 1.into()), Some(Ordering::Less));
        assert_eq!(compare(false.into(), true.into()), Some(Ordering::Less));
        assert_eq!(compare("b".into(), "a".into()), Some(Ordering::Greater));
        assert_eq!(compare(1.into(), true.into()), None);
        assert_eq!(compare("1".into(), 1.into()), None);
    }
}
