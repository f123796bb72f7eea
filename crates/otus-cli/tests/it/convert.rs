//! `otus convert`.

use snapbox::str;

use crate::sandbox::{MODEL, SIGNATURE, Sandbox, TRACE};

/// Every format of specifications, as the files that hold it and as what to write.
const FORMATS: [(&str, &str); 4] = [
    ("two.hsf two.hif", "two.hif"),
    ("all.hsf", "all.hsf"),
    ("flow.mmd", "flow.mmd"),
    ("flow.puml", "flow.puml"),
];

#[test]
fn every_pair_of_formats_says_the_same() {
    for (from, first) in FORMATS {
        for (to, second) in FORMATS {
            let sandbox = Sandbox::with_model("convert-pairs");
            sandbox.otus(&format!("convert sig.hsf model.hif {first}")).assert().code(0);
            // Beside an interaction its signature is written, unless there is one already.
            if first == "two.hif" {
                sandbox.write("two.hsf", SIGNATURE);
            }
            sandbox.write("second/x", "");
            sandbox.otus(&format!("convert {from} second/{second}")).assert().code(0).stdout_eq("");
            if second == "two.hif" && first == "two.hif" {
                sandbox.write("second/two.hsf", SIGNATURE);
            }
            let written: Vec<String> = to.split(' ').map(|name| format!("second/{name}")).collect();
            sandbox.otus(&format!("convert {} back.hif", written.join(" "))).assert().code(0);
            assert_eq!(sandbox.read("back.hif"), MODEL, "{first} to {second} and back");
            sandbox.otus(&format!("lint {}", written.join(" "))).assert().code(0).stdout_eq("");
        }
    }
}

#[test]
fn a_diagram_gets_a_signature_beside_its_interaction() {
    let sandbox = Sandbox::new("convert-signature");
    sandbox.write("flow.mmd", "sequenceDiagram\n  A->>B: m\n  loop\n    B-->>A: n\n  end\n");
    sandbox
        .otus("convert flow.mmd flow.hif")
        .assert()
        .code(0)
        .stdout_eq("")
        .stderr_eq("wrote flow.hsf\nwrote flow.hif\n");
    assert_eq!(sandbox.read("flow.hsf"), "@message{ m; n }\n@lifeline{ A; B }\n");
    assert_eq!(sandbox.read("flow.hif"), "seq(A -- m -> B, loopW(B -- n -> A))\n");
    sandbox.otus("lint flow.hsf flow.hif").assert().code(0);
}

