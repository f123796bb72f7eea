//! An event against the guard of a leaf: which registers it sets, which conditions it leaves behind.
//!
//! ```text
//! f = z, f known, z open        z is that value everywhere
//! f rel z + d, both known       must hold
//! f unknown                     any value that helps; conditions on open variables go to the store
//! ```
//!
//! A question about Pass is *strict*: an unlogged value of a logged event must not be compared with anything, and a
//! comparison of times of different clocks must hold whatever the uncertainty does.

use std::cmp::Ordering;

use otus_core::Value;
use otus_core::valued::{Atom, FieldId, Operand, Part, Test, Valued, VariableId, plus};
use otus_syntax::Rational;
use otus_syntax::ast::guard::Relation;
use smallvec::SmallVec;

use super::bound::{Bound, Related, Told, flipped, related, told};
use super::condition::{Condition, Open, Requirement};
use super::epoch::{Epoch, Epochs, Later};
use super::expr::Var;
pub(crate) use super::memory::{Ended, Member, Memory, Register};
pub(super) use super::sureness::{Between, Gap, Needed, Sureness};

/// An end of an event: where it is observed, if it is, and the times around it.
pub(super) struct End<'a> {
    pub(super) component: usize,
    /// Its epoch there.
    pub(super) epoch: Epoch,
    /// The logged values, if it is observed.
    pub(super) logged: Option<&'a dyn Fn(FieldId) -> Option<Value>>,
    /// The logged times between which it happened.
    pub(super) earliest: Option<i64>,
    pub(super) latest: Option<i64>,
}

/// How an event uses variables: those of its guards, those that it opens, and where all of them go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage<'a> {
    /// The actions of the event with their guards.
    pub(crate) parts: &'a [Part],
    /// The distinct variables of all guards, and what they are in the state.
    pub(crate) variables: &'a [VariableId],
    pub(crate) arguments: &'a [Var],
    /// The number of variables and sets that the event opens, and which of these are sets.
    pub(crate) opened: usize,
    pub(crate) opened_sets: &'a [u16],
    /// The sets that get a value, which must not be there yet.
    pub(crate) inserts: &'a [(Var, Var)],
    /// By register of the state after: the variable before.
    pub(crate) moves: &'a [Var],
}

/// The work of one step on the registers.
#[derive(Debug)]
pub(super) struct Firing<'m> {
    pub(super) memory: &'m mut Memory,
    pub(super) opened: SmallVec<[Register; 4]>,
    pub(super) strict: bool,
    /// By part with a time: its component and epoch, and the time that no log tells. The parts of one event have no order among
    /// each other, so these are the last times only after the event.
    last: SmallVec<[(usize, Epoch, Option<Bound>); 2]>,
    /// The epochs of anchors, where clocks go backwards.
    epochs: SmallVec<[(Var, Epoch); 2]>,
    /// Whether an unlogged value was compared with that of another iteration.
    has_compared: bool,
}

impl<'m> Firing<'m> {
    pub(super) fn new(memory: &'m mut Memory, usage: &Usage<'_>, strict: bool) -> Self {
        let mut opened: SmallVec<[Register; 4]> = SmallVec::new();
        for number in 0..usage.opened {
            if usage.opened_sets.iter().any(|&set| usize::from(set) == number) {
                opened.push(Register::Set(Vec::new()));
            } else {
                opened.push(Register::Open(Open(memory.opens), false));
                memory.opens += 1;
            }
        }
        let epochs = match &memory.epochs {
            None => SmallVec::new(),
            Some(epochs) => epochs.anchors.iter().map(|&(at, own)| (Var::Slot(at), own)).collect(),
        };
        Firing { memory, opened, strict, last: SmallVec::new(), epochs, has_compared: false }
    }

    pub(super) fn register(&self, var: Var) -> &Register {
        match var {
            Var::Slot(at) => &self.memory.registers[usize::from(at)],
            Var::Opened(at) => &self.opened[usize::from(at)],
            Var::Bound(_) => &Register::Missing,
        }
    }

