//! Plots: clouds of points, lines and boxes over linear, logarithmic and named axes, one panel or several.
//!
//! A [`Figure`] is a grid of [`Panel`]s below one legend. Text stands outside of the frames of panels and
//! data inside, so that no label covers a point. Series differ by the form of their
//! [`Mark`]s and not only by their tone. Bands in the background, instead of grid lines, show decades or steps.
//!
//! Numbers that an axis cannot show are left out, and the description gives their count: those that are not
//! finite, and on a logarithmic axis those that are not positive. Points that would coincide are painted
//! once, so that a cloud of thousands stays a small file.
//!
//! Boxes are those of Tukey ("Exploratory Data Analysis", 1977) with whiskers to the extremes.

mod axis;
mod mark;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::geometry::{Point, Rect, Size, float, point};
use crate::metrics::{Font, PLAIN, SMALL, STRONG};
use crate::scene::{Anchor, Item, Role, Scene, Shape, Tone};

use axis::Ruler;

pub use axis::{Axis, Scale, Unit};
pub use mark::Mark;

/// The data of a plot.
#[derive(Debug, Clone, Default)]
pub struct Figure {
    /// The title, in one line.
    pub title: String,
    /// A note below the title.
    pub note: String,
    /// The number of panels in a row; at least one.
    pub columns: usize,
    /// Whether panels have the same ranges, so that they can be compared.
    pub shared: bool,
    /// The panels, by row.
    pub panels: Vec<Panel>,
}

/// One pair of axes with its data.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    /// The title; empty if it is the only panel.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The series, in painting order.
    pub series: Vec<Series>,
}

/// Numbers that belong together.
#[derive(Debug, Clone)]
pub struct Series {
    /// The name in the legend. Series with the same name in several panels share one entry.
    pub name: String,
    /// The colour and stroke.
    pub tone: Tone,
    /// The form of points.
    pub mark: Mark,
    /// The numbers.
    pub data: Data,
}

/// The numbers of a series.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// Points by themselves.
    Points(Vec<[f64; 2]>),
    /// Points with a line through them, in their order.
    Line(Vec<[f64; 2]>),
    /// Boxes, each at a place of the x axis.
    Boxes(Vec<(f64, Spread)>),
    /// A horizontal reference line.
    Level(f64),
}

/// The five-number summary that a box shows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spread {
    /// The least number.
    pub min: f64,
    /// The first quartile.
    pub q1: f64,
    /// The median.
    pub median: f64,
    /// The third quartile.
    pub q3: f64,
    /// The greatest number.
    pub max: f64,
}

/// The size of the data area of a single panel.
const ALONE: Size = Size { width: 460.0, height: 280.0 };
/// The size of the data area of each of several panels.
const TOGETHER: Size = Size { width: 250.0, height: 170.0 };
const MARGIN: f64 = 14.0;
const GAP: f64 = 26.0;
const TICK: f64 = 4.0;
/// Points that are closer than this are painted once.
const GRAIN: f64 = 5.0;

/// Draws a figure.
///
/// ```
/// use otus_draw::layout::plot::{Axis, Data, Figure, Mark, Panel, Series, plot};
/// use otus_draw::scene::Tone;
///
/// let data = Data::Line(vec![[10.0, 0.1], [100.0, 1.2]]);
/// let series = Series { name: "ours".to_owned(), tone: Tone::Active, mark: Mark::Disc, data };
/// let panel = Panel { x: Axis::log("events"), y: Axis::log_seconds("time"), series: vec![series], ..Panel::default() };
/// let scene = plot(&Figure { title: "Growth".to_owned(), columns: 1, panels: vec![panel], ..Figure::default() });
/// assert!(scene.texts().any(|text| text == "100 ms"));
/// ```
pub fn plot(figure: &Figure) -> Scene {
    let mut scene = Scene::new(figure.title.clone());
    scene.description = description(figure);
    let room = if figure.panels.len() > 1 { TOGETHER } else { ALONE };
    let panels = figure.panels.iter().zip(rulers(figure));
    let drawn: Vec<Scene> =
        panels.map(|(panel, rulers)| draw_panel(panel, &rulers, room)).collect();
    let columns = figure.columns.max(1);
    let mut widths = vec![0.0_f64; columns];
    for (index, panel) in drawn.iter().enumerate() {
        widths[index % columns] = panel.size.width.max(widths[index % columns]);
    }
    let used = widths.iter().filter(|width| **width > 0.0).count();
    let width = (widths.iter().sum::<f64>() + GAP * float(used.saturating_sub(1))).max(320.0);
    let mut y = head(&mut scene, figure, width);
    for row in drawn.chunks(columns) {
        let mut x = 0.0;
        for (panel, width) in row.iter().zip(&widths) {
            scene.place(panel, point(x, y));
            x += width + GAP;
        }
        y += row.iter().map(|s| s.size.height).fold(0.0, f64::max) + GAP / 2.0;
    }
    scene.fit(MARGIN);
    scene
}

