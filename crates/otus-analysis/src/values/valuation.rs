//! The values of an execution while it is replayed, and those that are found for it at the end.
//!
//! A logged value is compared at once, and `f = x` gives x its value. Everything else is a condition on *open* variables:
//! instances that no log tells, and fields that no log has.

use std::collections::BTreeMap;

use otus_core::Value;
use otus_core::index::Index as _;
use otus_core::letters::{InstanceId, IterationId, ScopeId};
use otus_core::residual::{Happened, Place, Residual};
use otus_core::valued::{Atom, FieldId, Operand, Test, Valued, ValuedId, VariableId, plus};
use otus_syntax::Rational;
use otus_syntax::ast::guard::Relation;
use otus_trace::ComponentId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::bound::{Bound, Related, flipped, related};
use super::condition::{Condition, Open, Requirement, model};
use super::construct::Keys;
use super::epoch::Epoch;
use super::observation::{Moment, Observation, Problem};
use super::sureness::{Between, Gap, Needed, Sureness};
use super::witness::{Assumed, parts};

/// An event, and where its parts were logged.
pub(super) struct Event {
    item: usize,
    leaf: ValuedId,
    /// By part: its component, and its step in the log if it is observed.
    places: SmallVec<[(ComponentId, Option<usize>); 2]>,
    /// Variables of its leaf whose values are known.
    keys: Keys,
}

impl Event {
    pub(super) fn new(
        problem: &Problem<'_>,
        item: usize,
        leaf: ValuedId,
        ends: &[(usize, Moment)],
        keys: Keys,
    ) -> Event {
        let partition = problem.trace.partition();
        let places = parts(problem.valued, leaf).iter().map(|part| {
            let component = partition.component_of(part.action.lifeline);
            let moment = ends.iter().find(|(at, _)| *at == component.index()).and_then(|it| it.1);
            let is_own = |&at: &usize| {
                let action = problem.trace.steps(component)[at].action();
                problem.pool.action(action).without_peer() == part.action
            };
            (component, moment.and_then(|(from, to)| (from..to).find(is_own)))
        });
        Event { item, leaf, places: places.collect(), keys }
    }
}

type List = (VariableId, ScopeId, IterationId);

/// The times of the last moment of a component that has some, and their epoch.
type Last = (Epoch, SmallVec<[Bound; 2]>);

/// A change by an event whose guards may turn out not to hold.
enum Undo {
    Value(InstanceId),
    Used(List, Value),
    Occurs(InstanceId, Option<Occurrence>),
    Rivals(List, Rivals),
    Conditions(usize),
    Assumed(usize),
    Last(usize, Last),
    Clock(InstanceId),
    Later(usize),
}

/// A comparison with an anchor, if that is set in an epoch: `own rel anchor + offset`.
struct Later {
    anchor: InstanceId,
    epoch: Epoch,
    own: Bound,
    relation: Relation,
    offset: Rational,
}

/// The occurrences of an instance in atoms.
#[derive(Debug, Clone, Copy, Default)]
struct Occurrence {
    atoms: u32,
    /// Whether its only occurrence is a value that was not logged, in a question about Pass.
    is_missing: bool,
}

/// The instances of a list of `fresh` that occur, in a question about Pass.
#[derive(Debug, Clone, Copy, Default)]
struct Rivals {
    count: usize,
    /// Whether the value of one of them was not logged.
    has_missing: bool,
}

pub(super) struct Store<'r, 'p> {
    problem: &'r Problem<'p>,
    observation: Observation<'r>,
    /// The values that logs tell.
    values: FxHashMap<InstanceId, Value>,
    used: FxHashMap<(List, Value), InstanceId>,
    /// By variable and value: the instances that have it and may go on, each after the outermost iteration around it, sorted.
    holders: FxHashMap<(VariableId, Value), Vec<(IterationId, InstanceId)>>,
    occurs: BTreeMap<InstanceId, Occurrence>,
    rivals: FxHashMap<List, Rivals>,
    opens: u32,
    open_of: BTreeMap<InstanceId, Open>,
    conditions: Vec<Condition>,
    assumed: Vec<(usize, usize, FieldId, Bound)>,
    /// By component.
    last: Vec<Last>,
    /// By component: whether an event of its log has happened.
    begun: Vec<bool>,
    /// By anchor on a clock that goes backwards: its epoch.
    clocks: FxHashMap<InstanceId, Epoch>,
    later: Vec<Later>,
    changes: Vec<Undo>,
}

