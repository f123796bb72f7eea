//! The arguments of `otus analyze`.

use std::path::PathBuf;

use clap::Parser;
use otus::report::ReportFormat;
use otus::{EngineChoice, Explain, FailOn, Format, UniformObservation};

use super::common::{FORMATS, mebibytes};
use super::outputs::{REPORT_FORMATS, percent};
use super::{Choice, CoverageOutput, LogArgs, ReportFile, SearchArgs, one_of};

/// Check logs and multi-traces against a specification.
///
/// Raw logs are read by the rules of the otus.toml in their folder or a parent folder: it maps lines
/// to actions and gathers them in groups, and each group is one multi-trace. OTLP, Jaeger, Zipkin and
/// ShiViz logs need no otus.toml. `otus init` proposes one, `otus map --explain` shows how each line
/// is read, and docs/logs.md has recipes. If the call names no specification or no logs, those of the
/// otus.toml in this folder or a parent folder are used.
///
/// Each multi-trace gets a verdict. Pass: the specification accepts it. WeakPass: the specification
/// accepts it if unobserved events are added. Fail: the specification does not allow it. A Pass or
/// WeakPass comes with a global execution that explains it; this execution is re-checked before it is
/// printed. A Fail comes with its cause, the places in the specification and in the log, and a
/// possible repair. Only the first 20 failures are explained, unless --explain full is given.
/// docs/reports.md describes all formats.
///
/// --observed (or --kind, with the names of the papers) declares which parts of all logs may be
/// missing. --complete, --may-stop-early, --may-start-late and --unobserved declare it for single
/// lifelines, given as `broker,sub*`; an exact name takes precedence over a pattern, and a lifeline
/// may be both --may-stop-early and --may-start-late. If only these flags are given, the logs of all
/// other lifelines are complete. For raw logs, `[observation]` of otus.toml declares the same; the
/// command line takes precedence.
///
/// The engine `auto` is the fast engine, which is exact, unless you ask for something that only the
/// searches of the papers have: --graph, --strategy, --priorities, --filters, --goal, --memoize,
/// --local-analysis, --legacy-verdicts, a criterion in `simulate[…]`, or the same in a .hcf. Then
/// `auto` is the search of the papers.
///
/// With several specifications, each multi-trace is assigned to the first one that accepts it, in the
/// order given. If none accepts it, it is reported against the one that explains most of it. `groups`
/// of a `[[spec]]` in otus.toml assigns groups to specifications; see docs/testing.md.
///
/// Options come from a .hcf, from the `@analyze_option` section of a .hsf, and from the flags; later
/// sources override earlier ones. A flag takes the text that stands after the `=` in a .hcf.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus analyze sig.hsf model.hif run.htf              is the run a prefix of a specified one?
  otus analyze sig.hsf model.hif run.htf conf.hcf     with options from a file
  otus analyze model.hsf run.htf                      the single file of 2020
  otus analyze model.hsf runs/                        all .htf and .jsonl files of a folder
  otus analyze flow.mmd logs/                         raw logs, read by their otus.toml
  otus analyze flow.mmd spans.otlp.jsonl              OpenTelemetry needs no otus.toml
  otus analyze flow.mmd docs/checkout.md#login logs/  each group against the diagram it fits
  otus analyze logs/ --group alice                    one group, against the spec of otus.toml
  otus analyze flow.mmd --config otus.toml --strict   also fail if no line is an action
  otus analyze flow.mmd runs.jsonl --format jsonl     many multi-traces, one verdict per line
  otus analyze model.hsf runs/ --report junit=r.xml --report sarif=r.sarif   for a CI server
  otus analyze flow.mmd logs/ --write-baseline known.toml   record today's failures as known
  otus analyze flow.mmd logs/ --baseline known.toml   and fail only on new ones
  otus analyze model.hsf runs/ --coverage=c.svg --min-coverage 20   coverage of the model
  otus analyze model.hsf run.htf --kind accept        every log is complete
  otus analyze model.hsf run.htf --observed slice     every log may start late and stop early
  otus analyze model.hsf run.htf --may-stop-early 'sub*' --unobserved publisher
  otus analyze model.hsf run.htf --kind 'simulate[before = true, loop num = 3, act none]'
  otus analyze model.hsf run.htf --graph search.dot   also write the search, for Graphviz
  otus analyze model.hsf run.htf --certificate why.json   also write a proof, if it fails
  otus analyze model.hsf run.htf --order out.pot.json     also write a trace for `otus ctl`

Exit status: 0 no Fail, 1 a Fail, 2 unusable input or usage, 3 undecided and no Fail.")]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command")]
pub(crate) struct AnalyzeArgs {
    /// All files of a specification, or several diagrams; logs or multi-traces, or folders of them;
    /// options (.hcf) [default: the specification and the logs of otus.toml].
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,

    #[command(flatten)]
    pub(crate) logs: LogArgs,

    /// Also fail if nothing was checked because no line became an action, or if --coverage found
    /// nothing exercised.
    #[arg(long)]
    pub(crate) strict: bool,

