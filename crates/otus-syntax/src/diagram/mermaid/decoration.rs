//! The kinds of decoration that Mermaid has.

use crate::diagram::picture::Kind;

/// Constructs without a counterpart in interactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decoration {
    Settings,
    Title,
    Description,
    Numbering,
    Box,
    Lifecycle,
    Note,
    Activation,
    Links,
    Background,
    Guard,
}

impl Kind for Decoration {
    fn plural(self) -> &'static str {
        match self {
            Decoration::Settings => "settings",
            Decoration::Title => "titles",
            Decoration::Description => "descriptions for screen readers",
            Decoration::Numbering => "message numbers",
            Decoration::Box => "boxes around participants",
            Decoration::Lifecycle => "creations and destructions of participants",
            Decoration::Note => "notes",
            Decoration::Activation => "activation bars",
            Decoration::Links => "links and properties of participants",
            Decoration::Background => "backgrounds",
            Decoration::Guard => "guards",
        }
    }

    fn help(self) -> Option<&'static str> {
        match self {
            Decoration::Guard => Some("a condition is not checked: any operand can happen"),
            Decoration::Settings
            | Decoration::Title
            | Decoration::Description
            | Decoration::Numbering
            | Decoration::Box
            | Decoration::Lifecycle
            | Decoration::Note
            | Decoration::Activation
            | Decoration::Links
            | Decoration::Background => None,
        }
    }
}
