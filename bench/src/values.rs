//! Sessions told apart by an id: one connection with many exchanges of the highest quality of service in flight.
//!
//! A client publishes messages; each exchange takes eight events, four in the log of the client and four in that of the
//! broker. An id is used again as soon as its exchange is over, and the last reply must come within two seconds. Up to
//! `window` exchanges are in flight. Seeded faults must be found, each by the engine for keys alone.

mod raw;
mod shapes;
mod witness;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write as _;

use cpu_time::ThreadTime;
use otus_analysis::budget::Budget;
use otus_analysis::values::{Clocks, ValueCause, ValueEngine};
use otus_analysis::{Question, Verdict};
use otus_core::index::Index as _;
use otus_core::valued::Valued;
use otus_core::{Action, ActionId, Lowered, Value, lower};
use otus_papers::statistics::number;
use otus_syntax::{Source, SourceId, parse_spec};
use otus_trace::multitrace::{Builder, ComponentId};
use otus_trace::{Facts, MultiTrace, Partition};

use crate::measure::{peak_bytes, reset_peak};
use crate::size::Size;
use crate::targets::{Part, Targets, run_parts};

/// One connection: exchanges with different ids in parallel, those with one id in sequence.
const MODEL: &str = "@lifeline{client; broker} @message{PUBLISH; PUBREC; PUBREL; PUBCOMP}
loopP(fresh m)(loopW(new(s)(seq(
  client -- PUBLISH[mid = m, client at s] -> broker,
  broker -- PUBREC[mid = m] -> client,
  client -- PUBREL[mid = m] -> broker,
  broker -- PUBCOMP[mid = m, client within 2s of s] -> client))))";

pub(crate) fn run(size: Size, parts: &[String]) {
    println!("# values: sessions told apart by an id\n");
    let all: [(&str, Part); 5] = [
        ("sessions", sessions),
        ("faults", faults),
        ("shapes", shapes::shapes),
        ("witness", witness::witness),
        ("raw", raw::raw),
    ];
    run_parts(size, parts, &all);
}

/// An event: its action (twice the message, plus one for the broker), its id, and its time in nanoseconds.
#[derive(Clone, Copy)]
struct Event {
    symbol: usize,
    id: u32,
    time: i64,
}

type Logs = [Vec<Event>; 2];

/// A client's and a broker's log with at most `window` exchanges in flight.
fn workload(exchanges: usize, window: usize, seed: u64) -> Logs {
    const HOP: i64 = 400_000_000;
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut logs = [Vec::new(), Vec::new()];
    let mut free: Vec<u32> = (1..=u32::try_from(window).unwrap_or(u32::MAX)).rev().collect();
    let mut queue: BinaryHeap<Reverse<(i64, usize, u32)>> = BinaryHeap::new();
    let (mut begun, mut now) = (0, 0);
    let gap = 800_000_000 / i64::try_from(window.max(1)).unwrap_or(1);
    while begun < exchanges || !queue.is_empty() {
        let next = queue.peek().map(|Reverse((time, ..))| *time);
        if begun < exchanges
            && next.is_none_or(|time| time >= now)
            && let Some(id) = free.pop()
        {
            logs[0].push(Event { symbol: 0, id, time: now });
            queue.push(Reverse((now + 1 + rng.i64(0..HOP), 1, id)));
            begun += 1;
            now += gap + 1;
            continue;
        }
        let Some(Reverse((time, symbol, id))) = queue.pop() else { continue };
        now = now.max(time);
        let log = &mut logs[symbol % 2];
        log.push(Event { symbol, id, time: now });
        // A reception is answered by the next message; the last one ends the exchange.
        let answer = match symbol {
            1 => Some(3),
            2 => Some(4),
            5 => Some(7),
            _ => None,
        };
        if symbol == 6 {
            free.push(id);
        }
        if let Some(answer) = answer {
            now += 1;
            log.push(Event { symbol: answer, id, time: now });
            queue.push(Reverse((now + 1 + rng.i64(0..HOP), answer ^ 1, id)));
        }
    }
    logs
}

/// The model, and how its events become a multi-trace with facts.
struct Model {
    lowered: Lowered,
    valued: Box<Valued>,
    partition: Partition,
    /// By symbol.
    actions: Vec<ActionId>,
}

impl Model {
    fn new() -> Option<Model> {
        let mut lowered = lower(&[&parse_spec(&Source::new("mqtt.hsf", MODEL)).tree]);
        let valued = lowered.valued.take()?;
        let signature = lowered.pool.signature().clone();
        let [client, broker] = ["client", "broker"].map(|name| signature.lifeline(name));
        let (client, broker) = (client?, broker?);
        let mut actions = Vec::new();
        for (number, name) in ["PUBLISH", "PUBREC", "PUBREL", "PUBCOMP"].into_iter().enumerate() {
            let message = signature.message(name)?;
            let from_client = number % 2 == 0;
            for (own, sends) in [(client, from_client), (broker, !from_client)] {
                let action = if sends {
                    Action::emission(own, message)
                } else {
                    Action::reception(own, message)
                };
                actions.push(lowered.pool.intern_action(action));
            }
        }
        Some(Model { lowered, valued, partition: Partition::discrete(2), actions })
    }

