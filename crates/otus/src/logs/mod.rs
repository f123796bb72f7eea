//! Raw logs: finds the logs among the named files, and determines how each of them is read.
//!
//! A file is a log if the `otus.toml` above it has a source for it, or if its format needs no mapping (OTLP, Jaeger,
//! Zipkin, ShiViz, canonical lines). Such formats are added to the plan as sources, so that all logs of a request are
//! one run: a group may have events in several of them.

pub(crate) mod findings;
pub(crate) mod unknown_names;
pub(crate) mod without_spans;

use std::io::{self, Cursor, Read};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use otus_trace::mapping::{Glob, Plan};
use otus_trace::read::{self, Format as LogFormat};
use otus_trace::run::{Accounting, LogFile, Observed, map_on};
use rustc_hash::FxHashSet;

use crate::context::Context;
use crate::error::{Error, Result, unfit};
use crate::files::{self, FileKind, Files};
use crate::format::{self, Format};
use crate::project::{self, Settings};
use crate::units::counted;

#[derive(Debug, Default)]
pub(crate) struct Logs {
    /// The mapping from lines to actions.
    pub(crate) plan: Plan,
    pub(crate) files: Vec<LogPath>,
    /// The only group to read, if one is requested.
    pub(crate) only: Option<String>,
    /// The number of threads that read them; one if it is not known.
    pub(crate) threads: Option<NonZeroUsize>,
}

#[derive(Debug)]
pub(crate) struct LogPath {
    /// The name that the user would give.
    pub(crate) name: String,
    /// The number of its source in the plan.
    pub(crate) source: usize,
    origin: Origin,
}

/// The bytes of a log.
enum Origin {
    File(Arc<dyn Files>, PathBuf),
    Memory(Vec<u8>),
    /// Standard input, which can be read once.
    Stream(Mutex<Option<Box<dyn Read + Send>>>),
}

impl std::fmt::Debug for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::File(_, path) => f.debug_tuple("File").field(path).finish(),
            Origin::Memory(bytes) => f.debug_tuple("Memory").field(&bytes.len()).finish(),
            Origin::Stream(_) => f.write_str("Stream"),
        }
    }
}

impl Logs {
    /// Reads all logs; each requested group is passed to `sink`.
    pub(crate) fn run(&self, sink: &mut dyn FnMut(&Observed<'_>) -> ControlFlow<()>) -> Accounting {
        // Standard input may never end, so what is there of it is mapped at once.
        let is_stream = |file: &LogPath| matches!(file.origin, Origin::Stream(_));
        let threads = self.threads.filter(|_| !self.files.iter().any(is_stream));
        let threads = threads.unwrap_or(NonZeroUsize::MIN);
        let files = self.files.iter().map(LogPath::open).collect();
        map_on(&self.plan, files, threads, &mut |observed: &Observed<'_>| {
            let wanted = self.only.as_deref().is_none_or(|only| only == observed.name());
            if wanted { sink(observed) } else { ControlFlow::Continue(()) }
        })
    }

    pub(crate) fn add(&mut self, files: Arc<dyn Files>, name: String, source: usize, path: &Path) {
        self.files.push(LogPath { name, source, origin: Origin::File(files, path.to_owned()) });
    }

    /// Reads standard input into memory, so that it can be read twice.
    pub(crate) fn keep(&mut self) -> Result<()> {
        for file in &mut self.files {
            if let Origin::Stream(stream) = &file.origin {
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner).take();
                let mut bytes = Vec::new();
                if let Some(mut stream) = stream {
                    stream.read_to_end(&mut bytes).map_err(|error| no_standard_input(&error))?;
                }
                file.origin = Origin::Memory(bytes);
            }
        }
        Ok(())
    }
}

/// The error if `--group` names no group.
pub(crate) fn no_group(group: &str) -> String {
    format!("no group is called `{group}`; `otus map --explain` lists them")
}

