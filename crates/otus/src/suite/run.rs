//! Runs one test: builds its request, and compares its answers with the expected answers.

use std::path::Path;

use otus_analysis::Verdict;
use otus_trace::mapping::Glob;

use super::SuiteOptions;
use crate::analysis::{Explain, Item, Request, UniformObservation, analyze};
use crate::case::Case;
use crate::context::Context;
use crate::ctl;
use crate::error::{Error, Result, unfit};
use crate::explanation::{LogPlace, SpecPlace};
use crate::files::{self, FileKind};
use crate::project::Settings;
use crate::project::expectation::{Formula, Test, Wanted};
use crate::summary::Status;

/// The outcome of a test.
#[derive(Debug)]
#[non_exhaustive]
pub struct TestOutcome<'p> {
    /// The test.
    pub test: &'p Test,
    /// The answers of the test.
    pub cases: Vec<Judged>,
    /// The ids with an expectation that do not exist.
    pub absent: Vec<&'p str>,
    /// The reason why it could not run.
    pub error: Option<String>,
    /// Whether the test was cancelled.
    pub interrupted: bool,
}

/// An actual answer, and the expected one.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Judged {
    /// The id of the multi-trace or trace.
    pub id: String,
    /// The verdict or answer.
    pub found: &'static str,
    /// For a Fail: the id of its cause, if it was computed.
    pub cause: Option<&'static str>,
    /// The expected verdicts or answers, if any.
    pub wanted: Option<Vec<&'static str>>,
    /// The expected cause, if any.
    pub wanted_cause: Option<Vec<&'static str>>,
    /// The actual result, in a line.
    pub headline: String,
    /// Details.
    pub details: Vec<String>,
}

impl TestOutcome<'_> {
    /// Whether all is as expected.
    pub fn is_expected(&self) -> bool {
        self.error.is_none()
            && !self.interrupted
            && !self.is_stubborn()
            && self.cases.iter().all(Judged::is_expected)
    }

    /// Whether the test fails because a file or id does not exist, which an update of the expected
    /// answers cannot fix.
    pub fn is_stubborn(&self) -> bool {
        !self.absent.is_empty() || self.cases.is_empty()
    }
}

impl Judged {
    /// Whether the case is as expected.
    pub fn is_expected(&self) -> bool {
        self.is_verdict_expected() && self.is_cause_expected()
    }

    pub(super) fn is_verdict_expected(&self) -> bool {
        self.wanted.as_ref().is_some_and(|wanted| wanted.contains(&self.found))
    }

    /// Whether the cause of a Fail is as expected.
    pub fn is_cause_expected(&self) -> bool {
        match &self.wanted_cause {
            Some(wanted) if self.found == Verdict::Fail.name() => {
                self.cause.is_some_and(|cause| wanted.contains(&cause))
            }
            Some(_) | None => true,
        }
    }
}

/// Runs a test.
pub fn run<'p>(
    context: &Context,
    test: &'p Test,
    settings: &Settings,
    options: &SuiteOptions,
) -> TestOutcome<'p> {
    let mut outcome = TestOutcome {
        test,
        cases: Vec::new(),
        absent: Vec::new(),
        error: None,
        interrupted: false,
    };
    let found = match &test.formula {
        None => verdicts(context, &mut outcome, settings, options),
        Some(formula) => answers(context, &mut outcome, formula, settings, options),
    };
    match found {
        Ok(()) => {}
        Err(Error::Text(found)) => {
            context.warn(*found);
            let told = "something is wrong with its texts, as was said above";
            outcome.error = Some(told.to_owned());
        }
        Err(error) => outcome.error = Some(error.to_string()),
    }
    for judged in &mut outcome.cases {
        let words = |wanted: &Option<Wanted>| {
            let (_, words) = wanted.as_ref()?.of(&judged.id)?;
            Some(words.words.clone())
        };
        (judged.wanted, judged.wanted_cause) = (words(&test.expect), words(&test.cause));
    }
    if let (Some(Wanted::ById(all)), None) = (&test.expect, &outcome.error) {
        let plain = all.iter().filter(|(key, _)| key.glob.is_plain());
        let absent = |id: &&str| outcome.cases.iter().all(|judged| judged.id != *id);
        outcome.absent = plain.map(|(key, _)| key.glob.text()).filter(absent).collect();
    }
    outcome
}

