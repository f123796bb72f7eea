//! The token cursor of the grammars: one token of look-ahead, bounded error reporting, and the error
//! recovery that all productions share.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::ast::Comment;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::excerpt::{printable, shortened};
use crate::grammar::Parsed;
use crate::lexer::TokenKind::{self, Sign};
use crate::lexer::{Lexer, Token, Trivia, unquote};
use crate::name::{Name, Names, Symbol};
use crate::source::{Source, SourceId, Span};

/// The maximum number of findings of one text that are reported one by one.
pub const MAX_DIAGNOSTICS: usize = 100;

/// A position in a text between two tokens.
#[derive(Debug)]
pub(crate) struct Cursor<'s> {
    source: &'s Source,
    lexer: Lexer<'s>,
    token: Token,
    previous_end: u32,
    /// The end of the last unclosed quote, which has swallowed the rest of its line.
    lost: Option<u32>,
    /// Whether an unclosed comment has swallowed the rest of the text.
    commented_out: bool,
    pub(crate) names: Names,
    /// The names that were reported because they are written without the quotes they need; each is reported once.
    unquoted: BTreeSet<Symbol>,
    pub(crate) comments: Vec<Comment>,
    pub(crate) findings: Findings,
}

impl<'s> Cursor<'s> {
    /// A cursor before the first token of a text.
    pub(crate) fn new(source: &'s Source) -> Self {
        let mut cursor = Cursor {
            source,
            lexer: Lexer::new(source.text()),
            token: Token { kind: TokenKind::End, span: Span::at(0) },
            previous_end: 0,
            lost: None,
            commented_out: false,
            names: Names::default(),
            unquoted: BTreeSet::new(),
            comments: Vec::new(),
            findings: Findings::bounded(source.id()),
        };
        cursor.token = cursor.next_token();
        cursor
    }

    /// The token after the cursor.
    pub(crate) fn token(&self) -> Token {
        self.token
    }

    pub(crate) fn kind(&self) -> TokenKind {
        self.token.kind
    }

