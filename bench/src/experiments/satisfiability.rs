//! Satisfiability problems as multi-traces (Appendix B of the removal paper), against a small
//! solver.

use std::ops::RangeInclusive;
use std::time::Instant;

use otus_analysis::Verdict;
use otus_analysis::budget::Budget;
use otus_analysis::config::{Config, Kind};
use otus_analysis::graph::{Silent, analyze};
use otus_syntax::options::LocalAnalysis;
use otus_testkit::corpus;
use otus_testkit::sat::{Formula, random, reduce, solve};

use super::progress::Progress;
use super::table::{Statistics, milliseconds, number, print_statistics_head};
use super::{SEED, Size};

pub(super) fn run(size: Size) {
    println!();
    println!("## Satisfiability");
    let plain = Config {
        kind: Kind::Eliminate,
        goal: Some(Verdict::WeakPass),
        memoize: true,
        local_analysis: LocalAnalysis::On,
        budget: Budget { max_states: Some(20_000), ..Budget::default() },
        ..Config::default()
    };
    let reduced = Config { memoize: false, partial_order_reduction: true, ..plain.clone() };
    let tiny = custom(size.pick(30, 100), 3..=4, 3..=6);
    report("Tiny, without partial-order reduction: 3 or 4 variables", &tiny, &plain, size);
    report("Tiny: the same", &tiny, &reduced, size);
    let small = custom(size.pick(200, 1_000), 3..=10, 3..=8);
    report("Small: 3 to 10 variables", &small, &reduced, size);
    let big = custom(size.pick(40, 200), 12..=18, 4..=6);
    report("Big: 12 to 18 variables", &big, &reduced, size);

    match corpus::uf20() {
        Some(problems) => {
            let all: Vec<Formula> = problems.into_iter().map(|problem| problem.formula).collect();
            let some = &all[..all.len().min(size.pick(50, usize::MAX))];
            report("uf20: 20 variables, 91 clauses", some, &reduced, size);
        }
        None => println!("\nuf20 is left out: it is not there."),
    }
}

/// Random formulas with a number of variables from a range, and so many times as many clauses.
fn custom(
    count: usize,
    variables: RangeInclusive<usize>,
    density: RangeInclusive<usize>,
) -> Vec<Formula> {
    let mut rng = fastrand::Rng::with_seed(SEED);
    let mut formula = || {
        let variables = rng.usize(variables.clone());
        let clauses = rng.usize(variables * density.start()..=variables * density.end());
        random(variables, clauses, rng.u64(..))
    };
    (0..count).map(|_| formula()).collect()
}

fn report(title: &str, formulas: &[Formula], config: &Config, size: Size) {
    let (mut satisfiable, mut wrong, mut undecided) = (0, 0, 0);
    let (mut solver_times, mut search_times, mut nodes) = (Vec::new(), Vec::new(), Vec::new());
    let progress = Progress::new();
    for (done, formula) in formulas.iter().enumerate() {
        progress.show(title, done, formulas.len());
        let (mut solver, mut search) = (Vec::new(), Vec::new());
        for attempt in 0..size.tries() {
            let start = Instant::now();
            let answer = solve(formula).is_some();
            solver.push(milliseconds(start.elapsed()));
            let mut problem = reduce(formula);
            let start = Instant::now();
            let outcome =
                analyze(&mut problem.pool, problem.term, &problem.trace, config, &mut Silent)
                    .expect("every clause has a component of its own");
            search.push(milliseconds(start.elapsed()));
            if attempt == 0 {
                let passes = outcome.verdict >= Verdict::WeakPass;
                let is_undecided = outcome.verdict == Verdict::Inconclusive;
                satisfiable += usize::from(answer);
                undecided += usize::from(is_undecided);
                wrong += usize::from(!is_undecided && passes != answer);
                nodes.push(number(outcome.nodes));
            }
        }
        solver_times.push(Statistics::of(&solver));
        search_times.push(Statistics::of(&search));
    }
    drop(progress);
    println!();
    println!("### {title}");
    println!();
    println!(
        "{} formulas: {satisfiable} satisfiable, {} not; {undecided} undecided, {wrong} wrong.",
        formulas.len(),
        formulas.len() - satisfiable
    );
    println!();
    print_statistics_head("");
    let medians = |times: &[Statistics]| {
        Statistics::of(&times.iter().map(Statistics::median).collect::<Vec<_>>())
    };
    medians(&solver_times).print("solver time", 3);
    medians(&search_times).print("search time", 3);
    Statistics::of(&nodes).print("search nodes", 0);
}
