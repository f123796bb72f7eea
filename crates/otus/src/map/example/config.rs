//! The `otus.toml` that a rule is put into. Its text otherwise stays as it is.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use otus_trace::mapping::direction;
use toml::de::DeTable;

use super::{ExampleRequest, Role, Sample, SourceFiles};
use crate::context::Context;
use crate::error::Result;
use crate::files::FileKind;
use crate::project::{self, FILE, Settings};

/// An `otus.toml`, which need not exist.
pub(super) struct ConfigFile {
    pub(super) path: PathBuf,
    pub(super) text: Option<String>,
    settings: Option<Settings>,
}

impl ConfigFile {
    /// The nearest one above a log, or else one in the working folder.
    pub(super) fn find(context: &Context, log: &str) -> Result<ConfigFile> {
        let files = &*context.files;
        let found = project::find(files, Path::new(log));
        let Some(path) = found else {
            let path = files.working_folder().join(FILE);
            return Ok(ConfigFile { path, text: None, settings: None });
        };
        let settings = Settings::read(context, &path)?;
        let text = settings.source.text().to_owned();
        Ok(ConfigFile { path, text: Some(text), settings: Some(settings) })
    }

    pub(super) fn source_of(&self, context: &Context, log: &str) -> Option<usize> {
        let settings = self.settings.as_ref()?;
        let inside = settings.relative(&*context.files, Path::new(log))?;
        settings.plan.source_of(&inside)
    }

    /// A name that no rule of a source has.
    pub(super) fn unused_name(&self, name: String, source: Option<usize>) -> String {
        let rules = self.settings.as_ref().zip(source);
        let rules = rules.map(|(settings, source)| &settings.plan.sources[source].rules);
        let is_used =
            |name: &String| rules.is_some_and(|rules| rules.iter().any(|it| it.name == *name));
        if !is_used(&name) {
            return name;
        }
        let count = rules.map_or(0, Vec::len) + 3;
        let mut numbered = (2..count).map(|number| format!("{name} {number}"));
        numbered.find(|name| !is_used(name)).unwrap_or(name)
    }

    /// What neither marks, nor constants, nor the source say.
    pub(super) fn missing(&self, request: &ExampleRequest, source: Option<usize>) -> Vec<String> {
        if request.ignore {
            return Vec::new();
        }
        let marks = request.samples.first().map(|sample| sample.marks.as_slice());
        let is_marked = |role| marks.unwrap_or_default().iter().any(|mark| mark.role == role);
        let constants = &request.constants;
        let is_set = |key: &str| self.is_set(source, key);
        let mut missing = Vec::new();
        if !is_marked(Role::Lifeline) && constants.lifeline.is_none() && !is_set("lifeline") {
            missing.push("no part says which lifeline acts".to_owned());
        }
        if !is_marked(Role::Message) && constants.message.is_none() && !is_set("message") {
            missing.push("no part says which message it is".to_owned());
        }
        if !is_marked(Role::Direction) && constants.direction.is_none() && !is_set("dir") {
            missing.push("no part says whether it is sent or received".to_owned());
        }
        let mut directions = request.samples.iter().flat_map(|sample| {
            let own = sample.marks.iter().filter(|mark| mark.role == Role::Direction);
            own.filter_map(|mark| sample.text.get(mark.span.clone()))
        });
        if let Some(word) = directions.find(|word| direction(word.as_bytes()).is_none()) {
            missing.push(format!("`{word}` is no word for sending or receiving"));
        }
        missing
    }

    /// Whether the source has a setting that applies to all its rules.
    fn is_set(&self, source: Option<usize>, key: &str) -> bool {
        let (Some(source), Some(text)) = (source, &self.text) else { return false };
        let (document, _) = DeTable::parse_recoverable(text);
        let sources = document.get_ref().get("source").and_then(|it| it.get_ref().as_array());
        let table = sources.and_then(|all| all.get(source)?.get_ref().as_table());
        table.is_some_and(|table| table.contains_key(key))
    }

    /// The text with a rule.
    pub(super) fn with_rule(
        &self,
        context: &Context,
        rule: &str,
        source: Option<usize>,
        request: &ExampleRequest,
        is_first: bool,
    ) -> String {
        let text = self.text.clone().unwrap_or_default();
        let mut lines: Vec<&str> = text.lines().collect();
        let Some(source) = source else {
            let source = self.new_source(context, request);
            // Tables after it, like [lifelines], may stand anywhere.
            let mut out = text.trim_end().to_owned();
            if !out.is_empty() {
                out.push_str("\n\n");
            }
            let _ = write!(out, "{source}\n{rule}");
            return out;
        };
        let starts = lines.iter().enumerate().filter(|(_, line)| line.trim() == "[[source]]");
        let Some(start) = starts.map(|(at, _)| at).nth(source) else {
            return format!("{}\n\n{rule}", text.trim_end());
        };
        let is_other = |line: &&str| {
            let line = line.trim_start();
            line.starts_with('[') && !line.starts_with("[[source.") && !line.starts_with("[source.")
        };
        let end = lines[start + 1..].iter().position(is_other);
        let mut end = end.map_or(lines.len(), |at| start + 1 + at);
        // Comments before the next table belong to it.
        while end > start + 1 {
            let before = lines[end - 1].trim();
            if !before.is_empty() && !before.starts_with('#') {
                break;
            }
            end -= 1;
        }
        let first = lines[start..end].iter().position(|line| line.trim() == "[[source.rule]]");
        let at = if is_first { first.map_or(end, |at| start + at) } else { end };
        let new: Vec<&str> = if is_first && first.is_some() {
            rule.lines().chain([""]).collect()
        } else {
            std::iter::once("").chain(rule.lines()).collect()
        };
        lines.splice(at..at, new);
        lines.join("\n") + "\n"
    }

