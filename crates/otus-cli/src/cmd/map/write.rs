//! What was understood of logs, written for other commands.
//!
//! The ending says how: canonical lines (`.jsonl`), a case file (`.cases.jsonl`), a folder of `.htf`,
//! one `.htf` or one partial order (`.pot.json`) of one group.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::bail;
use otus_syntax::{Source, parse_trace, print};
use otus_trace::case;
use otus_trace::order::{Writes, pot};
use otus_trace::read::canonical;
use otus_trace::run::Observed;

use crate::args::Format;
use crate::cases::{Place, file_name, make_folder, refuse_existing, write_new};
use crate::logs;
use crate::output::{self, Draft};

/// Takes groups one after the other.
pub(super) struct Writer {
    target: Target,
    written: usize,
}

enum Target {
    Stdout,
    /// Canonical lines.
    Events(Draft),
    /// A case a line.
    Cases(Draft),
    Folder {
        folder: PathBuf,
        taken: BTreeSet<String>,
        force: bool,
    },
    /// One group, as a multi-trace or as an order.
    One {
        path: PathBuf,
        order: bool,
        text: Option<String>,
    },
}

impl Writer {
    pub(super) fn open(name: &str, force: bool) -> anyhow::Result<Writer> {
        let target = match Place::named(Some(name)) {
            Place::Stdout => {
                output::print(&format!("{}\n", canonical::header()))?;
                Target::Stdout
            }
            Place::Folder(folder) => {
                make_folder(&folder)?;
                Target::Folder { folder, taken: BTreeSet::new(), force }
            }
            Place::File(path) => {
                refuse_existing(&path, force)?;
                match Format::of_name(&path) {
                    Some(Format::Jsonl) if is_case_file(&path) => {
                        Target::Cases(Draft::create(&path)?)
                    }
                    Some(Format::Jsonl) => {
                        let mut draft = Draft::create(&path)?;
                        draft.write(&format!("{}\n", canonical::header()))?;
                        Target::Events(draft)
                    }
                    Some(Format::Htf) => Target::One { path, order: false, text: None },
                    Some(Format::Pot) => Target::One { path, order: true, text: None },
                    _ => bail!(
                        "cannot write {name}: --write takes .jsonl (canonical lines), .cases.jsonl \
                         (a multi-trace a line), a folder (`{name}/`) for a .htf each, or .htf and \
                         .pot.json for one group"
                    ),
                }
            }
        };
        Ok(Writer { target, written: 0 })
    }

    pub(super) fn group(&mut self, observed: &Observed<'_>) -> anyhow::Result<()> {
        self.written += 1;
        match &mut self.target {
            Target::Stdout => output::print(&observed.canonical()),
            Target::Events(draft) => draft.write(&observed.canonical()),
            Target::Cases(draft) => draft.write(&(case::write(&observed.case()) + "\n")),
            Target::Folder { folder, taken, force } => {
                let path =
                    folder.join(format!("{}.htf", file_name(&logs::name_of(observed), taken)));
                write_new(&path, &multi_trace(observed), *force)
            }
            Target::One { path, text: Some(_), .. } => {
                bail!(
                    "there are several groups, and {} takes one; choose it by --group",
                    path.display()
                )
            }
            Target::One { order: true, text, .. } => {
                let order = observed.order(Writes::Checked)?;
                *text = Some(pot::write(&order));
                Ok(())
            }
            Target::One { order: false, text, .. } => {
                *text = Some(multi_trace(observed));
                Ok(())
            }
        }
    }

    pub(super) fn finish(self) -> anyhow::Result<()> {
        let path = match self.target {
            Target::Stdout => return Ok(()),
            Target::Events(draft) | Target::Cases(draft) => draft.finish()?,
            Target::Folder { folder, .. } => folder,
            Target::One { path, text: Some(text), .. } => {
                output::write_file(&path, &text)?;
                path
            }
            Target::One { path, text: None, .. } => {
                bail!("there is no group to write to {}", path.display())
            }
        };
        let groups = otus::words::counted(self.written, "group");
        output::complain(&format!("wrote {}: {groups}", path.display()));
        Ok(())
    }
}

fn is_case_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    name == "cases.jsonl" || name.ends_with(".cases.jsonl")
}

/// A multi-trace in canonical form.
fn multi_trace(observed: &Observed<'_>) -> String {
    print::trace(&parse_trace(&Source::new("group", observed.htf())).tree)
}