/// Draws title, note and legend; returns the top of the panels.
fn head(scene: &mut Scene, figure: &Figure, width: f64) -> f64 {
    let lines = STRONG.wrap_to(&figure.title, width, 2);
    let mut y =
        scene.lines(&lines, point(0.0, 0.0), Anchor::Start, STRONG, Role::Text, Tone::Normal);
    if !figure.note.is_empty() {
        let lines = SMALL.wrap_to(&figure.note, width, 4);
        y = scene.asides(&lines, point(0.0, y));
    }
    y += 4.0;
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut x = 0.0;
    let line = SMALL.line_height() + 3.0;
    for series in figure.panels.iter().flat_map(|panel| &panel.series) {
        if series.name.is_empty() || !seen.insert(&series.name) {
            continue;
        }
        let wide = 20.0 + SMALL.width(&series.name);
        if x > 0.0 && x + wide > width {
            x = 0.0;
            y += line;
        }
        let middle = y + line / 2.0;
        sample(scene, series, point(x + 7.0, middle));
        let base = middle + SMALL.ascent() / 2.0 - 0.5;
        let at = point(x + 18.0, base);
        scene.push(Item::label(Role::Aside, &series.name, at, Anchor::Start, SMALL));
        x += wide + 16.0;
    }
    if seen.is_empty() { y + 4.0 } else { y + line + 8.0 }
}

/// A sample of a series, for the legend.
fn sample(scene: &mut Scene, series: &Series, at: Point) {
    let reach = point(7.0, 0.0);
    match &series.data {
        Data::Points(_) => {}
        Data::Line(_) => {
            scene.push(Item::line(Role::Message, at - reach, at + reach).tone(series.tone));
        }
        Data::Boxes(_) => {
            let rect =
                Rect { left: at.x - 5.0, top: at.y - 4.0, right: at.x + 5.0, bottom: at.y + 4.0 };
            scene.push(Item::rect(Role::Event, rect).tone(series.tone));
            return;
        }
        Data::Level(_) => {
            scene.push(Item::line(Role::Separator, at - reach, at + reach).tone(series.tone));
            return;
        }
    }
    scene.push(series.mark.item(at, 3.5, series.tone));
}

/// For each panel: both axes with their ranges.
fn rulers(figure: &Figure) -> Vec<[Ruler; 2]> {
    let both = |panel: &Panel| {
        let of = if figure.shared { figure.panels.as_slice() } else { std::slice::from_ref(panel) };
        let ruler = |axis: &Axis, index: usize| {
            let numbers: Vec<f64> = of.iter().flat_map(|panel| panel.numbers(index)).collect();
            Ruler::new(axis, &numbers)
        };
        [ruler(&panel.x, 0), ruler(&panel.y, 1)]
    };
    figure.panels.iter().map(both).collect()
}

