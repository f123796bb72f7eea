//! Runs the literate cases of `spec/`.
//!
//! A case is a heading and the fences below it. Fences are what the case is about and what is
//! expected of it:
//!
//! | fence | meaning |
//! |---|---|
//! | `hsf`, `hif`, `hcf` | one specification: a `hsf` or `hcf` without interaction belongs to every `hif` of its case |
//! | `mermaid`, `plantuml` | a specification by itself |
//! | `htf` | a multi-trace, resolved against the first specification of its case |
//! | `term` | the term of *every* specification of the case, as the papers write it |
//! | `canonical` | what the fence before it is printed as |
//! | `diagnostics` | what is said about the fence before it: `CODE line:column message` lines |
//! | `lints` | what the linter adds about the fence before it, in the same form |
//! | `text` | nothing: an illustration |
//!
//! Without a `diagnostics` fence nothing but notes may be said. A case without `hsf` declares
//! names by using them. Later analyses add fences of their own.

use std::fmt::Write as _;

use anyhow::{Context as _, bail, ensure};
use otus_core::{lint, lower};
use otus_syntax::ast::SpecFile;
use otus_syntax::{Diagnostic, Severity, Source, SourceId, parse_spec, parse_trace, print};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::read::{Language, term};

/// A heading and the fences below it.
#[derive(Debug, Clone)]
pub struct Case {
    /// The headings that lead to it, joined by ` › `.
    pub title: String,
    /// Its fences, in order.
    pub fences: Vec<Fence>,
}

/// A fenced block.
#[derive(Debug, Clone)]
pub struct Fence {
    /// The first word of its info string.
    pub kind: String,
    /// The rest of its info string, such as a file name.
    pub name: String,
    /// What it holds.
    pub text: String,
}

/// The cases of a document, in order.
#[expect(clippy::wildcard_enum_match_arm, reason = "prose is of no interest")]
pub fn cases(document: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut path: Vec<(u32, String)> = Vec::new();
    let mut heading: Option<(u32, String)> = None;
    let mut fence: Option<Fence> = None;
    for event in Parser::new(document) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                heading = Some((level as u32, String::new()));
            }
            Event::End(TagEnd::Heading(_)) => {
                let Some((level, text)) = heading.take() else { continue };
                path.retain(|(above, _)| *above < level);
                path.push((level, text));
                let titles: Vec<&str> = path.iter().map(|(_, text)| text.as_str()).collect();
                cases.push(Case { title: titles.join(" › "), fences: Vec::new() });
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let (kind, name) = info.trim().split_once(' ').unwrap_or((info.trim(), ""));
                let kind = if kind.is_empty() { "text" } else { kind }.to_owned();
                fence = Some(Fence { kind, name: name.to_owned(), text: String::new() });
            }
            Event::End(TagEnd::CodeBlock) => {
                if let (Some(fence), Some(case)) = (fence.take(), cases.last_mut()) {
                    case.fences.push(fence);
                }
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(fence) = &mut fence {
                    fence.text.push_str(&text);
                } else if let Some((_, heading)) = &mut heading {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }
    cases.retain(|case| !case.fences.is_empty());
    cases
}

/// Runs a case.
///
/// # Errors
/// If an expectation is not met, or the case is malformed.
pub fn run(case: &Case) -> anyhow::Result<()> {
    let shared = shared_files(case);
    let mut subject: Option<Subject> = None;
    let mut first: Option<otus_core::Lowered> = None;
    let mut terms: Vec<(String, String)> = Vec::new();
    let expected_term = case.fences.iter().find(|fence| fence.kind == "term");
    for fence in &case.fences {
        match fence.kind.as_str() {
            "hsf" | "hif" | "hcf" | "mermaid" | "plantuml" => {
                finish(subject.take())?;
                let (next, lowered) = specification(fence, &shared);
                terms.extend(lowered.term.map(|_| (fence.kind.clone(), term(&lowered))));
                first.get_or_insert(lowered);
                subject = Some(next);
            }
            "htf" => {
                finish(subject.take())?;
                subject = Some(multi_trace(fence, first.as_mut()));
            }
            "canonical" => {
                let subject = subject.as_mut().context("`canonical` follows what it is about")?;
                equal("canonical text", subject.printed.trim_end(), fence.text.trim_end())?;
            }
            "diagnostics" => {
                let subject = subject.as_mut().context("`diagnostics` follows what it is about")?;
                subject.expected = true;
                let found = listing(&subject.source, &subject.diagnostics);
                equal("diagnostics", found.trim_end(), fence.text.trim_end())?;
            }
            "lints" => {
                let subject = subject.as_mut().context("`lints` follows what it is about")?;
                let found = listing(&subject.source, &subject.lints);
                equal("lints", found.trim_end(), fence.text.trim_end())?;
            }
            "term" | "text" => {}
            other => bail!("there is no fence `{other}`; see the documentation of the runner"),
        }
    }
    finish(subject)?;
    if let Some(expected) = expected_term {
        ensure!(!terms.is_empty(), "`term` is about specifications, and the case has none");
        for (kind, found) in &terms {
            let expected = expected.text.split_whitespace().collect::<Vec<_>>().join(" ");
            let expected = expected.replace("( ", "(").replace(" )", ")");
            equal(&format!("term of the {kind}"), found, &expected)?;
        }
    }
    Ok(())
}

