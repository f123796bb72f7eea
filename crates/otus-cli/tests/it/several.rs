//! `otus analyze` with several specifications: which one a multi-trace belongs to.

use snapbox::str;

use crate::sandbox::Sandbox;

const LOGIN: &str = "sequenceDiagram\n  User->>Server: login\n  Server-->>User: welcome\n";
const PAY: &str = "sequenceDiagram\n  User->>Server: pay\n  Server-->>User: receipt\n";
const CASES: &str = r#"{"id":"login-1","htf":"{[User] User!login.User?welcome; [Server] Server?login.Server!welcome}"}
{"id":"pay-1","htf":"{[User] User!pay.User?receipt; [Server] Server?pay.Server!receipt}"}
{"id":"pay-2","htf":"{[User] User!pay.User!pay.User?receipt; [Server] Server?pay.Server!receipt}"}
"#;

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("login.mmd", LOGIN);
    sandbox.write("pay.mmd", PAY);
    sandbox.write("runs.jsonl", CASES);
    sandbox
}

const CALL: &str = "analyze login.mmd pay.mmd runs.jsonl --observed complete --no-witness";

#[test]
fn the_first_that_accepts_is_the_one() {
    let sandbox = sandbox("several-first");
    sandbox
        .otus(CALL)
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
login-1: Pass (observed complete, discrete partition, [..])
  specification: login.mmd
pay-1: Pass (observed complete, discrete partition, [..])
  specification: pay.mmd
pay-2: Fail (observed complete, discrete partition, [..])
  specification: pay.mmd, which explains most of it; none of login.mmd, pay.mmd fits
  error[missing-counterpart]: User sent pay twice but Server received it only once
   --> runs.jsonl:3
    |
  3 | {[User] User!pay.User!pay.User?receipt; [Server] Server?pay.Server!receipt}
    |                  ^^^^^^^^ observed: User!pay
    |
   ::: runs.jsonl:3
    |
  3 | {[User] User!pay.User!pay.User?receipt; [Server] Server?pay.Server!receipt}
    |                                                  ---------- the other end: Server?pay
    |
    = consumed: User 1/3, Server 2/2
    = repair: drop User!pay (place 2) at runs.jsonl:3
    = core: User (the first 2 of 3) fails alone, whatever the others saw

"#]])
        .stderr_eq(str![[r#"
login.mmd: 1 pass, 0 weak, 0 fail, 0 undecided
pay.mmd: 1 pass, 0 weak, 1 fail, 0 undecided
checked 3 multi-traces, 13 actions: 2 pass, 0 weak, 1 fail, 0 undecided in [..] ms

"#]]);
    // Whatever the order, and whatever the number of jobs.
    let other = "analyze pay.mmd runs.jsonl login.mmd --observed complete --format json";
    let verdicts = |call: &str| {
        let output = sandbox.otus(call).output().unwrap();
        let all: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let results = all["results"].as_array().unwrap();
        let one = |it: &serde_json::Value| format!("{} {} {}", it["id"], it["verdict"], it["spec"]);
        assert_eq!(all["summary"]["specs"][0]["spec"], "pay.mmd");
        assert_eq!(all["summary"]["specs"][0]["fail"], 1);
        assert_eq!(all["summary"]["specs"][1]["pass"], 1);
        results.iter().map(one).collect::<Vec<_>>()
    };
    let expected = [
        r#""login-1" "Pass" "login.mmd""#,
        r#""pay-1" "Pass" "pay.mmd""#,
        r#""pay-2" "Fail" "pay.mmd""#,
    ];
    assert_eq!(verdicts(&format!("{other} --jobs 1")), expected);
    assert_eq!(verdicts(&format!("{other} --jobs 3")), expected);
}

#[test]
fn reports_name_the_specification() {
    let sandbox = sandbox("several-reports");
    sandbox.otus(&format!("{CALL} --format jsonl")).assert().code(1).stdout_eq(str![[r#"
{"id":"login-1","verdict":"Pass","kind":"complete","observed":"complete","partition":"discrete","engine":"fast","states":[..],"micros":[..],"spec":"login.mmd"}
{"id":"pay-1","verdict":"Pass","kind":"complete","observed":"complete","partition":"discrete","engine":"fast","states":[..],"micros":[..],"spec":"pay.mmd"}
{"id":"pay-2","verdict":"Fail","kind":"complete","observed":"complete","partition":"discrete","engine":"fast","states":[..],"micros":[..],"spec":"pay.mmd"}

"#]]);
    sandbox
        .otus(&format!("{CALL} --format junit --explain none"))
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="otus" tests="3" failures="1" errors="0">
  <testsuite name="login.mmd pay.mmd" tests="3" failures="1" errors="0">
    <testcase classname="login.mmd" name="login-1"/>
    <testcase classname="pay.mmd" name="pay-1"/>
    <testcase classname="pay.mmd" name="pay-2">
      <failure type="not-explained" message="it cannot have happened; explained at most: User 1 of 3, Server 2 of 2">explained at most: User 1 of 3, Server 2 of 2</failure>
    </testcase>
  </testsuite>
</testsuites>

"#]]);
}

#[test]
fn rules_say_what_belongs_where() {
    let sandbox = Sandbox::new("several-rules");
    sandbox.write("login.mmd", LOGIN);
    sandbox.write("pay.mmd", PAY);
    let source = "[[source]]\nname = 'app'\nfiles = ['logs/*.log']\nformat = 'regex'\n\
                  lifeline = '{file.stem}'\ngroup = '{who}'\n[[source.rule]]\n\
                  match = '(?<who>\\S+) (?<d>sent|received) (?<message>\\w+)'\ndir = '{d}'\nmessage = '{message}'\n";
    let rules = "[[spec]]\nfile = 'login.mmd'\ngroups = 'login-*'\n\
                 [[spec]]\nfile = 'pay.mmd'\ngroups = ['pay-*', 'paid']\n";
    sandbox.write("otus.toml", &format!("{rules}{source}"));
    sandbox.write(
        "logs/User.log",
        "login-1 sent pay\nlogin-1 received receipt\npay-1 sent pay\npay-1 received receipt\nx sent pay\n",
    );
    sandbox.write(
        "logs/Server.log",
        "login-1 received pay\nlogin-1 sent receipt\npay-1 received pay\npay-1 sent receipt\n",
    );
    // What a rule gives to one specification is not looked for in another.
    sandbox
        .otus("analyze --explain none --no-witness")
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
login-1: Fail (prefix, discrete partition, [..])
  specification: login.mmd
  explained at most: User 0 of 2, Server 0 of 2
  not explained: User!pay at logs/User.log:1
  not explained: Server?pay at logs/Server.log:1
pay-1: Pass (prefix, discrete partition, [..])
  specification: pay.mmd

"#]])
        .stderr_eq(str![[r#"
login.mmd: 0 pass, 0 weak, 1 fail, 0 undecided
pay.mmd: 1 pass, 0 weak, 0 fail, 0 undecided
checked 2 logs, 8 actions (0 lines unmatched), 2 groups: 1 pass, 0 weak, 1 fail, 0 undecided in [..] ms; 1 of no specification

"#]]);
    // Named on the command line, they keep their rules.
    sandbox.otus("analyze pay.mmd login.mmd logs --format jsonl").assert().code(1);
    // Without rules, the first that accepts is the one, but not one in which nothing happened.
    sandbox.write("otus.toml", source);
    sandbox.otus("analyze login.mmd pay.mmd logs --no-witness").assert().code(0).stdout_eq(str![[
        r#"
login-1: Pass (prefix, discrete partition, [..])
  specification: pay.mmd
pay-1: Pass (prefix, discrete partition, [..])
  specification: pay.mmd
x: WeakPass (prefix, discrete partition, [..])
  specification: pay.mmd

"#
    ]]);
    sandbox.write("otus.toml", &format!("[[spec]]\nfil = 'login.mmd'\n{source}"));
    sandbox.otus("analyze").assert().code(2).stderr_eq(str![[r#"
error[O1003]: [[spec]] does not say which `file` it is
 --> otus.toml:1:1
  |
1 | [[spec]]
  | ^^^^^^^^
  |
  = help: write [[spec]] and below it file = "docs/flow.md#login" and, if need be, groups = "login-*"

error[O1003]: [[spec]] has no key `fil`
 --> otus.toml:2:1
  |
2 | fil = 'login.mmd'
  | ^^^
  |
  = help: write [[spec]] and below it file = "docs/flow.md#login" and, if need be, groups = "login-*"

"#]]);
}

#[test]
fn some_things_are_about_one_specification() {
    let sandbox = sandbox("several-refused");
    for flag in ["--graph x.dot", "--results r.jsonl", "--certificate c.json"] {
        sandbox.otus(&format!("{CALL} {flag}")).assert().code(2);
    }
    sandbox.otus("mutate --score login.mmd pay.mmd runs.jsonl").assert().code(2).stderr_eq(str![[
        r#"
otus: mutants are checked against one specification; choose one

"#
    ]]);
    sandbox.write("bad.mmd", "sequenceDiagram\n  User->>\n");
    sandbox.otus("analyze bad.mmd pay.mmd runs.jsonl").assert().code(2);
}
