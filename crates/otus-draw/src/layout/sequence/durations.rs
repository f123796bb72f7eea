//! Durations between two events of one lifeline, as UML draws them: a dimension beside the lifeline.
//!
//! A dimension stands on a side of its lifeline on which nothing else passes between its two events, beyond all that
//! sticks out there: frames, notes, other dimensions. If both sides are in use, or one of its events is in a frame that
//! the other is not in, it is not drawn; the guard at its message tells it anyway.

use otus_syntax::ast::SpecFile;
use otus_syntax::ast::guard::{Duration, Test};
use otus_syntax::ast::{NodeKind, Passing};
use otus_syntax::name::Symbol;

use super::columns::Reach;
use super::rows::{Row, Rows};
use crate::geometry::point;
use crate::metrics::SMALL;
use crate::scene::{Anchor, End, Item, Role, Scene};

/// The distance from what sticks out of a lifeline to a dimension, and from the dimension to its text.
const CLEAR: f64 = 12.0;
const TEXT: f64 = 6.0;

/// A bound on the time between two events.
#[derive(Debug)]
pub(super) struct Dimension {
    /// The rows of the two messages.
    from: usize,
    to: usize,
    lifeline: usize,
    /// `{0..2s}`, `{1s..*}` or `{1s..2s}`.
    text: String,
    /// Where it stands: whether it is at the left, and the distance from the lifeline.
    place: Option<(bool, f64)>,
}

/// The anchors and the bounds of a message, by lifeline.
#[derive(Debug, Default)]
pub(super) struct Times {
    anchors: Vec<(usize, Symbol)>,
    /// The least and the greatest distance from an anchor.
    bounds: Vec<(usize, Symbol, [Option<Duration>; 2])>,
}

impl Times {
    pub(super) fn of(
        passing: &Passing,
        lifeline: impl Fn(&otus_syntax::name::Name) -> Option<usize>,
    ) -> Self {
        let mut times = Times::default();
        for atom in &passing.guard {
            let Some(at) = atom.lifeline.as_ref().and_then(&lifeline) else { continue };
            let (anchor, own) = match &atom.test {
                Test::At(anchor) => {
                    times.anchors.push((at, anchor.symbol));
                    continue;
                }
                Test::Within { duration, anchor } => (anchor, [None, Some(*duration)]),
                Test::After { duration, anchor } => (anchor, [Some(*duration), None]),
                Test::Compare { .. } | Test::In { .. } | Test::Matches { .. } | Test::Same(_) => {
                    continue;
                }
            };
            let mut known = times.bounds.iter_mut();
            match known.find(|(other, symbol, _)| (*other, *symbol) == (at, anchor.symbol)) {
                Some((_, _, both)) => {
                    for (both, own) in both.iter_mut().zip(own) {
                        *both = both.or(own);
                    }
                }
                None => times.bounds.push((at, anchor.symbol, own)),
            }
        }
        times
    }

    pub(super) fn renumber(&mut self, moved: &impl Fn(usize) -> usize) {
        let anchors = self.anchors.iter_mut().map(|(lifeline, _)| lifeline);
        for lifeline in anchors.chain(self.bounds.iter_mut().map(|(lifeline, ..)| lifeline)) {
            *lifeline = moved(*lifeline);
        }
    }
}

/// Whether some message of a file has a bound on its time.
pub(super) fn has_any(file: &SpecFile) -> bool {
    let nodes = file.interaction.iter().flat_map(|interaction| &interaction.nodes);
    nodes.into_iter().any(|node| match &node.kind {
        NodeKind::Passing(passing) => passing
            .guard
            .iter()
            .any(|atom| matches!(atom.test, Test::Within { .. } | Test::After { .. })),
        NodeKind::Empty | NodeKind::Operator(..) | NodeKind::Invalid => false,
    })
}

/// The dimensions between the rows of a diagram, in the order of their ends.
pub(super) fn find(rows: &Rows) -> Vec<Dimension> {
    let mut found = Vec::new();
    let mut anchors: Vec<(usize, Symbol, usize)> = Vec::new();
    for (row, times) in rows.rows.iter().enumerate().filter_map(|(at, row)| {
        if let Row::Arrow(arrow) = row { Some((at, &arrow.times)) } else { None }
    }) {
        for &(lifeline, symbol, [least, most]) in &times.bounds {
            let latest = anchors.iter().rev().find(|(_, other, _)| *other == symbol);
            // A bound between two lifelines compares two clocks, which a dimension does not show.
            let Some(&(_, _, from)) = latest.filter(|(own, ..)| *own == lifeline) else { continue };
            let least = least.map_or_else(|| "0".to_owned(), |it| it.to_string());
            let most = most.map_or_else(|| "*".to_owned(), |it| it.to_string());
            let text = format!("{{{least}..{most}}}");
            found.push(Dimension { from, to: row, lifeline, text, place: None });
        }
        anchors.extend(times.anchors.iter().map(|&(lifeline, symbol)| (lifeline, symbol, row)));
    }
    found
}