    fn register_mut(&mut self, var: Var) -> Option<&mut Register> {
        match var {
            Var::Slot(at) => self.memory.registers.get_mut(usize::from(at)),
            Var::Opened(at) => self.opened.get_mut(usize::from(at)),
            Var::Bound(_) => None,
        }
    }

    /// Tests the guard of one end. `var` gives the variable of an atom in the state, `between` the clocks of its comparison.
    pub(super) fn guard(
        &mut self,
        guard: &[Atom],
        end: &End<'_>,
        var: impl Fn(&Atom) -> Option<Var>,
        between: impl Fn(&Atom) -> Between,
    ) -> bool {
        let mut fields: SmallVec<[FieldId; 4]> = SmallVec::new();
        for atom in guard {
            if !fields.contains(&atom.field) {
                fields.push(atom.field);
            }
        }
        for field in fields {
            let atoms: SmallVec<[&Atom; 4]> =
                guard.iter().filter(|atom| atom.field == field).collect();
            let value = end.logged.and_then(|logged| logged(field));
            let holds = match value {
                Some(value) => self.known(&atoms, field, &value, end, &var, &between),
                None if self.strict && end.logged.is_some() => self.missing(&atoms, &var),
                None => self.unknown(&atoms, field, end, &var, &between),
            };
            if !holds {
                return false;
            }
        }
        true
    }

    fn known(
        &mut self,
        atoms: &[&Atom],
        field: FieldId,
        value: &Value,
        end: &End<'_>,
        var: &impl Fn(&Atom) -> Option<Var>,
        between: &impl Fn(&Atom) -> Between,
    ) -> bool {
        if field == Valued::TIME && !self.not_before(end, value) {
            return false;
        }
        // Binding first, so that the other atoms find the value.
        let mut ordered: SmallVec<[&Atom; 4]> = atoms.iter().copied().collect();
        ordered.sort_by_key(|atom| atom.binds().is_none());
        ordered.iter().all(|atom| match (&atom.test, var(atom)) {
            (Test::Compare(relation, Operand::Variable(_, offset)), Some(var)) => {
                let own = || Bound::Known(value.clone());
                let sureness = match self.on_clock(atom, var, between(atom), own) {
                    Ok(sureness) => sureness,
                    Err(holds) => return holds,
                };
                match sureness.requirement(*relation, *offset) {
                    Needed::All(all) => all
                        .iter()
                        .all(|&(relation, offset)| self.compare(value, relation, var, offset)),
                    // An open variable can have a value that is far enough away.
                    Needed::Apart(..) if matches!(self.register(var), Register::Open(..)) => {
                        self.touch(var);
                        true
                    }
                    Needed::Apart(low, high) => {
                        self.compare(value, Relation::Less, var, low)
                            || self.compare(value, Relation::Greater, var, high)
                    }
                    Needed::Nothing => true,
                    Needed::Never => false,
                }
            }
            (test, _) => test.holds(value, None),
        })
    }

    /// The time of an event is not before the one that was assumed last on its component.
    fn not_before(&mut self, end: &End<'_>, time: &Value) -> bool {
        if end.component < self.memory.last.len() {
            self.last.push((end.component, end.epoch, None));
        }
        let Some(last) = self.last_of(end) else { return true };
        match last {
            Bound::Known(last) => last.compare(time).is_some_and(Ordering::is_le),
            Bound::Open(last) => {
                let test = Requirement::Constant(Relation::LessEqual, time.clone());
                self.memory.conditions.push(Condition { on: last, test });
                true
            }
        }
    }

    /// The time that was assumed last on the clock of an event.
    fn last_of(&self, end: &End<'_>) -> Option<Bound> {
        let last = self.memory.last.get(end.component)?.clone()?;
        let epoch = self.memory.epochs.as_ref().map_or(0, |own| own.of_last(end.component));
        (epoch == end.epoch).then_some(last)
    }

