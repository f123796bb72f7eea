//! Finds flaws of pictures: overlapping labels, crossing frames, arrows that do not end on their targets, items
//! beyond the edge. Tests run it on every picture they draw.

use rustc_hash::FxHashMap;

use crate::geometry::{Point, Rect, Size};
use crate::scene::{Item, Key, Role, Scene, Shape};

/// A flaw of a picture; numbers are indices of its items.
#[derive(Debug, Clone, PartialEq)]
pub enum Flaw {
    /// Two labels overlap.
    LabelsOverlap(String, String),
    /// Two frames, boxes or heads overlap, and neither is in the other.
    BoxesCross(usize, usize),
    /// The side of a frame or box goes through a label.
    LabelOnBorder(String, usize),
    /// A message or an edge goes through a label.
    LabelOnLine(String, usize),
    /// A line does not end on its target.
    EndAstray(usize),
    /// An item is beyond the edge of the canvas.
    Outside(usize),
}

/// The largest difference between two lengths that is too small to be seen.
const SLACK: f64 = 0.6;

/// All flaws of a picture, in the order of its items.
pub fn flaws(scene: &Scene) -> Vec<Flaw> {
    let mut found = Vec::new();
    let canvas = Rect { right: scene.size.width, bottom: scene.size.height, ..Rect::default() };
    let places: Vec<Rect> = scene.items.iter().map(Item::rect_of).collect();
    for (index, place) in places.iter().enumerate() {
        let finite =
            [place.left, place.top, place.right, place.bottom].iter().all(|n| n.is_finite());
        if !finite || !canvas.grow(SLACK).contains(*place) {
            found.push(Flaw::Outside(index));
        }
    }
    astray(scene, &mut found);
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].top.total_cmp(&places[b].top).then(a.cmp(&b)));
    let mut active: Vec<usize> = Vec::new();
    let mut pairs = Vec::new();
    for now in order {
        active.retain(|&other| places[other].bottom > places[now].top);
        for &other in &active {
            if places[other].grow(SLACK).overlaps(places[now]) {
                pairs.push((other.min(now), other.max(now)));
            }
        }
        active.push(now);
    }
    pairs.sort_unstable();
    for (a, b) in pairs {
        found.extend(between(scene, &places, a, b));
    }
    found
}

fn between(scene: &Scene, places: &[Rect], a: usize, b: usize) -> Option<Flaw> {
    let (first, second) = (&scene.items[a], &scene.items[b]);
    match (&first.shape, &second.shape) {
        (Shape::Label(one), Shape::Label(other)) => places[a]
            .grow(-SLACK)
            .overlaps(places[b].grow(-SLACK))
            .then(|| Flaw::LabelsOverlap(one.text.clone(), other.text.clone())),
        (Shape::Label(label), _) => on(label.text.as_str(), places[a], second, b),
        (_, Shape::Label(label)) => on(label.text.as_str(), places[b], first, a),
        _ => {
            let inner = |x: Rect, y: Rect| x.grow(SLACK).contains(y);
            let crosses = is_solid(first)
                && is_solid(second)
                && places[a].grow(-SLACK).overlaps(places[b])
                && !inner(places[a], places[b])
                && !inner(places[b], places[a]);
            crosses.then_some(Flaw::BoxesCross(a, b))
        }
    }
}

/// The flaw that an item covers a label, if it does.
fn on(text: &str, place: Rect, item: &Item, index: usize) -> Option<Flaw> {
    let room = place.grow(-SLACK);
    match &item.shape {
        Shape::Label(_) | Shape::Disc { .. } | Shape::Polygon(_) => None,
        Shape::Box { rect, .. } => (is_solid(item) && rect.overlaps(room) && !rect.contains(room))
            .then(|| Flaw::LabelOnBorder(text.to_owned(), index)),
        Shape::Line(line) => {
            let counts =
                matches!(item.role, Role::Message | Role::Edge | Role::Separator | Role::Dimension);
            (counts && line.points.windows(2).any(|pair| crosses(pair[0], pair[1], room)))
                .then(|| Flaw::LabelOnLine(text.to_owned(), index))
        }
    }
}

fn is_solid(item: &Item) -> bool {
    matches!(item.shape, Shape::Box { .. })
        && matches!(item.role, Role::Frame | Role::Head | Role::Node | Role::Event)
}

/// Whether a segment has a point within a rectangle (Liang and Barsky's clipping).
pub(crate) fn crosses(from: Point, to: Point, rect: Rect) -> bool {
    let way = to - from;
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let sides = [
        (-way.x, from.x - rect.left),
        (way.x, rect.right - from.x),
        (-way.y, from.y - rect.top),
        (way.y, rect.bottom - from.y),
    ];
    for (speed, room) in sides {
        if speed == 0.0 {
            if room <= 0.0 {
                return false;
            }
        } else if speed < 0.0 {
            enter = enter.max(room / speed);
        } else {
            leave = leave.min(room / speed);
        }
    }
    enter < leave
}

/// Finds lines that do not end on their targets.
fn astray(scene: &Scene, found: &mut Vec<Flaw>) {
    let keyed: FxHashMap<Key, &Item> =
        scene.items.iter().filter_map(|item| Some((item.key?, item))).collect();
    for (index, item) in scene.items.iter().enumerate() {
        let Shape::Line(line) = &item.shape else { continue };
        let ends = [line.points.first(), line.points.last()];
        for (end, on) in ends.into_iter().zip(line.on) {
            let (Some(end), Some(key)) = (end, on) else { continue };
            if !keyed.get(&key).is_some_and(|target| lies_on(*end, target)) {
                found.push(Flaw::EndAstray(index));
            }
        }
    }
}

/// Whether a point is on a line, or on the rim of a box, polygon or disc.
fn lies_on(at: Point, target: &Item) -> bool {
    let near = |from: Point, to: Point| {
        let way = to - from;
        let square = way.x * way.x + way.y * way.y;
        let off = at - from;
        let part = if square == 0.0 { 0.0 } else { (off.x * way.x + off.y * way.y) / square };
        (off - way * part.clamp(0.0, 1.0)).length() <= SLACK
    };
    match &target.shape {
        Shape::Line(line) => line.points.windows(2).any(|pair| near(pair[0], pair[1])),
        Shape::Box { rect, .. } => {
            let at = Rect::at(at, Size::default());
            rect.grow(SLACK).contains(at) && !rect.grow(-SLACK).contains(at)
        }
        Shape::Polygon(points) => {
            let next = points.iter().cycle().skip(1);
            points.iter().zip(next).any(|(a, b)| near(*a, *b))
        }
        Shape::Disc { center, radius } => ((at - *center).length() - radius).abs() <= SLACK,
        Shape::Label(_) => false,
    }
}
