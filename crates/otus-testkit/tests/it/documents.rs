//! The documents name things that exist: every link has a target, every page of the book is in its summary, and every path
//! of this repository in a code span is there.
//!
//! Links are resolved as GitHub does: relative to their file, with GitHub's anchors of headings. `scripts/check-book` checks
//! the book that is built from `docs/`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use otus_trace::mapping::Glob;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

#[test]
fn every_link_has_a_target() {
    let mut broken = Vec::new();
    let documents = documents();
    assert!(documents.len() > 20, "{documents:?}");
    for document in documents {
        let text = std::fs::read_to_string(&document).unwrap();
        for link in links(&text) {
            if let Some(fault) = fault(&document, &link) {
                broken.push(format!("{}: {link} {fault}", shown(&document)));
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn every_page_is_in_the_summary_of_the_book() {
    let docs = root().join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let listed: BTreeSet<String> = links(&summary).into_iter().collect();
    for page in markdown(&docs) {
        let name = page.strip_prefix(&docs).unwrap().to_string_lossy().replace('\\', "/");
        let found = name == "SUMMARY.md" || listed.contains(&name);
        assert!(found, "docs/{name} is not in docs/SUMMARY.md: add a line `- [its title]({name})`");
    }
}

#[test]
fn every_path_of_the_repository_exists() {
    let files = repository();
    let mut missing = Vec::new();
    let mut checked = 0;
    // The changelog and the records may name files that no longer exist.
    let is_history = |path: &PathBuf| {
        path.ends_with("CHANGELOG.md") || path.starts_with(root().join("bench/records"))
    };
    for document in documents().into_iter().filter(|path| !is_history(path)) {
        let text = std::fs::read_to_string(&document).unwrap();
        for path in code_spans(&text).iter().flat_map(|span| paths(span)) {
            checked += 1;
            if !exists(&files, &path) {
                missing.push(format!("{}: {path} does not exist", shown(&document)));
            }
        }
    }
    assert!(missing.is_empty(), "\n{}", missing.join("\n"));
    assert!(checked > 100, "only {checked} paths were found in the documents");
}

#[test]
fn paths_are_found_in_code_spans() {
    #[track_caller]
    fn check(span: &str, expected: &[&str]) {
        assert_eq!(paths(span), expected, "{span}");
    }
    check("crates/otus/src/lib.rs", &["crates/otus/src/lib.rs"]);
    check("cargo install --locked --path crates/otus-cli", &["crates/otus-cli"]);
    check("spec/{a,b}.md", &["spec/a.md", "spec/b.md"]);
    check("fuzz/regressions/TARGET/", &["fuzz/regressions/*"]);
    check("bench/records/…-papers.md", &["bench/records/*-papers.md"]);
    check(".ci/run", &[".ci/run"]);
    check("engine/mod.rs", &["**/engine/mod.rs"]);
    check("harm.rs", &["**/harm.rs"]);
    // A diagram of a user's document, a path of a user's machine, and no path at all.
    check("docs/protocol.md#login", &[]);
    check("…/crates/otus", &[]);
    check("alt(x, y)", &[]);
}

#[test]
fn anchors_are_those_of_github() {
    let page = "# The `otus` command!\n## It\n## It\n### A, b & c_d\n";
    let expected = ["the-otus-command", "it", "it-1", "a-b--c_d"].map(str::to_owned);
    assert_eq!(anchors(page), BTreeSet::from(expected));
}

/// The top folders of the repository that documents name.
const FOLDERS: [&str; 11] = [
    ".ci", ".github", "bench", "crates", "docs", "editors", "examples", "fuzz", "scripts", "spec",
    "testdata",
];

/// The paths of this repository in a code span, as patterns. A path starts with a top folder or is a `.rs` file, whose folder
/// the text gives. A group `{a,b}` names each of its members; `…` and words in capitals stand for any name.
fn paths(span: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in span.split_whitespace() {
        let word = word.trim_end_matches(['/', ',', '.', ';', ':']);
        let top = word.split('/').next().unwrap_or_default();
        let is_source = Path::new(word).extension().is_some_and(|ending| ending == "rs")
            && !word.starts_with(['…', '/', '$', '.']);
        let rooted = word.contains('/') && FOLDERS.contains(&top);
        if word.contains(['#', '(', '"', '=']) || !(rooted || is_source) {
            continue;
        }
        for path in alternatives(word) {
            let parts = path.split('/').map(|part| {
                let is_placeholder =
                    part.len() > 1 && part.bytes().all(|byte| byte.is_ascii_uppercase());
                if is_placeholder { "*".to_owned() } else { part.replace('…', "*") }
            });
            let path = parts.collect::<Vec<_>>().join("/");
            found.push(if rooted { path } else { format!("**/{path}") });
        }
    }
    found
}

/// The texts for which one with groups `{a,b}` stands.
fn alternatives(text: &str) -> Vec<String> {
    match text.split_once('{').and_then(|(head, rest)| Some((head, rest.split_once('}')?))) {
        None => vec![text.to_owned()],
        Some((head, (group, tail))) => {
            let expand = |member: &str| alternatives(&format!("{head}{member}{tail}"));
            group.split(',').flat_map(expand).collect()
        }
    }
}

fn exists(files: &BTreeSet<String>, path: &str) -> bool {
    let glob = Glob::path(path);
    if glob.is_plain() { files.contains(path) } else { files.iter().any(|file| glob.matches(file)) }
}

/// The files and folders of the repository below [`FOLDERS`], relative to its root.
fn repository() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| root().join(folder)).collect();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        found.insert(shown(&folder).replace('\\', "/"));
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() && !path.ends_with("target") && !path.ends_with("node_modules") {
                folders.push(path);
            } else {
                found.insert(shown(&path).replace('\\', "/"));
            }
        }
    }
    found
}

