//! The values that the events of a multi-trace carry.
//!
//! A specification with guards names some fields; only these are kept, one column for each. A value that was not logged is
//! *unknown*, which is different from every value. Values are interned, so that equal values have equal ids, and times are
//! whole nanoseconds. All columns are indexed like the steps of the multi-trace that they belong to.
//!
//! A clock that goes backwards is another clock from there on, whose distance to all others is unknown.
//! [`Facts::breaks`] has the steps at which this happens.

use otus_core::index::Index as _;
use otus_core::intern::Interner;
use otus_core::valued::{FieldId, Valued};
use otus_core::{Value, define_id};
use otus_syntax::ast::TraceFile;
use otus_syntax::ast::guard::Literal;

use crate::multitrace::{ComponentId, MultiTrace};
use crate::time;

/// The names of fields, [`Valued::TIME`] first, as in [`Valued::fields`].
pub type FieldNames = Interner<FieldId, Box<str>>;

/// The name of the field of times.
pub const TIME: &str = "time";

/// The field with a name.
pub fn field(fields: &FieldNames, name: &str) -> Option<FieldId> {
    fields.find_as(&name, |known| **known == *name)
}

/// All fields of some texts, in the order of their first use, after the time. With them, [`lower_with_facts`] keeps
/// every value.
///
/// [`lower_with_facts`]: crate::lower::lower_with_facts
pub fn all_fields<'t>(trees: impl IntoIterator<Item = &'t TraceFile>) -> FieldNames {
    let mut fields = FieldNames::default();
    fields.intern(TIME.into());
    for tree in trees {
        let mut is_known = vec![false; tree.names.len()];
        for value in &tree.values {
            if !std::mem::replace(&mut is_known[value.field.symbol.index()], true) {
                fields.intern(tree.names.text(value.field.symbol).into());
            }
        }
    }
    fields
}

/// The value that a literal of a text means. A time becomes a number of nanoseconds; `None` if it is none.
pub fn value_of(field: FieldId, literal: &Literal) -> Option<Value> {
    if field == Valued::TIME {
        return time::of_literal(literal).ok().map(Value::integer);
    }
    Some(match literal {
        Literal::Number(number) => Value::Number(*number),
        Literal::Text(text) => Value::Text((&**text).into()),
        Literal::Boolean(truth) => Value::Boolean(*truth),
    })
}

/// A value as the literal of a text. The time is a number of seconds there.
pub fn literal_of(field: FieldId, value: &Value) -> Literal {
    match value {
        Value::Number(number) if field == Valued::TIME => {
            let seconds = number.integer().and_then(time::seconds);
            Literal::Number(seconds.unwrap_or(*number))
        }
        Value::Number(number) => Literal::Number(*number),
        Value::Text(text) => Literal::Text((&**text).into()),
        Value::Boolean(truth) => Literal::Boolean(*truth),
    }
}

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
    /// By component: the steps at which its clock goes backwards. Empty if no clock does.
    breaks: Vec<Vec<usize>>,
    /// The number of steps.
    count: usize,
}

/// The time of an event whose time was not logged.
const UNKNOWN: i64 = i64::MIN;

/// The origin of a step that the multi-trace did not have.
pub(crate) const NEW: u32 = u32::MAX;

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
        Facts { starts, columns, count, ..Facts::default() }
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
                self.set_time(component, step, time);
            }
            return;
        }
        let id = self.values.intern(value);
        self.columns[field.index()][at] = id.0 + 1;
    }

    /// Sets the time of a step, in nanoseconds. [`Facts::find_breaks`] must be called after the last one.
    ///
    /// # Panics
    /// If the multi-trace has no such step.
    pub fn set_time(&mut self, component: ComponentId, step: usize, time: i64) {
        if self.times.is_empty() {
            self.times = vec![UNKNOWN; self.count];
        }
        self.times[self.starts[component.index()] + step] = time;
    }

    /// Sets a field of a step to a value that was interned.
    ///
    /// # Panics
    /// If the multi-trace has no such step.
    pub fn set_id(&mut self, field: FieldId, component: ComponentId, step: usize, value: FactId) {
        self.columns[field.index()][self.starts[component.index()] + step] = value.0 + 1;
    }

    /// Finds the steps at which clocks go backwards: those whose time is before that of an earlier moment of their
    /// component, since the last such step.
    pub fn find_breaks(&mut self, trace: &MultiTrace) {
        self.breaks.clear();
        if self.times.is_empty() {
            return;
        }
        let mut found: Vec<Vec<usize>> = vec![Vec::new(); self.starts.len()];
        for component in trace.partition().components() {
            let (mut latest, mut step) = (UNKNOWN, 0);
            for moment in trace.moments(component) {
                let mut next = latest;
                for at in step..step + moment.len() {
                    let Some(time) = self.time(component, at) else { continue };
                    if time < latest {
                        found[component.index()].push(at);
                        (latest, next) = (UNKNOWN, time);
                    }
                    next = next.max(time);
                }
                latest = next;
                step += moment.len();
            }
        }
        if found.iter().any(|steps| !steps.is_empty()) {
            self.breaks = found;
        }
    }

    /// The steps of a component at which its clock goes backwards, ascending. It is another clock from such a step on.
    pub fn breaks(&self, component: ComponentId) -> &[usize] {
        self.breaks.get(component.index()).map_or(&[], Vec::as_slice)
    }

    /// Whether the time of some step is known.
    pub fn has_times(&self) -> bool {
        !self.times.is_empty()
    }

    /// The number of fields, the time included.
    pub fn field_count(&self) -> usize {
        self.columns.len()
    }

    /// The facts about a multi-trace each step of which is a step of this one or new. By step, in the order of the
    /// components: the number of the step here, counted in the same way, or [`NEW`].
    pub(crate) fn rearranged(&self, trace: &MultiTrace, origins: &[u32]) -> Facts {
        let mut facts = Facts::unknown(trace, self.columns.len());
        facts.values = self.values.clone();
        for (column, old) in facts.columns.iter_mut().zip(&self.columns) {
            for (value, &origin) in column.iter_mut().zip(origins) {
                *value = old.get(origin as usize).copied().unwrap_or(0);
            }
        }
        if self.has_times() {
            let time = |&origin: &u32| self.times.get(origin as usize).copied().unwrap_or(UNKNOWN);
            facts.times = origins.iter().map(time).collect();
        }
        facts.find_breaks(trace);
        facts
    }

    /// The number of a step among those of all components.
    pub(crate) fn number(&self, component: ComponentId, step: usize) -> usize {
        self.starts[component.index()] + step
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
        let time = *self.times.get(self.starts[component.index()] + step)?;
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
