//! The inputs of an analysis as a stream of jobs.
//!
//! A text whose file name gives its format is read only when it is its turn. A case file is read in pieces of whole
//! lines, so that a long file takes little memory; a `.htf` is read by the worker that checks it. A separate thread
//! reads raw logs: it hands over one group after another, and waits while no worker is ready.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use otus_core::budget::Cancel;
use otus_core::{LifelineId, Signature};
use otus_syntax::{Diagnostic, Source, SourceId};
use otus_trace::case::{self, Glance, LinePlace};
use otus_trace::read::lossy;
use otus_trace::run::{Accounting, Group};

use super::tables::{self, TableRuns, Tables};
use super::worker::Trouble;
use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::error::{Error, Result, unfit};
use crate::files::{self, FileKind, Files};
use crate::format::Format;
use crate::load::{Sources, one_document};
use crate::logs::{BEGINNING, Finder, Logs, Told};
use crate::units::counted;

/// A text that holds one or many multi-traces.
pub(super) enum TraceInput {
    /// A `.htf`.
    File(TraceFile),
    /// A case file.
    Cases { path: String },
    /// A file of a table of events.
    Table { path: String },
    /// A case file of which only the beginning has been read.
    Stream { name: String, head: Vec<u8>, rest: Box<dyn Read + Send> },
}

#[derive(Debug, Clone)]
pub(super) struct TraceFile {
    pub(super) path: String,
    pub(super) id: String,
    /// The content of the file, if it has been read.
    pub(super) bytes: Option<Vec<u8>>,
}

#[derive(Debug)]
pub(super) enum Job {
    Files(Vec<TraceFile>),
    /// Lines of a case file, starting with the line of this number.
    Lines {
        name: Arc<str>,
        first: usize,
        bytes: Vec<u8>,
    },
    /// Groups of raw logs; with several specifications, each group once for each of them.
    Groups(Vec<Group>),
    /// Runs of a table.
    Runs(TableRuns),
    /// A text that cannot be used, or that has no cases.
    Trouble(Box<Trouble>),
}

impl Job {
    pub(super) fn unreadable(reason: String) -> Job {
        Job::Trouble(Box::new(Trouble::Other { id: None, reason, is_unusable: true }))
    }

    /// A text with a mistake that makes all of it unusable.
    fn unusable(source: Source, mistake: Diagnostic) -> Job {
        let found = Diagnostics::new(vec![source], vec![mistake]);
        Job::Trouble(Box::new(Trouble::Text { found, case: None }))
    }
}

#[derive(Default)]
pub(super) struct Sorted {
    pub(super) traces: VecDeque<TraceInput>,
    pub(super) others: Vec<String>,
    /// The content of standard input, if standard input is a specification.
    pub(super) standard_input: Option<Vec<u8>>,
}

/// Separates the names of multi-traces from other names. Raw logs are handed to the finder.
pub(super) fn sort(
    context: &Context,
    names: &[String],
    from: Option<Format>,
    finder: &mut Finder,
) -> Result<Sorted> {
    let files = &*context.files;
    let mut sorted = Sorted::default();
    for name in names {
        if name == "-" {
            standard_input(files, from, finder, &mut sorted)?;
            continue;
        }
        let traces = &mut sorted.traces;
        let path = Path::new(name);
        if files.kind(path) == Some(FileKind::Folder) {
            let before = (traces.len(), finder.count(), finder.passed_over);
            for file in finder.folder(path)? {
                let Some(format) = Format::of_name(&file).filter(|it| it.is_multi_trace()) else {
                    continue;
                };
                // Files in different folders may have the same name.
                let inside = file.strip_prefix(path).unwrap_or(&file);
                let id = inside.with_extension("").to_string_lossy().replace('\\', "/");
                traces.push_back(named(format, file.to_string_lossy().into_owned(), id));
            }
            if (traces.len(), finder.count()) == (before.0, before.1) {
                unfit!("{}", nothing_in(name, finder, finder.passed_over - before.2));
            }
            continue;
        }
        let format = match finder.file(path, from)? {
            Told::Log => continue,
            Told::Unmapped => unfit!("{}", finder.unmapped(path)),
            Told::Other(format) => format,
        };
        let Some(format) = format.filter(|format| format.is_multi_trace()) else {
            sorted.others.push(name.clone());
            continue;
        };
        files.open(path).map_err(|error| files::missing(files, path, &error))?;
        let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        traces.push_back(named(format, name.clone(), id));
    }
    Ok(sorted)
}