    /// Report which actions, branches and loops of the specification were exercised: as text, as json,
    /// or in a file (.txt, .json, .md, .svg or .png, as --coverage=coverage.svg); may be repeated.
    #[arg(
        long,
        value_name = "WHAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text"
    )]
    pub(crate) coverage: Vec<CoverageOutput>,

    /// Fail below PERCENT coverage.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) min_coverage: Option<f64>,

    /// The kind of analysis: accept, prefix, eliminate, or simulate[…].
    #[arg(long, value_name = "KIND", conflicts_with = "observed")]
    pub(crate) kind: Option<String>,

    /// The parts that may be missing from the logs; another way to give the kind.
    #[arg(long, value_name = "WHAT", ignore_case = true, value_parser = one_of(OBSERVED))]
    pub(crate) observed: Option<UniformObservation>,

    #[command(flatten)]
    pub(crate) declared: DeclaredArgs,

    /// The engine that computes the verdicts.
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = one_of(ENGINES))]
    pub(crate) engine: EngineChoice,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    /// The verdict at which the search stops: Pass, WeakPass or None.
    #[arg(long, value_name = "VERDICT")]
    pub(crate) goal: Option<String>,

    /// Check each component alone before the search: true, false or front.
    #[arg(long, value_name = "WHEN")]
    pub(crate) local_analysis: Option<String>,

    /// Explore each state only once.
    #[arg(long)]
    pub(crate) memoize: bool,

    /// Let `prefix` answer Inconclusive if observations are missing, as in 2020.
    #[arg(long)]
    pub(crate) legacy_verdicts: bool,

    /// Stop each search after this many states [default: 100 million; for the searches of the papers
    /// 1 million, 100,000 with --graph].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) max_states: Option<u64>,

    /// Stop each search when its tables take more than this [default: 2048].
    #[arg(long, value_name = "MIB", value_parser = mebibytes)]
    pub(crate) memory: Option<u64>,

    /// The number of multi-traces to check in parallel [default: 0, one per core].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) jobs: Option<usize>,

    /// Always compute an execution that explains a Pass [default: not for jsonl, nor for more than
    /// 10,000 observed moments].
    #[arg(long, conflicts_with = "no_witness")]
    pub(crate) witness: bool,

    /// Never compute an execution that explains a Pass.
    #[arg(long)]
    pub(crate) no_witness: bool,

    /// For a Fail, write a proof that no execution explains the logs (.json, or text; `-`: text to
    /// standard output). For other verdicts, nothing is written, and a note says so.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<String>,

    /// For a Pass or WeakPass, write the execution that explains it as a partial-order trace for
    /// `otus ctl`, ordered by its messages (.pot.json; `-`: standard output).
    #[arg(long, value_name = "FILE", conflicts_with = "no_witness")]
    pub(crate) order: Option<String>,

    /// How much to explain about failures [default: short; none for jsonl].
    #[arg(long, value_name = "HOW", value_parser = one_of(EXPLAIN))]
    pub(crate) explain: Option<Explain>,

    /// The output format.
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = one_of(REPORT_FORMATS))]
    pub(crate) format: ReportFormat,

    /// Also write a report to a file, like junit=report.xml; may be repeated.
    #[arg(long, value_name = "FORMAT=FILE")]
    pub(crate) report: Vec<ReportFile>,

    /// Append each verdict to this file as a JSON object, and skip the multi-traces that are decided
    /// there: an interrupted run continues where it stopped.
    #[arg(long, value_name = "FILE.jsonl", conflicts_with_all = ["graph", "certificate", "order"])]
    pub(crate) results: Option<PathBuf>,

    /// The verdicts that count as failures besides Fail.
    #[arg(long, value_name = "WHAT", value_parser = one_of(FAIL_ON))]
    pub(crate) fail_on: Option<FailOn>,

    /// A file of known failures (id and cause), which do not fail the run.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,

    /// Write all failures of this run to FILE as known ones.
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,

    /// The format of standard input and of files whose names do not tell it.
    #[arg(long, value_name = "FORMAT", value_parser = one_of(FORMATS))]
    pub(crate) from: Option<Format>,
}

/// The parts that may be missing from the logs of single lifelines.
#[derive(Debug, clap::Args)]
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

    /// Lifelines that were not observed; their logs are ignored.
    #[arg(long, value_name = "LIFELINES", value_delimiter = ',')]
    pub(crate) unobserved: Vec<String>,
}

/// The values of `--observed`.
pub(super) const OBSERVED: &[Choice<UniformObservation>] = &[
    (UniformObservation::Complete, "complete", "Nothing (accept)"),
    (UniformObservation::GlobalPrefix, "global-prefix", "The end of the whole execution (prefix)"),
    (UniformObservation::Prefix, "prefix", "The end of each log (eliminate)"),
    (UniformObservation::Slice, "slice", "The beginning and the end of each log (simulate)"),
];

const ENGINES: &[Choice<EngineChoice>] = &[
    (
        EngineChoice::Auto,
        "auto",
        "The fast engine, unless an option needs the searches of the papers",
    ),
    (EngineChoice::Fast, "fast", "The fast engine, exact on any partition"),
    (EngineChoice::Graph, "graph", "The searches of the papers"),
];

const EXPLAIN: &[Choice<Explain>] = &[
    (Explain::None, "none", "Only how much of the logs could be explained"),
    (Explain::Short, "short", "Cause, places, repair and core of the first 20 failures"),
    (Explain::Full, "full", "The same for all failures, with every furthest situation"),
];

const FAIL_ON: &[Choice<FailOn>] = &[
    (FailOn::Weak, "weak", "Also WeakPass and undecided verdicts"),
    (FailOn::Undecided, "undecided", "Also undecided verdicts"),
    (FailOn::Never, "never", "None, not even Fail"),
];
