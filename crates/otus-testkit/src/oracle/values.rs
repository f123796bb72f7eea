//! The slow reference semantics of interactions with values.
//!
//! An event is one or more actions that happen as one; each of its actions carries a value for every field. Variables link
//! the tests of different events:
//!
//! ```text
//! ρη(a[g]) = { (a,w) : g holds of w and η }           ρη(new(x)(i)) = ∪v ρη[x↦v](i)
//! ρη(loop(fresh x)(i)) = ∪n ∪ v1…vn different  of ρη[x↦v1](i) ∘ … ∘ ρη[x↦vn](i)        ∘ as the loop has it
//! ```
//!
//! and all else is as in [`traces`](mod@super::traces). A global trace counts only if times do not decrease on each
//! component. A multi-trace is explained if some completion of its unknown values is.
//!
//! There are two methods, which share neither code nor idea:
//! - *choices, then order, then values* ([`Case`]): [`choices`] enumerates branches, iterations, and which leaf is observed
//!   as which moment of the multi-trace; [`order`] decides whether a global trace has these events in these places;
//!   [`store`] collects what must hold of their values, and [`solve`] and [`times`] decide whether some values do that;
//! - [`equations`]: the equations above over a small set of values, as an ordinary interaction whose messages have the
//!   values in their names.
//!
//! # What the design leaves open
//!
//! These choices are made here, and only here:
//! - The actions of one moment have no order, so their times are not compared with each other.
//! - Logged times are whole nanoseconds, but a time that was not logged is any rational number, as every other value.
//! - The value of a time variable is a pair of reading and clock. `a at s` (that is, `time = s`) in the text makes it an
//!   *anchor* on the clock of a, also in an execution that does not contain this event. A variable that is compared with times
//!   has such an atom, on the lifelines of one component; there is no answer for others.
//! - Across clocks, with uncertainty u, `time R s + d` holds *possibly* if it does for some d′ with |d′ − d| ≤ u, and
//!   *certainly* if it does for all of them. With u unknown, it always holds possibly and never certainly.
//! - A clock that goes backwards is another one from there on, its next epoch, of unknown uncertainty to all others. An event that
//!   nobody saw after the end of a log is on its last clock, one before its beginning on its first. An anchor that no
//!   event of the execution sets is on whatever clock helps, if its clock goes backwards; one that no event has is
//!   among these.
//! - `fresh` compares the readings of anchors, whatever their clocks.
//! - `fresh` compares a value only with iterations in which the variable occurs in some atom.
//! - For Pass, an atom on an unlogged time whose anchor occurs nowhere else compares nothing, so it needs no certainty across
//!   clocks. An atom on a logged time does, even if no event of the execution sets the anchor.
//! - Two atoms on one unlogged value, `m[f = x, f = y]`, are no comparison of x with y, as long as each occurs only here.
//! - For Pass, atoms of unobserved events are occurrences of their variables like any other.

mod choices;
mod differences;
pub mod equations;
mod logs;
pub(crate) mod order;
pub mod solve;
mod store;
pub mod times;

use otus_analysis::{Question, Verdict};
use otus_core::index::Index as _;
use otus_core::valued::{Atom, Operand, Test, Valued, ValuedNode, VariableId};
use otus_core::{Pool, Value};
use otus_trace::{Facts, MultiTrace, ObservedOrder, Partition};

use super::{Asked, Observation};
use choices::Search;
use logs::Logs;

/// The work that [`verdict`] spends before it gives up, in steps of the search.
pub const LIMIT: usize = 300_000;

/// An interaction with values, and a multi-trace with facts.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The names and regions of the interaction.
    pub pool: &'a Pool,
    /// The interaction.
    pub valued: &'a Valued,
    /// The multi-trace.
    pub trace: &'a MultiTrace,
    /// The values of its events.
    pub facts: &'a Facts,
    /// The uncertainty between any two clocks, in nanoseconds, if it is known.
    pub uncertainty: Option<i64>,
    /// The order that was observed between logs, if there is any.
    pub order: Option<&'a ObservedOrder>,
}

/// What is asked of an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// Comparisons across clocks hold possibly.
    Possible,
    /// Comparisons across clocks hold certainly.
    Certain,
    /// They hold certainly, and no unlogged value of a logged event is compared with anything.
    Proven,
}

/// The values that variables, and events whose values were not logged, can have.
#[derive(Debug, Clone, Copy)]
pub enum Domain<'a> {
    /// All values.
    All,
    /// Only these, and these times.
    Finite {
        /// The values of fields and variables.
        values: &'a [Value],
        /// The readings of clocks.
        readings: &'a [i64],
    },
}

