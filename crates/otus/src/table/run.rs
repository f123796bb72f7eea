//! One run: its sorted rows become a multi-trace with values, and that a case.

use std::sync::Arc;

use otus_core::intern::Interner;
use otus_core::{Action, ActionId, Pool, Value};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::{Facts, MultiTrace, Partition};

use super::letters::{Letter, Letters, Message};
use super::rows::{NO_TIME, Row, Rows, Shape};
use super::{Answer, ValueId, field};
use crate::analysis::{Item, Judge, TablePlaces};
use crate::case::Unusable;

/// The most events of a run whose places are kept. The explanation of a longer run tells no places.
const MOST_PLACES: usize = 1 << 20;

/// The rows of one run, by clock and order.
#[derive(Debug)]
pub(super) struct RunRows {
    shape: Shape,
    letters: Vec<u32>,
    /// Empty if there are too many.
    orders: Vec<i64>,
    /// The clock and the order of the last row.
    last: Option<(u32, i64)>,
    /// By field, then by row.
    values: Vec<Vec<u32>>,
    times: Vec<i64>,
    /// The letters of the first two rows of a clock with the same order, and that order.
    tie: Option<[(u32, i64); 2]>,
    /// By letter: its action in the pool of the judge, if it was looked up.
    actions: Vec<Option<ActionId>>,
    /// The pool that these actions belong to.
    generation: u64,
}

impl RunRows {
    pub(super) fn new(shape: Shape) -> RunRows {
        RunRows {
            shape,
            letters: Vec::new(),
            orders: Vec::new(),
            last: None,
            values: vec![Vec::new(); shape.fields],
            times: Vec::new(),
            tie: None,
            actions: Vec::new(),
            generation: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.letters.clear();
        self.orders.clear();
        self.values.iter_mut().for_each(Vec::clear);
        self.times.clear();
        (self.last, self.tie) = (None, None);
    }

    /// Adds the next row.
    pub(super) fn push(&mut self, row: &Row, letters: &Letters) {
        self.add(row.letter, row.order, letters);
        self.carry(row);
    }

    /// Reads the rows with these indices.
    pub(super) fn read(&mut self, rows: &Rows, indices: &[u32], letters: &Letters) {
        self.clear();
        self.letters.reserve(indices.len());
        let is_valued = self.shape.fields > 0 || self.shape.has_times;
        let mut row = Row::default();
        for &index in indices {
            let index = index as usize;
            self.add(rows.letter(index), rows.order(index), letters);
            if is_valued {
                rows.read(index, &mut row);
                self.carry(&row);
            }
        }
    }

    fn add(&mut self, letter: u32, order: i64, letters: &Letters) {
        let here = (letters.component(letter), order);
        if self.last == Some(here) && self.tie.is_none() {
            let before = self.letters.last().copied().unwrap_or(letter);
            self.tie = Some([(before, order), (letter, order)]);
        }
        self.last = Some(here);
        self.letters.push(letter);
        if self.letters.len() <= MOST_PLACES {
            self.orders.push(order);
        } else {
            self.orders = Vec::new();
        }
    }

    fn carry(&mut self, row: &Row) {
        for (column, &value) in self.values.iter_mut().zip(&row.values) {
            column.push(value);
        }
        if self.shape.has_times {
            self.times.push(row.time);
        }
    }

    /// Why the order of some log is not known, if two of its events have the same place.
    pub(super) fn tie(&self, letters: &Letters, column: &str) -> Option<String> {
        let [(before, order), (after, _)] = self.tie?;
        let [before, after] = [before, after].map(|letter| letters.text(letter));
        Some(format!(
            "`{before}` and `{after}` both have {order} in column `{column}`, so their order is not known; number the \
             events of a lifeline (of lifelines with a common clock) differently"
        ))
    }

    /// The answer for the run.
    pub(super) fn check(
        &mut self,
        judge: &mut Judge,
        (name, column): (&str, &str),
        letters: &Letters,
        values: &Interner<ValueId, Value>,
    ) -> Answer {
        let is_strange = |&letter: &u32| matches!(letters.get(letter).message, Message::Unknown(_));
        // Messages that the specification lacks are added to a copy of the pool, so that they do not become known to the
        // next run.
        let mut scratch = self.letters.iter().any(is_strange).then(|| judge.pool().clone());
        if scratch.is_some() || self.generation != judge.generation() {
            self.actions.clear();
        }
        self.generation = judge.generation();
        self.actions.resize(letters.len(), None);
        let partition = judge.partition().clone();
        let pool = scratch.as_mut().unwrap_or_else(|| judge.pool());
        let trace = self.trace(partition, letters, pool);
        if scratch.is_some() {
            self.actions.clear();
        }
        let facts = self.shape.has_times.then(|| self.facts(&trace, values));
        if self.letters.len() > MOST_PLACES {
            // Memory for the engine.
            self.letters = Vec::new();
            self.values.iter_mut().for_each(|column| *column = Vec::new());
            self.times = Vec::new();
        }
        let places = TablePlaces { run: name, column, orders: &self.orders, trace: &trace };
        match judge.judge_table(&places, facts.as_ref(), scratch.as_ref()) {
            Ok(case) => Item::Case(case),
            Err(message) => {
                Item::Unusable(Unusable { id: Some(name.to_owned()), message, place: None })
            }
        }
    }

    /// The multi-trace over the actions of a pool.
    fn trace(
        &mut self,
        partition: Arc<Partition>,
        letters: &Letters,
        pool: &mut Pool,
    ) -> MultiTrace {
        let mut builder = Builder::new(partition, self.letters.len(), false);
        for &letter in &self.letters {
            while builder.component().0 < letters.component(letter) {
                builder.next_component();
            }
            let known = &mut self.actions[letter as usize];
            let action = *known.get_or_insert_with(|| action(pool, letters, letter));
            builder.next_moment();
            builder.push(action, 0);
        }
        builder.finish(SourceId(0))
    }

    /// What the steps of the multi-trace carry; they are in the order of the rows.
    fn facts(&self, trace: &MultiTrace, values: &Interner<ValueId, Value>) -> Facts {
        let mut facts = Facts::unknown(trace, self.values.len() + 1);
        let mut row = 0;
        for component in trace.partition().components() {
            for step in 0..trace.steps(component).len() {
                for (index, column) in self.values.iter().enumerate() {
                    if let Some(id) = column[row].checked_sub(1) {
                        let value = values.items[ValueId(id)].clone();
                        facts.set(field(index), component, step, value);
                    }
                }
                if self.times[row] != NO_TIME {
                    facts.set_time(component, step, self.times[row]);
                }
                row += 1;
            }
        }
        facts.find_breaks(trace);
        facts
    }
}

/// The action of a letter, new or known to the pool.
fn action(pool: &mut Pool, letters: &Letters, letter: u32) -> ActionId {
    let Letter { lifeline, direction, message, .. } = letters.get(letter);
    let action = match message {
        Message::Known(action) => action,
        Message::Unknown(name) => {
            let message = pool.add_message(letters.message_text(name));
            Action { lifeline, direction, message, peer: None }
        }
    };
    pool.intern_action(action)
}
