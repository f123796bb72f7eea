//! The lines of cuts through a space-time diagram.
//!
//! On each process, a cut lies in a gap between two rows: below its last event and above the first
//! event outside. Of the possible gaps, it takes the one nearest to the lowest of all its events, so
//! that the line is as straight as possible. If one cut is part of another, its gaps are nowhere lower;
//! so the cuts of a run do not cross if they lie side by side, in their order, wherever they share a
//! gap or change gaps between the same two processes.

use std::collections::BTreeSet;
use std::ops::Range;

use otus_core::index::Index as _;
use otus_trace::order::{EventId, PartialOrder};

use super::{Cut, Places, Plan};
use crate::geometry::{Point, float, point, soften};
use crate::metrics::SMALL;
use crate::scene::{Anchor, Item, Role, Scene, Tone};

/// A cut and its gaps; gap g is above row g.
#[derive(Debug)]
pub(super) struct Path {
    index: usize,
    pub(super) name: String,
    tone: Tone,
    pub(super) counts: Vec<usize>,
    pub(super) gaps: Vec<usize>,
    /// Whether the cut is consistent: it contains all events that happened before its own events.
    pub(super) consistent: bool,
}

impl Path {
    pub(super) fn new(
        trace: &PartialOrder,
        levels: &[u32],
        window: &Range<usize>,
        index: usize,
        cut: &Cut,
    ) -> Self {
        let counts = counts(trace, cut);
        let outside = |event: EventId| {
            let process = trace.process_of(event).index();
            (event.0 - trace.range(trace.process_of(event)).start) as usize >= counts[process]
        };
        let consistent = !trace.edges().iter().any(|edge| !outside(edge.to) && outside(edge.from));
        // The first and the last possible gap.
        let clamp = |row: usize| row.clamp(window.start, window.end) - window.start;
        let bounds: Vec<(usize, usize)> = trace
            .processes()
            .map(|process| {
                let range = trace.range(process);
                let count = counts[process.index()];
                let row = |event: usize| levels[range.start as usize + event] as usize;
                let low = if count == 0 { 0 } else { row(count - 1) + 1 };
                let high = if count == range.len() { window.end } else { row(count) };
                (clamp(low), clamp(high))
            })
            .collect();
        let lowest = bounds.iter().map(|&(low, _)| low).max().unwrap_or(0);
        let gaps = bounds.iter().map(|&(_, high)| lowest.min(high)).collect();
        let tone = if consistent { cut.tone } else { Tone::Bad };
        Path { index, name: SMALL.shorten(&cut.name, 80.0), tone, counts, gaps, consistent }
    }
}

fn counts(trace: &PartialOrder, cut: &Cut) -> Vec<usize> {
    let lengths = trace.processes().map(|process| trace.length(process) as usize);
    lengths
        .enumerate()
        .map(|(process, length)| cut.counts.get(process).copied().unwrap_or(0).min(length))
        .collect()
}

/// The lowest row that has an event of a cut.
pub(super) fn row_of(trace: &PartialOrder, levels: &[u32], cut: &Cut) -> usize {
    let counts = counts(trace, cut);
    let last = trace.processes().filter_map(|process| {
        let count = counts[process.index()].checked_sub(1)?;
        Some(levels[trace.range(process).start as usize + count] as usize)
    });
    last.max().unwrap_or(0)
}

/// The indices of at most `most` of `count` cuts: the first, the last and some in between.
pub(super) fn choose(count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    if most == 1 {
        return vec![count - 1];
    }
    (0..most).map(|i| i * (count - 1) / (most - 1)).collect()
}

/// The distance between cuts in a gap, with room for their names.
const APART: f64 = 13.0;
/// The greatest distance from a corner at which its rounding begins.
const CORNER: f64 = 6.0;
/// The space above and below the cuts in a gap.
const REST: f64 = 9.0;

pub(super) fn gap_height(cuts: usize) -> f64 {
    2.0 * REST + APART * float(cuts)
}

/// The least distance between the labels of a process and those of the next.
pub(super) fn corridor(cuts: &[Path], process: usize) -> f64 {
    let moving = cuts.iter().filter(|cut| cut.gaps[process] != cut.gaps[process + 1]).count();
    14.0 + if moving > 0 { 8.0 + 8.0 * float(moving) } else { 0.0 }
}

pub(super) fn paint(scene: &mut Scene, plan: &Plan, places: &Places) {
    let count = plan.columns.len();
    let left = places.x[0] - places.reach[0][0] - 12.0;
    let right = places.x[count - 1] + places.reach[count - 1][1] + 12.0;
    // For each gap: the number of cuts in it so far.
    let mut used = vec![0_usize; plan.rows + 1];
    let mut heights: Vec<Vec<f64>> = Vec::new();
    for cut in &plan.cuts {
        let y = |&gap: &usize| places.gap[gap] + REST + APART * (float(used[gap]) + 0.5);
        heights.push(cut.gaps.iter().map(y).collect());
        for gap in cut.gaps.iter().copied().collect::<BTreeSet<usize>>() {
            used[gap] += 1;
        }
    }
    let mut lines: Vec<Vec<Point>> = heights.iter().map(|of| vec![point(left, of[0])]).collect();
    for process in 0..count - 1 {
        let way = |cut: usize| heights[cut][process + 1] - heights[cut][process];
        // Cuts that go down are placed beginning with the lowest, and cuts that go up beginning
        // with the highest.
        let down = (0..plan.cuts.len()).rev().filter(|&cut| way(cut) > 0.0);
        let up = (0..plan.cuts.len()).filter(|&cut| way(cut) < 0.0);
        let moving: Vec<usize> = down.chain(up).collect();
        let [left, right] = places.corridor(process);
        let start = f64::midpoint(left, right) - 4.0 * float(moving.len().saturating_sub(1));
        for (slot, &cut) in moving.iter().enumerate() {
            let x = start + 8.0 * float(slot);
            lines[cut].push(point(x, heights[cut][process]));
            lines[cut].push(point(x, heights[cut][process + 1]));
        }
    }
    for ((cut, mut line), of) in plan.cuts.iter().zip(lines).zip(&heights) {
        let (first, last) = (line[0], point(right, of[count - 1]));
        line.push(last);
        let item = Item::path(Role::Cut, soften(&line, CORNER)).smooth();
        scene.push(item.tone(cut.tone).subject(format!("cut-{}", cut.index)));
        for (end, by, anchor) in [(first, -4.0, Anchor::End), (last, 4.0, Anchor::Start)] {
            let at = end + point(by, SMALL.to_baseline());
            scene.push(Item::label(Role::Text, &*cut.name, at, anchor, SMALL).tone(cut.tone));
        }
    }
}
