//! Messages.

use super::{Painter, box_height};
use crate::geometry::{Point, point};
use crate::layout::sequence::columns::{RING, TURN, farthest, outside};
use crate::layout::sequence::rows::Arrow;
use crate::metrics::PLAIN;
use crate::scene::{Anchor, End, Item, Key, Role, Shape, Tone};

/// The distance from an arrow to the label above it.
const LIFT: f64 = 5.0;

/// A part of an arrow, from its origin to one of its targets.
struct Segment {
    from: f64,
    to: f64,
    on: [Option<Key>; 2],
}

impl Painter<'_> {
    /// Draws the arrow of a row; returns the height of its head.
    pub(super) fn arrow(&mut self, row: usize, arrow: &Arrow) -> f64 {
        let subject = format!("node-{}", arrow.node.0);
        let x = |lifeline: usize| self.columns.x[lifeline];
        let Some((first, last)) = arrow.span() else { return self.y };
        for lifeline in arrow.lifelines() {
            // The lifeline is used after it ended, in another operand, so it continues.
            self.lives[lifeline].bottom = None;
        }
        if let (Some(origin), [target]) = (arrow.origin, arrow.targets.as_slice())
            && origin == *target
        {
            return self.turn(row, arrow, origin, &subject);
        }
        let mut y = self.y + PLAIN.height(arrow.label.len()) + LIFT;
        if let Some(lifeline) = arrow.creates {
            y = y.max(self.y + self.head_height(lifeline) / 2.0 + 2.0);
        }
        let outside = outside(arrow);
        let [tail, head] = arrow.ends;
        let mut segments: Vec<Segment> = Vec::new();
        let middle = match arrow.origin {
            None => {
                let from = x(first) - outside;
                let to = arrow.targets.iter();
                segments.extend(to.map(|&to| self.segment(row, arrow, Err(from), Ok(to))));
                self.ring(from - RING, y, arrow.tone);
                f64::midpoint(from, x(first))
            }
            Some(origin) if arrow.targets.is_empty() && arrow.towards.is_none() => {
                let to = x(last) + outside;
                segments.push(self.segment(row, arrow, Ok(origin), Err(to)));
                if head != End::Cross {
                    self.ring(to + RING, y, arrow.tone);
                }
                f64::midpoint(x(origin), to)
            }
            Some(origin) => {
                let others = arrow.targets.iter().filter(|&&to| to != origin).chain(&arrow.towards);
                segments.extend(others.map(|&to| self.segment(row, arrow, Ok(origin), Ok(to))));
                match farthest(arrow) {
                    Some(far) => {
                        // The label is placed before the first receiver on that side, if there is
                        // room.
                        let beyond = |to: &usize| *to != origin && (*to > origin) == (far > origin);
                        let others = arrow.targets.iter().copied().filter(beyond);
                        let near = others.min_by_key(|to| to.abs_diff(origin)).unwrap_or(far);
                        let fits = (x(near) - x(origin)).abs() >= outside;
                        let near = if fits { near } else { far };
                        let born = arrow.creates.filter(|lifeline| *lifeline == near);
                        let half = born.map_or(0.0, |lifeline| self.heads[lifeline].half());
                        let half = if near > origin { -half } else { half };
                        let middle = f64::midpoint(x(origin), x(near) + half);
                        self.between_lifelines(arrow, middle, [origin.min(near), origin.max(near)])
                    }
                    None => x(origin),
                }
            }
        };
        let tail = if arrow.targets.len() > 1 && arrow.origin.is_some() { End::Dot } else { tail };
        // Segments to farther targets are drawn first, so that their lines do not cover arrow
        // heads.
        segments.sort_by(|a, b| (b.to - b.from).abs().total_cmp(&(a.to - a.from).abs()));
        for Segment { from, to, on } in segments {
            let points = vec![point(from, y), point(to, y)];
            let item = Item::arrow(Role::Message, points, [tail, head], on).tone(arrow.tone);
            let item = item.dotted(arrow.dotted).colour(arrow.colour.clone());
            self.front.push(item.subject(subject.clone()));
        }
        let top = y - LIFT - PLAIN.height(arrow.label.len());
        self.label(arrow, point(middle, top), Anchor::Middle, &subject);
        self.y = y + self.gap;
        if let Some(lifeline) = arrow.creates {
            let bottom = y + self.head_height(lifeline) / 2.0;
            let (life, least) = (&mut self.lives[lifeline], box_height(self.heads));
            life.top = bottom;
            life.is_created = true;
            let named = format!("lifeline-{lifeline}");
            self.heads[lifeline].paint(&mut self.front, life.x, bottom, least, &named);
            self.y = bottom + self.gap;
        }
        if let Some(origin) = arrow.origin.filter(|_| arrow.returns()) {
            // The origin of a broadcast may be one of its receivers.
            let key = self.lives[origin].key;
            self.loop_line(arrow, [point(x(origin), y), point(x(origin), y + 12.0)], key, &subject);
            self.y = y + 12.0 + self.gap;
        }
        y
    }

    /// The middle of a label on an arrow over the lifelines between two others: where it would be, or in the middle
    /// between two neighbours next to that place if it would be on a lifeline there and has room here.
    fn between_lifelines(&self, arrow: &Arrow, middle: f64, [first, last]: [usize; 2]) -> f64 {
        let x = &self.columns.x[first..=last];
        let half = PLAIN.widest(&arrow.label) / 2.0 + 8.0;
        let right = x.partition_point(|x| *x < middle).clamp(1, x.len() - 1);
        let is_clear = |place: f64, right: usize| {
            let (left, right) = (x[right - 1], x[right]);
            left <= place - half && place + half <= right
        };
        if arrow.creates.is_some() || is_clear(middle, right) {
            return middle;
        }
        let gaps = right.saturating_sub(1).max(1)..=(right + 1).min(x.len() - 1);
        gaps.map(|right| (f64::midpoint(x[right - 1], x[right]), right))
            .filter(|(place, right)| is_clear(*place, *right))
            .map(|(place, _)| place)
            .min_by(|a, b| (a - middle).abs().total_cmp(&(b - middle).abs()))
            .unwrap_or(middle)
    }

    fn head_height(&self, lifeline: usize) -> f64 {
        let head = &self.heads[lifeline];
        if head.has_symbol() { head.height() } else { head.height().max(box_height(self.heads)) }
    }

    /// The part of an arrow between two ends, each a lifeline or a coordinate.
    fn segment(
        &self,
        row: usize,
        arrow: &Arrow,
        from: Result<usize, f64>,
        to: Result<usize, f64>,
    ) -> Segment {
        let place = |end: Result<usize, f64>| end.map_or_else(|x| x, |l| self.columns.x[l]);
        let is_right = place(to) > place(from);
        let key = |lifeline: usize, more: usize| {
            let life = &self.lives[lifeline];
            (life.is_bare() && more == 0).then_some(life.key)
        };
        let (from, from_on) = match from {
            Err(x) => (x, None),
            Ok(lifeline) => (self.edge(lifeline, is_right, 0), key(lifeline, 0)),
        };
        let (to, to_on) = match to {
            Err(x) => (x, None),
            Ok(lifeline) if arrow.creates == Some(lifeline) => {
                let half = self.heads[lifeline].half();
                let x = self.columns.x[lifeline];
                (if is_right { x - half } else { x + half }, None)
            }
            Ok(lifeline) if arrow.towards == Some(lifeline) => {
                let by = if is_right { -12.0 } else { 12.0 };
                (self.edge(lifeline, !is_right, 0) + by, None)
            }
            Ok(lifeline) => {
                let more = self.begun(row, lifeline);
                (self.edge(lifeline, !is_right, more), key(lifeline, more))
            }
        };
        Segment { from, to, on: [from_on, to_on] }
    }

    /// A message of a lifeline to itself; returns the height of its head.
    fn turn(&mut self, row: usize, arrow: &Arrow, origin: usize, subject: &str) -> f64 {
        let text_height = PLAIN.height(arrow.label.len());
        let height = text_height.max(14.0);
        let x = self.columns.x[origin];
        let at = point(x + TURN + 6.0, self.y + (height - text_height) / 2.0);
        self.label(arrow, at, Anchor::Start, subject);
        let middle = self.y + height / 2.0;
        let inner = self.inner_bar_that_ends(row, origin);
        let ends = [
            point(self.edge(origin, true, 0), middle - 6.0),
            point(self.edge(origin, true, self.begun(row, origin)) - inner, middle + 6.0),
        ];
        let key = self.lives[origin].key;
        self.loop_line(arrow, ends, key, subject);
        self.y += height + self.gap;
        middle + 6.0
    }

    fn loop_line(&mut self, arrow: &Arrow, [from, to]: [Point; 2], key: Key, subject: &str) {
        let x = self.lives.iter().find(|life| life.key == key).map_or(from.x, |life| life.x);
        let out = (x + TURN).max(to.x + 10.0);
        let points = vec![from, point(out, from.y), point(out, to.y), to];
        let on = [from, to].map(|end| ((end.x - x).abs() < 0.1).then_some(key));
        let ends = [End::Plain, arrow.ends[1]];
        let item = Item::arrow(Role::Message, points, ends, on).tone(arrow.tone);
        let item = item.dotted(arrow.dotted).colour(arrow.colour.clone());
        self.front.push(item.subject(subject));
    }

    /// A ring, which stands for the environment.
    fn ring(&mut self, x: f64, y: f64, tone: Tone) {
        let shape = Shape::Disc { center: point(x, y), radius: RING };
        self.front.push(Item::new(Role::Event, shape).tone(tone));
    }

    fn label(&mut self, arrow: &Arrow, at: Point, anchor: Anchor, subject: &str) {
        let before = self.front.items.len();
        self.front.lines(&arrow.label, at, anchor, PLAIN, Role::Text, arrow.tone);
        for item in &mut self.front.items[before..] {
            item.subject = Some(subject.to_owned());
        }
    }
}
