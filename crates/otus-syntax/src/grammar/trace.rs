//! Multi-traces (`.htf`), in all the forms of both generations of texts.
//!
//! ```text
//! file      := '{' components? '}' | components | sequence
//! components := component (';' component)* ';'?
//! component := '[' ('#all' | '#any' | name (',' name)*) ']' sequence?
//! sequence  := step ('.' step)*
//! step      := action | '{' action (',' action)* '}'
//! action    := name ('!' | '?') name
//! ```
//!
//! A sequence without any `[…]` is a global trace, as if it began with `[#all]`.
//!
//! Logs are long, so this grammar works on bytes rather than tokens. An action written without
//! spaces in plain ASCII is looked up by its text: one hash and one comparison for an action
//! seen before. Everything else takes the general path. The occurrences are counted before they
//! are read, so that they are allocated once.

use std::hash::Hasher as _;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::ast::{Colocalization, Component, Direction, Occurrence, TraceAction, TraceFile};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::grammar::Parsed;
use crate::lexer::{scan_quoted, scan_word, skip_to_comment, unquote};
use crate::name::Name;
use crate::parser;
use crate::source::{Source, Span, offset};
use crate::suggest::nearest;

/// Reads a multi-trace.
///
/// ```
/// use otus_syntax::{Source, parse_trace};
///
/// let parsed = parse_trace(&Source::new("run.htf", "{ [a] a!m.a!m; [b] b?m }"));
/// assert!(parsed.diagnostics.is_empty());
/// assert_eq!(parsed.tree.components.len(), 2);
/// assert_eq!(parsed.tree.occurrences.len(), 3);
/// assert_eq!(parsed.tree.actions.len(), 2);
/// ```
pub fn parse_trace(source: &Source) -> Parsed<TraceFile> {
    let text = source.text();
    let mut reader = Reader {
        source,
        text,
        bytes: text.as_bytes(),
        at: 0,
        tree: TraceFile { source: source.id(), ..TraceFile::default() },
        by_text: HashTable::new(),
        by_action: HashTable::new(),
        diagnostics: Vec::new(),
    };
    let expected = memchr::memchr2_iter(b'!', b'?', reader.bytes).count();
    reader.tree.occurrences.reserve_exact(expected);
    reader.file();
    let Reader { tree, mut diagnostics, .. } = reader;
    diagnostics.sort_by_key(|found| found.primary.span.start);
    Parsed { tree, diagnostics }
}

