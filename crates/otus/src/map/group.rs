//! One observed group as text, for other commands and programs.

use std::path::Path;

use otus_syntax::{Source, parse_trace, print};
use otus_trace::case;
use otus_trace::order::{Writes, pot};
use otus_trace::read::canonical;
use otus_trace::run::Observed;

use crate::error::{Error, Result};
use crate::format::Format;

/// A group of logs while it is handed out.
#[derive(Debug)]
pub struct ObservedGroup<'o>(pub(super) &'o Observed<'o>);

/// The format of a group as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GroupFormat {
    /// Canonical lines, one for each event (`.jsonl`).
    Events,
    /// A line of a case file (`.cases.jsonl`).
    Case,
    /// A multi-trace (`.htf`).
    MultiTrace,
    /// A partial-order trace (`.pot.json`).
    Order,
}

impl GroupFormat {
    /// The format for the ending of a name.
    ///
    /// ```
    /// use otus::map::GroupFormat;
    ///
    /// assert_eq!(GroupFormat::of_name("events.jsonl".as_ref()), Some(GroupFormat::Events));
    /// assert_eq!(GroupFormat::of_name("all.cases.jsonl".as_ref()), Some(GroupFormat::Case));
    /// assert_eq!(GroupFormat::of_name("events.txt".as_ref()), None);
    /// ```
    pub fn of_name(path: &Path) -> Option<GroupFormat> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let is_case_file = name == "cases.jsonl" || name.ends_with(".cases.jsonl");
        match Format::of_name(path) {
            Some(Format::Jsonl) if is_case_file => Some(GroupFormat::Case),
            Some(Format::Jsonl) => Some(GroupFormat::Events),
            Some(Format::Htf) => Some(GroupFormat::MultiTrace),
            Some(Format::Pot) => Some(GroupFormat::Order),
            _ => None,
        }
    }

    /// The text before the first group.
    pub fn header(self) -> String {
        match self {
            GroupFormat::Events => format!("{}\n", canonical::header()),
            GroupFormat::Case | GroupFormat::MultiTrace | GroupFormat::Order => String::new(),
        }
    }

    /// Whether a file of this format holds only one group.
    pub fn holds_one(self) -> bool {
        matches!(self, GroupFormat::MultiTrace | GroupFormat::Order)
    }
}

impl ObservedGroup<'_> {
    /// The key of the group, or `all` if the logs have none.
    pub fn name(&self) -> String {
        self.0.name().into_owned()
    }

    /// The group as text.
    ///
    /// # Errors
    /// If a partial order is requested and the logs contradict each other about it.
    pub fn text(&self, format: GroupFormat) -> Result<String> {
        Ok(match format {
            GroupFormat::Events => self.0.canonical(),
            GroupFormat::Case => case::write(&self.0.case()) + "\n",
            GroupFormat::MultiTrace => {
                print::trace(&parse_trace(&Source::new("group", self.0.htf())).tree)
            }
            GroupFormat::Order => {
                let order = self.0.order(Writes::Checked);
                pot::write(&order.map_err(|error| Error::Unfit(error.to_string()))?)
            }
        })
    }
}
