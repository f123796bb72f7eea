//! Growth: models of different shapes, with logs whose length doubles five times.
//!
//! A session is a script of actions that happen one after the other, each after a delay. Sessions begin at equal distances
//! and overlap. The exponent is the slope of the line through the logarithms of length and time: 1 if the time
//! is proportional to the length.

use std::ops::Range;

use cpu_time::ThreadTime;
use otus_analysis::budget::Budget;
use otus_analysis::values::{Clocks, ValueEngine};
use otus_analysis::{Question, Verdict};
use otus_core::index::Index as _;
use otus_core::{Action, Direction, Pool, Value, Valued, lower};
use otus_papers::statistics::number;
use otus_syntax::{Source, SourceId, parse_spec};
use otus_trace::multitrace::{Builder, ComponentId};
use otus_trace::{Facts, MultiTrace, Partition};

use crate::measure::{Point, exponent};
use crate::size::Size;
use crate::targets::Targets;

/// A model, and how its logs are made.
pub(super) struct Shape {
    pub(super) name: &'static str,
    model: &'static str,
    /// The actions of one session, in order.
    script: &'static [&'static str],
    /// The fields that every event carries, and which number of the session it is.
    fields: &'static [(&'static str, Id)],
    /// The actions before the first session of an outer number, and those after the last one.
    frame: [&'static [&'static str]; 2],
    /// Whether delays vary, so that sessions overtake each other.
    overtakes: bool,
}

/// A number of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Id {
    /// Its own.
    Own,
    /// That of one of a thousand, used again and again.
    Reused,
    /// The same for the sessions of a hundred.
    Outer,
    /// The same for all sessions.
    All,
    /// Always 200.
    Status,
}

pub(super) const SHAPES: [Shape; 11] = [
    Shape {
        name: "constants, one after the other",
        model: "loopW(seq(c -- req -> s, s -- rep[status < 400] -> c))",
        script: &["c!req", "s?req", "s!rep", "c?rep"],
        fields: &[("status", Id::Status)],
        frame: [&[], &[]],
        overtakes: false,
    },
    Shape {
        name: "a bound, one after the other",
        model: "loopW(new(t)(seq(c -- req[c at t] -> s, s -- rep[c within 9s of t] -> c)))",
        script: &["c!req", "s?req", "s!rep", "c?rep"],
        fields: &[],
        frame: [&[], &[]],
        overtakes: false,
    },
    Shape {
        name: "ids, one after the other",
        model: "loopW(new(x)(seq(c -- req[k = x] -> s, s -- rep[k = x] -> c)))",
        script: &["c!req", "s?req", "s!rep", "c?rep"],
        fields: &[("k", Id::Own)],
        frame: [&[], &[]],
        overtakes: false,
    },
    Shape {
        name: "a key, never used again",
        model: "loopP(fresh x)(seq(c -- req[k = x] -> s, s -- rep[k = x] -> c))",
        script: &["c!req", "s?req", "s!rep", "c?rep"],
        fields: &[("k", Id::Own)],
        frame: [&[], &[]],
        overtakes: true,
    },
    Shape {
        name: "a key, used again, and a bound",
        model: "loopP(fresh x)(loopW(new(t)(seq(c -- req[k = x, c at t] -> s, s -- rep[k = x, c within 9s of t] -> c))))",
        script: &["c!req", "s?req", "s!rep", "c?rep"],
        fields: &[("k", Id::Reused)],
        frame: [&[], &[]],
        overtakes: true,
    },
    Shape {
        name: "orders through three services",
        model: "loopP(fresh o)(seq(c -- req[k = o] -> s, s -- ask[k = o] -> d, d -- tell[k = o] -> s, s -- rep[k = o] -> c))",
        script: &["c!req", "s?req", "s!ask", "d?ask", "d!tell", "s?tell", "s!rep", "c?rep"],
        fields: &[("k", Id::Own)],
        frame: [&[], &[]],
        overtakes: true,
    },
    Shape {
        name: "sessions without a key, ids on both ends",
        model: "loopP(seq(c -- req[=k] -> s, s -- rep[=k] -> c))",
        script: &["c!req", "s?req", "s!rep", "c?rep"],
        fields: &[("k", Id::Own)],
        frame: [&[], &[]],
        overtakes: false,
    },
    Shape {
        name: "exchanges of connections",
        model: "loopP(fresh o)(loopP(fresh x)(seq(c -- req[g = o, k = x] -> s, s -- rep[g = o, k = x] -> c)))",
        script: &["c!req", "s?req", "s!rep", "c?rep"],
        fields: &[("g", Id::Outer), ("k", Id::Own)],
        frame: [&[], &[]],
        overtakes: true,
    },
    Shape {
        name: "exchanges of connections that open and close",
        model: "loopP(fresh o)(seq(c -- open[g = o] -> s, loopP(fresh x)(seq(c -- req[g = o, k = x] -> s, s -- rep[g = o, k = x] -> c)), c -- close[g = o] -> s))",
        script: &["c!req", "s?req", "s!rep", "c?rep"],
        fields: &[("g", Id::Outer), ("k", Id::Own)],
        frame: [&["c!open", "s?open"], &["c!close", "s?close"]],
        overtakes: true,
    },
    Shape {
        name: "the same with bounds, connections one after the other",
        model: "loopP(fresh o)(loopW(seq(c -- open[g = o] -> s, loopP(fresh x)(new(t)(seq(c -- req[g = o, k = x, c at t] -> s, s -- rep[g = o, k = x, c within 9s of t] -> c))), c -- close[g = o] -> s)))",
        script: &["c!req", "s?req", "s!rep", "c?rep"],
        fields: &[("g", Id::Outer), ("k", Id::Own)],
        frame: [&["c!open", "s?open"], &["c!close", "s?close"]],
        overtakes: true,
    },
    Shape {
        name: "a key between two messages",
        model: "seq(c -- open -> s, loopP(fresh x)(seq(c -- req[k = x] -> s, s -- rep[k = x] -> c)), c -- close -> s)",
        script: &["c!req", "s?req", "s!rep", "c?rep"],
        fields: &[("k", Id::Own), ("g", Id::All)],
        frame: [&["c!open", "s?open"], &["c!close", "s?close"]],
        overtakes: true,
    },
];

