//! The command line, with help that teaches.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use otus_syntax::suggest::did_you_mean;
use otus_trace::transform::Share;

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
    Bench(BenchArgs),
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
/// given; if none does, it is told against the one that explains most of it. `groups` of a [[spec]]
/// in otus.toml says which groups belong to which; docs/testing.md tells more.
///
/// Options are taken from a .hcf, from the `@analyze_option` section of a .hsf, and from the flags,
/// later ones over earlier ones. Flags take what a .hcf has after the `=`.
#[derive(Debug, Parser)]
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
    #[arg(long, value_enum, value_name = "WHAT")]
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
    #[arg(long, value_name = "MIB")]
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
    pub(crate) from: Option<Format>,
}

/// Which raw logs, and how they are read.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct LogArgs {
    /// How logs are read [default: the otus.toml in their folder or above].
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,

    /// Only the group of raw logs with this key.
    #[arg(long, value_name = "KEY")]
    pub(crate) group: Option<String>,
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

/// How a search goes, whatever it is for.
#[derive(Debug, clap::Args)]
pub(crate) struct SearchArgs {
    /// Which node is taken next: DFS, BFS or HCS.
    #[arg(long, value_name = "STRATEGY")]
    pub(crate) strategy: Option<String>,

    /// What moves a step before its siblings: [reception = 1, loop = -1], random.
    #[arg(long, value_name = "LIST")]
    pub(crate) priorities: Option<String>,

    /// What bounds the search: `[max_depth = 20, max_loop_depth = 3, max_node_number = 100]`.
    #[arg(long, value_name = "LIST")]
    pub(crate) filters: Option<String>,

    /// Where randomness comes from.
    #[arg(long, default_value_t = 0, value_name = "NUMBER")]
    pub(crate) seed: u64,

    /// End the search after this many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<f64>,

    /// Write the search as a graph (.svg, .png, .dot or .json; `-` is DOT on standard output).
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<String>,

    /// How many nodes of the search a picture of it shows.
    #[arg(long, default_value_t = 200, value_name = "NUMBER")]
    pub(crate) graph_nodes: usize,

    #[command(flatten)]
    pub(crate) picture: PictureArgs,
}

/// Where multi-traces are written.
#[derive(Debug, clap::Args)]
pub(crate) struct WriteArgs {
    /// Where to write: a .jsonl, or a folder (`out/`) for a .htf each. Otherwise standard output.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<String>,

    /// Overwrite files that exist.
    #[arg(long)]
    pub(crate) force: bool,
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

impl Observed {
    /// As it is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Observed::Complete => "complete",
            Observed::GlobalPrefix => "global-prefix",
            Observed::Prefix => "prefix",
            Observed::Slice => "slice",
        }
    }
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// The fast engine, unless something is asked for that only searches have.
    Auto,
    /// The fast engine, exact on any partition.
    Fast,
    /// The searches of the papers, as written.
    Graph,
}

/// How verdicts are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResultFormat {
    /// For people.
    Text,
    /// One JSON document.
    Json,
    /// One JSON object a line.
    Jsonl,
}

/// How verdicts on many multi-traces are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerdictFormat {
    /// For people.
    Text,
    /// One JSON document.
    Json,
    /// One JSON object a line.
    Jsonl,
    /// XML that CI servers show as tests.
    Junit,
    /// SARIF 2.1.0, which code hosts show beside the specification.
    Sarif,
    /// Annotations for GitHub Actions.
    Github,
    /// Test Anything Protocol, version 14.
    Tap,
    /// A summary for a pull request or a job.
    Markdown,
    /// A page that needs nothing else, with diagrams.
    Html,
}

/// A report and the file it goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReportFile {
    pub(crate) format: VerdictFormat,
    pub(crate) path: PathBuf,
}

impl FromStr for ReportFile {
    type Err = String;

