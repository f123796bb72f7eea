//! The request: the input of an analysis.

use std::path::PathBuf;
use std::time::Duration;

use crate::format::Format;
use crate::summary::FailOn;
use crate::table::TableColumns;

/// The inputs, the question, the engine and the limits of an analysis.
///
/// If `allow_empty`, `ignore_unknown_messages`, `ignore_order` or `ignore_peers` is `None`, its value is that in
/// `[observation]` of `otus.toml`, or else `false`.
///
/// ```
/// use otus::{Context, Request, Texts, Verdict};
///
/// let files = Texts::default()
///     .with("flow.mmd", "sequenceDiagram\n  a->>b: ping\n  b-->>a: pong\n")
///     .with("run.htf", "{[a] a!ping.a?pong; [b] b?ping.b!pong}");
/// let context = Context::default().with_files(files);
/// let request = Request::new(["flow.mmd", "run.htf"]);
/// let cases: Vec<_> = otus::analyze(&context, &request)?.cases().collect::<Result<_, _>>()?;
/// assert_eq!(cases[0].verdict, Verdict::Pass);
/// # Ok::<(), otus::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct Request {
    /// The names of specifications, multi-traces, logs and folders, in any order. If they include no specification or
    /// no logs, those of the nearest `otus.toml` are used.
    pub names: Vec<String>,
    /// The format of texts whose names do not show it.
    pub from: Option<Format>,
    /// The `otus.toml`. Without it, the nearest one in the folder of the logs or above is used.
    pub config: Option<PathBuf>,
    /// The only group of raw logs to check.
    pub group: Option<String>,
    /// The names of the columns in tables.
    pub columns: TableColumns,
    /// A case file in memory, to be checked instead of the named multi-traces and logs.
    pub cases: Option<Vec<u8>>,
    /// Whether warnings about the specification were reported before.
    pub is_spec_known: bool,
    /// The parts of the logs that may be missing.
    pub question: Asked,
    /// Whether a group of raw logs without an event of the specification is checked like any other group, instead of
    /// being undecided.
    pub allow_empty: Option<bool>,
    /// Whether events of raw logs are left out if the specification does not have their messages.
    pub ignore_unknown_messages: Option<bool>,
    /// Whether the order that was observed between logs (by ids, spans, vector clocks) is ignored.
    pub ignore_order: Option<bool>,
    /// Whether the peers that logs name are ignored instead of compared with the specification.
    pub ignore_peers: Option<bool>,
    /// The engine.
    pub engine: EngineChoice,
    /// The options of the papers' searches.
    pub search: SearchOptions,
    /// The limits for one multi-trace.
    pub limits: Limits,
    /// The number of threads; by default that of the processors.
    pub threads: Option<usize>,
    /// How much to explain about failures.
    pub explain: Explain,
    /// The verdicts that get a witness.
    pub witness: WitnessPolicy,
    /// Whether cases have the data for the pictures of a report.
    pub pictures: bool,
    /// Whether only verdicts are needed, as in bulk runs. Cases then do not say how far failures could be explained.
    pub is_brief: bool,
    /// The graph of the search, if requested.
    pub graph: Option<super::attach::GraphOptions>,
    /// The look of the picture that a `graphic` logger asks for.
    pub logger_style: Option<crate::PictureStyle>,
    /// The certificate of a failure, if requested.
    pub certificate: Option<TextFormat>,
    /// Whether to return the execution that explains a Pass as a partial order.
    pub order: bool,
    /// The verdicts that count as failures.
    pub fail_on: Option<FailOn>,
    /// The file of known failures.
    pub baseline: Option<PathBuf>,
    /// The baseline that the failures of this run will be written to.
    pub write_baseline: Option<PathBuf>,
    /// The file with results of earlier runs. Multi-traces that it decides are not checked again.
    pub results: Option<PathBuf>,
    /// Whether to compute the coverage of the specification.
    pub coverage: bool,
}

impl Request {
    /// A request to check these names with the default options.
    pub fn new<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Request {
        Request { names: names.into_iter().map(Into::into).collect(), ..Request::default() }
    }
}

/// The parts of the logs that may be missing.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// A kind of analysis of the papers with its options, as `simulate[before = true]`. It cannot
    /// be combined with `observed`.
    pub kind: Option<String>,
    /// The observed part of every log.
    pub observed: Option<UniformObservation>,
    /// Lifelines whose logs are complete. In names, `*` matches any text.
    pub complete: Vec<String>,
    /// Lifelines whose logs may stop early.
    pub may_stop_early: Vec<String>,
    /// Lifelines whose logs may start late.
    pub may_start_late: Vec<String>,
    /// Lifelines that are not observed.
    pub unobserved: Vec<String>,
}

