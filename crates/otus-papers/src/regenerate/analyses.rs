//! Analyses of sets of multi-traces by both engines, and what is told of them.
//!
//! Searches begin with the pool as it was read (copying it does not count). The fast engine is asked twice: *cold*, a
//! new engine for each multi-trace, which counts; and as `otus analyze` does with many multi-traces, one engine for all
//! of a set, in their order. Explanations are certified outside the clock, all of the search and some of the engine,
//! whose explanations take another search.

use otus_analysis::budget::Budget;
use otus_analysis::config::{Config, Kind};
use otus_analysis::engine::Options;
use otus_analysis::graph::{self, Silent};
use otus_analysis::{Engine, Question, Verdict, certify};
use otus_draw::layout::plot::{Axis, Data, Figure, Mark, Panel, Series, plot};
use otus_draw::scene::Tone;
use otus_trace::MultiTrace;

use crate::artefact::Artefact;
use crate::clock::Clock;
use crate::setting::{Interrupted, Setting, Watch};
use crate::statistics::{Statistics, median, number};
use crate::table::{Cell, Table};
use crate::workload::sets::Known;
use crate::workload::{Class, Model};

/// What is asked of every multi-trace.
pub(super) struct Plan<'a> {
    /// Of the fast engine.
    pub(super) question: Question,
    /// Of the search that the paper describes.
    pub(super) search: Config,
    /// The same interaction as the removal paper reads it, where that is another meaning: see [`apart`].
    pub(super) loose: Option<Model>,
    pub(super) setting: Setting,
    pub(super) watch: &'a Watch<'a>,
}

/// What is known of an analysed set.
pub(super) struct Analysed {
    pub(super) name: &'static str,
    /// With one engine for all.
    pub(super) fast: Vec<Timed>,
    /// With a new engine for each.
    pub(super) cold: Vec<Timed>,
    pub(super) search: Vec<Timed>,
    /// How many the search explains by the paper's meaning, and the engine refuses by ours.
    pub(super) apart: usize,
}

/// One analysis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timed {
    pub(super) length: usize,
    pub(super) seconds: f64,
    pub(super) verdict: Verdict,
}

/// Of how many explanations of the fast engine one is certified.
const SAMPLED: usize = 20;

/// Analyses a set of multi-traces and notes in the artefact what is not as it must be.
pub(super) fn analyse(
    model: &Model,
    class: &Class,
    plan: &Plan<'_>,
    artefact: &mut Artefact,
) -> Result<Analysed, Interrupted> {
    let mut analysed = Analysed {
        name: class.name,
        fast: Vec::new(),
        cold: Vec::new(),
        search: Vec::new(),
        apart: 0,
    };
    let Some(first) = class.traces.first() else { return Ok(analysed) };
    let mut engine = Engine::new(&model.pool, model.term, first.partition(), Options::default());
    for (done, trace) in class.traces.iter().enumerate() {
        plan.watch.step(&format!("{} {}", artefact.id, class.name), done, class.traces.len())?;
        let clock = Clock::start();
        let verdict = engine.analyze(trace, &plan.question, &plan.budget(trace)).verdict;
        let seconds = clock.seconds();
        let cold = by_engine(model, trace, plan, done.is_multiple_of(SAMPLED), artefact);
        let search = by_search(model, trace, plan, artefact);
        // An interrupted search is no answer.
        plan.watch.go_on()?;
        artefact.check(cold.verdict == verdict, || {
            format!("what an engine remembers changes a verdict: {}", model.text(trace))
        });
        let verdicts = (cold.verdict, search.verdict);
        analysed.apart += usize::from(compare((model, trace), class, plan, verdicts, artefact));
        analysed.fast.push(Timed { length: trace.len(), seconds, verdict });
        analysed.cold.push(cold);
        analysed.search.push(search);
    }
    Ok(analysed)
}

impl Plan<'_> {
    /// What the fast engine may use.
    fn budget(&self, trace: &MultiTrace) -> Budget {
        Budget {
            max_states: Some(500_000 + 64 * trace.len() as u64),
            cancel: self.watch.cancel.clone(),
            ..Budget::default()
        }
    }
}

