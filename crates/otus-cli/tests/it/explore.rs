//! `otus explore` and `otus generate`.

use snapbox::str;

use crate::sandbox::Sandbox;

fn prepared(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write(
        "model.hsf",
        "@message{ m; n } @lifeline{ a; b } seq(a -- m -> b, alt(b -- n -> a, o))",
    );
    sandbox
}

#[test]
fn the_tree_is_printed() {
    let sandbox = prepared("explore-tree");
    sandbox
        .otus("explore model.hsf")
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
seq(strict(a!m, b?m), alt(strict(b!n, a?n), ∅))
  a!m@11
    b?m@1 ✓
      b!n@11
        a?n@ε ✓

"#]])
        .stderr_eq("explored 5 nodes, 2 of which accept\n");
    sandbox.otus("explore model.hsf --filters [max_depth=1]").assert().code(0).stdout_eq(str![[
        r#"
seq(strict(a!m, b?m), alt(strict(b!n, a?n), ∅))
  a!m@11 …

"#
    ]]);
}

#[test]
fn every_strategy_marks_what_a_filter_cuts_off() {
    let sandbox = prepared("explore-cut");
    sandbox.write("par.hsf", "@message{ m; n } @lifeline{ a; b } par(a -- m ->|, b -- n ->|)");
    for (strategy, expected) in [
        ("DFS", "par(a!m, b!n) …\n  a!m@1 …\n"),
        ("BFS", "par(a!m, b!n) …\n  a!m@1 …\n"),
        ("HCS", "par(a!m, b!n) …\n  a!m@1 …\n"),
    ] {
        let call = format!("explore par.hsf --strategy {strategy} --filters [max_node_number=2]");
        sandbox.otus(&call).assert().code(0).stdout_eq(expected);
        sandbox.otus(&format!("{call} --graph x.json")).assert().code(0);
        assert_eq!(sandbox.read("x.json").matches("\"cut\": 1").count(), 2, "{strategy}");
    }
}

#[test]
fn multi_traces_of_the_tree_are_written() {
    let sandbox = prepared("explore-traces");
    sandbox.otus("explore model.hsf --traces exact").assert().code(0).stdout_eq(str![[r#"
{"id":"t1","htf":"{[a] a!m; [b] b?m}"}
{"id":"t2","htf":"{[a] a!m.a?n; [b] b?m.b!n}"}

"#]]);
    sandbox
        .otus("explore model.hsf --traces prefix --partition trivial -o t.jsonl")
        .assert()
        .code(0);
    assert_eq!(sandbox.read("t.jsonl").lines().count(), 5);
    sandbox.otus("explore model.hsf --traces terminal -o runs/").assert().code(0);
    assert_eq!(sandbox.read("runs/t1.htf"), "{\n  [a] a!m.a?n;\n  [b] b?m.b!n\n}\n");
    let options = "@explore_option{ loggers = [tracegen[generation = exact, partition = {(a,b)}, folder = out]] }";
    sandbox.write("conf.hcf", options);
    sandbox.otus("explore model.hsf conf.hcf").assert().code(0);
    assert_eq!(sandbox.read("out/t1.htf"), "{\n  [#all] a!m.b?m\n}\n");
}

#[test]
fn loops_are_bounded_and_it_is_said() {
    let sandbox = prepared("explore-loops");
    sandbox.write("loop.hsf", "@message{ m } @lifeline{ a } loopP(a -- m ->|)");
    let output = sandbox.otus("explore loop.hsf --graph tree.dot").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("bounded to depth 6 and 500 nodes"));
    assert!(sandbox.read("tree.dot").contains("cut"));
}

#[test]
fn random_multi_traces_are_accepted_and_repeatable() {
    let sandbox = prepared("generate");
    sandbox.write(
        "loop.hsf",
        "@message{ m; n } @lifeline{ a; b } loopW(alt(a -- m -> b, b -- n -> a))",
    );
    let call = "generate loop.hsf --count 20 --max-length 12 --seed 7";
    let first = sandbox.otus(call).output().unwrap().stdout;
    assert_eq!(sandbox.otus(call).output().unwrap().stdout, first);
    let text = String::from_utf8(first).unwrap();
    assert_eq!(text.lines().count(), 20);
    sandbox.write("made.jsonl", &text);
    let answer =
        sandbox.otus("analyze loop.hsf made.jsonl --kind accept --memoize").output().unwrap();
    assert_eq!(answer.status.code(), Some(0), "{}", String::from_utf8_lossy(&answer.stdout));
    let few = sandbox.otus("generate model.hsf --count 9").output().unwrap();
    assert!(String::from_utf8_lossy(&few.stderr).contains("found 2 of 9"));
    let bad = sandbox.otus("generate model.hsf --partition {(a,c)}").output().unwrap();
    assert!(String::from_utf8_lossy(&bad.stderr).contains("there is no lifeline `c`"));
    assert_eq!(bad.status.code(), Some(2));
}