    fn from_str(text: &str) -> Result<ReportFile, String> {
        let names = || {
            let all =
                VerdictFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value);
            all.map(|value| value.get_name().to_owned()).collect::<Vec<_>>()
        };
        let Some((format, path)) = text.split_once('=') else {
            return Err("it takes a format and a file, like junit=report.xml".to_owned());
        };
        let Ok(format) = VerdictFormat::from_str(format, true) else {
            let names = names();
            let help = did_you_mean(format, names.iter().map(String::as_str));
            let help = help.map(|help| format!("; {help}")).unwrap_or_default();
            return Err(format!("there is no format `{format}`, but {}{help}", names.join(", ")));
        };
        if path.is_empty() {
            return Err("the name of the file is missing after the `=`".to_owned());
        }
        Ok(ReportFile { format, path: PathBuf::from(path) })
    }
}

/// Where coverage goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CoverageOutput {
    /// Where verdicts go, for people.
    Text,
    /// Where verdicts go, for scripts.
    Json,
    File(PathBuf, CoverageFile),
}

impl FromStr for CoverageOutput {
    type Err = String;

    fn from_str(text: &str) -> Result<CoverageOutput, String> {
        match text {
            "text" => Ok(CoverageOutput::Text),
            "json" => Ok(CoverageOutput::Json),
            path => match CoverageFile::of(Path::new(path)) {
                Some(kind) => Ok(CoverageOutput::File(PathBuf::from(path), kind)),
                None => {
                    Err("it takes text, json, or a file that ends in .txt, .json, .md, .svg or \
                             .png"
                        .to_owned())
                }
            },
        }
    }
}

/// What a file of coverage is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CoverageFile {
    Json,
    Text,
    Markdown,
    Picture,
}

impl CoverageFile {
    /// What the ending of a file asks for.
    pub(crate) fn of(path: &Path) -> Option<CoverageFile> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(CoverageFile::Json),
            "txt" => Some(CoverageFile::Text),
            "md" => Some(CoverageFile::Markdown),
            "svg" | "png" => Some(CoverageFile::Picture),
            _ => None,
        }
    }
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim_end().parse();
    number
        .ok()
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or_else(|| "it takes a number from 0 to 100".to_owned())
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

const CTL: &str = "\
Check CTL formulas over every order of events that a trace allows

A partial-order trace (.pot.json) has processes, their events, and which events happened before
which. What the system can have looked like in between is a cut: some first events of each
process, closed under what happened before them. A formula is asked at the first cut, where
nothing has happened, and read over all runs from there to the last, an event at a time.

  EF f   possible: f at some cut, in some order      AF f   sooner or later, in every order
  EG f   f throughout, in some order                 AG f   f throughout, in every order
  EX f   f after one event that can come next        AX f   f after each of them
  E[f U g]  A[f U g]   g in the end, and f until then; W: or f throughout; R: the dual of U

Formulas are made of these, ! & | -> <->, and comparisons: x < 3, p.role = leader, x + y <= 2*z,
x in {1, 2}, last(p) = \"crash\", count(p) > 3, count(p.send) = count(q.receive). A file of
formulas (.ctl) has one a line, as `name: formula`; `let both = p.cs & q.cs` names a part.

Patterns expand to formulas:

  always(x < 3)  never(x = 3)  possibly(x = 3)  eventually(done)
  response(asked, answered)        whenever asked, then answered sooner or later
  precedence(asked, answered)      nothing is answered before something is asked
  mutex(p.critical, q.critical)    at most one at a time
  agree(p.leader, q.leader)        the same value at every cut
  one_leader(p, q, r)              no two have role = leader with the same term

Raw logs are a trace, too: their lines are events, messages order them, and the rules of otus.toml
set variables (`lifeline.variable`). If they are several groups, --group chooses one. Without a
formula, those of [properties] in otus.toml are checked.

An answer that a run can show comes with one (EF, EU, EG, EX that hold; AG, AU, AF, AX that do
not), which is re-checked on the trace alone before it is printed.";

/// Check CTL formulas over every order of events that a trace allows.
#[derive(Debug, Parser)]
#[command(
    long_about = CTL,
    after_long_help = "\
Examples:
  otus ctl run.pot.json 'AG(x < 2)'                       at every cut, in every order
  otus ctl run.pot.json 'EF(x = 1 & y = 1)' 'AF(y = 1)'   two formulas share the work
  otus ctl run.pot.json 'mutex(p.critical, q.critical)'   a named pattern
  otus ctl run.pot.json --file props.ctl --format json    for scripts
  otus ctl run.pot.json 'x = 1' --count                   at how many cuts it holds
  otus ctl run.pot.json 'EX x = 1' --all                  and at which
  otus ctl run.pot.json 'EF y > x' --engine interval --no-slice
  otus ctl logs/ --group alice 'EF(User.state = welcome)'   raw logs, variables as in otus.toml
  otus ctl --group alice                                  the logs and [properties] of otus.toml
  otus ctl --patterns                                     what the patterns mean

