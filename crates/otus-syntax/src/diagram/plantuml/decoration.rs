//! The kinds of decoration in PlantUML.

use crate::diagram::picture::DecorationKind;

/// A construct without a counterpart in interactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decoration {
    Activation,
    Anchor,
    Autonumber,
    Box,
    Create,
    Cross,
    Delay,
    Destroy,
    Divider,
    Guard,
    Note,
    Order,
    Page,
    Pragma,
    Reference,
    Space,
    Style,
    Title,
}

impl DecorationKind for Decoration {
    fn plural(self) -> &'static str {
        match self {
            Decoration::Activation => "activation bars",
            Decoration::Anchor => "anchors and durations",
            Decoration::Autonumber => "message numbers",
            Decoration::Box => "boxes around participants",
            Decoration::Create => "creations of participants",
            Decoration::Cross => "the crosses of lost messages",
            Decoration::Delay => "delays",
            Decoration::Destroy => "destructions of participants",
            Decoration::Divider => "dividers",
            Decoration::Guard => "guards",
            Decoration::Note => "notes",
            Decoration::Order => "orders of participants",
            Decoration::Page => "pages",
            Decoration::Pragma => "pragmas and themes",
            Decoration::Reference => "references to other diagrams",
            Decoration::Space => "spaces",
            Decoration::Style => "styles and visibility",
            Decoration::Title => "titles, headers, footers and legends",
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "most decorations need no help")]
    fn help(self) -> Option<&'static str> {
        match self {
            Decoration::Cross => {
                Some("the arrow is a message that arrives; for one that is lost, write `A ->] : m`")
            }
            Decoration::Guard => Some("a condition is not checked: any operand can happen"),
            Decoration::Reference => {
                Some("copy the messages of the other diagram to have them checked")
            }
            Decoration::Delay => Some("time is not checked, only order"),
            _ => None,
        }
    }
}
