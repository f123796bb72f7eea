//! An independent check of evidence, from the trace and the formula alone.
//!
//! The check replays the events of a run, assignment by assignment, and evaluates the formula at each cut. It uses
//! nothing of the search that found the evidence: no clocks, no views, no diagrams.
//!
//! A subformula about all runs (`AF q` in `EF(p & AF q)`) cannot be shown by one run. Such subformulas are trusted,
//! and their number is reported.

use otus_core::budget::{Budget, Stop};
use otus_core::index::Index as _;
use otus_trace::order::{EventId, LabelId, PartialOrder, ProcessId, Value};
use rustc_hash::FxHashMap;
use thiserror::Error;

use crate::atom::Reading;
use crate::formula::{Formula, FormulaId, Formulas};
use crate::nested;
use crate::pace::Pace;
use crate::witness::{Evidence, Explanation};

/// A fault of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// An event that cannot be next.
    #[error("{0} cannot happen here")]
    NotNext(String),
    /// The evidence is for another formula.
    #[error("the evidence is for another formula")]
    Other,
    /// A cut that should satisfy a formula does not.
    #[error("after {0} events of the run, the cut does not satisfy the formula")]
    Cut(usize),
    /// A limit ended the check, which found no fault so far.
    #[error("the check of the run did not end: {0}")]
    Stopped(Stop),
}

impl From<Stop> for Fault {
    fn from(stop: Stop) -> Self {
        Fault::Stopped(stop)
    }
}

/// The extent of a successful check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checked {
    /// The number of cuts at which the formula was evaluated.
    pub cuts: usize,
    /// The number of subformulas that no single run can show and that were trusted.
    pub trusted: usize,
}

/// Checks the explanation of why a formula holds, or does not, at the first cut.
///
/// # Errors
/// The first fault of the explanation.
pub fn certify(
    trace: &PartialOrder,
    formulas: &Formulas,
    formula: FormulaId,
    explanation: &Explanation,
    budget: &Budget,
) -> Result<Checked, Fault> {
    let shown = if explanation.holds { formula } else { formulas.not(formula) };
    let mut replay = Replay::new(trace, formulas, budget);
    let mut checked = Checked::default();
    if !replay.is_shown(shown, &explanation.evidence, &mut checked)? {
        return Err(Fault::Cut(0));
    }
    Ok(checked)
}

/// A cut, and the values of all readings there.
#[derive(Debug, Clone)]
struct Replay<'a> {
    trace: &'a PartialOrder,
    formulas: &'a Formulas,
    /// For each process: the number of its events in the cut.
    executed: Vec<u32>,
    /// For each variable: its value.
    values: Vec<Value>,
    /// For each process: the label of its last event.
    last: Vec<Option<LabelId>>,
    /// The number of events of a process with a label.
    labelled: FxHashMap<(ProcessId, LabelId), i64>,
    left: usize,
    pace: Pace,
    /// The number of runs of the evidence that lead to this cut.
    depth: usize,
}

impl<'a> Replay<'a> {
    fn new(trace: &'a PartialOrder, formulas: &'a Formulas, budget: &Budget) -> Self {
        Replay {
            trace,
            formulas,
            executed: vec![0; trace.process_count()],
            values: trace.variables().map(|v| trace.value(trace.initial(v))).collect(),
            last: vec![None; trace.process_count()],
            labelled: FxHashMap::default(),
            left: trace.event_count(),
            pace: Pace::new(budget),
            depth: 0,
        }
    }

    fn step(&mut self, event: EventId) -> Result<(), Fault> {
        let process = self.trace.process_of(event);
        let happened = |other: EventId| {
            self.executed[self.trace.process_of(other).index()] >= self.trace.position(other)
        };
        let is_next = self.executed[process.index()] + 1 == self.trace.position(event);
        if !is_next || !self.trace.incoming(event).iter().all(|edge| happened(edge.from)) {
            return Err(Fault::NotNext(self.trace.describe(event)));
        }
        self.executed[process.index()] += 1;
        self.left -= 1;
        let label = self.trace.label_id(event);
        self.last[process.index()] = label;
        if let Some(label) = label {
            *self.labelled.entry((process, label)).or_default() += 1;
        }
        for assignment in self.trace.assignments(event) {
            self.values[assignment.variable.index()] = self.trace.value(assignment.value);
        }
        Ok(())
    }

