//! Runs against specifications: verdicts, reasons, and what may be assumed.

use otus::{Observed, Options, Run, Spec, Verdict, assert_conforms};

const FLOW: &str = "\
sequenceDiagram
  participant c as client
  c->>server: get
  server->>db: query
  db-->>server: rows
  server-->>c: page
";

fn flow() -> Spec {
    Spec::parse("flow.mmd", FLOW).unwrap()
}

/// A run from lines like `client !get ?page`.
fn run(text: &str) -> Run {
    let mut run = Run::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let Some(lifeline) = words.next() else { continue };
        let mut log = run.log(lifeline);
        for word in words {
            match word.split_at(1) {
                ("!", message) => log.sent(message),
                (_, message) => log.received(message),
            };
        }
    }
    run
}

const GOOD: &str = "client !get ?page\nserver ?get !query ?rows !page\ndb ?query !rows";

#[track_caller]
fn check(text: &str, options: &Options, expected: Verdict) {
    let outcome = flow().check_with(&run(text), options).unwrap();
    assert_eq!(outcome.verdict, expected, "{outcome}");
    assert_eq!(outcome.conforms(), expected >= Verdict::WeakPass);
    assert_eq!(outcome.failure().is_some(), expected == Verdict::Fail);
}

#[track_caller]
fn refuse(text: &str, options: &Options, expected: &str) {
    let error = flow().check_with(&run(text), options).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

#[test]
fn lifelines_go_by_their_names_and_by_what_diagrams_show() {
    check(GOOD, &Options::new(), Verdict::Pass);
    check(&GOOD.replace("client", "c"), &Options::new(), Verdict::Pass);
}

#[test]
fn what_may_be_missing_is_said_for_all_logs() {
    let cut = "client !get\nserver ?get !query\ndb ?query";
    check(cut, &Options::new(), Verdict::Fail);
    check(cut, &Options::new().observed(Observed::Prefix), Verdict::WeakPass);
    check(cut, &Options::new().observed(Observed::GlobalPrefix), Verdict::WeakPass);
    let uneven = "client !get\nserver ?get !query ?rows\ndb";
    check(uneven, &Options::new().observed(Observed::Prefix), Verdict::WeakPass);
    check(uneven, &Options::new().observed(Observed::GlobalPrefix), Verdict::Fail);
    let middle = "client ?page\nserver !query ?rows\ndb !rows";
    check(middle, &Options::new().observed(Observed::Slice), Verdict::WeakPass);
    check(middle, &Options::new().observed(Observed::Suffix), Verdict::Fail);
    // Nothing is missing of logs that are not looked at.
    check("db !rows", &Options::new().observed(Observed::Nothing), Verdict::Pass);
}

#[test]
fn what_may_be_missing_is_said_for_single_logs() {
    let one = "client !get ?page\nserver ?get !query ?rows !page";
    check(one, &Options::new(), Verdict::Fail);
    check(one, &Options::new().log("db", Observed::Nothing), Verdict::Pass);
    check(one, &Options::new().log("d*", Observed::Prefix), Verdict::WeakPass);
    let others = Options::new().observed(Observed::Prefix).log("db", Observed::Complete);
    check(one, &others, Verdict::Fail);
    check(GOOD, &others, Verdict::Pass);
    // What is said last counts, and `client` is what the diagram calls `c`.
    let said = Options::new().log("*", Observed::Nothing).log("client", Observed::Complete);
    check("client !get", &said, Verdict::Fail);
    check("client !get ?page", &said, Verdict::Pass);
}

#[test]
fn lifelines_of_one_clock_have_an_order() {
    let late = "server ?get\nclient !get ?page\nserver !query ?rows !page\ndb ?query !rows";
    check(late, &Options::new(), Verdict::Pass);
    check(late, &Options::new().together(["client", "server"]), Verdict::Fail);
    let turns =
        "client !get\nserver ?get !query\ndb ?query !rows\nserver ?rows !page\nclient ?page";
    check(turns, &Options::new().together(["client", "server", "db"]), Verdict::Pass);
}

#[test]
fn a_weak_pass_says_what_was_assumed() {
    let options = Options::new().log("db", Observed::Prefix);
    let seen = run("client !get ?page\nserver ?get !query ?rows !page");
    let outcome = flow().check_with(&seen, &options).unwrap();
    assert_eq!(outcome.missing.as_ref().unwrap()[0].first, ["db?query", "db!rows"]);
    assert_eq!(
        outcome.to_string(),
        "WeakPass: accepted if this was not observed: 2 events of db (db?query, db!rows)"
    );
}

#[test]
fn limits_end_a_check_undecided() {
    let turns =
        "client !get\nserver ?get !query\ndb ?query !rows\nserver ?rows !page\nclient ?page";
    let all = Options::new().together(["c", "server", "db"]);
    check(turns, &all, Verdict::Pass);
    let outcome = flow().check_with(&run(turns), &all.max_states(2)).unwrap();
    assert_eq!(outcome.verdict, Verdict::Inconclusive);
    assert_eq!(outcome.to_string(), "Inconclusive: undecided: the budget of states is used up");
}

#[test]
fn what_does_not_fit_is_an_error() {
    let none = Options::new();
    refuse(
        "servr ?get",
        &none,
        "flow.mmd has no lifeline `servr`; did you mean `server`?; Options::ignore leaves out what \
         it records",
    );
    check(&format!("{GOOD}\nmetrics-1 !tick"), &none.clone().ignore("metrics*"), Verdict::Pass);
    refuse(
        "",
        &none.clone().log("dbb", Observed::Nothing),
        "Options::log: flow.mmd has no lifeline `dbb`; did you mean `db`?",
    );
    refuse(
        "",
        &none.clone().together(["c", "nobody"]),
        "Options::together: flow.mmd has no lifeline `nobody`; there are `c`, `server`, `db`",
    );
    refuse(
        "",
        &none.clone().together(["c", "db"]).together(["db", "server"]),
        "Options::together: `db` is in two groups; make them one",
    );
    let both = none.clone().together(["c", "db"]);
    refuse(
        "",
        &both.clone().log("db", Observed::Prefix).log("c", Observed::Slice),
        "`c` and `db` share a log, but one is declared to be one that may start late and stop early \
         and the other one that may stop early",
    );
    refuse(
        "",
        &both.clone().log("db", Observed::Nothing),
        "`db` is declared to be unobserved but shares a log with `c`; declare both",
    );
    let early = "client !get\nserver ?get !query";
    check(
        early,
        &both.log("db", Observed::Prefix).log("server", Observed::Prefix),
        Verdict::WeakPass,
    );
    refuse(
        "",
        &none.clone().observed(Observed::GlobalPrefix).log("db", Observed::Prefix),
        "a global prefix ends on all lifelines at once, so nothing can be said of single logs; use \
         Observed::Complete, Prefix or Slice with Options::log",
    );
    refuse(
        "",
        &none.log("db", Observed::GlobalPrefix),
        "Options::log: a global prefix is one of all logs, not of `db` alone",
    );
}

#[test]
fn an_unknown_message_is_a_failure() {
    let outcome = flow().check(&run(&GOOD.replace("get", "gte"))).unwrap();
    assert_eq!(outcome.failure().unwrap().cause, "unknown-message");
}

/// The message of a panic.
#[track_caller]
fn panics(what: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(what).unwrap_err();
    match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(panic) => (*panic.downcast::<&str>().unwrap()).to_owned(),
    }
}

