//! The arguments of `otus slice` and `otus mutate`, which derive multi-traces from others.

use clap::Parser;
use otus::derive::{MutantKind, Share};
use otus::{TextFormat, UniformObservation};

use super::analyze::OBSERVED;
use super::outputs::{TEXT_OR_JSON, percent};
use super::{Choice, WriteArgs, one_of};

/// Cut multi-traces to slices, which keep one contiguous part of each log.
///
/// A multi-trace has one log per lifeline, or per group of lifelines that share a clock. A slice keeps
/// one contiguous part of each log, from nothing to all of it, as if observation had started late and
/// stopped early. By default, --count random slices are made; --all makes every slice. No slice is
/// made twice. Actions that were observed at the same time, written `{a!m, b?m}`, stay together and
/// count as one moment; the length of a log is its number of moments.
///
/// The result is a case file (.jsonl, one multi-trace per line) with one line per slice. A line names
/// the original (`origin`) and the part kept of each log (`change`, and `kept`: first and last place,
/// from 1). Other keys of the original, such as the expected verdict, are not copied, because they
/// need not hold for a slice.
#[derive(Debug, Parser)]
#[command(mut_arg("unique", |unique| {
    unique.help("Write equal slices only once. Different originals can have the same slice")
}))]
#[command(after_long_help = "\
Examples:
  otus slice run.htf                              write ten random slices to standard output
  otus slice run.htf --count 3 --seed 7           three slices with another seed
  otus slice run.htf --all -o slices.jsonl        write all slices to a case file
  otus slice run.htf --all -o slices/             or to a folder, one file per slice
  otus slice runs/ --wide --count 5               keep at least a third of each log
  otus slice runs.jsonl --wide=50%                or half of it
  otus slice run.htf --spec sig.hsf model.hif     check names; missing logs are empty

Exit status: 0 done, 1 no slice could be made, 2 invalid input or command line.")]
pub(crate) struct SliceArgs {
    #[command(flatten)]
    pub(crate) derive: DeriveArgs,

    /// The number of random slices of each multi-trace.
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10, conflicts_with = "all")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: u64,

    /// Make all slices of each multi-trace, each once.
    ///
    /// From one slice to the next, the last log changes first. Within a log, the empty part comes
    /// first; the others are ordered by their end, then by their length. Otus also prints how many
    /// slices there are if equal slices at different places of a log count separately, as in Mahe et
    /// al., "Tooling offline runtime verification" (docs/papers.md).
    #[arg(long)]
    pub(crate) all: bool,

    /// Keep at least this share of every log, for example --wide=1/2, 0.5 or 50%; `--wide` alone
    /// means 1/3.
    #[arg(long, value_name = "SHARE", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "1/3")]
    pub(crate) wide: Option<Share>,
}

/// Make mutants of multi-traces
///
/// A multi-trace has one log per lifeline, or per group of lifelines that share a clock. A mutant is a
/// multi-trace with one change, which a good specification rejects. The kinds are:
///
///   noise            an action of the signature is inserted at a random place in its log
///   swap-actions     two actions of a log change places
///   swap-components  some logs are replaced by those of another given multi-trace
///   remove           an action is removed
///   duplicate        an action is repeated directly after itself
///   wrong-value      an event carries another value of a field: that of another event, or a new one
///   swap-values      two events of a log exchange the values of a field
///   wrong-kind       a value is of another kind: "7" instead of 7
///   late             an event and all later ones of its log come after a long pause
///   early            an event and all later ones of its log come without a pause
///   drop-value       a value or a time is not logged; only on request, because that is no fault
///   prefix           each log is cut at its end; only on request, because a prefix is no fault
///
/// Kinds about values and times are made of events that carry some. With a specification, only values
/// count that its guards compare, and a pause is twice as long as its longest bound; otherwise all
/// values count, and a pause is an hour.
///
/// Mutants are chosen at random; none is made twice, and none equals its original. Actions that were
/// observed at the same time, written `{a!m, b?m}`, stay together. All given multi-traces belong to
/// one model; without a specification, its signature (the names of lifelines and messages) consists
/// of the names in them.
///
/// The result is a case file (.jsonl, one multi-trace per line) with one line per mutant. A line names
/// the original (`origin`) and the change (`kind`, `change`, `components`: the changed logs, and
/// `place`, from 1). Other keys of the original, such as the expected verdict, are not copied, because
/// they need not hold for a mutant.
///
/// With --score, Otus makes mutants of the multi-traces that the specification accepts, and checks
/// them against it: a mutant that fails is caught, any other survives. A specification that catches
/// few mutants is too permissive. Two kinds of mutants do not count: those that equal another accepted
/// original, and those that are accepted as a partial observation of their original (--observed), or
/// weakly because a value was dropped.
#[derive(Debug, Parser)]
#[command(
    verbatim_doc_comment,
    after_long_help = "\
Examples:
  otus mutate run.htf                             make one mutant of each kind
  otus mutate run.htf --kind noise --count 5      five mutants with an inserted action
  otus mutate run.htf --kind noise --spec sig.hsf  with actions of this signature
  otus mutate runs/ --kind swap-components        mix the logs of several runs
  otus mutate runs/ --kind remove,duplicate --seed 3 -o mutants.jsonl
  otus mutate run.htf --kind prefix -n 5 -o prefixes/
  otus mutate run.htf --kind wrong-value,late     events with another id, and too late
  otus mutate --score model.hsf runs/ --observed complete   how many mutants are caught?
  otus mutate --score flow.mmd logs/ --min-score 80         fail below 80%, for CI
  otus mutate --score model.hsf runs/ -o survivors.jsonl --force   write the survivors

