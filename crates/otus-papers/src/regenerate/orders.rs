//! Tables 1 to 5 and figures 3 and 4 of 001: formulas over the cuts of partial-order traces.
//!
//! `fast` is what `otus ctl` does; `ist` is the paper's way, on the whole trace as there: sharing trees with one set
//! subtracted for each communication, AG by downward closure or by a fixpoint.

use std::time::{Duration, Instant};

use otus_core::budget::Budget;
use otus_ctl::ist::Closure;
use otus_ctl::{Checker, Engine, Formulas, Options, lower};
use otus_draw::layout::plot::{Axis, Data, Figure, Mark, Panel, Series, plot};
use otus_draw::scene::Tone;
use otus_syntax::{Source, parse_formulas};
use otus_trace::order::PartialOrder;

use crate::artefact::Artefact;
use crate::clock::Clock;
use crate::data::{OrderRow, Time, orders, selection};
use crate::protocol::Protocol;
use crate::setting::{Interrupted, Setting, Watch};
use crate::statistics::number;
use crate::table::{Cell, Table};

pub(crate) fn table_1(setting: Setting, watch: &Watch<'_>) -> Result<Artefact, Interrupted> {
    let chosen = selection();
    let all = orders();
    let rows: Vec<OrderRow> = chosen
        .iter()
        .filter_map(|&(model, processes, events, ..)| {
            let is_it = |row: &&OrderRow| {
                protocol(row.table).name() == model
                    && (row.processes, row.events) == (processes, events)
            };
            all.iter().find(is_it).copied()
        })
        .collect();
    let mut artefact = Artefact::new("001-table1", "CTL over traces: a selection of Tables 2 to 5");
    run(&mut artefact, &rows, setting, watch)?;
    Ok(artefact)
}

pub(crate) fn table_2(setting: Setting, watch: &Watch<'_>) -> Result<Artefact, Interrupted> {
    whole("001-table2", 2, "mutual exclusion by Peterson for two", setting, watch)
}

pub(crate) fn table_3(setting: Setting, watch: &Watch<'_>) -> Result<Artefact, Interrupted> {
    whole("001-table3", 3, "the alternating bit protocol", setting, watch)
}

pub(crate) fn table_4(setting: Setting, watch: &Watch<'_>) -> Result<Artefact, Interrupted> {
    whole("001-table4", 4, "mutual exclusion by Peterson for n", setting, watch)
}

pub(crate) fn table_5(setting: Setting, watch: &Watch<'_>) -> Result<Artefact, Interrupted> {
    whole("001-table5", 5, "dining philosophers", setting, watch)
}

/// The protocol of a table.
fn protocol(table: u32) -> Protocol {
    match table {
        2 => Protocol::Peterson,
        3 => Protocol::AlternatingBit,
        4 => Protocol::PetersonN,
        _ => Protocol::Philosophers,
    }
}

/// One of Tables 2 to 5 with its plot.
fn whole(
    id: &'static str,
    table: u32,
    what: &str,
    setting: Setting,
    watch: &Watch<'_>,
) -> Result<Artefact, Interrupted> {
    let rows: Vec<OrderRow> = orders().into_iter().filter(|row| row.table == table).collect();
    let formula = protocol(table).formula().replace('|', "∨");
    let mut artefact = Artefact::new(id, format!("CTL over traces, {what}: `{formula}`"));
    let measured = run(&mut artefact, &rows, setting, watch)?;
    let mut counts: Vec<usize> = rows.iter().map(|row| row.processes).collect();
    counts.dedup();
    let panels =
        counts.iter().map(|&count| panel(count, counts.len() > 1, &rows, &measured)).collect();
    let figure = Figure {
        title: format!("{id}, {what}: time by events"),
        note: "A line ends where no answer came in time: ten minutes in the paper.".to_owned(),
        columns: counts.len(),
        shared: true,
        panels,
    };
    artefact.picture("", plot(&figure));
    Ok(artefact)
}

/// What one row took: seconds, or `None` if that was too long or not tried.
#[derive(Debug, Clone, Copy, Default)]
struct Measured {
    fast: Option<f64>,
    ist: Option<f64>,
    fixpoint: Option<f64>,
}

