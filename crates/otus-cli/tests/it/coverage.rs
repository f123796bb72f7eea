//! `otus analyze --coverage`: what of a specification the logs exercised.

use std::path::Path;

use serde_json::Value;

use crate::sandbox::Sandbox;

const MODEL: &str = "\
@message{ m; n; o }
@lifeline{ a; b }
seq(
  alt(a -- m -> b, o),
  loopS(a -- n -> b),
  alt(a -- o ->|, b -- o ->|)
)
";

/// A folder with a model and one run of it.
fn prepared(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("model.hsf", MODEL);
    sandbox.write("one.htf", "[a] a!m.a!o; [b] b?m");
    sandbox.write("two.htf", "[a] a!n.a!n; [b] b?n.b?n.b!o");
    sandbox
}

/// What is printed, and the exit status.
#[track_caller]
fn run(sandbox: &Sandbox, arguments: &str) -> (String, String, i32) {
    let output = sandbox.otus(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

/// The same in the folder of an example.
#[track_caller]
fn example(name: &str, arguments: &str) -> (String, i32) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    let output = std::process::Command::new(snapbox::cmd::cargo_bin!("otus"))
        .args(arguments.split('|'))
        .current_dir(folder)
        .output()
        .unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

/// What is said after the verdicts.
fn after_verdicts(text: &str) -> &str {
    &text[text.find("coverage: ").expect("coverage is printed")..]
}

#[test]
fn what_was_never_exercised_is_shown_where_it_is_written() {
    let sandbox = prepared("coverage-text");
    let (out, _, status) = run(&sandbox, "analyze model.hsf one.htf --coverage --no-witness");
    snapbox::assert_data_eq!(
        after_verdicts(&out),
        snapbox::str![[r#"
coverage: 3 of 6 actions, 2 of 4 branches, 0 of 1 loop (45 %) by 1 multi-trace
warning[never]: the choice to do nothing was never taken
 --> model.hsf:4:3
  |
4 |   alt(a -- m -> b, o),
  |   ^^^^^^^^^^^^^^^^^^^
warning[never]: this loop was never entered
 --> model.hsf:5:3
  |
5 |   loopS(a -- n -> b),
  |   ^^^^^^^^^^^^^^^^^^ with its 2 actions
warning[never]: branch 2 of 2 was never taken
 --> model.hsf:6:19
  |
6 |   alt(a -- o ->|, b -- o ->|)
  |                   ^^^^^^ with its action

"#]]
    );
    assert_eq!(status, 0);
    let (out, _, _) = run(&sandbox, "analyze model.hsf one.htf two.htf --coverage --no-witness");
    snapbox::assert_data_eq!(
        after_verdicts(&out),
        snapbox::str![[r#"
coverage: 6 of 6 actions, 4 of 4 branches, 1 of 1 loop (100 %) by 2 multi-traces
strict loop at model.hsf:5: left 1× without a repetition, 0× after one, 1× after more (at most 2)

"#]]
    );
}

#[test]
fn what_was_only_assumed_is_not_exercised() {
    let sandbox = prepared("coverage-assumed");
    sandbox.write("cut.htf", "[a] a!m; [b] b?m");
    let command = "analyze model.hsf cut.htf --coverage --no-witness --observed prefix";
    let (out, _, _) = run(&sandbox, command);
    let said = after_verdicts(&out);
    assert!(
        said.starts_with("coverage: 2 of 6 actions (1 only assumed), 1 of 4 branches"),
        "{said}"
    );
    assert!(said.contains("was never observed, only assumed (once)"), "{said}");
}

#[test]
fn what_fails_contributes_nothing() {
    let sandbox = prepared("coverage-failure");
    sandbox.write("bad.htf", "[a] a!o.a!m; [b] b?m");
    let command = "analyze model.hsf bad.htf one.htf --coverage --explain none --no-witness";
    let (out, _, status) = run(&sandbox, command);
    let said = after_verdicts(&out);
    assert!(said.starts_with("coverage: 3 of 6 actions"), "{said}");
    assert!(said.contains("\nnot counted: 1 failed\n"), "{said}");
    assert_eq!(status, 1);
}

#[test]
fn files_are_written_by_their_ending() {
    let sandbox = prepared("coverage-files");
    let outputs = ["txt", "json", "md", "svg", "png"];
    let flags: Vec<String> = outputs.iter().map(|end| format!("--coverage=c.{end}")).collect();
    let command = format!("analyze model.hsf one.htf {}", flags.join(" "));
    let (out, err, status) = run(&sandbox, &command);
    assert!(!out.contains("coverage"), "{out}");
    assert_eq!(status, 0);
    for end in outputs {
        assert!(err.contains(&format!("wrote c.{end}")), "{err}");
    }
    assert!(sandbox.read("c.txt").contains("this loop was never entered"));
    let markdown = sandbox.read("c.md");
    assert!(markdown.contains("| strict loop | model.hsf:5 | 0 | **never** |"), "{markdown}");
    let picture = sandbox.read("c.svg");
    let mut reader = quick_xml::Reader::from_str(&picture);
    while reader.read_event().unwrap() != quick_xml::events::Event::Eof {}
    assert!(picture.contains("never exercised") && picture.contains("3 of 6 actions"));
    assert!(std::fs::read(sandbox.path("c.png")).unwrap().starts_with(b"\x89PNG"));
    let document: Value = serde_json::from_str(&sandbox.read("c.json")).unwrap();
    assert_eq!(document["version"], 1);
    assert_eq!(document["actions"]["exercised"], 3);
    let parts = document["parts"].as_array().unwrap();
    let of = |state: &str| parts.iter().filter(|part| part["state"] == state).count();
    assert_eq!((parts.len(), of("exercised"), of("never")), (11, 5, 6));
    let received = &parts[2];
    assert_eq!((&received["label"], &received["observed"]), (&"b?m".into(), &1.into()));
    assert_eq!(received["place"]["column"], 12);
    let repeated = parts.iter().find(|part| part["kind"] == "loop").unwrap();
    assert_eq!(repeated["left"]["zero"], 1);
}

#[test]
fn other_formats_keep_standard_output_to_themselves() {
    let sandbox = prepared("coverage-formats");
    let (out, _, _) = run(&sandbox, "analyze model.hsf one.htf --coverage --format json");
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["coverage"]["loops"]["exercised"], 0);
    assert_eq!(document["summary"]["pass"], 1);
    let (out, err, _) = run(&sandbox, "analyze model.hsf one.htf --coverage --format jsonl");
    assert_eq!(out.lines().count(), 1);
    assert!(err.contains("coverage: 3 of 6 actions"), "{err}");
    let (out, _, _) = run(&sandbox, "analyze model.hsf one.htf --coverage=json");
    let document = &out[out.find("\n{\n").unwrap()..];
    let document: Value = serde_json::from_str(document).unwrap();
    assert_eq!(document["all"]["total"], 11);
    let (_, err, status) = run(&sandbox, "analyze model.hsf one.htf --coverage=json --format tap");
    assert!(err.contains("name a file, as --coverage=coverage.json"), "{err}");
    assert_eq!(status, 2);
}

#[test]
fn what_cannot_be_written_is_told_at_once() {
    let sandbox = prepared("coverage-wrong");
    let (_, err, status) = run(&sandbox, "analyze model.hsf one.htf --coverage=none/c.svg");
    assert_eq!((err.trim(), status), ("otus: cannot write none/c.svg: there is no folder none", 2));
    let (_, err, status) = run(&sandbox, "analyze model.hsf one.htf --coverage=c.pdf");
    assert!(err.contains("a file that ends in .txt, .json, .md, .svg or .png"), "{err}");
    assert_eq!(status, 2);
}

#[test]
fn too_little_coverage_fails() {
    let sandbox = prepared("coverage-least");
    let status = |arguments: &str| run(&sandbox, arguments).2;
    assert_eq!(status("analyze model.hsf one.htf --min-coverage 45"), 0);
    assert_eq!(status("analyze model.hsf one.htf --min-coverage 46"), 1);
    assert_eq!(status("analyze model.hsf one.htf two.htf --min-coverage 100%"), 0);
    assert_eq!(status("analyze model.hsf one.htf --min-coverage 46 --fail-on never"), 0);
    assert_eq!(status("analyze model.hsf one.htf --min-coverage 101"), 2);
    let (_, err, _) = run(&sandbox, "analyze model.hsf one.htf --min-coverage 46");
    assert!(err.contains("otus: coverage is 45 %, and --min-coverage asks for 46 %"), "{err}");
}

#[test]
fn a_run_that_exercised_nothing_fails_if_it_is_strict() {
    let sandbox = prepared("coverage-strict");
    sandbox.write("loop.hsf", "@message{m}\n@lifeline{a;b}\nloopS(a -- m -> b)");
    sandbox.write("empty.htf", "[a]; [b]");
    sandbox.write("some.htf", "[a] a!m; [b] b?m");
    let check = |arguments: &str, expected: i32, reason: &str| {
        let (_, err, status) = run(&sandbox, arguments);
        assert_eq!(status, expected, "{arguments}: {err}");
        assert!(err.contains(reason), "{arguments}: {err}");
    };
    let vacuous = "nothing was checked, and that";
    check("analyze loop.hsf empty.htf", 0, "");
    check("analyze loop.hsf empty.htf --strict", 1, vacuous);
    check("analyze loop.hsf empty.htf --strict --coverage", 1, vacuous);
    check("analyze loop.hsf some.htf --strict --coverage", 0, "");
    // Actions were observed, but all of them are declared unobserved.
    let silent = "the analysis says nothing, and that";
    check("analyze loop.hsf some.htf --unobserved a,b --strict", 1, silent);
    check("analyze loop.hsf some.htf --unobserved a,b --strict --coverage", 1, silent);
    check("analyze loop.hsf some.htf --unobserved a,b --coverage", 0, "");
}

#[test]
fn logs_of_something_else_are_a_failure_if_it_is_strict() {
    let sandbox = Sandbox::new("coverage-strangers");
    sandbox.write("flow.mmd", "sequenceDiagram\n  loop\n    a->>b: m\n  end\n");
    let settings = |rule: &str| {
        format!(
            "[[source]]\nname = \"x\"\nfiles = [\"*.log\"]\nformat = \"regex\"\nlifeline = \"{{who}}\"\n\
             [[source.rule]]\nmatch = '{rule}'\ndir = \"!\"\nmessage = \"{{what}}\"\n"
        )
    };
    sandbox.write("x.log", "a says x\na says y\n");
    // No line is matched.
    sandbox.write("otus.toml", &settings("(?<who>\\w+) shouts (?<what>\\w+)"));
    let (_, _, status) = run(&sandbox, "analyze flow.mmd x.log --strict");
    assert_eq!(status, 1);
    let (_, _, status) = run(&sandbox, "analyze flow.mmd x.log --strict --coverage");
    assert_eq!(status, 1);
    // All are, and the specification has none of their actions.
    sandbox.write("otus.toml", &settings("(?<who>\\w+) says (?<what>\\w+)"));
    let (_, _, status) = run(&sandbox, "analyze flow.mmd x.log --strict");
    assert_eq!(status, 1);
}

#[test]
fn what_a_diagram_repeats_is_one_part() {
    let sandbox = Sandbox::new("coverage-repeated");
    let flow = "sequenceDiagram\n  A->>B: hello\n  opt maybe\n    B-->>A: hi\n  end\n  loop 1..3 times\n    \
                A->>B: data\n  end\n  loop\n    A->>B: more\n    break oops\n      B-->>A: stop\n    end\n  end\n";
    sandbox.write("flow.mmd", flow);
    sandbox.write("run.htf", "[A] A!hello.A?hi.A!data.A!data; [B] B?hello.B!hi.B?data.B?data");
    let (out, _, _) = run(&sandbox, "analyze flow.mmd run.htf --coverage --no-witness");
    snapbox::assert_data_eq!(
        after_verdicts(&out),
        snapbox::str![[r#"
coverage: 6 of 10 actions, 4 of 6 branches, 0 of 1 loop (58 %) by 1 multi-trace
warning[never]: the choice to do nothing was never taken
 --> flow.mmd:3:3
  |
3 |   opt maybe
  |   ^^^^^^^^^
warning[never]: this loop was never entered
 --> flow.mmd:9:3
  |
9 |   loop
  |   ^^^^ with its 2 actions
...
"#]]
    );
}

#[test]
fn the_examples_are_covered() {
    let (out, status) = example("mqtt", "analyze|--coverage|--no-witness|--explain|none");
    let said = after_verdicts(&out);
    let first =
        "coverage: 44 of 44 actions, 3 of 3 branches, 1 of 1 loop (100 %) by 4 multi-traces\n";
    assert!(said.starts_with(first), "{said}");
    assert!(
        said.contains("parallel loop at protocol.md:21: left 0× without a repetition"),
        "{said}"
    );
    assert_eq!(status, 1);
    let (out, status) = example("mqtt", "analyze|--group|cut thermo|--coverage|--no-witness");
    let said = after_verdicts(&out);
    let first = "coverage: 29 of 44 actions (3 only assumed), 1 of 3 branches, 1 of 1 loop (64 %)";
    assert!(said.starts_with(first), "{said}");
    assert!(said.contains("\n23 |       publisher->>broker: PUBLISH QoS 0\n"), "{said}");
    assert_eq!(status, 0);
    let (out, _) = example("otel-shop", "analyze|--coverage|--no-witness|--explain|none");
    let said = after_verdicts(&out);
    assert!(said.starts_with("coverage: 19 of 19 actions, 2 of 2 branches (100 %)"), "{said}");
}

#[test]
fn counts_do_not_depend_on_the_number_of_threads_nor_on_what_comes_again() {
    let sandbox = prepared("coverage-threads");
    let lines = (0..3000).map(|at| match at % 3 {
        0 => format!("{{\"id\": \"{at}\", \"htf\": \"[a] a!m.a!o; [b] b?m\"}}\n"),
        1 => format!(
            "{{\"id\": \"{at}\", \"htf\": \"[a] a!n{}; [b] b?n{}.b!o\"}}\n",
            ".a!n".repeat(at / 300),
            ".b?n".repeat(at / 300)
        ),
        _ => format!("{{\"id\": \"{at}\", \"htf\": \"[a] a!o; [b] b?m\"}}\n"),
    });
    sandbox.write("runs.jsonl", &lines.collect::<String>());
    let document = |jobs: usize| {
        let command = format!(
            "analyze model.hsf runs.jsonl --kind accept --format jsonl --jobs {jobs} --coverage=c{jobs}.json"
        );
        run(&sandbox, &command);
        sandbox.read(&format!("c{jobs}.json"))
    };
    let one = document(1);
    assert_eq!(document(4), one);
    let value: Value = serde_json::from_str(&one).unwrap();
    assert_eq!(value["counted"], 2000);
    assert_eq!(value["left_out"][0]["count"], 1000);
    let repeated = value["parts"].as_array().unwrap().iter().find(|part| part["kind"] == "loop");
    let left = &repeated.unwrap()["left"];
    assert_eq!(
        (&left["zero"], &left["one"], &left["most"]),
        (&1000.into(), &100.into(), &10.into())
    );
}
