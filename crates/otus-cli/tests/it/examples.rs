//! The examples on raw logs: every command of their READMEs gives the output that stands below it.
//!
//! Only how long something took, and how many states, may differ. `SNAPSHOTS=overwrite cargo test
//! -p otus-cli --test it examples` writes the output anew, to be read before it is committed.
#![cfg(unix)]

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sandbox::Sandbox;

const EXAMPLES: [&str; 5] = ["mqtt", "mqtt/connection", "otel-shop", "otel-shop/orders", "raft"];

/// Logs are read by people, too.
const LARGEST_LOG: u64 = 60_000;

#[test]
fn the_readme_of_mqtt_tells_what_happens() {
    check("mqtt");
}

#[test]
fn the_readme_of_one_connection_tells_what_happens() {
    check("mqtt/connection");
}

#[test]
fn the_readme_of_many_orders_tells_what_happens() {
    check("otel-shop/orders");
}

#[test]
fn the_readme_of_otel_shop_tells_what_happens() {
    check("otel-shop");
}

#[test]
fn the_readme_of_raft_tells_what_happens() {
    check("raft");
}

#[test]
fn the_readme_of_lock_tells_what_happens() {
    check("lock");
}

#[test]
fn the_number_of_threads_changes_no_answer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for example in EXAMPLES {
        for command in ["map --write -", "map --explain --format json", "analyze --format jsonl"] {
            let told = |jobs: &str| {
                let output = Command::new(snapbox::cmd::cargo_bin!("otus"))
                    .args(command.split(' ').chain(["--jobs", jobs]))
                    .current_dir(root.join(example))
                    .output()
                    .unwrap();
                assert!(!output.stdout.is_empty(), "{example}: {command}: {output:?}");
                let text = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
                without_work(&text.concat())
            };
            let one = told("1");
            for jobs in ["2", "3"] {
                assert_eq!(told(jobs), one, "{example}: {command} --jobs {jobs}");
            }
        }
    }
}

/// A text without how long something took, and how many states.
fn without_work(text: &str) -> String {
    let mut left = String::new();
    for line in text.lines() {
        let line = line.split(" in ").next().unwrap_or(line);
        let fields =
            line.split(',').filter(|it| !it.contains("\"micros\"") && !it.contains("\"states\""));
        let _ = writeln!(left, "{}", fields.collect::<Vec<_>>().join(","));
    }
    left
}

#[test]
fn every_line_is_accounted_for() {
    for name in EXAMPLES {
        // One span of the shop is cut off.
        let unreadable = u64::from(name == "otel-shop");
        let output = Command::new(snapbox::cmd::cargo_bin!("otus"))
            .args(["map", "--format", "json"])
            .current_dir(folder(name))
            .output()
            .unwrap();
        let account: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let count = |key: &str| account["records"][key].as_u64().unwrap();
        // Counted here, not by what is tested. A line that is cut off is a line.
        let lines: usize = files(&folder(name).join("logs"))
            .iter()
            .map(|file| std::fs::read_to_string(file).unwrap().lines().count())
            .sum();
        assert_eq!(count("matched") + count("ignored") + unreadable, lines as u64, "{name}");
        assert_eq!(count("unreadable"), unreadable, "{name}");
    }
}

#[test]
fn logs_are_small_and_have_no_path_of_a_machine() {
    for name in EXAMPLES {
        for file in files(&folder(name).join("logs")) {
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(text.len() as u64 <= LARGEST_LOG, "{} is too large", file.display());
            for path in ["/home/", "/tmp/", "/root/", "/work/", "/Users/", "/var/"] {
                assert!(!text.contains(path), "{} has {path}", file.display());
            }
        }
    }
}

#[test]
fn scripts_that_capture_logs_can_be_run() {
    for name in EXAMPLES {
        // The spans of many orders are captured with those of the shop.
        let script = folder(name.trim_end_matches("/orders")).join("capture");
        let mode = std::fs::metadata(&script).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "{} is not executable", script.display());
        let parsed = Command::new("sh").arg("-n").arg(&script).output().unwrap();
        assert!(parsed.status.success(), "{parsed:?}");
    }
}

