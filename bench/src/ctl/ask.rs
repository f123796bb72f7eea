//! One formula asked of one trace, and how long that took.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use otus_core::budget::{Budget, Stop};
use otus_ctl::interval::BigUint;
use otus_ctl::ist::Closure;
use otus_ctl::{Answer, Checker, Engine, Formulas, Lowered, Options, lower};
use otus_syntax::{Source, parse_formulas};
use otus_trace::order::PartialOrder;

use crate::engine::timing::{nanoseconds, show};

/// A way to check.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub(super) name: &'static str,
    engine: Engine,
    slice: bool,
    closure: Closure,
    /// How long it may take.
    patience: Duration,
}

impl Way {
    pub(super) const AUTO: Way = Way {
        name: "auto",
        engine: Engine::Auto,
        slice: true,
        closure: Closure::Downward,
        patience: LONG,
    };
    pub(super) const INTERVAL: Way =
        Way { name: "interval", engine: Engine::Interval, ..Way::AUTO };
    pub(super) const WHOLE: Way =
        Way { name: "interval, all events", slice: false, ..Way::INTERVAL };
    /// One cut after the other, of the whole trace.
    pub(super) const EXPLICIT: Way = Way {
        name: "explicit, all events",
        engine: Engine::Explicit,
        patience: SHORT,
        ..Way::WHOLE
    };
    /// What the paper does, on the whole trace as it does.
    pub(super) const IST: Way =
        Way { name: "ist, all events", engine: Engine::Ist, ..Way::EXPLICIT };
    /// The same with EF and AG as fixpoints.
    pub(super) const FIXPOINT: Way =
        Way { name: "ist, fixpoints", closure: Closure::Fixpoint, ..Way::IST };

    /// With as much time as that.
    pub(super) fn patient(self, patience: Duration) -> Way {
        Way { patience, ..self }
    }
}

const LONG: Duration = Duration::from_secs(30);
const SHORT: Duration = Duration::from_secs(3);

/// The bytes that a diagram may take.
const BYTES: u64 = 2 << 30;

/// What came of it.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) time: Duration,
    pub(super) answer: Result<Answer, Stop>,
}

impl Asked {
    /// The time, or why there is no answer.
    pub(super) fn cell(&self) -> String {
        match &self.answer {
            Ok(_) => show(nanoseconds(self.time)),
            Err(stop) => why(*stop).to_owned(),
        }
    }

    /// The answer in a word.
    pub(super) fn holds(&self) -> &'static str {
        match &self.answer {
            Ok(Answer { holds: true, .. }) => "yes",
            Ok(Answer { holds: false, .. }) => "no",
            Err(stop) => why(*stop),
        }
    }

    /// Milliseconds, if there is an answer.
    pub(super) fn milliseconds(&self) -> Option<f64> {
        self.answer.as_ref().ok().map(|_| self.time.as_secs_f64() * 1e3)
    }
}

/// A bound in a word.
pub(super) fn why(stop: Stop) -> &'static str {
    match stop {
        Stop::States => "nodes",
        Stop::Memory => "memory",
        Stop::Time => "time",
        Stop::Cancelled => "cancelled",
        Stop::Exhausted | Stop::Goal => "done",
    }
}

/// Formulas over a trace.
///
/// # Panics
/// If they are wrong.
pub(super) fn formulas(trace: &PartialOrder, text: &str) -> Lowered {
    let parsed = parse_formulas(&Source::new("bench.ctl", text));
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    let lowered = lower(&parsed.tree, trace);
    assert!(lowered.diagnostics.is_empty(), "{text}: {:?}", lowered.diagnostics);
    lowered
}

/// Checks a formula: the best of some runs, each with nothing known before. What counts is everything from the
/// trace and the resolved formula to the answer, in processor time.
pub(super) fn ask(trace: &PartialOrder, text: &str, way: Way) -> Asked {
    let lowered = formulas(trace, text);
    let formula = lowered.properties[0].formula;
    let one = || {
        let known = lowered.formulas.clone();
        let options = Options {
            engine: way.engine,
            slice: way.slice,
            closure: way.closure,
            budget: Budget {
                max_bytes: Some(BYTES),
                deadline: Some(Instant::now() + way.patience),
                ..Budget::default()
            },
            ..Options::default()
        };
        let start = ThreadTime::now();
        let answer = Checker::new(trace, known).check(formula, &options);
        Asked { time: start.elapsed(), answer }
    };
    let mut best = one();
    for _ in 0..9 {
        if best.time > Duration::from_millis(200) {
            break;
        }
        let next = one();
        if next.time < best.time {
            best = next;
        }
    }
    best
}

/// How many cuts a trace has, unless there is no room or time to count them.
pub(super) fn cuts(trace: &PartialOrder) -> Result<BigUint, Stop> {
    let options = Options {
        budget: Budget {
            max_bytes: Some(BYTES),
            deadline: Some(Instant::now() + LONG),
            ..Budget::default()
        },
        ..Options::default()
    };
    let mut checker = Checker::new(trace, Formulas::default());
    checker.count(Formulas::TRUE, &options).map(|counts| counts.cuts)
}

/// A number of cuts, short.
pub(super) fn short(cuts: &Result<BigUint, Stop>) -> String {
    match cuts {
        Ok(cuts) => match cuts.to_string() {
            few if few.len() <= 5 => few,
            many => format!("{:.1e}", many.parse().unwrap_or(f64::INFINITY)),
        },
        Err(stop) => why(*stop).to_owned(),
    }
}
