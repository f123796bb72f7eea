//! The examples of the design page, by the oracle and by the engine.

use otus_analysis::Verdict::{self, Fail, Pass, WeakPass};
use otus_analysis::budget::Budget;
use otus_analysis::values::{Clocks, ValueEngine};
use otus_analysis::{Observed, Question};
use otus_core::{Action, Value, lower};
use otus_syntax::{Rational, Source, parse_spec};
use otus_testkit::oracle::values::verdict;
use otus_testkit::valued_cases::recorded::{Record, Recorded};
use otus_testkit::valued_cases::{LIFELINES, MESSAGES};
use otus_trace::Partition;

/// An event such as `a!m f=1 time=3`.
fn record(text: &str, lowered: &otus_core::Lowered) -> Record {
    let mut words = text.split(' ');
    let action = words.next().expect("an action");
    let signature = lowered.pool.signature();
    let lifeline = signature.lifeline(&action[..1]).expect("a lifeline");
    let message = signature.message(&action[2..]).expect("a message");
    let action = if action.contains('!') {
        Action::emission(lifeline, message)
    } else {
        Action::reception(lifeline, message)
    };
    let pair = |word: &str| {
        let (name, value) = word.split_once('=').expect("a value");
        let number = Rational::parse(value).map(Value::Number);
        (name.to_owned(), number.unwrap_or_else(|| Value::Text(value.into())))
    };
    Record { action, values: words.map(pair).collect() }
}

#[track_caller]
fn check(
    model: &str,
    events: &[&str],
    question: &Question,
    uncertainty: Option<i64>,
    expected: Verdict,
) {
    let (lifelines, messages) = (LIFELINES.join(";"), MESSAGES.join(";"));
    let text = format!("@lifeline{{{lifelines}}} @message{{{messages}}} {model}");
    let parsed = parse_spec(&Source::new("model.hsf", text));
    let mut lowered = lower(&[&parsed.tree]);
    assert_eq!((parsed.diagnostics, &*lowered.diagnostics), (Vec::new(), &[][..]));
    let partition = Partition::discrete(3);
    let events: Vec<Vec<Record>> =
        events.iter().map(|event| vec![record(event, &lowered)]).collect();
    let valued = lowered.valued.take().expect("it has values");
    let (trace, facts) = Recorded::new(&partition, &events).build(&mut lowered.pool, &valued);
    let (pool, term) = (&lowered.pool, lowered.term.expect("it has a term"));
    let by_oracle = verdict(pool, &valued, &trace, &facts, uncertainty, question);
    assert_eq!(by_oracle, Some(expected), "the oracle");
    let mut engine = ValueEngine::new(pool, term, &valued, &partition);
    let clocks = Clocks { uncertainty };
    let budget = Budget { max_states: Some(2_000), ..Budget::default() };
    let found = engine.analyze(&trace, &facts, clocks, question, &budget).verdict;
    // Slices of parallel loops may be too much work.
    assert!(found == expected || found == Verdict::Inconclusive, "the engine: {found}");
}

#[test]
fn constants_and_unknown_values() {
    let accept = &Question::ACCEPT;
    check("a!m[f > 3]", &["a!m f=4"], accept, None, Pass);
    check("a!m[f > 3]", &["a!m f=3"], accept, None, Fail);
    check("a!m[f > 3]", &["a!m f=four"], accept, None, Fail);
    check("a!m[f > 3]", &["a!m"], accept, None, WeakPass);
    check("alt(a!m[f > 3], a!m[f <= 3])", &["a!m"], accept, None, WeakPass);
    check("new(x)(a!m[f = x])", &["a!m"], accept, None, Pass);
    check("new(x)(seq(a!m[f = x], a!n[f = x]))", &["a!m", "a!n f=1"], accept, None, WeakPass);
}

#[test]
fn sessions() {
    let model = "loopP(fresh x)(seq(a -- m[f = x] -> b, b -- n[f = x] -> a))";
    let accept = &Question::ACCEPT;
    let events =
        ["a!m f=1", "a!m f=2", "b?m f=2", "b!n f=2", "b?m f=1", "b!n f=1", "a?n f=1", "a?n f=2"];
    check(model, &events, accept, None, Pass);
    // An id is never used again.
    let again = ["a!m f=1", "b?m f=1", "b!n f=1", "a?n f=1"].repeat(2);
    check(model, &again, accept, None, Fail);
    let reused = "loopP(fresh x)(loopW(seq(a -- m[f = x] -> b, b -- n[f = x] -> a)))";
    check(reused, &again, accept, None, Pass);
    // Each session is fine, together they are a cycle.
    let cycle =
        ["a!m f=1", "a?n f=1", "a!m f=2", "b?m f=2", "b!n f=2", "b?m f=1", "b!n f=1", "a?n f=2"];
    check(model, &cycle, accept, None, Fail);
    let cycle = ["a?n f=1", "a!m f=2", "b?m f=2", "b!n f=1"];
    check(model, &cycle, &Question::SLICE, None, Fail);
}