/// Runs the commands of a README in a copy of its folder.
#[track_caller]
fn check(name: &str) {
    let sandbox = Sandbox::new(&format!("examples-{}", name.replace('/', "-")));
    let example = folder(name);
    for file in files(&example) {
        let inside = file.strip_prefix(&example).unwrap();
        sandbox.write(inside.to_str().unwrap(), &std::fs::read_to_string(&file).unwrap());
    }
    // Not in the example itself, whose folder may be named as a log.
    let programs = Sandbox::new(&format!("examples-{}-bin", name.replace('/', "-")));
    std::os::unix::fs::symlink(snapbox::cmd::cargo_bin!("otus"), programs.path("otus")).unwrap();
    let readme = example.join("README.md");
    let text = std::fs::read_to_string(&readme).unwrap();
    let (mut actual, mut count) = (String::new(), 0);
    for part in parts(&text) {
        match part {
            Part::Text(lines) => actual.push_str(lines),
            Part::Command { line, output } => {
                let printed = shell(&sandbox, &programs, line);
                let same = without_effort(&printed) == without_effort(output);
                let _ = write!(actual, "$ {line}\n{}", if same { output } else { &printed });
                count += 1;
            }
        }
    }
    assert!(count >= 2, "{} has only {count} commands", readme.display());
    if std::env::var("SNAPSHOTS").is_ok_and(|it| it == "overwrite") {
        std::fs::write(&readme, &actual).unwrap();
        return;
    }
    snapbox::assert_data_eq!(actual, snapbox::Data::text(text));
}

/// A piece of a README.
pub(crate) enum Part<'t> {
    Text(&'t str),
    /// A command, and all lines that it prints.
    Command {
        line: &'t str,
        output: &'t str,
    },
}

/// Takes a text apart: commands follow `$` in blocks of `console`.
pub(crate) fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut in_console, mut start, mut command) = (false, 0, None);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let begins = line.strip_prefix("$ ").filter(|_| in_console);
        let ends = in_console && line.starts_with("```");
        if begins.is_some() || ends {
            let before = &text[start..at];
            parts.push(match command.take() {
                Some(line) => Part::Command { line, output: before },
                None => Part::Text(before),
            });
            start = if begins.is_some() { at + line.len() } else { at };
            command = begins.map(str::trim_end);
            in_console = !ends;
        } else if line.trim_end() == "```console" {
            in_console = true;
        }
        at += line.len();
    }
    parts.push(Part::Text(&text[start..]));
    parts
}

/// What a line prints, on both streams.
pub(crate) fn shell(sandbox: &Sandbox, programs: &Sandbox, line: &str) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {line}")])
        .current_dir(sandbox.path(""))
        .env("PATH", format!("{}:{path}", programs.path("").display()))
        .env("REPO", Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .env("COLUMNS", "100")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The text with `_` for each number of states, seconds, milliseconds or microseconds.
pub(crate) fn without_effort(text: &str) -> String {
    let mut shown = String::new();
    for line in text.split_inclusive('\n') {
        let words: Vec<&str> = line.split(' ').collect();
        for (index, word) in words.iter().enumerate() {
            let next =
                words.get(index + 1).map(|next| next.trim_end_matches([')', ',', ';', '\n']));
            let is_effort = next.is_some_and(|next| ["states", "s", "ms", "µs"].contains(&next));
            let hidden = is_effort && word.parse::<f64>().is_ok();
            shown.push_str(if index == 0 { "" } else { " " });
            shown.push_str(if hidden { "_" } else { word });
        }
    }
    shown
}

#[test]
fn effort_makes_no_difference() {
    assert_eq!(without_effort("a (b, 5 states, 1.0 ms)\nc"), "a (b, _ states, _ ms)\nc");
    assert_eq!(without_effort("0 undecided in 12 ms\nchecked 3"), "0 undecided in _ ms\nchecked 3");
    assert_eq!(without_effort("in 12 ms; 1 value"), "in _ ms; 1 value");
    assert_eq!(without_effort("3 messages"), "3 messages");
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// All files of a folder and of those in it, sorted.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}
