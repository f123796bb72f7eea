//! A diagram that allows what a failing run did: the other repair.
//!
//! If the logs are right, the diagram is wrong. [`amend`] proposes changes of its text after which the run is allowed: a message that was
//! observed and not expected is added as an optional one, and a message that was expected and not observed becomes optional.
//!
//! *Invariant.* Every change only adds behaviours: an optional part may be left out. So a run that passed still passes.
//!
//! The changes are found one after the other, each by trying it: of the likely places the one after which most of the run is
//! explained. This is a proposal for a person and not a smallest one; that the run passes with it is checked, and nothing else is claimed.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use otus_analysis::Verdict;

use crate::analysis::study::{StepState, Steps, Study};
use crate::analysis::{Explain, Request, WitnessPolicy, analyze};
use crate::context::{Context, Silent};
use crate::draft::{self, DraftRequest, SpecMessage};
use crate::error::Result;
use crate::files::{FileKind, Files};
use crate::format::Format;

/// A proposed change of a diagram.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Amended {
    /// The changes in words.
    pub edits: Vec<String>,
    /// The changed file.
    pub change: Option<SpecChange>,
    /// Why there is no change.
    pub reason: Option<String>,
}

/// A changed diagram.
#[derive(Debug, Clone)]
pub struct SpecChange {
    /// The file, as the request names it.
    pub file: String,
    /// Its text.
    pub before: String,
    /// Its text after the change.
    pub after: String,
}

/// The most changes that are tried one after the other.
const MOST: usize = 24;

/// Proposes a change of the diagram after which a failing run is allowed.
///
/// # Errors
/// Those of [`Study::open`].
pub fn amend(context: &Context, request: &Request, id: &str) -> Result<Amended> {
    let context = &Context { monitor: Arc::new(Silent), ..context.clone() };
    let study = Study::open(context, request, id)?;
    if study.case().verdict != Verdict::Fail {
        return Ok(Amended::refused("the run does not fail"));
    }
    let Some((file, before)) = study.specification() else {
        return Ok(Amended::refused("several specifications are given; choose one"));
    };
    if !Format::of_name(Path::new(&file)).is_some_and(Format::is_diagram) {
        return Ok(Amended::refused(
            "only diagrams are changed: this is an interaction in the language of Otus",
        ));
    }
    let mut search =
        Search { context, request, id, file, text: before.clone(), edits: Vec::new(), last: None };
    let mut study = study;
    for _ in 0..MOST {
        if !search.improve(&study)? {
            let reason = match study.case().failure() {
                Some(told) => format!("no change of a line allows this: {}", told.headline),
                None => "no change of a line allows this run".to_owned(),
            };
            return Ok(Amended::refused(&reason));
        }
        let changed = search.context_with(&search.text);
        study = Study::open(&changed, request, id)?;
        if study.case().conforms() {
            let Search { file, text, edits, .. } = search;
            return Ok(Amended {
                edits,
                change: Some(SpecChange { file, before, after: text }),
                reason: None,
            });
        }
    }
    Ok(Amended::refused(
        "more changes would be needed than are tried; the diagram describes something else",
    ))
}

impl Amended {
    fn refused(reason: &str) -> Amended {
        Amended { reason: Some(reason.to_owned()), ..Amended::default() }
    }
}

struct Search<'s> {
    context: &'s Context,
    request: &'s Request,
    id: &'s str,
    file: String,
    text: String,
    edits: Vec<String>,
    /// The line of the message that was added last, from 1.
    last: Option<usize>,
}

/// A text to try.
struct Candidate {
    text: String,
    edit: String,
    last: Option<usize>,
}