/// The message about a folder with nothing to check.
fn nothing_in(name: &str, finder: &Finder, passed_over: usize) -> String {
    if passed_over == 0 {
        return format!("the folder {name} has no file to work on");
    }
    let files = counted(passed_over, "file");
    match finder.project() {
        Some(project) => format!(
            "the folder {name} has {files}, but none that {} has a source for; `otus map {name} \
             --explain` tells more",
            project.name
        ),
        None => format!(
            "the folder {name} has {files}, but no multi-trace and no {} that says how to read \
             logs; `otus init {name}` proposes one",
            crate::project::FILE
        ),
    }
}

fn named(format: Format, path: String, id: String) -> TraceInput {
    if format == Format::Jsonl {
        TraceInput::Cases { path }
    } else if format == Format::Parquet {
        TraceInput::Table { path }
    } else {
        TraceInput::File(TraceFile { path, id, bytes: None })
    }
}

/// Sorts standard input. If it is a raw log, the finder takes it.
fn standard_input(
    files: &dyn Files,
    from: Option<Format>,
    finder: &mut Finder,
    sorted: &mut Sorted,
) -> Result<()> {
    let name = "<stdin>".to_owned();
    let fault = |error| Error::Unfit(format!("cannot read standard input: {error}"));
    let mut rest = files.standard_input().map_err(fault)?;
    let mut head = Vec::new();
    if from.is_none() {
        // The first line identifies a case file; the next one may take long to arrive.
        while !has_line(&head) {
            let before = head.len();
            head.resize(before + BEGINNING, 0);
            let length = rest.read(&mut head[before..]).map_err(fault)?;
            head.truncate(before + length);
            if length == 0 {
                break;
            }
        }
        let Some(back) = finder.standard_input(head, rest)? else { return Ok(()) };
        (head, rest) = back;
    }
    let format = from.or_else(|| Format::of_content(&lossy(&head)));
    if format == Some(Format::Jsonl) {
        sorted.traces.push_back(TraceInput::Stream { name, head, rest });
        return Ok(());
    }
    rest.read_to_end(&mut head).map_err(fault)?;
    let format = from.or_else(|| Format::of_content(&lossy(&head)));
    if format == Some(Format::Htf) {
        let (id, bytes) = ("stdin".to_owned(), Some(head));
        sorted.traces.push_back(TraceInput::File(TraceFile { path: name, id, bytes }));
    } else {
        sorted.standard_input = Some(head);
        sorted.others.push("-".to_owned());
    }
    Ok(())
}

/// Whether a line that is not blank has ended.
fn has_line(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace());
    start.is_some_and(|start| bytes[start..].contains(&b'\n'))
}

/// Makes jobs of inputs.
pub(super) struct Feed {
    /// Raw logs that have not been opened yet, and the signatures for their groups.
    logs: Option<(Logs, Vec<Signature>)>,
    /// What is read by a thread of its own: groups of logs, runs of a table.
    groups: Option<Receiver<Job>>,
    /// How tables are read, with the paths of all of them.
    tables: Option<Tables>,
    /// Whether only one run of the tables is wanted.
    pub(super) has_one_run: bool,
    inputs: VecDeque<TraceInput>,
    lines: Option<Lines>,
    /// Jobs that were made before their turn.
    ready: VecDeque<Job>,
    files: Arc<dyn Files>,
    pub(super) shared: Arc<Shared>,
    pub(super) total_bytes: Option<u64>,
}

