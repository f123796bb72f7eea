//! All cuts at which a formula holds, as boxes.
//!
//! A box gives each process a range for the number of its events in the cut. The boxes of a set are disjoint,
//! and all their vectors are cuts. There is one per path of the interval diagram, so there
//! may be exponentially many; the caller sets a limit.

use otus_core::budget::Stop;
use otus_core::index::Index as _;

use crate::check::{Checker, Counts, Options};
use crate::evaluate::Evaluation;
use crate::formula::FormulaId;
use crate::pace::Pace;

/// The cuts at which a formula holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Satisfying {
    /// The number of these cuts, and that of all cuts.
    pub counts: Counts,
    /// Disjoint boxes. A box has, for each process, the least and the greatest number of its events
    /// in the cut.
    pub boxes: Vec<Vec<(u32, u32)>>,
    /// Whether the list has all boxes.
    pub complete: bool,
}

impl Checker<'_> {
    /// The cuts at which a formula holds, in at most `limit` boxes. All events of the trace count, visible or not.
    ///
    /// # Errors
    /// The limit of the budget that was met.
    pub fn satisfying(
        &mut self,
        formula: FormulaId,
        limit: usize,
        options: &Options,
    ) -> Result<Satisfying, Stop> {
        let options = &options.started();
        let atoms = self.atoms(formula);
        self.prepare(&atoms, &options.budget)?;
        let view = self.whole_view(options)?;
        let used = self.used(&atoms);
        let budget = &self.beside(&options.budget, &view);
        let mut evaluation = Evaluation::new(self.problem(&view, &used), budget)?;
        let counts = evaluation.counts(formula)?;
        let set = evaluation.set(formula)?;
        let diagram = &evaluation.diagram;
        let mut pace = Pace::new(&options.budget);
        let mut found = diagram.boxes(set);
        let mut boxes = Vec::new();
        for ranges in found.by_ref().take(limit) {
            let mut all = vec![(0, 0); self.trace().process_count()];
            pace.step(all.len())?;
            for (process, range) in view.processes.iter().zip(ranges) {
                all[process.index()] = range;
            }
            boxes.push(all);
            let size = size_of_val::<[_]>(&boxes[0]) + size_of::<Vec<(u32, u32)>>();
            budget.check_bytes(diagram.bytes() + boxes.len() * size)?;
        }
        let complete = found.next().is_none();
        Ok(Satisfying { counts, boxes, complete })
    }
}

#[cfg(test)]
mod tests {
    use otus_syntax::{Source, parse_formulas};
    use otus_trace::order::{Builder, Writes};

    use super::*;
    use crate::lower;

    /// p: x := 1, x := 2; q is empty; r: y := 1 after the first of p.
    #[track_caller]
    fn check(formula: &str, limit: usize, expected: &str) {
        let mut builder = Builder::default();
        let (p, _, r) = (builder.process("p"), builder.process("q"), builder.process("r"));
        let first = builder.event(p).set("x", 1).at();
        builder.event(p).set("x", 2).at();
        let second = builder.event(r).set("y", 1).at();
        builder.edge(first, second);
        let trace = builder.finish(Writes::Checked).unwrap();
        let lowered = lower(&parse_formulas(&Source::new("f", formula)).tree, &trace);
        let mut checker = Checker::new(&trace, lowered.formulas);
        let options = Options { arrangement: crate::Arrangement::Given, ..Options::default() };
        let found = checker.satisfying(lowered.properties[0].formula, limit, &options).unwrap();
        let boxes: Vec<String> = found.boxes.iter().map(|ranges| format!("{ranges:?}")).collect();
        let rest = if found.complete { "" } else { " …" };
        let Counts { cuts, satisfying } = found.counts;
        assert_eq!(format!("{satisfying}/{cuts} {}{rest}", boxes.join(" ")), expected);
    }

    #[test]
    fn boxes_have_all_processes_in_the_order_of_the_trace() {
        check("true", 9, "5/5 [(0, 0), (0, 0), (0, 0)] [(1, 2), (0, 0), (0, 1)]");
        check("x = 2", 9, "2/5 [(2, 2), (0, 0), (0, 1)]");
        check("x = 3", 9, "0/5 ");
        check("EX y = 1", 9, "3/5 [(1, 1), (0, 0), (0, 1)] [(2, 2), (0, 0), (0, 0)]");
    }

    #[test]
    fn no_more_boxes_are_made_than_asked_for() {
        check("true", 1, "5/5 [(0, 0), (0, 0), (0, 0)] …");
        check("x = 2", 0, "2/5  …");
    }
}