struct Reader<'s> {
    source: &'s Source,
    text: &'s str,
    bytes: &'s [u8],
    at: usize,
    tree: TraceFile,
    /// Actions by how they are written, as (place of the text, index).
    by_text: HashTable<(Span, u32)>,
    /// Actions by what they are.
    by_action: HashTable<u32>,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    /// `file := '{' components? '}' | components | sequence`
    fn file(&mut self) {
        self.skip_trivia();
        let open = self.at;
        // `{ [` and `{ }` open a multi-trace; `{ a!m, …` opens a set of simultaneous actions.
        let braced = self.peek() == Some(b'{')
            && matches!(self.byte_after_trivia(open + 1), Some(b'[' | b'}' | b';') | None);
        if braced {
            self.at += 1;
        }
        self.skip_trivia();
        if !braced && !matches!(self.peek(), Some(b'[') | None) {
            self.bare_sequence();
        }
        self.components(braced);
        if braced {
            if self.peek() == Some(b'}') {
                self.at += 1;
                self.skip_trivia();
            } else {
                self.unclosed(open, '}');
            }
        }
        if self.at < self.text.len() {
            let span = Span::new(offset(self.at), offset(self.text.trim_end().len().max(self.at)));
            self.report(
                Diagnostic::new(
                    Code::TRAILING_TEXT,
                    self.source.id(),
                    span,
                    "this stands after the end of the multi-trace",
                )
                .with_help("one file holds one multi-trace; for many, use a .jsonl case file"),
            );
        }
    }

    /// A sequence without a component: a global trace.
    fn bare_sequence(&mut self) {
        let start = self.at;
        let first = self.tree.occurrences.len();
        self.sequence();
        self.skip_trivia();
        let span = Span::new(offset(start), offset(self.at));
        if self.tree.occurrences.len() > first {
            self.report(
                Diagnostic::new(
                    Code::BARE_TRACE,
                    self.source.id(),
                    Span::new(span.start, span.start),
                    "this trace has no `[…]` and is read as a global trace",
                )
                .with_help("write `[#all]` before it to say so")
                .with_fix(Span::at(span.start), "[#all] "),
            );
        }
        self.tree.components.push(Component {
            span,
            lifelines: Colocalization::All(Span::at(span.start)),
            occurrences: first..self.tree.occurrences.len(),
        });
        if self.peek() == Some(b';') {
            self.at += 1;
            self.skip_trivia();
        }
    }

    /// `components := component (';' component)* ';'?`, up to the end or the closing brace.
    fn components(&mut self, braced: bool) {
        loop {
            self.skip_trivia();
            match self.peek() {
                None => return,
                Some(b'}') if braced => return,
                Some(b';') => self.at += 1,
                Some(b'[') => {
                    self.component();
                    self.skip_trivia();
                    if self.peek() == Some(b'[') {
                        self.missing(';', "components");
                    }
                }
                Some(_) => {
                    self.unexpected("`[` and the lifelines of a component");
                    self.recover();
                }
            }
        }
    }

    /// `component := '[' ('#all' | '#any' | name (',' name)*) ']' sequence?`
    fn component(&mut self) {
        let start = self.at;
        let lifelines = self.colocalization();
        let first = self.tree.occurrences.len();
        self.skip_trivia();
        if !matches!(self.peek(), None | Some(b';' | b'}' | b'[')) {
            self.sequence();
        }
        self.tree.components.push(Component {
            span: Span::new(offset(start), offset(self.at)),
            lifelines,
            occurrences: first..self.tree.occurrences.len(),
        });
    }

    /// `'[' ('#all' | '#any' | name (',' name)*) ']'`
    fn colocalization(&mut self) -> Colocalization {
        let open = self.at;
        self.at += 1;
        self.skip_trivia();
        let result = if self.peek() == Some(b'#') {
            self.keyword()
        } else {
            Colocalization::Listed(self.lifelines(open))
        };
        self.skip_trivia();
        if self.peek() == Some(b']') {
            self.at += 1;
        } else {
            self.unclosed(open, ']');
        }
        result
    }

    /// `'#all' | '#any'`
    fn keyword(&mut self) -> Colocalization {
        let start = self.at;
        let end = scan_word(self.text, start + 1);
        self.at = end;
        let span = Span::new(offset(start), offset(end));
        let word = &self.text[start + 1..end];
        match word {
            "all" => Colocalization::All(span),
            "any" => Colocalization::Any(span),
            _ => {
                let found = Diagnostic::new(
                    Code::UNEXPECTED_TOKEN,
                    self.source.id(),
                    span,
                    format!("there is no keyword `#{word}`"),
                );
                let meant = nearest(word, ["all", "any"]);
                self.report(match meant {
                    Some(meant) => found
                        .with_help(format!("did you mean `#{meant}`?"))
                        .with_fix(span, format!("#{meant}")),
                    None => found.with_help(
                        "`[#all]` is a trace over all lifelines, \
                         `[#any]` over those that occur in it",
                    ),
                });
                if meant == Some("all") {
                    Colocalization::All(span)
                } else {
                    Colocalization::Any(span)
                }
            }
        }
    }

    /// `name (',' name)*` up to the `]`.
    fn lifelines(&mut self, open: usize) -> Vec<Name> {
        let mut names: Vec<Name> = Vec::new();
        loop {
            self.skip_trivia();
            match self.peek() {
                Some(b',') => self.at += 1,
                // A name before `!` or `?` is that of an action: the `]` is missing before it.
                Some(b'!' | b'?') if !names.is_empty() => {
                    if let Some(name) = names.pop() {
                        self.go_back(name.span.start);
                    }
                    break;
                }
                None | Some(b']' | b';' | b'[' | b'{' | b'}') => break,
                Some(_) => match self.name() {
                    Some(name) => names.push(name),
                    None => {
                        self.unexpected("a lifeline, `,` or `]`");
                        self.skip_character();
                    }
                },
            }
        }
        if names.is_empty() && self.peek() == Some(b']') {
            let span = Span::new(offset(open), offset(self.at + 1));
            self.report(
                Diagnostic::new(
                    Code::UNEXPECTED_TOKEN,
                    self.source.id(),
                    span,
                    "this component names no lifeline",
                )
                .with_help("write `[a]`, `[a, b]`, `[#any]` or `[#all]`"),
            );
        }
        names
    }

    /// `sequence := step ('.' step)*`, where a step begins.
    fn sequence(&mut self) {
        loop {
            self.step();
            self.skip_trivia();
            match self.peek() {
                Some(b'.') => {
                    self.at += 1;
                    self.skip_trivia();
                    if self.ends_sequence() {
                        self.unexpected("an action after the `.`");
                        return;
                    }
                }
                _ if self.ends_sequence() => return,
                Some(b'{' | b'"') => self.missing('.', "steps"),
                Some(b',') => {
                    self.missing('.', "steps");
                    self.at += 1;
                }
                _ if self.begins_word() => self.missing('.', "steps"),
                _ => {
                    self.unexpected("`.`, `;` or the end");
                    self.recover_step();
                    if self.peek() != Some(b'.') {
                        return;
                    }
                    self.at += 1;
                }
            }
        }
    }

    /// `step := action | '{' action (',' action)* '}'`, and the plain actions that follow it.
    fn step(&mut self) {
        // The hot loop: plain actions separated by dots.
        while self.plain_action() {
            if self.peek() != Some(b'.') {
                return;
            }
            self.at += 1;
        }
        self.skip_trivia();
        if self.peek() == Some(b'{') {
            self.set();
        } else if !self.plain_action() && !self.action(false) {
            self.recover_step();
        }
    }

    /// Whether what stands here ends a sequence.
    fn ends_sequence(&self) -> bool {
        matches!(self.peek(), None | Some(b';' | b'}' | b'['))
    }

    fn begins_word(&self) -> bool {
        scan_word(self.text, self.at) > self.at
    }

    /// An action without spaces, in ASCII, if one stands here.
    fn plain_action(&mut self) -> bool {
        let start = self.at;
        let middle = scan_ascii_name(self.bytes, start);
        if middle == start || !matches!(self.bytes.get(middle), Some(b'!' | b'?')) {
            return false;
        }
        let end = scan_ascii_name(self.bytes, middle + 1);
        // A name that goes on in another alphabet, or in quotes, is for the general path.
        if end == middle + 1
            || self.bytes.get(end).is_some_and(|&byte| !byte.is_ascii() || byte == b'-')
        {
            return false;
        }
        let written = &self.bytes[start..end];
        let hash = hash(written);
        let known = self.by_text.find(hash, |(span, _)| &self.bytes[span.range()] == written);
        let action = match known {
            Some(&(_, action)) => action,
            None => {
                let digits = |name: &[u8]| name.iter().all(u8::is_ascii_digit);
                if digits(&self.bytes[start..middle]) || digits(&self.bytes[middle + 1..end]) {
                    return false;
                }
                let lifeline = self.intern(start, middle);
                let message = self.intern(middle + 1, end);
                let direction = direction(self.bytes[middle]);
                let action = self.action_index(TraceAction { lifeline, direction, message });
                let entry = (Span::new(offset(start), offset(end)), action);
                let bytes = self.bytes;
                self.by_text
                    .insert_unique(hash, entry, |(span, _)| self::hash(&bytes[span.range()]));
                action
            }
        };
        self.tree.occurrences.push(Occurrence::new(action, false, offset(start)));
        self.at = end;
        true
    }

    /// `'{' action (',' action)* '}'`: actions observed at the same moment.
    fn set(&mut self) {
        let open = self.at;
        self.at += 1;
        let mut joined = false;
        loop {
            self.skip_trivia();
            match self.peek() {
                Some(b'}') => {
                    self.at += 1;
                    break;
                }
                Some(b',') => self.at += 1,
                None | Some(b';' | b'[') => {
                    self.unclosed(open, '}');
                    break;
                }
                Some(_) => {
                    if self.action(joined) {
                        joined = true;
                    } else {
                        self.skip_character();
                    }
                }
            }
        }
        if !joined {
            let span = Span::new(offset(open), offset(self.at));
            self.report(
                Diagnostic::new(
                    Code::EXPECTED_ACTION,
                    self.source.id(),
                    span,
                    "this set of simultaneous actions is empty",
                )
                .with_help("write {a!m, b?m}, or leave it out"),
            );
        }
    }

    /// `action := name ('!' | '?') name`; reports and returns false if there is none.
    fn action(&mut self, joined: bool) -> bool {
        let start = self.at;
        let Some(lifeline) = self.name() else {
            self.unexpected("an action such as `a!m` or `a?m`");
            return false;
        };
        self.skip_trivia();
        let direction = match self.peek() {
            Some(sign @ (b'!' | b'?')) => direction(sign),
            // The quote that never ends has been reported.
            // The quote has taken the rest of its line, and that has been reported.
            _ if self.bytes[start] == b'"' && !scan_quoted(self.text, start).closed => {
                return false;
            }
            found => {
                let name = self.source.slice(lifeline.span);
                let help = match found {
                    Some(b'-') => "a trace has actions instead of arrows: `a!m` where a sends m, \
                                   `b?m` where b receives it"
                        .to_owned(),
                    _ => format!(
                        "write `{name}!m` if {name} emits m, or `{name}?m` if it receives m"
                    ),
                };
                self.report(
                    Diagnostic::new(
                        Code::EXPECTED_ACTION,
                        self.source.id(),
                        lifeline.span,
                        format!("`{name}` is not an action"),
                    )
                    .with_help(help),
                );
                return false;
            }
        };
        self.at += 1;
        self.skip_trivia();
        let Some(message) = self.name() else {
            self.unexpected("the message of this action");
            return false;
        };
        let action = self.action_index(TraceAction { lifeline, direction, message });
        self.tree.occurrences.push(Occurrence::new(action, joined, offset(start)));
        true
    }

    /// A plain or quoted name, if one stands here.
    fn name(&mut self) -> Option<Name> {
        let start = self.at;
        if self.peek() == Some(b'"') {
            let end = scan_quoted(self.text, start);
            self.at = end.end;
            let span = Span::new(offset(start), offset(end.end));
            if !end.closed {
                self.report(
                    Diagnostic::new(
                        Code::UNTERMINATED_QUOTE,
                        self.source.id(),
                        span,
                        "this quoted name has no closing quote on its line",
                    )
                    .with_help("close it with `\"`; inside, write `\\\"` for a quote"),
                );
            } else if end.end == start + 2 {
                self.report(
                    Diagnostic::new(Code::EMPTY_NAME, self.source.id(), span, "this name is empty")
                        .with_help("put at least one character between the quotes"),
                );
            }
            let symbol = self.tree.names.intern(&unquote(self.source.slice(span)));
            return Some(Name { symbol, span });
        }
        let end = scan_word(self.text, start);
        if end == start {
            return None;
        }
        let dashed = self.scan_dashed(end);
        if dashed > end {
            let (span, text) =
                (Span::new(offset(start), offset(dashed)), &self.text[start..dashed]);
            self.report(
                Diagnostic::new(
                    Code::NEEDS_QUOTES,
                    self.source.id(),
                    span,
                    format!("the name `{text}` must be quoted"),
                )
                .with_help(format!(
                    "only letters, digits and `_` stand without quotes: write \"{text}\" everywhere"
                ))
                .with_fix(span, format!("\"{text}\"")),
            );
            self.at = dashed;
            return Some(self.intern(start, dashed));
        }
        self.at = end;
        if self.bytes[start..end].iter().all(u8::is_ascii_digit) {
            let (span, text) = (Span::new(offset(start), offset(end)), &self.text[start..end]);
            self.report(
                Diagnostic::new(
                    Code::NEEDS_QUOTES,
                    self.source.id(),
                    span,
                    format!("`{text}` is a number, not a name"),
                )
                .with_help(format!("to use it as a name, quote it: \"{text}\""))
                .with_fix(span, format!("\"{text}\"")),
            );
        }
        Some(self.intern(start, end))
    }

    /// Reads again from `start` on: comments and what was said about it too.
    fn go_back(&mut self, start: u32) {
        self.at = start as usize;
        while self.tree.comments.last().is_some_and(|comment| comment.span.start >= start) {
            self.tree.comments.pop();
        }
        while self.diagnostics.last().is_some_and(|found| found.primary.span.start >= start) {
            self.diagnostics.pop();
        }
    }

    /// The end of a name that goes on with `-` and a word at `end`, or `end`.
    fn scan_dashed(&self, mut end: usize) -> usize {
        while self.bytes.get(end) == Some(&b'-') {
            let word = scan_word(self.text, end + 1);
            if word == end + 1 {
                break;
            }
            end = word;
        }
        end
    }

    fn intern(&mut self, start: usize, end: usize) -> Name {
        let symbol = self.tree.names.intern(&self.text[start..end]);
        Name { symbol, span: Span::new(offset(start), offset(end)) }
    }

    /// The index of an action among the distinct ones.
    fn action_index(&mut self, action: TraceAction) -> u32 {
        let key = |a: &TraceAction| (a.lifeline.symbol, a.direction, a.message.symbol);
        let hash_of = |a: &TraceAction| {
            let mut hasher = FxHasher::default();
            std::hash::Hash::hash(&key(a), &mut hasher);
            hasher.finish()
        };
        let actions = &mut self.tree.actions;
        let hash = hash_of(&action);
        let found = self.by_action.find(hash, |&i| key(&actions[i as usize]) == key(&action));
        if let Some(&index) = found {
            return index;
        }
        let index = offset(actions.len());
        actions.push(action);
        self.by_action.insert_unique(hash, index, |&i| hash_of(&actions[i as usize]));
        index
    }

    /// Skips what is not a step, up to what can follow one.
    fn recover_step(&mut self) {
        while !matches!(self.peek(), None | Some(b'.' | b';' | b'}' | b'[')) {
            self.skip_character();
        }
    }

    /// Skips text that belongs to no component.
    fn recover(&mut self) {
        self.skip_character();
        while !matches!(self.peek(), None | Some(b';' | b'}' | b'[')) {
            self.skip_character();
        }
    }

    /// Skips one character, or a comment.
    fn skip_character(&mut self) {
        let before = self.at;
        self.skip_trivia();
        if self.at == before {
            self.at += self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The first byte from `at` on that is neither white space nor in a comment.
    fn byte_after_trivia(&self, mut at: usize) -> Option<u8> {
        loop {
            match skip_to_comment(self.text, at) {
                (_, Some(comment)) => at = comment.span.end as usize,
                (end, None) => return self.bytes.get(end).copied(),
            }
        }
    }

    fn skip_trivia(&mut self) {
        loop {
            let (at, comment) = skip_to_comment(self.text, self.at);
            self.at = at;
            let Some(comment) = comment else { return };
            self.at = comment.span.end as usize;
            if !comment.terminated {
                self.report(
                    Diagnostic::new(
                        Code::UNTERMINATED_COMMENT,
                        self.source.id(),
                        Span::new(comment.span.start, comment.span.start + 2),
                        "this comment never ends",
                    )
                    .with_help("end it with `*/`"),
                );
            }
            parser::push_comment(&mut self.tree.comments, self.text, comment);
        }
    }

    fn unexpected(&mut self, what: &str) {
        let (span, found) = match self.text[self.at..].chars().next() {
            None => {
                let end = self.text.trim_end().len();
                (Span::at(offset(end)), "the end of the text".to_owned())
            }
            Some(c) => {
                let end = scan_word(self.text, self.at).max(self.at + c.len_utf8());
                let found: String = self.text[self.at..end].chars().take(24).collect();
                let span = Span::new(offset(self.at), offset(end));
                (span, format!("`{}`", parser::printable(&found)))
            }
        };
        self.report(
            Diagnostic::new(
                Code::EXPECTED_ACTION,
                self.source.id(),
                span,
                format!("expected {what}, found {found}"),
            )
            .with_help("a component is `[a, b] a!m.b?m`: lifelines, then actions separated by `.`"),
        );
    }

    /// Reports a separator that is missing at the cursor.
    fn missing(&mut self, separator: char, between: &str) {
        let at = Span::at(offset(self.text[..self.at].trim_end().len()));
        self.report(
            Diagnostic::new(
                Code::UNEXPECTED_TOKEN,
                self.source.id(),
                at,
                format!("`{separator}` is missing between two {between}"),
            )
            .with_help(format!("separate {between} by `{separator}`"))
            .with_fix(at, separator.to_string()),
        );
    }

    fn unclosed(&mut self, open: usize, closer: char) {
        let span = Span::new(offset(open), offset(open + 1));
        self.report(
            Diagnostic::new(
                Code::UNCLOSED_DELIMITER,
                self.source.id(),
                span,
                format!("this `{}` is never closed", &self.text[open..=open]),
            )
            .with_label("opened here")
            .with_related(
                self.source.id(),
                Span::at(offset(self.at)),
                format!("`{closer}` expected before this"),
            )
            .with_help(format!("add the missing `{closer}`")),
        );
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        parser::report(&mut self.diagnostics, diagnostic);
    }
}

fn scan_ascii_name(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|&byte| NAME_BYTE[byte as usize]) {
        at += 1;
    }
    at
}

/// Which bytes are letters, digits or `_` in ASCII.
static NAME_BYTE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    table
};

fn direction(sign: u8) -> Direction {
    if sign == b'!' { Direction::Emission } else { Direction::Reception }
}

fn hash(written: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(written);
    hasher.finish()
}
