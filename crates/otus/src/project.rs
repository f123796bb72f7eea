//! Raw logs by an `otus.toml`: what `otus analyze` does in a folder, from a test.

use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use otus_analysis::{Engine, Question, engine};
use otus_core::Pool;
use otus_syntax::{Severity, Source, SourceId};
use otus_trace::mapping::Plan;
use otus_trace::run::{LogFile, Observed as Group, map};
use otus_trace::{ComponentId, Partition};
use rustc_hash::FxHashMap;
use toml::de::{DeTable, DeValue};

use crate::check::Asked;
use crate::error::Error;
use crate::options::Options;
use crate::outcome::{Outcome, Place, Verdict};
use crate::spec::Spec;

/// What the file is called.
const FILE: &str = "otus.toml";

/// How many engines are kept ready: one for each grouping of lifelines into logs.
const MOST_ENGINES: usize = 64;

/// A folder with an `otus.toml`, which says how logs become events and which specification they are
/// checked against.
///
/// ```no_run
/// let outcomes = otus::Project::open("tests/mqtt")?.check()?;
/// assert!(outcomes.conform(), "{outcomes}");
/// # Ok::<(), otus::Error>(())
/// ```
#[derive(Debug)]
pub struct Project {
    folder: PathBuf,
    plan: Plan,
    spec: Spec,
}

impl Project {
    /// Opens the `otus.toml` of a folder, or the nearest above it, with the specification that it names.
    ///
    /// # Errors
    /// If there is none, if it has mistakes, or if it names no specification that can be read.
    pub fn open(folder: impl AsRef<Path>) -> Result<Project, Error> {
        let start = std::path::absolute(folder.as_ref())
            .map_err(|source| Error::Read { path: folder.as_ref().to_owned(), source })?;
        let mut candidates = start.ancestors().map(|folder| folder.join(FILE));
        let path = candidates.find(|file| file.is_file()).ok_or_else(|| {
            Error::Project(format!(
                "there is no {FILE} in {} or above it; `otus init` proposes one",
                folder.as_ref().display()
            ))
        })?;
        let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
        let text = std::fs::read_to_string(&path)
            .map_err(|source| Error::Read { path: path.clone(), source })?;
        let source = Source::with_id(SourceId(0), path.to_string_lossy(), text);
        let (keys, specs) = top_level(&source);
        // Keys that are not about logs belong to the command line.
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let (plan, found) = Plan::parse(&source, &keys);
        Error::unless_usable(std::slice::from_ref(&source), &found)?;
        let plan = plan.ok_or_else(|| Error::Bug("a plan without errors is none".to_owned()))?;
        if specs.is_empty() {
            return Err(Error::Project(format!(
                "{} names no specification; write spec = \"docs/protocol.md#login\"",
                path.display()
            )));
        }
        let spec = Spec::read_all(specs.iter().map(|name| folder.join(name)))?;
        Ok(Project { folder, plan, spec })
    }

    /// The specification that the logs are checked against.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Checks all logs that the sources of `otus.toml` name, group by group. What may be missing of them
    /// is what `[observation]` says; without that, the system may have been stopped at any moment.
    ///
    /// # Errors
    /// If there is no log, or one cannot be read.
    pub fn check(&self) -> Result<Outcomes, Error> {
        self.check_with(&Options::new())
    }