fn by_engine(
    model: &Model,
    trace: &MultiTrace,
    plan: &Plan<'_>,
    is_certified: bool,
    artefact: &mut Artefact,
) -> Timed {
    let budget = plan.budget(trace);
    let mut times = Vec::new();
    let mut verdict = Verdict::Inconclusive;
    for attempt in 0..plan.setting.size.tries() {
        let clock = Clock::start();
        let mut engine =
            Engine::new(&model.pool, model.term, trace.partition(), Options::default());
        verdict = engine.analyze(trace, &plan.question, &budget).verdict;
        times.push(clock.seconds());
        if attempt > 0 || !is_certified || !explained(verdict) {
            continue;
        }
        let mut pool = model.pool.clone();
        let witness =
            engine.witness(&mut pool, model.term, trace, &plan.question, verdict, &budget);
        if let Some(witness) = witness {
            let claim = (&plan.question, verdict);
            let held = certify::certify(&mut pool, model.term, trace, claim, &witness);
            artefact.check(held.is_ok(), || {
                format!("the engine's explanation of {} does not hold", model.text(trace))
            });
        }
    }
    Timed { length: trace.len(), seconds: median(&times), verdict }
}

fn by_search(model: &Model, trace: &MultiTrace, plan: &Plan<'_>, artefact: &mut Artefact) -> Timed {
    let mut config = plan.search.clone();
    config.budget.cancel = plan.watch.cancel.clone();
    let mut times = Vec::new();
    let mut verdict = Verdict::Inconclusive;
    for attempt in 0..plan.setting.pick(1, 1, 5) {
        let mut pool = model.pool.clone();
        let clock = Clock::start();
        let outcome = graph::analyze(&mut pool, model.term, trace, &config, &mut Silent);
        times.push(clock.seconds());
        let Ok(outcome) = outcome else { break };
        verdict = outcome.verdict;
        if attempt == 0
            && let Some(witness) = &outcome.witness
        {
            let claim = (config.kind, outcome.verdict);
            let held = certify::certify(&mut pool, model.term, trace, claim, witness);
            artefact.check(held.is_ok(), || {
                format!("the search's explanation of {} does not hold", model.text(trace))
            });
        }
    }
    Timed { length: trace.len(), seconds: median(&times), verdict }
}

/// Whether both verdicts are as they must be: by construction, and beside each other. A bounded
/// simulation may miss a slice, but what it explains is one. Says whether they differ because the papers do.
fn compare(
    (model, trace): (&Model, &MultiTrace),
    class: &Class,
    plan: &Plan<'_>,
    (fast, search): (Verdict, Verdict),
    artefact: &mut Artefact,
) -> bool {
    let say = |what: &str| format!("{what} ({}): {}", class.name, model.text(trace));
    let is_bounded = matches!(plan.search.kind, Kind::Simulate(_));
    if class.known.is_right() {
        artefact.check(explained(fast), || say(&format!("the engine says {fast}, it is right")));
        let may_miss = is_bounded && class.known == Known::Part;
        let right = explained(search) || search == Verdict::Inconclusive || may_miss;
        artefact.check(right, || say(&format!("the search says {search}, it is right")));
    }
    if fast == Verdict::Inconclusive || search == Verdict::Inconclusive {
        return false;
    }
    let agree = if is_bounded {
        explained(fast) || !explained(search)
    } else {
        explained(fast) == explained(search)
    };
    let is_apart = !agree && explained(search) && apart(model, trace, plan);
    artefact
        .check(agree || is_apart, || say(&format!("the engine says {fast}, the search {search}")));
    is_apart
}

