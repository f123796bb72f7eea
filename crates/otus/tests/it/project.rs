//! Raw logs by an `otus.toml`.

use std::path::{Path, PathBuf};

use otus::{Error, Project, Verdict};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

#[test]
fn the_examples_have_the_verdicts_of_the_command_line() {
    let mqtt = Project::open(example("mqtt")).unwrap();
    let outcomes = mqtt.check().unwrap();
    assert!(!outcomes.conforms(), "{outcomes}");
    // See examples/mqtt/README.md.
    assert!(outcomes.count(Verdict::Fail) > 0 && outcomes.count(Verdict::Pass) > 0, "{outcomes}");
    let failed = outcomes.cases.iter().find(|case| !case.conforms()).unwrap();
    let place = &failed.failure().unwrap().observed.as_ref().unwrap().place;
    assert!(place.file.contains("logs/") && place.line > 0, "{place}");
}

/// A folder that is gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder =
            std::env::temp_dir().join(format!("otus-project-{name}-{}", std::process::id()));
        for (name, text) in files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const SETTINGS: &str = r#"
spec = "flow.mmd"

[[source]]
files = ["logs/*.log"]
format = "regex"
lifeline = "{file.stem}"
group = "{who}"

[[source.rule]]
match = '(?<who>\w+) (?<dir>sent|received) (?<message>\w+)'
dir = "{dir}"
message = "{message}"

[properties]
unrelated = "AG true"
"#;

const FLOW: &str = "sequenceDiagram\n  a->>b: m\n  b-->>a: n\n";

#[test]
fn groups_have_outcomes() {
    let folder = Folder::new(
        "groups",
        &[
            ("otus.toml", SETTINGS),
            ("flow.mmd", FLOW),
            ("logs/a.log", "x sent m\nx received n\ny sent m\nz received n\n"),
            ("logs/b.log", "x received m\nx sent n\nz sent n\n"),
            ("logs/c.log", "x sent q\n"),
        ],
    );
    let project = Project::open(folder.0.join("logs")).unwrap();
    assert_eq!(project.spec().unwrap().lifelines().collect::<Vec<_>>(), ["a", "b"]);
    let outcomes = project.check().unwrap();
    let verdicts: Vec<(&str, Verdict)> =
        outcomes.cases.iter().map(|case| (&*case.id, case.verdict)).collect();
    assert_eq!(verdicts, [("x", Verdict::Pass), ("y", Verdict::WeakPass), ("z", Verdict::Fail)]);
    assert!(outcomes.warnings[0].contains("the lifeline `c` is not in the specification"));
    let text = outcomes.to_string();
    assert!(text.contains("z:\nerror["), "{text}");
    assert!(text.ends_with("3 groups: 1 pass, 1 weak, 1 fail, 0 undecided"), "{text}");
}

#[test]
fn what_may_be_missing_is_what_the_settings_say() {
    let settings =
        format!("{SETTINGS}\n[observation]\ncomplete = [\"a\"]\nmay_stop_early = [\"b\"]\n");
    let logs = [
        ("otus.toml", settings.as_str()),
        ("flow.mmd", FLOW),
        ("logs/a.log", "x sent m\nx received n\ny sent m\n"),
        ("logs/b.log", "x received m\ny received m\n"),
    ];
    let folder = Folder::new("observation", &logs);
    let outcomes = Project::open(&folder.0).unwrap().check().unwrap();
    let verdicts: Vec<Verdict> = outcomes.cases.iter().map(|case| case.verdict).collect();
    assert_eq!(verdicts, [Verdict::WeakPass, Verdict::Fail]);
}

#[track_caller]
fn refuse(name: &str, files: &[(&str, &str)], expected: &str) {
    let folder = Folder::new(name, files);
    let error = match Project::open(&folder.0) {
        Ok(project) => project.check().unwrap_err(),
        Err(error) => error,
    };
    let text = error.to_string().replace(&*folder.0.to_string_lossy(), "HERE");
    assert!(text.contains(expected), "{text}");
}

#[test]
fn what_is_wrong_with_a_project_is_said() {
    refuse("none", &[("x", "")], "there is no otus.toml in HERE or above it");
    let settings = SETTINGS.replace("spec = \"flow.mmd\"", "");
    refuse("spec", &[("otus.toml", &settings)], "otus.toml names no specification");
    // The path is relative to the working folder where that is shorter, so it is compared as a file.
    let folder = Folder::new("spec-path", &[("otus.toml", &settings)]);
    let text =
        Project::open(&folder.0).and_then(|project| project.check()).unwrap_err().to_string();
    let (path, _) = text.split_once(" names no specification").unwrap();
    let file = |path: &Path| std::fs::canonicalize(path).unwrap();
    assert_eq!(file(Path::new(path)), file(&folder.0.join("otus.toml")), "{text}");
    refuse("gone", &[("otus.toml", SETTINGS)], "there is no file");
    let files = [("otus.toml", SETTINGS), ("flow.mmd", FLOW)];
    refuse("logs", &files, "no file fits the sources of");
    refuse("toml", &[("otus.toml", "spec = ")], "this is not TOML");
    let wrong = Folder::new("wrong", &[("otus.toml", "spec = 'f.mmd'\n[[source]]\nfile = 1\n")]);
    assert!(!matches!(Project::open(&wrong.0), Ok(_) | Err(Error::Unfit(_))));
}