    /// The same with the limits of some options.
    ///
    /// # Errors
    /// As [`Project::check`].
    pub fn check_with(&self, limits: &Options) -> Result<Outcomes, Error> {
        let files = self.logs()?;
        if files.is_empty() {
            return Err(Error::Project(format!(
                "no file in {} fits the sources of its {FILE}",
                self.folder.display()
            )));
        }
        let mut outcomes = Outcomes { groups: Vec::new(), warnings: Vec::new() };
        let mut engines: FxHashMap<Arc<Partition>, Engine> = FxHashMap::default();
        let logs = files.into_iter().map(|(path, name, source)| {
            let open = move || Ok(Box::new(File::open(path)?) as Box<dyn Read>);
            LogFile { name, source, open: Box::new(open) }
        });
        let accounting = map(&self.plan, logs.collect(), &mut |group: &Group<'_>| {
            let outcome = self.group(group, limits, &mut engines);
            let key = group.key();
            let name = if key.is_empty() { "all".to_owned() } else { key.into_owned() };
            outcomes.groups.push((name, outcome));
            ControlFlow::Continue(())
        });
        for finding in &accounting.findings {
            if finding.severity >= Severity::Warning {
                let help = finding.help.iter().map(|help| format!("; {help}"));
                let help: String = help.collect();
                outcomes.warnings.push(format!("{}: {}{help}", finding.code, finding.message));
            }
        }
        for (name, account) in accounting.vocabulary.lifeline_names().zip(&accounting.lifelines) {
            let actions = account.sends + account.receives;
            if actions > 0 && self.spec.signature().lifeline(name).is_none() {
                let name = crate::options::unknown(&self.spec, name);
                outcomes.warnings.push(format!("{name}; what it did is left out"));
            }
        }
        Ok(outcomes)
    }

    fn group(
        &self,
        group: &Group<'_>,
        limits: &Options,
        engines: &mut FxHashMap<Arc<Partition>, Engine>,
    ) -> Outcome {
        // Undeclared messages are added to the pool, and must not be known to the next group.
        let mut pool: Pool = self.spec.pool().clone();
        let (trace, _) = group.multi_trace(&mut pool, SourceId(0));
        let question = self.question(trace.partition());
        if engines.len() >= MOST_ENGINES && !engines.contains_key(trace.partition()) {
            engines.clear();
        }
        let engine = engines.entry(trace.shared_partition().clone()).or_insert_with(|| {
            let options = engine::Options::default();
            Engine::new(self.spec.pool(), self.spec.term(), trace.partition(), options)
        });
        let place = |index: usize| {
            let event = group.event(index)?;
            let line = event.place().line as usize;
            Some(Place { file: event.file().to_owned(), line, column: None })
        };
        let (spec, budget) = (&self.spec, &limits.budget);
        let asked = Asked { spec, trace: &trace, question: &question, budget };
        asked.answer(engine, &mut pool, &place)
    }

    /// What `[observation]` says of each component. A log that several share may miss what each of
    /// them may miss.
    fn question(&self, partition: &Partition) -> Question {
        use otus_analysis::Observed;
        let observation = &self.plan.observation;
        if observation.is_empty() {
            return Question::GlobalPrefix;
        }
        let of = |component: ComponentId| {
            let lifelines = partition.lifelines(component).iter();
            let said = lifelines.map(|&it| observation.of(self.spec.signature().lifeline_name(it)));
            let all = said.reduce(|one, other| otus_trace::mapping::LogCompleteness {
                may_stop_early: one.may_stop_early | other.may_stop_early,
                may_start_late: one.may_start_late | other.may_start_late,
                unobserved: one.unobserved & other.unobserved,
            });
            let all = all.unwrap_or_default();
            match (all.unobserved, all.may_start_late, all.may_stop_early) {
                (true, ..) => Observed::Unobserved,
                (false, true, true) => Observed::Slice,
                (false, true, false) => Observed::StartsLate,
                (false, false, true) => Observed::StopsEarly,
                (false, false, false) => Observed::Complete,
            }
        };
        Question::Each(partition.components().map(of).collect())
    }

    /// The files that the sources name: path, name relative to the folder, and number of the source.
    fn logs(&self) -> Result<Vec<(PathBuf, String, usize)>, Error> {
        let mut paths = Vec::new();
        for glob in self.plan.sources.iter().flat_map(|source| &source.files) {
            // The folders before the first wildcard.
            let plain = glob.text().split(['*', '?', '{']).next().unwrap_or_default();
            let folder = self.folder.join(plain.rfind('/').map_or("", |end| &plain[..end]));
            if folder.is_dir() {
                walk(&folder, &mut paths)?;
            }
        }
        paths.sort();
        paths.dedup();
        let logs = paths.into_iter().filter_map(|path| {
            let inside = path.strip_prefix(&self.folder).ok()?;
            let name = inside.to_string_lossy().replace('\\', "/");
            let source = self.plan.source_of(&name).filter(|_| name != FILE)?;
            Some((path, name, source))
        });
        Ok(logs.collect())
    }
}

/// What was found of each group of logs. Its text has the failures with their explanations, and the
/// counts.
#[derive(Debug, Clone)]
pub struct Outcomes {
    groups: Vec<(String, Outcome)>,
    warnings: Vec<String>,
}

impl Outcomes {
    /// The groups by name, in the order in which they ended; `all` is that of events without a group.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = (&str, &Outcome)> {
        self.groups.iter().map(|(name, outcome)| (name.as_str(), outcome))
    }

    /// Whether there is a group with events and all groups conform. Logs without any event prove
    /// nothing.
    pub fn conform(&self) -> bool {
        self.groups.iter().any(|(_, outcome)| outcome.events() > 0)
            && self.groups.iter().all(|(_, outcome)| outcome.conforms())
    }

    /// What is odd about the logs: lines that cannot be read, rules that never fit, lifelines that the
    /// specification does not have.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// How many groups have a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.groups.iter().filter(|(_, outcome)| outcome.verdict() == verdict).count()
    }
}

impl std::fmt::Display for Outcomes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (name, outcome) in self.groups().filter(|(_, outcome)| !outcome.conforms()) {
            writeln!(f, "{name}:\n{outcome}\n")?;
        }
        for warning in &self.warnings {
            writeln!(f, "warning: {warning}")?;
        }
        let total = self.groups.len();
        let plural = if total == 1 { "" } else { "s" };
        let [pass, weak, fail, open] =
            [Verdict::Pass, Verdict::WeakPass, Verdict::Fail, Verdict::Undecided]
                .map(|verdict| self.count(verdict));
        let events: usize = self.groups.iter().map(|(_, outcome)| outcome.events()).sum();
        let nothing = if events == 0 { "; nothing was checked" } else { "" };
        write!(
            f,
            "{total} group{plural}: {pass} pass, {fail} fail, {weak} weak, {open} undecided{nothing}"
        )
    }
}

/// The keys of the file, and the specification that it names.
fn top_level(source: &Source) -> (Vec<String>, Vec<String>) {
    let (document, _) = DeTable::parse_recoverable(source.text());
    let (mut keys, mut specs) = (Vec::new(), Vec::new());
    for (key, value) in document.get_ref() {
        keys.push(key.get_ref().to_string());
        if key.get_ref() != "spec" {
            continue;
        }
        let listed = match value.get_ref() {
            DeValue::Array(several) => several.iter().collect(),
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Table(_) => vec![value],
        };
        specs.extend(listed.iter().filter_map(|one| Some(one.get_ref().as_str()?.to_owned())));
    }
    (keys, specs)
}

/// All files of a folder and the folders in it. Hidden ones are left out, and so are folders behind
/// links, which may lead back.
fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let fault = |source| Error::Read { path: folder.clone(), source };
        for entry in std::fs::read_dir(&folder).map_err(fault)? {
            let entry = entry.map_err(fault)?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(fault)?);
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            if kind.is_dir() {
                folders.push(path);
            } else if path.is_file() {
                files.push(path);
            }
        }
    }
    Ok(())
}
