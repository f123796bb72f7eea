//! All mutants of a multi-trace that differ from it in what an event carries, or in when it happened.
//!
//! Changes with the same result count once: each changes other cells, or the same cell to another value; an exchange is of
//! two different values of one field and log, so it changes exactly these two; and a shift of a log begins at a moment whose
//! time is known, which no later shift changes.

use otus_core::index::Index as _;
use otus_core::valued::{FieldId, Valued};
use otus_core::{Action, Pool, Value};
use otus_syntax::Rational;
use otus_syntax::ast::guard::Duration;
use otus_syntax::print;
use rustc_hash::FxHashSet;

use super::mutate::{Pairs, locate};
use super::shuffle::Shuffle;
use super::word;
use crate::facts::{Facts, FieldNames, literal_of};
use crate::multitrace::{ComponentId, MultiTrace};

/// A change of the values of a multi-trace. Indices count steps of a component, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueChange {
    /// An event carries another value, or none.
    Set {
        /// The component.
        component: ComponentId,
        /// The event.
        step: usize,
        /// The field.
        field: FieldId,
        /// The value; `None` if it is unknown then.
        value: Option<Value>,
    },
    /// Two events exchanged their values.
    Swap {
        /// The component.
        component: ComponentId,
        /// The field.
        field: FieldId,
        /// The earlier event.
        first: usize,
        /// The later event.
        second: usize,
    },
    /// An event and all later ones of its log happened at another time.
    Shift {
        /// The component.
        component: ComponentId,
        /// The first event.
        step: usize,
        /// Nanoseconds; negative if they happened earlier.
        by: i64,
    },
}

/// A set of changes of values, with distinct results that differ from the original.
#[derive(Debug, Clone)]
pub struct ValueChanges<'a> {
    facts: &'a Facts,
    /// By field: the values that events can carry instead of their own.
    values: Vec<Vec<Value>>,
    sites: Vec<Site>,
    count: u128,
}

/// Changes at one place, and the number of changes before them.
#[derive(Debug, Clone)]
struct Site {
    before: u128,
    component: ComponentId,
    field: FieldId,
    changes: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    /// To all other values of the field.
    Others(usize),
    Forget(usize),
    WrongKind(usize),
    /// The steps that know the field, and the pairs with different values among them.
    Swap(Vec<usize>, Pairs),
    Shift(usize, i64),
}

/// What values of a multi-trace are changed.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The multi-trace.
    pub trace: &'a MultiTrace,
    /// Its values.
    pub facts: &'a Facts,
    /// What is compared; `None` if everything counts.
    pub compared: Option<(&'a Compared, &'a Pool)>,
}

/// The fields of actions that some guard compares. Other values are not changed, because nothing looks at them.
pub type Compared = FxHashSet<(Action, FieldId)>;