    /// How sure a comparison of a time with an anchor must be; `Err` says whether it holds without being compared. It is
    /// compared later if it depends on the clock of an anchor that no event has set.
    fn on_clock(
        &mut self,
        atom: &Atom,
        var: Var,
        between: Between,
        own: impl FnOnce() -> Bound,
    ) -> Result<Sureness, bool> {
        let strict = self.strict;
        let (epoch, gap) = match between {
            Between::Gap(gap) => return Ok(Sureness { gap, strict }),
            Between::Sets(epoch) if self.set_epoch(var, epoch) => {
                return Ok(Sureness { gap: Gap::None, strict });
            }
            Between::Sets(_) => return Err(false),
            Between::If(epoch, gap) => (epoch, gap),
        };
        let known = self.epoch_of(var);
        if known.is_none() && strict {
            self.set_epoch(var, epoch);
        } else if known.is_none() {
            self.compare_later(atom, var, (epoch, gap), &own());
            return Err(true);
        }
        Ok(Sureness { gap: between.gap(known), strict })
    }

    fn epoch_of(&self, var: Var) -> Option<Epoch> {
        self.epochs.iter().find(|(own, _)| *own == var).map(|(_, epoch)| *epoch)
    }

    /// An anchor is of an epoch, from now on. `false` if it is of another one.
    fn set_epoch(&mut self, var: Var, epoch: Epoch) -> bool {
        if let Some(known) = self.epoch_of(var) {
            return known == epoch;
        }
        self.epochs.push((var, epoch));
        let &Register::Open(anchor, _) = self.register(var) else { return true };
        if let Some(epochs) = &mut self.memory.epochs {
            let (own, others): (Vec<Later>, _) =
                std::mem::take(&mut epochs.later).into_iter().partition(|it| it.anchor == anchor);
            epochs.later = others;
            let same = own.into_iter().filter(|later| later.epoch == epoch);
            self.memory.conditions.extend(same.map(|later| later.condition));
        }
        true
    }

    /// Compares a time with an anchor if that is set in an epoch.
    fn compare_later(&mut self, atom: &Atom, var: Var, (epoch, gap): (Epoch, Gap), own: &Bound) {
        let Test::Compare(relation, Operand::Variable(_, offset)) = &atom.test else { return };
        let &Register::Open(anchor, _) = self.register(var) else { return };
        let sureness = Sureness { gap, strict: false };
        let Needed::All(all) = sureness.requirement(*relation, *offset) else { return };
        for (relation, offset) in all {
            if let Related::If(condition) = related(own, relation, &Bound::Open(anchor), offset) {
                let later = Later { anchor, epoch, condition };
                self.memory.epochs.get_or_insert_default().later.push(later);
            }
        }
    }

    /// `value rel var + offset`
    fn compare(&mut self, value: &Value, relation: Relation, var: Var, offset: Rational) -> bool {
        match self.register(var).clone() {
            Register::Known(own) => {
                let other = plus(&own, offset);
                relation.holds(other.and_then(|other| value.compare(&other)))
            }
            Register::Open(open, _) => {
                let zero = Rational::from(0);
                let negative = zero.checked_sub(offset);
                let shifted = negative.and_then(|negative| plus(value, negative));
                match (relation, shifted) {
                    (Relation::Equal, Some(own)) => self.bind(open, &own),
                    (relation, Some(own)) => {
                        let test = Requirement::Constant(flipped(relation), own);
                        self.memory.conditions.push(Condition { on: open, test });
                        self.touch(var);
                        true
                    }
                    // No value plus a number is a text.
                    (relation, None) => relation == Relation::NotEqual,
                }
            }
            Register::Missing | Register::Set(_) => false,
        }
    }

    fn touch(&mut self, var: Var) {
        let Some(Register::Open(open, touched)) = self.register_mut(var) else { return };
        *touched = true;
        let open = *open;
        self.occurs(open, false);
        for member in self.members() {
            if let Member::Open(own, touched) = member
                && *own == open
            {
                *touched = true;
            }
        }
    }

