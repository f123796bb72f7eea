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
                    .unwrap_or_else(|| panic!("there is a witness: {options:?}"));
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
    // What stands beside sessions can have a part that ends while another one goes on.
    let parallel = "strict(par(c!n, b -- k -> a), loopP(fresh x)(a!m[g = x]))";
    check(parallel, &["b!k", "c!n", "a?k"], &Question::ACCEPT, Pass);
    check(parallel, &["b!k", "c!n", "a?k", "a!m g=1"], &Question::ACCEPT, Pass);
    // The key of a session whose only events are in sessions inside it.
    let inside = "loopP(fresh x)(seq(c!m[g = x, c.g in {\"p1\", 2}], loopP(fresh y)(a!n[g = x, f = y]), b!k[g = x]))";
    check(inside, &["a!n f=1 g=7"], &Question::GlobalPrefix, Fail);
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

/// Many exchanges in flight in each of two connections, which use the same ids: an exchange is found by both keys.
#[test]
fn many_sessions_inside_sessions_have_a_witness() {
    let model =
        "loopP(fresh o)(loopP(fresh x)(seq(a -- m[f = o, g = x] -> b, b -- n[f = o, g = x] -> a)))";
    let mut events = Vec::new();
    for message in ["a!m", "b?m", "b!n", "a?n"] {
        for id in 0..60 {
            for connection in 0..2 {
                let id = if message.starts_with('a') { id } else { (id * 7) % 60 };
                events.push(format!("{message} f={connection} g={id}"));
            }
        }
    }
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let (pass, budget) = ((&Question::ACCEPT, Verdict::Pass), Budget::default());
    let Prepared { lowered, valued, trace, facts, partition } = prepare(model, &events);
    let mut engine = ValueEngine::new(&lowered.pool, lowered.term.unwrap(), &valued, &partition);
    let clocks = Clocks::default();
    let verdict = engine.analyze(&trace, &facts, clocks, pass.0, &budget).verdict;
    assert_eq!(verdict, Verdict::Pass);
    let mut pool = lowered.pool;
    let witness =
        engine.witness(&mut pool, &trace, &facts, clocks, None, pass.0, pass.1, &budget).unwrap();
    let case = certify::ValuedCase { valued: &valued, trace: &trace, facts: &facts, clocks };
    assert_eq!(certify::certify(&mut pool, case, pass, &witness), Ok(()));
}

/// A term has one leader, so the events of the two branches exclude each other: no order is searched for.
#[test]
fn branches_that_exclude_each_other_are_confluent() {
    let model = "loopP(fresh t)(alt(a!m[f = t], b!m[f = t]))";
    let (verdict, failure) =
        analyze(model, &["a!m f=1", "b!m f=2", "b!m f=1"], &Question::ACCEPT, Clocks::default());
    assert_eq!(verdict, Verdict::Fail);
    let since = LogPlace { component: ComponentId(0), step: 0 };
    let cause = failure.expect("values are why").cause;
    let ValueCause::UsedAgain { since: found, .. } = cause else { panic!("{cause:?}") };
    assert_eq!(found, Some(since));
    let Prepared { lowered, valued, partition, .. } = prepare(model, &[]);
    let reports = loops(&lowered.pool, &valued, &partition);
    assert_eq!(reports[0].is_confluent, Some(true));
}

/// Found by the oracle: an unobserved b!n lets a?n happen, but excludes c!n, which was observed.
#[test]
fn unobserved_events_exclude_others() {
    let model = "new(x)(alt(c -- n[f = x] -> a, b -- n -> a))";
    check(model, &["a?n", "c!n"], &Question::MULTI_PREFIX, Verdict::WeakPass);
    check(model, &["a?n f=1", "c!n f=1"], &Question::MULTI_PREFIX, Verdict::Pass);
    check(model, &["a?n f=1", "c!n f=2"], &Question::MULTI_PREFIX, Verdict::Fail);
}

