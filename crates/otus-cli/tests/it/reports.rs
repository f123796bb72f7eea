//! Explanations of failures, and reports for those who wait for them.

use std::fmt::Write as _;

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;
use snapbox::str;

use crate::documented::LOGS;
use crate::sandbox::Sandbox;

/// A choice, for failures of several kinds.
pub(crate) const FLOW: &str = "\
sequenceDiagram
  User->>Server: login
  alt ok
    Server-->>User: welcome
    User->>Server: bye
  else no
    Server-->>User: denied
  end
";

const CASES: &str = r#"{"id":"ok","htf":"{[User] User!login.User?welcome.User!bye; [Server] Server?login.Server!welcome.Server?bye}"}
{"id":"early","htf":"{[User] User!login.User!bye.User?welcome; [Server] Server?login.Server!welcome.Server?bye}"}
{"id":"cut","htf":"{[User] User!login; [Server] Server?login}"}
"#;

/// A failure whose name needs care wherever it is written.
const ODD: &str = r#"{"id":"<é> & \"50%\", a#b|\u0001\n::x","htf":"{[User] User!login.User?welcome.User!bye.User!bye; [Server] Server?login.Server!welcome.Server?bye}"}
"#;

fn prepared(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("flow.mmd", FLOW);
    sandbox.write("cases.jsonl", CASES);
    sandbox.write("odd.jsonl", ODD);
    sandbox
}

