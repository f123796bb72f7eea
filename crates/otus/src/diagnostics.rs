//! Findings about texts: as data, as text for people, as lines for editors, and as JSON for scripts.

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use otus_syntax::diagnostic::any_error;
use otus_syntax::source::offset;
use otus_syntax::{Diagnostic, Label, Severity, Source, SourceId};
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::report::set;
use crate::units::counted;

/// Findings about some texts.
///
/// The text of an [`Error::Text`] is that of its diagnostics. Warnings about usable texts go to the
/// [`Monitor`](crate::Monitor).
#[derive(Debug, Clone, Default)]
pub struct Diagnostics {
    pub(crate) sources: Vec<Source>,
    pub(crate) found: Vec<Diagnostic>,
}

/// One finding about a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The code, like `O0301`; see `otus explain O0301`.
    pub code: String,
    /// Whether the finding makes the text unusable.
    pub is_error: bool,
    /// The message.
    pub message: String,
    /// The name of the text.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The advice.
    pub help: Option<String>,
}

impl Diagnostics {
    pub(crate) fn new(sources: Vec<Source>, found: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics { sources, found }
    }

    /// Whether there are no diagnostics.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether a diagnostic makes a text unusable.
    pub fn has_errors(&self) -> bool {
        any_error(&self.found)
    }

    /// All diagnostics as plain data.
    pub fn findings(&self) -> Vec<Finding> {
        let finding = |found: &Diagnostic| {
            let source = source(&self.sources, found.primary.source);
            let (line, column) = source.line_column(found.primary.span.start);
            Finding {
                code: found.code.to_string(),
                is_error: found.is_error(),
                message: found.message.clone(),
                file: source.name().to_owned(),
                line,
                column,
                help: found.help.clone(),
            }
        };
        self.found.iter().map(finding).collect()
    }

    /// The findings as text for people, with the source lines, and with colours for a terminal on
    /// request.
    pub fn render(&self, colored: bool) -> String {
        let renderer = if colored { Renderer::styled() } else { Renderer::plain() };
        let mut out = String::new();
        for found in &self.found {
            let rendered = renderer.render(&[group(&self.sources, found)]);
            for line in rendered.lines().filter(|line| !is_bare_origin(line)) {
                out.push_str(line);
                out.push('\n');
            }
            out.push('\n');
        }
        out.truncate(out.trim_end().len());
        out
    }

    /// The findings as one line each: `file:line:column: error[O0301]: message (help)`.
    pub fn lines(&self) -> String {
        let mut out = String::new();
        for found in &self.found {
            let source = source(&self.sources, found.primary.source);
            let (line, column) = source.line_column(found.primary.span.start);
            let severity = found.severity.name();
            let help = found.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
            let (name, code, message) = (source.name(), found.code, &found.message);
            let _ = writeln!(out, "{name}:{line}:{column}: {severity}[{code}]: {message}{help}");
        }
        out
    }

    /// The findings as one JSON document with a version.
    pub fn json(&self) -> String {
        let value = |found: &Diagnostic| {
            let mut value = json!({
                "code": found.code.to_string(),
                "severity": found.severity.name(),
                "message": found.message,
                "place": place(&self.sources, &found.primary),
            });
            let related = found.related.iter().map(|label| place(&self.sources, label));
            let related: Vec<Value> = related.collect();
            set(&mut value, "related", Some(related).filter(|related| !related.is_empty()));
            set(&mut value, "help", found.help.as_ref());
            if let Some(fix) = &found.fix {
                let label =
                    Label { source: found.primary.source, span: fix.span, text: String::new() };
                let mut fixed = place(&self.sources, &label);
                fixed["replacement"] = json!(fix.replacement);
                value["fix"] = fixed;
            }
            value
        };
        let document = json!({
            "version": 1,
            "diagnostics": self.found.iter().map(value).collect::<Vec<_>>(),
            "summary": {
                "errors": self.count(Severity::Error),
                "warnings": self.count(Severity::Warning),
                "notes": self.count(Severity::Note),
            },
        });
        format!("{document:#}\n")
    }

    /// The counts of findings, and where to read more: `2 errors, 1 warning; …`. `None` if there
    /// are no findings.
    pub fn summary(&self) -> Option<String> {
        let counts = [Severity::Error, Severity::Warning, Severity::Note].into_iter();
        let counts = counts.map(|severity| (self.count(severity), severity.name()));
        let counts = counts.filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, name)| counted(count, name)).collect();
        // The summary names the first of the most severe findings, because later ones often follow
        // from it.
        let worst = self.found.iter().map(|found| found.severity).max()?;
        let first = self.found.iter().find(|found| found.severity == worst)?;
        Some(format!("{}; `otus explain {}` tells more", counts.join(", "), first.code))
    }

    /// Whether a diagnostic is an error or a warning.
    pub fn has_warnings(&self) -> bool {
        self.found.iter().any(|found| found.severity > Severity::Note)
    }

    pub(crate) fn without_notes(mut self) -> Diagnostics {
        self.found.retain(|found| found.severity > Severity::Note);
        self
    }

    /// An error if one of the findings is an error; otherwise the findings without notes.
    pub(crate) fn or_error(self) -> Result<Diagnostics> {
        let has_errors = self.has_errors();
        let told = self.without_notes();
        if has_errors { Err(Error::Text(Box::new(told))) } else { Ok(told) }
    }

    fn count(&self, severity: Severity) -> usize {
        self.found.iter().filter(|found| found.severity == severity).count()
    }
}

