//! Tables 1 to 5 and figures 3 and 4 of 001: CTL formulas over the cuts of partial-order traces.
//!
//! `fast` is the method of `otus ctl`. `ist` is the paper's algorithm, on the whole trace as in the paper: sharing
//! trees with one set subtracted for each communication, AG by downward closure or by a fixpoint.

use std::time::Duration;

use otus_draw::layout::plot::{Axis, Data, Figure, Mark, Panel, Series, plot};
use otus_draw::scene::Tone;
use otus_trace::order::{PartialOrder, pot};

use crate::artefact::Artefact;
use crate::ctl::{Check, Method, check, count_cuts};
use crate::data::{OrderRow, Time, orders, selection};
use crate::setting::{Interrupted, Setting, Watch};
use crate::statistics::number;
use crate::table::{Cell, Table};

pub(crate) fn table_1(setting: Setting, watch: &Watch<'_>) -> Result<Artefact, Interrupted> {
    let mut artefact = Artefact::new("001-table1", "CTL over traces: a selection of Tables 2 to 5");
    run(&mut artefact, &selection(), setting, watch)?;
    Ok(artefact)
}

/// One of Tables 2 to 5 with its plot.
pub(crate) fn table<const TABLE: u32>(
    setting: Setting,
    watch: &Watch<'_>,
) -> Result<Artefact, Interrupted> {
    let (id, what) = match TABLE {
        2 => ("001-table2", "mutual exclusion by Peterson for two"),
        3 => ("001-table3", "the alternating bit protocol"),
        4 => ("001-table4", "mutual exclusion by Peterson for n"),
        _ => ("001-table5", "dining philosophers"),
    };
    let rows: Vec<OrderRow> = orders().into_iter().filter(|row| row.table == TABLE).collect();
    let formula = rows[0].protocol().formula().replace('|', "∨");
    let mut artefact = Artefact::new(id, format!("CTL over traces, {what}: `{formula}`"));
    let measured = run(&mut artefact, &rows, setting, watch)?;
    let mut counts: Vec<usize> = rows.iter().map(|row| row.processes).collect();
    counts.dedup();
    let panels =
        counts.iter().map(|&count| panel(count, counts.len() > 1, &rows, &measured)).collect();
    let figure = Figure {
        title: format!("{id}, {what}: time by events"),
        note: "A line ends where the time limit was exceeded: ten minutes in the paper.".to_owned(),
        columns: counts.len(),
        shared: true,
        panels,
    };
    artefact.picture("", plot(&figure));
    Ok(artefact)
}

