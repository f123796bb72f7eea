//! Analyses of a set of multi-traces, and what is told of them: verdicts, times and nodes.

use std::time::{Duration, Instant};

use otus_analysis::config::Config;
use otus_analysis::graph::{Silent, analyze};
use otus_analysis::{Verdict, certify};
use otus_trace::MultiTrace;

use super::model::Model;
use super::progress::Progress;

/// A set of multi-traces of one origin.
pub(crate) struct Class {
    pub(crate) name: &'static str,
    pub(crate) traces: Vec<MultiTrace>,
    /// Whether all of them are right, so that none may fail.
    pub(crate) right: bool,
}

/// What is known of an analysed set.
pub(super) struct Analysed {
    name: &'static str,
    right: bool,
    lengths: Vec<f64>,
    verdicts: Vec<Verdict>,
    times: Vec<f64>,
    nodes: Vec<f64>,
}

/// Analyses a set of multi-traces; each time is the median of so many tries.
///
/// Every analysis begins with the pool as it was read, so that none profits from another; copying
/// the pool is not timed. Every explanation is certified, which is not timed either.
pub(super) fn analyse(model: &Model, class: &Class, config: &Config, tries: usize) -> Analysed {
    let mut analysed = Analysed {
        name: class.name,
        right: class.right,
        lengths: Vec::new(),
        verdicts: Vec::new(),
        times: Vec::new(),
        nodes: Vec::new(),
    };
    let progress = Progress::new();
    for (done, trace) in class.traces.iter().enumerate() {
        progress.show(class.name, done, class.traces.len());
        let mut times = Vec::with_capacity(tries);
        for attempt in 0..tries {
            let mut pool = model.pool.clone();
            let start = Instant::now();
            let outcome = analyze(&mut pool, model.term, trace, config, &mut Silent)
                .expect("the kind of analysis fits the partition");
            times.push(milliseconds(start.elapsed()));
            if attempt > 0 {
                continue;
            }
            if let Some(witness) = &outcome.witness {
                let claim = (config.kind, outcome.verdict);
                certify::certify(&mut pool, model.term, trace, claim, witness)
                    .expect("an explanation holds");
            }
            analysed.verdicts.push(outcome.verdict);
            analysed.nodes.push(number(outcome.nodes));
            analysed.lengths.push(number(trace.len() as u64));
        }
        analysed.times.push(Statistics::of(&times).median);
    }
    analysed
}

/// Prints what was found, as two tables.
pub(super) fn print(sets: &[Analysed]) {
    println!();
    println!(
        "| set | multi-traces | mean length | Pass | WeakPass | Fail | WeakFail | undecided |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for set in sets {
        let count = |verdict| set.verdicts.iter().filter(|&&found| found == verdict).count();
        println!(
            "| {} | {} | {:.1} | {} | {} | {} | {} | {} |",
            set.name,
            set.verdicts.len(),
            Statistics::of(&set.lengths).mean,
            count(Verdict::Pass),
            count(Verdict::WeakPass),
            count(Verdict::Fail),
            count(Verdict::WeakFail),
            count(Verdict::Inconclusive),
        );
    }
    println!();
    print_statistics_head("set");
    for set in sets {
        Statistics::of(&set.times).print(&format!("{} time", set.name), 3);
    }
    for set in sets {
        Statistics::of(&set.nodes).print(&format!("{} nodes", set.name), 0);
    }
    for set in sets.iter().filter(|set| set.right) {
        let failed = set.verdicts.iter().filter(|&&verdict| verdict == Verdict::Fail).count();
        if failed > 0 {
            println!();
            println!("**{failed} of {} fail, and none may: this is a bug.**", set.name);
        }
    }
}

/// The first lines of a table of [`Statistics`].
pub(super) fn print_statistics_head(first: &str) {
    println!("| {first} | min | q1 | median | mean | q3 | max |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
}

/// What the papers tell of a set of numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Statistics {
    min: f64,
    q1: f64,
    median: f64,
    mean: f64,
    q3: f64,
    max: f64,
}

impl Statistics {
    /// Quartiles between two values are interpolated; all are zero without values.
    pub(super) fn of(values: &[f64]) -> Statistics {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else {
            return Statistics::default();
        };
        let last = sorted.len() - 1;
        let quartile = |quarters: usize| {
            let (below, rest) = (last * quarters / 4, last * quarters % 4);
            let above = sorted[(below + 1).min(last)];
            sorted[below] + (above - sorted[below]) * number(rest as u64) / 4.0
        };
        let mean = sorted.iter().sum::<f64>() / number(sorted.len() as u64);
        Statistics { min, q1: quartile(1), median: quartile(2), mean, q3: quartile(3), max }
    }

    /// The middle one.
    pub(super) fn median(&self) -> f64 {
        self.median
    }

    /// One row.
    pub(super) fn print(&self, name: &str, digits: usize) {
        let cells = [self.min, self.q1, self.median, self.mean, self.q3, self.max]
            .map(|value| format!("{value:.digits$}"));
        println!("| {name} | {} |", cells.join(" | "));
    }
}

/// In milliseconds.
pub(super) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A count as a number to calculate with.
#[expect(clippy::cast_precision_loss, reason = "counts here are far below 2⁵²")]
pub(super) fn number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "quarters are exact")]
    fn quartiles_are_interpolated() {
        let values = |s: Statistics| [s.min, s.q1, s.median, s.mean, s.q3, s.max];
        assert_eq!(values(Statistics::of(&[])), [0.0; 6]);
        assert_eq!(values(Statistics::of(&[7.0])), [7.0; 6]);
        assert_eq!(values(Statistics::of(&[4.0, 1.0, 3.0, 2.0])), [1.0, 1.75, 2.5, 2.5, 3.25, 4.0]);
        assert_eq!(
            values(Statistics::of(&[5.0, 4.0, 3.0, 2.0, 1.0])),
            [1.0, 2.0, 3.0, 3.0, 4.0, 5.0]
        );
    }
}
