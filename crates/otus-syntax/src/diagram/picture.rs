//! Notes about decorations: the parts of a diagram that are not messages.
//!
//! Notes, titles, colours and activation bars have no counterpart in interactions. They are skipped, and
//! each kind is reported once, at its first occurrence. Each language has its own kinds.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::{SourceId, Span};

/// The kinds of decoration of a diagram language.
pub(super) trait DecorationKind: Copy + PartialEq {
    /// The name of the kind, in the plural.
    fn plural(self) -> &'static str;

    /// The help for users who expect a meaning.
    fn help(self) -> Option<&'static str>;
}

/// The decorations of one diagram.
#[derive(Debug)]
pub(super) struct Picture<K> {
    /// Each kind that occurs, with its first span and the number of its occurrences.
    kinds: Vec<(K, Span, usize)>,
}

impl<K> Default for Picture<K> {
    fn default() -> Self {
        Picture { kinds: Vec::new() }
    }
}

impl<K: DecorationKind> Picture<K> {
    /// Adds a decoration at `span`.
    pub(super) fn add(&mut self, kind: K, span: Span) {
        match self.kinds.iter_mut().find(|entry| entry.0 == kind) {
            Some(entry) => entry.2 += 1,
            None => self.kinds.push((kind, span, 1)),
        }
    }

    /// Reports one note for each kind, in the order of their first occurrences.
    pub(super) fn report(self, source: SourceId, diagnostics: &mut Vec<Diagnostic>) {
        for (kind, span, count) in self.kinds {
            let places = if count == 1 { String::new() } else { format!(" ({count} places)") };
            let message = format!("{} are kept in the picture only{places}", kind.plural());
            let mut note = Diagnostic::new(Code::PICTURE_ONLY, source, span, message);
            note.help = kind.help().map(str::to_owned);
            diagnostics.push(note);
        }
    }
}
