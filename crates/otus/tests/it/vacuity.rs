//! Formulas that say nothing, histories, and quantifiers over processes.

use std::fs;
use std::path::Path;

use otus::ctl::{self, Answer, Order, Request, WarningKind};
use otus::{Context, Texts};

/// Two members: `a` leads in term 1 and resigns, then `b` leads in term 2. `limit` is set by nobody.
fn order() -> Order {
    let mut order = Order::new();
    order.initial("limit", 3);
    order.event("a").set("a.role", "leader").set("a.term", 1).set("x", 1);
    let resigned = order.event("a").set("a.role", "follower").set("a.term", 2).label("resign").id();
    order.event("b").set("b.role", "candidate").set("b.term", 2).after(resigned);
    order.event("b").set("b.role", "leader").set("x", 2);
    order.event("b").set("done", true);
    order
}

fn warnings(answer: &Answer) -> Vec<String> {
    answer.warnings.iter().map(|warning| format!("{:?}: {warning}", warning.kind)).collect()
}

#[track_caller]
fn check(formula: &str, expected: &[&str]) {
    let answer = order().check(formula).unwrap();
    assert_eq!(warnings(&answer), expected, "{answer}");
}

#[test]
fn ten_formulas_that_say_nothing() {
    let leader = "did you mean \"leader\"?";
    check(
        "AG(a.role = Leader -> AF done)",
        &[&format!("UnknownValue: `a.role` is never \"Leader\"; {leader}")],
    );
    check(
        "never(a.role = laeder)",
        &[&format!("UnknownValue: `a.role` is never \"laeder\"; {leader}")],
    );
    check("never(x = 7)", &["UnknownValue: `x` is never 7; its values are 0, 1, 2"]);
    check(
        "EF a.role in {follower, boss}",
        &[
            "UnknownValue: `a.role` is never \"boss\"; its values are \"\", \"leader\", \"follower\", \"candidate\"",
        ],
    );
    let never =
        "so nothing is required at any cut; check the condition, or a trace in which it holds";
    check("AG(x > 5 -> AF done)", &[&format!("NeverHolds: `x > 5` holds at no cut, {never}")]);
    check(
        "response(a.role = leader & b.role = leader, done)",
        &[&format!(
            "NeverHolds: `(a.role = \"leader\" & b.role = \"leader\")` holds at no cut, {never}"
        )],
    );
    check(
        "AG(limit = 3)",
        &["NoEvent: no event of the trace changes what this formula reads; events set a.role, \
           a.term, x, b.role, b.term, done"],
    );
    check(
        "AG(limit = 3 | x < 9)",
        &[
            "Constant: `limit = 3` is true at every cut; no event changes it: check its variable",
            "Constant: `x < 9` is true at every cut; the answer does not depend on it: check its \
             variable and its value",
        ],
    );
    check(
        "AF(x >= 0)",
        &["AtOnce: it holds at the first cut already, before any event; say what must have \
           happened first, or ask for all cuts by AG"],
    );
    check(
        "AG(count(a.resing) = 0)",
        &[
            "UnknownValue: no event of the trace has the label `resing`, so this is 0; did you \
             mean `resign`?",
            "NoEvent: no event of the trace changes what this formula reads; events set a.role, \
             a.term, x, b.role, b.term, done",
        ],
    );
    check(
        "at_most_one(m, role = boss, per term)",
        &["UnknownValue: `a.role` is never \"boss\"; its values are \"\", \"leader\", \
           \"follower\", \"candidate\""],
    );
    check(
        "EF true",
        &["NoEvent: no event of the trace changes what this formula reads; events set a.role, \
         a.term, x, b.role, b.term, done"],
    );
}

#[test]
fn formulas_that_say_something() {
    for formula in [
        "true",
        "AG(x < 3)",
        "EF x = 7",
        "never(x = 2 & a.role = leader)",
        "AG(a.role = leader -> x = 1)",
        "one_leader(a, b)",
        "at_most_one(m, role = leader, per term)",
        "forall p != q in *: AG !(p.role = leader & q.role = leader)",
        "AG(x = 2 -> EF done)",
        "AG(AX false -> done)",
        "mutex(a.role = candidate, b.role = candidate)",
    ] {
        check(formula, &[]);
    }
}

