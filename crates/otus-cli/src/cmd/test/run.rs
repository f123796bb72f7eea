//! One test: the question it stands for, and its answers beside what was expected.

use std::path::Path;

use anyhow::{Context as _, bail};
use clap::Parser as _;
use otus_analysis::Verdict;
use otus_trace::mapping::Glob;

use crate::args::{AnalyzeArgs, CtlArgs, TestArgs};
use crate::shell::Shell;
use crate::cmd::{analyze, ctl};
use crate::exit::Exit;
use otus::project::expectation::{Formula, Test, Wanted};
use otus::logs::walk;
use crate::output::Told;
use otus::project::{self, Project};
use crate::report::model::Case;

/// What became of a test.
#[derive(Debug)]
pub(super) struct Outcome<'p> {
    pub(super) test: &'p Test,
    pub(super) cases: Vec<Judged>,
    /// Ids of which something is expected, and which there are not.
    pub(super) absent: Vec<&'p str>,
    /// Why it could not be run.
    pub(super) error: Option<String>,
    pub(super) interrupted: bool,
}

/// An answer beside what was expected.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) id: String,
    pub(super) found: &'static str,
    /// Of a Fail: the id of its cause, if it was worked out.
    pub(super) cause: Option<&'static str>,
    /// What is expected, if something is.
    pub(super) wanted: Option<Vec<&'static str>>,
    pub(super) wanted_cause: Option<Vec<&'static str>>,
    /// What was found, in a line.
    pub(super) headline: String,
    /// More about it.
    pub(super) details: Vec<String>,
}

impl Outcome<'_> {
    pub(super) fn is_expected(&self) -> bool {
        self.error.is_none()
            && !self.interrupted
            && !self.is_stubborn()
            && self.cases.iter().all(Judged::is_expected)
    }

    /// Whether it differs because something is not there.
    pub(super) fn is_stubborn(&self) -> bool {
        !self.absent.is_empty() || self.cases.is_empty()
    }
}

impl Judged {
    pub(super) fn is_expected(&self) -> bool {
        self.wanted.as_ref().is_some_and(|wanted| wanted.contains(&self.found))
            && self.is_cause_expected()
    }

    pub(super) fn is_cause_expected(&self) -> bool {
        match &self.wanted_cause {
            Some(wanted) if self.found == Verdict::Fail.name() => {
                self.cause.is_some_and(|cause| wanted.contains(&cause))
            }
            Some(_) | None => true,
        }
    }
}

