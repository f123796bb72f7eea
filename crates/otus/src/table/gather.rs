//! Brings the rows of each run together, whichever way they come.
//!
//! If rows of a run stand together, a run is over when the next one begins. Otherwise all rows are kept until the end, in memory
//! or in temporary files, and then sorted. Both give the same runs, each as [`RunRows`].

use std::sync::Arc;

use otus_core::Value;
use otus_core::intern::Interner;
use otus_syntax::name::{Names, Symbol};
use otus_trace::Partition;
use rustc_hash::FxHashMap;

use super::batch::{Batch, Texts, Values};
use super::letters::{Cursor, Letters, Meaning};
use super::options::CheckerOptions;
#[cfg(feature = "parquet")]
use super::options::ColumnNames;
use super::rows::{NO_TIME, Row, Rows, Shape};
use super::run::RunRows;
use super::scope::Scope;
use super::sort::{Merge, Order, Spill};
use super::{Known, ValueId};
use crate::error::{Error, Result, unfit};
use crate::value::FieldValue;

/// Takes rows in batches, and gives runs.
#[derive(Debug)]
pub(crate) struct Gatherer {
    options: CheckerOptions,
    known: Known,
    /// The fields that guards name, after the time.
    fields: Vec<String>,
    /// The runs, by number. Those that are expected come first.
    names: Names,
    states: Vec<RunState>,
    /// By key of the dictionary of the last batch: its run, if it was met.
    dictionary: Vec<Option<Symbol>>,
    /// Why a run cannot be checked.
    faults: FxHashMap<u32, String>,
    rows: Rows,
    spill: Spill,
    /// The run whose rows are read, if rows of a run stand together.
    current: Option<u32>,
    /// The number of rows so far.
    read: u64,
    /// The file that is read, and the number of rows before it.
    file: Option<(Arc<str>, u64)>,
    /// The only run that is kept; rows of others are passed over.
    only: Option<String>,
    /// Without a column of orders, a run may not be spread over files: by run, the file in which it began.
    began: Vec<Option<Arc<str>>>,
    has_failed: bool,
    buffer: RunRows,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunState {
    /// It has no rows yet.
    Expected,
    Open,
    /// It is over.
    Closed,
}

/// A run that is over.
pub(crate) struct Gathered<'a> {
    pub(crate) name: &'a str,
    pub(crate) rows: &'a mut RunRows,
    /// Why it cannot be checked.
    pub(crate) fault: Option<String>,
    pub(crate) known: &'a Known,
}

/// Takes the runs that are over.
type Each<'e> = dyn FnMut(Gathered<'_>) + 'e;

impl Gatherer {
    pub(crate) fn new(
        scope: Scope,
        partition: Arc<Partition>,
        options: CheckerOptions,
    ) -> Gatherer {
        let shape = Shape {
            has_runs: !options.is_grouped,
            fields: scope.fields().len(),
            has_times: scope.has_values(),
        };
        let mut names = Names::default();
        for name in &options.expected {
            names.intern(name);
        }
        let fields = scope.fields().to_vec();
        let letters = Letters::new(scope, &options.checks, partition);
        Gatherer {
            known: Known { letters, values: Interner::default() },
            states: vec![RunState::Expected; names.len()],
            names,
            fields,
            dictionary: Vec::new(),
            faults: FxHashMap::default(),
            rows: Rows::new(shape),
            spill: Spill::new(shape),
            current: None,
            read: 0,
            file: None,
            only: None,
            began: Vec::new(),
            has_failed: false,
            buffer: RunRows::new(shape),
            options,
        }
    }

    /// Keeps only the rows of one run.
    #[cfg(feature = "parquet")]
    pub(crate) fn only(self, run: Option<String>) -> Gatherer {
        Gatherer { only: run, ..self }
    }

    /// The next rows are those of a file, whose columns have these names.
    #[cfg(feature = "parquet")]
    pub(crate) fn begin(&mut self, file: &str, names: ColumnNames) {
        self.file = Some((file.into(), self.read));
        self.options.names = names;
    }

    /// The number of rows so far.
    #[cfg(feature = "parquet")]
    pub(crate) fn read(&self) -> u64 {
        self.read
    }

    /// Takes some rows, and gives the runs that are over.
    pub(crate) fn push(&mut self, batch: &Batch<'_>, each: &mut Each<'_>) -> Result<()> {
        self.require_sound()?;
        let pushed = self.take(batch, each);
        self.has_failed = pushed.is_err();
        pushed
    }

