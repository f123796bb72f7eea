//! The pages of the diagnostic codes are correct.
//!
//! A page shows a wrong text and a right one. Every wrong text is read as `otus lint` would read it, and must give exactly the
//! diagnostic of the page; every right one must give no warning.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use otus_core::{Lowered, lint, lower};
use otus_syntax::ast::SpecFile;
use otus_syntax::diagram::{markdown, mermaid, plantuml};
use otus_syntax::grammar::Parsed;
use otus_syntax::{
    Code, Diagnostic, Severity, Source, SourceId, Span, parse_formulas, parse_spec, parse_trace,
    parser, print,
};
use otus_testkit::read::fenced;
use otus_testkit::spec::{Case, Fence, cases, listing};
use otus_trace::mapping::Plan;
use otus_trace::order::{PartialOrder, Writes, pot};
use otus_trace::run::{LogFile, Observed, map};

/// Codes whose wrong text cannot be run here, with the reason.
const NOT_RUN: [(Code, &str); 11] = [
    (Code::VALUES_LEFT_OUT, "whether values are left out is known to the command, not here"),
    (Code::NO_INTERACTION, "whether an interaction is needed is known to the command, not here"),
    (Code::NOT_A_REDUCTION, "whether a model encodes a formula is asked by `otus convert` only"),
    (Code::TOO_LARGE, "a text of 4 GiB is too large for a test"),
    (Code::NOT_UTF8, "a page is UTF-8 itself"),
    (
        Code::INCONSISTENT_CLOCK,
        "clocks are checked when an order is asked for, not when logs are read",
    ),
    (Code::UNREADABLE_LOG, "a page is a text, not a damaged file"),
    (Code::DUPLICATE_SPAN, "whole spans are no page to read; tested in otus-trace"),
    (Code::LOST_CONTEXT, "the logs of two services are no page to read; tested in otus-trace"),
    (Code::PARENT_MISSING, "it is about a log that is not given"),
    (Code::TOO_MANY_ERRORS, "a hundred faults are no page to read; generated below"),
];

#[test]
fn every_page_has_a_wrong_and_a_right_example() {
    for code in Code::all() {
        let page = code.page();
        for section in ["Wrong", "Right"] {
            assert!(page.contains(&format!("\n## {section}\n")), "{code} lacks `## {section}`");
            assert!(!section_of(code, section).fences.is_empty(), "{code} shows no {section} text");
        }
        let sections: Vec<&str> = page.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(&sections[..2], ["## Wrong", "## Right"], "the order of {code}");
        let words: usize = prose(page).map(|line| line.split_whitespace().count()).sum();
        assert!(words >= 20, "{code} explains too little");
    }
}

#[test]
fn every_page_is_readable_in_a_terminal() {
    for code in Code::all() {
        let page = code.page();
        assert!(page.ends_with('\n') && !page.ends_with("\n\n"), "the end of {code}");
        assert!(!page.contains("\n\n\n"), "{code} has a gap");
        for (at, line) in page.lines().enumerate() {
            assert!(line.chars().count() <= 100, "{code}:{} is too long", at + 1);
            assert_eq!(line.trim_end(), line, "{code}:{} ends with a space", at + 1);
            assert!(!line.contains('\t'), "{code}:{} has a tab", at + 1);
        }
    }
}

#[test]
fn every_page_names_only_codes_that_exist() {
    for code in Code::all() {
        for (at, _) in code.page().match_indices('O') {
            let named: String = code.page()[at + 1..].chars().take(4).collect();
            if named.len() == 4 && named.bytes().all(|byte| byte.is_ascii_digit()) {
                assert!(Code::parse(&named).is_some(), "{code} names O{named}");
            }
        }
    }
}

#[test]
fn wrong_texts_give_exactly_the_diagnostic_of_the_page() {
    for code in Code::all().filter(|&code| is_run(code)) {
        let section = section_of(code, "Wrong");
        let heard = run(code, &section);
        assert!(!heard.is_empty(), "{code} runs nothing");
        for Heard { fence, found, listing } in heard {
            assert!(
                found.iter().any(|found| found.code == code),
                "{code}: the wrong {fence} is not told so, but:\n{listing}"
            );
            let severe = |found: &&Diagnostic| found.severity > Severity::Note;
            let other = found.iter().filter(severe).find(|found| found.code != code);
            assert!(other.is_none(), "{code}: the wrong {fence} is also told:\n{listing}");
        }
    }
}

#[test]
fn right_texts_are_told_nothing_worse_than_a_note() {
    for code in Code::all() {
        for Heard { fence, found, listing } in run(code, &section_of(code, "Right")) {
            let is_right =
                |found: &Diagnostic| found.severity == Severity::Note && found.code != code;
            assert!(found.iter().all(is_right), "{code}: the right {fence} is told:\n{listing}");
        }
    }
}

