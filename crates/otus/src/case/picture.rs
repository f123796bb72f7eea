//! The picture of a case and the lines that its events come from, as plain data for reports.

use std::fmt::Write as _;
use std::ops::Range;

use otus_draw::layout::failure::{FailurePicture, Options};
use serde::Serialize;

pub(crate) const LIMITS: Options =
    Options { max_events: 300, max_lifelines: 60, is_core_only: false };

/// The events of a case, and where each of them was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct CasePicture {
    pub(crate) diagram: FailurePicture,
    /// For each event: its line of a log. Only observed events that are drawn have one.
    pub(crate) logs: Vec<Option<Passage>>,
    /// For each event: the index of its place in [`CasePicture::specification`].
    pub(crate) places: Vec<Option<usize>>,
    /// The places of the specification that events come from.
    pub(crate) specification: Vec<Passage>,
}

/// Some lines of a file around a place.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Passage {
    /// The file and the line that the passage is about: `docs/mqtt.md:21`.
    pub(crate) place: String,
    /// The number of the first line here, from 1.
    pub(crate) first: u64,
    /// The lines; empty if they cannot be read again.
    pub(crate) lines: Vec<String>,
    /// The index of the line that the passage is about.
    pub(crate) marked: usize,
    /// The part of that line that is marked: character columns from 0, the end not included.
    pub(crate) columns: Option<[usize; 2]>,
}

/// The maximum number of characters of a line in a passage.
const LINE: usize = 2_000;

impl Passage {
    /// A passage of a single line, with its marked bytes. Of a very long line, only the beginning
    /// is kept.
    pub(crate) fn line(
        place: String,
        number: usize,
        mut text: String,
        meant: Option<Range<usize>>,
    ) -> Self {
        let letters = |end: usize| text.get(..end).map_or(0, |before| before.chars().count());
        let columns = meant.map(|meant| [letters(meant.start), letters(meant.end)]);
        if let Some((end, _)) = text.char_indices().nth(LINE) {
            let rest = text.len() - end;
            text.truncate(end);
            let _ = write!(text, " … ({rest} more bytes)");
        }
        Passage { place, first: number as u64, lines: vec![text], marked: 0, columns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn very_long_lines_are_cut_between_characters() {
        let line = |text: String| Passage::line(String::new(), 1, text, None).lines.remove(0);
        assert_eq!(line("é".repeat(LINE)), "é".repeat(LINE));
        assert_eq!(line("é".repeat(LINE + 3)), format!("{} … (6 more bytes)", "é".repeat(LINE)));
    }
}