    pub(crate) fn text(&self) -> &'s str {
        self.source.slice(self.token.span)
    }

    pub(crate) fn slice(&self, span: Span) -> &'s str {
        self.source.slice(span)
    }

    /// The text from an offset on.
    pub(crate) fn text_from(&self, start: u32) -> &'s str {
        self.source.text().get(start as usize..).unwrap_or("")
    }

    /// The kind of the token after the next one.
    pub(crate) fn kind_after(&self) -> TokenKind {
        self.kinds_after().next().unwrap_or(TokenKind::End)
    }

    /// The text of the token after the next one.
    pub(crate) fn text_after(&self) -> &'s str {
        let mut lexer = self.lexer;
        while lexer.comment().is_some() {}
        self.source.slice(lexer.token().span)
    }

    /// The kinds of the tokens after the next one; [`TokenKind::End`] forever at the end.
    pub(crate) fn kinds_after(&self) -> impl Iterator<Item = TokenKind> {
        let mut lexer = self.lexer;
        std::iter::repeat_with(move || {
            while lexer.comment().is_some() {}
            lexer.token().kind
        })
    }

    pub(crate) fn previous_end(&self) -> u32 {
        self.previous_end
    }

    /// Takes the next token.
    pub(crate) fn bump(&mut self) -> Token {
        let next = self.next_token();
        let taken = std::mem::replace(&mut self.token, next);
        self.previous_end = taken.span.end;
        taken
    }

    /// Takes the next token if it is of this kind.
    pub(crate) fn eat(&mut self, kind: TokenKind) -> Option<Token> {
        if self.kind() == kind { Some(self.bump()) } else { None }
    }

    /// Takes the next token if it is of this kind, or reports that `what` was expected.
    pub(crate) fn expect(&mut self, kind: TokenKind, what: &str) -> Option<Token> {
        let taken = self.eat(kind);
        if taken.is_none() {
            self.unexpected(what);
        }
        taken
    }

    /// Takes items up to and including `closer`. The bracket `open` before them is unclosed if the text
    /// ends, or if one of the signs in `ends` comes first. Each call of `item` takes at least one token.
    pub(crate) fn items(
        &mut self,
        open: Span,
        closer: char,
        ends: &str,
        mut item: impl FnMut(&mut Cursor<'s>),
    ) {
        while self.eat(Sign(closer)).is_none() {
            let ends_here = matches!(self.kind(), Sign(sign) if ends.contains(sign));
            if ends_here || self.kind() == TokenKind::End {
                return self.unclosed(open, closer);
            }
            item(self);
        }
    }

    /// Takes a name, plain or quoted, or reports that `what` was expected.
    pub(crate) fn name(&mut self, what: &str) -> Option<Name> {
        let kind = self.kind();
        let is_quoted = matches!(kind, TokenKind::Quoted | TokenKind::OpenQuote);
        if !is_quoted && !matches!(kind, TokenKind::Word | TokenKind::Number) {
            self.unexpected(what);
            return None;
        }
        let first = self.bump().span;
        let span = if kind == TokenKind::Word { self.dashed_name(first) } else { first };
        let written = self.source.slice(span);
        let text = if is_quoted { unquote(written) } else { Cow::Borrowed(written) };
        let symbol = self.names.intern(&text);
        if kind == TokenKind::OpenQuote {
            self.findings.open_quote(span);
            self.lost = Some(span.end);
        } else if is_quoted && text.is_empty() {
            self.findings.empty_name(span, format!("{what} has an empty name"));
        } else if kind == TokenKind::Number && self.unquoted.insert(symbol) {
            self.findings.number_as_name(span, &text, "quote it everywhere");
        } else if span != first && self.unquoted.insert(symbol) {
            self.findings.dashed_name(span, &text);
        }
        Some(Name { symbol, span })
    }

    /// Takes the rest of a plain name that continues with `-`; returns the span of the whole name.
    fn dashed_name(&mut self, first: Span) -> Span {
        let mut end = first.end;
        let is_dashed = self.kind() == Sign('-');
        while is_dashed
            && matches!(self.kind(), Sign('-') | TokenKind::Word | TokenKind::Number)
            && self.token.span.start == end
        {
            end = self.bump().span.end;
        }
        Span::new(first.start, end)
    }

    /// Reports that `what` was expected at the cursor.
    pub(crate) fn unexpected(&mut self, what: &str) {
        self.unexpected_with(what, None);
    }

    /// Reports that `what` was expected at the cursor, and how to write it.
    pub(crate) fn unexpected_with(&mut self, what: &str, remedy: Option<String>) {
        if self.is_lost() {
            return;
        }
        let token = self.token;
        if token.kind == TokenKind::Unknown {
            // If several control characters follow each other, only the first is shown.
            let is_control = self.text().starts_with(char::is_control);
            let first = self.text().chars().next().map_or(0, char::len_utf8);
            let character = if is_control { &self.text()[..first] } else { self.text() };
            let help = match character {
                _ if is_control => "this is a control character: is the file a text?",
                _ if is_other_quote(&character[..first]) => "names are quoted with `\"`",
                "#" | "%" => "a comment begins with `//`; a name with this sign in it is quoted",
                _ => "a name with anything but letters, digits and `_` in it is quoted",
            };
            let message =
                format!("`{}` does not belong here; expected {what}", printable(character));
            self.findings.report(Code::UNEXPECTED_CHARACTER, token.span, message, help);
            return;
        }
        let found = describe(token.kind, self.text());
        let message = format!("expected {what}, found {found}");
        let found = self.findings.finding(Code::UNEXPECTED_TOKEN, self.place(), message);
        self.findings.push(Diagnostic { help: remedy, ..found });
    }

    /// Whether an unclosed quote or comment, already reported, has swallowed the text at the cursor.
    /// Further faults at this position would only be consequences of it.
    pub(crate) fn is_lost(&self) -> bool {
        self.lost == Some(self.previous_end) || self.commented_out && self.kind() == TokenKind::End
    }

    /// The span that a diagnostic points at: the next token, or the end of the previous one at the end of
    /// the text.
    fn place(&self) -> Span {
        if self.kind() == TokenKind::End && self.previous_end > 0 {
            Span::at(self.previous_end)
        } else {
            self.token.span
        }
    }

    /// Reports a bracket that is not closed by `closer` at the cursor.
    pub(crate) fn unclosed(&mut self, opener: Span, closer: char) {
        if self.is_lost() {
            return;
        }
        let found = describe(self.kind(), self.text());
        let expected = format!("`{closer}` expected, {found} found");
        self.findings.unclosed(self.source, opener, closer, self.place(), expected);
    }

    fn next_token(&mut self) -> Token {
        while let Some(comment) = self.lexer.comment() {
            if !comment.terminated {
                self.commented_out = true;
                self.findings.open_comment(comment.span);
            }
            push_comment(&mut self.comments, self.source.text(), comment);
        }
        self.lexer.token()
    }
}

