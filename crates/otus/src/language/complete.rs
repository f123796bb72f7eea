//! What could stand at a place.
//!
//! While a line is typed the text around it is often broken, so the line up to the cursor decides what kind of word is next, and
//! the names are those of the whole family of files.

use std::ops::Range;
use std::path::Path;

use otus_syntax::Source;
use otus_syntax::diagram::markdown::Language;
use otus_syntax::lexer::quote;
use otus_syntax::mentions::Role;

use super::place::{line_at, word_at};
use super::{Kind, family, meaning, place, regions, settings, spots};
use crate::context::Context;
use crate::ctl;

/// A word that could stand at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// What it is called.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// What it means; may be empty.
    pub detail: String,
    /// The bytes that it replaces.
    pub range: Range<usize>,
    /// The text that is inserted.
    pub text: String,
}

/// What a completion is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionKind {
    /// A word of the language.
    Keyword,
    /// An operator with operands.
    Operator,
    /// A lifeline.
    Lifeline,
    /// A message.
    Message,
    /// A key of settings, or an option.
    Key,
    /// A value of a setting.
    Value,
}

/// The largest number of names that are offered.
const MOST_NAMES: usize = 500;

/// What could stand at an offset, the likeliest kind of words first.
pub fn complete(context: &Context, path: &Path, at: usize) -> Vec<Completion> {
    let (Some(kind), Some(source)) = (Kind::of(path), place::read(&*context.files, path)) else {
        return Vec::new();
    };
    let text = source.text();
    let at = text.floor_char_boundary(at.min(text.len()));
    let start = word_at(text, at).start;
    let (line_start, line) = line_at(text, at);
    let before = line.get(..start.saturating_sub(line_start)).unwrap_or(line);
    let mut list = List { range: start..at, found: Vec::new() };
    match kind {
        Kind::Model(_) => model(context, path, text, before, &mut list),
        Kind::Trace => {
            let is_message = before.trim_end().ends_with(['!', '?']);
            let role = if is_message { Role::Message } else { Role::Lifeline };
            list.names(context, path, role, |name| quote(name).into_owned());
        }
        Kind::Formulas => {
            list.words(meaning::FORMULAS, CompletionKind::Keyword);
            for pattern in ctl::patterns().lines().filter_map(pattern) {
                list.add(pattern.clone(), CompletionKind::Operator, String::new(), pattern);
            }
        }
        Kind::Diagram(_) | Kind::Markdown => {
            diagram(context, path, &source, kind, (at, before), &mut list);
        }
        Kind::Settings => toml(context, path, text, at, before, &mut list),
    }
    list.found
}

/// The name of a pattern in the list of patterns.
fn pattern(line: &str) -> Option<String> {
    let name = line.split('(').next()?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    (is_name && line.contains('(')).then(|| name.to_owned())
}

struct List {
    range: Range<usize>,
    found: Vec<Completion>,
}

impl List {
    fn add(&mut self, label: String, kind: CompletionKind, detail: String, text: String) {
        if !self.found.iter().any(|it| it.label == label && it.kind == kind) {
            let range = self.range.clone();
            self.found.push(Completion { label, kind, detail, range, text });
        }
    }

    fn words(&mut self, words: &[meaning::Word], kind: CompletionKind) {
        for word in words {
            let text = word.name.to_owned();
            self.add(word.name.to_owned(), kind, word.meaning.to_owned(), text);
        }
    }

    /// The lifelines or messages of all files that share names.
    fn names(
        &mut self,
        context: &Context,
        path: &Path,
        role: Role,
        write: impl Fn(&str) -> String,
    ) {
        let kind = match role {
            Role::Message => CompletionKind::Message,
            Role::Lifeline | Role::Field | Role::Variable => CompletionKind::Lifeline,
        };
        // The word that is typed is in the text already.
        let (own, typed) = (path, self.range.clone());
        let mut names: Vec<String> = Vec::new();
        // Traces only use names, and there may be many of them.
        for path in family::without_traces(&*context.files, path).0 {
            let wanted = |found: Role, _: &str, range: &Range<usize>| {
                found == role && (path != own || range.end < typed.start || range.start > typed.end)
            };
            let spots = spots::of_file(&*context.files, &path, wanted);
            names.extend(spots.into_iter().flat_map(|(_, spots)| spots).map(|spot| spot.name));
        }
        names.sort();
        names.dedup();
        names.truncate(MOST_NAMES);
        for name in names {
            let text = write(&name);
            self.add(name, kind, role.name().to_owned(), text);
        }
    }
}

