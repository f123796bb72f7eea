//! An independent checker of witnesses with values.
//!
//! It uses the step relation, on a [residual](otus_core::residual) that changes in place, and none of the engines. It takes
//! time in the lengths of the positions, and memory in the events of the witness. A [`ValuedWitness`] proves a verdict if
//!
//! 1. its plain part proves that the interaction without values explains the logs ([`certify`](mod@crate::certify)), and the
//!    interaction can end there: with values, not every execution that has begun can be completed;
//! 2. every atom of every event holds of the value that was logged or is assumed, and of the values of its variables;
//! 3. `fresh` variables of one loop have different values in iterations in which they occur;
//! 4. on each component times do not decrease, those that are assumed included;
//! 5. a time that is compared with one of another clock may be off by the declared uncertainty, or by anything if none is
//!    declared: for a WeakPass the comparison must hold possibly, for a Pass certainly;
//! 6. for a Pass, no unlogged value of a logged event is compared: each atom on it is about a variable that occurs in no
//!    other atom, and by `fresh` with no other iteration.
//!
//! A clock that goes backwards is another clock from there on, whose uncertainty is unknown, and times of two clocks are not
//! in order. Events before a log are on its first clock, those after it on its last one. An anchor is on the clock of the event
//! that sets it, and on whatever clock helps if there is no such event.

use std::collections::BTreeSet;

use otus_core::index::Index as _;
use otus_core::letters::{InstanceId, Rivals};
use otus_core::residual::{Happened, Residual};
use otus_core::valued::{Atom, Operand, Part, Test, Valued, VariableId};
use otus_core::{Pool, RegionId, Value};
use otus_syntax::Rational;
use otus_syntax::ast::guard::Relation;
use otus_trace::{ComponentId, Facts, MultiTrace};
use rustc_hash::FxHashMap;

use super::witness::{Places, ValuedWitness, parts};
use super::{Clocks, anchors};
use crate::certify::{Refuted, Rest, replay};
use crate::question::{Observed, Question};
use crate::verdict::Verdict;
use crate::witness::WitnessEvent;

/// An interaction with values, and a multi-trace with the values of its events.
#[derive(Debug, Clone, Copy)]
pub struct ValuedCase<'a> {
    /// The interaction.
    pub valued: &'a Valued,
    /// The multi-trace.
    pub trace: &'a MultiTrace,
    /// Its values.
    pub facts: &'a Facts,
    /// What is known of the clocks.
    pub clocks: Clocks,
}

/// Why a witness with values does not prove its claim.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValuesRefuted {
    /// The execution without values does not.
    #[error(transparent)]
    Plain(#[from] Refuted),
    /// The event at this index is no event of the valued interaction there.
    #[error("step {0} is not the leaf that it claims to be")]
    WrongLeaf(usize),
    /// The event at this index was logged with a peer that the leaf does not have.
    #[error("step {0} has another peer")]
    WrongPeer(usize),
    /// The event at this index assumes a value that was logged, or one that is not guarded.
    #[error("step {0} assumes a value that is not its own")]
    WrongAssumption(usize),
    /// A value that a guard needs is not there.
    #[error("step {0} needs a value that is missing")]
    NoValue(usize),
    /// The guard of the event at this index does not hold.
    #[error("the guard of step {0} does not hold")]
    Guard(usize),
    /// The event at this index has an earlier time than one before it on its component.
    #[error("the time of step {0} is before an earlier one")]
    TimeDecreases(usize),
    /// Two iterations of a loop have the same value.
    #[error("variables {0} and {1} of one loop have the same value")]
    NotFresh(usize, usize),
    /// A value is given to a variable that the execution does not have.
    #[error("variable {0} does not occur")]
    NoSuchVariable(usize),
    /// A Pass is claimed, but an unlogged value of the event at this index is compared.
    #[error("step {0} compares a value that was not logged")]
    Compared(usize),
    /// The interaction is too large to be checked.
    #[error("the interaction is too large to be checked")]
    TooLarge,
}

