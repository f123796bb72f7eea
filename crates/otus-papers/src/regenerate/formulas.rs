//! Figure 8 of paper 000, and figure 6, which shows a part of it: 3-SAT formulas as questions about
//! multi-traces.

use std::time::Duration;

use otus_analysis::budget::Budget;
use otus_analysis::config::{Config, Kind};
use otus_analysis::{Question, Verdict};
use otus_draw::layout::plot::{Axis, Data, Figure, Mark, Panel, Series, plot};
use otus_draw::scene::Tone;
use otus_syntax::dimacs;
use otus_syntax::options::LocalAnalysis;

use super::analyses::{Run, explained, ratio, timed_engine, timed_search};
use crate::artefact::Artefact;
use crate::clock::Clock;
use crate::data;
use crate::sat::{Formula, Reduction, reduce, solve};
use crate::setting::{Interrupted, Setting, Watch};
use crate::statistics::{Statistics, median};
use crate::table::{Cell, Table};
use crate::workload::Model;
use crate::workload::formulas::{custom, uniform};

pub(crate) fn small(setting: Setting, watch: &Watch<'_>) -> Result<Artefact, Interrupted> {
    let formulas = custom(setting.pick(12, 200, 1_000), &(3..=10), &(3..=8), setting.seed);
    let mut artefact = Artefact::new("000-fig8a", "3-SAT, small formulas: 3 to 10 variables");
    artefact.differs(SIZES_UNKNOWN);
    run(artefact, &formulas, None, setting, watch)
}

pub(crate) fn big(setting: Setting, watch: &Watch<'_>) -> Result<Artefact, Interrupted> {
    let formulas = custom(setting.pick(2, 40, 200), &(12..=18), &(4..=6), setting.seed);
    let mut artefact = Artefact::new("000-fig8b", "3-SAT, bigger formulas: 12 to 18 variables");
    artefact.differs(SIZES_UNKNOWN);
    run(artefact, &formulas, None, setting, watch)
}

pub(crate) fn uf20(setting: Setting, watch: &Watch<'_>) -> Result<Artefact, Interrupted> {
    let formulas = uniform(setting.pick(2, 50, 1_000), setting.seed);
    let mut artefact =
        Artefact::new("000-fig8c", "3-SAT, satisfiable formulas of 20 variables and 91 clauses");
    artefact.differs(format!(
        "{} formulas from seed {}, made as those of uf20 were (random; the satisfiable ones are \
         kept); the paper has the 1000 of the collection.",
        formulas.len(),
        setting.seed
    ));
    run(artefact, &formulas, Some(data::uf20()), setting, watch)
}

const SIZES_UNKNOWN: &str = "The text has no numbers of this figure, neither of sizes nor of times: \
     they are pictures. Sizes are our guess.";

/// The times of one formula, in seconds.
struct FormulaTimes {
    solver: f64,
    fast: f64,
    search: f64,
    is_satisfiable: bool,
    is_undecided: bool,
}

fn run(
    mut artefact: Artefact,
    formulas: &[Formula],
    theirs: Option<[Statistics; 2]>,
    setting: Setting,
    watch: &Watch<'_>,
) -> Result<Artefact, Interrupted> {
    for (number, formula) in (1..).zip(formulas) {
        artefact.input(format!("{number:04}.cnf"), dimacs::write(formula));
    }
    let mut all = Vec::new();
    for (done, formula) in formulas.iter().enumerate() {
        watch.step(artefact.id, done, formulas.len())?;
        all.push(analyse(formula, setting, watch, &mut artefact));
        watch.go_on()?;
    }
    let undecided = all.iter().filter(|timed| timed.is_undecided).count();
    let satisfiable = all.iter().filter(|timed| timed.is_satisfiable).count();
    let mut problems = Table::new("-problems", "Problems");
    let paper = |number: u64| if theirs.is_some() { Cell::Count(number) } else { Cell::None };
    let span = |of: fn(&Formula) -> usize| {
        let (least, most) = (formulas.iter().map(of).min(), formulas.iter().map(of).max());
        match (least, most) {
            (Some(least), Some(most)) if least == most => Cell::count(least),
            (Some(least), Some(most)) => Cell::text_of(format!("{least} to {most}")),
            (None, _) | (_, None) => Cell::None,
        }
    };
    for (what, ours, paper) in [
        ("variables", span(|formula| formula.variables), paper(20)),
        ("clauses", span(|formula| formula.clauses.len()), paper(91)),
        ("formulas", Cell::count(formulas.len()), paper(1000)),
        ("satisfiable", Cell::count(satisfiable), paper(1000)),
        ("not satisfiable", Cell::count(formulas.len() - satisfiable), paper(0)),
        ("undecided by graph", Cell::count(undecided), Cell::None),
    ] {
        problems.push([("", Cell::text_of(what)), ("ours", ours), ("paper", paper)]);
    }
    artefact.tables = vec![problems, times(&all, theirs.as_ref())];
    artefact.differs(
        "The solver beside us is sixty lines of DPLL, timed within this process. The paper's is \
         Varisat; its least time of 15.6 ms looks like that of a whole process.",
    );
    artefact.differs(
        "`graph` is the paper's search with local analyses and our partial-order reduction (without one it \
         gives up at four variables; the paper mentions optimisations without naming them). `fast` hands \
         formulas with many choices to a SAT solver.",
    );
    artefact.picture("", plot(&scatter(artefact.id, &all)));
    Ok(artefact)
}

