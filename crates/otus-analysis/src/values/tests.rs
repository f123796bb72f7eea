//! Small cases whose verdict can be seen. otus-testkit compares the engines with the definition.

use otus_core::{Action, Value, lower};
use otus_syntax::{Rational, Source, parse_spec};
use otus_trace::multitrace::{Builder, ComponentId};
use otus_trace::{Facts, Partition};

use super::*;

/// `client!PUBLISH mid=1 time=0` for each event; the components are the lifelines.
#[track_caller]
fn verdict(model: &str, events: &[&str], question: &Question, clocks: Clocks) -> Verdict {
    analyze(model, events, question, clocks).0
}

struct Prepared {
    lowered: otus_core::Lowered,
    valued: Box<Valued>,
    trace: MultiTrace,
    facts: Facts,
    partition: Partition,
}

/// A model, and events with their values.
#[track_caller]
fn prepare(model: &str, events: &[&str]) -> Prepared {
    let text = format!("@lifeline{{a;b;c}} @message{{m;n;k}} {model}");
    let parsed = parse_spec(&Source::new("model.hsf", text));
    assert_eq!(parsed.diagnostics, []);
    let mut lowered = lower(&[&parsed.tree]);
    assert_eq!(lowered.diagnostics, []);
    let valued = lowered.valued.take().expect("the model has values");
    let partition = Partition::discrete(3);
    let mut builder = Builder::new(partition.clone(), events.len(), false);
    let mut values = Vec::new();
    for (component, lifeline) in ["a", "b", "c"].into_iter().enumerate() {
        for event in events.iter().filter(|event| event.starts_with(lifeline)) {
            let mut words = event.split(' ');
            let action = words.next().unwrap_or("");
            let signature = lowered.pool.signature();
            let own = signature.lifeline(lifeline).unwrap();
            let message = signature.message(&action[2..]).unwrap();
            let action = match &action[1..2] {
                "!" => Action::emission(own, message),
                _ => Action::reception(own, message),
            };
            builder.push(lowered.pool.intern_action(action), 0);
            builder.next_moment();
            values.push((component, words.collect::<Vec<_>>()));
        }
        builder.next_component();
    }
    let trace = builder.finish(otus_syntax::SourceId::default());
    let mut facts = Facts::unknown(&trace, valued.fields.items.len());
    let mut steps = [0; 3];
    for (component, words) in values {
        for word in words {
            let (field, value) = word.split_once('=').unwrap();
            let Some(field) = valued.field(field) else { continue };
            let value = match Rational::parse(value) {
                Some(number) => Value::Number(number),
                None => Value::Text(value.into()),
            };
            facts.set(
                field,
                ComponentId(u32::try_from(component).unwrap()),
                steps[component],
                value,
            );
        }
        steps[component] += 1;
    }
    Prepared { lowered, valued, trace, facts, partition }
}

/// The verdict of all engines, and the failure that the default one tells.
#[track_caller]
fn analyze(
    model: &str,
    events: &[&str],
    question: &Question,
    clocks: Clocks,
) -> (Verdict, Option<ValueFailure>) {
    let Prepared { lowered, valued, trace, facts, partition } = prepare(model, events);
    let term = lowered.term.unwrap();
    let mut found = Vec::new();
    let mut failure = None;
    for keyed in [true, false] {
        for relax in [true, false] {
            let options = ValueOptions { skeleton: false, keyed, relax, constants: keyed };
            let mut engine =
                ValueEngine::with_options(&lowered.pool, term, &valued, &partition, options);
            let budget = Budget::default();
            let verdict = engine.analyze(&trace, &facts, clocks, question, &budget).verdict;
            if verdict >= Verdict::WeakPass {
                let mut pool = lowered.pool.clone();
                let witness = engine
                    .witness(&mut pool, &trace, &facts, clocks, None, question, verdict, &budget)
                    .expect("there is a witness");
                let (trace, facts, valued) = (&trace, &facts, &*valued);
                let case = certify::ValuedCase { valued, trace, facts, clocks };
                let certified = certify::certify(&mut pool, case, (question, verdict), &witness);
                assert_eq!(certified, Ok(()), "{model}");
                if verdict == Verdict::WeakPass {
                    let pass = (question, Verdict::Pass);
                    assert!(certify::certify(&mut pool, case, pass, &witness).is_err());
                }
            }
            found.push(verdict);
            let (trace, facts, valued) = (&trace, &facts, &*valued);
            let case = certify::ValuedCase { valued, trace, facts, clocks };
            let own = engine.failure();
            let refuted = refute::refute(&lowered.pool, case, question, own, &budget);
            if let Ok(certificate) = refuted {
                assert_eq!(verdict, Verdict::Fail, "{model}: {events:?}");
                let checked = refute::check(&lowered.pool, case, question, &certificate);
                assert_eq!(checked, Ok(()), "{model}: {events:?}");
            } else {
                assert_ne!(verdict, Verdict::Fail, "{model}: {events:?}: no certificate");
            }
            failure = failure.or(engine.failure().cloned());
        }
    }
    assert!(found.iter().all(|verdict| *verdict == found[0]), "{model}: {events:?}: {found:?}");
    (found[0], failure)
}