/// Checks that a witness proves a verdict on a question.
///
/// # Errors
/// The first thing that does not hold.
pub fn certify(
    pool: &mut Pool,
    case: ValuedCase<'_>,
    (question, verdict): (&Question, Verdict),
    witness: &ValuedWitness,
) -> Result<(), ValuesRefuted> {
    let ValuedCase { valued, trace, facts, .. } = case;
    let steps = &witness.witness.steps;
    if witness.leaves.len() != steps.len() || witness.assumed.len() != steps.len() {
        return Err(Refuted::Unexplained.into());
    }
    let mut components = trace.partition().components();
    let is_whole = |of: Observed| matches!(of, Observed::Complete | Observed::Unobserved);
    let nothing_is_missing = components.all(|component| is_whole(question.of(component)));
    // Without values, a WeakPass of complete logs is a Pass.
    let plain =
        if nothing_is_missing && verdict == Verdict::WeakPass { Verdict::Pass } else { verdict };
    let without_peers = trace.map_actions(|action| {
        let action = pool.action(action).without_peer();
        pool.intern_action(action)
    });
    let mut checker = Checker {
        case,
        witness,
        strict: verdict == Verdict::Pass,
        anchors: anchors(valued, trace.partition()),
        residual: Residual::new(pool, valued).ok_or(ValuesRefuted::TooLarge)?,
        places: Places::new(trace),
        events: Vec::with_capacity(steps.len()),
        breaks: trace
            .partition()
            .components()
            .map(|component| {
                let is_observed = question.of(component) != Observed::Unobserved;
                if is_observed { facts.breaks(component) } else { &[] }
            })
            .collect(),
        clocks: FxHashMap::default(),
        latest: vec![None; trace.partition().len()],
        atoms: Vec::new(),
    };
    let claim = (question, plain).into();
    replay(pool, &without_peers, claim, &witness.witness, &mut checker)?;
    checker.values()
}

struct Checker<'a> {
    case: ValuedCase<'a>,
    witness: &'a ValuedWitness,
    /// Whether the claim is a Pass.
    strict: bool,
    anchors: Vec<Option<usize>>,
    residual: Residual,
    places: Places,
    events: Vec<Now>,
    /// By component: the steps from which on its clock is another one.
    breaks: Vec<&'a [usize]>,
    /// By anchor: the number of its clock.
    clocks: FxHashMap<InstanceId, usize>,
    /// By component: the latest time of an earlier event, and the number of its clock.
    latest: Vec<Option<(usize, Rational)>>,
    /// By instance: the number of atoms in which it occurs.
    atoms: Vec<usize>,
}

/// An event of the execution.
struct Now {
    at: usize,
    happened: Happened,
    /// By part: the component and the step as which it was logged.
    logged: Vec<Option<(ComponentId, usize)>>,
    /// By part: the number of the clock of its component.
    clock: Vec<usize>,
}

impl Rest for Checker<'_> {
    type Error = ValuesRefuted;

    fn step(
        &mut self,
        pool: &mut Pool,
        at: usize,
        place: &WitnessEvent,
    ) -> Result<(), ValuesRefuted> {
        let position = place.position.iter().copied();
        let happened = self.residual.step(position).ok_or(Refuted::NoSuchStep(at))?;
        let parts = parts(self.case.valued, happened.leaf);
        let actions: Vec<_> = parts.iter().map(|part| part.action).collect();
        if pool.intern_event(&actions) != place.event {
            return Err(Refuted::NoSuchStep(at).into());
        }
        if happened.leaf != self.witness.leaves[at] {
            return Err(ValuesRefuted::WrongLeaf(at));
        }
        let seen = pool.region(place.observed);
        let logged = self.places.next(pool, self.case.trace, parts, &seen);
        for (part, logged) in parts.iter().zip(&logged) {
            let Some((component, step)) = *logged else { continue };
            let action = self.case.trace.steps(component)[step].action();
            let peer = pool.action(action).peer;
            if peer.is_some_and(|peer| !part.peers.contains(&peer)) {
                return Err(ValuesRefuted::WrongPeer(at));
            }
        }
        self.atoms.resize(self.residual.instance_count(), 0);
        for variable in parts.iter().flat_map(|part| &part.guard).filter_map(Atom::variable) {
            if let Some(instance) = self.residual.argument_of(&happened, variable) {
                self.atoms[instance.index()] += 1;
            }
        }
        self.events.push(Now { at, happened, logged, clock: Vec::new() });
        Ok(())
    }

    /// Only `eliminate` removes lifelines, and it has no witnesses with values.
    fn remove(&mut self, _: &mut Pool, _: RegionId) -> bool {
        false
    }

    fn terminates(&self, _: &Pool) -> bool {
        self.residual.terminates()
    }
}