/// An action of a session at a time.
struct Event {
    time: i64,
    session: i64,
    step: usize,
}

/// A model with the logs of some sessions.
pub(super) struct Prepared {
    pub(super) pool: Pool,
    pub(super) valued: Box<Valued>,
    pub(super) engine: ValueEngine,
    pub(super) trace: MultiTrace,
    pub(super) facts: Facts,
}

impl Shape {
    /// Whether the model allows sessions in parallel.
    fn is_parallel(&self) -> bool {
        self.model.starts_with("loopP")
    }

    /// Whether parallel sessions are told apart by a key. Without one, the question is NP-hard, and a search may not end.
    fn has_keys(&self) -> bool {
        !self.is_parallel() || self.model.contains("fresh")
    }

    /// Whether two sessions have different outer numbers.
    fn is_edge(&self, session: i64, other: i64) -> bool {
        let is_one = self.fields.iter().any(|(_, id)| *id == Id::All);
        if is_one { other < 0 } else { session.div_euclid(100) != other.div_euclid(100) }
    }

    pub(super) fn prepare(&self, sessions: i64, cut: bool) -> Option<Prepared> {
        const HOP: i64 = 1_000_000_000;
        let text = format!(
            "@lifeline{{c; s; d}} @message{{open; req; ask; tell; rep; close}} {}",
            self.model
        );
        let mut lowered = lower(&[&parse_spec(&Source::new("model.hsf", text)).tree]);
        let valued = lowered.valued.take()?;
        let signature = lowered.pool.signature().clone();
        let mut steps: Vec<Action> = Vec::new();
        // The script first, then the frame.
        for text in self.script.iter().chain(self.frame[0]).chain(self.frame[1]) {
            let at = text.find(['!', '?'])?;
            let (lifeline, message) =
                (signature.lifeline(&text[..at])?, signature.message(&text[at + 1..])?);
            let direction =
                if text.contains('!') { Direction::Emission } else { Direction::Reception };
            steps.push(Action { lifeline, direction, message, peer: None });
        }
        let script = 0..self.script.len();
        let before = script.end..script.end + self.frame[0].len();
        let after = before.end..steps.len();
        let mut rng = fastrand::Rng::with_seed(42);
        let mut logs: [Vec<Event>; 3] = Default::default();
        for session in 0..sessions {
            // A hundred sessions are in flight, or they follow each other.
            let mut time = session * if self.is_parallel() { HOP / 50 } else { 3 * HOP };
            let of_frame = |range: &Range<usize>, time: i64, logs: &mut [Vec<Event>; 3]| {
                for (delay, step) in (0..).zip(range.clone()) {
                    let time = time + delay * HOP / 2;
                    logs[steps[step].lifeline.index()].push(Event { time, session, step });
                }
            };
            if self.is_edge(session, session - 1) {
                of_frame(&before, time - 2 * HOP, &mut logs);
            }
            if self.is_edge(session, session + 1) || session + 1 == sessions {
                of_frame(&after, time + 10 * HOP, &mut logs);
            }
            for step in script.clone() {
                logs[steps[step].lifeline.index()].push(Event { time, session, step });
                time += if self.overtakes { 1 + rng.i64(0..HOP) } else { HOP / 2 };
            }
        }
        for log in &mut logs {
            log.sort_by_key(|event| event.time);
        }
        if cut {
            let left = logs[0].len() * 7 / 10;
            logs[0].truncate(left);
        }
        let partition = Partition::discrete(3);
        let count = logs.iter().map(Vec::len).sum();
        let ids: Vec<_> = steps.iter().map(|&it| lowered.pool.intern_action(it)).collect();
        let mut builder = Builder::new(partition.clone(), count, false);
        for log in &logs {
            for event in log {
                builder.push(ids[event.step], 0);
                builder.next_moment();
            }
            builder.next_component();
        }
        let trace = builder.finish(SourceId::default());
        let mut facts = Facts::unknown(&trace, valued.fields.items.len());
        for (component, log) in logs.iter().enumerate() {
            let component = ComponentId::new(component);
            for (at, event) in log.iter().enumerate() {
                facts.set_time(component, at, event.time);
                for &(name, id) in self.fields {
                    let value = match id {
                        Id::Own => event.session,
                        Id::Reused => event.session % 1000,
                        Id::Outer => event.session / 100,
                        Id::All => 0,
                        Id::Status => 200,
                    };
                    if let Some(field) = valued.field(name) {
                        facts.set(field, component, at, Value::integer(value));
                    }
                }
            }
        }
        facts.find_breaks(&trace);
        let engine = ValueEngine::new(&lowered.pool, lowered.term?, &valued, &partition);
        Some(Prepared { pool: lowered.pool, valued, engine, trace, facts })
    }
}

