//! Diagrams in fenced code blocks of Markdown documents.
//!
//! `pulldown-cmark` finds the fences (of both kinds, also inside list items) and the headings. A diagram
//! in a block quote is ignored, since its lines are not contiguous in the source.
//!
//! A diagram is selected by its number in the document, or by the anchor of the heading above it, in
//! GitHub's spelling.

mod anchor;
mod marker;

use std::fmt::Write as _;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::diagram::mermaid;
use crate::source::{Source, Span, offset};
use crate::suggest;

use anchor::Anchors;
use marker::Marker;

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
    /// The language of the diagram.
    pub language: Language,
    /// The span between the fences.
    pub content: Span,
    /// The anchor of the nearest heading above it (`log-in` for `## Log in`).
    pub heading: Option<String>,
    /// Whether there is a closing fence; if not, the content extends to the end of its container.
    pub closed: bool,
}

/// All sequence diagrams in a document. Mermaid diagrams of other kinds are left out.
pub fn fences(source: &Source, diagnostics: &mut Vec<Diagnostic>) -> Vec<Fence> {
    let text = source.text();
    let first = marker::front_matter(text);
    let mut scan =
        Scan { source, diagnostics, found: Vec::new(), anchors: Anchors::default(), heading: None };
    // The depth of block quotes; and the open fenced block, if any: its span, and the end of the content
    // inside it.
    let mut quotes = 0_u32;
    let mut open: Option<Range<usize>> = None;
    let mut inner: Option<Range<usize>> = None;
    for (event, range) in Parser::new(&text[first..]).into_offset_iter() {
        let range = first + range.start..first + range.end;
        if let Event::Start(Tag::BlockQuote(_)) = event {
            quotes += 1;
        } else if let Event::End(TagEnd::BlockQuote(_)) = event {
            quotes -= 1;
        } else if quotes > 0 {
            continue;
        } else if let Event::Start(Tag::Heading { .. } | Tag::CodeBlock(CodeBlockKind::Fenced(_))) =
            event
        {
            open = Some(range);
            inner = None;
        } else if let Event::End(TagEnd::Heading(_)) = event {
            open = None;
            let text = inner.take().map_or("", |inner| &text[inner]);
            scan.heading = Some(scan.anchors.add(text));
        } else if let Event::End(TagEnd::CodeBlock) = event {
            if let Some(block) = open.take() {
                scan.fence(block, inner.take().map(|inner| inner.end));
            }
        } else if open.is_some() {
            let start = inner.as_ref().map_or(range.start, |inner| inner.start);
            inner = Some(start..range.end);
        }
    }
    scan.found
}

/// The diagram that `selector` denotes: its number in the document, from 1; the anchor of its
/// heading (`log-in`) or the heading itself (`Log in`); `log-in-2` for the second diagram under
/// a heading, unless a heading has that anchor. Without a selector, the only diagram.
///
/// # Errors
/// A diagnostic at the start of the document that lists the diagrams.
#[expect(
    clippy::result_large_err,
    reason = "called once for a document, and callers collect diagnostics by value"
)]
pub fn select<'a>(
    source: &Source,
    fences: &'a [Fence],
    selector: Option<&str>,
) -> Result<&'a Fence, Diagnostic> {
    let finding = |code, message: String, help: String| {
        Err(source.finding(code, Span::at(0), message).with_help(help))
    };
    if fences.is_empty() {
        let has_mermaid = source.text().lines().any(marker::opens_diagram);
        let help = if has_mermaid {
            "its Mermaid diagrams are of other kinds; a sequence diagram begins with `sequenceDiagram`"
        } else {
            "diagrams stand between a line ```mermaid or ```plantuml and a line ```"
        };
        let message = "this document has no sequence diagram".to_owned();
        return finding(Code::NO_DIAGRAM, message, help.to_owned());
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
        let under = |heading: &str| -> Vec<&Fence> {
            fences.iter().filter(|fence| fence.heading.as_deref() == Some(heading)).collect()
        };
        match under(name)[..] {
            [] => {}
            [only] => return Ok(only),
            ref several => {
                let message =
                    format!("there are {} diagrams under `{name}`; say which one", several.len());
                let help = format!(
                    "write `{name}-1`, `{name}-2`, …, or its number in the document; {}",
                    choices(source, fences)
                );
                return finding(Code::NO_SUCH_DIAGRAM, message, help);
            }
        }
        if let Some((heading, number)) = name.rsplit_once('-')
            && let Some(at) = number.parse::<usize>().ok().and_then(|n| n.checked_sub(1))
            && let Some(fence) = under(heading).get(at)
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

/// The state of a pass over the events of a document.
struct Scan<'a> {
    source: &'a Source,
    diagnostics: &'a mut Vec<Diagnostic>,
    found: Vec<Fence>,
    anchors: Anchors,
    heading: Option<String>,
}

impl Scan<'_> {
    /// Records the fenced block at `block` of the source, whose last content ends at `content_end`.
    fn fence(&mut self, block: Range<usize>, content_end: Option<usize>) {
        let text = self.source.text();
        let opening = text[block.clone()].lines().next().unwrap_or("").trim_end();
        let Some(marker) = Marker::of(opening) else { return };
        let start = text[block.start..].find('\n').map_or(text.len(), |at| block.start + at + 1);
        let end = content_end.unwrap_or(start).max(start);
        let content = Span::new(offset(start), offset(end));
        let closed = text.get(end..block.end).is_some_and(|rest| !rest.trim().is_empty());
        // An unclosed fence in another language is reported only if it hides a diagram.
        let hides = || self.source.slice(content).lines().any(marker::opens_diagram);
        if !closed && (marker.language().is_some() || hides()) {
            let span = Span::new(offset(block.start), offset(block.start + opening.len()));
            let help =
                format!("write a line with only {} after its last line", marker.closing_line());
            let found =
                self.source.finding(Code::NEVER_CLOSED_FENCE, span, "this fence is never closed");
            self.diagnostics.push(found.with_help(help));
        }
        let Some(language) = marker.language() else { return };
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
