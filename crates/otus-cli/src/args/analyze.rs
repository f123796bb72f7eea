//! The arguments of `otus analyze`.

use std::path::PathBuf;

use clap::Parser;
use otus::report::ReportFormat;
use otus::table::TableColumns;
use otus::{EngineChoice, Explain, FailOn, Format, UniformObservation};

use super::common::FORMATS;
use super::outputs::{REPORT_FORMATS, percent};
use super::{Choice, CoverageOutput, LimitArgs, LogArgs, ReportFile, SearchArgs, one_of};

/// Check logs and multi-traces against a specification.
///
/// A multi-trace is one observed run: one log per lifeline (a part of the system that sends and
/// receives messages), or per group of lifelines that share a clock. Otus reads raw logs with the
/// rules of the otus.toml in their folder or a parent folder. The rules map lines to actions and put
/// the actions into groups; each group is one multi-trace. OTLP, Jaeger, Zipkin and ShiViz logs need
/// no otus.toml. `otus init` proposes an otus.toml, `otus map --explain` shows how each line is read,
/// and docs/logs.md has recipes. A Parquet file (.parquet) is a table with one event per row: its run,
/// lifeline and action, and its order in the log; all Parquet files of a call are one table, and each
/// run is one multi-trace. If you name no specification, the one in the otus.toml of this
/// folder or a parent folder is used; the same holds for logs.
///
/// Each multi-trace gets a verdict. Pass: the specification accepts it. WeakPass: the specification
/// accepts it if unobserved events are added. Fail: the specification does not allow it. Two verdicts
/// are undecided. Inconclusive: a limit ended the search. WeakFail: a bounded simulation found no
/// explanation, which proves nothing. A Pass or WeakPass comes with a global execution that explains
/// it; Otus re-checks this execution before it prints it. A Fail comes with its cause, the places in
/// the specification and in the log, and a possible repair. Only the first 20 failures are explained,
/// unless --explain full is given. docs/reports.md describes all formats.
///
/// --observed says, for all logs, which parts may be missing. --kind is the same option with the
/// terms of the papers (docs/papers.md): accept, prefix, eliminate, simulate. --complete,
/// --may-stop-early, --may-start-late and --unobserved say it for individual lifelines, for example
/// `broker,sub*`; an exact name takes precedence over a pattern, and a lifeline may be both
/// --may-stop-early and --may-start-late. If you use these flags without --observed or --kind, the
/// logs of all other lifelines are complete. For raw logs, `[observation]` in otus.toml says the same;
/// the command line takes precedence.
///
/// The engine `auto` chooses the fast engine, whose verdicts are exact. It chooses the searches of
/// the papers (those of the HIBOU tool) if you use one of --graph, --strategy, --priorities,
/// --filters, --goal, --memoize, --partial-order-reduction, --local-analysis, --legacy-verdicts or a
/// criterion in `simulate[…]`, or if a .hcf changes one of these options.
///
/// With several specifications, each multi-trace is assigned to the first one that accepts it, in the
/// order given. If none accepts it, the report uses the specification that explains most of the
/// multi-trace. The key `groups` of a `[[spec]]` in otus.toml assigns groups to specifications; see
/// docs/testing.md.
///
/// Options come from a .hcf, from the `@analyze_option` section of a .hsf, and from the flags; later
/// sources override earlier ones. The value of such a flag has the same syntax as after the `=` in a
/// .hcf.
#[derive(Debug, Parser)]
#[command(mut_args(LimitArgs::timeout_for_each(
    "Stop checking after this many seconds, with exit status 3. Each multi-trace gets this time, \
     including its explanation"
)))]
#[command(after_long_help = "\
Examples:
  otus analyze sig.hsf model.hif run.htf              is the run a prefix of a specified one?
  otus analyze sig.hsf model.hif run.htf conf.hcf     with options from a file
  otus analyze model.hsf run.htf                      signature and interaction in one .hsf
  otus analyze model.hsf runs/                        all .htf and .jsonl files of a folder
  otus analyze flow.mmd logs/                         raw logs, read with their otus.toml
  otus analyze flow.mmd spans.otlp.jsonl              OpenTelemetry needs no otus.toml
  otus analyze flow.mmd lake/ --results night/        tables of events in, tables of results out
  otus analyze flow.mmd lake/ --columns run=trace_id,lifeline=host   columns with other names
  otus analyze flow.mmd docs/checkout.md#login logs/  the first diagram that accepts each group
  otus analyze logs/ --group alice                    one group, against the spec of otus.toml
  otus analyze flow.mmd --config otus.toml --strict   also fail if no line is an action
  otus analyze flow.mmd runs.jsonl --format jsonl     many multi-traces, one verdict per line
  otus analyze model.hsf runs/ --report junit=r.xml --report sarif=r.sarif   for a CI server
  otus analyze flow.mmd logs/ --write-baseline known.toml   record these failures as known
  otus analyze flow.mmd logs/ --baseline known.toml   and fail only on new ones
  otus analyze model.hsf runs/ --coverage=c.svg --min-coverage 20   coverage of the model
  otus analyze model.hsf run.htf --kind accept        every log is complete
  otus analyze model.hsf run.htf --observed slice     every log may start late and stop early
  otus analyze model.hsf run.htf --may-stop-early 'sub*' --unobserved publisher
  otus analyze model.hsf run.htf --kind 'simulate[before = true, loop num = 3, act none]'
  otus analyze model.hsf run.htf --graph search.dot   also write the search, for Graphviz
  otus analyze model.hsf run.htf --certificate why.json   also write a proof, if it fails
  otus analyze model.hsf run.htf --order out.pot.json     also write a trace for `otus ctl`