#[test]
fn deadlines_and_cut_logs() {
    let model =
        "new(s)(seq(a!m[a at s], alt(a!n[a within 2ns of s], a!k[a at least 9ns after s])))";
    check(model, &["a!m time=1", "a!n time=3"], &Question::ACCEPT, None, Pass);
    check(model, &["a!m time=1", "a!n time=4"], &Question::ACCEPT, None, Fail);
    let model = "new(s)(seq(a!m[a at s], a!n[a within 2ns of s], a!k))";
    check(model, &["a!m time=1"], &Question::MULTI_PREFIX, None, WeakPass);
    // The deadline had passed before the log ended.
    let model = "par(new(s)(seq(a!m[a at s], a!n[a within 2ns of s])), a!k)";
    check(model, &["a!m time=1", "a!k time=3"], &Question::MULTI_PREFIX, None, WeakPass);
    check(model, &["a!m time=1", "a!k time=4"], &Question::MULTI_PREFIX, None, Fail);
    // What nobody saw happened before the log began.
    let late = Question::Uniform(Observed::StartsLate);
    let model = "new(s)(seq(a!m[a at s], a!n[a at least 2ns after s]))";
    check(model, &["a!n time=0"], &late, None, WeakPass);
}

/// A guard of an event that nobody saw must hold, too.
#[test]
fn contradictions_of_unobserved_events() {
    check("a!m[f = 1, f != 1]", &[], &Question::SLICE, None, Fail);
    let model = "new(x)(strict(a!n[f = x], a!m[f = x, f = 1]))";
    check(model, &["a!n f=1"], &Question::MULTI_PREFIX, None, WeakPass);
    check(model, &["a!n f=2"], &Question::MULTI_PREFIX, None, Fail);
}

/// A value that nobody logged says that a variable is a number.
#[test]
fn what_has_a_number_added_is_a_number() {
    let model = "new(x)(seq(a!m[f = x + 1], a!n[g = x]))";
    check(model, &["a!m", "a!n g=p2"], &Question::ACCEPT, None, Fail);
    check(model, &["a!m", "a!n g=2"], &Question::ACCEPT, None, WeakPass);
}

/// Neither variable occurs twice, so nothing is compared.
#[test]
fn one_unlogged_value_and_two_variables() {
    check("new(x, y)(a!m[f = x, f = y])", &["a!m"], &Question::ACCEPT, None, Pass);
    check("new(x, y)(a!m[a at x, a at y])", &["a!m"], &Question::ACCEPT, None, Pass);
}

/// Sessions inside `strict`, or beside events that nobody saw.
#[test]
fn sessions_and_other_events() {
    let model = "strict(a!m, strict(loopP(fresh x)(b!n[f = x]), a!n))";
    check(model, &["a!m", "b!n f=1", "a!n"], &Question::ACCEPT, None, Pass);
    let model = "strict(a!n, loopP(fresh x)(b!n[f = x]))";
    check(model, &["b!n f=1"], &Question::MULTI_PREFIX, None, WeakPass);
    let late = Question::Uniform(Observed::StartsLate);
    check("par(loopP(fresh x)(a!m[f = x]), c!n)", &[], &late, None, WeakPass);
}

/// One event makes another way of a second one possible, so the second must not be taken as soon as it can happen.
#[test]
fn sessions_in_which_events_wait() {
    let model = "strict(loopP(fresh x)(seq(loopC(b)(m[f = x] -> a), c -- m[f = x] -> a)), c!n)";
    let events = ["a?m f=4", "a?m f=1", "c!m f=1", "c!m f=4", "c!n"];
    check(model, &events, &Question::ACCEPT, None, Pass);
}

/// A loop that cannot begin another iteration has some that go on: their values are compared all the same.
#[test]
fn unlogged_values_of_iterations_that_outlive_their_loop() {
    let model = "strict(loopP(fresh x)(c -- n[b.f = x] -> b), b -- m -> a)";
    let events = ["c!n", "c!n", "b?n", "b?n", "b!m", "a?m"];
    check(model, &events, &Question::ACCEPT, None, WeakPass);
    check(model, &events[1..3], &Question::ACCEPT, None, Fail);
    let one = ["c!n", "b?n", "b!m", "a?m"];
    check(model, &one, &Question::ACCEPT, None, Pass);
    let model = "seq(loopP(fresh x)(seq(a!m[g = x], c!n)), a -- m -> c)";
    let events = ["a!m", "a!m", "a!m", "c!n", "c!n", "c?m"];
    check(model, &events, &Question::ACCEPT, None, WeakPass);
}

/// The ends of a rendez-vous have no order among each other, but what follows comes after both.
#[test]
fn times_of_a_rendez_vous() {
    let model = "new(x)(seq(b -- <synch> n[b at least 2ns after x] -> c, b!m[b at x]))";
    check(model, &[], &Question::MULTI_PREFIX, None, Fail);
}

#[test]
fn clocks() {
    let model = "new(s)(seq(a -- m[a at s] -> b, b!n[b within 5ns of s]))";
    let events = |end: &'static str| ["a!m time=1", "b?m", end];
    let accept = &Question::ACCEPT;
    check(model, &events("b!n time=4"), accept, Some(2), Pass);
    check(model, &events("b!n time=5"), accept, Some(2), WeakPass);
    check(model, &events("b!n time=8"), accept, Some(2), WeakPass);
    check(model, &events("b!n time=9"), accept, Some(2), Fail);
    check(model, &events("b!n time=4"), accept, None, WeakPass);
    check(model, &events("b!n time=99"), accept, None, WeakPass);
}
