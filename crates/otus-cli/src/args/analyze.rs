//! `otus analyze`: what is asked, of what, within which limits.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use super::common::mebibytes;
use super::outputs::percent;
use super::{CoverageOutput, LogArgs, ReportFile, SearchArgs, TextFormat, VerdictFormat};

/// Check logs and multi-traces against a specification.
///
/// Raw logs are read by the otus.toml in their folder or above it, which says how lines become
/// actions and which belong together; each group is one multi-trace. OTLP, Jaeger, Zipkin and ShiViz
/// logs need no otus.toml. `otus init` proposes one, `otus map --explain` shows what becomes of
/// every line, and docs/logs.md has recipes. What the call leaves out, the specification or the
/// logs, is taken from the otus.toml here or above.
///
/// Gives a verdict for each: Pass if it is accepted as it is, WeakPass if it is once something
/// unobserved is added, Fail if it cannot have happened. A Pass or WeakPass comes with a global
/// execution that explains it, which is re-checked before it is printed; a Fail with what is wrong,
/// where the specification and the log have it, and what would repair it. The first 20 failures are
/// explained, all of them with --explain full. docs/reports.md has all formats.
///
/// What may be missing is said for all logs by --observed (or --kind, in the words of the papers),
/// and for single ones by --complete, --may-stop-early, --may-start-late (both of these for the same
/// lifeline: both) and --unobserved. They take lifelines, as `broker,sub*`; a name counts more than
/// a pattern. If only single logs are declared, all others are complete. For raw logs, `[observation]`
/// of otus.toml declares the same, for lifelines of which the command line says nothing.
///
/// The engine `auto` is the fast one, which is exact and has no use for bounds, orders and graphs of
/// a search. Whoever asks for those (--graph, --strategy, --priorities, --filters, --goal, --memoize,
/// --local-analysis, --legacy-verdicts, a criterion in `simulate[…]`, or the same in a .hcf) gets
/// the searches of the papers.
///
/// With several specifications, each multi-trace belongs to the first that accepts it, in the order
/// given; if none does, it is told against the one that explains most of it. `groups` of a `[[spec]]`
/// in otus.toml says which groups belong to which; docs/testing.md tells more.
///
/// Options are taken from a .hcf, from the `@analyze_option` section of a .hsf, and from the flags,
/// later ones over earlier ones. Flags take what a .hcf has after the `=`.
#[derive(Debug, Default, Parser)]
#[command(after_long_help = "\
Examples:
  otus analyze sig.hsf model.hif run.htf              is the run a prefix of what is specified?
  otus analyze sig.hsf model.hif run.htf conf.hcf     with the options of a file
  otus analyze model.hsf run.htf                      the single file of 2020
  otus analyze model.hsf runs/                        all .htf and .jsonl files of a folder
  otus analyze flow.mmd logs/                         raw logs, as the otus.toml above them says
  otus analyze flow.mmd spans.otlp.jsonl              OpenTelemetry needs none
  otus analyze flow.mmd docs/checkout.md#login logs/  each group by the diagram that it fits
  otus analyze logs/ --group alice                    one group, and the spec of otus.toml
  otus analyze flow.mmd --config otus.toml --strict   fails, too, if no line became an action
  otus analyze flow.mmd runs.jsonl --format jsonl     many multi-traces, one answer a line
  otus analyze model.hsf runs/ --report junit=r.xml --report sarif=r.sarif   for a CI server
  otus analyze flow.mmd logs/ --write-baseline known.toml   take the failures of today as known
  otus analyze flow.mmd logs/ --baseline known.toml   and fail on others only
  otus analyze model.hsf runs/ --coverage=c.svg --min-coverage 20   what of it was exercised
  otus analyze model.hsf run.htf --kind accept        must be complete
  otus analyze model.hsf run.htf --observed slice     every log may start late and stop early
  otus analyze model.hsf run.htf --may-stop-early 'sub*' --unobserved publisher
  otus analyze model.hsf run.htf --kind 'simulate[before = true, loop num = 3, act none]'
  otus analyze model.hsf run.htf --graph search.dot   and the search, for Graphviz
  otus analyze model.hsf run.htf --certificate why.json   and a proof, if it fails
  otus analyze model.hsf run.htf --order out.pot.json     and a trace for `otus ctl`, if it passes

