//! The public interface, as `api.txt` lists it, so that a commit shows every change of it. A line that goes or
//! changes needs a new version.
//!
//! The lint `unreachable_pub` makes sure that every `pub` item can be reached from outside, so the lines
//! with `pub` are the interface, except for derived traits. `scripts/check-semver` runs cargo-semver-checks, which
//! knows more but takes long to build.

use std::fmt::Write as _;
use std::path::Path;

#[test]
fn the_public_interface_is_as_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = folder.join("src");
    let mut files = Vec::new();
    let mut folders = vec![sources.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut listing = String::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let items = items(&text);
        if !items.is_empty() {
            let name = file.strip_prefix(&sources).unwrap().to_string_lossy().replace('\\', "/");
            writeln!(listing, "# {name}").unwrap();
            listing.extend(items.into_iter().map(|item| item + "\n"));
        }
    }
    let path = folder.join("api.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &listing).unwrap();
    }
    let listed = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        listing, listed,
        "if that is meant: UPDATE_EXPECT=1 cargo test -p otus --test it api"
    );
}

/// The public items of a file, each on one line.
fn items(text: &str) -> Vec<String> {
    let mut items = Vec::new();
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let mut lines = text.lines().peekable();
    let mut is_open = false;
    while let Some(line) = lines.next() {
        let line = line.trim_end();
        let item = line.trim_start();
        if line == "}" {
            is_open = false;
        }
        // Variants of a public enumeration, methods of a public trait, and their implementations.
        let is_inside = is_open
            && line.starts_with("    ")
            && !line.starts_with("     ")
            && !item.starts_with(['/', '#', '}', ')']);
        let is_item = item.starts_with("pub ") || item.starts_with("macro_rules!");
        let is_implementation = line.starts_with("impl") && line.contains(" for ");
        if !is_item && !is_inside && !is_implementation {
            continue;
        }
        let mut whole = item.to_owned();
        let ends =
            |text: &str| text.ends_with(['{', ';', ',']) && balanced(text) || text.ends_with('}');
        while !ends(&whole) {
            let Some(next) = lines.next() else { break };
            whole.push(' ');
            whole.push_str(next.trim());
        }
        is_open |= whole.starts_with("pub enum") || whole.starts_with("pub trait");
        let indent = &line[..line.len() - item.len()];
        items.push(format!("{indent}{}", whole.trim_end_matches(['{', ' '])));
    }
    items
}

/// Whether all brackets but a last one are closed, so that the end of a line is that of an item.
fn balanced(text: &str) -> bool {
    let text = text.strip_suffix('{').unwrap_or(text);
    let depth = text.chars().fold(0, |depth, letter| match letter {
        '(' | '[' | '{' => depth + 1,
        ')' | ']' | '}' => depth - 1,
        _ => depth,
    });
    depth == 0
}
