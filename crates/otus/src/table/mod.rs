//! Tables of events: many runs in batches of rows, checked with one engine.
//!
//! A table has an event in each row: its run, its lifeline, its action, and its place in the order of the lifeline. A
//! [`Checker`] takes the rows in batches and gives a [`Case`] for each run, the same that [`analyze`](crate::analyze) gives for
//! the same multi-trace in a file: both go through the same worker.
//!
//! ```text
//! batches ─ letters ─→ rows ─ sort ─→ run ─→ multi-trace, values ─ judge ─→ case
//!                        └─ spill ─→ files ─┘
//! ```
//!
//! Rows of one run may stand together ([`CheckerOptions::grouped`]) or anywhere ([`CheckerOptions::scattered`]). If they
//! should stand together and do not, that is an error and never a wrong verdict: a run that comes back after another one
//! would be checked in parts.
//!
//! What is wrong with a single run (an unknown lifeline, a null, two events at the same place of an order) makes that run
//! [unusable](Item::Unusable); the others are checked. What cannot be blamed on a run is an error, and the checker ends.

mod batch;
mod letters;
mod options;
mod rows;
mod run;
mod sort;

use std::collections::VecDeque;

use otus_core::Value;
use otus_core::index::Index as _;
use otus_core::intern::Interner;
use otus_core::valued::{FieldId, Valued};
use otus_core::{Partners, define_id};
use otus_syntax::name::{Names, Symbol};
use rustc_hash::FxHashMap;

pub use batch::{Batch, Texts, Values};
pub use options::{CheckerOptions, ColumnNames};

use crate::analysis::{Item, Judge, Plan};
use crate::case::{Case, Unusable};
use crate::context::Stop;
use crate::error::{Error, Result, unfit};
use crate::spec::Spec;
use crate::value::FieldValue;
use letters::{Cursor, Letters, Meaning};
use rows::{NO_TIME, Row, Rows, Shape};
use run::RunRows;
use sort::{Merge, Order, Spill};

define_id! {
    /// A value of a field.
    ValueId;
}

/// Checks the runs in batches of events.
///
/// ```
/// use otus::table::{Batch, Checker, CheckerOptions, Texts};
/// use otus::{Item, Spec, Verdict};
///
/// let spec = Spec::parse("ping.mmd", "sequenceDiagram\n  a->>b: ping\n  b-->>a: pong\n")?;
/// let mut checker = Checker::new(&spec, CheckerOptions::scattered())?;
/// // Two runs at once. In the second, b forgets to answer.
/// let run = [Some(1), Some(2), Some(1), Some(1), Some(2), Some(1)];
/// let lifeline = [Some("a"), Some("a"), Some("b"), Some("b"), Some("b"), Some("a")];
/// let action =
///     [Some("!ping"), Some("!ping"), Some("?ping"), Some("!pong"), Some("?ping"), Some("?pong")];
/// let (run, lifeline) = (Texts::Numbers(&run), Texts::Each(&lifeline));
/// checker.push(&Batch::new(run, lifeline, Texts::Each(&action)))?;
/// let mut verdicts = Vec::new();
/// for item in checker.finish()? {
///     if let Item::Case(case) = item? {
///         verdicts.push((case.id, case.verdict));
///     }
/// }
/// assert_eq!(verdicts, [("1".to_owned(), Verdict::Pass), ("2".to_owned(), Verdict::Fail)]);
/// # Ok::<(), otus::Error>(())
/// ```
#[derive(Debug)]
pub struct Checker {
    options: CheckerOptions,
    judge: Judge,
    letters: Letters,
    partners: Partners,
    /// The fields that guards name, after the time.
    fields: Vec<String>,
    values: Interner<ValueId, Value>,
    /// The runs, by number. Those that are expected come first.
    names: Names,
    states: Vec<RunState>,
    /// Why a run cannot be checked.
    faults: FxHashMap<u32, String>,
    rows: Rows,
    spill: Spill,
    /// The run whose rows are read, if rows of a run stand together.
    current: Option<u32>,
    /// The number of rows so far.
    read: u64,
    has_failed: bool,
    buffer: RunRows,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunState {
    /// It has no rows yet.
    Expected,
    Open,
    /// It has its answer.
    Closed,
}

/// An answer: a case, or a run that cannot be checked.
type Answer = Item<Case>;

impl Checker {
    /// A checker for the runs of a system.
    ///
    /// # Errors
    /// If the options do not fit the specification.
    pub fn new(spec: &Spec, options: CheckerOptions) -> Result<Checker> {
        let partition = options.checks.partition(spec)?;
        let declared = options.checks.declared(spec)?;
        let planned = spec.planned();
        let mut plan = Plan::many(planned.clone(), declared, &options);
        plan.clocks = options.checks.clocks();
        let fields = planned.valued.iter().flat_map(|valued| valued.fields.items.iter().skip(1));
        let fields: Vec<String> = fields.map(ToString::to_string).collect();
        let shape = Shape {
            has_runs: !options.is_grouped,
            fields: fields.len(),
            has_times: planned.valued.is_some(),
        };
        let mut names = Names::default();
        for name in &options.expected {
            names.intern(name);
        }
        Ok(Checker {
            letters: Letters::new(spec, &options.checks, partition.clone()),
            partners: planned.partners().clone(),
            judge: Judge::new(plan, partition),
            states: vec![RunState::Expected; names.len()],
            names,
            fields,
            values: Interner::default(),
            faults: FxHashMap::default(),
            rows: Rows::new(shape),
            spill: Spill::new(shape),
            current: None,
            read: 0,
            has_failed: false,
            buffer: RunRows::new(shape),
            options,
        })
    }