Exit status: 0 no Fail, 1 a Fail, 2 unusable input or usage, 3 undecided and no Fail.")]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command")]
pub(crate) struct AnalyzeArgs {
    /// A specification (its files together) or several diagrams, logs or multi-traces (or folders
    /// of them), and options. What is left out is taken from otus.toml.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,

    #[command(flatten)]
    pub(crate) logs: LogArgs,

    /// Fail, too, if nothing was checked because no line became an action, or with --coverage, if
    /// nothing was exercised.
    #[arg(long)]
    pub(crate) strict: bool,

    /// Say which actions, branches and loops of the specification were exercised: as text, as json, or in
    /// a file (.txt, .json, .md, .svg or .png, as --coverage=coverage.svg); may be given several times.
    #[arg(
        long,
        value_name = "WHAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text"
    )]
    pub(crate) coverage: Vec<CoverageOutput>,

    /// Fail, too, if fewer of these in a hundred were exercised.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) min_coverage: Option<f64>,

    /// Which question is asked: accept, prefix, eliminate, or simulate[…].
    #[arg(long, value_name = "KIND", conflicts_with = "observed")]
    pub(crate) kind: Option<String>,

    /// The same question by what may be missing.
    #[arg(long, value_enum, value_name = "WHAT", ignore_case = true)]
    pub(crate) observed: Option<Observed>,

    #[command(flatten)]
    pub(crate) declared: DeclaredArgs,

    /// Which engine answers.
    #[arg(long, value_enum, default_value_t = Engine::Auto, value_name = "ENGINE")]
    pub(crate) engine: Engine,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    /// The verdict that ends the search: Pass, WeakPass or None.
    #[arg(long, value_name = "VERDICT")]
    pub(crate) goal: Option<String>,

    /// Check each component alone first: true, false or front.
    #[arg(long, value_name = "WHEN")]
    pub(crate) local_analysis: Option<String>,

    /// Do not explore again what was met before.
    #[arg(long)]
    pub(crate) memoize: bool,

    /// Let `prefix` answer Inconclusive where observation is lacking, as in 2020.
    #[arg(long)]
    pub(crate) legacy_verdicts: bool,

    /// End each search after this many states [default: 100 million; of the papers' searches a
    /// million, 100,000 with --graph].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) max_states: Option<u64>,

    /// End each search when its tables take more than this [default: 2048].
    #[arg(long, value_name = "MIB", value_parser = mebibytes)]
    pub(crate) memory: Option<u64>,

    /// How many multi-traces are checked at the same time [default: 0, as many as there are cores].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) jobs: Option<usize>,

    /// Always work out an execution that explains a Pass [default: not for jsonl, nor for more than
    /// 10,000 observed moments].
    #[arg(long, conflicts_with = "no_witness")]
    pub(crate) witness: bool,

    /// Never work one out.
    #[arg(long)]
    pub(crate) no_witness: bool,

    /// For a Fail, write why nothing explains it, to be checked by anybody (.json, or text; `-` is
    /// text on standard output). Otherwise nothing is written, and that is said.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<String>,

    /// For a Pass or WeakPass, write the execution that explains it as a partial-order trace for
    /// `otus ctl`: its messages are its order (.pot.json; `-` is standard output).
    #[arg(long, value_name = "FILE", conflicts_with = "no_witness")]
    pub(crate) order: Option<String>,

    /// How much is said about why something fails [default: short; none for jsonl].
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) explain: Option<Explain>,

    /// How to print verdicts.
    #[arg(long, value_enum, default_value_t = VerdictFormat::Text, value_name = "FORMAT")]
    pub(crate) format: VerdictFormat,

    /// Write a report besides, like junit=report.xml; may be given several times.
    #[arg(long, value_name = "FORMAT=FILE")]
    pub(crate) report: Vec<ReportFile>,

    /// Append answers to this file, a JSON object each, and do not ask again what is decided there:
    /// a run that was killed goes on where it was.
    #[arg(long, value_name = "FILE.jsonl", conflicts_with_all = ["graph", "certificate", "order"])]
    pub(crate) results: Option<PathBuf>,

    /// What counts as a failure besides Fail.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) fail_on: Option<FailOn>,

    /// Known failures, by id and cause, that do not fail the run.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,

    /// Write all failures of this run as known ones.
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,

    /// How to read standard input and files without a telling name.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<TextFormat>,
}

