//! `otus test`: verdicts that `otus.toml` expects.

use std::path::Path;

use snapbox::str;

use crate::sandbox::Sandbox;

const FLOW: &str = "sequenceDiagram\n  User->>Server: login\n  Server-->>User: welcome\n";
const GOOD: &str = "{[User] User!login.User?welcome; [Server] Server?login.Server!welcome}\n";
const EARLY: &str = "{[User] User?welcome.User!login; [Server] Server?login.Server!welcome}\n";
const TRACE: &str =
    r#"{"processes":[{"name":"p","events":[{"var":"x","val":1},{"var":"x","val":2}]}],"edges":[]}"#;

fn sandbox(name: &str, tests: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("flow.mmd", FLOW);
    sandbox.write("runs/good.htf", GOOD);
    sandbox.write("runs/early.htf", EARLY);
    sandbox.write("x.pot.json", TRACE);
    sandbox.write("otus.toml", tests);
    sandbox
}

const TESTS: &str = r#"spec = "flow.mmd"

[properties]
small = "AG(x < 2)"

[[test]]
name = "login"
traces = "runs/good.htf"
observed = "complete"
expect = "Pass"

[[test]]
name = "wrong verdict"
traces = ["runs/*.htf"]
observed = "complete"
expect = "Pass"        # a comment that stays

[[test]]
name = "wrong cause"
traces = "runs/early.htf"
observed = "complete"
expect = { "good" = "Pass", "*" = "Fail" }
cause = "stopped-early"

[[test]]
traces = "x.pot.json"
property = "small"
expect = "holds"

[[test]]
name = "no such file"
traces = "runs/none.htf"
expect = "Pass"
"#;

#[test]
fn tests_of_the_examples_are_as_expected() {
    for name in ["mqtt", "mqtt/connection", "otel-shop", "otel-shop/orders", "raft"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
        let output = std::process::Command::new(snapbox::cmd::cargo_bin!("otus"))
            .arg("test")
            .current_dir(root)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{name}: {text}");
        assert!(text.lines().count() >= 3, "{name} has too few tests: {text}");
        assert!(text.lines().all(|line| line.contains("… ok")), "{name}: {text}");
    }
}