    /// Ends the table. The last run is given at once if rows of a run stand together.
    pub(crate) fn finish(mut self, each: &mut Each<'_>) -> Result<Gathering> {
        self.require_sound()?;
        if self.read == 0 && self.names.is_empty() && !self.options.is_empty_allowed {
            unfit!(
                "the table has no rows, so nothing was checked; if runs may have no events, give the list of expected runs"
            );
        }
        self.end_run(each)?;
        let mut source = Source::None;
        if !self.options.is_grouped {
            let order = self.order();
            source = if self.spill.is_empty() {
                Source::Memory(order)
            } else {
                self.spill_sorted(order)?;
                Source::Files(self.merge()?)
            };
        }
        let Gatherer { options, known, names, states, faults, rows, buffer, .. } = self;
        let known = Arc::new(known);
        Ok(Gathering { options, known, names, states, faults, rows, buffer, source, next: 0 })
    }

    fn require_sound(&self) -> Result<()> {
        if self.has_failed {
            unfit!("an error ended this checker; make a new one");
        }
        Ok(())
    }

    fn take(&mut self, batch: &Batch<'_>, each: &mut Each<'_>) -> Result<()> {
        let count = batch.len();
        if let Some((name, length)) = batch.lengths().find(|&(_, length)| length != count) {
            unfit!("column `{name}` has {length} rows, column `run` has {count}");
        }
        let mut columns = Columns::new(batch, &self.fields)?;
        let known = std::mem::take(&mut self.dictionary);
        if batch.shares_runs {
            columns.run = columns.run.knowing(known);
        }
        let mut row = Row { time: NO_TIME, ..Row::default() };
        let mut runs = Vec::new();
        for start in (0..count).step_by(BLOCK) {
            self.options.require_time()?;
            let block = start..(start + BLOCK).min(count);
            let (names, only) = (&mut self.names, self.only.as_deref());
            let symbol = |text: &str| match only {
                Some(only) if only != text => PASSED_OVER,
                _ => names.intern(text),
            };
            columns.run.symbols(block.clone(), symbol, &mut runs);
            for (index, run) in block.zip(&runs) {
                self.read += 1;
                let Some(run) = *run else {
                    unfit!(
                        "{}: column `{}` is null, so the event belongs to no run; leave out such rows",
                        place(self.file.as_ref(), self.read),
                        self.options.names.run
                    );
                };
                if run == PASSED_OVER {
                    continue;
                }
                row.run = run.0;
                if self.options.is_grouped && self.current != Some(run.0) {
                    self.end_run(each)?;
                    self.current = Some(run.0);
                }
                self.open(run)?;
                if columns.order.is_none() {
                    self.require_one_file(run)?;
                }
                self.row(index, &mut columns, &mut row);
                if self.rows.bytes() > self.options.memory || self.rows.len() >= MOST_ROWS {
                    self.spill()?;
                }
            }
        }
        self.dictionary = columns.run.into_known();
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
                "{}: run `{}` comes back after another run, so it would be checked in parts; bring the rows of a run \
                 together by column `{}`, or have them grouped here (scattered)",
                place(self.file.as_ref(), self.read),
                self.names.text(run),
                self.options.names.run
            ),
        }
        Ok(())
    }

    /// Makes sure that the order of the rows of a run is known.
    fn require_one_file(&mut self, run: Symbol) -> Result<()> {
        let Some((file, _)) = &self.file else { return Ok(()) };
        if self.began.len() <= run.index() {
            self.began.resize(run.index() + 1, None);
        }
        let began = self.began[run.index()].get_or_insert_with(|| file.clone());
        if !Arc::ptr_eq(began, file) {
            unfit!(
                "run `{}` has rows in {began} and in {file}, and no column says in which order they happened; name that \
                 column with `--columns order=…`, or write all rows of a run into one file",
                self.names.text(run)
            );
        }
        Ok(())
    }

    /// Keeps a row, or notes why its run cannot be checked.
    fn row(&mut self, index: usize, columns: &mut Columns<'_>, row: &mut Row) {
        let letters = &mut self.known.letters;
        let lifeline = columns.lifeline.symbol(index, |text| letters.intern(text));
        let action = columns.action.symbol(index, |text| letters.intern(text));
        let peer = columns.peer.as_mut().and_then(|it| it.symbol(index, |it| letters.intern(it)));
        row.letter = match letters.meaning([lifeline, action, peer]) {
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
            let id = column.as_mut().and_then(|column| column.id(index, &mut self.known.values));
            row.values.push(id.map_or(0, |id| id.0 + 1));
        }
        self.rows.push(row);
    }

    fn blame(&mut self, run: u32, reason: &str) {
        let (file, row) = (&self.file, self.read);
        self.faults
            .entry(run)
            .or_insert_with(|| format!("{}: {reason}", place(file.as_ref(), row)));
    }

    /// Ends the current run, if rows of a run stand together.
    fn end_run(&mut self, each: &mut Each<'_>) -> Result<()> {
        let Some(run) = self.current.take() else { return Ok(()) };
        self.options.require_time()?;
        let order = self.order();
        if self.spill.is_empty() {
            self.buffer.read(&self.rows, order.run(0), &self.known.letters);
            drop(order);
            self.rows.clear();
        } else {
            self.spill_sorted(order)?;
            let mut merge = self.merge()?;
            self.buffer.clear();
            let clock = |letter: u32| self.known.letters.component(letter);
            let mut row = Row::default();
            while merge.next(&mut row, &clock).map_err(Error::spill)? {
                self.buffer.push(&row, &self.known.letters);
            }
        }
        self.states[run as usize] = RunState::Closed;
        each(Gathered {
            name: self.names.text(Symbol(run)),
            fault: self
                .faults
                .remove(&run)
                .or_else(|| tie(&self.buffer, &self.known, &self.options)),
            rows: &mut self.buffer,
            known: &self.known,
        });
        if self.known.values.items.len() > MOST_VALUES {
            self.known.values = Interner::default();
        }
        Ok(())
    }

    fn order(&mut self) -> Order {
        self.rows.bring_together(self.names.len());
        let letters = &self.known.letters;
        let runs = if self.rows.shape.has_runs { self.names.len() } else { 1 };
        Order::of(&self.rows, runs, letters.components(), &|letter| letters.component(letter))
    }

    /// Writes the rows into a temporary file.
    fn spill(&mut self) -> Result<()> {
        let order = self.order();
        self.spill_sorted(order)
    }

    fn spill_sorted(&mut self, order: Order) -> Result<()> {
        let letters = &self.known.letters;
        let folder = self.options.folder.as_deref();
        let spilled = self.spill.add(&self.rows, &order, folder, &|it| letters.component(it));
        spilled.map_err(Error::spill)?;
        drop(order);
        self.rows.clear();
        Ok(())
    }

    /// All temporary files as one.
    fn merge(&mut self) -> Result<Merge> {
        let letters = &self.known.letters;
        let spill = std::mem::replace(&mut self.spill, Spill::new(self.rows.shape));
        spill.merge(&|letter| letters.component(letter)).map_err(Error::spill)
    }
}

