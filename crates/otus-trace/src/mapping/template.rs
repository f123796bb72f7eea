//! Templates: `{name} reply`.
//!
//! Braces hold the name of a field, two braces are one of them. A template that lacks a field has
//! no value. Most are a single field, whose bytes are taken as they are.

use crate::read::Record;

/// A text with fields to be filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pub(crate) pieces: Vec<Piece>,
}

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// The same in every record.
    Text(String),
    /// A field of the record.
    Field(usize),
    /// A group of the rule's pattern with this number.
    Capture { pattern: usize, group: usize },
    /// The path of the file.
    File,
    /// Its last part.
    FileName,
    /// That, without its ending.
    FileStem,
    /// The name of the folder that the file is in.
    FileFolder,
    /// The number of the line.
    Line,
}

/// A part of a template that has not been looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Raw {
    Text(String),
    /// A name, and where it stands.
    Name {
        name: String,
        start: usize,
        end: usize,
    },
}

/// What is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadTemplate {
    pub(crate) at: usize,
    pub(crate) cause: &'static str,
}

/// Takes a template apart.
pub(crate) fn parse(text: &str) -> Result<Vec<Raw>, BadTemplate> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        literal.push_str(&rest[..at]);
        let here = text.len() - rest.len() + at;
        let (brace, after) = rest[at..].split_at(1);
        if let Some(after) = after.strip_prefix(brace) {
            literal.push_str(brace);
            rest = after;
            continue;
        }
        if brace == "}" {
            return Err(BadTemplate { at: here, cause: "a `}` without its `{`" });
        }
        let Some(end) = after.find('}') else {
            return Err(BadTemplate { at: here, cause: "a `{` without its `}`" });
        };
        let name = after[..end].trim();
        if name.is_empty() || name.contains('{') {
            return Err(BadTemplate { at: here, cause: "a field without a name" });
        }
        if !literal.is_empty() {
            pieces.push(Raw::Text(std::mem::take(&mut literal)));
        }
        pieces.push(Raw::Name { name: name.to_owned(), start: here, end: here + end + 2 });
        rest = &after[end + 1..];
    }
    literal.push_str(rest);
    if !literal.is_empty() || pieces.is_empty() {
        pieces.push(Raw::Text(literal));
    }
    Ok(pieces)
}

/// What templates are filled in from.
pub(crate) struct Context<'c> {
    pub(crate) record: &'c Record<'c>,
    pub(crate) file: &'c str,
    /// By pattern of the rule: what it was matched against, and its groups.
    pub(crate) captures: &'c [(&'c [u8], &'c regex::bytes::CaptureLocations)],
}

impl Template {
    /// A text without fields.
    pub(crate) fn constant(text: &str) -> Template {
        Template { pieces: vec![Piece::Text(text.to_owned())] }
    }

    /// The text, if there is no field in it.
    pub fn as_constant(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The value for a record; `None` if it lacks a field. `scratch` is used if the value does
    /// not stand anywhere as it is.
    #[inline]
    pub(crate) fn value<'v>(
        &'v self,
        context: &Context<'v>,
        scratch: &'v mut Vec<u8>,
    ) -> Option<&'v [u8]> {
        match self.pieces.as_slice() {
            [Piece::Text(text)] => Some(text.as_bytes()),
            [Piece::Field(slot)] => context.record.field(*slot),
            [Piece::Capture { pattern, group }] => capture(context, *pattern, *group),
            pieces => {
                scratch.clear();
                for piece in pieces {
                    append(piece, context, scratch)?;
                }
                Some(scratch)
            }
        }
    }
}

fn append(piece: &Piece, context: &Context<'_>, text: &mut Vec<u8>) -> Option<()> {
    match piece {
        Piece::Text(literal) => text.extend_from_slice(literal.as_bytes()),
        Piece::Field(slot) => text.extend_from_slice(context.record.field(*slot)?),
        Piece::Capture { pattern, group } => {
            text.extend_from_slice(capture(context, *pattern, *group)?);
        }
        Piece::File => text.extend_from_slice(context.file.as_bytes()),
        Piece::FileName => text.extend_from_slice(file_name(context.file).as_bytes()),
        Piece::FileStem => text.extend_from_slice(file_stem(context.file).as_bytes()),
        Piece::FileFolder => text.extend_from_slice(file_folder(context.file).as_bytes()),
        Piece::Line => text.extend_from_slice(context.record.at.line.to_string().as_bytes()),
    }
    Some(())
}

#[inline]
fn capture<'c>(context: &Context<'c>, pattern: usize, group: usize) -> Option<&'c [u8]> {
    let (haystack, locations) = context.captures.get(pattern)?;
    let (start, end) = locations.get(group)?;
    haystack.get(start..end)
}

pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// `sub1` of `logs/sub1.log.gz`.
pub(crate) fn file_stem(path: &str) -> &str {
    let name = file_name(path);
    let stem = name.split('.').next().unwrap_or(name);
    if stem.is_empty() { name } else { stem }
}

/// `monday` of `logs/monday/sub1.log`; a dot if the path has no folder.
pub(crate) fn file_folder(path: &str) -> &str {
    path.rsplit(['/', '\\']).nth(1).filter(|folder| !folder.is_empty()).unwrap_or(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown = match parse(text) {
            Ok(pieces) => pieces
                .iter()
                .map(|piece| match piece {
                    Raw::Text(literal) => format!("'{literal}'"),
                    Raw::Name { name, start, end } => format!("{name}@{start}..{end}"),
                })
                .collect::<Vec<_>>()
                .join(" "),
            Err(found) => format!("{} at {}", found.cause, found.at),
        };
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn templates_are_taken_apart() {
        check("", "''");
        check("broker", "'broker'");
        check("{name} reply", "name@0..6 ' reply'");
        check("{{{ a.b }}}", "'{' a.b@2..9 '}'");
        check("{a}{b}", "a@0..3 b@3..6");
        check("{a", "a `{` without its `}` at 0");
        check("x}", "a `}` without its `{` at 1");
        check("{}", "a field without a name at 0");
    }

    #[test]
    fn parts_of_paths() {
        assert_eq!(file_stem("logs/sub1.log.gz"), "sub1");
        assert_eq!(file_stem("C:\\logs\\sub1.log"), "sub1");
        assert_eq!(file_stem(".hidden"), ".hidden");
        assert_eq!(file_folder("logs/monday/sub1.log"), "monday");
        assert_eq!(file_folder("C:\\logs\\sub1.log"), "logs");
        assert_eq!(file_folder("sub1.log"), ".");
        assert_eq!(file_folder("/sub1.log"), ".");
    }
}
