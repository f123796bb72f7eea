//! `otus lint`.

use snapbox::str;

use crate::sandbox::Sandbox;

const DOCUMENT: &str = "\
# Log in

```mermaid
sequenceDiagram
  User->>Server: login
```

## Log out

```plantuml
@startuml
User -> Server : logout
alt
  Server -> User : bye
else
  Server -> User : bye
end
@enduml
```

```mermaid
flowchart LR
  A --> B
```
";

#[test]
fn a_sound_specification_is_found_so() {
    let sandbox = Sandbox::with_model("lint-sound");
    sandbox
        .otus("lint sig.hsf model.hif")
        .assert()
        .code(0)
        .stdout_eq("")
        .stderr_eq("checked 1 specification and 0 traces: nothing found\n");
    sandbox
        .otus("lint sig.hsf model.hif run.htf")
        .assert()
        .code(0)
        .stdout_eq("")
        .stderr_eq("checked 1 specification and 1 trace: nothing found\n");
}

#[test]
fn the_exit_status_says_how_bad_it_is() {
    let sandbox = Sandbox::with_model("lint-exit");
    sandbox.write("note.hif", "publisher -- publish ->|\n");
    sandbox.write("small.hsf", "@message{ publish } @lifeline{ publisher }");
    sandbox.write("warning.hif", "alt(publisher!publish, publisher!publish)\n");
    sandbox.write("error.hif", "publisher!publsh\n");
    for (model, status) in [("note", 0), ("warning", 1), ("error", 2)] {
        sandbox.otus(&format!("lint small.hsf {model}.hif")).assert().code(status);
    }
}

