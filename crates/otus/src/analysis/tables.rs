//! Tables as inputs of an analysis: files of events, whose rows are brought together by run.
//!
//! All files of a request are one table, since the events of a run may be spread over them. A thread reads them and, when it
//! has seen all rows, hands over one run after another, in the order of their first rows.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::inputs::{Job, Shared};
use crate::context::{Cancel, Stop};
use crate::error::{Error, Result};
use crate::files::Files;
#[cfg(feature = "parquet")]
use crate::parquet::{EventFile, EventRows};
#[cfg(feature = "parquet")]
use crate::table::Gatherer;
use crate::table::{Known, RunRows, Scope, TableColumns};

/// The files of a table, and what to do with them.
pub(super) struct Tables {
    pub(super) paths: Vec<String>,
    pub(super) files: Arc<dyn Files>,
    pub(super) columns: TableColumns,
    pub(super) scope: Scope,
    /// The only run to check.
    pub(super) only: Option<String>,
    /// The bytes that rows may take in memory.
    pub(super) memory: Option<u64>,
    /// The number of threads that decode.
    pub(super) threads: usize,
}

/// Runs of a table that are ready to be judged.
#[derive(Debug)]
pub(super) struct TableRuns {
    pub(super) known: Arc<Known>,
    /// The column by which events are ordered.
    pub(super) order: Arc<str>,
    pub(super) runs: Vec<TableRun>,
}

#[derive(Debug)]
pub(super) struct TableRun {
    pub(super) name: String,
    /// The rows, or why the run cannot be checked.
    pub(super) rows: Result<RunRows, String>,
}

/// Reads a table on a thread of its own.
pub(super) fn read(tables: Tables, shared: Arc<Shared>) -> Receiver<Job> {
    let (sender, receiver) = sync_channel(16);
    std::thread::spawn(move || {
        let gathered = catch_unwind(AssertUnwindSafe(|| gather(&tables, &shared, &sender)));
        let gathered = gathered.unwrap_or_else(|_| Err(Error::Bug(READER_DIED.to_owned())));
        let job = match gathered {
            Ok(()) => return,
            Err(Error::Stopped(_)) => return,
            Err(error) => Job::unreadable(error.to_string()),
        };
        let _ = sender.send(job);
    });
    receiver
}

/// What is told if a thread that reads a table panics.
const READER_DIED: &str = "a table could not be read to its end";

#[cfg(feature = "parquet")]
fn gather(tables: &Tables, shared: &Shared, sender: &SyncSender<Job>) -> Result<()> {
    use otus_trace::Partition;

    use super::inputs::TOGETHER;
    use crate::error::unfit;
    use crate::parquet::EventFile;
    use crate::table::{CheckerOptions, Gathered, Gatherer};

    let Tables { paths, files, columns, scope, only, memory, threads } = tables;
    let mut options = CheckerOptions::scattered().cancel(shared.cancel.clone());
    if let Some(memory) = memory {
        // The order of rows, the names of runs and what is being decoded take memory as well.
        options = options.memory(usize::try_from(*memory / 4).unwrap_or(usize::MAX));
    }
    let partition = Partition::discrete(scope.signature.lifeline_count());
    // All descriptions are read first, so that a faulty one is told at once.
    let mut opened: Vec<EventFile> = Vec::new();
    for path in paths {
        let file = EventFile::open(files, path.as_ref(), columns, scope)?;
        if let Some(first) = opened.first() {
            first.require_same_order(&file)?;
        }
        opened.push(file);
    }
    let order: Arc<str> = opened.iter().find_map(EventFile::order).unwrap_or("row").into();
    let gatherer = Gatherer::new(scope.clone(), Arc::new(partition), options).only(only.clone());
    let gatherer = read_files(&opened, gatherer, *threads, &shared.cancel)?;
    if gatherer.read() == 0 {
        unfit!("{}: no rows, so nothing was checked; give tables with events", names(paths));
    }
    let mut gathering = gatherer.finish(&mut |_| {})?;
    let known = gathering.known().clone();
    let (mut runs, mut events, mut is_found) = (Vec::new(), 0, only.is_none());
    while let Some(Gathered { name, rows, fault, .. }) = gathering.next()? {
        is_found = true;
        events += rows.len() + 1;
        let rows = fault.map_or_else(|| Ok(rows.clone()), Err);
        runs.push(TableRun { name: name.to_owned(), rows });
        if events >= TOGETHER {
            events = 0;
            let (known, order) = (known.clone(), order.clone());
            let job = TableRuns { known, order, runs: std::mem::take(&mut runs) };
            // Sending fails if the analysis has ended and the receiver is gone.
            if sender.send(Job::Runs(job)).is_err() {
                return Ok(());
            }
        }
    }
    if !runs.is_empty() {
        let _ = sender.send(Job::Runs(TableRuns { known, order, runs }));
    }
    if let Some(only) = only.as_ref().filter(|_| !is_found) {
        let column = opened.first().map(|file| file.names().run).unwrap_or_default();
        unfit!("no run is called `{only}` in column `{column}` of {}", names(paths));
    }
    Ok(())
}

