//! `otus ctl`.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Output, Stdio};

use serde_json::Value;
use snapbox::str;

use crate::sandbox::Sandbox;

/// The trace of figure 1 of paper 001, with a place and a label.
const FIGURE: &str = r#"{"processes": [
  {"name": "P1", "events": [{"var": "w", "val": 1}, {"var": "y", "val": 3}, {"var": "x", "val": 0}]},
  {"name": "P2", "events": [{"var": "x", "val": 4, "label": "start"},
                            {"var": "w", "val": 0, "file": "p2.log", "line": 7}]}],
 "edges": [[["P1", 1], ["P2", 2]], [["P2", 2], ["P1", 2]]]}
"#;

fn prepared(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("run.pot.json", FIGURE);
    sandbox
}

/// `otus ctl` with these arguments, as a shell would have them.
fn ask(sandbox: &Sandbox, arguments: &[&str]) -> Output {
    sandbox.otus("ctl").args(arguments).output().unwrap()
}

/// Standard output without times, and the exit status.
#[track_caller]
fn told(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let output = ask(sandbox, arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    let mut out = String::new();
    for line in text.lines() {
        let end = line.rfind(", ").filter(|_| line.ends_with(" ms")).unwrap_or(line.len());
        let _ = writeln!(out, "{}", &line[..end]);
    }
    let said = String::from_utf8(output.stderr).unwrap();
    let last = said.lines().last().unwrap_or("").split(" in ").next().unwrap_or("");
    let _ = writeln!(out, "{last}; exit {}", output.status.code().unwrap());
    out
}

/// The document of a call that answers in JSON.
#[track_caller]
fn json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let output = ask(sandbox, &[arguments, &["--format", "json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

#[test]
fn answers_are_told_event_by_event() {
    let sandbox = prepared("ctl-told");
    let formulas = ["EF(w = 1 & x = 4)", "AG(x < 2)", "AF(w = 0 & x = 4 & y = 0)", "x = 0"];
    let told = told(&sandbox, &[&["run.pot.json"], &formulas[..]].concat());
    snapbox::assert_data_eq!(
        told,
        str![[r#"
EF(w = 1 & x = 4)
  holds: possible in some order (EF)
  shown by a run of 2 events:
    1  P1:1  w := 1
    2  P2:1  start, x := 4
  to the cut P1:1 P2:1, where w = 1, x = 4
  re-checked by replaying it
  auto engine, 4 visible events

AG(x < 2)
  fails: broken at some cut, in some order (AG)
  shown by a run of 1 event:
    1  P2:1  start, x := 4
  to the cut P1:0 P2:1, where x = 4
  re-checked by replaying it
  auto engine, 2 visible events

AF(w = 0 & x = 4 & y = 0)
  holds: sooner or later in every order (AF)
  auto engine, 5 visible events

x = 0
  holds: at the first cut, before any event
  auto engine, 0 visible events
checked 4 formulas over 2 processes, 5 events, 2 edges: 3 hold, 1 fail, 0 undecided; exit 1

"#]]
    );
}

#[test]
fn what_follows_a_run_is_told_from_its_last_cut() {
    let sandbox = prepared("ctl-nested");
    let told = told(&sandbox, &["run.pot.json", "AG(w = 1 -> AX(w = 0 | x = 4))", "EF EG(x = 4)"]);
    snapbox::assert_data_eq!(
        told,
        str![[r#"
AG(w = 1 -> AX(w = 0 | x = 4))
  holds: throughout in every order (AG)
  auto engine, 5 visible events

EF EG(x = 4)
  fails: impossible in every order (EF)
  auto engine, 2 visible events
checked 2 formulas over 2 processes, 5 events, 2 edges: 1 hold, 1 fail, 0 undecided; exit 1

"#]]
    );
    let told =
        self::told(&sandbox, &["run.pot.json", "AG(x = 4 -> AX(w = 0))", "EG(x = 4 | w = 0)"]);
    snapbox::assert_data_eq!(
        told,
        str![[r#"
AG(x = 4 -> AX(w = 0))
  fails: broken at some cut, in some order (AG)
  shown by a run of 1 event:
    1  P2:1  start, x := 4
  to the cut P1:0 P2:1, where w = 0, x = 4
    from there a run of 1 event, showing EX(w != 0):
      1  P1:1  w := 1
    to the cut P1:1 P2:1, where w = 1, x = 4
  re-checked by replaying it
  auto engine, 5 visible events

EG(x = 4 | w = 0)
  holds: throughout in some order (EG)
  shown by a run of 5 events:
    1  P2:1  start, x := 4
    2  P1:1  w := 1
    3  P2:2  w := 0         p2.log:7
    4  P1:2  y := 3
    5  P1:3  x := 0
  to the last cut P1:3 P2:2, where w = 0, x = 0
  re-checked by replaying it
  auto engine, 4 visible events
checked 2 formulas over 2 processes, 5 events, 2 edges: 1 hold, 1 fail, 0 undecided; exit 1

"#]]
    );
}

#[test]
fn long_runs_are_told_in_part() {
    let sandbox = Sandbox::new("ctl-long");
    let events: Vec<String> = (1..=1000).map(|i| format!(r#"{{"var":"x","val":{i}}}"#)).collect();
    let text = format!(r#"{{"processes":[{{"name":"p","events":[{}]}}]}}"#, events.join(","));
    sandbox.write("run.pot.json", &text);
    let text = told(&sandbox, &["run.pot.json", "EF x = 1000"]);
    assert!(text.contains("shown by a run of 1000 events:"), "{text}");
    assert!(text.contains("  …  976 events more\n"), "{text}");
    assert!(text.contains("  1000  p:1000  x := 1000\n"), "{text}");
    assert!(text.lines().count() < 40, "{text}");
    let document = json(&sandbox, &["run.pot.json", "EF x = 1000"]);
    assert_eq!(document["results"][0]["witness"]["events"].as_array().unwrap().len(), 1000);
}

#[test]
fn counts_and_cuts_are_given_when_asked_for() {
    let sandbox = prepared("ctl-counts");
    let told = told(&sandbox, &["run.pot.json", "x = 4", "--all", "--no-witness"]);
    snapbox::assert_data_eq!(
        told,
        str![[r#"
x = 4
  fails: at the first cut, before any event
  true at 4 of 7 cuts
    P1:0 P2:1
    P1:1 P2:1-2
    P1:2 P2:2
  auto engine, 0 visible events
checked 1 formula over 2 processes, 5 events, 2 edges: 0 hold, 1 fail, 0 undecided; exit 1

"#]]
    );
    let some = self::told(&sandbox, &["run.pot.json", "x = 4", "--all", "--limit", "1"]);
    assert!(some.contains("    P1:0 P2:1\n    … these are the first 1 (--limit)\n"), "{some}");
    let counted = self::told(&sandbox, &["run.pot.json", "EX true", "--count", "--no-witness"]);
    assert!(counted.contains("  true at 6 of 7 cuts\n"), "{counted}");
}

#[test]
fn json_is_as_documented() {
    let sandbox = prepared("ctl-json");
    sandbox.write("props.ctl", "low: AG(x < 2)\nEF(x = 4) & EF(y = 3)\n");
    let document = json(&sandbox, &["run.pot.json", "--file", "props.ctl", "--all"]);
    assert_eq!(document["version"], 1);
    let low = &document["results"][0];
    assert_eq!(low["formula"], "AG(x < 2)");
    assert_eq!(low["name"], "low");
    assert_eq!(low["holds"], false);
    assert_eq!((&low["cuts"], &low["satisfying"]), (&Value::from(7), &Value::from(1)));
    assert_eq!(low["boxes"], serde_json::json!([{"P1": [3, 3], "P2": [2, 2]}]));
    assert_eq!(low["complete"], true);
    assert_eq!(low["engine"], "auto");
    assert_eq!(low["visible_events"], 2);
    assert!(low["micros"].is_u64());
    let event =
        serde_json::json!({"process": "P2", "position": 1, "label": "start", "set": {"x": 4}});
    assert_eq!(low["witness"]["events"], Value::Array(vec![event]));
    assert_eq!(low["witness"]["cut"], serde_json::json!({"P1": 0, "P2": 1}));
    assert_eq!(low["witness"]["values"], serde_json::json!({"x": 4}));
    // Two runs from the first cut.
    let both = &document["results"][1]["witness"];
    assert_eq!(both["events"], Value::Array(vec![]));
    assert_eq!(both["then"].as_array().unwrap().len(), 2);
    let last = both["then"][1]["events"].as_array().unwrap();
    assert_eq!(last[2]["file"], "p2.log");
    assert_eq!(last[2]["line"], 7);
    assert_eq!(document["summary"]["hold"], 1);
    assert_eq!(document["summary"]["fail"], 1);
    assert_eq!(document["summary"]["edges"], 2);
    // One line each.
    let output = ask(&sandbox, &["run.pot.json", "-f", "props.ctl", "--format", "jsonl"]);
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["holds"], false);
    assert!(lines[0].get("cuts").is_none());
}

#[test]
fn formulas_come_from_everywhere() {
    let sandbox = prepared("ctl-sources");
    sandbox.write("one.ctl", "let low = x < 2\nsoon: EF low\n");
    sandbox.write("two.ctl", "# none\n");
    let document = json(&sandbox, &["run.pot.json", "AF(y=3)", "-f", "one.ctl", "-f", "two.ctl"]);
    let names: Vec<&Value> =
        document["results"].as_array().unwrap().iter().map(|result| &result["formula"]).collect();
    assert_eq!(names, ["EF low", "AF(y = 3)"]);
    let through = |arguments: &[&str], text: &str| {
        let mut child = std::process::Command::new(snapbox::cmd::cargo_bin!("otus"))
            .arg("ctl")
            .args(arguments)
            .current_dir(sandbox.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    assert_eq!(through(&["-", "EF x = 4"], FIGURE).status.code(), Some(0));
    assert_eq!(through(&["run.pot.json", "--file", "-"], "EG x = 0").status.code(), Some(1));
    let wrong = through(&["run.pot.json", "--file", "-"], "EG z = 0");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("<stdin>:1:4"), "{wrong:?}");
}

#[test]
fn every_way_gives_the_same_answers() {
    let sandbox = prepared("ctl-ways");
    let formulas =
        ["EF(w = 1 & x = 4)", "AF(w = 1 & x = 4)", "EG(w = 0)", "EX x = 4", "A[w = 0 U x = 4]"];
    let expected = [true, true, false, true, false];
    for engine in ["auto", "interval", "explicit", "ist"] {
        let others =
            [&[][..], &["--no-slice"], &["--process-order", "given"], &["--closure", "fixpoint"]];
        // The last is about one engine, and refused with others.
        let count = if engine == "ist" { others.len() } else { others.len() - 1 };
        for others in &others[..count] {
            let arguments =
                [&["run.pot.json", "--engine", engine, "--count"], &formulas[..], others].concat();
            let document = json(&sandbox, &arguments);
            let results = document["results"].as_array().unwrap();
            let holds: Vec<bool> =
                results.iter().map(|result| result["holds"].as_bool().unwrap()).collect();
            assert_eq!(holds, expected, "{arguments:?}");
            let counts: Vec<u64> =
                results.iter().map(|result| result["satisfying"].as_u64().unwrap()).collect();
            assert_eq!(counts, [4, 4, 3, 5, 4], "{arguments:?}");
        }
    }
}

#[test]
fn the_exit_status_follows_the_answers() {
    let sandbox = prepared("ctl-exit");
    let status = |arguments: &[&str]| {
        ask(&sandbox, &[&["run.pot.json"], arguments].concat()).status.code().unwrap()
    };
    assert_eq!(status(&["true"]), 0);
    assert_eq!(status(&["true", "false"]), 1);
    assert_eq!(status(&["false", "--fail-on", "never"]), 0);
    assert_eq!(status(&["fals"]), 2);
    assert_eq!(status(&["true", "--fail-on", "weak"]), 2);
}

#[test]
fn unordered_assignments_can_be_put_in_order() {
    let sandbox = Sandbox::new("ctl-writes");
    sandbox.write(
        "run.pot.json",
        r#"{"processes": [{"name": "p", "events": [{"var": "x", "val": 1}]},
                          {"name": "q", "events": [{"var": "x", "val": 2}]}]}"#,
    );
    let refused = ask(&sandbox, &["run.pot.json", "AF x = 2"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("event 1 of p (x := 1) and by event 1 of q (x := 2)"), "{said}");
    assert!(said.contains("--order-writes"), "{said}");
    assert_eq!(
        ask(&sandbox, &["run.pot.json", "AF x = 2", "--order-writes"]).status.code(),
        Some(0)
    );
}

/// Seventeen pairs of processes, 66 cuts each; in the given order all first ones come before all
/// second ones, which makes sets of cuts as large as they can be.
fn pairs() -> String {
    let mut processes = Vec::new();
    let mut edges = Vec::new();
    for (process, variable) in [("p", "x"), ("q", "y")] {
        for pair in 0..17 {
            let event = |value| format!(r#"{{"var":"{variable}{pair}","val":{value}}}"#);
            let events: Vec<String> = (1..=10).map(event).collect();
            let events = events.join(",");
            processes.push(format!(r#"{{"name":"{process}{pair}","events":[{events}]}}"#));
        }
    }
    for pair in 0..17 {
        for at in 1..=10 {
            edges.push(format!(r#"[["p{pair}",{at}],["q{pair}",{at}]]"#));
        }
    }
    format!(r#"{{"processes":[{}],"edges":[{}]}}"#, processes.join(","), edges.join(","))
}

/// 66 to the power of 17.
const CUTS: &str = "8555529718761317069203003539456";
const HARD: &str = "EF(x0 = 3 & EX y0 = 1)";

#[test]
fn counts_may_be_of_any_size() {
    let sandbox = Sandbox::new("ctl-large");
    sandbox.write("run.pot.json", &pairs());
    let document = json(&sandbox, &["run.pot.json", HARD, "y16 = 0", "--count"]);
    assert_eq!(document["results"][0]["holds"], true);
    // What a floating-point number cannot have is a text.
    assert_eq!(document["results"][0]["cuts"], CUTS);
    // Of each last pair, 11 of 66 cuts are without an event of its second process.
    assert_eq!(document["results"][1]["satisfying"], "1425921619793552844867167256576");
}

#[test]
fn a_budget_ends_a_check_without_an_answer() {
    let sandbox = Sandbox::new("ctl-budget");
    sandbox.write("run.pot.json", &pairs());
    let cases = [
        (&["--memory", "100"][..], "the memory budget is used up (--memory)"),
        (&["--max-nodes", "1000"], "the budget of nodes is used up (--max-nodes)"),
        (&["--timeout", "0.05"], "time is up (--timeout)"),
    ];
    for (budget, reason) in cases {
        let hard = ["run.pot.json", HARD, "--process-order", "given"];
        let text = told(&sandbox, &[&hard, budget].concat());
        assert!(text.contains(&format!("  undecided: {reason}\n")), "{text}");
        assert!(text.ends_with("0 hold, 0 fail, 1 undecided; exit 3\n"), "{text}");
        // A formula that fails counts more, and one that holds does not help.
        let text = told(&sandbox, &[&hard[..], budget, &["x0 = 1"]].concat());
        assert!(text.ends_with("0 hold, 1 fail, 1 undecided; exit 1\n"), "{text}");
        let text = told(&sandbox, &[&hard[..], budget, &["x0 = 0"]].concat());
        assert!(text.ends_with("1 hold, 0 fail, 1 undecided; exit 3\n"), "{text}");
        let strict = [&hard[..], budget, &["--fail-on", "undecided"]].concat();
        assert_eq!(ask(&sandbox, &strict).status.code(), Some(1));
        let document = json(&sandbox, &[&hard[..], budget].concat());
        assert_eq!(document["results"][0]["holds"], Value::Null);
        assert!(document["results"][0]["reason"].is_string());
        // Decided, but not counted.
        let text =
            told(&sandbox, &[&hard[..1], &["x0 = 0", "--count"], &hard[2..], budget].concat());
        assert!(text.contains(&format!("  cuts are not counted: {reason}\n")), "{text}");
        assert!(text.ends_with("exit 3\n"), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_check_and_what_is_known_stays() {
    let sandbox = Sandbox::new("ctl-interrupted");
    sandbox.write("run.pot.json", &pairs());
    let mut child = std::process::Command::new(snapbox::cmd::cargo_bin!("otus"))
        .args(["ctl", "run.pot.json", "x0 = 0", HARD, "x0 = 1", "--process-order", "given"])
        .current_dir(sandbox.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    while !text.contains("holds: at the first cut") {
        assert!(output.read_line(&mut text).unwrap() > 0, "{text}");
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    output.read_to_string(&mut text).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(3), "{ended:?}");
    assert_eq!(text.matches("undecided: it was interrupted").count(), 2, "{text}");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(
        said.contains("1 hold, 0 fail, 2 undecided") && said.contains("; interrupted"),
        "{said}"
    );
}

#[test]
fn a_process_may_be_empty_and_a_trace_too() {
    let sandbox = Sandbox::new("ctl-empty");
    sandbox
        .write("run.pot.json", r#"{"processes": [{"name": "p", "events": []}], "init": {"x": 1}}"#);
    sandbox.write("none.pot.json", r#"{"processes": []}"#);
    let text =
        told(&sandbox, &["run.pot.json", "AG(x = 1)", "EX true", "EG(count(p) = 0)", "--all"]);
    assert!(text.contains("true at 1 of 1 cut\n    p:0\n"), "{text}");
    assert!(
        text.ends_with(
            "1 process, 0 events, 0 edges: 2 hold, 1 fail, 0 undecided, 2 warnings; exit 1\n"
        ),
        "{text}"
    );
    let text = told(&sandbox, &["none.pot.json", "AG true", "EX true", "AF false", "--count"]);
    assert!(text.ends_with("1 hold, 2 fail, 0 undecided, 2 warnings; exit 1\n"), "{text}");
}

#[test]
fn depth_belongs_to_the_user() {
    let sandbox = prepared("ctl-deep");
    let depth = 100_000;
    for (open, close) in [("EF(", ")"), ("!AX(!(", "))"), ("A[true U ", "]"), ("(x = 1 | ", ")")] {
        let text = format!("{}x = 4{}", open.repeat(depth), close.repeat(depth));
        sandbox.write("deep.ctl", &text);
        let output = ask(&sandbox, &["run.pot.json", "--file", "deep.ctl", "--format", "jsonl"]);
        assert!(output.status.code().is_some_and(|code| code < 2), "{open}: {:?}", output.status);
    }
}

#[test]
fn patterns_are_listed() {
    let sandbox = Sandbox::new("ctl-patterns");
    let output = ask(&sandbox, &["--patterns"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let help = String::from_utf8(ask(&sandbox, &["--help"]).stdout).unwrap();
    let names: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with(' '))
        .map(|line| line.split('(').next().unwrap())
        .collect();
    assert_eq!(names.len(), 10);
    for name in names {
        assert!(help.contains(&format!("{name}(")), "{name}");
    }
}

#[test]
fn a_multi_trace_has_an_order_of_its_own() {
    let sandbox = Sandbox::with_model("ctl-convert");
    sandbox.otus("convert run.htf out.pot.json").assert().code(0).stderr_eq("wrote out.pot.json\n");
    let text = told(&sandbox, &["out.pot.json", "AG(count(broker) <= count(subscriber) + 2)"]);
    assert!(text.contains("3 processes, 6 events, 2 edges: 1 hold"), "{text}");
    // With a specification, lifelines that were not observed are processes without events.
    sandbox.write("part.htf", "[broker] broker?publish");
    let output = sandbox.otus("convert sig.hsf model.hif part.htf --to pot").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"publisher\",\"events\":[\n]"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 reception without an emission"));
    // Messages that wait for each other have no order, and several traces have several.
    sandbox.write("cycle.htf", "[a] a?n.a!m; [b] b?m.b!n");
    let output = sandbox.otus("convert cycle.htf --to pot").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("happened before each other"));
    sandbox.otus("convert run.htf part.htf two.pot.json").assert().code(2);
}

#[test]
fn formulas_have_a_canonical_form() {
    let sandbox = prepared("ctl-fmt");
    sandbox.write("props.ctl", "safe :AG( x<2∧y≠3 ) # why\n");
    sandbox.otus("fmt --check props.ctl").assert().code(1);
    sandbox.otus("fmt props.ctl").assert().code(0);
    assert_eq!(sandbox.read("props.ctl"), "safe: AG(x < 2 & y != 3) # why\n");
    sandbox.otus("fmt --check .").assert().code(0);
    sandbox.otus("lint props.ctl").assert().code(2);
    sandbox.otus("analyze run.pot.json").assert().code(2);
}

/// What `docs/ctl.md` says that Otus says.
#[cfg(unix)]
#[test]
fn outputs_in_the_docs_are_those_of_the_program() {
    let sandbox = Sandbox::new("ctl-docs");
    sandbox.write("run.pot.json", &crate::documented::order());
    sandbox.write("election.pot.json", crate::documented::ELECTION);
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ctl.md");
    let text = std::fs::read_to_string(page).unwrap();
    let mut count = 0;
    for block in text.split("```text\n$ otus ctl ").skip(1) {
        let (command, expected) = block.split("```").next().unwrap().split_once('\n').unwrap();
        // Arguments in quotes, and words.
        let mut arguments: Vec<&str> = Vec::new();
        for (at, part) in command.split('\'').enumerate() {
            if at % 2 == 1 {
                arguments.push(part);
            } else {
                arguments.extend(part.split_whitespace());
            }
        }
        let told = told(&sandbox, &arguments);
        let (told, _) = told.trim_end().rsplit_once('\n').unwrap();
        assert_eq!(told.trim_end(), expected.trim_end(), "{command}");
        count += 1;
    }
    assert_eq!(count, 5);
}

/// A trace with a misspelt word, a warning, a failure and names that need escaping.
fn reported(name: &str) -> Sandbox {
    let sandbox = prepared(name);
    sandbox.write(
        "props.ctl",
        "# Names that need escaping.\n`a<b> & \"c\"`: AG(x < 4)\nempty: AG(x = 7 -> AF w = 0)\nfine: AF y = 3\n",
    );
    sandbox
}

#[test]
fn every_format_has_the_verdicts_and_the_warnings() {
    let sandbox = reported("ctl-formats");
    for format in ["text", "json", "jsonl", "junit", "sarif", "github", "tap", "markdown", "html"] {
        let output = ask(&sandbox, &["run.pot.json", "-f", "props.ctl", "--format", format]);
        assert_eq!(output.status.code(), Some(1), "{format}");
        let text = String::from_utf8(output.stdout).unwrap();
        let quote = match format {
            "markdown" => "&#96;",
            _ => "`",
        };
        let told = format!("{quote}x{quote} is never 7");
        assert!(text.contains(&told), "{format}: {text}");
        for word in ["fine", "empty"] {
            let is_listed = text.contains(word);
            // Annotations and SARIF list only what needs attention.
            let is_quiet = word == "fine" && ["github", "sarif"].contains(&format);
            assert!(is_listed || is_quiet, "{format} lacks {word}: {text}");
        }
        if ["junit", "html"].contains(&format) {
            assert!(text.contains("a&lt;b&gt; &amp;") && !text.contains("<b>"), "{format}: {text}");
        }
    }
}

#[test]
fn a_junit_report_counts_warnings_if_they_are_failures() {
    let sandbox = reported("ctl-junit");
    let junit = |more: &[&str]| {
        let arguments = ["run.pot.json", "-f", "props.ctl", "--format", "junit"];
        let output = ask(&sandbox, &[&arguments, more].concat());
        String::from_utf8(output.stdout).unwrap().lines().nth(1).unwrap().to_owned()
    };
    assert_eq!(junit(&[]), r#"<testsuites name="otus" tests="3" failures="1" errors="0">"#);
    assert_eq!(
        junit(&["--strict"]),
        r#"<testsuites name="otus" tests="3" failures="2" errors="0">"#
    );
}

#[test]
fn annotations_are_at_the_formula() {
    let sandbox = reported("ctl-github");
    let arguments = ["run.pot.json", "-f", "props.ctl", "--format", "github"];
    let output = ask(&sandbox, &arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    let first = text.lines().next().unwrap();
    let expected = "::error file=props.ctl,line=2,col=";
    assert!(first.starts_with(expected) && first.contains("a<b> & \"c\"::fails"), "{first}");
    let second = text.lines().nth(1).unwrap();
    assert!(second.starts_with("::warning file=props.ctl,line=3,col="), "{second}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("::notice title=otus ctl::checked 3 formulas over"), "{last}");
}

#[test]
fn a_strict_run_fails_for_a_warning() {
    let sandbox = prepared("ctl-strict");
    let status = |arguments: &[&str]| ask(&sandbox, arguments).status.code();
    assert_eq!(status(&["run.pot.json", "AG(x = 7 -> AF w = 0)"]), Some(0));
    assert_eq!(status(&["run.pot.json", "AG(x = 7 -> AF w = 0)", "--strict"]), Some(1));
    assert_eq!(status(&["run.pot.json", "AG(x = 4 -> AF w = 0)", "--strict"]), Some(0));
    assert_eq!(
        status(&["run.pot.json", "AG(x = 7 -> AF w = 0)", "--strict", "--fail-on", "never"]),
        Some(0)
    );
}

#[test]
fn statistics_are_given_when_asked_for() {
    let sandbox = prepared("ctl-stats");
    let found = json(&sandbox, &["run.pot.json", "EF(x = 4 & w = 1)", "--stats"]);
    let stats = &found["results"][0]["stats"];
    assert_eq!(stats["visible_events"], 4);
    assert_eq!(stats["visible_processes"], 2);
    assert_eq!(stats["visible_cuts"], "6");
    assert!(stats["nodes"].as_u64().unwrap() > 0);
}

#[test]
fn a_trace_may_be_packed_and_have_clocks() {
    let sandbox = prepared("ctl-packed");
    sandbox.write(
        "clocks.pot.json",
        r#"{"processes": [{"name": "p", "events": [{"var": "x", "val": 1, "clock": {"p": 1}}]},
                          {"name": "q", "events": [{"var": "y", "val": 1, "clock": {"p": 1, "q": 1}}]}]}"#,
    );
    sandbox.shell("gzip -k clocks.pot.json");
    for name in ["clocks.pot.json", "clocks.pot.json.gz"] {
        assert_eq!(ask(&sandbox, &[name, "AG(y = 1 -> x = 1)"]).status.code(), Some(0), "{name}");
        assert_eq!(ask(&sandbox, &[name, "EF(y = 1 & x = 0)"]).status.code(), Some(1), "{name}");
    }
}

#[test]
fn the_document_in_the_docs_is_that_of_the_program() {
    let sandbox = Sandbox::new("ctl-docs-json");
    sandbox.write("run.pot.json", &crate::documented::order());
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ctl.md");
    let text = std::fs::read_to_string(page).unwrap();
    let fence = text.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let mut expected: Value = serde_json::from_str(fence).unwrap();
    let mut found = json(&sandbox, &["run.pot.json", "low: AG(x < 1)", "--count"]);
    for document in [&mut expected, &mut found] {
        document["results"][0]["micros"] = Value::Null;
    }
    assert_eq!(found, expected);
}

/// From logs to formulas over them.
#[test]
fn an_analysis_gives_a_trace_to_check() {
    let sandbox = Sandbox::with_model("ctl-order");
    let said = sandbox
        .otus("analyze sig.hsf model.hif run.htf --order out.pot.json")
        .assert()
        .code(0)
        .get_output()
        .clone();
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(
        said.contains("wrote out.pot.json: 3 processes, 8 events (2 of them assumed"),
        "{said}"
    );
    let formulas = [
        "precedence(last(subscriber) = `subscriber!subscribe`, count(broker) > 0)",
        "EF(count(publisher) = 1 & count(broker) = 0)",
    ];
    let text = told(&sandbox, &["out.pot.json", formulas[0], formulas[1], "--no-witness"]);
    assert!(text.ends_with("3 edges: 2 hold, 0 fail, 0 undecided; exit 0\n"), "{text}");
    // Nothing explains a Fail.
    let failed =
        sandbox.otus("analyze sig.hsf model.hif run.htf --kind accept --order no.pot.json");
    let failed = failed.output().unwrap();
    assert_eq!(failed.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&failed.stderr).contains("there is no execution to write"));
    assert!(!sandbox.path("no.pot.json").exists());
    sandbox.write("two.jsonl", "{\"htf\": \"[broker]\"}\n{\"htf\": \"[broker]\"}\n");
    sandbox.otus("analyze sig.hsf model.hif two.jsonl --order no.pot.json").assert().code(2);
}
