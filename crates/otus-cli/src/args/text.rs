//! The arguments of `otus fmt`, `otus lint` and `otus convert`.

use clap::Parser;
use otus::Format;

use super::common::FORMATS;
use super::{LintFormat, listing, one_of};

/// Put specifications and traces in canonical form.
///
/// Otus rewrites .hsf, .hif, .hcf, .htf and .ctl files in place: spacing, line breaks and spelling
/// become uniform (`loop_seq` is written `loopW`); comments are kept. `-` formats standard input and
/// prints it to standard output. Files with errors are not changed. Formatting twice changes nothing.
///
/// Diagrams are not reformatted, so their notes and colours stay as they are.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus fmt model.hif trace.htf      rewrite two files
  otus fmt spec/                    rewrite all files of these formats in a folder
  otus fmt --check .                fail if a file would change
  otus fmt --diff model.hif         show the changes
  otus fmt - < model.hif            print to standard output

Exit status: 0 done, 1 with --check if a file would change, 2 invalid input or command line.")]
pub(crate) struct FmtArgs {
    /// Files, folders, or `-` for standard input.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// Change nothing; make the exit status 1 if a file is not in canonical form.
    #[arg(long)]
    pub(crate) check: bool,

    /// Change nothing; show the changes.
    #[arg(long)]
    pub(crate) diff: bool,

    /// The format of standard input, and of files whose extension does not show it.
    #[arg(long, value_name = "FORMAT", value_parser = one_of(FORMATS))]
    pub(crate) from: Option<Format>,
}

/// Find mistakes in specifications and traces.
///
/// Otus reports errors (unknown names, unbalanced brackets, …) and valid text that is probably wrong:
/// unused declarations, equal alternatives, loops that repeat nothing, messages that are never
/// received, parts of a diagram that Otus ignores. Give all files of one specification together;
/// traces are checked against them.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus lint sig.hsf model.hif                both files of one specification
  otus lint sig.hsf model.hif run.htf        and a trace
  otus lint docs/protocol.md                 all sequence diagrams of a document
  otus lint --format json flow.mmd           for scripts
  cat flow.mmd | otus lint -                 from standard input

Exit status: 0 no warnings and no errors, 1 warnings, 2 errors, or an invalid command line.")]
pub(crate) struct LintArgs {
    /// Specifications and traces.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// The output format: with the source lines (text), one line per finding (short), or one JSON
    /// document (json).
    #[arg(long, value_enum, default_value_t = LintFormat::Text, value_name = "FORMAT")]
    pub(crate) format: LintFormat,

    /// The format of standard input, and of files whose extension does not show it.
    #[arg(long, value_name = "FORMAT", value_parser = one_of(FORMATS))]
    pub(crate) from: Option<Format>,
}

/// Convert between spec formats, and between trace formats.
///
/// Without --to and -o, the last argument is the file to write, and its extension gives the format.
/// With --to and without -o, the result is printed. Parts of an interaction that a diagram cannot show
/// are written into the diagram as `otus:` comments, so converting back gives the same interaction.
///
/// A multi-trace (one log per lifeline, or per group of lifelines that share a clock) becomes a
/// partial-order trace (.pot.json) with one process per log, one event per moment (actions observed at
/// the same time), and the order that its messages make certain.
///
/// Converting a diagram to model.hif also writes its signature (the names of lifelines and messages)
/// to model.hsf. Converting to a .hsf writes the older format: signature and interaction in one file.
///
/// A Boolean formula in conjunctive normal form (.cnf, DIMACS) becomes a specification (sat.hif) and a
/// multi-trace beside it (sat.htf), as in Mahe et al., "Dealing with observability" (docs/papers.md):
/// the formula is satisfiable if and only if `otus analyze sat.hsf sat.hif sat.htf --observed prefix`
/// passes. A specification and a multi-trace of this form become a formula again.
#[derive(Debug, Parser)]
#[command(after_long_help = "\
Examples:
  otus convert sig.hsf model.hif model.mmd        write Mermaid
  otus convert docs/protocol.md#login login.hif   a diagram to an interaction and its signature
  otus convert flow.puml --to mermaid             print Mermaid
  otus convert sig.hsf model.hif all.hsf          signature and interaction in one file
  otus convert run1.htf run2.htf cases.jsonl      multi-traces to a case file
  otus convert cases.jsonl runs/                  and back, one file per case
  otus convert run1.htf run1.pot.json             a partial-order trace, for `otus ctl`
  otus convert formula.cnf sat.hif                DIMACS to sat.hif, sat.hsf and sat.htf
  otus convert sat.hsf sat.hif sat.htf again.cnf  and back

Exit status: 0 done, 2 invalid input or command line.")]
pub(crate) struct ConvertArgs {
    /// The files to read. Without --to and -o, the last one is the file to write. With --to and without
    /// -o, all are read, and the result is printed.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<String>,

    /// The format to write; without -o, the result is printed [default: from the extension of the
    /// output file].
    #[arg(long, value_name = "FORMAT", value_parser = listing(FORMATS, is_written))]
    pub(crate) to: Option<Format>,

    /// The file to write; all FILE arguments are then input [default: the last FILE; with --to, standard
    /// output].
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,

    /// The format of standard input, and of files whose extension does not show it.
    #[arg(long, value_name = "FORMAT", value_parser = one_of(FORMATS))]
    pub(crate) from: Option<Format>,

    /// Overwrite files that exist.
    #[arg(long)]
    pub(crate) force: bool,
}

/// Whether `otus convert` can write a format. The parser accepts all formats, so that an error message can explain
/// why another one cannot be written.
fn is_written(format: Format) -> bool {
    !matches!(format, Format::Hcf | Format::Markdown | Format::Ctl)
}