/// The state that a feed shares with other threads.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Set from outside (Ctrl-C) to stop the feed.
    pub(super) cancel: Cancel,
    /// The number of multi-traces that did not become jobs because the feed was stopped.
    pub(super) unread: AtomicUsize,
    /// The number of files of tables whose runs are not all handed out; nobody knows how many runs they have.
    pub(super) unread_tables: AtomicUsize,
    /// Whether the feed waits for standard input, which may never end.
    pub(super) waits: AtomicBool,
    /// The account of the raw logs, once they have been read.
    pub(super) accounting: Mutex<Option<Accounting>>,
}

impl Feed {
    pub(super) fn new(
        inputs: VecDeque<TraceInput>,
        logs: Option<(Logs, Vec<Signature>)>,
        files: Arc<dyn Files>,
        cancel: Cancel,
    ) -> Feed {
        let total_bytes = total_bytes(&*files, &inputs).filter(|_| logs.is_none());
        Feed {
            logs,
            groups: None,
            tables: None,
            has_one_run: false,
            inputs,
            lines: None,
            ready: VecDeque::new(),
            files,
            shared: Arc::new(Shared { cancel, ..Shared::default() }),
            total_bytes,
        }
    }

    /// Whether some inputs are tables.
    pub(super) fn has_tables(&self) -> bool {
        self.inputs.iter().any(|input| matches!(input, TraceInput::Table { .. }))
    }

    /// Says how tables are read. All files of tables are one.
    pub(super) fn set_tables(&mut self, make: impl FnOnce(Vec<String>) -> Tables) {
        let (mut paths, mut others) = (Vec::new(), VecDeque::new());
        for input in std::mem::take(&mut self.inputs) {
            if let TraceInput::Table { path } = input {
                paths.push(path);
            } else {
                others.push_back(input);
            }
        }
        self.inputs = others;
        self.tables = Some(make(paths));
    }

    /// Whether there are several multi-traces. The inputs are read only as far as needed, and no
    /// input is read twice.
    pub(super) fn has_several(&mut self) -> bool {
        if self.has_tables() {
            let is_table = |input: &TraceInput| matches!(input, TraceInput::Table { .. });
            return !(self.has_one_run && self.inputs.iter().all(is_table) && self.logs.is_none());
        }
        let mut count = 0;
        while count < 2 {
            let Some(job) = self.make(1) else { break };
            count += match &job {
                Job::Files(files) => files.len(),
                Job::Lines { bytes, .. } => case_lines(bytes),
                Job::Groups(groups) => groups.len(),
                Job::Runs(runs) => runs.runs.len(),
                Job::Trouble(_) => 0,
            };
            self.ready.push_back(job);
        }
        count > 1
    }

    /// The next job, of about `size` bytes.
    pub(super) fn next(&mut self, size: usize) -> Option<Job> {
        self.ready.pop_front().or_else(|| self.make(size))
    }

    fn make(&mut self, size: usize) -> Option<Job> {
        loop {
            if self.shared.cancel.is_cancelled() {
                self.count();
                return None;
            }
            if let Some((logs, signatures)) = self.logs.take() {
                self.groups = Some(read_logs(logs, signatures, self.shared.clone()));
            }
            if self.groups.is_none()
                && let Some(tables) = self.tables.take()
            {
                self.shared.unread_tables.store(tables.paths.len(), Ordering::Relaxed);
                self.groups = Some(tables::read(tables, self.shared.clone()));
            }
            if let Some(groups) = &self.groups {
                // It may take long until the first group is complete.
                self.shared.waits.store(true, Ordering::Relaxed);
                let next = groups.recv();
                self.shared.waits.store(false, Ordering::Relaxed);
                if let Ok(job) = next {
                    return Some(job);
                }
                self.groups = None;
                if !self.shared.cancel.is_cancelled() {
                    self.shared.unread_tables.store(0, Ordering::Relaxed);
                }
                continue;
            }
            if let Some(lines) = &mut self.lines {
                if let Some(job) = lines.next(size) {
                    return Some(job);
                }
                if let Some(lines) = self.lines.take().filter(|lines| !lines.has_cases) {
                    // An empty case file is valid, but nothing was checked, so it is reported.
                    let reason = format!("no cases in {}", lines.name);
                    let trouble = Trouble::Other { id: None, reason, is_unusable: false };
                    return Some(Job::Trouble(Box::new(trouble)));
                }
            }
            let job = match self.inputs.pop_front()? {
                // All of them were taken out before.
                TraceInput::Table { .. } => None,
                TraceInput::File(file) => Some(self.trace_files(file, size)),
                TraceInput::Cases { path } => match self.files.open(path.as_ref()) {
                    Ok(file) => self.begin(Lines::new(path, Vec::new(), file, None)),
                    Err(error) => {
                        let error = files::missing(&*self.files, path.as_ref(), &error);
                        Some(Job::unreadable(error.to_string()))
                    }
                },
                TraceInput::Stream { name, head, rest } => {
                    let shared = Some(self.shared.clone());
                    self.begin(Lines::new(name, head, rest, shared))
                }
            };
            if job.is_some() {
                return job;
            }
        }
    }

