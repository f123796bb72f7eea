//! Third pass: boxes in their cells, and arrows between them.
//!
//! Arrows turn in two kinds of free space: in *gutters* between columns, and in *gaps* between rows. An arrow to the
//! next column is a straight line, since it crosses only the gutter between the two columns. Any other arrow leaves
//! its box sideways, goes down to the gap below its row, along it to the gutter beside its target, and from there to
//! the target. Arrows that would lie on each other get tracks side by side, for which gutters and gaps grow.

use super::window::{Cell, Window};
use super::{EventState, FailurePicture, PictureEvent, PictureLifeline};
use crate::geometry::{Point, Rect, Size, float, point};
use crate::metrics::{Font, PLAIN, SMALL, STRONG};
use crate::scene::{Anchor, End, Item, Key, Role, Scene, Tone};

/// The height of an event.
const BOX: f64 = 22.0;
/// The distance between the text of a box and its sides.
const PADDING: f64 = 7.0;
/// The height of a gap, and the width of a gutter, without tracks.
const GAP: f64 = 14.0;
const GUTTER: f64 = 36.0;
/// The distance between neighbouring tracks.
const TRACK: f64 = 6.0;
/// The maximum number of tracks of a gutter or gap. Further arrows share these tracks.
const MOST_TRACKS: usize = 12;
/// The maximum width of the text of an event, and of a line of a head.
const LABEL_ROOM: f64 = 240.0;
const HEAD_ROOM: f64 = 140.0;
/// The length of an arrow whose other end is not drawn.
const STUB: f64 = 15.0;
/// The height of a picture above which the names of its lifelines are repeated at the bottom.
const TALL: f64 = 900.0;
/// The minimum width of the text above the diagram.
const TEXT_ROOM: f64 = 420.0;

pub(super) fn paint(picture: &FailurePicture, window: &Window) -> Scene {
    let routes = Routes::of(picture, window);
    let grid = Grid::of(picture, window, &routes);
    let mut painter = Painter { picture, window, grid, scene: Scene::default(), keys: Vec::new() };
    if window.columns.is_empty() {
        painter.scene.nothing_but("no lifelines", PLAIN);
    } else {
        painter.lifelines();
        painter.culprit();
        painter.keys = painter.scene.fresh_keys(&window.places);
        painter.messages(&routes);
        painter.gaps();
        painter.events();
        painter.durations(&routes);
        painter.heads();
        painter.preface();
    }
    let mut scene = painter.scene;
    scene.fit(12.0);
    scene
}

fn tone(state: EventState) -> Tone {
    match state {
        EventState::Explained => Tone::Good,
        EventState::Offending => Tone::Bad,
        EventState::Expected => Tone::Active,
        EventState::NotReached => Tone::Faded,
        EventState::Assumed => Tone::Assumed,
    }
}

/// The text of an event in its column, without the name of the lifeline, which the column shows.
fn caption(event: &PictureEvent, lifeline: &PictureLifeline) -> String {
    let action =
        event.label.strip_prefix(&lifeline.name).filter(|rest| rest.starts_with(['!', '?']));
    let action = action.unwrap_or(&event.label);
    let action = match &event.values {
        Some(values) => format!("{action} {values}"),
        None => action.to_owned(),
    };
    match event.state {
        EventState::Explained | EventState::NotReached => action,
        EventState::Offending => format!("✗ {action}"),
        EventState::Expected => format!("expected {action}"),
        EventState::Assumed => format!("assumed {action}"),
    }
}

/// A message whose two events are both drawn. To the next column, the route is straight. To its own column, it goes
/// out into the gutter at the right and back. To any other column, it goes through a gap.
#[derive(Debug, Clone, Copy)]
struct Route {
    message: usize,
    from: Cell,
    to: Cell,
    /// The tracks in the gutter of the emission, in the gap, and in the gutter of the reception; unused ones are
    /// 0.
    tracks: [usize; 3],
}

impl Route {
    /// The number of columns from its emission to its reception.
    fn distance(&self) -> usize {
        self.from.column.abs_diff(self.to.column)
    }

    fn goes_right(&self) -> bool {
        self.from.column <= self.to.column
    }

    /// The gutters beside its emission and beside its reception; gutter `c` is left of column `c`.
    fn gutters(&self) -> [usize; 2] {
        if self.goes_right() {
            [self.from.column + 1, self.to.column]
        } else {
            [self.from.column, self.to.column + 1]
        }
    }
}