impl LogPath {
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(_, path) => Some(path),
            Origin::Memory(_) | Origin::Stream(_) => None,
        }
    }

    fn open(&self) -> LogFile<'_> {
        let open = || -> io::Result<Box<dyn Read + '_>> {
            Ok(match &self.origin {
                Origin::File(files, path) => files.open(path)?,
                Origin::Memory(bytes) => Box::new(&**bytes),
                Origin::Stream(stream) => {
                    let stream = stream.lock().unwrap_or_else(PoisonError::into_inner).take();
                    stream.ok_or_else(|| io::Error::other("it was read already"))?
                }
            })
        };
        LogFile { name: self.name.clone(), source: self.source, open: Box::new(open) }
    }
}

/// Separates logs from other files.
#[derive(Debug, Default)]
pub(crate) struct Finder {
    context: Context,
    /// The `otus.toml` that the request names.
    config: Option<PathBuf>,
    project: Option<Settings>,
    /// The sources that were added for formats without a mapping.
    built_in: Vec<(LogFormat, usize)>,
    logs: Logs,
    /// The number of files in folders that were skipped because they are not logs.
    pub(crate) passed_over: usize,
    uses_project: bool,
    names: FxHashSet<String>,
    /// The folders from which `otus.toml` was searched.
    looked: FxHashSet<PathBuf>,
}

/// The bytes that were read from a stream, and the rest of it.
pub(crate) type Unread = (Vec<u8>, Box<dyn Read + Send>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// A log, which the finder has taken.
    Log,
    /// Another file, and the format that its ending or its content gives.
    Other(Option<Format>),
    /// A log without a mapping.
    Unmapped,
}

impl Finder {
    /// Opens the `otus.toml` that the request names, if it names one.
    pub(crate) fn new(context: &Context, config: Option<&Path>) -> Result<Finder> {
        let mut finder = Finder { context: context.clone(), ..Finder::default() };
        if let Some(path) = config {
            finder.config = Some(path.to_owned());
            finder.open(path)?;
            finder.uses_project = true;
        }
        Ok(finder)
    }

    /// The `otus.toml` of the request, if one was found so far.
    pub(crate) fn project(&self) -> Option<&Settings> {
        self.project.as_ref()
    }

    /// The `otus.toml` of the request, if it is in use: the request names it, a log belongs to one of its sources,
    /// or another part of it was used.
    pub(crate) fn project_in_use(&self) -> Option<&Settings> {
        self.project.as_ref().filter(|_| self.uses_project)
    }

    /// Searches `otus.toml` from the working folder upwards, and uses it.
    pub(crate) fn project_here(&mut self) -> Result<Option<&Settings>> {
        self.project_of(Path::new("."))?;
        Ok(self.project.as_ref())
    }

    /// Searches `otus.toml` above a path, and uses it.
    pub(crate) fn project_of(&mut self, path: &Path) -> Result<()> {
        self.look(path)?;
        self.uses_project |= self.project.is_some();
        Ok(())
    }

    pub(crate) fn take(&mut self) -> Option<Logs> {
        let logs = std::mem::take(&mut self.logs);
        (!logs.files.is_empty()).then_some(logs)
    }

    pub(crate) fn count(&self) -> usize {
        self.logs.files.len()
    }

    /// Inspects a file, and takes it if it is a log.
    pub(crate) fn file(&mut self, path: &Path, from: Option<Format>) -> Result<Told> {
        let ending = Format::of_name(path);
        if ending.is_some_and(Format::is_specification) {
            return Ok(Told::Other(ending));
        }
        // The name may have a heading, as in `file.md#heading`, or a typing error.
        if self.kind(path) != Some(FileKind::File) {
            return Ok(Told::Other(ending.or(from)));
        }
        // Whatever the sources of otus.toml are, this is no text.
        if ending == Some(Format::Parquet) {
            return Ok(Told::Other(ending));
        }
        self.look(path)?;
        let name = named(path);
        if let Some(source) = self.source_of(path) {
            self.uses_project = true;
            self.push(name, source, self.origin(path));
            return Ok(Told::Log);
        }
        if from.is_some() || matches!(ending, Some(Format::Htf | Format::Pot)) {
            return Ok(Told::Other(ending.or(from)));
        }
        let head = beginning(&*self.context.files, path);
        if let Some(format) = format::describes_itself(&head) {
            let source = self.built_in(format)?;
            self.push(name, source, self.origin(path));
            return Ok(Told::Log);
        }
        if ending.is_some() {
            return Ok(Told::Other(ending));
        }
        let text = read::lossy(&head);
        Ok(match format::of_text(Some(path), &text) {
            Some(format) => Told::Other(Some(format)),
            None => Told::Unmapped,
        })
    }

