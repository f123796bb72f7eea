//! Runs that show why a formula holds, or why it does not.
//!
//! A run from the first cut shows EF, EU, EG and EX that hold, and AG, AF, AU and AX that do not: these are `E[f U g]` and
//! `EX f`, or their negations. Of a conjunction that fails, the first part that fails is shown, and so on. If
//! the goal of a run has such parts itself, they are shown from the last cut of the run on: `AG(p -> AF q)` fails by a
//! run to a cut with p, followed by a run on which q never holds.
//!
//! A run is found in the visible part of the trace, and then lifted: each visible event is preceded by the events of
//! its past that are missing. The result consists of events of the full trace, so that
//! [`certify`](mod@crate::certify) needs only the trace and the formula.

use otus_core::budget::Stop;
use otus_core::index::Index as _;
use otus_trace::order::{Clocks, EventId, PartialOrder};

use crate::check::{Checker, Options};
use crate::evaluate::Evaluation;
use crate::formula::{Formula, FormulaId, Formulas};
use crate::interval::Set;
use crate::nested;
use crate::pace::{Pace, beside};
use crate::view::View;

/// A run that shows a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// `E[f U g]` or `EX f`, which holds where the run begins.
    pub shows: FormulaId,
    /// The events of the run, in order; empty if the goal holds at its first cut.
    pub events: Vec<EventId>,
    /// The evidence from the last cut on.
    pub then: Vec<Evidence>,
}

/// Drops nested evidence with a loop: it can be as deep as a formula, too deep for recursion.
impl Drop for Evidence {
    fn drop(&mut self) {
        let mut pending = std::mem::take(&mut self.then);
        while let Some(mut one) = pending.pop() {
            pending.append(&mut one.then);
        }
    }
}

/// Why a formula holds, or does not, at the first cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Whether the formula holds.
    pub holds: bool,
    /// The runs that show it; empty if only all runs together, or no run at all, can show it.
    pub evidence: Vec<Evidence>,
}

impl Checker<'_> {
    /// Explains why a formula holds, or does not.
    ///
    /// # Errors
    /// The limit of the budget that was met.
    pub fn explain(&mut self, formula: FormulaId, options: &Options) -> Result<Explanation, Stop> {
        let options = &options.started();
        let holds = self.check(formula, options)?.holds;
        self.explain_verdict(formula, holds, options)
    }

    /// Why a formula has the verdict that [`Checker::check`] gave it, without checking it again.
    ///
    /// # Errors
    /// The limit of the budget that was met.
    pub fn explain_verdict(
        &mut self,
        formula: FormulaId,
        holds: bool,
        options: &Options,
    ) -> Result<Explanation, Stop> {
        let shown = if holds { formula } else { self.formulas.not(formula) };
        let mut evidence = Vec::new();
        let mut pending = vec![shown];
        while let Some(part) = pending.pop() {
            let node = self.formulas.get(part).clone();
            if let Formula::And(all) = node {
                pending.extend(all.iter().rev());
            } else if let Formula::Or(all) = node {
                // The first operand that holds and can be shown by a run, or else the last one that
                // holds.
                let mut found = None;
                for &operand in &all {
                    if self.check(operand, options)?.holds {
                        found = Some(operand);
                        if self.formulas.is_temporal(operand) {
                            break;
                        }
                    }
                }
                pending.extend(found);
            } else if node.is_run() {
                evidence.push(self.show(part, options)?);
            }
        }
        Ok(Explanation { holds, evidence })
    }

    /// A run for `E[f U g]` or `EX f`, which holds at the first cut.
    fn show(&mut self, part: FormulaId, options: &Options) -> Result<Evidence, Stop> {
        // A run to one of several goals also shows the disjunction of the goals, which is the
        // formula that was asked for.
        let shows = part;
        let part = self.narrowed(part, options)?;
        let atoms = self.atoms(part);
        self.prepare(&atoms, &options.budget)?;
        let clocks = self.clocks(&options.budget)?;
        let mut lift = Lift {
            trace: self.trace(),
            clocks,
            executed: vec![0; self.trace().process_count()],
            events: Vec::new(),
            past: vec![0; self.trace().process_count()],
            pace: Pace::new(&beside(&options.budget, self.bytes())),
        };
        if let Some(conditions) = self.local_conditions(part, options)
            && let Some(least) = self.least(&conditions, &mut lift.pace)?
        {
            for ((process, _), count) in conditions.into_iter().zip(least).filter(|it| it.1 > 0) {
                lift.execute(EventId(self.trace().range(process).start + count - 1))?;
            }
            return Ok(Evidence { shows, events: lift.events, then: Vec::new() });
        }
        let view = self.view(part, &atoms, options)?;
        let used = self.used(&atoms);
        let budget = &self.beside(&options.budget, &view);
        let evaluation = Evaluation::new(self.problem(&view, &used), budget)?;
        let point = vec![0; view.processes.len()];
        let mut showing = Showing { formulas: &self.formulas, view: &view, evaluation, depth: 0 };
        let mut evidence = showing.run(part, point, &mut lift)?;
        evidence.shows = shows;
        Ok(evidence)
    }

    /// `EF` of a disjunction as `EF` of the first disjunct that is possible.
    fn narrowed(&mut self, part: FormulaId, options: &Options) -> Result<FormulaId, Stop> {
        if let Some(goal) = self.formulas.as_possibility(part)
            && let Formula::Or(all) = self.formulas.get(goal).clone()
        {
            for &operand in &all {
                let possible = self.formulas.ef(operand);
                if self.check(possible, options)?.holds {
                    return Ok(possible);
                }
            }
        }
        Ok(part)
    }
}

