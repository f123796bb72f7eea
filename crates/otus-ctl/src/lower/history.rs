//! `at_most_one(m in R, f, per k)`: a property of the whole history, not of single moments.
//!
//! # Definition
//!
//! The *local states* of a process are the values of its own readings before its first event and after each of its
//! events. A process *has held* k if f holds in one of its local states in which the keys have the values k. The
//! property holds if no two processes of R have held the same k. Raft's election safety is `at_most_one(m, role =
//! leader, per term)`: the pattern `one_leader` forbids only two leaders of a term at the same moment, but a second
//! leader that is elected after the first one crashed violates the protocol as well.
//!
//! **Claim.** The order of events of different processes does not matter. *Proof.* Every run passes through all local
//! states of a process, since it contains all events of the process in their order. ∎
//!
//! # As a formula
//!
//! Let p reach a local state with f and the keys k first after its i-th event, and q after its j-th. Both have held k
//! at a cut iff `count(p) >= i & count(q) >= j`. So a violation can be expressed by an ordinary formula, which every
//! engine and the checker of witnesses can handle: `AG !(count(p) >= i & count(q) >= j)`. This formula fails, and the
//! run that shows it is the shortest run with both events. By the claim one pair of processes suffices: such a formula
//! is false at every cut.

use std::collections::hash_map::Entry;

use otus_syntax::ast::formula::{Binder, Comparison, FormulaId as NodeId, FormulaKind};
use otus_syntax::{Code, print};
use otus_trace::order::{EventId, Owner, ProcessId, Value};
use rustc_hash::FxHashMap;

use super::{Lowering, Meaning};
use crate::atom::{Atom, Reading};
use crate::formula::{Formula, FormulaId, Formulas};
use crate::track::{Track, tracks};

/// The result of a pattern over histories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// The condition, as it is written.
    pub condition: String,
    /// The keys, as they are written.
    pub keys: Vec<String>,
    /// The number of processes.
    pub members: usize,
    /// The condition for each process.
    pub conditions: Vec<FormulaId>,
    /// The number of different values of the keys that some process has held.
    pub held: usize,
    /// The number of values that several processes have held.
    pub held_by_several: usize,
    /// Two processes that have held the same values. Of several pairs, it is the pair with the fewest
    /// events.
    pub clash: Option<Clash>,
}

/// Two processes that have held the same values of the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    /// The values of the keys.
    pub values: Vec<Value>,
    /// The two processes, each with the event at which it first held the values.
    pub holders: [Holder; 2],
}

/// A process that has held some values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    /// The process.
    pub process: ProcessId,
    /// The position of the event, from 1; 0 if the process held the values before its first event.
    pub position: u32,
}

/// The condition and the keys of one process.
struct Member {
    process: ProcessId,
    condition: FormulaId,
    keys: Vec<Reading>,
}

