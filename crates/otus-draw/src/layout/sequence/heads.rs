//! The heads of lifelines: boxes with names, stick figures, cylinders and the like.

use std::f64::consts::PI;

use otus_core::{LifelineId, Signature};
use otus_syntax::ast::SpecFile;
use otus_syntax::drawing::{self, HeadKind};

use super::Options;
use super::rows::markup::plain;
use crate::colour::Colour;
use crate::geometry::{Point, Rect, float, point};
use crate::metrics::{Font, SMALL};
use crate::scene::{Anchor, Item, Role, Scene, Shape, Tone};

/// The text and symbol of a lifeline.
#[derive(Debug)]
pub(super) struct Head {
    kind: HeadKind,
    lines: Vec<String>,
    stereotype: Option<String>,
    colour: Option<Colour>,
    font: Font,
}

/// The height of a symbol above its text.
const SYMBOL: f64 = 40.0;

pub(super) fn font(options: &Options<'_>) -> Font {
    if options.compact { Font { size: 11.0, bold: true } } else { Font { size: 13.0, bold: true } }
}

/// The order of lifelines from left to right: first as the author drew them, then those of other
/// files.
pub(super) fn order(file: &SpecFile, signature: &Signature) -> Vec<LifelineId> {
    let drawn = file.drawing.iter().flat_map(|drawing| &drawing.heads);
    let mut order: Vec<LifelineId> = drawn
        .filter_map(|head| signature.lifeline(file.names.text(head.lifeline.symbol)))
        .collect();
    let mut is_in = vec![false; signature.lifeline_count()];
    order.retain(|lifeline| !std::mem::replace(&mut is_in[index(*lifeline)], true));
    let rest = signature.lifelines().map(|(lifeline, _)| lifeline);
    order.extend(rest.filter(|lifeline| !is_in[index(*lifeline)]));
    order
}

fn index(lifeline: LifelineId) -> usize {
    otus_core::index::Index::index(lifeline)
}

impl Head {
    /// The head of a lifeline: its label, or else its name.
    pub(super) fn of(
        file: &SpecFile,
        signature: &Signature,
        lifeline: LifelineId,
        options: &Options<'_>,
    ) -> Head {
        let name = signature.lifeline_name(lifeline);
        let is_it = |head: &&drawing::Head| file.names.text(head.lifeline.symbol) == name;
        let drawn = file.drawing.iter().flat_map(|drawing| &drawing.heads).find(is_it);
        let font = font(options);
        let text = signature.label(lifeline).unwrap_or(name);
        let room: f64 = if options.compact { 90.0 } else { 130.0 };
        let text = if drawn.is_some() { plain(text) } else { text.to_owned() };
        let lines = if text.contains('\n') {
            let lines = text.split('\n').flat_map(|line| font.wrap_to(line.trim(), 240.0, 4));
            lines.collect()
        } else {
            // A name of one word stays whole if it is not very long.
            let words = text.split_whitespace().map(|word| font.width(word));
            let longest = words.fold(0.0, f64::max).min(if options.compact { 0.0 } else { 190.0 });
            font.wrap_to(&text, room.max(longest), 4)
        };
        Head {
            kind: drawn.map(|head| head.kind).unwrap_or_default(),
            lines,
            stereotype: drawn.and_then(|head| head.stereotype.as_ref()).map(|s| format!("«{s}»")),
            colour: drawn.and_then(|head| Colour::of(head.colour.as_ref()?)),
            font,
        }
    }

    /// Half of its width.
    pub(super) fn half(&self) -> f64 {
        let stereotype = self.stereotype.as_ref().map_or(0.0, |text| SMALL.width(text));
        let text = self.font.widest(&self.lines).max(stereotype);
        if self.kind == HeadKind::Queue {
            return text / 2.0 + 16.0;
        }
        (text / 2.0 + 8.0).max(if self.has_symbol() { 18.0 } else { 0.0 })
    }

    pub(super) fn has_symbol(&self) -> bool {
        match self.kind {
            HeadKind::Participant | HeadKind::Collections | HeadKind::Queue => false,
            HeadKind::Actor
            | HeadKind::Boundary
            | HeadKind::Control
            | HeadKind::Entity
            | HeadKind::Database => true,
        }
    }

    fn text_height(&self) -> f64 {
        let stereotype = if self.stereotype.is_some() { SMALL.line_height() } else { 0.0 };
        self.font.height(self.lines.len()) + stereotype
    }

    pub(super) fn height(&self) -> f64 {
        self.text_height() + if self.has_symbol() { SYMBOL + 4.0 } else { 10.0 }
    }

