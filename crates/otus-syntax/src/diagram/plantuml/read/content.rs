//! Selection of the diagram in a text.

use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::diagram::plantuml::line;
use crate::source::{Source, Span};

const BETWEEN: &str = "a sequence diagram stands between `@startuml` and `@enduml`";

/// The span of the diagram to parse.
pub(super) fn content(
    source: &Source,
    range: Span,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Span> {
    let found = line::diagrams(source.text(), range);
    let Some(first) = found.first() else {
        if source.slice(range).trim().is_empty() {
            let found = source.finding(Code::NOT_A_DIAGRAM, range, "there is no diagram here");
            diagnostics.push(found.with_help(BETWEEN));
        }
        return Some(range);
    };
    let mut sequences = found.iter().filter(|diagram| diagram.kind == "uml");
    let Some(diagram) = sequences.next() else {
        let message = format!("`@start{}` does not start a sequence diagram", first.kind);
        let found = source.finding(Code::NOT_A_DIAGRAM, first.start, message);
        diagnostics.push(found.with_help(BETWEEN));
        return None;
    };
    if !diagram.closed {
        let message = "`@startuml` has no `@enduml`";
        let found = source.finding(Code::NEVER_CLOSED, diagram.start, message);
        diagnostics.push(found.with_help("write `@enduml` on a line after the diagram"));
    }
    if let Some(second) = sequences.next() {
        let more = 1 + sequences.count();
        let message = format!("only the first diagram is read; {more} more in this text");
        let found = source
            .finding(Code::SEVERAL_INTERACTIONS, second.start, message)
            .with_related(source.id(), diagram.start, "this one is read")
            .with_help("put each diagram into its own file");
        diagnostics.push(Diagnostic { severity: Severity::Warning, ..found });
    }
    Some(diagram.content)
}