#[test]
fn errors_are_explained_by_a_cause_and_a_remedy() {
    // For a text that is not well-formed, the message names the expected token, which is the remedy.
    let tells_itself = [Code::UNEXPECTED_TOKEN];
    for code in Code::all().filter(|&code| is_run(code) && !tells_itself.contains(&code)) {
        for Heard { found, .. } in run(code, &section_of(code, "Wrong")) {
            for found in found.iter().filter(|found| found.severity > Severity::Note) {
                assert!(found.help.is_some(), "no help with {code}: {}", found.message);
                assert!(!found.message.ends_with('.'), "{code}: {}", found.message);
            }
        }
    }
}

#[test]
fn more_than_a_hundred_findings_are_not_listed() {
    let source = Source::new("many.hif", format!("seq({})", "$, ".repeat(200)));
    let found = parse_spec(&source).diagnostics;
    assert_eq!(found.len(), parser::MAX_DIAGNOSTICS + 1);
    let is_last = |found: &&Diagnostic| found.code == Code::TOO_MANY_ERRORS;
    assert_eq!(found.iter().filter(is_last).count(), 1);
}

#[test]
fn every_code_is_used_by_the_product() {
    let mut sources = String::new();
    for crate_folder in folders(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")) {
        if crate_folder.file_name().is_some_and(|name| name != "otus-testkit") {
            collect(&crate_folder.join("src"), &mut sources);
        }
    }
    let names = constants();
    assert_eq!(names.len(), Code::all().count(), "every code has a constant");
    for (number, name) in names {
        let used = sources.match_indices(&format!("Code::{name}")).any(|(at, written)| {
            let next = sources[at + written.len()..].chars().next();
            next.is_none_or(|c| c != '_' && !c.is_ascii_alphanumeric())
        });
        assert!(used, "O{number} ({name}) is never reported: use it, or remove it and its page");
    }
}

fn is_run(code: Code) -> bool {
    NOT_RUN.iter().all(|(other, _)| *other != code)
}

/// The lines of a page that are neither headings nor in a fence.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    page.lines().filter(move |line| {
        let fence = line.starts_with("```");
        fenced ^= fence;
        !fenced && !fence && !line.starts_with('#')
    })
}

fn section_of(code: Code, title: &str) -> Case {
    let wanted = format!("{code}: {} › {title}", code.title().replace('`', ""));
    let found = cases(code.page()).into_iter().find(|case| case.title == wanted);
    found.unwrap_or_else(|| panic!("{code} has texts under `{title}`"))
}

/// The diagnostics of one text, or of one specification of several files.
struct Heard {
    fence: String,
    found: Vec<Diagnostic>,
    listing: String,
}

/// Reads the texts of a section as `otus lint` reads files.
fn run(code: Code, section: &Case) -> Vec<Heard> {
    let mut heard = Vec::new();
    let parts: Vec<&Fence> =
        section.fences.iter().filter(|f| matches!(&*f.kind, "hsf" | "hif" | "hcf")).collect();
    let mut spec = None;
    if !parts.is_empty() {
        let (lowered, hearing) = specification(code, &parts);
        spec = Some(lowered);
        heard.push(hearing);
    }
    let mut order = None;
    for fence in &section.fences {
        let source = Source::new(fence.argument.clone(), fence.text.clone());
        let found = match &*fence.kind {
            "hsf" | "hif" | "hcf" | "text" | "log" => continue,
            "toml" => settings(&source, section),
            "mermaid" => diagram(mermaid::read(&source, source.whole())),
            "plantuml" => diagram(plantuml::read(&source, source.whole())),
            "markdown" => document(&source, fence),
            "htf" => trace(&source, spec.as_mut()),
            "cnf" => otus_syntax::dimacs::parse(&source).diagnostics,
            "jsonl" => case_file(&source, spec.as_mut()),
            // On a page about formulas, it is the trace of the formulas.
            "pot" if code.to_string().starts_with("O09") => {
                order = pot::read(&source, Writes::Checked).ok();
                continue;
            }
            "pot" => partial_order(&source),
            "ctl" => formulas(&source, order.as_ref()),
            other => panic!("{code} has a fence `{other}`"),
        };
        let listing = listing(&source, &found);
        heard.push(Heard { fence: fence.kind.clone(), found, listing });
    }
    heard
}

