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

use otus_syntax::drawing::{NotePlace, NoteShape};

use super::Options;
use super::durations;
use super::heads::Head;
use super::paint::elided;
use super::rows::{Arrow, Note, Row, Rows, Text};
use crate::metrics::{PLAIN, SMALL, STRONG};
use crate::scene::End;

#[derive(Debug)]
pub(super) struct Columns {
    pub(super) x: Vec<f64>,
    pub(super) tabs: Vec<Vec<String>>,
    pub(super) sides: Vec<(f64, f64)>,
    /// The left and the right end of the diagram.
    pub(super) whole: [f64; 2],
}

/// The space beside a lifeline.
pub(super) const CLEAR: f64 = 10.0;
/// The distance from a frame to its content, and to a frame around it.
pub(super) const PADDING: f64 = 9.0;
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

/// The distance from a lifeline to a note beside it.
pub(super) const NOTE_GAP: f64 = 12.0;
/// The distance from the side of a note to its text.
pub(super) const NOTE_PADDING: f64 = 8.0;
/// The width of the tips of a hexagonal note.
pub(super) const HEXAGON: f64 = 8.0;
/// The extent of a note over several lifelines beyond the first and the last of these lifelines.
pub(super) const NOTE_WING: f64 = 24.0;

/// The extent of an item beyond the lifelines it spans.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reach {
    pub(super) left: f64,
    pub(super) right: f64,
}

/// A box around the heads of neighbours.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) title: Text,
    pub(super) colour: Option<crate::colour::Colour>,
}

/// The distance from the side of a group to the heads in it.
pub(super) const GROUP_PADDING: f64 = 8.0;

