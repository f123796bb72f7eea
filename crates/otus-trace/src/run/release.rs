//! Putting the events of a group in order.

use otus_syntax::Code;
use rustc_hash::FxHashMap;

use super::account::Repeated;
use super::observed::Component;
use super::shape::Place;
use super::vocabulary::Vocabulary;
use crate::group::{Marks, Row};

/// Takes out spans that are there twice; how many events they had.
pub(super) fn duplicates(
    rows: &mut [Row],
    vocabulary: &Vocabulary,
    repeated: &mut Repeated,
) -> usize {
    let direction = |row: &Row| row.action.map(|action| vocabulary.action(action).direction);
    let mut spans: Vec<usize> = (0..rows.len()).filter(|&i| !rows[i].span.is_empty()).collect();
    if spans.len() < 2 {
        return 0;
    }
    let key = |i: usize| (&rows[i].span, direction(&rows[i]), rows[i].lifeline);
    spans.sort_by(|&a, &b| key(a).cmp(&key(b)).then(a.cmp(&b)));
    let again: Vec<usize> =
        spans.windows(2).filter(|pair| key(pair[0]) == key(pair[1])).map(|pair| pair[1]).collect();
    if again.is_empty() {
        return 0;
    }
    let mut dropped = vec![false; rows.len()];
    for first in again {
        let row = &rows[first];
        let service = vocabulary.lifeline(row.lifeline);
        let message = format!("spans of `{service}` are there twice");
        let place = Place { file: row.file, line: row.line };
        let help = "the first of them counts; an exporter that retries writes them again";
        repeated.note(Code::DUPLICATE_SPAN, place, message, help);
        dropped[first] = true;
        let mut next = first + 1;
        while rows.get(next).is_some_and(|row| row.marks.has(Marks::FOLLOWS)) {
            dropped[next] = true;
            next += 1;
        }
    }
    let mut kept = 0;
    for (index, dropped) in dropped.into_iter().enumerate() {
        if !dropped {
            rows.swap(kept, index);
            kept += 1;
        }
    }
    rows.len() - kept
}

/// Puts the events in the order of their components and, within each, in its local order.
pub(super) fn arrange(rows: &mut [Row], vocabulary: &Vocabulary, components: &mut Vec<Component>) {
    let clock = |row: &Row| vocabulary.clock_of(row.lifeline).unwrap_or(u32::MAX);
    if rows.iter().any(|row| row.order.is_some()) {
        // What has no key stays after the event before it on its clock.
        let mut last: FxHashMap<u32, Option<i128>> = FxHashMap::default();
        for row in rows.iter_mut() {
            let known = last.entry(clock(row)).or_default();
            row.order = row.order.or(*known);
            *known = row.order;
        }
    }
    let key = |row: &Row| (clock(row), row.order);
    if !rows.is_sorted_by_key(key) {
        rows.sort_by_key(key);
    }
    components.clear();
    let mut start = 0;
    for same in rows.chunk_by(|a, b| clock(a) == clock(b)) {
        let end = start + same.len();
        components.push(Component { clock: clock(&same[0]), events: start..end });
        start = end;
    }
}
