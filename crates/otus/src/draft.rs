//! A text while somebody writes it: what is wrong with it, its picture, and the messages in it.
//!
//! The text need not be saved: the caller's [`Files`](crate::Files) have it. Findings are those of `otus lint`, and those that
//! reading the text as formulas, as a partial-order trace or as `otus.toml` yields. A text with errors has no picture, and the messages
//! that could be read.

use std::ops::Range;
use std::path::{Path, PathBuf};

use otus_core::Signature;
use otus_draw::layout::sequence;
use otus_draw::svg_in_page;
use otus_syntax::ast::{NodeKind, Passing, SpecFile};
use otus_syntax::diagram::markdown::{self, Fence};
use otus_syntax::{Severity, Source};
use otus_trace::order::{Writes, pot};

use crate::context::Context;
use crate::diagnostics::Diagnostics;
use crate::error::{Error, Result};
use crate::files::FileKind;
use crate::format::Format;
use crate::lint;
use crate::load::{Loaded, Sources};
use crate::project;

/// What is known about a text.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Draft {
    /// What is wrong with it, in the order of the text.
    pub findings: Vec<TextFinding>,
    /// Its picture as an `<svg>` element for a page, if it is wanted and the text can be drawn.
    pub svg: Option<String>,
    /// Its messages, in the order of the text.
    pub messages: Vec<SpecMessage>,
}

/// A finding about a text, with all its places.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextFinding {
    /// The code, like `O0301`; empty for what has none.
    pub code: String,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// The message.
    pub message: String,
    /// The advice.
    pub help: Option<String>,
    /// The name of the text.
    pub file: String,
    /// The bytes of the text.
    pub span: Range<usize>,
    /// The first line and column, from 1, columns in characters; 0 if the finding is about the whole text.
    pub start: (usize, usize),
    /// The last line, and the column after the last one.
    pub end: (usize, usize),
    /// The bytes to replace, and the text to put there, if that is certain enough.
    pub fix: Option<(Range<usize>, String)>,
}

/// A message of a diagram, or a leaf of an interaction.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpecMessage {
    /// Like `shop->bank: pay`.
    pub text: String,
    /// Its actions, like `shop!pay` and `bank?pay`.
    pub actions: Vec<String>,
    /// The line, from 1.
    pub line: usize,
    /// The bytes of the text.
    pub span: Range<usize>,
    /// The name of its element in the picture: `node-7`.
    pub node: String,
}

/// Which text, and what of it is wanted.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct DraftRequest {
    /// The file.
    pub file: String,
    /// The specification in it, with its heading if it has several: `page.md#login`. The file itself if it is `None`.
    pub spec: Option<String>,
    /// The beginning of the ids in the picture, if one is wanted.
    pub picture: Option<String>,
}

impl DraftRequest {
    /// A request about a file, without a picture.
    pub fn new(file: impl Into<String>) -> DraftRequest {
        DraftRequest { file: file.into(), spec: None, picture: None }
    }
}