/// An instance after the outermost iteration around it.
fn holder(residual: &Residual, instance: InstanceId) -> (IterationId, InstanceId) {
    (residual.outermost(residual.instance(instance).iteration), instance)
}

/// The values of an execution.
pub(super) struct Solved {
    pub(super) instances: BTreeMap<InstanceId, Value>,
    /// By step.
    pub(super) assumed: Vec<Vec<Assumed>>,
}

/// The most open variables that are solved together.
const MANY: usize = 150;

impl<'r, 'p> Store<'r, 'p> {
    pub(super) fn new(problem: &'r Problem<'p>) -> Self
    where
        'p: 'r,
    {
        Store {
            problem,
            observation: Observation::new(problem),
            values: FxHashMap::default(),
            used: FxHashMap::default(),
            holders: FxHashMap::default(),
            occurs: BTreeMap::new(),
            rivals: FxHashMap::default(),
            opens: 0,
            open_of: BTreeMap::new(),
            conditions: Vec::new(),
            assumed: Vec::new(),
            last: vec![(0, SmallVec::new()); problem.trace.partition().len()],
            begun: vec![false; problem.trace.partition().len()],
            clocks: FxHashMap::default(),
            later: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// Takes back all changes of the event at hand after some of them.
    fn undo(&mut self, mark: usize) {
        while self.changes.len() > mark {
            match self.changes.pop() {
                Some(Undo::Value(instance)) => {
                    self.values.remove(&instance);
                }
                Some(Undo::Used(list, value)) => {
                    self.used.remove(&(list, value));
                }
                Some(Undo::Occurs(instance, Some(before))) => {
                    self.occurs.insert(instance, before);
                }
                Some(Undo::Occurs(instance, None)) => {
                    self.occurs.remove(&instance);
                }
                Some(Undo::Rivals(list, before)) => {
                    self.rivals.insert(list, before);
                }
                Some(Undo::Conditions(len)) => self.conditions.truncate(len),
                Some(Undo::Assumed(len)) => self.assumed.truncate(len),
                Some(Undo::Last(component, before)) => self.last[component] = before,
                Some(Undo::Clock(anchor)) => {
                    self.clocks.remove(&anchor);
                }
                Some(Undo::Later(len)) => self.later.truncate(len),
                None => return,
            }
        }
    }

    /// Whether the variables at a place have values that the logged ones of an event allow.
    pub(super) fn may_be(&self, residual: &Residual, place: Place, event: &Event) -> bool {
        let is_other = |(variable, value): &(VariableId, Value)| {
            let known = residual.argument(place, *variable).and_then(|it| self.values.get(&it));
            known.is_some_and(|known| known != value)
        };
        if event.keys.iter().any(is_other) {
            return false;
        }
        let all = parts(self.problem.valued, event.leaf).iter().zip(&event.places);
        all.into_iter().all(|(part, &(component, step))| {
            part.guard.iter().filter(|atom| atom.field != Valued::TIME).all(|atom| {
                let instance = atom.variable().and_then(|x| residual.argument(place, x));
                let known = instance.and_then(|it| self.values.get(&it));
                let value = step.and_then(|at| self.problem.facts.value(atom.field, component, at));
                match (known, value) {
                    (Some(known), Some(value)) => {
                        atom.test.holds(self.problem.facts.item(value), Some(known))
                    }
                    (None, _) | (_, None) => true,
                }
            })
        })
    }

    /// Lets an event happen at a place. `false` if its guards cannot hold; nothing has changed then.
    pub(super) fn happen(
        &mut self,
        residual: &Residual,
        happened: &Happened,
        event: &Event,
    ) -> bool {
        let holds = self.change(residual, happened, event);
        if !holds {
            self.undo(0);
        }
        for &(component, step) in event.places.iter().filter(|_| holds) {
            self.begun[component.index()] |= step.is_some();
        }
        self.changes.clear();
        holds
    }

    fn change(&mut self, residual: &Residual, happened: &Happened, event: &Event) -> bool {
        let mut times: SmallVec<[(usize, Epoch, Bound); 2]> = SmallVec::new();
        let problem = self.problem;
        for (variable, value) in &event.keys {
            let Some(own) = residual.argument_of(happened, *variable) else { continue };
            let holds = match self.values.get(&own) {
                Some(known) => known == value,
                None => self.tell(residual, own, value, Rational::from(0)),
            };
            if !holds {
                return false;
            }
        }
        let all = parts(problem.valued, event.leaf).iter().zip(&event.places).enumerate();
        for (number, (part, &(component, step))) in all {
            if let Some(at) = step {
                let action = problem.trace.steps(component)[at].action();
                let peer = problem.pool.action(action).peer;
                if peer.is_some_and(|peer| !part.peers.contains(&peer)) {
                    return false;
                }
            }
            let log = &self.observation.logs[component.index()];
            let epoch = match step {
                Some(step) => log.epoch(step),
                None => log.epoch_outside(!self.begun[component.index()] && log.len > 0),
            };
            let place = (component, epoch);
            let logged = |field| problem.facts.known(field, component, step?);
            let mut fields: SmallVec<[FieldId; 4]> = SmallVec::new();
            for atom in &part.guard {
                if !fields.contains(&atom.field) {
                    fields.push(atom.field);
                }
            }
            for &field in &fields {
                let mut atoms: SmallVec<[(&Atom, Option<InstanceId>); 4]> = part
                    .guard
                    .iter()
                    .filter(|atom| atom.field == field)
                    .map(|atom| {
                        let instance =
                            atom.variable().and_then(|x| residual.argument_of(happened, x));
                        (atom, instance)
                    })
                    .collect();
                // Binding first, so that other atoms find the value.
                atoms.sort_by_key(|(atom, _)| atom.binds().is_none());
                let known = logged(field);
                let is_missing = known.is_none() && step.is_some() && problem.strict;
                if !atoms.iter().all(|(_, it)| self.occur(residual, *it, is_missing)) {
                    return false;
                }
                if is_missing {
                    continue;
                }
                let own = match known {
                    Some(value) => Bound::Known(value),
                    None => self.own(&atoms, place),
                };
                let holds =
                    atoms.iter().all(|(atom, it)| self.atom(residual, atom, *it, &own, place));
                if !holds {
                    return false;
                }
                if field == Valued::TIME {
                    times.push((component.index(), epoch, own.clone()));
                }
                if logged(field).is_none() {
                    self.changes.push(Undo::Assumed(self.assumed.len()));
                    self.assumed.push((event.item, number, field, own));
                }
            }
            if problem.valued.has_times() && !fields.contains(&Valued::TIME) {
                let time = step.and_then(|at| problem.facts.time(component, at));
                let time = time.map(|time| Bound::Known(Value::integer(time)));
                times.extend(time.map(|time| (component.index(), epoch, time)));
            }
        }
        self.in_order(&times)
    }

    /// Counts an occurrence. `false` if a value that was not logged would be compared.
    fn occur(&mut self, residual: &Residual, on: Option<InstanceId>, is_missing: bool) -> bool {
        let Some(instance) = on else { return !is_missing };
        let before = self.occurs.get(&instance).copied();
        self.changes.push(Undo::Occurs(instance, before));
        let mut now = before.unwrap_or_default();
        if now.is_missing || (is_missing && now.atoms > 0) {
            return false;
        }
        now.atoms += 1;
        now.is_missing = is_missing;
        self.occurs.insert(instance, now);
        if before.is_some() || !self.problem.strict {
            return true;
        }
        // A new one in its loop: all of them were logged, or it is the only one.
        let Some(list) = residual.rivals(instance) else { return true };
        let before = self.rivals.get(&list).copied().unwrap_or_default();
        self.changes.push(Undo::Rivals(list, before));
        let has_missing = before.has_missing || is_missing;
        self.rivals.insert(list, Rivals { count: before.count + 1, has_missing });
        before.count == 0 || !has_missing
    }

    /// A value that no log has: that of a variable, if an atom says so.
    fn own(
        &mut self,
        atoms: &[(&Atom, Option<InstanceId>)],
        (component, epoch): (ComponentId, Epoch),
    ) -> Bound {
        let gap = |atom| self.observation.between(atom, (component.index(), epoch)).gap(None);
        let alias = atoms.iter().find(|(atom, _)| atom.binds().is_some() && gap(atom) == Gap::None);
        match alias.and_then(|(_, instance)| *instance) {
            Some(instance) => self.bound(instance),
            None => Bound::Open(self.open()),
        }
    }

    /// An anchor is of an epoch. `false` if it is of another one.
    fn set_clock(&mut self, anchor: InstanceId, epoch: Epoch) -> bool {
        if let Some(&known) = self.clocks.get(&anchor) {
            return known == epoch;
        }
        self.changes.push(Undo::Clock(anchor));
        self.clocks.insert(anchor, epoch);
        true
    }

    fn open(&mut self) -> Open {
        self.opens += 1;
        Open(self.opens - 1)
    }

    /// The value of an instance, or its open variable.
    fn bound(&mut self, instance: InstanceId) -> Bound {
        if let Some(value) = self.values.get(&instance) {
            return Bound::Known(value.clone());
        }
        if let Some(&open) = self.open_of.get(&instance) {
            return Bound::Open(open);
        }
        let open = self.open();
        self.open_of.insert(instance, open);
        Bound::Open(open)
    }

    fn atom(
        &mut self,
        residual: &Residual,
        atom: &Atom,
        on: Option<InstanceId>,
        own: &Bound,
        (component, epoch): (ComponentId, Epoch),
    ) -> bool {
        let (Test::Compare(relation, Operand::Variable(_, offset)), Some(instance)) =
            (&atom.test, on)
        else {
            return self.constant(&atom.test, own);
        };
        let strict = self.problem.strict;
        let between = self.observation.between(atom, (component.index(), epoch));
        let known = self.clocks.get(&instance).copied();
        match between {
            Between::Sets(epoch) if !self.set_clock(instance, epoch) => return false,
            Between::If(epoch, _) if known.is_none() && strict => {
                self.set_clock(instance, epoch);
            }
            Between::If(epoch, gap) if known.is_none() => {
                // The variable has a value all the same.
                self.bound(instance);
                let sureness = Sureness { gap, strict };
                if let Needed::All(all) = sureness.requirement(*relation, *offset) {
                    self.changes.push(Undo::Later(self.later.len()));
                    self.later.extend(all.into_iter().map(|(relation, offset)| {
                        let own = own.clone();
                        Later { anchor: instance, epoch, own, relation, offset }
                    }));
                }
                return true;
            }
            Between::Gap(_) | Between::If(..) | Between::Sets(_) => {}
        }
        let sureness = Sureness { gap: between.gap(known), strict };
        match sureness.requirement(*relation, *offset) {
            Needed::All(all) => all.iter().all(|&(relation, offset)| {
                if let (Bound::Known(value), Relation::Equal) = (own, relation)
                    && !self.values.contains_key(&instance)
                {
                    return self.tell(residual, instance, value, offset);
                }
                let other = self.bound(instance);
                self.relate(own, relation, &other, offset)
            }),
            Needed::Apart(low, high) => {
                let other = self.bound(instance);
                let mark = self.changes.len();
                if self.relate(own, Relation::Less, &other, low) {
                    return true;
                }
                self.undo(mark);
                self.relate(own, Relation::Greater, &other, high)
            }
            Needed::Nothing => {
                // The variable has a value all the same.
                self.bound(instance);
                true
            }
            Needed::Never => false,
        }
    }

    fn constant(&mut self, test: &Test, own: &Bound) -> bool {
        let on = match own {
            Bound::Known(value) => return test.holds(value, None),
            Bound::Open(on) => *on,
        };
        let test = match test {
            Test::Compare(relation, Operand::Constant(value)) => {
                Requirement::Constant(*relation, value.clone())
            }
            Test::In(values) => Requirement::In(values.clone()),
            Test::Matches(pattern) => Requirement::Matches(pattern.clone()),
            Test::Compare(_, Operand::Variable(..)) => return false,
        };
        self.require(Condition { on, test });
        true
    }

    /// A log tells the value of an instance: `value = instance + offset`.
    fn tell(
        &mut self,
        residual: &Residual,
        instance: InstanceId,
        value: &Value,
        offset: Rational,
    ) -> bool {
        let negative = Rational::from(0).checked_sub(offset);
        let Some(value) = negative.and_then(|negative| plus(value, negative)) else {
            return false;
        };
        if let Some(list) = residual.rivals(instance) {
            if self.used.contains_key(&(list, value.clone())) {
                return false;
            }
            self.changes.push(Undo::Used(list, value.clone()));
            self.used.insert((list, value.clone()), instance);
        }
        self.changes.push(Undo::Value(instance));
        let holder = holder(residual, instance);
        let variable = residual.instance(instance).variable;
        let holders = self.holders.entry((variable, value.clone())).or_default();
        if let Err(at) = holders.binary_search(&holder) {
            holders.insert(at, holder);
        }
        self.values.insert(instance, value);
        true
    }

    /// The instances of the variables that tell a session from others, each with its variable and value: those of the
    /// innermost session first, and only those inside of an outermost session.
    pub(super) fn sessions<'k>(
        &self,
        keys: &'k [(VariableId, Value)],
    ) -> SmallVec<[(InstanceId, &'k (VariableId, Value)); 4]> {
        let mut found = SmallVec::new();
        let Some((outermost, inner)) = keys.split_first() else { return found };
        for &(around, instance) in self.told(outermost) {
            for key in inner.iter().rev() {
                let told = self.told(key);
                let from = told.partition_point(|(own, _)| *own < around);
                let own = told[from..].iter().take_while(|(own, _)| *own == around);
                found.extend(own.map(|&(_, instance)| (instance, key)));
            }
            found.push((instance, outermost));
        }
        found.retain(|(instance, (_, value))| self.values.get(instance) == Some(value));
        found
    }

    /// The instances of a variable that had a value when they were told.
    fn told(&self, key: &(VariableId, Value)) -> &[(IterationId, InstanceId)] {
        self.holders.get(key).map_or(&[], Vec::as_slice)
    }

    /// Forgets an instance for which no event is left.
    pub(super) fn is_over(
        &mut self,
        residual: &Residual,
        key: &(VariableId, Value),
        instance: InstanceId,
    ) {
        if let Some(holders) = self.holders.get_mut(key)
            && let Ok(at) = holders.binary_search(&holder(residual, instance))
        {
            holders.remove(at);
        }
    }

    fn require(&mut self, condition: Condition) {
        self.changes.push(Undo::Conditions(self.conditions.len()));
        self.conditions.push(condition);
    }

    /// `left rel right + offset`
    fn relate(
        &mut self,
        left: &Bound,
        relation: Relation,
        right: &Bound,
        offset: Rational,
    ) -> bool {
        match related(left, relation, right, offset) {
            Related::Holds(holds) => holds,
            Related::If(condition) => {
                self.require(condition);
                true
            }
        }
    }

    /// The times of an event are not before the last ones on their components.
    fn in_order(&mut self, times: &[(usize, Epoch, Bound)]) -> bool {
        let zero = Rational::from(0);
        let mut here: SmallVec<[(usize, Last); 2]> = SmallVec::new();
        for (component, epoch, time) in times {
            let (before, last) = self.last[*component].clone();
            for last in last.into_iter().filter(|_| before == *epoch) {
                if !self.relate(time, Relation::GreaterEqual, &last, zero) {
                    return false;
                }
            }
            match here.iter_mut().find(|(own, _)| own == component) {
                Some((_, (_, all))) => all.push(time.clone()),
                None => here.push((*component, (*epoch, SmallVec::from_elem(time.clone(), 1)))),
            }
        }
        for (component, all) in here {
            let before = std::mem::replace(&mut self.last[component], all);
            self.changes.push(Undo::Last(component, before));
        }
        true
    }

    /// Values for all that is open. `order` lists the items as they happened.
    pub(super) fn solve(&self, residual: &Residual, order: &[usize]) -> Option<Solved> {
        let mut conditions = self.conditions.clone();
        self.add_known(&mut conditions);
        self.add_later(&mut conditions)?;
        let mut extra: BTreeMap<InstanceId, Open> = BTreeMap::new();
        self.add_fresh(residual, &mut conditions, &mut extra);
        let found = solve_apart(&conditions)?;
        let open_value =
            |open: Open| found.get(&open).cloned().unwrap_or_else(|| Value::integer(0));
        let mut instances = BTreeMap::new();
        for (&instance, occurrence) in &self.occurs {
            if occurrence.is_missing {
                continue;
            }
            let open = self.open_of.get(&instance).or_else(|| extra.get(&instance));
            let value = match (self.values.get(&instance), open) {
                (Some(value), _) => value.clone(),
                (None, Some(&open)) => open_value(open),
                (None, None) => Value::integer(0),
            };
            instances.insert(instance, value);
        }
        let mut at: FxHashMap<usize, usize> = FxHashMap::default();
        for (number, &item) in order.iter().enumerate() {
            at.insert(item, number);
        }
        let mut assumed = vec![Vec::new(); order.len()];
        for (item, part, field, bound) in &self.assumed {
            let value = match bound {
                Bound::Known(value) => value.clone(),
                Bound::Open(open) => open_value(*open),
            };
            assumed[*at.get(item)?].push(Assumed { part: *part, field: *field, value });
        }
        Some(Solved { instances, assumed })
    }

    /// The comparisons with anchors that were set after them; `None` if one does not hold.
    fn add_later(&self, conditions: &mut Vec<Condition>) -> Option<()> {
        let is_set = |later: &&Later| self.clocks.get(&later.anchor) == Some(&later.epoch);
        for Later { anchor, own, relation, offset, .. } in self.later.iter().filter(is_set) {
            let right = match (self.values.get(anchor), self.open_of.get(anchor)) {
                (Some(value), _) => Bound::Known(value.clone()),
                (None, Some(&open)) => Bound::Open(open),
                (None, None) => continue,
            };
            match related(own, *relation, &right, *offset) {
                Related::Holds(true) => {}
                Related::Holds(false) => return None,
                Related::If(condition) => conditions.push(condition),
            }
        }
        Some(())
    }

    /// The values that logs told later than conditions were made.
    fn add_known(&self, conditions: &mut Vec<Condition>) {
        for (instance, &on) in &self.open_of {
            if let Some(value) = self.values.get(instance) {
                let test = Requirement::Constant(Relation::Equal, value.clone());
                conditions.push(Condition { on, test });
            }
        }
    }

    /// The variables of a loop differ, where logs do not tell them.
    fn add_fresh(
        &self,
        residual: &Residual,
        conditions: &mut Vec<Condition>,
        extra: &mut BTreeMap<InstanceId, Open>,
    ) {
        let mut lists: BTreeMap<List, Vec<InstanceId>> = BTreeMap::new();
        for (&instance, occurrence) in &self.occurs {
            if let Some(list) = residual.rivals(instance).filter(|_| !occurrence.is_missing) {
                lists.entry(list).or_default().push(instance);
            }
        }
        let mut opens = self.opens;
        for members in lists.into_values().filter(|members| members.len() > 1) {
            let open = members.iter().filter(|it| !self.values.contains_key(it));
            for &instance in open {
                let on = self.open_of.get(&instance).copied();
                let on = on.unwrap_or_else(|| {
                    *extra.entry(instance).or_insert_with(|| {
                        opens += 1;
                        Open(opens - 1)
                    })
                });
                for other in members.iter().filter(|&&other| other != instance) {
                    let other_open = self.open_of.get(other).or_else(|| extra.get(other)).copied();
                    let test = match (self.values.get(other), other_open) {
                        (Some(value), _) => {
                            Requirement::Constant(Relation::NotEqual, value.clone())
                        }
                        (None, Some(other)) if other < on => {
                            Requirement::Variable(Relation::NotEqual, other, Rational::from(0))
                        }
                        (None, _) => continue,
                    };
                    conditions.push(Condition { on, test });
                }
            }
        }
    }
}

/// The variable that stands for all that are connected with this one so far.
fn representative(group: &mut BTreeMap<Open, Open>, open: Open) -> Open {
    let mut at = open;
    while let Some(&up) = group.get(&at)
        && up != at
    {
        // Each one on the way is linked to the one after the next, so that ways stay short.
        let next = group.get(&up).copied().unwrap_or(up);
        group.insert(at, next);
        at = next;
    }
    group.insert(at, at);
    at
}

/// Values that are found without a search, if they hold: each variable in turn is equal to what it must be, or as small as
/// the variables before it allow. This is enough for the times of unobserved events, of which there may be many.
fn at_once(conditions: &[Condition], variables: &[Open]) -> Option<Vec<(Open, Value)>> {
    let mut of: BTreeMap<Open, Vec<&Condition>> = BTreeMap::new();
    for condition in conditions {
        for open in condition.variables() {
            of.entry(open).or_default().push(condition);
        }
    }
    let mut values: BTreeMap<Open, Value> = BTreeMap::new();
    for &open in variables {
        let (mut least, mut equal): (Option<Value>, Option<Value>) = (None, None);
        for condition in of.get(&open).into_iter().flatten() {
            let (relation, other) = match &condition.test {
                Requirement::Constant(relation, value) => (*relation, Some(value.clone())),
                Requirement::Variable(relation, other, offset) if condition.on == open => {
                    (*relation, values.get(other).and_then(|value| plus(value, *offset)))
                }
                Requirement::Variable(relation, _, offset) => {
                    let negative = Rational::from(0).checked_sub(*offset)?;
                    let value = values.get(&condition.on);
                    (flipped(*relation), value.and_then(|value| plus(value, negative)))
                }
                Requirement::In(_) | Requirement::Matches(_) => return None,
            };
            let Some(other) = other else { continue };
            match relation {
                Relation::Equal => equal = Some(other),
                Relation::GreaterEqual => {
                    let is_more =
                        |old: &Value| other.compare(old).is_some_and(std::cmp::Ordering::is_gt);
                    if least.as_ref().is_none_or(is_more) {
                        least = Some(other);
                    }
                }
                Relation::NotEqual | Relation::Less | Relation::LessEqual | Relation::Greater => {}
            }
        }
        values.insert(open, equal.or(least)?);
    }
    let value = |open: Open| values.get(&open).cloned();
    let all = conditions.iter().all(|condition| condition.holds(value) == Some(true));
    all.then(|| values.iter().map(|(open, value)| (*open, value.clone())).collect())
}

/// Solves each set of connected variables by itself; `None` if one has no solution, or is too large.
fn solve_apart(conditions: &[Condition]) -> Option<BTreeMap<Open, Value>> {
    let mut group: BTreeMap<Open, Open> = BTreeMap::new();
    for condition in conditions {
        let first = representative(&mut group, condition.on);
        for other in condition.variables() {
            let other = representative(&mut group, other);
            group.insert(other, first);
        }
    }
    let mut apart: BTreeMap<Open, Vec<Condition>> = BTreeMap::new();
    for condition in conditions {
        let root = representative(&mut group, condition.on);
        apart.entry(root).or_default().push(condition.clone());
    }
    let mut found = BTreeMap::new();
    for own in apart.values() {
        let mut variables: Vec<Open> = own.iter().flat_map(Condition::variables).collect();
        variables.sort_unstable();
        variables.dedup();
        let solved = match at_once(own, &variables) {
            None if variables.len() <= MANY => model(own),
            at_once => at_once,
        };
        found.extend(solved?);
    }
    Some(found)
}
