//! The values that the events of a multi-trace carry.
//!
//! A specification with guards names some fields; only these are kept, one column for each. A value that was not logged is
//! *unknown*, which is different from every value. Values are interned, so that equal values have equal ids, and times are
//! whole nanoseconds. All columns are indexed like the steps of the multi-trace that they belong to.

use otus_core::index::Index as _;
use otus_core::intern::Interner;
use otus_core::valued::{FieldId, Valued};
use otus_core::{Value, define_id};

use crate::multitrace::{ComponentId, MultiTrace};

define_id! {
    /// A value of some event; equal ids are equal values.
    pub FactId;
}

/// The values of the events of one multi-trace.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    values: Interner<FactId, Value>,
    /// By component: the index of its first step in the columns.
    starts: Vec<usize>,
    /// By field, then by step: the id of the value plus one, 0 if it is unknown. The column of times is empty.
    columns: Vec<Vec<u32>>,
    /// By step: nanoseconds; [`UNKNOWN`] if the time is unknown. Empty if no time is known.
    times: Vec<i64>,
}

/// The time of an event whose time was not logged.
const UNKNOWN: i64 = i64::MIN;

impl Facts {
    /// The facts about a multi-trace of which nothing is known yet, for this number of fields.
    pub fn unknown(trace: &MultiTrace, fields: usize) -> Self {
        let mut starts = Vec::new();
        let mut count = 0;
        for component in trace.partition().components() {
            starts.push(count);
            count += trace.steps(component).len();
        }
        let mut columns = vec![vec![0; count]; fields];
        if let Some(times) = columns.first_mut() {
            times.clear();
        }
        Facts { values: Interner::default(), starts, columns, times: vec![UNKNOWN; count] }
    }

    /// Sets the value of a field of a step.
    ///
    /// # Panics
    /// If the multi-trace has no such step.
    pub fn set(&mut self, field: FieldId, component: ComponentId, step: usize, value: Value) {
        let at = self.starts[component.index()] + step;
        if field == Valued::TIME {
            if let Value::Number(number) = value
                && let Some(time) = number.integer()
            {
                self.times[at] = time;
            }
            return;
        }
        let id = self.values.intern(value);
        self.columns[field.index()][at] = id.0 + 1;
    }

    /// Sets the time of a step.
    ///
    /// # Panics
    /// If the multi-trace has no such step.
    pub fn set_time(&mut self, component: ComponentId, step: usize, time: i64) {
        self.times[self.starts[component.index()] + step] = time;
    }

    /// The value of a field of a step, if it is known. Times are not among these values.
    #[inline]
    pub fn value(&self, field: FieldId, component: ComponentId, step: usize) -> Option<FactId> {
        let column = &self.columns[field.index()];
        column[self.starts[component.index()] + step].checked_sub(1).map(FactId)
    }

    /// The time of a step, if it is known.
    #[inline]
    pub fn time(&self, component: ComponentId, step: usize) -> Option<i64> {
        let time = self.times[self.starts[component.index()] + step];
        (time != UNKNOWN).then_some(time)
    }

    /// The value with an id.
    pub fn item(&self, id: FactId) -> &Value {
        &self.values.items[id]
    }

    /// The id of a value, new or known.
    pub fn intern(&mut self, value: Value) -> FactId {
        self.values.intern(value)
    }

    /// The number of distinct values.
    pub fn value_count(&self) -> usize {
        self.values.items.len()
    }

    /// The value of any field of a step as a value; a time is a number of nanoseconds.
    pub fn known(&self, field: FieldId, component: ComponentId, step: usize) -> Option<Value> {
        if field == Valued::TIME {
            return self.time(component, step).map(Value::integer);
        }
        self.value(field, component, step).map(|id| self.item(id).clone())
    }
}
