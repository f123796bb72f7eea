//! `otus slice` and `otus mutate`, as people call them.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A folder of its own with a run, a signature and a case file in it.
struct Folder(PathBuf);

const RUN: &str = "{\n  [a] a!m.a!m.a!n;\n  [b] b?m\n}\n";
const SIGNATURE: &str = "@lifeline{ a; b; c }\n@message{ m; n; x }\n";
const CASES: &str = concat!(
    r#"{"id": "one", "htf": "{[a] a!m; [b] b?m}", "expected": "Pass"}"#,
    "\n",
    r#"{"id": "two", "htf": "{[b] b?n; [a] a!n}"}"#,
    "\n"
);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder =
            std::env::temp_dir().join(format!("otus-derive-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in [("run.htf", RUN), ("sig.hsf", SIGNATURE), ("cases.jsonl", CASES)] {
            fs::write(folder.join(name), text).unwrap();
        }
        Folder(folder)
    }

    fn otus(&self, arguments: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_otus"));
        command.args(arguments.split_whitespace()).current_dir(&self.0).stdin(Stdio::null());
        command.output().unwrap()
    }

    /// The cases that a call prints.
    #[track_caller]
    fn cases(&self, arguments: &str) -> Vec<Value> {
        let output = self.otus(arguments);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        parse(&String::from_utf8(output.stdout).unwrap())
    }

    /// A call that prints nothing, ends with a status and says something.
    #[track_caller]
    fn complains(&self, arguments: &str, status: i32, expected: &str) {
        let output = self.otus(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(expected), "{said}");
        assert_eq!(output.status.code(), Some(status), "{said}");
        assert!(output.stdout.is_empty());
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn parse(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn texts<'a>(cases: &'a [Value], key: &str) -> Vec<&'a str> {
    cases.iter().map(|case| case[key].as_str().unwrap()).collect()
}

fn file_names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn all_slices_are_made_in_order() {
    let folder = Folder::new("all");
    let cases = folder.cases("slice run.htf --all");
    assert_eq!(
        texts(&cases, "htf"),
        [
            "{[a]; [b]}",
            "{[a]; [b] b?m}",
            "{[a] a!m; [b]}",
            "{[a] a!m; [b] b?m}",
            "{[a] a!m.a!m; [b]}",
            "{[a] a!m.a!m; [b] b?m}",
            "{[a] a!n; [b]}",
            "{[a] a!n; [b] b?m}",
            "{[a] a!m.a!n; [b]}",
            "{[a] a!m.a!n; [b] b?m}",
            "{[a] a!m.a!m.a!n; [b]}",
            "{[a] a!m.a!m.a!n; [b] b?m}",
        ]
    );
    assert_eq!(cases[9]["id"], "run-slice-10");
    assert_eq!(cases[9]["origin"], "run");
    assert_eq!(cases[9]["change"], "kept places 2-3 of 3 of [a], all of [b]");
    assert_eq!(cases[9]["kept"].to_string(), "[[2,3],[1,1]]");
}

#[test]
fn random_slices_are_some_of_all_and_the_same_for_a_seed() {
    let folder = Folder::new("random");
    let all = folder.cases("slice run.htf --all");
    let all: BTreeSet<&str> = texts(&all, "htf").into_iter().collect();
    let some = folder.cases("slice run.htf -n 5 --seed 3");
    assert_eq!(some, folder.cases("slice run.htf --count 5 --seed 3"));
    assert_eq!(some[..3], folder.cases("slice run.htf -n 3 --seed 3"));
    assert_ne!(some, folder.cases("slice run.htf -n 5 --seed 4"));
    let some: BTreeSet<&str> = texts(&some, "htf").into_iter().collect();
    assert_eq!(some.len(), 5);
    assert!(some.is_subset(&all));
    // A multi-trace gets the same in company.
    let company = folder.cases("slice cases.jsonl run.htf -n 5 --seed 3");
    let own: BTreeSet<&str> = texts(&company[8..], "htf").into_iter().collect();
    assert_eq!(own, some);
}

#[test]
fn wide_slices_keep_a_share_of_every_log() {
    let folder = Folder::new("wide");
    let halves = folder.cases("slice run.htf --all --wide=50%");
    let expected =
        ["a!m.a!m", "a!m.a!n", "a!m.a!m.a!n"].map(|log| format!("{{[a] {log}; [b] b?m}}"));
    assert_eq!(texts(&halves, "htf"), expected);
    let thirds = folder.cases("slice --wide run.htf -n 100");
    assert_eq!(thirds.len(), 5);
    let said = String::from_utf8(folder.otus("slice --wide run.htf -n 100").stderr).unwrap();
    assert!(said.contains("run has only 5 different wide slices"), "{said}");
    folder.complains("slice run.htf --wide=2", 2, "a share is a fraction from 0 to 1");
}

