//! Parses texts to syntax trees and terms, for tests.

use crate::index::{RegionId, TermId};
use crate::pool::Pool;
use crate::set::LifelineSet;
use otus_syntax::ast::SpecFile;
use otus_syntax::{Source, SourceId, parse_spec};

/// The tree of a text. Its diagnostics are ignored: the tests here are not about the parser.
pub(crate) fn spec(text: &str) -> SpecFile {
    spec_with_id(0, text)
}

/// The tree of a text with a given source id, for specifications of several files.
pub(crate) fn spec_with_id(id: u32, text: &str) -> SpecFile {
    parse_spec(&Source::with_id(SourceId(id), "sample.hif", text)).tree
}

/// The region of the lifelines named by these letters. Letters that name no lifeline are ignored.
pub(crate) fn region(pool: &mut Pool, letters: &str) -> RegionId {
    let named = |letter: char| pool.signature().lifeline(&letter.to_string());
    let lifelines: LifelineSet = letters.chars().filter_map(named).collect();
    pool.intern_region(&lifelines)
}

/// The term of an interaction that declares names by using them.
pub(crate) fn interaction(text: &str) -> (Pool, TermId) {
    let mut file = spec(text);
    file.implicit = true;
    let lowered = crate::lower(&[&file]);
    assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
    (lowered.pool, lowered.term.expect("an interaction"))
}
