//! `otus analyze --baseline`: failures that are known.

use snapbox::str;

use crate::sandbox::Sandbox;

const FLOW: &str = "sequenceDiagram\n  User->>Server: login\n  Server-->>User: welcome\n";
const CASES: &str = r#"{"id":"good","htf":"{[User] User!login.User?welcome; [Server] Server?login.Server!welcome}"}
{"id":"early","htf":"{[User] User?welcome.User!login; [Server] Server?login.Server!welcome}"}
{"id":"twice","htf":"{[User] User!login.User?welcome.User!login; [Server] Server?login.Server!welcome}"}
"#;

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("flow.mmd", FLOW);
    sandbox.write("runs.jsonl", CASES);
    sandbox
}

const CALL: &str = "analyze flow.mmd runs.jsonl --observed complete --no-witness";

#[test]
fn known_failures_do_not_fail_a_run() {
    let sandbox = sandbox("baseline-known");
    let call = |rest: &str| sandbox.otus(&format!("{CALL} {rest}"));
    call("").assert().code(1);
    call("--write-baseline known.toml").assert().code(0).stderr_eq(str![[r#"
wrote 2 known failures to known.toml
checked 3 multi-traces, 13 actions: 1 pass, 0 weak, 2 fail, 0 undecided in [..] ms

"#]]);
    snapbox::assert_data_eq!(
        sandbox.read("known.toml"),
        str![[r##"
# Failures that are known: `otus analyze --baseline` does not fail because of them.
# Written by --write-baseline, which keeps lines that still hold, and the comments right above them.

[known]
"early" = "too-early"  # User received welcome too early: it should send login first
"twice" = "extra-after-end"  # User sent login after the part of User was over

"##]]
    );
    call("--baseline known.toml")
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
good: Pass (observed complete, discrete partition, [..])
early: Fail (observed complete, discrete partition, [..])
  known failure, too-early: User received welcome too early: it should send login first
twice: Fail (observed complete, discrete partition, [..])
  known failure, extra-after-end: User sent login after the part of User was over

"#]])
        .stderr_eq(str![[r#"
checked 3 multi-traces, 13 actions: 1 pass, 0 weak, 2 fail (2 known), 0 undecided in [..] ms

"#]]);
    // Whoever counts weak ones as failures still knows these.
    call("--baseline known.toml --fail-on weak").assert().code(0);
    // Without explanations, too: causes are compared all the same.
    call("--baseline known.toml --format jsonl").assert().code(0).stdout_eq(str![[r#"
{"id":"good","verdict":"Pass","kind":"complete","observed":"complete","partition":"discrete","engine":"fast","states":[..],"micros":[..]}
{"id":"early","verdict":"Fail","kind":"complete","observed":"complete","partition":"discrete","engine":"fast","states":[..],"micros":[..],"known":true}
{"id":"twice","verdict":"Fail","kind":"complete","observed":"complete","partition":"discrete","engine":"fast","states":[..],"micros":[..],"known":true}

"#]]);
}

#[test]
fn another_cause_and_another_id_are_new() {
    let sandbox = sandbox("baseline-new");
    let call = |rest: &str| sandbox.otus(&format!("{CALL} {rest}"));
    sandbox.write("known.toml", "[known]\nearly = 'too-late'\ntwice = 'any'\n");
    call("--baseline known.toml").assert().code(1).stdout_eq(str![[r#"
good: Pass (observed complete, discrete partition, [..])
early: Fail (observed complete, discrete partition, [..])
  error[too-early]: User received welcome too early: it should send login first
   --> flow.mmd:2:3
    |
  2 |   User->>Server: login
    |   ^^^^^^^^^^^^^^^^^^^^ expected here: User!login
    |
   ::: runs.jsonl:2
    |
  2 | {[User] User?welcome.User!login; [Server] Server?login.Server!welcome}
    |         ------------ observed instead: User?welcome
    |
    = consumed: User 0/2, Server 0/2
    = repair: swap User?welcome (place 1) and User!login (place 2) at runs.jsonl:2
    = core: User (the first 1 of 2) fails alone, whatever the others saw
twice: Fail (observed complete, discrete partition, [..])
  known failure

"#]]);
    sandbox.write("known.toml", "[known]\nearly = ['too-late', 'too-early']\n");
    call("--baseline known.toml").assert().code(1).stderr_eq(str![[r#"
checked 3 multi-traces, 13 actions: 1 pass, 0 weak, 2 fail (1 known), 0 undecided in [..] ms

"#]]);
}

#[test]
fn what_is_fixed_is_told() {
    let sandbox = sandbox("baseline-fixed");
    let call = |rest: &str| sandbox.otus(&format!("{CALL} {rest}"));
    sandbox.write(
        "known.toml",
        "[known]\n# ticket 7\nearly = 'any'\ntwice = 'any'\ngood = 'too-early'\nelsewhere = 'any'\n",
    );
    call("--baseline known.toml").assert().code(0).stderr_eq(str![[r#"
fixed: good is accepted now; remove it from known.toml
note: 1 of 4 in known.toml were not checked
checked 3 multi-traces, 13 actions: 1 pass, 0 weak, 2 fail (2 known), 0 undecided in [..] ms

"#]]);
    let output = call("--baseline known.toml --format json").output().unwrap();
    let all: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(all["summary"]["fail"], 2);
    assert_eq!(all["summary"]["known"], 2);
    assert_eq!(all["summary"]["fixed"], serde_json::json!(["good"]));
    assert_eq!(all["results"][0].get("known"), None);
    assert_eq!(all["results"][1]["known"], true);
    // The file is written anew without it, and keeps what was said about others.
    call("--baseline known.toml --write-baseline known.toml").assert().code(0);
    snapbox::assert_data_eq!(
        sandbox.read("known.toml"),
        str![[r#"
# Failures that are known: `otus analyze --baseline` does not fail because of them.
# Written by --write-baseline, which keeps lines that still hold, and the comments right above them.

[known]
# ticket 7
early = 'any'
twice = 'any'

"#]]
    );
}

#[test]
fn reports_tell_known_failures_from_new_ones() {
    let sandbox = sandbox("baseline-reports");
    let call = |rest: &str| sandbox.otus(&format!("{CALL} --baseline known.toml {rest}"));
    sandbox.write("known.toml", "[known]\nearly = 'too-early'\n");
    call("--format junit").assert().code(1).stdout_eq(str![[r#"
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="otus" tests="3" failures="1" errors="0">
  <testsuite name="flow.mmd" tests="3" failures="1" errors="0" skipped="1">
    <testcase classname="flow.mmd" name="good"/>
    <testcase classname="flow.mmd" name="early">
      <skipped type="too-early" message="known failure (too-early): User received welcome too early: it should send login first"></skipped>
    </testcase>
    <testcase classname="flow.mmd" name="twice">
      <failure type="extra-after-end" message="User sent login after the part of User was over">
error[extra-after-end]: User sent login after the part of User was over
 --&gt; runs.jsonl:3
  |
3 | {[User] User!login.User?welcome.User!login; [Server] Server?login.Server!welcome}
  |                                 ^^^^^^^^^^ observed: User!login
  |
  = consumed: User 2/3, Server 2/2
  = repair: drop User!login (place 3) at runs.jsonl:3
  = core: User fails alone, whatever the others saw
</failure>
    </testcase>
  </testsuite>
</testsuites>

"#]]);
    call("--format tap").assert().code(1).stdout_eq(str![[r#"
TAP version 14
# otus 0.1.0: flow.mmd
ok 1 - good
not ok 2 - early # TODO known failure
  ---
  message: "User received welcome too early: it should send login first"
  verdict: "Fail"
  rule: "too-early"
  spec: "flow.mmd:2"
  expected: "User!login"
  log: "runs.jsonl:2"
  observed: "User?welcome"
  consumed: "User 0/2, Server 0/2"
  repair: "swap User?welcome (place 1) and User!login (place 2) at runs.jsonl:2"
  core: "User (the first 1 of 2) fails alone, whatever the others saw"
  ...
not ok 3 - twice
  ---
  message: "User sent login after the part of User was over"
  verdict: "Fail"
  rule: "extra-after-end"
  log: "runs.jsonl:3"
  observed: "User!login"
  consumed: "User 2/3, Server 2/2"
  repair: "drop User!login (place 3) at runs.jsonl:3"
  core: "User fails alone, whatever the others saw"
  ...
1..3

"#]]);
    call("--format github").assert().code(1).stdout_eq(str![[r#"
::error file=flow.mmd,line=2,title=twice%3A extra after end::User sent login after the part of User was over%0Aobserved: User!login at runs.jsonl:3%0Aconsumed: User 2/3, Server 2/2%0Arepair: drop User!login (place 3) at runs.jsonl:3%0Acore: User fails alone, whatever the others saw
::notice title=otus::checked 3: 1 pass, 0 weak, 2 fail (1 known), 0 undecided

"#]]);
    call("--format markdown").assert().code(1).stdout_eq(str![[r#"
## Otus: flow.mmd

**1 multi-trace failed.** Besides, 1 known failure.

| pass | weak | fail | undecided | unusable |
|---:|---:|---:|---:|---:|
| 1 | 0 | 2 | 0 | 0 |

3 multi-traces with 13 actions; question: observed complete, fast engine.

| case | verdict | what is wrong | specification | log |
|---|---|---|---|---|
| twice | Fail | User sent login after the part of User was over |  | runs.jsonl:3 |

<details><summary>twice: extra after end</summary>

```text
error[extra-after-end]: User sent login after the part of User was over
 --> runs.jsonl:3
  |
3 | {[User] User!login.User?welcome.User!login; [Server] Server?login.Server!welcome}
  |                                 ^^^^^^^^^^ observed: User!login
  |
  = consumed: User 2/3, Server 2/2
  = repair: drop User!login (place 3) at runs.jsonl:3
  = core: User fails alone, whatever the others saw
```

</details>

"#]]);
    let output = call("--format sarif").output().unwrap();
    let all: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = &all["runs"][0]["results"];
    assert_eq!(results[0]["suppressions"][0]["kind"], "external");
    assert_eq!(results[1].get("suppressions"), None);
}

#[test]
fn a_run_that_goes_on_knows_them_too() {
    let sandbox = sandbox("baseline-results");
    let call = |rest: &str| sandbox.otus(&format!("{CALL} --results out.jsonl {rest}"));
    call("").assert().code(1);
    sandbox.write("known.toml", "[known]\nearly = 'too-early'\ntwice = 'any'\n");
    call("--baseline known.toml").assert().code(0).stderr_eq(str![[r#"
checked 3 multi-traces, 13 actions: 1 pass, 0 weak, 2 fail (2 known), 0 undecided in [..] ms; 3 decided before

"#]]);
}

#[test]
fn a_baseline_that_cannot_be_read_is_an_error() {
    let sandbox = sandbox("baseline-unreadable");
    let call = |rest: &str| sandbox.otus(&format!("{CALL} {rest}"));
    call("--baseline none.toml").assert().code(2).stderr_eq(str![[r#"
otus: cannot read the baseline none.toml; --write-baseline none.toml makes one: No such file or directory (os error 2)

"#]]);
    sandbox.write("known.toml", "[known]\nearly = 'to-early'\n");
    call("--baseline known.toml").assert().code(2).stderr_eq(str![[r#"
error[O1003]: there is no cause `to-early`
 --> known.toml:2:9
  |
2 | early = 'to-early'
  |         ^^^^^^^^^^
  |
  = help: did you mean `too-early`?

"#]]);
    call("--write-baseline known.toml").assert().code(2);
}