    /// Whether the evidence shows a formula at this cut.
    fn is_shown(
        &mut self,
        formula: FormulaId,
        evidence: &[Evidence],
        checked: &mut Checked,
    ) -> Result<bool, Fault> {
        checked.cuts += 1;
        // Checks first each piece of evidence, then the formula, given the subformulas that the
        // evidence shows.
        let mut shown: Vec<FormulaId> = Vec::new();
        for one in evidence {
            let mut from = self.clone();
            from.depth += 1;
            nested(from.depth, || from.run(one, checked))?;
            shown.push(one.shows);
        }
        self.holds(formula, &shown, checked)
    }

    /// Replays a run for `E[f U g]` or `EX f`.
    fn run(&mut self, evidence: &Evidence, checked: &mut Checked) -> Result<(), Fault> {
        let (through, goal) = if let &Formula::Until([f, g]) = self.formulas.get(evidence.shows) {
            (Some(f), g)
        } else if let &Formula::Next(f) = self.formulas.get(evidence.shows)
            && evidence.events.len() == 1
        {
            (None, f)
        } else {
            return Err(Fault::Other);
        };
        for (at, &event) in evidence.events.iter().enumerate() {
            if let Some(through) = through {
                checked.cuts += 1;
                if !self.holds(through, &[], checked)? {
                    return Err(Fault::Cut(at));
                }
            }
            self.step(event)?;
        }
        let is_shown = self.is_shown(goal, &evidence.then, checked)?;
        is_shown.then_some(()).ok_or(Fault::Cut(evidence.events.len()))
    }

    /// Whether a formula holds at this cut, given some subformulas that hold here.
    fn holds(
        &mut self,
        formula: FormulaId,
        shown: &[FormulaId],
        checked: &mut Checked,
    ) -> Result<bool, Fault> {
        // `None` stands for a subformula about all runs.
        let mut known: FxHashMap<FormulaId, Option<bool>> = FxHashMap::default();
        for part in self.formulas.parts(formula, |node| !node.is_run()) {
            self.pace.step(8)?;
            let node = self.formulas.get(part);
            let value = match node {
                Formula::True => Some(true),
                Formula::False => Some(false),
                Formula::End => Some(self.left == 0),
                Formula::Atom(atom) => {
                    let atom = self.formulas.atom_of(*atom);
                    let values = atom.readings().into_iter().map(|reading| self.read(reading));
                    let values: Vec<Value> = values.collect();
                    Some(atom.holds(&values.iter().collect::<Vec<_>>()))
                }
                Formula::Next(_) | Formula::Until(_) => shown.contains(&part).then_some(true),
                Formula::Not(inner) => known[inner].map(|value| !value),
                Formula::And(all) | Formula::Or(all) => {
                    let decisive = matches!(node, Formula::Or(_));
                    let values: Vec<_> = all.iter().map(|operand| known[operand]).collect();
                    if values.contains(&Some(decisive)) {
                        Some(decisive)
                    } else if values.contains(&None) {
                        None
                    } else {
                        Some(!decisive)
                    }
                }
            };
            known.insert(part, value);
        }
        checked.trusted += usize::from(known[&formula].is_none());
        Ok(known[&formula].unwrap_or(true))
    }

    fn read(&self, reading: Reading) -> Value {
        match reading {
            Reading::Variable(variable) => self.values[variable.index()].clone(),
            Reading::Last(process) => {
                let label = self.last[process.index()].map(|label| self.trace.label_name(label));
                Value::Text(label.unwrap_or_default().into())
            }
            Reading::Count(process, None) => {
                Value::integer(i64::from(self.executed[process.index()]))
            }
            Reading::Count(process, Some(label)) => {
                Value::integer(self.labelled.get(&(process, label)).copied().unwrap_or(0))
            }
        }
    }
}
