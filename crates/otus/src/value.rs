//! The values that events carry, as a caller gives and gets them.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use otus_core::Value;
use otus_core::valued::FieldId;
use otus_syntax::ast::guard::Literal;
use otus_syntax::{Rational, print};
use otus_trace::facts::literal_of;
use serde::{Serialize, Serializer};

/// A value of a field of an event: a number, a text, a truth value, or unknown.
///
/// Values of different kinds are different: `7` is not `"7"`. A number that is not finite or has too many digits is
/// unknown, like a value that was not logged.
///
/// ```
/// use otus::FieldValue;
///
/// assert_eq!(FieldValue::from(7).to_string(), "7");
/// assert_eq!(FieldValue::from("plant/7").to_string(), "\"plant/7\"");
/// assert_eq!(FieldValue::from(f64::NAN), FieldValue::unknown());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldValue(pub(crate) Option<Value>);

impl FieldValue {
    /// A value that is not known.
    pub fn unknown() -> FieldValue {
        FieldValue(None)
    }

    /// A value of a field of a multi-trace. A time is a number of seconds.
    pub(crate) fn of(field: FieldId, value: &Value) -> FieldValue {
        FieldValue(Some(match literal_of(field, value) {
            Literal::Number(number) => Value::Number(number),
            Literal::Text(text) => Value::Text((&*text).into()),
            Literal::Boolean(truth) => Value::Boolean(truth),
        }))
    }
}

/// As in a `.htf`: texts are quoted, and what is unknown is `null`.
impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let literal = match &self.0 {
            None => return f.write_str("null"),
            Some(Value::Number(number)) => Literal::Number(*number),
            Some(Value::Text(text)) => Literal::Text((&**text).into()),
            Some(Value::Boolean(truth)) => Literal::Boolean(*truth),
        };
        f.write_str(&print::trace_value(&literal))
    }
}

/// As JSON: a number that has no finite decimal form, such as 1/3, is a text.
impl Serialize for FieldValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            None => serializer.serialize_none(),
            Some(Value::Text(text)) => serializer.serialize_str(text),
            Some(Value::Boolean(truth)) => serializer.serialize_bool(*truth),
            Some(Value::Number(number)) => match number.integer() {
                Some(integer) => serializer.serialize_i64(integer),
                None => match number.decimal().parse::<f64>() {
                    Ok(decimal) => serializer.serialize_f64(decimal),
                    Err(_) => serializer.serialize_str(&number.decimal()),
                },
            },
        }
    }
}

impl From<bool> for FieldValue {
    fn from(value: bool) -> Self {
        FieldValue(Some(Value::Boolean(value)))
    }
}

impl From<&str> for FieldValue {
    fn from(value: &str) -> Self {
        FieldValue(Some(Value::Text(value.into())))
    }
}

impl From<String> for FieldValue {
    fn from(value: String) -> Self {
        FieldValue::from(value.as_str())
    }
}

impl From<f64> for FieldValue {
    fn from(value: f64) -> Self {
        FieldValue(Rational::parse(&value.to_string()).map(Value::Number))
    }
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for FieldValue {
            fn from(value: $integer) -> Self {
                FieldValue(i64::try_from(value).ok().map(Value::integer))
            }
        }
    )*};
}

integers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize);

impl<V: Into<FieldValue>> From<Option<V>> for FieldValue {
    fn from(value: Option<V>) -> Self {
        value.map_or(FieldValue::unknown(), Into::into)
    }
}

/// When an event happened, by the clock of its lifeline: a [`SystemTime`], or the [`Duration`] since a moment that is
/// the same for all events of that lifeline.
///
/// Times are compared on one lifeline. Those of different lifelines are compared only as far as
/// [`Options::clock_uncertainty`](crate::Options::clock_uncertainty) allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventTime(pub(crate) Option<i64>);

impl EventTime {
    /// The time that is this many nanoseconds after the moment from which the clock counts.
    pub fn nanoseconds(nanoseconds: i64) -> EventTime {
        EventTime(Some(nanoseconds))
    }
}

impl From<Duration> for EventTime {
    fn from(since: Duration) -> Self {
        EventTime(i64::try_from(since.as_nanos()).ok())
    }
}

impl From<SystemTime> for EventTime {
    fn from(time: SystemTime) -> Self {
        match time.duration_since(UNIX_EPOCH) {
            Ok(since) => EventTime::from(since),
            Err(before) => EventTime(EventTime::from(before.duration()).0.map(|time| -time)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_text_and_as_json() {
        for (value, text, json) in [
            (FieldValue::from(-3), "-3", "-3"),
            (FieldValue::from(0.25), "0.25", "0.25"),
            (FieldValue::from("1/3"), "\"1/3\"", "\"1/3\""),
            (FieldValue::from(true), "true", "true"),
            (FieldValue::from(u64::MAX), "null", "null"),
            (FieldValue::from(f64::INFINITY), "null", "null"),
            (FieldValue::from(None::<i64>), "null", "null"),
        ] {
            assert_eq!(value.to_string(), text);
            assert_eq!(serde_json::to_string(&value).unwrap(), json);
        }
    }

    #[test]
    fn times_before_the_epoch_are_negative() {
        let before = UNIX_EPOCH - Duration::from_nanos(5);
        assert_eq!(EventTime::from(before), EventTime(Some(-5)));
        assert_eq!(EventTime::from(Duration::MAX), EventTime(None));
    }
}