#[test]
fn results_go_to_a_case_file_or_a_folder() {
    let folder = Folder::new("output");
    folder.complains("slice run.htf --all -o all.jsonl", 0, "wrote 12 slices of 1 multi-trace");
    let written = fs::read_to_string(folder.0.join("all.jsonl")).unwrap();
    assert_eq!(parse(&written), folder.cases("slice run.htf --all"));
    folder.complains("slice run.htf -o all.jsonl", 2, "all.jsonl exists; --force overwrites it");
    folder.complains("slice run.htf -n 1 -o all.jsonl --force", 0, "wrote 1 slice of");
    folder.complains("slice run.htf -n 2 -o parts/", 0, "to parts/");
    assert_eq!(
        file_names(&folder.0.join("parts")),
        ["run-slice-1.htf", "run-slice-2.htf"].map(str::to_owned).into()
    );
    // What was written can be read again, also as a folder.
    assert_eq!(folder.cases("mutate parts --kind noise").len(), 2);
    folder.complains("slice run.htf -o x.htf", 2, "a case file (`x.jsonl`) or a folder (`x/`)");
    assert!(!folder.0.join("x.htf").exists());
    let names = file_names(&folder.0);
    assert!(names.iter().all(|name| !name.starts_with('.')), "{names:?}");
}

#[test]
fn each_kind_of_mutant_does_what_it_says() {
    let folder = Folder::new("kinds");
    let cases = folder.cases("mutate run.htf");
    assert_eq!(texts(&cases, "kind"), ["noise", "swap-actions", "remove", "duplicate"]);
    assert_eq!(cases[0]["id"], "run-noise-1");
    let removed = folder.cases("mutate run.htf --kind remove -n 9");
    let mut shown: Vec<(&str, &str)> =
        texts(&removed, "htf").into_iter().zip(texts(&removed, "change")).collect();
    shown.sort_unstable();
    assert_eq!(
        shown,
        [
            ("{[a] a!m.a!m.a!n; [b]}", "removed b?m (place 1) from [b]"),
            ("{[a] a!m.a!m; [b] b?m}", "removed a!n (place 3) from [a]"),
            ("{[a] a!m.a!n; [b] b?m}", "removed a!m (place 1) from [a]"),
        ]
    );
    let swapped = folder.cases("mutate run.htf --kind swap-actions -n 9");
    assert_eq!(swapped.len(), 2);
    let prefixes = folder.cases("mutate run.htf --kind prefix -n 9");
    assert_eq!(prefixes.len(), 7, "all but the whole");
    let both = folder.cases("mutate run.htf --kind duplicate,remove --kind remove");
    assert_eq!(texts(&both, "kind"), ["duplicate", "remove"]);
}

#[test]
fn noise_is_of_the_signature() {
    let folder = Folder::new("noise");
    let implied = folder.cases("mutate run.htf --kind noise -n 1000");
    // Per gap each action of its lifeline, but not the one right before it.
    assert_eq!(implied.len(), 4 * 4 - 3 + 2 * 4 - 1);
    let declared = folder.cases("mutate run.htf --kind noise -n 1000 --spec sig.hsf");
    assert_eq!(declared.len(), 4 * 6 - 3 + 2 * 6 - 1 + 6);
    assert!(texts(&declared, "htf").contains(&"{[a] a!m.a!m.a!n; [b] b?m; [c] c?x}"));
    assert_eq!(declared, folder.cases("mutate sig.hsf run.htf --kind noise -n 1000"));
}

#[test]
fn components_are_swapped_between_the_multi_traces_given() {
    let folder = Folder::new("swap");
    let cases = folder.cases("mutate cases.jsonl --kind swap-components -n 5");
    assert_eq!(texts(&cases, "origin"), ["one", "one", "two", "two"]);
    let found: BTreeSet<&str> = texts(&cases, "htf").into_iter().collect();
    let expected =
        ["{[a] a!m; [b] b?n}", "{[a] a!n; [b] b?m}", "{[b] b?n; [a] a!m}", "{[b] b?m; [a] a!n}"];
    assert_eq!(found, expected.into());
    assert_eq!(cases[0]["donor"], "two");
    assert!(cases[0]["change"].as_str().unwrap().ends_with(" from two"));
    assert!(cases.iter().all(|case| case.get("expected").is_none()));
    folder.complains(
        "mutate run.htf --kind swap-components",
        1,
        "run has no swap-components mutant: no other multi-trace",
    );
}

#[test]
fn a_multi_trace_is_written_once_if_so_asked() {
    let folder = Folder::new("unique");
    fs::write(folder.0.join("again.htf"), RUN).unwrap();
    assert_eq!(folder.cases("slice run.htf again.htf --all").len(), 24);
    assert_eq!(folder.cases("slice run.htf again.htf --all --unique").len(), 12);
}

#[test]
fn errors_teach() {
    let folder = Folder::new("errors");
    folder.complains("slice", 2, "name the multi-traces to start from");
    folder.complains("slice sig.hsf", 2, "only a specification; name .htf or .jsonl files");
    folder.complains("slice runn.htf", 2, "did you mean run.htf?");
    folder.complains("mutate run.htf --kind nois", 2, "a similar value exists: 'noise'");
    folder.complains("slice run.htf --all -n 3", 2, "cannot be used with");
    fs::write(folder.0.join("bad.htf"), "{[a] b!m}").unwrap();
    folder.complains("slice bad.htf", 2, "bad.htf");
    fs::write(folder.0.join("empty.htf"), "{[a]; [b]}").unwrap();
    folder.complains("mutate empty.htf --kind remove", 1, "nothing was observed");
    let long: Vec<String> = (0..1000).map(|i| format!("a!m{i}")).collect();
    fs::write(folder.0.join("long.htf"), format!("[#all] {}", long.join("."))).unwrap();
    folder.complains("slice long.htf --all -o many/", 2, "there are 500501 slices, too many");
    assert!(!folder.0.join("many").exists());
}
