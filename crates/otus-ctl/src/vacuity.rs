//! Detects vacuous answers: answers that say nothing about the trace.
//!
//! `AG(role = Leader -> AF done)` holds of every trace in which `role` is only ever `leader`: a misspelt word makes a
//! property true. Five signs of it are looked for, each at the least cost that decides it:
//!
//! 1. [`Vacuity::UnknownValue`]: an equality with a text or number that its reading never has; with a number, only if
//!    the formula does not fail. If another variable of the same name (`q.role` for `p.role`) has the value, there is
//!    no warning: the word exists, and not every process becomes a leader. Names of processes count as existing words
//!    too, as in `p.vote = q` below a quantifier over processes.
//! 2. [`Vacuity::NeverHolds`]: the left side f of an implication holds at no cut. This is `EF f`, which the engine of
//!    the check answers within what is left of its limits; it is asked only if the formula holds.
//! 3. [`Vacuity::NoEvent`]: no event changes anything that the formula reads.
//! 4. [`Vacuity::Constant`]: an atom has the same truth value at all cuts, and no event changes its readings, or the
//!    answer would be the same if it had the other truth value. The second condition avoids warnings about invariants:
//!    `x < 2` in `AG(x < 2)` never changes, but the answer depends on it.
//! 5. [`Vacuity::AtOnce`]: a formula about some later cut (`EF g`, `AF g`, `E[f U g]`, `A[f W g]`) holds because
//!    its goal holds at the first cut, before any event.
//!
//! A sign that explains another one replaces it: a condition with a misspelt value never holds, but only the misspelt
//! value is reported.

use otus_core::budget::Stop;
use otus_syntax::ast::formula::Comparison;
use otus_trace::order::{PartialOrder, Value, VariableId};
use rustc_hash::FxHashSet;

use crate::atom::{Atom, Reading};
use crate::check::{Checker, Options};
use crate::formula::{AtomId, Formula, FormulaId, Formulas};
use crate::lower::Property;
use crate::track::{Course, tracks};

/// A sign that an answer says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Vacuity {
    /// A reading is compared with a value that it never has.
    UnknownValue {
        /// The reading.
        reading: Reading,
        /// The value.
        value: Value,
        /// Values that the reading has, at most [`MOST_VALUES`].
        values: Vec<Value>,
    },
    /// The condition of an implication holds at no cut.
    NeverHolds(FormulaId),
    /// No member of a pattern over histories ever satisfies its condition, which is given by its index among the
    /// histories of the property.
    NeverHeld(usize),
    /// No event changes anything that the formula reads.
    NoEvent,
    /// An atom has one truth value at all cuts.
    Constant {
        /// The atom.
        atom: AtomId,
        /// The truth value of the atom.
        holds: bool,
        /// Whether an event changes one of its readings.
        is_read: bool,
    },
    /// The formula holds at the first cut already, whatever happens later.
    AtOnce,
}

/// The signs that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vacuities {
    /// The signs.
    pub found: Vec<Vacuity>,
    /// The limit that ended the search.
    pub unchecked: Option<Stop>,
}

/// The maximum number of values of a reading that are collected.
pub const MOST_VALUES: usize = 1000;

/// The maximum number of atoms whose influence on the answer is tried.
const MOST_TRIED: usize = 16;