#[test]
fn a_failed_assertion_explains_itself() {
    let mut run = Run::new();
    let line = line!() + 1;
    run.log("client").sent("get").received("page");
    run.log("server").received("get").sent("page");
    run.log("db");
    let message = panics(|| assert_conforms!(flow(), run));
    let expected = format!(
        "\
the run does not conform to flow.mmd

error[unexpected-message]: server sent page where server should send query
 --> flow.mmd:4:3
  |
4 |   server->>db: query
  |   ^^^^^^^^^^^^^^^^^^ expected here: server!query
  |
  = observed instead: server!page at {file}:{server}
  = consumed: c 1/2, server 1/2
  = repair: take it that the log of server stopped early; then drop server!page (place 2) at \
{file}:{server}; then take it that the log of db stopped early
  = core: server fails alone, whatever the others saw
  = recorded: client  !get ?page
  = recorded: server  ?get !page
  = recorded: db      nothing
",
        file = file!(),
        server = line + 1,
    );
    assert_eq!(message, expected);
}

#[test]
fn an_assertion_takes_what_may_be_assumed() {
    let cut = run("client !get\nserver ?get !query\ndb ?query");
    assert_conforms!(flow(), cut, observed = prefix);
    assert_conforms!(flow(), &cut, observed = global_prefix,);
    assert_conforms!(flow(), cut, observed = slice, together = ["c", "db"], max_states = 100_000);
    let options = Options::new().log("*", Observed::Prefix);
    assert_conforms!(flow(), cut, options = options);
    assert_conforms!(flow(), cut, options = options, ignore = "x*", ignore = "y*");
    assert_conforms!(flow(), run(GOOD), observed = complete);
}

#[test]
fn an_assertion_about_nothing_fails() {
    let message = panics(|| assert_conforms!(flow(), Run::new(), observed = prefix));
    assert!(message.starts_with("nothing was recorded"), "{message}");
    let message = panics(|| assert_conforms!(flow(), run("x !get")));
    assert!(message.starts_with("the run cannot be checked against flow.mmd"), "{message}");
}
