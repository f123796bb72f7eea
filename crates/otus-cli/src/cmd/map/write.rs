//! `otus map --write`: the groups of logs as files, for other commands.

use anyhow::bail;
use otus::derive::Place;
use otus::map::{GroupFormat, ObservedGroup};
use otus::units::counted;

use crate::output;
use crate::trace_files::{Target, place};

pub(super) struct Writer<'n> {
    name: &'n str,
    target: Target,
    format: GroupFormat,
    written: usize,
}

impl<'n> Writer<'n> {
    pub(super) fn open(name: &'n str, force: bool) -> anyhow::Result<Writer<'n>> {
        let place = place(Some(name));
        let format = match &place {
            Place::Stdout => GroupFormat::Events,
            Place::Folder(_) => GroupFormat::MultiTrace,
            Place::File(path) => {
                output::refuse_existing(path, force)?;
                let Some(format) = GroupFormat::of_name(path) else {
                    bail!(
                        "cannot write {name}: --write takes .jsonl (canonical lines), .cases.jsonl \
                         (a multi-trace a line), a folder (`{name}/`) for a .htf each, or .htf and \
                         .pot.json for one group"
                    );
                };
                format
            }
        };
        let mut target = Target::open(&place, force)?;
        if format == GroupFormat::Events {
            target.write("", format.header())?;
        }
        Ok(Writer { name, target, format, written: 0 })
    }

    /// Whether the output takes one group only.
    fn takes_one(&self) -> bool {
        self.format.holds_one() && matches!(self.target, Target::File(_))
    }

    pub(super) fn write(&mut self, group: &ObservedGroup<'_>) -> anyhow::Result<()> {
        self.written += 1;
        if self.takes_one() && self.written > 1 {
            bail!("there are several groups, and {} takes one; choose it by --group", self.name);
        }
        self.target.write(&group.name(), group.text(self.format)?)
    }

    pub(super) fn finish(self) -> anyhow::Result<()> {
        if self.takes_one() && self.written == 0 {
            bail!("there is no group to write to {}", self.name);
        }
        if let Some(path) = self.target.close()? {
            let groups = counted(self.written, "group");
            output::complain(&format!("wrote {}: {groups}", path.display()));
        }
        Ok(())
    }
}
