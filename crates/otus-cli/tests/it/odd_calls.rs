//! Calls that mean nothing, or not what was meant: they are refused, and it is said why.

use crate::documented::LOGS;
use crate::sandbox::Sandbox;

const FLOW: &str = "sequenceDiagram\n  User->>Server: login\n  Server-->>User: welcome\n";

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
    says(&sandbox, "analyze all.hsf", 0, "warning: nothing was checked");
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
    sandbox.write("run.pot.json", "{\"processes\": {\"p\": []}, \"edges\": []}");
    for call in ["analyze all.hsf run.htf", "explore all.hsf", "ctl run.pot.json EF(true)", "test"]
    {
        for value in ["=-1", " -1", "=nan", "=inf", "=0", "=soon"] {
            let text = "it takes a number of seconds above 0";
            says(&sandbox, &format!("{call} --timeout{value}"), 2, text);
        }
    }
    for call in ["analyze all.hsf run.htf", "ctl run.pot.json EF(true)"] {
        says(&sandbox, &format!("{call} --memory 0"), 2, "a whole number of MiB above 0");
    }
}
