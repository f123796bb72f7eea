//! `otus map`, `otus init` and `otus learn`: raw logs.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use super::LogArgs;

/// Show how log lines become actions.
///
/// Reads logs by the rules of otus.toml and accounts for every line: taken by a rule, ignored by
/// one, blank, or taken by none. With --explain it shows the most frequent shapes of lines that no
/// rule takes, who sent and received what, which messages lack their other side, spans that lost
/// their context, and clocks that go backwards. Beside a specification (--spec, or the one that
/// otus.toml names), it shows the lifelines and messages that only one of them has.
///
/// OTLP, Jaeger and Zipkin JSON, ShiViz logs and canonical lines need no otus.toml. Without a name,
/// the logs are those that the otus.toml here or above has sources for.
///
/// --write keeps what was understood: canonical lines (.jsonl), a multi-trace a line
/// (.cases.jsonl), a .htf for each group (a folder), or one group as .htf or .pot.json.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus map --explain                            the logs of the otus.toml here
  otus map logs/                                those of a folder, in short
  otus map logs/ --explain --spec flow.mmd      and what they have in common with a diagram
  otus map spans.otlp.jsonl --explain           spans need no otus.toml
  otus map logs/ --write events.jsonl           the actions, for any program
  otus map logs/ --write runs/                  a multi-trace for each group
  otus map logs/ --group alice --write alice.pot.json   one group as an order, for `otus ctl`
  otus map logs/ --strict                       exit with 1 if a line is left over
  otus map logs/ --format json                  for scripts

Exit status: 0 done, 1 a line is left over (--strict), 2 unusable input or usage.")]
pub(crate) struct MapArgs {
    /// Logs, folders of logs, or `-` [default: those that otus.toml has sources for].
    #[arg(value_name = "LOG")]
    pub(crate) files: Vec<String>,

    #[command(flatten)]
    pub(crate) logs: LogArgs,

    /// Explain everything: unmatched lines, lifelines, messages, groups, pairs.
    #[arg(long)]
    pub(crate) explain: bool,

    /// The specification to compare with; its files are given one by one.
    #[arg(long, value_name = "FILE")]
    pub(crate) spec: Vec<String>,

    /// Where to write what was understood; `-` is canonical lines on standard output.
    #[arg(long, value_name = "OUT")]
    pub(crate) write: Option<String>,

    /// Overwrite files that exist.
    #[arg(long)]
    pub(crate) force: bool,

    /// How many shapes of lines to show.
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    pub(crate) limit: usize,

    /// Exit with 1 if a line is taken by no rule, or if there is no action at all.
    #[arg(long)]
    pub(crate) strict: bool,

    /// How to print it.
    #[arg(long, value_enum, default_value_t = MapFormat::Text, value_name = "FORMAT")]
    pub(crate) format: MapFormat,
}

/// How an account of logs is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MapFormat {
    /// For people.
    Text,
    /// One JSON document.
    Json,
}

/// Propose an otus.toml for a folder of logs.
///
/// Looks at the logs: files that look alike become one source, formats are told by their content,
/// and lines that speak of sending and receiving become rules. The most frequent other lines are
/// there as comments, to be made rules or to be ignored. Lifelines are called like the files, or
/// like those of the specification that are meant.
///
/// The proposal is a beginning: `otus map --explain` shows how far it goes.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus init raw                          write raw/otus.toml
  otus init raw --spec flow.mmd --force  with the names of a diagram
  otus init raw -o -                     to standard output
  otus map raw --explain                 and then: how far does it go?")]
pub(crate) struct InitArgs {
    /// The folder with the logs.
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub(crate) folder: PathBuf,

    /// The specification that the logs are about.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) spec: Vec<String>,

    /// Where to write it [default: otus.toml in the folder]; `-` is standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,

    /// Overwrite an otus.toml that exists.
    #[arg(long)]
    pub(crate) force: bool,
}

/// Draw the diagram of what was observed.
///
/// One run is drawn as it is. Several become one specification that accepts each of them: what they
/// have in common stays, differences become alternatives, repetitions loops, and what came in both
/// orders is concurrent. It is checked that every run is accepted.
///
/// Runs are multi-traces (.htf, .jsonl), or the groups of raw logs. Without a name, the logs are
/// those that the otus.toml here or above has sources for.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus learn run.htf                            as Mermaid, to standard output
  otus learn runs/ -o learnt.puml               one diagram of many runs
  otus learn logs/ -o learnt.svg                a picture of what raw logs say
  otus learn spans.otlp.jsonl --to hif          as an interaction
  otus learn logs/ --group alice                one group of them
  otus learn run.htf --loops always             what repeats is a loop, even in one run")]
pub(crate) struct LearnArgs {
    /// Logs, multi-traces, folders of them, or `-`.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,

    #[command(flatten)]
    pub(crate) logs: LogArgs,

    /// Where to write it: .mmd, .puml, .hif (its signature beside it), .svg or .png.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,

    /// What to print, or to write to a file without a telling name.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: Option<LearnFormat>,

    /// When repetitions become loops.
    #[arg(long, value_enum, default_value_t = LearnLoops::Several, value_name = "WHEN")]
    pub(crate) loops: LearnLoops,

    /// Draw messages that cross exactly, emission and reception apart.
    #[arg(long)]
    pub(crate) split: bool,

    /// Overwrite files that exist.
    #[arg(long)]
    pub(crate) force: bool,
}

/// How what was learnt is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LearnFormat {
    /// Mermaid sequence diagram.
    Mermaid,
    /// PlantUML sequence diagram.
    Plantuml,
    /// Interaction and signature.
    Hif,
}

/// When repetitions become loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LearnLoops {
    /// Never.
    Never,
    /// When there are several different runs.
    Several,
    /// Always.
    Always,
}