Exit status: 0 done, 1 no mutant could be made or the score is below --min-score, 2 invalid input
or command line."
)]
pub(crate) struct MutateArgs {
    #[command(flatten)]
    pub(crate) derive: DeriveArgs,

    /// The kinds of mutants: with an action inserted (noise), two actions of a log swapped
    /// (swap-actions), logs of another run (swap-components), an action removed (remove) or
    /// repeated (duplicate), a value that is wrong (wrong-value, wrong-kind), exchanged
    /// (swap-values) or not logged (drop-value), events that come late or early, or logs cut at
    /// their end (prefix); for example `noise,remove`; may be repeated [default: all except
    /// drop-value and prefix].
    #[arg(long, value_name = "KIND", value_delimiter = ',', ignore_case = true)]
    #[arg(value_parser = one_of(MUTANTS))]
    pub(crate) kind: Vec<MutantKind>,

    /// The number of mutants of each multi-trace and kind [default: 1; 10 with --score].
    #[arg(short = 'n', long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: Option<u64>,

    #[command(flatten)]
    pub(crate) score: ScoreArgs,
}

/// The options of `otus mutate --score`.
#[derive(Debug, clap::Args)]
pub(crate) struct ScoreArgs {
    /// Check the mutants instead of writing them, and report how many the specification catches. The
    /// arguments are then those of `otus analyze`: a specification, and multi-traces or logs. With -o,
    /// the survivors are written.
    #[arg(long)]
    pub(crate) score: bool,

    /// The parts that may be missing from the logs: nothing (complete), the end of the whole
    /// execution (global-prefix), the end of each log (prefix), or the beginning and the end of
    /// each log (slice); the default is that of `otus analyze`.
    #[arg(long, value_name = "WHAT", requires = "score", ignore_case = true)]
    #[arg(value_parser = one_of(OBSERVED))]
    pub(crate) observed: Option<UniformObservation>,

    /// Fail if fewer than PERCENT of the mutants are caught.
    #[arg(long, value_name = "PERCENT", requires = "score")]
    #[arg(value_parser = percent)]
    pub(crate) min_score: Option<f64>,

    /// The output format.
    #[arg(long, value_name = "FORMAT", default_value = "text", requires = "score")]
    #[arg(value_parser = one_of(TEXT_OR_JSON))]
    pub(crate) format: TextFormat,

    /// The mapping file, which says how lines of raw logs become actions [default: otus.toml in the
    /// folder of the logs or a parent folder].
    #[arg(long, value_name = "FILE", requires = "score")]
    pub(crate) config: Option<String>,

    /// Read only one group of the raw logs: the run of the system with this key.
    #[arg(long, value_name = "KEY", requires = "score")]
    pub(crate) group: Option<String>,

    /// The number of mutants to check in parallel; 0 means one per core [default: 0].
    #[arg(long, value_name = "NUMBER", requires = "score")]
    pub(crate) jobs: Option<usize>,
}

/// The arguments that `slice` and `mutate` share.
#[derive(Debug, clap::Args)]
pub(crate) struct DeriveArgs {
    /// Multi-traces (observed runs): .htf and .jsonl files, folders of them, or `-` for standard
    /// input.
    #[arg(value_name = "TRACE")]
    pub(crate) files: Vec<String>,

    /// The specification of the multi-traces. Otus checks their names against it, and adds an empty
    /// log for each lifeline that has none.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) spec: Vec<String>,

    /// The seed of random choices. It is combined with the id of each multi-trace, so that the
    /// choices for one do not depend on the others.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Write equal mutants only once. Different originals or different changes can give the same
    /// mutant.
    #[arg(long)]
    pub(crate) unique: bool,

    #[command(flatten)]
    pub(crate) write: WriteArgs,
}

impl DeriveArgs {
    /// The originals.
    pub(crate) fn from(&self) -> otus::derive::From {
        let (spec, files, seed) = (self.spec.clone(), self.files.clone(), self.seed);
        otus::derive::From { spec, files, seed }
    }
}

const MUTANTS: &[Choice<MutantKind>] = &[
    (MutantKind::Noise, "noise", "An action of the signature is inserted"),
    (MutantKind::SwapActions, "swap-actions", "Two actions of a log change places"),
    (
        MutantKind::SwapComponents,
        "swap-components",
        "Some logs are replaced by those of another multi-trace",
    ),
    (MutantKind::Remove, "remove", "An action is removed"),
    (MutantKind::Duplicate, "duplicate", "An action is repeated"),
    (MutantKind::WrongValue, "wrong-value", "An event carries another value of a field"),
    (MutantKind::SwapValues, "swap-values", "Two events of a log exchange the values of a field"),
    (MutantKind::WrongKind, "wrong-kind", "A value is of another kind"),
    (MutantKind::Late, "late", "An event and all later ones of its log come late"),
    (MutantKind::Early, "early", "An event and all later ones of its log come early"),
    (MutantKind::DropValue, "drop-value", "A value or a time is not logged"),
    (MutantKind::Prefix, "prefix", "Each log is cut at its end"),
];
