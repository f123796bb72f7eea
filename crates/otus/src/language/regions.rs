//! The diagrams of a text: one in a `.mmd` or `.puml`, any number in a Markdown document.

use otus_syntax::diagram::language_of;
use otus_syntax::diagram::markdown::{self, Language};
use otus_syntax::mentions::{self, Mentions};
use otus_syntax::{Source, Span};

use super::Kind;

/// A diagram in a text.
#[derive(Debug, Clone)]
pub(super) struct Region {
    pub(super) span: Span,
    pub(super) language: Language,
    /// What `otus` calls it behind the name of its document: a heading or a number.
    pub(super) selector: Option<String>,
}

impl Region {
    pub(super) fn mentions(&self, source: &Source) -> Mentions {
        mentions::of_diagram(source, self.span, self.language, None)
    }
}

/// The diagrams of a text, in its order; none if texts of this kind have no diagrams.
pub(super) fn of(source: &Source, kind: Kind) -> Vec<Region> {
    match kind {
        Kind::Diagram(language) => {
            let language = language_of(source.text()).unwrap_or(language);
            vec![Region { span: source.whole(), language, selector: None }]
        }
        Kind::Markdown => {
            let fences = markdown::fences(source, &mut Vec::new());
            let region = |(at, fence): (usize, &markdown::Fence)| Region {
                span: fence.content,
                language: language_of(source.slice(fence.content)).unwrap_or(fence.language),
                selector: Some(selector(at, fence, &fences)),
            };
            fences.iter().enumerate().map(region).collect()
        }
        Kind::Model(_) | Kind::Trace | Kind::Formulas | Kind::Settings => Vec::new(),
    }
}

/// The heading of a diagram if no other diagram has it, or else its number.
fn selector(at: usize, fence: &markdown::Fence, all: &[markdown::Fence]) -> String {
    let is_unique = |heading: &&String| {
        all.iter().filter(|it| it.heading.as_ref() == Some(heading)).count() == 1
            && heading.parse::<usize>().is_err()
    };
    match fence.heading.as_ref().filter(is_unique) {
        Some(heading) => heading.clone(),
        None => (at + 1).to_string(),
    }
}
