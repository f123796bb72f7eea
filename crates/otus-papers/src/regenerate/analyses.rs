//! Analyses of sets of multi-traces by both engines, and the tables and plots of their verdicts and times.
//!
//! Each search starts from a copy of the pool as it was read; copying is not timed. The fast engine is timed twice:
//! *cold*, with a new engine for each multi-trace, whose construction is timed; and as in `otus analyze` of many
//! multi-traces, with one engine for a whole set. Explanations are certified outside the timing: all explanations of
//! the search, but only a sample of those of the engine, because each of these takes another search.

use otus_analysis::budget::Budget;
use otus_analysis::config::{Config, Kind};
use otus_analysis::graph::{self, Silent};
use otus_analysis::{Question, Verdict, certify};
use otus_draw::layout::plot::{Axis, Data, Figure, Mark, Panel, Series, plot};
use otus_draw::scene::Tone;
use otus_syntax::options::LocalAnalysis;
use otus_trace::MultiTrace;

use crate::artefact::Artefact;
use crate::clock::Clock;
use crate::setting::{Interrupted, Setting, Watch};
use crate::statistics::{Statistics, median, number};
use crate::table::{Cell, Table};
use crate::workload::sets::Known;
use crate::workload::{Class, Model};

pub(super) struct Run {
    pub(super) seconds: f64,
    pub(super) verdict: Verdict,
    /// The nodes of a search, or the states of the engine.
    pub(super) size: u64,
}

/// Times the fast engine with its construction.
pub(super) fn timed_engine(
    model: &Model,
    trace: &MultiTrace,
    question: &Question,
    budget: &Budget,
) -> Run {
    let clock = Clock::start();
    let found = model.engine(trace.partition()).analyze(trace, question, budget);
    Run { seconds: clock.seconds(), verdict: found.verdict, size: found.states }
}

/// Times a search of the papers; Inconclusive if the search is not defined.
pub(super) fn timed_search(model: &Model, trace: &MultiTrace, config: &Config) -> Run {
    let mut pool = model.pool.clone();
    let clock = Clock::start();
    let found = graph::analyze(&mut pool, model.term, trace, config, &mut Silent);
    let seconds = clock.seconds();
    let (verdict, size) =
        found.map_or((Verdict::Inconclusive, 0), |found| (found.verdict, found.nodes));
    Run { seconds, verdict, size }
}

/// A search of the papers with memoization and local analyses, up to a number of nodes.
pub(super) fn search(kind: Kind, nodes: u64) -> Config {
    Config {
        kind,
        goal: Some(Verdict::WeakPass),
        memoize: true,
        local_analysis: LocalAnalysis::On,
        budget: Budget { max_states: Some(nodes), ..Budget::default() },
        ..Config::default()
    }
}

/// The analyses of every multi-trace.
pub(super) struct Plan<'a> {
    /// The question to the fast engine.
    pub(super) question: Question,
    /// The search that the paper describes.
    pub(super) search: Config,
    /// The interaction in the semantics of paper 000, if it differs from that of the engine; see
    /// [`is_apart`].
    pub(super) loose: Option<Model>,
    pub(super) setting: Setting,
    pub(super) watch: &'a Watch<'a>,
}

