//! Every link in our documents leads somewhere, and every page of the book is in its summary.
//!
//! Links are checked as GitHub follows them: relative to their file, with anchors as it makes them of
//! headings. `scripts/check-book` checks the book that is built from `docs/`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

#[test]
fn links_of_documents_lead_somewhere() {
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
    let mut pages = Vec::new();
    markdown(&docs, &mut pages);
    for page in pages {
        let name = page.strip_prefix(&docs).unwrap().to_string_lossy().replace('\\', "/");
        let found = name == "SUMMARY.md" || listed.contains(&name);
        assert!(found, "docs/{name} is not in docs/SUMMARY.md: add a line `- [its title]({name})`");
    }
}

#[test]
fn anchors_are_those_of_github() {
    let page = "# The `otus` command!\n## It\n## It\n### A, b & c_d\n";
    let expected = ["the-otus-command", "it", "it-1", "a-b--c_d"].map(str::to_owned);
    assert_eq!(anchors(page), BTreeSet::from(expected));
}

/// Why a link leads nowhere. Links to other hosts are not followed.
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
        return Some("leads nowhere");
    }
    let is_document = target.extension().is_some_and(|ending| ending == "md");
    match anchor {
        Some(anchor) if is_document => {
            let text = std::fs::read_to_string(&target).unwrap();
            (!anchors(&text).contains(anchor)).then_some("has no such anchor")
        }
        Some(_) | None => None,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "only links are of interest")]
fn links(text: &str) -> Vec<String> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
        .filter_map(|event| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some(dest_url.into_string())
            }
            _ => None,
        })
        .collect()
}

/// The anchors of a document: its headings in lower case, with `-` for spaces and without signs.
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

/// The documents at the root and in the folders that people read.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    for folder in ["docs", "spec", "examples", "bench"] {
        markdown(&root().join(folder), &mut found);
    }
    found.sort();
    found
}

fn markdown(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            // What the examples of the reference work on is no page.
            if path.is_dir() && !path.ends_with("reference/files") {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
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
