//! Runs the literate cases of `spec/` and `docs/`.
//!
//! A case is a heading and the fences below it, up to the next heading of any level. Some fences contain inputs, others
//! expected results:
//!
//! | fence | meaning |
//! |---|---|
//! | `hsf`, `hif`, `hcf` | one specification: a `hsf` or `hcf` without interaction belongs to every `hif` of its case |
//! | `mermaid`, `plantuml` | a specification by itself |
//! | `markdown SELECTOR` | a document; the diagram that the selector picks is a specification by itself |
//! | `htf` | a multi-trace, resolved against the first interaction of its case |
//! | `jsonl` | a case file, each multi-trace resolved like a `htf` |
//! | `term` | the term of *every* specification of the case, in the notation of the papers |
//! | `canonical` | the canonical text of the fence before it |
//! | `2020` | the specification before it in the language of 2020 |
//! | `components` | the components of the `htf` before it, resolved: one for every lifeline |
//! | `diagnostics` | the diagnostics of the fence before it: `CODE line:column message` lines |
//! | `lints` | the findings of the linter about the specification before it, in the same form |
//! | `verdicts` | the verdicts on the `htf` before it: `QUESTION: VERDICT` and `KIND: VERDICT` lines, by every analysis that has an answer; `verdicts 20ms` declares the uncertainty between clocks |
//! | `pot` | a partial-order trace; `pot order-writes` puts concurrent assignments in order |
//! | `ctl` | formulas over the `pot` before it |
//! | `answers` | the answers to the `ctl` before it: `holds` or `fails`, a line per formula, by every engine, sliced and not, and by the definition; `answers counts`, or a line `holds, 3 of 7 cuts`, counts too |
//! | `boxes` | where the formulas of the `ctl` before it hold: boxes of cuts, a line per formula |
//! | `traces N` | the global traces that the first interaction of its case accepts, of at most N events, a line each; `…` if there are longer ones |
//! | `multi-traces N` | their projections to one log per lifeline |
//! | `local-traces N` | the multi-traces of the semantics of paper 000, on tuples of local traces |
//! | `steps` | all steps of that interaction: `action@position → follow-up` |
//! | `pruned LIFELINES`, `removed LIFELINES` | that interaction after pruning, or removing, the lifelines |
//! | `toml` | an `otus.toml`, or a part of one, without any error |
//! | `console` | commands and their output, which the tests of `otus-cli` run and compare |
//! | `text`, `json`, `yaml`, `sh`, `rust` | not run here: an illustration, or run by other tests |
//!
//! A fence without a `diagnostics` fence after it may cause notes, but no warnings or errors. For brevity, the `hif` of a case
//! without `hsf` needs no declarations; Otus itself allows that for diagrams only.
//!
//! `OTUS_BLESS=1 cargo test -p otus-testkit --test spec` writes the actual results into the fences of expected results
//! ([`bless`]). Review the difference before you commit it.

mod formulas;
mod meaning;
mod valued;
mod verdicts;

use std::fmt::Write as _;
use std::ops::Range;

use anyhow::{Context as _, bail, ensure};
use otus_core::{Lowered, lint, lower};
use otus_syntax::ast::{Section, SpecFile};
use otus_syntax::diagram::markdown;
use otus_syntax::grammar::Parsed;
use otus_syntax::print::{self, Dialect};
use otus_syntax::{Diagnostic, Severity, Source, SourceId, parse_spec, parse_trace};
use otus_trace::order::PartialOrder;
use otus_trace::{Facts, MultiTrace, case};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::read::{Language, fenced, term};

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
    /// The rest of its info string.
    pub argument: String,
    /// Its contents.
    pub text: String,
    /// The place of the contents in the document.
    pub content: Range<usize>,
}

