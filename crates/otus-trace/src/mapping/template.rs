//! Templates such as `{name} reply`.
//!
//! Braces enclose the name of a field; a double brace is a literal brace. If a field has no value,
//! the template has no value either. Most templates are a single field, whose bytes are used
//! without a copy.

use super::pattern::Slots;
use crate::read::Record;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    pub(crate) pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Literal text.
    Text(String),
    /// A field of the record.
    Field(usize),
    /// A capture group of a pattern of the rule.
    Capture { pattern: usize, group: usize },
    /// The path of the file.
    File,
    /// The last component of the path.
    FileName,
    /// The file name without its endings.
    FileStem,
    /// The name of the folder that contains the file.
    FileFolder,
    /// The number of the line.
    Line,
}

/// A part of a template whose name has not been resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Raw {
    /// Literal text.
    Text(String),
    /// A name, with its range in the template.
    Name { name: String, start: usize, end: usize },
}

/// Parses a template. The error is the byte of a syntax error, and its cause.
pub(crate) fn parse(text: &str) -> Result<Vec<Raw>, (usize, &'static str)> {
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
            return Err((here, "a `}` without its `{`"));
        }
        let Some(end) = after.find('}') else {
            return Err((here, "a `{` without its `}`"));
        };
        let name = after[..end].trim();
        if name.is_empty() || name.contains('{') {
            return Err((here, "a field without a name"));
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

/// The values for the fields of templates.
#[derive(Clone, Copy)]
pub(crate) struct Context<'c> {
    pub(crate) record: &'c Record<'c>,
    pub(crate) file: &'c str,
    /// The captures of each pattern of the rule.
    pub(crate) captures: &'c [Captures<'c>],
}

#[derive(Clone, Copy)]
pub(crate) struct Captures<'c> {
    /// The text that the pattern was matched against.
    pub(crate) haystack: &'c [u8],
    pub(crate) slots: &'c Slots,
}

impl Template {
    pub(crate) fn constant(text: &str) -> Template {
        Template { pieces: vec![Piece::Text(text.to_owned())] }
    }

    pub(crate) fn field(slot: usize) -> Template {
        Template { pieces: vec![Piece::Field(slot)] }
    }

    /// The value for a record; `None` if a field has no value. A value that consists of several
    /// pieces is put together in `scratch`.
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
    let captures = context.captures.get(pattern)?;
    let [start, end] = [2 * group, 2 * group + 1].map(|slot| captures.slots.get(slot).copied());
    captures.haystack.get(start??.get()..end??.get())
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
            Err((at, cause)) => format!("{cause} at {at}"),
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
