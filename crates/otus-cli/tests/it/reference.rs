//! `docs/reference` is complete and true: every command and every flag has an example there that
//! works, every output is what is printed, and every diagnostic code is listed.
//!
//! `SNAPSHOTS=overwrite cargo test -p otus-cli --test it reference` writes outputs and the list of
//! codes anew, to be read before they are committed.
#![cfg(unix)]

mod help;
mod page;

use std::fmt::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use otus_syntax::Code;

use crate::examples::{Part, files, parts, without_effort};
use crate::sandbox::Sandbox;
use help::commands;
use page::{Page, Script, folder, pages};

/// Pages that are about no single command.
const GENERAL: [&str; 3] = ["codes", "formats", "index"];

/// Values that mean the same wherever a flag is, and the page that has an example of each.
const SHARED: [(&str, &str); 2] = [("--from", "formats"), ("--theme", "draw")];

#[test]
fn every_command_has_its_page() {
    let sandbox = Sandbox::new("reference-commands");
    let (commands, pages) = (commands(&sandbox), pages());
    let index = &pages.iter().find(|page| page.name == "index").expect("index.md is there").text;
    let mut faults = Vec::new();
    for command in &commands {
        let [name] = &command.path[..] else { continue };
        match pages.iter().find(|page| page.name == *name) {
            None => faults.push(format!("write docs/reference/{name}.md about `otus {name}`")),
            Some(page) if page.text.contains(&format!("```text\n{}\n```\n", command.usage)) => {}
            Some(page) => faults.push(format!(
                "put `{}` into a `text` fence at the top of {}",
                command.usage,
                page.path()
            )),
        }
        let row = format!("| [`otus {name}`]({name}.md) | {} |", command.about);
        if !index.contains(&row) {
            faults.push(format!("put this into the table of docs/reference/index.md: {row}"));
        }
    }
    for page in pages.iter().filter(|page| !GENERAL.contains(&page.name.as_str())) {
        if !commands.iter().any(|command| command.path.first() == Some(&page.name)) {
            faults.push(format!("{} is about a command that does not exist", page.path()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_flag_and_value_has_an_example() {
    let sandbox = Sandbox::new("reference-flags");
    let (commands, pages) = (commands(&sandbox), pages());
    let (otus, commands) = commands.split_first().expect("there is `otus` itself");
    let mut faults = Vec::new();
    for option in &otus.options {
        let calls = calls_of(&pages, "index");
        let uses: Vec<&str> = calls.iter().flat_map(|call| uses(call, &option.name)).collect();
        missing(&mut faults, "index", &format!("otus … {}", option.name), &option.values, &uses);
    }
    for command in commands.iter().filter(|command| !command.is_group) {
        let name = &command.path[0];
        let length = command.path.len();
        let mut calls = calls_of(&pages, name);
        calls.retain(|call| call[1..].starts_with(&command.path));
        if calls.is_empty() {
            faults.push(format!(
                "add a line with `{}` to a `sh` fence of docs/reference/{name}.md",
                command.name()
            ));
        }
        let words = calls.iter().flat_map(|call| call[length + 1..].iter().map(String::as_str));
        let mut words: Vec<&str> = words.collect();
        words.push("");
        missing(&mut faults, name, &command.name(), &command.values, &words);
        for option in &command.options {
            if otus.options.contains(option) || option.name == "--help" {
                continue;
            }
            let mut found: Vec<&str> =
                calls.iter().flat_map(|call| uses(call, &option.name)).collect();
            let home = SHARED.iter().find(|(shared, _)| *shared == option.name);
            let elsewhere: Vec<Vec<String>> =
                home.map(|(_, home)| calls_of(&pages, home)).unwrap_or_default();
            if !found.is_empty() {
                found.extend(elsewhere.iter().flat_map(|call| uses(call, &option.name)));
            }
            let what = format!("{} … {}", command.name(), option.name);
            missing(&mut faults, name, &what, &option.values, &found);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Every call of a page.
fn calls_of(pages: &[Page], name: &str) -> Vec<Vec<String>> {
    pages.iter().filter(|page| page.name == name).flat_map(Page::calls).collect()
}

/// The values with which a call has a flag, `""` if it is the last word or has none.
fn uses<'c>(call: &'c [String], flag: &str) -> Vec<&'c str> {
    let mut uses = Vec::new();
    for (at, word) in call.iter().enumerate() {
        if word == flag {
            let value = call.get(at + 1).map_or("", String::as_str);
            uses.extend(value.split(','));
        } else if let Some(value) = word.strip_prefix(flag).and_then(|it| it.strip_prefix('=')) {
            uses.extend(value.split(','));
        }
    }
    uses
}

/// Says what has no example.
fn missing(faults: &mut Vec<String>, page: &str, what: &str, values: &[String], uses: &[&str]) {
    let add = |line: &str| {
        format!("add a line with `{line}` to a `sh` fence of docs/reference/{page}.md")
    };
    if uses.is_empty() {
        faults.push(add(what));
    }
    let missing = values.iter().filter(|value| !uses.contains(&value.as_str()));
    faults.extend(missing.map(|value| add(&format!("{what} {value}"))));
}

#[test]
fn every_flag_that_is_spoken_of_exists() {
    let sandbox = Sandbox::new("reference-spoken");
    let (commands, pages) = (commands(&sandbox), pages());
    let exists = |command: Option<&str>, flag: &str| {
        commands.iter().any(|one| {
            let is_meant = match (command, one.path.first()) {
                (Some(wanted), Some(name)) => wanted == name,
                (_, _) => true,
            };
            is_meant && one.options.iter().any(|option| option.name == flag)
        })
    };
    let mut faults = Vec::new();
    for page in &pages {
        let about = (!GENERAL.contains(&page.name.as_str())).then_some(page.name.as_str());
        for line in page.prose() {
            for (at, part) in line.split('`').enumerate() {
                // Between quotes another command may be named.
                let named = part.strip_prefix("otus ").filter(|_| at % 2 == 1);
                let about = named.and_then(|part| part.split(' ').next()).or(about);
                let about = about.filter(|name| !name.starts_with('-'));
                for flag in flags(part) {
                    if !exists(about, flag) {
                        let command =
                            about.map_or("otus".to_owned(), |name| format!("otus {name}"));
                        faults.push(format!("{}: `{command}` has no {flag}", page.path()));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The flags that a text names.
fn flags(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| {
        word.strip_prefix("--")
            .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
    })
}

#[test]
fn every_example_works() {
    let is_overwriting = std::env::var("SNAPSHOTS").is_ok_and(|it| it == "overwrite");
    let (mut faults, mut count) = (Vec::new(), 0);
    for page in pages() {
        let (actual, ran) = run(&page, &mut faults);
        count += ran;
        if actual == page.text {
            continue;
        }
        if is_overwriting {
            std::fs::write(folder().join(format!("{}.md", page.name)), &actual).unwrap();
            continue;
        }
        let shown = snapbox::Assert::new().try_eq(
            Some(&page.path()),
            snapbox::Data::text(actual),
            snapbox::Data::text(page.text.clone()),
        );
        faults.push(format!(
            "{}\nSNAPSHOTS=overwrite cargo test -p otus-cli --test it reference writes it anew",
            shown.expect_err("they differ")
        ));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 200, "only {count} examples were found");
}

/// Runs the examples of a page in the order in which they stand. Gives the page as it should be,
/// and how many examples there are.
fn run(page: &Page, faults: &mut Vec<String>) -> (String, usize) {
    let place = Place::new(&page.name);
    let (mut actual, mut count) = (String::new(), 0);
    let mut scripts = page.scripts().into_iter().peekable();
    for part in parts(&page.text) {
        match part {
            Part::Text(text) => {
                for line in text.lines() {
                    let is_next = |script: &Script<'_>| {
                        let rest = line.strip_prefix(script.line);
                        rest.is_some_and(|rest| rest.trim().is_empty() || rest.starts_with("  #"))
                    };
                    let Some(script) = scripts.next_if(is_next) else { continue };
                    let output = place.shell(script.line);
                    if output.status.code() != Some(script.exit) {
                        faults.push(format!(
                            "{}: `{}` should exit with {} (`  # exit …` behind it says another \
                             status), not with {:?}: {}",
                            page.path(),
                            script.line,
                            script.exit,
                            output.status.code(),
                            String::from_utf8_lossy(&output.stderr)
                        ));
                    }
                    count += 1;
                }
                actual.push_str(text);
            }
            Part::Command { line, output } => {
                let ran = place.shell(&format!("exec 2>&1; {line}"));
                let printed = String::from_utf8(ran.stdout).unwrap();
                // What cannot be asked is an example only where that is said.
                if ran.status.code().is_none_or(|code| code > 1) {
                    faults.push(format!(
                        "{}: `{line}` does not work (`; echo \"exit $?\"` shows a status that is \
                         meant): {printed}",
                        page.path()
                    ));
                }
                count += 1;
                let same = without_time(&printed) == without_time(output);
                let _ = write!(actual, "$ {line}\n{}", if same { output } else { &printed });
            }
        }
    }
    assert!(scripts.next().is_none(), "{}: some examples were not run", page.path());
    (actual, count)
}

/// The text without what differs from one run to the next.
fn without_time(text: &str) -> String {
    let mut shown = String::new();
    for (at, part) in without_effort(text).split("\"micros\":").enumerate() {
        let rest =
            if at == 0 { part } else { part.trim_start_matches(|c: char| c.is_ascii_digit()) };
        let _ = write!(shown, "{}{rest}", if at == 0 { "" } else { "\"micros\":_" });
    }
    shown
}

/// A folder with the files of the examples.
struct Place {
    sandbox: Sandbox,
    /// Programs that come before those of the machine.
    programs: Sandbox,
}

impl Place {
    fn new(page: &str) -> Place {
        let sandbox = Sandbox::new(&format!("reference-{page}"));
        let given = folder().join("files");
        for file in files(&given) {
            let inside = file.strip_prefix(&given).unwrap();
            sandbox.write(inside.to_str().unwrap(), "");
            std::fs::write(sandbox.path(inside.to_str().unwrap()), std::fs::read(&file).unwrap())
                .unwrap();
        }
        let font = Path::new(env!("CARGO_MANIFEST_DIR")).join("../otus-draw/font/DejaVuSans.ttf");
        symlink(font, sandbox.path("extra.ttf")).unwrap();
        let programs = Sandbox::new(&format!("reference-{page}-bin"));
        symlink(snapbox::cmd::cargo_bin!("otus"), programs.path("otus")).unwrap();
        // What would open a window or a pager.
        for (name, script) in [("man", "#!/bin/sh\ncat > /dev/null\n"), ("xdg-open", "#!/bin/sh\n")]
        {
            programs.write(name, script);
            let executable = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(programs.path(name), executable).unwrap();
        }
        Place { sandbox, programs }
    }

    fn shell(&self, line: &str) -> Output {
        let path = std::env::var("PATH").unwrap_or_default();
        Command::new("sh")
            .args(["-c", line])
            .current_dir(self.sandbox.path(""))
            .stdin(Stdio::null())
            .env("HOME", self.sandbox.path(""))
            .env("PATH", format!("{}:{path}", self.programs.path("").display()))
            .env("COLUMNS", "100")
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .output()
            .unwrap()
    }
}

#[test]
fn every_code_is_listed_and_has_its_page() {
    let path = folder().join("codes.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, _) = page.split_once("\n## ").expect("a heading for each topic");
    let mut expected = format!("{head}\n");
    let mut topic = "";
    for code in Code::all() {
        if code.topic() != topic {
            topic = code.topic();
            let gap = if expected.ends_with("|\n") { "\n" } else { "" };
            let _ = write!(
                expected,
                "{gap}## {topic}\n\n| code | severity | what it says |\n|---|---|---|\n"
            );
        }
        let link = format!("../../crates/otus-syntax/codes/{code}.md");
        let (severity, title) = (code.severity().name(), code.title().replace('|', "\\|"));
        let _ = writeln!(expected, "| [{code}]({link}) | {severity} | {title} |");
        let explained = std::fs::read_to_string(folder().join(&link))
            .unwrap_or_else(|error| panic!("write crates/otus-syntax/codes/{code}.md: {error}"));
        assert!(explained.starts_with(&format!("# {code}: ")), "{code}.md begins with its title");
    }
    if page == expected {
        return;
    }
    assert!(
        std::env::var("SNAPSHOTS").is_ok_and(|it| it == "overwrite"),
        "docs/reference/codes.md does not list every code: \
         SNAPSHOTS=overwrite cargo test -p otus-cli --test it reference"
    );
    std::fs::write(&path, &expected).unwrap();
}
