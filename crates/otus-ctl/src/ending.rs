//! Replaces the parts of a formula that the last cut decides by constants.
//!
//! Every run from every cut ends at the last cut, E. So for every g:
//!
//! 1. if g holds at E, `EF g` holds at every cut;
//! 2. if g implies that the cut is E, as in `EG f`, which is `E[f U f ∧ end]`, and g does not hold at E, then
//!    `E[f U g]` holds at no cut.
//!
//! *Proof.* (1) Every cut reaches E. (2) A run that shows `E[f U g]` has a cut with g, which is E, where g does not
//! hold. ∎
//!
//! Hence `AF q` holds everywhere if q holds at E, and `AG f` nowhere if f does not hold at E. At E itself,
//! which has no successors, `EX f` is false and `E[f U g]` is g; so the truth value of every formula at E follows from
//! those of the atoms, in one pass. Parts that are decided are replaced by constants before any set of cuts is
//! built.

use otus_core::budget::Stop;
use rustc_hash::FxHashMap;

use crate::check::Checker;
use crate::formula::{Formula, FormulaId, Formulas};
use crate::pace::Pace;
use crate::track::Course;

/// A subformula.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// Whether the subformula holds at the last cut.
    at_end: bool,
    /// An equivalent formula, without the parts that the last cut decides.
    same: FormulaId,
}

impl Checker<'_> {
    /// An equivalent formula without the parts that the last cut decides. The courses of its atoms are known.
    pub(crate) fn settled(
        &mut self,
        formula: FormulaId,
        pace: &mut Pace,
    ) -> Result<FormulaId, Stop> {
        let mut known: FxHashMap<FormulaId, Part> = FxHashMap::default();
        for part in self.formulas.parts(formula, |_| true) {
            pace.step(4)?;
            let node = self.formulas.get(part).clone();
            let found = match &node {
                Formula::True | Formula::End => Part { at_end: true, same: part },
                Formula::False => Part { at_end: false, same: part },
                Formula::Atom(atom) => {
                    let (course, atom) = (self.course(*atom), self.formulas.atom_of(*atom));
                    Part { at_end: course.holds(atom, &course.length()), same: part }
                }
                Formula::Not(inner) => {
                    let Part { at_end, same } = known[inner];
                    Part { at_end: !at_end, same: self.formulas.not(same) }
                }
                Formula::And(all) => {
                    let at_end = all.iter().all(|operand| known[operand].at_end);
                    let same = self.formulas.and(all.iter().map(|operand| known[operand].same));
                    Part { at_end, same }
                }
                Formula::Or(all) => {
                    let at_end = all.iter().any(|operand| known[operand].at_end);
                    let same = self.formulas.or(all.iter().map(|operand| known[operand].same));
                    Part { at_end, same }
                }
                Formula::Next(inner) => {
                    Part { at_end: false, same: self.formulas.ex(known[inner].same) }
                }
                Formula::Until([through, goal]) => {
                    let (through, target) = (known[through].same, known[goal]);
                    let same = if target.at_end && through == Formulas::TRUE {
                        Formulas::TRUE
                    } else if !target.at_end && self.is_last(*goal) {
                        Formulas::FALSE
                    } else {
                        self.formulas.eu(through, target.same)
                    };
                    Part { at_end: target.at_end, same }
                }
            };
            known.insert(part, found);
        }
        Ok(known[&formula].same)
    }

    /// Whether a formula says that the cut is the last one.
    fn is_last(&self, formula: FormulaId) -> bool {
        let is_end = |formula: FormulaId| *self.formulas.get(formula) == Formula::End;
        if let Formula::And(all) = self.formulas.get(formula) {
            return all.iter().any(|&operand| is_end(operand));
        }
        is_end(formula)
    }
}

impl Course {
    /// The number of all flips, or of all changes of each reading.
    fn length(&self) -> Vec<u32> {
        match self {
            Course::Flips(_, flips) => vec![crate::number(flips.len())],
            Course::Tracks(tracks) => {
                tracks.iter().map(|track| crate::number(track.changes.len())).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use otus_core::budget::Budget;

    use super::*;
    use crate::tests::{checker, counters};

    /// Whether the last cut decides a formula.
    #[track_caller]
    fn check(formula: &str, expected: Option<bool>) {
        // At the end, x and y are 9, and s is 0.
        let trace = counters(9);
        let (mut checker, wanted) = checker(&trace, formula);
        let budget = Budget::default();
        checker.prepare(&checker.atoms(wanted), &budget).unwrap();
        let settled = checker.settled(wanted, &mut Pace::new(&budget)).unwrap();
        let decided = [(Formulas::TRUE, true), (Formulas::FALSE, false)];
        let found = decided.iter().find(|(constant, _)| *constant == settled).map(|it| it.1);
        assert_eq!(found, expected, "{formula}");
    }

    #[test]
    fn what_holds_at_the_end_is_possible_and_unavoidable() {
        check("EF x = 9", Some(true));
        check("AF x = y", Some(true));
        check("EF x = 8", None);
        check("AF x = 8", None);
        check("AG(x < y -> AF s = 0)", Some(true));
        check("AG(x < y -> AF s = 4)", None);
    }

    #[test]
    fn what_does_not_hold_at_the_end_does_not_always_hold() {
        check("AG x < 9", Some(false));
        check("EG x < 9", Some(false));
        check("AG x < 10", None);
        check("EF EG s = 0", Some(true));
        check("AG AF x = 8", Some(false));
        check("AG EF x = 8", Some(false));
        check("E[x < 9 U x = 9]", None);
        check("EF EX true", None);
        check("AG AX x = 3", None);
    }
}