    /// Notes for loops that have ended that the value of one of their iterations occurs.
    fn occurs(&mut self, open: Open, is_missing: bool) {
        for ended in &mut self.memory.ended {
            let Some(at) = ended.waiting.iter().position(|&own| own == open) else { continue };
            ended.waiting.remove(at);
            self.has_compared |= ended.has_missing || is_missing && ended.has_others;
            ended.has_missing |= is_missing;
            ended.has_others |= !is_missing;
        }
    }

    /// The members of all sets.
    fn members(&mut self) -> impl Iterator<Item = &mut Member> {
        let registers = self.memory.registers.iter_mut().chain(&mut self.opened);
        registers.flat_map(|register| match register {
            Register::Set(members) => members.as_mut_slice(),
            Register::Open(..) | Register::Known(_) | Register::Missing => &mut [],
        })
    }

    /// Gives an open variable its value, everywhere.
    fn bind(&mut self, open: Open, value: &Value) -> bool {
        for register in self.memory.registers.iter_mut().chain(&mut self.opened) {
            if matches!(register, Register::Open(own, _) if *own == open) {
                *register = Register::Known(value.clone());
            }
        }
        for member in self.members() {
            if matches!(member, Member::Open(own, _) if *own == open) {
                *member = Member::Known(value.clone());
            }
        }
        self.occurs(open, false);
        let new = self.last.iter_mut().filter_map(|(.., last)| last.as_mut());
        for last in self.memory.last.iter_mut().flatten().chain(new) {
            if *last == Bound::Open(open) {
                *last = Bound::Known(value.clone());
            }
        }
        if let Some(epochs) = &mut self.memory.epochs {
            for later in &mut epochs.later {
                if let Told::Left(condition) = told(&later.condition, open, value) {
                    later.condition = condition;
                }
            }
        }
        let conditions = std::mem::take(&mut self.memory.conditions);
        for condition in conditions {
            match told(&condition, open, value) {
                Told::Holds => {}
                Told::Fails => return false,
                Told::Left(condition) => self.memory.conditions.push(condition),
            }
        }
        true
    }

    /// A value that was not logged, in a strict question: its field may be compared only with variables that have no other
    /// occurrence.
    fn missing(&mut self, atoms: &[&Atom], var: &impl Fn(&Atom) -> Option<Var>) -> bool {
        atoms.iter().all(|atom| {
            let Some(var) = var(atom) else { return false };
            let &Register::Open(open, false) = self.register(var) else { return false };
            self.occurs(open, true);
            for member in self.members() {
                if matches!(member, Member::Open(own, _) if *own == open) {
                    *member = Member::Missing;
                }
            }
            if let Some(register) = self.register_mut(var) {
                *register = Register::Missing;
            }
            true
        })
    }

    /// A value that nobody logged: some value satisfies all atoms.
    fn unknown(
        &mut self,
        atoms: &[&Atom],
        field: FieldId,
        end: &End<'_>,
        var: &impl Fn(&Atom) -> Option<Var>,
        between: &impl Fn(&Atom) -> Between,
    ) -> bool {
        let is_time = field == Valued::TIME;
        // The value is that of a variable, if an atom says so.
        let alias = atoms.iter().position(|atom| {
            let is_same = || between(atom).gap(None) == Gap::None;
            atom.binds().is_some() && (!is_time || is_same())
        });
        let mut own = match alias.and_then(|at| Some((atoms[at], var(atoms[at])?))) {
            Some((atom, var)) => {
                if let Between::Sets(epoch) = between(atom)
                    && !self.set_epoch(var, epoch)
                {
                    return false;
                }
                self.touch(var);
                match self.register(var) {
                    Register::Known(value) => Bound::Known(value.clone()),
                    Register::Open(open, _) => Bound::Open(*open),
                    Register::Missing | Register::Set(_) => return false,
                }
            }
            None => {
                self.memory.opens += 1;
                Bound::Open(Open(self.memory.opens - 1))
            }
        };
        if is_time && !self.within(&own, end) {
            return false;
        }
        for (at, atom) in atoms.iter().enumerate() {
            if alias == Some(at) {
                continue;
            }
            if let Some(var) = var(atom) {
                self.touch(var);
            }
            if !self.require(&mut own, atom, var(atom), between(atom)) {
                return false;
            }
        }
        if is_time {
            self.last.push((end.component, end.epoch, Some(own)));
        }
        true
    }