Exit status: 0 all hold, 1 one does not, 2 unusable input or usage, 3 undecided and none fails."
)]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command")]
pub(crate) struct CtlArgs {
    /// A partial-order trace (.pot.json), raw logs or folders of them, or `-`; then formulas
    /// [default: the logs and the properties of otus.toml].
    #[arg(value_name = "TRACE|FORMULA")]
    pub(crate) names: Vec<String>,

    #[command(flatten)]
    pub(crate) logs: LogArgs,

    /// A file of formulas (.ctl), or `-`; may be repeated.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Vec<String>,

    /// Print the named patterns and what they mean.
    #[arg(long, exclusive = true)]
    pub(crate) patterns: bool,

    /// How sets of cuts are computed.
    #[arg(long, value_enum, default_value_t = CtlEngine::Auto, value_name = "ENGINE")]
    pub(crate) engine: CtlEngine,

    /// How the engine `ist` computes EF and AG.
    #[arg(long, value_enum, default_value_t = CtlClosure::Downward, value_name = "HOW")]
    pub(crate) closure: CtlClosure,

    /// Keep events that make no difference.
    #[arg(long)]
    pub(crate) no_slice: bool,

    /// In which order processes are looked at; it decides how large sets of cuts become.
    #[arg(long, value_enum, default_value_t = ProcessOrder::Greedy, value_name = "ORDER")]
    pub(crate) process_order: ProcessOrder,

    /// Put concurrent assignments to one variable in order, by Lamport time, instead of
    /// complaining.
    #[arg(long)]
    pub(crate) order_writes: bool,

    /// Count the cuts, and those at which each formula holds.
    #[arg(long)]
    pub(crate) count: bool,

    /// Print the cuts at which each formula holds, as boxes: for each process how many of its
    /// events have happened.
    #[arg(long)]
    pub(crate) all: bool,

    /// How many boxes of cuts to print.
    #[arg(long, value_name = "NUMBER", default_value_t = 100, requires = "all")]
    pub(crate) limit: usize,

    /// Do not work out a run that shows the answer.
    #[arg(long, conflicts_with = "draw")]
    pub(crate) no_witness: bool,

    /// Draw the run that shows the answer (.svg or .png), as cuts through the trace; of several
    /// formulas, that of the first that has one.
    #[arg(long, value_name = "FILE")]
    pub(crate) draw: Option<String>,

    #[command(flatten)]
    pub(crate) picture: PictureArgs,

    /// End each check after this many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<f64>,

    /// End each check when a set of cuts takes more nodes than this.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) max_nodes: Option<u64>,

    /// End each check when its tables take more than this.
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    pub(crate) memory: u64,

    /// How to print answers.
    #[arg(long, value_enum, default_value_t = ResultFormat::Text, value_name = "FORMAT")]
    pub(crate) format: ResultFormat,

    /// What counts as a failure besides a formula that does not hold.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) fail_on: Option<CtlFailOn>,
}

/// How sets of cuts are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CtlEngine {
    /// The best one for each part of a formula.
    Auto,
    /// Interval diagrams: whole ranges of cuts at a time.
    Interval,
    /// One cut at a time.
    Explicit,
    /// Interval sharing trees, with the operations of the paper on them.
    Ist,
}

/// How EF and AG are computed on interval sharing trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CtlClosure {
    /// By downward closure, in one operation.
    Downward,
    /// As a fixpoint, step by step.
    Fixpoint,
}

/// In which order processes are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProcessOrder {
    /// As in the trace.
    Given,
    /// Those that communicate most are neighbours.
    Greedy,
}

/// What counts as a failure of `ctl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CtlFailOn {
    /// Whatever is undecided too.
    Undecided,
    /// Nothing, not even a formula that does not hold.
    Never,
}