    /// A source for the log of the first sample.
    fn new_source(&self, context: &Context, request: &ExampleRequest) -> String {
        let files = &*context.files;
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let Some(first) = request.samples.first() else { return String::new() };
        let path = files.absolute(Path::new(&first.log));
        let inside = path.strip_prefix(folder).unwrap_or(&path);
        let inside = inside.to_string_lossy().replace('\\', "/");
        let (parent, name) = inside.rsplit_once('/').unwrap_or(("", &inside));
        let has_siblings = |pattern: &dyn Fn(&str) -> bool| {
            let Some(above) = path.parent().and_then(Path::parent) else { return false };
            let folders = files.list(above).unwrap_or_default();
            let folders = folders.iter().filter(|(_, kind)| *kind == FileKind::Folder);
            let logs = |folder: &PathBuf| files.list(folder).unwrap_or_default();
            let has = |folder: &PathBuf| {
                logs(folder).iter().any(|(log, _)| {
                    log.file_name().is_some_and(|name| pattern(&name.to_string_lossy()))
                })
            };
            folders.filter(|(folder, _)| has(folder)).count() > 1
        };
        let extension = name.rfind('.').map_or("", |dot| &name[dot..]);
        let (parent_of, name_of) = match request.files {
            SourceFiles::Log => (parent.to_owned(), name.to_owned()),
            SourceFiles::Like => {
                let like = like(name, first);
                let glob = otus_trace::mapping::Glob::path(&like);
                let parent = above(parent, has_siblings(&|other| glob.matches(other)));
                (parent, like)
            }
            SourceFiles::All => {
                let parent = above(parent, has_siblings(&|other| other.ends_with(extension)));
                (parent, format!("*{extension}"))
            }
        };
        let glob = if parent_of.is_empty() { name_of } else { format!("{parent_of}/{name_of}") };
        let name = self.unused_source(name.split('.').next().unwrap_or("logs"));
        format!(
            "[[source]]\nname = {}\nfiles = [{}]\nformat = \"regex\"\n",
            quoted(&name),
            quoted(&glob)
        )
    }

    fn unused_source(&self, name: &str) -> String {
        let sources = self.settings.as_ref().map(|it| it.plan.sources.as_slice());
        let is_used =
            |name: &str| sources.unwrap_or_default().iter().any(|source| source.name == name);
        if !is_used(name) {
            return name.to_owned();
        }
        let mut numbered = (2..).map(|number| format!("{name} {number}"));
        numbered.find(|name| !is_used(name)).unwrap_or_default()
    }
}

/// A folder, or all folders beside it.
fn above(parent: &str, has_siblings: bool) -> String {
    if !has_siblings {
        return parent.to_owned();
    }
    match parent.rsplit_once('/') {
        Some((above, _)) => format!("{above}/*"),
        None => "*".to_owned(),
    }
}

/// The name of a file with `*` for its numbers and for marked parts of the line, which name devices and the like.
fn like(name: &str, sample: &Sample) -> String {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let parts = sample
        .marks
        .iter()
        .filter(|mark| matches!(mark.role, Role::Lifeline | Role::Group | Role::Id));
    let mut texts: Vec<&str> = parts
        .filter_map(|mark| sample.text.get(mark.span.clone()))
        .filter(|it| it.len() > 1)
        .collect();
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    let mut stem = stem.to_owned();
    for text in texts {
        stem = stem.replace(text, "*");
    }
    let mut out = String::new();
    for letter in stem.chars() {
        let is_star = letter == '*' || letter.is_ascii_digit();
        if !is_star {
            out.push(letter);
        } else if !out.ends_with('*') {
            out.push('*');
        }
    }
    if extension.is_empty() { out } else { format!("{out}.{extension}") }
}

/// A text with a key in a table; its old value is replaced.
pub(super) fn with_key(text: &str, table: &str, key: &str, value: &str) -> String {
    let line = format!("{} = {}", toml_key(key), quoted(value));
    let header = format!("[{table}]");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let Some(start) = lines.iter().position(|line| line.trim() == header) else {
        if lines.last().is_some_and(|last| !last.trim().is_empty()) {
            lines.push(String::new());
        }
        lines.extend([header, line]);
        return lines.join("\n") + "\n";
    };
    let end = lines[start + 1..].iter().position(|line| line.trim_start().starts_with('['));
    let end = end.map_or(lines.len(), |at| start + 1 + at);
    let is_key = |line: &String| {
        let (name, _) = line.split_once('=').unwrap_or_default();
        name.trim() == toml_key(key) || name.trim().trim_matches(['"', '\'']) == key
    };
    if let Some(at) = lines[start + 1..end].iter().position(is_key) {
        lines[start + 1 + at] = line;
    } else {
        let last = lines[start..end].iter().rposition(|line| !line.trim().is_empty());
        lines.insert(start + last.unwrap_or(0) + 1, line);
    }
    lines.join("\n") + "\n"
}

fn toml_key(key: &str) -> String {
    let is_bare = !key.is_empty()
        && key.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '-'));
    if is_bare { key.to_owned() } else { quoted(key) }
}

/// A text of TOML.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            other if other.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(other));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// A pattern as a text of TOML, without escapes if possible.
pub(super) fn literal(pattern: &str) -> String {
    if !pattern.contains('\'') {
        return format!("'{pattern}'");
    }
    if pattern.contains("'''") { quoted(pattern) } else { format!("'''{pattern}'''") }
}
