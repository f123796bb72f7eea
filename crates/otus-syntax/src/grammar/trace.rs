//! The grammar of multi-traces (`.htf`), in the forms of HIBOU 2020 and of `hibou_label` 0.8.8.
//!
//! ```text
//! file      := '{' components? '}' | components | sequence
//! components := component (';' component)* ';'?
//! component := '[' ('#all' | '#any' | name (',' name)*) ']' sequence?
//! sequence  := step ('.' step)*
//! step      := event | '{' event (',' event)* '}'
//! event     := action values?
//! action    := name ('!' | '?') name
//! values    := '(' (name '=' value (',' name '=' value)*)? ')'
//! value     := number | quoted | 'true' | 'false' | 'null'
//! ```
//!
//! A sequence without any `[…]` is a global trace, as if it began with `[#all]`.
//!
//! Traces are long, so this parser works on bytes rather than tokens. An action in plain ASCII without
//! spaces is looked up by its text: one hash and one comparison for a known action. Other actions take
//! the general path. Occurrences are counted before parsing, so that they are allocated once.

mod action;
mod name;
mod scan;
mod value;

use hashbrown::HashTable;

use crate::ast::{Colocalization, Component, TraceFile};
use crate::code::Code;
use crate::grammar::Parsed;
use crate::lexer::scan_word;
use crate::name::Name;
use crate::parser::Findings;
use crate::source::{Source, Span, offset};
use crate::suggest::nearest;

/// Parses a multi-trace.
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
        findings: Findings::bounded(source.id()),
    };
    let expected = memchr::memchr2_iter(b'!', b'?', reader.bytes).count();
    reader.tree.occurrences.reserve_exact(expected);
    reader.file();
    reader.findings.with_tree(reader.tree)
}

struct Reader<'s> {
    source: &'s Source,
    text: &'s str,
    bytes: &'s [u8],
    at: usize,
    tree: TraceFile,
    /// Actions by their text, as (span of the text, index).
    by_text: HashTable<(Span, u32)>,
    /// Actions by lifeline, direction and message.
    by_action: HashTable<u32>,
    findings: Findings,
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
            let message = "this stands after the end of the multi-trace";
            let help = "one file holds one multi-trace; for many, use a .jsonl case file";
            self.findings.report(Code::TRAILING_TEXT, span, message, help);
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
            let at = Span::at(span.start);
            let message = "this trace has no `[…]` and is read as a global trace";
            let found = self.findings.finding(Code::BARE_TRACE, at, message);
            let help = "write `[#all]` before it to say so";
            self.findings.push(found.with_help(help).with_fix(at, "[#all] "));
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
        let meant = nearest(word, ["all", "any"]);
        if !matches!(word, "all" | "any") {
            let message = format!("there is no keyword `#{word}`");
            let found = self.findings.finding(Code::UNEXPECTED_TOKEN, span, message);
            self.findings.push(found.with_nearest(
                meant.map(|meant| format!("#{meant}")),
                "`[#all]` is a trace over all lifelines, `[#any]` over those that occur in it",
            ));
        }
        if meant == Some("all") { Colocalization::All(span) } else { Colocalization::Any(span) }
    }

    /// `name (',' name)*` up to the `]`.
    fn lifelines(&mut self, open: usize) -> Vec<Name> {
        let mut names: Vec<Name> = Vec::new();
        loop {
            self.skip_trivia();
            match self.peek() {
                Some(b',') => self.at += 1,
                // A name before `!` or `?` belongs to an action, so the `]` before it is missing.
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
            let help = "write `[a]`, `[a, b]`, `[#any]` or `[#all]`";
            let message = "this component names no lifeline";
            self.findings.report(Code::UNEXPECTED_TOKEN, span, message, help);
        }
        names
    }

    /// `sequence := step ('.' step)*`; the reader is at the beginning of a step.
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
                _ if scan_word(self.text, self.at) > self.at => self.missing('.', "steps"),
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

    /// `step := event | '{' event (',' event)* '}'`, and the plain events that follow it.
    fn step(&mut self) {
        // The hot loop: plain actions separated by dots.
        while self.plain_action() {
            if self.peek() != Some(b'.') {
                self.values();
                if self.peek() != Some(b'.') {
                    return;
                }
            }
            self.at += 1;
        }
        self.skip_trivia();
        if self.peek() == Some(b'{') {
            self.set();
        } else if self.plain_action() || self.action(false) {
            self.values();
        } else {
            self.recover_step();
        }
    }

    /// `'{' event (',' event)* '}'`: actions observed at the same moment.
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
                        self.values();
                    } else {
                        self.skip_character();
                    }
                }
            }
        }
        if !joined {
            let span = Span::new(offset(open), offset(self.at));
            let message = "this set of simultaneous actions is empty";
            let help = "write {a!m, b?m}, or leave it out";
            self.findings.report(Code::EXPECTED_ACTION, span, message, help);
        }
    }

    /// Whether the next byte ends a sequence.
    fn ends_sequence(&self) -> bool {
        matches!(self.peek(), None | Some(b';' | b'}' | b'['))
    }
}
