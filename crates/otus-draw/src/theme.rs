//! Themes: the strokes and fills of roles and tones.
//!
//! Tones can be distinguished without colour: faded and assumed items are dashed, bad and
//! active ones have wider strokes. Text has a contrast of at least 4.5 : 1 on its ground (WCAG 2.2, 1.4.3).

use crate::scene::{Role, Tone};

/// The colours of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// Dark ink on white.
    #[default]
    Light,
    /// Light ink on black.
    Dark,
    /// The colours that the viewer prefers (`prefers-color-scheme`); light by default.
    Auto,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ink {
    /// The colour of lines; `none` if there is none.
    pub(crate) stroke: &'static str,
    /// The colour of areas; `none` if there is none.
    pub(crate) fill: &'static str,
    pub(crate) width: f64,
    /// The lengths of dashes and gaps; empty for a full line.
    pub(crate) dash: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Palette {
    pub(crate) ground: &'static str,
    ink: &'static str,
    line: &'static str,
    quiet: &'static str,
    surface: &'static str,
    band: &'static str,
    note: &'static str,
    tones: [(&'static str, &'static str); 7],
}

/// Dark ink on a light background. Each tone has one colour for lines and text, and another for
/// areas.
pub(crate) const LIGHT: Palette = Palette {
    ground: "#ffffff",
    ink: "#1b1f27",
    line: "#4a5262",
    quiet: "#5f6877",
    surface: "#eef2f8",
    band: "#f4f6fa",
    note: "#fff8d6",
    tones: [
        ("", ""),
        ("#646c7a", "#f7f8fa"),
        ("#116329", "#e3f5e8"),
        ("#6f3fc4", "#f3edfd"),
        ("#a34a00", "#fdf0e2"),
        ("#b31d28", "#fdeaec"),
        ("#0a5cc0", "#e5f0fd"),
    ],
};

pub(crate) const DARK: Palette = Palette {
    ground: "#0f141b",
    ink: "#e8edf3",
    line: "#aab4c2",
    quiet: "#98a3b2",
    surface: "#1e2733",
    band: "#161d27",
    note: "#2e2a17",
    tones: [
        ("", ""),
        ("#8b95a4", "#151b24"),
        ("#63c882", "#12301d"),
        ("#bd9bff", "#271d40"),
        ("#ffa657", "#3a2410"),
        ("#ff8088", "#40181d"),
        ("#74b3ff", "#10284a"),
    ],
};

impl Palette {
    pub(crate) fn shape(&self, role: Role, tone: Tone) -> Ink {
        let (line, quiet, surface, band) = match tone {
            Tone::Normal => (self.line, self.quiet, self.surface, self.band),
            Tone::Faded
            | Tone::Good
            | Tone::Assumed
            | Tone::Doubtful
            | Tone::Bad
            | Tone::Active => {
                let (line, area) = self.tones[tone as usize];
                (line, line, area, area)
            }
        };
        let mut ink = match role {
            Role::Head => Ink { stroke: line, fill: surface, width: 1.2, dash: "" },
            Role::Lifeline => Ink { stroke: quiet, fill: "none", width: 1.0, dash: "5 4" },
            Role::Message => Ink { stroke: line, fill: "none", width: 1.3, dash: "" },
            Role::Frame => Ink { stroke: quiet, fill: "none", width: 1.0, dash: "" },
            Role::Tab => Ink { stroke: quiet, fill: surface, width: 1.0, dash: "" },
            Role::Separator => Ink { stroke: quiet, fill: "none", width: 1.0, dash: "7 4" },
            Role::Coregion => Ink { stroke: line, fill: "none", width: 2.0, dash: "" },
            Role::Event => Ink { stroke: line, fill: surface, width: 1.2, dash: "" },
            Role::Node => Ink { stroke: line, fill: self.ground, width: 1.0, dash: "" },
            Role::Edge => Ink { stroke: line, fill: "none", width: 1.0, dash: "" },
            Role::Cut => Ink { stroke: line, fill: "none", width: 1.1, dash: "" },
            Role::Band => Ink { stroke: "none", fill: band, width: 0.0, dash: "" },
            Role::Note => Ink { stroke: quiet, fill: self.note, width: 1.0, dash: "" },
            Role::Bar => Ink { stroke: line, fill: surface, width: 1.0, dash: "" },
            Role::Dimension => Ink { stroke: line, fill: "none", width: 0.9, dash: "" },
            Role::Text | Role::Aside => Ink { stroke: "none", fill: line, width: 0.0, dash: "" },
        };
        match tone {
            Tone::Normal | Tone::Good => {}
            Tone::Faded => ink.dash = "2 3",
            Tone::Assumed => ink.dash = "5 3",
            Tone::Doubtful => ink.dash = "7 2 2 2",
            Tone::Bad | Tone::Active => ink.width *= 1.6,
        }
        ink
    }

    pub(crate) fn text(&self, role: Role, tone: Tone) -> &'static str {
        match (tone, role) {
            (Tone::Normal, Role::Aside) => self.quiet,
            (Tone::Normal, _) => self.ink,
            (tone, _) => self.tones[tone as usize].0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: [Role; 17] = [
        Role::Head,
        Role::Lifeline,
        Role::Message,
        Role::Frame,
        Role::Tab,
        Role::Separator,
        Role::Coregion,
        Role::Event,
        Role::Node,
        Role::Edge,
        Role::Cut,
        Role::Band,
        Role::Note,
        Role::Bar,
        Role::Dimension,
        Role::Text,
        Role::Aside,
    ];

    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let byte = u8::from_str_radix(&colour[at..at + 2], 16).unwrap();
            let value = f64::from(byte) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    #[test]
    fn all_text_can_be_read() {
        for palette in [LIGHT, DARK] {
            for role in ROLES {
                for tone in Tone::ALL {
                    let area = palette.shape(role, tone).fill;
                    let grounds = [palette.ground, palette.band, palette.surface, area];
                    for ground in grounds.into_iter().filter(|ground| *ground != "none") {
                        if matches!(role, Role::Text | Role::Aside) && ground == area {
                            continue;
                        }
                        let text = palette.text(role, tone);
                        let (a, b) = (luminance(text), luminance(ground));
                        let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                        assert!(
                            contrast >= 4.5,
                            "{role:?} {tone:?} {text} on {ground}: {contrast}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn tones_differ_without_colour() {
        for role in [Role::Message, Role::Frame, Role::Edge, Role::Head] {
            let normal = LIGHT.shape(role, Tone::Normal);
            for tone in [Tone::Faded, Tone::Assumed, Tone::Doubtful, Tone::Bad, Tone::Active] {
                let ink = LIGHT.shape(role, tone);
                let same = (ink.width - normal.width).abs() < 0.1 && ink.dash == normal.dash;
                assert!(!same, "{role:?} {tone:?}");
            }
        }
    }
}