/// The times of one row in seconds; `None` is a check that exceeded its time limit or was not tried.
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
    let time_limit = Duration::from_secs(setting.pick(1, 3, 120));
    let has_fixpoint = rows.iter().any(|row| row.fixpoint.is_some());
    let mut table = Table::new("", "");
    let mut all = Vec::new();
    // If a method exceeds its time limit, it is not tried on more events with the same number of
    // processes.
    let mut lost = [0; 2];
    for (done, row) in rows.iter().enumerate() {
        watch.step(artefact.id, done, rows.len())?;
        let protocol = row.protocol();
        if setting.pick(row.events > 500, false, false) {
            all.push(Measured::default());
            continue;
        }
        let trace = protocol.trace(row.processes, row.events, setting.seed);
        let name = protocol.name().replace(|c: char| !c.is_alphanumeric(), "-");
        let file = format!("{name}-{}-{}.pot.json", row.processes, row.events);
        artefact.input(file, pot::write(&trace));
        let formula = format!("{name}.ctl");
        if artefact.inputs.iter().all(|input| input.name != formula) {
            artefact.input(formula, format!("{}\n", protocol.formula()));
        }
        let check = |method: Method, time_limit: Duration| {
            check(&trace, protocol.formula(), method.within(time_limit), &watch.cancel)
        };
        let fast = check(Method::AUTO, MINUTE);
        let key = row.processes + 100 * row.table as usize;
        let mut slow = |which: usize, method: Method| {
            let checked = (lost[which] != key).then(|| check(method, time_limit))?;
            if checked.answer.is_err() {
                lost[which] = key;
            }
            Some(checked)
        };
        let ist = slow(0, Method::IST);
        let fixpoint = row.fixpoint.and_then(|_| slow(1, Method::IST_FIXPOINT));
        watch.go_on()?;
        let methods = [
            ("the engine", Some(&fast)),
            ("ist", ist.as_ref()),
            ("its fixpoint", fixpoint.as_ref()),
        ];
        for (name, checked) in methods {
            if let Some(holds) = checked.and_then(Check::holds) {
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
        artefact.check(fast.answer.is_ok(), || format!("{} is decided", protocol.name()));
        let measured = Measured {
            fast: fast.answered_in(),
            ist: ist.as_ref().and_then(Check::answered_in),
            fixpoint: fixpoint.as_ref().and_then(Check::answered_in),
        };
        let holds = match fast.holds() {
            Some(true) => "yes",
            Some(false) => "no",
            None => "?",
        };
        let model =
            (artefact.id == "001-table1").then(|| ("model", Cell::text_of(protocol.name())));
        let mut cells = Vec::from_iter(model);
        cells.extend([
            ("processes", Cell::count(row.processes)),
            ("events", Cell::count(row.events)),
            ("paper: edges", Cell::Count(row.communications)),
            ("edges", Cell::count(trace.edges().len())),
            ("paper: cuts", Cell::Count(row.cuts)),
            ("cuts", cuts(&trace, watch)),
            ("holds", Cell::text_of(holds)),
            ("fast", cell(measured.fast, MINUTE)),
            ("ist", cell(measured.ist, time_limit)),
        ]);
        if has_fixpoint {
            let ours = row.fixpoint.map_or(Cell::None, |_| cell(measured.fixpoint, time_limit));
            cells.push(("ist, fixpoint", ours));
        }
        cells.push(("paper: TraX", theirs(row.trax)));
        if has_fixpoint {
            cells.push(("paper: TraX, fixpoint", row.fixpoint.map_or(Cell::None, theirs)));
        }
        cells.extend([
            ("paper: NuSMV", theirs(row.nusmv)),
            ("TraX / ist", beside(row.trax, measured.ist)),
            ("TraX / fast", beside(row.trax, measured.fast)),
        ]);
        table.push(cells);
        all.push(measured);
    }
    artefact.tables.push(table);
    artefact.differs.extend([
        format!(
            "The paper's traces are not published. Ours come from seeded simulators (seed {}) with as many \
             processes and events; edges and cuts show how close they are. Edges that others imply are \
             left out.",
            setting.seed
        ),
        "The paper's machine is from 2007. This command runs neither NuSMV (`otus-bench ctl nusmv` does, where it is \
         installed) nor the paper's tool TraX: `ist` is its algorithm as we read it, on the whole trace."
            .to_owned(),
        format!(
            "Times are the best of ten for short checks, from the trace in memory to the answer; `ist` has a time limit of \
             {} s, and once it exceeds it, it is not tried on more events of as many processes.",
            time_limit.as_secs()
        ),
    ]);
    Ok(all)
}

/// The time limit of the fast engine and of counting cuts.
const MINUTE: Duration = Duration::from_mins(1);

fn cuts(trace: &PartialOrder, watch: &Watch<'_>) -> Cell {
    let Ok(cuts) = count_cuts(trace, MINUTE, &watch.cancel) else { return Cell::None };
    match u64::try_from(&cuts) {
        Ok(cuts) => Cell::Count(cuts),
        Err(_) => Cell::Number(cuts.to_string().parse().unwrap_or(f64::INFINITY)),
    }
}

fn cell(seconds: Option<f64>, time_limit: Duration) -> Cell {
    seconds.map_or(Cell::MoreThan(time_limit.as_secs_f64()), Cell::Seconds)
}

fn theirs(time: Time) -> Cell {
    match time {
        Time::Seconds(seconds) => Cell::Seconds(seconds),
        Time::MoreThan(seconds) => Cell::MoreThan(seconds),
    }
}

/// The quotient of the paper's time and ours. The paper gives hundredths of a second, so its time may be zero.
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
        // The paper gives hundredths of a second; zeros cannot be shown on a logarithmic axis.
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
    series.push(Series {
        name: "ten minutes".to_owned(),
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
