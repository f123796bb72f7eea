//! Formulas over orders.

use otus::ctl::{self, Order, Request};
use otus::{Context, Error, Texts};

/// p sets x to 1 and then 2; q sets y to 1 after the first of these.
fn order() -> Order {
    let mut order = Order::new();
    order.initial("y", 5);
    let first = order.event("p").set("x", 1).label("begin").id();
    order.event("p").set("x", 2);
    order.event("q").set("y", 1).after(first);
    order
}

#[track_caller]
fn check(formula: &str, expected: bool) {
    let answer = order().check(formula).unwrap();
    assert_eq!(answer.decided(), Some(expected), "{answer}");
    assert_eq!(answer.holds(), expected);
}

#[test]
fn formulas_are_about_every_order() {
    check("AF(x = 2 & y = 1)", true);
    check("EF(x = 2 & y = 5)", true);
    check("EF(x = 0 & y = 1)", false);
    check("AG(y = 1 -> x > 0)", true);
    check("AF(x = 1 & y = 1)", false);
}

#[test]
fn values_are_truths_numbers_and_texts() {
    let mut order = Order::new();
    order.event("n1").set("elected", true).set("role", "candidate").set("share", "1/3");
    order.event("n1").set("role", String::from("leader")).set("share", "2/3");
    otus::assert_holds!(order, "AF(role = leader & elected & share + 1/3 = 1)");
    otus::assert_holds!(order, "AG(role = candidate -> share < 1/2)");
}

#[test]
fn a_run_shows_why() {
    let answer = order().check("AG(x + y < 7)").unwrap();
    assert!(!answer.holds());
    let run = answer.witness();
    let steps: Vec<(&str, u32)> = run.iter().map(|step| (&*step.process, step.position)).collect();
    assert_eq!(steps, [("p", 1), ("p", 2)]);
    let text = answer.to_string();
    assert!(
        text.starts_with(
            "AG(x + y < 7)\n  fails: broken at some cut, in some order (AG)\n  shown by a run of 2 \
             events:\n    1  p:1  begin, x := 1  "
        ),
        "{text}"
    );
    assert!(text.ends_with("to the cut p:2 q:0, where y = 5, x = 2\n  re-checked by replaying it"));
}

#[test]
fn an_assertion_has_the_run() {
    otus::assert_holds!(order(), "AG(x <= 2)");
    let panic = std::panic::catch_unwind(|| otus::assert_holds!(order(), "AG(x < 2)")).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.starts_with("AG(x < 2)\n  fails: broken at some cut"), "{text}");
    assert!(text.contains("\n    1  p:1  begin, x := 1"), "{text}");
}

#[test]
fn what_cannot_be_asked_is_an_error() {
    let error = |formula: &str| order().check(formula).unwrap_err();
    assert_eq!(error("AG(xx < 2)").findings().len(), 1);
    assert!(error("AG(").to_string().contains("--> formula:1:"));
    assert_eq!(error("true; false").to_string(), "one formula is checked at a time; here are 2");
    let mut both = Order::new();
    both.event("p").set("x", 1);
    both.event("q").set("x", 2);
    assert!(matches!(both.check("true"), Err(Error::Unfit(_))));
}

#[test]
fn time_may_run_out() {
    let mut order = Order::new();
    for process in 0..8 {
        for value in 0..40 {
            order.event(&format!("p{process}")).set(format!("x{process}"), value * value % 17);
        }
    }
    let terms: Vec<String> = (0..8).map(|process| format!("x{process}")).collect();
    let formula = format!("EG({} != 41)", terms.join(" + "));
    order.timeout(std::time::Duration::ZERO);
    let answer = order.check(&formula).unwrap();
    assert_eq!((answer.decided(), answer.holds()), (None, false));
    assert!(answer.to_string().ends_with("\n  undecided: time is up"), "{answer}");
}

/// The path of the command, over files in memory.
#[test]
fn a_request_names_a_trace_and_formulas() {
    let trace = r#"{"processes": [{"name": "p", "events": [{"var": "x", "val": 1}]}]}"#;
    let context = Context::default().with_files(Texts::default().with("run.pot.json", trace));
    let request = |formulas: &[&str]| {
        Request::new(["run.pot.json"].iter().chain(formulas).map(ToString::to_string))
    };
    let answers = ctl::answers(&context, &request(&["low: AG x = 0", "AF x = 1"])).unwrap();
    let verdicts: Vec<&str> = answers.iter().map(ctl::Answer::verdict).collect();
    assert_eq!(verdicts, ["fails", "holds"]);
    let low = &answers[0];
    assert_eq!(low.name.as_deref(), Some("low"));
    assert_eq!(low.headline(), "broken at some cut, in some order (AG)");
    let details = low.details();
    assert_eq!(details[..2], ["shown by a run of 1 event:", "1  p:1  x := 1"]);
    assert!(low.json().contains(r#""cut":{"p":1},"values":{"x":1},"then":[]}}"#), "{}", low.json());
    assert!(matches!(ctl::open(&context, &request(&["z = 1"])), Err(Error::Text(_))));
    assert!(matches!(ctl::open(&context, &request(&[])), Err(Error::Unfit(_))));
}