    /// Draws the head with its lower side at `bottom`. Boxes are at least `least` high.
    pub(super) fn paint(&self, scene: &mut Scene, x: f64, bottom: f64, least: f64, subject: &str) {
        let height = if self.has_symbol() { self.height() } else { self.height().max(least) };
        let half = self.half();
        let rect = Rect { left: x - half, top: bottom - height, right: x + half, bottom };
        let before = scene.items.len();
        for shape in self.shapes(rect) {
            let is_area = !matches!(shape, Shape::Line(_));
            let colour = self.colour.clone().filter(|_| is_area);
            scene.push(Item::new(Role::Head, shape).colour(colour));
        }
        if let Some(item) = scene.items.get_mut(before) {
            item.subject = Some(subject.to_owned());
        }
        let above = if self.has_symbol() { SYMBOL + 2.0 } else { 0.0 };
        let room = rect.height() - above - self.text_height();
        let mut y = rect.top + above + if self.has_symbol() { 0.0 } else { room / 2.0 };
        if let Some(text) = &self.stereotype {
            let at = point(x, y);
            y = scene.lines(&[text], at, Anchor::Middle, SMALL, Role::Head, Tone::Normal);
        }
        scene.lines(&self.lines, point(x, y), Anchor::Middle, self.font, Role::Head, Tone::Normal);
    }

    fn shapes(&self, rect: Rect) -> Vec<Shape> {
        let x = rect.center().x;
        let line = |a: Point, b: Point| Item::line(Role::Head, a, b).shape;
        let disc = |y: f64, radius: f64| Shape::Disc { center: point(x, rect.top + y), radius };
        let at = |dx: f64, y: f64| point(x + dx, rect.top + y);
        match self.kind {
            HeadKind::Participant => vec![Shape::Box { rect, radius: 2.0 }],
            HeadKind::Collections => {
                let back = rect.shift(point(4.0, -4.0));
                let corners = vec![
                    point(back.left, back.top),
                    point(back.right, back.top),
                    point(back.right, back.bottom),
                    point(back.left, back.bottom),
                ];
                vec![Shape::Polygon(corners), Shape::Box { rect, radius: 2.0 }]
            }
            HeadKind::Actor => vec![
                disc(7.0, 6.0),
                line(at(0.0, 13.0), at(0.0, 26.0)),
                line(at(-11.0, 17.0), at(11.0, 17.0)),
                line(at(0.0, 26.0), at(-9.0, 38.0)),
                line(at(0.0, 26.0), at(9.0, 38.0)),
            ],
            HeadKind::Boundary => vec![
                disc(24.0, 13.0),
                line(at(-22.0, 12.0), at(-22.0, 36.0)),
                line(at(-22.0, 24.0), at(-13.0, 24.0)),
            ],
            HeadKind::Control => vec![
                disc(24.0, 13.0),
                line(at(-2.0, 11.0), at(4.0, 6.0)),
                line(at(-2.0, 11.0), at(5.0, 15.0)),
            ],
            HeadKind::Entity => {
                vec![disc(24.0, 13.0), line(at(-13.0, 38.0), at(13.0, 38.0))]
            }
            HeadKind::Database => {
                let mut outline = arc(at(0.0, 9.0), 17.0, 5.0, PI, 2.0 * PI);
                outline.extend(arc(at(0.0, 33.0), 17.0, 5.0, 0.0, PI));
                let rim = arc(at(0.0, 9.0), 17.0, 5.0, 0.0, 2.0 * PI);
                vec![Shape::Polygon(outline), Shape::Polygon(rim)]
            }
            HeadKind::Queue => {
                let (middle, tall) = (rect.center().y, rect.height() / 2.0);
                let (left, right) =
                    (point(rect.left + 6.0, middle), point(rect.right - 6.0, middle));
                let mut outline = arc(left, 6.0, tall, 0.5 * PI, 1.5 * PI);
                outline.extend(arc(right, 6.0, tall, -0.5 * PI, 0.5 * PI));
                let rim = arc(right, 6.0, tall, 0.0, 2.0 * PI);
                vec![Shape::Polygon(outline), Shape::Polygon(rim)]
            }
        }
    }
}

/// A part of an ellipse as a polyline.
fn arc(center: Point, wide: f64, tall: f64, from: f64, to: f64) -> Vec<Point> {
    let steps = 24;
    let at = |step: usize| {
        let angle = from + (to - from) * float(step) / float(steps);
        center + point(wide * angle.cos(), tall * angle.sin())
    };
    (0..=steps).map(at).collect()
}
