//! The parser of directives: from the text of a comment to a statement.

use crate::ast::{LoopKind, Operator};
use crate::code::Code;
use crate::diagram::statement::{Fragment, Mark, Options, StatementKind};
use crate::excerpt::shortened;
use crate::name::{Name, Names, is_plain};
use crate::parser::Findings;
use crate::source::{Span, offset};
use crate::suggest;

/// Parses the text of a comment at byte `at` of the source. The result is `None` if the comment is not
/// a directive. It is also `None` for an unknown or malformed directive, which is reported. A
/// directive with a small mistake is reported and accepted.
pub(crate) fn read(
    text: &str,
    at: u32,
    names: &mut Names,
    findings: &mut Findings,
) -> Option<StatementKind> {
    let body = body(text)?;
    let position = text.len() - body.len();
    let mut cursor = Cursor { text, position, at, names, fault: None, fresh: Vec::new() };
    let kind = cursor.directive();
    if let Some((code, span, message, help)) = cursor.fault {
        findings.report(code, span, message, help);
    }
    kind
}

/// The operator that a block label denotes (`strict`, `coreg(l1, l2)`). `at` is the byte offset of the
/// label.
///
/// The label must be spelt exactly like an operator; any other label is free text.
pub(crate) fn block(label: &str, at: u32, names: &mut Names) -> Option<Fragment> {
    let mut cursor = Cursor { text: label, position: 0, at, names, fault: None, fresh: Vec::new() };
    let word = cursor.word();
    let block = cursor.operator(word)?;
    cursor.skip_spaces();
    (cursor.rest().is_empty() && cursor.fresh.is_empty()).then_some(block)
}

/// The operator that a one-word label misspells; `None` if the label is not similar to an operator.
pub(crate) fn nearly_block(label: &str) -> Option<&'static str> {
    const BLOCKS: &str = "strict seq coreg broadcast loopS loopW loopH loopP loopC";
    let word = label.split('(').next().unwrap_or("").trim();
    let one_word = !word.is_empty() && word.len() < 20 && word.chars().all(is_keyword_char);
    let meant = if one_word { suggest::nearest(word, BLOCKS.split(' '))? } else { return None };
    (meant != word).then_some(meant)
}

/// Whether a label is a loop with variables of its own, `loopP(fresh x)`.
pub(crate) fn has_fresh(label: &str) -> bool {
    let Some((word, rest)) = label.split_once('(') else { return false };
    let word = word.trim();
    let is_loop =
        matches!(Operator::from_keyword(word), Some(Operator::Loop(_))) || word == "loopC";
    is_loop && rest.contains("fresh ")
}

/// The keywords of directives, for suggestions and help.
const KEYWORDS: &str = "strict, seq, par, alt, coreg, broadcast, end, loopS, loopW, loopH, loopP, \
    loopC, new, values, synch, critical, environment, name, empty, lifeline, message";

fn is_keyword_char(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}

/// The text after `otus:`, if the comment begins with it.
fn body(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let (word, rest) = text.split_once(':')?;
    word.eq_ignore_ascii_case("otus").then_some(rest)
}

/// A position in the text of a directive.
pub(super) struct Cursor<'a> {
    pub(super) text: &'a str,
    pub(super) position: usize,
    /// The offset of `text` in the source.
    pub(super) at: u32,
    pub(super) names: &'a mut Names,
    /// The first fault with its message and help; later ones often follow from it. The directive may be
    /// accepted nevertheless: if a misspelt block were rejected, its `otus: end` would be reported too.
    fault: Option<(Code, Span, String, String)>,
    /// The variables in the parentheses of a `loopC`.
    fresh: Vec<Name>,
}

