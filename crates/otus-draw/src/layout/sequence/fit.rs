//! Third pass: long labels use the room that there is.
//!
//! The distances between lifelines follow from labels that are broken early, so that one long label does not make the whole
//! diagram wide. Most labels end up with more room than that, because another label, a head or a frame needs it: those are
//! broken anew. No lifeline, frame or note moves; only the number of lines shrinks. Linear in the size of the picture.

use otus_syntax::drawing::{NotePlace, NoteShape};

use super::columns::{CLEAR, Columns, PADDING, TAB_PADDING, TURN, arrow_room, farthest, note_room};
use super::heads::Head;
use super::rows::{Arrow, Frame, Row, Rows};
use crate::metrics::{PLAIN, STRONG};

/// Breaks the labels of the rows anew.
pub(super) fn fit(rows: &mut Rows, heads: &[Head], columns: &mut Columns) {
    let Rows { rows, frames, .. } = rows;
    for (frame, (&(left, right), tab)) in
        frames.iter().zip(columns.sides.iter().zip(&mut columns.tabs))
    {
        let room = right - left - 2.0 * TAB_PADDING - 16.0;
        if tab.len() > 1 && frame.guard.is_empty() && STRONG.width(&frame.title) <= room {
            *tab = vec![frame.title.clone()];
        }
    }
    let columns = &*columns;
    let x = &columns.x;
    for (frame, (&(left, right), tab)) in
        frames.iter_mut().zip(columns.sides.iter().zip(&columns.tabs))
    {
        let start = left + STRONG.widest(tab) + 2.0 * TAB_PADDING + 14.0;
        frame.guard.fit(PLAIN, right - start - TAB_PADDING);
    }
    // A note beside an arrow stands where the label of that arrow ends.
    let has_note: Vec<bool> = (1..=rows.len())
        .map(|next| matches!(rows.get(next), Some(Row::Note(note)) if note.beside.is_some()))
        .collect();
    let mut open: Vec<usize> = Vec::new();
    for (row, has_note) in rows.iter_mut().zip(has_note) {
        match row {
            Row::Open(frame) => open.push(*frame),
            Row::Close(_) => {
                open.pop();
            }
            Row::Split(frame, guard) => {
                let (left, right) = columns.sides[*frame];
                guard.fit(PLAIN, right - left - 16.0);
            }
            Row::Arrow(arrow) => {
                let room = match (arrow.origin, farthest(arrow)) {
                    (Some(origin), Some(far)) => {
                        Some(arrow_room((x[origin] - x[far]).abs(), arrow, heads))
                    }
                    (Some(origin), None) if !has_note => {
                        turn_room(arrow, origin, frames, &open, columns)
                    }
                    (_, None | Some(_)) => None,
                };
                if let Some(room) = room {
                    arrow.label.fit(PLAIN, room);
                }
            }
            Row::Note(note) => {
                let (first, last) = note.span;
                let is_over = matches!(note.place, NotePlace::Over | NotePlace::Across);
                if is_over && first < last {
                    let room = note_room(x[last] - x[first], note.shape);
                    note.lines.fit(PLAIN, room);
                }
            }
            Row::Reference(reference) => {
                let (first, last) = (reference.over[0], reference.over[reference.over.len() - 1]);
                if first < last {
                    let room = note_room(x[last] - x[first], NoteShape::Sheet);
                    reference.lines.fit(PLAIN, room);
                }
            }
            Row::Empty
            | Row::Elided(_)
            | Row::Across(_)
            | Row::Space(_)
            | Row::Begin(..)
            | Row::End(_)
            | Row::Create(_)
            | Row::Destroy(_) => {}
        }
    }
}

/// The room for the label of an arrow that turns back: up to the next lifeline, or the side of a frame that ends here.
fn turn_room(
    arrow: &Arrow,
    origin: usize,
    frames: &[Frame],
    open: &[usize],
    columns: &Columns,
) -> Option<f64> {
    if arrow.targets.is_empty() && arrow.towards.is_none() {
        return None;
    }
    let ends_here = |frame: &&usize| frames[**frame].span.is_some_and(|(_, last)| last == origin);
    let end = match (open.iter().rev().find(ends_here), columns.x.get(origin + 1)) {
        (Some(frame), _) => columns.sides[*frame].1 - PADDING,
        (None, Some(next)) => next - CLEAR,
        (None, None) => columns.whole[1],
    };
    Some(end - columns.x[origin] - TURN - 8.0)
}
