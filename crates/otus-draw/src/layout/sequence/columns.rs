//! Second pass: the distances between lifelines.
//!
//! Every arrow and frame spans some lifelines, from `first` to `last`, and may extend beyond them
//! to the left and to the right (arrows to the same lifeline or from the environment, the
//! sides of frames). Two constraints prevent overlaps:
//!
//! ```text
//! x[last] − x[first] ≥ width of the label between them
//! x[l] − x[l − 1] ≥ the greatest extent left of l, and right of l − 1
//! ```
//!
//! All constraints have the form x\[j\] − x\[i\] ≥ d with i < j, so one sweep from left to right
//! gives the least solution. By the second, items that begin at lifeline l stay right of l − 1:
//! so the left side of a frame depends only on those of its parts that begin at its own first lifeline.

use super::Options;
use super::paint::elided;
use super::rows::{Arrow, Row, Rows};
use crate::metrics::{PLAIN, SMALL, STRONG};

#[derive(Debug)]
pub(super) struct Columns {
    pub(super) x: Vec<f64>,
    pub(super) tabs: Vec<Vec<String>>,
    pub(super) sides: Vec<(f64, f64)>,
}

/// The space beside a lifeline.
const CLEAR: f64 = 10.0;
/// The distance from a frame to its content, and to a frame around it.
const PADDING: f64 = 9.0;
/// The least extent of a frame beyond its outer lifelines.
const WING: f64 = 18.0;
/// The width of an arrow to the same lifeline.
pub(super) const TURN: f64 = 26.0;
/// The distance from the end of an arrow to its label.
const ARROW_PADDING: f64 = 13.0;
/// The radius of the ring that stands for the environment.
pub(super) const RING: f64 = 4.0;
/// The distance between the side of a tab and its text.
pub(super) const TAB_PADDING: f64 = 6.0;

/// The extent of an item beyond the lifelines it spans.
#[derive(Clone, Copy, Default)]
struct Reach {
    left: f64,
    right: f64,
}

/// Finds the columns; frames without any action span all lifelines.
pub(super) fn columns(rows: &mut Rows, heads: &[Vec<String>], options: &Options<'_>) -> Columns {
    let count = heads.len();
    let mut constraints = Constraints {
        gaps: vec![if options.compact { 24.0 } else { 44.0 }; count],
        spans: vec![Vec::new(); count],
    };
    let font = super::paint::head_font(options);
    let half = |lines: &[String]| font.widest(lines) / 2.0 + 8.0;
    for at in 1..count {
        constraints.span(at - 1, at, half(&heads[at - 1]) + half(&heads[at]) + 12.0);
    }
    let mut edge = heads.first().map_or(0.0, |lines| half(lines));
    rows.give_spans((0, count.saturating_sub(1)));
    let tabs: Vec<Vec<String>> =
        rows.frames.iter().map(|frame| STRONG.wrap(&frame.title, 240.0)).collect();
    // By frame: the least width for the text in it.
    let mut widths: Vec<f64> =
        tabs.iter().map(|tab| STRONG.widest(tab) + 2.0 * TAB_PADDING + 16.0).collect();
    let mut reach = vec![Reach { left: WING, right: WING }; rows.frames.len()];
    let mut open: Vec<usize> = Vec::new();
    for row in &rows.rows {
        let (span, reached) = match row {
            Row::Open(frame) => {
                open.push(*frame);
                continue;
            }
            Row::Split(_) | Row::Empty => continue,
            Row::Elided(count) => {
                if let Some(&frame) = open.last() {
                    widths[frame] = SMALL.width(&elided(*count)) + 2.0 * PADDING;
                }
                continue;
            }
            Row::Arrow(arrow) => {
                let Some(span) = arrow.span() else { continue };
                (span, arrow_constraints(arrow, &mut constraints))
            }
            Row::Close(frame) => {
                open.pop();
                let (first, last) = rows.frames[*frame].span.unwrap_or_default();
                let least = widths[*frame];
                let own = &mut reach[*frame];
                if first == last {
                    own.right = own.right.max(least - own.left);
                } else {
                    constraints.span(first, last, least - own.left - own.right);
                }
                ((first, last), *own)
            }
        };
        let (first, last) = span;
        constraints.beside(first, last, reached);
        if first == 0 {
            edge = edge.max(reached.left);
        }
        if let Some(&outer) = open.last() {
            let (outer_first, outer_last) = rows.frames[outer].span.unwrap_or_default();
            if first == outer_first {
                reach[outer].left = reach[outer].left.max(reached.left + PADDING);
            }
            if last == outer_last {
                reach[outer].right = reach[outer].right.max(reached.right + PADDING);
            }
        }
    }
    let x = constraints.solve(edge + super::paint::margin(options));
    let at = |lifeline: usize| x.get(lifeline).copied().unwrap_or(edge + CLEAR);
    let sides = rows
        .frames
        .iter()
        .zip(&reach)
        .map(|(frame, reach)| {
            let (first, last) = frame.span.unwrap_or_default();
            (at(first) - reach.left, at(last) + reach.right)
        })
        .collect();
    Columns { x, tabs, sides }
}