fn run(
    artefact: &mut Artefact,
    rows: &[OrderRow],
    setting: Setting,
    watch: &Watch<'_>,
) -> Result<Vec<Measured>, Interrupted> {
    let patience = Duration::from_secs(setting.pick(1, 3, 120));
    let has_fixpoint = rows.iter().any(|row| row.fixpoint.is_some());
    let has_models = artefact.id == "001-table1";
    let mut columns =
        vec!["processes", "events", "paper: edges", "edges", "paper: cuts", "cuts", "holds"];
    columns.extend(["fast", "ist"]);
    if has_models {
        columns.insert(0, "model");
    }
    if has_fixpoint {
        columns.push("ist, fixpoint");
    }
    columns.push("paper: TraX");
    if has_fixpoint {
        columns.push("paper: TraX, fixpoint");
    }
    columns.extend(["paper: NuSMV", "TraX / ist", "TraX / fast"]);
    let mut table = Table::new("", &columns);
    let mut all = Vec::new();
    // What was too much once is not tried on more events.
    let mut lost = [0; 2];
    for (done, row) in rows.iter().enumerate() {
        watch.step(artefact.id, done, rows.len())?;
        let protocol = protocol(row.table);
        if setting.pick(row.events > 500, false, false) {
            all.push(Measured::default());
            continue;
        }
        let trace = protocol.trace(row.processes, row.events, setting.seed);
        let fast = ask(&trace, protocol, Way::Fast, MINUTE, watch);
        let [ist, fixpoint] = [Way::Ist, Way::Fixpoint].map(|way| {
            let which = usize::from(way == Way::Fixpoint);
            let key = row.processes + 100 * row.table as usize;
            if lost[which] == key || way == Way::Fixpoint && row.fixpoint.is_none() {
                return None;
            }
            let asked = ask(&trace, protocol, way, patience, watch);
            if asked.is_none() {
                lost[which] = key;
            }
            asked
        });
        watch.go_on()?;
        for (name, asked) in [("the engine", fast), ("ist", ist), ("its fixpoint", fixpoint)] {
            if let Some((_, holds)) = asked {
                artefact.check(holds, || {
                    format!(
                        "{name}: {} with {} processes and {} events keeps its promise",
                        protocol.name(),
                        row.processes,
                        row.events
                    )
                });
            }
        }
        artefact.check(fast.is_some(), || format!("{} is decided", protocol.name()));
        let measured = Measured {
            fast: fast.map(|(time, _)| time),
            ist: ist.map(|(time, _)| time),
            fixpoint: fixpoint.map(|(time, _)| time),
        };
        let mut cells = vec![
            Cell::count(row.processes),
            Cell::count(row.events),
            Cell::Count(row.communications),
            Cell::count(trace.edges().len()),
            Cell::Count(row.cuts),
            cuts(&trace, watch),
            Cell::text_of(match fast {
                Some((_, true)) => "yes",
                Some((_, false)) => "no",
                None => "?",
            }),
            cell(measured.fast, MINUTE),
            cell(measured.ist, patience),
        ];
        if has_models {
            cells.insert(0, Cell::text_of(protocol.name()));
        }
        if has_fixpoint {
            cells.push(match row.fixpoint {
                Some(_) => cell(measured.fixpoint, patience),
                None => Cell::None,
            });
        }
        cells.push(theirs(row.trax));
        if has_fixpoint {
            cells.push(row.fixpoint.map_or(Cell::None, theirs));
        }
        cells.extend([
            theirs(row.nusmv),
            beside(row.trax, measured.ist),
            beside(row.trax, measured.fast),
        ]);
        table.push(cells);
        all.push(measured);
    }
    artefact.tables.push(table);
    artefact.differs.extend([
        format!(
            "The paper's traces are not published. Ours come from seeded simulators (seed {}) with as many \
             processes and events; edges and cuts show how near they are. Edges that others imply are \
             left out.",
            setting.seed
        ),
        "The paper's machine was one of 2007. NuSMV was not run here (`cargo run -p otus-bench -- ctl \
         nusmv` does, where it is installed), nor the paper's tool TraX: `ist` is its algorithm as we read \
         it, on the whole trace."
            .to_owned(),
        format!(
            "Times are the best of ten for short checks, from the trace in memory to the answer; `ist` was given up \
             after {} s and then not tried on more events of as many processes.",
            patience.as_secs()
        ),
    ]);
    Ok(all)
}

/// What the fast engine and the counting of cuts may take.
const MINUTE: Duration = Duration::from_mins(1);

/// A way to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Fast,
    Ist,
    Fixpoint,
}