/// Whether the two papers differ about a multi-trace. The removal paper speaks of tuples of local traces, where nothing
/// orders events of different lifelines; the slices paper, and the fast engine, of projections of global
/// traces. The former is the latter of the interaction in which every passing of a message is two
/// unordered actions, so that is asked.
fn apart(model: &Model, trace: &MultiTrace, plan: &Plan<'_>) -> bool {
    let Some(mut loose) = plan.loose.clone() else { return false };
    let trace = loose.trace(&model.text(trace));
    let mut engine = Engine::new(&loose.pool, loose.term, trace.partition(), Options::default());
    explained(engine.analyze(&trace, &plan.question, &plan.budget(&trace)).verdict)
}

/// Whether a verdict is a Pass of some kind.
pub(super) fn explained(verdict: Verdict) -> bool {
    verdict >= Verdict::WeakPass
}

/// How many verdicts of each kind there are, by set.
pub(super) fn verdict_table(sets: &[Analysed], theirs: Option<[u64; 5]>) -> Table {
    let mut columns = vec!["set", "multi-traces", "mean length"];
    if theirs.is_some() {
        columns.insert(1, "paper: multi-traces");
    }
    columns.extend(["fast: explained", "refused", "undecided"]);
    columns.extend(["graph: explained", "refused", "undecided"]);
    let mut table = Table::new("Verdicts", &columns).suffix("-verdicts");
    for (at, set) in sets.iter().enumerate() {
        let lengths: Vec<f64> = set.fast.iter().map(|timed| number(timed.length)).collect();
        let mut row = vec![
            Cell::text_of(set.name),
            Cell::count(set.fast.len()),
            Cell::Number(Statistics::of(&lengths).mean),
        ];
        if let Some(theirs) = theirs {
            row.insert(1, Cell::Count(theirs[at]));
        }
        for engine in [&set.fast, &set.search] {
            let undecided =
                engine.iter().filter(|timed| timed.verdict == Verdict::Inconclusive).count();
            let good = engine.iter().filter(|timed| explained(timed.verdict)).count();
            row.extend([good, engine.len() - good - undecided, undecided].map(Cell::count));
        }
        table.push(row);
    }
    table
}

/// How long it took, by set and engine.
pub(super) fn time_table(sets: &[Analysed]) -> Table {
    let mut columns = vec!["set", "engine"];
    columns.extend(Statistics::NAMES);
    columns.push("graph / this, median");
    let mut table = Table::new("Times of an analysis", &columns).suffix("-times");
    for set in sets.iter().filter(|set| !set.fast.is_empty()) {
        let search = statistics(&set.search);
        for (name, timed) in
            [("graph", &set.search), ("fast, cold", &set.cold), ("fast", &set.fast)]
        {
            let found = statistics(timed);
            let mut row = vec![Cell::text_of(set.name), Cell::text_of(name)];
            row.extend(found.values().map(Cell::Seconds));
            row.push(ratio(search.median, found.median));
            table.push(row);
        }
    }
    table
}

/// The statistics of all sets together beside the paper's.
pub(super) fn together(sets: &[Analysed], theirs: &Statistics) -> Table {
    let columns = [
        "all sets",
        "paper",
        "graph",
        "paper / graph",
        "fast, cold",
        "paper / fast, cold",
        "fast",
        "paper / fast",
    ];
    let mut table = Table::new("All sets together", &columns).suffix("-together");
    let all =
        [all(sets, |set| &set.search), all(sets, |set| &set.cold), all(sets, |set| &set.fast)];
    for (at, name) in Statistics::NAMES.into_iter().enumerate() {
        let paper = theirs.values()[at];
        let mut row = vec![Cell::text_of(name), Cell::Seconds(paper)];
        for found in &all {
            let ours = found.values()[at];
            row.extend([Cell::Seconds(ours), ratio(paper, ours)]);
        }
        table.push(row);
    }
    table
}

/// The statistics of all sets together by one engine.
pub(super) fn all(sets: &[Analysed], of: fn(&Analysed) -> &Vec<Timed>) -> Statistics {
    statistics(&sets.iter().flat_map(of).copied().collect::<Vec<_>>())
}

/// How often one is in the other.
pub(super) fn ratio(one: f64, other: f64) -> Cell {
    if other > 0.0 && one > 0.0 { Cell::Times(one / other) } else { Cell::None }
}