#[test]
fn findings_as_text_as_lines_and_as_json() {
    let sandbox = Sandbox::with_model("lint-formats");
    sandbox.write("bad.hif", "seq(\n  subscribr -- publish -> broker,\n  loopX(o)\n)\n");
    sandbox.otus("lint sig.hsf bad.hif").assert().code(2).stdout_eq(str![[r#"
error[O0301]: the lifeline `subscribr` is not declared
 --> bad.hif:2:3
  |
2 |   subscribr -- publish -> broker,
  |   ^^^^^^^^^ used here
  |
  = help: did you mean `subscriber`? Otherwise declare it in `@lifeline{…}`

error[O0208]: there is no loop `loopX`
 --> bad.hif:3:3
  |
3 |   loopX(o)
  |   ^^^^^
  |
  = help: write loopS (strictly), loopW (weakly, as in diagrams), loopP (in parallel) or loopC(l1, l2) (concurrently on l1 and l2)


"#]]).stderr_eq(
        "checked 1 specification and 0 traces: 2 errors; `otus explain O0301` tells more\n",
    );
    sandbox.otus("lint --format short sig.hsf bad.hif").assert().code(2).stdout_eq(str![[r#"
bad.hif:2:3: error[O0301]: the lifeline `subscribr` is not declared (did you mean `subscriber`? Otherwise declare it in `@lifeline{…}`)
bad.hif:3:3: error[O0208]: there is no loop `loopX` (write loopS (strictly), loopW (weakly, as in diagrams), loopP (in parallel) or loopC(l1, l2) (concurrently on l1 and l2))

"#]]);
    sandbox
        .otus("lint --format json sig.hsf bad.hif")
        .assert()
        .code(2)
        .stderr_eq("")
        .stdout_eq(str![[r#"
{
  "version": 1,
  "diagnostics": [
    {
      "code": "O0301",
      "severity": "error",
      "message": "the lifeline `subscribr` is not declared",
      "place": {
        "file": "bad.hif",
        "line": 2,
        "column": 3,
        "end_line": 2,
        "end_column": 12,
        "start": 7,
        "end": 16,
        "text": "used here"
      },
      "help": "did you mean `subscriber`? Otherwise declare it in `@lifeline{…}`"
    },
    {
      "code": "O0208",
      "severity": "error",
      "message": "there is no loop `loopX`",
      "place": {
        "file": "bad.hif",
        "line": 3,
        "column": 3,
        "end_line": 3,
        "end_column": 8,
        "start": 41,
        "end": 46
      },
      "help": "write loopS (strictly), loopW (weakly, as in diagrams), loopP (in parallel) or loopC(l1, l2) (concurrently on l1 and l2)"
    }
  ],
  "summary": {
    "errors": 2,
    "warnings": 0,
    "notes": 0
  }
}

"#]]);
    sandbox.otus("lint --format json sig.hsf model.hif").assert().code(0).stderr_eq("").stdout_eq(
        str![[r#"
{
  "version": 1,
  "diagnostics": [],
  "summary": {
    "errors": 0,
    "warnings": 0,
    "notes": 0
  }
}

"#]],
    );
}

#[test]
fn each_diagram_is_a_specification_of_its_own() {
    let sandbox = Sandbox::new("lint-several");
    sandbox.write("one.mmd", "sequenceDiagram\n  A->>B: m\n");
    sandbox.write("two.puml", "@startuml\nA -> B : m\n@enduml\n");
    sandbox.write("doc.md", DOCUMENT);
    sandbox
        .otus("lint one.mmd two.puml")
        .assert()
        .code(0)
        .stdout_eq("")
        .stderr_eq("checked 2 specifications and 0 traces: nothing found\n");
    sandbox
        .otus("lint doc.md")
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
warning[O0703]: two alternatives are equal
  --> doc.md:16:3
   |
14 |   Server -> User : bye
   |   -------------------- as this one
15 | else
16 |   Server -> User : bye
   |   ^^^^^^^^^^^^^^^^^^^^ the same again
   |
   = help: remove one, or change the one that should differ


"#]])
        .stderr_eq(str![[r#"
checked 2 specifications and 0 traces: 1 warning; `otus explain O0703` tells more

"#]]);
    sandbox.otus("lint doc.md#log-in").assert().code(0).stdout_eq("");
    sandbox.otus("lint doc.md#2").assert().code(1);
    sandbox.otus("lint doc.md#log-out").assert().code(1);
    sandbox.write("run.htf", "[A] A!m");
    sandbox.otus("lint one.mmd two.puml run.htf").assert().code(2).stderr_eq(str![[r#"
otus: traces are checked against one specification; 2 are given here

"#]]);
    sandbox.otus("lint one.mmd run.htf").assert().code(0).stdout_eq("");
}

#[test]
fn traces_are_checked_against_the_specification() {
    let sandbox = Sandbox::with_model("lint-traces");
    sandbox.write("bad.htf", "{[broker] broker?publish; [subscriber] subscriber?publsh}");
    sandbox.otus("lint sig.hsf model.hif run.htf bad.htf").assert().code(2).stdout_eq(str![[r#"
error[O0302]: the message `publsh` is not declared
 --> bad.htf:1:51
  |
1 | {[broker] broker?publish; [subscriber] subscriber?publsh}
  |                                                   ^^^^^^ used here
  |
  = help: did you mean `publish`? Otherwise declare it in `@message{…}`


"#]]);
    sandbox.otus("lint bad.htf").assert().code(0).stdout_eq("");
    sandbox.write(
        "cases.jsonl",
        "{\"id\": \"x\", \"htf\": \"[broker] broker?publish\"}\n{\"id\": \"y\", \"htf\": \"[brokr] brokr!publish\"}\n",
    );
    sandbox
        .otus("lint --format short sig.hsf cases.jsonl")
        .assert()
        .code(2)
        .stdout_eq(str![[r#"
cases.jsonl:2 (y):1:2: error[O0301]: the lifeline `brokr` is not declared (did you mean `broker`? Otherwise declare it in `@lifeline{…}`)

"#]]);
}

#[test]
fn standard_input_is_told_apart_by_content_or_by_from() {
    let sandbox = Sandbox::with_model("lint-stdin");
    let check = |arguments: &str, text: &str, status: i32| {
        sandbox.otus(arguments).stdin(text.to_owned()).assert().code(status);
    };
    check("lint -", "sequenceDiagram\n A->>B: m\n", 0);
    check("lint -", "@startuml\nA -> B : m\n@enduml\n", 0);
    check("lint -", "%% a remark\nsequenceDiagram\n A->>B: m\n", 0);
    check("lint -", "# Title\n\n```mermaid\nsequenceDiagram\nA->>B: m\n```\n", 0);
    check("lint -", "[#all] a!m.b?m", 0);
    check("lint -", "{\"id\": 1, \"htf\": \"[a] a!m\"}", 0);
    check("lint sig.hsf -", "subscriber -- subscribe -> broker", 1);
    check("lint - --from plantuml", "A -> B : m\n", 0);
    check("lint - --from mermaid", "A -> B : m\n", 2);
    check("lint -", "<html><body>404</body></html>", 2);
    sandbox.otus("lint -").stdin("sequenceDiagram\n A->>B m\n").assert().code(2).stdout_eq(str![[
        r#"
error[O0602]: this arrow has no message
 --> <stdin>:2:2
  |
2 |  A->>B m
  |  ^^^^^^^
  |
  = help: write the message after a colon: `A->>B: m`


"#
    ]]);
}

#[test]
fn colour_is_for_terminals_and_for_those_who_ask() {
    let sandbox = Sandbox::with_model("lint-colour");
    sandbox.write("bad.hif", "brokr!publish\n");
    let output = |arguments: &str, no_color: &str| {
        let run = sandbox.otus(arguments).env("NO_COLOR", no_color).output().unwrap();
        String::from_utf8(run.stdout).unwrap()
    };
    let plain = output("lint sig.hsf bad.hif", "");
    assert!(!plain.contains('\u{1b}'), "a pipe is no terminal");
    let asked = output("lint --color always sig.hsf bad.hif", "");
    assert!(asked.contains('\u{1b}'));
    assert_eq!(output("lint --color always sig.hsf bad.hif", "1"), asked, "asking wins");
    assert_eq!(output("--color never lint sig.hsf bad.hif", ""), plain);
    assert_eq!(output("lint sig.hsf bad.hif", "1"), plain);
}

#[test]
fn a_long_line_is_cut_around_the_place() {
    let sandbox = Sandbox::with_model("lint-long");
    sandbox
        .write("long.htf", &format!("[broker] {}broker?publsh\n", "broker?publish.".repeat(1000)));
    sandbox
        .otus("lint --color always sig.hsf model.hif long.htf")
        .assert()
        .code(2)
        .stdout_eq(str![[r#"
[1m[91merror[O0302][0m[1m: the message `publsh` is not declared[0m
 [1m[94m--> [0mlong.htf:1:15017
  [1m[94m|[0m
[1m[94m1[0m [1m[94m|[0m publish.broker?publish.broker?publish.broker?publish.broker?publsh
  [1m[94m|[0m                                                             [1m[91m^^^^^^[0m [1m[91mused here[0m
  [1m[94m|[0m
  [1m[94m= [0m[1mhelp[0m: did you mean `publish`? Otherwise declare it in `@message{…}`


"#]]);
}