    fn trace(&self, logs: &Logs) -> (MultiTrace, Facts) {
        let count = logs.iter().map(Vec::len).sum();
        let mut builder = Builder::new(self.partition.clone(), count, false);
        for log in logs {
            for event in log {
                builder.push(self.actions[event.symbol], 0);
                builder.next_moment();
            }
            builder.next_component();
        }
        let trace = builder.finish(SourceId::default());
        let mut facts = Facts::unknown(&trace, self.valued.fields.items.len());
        let mid = self.valued.field("mid");
        for (component, log) in logs.iter().enumerate() {
            let component = ComponentId::new(component);
            for (at, event) in log.iter().enumerate() {
                if let Some(mid) = mid {
                    facts.set(mid, component, at, Value::integer(i64::from(event.id)));
                }
                // Only the client logs times.
                if component.index() == 0 {
                    facts.set_time(component, at, event.time);
                }
            }
        }
        (trace, facts)
    }

    fn engine(&self) -> Option<ValueEngine> {
        let term = self.lowered.term?;
        Some(ValueEngine::new(&self.lowered.pool, term, &self.valued, &self.partition))
    }
}

/// The most exchanges that are in flight at one time.
fn in_flight(logs: &Logs) -> usize {
    let (mut now, mut most) = (0_usize, 0);
    for event in &logs[0] {
        match event.symbol {
            0 => now += 1,
            6 => now = now.saturating_sub(1),
            _ => {}
        }
        most = most.max(now);
    }
    most
}