pub(super) fn statistics(timed: &[Timed]) -> Statistics {
    Statistics::of(&timed.iter().map(|timed| timed.seconds).collect::<Vec<_>>())
}

/// Time by length, a panel for each set.
pub(super) fn by_length(title: String, note: String, sets: &[Analysed]) -> Figure {
    let panels = sets
        .iter()
        .map(|set| {
            let points = |timed: &[Timed], wanted: fn(Verdict) -> bool| {
                let some = timed.iter().filter(|timed| wanted(timed.verdict));
                Data::Points(some.map(|timed| [number(timed.length), timed.seconds]).collect())
            };
            let refused = |verdict| !explained(verdict) && verdict != Verdict::Inconclusive;
            let undecided = |verdict| verdict == Verdict::Inconclusive;
            let series =
                |name: &str, tone, mark, data| Series { name: name.to_owned(), tone, mark, data };
            let mut all = vec![
                series(
                    "graph, explained",
                    Tone::Normal,
                    Mark::Square,
                    points(&set.search, explained),
                ),
                series("graph, refused", Tone::Good, Mark::Diamond, points(&set.search, refused)),
                series(
                    "graph, undecided",
                    Tone::Assumed,
                    Mark::Square,
                    points(&set.search, undecided),
                ),
                series("fast, explained", Tone::Active, Mark::Disc, points(&set.fast, explained)),
                series("fast, refused", Tone::Bad, Mark::Triangle, points(&set.fast, refused)),
            ];
            all.retain(|series| series.data != Data::Points(Vec::new()));
            Panel {
                title: set.name.to_owned(),
                x: Axis::linear("actions of the multi-trace"),
                y: Axis::log_seconds("time of an analysis"),
                series: all,
            }
        })
        .collect();
    Figure { title, note, columns: 3, shared: true, panels }
}

/// Times as boxes, by set, with the paper's of all sets if it has them.
pub(super) fn boxes(title: String, sets: &[Analysed], theirs: Option<&Statistics>) -> Figure {
    let mut names: Vec<&str> = sets.iter().map(|set| set.name).collect();
    let last = number(names.len());
    let boxes = |shift: f64, of: fn(&Analysed) -> &Vec<Timed>| {
        let places = sets.iter().enumerate();
        let boxes = places.filter(|(_, set)| !of(set).is_empty());
        Data::Boxes(
            boxes.map(|(at, set)| (number(at) + shift, statistics(of(set)).spread())).collect(),
        )
    };
    let series =
        |name: &str, tone, data| Series { name: name.to_owned(), tone, mark: Mark::Disc, data };
    let mut all = vec![
        series("graph", Tone::Normal, boxes(-0.27, |set| &set.search)),
        series("fast, cold", Tone::Assumed, boxes(0.0, |set| &set.cold)),
        series("fast", Tone::Active, boxes(0.27, |set| &set.fast)),
    ];
    if let Some(theirs) = theirs {
        names.push("all, in the paper");
        all.push(series("paper", Tone::Good, Data::Boxes(vec![(last, theirs.spread())])));
    }
    let panel = Panel {
        x: Axis::names("set", names),
        y: Axis::log_seconds("time of an analysis: least, quartiles, greatest"),
        series: all,
        ..Panel::default()
    };
    Figure { title, columns: 1, panels: vec![panel], ..Figure::default() }
}

/// Adds both plots of an experiment.
pub(super) fn draw(
    artefact: &mut Artefact,
    what: &str,
    sets: &[Analysed],
    theirs: Option<&Statistics>,
) {
    let id = artefact.id;
    let note = "Each point is a multi-trace; points on one another are painted once.".to_owned();
    let figure = by_length(format!("{id}, {what}: time by length"), note, sets);
    artefact.picture("", plot(&figure));
    let figure = boxes(format!("{id}, {what}: time by set"), sets, theirs);
    artefact.picture("-boxes", plot(&figure));
}
