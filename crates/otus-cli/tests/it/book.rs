//! The pages of the book that people follow by hand: every command gives the output below it.
//!
//! A page begins in an empty folder. A fence whose info string has a second word is a file of that
//! name, as in ```` ```toml otus.toml ````, and since nobody sees that word the text says it too; commands follow `$` in fences of `console`, and see the files
//! before them. `$REPO` is the folder of the repository. In the cookbook each recipe (`## …`) begins afresh.
//! Only how long something took, and how many states, may differ. `SNAPSHOTS=overwrite cargo test -p
//! otus-cli --test it book` writes the output anew, to be read before it is committed.
#![cfg(unix)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::examples::{Part, parts, shell, without_effort};
use crate::sandbox::Sandbox;

#[test]
fn the_tutorial_for_opentelemetry_tells_what_happens() {
    check("tutorials/opentelemetry.md");
}

#[test]
fn the_tutorial_for_devices_tells_what_happens() {
    check("tutorials/devices.md");
}

#[test]
fn the_tutorial_for_consensus_tells_what_happens() {
    check("tutorials/consensus.md");
}

#[test]
fn the_tutorial_for_values_tells_what_happens() {
    check("tutorials/which-message.md");
}

#[test]
fn the_tutorial_for_running_systems_tells_what_happens() {
    check("tutorials/live.md");
}

#[test]
fn the_tutorial_for_researchers_tells_what_happens() {
    check("tutorials/hibou.md");
}

#[test]
fn the_recipes_of_the_cookbook_work() {
    check("cookbook.md");
}

#[test]
fn the_examples_of_the_formats_work() {
    check("formats.md");
}

#[test]
fn the_readme_tells_what_happens() {
    check("../README.md");
}

/// Runs a page, and each of its sections if it is no tutorial, in a folder of its own.
#[track_caller]
fn check(page: &str) {
    let path = docs().join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let is_readme = page == "../README.md";
    let sections =
        if is_readme || page.starts_with("tutorials/") { vec![&*text] } else { sections(&text) };
    let name = page.replace(['/', '.'], "-");
    // Not in the folder itself, in which a page may look around.
    let programs = Sandbox::new(&format!("book-{name}-bin"));
    std::os::unix::fs::symlink(snapbox::cmd::cargo_bin!("otus"), programs.path("otus")).unwrap();
    let (mut actual, mut count) = (String::new(), 0);
    for section in sections {
        let sandbox = Sandbox::new(&format!("book-{name}"));
        if is_readme {
            // Who reads it is in a clone.
            sandbox.with_repository();
        }
        for part in parts(section) {
            match part {
                Part::Text(lines) => {
                    for (name, text) in files(lines) {
                        let named = lines.contains(&format!("`{name}`"));
                        assert!(named, "{}: say that a fence is `{name}`", path.display());
                        sandbox.write(name, &text);
                    }
                    actual.push_str(lines);
                }
                Part::Command { line, output } => {
                    let printed = shell(&sandbox, &programs, line);
                    let same = without_effort(&printed) == without_effort(output);
                    let _ = write!(actual, "$ {line}\n{}", if same { output } else { &printed });
                    count += 1;
                }
            }
        }
    }
    assert!(is_readme || count >= 4, "{} has only {count} commands", path.display());
    if std::env::var("SNAPSHOTS").is_ok_and(|it| it == "overwrite") {
        std::fs::write(&path, &actual).unwrap();
        return;
    }
    // As it is: patterns have backslashes, which are no paths.
    snapbox::assert_data_eq!(actual, snapbox::Data::text(text).raw());
}

/// The text up to the first heading of the second level, and from each to the next.
fn sections(text: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = text.match_indices("\n## ").map(|(at, _)| at + 1).collect();
    starts.insert(0, 0);
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(&start, end)| &text[start..end]).collect()
}

/// The fences that are files: their names and what is in them.
fn files(lines: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    let mut fence: Option<(usize, Option<&str>)> = None;
    // After commands, the end of their fence comes first.
    let lines = lines.strip_prefix("```\n").unwrap_or(lines);
    for line in lines.split_inclusive('\n') {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            Some((opened, _)) if ticks >= opened && line.trim_end().len() == ticks => fence = None,
            Some((_, Some(_))) => {
                if let Some((_, text)) = found.last_mut() {
                    text.push_str(line);
                }
            }
            Some((_, None)) => {}
            None if ticks >= 3 => {
                let name = line.split_whitespace().nth(1).filter(|name| name.contains('.'));
                found.extend(name.map(|name| (name, String::new())));
                fence = Some((ticks, name));
            }
            None => {}
        }
    }
    found
}

#[test]
fn fences_with_a_name_are_files() {
    let page = "a\n```toml x/y.toml\nb = 1\n\n```\n```text\nc\n```\n````text d.md\n```\n````\n";
    let expected = [("x/y.toml", "b = 1\n\n".to_owned()), ("d.md", "```\n".to_owned())];
    assert_eq!(files(page), expected);
    assert_eq!(files("```\n```text a.b\nc\n```\n```console\n"), [("a.b", "c\n".to_owned())]);
}

#[test]
fn sections_are_the_whole_text() {
    assert_eq!(sections("a\n## b\nc\n### d\n## e\n"), ["a\n", "## b\nc\n### d\n", "## e\n"]);
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}