#[track_caller]
fn check(model: &str, events: &[&str], question: &Question, expected: Verdict) {
    assert_eq!(
        verdict(model, events, question, Clocks::default()),
        expected,
        "{model}: {events:?}"
    );
}

const SESSION: &str = "loopP(fresh x)(new(s)(seq(a -- m[id = x, a at s] -> b, b -- n[id = x, a within 2s of s] -> a)))";

#[test]
fn a_reply_answers_its_request() {
    use Verdict::{Fail, Pass, WeakPass};
    let accept = &Question::ACCEPT;
    check("a -- m[k = 1] -> b", &["a!m k=1", "b?m k=1"], accept, Pass);
    check("a -- m[k = 1] -> b", &["a!m k=1", "b?m k=2"], accept, Fail);
    check("a -- m[k = 1] -> b", &["a!m k=1", "b?m"], accept, WeakPass);
    check("a -- m[=k] -> b", &["a!m k=1", "b?m k=1"], accept, Pass);
    check("a -- m[=k] -> b", &["a!m k=1", "b?m k=2"], accept, Fail);
    check("a -- m[=k] -> b", &["a!m k=1", "b?m"], accept, WeakPass);
    check("alt(a!m[k > 3], a!m[k <= 3])", &["a!m"], accept, WeakPass);
    let right = &[
        "a!m id=1 time=0",
        "a!m id=2 time=1",
        "a?n id=2 time=5",
        "a?n id=1 time=6",
        "b?m id=1",
        "b?m id=2",
        "b!n id=1",
        "b!n id=2",
    ];
    check(SESSION, right, accept, Pass);
    let wrong = &["a!m id=1 time=0", "a?n id=2 time=5", "b?m id=1", "b!n id=1"];
    check(SESSION, wrong, accept, Fail);
    let again = &[
        "a!m id=1 time=0",
        "a?n id=1 time=5",
        "a!m id=1 time=6",
        "a?n id=1 time=7",
        "b?m id=1",
        "b!n id=1",
        "b?m id=1",
        "b!n id=1",
    ];
    check(SESSION, again, accept, Fail);
    check(
        &SESSION.replace("fresh x)(new(s)", "new(x, s)").replace("))))", ")))"),
        &["a!m id=1 time=0", "b?m id=1", "b!n id=1", "a?n id=1 time=3"],
        accept,
        Pass,
    );
}

#[test]
fn a_reply_comes_in_time() {
    use Verdict::{Fail, Pass, WeakPass};
    let accept = &Question::ACCEPT;
    let late = &["a!m id=1 time=0", "a?n id=1 time=3000000000", "b?m id=1", "b!n id=1"];
    check(SESSION, late, accept, Fail);
    // The reply is missing, and the log goes on for more than two seconds.
    let open = &["a!m id=1 time=0", "b?m id=1"];
    check(SESSION, open, &Question::MULTI_PREFIX, WeakPass);
    let overdue = &["a!m id=1 time=0", "a!m id=2 time=3000000000", "b?m id=1"];
    check(SESSION, overdue, &Question::MULTI_PREFIX, Fail);
    check(SESSION, overdue, &Question::GlobalPrefix, Fail);
    let soon = &["a!m id=1 time=0", "a!m id=2 time=1000000000", "b?m id=1"];
    check(SESSION, soon, &Question::MULTI_PREFIX, WeakPass);
    check(SESSION, soon, &Question::GlobalPrefix, WeakPass);
    let across = "new(s)(a -- m[a at s, b within 1s of s] -> b)";
    let events = &["a!m time=0", "b?m time=1500000000"];
    let with = |uncertainty| verdict(across, events, accept, Clocks { uncertainty });
    assert_eq!(with(None), WeakPass);
    assert_eq!(with(Some(100_000_000)), Fail);
    assert_eq!(with(Some(600_000_000)), WeakPass);
    let close = &["a!m time=0", "b?m time=500000000"];
    let with = |uncertainty| verdict(across, close, accept, Clocks { uncertainty });
    assert_eq!(with(Some(100_000_000)), Pass);
    assert_eq!(with(Some(600_000_000)), WeakPass);
}