/// The greatest exponent of a shape whose time should be proportional to its length.
pub(super) const LINEAR: f64 = 1.2;

pub(super) fn shapes(size: Size, targets: &mut Targets) {
    let sizes: Vec<i64> = (0..5).map(|k| size.pick(1000, 8000) << k).collect();
    println!("\n## Growth, {} to {} sessions\n", sizes[0], sizes[sizes.len() - 1]);
    println!("| model | question | verdict | events | ns/event | exponent |");
    println!("|---|---|---|---|---|---|");
    let mut worst: f64 = 0.0;
    for shape in &SHAPES {
        for (question, cut) in [(Question::ACCEPT, false), (Question::MULTI_PREFIX, true)] {
            let mut points = Vec::new();
            let mut last = (Verdict::Inconclusive, 0, 0.0);
            for &sessions in &sizes {
                let Some(mut prepared) = shape.prepare(sessions, cut) else { continue };
                let (verdict, time) = prepared.measure(&question);
                let events = prepared.trace.len();
                last = (verdict, events, time / number(events));
                points.push(Point { events: number(events), value: time });
                // What does not end in time is not doubled.
                if verdict == Verdict::Inconclusive {
                    break;
                }
            }
            let exponent = exponent(&points).unwrap_or(f64::INFINITY);
            let (verdict, events, cost) = last;
            let is_decided = verdict != Verdict::Inconclusive;
            let growth = if is_decided { format!("{exponent:.2}") } else { "-".to_owned() };
            if shape.has_keys() {
                worst = worst.max(if is_decided { exponent } else { f64::INFINITY });
            }
            println!(
                "| {} | {} | {verdict} | {} | {cost:.0} | {growth} |",
                shape.name,
                question.name(),
                events
            );
        }
    }
    let what = "greatest exponent of all shapes but those without a key";
    targets.add(what, LINEAR, format!("{worst:.2}"), worst <= LINEAR);
}

impl Prepared {
    /// The verdict, and the least processor time of some runs in nanoseconds.
    fn measure(&mut self, question: &Question) -> (Verdict, f64) {
        let limit = std::time::Duration::from_secs(20);
        let budget = Budget { timeout: Some(limit), ..Budget::default() };
        let mut best = f64::INFINITY;
        let mut verdict = Verdict::Inconclusive;
        for _ in 0..3 {
            let start = ThreadTime::now();
            let (trace, facts) = (&self.trace, &self.facts);
            let outcome = self.engine.analyze(trace, facts, Clocks::default(), question, &budget);
            best = best.min(start.elapsed().as_secs_f64() * 1e9);
            verdict = outcome.verdict;
            if verdict == Verdict::Inconclusive {
                break;
            }
        }
        (verdict, best)
    }
}
