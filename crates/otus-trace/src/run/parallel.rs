//! Runs a plan on several threads, with the answers of one thread.
//!
//! ```text
//! reader ── blocks of lines, whole files ──→ workers ── evaluated records, by part ──→ caller: clocks, groups, the sink
//! ```
//!
//! One thread opens the files and cuts them into blocks where that is sound: at line ends, for JSON where no object over several
//! lines is open. Formats without such places are read by a worker as a whole, so that several such files are read at once.
//! The caller's thread takes the parts in the order of the logs. Queues are bounded, so memory is, too: a few
//! blocks for each worker.
//!
//! Standard input and other streams that may never end should be read by one thread, because a block is full only after
//! a while.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use otus_core::index::Index as _;

use super::account::{Accounting, FileAccount};
use super::mapper::{FileInfo, Mapper, Part, Pool, Recorder};
use super::vocabulary::RunFileId;
use super::{LogFile, Sink};
use crate::mapping::Plan;
use crate::read::{self, At, Block, Format, Lines, Reading};

/// Work for a worker.
enum Task<'f> {
    /// Whole lines of a file, and the position of the first.
    Lines(Arc<FileInfo>, At, Vec<u8>),
    File(Arc<FileInfo>, LogFile<'f>),
}

/// Parts that come one after the other.
enum Next {
    Now(Part),
    /// Those of a task.
    From(Receiver<Part>),
}

/// The number of tasks for each worker that wait or whose parts wait.
const AHEAD: usize = 4;

