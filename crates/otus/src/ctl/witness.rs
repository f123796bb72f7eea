//! Runs that prove an answer.
//!
//! The checker returns a tree of runs ([`Evidence`]): a run starts at the last cut of its parent. The tree is as deep
//! as the formula, so a [`Witness`] is a flat list in preorder, and nothing here recurses. Each run has the cut at
//! which it ends and the values there of everything that the formula reads.

use std::rc::Rc;

use otus_core::index::Index as _;
use otus_ctl::atom::Reading;
use otus_ctl::{Evidence, Formula, FormulaId, Formulas};
use otus_trace::order::{EventId, PartialOrder, Value};

use super::formula;

#[derive(Debug, Clone)]
pub(super) struct Witness {
    /// The expressions that the formula reads at a cut: variables, `last(p)`, `count(p)`.
    pub(super) readings: Vec<String>,
    /// The runs in preorder. There is one root; several runs from the first cut follow a run without events.
    pub(super) runs: Vec<Run>,
    /// The number of subformulas that no run can prove; their answers are not certified.
    pub(super) trusted: usize,
}

#[derive(Debug, Clone)]
pub(super) struct Run {
    /// The formula that the run proves, abbreviated; `None` if the run only groups other runs.
    pub(super) shows: Option<String>,
    /// The number of its ancestors.
    pub(super) depth: usize,
    /// Whether it starts at the first cut.
    pub(super) is_from_first: bool,
    pub(super) events: Vec<EventId>,
    /// For each process: the number of its events at the end of the run.
    pub(super) cut: Vec<u32>,
    /// Whether that is the last cut of the trace.
    pub(super) is_to_last: bool,
    /// For each reading: its value at the end of the run.
    pub(super) values: Vec<Value>,
}

impl Witness {
    /// The witness of an answer; `None` if no run proves it.
    pub(super) fn new(
        trace: &PartialOrder,
        formulas: &Formulas,
        formula: FormulaId,
        evidence: &[Evidence],
        trusted: usize,
    ) -> Option<Witness> {
        let first = State::first(trace, formulas, formula);
        let readings = first.watch.readings.iter().map(|&it| formula::reading(trace, it)).collect();
        let mut runs = Vec::new();
        let depth = usize::from(evidence.len() > 1);
        if depth > 0 {
            runs.push(first.clone().run(None, 0, &[]).0);
        }
        let mut pending: Vec<(&Evidence, State<'_>, usize)> =
            evidence.iter().rev().map(|one| (one, first.clone(), depth)).collect();
        while let Some((one, from, depth)) = pending.pop() {
            let shows = formula::short(formulas, trace, one.shows);
            let (run, end) = from.run(Some(shows), depth, &one.events);
            runs.push(run);
            pending.extend(one.then.iter().rev().map(|next| (next, end.clone(), depth + 1)));
        }
        (!runs.is_empty()).then_some(Witness { readings, runs, trusted })
    }

    /// The events of the root, of its first child, and so on.
    pub(super) fn first_path(&self) -> Vec<EventId> {
        let path = self.runs.iter().enumerate().take_while(|(index, run)| run.depth == *index);
        path.flat_map(|(_, run)| &run.events).copied().collect()
    }
}

/// Whether runs can prove an answer.
pub(super) fn can_be_shown(formulas: &Formulas, formula: FormulaId, holds: bool) -> bool {
    let shown = if holds { formula } else { formulas.not(formula) };
    let mut is_shown = false;
    walk(formulas, shown, |part| match part {
        Formula::Until(_) | Formula::Next(_) => {
            is_shown = true;
            &[]
        }
        Formula::And(all) | Formula::Or(all) => all,
        Formula::True | Formula::False | Formula::End | Formula::Atom(_) | Formula::Not(_) => &[],
    });
    is_shown
}

/// The readings of a formula's atoms, each once.
fn readings(formulas: &Formulas, formula: FormulaId) -> Vec<Reading> {
    let mut found = Vec::new();
    walk(formulas, formula, |part| {
        if let Formula::Atom(atom) = part {
            found.extend(formulas.atom_of(*atom).readings());
        }
        part.operands()
    });
    found.sort_unstable();
    found.dedup();
    found
}

/// Visits a formula, and then the subformulas that `visit` returns, each once.
fn walk<'f>(
    formulas: &'f Formulas,
    formula: FormulaId,
    mut visit: impl FnMut(&'f Formula) -> &'f [FormulaId],
) {
    let mut met = vec![false; formulas.count()];
    let mut pending = vec![formula];
    while let Some(part) = pending.pop() {
        if !std::mem::replace(&mut met[part.index()], true) {
            pending.extend_from_slice(visit(formulas.get(part)));
        }
    }
}

/// The readings of a formula, by the variables and processes that change them.
#[derive(Debug)]
struct Watch {
    readings: Vec<Reading>,
    /// For each variable: the index of its reading.
    variables: Vec<Option<usize>>,
    /// For each process: the readings that its events change besides variables.
    processes: Vec<Vec<usize>>,
}

/// A cut of the trace, and the values of the readings there.
#[derive(Debug, Clone)]
struct State<'t> {
    trace: &'t PartialOrder,
    watch: Rc<Watch>,
    cut: Vec<u32>,
    values: Vec<Value>,
    /// The number of events in the cut.
    happened: usize,
}

