//! Every phase looks at its budget while it works, and stops when it is told to.

use otus_core::budget::{Budget, Stop};
use otus_trace::order::PartialOrder;

use super::{checker, counters};
use crate::certify::Fault;
use crate::pace::fuse;
use crate::{Closure, Engine, Options, certify};

/// A phase: its name, and what it does with a formula, which gives a text.
struct Phase {
    name: &'static str,
    formula: &'static str,
    options: Options,
    run: fn(&PartialOrder, &str, &Options) -> Result<String, Stop>,
}

fn check(trace: &PartialOrder, formula: &str, options: &Options) -> Result<String, Stop> {
    let (mut checker, wanted) = checker(trace, formula);
    Ok(checker.check(wanted, options)?.holds.to_string())
}

fn count(trace: &PartialOrder, formula: &str, options: &Options) -> Result<String, Stop> {
    let (mut checker, wanted) = checker(trace, formula);
    let counts = checker.count(wanted, options)?;
    Ok(format!("{} of {}", counts.satisfying, counts.cuts))
}

fn list(trace: &PartialOrder, formula: &str, options: &Options) -> Result<String, Stop> {
    let (mut checker, wanted) = checker(trace, formula);
    Ok(format!("{:?}", checker.satisfying(wanted, 10_000, options)?))
}

fn explain(trace: &PartialOrder, formula: &str, options: &Options) -> Result<String, Stop> {
    let (mut checker, wanted) = checker(trace, formula);
    let explanation = checker.explain(wanted, options)?;
    match certify(trace, &checker.formulas, wanted, &explanation, &options.budget) {
        Ok(checked) => Ok(format!("{explanation:?}, {checked:?}")),
        Err(Fault::Stopped(stop)) => Err(stop),
        Err(fault) => panic!("{fault}"),
    }
}

fn phases() -> Vec<Phase> {
    let with = |engine: Engine| Options { engine, ..Options::default() };
    let fixpoint = Options { closure: Closure::Fixpoint, ..with(Engine::Ist) };
    let whole = Options { slice: false, ..with(Engine::Interval) };
    let phase = |name, formula, options: &Options, run| Phase {
        name,
        formula,
        options: options.clone(),
        run,
    };
    let nested = "AG(x > y -> AF(x = y | s > 2))";
    vec![
        phase("check by auto", "AG(x >= y)", &with(Engine::Auto), check),
        phase("check of local conditions", "EF(x = 7 & y = 3)", &with(Engine::Auto), check),
        phase("search by interval", "EF(x - y > 3)", &with(Engine::Interval), check),
        phase("check by interval", nested, &with(Engine::Interval), check),
        phase("check by interval, all events", "AG(s < 5 -> EX true)", &whole, check),
        phase("check by explicit", nested, &with(Engine::Explicit), check),
        phase("check by ist", "AG(x >= y)", &with(Engine::Ist), check),
        phase("check by ist, fixpoints", "AG(x >= y)", &fixpoint, check),
        phase("count by auto", nested, &with(Engine::Auto), count),
        phase("count by interval", nested, &with(Engine::Interval), count),
        phase("count by ist", "s < 5", &with(Engine::Ist), count),
        phase("boxes", nested, &with(Engine::Auto), list),
        phase("a run to a cut", "AG(x - y < 3)", &with(Engine::Auto), explain),
        phase("a run of local conditions", "EF(x = 7 & y = 7)", &with(Engine::Auto), explain),
        phase("a run through cuts", "E[x - y < 3 U s > 3]", &with(Engine::Interval), explain),
        phase("a run and one after it", "AG(x > 3 -> AF(y > x))", &with(Engine::Auto), explain),
    ]
}

#[test]
fn a_phase_that_is_cancelled_stops_at_that_check() {
    let trace = counters(9);
    for Phase { name, formula, options, run } in phases() {
        let (all, checks) = fuse::with(None, || run(&trace, formula, &options));
        assert!(all.is_ok(), "{name}: {all:?}");
        for after in 0..checks {
            let (found, looked) = fuse::with(Some(after), || run(&trace, formula, &options));
            assert_eq!(found, Err(Stop::Cancelled), "{name} after {after} of {checks} checks");
            assert_eq!(looked, after + 1, "{name} went on after it was cancelled");
        }
        let (enough, _) = fuse::with(Some(checks), || run(&trace, formula, &options));
        assert_eq!(enough, all, "{name}");
    }
}

#[test]
fn a_phase_looks_at_its_budget_as_often_as_its_work_is_long() {
    for Phase { name, formula, options, run } in phases() {
        let [short, long] = [12, 48].map(|length| {
            let trace = counters(length);
            let (found, checks) = fuse::with(None, || run(&trace, formula, &options));
            assert!(found.is_ok(), "{name}: {found:?}");
            checks
        });
        // There is a check after at most four steps, and every phase takes at least a step per event.
        assert!(
            short >= 24 / 4 && long - short >= (96 - 24) / 4,
            "{name}: {short} checks, then {long}"
        );
    }
}

#[test]
fn a_phase_with_little_memory_answers_the_same_or_says_so() {
    let trace = counters(40);
    for Phase { name, formula, options, run } in phases() {
        let all = run(&trace, formula, &options);
        let (mut right, mut refused) = (0, 0);
        for power in 0..24 {
            let budget = Budget { max_bytes: Some(1 << power), ..Budget::default() };
            match run(&trace, formula, &Options { budget, ..options.clone() }) {
                Err(stop) => {
                    assert_eq!(stop, Stop::Memory, "{name} with 2^{power} bytes");
                    assert_eq!(right, 0, "{name} had enough with less than 2^{power} bytes");
                    refused += 1;
                }
                found => {
                    assert_eq!(found, all, "{name} with 2^{power} bytes");
                    right += 1;
                }
            }
        }
        // The courses of its atoms take some bytes for every event.
        assert!(refused >= 8 && right > 0, "{name}: {refused} refused");
    }
}
