//! Draws notes, dividers, delays and references.

use otus_syntax::drawing::{NotePlace, NoteShape};

use super::Painter;
use crate::geometry::{Rect, point};
use crate::layout::sequence::columns::{HEXAGON, NOTE_GAP, NOTE_PADDING, NOTE_WING};
use crate::layout::sequence::rows::{Across, Note, Reference};
use crate::metrics::{PLAIN, SMALL, STRONG};
use crate::scene::{Anchor, Item, Role, Shape, Tone};

/// The size of the folded corner of a note.
const FOLD: f64 = 7.0;

impl Painter<'_> {
    pub(super) fn note(&mut self, note: &Note) {
        let x = |lifeline: usize| self.columns.x.get(lifeline).copied().unwrap_or_default();
        let (first, last) = note.span;
        let width = note.width();
        let aside = note.beside.unwrap_or_default() + NOTE_GAP;
        let (left, right) = match note.place {
            NotePlace::Left => (x(first) - aside - width, x(first) - aside),
            NotePlace::Right => (x(last) + aside, x(last) + aside + width),
            NotePlace::Over | NotePlace::Across => self.over(note.span, width),
        };
        let side = usize::from(note.place == NotePlace::Right);
        let beside = note.beside.is_some() && self.latest.is_some();
        let top = if beside { self.beside[side] } else { self.y };
        let bottom = top + PLAIN.height(note.lines.len().max(1)) + 8.0;
        let rect = Rect { left, top, right, bottom };
        for item in sheet(note.shape, rect) {
            self.front.push(item.colour(note.colour.clone()));
        }
        let tip = if note.shape == NoteShape::Hexagon { HEXAGON } else { 0.0 };
        let is_aside = matches!(note.place, NotePlace::Left | NotePlace::Right);
        if is_aside || note.is_list() {
            let half = PLAIN.widest(&note.lines) / 2.0;
            let left = if is_aside { left + NOTE_PADDING + tip } else { rect.center().x - half };
            let mut y = top + 4.0;
            for line in &note.lines[..] {
                let text = line.trim_start();
                let indent = PLAIN.width(&line[..line.len() - text.len()]);
                let at = point(left + indent, y);
                y = self.front.lines(&[text], at, Anchor::Start, PLAIN, Role::Note, Tone::Normal);
            }
        } else {
            let at = point(rect.center().x, top + 4.0);
            let (role, tone) = (Role::Note, Tone::Normal);
            self.front.lines(&note.lines, at, Anchor::Middle, PLAIN, role, tone);
        }
        self.y = self.y.max(bottom + self.gap);
        if beside {
            self.beside[side] = bottom + 4.0;
        } else {
            self.latest = None;
        }
    }

    /// The left and the right side of a box over lifelines.
    fn over(&self, (first, last): (usize, usize), width: f64) -> (f64, f64) {
        let x = |lifeline: usize| self.columns.x.get(lifeline).copied().unwrap_or_default();
        if first == last {
            let half = (width / 2.0).max(NOTE_WING);
            return (x(first) - half, x(first) + half);
        }
        (x(first) - NOTE_WING, x(last) + NOTE_WING)
    }

    /// A divider between two lines, or a delay on a band.
    pub(super) fn across(&mut self, across: &Across) {
        let [left, right] = self.columns.whole;
        let middle = f64::midpoint(left, right);
        let font = if across.ruled { STRONG } else { PLAIN };
        let top = self.y + 6.0;
        let height = font.height(across.lines.len().max(1)) + 6.0;
        let rect = Rect { left, top, right, bottom: top + height };
        if across.ruled {
            let half = font.widest(&across.lines) / 2.0 + 10.0;
            let text = Rect { left: middle - half, right: middle + half, ..rect };
            let is_mute = across.lines.is_empty();
            let parts = [(left, if is_mute { right } else { text.left }), (text.right, right)];
            for y in [rect.center().y - 1.5, rect.center().y + 1.5] {
                for (from, to) in parts.into_iter().take(if is_mute { 1 } else { 2 }) {
                    let line = Item::line(Role::Frame, point(from, y), point(to, y));
                    self.back.push(line);
                }
            }
            if !is_mute {
                self.front.push(Item::rect(Role::Note, text));
            }
        } else {
            self.front.push(Item::rect(Role::Band, rect));
        }
        let role = if across.ruled { Role::Note } else { Role::Band };
        let dots = ["⋯".to_owned()];
        let is_mute = across.lines.is_empty() && !across.ruled;
        let lines: &[String] = if is_mute { &dots } else { &across.lines };
        let at = point(middle, top + 3.0);
        self.front.lines(lines, at, Anchor::Middle, font, role, Tone::Normal);
        self.y = rect.bottom + 6.0 + self.gap;
    }

    pub(super) fn reference(&mut self, reference: &Reference) {
        let span = (reference.over[0], reference.over[reference.over.len() - 1]);
        let width = PLAIN.widest(&reference.lines).max(60.0) + 2.0 * NOTE_PADDING;
        let (left, right) = self.over(span, width);
        let top = self.y + 2.0;
        let tab = SMALL.line_height() + 3.0;
        let bottom = top + tab + PLAIN.height(reference.lines.len()) + 8.0;
        let rect = Rect { left, top, right, bottom };
        self.front.push(Item::rect(Role::Event, rect));
        let end = left + SMALL.width("ref") + 10.0;
        let corner = vec![
            point(left, top),
            point(end + 6.0, top),
            point(end + 6.0, top + tab - 5.0),
            point(end + 1.0, top + tab),
            point(left, top + tab),
        ];
        self.front.push(Item::new(Role::Tab, Shape::Polygon(corner)));
        let at = point(left + 5.0, top + 1.5);
        self.front.lines(&["ref"], at, Anchor::Start, SMALL, Role::Tab, Tone::Normal);
        let at = point(rect.center().x, top + tab + 2.0);
        self.front.lines(&reference.lines, at, Anchor::Middle, PLAIN, Role::Event, Tone::Normal);
        self.y = bottom + self.gap;
    }
}

/// The outline of a note.
fn sheet(shape: NoteShape, rect: Rect) -> Vec<Item> {
    let Rect { left, top, right, bottom } = rect;
    let polygon =
        |points: Vec<crate::geometry::Point>| Item::new(Role::Note, Shape::Polygon(points));
    match shape {
        NoteShape::Rectangle => vec![Item::rect(Role::Note, rect)],
        NoteShape::Hexagon => {
            let middle = rect.center().y;
            vec![polygon(vec![
                point(left, middle),
                point(left + HEXAGON, top),
                point(right - HEXAGON, top),
                point(right, middle),
                point(right - HEXAGON, bottom),
                point(left + HEXAGON, bottom),
            ])]
        }
        NoteShape::Sheet => {
            let (fold, below) = (point(right - FOLD, top), point(right, top + FOLD));
            let outline =
                vec![point(left, top), fold, below, point(right, bottom), point(left, bottom)];
            let corner = vec![fold, point(right - FOLD, top + FOLD), below];
            vec![polygon(outline), polygon(corner)]
        }
    }
}