#[track_caller]
fn stdout(sandbox: &Sandbox, call: &str, code: i32) -> String {
    let output = sandbox.otus(call).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_failure_is_explained_beside_specification_and_log() {
    let sandbox = prepared("reports-text");
    sandbox.otus("analyze flow.mmd cases.jsonl").assert().code(1).stdout_eq(str![[r#"
ok: Pass (prefix, discrete partition, [..] states, [..] ms)
  explained by: User!login.Server?login.Server!welcome.User?welcome.User!bye.Server?bye
early: Fail (prefix, discrete partition, [..] state[..], [..] ms)
  error[too-early]: User sent bye too early: it should receive welcome first
   --> flow.mmd:4:15
    |
  4 |     Server-->>User: welcome
    |               ^^^^^^^^^^^^^ expected here: User?welcome
    |
   ::: cases.jsonl:2
    |
  2 | {[User] User!login.User!bye.User?welcome; [Server] Server?login.Server!welcome.Server?bye}
    |                    -------- observed instead: User!bye
    |
    = consumed: User 1/3, Server 2/3
    = repair: swap User!bye (place 2) and User?welcome (place 3) at cases.jsonl:2
    = core: User (the first 2 of 3) fails alone, whatever the others saw
cut: WeakPass (prefix, discrete partition, [..] states, [..] ms)
  explained by: User!login.Server?login.(Server!denied).(User?denied)
  assumed missing: 1 event of User (User?denied), 1 event of Server (Server!denied)

"#]]);
}

#[test]
fn a_line_of_a_raw_log_is_shown() {
    let sandbox = prepared("reports-logs");
    sandbox.write("otus.toml", LOGS);
    sandbox.write("logs/User.log", "started\nbob sent login to Server\nbob sent bye to Server\n");
    sandbox.write("logs/Server.log", "bob received login from User\nbob received bye from User\n");
    let text = stdout(&sandbox, "analyze flow.mmd logs", 1);
    assert!(text.contains("::: logs/User.log:3"), "{text}");
    assert!(text.contains("3 | bob sent bye to Server\n"), "{text}");
    assert!(text.contains("observed instead: User!bye"), "{text}");
    assert!(
        text.contains("insert Server!welcome before Server?bye (place 2) at logs/Server.log:2")
    );
}

#[test]
fn a_file_is_shown_where_it_fails() {
    let sandbox = prepared("reports-file");
    sandbox.write(
        "run.htf",
        "{[User] User!login.\n  User!bye.User?welcome;\n [Server] Server?login.Server!welcome.Server?bye}\n",
    );
    let text = stdout(&sandbox, "analyze flow.mmd run.htf", 1);
    assert!(text.contains("::: run.htf:2:3"), "{text}");
    assert!(text.contains("-------- observed instead: User!bye"), "{text}");
}

#[test]
fn explanations_are_had_as_asked() {
    let sandbox = prepared("reports-explain");
    for (flags, expected) in [
        ("", true),
        ("--explain none", false),
        ("--explain full", true),
        ("--format jsonl", false),
        ("--format jsonl --explain short", true),
        ("--format json", true),
        ("--engine graph", true),
    ] {
        let text = stdout(&sandbox, &format!("analyze flow.mmd cases.jsonl {flags}"), 1);
        assert_eq!(text.contains("too early"), expected, "{flags}: {text}");
    }
    let text = stdout(&sandbox, "analyze flow.mmd cases.jsonl --format json", 1);
    let document: Value = serde_json::from_str(&text).unwrap();
    let explanation = &document["results"][1]["explanation"];
    assert_eq!(explanation["cause"], "too-early");
    assert_eq!(explanation["expected"][0]["line"], 4);
    assert_eq!(explanation["expected"][0]["action"], "User?welcome");
    assert_eq!(explanation["observed"]["file"], "cases.jsonl");
    assert_eq!(explanation["repair"]["certified"], true);
    assert_eq!(explanation["core"]["logs"][0]["prefix"], 2);
    assert_eq!(document["results"][2]["missing"][0]["first"][0], "User?denied");
}

#[test]
fn the_first_failures_are_explained_whatever_the_number_of_jobs() {
    let sandbox = prepared("reports-many");
    let lines: Vec<&str> = CASES.lines().collect();
    let many: String = (0..900).flat_map(|number| [lines[number % 3], "\n"]).collect();
    sandbox.write("many.jsonl", &many);
    let ask = |jobs: usize, more: &str| {
        let call = format!("analyze flow.mmd many.jsonl --format jsonl --jobs {jobs} {more}");
        let output = sandbox.otus(&call).output().unwrap();
        let answers = String::from_utf8(output.stdout).unwrap();
        let answers = answers.lines().map(|line| {
            let mut answer: Value = serde_json::from_str(line).unwrap();
            answer.as_object_mut().unwrap().retain(|key, _| key != "states" && key != "micros");
            answer
        });
        (answers.collect::<Vec<_>>(), String::from_utf8(output.stderr).unwrap())
    };
    let (one, said) = ask(1, "--explain short");
    assert_eq!(one.len(), 900);
    let explained: Vec<bool> = one
        .iter()
        .filter(|answer| answer["verdict"] == "Fail")
        .map(|answer| answer.get("explanation").is_some())
        .collect();
    assert_eq!(explained, (0..300).map(|number| number < 20).collect::<Vec<_>>());
    assert!(
        said.contains("280 more failures are not explained (--explain full explains all)"),
        "{said}"
    );
    assert!(one == ask(4, "--explain short").0);
    let (full, said) = ask(4, "--explain full");
    assert!(full.iter().all(|it| (it["verdict"] == "Fail") == it.get("explanation").is_some()));
    assert!(!said.contains("not explained"), "{said}");
}

#[test]
fn several_reports_are_written_at_once() {
    let sandbox = prepared("reports-several");
    let formats = ["text", "json", "jsonl", "junit", "sarif", "github", "tap", "markdown", "html"];
    let mut call = "analyze flow.mmd cases.jsonl --format tap".to_owned();
    for format in formats {
        let _ = write!(call, " --report {format}=r.{format}");
    }
    let printed = stdout(&sandbox, &call, 1);
    assert_eq!(printed, sandbox.read("r.tap"));
    for format in formats {
        assert!(sandbox.read(&format!("r.{format}")).contains("early"), "{format}");
    }
    assert_eq!(sandbox.read("r.jsonl").lines().count(), 3);
    // The same again is the same, but for what the machine has a say in.
    for format in ["junit", "sarif", "github", "tap", "markdown", "html"] {
        let before = sandbox.read(&format!("r.{format}"));
        let call = format!("analyze flow.mmd cases.jsonl --jobs 3 --format {format}");
        assert_eq!(stdout(&sandbox, &call, 1), before, "{format}");
    }
}

#[test]
fn junit_has_a_test_for_each_case() {
    let sandbox = prepared("reports-junit");
    let text = stdout(&sandbox, "analyze flow.mmd cases.jsonl odd.jsonl --format junit", 1);
    let mut reader = Reader::from_str(&text);
    let (mut names, mut failures) = (Vec::new(), Vec::new());
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => break,
            Event::Start(tag) | Event::Empty(tag) => {
                let get = |name: &str| {
                    let found = tag.try_get_attribute(name).unwrap().unwrap();
                    found.value.to_string()
                };
                match tag.name().as_ref() {
                    "testcase" => names.push(get("name")),
                    "failure" => failures.push((get("type"), get("message"))),
                    "testsuite" => {
                        assert_eq!(get("name"), "flow.mmd");
                        assert_eq!((get("tests"), get("failures")), ("4".into(), "2".into()));
                    }
                    _ => {}
                }
            }
            Event::End(_)
            | Event::Text(_)
            | Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_)
            | Event::GeneralRef(_) => {}
        }
    }
    let odd = "&lt;é&gt; &amp; &quot;50%&quot;, a#b|\u{fffd}&#10;::x";
    assert_eq!(names, ["ok", "early", "cut", odd]);
    assert_eq!(failures[0].0, "too-early");
    assert_eq!(failures[1].1, "User sent bye after the part of User was over");
}

#[test]
fn sarif_has_a_rule_for_each_cause_and_places() {
    let sandbox = prepared("reports-sarif");
    let text = stdout(&sandbox, "analyze flow.mmd cases.jsonl odd.jsonl --format sarif", 1);
    let document: Value = serde_json::from_str(&text).unwrap();
    let run = &document["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "flow.mmd");
    assert_eq!(place["region"]["startLine"], 4);
    assert_eq!(place["region"]["startColumn"], 15);
    let log = &results[0]["relatedLocations"][0]["physicalLocation"];
    assert_eq!(log["artifactLocation"]["uri"], "cases.jsonl");
    assert_eq!(log["region"]["startLine"], 2);
    assert_eq!(results[0]["codeFlows"][0]["threadFlows"][0]["id"], "User");
    // Nothing was expected, so it is about the interaction as a whole.
    assert_eq!(results[1]["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn annotations_are_a_line_each() {
    let sandbox = prepared("reports-github");
    let text = stdout(&sandbox, "analyze flow.mmd cases.jsonl odd.jsonl --format github", 1);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(
        lines[0].starts_with(
            "::error file=flow.mmd,line=4,col=15,endColumn=28,title=early%3A too early::User sent bye \
             too early: it should receive welcome first%0A"
        ),
        "{text}"
    );
    assert!(lines[1].contains("title=<é> & \"50%25\"%2C a#b|\u{1}%0A%3A%3Ax%3A extra"), "{text}");
    assert_eq!(lines[2], "::notice title=otus::checked 4: 1 pass, 1 weak, 2 fail, 0 undecided");
}

#[test]
fn tap_counts_and_describes() {
    let sandbox = prepared("reports-tap");
    let text = stdout(&sandbox, "analyze flow.mmd cases.jsonl odd.jsonl --format tap", 1);
    let points: Vec<&str> = text.lines().filter(|line| line.contains("ok ")).collect();
    assert_eq!(
        points,
        ["ok 1 - ok", "not ok 2 - early", "ok 3 - cut", "not ok 4 - <é> & \"50%\", a\\#b|  ::x",]
    );
    assert!(text.starts_with("TAP version 14\n") && text.ends_with("\n1..4\n"), "{text}");
    assert!(text.contains("  spec: \"flow.mmd:4\"\n  expected: \"User?welcome\"\n"), "{text}");
}

#[test]
fn a_summary_has_a_table_of_failures() {
    let sandbox = prepared("reports-markdown");
    let text = stdout(&sandbox, "analyze flow.mmd cases.jsonl odd.jsonl --format markdown", 1);
    assert!(text.contains("**2 multi-traces failed.**"), "{text}");
    assert!(text.contains("| 1 | 1 | 2 | 0 | 0 |"), "{text}");
    assert!(
        text.contains(
            "| early | Fail | User sent bye too early: it should receive welcome first | flow.mmd:4 \
             | cases.jsonl:2 |"
        ),
        "{text}"
    );
    assert!(text.contains("&lt;é&gt; &amp; \"50%\", a&#35;b&#124;"), "{text}");
}

/// The data of a page.
#[track_caller]
fn page(text: &str) -> Value {
    let (_, rest) = text.split_once("id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn a_page_draws_a_failure_with_its_lines() {
    let sandbox = prepared("reports-html");
    sandbox.write("otus.toml", LOGS);
    sandbox.write("logs/User.log", "started\nbob sent login to Server\nbob sent bye to Server\n");
    sandbox.write("logs/Server.log", "bob received login from User\nbob received bye from User\n");
    let page = page(&stdout(&sandbox, "analyze flow.mmd logs --format html", 1));
    let case = &page["cases"][0];
    assert_eq!(case["verdict"], "Fail");
    assert_eq!(case["log"], "logs/User.log:3");
    let events = case["detail"]["diagram"]["events"].as_array().unwrap();
    let culprit = events.iter().find(|event| event["culprit"] == true).unwrap();
    assert_eq!(culprit["label"], "User!bye");
    assert_eq!(culprit["log"]["place"], "logs/User.log:3");
    assert_eq!(culprit["log"]["lines"][0], "bob sent bye to Server");
    let place = usize::try_from(culprit["specification"].as_u64().unwrap()).unwrap();
    let place = &case["detail"]["specification"][place];
    assert_eq!(place["place"], "flow.mmd:5");
    assert_eq!(place["lines"][2], "    User->>Server: bye");
    let svg = case["detail"]["diagram"]["svg"].as_str().unwrap();
    assert!(svg.contains("<title>User!login → Server?login</title>"), "{svg}");
    assert!(svg.contains(&format!("id=\"case-event-{}\"", culprit["id"])), "{svg}");
    let mermaid = case["detail"]["mermaid"].as_str().unwrap();
    assert!(mermaid.contains("P1-->>P0: expected welcome"), "{mermaid}");
    assert!(mermaid.contains("Note over P0: fails where it sends bye"), "{mermaid}");
    assert!(mermaid.contains("P0->>P1: login"), "{mermaid}");
}

#[test]
fn a_page_is_the_same_whatever_the_number_of_jobs() {
    let sandbox = prepared("reports-html-jobs");
    let lines: Vec<&str> = CASES.lines().collect();
    let many: String = (0..1500).flat_map(|number| [lines[number % 3], "\n"]).collect();
    sandbox.write("many.jsonl", &many);
    let ask = |jobs: usize, explain: &str| {
        let call = format!("analyze flow.mmd many.jsonl --format html --jobs {jobs} {explain}");
        stdout(&sandbox, &call, 1)
    };
    let drawn = |text: &str, verdict: &str| {
        let page = page(text);
        let cases = page["cases"].as_array().unwrap().iter();
        cases
            .filter(|case| case["verdict"] == verdict)
            .filter(|case| {
                !case["detail"]["diagram"]["events"].as_array().is_none_or(Vec::is_empty)
            })
            .count()
    };
    let one = ask(1, "");
    assert!(one == ask(4, ""));
    assert_eq!(["Pass", "WeakPass", "Fail"].map(|verdict| drawn(&one, verdict)), [100, 100, 20]);
    let full = ask(4, "--explain full");
    assert!(full == ask(2, "--explain full"));
    assert_eq!(drawn(&full, "Fail"), 200);
}

#[test]
fn what_cannot_be_checked_is_in_reports_too() {
    let sandbox = prepared("reports-unusable");
    sandbox.write("bad.jsonl", "{\"id\":\"bad\",\"htf\":\"{[User] User!\"}\n");
    for (format, expected) in [
        ("junit", "<error type=\"unusable\""),
        ("sarif", "\"toolExecutionNotifications\":[{\"level\":\"error\""),
        ("github", "::error file=bad.jsonl,line=1,title=bad::"),
        ("tap", "not ok 4 - "),
        ("markdown", "### Not checked"),
        ("html", "Could not be checked: bad.jsonl:1: "),
    ] {
        let call = format!("analyze flow.mmd cases.jsonl bad.jsonl --format {format}");
        let text = stdout(&sandbox, &call, 2);
        assert!(text.contains(expected), "{format}: {text}");
    }
}

#[test]
fn what_counts_as_a_failure_is_one_in_reports() {
    let sandbox = prepared("reports-weak");
    let ask = |flags: &str, code| {
        let call = format!("analyze flow.mmd cases.jsonl --format tap {flags}");
        stdout(&sandbox, &call, code).contains("not ok 3 - cut")
    };
    assert!(!ask("", 1));
    assert!(ask("--fail-on weak", 1));
    assert!(!ask("--fail-on never", 0));
}

#[test]
fn a_run_that_checks_nothing_says_so() {
    let sandbox = prepared("reports-vacuous");
    sandbox.write("none.jsonl", "");
    for (format, expected) in [
        ("junit", "tests=\"0\""),
        ("sarif", "\"results\": [\n]"),
        ("github", "checked 0"),
        ("tap", "1..0 # SKIP nothing was checked"),
        ("markdown", "**Nothing was checked.**"),
        ("html", "Nothing was checked."),
    ] {
        let call = format!("analyze flow.mmd none.jsonl --format {format}");
        let text = stdout(&sandbox, &call, 0);
        assert!(text.contains(expected), "{format}: {text}");
    }
    let output = sandbox.otus("analyze flow.mmd none.jsonl --strict").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("nothing was checked, and that is a failure by --strict"), "{said}");
}

#[test]
fn a_report_without_a_format_or_a_file_is_refused() {
    let sandbox = prepared("reports-refused");
    for (flag, expected) in [
        ("--report r.xml", "expected a format and a file, for example junit=report.xml"),
        ("--report junti=r.xml", "did you mean `junit`?"),
        ("--report junit=", "the name of the file is missing"),
        ("--report junit=no/such/folder/r.xml", "there is no folder no/such/folder"),
    ] {
        let output =
            sandbox.otus(&format!("analyze flow.mmd cases.jsonl {flag}")).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(expected), "{flag}: {said}");
    }
}

#[test]
fn a_run_that_was_killed_goes_on_where_it_was() {
    let sandbox = prepared("reports-results");
    let lines: Vec<&str> = CASES.lines().collect();
    let many: String = (0..300)
        .map(|number| lines[number % 3].replacen(":\"", &format!(":\"{number}-"), 1) + "\n")
        .collect();
    sandbox.write("many.jsonl", &many);
    let call = "analyze flow.mmd many.jsonl --results out.jsonl --format tap --explain none";
    let ids = |text: &str| -> Vec<(String, String)> {
        let answers = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        answers.map(|answer| (text(&answer["id"]), text(&answer["verdict"]))).collect()
    };
    let report = stdout(&sandbox, call, 1);
    let whole = ids(&sandbox.read("out.jsonl"));
    assert_eq!(whole.len(), 300);
    let bytes = sandbox.read("out.jsonl");
    // Killed in the middle of a line, at its beginning, and before everything.
    for length in [bytes.len() / 2, bytes.find('\n').unwrap() + 1, 1, 0, bytes.len()] {
        sandbox.write("out.jsonl", &bytes[..length]);
        let again = stdout(&sandbox, call, 1);
        assert_eq!(ids(&sandbox.read("out.jsonl")), whole);
        assert_eq!(again.matches("ok ").count(), report.matches("ok ").count());
    }
    let output = sandbox.otus(call).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("100 pass, 100 weak, 100 fail, 0 undecided"), "{said}");
    assert!(said.contains("; 300 decided before"), "{said}");
}

#[test]
fn a_file_of_something_else_is_not_taken_for_results() {
    let sandbox = prepared("reports-results-other");
    sandbox.write("half.txt", "something");
    for file in ["flow.mmd", "half.txt", "cases.jsonl"] {
        let before = sandbox.read(file);
        let call = format!("analyze flow.mmd cases.jsonl --results {file}");
        let output = sandbox.otus(&call).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("is no answer of Otus"), "{said}");
        assert_eq!(sandbox.read(file), before);
    }
    stdout(&sandbox, "analyze flow.mmd cases.jsonl --results out.jsonl", 1);
    let call = "analyze flow.mmd cases.jsonl --results out.jsonl --kind accept";
    let output = sandbox.otus(call).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("answers `prefix`, and now `accept` is asked"), "{said}");
    let refused = |call: &str| {
        let before = sandbox.read("out.jsonl");
        let output = sandbox.otus(&format!("analyze {call} --results out.jsonl")).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{call}");
        assert_eq!(sandbox.read("out.jsonl"), before, "{call}");
        String::from_utf8(output.stderr).unwrap()
    };
    let said = refused("flow.mmd cases.jsonl --engine graph");
    assert!(said.contains("is of the fast engine, and now the graph engine is asked"), "{said}");
    // Another diagram is noticed, another layout of the same is not.
    sandbox.write("flow.mmd", &FLOW.replace("denied", "refused"));
    let said = refused("flow.mmd cases.jsonl");
    assert!(said.contains("out.jsonl:1 answers for another specification"), "{said}");
    assert!(said.contains("take another file for --results"), "{said}");
    sandbox.write("flow.mmd", &FLOW.replace("  User", "  %% a comment\n  User"));
    stdout(&sandbox, "analyze flow.mmd cases.jsonl --results out.jsonl", 1);
    // Nor are answers taken that do not say what they answer.
    sandbox.write("out.jsonl", &stdout(&sandbox, "analyze flow.mmd cases.jsonl --format jsonl", 1));
    assert!(refused("flow.mmd cases.jsonl").contains("does not say what it answers"));
    let call = "flow.mmd cases.jsonl --may-stop-early";
    let weak = format!("analyze {call} User --results weak.jsonl");
    sandbox.otus(&weak).output().unwrap();
    sandbox.write("out.jsonl", &sandbox.read("weak.jsonl"));
    let said = refused(&format!("{call} Server"));
    assert!(said.contains("other declarations for lifelines"), "{said}");
}