    /// The bounds of the time of an event that was not logged.
    fn within(&mut self, time: &Bound, end: &End<'_>) -> bool {
        let mut bounds: SmallVec<[(Relation, Bound); 3]> = SmallVec::new();
        let number = |time: i64| Bound::Known(Value::integer(time));
        bounds.extend(end.earliest.map(|time| (Relation::GreaterEqual, number(time))));
        bounds.extend(end.latest.map(|time| (Relation::LessEqual, number(time))));
        bounds.extend(self.last_of(end).map(|last| (Relation::GreaterEqual, last)));
        bounds
            .iter()
            .all(|(relation, bound)| self.relate(time, *relation, bound, Rational::from(0)))
    }

    /// One more test of a value that nobody logged.
    fn require(
        &mut self,
        own: &mut Bound,
        atom: &Atom,
        var: Option<Var>,
        between: Between,
    ) -> bool {
        match (&atom.test, var) {
            (Test::Compare(relation, Operand::Variable(_, offset)), Some(var)) => {
                let sureness = match self.on_clock(atom, var, between, || own.clone()) {
                    Ok(sureness) => sureness,
                    Err(holds) => return holds,
                };
                let needed = match sureness.requirement(*relation, *offset) {
                    Needed::All(all) => all,
                    // A time that nobody logged can be far enough away.
                    Needed::Apart(..) | Needed::Nothing => return true,
                    Needed::Never => return false,
                };
                let other = match self.register(var) {
                    Register::Known(value) => Bound::Known(value.clone()),
                    Register::Open(open, _) => Bound::Open(*open),
                    Register::Missing | Register::Set(_) => return false,
                };
                needed.iter().all(|&(relation, offset)| self.relate(own, relation, &other, offset))
            }
            (test, _) => match own {
                Bound::Known(value) => test.holds(value, None),
                Bound::Open(on) => {
                    let test = match test {
                        Test::Compare(relation, Operand::Constant(value)) => {
                            Requirement::Constant(*relation, value.clone())
                        }
                        Test::In(values) => Requirement::In(values.clone()),
                        Test::Matches(pattern) => Requirement::Matches(pattern.clone()),
                        Test::Compare(_, Operand::Variable(..)) => return false,
                    };
                    self.memory.conditions.push(Condition { on: *on, test });
                    true
                }
            },
        }
    }