    /// Takes some events. If rows of a run stand together, it gives the answers for the runs that are over; otherwise all
    /// answers come at the end.
    ///
    /// # Errors
    /// If a run has no name or comes back after another one, if columns have different lengths, if a temporary file cannot be
    /// written, or if the checker is cancelled. It cannot be used any more then.
    pub fn push(&mut self, batch: &Batch<'_>) -> Result<Vec<Answer>> {
        if self.has_failed {
            unfit!("an error ended this checker; make a new one");
        }
        let mut answers = Vec::new();
        let pushed = self.take(batch, &mut answers);
        self.has_failed = pushed.is_err();
        pushed.map(|()| answers)
    }

    /// Ends the table, and checks the runs that have no answer yet: in the order of their first rows, after those of the list
    /// of expected runs. Expected runs without rows are runs without events.
    ///
    /// # Errors
    /// If there was no row and no run is expected, and the errors of [`Checker::push`].
    pub fn finish(mut self) -> Result<Answers> {
        if self.has_failed {
            unfit!("an error ended this checker; make a new one");
        }
        if self.read == 0 && self.names.is_empty() && !self.options.is_empty_allowed {
            unfit!(
                "the table has no rows, so nothing was checked; if runs may have no events, give the list of expected runs"
            );
        }
        let mut ready = Vec::new();
        self.end_run(&mut ready)?;
        let clock = |letter: u32| self.letters.component(letter);
        let mut source = Source::None;
        if !self.options.is_grouped {
            let order = self.order();
            source = if self.spill.is_empty() {
                Source::Memory(order)
            } else {
                let folder = self.options.folder.as_deref();
                self.spill.add(&self.rows, &order, folder, &clock).map_err(Error::spill)?;
                self.rows.clear();
                let spill = std::mem::replace(&mut self.spill, Spill::new(self.rows.shape));
                Source::Files(spill.merge(&clock).map_err(Error::spill)?)
            };
        }
        Ok(Answers { checker: self, ready: ready.into(), source, next: 0 })
    }

