//! `at_most_one` compared with its definition, on every small trace of two or three members.
//!
//! The definition here enumerates runs and remembers, cut by cut, which member led in which term; the lowering
//! computes first positions on each process by itself.

use otus_core::index::Index as _;
use otus_ctl::{Checker, Engine, Options, lower};
use otus_syntax::{Source, parse_formulas};
use otus_trace::order::{Builder, Happened, PartialOrder, Value, Writes};

/// A random trace of members that set their role and their term, together or one after the other.
fn random_order(rng: &mut fastrand::Rng) -> PartialOrder {
    let mut builder = Builder::default();
    let count = rng.usize(2..=3);
    let members: Vec<_> = (0..count).map(|at| builder.process(&format!("n{at}"))).collect();
    let mut happened: Vec<Happened> = Vec::new();
    for at in 0..count {
        builder.initial(&format!("n{at}.role"), Value::text("follower"));
        if rng.u8(..4) == 0 {
            builder.initial(&format!("n{at}.role"), Value::text("leader"));
        }
        builder.initial(&format!("n{at}.term"), Value::integer(rng.i64(0..2)));
    }
    for _ in 0..rng.usize(0..=6) {
        let at = rng.usize(..count);
        let edge =
            (rng.bool() && !happened.is_empty()).then(|| happened[rng.usize(..happened.len())]);
        let mut event = builder.event(members[at]);
        if rng.bool() {
            let role = if rng.bool() { "leader" } else { "follower" };
            event = event.set(&format!("n{at}.role"), Value::text(role));
        }
        if rng.bool() {
            event = event.set(&format!("n{at}.term"), Value::integer(rng.i64(0..3)));
        }
        let new = event.at();
        if let Some(from) = edge {
            builder.edge(from, new);
        }
        happened.push(new);
    }
    builder.finish(Writes::Checked).expect("edges go forward")
}

/// Whether on some run two members led in one term. Runs are enumerated one event at a time.
fn is_violated(trace: &PartialOrder) -> bool {
    struct State {
        counts: Vec<u32>,
        roles: Vec<Value>,
        terms: Vec<Value>,
        /// The pairs of member and term that occurred.
        led: Vec<(usize, Value)>,
    }
    let value = |name: String| {
        let variable = trace.variable(&name).expect("every member has both variables");
        trace.value(trace.initial(variable))
    };
    let members = 0..trace.process_count();
    let first = State {
        counts: vec![0; members.len()],
        roles: members.clone().map(|at| value(format!("n{at}.role"))).collect(),
        terms: members.clone().map(|at| value(format!("n{at}.term"))).collect(),
        led: Vec::new(),
    };
    let mut pending = vec![first];
    while let Some(mut state) = pending.pop() {
        for at in members.clone() {
            if state.roles[at] == Value::text("leader") {
                state.led.push((at, state.terms[at].clone()));
            }
        }
        let clash = |(a, term): &(usize, Value)| state.led.iter().any(|(b, t)| a != b && t == term);
        if state.led.iter().any(clash) {
            return true;
        }
        for process in trace.processes() {
            let at = process.index();
            let Some(event) = trace.event(process, state.counts[at] + 1) else { continue };
            let enabled = trace.incoming(event).iter().all(|edge| {
                trace.position(edge.from) <= state.counts[trace.process_of(edge.from).index()]
            });
            if !enabled {
                continue;
            }
            let mut next = State {
                counts: state.counts.clone(),
                roles: state.roles.clone(),
                terms: state.terms.clone(),
                led: state.led.clone(),
            };
            next.counts[at] += 1;
            for assignment in trace.assignments(event) {
                let value = trace.value(assignment.value);
                if trace.variable_name(assignment.variable).ends_with("role") {
                    next.roles[at] = value;
                } else {
                    next.terms[at] = value;
                }
            }
            pending.push(next);
        }
    }
    false
}

#[test]
fn histories_are_as_defined() {
    let mut rng = fastrand::Rng::with_seed(17);
    let mut violated = 0;
    for case in 0..2000 {
        let trace = random_order(&mut rng);
        let expected = !is_violated(&trace);
        violated += usize::from(!expected);
        let text = "at_most_one(m in n*, role = leader, per term)";
        let parsed = parse_formulas(&Source::new("f", text));
        let lowered = lower(&parsed.tree, &trace);
        assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
        let property = &lowered.properties[0];
        let mut checker = Checker::new(&trace, lowered.formulas.clone());
        for engine in [Engine::Auto, Engine::Interval, Engine::Explicit, Engine::Ist] {
            let options = Options { engine, ..Options::default() };
            let found = checker.check(property.formula, &options).expect("there is no limit");
            assert_eq!(found.holds, expected, "case {case}, {engine:?}");
        }
    }
    assert!((200..1800).contains(&violated), "{violated}");
}
