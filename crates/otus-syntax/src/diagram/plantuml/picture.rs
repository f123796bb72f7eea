//! What belongs to the picture only, counted.
//!
//! Notes, titles, colours and activation bars say nothing about messages. They are read over, and
//! the user is told once for each kind, at its first place.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::{SourceId, Span};

/// The kinds of decoration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

impl Decoration {
    /// What to call several of them.
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

    /// What to do when it was meant otherwise.
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
            Decoration::Activation
            | Decoration::Anchor
            | Decoration::Autonumber
            | Decoration::Box
            | Decoration::Create
            | Decoration::Destroy
            | Decoration::Divider
            | Decoration::Note
            | Decoration::Order
            | Decoration::Page
            | Decoration::Pragma
            | Decoration::Space
            | Decoration::Style
            | Decoration::Title => None,
        }
    }
}

/// The decorations of one diagram.
#[derive(Debug, Default)]
pub(super) struct Picture {
    /// Each kind that was met, with its first place and how often.
    met: Vec<(Decoration, Span, usize)>,
}

impl Picture {
    /// A decoration stands at `span`.
    pub(super) fn meet(&mut self, decoration: Decoration, span: Span) {
        match self.met.iter_mut().find(|entry| entry.0 == decoration) {
            Some(entry) => entry.2 += 1,
            None => self.met.push((decoration, span, 1)),
        }
    }

    /// One note for each kind.
    pub(super) fn report(self, source: SourceId, diagnostics: &mut Vec<Diagnostic>) {
        for (decoration, span, count) in self.met {
            let places = if count == 1 { String::new() } else { format!(" ({count} places)") };
            let message = format!("{} are kept in the picture only{places}", decoration.plural());
            let mut diagnostic = Diagnostic::new(Code::PICTURE_ONLY, source, span, message);
            diagnostic.help = decoration.help().map(str::to_owned);
            diagnostics.push(diagnostic);
        }
    }
}