#[test]
fn differences_are_explained() {
    let sandbox = sandbox("suite-text", TESTS);
    sandbox.otus("test").assert().code(2).stdout_eq(str![[r#"
test login … ok (1 Pass)
test wrong verdict … differs
  early: expected Pass, found Fail: User received welcome too early: it should send login first
      expected here: User!login at flow.mmd:2
      observed instead: User?welcome at runs/early.htf:1
      repair: swap User?welcome (place 1) and User!login (place 2) at runs/early.htf:1
test wrong cause … differs
  early: expected Fail (stopped-early), found Fail (too-early): User received welcome too early: it should send login first
      expected here: User!login at flow.mmd:2
      observed instead: User?welcome at runs/early.htf:1
      repair: swap User?welcome (place 1) and User!login (place 2) at runs/early.htf:1
  good: something is expected of it, but it is not there; there are early
test number 4 … differs
  x: expected holds, found fails: broken at some cut, in some order (AG)
      shown by a run of 2 events:
      1  p:1  x := 1
      2  p:2  x := 2
      to the last cut p:2, where x = 2
      re-checked by replaying it
test no such file … could not be run
  there is no runs/none.htf

"#]]).stderr_eq(str![[r#"
ran 5 tests, 5 answers: 1 as expected, 3 differ, 1 could not be run in [..] ms

"#]]);
    sandbox.otus("test wrong").assert().code(1);
    sandbox.otus("test login").assert().code(0).stdout_eq(str![[r#"
test login … ok (1 Pass)

"#]]);
}

#[test]
fn json_has_every_answer() {
    let sandbox = sandbox("suite-json", TESTS);
    let output = sandbox.otus("test --format json").output().unwrap();
    let all: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(all["version"], 1);
    assert_eq!(all["summary"]["tests"], 5);
    assert_eq!(all["summary"]["expected"], 1);
    assert_eq!(all["summary"]["different"], 3);
    assert_eq!(all["summary"]["broken"], 1);
    let wrong = &all["tests"][1]["cases"][0];
    assert_eq!(wrong["id"], "early");
    assert_eq!(wrong["ok"], false);
    assert_eq!(wrong["found"], "Fail");
    assert_eq!(wrong["expected"], serde_json::json!(["Pass"]));
    assert!(wrong["cause"].is_string(), "{wrong}");
    assert_eq!(all["tests"][2]["absent"], serde_json::json!(["good"]));
}

#[test]
fn ci_servers_are_served() {
    let sandbox = sandbox("suite-formats", TESTS);
    sandbox.otus("test --format junit").assert().code(2).stdout_eq(str![[r#"
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="otus test" tests="7" failures="4" errors="1">
  <testsuite name="login" tests="1" failures="0" errors="0">
    <testcase classname="login" name="good"/>
  </testsuite>
  <testsuite name="wrong verdict" tests="2" failures="1" errors="0">
    <testcase classname="wrong verdict" name="early">
      <failure type="different" message="early: expected Pass, found Fail: User received welcome too early: it should send login first">expected here: User!login at flow.mmd:2
observed instead: User?welcome at runs/early.htf:1
repair: swap User?welcome (place 1) and User!login (place 2) at runs/early.htf:1</failure>
    </testcase>
    <testcase classname="wrong verdict" name="good"/>
  </testsuite>
  <testsuite name="wrong cause" tests="2" failures="2" errors="0">
    <testcase classname="wrong cause" name="early">
      <failure type="different" message="early: expected Fail (stopped-early), found Fail (too-early): User received welcome too early: it should send login first">expected here: User!login at flow.mmd:2
observed instead: User?welcome at runs/early.htf:1
repair: swap User?welcome (place 1) and User!login (place 2) at runs/early.htf:1</failure>
    </testcase>
    <testcase classname="wrong cause" name="good">
      <failure type="different" message="something is expected of it, but it is not there"></failure>
    </testcase>
  </testsuite>
  <testsuite name="number 4" tests="1" failures="1" errors="0">
    <testcase classname="number 4" name="x">
      <failure type="different" message="x: expected holds, found fails: broken at some cut, in some order (AG)">shown by a run of 2 events:
1  p:1  x := 1
2  p:2  x := 2
to the last cut p:2, where x = 2
re-checked by replaying it</failure>
    </testcase>
  </testsuite>
  <testsuite name="no such file" tests="1" failures="0" errors="1">
    <testcase classname="no such file" name="no such file">
      <error type="broken" message="there is no runs/none.htf"></error>
    </testcase>
  </testsuite>
</testsuites>

"#]]);
    sandbox.otus("test --format tap").assert().code(2).stdout_eq(str![[r#"
TAP version 14
# otus 0.1.0 test: otus.toml
ok 1 - login
not ok 2 - wrong verdict
  ---
  message: "early: expected Pass, found Fail: User received welcome too early: it should send login first/n    expected here: User!login at flow.mmd:2/n    observed instead: User?welcome at runs/early.htf:1/n    repair: swap User?welcome (place 1) and User!login (place 2) at runs/early.htf:1"
  ...
not ok 3 - wrong cause
  ---
  message: "early: expected Fail (stopped-early), found Fail (too-early): User received welcome too early: it should send login first/n    expected here: User!login at flow.mmd:2/n    observed instead: User?welcome at runs/early.htf:1/n    repair: swap User?welcome (place 1) and User!login (place 2) at runs/early.htf:1/ngood: something is expected of it, but it is not there; there are early"
  ...
not ok 4 - number 4
  ---
  message: "x: expected holds, found fails: broken at some cut, in some order (AG)/n    shown by a run of 2 events:/n    1  p:1  x := 1/n    2  p:2  x := 2/n    to the last cut p:2, where x = 2/n    re-checked by replaying it"
  ...
not ok 5 - no such file
  ---
  message: "there is no runs/none.htf"
  ...
1..5

"#]]);
}

#[test]
fn what_was_found_is_written() {
    let sandbox = sandbox("suite-update", TESTS);
    sandbox.otus("test wrong small --update").assert().code(2);
    sandbox.otus("test wrong --update").assert().code(1).stderr_eq(str![[r#"
test wrong cause: good is not there any more; remove it from `expect`
wrote 2 tests of otus.toml
ran 2 tests, 3 answers: 0 as expected, 2 differ, 0 could not be run in [..] ms

"#]]);
    snapbox::assert_data_eq!(
        sandbox.read("otus.toml"),
        str![[r#"
spec = "flow.mmd"

[properties]
small = "AG(x < 2)"

[[test]]
name = "login"
traces = "runs/good.htf"
observed = "complete"
expect = "Pass"

[[test]]
name = "wrong verdict"
traces = ["runs/*.htf"]
observed = "complete"
expect = { "early" = "Fail", "good" = "Pass" }        # a comment that stays

[[test]]
name = "wrong cause"
traces = "runs/early.htf"
observed = "complete"
expect = { "good" = "Pass", "*" = "Fail" }
cause = "too-early"

[[test]]
traces = "x.pot.json"
property = "small"
expect = "holds"

[[test]]
name = "no such file"
traces = "runs/none.htf"
expect = "Pass"

"#]]
    );
    sandbox.otus("test verdict").assert().code(0);
}

#[test]
fn tests_are_listed_and_chosen() {
    let sandbox = sandbox("suite-list", TESTS);
    sandbox.otus("test --list").assert().code(0).stdout_eq(str![[r#"
login: flow.mmd, runs/good.htf
wrong verdict: flow.mmd, runs/*.htf
wrong cause: flow.mmd, runs/early.htf
number 4: the property small, x.pot.json
no such file: flow.mmd, runs/none.htf

"#]]);
    sandbox.otus("test logn").assert().code(2).stderr_eq(str![[r#"
otus: no test of otus.toml has `logn` in its name; did you mean `login`?

"#]]);
}

#[test]
fn a_file_without_tests_is_said() {
    let sandbox = sandbox("suite-none", "spec = 'flow.mmd'\n");
    sandbox.otus("test").assert().code(2).stderr_eq(str![[r#"
otus: otus.toml has no test; write one, as [[test]] with traces = "runs/*.htf" and expect = "Pass" below it

"#]]);
    sandbox.write("otus.toml", "[[test]]\nexpect = 'pass'\n");
    sandbox.otus("test").assert().code(2).stderr_eq(str![[r#"
error[O1003]: `pass` is none of `Pass`, `WeakPass`, `Fail`, `WeakFail`, `Inconclusive`
 --> otus.toml:2:10
  |
2 | expect = 'pass'
  |          ^^^^^^
  |
  = help: did you mean `Pass`?

"#]]);
    sandbox.write("otus.toml", "[[test]]\ntraces = 'runs/good.htf'\nexpect = 'Pass'\n");
    sandbox.otus("test").assert().code(2).stdout_eq(str![[r#"
test number 1 … could not be run
  it has no specification; say spec = "docs/protocol.md#login" in it, or at the top of otus.toml

"#]]);
    // Without what is expected, what was found is told.
    sandbox.write("otus.toml", "[[test]]\ntraces = 'runs/good.htf'\nspec = 'flow.mmd'\n");
    sandbox.otus("test").assert().code(1).stdout_eq(str![[r#"
test number 1 … differs
  good: nothing is expected (--update writes it), found Pass: accepted as it is

"#]]);
}
