//! The arguments of `otus map`, `otus init` and `otus learn`, which read raw logs.

use std::path::PathBuf;

use clap::Parser;
use otus::learn::Loops;
use otus::{Format, TextFormat};

use super::outputs::TEXT_OR_JSON;
use super::{Choice, LogArgs, one_of};

/// Show how log lines become actions.
///
/// Otus reads the logs with the rules of otus.toml and accounts for every line: matched by a rule,
/// ignored by a rule, blank, or unmatched. An action is a message that a lifeline (a part of the
/// system) sends or receives. The actions of one group, one run of the system, form a multi-trace.
///
/// --explain shows the most frequent shapes of unmatched lines (lines of one shape differ only in
/// numbers, names and the like), the sender and receiver of each message, messages that were sent but
/// not received, or received but not sent, calls that lose their trace context (the called service
/// begins a new trace), and clocks that go backwards. With a specification (--spec, or the one that
/// otus.toml names), it also shows the lifelines and messages that only the logs or only the
/// specification have.
///
/// OTLP, Jaeger and Zipkin JSON, ShiViz logs and canonical lines (Otus's own JSON format, one event
/// per line) need no otus.toml. If you name no log, Otus reads the sources of the otus.toml in this
/// folder or a parent folder.
///
/// --write writes the actions: as canonical lines (.jsonl), as one multi-trace per line
/// (.cases.jsonl), as one .htf per group (a folder), or one group as .htf or .pot.json.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus map --explain                            the logs of the otus.toml in this folder
  otus map logs/                                a summary for the logs of a folder
  otus map logs/ --explain --spec flow.mmd      and compare names with a diagram
  otus map spans.otlp.jsonl --explain           spans need no otus.toml
  otus map logs/ --write events.jsonl           write the actions, for other programs
  otus map logs/ --write runs/                  write one multi-trace per group
  otus map logs/ --group alice --write alice.pot.json   one group, for `otus ctl`
  otus map logs/ --strict                       fail if a line is unmatched
  otus map logs/ --format json                  for scripts

Exit status: 0 done, 1 an unmatched line or no action (--strict), 2 invalid input or command line.")]
pub(crate) struct MapArgs {
    /// Logs, folders of logs, or `-` for standard input [default: the sources of otus.toml].
    #[arg(value_name = "LOG")]
    pub(crate) files: Vec<String>,

    #[command(flatten)]
    pub(crate) logs: LogArgs,

    /// Show details: unmatched lines, lifelines, messages, groups (runs of the system), and pairs of
    /// sender and receiver.
    #[arg(long)]
    pub(crate) explain: bool,

    /// The specification to compare with; repeat the flag for each of its files.
    #[arg(long, value_name = "FILE")]
    pub(crate) spec: Vec<String>,

    /// Write the actions to OUT: a .jsonl file (canonical lines: one JSON object per event),
    /// .cases.jsonl, .htf or .pot.json, or a folder with one .htf file per group; `-` writes
    /// canonical lines to standard output.
    #[arg(long, value_name = "OUT")]
    pub(crate) write: Option<String>,

    /// Overwrite files that exist.
    #[arg(long)]
    pub(crate) force: bool,

    /// The maximum number of shapes of unmatched lines to show; lines of one shape differ only in
    /// numbers and the like.
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    pub(crate) limit: usize,

    /// Make the exit status 1 if a line is unmatched, or if there is no action.
    #[arg(long)]
    pub(crate) strict: bool,

    /// The number of threads that read the logs, also parts of one file; 0 means one per core
    /// [default: 0].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) jobs: Option<usize>,

    /// The output format.
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = one_of(TEXT_OR_JSON))]
    pub(crate) format: TextFormat,
}