    /// Takes a folder, a file, or standard input.
    pub(crate) fn add(&mut self, name: &str) -> Result<()> {
        if name == "-" {
            if self.standard_input_head()?.is_some() {
                unfit!(
                    "standard input does not say itself what happened, and there is no otus.toml \
                     with one source that says how to read it"
                );
            }
            return Ok(());
        }
        let path = Path::new(name);
        if self.kind(path) == Some(FileKind::Folder) {
            for file in self.folder(path)? {
                match Format::of_name(&file) {
                    Some(Format::Htf) => self.named_file(&file)?,
                    _ => self.passed_over += 1,
                }
            }
            return Ok(());
        }
        self.named_file(path)
    }

    /// Takes the named logs, or else those of the nearest `otus.toml`.
    pub(crate) fn gather<'n>(
        &mut self,
        names: impl IntoIterator<Item = &'n String>,
    ) -> Result<Logs> {
        let mut names = names.into_iter().peekable();
        if names.peek().is_none() {
            self.project_here()?;
            self.whole_project()?;
        }
        for name in names {
            self.add(name)?;
        }
        self.take().ok_or_else(|| Error::Unfit(self.no_logs()))
    }

    /// Takes a file that the request names, whether or not a pattern of `otus.toml` matches it.
    pub(crate) fn named_file(&mut self, path: &Path) -> Result<()> {
        match self.file(path, None)? {
            Told::Log => return Ok(()),
            Told::Unmapped => {}
            Told::Other(format) => {
                let files = &*self.context.files;
                files.open(path).map_err(|error| files::missing(files, path, &error))?;
                // A multi-trace can be read as a log, too.
                if format == Some(Format::Htf) {
                    let source = self.built_in(LogFormat::Htf)?;
                    self.push(named(path), source, self.origin(path));
                    return Ok(());
                }
            }
        }
        unfit!("{}", self.unmapped(path))
    }

    /// Takes all logs of a folder; the others are returned.
    pub(crate) fn folder(&mut self, folder: &Path) -> Result<Vec<PathBuf>> {
        self.look(folder)?;
        let mut others = Vec::new();
        for path in files::walk(&*self.context.files, folder)? {
            match self.file(&path, None)? {
                Told::Log => {}
                Told::Other(Some(_)) => others.push(path),
                Told::Other(None) | Told::Unmapped => self.passed_over += 1,
            }
        }
        Ok(others)
    }

    /// Takes all files that match the sources of `otus.toml`.
    pub(crate) fn whole_project(&mut self) -> Result<()> {
        let Some(project) = &self.project else { return Ok(()) };
        self.uses_project = true;
        let mut paths = Vec::new();
        for source in &project.plan.sources {
            for glob in &source.files {
                let start = project.folder_of(glob.text());
                if self.kind(&start) == Some(FileKind::Folder) {
                    paths.extend(files::walk(&*self.context.files, &start)?);
                }
            }
        }
        paths.sort();
        paths.dedup();
        for path in paths {
            if !Format::of_name(&path).is_some_and(Format::is_specification)
                && let Some(source) = self.source_of(&path)
            {
                let name = files::shown(&*self.context.files, &path);
                let origin = self.origin(&path);
                self.push(name, source, origin);
            }
        }
        Ok(())
    }

    /// Takes standard input if it is a log; otherwise returns the bytes that were read.
    pub(crate) fn standard_input_head(&mut self) -> Result<Option<Vec<u8>>> {
        let stream =
            self.context.files.standard_input().map_err(|error| no_standard_input(&error))?;
        Ok(self.standard_input(Vec::new(), stream)?.map(|(head, _)| head))
    }

    /// Takes standard input if it is a log; otherwise returns the part that was read. `head` is its beginning, if the
    /// caller has read it.
    pub(crate) fn standard_input(
        &mut self,
        mut head: Vec<u8>,
        mut rest: Box<dyn Read + Send>,
    ) -> Result<Option<Unread>> {
        if head.is_empty() {
            let beginning = rest.by_ref().take(BEGINNING as u64).read_to_end(&mut head);
            beginning.map_err(|error| no_standard_input(&error))?;
        }
        let unpacked = unpacked(Box::new(Cursor::new(head.clone())));
        let source = match format::describes_itself(&unpacked) {
            Some(format) => self.built_in(format)?,
            None => {
                // Standard input belongs to the only source of `otus.toml`, unless it is a
                // specification or a trace.
                self.look(Path::new("."))?;
                let text = String::from_utf8_lossy(&unpacked);
                let only = self.project.as_ref().is_some_and(|it| it.plan.sources.len() == 1);
                if !only || format::of_text(None, &text).is_some_and(|it| it != Format::Hif) {
                    return Ok(Some((head, rest)));
                }
                self.uses_project = true;
                0
            }
        };
        let stream: Box<dyn Read + Send> = Box::new(Cursor::new(head).chain(rest));
        self.push("<stdin>".to_owned(), source, Origin::Stream(Mutex::new(Some(stream))));
        Ok(None)
    }

    /// The reason why a log cannot be read, and the advice.
    pub(crate) fn unmapped(&self, path: &Path) -> String {
        let mut name = named(path);
        let head = beginning(&*self.context.files, path);
        if let Some(reason) = without_spans::reason(&head) {
            return format!("{name} {reason}");
        }
        let keys = read::json_keys(&head);
        if !keys.is_empty() {
            name = format!("{name}, JSON with the keys `{}`,", keys.join("`, `"));
        }
        match &self.project {
            Some(project) => {
                let globs = match globs(project).as_slice() {
                    [] => "it has none".to_owned(),
                    some => format!("they have {}", some.join(", ")),
                };
                format!(
                    "{name} is in no source of {}; add it to the `files` of one ({globs})",
                    project.name
                )
            }
            None => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let folder = folder.map(|folder| format!(" {}", folder.display()));
                format!(
                    "{name} may be a log, but there is no {} that says how to read it; \
                     `otus init{}` proposes one",
                    project::FILE,
                    folder.unwrap_or_default()
                )
            }
        }
    }

    pub(crate) fn no_logs(&self) -> String {
        let files = counted(self.passed_over, "file");
        match &self.project {
            Some(project) if project.plan.sources.is_empty() => {
                format!("{} has no [[source]] that says where logs are; add one", project.name)
            }
            Some(project) => format!(
                "no file fits the sources of {}, which have {} (relative to its folder)",
                project.name,
                globs(project).join(", ")
            ),
            None if self.passed_over > 0 => format!(
                "there is no otus.toml that says how to read logs, and {files} did not tell \
                 themselves; `otus init` proposes one"
            ),
            None => "there is no log and no otus.toml here or above; name the logs, or let `otus \
                     init FOLDER` propose an otus.toml"
                .to_owned(),
        }
    }

    /// Searches the `otus.toml` of a path. A request uses at most one.
    fn look(&mut self, path: &Path) -> Result<()> {
        let is_folder = self.kind(path) == Some(FileKind::Folder);
        let folder = if is_folder { Some(path) } else { path.parent() };
        let known = folder.is_some_and(|folder| !self.looked.insert(folder.to_owned()));
        if self.config.is_some() || known {
            return Ok(());
        }
        let Some(found) = project::find(&*self.context.files, path) else { return Ok(()) };
        match &self.project {
            None => self.open(&found),
            Some(project) if found.parent() == Some(&*project.folder) => Ok(()),
            Some(project) => unfit!(
                "{} belongs to {}, and other files to {}; check them one after the other, or say \
                 --config FILE",
                named(path),
                files::shown(&*self.context.files, &found),
                project.name
            ),
        }
    }

    fn open(&mut self, path: &Path) -> Result<()> {
        let project = Settings::read(&self.context, path)?;
        // Sources that were added before keep their numbers.
        let mut plan = project.plan.clone();
        for (_, number) in &mut self.built_in {
            plan.sources.push(self.logs.plan.sources[*number].clone());
            let moved = plan.sources.len() - 1;
            for file in self.logs.files.iter_mut().filter(|file| file.source == *number) {
                file.source = moved;
            }
            *number = moved;
        }
        self.logs.plan = plan;
        self.project = Some(project);
        Ok(())
    }

    /// The source of `otus.toml` that a file belongs to. A file from another folder belongs to the source that
    /// matches its name, or if `otus.toml` was named, to the only one, or to the only one of the format that the file
    /// shows.
    fn source_of(&self, path: &Path) -> Option<usize> {
        let project = self.project.as_ref()?;
        if path.file_name().is_some_and(|name| name == project::FILE) {
            return None;
        }
        if let Some(inside) = project.relative(&*self.context.files, path)
            && let Some(source) = project.plan.source_of(&inside)
        {
            return Some(source);
        }
        self.config.as_ref()?;
        let name = path.file_name()?.to_string_lossy();
        let by_name = project.plan.source_of(&path.to_string_lossy());
        let by_name = by_name.or_else(|| project.plan.source_of(&name));
        // A multi-trace is not a log, unless a pattern names it.
        by_name.or_else(|| match project.plan.sources.as_slice() {
            [_] => (!is_trace(&*self.context.files, path)).then_some(0),
            sources => {
                let format = format::describes_itself(&beginning(&*self.context.files, path))?;
                let of_format = |index: &usize| sources[*index].format == format;
                let mut found = (0..sources.len()).filter(of_format);
                found.next().filter(|_| found.next().is_none())
            }
        })
    }

    /// The source of a format that needs no mapping.
    fn built_in(&mut self, format: LogFormat) -> Result<usize> {
        if let Some((_, number)) = self.built_in.iter().find(|(known, _)| *known == format) {
            return Ok(*number);
        }
        let plan = Plan::for_format(format);
        let source = plan.and_then(|plan| plan.sources.into_iter().next());
        let needs = || Error::Unfit(format!("{} needs an otus.toml", format.name()));
        let source = source.ok_or_else(needs)?;
        let number = self.logs.plan.sources.len();
        self.logs.plan.sources.push(source);
        self.built_in.push((format, number));
        Ok(number)
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        self.context.files.kind(path)
    }

    fn origin(&self, path: &Path) -> Origin {
        Origin::File(self.context.files.clone(), path.to_owned())
    }

    fn push(&mut self, name: String, source: usize, origin: Origin) {
        // A file that is named twice, or both directly and by its folder, is read once.
        if self.names.insert(name.clone()) {
            self.logs.files.push(LogPath { name, source, origin });
        }
    }
}