struct Showing<'a> {
    formulas: &'a Formulas,
    view: &'a View,
    evaluation: Evaluation<'a>,
    /// The number of runs that come before the current one.
    depth: usize,
}

impl Showing<'_> {
    /// A run for `E[f U g]` or `EX f` from a cut where it holds, and the evidence after it.
    fn run(
        &mut self,
        part: FormulaId,
        mut point: Vec<u32>,
        lift: &mut Lift<'_>,
    ) -> Result<Evidence, Stop> {
        let node = self.formulas.get(part);
        let goal = *node.operands().last().expect("only `E U` and `EX` are shown by a run");
        if let Formula::Next(_) = node {
            let set = self.evaluation.set(goal)?;
            if let Some(dimension) = self.successor(set, &mut point, 0) {
                lift.execute(self.view.events[dimension][point[dimension] as usize - 1])?;
            }
        } else if self.formulas.as_possibility(part).is_some() {
            self.straight(goal, &mut point, lift)?;
        } else {
            let (all, set) = (self.evaluation.set(part)?, self.evaluation.set(goal)?);
            let mut last = 0;
            while !self.evaluation.diagram.contains(set, &point) {
                let Some(dimension) = self.successor(all, &mut point, last) else { break };
                last = dimension;
                lift.pace.step(point.len() * point.len())?;
                lift.execute(self.view.events[dimension][point[dimension] as usize - 1])?;
            }
        }
        if point == self.view.bounds() && self.needs_end(goal, &point)? {
            lift.finish()?;
        }
        let events = std::mem::take(&mut lift.events);
        let then = self.then(goal, &point, lift)?;
        Ok(Evidence { shows: part, events, then })
    }

    /// Moves to a successor in a set, along the dimension of the last move if possible.
    fn successor(&self, set: Set, point: &mut [u32], last: usize) -> Option<usize> {
        let count = point.len();
        (0..count).map(|offset| (last + offset) % count).find(|&dimension| {
            point[dimension] += 1;
            let inside = self.evaluation.diagram.contains(set, point);
            if !inside {
                point[dimension] -= 1;
            }
            inside
        })
    }

    /// A run, for EF, to a cut above the given one at which a formula holds. The cuts between need
    /// not satisfy anything.
    fn straight(
        &mut self,
        goal: FormulaId,
        point: &mut Vec<u32>,
        lift: &mut Lift<'_>,
    ) -> Result<(), Stop> {
        let target = if point.iter().all(|&value| value == 0) {
            self.evaluation.find(goal)?
        } else {
            let set = self.evaluation.set(goal)?;
            let ranges: Vec<(u32, u32)> = point.iter().copied().zip(self.view.bounds()).collect();
            let above = self.evaluation.diagram.cuboid(&ranges)?;
            let set = self.evaluation.diagram.intersect(set, above)?;
            self.evaluation.diagram.least(set)
        };
        if let Some(target) = target {
            for (dimension, &value) in target.iter().enumerate() {
                for at in point[dimension]..value {
                    lift.execute(self.view.events[dimension][at as usize])?;
                }
            }
            *point = target;
        }
        Ok(())
    }

    /// The evidence for those parts of a formula that can be shown by runs from a cut at which the
    /// formula holds.
    fn then(
        &mut self,
        goal: FormulaId,
        point: &[u32],
        lift: &Lift<'_>,
    ) -> Result<Vec<Evidence>, Stop> {
        let mut shown = Vec::new();
        let mut pending = vec![goal];
        while let Some(part) = pending.pop() {
            if !self.formulas.is_temporal(part) {
                continue;
            }
            let node = self.formulas.get(part);
            if let Formula::And(all) = node {
                pending.extend(all.iter().rev());
            } else if let Formula::Or(all) = node {
                for &operand in all {
                    let set = self.evaluation.set(operand)?;
                    if self.evaluation.diagram.contains(set, point) {
                        pending.push(operand);
                        break;
                    }
                }
            } else if node.is_run() {
                let mut lift = lift.clone();
                self.depth += 1;
                let run = nested(self.depth, || self.run(part, point.to_vec(), &mut lift));
                self.depth -= 1;
                shown.push(run?);
            }
        }
        Ok(shown)
    }

    /// Whether a formula holds at the last cut of the view only because that cut is the end. The last cut of the
    /// view stands for several cuts of the trace, of which only the last one is the end.
    fn needs_end(&mut self, formula: FormulaId, point: &[u32]) -> Result<bool, Stop> {
        let parts = self.formulas.parts(formula, Formula::is_connective);
        let mut holds = vec![false; parts.len()];
        for at in 0..parts.len() {
            let is_so = |part: &FormulaId| parts.binary_search(part).is_ok_and(|at| holds[at]);
            let node = self.formulas.get(parts[at]);
            holds[at] = if let Formula::And(all) = node {
                all.iter().all(is_so)
            } else if let Formula::Or(all) = node {
                all.iter().any(is_so)
            } else {
                *node != Formula::End && {
                    let set = self.evaluation.set(parts[at])?;
                    self.evaluation.diagram.contains(set, point)
                }
            };
        }
        Ok(holds.last() == Some(&false))
    }
}

