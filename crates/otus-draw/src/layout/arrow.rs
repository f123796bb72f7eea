//! The labelled edges of automata and searches, along the routes of a layered drawing.

use super::layered::{Edge, Layout};
use crate::geometry::{Point, Size, point};
use crate::metrics::Font;
use crate::scene::{Anchor, End, Item, Key, Role, Scene, Tone};

pub(super) const LABEL: Font = Font { size: 11.0, bold: false };

/// An edge between two nodes, given by their numbers.
pub(super) struct Arrow {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) label: Vec<String>,
    pub(super) tone: Tone,
}

impl Arrow {
    /// The edge as the layered drawing needs it, with the size of its label.
    pub(super) fn edge(&self) -> Edge {
        let (width, height) = (LABEL.widest(&self.label), LABEL.height(self.label.len()));
        Edge { from: self.from, to: self.to, label: Size { width, height } }
    }
}

pub(super) fn line(points: Vec<Point>, on: [Option<Key>; 2], tone: Tone) -> Item {
    Item::arrow(Role::Edge, points, [End::Plain, End::Filled], on).smooth().tone(tone)
}

/// Adds all arrows, and then their labels. `fitted` moves the ends of arrows to the borders of
/// nodes.
pub(super) fn paint(
    scene: &mut Scene,
    arrows: &[Arrow],
    layout: &Layout,
    keys: &[Key],
    anchor: Anchor,
    fitted: impl Fn(&Arrow, &[Point]) -> Vec<Point>,
) {
    for (arrow, route) in arrows.iter().zip(&layout.routes) {
        if !route.points.is_empty() {
            let on = [Some(keys[arrow.from]), Some(keys[arrow.to])];
            scene.push(line(fitted(arrow, &route.points), on, arrow.tone));
        }
    }
    for (arrow, route) in arrows.iter().zip(&layout.routes) {
        if let Some(rect) = route.label {
            let x = if anchor == Anchor::Middle { rect.center().x } else { rect.left };
            let at = point(x, rect.top);
            scene.lines(&arrow.label, at, anchor, LABEL, Role::Edge, arrow.tone);
        }
    }
}
