//! Which part of a text is the diagram to read.

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::diagram::plantuml::line;
use crate::source::{Source, Span};

/// Where the diagram to read stands.
pub(super) fn content(
    source: &Source,
    range: Span,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Span> {
    let found = line::diagrams(source.text(), range);
    let Some(first) = found.first() else {
        if source.slice(range).trim().is_empty() {
            diagnostics.push(
                Diagnostic::new(
                    Code::NOT_A_DIAGRAM,
                    source.id(),
                    range,
                    "there is no diagram here",
                )
                .with_help("a sequence diagram stands between `@startuml` and `@enduml`"),
            );
        }
        return Some(range);
    };
    let mut sequences = found.iter().filter(|diagram| diagram.kind == "uml");
    let Some(diagram) = sequences.next() else {
        let message = format!("`@start{}` does not start a sequence diagram", first.kind);
        diagnostics.push(
            Diagnostic::new(Code::NOT_A_DIAGRAM, source.id(), first.start, message)
                .with_help("a sequence diagram stands between `@startuml` and `@enduml`"),
        );
        return None;
    };
    if !diagram.closed {
        let message = "`@startuml` has no `@enduml`";
        diagnostics.push(
            Diagnostic::new(Code::NEVER_CLOSED, source.id(), diagram.start, message)
                .with_help("write `@enduml` on a line after the diagram"),
        );
    }
    if let Some(second) = sequences.next() {
        let more = 1 + sequences.count();
        let message = format!("only the first diagram is read; {more} more in this text");
        let mut diagnostic =
            Diagnostic::new(Code::SEVERAL_INTERACTIONS, source.id(), second.start, message)
                .with_related(source.id(), diagram.start, "this one is read")
                .with_help("put each diagram into its own file");
        diagnostic.severity = Severity::Warning;
        diagnostics.push(diagnostic);
    }
    Some(diagram.content)
}
