//! The options of a checker.

use std::path::PathBuf;

use crate::context::{Cancel, Stop};
use crate::error::{Error, Result};
use crate::options::Options;

/// How a [`Checker`](super::Checker) takes its rows, and what it tells.
///
/// [`CheckerOptions::checks`] says what a verdict may assume; it is the same for all runs.
#[derive(Debug, Clone)]
#[must_use = "options are given to `Checker::new`"]
pub struct CheckerOptions {
    pub(super) is_grouped: bool,
    pub(crate) checks: Options,
    /// How many failures are explained.
    pub(crate) explained: usize,
    /// How many failures the findings keep, if they are asked for.
    pub(super) sample: Option<usize>,
    pub(super) has_coverage: bool,
    pub(super) expected: Vec<String>,
    pub(super) memory: usize,
    pub(super) folder: Option<PathBuf>,
    pub(crate) cancel: Cancel,
    pub(super) is_empty_allowed: bool,
    pub(super) names: ColumnNames,
}

/// The bytes that rows may take, unless somebody says otherwise.
const MEMORY: usize = 1 << 31;

impl CheckerOptions {
    /// All rows of a run stand together. A run that comes back after another one is an error.
    pub fn grouped() -> CheckerOptions {
        CheckerOptions {
            is_grouped: true,
            checks: Options::new(),
            explained: 0,
            sample: None,
            has_coverage: false,
            expected: Vec::new(),
            memory: MEMORY,
            folder: None,
            cancel: Cancel::default(),
            is_empty_allowed: false,
            names: ColumnNames::default(),
        }
    }

    /// The rows of a run stand anywhere in the table. The checker keeps all rows until the end.
    pub fn scattered() -> CheckerOptions {
        CheckerOptions { is_grouped: false, ..CheckerOptions::grouped() }
    }

    /// Sets what may be missing in the logs of a run, and the limits of a check.
    pub fn checks(self, checks: Options) -> CheckerOptions {
        CheckerOptions { checks, ..self }
    }

    /// Explains the first failures, up to this number. Without it, cases have verdicts only. An explanation takes a
    /// thousand times as long as a verdict.
    pub fn explain(self, most: usize) -> CheckerOptions {
        CheckerOptions { explained: most, ..self }
    }

    /// Counts the [`Findings`](crate::findings::Findings) of all runs, with a sample of so many explained failures at most.
    /// [`Answers::into_findings`](super::Answers::into_findings) gives them. The sample is random and, so that findings can be
    /// merged, does not depend on the order of the runs; on the way to it, more failures are explained than are kept: of n
    /// failures about `sample · (1 + ln (n / sample))`.
    pub fn findings(self, sample: usize) -> CheckerOptions {
        CheckerOptions { sample: Some(sample), ..self }
    }

    /// Counts in the findings also how often each part of the specification was exercised. This takes an execution for each
    /// run that is accepted and differs from all before.
    pub fn coverage(self) -> CheckerOptions {
        let sample = self.sample.or(Some(0));
        CheckerOptions { has_coverage: true, sample, ..self }
    }

    /// Sets the runs that must have happened. Those without rows are checked as runs without events.
    pub fn expected<S: Into<String>>(self, runs: impl IntoIterator<Item = S>) -> CheckerOptions {
        CheckerOptions { expected: runs.into_iter().map(Into::into).collect(), ..self }
    }

    /// Sets the bytes that rows may take in memory, two gigabytes by default. Beyond it they go to temporary files. The run that
    /// is being checked is in memory as a whole, four bytes for each event and as many for each of its values.
    pub fn memory(self, bytes: usize) -> CheckerOptions {
        CheckerOptions { memory: bytes, ..self }
    }

    /// Sets the folder of temporary files. By default, the system chooses it.
    pub fn temporary_files(self, folder: impl Into<PathBuf>) -> CheckerOptions {
        CheckerOptions { folder: Some(folder.into()), ..self }
    }

    /// Sets the token that stops the checker.
    pub fn cancel(self, cancel: Cancel) -> CheckerOptions {
        CheckerOptions { cancel, ..self }
    }

    /// Ends with an error if the token says so.
    pub(super) fn require_time(&self) -> Result<()> {
        if self.cancel.is_cancelled() {
            return Err(Error::Stopped(Stop::Cancelled));
        }
        Ok(())
    }

    /// Allows a table without rows, as a part of a larger table may be.
    pub fn allow_empty(self, is_allowed: bool) -> CheckerOptions {
        CheckerOptions { is_empty_allowed: is_allowed, ..self }
    }

    /// Sets the names of columns that errors and places use: those of the caller's table.
    pub fn names(self, names: ColumnNames) -> CheckerOptions {
        CheckerOptions { names, ..self }
    }
}

/// The names of the columns in the caller's table.
#[derive(Debug, Clone)]
pub struct ColumnNames {
    /// Of the runs.
    pub run: String,
    /// Of the lifelines.
    pub lifeline: String,
    /// Of the actions.
    pub action: String,
    /// Of the order; `row` if the order of rows counts.
    pub order: String,
    /// Of the times.
    pub time: String,
}

impl Default for ColumnNames {
    fn default() -> Self {
        ColumnNames {
            run: "run".to_owned(),
            lifeline: "lifeline".to_owned(),
            action: "action".to_owned(),
            order: "order".to_owned(),
            time: "time".to_owned(),
        }
    }
}

impl ColumnNames {
    /// A reason that begins with the name of a column, with the name in the caller's table.
    pub(super) fn renamed(&self, reason: &str) -> String {
        let names = [("lifeline", &self.lifeline), ("action", &self.action)];
        let found = names.into_iter().find_map(|(name, own)| {
            let rest = reason.strip_prefix("column `")?.strip_prefix(name)?.strip_prefix('`')?;
            Some(format!("column `{own}`{rest}"))
        });
        found.unwrap_or_else(|| reason.to_owned())
    }
}
