//! What stands at a place: the meaning of a word, what is wrong there, a name and its uses, or the picture of a diagram.

use std::ops::Range;
use std::path::Path;

use otus_syntax::diagram::markdown::Language;
use otus_syntax::mentions::Use;
use otus_syntax::{Code, Source};

use super::diagnose::diagnose;
use super::place::{line_at, word_at};
use super::spots::{self, Spot};
use super::{Kind, family, meaning, place, regions, rename, settings};
use crate::context::Context;
use crate::draw::{self, DrawRequest, What};
use crate::format::Format;
use crate::spec::Spec;
use crate::units::counted;

/// A remark about a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// The place, in bytes.
    pub range: Range<usize>,
    /// The remark, as Markdown.
    pub text: String,
}

/// The number of columns of a picture in a remark.
const COLUMNS: usize = 100;

/// What stands at an offset; `None` if there is nothing to say.
pub fn hover(context: &Context, path: &Path, at: usize) -> Option<Hover> {
    let kind = Kind::of(path)?;
    let source = place::read(&*context.files, path)?;
    let word = word_at(source.text(), at);
    let mut parts = Vec::new();
    let mut range = word.clone();
    let spot = spots::at(&source, kind, at);
    match &spot {
        Some(spot) => {
            range = spot.range.clone();
            parts.push(name(context, path, spot));
        }
        None => parts.extend(meaning_of(&source, kind, at, &word)),
    }
    if spot.is_none() && is_head(&source, kind, at) {
        parts.extend(picture(context, path, &source, kind, at));
    }
    parts.extend(pages(context, path, at));
    (!parts.is_empty()).then(|| Hover { range, text: parts.join("\n\n---\n\n") })
}

/// A name with the place of its declaration and the number of its uses.
fn name(context: &Context, path: &Path, spot: &Spot) -> String {
    let all = rename::occurrences(context, path, spot);
    let total: usize = all.iter().map(|(_, _, spots)| spots.len()).sum();
    let count =
        |used| all.iter().flat_map(|(_, _, spots)| spots).filter(|spot| spot.used == used).count();
    let declared = all.iter().find_map(|(path, source, spots)| {
        let first = spots.iter().find(|spot| spot.used == Use::Declared)?;
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (line, _) = source.line_column(otus_syntax::source::offset(first.range.start));
        Some(format!("declared in {file}, line {line}"))
    });
    let declared = declared.unwrap_or_else(|| "declared by its use".to_owned());
    let (role, name) = (spot.role.name(), &spot.name);
    let places = format!("{} in {}", counted(total, "place"), counted(all.len(), "file"));
    let uses = match (count(Use::Sent), count(Use::Received)) {
        (0, 0) => String::new(),
        (sent, received) => {
            format!(", sent {}, received {}", counted(sent, "time"), counted(received, "time"))
        }
    };
    format!("**{role}** `{name}`\n\n{declared}; {places}{uses}")
}

/// The meaning of the word at a place.
fn meaning_of(source: &Source, kind: Kind, at: usize, word: &Range<usize>) -> Option<String> {
    let text = source.text();
    let written = &text[word.clone()];
    let found = match kind {
        Kind::Model(_) => {
            let before = text[..word.start].chars().next_back();
            let words = if before == Some('@') { meaning::SECTIONS } else { meaning::OPERATORS };
            meaning::find(words, written).or_else(|| meaning::find(meaning::OPTIONS, written))
        }
        Kind::Trace => None,
        Kind::Formulas => meaning::find(meaning::FORMULAS, written),
        Kind::Diagram(_) | Kind::Markdown => {
            let region = region_at(source, kind, at)?;
            let (start, line) = line_at(text, word.start);
            let before = &line[..word.start - start];
            if before.contains("otus:") {
                meaning::find(meaning::DIRECTIVES, written)
            } else if before.trim_matches([' ', '\t', '@']).is_empty() {
                match region.language {
                    Language::Mermaid => meaning::find(meaning::MERMAID, written),
                    Language::PlantUml => meaning::find(meaning::PLANTUML, written)
                        .or_else(|| meaning::find(meaning::PLANTUML, &format!("@{written}"))),
                }
            } else {
                None
            }
        }
        Kind::Settings => return setting(text, word),
    };
    found.map(meaning::Word::page)
}

