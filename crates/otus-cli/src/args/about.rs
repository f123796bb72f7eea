//! `otus demo`, `test`, `explain`, `schema`, `completions` and `man`.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use clap_complete::Shell;
use otus::schema::Schema;
use otus::suite::SuiteFormat;

use super::{Choice, LimitArgs, one_of};

/// Run a built-in example.
///
/// Otus writes the files of an example into a folder, checks a correct and a faulty run, explains the
/// failure, and suggests what to try next. This takes seconds and needs no network. Each command is
/// shown before it runs, so you can repeat it in that folder.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus demo                        check raw logs against a diagram, with an HTML report
  otus demo raft                   check a property on the logs of an etcd cluster
  otus demo otel --folder shop     write the files to `shop`
  otus demo ctl --write            write the files only")]
pub(crate) struct DemoArgs {
    /// The example to run: mqtt (raw logs), otel (spans), raft (a property of a cluster), live (a
    /// running system), ctl (formulas) or papers [default: mqtt].
    #[arg(value_enum, default_value_t = Demo::Mqtt, hide_default_value = true)]
    pub(crate) name: Demo,

    /// The folder to write to. An existing file with other content is not overwritten.
    ///
    /// [default: otus-demo/NAME]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,

    /// Write the files, and run no command.
    #[arg(long)]
    pub(crate) write: bool,

    /// Be one of the processes of `live`.
    #[arg(long, value_name = "NAME", hide = true)]
    pub(crate) service: Option<Service>,
}

/// The examples of `otus demo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Demo {
    /// Logs of an MQTT broker and its clients, checked against a diagram in Markdown (the default).
    Mqtt,
    /// Spans of four services, checked against a Mermaid diagram; one customer is charged twice.
    Otel,
    /// Logs of an etcd cluster: elections, and at most one leader per term.
    Raft,
    /// Three processes that run, and the event on which one of them is wrong.
    Live,
    /// Two writers and a lock, checked over every possible order of events.
    Ctl,
    /// Examples of the papers on which Otus is based, checked by their searches and by the fast
    /// engine.
    Papers,
}

/// The processes of the small system of `otus demo live`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Service {
    /// Takes orders, charges the bank, and lets the store ship.
    Shop,
    /// Pays what it is charged.
    Bank,
    /// Ships.
    Store,
}

/// Run the tests in otus.toml and compare the verdicts with the expected ones
///
/// A test is a call of `otus analyze` with the verdicts you expect. After a change to the
/// specification, the mapping or the system, `otus test` reports every verdict that differs:
///
///   [[test]]
///   name = "devices lose power"   # optional
///   spec = "docs/flow.md#login"   # default: the `spec` of otus.toml
///   logs = "logs/cut"             # or traces = ["runs/*.htf"]; default: all logs of the sources
///   group = "alice"               # one group of the logs only
///   observed = "prefix"           # or kind = "eliminate"; default: `[observation]`, or global-prefix
///   expect = "WeakPass"           # or Pass, Fail, WeakFail, Inconclusive; or a list, any of which
///                                 # is accepted
///   cause = "too-early"           # for a Fail: the cause named in its report
///
/// `expect` and `cause` may be tables whose keys are ids of groups or cases; an exact id takes
/// precedence over a pattern: expect = { alice = "Pass", "*" = "Fail" }.
///
/// A test with `formula`, or with `property` (the name of a property of otus.toml), is a call of
/// `otus ctl` instead. It reads either the logs of one group, or .pot.json traces, and expects
/// "holds" or "fails".
///
/// File names are relative to otus.toml. --update writes the actual verdicts into otus.toml and keeps
/// its comments. See docs/testing.md.
#[derive(Debug, Parser)]
#[command(
    verbatim_doc_comment,
    mut_args(LimitArgs::timeout_for_each(
        "Stop checking after this many seconds, with exit status 3. Each multi-trace or formula \
         gets this time, including its explanation"
    )),
    after_long_help = "\
Examples:
  otus test --list                        list the tests
  otus test login --update                accept the actual verdicts of tests named *login*
  otus test --config otus.toml            run the tests of this file
  otus test --format junit > tests.xml    for a CI server

