//! Third pass: draws row by row.

use super::Options;
use super::columns::{Columns, RING, TAB_PADDING, TURN, farthest, outside};
use super::rows::{Arrow, Row, Rows};
use crate::geometry::{Point, Rect, point};
use crate::metrics::{Font, PLAIN, SMALL, STRONG};
use crate::scene::{Anchor, End, Item, Key, Role, Scene, Shape, Tone};

pub(super) fn head_font(options: &Options<'_>) -> Font {
    if options.compact { Font { size: 11.0, bold: true } } else { Font { size: 13.0, bold: true } }
}

pub(super) fn margin(options: &Options<'_>) -> f64 {
    if options.compact { 2.0 } else { 16.0 }
}

/// Diagrams higher than this have the names of their lifelines at the bottom too.
const TALL: f64 = 900.0;

/// The distance from an arrow to the label above it.
const LIFT: f64 = 5.0;

pub(super) fn paint(
    rows: &Rows,
    heads: &[Vec<String>],
    columns: &Columns,
    options: &Options<'_>,
) -> Scene {
    let mut scene = Scene::default();
    let keys = scene.fresh_keys(&columns.x);
    let font = head_font(options);
    let most = heads.iter().map(Vec::len).max().unwrap_or(0);
    let head_height = font.height(most) + 10.0;
    let margin = margin(options);
    let head_bottom = margin + head_height;

    let mut painter = Painter {
        columns,
        rows,
        keys: &keys,
        y: head_bottom + if options.compact { 6.0 } else { 12.0 },
        open: Vec::new(),
        back: Vec::new(),
        front: Scene::default(),
        gap: if options.compact { 5.0 } else { 9.0 },
    };
    for row in &rows.rows {
        painter.row(row);
    }
    let bottom = painter.y + 8.0;
    let Painter { back, front, .. } = painter;

    let feet = bottom > TALL && !options.compact;
    for (x, key) in columns.x.iter().zip(&keys) {
        let line = Item::line(Role::Lifeline, point(*x, head_bottom), point(*x, bottom));
        scene.push(line.key(*key));
    }
    for (lifeline, (lines, x)) in heads.iter().zip(&columns.x).enumerate() {
        let width = font.widest(lines) + 16.0;
        let tops = [Some(margin), feet.then_some(bottom)];
        for top in tops.into_iter().flatten() {
            let (left, right) = (x - width / 2.0, x + width / 2.0);
            let rect = Rect { left, top, right, bottom: top + head_height };
            let items = scene.head(rect, lines, font, Tone::Normal);
            items[0].subject = Some(format!("lifeline-{lifeline}"));
        }
    }
    scene.items.extend(back);
    scene.items.extend(front.items);
    if scene.items.is_empty() {
        scene.nothing_but("∅", PLAIN);
    }
    scene.fit(margin);
    scene
}

/// The text in place of parts that are not drawn.
pub(super) fn elided(count: usize) -> String {
    format!("… {count} more parts, not drawn")
}

struct Painter<'a> {
    columns: &'a Columns,
    rows: &'a Rows,
    keys: &'a [Key],
    /// The top of the next row.
    y: f64,
    /// The frames around the next row, innermost last, each with its top and the bottom of its tab.
    open: Vec<(usize, [f64; 2])>,
    /// Frames, which are painted first.
    back: Vec<Item>,
    /// Messages and text, which are painted last.
    front: Scene,
    gap: f64,
}

