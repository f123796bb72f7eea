//! What `--help` of the real binary says: commands, their flags, and the values these take.
//!
//! It is read as people read it, so a flag that is hidden from them is not asked for.

use std::fmt::Write as _;

use crate::sandbox::Sandbox;

/// A command, or `otus` itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Command {
    /// The words after `otus`.
    pub(super) path: Vec<String>,
    /// What it does, in a line that begins with a small letter.
    pub(super) about: String,
    /// How it is called.
    pub(super) usage: String,
    /// What it takes.
    pub(super) options: Vec<Opt>,
    /// The values that its arguments without a flag take, if these are listed.
    pub(super) values: Vec<String>,
    /// Whether it is only a heading for other commands.
    pub(super) is_group: bool,
}

/// A flag, and the values that it takes if these are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Opt {
    /// With its two hyphens.
    pub(super) name: String,
    pub(super) values: Vec<String>,
}

impl Command {
    /// As it is called.
    pub(super) fn name(&self) -> String {
        self.path.iter().fold("otus".to_owned(), |mut name, word| {
            let _ = write!(name, " {word}");
            name
        })
    }
}

/// `otus` itself, then every command and those below it, in the order of the help.
pub(super) fn commands(sandbox: &Sandbox) -> Vec<Command> {
    let mut found = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(path) = open.pop() {
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        let output = sandbox.otus(&words.join(" ")).arg("--help").output().unwrap();
        assert!(output.status.success(), "`otus {} --help` does not work", words.join(" "));
        let help = parse(&String::from_utf8(output.stdout).unwrap());
        let below = help.commands.iter().rev().map(|name| {
            let mut path: Vec<String> = path.clone();
            path.push(name.clone());
            path
        });
        open.extend(below);
        let is_group = help.needs_command;
        let Help { about, usage, options, values, .. } = help;
        found.push(Command { path, about, usage, options, values, is_group });
    }
    found
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Help {
    about: String,
    usage: String,
    commands: Vec<String>,
    options: Vec<Opt>,
    values: Vec<String>,
    needs_command: bool,
}

/// Where in a help a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    /// Before the usage, or in the examples: prose.
    Prose,
    Commands,
    Arguments,
    Options,
}

/// Reads the long form of a help.
fn parse(text: &str) -> Help {
    let mut help = Help::default();
    let mut section = Section::Prose;
    let mut in_list = false;
    let about = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let mut about = about.trim_end_matches('.').chars();
    help.about = about.next().into_iter().flat_map(char::to_lowercase).chain(about).collect();
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let line = line.trim();
        if indent == 0 && !line.is_empty() {
            if let Some(usage) = line.strip_prefix("Usage: ") {
                usage.clone_into(&mut help.usage);
                help.needs_command = usage.ends_with("<COMMAND>");
            }
            section = match line {
                "Commands:" => Section::Commands,
                "Arguments:" => Section::Arguments,
                "Examples:" => Section::Prose,
                // Flags may have headings of their own.
                _ if !help.usage.is_empty() && line.ends_with(':') => Section::Options,
                _ => Section::Prose,
            };
            continue;
        }
        let values = match section {
            Section::Prose => continue,
            Section::Commands => {
                let name = line.split(' ').next().filter(|name| indent == 2 && *name != "help");
                help.commands.extend(name.filter(|name| !name.is_empty()).map(str::to_owned));
                continue;
            }
            Section::Arguments => &mut help.values,
            Section::Options => {
                if indent <= 6 && line.starts_with('-') {
                    let words = line.split([' ', ',', '=', '[']);
                    let name = words.into_iter().find(|word| word.starts_with("--"));
                    let name = name.expect("every flag has a long form").to_owned();
                    help.options.push(Opt { name, values: Vec::new() });
                    in_list = false;
                }
                let Some(last) = help.options.last_mut() else { continue };
                &mut last.values
            }
        };
        // Either a list of values with what they mean, or their names alone.
        if let Some(names) = line.strip_prefix("[possible values: ") {
            let names = names.trim_end_matches(']').split(", ");
            values.extend(names.map(str::to_owned));
        } else if line == "Possible values:" {
            in_list = true;
        } else if line.is_empty() {
            in_list = false;
        } else if let Some(value) = line.strip_prefix("- ").filter(|_| in_list) {
            let name = value.split(':').next().expect("there is a first part");
            values.push(name.to_owned());
        }
    }
    help
}

#[test]
fn a_help_is_taken_apart() {
    let help = "\
Does things
and more.

  --about   is prose

Usage: otus x [OPTIONS] <COMMAND>

Commands:
  one   First
        goes on
  help  Print this

Arguments:
  <SHELL>
          Which shell
          
          [possible values: bash, zsh]

Options:
      --kind <KIND>
          Which, as in --kind a

          Possible values:
          - a:  The first
          - bb: The second
          
          [default: a]

  -n, --count <N>
          How many

      --wide[=<SHARE>]
          - not a value

Examples:
  otus x --other
";
    let option = |name: &str, values: &[&str]| Opt {
        name: name.to_owned(),
        values: values.iter().map(|&value| value.to_owned()).collect(),
    };
    let expected = Help {
        about: "does things and more".to_owned(),
        usage: "otus x [OPTIONS] <COMMAND>".to_owned(),
        commands: vec!["one".to_owned()],
        options: vec![
            option("--kind", &["a", "bb"]),
            option("--count", &[]),
            option("--wide", &[]),
        ],
        values: vec!["bash".to_owned(), "zsh".to_owned()],
        needs_command: true,
    };
    assert_eq!(parse(help), expected);
}
