//! Parses settings that are templates, tables of values, or patterns.

use otus_syntax::suggest::did_you_mean;
use otus_syntax::{Code, Span};

use super::Scope;
use crate::mapping::Mapped;
use crate::mapping::pattern::{Pattern, PatternError};
use crate::mapping::table::{Table, Text, TomlReader, get};
use crate::mapping::template::{self, Piece, Raw, Template};
use crate::read::Format;

/// How a template is treated if it names a field that no pattern captures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Such a template is an error.
    Required,
    /// The setting belongs to the source, and rules whose pattern does not capture the field have
    /// no such setting.
    IfCaptured,
}

/// A table such as `{ from = "field", map = { x = "y" } }`.
pub(super) struct ValueTable {
    pub(super) template: Template,
    pub(super) map: Vec<(Vec<u8>, Text)>,
}

impl TomlReader<'_> {
    /// A template that the rule or its source has.
    pub(super) fn setting(&mut self, scope: &Scope<'_>, key: &str, need: Need) -> Option<Template> {
        let (value, own) = scope.find(key)?;
        let text = self.as_text(value, key)?;
        if need == Need::IfCaptured {
            return self.template_of_values(&text, scope, own);
        }
        self.template(&text, 0, scope, own)
    }

    /// A template; none if the source has it, and the pattern of the rule lacks a field of it.
    pub(super) fn template_of_values(
        &mut self,
        text: &Text,
        scope: &Scope<'_>,
        own: bool,
    ) -> Option<Template> {
        if !own && lacks_captures(&text.content, scope) {
            return None;
        }
        self.template(text, 0, scope, own)
    }

    /// A template whose values may be looked up in a table: `{ from = "field", map = { x = "y" }
    /// }`.
    pub(super) fn mapped(&mut self, scope: &Scope<'_>, key: &str) -> Option<Mapped> {
        let (value, own) = scope.find(key)?;
        if !value.get_ref().is_table() {
            let template = self.setting(scope, key, Need::Required)?;
            return Some(Mapped { template, map: Vec::new() });
        }
        let table = self.as_table(value, key, "a table of values")?;
        let ValueTable { template, map } = self.value_table(table, scope, own)?;
        let map = map.into_iter().map(|(key, text)| (key, text.content)).collect();
        Some(Mapped { template, map })
    }

    pub(super) fn value_table(
        &mut self,
        table: Table<'_>,
        scope: &Scope<'_>,
        own: bool,
    ) -> Option<ValueTable> {
        self.value_table_with(table, &["from", "map"], scope, own)
    }

    /// A table of values with some keys.
    pub(super) fn value_table_with(
        &mut self,
        table: Table<'_>,
        keys: &[&str],
        scope: &Scope<'_>,
        own: bool,
    ) -> Option<ValueTable> {
        self.keys(table, keys);
        let Some(from) = self.text(table, "from") else {
            if get(table, "from").is_none() {
                let message = "a table of values does not say which field it is about";
                self.error(Code::MISSING_SETTING, table.span, message, "say `from = \"field\"`");
            }
            return None;
        };
        let template = if from.content.contains('{') {
            self.template(&from, 0, scope, own)?
        } else {
            let place = from.part(0, from.content.len());
            Template { pieces: vec![self.resolve(&from.content, place, scope, own)?] }
        };
        let mut map = Vec::new();
        if let Some(table) = self.table(table, "map", "`map`") {
            for (key, value) in table.entries {
                if let Some(text) = self.as_text(value, key.get_ref()) {
                    map.push((key.get_ref().as_bytes().to_vec(), text));
                }
            }
        }
        Some(ValueTable { template, map })
    }

    /// Parses a template that begins after `skip` bytes of a text.
    pub(super) fn template(
        &mut self,
        text: &Text,
        skip: usize,
        scope: &Scope<'_>,
        own: bool,
    ) -> Option<Template> {
        let pieces = match template::parse(&text.content[skip..]) {
            Ok(pieces) => pieces,
            Err((at, cause)) => {
                let at = at + skip;
                let message = format!("this template has {cause}");
                let help = "a field stands in braces, `{name}`; a brace itself is written twice";
                self.error(Code::BAD_TEMPLATE, text.part(at, at + 1), message, help);
                return None;
            }
        };
        let mut resolved = Vec::new();
        for piece in pieces {
            resolved.push(match piece {
                Raw::Text(literal) => Piece::Text(literal),
                Raw::Name { name, start, end } => {
                    self.resolve(&name, text.part(start + skip, end + skip), scope, own)?
                }
            });
        }
        if resolved.iter().all(|piece| *piece == Piece::Text(String::new())) {
            let help = "write a name, or a field in braces";
            self.error(Code::BAD_TEMPLATE, text.span, "this template is empty", help);
            return None;
        }
        Some(Template { pieces: resolved })
    }

    /// Resolves a name in a template: a capture, a built-in name, or a field of the record.
    fn resolve(&mut self, name: &str, place: Span, scope: &Scope<'_>, own: bool) -> Option<Piece> {
        if let Some(piece) = scope.capture(name).or_else(|| built_in(name)) {
            return Some(piece);
        }
        if scope.format != Format::Text {
            return Some(Piece::Field(self.fields.slot(name)));
        }
        let groups = || scope.groups.iter().flatten().flatten().map(String::as_str);
        let message = if own {
            format!("the pattern captures no `{name}`")
        } else {
            format!("the pattern of `{}` captures no `{name}`", scope.name)
        };
        let listed: Vec<&str> = groups().collect();
        let help = did_you_mean(name, groups()).unwrap_or_else(|| {
            if listed.is_empty() {
                format!("name a group of the pattern: `(?<{name}>…)`")
            } else {
                format!(
                    "its groups are `{}`; a new one is written `(?<{name}>…)`",
                    listed.join("`, `")
                )
            }
        });
        self.error(Code::UNKNOWN_FIELD, place, message, help);
        None
    }

    pub(super) fn pattern(&mut self, text: &Text) -> Option<Pattern> {
        match Pattern::new(&text.content) {
            Ok(pattern) => Some(pattern),
            Err(error) => {
                let (cause, place) = pattern_fault(text, &error);
                let message = format!("this is not a regular expression: {cause}");
                let help = "use single quotes so that backslashes stay; look-around and back references do not exist";
                self.error(Code::BAD_PATTERN, place, message, help);
                None
            }
        }
    }
}

