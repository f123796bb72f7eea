//! Commands about Otus itself, its examples and its tests.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use clap_complete::Shell;

use super::common::seconds;

/// See Otus at work on a built-in example.
///
/// Writes the files of an example into a folder, checks a run that is right and one that is wrong,
/// explains the failure, and says what to try next. Takes seconds and no network. The commands are
/// shown as they are run, so they can be typed again in that folder.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus demo                        raw logs and a diagram: a verdict, its reason, an HTML report
  otus demo raft                   a property of the logs of an etcd cluster
  otus demo otel --folder shop     with the files in `shop`
  otus demo ctl --write            just the files")]
pub(crate) struct DemoArgs {
    /// Which example.
    #[arg(value_enum, default_value_t = Demo::Mqtt, hide_default_value = true)]
    pub(crate) name: Demo,

    /// Where its files go. A file that is there and is another one is not touched.
    ///
    /// [default: otus-demo/NAME]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,

    /// Only write the files, to play with.
    #[arg(long)]
    pub(crate) write: bool,
}

/// The examples of `otus demo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Demo {
    /// Logs of an MQTT broker and its clients against a diagram in a document (the default).
    Mqtt,
    /// Spans of four services against a Mermaid diagram; a customer is charged twice.
    Otel,
    /// Logs of an etcd cluster: elections, and never two leaders in one term.
    Raft,
    /// Two writers and a lock, over every possible order of events.
    Ctl,
    /// The papers' examples, by their searches and by our engine.
    Papers,
}

/// Run the tests of otus.toml: expected verdicts.
///
/// A test is a call of `otus analyze` whose verdicts are known, so that a specification, a mapping or
/// a system can be changed and whatever answers otherwise is told:
///
///   [[test]]
///   name = "devices lose power"   # optional
///   spec = "docs/flow.md#login"   # default: the spec of the file
///   logs = "logs/cut"             # or traces = ["runs/*.htf"]; default: all logs of the sources
///   group = "alice"               # one group of the logs only
///   observed = "prefix"           # as --observed; or kind = "eliminate"; default: as declared
///   expect = "WeakPass"           # Pass, WeakPass, Fail, WeakFail, Inconclusive; or a list of them
///   cause = "too-early"           # of a Fail: the cause that a report of it names
///
/// `expect` and `cause` may be tables by the id of a group or case, in which patterns count less
/// than names: expect = { alice = "Pass", "*" = "Fail" }. A test of a formula has `formula` or the
/// name of a `property` of the file, logs of one group or traces (.pot.json), and expects "holds" or
/// "fails". Names of files are relative to otus.toml.
///
/// --update writes what was found into the file, which keeps its comments. docs/testing.md tells
/// more.
#[derive(Debug, Parser)]
#[command(
    verbatim_doc_comment,
    after_long_help = "\
Examples:
  otus test --list                        which tests there are
  otus test login --update                accept what those with `login` in their names find
  otus test --config otus.toml            those of this file
  otus test --format junit > tests.xml    for a CI server

Exit status: 0 all as expected, 1 a difference, 2 a test cannot be run, no tests, or usage."
)]
pub(crate) struct TestArgs {
    /// Only tests with one of these in their names.
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    /// The file with the tests [default: the otus.toml here or above].
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,

    /// Say which tests there are, and run none.
    #[arg(long)]
    pub(crate) list: bool,

    /// Write what is found into the file as what is expected.
    #[arg(long, conflicts_with = "list")]
    pub(crate) update: bool,

    /// How to print what became of tests.
    #[arg(long, value_enum, default_value_t = TestFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TestFormat,

    /// End each search after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<f64>,

    /// How many multi-traces are checked at the same time [default: 0, as many as there are cores].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) jobs: Option<usize>,
}

/// How tests are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestFormat {
    /// For people.
    Text,
    /// One JSON document.
    Json,
    /// XML that CI servers show as tests.
    Junit,
    /// Test Anything Protocol, version 14.
    Tap,
}

/// Explain a diagnostic code, or the cause of a failure.
///
/// Prints what a code such as O0301 means, with an example and its repair, or what a cause such as
/// too-early means. Without one, lists all of them.
#[derive(Debug, Parser)]
pub(crate) struct ExplainArgs {
    /// The code, as O0301 or 301, or the cause.
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
}

/// Print the JSON Schema of a format.
///
/// Editors use them to complete and check: `#:schema otus.schema.json` as the first line of
/// otus.toml tells those that know TOML.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus schema mapping > otus.schema.json   of otus.toml
  otus schema trace                        of canonical lines (`otus map --write events.jsonl`)
  otus schema results                      of what `otus analyze --format json` prints")]
pub(crate) struct SchemaArgs {
    /// Which format.
    #[arg(value_enum, value_name = "WHAT")]
    pub(crate) what: Schema,
}

/// Which format has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Schema {
    /// otus.toml: how logs become actions.
    Mapping,
    /// Canonical lines: what happened, an event a line.
    Trace,
    /// The document of `otus analyze --format json`.
    Results,
    /// A line of `otus analyze --format jsonl`, or of `--results`.
    Result,
}

/// Print shell completions.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus completions bash > ~/.local/share/bash-completion/completions/otus
  otus completions zsh  > ~/.zfunc/_otus
  otus completions fish > ~/.config/fish/completions/otus.fish")]
pub(crate) struct CompletionsArgs {
    /// Which shell.
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Print or write the manual pages.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus man | man -l -                     read the manual
  otus man --dir ~/.local/share/man/man1  install a page per command")]
pub(crate) struct ManArgs {
    /// Write a page per command into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) dir: Option<PathBuf>,
}
