//! The command line itself: help, version, mistakes, and output that nobody reads.

use std::process::Stdio;

use snapbox::{Data, str};

use crate::sandbox::Sandbox;

pub(crate) const COMMANDS: [&str; 25] = [
    "analyze",
    "completions",
    "convert",
    "ctl",
    "demo",
    "draw",
    "explain",
    "explore",
    "fmt",
    "generate",
    "init",
    "learn",
    "lint",
    "lsp",
    "man",
    "map",
    "mutate",
    "project",
    "remove",
    "report",
    "schema",
    "slice",
    "studio",
    "test",
    "watch",
];

#[test]
fn help_teaches() {
    let sandbox = Sandbox::new("help");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/help");
    let mut calls = vec![("otus".to_owned(), "--help".to_owned())];
    for command in COMMANDS {
        calls.push((format!("otus-{command}"), format!("{command} --help")));
    }
    for (name, arguments) in calls {
        let expected = folder.join(format!("{name}.txt"));
        sandbox
            .otus(&arguments)
            .assert()
            .code(0)
            .stderr_eq("")
            .stdout_eq(Data::read_from(&expected, None).raw());
    }
}

#[test]
fn short_help_and_help_command() {
    let sandbox = Sandbox::new("help-short");
    sandbox.otus("-h").assert().code(0).stdout_eq(str![[r#"
Checks logs of distributed systems against sequence diagrams

Usage: otus [OPTIONS] <COMMAND>

Commands:
  analyze      Check logs and multi-traces against a specification
  ctl          Check CTL formulas over every order of events that a trace allows
  watch        Follow a running system, and tell when it leaves its sequence diagram
  studio       Explore diagrams, logs and failures of a folder in a browser
  explore      Show the executions of an interaction, step by step
  draw         Draw a specification, a trace, a partial order, or the search of an analysis
  map          Show how log lines become actions
  init         Propose an otus.toml for a folder of logs
  learn        Learn a sequence diagram from runs
  generate     Make random multi-traces that a specification accepts
  demo         Run a built-in example
  fmt          Put specifications and traces in canonical form
  lint         Find mistakes in specifications and traces
  lsp          Answer an editor: problems, names and verdicts while you type
  convert      Convert between spec formats, and between trace formats
  slice        Cut multi-traces to slices, which keep one contiguous part of each log
  mutate       Make mutants of multi-traces
  project      Keep only some lifelines of a specification or of multi-traces, or split logs
  remove       Remove lifelines from a specification or from multi-traces
  test         Run the tests in otus.toml and compare the verdicts with the expected ones
  report       Make a report from results that were written before
  explain      Explain a diagnostic code, or the cause of a failure
  schema       Print the JSON Schema of a format
  completions  Print a script that completes commands and flags in a shell
  man          Print or write the manual pages
  help         Print this message or the help of the given subcommand(s)

Options:
      --color <WHEN>  When to colour diagnostics: on a terminal unless `NO_COLOR` is set (auto),
                      always, or never [default: auto] [possible values: auto, always, never]
  -h, --help          Print help (see more with '--help')
  -V, --version       Print version

Limits:
      --timeout <SECONDS>  Stop after this many seconds, with exit status 3
      --memory <MIB>       Stop when Otus uses more than this many MiB, with exit status 3 [default:
                           three quarters of the free memory]

See `otus --help` for an overview and `otus COMMAND --help` for a command.

"#]]);
    for command in COMMANDS {
        let long = sandbox.otus(&format!("{command} --help")).output().unwrap();
        let asked = sandbox.otus(&format!("help {command}")).output().unwrap();
        assert_eq!(long.stdout, asked.stdout);
    }
}

#[test]
fn version_and_mistakes() {
    let sandbox = Sandbox::new("usage");
    let version = concat!("otus ", env!("CARGO_PKG_VERSION"), "\n");
    sandbox.otus("--version").assert().code(0).stdout_eq(version).stderr_eq("");
    sandbox.otus("-V").assert().code(0).stdout_eq(version);
    sandbox.otus("").assert().code(2).stdout_eq("").stderr_eq(str![[r#"
Checks logs of distributed systems against sequence diagrams

Usage: otus [OPTIONS] <COMMAND>

Commands:
  analyze      Check logs and multi-traces against a specification
  ctl          Check CTL formulas over every order of events that a trace allows
  watch        Follow a running system, and tell when it leaves its sequence diagram
  studio       Explore diagrams, logs and failures of a folder in a browser
  explore      Show the executions of an interaction, step by step
  draw         Draw a specification, a trace, a partial order, or the search of an analysis
  map          Show how log lines become actions
  init         Propose an otus.toml for a folder of logs
  learn        Learn a sequence diagram from runs
  generate     Make random multi-traces that a specification accepts
  demo         Run a built-in example
  fmt          Put specifications and traces in canonical form
  lint         Find mistakes in specifications and traces
  lsp          Answer an editor: problems, names and verdicts while you type
  convert      Convert between spec formats, and between trace formats
  slice        Cut multi-traces to slices, which keep one contiguous part of each log
  mutate       Make mutants of multi-traces
  project      Keep only some lifelines of a specification or of multi-traces, or split logs
  remove       Remove lifelines from a specification or from multi-traces
  test         Run the tests in otus.toml and compare the verdicts with the expected ones
  report       Make a report from results that were written before
  explain      Explain a diagnostic code, or the cause of a failure
  schema       Print the JSON Schema of a format
  completions  Print a script that completes commands and flags in a shell
  man          Print or write the manual pages
  help         Print this message or the help of the given subcommand(s)

Options:
      --color <WHEN>  When to colour diagnostics: on a terminal unless `NO_COLOR` is set (auto),
                      always, or never [default: auto] [possible values: auto, always, never]
  -h, --help          Print help (see more with '--help')
  -V, --version       Print version

Limits:
      --timeout <SECONDS>  Stop after this many seconds, with exit status 3
      --memory <MIB>       Stop when Otus uses more than this many MiB, with exit status 3 [default:
                           three quarters of the free memory]

See `otus --help` for an overview and `otus COMMAND --help` for a command.

"#]]);
    sandbox.otus("linnt").assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: unrecognized subcommand 'linnt'

  tip: some similar subcommands exist: 'init', 'lint'

Usage: otus [OPTIONS] <COMMAND>

For more information, try '--help'.

"#]]);
    sandbox.otus("lint").assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: the following required arguments were not provided:
  <FILE>...

Usage: otus lint <FILE>...

For more information, try '--help'.

"#]]);
    sandbox.otus("lint --format xml x").assert().code(2).stderr_eq(str![[r#"
error: invalid value 'xml' for '--format <FORMAT>'
  [possible values: text, short, json]

For more information, try '--help'.

"#]]);
    sandbox.otus("fmt --chek x").assert().code(2).stderr_eq(str![[r#"
error: unexpected argument '--chek' found

  tip: a similar argument exists: '--check'

Usage: otus fmt --check <FILE>...

For more information, try '--help'.

"#]]);
    sandbox.otus("--color sometimes demo").assert().code(2).stderr_eq(str![[r#"
error: invalid value 'sometimes' for '--color <WHEN>'
  [possible values: auto, always, never]

For more information, try '--help'.

"#]]);
}

/// `otus explain | head -1`: whoever stops reading has read enough.
#[test]
fn output_that_nobody_reads_is_no_error() {
    let sandbox = Sandbox::new("closed");
    sandbox.write("bad.hif", &"seq(a -- m -> b, ".repeat(3000));
    sandbox.write("long.htf", &"a!m.".repeat(100_000));
    for arguments in [
        "explain",
        "demo",
        "completions bash",
        "man",
        "--help",
        "lint bad.hif",
        "convert long.htf --to htf",
        "fmt --diff long.htf",
    ] {
        let mut child = std::process::Command::new(snapbox::cmd::cargo_bin!("otus"))
            .args(arguments.split_whitespace())
            .current_dir(sandbox.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The reading end is closed before the first byte is read.
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!said.contains("panicked"), "{arguments}: {said}");
        assert!(!said.contains("pipe"), "{arguments}: {said}");
        assert!(
            output.status.code().is_some_and(|code| code <= 2),
            "{arguments}: {:?}",
            output.status
        );
    }
}
