//! What is wrong with a text: the findings of `otus lint` and of loading, with the edits that correct them.
//!
//! The one exception: a Markdown document without a diagram is no mistake here. A text is checked together with the texts that it belongs to ([`family`]), and the findings about it are kept. A
//! signature may have several interactions: a lint about it, such as an unused name, counts only if it holds for all of them.

use std::path::Path;

use otus_syntax::diagnostic::Severity;
use otus_syntax::{Code, Diagnostic, Source, parse_formulas};

use super::fixes::{self, Fix};
use super::place::Location;
use super::{Kind, family, place};
use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::error::{Error, Result};
use crate::files::FileKind;
use crate::{lint, project};

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Useful information about a correct text.
    Note,
    /// Probably not intended.
    Warning,
    /// The text cannot be used as it is.
    Error,
}

/// A finding about a text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The place.
    pub place: Location,
    /// How bad it is.
    pub level: Level,
    /// The code, like `O0301`; empty if the text could not be checked at all.
    pub code: String,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The advice.
    pub help: Option<String>,
    /// Related places with remarks.
    pub related: Vec<(Location, String)>,
    /// The edits that the advice proposes, the likeliest first.
    pub fixes: Vec<Fix>,
}

/// The problems of a text; none for a file of an unknown kind.
pub fn diagnose(context: &Context, path: &Path) -> Vec<Problem> {
    let files = &*context.files;
    let Some(kind) = Kind::of(path) else { return Vec::new() };
    if files.size(path).is_some_and(|size| size > super::LARGEST) {
        return vec![too_large(path)];
    }
    match kind {
        Kind::Model(_) | Kind::Diagram(_) | Kind::Markdown => {
            let mut found = of_all(context, path, &family::specifications(files, path));
            // Who lints a document expects a diagram in it; who edits one does not.
            let nothing = Code::NO_DIAGRAM.to_string();
            found.retain(|problem| kind != Kind::Markdown || problem.code != nothing);
            found
        }
        Kind::Trace => {
            let mut names = family::specification_of_trace(files, path).unwrap_or_default();
            names.push(path.to_string_lossy().into_owned());
            of_all(context, path, &[names])
        }
        Kind::Formulas | Kind::Settings => {
            let found = place::read(files, path).map(|source| {
                let found = match kind {
                    Kind::Settings => project::findings(&source),
                    Kind::Formulas
                    | Kind::Model(_)
                    | Kind::Trace
                    | Kind::Diagram(_)
                    | Kind::Markdown => parse_formulas(&source).diagnostics,
                };
                let problem =
                    |found: &Diagnostic| problem(found, std::slice::from_ref(&source), path);
                found.iter().map(problem).collect()
            });
            found.unwrap_or_default()
        }
    }
}

/// The problems that a file has as a part of each of some specifications.
fn of_all(context: &Context, path: &Path, specifications: &[Vec<String>]) -> Vec<Problem> {
    let lists: Vec<Vec<Problem>> =
        specifications.iter().map(|names| of_one(context, path, names)).collect();
    let is_everywhere = |problem: &Problem| lists.iter().all(|list| list.contains(problem));
    let mut found: Vec<Problem> = Vec::new();
    for problem in lists.iter().flatten() {
        let is_lint = problem.code.starts_with("O07");
        if !found.contains(problem) && (!is_lint || is_everywhere(problem)) {
            found.push(problem.clone());
        }
    }
    found.sort_by_key(|problem| problem.place.start);
    found
}

/// The problems that a file has as a part of one specification.
fn of_one(context: &Context, path: &Path, names: &[String]) -> Vec<Problem> {
    let found = match findings(context, names) {
        Ok(found) => found,
        // Another file of the specification may be missing or unfit; the text can still be checked by itself.
        Err(error) if names.len() > 1 && !matches!(error, Error::Text(_)) => {
            let alone = [path.to_string_lossy().into_owned()];
            match findings(context, &alone) {
                Ok(found) => found,
                Err(error) => return vec![unfit(path, &error)],
            }
        }
        Err(Error::Text(found)) => *found,
        Err(error) => return vec![unfit(path, &error)],
    };
    let name = path.to_string_lossy();
    let is_ours = |found: &&Diagnostic, sources: &[Source]| {
        sources.get(found.primary.source.0 as usize).is_some_and(|source| source.name() == name)
    };
    let Diagnostics { sources, found } = &found;
    let ours = found.iter().filter(|found| is_ours(found, sources));
    ours.map(|found| problem(found, sources, path)).collect()
}

fn findings(context: &Context, names: &[String]) -> Result<Diagnostics> {
    // A file that is not there, or too large, would make the whole specification unreadable.
    let is_there = |name: &&String| {
        let path = family::file_of(name);
        context.files.kind(path) == Some(FileKind::File)
            && context.files.size(path).is_some_and(|size| size <= super::LARGEST)
    };
    let names: Vec<String> = names.iter().filter(is_there).cloned().collect();
    lint::findings(context, &names)
}

fn problem(found: &Diagnostic, sources: &[Source], path: &Path) -> Problem {
    let location = |label: &otus_syntax::Label| {
        let source = sources.get(label.source.0 as usize)?;
        Some(Location::new(Path::new(source.name()), label.span.range()))
    };
    let remarks = found.related.iter().filter_map(|it| Some((location(it)?, it.text.clone())));
    let mut message = found.message.clone();
    if !found.primary.text.is_empty() {
        message = format!("{message} ({})", found.primary.text);
    }
    Problem {
        place: Location::new(path, found.primary.span.range()),
        level: match found.severity {
            Severity::Note => Level::Note,
            Severity::Warning => Level::Warning,
            Severity::Error => Level::Error,
        },
        code: found.code.to_string(),
        message,
        help: found.help.clone(),
        related: remarks.collect(),
        fixes: fixes::of(found, sources),
    }
}

/// A problem about a text that cannot be checked.
fn unfit(path: &Path, error: &Error) -> Problem {
    Problem {
        place: Location::new(path, 0..0),
        level: Level::Error,
        code: String::new(),
        message: error.to_string(),
        help: None,
        related: Vec::new(),
        fixes: Vec::new(),
    }
}

fn too_large(path: &Path) -> Problem {
    Problem {
        place: Location::new(path, 0..0),
        level: Level::Note,
        code: String::new(),
        message: format!(
            "this text has more than {} MiB, so it is not checked while you type",
            super::LARGEST >> 20
        ),
        help: Some("`otus lint` checks texts of every size".to_owned()),
        related: Vec::new(),
        fixes: Vec::new(),
    }
}

/// The canonical form of a text; `None` if it has one already, or there is none for its language.
///
/// # Errors
/// If the text has errors.
pub fn formatted(context: &Context, path: &Path) -> Result<Option<String>> {
    let is_ours = matches!(Kind::of(path), Some(Kind::Model(_) | Kind::Trace | Kind::Formulas));
    if !is_ours || context.files.size(path).is_none_or(|size| size > super::LARGEST) {
        return Ok(None);
    }
    let found = crate::fmt::format(context, &path.to_string_lossy(), None)?;
    Ok((found.text != found.canonical).then_some(found.canonical))
}
