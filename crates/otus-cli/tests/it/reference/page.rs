//! The pages of `docs/reference`, and the calls of `otus` in them.
//!
//! Two kinds of fences are run: `sh` has a command a line, with what is said about it on lines that
//! begin with `#`; `console` has commands after `$`, and below each all that it prints.

use std::path::{Path, PathBuf};

/// A page, by the name of its file without `.md`.
#[derive(Debug, Clone)]
pub(super) struct Page {
    pub(super) name: String,
    pub(super) text: String,
}

impl Page {
    /// Where it is in the repository.
    pub(super) fn path(&self) -> String {
        format!("docs/reference/{}.md", self.name)
    }

    /// The commands of its `sh` fences.
    pub(super) fn scripts(&self) -> Vec<Script<'_>> {
        fenced(&self.text, "sh").filter_map(Script::parse).collect()
    }

    /// Every call of `otus` that is run, as words: `otus` is the first.
    pub(super) fn calls(&self) -> Vec<Vec<String>> {
        let consoles = fenced(&self.text, "console").filter_map(|line| line.strip_prefix("$ "));
        let lines = self.scripts().into_iter().map(|script| script.line).chain(consoles);
        lines.flat_map(calls).collect()
    }

    /// What it says: its text without the fences, but with the comments in them.
    pub(super) fn prose(&self) -> Vec<&str> {
        let mut fence = None;
        let mut prose = Vec::new();
        for line in self.text.lines() {
            match (line.strip_prefix("```"), fence) {
                (Some(kind), None) => fence = Some(kind),
                (Some(_), Some(_)) => fence = None,
                (None, None) => prose.push(line),
                (None, Some("sh")) if line.starts_with('#') => prose.push(line),
                (None, Some(_)) => {}
            }
        }
        prose
    }
}

/// The folder of the pages.
pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference")
}

/// All of them, sorted.
pub(super) fn pages() -> Vec<Page> {
    let mut pages: Vec<Page> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .map(|path| Page {
            name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
            text: std::fs::read_to_string(path).unwrap(),
        })
        .collect();
    pages.sort_by(|a, b| a.name.cmp(&b.name));
    pages
}

/// A command line that is run, and the exit status that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Script<'t> {
    pub(super) line: &'t str,
    pub(super) exit: i32,
}

impl Script<'_> {
    /// A line of a `sh` fence; `# exit 1` after two spaces says the status if it is not 0.
    fn parse(line: &str) -> Option<Script<'_>> {
        let line = line.trim_end();
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let Some((line, remark)) = line.split_once("  # ") else {
            return Some(Script { line, exit: 0 });
        };
        let exit = remark.strip_prefix("exit ").and_then(|status| status.parse().ok());
        let exit = exit.unwrap_or_else(|| panic!("`{line}` is followed by `{remark}`"));
        Some(Script { line: line.trim_end(), exit })
    }
}

/// The lines of all fences of a kind.
fn fenced<'t>(text: &'t str, wanted: &'t str) -> impl Iterator<Item = &'t str> {
    let mut fence = None;
    text.lines().filter(move |line| match (line.strip_prefix("```"), fence) {
        (Some(kind), None) => {
            fence = Some(kind);
            false
        }
        (Some(_), Some(_)) => {
            fence = None;
            false
        }
        (None, open) => open == Some(wanted),
    })
}

/// The calls of `otus` in a command line of a shell, as words without quotes.
fn calls(line: &str) -> Vec<Vec<String>> {
    let mut calls = vec![Vec::new()];
    let (mut word, mut is_word, mut quote) = (String::new(), false, None);
    // Where a redirection goes is no argument.
    let mut is_target = false;
    for symbol in line.chars().chain([' ']) {
        match (quote, symbol) {
            (None, '\'' | '"') => (quote, is_word) = (Some(symbol), true),
            (Some(open), _) if open == symbol => quote = None,
            (Some(_), _) => word.push(symbol),
            (None, ' ' | ';' | '|' | '&' | '<' | '>') => {
                let word = std::mem::take(&mut word);
                if std::mem::take(&mut is_word) && !std::mem::take(&mut is_target) {
                    calls.last_mut().unwrap().push(word);
                }
                match symbol {
                    ';' | '|' | '&' => calls.push(Vec::new()),
                    '<' | '>' => is_target = true,
                    _ => {}
                }
            }
            (None, _) => {
                word.push(symbol);
                is_word = true;
            }
        }
    }
    for call in &mut calls {
        let assigned = call.iter().take_while(|word| is_assignment(word)).count();
        call.drain(..assigned);
    }
    calls.retain(|call| call.first().is_some_and(|word| word == "otus"));
    calls
}

/// `NAME=value` before a command.
fn is_assignment(word: &str) -> bool {
    let name = word.split('=').next().filter(|name| name.len() < word.len());
    name.is_some_and(|name| name.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
}

#[test]
fn calls_are_found_in_what_a_shell_runs() {
    let check = |line: &str, expected: &[&[&str]]| assert_eq!(calls(line), expected, "{line}");
    check("otus ctl 'EF(x = 1 | y)' --all", &[&["otus", "ctl", "EF(x = 1 | y)", "--all"]]);
    check("NO_COLOR=1 otus lint - < a.mmd", &[&["otus", "lint", "-"]]);
    check("otus a; echo \"exit $?\"", &[&["otus", "a"]]);
    check("cat x | otus a && otus b > y", &[&["otus", "a"], &["otus", "b"]]);
    check("echo otus", &[]);
    check("otus x --report a=b.xml", &[&["otus", "x", "--report", "a=b.xml"]]);
}

#[test]
fn an_exit_status_stands_behind_a_command() {
    let check = |line, expected| assert_eq!(Script::parse(line), expected);
    check("otus a b.md#c", Some(Script { line: "otus a b.md#c", exit: 0 }));
    check("otus a  # exit 3", Some(Script { line: "otus a", exit: 3 }));
    check("# a remark", None);
}
