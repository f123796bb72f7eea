//! `otus map --write`: the groups of logs as files, for other commands.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::bail;
use otus::convert::file_name;
use otus::derive::Place;
use otus::map::{GroupFormat, ObservedGroup};
use otus::units::counted;

use crate::cases::{make_folder, place, refuse_existing, write_new};
use crate::output::{self, Draft};

/// Writes groups one after another.
pub(super) struct Writer {
    target: Target,
    written: usize,
}

enum Target {
    /// Canonical lines.
    StandardOutput,
    File {
        draft: Draft,
        path: PathBuf,
        format: GroupFormat,
    },
    /// A folder with a `.htf` for each group.
    Folder {
        folder: PathBuf,
        taken: BTreeSet<String>,
        force: bool,
    },
}

impl Writer {
    pub(super) fn open(name: &str, force: bool) -> anyhow::Result<Writer> {
        let target = match place(Some(name)) {
            Place::Folder(folder) => {
                make_folder(&folder)?;
                Target::Folder { folder, taken: BTreeSet::new(), force }
            }
            Place::File(path) => {
                refuse_existing(&path, force)?;
                let Some(format) = GroupFormat::of_name(&path) else {
                    bail!(
                        "cannot write {name}: --write takes .jsonl (canonical lines), .cases.jsonl \
                         (a multi-trace a line), a folder (`{name}/`) for a .htf each, or .htf and \
                         .pot.json for one group"
                    );
                };
                let mut draft = Draft::create(&path)?;
                draft.write(&format.header())?;
                Target::File { draft, path, format }
            }
            Place::Stdout => {
                output::print(&GroupFormat::Events.header())?;
                Target::StandardOutput
            }
        };
        Ok(Writer { target, written: 0 })
    }

    pub(super) fn write(&mut self, group: &ObservedGroup<'_>) -> anyhow::Result<()> {
        self.written += 1;
        match &mut self.target {
            Target::StandardOutput => output::print(&group.text(GroupFormat::Events)?),
            Target::File { path, format, .. } if format.holds_one() && self.written > 1 => {
                bail!(
                    "there are several groups, and {} takes one; choose it by --group",
                    path.display()
                )
            }
            Target::File { draft, format, .. } => draft.write(&group.text(*format)?),
            Target::Folder { folder, taken, force } => {
                let path = folder.join(format!("{}.htf", file_name(&group.name(), taken)));
                write_new(&[(path, group.text(GroupFormat::MultiTrace)?)], *force)
            }
        }
    }

    pub(super) fn finish(self) -> anyhow::Result<()> {
        let path = match self.target {
            Target::StandardOutput => return Ok(()),
            Target::File { path, format, .. } if format.holds_one() && self.written == 0 => {
                bail!("there is no group to write to {}", path.display())
            }
            Target::File { draft, .. } => draft.finish()?,
            Target::Folder { folder, .. } => folder,
        };
        output::complain(&format!("wrote {}: {}", path.display(), counted(self.written, "group")));
        Ok(())
    }
}