/// Show what an interaction can do, step by step.
///
/// Prints the execution tree: a line per step with its position, `✓` where the interaction may
/// end, `…` where a filter cut. With --traces (or a `tracegen` logger in the options) it writes
/// multi-traces instead. An interaction with loops has no end: bound it by --filters.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus explore sig.hsf model.hif conf.hcf                    as the options say
  otus explore flow.mmd --filters '[max_depth = 4]'          the first four steps
  otus explore flow.mmd --graph tree.dot                     for Graphviz
  otus explore flow.mmd --traces exact -o runs/              accepted multi-traces, a file each
  otus explore flow.mmd --traces prefix --partition trivial  global prefixes, a line each")]
pub(crate) struct ExploreArgs {
    /// One specification (its files together) and options.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    #[command(flatten)]
    pub(crate) search: SearchArgs,

    /// Write multi-traces: of nodes that accept (exact), all (prefix), or leaves (terminal).
    #[arg(long, value_name = "WHICH")]
    pub(crate) traces: Option<String>,

    /// How lifelines share clocks in them: discrete, trivial, or {(l1,l2),(l3)}.
    #[arg(long, value_name = "PARTITION")]
    pub(crate) partition: Option<String>,

    #[command(flatten)]
    pub(crate) write: WriteArgs,

    /// How to read standard input and files without a telling name.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<Format>,
}

/// Draw a specification, a trace, an order of events, or a search.
///
/// What is drawn follows from the files: a sequence diagram of a specification, the lanes of a
/// multi-trace, the space-time diagram of a partial-order trace. --what asks for something else:
/// the term of an interaction as a tree, its automaton, the search of `otus explore` (a
/// specification alone) or of `otus analyze` (with a multi-trace; options from a .hcf).
///
/// Without -o, a drawing made of text is printed. Pictures need no other program and no installed
/// font, and are the same bytes on every machine.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus draw flow.mmd                                      on the terminal
  otus draw sig.hsf model.hif -o model.svg                a sequence diagram
  otus draw docs/checkout.md#login -o login.png --theme dark
  otus draw model.hsf --what term --positions -o term.svg    its operators as a tree
  otus draw model.hsf --what term --step 'subscriber!subscribe@11' -o step.svg  what a step does
  otus draw model.hsf --what automaton -o automaton.svg   its states and what leads from one to the next
  otus draw model.hsf run.htf -o run.svg                  what was observed, a lane per log
  otus draw run.pot.json --cut p=1,q=0 -o order.svg       events, messages, and a cut through them
  otus draw run.pot.json --what lattice -o lattice.svg    all cuts of it
  otus draw model.hsf --what search -o explored.svg       what it can do, step by step
  otus draw model.hsf run.htf conf.hcf --what search -o search.svg
  otus draw flow.mmd -o - > flow.svg                      SVG on standard output")]
#[expect(clippy::struct_excessive_bools, reason = "switches of a command")]
pub(crate) struct DrawArgs {
    /// A specification (its files together), a trace, options.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// Where to write it: .svg, .png or .txt, .dot for graphs; `-` is SVG on standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,

    /// What to draw.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) what: Option<What>,

    #[command(flatten)]
    pub(crate) picture: PictureArgs,

    /// Show the picture in the desktop's viewer.
    #[arg(long, requires = "output")]
    pub(crate) open: bool,

    /// Leave out lifelines that have no action.
    #[arg(long)]
    pub(crate) only_used: bool,

    /// In a term: number every node by its position.
    #[arg(long)]
    pub(crate) positions: bool,

    /// In a term: show what executing an action at a position does, as `a!m@121`.
    #[arg(long, value_name = "ACTION@POSITION")]
    pub(crate) step: Option<String>,

    /// In an order of events: draw a cut, by how many events of each process are before it, as
    /// `p=1,q=2`; several are a run of cuts.
    #[arg(long, value_name = "CUT")]
    pub(crate) cut: Vec<String>,

    /// Which automaton: as the rules give it, made deterministic, or made minimal.
    #[arg(long, value_enum, default_value_t = AutomatonKind::Minimal, value_name = "KIND")]
    pub(crate) automaton: AutomatonKind,

    /// How many states an automaton, or nodes a search, may have before parts are left out.
    #[arg(long, default_value_t = 200, value_name = "NUMBER")]
    pub(crate) max_nodes: usize,