/// Lifts events of a view to runs of the trace.
#[derive(Debug, Clone)]
struct Lift<'a> {
    trace: &'a PartialOrder,
    clocks: &'a Clocks,
    /// For each process: the number of its events so far.
    executed: Vec<u32>,
    events: Vec<EventId>,
    /// The clock of an event.
    past: Vec<u32>,
    pace: Pace,
}

impl Lift<'_> {
    /// Appends an event, after the missing events of its past.
    fn execute(&mut self, event: EventId) -> Result<(), Stop> {
        let mut pending = vec![event];
        while let Some(&next) = pending.last() {
            let process = self.trace.process_of(next).index();
            if self.executed[process] >= self.trace.position(next) {
                pending.pop();
                continue;
            }
            self.pace.step(self.past.len())?;
            self.clocks.read(next, &mut self.past);
            self.past[process] -= 1;
            let missing =
                (0..self.past.len()).find(|&other| self.executed[other] < self.past[other]);
            match missing {
                Some(other) => {
                    let process = otus_trace::order::ProcessId::new(other);
                    let first = self.trace.range(process).start + self.executed[other];
                    pending.push(EventId(first));
                }
                None => {
                    self.executed[process] += 1;
                    self.events.push(next);
                    self.pace.budget.check_bytes(size_of_val::<[_]>(&self.events))?;
                    pending.pop();
                }
            }
        }
        Ok(())
    }

    /// Appends the rest of the trace.
    fn finish(&mut self) -> Result<(), Stop> {
        for process in self.trace.processes() {
            for event in self.trace.events(process) {
                self.execute(event)?;
            }
        }
        Ok(())
    }
}
