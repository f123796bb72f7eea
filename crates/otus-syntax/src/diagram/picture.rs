//! Notes about decorations: the parts of a diagram that are not messages.
//!
//! Notes, titles, colours and activation bars have no counterpart in interactions. They are skipped, and
//! each kind is reported once, at its first occurrence.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::parser::Findings;
use crate::source::Span;

/// A kind of decoration, by its name in the plural.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decoration(&'static str);

impl Decoration {
    pub(super) const ACTIVATION: Self = Decoration("activation bars");
    pub(super) const ANCHOR: Self = Decoration("anchors and durations");
    pub(super) const BACKGROUND: Self = Decoration("backgrounds");
    pub(super) const BOX: Self = Decoration("boxes around participants");
    pub(super) const CREATE: Self = Decoration("creations of participants");
    pub(super) const CROSS: Self = Decoration("the crosses of lost messages");
    pub(super) const DELAY: Self = Decoration("delays");
    pub(super) const DESCRIPTION: Self = Decoration("descriptions for screen readers");
    pub(super) const DESTROY: Self = Decoration("destructions of participants");
    pub(super) const DIVIDER: Self = Decoration("dividers");
    pub(super) const GUARD: Self = Decoration("guards");
    pub(super) const HEADING: Self = Decoration("titles, headers, footers and legends");
    pub(super) const LIFECYCLE: Self = Decoration("creations and destructions of participants");
    pub(super) const LINKS: Self = Decoration("links and properties of participants");
    pub(super) const NOTE: Self = Decoration("notes");
    pub(super) const NUMBERING: Self = Decoration("message numbers");
    pub(super) const ORDER: Self = Decoration("orders of participants");
    pub(super) const PAGE: Self = Decoration("pages");
    pub(super) const PRAGMA: Self = Decoration("pragmas and themes");
    pub(super) const REFERENCE: Self = Decoration("references to other diagrams");
    pub(super) const SETTINGS: Self = Decoration("settings");
    pub(super) const SPACE: Self = Decoration("spaces");
    pub(super) const STYLE: Self = Decoration("styles and visibility");
    pub(super) const TITLE: Self = Decoration("titles");

    /// The help for users who expect a meaning.
    fn help(self) -> Option<&'static str> {
        match self {
            Self::CROSS => {
                Some("the arrow is a message that arrives; for one that is lost, write `A ->] : m`")
            }
            Self::DELAY => Some("time is not checked, only order"),
            Self::GUARD => Some("a condition is not checked: any operand can happen"),
            Self::REFERENCE => Some("copy the messages of the other diagram to have them checked"),
            _ => None,
        }
    }
}

/// The decorations of one diagram.
#[derive(Debug, Default)]
pub(super) struct Picture {
    /// Each kind that occurs, with its first span and the number of its occurrences.
    kinds: Vec<(Decoration, Span, usize)>,
}

impl Picture {
    pub(super) fn add(&mut self, kind: Decoration, span: Span) {
        match self.kinds.iter_mut().find(|entry| entry.0 == kind) {
            Some(entry) => entry.2 += 1,
            None => self.kinds.push((kind, span, 1)),
        }
    }

    /// Reports one note for each kind, in the order of their first occurrences.
    pub(super) fn report(self, findings: &mut Findings) {
        for (kind, span, count) in self.kinds {
            let places = if count == 1 { String::new() } else { format!(" ({count} places)") };
            let message = format!("{} are kept in the picture only{places}", kind.0);
            let note = findings.finding(Code::PICTURE_ONLY, span, message);
            findings.push(Diagnostic { help: kind.help().map(str::to_owned), ..note });
        }
    }
}