/// The formulas of the repository that people copy say something.
#[test]
fn no_example_says_nothing() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let mut asked = 0;
    let mut check = |place: &str, trace: &str, formulas: &str| {
        let files = Texts::default().with("run.pot.json", trace).with("f.ctl", formulas);
        let mut request = Request::new(["run.pot.json".to_owned()]);
        request.files.push("f.ctl".to_owned());
        for answer in ctl::answers(&Context::default().with_files(files), &request).unwrap() {
            assert_eq!(warnings(&answer), Vec::<String>::new(), "{place}: {answer}");
            asked += 1;
        }
    };
    for trace in ["handover", "race"] {
        let place = format!("examples/lock/{trace}.pot.json");
        check(&place, &read(&place), &read("examples/lock/lock.ctl"));
    }
    for page in ["docs/ctl.md", "docs/patterns.md"] {
        let text = read(page);
        let mut trace = String::new();
        for part in text.split("\n```").skip(1).step_by(2) {
            if let Some(json) = part.strip_prefix("pot\n") {
                json.clone_into(&mut trace);
            } else if let Some(formulas) = part.strip_prefix("ctl\n") {
                check(page, &trace, formulas);
            }
        }
    }
    for logs in ["pass", "broken"] {
        let folder = root.join("examples/raft/logs").join(logs);
        let request = Request::new([folder.display().to_string()]);
        for answer in ctl::answers(&Context::default(), &request).unwrap() {
            assert_eq!(warnings(&answer), Vec::<String>::new(), "{answer}");
            asked += 1;
        }
    }
    assert!(asked > 40, "{asked}");
}

#[test]
fn a_limit_ends_the_search_for_warnings_and_says_so() {
    let mut request = Request::new(["run.pot.json".to_owned(), "AG(x = 1 -> AF x = 0)".to_owned()]);
    // The automatic choice of engines decides this formula by the last cut alone.
    request.engine = ctl::Engine::Interval;
    request.limits.max_states = Some(0);
    let trace = r#"{"processes": [{"name": "p", "events": [{"var": "x", "val": 1}]}]}"#;
    let context = Context::default().with_files(Texts::default().with("run.pot.json", trace));
    let answer = ctl::answers(&context, &request).unwrap().remove(0);
    assert_eq!(answer.decided(), None);
    assert!(answer.warnings.is_empty());
}

/// The second leader of a term comes after the first has resigned: never two at a moment, but two in the history.
#[test]
fn a_history_remembers() {
    let mut order = Order::new();
    let resigned = {
        order.event("a").set("a.role", "leader").set("a.term", 4);
        order.event("a").set("a.role", "follower").id()
    };
    order.event("b").set("b.term", 4).after(resigned);
    order.event("b").set("b.role", "leader");
    order.event("c").label("start");
    let moment = order.check("one_leader(a, b, c)").unwrap();
    assert!(moment.holds());
    assert_eq!(
        moment.meaning.as_deref(),
        Some("at no moment two in one term, in every order (AG)")
    );
    assert_eq!(
        warnings(&moment),
        [
            "LeftOut: `c` is left out: the trace has no variable `c.role`; if it should be there, an \
          event must set it: `set` in otus.toml or in the trace"
        ]
    );
    let history = order.check("at_most_one(member, role = leader, per term)").unwrap();
    assert!(!history.holds());
    assert_eq!(
        history.meaning.as_deref(),
        Some("more than one over the whole history, in every order")
    );
    let note = &history.notes[0];
    assert!(
        note.starts_with("`a` and `b` both had role = leader with term = 4: event 1 of a"),
        "{note}"
    );
    let run: Vec<(String, u32)> =
        history.witness().into_iter().map(|step| (step.process, step.position)).collect();
    let run: Vec<(&str, u32)> = run.iter().map(|(process, at)| (&**process, *at)).collect();
    assert_eq!(run, [("a", 1), ("a", 2), ("b", 1), ("b", 2)]);
}