impl Checker<'_> {
    /// Checks the values of an execution.
    fn values(mut self) -> Result<(), ValuesRefuted> {
        if !self.residual.terminates() {
            return Err(Refuted::NotTerminated.into());
        }
        let occurs = |it: &InstanceId| self.atoms.get(it.index()).is_some_and(|&count| count > 0);
        if let Some(other) = self.witness.variables.keys().find(|it| !occurs(it)) {
            return Err(ValuesRefuted::NoSuchVariable(other.index()));
        }
        let mut rivals: FxHashMap<Rivals, usize> = FxHashMap::default();
        for instance in (0..self.atoms.len()).map(InstanceId::new).filter(occurs) {
            if let Some(list) = self.residual.rivals(instance) {
                *rivals.entry(list).or_default() += 1;
            }
        }
        let mut events = std::mem::take(&mut self.events);
        self.clocks(&mut events)?;
        for now in events {
            self.assumptions(&now)?;
            self.guards(&now, &rivals)?;
            self.times(&now)?;
        }
        self.fresh()
    }

    /// Finds the clocks of events and anchors.
    fn clocks(&mut self, events: &mut [Now]) -> Result<(), ValuesRefuted> {
        let partition = self.case.trace.partition();
        let mut has_begun = vec![false; partition.len()];
        for now in events {
            let parts = parts(self.case.valued, now.happened.leaf);
            for (part, logged) in parts.iter().zip(&now.logged) {
                let component = partition.component_of(part.action.lifeline).index();
                let breaks = self.breaks[component];
                let clock = match logged {
                    Some((_, step)) => breaks.iter().filter(|&at| at <= step).count(),
                    None if has_begun[component] => breaks.len(),
                    // Some events of this log are still to come, unless it has none.
                    None => 0,
                };
                now.clock.push(clock);
                for atom in part.guard.iter().filter(|atom| atom.field == Valued::TIME) {
                    let Some(anchor) = atom.binds().and_then(|x| self.instance(now, x)) else {
                        continue;
                    };
                    if *self.clocks.entry(anchor).or_insert(clock) != clock {
                        return Err(ValuesRefuted::Guard(now.at));
                    }
                }
            }
            for (component, _) in now.logged.iter().flatten() {
                has_begun[component.index()] = true;
            }
        }
        Ok(())
    }

    fn parts(&self, now: &Now) -> &[Part] {
        parts(self.case.valued, now.happened.leaf)
    }

    /// The instance of a variable of an event that has happened.
    fn instance(&self, now: &Now, variable: VariableId) -> Option<InstanceId> {
        self.residual.argument_of(&now.happened, variable)
    }

    /// Whether values are assumed only for guarded fields that were not logged, and once.
    fn assumptions(&self, now: &Now) -> Result<(), ValuesRefuted> {
        let mut met = BTreeSet::new();
        for assumed in &self.witness.assumed[now.at] {
            let part = self.parts(now).get(assumed.part);
            let is_guarded =
                part.is_some_and(|part| part.guard.iter().any(|atom| atom.field == assumed.field));
            let logged = now.logged.get(assumed.part).copied().flatten();
            let logged = logged.and_then(|(c, at)| self.case.facts.known(assumed.field, c, at));
            if !is_guarded || logged.is_some() || !met.insert((assumed.part, assumed.field)) {
                return Err(ValuesRefuted::WrongAssumption(now.at));
            }
        }
        Ok(())
    }

    fn guards(
        &mut self,
        now: &Now,
        rivals: &FxHashMap<Rivals, usize>,
    ) -> Result<(), ValuesRefuted> {
        for (number, part) in parts(self.case.valued, now.happened.leaf).iter().enumerate() {
            let logged = now.logged[number];
            for atom in &part.guard {
                let known = logged.and_then(|(c, at)| self.case.facts.known(atom.field, c, at));
                let variable = atom.variable().and_then(|x| self.instance(now, x));
                if known.is_none() && logged.is_some() && self.strict {
                    if !self.occurs_only_here(variable, rivals) {
                        return Err(ValuesRefuted::Compared(now.at));
                    }
                    // Nothing is compared with this value, so there is one that satisfies the atom.
                    continue;
                }
                let assumed = || self.witness.assumed(now.at, number, atom.field).cloned();
                let value = known.or_else(assumed).ok_or(ValuesRefuted::NoValue(now.at))?;
                let own = match atom.variable() {
                    None => None,
                    Some(_) => {
                        let found = variable.and_then(|it| self.witness.variables.get(&it));
                        Some(found.ok_or(ValuesRefuted::NoValue(now.at))?.clone())
                    }
                };
                let component = self.case.trace.partition().component_of(part.action.lifeline);
                let clock = (component, now.clock[number]);
                if !self.holds(atom, clock, &value, variable.zip(own.as_ref())) {
                    return Err(ValuesRefuted::Guard(now.at));
                }
            }
        }
        Ok(())
    }

    /// Whether a variable occurs in one atom only, and in no other iteration of its loop. By list of `fresh`: the instances
    /// that occur.
    fn occurs_only_here(
        &self,
        variable: Option<InstanceId>,
        rivals: &FxHashMap<Rivals, usize>,
    ) -> bool {
        let Some(variable) = variable else { return false };
        if self.atoms[variable.index()] != 1 {
            return false;
        }
        self.residual.rivals(variable).is_none_or(|list| rivals.get(&list) == Some(&1))
    }

    /// Whether an atom holds. Times of different clocks are compared with the declared uncertainty.
    fn holds(
        &mut self,
        atom: &Atom,
        (component, clock): (ComponentId, usize),
        value: &Value,
        variable: Option<(InstanceId, &Value)>,
    ) -> bool {
        let (instance, variable) = variable.unzip();
        let (Test::Compare(relation, Operand::Variable(x, d)), Valued::TIME) =
            (&atom.test, atom.field)
        else {
            return atom.test.holds(value, variable);
        };
        let Some(anchor) = self.anchors[x.index()] else { return atom.test.holds(value, variable) };
        let is_own = anchor == component.index();
        // The only clock of the anchor for which something is known of the difference.
        let comparable = match self.case.clocks.uncertainty {
            _ if is_own => Some(clock),
            Some(_) if clock == 0 => Some(0),
            Some(_) | None => None,
        };
        let other = match instance {
            Some(it) if !self.breaks[anchor].is_empty() => match comparable {
                // No event sets it, so it is of this clock from now on. A WeakPass has a clock for it that no event has.
                Some(clock) if self.strict => Some(*self.clocks.entry(it).or_insert(clock)),
                Some(_) | None => self.clocks.get(&it).copied(),
            },
            Some(_) | None => Some(0),
        };
        let uncertainty = if comparable.is_none() || other != comparable {
            None
        } else if is_own {
            return atom.test.holds(value, variable);
        } else {
            self.case.clocks.uncertainty
        };
        // Unknown clocks: everything is possible, and nothing is certain.
        let Some(uncertainty) = uncertainty else { return !self.strict };
        let (Value::Number(time), Some(Value::Number(anchor))) = (value, variable) else {
            return false;
        };
        let u = Rational::from(uncertainty);
        let Some(bound) = anchor.checked_add(*d) else { return false };
        let (Some(low), Some(high)) = (bound.checked_sub(u), bound.checked_add(u)) else {
            return false;
        };
        // The bound lies anywhere from low to high.
        match (relation, self.strict) {
            (Relation::Less, false) => *time < high,
            (Relation::Less, true) => *time < low,
            (Relation::LessEqual, false) => *time <= high,
            (Relation::LessEqual, true) => *time <= low,
            (Relation::Greater, false) => *time > low,
            (Relation::Greater, true) => *time > high,
            (Relation::GreaterEqual, false) => *time >= low,
            (Relation::GreaterEqual, true) => *time >= high,
            (Relation::Equal, false) => low <= *time && *time <= high,
            (Relation::Equal, true) => low == high && *time == low,
            (Relation::NotEqual, false) => low != high || *time != low,
            (Relation::NotEqual, true) => *time < low || *time > high,
        }
    }

    /// Whether the times of an event are not before those of earlier ones. Times of one event have no order.
    fn times(&mut self, now: &Now) -> Result<(), ValuesRefuted> {
        if !self.case.valued.has_times() {
            return Ok(());
        }
        let mut here: Vec<(usize, usize, Rational)> = Vec::new();
        for (number, part) in self.parts(now).iter().enumerate() {
            let component = self.case.trace.partition().component_of(part.action.lifeline);
            let logged = now.logged[number].and_then(|(c, at)| self.case.facts.time(c, at));
            let time = match logged {
                Some(time) => Some(Rational::from(time)),
                None => match self.witness.assumed(now.at, number, Valued::TIME) {
                    Some(Value::Number(time)) => Some(*time),
                    Some(Value::Boolean(_) | Value::Text(_)) | None => None,
                },
            };
            here.extend(time.map(|time| (component.index(), now.clock[number], time)));
        }
        let latest = |component: usize, clock: usize| {
            let own = self.latest[component].filter(|(own, _)| *own == clock);
            own.map(|(_, latest)| latest)
        };
        if here.iter().any(|&(c, clock, time)| latest(c, clock).is_some_and(|own| time < own)) {
            return Err(ValuesRefuted::TimeDecreases(now.at));
        }
        for (component, clock, time) in here {
            let latest = &mut self.latest[component];
            let before = latest.filter(|(own, _)| *own == clock).map_or(time, |(_, own)| own);
            *latest = Some((clock, before.max(time)));
        }
        Ok(())
    }

    /// Whether `fresh` variables differ. In a Pass, one whose value was not logged is the only one of its loop.
    fn fresh(&self) -> Result<(), ValuesRefuted> {
        let mut met: FxHashMap<_, InstanceId> = FxHashMap::default();
        for (&instance, value) in &self.witness.variables {
            let Some(list) = self.residual.rivals(instance) else { continue };
            if let Some(other) = met.insert((list, value), instance) {
                return Err(ValuesRefuted::NotFresh(other.index(), instance.index()));
            }
        }
        Ok(())
    }
}