/// Why a link has no target. Links to other hosts are not followed.
fn fault(document: &Path, link: &str) -> Option<&'static str> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, it)| (path, Some(it)));
    let target = match path {
        "" => document.to_owned(),
        path => normal(&document.parent().unwrap().join(path)),
    };
    if !target.exists() {
        return Some("does not exist");
    }
    let is_document = is_markdown(&target);
    match anchor {
        Some(anchor) if is_document => {
            let text = std::fs::read_to_string(&target).unwrap();
            (!anchors(&text).contains(anchor)).then_some("has no such anchor")
        }
        Some(_) | None => None,
    }
}

fn links(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        if let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event {
            found.push(dest_url.into_string());
        }
    }
    found
}

fn code_spans(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        if let Event::Code(span) = event {
            found.push(span.into_string());
        }
    }
    found
}

/// The anchors of a document: its headings in lower case, with `-` for spaces and without punctuation.
#[expect(clippy::wildcard_enum_match_arm, reason = "only headings are of interest")]
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let words = heading.take().unwrap_or_default().to_lowercase();
                let kept = words.chars().filter(|&c| c.is_alphanumeric() || " -_".contains(c));
                let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
                let mut numbered = (1..).map(|number| format!("{anchor}-{number}"));
                let free = !anchors.contains(&anchor);
                let fresh = if free { None } else { numbered.find(|it| !anchors.contains(it)) };
                anchors.insert(fresh.unwrap_or(anchor));
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            _ => {}
        }
    }
    anchors
}

/// The Markdown files at the root and in the folders of the repository, except inputs of tests.
fn documents() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = entries.filter(|path| is_markdown(path)).collect();
    for folder in ["docs", "spec", "examples", "bench", "fuzz"] {
        found.extend(markdown(&root().join(folder)));
    }
    found.push(root().join("testdata/broken/README.md"));
    found.sort();
    found
}

fn markdown(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            // `reference/files` has the inputs of the examples of the reference.
            if path.is_dir() && !path.ends_with("reference/files") && !path.ends_with("target") {
                folders.push(path);
            } else if is_markdown(&path) {
                found.push(path);
            }
        }
    }
    found
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "md")
}

/// The path without `.` and `..`, since a part of it may be missing.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn root() -> PathBuf {
    normal(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
}
