//! The store: what must hold of the values of a derivation.
//!
//! Every action of every instance has a *slot* for each field that its guard tests: the logged value, or an unknown.
//! Every instance of a variable has one, too. The store has
//! - each atom of each guard, on the slot of its field and that of its variable;
//! - for each loop with `fresh`: the values of its iterations differ;
//! - for each clock: times do not decrease along the order of its component.
//!
//! The last needs the order of the events of one component. Moments of a log are in order. Events that nobody saw are not, so
//! all orders of those that have a bound on their time are tried. (An event without such a bound can have any time between
//! those of its neighbours.)

use std::collections::{BTreeMap, BTreeSet};

use otus_core::Value;
use otus_core::index::Index as _;
use otus_core::valued::{Atom, FieldId, Part, Test, Valued};

use super::choices::{Bound, Instance, Place};
use super::logs::{Clock, Logs};
use super::order::Order;
use super::solve::Values;
use super::times::{TimeTest, Times};
use super::{Case, Domain, Sorts, Strength};

/// An atom of an instance.
#[derive(Debug)]
struct Use<'a> {
    instance: usize,
    part: usize,
    field: FieldId,
    test: &'a Test,
    /// The instance of its variable.
    variable: Option<usize>,
    /// What was logged; the outer `None` if the event was not.
    #[expect(clippy::option_option, reason = "an event without a value differs from no event")]
    logged: Option<Option<Value>>,
}

/// The conditions of a derivation, whether it is complete or not.
#[derive(Debug)]
pub(super) struct Store<'a> {
    case: &'a Case<'a>,
    logs: &'a Logs,
    sorts: &'a Sorts,
    instances: &'a [Instance<'a>],
    bound: &'a [Bound],
    uses: Vec<Use<'a>>,
}

