//! Live groups, fed event by event: `otus-bench live`.
//!
//! - `skew`: one log arrives far later than the others;
//! - `endless`: a group that never closes;
//! - `sessions`: parallel sessions in flight;
//! - `groups`: many groups open at once;
//! - `spans`: export requests of OTLP, with the write-ahead log and verdicts ([`spans`]).
//!
//! Events are made in blocks beforehand, so that only the work of the engine is measured. Memory is that of the group and of
//! the tables as the engine counts it, and the growth of the peak memory of the process.

mod spans;

use std::collections::VecDeque;

use cpu_time::ThreadTime;
use otus_analysis::Question;
use otus_analysis::live::{GroupId, Limits, Live, Standing};
use otus_core::index::Index as _;
use otus_core::{ActionId, EventId, Pool, Term, TermId};
use otus_papers::statistics::number;
use otus_papers::workload::Model;
use otus_trace::{ComponentId, Partition};

use crate::engine::part;
use crate::measure::{head, nanoseconds, peak_bytes, reset_peak};
use crate::size::Size;
use crate::targets::{Targets, run_parts};

const SEED: u64 = 2026;
/// The number of events that are made at a time.
const BLOCK: usize = 100_000;

/// Models whose iterations follow one another.
const LOOPS: [(&str, &str); 6] = [
    ("message", "loopW(a -- m -> b)"),
    ("request", "loopW(seq(a -- m -> b, b -- n -> a))"),
    ("chain", "loopW(seq(a -- m -> b, b -- n -> c))"),
    ("choice", "loopW(alt(a -- m -> b, a -- n -> b))"),
    (
        "retries",
        "loopW(seq(a -- ask -> b, loopW(seq(b -- wait -> a, a -- again -> b)), \
         alt(seq(b -- yes -> a, b -- log -> c), b -- no -> a)))",
    ),
    (
        "branches",
        "loopW(alt(seq(a -- m -> b, b -- o -> c, c -- p -> a), seq(a -- n -> c, c -- q -> b, b -- r -> a)))",
    ),
];

/// Models with parallel sessions.
const SESSIONS: [(&str, &str); 3] = [
    ("message", "loopP(a -- m -> b)"),
    ("chain", "loopP(seq(a -- m -> b, b -- n -> c))"),
    ("choice", "loopP(seq(a -- m -> b, alt(b -- n -> c, b -- o -> d)))"),
];

pub(crate) fn run(size: Size, wanted: &[String]) {
    println!("# Live groups\n");
    println!("Seed {SEED}, one thread. Times are processor time of that thread.");
    run_parts(
        size,
        wanted,
        &[
            ("skew", skew),
            ("endless", endless),
            ("sessions", sessions),
            ("groups", groups),
            ("spans", spans::run),
        ],
    );
}

/// Endless events of a loop, in the order in which they arrive.
struct Stream<'m> {
    pool: &'m Pool,
    partition: &'m Partition,
    body: TermId,
    /// The most iterations that are in flight, if they are in parallel.
    flight: usize,
    sessions: Vec<std::vec::IntoIter<EventId>>,
    rng: fastrand::Rng,
    /// The component that arrives late, and by how many events.
    late: Option<(usize, usize)>,
    delayed: VecDeque<(usize, ActionId)>,
}

impl<'m> Stream<'m> {
    fn new(model: &'m Model, partition: &'m Partition, flight: usize) -> Option<Stream<'m>> {
        let body = match model.pool.node(model.term) {
            Term::LoopC(_, body) | Term::LoopS(body) => body,
            Term::Empty | Term::Event(_) | Term::Strict(..) | Term::Coreg(..) | Term::Alt(..) => {
                return None;
            }
        };
        Some(Stream {
            pool: &model.pool,
            partition,
            body,
            flight,
            sessions: Vec::new(),
            rng: fastrand::Rng::with_seed(SEED),
            late: None,
            delayed: VecDeque::new(),
        })
    }

    /// The next event of the execution.
    fn event(&mut self) -> EventId {
        loop {
            if self.sessions.is_empty()
                || (self.sessions.len() < self.flight && self.rng.usize(..4) == 0)
            {
                let mut iteration = Vec::new();
                part(self.pool, &mut self.rng, self.body, &mut iteration);
                self.sessions.push(iteration.into_iter());
            }
            let chosen = self.rng.usize(..self.sessions.len());
            match self.sessions[chosen].next() {
                Some(event) => return event,
                None => drop(self.sessions.swap_remove(chosen)),
            }
        }
    }

    /// The next events that arrive, about a block of them.
    fn block(&mut self) -> Vec<(usize, ActionId)> {
        let mut block = Vec::with_capacity(BLOCK + 8);
        while block.len() < BLOCK {
            let event = self.event();
            for &action in self.pool.event_actions(event) {
                let lifeline = self.pool.action(action).lifeline;
                let component = self.partition.component_of(lifeline).index();
                match self.late {
                    Some((late, lag)) if late == component => {
                        self.delayed.push_back((component, action));
                        if self.delayed.len() > lag {
                            block.extend(self.delayed.pop_front());
                        }
                    }
                    _ => block.push((component, action)),
                }
            }
        }
        block
    }
}