/// Records a comment. An unclosed comment is closed, so that the printed text can be parsed.
pub(crate) fn push_comment(comments: &mut Vec<Comment>, text: &str, comment: Trivia) {
    let span = comment.span;
    // Look back no further than to the previous comment, which keeps the total time linear.
    let from = comments.last().map_or(0, |last| last.span.end as usize);
    let between = &text[from..span.start as usize];
    let line = between.rfind('\n').map_or(between, |at| &between[at + 1..]);
    let same_line = line.len() == between.len();
    let after_comment = same_line && comments.last().is_some_and(|last| last.trailing);
    let trailing = !line.trim_start_matches('\u{feff}').trim().is_empty() || after_comment;
    let mut text = text[span.range()].trim_end().to_owned();
    if !comment.terminated {
        text.push_str("*/");
    }
    comments.push(Comment { span, text: text.into(), trailing });
}

/// The findings of a parser about one text.
#[derive(Debug)]
pub(crate) struct Findings {
    source: SourceId,
    /// Whether findings beyond [`MAX_DIAGNOSTICS`] are dropped at once. Otherwise they are counted at the
    /// end.
    bounded: bool,
    /// Whether a finding about the same span as the last one is dropped.
    distinct: bool,
    pub(crate) list: Vec<Diagnostic>,
}

impl Findings {
    pub(crate) fn bounded(source: SourceId) -> Self {
        Findings { bounded: true, ..Findings::unbounded(source) }
    }

    pub(crate) fn unbounded(source: SourceId) -> Self {
        Findings { source, bounded: false, distinct: false, list: Vec::new() }
    }

    /// Drops findings about the same span as the last one.
    pub(crate) fn distinct(self) -> Self {
        Findings { distinct: true, ..self }
    }

    pub(crate) fn source(&self) -> SourceId {
        self.source
    }

