//! Every place where a file names a lifeline, a message, a field or a variable.

use std::ops::Range;
use std::path::Path;

use otus_syntax::mentions::{self, Mentions, Role, Use};
use otus_syntax::{Source, parse_spec, parse_trace};

use super::{Kind, place, regions, settings};
use crate::files::Files;

/// A place where a file names something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) role: Role,
    pub(super) name: String,
    pub(super) range: Range<usize>,
    pub(super) used: Use,
}

/// The spots of a text that `wanted` selects, in its order. Long traces have millions, so the names of the others are not
/// copied.
pub(super) fn of_text(
    source: &Source,
    kind: Kind,
    wanted: impl Fn(Role, &str, &Range<usize>) -> bool,
) -> Vec<Spot> {
    let mut found = Vec::new();
    let mut keep = |all: &Mentions| {
        for mention in &all.all {
            let (name, range) = (all.text(mention.name.symbol), mention.name.span.range());
            if wanted(mention.role, name, &range) {
                let (role, used) = (mention.role, mention.used);
                found.push(Spot { role, name: name.to_owned(), range, used });
            }
        }
    };
    match kind {
        Kind::Model(_) => keep(&mentions::of_spec(&parse_spec(source).tree)),
        Kind::Trace => keep(&mentions::of_trace(source, &parse_trace(source).tree)),
        Kind::Diagram(_) | Kind::Markdown => {
            for region in regions::of(source, kind) {
                keep(&region.mentions(source));
            }
        }
        Kind::Settings => {
            found = settings::spots(source);
            found.retain(|spot| wanted(spot.role, &spot.name, &spot.range));
        }
        Kind::Formulas => {}
    }
    found
}

/// The spots of a file, or none if it cannot be read.
pub(super) fn of_file(
    files: &dyn Files,
    path: &Path,
    wanted: impl Fn(Role, &str, &Range<usize>) -> bool,
) -> Option<(Source, Vec<Spot>)> {
    let kind = Kind::of(path)?;
    let source = place::read(files, path)?;
    let found = of_text(&source, kind, wanted);
    Some((source, found))
}

/// The spot at an offset; the smallest if several are.
pub(super) fn at(source: &Source, kind: Kind, at: usize) -> Option<Spot> {
    let found = of_text(source, kind, |_, _, range| range.contains(&at) || range.end == at);
    found.into_iter().min_by_key(|spot| (spot.range.len(), spot.range.end == at))
}