    fn take(&mut self, batch: &Batch<'_>, answers: &mut Vec<Answer>) -> Result<()> {
        let count = batch.len();
        if let Some((name, length)) = batch.lengths().find(|&(_, length)| length != count) {
            unfit!("column `{name}` has {length} rows, column `run` has {count}");
        }
        let mut columns = Columns::new(batch, &self.fields)?;
        let mut row = Row { time: NO_TIME, ..Row::default() };
        for index in 0..count {
            if index % CHECKED == 0 && self.options.cancel.is_cancelled() {
                return Err(Error::Stopped(Stop::Cancelled));
            }
            self.read += 1;
            let names = &mut self.names;
            let Some(run) = columns.run.symbol(index, |text| names.intern(text)) else {
                unfit!(
                    "row {}: column `{}` is null, so the event belongs to no run; leave out such rows",
                    self.read,
                    self.options.names.run
                );
            };
            row.run = run.0;
            if self.options.is_grouped && self.current != Some(run.0) {
                self.end_run(answers)?;
                self.current = Some(run.0);
            }
            self.open(run)?;
            self.row(index, &mut columns, &mut row);
            if self.rows.bytes() > self.options.memory || self.rows.len() >= MOST_ROWS {
                self.spill()?;
            }
        }
        Ok(())
    }

    /// Notes that a run has rows.
    fn open(&mut self, run: Symbol) -> Result<()> {
        if self.states.len() <= run.index() {
            self.states.resize(run.index() + 1, RunState::Open);
        }
        match &mut self.states[run.index()] {
            RunState::Open => {}
            state @ RunState::Expected => *state = RunState::Open,
            RunState::Closed => unfit!(
                "row {}: run `{}` comes back after another run, so it would be checked in parts; bring the rows of a run \
                 together by column `{}`, or have them grouped here (scattered)",
                self.read,
                self.names.text(run),
                self.options.names.run
            ),
        }
        Ok(())
    }

    /// Keeps a row, or notes why its run cannot be checked.
    fn row(&mut self, index: usize, columns: &mut Columns<'_>, row: &mut Row) {
        let letters = &mut self.letters;
        let lifeline = columns.lifeline.symbol(index, |text| letters.intern(text));
        let action = columns.action.symbol(index, |text| letters.intern(text));
        let peer = columns.peer.as_mut().and_then(|it| it.symbol(index, |it| letters.intern(it)));
        row.letter = match letters.meaning([lifeline, action, peer], &self.partners) {
            Meaning::Letter(letter) => letter,
            Meaning::Ignored => return,
            Meaning::Faulty(fault) => {
                let reason = self.options.names.renamed(letters.fault(fault));
                return self.blame(row.run, &reason);
            }
        };
        row.order = match columns.order.map(|order| order[index]) {
            // The number of the row.
            None => i64::try_from(self.read).unwrap_or(i64::MAX),
            Some(Some(order)) => order,
            Some(None) => {
                let column = &self.options.names.order;
                let reason = format!(
                    "column `{column}` is null, so the place of the event in its log is not known; fill it, or leave out \
                     such rows"
                );
                return self.blame(row.run, &reason);
            }
        };
        if self.rows.shape.has_times {
            row.time = columns.time.and_then(|times| times[index]).unwrap_or(NO_TIME);
            if row.time != NO_TIME && row.time.unsigned_abs() >= FARTHEST {
                let column = &self.options.names.time;
                let reason = format!(
                    "column `{column}`: {} ns is more than 146 years away from 1970; times are nanoseconds",
                    row.time
                );
                return self.blame(row.run, &reason);
            }
        }
        row.values.clear();
        for column in &mut columns.values {
            let id = column.as_mut().and_then(|column| column.id(index, &mut self.values));
            row.values.push(id.map_or(0, |id| id.0 + 1));
        }
        self.rows.push(row);
    }