/// The file patterns of the sources of `otus.toml`.
fn globs(project: &Settings) -> Vec<&str> {
    let globs = project.plan.sources.iter().flat_map(|source| &source.files);
    globs.map(Glob::text).collect()
}

/// A path without a leading `./`.
fn named(path: &Path) -> String {
    let text = path.to_string_lossy();
    text.strip_prefix("./").unwrap_or(&text).to_owned()
}

/// Whether a file holds multi-traces or a partial-order trace: by its ending, or by its content if logs can have that
/// ending.
fn is_trace(files: &dyn Files, path: &Path) -> bool {
    match Format::of_name(path) {
        Some(Format::Htf | Format::Pot) => true,
        Some(Format::Jsonl) => format::is_case_file(&beginning(files, path)),
        Some(_) | None => false,
    }
}

/// The number of bytes that detection reads.
pub(crate) const BEGINNING: usize = 64 << 10;

/// The first bytes of a file, unpacked; nothing if it cannot be read.
pub(crate) fn beginning(files: &dyn Files, path: &Path) -> Vec<u8> {
    files.open(path).map(unpacked).unwrap_or_default()
}

/// The first bytes of a stream, unpacked.
fn unpacked(stream: Box<dyn Read + Send>) -> Vec<u8> {
    let Ok((unpacked, _)) = read::unpack(stream) else { return Vec::new() };
    let mut bytes = Vec::new();
    // If the stream is truncated, unpacking fails at its end.
    let _ = unpacked.take(BEGINNING as u64).read_to_end(&mut bytes);
    bytes
}

fn no_standard_input(error: &io::Error) -> Error {
    Error::Unfit(format!("cannot read standard input: {error}"))
}
