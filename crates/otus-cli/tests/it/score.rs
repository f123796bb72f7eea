//! `otus mutate --score`: how many mutants a specification catches.

use snapbox::str;

use crate::sandbox::Sandbox;

const STRICT: &str = "@message{ m; n }\n@lifeline{ a; b }\nseq(a -- m -> b, a -- n -> b)\n";
/// Whatever happens is right.
const LOOSE: &str = "@message{ m; n }\n@lifeline{ a; b }\nloopP(alt(a!m, alt(a!n, alt(b?m, alt(b?n, alt(a?m, alt(a?n, alt(b!m, b!n))))))))\n";
const RUN: &str = "{[a] a!m.a!n; [b] b?m.b?n}\n";

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("strict.hsf", STRICT);
    sandbox.write("loose.hsf", LOOSE);
    sandbox.write("run.htf", RUN);
    sandbox
}

#[test]
fn a_strict_specification_catches_all() {
    let sandbox = sandbox("score-strict");
    let call = "mutate --score strict.hsf run.htf --observed complete --min-score 100";
    sandbox
        .otus(call)
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
mutants of 1 accepted multi-trace, checked against strict.hsf

kind                 made   caught  survived  undecided   equal   part    score
noise                  10       10         0          0       0      0   100.0%
swap-actions            2        2         0          0       0      0   100.0%
remove                  4        4         0          0       0      0   100.0%
duplicate               1        1         0          0       0      0   100.0%
all                    17       17         0          0       0      0   100.0%

"#]])
        .stderr_eq(str![[r#"
caught 17 of 17 mutants (100.0%)

"#]]);
}

#[test]
fn a_loose_one_catches_none_and_its_survivors_are_shown() {
    let sandbox = sandbox("score-loose");
    let call = "mutate --score loose.hsf run.htf --observed complete -n 2";
    sandbox
        .otus(call)
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
mutants of 1 accepted multi-trace, checked against loose.hsf

kind                 made   caught  survived  undecided   equal   part    score
noise                   2        0         2          0       0      0     0.0%
swap-actions            2        0         2          0       0      0     0.0%
remove                  2        0         2          0       0      0     0.0%
duplicate               2        0         2          0       0      0     0.0%
all                     8        0         8          0       0      0     0.0%

survivors:
  run-noise-1: inserted b!n (place 3) in [b]
    Pass, explained by: b?m.a!m.a!n.b?n.b!n
  run-noise-2: inserted a?m (place 3) in [a]
    Pass, explained by: b?m.b?n.a!m.a!n.a?m
  run-swap-actions-1: swapped a!m (place 1) and a!n (place 2) in [a]
    Pass, explained by: b?m.a!n.b?n.a!m
  run-swap-actions-2: swapped b?m (place 1) and b?n (place 2) in [b]
    Pass, explained by: b?n.b?m.a!m.a!n
  run-remove-1: removed a!n (place 2) from [a]
    Pass, explained by: b?m.b?n.a!m
  run-remove-2: removed b?n (place 2) from [b]
    Pass, explained by: b?m.a!m.a!n
  run-duplicate-1: repeated a!n (place 2) in [a]
    Pass, explained by: b?m.b?n.a!m.a!n.a!n
  run-duplicate-2: repeated b?n (place 2) in [b]
    Pass, explained by: b?m.b?n.b?n.a!m.a!n

"#]])
        .stderr_eq(str![[r#"
caught 0 of 8 mutants (0.0%)

"#]]);
    sandbox.otus(&format!("{call} --min-score 50")).assert().code(1);
    sandbox.otus(&format!("{call} -o out.jsonl")).assert().code(0);
    let lines = sandbox.read("out.jsonl");
    assert_eq!(lines.lines().count(), 8);
    for line in lines.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(case["origin"], "run");
        assert_eq!(case["verdict"], "Pass");
    }
    // What survives is accepted, says the command that everybody knows.
    sandbox.otus("analyze loose.hsf out.jsonl --observed complete").assert().code(0);
}

#[test]
fn what_says_nothing_does_not_count() {
    let sandbox = sandbox("score-part");
    // The second run is what is left of the first when its last action is dropped.
    sandbox.write("runs/one.htf", "{[a] a!m; [b] b?m}\n");
    sandbox.write("runs/two.htf", "{[a] a!m; [b] }\n");
    let call = "mutate --score strict.hsf runs --observed prefix --kind remove --format json";
    let output = sandbox.otus(call).output().unwrap();
    let score: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let all = &score["summary"];
    assert_eq!(score["accepted"], 2, "{score}");
    assert_eq!(all["equal"], 1, "{score}");
    // Any log may be cut, also that of whoever sent what was received.
    assert_eq!(all["part"], 2, "{score}");
    assert_eq!(all["caught"], 0, "{score}");
    assert_eq!(all["survived"], 0, "{score}");
    assert!(all["score"].is_null(), "{score}");
    assert_eq!(output.status.code(), Some(1));
    // If nothing may be missing, all of them are wrong.
    sandbox.write("runs/two.htf", "{[a] a!m.a!n; [b] b?m.b?n}\n");
    let call = "mutate --score strict.hsf runs/two.htf --observed complete --kind remove";
    sandbox.otus(&format!("{call} --min-score 100")).assert().code(0);
}

#[test]
fn only_accepted_runs_are_mutated() {
    let sandbox = sandbox("score-rejected");
    sandbox.write("bad.htf", "{[a] a!n; [b] }\n");
    sandbox.write("strange.htf", "{[a] a!x; [b] }\n");
    let call = "mutate --score strict.hsf bad.htf strange.htf --observed complete";
    sandbox.otus(call).assert().code(1).stderr_eq(str![[r#"
none of 2 multi-traces is accepted by strict.hsf, so there is nothing to start from

"#]]);
    sandbox.otus(&format!("{call} run.htf --format json")).assert().code(0);
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_jobs() {
    let sandbox = sandbox("score-jobs");
    let call = |jobs: u32| {
        let call = format!("mutate --score loose.hsf run.htf --seed 7 --jobs {jobs}");
        let output = sandbox.otus(&call).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(call(1), call(4));
}

#[test]
fn raw_logs_are_mutated_too() {
    let sandbox = Sandbox::new("score-logs");
    sandbox.write("otus.toml", crate::documented::LOGS);
    sandbox
        .write("flow.mmd", "sequenceDiagram\n  User->>Server: login\n  Server-->>User: welcome\n");
    sandbox
        .write("logs/User.log", "alice sent login to Server\nalice received welcome from Server\n");
    sandbox
        .write("logs/Server.log", "alice received login from User\nalice sent welcome to User\n");
    sandbox.otus("mutate --score -n 3").assert().code(0).stdout_eq(str![[r#"
mutants of 1 accepted multi-trace, checked against flow.mmd

kind                 made   caught  survived  undecided   equal   part    score
noise                   3        3         0          0       0      0   100.0%
swap-actions            2        2         0          0       0      0   100.0%
remove                  3        3         0          0       0      0   100.0%
duplicate               3        3         0          0       0      0   100.0%
all                    11       11         0          0       0      0   100.0%

"#]]);
    sandbox.otus("mutate --score flow.mmd logs --group bob").assert().code(1);
}

#[test]
fn mistakes_are_told() {
    let sandbox = sandbox("score-mistakes");
    sandbox.otus("mutate run.htf --min-score 5").assert().code(2);
    sandbox.otus("mutate --score strict.hsf run.htf --min-score 101").assert().code(2);
    sandbox.otus("mutate --score strict.hsf -").assert().code(2).stderr_eq(str![[r#"
otus: standard input is read once, and this takes several looks; name a file

"#]]);
    sandbox.write("bad.htf", "{[a] a!");
    sandbox.otus("mutate --score strict.hsf bad.htf").assert().code(2);
}
