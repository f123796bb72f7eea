//! Draws frames with their tabs, guards and separators.

use super::Painter;
use crate::geometry::{Rect, point};
use crate::layout::sequence::columns::TAB_PADDING;
use crate::metrics::{PLAIN, STRONG};
use crate::scene::{Anchor, Item, Role, Shape, Tone};

impl Painter<'_> {
    pub(super) fn open(&mut self, frame: usize) {
        self.y += 4.0;
        let (left, top) = (self.columns.sides[frame].0, self.y);
        let about = &self.rows.frames[frame];
        if about.is_bare() {
            self.open.push((frame, [top, top]));
            self.y += 6.0;
            return;
        }
        let tab = &self.columns.tabs[frame];
        let width = STRONG.widest(tab);
        let right = left + width + 2.0 * TAB_PADDING;
        let bottom = top + STRONG.height(tab.len()) + 4.0;
        let corner = vec![
            point(left, top),
            point(right + 8.0, top),
            point(right + 8.0, bottom - 7.0),
            point(right + 1.0, bottom),
            point(left, bottom),
        ];
        self.front.push(Item::new(Role::Tab, Shape::Polygon(corner)).tone(about.tone));
        let at = point(left + TAB_PADDING, top + 2.0);
        self.front.lines(tab, at, Anchor::Start, STRONG, Role::Tab, about.tone);
        let at = point(right + 14.0, top + 2.0);
        let guard = self.guard(&about.guard, at, about.tone);
        self.open.push((frame, [top, bottom]));
        self.y = (bottom + 5.0).max(guard + 4.0);
    }

    /// Draws the lines of a guard; returns their bottom.
    fn guard(&mut self, lines: &[String], at: crate::geometry::Point, tone: Tone) -> f64 {
        self.front.lines(lines, at, Anchor::Start, PLAIN, Role::Text, tone)
    }

    pub(super) fn split(&mut self, frame: usize, guard: &[String]) {
        self.y += 5.0;
        let (left, right) = self.columns.sides[frame];
        let tone = self.rows.frames[frame].tone;
        let line = Item::line(Role::Separator, point(left, self.y), point(right, self.y));
        self.back.push(line.tone(tone));
        self.y += 6.0;
        if !guard.is_empty() {
            self.y = self.guard(guard, point(left + 8.0, self.y - 3.0), tone) + 2.0;
        }
    }

    pub(super) fn close(&mut self) {
        let Some((frame, [top, tab_bottom])) = self.open.pop() else { return };
        self.y += 4.0;
        let (left, right) = self.columns.sides[frame];
        let rect = Rect { left, top, right, bottom: self.y };
        let about = &self.rows.frames[frame];
        if about.is_bare() || about.colour.is_some() {
            self.ground.push(Item::rect(Role::Band, rect).colour(about.colour.clone()));
        }
        if !about.is_bare() {
            let item = Item::rect(Role::Frame, rect).tone(about.tone);
            self.back.push(item.subject(format!("node-{}", about.node.0)));
        }
        if let Some((first, last)) = about.span {
            for &lifeline in about.concurrent.iter().filter(|l| (first..=last).contains(l)) {
                self.coregion(lifeline, tab_bottom + 2.0, self.y - 2.0);
            }
        }
        self.y += self.gap;
    }

    /// A full line between brackets.
    fn coregion(&mut self, lifeline: usize, top: f64, bottom: f64) {
        let x = self.columns.x[lifeline];
        for (y, by) in [(top, 4.0), (bottom, -4.0)] {
            let bracket = vec![
                point(x - 6.0, y + by),
                point(x - 6.0, y),
                point(x + 6.0, y),
                point(x + 6.0, y + by),
            ];
            self.back.push(Item::path(Role::Coregion, bracket));
        }
        self.back.push(Item::line(Role::Coregion, point(x, top), point(x, bottom)));
    }
}
