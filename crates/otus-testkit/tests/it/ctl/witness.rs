//! Runs that show an answer are right: each is replayed on the oracle's lattice.

use otus_core::budget::Budget;
use otus_core::index::Index as _;
use otus_ctl::{Checker, Evidence, Formula, Formulas, Options, certify};
use otus_testkit::ctl_cases::{Size, random_formula, random_order, show};
use otus_testkit::oracle::ctl::{Ctl, Lattice};
use otus_trace::order::PartialOrder;

use super::compare::ways;

/// The first error in evidence that begins at the first cut.
fn fault(
    lattice: &Lattice<'_>,
    trace: &PartialOrder,
    formulas: &Formulas,
    evidence: &[Evidence],
) -> Option<String> {
    let mut pending: Vec<(usize, &Evidence)> = evidence.iter().map(|shown| (0, shown)).collect();
    while let Some((from, shown)) = pending.pop() {
        let mut run = vec![from];
        let mut cut = from;
        for &event in &shown.events {
            let mut next = lattice.cuts[cut].clone();
            next[trace.process_of(event).index()] += 1;
            let found = lattice.successors[cut].iter().find(|&&place| lattice.cuts[place] == next);
            let Some(&found) = found else { return Some(format!("{event:?} is not enabled")) };
            if trace.position(event) != next[trace.process_of(event).index()] {
                return Some(format!("{event:?} is not the next one"));
            }
            cut = found;
            run.push(cut);
        }
        let (through, goal) = match *formulas.get(shown.shows) {
            Formula::Until([through, goal]) => (lattice.core(formulas, through), goal),
            Formula::Next(_) if run.len() != 2 => return Some("not one step".to_owned()),
            Formula::Next(goal) => (vec![true; lattice.cuts.len()], goal),
            ref other @ (Formula::True
            | Formula::False
            | Formula::End
            | Formula::Atom(_)
            | Formula::Not(_)
            | Formula::And(_)
            | Formula::Or(_)) => return Some(format!("a run cannot show {other:?}")),
        };
        let goal = lattice.core(formulas, goal);
        if let Some(at) = run[..run.len() - 1].iter().position(|&cut| !through[cut]) {
            return Some(format!("cut {at} of the run is not as it should be: {shown:?}"));
        }
        if !goal[cut] {
            return Some(format!("the goal is not reached: {shown:?}"));
        }
        pending.extend(shown.then.iter().map(|then| (cut, then)));
    }
    None
}

fn wrong(trace: &PartialOrder, formula: &Ctl) -> Option<String> {
    let lattice = Lattice::new(trace, usize::MAX)?;
    let expected = lattice.truth(formula)[0];
    let mut formulas = Formulas::default();
    let id = formula.lower(&mut formulas);
    let mut checker = Checker::new(trace, formulas);
    let ways: Vec<(&str, Options)> = ways();
    for (name, options) in ways {
        let explanation = match checker.explain(id, &options) {
            Ok(explanation) => explanation,
            Err(stop) => return Some(format!("{name}: {stop}")),
        };
        if explanation.holds != expected {
            return Some(format!("{name}: explains {}", explanation.holds));
        }
        let found = fault(&lattice, trace, &checker.formulas, &explanation.evidence);
        if let Some(found) = found {
            return Some(format!("{name}: {found}"));
        }
        let checked = match certify(trace, &checker.formulas, id, &explanation, &Budget::default())
        {
            Ok(checked) => checked,
            Err(found) => return Some(format!("{name}: not certified: {found}: {explanation:?}")),
        };
        // A run to a cut is complete evidence, unless the formula at the cut is about further runs.
        let shown = if expected { id } else { checker.formulas.not(id) };
        let goal = checker.formulas.as_possibility(shown);
        if goal.is_some_and(|goal| !checker.formulas.is_temporal(goal)) && checked.trusted > 0 {
            return Some(format!("{name}: {} parts on trust: {explanation:?}", checked.trusted));
        }
    }
    None
}

#[test]
fn runs_are_evidence_for_their_answers() {
    let mut rng = super::rng(30);
    let size = Size { processes: 3, events: 8, leaves: 4 };
    let mut faults: Vec<(usize, String)> = Vec::new();
    let most = super::cases(50);
    for _ in 0..most {
        let trace = random_order(&mut rng, size);
        let next = rng.u8(..3) == 0;
        let formula = random_formula(&mut rng, &trace, size, next);
        if faults.len() < 30 && wrong(&trace, &formula).is_some() {
            let mut parts = (0..formula.0.len()).map(|whole| formula.part(whole));
            let (part, fault) = parts
                .find_map(|part| wrong(&trace, &part).map(|fault| (part, fault)))
                .expect("the whole is wrong");
            let size = trace.event_count() + trace.edges().len() + part.0.len();
            faults.push((size, format!("{fault}\n  {part}\n  {}", show(&trace))));
        }
    }
    println!("explanations: {most} cases");
    faults.sort();
    let texts: Vec<String> = faults.into_iter().take(5).map(|(_, text)| text).collect();
    assert!(texts.is_empty(), "{}", texts.join("\n"));
}