impl Lowering<'_> {
    pub(super) fn at_most_one(&mut self, id: NodeId, binder: &Binder, parts: &[NodeId]) -> Meaning {
        let Some(choices) = self.choices(binder, parts, true) else { return Meaning::Nothing };
        let nodes = self.nodes_below(parts);
        let (condition, keys) = (parts[0], &parts[1..]);
        let outer = self.member;
        let mut members = Vec::new();
        for &process in &choices[0] {
            self.bound.push((binder.names[0].symbol, process));
            self.member = Some(process);
            self.lower_again(&nodes);
            let member = self.checked_member(process, condition, keys);
            self.member = outer;
            self.bound.pop();
            let Some(member) = member else { return Meaning::Nothing };
            members.push(member);
        }
        let text = |&part: &NodeId| print::formula(self.file, part);
        let mut history = History {
            condition: text(&condition),
            keys: keys.iter().map(text).collect(),
            members: members.len(),
            conditions: members.iter().map(|member| member.condition).collect(),
            held: 0,
            held_by_several: 0,
            clash: None,
        };
        self.search(&members, &mut history);
        let formula = match &history.clash {
            None => Formulas::TRUE,
            Some(clash) => {
                let reached = clash.holders.map(|holder| self.reached(holder));
                let both = self.formulas.and(reached);
                self.formulas.ag(self.formulas.not(both))
            }
        };
        self.found.histories.entry(id).or_default().push(history);
        Meaning::Formula(formula)
    }

    /// The condition and the keys of a process, if they are about this process alone.
    fn checked_member(
        &mut self,
        process: ProcessId,
        condition: NodeId,
        keys: &[NodeId],
    ) -> Option<Member> {
        let formula = self.formula(condition);
        let mut is_local = !self.formulas.is_temporal(formula);
        for reading in readings(&self.formulas, formula) {
            is_local &= self.is_local(reading, process);
        }
        if !is_local {
            self.not_local(condition, process);
            return None;
        }
        let mut found = Vec::new();
        for &key in keys {
            let reading = match self.meaning(key) {
                Meaning::Reading(reading, _) => Some(*reading),
                Meaning::Sum(sum) => sum.single(),
                Meaning::Formula(_) | Meaning::Truth(_) | Meaning::Text(..) | Meaning::Nothing => {
                    None
                }
            };
            match reading {
                Some(reading) if self.is_local(reading, process) => found.push(reading),
                Some(_) => {
                    self.not_local(key, process);
                    return None;
                }
                None => {
                    let FormulaKind::Variable(path) = self.file.node(key).kind else {
                        self.not_local(key, process);
                        return None;
                    };
                    let word = self.file.names.text(path.name.symbol);
                    let word = format!("{}.{word}", self.trace.process_name(process));
                    self.unknown_variable(&word, self.span(key));
                    return None;
                }
            }
        }
        Some(Member { process, condition: formula, keys: found })
    }

    fn is_local(&self, reading: Reading, process: ProcessId) -> bool {
        match reading {
            Reading::Last(other) | Reading::Count(other, _) => other == process,
            Reading::Variable(variable) => match self.trace.owner(variable) {
                Owner::None => true,
                Owner::Process(other) => other == process,
                Owner::Shared => false,
            },
        }
    }

    fn not_local(&mut self, part: NodeId, process: ProcessId) {
        let process = self.trace.process_name(process);
        let message = format!("this is not about the own state of `{process}`");
        let help = "compare variables that only this process sets, without modalities";
        self.complain(Code::NOT_LOCAL, self.span(part), message, help);
    }

    /// The formula that a process has held the values.
    fn reached(&mut self, holder: Holder) -> FormulaId {
        if holder.position == 0 {
            return Formulas::TRUE;
        }
        let (count, least) = (Reading::Count(holder.process, None), i64::from(holder.position));
        let atom = Atom::Compare(count, Comparison::AtLeast, Value::integer(least));
        self.formulas.atom(atom)
    }

    /// Finds the processes that have held each value of the keys.
    fn search(&self, members: &[Member], history: &mut History) {
        let mut known: FxHashMap<Vec<Value>, (Holder, bool)> = FxHashMap::default();
        for member in members {
            let mut own = self.held_by(member);
            own.sort_by_key(|(_, position)| *position);
            for (values, position) in own {
                let second = Holder { process: member.process, position };
                let mut entry = match known.entry(values) {
                    Entry::Vacant(vacant) => {
                        vacant.insert((second, false));
                        continue;
                    }
                    Entry::Occupied(occupied) => occupied,
                };
                let first = entry.get().0;
                history.held_by_several += usize::from(!entry.get().1);
                entry.get_mut().1 = true;
                let events = |[first, second]: [Holder; 2]| {
                    u64::from(first.position) + u64::from(second.position)
                };
                let best = history.clash.as_ref().map(|clash| events(clash.holders));
                if best.is_none_or(|best| events([first, second]) < best) {
                    let values = entry.key().clone();
                    history.clash = Some(Clash { values, holders: [first, second] });
                }
            }
        }
        history.held = known.len();
    }

    /// The values of the keys that a process has held, each with the position at which it held them first.
    fn held_by(&self, member: &Member) -> Vec<(Vec<Value>, u32)> {
        let asked = readings(&self.formulas, member.condition);
        let all: Vec<Reading> = asked.iter().chain(&member.keys).copied().collect();
        let tracks = tracks(self.trace, &all);
        let mut changes: Vec<(EventId, usize, u32)> = Vec::new();
        for (at, track) in tracks.iter().enumerate() {
            changes.extend(track.changes.iter().map(|&(event, number)| (event, at, number)));
        }
        // On one process, event ids are in the order of events.
        changes.sort_unstable();
        let mut numbers: Vec<u32> = tracks.iter().map(|track| track.initial).collect();
        let mut first: FxHashMap<Box<[u32]>, u32> = FxHashMap::default();
        let mut truth: FxHashMap<Box<[u32]>, bool> = FxHashMap::default();
        let mut note = |numbers: &[u32], position: u32| {
            let (state, keys) = numbers.split_at(asked.len());
            let holds = match truth.get(state) {
                Some(&known) => known,
                None => {
                    let holds = holds(&self.formulas, member.condition, &asked, &tracks, state);
                    truth.insert(state.into(), holds);
                    holds
                }
            };
            if holds && !first.contains_key(keys) {
                first.insert(keys.into(), position);
            }
        };
        note(&numbers, 0);
        let mut next = 0;
        while let Some(&(event, ..)) = changes.get(next) {
            while let Some(&(_, at, number)) = changes.get(next).filter(|change| change.0 == event)
            {
                numbers[at] = number;
                next += 1;
            }
            note(&numbers, self.trace.position(event));
        }
        let of_keys = &tracks[asked.len()..];
        let values = |numbers: Box<[u32]>| {
            let values = numbers.iter().zip(of_keys);
            values.map(|(&number, track)| track.values[number as usize].clone()).collect()
        };
        first.into_iter().map(|(keys, position)| (values(keys), position)).collect()
    }
}

/// The readings of a formula, each once.
fn readings(formulas: &Formulas, formula: FormulaId) -> Vec<Reading> {
    let parts = formulas.parts(formula, |_| true);
    let mut found: Vec<Reading> = Vec::new();
    for part in parts {
        if let Formula::Atom(atom) = formulas.get(part) {
            found.extend(formulas.atom_of(*atom).readings());
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether a formula without modalities holds, given the numbers of the values of its readings.
fn holds(
    formulas: &Formulas,
    formula: FormulaId,
    readings: &[Reading],
    tracks: &[Track],
    numbers: &[u32],
) -> bool {
    let value = |reading: &Reading| {
        let at = readings.binary_search(reading).expect("all readings were asked for");
        &tracks[at].values[numbers[at] as usize]
    };
    let mut truth: FxHashMap<FormulaId, bool> = FxHashMap::default();
    for part in formulas.parts(formula, |_| true) {
        let known = |part: &FormulaId| truth[part];
        let holds = match formulas.get(part) {
            Formula::True => true,
            Formula::Atom(atom) => {
                let atom = formulas.atom_of(*atom);
                atom.holds(&atom.readings().iter().map(value).collect::<Vec<_>>())
            }
            Formula::Not(inner) => !known(inner),
            Formula::And(all) => all.iter().all(known),
            Formula::Or(all) => all.iter().any(known),
            // The condition has no modality, so these cases do not occur.
            Formula::False | Formula::End | Formula::Next(_) | Formula::Until(_) => false,
        };
        truth.insert(part, holds);
    }
    truth[&formula]
}