/// The cases of a document, in order.
#[expect(clippy::wildcard_enum_match_arm, reason = "prose is of no interest")]
pub fn cases(document: &str) -> Vec<Case> {
    let mut cases = vec![Case { title: "before the first heading".into(), fences: Vec::new() }];
    let mut path: Vec<(u32, String)> = Vec::new();
    let mut heading: Option<(u32, String)> = None;
    let mut fence: Option<Fence> = None;
    for (event, range) in Parser::new(document).into_offset_iter() {
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
                let (kind, argument) = info.split_once(char::is_whitespace).unwrap_or((&info, ""));
                let kind = if kind.is_empty() { "text" } else { kind }.to_owned();
                let argument = argument.trim().to_owned();
                let first = document[range.clone()].find('\n').map_or(range.end, |at| at + 1);
                let content = range.start + first..range.start + first;
                fence = Some(Fence { kind, argument, text: String::new(), content });
            }
            Event::End(TagEnd::CodeBlock) => {
                if let (Some(fence), Some(case)) = (fence.take(), cases.last_mut()) {
                    case.fences.push(fence);
                }
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(fence) = &mut fence {
                    fence.text.push_str(&text);
                    fence.content.end = range.end;
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
    for answer in answers(case)? {
        let Answer { what, expected, found, .. } = answer;
        ensure!(found == expected, "{what}\n--- expected\n{expected}\n--- found\n{found}\n---");
    }
    Ok(())
}

/// The document with actual results in place of expected ones that differ.
pub fn bless(document: &str) -> String {
    let mut out = document.to_owned();
    for case in cases(document).iter().rev() {
        let Ok(mut answers) = answers(case) else { continue };
        answers.retain(|answer| answer.fence.is_some() && answer.found != answer.expected);
        answers.sort_by_key(|answer| answer.fence);
        answers.dedup_by_key(|answer| answer.fence);
        for answer in answers.iter().rev() {
            if let Some(fence) = answer.fence.and_then(|at| case.fences.get(at)) {
                let end = if answer.found.is_empty() { "" } else { "\n" };
                out.replace_range(fence.content.clone(), &format!("{}{end}", answer.found));
            }
        }
    }
    out
}

struct Answer {
    /// The kind of result, for messages.
    what: String,
    /// The fence of the expected result, if there is one.
    fence: Option<usize>,
    expected: String,
    found: String,
}

impl Answer {
    /// The expected result in a fence, and the actual one.
    fn of(index: usize, fence: &Fence, found: &str) -> Answer {
        Answer {
            what: fence.kind.clone(),
            fence: Some(index),
            expected: fence.text.trim_end().to_owned(),
            found: found.trim_end().to_owned(),
        }
    }
}

fn answers(case: &Case) -> anyhow::Result<Vec<Answer>> {
    let shared = shared_files(case);
    let mut subject: Option<Subject> = None;
    let mut specs: Vec<(&str, Lowered)> = Vec::new();
    let mut answers: Vec<Answer> = Vec::new();
    let mut order: Option<PartialOrder> = None;
    let mut asked: Option<otus_ctl::Lowered> = None;
    for (index, fence) in case.fences.iter().enumerate() {
        let kind = fence.kind.as_str();
        match kind {
            "hsf" | "hif" | "hcf" | "mermaid" | "plantuml" | "markdown" => {
                answers.extend(subject.as_ref().and_then(silence));
                let (next, lowered) = specification(index, fence, &shared);
                specs.push((kind, lowered));
                subject = Some(next);
            }
            "htf" | "jsonl" => {
                answers.extend(subject.as_ref().and_then(silence));
                let main = specs.iter().position(|(_, spec)| spec.term.is_some()).unwrap_or(0);
                let spec = specs.get_mut(main).map(|(_, spec)| spec);
                let next =
                    if kind == "htf" { multi_trace(fence, spec) } else { cases_of(fence, spec) };
                subject = Some(next);
            }
            "canonical" | "2020" | "components" | "diagnostics" | "lints" => {
                let subject = subject
                    .as_mut()
                    .with_context(|| format!("`{kind}` follows what it is about"))?;
                let found = match kind {
                    "canonical" => Some(subject.canonical.clone()),
                    "2020" => subject.of_2020.clone(),
                    "components" => subject.components.clone(),
                    "lints" => subject.lints.clone(),
                    _ => {
                        subject.expected = true;
                        Some(listed(&subject.findings, Severity::Note))
                    }
                };
                let found = found.with_context(|| format!("`{kind}` is not about such a fence"))?;
                answers.push(Answer::of(index, fence, &found));
            }
            "verdicts" => {
                let subject = subject.as_ref();
                let trace = subject.and_then(|subject| subject.trace.as_ref());
                let trace = trace.context("`verdicts` follows a `htf`")?;
                let facts = subject.and_then(|subject| subject.facts.as_ref());
                let spec = specs.iter_mut().find(|(_, spec)| spec.term.is_some());
                let (_, spec) = spec.context("`verdicts` needs a specification")?;
                let carried = valued::Values::new(spec, facts, &fence.argument)?;
                let found = verdicts::answers(&fence.text, spec, trace, carried.as_ref());
                answers.push(Answer::of(index, fence, &found));
            }
            "pot" => {
                answers.extend(subject.as_ref().and_then(silence));
                let (next, found) = formulas::order(fence);
                (subject, order, asked) = (Some(next), found, None);
            }
            "ctl" => {
                answers.extend(subject.as_ref().and_then(silence));
                let order = order.as_ref().context("`ctl` follows a `pot`")?;
                let (next, found) = formulas::formulas(fence, order);
                (subject, asked) = (Some(next), Some(found));
            }
            "answers" | "boxes" => {
                let (Some(order), Some(asked)) = (&order, &asked) else {
                    bail!("`{kind}` follows a `ctl`");
                };
                let found = if kind == "boxes" {
                    formulas::boxes(order, asked)
                } else {
                    formulas::answers(fence, order, asked)
                };
                answers.push(Answer::of(index, fence, &found));
            }
            kind if meaning::KINDS.contains(&kind) => {
                let spec = specs.iter_mut().find(|(_, spec)| spec.term.is_some());
                let (_, spec) = spec.with_context(|| format!("`{kind}` needs a specification"))?;
                answers.push(Answer::of(index, fence, &meaning::answer(fence, spec)?));
            }
            "term" | "text" | "json" | "yaml" | "sh" | "console" | "rust" | "python" => {}
            "toml" => {
                // A rule alone needs a source, with fields if its pattern is about fields.
                let format = if fence.text.contains("match = {") { "json" } else { "regex" };
                let around = if fence.text.starts_with("[[source.rule]]") {
                    format!(
                        "[[source]]\nfiles = [\"*\"]\nformat = \"{format}\"\nlifeline = \"a\"\n\n"
                    )
                } else {
                    String::new()
                };
                let source = Source::new("otus.toml", format!("{around}{}", fence.text));
                let (_, found) =
                    otus_trace::mapping::Plan::parse(&source, &["spec", "properties", "test"]);
                let wrong: Vec<&str> = found.iter().map(|found| found.message.as_str()).collect();
                ensure!(wrong.is_empty(), "the settings have faults: {}", wrong.join("; "));
            }
            other => bail!("there is no fence `{other}`; see the documentation of the runner"),
        }
    }
    answers.extend(subject.as_ref().and_then(silence));
    answers.extend(terms(case, &specs)?);
    Ok(answers)
}

/// The terms of all interactions of a case, compared with the `term` fence.
fn terms(case: &Case, specs: &[(&str, Lowered)]) -> anyhow::Result<Vec<Answer>> {
    let fences: Vec<usize> =
        (0..case.fences.len()).filter(|&at| case.fences[at].kind == "term").collect();
    let Some(&fence) = fences.first() else { return Ok(Vec::new()) };
    ensure!(fences.len() == 1, "a case has one `term`; give the others headings of their own");
    let words: Vec<&str> = case.fences[fence].text.split_whitespace().collect();
    let expected = words.join(" ").replace("( ", "(").replace(" )", ")");
    let answers: Vec<Answer> = specs
        .iter()
        .filter(|(_, spec)| spec.term.is_some())
        .map(|(kind, spec)| Answer {
            what: format!("term of the {kind}"),
            fence: Some(fence),
            expected: expected.clone(),
            found: term(spec),
        })
        .collect();
    ensure!(!answers.is_empty(), "`term` is about interactions, and the case has none");
    Ok(answers)
}

/// The results about an input fence, for the fences that follow it.
#[derive(Default)]
struct Subject {
    canonical: String,
    of_2020: Option<String>,
    components: Option<String>,
    findings: Vec<(Severity, String)>,
    lints: Option<String>,
    trace: Option<MultiTrace>,
    /// What the events of the trace carry, if its specification has values.
    facts: Option<Facts>,
    /// Whether a `diagnostics` fence follows.
    expected: bool,
}

/// Without a `diagnostics` fence, there may be notes only.
fn silence(subject: &Subject) -> Option<Answer> {
    (!subject.expected).then(|| Answer {
        what: "diagnostics".to_owned(),
        fence: None,
        expected: String::new(),
        found: listed(&subject.findings, Severity::Warning).trim_end().to_owned(),
    })
}

/// The findings of at least this severity, one line each.
fn listed(findings: &[(Severity, String)], least: Severity) -> String {
    findings.iter().filter(|(severity, _)| *severity >= least).map(|(_, line)| &**line).collect()
}

/// A signature or options: the index of its fence, and its kind.
type Shared<'a> = (usize, &'a str, SpecFile);

/// The signatures and options that apply to every `hif` of the case.
fn shared_files(case: &Case) -> Vec<Shared<'_>> {
    let is_shared = |(_, fence): &(usize, &Fence)| matches!(fence.kind.as_str(), "hsf" | "hcf");
    case.fences
        .iter()
        .enumerate()
        .filter(is_shared)
        .map(|(at, fence)| {
            let id = SourceId(u32::try_from(at).unwrap_or(0) + 1);
            let source = Source::with_id(id, "shared", fence.text.clone());
            (at, fence.kind.as_str(), parse_spec(&source).tree)
        })
        .filter(|(.., tree)| tree.interaction.is_none())
        .collect()
}