    fn blame(&mut self, run: u32, reason: &str) {
        let row = self.read;
        self.faults.entry(run).or_insert_with(|| format!("row {row}: {reason}"));
    }

    /// Ends the current run, if rows of a run stand together.
    fn end_run(&mut self, answers: &mut Vec<Answer>) -> Result<()> {
        let Some(run) = self.current.take() else { return Ok(()) };
        let order = self.order();
        let clock = |letter: u32| self.letters.component(letter);
        if self.spill.is_empty() {
            self.buffer.read(&self.rows, order.run(0), &self.letters);
            drop(order);
            self.rows.clear();
        } else {
            let folder = self.options.folder.as_deref();
            self.spill.add(&self.rows, &order, folder, &clock).map_err(Error::spill)?;
            drop(order);
            self.rows.clear();
            let spill = std::mem::replace(&mut self.spill, Spill::new(self.rows.shape));
            let mut merge = spill.merge(&clock).map_err(Error::spill)?;
            self.buffer.clear();
            let mut row = Row::default();
            while merge.next(&mut row, &clock).map_err(Error::spill)? {
                self.buffer.push(&row, &self.letters);
            }
        }
        answers.push(self.answer(run)?);
        if self.values.items.len() > MOST_VALUES {
            self.values = Interner::default();
        }
        Ok(())
    }

    /// The answer for the run whose rows are in the buffer.
    fn answer(&mut self, run: u32) -> Result<Answer> {
        if self.options.cancel.is_cancelled() {
            return Err(Error::Stopped(Stop::Cancelled));
        }
        self.states[run as usize] = RunState::Closed;
        let name = self.names.text(Symbol(run)).to_owned();
        let fault = self.faults.remove(&run);
        let order = &self.options.names.order;
        let fault = fault.or_else(|| self.buffer.tie(&self.letters, order));
        if let Some(message) = fault {
            return Ok(Item::Unusable(Unusable { id: Some(name), message, place: None }));
        }
        let (letters, values) = (&self.letters, &self.values);
        Ok(self.buffer.check(&mut self.judge, (&name, order), letters, values))
    }

    fn order(&self) -> Order {
        let clock = |letter: u32| self.letters.component(letter);
        let runs = if self.rows.shape.has_runs { self.names.len() } else { 1 };
        Order::of(&self.rows, runs, self.judge.partition().len(), &clock)
    }

    /// Writes the rows into a temporary file.
    fn spill(&mut self) -> Result<()> {
        let order = self.order();
        let clock = |letter: u32| self.letters.component(letter);
        let folder = self.options.folder.as_deref();
        self.spill.add(&self.rows, &order, folder, &clock).map_err(Error::spill)?;
        self.rows.clear();
        Ok(())
    }
}

/// The number of rows between two questions whether the checker is cancelled.
const CHECKED: usize = 4096;

/// The most rows in memory, whose indices have 32 bits.
const MOST_ROWS: usize = u32::MAX as usize - 1;

/// The most values that are kept beyond the end of a run, if rows of a run stand together.
const MOST_VALUES: usize = 1 << 20;

/// Times are less than so many nanoseconds away from 1970, as in files.
const FARTHEST: u64 = 1 << 62;

/// The columns of a batch, while its rows are read.
struct Columns<'a> {
    run: Cursor<'a>,
    lifeline: Cursor<'a>,
    action: Cursor<'a>,
    peer: Option<Cursor<'a>>,
    order: Option<&'a [Option<i64>]>,
    time: Option<&'a [Option<i64>]>,
    /// By field that is kept.
    values: Vec<Option<ValueCursor<'a>>>,
}