#[test]
fn sessions_together_can_be_a_cycle() {
    let cycle = &[
        "a!m id=1", "a?n id=1", "a!m id=2", "a?n id=2", "b?m id=2", "b!n id=1", "b?m id=1",
        "b!n id=2",
    ];
    let model = "loopP(fresh x)(seq(a -- m[id = x] -> b, b -- n[id = x] -> a))";
    check(model, cycle, &Question::ACCEPT, Verdict::Fail);
    let ordered = &[
        "a!m id=1", "a!m id=2", "a?n id=1", "a?n id=2", "b?m id=2", "b?m id=1", "b!n id=1",
        "b!n id=2",
    ];
    check(model, ordered, &Question::ACCEPT, Verdict::Pass);
}

#[test]
fn failures_say_what_is_wrong() {
    let cause = |events: &[&str], question: &Question| {
        let (verdict, failure) = analyze(SESSION, events, question, Clocks::default());
        assert_eq!(verdict, Verdict::Fail);
        failure.expect("a failure is explained")
    };
    let accept = &Question::ACCEPT;
    let place = |component, step| LogPlace { component: ComponentId(component), step };
    let late = &["a!m id=1 time=0", "a?n id=1 time=3000000000", "b?m id=1", "b!n id=1"];
    let found = cause(late, accept);
    assert_eq!(found.at, Some(place(0, 1)));
    assert_eq!(
        found.cause,
        ValueCause::TooLate(Elapsed {
            elapsed: 3_000_000_000,
            allowed: 2_000_000_000,
            uncertainty: None,
            since: Some(place(0, 0))
        })
    );
    let other = &["a!m id=1 time=0", "a?n id=2 time=5", "b?m id=1", "b!n id=1"];
    // One session waits for such an event, so its id is wrong; none does, so it belongs to no session.
    let found = cause(other, accept).cause;
    let ValueCause::WrongValue { wanted, since, .. } = found else { panic!("{found:?}") };
    assert_eq!((wanted, since), (vec![Value::integer(1)], Some(place(0, 0))));
    let none = &["a?n id=2 time=5"];
    let found = cause(none, &Question::MULTI_PREFIX).cause;
    assert!(matches!(found, ValueCause::NoSession { open_count: 0, .. }), "{found:?}");
    let again = &["a!m id=1 time=0", "a!m id=1 time=1", "b?m id=1", "b!n id=1"];
    assert!(matches!(cause(again, accept).cause, ValueCause::UsedAgain { .. }));
    let overdue = &["a!m id=1 time=0", "a!m id=2 time=3000000000", "b?m id=1"];
    let found = cause(overdue, &Question::MULTI_PREFIX).cause;
    let ValueCause::Missing { overdue, .. } = found else { panic!("{found:?}") };
    let overdue = overdue.expect("a deadline passed");
    assert_eq!((overdue.time.elapsed, overdue.time.allowed), (3_000_000_000, 2_000_000_000));
    assert_eq!((overdue.time.since, overdue.end), (Some(place(0, 0)), place(0, 1)));
    let unfinished = &["a!m id=1 time=0", "b?m id=1"];
    assert!(matches!(cause(unfinished, accept).cause, ValueCause::Missing { overdue: None, .. }));
    let cycle = &[
        "a!m id=1 time=0",
        "a?n id=1 time=0",
        "a!m id=2 time=0",
        "a?n id=2 time=0",
        "b?m id=2",
        "b!n id=1",
        "b?m id=1",
        "b!n id=2",
    ];
    // a?n(1) is before a!m(2), which b?m(2) needs; that is before b!n(1), which a?n(1) needs.
    let links = [
        Waiting { at: place(0, 1), before: place(0, 2) },
        Waiting { at: place(1, 0), before: place(1, 1) },
    ];
    assert_eq!(cause(cycle, accept).cause, ValueCause::Cycle(links.into()));
    let model = "alt(a!m[k > 3], a!n)";
    let (_, failure) = analyze(model, &["a!m k=2"], accept, Clocks::default());
    let found = failure.map(|failure| failure.cause);
    assert!(matches!(found, Some(ValueCause::WrongValue { .. })), "{found:?}");
}