#[test]
fn quantifiers_are_expanded_and_say_so() {
    let answer = order().check("forall p != q in {a, b}: AG !(p.x1 = 1 & q.x1 = 1)").unwrap_err();
    assert!(answer.to_string().contains("the trace has no variable `a.x1`"), "{answer}");
    let answer = order().check("exists p in *: EF p.role = leader").unwrap();
    assert!(answer.holds());
    assert_eq!(answer.notes, ["exists p: 2 choices of processes, of at most 10000"]);
    let answer = order().check("forall p: EF p.role = leader").unwrap();
    assert!(answer.holds());
    let answer = order().check("forall p, q: EF(p.role = leader & q.role = follower)").unwrap();
    assert!(!answer.holds());
    assert_eq!(answer.notes, ["forall p, q: 4 choices of processes, of at most 10000"]);
    let error = order().check("forall p in c*: EF p.role = leader").unwrap_err();
    assert!(error.to_string().contains("no process of the trace has a name like `c*`"), "{error}");
}

#[test]
fn an_assumed_order_is_told() {
    let trace = r#"{"processes": [{"name": "p", "events": [{"var": "x", "val": 1}]},
                                  {"name": "q", "events": [{"var": "x", "val": 2}]}]}"#;
    let context = Context::default().with_files(Texts::default().with("run.pot.json", trace));
    let mut request = Request::new(["run.pot.json".to_owned(), "AF x = 2".to_owned()]);
    request.order_writes = true;
    let answer = ctl::answers(&context, &request).unwrap().remove(0);
    assert_eq!(
        answer.notes,
        [
            "assumed by --order-writes: 1 pair of concurrent assignments to `x` happened in the order \
          of Lamport time, then of processes; another order may give another answer"
        ]
    );
    let kinds: Vec<WarningKind> = answer.warnings.iter().map(|warning| warning.kind).collect();
    assert_eq!(kinds, []);
}

/// Specifications, or declarations, under which every log passes or nothing is checked.
#[test]
fn specifications_that_say_nothing() {
    let head = "@message{ m; n } @lifeline{ a; b }";
    let run = "{ [a] a!m; [b] b?m }";
    let any = "allows each of its actions at any time";
    for (spec, trace, expected) in [
        ("o", "{ [a] ; [b] }", "has no events"),
        ("loopS(alt(o, o))", "{ [a] ; [b] }", "has no events"),
        ("loopP(alt(a!m, alt(a!n, b?m)))", run, any),
        ("loopW(alt(a!m, b?m))", run, any),
        ("par(loopS(a!m), loopW(alt(b?m, b?n)))", run, any),
        ("a -- m -> b", "{ [a] ; [b] }", "no action was observed"),
    ] {
        let found = analysis_warnings(&format!("{head} {spec}"), trace, &[]);
        assert!(found.iter().any(|it| it.contains(expected)), "{spec}: {found:?}");
    }
    let found = analysis_warnings(&format!("{head} a -- m -> b"), run, &["a", "b"]);
    assert!(found[0].contains("declared unobserved"), "{found:?}");
    for spec in [
        "a -- m -> b",
        "loopP(a -- m -> b)",
        "seq(loopW(a!m), b?m)",
        "loopW(alt(a!m, seq(b?m, a!n)))",
    ] {
        assert_eq!(analysis_warnings(&format!("{head} {spec}"), run, &[]), [""; 0], "{spec}");
    }
}

fn analysis_warnings(spec: &str, trace: &str, unobserved: &[&str]) -> Vec<String> {
    let files = Texts::default().with("spec.hsf", spec).with("run.htf", trace);
    let context = Context::default().with_files(files);
    let mut request = otus::Request::new(["spec.hsf".to_owned(), "run.htf".to_owned()]);
    request.question.unobserved = unobserved.iter().map(|&name| name.to_owned()).collect();
    let mut running = otus::analyze(&context, &request).unwrap().start(otus::Case::clone);
    assert!(running.by_ref().all(|item| item.is_ok()));
    running.finish().unwrap().summary.warnings
}