/// The observed part of every log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UniformObservation {
    /// Everything.
    Complete,
    /// Everything until a moment at which all logs stopped at the same time.
    GlobalPrefix,
    /// A prefix of each log.
    Prefix,
    /// A contiguous part of each log.
    Slice,
}

impl UniformObservation {
    /// All variants.
    pub const ALL: [UniformObservation; 4] = [
        UniformObservation::Complete,
        UniformObservation::GlobalPrefix,
        UniformObservation::Prefix,
        UniformObservation::Slice,
    ];

    /// The name, as in `--observed`.
    pub fn name(self) -> &'static str {
        match self {
            UniformObservation::Complete => "complete",
            UniformObservation::GlobalPrefix => "global-prefix",
            UniformObservation::Prefix => "prefix",
            UniformObservation::Slice => "slice",
        }
    }

    /// The kind of analysis with this question, in the words of the papers.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            UniformObservation::Complete => "accept",
            UniformObservation::GlobalPrefix => "prefix",
            UniformObservation::Prefix => "eliminate",
            UniformObservation::Slice => "simulate",
        }
    }
}

/// The engine that answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum EngineChoice {
    /// The fast engine, unless the request needs a feature that only a search has.
    #[default]
    Auto,
    /// The fast, exact engine.
    Fast,
    /// The searches of the papers.
    Graph,
}

/// The options of the papers' searches, written as in a `.hcf`.
#[derive(Debug, Clone, Default)]
pub struct SearchOptions {
    /// The order in which nodes are explored: `DFS`, `BFS` or `HCS`.
    pub strategy: Option<String>,
    /// The kinds of steps that are tried before or after their siblings: `[reception = 1, loop =
    /// -1]`.
    pub priorities: Option<String>,
    /// The bounds: `[max_depth = 20]`.
    pub filters: Option<String>,
    /// The verdict that stops the search.
    pub goal: Option<String>,
    /// Whether each component is checked alone first.
    pub local_analysis: Option<String>,
    /// Whether nodes that were explored before are skipped.
    pub memoize: bool,
    /// Whether only one of several equivalent orders of steps is explored.
    pub partial_order_reduction: bool,
    /// Whether a prefix gets the verdicts of 2020.
    pub legacy_verdicts: bool,
    /// The seed of random orders.
    pub seed: u64,
}

/// The limits for one multi-trace. If one is reached, the verdict is Inconclusive.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// The maximum time.
    pub timeout: Option<Duration>,
    /// The maximum number of states of the fast engine, or of nodes of a search.
    pub max_states: Option<u64>,
    /// The maximum number of bytes of the tables.
    pub max_bytes: Option<u64>,
}

/// How much to explain about failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Explain {
    /// Nothing.
    None,
    /// The first failures, within small limits.
    #[default]
    Short,
    /// So many failures, the first ones, within small limits.
    First(usize),
    /// All failures, in full detail.
    Full,
}

impl Explain {
    /// The maximum number of failures that are explained.
    pub(crate) fn limit(self) -> Option<usize> {
        match self {
            Explain::None => Some(0),
            Explain::Short => Some(20),
            Explain::First(most) => Some(most),
            Explain::Full => None,
        }
    }

    /// The maximum number of questions of one explanation, and its time limit. Usually the limit on questions is
    /// reached first, so the result does not depend on the speed of the machine. The time limit is for interactions
    /// for which a single question takes long. An explanation may also use a quarter of the memory that the search
    /// may use.
    pub(crate) fn budget(self) -> (u64, Duration) {
        match self {
            Explain::None | Explain::Short | Explain::First(_) => (20_000, Duration::from_secs(5)),
            Explain::Full => (100_000, Duration::from_mins(5)),
        }
    }
}

/// The verdicts that get a witness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum WitnessPolicy {
    /// None.
    None,
    /// `WeakPass` only, to list the events that it assumes, if a witness is cheap.
    Weak,
    /// Pass and `WeakPass`, if a witness is cheap.
    #[default]
    Cheap,
    /// Pass and `WeakPass`, at any cost.
    Always,
}

impl WitnessPolicy {
    /// The maximum number of moments of multi-traces that get a witness.
    pub(crate) fn max_moments(self) -> usize {
        match self {
            WitnessPolicy::None => 0,
            WitnessPolicy::Weak | WitnessPolicy::Cheap => 10_000,
            WitnessPolicy::Always => usize::MAX,
        }
    }
}

/// The format of a text: for people or for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextFormat {
    /// Text for people.
    Text,
    /// JSON.
    Json,
}