/// What may be missing of the logs of single lifelines.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct DeclaredArgs {
    /// Lifelines whose logs are complete.
    #[arg(long, value_name = "LIFELINES", value_delimiter = ',')]
    pub(crate) complete: Vec<String>,

    /// Lifelines whose logs may stop early.
    #[arg(long, value_name = "LIFELINES", value_delimiter = ',')]
    pub(crate) may_stop_early: Vec<String>,

    /// Lifelines whose logs may start late.
    #[arg(long, value_name = "LIFELINES", value_delimiter = ',')]
    pub(crate) may_start_late: Vec<String>,

    /// Lifelines that were not observed; what is recorded of them is disregarded.
    #[arg(long, value_name = "LIFELINES", value_delimiter = ',')]
    pub(crate) unobserved: Vec<String>,
}

/// What may be missing from an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Observed {
    /// Nothing (accept).
    Complete,
    /// The end of the whole execution (prefix).
    GlobalPrefix,
    /// The end of each log (eliminate).
    Prefix,
    /// The beginning and the end of each log (simulate).
    Slice,
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Engine {
    /// The fast engine, unless something is asked for that only searches have.
    #[default]
    Auto,
    /// The fast engine, exact on any partition.
    Fast,
    /// The searches of the papers, as written.
    Graph,
}

/// How much is said about why something fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Explain {
    /// Nothing but how far it could be explained.
    None,
    /// Cause, places, repair and core, of the first 20 failures.
    Short,
    /// Of all failures, with every furthest situation.
    Full,
}

/// What counts as a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// WeakPass and whatever is undecided too.
    Weak,
    /// Whatever is undecided too.
    Undecided,
    /// Nothing, not even Fail.
    Never,
}

impl From<Observed> for otus::UniformObservation {
    fn from(observed: Observed) -> Self {
        match observed {
            Observed::Complete => otus::UniformObservation::Complete,
            Observed::GlobalPrefix => otus::UniformObservation::GlobalPrefix,
            Observed::Prefix => otus::UniformObservation::Prefix,
            Observed::Slice => otus::UniformObservation::Slice,
        }
    }
}

impl From<Engine> for otus::EngineChoice {
    fn from(engine: Engine) -> Self {
        match engine {
            Engine::Auto => otus::EngineChoice::Auto,
            Engine::Fast => otus::EngineChoice::Fast,
            Engine::Graph => otus::EngineChoice::Graph,
        }
    }
}

impl From<Explain> for otus::Explain {
    fn from(explain: Explain) -> Self {
        match explain {
            Explain::None => otus::Explain::None,
            Explain::Short => otus::Explain::Short,
            Explain::Full => otus::Explain::Full,
        }
    }
}

impl From<FailOn> for otus::FailOn {
    fn from(fail_on: FailOn) -> Self {
        match fail_on {
            FailOn::Weak => otus::FailOn::Weak,
            FailOn::Undecided => otus::FailOn::Undecided,
            FailOn::Never => otus::FailOn::Never,
        }
    }
}
