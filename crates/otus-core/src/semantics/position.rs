//! Positions in a term: words over {1, 2}.
//!
//! 1 is the left or only operand, 2 the right one; ε is the term itself. A position in an operand is the
//! position in the term without its first letter, so the table stores words as shared suffixes.

use std::fmt::Write as _;

use crate::index::IndexVec;

crate::define_id! {
    /// A position of a [`Positions`] table.
    pub PositionId;
}

/// A table of positions.
#[derive(Debug, Clone)]
pub struct Positions {
    /// For each id: the first letter and the rest. The first entry is ε, which refers to itself.
    words: IndexVec<PositionId, (u8, PositionId)>,
}

impl Default for Positions {
    fn default() -> Self {
        let mut words = IndexVec::default();
        words.push((0, Positions::ROOT));
        Positions { words }
    }
}

impl Positions {
    /// ε
    pub const ROOT: PositionId = PositionId(0);

    /// The position `letter.rest`.
    pub fn prefixed(&mut self, letter: u8, rest: PositionId) -> PositionId {
        self.words.push((letter, rest))
    }

    /// The letters of a position, outermost first.
    pub fn letters(&self, position: PositionId) -> impl Iterator<Item = u8> {
        let mut at = position;
        std::iter::from_fn(move || {
            let (letter, rest) = self.words[at];
            (at != Positions::ROOT).then(|| {
                at = rest;
                letter
            })
        })
    }

    /// The position as the papers write it: `1211`, or `ε`.
    pub fn text(&self, position: PositionId) -> String {
        let mut text = String::new();
        for letter in self.letters(position) {
            let _ = write!(text, "{letter}");
        }
        if text.is_empty() { "ε".to_owned() } else { text }
    }
}