impl Panel {
    /// All numbers on an axis: 0 is the horizontal one, 1 the vertical one.
    fn numbers(&self, axis: usize) -> Vec<f64> {
        let mut all = Vec::new();
        for series in &self.series {
            match &series.data {
                Data::Points(points) | Data::Line(points) => {
                    all.extend(points.iter().filter(|at| self.shows(**at)).map(|at| at[axis]));
                }
                Data::Boxes(boxes) => {
                    for (x, spread) in boxes {
                        all.extend(if axis == 0 { vec![*x] } else { vec![spread.min, spread.max] });
                    }
                }
                Data::Level(y) if axis == 1 => all.push(*y),
                Data::Level(_) => {}
            }
        }
        all
    }

    fn shows(&self, [x, y]: [f64; 2]) -> bool {
        self.x.scale.shows(x) && self.y.scale.shows(y)
    }

    /// The number of all points, and the number of points that an axis cannot show.
    fn counts(&self) -> (usize, usize) {
        let (mut all, mut lost) = (0, 0);
        for series in &self.series {
            match &series.data {
                Data::Points(points) | Data::Line(points) => {
                    all += points.len();
                    lost += points.iter().filter(|at| !self.shows(**at)).count();
                }
                Data::Boxes(boxes) => all += boxes.len(),
                Data::Level(_) => {}
            }
        }
        (all, lost)
    }
}

/// A panel with its corner at the origin of a scene of its own.
fn draw_panel(panel: &Panel, [across, up]: &[Ruler; 2], room: Size) -> Scene {
    let mut scene = Scene::default();
    let area = Rect::at(point(0.0, 0.0), room);
    let x_of = |value: f64| area.left + across.part(value) * area.width();
    let y_of = |value: f64| area.bottom - up.part(value) * area.height();
    for [low, high] in up.bands() {
        let rect = Rect { left: area.left, top: y_of(high), right: area.right, bottom: y_of(low) };
        scene.push(Item::new(Role::Band, Shape::Box { rect, radius: 0.0 }));
    }
    scene.push(Item::new(Role::Frame, Shape::Box { rect: area, radius: 0.0 }));
    let mut end = f64::NEG_INFINITY;
    for (value, text) in across.ticks() {
        let x = x_of(value);
        let bottom = area.bottom;
        scene.push(Item::line(Role::Frame, point(x, bottom), point(x, bottom + TICK)));
        let half = SMALL.width(&text) / 2.0;
        if x - half > end + 4.0 {
            end = x + half;
            let at = point(x, bottom + TICK + 2.0 + SMALL.ascent());
            scene.push(Item::label(Role::Aside, text, at, Anchor::Middle, SMALL));
        }
    }
    let mut above = f64::INFINITY;
    for (value, text) in up.ticks() {
        let y = y_of(value);
        scene.push(Item::line(Role::Frame, point(area.left - TICK, y), point(area.left, y)));
        if y + SMALL.size / 2.0 < above {
            above = y - SMALL.size / 2.0;
            let at = point(area.left - TICK - 3.0, y + SMALL.ascent() / 2.0 - 0.5);
            scene.push(Item::label(Role::Aside, text, at, Anchor::End, SMALL));
        }
    }
    let below = area.bottom + TICK + 2.0 + SMALL.line_height() + 3.0;
    let mut write = |text: &str, at: Point, anchor: Anchor, font: Font| {
        let text = font.shorten(text, area.width());
        scene.push(Item::label(Role::Text, text, at, anchor, font));
    };
    let at = point(area.center().x, below + SMALL.ascent());
    write(&panel.x.label, at, Anchor::Middle, SMALL);
    // The label of the vertical axis stands above it, not rotated along it, since horizontal text is easier to read.
    write(&panel.y.label, point(area.left, area.top - 7.0), Anchor::Start, SMALL);
    if !panel.title.is_empty() {
        let at = point(area.left, area.top - 10.0 - SMALL.line_height());
        write(&panel.title, at, Anchor::Start, PLAIN);
    }
    for series in &panel.series {
        draw_series(&mut scene, panel, series, area, &x_of, &y_of);
    }
    scene.fit(0.0);
    scene
}

