//! The lexer of formulas.
//!
//! Every operator has an ASCII spelling and some others: those of other tools, and the symbols of the
//! papers. A comment extends from `#` to the end of its line; a line that begins with `//` is a comment
//! too.

use crate::ast::Comment;
use crate::ast::formula::{Arithmetic, Comparison, Connective, Modality, Quantifier};
use crate::lexer::{self, scan_quote, scan_quoted, scan_word};
use crate::source::{Span, offset};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
    pub(super) begins_line: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A plain name or a keyword.
    Word,
    /// A name between back quotes.
    Quoted,
    /// A text between double quotes.
    Text,
    /// A quote of either kind without its end on the same line.
    OpenQuote,
    /// `3`, `0.25`, `1/3`
    Number,
    /// A bracket, `,`, `;`, `:` or `.`
    Sign(char),
    /// `!`, `~`, `¬`
    Not,
    /// `&` and the other connectives.
    Connective(Connective),
    /// `=` and the other comparisons.
    Comparison(Comparison),
    /// `+`, `-`, `*`
    Arithmetic(Arithmetic),
    /// `∈`
    In,
    /// `∉`
    NotIn,
    /// `⊤`, `⊥`
    Constant(bool),
    /// `∃`, `∀`
    Quantifier(Quantifier),
    /// `○`, `◇`, `□`
    Modality(Modality),
    /// A character that begins no token.
    Unknown,
    End,
}

/// The spellings of operators; the longest that fits is read.
const OPERATORS: [(Kind, &str); 23] = [
    (Kind::Connective(Connective::Iff), "<-> <=> ↔ ⇔"),
    (Kind::Connective(Connective::Implies), "-> => → ⇒"),
    (Kind::Connective(Connective::And), "& && /\\ ∧"),
    (Kind::Connective(Connective::Or), "| || \\/ ∨"),
    (Kind::Comparison(Comparison::Equal), "= =="),
    (Kind::Comparison(Comparison::Unequal), "!= <> ≠"),
    (Kind::Comparison(Comparison::Less), "<"),
    (Kind::Comparison(Comparison::AtMost), "<= ≤"),
    (Kind::Comparison(Comparison::Greater), ">"),
    (Kind::Comparison(Comparison::AtLeast), ">= ≥"),
    (Kind::Arithmetic(Arithmetic::Add), "+"),
    (Kind::Arithmetic(Arithmetic::Subtract), "- −"),
    (Kind::Arithmetic(Arithmetic::Multiply), "* × ·"),
    (Kind::Not, "! ~ ¬"),
    (Kind::In, "∈"),
    (Kind::NotIn, "∉"),
    (Kind::Constant(true), "⊤"),
    (Kind::Constant(false), "⊥"),
    (Kind::Quantifier(Quantifier::Exists), "∃"),
    (Kind::Quantifier(Quantifier::All), "∀"),
    (Kind::Modality(Modality::Next), "○"),
    (Kind::Modality(Modality::Finally), "◇"),
    (Kind::Modality(Modality::Globally), "□"),
];

/// An offset in a text from which tokens are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Lexer { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } }
    }

    /// The next token; `comment` is called for each comment before it.
    pub(super) fn token(&mut self, mut comment: impl FnMut(Comment)) -> Token {
        let mut begins_line = self.at == 0;
        let mut only_comments = self.text[..self.at].trim_start_matches('\u{feff}').is_empty();
        loop {
            let rest = &self.text[self.at..];
            let Some(next) = rest.chars().next() else { break };
            if next == '\n' {
                begins_line = true;
                only_comments = true;
            }
            if next.is_whitespace() {
                self.at += next.len_utf8();
            } else if next == '#' || (only_comments && rest.starts_with("//")) {
                let length = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
                let text = rest[..length].trim_end();
                let span = Span::new(offset(self.at), offset(self.at + text.len()));
                comment(Comment { span, text: text.into(), trailing: !only_comments });
                self.at += length;
            } else {
                break;
            }
        }
        let start = self.at;
        let (kind, length) = self.kind();
        self.at += length;
        Token { kind, span: Span::new(offset(start), offset(self.at)), begins_line }
    }

    fn kind(&self) -> (Kind, usize) {
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return (Kind::End, 0) };
        if first == '"' {
            let end = scan_quoted(self.text, self.at);
            let kind = if end.closed { Kind::Text } else { Kind::OpenQuote };
            return (kind, end.end - self.at);
        }
        if first == '`' {
            let end = scan_quote(rest, 0, b'`');
            if end.closed {
                return (Kind::Quoted, end.end);
            }
            return (Kind::OpenQuote, rest[..end.end].trim_end().len());
        }
        let word = scan_word(self.text, self.at) - self.at;
        if word > 0 {
            return if rest[..word].bytes().all(|byte| byte.is_ascii_digit()) {
                (Kind::Number, number(rest, word))
            } else {
                (Kind::Word, word)
            };
        }
        if matches!(first, '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | ':' | '.') {
            return (Kind::Sign(first), 1);
        }
        let length = |spellings: &str| {
            spellings.split(' ').filter(|spelling| rest.starts_with(spelling)).map(str::len).max()
        };
        let operators = OPERATORS.iter().filter_map(|(kind, all)| Some((*kind, length(all)?)));
        if let Some(longest) = operators.max_by_key(|&(_, length)| length) {
            return longest;
        }
        (Kind::Unknown, other_quote(rest).unwrap_or(first.len_utf8()))
    }
}

/// The length of a text in typographic or single quotes, so that it is one fault and not one for each
/// character.
fn other_quote(rest: &str) -> Option<usize> {
    let close = match rest.chars().next()? {
        '\'' => '\'',
        '‘' => '’',
        '“' => '”',
        '«' => '»',
        _ => return None,
    };
    lexer::other_quote(rest, close)
}

/// The length of the number whose integer part has length `whole`: `12`, `0.25` or `1/3`.
fn number(rest: &str, whole: usize) -> usize {
    let bytes = rest.as_bytes();
    if !matches!(bytes.get(whole), Some(b'.' | b'/')) {
        return whole;
    }
    let digits = bytes[whole + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 { whole } else { whole + 1 + digits }
}