#[derive(Debug, Default)]
struct Routes {
    arrows: Vec<Route>,
    /// Messages of which only one event is drawn: the cell of that event, and whether the message
    /// leaves it.
    halves: Vec<(usize, Cell, bool)>,
    /// The number of tracks of each gutter and of each gap.
    gutters: Vec<usize>,
    gaps: Vec<usize>,
}

impl Routes {
    fn of(picture: &FailurePicture, window: &Window) -> Self {
        let mut routes = Routes {
            gutters: vec![0; window.columns.len() + 1],
            gaps: vec![0; window.rows],
            ..Routes::default()
        };
        let place = |event: usize| window.places.get(event).copied().flatten();
        for (message, ends) in picture.messages.iter().enumerate() {
            if ends.from.max(ends.to) >= picture.events.len() || ends.from == ends.to {
                continue;
            }
            match (place(ends.from), place(ends.to)) {
                (Some(from), Some(to)) => {
                    routes.arrows.push(Route { message, from, to, tracks: [0; 3] });
                }
                (Some(from), None) => routes.halves.push((message, from, true)),
                (None, Some(to)) => routes.halves.push((message, to, false)),
                (None, None) => {}
            }
        }
        routes.tracks();
        routes
    }

    /// Gives every route its tracks. In a gutter, row `r` is at `2 r` and the gap below it at `2 r + 1`.
    fn tracks(&mut self) {
        let mut gutters: Vec<Vec<Span>> = vec![Vec::new(); self.gutters.len()];
        let mut gaps: Vec<Vec<Span>> = vec![Vec::new(); self.gaps.len()];
        for (route, it) in self.arrows.iter().enumerate() {
            let [out, into] = it.gutters();
            let (row, gap, target) = (2 * it.from.row, 2 * it.from.row + 1, 2 * it.to.row);
            match it.distance() {
                0 => gutters[out].push(Span::new(route, 0, row, target)),
                1 => {}
                _ => {
                    gutters[out].push(Span::new(route, 0, row, gap));
                    gaps[it.from.row].push(Span::new(route, 1, out, into));
                    gutters[into].push(Span::new(route, 2, gap, target));
                }
            }
        }
        let lists = gutters.iter_mut().zip(&mut self.gutters);
        for (spans, count) in lists.chain(gaps.iter_mut().zip(&mut self.gaps)) {
            spans.sort_unstable_by_key(|span| (span.low, span.high, span.route));
            let mut ends: Vec<usize> = Vec::new();
            for span in spans {
                let free = ends.iter().position(|&end| end < span.low);
                let track = match free {
                    Some(track) => track,
                    None if ends.len() < MOST_TRACKS => {
                        ends.push(0);
                        ends.len() - 1
                    }
                    None => span.route % MOST_TRACKS,
                };
                ends[track] = ends[track].max(span.high);
                self.arrows[span.route].tracks[span.part] = track;
            }
            *count = ends.len();
        }
    }
}

/// A part of a route in a gutter or gap.
#[derive(Debug, Clone, Copy)]
struct Span {
    route: usize,
    /// The index of its track in [`Route::tracks`].
    part: usize,
    low: usize,
    high: usize,
}

impl Span {
    fn new(route: usize, part: usize, a: usize, b: usize) -> Self {
        Span { route, part, low: a.min(b), high: a.max(b) }
    }
}

#[derive(Debug, Default)]
struct Grid {
    /// For each column: its left and its right side.
    columns: Vec<(f64, f64)>,
    rows: Vec<f64>,
    heads: Vec<Vec<String>>,
    head_height: f64,
    bottom: f64,
}