/// Propose an otus.toml for a folder of logs.
///
/// An otus.toml says how log lines become actions. Otus reads the logs to propose one: similar files
/// become one source, the content gives the format, and lines about sending and receiving become
/// rules. The most frequent other lines are added as comments, for you to turn into rules or to
/// ignore. Lifelines (the parts of the system that send and receive) are named after the files, or
/// after the matching lifelines of the specification.
///
/// The proposal is a draft: `otus map --explain` shows which lines it does not cover.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus init raw                          write raw/otus.toml
  otus init raw --spec flow.mmd --force  use the names of a diagram
  otus init raw -o -                     print to standard output
  otus map raw --explain                 then see which lines are covered

Exit status: 0 done, 2 invalid input or command line.")]
pub(crate) struct InitArgs {
    /// The folder with the logs.
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub(crate) folder: PathBuf,

    /// The specification of the logs, whose names are used for lifelines.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) spec: Vec<String>,

    /// The file to write; `-` writes to standard output [default: otus.toml in the folder].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,

    /// Overwrite the file if it exists.
    #[arg(long)]
    pub(crate) force: bool,
}

/// Learn a sequence diagram from runs.
///
/// One run becomes a diagram of this run. Several runs become one specification that accepts each of
/// them: differences become alternatives, repetitions become loops, and two actions that occur in both
/// orders become concurrent. Before it is written, Otus checks that the result accepts every run.
///
/// Runs are multi-traces (.htf, .jsonl; one log per lifeline, or per group of lifelines that share a
/// clock) or the groups of raw logs. If you name no file, Otus reads the sources of the otus.toml in
/// this folder or a parent folder.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus learn run.htf                            print Mermaid
  otus learn runs/ -o learnt.puml               one diagram learned from many runs
  otus learn logs/ -o learnt.svg                a picture learned from raw logs
  otus learn spans.otlp.jsonl --to hif          print an interaction
  otus learn logs/ --group alice                learn from one group of the logs
  otus learn run.htf --loops always             turn repetitions into loops, even in one run

Exit status: 0 done, 2 invalid input or command line.")]
pub(crate) struct LearnArgs {
    /// Logs, multi-traces, folders of them, or `-` for standard input [default: the sources of
    /// otus.toml].
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,

    #[command(flatten)]
    pub(crate) logs: LogArgs,

    /// The file to write: .mmd, .puml, .hif (with its signature in a .hsf beside it), .svg or .png
    /// [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,

    /// The format to write [default: from the extension of the output file; without -o: mermaid].
    #[arg(long, value_name = "FORMAT", value_parser = one_of(LEARN_FORMATS))]
    pub(crate) to: Option<Format>,

    /// When repetitions in the runs become loops: never, if there are several different runs
    /// (several), or always.
    #[arg(long, value_name = "WHEN", default_value = "several", value_parser = one_of(LOOPS))]
    pub(crate) loops: Loops,

    /// Draw messages that cross exactly, with separate emissions and receptions. Without this flag,
    /// they are drawn as a coregion, which allows either order of reception.
    #[arg(long)]
    pub(crate) split: bool,

    /// Ignore the peers that logs name (to whom a message was sent, or from whom it came) [default:
    /// as in otus.toml, or false]. Unless peers are ignored, a lifeline that has no log is drawn if
    /// others name it.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        hide_possible_values = true)]
    pub(crate) ignore_peers: Option<bool>,

    /// Overwrite files that exist.
    #[arg(long)]
    pub(crate) force: bool,
}

/// The values of `otus learn --to`.
pub(crate) const LEARN_FORMATS: &[Choice<Format>] = &[
    (Format::Mermaid, "mermaid", "Mermaid sequence diagram"),
    (Format::Plantuml, "plantuml", "PlantUML sequence diagram"),
    (Format::Hif, "hif", "Interaction and signature"),
];

const LOOPS: &[Choice<Loops>] = &[
    (Loops::Never, "never", "Never"),
    (Loops::Several, "several", "Only if there are several different runs"),
    (Loops::Always, "always", "Always"),
];