    /// `left rel right + offset`, where any of the two may be open.
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
                self.memory.conditions.push(condition);
                true
            }
        }
    }

    /// Adds the values of new iterations to the sets of their loops, from which they must differ.
    pub(super) fn insert(&mut self, inserts: &[(Var, Var)]) -> bool {
        for &(set, value) in inserts {
            let new = match self.register(value) {
                Register::Open(open, touched) => Member::Open(*open, *touched),
                Register::Known(value) => Member::Known(value.clone()),
                Register::Missing => Member::Missing,
                Register::Set(_) => return false,
            };
            let Some(Register::Set(members)) = self.register_mut(set) else { return false };
            let before = members.clone();
            members.push(new.clone());
            for member in &before {
                let holds = match (&new, member) {
                    (Member::Missing, _) | (_, Member::Missing) => true,
                    (Member::Known(one), Member::Known(other)) => one != other,
                    (Member::Open(open, _), Member::Known(value))
                    | (Member::Known(value), Member::Open(open, _)) => {
                        let test = Requirement::Constant(Relation::NotEqual, value.clone());
                        self.memory.conditions.push(Condition { on: *open, test });
                        true
                    }
                    (Member::Open(one, _), Member::Open(other, _)) => {
                        let zero = Rational::from(0);
                        let test = Requirement::Variable(Relation::NotEqual, *other, zero);
                        self.memory.conditions.push(Condition { on: *one, test });
                        true
                    }
                };
                if !holds {
                    return false;
                }
            }
        }
        self.compares_only_logged()
    }

    /// Whether no unlogged value is compared with that of another iteration. An iteration in which the variable does not
    /// occur has no value to compare with.
    fn compares_only_logged(&self) -> bool {
        if self.has_compared {
            return false;
        }
        let occurs = |member: &&Member| !matches!(member, Member::Open(_, false));
        self.memory.registers.iter().chain(&self.opened).all(|register| match register {
            Register::Set(members) => {
                !members.contains(&Member::Missing) || members.iter().filter(occurs).count() == 1
            }
            Register::Open(..) | Register::Known(_) | Register::Missing => true,
        })
    }

    /// The registers after the step.
    pub(super) fn finish(mut self, moves: &[Var]) {
        let registers =
            moves.iter().map(|&var| self.register(var).clone()).collect::<SmallVec<[_; 4]>>();
        if self.strict {
            self.end_loops(moves, &registers);
        }
        self.memory.registers = registers;
        self.opened.clear();
        self.move_epochs(moves);
        for component in 0..self.memory.last.len() {
            let own = self.last.iter().filter(|(own, ..)| *own == component);
            let own: SmallVec<[Option<Bound>; 2]> = own.map(|(.., last)| last.clone()).collect();
            if own.is_empty() {
                continue;
            }
            let mut told = own.into_iter().flatten();
            let (first, others) = (told.next(), told.collect::<SmallVec<[Bound; 2]>>());
            self.memory.last[component] = match first {
                Some(first) if !others.is_empty() => Some(self.latest(&first, &others)),
                first => first,
            };
        }
    }

    /// The epochs of the registers and times after the step.
    fn move_epochs(&mut self, moves: &[Var]) {
        let is_late = self.last.iter().any(|(_, epoch, _)| *epoch > 0);
        if self.epochs.is_empty() && !is_late && self.memory.epochs.is_none() {
            return;
        }
        let anchors =
            moves.iter().zip(0..).filter_map(|(&var, at)| Some((at, self.epoch_of(var)?)));
        let anchors = anchors.collect();
        let epochs: &mut Epochs = self.memory.epochs.get_or_insert_default();
        epochs.anchors = anchors;
        for &(component, epoch, _) in &self.last {
            epochs.set_last(component, epoch);
        }
    }

    /// A time that is not before any of these.
    fn latest(&mut self, first: &Bound, others: &[Bound]) -> Bound {
        let latest = Bound::Open(Open(self.memory.opens));
        self.memory.opens += 1;
        for time in std::iter::once(first).chain(others) {
            self.relate(&latest, Relation::GreaterEqual, time, Rational::from(0));
        }
        latest
    }

    /// Remembers the sets that no register has after the step, as far as their values may still be compared.
    fn end_loops(&mut self, moves: &[Var], after: &[Register]) {
        let slots = (0..self.memory.registers.len()).filter_map(|at| u16::try_from(at).ok());
        let opened = (0..self.opened.len()).filter_map(|at| u16::try_from(at).ok());
        let all = slots.map(Var::Slot).chain(opened.map(Var::Opened));
        for var in all.filter(|var| !moves.contains(var)).collect::<SmallVec<[Var; 4]>>() {
            let Register::Set(members) = self.register(var) else { continue };
            let is_live = |open: &Open| {
                after
                    .iter()
                    .any(|register| matches!(register, Register::Open(own, _) if own == open))
            };
            let waiting = members.iter().filter_map(|member| match member {
                Member::Open(open, false) => Some(*open).filter(is_live),
                Member::Open(_, true) | Member::Known(_) | Member::Missing => None,
            });
            let ended = Ended {
                has_missing: members.contains(&Member::Missing),
                has_others: members
                    .iter()
                    .any(|member| matches!(member, Member::Known(_) | Member::Open(_, true))),
                waiting: waiting.collect(),
            };
            if !ended.waiting.is_empty() {
                self.memory.ended.push(ended);
            }
        }
    }
}
