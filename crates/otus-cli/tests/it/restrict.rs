//! `otus project` and `otus remove`.

use snapbox::str;

use crate::sandbox::Sandbox;

fn prepared(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write(
        "model.hsf",
        "@message{ m; n } @lifeline{ a; b; c } seq(a -- m -> b, coreg(a,b)(b -- n -> a, b -- m -> c))",
    );
    sandbox.write("run.htf", "{[a,b] a!m.b?m.b!n.a?n.b!m; [c] c?m}");
    sandbox
}

#[test]
fn lifelines_leave_a_specification_and_its_signature() {
    let sandbox = prepared("remove-spec");
    sandbox.otus("remove model.hsf --lifelines a").assert().code(0).stdout_eq(str![[r#"
@message{ m; n }
@lifeline{ b; c }
seq(m -> b, coreg(b)(b -- n ->|, b -- m -> c))

"#]]);
    sandbox.otus("project model.hsf --onto c,a").assert().code(0).stdout_eq(str![[r#"
@message{ m; n }
@lifeline{ a; c }
seq(a -- m ->|, coreg(a)(n -> a, m -> c))

"#]]);
    sandbox.otus("remove model.hsf --lifelines c -o rest.hif").assert().code(0);
    let signature = "@message{ m; n }\n@lifeline{ a; b }\n";
    assert_eq!(sandbox.read("rest.hsf"), signature);
    sandbox.otus("lint rest.hsf rest.hif").assert().code(0);
    for name in ["rest.mmd", "rest.puml", "rest.svg", "rest.png"] {
        sandbox.otus(&format!("remove model.hsf --lifelines b,c -o {name}")).assert().code(0);
        assert!(sandbox.path(name).exists(), "{name}");
    }
}

#[test]
fn lifelines_leave_multi_traces() {
    let sandbox = prepared("remove-trace");
    let one = "{\n  [a] a!m.a?n;\n  [c] c?m\n}\n";
    sandbox.otus("remove run.htf --lifelines b").assert().code(0).stdout_eq(one);
    sandbox.otus("project model.hsf run.htf --onto a,c").assert().code(0).stdout_eq(one);
    sandbox.write("runs.jsonl", "{\"id\":\"x\",\"htf\":\"{[a] a!m; [b] b?m}\"}\n{\"id\":\"y\",\"htf\":\"{[b] b!n; [c] c?n}\",\"expect\":1}\n");
    let output = sandbox.otus("remove runs.jsonl --lifelines c").output().unwrap();
    let expected =
        "{\"id\":\"x\",\"htf\":\"{[a] a!m; [b] b?m}\"}\n{\"id\":\"y\",\"htf\":\"{[#all] b!n}\"}\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    sandbox.otus("remove runs.jsonl --lifelines c -o rest/").assert().code(0);
    assert_eq!(sandbox.read("rest/y.htf"), "{\n  [#all] b!n\n}\n");
    sandbox.otus("remove run.htf --lifelines c -o rest.svg").assert().code(0);
    assert!(sandbox.read("rest.svg").starts_with("<svg "));
}

#[test]
fn logs_are_split() {
    let sandbox = prepared("project-partition");
    let split = "{\n  [a] a!m.a?n;\n  [b] b?m.b!n.b!m;\n  [c] c?m\n}\n";
    sandbox.otus("project run.htf --partition discrete").assert().code(0).stdout_eq(split);
    sandbox
        .otus("project run.htf --partition {(b,a)} -o same.htf")
        .assert()
        .code(0)
        .stderr_eq("wrote same.htf\n");
}

#[test]
fn what_cannot_be_done_is_said() {
    let sandbox = prepared("project-faults");
    sandbox.write("x.hif", "a -- m ->|");
    for (arguments, part) in [
        ("remove model.hsf --lifelines d", "--lifelines d: there is no such lifeline"),
        ("remove model.hsf --lifelines *", "no lifeline would be left"),
        ("project model.hsf --partition discrete", "add a .htf, or keep some lifelines"),
        (
            "project run.htf --partition {(a,c),(b)}",
            "run: a and c share a part of the partition, but were observed in different logs",
        ),
        ("project run.htf --onto a --partition discrete", "cannot be used with"),
        ("project run.htf", "required"),
        ("remove model.hsf --lifelines a -o x.hif", "x.hif exists; --force overwrites it"),
        ("remove model.hsf --lifelines a -o x.pdf", "the ending of x.pdf names no format"),
        ("remove model.hsf --lifelines a -o y.htf", "a specification is written as .hif"),
        ("remove run.htf --lifelines a -o y.hif", "multi-traces are written as .htf"),
        ("remove model.hsf --lifelines a --to hsf", "cannot be written in the language of 2020"),
    ] {
        let output = sandbox.otus(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
        assert!(said.contains(part), "{arguments}: {said}");
    }
}

/// The interaction and the sets of section 5.5 of paper 003.
#[cfg(unix)]
#[test]
fn slices_are_counted_by_place_too() {
    let sandbox = Sandbox::new("slice-by-place");
    sandbox.with_repository();
    sandbox
        .otus(
            "explore bench/models/i1.hsf bench/models/i1.hif --filters [max_loop_depth=3] --traces terminal \
             --partition {(l1),(l2,l3)} -o i1.jsonl",
        )
        .assert()
        .code(0);
    let output = sandbox.otus("slice i1.jsonl --all -o s.jsonl").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.starts_with("wrote 6100 slices of 16 multi-traces"), "{said}");
    assert!(said.contains("there are 7996 if equal slices count"), "{said}");
}