impl Checker<'_> {
    /// Looks for signs that the answer to a property says nothing. `holds` is the answer, if there is one; without it,
    /// only signs that need no further check are found.
    pub fn vacuity(
        &mut self,
        property: &Property,
        holds: Option<bool>,
        options: &Options,
    ) -> Vacuities {
        let options = &options.started();
        let mut vacuities = Vacuities::default();
        let result = self.search(property, holds, options, &mut vacuities.found);
        vacuities.unchecked = result.err();
        vacuities
    }

    fn search(
        &mut self,
        property: &Property,
        holds: Option<bool>,
        options: &Options,
        found: &mut Vec<Vacuity>,
    ) -> Result<(), Stop> {
        let formula = property.formula;
        let mut atoms = self.atoms(formula);
        let own = atoms.clone();
        for history in &property.histories {
            for &condition in &history.conditions {
                atoms.extend(self.atoms(condition));
            }
        }
        atoms.sort_unstable();
        atoms.dedup();
        self.prepare(&atoms, &options.budget)?;
        let unread: FxHashSet<AtomId> =
            atoms.iter().copied().filter(|&atom| !self.is_read(atom)).collect();
        let has_event = own.iter().any(|atom| !unread.contains(atom))
            || self.formulas.has_next(formula)
            || property.is_constant
            || !property.histories.is_empty();
        if !has_event {
            found.push(Vacuity::NoEvent);
        }
        let mut explained = self.unknown_values(&atoms, holds, found);
        for (index, history) in property.histories.iter().enumerate() {
            let mut atoms = history.conditions.iter().flat_map(|&part| self.atoms(part));
            if history.held == 0 && !atoms.any(|atom| explained.contains(&atom)) {
                found.push(Vacuity::NeverHeld(index));
            }
        }
        if !has_event {
            return Ok(());
        }
        if holds == Some(true) {
            for &condition in &property.conditions {
                let parts = self.atoms(condition);
                if parts.iter().any(|atom| explained.contains(atom)) {
                    continue;
                }
                let possible = self.formulas.ef(condition);
                if !self.check(possible, options)?.holds {
                    found.push(Vacuity::NeverHolds(condition));
                    explained.extend(parts);
                }
            }
            if found.is_empty() && self.is_at_once(formula, options)? {
                found.push(Vacuity::AtOnce);
            }
        }
        // In one of many instances of a quantified formula, a comparison is often constant, so
        // constants are not reported there.
        let verdict = holds.filter(|_| property.expansions.is_empty());
        self.constants(formula, &own, verdict, options, &explained, found)
    }

    /// Finds the values that readings never have; returns the atoms with one. If the formula fails, only texts are
    /// examined, since these may be misspelt. A number that was never reached is then a legitimate reason of the
    /// failure.
    fn unknown_values(
        &self,
        atoms: &[AtomId],
        verdict: Option<bool>,
        found: &mut Vec<Vacuity>,
    ) -> FxHashSet<AtomId> {
        let trace = self.trace();
        let mut explained = FxHashSet::default();
        for &atom in atoms {
            let (reading, asked) = match self.formulas.atom_of(atom) {
                Atom::Compare(reading, Comparison::Equal, value) if matches!(self.course(atom), Course::Flips(false, flips) if flips.is_empty()) => {
                    (*reading, std::slice::from_ref(value))
                }
                Atom::Member(reading, members) => (*reading, &**members),
                Atom::Compare(..) | Atom::Pair(..) | Atom::Linear(..) => continue,
            };
            if matches!(reading, Reading::Count(..)) {
                continue;
            }
            let mut taken: Option<Taken> = None;
            let is_asked = |value: &&Value| match value {
                Value::Boolean(_) => false,
                Value::Number(_) => verdict != Some(false),
                Value::Text(_) => true,
            };
            for value in asked.iter().filter(is_asked) {
                let taken = taken.get_or_insert_with(|| Taken::by_kin(trace, reading));
                let is_new = |sign: &Vacuity| !matches!(sign, Vacuity::UnknownValue { value: known, .. } if known == value);
                let is_process =
                    matches!(value, Value::Text(text) if trace.process(text).is_some());
                if !taken.all.contains(value) && !is_process {
                    explained.insert(atom);
                    if found.iter().all(is_new) {
                        let (value, values) = (value.clone(), taken.first.clone());
                        found.push(Vacuity::UnknownValue { reading, value, values });
                    }
                }
            }
        }
        explained
    }

    /// Finds atoms that never change.
    fn constants(
        &mut self,
        formula: FormulaId,
        atoms: &[AtomId],
        verdict: Option<bool>,
        options: &Options,
        explained: &FxHashSet<AtomId>,
        found: &mut Vec<Vacuity>,
    ) -> Result<(), Stop> {
        let mut tried = 0;
        for &atom in atoms {
            if explained.contains(&atom) || self.has_live_kin(atom, atoms) {
                continue;
            }
            let is_read = self.is_read(atom);
            let readings = self.formulas.atom_of(atom).readings().len();
            let first = self.course(atom).holds(self.formulas.atom_of(atom), &vec![0; readings]);
            let is_constant = match self.course(atom) {
                Course::Flips(_, flips) => flips.is_empty(),
                Course::Tracks(_) => !is_read,
            };
            if !is_constant {
                continue;
            }
            if is_read {
                let Some(verdict) = verdict.filter(|_| tried < MOST_TRIED) else { continue };
                tried += 1;
                let other = self.formulas.with_constant(formula, atom, !first);
                if self.check(other, options)?.holds != verdict {
                    continue;
                }
            }
            found.push(Vacuity::Constant { atom, holds: first, is_read });
        }
        Ok(())
    }

    /// Whether an event changes a reading of an atom.
    fn is_read(&self, atom: AtomId) -> bool {
        let trace = self.trace();
        if self.course(atom).events().next().is_some() {
            return true;
        }
        self.formulas.atom_of(atom).readings().into_iter().any(|reading| match reading {
            // The first assignment of another value than the initial one is a change.
            Reading::Variable(variable) => {
                trace.assigned(variable).any(|value| value != trace.initial(variable))
            }
            Reading::Count(process, None) => trace.length(process) > 0,
            Reading::Last(process) | Reading::Count(process, Some(_)) => {
                trace.events(process).any(|event| trace.label_id(event).is_some())
            }
        })
    }

    /// Whether an atom of the same form on a variable of the same name changes. A formula about several processes is
    /// not vacuous only because one of them does nothing.
    fn has_live_kin(&self, atom: AtomId, atoms: &[AtomId]) -> bool {
        let trace = self.trace();
        let Atom::Compare(Reading::Variable(own), comparison, value) = self.formulas.atom_of(atom)
        else {
            return false;
        };
        atoms.iter().any(|&other| {
            let Atom::Compare(Reading::Variable(kin), other_comparison, other_value) =
                self.formulas.atom_of(other)
            else {
                return false;
            };
            (comparison, value) == (other_comparison, other_value)
                && own != kin
                && last_name(trace, *own) == last_name(trace, *kin)
                && self.course(other).events().next().is_some()
        })
    }

    /// Whether a formula about later cuts is decided at the first one.
    fn is_at_once(&mut self, formula: FormulaId, options: &Options) -> Result<bool, Stop> {
        if let Formula::Until([_, goal]) = *self.formulas.get(formula) {
            return Ok(!self.formulas.is_temporal(goal) && self.check(goal, options)?.holds);
        }
        // ¬E[f U g] is decided at the first cut if f does not hold there.
        if let Formula::Not(inner) = *self.formulas.get(formula)
            && let Formula::Until([through, _]) = *self.formulas.get(inner)
            && through != Formulas::TRUE
            && !self.formulas.is_temporal(through)
        {
            return Ok(!self.check(through, options)?.holds);
        }
        Ok(false)
    }
}

/// The part of the name of a variable after its last dot.
fn last_name(trace: &PartialOrder, variable: VariableId) -> &str {
    let name = trace.variable_name(variable);
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}

/// The values of a reading, and those of readings of variables with the same name.
struct Taken {
    all: FxHashSet<Value>,
    /// The first [`MOST_VALUES`] of all values, in the order of the trace.
    first: Vec<Value>,
}

impl Taken {
    fn by_kin(trace: &PartialOrder, reading: Reading) -> Self {
        let readings: Vec<Reading> = match reading {
            Reading::Variable(own) => {
                let name = last_name(trace, own);
                let kin = trace.variables().filter(|&other| last_name(trace, other) == name);
                kin.map(Reading::Variable).collect()
            }
            Reading::Last(_) | Reading::Count(..) => trace.processes().map(Reading::Last).collect(),
        };
        let mut taken = Taken { all: FxHashSet::default(), first: Vec::new() };
        for value in tracks(trace, &readings).into_iter().flat_map(|track| track.values) {
            if taken.all.insert(value.clone()) && taken.first.len() < MOST_VALUES {
                taken.first.push(value);
            }
        }
        taken
    }
}