    /// How wide a drawing made of text may be.
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) width: Option<usize>,

    /// Make drawings of text from ASCII characters.
    #[arg(long)]
    pub(crate) ascii: bool,

    /// How to read standard input and files without a telling name.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<Format>,
}

/// How pictures look.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct PictureArgs {
    /// Which colours a picture has; `auto` follows the viewer (SVG only).
    #[arg(long, value_enum, default_value_t = PictureTheme::Light, value_name = "THEME")]
    pub(crate) theme: PictureTheme,

    /// How many pixels a PNG has for each unit.
    #[arg(long, default_value_t = 2.0, value_name = "NUMBER")]
    pub(crate) scale: f64,

    /// A font file (.ttf, .otf) for characters that the font of Otus lacks, in PNG; may be
    /// repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) font: Vec<PathBuf>,
}

/// What to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// A sequence diagram of a specification.
    Sequence,
    /// The term of a specification as a tree.
    Term,
    /// A multi-trace, a lane per log.
    Trace,
    /// A partial-order trace, as a space-time diagram.
    Order,
    /// All cuts of a partial-order trace, and what leads from one to the next.
    Lattice,
    /// What `otus explore` or `otus analyze` looked at.
    Search,
    /// The automaton of a specification.
    Automaton,
}

/// Which colours a picture has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PictureTheme {
    /// Dark on white.
    Light,
    /// Light on black.
    Dark,
    /// As the viewer prefers.
    Auto,
}

impl PictureTheme {
    /// As the flag has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            PictureTheme::Light => "light",
            PictureTheme::Dark => "dark",
            PictureTheme::Auto => "auto",
        }
    }
}

/// Which automaton.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AutomatonKind {
    /// A state for each term that the rules lead to.
    Rules,
    /// At most one way to read each event.
    Deterministic,
    /// The smallest deterministic one.
    Minimal,
}

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

    /// The specification to compare with.
    #[arg(long, value_name = "FILE", num_args = 1..)]
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

/// Make random multi-traces that a specification accepts.
///
/// The same seed gives the same multi-traces. None is written twice.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus generate flow.mmd --count 100 --max-length 20         a line each
  otus generate sig.hsf model.hif --count 10 -o runs/        a file each
  otus generate flow.mmd --seed 7 --partition trivial        global traces")]
pub(crate) struct GenerateArgs {
    /// One specification (its files together).
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// How many.
    #[arg(long, default_value_t = 10, value_name = "NUMBER")]
    pub(crate) count: usize,

    /// How many events each may have.
    #[arg(long, default_value_t = 20, value_name = "NUMBER")]
    pub(crate) max_length: usize,

    /// Where randomness comes from.
    #[arg(long, default_value_t = 0, value_name = "NUMBER")]
    pub(crate) seed: u64,

    /// How lifelines share clocks in them: discrete, trivial, or {(l1,l2),(l3)}.
    #[arg(long, value_name = "PARTITION")]
    pub(crate) partition: Option<String>,

    #[command(flatten)]
    pub(crate) write: WriteArgs,

    /// How to read standard input and files without a telling name.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<Format>,
}

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

/// Make the tables and figures of the papers again.
///
/// Regenerates every table and figure of the papers behind Otus that can be: times of use cases by length, 3-SAT
/// as multi-traces, slices, nodes of searches, CTL over partial-order traces. The papers' own numbers
/// stand beside ours, for the fast engine and for the papers' algorithms as written, with a frank word
/// about what differs. --list says what there is, and what cannot be made again, and why.
///
/// Models and traces are built in or made from the seed; everything but the times is the same in every
/// run. Every verdict is compared with what it must be by construction, and the engines with each other; a
/// difference makes the exit status 1. --out writes each result as soon as it is there, so that Ctrl-C
/// keeps what is done: a CSV file for each table, an SVG file for each plot, and papers.md with all of it.
///
/// Without --quick the sets are as large as those of the papers, which takes up to an hour. docs/papers.md
/// has what was found.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus bench papers --list                              what there is, and what there is not
  otus bench papers --quick --only 004-nodes 003-fig11  some of it
  otus bench papers --quick --only 004 --format csv     for a program
  otus bench papers --quick --out FOLDER                all of it, in a few minutes

