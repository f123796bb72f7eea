//! The kinds of decoration in Mermaid.

use crate::diagram::picture::DecorationKind;

/// A construct without a counterpart in interactions.
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

impl DecorationKind for Decoration {
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
        (self == Decoration::Guard).then_some("a condition is not checked: any operand can happen")
    }
}
