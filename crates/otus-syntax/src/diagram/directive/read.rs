//! The parser of directives: from the text of a comment to a statement.

use super::keyword::{KEYWORDS, Keyword, is_keyword_char, keyword};
use crate::ast::LoopKind;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::diagram::statement::{Block, Fragment, Mark, StatementKind};
use crate::excerpt::shortened;
use crate::name::{Name, Names};
use crate::source::{SourceId, Span, offset};
use crate::suggest;

/// Parses the text of a comment at byte `at` of the source. The result is `None` if it is not a
/// directive, and for an unknown or malformed directive, which is reported; a directive that is nearly
/// right is reported and accepted.
pub fn read(
    source: SourceId,
    text: &str,
    at: u32,
    names: &mut Names,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<StatementKind> {
    let body = body(text)?;
    let position = text.len() - body.len();
    let mut cursor = Cursor { text, position, at, names, fault: None };
    let (kind, fault) = match cursor.directive() {
        Ok(kind) => (Some(kind), None),
        Err(fault) => (None, Some(fault)),
    };
    // Of a misspelt directive, further faults are not reported, since they are guesses.
    if let Some(fault) = cursor.fault.or(fault) {
        diagnostics.push(
            Diagnostic::new(fault.code, source, fault.span, fault.message).with_help(fault.help),
        );
    }
    kind
}

/// The operator that a block label denotes (`strict`, `coreg(l1, l2)`). `at` is the byte offset of the
/// label.
///
/// The label must be spelt exactly like an operator; any other label is free text.
pub fn block(label: &str, at: u32, names: &mut Names) -> Option<Block> {
    let word = label.trim_start().split(|c: char| !is_keyword_char(c)).next().unwrap_or("");
    let keyword = keyword(word)?;
    let mut cursor = Cursor { text: label, position: 0, at, names, fault: None };
    cursor.skip_spaces();
    cursor.position += word.len();
    let block = match keyword {
        Keyword::Block(block) => block,
        Keyword::Coreg => Block::Coreg(cursor.region(word).ok()?),
        Keyword::Loop(kind) => Block::Loop(kind),
        Keyword::LoopCoregion => Block::Loop(LoopKind::Coregion(cursor.region(word).ok()?)),
        Keyword::End
        | Keyword::Synch
        | Keyword::Environment
        | Keyword::Rename
        | Keyword::Empty
        | Keyword::Lifeline
        | Keyword::Message => return None,
    };
    cursor.skip_spaces();
    cursor.rest().is_empty().then_some(block)
}

/// The text after `otus:`, if the comment begins with it.
fn body(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let (word, rest) = text.split_once(':')?;
    word.eq_ignore_ascii_case("otus").then_some(rest)
}

/// A fault in a directive.
pub(super) struct Fault {
    pub(super) code: Code,
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) help: String,
}

/// A position in the text of a directive.
pub(super) struct Cursor<'a> {
    pub(super) text: &'a str,
    pub(super) position: usize,
    /// The offset of `text` in the source.
    pub(super) at: u32,
    pub(super) names: &'a mut Names,
    /// The fault of a directive that is accepted nevertheless. If a misspelt block were rejected, its
    /// `otus: end` would be reported too.
    fault: Option<Fault>,
}