impl Grid {
    fn of(picture: &FailurePicture, window: &Window, routes: &Routes) -> Self {
        let name = |&at: &usize| STRONG.wrap_to(&picture.lifelines[at].name, HEAD_ROOM, 3);
        let heads: Vec<Vec<String>> = window.columns.iter().map(name).collect();
        let mut widths: Vec<f64> =
            heads.iter().map(|lines| STRONG.widest(lines).max(50.0)).collect();
        for (event, place) in window.places.iter().enumerate() {
            if let Some(cell) = place {
                let (text, font) = label(picture, event);
                widths[cell.column] = widths[cell.column].max(font.width(&text));
            }
        }
        for gap in &window.gaps {
            let width = SMALL.width(&gap.text);
            widths[gap.at.column] = widths[gap.at.column].max(width);
        }
        let mut x = 0.0;
        let mut columns = Vec::new();
        for (column, width) in widths.iter().enumerate() {
            if column > 0 {
                x += GUTTER + float(routes.gutters[column].saturating_sub(1)) * TRACK;
            }
            columns.push((x, x + width + 2.0 * PADDING));
            x += width + 2.0 * PADDING;
        }
        let lines = heads.iter().map(Vec::len).max().unwrap_or(0);
        let head_height = STRONG.height(lines) + 10.0;
        let mut rows = Vec::new();
        let mut y = head_height + GAP;
        for &tracks in &routes.gaps {
            rows.push(y + BOX / 2.0);
            y += BOX + GAP + float(tracks) * TRACK;
        }
        Grid { columns, rows, heads, head_height, bottom: y }
    }

    fn rect(&self, cell: Cell) -> Rect {
        let ((left, right), y) = (self.columns[cell.column], self.rows[cell.row]);
        Rect { left, top: y - BOX / 2.0, right, bottom: y + BOX / 2.0 }
    }

    /// The x coordinate of a track in a gutter; the first track is next to the column at its right.
    fn in_gutter(&self, gutter: usize, track: usize) -> f64 {
        let off = 12.0 + float(track) * TRACK;
        match self.columns.get(gutter) {
            Some((left, _)) => left - off,
            None => self.columns[gutter - 1].1 + off,
        }
    }

    fn points(&self, route: &Route) -> Vec<Point> {
        let (source, target) = (self.rect(route.from), self.rect(route.to));
        let (from_y, to_y) = (source.center().y, target.center().y);
        let (from, to) = if route.goes_right() {
            (point(source.right, from_y), point(target.left, to_y))
        } else {
            (point(source.left, from_y), point(target.right, to_y))
        };
        let [out_gutter, into_gutter] = route.gutters();
        let [out, along, into] = route.tracks;
        let (left, right) = (self.in_gutter(out_gutter, out), self.in_gutter(into_gutter, into));
        match route.distance() {
            0 => vec![from, point(left, from_y), point(left, to_y), point(target.right, to_y)],
            1 => vec![from, to],
            _ => {
                let y = self.rows[route.from.row] + BOX / 2.0 + GAP / 2.0 + float(along) * TRACK;
                let [first, second] = [point(left, from_y), point(left, y)];
                vec![from, first, second, point(right, y), point(right, to_y), to]
            }
        }
    }
}

fn label(picture: &FailurePicture, index: usize) -> (String, Font) {
    let event = &picture.events[index];
    let font = if picture.culprit == Some(index) { STRONG } else { PLAIN };
    (font.shorten(&caption(event, &picture.lifelines[event.lifeline]), LABEL_ROOM), font)
}

struct Painter<'p> {
    picture: &'p FailurePicture,
    window: &'p Window,
    grid: Grid,
    scene: Scene,
    keys: Vec<Key>,
}

