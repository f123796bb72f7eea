//! PlantUML sequence diagrams.
//!
//! A text is parsed line by line, as PlantUML does it: [`mod@line`] joins continued lines and finds
//! the diagram, [`preprocess`] follows `!include`, `!if` and the like, [`mod@read`] parses the commands, [`arrow`] the arrows, [`calls`] resolves `return`,
//! and [`text`] decodes labels. [`write()`] is the inverse. The rules were established by experiments
//! with PlantUML 1.2020.2 (the version of Debian); `scripts/check-plantuml.sh` repeats them on the
//! output of the writer.
//!
//! Conventions:
//! - the name of a lifeline is the one that arrows use; the text of its head is its label;
//! - the name of a message is the text in the picture, with a blank for each line break `\n`;
//! - `[`, `]` and `?` are the environment;
//! - `group strict`, `group coreg(a, b)`, `group loopS` … are operators, other groups are frames.

mod arrow;
mod calls;
mod line;
mod preprocess;
mod read;
#[cfg(test)]
mod tests;
mod text;
mod words;
mod write;

use crate::ast::SpecFile;
use crate::diagram::statement::Statement;
use crate::diagram::{Written, build, outline};
use crate::grammar::Parsed;
use crate::name::Names;
use crate::parser::Findings;
use crate::source::{Source, Span};

pub use preprocess::Include;

/// Parses the diagram at `range` of a text. Included files are not read; see [`read_with`].
///
/// The range may contain a bare diagram, or one between `@startuml` and `@enduml`. Of several, the
/// first is parsed and the others are reported.
pub fn read(source: &Source, range: Span) -> Parsed<SpecFile> {
    parse(source, range, None)
}

/// Parses the diagram at `range` of a text, which may include other files.
///
/// ```
/// use otus_syntax::Source;
/// use otus_syntax::diagram::plantuml::read_with;
///
/// let source = Source::new("a.puml", "!include b.iuml\nA -> B : $greeting");
/// let parsed = read_with(&source, source.whole(), &mut |path| {
///     (path == "b.iuml").then(|| "!$greeting = \"hello\"".to_owned())
/// });
/// assert!(parsed.diagnostics.is_empty());
/// ```
pub fn read_with(source: &Source, range: Span, include: &mut Include<'_>) -> Parsed<SpecFile> {
    parse(source, range, Some(include))
}

fn parse(source: &Source, range: Span, include: Option<&mut Include<'_>>) -> Parsed<SpecFile> {
    let (mut names, mut findings) = (Names::default(), Findings::unbounded(source.id()));
    let statements = read::statements(source, range, include, &mut names, &mut findings);
    let tree = build::build(range, names, &statements, &mut findings);
    findings.with_tree(tree)
}

/// The statements of the diagram at `range` of a text, without the tree that they make.
pub(super) fn statements(
    source: &Source,
    range: Span,
    include: Option<&mut Include<'_>>,
) -> (Names, Vec<Statement>) {
    let (mut names, mut findings) = (Names::default(), Findings::unbounded(source.id()));
    let statements = read::statements(source, range, include, &mut names, &mut findings);
    (names, statements)
}

/// The PlantUML diagram of a tree.
pub fn write(tree: &SpecFile) -> String {
    written(tree).text
}

/// The PlantUML diagram of a tree, and the parts of its drawing that PlantUML cannot show.
pub fn written(tree: &SpecFile) -> Written {
    let outline = outline::outline(tree);
    write::spell(&outline::present(outline, tree.drawing.as_deref(), outline::Style::Plantuml))
}

/// The spans of the sequence diagrams of a text, between `@startuml` and `@enduml`.
pub fn diagrams(source: &Source) -> Vec<Span> {
    line::diagrams(source.text(), source.whole())
        .into_iter()
        .filter(|diagram| diagram.kind.eq_ignore_ascii_case("uml"))
        .map(|diagram| diagram.content)
        .collect()
}