/// The extent of each row that was met so far, beyond the lifelines that it spans.
pub(super) type Reaches = [Option<((usize, usize), Reach)>];

/// Gives the dimensions that end at a row their places, and widens its extent by them.
pub(super) fn place(
    all: &mut [Dimension],
    rows: &Rows,
    reaches: &Reaches,
    row: usize,
) -> Option<Reach> {
    let mut widened: Option<Reach> = None;
    for at in 0..all.len() {
        let Dimension { from, to, lifeline, .. } = all[at];
        if to != row || !is_level(&rows.rows[from..=to]) {
            continue;
        }
        let width = SMALL.width(&all[at].text) + TEXT;
        for is_left in [true, false] {
            let between = reaches[from..=to].iter().flatten();
            let is_free = between.clone().all(|((first, last), _)| {
                let passes = if is_left { *first < lifeline } else { *last > lifeline };
                !(passes && *first <= lifeline && lifeline <= *last)
            });
            if !is_free {
                continue;
            }
            let own = between.filter(
                |((first, last), _)| {
                    if is_left { *first == lifeline } else { *last == lifeline }
                },
            );
            let stick = own.map(|(_, reach)| if is_left { reach.left } else { reach.right });
            let others = all[..at].iter().filter_map(|other| {
                let (side, distance) = other.place?;
                let overlaps = other.lifeline == lifeline && side == is_left && other.to > from;
                overlaps.then(|| distance + TEXT + SMALL.width(&other.text))
            });
            let distance = stick.chain(others).fold(0.0, f64::max) + CLEAR;
            all[at].place = Some((is_left, distance));
            let reach = widened.get_or_insert_default();
            let side = if is_left { &mut reach.left } else { &mut reach.right };
            *side = side.max(distance + width + 4.0);
            break;
        }
    }
    widened
}

/// Whether the first and the last of these rows are in the same operand.
fn is_level(rows: &[Row]) -> bool {
    let mut depth = 0_i32;
    for row in rows {
        match row {
            Row::Open(_) => depth += 1,
            Row::Close(_) => depth -= 1,
            Row::Split(..) if depth == 0 => return false,
            Row::Split(..)
            | Row::Arrow(_)
            | Row::Empty
            | Row::Elided(_)
            | Row::Note(_)
            | Row::Across(_)
            | Row::Space(_)
            | Row::Reference(_)
            | Row::Begin(..)
            | Row::End(_)
            | Row::Create(_)
            | Row::Destroy(_) => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// Draws the dimensions, given the places of lifelines, and the heights of messages by row.
pub(super) fn paint(all: &[Dimension], scene: &mut Scene, x: &[f64], heights: &[Option<f64>]) {
    for dimension in all {
        let Some((is_left, distance)) = dimension.place else { continue };
        let (Some(&life), Some(&Some(top)), Some(&Some(bottom))) =
            (x.get(dimension.lifeline), heights.get(dimension.from), heights.get(dimension.to))
        else {
            continue;
        };
        let sign = if is_left { -1.0 } else { 1.0 };
        let at = life + sign * distance;
        for y in [top, bottom] {
            let line = Item::line(Role::Dimension, point(life, y), point(at + sign * 4.0, y));
            scene.push(line);
        }
        let points = vec![point(at, top), point(at, bottom)];
        scene.push(Item::arrow(Role::Dimension, points, [End::Open, End::Open], [None, None]));
        let anchor = if is_left { Anchor::End } else { Anchor::Start };
        let middle = point(at + sign * TEXT, f64::midpoint(top, bottom) + SMALL.to_baseline());
        scene.push(Item::label(Role::Dimension, &dimension.text, middle, anchor, SMALL));
    }
}

/// The dimensions in words, for readers who cannot see them.
pub(super) fn words(all: &[Dimension], names: &[&str]) -> Vec<String> {
    let drawn = all.iter().filter(|dimension| dimension.place.is_some());
    let name = |lifeline: usize| names.get(lifeline).copied().unwrap_or("?");
    drawn.map(|it| format!("{} between two events of {}", it.text, name(it.lifeline))).collect()
}