/// What a run took.
#[derive(Default)]
struct Run {
    events: usize,
    nanoseconds: f64,
    held: usize,
    /// The most bytes of the group, and of the tables.
    group: usize,
    tables: usize,
    /// The growth of the peak memory of the process.
    grown: Option<u64>,
    compactions: u64,
    standing: Option<Standing>,
}

impl Run {
    /// Feeds a group with a number of events.
    fn new(live: &mut Live, stream: &mut Stream<'_>, events: usize) -> Run {
        let mut run = Run::default();
        let group = live.open();
        let mut before = None;
        while run.events < events {
            let block = stream.block();
            before = before.or_else(reset_peak);
            let start = ThreadTime::now();
            for &(component, action) in &block {
                run.standing = live.push(group, ComponentId::new(component), &[action]);
            }
            run.nanoseconds += nanoseconds(start.elapsed());
            run.events += block.len();
            run.held = run.held.max(live.held(group));
            run.group = run.group.max(live.group_bytes());
            run.tables = run.tables.max(live.table_bytes());
            if run.standing != Some(Standing::Explained) {
                break;
            }
        }
        run.grown = peak_bytes().zip(before).map(|(peak, before)| peak.saturating_sub(before));
        run.compactions = live.compactions();
        run
    }

    fn mean(&self) -> f64 {
        self.nanoseconds / number(self.events.max(1))
    }

    fn is_right(&self) -> bool {
        self.standing == Some(Standing::Explained)
    }

    fn print(&self, first: &str) {
        println!(
            "| {first} | {} | {:.0} | {} | {:.1} | {:.1} | {} | {} | {} |",
            number(self.events),
            self.mean(),
            self.held,
            number(self.group) / 1e3,
            number(self.tables) / 1e3,
            self.grown.map_or("–".to_owned(), |grown| format!(
                "{:.1}",
                number(usize::try_from(grown).unwrap_or(0)) / 1e6
            )),
            self.compactions,
            match self.standing {
                Some(Standing::Explained) => "explained".to_owned(),
                other => format!("**{other:?}**"),
            }
        );
    }
}

const COLUMNS: &str =
    "events | ns/event | most held | group kB | tables kB | peak +MB | compactions | so far";

fn live(model: &Model, partition: &Partition) -> Live {
    let limits = Limits::default();
    Live::new(&model.pool, model.term, partition.clone(), Question::MULTI_PREFIX, limits)
}

fn skew(size: Size, targets: &mut Targets) {
    println!("\n## One log far behind\n");
    println!("The last component of each model arrives 10⁵ events later than the others.\n");
    head("model", COLUMNS);
    let (mut worst, mut all_right) = (0.0_f64, true);
    for (name, text) in LOOPS {
        let model = Model::of_interaction(text);
        let partition = model.discrete();
        let Some(mut stream) = Stream::new(&model, &partition, 1) else { continue };
        stream.late = Some((partition.len() - 1, 100_000));
        let run =
            Run::new(&mut live(&model, &partition), &mut stream, size.pick(1, 10) * 1_000_000);
        run.print(name);
        worst = worst.max(run.mean());
        all_right &= run.is_right();
    }
    targets.add(
        "a log 10⁵ events behind, loops in sequence",
        "≤ 100 ns an event",
        format!("{worst:.0} ns"),
        worst <= 100.0 && all_right,
    );
}

