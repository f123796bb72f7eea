//! Proposes an `otus.toml` for a folder of logs.
//!
//! Similar files become one source ([`cluster`]). Lines about sending and receiving become rules ([`phrase`]), and so
//! do lines of HTTP servers ([`access`]) and lines about state ([`state`]), which set variables for formulas. If no line
//! speaks of sending, the most frequent shapes of lines become internal actions. A log that several programs share has
//! their names as lifelines ([`speaker`]). The text
//! ([`draft`]) is written twice: the first draft is run on the logs, and the lines that it does not match become
//! comments in the second. So every proposal is valid, and it reports how many lines it covers.

mod access;
mod cluster;
mod draft;
mod pattern;
mod phrase;
mod speaker;
mod state;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use otus_syntax::Source;
use otus_trace::mapping::Plan;
use otus_trace::run::Accounting;

use crate::context::Context;
use crate::error::{Error, Result, unfit};
use crate::files::{self, FileKind, Files};
use crate::load::Loaded;
use crate::logs::Logs;
use crate::project::{FILE, OWN_KEYS};
use crate::units::counted;
use cluster::Clusters;
use draft::Draft;

/// A request to propose an `otus.toml` for a folder.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InitRequest {
    /// The folder with the logs.
    pub folder: PathBuf,
    /// The files of the specification of the logs, if there is one.
    pub spec: Vec<String>,
}

impl InitRequest {
    /// A request without a specification.
    pub fn new(folder: impl Into<PathBuf>) -> InitRequest {
        InitRequest { folder: folder.into(), spec: Vec::new() }
    }
}

/// A proposed `otus.toml`, and its coverage of the logs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Proposal {
    /// The text of the file.
    pub text: String,
    /// The number of its sources.
    pub sources: usize,
    /// The number of logs.
    pub logs: usize,
    /// The number of their lines.
    pub lines: u64,
    /// The number of lines that a rule matches.
    pub matched: u64,
    /// The number of events that these lines become.
    pub events: u64,
    folder: PathBuf,
}

/// Proposes an `otus.toml`.
///
/// # Errors
/// If the folder has no logs, or the specification has mistakes.
pub fn propose(context: &Context, request: &InitRequest) -> Result<Proposal> {
    let InitRequest { folder, spec } = request;
    let files = &*context.files;
    let name = folder.display();
    match files.kind(folder) {
        Some(FileKind::Folder) => {}
        Some(FileKind::File) => unfit!("{name} is a file; `otus init` takes the folder it is in"),
        None => unfit!("there is no folder {name}"),
    }
    let signature = match spec.as_slice() {
        [] => None,
        names => Some(Loaded::signature(context, names)?.0),
    };
    let clusters = Clusters::find(files, folder)?;
    if clusters.sources.is_empty() {
        if let Some(reason) = &clusters.unfit {
            unfit!("{reason}");
        }
        unfit!(
            "{name} has no file that looks like a log (.log, .logfmt, .txt, .json, .jsonl, .csv, packed or not)"
        );
    }
    let spec = spec.iter().map(|name| relative(files, name, folder)).collect();
    let mut draft = Draft::new(&clusters, spec);
    let first = try_on(context, &draft.text(), &clusters)?;
    draft.refine(&first, signature.as_ref());
    let text = draft.text();
    let last = try_on(context, &text, &clusters)?;
    Ok(Proposal {
        text,
        sources: clusters.sources.len(),
        logs: last.files.len(),
        lines: last.total.records,
        matched: last.total.matched,
        events: last.files.iter().map(|file| file.events).sum(),
        folder: folder.clone(),
    })
}

impl Proposal {
    /// `proposed 1 source for 2 logs: 4 of 5 lines become 4 events; …`.
    pub fn summary(&self) -> String {
        let is_here = self.folder == Path::new(".");
        format!(
            "proposed {} for {}: {} of {} become {}; `otus map{} --explain` shows the rest",
            counted(self.sources, "source"),
            counted(self.logs, "log"),
            self.matched,
            counted(self.lines, "line"),
            counted(self.events, "event"),
            if is_here { String::new() } else { format!(" {}", self.folder.display()) },
        )
    }
}

/// Runs a proposal on its logs.
fn try_on(context: &Context, text: &str, clusters: &Clusters) -> Result<Accounting> {
    let (plan, found) = Plan::parse(&Source::new(FILE, text), &OWN_KEYS);
    let plan = plan.ok_or_else(|| {
        let fault = found.first().map(|found| &*found.message).unwrap_or_default();
        Error::Bug(format!("the proposal cannot be read ({fault}):\n{text}"))
    })?;
    let mut logs = Logs { plan, ..Logs::default() };
    for file in clusters.sources.iter().flat_map(|source| &source.files) {
        let source = logs.plan.source_of(&file.inside);
        let missing = || Error::Bug(format!("the proposal has no source for {}", file.inside));
        let name = files::shown(&*context.files, &file.path);
        logs.add(context.files.clone(), name, source.ok_or_else(missing)?, &file.path);
    }
    Ok(logs.run(&mut |_| ControlFlow::Continue(())))
}

fn relative(files: &dyn Files, name: &str, folder: &Path) -> String {
    let (path, heading) = match name.split_once('#') {
        Some((path, heading)) => (path, format!("#{heading}")),
        None => (name, String::new()),
    };
    let (path, folder) = (files.resolved(Path::new(path)), files.resolved(folder));
    for (parents, ancestor) in folder.ancestors().enumerate() {
        if let Ok(inside) = path.strip_prefix(ancestor) {
            let inside = inside.to_string_lossy().replace('\\', "/");
            return format!("{}{inside}{heading}", "../".repeat(parents));
        }
    }
    format!("{}{heading}", path.display())
}