impl Painter<'_> {
    fn lifelines(&mut self) {
        for &(left, right) in &self.grid.columns {
            let x = f64::midpoint(left, right);
            let (top, bottom) = (self.grid.head_height, self.grid.bottom);
            self.scene.push(Item::line(Role::Lifeline, point(x, top), point(x, bottom)));
        }
    }

    /// A band behind the culprit.
    fn culprit(&mut self) {
        let places = &self.window.places;
        let at = self.picture.culprit.and_then(|event| Some((event, (*places.get(event)?)?)));
        if let Some((event, cell)) = at {
            let rect = self.grid.rect(cell).grow(5.0);
            let tone = tone(self.picture.events[event].state);
            self.scene.push(Item::rect(Role::Band, rect).tone(tone));
        }
    }

    fn messages(&mut self, routes: &Routes) {
        for route in &routes.arrows {
            let ends = self.picture.messages[route.message];
            let points = self.grid.points(route);
            let on = [Some(self.keys[ends.from]), Some(self.keys[ends.to])];
            let [from, to] = [ends.from, ends.to].map(|event| &self.picture.events[event]);
            // Two lifelines of one log share moments, so events in one row belong to one moment.
            let [one, other] = [from, to].map(|it| self.picture.lifelines[it.lifeline].component);
            let is_early =
                route.to.row < route.from.row || route.to.row == route.from.row && one != other;
            let tone = if is_early { Tone::Bad } else { message_tone(from.state, to.state) };
            self.arrow(route.message, points, on, tone);
        }
        for &(message, cell, leaves) in &routes.halves {
            let rect = self.grid.rect(cell);
            let ends = self.picture.messages[message];
            let (y, stub) = (rect.center().y, point(STUB, BOX / 2.0));
            let (points, on) = if leaves {
                let near = point(rect.right, y);
                (vec![near, near + stub], [Some(self.keys[ends.from]), None])
            } else {
                let near = point(rect.left, y);
                (vec![near - stub, near], [None, Some(self.keys[ends.to])])
            };
            self.arrow(message, points, on, Tone::Faded);
        }
    }

    fn arrow(&mut self, message: usize, points: Vec<Point>, on: [Option<Key>; 2], tone: Tone) {
        let ends = self.picture.messages[message];
        let [from, to] =
            [ends.from, ends.to].map(|event| self.picture.events[event].label.as_str());
        let subject = format!("message-{message}");
        self.scene.tooltips.insert(subject.clone(), format!("{from} → {to}"));
        let item = Item::arrow(Role::Message, points, [End::Plain, End::Open], on).tone(tone);
        self.scene.push(item.subject(subject));
    }

    fn gaps(&mut self) {
        for gap in &self.window.gaps {
            let center = self.grid.rect(gap.at).center();
            self.scene.push(Item::centered(Role::Aside, &gap.text, center, SMALL));
        }
    }

    fn events(&mut self) {
        for (index, place) in self.window.places.iter().enumerate() {
            let Some(cell) = *place else { continue };
            let event = &self.picture.events[index];
            let rect = self.grid.rect(cell);
            let (text, font) = label(self.picture, index);
            let tone = tone(event.state);
            let subject = format!("event-{index}");
            let is_culprit = self.picture.culprit == Some(index);
            let tooltip = tooltip(event, &self.picture.lifelines[event.lifeline], is_culprit);
            self.scene.tooltips.insert(subject.clone(), tooltip);
            let item = Item::rect(Role::Event, rect).tone(tone).key(self.keys[index]);
            self.scene.push(item.subject(subject.clone()));
            let item = Item::centered(Role::Event, text, rect.center(), font).tone(tone);
            self.scene.push(item.subject(subject));
        }
    }

    /// A dimension beside the outer columns, with a line from each of its two events. In other columns, the words of the
    /// events tell the duration.
    fn durations(&mut self, routes: &Routes) {
        let last = self.grid.columns.len().saturating_sub(1);
        for duration in &self.picture.durations {
            let place = |event: usize| self.window.places.get(event).copied().flatten();
            let (Some(from), Some(to)) = (place(duration.from), place(duration.to)) else {
                continue;
            };
            let is_left = from.column == 0 && to.column == 0;
            if !is_left && !(from.column == last && to.column == last) {
                continue;
            }
            let [from, to] = [from, to].map(|cell| self.grid.rect(cell));
            let tracks = routes.gutters.last().copied().unwrap_or(0).min(MOST_TRACKS);
            let (edge, x) = if is_left {
                (from.left, from.left - STUB - 16.0)
            } else {
                (from.right, from.right + STUB + 16.0 + float(tracks) * TRACK)
            };
            let [top, bottom] = [from, to].map(|rect| rect.center().y);
            let out = if is_left { -5.0 } else { 5.0 };
            for y in [top, bottom] {
                let line = Item::line(Role::Dimension, point(edge, y), point(x + out, y));
                self.scene.push(line.tone(Tone::Bad));
            }
            let ends = [End::Open, End::Open];
            let points = vec![point(x, top), point(x, bottom)];
            let arrow = Item::arrow(Role::Dimension, points, ends, [None, None]);
            self.scene.push(arrow.tone(Tone::Bad));
            let anchor = if is_left { Anchor::End } else { Anchor::Start };
            let middle = f64::midpoint(top, bottom);
            let texts = [duration.text.clone(), format!("allowed: {}", duration.allowed)];
            for (line, text) in texts.into_iter().enumerate() {
                let y = middle + (float(line) - 0.5) * PLAIN.line_height() + PLAIN.to_baseline();
                let font = if line == 0 { STRONG } else { SMALL };
                let at = point(x + 1.6 * out, y);
                let label = Item::label(Role::Dimension, text, at, anchor, font);
                self.scene.push(if line == 0 { label.tone(Tone::Bad) } else { label });
            }
        }
    }

    fn heads(&mut self) {
        let tops = [Some(0.0), (self.grid.bottom > TALL).then_some(self.grid.bottom)];
        for (column, &lifeline) in self.window.columns.iter().enumerate() {
            let of = &self.picture.lifelines[lifeline];
            let tone = if of.core { Tone::Bad } else { Tone::Normal };
            let subject = format!("lifeline-{lifeline}");
            self.scene.tooltips.insert(subject.clone(), head_tooltip(self.picture, lifeline));
            for top in tops.into_iter().flatten() {
                let (left, right) = self.grid.columns[column];
                let height = self.grid.head_height;
                let rect = Rect { left, top, right, bottom: top + height };
                // Only the head at the top gets the subject, so that ids are unique.
                for item in self.scene.head(rect, &self.grid.heads[column], STRONG, tone) {
                    item.subject = (top == 0.0).then(|| subject.clone());
                }
            }
        }
    }

    /// The legend and the note, above the diagram.
    fn preface(&mut self) {
        let width = self.grid.columns.last().map_or(0.0, |(_, right)| *right);
        let room = width.clamp(TEXT_ROOM, 2.0 * TEXT_ROOM);
        let note = self.window.note(self.picture).join(" ");
        let lines = if note.is_empty() { Vec::new() } else { SMALL.wrap(&note, room) };
        let states = EventState::ALL.into_iter().filter(|&state| {
            let mut places = self.window.places.iter().zip(&self.picture.events);
            places.any(|(place, event)| place.is_some() && event.state == state)
        });
        // Entries are placed from left to right; a new line begins when one is full.
        let sample = Size { width: 18.0, height: 12.0 };
        let mut entries: Vec<(Point, EventState)> = Vec::new();
        let (mut x, mut line) = (0.0, 0);
        for state in states {
            let width = sample.width + 6.0 + SMALL.width(state.words());
            if x > 0.0 && x + width > room {
                (x, line) = (0.0, line + 1);
            }
            entries.push((point(x, float(line) * 18.0), state));
            x += width + 18.0;
        }
        let legend = float(line + 1) * 18.0;
        let height = legend + SMALL.height(lines.len()) + 10.0;
        for (at, state) in entries {
            let rect = Rect::at(at - point(0.0, height), sample);
            self.scene.push(Item::rect(Role::Event, rect).tone(tone(state)));
            let at = point(rect.right + 6.0, rect.center().y + SMALL.to_baseline());
            self.scene.push(Item::label(Role::Aside, state.words(), at, Anchor::Start, SMALL));
        }
        self.scene.asides(&lines, point(0.0, legend - height));
    }
}