impl Search<'_> {
    fn context_with(&self, text: &str) -> Context {
        overlaid(self.context, Path::new(&self.file), text)
    }

    /// Makes the change after which most of the run is explained. Whether there is one that explains more than before.
    fn improve(&mut self, study: &Study) -> Result<bool> {
        let steps = study.steps();
        let context = self.context_with(&self.text);
        let drafted = draft::look(&context, &DraftRequest::new(&self.file))?;
        let before = self.explained(&context).unwrap_or((Verdict::Fail, 0));
        let mut best: Option<((Verdict, usize), Candidate)> = None;
        for candidate in self.candidates(study, &steps, &drafted.messages) {
            let Some(found) = self.explained(&self.context_with(&candidate.text)) else { continue };
            if found > before && best.as_ref().is_none_or(|(known, _)| found > *known) {
                best = Some((found, candidate));
            }
            if self.context.cancel.is_cancelled() {
                return Ok(false);
            }
        }
        let Some((_, Candidate { text, edit, last })) = best else { return Ok(false) };
        (self.text, self.last) = (text, last);
        self.edits.push(edit);
        Ok(true)
    }

    /// The verdict of the run, and how many of its events are explained. `None` if the text has mistakes.
    fn explained(&self, context: &Context) -> Option<(Verdict, usize)> {
        let request = Request {
            explain: Explain::None,
            witness: WitnessPolicy::None,
            is_spec_known: true,
            coverage: false,
            pictures: false,
            group: Some(self.id.to_owned()),
            ..self.request.clone()
        };
        let plain = Request { group: None, ..request.clone() };
        let analysis = analyze(context, &request).or_else(|_| analyze(context, &plain)).ok()?;
        let case = analysis.cases().filter_map(Result::ok).find(|case| case.id == self.id)?;
        let explained = case.furthest.iter().map(|log| log.explained).sum();
        Some((case.verdict, explained))
    }

    /// The changes that may help, the likely ones first.
    fn candidates(&self, study: &Study, steps: &Steps, messages: &[SpecMessage]) -> Vec<Candidate> {
        let mut lines: Vec<usize> = Vec::new();
        let mut line = |at: usize| {
            if at > 0 && !lines.contains(&at) {
                lines.push(at);
            }
        };
        let expected = study.case().failure().map(|it| it.expected.as_slice()).unwrap_or_default();
        for it in expected {
            line(it.place.line);
        }
        let blamed: Vec<(usize, usize)> = steps
            .steps
            .iter()
            .filter(|step| step.state == StepState::Blamed)
            .filter_map(|step| step.event)
            .collect();
        let mut after: Vec<usize> = self.last.into_iter().collect();
        for &(log, event) in &blamed {
            let before = event.checked_sub(1).map(|before| (log, before));
            let matched =
                steps.steps.iter().find(|step| step.event.is_some() && step.event == before);
            after.extend(matched.and_then(|step| Some(step.spec.as_ref()?.line)));
        }
        // The last message that was matched at all.
        let last = steps.steps[..steps.explained].iter().rev().find_map(|step| step.spec.as_ref());
        after.extend(last.map(|place| place.line));
        let mut candidates = Vec::new();
        let mut wanted: Vec<String> = Vec::new();
        for &(log, event) in &blamed {
            let Some(arrow) = self.arrow(study, steps, messages, (log, event)) else { continue };
            if !wanted.contains(&arrow) {
                wanted.push(arrow);
            }
        }
        for arrow in &wanted {
            if let Some(last) = self.last {
                candidates.push(self.joined(arrow, last));
            }
            for &at in &lines {
                candidates.extend(self.inserted(arrow, at));
            }
            for &at in &after {
                candidates.extend(self.inserted(arrow, at + 1));
            }
        }
        for &at in &lines {
            candidates.extend(self.optional(at));
        }
        candidates
    }

    /// The line of the diagram for an event that has none where it happened.
    fn arrow(
        &self,
        study: &Study,
        steps: &Steps,
        messages: &[SpecMessage],
        at: (usize, usize),
    ) -> Option<String> {
        let action = &steps.logs.get(at.0)?.events.get(at.1)?.action;
        // A line with the same message between the same lifelines is written as the author would.
        if let Some(known) = messages.iter().find(|it| it.actions.contains(action)) {
            return Some(self.text.lines().nth(known.line - 1)?.trim().to_owned());
        }
        let (from, to, message) = study.ends(at)?;
        let is_plantuml = Format::of_name(Path::new(&self.file)) == Some(Format::Plantuml)
            || self.text.contains("@startuml");
        let arrow = if is_plantuml { "->" } else { "->>" };
        let spelled =
            |name: &str| if is_plantuml { format!("\"{name}\"") } else { name.to_owned() };
        let is_plain = |name: &str| name.chars().all(|it| it.is_alphanumeric() || it == '_');
        let end = |name: String| if is_plain(&name) { name } else { spelled(&name) };
        Some(format!("{}{arrow}{}: {message}", end(from), end(to)))
    }

    fn indent(&self, line: usize) -> String {
        let text = self.text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        text.chars().take_while(|it| it.is_whitespace()).collect()
    }

    /// The text with lines before another one, from 1.
    fn with_lines(&self, line: usize, new: &[String]) -> String {
        let mut lines: Vec<&str> = self.text.lines().collect();
        let at = line.saturating_sub(1).min(lines.len());
        lines.splice(at..at, new.iter().map(String::as_str));
        let mut text = lines.join("\n");
        if self.text.ends_with('\n') {
            text.push('\n');
        }
        text
    }

    /// An optional message before a line.
    fn inserted(&self, arrow: &str, line: usize) -> Option<Candidate> {
        (line > 1).then(|| {
            let indent = self.indent(line.min(self.text.lines().count()));
            let new = [
                format!("{indent}opt seen in a run"),
                format!("{indent}  {arrow}"),
                format!("{indent}end"),
            ];
            Candidate {
                text: self.with_lines(line, &new),
                edit: format!("{}:{line}: `{arrow}` is allowed here", self.file),
                last: Some(line + 1),
            }
        })
    }

    /// A further message after the one that was added last, in the same optional part.
    fn joined(&self, arrow: &str, last: usize) -> Candidate {
        let indent = self.indent(last);
        let line = last + 1;
        Candidate {
            text: self.with_lines(line, &[format!("{indent}{arrow}")]),
            edit: format!("{}:{line}: then `{arrow}`", self.file),
            last: Some(line),
        }
    }

    /// A message that may be missing.
    fn optional(&self, line: usize) -> Option<Candidate> {
        let old = self.text.lines().nth(line.checked_sub(1)?)?;
        let indent = self.indent(line);
        let mut lines: Vec<String> = self.text.lines().map(str::to_owned).collect();
        let new = [
            format!("{indent}opt missing in a run"),
            format!("{indent}  {}", old.trim()),
            format!("{indent}end"),
        ];
        lines.splice(line - 1..line, new);
        let mut text = lines.join("\n");
        if self.text.ends_with('\n') {
            text.push('\n');
        }
        let edit = format!("{}:{line}: `{}` may be missing", self.file, old.trim());
        Some(Candidate { text, edit, last: None })
    }
}