#[test]
fn sessions_stand_between_other_parts() {
    use Verdict::{Fail, Pass};
    let model = "seq(a -- k -> b, loopP(fresh x)(seq(a -- m[id = x] -> b, b -- n[id = x] -> a)), a -- k -> c)";
    let accept = &Question::ACCEPT;
    let session = ["a!m id=1", "a?n id=1"];
    let other = ["b?m id=1", "b!n id=1"];
    let all = |first: &[&'static str], last: &[&'static str]| {
        [first, &session, last, &["b?k"], &other, &["c?k"]].concat()
    };
    check(model, &all(&["a!k"], &["a!k"]), accept, Pass);
    check(model, &all(&["a!k"], &["a!k", "a!m id=2"]), accept, Fail);
    check(
        model,
        &["a!k", "a!m id=1", "a!k", "a?n id=1", "b?k", "b?m id=1", "b!n id=1", "c?k"],
        accept,
        Fail,
    );
    check(&model.replace("seq(a -- k", "strict(a -- k"), &all(&["a!k"], &["a!k"]), accept, Pass);
}

/// Cases in which an engine and the oracle once differed.
#[test]
fn found_by_the_oracle() {
    use Verdict::{Fail, Pass, WeakPass};
    let cut = &Question::MULTI_PREFIX;
    // An event that cannot happen cannot happen unobserved either.
    check("a!m[k != 2, k = 2]", &[], cut, Fail);
    // A value that only a guard gives to a variable.
    check("new(x)(b!m[f = 3, f = x])", &[], cut, WeakPass);
    // An unobserved event of a session carries its key.
    check("loopP(fresh x)(a -- m[g = x, b.g ~ \"p*\"] -> b)", &["a!m g=q"], cut, Fail);
    check("loopP(fresh x)(a -- m[g = x, b.g ~ \"p*\"] -> b)", &["a!m g=p1"], cut, WeakPass);
    // What stands before the sessions may be unobserved.
    check("strict(m -> c, loopP(fresh x)(b!m[f = x]))", &["b!m f=2"], cut, WeakPass);
    // Of several stages that could begin, the first one begins.
    let stages = "strict(strict(a!m, loopP(fresh x)(b!n[b.g = x])), a!n)";
    check(stages, &["a!m", "a!n", "b!n g=1"], &Question::ACCEPT, Pass);
    // An iteration in which the variable does not occur is compared with nothing.
    check("loopP(fresh x)(alt(b!m[f = x], a!n))", &["b!m", "a!n"], &Question::ACCEPT, Pass);
    check("loopP(fresh x)(alt(b!m[f = x], a!n))", &["b!m", "b!m"], &Question::ACCEPT, WeakPass);
    check("new(x, y)(c!n[c.f = x, f = y])", &["c!n"], &Question::ACCEPT, Pass);
}

/// Sessions in flight, some of which use their id again, with a witness that is certified.
#[test]
fn many_sessions_have_a_witness() {
    let model = "loopP(fresh x)(loopW(new(s)(seq(a -- m[g = x, a at s] -> b, b -- n[g = x, a within 9s of s] -> a))))";
    let mut events = Vec::new();
    let mut time = 0;
    for wave in 0..3 {
        for message in ["a!m", "b?m", "b!n", "a?n"] {
            for id in 0..40 {
                time += 1;
                let id = (id * 7 + wave) % 40;
                events.push(format!("{message} g={id} time={time}"));
            }
        }
    }
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let (pass, budget) = ((&Question::ACCEPT, Verdict::Pass), Budget::default());
    let prepared = prepare(model, &events);
    let Prepared { lowered, valued, trace, facts, partition } = &prepared;
    let term = lowered.term.unwrap();
    let mut engine = ValueEngine::new(&lowered.pool, term, valued, partition);
    let clocks = Clocks::default();
    let verdict = engine.analyze(trace, facts, clocks, pass.0, &budget).verdict;
    assert_eq!(verdict, Verdict::Pass);
    let mut pool = lowered.pool.clone();
    let witness =
        engine.witness(&mut pool, trace, facts, clocks, None, pass.0, pass.1, &budget).unwrap();
    let case = certify::ValuedCase { valued, trace, facts, clocks };
    assert_eq!(certify::certify(&mut pool, case, pass, &witness), Ok(()));
    assert_eq!(witness.witness.steps.len(), events.len());
    // Positions stay short although there are many sessions.
    let longest =
        witness.witness.steps.iter().filter_map(|step| Some(step.event()?.position.len()));
    assert!(longest.max().unwrap() < 60);
    let mut wrong = witness.clone();
    let own = wrong.variables.values_mut().next().unwrap();
    *own = "wrong".into();
    assert!(certify::certify(&mut pool, case, pass, &wrong).is_err());
    let mut missing = witness;
    missing.witness.steps.pop();
    missing.leaves.pop();
    missing.assumed.pop();
    assert!(certify::certify(&mut pool, case, pass, &missing).is_err());
}
