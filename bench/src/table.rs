//! Tables: many runs as rows, through the checker of the library.
//!
//! The runs are accepted ones of `sensor`, some with an event missing, repeated until there are enough events. Lifelines and
//! actions are dictionaries, runs are numbers, as an engine for tables has them after it has encoded its columns. Each
//! measurement runs in a child process, which makes the rows in batches while it pushes them, so that its peak memory
//! is that of the checker. Making the rows is measured by itself and subtracted.

pub(crate) mod files;

use std::time::Duration;

use cpu_time::ThreadTime;
use otus::generate::{GenerateRequest, generate};
use otus::table::{Batch, Checker, CheckerOptions, Texts};
use otus::{Context, Item, Spec, Verdict};

use crate::measure::{head, in_child, peak_bytes, reset_peak};
use crate::size::Size;

const SENSOR: [&str; 2] =
    [include_str!("../models/sensor.hsf"), include_str!("../models/sensor.hif")];

/// The ways in which rows stand in the table, and what is done to them.
const PARTS: [&str; 5] = ["grouped", "scattered", "spilled", "one", "parquet"];

pub(crate) fn run(size: Size, parts: &[String]) {
    println!("\n## Tables\n");
    println!(
        "Rows of runs of `sensor`, one thread, without explanations; `one` is a single run. `cases` and `parquet` read the same \
         runs from files, on all threads; the time is that of all of them.\n"
    );
    head("rows", "events | runs | failures | ns per event | MB beside the dictionaries");
    for part in PARTS.into_iter().filter(|it| parts.is_empty() || parts.iter().any(|own| own == it))
    {
        let events = match part {
            "one" => size.pick(10_000_000, 100_000_000),
            _ => size.pick(2_000_000, 10_000_000),
        };
        if part == "parquet" {
            files::run(events);
            continue;
        }
        match in_child(["table-once", part, &events.to_string()]) {
            Some(text) if !text.is_empty() => print!("{text}"),
            _ => println!("| {part} | {events} | – | – | – | – |"),
        }
    }
}

/// Measures one part, and prints its row.
pub(crate) fn once(part: &str, events: usize) {
    let Some(source) = Source::new(part, events) else { return };
    let start = ThreadTime::now();
    let mut rows = Rows::default();
    let mut sum = 0_usize;
    source.each(&mut rows, &mut |rows| sum += rows.run.len());
    let making = start.elapsed();
    drop(rows);
    let before = reset_peak();
    let start = ThreadTime::now();
    let Some(Found { runs, failures }) = source.check(part) else { return };
    let elapsed = start.elapsed().saturating_sub(making);
    let peak =
        before.zip(peak_bytes()).map(|(before, peak)| peak.saturating_sub(before) / 1_000_000);
    let peak = peak.map_or("–".to_owned(), |peak| peak.to_string());
    println!("| {part} | {sum} | {runs} | {failures} | {:.0} | {peak} |", each(elapsed, sum));
}

#[expect(clippy::cast_precision_loss, reason = "a time to two digits")]
fn each(elapsed: Duration, events: usize) -> f64 {
    elapsed.as_secs_f64() * 1e9 / events as f64
}

/// The rows of a batch.
#[derive(Default)]
struct Rows {
    run: Vec<Option<i64>>,
    lifeline: Vec<Option<u32>>,
    action: Vec<Option<u32>>,
    order: Vec<Option<i64>>,
}

/// An event: the keys of its lifeline and action.
type Event = (u32, u32);

struct Source {
    spec: Spec,
    lifelines: Vec<String>,
    actions: Vec<String>,
    /// Different runs.
    runs: Vec<Vec<Event>>,
    /// The number of runs in the table, and whether all their events belong to one.
    count: usize,
    is_one: bool,
    is_scattered: bool,
}

struct Found {
    runs: usize,
    failures: usize,
}

/// The number of rows of a batch.
const BATCH: usize = 1 << 16;