impl Cursor<'_> {
    fn directive(&mut self) -> Result<StatementKind, Fault> {
        self.skip_spaces();
        let start = self.position;
        let length = self.rest().find(|c| !is_keyword_char(c)).unwrap_or(self.rest().len());
        self.position += length;
        let mut word = &self.text[start..self.position];
        if keyword(word).is_none() {
            let fault = self.unknown(start);
            let Some(meant) = suggest::nearest(word, KEYWORDS) else { return Err(fault) };
            self.fault = Some(fault);
            word = meant;
        }
        let keyword = keyword(word).expect("suggestions are keywords");
        let kind = match keyword {
            Keyword::Block(block) => StatementKind::Open(Fragment::Block(block)),
            Keyword::Coreg => {
                let region = self.region("coreg").unwrap_or_else(|fault| {
                    self.fault.get_or_insert(fault);
                    self.position = self.text.len();
                    Vec::new()
                });
                StatementKind::Open(Fragment::Block(Block::Coreg(region)))
            }
            Keyword::Loop(kind) => StatementKind::Mark(Mark::LoopKind(kind)),
            Keyword::LoopCoregion => {
                StatementKind::Mark(Mark::LoopKind(LoopKind::Coregion(self.region("loopC")?)))
            }
            Keyword::End => StatementKind::Close,
            Keyword::Synch => StatementKind::Mark(Mark::Synchronous),
            Keyword::Environment => {
                StatementKind::Mark(Mark::Environment(self.name("`otus: environment NAME`")?))
            }
            Keyword::Rename => {
                let alias = self.name("`otus: name ALIAS NAME`")?;
                let name = self.name("`otus: name ALIAS NAME`")?;
                StatementKind::Mark(Mark::Rename { alias, name })
            }
            Keyword::Empty => StatementKind::Empty,
            Keyword::Lifeline => {
                StatementKind::Lifelines(self.list("`otus: lifeline l1, l2`", None)?)
            }
            Keyword::Message => StatementKind::Messages(self.list("`otus: message m1, m2`", None)?),
        };
        self.skip_spaces();
        if !self.rest().is_empty() {
            let end = self.text.trim_end().len().max(self.position);
            let span = self.span(self.position, end);
            self.fault.get_or_insert_with(|| Fault {
                code: Code::UNEXPECTED_TOKEN,
                span,
                message: format!("`otus: {word}` is complete before this"),
                help: String::from("one directive stands on a line; remove the rest"),
            });
        }
        Ok(kind)
    }

    fn unknown(&self, start: usize) -> Fault {
        let rest = self.text[start..].trim_end();
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = &rest[..length];
        let span = self.span(start, start + length);
        if word.is_empty() {
            return Fault {
                code: Code::UNEXPECTED_TOKEN,
                span,
                message: String::from("`otus:` is not followed by a directive"),
                help: known(),
            };
        }
        let help = match suggest::did_you_mean(word, KEYWORDS) {
            Some(suggestion) => suggestion,
            None => known(),
        };
        let message = format!("there is no directive `{}`", shortened(word, 40));
        Fault { code: Code::UNKNOWN_DIRECTIVE, span, message, help }
    }

    /// `(l1, l2)`
    fn region(&mut self, word: &str) -> Result<Vec<Name>, Fault> {
        self.skip_spaces();
        if !self.rest().starts_with('(') {
            return Err(Fault {
                code: Code::MISSING_REGION,
                span: self.span(self.position, self.position),
                message: format!("`{word}` needs the lifelines it is concurrent on"),
                help: format!("write `{word}(l1, l2)`"),
            });
        }
        self.position += 1;
        self.skip_spaces();
        if self.rest().starts_with(')') {
            self.position += 1;
            return Ok(Vec::new());
        }
        self.list("`(l1, l2)`", Some(')'))
    }

    /// Names separated by commas, up to `close` if there is one.
    fn list(&mut self, shape: &str, close: Option<char>) -> Result<Vec<Name>, Fault> {
        let open = self.position;
        let mut list = Vec::new();
        loop {
            list.push(self.name(shape)?);
            self.skip_spaces();
            if self.rest().starts_with(',') {
                self.position += 1;
                continue;
            }
            let Some(close) = close else { return Ok(list) };
            if self.rest().starts_with(close) {
                self.position += close.len_utf8();
                return Ok(list);
            }
            return Err(Fault {
                code: Code::UNCLOSED_DELIMITER,
                span: self.span(open.saturating_sub(1), self.position),
                message: format!("the list of lifelines does not end with `{close}`"),
                help: format!("write {shape}"),
            });
        }
    }

    pub(super) fn skip_spaces(&mut self) {
        self.position = self.text.len() - self.rest().trim_start().len();
    }

    pub(super) fn rest(&self) -> &str {
        &self.text[self.position..]
    }

    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.at + offset(start), self.at + offset(end))
    }
}

fn known() -> String {
    format!("the directives are {}", KEYWORDS.join(", "))
}
