//! What can be analysed in a text, and the verdicts in words.
//!
//! What a specification is tested with is found in this order: the tests of the `otus.toml` that names it, the logs of that
//! file, and the traces of its [`family`].

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use otus_syntax::parse_spec;

use super::{Kind, family, place, regions};
use crate::analysis::{Limits, Request};
use crate::case::Verdict;
use crate::context::Context;
use crate::error::{Error, Result, unfit};
use crate::format::Format;
use crate::project::expectation::Test;
use crate::project::{Checked, Settings};
use crate::suite::{self, SuiteOptions, TestOutcome};
use crate::units::counted;

/// The time for one verdict, unless the caller has another limit.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A part of a text that can be analysed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    /// The line to show it at, as the range of its text.
    pub range: Range<usize>,
    /// The diagram in a document with several: a heading or a number.
    pub selector: Option<String>,
}

/// The verdicts about a specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdicts {
    /// All in a line: `1 pass, 0 weak, 1 fail, 0 undecided`.
    pub summary: String,
    /// The failures with their explanations, and the counts.
    pub text: String,
    /// Whether something failed, or is not as expected.
    pub has_failed: bool,
}

/// The parts of a text that can be analysed.
pub fn lenses(context: &Context, path: &Path) -> Vec<Lens> {
    let (Some(kind), Some(source)) = (Kind::of(path), place::read(&*context.files, path)) else {
        return Vec::new();
    };
    let line = |start: usize| {
        let (start, line) = place::line_at(source.text(), start);
        start..start + line.len()
    };
    match kind {
        Kind::Model(Format::Hsf | Format::Hif) => {
            let tree = parse_spec(&source).tree;
            let root = tree.interaction.map(|it| it.node(it.root).span.start as usize);
            root.map(|root| Lens { range: line(root), selector: None }).into_iter().collect()
        }
        Kind::Diagram(_) | Kind::Markdown => {
            let lens = |it: regions::Region| {
                let start = it.span.start as usize;
                Lens { range: line(start), selector: it.selector }
            };
            regions::of(&source, kind).into_iter().map(lens).collect()
        }
        Kind::Trace => vec![Lens { range: line(0), selector: None }],
        Kind::Settings => {
            let settings = family::Named::nearest(&*context.files, path);
            let has_spec = settings.is_some_and(|it| !it.specs.is_empty());
            has_spec.then(|| Lens { range: line(0), selector: None }).into_iter().collect()
        }
        Kind::Model(_) | Kind::Formulas => Vec::new(),
    }
}

/// The verdicts about the specification of a text, or about one of its diagrams.
///
/// # Errors
/// If a text has mistakes, or there is nothing to test the specification with.
pub fn verdicts(
    context: &Context,
    path: &Path,
    selector: Option<&str>,
    limits: Limits,
) -> Result<Verdicts> {
    let mut found = found(context, path, selector, limits)?;
    // Who reads them knows the folder.
    if let Some(folder) = path.parent().filter(|folder| folder.parent().is_some()) {
        found.text = found.text.replace(&format!("{}/", folder.display()), "");
    }
    Ok(found)
}