/// The meaning of a key of `otus.toml`, from its schema.
fn setting(text: &str, word: &Range<usize>) -> Option<String> {
    let key = text.get(word.clone()).filter(|key| !key.is_empty())?;
    let (start, line) = line_at(text, word.start);
    let inside = word.end - start;
    let context = settings::Context::at(text, word.start);
    let found = if line.trim_start().starts_with('[') {
        // In a header, the path so far is that of the tables around the word.
        let head = &text[..start + inside];
        let closed = format!("{head}]\n");
        settings::Context::at(&closed, closed.len()).table_meaning()
    } else {
        context.meaning(key)
    };
    let meaning = found.filter(|meaning| !meaning.is_empty())?;
    Some(format!("**`{key}`**\n\n{meaning}"))
}

/// Whether a place begins a specification: its first word, or the line of its fence.
fn is_head(source: &Source, kind: Kind, at: usize) -> bool {
    let (start, line) = line_at(source.text(), at);
    match kind {
        Kind::Diagram(_) | Kind::Markdown => {
            let line = line.trim_start();
            let words = ["sequenceDiagram", "@startuml", "```", "~~~"];
            words.iter().any(|word| line.starts_with(word))
        }
        Kind::Model(_) => {
            let tree = otus_syntax::parse_spec(source).tree;
            let root = tree.interaction.map(|it| it.node(it.root).span.start as usize);
            root.is_some_and(|root| (start..=start + line.len()).contains(&root) && at <= root + 8)
        }
        Kind::Trace | Kind::Formulas | Kind::Settings => false,
    }
}

/// The diagram around an offset, or below it if it is on the line of the fence.
fn region_at(source: &Source, kind: Kind, at: usize) -> Option<regions::Region> {
    let (start, line) = line_at(source.text(), at);
    let end = start + line.len() + 1;
    let touches = |it: &regions::Region| {
        let range = it.span.range();
        range.contains(&at) || range.end == at || (start..=end).contains(&range.start)
    };
    regions::of(source, kind).into_iter().find(touches)
}

/// The specification as a picture of characters.
fn picture(
    context: &Context,
    path: &Path,
    source: &Source,
    kind: Kind,
    at: usize,
) -> Option<String> {
    let files = &*context.files;
    let text = match kind {
        Kind::Model(Format::Hsf | Format::Hif) => {
            let names = family::specifications(files, path).into_iter().next()?;
            let request = DrawRequest {
                names,
                what: Some(What::Sequence),
                width: COLUMNS,
                ..DrawRequest::default()
            };
            let drawing = draw::draw(context, &request).ok()?;
            drawing.text().ok()?.to_owned()
        }
        Kind::Diagram(_) | Kind::Markdown => {
            let region = region_at(source, kind, at)?;
            let mut name = path.to_string_lossy().into_owned();
            if let Some(selector) = &region.selector {
                name = format!("{name}#{selector}");
            }
            Spec::open(context, &[name]).ok()?.text(COLUMNS)?
        }
        Kind::Model(_) | Kind::Trace | Kind::Formulas | Kind::Settings => return None,
    };
    Some(format!("```text\n{}\n```", text.trim_end()))
}

/// The pages of the codes of the problems at a place.
fn pages(context: &Context, path: &Path, at: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for problem in diagnose(context, path) {
        let range = problem.place.range();
        let is_here = range.contains(&at) || range.end == at;
        let page = Code::parse(&problem.code).map(Code::page).filter(|_| is_here);
        if let Some(page) = page.filter(|page| !found.iter().any(|it| it == page)) {
            found.push(page.to_owned());
        }
    }
    found
}
