//! Raw logs: which of the named files are some, and how each is read.
//!
//! A file is a log if the `otus.toml` above it has a source for it, or if its content says itself
//! what happened (OTLP, Jaeger, Zipkin, ShiViz, our canonical lines). Sources of formats that need
//! no mapping are added to the plan, so that all logs of a call are one run: a group may have
//! events in several of them.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, bail};
use otus_trace::mapping::Plan;
use otus_trace::read::{self, Format as LogFormat};
use otus_trace::run::{Accounting, LogFile, Observed, map};
use rustc_hash::FxHashSet;

use crate::args::{Color, Format};
use crate::input;
use crate::project::{self, Project};

/// The logs of a call.
#[derive(Debug, Default)]
pub(crate) struct Logs {
    pub(crate) plan: Plan,
    pub(crate) files: Vec<LogPath>,
    /// The only group that is wanted.
    pub(crate) only: Option<String>,
}

/// A log, and how it is read.
#[derive(Debug)]
pub(crate) struct LogPath {
    /// As the user would name it.
    pub(crate) name: String,
    /// The number of its source in the plan.
    pub(crate) source: usize,
    origin: Origin,
}

/// Where the bytes of a log are.
enum Origin {
    File(PathBuf),
    Memory(Vec<u8>),
    /// Standard input, which can be read once.
    Stream(Mutex<Option<Box<dyn Read + Send>>>),
}

impl std::fmt::Debug for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::File(path) => f.debug_tuple("File").field(path).finish(),
            Origin::Memory(bytes) => f.debug_tuple("Memory").field(&bytes.len()).finish(),
            Origin::Stream(_) => f.write_str("Stream"),
        }
    }
}

impl Logs {
    /// Reads all logs; each wanted group is given to `sink`.
    pub(crate) fn run(&self, sink: &mut dyn FnMut(&Observed<'_>) -> ControlFlow<()>) -> Accounting {
        let files = self.files.iter().map(LogPath::open).collect();
        map(&self.plan, files, &mut |observed: &Observed<'_>| {
            let wanted = self.only.as_deref().is_none_or(|only| only == name_of(observed));
            if wanted { sink(observed) } else { ControlFlow::Continue(()) }
        })
    }

    /// Adds a file.
    pub(crate) fn add(&mut self, name: String, source: usize, path: &Path) {
        self.files.push(LogPath { name, source, origin: Origin::File(path.to_owned()) });
    }

    /// Keeps standard input, so that it can be read twice.
    pub(crate) fn keep(&mut self) -> anyhow::Result<()> {
        for file in &mut self.files {
            if let Origin::Stream(stream) = &file.origin {
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner).take();
                let mut bytes = Vec::new();
                if let Some(mut stream) = stream {
                    stream.read_to_end(&mut bytes).context("cannot read standard input")?;
                }
                file.origin = Origin::Memory(bytes);
            }
        }
        Ok(())
    }

    /// How many wanted groups there are.
    pub(crate) fn count(&mut self) -> anyhow::Result<usize> {
        self.keep()?;
        let mut count = 0;
        self.run(&mut |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        Ok(count)
    }
}

/// What a group is called.
pub(crate) fn name_of(observed: &Observed<'_>) -> String {
    let key = observed.key();
    if key.is_empty() { UNGROUPED.to_owned() } else { key.into_owned() }
}

/// What to say if `--group` names none.
pub(crate) fn no_group(group: &str) -> String {
    format!("no group is called `{group}`; `otus map --explain` lists them")
}

/// What the group of events without a key is called.
pub(crate) const UNGROUPED: &str = "all";