/// Adds the constraints of a message, and returns its extent.
fn arrow_constraints(arrow: &Arrow, constraints: &mut Constraints) -> Reach {
    let label = PLAIN.widest(&arrow.label);
    let outside = outside(arrow) + 2.0 * RING;
    let Some(origin) = arrow.origin else {
        // From the environment, from the left.
        return Reach { left: outside, right: 0.0 };
    };
    if arrow.targets.is_empty() {
        return Reach { left: 0.0, right: outside };
    }
    let mut reach = Reach::default();
    match farthest(arrow) {
        None => reach.right = TURN + 8.0 + label,
        Some(far) => {
            constraints.span(origin.min(far), origin.max(far), label + 2.0 * ARROW_PADDING);
        }
    }
    if arrow.returns() && arrow.targets.last() == Some(&origin) {
        reach.right = reach.right.max(TURN + 8.0);
    } else if arrow.returns() {
        constraints.span(origin, origin + 1, TURN + 8.0 + CLEAR);
    }
    reach
}

/// The length of an arrow from or to the environment.
pub(super) fn outside(arrow: &Arrow) -> f64 {
    (PLAIN.widest(&arrow.label) + 2.0 * ARROW_PADDING).max(46.0)
}

/// The farthest target on the side of the origin on which more of them are; to the right, if equally many. The label
/// stands on the way to it. `None` if the origin is the only target.
pub(super) fn farthest(arrow: &Arrow) -> Option<usize> {
    let origin = arrow.origin.unwrap_or_default();
    let right = arrow.targets.iter().filter(|&&target| target > origin).count();
    let left = arrow.targets.iter().filter(|&&target| target < origin).count();
    let outer = if left > right { arrow.targets.first() } else { arrow.targets.last() };
    outer.copied().filter(|&target| target != origin)
}

/// Least distances between lifelines.
struct Constraints {
    /// By lifeline: the distance from the one before it.
    gaps: Vec<f64>,
    /// By lifeline: the distances from earlier ones.
    spans: Vec<Vec<(usize, f64)>>,
}

impl Constraints {
    fn span(&mut self, first: usize, last: usize, least: f64) {
        if first + 1 == last {
            self.gaps[last] = self.gaps[last].max(least);
        } else if first < last {
            self.spans[last].push((first, least));
        }
    }

    fn beside(&mut self, first: usize, last: usize, reach: Reach) {
        if first > 0 {
            self.gaps[first] = self.gaps[first].max(reach.left + CLEAR);
        }
        if let Some(gap) = self.gaps.get_mut(last + 1) {
            *gap = gap.max(reach.right + CLEAR);
        }
    }

    fn solve(&self, left: f64) -> Vec<f64> {
        let mut x: Vec<f64> = Vec::with_capacity(self.gaps.len());
        for (at, gap) in self.gaps.iter().enumerate() {
            let next = x.last().map_or(left, |before| before + gap);
            let spans = self.spans[at].iter().map(|(first, least)| x[*first] + least);
            x.push(spans.fold(next, f64::max).ceil());
        }
        x
    }
}
