//! The edits that the advice of a finding asks for.
//!
//! Some findings carry their edit. The advice of others says in words what to write, and where: their phrases are those of
//! `otus-syntax` and `otus-core`, and the tests apply each of these edits to a text with the finding.

use std::ops::Range;
use std::path::Path;

use otus_syntax::ast::Section;
use otus_syntax::{Code, Diagnostic, Source, parse_spec};

use super::place::{Edit, Location, line_at};
use super::{Kind, regions};

/// An edit that corrects a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What it does.
    pub title: String,
    /// The edit.
    pub edit: Edit,
}

/// The edits that a finding proposes, the likeliest first. `sources` are the texts that its places refer to.
pub(super) fn of(found: &Diagnostic, sources: &[Source]) -> Vec<Fix> {
    let Some(source) = sources.get(found.primary.source.0 as usize) else { return Vec::new() };
    let help = found.help.as_deref().unwrap_or_default();
    let mut fixes = Vec::new();
    match &found.fix {
        Some(fix) => fixes.push(replace(source, fix.span.range(), &fix.replacement)),
        None => fixes.extend(nearest(found, source, help)),
    }
    if fixes.is_empty() {
        fixes.extend(closing(found, source, help));
        fixes.extend(line(found, source, help));
    }
    if found.code == Code::UNDECLARED_LIFELINE || found.code == Code::UNDECLARED_MESSAGE {
        fixes.extend(declaration(found, source, sources));
    }
    if help.starts_with("remove it from `@") {
        fixes.push(removal(source, found.primary.span.range()));
    }
    fixes
}

fn fix(title: String, source: &Source, range: Range<usize>, text: &str) -> Fix {
    let place = Location::new(Path::new(source.name()), range);
    Fix { title, edit: Edit { place, text: text.to_owned() } }
}

fn replace(source: &Source, range: Range<usize>, new: &str) -> Fix {
    let old = source.text().get(range.clone()).unwrap_or_default();
    let title = match (old, new) {
        ("", new) => format!("Insert `{}`", new.trim()),
        (old, "") => format!("Remove `{old}`"),
        (old, new) => format!("Replace `{old}` by `{new}`"),
    };
    fix(title, source, range, new)
}

/// The word of "did you mean". What is wrong is a word of its own, or the first word of a line, perhaps in quotes.
fn nearest(found: &Diagnostic, source: &Source, help: &str) -> Option<Fix> {
    let (_, rest) = help.split_once("did you mean `")?;
    let (meant, _) = rest.split_once('`')?;
    let start = found.primary.span.start as usize;
    let written = source.slice(found.primary.span);
    let (quote, inside) = match written.as_bytes().first() {
        Some(b'"' | b'\'') if written.len() > 2 && written.ends_with(&written[..1]) => {
            (1, &written[1..written.len() - 1])
        }
        Some(_) | None => (0, written),
    };
    let words = meant.split_whitespace().count().max(1);
    let is_whole = inside.split_whitespace().count() <= words || found.code == Code::UNKNOWN_FIELD;
    let first = inside.split_whitespace().next()?;
    let wrong = if is_whole { inside.trim_end() } else { first };
    let range = start + quote..start + quote + wrong.len();
    (!wrong.is_empty()).then(|| replace(source, range, meant))
}

/// What is missing at the end of something.
fn closing(found: &Diagnostic, source: &Source, help: &str) -> Option<Fix> {
    if let Some(rest) = help.strip_prefix("add the missing `") {
        let at = found.related.first().map_or(found.primary.span.end, |label| label.span.start);
        return Some(replace(source, at as usize..at as usize, rest.trim_end_matches('`')));
    }
    if help.starts_with("end it with `*/`") {
        let (start, line) = line_at(source.text(), found.primary.span.start as usize);
        let end = start + line.trim_end().len();
        return Some(replace(source, end..end, " */"));
    }
    let kind = Kind::of(Path::new(source.name()))?;
    let start = found.primary.span.start as usize;
    let (head, opener) = line_at(source.text(), start);
    let indent = &opener[..opener.len() - opener.trim_start().len()];
    // A block of a directive ends with a directive.
    let is_fragment = !source.slice(found.primary.span).contains("otus:");
    let word = if help.starts_with("write `end` after its last line") && is_fragment {
        "end"
    } else if help.starts_with("write `@enduml` on a line after the diagram") {
        "@enduml"
    } else {
        return None;
    };
    let all = regions::of(source, kind);
    let region = all.iter().find(|it| it.span.range().contains(&head))?;
    // Without the diagram's own end, which is after the fragment's.
    let text = source.slice(region.span).trim_end();
    let text =
        if word == "end" { text.strip_suffix("@enduml").unwrap_or(text).trim_end() } else { text };
    let end = region.span.start as usize + text.len();
    Some(replace(source, end..end, &format!("\n{indent}{word}")))
}

/// A line that is written out, or one that belongs above.
fn line(found: &Diagnostic, source: &Source, help: &str) -> Option<Fix> {
    let quoted = |rest: &str| rest.split_once('`').map(|(text, _)| text.to_owned());
    if let Some(rest) = help.strip_prefix("write the message after a colon: `") {
        let new = quoted(rest)?;
        // If the place is not the arrow but a character behind it, it is not known what else is there.
        let written = source.slice(found.primary.span);
        let is_arrow = new.get(..3).is_some_and(|start| written.starts_with(start));
        return is_arrow.then(|| replace(source, found.primary.span.range(), &new));
    }
    let above = help.strip_prefix("put `").and_then(|rest| rest.split_once("` above it"));
    let (text, _) = above?;
    let (start, line) = line_at(source.text(), found.primary.span.start as usize);
    let indent = &line[..line.len() - line.trim_start().len()];
    let new = format!("{indent}{text}\n");
    Some(fix(format!("Insert `{text}` above"), source, start..start, &new))
}

/// The declaration of a name, behind the last one of its kind.
fn declaration(found: &Diagnostic, source: &Source, sources: &[Source]) -> Option<Fix> {
    let name = source.slice(found.primary.span);
    let is_message = found.code == Code::UNDECLARED_MESSAGE;
    let is_one = !name.is_empty() && (name.starts_with('"') || otus_syntax::name::is_plain(name));
    let models = sources.iter().filter(|source| {
        matches!(Kind::of(Path::new(source.name())), Some(Kind::Model(_))) && is_one
    });
    for model in models {
        for section in parse_spec(model).tree.sections.iter().rev() {
            let (keyword, declared) = match section {
                Section::Messages(declared) if is_message => ("message", declared),
                Section::Lifelines(declared) if !is_message => ("lifeline", declared),
                Section::Messages(_) | Section::Lifelines(_) | Section::Options(_) => continue,
            };
            let Some(last) = declared.names.last() else { continue };
            let at = last.name.span.end as usize;
            let title = format!("Declare `{name}` in `@{keyword}{{…}}`");
            return Some(fix(title, model, at..at, &format!("; {name}")));
        }
    }
    None
}

/// The removal of a declared name with the `;` beside it.
fn removal(source: &Source, range: Range<usize>) -> Fix {
    let text = source.text();
    let name = text.get(range.clone()).unwrap_or_default();
    let after = &text[range.end..];
    let rest = after.trim_start();
    let before = text[..range.start].trim_end();
    let wide = if let Some(next) = rest.strip_prefix(';') {
        let end = text.len() - next.trim_start_matches([' ', '\t']).len();
        range.start..end
    } else if let Some(shorter) = before.strip_suffix(';') {
        shorter.len()..range.end
    } else {
        range
    };
    fix(format!("Remove `{name}`"), source, wide, "")
}