fn sessions(size: Size, targets: &mut Targets) {
    let Some(model) = Model::new() else { return };
    println!("## Exchanges\n");
    println!(
        "| exchanges | events | window | in flight | accept | ns/event | MB | multi-prefix, client cut at 70 % | ns/event | MB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut rows = vec![(12_500, 65_535), (100_000, 10), (100_000, 20_000), (100_000, 65_535)];
    if size.full {
        rows.push((1_000_000, 65_535));
    }
    let mut worst: f64 = 0.0;
    for (exchanges, window) in rows {
        let logs = workload(exchanges, window, 42);
        let flight = in_flight(&logs);
        let mut row = format!("| {} | {}", number(exchanges), number(8 * exchanges));
        let _ = write!(row, " | {} | {}", number(window), number(flight));
        let whole = measure(&model, &logs, &Question::ACCEPT);
        let _ = write!(row, " | {} | {:.1} | {:.1}", whole.verdict, whole.mean, whole.megabytes);
        worst = worst.max(whole.mean);
        let mut cut = logs;
        let left = cut[0].len() * 7 / 10;
        cut[0].truncate(left);
        let cut = measure(&model, &cut, &Question::MULTI_PREFIX);
        let _ = write!(row, " | {} | {:.1} | {:.1} |", cut.verdict, cut.mean, cut.megabytes);
        println!("{row}");
    }
    targets.add("exchanges by id, ns per event", "30", format!("{worst:.1}"), worst <= 30.0);
}

/// What an analysis took.
struct Measured {
    verdict: Verdict,
    /// The least processor time of several runs, in nanoseconds per event.
    mean: f64,
    /// The memory of the engine at its peak, beside the events and their values.
    megabytes: f64,
    /// Why the logs fail.
    cause: Option<ValueCause>,
}

fn measure(model: &Model, logs: &Logs, question: &Question) -> Measured {
    let (trace, facts) = model.trace(logs);
    let before = reset_peak();
    let Some(mut engine) = model.engine() else {
        let (verdict, mean) = (Verdict::Inconclusive, f64::NAN);
        return Measured { verdict, mean, megabytes: f64::NAN, cause: None };
    };
    let mut best = f64::INFINITY;
    let mut verdict = Verdict::Inconclusive;
    for _ in 0..5 {
        let start = ThreadTime::now();
        let outcome =
            engine.analyze(&trace, &facts, Clocks::default(), question, &Budget::default());
        let elapsed = start.elapsed().as_secs_f64() * 1e9;
        #[expect(clippy::cast_precision_loss, reason = "a mean to three digits")]
        let mean = elapsed / trace.len().max(1) as f64;
        best = best.min(mean);
        verdict = outcome.verdict;
    }
    let peak = peak_bytes().zip(before).map_or(0, |(peak, before)| peak.saturating_sub(before));
    #[expect(clippy::cast_precision_loss, reason = "a size to two digits")]
    let megabytes = peak as f64 / f64::from(1 << 20);
    let cause = engine.failure().map(|failure| failure.cause.clone());
    Measured { verdict, mean: best, megabytes, cause }
}

/// Changes one thing in the second half of the logs.
type Fault = fn(&mut Logs);

fn position(log: &[Event], symbol: usize) -> usize {
    let half = log.len() / 2;
    half + log[half..].iter().position(|event| event.symbol == symbol).unwrap_or(0)
}

fn faults(_: Size, targets: &mut Targets) {
    let Some(model) = Model::new() else { return };
    println!("\n## Seeded faults, 100,000 exchanges\n");
    println!("| fault | question | verdict | cause | ns/event |");
    println!("|---|---|---|---|---|");
    let wrong_id: Fault = |logs| {
        let at = position(&logs[0], 6);
        logs[0][at].id += 1;
    };
    let pause: Fault = |logs| {
        let at = position(&logs[0], 6);
        for event in &mut logs[0][at..] {
            event.time += 3_000_000_000;
        }
    };
    let reused: Fault = |logs| {
        let at = position(&logs[0], 0);
        let again = logs[0][at];
        logs[0].insert(at + 1, again);
    };
    let lost: Fault = |logs| {
        let at = position(&logs[0], 4);
        logs[0].remove(at);
    };
    // Of the last exchanges, the client's log has the beginning only, and then goes on for too long.
    let overdue: Fault = |logs| {
        let left = logs[0].len() * 7 / 10;
        logs[0].truncate(left);
        if let Some(last) = logs[0].last_mut() {
            last.time += 2_500_000_000;
        }
    };
    let cut: Fault = |logs| {
        let left = logs[1].len() * 7 / 10;
        logs[1].truncate(left);
    };
    let fails = |cause| (Verdict::Fail, cause);
    let (accept, prefix) = (Question::ACCEPT, Question::MULTI_PREFIX);
    let rows: [(&str, Fault, Question, (Verdict, &str)); 7] = [
        ("none", |_| {}, accept.clone(), (Verdict::Pass, "")),
        ("wrong id in a PUBCOMP", wrong_id, accept.clone(), fails("wrong value")),
        ("a pause of 3 s", pause, accept.clone(), fails("too late")),
        ("an id used again too early", reused, accept.clone(), fails("used again")),
        ("a PUBREL that was not logged", lost, accept, fails("unexpected")),
        ("broker cut at 70 %", cut, prefix.clone(), (Verdict::WeakPass, "")),
        ("client cut, a deadline passed before", overdue, prefix, fails("overdue")),
    ];
    let mut wrong = 0;
    for (name, fault, question, expected) in rows {
        let mut logs = workload(100_000, 65_535, 7);
        fault(&mut logs);
        let Measured { verdict, mean, cause, .. } = measure(&model, &logs, &question);
        let cause = cause.as_ref().map_or("", word);
        wrong += usize::from((verdict, cause) != expected);
        println!("| {name} | {} | {verdict} | {cause} | {mean:.1} |", question.name());
    }
    let Measured { verdict, cause, .. } = cycle(&model);
    let cause = cause.as_ref().map_or("", word);
    wrong += usize::from((verdict, cause) != (Verdict::Fail, "cycle"));
    println!(
        "| PUBREC of 1 received before PUBLISH of 2 is sent, sent after that was received | accept | {verdict} | {cause} | |"
    );
    targets.add("seeded faults with a wrong verdict or cause", "0", wrong, wrong == 0);
}

/// The cause of a failure in a word.
fn word(cause: &ValueCause) -> &'static str {
    match cause {
        ValueCause::WrongValue { .. } => "wrong value",
        ValueCause::TooLate(_) => "too late",
        ValueCause::TooEarly(_) => "too early",
        ValueCause::UsedAgain { .. } => "used again",
        ValueCause::NoSession { .. } => "no such session",
        ValueCause::Unexpected => "unexpected",
        ValueCause::Cycle(_) => "cycle",
        ValueCause::Missing { overdue: Some(_), .. } => "overdue",
        ValueCause::Missing { overdue: None, .. } => "missing",
    }
}

/// Two exchanges, each fine by itself, that together are a cycle.
fn cycle(model: &Model) -> Measured {
    let log = |events: [(usize, u32); 8]| -> Vec<Event> {
        (0..).zip(events).map(|(time, (symbol, id))| Event { symbol, id, time }).collect()
    };
    let client = log([(0, 1), (2, 1), (0, 2), (2, 2), (4, 1), (6, 1), (4, 2), (6, 2)]);
    let broker = log([(1, 2), (3, 1), (1, 1), (3, 2), (5, 1), (7, 1), (5, 2), (7, 2)]);
    measure(model, &[client, broker], &Question::ACCEPT)
}
