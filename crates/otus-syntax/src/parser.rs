//! The token cursor of the grammars: one token of look-ahead, bounded error reporting, and the error
//! recovery that all productions share.

use std::collections::BTreeSet;

use crate::ast::Comment;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::excerpt::{printable, shortened};
use crate::lexer::{Lexer, Token, TokenKind, Trivia, unquote};
use crate::name::{Name, Names, Symbol};
use crate::source::{Source, SourceId, Span};

/// The most findings of one text that are reported one by one.
pub const MAX_DIAGNOSTICS: usize = 100;

/// A position in a text between two tokens.
#[derive(Debug)]
pub struct Cursor<'s> {
    source: &'s Source,
    lexer: Lexer<'s>,
    token: Token,
    previous_end: u32,
    /// The end of the last unclosed quote, which has swallowed the rest of its line.
    lost: Option<u32>,
    /// Whether an unclosed comment has swallowed the rest of the text.
    commented_out: bool,
    /// The names so far.
    pub names: Names,
    /// The names that need quotes and were reported; each is reported once.
    unquoted: BTreeSet<Symbol>,
    /// The comments so far.
    pub comments: Vec<Comment>,
    /// The findings so far.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'s> Cursor<'s> {
    /// A cursor before the first token of a text.
    pub fn new(source: &'s Source) -> Self {
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
            diagnostics: Vec::new(),
        };
        cursor.token = cursor.next_token();
        cursor
    }

    /// The id of the text.
    pub fn source(&self) -> SourceId {
        self.source.id()
    }

    /// The token after the cursor.
    pub fn token(&self) -> Token {
        self.token
    }

    /// The kind of the token after the cursor.
    pub fn kind(&self) -> TokenKind {
        self.token.kind
    }

    /// The text of the token after the cursor.
    pub fn text(&self) -> &'s str {
        self.source.slice(self.token.span)
    }

    /// The text of any span.
    pub fn slice(&self, span: Span) -> &'s str {
        self.source.slice(span)
    }

    /// The kind of the token after the next one.
    pub fn kind_after(&self) -> TokenKind {
        self.look_ahead().advance()
    }

    /// The tokens after the next one, without moving the cursor.
    pub fn look_ahead(&self) -> LookAhead<'s> {
        LookAhead(self.lexer)
    }

    /// The end of the previous token.
    pub fn previous_end(&self) -> u32 {
        self.previous_end
    }

    /// Takes the next token.
    pub fn bump(&mut self) -> Token {
        let next = self.next_token();
        let taken = std::mem::replace(&mut self.token, next);
        self.previous_end = taken.span.end;
        taken
    }

    /// Takes the next token if it is of this kind.
    pub fn eat(&mut self, kind: TokenKind) -> Option<Token> {
        if self.kind() == kind { Some(self.bump()) } else { None }
    }

    /// Takes the next token if it is of this kind, or reports that `what` was expected.
    pub fn expect(&mut self, kind: TokenKind, what: &str) -> Option<Token> {
        let taken = self.eat(kind);
        if taken.is_none() {
            self.unexpected(what);
        }
        taken
    }

    /// Takes a name, plain or quoted, or reports that `what` was expected.
    #[expect(clippy::wildcard_enum_match_arm, reason = "every other token is no name")]
    pub fn name(&mut self, what: &str) -> Option<Name> {
        match self.kind() {
            TokenKind::Word => {
                let token = self.bump();
                let goes_on =
                    self.kind() == TokenKind::Minus && self.token.span.start == token.span.end;
                let span = if goes_on { self.dashed_name(token.span) } else { token.span };
                let symbol = self.names.intern(self.source.slice(span));
                Some(Name { symbol, span })
            }
            TokenKind::Quoted => {
                let token = self.bump();
                let text = unquote(self.source.slice(token.span));
                if text.is_empty() {
                    self.report(
                        self.finding(
                            Code::EMPTY_NAME,
                            token.span,
                            format!("{what} has an empty name"),
                        )
                        .with_help("put at least one character between the quotes"),
                    );
                }
                let symbol = self.names.intern(&text);
                Some(Name { symbol, span: token.span })
            }
            TokenKind::OpenQuote => {
                let token = self.bump();
                self.report(
                    self.finding(
                        Code::UNTERMINATED_QUOTE,
                        token.span,
                        "this quoted name has no closing quote on its line",
                    )
                    .with_help("close it with `\"`; inside, write `\\\"` for a quote"),
                );
                self.lost = Some(token.span.end);
                let symbol = self.names.intern(&unquote(self.source.slice(token.span)));
                Some(Name { symbol, span: token.span })
            }
            TokenKind::Number => {
                let token = self.bump();
                let text = self.source.slice(token.span);
                let symbol = self.names.intern(text);
                if self.unquoted.insert(symbol) {
                    self.report(
                        self.finding(
                            Code::NEEDS_QUOTES,
                            token.span,
                            format!("`{text}` is a number, not a name"),
                        )
                        .with_help(format!("to use it as a name, quote it everywhere: \"{text}\""))
                        .with_fix(token.span, format!("\"{text}\"")),
                    );
                }
                Some(Name { symbol, span: token.span })
            }
            _ => {
                self.unexpected(what);
                None
            }
        }
    }

    /// Takes the rest of a plain name that continues with `-`, and reports that it needs quotes.
    fn dashed_name(&mut self, first: Span) -> Span {
        let mut end = first.end;
        while matches!(self.kind(), TokenKind::Minus | TokenKind::Word | TokenKind::Number)
            && self.token.span.start == end
        {
            end = self.bump().span.end;
        }
        let span = Span::new(first.start, end);
        let text = self.source.slice(span);
        let symbol = self.names.intern(text);
        if !self.unquoted.insert(symbol) {
            return span;
        }
        self.report(
            self.finding(Code::NEEDS_QUOTES, span, format!("the name `{text}` must be quoted"))
                .with_help(format!(
                    "only letters, digits and `_` stand without quotes: write \"{text}\" everywhere"
                ))
                .with_fix(span, format!("\"{text}\"")),
        );
        span
    }

    /// Reports that `what` was expected at the cursor.
    pub fn unexpected(&mut self, what: &str) {
        self.unexpected_with(what, None);
    }

    /// Reports that `what` was expected at the cursor, and how to write it.
    pub fn unexpected_with(&mut self, what: &str, remedy: Option<String>) {
        if self.is_lost() {
            return;
        }
        let token = self.token;
        if token.kind == TokenKind::Unknown {
            // Of a run of control characters, only the first is shown.
            let is_control = self.text().starts_with(char::is_control);
            let first = self.text().chars().next().map_or(0, char::len_utf8);
            let character = if is_control { &self.text()[..first] } else { self.text() };
            let help = match character {
                _ if is_control => "this is a control character: is the file a text?",
                _ if is_other_quote(&character[..first]) => "names are quoted with `\"`",
                "#" | "%" => "a comment begins with `//`; a name with this sign in it is quoted",
                _ => "a name with anything but letters, digits and `_` in it is quoted",
            };
            self.report(
                self.finding(
                    Code::UNEXPECTED_CHARACTER,
                    token.span,
                    format!("`{}` does not belong here; expected {what}", printable(character)),
                )
                .with_help(help),
            );
            return;
        }
        let found = describe(token.kind, self.text());
        let mut diagnostic = self.finding(
            Code::UNEXPECTED_TOKEN,
            self.place(),
            format!("expected {what}, found {found}"),
        );
        diagnostic.help = remedy;
        self.report(diagnostic);
    }

    /// Whether an unclosed quote or comment, already reported, has swallowed the text at the cursor.
    /// Further faults at this place would only follow from it.
    pub fn is_lost(&self) -> bool {
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
    pub fn unclosed(&mut self, opener: Span, closer: char) {
        if self.is_lost() {
            return;
        }
        let bracket = self.source.slice(opener).to_owned();
        let found = describe(self.kind(), self.text());
        self.report(
            self.finding(
                Code::UNCLOSED_DELIMITER,
                opener,
                format!("this `{bracket}` is never closed"),
            )
            .with_label("opened here")
            .with_related(
                self.source(),
                self.place(),
                format!("`{closer}` expected, {found} found"),
            )
            .with_help(format!("add the missing `{closer}`")),
        );
    }

    /// A finding about this text.
    pub fn finding(&self, code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        self.source.finding(code, span, message)
    }

    /// Adds a finding, unless there are too many already.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        report(&mut self.diagnostics, diagnostic);
    }

    fn next_token(&mut self) -> Token {
        while let Some(comment) = self.lexer.comment() {
            let span = comment.span;
            if !comment.terminated {
                self.commented_out = true;
                self.report(
                    self.finding(
                        Code::UNTERMINATED_COMMENT,
                        Span::new(span.start, span.start + 2),
                        "this comment never ends",
                    )
                    .with_help("end it with `*/`"),
                );
            }
            push_comment(&mut self.comments, self.source.text(), comment);
        }
        self.lexer.token()
    }
}

/// The following tokens, read without taking them.
#[derive(Debug, Clone, Copy)]
pub struct LookAhead<'s>(Lexer<'s>);

impl LookAhead<'_> {
    /// The kind of the following token; [`TokenKind::End`] forever at the end.
    pub fn advance(&mut self) -> TokenKind {
        while self.0.comment().is_some() {}
        self.0.token().kind
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

/// Truncates a list of findings to [`MAX_DIAGNOSTICS`]; a last one counts the others.
pub(crate) fn limit(diagnostics: &mut Vec<Diagnostic>) {
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
        MAX_DIAGNOSTICS => diagnostics.push(
            Diagnostic::new(
                Code::TOO_MANY_ERRORS,
                diagnostic.primary.source,
                diagnostic.primary.span,
                format!("more than {MAX_DIAGNOSTICS} findings; the rest is not shown"),
            )
            .with_help("fix the first ones: later ones often follow from them"),
        ),
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