    /// Several files in one job, because most are short.
    fn trace_files(&mut self, first: TraceFile, size: usize) -> Job {
        let mut files = vec![first];
        let most = (size >> 12).max(1);
        while files.len() < most
            && let Some(TraceInput::File(file)) =
                self.inputs.pop_front_if(|input| matches!(input, TraceInput::File(_)))
        {
            files.push(file);
        }
        Job::Files(files)
    }

    /// Starts a case file, unless the text is not one.
    fn begin(&mut self, mut lines: Lines) -> Option<Job> {
        let fault = lines.whole_fault();
        if fault.is_none() {
            self.lines = Some(lines);
        }
        fault
    }

    /// Counts the remaining multi-traces. The rest of standard input cannot be counted.
    fn count(&mut self) {
        let mut count = self.tables.take().map_or(0, |tables| tables.paths.len());
        let lines = self.lines.take().into_iter();
        let inputs = self.inputs.drain(..).filter_map(|input| match input {
            TraceInput::Cases { path } => {
                let file = self.files.open(path.as_ref()).ok()?;
                Some(Lines::new(path, Vec::new(), file, None))
            }
            TraceInput::File(_) => {
                count += 1;
                None
            }
            TraceInput::Table { .. } => None,
            TraceInput::Stream { name, head, rest } => {
                Some(Lines::new(name, head, rest, Some(self.shared.clone())))
            }
        });
        let cases: usize = lines.chain(inputs).map(Lines::count).sum();
        self.shared.unread.fetch_add(count + cases, Ordering::Relaxed);
    }
}

/// The number of actions that are handed over at once.
pub(super) const TOGETHER: usize = 512;

