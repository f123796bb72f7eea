//! The command line, with help that teaches.

mod about;
mod analyze;
mod common;
mod ctl;
mod derive;
mod interaction;
mod logs;
mod outputs;
mod text;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use about::*;
pub(crate) use analyze::*;
pub(crate) use common::*;
pub(crate) use ctl::*;
pub(crate) use derive::*;
pub(crate) use interaction::*;
pub(crate) use logs::*;
pub(crate) use outputs::*;
pub(crate) use text::*;

const OVERVIEW: &str = "\
Otus checks what a distributed system did (a log per machine, no shared clock, some cut short or \
missing) against what its sequence diagrams say.

Files are told apart by their ending, or by their content when they have none:
  .hsf .hif .hcf     signature, interaction, options (or all in one .hsf, as in 2020)
  .mmd .puml         Mermaid and PlantUML sequence diagrams
  .md#login          the diagram under the heading \"Login\" of a Markdown file; .md#2 is the second
  .htf .jsonl        one multi-trace; many, one a line
  .pot.json .ctl     a partial-order trace; formulas over its cuts
  .log .json .csv    raw logs, read as the otus.toml in their folder or above says; OTLP, Jaeger,
                     Zipkin and ShiViz need none, and all may be packed (.gz, .zst)
  -                  standard input";

const EXAMPLES: &str = "\
Examples:
  otus demo                                 a built-in example, start to end
  otus analyze model.hsf run.htf            can this have happened?
  otus analyze flow.mmd logs/               and this, says a folder of raw logs?
  otus init raw                             how could these logs be read?
  otus map logs/ --explain                  what becomes of every line?
  otus learn logs/                          the diagram of what was observed
  otus ctl run.pot.json 'AG(x < 2)'         does this hold in every order of events?
  otus lint docs/checkout.md#login          is this diagram sound?
  otus fmt --check spec/*.hif               is everything in canonical form?
  otus convert sig.hsf model.hif model.mmd  to a diagram that renders anywhere
  otus test --list                          which verdicts does otus.toml expect?
  otus slice run.htf --count 5              partial observations of a run
  otus explain O0301                        what does this diagnostic mean?

Exit status: 0 nothing to complain about, 1 the answer is no, 2 unusable input or usage,
3 undecided.";

/// Checks what a distributed system did against what its sequence diagrams say.
#[derive(Debug, Parser)]
#[command(name = "otus", version, long_about = OVERVIEW, after_long_help = EXAMPLES)]
#[command(after_help = "`otus --help` tells more; `otus COMMAND --help` teaches a command.")]
pub(crate) struct Args {
    /// When to colour diagnostics.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Color::Auto => "auto",
            Color::Always => "always",
            Color::Never => "never",
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Analyze(Box<AnalyzeArgs>),
    Ctl(CtlArgs),
    Explore(ExploreArgs),
    Draw(DrawArgs),
    Map(MapArgs),
    Init(InitArgs),
    Learn(LearnArgs),
    Generate(GenerateArgs),
    Demo(DemoArgs),
    Fmt(FmtArgs),
    Lint(LintArgs),
    Convert(ConvertArgs),
    Slice(SliceArgs),
    Mutate(MutateArgs),
    Test(TestArgs),
    Explain(ExplainArgs),
    Schema(SchemaArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}
