//! `otus test`: what `otus.toml` expects of traces, and whether it is so.
//!
//! A test is a call of `otus analyze` or `otus ctl` whose answers are known. [`mod@run`] puts the question
//! and compares, [`show`] says what differs, [`update`] writes what was found into the file.

mod run;
mod show;
mod update;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::bail;
use otus_syntax::suggest::did_you_mean;

use crate::args::{TestArgs};
use crate::shell::Shell;
use crate::exit::Exit;
use otus::project::expectation::Test;
use crate::output;
use otus::project::{self, Project};
use otus::words::counted;
use run::Outcome;
use show::Show;

pub(crate) fn run(args: &TestArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let start = Instant::now();
    let path = match &args.config {
        Some(path) => PathBuf::from(path),
        None => match project::find(Path::new(".")) {
            Some(path) => path,
            None => bail!("there is no {} here or above, and tests stand in one", project::FILE),
        },
    };
    let project = Project::read(&path, color)?;
    if project.tests.is_empty() {
        bail!(
            "{} has no test; write one, as [[test]] with traces = \"runs/*.htf\" and expect = \
             \"Pass\" below it",
            project.name
        );
    }
    let chosen = chosen(&project, &args.names)?;
    if args.list {
        for test in chosen {
            output::print(&show::listed(test, &project))?;
        }
        return Ok(Exit::Success);
    }
    let mut show = Show::new(args.format, &project.name)?;
    let mut outcomes: Vec<Outcome<'_>> = Vec::new();
    for test in chosen {
        let outcome = run::run(test, &project, args, color);
        let interrupted = outcome.interrupted;
        show.test(&outcome)?;
        outcomes.push(outcome);
        if interrupted {
            break;
        }
    }
    let summary = Summary::new(&outcomes);
    show.finish(&outcomes, &summary)?;
    if args.update {
        update::write(&path, &project, &outcomes)?;
    }
    output::complain(&format!(
        "{} in {:.0} ms",
        summary.text(),
        start.elapsed().as_secs_f64() * 1000.0
    ));
    Ok(summary.exit(args.update))
}

/// The tests whose names have one of some words in them; all if there are none.
fn chosen<'p>(project: &'p Project, names: &[String]) -> anyhow::Result<Vec<&'p Test>> {
    for name in names {
        if !project.tests.iter().any(|test| test.name.contains(&**name)) {
            let all: Vec<&str> = project.tests.iter().map(|test| &*test.name).collect();
            let help = did_you_mean(name, all.iter().copied());
            let help = help.unwrap_or_else(|| format!("there are `{}`", all.join("`, `")));
            bail!("no test of {} has `{name}` in its name; {help}", project.name);
        }
    }
    let is_wanted =
        |test: &&Test| names.is_empty() || names.iter().any(|name| test.name.contains(&**name));
    Ok(project.tests.iter().filter(is_wanted).collect())
}

/// How many tests went how.
#[derive(Debug, Clone, Copy)]
struct Summary {
    tests: usize,
    /// As expected.
    fit: usize,
    differ: usize,
    /// Of these, where --update is of no use.
    stubborn: usize,
    /// Could not be run.
    broken: usize,
    /// Verdicts and answers.
    checked: usize,
    interrupted: bool,
}

impl Summary {
    fn new(outcomes: &[Outcome<'_>]) -> Summary {
        let broken = outcomes.iter().filter(|outcome| outcome.error.is_some()).count();
        let fit = outcomes.iter().filter(|outcome| outcome.is_expected()).count();
        Summary {
            tests: outcomes.len(),
            fit,
            broken,
            differ: outcomes.len() - fit - broken,
            stubborn: outcomes.iter().filter(|it| it.error.is_none() && it.is_stubborn()).count(),
            checked: outcomes.iter().map(|outcome| outcome.cases.len()).sum(),
            interrupted: outcomes.iter().any(|outcome| outcome.interrupted),
        }
    }

    fn text(&self) -> String {
        let (tests, verdicts) = (counted(self.tests, "test"), counted(self.checked, "answer"));
        let Summary { fit, differ, broken, .. } = self;
        let verb = if *differ == 1 { "differs" } else { "differ" };
        let interrupted = if self.interrupted { "; interrupted" } else { "" };
        format!(
            "ran {tests}, {verdicts}: {fit} as expected, {differ} {verb}, {broken} could not be \
             run{interrupted}"
        )
    }

    /// What was written by --update is what is expected.
    fn exit(&self, updated: bool) -> Exit {
        if self.broken > 0 {
            Exit::Error
        } else if self.interrupted {
            Exit::Undecided
        } else if self.stubborn > 0 || (self.differ > 0 && !updated) {
            Exit::Failure
        } else {
            Exit::Success
        }
    }
}
