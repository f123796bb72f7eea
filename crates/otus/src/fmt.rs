//! Formats texts in their canonical form.

use std::path::{Path, PathBuf};

use otus_syntax::{Diagnostic, parse_formulas, parse_spec, parse_trace, print};

use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::error::{Result, unfit};
use crate::format::Format;
use crate::load::Sources;

/// A text and its canonical form.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Formatted {
    /// The name of the text.
    pub name: String,
    /// The text as it is.
    pub text: String,
    /// The canonical form.
    pub canonical: String,
    /// The file, unless it came from standard input.
    pub path: Option<PathBuf>,
}

/// The canonical form of a text in our own languages.
///
/// # Errors
/// If it cannot be read, has errors, or is in another language.
pub fn format(context: &Context, name: &str, from: Option<Format>) -> Result<Formatted> {
    let mut sources = Sources::default();
    let input = sources.read(&*context.files, name, from)?;
    let source = sources.source(input.source);
    let (canonical, found) = match input.format {
        Format::Hsf | Format::Hif | Format::Hcf => {
            let parsed = parse_spec(source);
            (print::spec(&parsed.tree), parsed.diagnostics)
        }
        Format::Htf => {
            let parsed = parse_trace(source);
            (print::trace(&parsed.tree), parsed.diagnostics)
        }
        Format::Ctl => {
            let parsed = parse_formulas(source);
            (print::formulas(&parsed.tree), parsed.diagnostics)
        }
        Format::Mermaid
        | Format::Plantuml
        | Format::Markdown
        | Format::Jsonl
        | Format::Parquet
        | Format::Pot
        | Format::Cnf => {
            unfit!(
                "{} is not reformatted; fmt is for .hsf, .hif, .hcf, .htf and .ctl \
                 (`otus convert` writes a diagram or a case file anew)",
                source.name()
            );
        }
    };
    let (name, text) = (source.name().to_owned(), source.text().to_owned());
    let found = found.into_iter().chain(sources.diagnostics).filter(Diagnostic::is_error);
    Diagnostics::new(sources.all, found.collect()).or_error()?;
    Ok(Formatted { name, text, canonical, path: input.path })
}

/// Whether a file is in one of the languages that [`format`](fn@format) supports.
pub fn is_formatted(path: &Path) -> bool {
    let ours = [Format::Hsf, Format::Hif, Format::Hcf, Format::Htf, Format::Ctl];
    Format::of_name(path).is_some_and(|format| ours.contains(&format))
}
