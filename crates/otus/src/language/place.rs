//! Places in files, and texts that are read for an answer.

use std::ops::Range;
use std::path::{Path, PathBuf};

use otus_syntax::{Source, SourceId};

use super::LARGEST;
use crate::files::{FileKind, Files};

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The file.
    pub path: PathBuf,
    /// The start of the place, in bytes.
    pub start: usize,
    /// The end of the place, in bytes.
    pub end: usize,
}

impl Location {
    pub(super) fn new(path: &Path, range: Range<usize>) -> Location {
        Location { path: path.to_owned(), start: range.start, end: range.end }
    }

    /// The place as a range.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// What is replaced.
    pub place: Location,
    /// The new text.
    pub text: String,
}

/// The text of a file; `None` if there is none, or it is too large or not UTF-8.
pub(super) fn read(files: &dyn Files, path: &Path) -> Option<Source> {
    // A pipe has no size, and reading it would never end.
    if files.kind(path) != Some(FileKind::File) || files.size(path)? > LARGEST {
        return None;
    }
    let text = String::from_utf8(files.read(path).ok()?).ok()?;
    // The file may have grown since its size was asked.
    (text.len() as u64 <= LARGEST)
        .then(|| Source::with_id(SourceId(0), path.to_string_lossy(), text))
}

/// The line that contains an offset, without its end, and where it begins.
pub(super) fn line_at(text: &str, at: usize) -> (usize, &str) {
    let at = text.floor_char_boundary(at.min(text.len()));
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    (start, text[start..end].trim_end_matches('\r'))
}

/// The word at an offset: letters, digits and `_`, and its place.
pub(super) fn word_at(text: &str, at: usize) -> Range<usize> {
    let at = text.floor_char_boundary(at.min(text.len()));
    let is_part = |c: &char| otus_syntax::name::is_name_char(*c);
    let before: usize = text[..at].chars().rev().take_while(is_part).map(char::len_utf8).sum();
    let after: usize = text[at..].chars().take_while(is_part).map(char::len_utf8).sum();
    at - before..at + after
}
