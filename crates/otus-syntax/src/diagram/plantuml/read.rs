//! The parser of PlantUML diagrams: from text to statements.
//!
//! One pass over the lines. Each line is tried as a comment, a title, an arrow, and then by its
//! first word, in PlantUML's order; so `loop -> B : x` is an arrow from a participant named `loop`. The
//! nesting of fragments is not checked here but by [`crate::diagram::build`].
//!
//! This file has the loop over the lines, the state between lines, and the order of the attempts;
//! each of the modules below parses one kind of line.

mod command;
mod comment;
mod content;
mod decoration;
mod fault;
mod fragment;
mod message;
mod participant;
mod reply;
mod skip;

use self::fragment::Opened;
use self::skip::{Skipping, Until};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::diagram::picture::Picture;
use crate::diagram::plantuml::calls::Calls;
use crate::diagram::plantuml::decoration::Decoration;
use crate::diagram::plantuml::line::{Line, Lines};
use crate::diagram::statement::{Statement, StatementKind};
use crate::name::Names;
use crate::source::{Source, SourceId, Span};

/// The statements of the diagram at `range`.
pub(super) fn statements(
    source: &Source,
    range: Span,
    names: &mut Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Statement> {
    let Some(content) = content::content(source, range, diagnostics) else { return Vec::new() };
    let mut reader = Reader {
        source: source.id(),
        names,
        diagnostics,
        statements: Vec::new(),
        calls: Calls::default(),
        fragments: Vec::new(),
        concurrent: 0,
        picture: Picture::default(),
        declared: Vec::new(),
        skipping: None,
        not_understood: 0,
        other_diagram: false,
    };
    for line in Lines::new(source.text(), content) {
        reader.line(&line);
        if reader.other_diagram {
            break;
        }
    }
    reader.finish()
}

struct Reader<'a> {
    source: SourceId,
    names: &'a mut Names,
    diagnostics: &'a mut Vec<Diagnostic>,
    statements: Vec<Statement>,
    calls: Calls,
    /// The open fragments, outermost first.
    fragments: Vec<Opened>,
    /// The number of `fragments` with concurrent operands.
    concurrent: usize,
    picture: Picture<Decoration>,
    /// By symbol: whether a participant was declared.
    declared: Vec<bool>,
    skipping: Option<Skipping>,
    not_understood: usize,
    /// Whether the text is another kind of diagram.
    other_diagram: bool,
}

impl Reader<'_> {
    fn line(&mut self, line: &Line<'_>) {
        if let Some(Skipping { until: Until::Comment, .. }) = self.skipping {
            if line.text().ends_with("'/") {
                self.skipping = None;
            }
            return;
        }
        let Some(rest) = self.without_comments(line) else { return };
        let line = &line.part(rest);
        if self.skipping.is_some() {
            self.skip(line);
            return;
        }
        let text = line.text();
        if text.is_empty() {
            return;
        }
        if let Some(comment) = text.strip_prefix('\'') {
            self.comment(line, comment);
            return;
        }
        if let Some(rest) = text.strip_prefix('!') {
            self.preprocessor(line, rest);
            return;
        }
        if text.starts_with('&') {
            self.unsupported(
                line.span(0..1),
                "`&` draws this beside the line before, which says nothing about order",
                "write `par`, `else`, `end` around what happens at the same time",
            );
            return;
        }
        if self.title(line) || self.arrow(line) || self.sign(line) || self.command(line) {
            return;
        }
        self.line_not_understood(line);
    }

    fn finish(mut self) -> Vec<Statement> {
        self.never_ended();
        self.picture.report(self.source, self.diagnostics);
        self.statements
    }

    fn push(&mut self, span: Span, kind: StatementKind) {
        self.statements.push(Statement { span, kind });
    }

    fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.diagnostics.push(Diagnostic::new(code, self.source, span, message).with_help(help));
    }
}

/// The letters, digits and `_` at the start.
fn first_word(text: &str) -> &str {
    &text[..text.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(text.len())]
}