fn found(
    context: &Context,
    path: &Path,
    selector: Option<&str>,
    limits: Limits,
) -> Result<Verdicts> {
    let files = &*context.files;
    let name = path.to_string_lossy().into_owned();
    if Kind::of(path) == Some(Kind::Trace) {
        let Some(mut names) = family::specification_of_trace(files, path) else {
            unfit!(
                "no specification of this trace is known: name one in otus.toml (spec = \"model.hif\"), or give the trace \
                 a name that begins with that of its specification"
            );
        };
        names.push(name);
        return checked(context, limits, Request::new(names));
    }
    let named = family::Named::nearest(files, path);
    if let Some(named) = named.filter(|it| it.settings == path || it.spec_of(path).is_some()) {
        let settings = Settings::read(context, &named.settings)?;
        // A test that names no specification is about that of the file.
        let is_ours = |test: &&Test| {
            let whole = |name: &String| settings.folder.join(name).to_string_lossy().into_owned();
            let mut specs = test.spec.iter().map(whole);
            named.settings == path
                || test.spec.is_empty()
                || specs.any(|name| files.absolute(family::file_of(&name)) == path)
        };
        let tests: Vec<&Test> = settings.tests.iter().filter(is_ours).collect();
        if !tests.is_empty() {
            return tested(context, limits, &settings, &tests);
        }
        if !settings.plan.sources.is_empty() {
            let request = Request { config: Some(named.settings), ..Request::default() };
            return checked(context, limits, request);
        }
    }
    let traces = family::traces_of(files, path);
    if traces.is_empty() {
        unfit!(
            "there is nothing to test this specification with: put a multi-trace (.htf) beside it, or name it in an \
             otus.toml that says where the logs are"
        );
    }
    let traces = traces.iter().map(|it| it.to_string_lossy().into_owned());
    let mut names = match family::specifications(files, path).into_iter().next() {
        Some(spec) if selector.is_none() => spec,
        Some(_) | None => vec![name],
    };
    if let (Some(selector), [only]) = (selector, names.as_mut_slice()) {
        *only = format!("{only}#{selector}");
    }
    names.extend(traces);
    checked(context, limits, Request::new(names))
}

fn checked(context: &Context, limits: Limits, mut request: Request) -> Result<Verdicts> {
    request.limits = Limits { timeout: limits.timeout.or(Some(TIMEOUT)), ..limits };
    let found = Checked::collect(context, &request)?;
    stopped(context)?;
    let has_failed = found.count(Verdict::Fail) > 0;
    Ok(Verdicts {
        summary: found.summary.verdicts.to_string(),
        text: found.to_string(),
        has_failed,
    })
}

/// The outcomes of the tests of an `otus.toml`.
fn tested(
    context: &Context,
    limits: Limits,
    settings: &Settings,
    tests: &[&Test],
) -> Result<Verdicts> {
    let options = SuiteOptions {
        timeout: limits.timeout.or(Some(TIMEOUT)),
        max_bytes: limits.max_bytes,
        ..SuiteOptions::default()
    };
    let (mut text, mut expected) = (String::new(), 0);
    for test in tests {
        stopped(context)?;
        let outcome = suite::run(context, test, settings, &options);
        expected += usize::from(outcome.is_expected());
        describe(&outcome, &mut text);
    }
    stopped(context)?;
    let total = tests.len();
    let summary = format!("{expected} of {} as expected", counted(total, "test"));
    let _ = write!(text, "{summary}");
    Ok(Verdicts { summary, text, has_failed: expected < total })
}

fn describe(outcome: &TestOutcome<'_>, text: &mut String) {
    let name = &outcome.test.name;
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for case in &outcome.cases {
        match counts.iter_mut().find(|(found, _)| *found == case.found) {
            Some((_, count)) => *count += 1,
            None => counts.push((case.found, 1)),
        }
    }
    let counts: Vec<String> =
        counts.iter().map(|(found, count)| format!("{count} {found}")).collect();
    let is = if outcome.is_expected() { "as expected" } else { "not as expected" };
    let _ = writeln!(text, "{name}: {is} ({})", counts.join(", "));
    if let Some(error) = &outcome.error {
        let _ = writeln!(text, "  {error}");
    }
    for id in &outcome.absent {
        let _ = writeln!(text, "  there is no `{id}`");
    }
    for case in outcome.cases.iter().filter(|case| !case.is_expected()) {
        let wanted = case
            .wanted
            .as_ref()
            .map_or_else(String::new, |it| format!(", not {}", it.join(" or ")));
        let _ = writeln!(text, "  {}: {}{wanted}: {}", case.id, case.found, case.headline);
        for line in &case.details {
            let _ = writeln!(text, "    {line}");
        }
    }
}

fn stopped(context: &Context) -> Result<()> {
    match context.cancel.requested() {
        Some(stop) => Err(Error::Stopped(stop)),
        None => Ok(()),
    }
}
