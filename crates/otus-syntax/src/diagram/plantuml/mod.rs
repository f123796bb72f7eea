//! PlantUML sequence diagrams.
//!
//! A text is read line by line, as PlantUML does it: [`mod@line`] joins continued lines and finds
//! the diagram, [`mod@read`] knows the commands, [`arrow`] the arrows, [`calls`] what `return`
//! answers, and [`text`] what a label means. [`write()`] goes the other way. What the two agree on
//! was found by trying PlantUML 1.2020.2, which Debian has; `scripts/check-plantuml.sh` repeats
//! that on everything the writer writes.
//!
//! Conventions:
//! - a lifeline is named by what arrows call it; what its head shows is its label;
//! - the name of a message is the text the picture shows: `\n` in a label is a line break;
//! - `[`, `]` and `?` are the environment;
//! - `group strict`, `group coreg(a, b)`, `group loopS` … are operators, other groups are frames.

mod arrow;
mod calls;
mod decoration;
mod line;
mod read;
#[cfg(test)]
mod tests;
mod text;
mod words;
mod write;

use crate::ast::SpecFile;
use crate::diagram::{build, outline};
use crate::grammar::Parsed;
use crate::name::Names;
use crate::parser;
use crate::source::{Source, Span};

/// Reads the diagram that stands at `range` of a text.
///
/// The range may hold a bare diagram or one between `@startuml` and `@enduml`; of several, the
/// first is read and the others are reported.
pub fn read(source: &Source, range: Span) -> Parsed<SpecFile> {
    let (mut names, mut diagnostics) = (Names::default(), Vec::new());
    let statements = read::statements(source, range, &mut names, &mut diagnostics);
    let tree = build::build(source.id(), range, names, &statements, &mut diagnostics);
    // Readers and builder each report in the order of the text; together they shall too.
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span.start);
    parser::limit(&mut diagnostics);
    Parsed { tree, diagnostics }
}

/// Spells a tree as a diagram.
pub fn write(tree: &SpecFile) -> String {
    write::spell(&outline::outline(tree))
}

/// The sequence diagrams of a text: what stands between each `@startuml` and its `@enduml`.
pub fn diagrams(source: &Source) -> Vec<Span> {
    line::diagrams(source.text(), source.whole())
        .into_iter()
        .filter(|diagram| diagram.kind == "uml")
        .map(|diagram| diagram.content)
        .collect()
}
