//! What belongs to the picture only, counted.
//!
//! Notes, titles, colours and activation bars say nothing about messages. They are read over, and
//! the user is told once for each kind, at its first place. Which kinds there are, each notation
//! says for itself.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::{SourceId, Span};

/// The kinds of decoration that a notation has.
pub(super) trait Kind: Copy + PartialEq {
    /// What to call several of them.
    fn plural(self) -> &'static str;

    /// What to know when it was meant otherwise.
    fn help(self) -> Option<&'static str>;
}

/// The decorations of one diagram.
#[derive(Debug)]
pub(super) struct Picture<K> {
    /// Each kind that was met, with its first place and how often.
    met: Vec<(K, Span, usize)>,
}

impl<K> Default for Picture<K> {
    fn default() -> Self {
        Picture { met: Vec::new() }
    }
}

impl<K: Kind> Picture<K> {
    /// A decoration stands at `span`.
    pub(super) fn meet(&mut self, kind: K, span: Span) {
        match self.met.iter_mut().find(|entry| entry.0 == kind) {
            Some(entry) => entry.2 += 1,
            None => self.met.push((kind, span, 1)),
        }
    }

    /// One note for each kind, in the order in which they were met.
    pub(super) fn report(self, source: SourceId, diagnostics: &mut Vec<Diagnostic>) {
        for (kind, span, count) in self.met {
            let places = if count == 1 { String::new() } else { format!(" ({count} places)") };
            let message = format!("{} are kept in the picture only{places}", kind.plural());
            let mut note = Diagnostic::new(Code::PICTURE_ONLY, source, span, message);
            note.help = kind.help().map(str::to_owned);
            diagnostics.push(note);
        }
    }
}
