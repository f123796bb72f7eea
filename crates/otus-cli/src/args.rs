//! The command line of `otus`, as clap types. Their doc comments are the text of `--help`.

mod about;
mod analyze;
mod choice;
mod common;
mod ctl;
mod derive;
mod interaction;
mod logs;
#[cfg(feature = "lsp")]
mod lsp;
mod outputs;
mod report;
mod restrict;
#[cfg(feature = "studio")]
mod studio;
mod text;
#[cfg(feature = "watch")]
mod watch;

use std::ffi::OsString;
use std::path::Path;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};

pub(crate) use about::*;
pub(crate) use analyze::*;
pub(crate) use choice::name_of;
use choice::{Choice, listing, named, one_of};
pub(crate) use common::*;
pub(crate) use ctl::*;
pub(crate) use derive::*;
pub(crate) use interaction::*;
pub(crate) use logs::*;
#[cfg(feature = "lsp")]
pub(crate) use lsp::*;
pub(crate) use outputs::*;
pub(crate) use report::*;
pub(crate) use restrict::*;
#[cfg(feature = "studio")]
pub(crate) use studio::*;
pub(crate) use text::*;
#[cfg(feature = "watch")]
pub(crate) use watch::*;

const OVERVIEW: &str = "\
Otus checks logs of distributed systems against sequence diagrams. It expects one log per machine. \
The machines need no shared clock, and logs may be incomplete or missing.

A multi-trace is one observed run: one log per lifeline (a part of the system that sends and \
receives messages), or per group of lifelines that share a clock.

The extension of a file name gives its format; without one, the content does:
  .hsf .hif .hcf     signature (the names of lifelines and messages), interaction, options;
                     or the older format of the HIBOU tool: all of them in one .hsf
  .mmd .puml         Mermaid and PlantUML sequence diagrams
  .md#login          the diagram under the heading \"Login\" in Markdown; .md#2: the second diagram
  .htf .jsonl        one multi-trace; many multi-traces, one per line
  .pot.json .ctl     a partial-order trace; CTL formulas
  .parquet           tables of events, with one event per row
  .log .json .csv    raw logs, read with the otus.toml in their folder or a parent folder;
                     OTLP, Jaeger, Zipkin and ShiViz logs need no otus.toml;
                     .gz and .zst files are unpacked
  -                  standard input";

const EXAMPLES: &str = "\
Examples:
  otus demo                                 run a built-in example
  otus analyze model.hsf run.htf            does the specification allow this run?
  otus analyze flow.mmd logs/               check a folder of raw logs
  otus init raw                             propose an otus.toml for the logs in raw/
  otus map logs/ --explain                  show how each line is read
  otus learn logs/                          learn a diagram from logs
  otus ctl run.pot.json 'AG(x < 2)'         does this hold in every order of events?
  otus studio                               explore all of this in a browser
  otus lint docs/checkout.md#login          find mistakes in a diagram
  otus fmt --check spec/*.hif               are all files in canonical form?
  otus convert sig.hsf model.hif model.mmd  convert to Mermaid
  otus test --list                          list the tests of otus.toml
  otus report results/ -o report.html       make a report from results
  otus slice run.htf --count 5              cut a run to parts, as if partly observed
  otus remove model.hsf --lifelines broker  a specification without a lifeline
  otus explain O0301                        what does this diagnostic mean?

Exit status: 0 passed, 1 failed, 2 invalid input or command line, 3 undecided.";

/// Checks logs of distributed systems against sequence diagrams.
#[derive(Debug, Parser)]
#[command(name = "otus", version, long_about = OVERVIEW, after_long_help = EXAMPLES)]
#[command(
    after_help = "See `otus --help` for an overview and `otus COMMAND --help` for a command."
)]
pub(crate) struct Args {
    /// When to colour diagnostics: on a terminal unless `NO_COLOR` is set (auto), always, or never.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// Colour on a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Parses the command line.
///
/// The options of a command are built only when that command is found, because building the options of all
/// commands takes longer than a small check. All commands are built only for a help text that lists them with
/// their descriptions.
pub(crate) fn parse(program: &Path, arguments: &[OsString]) -> Result<Args, clap::Error> {
    let mut command = Args::command();
    let lists_commands = |first: &OsString| {
        let is_command = command.get_subcommands().any(|one| first == one.get_name());
        !is_command && first != "--version" && first != "-V"
    };
    if arguments.first().is_none_or(lists_commands) {
        command.build();
    }
    let all = std::iter::once(program.as_os_str()).chain(arguments.iter().map(OsString::as_os_str));
    let mut matches = command.try_get_matches_from(all)?;
    Args::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut Args::command()))
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    Analyze(Box<AnalyzeArgs>),
    Ctl(CtlArgs),
    #[cfg(feature = "watch")]
    Watch(Box<WatchArgs>),
    #[cfg(feature = "studio")]
    Studio(StudioArgs),
    Explore(ExploreArgs),
    Draw(DrawArgs),
    Map(MapArgs),
    Init(InitArgs),
    Learn(LearnArgs),
    Generate(GenerateArgs),
    Demo(DemoArgs),
    Fmt(FmtArgs),
    Lint(LintArgs),
    #[cfg(feature = "lsp")]
    Lsp(LspArgs),
    Convert(ConvertArgs),
    Slice(SliceArgs),
    Mutate(MutateArgs),
    Project(ProjectArgs),
    Remove(RemoveArgs),
    Test(TestArgs),
    Report(ReportArgs),
    Explain(ExplainArgs),
    Schema(SchemaArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}
