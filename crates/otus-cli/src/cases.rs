//! Writing multi-traces: to a case file, or to a folder with a file each.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use otus::Format;
use otus::derive::{Derived, Place};
use otus::units::counted;

use crate::exit::Exit;
use crate::output::{self, Draft};

/// The destination that a name stands for; no name, like `-`, is standard output.
pub(crate) fn place(name: Option<&str>) -> Place {
    match name {
        None | Some("-") => Place::Stdout,
        Some(name) if name.ends_with('/') || Path::new(name).is_dir() => {
            Place::Folder(PathBuf::from(name))
        }
        Some(name) => Place::File(PathBuf::from(name)),
    }
}

/// Writes files, or none if one of them exists already.
pub(crate) fn write_new(files: &[(PathBuf, String)], force: bool) -> anyhow::Result<()> {
    for (path, _) in files {
        refuse_existing(path, force)?;
    }
    files.iter().try_for_each(|(path, text)| output::write_file(path, text))
}

pub(crate) fn make_folder(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))
}

pub(crate) fn refuse_existing(path: &Path, force: bool) -> anyhow::Result<()> {
    if path.exists() && !force {
        bail!("{} exists; --force overwrites it", path.display());
    }
    Ok(())
}

/// Takes multi-traces one by one, so that any number of them can be written.
#[derive(Debug)]
pub(crate) struct Sink {
    place: Place,
    /// Opened by the first multi-trace, so that an error before it leaves no file.
    target: Option<Target>,
    force: bool,
    /// The multi-traces written so far, if each is to be written once.
    seen: Option<BTreeSet<String>>,
    pub(crate) written: u64,
    /// The number of multi-traces that were skipped because they had been written before.
    repeated: u64,
}

#[derive(Debug)]
enum Target {
    Stdout(std::io::BufWriter<std::io::Stdout>),
    File(Draft),
    Folder { folder: PathBuf, taken: BTreeSet<String> },
}

impl Sink {
    /// With `unique`, a multi-trace is written once.
    pub(crate) fn new(place: Place, force: bool, unique: bool) -> anyhow::Result<Sink> {
        if let Place::File(path) = &place {
            if Format::of_name(path) != Some(Format::Jsonl) {
                bail!(
                    "cannot write many multi-traces to {0}; name a case file (`{1}`) or a \
                     folder (`{2}/`)",
                    path.display(),
                    path.with_extension("jsonl").display(),
                    path.with_extension("").display(),
                );
            }
            refuse_existing(path, force)?;
        }
        let seen = unique.then(BTreeSet::new);
        Ok(Sink { place, target: None, force, seen, written: 0, repeated: 0 })
    }

    /// Writes a multi-trace that the core made.
    pub(crate) fn take(&mut self, made: &Derived) -> otus::Result<()> {
        self.write(made).map_err(|error| otus::Error::Unfit(format!("{error:#}")))
    }

    fn write(&mut self, made: &Derived) -> anyhow::Result<()> {
        let line = made.line();
        if self.seen.as_mut().is_some_and(|seen| !seen.insert(line.clone())) {
            self.repeated += 1;
            return Ok(());
        }
        self.written += 1;
        match self.target()? {
            Target::Stdout(out) => writeln!(out, "{}", made.case_line(line))?,
            Target::File(draft) => draft.write(&(made.case_line(line) + "\n"))?,
            Target::Folder { folder, taken } => {
                let name = otus::convert::file_name(&made.id, taken);
                let path = folder.join(format!("{name}.htf"));
                write_new(&[(path, made.text())], self.force)?;
            }
        }
        Ok(())
    }

    fn target(&mut self) -> anyhow::Result<&mut Target> {
        let target = match self.target.take() {
            Some(target) => target,
            None => match &self.place {
                Place::File(path) => Target::File(Draft::create(path)?),
                Place::Folder(folder) => {
                    make_folder(folder)?;
                    Target::Folder { folder: folder.clone(), taken: BTreeSet::new() }
                }
                Place::Stdout => Target::Stdout(std::io::BufWriter::new(std::io::stdout())),
            },
        };
        Ok(self.target.insert(target))
    }

    /// Ends the output, and returns its name, unless it is standard output.
    pub(crate) fn close(mut self) -> anyhow::Result<Option<PathBuf>> {
        self.target()?;
        match self.target.take() {
            Some(Target::Stdout(mut out)) => {
                out.flush()?;
                Ok(None)
            }
            Some(Target::File(draft)) => draft.finish().map(Some),
            Some(Target::Folder { folder, .. }) => Ok(Some(folder)),
            None => Ok(None),
        }
    }

    /// Ends the output, and prints how many multi-traces were made of how many originals.
    pub(crate) fn finish(self, what: &str, originals: usize) -> anyhow::Result<Exit> {
        let (written, repeated) = (self.written, self.repeated);
        let mut said =
            format!("{} of {}", counted(written, what), counted(originals, "multi-trace"));
        if let Some(path) = self.close()? {
            said = format!("wrote {said} to {}", path.display());
        }
        if repeated > 0 {
            let _ = write!(said, "; {repeated} left out as already there");
        }
        output::complain(&said);
        Ok(if written == 0 { Exit::Failure } else { Exit::Success })
    }
}
