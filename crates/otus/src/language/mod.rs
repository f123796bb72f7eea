//! What an editor asks about the texts of Otus, as plain data.
//!
//! The language server is a shell over this module, and so is every other program that shows texts while they are written. A text
//! is named by its path and read through [`Files`](crate::Files); texts that are open in an editor and not saved come
//! from there too. Places are ranges of bytes. Nothing is kept between two questions, so every answer is about the files as
//! they are now, and memory does not grow with the number of edits.
//!
//! | question | answer |
//! |---|---|
//! | [`diagnose`] | what `otus lint` finds, with the edits that would correct it |
//! | [`formatted`] | what `otus fmt` writes |
//! | [`symbols`] | lifelines, messages, diagrams, rules, formulas |
//! | [`definition`], [`references`], [`rename`](rename()) | where a name stands in all files that share it |
//! | [`hover`], [`complete`] | what a place means, and what could stand there |
//! | [`lenses`], [`verdicts`] | what can be analysed, and the verdicts in words |
//!
//! Which files share names is decided in [`family`]. The files that are read for one answer are bounded in size and
//! number, links out of the folder are not followed, and a file that cannot be read counts as empty.

mod complete;
mod diagnose;
mod family;
mod fixes;
mod hover;
mod meaning;
mod place;
mod regions;
mod rename;
mod settings;
mod spots;
mod symbols;
mod verdicts;

use std::path::Path;

use otus_syntax::diagram::markdown::Language;

use crate::format::Format;
use crate::project::FILE;

pub use complete::{Completion, CompletionKind, complete};
pub use diagnose::{Level, Problem, diagnose, formatted};
pub use fixes::Fix;
pub use hover::{Hover, hover};
pub use place::{Edit, Location};
pub use rename::{Renamed, definition, references, rename, renamed};
pub use symbols::{Symbol, SymbolKind, symbols};
pub use verdicts::{Lens, Verdicts, lenses, verdicts};

/// The largest text that is looked at, in bytes. People do not write larger ones, and an answer is wanted while they type.
pub const LARGEST: u64 = 4 << 20;

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `.hsf`, `.hif`, `.hcf`
    Model(Format),
    /// `.htf`
    Trace,
    /// `.ctl`
    Formulas,
    /// `.mmd`, `.puml`
    Diagram(Language),
    /// `.md`
    Markdown,
    /// `otus.toml`
    Settings,
}

impl Kind {
    /// The kind of a text by its name; `None` if it is not one that people write in an editor.
    pub(crate) fn of(path: &Path) -> Option<Kind> {
        if path.file_name().is_some_and(|name| name == FILE) {
            return Some(Kind::Settings);
        }
        Some(match Format::of_name(path)? {
            format @ (Format::Hsf | Format::Hif | Format::Hcf) => Kind::Model(format),
            Format::Htf => Kind::Trace,
            Format::Ctl => Kind::Formulas,
            Format::Mermaid => Kind::Diagram(Language::Mermaid),
            Format::Plantuml => Kind::Diagram(Language::PlantUml),
            Format::Markdown => Kind::Markdown,
            Format::Jsonl | Format::Parquet | Format::Pot | Format::Cnf => return None,
        })
    }
}

/// Whether a file is of a kind that this module answers questions about.
pub fn is_known(path: &Path) -> bool {
    Kind::of(path).is_some()
}
