//! `otus slice` and `otus mutate`: other multi-traces made of some.

use clap::{Parser, ValueEnum};
use otus::derive::Share;

use super::outputs::percent;
use super::{Observed, WriteArgs};

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
    #[arg(long, value_enum, value_name = "KIND", value_delimiter = ',', ignore_case = true)]
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
    #[arg(long, value_enum, value_name = "WHAT", requires = "score", ignore_case = true)]
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

impl DeriveArgs {
    /// The originals.
    pub(crate) fn from(&self) -> otus::derive::From {
        otus::derive::From::new(self.spec.clone(), self.files.clone(), self.seed)
    }
}

impl MutateArgs {
    /// The kinds that are asked for.
    pub(crate) fn kinds(&self) -> Vec<otus::derive::MutantKind> {
        self.kind.iter().map(|&kind| kind.into()).collect()
    }
}

impl From<MutantKind> for otus::derive::MutantKind {
    fn from(kind: MutantKind) -> Self {
        match kind {
            MutantKind::Noise => Self::Noise,
            MutantKind::SwapActions => Self::SwapActions,
            MutantKind::SwapComponents => Self::SwapComponents,
            MutantKind::Remove => Self::Remove,
            MutantKind::Duplicate => Self::Duplicate,
            MutantKind::Prefix => Self::Prefix,
        }
    }
}