fn analyse(
    formula: &Formula,
    setting: Setting,
    watch: &Watch<'_>,
    artefact: &mut Artefact,
) -> FormulaTimes {
    let search = Config {
        kind: Kind::Eliminate,
        goal: Some(Verdict::WeakPass),
        local_analysis: LocalAnalysis::On,
        partial_order_reduction: true,
        budget: Budget {
            max_states: Some(setting.pick(5_000, 20_000, 200_000)),
            timeout: Some(Duration::from_secs(setting.pick(5, 20, 120))),
            cancel: watch.cancel.clone(),
            ..Budget::default()
        },
        ..Config::default()
    };
    let engine_budget = Budget { timeout: Some(Duration::from_secs(20)), ..search.budget.clone() };
    let [mut solver, mut fast, mut slow] = [Vec::new(), Vec::new(), Vec::new()];
    let mut is_satisfiable = false;
    let mut is_undecided = false;
    for attempt in 0..setting.size.tries() {
        let clock = Clock::start();
        is_satisfiable = solve(formula).is_some();
        solver.push(clock.seconds());

        let Reduction { pool, term, trace } = reduce(formula);
        let model = Model { pool, term };
        let Run { seconds, verdict: found, .. } =
            timed_engine(&model, &trace, &Question::MULTI_PREFIX, &engine_budget);
        fast.push(seconds);
        let is_right = explained(found) == is_satisfiable && found != Verdict::Inconclusive;
        artefact.check(is_right, || {
            format!("the engine says {found}, the solver {is_satisfiable}: {:?}", formula.clauses)
        });

        if attempt > 0 && setting.pick(true, true, false) {
            continue;
        }
        let Run { seconds, verdict: found, .. } = timed_search(&model, &trace, &search);
        slow.push(seconds);
        is_undecided = found == Verdict::Inconclusive;
        artefact.check(is_undecided || explained(found) == is_satisfiable, || {
            format!("the search says {found}, the solver {is_satisfiable}: {:?}", formula.clauses)
        });
    }
    FormulaTimes {
        solver: median(&solver),
        fast: median(&fast),
        search: median(&slow),
        is_satisfiable,
        is_undecided,
    }
}

fn times(all: &[FormulaTimes], theirs: Option<&[Statistics; 2]>) -> Table {
    let of = |of: fn(&FormulaTimes) -> f64| {
        Statistics::of(&all.iter().map(of).collect::<Vec<_>>()).values()
    };
    let solver = of(|timed| timed.solver);
    let fast = of(|timed| timed.fast);
    let search = of(|timed| timed.search);
    let mut table = Table::new("-times", "Times of a formula");
    for (at, name) in Statistics::NAMES.into_iter().enumerate() {
        let [varisat, tool] = [0, 1].map(|who| theirs.map(|theirs| theirs[who].values()[at]));
        let cell = |time: Option<f64>| time.map_or(Cell::None, Cell::Seconds);
        let beside = |ours: f64| tool.map_or(Cell::None, |tool| ratio(tool, ours));
        table.push([
            ("", Cell::text_of(name)),
            ("paper: Varisat", cell(varisat)),
            ("paper: tool", cell(tool)),
            ("solver", Cell::Seconds(solver[at])),
            ("graph", Cell::Seconds(search[at])),
            ("paper's tool / graph", beside(search[at])),
            ("fast", Cell::Seconds(fast[at])),
            ("paper's tool / fast", beside(fast[at])),
        ]);
    }
    table
}

/// The scatter plot of the paper: the time of the solver on the x-axis, that of the analysis on the y-axis; blue is
/// satisfiable and red is not.
fn scatter(id: &str, all: &[FormulaTimes]) -> Figure {
    let points = |of: fn(&FormulaTimes) -> f64, is_satisfiable: bool| {
        let some = all.iter().filter(|timed| timed.is_satisfiable == is_satisfiable);
        Data::Points(some.map(|timed| [timed.solver, of(timed)]).collect())
    };
    let series = |name: &str, tone, mark, data| Series { name: name.to_owned(), tone, mark, data };
    let mut series = vec![
        series("graph, satisfiable", Tone::Active, Mark::Square, points(|t| t.search, true)),
        series("graph, not satisfiable", Tone::Bad, Mark::Diamond, points(|t| t.search, false)),
        series("fast, satisfiable", Tone::Active, Mark::Disc, points(|t| t.fast, true)),
        series("fast, not satisfiable", Tone::Bad, Mark::Triangle, points(|t| t.fast, false)),
    ];
    series.retain(|series| series.data != Data::Points(Vec::new()));
    let panel = Panel {
        x: Axis::log_seconds("time of a solver"),
        y: Axis::log_seconds("time of an analysis"),
        series,
        ..Panel::default()
    };
    let title = format!("{id}, 3-SAT: each point is a formula");
    Figure { title, columns: 1, panels: vec![panel], ..Figure::default() }
}
