//! The cursor that the grammars move over a text: one token of memory, error reporting with a
//! limit, and the few ways of recovering that all productions share.

use std::collections::BTreeSet;

use crate::ast::Comment;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::excerpt::{printable, shortened};
use crate::lexer::{Lexer, Token, TokenKind, Trivia, unquote};
use crate::name::{Name, Names, Symbol};
use crate::source::{Source, SourceId, Span};

/// After this many findings in one text the rest is not reported one by one.
pub const MAX_DIAGNOSTICS: usize = 100;

/// A place in a text between two tokens.
#[derive(Debug)]
pub struct Cursor<'s> {
    source: &'s Source,
    lexer: Lexer<'s>,
    token: Token,
    previous_end: u32,
    /// Where a quote without an end has taken the rest of its line: what follows is lost with it.
    lost: Option<u32>,
    /// Whether a comment without an end has taken the rest of the text.
    commented_out: bool,
    /// Every name met so far.
    pub names: Names,
    /// The names that were asked to be quoted; each is asked once.
    unquoted: BTreeSet<Symbol>,
    /// Every comment passed so far.
    pub comments: Vec<Comment>,
    /// Everything reported so far.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'s> Cursor<'s> {
    /// Before the first token of a text.
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

    /// The text's number.
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

    /// Looks at the tokens after the next one without moving.
    pub fn look_ahead(&self) -> LookAhead<'s> {
        LookAhead(self.lexer)
    }

    /// Where the last token that was taken ends.
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

    /// Whether the next token is this keyword.
    pub fn at_word(&self, word: &str) -> bool {
        self.kind() == TokenKind::Word && self.text() == word
    }

    /// Takes the next token if it is this keyword.
    pub fn eat_word(&mut self, word: &str) -> Option<Token> {
        if self.at_word(word) { Some(self.bump()) } else { None }
    }

    /// Takes the next token if it is of this kind, or reports what was expected instead.
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
                        Diagnostic::new(
                            Code::EMPTY_NAME,
                            self.source(),
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
                    Diagnostic::new(
                        Code::UNTERMINATED_QUOTE,
                        self.source(),
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
                        Diagnostic::new(
                            Code::NEEDS_QUOTES,
                            self.source(),
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

    /// A plain name that goes on with `-`: takes the rest of it and asks for quotes.
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
            Diagnostic::new(
                Code::NEEDS_QUOTES,
                self.source(),
                span,
                format!("the name `{text}` must be quoted"),
            )
            .with_help(format!(
                "only letters, digits and `_` stand without quotes: write \"{text}\" everywhere"
            ))
            .with_fix(span, format!("\"{text}\"")),
        );
        span
    }

    /// Reports that `what` was expected where the cursor stands.
    pub fn unexpected(&mut self, what: &str) {
        self.unexpected_with(what, None);
    }

    /// Reports that `what` was expected where the cursor stands, and how to write it.
    pub fn unexpected_with(&mut self, what: &str, remedy: Option<String>) {
        if self.is_lost() {
            return;
        }
        let token = self.token;
        if token.kind == TokenKind::Unknown {
            // Of a run of control characters, the first says it all.
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
                Diagnostic::new(
                    Code::UNEXPECTED_CHARACTER,
                    self.source(),
                    token.span,
                    format!("`{}` does not belong here; expected {what}", printable(character)),
                )
                .with_help(help),
            );
            return;
        }
        let found = describe(token.kind, self.text());
        let mut diagnostic = Diagnostic::new(
            Code::UNEXPECTED_TOKEN,
            self.source(),
            self.place(),
            format!("expected {what}, found {found}"),
        );
        diagnostic.help = remedy;
        self.report(diagnostic);
    }

    /// Whether a quote or a comment without an end, which has been reported, has taken what could
    /// have followed: more about this place would not be about a fault of its own.
    pub fn is_lost(&self) -> bool {
        self.lost == Some(self.previous_end) || self.commented_out && self.kind() == TokenKind::End
    }

    /// A span to point at: the next token, or the last byte of the text at its end.
    fn place(&self) -> Span {
        if self.kind() == TokenKind::End && self.previous_end > 0 {
            Span::at(self.previous_end)
        } else {
            self.token.span
        }
    }

    /// Reports a bracket that is not closed where `closer` was expected.
    pub fn unclosed(&mut self, opener: Span, closer: char) {
        if self.is_lost() {
            return;
        }
        let bracket = self.source.slice(opener).to_owned();
        let found = describe(self.kind(), self.text());
        self.report(
            Diagnostic::new(
                Code::UNCLOSED_DELIMITER,
                self.source(),
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
                    Diagnostic::new(
                        Code::UNTERMINATED_COMMENT,
                        self.source(),
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

/// The tokens that follow, seen without taking them.
#[derive(Debug, Clone, Copy)]
pub struct LookAhead<'s>(Lexer<'s>);

impl LookAhead<'_> {
    /// The kind of the token that follows; at the end, [`TokenKind::End`] for ever.
    pub fn advance(&mut self) -> TokenKind {
        while self.0.comment().is_some() {}
        self.0.token().kind
    }
}

/// Records a comment; one without end gets one, so that what is printed can be read again.
pub(crate) fn push_comment(comments: &mut Vec<Comment>, text: &str, comment: Trivia) {
    let span = comment.span;
    // Only look back to the end of the comment before: its line is then known.
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

/// Cuts a list of findings to what a person reads; a last one says how many more there are, and
/// is as severe as the worst of them, so that no error is lost.
pub(crate) fn limit(diagnostics: &mut Vec<Diagnostic>) {
    let Some(first) = diagnostics.get(MAX_DIAGNOSTICS) else { return };
    let (source, span) = (first.primary.source, first.primary.span);
    let hidden = &diagnostics[MAX_DIAGNOSTICS..];
    let message = match hidden.len() {
        1 => "1 more finding is not shown".to_owned(),
        count => format!("{count} more findings are not shown"),
    };
    let mut last = Diagnostic::new(Code::TOO_MANY_ERRORS, source, span, message)
        .with_help("mend the first ones and try again");
    last.severity = hidden.iter().map(|found| found.severity).max().unwrap_or(last.severity);
    diagnostics.truncate(MAX_DIAGNOSTICS);
    diagnostics.push(last);
}

/// Adds a finding to a list, unless there are too many already; then says so once.
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
            .with_help("mend the first ones: later ones often follow from them"),
        ),
        _ => {}
    }
}