fn draw_series(
    scene: &mut Scene,
    panel: &Panel,
    series: &Series,
    area: Rect,
    x_of: &dyn Fn(f64) -> f64,
    y_of: &dyn Fn(f64) -> f64,
) {
    let place = |at: &[f64; 2]| panel.shows(*at).then(|| point(x_of(at[0]), y_of(at[1])));
    match &series.data {
        Data::Points(points) | Data::Line(points) => {
            let is_line = matches!(series.data, Data::Line(_));
            let places: Vec<Point> = points.iter().filter_map(place).collect();
            if is_line && places.len() > 1 {
                scene.push(Item::path(Role::Message, places.clone()).tone(series.tone));
            }
            for at in thinned(places) {
                scene.push(series.mark.item(at, if is_line { 3.2 } else { 2.2 }, series.tone));
            }
        }
        Data::Boxes(boxes) => {
            let half = half_width(panel, area, x_of);
            for (x, spread) in boxes {
                let values = [spread.min, spread.q1, spread.median, spread.q3, spread.max];
                if values.iter().all(|value| panel.y.scale.shows(*value)) {
                    draw_box(scene, series.tone, x_of(*x), half, values.map(y_of));
                }
            }
        }
        Data::Level(y) => {
            if panel.y.scale.shows(*y) {
                let (from, to) = (point(area.left, y_of(*y)), point(area.right, y_of(*y)));
                scene.push(Item::line(Role::Separator, from, to).tone(series.tone));
            }
        }
    }
}

/// Half of the width of boxes: a third of the least distance, at most twelve pixels.
fn half_width(panel: &Panel, area: Rect, x_of: &dyn Fn(f64) -> f64) -> f64 {
    let boxes = panel.series.iter().flat_map(|series| match &series.data {
        Data::Boxes(boxes) => boxes.as_slice(),
        Data::Points(_) | Data::Line(_) | Data::Level(_) => &[],
    });
    let mut places: Vec<f64> = boxes.map(|(x, _)| x_of(*x)).collect();
    places.sort_by(f64::total_cmp);
    let gaps = places.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0.5);
    gaps.fold(area.width(), f64::min).min(36.0) / 3.0
}

fn draw_box(scene: &mut Scene, tone: Tone, x: f64, half: f64, heights: [f64; 5]) {
    let [min, q1, median, q3, max] = heights;
    let mut line =
        |from: Point, to: Point| scene.push(Item::line(Role::Message, from, to).tone(tone));
    for (outer, inner) in [(min, q1), (max, q3)] {
        line(point(x, outer), point(x, inner));
        line(point(x - half / 2.0, outer), point(x + half / 2.0, outer));
    }
    // The box is at least as high as a line, even if the quartiles nearly coincide.
    let middle = f64::midpoint(q1, q3);
    let rect = Rect {
        left: x - half,
        top: q3.min(middle - 0.7),
        right: x + half,
        bottom: q1.max(middle + 0.7),
    };
    scene.push(Item::new(Role::Event, Shape::Box { rect, radius: 1.0 }).tone(tone));
    scene.push(
        Item::line(Role::Coregion, point(x - half, median), point(x + half, median)).tone(tone),
    );
}

/// The points without those that fall into a cell of a grid of [`GRAIN`] units that is occupied
/// already.
fn thinned(mut places: Vec<Point>) -> Vec<Point> {
    let mut seen = BTreeSet::new();
    #[expect(clippy::cast_possible_truncation, reason = "places on a canvas")]
    let grain = |length: f64| (length / GRAIN).round() as i64;
    places.retain(|at| seen.insert((grain(at.x), grain(at.y))));
    places
}

fn description(figure: &Figure) -> String {
    let mut text = figure.note.clone();
    for panel in &figure.panels {
        let (all, lost) = panel.counts();
        let names: Vec<&str> = panel.series.iter().map(|series| series.name.as_str()).collect();
        let title = if panel.title.is_empty() { &figure.title } else { &panel.title };
        let _ = write!(
            text,
            " {title}: {} over {}; {all} values of {}.",
            panel.y.label,
            panel.x.label,
            names.join(", ")
        );
        if lost > 0 {
            let _ = write!(text, " {lost} of them cannot be shown on these axes.");
        }
    }
    text.trim_start().to_owned()
}
