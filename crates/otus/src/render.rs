//! Diagnostics and failures as text, with the lines they are about; as the command line prints them,
//! without colours.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use otus_syntax::{Diagnostic, Label, Severity, Source, excerpt};

use crate::outcome::Failure;

/// Diagnostics, one below the other.
pub(crate) fn diagnostics<'d>(
    sources: &[Source],
    found: impl Iterator<Item = &'d Diagnostic>,
) -> String {
    let all: Vec<String> = found.map(|found| diagnostic(sources, found)).collect();
    all.join("\n\n")
}

fn diagnostic(sources: &[Source], found: &Diagnostic) -> String {
    let level = match found.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(&found.message).id(found.code.to_string());
    let mut group: Group<'_> = Group::with_title(title);
    let primary = (&found.primary, AnnotationKind::Primary);
    let related = found.related.iter().map(|label| (label, AnnotationKind::Context));
    for (label, kind) in std::iter::once(primary).chain(related) {
        let Some((text, line, span)) = line_of(sources, label) else { continue };
        let mut annotation = kind.span(span);
        if !label.text.is_empty() {
            annotation = annotation.label(&label.text);
        }
        let name = sources.get(label.source.0 as usize).map_or("", Source::name);
        let snippet = Snippet::source(text).path(name).line_start(line).annotation(annotation);
        group = group.element(snippet);
    }
    if let Some(help) = &found.help {
        group = group.element(Level::HELP.message(help));
    }
    rendered(group)
}

/// The line a label is on, its number, and which bytes of it are meant.
fn line_of(sources: &[Source], label: &Label) -> Option<(String, usize, std::ops::Range<usize>)> {
    let source = sources.get(label.source.0 as usize)?;
    let (line, _) = source.line_column(label.span.start);
    let (text, span) = excerpt::line(source.text(), label.span.range());
    Some((text, line, span))
}

/// A failure: headline, what was expected where, what was observed, and the ladder below.
pub(crate) fn failure(failure: &Failure) -> String {
    let title = Level::ERROR.primary_title(&failure.headline).id(failure.cause);
    let mut group: Group<'_> = Group::with_title(title);
    for expected in &failure.expected {
        let label = format!("expected here: {}", expected.action);
        let annotation = AnnotationKind::Primary.span(expected.span.clone()).label(label);
        let snippet = Snippet::source(&expected.text)
            .path(&expected.place.file)
            .line_start(expected.place.line)
            .annotation(annotation);
        group = group.element(snippet);
    }
    for (topic, text) in &failure.notes {
        group = group.element(Level::NOTE.with_name(*topic).message(text));
    }
    rendered(group)
}

fn rendered(group: Group<'_>) -> String {
    let text = Renderer::plain().render(&[group]);
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_end().to_owned()
}
