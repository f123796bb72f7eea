//! The slicing theorem: for formulas without X, events at which no atom changes can be left out.
//!
//! This is checked by the definitions alone: the visible events form a trace of their own, with happened-before restricted to
//! them, and the oracle answers for both.

use otus_core::index::Index as _;
use otus_ctl::{Checker, Engine, Formulas, Options};
use otus_testkit::ctl_cases::{Size, random_formula, random_order, show};
use otus_testkit::oracle::ctl::{Ctl, Lattice, Node};
use otus_trace::order::{Builder, EventId, Happened, PartialOrder, Writes};

/// The events at which the truth value of an atom of a formula changes, at some cut.
fn visible(lattice: &Lattice<'_>, trace: &PartialOrder, formula: &Ctl) -> Vec<bool> {
    let mut visible = vec![false; trace.event_count()];
    for (cut, successors) in lattice.successors.iter().enumerate() {
        for &next in successors {
            let changes = formula.0.iter().any(|node| match node {
                Node::Atom(atom) => lattice.holds(cut, atom) != lattice.holds(next, atom),
                Node::Constant(_)
                | Node::Not(_)
                | Node::Connective(..)
                | Node::Temporal(..)
                | Node::Until(..) => false,
            });
            let process = trace.processes().find(|process| {
                lattice.cuts[cut][process.index()] != lattice.cuts[next][process.index()]
            });
            let event = process
                .and_then(|process| trace.event(process, lattice.cuts[next][process.index()]));
            if let (true, Some(event)) = (changes, event) {
                visible[event.index()] = true;
            }
        }
    }
    visible
}

/// The cuts of the visible part, as a trace without assignments, and the truth of the atoms at each of them, which is that at
/// any cut of the whole trace with this visible part.
fn answer_on_visible(trace: &PartialOrder, lattice: &Lattice<'_>, formula: &Ctl) -> bool {
    let visible = visible(lattice, trace, formula);
    let clocks = trace.clocks();
    let mut builder = Builder::default();
    let mut kept: Vec<(EventId, Happened)> = Vec::new();
    for process in trace.processes() {
        let here = builder.process(trace.process_name(process));
        for event in trace.events(process).filter(|event| visible[event.index()]) {
            kept.push((event, builder.event(here).at()));
        }
    }
    for &(from, at) in &kept {
        for &(to, then) in &kept {
            if from != to && clocks.precedes(from, to) == Some(true) {
                builder.edge(at, then);
            }
        }
    }
    let small = builder.finish(Writes::Checked).expect("a part of an order is one");
    let small = Lattice::new(&small, usize::MAX).expect("any number is allowed");
    // One cut of the whole trace for each cut of the visible part.
    let image = |cut: &[u32]| -> Vec<u32> {
        trace
            .processes()
            .map(|process| {
                let past = trace.events(process).take(cut[process.index()] as usize);
                u32::try_from(past.filter(|event| visible[event.index()]).count())
                    .expect("few events")
            })
            .collect()
    };
    let images: Vec<Vec<u32>> = lattice.cuts.iter().map(|cut| image(cut)).collect();
    let below: Vec<usize> = small
        .cuts
        .iter()
        .map(|cut| images.iter().position(|image| image == cut).expect("every part is reached"))
        .collect();
    small.truth_with(formula, |cut, atom| lattice.holds(below[cut], atom))[0]
}

#[test]
fn invisible_events_make_no_difference() {
    let mut rng = super::rng(20);
    let size = Size { processes: 4, events: 9, leaves: 4 };
    let (mut cases, mut fewer) = (0, 0);
    while cases < super::cases(50) {
        let trace = random_order(&mut rng, size);
        let Some(lattice) = Lattice::new(&trace, 500) else { continue };
        let formula = random_formula(&mut rng, &trace, size, false);
        let whole = lattice.truth(&formula)[0];
        let part = answer_on_visible(&trace, &lattice, &formula);
        assert_eq!(part, whole, "{formula}\n  {}", show(&trace));
        let seen = visible(&lattice, &trace, &formula).into_iter().filter(|&seen| seen).count();
        fewer += usize::from(seen < trace.event_count());
        // The events that the checker keeps include all of these.
        let mut formulas = Formulas::default();
        let id = formula.lower(&mut formulas);
        let options = Options { engine: Engine::Interval, ..Options::default() };
        let answer = Checker::new(&trace, formulas).check(id, &options).unwrap();
        assert_eq!(answer.holds, whole, "{formula}\n  {}", show(&trace));
        cases += 1;
    }
    println!("slicing: {cases} cases, {fewer} of them with invisible events");
    assert!(fewer > 0);
}
