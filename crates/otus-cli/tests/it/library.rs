//! The library and the command line give the same answers: on the examples, and on random changes of their files.

use std::path::{Path, PathBuf};

use otus::{Project, Verdict};
use serde_json::Value;

use crate::sandbox::Sandbox;

/// An answer as both sides give it: id, verdict, cause and headline of a failure.
type Answer = (String, String, Option<(String, String)>);

/// The answers of `otus analyze` in a folder; `None` if the request cannot be carried out.
fn by_command_line(folder: &Path) -> Option<Vec<Answer>> {
    let output = std::process::Command::new(snapbox::cmd::cargo_bin!("otus"))
        .args(["analyze", "--format", "json", "--config", "otus.toml"])
        .current_dir(folder)
        .output()
        .unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).ok()?;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let answer = |result: &Value| {
        let why = result.get("explanation");
        let why = why.map(|why| (text(&why["cause"]), text(&why["headline"])));
        (text(&result["id"]), text(&result["verdict"]), why)
    };
    Some(document["results"].as_array().unwrap().iter().map(answer).collect())
}

/// The answers of the library.
fn by_library(folder: &Path) -> Option<Vec<Answer>> {
    let checked = Project::open(folder).and_then(|project| project.check()).ok()?;
    let answer = |case: &otus::Case| {
        let why = case.failure().map(|why| (why.cause.to_owned(), why.headline.clone()));
        (case.id.clone(), case.verdict.name().to_owned(), why)
    };
    Some(checked.cases.iter().map(answer).collect())
}

#[track_caller]
fn compare(folder: &Path, change: &str) -> Option<Vec<Answer>> {
    let (ours, theirs) = (by_library(folder), by_command_line(folder));
    assert_eq!(ours, theirs, "{} after: {change}", folder.display());
    ours
}

/// Copies the files of an example.
fn copy(from: &Path, to: &Path) -> Vec<PathBuf> {
    std::fs::create_dir_all(to).unwrap();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            files.extend(copy(&path, &target));
        } else {
            std::fs::copy(&path, &target).unwrap();
            files.push(target);
        }
    }
    files.sort();
    files
}

/// Changes a random line of a random file, and says how.
fn change(files: &[PathBuf], rng: &mut fastrand::Rng) -> String {
    let file = rng.choice(files).unwrap();
    let Ok(text) = std::fs::read_to_string(file) else { return "nothing".to_owned() };
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        return "nothing".to_owned();
    }
    let (at, other) = (rng.usize(..lines.len()), rng.usize(..lines.len()));
    let kind = match rng.u8(..5) {
        0 => {
            lines.remove(at);
            "removed"
        }
        1 => {
            let line = lines[at].clone();
            lines.insert(other, line);
            "copied"
        }
        2 => {
            lines.swap(at, other);
            "swapped"
        }
        3 => {
            lines.truncate(at);
            "cut off at"
        }
        _ => {
            let line: String = lines[at].chars().rev().collect();
            lines[at] = line;
            "reversed"
        }
    };
    std::fs::write(file, lines.join("\n") + "\n").unwrap();
    format!("{kind} line {} of {}", at + 1, file.display())
}

#[test]
fn the_library_and_the_command_line_give_the_same_answers() {
    let sandbox = Sandbox::new("library");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut rng = fastrand::Rng::with_seed(16);
    let (mut failed, mut refused) = (0, 0);
    for name in ["mqtt", "otel-shop", "raft"] {
        for round in 0..12 {
            let folder = sandbox.path(&format!("{name}-{round}"));
            let files = copy(&examples.join(name), &folder);
            let mut told = "nothing".to_owned();
            for _ in 0..round.min(3) {
                told = format!("{told}; {}", change(&files, &mut rng));
            }
            match compare(&folder, &told) {
                Some(answers) => {
                    let fail = Verdict::Fail.name();
                    failed += answers.iter().filter(|(_, verdict, _)| verdict == fail).count();
                }
                None => refused += 1,
            }
        }
    }
    assert!(failed > 0, "no failure was compared");
    let wrong = sandbox.path("mqtt-0").join("otus.toml");
    std::fs::write(&wrong, "spec = 'protocol.md'\n[[source]]\nfile = 1\n").unwrap();
    refused += usize::from(compare(wrong.parent().unwrap(), "a wrong otus.toml").is_none());
    assert!(refused > 0, "no refusal was compared");
}
