//! Traces of any length, each with a formula.
//!
//! In a *narrow* lattice, processes wait for each other, so that there are a few cuts per event.
//!
//! The last cut of a trace can decide a formula at once: AF f holds if f holds there. Times with and without such
//! luck do not lie on one line, so random traces are drawn until their last cut is the one that the shape asks for
//! ([`ending_with`]).

use otus_papers::ctl::Method;
use otus_papers::protocol::{Protocol, gossip};
use otus_trace::order::{Builder, Happened, PartialOrder, ProcessId, Writes};

use crate::ctl::{SEED, check, every};
use crate::size::Size;

/// A family of traces, and a formula about them.
pub(super) struct Shape {
    pub(super) name: &'static str,
    pub(super) formula: String,
    /// The length of the first trace.
    pub(super) least: usize,
    /// The trace of a length, to which its number of events is proportional.
    pub(super) trace: fn(usize) -> PartialOrder,
}

pub(super) fn shapes(size: Size) -> Vec<Shape> {
    let factor = size.pick(1, 8);
    let shape = |name, formula: &str, least: usize, trace: fn(usize) -> PartialOrder| Shape {
        name,
        formula: formula.to_owned(),
        least: least * factor,
        trace,
    };
    vec![
        shape("two counters", "AG(x >= y)", 625, counters),
        shape("two counters, apart", "EF(x - y > 3)", 625, counters),
        shape("a shared variable", "AG(owner = p -> AF owner = q)", 625, token),
        shape("messages in flight", "AG(count(p.send) - count(q.receive) <= 3)", 625, messages),
        shape("one leader", "one_leader(a, b, c)", 400, leaders),
        shape("Peterson", "AG(flag0 -> AF ncrit = 1)", 2000, |events| {
            ending_with("flag0 -> ncrit = 1", |seed| Protocol::Peterson.trace(2, events, seed))
        }),
        shape("nested", "AG(x > y -> AF(x = y & EF(x > y + 1)))", 625, counters),
        shape(
            "local conditions",
            "AG(p.busy & !q.busy -> E[!q.busy U !p.busy])",
            1000,
            independent,
        ),
        shape("broken near the end", "AG(p.busy -> AF(q.busy & EF !p.busy))", 1000, independent),
        shape("gossip", &every::unavoidable(4), 500, |events| {
            ending_with("v0 >= 9", |seed| gossip(4, events, seed))
        }),
    ]
}

/// The most traces that are drawn until one ends as a shape asks for.
const DRAWN: u64 = 100;

/// The first trace, by seed, at whose last cut a condition holds. Every run ends there, so the condition holds there
/// exactly if every run reaches a cut from which on it always holds.
fn ending_with(condition: &str, draw: impl Fn(u64) -> PartialOrder) -> PartialOrder {
    let formula = format!("AF AG({condition})");
    let ends = |trace: &PartialOrder| check(trace, &formula, Method::AUTO).holds() == Some(true);
    (SEED..SEED + DRAWN).map(&draw).find(ends).unwrap_or_else(|| draw(SEED))
}

/// The number of events by which p may be ahead of q.
const WINDOW: u32 = 3;

/// p counts with x, q with y: q follows p, which waits until it is at most [`WINDOW`] events ahead.
fn counters(length: usize) -> PartialOrder {
    in_window(length, |builder, process, variable, _, at| {
        builder.event(process).set(variable, i64::from(at)).at();
    })
}

/// p sends messages, q receives them, and the first [`WINDOW`] need no acknowledgement.
fn messages(length: usize) -> PartialOrder {
    in_window(length, |builder, process, _, label, _| {
        builder.event(process).label(label).at();
    })
}

fn in_window(
    length: usize,
    event: impl Fn(&mut Builder, ProcessId, &str, &str, u32),
) -> PartialOrder {
    let mut builder = Builder::default();
    let (p, q) = (builder.process("p"), builder.process("q"));
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    for at in 1..=length {
        event(&mut builder, p, "x", "send", at);
        event(&mut builder, q, "y", "receive", at);
        builder.edge(Happened { process: p, position: at }, Happened { process: q, position: at });
        if let Some(answered) = at.checked_sub(WINDOW).filter(|&answered| answered > 0) {
            let answered = Happened { process: q, position: answered };
            builder.edge(answered, Happened { process: p, position: at });
        }
    }
    finish(builder)
}

/// p and q pass a token to each other, and do two steps on their own between.
fn token(length: usize) -> PartialOrder {
    let mut builder = Builder::default();
    let processes = [builder.process("p"), builder.process("q")];
    let mut last: Option<Happened> = None;
    for round in 0..length {
        let owner = round % 2;
        let taken = builder.event(processes[owner]).set("owner", ["p", "q"][owner]).at();
        if let Some(last) = last {
            builder.edge(last, taken);
        }
        last = Some(taken);
        for step in [1, 0] {
            builder.event(processes[owner]).set(["u", "v"][owner], step).at();
        }
    }
    finish(builder)
}

/// Three members take turns as the leader of a new term; a member learns of a term after its leader was elected.
fn leaders(length: usize) -> PartialOrder {
    let mut builder = Builder::default();
    let names = ["a", "b", "c"];
    let members = names.map(|name| builder.process(name));
    for (at, term) in (0..length).zip(1_i64..) {
        let leader = at % 3;
        let new = |builder: &mut Builder, member: usize, role: &str| {
            let [its_role, its_term] = ["role", "term"].map(|of| format!("{}.{of}", names[member]));
            builder.event(members[member]).set(&its_role, role).set(&its_term, term).at()
        };
        let elected = new(&mut builder, leader, "leader");
        for other in [(leader + 1) % 3, (leader + 2) % 3] {
            let learnt = new(&mut builder, other, "follower");
            builder.edge(elected, learnt);
        }
    }
    finish(builder)
}

/// Two processes that never communicate, so that the number of cuts grows with the square of the length.
fn independent(length: usize) -> PartialOrder {
    let mut builder = Builder::default();
    for name in ["p", "q"] {
        let process = builder.process(name);
        for at in 0..length {
            builder.event(process).set(&format!("{name}.busy"), at % 2 == 0).at();
        }
    }
    finish(builder)
}

fn finish(builder: Builder) -> PartialOrder {
    builder.finish(Writes::Checked).expect("edges go forward, and writes are ordered")
}