Exit status: 0 all verdicts are as they must be, 1 some are not, 2 unusable input or usage, 3 interrupted.")]
pub(crate) struct BenchArgs {
    /// What to run.
    #[arg(value_enum, value_name = "WHAT")]
    pub(crate) what: Bench,

    /// Smaller sets and less patience: minutes instead of an hour.
    #[arg(long)]
    pub(crate) quick: bool,

    /// A little of everything, for tests.
    #[arg(long, hide = true, conflicts_with = "quick")]
    pub(crate) tiny: bool,

    /// Write tables and plots into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,

    /// Only what has this name, or one that begins so: 003-fig11, 001-table, 000.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    pub(crate) only: Vec<String>,

    /// Say what there is, and run nothing.
    #[arg(long)]
    pub(crate) list: bool,

    /// Where all randomness comes from.
    #[arg(long, value_name = "N", default_value_t = 2023)]
    pub(crate) seed: u64,

    /// How results are printed.
    #[arg(long, value_enum, default_value_t = BenchFormat::Text, value_name = "FORMAT")]
    pub(crate) format: BenchFormat,

    /// Which colours plots have.
    #[arg(long, value_enum, default_value_t = PictureTheme::Auto, value_name = "THEME")]
    pub(crate) theme: PictureTheme,
}

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bench {
    /// The tables and figures of the papers.
    Papers,
}

/// How measurements are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchFormat {
    /// In columns.
    Text,
    /// As a page.
    Markdown,
    /// One value a line, with the names of its table, row and column; times in seconds.
    Csv,
    /// One document.
    Json,
}

/// Put specifications and traces in canonical form.
///
/// Rewrites .hsf, .hif, .hcf, .htf and .ctl files in place: spacing, line breaks and spelling become
/// uniform (`loop_seq` is written `loopW`), comments stay. With `-` it formats standard input to
/// standard output. Files with errors are left alone. Formatting twice changes nothing.
///
/// Diagrams are not reformatted: their notes and colours are yours. See `otus convert`.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus fmt model.hif trace.htf      rewrite two files
  otus fmt spec/                    and every such file in a folder
  otus fmt --check .                exit with 1 if a file would change
  otus fmt --diff model.hif         show what would change
  otus fmt - < model.hif            to standard output")]
pub(crate) struct FmtArgs {
    /// Files, folders, or `-`.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// Change nothing; exit with 1 if a file is not in canonical form.
    #[arg(long)]
    pub(crate) check: bool,

    /// Change nothing; show what would change.
    #[arg(long)]
    pub(crate) diff: bool,

    /// How to read standard input and files without a telling name.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<Format>,
}

/// Find mistakes in specifications and traces.
///
/// Reports everything that makes a text unusable (unknown names, unbalanced brackets, …) and what
/// is valid but probably not meant: declarations that are never used, alternatives that are equal,
/// loops that repeat nothing, messages that nobody receives, parts of a diagram that are only a
/// picture. Files of one specification are given together; traces are checked against them.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus lint sig.hsf model.hif                the two files of one specification
  otus lint sig.hsf model.hif run.htf        and a trace of it
  otus lint docs/protocol.md                 every sequence diagram of a document
  otus lint --format json flow.mmd           for scripts
  cat flow.mmd | otus lint -                 from standard input

Exit status: 0 nothing but notes, 1 warnings, 2 errors.")]
pub(crate) struct LintArgs {
    /// Specifications and traces.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// How to print what is found.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, value_name = "FORMAT")]
    pub(crate) format: ReportFormat,

    /// How to read standard input and files without a telling name.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<Format>,
}

/// Convert between spec formats, and between trace formats.
///
/// The last argument is the file to write; its ending says the format. With --to and without a
/// file to write, the result goes to standard output. Nothing is lost: converting back gives the
/// same interaction. What a diagram cannot show is written as an `otus:` comment in it.
///
/// A multi-trace becomes a partial-order trace (.pot.json) by its messages: a process per log, an
/// event per moment, and the orders between them that are certain.
///
/// From a diagram to model.hif, the signature is written to model.hsf beside it. Writing a .hsf
/// gives the single-file form of 2020.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus convert sig.hsf model.hif model.mmd        to Mermaid
  otus convert docs/protocol.md#login login.hif   a diagram to an interaction and its signature
  otus convert flow.puml --to mermaid             to standard output
  otus convert sig.hsf model.hif all.hsf          the single file of 2020
  otus convert run1.htf run2.htf cases.jsonl      multi-traces to a case file
  otus convert cases.jsonl runs/                  and back, a file per case
  otus convert run1.htf run1.pot.json             its messages as an order, for `otus ctl`")]
