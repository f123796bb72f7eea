//! `otus fmt`, `otus lint` and `otus convert`: texts of specifications and traces.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, ValueEnum as _};

use super::{ReportFormat, TextFormat};

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
    pub(crate) from: Option<TextFormat>,
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
    pub(crate) from: Option<TextFormat>,
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
    #[arg(long, value_name = "FORMAT", value_parser = written())]
    pub(crate) to: Option<TextFormat>,

    /// Where to write it; then all other files are read.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<String>,

    /// How to read standard input and files without a telling name.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<TextFormat>,

    /// Overwrite files that exist.
    #[arg(long)]
    pub(crate) force: bool,
}

/// The formats of which those are offered that something can be converted to. Whoever asks for
/// another is told why that is not possible.
fn written() -> impl TypedValueParser<Value = TextFormat> {
    let is_written = |format: TextFormat| match format {
        TextFormat::Hsf
        | TextFormat::Hif
        | TextFormat::Mermaid
        | TextFormat::Plantuml
        | TextFormat::Htf
        | TextFormat::Jsonl
        | TextFormat::Pot => true,
        TextFormat::Hcf | TextFormat::Markdown | TextFormat::Ctl => false,
    };
    let value = |format: &TextFormat| Some(format.to_possible_value()?.hide(!is_written(*format)));
    PossibleValuesParser::new(TextFormat::value_variants().iter().filter_map(value))
        .try_map(|name| TextFormat::from_str(&name, false))
}