impl<'t> State<'t> {
    /// The first cut, for the readings of a formula.
    fn first(trace: &'t PartialOrder, formulas: &Formulas, formula: FormulaId) -> Self {
        let readings = readings(formulas, formula);
        let mut variables = vec![None; trace.variable_count()];
        let mut processes = vec![Vec::new(); trace.process_count()];
        let initial = |(at, &reading): (usize, &Reading)| match reading {
            Reading::Variable(variable) => {
                variables[variable.index()] = Some(at);
                trace.value(trace.initial(variable))
            }
            Reading::Last(process) => {
                processes[process.index()].push(at);
                Value::Text("".into())
            }
            Reading::Count(process, _) => {
                processes[process.index()].push(at);
                Value::integer(0)
            }
        };
        let values = readings.iter().enumerate().map(initial).collect();
        let cut = vec![0; trace.process_count()];
        let watch = Rc::new(Watch { readings, variables, processes });
        State { trace, watch, cut, values, happened: 0 }
    }

    /// A run from this state, and the state at its end.
    fn run(mut self, shows: Option<String>, depth: usize, events: &[EventId]) -> (Run, State<'t>) {
        let is_from_first = self.happened == 0;
        let mut counts: Vec<i64> = vec![0; self.values.len()];
        for &event in events {
            let process = self.trace.process_of(event).index();
            self.cut[process] += 1;
            self.happened += 1;
            for assignment in self.trace.assignments(event) {
                if let Some(at) = self.watch.variables[assignment.variable.index()] {
                    self.values[at] = self.trace.value(assignment.value);
                }
            }
            for &at in &self.watch.processes[process] {
                let label = self.trace.label_id(event);
                match self.watch.readings[at] {
                    Reading::Variable(_) => {}
                    Reading::Last(_) => {
                        let label = label.map(|label| self.trace.label_name(label));
                        self.values[at] = Value::Text(label.unwrap_or_default().into());
                    }
                    Reading::Count(_, wanted) => {
                        counts[at] += i64::from(wanted.is_none() || wanted == label);
                    }
                }
            }
        }
        for (value, more) in self.values.iter_mut().zip(counts) {
            if more > 0
                && let Value::Number(number) = value
                && let Some(sum) = number.checked_add(more.into())
            {
                *number = sum;
            }
        }
        let run = Run {
            shows,
            depth,
            is_from_first,
            events: events.to_vec(),
            cut: self.cut.clone(),
            is_to_last: self.happened == self.trace.event_count(),
            values: self.values.clone(),
        };
        (run, self)
    }
}