Exit status: 0 no Fail, 1 a Fail, 2 invalid input or command line, 3 undecided and no Fail.")]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command")]
pub(crate) struct AnalyzeArgs {
    /// The specification (all its files, or several diagrams), logs or multi-traces (files or
    /// folders), and optionally an options file (.hcf), in any order [default: the specification and the
    /// logs of otus.toml].
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,

    #[command(flatten)]
    pub(crate) logs: LogArgs,

    /// The columns of tables (Parquet), for example `run=trace_id,lifeline=host`. The roles are run,
    /// lifeline, action (!message or ?message), peer, order (the position in the log) and time; other
    /// columns are fields [default: each column is called as its role; order may also be seq, or else
    /// the order of the rows]. --group chooses one run.
    #[arg(long, value_name = "ROLE=COLUMN,…", default_value = "", hide_default_value = true)]
    pub(crate) columns: TableColumns,

    /// Also fail if nothing was checked because no line became an action, or if --coverage
    /// finds that nothing was exercised.
    #[arg(long)]
    pub(crate) strict: bool,

    /// Report which actions, branches and loops of the specification were exercised: as text (without
    /// a value), as json, or in a file (.txt, .json, .md, .svg or .png), for example
    /// --coverage=coverage.svg; may be repeated.
    #[arg(
        long,
        value_name = "WHAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text"
    )]
    pub(crate) coverage: Vec<CoverageOutput>,

    /// Fail if the coverage is below PERCENT.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) min_coverage: Option<f64>,

    /// An alternative to --observed with the terms of the papers: accept (complete), prefix
    /// (global-prefix), eliminate (prefix) or simulate[…] (slice) [default: prefix, unless a .hcf
    /// or otus.toml says otherwise].
    #[arg(long, value_name = "KIND", conflicts_with = "observed")]
    pub(crate) kind: Option<String>,

    /// The parts that may be missing from the logs: nothing (complete), the end of the whole
    /// execution (global-prefix), the end of each log (prefix), or the beginning and the end of
    /// each log (slice) [default: global-prefix, unless a .hcf or otus.toml says otherwise].
    #[arg(long, value_name = "WHAT", ignore_case = true, value_parser = one_of(OBSERVED))]
    pub(crate) observed: Option<UniformObservation>,

    #[command(flatten)]
    pub(crate) declared: DeclaredArgs,

    /// The engine that computes the verdicts. auto: picks fast, unless another option needs graph;
    /// fast: is exact; graph: runs the searches of the papers (those of the HIBOU tool).
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = one_of(ENGINES))]
    pub(crate) engine: EngineChoice,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    /// The verdict at which the search stops: Pass, WeakPass, or None to explore everything
    /// [default: Pass].
    #[arg(long, value_name = "VERDICT")]
    pub(crate) goal: Option<String>,

    /// Give up a node if one log by itself cannot be explained. true: check all logs at every node;
    /// front: check only the log in which the last step was observed; false: check none [default:
    /// false].
    #[arg(long, value_name = "WHEN")]
    pub(crate) local_analysis: Option<String>,

    /// Explore each state only once, even if several paths lead to it.
    #[arg(long)]
    pub(crate) memoize: bool,

    /// Of several orders of steps that lead to the same result, explore only one. This has an effect
    /// only if no lifeline waits for another and each has a log of its own.
    #[arg(long)]
    pub(crate) partial_order_reduction: bool,

    /// With --kind prefix, answer Inconclusive instead of Fail if some log has ended and the others
    /// cannot continue, as the HIBOU tool of 2020 did.
    #[arg(long)]
    pub(crate) legacy_verdicts: bool,

    /// Stop each search after this many states [default: 100 million; for the searches of the papers
    /// 1 million, or 100,000 with --graph].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) max_states: Option<u64>,

    /// The number of multi-traces (observed runs) to check in parallel, and of threads that read raw
    /// logs; 0 means one per core [default: 0].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) jobs: Option<usize>,

    /// Always compute an execution that explains a Pass or WeakPass [default: yes, except with
    /// --format jsonl or for more than 10,000 moments (a moment: actions observed at once)].
    #[arg(long, conflicts_with = "no_witness")]
    pub(crate) witness: bool,

    /// Never compute an execution that explains a Pass or WeakPass.
    #[arg(long)]
    pub(crate) no_witness: bool,

    /// For a Fail, write a proof that no execution explains the logs: as JSON if the name ends in
    /// .json, otherwise as text; `-` writes text to standard output. For other verdicts, nothing is
    /// written, and a note says so.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<String>,

    /// For a Pass or WeakPass, write the execution that explains it as a partial-order trace for
    /// `otus ctl` (.pot.json), in which events are ordered by their log and by messages; `-` writes it
    /// to standard output.
    #[arg(long, value_name = "FILE", conflicts_with = "no_witness")]
    pub(crate) order: Option<String>,

    /// How much to explain about failures: only how far each log is explained (none), cause and
    /// repair of the first 20 failures (short), or all details of all failures (full) [default:
    /// short; none with --format jsonl].
    #[arg(long, value_name = "HOW", value_parser = one_of(EXPLAIN))]
    pub(crate) explain: Option<Explain>,

    /// The output format.
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = one_of(REPORT_FORMATS))]
    pub(crate) format: ReportFormat,

    /// Also write a report in a format of --format to a file, for example junit=report.xml; may be
    /// repeated.
    #[arg(long, value_name = "FORMAT=FILE")]
    pub(crate) report: Vec<ReportFile>,

    /// Append each verdict to this file as a JSON object, and skip multi-traces that are already
    /// decided there, so that an interrupted run can be continued. If the name ends in .parquet, write
    /// a table with a row for each multi-trace instead, in place of an older one; if it is a folder or
    /// ends in a slash, also tables of totals, causes, explained failures and coverage, from which
    /// `otus report` makes reports.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["graph", "certificate", "order"])]
    pub(crate) results: Option<PathBuf>,

    /// Which verdicts give exit status 1. weak: WeakPass and undecided verdicts also give exit status
    /// 1; undecided: undecided verdicts also give exit status 1; never: no verdict gives 1 [default:
    /// only Fail gives 1, and undecided verdicts give 3].
    #[arg(long, value_name = "WHAT", value_parser = one_of(FAIL_ON))]
    pub(crate) fail_on: Option<FailOn>,

    /// A file of known failures (id and cause), which do not make the run fail.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,

    /// Write all failures of this run to FILE as known failures.
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,

    /// The format of standard input, and of files whose extension does not show it.
    #[arg(long, value_name = "FORMAT", value_parser = one_of(FORMATS))]
    pub(crate) from: Option<Format>,
}

