//! A folder with an `otus.toml`, checked in a test as `otus analyze` checks it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::{FILE, Settings, find};
use crate::analysis::{Item, Limits, Request, analyze};
use crate::case::{Case, Verdict};
use crate::context::{Context, Monitor, Notice};
use crate::error::{Result, unfit};
use crate::files::Disk;
use crate::options::Options;
use crate::spec::Spec;
use crate::summary::Summary;

/// A folder with an `otus.toml`, which maps logs to events and names the specification.
///
/// ```no_run
/// let checked = otus::Project::open("tests/mqtt")?.check()?;
/// assert!(checked.conforms(), "{checked}");
/// # Ok::<(), otus::Error>(())
/// ```
#[derive(Debug)]
pub struct Project {
    config: PathBuf,
    spec: Vec<String>,
}

impl Project {
    /// Opens the `otus.toml` of a folder, or the nearest above it.
    ///
    /// # Errors
    /// If there is none, if it has mistakes, or if it names no specification.
    pub fn open(folder: impl AsRef<Path>) -> Result<Project> {
        let Some(config) = find(&Disk, folder.as_ref()) else {
            let folder = folder.as_ref().display();
            unfit!("there is no {FILE} in {folder} or above it; `otus init` proposes one");
        };
        let settings = Settings::read(&Context::default(), &config)?;
        if settings.spec.is_empty() && settings.specs.is_empty() {
            let name = settings.name;
            unfit!("{name} names no specification; write spec = \"docs/protocol.md#login\"");
        }
        Ok(Project { config, spec: settings.spec })
    }

    /// The specification that the logs are checked against.
    ///
    /// # Errors
    /// If it cannot be read or has mistakes, or if `otus.toml` names several.
    pub fn spec(&self) -> Result<Spec> {
        Spec::read_all(&self.spec)
    }

    /// Checks all logs of the sources of `otus.toml`, group by group. `[observation]` declares the parts that may be
    /// missing; without it, the system may have been stopped at any moment.
    ///
    /// # Errors
    /// If the specification has mistakes, there is no log, or one cannot be read.
    pub fn check(&self) -> Result<Checked> {
        self.check_with(&Options::new())
    }

    /// Like [`Project::check`], but with the limits of some options.
    ///
    /// # Errors
    /// The errors of [`Project::check`].
    pub fn check_with(&self, limits: &Options) -> Result<Checked> {
        let budget = &limits.budget;
        let request = Request {
            config: Some(self.config.clone()),
            limits: Limits {
                timeout: budget.timeout,
                max_states: budget.max_states,
                max_bytes: budget.max_bytes,
            },
            pictures: limits.is_drawn,
            ..Request::default()
        };
        let context = Context { cancel: budget.cancel.clone(), ..Context::default() };
        Checked::collect(&context, &request)
    }
}

#[derive(Debug, Default)]
struct Collected(Mutex<Vec<String>>);

impl Monitor for Collected {
    fn notice(&self, notice: &Notice) {
        let text = match notice {
            Notice::Diagnostics(found) => found.render(false),
            Notice::Remark(text) => text.clone(),
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }
}

/// The cases of a project. Its text has the failures with their explanations, and the counts.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Checked {
    /// A case for each group, in the order in which the groups ended; events without a group are the case `all`.
    pub cases: Vec<Case>,
    /// The counts.
    pub summary: Summary,
    /// The findings about the logs: unreadable lines, rules that never match, lifelines that the specification does
    /// not have.
    pub warnings: Vec<String>,
}

impl Checked {
    /// Answers a request and keeps all of its cases. The monitor of the context hears nothing: what it would hear is among
    /// the warnings.
    ///
    /// ```
    /// use otus::{Checked, Context, Request, Texts};
    ///
    /// let files = Texts::default()
    ///     .with("flow.mmd", "sequenceDiagram\n  a->>b: ping\n")
    ///     .with("run.htf", "{[a] a!ping; [b] b?ping}");
    /// let context = Context::default().with_files(files);
    /// let checked = Checked::collect(&context, &Request::new(["flow.mmd", "run.htf"]))?;
    /// assert!(checked.conforms(), "{checked}");
    /// # Ok::<(), otus::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`analyze`].
    pub fn collect(context: &Context, request: &Request) -> Result<Checked> {
        let collected = Arc::new(Collected::default());
        let context = Context { monitor: collected.clone(), ..context.clone() };
        let mut running = analyze(&context, request)?.start(Case::clone);
        let mut cases = Vec::new();
        for item in running.by_ref() {
            if let Item::Case(case) = item? {
                cases.push(case);
            }
        }
        let finished = running.finish()?;
        let mut warnings =
            std::mem::take(&mut *collected.0.lock().unwrap_or_else(PoisonError::into_inner));
        warnings.extend(finished.log_remarks().iter().cloned());
        Ok(Checked { cases, summary: finished.summary, warnings })
    }

    /// Whether all groups conform and at least one event was checked. Logs without any event prove nothing.
    pub fn conforms(&self) -> bool {
        self.summary.actions > 0 && self.cases.iter().all(Case::conforms)
    }

    /// The number of groups with a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.cases.iter().filter(|case| case.verdict == verdict).count()
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for case in self.cases.iter().filter(|case| !case.conforms()) {
            writeln!(f, "{}:\n{case}\n", case.id)?;
        }
        for warning in &self.warnings {
            writeln!(f, "{warning}")?;
        }
        let nothing = if self.summary.actions == 0 { "; nothing was checked" } else { "" };
        write!(f, "{}{nothing}", self.summary)
    }
}
