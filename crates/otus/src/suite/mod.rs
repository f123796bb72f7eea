//! The tests of an `otus.toml`: expected verdicts and answers, compared with actual ones.
//!
//! A test is a request for an analysis, or for answers to a formula, with expected answers. [`run()`] runs and compares,
//! [`SuiteFormat`] reports differences, [`updated`] replaces the expected answers by the actual ones.

mod report;
mod run;
mod update;

use std::path::Path;
use std::time::Duration;

use otus_syntax::suggest::did_you_mean;

use crate::context::Context;
use crate::error::{Result, unfit};
use crate::project::expectation::Test;
use crate::project::{FILE, Settings, find};
use crate::units::counted;

pub use report::{SuiteFormat, listed};
pub use run::{Judged, TestOutcome, run};
pub use update::updated;

/// The limits of tests.
#[derive(Debug, Clone, Default)]
pub struct SuiteOptions {
    /// The number of threads.
    pub threads: Option<usize>,
    /// The time for each answer.
    pub timeout: Option<Duration>,
    /// The maximum number of bytes that the tables of one search may take.
    pub max_bytes: Option<u64>,
}

/// Reads the `otus.toml` with tests: the named one, or the nearest from the working folder upwards.
///
/// # Errors
/// If there is none, it has errors, or it has no test.
pub fn settings(context: &Context, config: Option<&Path>) -> Result<Settings> {
    let found = config.map(Path::to_owned).or_else(|| find(&*context.files, Path::new(".")));
    let Some(path) = found else {
        unfit!("there is no {FILE} here or above, and tests stand in one");
    };
    let settings = Settings::read(context, &path)?;
    if settings.tests.is_empty() {
        unfit!(
            "{} has no test; write one, as [[test]] with traces = \"runs/*.htf\" and expect = \
             \"Pass\" below it",
            settings.name
        );
    }
    Ok(settings)
}

/// The tests whose names contain one of some words; all if there are no words.
///
/// # Errors
/// If a word matches no test.
pub fn chosen<'p>(settings: &'p Settings, names: &[String]) -> Result<Vec<&'p Test>> {
    for name in names {
        if !settings.tests.iter().any(|test| test.name.contains(&**name)) {
            let all: Vec<&str> = settings.tests.iter().map(|test| &*test.name).collect();
            let help = did_you_mean(name, all.iter().copied());
            let help = help.unwrap_or_else(|| format!("there are `{}`", all.join("`, `")));
            unfit!("no test of {} has `{name}` in its name; {help}", settings.name);
        }
    }
    let is_wanted =
        |test: &&Test| names.is_empty() || names.iter().any(|name| test.name.contains(&**name));
    Ok(settings.tests.iter().filter(is_wanted).collect())
}

/// The counts of test outcomes.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SuiteSummary {
    /// All tests.
    pub tests: usize,
    /// The number of tests with the expected answers.
    pub fit: usize,
    /// The number of tests with other answers.
    pub differ: usize,
    /// The number of these that an update of the file cannot fix.
    pub stubborn: usize,
    /// The number of tests that could not be run.
    pub broken: usize,
    /// The number of verdicts and answers.
    pub checked: usize,
    /// Whether a test was cancelled.
    pub interrupted: bool,
}

impl SuiteSummary {
    /// Counts outcomes.
    pub fn new(outcomes: &[TestOutcome<'_>]) -> SuiteSummary {
        let broken = outcomes.iter().filter(|outcome| outcome.error.is_some()).count();
        let fit = outcomes.iter().filter(|outcome| outcome.is_expected()).count();
        SuiteSummary {
            tests: outcomes.len(),
            fit,
            broken,
            differ: outcomes.len() - fit - broken,
            stubborn: outcomes.iter().filter(|it| it.error.is_none() && it.is_stubborn()).count(),
            checked: outcomes.iter().map(|outcome| outcome.cases.len()).sum(),
            interrupted: outcomes.iter().any(|outcome| outcome.interrupted),
        }
    }

    /// The counts in a line.
    pub fn text(&self) -> String {
        let (tests, verdicts) = (counted(self.tests, "test"), counted(self.checked, "answer"));
        let SuiteSummary { fit, differ, broken, .. } = self;
        let verb = if *differ == 1 { "differs" } else { "differ" };
        let interrupted = if self.interrupted { "; interrupted" } else { "" };
        format!(
            "ran {tests}, {verdicts}: {fit} as expected, {differ} {verb}, {broken} could not be \
             run{interrupted}"
        )
    }
}