/// The parts that may be missing from the logs of individual lifelines, and the properties of logs that
/// are ignored.
#[derive(Debug, clap::Args)]
pub(crate) struct DeclaredArgs {
    /// Lifelines whose logs are complete, for example `broker,sub*`.
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

    /// Accept logs without any event of the specification [default: as in otus.toml; otherwise such logs
    /// are undecided, with exit status 3].
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        hide_possible_values = true)]
    pub(crate) allow_empty: Option<bool>,

    /// Ignore events whose messages the specification does not have [default: as in otus.toml, or
    /// false].
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        hide_possible_values = true)]
    pub(crate) ignore_unknown_messages: Option<bool>,

    /// Ignore the order of events in different logs, which Otus knows from message ids, spans and
    /// vector clocks [default: as in otus.toml, or false].
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        hide_possible_values = true)]
    pub(crate) ignore_order: Option<bool>,

    /// Ignore the peers that logs name (to whom a message was sent, or from whom it came) [default:
    /// as in otus.toml, or false].
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true",
        hide_possible_values = true)]
    pub(crate) ignore_peers: Option<bool>,
}

/// The values of `--observed`.
pub(super) const OBSERVED: &[Choice<UniformObservation>] = &[
    (UniformObservation::Complete, "complete", "Nothing is missing (`accept` in the papers)"),
    (
        UniformObservation::GlobalPrefix,
        "global-prefix",
        "The end of the whole execution: all logs stop at one moment (`prefix` in the papers)",
    ),
    (UniformObservation::Prefix, "prefix", "The end of each log (`eliminate` in the papers)"),
    (
        UniformObservation::Slice,
        "slice",
        "The beginning and the end of each log (`simulate` in the papers)",
    ),
];

const ENGINES: &[Choice<EngineChoice>] = &[
    (
        EngineChoice::Auto,
        "auto",
        "The fast engine, unless an option needs the searches of the papers",
    ),
    (EngineChoice::Fast, "fast", "The fast engine; its verdicts are exact"),
    (EngineChoice::Graph, "graph", "The searches of the papers (those of the HIBOU tool)"),
];

const EXPLAIN: &[Choice<Explain>] = &[
    (Explain::None, "none", "Only how much of the logs an execution could explain"),
    (
        Explain::Short,
        "short",
        "Cause, places, repair and core (a minimal failing part) of the first 20 failures",
    ),
    (
        Explain::Full,
        "full",
        "The same for all failures, with every point at which the search got furthest",
    ),
];

const FAIL_ON: &[Choice<FailOn>] = &[
    (FailOn::Weak, "weak", "Fail, WeakPass and undecided verdicts"),
    (FailOn::Undecided, "undecided", "Fail and undecided verdicts"),
    (FailOn::Never, "never", "None, not even Fail"),
];
