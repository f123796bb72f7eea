//! Inputs such as people make by mistake, in `testdata/broken/`: what Otus says to each has been
//! read and found to name the cause and the way out, without noise.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use snapbox::cmd::Command;
use snapbox::{Assert, Data};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/broken")
}

fn cases() -> Vec<(String, String)> {
    let list = std::fs::read_to_string(folder().join("cases.txt")).unwrap();
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| line.split_once(": ").expect("a case is `NAME: COMMAND`"))
        .map(|(name, command)| (name.to_owned(), command.to_owned()))
        .collect()
}

#[test]
fn each_is_told_the_cause_and_the_fix() {
    let cases = cases();
    assert!(cases.len() >= 100);
    for (name, command) in &cases {
        let words: Vec<&str> = command.split_whitespace().collect();
        let output = Command::new(snapbox::cmd::cargo_bin!("otus"))
            .args(&words[1..])
            .current_dir(folder())
            .env_remove("CLICOLOR_FORCE")
            .output()
            .unwrap();
        let stdout = String::from_utf8(output.stdout).expect("text");
        let stderr = String::from_utf8(output.stderr).expect("text");
        let mut seen = format!("$ {command}\n{stdout}");
        if !stderr.is_empty() {
            let _ = write!(seen, "--- standard error\n{stderr}");
        }
        let status = output.status.code().unwrap_or_else(|| panic!("{name} died"));
        let _ = writeln!(seen, "--- exit {status}");
        assert!(!seen.contains("panicked"), "{name}:\n{seen}");
        for path in [env!("CARGO_MANIFEST_DIR"), "/tmp/", "/home/", "\\Users\\"] {
            assert!(!seen.contains(path), "{name} tells where it ran:\n{seen}");
        }
        let expected = folder().join(format!("{name}.out"));
        Assert::new()
            .action_env(snapbox::assert::DEFAULT_ACTION_ENV)
            .eq(seen, Data::read_from(&expected, None).raw());
    }
}

#[test]
fn every_file_is_in_a_case() {
    let cases = cases();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let used = match name.strip_suffix(".out") {
            Some(case) => cases.iter().any(|(name, _)| name == case),
            None => {
                name.starts_with('.')
                    || matches!(name.as_str(), "cases.txt" | "README.md")
                    || cases.iter().any(|(_, command)| command.contains(&name))
            }
        };
        assert!(used, "{name} is in no case");
    }
}