Exit status: 0 all as expected, 1 a verdict differs, 2 no tests, a test that cannot run, or an
invalid command line."
)]
pub(crate) struct TestArgs {
    /// Run only the tests whose names contain one of these texts.
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    /// The file with the tests [default: otus.toml in this folder or a parent folder].
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,

    /// List the tests without running them.
    #[arg(long)]
    pub(crate) list: bool,

    /// Replace the expected verdicts in the file by the actual ones.
    #[arg(long, conflicts_with = "list")]
    pub(crate) update: bool,

    /// The output format.
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = one_of(TEST_FORMATS))]
    pub(crate) format: SuiteFormat,

    /// The number of multi-traces (observed runs) to check in parallel; 0 means one per core
    /// [default: 0].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) jobs: Option<usize>,
}

const TEST_FORMATS: &[Choice<SuiteFormat>] = &[
    (SuiteFormat::Text, "text", "Plain text"),
    (SuiteFormat::Json, "json", "One JSON document"),
    (SuiteFormat::Junit, "junit", "An XML test report, which CI servers read"),
    (SuiteFormat::Tap, "tap", "Test Anything Protocol, version 14"),
];

/// Explain a diagnostic code, or the cause of a failure.
///
/// Otus prints the meaning of a code such as O0301, with an example and its correction, or the
/// meaning of a cause such as too-early. Without a code, it lists all codes and causes.
#[derive(Debug, Parser)]
pub(crate) struct ExplainArgs {
    /// A code (O0301 or 301) or a cause (too-early).
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
}

/// Print the JSON Schema of a format.
///
/// Editors use a schema to complete and check a file. For otus.toml, write the schema to a file beside
/// it, and make `#:schema otus.schema.json` the first line of otus.toml.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus schema mapping > otus.schema.json   the schema of otus.toml
  otus schema trace                        the schema of `otus map --write events.jsonl`
  otus schema results                      the schema of `otus analyze --format json`
  otus schema pot                          the schema of partial-order traces
  otus schema answers                      the schema of `otus ctl --format json`")]
pub(crate) struct SchemaArgs {
    /// The format to describe. `mapping` is otus.toml, `trace` the file of actions that `otus map --write
    /// FILE.jsonl` writes, `pot` a partial-order trace (.pot.json). `results` is the whole JSON document
    /// of `otus analyze`, `result` one line of its JSONL output; `answers` and `answer` are the same
    /// for `otus ctl`.
    #[arg(value_name = "WHAT", value_parser = one_of(SCHEMAS))]
    pub(crate) what: Schema,
}

const SCHEMAS: &[Choice<Schema>] = &[
    (Schema::Mapping, "mapping", "otus.toml: the mapping from logs to actions"),
    (
        Schema::Trace,
        "trace",
        "Canonical lines, as `otus map --write FILE.jsonl` writes them: one event per line",
    ),
    (Schema::Results, "results", "The whole document of `otus analyze --format json`"),
    (
        Schema::Result,
        "result",
        "One line of `otus analyze --format jsonl`, or of the file of --results",
    ),
    (Schema::Pot, "pot", "A partial-order trace (.pot.json)"),
    (Schema::Answers, "answers", "The whole document of `otus ctl --format json`"),
    (Schema::Answer, "answer", "One line of `otus ctl --format jsonl`"),
];

/// Print a script that completes commands and flags in a shell.
///
/// Where the script belongs depends on the shell; the examples show the usual places.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus completions bash > ~/.local/share/bash-completion/completions/otus
  otus completions zsh  > ~/.zfunc/_otus
  otus completions fish > ~/.config/fish/completions/otus.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell to write the script for.
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Print or write the manual pages.
///
/// The pages have the same text as --help. Without --dir, the page of `otus` itself is printed.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus man | man -l -                     read the manual
  otus man --dir ~/.local/share/man/man1  install one page per command")]
pub(crate) struct ManArgs {
    /// Write one page per command into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) dir: Option<PathBuf>,
}