impl<'a> Cursor<'a> {
    fn directive(&mut self) -> Option<StatementKind> {
        self.skip_spaces();
        let start = self.position;
        let mut word = self.word();
        if Operator::from_keyword(word).is_none() && !KEYWORDS.split(", ").any(|each| each == word)
        {
            self.unknown(start);
            word = suggest::nearest(word, KEYWORDS.split(", "))?;
        }
        let kind = match word {
            "end" => StatementKind::Close,
            "synch" => StatementKind::Mark(Mark::Synchronous),
            "values" => StatementKind::Mark(Mark::Values),
            "new" => StatementKind::Open(Fragment::Block(Operator::New(self.new_variables()?))),
            "environment" => {
                StatementKind::Mark(Mark::Environment(self.name("`otus: environment NAME`")?))
            }
            "name" => {
                let alias = self.name("`otus: name ALIAS NAME`")?;
                let name = self.name("`otus: name ALIAS NAME`")?;
                StatementKind::Mark(Mark::Rename { alias, name })
            }
            "critical" => {
                let shape = "`otus: critical alt` or `otus: critical opt`";
                let name = self.name(shape)?;
                let options = match self.names.text(name.symbol) {
                    "alt" => Options::Instead,
                    "opt" => Options::After,
                    _ => {
                        let message = "this is no meaning of the options of a `critical`";
                        let help = "write `otus: critical alt` if one option happens instead of the \
                                    critical part, `otus: critical opt` if at most one follows it";
                        return self.fail(Code::UNEXPECTED_TOKEN, name.span, message, help);
                    }
                };
                StatementKind::Mark(Mark::Critical(options))
            }
            "empty" => StatementKind::Empty,
            "lifeline" => StatementKind::Lifelines(self.list("`otus: lifeline l1, l2`", None)?),
            "message" => StatementKind::Messages(self.list("`otus: message m1, m2`", None)?),
            _ => match self.operator(word) {
                Some(Fragment::Block(Operator::Loop(kind))) => {
                    let fresh = std::mem::take(&mut self.fresh);
                    let fresh = if fresh.is_empty() { self.fresh_alone()? } else { fresh };
                    StatementKind::Mark(Mark::LoopKind(kind, fresh))
                }
                Some(fragment) => StatementKind::Open(fragment),
                None if word == "coreg" => {
                    self.position = self.text.len();
                    StatementKind::Open(Fragment::Block(Operator::Coreg(Vec::new())))
                }
                None => return None,
            },
        };
        self.skip_spaces();
        if !self.rest().is_empty() {
            let end = self.text.trim_end().len().max(self.position);
            let span = self.span(self.position, end);
            let message = format!("`otus: {word}` is complete before this");
            let help = "one directive stands on a line; remove the rest";
            self.fail::<()>(Code::UNEXPECTED_TOKEN, span, message, help);
        }
        Some(kind)
    }

    /// The operator of a keyword, with its region. `None` if there is none, or if the region is wrong.
    fn operator(&mut self, word: &str) -> Option<Fragment> {
        Some(Fragment::Block(match word {
            "broadcast" => return Some(Fragment::Broadcast),
            "coreg" => Operator::Coreg(self.region(word)?),
            "loopC" if self.is_fresh_next("(") => Operator::Loop(LoopKind::Coregion(Vec::new())),
            "loopC" => Operator::Loop(LoopKind::Coregion(self.region(word)?)),
            _ => Operator::from_keyword(word)?,
        }))
    }

    /// Whether `fresh` and a name follow, after a sign.
    fn is_fresh_next(&self, sign: &str) -> bool {
        let rest = self.rest().trim_start().strip_prefix(sign).map(str::trim_start);
        let rest = rest.and_then(|rest| rest.strip_prefix("fresh"));
        rest.is_some_and(|rest| rest.starts_with(char::is_whitespace))
    }

    /// `(fresh x, y)`, if it is there.
    fn fresh_alone(&mut self) -> Option<Vec<Name>> {
        if !self.is_fresh_next("(") {
            return Some(Vec::new());
        }
        self.fresh_after_sign()
    }

    /// `fresh x, y)` after a sign of one byte.
    fn fresh_after_sign(&mut self) -> Option<Vec<Name>> {
        self.skip_spaces();
        self.position += 1;
        self.word();
        let names = self.list("`loopP(fresh x)`", Some(')'))?;
        self.variables(names)
    }

