//! The text of the specification: the places of terms, and excerpts.

use std::ops::Range;

use otus_core::{Lowered, TermId};
use otus_syntax::{Source, Span, excerpt};

use crate::case::{Columns, Passage, Place};
use crate::load::Loaded;

#[derive(Debug)]
pub(crate) struct SpecText {
    sources: Vec<Source>,
    /// The specification without its pool; it has the places of terms.
    lowered: Lowered,
    /// The terms of the interaction's nodes with their places, in the order of the text.
    nodes: Vec<(TermId, Span)>,
    pub(crate) files: Vec<String>,
    /// The index of the text that has the interaction.
    interaction: Option<usize>,
}

impl SpecText {
    /// Keeps the needed parts of a specification whose pool has been taken.
    pub(crate) fn new(loaded: &Loaded, lowered: Lowered) -> SpecText {
        let files = loaded.specs.first().map(|spec| spec.files.as_slice()).unwrap_or_default();
        let interaction = lowered.file.and_then(|file| files.get(file)?.interaction.as_ref());
        let nodes = interaction.map(|tree| tree.nodes.as_slice()).unwrap_or_default();
        let mut nodes: Vec<(TermId, Span)> =
            lowered.nodes.iter().zip(nodes).map(|(&term, node)| (term, node.span)).collect();
        nodes.sort_by_key(|(_, span)| (span.start, span.end));
        let mut names: Vec<String> = Vec::new();
        for file in files {
            let name = loaded.sources.source(file.source).name();
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        let interaction = lowered.file.and_then(|file| files.get(file));
        let interaction = interaction.map(|file| file.source.0 as usize);
        SpecText { sources: loaded.sources.all.clone(), lowered, nodes, files: names, interaction }
    }

    /// The place of a term, its line, and the bytes of the line that are marked. If the term occurs at several
    /// places, the one within another given term is chosen, if there is one.
    pub(crate) fn excerpt(
        &self,
        term: TermId,
        within: Option<TermId>,
        places: u64,
    ) -> Option<Excerpt> {
        let (source, mut span) = self.lowered.place(term)?;
        let around = within.filter(|_| places > 1).and_then(|within| self.lowered.place(within));
        if let Some((_, around)) = around {
            let inside = |span: &Span| span.start >= around.start && span.end <= around.end;
            let nodes = self.nodes.iter().filter(|(other, _)| *other == term);
            let mut all: Vec<Span> = nodes.map(|&(_, span)| span).collect();
            all.extend(self.lowered.places(term));
            let first = all.into_iter().filter(inside).min_by_key(|span| span.start);
            span = first.unwrap_or(span);
        }
        let source = self.sources.get(source.0 as usize)?;
        Some(excerpt_of(source, span))
    }

    /// The text that has the interaction.
    pub(crate) fn interaction(&self) -> Option<&Source> {
        self.sources.get(self.interaction?)
    }

    /// The line of a place of the interaction.
    pub(crate) fn excerpt_at(&self, span: Span) -> Option<Excerpt> {
        Some(excerpt_of(self.interaction()?, span))
    }

    /// The lines around a term, for a page.
    pub(crate) fn passage(&self, term: TermId) -> Option<Passage> {
        let (source, span) = self.lowered.place(term)?;
        let source = self.sources.get(source.0 as usize)?;
        let Excerpt { place: at, text, span: marked } = excerpt_of(source, span);
        let (number, name) = (at.line, at.in_line());
        let (first, last) = (number.saturating_sub(AROUND).max(1), number + AROUND);
        let lines: Vec<String> = source
            .text()
            .lines()
            .take(last)
            .skip(first - 1)
            .map(|line| line.trim_end().to_owned())
            .collect();
        let is_long = |line: &String| line.len() > WIDEST;
        let (Some(columns), false) = (at.columns, lines.iter().any(is_long)) else {
            return Some(Passage::line(name, number, text, Some(marked)));
        };
        let meant = lines.get(number - first)?;
        let end = if columns.end_line == number { columns.end - 1 } else { meant.chars().count() };
        Some(Passage {
            place: name,
            first: first as u64,
            lines,
            marked: number - first,
            columns: Some([columns.start - 1, end]),
        })
    }
}

/// The number of lines that are shown before and after a place, and the maximum length of a line
/// for which they are shown.
const AROUND: usize = 2;
const WIDEST: usize = 200;

#[derive(Debug, Clone)]
pub(crate) struct Excerpt {
    pub(crate) place: Place,
    /// The first line of the place, or the part of the line around the place if the line is long.
    pub(crate) text: String,
    /// The marked bytes of that text.
    pub(crate) span: Range<usize>,
}

pub(crate) fn excerpt_of(source: &Source, span: Span) -> Excerpt {
    let (line, start) = source.line_column(span.start);
    let (end_line, end) = source.line_column(span.end);
    let columns = Some(Columns { start, end_line, end });
    let place = Place { file: source.name().to_owned(), line, columns };
    let (text, span) = excerpt::line(source.text(), span.range());
    Excerpt { place, text, span }
}