impl<'a> Store<'a> {
    pub(super) fn new(
        case: &'a Case<'a>,
        logs: &'a Logs,
        sorts: &'a Sorts,
        instances: &'a [Instance<'a>],
        bound: &'a [Bound],
    ) -> Store<'a> {
        let mut store = Store { case, logs, sorts, instances, bound, uses: Vec::new() };
        for (number, instance) in instances.iter().enumerate() {
            for (part, of) in instance.parts.iter().enumerate() {
                for atom in &of.guard {
                    let found = store.use_of(number, part, instance, of, atom);
                    store.uses.push(found);
                }
            }
        }
        store
    }

    fn use_of(
        &self,
        number: usize,
        part: usize,
        instance: &Instance<'_>,
        of: &Part,
        atom: &'a Atom,
    ) -> Use<'a> {
        let component = self.component(of);
        let logged = match instance.places[&component] {
            Place::Line(line) => {
                let line = &self.logs.components[component].lines[line];
                Some(line.value(self.case, component, atom.field, of.action))
            }
            Place::Before | Place::After => None,
        };
        Use {
            instance: number,
            part,
            field: atom.field,
            test: &atom.test,
            variable: atom.variable().and_then(|variable| instance.scope.get(&variable).copied()),
            logged,
        }
    }

    fn component(&self, part: &Part) -> usize {
        self.case.trace.partition().component_of(part.action.lifeline).index()
    }

    /// The clock that an event reads on the component of a part.
    fn clock(&self, instance: &Instance<'_>, part: &Part) -> Clock {
        let component = self.component(part);
        let log = &self.logs.components[component];
        let epoch = match instance.places[&component] {
            Place::Before => 0,
            Place::Line(line) => log.lines[line].epoch(),
            Place::After => log.last_epoch(),
        };
        Clock { component, epoch }
    }

    /// Whether known values contradict each other already. A derivation that goes on only adds conditions.
    pub(super) fn is_contradictory(&self) -> bool {
        self.values().is_contradictory()
    }

    /// Whether some order and some values of the domain satisfy all conditions; `None` if the work is more than what is left.
    pub(super) fn is_satisfiable(
        &self,
        strength: Strength,
        domain: Domain<'_>,
        left: &mut usize,
    ) -> Option<bool> {
        if strength == Strength::Proven && self.uses.iter().any(|used| self.is_assumed(used)) {
            return Some(false);
        }
        let Some(order) = Order::new(self.case.pool, self.instances, self.logs) else {
            return Some(false);
        };
        let (values, readings) = match domain {
            Domain::All => (None, None),
            Domain::Finite { values, readings } => (Some(values), Some(readings)),
        };
        if !self.values().is_satisfiable(&super::constants(self.case.valued), values, left)? {
            return Some(false);
        }
        if !self.case.valued.has_times() {
            return Some(true);
        }
        orders(&order, &self.unseen_pairs(), &mut |order| {
            self.times(order, strength).is_satisfiable(readings, left)
        })
    }

    /// Whether an unlogged value of a logged event is compared with something: with a constant, with another occurrence of
    /// its variable, or by `fresh` with another iteration.
    fn is_assumed(&self, used: &Use<'_>) -> bool {
        if !matches!(used.logged, Some(None)) {
            return false;
        }
        used.variable.is_none_or(|variable| self.is_compared(variable))
    }

    /// Whether a variable occurs more than once, or in another iteration of its `fresh`.
    fn is_compared(&self, variable: usize) -> bool {
        let occurrences = |variable: usize| {
            self.uses.iter().filter(|other| other.variable == Some(variable)).count()
        };
        let own = self.bound[variable];
        let mut others = self.bound.iter().enumerate().filter(|(number, other)| {
            *number != variable
                && own.loop_number.is_some()
                && other.loop_number == own.loop_number
                && other.variable == own.variable
        });
        occurrences(variable) > 1 || others.any(|(other, _)| occurrences(other) > 0)
    }

    /// The pairs of variables that `fresh` makes different.
    fn different(&self, is_time: bool) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for (x, first) in self.bound.iter().enumerate() {
            for (y, second) in self.bound.iter().enumerate().skip(x + 1) {
                if first.variable == second.variable
                    && first.loop_number.is_some()
                    && first.loop_number == second.loop_number
                    && self.sorts.is_time(first.variable) == is_time
                {
                    pairs.push((x, y));
                }
            }
        }
        pairs
    }

    /// The conditions on all fields but times.
    fn values(&self) -> Values<'a> {
        let mut values = Values { slots: vec![None; self.bound.len()], ..Values::default() };
        let is_value = |number: &usize| !self.sorts.is_time(self.bound[*number].variable);
        values.relevant = (0..self.bound.len()).filter(is_value).collect();
        values.different = self.different(false);
        let mut slots: BTreeMap<(usize, usize, FieldId), usize> = BTreeMap::new();
        for used in self.uses.iter().filter(|used| used.field != Valued::TIME) {
            let key = (used.instance, used.part, used.field);
            let slot = *slots.entry(key).or_insert_with(|| {
                values.slots.push(used.logged.clone().flatten());
                values.relevant.push(values.slots.len() - 1);
                values.slots.len() - 1
            });
            values.tests.push((slot, used.test, used.variable));
        }
        values
    }

    /// The pairs of events on one component that nobody saw, on the same side of its window, both with a test of their time
    /// there.
    fn unseen_pairs(&self) -> Vec<(usize, usize)> {
        let mut unseen: BTreeMap<(usize, bool), Vec<usize>> = BTreeMap::new();
        for used in self.uses.iter().filter(|used| used.field == Valued::TIME) {
            let instance = &self.instances[used.instance];
            let component = self.component(&instance.parts[used.part]);
            let is_after = match instance.places[&component] {
                Place::Before => false,
                Place::Line(_) => continue,
                Place::After => true,
            };
            let group = unseen.entry((component, is_after)).or_default();
            if !group.contains(&used.instance) {
                group.push(used.instance);
            }
        }
        let mut pairs = Vec::new();
        for group in unseen.values() {
            for (at, &first) in group.iter().enumerate() {
                pairs.extend(group[at + 1..].iter().map(|&second| (first, second)));
            }
        }
        pairs
    }

    /// The conditions on times, given the order of the events of each component.
    fn times(&self, order: &Order, strength: Strength) -> Times<'a> {
        let mut times = Times {
            uncertainty: self.case.uncertainty,
            is_certain: strength != Strength::Possible,
            different: self.different(true),
            slots: vec![None; self.bound.len()],
            ..Times::default()
        };
        let is_time = |number: &usize| self.sorts.is_time(self.bound[*number].variable);
        // The events with a logged or tested time: instance, clock, slot.
        let mut timed: Vec<(usize, Clock, usize)> = Vec::new();
        for (number, instance) in self.instances.iter().enumerate() {
            for (at, part) in instance.parts.iter().enumerate() {
                let component = self.component(part);
                let clock = self.clock(instance, part);
                let logged = match instance.places[&component] {
                    Place::Line(line) => self.logs.components[component].lines[line].time(
                        self.case,
                        component,
                        part.action,
                    ),
                    Place::Before | Place::After => None,
                };
                let own = self.uses.iter().filter(|used| {
                    (used.instance, used.part, used.field) == (number, at, Valued::TIME)
                });
                let own: Vec<_> = own.collect();
                if logged.is_none() && own.is_empty() {
                    continue;
                }
                let slot = times.slots.len();
                times.slots.push(logged);
                timed.push((number, clock, slot));
                for used in own {
                    let variable = used.variable;
                    if strength == Strength::Proven
                        && matches!(used.logged, Some(None))
                        && variable.is_some_and(|variable| !self.is_compared(variable))
                    {
                        continue;
                    }
                    times.tests.push(TimeTest { slot, clock, test: used.test, variable });
                }
            }
        }
        for &(e, own, first) in &timed {
            for &(f, clock, second) in &timed {
                if own == clock && order.is_before(e, f) {
                    times.ascending.push((first, second));
                }
            }
        }
        // The clock of an anchor need not be one of an event that is there. Where a clock went backwards, an anchor that no
        // event sets may be on any of its clocks, or on one that no event has.
        let mut clocks: BTreeSet<Clock> = BTreeSet::new();
        for (component, log) in self.logs.components.iter().enumerate() {
            let last = log.last_epoch();
            let epochs = 0..=last + usize::from(last > 0);
            clocks.extend(epochs.map(|epoch| Clock { component, epoch }));
        }
        for number in (0..self.bound.len()).filter(is_time) {
            let allowed =
                |clock: &&Clock| self.sorts.allows(self.bound[number].variable, clock.component);
            times.variables.push((number, clocks.iter().filter(allowed).copied().collect()));
        }
        times
    }
}

/// Whether some order of these pairs satisfies a condition.
fn orders(
    order: &Order,
    pairs: &[(usize, usize)],
    satisfies: &mut dyn FnMut(&Order) -> Option<bool>,
) -> Option<bool> {
    let [(e, f), rest @ ..] = pairs else { return satisfies(order) };
    for (first, second) in [(*e, *f), (*f, *e)] {
        if let Some(order) = order.with(first, second)
            && orders(&order, rest, satisfies)?
        {
            return Some(true);
        }
    }
    Some(false)
}
