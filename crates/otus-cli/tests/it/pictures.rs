//! The pictures of the pages in `docs/` are those that their commands draw, byte for byte.
//!
//! After a change that is meant: `OTUS_UPDATE=1 cargo test -p otus-cli --test it pictures`.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::sandbox::Sandbox;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn pictures_of_the_docs_are_what_their_commands_draw() {
    let sandbox = Sandbox::new("pictures");
    sandbox.with_repository();
    let mut drawn = Vec::new();
    for (page, line) in commands() {
        let line = line.as_str();
        let Some(name) = line.split("docs/pictures/").nth(1) else { continue };
        let name = name.split(' ').next().unwrap();
        sandbox.shell(&format!("otus {line}"));
        let (new, old) =
            (sandbox.path("docs/pictures").join(name), root().join("docs/pictures").join(name));
        let bytes = std::fs::read(&new).unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        let mut reader = quick_xml::Reader::from_str(&text);
        while reader.read_event().unwrap() != quick_xml::events::Event::Eof {}
        assert!(page.contains(&format!("(pictures/{name})")), "{name} is drawn and not shown");
        if std::env::var_os("OTUS_UPDATE").is_some() {
            std::fs::create_dir_all(old.parent().unwrap()).unwrap();
            std::fs::write(&old, &bytes).unwrap();
        }
        let same = std::fs::read(&old).is_ok_and(|old| old == bytes);
        assert!(
            same,
            "docs/pictures/{name} is not what `otus {line}` draws; see {}",
            new.display()
        );
        drawn.push(name.to_owned());
    }
    drawn.sort();
    let mut kept: Vec<String> = std::fs::read_dir(root().join("docs/pictures"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    kept.sort();
    assert_eq!(drawn, kept, "every picture of docs/pictures has its command");
}

/// Every command of a page, with the text of the page.
fn commands() -> Vec<(Rc<str>, String)> {
    let entries = std::fs::read_dir(root().join("docs")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let page: Rc<str> = std::fs::read_to_string(path).unwrap().into();
        let lines = page.lines().filter_map(|line| line.strip_prefix("$ otus "));
        found.extend(lines.map(|line| (Rc::clone(&page), line.to_owned())));
    }
    found
}

#[test]
fn the_text_of_the_docs_is_what_its_command_prints() {
    let sandbox = Sandbox::new("pictures-text");
    sandbox.with_repository();
    let page = std::fs::read_to_string(root().join("docs/pictures.md")).unwrap();
    let command = "draw examples/figures/tool2020.hsf";
    let shown = page.split(&format!("$ otus {command}\n")).nth(1).unwrap();
    let shown = shown.split("```").next().unwrap();
    let printed = sandbox.otus(command).output().unwrap().stdout;
    assert_eq!(String::from_utf8(printed).unwrap(), shown);
}