/// After b!n, another iteration of the inner loop may begin with a!m, so a!m and b!n do not exclude each other.
#[test]
fn branches_of_a_loop_do_not_exclude_each_other() {
    let model = "loopP(fresh t)(loopS(alt(a!m[f = t], seq(b!n[f = t], a!k[f = t]))))";
    let Prepared { lowered, valued, partition, .. } = prepare(model, &[]);
    let reports = loops(&lowered.pool, &valued, &partition);
    assert_eq!(reports[0].is_confluent, Some(false));
    check(model, &["b!n f=1", "a!k f=1", "a!m f=1"], &Question::ACCEPT, Verdict::Pass);
    check(model, &["b!n f=1", "a!m f=1", "a!k f=1"], &Question::ACCEPT, Verdict::Pass);
}

const CONNECTIONS: &str = "loopP(fresh x)(seq(a -- m[g = x] -> b, loopP(fresh y)(seq(a -- n[g = x, id = y] -> b, b -- n[g = x, id = y] -> a)), a -- k[g = x] -> b))";

/// The events of two connections with one exchange each that has the same id.
fn connections() -> Vec<&'static str> {
    vec![
        "a!m g=1",
        "a!m g=2",
        "a!n g=1 id=5",
        "a!n g=2 id=5",
        "a?n g=2 id=5",
        "a?n g=1 id=5",
        "a!k g=2",
        "a!k g=1",
        "b?m g=1",
        "b?m g=2",
        "b?n g=2 id=5",
        "b!n g=2 id=5",
        "b?n g=1 id=5",
        "b!n g=1 id=5",
        "b?k g=1",
        "b?k g=2",
    ]
}

/// The verdict of the default engine, found by keys alone. (Without them, the search would take very long.)
#[track_caller]
fn looked_up(model: &str, events: &[&str], question: &Question, expected: Verdict) {
    let Prepared { lowered, valued, trace, facts, partition } = prepare(model, events);
    let term = lowered.term.unwrap();
    let mut engine = ValueEngine::new(&lowered.pool, term, &valued, &partition);
    let budget = Budget { max_states: Some(10_000), ..Budget::default() };
    let clocks = Clocks::default();
    let verdict = engine.analyze(&trace, &facts, clocks, question, &budget).verdict;
    let found = (verdict, engine.decided_by());
    assert_eq!(found, (expected, DecidedBy::Keys), "{model}: {events:?}");
    let mut pool = lowered.pool;
    let witness =
        engine.witness(&mut pool, &trace, &facts, clocks, None, question, verdict, &budget);
    if let Some(witness) = witness.filter(|_| verdict >= Verdict::WeakPass) {
        let (trace, facts, valued) = (&trace, &facts, &*valued);
        let case = certify::ValuedCase { valued, trace, facts, clocks };
        assert_eq!(certify::certify(&mut pool, case, (question, verdict), &witness), Ok(()));
    }
}

#[test]
fn sessions_inside_sessions() {
    use Verdict::{Fail, Pass, WeakPass};
    let accept = &Question::ACCEPT;
    let all = connections();
    looked_up(CONNECTIONS, &all, accept, Pass);
    // A log that is cut, at every place.
    for left in 0..8 {
        let cut = [&all[..left], &all[8..]].concat();
        looked_up(CONNECTIONS, &cut, &Question::MULTI_PREFIX, WeakPass);
        looked_up(CONNECTIONS, &cut, accept, Fail);
    }
    // The connection is closed while an exchange is open, on the log that has more of it.
    let early = |event: &str, before: &str| {
        let mut events = all.clone();
        let moved = events.remove(events.iter().position(|own| *own == event).unwrap());
        events.insert(events.iter().position(|own| *own == before).unwrap(), moved);
        events
    };
    looked_up(CONNECTIONS, &early("a!k g=1", "a?n g=1 id=5"), accept, Fail);
    looked_up(CONNECTIONS, &early("b?k g=1", "b!n g=1 id=5"), &Question::MULTI_PREFIX, Fail);
    // The next connection with the same number begins when the last one is over.
    let again = CONNECTIONS.replace("(seq(a -- m", "(loopW(seq(a -- m") + ")";
    let local = |component: &str| {
        let own = all.iter().filter(|event| event.starts_with(component));
        own.copied().collect::<Vec<_>>()
    };
    let twice = [local("a"), local("a"), local("b"), local("b")].concat();
    looked_up(&again, &twice, accept, Pass);
    looked_up(CONNECTIONS, &twice, accept, Fail);
}

