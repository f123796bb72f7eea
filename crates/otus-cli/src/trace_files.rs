//! Writing multi-traces and groups of logs: to standard output, to a file, or to a folder with one file per
//! multi-trace or group.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::bail;
use otus::derive::{Derived, Place};
use otus::units::counted;
use otus::{Format, Status};

use crate::output::{self, Draft, make_folder, refuse_existing, write_new};

/// The destination that a name stands for. `-`, or no name, is standard output.
pub(crate) fn place(name: Option<&str>) -> Place {
    match name {
        None | Some("-") => Place::Stdout,
        Some(name) if name.ends_with('/') || Path::new(name).is_dir() => {
            Place::Folder(PathBuf::from(name))
        }
        Some(name) => Place::File(PathBuf::from(name)),
    }
}

#[derive(Debug)]
pub(crate) enum Target {
    Stdout(std::io::BufWriter<std::io::Stdout>),
    File(Draft),
    /// A folder, and the names of the files in it.
    Folder {
        folder: PathBuf,
        taken: BTreeSet<String>,
        force: bool,
    },
}

impl Target {
    pub(crate) fn open(place: &Place, force: bool) -> anyhow::Result<Target> {
        Ok(match place {
            Place::File(path) => Target::File(Draft::create(path)?),
            Place::Folder(folder) => {
                make_folder(folder)?;
                Target::Folder { folder: folder.clone(), taken: BTreeSet::new(), force }
            }
            Place::Stdout => Target::Stdout(std::io::BufWriter::new(std::io::stdout())),
        })
    }

    /// Writes a text: in a folder, to a file of its own; otherwise after the texts that were
    /// written before.
    pub(crate) fn write(&mut self, id: &str, text: String) -> anyhow::Result<()> {
        match self {
            Target::Stdout(out) => Ok(out.write_all(text.as_bytes())?),
            Target::File(draft) => draft.write(&text),
            Target::Folder { folder, taken, force } => {
                let path = folder.join(format!("{}.htf", otus::convert::file_name(id, taken)));
                write_new(&[(path, text)], *force)
            }
        }
    }

    /// Ends the output, and returns its name, unless it is standard output.
    pub(crate) fn close(self) -> anyhow::Result<Option<PathBuf>> {
        match self {
            Target::Stdout(mut out) => {
                out.flush()?;
                Ok(None)
            }
            Target::File(draft) => draft.finish().map(Some),
            Target::Folder { folder, .. } => Ok(Some(folder)),
        }
    }
}

/// Takes multi-traces one by one, so that any number of them can be written.
#[derive(Debug)]
pub(crate) struct Sink {
    place: Place,
    /// The output. It is opened for the first multi-trace, so that an error before that leaves no
    /// file.
    target: Option<Target>,
    force: bool,
    /// The multi-traces written so far, if duplicates are to be skipped.
    seen: Option<BTreeSet<String>>,
    pub(crate) written: u64,
    /// The number of multi-traces that were skipped because they had been written before.
    repeated: u64,
}

impl Sink {
    /// A sink for a destination. With `unique`, equal multi-traces are written only once.
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
        let text = match &self.place {
            Place::Folder(_) => made.text(),
            Place::Stdout | Place::File(_) => made.case_line(line) + "\n",
        };
        self.target()?.write(&made.id, text)
    }

    fn target(&mut self) -> anyhow::Result<&mut Target> {
        let target = match self.target.take() {
            Some(target) => target,
            None => Target::open(&self.place, self.force)?,
        };
        Ok(self.target.insert(target))
    }

    /// Ends the output, and returns its name, unless it is standard output.
    pub(crate) fn close(mut self) -> anyhow::Result<Option<PathBuf>> {
        self.target()?;
        self.target.map_or(Ok(None), Target::close)
    }

    /// Ends the output, and prints how many multi-traces were made of how many originals.
    pub(crate) fn finish(self, what: &str, originals: usize) -> anyhow::Result<Status> {
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
        Ok(if written == 0 { Status::Failed } else { Status::Passed })
    }
}