impl LogPath {
    /// Where it can be read again.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(path) => Some(path),
            Origin::Memory(_) | Origin::Stream(_) => None,
        }
    }

    fn open(&self) -> LogFile<'_> {
        let open = || -> io::Result<Box<dyn Read + '_>> {
            Ok(match &self.origin {
                Origin::File(path) => Box::new(File::open(path)?),
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

/// Tells logs from other files.
#[derive(Debug)]
pub(crate) struct Finder {
    color: Color,
    /// What --config names.
    config: Option<PathBuf>,
    project: Option<Project>,
    /// The sources that were added for formats without a mapping.
    built_in: Vec<(LogFormat, usize)>,
    logs: Logs,
    /// Files of folders that are no logs.
    pub(crate) passed_over: usize,
    /// Whether a file is in a source of `otus.toml`.
    uses_project: bool,
    /// The names of the logs.
    names: FxHashSet<String>,
    /// Folders from which `otus.toml` was looked for.
    looked: FxHashSet<PathBuf>,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// A log, which has been taken.
    Log,
    /// Something that its ending or its content tells.
    Other(Option<Format>),
    /// A log that nothing says how to read.
    Unmapped,
}

impl Finder {
    pub(crate) fn new(config: Option<&str>, color: Color) -> anyhow::Result<Finder> {
        let mut finder = Finder {
            color,
            config: config.map(PathBuf::from),
            project: None,
            built_in: Vec::new(),
            logs: Logs::default(),
            passed_over: 0,
            uses_project: false,
            names: FxHashSet::default(),
            looked: FxHashSet::default(),
        };
        if let Some(path) = finder.config.clone() {
            finder.open(&path)?;
            finder.uses_project = true;
        }
        Ok(finder)
    }

    /// The `otus.toml` of the call, if there is one so far.
    pub(crate) fn project(&self) -> Option<&Project> {
        self.project.as_ref()
    }

    /// The `otus.toml` that counts: only if it was named, if a log is in a source of it, or if
    /// something else of it was used.
    pub(crate) fn project_in_use(&self) -> Option<&Project> {
        self.project.as_ref().filter(|_| self.uses_project)
    }

    /// Looks for `otus.toml` from the working folder upwards, and uses it.
    pub(crate) fn project_here(&mut self) -> anyhow::Result<Option<&Project>> {
        self.look(Path::new("."))?;
        self.uses_project |= self.project.is_some();
        Ok(self.project.as_ref())
    }

    /// Looks for `otus.toml` above a path, and uses it.
    pub(crate) fn project_of(&mut self, path: &Path) -> anyhow::Result<()> {
        self.look(path)?;
        self.uses_project |= self.project.is_some();
        Ok(())
    }

    /// The logs that were taken.
    pub(crate) fn take(&mut self) -> Option<Logs> {
        let logs = std::mem::take(&mut self.logs);
        (!logs.files.is_empty()).then_some(logs)
    }

    /// How many logs were taken.
    pub(crate) fn count(&self) -> usize {
        self.logs.files.len()
    }

    /// Looks at a file, and takes it if it is a log.
    pub(crate) fn file(&mut self, path: &Path, from: Option<Format>) -> anyhow::Result<Told> {
        let ending = input::format_of_ending(path);
        if ending.is_some_and(is_spec) {
            return Ok(Told::Other(ending));
        }
        // Such as a heading of a document, or a mistake.
        if !path.is_file() {
            return Ok(Told::Other(ending.or(from)));
        }
        self.look(path)?;
        let name = named(path);
        if let Some(source) = self.source_of(path) {
            self.uses_project = true;
            self.push(name, source, Origin::File(path.to_owned()));
            return Ok(Told::Log);
        }
        if from.is_some() || matches!(ending, Some(Format::Htf | Format::Pot)) {
            return Ok(Told::Other(ending.or(from)));
        }
        let head = beginning(path);
        if let Some(format) = describes_itself(&head) {
            let source = self.built_in(format)?;
            self.push(name, source, Origin::File(path.to_owned()));
            return Ok(Told::Log);
        }
        if ending.is_some() {
            return Ok(Told::Other(ending));
        }
        let text = String::from_utf8_lossy(&head);
        Ok(match input::format_of_content(&text) {
            // Almost any text looks a little like an interaction.
            Some(Format::Hif) if looks_like_log(path) && !is_interaction(&text) => Told::Unmapped,
            Some(format) => Told::Other(Some(format)),
            None => Told::Unmapped,
        })
    }

    /// Takes what a name stands for: a folder, a file, or standard input.
    pub(crate) fn add(&mut self, name: &str) -> anyhow::Result<()> {
        if name == "-" {
            if self.standard_input(Vec::new(), Box::new(io::stdin()))?.is_err() {
                bail!(
                    "standard input does not say itself what happened, and there is no otus.toml \
                     with one source that says how to read it"
                );
            }
            return Ok(());
        }
        let path = Path::new(name);
        if path.is_dir() {
            for file in self.folder(path)? {
                match input::format_of_ending(&file) {
                    Some(Format::Htf) => self.named_file(&file)?,
                    _ => self.passed_over += 1,
                }
            }
            return Ok(());
        }
        self.named_file(path)
    }

    /// Takes a file that somebody named, whether or not a pattern of `otus.toml` has it.
    pub(crate) fn named_file(&mut self, path: &Path) -> anyhow::Result<()> {
        match self.file(path, None)? {
            Told::Log => Ok(()),
            Told::Unmapped => bail!(self.unmapped(path)),
            Told::Other(format) => {
                let name = named(path);
                File::open(path).map_err(|error| input::explain_missing(&name, &error))?;
                match format {
                    // A multi-trace is a log, too; it says what happened.
                    Some(Format::Htf) => {
                        let source = self.built_in(LogFormat::Htf)?;
                        self.push(name, source, Origin::File(path.to_owned()));
                        Ok(())
                    }
                    _ => bail!(self.unmapped(path)),
                }
            }
        }
    }

    /// Takes all logs of a folder; the others are returned.
    pub(crate) fn folder(&mut self, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
        self.look(folder)?;
        let mut others = Vec::new();
        for path in walk(folder)? {
            match self.file(&path, None)? {
                Told::Log => {}
                Told::Other(Some(_)) => others.push(path),
                Told::Other(None) | Told::Unmapped => self.passed_over += 1,
            }
        }
        Ok(others)
    }

    /// Takes all files that the sources of `otus.toml` name.
    pub(crate) fn whole_project(&mut self) -> anyhow::Result<()> {
        let Some(project) = &self.project else { return Ok(()) };
        self.uses_project = true;
        let mut paths = Vec::new();
        for source in &project.plan.sources {
            for glob in &source.files {
                // The folders before the first wildcard.
                let pattern = glob.text();
                let plain = pattern.split(['*', '?', '{']).next().unwrap_or_default();
                let start = project.folder.join(match plain.rfind('/') {
                    Some(end) => &plain[..end],
                    None => "",
                });
                if start.is_dir() {
                    paths.extend(walk(&start)?);
                }
            }
        }
        paths.sort();
        paths.dedup();
        for path in paths {
            if !input::format_of_ending(&path).is_some_and(is_spec)
                && let Some(source) = self.source_of(&path)
            {
                self.push(project::shown(&path), source, Origin::File(path));
            }
        }
        Ok(())
    }

    /// Takes standard input if it is a log; what has been read of it is returned if it is none.
    /// `head` is its beginning, if somebody has read that already.
    pub(crate) fn standard_input(
        &mut self,
        mut head: Vec<u8>,
        mut rest: Box<dyn Read + Send>,
    ) -> anyhow::Result<Result<(), Vec<u8>>> {
        if head.is_empty() {
            let beginning = rest.by_ref().take(BEGINNING as u64).read_to_end(&mut head);
            beginning.context("cannot read standard input")?;
        }
        let unpacked = unpacked(&head);
        let source = match describes_itself(&unpacked) {
            Some(format) => self.built_in(format)?,
            None => {
                // Whatever comes belongs to the only source there is, unless it is one of our texts.
                self.look(Path::new("."))?;
                let text = String::from_utf8_lossy(&unpacked);
                let only = self.project.as_ref().is_some_and(|it| it.plan.sources.len() == 1);
                if !only || input::format_of_content(&text).is_some_and(|it| it != Format::Hif) {
                    return Ok(Err(head));
                }
                self.uses_project = true;
                0
            }
        };
        let stream: Box<dyn Read + Send> = Box::new(Cursor::new(head).chain(rest));
        self.push("<stdin>".to_owned(), source, Origin::Stream(Mutex::new(Some(stream))));
        Ok(Ok(()))
    }

    /// Why a log cannot be read, and what to do.
    pub(crate) fn unmapped(&self, path: &Path) -> String {
        let name = named(path);
        match &self.project {
            Some(project) => {
                let globs = project.plan.sources.iter().flat_map(|source| &source.files);
                let globs: Vec<&str> = globs.map(otus_trace::mapping::Glob::text).collect();
                let globs = match globs.as_slice() {
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

    /// Looks for the `otus.toml` of a path. There is one for all logs of a call.
    fn look(&mut self, path: &Path) -> anyhow::Result<()> {
        let folder = if path.is_dir() { Some(path) } else { path.parent() };
        let known = folder.is_some_and(|folder| !self.looked.insert(folder.to_owned()));
        if self.config.is_some() || known {
            return Ok(());
        }
        let Some(found) = project::find(path) else { return Ok(()) };
        match &self.project {
            None => self.open(&found),
            Some(project) if found.parent() == Some(&*project.folder) => Ok(()),
            Some(project) => bail!(
                "{} belongs to {}, and other files to {}; check them one after the other, or say \
                 --config FILE",
                named(path),
                project::shown(&found),
                project.name
            ),
        }
    }

    fn open(&mut self, path: &Path) -> anyhow::Result<()> {
        let project = Project::read(path, self.color)?;
        // Sources that were added before have their numbers.
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

    /// The source of `otus.toml` that a file belongs to. A file from elsewhere belongs to the one
    /// that its name fits, or to the only one if `otus.toml` was named.
    fn source_of(&self, path: &Path) -> Option<usize> {
        let project = self.project.as_ref()?;
        if path.file_name().is_some_and(|name| name == project::FILE) {
            return None;
        }
        if let Some(inside) = project.relative(path)
            && let Some(source) = project.plan.source_of(&inside)
        {
            return Some(source);
        }
        self.config.as_ref()?;
        let name = path.file_name()?.to_string_lossy();
        let by_name = project.plan.source_of(&path.to_string_lossy());
        let by_name = by_name.or_else(|| project.plan.source_of(&name));
        // What says itself that it is a trace is one, unless a pattern says otherwise.
        by_name.or_else(|| (project.plan.sources.len() == 1 && !is_trace(path)).then_some(0))
    }

    /// The source of a format that needs no mapping.
    fn built_in(&mut self, format: LogFormat) -> anyhow::Result<usize> {
        if let Some((_, number)) = self.built_in.iter().find(|(known, _)| *known == format) {
            return Ok(*number);
        }
        let plan = Plan::for_format(format);
        let source = plan.and_then(|plan| plan.sources.into_iter().next());
        let source = source.with_context(|| format!("{} needs an otus.toml", format.name()))?;
        let number = self.logs.plan.sources.len();
        self.logs.plan.sources.push(source);
        self.built_in.push((format, number));
        Ok(number)
    }

    fn push(&mut self, name: String, source: usize, origin: Origin) {
        // Who names a folder and a file in it means the file once.
        if self.names.insert(name.clone()) {
            self.logs.files.push(LogPath { name, source, origin });
        }
    }
}

/// A path as it was named, without a `./` in front.
fn named(path: &Path) -> String {
    let text = path.to_string_lossy();
    text.strip_prefix("./").unwrap_or(&text).to_owned()
}

/// Whether a format is never that of a log.
pub(crate) fn is_spec(format: Format) -> bool {
    match format {
        Format::Hsf
        | Format::Hif
        | Format::Hcf
        | Format::Mermaid
        | Format::Plantuml
        | Format::Markdown
        | Format::Ctl => true,
        Format::Htf | Format::Jsonl | Format::Pot => false,
    }
}

/// Whether a file is a trace of ours, by its ending, or by its content if raw logs may have that
/// ending, too.
fn is_trace(path: &Path) -> bool {
    match input::format_of_ending(path) {
        Some(Format::Htf | Format::Pot) => true,
        Some(Format::Jsonl) => {
            let head = beginning(path);
            let text = String::from_utf8_lossy(&head);
            // The last line may have been cut; a line of the beginning is enough.
            let first = text.lines().map(str::trim).find(|line| !line.is_empty());
            first.is_some_and(|line| {
                let value: Result<serde_json::Value, _> = serde_json::from_str(line);
                value.is_ok_and(|value| value.get("htf").is_some_and(serde_json::Value::is_string))
            })
        }
        Some(
            Format::Hsf
            | Format::Hif
            | Format::Hcf
            | Format::Mermaid
            | Format::Plantuml
            | Format::Markdown
            | Format::Ctl,
        )
        | None => false,
    }
}

/// Whether a name is one that logs have.
fn looks_like_log(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ["log", "txt", "out", "err", "csv", "json", "gz", "zst", "zstd"]
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known))
}

/// Whether a text is an interaction without a fault.
fn is_interaction(text: &str) -> bool {
    let parsed = otus_syntax::parse_spec(&otus_syntax::Source::new("text", text));
    !text.trim().is_empty() && !otus_syntax::diagnostic::any_error(&parsed.diagnostics)
}

/// The format of a text that says itself what happened.
pub(crate) fn describes_itself(head: &[u8]) -> Option<LogFormat> {
    match read::detect(None, head) {
        Some(
            format @ (LogFormat::Otlp
            | LogFormat::Jaeger
            | LogFormat::Zipkin
            | LogFormat::Shiviz
            | LogFormat::Canonical),
        ) => Some(format),
        Some(LogFormat::Text | LogFormat::Json | LogFormat::Csv | LogFormat::Htf) => None,
        None => is_shiviz(head).then_some(LogFormat::Shiviz),
    }
}

/// Whether one of the first lines is a host and its vector clock, as `host {"host": 1}`.
fn is_shiviz(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let has_clock = |line: &str| {
        let Some((host, rest)) = line.trim().split_once(" {") else { return false };
        let Some((clock, _)) = rest.split_once('}') else { return false };
        let is_count = |entry: &str| {
            entry.rsplit_once(':').is_some_and(|(host, count)| {
                host.trim().starts_with('"') && count.trim().parse::<u64>().is_ok()
            })
        };
        !host.is_empty() && !host.contains(char::is_whitespace) && clock.split(',').all(is_count)
    };
    text.lines().filter(|line| !line.trim().is_empty()).take(4).any(has_clock)
}

/// How much of a text is looked at to see what it is.
const BEGINNING: usize = 64 << 10;

/// The first bytes of a file, unpacked; nothing if it cannot be read.
pub(crate) fn beginning(path: &Path) -> Vec<u8> {
    let Ok(file) = File::open(path) else { return Vec::new() };
    let Ok((unpacked, _)) = read::unpack(Box::new(file)) else { return Vec::new() };
    let mut bytes = Vec::new();
    let _ = unpacked.take(BEGINNING as u64).read_to_end(&mut bytes);
    bytes
}

/// What the first bytes of a stream are when they are unpacked.
fn unpacked(head: &[u8]) -> Vec<u8> {
    let head = head.to_vec();
    let Ok((unpacked, _)) = read::unpack(Box::new(Cursor::new(head))) else { return Vec::new() };
    let mut bytes = Vec::new();
    // The end is missing, which is no fault here.
    let _ = unpacked.take(BEGINNING as u64).read_to_end(&mut bytes);
    bytes
}

/// All files of a folder and the folders in it, sorted. Hidden ones are left out. Links to files are
/// followed, since logs are often behind some; links to folders are not, since they may lead back.
pub(crate) fn walk(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("cannot read the folder {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() || (kind.is_symlink() && path.is_file()) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(head: &str, expected: Option<LogFormat>) {
        assert_eq!(describes_itself(head.as_bytes()), expected, "{head}");
    }

    #[test]
    fn some_logs_say_themselves_what_happened() {
        check("a {\"a\": 1, \"b\":2}\nsends\n", Some(LogFormat::Shiviz));
        check("sends\na {\"a\":1}\n", Some(LogFormat::Shiviz));
        check("a {\"a\":1} sends\n", Some(LogFormat::Shiviz));
        check("{\"resourceSpans\":[]}", Some(LogFormat::Otlp));
        check("{\"otus\":\"trace\",\"version\":1}", Some(LogFormat::Canonical));
        check("{\"id\": \"x\", \"htf\": \"[a] a!m\"}", None);
        check("{\"level\":\"info\"}", None);
        check("started {config: 1}\n", None);
        check("[a] a!m", None);
        check("", None);
    }
}