/// Looks at a text.
///
/// # Errors
/// If it cannot be read. Mistakes in the text are findings.
pub fn look(context: &Context, request: &DraftRequest) -> Result<Draft> {
    let path = Path::new(&request.file);
    let mut draft = Draft::default();
    if path.file_name().is_some_and(|name| name == project::FILE) {
        let found = project::Settings::read(context, path).map(|_| ());
        draft.findings = refused(found, path)?;
        return Ok(draft);
    }
    match Format::of_name(path) {
        Some(
            Format::Hsf
            | Format::Hif
            | Format::Hcf
            | Format::Mermaid
            | Format::Plantuml
            | Format::Markdown,
        ) => look_at_spec(context, request, draft),
        Some(Format::Htf) => {
            draft.findings = match lint::lint(context, std::slice::from_ref(&request.file), None) {
                Ok(linted) => findings(&linted.found),
                Err(error) => refused(Err(error), path)?,
            };
            Ok(draft)
        }
        Some(Format::Ctl) => {
            let mut sources = Sources::default();
            let input = sources.read(&*context.files, &request.file, Some(Format::Ctl))?;
            let mut found = std::mem::take(&mut sources.diagnostics);
            found.extend(otus_syntax::parse_formulas(sources.source(input.source)).diagnostics);
            draft.findings = findings(&Diagnostics::new(sources.all, found));
            Ok(draft)
        }
        Some(Format::Pot) => {
            let mut sources = Sources::default();
            let input = sources.read(&*context.files, &request.file, Some(Format::Pot))?;
            let mut found = std::mem::take(&mut sources.diagnostics);
            if let Err(faults) = pot::read(sources.source(input.source), Writes::Checked) {
                found.extend(faults);
            }
            draft.findings = findings(&Diagnostics::new(sources.all, found));
            Ok(draft)
        }
        Some(Format::Jsonl | Format::Parquet | Format::Cnf) | None => Ok(draft),
    }
}

/// The files of the specification that a file belongs to: those of `otus.toml` if it is one of them, or else the files with
/// the same name and the endings `.hsf` and `.hif`.
pub fn companions(context: &Context, file: &str) -> Vec<String> {
    let path = Path::new(file);
    let files = &*context.files;
    if !matches!(Format::of_name(path), Some(Format::Hsf | Format::Hif | Format::Hcf)) {
        return vec![file.to_owned()];
    }
    let settings = project::find(files, path)
        .and_then(|config| project::Settings::read(&quiet(context), &config).ok());
    if let Some(settings) = settings {
        let rules = settings.specs.iter().map(|rule| &rule.files);
        let same = |name: &String| files.absolute(Path::new(name)) == files.absolute(path);
        let mut all = rules.chain(std::iter::once(&settings.spec));
        if let Some(names) = all.find(|names| names.iter().any(same)) {
            return names.clone();
        }
    }
    let mut names = Vec::new();
    for ending in ["hsf", "hif", "hcf"] {
        let other: PathBuf = path.with_extension(ending);
        if other == path || ending != "hcf" && files.kind(&other) == Some(FileKind::File) {
            names.push(other.to_string_lossy().into_owned());
        }
    }
    names
}

/// The names after `#` of the diagrams in a Markdown document: the anchor of the heading above, or the number of the diagram if
/// several have it. Empty for the only diagram.
pub fn headings(text: &str) -> Vec<String> {
    let fences = markdown::fences(&Source::new("page", text), &mut Vec::new());
    if fences.len() == 1 {
        return vec![String::new()];
    }
    let name = |(index, fence): (usize, &Fence)| {
        let same = |other: &&Fence| other.heading == fence.heading;
        match &fence.heading {
            Some(heading) if fences.iter().filter(same).count() == 1 => heading.clone(),
            Some(_) | None => (index + 1).to_string(),
        }
    };
    fences.iter().enumerate().map(name).collect()
}

/// The context without its monitor.
fn quiet(context: &Context) -> Context {
    Context { monitor: std::sync::Arc::new(crate::context::Silent), ..context.clone() }
}

fn look_at_spec(context: &Context, request: &DraftRequest, mut draft: Draft) -> Result<Draft> {
    let path = Path::new(&request.file);
    let names = companions(context, &request.file);
    draft.findings = match lint::lint(context, &names, None) {
        Ok(linted) => findings(&linted.found),
        Err(error) => refused(Err(error), path)?,
    };
    let spec = match &request.spec {
        Some(spec) if names.len() == 1 => vec![spec.clone()],
        _ => names,
    };
    let Ok(mut loaded) = Loaded::read(&quiet(context), &spec, None) else { return Ok(draft) };
    let Some(spec) = loaded.specs.first() else { return Ok(draft) };
    let Some(file) = spec.files.iter().find(|file| file.interaction.is_some()) else {
        return Ok(draft);
    };
    let (file, source) = (file.clone(), loaded.sources.source(file.source).clone());
    draft.messages = messages(&file, &source);
    let Some(id) = &request.picture else { return Ok(draft) };
    if let Ok((lowered, _)) = loaded.only_interaction(&quiet(context)) {
        draft.svg = Some(picture(&file, lowered.pool.signature(), &draft.messages, id));
    }
    Ok(draft)
}