    /// `x, y` or `(x, y)`
    fn new_variables(&mut self) -> Option<Vec<Name>> {
        self.skip_spaces();
        let is_open = self.rest().starts_with('(');
        self.position += usize::from(is_open);
        let names = self.list("`otus: new x, y`", is_open.then_some(')'))?;
        self.variables(names)
    }

    /// The names, if all of them can be names of variables.
    fn variables(&mut self, names: Vec<Name>) -> Option<Vec<Name>> {
        let is_variable = |text: &str| {
            let begins_number = text.starts_with(|c: char| c.is_ascii_digit());
            is_plain(text) && !begins_number && !matches!(text, "true" | "false")
        };
        match names.iter().find(|name| !is_variable(self.names.text(name.symbol))) {
            None => Some(names),
            Some(&name) => {
                let text = self.names.text(name.symbol);
                let message = format!("`{text}` cannot be the name of a variable");
                let help = "its name has letters, digits and `_` only, begins with a letter, and is \
                            neither `true` nor `false`";
                self.fail(Code::UNEXPECTED_TOKEN, name.span, message, help)
            }
        }
    }

    fn unknown(&mut self, start: usize) {
        let rest = self.text[start..].trim_end();
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = &rest[..length];
        let span = self.span(start, start + length);
        let known = || format!("the directives are {KEYWORDS}");
        if word.is_empty() {
            let message = "`otus:` is not followed by a directive";
            self.fail::<()>(Code::UNEXPECTED_TOKEN, span, message, known());
            return;
        }
        let help = suggest::did_you_mean(word, KEYWORDS.split(", ")).unwrap_or_else(known);
        let message = format!("there is no directive `{}`", shortened(word, 40));
        self.fail::<()>(Code::UNKNOWN_DIRECTIVE, span, message, help);
    }

    /// `(l1, l2)`
    fn region(&mut self, word: &str) -> Option<Vec<Name>> {
        self.skip_spaces();
        if !self.rest().starts_with('(') {
            let span = self.span(self.position, self.position);
            let message = format!("`{word}` needs the lifelines it is concurrent on");
            let help = format!("write `{word}(l1, l2)`");
            return self.fail(Code::MISSING_REGION, span, message, help);
        }
        self.position += 1;
        self.skip_spaces();
        if self.rest().starts_with(')') {
            self.position += 1;
            return Some(Vec::new());
        }
        self.list("`(l1, l2)`", Some(')'))
    }

    /// Names separated by commas, up to `close` if there is one.
    fn list(&mut self, shape: &str, close: Option<char>) -> Option<Vec<Name>> {
        let open = self.position;
        let mut list = Vec::new();
        loop {
            list.push(self.name(shape)?);
            self.skip_spaces();
            if self.rest().starts_with(',') {
                self.position += 1;
                continue;
            }
            let Some(close) = close else { return Some(list) };
            if self.rest().starts_with(close) {
                self.position += close.len_utf8();
                return Some(list);
            }
            if self.is_fresh_next(";") {
                self.fresh = self.fresh_after_sign()?;
                return Some(list);
            }
            let span = self.span(open.saturating_sub(1), self.position);
            let message = format!("the list of lifelines does not end with `{close}`");
            return self.fail(Code::UNCLOSED_DELIMITER, span, message, format!("write {shape}"));
        }
    }

    /// Records a fault, unless there is one already; the result is always `None`.
    pub(super) fn fail<T>(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Option<T> {
        self.fault.get_or_insert_with(|| (code, span, message.into(), help.into()));
        None
    }

    /// Takes the next word, which may be empty.
    fn word(&mut self) -> &'a str {
        self.skip_spaces();
        let rest = self.rest();
        let word = &rest[..rest.find(|c| !is_keyword_char(c)).unwrap_or(rest.len())];
        self.position += word.len();
        word
    }

    pub(super) fn skip_spaces(&mut self) {
        self.position = self.text.len() - self.rest().trim_start().len();
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.at + offset(start), self.at + offset(end))
    }
}