pub(super) fn run<'p>(
    test: &'p Test,
    project: &'p Project,
    args: &TestArgs,
    shell: &Shell,
) -> Outcome<'p> {
    let mut outcome =
        Outcome { test, cases: Vec::new(), absent: Vec::new(), error: None, interrupted: false };
    let found = match &test.formula {
        None => verdicts(&mut outcome, project, args, color),
        Some(formula) => answers(&mut outcome, formula, project, args, color),
    };
    if let Err(error) = found {
        outcome.error = Some(if error.is::<Told>() {
            "something is wrong with its texts, as was said above".to_owned()
        } else {
            format!("{error:#}")
        });
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

/// The verdicts on what a test is about.
fn verdicts(
    outcome: &mut Outcome<'_>,
    project: &Project,
    args: &TestArgs,
    shell: &Shell,
) -> anyhow::Result<()> {
    let test = outcome.test;
    let spec = match test.spec.as_slice() {
        [] => project.spec.clone(),
        some => some.iter().map(|name| project::shown(&project.folder.join(name))).collect(),
    };
    // With several in the file, those are asked for by naming none.
    let is_several = test.traces.is_empty() && !project.specs.is_empty();
    if spec.is_empty() && !is_several {
        bail!(
            "it has no specification; say spec = \"docs/protocol.md#login\" in it, or at the top \
             of {}",
            project.name
        );
    }
    let mut call = vec!["otus".to_owned(), "--format=tap".to_owned()];
    // A Fail that is expected needs no explanation, unless its cause is.
    let explain = match (&test.expect, &test.cause) {
        (_, Some(_)) => "full",
        (Some(Wanted::All(words)), None) if words.words.contains(&"Fail") => "none",
        (Some(_) | None, None) => "short",
    };
    call.push(format!("--explain={explain}"));
    let settings = [("observed", &test.observed), ("kind", &test.kind), ("group", &test.group)];
    for (flag, value) in settings {
        call.extend(value.iter().map(|value| format!("--{flag}={value}")));
    }
    call.extend(args.jobs.iter().map(|jobs| format!("--jobs={jobs}")));
    call.extend(args.timeout.iter().map(|seconds| format!("--timeout={seconds}")));
    if test.traces.is_empty() {
        call.push(format!("--config={}", project.name));
    }
    call.push("--".to_owned());
    call.extend(spec);
    call.extend(files(project, test)?);
    let gathered = analyze::gather(&AnalyzeArgs::try_parse_from(call)?, color, None)?;
    outcome.interrupted = gathered.totals.interrupted > 0;
    outcome.cases = gathered.cases.iter().map(judged).collect();
    match gathered.unusable.as_slice() {
        [] if gathered.exit == Some(Exit::Error) => bail!(Told),
        [] => Ok(()),
        [first, rest @ ..] => {
            let place = first.place.as_ref();
            let at = place.map(|place| format!("{}:{}: ", place.file, place.line));
            let id = first.id.as_ref().map(|id| format!("{id}: "));
            let more = match rest.len() {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            bail!("{}{}{more}", at.or(id).unwrap_or_default(), first.message)
        }
    }
}

/// A verdict of which it is not known yet what was expected.
fn judged(case: &Case) -> Judged {
    let mut details = Vec::new();
    if let Some(explanation) = &case.explanation {
        let places = explanation.expected.iter().take(1).map(|expected| {
            let (action, place) = (&expected.action, &expected.place);
            format!("expected here: {action} at {}:{}", place.file, place.line)
        });
        details.extend(places);
        let places = explanation.observed.iter().map(|observed| {
            let (role, action, place) = (observed.role, &observed.action, &observed.place);
            format!("{role}: {action} at {}:{}", place.file, place.line)
        });
        details.extend(places);
        let repairs = explanation.notes.iter().filter(|note| note.topic == "repair");
        details.extend(repairs.map(|note| format!("repair: {}", note.text)));
    }
    Judged {
        id: case.id.clone(),
        found: case.verdict.name(),
        cause: case.explanation.as_ref().map(|explanation| explanation.rule),
        wanted: None,
        wanted_cause: None,
        headline: case.headline(),
        details,
    }
}

/// The answers to the formula of a test.
fn answers(
    outcome: &mut Outcome<'_>,
    formula: &Formula,
    project: &Project,
    args: &TestArgs,
    shell: &Shell,
) -> anyhow::Result<()> {
    let test = outcome.test;
    let text = match formula {
        Formula::Text(text) => text,
        Formula::Property(name) => {
            let found = project.properties.iter().find(|(known, _)| known == name);
            let known = project.properties.iter().map(|(name, _)| &**name);
            let help = otus_syntax::suggest::did_you_mean(name, known);
            let help = help.unwrap_or_else(|| format!("write [properties] in {}", project.name));
            &found.with_context(|| format!("there is no property `{name}`; {help}"))?.1
        }
    };
    let files = files(project, test)?;
    // A trace each; logs are one together.
    let calls: Vec<(String, &[String])> = if test.traces.is_empty() {
        vec![(test.group.clone().unwrap_or_else(|| "logs".to_owned()), &*files)]
    } else {
        let id = |file: &String| {
            let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
            name.trim_end_matches(".json").trim_end_matches(".pot").to_owned()
        };
        files.iter().map(|file| (id(file), std::slice::from_ref(file))).collect()
    };
    for (id, files) in calls {
        let mut call = vec!["otus".to_owned()];
        call.extend(test.group.iter().map(|group| format!("--group={group}")));
        call.extend(args.timeout.iter().map(|seconds| format!("--timeout={seconds}")));
        if test.traces.is_empty() {
            call.push(format!("--config={}", project.name));
        }
        call.push("--".to_owned());
        call.extend(files.iter().cloned());
        call.push(text.clone());
        let Some(decided) = ctl::decide(&CtlArgs::try_parse_from(call)?, color)? else {
            bail!(Told);
        };
        let Some(decided) = decided.into_iter().next() else { bail!("it has no formula") };
        let found = match decided.holds {
            Some(true) => "holds",
            Some(false) => "fails",
            None => "undecided",
        };
        let mut lines: Vec<&str> = decided.text.lines().skip(1).collect();
        if decided.holds.is_some() {
            // The last line says how long it took, which is never the same.
            lines.pop();
        }
        let headline = lines.first().map_or(found, |line| line.trim());
        let headline = headline
            .strip_prefix(found)
            .map_or(headline, |it| it.strip_prefix(": ").unwrap_or(found));
        outcome.cases.push(Judged {
            headline: headline.to_owned(),
            details: lines.iter().skip(1).map(|line| line.trim().to_owned()).collect(),
            id,
            found,
            cause: None,
            wanted: None,
            wanted_cause: None,
        });
    }
    Ok(())
}

/// The files that a test is about, as the user would name them.
fn files(project: &Project, test: &Test) -> anyhow::Result<Vec<String>> {
    let mut files: Vec<String> = Vec::new();
    for pattern in test.traces.iter().chain(&test.logs) {
        if !pattern.contains(['*', '?', '{']) {
            let path = project.folder.join(pattern);
            if !path.exists() {
                bail!("there is no {}", project::shown(&path));
            }
            files.push(project::shown(&path));
            continue;
        }
        // The folders before the first wildcard.
        let plain = pattern.split(['*', '?', '{']).next().unwrap_or_default();
        let start = plain.rfind('/').map_or("", |end| &plain[..end]);
        let start = project.folder.join(start);
        let glob = Glob::path(pattern);
        let before = files.len();
        if start.is_dir() {
            let fits = |path: &std::path::PathBuf| {
                project.relative(path).is_some_and(|name| glob.matches(&name))
            };
            let found = walk(&start)?.into_iter().filter(fits);
            files.extend(found.map(|path| project::shown(&path)));
        }
        if files.len() == before {
            bail!("no file fits `{pattern}` in the folder of {}", project.name);
        }
    }
    Ok(files)
}