/// Seconds and the answer, unless it takes too long.
fn ask(
    trace: &PartialOrder,
    protocol: Protocol,
    way: Way,
    patience: Duration,
    watch: &Watch<'_>,
) -> Option<(f64, bool)> {
    let parsed = parse_formulas(&Source::new("papers.ctl", protocol.formula()));
    let lowered = lower(&parsed.tree, trace);
    let formula = lowered.properties.first()?.formula;
    let mut best: Option<(f64, bool)> = None;
    for _ in 0..10 {
        let options = Options {
            engine: if way == Way::Fast { Engine::Auto } else { Engine::Ist },
            slice: way == Way::Fast,
            closure: if way == Way::Fixpoint { Closure::Fixpoint } else { Closure::Downward },
            budget: budget(patience, watch),
            ..Options::default()
        };
        let known = lowered.formulas.clone();
        let clock = Clock::start();
        let answer = Checker::new(trace, known).check(formula, &options);
        let time = clock.seconds();
        match answer {
            Ok(answer) => {
                let least = best.map_or(time, |(least, _)| least.min(time));
                best = Some((least, answer.holds));
            }
            Err(_) => return best,
        }
        if time > 0.1 {
            break;
        }
    }
    best
}

fn budget(patience: Duration, watch: &Watch<'_>) -> Budget {
    Budget {
        max_bytes: Some(2 << 30),
        deadline: Instant::now().checked_add(patience),
        cancel: watch.cancel.clone(),
        ..Budget::default()
    }
}

fn cuts(trace: &PartialOrder, watch: &Watch<'_>) -> Cell {
    let options = Options { budget: budget(MINUTE, watch), ..Options::default() };
    let counted = Checker::new(trace, Formulas::default()).count(Formulas::TRUE, &options);
    match counted.map(|counts| counts.cuts) {
        Ok(cuts) => match u64::try_from(&cuts) {
            Ok(cuts) => Cell::Count(cuts),
            Err(_) => Cell::Number(cuts.to_string().parse().unwrap_or(f64::INFINITY)),
        },
        Err(_) => Cell::None,
    }
}

fn cell(seconds: Option<f64>, patience: Duration) -> Cell {
    seconds.map_or(Cell::MoreThan(patience.as_secs_f64()), Cell::Seconds)
}

fn theirs(time: Time) -> Cell {
    match time {
        Time::Seconds(seconds) => Cell::Seconds(seconds),
        Time::MoreThan(seconds) => Cell::MoreThan(seconds),
    }
}

/// How often our time is in theirs. Their clock had hundredths of a second.
fn beside(theirs: Time, ours: Option<f64>) -> Cell {
    match (theirs, ours) {
        (Time::Seconds(theirs), Some(ours)) if theirs > 0.0 => Cell::Times(theirs / ours),
        (Time::MoreThan(theirs), Some(ours)) => Cell::AtLeastTimes(theirs / ours),
        (Time::Seconds(_) | Time::MoreThan(_), _) => Cell::None,
    }
}

fn panel(processes: usize, is_titled: bool, rows: &[OrderRow], measured: &[Measured]) -> Panel {
    let line = |name: &str, tone, mark, of: &dyn Fn(&OrderRow, &Measured) -> Option<f64>| {
        let some = rows.iter().zip(measured).filter(|(row, _)| row.processes == processes);
        let points = some.filter_map(|(row, found)| Some([number(row.events), of(row, found)?]));
        // Zero is what a clock of hundredths shows for less; it has no place on this axis.
        let points = points.filter(|point| point[1] > 0.0).collect();
        Series { name: name.to_owned(), tone, mark, data: Data::Line(points) }
    };
    let mut series = vec![
        line("paper: NuSMV", Tone::Bad, Mark::Triangle, &|row, _| row.nusmv.seconds()),
        line("paper: TraX", Tone::Normal, Mark::Square, &|row, _| row.trax.seconds()),
        line("paper: TraX, fixpoint", Tone::Faded, Mark::Square, &|row, _| row.fixpoint?.seconds()),
        line("ist", Tone::Assumed, Mark::Diamond, &|_, found| found.ist),
        line("ist, fixpoint", Tone::Good, Mark::Diamond, &|_, found| found.fixpoint),
        line("fast", Tone::Active, Mark::Disc, &|_, found| found.fast),
    ];
    series.retain(|series| series.data != Data::Line(Vec::new()));
    let ten_minutes = "ten minutes".to_owned();
    series.push(Series {
        name: ten_minutes,
        tone: Tone::Faded,
        mark: Mark::Disc,
        data: Data::Level(600.0),
    });
    Panel {
        title: if is_titled { format!("{processes} processes") } else { String::new() },
        x: Axis::log("events"),
        y: Axis::log_seconds("time of a check"),
        series,
    }
}
