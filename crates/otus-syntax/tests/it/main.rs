//! Tests of the parsers, their diagnostics and the printers.

mod drawings;
mod formulas;
mod guards;
mod interactions;
mod limits;
mod options;
mod traces;
mod valued_diagrams;
mod wild_diagrams;

use std::fmt::Write as _;

use otus_syntax::{Diagnostic, Source};

/// Diagnostics in short form: severity and code, place, message, help.
fn show(source: &Source, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for found in diagnostics {
        let (line, column) = source.line_column(found.primary.span.start);
        let _ = writeln!(
            out,
            "{}[{}] {line}:{column} `{}` {}",
            found.severity.name(),
            found.code,
            source.slice(found.primary.span).replace('\n', "⏎"),
            found.message
        );
        for label in &found.related {
            let (line, column) = source.line_column(label.span.start);
            let _ = writeln!(out, "  {line}:{column} {}", label.text);
        }
        if let Some(help) = &found.help {
            let _ = writeln!(out, "  help: {help}");
        }
        if let Some(fix) = &found.fix {
            let _ = writeln!(out, "  fix: `{}` → `{}`", source.slice(fix.span), fix.replacement);
        }
    }
    out
}
