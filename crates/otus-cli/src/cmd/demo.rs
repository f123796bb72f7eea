//! `otus demo`: built-in examples that need no network.
//!
//! A demo writes the files of an example into a folder and runs commands there with this executable, so users who
//! repeat a command see the same output. Each command must end with the exit status that the demo announces;
//! otherwise the demo ends with an error.

mod examples;
mod live;
mod system;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail, ensure};
use clap::ValueEnum as _;

use otus::Status;

use self::examples::{Example, Step};
use crate::args::DemoArgs;
use crate::output;
use crate::shell::Shell;

pub(crate) fn run(args: &DemoArgs, shell: &Shell) -> anyhow::Result<Status> {
    if let Some(service) = args.service {
        system::serve(service)?;
        return Ok(Status::Passed);
    }
    let example = examples::of(args.name);
    let folder = args.folder.clone().unwrap_or_else(|| Path::new("otus-demo").join(example.name));
    write(example, &folder)?;
    if args.write {
        output::complain(&format!("wrote the files of {} to {}", example.name, folder.display()));
        return Ok(Status::Passed);
    }
    output::print(&format!("{}\nThe files are in {}.\n", example.title, folder.display()))?;
    for step in example.steps {
        take(step, &folder, shell)?;
    }
    output::answer(&ending(example, &folder))
}

/// Writes the files of an example. A file that the user has changed is not overwritten.
fn write(example: &Example, folder: &Path) -> anyhow::Result<()> {
    for (name, text) in example.files {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)
                .with_context(|| format!("cannot make {}", parent.display()))
                .context("choose another folder by --folder")?;
        }
        match std::fs::read(&path) {
            Ok(there) => ensure!(
                there == text.as_bytes(),
                "{} is there already and is not that of the demo; choose another folder by \
                 --folder",
                path.display()
            ),
            Err(_) => output::write_file(&path, text)?,
        }
    }
    Ok(())
}

fn take(step: &Step, folder: &Path, shell: &Shell) -> anyhow::Result<()> {
    match *step {
        Step::Say(text) => output::print(&format!("\n{}", filled(text))),
        Step::Show { file, lines } => {
            let text = std::fs::read_to_string(folder.join(file))
                .with_context(|| format!("cannot read {file}"))?;
            let (first, last) = lines;
            let shown = text.lines().skip(first - 1).take(last + 1 - first);
            let mut out = format!("\n  {file}\n");
            for line in shown {
                let _ = writeln!(out, "    {line}");
            }
            output::print(&out)
        }
        Step::Run { command, exit } => {
            output::print(&format!("\n$ otus {command}\n"))?;
            let status =
                again(command, folder, shell).status().context("cannot run this program again")?;
            if status.code() != Some(exit.into()) {
                bail!("`otus {command}` ended with {status}, not with {exit} as it should");
            }
            Ok(())
        }
        Step::Follow { command } => {
            ensure!(
                cfg!(feature = "watch"),
                "this program was built without `otus watch`; build it with the feature `watch`"
            );
            output::print(&format!("\n$ otus {command}\n"))?;
            live::follow(again(command, folder, shell), folder)
        }
    }
}

/// A command line of this program, in the folder of the demo.
fn again(command: &str, folder: &Path, shell: &Shell) -> Command {
    let color = shell.color.to_possible_value();
    let mut again = Command::new(crate::program());
    again.args(color.map(|it| format!("--color={}", it.get_name())));
    again.args(words(command)).current_dir(folder);
    again
}

/// A text in lines of at most 88 characters.
fn filled(text: &str) -> String {
    let mut out = String::new();
    let mut length = 0;
    for word in text.split(' ') {
        let needed = word.chars().count();
        if length > 0 && length + 1 + needed > 88 {
            out.push('\n');
            length = 0;
        } else if length > 0 {
            out.push(' ');
            length += 1;
        }
        out.push_str(word);
        length += needed;
    }
    out + "\n"
}

/// The words of a command line; quotes keep words together.
fn words(command: &str) -> Vec<&str> {
    let quoted = command.split('\'').enumerate();
    quoted
        .flat_map(|(number, part)| match number % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        })
        .collect()
}

/// Lists the pictures and reports that were written, and commands to try next.
fn ending(example: &Example, folder: &Path) -> String {
    let mut out = String::from("\n");
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    for (what, file) in example.made {
        let _ = writeln!(out, "{what}: {}", whole.join(file).display());
    }
    out.push_str("\nTry next:\n");
    let folder = folder.display().to_string();
    let folder = if folder.contains(char::is_whitespace) { format!("'{folder}'") } else { folder };
    let program = this_program();
    for (what, command) in example.next {
        let _ = writeln!(out, "  {what}:\n    {program} {}", command.replace("DIR", &folder));
    }
    out
}

/// The command that starts this program: its name if the shell finds it, otherwise its path.
fn this_program() -> String {
    let here = crate::program();
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&paths).map(|folder| folder.join("otus"));
    let is_this = |path: &PathBuf| std::fs::canonicalize(path).ok() == here.canonicalize().ok();
    if found.find(|path| path.exists()).is_some_and(|path| is_this(&path)) {
        return "otus".to_owned();
    }
    let current = std::env::current_dir().unwrap_or_default();
    match here.strip_prefix(&current) {
        Ok(relative) => Path::new(".").join(relative).display().to_string(),
        Err(_) => here.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_filled() {
        let long = "word ".repeat(40);
        let lines: Vec<String> = filled(long.trim()).lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| line.len() <= 88 && !line.ends_with(' ')));
    }

    #[test]
    fn quotes_keep_words_together() {
        assert_eq!(words("ctl a.json 'AG(x < 2)'"), ["ctl", "a.json", "AG(x < 2)"]);
        assert_eq!(words("draw  a"), ["draw", "a"]);
    }
}