/// All parts together are one specification. Without a signature, the use of a name declares it, unless the page is about
/// names.
fn specification(code: Code, parts: &[&Fence]) -> (Lowered, Heard) {
    let about_names = code.to_string().starts_with("O03");
    let has_signature = parts.iter().any(|part| part.kind == "hsf");
    let mut found = Vec::new();
    let mut sources = Vec::new();
    let mut files: Vec<SpecFile> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let id = SourceId(u32::try_from(at).expect("a page is short"));
        let source = Source::with_id(id, part.kind.clone(), part.text.clone());
        let mut parsed = parse_spec(&source);
        found.append(&mut parsed.diagnostics);
        parsed.tree.implicit = !has_signature && !about_names;
        if code == Code::NOT_IN_2020 {
            found.append(&mut print::not_in_2020(&parsed.tree));
        }
        files.push(parsed.tree);
        sources.push(source);
    }
    let files: Vec<&SpecFile> = files.iter().collect();
    let mut lowered = lower(&files);
    found.append(&mut lint(&files, &lowered));
    found.append(&mut lowered.diagnostics);
    let mut shown = String::new();
    for source in &sources {
        let own = |found: &&Diagnostic| found.primary.source == source.id();
        let own: Vec<Diagnostic> = found.iter().filter(own).cloned().collect();
        let _ = write!(shown, "{}", listing(source, &own));
    }
    (lowered, Heard { fence: "specification".to_owned(), found, listing: shown })
}

fn diagram(parsed: Parsed<SpecFile>) -> Vec<Diagnostic> {
    let mut lowered = lower(&[&parsed.tree]);
    let mut found = parsed.diagnostics;
    found.append(&mut lint(&[&parsed.tree], &lowered));
    found.append(&mut lowered.diagnostics);
    found
}

/// The diagram that the name of the fence selects (`file.md#heading`), or all of them.
fn document(source: &Source, fence: &Fence) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let fences = markdown::fences(source, &mut found);
    let selector = fence.argument.split_once('#').map(|(_, selector)| selector);
    let picked = if selector.is_none() && fences.len() > 1 {
        fences
    } else {
        match markdown::select(source, &fences, selector) {
            Ok(fence) => vec![fence.clone()],
            Err(fault) => {
                found.push(fault);
                Vec::new()
            }
        }
    };
    for fence in picked {
        found.append(&mut diagram(fenced(source, &fence)));
    }
    found
}

fn trace(source: &Source, spec: Option<&mut Lowered>) -> Vec<Diagnostic> {
    let parsed = parse_trace(source);
    let mut found = parsed.diagnostics;
    found.extend(match spec {
        Some(spec) => otus_trace::lower(&parsed.tree, &mut spec.pool).1,
        None => otus_trace::check(&parsed.tree),
    });
    found
}

fn partial_order(source: &Source) -> Vec<Diagnostic> {
    pot::read(source, Writes::Checked).err().unwrap_or_default()
}

/// The diagnostics of settings and of the logs beside them.
fn settings(source: &Source, section: &Case) -> Vec<Diagnostic> {
    let (plan, mut found) = Plan::parse(source, &[]);
    let logs: Vec<&Fence> = section.fences.iter().filter(|fence| fence.kind == "log").collect();
    if let Some(mut plan) = plan.filter(|_| !logs.is_empty()) {
        plan.keep_listed();
        let files = logs.iter().map(|log| {
            let number = plan.source_of(&log.argument).expect("a log of the source");
            LogFile::in_memory(&log.argument, number, log.text.as_bytes())
        });
        let ignore = &mut |_: &Observed<'_>| ControlFlow::Continue(());
        for finding in map(&plan, files.collect(), ignore).findings {
            let at = Span::at(0);
            let mut told = Diagnostic::new(finding.code, source.id(), at, finding.message);
            (told.help, told.severity) = (finding.help, finding.severity);
            found.push(told);
        }
    }
    found
}

fn formulas(source: &Source, order: Option<&PartialOrder>) -> Vec<Diagnostic> {
    let parsed = parse_formulas(source);
    let mut found = parsed.diagnostics;
    found.extend(
        order.map(|order| otus_ctl::lower(&parsed.tree, order).diagnostics).unwrap_or_default(),
    );
    found
}

fn case_file(source: &Source, mut spec: Option<&mut Lowered>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for case in otus_trace::case::read(source) {
        match case {
            Ok(case) => {
                found.append(&mut trace(&Source::new(case.id, case.htf), spec.as_deref_mut()));
            }
            Err(fault) => found.push(*fault),
        }
    }
    found
}

/// The names of the codes' constants, by number.
fn constants() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../otus-syntax/src/code.rs");
    let text = std::fs::read_to_string(path).expect("the codes can be read");
    text.lines()
        .filter_map(|line| {
            let (name, rest) = line.trim().split_once(" = \"")?;
            let (number, _) = rest.split_once("\", ")?;
            let is_constant =
                name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit());
            is_constant.then(|| (number.to_owned(), name.to_owned()))
        })
        .collect()
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).expect("a folder");
    entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir()).collect()
}

/// The text of all Rust files in a folder that are part of the product, without the list of codes.
fn collect(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            collect(&path, text);
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && name != "tests.rs"
            && name != "code.rs"
        {
            let whole = std::fs::read_to_string(&path).expect("a source file");
            // Tests come last in a file.
            text.push_str(whole.split("#[cfg(test)]\nmod tests {").next().unwrap_or(""));
        }
    }
}
