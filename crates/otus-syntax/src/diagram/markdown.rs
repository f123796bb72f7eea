//! Diagrams inside Markdown.
//!
//! The block structure of `CommonMark`, as far as it decides where a fenced diagram begins and
//! ends and which heading it stands under: fences of both kinds (also inside list items), ATX
//! and setext headings, HTML comments, and front matter. A diagram in a block quote is not
//! found, since its lines are not one piece of text.
//!
//! A diagram is picked by its number in the document or by the anchor of its heading, spelt as
//! GitHub does.

mod anchor;
mod line;

use std::fmt::Write as _;

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::diagram::mermaid;
use crate::source::{Source, Span, offset};
use crate::suggest;

use anchor::Anchors;
use line::{Line, Marker};

/// The languages of diagrams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// ```` ```mermaid ````
    Mermaid,
    /// ```` ```plantuml ````, ```` ```puml ````
    PlantUml,
}

/// A fenced diagram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// Its language.
    pub language: Language,
    /// What stands between the fences.
    pub content: Span,
    /// The nearest heading above it, as its anchor (`## Log in` is `log-in`).
    pub heading: Option<String>,
    /// Whether the closing fence is there; if not, the content runs on into the document.
    pub closed: bool,
}

/// All sequence diagrams in a document. Mermaid diagrams of other kinds are left out.
pub fn fences(source: &Source, diagnostics: &mut Vec<Diagnostic>) -> Vec<Fence> {
    let text = source.text();
    let mut scan = Scan {
        source,
        diagnostics,
        found: Vec::new(),
        anchors: Anchors::default(),
        heading: None,
        items: Vec::new(),
        paragraph: None,
        state: State::Blocks,
    };
    let mut at = line::front_matter(text);
    for line in text[at..].split_inclusive('\n') {
        let start = at;
        at += line.len();
        scan.line(start, line);
    }
    scan.end(text.len())
}

/// The diagram that `selector` picks: its number in the document, from 1; the anchor of its
/// heading (`log-in`) or the heading itself (`Log in`); `log-in-2` for the second diagram under
/// a heading, unless a heading has that anchor. Without a selector, the only diagram.
///
/// # Errors
/// A diagnostic at the start of the document that lists what there is to pick from.
#[expect(
    clippy::result_large_err,
    reason = "called once for a document; a diagnostic is what callers collect"
)]
pub fn select<'a>(
    source: &Source,
    fences: &'a [Fence],
    selector: Option<&str>,
) -> Result<&'a Fence, Diagnostic> {
    let finding = |code, message: String, help: String| {
        Err(Diagnostic::new(code, source.id(), Span::at(0), message).with_help(help))
    };
    if fences.is_empty() {
        let has_mermaid = source
            .text()
            .lines()
            .any(|line| Marker::of(&Line::new(line)).is_some_and(|m| m.language().is_some()));
        let help = if has_mermaid {
            "its Mermaid diagrams are of other kinds; a sequence diagram begins with `sequenceDiagram`"
        } else {
            "diagrams stand between a line ```mermaid or ```plantuml and a line ```"
        };
        return finding(
            Code::NO_DIAGRAM,
            "this document has no sequence diagram".to_owned(),
            help.to_owned(),
        );
    }
    let Some(selector) = selector else {
        return match fences {
            [only] => Ok(only),
            _ => finding(
                Code::NO_SUCH_DIAGRAM,
                format!("this document has {} diagrams; say which one", fences.len()),
                choices(source, fences),
            ),
        };
    };
    if let Ok(number) = selector.parse::<usize>()
        && let Some(fence) = number.checked_sub(1).and_then(|at| fences.get(at))
    {
        return Ok(fence);
    }
    let anchor = anchor::slug(selector);
    for name in [selector, &anchor] {
        let under = |fence: &&Fence| fence.heading.as_deref() == Some(name);
        let mut matching = fences.iter().filter(under);
        if let Some(first) = matching.next() {
            if matching.next().is_none() {
                return Ok(first);
            }
            let several: Vec<Fence> = fences.iter().filter(under).cloned().collect();
            return finding(
                Code::NO_SUCH_DIAGRAM,
                format!("there are {} diagrams under `{name}`; say which one", several.len()),
                format!(
                    "write `{name}-1`, `{name}-2`, …, or its number in the document; {}",
                    choices(source, fences)
                ),
            );
        }
        if let Some((heading, number)) = name.rsplit_once('-')
            && let Some(at) = number.parse::<usize>().ok().and_then(|n| n.checked_sub(1))
            && let Some(fence) =
                fences.iter().filter(|fence| fence.heading.as_deref() == Some(heading)).nth(at)
        {
            return Ok(fence);
        }
    }
    let message = if !selector.is_empty() && selector.bytes().all(|b| b.is_ascii_digit()) {
        format!("there is no diagram {selector}: the document has {}", fences.len())
    } else {
        format!("there is no diagram under a heading `{selector}`")
    };
    let headings = fences.iter().filter_map(|fence| fence.heading.as_deref());
    let help = match suggest::did_you_mean(&anchor, headings) {
        Some(suggestion) => format!("{suggestion} Otherwise, {}", choices(source, fences)),
        None => choices(source, fences),
    };
    finding(Code::NO_SUCH_DIAGRAM, message, help)
}