/// As a machine that loses power, or a CI server that loses patience, would end it.
#[test]
fn a_run_that_is_killed_loses_and_repeats_nothing() {
    const CASES: usize = 200_000;
    let sandbox = prepared("reports-killed");
    let mut cases = String::new();
    for number in 0..CASES {
        let bye = if number % 7 == 0 { "User!bye.User?welcome" } else { "User?welcome.User!bye" };
        let _ = writeln!(
            cases,
            "{{\"id\":\"{number}\",\"htf\":\"{{[User] User!login.{bye}; [Server] Server?login.Server!welcome.Server?bye}}\"}}"
        );
    }
    sandbox.write("many.jsonl", &cases);
    let call = "analyze flow.mmd many.jsonl --results out.jsonl --format jsonl";
    let path = sandbox.path("out.jsonl");
    let length = || std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
    // Twice, each time as soon as there is more than before. A machine may be so busy that a run is over
    // before anybody comes to kill it; then there is another.
    let mut kills = 0;
    for _ in 0..50 {
        let before = length();
        let mut run = sandbox.start(call);
        while length() <= before && run.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        run.kill().unwrap();
        if run.wait().unwrap().code().is_some() {
            std::fs::remove_file(&path).unwrap();
            kills = 0;
            continue;
        }
        kills += 1;
        if kills == 2 {
            break;
        }
    }
    assert_eq!(kills, 2);
    let kept = sandbox.read("out.jsonl");
    // Power may be lost while a line is written.
    let torn = kept.trim_end().len() - 20;
    sandbox.write("out.jsonl", &kept[..torn]);
    let decided = kept[..torn].matches('\n').count();
    let output = sandbox.otus(call).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(&format!("; {decided} decided before")), "{said}");
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), CASES - decided);
    let answers = sandbox.read("out.jsonl");
    let mut count = 0;
    for (number, line) in answers.lines().enumerate() {
        let answer: Value = serde_json::from_str(line).unwrap();
        assert_eq!(answer["id"], number.to_string());
        assert_eq!(answer["verdict"], if number % 7 == 0 { "Fail" } else { "Pass" });
        count += 1;
    }
    assert_eq!(count, CASES);
}
