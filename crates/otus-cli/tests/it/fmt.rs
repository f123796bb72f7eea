//! `otus fmt`.

use std::time::{Duration, SystemTime};

use snapbox::str;

use crate::sandbox::Sandbox;

const UNTIDY: &str = "seq( a--m->b ,// why\n loop_seq(b?m) )";
const TIDY: &str = "seq(\n  a -- m -> b, // why\n  loopW(m -> b)\n)\n";

#[test]
fn files_are_rewritten_in_place() {
    let sandbox = Sandbox::new("fmt-in-place");
    sandbox.write("model.hif", UNTIDY);
    sandbox.write("all.hsf", "@lifeline{a;b}@message{m} loop_strict(a--m->b)");
    sandbox.write("run.htf", "[a]a!m . a!m;[b]");
    sandbox.write("options.hcf", "@explore_option{strategy=Breadth First Search;}");
    sandbox
        .otus("fmt model.hif all.hsf run.htf options.hcf")
        .assert()
        .code(0)
        .stdout_eq("")
        .stderr_eq("");
    assert_eq!(sandbox.read("model.hif"), TIDY);
    assert_eq!(sandbox.read("all.hsf"), "@lifeline{ a; b }\n@message{ m }\nloopS(a -- m -> b)\n");
    snapbox::assert_data_eq!(
        sandbox.read("run.htf") + &sandbox.read("options.hcf"),
        str![[r#"
{
  [a] a!m.a!m;
  [b]
}
@explore_option{
  strategy = BFS
}

"#]]
    );
    assert_eq!(sandbox.files().len(), 4, "no draft is left behind");
}

#[test]
fn check_and_diff_change_nothing() {
    let sandbox = Sandbox::new("fmt-check");
    sandbox.write("model.hif", UNTIDY);
    sandbox.write("fine.hif", "o\n");
    sandbox
        .otus("fmt --check model.hif fine.hif")
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
model.hif is not in canonical form

"#]])
        .stderr_eq(str![[r#"
1 of 2 files would change; `otus fmt` rewrites it

"#]]);
    sandbox.otus("fmt --diff model.hif fine.hif").assert().code(0).stdout_eq(str![[r#"
--- model.hif
+++ model.hif (canonical)
@@ -1,2 +1,4 @@
-seq( a--m->b ,// why
- loop_seq(b?m) )
/ No newline at end of file
+seq(
+  a -- m -> b, // why
+  loopW(m -> b)
+)

"#]]);
    sandbox
        .otus("fmt --check --diff model.hif")
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
--- model.hif
+++ model.hif (canonical)
@@ -1,2 +1,4 @@
-seq( a--m->b ,// why
- loop_seq(b?m) )
/ No newline at end of file
+seq(
+  a -- m -> b, // why
+  loopW(m -> b)
+)

"#]])
        .stderr_eq(str![[r#"
1 of 1 file would change; `otus fmt` rewrites it

"#]]);
    sandbox.otus("fmt --check fine.hif").assert().code(0).stdout_eq("").stderr_eq("");
    assert_eq!(sandbox.read("model.hif"), UNTIDY);
}

#[test]
fn standard_input_goes_to_standard_output() {
    let sandbox = Sandbox::new("fmt-stdin");
    sandbox.otus("fmt -").stdin(UNTIDY).assert().code(0).stdout_eq(TIDY).stderr_eq("");
    sandbox.otus("fmt -").stdin("[a]a!m.a!m").assert().code(0).stdout_eq(str![[r#"
{
  [a] a!m.a!m
}

"#]]);
    sandbox.otus("fmt - --from htf").stdin("a!m").assert().code(0).stdout_eq(str![[r#"
{
  [#all] a!m
}

"#]]);
    sandbox.otus("fmt - --check").stdin(UNTIDY).assert().code(1).stdout_eq(str![[r#"
<stdin> is not in canonical form

"#]]);
    sandbox.otus("fmt - --check").stdin(TIDY).assert().code(0).stdout_eq("");
    sandbox.otus("fmt -").stdin("seq(").assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error[O0205]: this `(` is never closed
 --> <stdin>:1:4
  |
1 | seq(
  |    ^- `)` expected, the end of the text found
  |    |
  |    opened here
  |
  = help: add the missing `)`

error[O0204]: expected an interaction, found the end of the text
 --> <stdin>:1:5
  |
1 | seq(
  |     ^

<stdin> was left as it is

"#]]);
}

#[test]
fn folders_are_searched_for_our_files() {
    let sandbox = Sandbox::new("fmt-folder");
    for name in ["spec/model.hif", "spec/deep/er/model.hif", "spec/.hidden/model.hif"] {
        sandbox.write(name, UNTIDY);
    }
    sandbox.write("spec/notes.md", "seq( o)");
    sandbox.write("spec/flow.mmd", "sequenceDiagram\n A->>B:m\n");
    sandbox.otus("fmt spec").assert().code(0).stdout_eq("").stderr_eq("");
    assert_eq!(sandbox.read("spec/model.hif"), TIDY);
    assert_eq!(sandbox.read("spec/deep/er/model.hif"), TIDY);
    assert_eq!(sandbox.read("spec/.hidden/model.hif"), UNTIDY);
    assert_eq!(sandbox.read("spec/notes.md"), "seq( o)");
    sandbox.write("empty/readme.txt", "nothing");
    sandbox.otus("fmt empty").assert().code(2).stderr_eq(str![[r#"
otus: the folder empty has no file to work on

"#]]);
}

#[test]
fn a_faulty_file_is_left_alone_and_the_others_are_not() {
    let sandbox = Sandbox::new("fmt-faulty");
    sandbox.write("bad.hif", "seq( a--m->b");
    sandbox.write("good.hif", UNTIDY);
    sandbox.otus("fmt bad.hif good.hif").assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error[O0205]: this `(` is never closed
 --> bad.hif:1:4
  |
1 | seq( a--m->b
  |    ^        - `)` expected, the end of the text found
  |    |
  |    opened here
  |
  = help: add the missing `)`

bad.hif was left as it is

"#]]);
    assert_eq!(sandbox.read("bad.hif"), "seq( a--m->b");
    assert_eq!(sandbox.read("good.hif"), TIDY);
}

#[test]
fn diagrams_and_case_files_are_not_reformatted() {
    let sandbox = Sandbox::new("fmt-others");
    for name in ["flow.mmd", "flow.puml", "doc.md", "cases.jsonl"] {
        sandbox.write(name, "x");
        let said = format!(
            "otus: {name} is not reformatted; fmt is for .hsf, .hif, .hcf, .htf and .ctl [..]\n"
        );
        sandbox.otus(&format!("fmt {name}")).assert().code(2).stdout_eq("").stderr_eq(said);
        assert_eq!(sandbox.read(name), "x");
    }
}

#[test]
fn what_is_canonical_is_not_touched() {
    let sandbox = Sandbox::new("fmt-untouched");
    sandbox.write("model.hif", TIDY);
    let past = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let file = std::fs::File::options().write(true).open(sandbox.path("model.hif")).unwrap();
    file.set_modified(past).unwrap();
    drop(file);
    sandbox.otus("fmt model.hif").assert().code(0);
    let modified = std::fs::metadata(sandbox.path("model.hif")).unwrap().modified().unwrap();
    assert_eq!(modified, past);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::PermissionsExt as _;

    let sandbox = Sandbox::new("fmt-unix");
    sandbox.write("real/model.hif", UNTIDY);
    let permissions = std::fs::Permissions::from_mode(0o640);
    std::fs::set_permissions(sandbox.path("real/model.hif"), permissions).unwrap();
    std::os::unix::fs::symlink("real/model.hif", sandbox.path("link.hif")).unwrap();
    sandbox.otus("fmt link.hif").assert().code(0).stderr_eq("");
    assert_eq!(sandbox.read("real/model.hif"), TIDY);
    assert!(std::fs::symlink_metadata(sandbox.path("link.hif")).unwrap().is_symlink());
    let mode = std::fs::metadata(sandbox.path("real/model.hif")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(sandbox.files(), ["link.hif", "real/model.hif"]);
}

#[test]
fn formatting_twice_changes_nothing() {
    let sandbox = Sandbox::with_model("fmt-twice");
    sandbox.otus("fmt .").assert().code(0);
    let once: Vec<String> = sandbox.files().iter().map(|name| sandbox.read(name)).collect();
    sandbox.otus("fmt .").assert().code(0);
    let twice: Vec<String> = sandbox.files().iter().map(|name| sandbox.read(name)).collect();
    assert_eq!(once, twice);
    sandbox.otus("fmt --check .").assert().code(0).stdout_eq("").stderr_eq("");
}
