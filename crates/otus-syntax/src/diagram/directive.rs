//! `otus:` directives: what the diagrams lack, said in their comments.

use crate::diagnostic::Diagnostic;
use crate::diagram::statement::{Block, Repetition, StatementKind};
use crate::name::Names;
use crate::source::SourceId;

/// Reads the text of a comment that begins at byte `at`. `None` if it is not a directive;
/// an unknown or malformed directive is `None` too, with a diagnostic.
pub fn read(
    source: SourceId,
    text: &str,
    at: u32,
    names: &mut Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<StatementKind> {
    let _ = (source, text, at, names, diagnostics);
    None
}

/// The text of a directive (from `otus:` on, without the comment sign), for statements that have one.
pub fn write(kind: &StatementKind, names: &Names) -> Option<String> {
    let _ = (kind, names);
    None
}

/// The operator a block label names (`strict`, `coreg(l1, l2)`), if it names one. `at` is the
/// byte offset of the label.
pub fn block(label: &str, at: u32, names: &mut Names) -> Option<Block> {
    let _ = (label, at, names);
    None
}

/// How often a loop with this label repeats.
pub fn repetition(label: &str) -> Repetition {
    let _ = label;
    Repetition::ANY
}
