//! The markers of points in a plot. Series have different markers, so that they can be distinguished in black and
//! white.

use crate::geometry::{Point, point};
use crate::scene::{Item, Role, Shape, Tone};

/// The marker of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mark {
    /// A disc.
    #[default]
    Disc,
    /// A square.
    Square,
    /// A square on a corner.
    Diamond,
    /// A triangle that points up.
    Triangle,
}

impl Mark {
    /// The marker of a point, with a size and a tone. A dashed outline of a few pixels is not recognizable, so markers
    /// in dashed tones are filled.
    pub(super) fn item(self, at: Point, radius: f64, tone: Tone) -> Item {
        let shape = match self {
            Mark::Disc => Shape::Disc { center: at, radius },
            Mark::Square => {
                Self::around(at, radius * 0.9, [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
            }
            Mark::Diamond => {
                Self::around(at, radius * 1.3, [(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)])
            }
            Mark::Triangle => {
                Self::around(at, radius * 1.25, [(0.0, -1.0), (0.87, 0.5), (-0.87, 0.5)])
            }
        };
        let role = match tone {
            Tone::Normal | Tone::Good | Tone::Bad | Tone::Active => Role::Event,
            Tone::Faded | Tone::Assumed | Tone::Doubtful => Role::Aside,
        };
        Item::new(role, shape).tone(tone)
    }

    fn around<const N: usize>(at: Point, radius: f64, corners: [(f64, f64); N]) -> Shape {
        Shape::Polygon(corners.iter().map(|(x, y)| at + point(x * radius, y * radius)).collect())
    }
}