    /// A finding about the text, which is not added yet.
    pub(crate) fn finding(&self, code: Code, span: Span, text: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, self.source, span, text)
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        let last = self.list.last().filter(|_| self.distinct);
        if last.is_some_and(|last| last.primary.span == diagnostic.primary.span) {
            return;
        }
        if self.bounded {
            report(&mut self.list, diagnostic);
        } else {
            self.list.push(diagnostic);
        }
    }

    /// Adds a finding with its help.
    pub(crate) fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(self.finding(code, span, message).with_help(help));
    }

    /// The result of a parser: the tree, and the findings in the order of the text.
    pub(crate) fn with_tree<T>(self, tree: T) -> Parsed<T> {
        let mut diagnostics = self.list;
        diagnostics.sort_by_key(|found| found.primary.span.start);
        if !self.bounded {
            limit(&mut diagnostics);
        }
        Parsed { tree, diagnostics }
    }

    pub(crate) fn open_comment(&mut self, span: Span) {
        let start = Span::new(span.start, span.start + 2);
        let message = "this comment never ends";
        self.report(Code::UNTERMINATED_COMMENT, start, message, "end it with `*/`");
    }

    pub(crate) fn open_quote(&mut self, span: Span) {
        let message = "this quoted name has no closing quote on its line";
        let help = "close it with `\"`; inside, write `\\\"` for a quote";
        self.report(Code::UNTERMINATED_QUOTE, span, message, help);
    }

    pub(crate) fn empty_name(&mut self, span: Span, message: impl Into<String>) {
        let help = "put at least one character between the quotes";
        self.report(Code::EMPTY_NAME, span, message, help);
    }

    /// Reports a number in the place of a name; `quote` says how to quote it.
    pub(crate) fn number_as_name(&mut self, span: Span, text: &str, quote: &str) {
        let message = format!("`{text}` is a number, not a name");
        let help = format!("to use it as a name, {quote}: \"{text}\"");
        let found = self.finding(Code::NEEDS_QUOTES, span, message).with_help(help);
        self.push(found.with_fix(span, format!("\"{text}\"")));
    }

    /// Reports a plain name with a `-` in it.
    pub(crate) fn dashed_name(&mut self, span: Span, text: &str) {
        let message = format!("the name `{text}` must be quoted");
        let found = self.finding(Code::NEEDS_QUOTES, span, message).with_help(format!(
            "only letters, digits and `_` stand without quotes: write \"{text}\" everywhere"
        ));
        self.push(found.with_fix(span, format!("\"{text}\"")));
    }

    /// Reports a bracket at `open` that is not closed by `closer`. `expected` is the remark at
    /// `place`.
    pub(crate) fn unclosed(
        &mut self,
        source: &Source,
        open: Span,
        closer: char,
        place: Span,
        expected: String,
    ) {
        let message = format!("this `{}` is never closed", source.slice(open));
        let found = self.finding(Code::UNCLOSED_DELIMITER, open, message).with_label("opened here");
        let found = found.with_related(self.source, place, expected);
        self.push(found.with_help(format!("add the missing `{closer}`")));
    }
}

/// Truncates a list of findings to [`MAX_DIAGNOSTICS`]; a last one counts the others.
fn limit(diagnostics: &mut Vec<Diagnostic>) {
    let hidden = diagnostics.split_off(diagnostics.len().min(MAX_DIAGNOSTICS));
    let worst = hidden.iter().map(|found| found.severity).max();
    if let (Some(Diagnostic { primary, .. }), Some(worst)) = (hidden.first(), worst) {
        diagnostics.push(Diagnostic::hidden(hidden.len(), worst, primary.source, primary.span));
    }
}

/// Adds a finding to a list. Beyond [`MAX_DIAGNOSTICS`], one last finding says that there are more.
pub fn report(diagnostics: &mut Vec<Diagnostic>, diagnostic: Diagnostic) {
    match diagnostics.len() {
        0..MAX_DIAGNOSTICS => diagnostics.push(diagnostic),
        MAX_DIAGNOSTICS => {
            let message = format!("more than {MAX_DIAGNOSTICS} findings; the rest is not shown");
            let primary = diagnostic.primary;
            let last =
                Diagnostic::new(Code::TOO_MANY_ERRORS, primary.source, primary.span, message);
            let help = "fix the first ones: later ones often follow from them";
            diagnostics.push(last.with_help(help));
        }
        _ => {}
    }
}

/// Whether the character looks like a quotation mark.
pub(crate) fn is_other_quote(character: &str) -> bool {
    matches!(character, "'" | "`" | "‘" | "’" | "“" | "”" | "«" | "»")
}

/// A token in words.
fn describe(kind: TokenKind, text: &str) -> String {
    if kind == TokenKind::End {
        "the end of the text".to_owned()
    } else if kind == TokenKind::OpenQuote {
        "a quote without end".to_owned()
    } else {
        format!("`{}`", shortened(text, 24))
    }
}
