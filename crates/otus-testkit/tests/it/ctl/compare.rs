//! Compares the engines with the definitions on one case.

use std::panic::{AssertUnwindSafe, catch_unwind};

use otus_core::index::Index as _;
use otus_ctl::atom::{Atom, Reading};
use otus_ctl::{Arrangement, Checker, Closure, Engine, FormulaId, Formulas, Options};
use otus_syntax::ast::formula::Comparison;
use otus_testkit::ctl_cases::show;
use otus_testkit::oracle::ctl::{Ctl, Lattice};
use otus_trace::order::{PartialOrder, ProcessId, Value};

/// The engines and options to compare.
pub(crate) fn ways() -> Vec<(&'static str, Options)> {
    let way =
        |engine, slice, arrangement| Options { engine, slice, arrangement, ..Options::default() };
    vec![
        ("auto", Options::default()),
        ("auto, unsliced", way(Engine::Auto, false, Arrangement::Greedy)),
        ("interval", way(Engine::Interval, true, Arrangement::Greedy)),
        ("interval, unsliced", way(Engine::Interval, false, Arrangement::Greedy)),
        ("interval, given order", way(Engine::Interval, true, Arrangement::Given)),
        ("interval, unsliced, given order", way(Engine::Interval, false, Arrangement::Given)),
        ("explicit", way(Engine::Explicit, true, Arrangement::Greedy)),
        ("explicit, unsliced", way(Engine::Explicit, false, Arrangement::Given)),
        ("ist", way(Engine::Ist, true, Arrangement::Greedy)),
        (
            "ist, unsliced, by fixpoints",
            Options { closure: Closure::Fixpoint, ..way(Engine::Ist, false, Arrangement::Given) },
        ),
    ]
}

/// The first difference, if there is one. `pick` chooses one cut at which all engines are asked.
pub(crate) fn wrong(trace: &PartialOrder, formula: &Ctl, pick: usize) -> Option<String> {
    let lattice = Lattice::new(trace, usize::MAX)?;
    let asked = AssertUnwindSafe(|| disagreement(&lattice, trace, formula, pick));
    match catch_unwind(asked) {
        Ok(found) => found,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied());
            Some(format!("panic: {}", text.unwrap_or("?")))
        }
    }
}

fn disagreement(
    lattice: &Lattice<'_>,
    trace: &PartialOrder,
    formula: &Ctl,
    pick: usize,
) -> Option<String> {
    let expected = lattice.truth(formula);
    let mut formulas = Formulas::default();
    let id = formula.lower(&mut formulas);
    if lattice.core(&formulas, id) != expected {
        return Some("the derivation of an operator is wrong".to_owned());
    }
    // EF (the cut is this one ∧ f), because engines answer for the first cut.
    let pick = pick % lattice.cuts.len();
    let at = at_cut(&mut formulas, &lattice.cuts[pick], id);
    let satisfying = expected.iter().filter(|&&holds| holds).count();
    let mut checker = Checker::new(trace, formulas);
    for (name, options) in ways() {
        let ask = |checker: &mut Checker<'_>, id: FormulaId| {
            checker.check(id, &options).map(|answer| answer.holds)
        };
        let holds = ask(&mut checker, id);
        if holds != Ok(expected[0]) {
            return Some(format!("{name}: {holds:?} instead of {}", expected[0]));
        }
        let holds = ask(&mut checker, at);
        if holds != Ok(expected[pick]) {
            let cut = &lattice.cuts[pick];
            return Some(format!("{name}: {holds:?} instead of {} at {cut:?}", expected[pick]));
        }
        let counts = checker.count(id, &options);
        let counted = counts.map(|counts| {
            (u128::try_from(counts.cuts).ok(), u128::try_from(counts.satisfying).ok())
        });
        let wanted = Ok((Some(lattice.cuts.len() as u128), Some(satisfying as u128)));
        if counted != wanted {
            return Some(format!("{name}: counted {counted:?} instead of {wanted:?}"));
        }
    }
    let found = match checker.satisfying(id, usize::MAX, &Options::default()) {
        Ok(found) => found,
        Err(stop) => return Some(format!("satisfying cuts: {stop}")),
    };
    for (cut, &expected) in lattice.cuts.iter().zip(&expected) {
        let within = |ranges: &&Vec<(u32, u32)>| {
            cut.iter().zip(ranges.iter()).all(|(x, (low, high))| low <= x && x <= high)
        };
        let boxes = found.boxes.iter().filter(within).count();
        if boxes != usize::from(expected) || !found.complete {
            return Some(format!("{cut:?} is in {boxes} boxes instead of {expected}"));
        }
    }
    None
}

/// `EF (count(p1) = x1 ∧ … ∧ f)`
fn at_cut(formulas: &mut Formulas, cut: &[u32], f: FormulaId) -> FormulaId {
    let mut all = vec![f];
    for (process, &count) in cut.iter().enumerate() {
        let count = Value::integer(i64::from(count));
        let reading = Reading::Count(ProcessId::new(process), None);
        all.push(formulas.atom(Atom::Compare(reading, Comparison::Equal, count)));
    }
    let all = formulas.and(all);
    formulas.ef(all)
}

/// The number of compared cases, and the failures.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) cases: usize,
    faults: Vec<(usize, String)>,
}

impl Report {
    /// Compares one case.
    pub(crate) fn compare(&mut self, trace: &PartialOrder, formula: &Ctl, pick: usize) {
        self.cases += 1;
        if self.faults.len() >= 20 || wrong(trace, formula, pick).is_none() {
            return;
        }
        // The smallest subformula with a wrong answer; the whole formula is the last one.
        let parts = (0..formula.0.len()).map(|whole| formula.part(whole));
        for part in parts {
            if let Some(fault) = wrong(trace, &part, pick) {
                let size = trace.event_count() + trace.edges().len() + part.0.len();
                self.faults.push((size, format!("{fault}\n  {part}\n  {}", show(trace))));
                return;
            }
        }
    }

    /// Prints how much was compared, and panics on a failure.
    #[track_caller]
    pub(crate) fn finish(mut self, what: &str) {
        println!("{what}: {} cases", self.cases);
        self.faults.sort();
        let texts: Vec<String> = self.faults.into_iter().take(5).map(|(_, text)| text).collect();
        assert!(texts.is_empty(), "{what}:\n{}", texts.join("\n"));
    }
}
