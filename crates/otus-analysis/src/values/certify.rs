//! An independent checker of witnesses with values.
//!
//! It uses the step relation, over [letters](otus_core::letters), and none of the engines. A [`ValuedWitness`] proves a
//! verdict if
//!
//! 1. its plain part proves that the interaction without values explains the logs ([`certify`](crate::certify::certify)), and the
//!    interaction can end there: with values, not every execution that has begun can be completed;
//! 2. every atom of every event holds of the value that was logged or is assumed, and of the values of its variables;
//! 3. `fresh` variables of one loop have different values in iterations in which they occur;
//! 4. on each component times do not decrease, those that are assumed included;
//! 5. a time that is compared with one of another clock may be off by the declared uncertainty: for a WeakPass the comparison
//!    must hold possibly, for a Pass certainly;
//! 6. for a Pass, no unlogged value of a logged event is compared: each atom on it is about a variable that occurs in no
//!    other atom, and by `fresh` with no other iteration.
//!
//! The clock of a log that goes backwards somewhere counts as unknown, and its times are not in order.

use std::collections::{BTreeMap, BTreeSet};

use otus_core::algebra::{Memo, simplify};
use otus_core::index::Index as _;
use otus_core::letters::{InstanceId, LetterId, Letters, Variables};
use otus_core::semantics::terminates;
use otus_core::valued::{Atom, Operand, Part, Test, Valued, VariableId};
use otus_core::{Pool, TermId, Value};
use otus_syntax::Rational;
use otus_syntax::ast::guard::Relation;
use otus_trace::{ComponentId, Facts, MultiTrace};
use rustc_hash::FxHashMap;

use super::witness::{Places, ValuedWitness, observed, parts};
use super::{Clocks, anchors};
use crate::certify::{Refuted, certify as certify_plain};
use crate::question::{Observed, Question};
use crate::verdict::Verdict;

/// An interaction with values, and a multi-trace with the values of its events.
#[derive(Debug, Clone, Copy)]
pub struct ValuedCase<'a> {
    /// The interaction without values.
    pub term: TermId,
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
    let ValuedCase { term, valued, trace, .. } = case;
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
    certify_plain(pool, term, &without_peers, (question, plain), &witness.witness)?;
    let (mut letters, term) = Letters::new(pool, valued).ok_or(ValuesRefuted::TooLarge)?;
    let term = simplify(&mut letters.pool, term);
    let replay = Replay {
        pool,
        case,
        witness,
        strict: verdict == Verdict::Pass,
        anchors: anchors(valued, trace.partition()),
        letters,
        latest: vec![None; trace.partition().len()],
        atoms: BTreeMap::new(),
    };
    replay.run(term)
}

struct Replay<'a> {
    pool: &'a Pool,
    case: ValuedCase<'a>,
    witness: &'a ValuedWitness,
    /// Whether the claim is a Pass.
    strict: bool,
    anchors: Vec<Option<usize>>,
    letters: Letters,
    /// By component: the latest time of an earlier event.
    latest: Vec<Option<Rational>>,
    /// By instance: the number of atoms in which it occurs.
    atoms: BTreeMap<InstanceId, usize>,
}

/// An event of the execution.
struct Now {
    at: usize,
    letter: LetterId,
    /// By part: the component and the step as which it was logged.
    logged: Vec<Option<(ComponentId, usize)>>,
}

