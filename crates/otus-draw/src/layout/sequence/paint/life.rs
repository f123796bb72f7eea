//! Draws lifelines: where each begins and ends, and the activation bars on it.

use super::Painter;
use crate::colour::Colour;
use crate::geometry::{Rect, float, point};
use crate::layout::sequence::rows::Row;
use crate::scene::{Item, Key, Role};

/// The range in which a lifeline is drawn.
pub(super) struct Life {
    pub(super) x: f64,
    pub(super) key: Key,
    pub(super) top: f64,
    /// The bottom of the lifeline, if it ends before the diagram does.
    pub(super) bottom: Option<f64>,
    /// Whether the lifeline is created later, so that its head is not at the top.
    pub(super) is_created: bool,
    /// The bars that are open, the outermost first.
    bars: Vec<Bar>,
}

struct Bar {
    top: f64,
    colour: Option<Colour>,
}

/// Half of the width of a bar.
const HALF: f64 = 5.0;
/// The horizontal distance from a bar to the bar inside it.
const STEP: f64 = 4.0;
/// Bars are at least this high.
const LEAST: f64 = 10.0;

impl Life {
    pub(super) fn new(x: f64, key: Key, top: f64) -> Life {
        Life { x, key, top, bottom: None, is_created: false, bars: Vec::new() }
    }

    /// Whether no bar is on the lifeline.
    pub(super) fn is_bare(&self) -> bool {
        self.bars.is_empty()
    }
}

impl Painter<'_> {
    /// The x coordinate at which an arrow on the right side (or else the left side) of a lifeline ends, if the
    /// lifeline gets `more` additional bars.
    pub(super) fn edge(&self, lifeline: usize, is_right: bool, more: usize) -> f64 {
        let life = &self.lives[lifeline];
        match (life.bars.len() + more).checked_sub(1) {
            None => life.x,
            Some(depth) => life.x + STEP * float(depth) + if is_right { HALF } else { -HALF },
        }
    }

    /// The number of bars on a lifeline that begin with the arrow of a row.
    pub(super) fn begun(&self, row: usize, lifeline: usize) -> usize {
        let after = self.rows.rows[row + 1..].iter();
        let marks = after.take_while(|row| {
            matches!(
                row,
                Row::Begin(..) | Row::End(_) | Row::Note(_) | Row::Space(_) | Row::Create(_)
            )
        });
        let begins = |row: &&Row| matches!(row, Row::Begin(other, _) if *other == lifeline);
        marks.filter(begins).count()
    }

    /// The distance from the innermost bar of a lifeline to the one around it, if the inner one ends right after a row.
    pub(super) fn inner_bar_that_ends(&self, row: usize, lifeline: usize) -> f64 {
        let ends = match self.rows.rows.get(row + 1) {
            Some(Row::End(ended)) => ended.or(self.calls.last().copied()) == Some(lifeline),
            Some(_) | None => false,
        };
        if ends && self.lives[lifeline].bars.len() > 1 { STEP } else { 0.0 }
    }

    /// The height of the arrow before the current row if that arrow touches the lifeline; otherwise
    /// the height of the current row.
    fn height_at(&self, lifeline: usize) -> f64 {
        let touching = self.latest.filter(|latest| {
            let row = &self.rows.rows[latest.row];
            matches!(row, Row::Arrow(arrow) if arrow.lifelines().any(|other| other == lifeline))
        });
        touching.map_or(self.y, |latest| latest.y)
    }

    pub(super) fn begin(&mut self, lifeline: usize, colour: Option<Colour>) {
        let top = self.height_at(lifeline).max(self.lives[lifeline].top);
        self.lives[lifeline].bars.push(Bar { top, colour });
        self.calls.push(lifeline);
    }

    pub(super) fn end(&mut self, lifeline: Option<usize>) {
        let Some(lifeline) = lifeline.or_else(|| self.calls.last().copied()) else { return };
        if let Some(call) = self.calls.iter().rposition(|other| *other == lifeline) {
            self.calls.remove(call);
        }
        let at = self.height_at(lifeline);
        let Some(bar) = self.lives[lifeline].bars.pop() else { return };
        let bottom = at.max(bar.top + LEAST);
        self.y = self.y.max(bottom + 2.0);
        self.bar(lifeline, &bar, bottom);
    }

    /// Draws a bar that has been taken from its lifeline.
    fn bar(&mut self, lifeline: usize, bar: &Bar, bottom: f64) {
        let life = &self.lives[lifeline];
        let x = life.x + STEP * float(life.bars.len());
        let rect = Rect { left: x - HALF, top: bar.top, right: x + HALF, bottom };
        self.bars.push(Item::rect(Role::Bar, rect).colour(bar.colour.clone()));
    }

    /// Ends the bars of a lifeline.
    fn end_bars(&mut self, lifeline: usize, y: f64) {
        while let Some(bar) = self.lives[lifeline].bars.pop() {
            let bottom = y.max(bar.top + LEAST);
            self.bar(lifeline, &bar, bottom);
        }
        self.calls.retain(|other| *other != lifeline);
    }

    pub(super) fn end_all(&mut self, bottom: f64) {
        for lifeline in 0..self.lives.len() {
            self.end_bars(lifeline, bottom - 4.0);
        }
    }

    /// Ends a lifeline with a cross.
    pub(super) fn destroy(&mut self, lifeline: usize, y: f64) {
        self.end_bars(lifeline, y);
        let life = &mut self.lives[lifeline];
        life.bottom = Some(y);
        let x = life.x;
        for (dx, dy) in [(8.0, 8.0), (8.0, -8.0)] {
            let (from, to) = (point(x - dx, y - dy), point(x + dx, y + dy));
            self.back.push(Item::line(Role::Coregion, from, to));
        }
        self.y = self.y.max(y + 12.0);
    }
}
