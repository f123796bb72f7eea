//! The ways of arrows through a space-time diagram.
//!
//! An arrow is straight unless that crosses a label or a dot. Then it leaves its process below
//! the zone of labels, crosses in the gap, and goes down on a track beside the line of its
//! target, between that line and its labels: there is nothing but tracks, and no two arrows
//! share one at the same height.

use super::{Arrow, DOT, Places, Plan, Side, TRACK};
use crate::check::crosses;
use crate::geometry::{Point, Rect, Size, point};

/// How an arrow gets to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// By a straight line.
    Straight,
    /// Through the gap above its target.
    Gap,
    /// Through the gap below its origin and along a track.
    Track(usize),
}

/// Routes for arrows that must not be straight and for the others; counts the tracks beside
/// each process.
pub(super) fn assign(plan: &Plan, detour: &[bool], tracks: &mut [[usize; 2]]) -> Vec<Route> {
    let mut routes = vec![Route::Straight; plan.arrows.len()];
    let mut order: Vec<usize> = (0..plan.arrows.len()).filter(|&index| detour[index]).collect();
    order.sort_by_key(|&index| (rows(plan, plan.arrows[index]), index));
    // By process and side: where each track is free again.
    let mut free: Vec<[Vec<usize>; 2]> = vec![<[Vec<usize>; 2]>::default(); tracks.len()];
    for index in order {
        let arrow = plan.arrows[index];
        let (from, to) = rows(plan, arrow);
        if to == from + 1 {
            routes[index] = Route::Gap;
            continue;
        }
        let process = arrow.to.0;
        let tracks_here = &mut free[process][side(arrow) as usize];
        let track = tracks_here.iter().position(|&end| end <= from).unwrap_or_else(|| {
            tracks_here.push(0);
            tracks_here.len() - 1
        });
        tracks_here[track] = to;
        routes[index] = Route::Track(track);
    }
    for (tracks, free) in tracks.iter_mut().zip(&free) {
        *tracks = [free[0].len(), free[1].len()];
    }
    routes
}

/// From which side an arrow comes to its target.
fn side(arrow: Arrow) -> Side {
    if arrow.from.0 < arrow.to.0 { Side::Left } else { Side::Right }
}

fn rows(plan: &Plan, arrow: Arrow) -> (usize, usize) {
    let row = |(process, index): (usize, usize)| plan.columns[process][index].row;
    (row(arrow.from), row(arrow.to))
}

/// How many rows times processes a straight arrow may pass; beyond it is not even tried.
const FAR: usize = 4000;

/// Whether a straight arrow would cross a label or a dot.
pub(super) fn is_blocked(plan: &Plan, places: &Places, arrow: Arrow) -> bool {
    let (first, last) = rows(plan, arrow);
    let columns = arrow.from.0.min(arrow.to.0)..=arrow.from.0.max(arrow.to.0);
    if (last - first).saturating_mul(columns.end() - columns.start()) > FAR {
        return true;
    }
    let [from, to] = straight(plan, places, arrow);
    columns.into_iter().any(|process| {
        let column = &plan.columns[process];
        let start = column.partition_point(|shown| shown.row < first);
        let near = column[start..].iter().take_while(|shown| shown.row <= last);
        near.enumerate().any(|(offset, shown)| {
            let here = (process, start + offset);
            let center = point(places.x[process], places.y[shown.row]);
            let dot = Rect::at(center, Size::default()).grow(DOT + 3.0);
            let is_end = here == arrow.from || here == arrow.to;
            (!is_end && crosses(from, to, dot))
                || (!shown.text.is_empty()
                    && crosses(from, to, places.label(process, shown).grow(1.5)))
        })
    })
}

/// The ends of a straight arrow on the rims of its dots.
fn straight(plan: &Plan, places: &Places, arrow: Arrow) -> [Point; 2] {
    let [from, to] = [arrow.from, arrow.to].map(|end| center(plan, places, end));
    let way = to - from;
    let length = way.x.hypot(way.y);
    let rim = point(way.x / length * DOT, way.y / length * DOT);
    [from + rim, to - rim]
}

fn center(plan: &Plan, places: &Places, (process, index): (usize, usize)) -> Point {
    point(places.x[process], places.y[plan.columns[process][index].row])
}

/// The way of an arrow.
pub(super) fn points(plan: &Plan, places: &Places, index: usize) -> Vec<Point> {
    let arrow = plan.arrows[index];
    let (first, last) = rows(plan, arrow);
    let [from, to] = [arrow.from, arrow.to].map(|end| center(plan, places, end));
    let (below, above) = (places.zone[first][1] + 1.0, places.zone[first + 1][0] - 3.0);
    match places.routes[index] {
        Route::Straight => straight(plan, places, arrow).to_vec(),
        Route::Gap => vec![
            from + point(0.0, DOT),
            point(from.x, below),
            point(to.x, above),
            to - point(0.0, DOT),
        ],
        Route::Track(track) => {
            let sign = match side(arrow) {
                Side::Left => -1.0,
                Side::Right => 1.0,
            };
            #[expect(clippy::cast_precision_loss, reason = "tracks are few")]
            let x = to.x + sign * (DOT + 9.0 + TRACK * track as f64);
            debug_assert!(last > first + 1, "there is a row between");
            vec![
                from + point(0.0, DOT),
                point(from.x, below),
                point(x, above),
                point(x, to.y),
                to + point(sign * DOT, 0.0),
            ]
        }
    }
}