fn endless(size: Size, targets: &mut Targets) {
    println!("\n## A group without end\n");
    head("model", COLUMNS);
    let (mut worst, mut all_right, mut most) = (0.0_f64, true, 0);
    for (name, text) in LOOPS {
        let model = Model::of_interaction(text);
        let partition = model.discrete();
        let Some(mut stream) = Stream::new(&model, &partition, 1) else { continue };
        let events = size.pick(10_000_000, 100_000_000);
        let run = Run::new(&mut live(&model, &partition), &mut stream, events);
        run.print(name);
        worst = worst.max(run.mean());
        most = most.max(run.group + run.tables);
        all_right &= run.is_right();
    }
    targets.add(
        "an endless group, loops in sequence",
        "≤ 100 ns an event, ≤ 1 MB",
        format!("{worst:.0} ns, {:.0} kB", number(most) / 1e3),
        worst <= 100.0 && all_right && most <= 1_000_000,
    );
}

fn sessions(size: Size, targets: &mut Targets) {
    println!("\n## Parallel sessions\n");
    head("model, sessions in flight", COLUMNS);
    let mut all_right = true;
    for (name, text) in SESSIONS {
        for flight in [1, 10, 100] {
            let model = Model::of_interaction(text);
            let partition = model.discrete();
            let Some(mut stream) = Stream::new(&model, &partition, flight) else { continue };
            let events = size.pick(100_000, 1_000_000);
            let run = Run::new(&mut live(&model, &partition), &mut stream, events);
            run.print(&format!("{name}, {flight}"));
            all_right &= run.is_right();
        }
    }
    let measured = if all_right { "all" } else { "not all" };
    targets.add("parallel sessions in flight", "all decided", measured, all_right);
}

fn groups(size: Size, targets: &mut Targets) {
    println!("\n## Many groups at once\n");
    println!(
        "All groups are open; the events of each group arrive one by one, a random group at a time.\n"
    );
    head(
        "model",
        "groups | events | ns/event | ns/group closed | bytes a group | tables kB | peak +MB",
    );
    let count = size.pick(100_000, 1_000_000);
    let mut worst = 0.0_f64;
    for (name, text) in LOOPS {
        let model = Model::of_interaction(text);
        let partition = model.discrete();
        let mut rng = fastrand::Rng::with_seed(SEED);
        // Each group has one of some executions.
        let executions: Vec<Vec<(usize, ActionId)>> = (0..64)
            .filter_map(|seed| {
                let mut stream = Stream::new(&model, &partition, 1)?;
                stream.rng = fastrand::Rng::with_seed(seed);
                let block = stream.block();
                Some(block.into_iter().take(20).collect())
            })
            .collect();
        let before = reset_peak();
        let mut live = live(&model, &partition);
        let all: Vec<GroupId> = (0..count).map(|_| live.open()).collect();
        let mut fed = vec![0_u8; count];
        let chosen: Vec<usize> = (0..10 * count).map(|_| rng.usize(..count)).collect();
        let mut events = 0;
        let start = ThreadTime::now();
        for &group in &chosen {
            let next = executions[group % 64].get(usize::from(fed[group]));
            if let Some(&(component, action)) = next {
                live.push(all[group], ComponentId::new(component), &[action]);
                fed[group] += 1;
                events += 1;
            }
        }
        let mean = nanoseconds(start.elapsed()) / number(events);
        let (bytes, tables) = (live.group_bytes(), live.table_bytes());
        let peak = peak_bytes().zip(before).map(|(peak, before)| peak.saturating_sub(before));
        let start = ThreadTime::now();
        for group in all {
            live.close(group);
        }
        let closing = nanoseconds(start.elapsed()) / number(count);
        println!(
            "| {name} | {} | {} | {mean:.0} | {closing:.0} | {:.0} | {:.1} | {} |",
            number(count),
            number(events),
            number(bytes) / number(count),
            number(tables) / 1e3,
            peak.map_or("–".to_owned(), |peak| format!(
                "{:.1}",
                number(usize::try_from(peak).unwrap_or(0)) / 1e6
            )),
        );
        worst = worst.max(mean);
    }
    targets.add(
        "many groups at once",
        "≤ 1 µs an event",
        format!("{worst:.0} ns"),
        worst <= 1000.0,
    );
}
