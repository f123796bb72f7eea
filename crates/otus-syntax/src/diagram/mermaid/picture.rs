//! What only the picture has: reported once per kind, at its first place.

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::source::{SourceId, Span};

/// Constructs without a counterpart in interactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Picture {
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

impl Picture {
    const ALL: [Picture; 11] = [
        Picture::Settings,
        Picture::Title,
        Picture::Description,
        Picture::Numbering,
        Picture::Box,
        Picture::Lifecycle,
        Picture::Note,
        Picture::Activation,
        Picture::Links,
        Picture::Background,
        Picture::Guard,
    ];

    fn words(self) -> &'static str {
        match self {
            Picture::Settings => "settings",
            Picture::Title => "titles",
            Picture::Description => "descriptions for screen readers",
            Picture::Numbering => "message numbers",
            Picture::Box => "boxes around participants",
            Picture::Lifecycle => "creations and destructions of participants",
            Picture::Note => "notes",
            Picture::Activation => "activation bars",
            Picture::Links => "links and properties of participants",
            Picture::Background => "backgrounds",
            Picture::Guard => "guards",
        }
    }

    /// What to know when it was meant otherwise.
    fn help(self) -> Option<&'static str> {
        match self {
            Picture::Guard => Some("a condition is not checked: any operand can happen"),
            Picture::Settings
            | Picture::Title
            | Picture::Description
            | Picture::Numbering
            | Picture::Box
            | Picture::Lifecycle
            | Picture::Note
            | Picture::Activation
            | Picture::Links
            | Picture::Background => None,
        }
    }
}

/// How often each kind was seen, and where first.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    seen: [Option<(Span, u32)>; Picture::ALL.len()],
}

impl Pictures {
    pub(super) fn add(&mut self, picture: Picture, span: Span) {
        let (_, count) = self.seen[picture as usize].get_or_insert((span, 0));
        *count = count.saturating_add(1);
    }

    pub(super) fn report(&self, source: SourceId, diagnostics: &mut Vec<Diagnostic>) {
        for picture in Picture::ALL {
            if let Some((span, count)) = self.seen[picture as usize] {
                let words = picture.words();
                let times = match count {
                    1 => String::new(),
                    _ => format!(" ({count} places)"),
                };
                let message = format!("{words} are kept in the picture only{times}");
                let mut note = Diagnostic::new(Code::PICTURE_ONLY, source, span, message);
                note.help = picture.help().map(str::to_owned);
                diagnostics.push(note);
            }
        }
    }
}
