//! Calls that mean nothing, or not what was meant: they are refused, and it is said why.

use crate::documented::LOGS;
use crate::sandbox::Sandbox;

const FLOW: &str = "sequenceDiagram\n  User->>Server: login\n  Server-->>User: welcome\n";

/// A process that does one thing.
const ORDER: &str = r#"{"processes": [{"name": "p", "events": [{"var": "x", "val": 1}]}]}"#;

/// A session in raw logs, and a model of another system.
fn prepared(name: &str) -> Sandbox {
    let sandbox = Sandbox::with_model(name);
    sandbox.write("otus.toml", LOGS);
    sandbox.write("flow.mmd", FLOW);
    sandbox.write("logs/User.log", "alice sent login to Server\n");
    sandbox.write("logs/Server.log", "alice received login from User\n");
    sandbox.write("all.hsf", &format!("{}{}", crate::sandbox::SIGNATURE, crate::sandbox::MODEL));
    sandbox
}

/// Runs a call; its exit status and what is on standard error are as expected.
#[track_caller]
fn says(sandbox: &Sandbox, call: &str, code: i32, text: &str) {
    let output = sandbox.otus(call).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{call}: {error}");
    assert!(error.contains(text), "{call}: {error}");
}

#[test]
fn what_cannot_be_found_is_given_up() {
    let sandbox = prepared("odd-generate");
    sandbox.write(
        "two.hsf",
        "@message{ m; n } @lifeline{ a; b } seq(a -- m -> b, alt(b -- n -> a, o))",
    );
    says(&sandbox, "generate two.hsf --count 1000000000", 0, "found 2 of 1000000000 with at most");
    says(&sandbox, "generate two.hsf --count 1000000000", 0, "gave up after");
    says(&sandbox, "generate all.hsf --max-length 3", 1, "the shortest one has 4");
    // There is one multi-trace for each number of publications, and walks meet few of them.
    let output = sandbox.otus("generate all.hsf --count 100 --max-length 10000").output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 100);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    let huge = "generate two.hsf --count 18446744073709551615 --max-length 18446744073709551615";
    says(&sandbox, huge, 0, "found 2 of 18446744073709551615");
    says(&sandbox, "generate two.hsf --count 1 -o t.jsonl", 0, "wrote 1 multi-trace to t.jsonl\n");
    says(
        &sandbox,
        "explore two.hsf --traces exact -o e.jsonl",
        0,
        "wrote 2 multi-traces to e.jsonl\n",
    );
}

#[test]
fn a_group_that_is_not_there_is_an_error() {
    let sandbox = prepared("odd-group");
    let text = "otus: no group is called `nobody`; `otus map --explain` lists them\n";
    for call in
        ["analyze flow.mmd logs", "map logs", "ctl logs EF(true)", "analyze logs --format json"]
    {
        says(&sandbox, &format!("{call} --group nobody"), 2, text);
    }
}

#[test]
fn groups_without_an_action_of_the_specification_are_nothing() {
    let sandbox = prepared("odd-vacuous");
    says(&sandbox, "analyze all.hsf", 3, "warning: nothing was checked");
    says(&sandbox, "analyze all.hsf --allow-empty", 0, "warning: nothing was checked");
    says(&sandbox, "analyze all.hsf --strict", 1, "that is a failure by --strict");
}

#[test]
fn two_outputs_have_two_places() {
    let sandbox = prepared("odd-outputs");
    let check = |flags: &str, text: &str| {
        says(&sandbox, &format!("analyze all.hsf run.htf {flags}"), 2, text);
        assert!(!sandbox.path("a.xml").exists());
    };
    check(
        "--report junit=a.xml --report sarif=./a.xml",
        "--report junit and --report sarif both write ./a.xml; give each a file of its own",
    );
    check("--report json=a.json --results a.json", "--report json and --results both write a.json");
    check("--report json=a.json --coverage=a.json", "--report json and --coverage both write");
    check("--report junit=-", "a report goes to a file; --format junit prints one");
    check("--order - --format json", "--order - and --format json both write to standard output");
    check("--certificate - --format tap", "--certificate - and --format tap both write");
    sandbox.otus("analyze all.hsf run.htf --order -").assert().code(0);
}

#[test]
fn a_multi_trace_is_none_of_the_logs_of_an_otus_toml() {
    let sandbox = prepared("odd-config");
    sandbox.write("cases.jsonl", "{\"id\": \"x\", \"htf\": \"{[broker] broker!publish}\"}\n");
    sandbox.write(
        "one.toml",
        "[[source]]\nfiles = ['*.log']\nformat = 'regex'\nlifeline = 'User'\n[[source.rule]]\nmatch = 'x'\nemit = ['!x']\n",
    );
    says(
        &sandbox,
        "analyze all.hsf run.htf --config one.toml",
        0,
        "checked 1 multi-trace, 6 actions",
    );
    says(&sandbox, "analyze all.hsf cases.jsonl --config one.toml", 1, "checked 1 multi-trace");
}

#[test]
fn a_specification_does_not_swallow_the_logs() {
    let sandbox = prepared("odd-spec");
    for call in [
        "map --spec flow.mmd logs",
        "map logs --spec flow.mmd",
        "map logs --spec sig.hsf model.hif",
    ] {
        says(&sandbox, call, 0, "mapped 2 logs");
    }
}

#[test]
fn times_and_sizes_are_above_zero() {
    let sandbox = prepared("odd-numbers");
    sandbox.write("run.pot.json", ORDER);
    for call in ["analyze all.hsf run.htf", "explore all.hsf", "ctl run.pot.json EF(true)", "test"]
    {
        for value in ["=-1", " -1", "=nan", "=inf", "=0", "=soon"] {
            let text = "expected a number of seconds above 0";
            says(&sandbox, &format!("{call} --timeout{value}"), 2, text);
        }
    }
    for call in ["analyze all.hsf run.htf", "ctl run.pot.json EF(true)"] {
        says(&sandbox, &format!("{call} --memory 0"), 2, "a whole number of MiB above 0");
    }
}