/// A context in which a file has another text.
pub(crate) fn overlaid(context: &Context, path: &Path, text: &str) -> Context {
    let files = context.files.clone();
    let path = files.absolute(path);
    let overlay = Overlay { files, path, text: text.as_bytes().to_vec() };
    Context { files: Arc::new(overlay), ..context.clone() }
}

/// Files of which one has another text.
#[derive(Debug)]
struct Overlay {
    files: Arc<dyn Files>,
    path: PathBuf,
    text: Vec<u8>,
}

impl Overlay {
    fn is_here(&self, path: &Path) -> bool {
        self.files.absolute(path) == self.path
    }
}

impl Files for Overlay {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        if self.is_here(path) {
            Ok(Box::new(io::Cursor::new(self.text.clone())))
        } else {
            self.files.open(path)
        }
    }

    fn open_at(&self, path: &Path, start: u64) -> io::Result<Box<dyn Read + Send>> {
        if self.is_here(path) {
            let start = usize::try_from(start).unwrap_or(usize::MAX).min(self.text.len());
            return Ok(Box::new(io::Cursor::new(self.text[start..].to_vec())));
        }
        self.files.open_at(path, start)
    }

    fn kind(&self, path: &Path) -> Option<FileKind> {
        if self.is_here(path) { Some(FileKind::File) } else { self.files.kind(path) }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<(PathBuf, FileKind)>> {
        self.files.list(folder)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        self.files.absolute(path)
    }

    fn resolved(&self, path: &Path) -> PathBuf {
        self.files.resolved(path)
    }

    fn working_folder(&self) -> PathBuf {
        self.files.working_folder()
    }

    fn size(&self, path: &Path) -> Option<u64> {
        if self.is_here(path) { Some(self.text.len() as u64) } else { self.files.size(path) }
    }
}
