//! Trees for tests.

use otus_syntax::ast::SpecFile;
use otus_syntax::{Source, SourceId, parse_spec};

/// The tree of a text. What the parser has to say is not what these tests are about.
pub(crate) fn spec(text: &str) -> SpecFile {
    spec_with_id(0, text)
}

/// The same as a file among others.
pub(crate) fn spec_with_id(id: u32, text: &str) -> SpecFile {
    parse_spec(&Source::with_id(SourceId(id), "sample.hif", text)).tree
}