#[test]
fn failures_of_sessions_inside_sessions() {
    let cause = |change: &dyn Fn(&mut Vec<&'static str>)| {
        let mut events = connections();
        change(&mut events);
        let clocks = Clocks::default();
        let (verdict, failure) = analyze(CONNECTIONS, &events, &Question::ACCEPT, clocks);
        assert_eq!(verdict, Verdict::Fail);
        failure.expect("a failure is explained").cause
    };
    let replace = |events: &mut Vec<&'static str>, old: &str, new: &'static str| {
        let at = events.iter().position(|own| *own == old).unwrap();
        events[at] = new;
    };
    // The id of an exchange that never began; two are open where it could belong.
    let wrong = cause(&|events| replace(events, "a?n g=2 id=5", "a?n g=2 id=6"));
    assert!(matches!(wrong, ValueCause::WrongValue { .. }), "{wrong:?}");
    // A connection that never began.
    let none = cause(&|events| replace(events, "a!n g=2 id=5", "a!n g=3 id=5"));
    assert!(matches!(none, ValueCause::NoSession { open_count: 2, .. }), "{none:?}");
    // An id that is used again in the same connection.
    let again = cause(&|events| events.insert(6, "a!n g=1 id=5"));
    assert!(matches!(again, ValueCause::UsedAgain { .. }), "{again:?}");
    // An exchange, and a connection, that do not end.
    let open =
        cause(&|events| events.retain(|own| !own.contains("k g=1") && *own != "a?n g=1 id=5"));
    assert!(matches!(open, ValueCause::Missing { .. }), "{open:?}");
}

#[test]
fn sessions_stand_between_messages_of_cut_logs() {
    use Verdict::{Fail, WeakPass};
    let model = "seq(a -- m -> b, loopP(fresh x)(seq(a -- n[id = x] -> b, b -- n[id = x] -> a)), a -- k -> b)";
    let a = ["a!m", "a!n id=1", "a!n id=2", "a?n id=2", "a?n id=1", "a!k"];
    let b = ["b?m", "b?n id=2", "b!n id=2", "b?n id=1", "b!n id=1", "b?k"];
    for left in 0..6 {
        check(model, &[&a[..left], &b[..]].concat(), &Question::MULTI_PREFIX, WeakPass);
        check(model, &[&a[..], &b[..left]].concat(), &Question::MULTI_PREFIX, WeakPass);
    }
    // The last message came before an exchange was over there.
    let early = ["b?m", "b?n id=2", "b!n id=2", "b?n id=1", "b?k", "b!n id=1"];
    check(model, &[&a[..3], &early].concat(), &Question::MULTI_PREFIX, Fail);
}

/// Loops that share actions and carry the same key are one loop of sessions.
#[test]
fn loops_of_one_key_are_one() {
    use Verdict::{Fail, Pass, WeakPass};
    let one = |to: &str| format!("loopP(fresh x)(seq(a!m[id = x], alt(m[id = x] -> {to}, o)))");
    let model = format!("par({}, {})", one("b"), one("c"));
    let events =
        ["a!m id=1", "a!m id=1", "a!m id=2", "a!m id=2", "b?m id=1", "c?m id=1", "b?m id=2"];
    check(&model, &events, &Question::ACCEPT, Pass);
    check(&model, &[&events[..], &["b?m id=1"]].concat(), &Question::ACCEPT, Fail);
    check(&model, &events[1..], &Question::SLICE, WeakPass);
}