/// Whether someone may have meant this as a quote.
pub(crate) fn is_other_quote(character: &str) -> bool {
    matches!(character, "'" | "`" | "‘" | "’" | "“" | "”" | "«" | "»")
}

/// A token in words.
fn describe(kind: TokenKind, text: &str) -> String {
    match kind {
        TokenKind::End => "the end of the text".to_owned(),
        TokenKind::OpenQuote => "a quote without end".to_owned(),
        TokenKind::Word
        | TokenKind::Quoted
        | TokenKind::Number
        | TokenKind::At
        | TokenKind::LeftBrace
        | TokenKind::RightBrace
        | TokenKind::LeftParen
        | TokenKind::RightParen
        | TokenKind::LeftBracket
        | TokenKind::RightBracket
        | TokenKind::Comma
        | TokenKind::Semicolon
        | TokenKind::Equals
        | TokenKind::Dot
        | TokenKind::Bang
        | TokenKind::Question
        | TokenKind::Pipe
        | TokenKind::Less
        | TokenKind::Greater
        | TokenKind::Minus
        | TokenKind::Dashes
        | TokenKind::Arrow
        | TokenKind::EmptySet
        | TokenKind::Top
        | TokenKind::Bottom
        | TokenKind::Unknown => {
            format!("`{}`", shortened(text, 24))
        }
    }
}
