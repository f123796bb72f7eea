//! The lattice of the cuts of a small trace.
//!
//! The consistent cuts of a partial order, ordered by inclusion, are a distributive lattice
//! (Mattern, *Virtual Time and Global States of Distributed Systems*, 1989). Its paths are the runs that CTL
//! formulas speak of. Cuts with the same number of events form a row, so
//! every edge leads from one row to the next, and between two rows there are only edges.

use otus_core::index::Index as _;
use otus_trace::order::PartialOrder;

use super::Cut;
use crate::geometry::{Rect, Size, point};
use crate::metrics::{PLAIN, counted};
use crate::scene::{End, Item, Key, Role, Scene, Tone};

/// The error that there are more cuts than a picture can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the trace has more than {limit} cuts; too many to draw their lattice")]
pub struct TooManyCuts {
    /// The maximum number of cuts that may be shown.
    pub limit: usize,
}

/// The lattice of all consistent cuts as a picture. The given cuts, and the edges between two
/// that follow each other, are drawn in their tones. A cut has the subject `cut-<counts>`, as in
/// `cut-1-0`.
///
/// # Errors
/// If there are more than `limit` cuts.
pub fn lattice(trace: &PartialOrder, run: &[Cut], limit: usize) -> Result<Scene, TooManyCuts> {
    let rows = rows(trace, limit)?;
    let mut scene = Scene::new("The lattice of cuts");
    let gap = point(18.0, 34.0);
    let height = PLAIN.line_height() + 10.0;
    let widths: Vec<f64> = rows
        .iter()
        .map(|row| row.iter().map(|counts| PLAIN.width(&text(counts)) + 12.0 + gap.x).sum())
        .collect();
    let mut above: Vec<(Vec<usize>, f64, Key)> = Vec::new();
    let mut y = 0.0;
    for (row, width) in rows.iter().zip(widths) {
        let mut x = -width / 2.0;
        let mut here = Vec::new();
        for counts in row {
            let size = Size { width: PLAIN.width(&text(counts)) + 12.0, height };
            let rect = Rect::at(point(x, y), size);
            x = rect.right + gap.x;
            let own = run.iter().find(|cut| cut.counts == *counts);
            let own = own.map_or(Tone::Normal, |cut| cut.tone);
            let key = scene.fresh_key();
            let name: Vec<String> = counts.iter().map(ToString::to_string).collect();
            let subject = format!("cut-{}", name.join("-"));
            scene.push(Item::rect(Role::Node, rect).tone(own).key(key).subject(subject));
            let label = Item::centered(Role::Node, text(counts), rect.center(), PLAIN);
            scene.push(label.tone(own));
            // The predecessors of a cut are the cuts of the row above that it contains.
            let is_part = |before: &[usize]| before.iter().zip(counts).all(|(a, b)| a <= b);
            for (before, from, above_key) in above.iter().filter(|above| is_part(&above.0)) {
                let step =
                    run.windows(2).find(|p| p[0].counts == *before && p[1].counts == *counts);
                let points = vec![point(*from, y - gap.y), point(rect.center().x, y)];
                let on = [Some(*above_key), Some(key)];
                let edge = Item::arrow(Role::Edge, points, [End::Plain, End::Open], on);
                scene.push(edge.tone(step.map_or(Tone::Normal, |pair| pair[1].tone)));
            }
            here.push((counts.clone(), rect.center().x, key));
        }
        above = here;
        y += height + gap.y;
    }
    let count: usize = rows.iter().map(Vec::len).sum();
    let names: Vec<&str> = trace.process_names().collect();
    scene.description = format!(
        "{}, each with how many events it has of {}.",
        counted(count, "cut", "cuts"),
        if names.is_empty() { "no process".to_owned() } else { names.join(", ") }
    );
    scene.fit(12.0);
    Ok(scene)
}

fn text(counts: &[usize]) -> String {
    let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
    format!("⟨{}⟩", counts.join(", "))
}

/// All consistent cuts by their number of events; in a row, those with more events of the first
/// processes come first.
fn rows(trace: &PartialOrder, limit: usize) -> Result<Vec<Vec<Vec<usize>>>, TooManyCuts> {
    let mut rows = vec![vec![vec![0_usize; trace.process_count()]]];
    let mut count = 1;
    loop {
        if count > limit {
            return Err(TooManyCuts { limit });
        }
        let mut next: Vec<Vec<usize>> = Vec::new();
        for counts in &rows[rows.len() - 1] {
            for process in trace.processes() {
                let at = u32::try_from(counts[process.index()] + 1).unwrap_or(u32::MAX);
                let Some(event) = trace.event(process, at) else { continue };
                let enabled = trace.incoming(event).iter().all(|edge| {
                    let source = trace.process_of(edge.from).index();
                    trace.position(edge.from) as usize <= counts[source]
                });
                if enabled {
                    let mut after = counts.clone();
                    after[process.index()] += 1;
                    next.push(after);
                }
            }
            // The search gives up before a wide row is complete. Each cut is found at most once per
            // process.
            if next.len() > limit.saturating_mul(trace.process_count()) {
                return Err(TooManyCuts { limit });
            }
        }
        next.sort_unstable_by(|a, b| b.cmp(a));
        next.dedup();
        if next.is_empty() {
            return Ok(rows);
        }
        count += next.len();
        rows.push(next);
    }
}