#[test]
fn a_place_in_a_case_file_has_no_column() {
    let sandbox = prepared("odd-columns");
    sandbox.write(
        "runs.jsonl",
        "{\"id\": \"x\", \"htf\": \"{[broker] broker!publish}\"}\n{\"id\": \"y\", \"htf\": \"broker!publish\"}\n",
    );
    let output = sandbox.otus("analyze all.hsf runs.jsonl").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("::: runs.jsonl:1\n") && text.contains("::: runs.jsonl:2\n"), "{text}");
    let output = sandbox.otus("analyze all.hsf runs.jsonl --color always").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("runs.jsonl:1") && !text.contains("runs.jsonl:1:"), "{text}");
}

#[test]
fn flags_about_another_picture_are_refused() {
    let sandbox = prepared("odd-flags");
    sandbox.write("run.pot.json", ORDER);
    for (call, text) in [
        ("draw flow.mmd --step User!login", "--step is about the picture of a term"),
        ("draw flow.mmd --positions", "--positions is about the picture of a term"),
        ("draw flow.mmd --automaton rules", "add --what automaton"),
        ("draw flow.mmd --cut p=1", "--cut is about the picture of an order of events"),
        ("draw all.hsf run.htf --only-used", "--only-used is about the picture of a sequence"),
        ("draw flow.mmd -o a.png --font run.htf", "run.htf is no font; --font takes .ttf"),
        ("draw flow.mmd --what order", "this is a picture of a trace, and none is given"),
        ("draw flow.mmd --what trace", "this is a picture of a trace, and none is given"),
        ("explore all.hsf run.htf", "`otus explore` is about a specification alone, and run.htf"),
        ("ctl run.pot.json EF(true) --closure fixpoint", "add --engine ist"),
    ] {
        says(&sandbox, call, 2, text);
    }
    for (call, text) in [
        ("analyze all.hsf run.htf --theme dark", "note: --theme changes nothing"),
        ("analyze all.hsf run.htf --graph-nodes 3", "note: --graph-nodes changes nothing"),
        ("explore all.hsf --theme auto", "note: --theme changes nothing"),
        ("ctl run.pot.json EF(true) --scale 3", "note: --scale changes nothing, since no picture"),
    ] {
        says(&sandbox, call, 0, text);
    }
    let output = sandbox.otus("analyze all.hsf run.htf --coverage=c.svg --theme dark").output();
    let error = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(!error.contains("note:"), "{error}");
}

#[test]
fn only_what_can_be_written_is_offered() {
    let sandbox = prepared("odd-convert");
    let offered = "[possible values: hsf, hif, mermaid, plantuml, htf, jsonl, pot, cnf]";
    says(&sandbox, "convert flow.mmd --to nothing", 2, offered);
    says(&sandbox, "convert flow.mmd --to markdown", 2, "Markdown is read, not written");
    sandbox.otus("convert flow.mmd --to plantuml").assert().code(0);
}

#[test]
fn words_of_the_papers_have_any_case() {
    let sandbox = prepared("odd-case");
    for flags in [
        "--goal pass",
        "--goal WEAKPASS",
        "--kind Prefix",
        "--kind Simulate[before=true]",
        "--strategy dfs",
        "--local-analysis True",
        "--observed Slice",
        "--filters [Max_Depth=30]",
        "--priorities [Reception=1]",
    ] {
        sandbox.otus(&format!("analyze all.hsf run.htf {flags}")).assert().code(0);
    }
    let bounds = "--filters [Max_Depth=5]";
    sandbox
        .otus(&format!("explore all.hsf --traces Exact --partition Trivial {bounds}"))
        .assert()
        .code(0);
    sandbox.otus("mutate run.htf --kind Noise").assert().code(0);
}

#[test]
fn a_file_whose_ending_says_something_else_is_warned_of() {
    let sandbox = prepared("odd-ending");
    let text = "warning: x.mmd is written as plantuml, which its ending does not say\n";
    says(&sandbox, "learn run.htf -o x.mmd --to plantuml", 0, text);
    assert!(sandbox.read("x.mmd").contains("@startuml"));
    let output = sandbox.otus("learn run.htf -o y.mmd --to mermaid").output().unwrap();
    assert!(!String::from_utf8(output.stderr).unwrap().contains("warning"));
}

#[test]
fn tables_of_all_groups_say_so() {
    let sandbox = prepared("odd-tables");
    let output = sandbox.otus("map logs --explain --group alice").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for heading in ["log", "rule", "lifeline", "message"] {
        assert!(text.contains(&format!("{heading} (of all groups)")), "{heading}: {text}");
    }
    let output = sandbox.otus("map logs --explain").output().unwrap();
    assert!(!String::from_utf8(output.stdout).unwrap().contains("(of all groups)"));
}

#[test]
fn lines_that_begin_with_two_slashes_are_comments_of_formulas() {
    let sandbox = prepared("odd-slashes");
    sandbox.write("run.pot.json", ORDER);
    let text = "// why\nsafe: AG(true) # yes\n  // and more\n";
    sandbox.write("a.ctl", text);
    sandbox.otus("ctl run.pot.json --file a.ctl").assert().code(0);
    sandbox.otus("fmt a.ctl").assert().code(0);
    assert_eq!(sandbox.read("a.ctl"), "// why\nsafe: AG true # yes\n// and more\n");
    sandbox.otus("ctl run.pot.json --file a.ctl").assert().code(0);
}