/// What the fences that follow are about.
struct Subject {
    source: Source,
    printed: String,
    diagnostics: Vec<Diagnostic>,
    lints: Vec<Diagnostic>,
    /// Whether a `diagnostics` fence has said what is expected.
    expected: bool,
}

/// Without a `diagnostics` fence, nothing but notes may be said.
fn finish(subject: Option<Subject>) -> anyhow::Result<()> {
    let Some(mut subject) = subject.filter(|subject| !subject.expected) else { return Ok(()) };
    subject.diagnostics.retain(|found| found.severity != Severity::Note);
    equal("diagnostics", listing(&subject.source, &subject.diagnostics).trim_end(), "")
}

/// The signatures and options that belong to every `hif` of the case.
fn shared_files(case: &Case) -> Vec<SpecFile> {
    let is_shared = |fence: &&Fence| matches!(fence.kind.as_str(), "hsf" | "hcf");
    case.fences
        .iter()
        .filter(is_shared)
        .enumerate()
        .map(|(i, fence)| {
            let id = SourceId(u32::try_from(i).unwrap_or(0) + 1);
            parse_spec(&Source::with_id(id, "shared", fence.text.clone())).tree
        })
        .filter(|tree| tree.interaction.is_none())
        .collect()
}

fn specification(fence: &Fence, shared: &[SpecFile]) -> (Subject, otus_core::Lowered) {
    let source = Source::new(fence.kind.clone(), fence.text.clone());
    let language = match fence.kind.as_str() {
        "mermaid" => Language::Mermaid,
        "plantuml" => Language::PlantUml,
        _ => Language::Interaction,
    };
    let parsed = language.parse(&source);
    let mut tree = parsed.tree;
    let mut files: Vec<&SpecFile> = Vec::new();
    if language == Language::Interaction && tree.sections.is_empty() {
        files.extend(shared);
        tree.implicit |= shared.is_empty();
    }
    files.push(&tree);
    let mut lowered = lower(&files);
    let own = |found: &Diagnostic| found.primary.source == source.id();
    let mut diagnostics = parsed.diagnostics;
    diagnostics.extend(lowered.diagnostics.extract_if(.., |found| own(found)));
    diagnostics.sort_by_key(|found| found.primary.span.start);
    let lints = lint(&files, &lowered).into_iter().filter(own).collect();
    let printed = print::spec(&tree);
    (Subject { source, printed, diagnostics, lints, expected: false }, lowered)
}

fn multi_trace(fence: &Fence, spec: Option<&mut otus_core::Lowered>) -> Subject {
    let source = Source::new("htf", fence.text.clone());
    let parsed = parse_trace(&source);
    let mut diagnostics = parsed.diagnostics;
    diagnostics.extend(match spec {
        Some(spec) => otus_trace::lower(&parsed.tree, &mut spec.pool).1,
        None => otus_trace::check(&parsed.tree),
    });
    diagnostics.sort_by_key(|found| found.primary.span.start);
    let printed = print::trace(&parsed.tree);
    Subject { source, printed, diagnostics, lints: Vec::new(), expected: false }
}

/// `CODE line:column message`, a line each.
pub fn listing(source: &Source, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for found in diagnostics {
        let (line, column) = source.line_column(found.primary.span.start);
        let _ = writeln!(out, "{} {line}:{column} {}", found.code, found.message);
    }
    out
}

fn equal(what: &str, found: &str, expected: &str) -> anyhow::Result<()> {
    ensure!(found == expected, "{what}\n--- expected\n{expected}\n--- found\n{found}\n---");
    Ok(())
}
