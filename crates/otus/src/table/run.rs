//! One run: its sorted rows become a multi-trace with values.

use otus_core::intern::Interner;
use otus_core::{Action, ActionId, Pool, Value};
use otus_syntax::SourceId;
use otus_trace::multitrace::Builder;
use otus_trace::{Facts, MultiTrace};

use super::letters::{Letter, Letters, Message};
use super::rows::{NO_TIME, Row, Rows, Shape};
use super::{Known, ValueId, field};

/// The most events of a run whose places are kept. The explanation of a longer run tells no places.
pub(super) const MOST_PLACES: usize = 1 << 20;

/// The rows of one run, by clock and order.
#[derive(Debug, Clone)]
pub(crate) struct RunRows {
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

    /// The number of events.
    pub(crate) fn len(&self) -> usize {
        self.letters.len()
    }

    /// Whether the specification lacks some of the messages.
    pub(crate) fn has_unknown(&self, known: &Known) -> bool {
        self.letters.iter().any(|&letter| known.letters.is_unknown(letter))
    }

    /// Leaves out the events whose messages the specification lacks.
    pub(crate) fn drop_unknown(&mut self, known: &Known) {
        let is_kept: Vec<bool> =
            self.letters.iter().map(|&letter| !known.letters.is_unknown(letter)).collect();
        retain(&mut self.letters, &is_kept);
        retain(&mut self.orders, &is_kept);
        retain(&mut self.times, &is_kept);
        self.values.iter_mut().for_each(|column| retain(column, &is_kept));
    }

    /// The multi-trace of the run over the actions of a pool, and what its steps carry if the specification has values.
    /// `actions`: by letter, its action in that pool, if it was looked up before.
    pub(crate) fn observed(
        &mut self,
        known: &Known,
        actions: &mut Vec<Option<ActionId>>,
        pool: &mut Pool,
    ) -> (MultiTrace, Option<Facts>) {
        let trace = self.trace(&known.letters, actions, pool);
        let facts = self.shape.has_times.then(|| self.facts(&trace, &known.values));
        if self.letters.len() > MOST_PLACES {
            // Memory for the engine.
            self.letters = Vec::new();
            self.values.iter_mut().for_each(|column| *column = Vec::new());
            self.times = Vec::new();
        }
        (trace, facts)
    }

    /// The place of each event in the order of its log, unless there are too many.
    pub(crate) fn orders(&self) -> &[i64] {
        &self.orders
    }

    fn trace(
        &self,
        letters: &Letters,
        actions: &mut Vec<Option<ActionId>>,
        pool: &mut Pool,
    ) -> MultiTrace {
        actions.resize(letters.len(), None);
        let mut builder = Builder::new(letters.partition().clone(), self.letters.len(), false);
        for &letter in &self.letters {
            while builder.component().0 < letters.component(letter) {
                builder.next_component();
            }
            let known = &mut actions[letter as usize];
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

/// Keeps the items that are marked, unless there are none at all.
fn retain<T>(items: &mut Vec<T>, is_kept: &[bool]) {
    let mut marks = is_kept.iter();
    items.retain(|_| marks.next().is_some_and(|&it| it));
}