impl Replay<'_> {
    fn run(mut self, mut term: TermId) -> Result<(), ValuesRefuted> {
        let (mut memo, mut places) = (Memo::default(), Places::new(self.case.trace));
        let mut events = Vec::new();
        for (at, step) in self.witness.witness.steps.iter().enumerate() {
            let place = step.event().ok_or(Refuted::NotAllowed(at))?;
            let position = place.position.iter().copied();
            let (letter, left) =
                self.letters.step(&mut memo, term, position).ok_or(Refuted::NoSuchStep(at))?;
            term = left;
            if self.letters.letter(letter).leaf != self.witness.leaves[at] {
                return Err(ValuesRefuted::WrongLeaf(at));
            }
            let parts = self.parts(letter);
            let seen = observed(self.pool, step);
            let logged = places.next(self.pool, self.case.trace, parts, &seen);
            let now = Now { at, letter, logged };
            self.peers(&now)?;
            self.count(&now);
            events.push(now);
        }
        if !terminates(&self.letters.pool, term) {
            return Err(Refuted::NotTerminated.into());
        }
        if let Some(other) = self.witness.variables.keys().find(|it| !self.atoms.contains_key(it)) {
            return Err(ValuesRefuted::NoSuchVariable(other.index()));
        }
        for now in &events {
            self.assumptions(now)?;
            self.guards(now)?;
            self.times(now)?;
        }
        self.fresh()
    }

    fn parts(&self, letter: LetterId) -> &[Part] {
        parts(self.case.valued, self.letters.letter(letter).leaf)
    }

    fn peers(&self, now: &Now) -> Result<(), ValuesRefuted> {
        for (part, logged) in self.parts(now.letter).iter().zip(&now.logged) {
            let Some((component, step)) = *logged else { continue };
            let action = self.case.trace.steps(component)[step].action();
            let peer = self.pool.action(action).peer;
            if peer.is_some_and(|peer| !part.peers.contains(&peer)) {
                return Err(ValuesRefuted::WrongPeer(now.at));
            }
        }
        Ok(())
    }

    /// Counts the occurrences of variables.
    fn count(&mut self, now: &Now) {
        let atoms: Vec<VariableId> = self
            .parts(now.letter)
            .iter()
            .flat_map(|part| part.guard.iter().filter_map(Atom::variable))
            .collect();
        for variable in atoms {
            if let Some(instance) = self.instance(now.letter, variable) {
                *self.atoms.entry(instance).or_default() += 1;
            }
        }
    }

    /// The instance of a variable of an event that has happened.
    fn instance(&self, letter: LetterId, variable: VariableId) -> Option<InstanceId> {
        let letter = self.letters.letter(letter);
        let Variables::Instances(instances) = &letter.variables else { return None };
        let at = self.letters.variables(letter.leaf).iter().position(|&own| own == variable)?;
        instances.get(at).copied()
    }

    /// Whether values are assumed only for guarded fields that were not logged, and once.
    fn assumptions(&self, now: &Now) -> Result<(), ValuesRefuted> {
        let mut met = BTreeSet::new();
        for assumed in &self.witness.assumed[now.at] {
            let part = self.parts(now.letter).get(assumed.part);
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

    fn guards(&self, now: &Now) -> Result<(), ValuesRefuted> {
        for (number, part) in self.parts(now.letter).iter().enumerate() {
            let logged = now.logged[number];
            for atom in &part.guard {
                let known = logged.and_then(|(c, at)| self.case.facts.known(atom.field, c, at));
                let variable = atom.variable().and_then(|x| self.instance(now.letter, x));
                if known.is_none() && logged.is_some() && self.strict {
                    if !self.occurs_only_here(variable) {
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
                        Some(found.ok_or(ValuesRefuted::NoValue(now.at))?)
                    }
                };
                let component = self.case.trace.partition().component_of(part.action.lifeline);
                if !self.holds(atom, component, &value, own) {
                    return Err(ValuesRefuted::Guard(now.at));
                }
            }
        }
        Ok(())
    }

    /// Whether a variable occurs in one atom only, and in no other iteration of its loop.
    fn occurs_only_here(&self, variable: Option<InstanceId>) -> bool {
        let Some(variable) = variable else { return false };
        if self.atoms.get(&variable) != Some(&1) {
            return false;
        }
        let Some(list) = self.letters.rivals(variable) else { return true };
        let mut others = self.atoms.keys().filter(|&&other| other != variable);
        !others.any(|&other| self.letters.rivals(other) == Some(list))
    }

    /// Whether an atom holds. Times of different clocks are compared with the declared uncertainty.
    fn holds(
        &self,
        atom: &Atom,
        component: ComponentId,
        value: &Value,
        variable: Option<&Value>,
    ) -> bool {
        let (Test::Compare(relation, Operand::Variable(x, d)), Valued::TIME) =
            (&atom.test, atom.field)
        else {
            return atom.test.holds(value, variable);
        };
        let Some(anchor) = self.anchors[x.index()] else { return atom.test.holds(value, variable) };
        let is_broken = |at: usize| !self.case.facts.breaks(ComponentId::new(at)).is_empty();
        let uncertainty = if is_broken(anchor) || is_broken(component.index()) {
            None
        } else if anchor == component.index() {
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
        let mut here: Vec<(usize, Rational)> = Vec::new();
        for (number, part) in self.parts(now.letter).iter().enumerate() {
            let component = self.case.trace.partition().component_of(part.action.lifeline);
            if !self.case.facts.breaks(component).is_empty() {
                continue;
            }
            let logged = now.logged[number].and_then(|(c, at)| self.case.facts.time(c, at));
            let time = match logged {
                Some(time) => Some(Rational::from(time)),
                None => match self.witness.assumed(now.at, number, Valued::TIME) {
                    Some(Value::Number(time)) => Some(*time),
                    Some(Value::Boolean(_) | Value::Text(_)) | None => None,
                },
            };
            here.extend(time.map(|time| (component.index(), time)));
        }
        if here.iter().any(|&(c, time)| self.latest[c].is_some_and(|latest| time < latest)) {
            return Err(ValuesRefuted::TimeDecreases(now.at));
        }
        for (component, time) in here {
            let latest = &mut self.latest[component];
            *latest = Some(latest.map_or(time, |latest| latest.max(time)));
        }
        Ok(())
    }

    /// Whether `fresh` variables differ. In a Pass, one whose value was not logged is the only one of its loop.
    fn fresh(&self) -> Result<(), ValuesRefuted> {
        let mut met: FxHashMap<_, InstanceId> = FxHashMap::default();
        for (&instance, value) in &self.witness.variables {
            let Some(list) = self.letters.rivals(instance) else { continue };
            if let Some(other) = met.insert((list, value), instance) {
                return Err(ValuesRefuted::NotFresh(other.index(), instance.index()));
            }
        }
        Ok(())
    }
}