/// Whether a line is `:::` without a file. The renderer adds one before the excerpt of a long line, whose place is in
/// the line above.
fn is_bare_origin(line: &str) -> bool {
    line.trim_end_matches("\x1b[0m").ends_with("::: ") && !line.contains('|')
}

fn place(sources: &[Source], label: &Label) -> Value {
    let source = source(sources, label.source);
    let (line, column) = source.line_column(label.span.start);
    let (end_line, end_column) = source.line_column(label.span.end);
    let mut value = json!({
        "file": source.name(),
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "start": label.span.start,
        "end": label.span.end,
    });
    set(&mut value, "text", Some(&label.text).filter(|text| !text.is_empty()));
    value
}

fn source(sources: &[Source], id: SourceId) -> &Source {
    &sources[id.0 as usize]
}

fn group<'a>(sources: &'a [Source], found: &'a Diagnostic) -> Group<'a> {
    let level = match found.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = level
        .primary_title(found.message.as_str())
        .id(found.code.to_string())
        .elements(elements(sources, found));
    if let Some(help) = &found.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    group
}

/// The excerpts: one for places that are close together, otherwise one for each place.
fn elements<'a>(sources: &'a [Source], found: &'a Diagnostic) -> Vec<Element<'a>> {
    let primary = (&found.primary, AnnotationKind::Primary);
    let related = found.related.iter().map(|label| (label, AnnotationKind::Context));
    let (near, far): (Vec<_>, Vec<_>) =
        std::iter::once(primary).chain(related).partition(|(label, _)| {
            label.source == found.primary.source && close(label, &found.primary)
        });
    let mut elements = Vec::new();
    for labels in std::iter::once(near).chain(far.into_iter().map(|label| vec![label])) {
        excerpt(source(sources, labels[0].0.source), &labels, &mut elements);
    }
    elements
}

/// The maximum number of bytes between two places in one excerpt.
const CLOSE: u32 = 2000;

fn close(one: &Label, other: &Label) -> bool {
    one.span.start.abs_diff(other.span.start) < CLOSE
}

/// The maximum length of a line that is shown in full. Of a longer line, such as a trace, only the part around the
/// place is shown.
const WIDEST_LINE: usize = 160;
const AROUND: usize = 60;

fn excerpt<'a>(
    source: &'a Source,
    labels: &[(&'a Label, AnnotationKind)],
    elements: &mut Vec<Element<'a>>,
) {
    let text = source.text();
    let first = labels.iter().map(|(label, _)| label.span.start).min().unwrap_or(0) as usize;
    let last = labels.iter().map(|(label, _)| label.span.start).max().unwrap_or(0) as usize;
    let (start, end) = (line_start(text, first), line_end(text, last));
    let longest = text[start..end].lines().map(str::len).max().unwrap_or(0);
    let (line, column) = source.line_column(labels[0].0.span.start);
    let mut window = start..end;
    if longest > WIDEST_LINE {
        window = cut(text, start..end, first, labels[0].0.span.len() as usize);
        elements.push(Origin::path(source.name()).line(line).char_column(column).into());
    }
    let inside = |at: u32| (at as usize).clamp(window.start, window.end) - window.start;
    let mut snippet = Snippet::source(&text[window.clone()]);
    if window == (start..end) {
        snippet = snippet.path(source.name());
    }
    // Related places come first, because the first line number of the excerpt is theirs.
    let (line, _) = source.line_column(offset(first));
    snippet = snippet.line_start(line);
    for (label, kind) in labels {
        if labels.len() > 1
            && !window.contains(&(label.span.start as usize))
            && longest > WIDEST_LINE
        {
            continue;
        }
        let range = inside(label.span.start)..inside(label.span.end);
        let mut annotation = kind.span(range);
        if !label.text.is_empty() {
            annotation = annotation.label(label.text.as_str());
        }
        snippet = snippet.annotation(annotation);
    }
    elements.push(snippet.into());
}

/// The part of a long line around a place.
fn cut(text: &str, line: Range<usize>, at: usize, length: usize) -> Range<usize> {
    let start = text.floor_char_boundary(at.saturating_sub(AROUND).max(line.start));
    let end = text.ceil_char_boundary((at + length.min(AROUND) + AROUND).min(line.end).max(at));
    // The part must not extend beyond the line of the place.
    start.max(line_start(text, at))..end.min(line_end(text, at))
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at.min(text.len())].rfind('\n').map_or(0, |newline| newline + 1)
}

pub(crate) fn line_end(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    // The carriage return of a Windows line end is not part of the line.
    if end > at && text[at..end].ends_with('\r') { end - 1 } else { end }
}