fn model(context: &Context, path: &Path, text: &str, before: &str, list: &mut List) {
    if before.ends_with('@') {
        return list.words(meaning::SECTIONS, CompletionKind::Keyword);
    }
    // The last section that is open before the place.
    let head = text.get(..list.range.start).unwrap_or_default();
    let section = head.rfind('@').map(|at| &head[at + 1..]).filter(|rest| !rest.contains('}'));
    if section.is_some_and(|rest| rest.contains("_option")) {
        return list.words(meaning::OPTIONS, CompletionKind::Key);
    }
    if section.is_some() {
        return;
    }
    let before = before.trim_end();
    let write = |name: &str| quote(name).into_owned();
    if before.ends_with("--") || before.ends_with(['!', '?', '>']) && !before.ends_with("->") {
        list.names(context, path, Role::Message, write);
    } else if before.ends_with("->") {
        list.names(context, path, Role::Lifeline, write);
    } else {
        list.names(context, path, Role::Lifeline, write);
        for word in meaning::OPERATORS {
            let has_operands = word.form.starts_with(word.name) && word.form.contains('(');
            if has_operands {
                let text = format!("{}(", word.name);
                let kind = CompletionKind::Operator;
                list.add(word.name.to_owned(), kind, word.meaning.to_owned(), text);
            }
        }
        list.names(context, path, Role::Message, write);
    }
}

fn diagram(
    context: &Context,
    path: &Path,
    source: &Source,
    kind: Kind,
    (at, before): (usize, &str),
    list: &mut List,
) {
    let all = regions::of(source, kind);
    let touches =
        |it: &&regions::Region| (it.span.start as usize..=it.span.end as usize).contains(&at);
    let Some(region) = all.iter().find(touches) else { return };
    if let Some((comment, rest)) = before.split_once("otus:") {
        if comment.trim().starts_with(['%', '\'']) && rest.trim().is_empty() {
            list.words(meaning::DIRECTIVES, CompletionKind::Keyword);
        } else {
            list.names(context, path, Role::Lifeline, str::to_owned);
        }
        return;
    }
    let is_plantuml = region.language == Language::PlantUml;
    let before = before.trim();
    if before.is_empty() {
        let words = if is_plantuml { meaning::PLANTUML } else { meaning::MERMAID };
        list.words(words, CompletionKind::Keyword);
        list.names(context, path, Role::Lifeline, str::to_owned);
    } else if before.contains(':') {
        list.names(context, path, Role::Message, str::to_owned);
    } else {
        list.names(context, path, Role::Lifeline, str::to_owned);
    }
}

fn toml(context: &Context, path: &Path, text: &str, at: usize, before: &str, list: &mut List) {
    let place = settings::Context::at(text, at);
    let Some(key) = &place.key else {
        for (key, description) in place.keys() {
            let text = key.clone();
            list.add(key, CompletionKind::Key, description, text);
        }
        return;
    };
    let in_quotes = before.matches('"').count() % 2 == 1 || before.matches('\'').count() % 2 == 1;
    for value in place.values(key) {
        let text = if in_quotes { value.trim_matches('"').to_owned() } else { value.clone() };
        list.add(value.trim_matches('"').to_owned(), CompletionKind::Value, String::new(), text);
    }
    let role = match &**key {
        "lifeline" | "peer" | "complete" | "may_stop_early" | "may_start_late" | "unobserved" => {
            Role::Lifeline
        }
        "message" | "reply" | "emit" => Role::Message,
        _ if text.get(..at).is_some_and(|head| last_table(head) == "[lifelines]") => Role::Lifeline,
        _ if text.get(..at).is_some_and(|head| last_table(head) == "[messages]") => Role::Message,
        _ => return,
    };
    let write = |name: &str| if in_quotes { name.to_owned() } else { format!("\"{name}\"") };
    list.names(context, path, role, write);
}

/// The header of the table that the end of a text is in.
fn last_table(head: &str) -> &str {
    head.lines().map(str::trim).rfind(|line| line.starts_with('[')).unwrap_or_default()
}
