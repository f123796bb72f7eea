//! Times of many analyses.
//!
//! The processor time of this thread leaves out other processes, but reading it takes longer than a small analysis. So
//! sums of many analyses are processor time, and the times of single ones are by the wall clock.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

use otus_analysis::graph::{Silent, analyze};
use otus_analysis::{Config, Engine, Question, Verdict};
use otus_trace::MultiTrace;

use otus_papers::statistics::number;
use otus_papers::workload::Model;

use super::Size;
use crate::measure::{head, nanoseconds, show};

#[derive(Debug, Clone, Default)]
pub(super) struct Times {
    nanoseconds: Vec<u64>,
    pub(super) total: Duration,
    pub(super) verdicts: Vec<Verdict>,
}

impl Times {
    pub(super) fn push(&mut self, elapsed: Duration, verdict: Verdict) {
        self.note(elapsed, verdict);
        self.total += elapsed;
    }

    /// Adds an analysis whose time is part of a total that is added later.
    fn note(&mut self, elapsed: Duration, verdict: Verdict) {
        self.nanoseconds.push(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX));
        self.verdicts.push(verdict);
    }

    pub(super) fn extend(&mut self, other: &Times) {
        self.nanoseconds.extend(&other.nanoseconds);
        self.verdicts.extend(&other.verdicts);
        self.total += other.total;
    }

    /// Adds time to the first analysis, such as that of making the engine.
    pub(super) fn add_to_first(&mut self, elapsed: Duration) {
        if let Some(first) = self.nanoseconds.first_mut() {
            *first += u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        }
        self.total += elapsed;
    }

    pub(super) fn len(&self) -> usize {
        self.verdicts.len()
    }

    /// The longest time in nanoseconds, and the index of its analysis.
    pub(super) fn slowest(&self) -> (f64, usize) {
        let numbered = self.nanoseconds.iter().enumerate();
        let slowest = numbered.max_by_key(|(_, time)| **time);
        slowest.map_or((0.0, 0), |(at, &time)| (nanoseconds(Duration::from_nanos(time)), at))
    }

    /// The mean time in nanoseconds; 0 without any analysis.
    pub(super) fn mean(&self) -> f64 {
        nanoseconds(self.total) / number(self.len().max(1))
    }

    /// The quantile, in nanoseconds, of a number of thousandths.
    pub(super) fn quantile(&self, of_thousand: usize) -> f64 {
        let mut sorted = self.nanoseconds.clone();
        sorted.sort_unstable();
        let at = (sorted.len() * of_thousand / 1000).min(sorted.len().saturating_sub(1));
        sorted.get(at).map_or(0.0, |&value| nanoseconds(Duration::from_nanos(value)))
    }

    pub(super) fn max(&self) -> f64 {
        self.quantile(1000)
    }

    pub(super) fn count(&self, verdict: Verdict) -> usize {
        self.verdicts.iter().filter(|&&found| found == verdict).count()
    }

    pub(super) fn undecided(&self) -> usize {
        self.count(Verdict::Inconclusive)
    }

    /// The cells of a row under [`print_head`]: the number of analyses, times, and verdicts.
    pub(super) fn cells(&self) -> String {
        format!(
            "{} | {} | {} | {} | {} | {} | {} | {} | {} | {}",
            self.len(),
            show(nanoseconds(self.total)),
            show(self.mean()),
            show(self.quantile(500)),
            show(self.quantile(990)),
            show(self.max()),
            self.count(Verdict::Pass),
            self.count(Verdict::WeakPass),
            self.count(Verdict::Fail),
            self.undecided()
        )
    }
}

/// Prints the head of a table with [`Times::cells`] between some columns and others.
pub(super) fn print_head(before: &str, after: &[&str]) {
    let cells =
        "multi-traces | total | mean | p50 | p99 | max | Pass | WeakPass | Fail | undecided";
    println!();
    head(before, &[&[cells][..], after].concat().join(" | "));
}

/// Analyses multi-traces with one engine, within the time limit of a table.
pub(super) fn analyse<'t>(
    engine: &mut Engine,
    traces: impl IntoIterator<Item = &'t MultiTrace>,
    question: &Question,
    size: Size,
) -> Times {
    analyse_up_to(Verdict::Pass, engine, traces, question, size)
}

/// Analyses multi-traces up to a goal: a verdict at least as good ends an analysis.
pub(super) fn analyse_up_to<'t>(
    goal: Verdict,
    engine: &mut Engine,
    traces: impl IntoIterator<Item = &'t MultiTrace>,
    question: &Question,
    size: Size,
) -> Times {
    let mut times = Times::default();
    let begin = Instant::now();
    let mut traces = traces.into_iter();
    let mut readings = 0;
    'all: loop {
        let batch: Vec<&MultiTrace> = traces.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        std::hint::black_box(batch.iter().map(|trace| read(trace)).sum::<u64>());
        let clock = ThreadTime::now();
        // One reading of the clock for each analysis: the end of one is the start of the next.
        let mut last = Instant::now();
        for trace in batch {
            let budget = size.budget(trace);
            let verdict = engine.analyze_up_to(goal, trace, question, &budget).verdict;
            let now = Instant::now();
            let elapsed = now - last;
            last = now;
            readings += 1;
            times.note(elapsed, verdict);
            // An engine that overran its own budget is not used again.
            let overrun = budget.timeout.is_some_and(|most| elapsed > most + most / 4);
            if overrun || now - begin > size.table_limit() {
                times.total += clock.elapsed();
                break 'all;
            }
        }
        times.total += clock.elapsed();
    }
    times.total = times.total.saturating_sub(clock_reading() * readings);
    times
}

/// The number of multi-traces that are touched before they are analysed, outside the timing.
const BATCH: usize = 64;

/// Reads a multi-trace, which brings it into the cache. All multi-traces are made before the first is analysed and have
/// left the cache by then, unlike one that was just read from a file, as in the measurements of `hibou_label`.
fn read(trace: &MultiTrace) -> u64 {
    let components = trace.partition().components();
    let steps = components.flat_map(|component| trace.steps(component));
    steps.map(|step| u64::from(step.action().0)).sum()
}

/// The time that reading the wall clock takes, which is no part of an analysis.
fn clock_reading() -> Duration {
    const READINGS: u32 = 1000;
    let batch = || {
        let start = ThreadTime::now();
        for _ in 0..READINGS {
            std::hint::black_box(Instant::now());
        }
        start.elapsed() / READINGS
    };
    (0..5).map(|_| batch()).min().unwrap_or_default()
}

/// Analyses multi-traces by one of the papers' searches, each with a fresh copy of the pool, which is not timed.
pub(super) fn search<'t>(
    model: &Model,
    traces: impl IntoIterator<Item = &'t MultiTrace>,
    config: &Config,
    time_limit: Duration,
) -> Times {
    let mut times = Times::default();
    let begin = Instant::now();
    for trace in traces {
        let mut pool = model.pool.clone();
        let start = ThreadTime::now();
        let Ok(outcome) = analyze(&mut pool, model.term, trace, config, &mut Silent) else {
            continue;
        };
        times.push(start.elapsed(), outcome.verdict);
        if begin.elapsed() > time_limit {
            break;
        }
    }
    times
}