/// The tone of a message between events in two states: that of the less certain state.
fn message_tone(from: EventState, to: EventState) -> Tone {
    let uncertain =
        [EventState::Expected, EventState::Assumed, EventState::Offending, EventState::NotReached];
    let state = uncertain.into_iter().find(|state| [from, to].contains(state));
    state.map_or(Tone::Normal, tone)
}

fn tooltip(event: &PictureEvent, lifeline: &PictureLifeline, is_culprit: bool) -> String {
    let mut parts =
        vec![format!("{} on {}", event.label, lifeline.name), event.state.words().to_owned()];
    if is_culprit {
        parts.push("the failure is here".to_owned());
    }
    parts.extend(event.log.clone());
    parts.extend(event.specification.clone());
    parts.join(" · ")
}

fn head_tooltip(picture: &FailurePicture, lifeline: usize) -> String {
    let of = &picture.lifelines[lifeline];
    let mut parts = vec![of.name.clone()];
    let others = picture.lifelines.iter().enumerate();
    let others = others.filter(|(at, it)| *at != lifeline && it.component == of.component);
    let others: Vec<&str> = others.map(|(_, it)| it.name.as_str()).take(20).collect();
    if !others.is_empty() {
        parts.push(format!("in one log with {}", others.join(", ")));
    }
    if of.core {
        parts.push("part of the smallest set of logs that fails".to_owned());
    }
    parts.join(" · ")
}