/// The picture of a specification, in which each message is an element with an id.
fn picture(file: &SpecFile, signature: &Signature, messages: &[SpecMessage], id: &str) -> String {
    let mut scene = sequence::sequence(file, signature, &sequence::Options::default());
    for message in messages {
        let text = format!("line {}: {}", message.line, message.text);
        scene.tooltips.insert(message.node.clone(), text);
    }
    svg_in_page(&scene, id)
}

/// The messages of a specification, in the order of the text.
fn messages(file: &SpecFile, source: &Source) -> Vec<SpecMessage> {
    let Some(interaction) = &file.interaction else { return Vec::new() };
    let mut messages: Vec<SpecMessage> = interaction
        .nodes
        .iter()
        .enumerate()
        .filter_map(|(number, node)| {
            let NodeKind::Passing(passing) = &node.kind else { return None };
            let (text, actions) = in_words(file, passing);
            let (line, _) = source.line_column(node.span.start);
            let node_name = format!("node-{number}");
            Some(SpecMessage { text, actions, line, span: node.span.range(), node: node_name })
        })
        .collect();
    messages.sort_by_key(|message| (message.span.start, message.span.end));
    messages
}

fn in_words(file: &SpecFile, passing: &Passing) -> (String, Vec<String>) {
    let name = |name: &otus_syntax::name::Name| file.names.text(name.symbol).to_owned();
    let message = name(&passing.message);
    let origin = passing.origin.as_ref().map(name);
    let targets: Vec<String> = passing.target.lifelines().iter().map(name).collect();
    let sends = origin.iter().map(|origin| format!("{origin}!{message}"));
    let receives = targets.iter().map(|target| format!("{target}?{message}"));
    let actions = sends.chain(receives).collect();
    let from = origin.unwrap_or_default();
    (format!("{from}->{}: {message}", targets.join(", ")), actions)
}

/// The findings of an error; one without a place if it is about something else than a text.
fn refused(found: Result<()>, path: &Path) -> Result<Vec<TextFinding>> {
    match found {
        Ok(()) => Ok(Vec::new()),
        Err(Error::Text(found)) => Ok(findings(&found)),
        Err(Error::Unfit(message)) => Ok(vec![TextFinding {
            code: String::new(),
            severity: "error",
            message,
            help: None,
            file: path.to_string_lossy().into_owned(),
            span: 0..0,
            start: (0, 0),
            end: (0, 0),
            fix: None,
        }]),
        Err(other @ (Error::Read { .. } | Error::Stopped(_) | Error::Bug(_))) => Err(other),
    }
}

impl Diagnostics {
    /// All diagnostics with all their places, as an editor shows them.
    pub fn text_findings(&self) -> Vec<TextFinding> {
        findings(self)
    }
}

fn findings(found: &Diagnostics) -> Vec<TextFinding> {
    let finding = |found_one: &otus_syntax::Diagnostic| {
        let source = found.sources.get(found_one.primary.source.0 as usize)?;
        let span = found_one.primary.span;
        Some(TextFinding {
            code: found_one.code.to_string(),
            severity: match found_one.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            message: found_one.message.clone(),
            help: found_one.help.clone(),
            file: source.name().to_owned(),
            span: span.range(),
            start: source.line_column(span.start),
            end: source.line_column(span.end),
            fix: found_one.fix.as_ref().map(|fix| (fix.span.range(), fix.replacement.clone())),
        })
    };
    found.found.iter().filter_map(finding).collect()
}