/// Windows of overlapping sessions, of which most began before or end after them.
#[test]
fn slices_of_sessions() {
    let model = "loopP(fresh x)(loopW(new(s)(seq(a -- m[g = x, a at s] -> b, b -- n[g = x] -> a, a -- k[g = x, a within 99s of s] -> b))))";
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for round in 0..3 {
        for action in ["!m", "?n", "!k"] {
            for id in 0..12 {
                a.push(format!("a{action} g={id} time={}", a.len()));
                let other = action.replace(['!', '?'], if action == "?n" { "!" } else { "?" });
                b.push(format!("b{other} g={} time={round}", (id * 5) % 12));
            }
        }
    }
    for (from, to) in [(10, 30), (40, 80), (5, 90)] {
        let events: Vec<&str> =
            a[from..to].iter().chain(&b[from + 3..to - 2]).map(|it| &**it).collect();
        let Prepared { lowered, valued, trace, facts, partition } = prepare(model, &events);
        let mut engine =
            ValueEngine::new(&lowered.pool, lowered.term.unwrap(), &valued, &partition);
        let budget = Budget { max_states: Some(20_000), ..Budget::default() };
        let clocks = Clocks::default();
        let found = engine.analyze(&trace, &facts, clocks, &Question::SLICE, &budget);
        assert_eq!((found.verdict, engine.decided_by()), (Verdict::WeakPass, DecidedBy::Sessions));
    }
}

/// Sessions that no key tells apart, so many that each event fits few of those that are open.
#[test]
fn many_open_sessions_without_a_key() {
    let model = "loopP(seq(a -- m[=g] -> b, b -- n[=g] -> a))";
    let count = 40;
    let logs = |wrong: Option<usize>| {
        let sent = (0..count).map(|id| format!("a!m g={id}"));
        let received = (0..count).rev().map(|id| {
            let id = if wrong == Some(id) { count } else { id };
            format!("b?m g={id}")
        });
        let replied = (0..count).map(|id| format!("b!n g={id}"));
        let answered = (0..count).rev().map(|id| format!("a?n g={id}"));
        sent.chain(received).chain(replied).chain(answered).collect::<Vec<String>>()
    };
    for (wrong, expected) in [(None, Verdict::Pass), (Some(7), Verdict::Fail)] {
        let logs = logs(wrong);
        let events: Vec<&str> = logs.iter().map(|event| &**event).collect();
        let Prepared { lowered, valued, trace, facts, partition } = prepare(model, &events);
        let mut engine =
            ValueEngine::new(&lowered.pool, lowered.term.unwrap(), &valued, &partition);
        let (question, clocks) = (&Question::ACCEPT, Clocks::default());
        let budget = Budget::default();
        let found = engine.analyze(&trace, &facts, clocks, question, &budget).verdict;
        assert_eq!(found, expected, "{wrong:?}");
        if found == Verdict::Pass {
            let mut pool = lowered.pool.clone();
            let witness = engine
                .witness(&mut pool, &trace, &facts, clocks, None, question, found, &budget)
                .expect("there is a witness");
            let case =
                certify::ValuedCase { valued: &valued, trace: &trace, facts: &facts, clocks };
            let certified = certify::certify(&mut pool, case, (question, found), &witness);
            assert_eq!(certified, Ok(()));
        }
    }
}

/// What stands beside sessions is a session without a key, and its events need not carry values.
#[test]
fn logs_without_values_beside_sessions() {
    let model = "par(m[g < 2] -> c, loopP(fresh x)(c!m[f = x]))";
    for question in [Question::MULTI_PREFIX, Question::SLICE] {
        let found = verdict(model, &["c?m"], &question, Clocks::default());
        assert_eq!(found, Verdict::WeakPass, "{question:?}");
    }
}

#[test]
fn engines_can_move_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Engine>();
    is_send::<ValueEngine>();
    is_send::<crate::live::Live>();
    is_send::<crate::live::values::LiveValues>();
}
