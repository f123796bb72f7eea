//! A check that reaches a limit says so, with every engine, and its answers within the limit are right.

use std::time::{Duration, Instant};

use otus_core::budget::{Budget, Stop};
use otus_core::index::Index as _;
use otus_ctl::atom::{Atom, Reading};
use otus_ctl::{Checker, Closure, Engine, FormulaId, Formulas, Options};
use otus_syntax::ast::formula::Comparison;
use otus_testkit::ctl_cases::{Size, random_formula, random_order, show};
use otus_testkit::oracle::ctl::Lattice;
use otus_trace::order::{Builder, PartialOrder, ProcessId, Value, Writes};

/// Independent processes: `(events + 1)^processes` cuts.
pub(crate) fn independent(processes: usize, events: usize) -> PartialOrder {
    let mut builder = Builder::default();
    for process in 0..processes {
        let id = builder.process(&format!("p{process}"));
        for event in 0..events {
            let value = i64::try_from(event % 3).expect("a small number");
            builder.event(id).set(&format!("x{process}"), value).at();
        }
    }
    builder.finish(Writes::Checked).expect("no edges")
}

/// `AG (Σ xᵢ < bound → AF all are done)`, which depends on every event and every cut.
pub(crate) fn formula(trace: &PartialOrder, formulas: &mut Formulas) -> FormulaId {
    let terms: Vec<_> = trace.variables().map(|x| (Reading::Variable(x), 1.into())).collect();
    let low = formulas.atom(Atom::Linear(terms.into(), Comparison::Less, 4.into()));
    let done: Vec<FormulaId> = trace
        .processes()
        .map(|process: ProcessId| {
            let all = Value::integer(i64::from(trace.length(process)));
            let count = Reading::Count(ProcessId::new(process.index()), None);
            formulas.atom(Atom::Compare(count, Comparison::Equal, all))
        })
        .collect();
    let done = formulas.and(done);
    let finally = formulas.af(done);
    let response = formulas.implies(low, finally);
    formulas.ag(response)
}

#[track_caller]
fn check(engine: Engine, budget: Budget, expected: Result<bool, &[Stop]>) {
    let trace = independent(9, 30);
    let mut formulas = Formulas::default();
    let id = formula(&trace, &mut formulas);
    let options = Options { engine, slice: false, budget, ..Options::default() };
    let begun = Instant::now();
    let found = Checker::new(&trace, formulas).check(id, &options).map(|answer| answer.holds);
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    match (found, expected) {
        (Ok(found), Ok(expected)) => assert_eq!(found, expected),
        (Err(stop), Err(stops)) => assert!(stops.contains(&stop), "{engine:?}: {stop:?}"),
        (found, expected) => panic!("{engine:?}: {found:?} instead of {expected:?}"),
    }
}

#[test]
fn a_lattice_that_is_too_large_is_given_up() {
    // The sharing trees of the paper have few nodes here, and are computed quickly.
    for (engine, most, size, patience) in
        [(Engine::Explicit, 50_000, 1 << 20, 100), (Engine::Ist, 200, 1 << 14, 0)]
    {
        let nodes = Budget { max_states: Some(most), ..Budget::default() };
        check(engine, nodes, Err(&[Stop::States]));
        let bytes = Budget { max_bytes: Some(size), ..Budget::default() };
        check(engine, bytes, Err(&[Stop::Memory]));
        let soon = Instant::now() + Duration::from_millis(patience);
        let time = Budget { deadline: Some(soon), ..Budget::default() };
        check(engine, time, Err(&[Stop::Time]));
        let cancelled = Budget::default();
        cancelled.cancel.cancel();
        check(engine, cancelled, Err(&[Stop::Cancelled]));
    }
    check(Engine::Ist, Budget::default(), Ok(true));
}

/// With little memory, unneeded nodes are collected, and the others stay valid.
#[test]
fn answers_are_right_with_little_room() {
    let mut rng = super::rng(40);
    let size = Size { processes: 3, events: 25, leaves: 6 };
    let (mut right, mut given_up) = ([0; 3], [0; 3]);
    for _ in 0..super::cases(20) {
        let trace = random_order(&mut rng, size);
        let formula = random_formula(&mut rng, &trace, size, true);
        let Some(lattice) = Lattice::new(&trace, 2_000) else { continue };
        let expected = lattice.truth(&formula)[0];
        let mut formulas = Formulas::default();
        let id = formula.lower(&mut formulas);
        let ways = [
            (Engine::Interval, Closure::Downward),
            (Engine::Ist, Closure::Downward),
            (Engine::Ist, Closure::Fixpoint),
        ];
        for (way, (engine, closure)) in ways.into_iter().enumerate() {
            let max_states = Some(rng.u64(20..1_000));
            let budget = Budget { max_states, ..Budget::default() };
            let options = Options { engine, closure, slice: false, budget, ..Options::default() };
            match Checker::new(&trace, formulas.clone()).check(id, &options) {
                Ok(answer) => {
                    assert_eq!(answer.holds, expected, "{engine:?}: {formula}\n  {}", show(&trace));
                    right[way] += 1;
                }
                Err(stop) => {
                    assert_eq!(stop, Stop::States);
                    given_up[way] += 1;
                }
            }
        }
    }
    println!("little room: {right:?} right, {given_up:?} given up");
    assert!(right.iter().all(|&count| count > 0));
}

/// A cut for an outermost EF is found on the fly, long before all cuts are visited.
#[test]
fn the_explicit_engine_stops_at_the_first_cut_that_shows_it() {
    let trace = independent(12, 40);
    let mut formulas = Formulas::default();
    let first = Reading::Count(ProcessId(0), None);
    let late = formulas.atom(Atom::Compare(first, Comparison::Greater, Value::integer(30)));
    let possible = formulas.ef(late);
    let budget = Budget { max_states: Some(1_000), ..Budget::default() };
    let options = Options { engine: Engine::Explicit, slice: false, budget, ..Options::default() };
    let answer = Checker::new(&trace, formulas).check(possible, &options);
    assert_eq!(answer.map(|answer| answer.holds), Ok(true));
}