fn specification(at: usize, fence: &Fence, shared: &[Shared<'_>]) -> (Subject, Lowered) {
    let source = Source::new(fence.kind.clone(), fence.text.clone());
    let parsed = match fence.kind.as_str() {
        "mermaid" => Language::Mermaid.parse(&source),
        "plantuml" => Language::PlantUml.parse(&source),
        "markdown" => picked(&source, &fence.argument),
        _ => Language::Interaction.parse(&source),
    };
    let mut tree = parsed.tree;
    let mut files: Vec<&SpecFile> = Vec::new();
    if matches!(fence.kind.as_str(), "hsf" | "hif" | "hcf") && !declares(&tree) {
        let others = shared.iter().filter(|(other, ..)| *other != at).map(|(.., file)| file);
        files.extend(others.filter(|file| tree.interaction.is_some() || declares(file)));
        tree.implicit |= fence.kind == "hif" && !shared.iter().any(|(_, kind, _)| *kind == "hsf");
    }
    files.push(&tree);
    let mut lowered = lower(&files);
    let own = |found: &Diagnostic| found.primary.source == source.id();
    let mut diagnostics = parsed.diagnostics;
    diagnostics.extend(lowered.diagnostics.extract_if(.., |found| own(found)));
    let lints: Vec<Diagnostic> = lint(&files, &lowered).into_iter().filter(own).collect();
    let subject = Subject {
        canonical: print::spec(&tree),
        of_2020: Some(print::spec_in(&tree, Dialect::Of2020)),
        findings: findings(&source, diagnostics),
        lints: Some(listing(&source, &lints)),
        ..Subject::default()
    };
    (subject, lowered)
}

fn declares(tree: &SpecFile) -> bool {
    let is_declaration = |section: &Section| match section {
        Section::Messages(_) | Section::Lifelines(_) => true,
        Section::Options(_) => false,
    };
    tree.sections.iter().any(is_declaration)
}

/// The diagram of a document that a selector names.
fn picked(source: &Source, selector: &str) -> Parsed<SpecFile> {
    let mut diagnostics = Vec::new();
    let fences = markdown::fences(source, &mut diagnostics);
    let selector = Some(selector).filter(|selector| !selector.is_empty());
    let mut parsed = match markdown::select(source, &fences, selector) {
        Ok(fence) => fenced(source, fence),
        Err(finding) => Parsed { tree: SpecFile::default(), diagnostics: vec![finding] },
    };
    parsed.diagnostics.append(&mut diagnostics);
    parsed
}

fn multi_trace(fence: &Fence, spec: Option<&mut Lowered>) -> Subject {
    let source = Source::new("htf", fence.text.clone());
    let parsed = parse_trace(&source);
    let mut diagnostics = parsed.diagnostics;
    let mut components = None;
    let (mut trace, mut known) = (None, None);
    diagnostics.extend(match spec {
        Some(Lowered { pool, valued: Some(valued), .. }) => {
            let (resolved, facts, diagnostics) =
                otus_trace::lower_with_facts(&parsed.tree, pool, &valued.fields);
            components = Some(print::trace(&otus_trace::raise(&resolved, pool)));
            (trace, known) = (Some(resolved), Some(facts));
            diagnostics
        }
        Some(spec) => {
            let (resolved, diagnostics) = otus_trace::lower(&parsed.tree, &mut spec.pool);
            components = Some(print::trace(&otus_trace::raise(&resolved, &spec.pool)));
            trace = Some(resolved);
            diagnostics
        }
        None => otus_trace::check(&parsed.tree),
    });
    Subject {
        canonical: print::trace(&parsed.tree),
        components,
        findings: findings(&source, diagnostics),
        trace,
        facts: known,
        ..Subject::default()
    }
}

/// A case file. The findings about a multi-trace in it are listed with its id.
fn cases_of(fence: &Fence, mut spec: Option<&mut Lowered>) -> Subject {
    let source = Source::new("jsonl", fence.text.clone());
    let mut canonical = String::new();
    let mut all = Vec::new();
    for line in case::read(&source) {
        let mut case = match line {
            Ok(case) => case,
            Err(finding) => {
                all.extend(findings(&source, vec![*finding]));
                continue;
            }
        };
        let inner = Fence { text: case.htf.clone(), ..fence.clone() };
        let subject = multi_trace(&inner, spec.as_deref_mut());
        let named = |(severity, line)| (severity, format!("{}: {line}", case.id));
        all.extend(subject.findings.into_iter().map(named));
        let inner = Source::new("htf", case.htf);
        case.htf = print::trace_line(&parse_trace(&inner).tree);
        let _ = writeln!(canonical, "{}", case::write(&case));
    }
    Subject { canonical, findings: all, ..Subject::default() }
}

fn findings(source: &Source, mut diagnostics: Vec<Diagnostic>) -> Vec<(Severity, String)> {
    diagnostics.sort_by_key(|found| found.primary.span.start);
    let line = |found: Diagnostic| (found.severity, listing(source, &[found]));
    diagnostics.into_iter().map(line).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The message of the first failure of a document's first case; empty if there is none.
    #[track_caller]
    fn check(document: &str, expected: &str) {
        let cases = cases(document);
        let found = run(&cases[0]).err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(found.lines().next().unwrap_or(""), expected, "{found}");
    }

    const TERM: &str = "# x\n```hif\na!m\n```\n```term\n";

    #[test]
    fn expectations_are_compared() {
        check(&format!("{TERM}a!m\n```\n"), "");
        check(&format!("{TERM}a?m\n```\n"), "term of the hif");
        check("# x\n```hif\nseq(a!m\n```\n", "diagnostics");
        check("# x\n```hif\na -- m -> b\n```\n```htf\n[a] b?m\n```\n", "diagnostics");
        check("```hif\nseq(a!m\n```\n# x\n", "diagnostics");
    }

    #[test]
    fn answers_are_compared_and_counts_if_they_are_expected() {
        const ONE: &str = "# x\n```pot\n{\"processes\": [{\"name\": \"p\", \"events\": [{\"label\": \"a\"}]}]}\n```\n\
                           ```ctl\nEF count(p) = 1\nEX false\n```\n```answers\n";
        check(&format!("{ONE}holds\nfails\n```\n"), "");
        check(&format!("{ONE}holds, 2 of 2 cuts\nfails\n```\n"), "");
        check(&format!("{ONE}holds, 1 of 2 cuts\nfails\n```\n"), "answers");
        check(&format!("{ONE}holds\nholds\n```\n"), "answers");
        check(&format!("{ONE}holds\n```\n"), "answers");
    }

    #[test]
    fn the_meaning_of_interactions_is_compared() {
        const TWO: &str = "# x\n```hif\nseq(a!m, b!n)\n```\n";
        check(&format!("{TWO}```traces\na!m.b!n\nb!n.a!m\n```\n"), "");
        check(&format!("{TWO}```traces\na!m.b!n\n```\n"), "traces");
        check(&format!("{TWO}```traces 1\n…\n```\n"), "");
        check(&format!("{TWO}```multi-traces\n[a] a!m; [b] b!n\n```\n"), "");
        check(&format!("{TWO}```local-traces\n[a] a!m; [b] b!n\n```\n"), "");
        check(&format!("{TWO}```steps\na!m@1 → b!n\nb!n@2 → a!m\n```\n"), "");
        check(&format!("{TWO}```pruned a\n⊥\n```\n```removed a\nb!n\n```\n"), "");
        check(&format!("{TWO}```pruned c\n⊥\n```\n"), "there is no lifeline `c`");
        check(&format!("{TWO}```traces many\n```\n"), "a length is a number");
        check("# x\n```traces\n```\n", "`traces` needs a specification");
        let repeated = "# x\n```hif\nloopS(a!m)\n```\n```traces 2\nε\na!m\na!m.a!m\n…\n```\n";
        check(repeated, "");
    }

    #[test]
    fn malformed_cases_are_refused() {
        check("# x\n```term\na!m\n```\n", "`term` is about interactions, and the case has none");
        check("# x\n```canonical\na!m\n```\n", "`canonical` follows what it is about");
        check("# x\n```htf\n```\n```lints\n```\n", "`lints` is not about such a fence");
        let two = format!("{TERM}a!m\n```\n```term\na!m\n```\n");
        check(&two, "a case has one `term`; give the others headings of their own");
        check("# x\n```ctl\ntrue\n```\n", "`ctl` follows a `pot`");
        check(
            "# x\n```pot\n{\"processes\": []}\n```\n```answers\n```\n",
            "`answers` follows a `ctl`",
        );
        check("# x\n```hfi\n```\n", "there is no fence `hfi`; see the documentation of the runner");
    }

    #[test]
    fn blessing_writes_what_was_found_and_nothing_else() {
        let before = format!("{TERM}```\nwords\n## y\n```hif\na! m\n```\n```canonical\nold\n```\n");
        let after = bless(&before);
        let canonical = "```canonical\na -- m ->|\n```";
        assert_eq!(
            after,
            before
                .replace(TERM, &format!("{TERM}a!m\n"))
                .replace("```canonical\nold\n```", canonical)
        );
        assert_eq!(bless(&after), after);
        for case in &cases(&after) {
            run(case).expect("what was blessed passes");
        }
    }
}
