//! The values of variables in a trace.
//!
//! All values of one variable are of one kind: if a trace gives it several, all of them are texts ([`Value::as_text`]).
//!
//! Most values of a large trace are small integers or repeat. So a [`ValueId`] has four bytes: a
//! small integer stands for itself, and every other value is interned. Equal values have equal ids.

use otus_core::define_id;
use otus_core::intern::Interner;

pub use otus_core::value::{Kind, Value};

use crate::read::json::quote;

/// Appends a value as JSON; a fraction is a string such as `"1/3"`.
pub(crate) fn write_json(value: &Value, out: &mut String) {
    match value {
        Value::Boolean(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) if number.integer().is_some() => {
            out.push_str(&number.to_string());
        }
        Value::Number(number) => quote(&number.to_string(), out),
        Value::Text(text) => quote(text, out),
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
    use std::cmp::Ordering;

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