pub(crate) struct ConvertArgs {
    /// The files to read and, unless --to or --output says so, the one to write.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// What to write.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: Option<Format>,

    /// Where to write it; then all other files are read.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,

    /// How to read standard input and files without a telling name.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<Format>,

    /// Overwrite files that exist.
    #[arg(long)]
    pub(crate) force: bool,
}

/// Make partial observations of multi-traces.
///
/// A slice keeps a contiguous part of every log, perhaps all of it, perhaps nothing: what is seen
/// when observation starts late and stops early. Slices are chosen at random, or all of them are
/// made; none is made twice. Simultaneous actions (`{a!m, b?m}`) stay together, and a log is as
/// long as it has moments.
///
/// The result is a case file, a line per slice, that says which run it is from (`origin`) and what
/// is kept of each log (`change`, and `kept`: first and last place, from 1). Other keys of a case,
/// such as the verdict that is expected, are not carried over: they are about the original.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus slice run.htf                              ten random slices to standard output
  otus slice run.htf --count 3 --seed 7           three others, the same every time
  otus slice run.htf --all -o slices.jsonl        all of them to a case file
  otus slice run.htf --all -o slices/             or to a folder, a file each
  otus slice runs/ --wide --count 5               with at least a third of each log kept
  otus slice runs.jsonl --wide=50%                or half of it
  otus slice run.htf --spec sig.hsf model.hif     names are checked, missing logs are empty

Exit status: 0 done, 1 nothing to make, 2 unusable input or usage.")]
pub(crate) struct SliceArgs {
    #[command(flatten)]
    pub(crate) derive: DeriveArgs,

    /// How many slices of each multi-trace.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, conflicts_with = "all")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: u64,

    /// All slices of each multi-trace, in order: the last log varies fastest; in a log, nothing
    /// first, then parts by where they end and how long they are.
    #[arg(long)]
    pub(crate) all: bool,

    /// Keep at least this share of every log: 1/3 unless given, as --wide=1/2, 0.5 or 50%.
    #[arg(long, value_name = "SHARE", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "1/3")]
    pub(crate) wide: Option<Share>,
}

/// Make mutants of multi-traces
///
/// A mutant is a multi-trace with one change, to see whether a specification still rejects it:
///
///   noise            an action of the signature is inserted somewhere in its log
///   swap-actions     two actions of a log change places
///   swap-components  some logs are taken from another of the multi-traces given
///   remove           an action is dropped
///   duplicate        an action happens once more, right after itself
///   prefix           each log is cut at its end; not by default, since a prefix is no fault
///
/// Mutants are chosen at random; none is made twice, and none is like its original. Simultaneous
/// actions (`{a!m, b?m}`) stay together. All multi-traces given are of one model; without a
/// specification, its signature is the names in them.
///
/// The result is a case file, a line per mutant, that says what it is from (`origin`) and what was
/// done (`kind`, `change`, `components`, and `place`, from 1). Other keys of a case, such as the
/// verdict that is expected, are not carried over: they are about the original.
///
/// With --score, mutants of the multi-traces that the specification accepts are checked against it:
/// those that fail are caught, the others survive. A specification that catches few allows almost
/// anything. Mutants that are like another accepted original, or that are a part of their original
/// which the question takes for one whose end or beginning is missing, do not count.
#[derive(Debug, Parser)]
#[command(
    verbatim_doc_comment,
    after_long_help = "\
Examples:
  otus mutate run.htf                             one mutant of each kind
  otus mutate run.htf --kind noise --count 5      five with an action inserted
  otus mutate run.htf --kind noise --spec sig.hsf  of this signature
  otus mutate runs/ --kind swap-components        mixtures of the runs
  otus mutate runs/ --kind remove,duplicate --seed 3 -o mutants.jsonl
  otus mutate run.htf --kind prefix -n 5 -o prefixes/
  otus mutate --score model.hsf runs/ --observed complete   does the specification notice?
  otus mutate --score flow.mmd logs/ --min-score 80         raw logs; for CI
  otus mutate --score model.hsf runs/ -o survivors.jsonl --force   and what it does not notice