impl Source {
    fn new(part: &str, events: usize) -> Option<Source> {
        let [signature, interaction] = SENSOR;
        let files =
            otus::Texts::default().with("sensor.hsf", signature).with("sensor.hif", interaction);
        let context = Context::default().with_files(files);
        let names = vec!["sensor.hsf".to_owned(), "sensor.hif".to_owned()];
        let spec = Spec::open(&context, &names).ok()?;
        let request = GenerateRequest {
            names,
            from: None,
            partition: None,
            max_length: 60,
            count: 200,
            seed: 7,
        };
        let is_one = part == "one";
        let is_scattered = part == "scattered" || part == "spilled";
        let (lifelines, actions, runs) = (Vec::new(), Vec::new(), Vec::new());
        let mut source = Source { spec, lifelines, actions, runs, count: 0, is_one, is_scattered };
        generate(&context, &request, &mut |made| {
            let events = source.events(&made.line());
            source.runs.push(events);
            Ok(())
        })
        .ok()?;
        if !is_one {
            // Every tenth run lacks an event.
            for run in source.runs.iter_mut().step_by(10) {
                run.pop();
            }
        }
        let length: usize = source.runs.iter().map(Vec::len).sum();
        source.count = events * source.runs.len() / length.max(1);
        Some(source)
    }

    /// The events of a text such as `{[a] a!m.a?n; [b] b?m}`.
    fn events(&mut self, text: &str) -> Vec<Event> {
        let mut events = Vec::new();
        for log in text.trim_matches(['{', '}']).split(';') {
            let Some((head, actions)) = log.split_once(']') else { continue };
            let lifeline = head.trim().trim_start_matches('[');
            for action in actions.trim().split('.').filter(|it| !it.is_empty()) {
                let action = &action[lifeline.len()..];
                let key = (key(&mut self.lifelines, lifeline), key(&mut self.actions, action));
                events.push(key);
            }
        }
        events
    }

    /// Makes all rows, batch by batch. Scattered runs take turns, a thousand at a time.
    fn each(&self, rows: &mut Rows, take: &mut dyn FnMut(&Rows)) {
        const OPEN: usize = 1000;
        let mut order = 0_i64;
        let open = if self.is_scattered { OPEN } else { 1 };
        for first in (0..self.count).step_by(open) {
            let some = first..(first + open).min(self.count);
            let longest = self.runs.iter().map(Vec::len).max().unwrap_or(0);
            for at in 0..longest {
                for number in some.clone() {
                    let run = &self.runs[number % self.runs.len()];
                    let Some(&(lifeline, action)) = run.get(at) else { continue };
                    let name = if self.is_one { 0 } else { number };
                    rows.run.push(i64::try_from(name).ok());
                    rows.lifeline.push(Some(lifeline));
                    rows.action.push(Some(action));
                    order += 1;
                    rows.order.push(Some(order));
                    if rows.run.len() == BATCH {
                        take(rows);
                        rows.run.clear();
                        rows.lifeline.clear();
                        rows.action.clear();
                        rows.order.clear();
                    }
                }
            }
        }
        take(rows);
    }

    fn check(&self, part: &str) -> Option<Found> {
        let options = match part {
            "grouped" | "one" => CheckerOptions::grouped(),
            "scattered" => CheckerOptions::scattered(),
            _ => CheckerOptions::scattered().memory(16 << 20),
        };
        let mut checker = Checker::new(&self.spec, options).ok()?;
        let [lifelines, actions] = [&self.lifelines, &self.actions]
            .map(|texts| texts.iter().map(|text| Some(text.as_str())).collect::<Vec<_>>());
        let mut found = Found { runs: 0, failures: 0 };
        let mut is_right = true;
        self.each(&mut Rows::default(), &mut |rows| {
            let mut batch = Batch::new(
                Texts::Numbers(&rows.run),
                Texts::Keys { keys: &rows.lifeline, texts: &lifelines },
                Texts::Keys { keys: &rows.action, texts: &actions },
            );
            batch.order = Some(&rows.order);
            match checker.push(&batch) {
                Ok(answers) => answers.iter().for_each(|answer| found.add(answer)),
                Err(_) => is_right = false,
            }
        });
        for answer in checker.finish().ok()? {
            found.add(&answer.ok()?);
        }
        is_right.then_some(found)
    }
}

impl Found {
    fn add(&mut self, answer: &Item<otus::Case>) {
        if let Item::Case(case) = answer {
            self.runs += 1;
            self.failures += usize::from(case.verdict == Verdict::Fail);
        }
    }
}

/// The key of a text in a dictionary.
fn key(dictionary: &mut Vec<String>, text: &str) -> u32 {
    let known = dictionary.iter().position(|own| own == text).unwrap_or_else(|| {
        dictionary.push(text.to_owned());
        dictionary.len() - 1
    });
    u32::try_from(known).unwrap_or(u32::MAX)
}