/// Reads logs on a separate thread.
fn read_logs(logs: Logs, signatures: Vec<Signature>, shared: Arc<Shared>) -> Receiver<Job> {
    let (sender, receiver) = sync_channel(16);
    std::thread::spawn(move || {
        let mut groups: Vec<Group> = Vec::new();
        let mut actions = 0;
        let mut silent: Option<Vec<Vec<LifelineId>>> = None;
        let accounting = logs.run(&mut |observed| {
            if silent.is_none() {
                silent = signatures.iter().map(|signature| observed.silent(signature)).collect();
            }
            for (at, signature) in signatures.iter().enumerate() {
                let mut group = Group::new(observed, signature);
                group.silent = silent.as_ref().map(|all| all[at].clone()).unwrap_or_default();
                actions += group.len() + 1;
                groups.push(group);
            }
            if actions >= TOGETHER {
                actions = 0;
                // Sending fails if the run has ended and the receiver is gone.
                if sender.send(Job::Groups(std::mem::take(&mut groups))).is_err() {
                    return ControlFlow::Break(());
                }
            }
            if shared.cancel.is_cancelled() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        *shared.accounting.lock().unwrap_or_else(PoisonError::into_inner) = Some(accounting);
        if !groups.is_empty() {
            let _ = sender.send(Job::Groups(groups));
        }
    });
    receiver
}

/// The size of all files to read; `None` if it is unknown.
fn total_bytes(files: &dyn Files, inputs: &VecDeque<TraceInput>) -> Option<u64> {
    let size = |input: &TraceInput| match input {
        TraceInput::File(TraceFile { bytes: Some(bytes), .. }) => Some(bytes.len() as u64),
        TraceInput::File(TraceFile { path, .. }) | TraceInput::Cases { path } => {
            files.size(path.as_ref())
        }
        TraceInput::Stream { .. } | TraceInput::Table { .. } => None,
    };
    inputs.iter().map(size).sum()
}

/// The id and the multi-trace of a line of a case file; `None` for a blank line.
pub(super) fn read_case(
    line: &str,
    number: usize,
) -> Result<Option<[Cow<'_, str>; 2]>, Box<Diagnostic>> {
    if let Some(Glance { id, htf }) = case::glance(line) {
        return Ok(Some([id.unwrap_or_else(|| number.to_string().into()), htf]));
    }
    let place = LinePlace { source: SourceId(0), start: 0, line: number };
    let case = case::parse_line(line, place)?;
    Ok(case.map(|case| [case.id.into(), case.htf.into()]))
}

/// The number of lines of a case file that hold a case.
fn case_lines(bytes: &[u8]) -> usize {
    let is_case = |line: &&[u8]| line.iter().any(|byte| !byte.is_ascii_whitespace());
    bytes.split(|&byte| byte == b'\n').filter(is_case).count()
}

/// The lines of a case file.
struct Lines {
    name: Arc<str>,
    rest: Box<dyn Read + Send>,
    /// For a stream, which may never end: where to record that a reader waits for it.
    shared: Option<Arc<Shared>>,
    buffer: Vec<u8>,
    /// The number of bytes of the buffer that have been used.
    used: usize,
    /// The number of the next line.
    line: usize,
    ended: Option<std::io::Result<()>>,
    /// Whether a line was not blank.
    has_cases: bool,
}

impl Lines {
    fn new(
        name: String,
        head: Vec<u8>,
        rest: Box<dyn Read + Send>,
        shared: Option<Arc<Shared>>,
    ) -> Lines {
        let (name, buffer) = (name.into(), head);
        Lines { name, rest, shared, buffer, used: 0, line: 1, ended: None, has_cases: false }
    }

    fn set_waiting(&self, is_waiting: bool) {
        if let Some(shared) = &self.shared {
            shared.waits.store(is_waiting, Ordering::Relaxed);
        }
    }

    /// Whole lines of about `size` bytes.
    fn next(&mut self, size: usize) -> Option<Job> {
        loop {
            let unused = &self.buffer[self.used..];
            // The last line end within the size or, if there is none, the first one after it.
            let within = &unused[..size.min(unused.len())];
            let cut = memchr::memrchr(b'\n', within).or_else(|| memchr::memchr(b'\n', unused));
            let length = match cut {
                Some(end) => end + 1,
                None if self.ended.is_none() => {
                    self.read();
                    continue;
                }
                None => unused.len(),
            };
            if length == 0 {
                return match self.ended.replace(Ok(())) {
                    Some(Err(error)) => {
                        // The unreadable part may have contained cases, so the file does not count
                        // as empty.
                        self.has_cases = true;
                        Some(Job::unreadable(format!("cannot read {}: {error}", self.name)))
                    }
                    Some(Ok(())) | None => None,
                };
            }
            let bytes = unused[..length].to_vec();
            self.has_cases = self.has_cases || bytes.iter().any(|byte| !byte.is_ascii_whitespace());
            let first = self.line;
            self.line += memchr::memchr_iter(b'\n', &bytes).count();
            self.used += length;
            return Some(Job::Lines { name: self.name.clone(), first, bytes });
        }
    }

    fn read(&mut self) {
        self.buffer.drain(..self.used);
        self.used = 0;
        let before = self.buffer.len();
        // The buffer grows by at least its own size. Otherwise a very long line would be searched
        // again after every read.
        self.buffer.resize(before + before.max(4 * BEGINNING), 0);
        self.set_waiting(true);
        let length = loop {
            match self.rest.read(&mut self.buffer[before..]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                length => break length,
            }
        };
        self.set_waiting(false);
        self.buffer.truncate(before + *length.as_ref().unwrap_or(&0));
        self.ended = match length {
            Ok(0) => Some(Ok(())),
            Ok(_) => None,
            Err(error) => Some(Err(error)),
        };
    }

    /// The reason why the whole text is unusable: it is not UTF-8, or it is one JSON document over several lines.
    fn whole_fault(&mut self) -> Option<Job> {
        while self.ended.is_none() && !has_line(&self.buffer) {
            self.read();
        }
        let start = self.buffer.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let end = memchr::memchr(b'\n', &self.buffer[start..]).map(|length| start + length)?;
        let line = std::str::from_utf8(&self.buffer[start..end]);
        if line.is_ok_and(|line| serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok()) {
            return None;
        }
        // A longer text is certainly not a JSON document that was formatted over several lines.
        while self.shared.is_none() && self.ended.is_none() && self.buffer.len() < 64 << 20 {
            self.read();
        }
        if std::str::from_utf8(&self.buffer[start..end]).is_ok() {
            self.ended.as_ref()?;
            let text = std::str::from_utf8(&self.buffer).ok()?;
            let source = Source::with_id(SourceId(0), &*self.name, text);
            let mistake = one_document(&source)?;
            return Some(Job::unusable(source, mistake));
        }
        let mut sources = Sources::default();
        sources.add_bytes(self.name.to_string(), self.buffer.clone());
        Some(Job::unusable(sources.all.pop()?, sources.diagnostics.pop()?))
    }

    /// The number of remaining cases.
    fn count(mut self) -> usize {
        let mut count = 0;
        while let Some(Job::Lines { bytes, .. }) = self.next(4 * BEGINNING) {
            count += case_lines(&bytes);
            if self.shared.is_some() && memchr::memchr(b'\n', &self.buffer[self.used..]).is_none() {
                break;
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// The jobs of a case file: first line and text.
    fn jobs(text: &str, size: usize) -> Vec<(usize, String)> {
        let rest = Box::new(Cursor::new(text.as_bytes().to_vec()));
        let mut lines = Lines::new("x.jsonl".to_owned(), Vec::new(), rest, None);
        let mut jobs = Vec::new();
        while let Some(job) = lines.next(size) {
            if let Job::Lines { first, bytes, .. } = job {
                jobs.push((first, String::from_utf8(bytes).unwrap()));
            }
        }
        jobs
    }

    #[test]
    fn a_job_is_whole_lines_with_the_number_of_the_first() {
        let job = |line, text: &str| (line, text.to_owned());
        assert_eq!(jobs("", 8), []);
        assert_eq!(
            jobs("ab\nc\n\nd", 1),
            [job(1, "ab\n"), job(2, "c\n"), job(3, "\n"), job(4, "d")]
        );
        assert_eq!(jobs("ab\nc\n\nd", 5), [job(1, "ab\nc\n"), job(3, "\n"), job(4, "d")]);
        assert_eq!(jobs("ab\nc\n\nd", 100), [job(1, "ab\nc\n\n"), job(4, "d")]);
    }

    #[test]
    fn nothing_is_lost_whatever_the_size() {
        let text: String = (0..3000).flat_map(|i| ["x".repeat(i % 700), "\n".to_owned()]).collect();
        for size in [1, 100, 5000, 1 << 20] {
            let jobs = jobs(&text, size);
            assert_eq!(jobs.iter().map(|(_, text)| text.as_str()).collect::<String>(), text);
            let mut line = 1;
            for (first, text) in jobs {
                assert_eq!(first, line);
                line += text.matches('\n').count();
            }
        }
    }
}