Exit status: 0 done, 1 nothing to make or a score below --min-score, 2 unusable input or usage."
)]
pub(crate) struct MutateArgs {
    #[command(flatten)]
    pub(crate) derive: DeriveArgs,

    /// Which mutants; several as `noise,remove` or by repeating the option.
    #[arg(long, value_enum, value_name = "KIND", value_delimiter = ',')]
    pub(crate) kind: Vec<MutantKind>,

    /// How many mutants of each multi-trace and kind [default: 1; 10 with --score].
    #[arg(short = 'n', long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: Option<u64>,

    #[command(flatten)]
    pub(crate) score: ScoreArgs,
}

/// How many mutants a specification rejects.
#[derive(Debug, clap::Args)]
pub(crate) struct ScoreArgs {
    /// Check mutants instead of writing them: how many does the specification catch? Takes files as
    /// `otus analyze` does; with -o, those that survive are written.
    #[arg(long)]
    pub(crate) score: bool,

    /// Which question is asked about mutants, by what may be missing.
    #[arg(long, value_enum, value_name = "WHAT", requires = "score")]
    pub(crate) observed: Option<Observed>,

    /// Fail if less than this share of the mutants is caught.
    #[arg(long, value_name = "PERCENT", requires = "score")]
    #[arg(value_parser = percent)]
    pub(crate) min_score: Option<f64>,

    /// How to print the score.
    #[arg(long, value_enum, default_value_t = ScoreFormat::Text, value_name = "FORMAT")]
    #[arg(requires = "score")]
    pub(crate) format: ScoreFormat,

    /// How raw logs are read [default: the otus.toml in their folder or above].
    #[arg(long, value_name = "FILE", requires = "score")]
    pub(crate) config: Option<String>,

    /// Only the group of raw logs with this key.
    #[arg(long, value_name = "KEY", requires = "score")]
    pub(crate) group: Option<String>,

    /// How many mutants are checked at the same time [default: 0, as many as there are cores].
    #[arg(long, value_name = "NUMBER", requires = "score")]
    pub(crate) jobs: Option<usize>,
}

/// How a score is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScoreFormat {
    /// For people.
    Text,
    /// One JSON document.
    Json,
}

/// What `slice` and `mutate` have in common.
#[derive(Debug, clap::Args)]
pub(crate) struct DeriveArgs {
    /// Multi-traces: .htf and .jsonl files, folders of them, or `-`.
    #[arg(value_name = "TRACE")]
    pub(crate) files: Vec<String>,

    /// The specification they are about.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) spec: Vec<String>,

    /// Fixes every random choice, together with the id of the multi-trace.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Write each multi-trace once, even if it can be made in several ways.
    #[arg(long)]
    pub(crate) unique: bool,

    #[command(flatten)]
    pub(crate) write: WriteArgs,
}

/// What a mutant has of its original.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum MutantKind {
    /// An action of the signature is inserted.
    Noise,
    /// Two actions of a log change places.
    SwapActions,
    /// Some logs are taken from another multi-trace.
    SwapComponents,
    /// An action is dropped.
    Remove,
    /// An action happens once more.
    Duplicate,
    /// Each log is cut at its end.
    Prefix,
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
///   observed = "prefix"           # as --observed; or kind = "eliminate"; default: [observation]
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
    #[arg(long, value_name = "SECONDS")]
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

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// With the lines they are about.
    Text,
    /// One line each: `file:line:column: error[O0301]: …`.
    Short,
    /// One JSON document.
    Json,
}

/// The formats of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Signature, or everything in one file as in 2020.
    Hsf,
    /// Interaction.
    Hif,
    /// Options.
    Hcf,
    /// Mermaid sequence diagram.
    Mermaid,
    /// PlantUML sequence diagram.
    Plantuml,
    /// Markdown with diagrams in it.
    Markdown,
    /// Multi-trace.
    Htf,
    /// Multi-traces, one JSON object a line.
    Jsonl,
    /// Partial-order trace (.pot.json).
    Pot,
    /// Formulas.
    Ctl,
}