/// The first diagrams of a document, by number, line and heading.
fn choices(source: &Source, fences: &[Fence]) -> String {
    const SHOWN: usize = 10;
    let only = fences.len() == 1;
    let mut text = String::from(if only { "the only diagram is " } else { "the diagrams are " });
    for (i, fence) in fences.iter().take(SHOWN).enumerate() {
        if i > 0 {
            text.push_str(", ");
        }
        let (line, _) = source.line_column(fence.content.start);
        let _ = write!(text, "#{} (line {line}", i + 1);
        if let Some(heading) = &fence.heading {
            let _ = write!(text, ", #{heading}");
        }
        text.push(')');
    }
    if fences.len() > SHOWN {
        let _ = write!(text, " and {} more", fences.len() - SHOWN);
    }
    text
}

struct Scan<'a> {
    source: &'a Source,
    diagnostics: &'a mut Vec<Diagnostic>,
    found: Vec<Fence>,
    anchors: Anchors,
    heading: Option<String>,
    /// The columns at which the contents of the open list items begin.
    items: Vec<usize>,
    /// Where the paragraph that may become a setext heading begins.
    paragraph: Option<usize>,
    state: State,
}

enum State {
    Blocks,
    /// Inside `<!-- … -->`.
    Comment,
    Fence(Open),
}

/// A fence that is open.
struct Open {
    marker: Marker<'static>,
    /// The place of the opening line.
    span: Span,
    /// Where its content begins.
    content: usize,
    /// The column of the list item it stands in.
    column: usize,
    language: Option<Language>,
    /// The first line inside that looks like the beginning of a diagram.
    swallowed: bool,
}

impl Scan<'_> {
    fn line(&mut self, start: usize, text: &str) {
        let line = Line::new(text);
        match &mut self.state {
            State::Fence(open) => {
                if open.marker.is_closed_by(&line, open.column) {
                    let State::Fence(open) = std::mem::replace(&mut self.state, State::Blocks)
                    else {
                        return;
                    };
                    self.close(&open, start, true);
                } else if !line.is_blank() && line.indent < open.column {
                    // The list item ends, and what is open inside it with it.
                    let State::Fence(open) = std::mem::replace(&mut self.state, State::Blocks)
                    else {
                        return;
                    };
                    self.never_closed(&open, start);
                    self.block(start, &line);
                } else {
                    open.swallowed |= Marker::of(&line).is_some_and(|m| m.language().is_some());
                }
            }
            State::Comment => {
                if text.contains("-->") {
                    self.state = State::Blocks;
                }
            }
            State::Blocks => self.block(start, &line),
        }
    }

    fn block(&mut self, start: usize, line: &Line<'_>) {
        if line.is_blank() {
            self.paragraph = None;
            return;
        }
        while self.items.last().is_some_and(|&column| column > line.indent) {
            self.items.pop();
            self.paragraph = None;
        }
        // What follows list markers on the same line belongs to the items they begin.
        let mut line = *line;
        while let Some(width) = line.list_marker(self.column()) {
            self.paragraph = None;
            line = line.without(width);
            self.items.push(line.indent);
        }
        let column = self.column();
        if line.indent > column + 3 {
            // Indented code, or the rest of a paragraph.
            return;
        }
        let at = start + line.offset;
        if let Some(marker) = Marker::of(&line) {
            self.paragraph = None;
            self.state = State::Fence(Open {
                language: marker.language(),
                span: Span::new(offset(at), offset(at + line.text.len())),
                content: start + line.whole,
                column,
                swallowed: false,
                marker: marker.owned(),
            });
        } else if line.text.starts_with("<!--") {
            self.paragraph = None;
            if !line.text.contains("-->") {
                self.state = State::Comment;
            }
        } else if let Some(heading) = line.heading() {
            self.paragraph = None;
            self.heading = Some(self.anchors.add(heading));
        } else if line.is_underline()
            && let Some(paragraph) = self.paragraph.take()
        {
            let text = self.source.text()[paragraph..start].trim();
            self.heading = Some(self.anchors.add(text));
        } else if self.paragraph.is_none() && !line.text.starts_with('>') {
            self.paragraph = Some(at);
        }
    }

    /// The column where the contents of the innermost list item begin.
    fn column(&self) -> usize {
        self.items.last().copied().unwrap_or(0)
    }

    fn end(mut self, end: usize) -> Vec<Fence> {
        if let State::Fence(open) = std::mem::replace(&mut self.state, State::Blocks) {
            self.never_closed(&open, end);
        }
        self.found
    }

    fn never_closed(&mut self, open: &Open, end: usize) {
        // A fence in another language matters only if it hides a diagram.
        if open.language.is_some() || open.swallowed {
            let fence = open.marker.spelling();
            self.diagnostics.push(
                Diagnostic::new(
                    Code::NEVER_CLOSED_FENCE,
                    self.source.id(),
                    open.span,
                    "this fence is never closed",
                )
                .with_help(format!("write a line with only {fence} after its last line")),
            );
        }
        self.close(open, end, false);
    }

    fn close(&mut self, open: &Open, end: usize, closed: bool) {
        let Some(language) = open.language else { return };
        let content = Span::new(offset(open.content), offset(end.max(open.content)));
        let is_sequence = match language {
            Language::Mermaid => mermaid::other_diagram(self.source.slice(content)).is_none(),
            Language::PlantUml => true,
        };
        if is_sequence {
            let heading = self.heading.clone();
            self.found.push(Fence { language, content, heading, closed });
        }
    }
}

#[cfg(test)]
mod tests;
