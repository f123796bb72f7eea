//! 3-SAT formulas as multi-traces, beside two SAT solvers.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use otus_analysis::engine::Options;
use otus_analysis::{Engine, Question, Verdict};
use otus_papers::sat::{Formula, random, reduce, solve};
use otus_testkit::corpus;
use varisat::{CnfFormula, ExtendFormula as _, Lit, Solver};

use super::timing::Times;
use super::{SEED, Size};
use crate::measure::{head, nanoseconds, show, times};
use crate::targets::Targets;

pub(super) fn run(size: Size, targets: &mut Targets) {
    println!("\n## Satisfiability\n");
    println!(
        "Three literals a clause; generated formulas have 4.26 clauses a variable, about half of them \
         satisfiable. Times of the engine are for making it and for the multi-prefix question; those of \
         `varisat` for reading the clauses and solving. `search` is the engine without its SAT solver, DPLL the \
         reference solver of otus-papers. – is not run, ! undecided in some.\n"
    );
    head(
        "formulas",
        "count | satisfiable | engine p50 | max | search p50 | max | DPLL p50 | varisat p50 | max | engine / varisat p50 | total | differences",
    );
    match corpus::uf20() {
        Some(all) => {
            let some: Vec<Formula> =
                all.into_iter().map(|it| it.formula).take(size.pick(200, usize::MAX)).collect();
            let row = report("uf20", &some, size, targets);
            let unsatisfied = row.engine.len() - row.engine.count(Verdict::WeakPass);
            let what = format!("{} of uf20 satisfiable", some.len());
            targets.add(what, "all", format!("all but {unsatisfied}"), unsatisfied == 0);
            check(targets, "uf20", &row, 0.1e6);
        }
        None => println!("| uf20 is not installed |"),
    }
    for (variables, count, limit) in [
        (3, 40, Some(0.1e6)),
        (5, 40, Some(0.1e6)),
        (7, 40, Some(0.1e6)),
        (9, 40, Some(0.1e6)),
        (11, 40, Some(0.1e6)),
        (12, 40, Some(0.1e6)),
        (50, 40, None),
        (75, 40, None),
        (100, 30, Some(15e6)),
        (150, 20, Some(0.3e9)),
        (200, 10, None),
    ] {
        let clauses = variables * 426 / 100;
        let formulas: Vec<Formula> =
            (0..count * size.pick(1, 5)).map(|i| random(variables, clauses, SEED + i)).collect();
        let name = format!("{variables} variables");
        let row = report(&name, &formulas, size, targets);
        if let Some(limit) = limit {
            check(targets, &name, &row, limit);
        }
    }
}

fn check(targets: &mut Targets, name: &str, row: &SatTimes, limit: f64) {
    let median = row.engine.quantile(500);
    let wanted = format!("≤ {}", show(limit));
    targets.add(format!("{name}: median"), wanted, show(median), median <= limit);
}

#[derive(Default)]
struct SatTimes {
    engine: Times,
    search: Times,
    plain: Times,
    varisat: Times,
    differences: usize,
}

fn report(name: &str, formulas: &[Formula], size: Size, targets: &mut Targets) -> SatTimes {
    let mut row = SatTimes::default();
    let begin = Instant::now();
    let without_solver = Options { solver: false, ..Options::default() };
    for formula in formulas {
        let start = ThreadTime::now();
        let satisfiable = by_varisat(formula);
        let expected = if satisfiable { Verdict::WeakPass } else { Verdict::Fail };
        row.varisat.push(start.elapsed(), expected);
        let found = by_engine(formula, Options::default(), size, &mut row.engine);
        let differs = |found: Verdict| {
            found != Verdict::Inconclusive && (found >= Verdict::WeakPass) != satisfiable
        };
        row.differences += usize::from(differs(found));
        // The other two are too slow for large formulas, and stop once they have used their share of time.
        let share = size.table_limit() / 6;
        if formula.variables <= size.pick(100, 150) && row.search.total < share {
            let found = by_engine(formula, without_solver, size, &mut row.search);
            row.differences += usize::from(differs(found));
        }
        if formula.variables <= size.pick(75, 100) && row.plain.total < share {
            let start = ThreadTime::now();
            let found = solve(formula).is_some();
            row.plain.push(start.elapsed(), expected);
            row.differences += usize::from(found != satisfiable);
        }
        if begin.elapsed() > size.table_limit() {
            break;
        }
    }
    let mark = |times: &Times| if times.undecided() > 0 { " !" } else { "" };
    let cell = |times: &Times, value: f64| match times.len() {
        0 => "–".to_owned(),
        _ => format!("{}{}", show(value), mark(times)),
    };
    let ratio = row.engine.quantile(500) / row.varisat.quantile(500);
    let total = nanoseconds(row.engine.total) / nanoseconds(row.varisat.total);
    println!(
        "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        row.engine.len(),
        row.varisat.count(Verdict::WeakPass),
        cell(&row.engine, row.engine.quantile(500)),
        cell(&row.engine, row.engine.max()),
        cell(&row.search, row.search.quantile(500)),
        cell(&row.search, row.search.max()),
        cell(&row.plain, row.plain.quantile(500)),
        show(row.varisat.quantile(500)),
        show(row.varisat.max()),
        times(ratio),
        times(total),
        row.differences
    );
    let wrong = row.differences + row.engine.undecided();
    targets.add(format!("{name}: wrong or undecided"), "0", wrong.to_string(), wrong == 0);
    targets.add(format!("{name}: total / varisat's"), "≤ 3×", times(total), total <= 3.0);
    row
}

fn by_engine(formula: &Formula, options: Options, size: Size, times: &mut Times) -> Verdict {
    let problem = reduce(formula);
    let budget = otus_analysis::budget::Budget {
        max_states: None,
        timeout: Some(Duration::from_secs(size.pick(3, 20))),
        ..size.budget(&problem.trace)
    };
    let start = ThreadTime::now();
    let mut engine = Engine::new(&problem.pool, problem.term, problem.trace.partition(), options);
    let verdict = engine.analyze(&problem.trace, &Question::MULTI_PREFIX, &budget).verdict;
    // Pass also means satisfiable: there is an assignment with exactly one true literal in every clause.
    let verdict = if verdict == Verdict::Pass { Verdict::WeakPass } else { verdict };
    times.push(start.elapsed(), verdict);
    verdict
}

fn by_varisat(formula: &Formula) -> bool {
    let mut clauses = CnfFormula::new();
    for clause in &formula.clauses {
        let literals: Vec<Lit> = clause
            .iter()
            .map(|&literal| Lit::from_dimacs(isize::try_from(literal).unwrap_or(1)))
            .collect();
        clauses.add_clause(&literals);
    }
    let mut solver = Solver::new();
    solver.add_formula(&clauses);
    solver.solve().unwrap_or(false)
}