pub(super) fn run(
    plan: &Plan,
    files: Vec<LogFile<'_>>,
    threads: NonZeroUsize,
    sink: &mut dyn Sink,
) -> Accounting {
    let mut mapper = Mapper::for_files(plan, &files);
    let pool = Pool::default();
    std::thread::scope(|scope| {
        let (order, parts) = sync_channel::<Next>(threads.get() * AHEAD);
        let (give, tasks) = sync_channel::<(Task<'_>, SyncSender<Part>)>(threads.get());
        let tasks = Mutex::new(tasks);
        let (pool, tasks) = (&pool, &Arc::new(tasks));
        for _ in 0..threads.get() {
            let tasks = tasks.clone();
            scope.spawn(move || {
                let mut recorder = Recorder::new(plan, pool);
                while let Some((task, give)) = next(&tasks) {
                    work(task, plan, &mut recorder, &give);
                }
            });
        }
        scope.spawn(move || {
            let mut reader = Reader { plan, order, give, pool };
            let _ = reader.files(files);
        });
        let mut merge = Merge { mapper: &mut mapper, file: None };
        for next in parts {
            let flow = match next {
                Next::Now(part) => merge.part(part, plan, pool, sink),
                Next::From(parts) => {
                    parts.iter().try_for_each(|part| merge.part(part, plan, pool, sink))
                }
            };
            if flow.is_break() {
                break;
            }
        }
        // The other threads end when nobody receives what they send.
    });
    mapper.finish(plan, sink)
}

fn next<T>(tasks: &Mutex<Receiver<T>>) -> Option<T> {
    tasks.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

fn work(task: Task<'_>, plan: &Plan, recorder: &mut Recorder<'_>, give: &SyncSender<Part>) {
    match task {
        Task::Lines(info, at, lines) => {
            let _ = give.send(recorder.lines(&info, at, lines));
        }
        Task::File(info, file) => {
            let mut stream = match (file.open)().and_then(read::unpack) {
                Ok((stream, packing)) => {
                    let _ = give.send(Part::Opened(info.clone(), packing));
                    stream
                }
                Err(error) => {
                    let _ = give.send(Part::Unopened(info, error.to_string()));
                    return;
                }
            };
            let mut lines = Lines::new(&mut *stream, plan.sources[info.source].options.longest);
            let extent = recorder.read(&info, Reading::Lines(&mut lines), |part| sent(give, part));
            let _ = give.send(Part::Ended(extent));
        }
    }
}

/// Sends something, unless nobody wants it any more.
fn sent<T>(to: &SyncSender<T>, what: T) -> ControlFlow<()> {
    match to.send(what) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

/// Opens the files, and cuts them into blocks.
struct Reader<'p, 'f> {
    plan: &'p Plan,
    order: SyncSender<Next>,
    give: SyncSender<(Task<'f>, SyncSender<Part>)>,
    pool: &'p Pool,
}

impl<'f> Reader<'_, 'f> {
    fn files(&mut self, files: Vec<LogFile<'f>>) -> ControlFlow<()> {
        let is_known = |file: &LogFile<'_>| file.source < self.plan.sources.len();
        for (index, file) in files.into_iter().filter(is_known).enumerate() {
            let (name, source, id) = (file.name.clone(), file.source, RunFileId::new(index));
            let info = Arc::new(FileInfo { name, source, id });
            if self.plan.sources[source].format.has_parts() {
                self.blocks(&info, file)?;
            } else {
                self.task(Task::File(info, file))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn task(&mut self, task: Task<'f>) -> ControlFlow<()> {
        let (give, parts) = sync_channel(AHEAD);
        sent(&self.order, Next::From(parts))?;
        sent(&self.give, (task, give))
    }

    fn now(&mut self, part: Part) -> ControlFlow<()> {
        sent(&self.order, Next::Now(part))
    }

    fn blocks(&mut self, info: &Arc<FileInfo>, file: LogFile<'f>) -> ControlFlow<()> {
        let source = &self.plan.sources[info.source];
        let mut stream = match (file.open)().and_then(read::unpack) {
            Ok((stream, packing)) => {
                self.now(Part::Opened(info.clone(), packing))?;
                stream
            }
            Err(error) => return self.now(Part::Unopened(info.clone(), error.to_string())),
        };
        let mut lines = Lines::new(&mut *stream, source.options.longest);
        let is_text = source.format == Format::Text;
        if !is_text && read::is_list(&mut lines) {
            self.rest(info, &mut lines)?;
        }
        let cut = if is_text { read::whole_lines } else { read::whole_objects };
        while let Some(block) = lines.block(cut) {
            match block {
                Block::Lines(at, bytes) => self.task(Task::Lines(info.clone(), at, bytes))?,
                Block::Fault(fault) => self.now(Part::Fault(fault))?,
                Block::Open => self.rest(info, &mut lines)?,
            }
        }
        self.now(Part::Ended(lines.extent()))
    }

    /// Evaluates the rest of a file here, because there is no place to cut it.
    fn rest(&mut self, info: &FileInfo, lines: &mut Lines<'_>) -> ControlFlow<()> {
        let mut recorder = Recorder::new(self.plan, self.pool);
        let mut flow = ControlFlow::Continue(());
        recorder.read(info, Reading::Lines(lines), |part| {
            flow = self.now(part);
            flow
        });
        flow
    }
}

/// Takes the parts of the files.
struct Merge<'m> {
    mapper: &'m mut Mapper,
    /// The file whose parts come.
    file: Option<(Arc<FileInfo>, FileAccount)>,
}

impl Merge<'_> {
    fn part(
        &mut self,
        part: Part,
        plan: &Plan,
        pool: &Pool,
        sink: &mut dyn Sink,
    ) -> ControlFlow<()> {
        let account = |info: &FileInfo| {
            FileAccount::new(info.name.clone(), info.source, plan.sources[info.source].format)
        };
        match part {
            Part::Opened(info, packing) => {
                let account = FileAccount { packing, ..account(&info) };
                self.file = Some((info, account));
            }
            Part::Unopened(info, error) => {
                let account = account(&info);
                self.mapper.unopened(account, info.id, &error);
            }
            Part::Records(records) => {
                if let Some((_, account)) = &mut self.file {
                    return self.mapper.take_over(*records, account, plan, pool, sink);
                }
            }
            Part::Fault(fault) => {
                if let Some((info, account)) = &mut self.file {
                    let longest = plan.sources[info.source].options.longest;
                    self.mapper.fault(account, info.id, longest, &fault);
                }
            }
            Part::Ended(extent) => {
                if let Some((info, account)) = self.file.take() {
                    self.mapper.ended(account, info.id, extent);
                }
            }
        }
        ControlFlow::Continue(())
    }
}