/// Finds the columns.
pub(super) fn columns(
    rows: &mut Rows,
    heads: &[Head],
    groups: &[Group],
    options: &Options<'_>,
) -> Columns {
    let mut dimensions = std::mem::take(&mut rows.dimensions);
    let count = heads.len();
    let mut constraints = Constraints {
        gaps: vec![if options.compact { 24.0 } else { 44.0 }; count],
        spans: vec![Vec::new(); count],
    };
    // For each lifeline: the extent of its head, and of the side of a group that is there.
    let mut around: Vec<Reach> =
        heads.iter().map(|head| Reach { left: head.half(), right: head.half() }).collect();
    for group in groups {
        let title = STRONG.widest(&group.title) + 12.0;
        let alone = if group.first == group.last { title / 2.0 } else { 0.0 };
        let (left, right) = (heads[group.first].half(), heads[group.last].half());
        around[group.first].left = (left + GROUP_PADDING).max(alone);
        around[group.last].right = (right + GROUP_PADDING).max(alone);
        constraints.span(group.first, group.last, title - left - right - 2.0 * GROUP_PADDING);
    }
    for at in 1..count {
        constraints.span(at - 1, at, around[at - 1].right + around[at].left + 12.0);
    }
    let mut edge = heads.first().map_or(0.0, Head::half);
    let last = count.saturating_sub(1);
    let tabs: Vec<Vec<String>> =
        rows.frames.iter().map(|frame| STRONG.wrap(&frame.title, 240.0)).collect();
    // For each frame: the least width for the text in it.
    let mut widths: Vec<f64> = rows
        .frames
        .iter()
        .zip(&tabs)
        .map(|(frame, tab)| {
            let guard = if frame.guard.is_empty() { 0.0 } else { PLAIN.widest(&frame.guard) + 6.0 };
            let text = STRONG.widest(tab) + guard + 2.0 * TAB_PADDING + 16.0;
            if frame.is_bare() { 0.0 } else { text }
        })
        .collect();
    let mut reach = vec![Reach { left: WING, right: WING }; rows.frames.len()];
    let mut reaches: Vec<((usize, usize), Reach)> =
        around.iter().enumerate().map(|(at, reach)| ((at, at), *reach)).collect();
    let mut open: Vec<usize> = Vec::new();
    let mut by_row = vec![None; if dimensions.is_empty() { 0 } else { rows.rows.len() }];
    for (number, row) in rows.rows.iter().enumerate() {
        let (span, mut reached) = match row {
            Row::Open(frame) => {
                open.push(*frame);
                continue;
            }
            Row::Split(frame, guard) => {
                widths[*frame] = widths[*frame].max(PLAIN.widest(guard) + 2.0 * PADDING);
                continue;
            }
            Row::Empty
            | Row::Space(_)
            | Row::Begin(..)
            | Row::End(_)
            | Row::Create(_)
            | Row::Destroy(_) => continue,
            Row::Across(across) => {
                constraints.span(0, last, STRONG.widest(&across.lines) + 40.0);
                continue;
            }
            Row::Note(note) => (note.span, note_constraints(note, &mut constraints)),
            Row::Reference(reference) => {
                let span = (reference.over[0], reference.over[reference.over.len() - 1]);
                let width = PLAIN.widest(&reference.lines).max(60.0) + 2.0 * NOTE_PADDING;
                (span, over(span, width, &mut constraints))
            }
            Row::Elided(count) => {
                if let Some(&frame) = open.last() {
                    widths[frame] = widths[frame].max(SMALL.width(&elided(*count)) + 2.0 * PADDING);
                }
                continue;
            }
            Row::Arrow(arrow) => {
                let Some(span) = arrow.span() else { continue };
                (span, arrow_constraints(arrow, heads, &mut constraints))
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
        if let Some(own) = by_row.get_mut(number) {
            *own = Some((span, reached));
            if let Some(wider) = durations::place(&mut dimensions, rows, &by_row, number) {
                reached.left = reached.left.max(wider.left);
                reached.right = reached.right.max(wider.right);
            }
        }
        constraints.beside(first, last, reached);
        reaches.push((span, reached));
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
    let ends = reaches
        .iter()
        .map(|((first, last), reach)| (at(*first) - reach.left, at(*last) + reach.right));
    let whole = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or_default();
    rows.dimensions = dimensions;
    Columns { whole: [whole.0, whole.1], x, tabs, sides }
}

/// Adds the constraints of a message, and returns its extent.
fn arrow_constraints(arrow: &Arrow, heads: &[Head], constraints: &mut Constraints) -> Reach {
    let mut reach = arrow_reach(arrow);
    let born = arrow.creates.map_or(0.0, |lifeline| heads[lifeline].half());
    if let (Some(lifeline), Some((first, last))) = (arrow.creates, arrow.span()) {
        let side = if lifeline == first { &mut reach.left } else { &mut reach.right };
        *side = side.max(born);
        if first != last && lifeline != first && lifeline != last {
            constraints.beside(lifeline, lifeline, Reach { left: born, right: born });
        }
    }
    let Some(origin) = arrow.origin else { return reach };
    if let Some(far) = farthest(arrow) {
        let label = PLAIN.widest(&arrow.label);
        constraints.span(origin.min(far), origin.max(far), label - arrow_room(0.0, arrow, heads));
    }
    if arrow.returns() && arrow.targets.last() != Some(&origin) {
        constraints.span(origin, origin + 1, TURN + 8.0 + CLEAR);
    }
    reach
}

/// The room for the label of a message between lifelines at a distance.
pub(super) fn arrow_room(distance: f64, arrow: &Arrow, heads: &[Head]) -> f64 {
    let cross = if arrow.ends[1] == End::Cross { 14.0 } else { 0.0 };
    let born = arrow.creates.map_or(0.0, |lifeline| heads[lifeline].half());
    distance - 2.0 * ARROW_PADDING - cross - born
}

/// The room for the text of a note over lifelines at a distance.
pub(super) fn note_room(distance: f64, shape: NoteShape) -> f64 {
    let tips = if shape == NoteShape::Hexagon { 2.0 * HEXAGON } else { 0.0 };
    distance + 2.0 * (NOTE_WING - NOTE_PADDING) - tips
}

/// The extent of a message.
pub(super) fn arrow_reach(arrow: &Arrow) -> Reach {
    let outside = outside(arrow) + 2.0 * RING;
    let Some(origin) = arrow.origin else {
        // The arrow comes from the environment, at the left.
        return Reach { left: outside, right: 0.0 };
    };
    if arrow.targets.is_empty() && arrow.towards.is_none() {
        return Reach { left: 0.0, right: outside };
    }
    let mut reach = Reach::default();
    if farthest(arrow).is_none() {
        reach.right = TURN + 8.0 + PLAIN.widest(&arrow.label);
    }
    if arrow.returns() && arrow.targets.last() == Some(&origin) {
        reach.right = reach.right.max(TURN + 8.0);
    }
    reach
}

/// Adds the constraints of a note, and returns its extent.
fn note_constraints(note: &Note, constraints: &mut Constraints) -> Reach {
    let width = note.width();
    let aside = note.beside.unwrap_or_default() + NOTE_GAP + width;
    match note.place {
        NotePlace::Left => Reach { left: aside, right: 0.0 },
        NotePlace::Right => Reach { left: 0.0, right: aside },
        NotePlace::Over | NotePlace::Across => over(note.span, width, constraints),
    }
}

impl Note {
    pub(super) fn width(&self) -> f64 {
        let tips = if self.shape == NoteShape::Hexagon { 2.0 * HEXAGON } else { 0.0 };
        PLAIN.widest(&self.lines).max(20.0) + 2.0 * NOTE_PADDING + tips
    }
}

/// Adds the constraints of a box over lifelines, and returns its extent.
fn over((first, last): (usize, usize), width: f64, constraints: &mut Constraints) -> Reach {
    if first == last {
        let half = (width / 2.0).max(NOTE_WING);
        return Reach { left: half, right: half };
    }
    constraints.span(first, last, width - 2.0 * NOTE_WING);
    Reach { left: NOTE_WING, right: NOTE_WING }
}

/// The length of an arrow from or to the environment.
pub(super) fn outside(arrow: &Arrow) -> f64 {
    (PLAIN.widest(&arrow.label) + 2.0 * ARROW_PADDING).max(46.0)
}

/// The farthest target on the side of the origin with more targets; on the right side if both have equally many. The
/// label is placed on the way to it. `None` if the origin is the only target.
pub(super) fn farthest(arrow: &Arrow) -> Option<usize> {
    if arrow.towards.is_some() && arrow.targets.is_empty() {
        return arrow.towards;
    }
    let origin = arrow.origin.unwrap_or_default();
    let right = arrow.targets.iter().filter(|&&target| target > origin).count();
    let left = arrow.targets.iter().filter(|&&target| target < origin).count();
    let outer = if left > right { arrow.targets.first() } else { arrow.targets.last() };
    outer.copied().filter(|&target| target != origin)
}

/// Least distances between lifelines.
struct Constraints {
    /// For each lifeline: the distance from the lifeline before it.
    gaps: Vec<f64>,
    /// For each lifeline: the distances from earlier lifelines.
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
