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
use otus_core::{IndexVec, Value, define_id};
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
        Value::Number(_) | Value::Text(_) | Value::Boolean(_) => literal(value),
    }
}

/// A value of a field other than the time as the literal of a text.
pub(crate) fn literal(value: &Value) -> Literal {
    match value {
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

/// The values of one log, for those who read it event by event.
#[derive(Debug, Clone)]
pub struct LogFacts<'f> {
    values: &'f IndexVec<FactId, Value>,
    /// By field, then by step, as in [`Facts`].
    columns: Vec<&'f [u32]>,
    times: &'f [i64],
}

impl<'f> LogFacts<'f> {
    /// The same with other times, by step; `i64::MIN` is an unknown one.
    #[must_use]
    pub fn with_times(self, times: &'f [i64]) -> Self {
        LogFacts { times, ..self }
    }

    /// The value of a field of a step, as [`Facts::value`] has it.
    #[inline]
    pub fn value(&self, field: FieldId, step: usize) -> Option<FactId> {
        self.columns.get(field.index())?.get(step)?.checked_sub(1).map(FactId)
    }

    /// The time of a step, if it is known.
    #[inline]
    pub fn time(&self, step: usize) -> Option<i64> {
        self.times.get(step).copied().filter(|&time| time != UNKNOWN)
    }

    /// The value with an id.
    #[inline]
    pub fn item(&self, id: FactId) -> &Value {
        &self.values[id]
    }
}

/// The time of an event whose time was not logged.
const UNKNOWN: i64 = i64::MIN;

/// The origin of a step that the multi-trace did not have.
pub const NEW: u32 = u32::MAX;

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

    /// Makes a field of a step unknown. [`Facts::find_breaks`] must be called after times were changed.
    ///
    /// # Panics
    /// If the multi-trace has no such step.
    pub fn forget(&mut self, field: FieldId, component: ComponentId, step: usize) {
        let at = self.starts[component.index()] + step;
        match field {
            Valued::TIME if self.times.is_empty() => {}
            Valued::TIME => self.times[at] = UNKNOWN,
            _ => self.columns[field.index()][at] = 0,
        }
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
                let times =
                    || (step..step + moment.len()).filter_map(|at| self.time(component, at));
                // The actions of one moment have no order, so all of them are on the new clock.
                if times().any(|time| time < latest) {
                    found[component.index()].push(step);
                    latest = UNKNOWN;
                }
                latest = times().fold(latest, i64::max);
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

    /// The facts about events of which nothing is known yet, in one component.
    pub(crate) fn of_events(count: usize, fields: usize) -> Self {
        let mut columns = vec![vec![0; count]; fields];
        if let Some(times) = columns.first_mut() {
            times.clear();
        }
        Facts { starts: vec![0], columns, count, ..Facts::default() }
    }

    /// The facts about a multi-trace each step of which is a step of this one or new. By step, in the order of the
    /// components: the number of the step here, counted in the same way, or [`NEW`].
    #[must_use]
    pub fn rearranged(&self, trace: &MultiTrace, origins: &[u32]) -> Facts {
        let same: Vec<Option<usize>> = (0..self.columns.len()).map(Some).collect();
        self.gathered(trace, origins, &same)
    }

    /// As [`Facts::rearranged`], for other fields: by field, its index here. The time is the first of both.
    pub(crate) fn gathered(
        &self,
        trace: &MultiTrace,
        origins: &[u32],
        fields: &[Option<usize>],
    ) -> Facts {
        let mut facts = Facts::unknown(trace, fields.len());
        facts.values = self.values.clone();
        for (column, field) in facts.columns.iter_mut().zip(fields) {
            let Some(old) = field.map(|field| &self.columns[field]) else { continue };
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

    /// The steps of this multi-trace and after them those of another one, which has the same fields. The result has the
    /// numbers of steps only, for [`Facts::rearranged`].
    pub(crate) fn followed_by(&self, other: &Facts) -> Facts {
        let mut values = self.values.clone();
        let ids: Vec<FactId> =
            other.values.items.iter().map(|value| values.intern(value.clone())).collect();
        let renamed = |&id: &u32| id.checked_sub(1).map_or(0, |id| ids[id as usize].0 + 1);
        let join = |(own, other): (&Vec<u32>, &Vec<u32>)| {
            own.iter().copied().chain(other.iter().map(renamed)).collect()
        };
        let all = |facts: &Facts| {
            let times = facts.times.iter().copied();
            times.chain(std::iter::repeat(UNKNOWN)).take(facts.count).collect::<Vec<i64>>()
        };
        let has_times = self.has_times() || other.has_times();
        Facts {
            values,
            columns: self.columns.iter().zip(&other.columns).map(join).collect(),
            times: if has_times { [all(self), all(other)].concat() } else { Vec::new() },
            count: self.count + other.count,
            ..Facts::default()
        }
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

    /// The values of the log of one component.
    pub fn log(&self, component: ComponentId) -> LogFacts<'_> {
        let at = component.index();
        let from = self.starts[at];
        let to = self.starts.get(at + 1).copied().unwrap_or(self.count);
        LogFacts {
            values: &self.values.items,
            columns: self.columns.iter().map(|all| all.get(from..to).unwrap_or(&[])).collect(),
            times: self.times.get(from..to).unwrap_or(&[]),
        }
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

#[cfg(test)]
mod tests {
    use otus_core::{LifelineId, LifelineSet, Pool};
    use otus_syntax::{Source, parse_trace, print};

    use super::*;
    use crate::multitrace::Partition;
    use crate::{lower_with_facts, raise_with_facts, transform};

    struct Read {
        pool: Pool,
        trace: MultiTrace,
        facts: Facts,
        fields: FieldNames,
        found: Vec<String>,
    }

    fn read(text: &str) -> Read {
        let parsed = parse_trace(&Source::new("x.htf", text));
        assert_eq!(parsed.diagnostics, []);
        let mut pool = Pool::new(transform::implied_signature([&parsed.tree]));
        let fields = all_fields([&parsed.tree]);
        let (trace, facts, found) = lower_with_facts(&parsed.tree, &mut pool, &fields);
        let show = |found: &otus_syntax::Diagnostic| {
            let place = &text[found.primary.span.start as usize..];
            let place: String = place.chars().take(12).collect();
            format!("{} {place} | {} | {}", found.code, found.message, found.primary.text)
        };
        Read { pool, trace, facts, fields, found: found.iter().map(show).collect() }
    }

    impl Read {
        fn shown(&self, trace: &MultiTrace, facts: &Facts) -> String {
            print::trace_line(&raise_with_facts(trace, facts, &self.fields, &self.pool))
        }

        fn text(&self) -> String {
            self.shown(&self.trace, &self.facts)
        }
    }

    #[test]
    fn values_stay_with_their_events_when_moments_are_sorted() {
        let read =
            read("{[a, b] a!m.b!m(x=1).{b?m(x=2, time=3), a!m(y=\"2\")}.a?m(x=null, z=true)}");
        assert_eq!(
            read.text(),
            "{[#all] a!m.b!m(x=1).{a!m(y=\"2\"), b?m(x=2, time=3)}.a?m(z=true)}"
        );
        assert_eq!(read.found, [""; 0]);
        let again = self::read(&read.text());
        assert_eq!(again.text(), read.text());
    }

    #[test]
    fn only_fields_with_a_name_are_kept() {
        let tree = parse_trace(&Source::new("x.htf", "[a] a!m(x=1, y=2, time=5)")).tree;
        let mut pool = Pool::new(transform::implied_signature([&tree]));
        let mut fields = FieldNames::default();
        fields.intern(TIME.into());
        let y = fields.intern("y".into());
        let (_, facts, _) = lower_with_facts(&tree, &mut pool, &fields);
        assert_eq!(facts.known(y, ComponentId(0), 0), Some(2.into()));
        assert_eq!((facts.value_count(), facts.field_count()), (1, 2));
        assert_eq!(facts.time(ComponentId(0), 0), Some(5_000_000_000));
    }

    #[test]
    fn times_that_are_none_are_errors() {
        for (time, message) in [
            ("\"yesterday\"", "this is not a time"),
            ("\"12.5\"", "this is not a time"),
            ("true", "this is not a time"),
            ("\"2026-11-31x\"", "this is not a time"),
            ("1794726891116", "this time is more than 146 years away from 1970"),
            ("-9223372036854775807", "this time is more than 146 years away from 1970"),
        ] {
            let text = format!("[a] a!m(time={time}).a!m(time={time})");
            let found = read(&text).found;
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with(&format!("O0416 {}", &time[..5.min(time.len())].trim())));
            assert!(found[0].contains(message) && found[0].contains("1 other place"), "{found:?}");
        }
        let read = read("[a] a!m(time=\"1970-01-01T00:00:01.5+00:00\").a!m(time=1e-9)");
        assert_eq!(read.facts.time(ComponentId(0), 0), Some(1_500_000_000));
        assert_eq!(read.facts.time(ComponentId(0), 1), Some(1));
    }

    #[test]
    fn a_clock_that_goes_backwards_is_another_one_from_there_on() {
        let read = read(
            "{[a] a!m(time=5).a!m.a!m(time=4).a!m(time=6).a!m(time=2).a!m(time=2); \
             [b] b!m(time=1).{b?m(time=3), b!m(time=2)}.b?m(time=3)}",
        );
        assert_eq!(read.facts.breaks(ComponentId(0)), [2, 4]);
        assert!(read.facts.breaks(ComponentId(1)).is_empty());
        assert_eq!(
            read.found,
            [
                "O1104 a!m(time=4). | the clock of `a` goes backwards | before an earlier time, and in 1 other place"
            ]
        );
        let cuts = transform::slices(&read.trace);
        for cut in cuts.iter() {
            let facts = cuts.facts(&cut, &read.facts);
            let breaks = facts.breaks(ComponentId(0));
            assert!(breaks.len() <= 2);
            if cut.kept[0] == (2..6) {
                assert_eq!(breaks, [2]);
            }
        }
    }

    #[test]
    fn parts_and_mutants_keep_values() {
        let mut read =
            read("{[a, b] a!m.b!m(x=1).{b?m(x=2), a!m(x=3)}.a?n(x=4, time=9); [c] c?n(x=5)}");
        let cuts = transform::prefixes(&read.trace);
        let shown: Vec<String> =
            cuts.iter().map(|cut| read.shown(&cut.trace, &cuts.facts(&cut, &read.facts))).collect();
        assert!(shown.contains(&"{[a, b] a!m.b!m(x=1).{a!m(x=3), b?m(x=2)}; [c]}".to_owned()));
        assert!(shown.contains(&"{[a, b]; [c] c?n(x=5)}".to_owned()));

        let swap = transform::swap_actions(&read.trace).get(0).unwrap();
        let (mutant, facts) = swap.apply_with_facts(&read.trace, &read.facts, &mut read.pool);
        let expected = "{[a, b] b!m(x=1).a!m.{a!m(x=3), b?m(x=2)}.a?n(x=4, time=9); [c] c?n(x=5)}";
        assert_eq!(read.shown(&mutant, &facts), expected);
        for changes in [
            transform::remove(&read.trace),
            transform::duplicate(&read.trace),
            transform::noise(&read.trace, &read.pool.clone()),
        ] {
            for change in changes.iter() {
                let (mutant, facts) =
                    change.apply_with_facts(&read.trace, &read.facts, &mut read.pool);
                assert_eq!(mutant, change.apply(&read.trace, &mut read.pool));
                let text = read.shown(&mutant, &facts);
                // A new action has no values; all others have theirs.
                let values = text.matches("x=").count();
                assert!((3..=7).contains(&values), "{text}");
                assert!(!text.contains("b!m(x=2)") && !text.contains("c?n(x=4"), "{text}");
            }
        }
    }

    #[test]
    fn projections_and_restrictions_keep_values() {
        let read = read("[#all] b!m(x=1).{b?m(x=2), a!m(x=3), c!m(x=4)}.a?n(x=5, time=9)");
        let (apart, facts) = transform::project_with_facts(
            &read.trace,
            &read.facts,
            &Partition::discrete(3),
            &read.pool,
        )
        .unwrap();
        let text = read.shown(&apart, &facts);
        // Lifelines are numbered in the order of their first use: b, a, c.
        assert_eq!(text, "{[b] b!m(x=1).b?m(x=2); [a] a!m(x=3).a?n(x=5, time=9); [c] c!m(x=4)}");
        let kept: LifelineSet = [LifelineId(1), LifelineId(2)].into_iter().collect();
        let mut to = Pool::new(read.pool.signature().restricted(&kept));
        let (left, facts) =
            transform::restrict_with_facts((&read.trace, &read.facts), &read.pool, &kept, &mut to);
        let text = print::trace_line(&raise_with_facts(&left, &facts, &read.fields, &to));
        assert_eq!(text, "{[#all] {a!m(x=3), c!m(x=4)}.a?n(x=5, time=9)}");
    }

    #[test]
    fn a_donor_brings_its_values() {
        let one = read("{[a] a!m(x=1, y=\"s\"); [b] b?m(x=1).b?m(x=2)}");
        let parsed =
            parse_trace(&Source::new("y.htf", "{[a] a!m(x=2).a!m(y=\"t\", time=3); [b] b?m(x=2)}"));
        let mut pool = one.pool.clone();
        let (trace, facts, _) = lower_with_facts(&parsed.tree, &mut pool, &one.fields);
        let swap = transform::Swap { components: vec![ComponentId(0)], donor: 1 };
        let (mutant, facts) = swap.apply_with_facts((&one.trace, &one.facts), (&trace, &facts));
        let expected = "{[a] a!m(x=2).a!m(y=\"t\", time=3); [b] b?m(x=1).b?m(x=2)}";
        assert_eq!(one.shown(&mutant, &facts), expected);
    }

    #[test]
    fn kinds_may_be_mixed() {
        let read = read("[a] a!m(x=1).a!m(x=\"1\").a!m(x=true).a!m(x=1.0).a!m(x=\"1/3\")");
        let x = field(&read.fields, "x").unwrap();
        let ids: Vec<_> = (0..5).map(|i| read.facts.value(x, ComponentId(0), i)).collect();
        assert_eq!(ids[0], ids[3]);
        assert_eq!(read.facts.value_count(), 4);
        assert_eq!(read.facts.known(x, ComponentId(0), 4), Some(Value::Text("1/3".into())));
    }
}