/// Whether a template for lines of text has a field that no pattern of the rule captures.
pub(super) fn lacks_captures(template: &str, scope: &Scope<'_>) -> bool {
    let is_missing = |piece: &Raw| match piece {
        Raw::Text(_) => false,
        Raw::Name { name, .. } => scope.capture(name).is_none() && built_in(name).is_none(),
    };
    let pieces = template::parse(template);
    scope.format == Format::Text && pieces.is_ok_and(|pieces| pieces.iter().any(is_missing))
}

fn built_in(name: &str) -> Option<Piece> {
    Some(match name {
        "file" => Piece::File,
        "file.name" => Piece::FileName,
        "file.stem" => Piece::FileStem,
        "file.folder" => Piece::FileFolder,
        "line" => Piece::Line,
        _ => return None,
    })
}

/// The error of a pattern, and its span in the pattern.
fn pattern_fault(text: &Text, error: &PatternError) -> (String, Span) {
    let (cause, span) = match error {
        PatternError::TooLarge => return ("it is too large".to_owned(), text.span),
        PatternError::Other(cause) => return (cause.clone(), text.span),
        PatternError::Syntax(error) => match &**error {
            regex_syntax::Error::Parse(found) => (found.kind().to_string(), found.span()),
            regex_syntax::Error::Translate(found) => (found.kind().to_string(), found.span()),
            other => return (other.to_string(), text.span),
        },
    };
    (cause, text.part(span.start.offset, span.end.offset))
}
