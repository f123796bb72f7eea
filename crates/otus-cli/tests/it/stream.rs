//! Many multi-traces: case files, folders and standard input.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;

use serde_json::Value;

use crate::analyze::{prepared, verdicts};

/// A line of an answer without what the machine has a say in.
fn timeless(line: &str) -> Value {
    let mut answer: Value = serde_json::from_str(line).unwrap();
    let fields = answer.as_object_mut().unwrap();
    fields.remove("micros");
    // What an engine has learnt from one multi-trace spares it states in the next.
    fields.remove("states");
    answer
}

#[test]
fn answers_are_in_the_order_of_the_lines_whatever_the_number_of_jobs() {
    let sandbox = prepared("stream-order");
    let cases: Vec<String> = sandbox.read("cases.jsonl").lines().map(str::to_owned).collect();
    let mut text = String::new();
    for number in 0..5000 {
        let case = &cases[(number + number / 5) % 3];
        let _ = writeln!(text, "{}", case.replacen("\": \"", &format!("\": \"{number}-"), 1));
    }
    sandbox.write("many.jsonl", &text);
    let ask = |jobs: usize| -> Vec<Value> {
        let call =
            format!("analyze model.hsf many.jsonl --kind eliminate --format jsonl --jobs {jobs}");
        let output = sandbox.otus(&call).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stdout).unwrap().lines().map(timeless).collect()
    };
    let one = ask(1);
    assert_eq!(one.len(), 5000);
    for (number, answer) in one.iter().enumerate() {
        let name = ["whole", "cut", "wrong"][(number + number / 5) % 3];
        assert_eq!(answer["id"], format!("{number}-{name}"));
    }
    assert!(one == ask(4));
}

#[test]
fn a_bad_line_is_named_and_the_others_are_answered() {
    let sandbox = prepared("stream-bad");
    let good = sandbox.read("cases.jsonl");
    let bad = concat!(
        "not json\n",
        "\n",
        "{\"id\": \"odd\", \"htf\": \"{[brokr] brokr!publish}\"}\n",
        "{\"id\": \"none\"}\n",
        "{\"id\": \"one\", \"htf\": \"[broker] broker!publsh\"}\n",
        "{\"id\": \"two\", \"htf\": \"[broker] broker!publsh\"}\n",
        "{\"id\": 12, \"htf\": \"[broker] broker!publish\"}\n",
    );
    sandbox.write("mixed.jsonl", &format!("{good}{bad}{good}"));
    let call = "analyze model.hsf mixed.jsonl --kind eliminate --format jsonl";
    let output = sandbox.otus(call).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stdout).unwrap();
    let ids: Vec<Value> = text.lines().map(|line| timeless(line)["id"].clone()).collect();
    assert_eq!(ids, ["whole", "cut", "wrong", "12", "whole", "cut", "wrong"]);
    let said = String::from_utf8(output.stderr).unwrap();
    for part in [
        "error[O0407]: line 4 is not a case",
        "--> mixed.jsonl:4:",
        "4 | not json",
        "--> mixed.jsonl:6 (odd):1:3",
        "did you mean `broker`?",
        "error[O0407]: line 7 is not a case: it has no `htf`",
        "--> mixed.jsonl:8 (one):1:17",
        // What is undeclared in one multi-trace is so in the next.
        "--> mixed.jsonl:9 (two):1:17",
        "2 pass, 2 weak, 3 fail, 0 undecided in ",
        "; 5 unusable\n",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
}

#[test]
fn of_very_many_bad_lines_the_first_are_shown_and_all_counted() {
    let sandbox = prepared("stream-very-bad");
    let good = "{\"id\": \"good\", \"htf\": \"{}\"}\n";
    sandbox.write("bad.jsonl", &format!("{good}{}{good}", "{\"htf\": 3}\n".repeat(1000)));
    let output = sandbox.otus("analyze model.hsf bad.jsonl --format jsonl").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 2);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.matches("error[O0407]").count(), 100);
    assert!(said.contains("900 more findings are not shown"), "{said}");
    assert!(said.contains("; 1000 unusable\n"), "{said}");
}

#[test]
fn a_file_that_is_no_case_file_is_one_fault() {
    let sandbox = prepared("stream-whole");
    sandbox.write("document.jsonl", "{\n  \"id\": \"x\",\n  \"htf\": \"{}\"\n}\n");
    std::fs::write(sandbox.path("packed.jsonl"), b"\x1f\x8b\x08\x00abc\ndef\n").unwrap();
    for (name, text) in [
        ("document.jsonl", "this is one JSON document over several lines"),
        ("packed.jsonl", "it looks like gzip: unpack it first"),
    ] {
        let output = sandbox.otus(&format!("analyze model.hsf {name}")).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(text) && said.matches("error[").count() == 1, "{said}");
    }
    // One line that is not text does not spoil the others.
    let case = b"{\"id\": \"x\", \"htf\": \"{}\"}\n".as_slice();
    std::fs::write(sandbox.path("odd.jsonl"), [case, b"\xff\xfe\n", case].concat()).unwrap();
    let output = sandbox.otus("analyze model.hsf odd.jsonl --format jsonl").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 2);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("--> odd.jsonl:2:1"), "{said}");
}