/// `row 17`, `events.parquet, row 17`
fn place(file: Option<&(Arc<str>, u64)>, row: u64) -> String {
    match file {
        Some((file, before)) => format!("{file}, row {}", row - before),
        None => format!("row {row}"),
    }
}

/// Why the order of some log is not known, if two of its events have the same place.
fn tie(rows: &RunRows, known: &Known, options: &CheckerOptions) -> Option<String> {
    rows.tie(&known.letters, &options.names.order)
}

/// The runs that are left at the end of a table: in the order of their first rows, after those that are expected.
#[derive(Debug)]
pub(crate) struct Gathering {
    options: CheckerOptions,
    known: Arc<Known>,
    names: Names,
    states: Vec<RunState>,
    faults: FxHashMap<u32, String>,
    rows: Rows,
    buffer: RunRows,
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

impl Gathering {
    /// What the numbers in rows mean, for all runs.
    pub(crate) fn known(&self) -> &Arc<Known> {
        &self.known
    }

    /// The next run.
    pub(crate) fn next(&mut self) -> Result<Option<Gathered<'_>>> {
        self.options.require_time()?;
        while self.states.get(self.next as usize) == Some(&RunState::Closed) {
            self.next += 1;
        }
        if self.next as usize >= self.names.len() {
            return Ok(None);
        }
        let run = self.next;
        self.next += 1;
        self.read(run)?;
        Ok(Some(Gathered {
            name: self.names.text(Symbol(run)),
            fault: self
                .faults
                .remove(&run)
                .or_else(|| tie(&self.buffer, &self.known, &self.options)),
            rows: &mut self.buffer,
            known: &self.known,
        }))
    }

    /// Reads the rows of a run into the buffer.
    fn read(&mut self, run: u32) -> Result<()> {
        let letters = &self.known.letters;
        self.buffer.clear();
        match &mut self.source {
            Source::None => {}
            Source::Memory(order) => self.buffer.read(&self.rows, order.run(run as usize), letters),
            Source::Files(merge) => {
                let clock = |letter: u32| letters.component(letter);
                let mut row = Row::default();
                while merge.next_run() == Some(run) {
                    merge.next(&mut row, &clock).map_err(Error::spill)?;
                    self.buffer.push(&row, letters);
                }
            }
        }
        Ok(())
    }
}

/// The symbol of runs that are not kept.
const PASSED_OVER: Symbol = Symbol(u32::MAX);

/// The number of rows whose runs are looked up before anything else is done with them: the processor fetches the names of several
/// rows at once if nothing stands between their look-ups. Also the number of rows between two questions whether the checker is
/// cancelled.
const BLOCK: usize = 1024;

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
