//! Times of many analyses.
//!
//! The machine may have other work, so what counts is the time of this thread on a processor. Asking for
//! that takes longer than a small analysis does; so where there are many of these, their sum is by that
//! clock, and what is said of single ones by the ordinary clock.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

use otus_analysis::graph::{Silent, analyze};
use otus_analysis::{Config, Engine, Question, Verdict};
use otus_trace::MultiTrace;

use super::Size;
use otus_papers::workload::Model;

/// What is known of many analyses.
#[derive(Debug, Clone, Default)]
pub(super) struct Times {
    nanoseconds: Vec<u64>,
    total: Duration,
    pub(super) verdicts: Vec<Verdict>,
}

impl Times {
    /// Adds one.
    pub(super) fn push(&mut self, elapsed: Duration, verdict: Verdict) {
        self.note(elapsed, verdict);
        self.total += elapsed;
    }

    /// Adds one whose time is part of a sum that is added later.
    fn note(&mut self, elapsed: Duration, verdict: Verdict) {
        self.nanoseconds.push(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX));
        self.verdicts.push(verdict);
    }

    pub(super) fn extend(&mut self, other: &Times) {
        self.nanoseconds.extend(&other.nanoseconds);
        self.verdicts.extend(&other.verdicts);
        self.total += other.total;
    }

    /// Adds what was done before the first.
    pub(super) fn add_to_first(&mut self, elapsed: Duration) {
        if let Some(first) = self.nanoseconds.first_mut() {
            *first += u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        }
        self.total += elapsed;
    }

    /// How many analyses.
    pub(super) fn len(&self) -> usize {
        self.verdicts.len()
    }

    pub(super) fn total(&self) -> Duration {
        self.total
    }

    /// The longest time, and which it was.
    pub(super) fn slowest(&self) -> (f64, usize) {
        let numbered = self.nanoseconds.iter().enumerate();
        let slowest = numbered.max_by_key(|(_, time)| **time);
        slowest.map_or((0.0, 0), |(at, &time)| (nanoseconds(Duration::from_nanos(time)), at))
    }

    /// Nanoseconds for one, on average; 0 without any.
    pub(super) fn mean(&self) -> f64 {
        nanoseconds(self.total()) / number(self.len().max(1))
    }

    /// The time that so many of a thousand do not exceed.
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

    /// How many have no answer.
    pub(super) fn undecided(&self) -> usize {
        self.count(Verdict::Inconclusive)
    }

    /// The first cells of a row: how many, how long.
    pub(super) fn cells(&self) -> String {
        format!(
            "{} | {} | {} | {} | {} | {} | {} | {} | {} | {}",
            self.len(),
            show(nanoseconds(self.total())),
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

/// The head of a table with [`Times::cells`], after some columns and before others.
pub(super) fn print_head(before: &str, after: &[&str]) {
    let cells = [
        "multi-traces",
        "total",
        "mean",
        "p50",
        "p99",
        "max",
        "Pass",
        "WeakPass",
        "Fail",
        "undecided",
    ];
    let all: Vec<&str> = cells.iter().chain(after).copied().collect();
    println!();
    println!("| {before} | {} |", all.join(" | "));
    println!("|{}{}", "---|".repeat(before.split('|').count()), "--:|".repeat(all.len()));
}

/// Analyses multi-traces with one engine until patience ends.
pub(super) fn analyse<'t>(
    engine: &mut Engine,
    traces: impl IntoIterator<Item = &'t MultiTrace>,
    question: &Question,
    size: Size,
) -> Times {
    analyse_up_to(Verdict::Pass, engine, traces, question, size)
}

/// The same with another goal.
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
    let mut looks = 0;
    'all: loop {
        let batch: Vec<&MultiTrace> = traces.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        std::hint::black_box(batch.iter().map(|trace| read(trace)).sum::<u64>());
        let clock = ThreadTime::now();
        // One look at the clock for each: where one ends the next begins.
        let mut last = Instant::now();
        for trace in batch {
            let budget = size.budget(trace);
            let verdict = engine.analyze_up_to(goal, trace, question, &budget).verdict;
            let now = Instant::now();
            let elapsed = now - last;
            last = now;
            looks += 1;
            times.note(elapsed, verdict);
            // An engine that overran its own budget is not asked again.
            let overrun = budget.timeout.is_some_and(|most| elapsed > most + most / 4);
            if overrun || now - begin > size.patience() {
                times.total += clock.elapsed();
                break 'all;
            }
        }
        times.total += clock.elapsed();
    }
    times.total = times.total.saturating_sub(look() * looks);
    times
}

/// How many multi-traces are read before they are analysed, outside the clock.
const BATCH: usize = 64;

/// Reads a multi-trace. All of them are made before the first is analysed and are far away in memory by
/// then, other than one that was just read from a file, like those whose analysis the peer measures.
fn read(trace: &MultiTrace) -> u64 {
    let components = trace.partition().components();
    let steps = components.flat_map(|component| trace.steps(component));
    steps.map(|step| u64::from(step.action().0)).sum()
}

/// What a look at the ordinary clock takes, which is no part of an analysis.
fn look() -> Duration {
    const LOOKS: u32 = 1000;
    let batch = || {
        let start = ThreadTime::now();
        for _ in 0..LOOKS {
            std::hint::black_box(Instant::now());
        }
        start.elapsed() / LOOKS
    };
    (0..5).map(|_| batch()).min().unwrap_or_default()
}

/// The same by one of the papers' searches, each with a fresh copy of the pool, which is not timed.
pub(super) fn search<'t>(
    model: &Model,
    traces: impl IntoIterator<Item = &'t MultiTrace>,
    config: &Config,
    patience: Duration,
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
        if begin.elapsed() > patience {
            break;
        }
    }
    times
}

/// A time in a unit that suits it.
pub(crate) fn show(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        small if small < 1e3 => (small, "ns"),
        small if small < 1e6 => (small / 1e3, "µs"),
        small if small < 1e9 => (small / 1e6, "ms"),
        large => (large / 1e9, "s"),
    };
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {unit}")
}

/// A ratio, to two digits or so.
pub(crate) fn times(ratio: f64) -> String {
    match ratio {
        none if !none.is_finite() => "–".to_owned(),
        small if small < 10.0 => format!("{small:.1}×"),
        large => format!("{large:.0}×"),
    }
}

/// In nanoseconds.
pub(crate) fn nanoseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

/// A count as a number to calculate with.
#[expect(clippy::cast_precision_loss, reason = "counts here are far below 2⁵²")]
pub(crate) fn number(count: usize) -> f64 {
    count as f64
}