#[test]
fn a_folder_is_all_multi_traces_in_it() {
    let sandbox = prepared("stream-folder");
    sandbox.write("runs/b/x.htf", "[broker] broker!publish");
    sandbox.write("runs/a/x.htf", "{}");
    sandbox.write("runs/c.jsonl", &sandbox.read("cases.jsonl"));
    sandbox.write("runs/notes.md", "nothing to see");
    sandbox.write("runs/a/bad.htf", "[broker] broker!");
    let expected = [
        r#"a/x "WeakPass""#,
        r#"b/x "Fail""#,
        r#"whole "Pass""#,
        r#"cut "WeakPass""#,
        r#"wrong "Fail""#,
    ];
    for jobs in [1, 3] {
        let call = format!("model.hsf runs --kind eliminate --jobs {jobs}");
        assert_eq!(verdicts(&sandbox, &call), expected);
    }
    let output = sandbox.otus("analyze model.hsf runs").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("runs/a/bad.htf:1:17"));
    let output = sandbox.otus("analyze model.hsf runs --graph g.dot").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("--graph records one analysis; several multi-traces are given"),
        "{said}"
    );
}

#[test]
fn standard_input_may_be_any_of_the_texts() {
    let sandbox = prepared("stream-stdin");
    let model = sandbox.read("model.hsf");
    let cases = sandbox.read("cases.jsonl");
    for (call, input, count) in [
        ("model.hsf -", cases.as_str(), 3),
        ("model.hsf - --from jsonl", cases.as_str(), 3),
        ("model.hsf -", "[broker] broker!publish", 1),
        ("- run.htf", model.as_str(), 1),
    ] {
        let call = format!("analyze {call} --kind simulate --format jsonl");
        let output = sandbox.otus(&call).stdin(input).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{call}: {said}");
        assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), count, "{call}");
    }
}

/// A case is answered when it comes, not when the next one does; and Ctrl-C ends the waiting.
#[cfg(unix)]
#[test]
fn a_stream_is_answered_as_it_comes() {
    let sandbox = prepared("stream-live");
    let mut child = std::process::Command::new(snapbox::cmd::cargo_bin!("otus"))
        .args(["analyze", "model.hsf", "-", "--format", "jsonl"])
        .current_dir(sandbox.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for id in ["one", "two"] {
        writeln!(input, "{{\"id\": \"{id}\", \"htf\": \"{{}}\"}}").unwrap();
        input.flush().unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(timeless(&line)["id"], id);
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    drop(input);
}

#[test]
fn a_case_file_without_cases_is_mentioned() {
    let sandbox = prepared("stream-empty");
    sandbox.write("runs/empty.jsonl", "");
    sandbox.write("runs/blank.jsonl", " \n\n\t\n");
    sandbox.write("one.jsonl", "\n\n{\"id\": \"one\", \"htf\": \"\"}");
    let run = |arguments: &str| {
        let output = sandbox.otus(&format!("analyze model.hsf {arguments}")).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (answers, said) = run("runs/empty.jsonl");
    assert_eq!(answers, "");
    let checked = "checked 0 multi-traces, 0 actions: 0 pass, 0 weak, 0 fail, 0 undecided";
    assert!(said.starts_with(&format!("otus: no cases in runs/empty.jsonl\n{checked}")), "{said}");
    let (answers, said) = run("runs/ one.jsonl --format jsonl");
    assert_eq!(answers.lines().count(), 1);
    let both = "otus: no cases in runs/blank.jsonl\notus: no cases in runs/empty.jsonl\n\
                warning: no action was observed, so nothing was checked\nchecked 1 ";
    assert!(said.starts_with(both), "{said}");
    let (answers, _) = run("runs/empty.jsonl --format json");
    let document: Value = serde_json::from_str(&answers).unwrap();
    assert_eq!(document["results"], serde_json::json!([]));
    let output = sandbox.otus("analyze model.hsf - --from jsonl").stdin("").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("otus: no cases in <stdin>\n"));
}

#[test]
fn no_jobs_are_all_cores() {
    let sandbox = prepared("stream-jobs");
    let expected = verdicts(&sandbox, "model.hsf cases.jsonl");
    for jobs in ["0", "1", "100000000000"] {
        assert_eq!(verdicts(&sandbox, &format!("model.hsf cases.jsonl --jobs {jobs}")), expected);
    }
    let output = sandbox.otus("analyze model.hsf cases.jsonl --jobs -1").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn one_is_not_a_plural() {
    let sandbox = prepared("stream-singular");
    sandbox.write("one.htf", "[broker] broker?publish");
    sandbox.write("empty.hif", "o");
    let unformatted = "seq(o ,o)";
    sandbox.write("a.hif", unformatted);
    let says = |arguments: &str, text: &str| {
        let output = sandbox.otus(arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(text), "{arguments}: {said}");
    };
    says("analyze model.hsf one.htf", "checked 1 multi-trace, 1 action on 1 of 3 lifelines: ");
    says("analyze model.hsf run.htf", "checked 1 multi-trace, 6 actions: ");
    says("explore sig.hsf empty.hif", "explored 1 node, 1 of which accepts\n");
    says("fmt --check a.hif", "1 of 1 file would change; `otus fmt` rewrites it\n");
    says(
        "generate sig.hsf empty.hif --max-length 1",
        "found 1 of 10 with at most 1 event: gave up",
    );
    says("slice one.htf --all", "2 slices of 1 multi-trace\n");
}
