//! The routes of arrows through a space-time diagram.
//!
//! An arrow is straight unless it would cross a label or a dot; then it may have one bend, in the free space
//! between two processes. If every bend would cross one too, it makes a detour: it
//! leaves its process below the zone of labels, crosses in the gap, and goes down on a track
//! between the line of its target and the labels there. Only tracks are in that space,
//! and no two arrows share one at the same height.

use super::{Arrow, DOT, DotId, Places, Plan, TRACK};
use crate::check::crosses;
use crate::geometry::{Point, Rect, Side, Size, float, point};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// A straight line, or a line with one bend.
    Free,
    /// Through the gap above its target.
    Gap,
    /// Through the gap below its origin and along a track.
    Track(usize),
}

/// The kinds of routes of all arrows, given those that need a detour; counts the tracks beside
/// each process.
pub(super) fn assign(plan: &Plan, detour: &[bool], tracks: &mut [[usize; 2]]) -> Vec<Route> {
    let mut routes = vec![Route::Free; plan.arrows.len()];
    let mut order: Vec<usize> = (0..plan.arrows.len()).filter(|&index| detour[index]).collect();
    order.sort_by_key(|&index| (rows(plan, plan.arrows[index]), index));
    // For each process and side: the row from which each track is free again.
    let mut free: Vec<[Vec<usize>; 2]> = vec![<[Vec<usize>; 2]>::default(); tracks.len()];
    for index in order {
        let arrow = plan.arrows[index];
        let (from, to) = rows(plan, arrow);
        if to == from + 1 {
            routes[index] = Route::Gap;
            continue;
        }
        let process = arrow.to.process;
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

/// The side from which an arrow comes to its target.
fn side(arrow: Arrow) -> Side {
    if arrow.from.process < arrow.to.process { Side::Left } else { Side::Right }
}

fn rows(plan: &Plan, arrow: Arrow) -> (usize, usize) {
    let row = |dot: DotId| plan.columns[dot.process][dot.index].row;
    (row(arrow.from), row(arrow.to))
}

/// The maximum product of the rows and processes that an arrow passes for which a straight line is tried, and
/// the same for a line with a bend.
const FAR: usize = 4000;
const NEAR: usize = 60;

/// The shortest route with at most one bend that crosses no label and no dot, if there is one.
pub(super) fn free(plan: &Plan, places: &Places, arrow: Arrow) -> Option<Vec<Point>> {
    let (first, last) = rows(plan, arrow);
    let [low, high] = arrow.processes();
    let size = (last - first).saturating_mul(high - low);
    if size > FAR {
        return None;
    }
    let straight = way(plan, places, arrow, None);
    if !is_blocked(plan, places, arrow, &straight) {
        return Some(straight);
    }
    if size > NEAR {
        return None;
    }
    let mut best: Option<(f64, Vec<Point>)> = None;
    for row in first + 1..=last {
        let y = f64::midpoint(places.zone[row - 1][1], places.zone[row][0]);
        for process in low..high {
            let [left, right] = places.corridor(process);
            let bent = way(plan, places, arrow, Some(point(f64::midpoint(left, right), y)));
            let length: f64 = bent.windows(2).map(|pair| (pair[1] - pair[0]).length()).sum();
            if best.as_ref().is_none_or(|(least, _)| length < *least)
                && !is_blocked(plan, places, arrow, &bent)
            {
                best = Some((length, bent));
            }
        }
    }
    best.map(|(_, points)| points)
}

/// Whether an arrow on a route would cross a label or a dot.
fn is_blocked(plan: &Plan, places: &Places, arrow: Arrow, way: &[Point]) -> bool {
    let (first, last) = rows(plan, arrow);
    let crossed = |rect: Rect| way.windows(2).any(|pair| crosses(pair[0], pair[1], rect));
    let [low, high] = arrow.processes();
    (low..=high).any(|process| {
        let column = &plan.columns[process];
        let start = column.partition_point(|shown| shown.row < first);
        let near = column[start..].iter().take_while(|shown| shown.row <= last);
        near.enumerate().any(|(offset, shown)| {
            let here = DotId { process, index: start + offset };
            let dot = Rect::at(center(plan, places, here), Size::default()).grow(DOT + 3.0);
            let is_end = here == arrow.from || here == arrow.to;
            (!is_end && crossed(dot))
                || (!shown.text.is_empty() && crossed(places.label(process, shown).grow(1.5)))
        })
    })
}

/// The points from the border of one dot to that of the other, with a bend in between if there is
/// one.
fn way(plan: &Plan, places: &Places, arrow: Arrow, bend: Option<Point>) -> Vec<Point> {
    let [from, to] = [arrow.from, arrow.to].map(|end| center(plan, places, end));
    let mut points = vec![from.toward(bend.unwrap_or(to), DOT)];
    points.extend(bend);
    points.push(to.toward(bend.unwrap_or(from), DOT));
    points
}

fn center(plan: &Plan, places: &Places, dot: DotId) -> Point {
    point(places.x[dot.process], places.y[plan.columns[dot.process][dot.index].row])
}

/// The points of an arrow that makes a detour.
pub(super) fn around(plan: &Plan, places: &Places, arrow: Arrow, route: Route) -> Vec<Point> {
    let (first, last) = rows(plan, arrow);
    let [from, to] = [arrow.from, arrow.to].map(|end| center(plan, places, end));
    let (below, above) = (places.zone[first][1] + 1.0, places.zone[first + 1][0] - 3.0);
    let mut points = vec![from + point(0.0, DOT), point(from.x, below)];
    match route {
        Route::Free | Route::Gap => points.extend([point(to.x, above), to - point(0.0, DOT)]),
        Route::Track(track) => {
            let sign = if side(arrow) == Side::Left { -1.0 } else { 1.0 };
            let x = to.x + sign * (DOT + 9.0 + TRACK * float(track));
            debug_assert!(last > first + 1, "there is a row between");
            points.extend([point(x, above), point(x, to.y), to + point(sign * DOT, 0.0)]);
        }
    }
    points
}