#[derive(Default)]
pub(super) struct Analysed {
    pub(super) name: &'static str,
    /// The results of one engine for the whole set.
    pub(super) fast: Vec<Timed>,
    /// The results of a new engine for each multi-trace.
    pub(super) cold: Vec<Timed>,
    pub(super) search: Vec<Timed>,
    /// The number of multi-traces that the search explains and the engine refuses because their semantics differ.
    pub(super) apart: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Timed {
    pub(super) length: usize,
    pub(super) seconds: f64,
    pub(super) verdict: Verdict,
}

/// One of this many explanations of the fast engine is certified.
const SAMPLING: usize = 20;

/// Analyses a set of multi-traces, and records wrong verdicts in the artefact.
pub(super) fn analyse(
    model: &Model,
    class: &Class,
    plan: &Plan<'_>,
    artefact: &mut Artefact,
) -> Result<Analysed, Interrupted> {
    let mut analysed = Analysed { name: class.name, ..Analysed::default() };
    let Some(first) = class.traces.first() else { return Ok(analysed) };
    let mut engine = model.engine(first.partition());
    for (done, trace) in class.traces.iter().enumerate() {
        plan.watch.step(&format!("{} {}", artefact.id, class.name), done, class.traces.len())?;
        let clock = Clock::start();
        let verdict = engine.analyze(trace, &plan.question, &plan.budget(trace)).verdict;
        let seconds = clock.seconds();
        let cold = by_engine(model, trace, plan, done.is_multiple_of(SAMPLING), artefact);
        let search = by_search(model, trace, plan, artefact);
        // The verdict of an interrupted search does not count.
        plan.watch.go_on()?;
        artefact.check(cold.verdict == verdict, || {
            format!("a new engine gives another verdict: {}", model.text(trace))
        });
        let verdicts = [cold.verdict, search.verdict];
        let is_apart = compare(model, trace, class, verdicts, plan, artefact);
        analysed.apart += usize::from(is_apart);
        analysed.fast.push(Timed { length: trace.len(), seconds, verdict });
        analysed.cold.push(cold);
        analysed.search.push(search);
    }
    Ok(analysed)
}

impl Plan<'_> {
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
        let mut engine = model.engine(trace.partition());
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

/// Compares the verdicts of the engine and of the search with the known one and with each other. A bounded simulation
/// may miss a slice, but everything that it explains is a slice. Returns whether the verdicts differ because the
/// semantics of the papers differ.
fn compare(
    model: &Model,
    trace: &MultiTrace,
    class: &Class,
    [fast, search]: [Verdict; 2],
    plan: &Plan<'_>,
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
    let is_apart = !agree && explained(search) && is_apart(model, trace, plan);
    artefact
        .check(agree || is_apart, || say(&format!("the engine says {fast}, the search {search}")));
    is_apart
}

/// Whether 000 and 003 give a multi-trace different verdicts. The semantics of 000 is tuples of local traces, in which
/// events of different lifelines are unordered; that of 003, and of the fast engine, is projections of global traces.
/// The two agree on an interaction in which the emission and the reception of each message are unordered, so the
/// engine is asked about that interaction.
fn is_apart(model: &Model, trace: &MultiTrace, plan: &Plan<'_>) -> bool {
    let Some(mut loose) = plan.loose.clone() else { return false };
    let trace = loose.trace(&model.text(trace));
    explained(timed_engine(&loose, &trace, &plan.question, &plan.budget(&trace)).verdict)
}

/// Whether a verdict is Pass or WeakPass.
pub(super) fn explained(verdict: Verdict) -> bool {
    verdict >= Verdict::WeakPass
}

/// The number of verdicts of each kind, by set.
pub(super) fn verdict_table(sets: &[Analysed], theirs: Option<[u64; 5]>) -> Table {
    let mut table = Table::new("-verdicts", "Verdicts");
    for (at, set) in sets.iter().enumerate() {
        let lengths: Vec<f64> = set.fast.iter().map(|timed| number(timed.length)).collect();
        let mut row = vec![("set", Cell::text_of(set.name))];
        row.extend(theirs.map(|theirs| ("paper: multi-traces", Cell::Count(theirs[at]))));
        row.push(("multi-traces", Cell::count(set.fast.len())));
        row.push(("mean length", Cell::Number(Statistics::of(&lengths).mean)));
        for (good_ones, engine) in
            [("fast: explained", &set.fast), ("graph: explained", &set.search)]
        {
            let undecided =
                engine.iter().filter(|timed| timed.verdict == Verdict::Inconclusive).count();
            let good = engine.iter().filter(|timed| explained(timed.verdict)).count();
            row.push((good_ones, Cell::count(good)));
            row.push(("refused", Cell::count(engine.len() - good - undecided)));
            row.push(("undecided", Cell::count(undecided)));
        }
        table.push(row);
    }
    table
}

/// The statistics of the times, by set and engine.
pub(super) fn time_table(sets: &[Analysed]) -> Table {
    let mut table = Table::new("-times", "Times of an analysis");
    for set in sets.iter().filter(|set| !set.fast.is_empty()) {
        let search = statistics(&set.search);
        for (name, timed) in
            [("graph", &set.search), ("fast, cold", &set.cold), ("fast", &set.fast)]
        {
            let found = statistics(timed);
            let mut row = vec![("set", Cell::text_of(set.name)), ("engine", Cell::text_of(name))];
            row.extend(Statistics::NAMES.into_iter().zip(found.values().map(Cell::Seconds)));
            row.push(("graph / this, median", ratio(search.median, found.median)));
            table.push(row);
        }
    }
    table
}

/// The statistics of the times of all sets together, beside the paper's.
pub(super) fn together(sets: &[Analysed], theirs: &Statistics) -> Table {
    let mut table = Table::new("-together", "All sets together");
    let all = [
        ("graph", "paper / graph", all(sets, |set| &set.search)),
        ("fast, cold", "paper / fast, cold", all(sets, |set| &set.cold)),
        ("fast", "paper / fast", all(sets, |set| &set.fast)),
    ];
    for (at, name) in Statistics::NAMES.into_iter().enumerate() {
        let paper = theirs.values()[at];
        let mut row = vec![("all sets", Cell::text_of(name)), ("paper", Cell::Seconds(paper))];
        for (engine, quotient, found) in &all {
            let ours = found.values()[at];
            row.extend([(*engine, Cell::Seconds(ours)), (*quotient, ratio(paper, ours))]);
        }
        table.push(row);
    }
    table
}

/// The statistics of the times of all sets together, of one engine.
pub(super) fn all(sets: &[Analysed], of: fn(&Analysed) -> &Vec<Timed>) -> Statistics {
    statistics(&sets.iter().flat_map(of).copied().collect::<Vec<_>>())
}

/// The quotient of two times, unless one is zero.
pub(super) fn ratio(one: f64, other: f64) -> Cell {
    if other > 0.0 && one > 0.0 { Cell::Times(one / other) } else { Cell::None }
}

fn statistics(timed: &[Timed]) -> Statistics {
    Statistics::of(&timed.iter().map(|timed| timed.seconds).collect::<Vec<_>>())
}

/// A plot of time by length, with a panel for each set.
fn by_length(title: String, note: String, sets: &[Analysed]) -> Figure {
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
            let (graph, fast) = (&set.search, &set.fast);
            let mut all = vec![
                series("graph, explained", Tone::Normal, Mark::Square, points(graph, explained)),
                series("graph, refused", Tone::Good, Mark::Diamond, points(graph, refused)),
                series("graph, undecided", Tone::Assumed, Mark::Square, points(graph, undecided)),
                series("fast, explained", Tone::Active, Mark::Disc, points(fast, explained)),
                series("fast, refused", Tone::Bad, Mark::Triangle, points(fast, refused)),
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

/// A plot of the times of one engine by length, with a panel for each set, in the colours of figure 12 of 003: blue for
/// Pass, orange for Inconc.
fn by_verdict(
    title: String,
    note: String,
    sets: &[Analysed],
    of: fn(&Analysed) -> &Vec<Timed>,
    y: &Axis,
) -> Figure {
    let panel = |set: &Analysed| {
        let series = |name: &str, tone, mark, wanted: fn(Verdict) -> bool| {
            let some = of(set).iter().filter(|timed| wanted(timed.verdict));
            let points = some.map(|timed| [number(timed.length), timed.seconds]).collect();
            Series { name: name.to_owned(), tone, mark, data: Data::Points(points) }
        };
        let missed = |verdict| !explained(verdict) && verdict != Verdict::Inconclusive;
        let undecided = |verdict| verdict == Verdict::Inconclusive;
        let mut all = vec![
            series("not explained", Tone::Doubtful, Mark::Diamond, missed),
            series("given up", Tone::Faded, Mark::Square, undecided),
            series("explained", Tone::Active, Mark::Disc, explained),
        ];
        all.retain(|series| series.data != Data::Points(Vec::new()));
        let x = Axis::linear("actions of the multi-trace");
        Panel { title: set.name.to_owned(), x, y: y.clone(), series: all }
    };
    let panels = sets.iter().map(panel).collect();
    Figure { title, note, columns: 3, shared: true, panels }
}

/// A box plot of the times of each set, and of the paper's times of all sets if it gives them.
fn boxes(title: String, sets: &[Analysed], theirs: Option<&Statistics>) -> Figure {
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

/// The plots of time by length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// One plot with all engines, on a logarithmic axis.
    Engines,
    /// A plot for each engine in the colours of the paper's verdicts, on linear axes.
    VerdictsLinear,
    /// Like `VerdictsLinear`, with a logarithmic axis of time.
    VerdictsLog,
}

pub(super) fn draw(
    artefact: &mut Artefact,
    what: &str,
    sets: &[Analysed],
    theirs: Option<&Statistics>,
    look: Look,
) {
    let id = artefact.id;
    let note = "Each point is a multi-trace; coinciding points are drawn once.".to_owned();
    let y = match look {
        Look::Engines => None,
        Look::VerdictsLinear => Some(Axis::seconds("time of an analysis")),
        Look::VerdictsLog => Some(Axis::log_seconds("time of an analysis")),
    };
    if let Some(y) = y {
        type Times = fn(&Analysed) -> &Vec<Timed>;
        let engines: [(_, _, Times); 2] =
            [("", "graph", |set| &set.search), ("-fast", "fast", |set| &set.fast)];
        for (suffix, engine, of) in engines {
            let title = format!("{id}, {what}, {engine}: time by length");
            artefact.picture(suffix, plot(&by_verdict(title, note.clone(), sets, of, &y)));
        }
    } else {
        let figure = by_length(format!("{id}, {what}: time by length"), note, sets);
        artefact.picture("", plot(&figure));
    }
    let figure = boxes(format!("{id}, {what}: time by set"), sets, theirs);
    artefact.picture("-boxes", plot(&figure));
}