impl Painter<'_> {
    fn row(&mut self, row: &Row) {
        match row {
            Row::Arrow(arrow) => self.arrow(arrow),
            Row::Empty => self.aside("∅"),
            Row::Elided(count) => self.aside(&elided(*count)),
            Row::Open(frame) => self.open(*frame),
            Row::Split(frame) => {
                self.y += 5.0;
                let (left, right) = self.columns.sides[*frame];
                let tone = self.rows.frames[*frame].tone;
                let line = Item::line(Role::Separator, point(left, self.y), point(right, self.y));
                self.back.push(line.tone(tone));
                self.y += 6.0;
            }
            Row::Close(_) => self.close(),
        }
    }

    /// Text in a row of its own, at the left of the innermost frame.
    fn aside(&mut self, text: &str) {
        let left = match self.open.last() {
            Some(&(frame, _)) => self.columns.sides[frame].0 + 5.0,
            None => self.columns.x.first().map_or(0.0, |x| x + 8.0),
        };
        let base = self.y + PLAIN.line_height();
        let label = Item::label(Role::Aside, text, point(left, base), Anchor::Start, SMALL);
        self.front.push(label);
        self.y = base + self.gap;
    }

    fn open(&mut self, frame: usize) {
        self.y += 4.0;
        let tab = &self.columns.tabs[frame];
        let (left, top) = (self.columns.sides[frame].0, self.y);
        let width = STRONG.widest(tab);
        let right = left + width + 2.0 * TAB_PADDING;
        let bottom = top + STRONG.height(tab.len()) + 4.0;
        let tone = self.rows.frames[frame].tone;
        let corner = vec![
            point(left, top),
            point(right + 8.0, top),
            point(right + 8.0, bottom - 7.0),
            point(right + 1.0, bottom),
            point(left, bottom),
        ];
        self.front.push(Item::new(Role::Tab, Shape::Polygon(corner)).tone(tone));
        let at = point(left + TAB_PADDING, top + 2.0);
        self.front.lines(tab, at, Anchor::Start, STRONG, Role::Tab, tone);
        self.open.push((frame, [top, bottom]));
        self.y = bottom + 5.0;
    }

    fn close(&mut self) {
        let Some((frame, [top, tab_bottom])) = self.open.pop() else { return };
        self.y += 4.0;
        let (left, right) = self.columns.sides[frame];
        let rect = Rect { left, top, right, bottom: self.y };
        let about = &self.rows.frames[frame];
        let item = Item::rect(Role::Frame, rect).tone(about.tone);
        self.back.push(item.subject(format!("node-{}", about.node.0)));
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

    fn arrow(&mut self, arrow: &Arrow) {
        let subject = format!("node-{}", arrow.node.0);
        let label_height = PLAIN.height(arrow.label.len());
        let head = if arrow.synchronous { End::Filled } else { End::Open };
        let x = |lifeline: usize| self.columns.x[lifeline];
        let Some((first, last)) = arrow.span() else { return };
        if let (Some(origin), [target]) = (arrow.origin, arrow.targets.as_slice())
            && origin == *target
        {
            self.turn(arrow, origin, head, &subject);
            return;
        }
        let y = self.y + label_height + LIFT;
        let outside = outside(arrow);
        // The segments: the coordinate and the lifeline, if any, of the origin and of the target.
        let mut segments: Vec<(f64, Option<usize>, f64, Option<usize>)> = Vec::new();
        let middle = match arrow.origin {
            None => {
                let from = x(first) - outside;
                segments.extend(arrow.targets.iter().map(|&to| (from, None, x(to), Some(to))));
                self.ring(from - RING, y, arrow.tone);
                f64::midpoint(from, x(first))
            }
            Some(origin) if arrow.targets.is_empty() => {
                let to = x(last) + outside;
                segments.push((x(origin), Some(origin), to, None));
                self.ring(to + RING, y, arrow.tone);
                f64::midpoint(x(origin), to)
            }
            Some(origin) => {
                let others = arrow.targets.iter().filter(|&&to| to != origin);
                segments.extend(others.map(|&to| (x(origin), Some(origin), x(to), Some(to))));
                match farthest(arrow) {
                    Some(far) => {
                        // Before the first receiver on that side, if there is room.
                        let beyond = |to: &usize| *to != origin && (*to > origin) == (far > origin);
                        let others = arrow.targets.iter().copied().filter(beyond);
                        let near = others.min_by_key(|to| to.abs_diff(origin)).unwrap_or(far);
                        let fits = (x(near) - x(origin)).abs() >= outside;
                        f64::midpoint(x(origin), x(if fits { near } else { far }))
                    }
                    None => x(origin),
                }
            }
        };
        let tail =
            if arrow.targets.len() > 1 && arrow.origin.is_some() { End::Dot } else { End::Plain };
        // Farther targets first, so that lines do not cover arrow heads.
        segments.sort_by(|a, b| (b.2 - b.0).abs().total_cmp(&(a.2 - a.0).abs()));
        for (from, from_on, to, to_on) in segments {
            let points = vec![point(from, y), point(to, y)];
            let on = [from_on, to_on].map(|on| on.map(|lifeline| self.keys[lifeline]));
            let item = Item::arrow(Role::Message, points, [tail, head], on).tone(arrow.tone);
            self.front.push(item.subject(subject.clone()));
        }
        let top = self.y;
        self.label(arrow, point(middle, top), Anchor::Middle, &subject);
        self.y = y + self.gap;
        if let Some(origin) = arrow.origin.filter(|_| arrow.returns()) {
            // The part of a broadcast that its origin receives.
            self.loop_line(origin, [y, y + 12.0], head, arrow.tone, &subject);
            self.y = y + 12.0 + self.gap;
        }
    }

    /// A message of a lifeline to itself.
    fn turn(&mut self, arrow: &Arrow, origin: usize, head: End, subject: &str) {
        let text_height = PLAIN.height(arrow.label.len());
        let height = text_height.max(14.0);
        let x = self.columns.x[origin];
        let at = point(x + TURN + 6.0, self.y + (height - text_height) / 2.0);
        self.label(arrow, at, Anchor::Start, subject);
        let sides = [self.y + height / 2.0 - 6.0, self.y + height / 2.0 + 6.0];
        self.loop_line(origin, sides, head, arrow.tone, subject);
        self.y += height + self.gap;
    }

    fn loop_line(
        &mut self,
        origin: usize,
        [top, bottom]: [f64; 2],
        head: End,
        tone: Tone,
        subject: &str,
    ) {
        let x = self.columns.x[origin];
        let out = x + TURN;
        let points = vec![point(x, top), point(out, top), point(out, bottom), point(x, bottom)];
        let on = [Some(self.keys[origin]); 2];
        let item = Item::arrow(Role::Message, points, [End::Plain, head], on).tone(tone);
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