fn verdicts(
    context: &Context,
    outcome: &mut TestOutcome<'_>,
    settings: &Settings,
    options: &SuiteOptions,
) -> Result<()> {
    let test = outcome.test;
    let shown = |name: &String| files::shown(&*context.files, &settings.folder.join(name));
    let spec = match test.spec.as_slice() {
        [] => settings.spec.clone(),
        some => some.iter().map(shown).collect(),
    };
    // If a test names no specification, its request uses all specifications of `otus.toml`.
    let is_several = test.traces.is_empty() && !settings.specs.is_empty();
    if spec.is_empty() && !is_several {
        unfit!(
            "it has no specification; say spec = \"docs/protocol.md#login\" in it, or at the top \
             of {}",
            settings.name
        );
    }
    let mut request = Request::new(spec.into_iter().chain(files(context, settings, test)?));
    // An expected Fail needs no explanation, unless its cause is also expected.
    request.explain = match (&test.expect, &test.cause) {
        (_, Some(_)) => Explain::Full,
        (Some(Wanted::All(words)), None) if words.words.contains(&"Fail") => Explain::None,
        (Some(_) | None, None) => Explain::Short,
    };
    let observed = test.observed.as_deref();
    request.question.observed =
        observed.and_then(|name| UniformObservation::ALL.into_iter().find(|it| it.name() == name));
    request.question.kind.clone_from(&test.kind);
    request.group.clone_from(&test.group);
    request.threads = options.threads;
    request.limits.timeout = options.timeout;
    request.limits.max_bytes = options.max_bytes;
    if test.traces.is_empty() {
        request.config = Some(settings.folder.join(crate::project::FILE));
    }
    let mut running = analyze(context, &request)?.start(Case::clone);
    let mut unusable = Vec::new();
    for item in running.by_ref() {
        match item? {
            Item::Case(case) => outcome.cases.push(judged(&case)),
            Item::Unusable(what) => unusable.push(what),
        }
    }
    let finished = running.finish()?;
    outcome.interrupted = finished.summary.interrupted > 0;
    match unusable.as_slice() {
        [] if finished.summary.status(None, false, false) == Status::Unusable => {
            finished.log_remarks().iter().for_each(|remark| context.remark(remark));
            unfit!("something is wrong with its texts, as was said above");
        }
        [] => Ok(()),
        [first, rest @ ..] => {
            let at = first.place.as_ref().map(|place| format!("{}: ", place.in_line()));
            let id = first.id.as_ref().map(|id| format!("{id}: "));
            let more = match rest.len() {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            unfit!("{}{}{more}", at.or(id).unwrap_or_default(), first.message);
        }
    }
}

/// A verdict; the expected one is added later.
fn judged(case: &Case) -> Judged {
    let mut details = Vec::new();
    if let Some(explanation) = &case.explanation {
        let expected = explanation.expected.iter().take(1);
        details.extend(expected.map(|SpecPlace { action, place, .. }| {
            format!("expected here: {action} at {}", place.in_line())
        }));
        let observed = explanation.observed.iter();
        details.extend(observed.map(|LogPlace { role, action, place, .. }| {
            format!("{role}: {action} at {}", place.in_line())
        }));
        let repairs = explanation.notes.iter().filter(|note| note.topic == "repair");
        details.extend(repairs.map(|note| format!("repair: {}", note.text)));
    }
    Judged {
        id: case.id.clone(),
        found: case.verdict.name(),
        cause: case.explanation.as_ref().map(|explanation| explanation.cause),
        headline: case.headline(),
        details,
        ..Judged::default()
    }
}

fn answers(
    context: &Context,
    outcome: &mut TestOutcome<'_>,
    formula: &Formula,
    settings: &Settings,
    options: &SuiteOptions,
) -> Result<()> {
    let test = outcome.test;
    let text = match formula {
        Formula::Text(text) => text,
        Formula::Property(name) => {
            let found = settings.properties.iter().find(|(known, _)| known == name);
            let Some((_, text)) = found else {
                let known = settings.properties.iter().map(|(name, _)| &**name);
                let help = otus_syntax::suggest::did_you_mean(name, known);
                let help =
                    help.unwrap_or_else(|| format!("write [properties] in {}", settings.name));
                unfit!("there is no property `{name}`; {help}");
            };
            text
        }
    };
    let files = files(context, settings, test)?;
    // Each trace is checked by itself; all logs together are one trace.
    let requests: Vec<(String, &[String])> = if test.traces.is_empty() {
        vec![(test.group.clone().unwrap_or_else(|| "logs".to_owned()), &*files)]
    } else {
        let id = |file: &String| {
            let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
            name.trim_end_matches(".json").trim_end_matches(".pot").to_owned()
        };
        files.iter().map(|file| (id(file), std::slice::from_ref(file))).collect()
    };
    for (id, files) in requests {
        let mut request = ctl::Request::new(files.iter().cloned().chain([text.clone()]));
        request.group.clone_from(&test.group);
        request.limits.timeout = options.timeout;
        request.limits.max_bytes = options.max_bytes;
        if test.traces.is_empty() {
            request.config = Some(settings.folder.join(crate::project::FILE));
        }
        let Some(answer) = ctl::answers(context, &request)?.into_iter().next() else {
            unfit!("it has no formula");
        };
        outcome.cases.push(Judged {
            id,
            found: answer.verdict(),
            headline: answer.headline(),
            details: answer.details(),
            ..Judged::default()
        });
    }
    Ok(())
}

/// The files of a test, with the names that the user would give.
fn files(context: &Context, settings: &Settings, test: &Test) -> Result<Vec<String>> {
    let disk = &*context.files;
    let mut found: Vec<String> = Vec::new();
    for pattern in test.traces.iter().chain(&test.logs) {
        if !pattern.contains(['*', '?', '{']) {
            let path = settings.folder.join(pattern);
            if disk.kind(&path).is_none() {
                unfit!("there is no {}", files::shown(disk, &path));
            }
            found.push(files::shown(disk, &path));
            continue;
        }
        let start = settings.folder_of(pattern);
        let glob = Glob::path(pattern);
        let before = found.len();
        if disk.kind(&start) == Some(FileKind::Folder) {
            let fits = |path: &std::path::PathBuf| {
                settings.relative(disk, path).is_some_and(|name| glob.matches(&name))
            };
            let walked = files::walk(disk, &start)?.into_iter().filter(fits);
            found.extend(walked.map(|path| files::shown(disk, &path)));
        }
        if found.len() == before {
            unfit!("no file fits `{pattern}` in the folder of {}", settings.name);
        }
    }
    Ok(found)
}
