//! Notes about the parts of a diagram that are not plain messages.
//!
//! Notes, titles, colours and activation bars have no counterpart in interactions: they are kept in the
//! picture only. Other constructs have a meaning that not every author would guess (an arrow with a cross is a
//! lost message). Each kind of both is reported once, at its first occurrence.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::parser::Findings;
use crate::source::Span;

/// A kind of construct that is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decoration {
    /// The name of the construct in the plural.
    name: &'static str,
    /// The meaning of the construct; `None` if it is kept in the picture only.
    meaning: Option<&'static str>,
}

impl Decoration {
    pub(super) const ACTIVATION: Self = shown("activation bars");
    pub(super) const ANCHOR: Self = shown("anchors and durations");
    pub(super) const BACKGROUND: Self = shown("backgrounds");
    pub(super) const BOX: Self = shown("boxes around participants");
    pub(super) const CREATE: Self = shown("creations of participants");
    pub(super) const CROSS: Self = shown("crosses at the sender's end of an arrow");
    pub(super) const DELAY: Self = shown("delays");
    pub(super) const DESCRIPTION: Self = shown("descriptions for screen readers");
    pub(super) const DESTROY: Self = shown("destructions of participants");
    pub(super) const DIVIDER: Self = shown("dividers");
    pub(super) const GUARD: Self = shown("guards");
    pub(super) const HEADING: Self = shown("titles, headers, footers and legends");
    pub(super) const LIFECYCLE: Self = shown("creations and destructions of participants");
    pub(super) const LINKS: Self = shown("links and properties of participants");
    pub(super) const NOTE: Self = shown("notes");
    pub(super) const NUMBERING: Self = shown("message numbers");
    pub(super) const ORDER: Self = shown("orders of participants");
    pub(super) const PAGE: Self = shown("pages");
    pub(super) const PRAGMA: Self = shown("pragmas and themes");
    pub(super) const REFERENCE: Self = shown("references to other diagrams");
    pub(super) const SETTINGS: Self = shown("settings");
    pub(super) const SPACE: Self = shown("spaces");
    pub(super) const STYLE: Self = shown("styles and visibility");
    pub(super) const TITLE: Self = shown("titles");
    pub(super) const HIDDEN: Self = shown("hidden arrows");
    pub(super) const SPRITE: Self = shown("sprites");

    pub(super) const LOST: Self =
        meant("arrows with a cross", "are lost messages: sent, never received");
    pub(super) const BOTH: Self =
        meant("arrows in both directions", "are two messages, one each way, in either order");
    pub(super) const OPTION: Self = meant(
        "the options of `critical`",
        "follow the critical part, and at most one of them happens",
    );
    pub(super) const ATOMIC: Self = meant(
        "`critical` fragments inside `par`",
        "are in order, but other operands may interleave",
    );
    pub(super) const UNNAMED: Self = meant("arrows without a text", "are messages named `unnamed`");
    pub(super) const BESIDE: Self =
        meant("lines that begin with `&`", "happen in parallel with the line before");
    pub(super) const MULTICAST: Self = meant("arrows to several targets", "are broadcasts");
    pub(super) const SINGLE_ALT: Self =
        meant("`alt` fragments without `else`", "are optional, like `opt`");
    pub(super) const DIVIDED: Self =
        meant("the parts of a fragment that `else` separates", "are alternatives");

    /// The help for users who expect a meaning.
    fn help(self) -> Option<&'static str> {
        match self {
            Self::CROSS => Some("the message arrives; one that is lost is written `A ->x B : m`"),
            Self::LOST => Some("write an arrow without a cross if the message is received"),
            Self::BOTH => Some("write two arrows if one message comes first"),
            Self::OPTION => Some(
                "put `%% otus: critical alt` above it if an option happens instead of that part",
            ),
            Self::UNNAMED => Some("write the message after a colon, as logs name it"),
            Self::DELAY => Some("time is not checked, only order"),
            Self::GUARD => Some("a condition is not checked: any operand can happen"),
            Self::REFERENCE => Some("copy the messages of the other diagram to have them checked"),
            _ => None,
        }
    }
}

const fn shown(name: &'static str) -> Decoration {
    Decoration { name, meaning: None }
}

const fn meant(name: &'static str, meaning: &'static str) -> Decoration {
    Decoration { name, meaning: Some(meaning) }
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
            let (code, meaning) = match kind.meaning {
                None => (Code::PICTURE_ONLY, "are kept in the picture only"),
                Some(meaning) => (Code::READ_BY_CONVENTION, meaning),
            };
            let message = format!("{} {meaning}{places}", kind.name);
            let note = findings.finding(code, span, message);
            findings.push(Diagnostic { help: kind.help().map(str::to_owned), ..note });
        }
    }
}