impl<'a> Columns<'a> {
    fn new(batch: &Batch<'a>, fields: &[String]) -> Result<Columns<'a>> {
        if batch.values.iter().any(|(name, _)| *name == otus_trace::facts::TIME) {
            unfit!("the field `time` of an event is its time; give it as the column of times");
        }
        let column = |field: &String| {
            let column = batch.values.iter().find(|(name, _)| name == field);
            column.map(|&(_, values)| ValueCursor::new(values))
        };
        Ok(Columns {
            run: Cursor::new(batch.run),
            lifeline: Cursor::new(batch.lifeline),
            action: Cursor::new(batch.action),
            peer: batch.peer.map(Cursor::new),
            order: batch.order,
            time: batch.time,
            values: fields.iter().map(column).collect(),
        })
    }
}

/// The values of a column as numbers; those of a dictionary are found once for each batch.
struct ValueCursor<'a> {
    values: Values<'a>,
    known: Vec<Option<ValueId>>,
}

impl<'a> ValueCursor<'a> {
    fn new(values: Values<'a>) -> ValueCursor<'a> {
        let known = match values {
            Values::Texts(Texts::Keys { texts, .. }) => vec![None; texts.len()],
            Values::Integers(_) | Values::Numbers(_) | Values::Booleans(_) | Values::Texts(_) => {
                Vec::new()
            }
        };
        ValueCursor { values, known }
    }

    /// The number of the value of a row; `None` if it is not known.
    fn id(&mut self, row: usize, all: &mut Interner<ValueId, Value>) -> Option<ValueId> {
        let value = match self.values {
            Values::Integers(values) => Value::integer(values[row]?),
            Values::Numbers(values) => FieldValue::from(values[row]?).0?,
            Values::Booleans(values) => Value::Boolean(values[row]?),
            Values::Texts(Texts::Each(texts)) => Value::Text(texts[row]?.into()),
            Values::Texts(Texts::Numbers(values)) => Value::integer(values[row]?),
            Values::Texts(Texts::Keys { keys, texts }) => {
                let key = keys[row]? as usize;
                let known = self.known.get_mut(key)?;
                if known.is_none() {
                    *known = Some(all.intern(Value::Text(texts[key]?.into())));
                }
                return *known;
            }
        };
        Some(all.intern(value))
    }
}

/// The answers for the runs that are left at the end of a table.
#[derive(Debug)]
pub struct Answers {
    checker: Checker,
    ready: VecDeque<Answer>,
    source: Source,
    /// The number of the next run.
    next: u32,
}

/// Where the rows of the remaining runs are.
#[derive(Debug)]
enum Source {
    /// There are none.
    None,
    Memory(Order),
    Files(Merge),
}

impl Answers {
    /// Reads the rows of a run into the buffer of the checker.
    fn read(&mut self, run: u32) -> Result<()> {
        let Checker { buffer, rows, letters, .. } = &mut self.checker;
        buffer.clear();
        match &mut self.source {
            Source::None => {}
            Source::Memory(order) => buffer.read(rows, order.run(run as usize), letters),
            Source::Files(merge) => {
                let clock = |letter: u32| letters.component(letter);
                let mut row = Row::default();
                while merge.next_run() == Some(run) {
                    merge.next(&mut row, &clock).map_err(Error::spill)?;
                    buffer.push(&row, letters);
                }
            }
        }
        Ok(())
    }
}

impl Iterator for Answers {
    type Item = Result<Answer>;

    fn next(&mut self) -> Option<Result<Answer>> {
        if let Some(ready) = self.ready.pop_front() {
            return Some(Ok(ready));
        }
        if self.checker.has_failed {
            return None;
        }
        while (self.next as usize) < self.checker.names.len() {
            let run = self.next;
            let &state = self.checker.states.get(run as usize)?;
            self.next += 1;
            if state == RunState::Closed {
                continue;
            }
            let answer = self.read(run).and_then(|()| self.checker.answer(run));
            self.checker.has_failed = answer.is_err();
            return Some(answer);
        }
        None
    }
}

/// The field with this index among those that are kept.
fn field(index: usize) -> FieldId {
    debug_assert_eq!(Valued::TIME.index(), 0);
    FieldId::new(index + 1)
}
