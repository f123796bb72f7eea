//! The arguments of `otus project` and `otus remove`.

use clap::Parser;
use otus::Format;

use super::common::FORMATS;
use super::{PictureArgs, listing, one_of};

/// Keep only some lifelines of a specification or of multi-traces, or split logs.
///
/// With --onto, everything on other lifelines is removed, as by `otus remove`. For every run that the
/// specification accepts, its projection accepts the part of the run on the kept lifelines. It may
/// accept more, because the order that the other lifelines impose is lost (docs/errata.md).
///
/// With --partition, the logs of multi-traces are split: lifelines that are in different parts of the
/// partition get different logs, and the order between these logs is forgotten. So a global trace
/// becomes a multi-trace. A partition cannot join logs, because their order is unknown.
///
/// If multi-traces are given, they are projected; a specification beside them checks their names and
/// adds an empty log for each lifeline that has none. Otherwise the specification is projected.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus project model.hsf --onto broker                 print what the broker does
  otus project model.hsf --onto 'sub*,broker' -o part.mmd   write it as Mermaid
  otus project model.hsf --onto broker -o part.svg     draw it
  otus project run.htf --onto broker                   print the log of the broker
  otus project run.htf --partition discrete            a log of its own for every lifeline
  otus project runs.jsonl --partition discrete -o split.jsonl   many multi-traces

Exit status: 0 done, 2 invalid input or command line.")]
pub(crate) struct ProjectArgs {
    #[command(flatten)]
    pub(crate) files: RestrictArgs,

    /// The lifelines to keep, by name or pattern (`sub*`); may be repeated.
    #[arg(long, value_name = "LIFELINES", value_delimiter = ',')]
    #[arg(required_unless_present = "partition", conflicts_with = "partition")]
    pub(crate) onto: Vec<String>,

    /// Split the logs of multi-traces. Which lifelines share a log: `discrete` (each has its own), or a
    /// grouping such as {(l1,l2),(l3)}; a lifeline in no group gets a log of its own.
    #[arg(long, value_name = "PARTITION")]
    pub(crate) partition: Option<String>,
}

/// Remove lifelines from a specification or from multi-traces.
///
/// All events on these lifelines are removed, and so are their names in the signature. If a message
/// goes between a removed lifeline and another one, the event on the other lifeline stays. This is the
/// operation of Mahe et al., "Dealing with observability" (docs/papers.md), by which Otus ignores
/// parts of a system that were not observed. Parts that become empty are dropped.
///
/// The resulting specification accepts every run that the original accepts, without the events on the
/// removed lifelines. It may accept more runs, because the order that the removed lifelines impose on
/// the others is lost (docs/errata.md).
///
/// If multi-traces are given, lifelines are removed from them; a specification beside them checks
/// their names and adds an empty log for each lifeline that has none. Otherwise they are removed from
/// the specification.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus remove model.hsf --lifelines subscriber           print the rest
  otus remove model.hsf --lifelines 'sub*' -o rest.hif   write it, and its signature to rest.hsf
  otus remove model.hsf --lifelines subscriber -o rest.png   draw it
  otus remove run.htf --lifelines subscriber -o rest.htf     the same for a multi-trace

Exit status: 0 done, 2 invalid input or command line.")]
pub(crate) struct RemoveArgs {
    #[command(flatten)]
    pub(crate) files: RestrictArgs,

    /// The lifelines to remove, by name or pattern (`sub*`); may be repeated.
    #[arg(long, value_name = "LIFELINES", value_delimiter = ',', required = true)]
    pub(crate) lifelines: Vec<String>,
}

/// The arguments that `project` and `remove` share.
#[derive(Debug, clap::Args)]
pub(crate) struct RestrictArgs {
    /// A specification (all its files), or multi-traces (.htf and .jsonl), optionally with their
    /// specification. Otus then checks their names against it, and adds an empty log for each lifeline
    /// that has none.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// The format to write [default: from the extension of OUT; without OUT: .hif for a specification,
    /// .htf for one multi-trace, .jsonl for several].
    #[arg(long, value_name = "FORMAT", value_parser = listing(FORMATS, is_written))]
    pub(crate) to: Option<Format>,

    /// The file to write: .hif, .hsf, .mmd, .puml, .htf, .jsonl, a picture (.svg, .png), or a folder
    /// (`out/`) for multi-traces [default: standard output].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<String>,

    /// Overwrite files that exist.
    #[arg(long)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) picture: PictureArgs,

    /// The format of standard input, and of files whose extension does not show it.
    #[arg(long, value_name = "FORMAT", value_parser = one_of(FORMATS))]
    pub(crate) from: Option<Format>,
}

/// Whether specifications or multi-traces are written in a format.
fn is_written(format: Format) -> bool {
    matches!(
        format,
        Format::Hif
            | Format::Hsf
            | Format::Mermaid
            | Format::Plantuml
            | Format::Htf
            | Format::Jsonl
    )
}