/// `a.parquet and 3 more files`
#[cfg(feature = "parquet")]
fn names(paths: &[String]) -> String {
    match paths {
        [] => String::new(),
        [only] => only.clone(),
        [first, more @ ..] => {
            format!("{first} and {}", crate::units::counted(more.len(), "more file"))
        }
    }
}

/// The number of pieces of a group of rows that a thread may be ahead.
#[cfg(feature = "parquet")]
const AHEAD: usize = 8;

/// What a thread says of a group of rows: some of them, or that it has ended, well or not.
#[cfg(feature = "parquet")]
type Said = Result<Option<EventRows>>;

/// Brings the rows of all files together.
///
/// Threads decode groups of rows, each of them the next one that nobody has taken, and this thread takes what they decode in
/// the order of files and rows. So the answers do not depend on the number of threads. They are only a few groups ahead, so that
/// memory does not depend on the number of groups.
#[cfg(feature = "parquet")]
fn read_files(
    files: &[EventFile],
    mut gatherer: Gatherer,
    threads: usize,
    cancel: &Cancel,
) -> Result<Gatherer> {
    let (mut senders, mut receivers) = (Vec::new(), Vec::new());
    for (file, opened) in files.iter().enumerate() {
        for group in 0..opened.groups() {
            let (sender, receiver) = sync_channel::<Said>(AHEAD);
            senders.push(Mutex::new(Some((file, group, sender))));
            receivers.push((file, receiver));
        }
    }
    let threads = threads.clamp(1, senders.len().max(1));
    let (next, turn) = (AtomicUsize::new(0), Turn::default());
    let decode = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(unit) = senders.get(number) else { return };
            turn.wait(number.saturating_sub(threads));
            let unit = unit.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some((file, group, sender)) = unit else { return };
            let read = files[file].read(group, &mut |rows| {
                // Sending fails if an error has ended the analysis.
                if cancel.is_cancelled() || sender.send(Ok(Some(rows))).is_err() {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            });
            if cancel.is_cancelled() || sender.send(read.map(|()| None)).is_err() {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        // However this ends, no thread waits for its turn any more.
        let turn = Ending(&turn);
        for _ in 0..threads {
            scope.spawn(decode);
        }
        let mut begun = None;
        for (number, (file, receiver)) in receivers.into_iter().enumerate() {
            turn.0.next(number);
            let opened = &files[file];
            if begun != Some(file) {
                begun = Some(file);
                gatherer.begin(opened.name(), opened.names());
            }
            while let Some(rows) = receiver.recv().unwrap_or_else(|_| silent(opened, cancel))? {
                opened.batch(&rows, &mut |batch| gatherer.push(batch, &mut |_| {}))?;
            }
        }
        Ok(gatherer)
    })
}

/// The number of the group of rows that is taken now.
#[cfg(feature = "parquet")]
#[derive(Default)]
struct Turn {
    number: Mutex<usize>,
    changed: Condvar,
}

#[cfg(feature = "parquet")]
impl Turn {
    /// Waits until it is the turn of this number, or later.
    fn wait(&self, number: usize) {
        let now = self.number.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(now, |now| *now < number));
    }

    fn next(&self, number: usize) {
        *self.number.lock().unwrap_or_else(PoisonError::into_inner) = number;
        self.changed.notify_all();
    }
}

#[cfg(feature = "parquet")]
struct Ending<'t>(&'t Turn);

#[cfg(feature = "parquet")]
impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.next(usize::MAX);
    }
}

/// The error that a thread ended before its group of rows did.
#[cfg(feature = "parquet")]
fn silent(file: &EventFile, cancel: &Cancel) -> Said {
    if cancel.is_cancelled() {
        return Err(Error::Stopped(Stop::Cancelled));
    }
    Err(Error::Bug(format!("{}: {READER_DIED}", file.name())))
}

#[cfg(not(feature = "parquet"))]
fn gather(tables: &Tables, _: &Shared, _: &SyncSender<Job>) -> Result<()> {
    crate::error::unfit!(
        "{} is Parquet, which this build of Otus does not read; build it with the feature `parquet`",
        tables.paths.join(" ")
    );
}
