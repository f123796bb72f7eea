//! Writing multi-traces: to a case file, or to a folder with a file each.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use otus::Format;
use otus_syntax::ast::TraceFile;
use otus_syntax::print;
use otus_trace::case::{self, Case};

use crate::output::{self, Draft};

/// Where results go.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    Stdout,
    File(PathBuf),
    /// A folder, for a file per multi-trace.
    Folder(PathBuf),
}

impl Place {
    /// What a name stands for; none, like `-`, is standard output.
    pub(crate) fn named(name: Option<&str>) -> Place {
        match name {
            None | Some("-") => Place::Stdout,
            Some(name) if name.ends_with('/') || Path::new(name).is_dir() => {
                Place::Folder(PathBuf::from(name))
            }
            Some(name) => Place::File(PathBuf::from(name)),
        }
    }
}

/// Writes a file that is not there yet.
pub(crate) fn write_new(path: &Path, text: &str, force: bool) -> anyhow::Result<()> {
    refuse_existing(path, force)?;
    output::write_file(path, text)
}

/// Makes a folder, unless it is there.
pub(crate) fn make_folder(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))
}

/// A file name for a case: letters, digits, `-`, `_` and `.` of its id, made unique.
pub(crate) fn file_name(id: &str, taken: &mut BTreeSet<String>) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let mut name: String = id.chars().map(safe).take(100).collect();
    if name.trim_matches('.').is_empty() {
        "case".clone_into(&mut name);
    }
    let mut unique = name.clone();
    let mut number = 2;
    while !taken.insert(unique.to_lowercase()) {
        unique = format!("{name}-{number}");
        number += 1;
    }
    unique
}

/// Takes cases one by one, so that any number of them can be written.
#[derive(Debug)]
pub(crate) struct Sink {
    target: Target,
    force: bool,
    /// The multi-traces written so far, if none is to be written twice.
    seen: Option<BTreeSet<String>>,
    pub(crate) written: u64,
    /// How many were not written because they had been already.
    pub(crate) repeated: u64,
}

#[derive(Debug)]
enum Target {
    Stdout(std::io::BufWriter<std::io::StdoutLock<'static>>),
    File(Draft),
    Folder { folder: PathBuf, taken: BTreeSet<String> },
}

impl Sink {
    /// With `unique`, a multi-trace is written once.
    pub(crate) fn open(place: Place, force: bool, unique: bool) -> anyhow::Result<Sink> {
        let target = match place {
            Place::Stdout => Target::Stdout(std::io::BufWriter::new(std::io::stdout().lock())),
            Place::File(path) => {
                if Format::of_name(&path) != Some(Format::Jsonl) {
                    bail!(
                        "cannot write many multi-traces to {0}; name a case file (`{1}`) or a \
                         folder (`{2}/`)",
                        path.display(),
                        path.with_extension("jsonl").display(),
                        path.with_extension("").display(),
                    );
                }
                refuse_existing(&path, force)?;
                Target::File(Draft::create(&path)?)
            }
            Place::Folder(folder) => {
                make_folder(&folder)?;
                Target::Folder { folder, taken: BTreeSet::new() }
            }
        };
        let seen = unique.then(BTreeSet::new);
        Ok(Sink { target, force, seen, written: 0, repeated: 0 })
    }

    /// Writes a multi-trace; the case has everything but its text.
    pub(crate) fn write(&mut self, mut case: Case, tree: &TraceFile) -> anyhow::Result<()> {
        case.htf = print::trace_line(tree);
        if let Some(seen) = &mut self.seen
            && !seen.insert(case.htf.clone())
        {
            self.repeated += 1;
            return Ok(());
        }
        self.written += 1;
        match &mut self.target {
            Target::Stdout(out) => writeln!(out, "{}", case::write(&case))?,
            Target::File(draft) => draft.write(&(case::write(&case) + "\n"))?,
            Target::Folder { folder, taken } => {
                let path = folder.join(format!("{}.htf", file_name(&case.id, taken)));
                write_new(&path, &print::trace(tree), self.force)?;
            }
        }
        Ok(())
    }

    /// Ends the output; returns where it went, unless that is standard output.
    pub(crate) fn finish(self) -> anyhow::Result<Option<PathBuf>> {
        match self.target {
            Target::Stdout(mut out) => {
                out.flush()?;
                Ok(None)
            }
            Target::File(draft) => draft.finish().map(Some),
            Target::Folder { folder, .. } => Ok(Some(folder)),
        }
    }
}

pub(crate) fn refuse_existing(path: &Path, force: bool) -> anyhow::Result<()> {
    if path.exists() && !force {
        bail!("{} exists; --force overwrites it", path.display());
    }
    Ok(())
}