#[test]
fn nothing_is_overwritten_unless_asked() {
    let sandbox = Sandbox::with_model("convert-force");
    sandbox.write("out.mmd", "mine");
    sandbox.otus("convert sig.hsf model.hif out.mmd").assert().code(2).stdout_eq("").stderr_eq(
        str![[r#"
otus: out.mmd exists; --force overwrites it

"#]],
    );
    assert_eq!(sandbox.read("out.mmd"), "mine");
    sandbox.otus("convert --force sig.hsf model.hif out.mmd").assert().code(0);
    assert_ne!(sandbox.read("out.mmd"), "mine");
    // If one of two files exists, neither is written.
    sandbox.write("flow.mmd", "sequenceDiagram\n  A->>B: m\n");
    sandbox.write("flow.hif", "mine");
    sandbox.otus("convert flow.mmd flow.hif").assert().code(2).stderr_eq(str![[r#"
otus: flow.hif exists; --force overwrites it

"#]]);
    assert_eq!(sandbox.read("flow.hif"), "mine");
    assert!(!sandbox.path("flow.hsf").exists());
}

#[test]
fn standard_output_needs_a_format() {
    let sandbox = Sandbox::with_model("convert-stdout");
    sandbox.otus("convert sig.hsf model.hif --to mermaid").assert().code(0).stdout_eq(str![[r#"
sequenceDiagram
    participant publisher
    participant broker
    participant subscriber
    subscriber->>broker: subscribe
    loop 0..*
        publisher->>broker: publish
        broker->>subscriber: publish
    end
    subscriber->>broker: unsubscribe

"#]]);
    sandbox.otus("convert sig.hsf model.hif --to plantuml").assert().code(0).stdout_eq(str![[r#"
@startuml
participant publisher
participant broker
participant subscriber
subscriber -> broker : subscribe
loop
  publisher -> broker : publish
  broker -> subscriber : publish
end
subscriber -> broker : unsubscribe
@enduml

"#]]);
    sandbox.otus("convert sig.hsf model.hif --to hsf").assert().code(0).stdout_eq(str![[r#"
@message{ subscribe; publish; unsubscribe }
@lifeline{ publisher; broker; subscriber }
seq(
  subscriber -- subscribe -> broker,
  loop_seq(
    seq(publisher -- publish -> broker, broker -- publish -> subscriber)
  ),
  subscriber -- unsubscribe -> broker
)

"#]]);
    sandbox
        .otus("convert - --to hif")
        .stdin("sequenceDiagram\n A->>B: m\n")
        .assert()
        .code(0)
        .stdout_eq("@message{ m }\n@lifeline{ A; B }\nA -- m -> B\n");
    sandbox
        .otus("convert - --from plantuml --to mermaid")
        .stdin("A -> B : m\n")
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
sequenceDiagram
    participant A
    participant B
    A->>B: m

"#]]);
    sandbox.otus("convert sig.hsf model.hif -").assert().code(2).stderr_eq(str![[r#"
otus: writing to standard output needs --to FORMAT

"#]]);
    sandbox.otus("convert model.hif").assert().code(2).stderr_eq(str![[r#"
otus: say what to convert to: `otus convert model.hif OUT`, or --to FORMAT for standard output

"#]]);
    sandbox.otus("convert sig.hsf model.hif --to hcf").assert().code(2).stderr_eq(str![[r#"
otus: options cannot be made from other formats; see `otus fmt`

"#]]);
    sandbox.otus("convert sig.hsf model.hif --to markdown").assert().code(2).stderr_eq(str![[r#"
otus: Markdown is read, not written; convert --to mermaid and paste the diagram into a fence

"#]]);
    sandbox.otus("convert sig.hsf model.hif out.pdf").assert().code(2).stderr_eq(str![[r#"
otus: the ending of out.pdf names no format; use .hif, .hsf, .mmd, .puml, .htf, .jsonl, .pot.json or .cnf, or --to

"#]]);
    assert_eq!(sandbox.files(), ["model.hif", "run.htf", "sig.hsf"]);
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let sandbox = Sandbox::with_model("convert-folder");
    sandbox
        .otus("convert sig.hsf model.hif nowhere/model.mmd")
        .assert()
        .code(2)
        .stderr_eq("otus: cannot write nowhere/model.mmd: there is no folder nowhere\n");
}

#[test]
fn output_and_to_say_where_and_what() {
    let sandbox = Sandbox::with_model("convert-output");
    sandbox.otus("convert -o flow.txt --to mermaid sig.hsf model.hif").assert().code(0);
    assert!(sandbox.read("flow.txt").starts_with("sequenceDiagram"));
    sandbox.otus("convert --output flow.puml sig.hsf model.hif").assert().code(0);
    assert!(sandbox.read("flow.puml").starts_with("@startuml"));
}

#[test]
fn traces_become_cases_and_come_back() {
    let sandbox = Sandbox::new("convert-traces");
    sandbox.write("one.htf", TRACE);
    sandbox.write("two.htf", "[#all] a!m");
    sandbox
        .otus("convert one.htf two.htf cases.jsonl")
        .assert()
        .code(0)
        .stderr_eq("wrote cases.jsonl\n");
    snapbox::assert_data_eq!(
        sandbox.read("cases.jsonl"),
        str![[r#"
{"id":"one","htf":"{[publisher] publisher!publish; [broker] broker?subscribe.broker?publish.broker!publish; [subscriber] subscriber!subscribe.subscriber?publish}"}
{"id":"two","htf":"{[#all] a!m}"}

"#]]
    );
    sandbox.otus("convert cases.jsonl runs/").assert().code(0).stdout_eq("");
    assert_eq!(sandbox.read("runs/one.htf"), TRACE);
    assert_eq!(sandbox.read("runs/two.htf"), "{\n  [#all] a!m\n}\n");
    sandbox.otus("convert runs/one.htf runs/two.htf again.jsonl").assert().code(0);
    assert_eq!(sandbox.read("again.jsonl"), sandbox.read("cases.jsonl"));
    sandbox.otus("convert cases.jsonl all.htf").assert().code(2).stderr_eq(str![[r#"
otus: 2 multi-traces do not fit in one .htf; name a folder (`runs/`) or a .jsonl

"#]]);
    sandbox.otus("convert one.htf --to htf").assert().code(0).stdout_eq(TRACE);
    sandbox.otus("convert one.htf flow.mmd").assert().code(2).stderr_eq(str![[r#"
otus: a trace is not a specification; `otus convert` turns traces into .htf or .jsonl

"#]]);
}

#[test]
fn other_keys_of_a_case_are_carried_through() {
    let sandbox = Sandbox::new("convert-keys");
    sandbox.write(
        "cases.jsonl",
        "{\"expected\": \"Pass\", \"htf\": \"[a]a!m\", \"id\": \"x/../y\", \"n\": 1.50}\n{\"htf\": \"\"}\n",
    );
    sandbox.otus("convert cases.jsonl same.jsonl").assert().code(0).stderr_eq("wrote same.jsonl\n");
    snapbox::assert_data_eq!(
        sandbox.read("same.jsonl"),
        str![[r#"
{"id":"x/../y","htf":"{[a] a!m}","expected":"Pass","n":1.50}
{"id":"2","htf":"{}"}

"#]]
    );
    sandbox.otus("convert cases.jsonl runs/").assert().code(0);
    assert_eq!(sandbox.files(), ["cases.jsonl", "runs/2.htf", "runs/x_.._y.htf", "same.jsonl"]);
}

#[test]
fn faults_stop_it_before_anything_is_written() {
    let sandbox = Sandbox::with_model("convert-faults");
    sandbox.write("bad.hif", "seq(publisher -- publish -> brokr, o)\n");
    for target in ["out.mmd", "out.puml", "out.hif", "out.hsf"] {
        sandbox
            .otus(&format!("convert sig.hsf bad.hif {target}"))
            .assert()
            .code(2)
            .stdout_eq("")
            .stderr_eq(str![[r#"
error[O0301]: the lifeline `brokr` is not declared
 --> bad.hif:1:29
  |
1 | seq(publisher -- publish -> brokr, o)
  |                             ^^^^^ used here
  |
  = help: did you mean `broker`? Otherwise declare it in `@lifeline{…}`

"#]]);
    }
    sandbox.write("bad.htf", "[a] a!m a!m");
    sandbox.otus("convert bad.htf out.jsonl").assert().code(2).stderr_eq(str![[r#"
error[O0204]: `.` is missing between two steps
 --> bad.htf:1:8
  |
1 | [a] a!m a!m
  |        ^
  |
  = help: separate steps by `.`

"#]]);
    sandbox.write("coreg.hif", "coreg(broker)(publisher!publish, broker?publish)\n");
    sandbox.otus("convert sig.hsf coreg.hif out.hsf").assert().code(2).stderr_eq(str![[r#"
error[O0801]: `coreg` cannot be written in the language of 2020
 --> coreg.hif:1:1
  |
1 | coreg(broker)(publisher!publish, broker?publish)
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: write a .hif and its .hsf instead

"#]]);
    assert!(sandbox.files().iter().all(|name| !name.starts_with("out")));
}

#[test]
fn the_form_of_2020_keeps_options_and_comments() {
    let sandbox = Sandbox::with_model("convert-2020");
    sandbox.write("options.hcf", "@analyze_option{ analysis_kind = prefix; goal = Pass } // why\n");
    sandbox
        .otus("convert sig.hsf options.hcf model.hif all.hsf")
        .assert()
        .code(0)
        .stderr_eq("wrote all.hsf\n");
    snapbox::assert_data_eq!(
        sandbox.read("all.hsf"),
        str![[r#"
@message{ subscribe; publish; unsubscribe }
@lifeline{ publisher; broker; subscriber }
@analyze_option{
  semantics = prefix;
  goal = Pass
} // why
seq(
  subscriber -- subscribe -> broker,
  loop_seq(
    seq(publisher -- publish -> broker, broker -- publish -> subscriber)
  ),
  subscriber -- unsubscribe -> broker
)

"#]]
    );
    sandbox.otus("lint all.hsf").assert().code(0);
}

#[test]
fn one_diagram_of_several_is_named() {
    let sandbox = Sandbox::new("convert-markdown");
    sandbox.write(
        "doc.md",
        "# Log in\n```mermaid\nsequenceDiagram\nA->>B: in\n```\n# Log out\n```puml\nA -> B : out\n```\n",
    );
    sandbox.otus("convert doc.md#log-out --to hif").assert().code(0).stdout_eq(str![[r#"
@message{ out }
@lifeline{ A; B }
A -- out -> B

"#]]);
    sandbox.otus("convert doc.md#1 --to hif").assert().code(0).stdout_eq(str![[r#"
@message{ in }
@lifeline{ A; B }
A -- in -> B

"#]]);
    sandbox.otus("convert doc.md --to hif").assert().code(2).stderr_eq(str![[r#"
error[O0613]: this document has 2 diagrams; say which one
 --> doc.md:1:1
  |
1 | # Log in
  | ^
  |
  = help: the diagrams are #1 (line 3, #log-in), #2 (line 8, #log-out)

"#]]);
}

#[test]
fn formulas_become_models_and_back() {
    let sandbox = Sandbox::new("convert-formula");
    let text = "p cnf 3 3\n1 -2 0\n2 3 0\n-1 0\n";
    sandbox.write("f.cnf", &format!("c a comment\n{text}%\n0\n"));
    sandbox
        .otus("convert f.cnf sat.hif")
        .assert()
        .code(0)
        .stderr_eq("wrote sat.hsf\nwrote sat.hif\nwrote sat.htf\n");
    assert_eq!(
        sandbox.read("sat.hif"),
        "seq(alt(m -> l1, m -> l3), alt(m -> l2, m -> l1), alt(m -> l2, o))\n"
    );
    sandbox.otus("analyze sat.hsf sat.hif sat.htf --observed prefix").assert().code(0);
    sandbox.otus("convert sat.hsf sat.hif sat.htf --to cnf").assert().code(0).stdout_eq(text);
    sandbox.otus("convert f.cnf one.hsf").assert().code(0);
    sandbox.otus("convert one.hsf one.htf again.cnf").assert().code(0);
    assert_eq!(sandbox.read("again.cnf"), text);
    sandbox.otus("convert f.cnf sat.mmd --force").assert().code(0);
    sandbox.otus("convert sat.mmd sat.htf --to cnf").assert().code(0).stdout_eq(text);
    // The name does not tell that this is a formula, but its content does.
    sandbox.write("formula", text);
    let output = sandbox.otus("convert formula --to hif").output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("--from cnf"));
    sandbox.otus("convert formula --from cnf --to cnf").assert().code(0).stdout_eq(text);
}

#[test]
fn formulas_that_cannot_be_satisfied_fail() {
    let sandbox = Sandbox::new("convert-unsatisfiable");
    sandbox.write("f.cnf", "p cnf 1 2\n1 0\n-1 0\n");
    sandbox.otus("convert f.cnf sat.hif").assert().code(0);
    for flags in ["", "--engine graph", "--partial-order-reduction"] {
        let call = format!("analyze sat.hsf sat.hif sat.htf --kind eliminate {flags}");
        sandbox.otus(&call).assert().code(1);
    }
}

#[test]
fn what_is_no_formula_is_said_with_its_place() {
    let sandbox = Sandbox::new("convert-no-formula");
    sandbox.write("model.hsf", "@message{ m } @lifeline{ a; b }\nalt(m -> a, loopS(m -> b))");
    sandbox.write("run.htf", "{ [a] a?m; [b] b?m }");
    sandbox.write("bad.cnf", "p cnf 2 1\n1 x 0\n");
    sandbox.write("none.cnf", "p cnf 2 0\n");
    sandbox.write("one.cnf", "p cnf 1 1\n1 0\n");
    for (arguments, parts) in [
        ("model.hsf run.htf --to cnf", ["error[O0803]: this is not a reception", "model.hsf:2:13"]),
        ("model.hsf --to cnf", ["one specification and one multi-trace", "1 and 0 are given"]),
        ("bad.cnf x.hif", ["error[O0802]: expected a literal, found `x`", "bad.cnf:2:3"]),
        ("none.cnf x.hif", ["has no clauses", "satisfies it"]),
        ("bad.cnf none.cnf --to hif", ["one formula is converted at a time", ""]),
        ("one.cnf x.pot.json", ["a formula becomes a specification", ""]),
    ] {
        let output = sandbox.otus(&format!("convert {arguments}")).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
        assert!(parts.iter().all(|part| said.contains(part)), "{arguments}: {said}");
    }
}