/// The mutants in which an event carries another value of a field: one that the field has in another event, or a new
/// one.
pub fn wrong_values(scope: Scope<'_>) -> ValueChanges<'_> {
    let mut changes = ValueChanges::new(scope);
    changes.values = (0..scope.facts.field_count()).map(|field| scope.values(field)).collect();
    for (component, step, field) in scope.cells(false) {
        let count = changes.values[field.index()].len().saturating_sub(1);
        changes.add(count as u128, component, field, Kind::Others(step));
    }
    changes
}

/// The mutants in which a value is of another kind: a text instead of a number or a truth value, and the reverse.
pub fn wrong_kinds(scope: Scope<'_>) -> ValueChanges<'_> {
    let mut changes = ValueChanges::new(scope);
    for (component, step, field) in scope.cells(false) {
        changes.add(1, component, field, Kind::WrongKind(step));
    }
    changes
}

/// The mutants in which a value or a time is unknown.
pub fn drop_values(scope: Scope<'_>) -> ValueChanges<'_> {
    let mut changes = ValueChanges::new(scope);
    for (component, step, field) in scope.cells(true) {
        changes.add(1, component, field, Kind::Forget(step));
    }
    changes
}

/// The mutants in which two events of a log exchange the values of a field.
pub fn swap_values(scope: Scope<'_>) -> ValueChanges<'_> {
    let mut changes = ValueChanges::new(scope);
    for component in scope.trace.partition().components() {
        for field in scope.fields() {
            let known = |step: usize| Some((step, scope.facts.value(field, component, step)?.0));
            let steps = 0..scope.trace.steps(component).len();
            let known =
                steps.filter(|&step| scope.is_known(field, component, step)).filter_map(known);
            let (steps, values): (Vec<usize>, Vec<u32>) = known.unzip();
            // Letters are numbered by first occurrence.
            let mut letters: Vec<u32> = Vec::with_capacity(values.len());
            let mut numbers = rustc_hash::FxHashMap::default();
            for value in values {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                letters.push(*numbers.entry(value).or_insert(next));
            }
            let (count, pairs) = Pairs::new(letters);
            changes.add(count, component, field, Kind::Swap(steps, pairs));
        }
    }
    changes
}

/// The mutants in which an event and all later ones of its log happen later by this number of nanoseconds.
pub fn late(scope: Scope<'_>, by: i64) -> ValueChanges<'_> {
    shifts(scope, |_| by)
}

/// The mutants in which an event happens as early as the one before it in its log, and all later ones earlier by as much.
pub fn early(scope: Scope<'_>) -> ValueChanges<'_> {
    shifts(scope, |pause| 0_i64.saturating_sub(pause))
}

/// Shifts at every moment but the first whose time is known. The function gets the time since the moment before.
fn shifts(scope: Scope<'_>, by: impl Fn(i64) -> i64) -> ValueChanges<'_> {
    let mut changes = ValueChanges::new(scope);
    for component in scope.trace.partition().components() {
        // A pause counts between two times that are compared.
        let mut compared = (0..scope.trace.steps(component).len())
            .filter(|&step| scope.is_known(Valued::TIME, component, step));
        let (Some(anchor), Some(end)) = (compared.next(), compared.next_back()) else { continue };
        let (mut before, mut step): (Option<i64>, usize) = (None, 0);
        for moment in scope.trace.moments(component) {
            let times =
                (step..step + moment.len()).filter_map(|at| scope.facts.time(component, at));
            let (first, last) =
                times.fold((None, None), |(first, last): (Option<i64>, _), time| {
                    (Some(first.map_or(time, |first| first.min(time))), last.max(Some(time)))
                });
            let counts = anchor < step && step <= end;
            if let (Some(before), Some(first), true) = (before, first, counts) {
                let by = by(first.saturating_sub(before));
                if by != 0 {
                    changes.add(1, component, Valued::TIME, Kind::Shift(step, by));
                }
            }
            before = before.max(last);
            step += moment.len();
        }
    }
    changes
}

impl Scope<'_> {
    /// The fields other than the time.
    fn fields(&self) -> impl Iterator<Item = FieldId> + use<> {
        (1..self.facts.field_count()).map(FieldId::new)
    }

    /// Whether a value is known and counts.
    fn is_known(&self, field: FieldId, component: ComponentId, step: usize) -> bool {
        let is_known = match field {
            Valued::TIME => self.facts.time(component, step).is_some(),
            _ => self.facts.value(field, component, step).is_some(),
        };
        is_known
            && self.compared.is_none_or(|(compared, pool)| {
                let action = pool.action(self.trace.steps(component)[step].action());
                compared.contains(&(action.without_peer(), field))
            })
    }

    /// The known values, by component, step and field.
    fn cells(&self, times: bool) -> Vec<(ComponentId, usize, FieldId)> {
        let mut cells = Vec::new();
        for component in self.trace.partition().components() {
            for step in 0..self.trace.steps(component).len() {
                let fields = times.then_some(Valued::TIME).into_iter().chain(self.fields());
                let known = fields.filter(|&field| self.is_known(field, component, step));
                cells.extend(known.map(|field| (component, step, field)));
            }
        }
        cells
    }

    /// The distinct values of a field, in the order of their first occurrence, and a new one at the end.
    fn values(&self, field: usize) -> Vec<Value> {
        if field == 0 {
            return Vec::new();
        }
        let mut seen = vec![false; self.facts.value_count()];
        let mut values = Vec::new();
        for component in self.trace.partition().components() {
            for step in 0..self.trace.steps(component).len() {
                if let Some(id) = self.facts.value(FieldId::new(field), component, step)
                    && !std::mem::replace(&mut seen[id.index()], true)
                {
                    values.push(self.facts.item(id).clone());
                }
            }
        }
        values.extend(values.first().and_then(|first| another(first, &values)));
        values
    }
}

/// A value of the same kind as one of these that is none of them.
fn another(of: &Value, values: &[Value]) -> Option<Value> {
    match of {
        Value::Boolean(truth) => {
            let other = Value::Boolean(!truth);
            (!values.contains(&other)).then_some(other)
        }
        Value::Number(_) => {
            let numbers = values.iter().filter_map(|value| match value {
                Value::Number(number) => Some(*number),
                Value::Boolean(_) | Value::Text(_) => None,
            });
            numbers.max()?.checked_add(Rational::from(1)).map(Value::Number)
        }
        Value::Text(text) => {
            let texts = (1..).map(|number| Value::Text(format!("{text}-{number}").into()));
            texts.take(values.len() + 1).find(|text| !values.contains(text))
        }
    }
}

/// A value that reads alike but is of another kind.
fn of_another_kind(value: &Value) -> Value {
    match value {
        Value::Text(text) => Rational::parse(text).map_or(Value::Boolean(true), Value::Number),
        Value::Number(_) | Value::Boolean(_) => Value::Text(value.as_text()),
    }
}

impl<'a> ValueChanges<'a> {
    fn new(scope: Scope<'a>) -> Self {
        ValueChanges { facts: scope.facts, values: Vec::new(), sites: Vec::new(), count: 0 }
    }

    fn add(&mut self, count: u128, component: ComponentId, field: FieldId, changes: Kind) {
        if count > 0 {
            self.sites.push(Site { before: self.count, component, field, changes });
            self.count += count;
        }
    }

    /// The number of changes.
    pub fn count(&self) -> u128 {
        self.count
    }

    /// The change with the given number, from 0.
    pub fn get(&self, number: u128) -> Option<ValueChange> {
        if number >= self.count {
            return None;
        }
        let (site, rest) = locate(&self.sites, |site| site.before, number);
        let Site { component, field, ref changes, .. } = self.sites[site];
        let own = |step: usize| self.facts.known(field, component, step);
        let set = |step, value| ValueChange::Set { component, step, field, value };
        Some(match changes {
            Kind::Others(step) => {
                let own = own(*step);
                let others = self.values[field.index()].iter();
                let mut others = others.filter(|value| Some(*value) != own.as_ref());
                set(*step, Some(others.nth(usize::try_from(rest).ok()?)?.clone()))
            }
            Kind::Forget(step) => set(*step, None),
            Kind::WrongKind(step) => set(*step, own(*step).as_ref().map(of_another_kind)),
            Kind::Swap(steps, pairs) => {
                let (first, second) = pairs.get(rest);
                ValueChange::Swap { component, field, first: steps[first], second: steps[second] }
            }
            Kind::Shift(step, by) => ValueChange::Shift { component, step: *step, by: *by },
        })
    }

    /// All changes in order.
    pub fn iter(&self) -> impl Iterator<Item = ValueChange> + use<'_, 'a> {
        (0..self.count).filter_map(|number| self.get(number))
    }

    /// All changes in a random order that the seed determines. The first ones are a random sample.
    pub fn sample(&self, seed: u64) -> impl Iterator<Item = ValueChange> + use<'_, 'a> {
        Shuffle::new(self.count, seed).filter_map(|number| self.get(number))
    }
}

impl ValueChange {
    /// The component that is changed.
    pub fn component(&self) -> ComponentId {
        match *self {
            ValueChange::Set { component, .. }
            | ValueChange::Swap { component, .. }
            | ValueChange::Shift { component, .. } => component,
        }
    }

    /// The first moment that the change concerns, and the other one of an exchange.
    pub fn places(&self, original: &MultiTrace) -> (usize, Option<usize>) {
        let (first, second) = match *self {
            ValueChange::Set { step, .. } | ValueChange::Shift { step, .. } => (step, None),
            ValueChange::Swap { first, second, .. } => (first, Some(second)),
        };
        let steps = original.steps(self.component());
        let moment = |step: usize| {
            steps.iter().take(step + 1).filter(|step| !step.joined()).count().saturating_sub(1)
        };
        (moment(first), second.map(moment))
    }

    /// The values after the change.
    pub fn apply(&self, original: &MultiTrace, facts: &Facts) -> Facts {
        let mut changed = facts.clone();
        match self {
            ValueChange::Set { component, step, field, value } => match value {
                Some(value) => changed.set(*field, *component, *step, value.clone()),
                None => changed.forget(*field, *component, *step),
            },
            ValueChange::Swap { component, field, first, second } => {
                let value = |step| facts.value(*field, *component, step);
                if let (Some(one), Some(other)) = (value(*first), value(*second)) {
                    changed.set_id(*field, *component, *first, other);
                    changed.set_id(*field, *component, *second, one);
                }
            }
            ValueChange::Shift { component, step, by } => {
                for at in *step..original.steps(*component).len() {
                    if let Some(time) = facts.time(*component, at) {
                        changed.set_time(*component, at, time.saturating_add(*by));
                    }
                }
            }
        }
        changed.find_breaks(original);
        changed
    }

    /// Describes the change; places count from 1.
    pub fn describe(
        &self,
        original: &MultiTrace,
        facts: &Facts,
        fields: &FieldNames,
        pool: &Pool,
    ) -> String {
        let component = self.component();
        let log = word::component_text(original.partition(), component, pool.signature());
        let (first, second) = self.places(original);
        let moment = |index: usize| word::place_text(original, component, index, pool);
        match self {
            ValueChange::Set { step, field, value, .. } => {
                let name = &fields.items[*field];
                let shown = |value: &Value| print::trace_value(&literal_of(*field, value));
                let known = facts.known(*field, component, *step);
                let before = known.as_ref().map(shown).unwrap_or_default();
                match value {
                    Some(value) => {
                        let value = shown(value);
                        format!(
                            "{name} is {value} instead of {before} in {} of {log}",
                            moment(first)
                        )
                    }
                    None => {
                        format!("{name} = {before} is not logged in {} of {log}", moment(first))
                    }
                }
            }
            ValueChange::Swap { field, .. } => {
                let name = &fields.items[*field];
                let other = moment(second.unwrap_or(first));
                format!("exchanged {name} of {} and {other} in {log}", moment(first))
            }
            ValueChange::Shift { by, .. } => {
                let length = Duration(by.saturating_abs());
                let way = if *by < 0 { "earlier" } else { "later" };
                format!("{} and all after it in {log} come {length} {way}", moment(first))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use otus_syntax::{Source, parse_trace};

    use super::*;
    use crate::{facts, lower_with_facts, raise_with_facts, transform};

    /// The results of a set of changes as text, after a check that they are different, and their descriptions.
    fn made(text: &str, set: impl Fn(Scope<'_>) -> ValueChanges<'_>) -> Vec<(String, String)> {
        let tree = parse_trace(&Source::new("x.htf", text)).tree;
        let mut pool = Pool::new(transform::implied_signature([&tree]));
        let fields = facts::all_fields([&tree]);
        let (trace, facts, _) = lower_with_facts(&tree, &mut pool, &fields);
        let changes = set(Scope { trace: &trace, facts: &facts, compared: None });
        let shown =
            |facts: &Facts| print::trace_line(&raise_with_facts(&trace, facts, &fields, &pool));
        let made: Vec<(String, String)> = changes
            .iter()
            .map(|change| {
                let changed = change.apply(&trace, &facts);
                (shown(&changed), change.describe(&trace, &facts, &fields, &pool))
            })
            .collect();
        let distinct: BTreeSet<&str> = made.iter().map(|(text, _)| &**text).collect();
        assert_eq!(distinct.len() as u128, changes.count());
        assert!(!distinct.contains(&*shown(&facts)), "a mutant is its original");
        assert_eq!(changes.get(changes.count()), None);
        made
    }

    fn texts(text: &str, set: impl Fn(Scope<'_>) -> ValueChanges<'_>) -> Vec<String> {
        made(text, set).into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn other_values_are_those_of_other_events_and_a_new_one() {
        let made = made("{[a] a!m(i=1).a!m(i=2).a!n(i=1, t=\"x\").a!k}", wrong_values);
        assert_eq!(made.len(), 2 + 2 + 2 + 1);
        assert_eq!(made[1].0, "{[#all] a!m(i=3).a!m(i=2).a!n(i=1, t=\"x\").a!k}");
        assert_eq!(made[1].1, "i is 3 instead of 1 in a!m (place 1) of [#all]");
        assert_eq!(made[6].0, "{[#all] a!m(i=1).a!m(i=2).a!n(i=1, t=\"x-1\").a!k}");
        assert_eq!(texts("{[a] a!m(ok=true).a!m(ok=false)}", wrong_values).len(), 2);
    }

    #[test]
    fn other_kinds_and_unknown_values() {
        assert_eq!(
            texts("{[a] a!m(i=1).a!m(t=\"x\").a!m(ok=true)}", wrong_kinds),
            [
                "{[#all] a!m(i=\"1\").a!m(t=\"x\").a!m(ok=true)}",
                "{[#all] a!m(i=1).a!m(t=true).a!m(ok=true)}",
                "{[#all] a!m(i=1).a!m(t=\"x\").a!m(ok=\"true\")}",
            ]
        );
        assert_eq!(
            texts("{[a] a!m(i=1, time=2); [b] b?m}", drop_values),
            ["{[a] a!m(i=1); [b] b?m}", "{[a] a!m(time=2); [b] b?m}"]
        );
    }

    #[test]
    fn values_are_exchanged_within_a_log() {
        let made = made("{[a] a!m(i=1).a!m(i=1).a!m.a!n(i=2); [b] b?m(i=2)}", swap_values);
        assert_eq!(made.len(), 2);
        assert_eq!(made[0].0, "{[a] a!m(i=2).a!m(i=1).a!m.a!n(i=1); [b] b?m(i=2)}");
        assert_eq!(made[0].1, "exchanged i of a!m (place 1) and a!n (place 4) in [a]");
    }

    #[test]
    fn logs_are_shifted_from_a_moment_on() {
        let text = "{[a] a!m(time=1).a!n.a!k(time=3).a!k(time=3); [b] b?m(time=2)}";
        let late = made(text, |scope| late(scope, 4_000_000_000));
        assert_eq!(late.len(), 2);
        assert_eq!(late[0].0, "{[a] a!m(time=1).a!n.a!k(time=7).a!k(time=7); [b] b?m(time=2)}");
        assert_eq!(late[0].1, "a!k (place 3) and all after it in [a] come 4s later");
        let early = made(text, early);
        assert_eq!(early.len(), 1);
        assert_eq!(early[0].0, "{[a] a!m(time=1).a!n.a!k(time=1).a!k(time=1); [b] b?m(time=2)}");
        assert_eq!(early[0].1, "a!k (place 3) and all after it in [a] come 2s earlier");
    }

    #[test]
    fn traces_without_values_have_no_changes() {
        for set in [wrong_values, wrong_kinds, drop_values, swap_values, early] {
            assert_eq!(made("{[a] a!m.a!n; [b] b?m}", set), []);
        }
    }
}
