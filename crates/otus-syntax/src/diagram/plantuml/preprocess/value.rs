//! The values of the preprocessor's variables and expressions.

use std::fmt;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Number(i64),
    /// `true` and `false` as words.
    Truth(bool),
    List(Vec<Value>),
}

impl Value {
    pub(super) const NOTHING: Value = Value::Text(String::new());

    /// Whether a condition with this value holds.
    pub(super) fn holds(&self) -> bool {
        match self {
            Value::Text(text) => !matches!(text.as_str(), "" | "0" | "false"),
            Value::Number(number) => *number != 0,
            Value::Truth(truth) => *truth,
            Value::List(items) => !items.is_empty(),
        }
    }

    /// The number that the value is, or that the text of the value spells.
    pub(super) fn number(&self) -> Option<i64> {
        match self {
            Value::Text(text) => text.trim().parse().ok(),
            Value::Number(number) => Some(*number),
            Value::Truth(truth) => Some(i64::from(*truth)),
            Value::List(_) => None,
        }
    }

    /// Whether two values are equal. They are compared as truth values or numbers if one of them is
    /// one, otherwise as texts.
    pub(super) fn equals(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Truth(truth), Value::Number(number))
            | (Value::Number(number), Value::Truth(truth)) => *truth == (*number != 0),
            _ => self.to_string() == other.to_string(),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Number(number) => write!(f, "{number}"),
            Value::Truth(truth) => write!(f, "{truth}"),
            Value::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if at == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
        }
    }
}