/// The verdict; `None` if the case is too large for [`LIMIT`].
pub fn verdict(
    pool: &Pool,
    valued: &Valued,
    trace: &MultiTrace,
    facts: &Facts,
    uncertainty: Option<i64>,
    question: &Question,
) -> Option<Verdict> {
    Case { pool, valued, trace, facts, uncertainty, order: None }.verdict(question, LIMIT)
}

/// Whether the multi-trace is explained; `None` if the case is too large for [`LIMIT`].
pub fn explained(
    pool: &Pool,
    valued: &Valued,
    trace: &MultiTrace,
    facts: &Facts,
    uncertainty: Option<i64>,
    question: &Question,
) -> Option<bool> {
    let case = Case { pool, valued, trace, facts, uncertainty, order: None };
    case.explained(question, Strength::Possible, Domain::All, LIMIT)
}

impl Case<'_> {
    /// Pass: all logs are complete, and an explanation assumes nothing. WeakPass: there is an explanation. Otherwise Fail.
    /// Unobserved components stay so for a Pass.
    pub fn verdict(&self, question: &Question, limit: usize) -> Option<Verdict> {
        let seen = Observation::from(self.trace);
        let complete = Asked::complete(&seen, question);
        if self.ask(&complete, Strength::Proven, Domain::All, limit)? {
            return Some(Verdict::Pass);
        }
        let explained = self.explained(question, Strength::Possible, Domain::All, limit)?;
        Some(if explained { Verdict::WeakPass } else { Verdict::Fail })
    }

    /// Whether the multi-trace is explained, with values from a domain.
    pub fn explained(
        &self,
        question: &Question,
        strength: Strength,
        domain: Domain<'_>,
        limit: usize,
    ) -> Option<bool> {
        let asked = Asked::new(&Observation::from(self.trace), question);
        self.ask(&asked, strength, domain, limit)
    }

    fn ask(
        &self,
        asked: &Asked,
        strength: Strength,
        domain: Domain<'_>,
        limit: usize,
    ) -> Option<bool> {
        let sorts = Sorts::new(self.valued, self.trace.partition())?;
        let logs = Logs::new(self, asked);
        Search::new(self, &logs, &sorts, strength, domain, limit).run()
    }
}

/// Which variables stand for times, and on which clocks.
#[derive(Debug)]
pub(crate) struct Sorts {
    is_time: Vec<bool>,
    /// By variable: the component that sets it as an anchor.
    anchors: Vec<Option<usize>>,
}

impl Sorts {
    /// `None` if a variable is compared with times and with other fields, or with times but is not an anchor of one
    /// component, which the design does not define.
    pub(crate) fn new(valued: &Valued, partition: &Partition) -> Option<Sorts> {
        let mut sorts: Vec<Option<bool>> = vec![None; valued.variables.len()];
        for atom in valued.atoms() {
            let Some(VariableId(variable)) = atom.variable() else { continue };
            let is_time = atom.field == Valued::TIME;
            let known = sorts[variable as usize].get_or_insert(is_time);
            if *known != is_time {
                return None;
            }
        }
        let mut anchors: Vec<Option<usize>> = vec![None; valued.variables.len()];
        for node in &valued.nodes {
            let ValuedNode::Event(parts) = node else { continue };
            for part in parts {
                let component = partition.component_of(part.action.lifeline).index();
                let times = part.guard.iter().filter(|atom| atom.field == Valued::TIME);
                for VariableId(variable) in times.filter_map(Atom::binds) {
                    if *anchors[variable as usize].get_or_insert(component) != component {
                        return None;
                    }
                }
            }
        }
        let is_time: Vec<bool> = sorts.into_iter().map(|sort| sort == Some(true)).collect();
        let are_set = is_time.iter().zip(&anchors).all(|(is_time, at)| !is_time || at.is_some());
        are_set.then_some(Sorts { is_time, anchors })
    }

    /// Whether the value of a variable is on the clock of a component.
    pub(crate) fn allows(&self, variable: VariableId, component: usize) -> bool {
        self.anchors[variable.0 as usize] == Some(component)
    }

    pub(crate) fn is_time(&self, variable: VariableId) -> bool {
        self.is_time[variable.0 as usize]
    }
}

/// The constants of all guards.
pub(crate) fn constants(valued: &Valued) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let mut add = |value: &Value| {
        if !found.contains(value) {
            found.push(value.clone());
        }
    };
    for atom in valued.atoms() {
        match &atom.test {
            Test::Compare(_, Operand::Constant(value)) => add(value),
            Test::In(values) => values.iter().for_each(&mut add),
            Test::Compare(_, Operand::Variable(..)) | Test::Matches(_) => {}
        }
    }
    found
}
