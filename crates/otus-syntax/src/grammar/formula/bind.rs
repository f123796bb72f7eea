//! Quantifiers over processes: `forall p != q in n*: f`, `exists p in {a, b}: f` and
//! `at_most_one(m in n*, f, per term)`.
//!
//! The name of a process may contain `*`, which stands for any characters. Outside of quotes such a name is
//! several tokens without space between them: `n`, `*`.

use super::lex::Kind::{self, Sign};
use super::lex::Token;
use super::{Frame, KEYWORDS, Parser};
use crate::ast::formula::{Arithmetic, Binder, Comparison, FormulaId, Quantifier};
use crate::lexer::unquote;
use crate::name::Name;

/// The help for faults in a quantifier.
const FOR_EACH: &str = "an example: forall p != q in n*: AG !(p.leader & q.leader)";

/// The help for faults in `at_most_one`.
const AT_MOST_ONE: &str = "an example: at_most_one(m in n*, role = leader, per term)";

/// The word that begins a quantifier, in quotes for messages.
pub(super) fn word(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::All => "`forall`",
        Quantifier::Exists => "`exists`",
    }
}

impl Parser<'_> {
    /// Whether `forall` or `exists` is a quantifier, by the token after it, and not a variable of that name.
    pub(super) fn begins_binder(&self, next: Token) -> bool {
        let is_name = matches!(next.kind, Kind::Word | Kind::Quoted) && !next.begins_line;
        is_name && !self.is_infix_word(next) && self.source.slice(next.span) != "not"
    }

    /// `('forall' | 'exists') name ((',' | '!=') name)* ('in' range)? ':'`
    pub(super) fn for_each(
        &mut self,
        stack: &mut Vec<Frame>,
        quantifier: Quantifier,
    ) -> Option<FormulaId> {
        let start = self.bump().span.start;
        let mut binder = Binder { names: Vec::new(), distinct: false, range: Vec::new() };
        loop {
            let Some(name) = self.name("a name for a process") else {
                return Some(self.invalid(start));
            };
            binder.names.push(name);
            if self.eat(Kind::Comparison(Comparison::Unequal)).is_some() {
                binder.distinct = true;
            } else if self.eat(Sign(',')).is_none() {
                break;
            }
        }
        if !self.range_after_in(&mut binder) {
            return Some(self.invalid(start));
        }
        if self.eat(Sign(':')).is_none() {
            self.unexpected_with("`in` and processes, or `:`", Some(FOR_EACH.to_owned()));
            return Some(self.invalid(start));
        }
        stack.push(Frame::ForEach { start, quantifier, binder: Box::new(binder) });
        None
    }

    /// `'at_most_one' '(' name ('in' range)? ','`
    pub(super) fn at_most_one(&mut self, stack: &mut Vec<Frame>) -> Option<FormulaId> {
        let start = self.bump().span.start;
        let open = self.bump().span;
        let mut binder = Binder { names: Vec::new(), distinct: false, range: Vec::new() };
        match self.token.kind {
            Kind::Word | Kind::Quoted | Kind::Text => binder.names.extend(self.name("a name")),
            _ => {
                let what = "a name for the members";
                self.unexpected_with(what, Some(AT_MOST_ONE.to_owned()));
            }
        }
        if binder.names.is_empty() || !self.range_after_in(&mut binder) {
            self.skip_bracket();
            return Some(self.invalid(start));
        }
        if self.eat(Sign(',')).is_none() {
            self.unexpected_with("`,` and a condition", Some(AT_MOST_ONE.to_owned()));
            self.skip_bracket();
            return Some(self.invalid(start));
        }
        stack.push(Frame::AtMostOne { start, open, binder: Box::new(binder) });
        None
    }

    /// `'per' path (',' path)*`, after the comma.
    pub(super) fn keys(&mut self, parts: &mut Vec<FormulaId>) {
        if self.token.kind != Kind::Word || self.text() != "per" {
            self.unexpected_with("`per` and a variable", Some(AT_MOST_ONE.to_owned()));
            return;
        }
        self.bump();
        loop {
            if !matches!(self.token.kind, Kind::Word | Kind::Quoted | Kind::Text) {
                self.unexpected_with("a variable", Some(AT_MOST_ONE.to_owned()));
                return;
            }
            let key = self.path();
            parts.push(key);
            if self.eat(Sign(',')).is_none() {
                return;
            }
        }
    }

    /// `('in' range)?`; `false` if the range has a fault, which is reported.
    fn range_after_in(&mut self, binder: &mut Binder) -> bool {
        let is_in =
            self.token.kind == Kind::In || (self.token.kind == Kind::Word && self.text() == "in");
        if !is_in {
            return true;
        }
        self.bump();
        if self.token.kind != Sign('{') {
            binder.range.extend(self.process_name());
            return !binder.range.is_empty();
        }
        let open = self.bump().span;
        loop {
            let Some(name) = self.process_name() else { return false };
            binder.range.push(name);
            if self.eat(Sign('}')).is_some() {
                return true;
            }
            if self.eat(Sign(',')).is_none() {
                if matches!(self.token.kind, Kind::End | Sign(';')) {
                    self.unclosed(open);
                } else {
                    self.unexpected("`,` or `}`");
                }
                return false;
            }
        }
    }

    /// The name of a process, perhaps with `*`: tokens without space between them.
    fn process_name(&mut self) -> Option<Name> {
        let first = self.token;
        if matches!(first.kind, Kind::Quoted | Kind::Text) {
            self.bump();
            let text = unquote(self.source.slice(first.span));
            return Some(Name { symbol: self.tree.names.intern(&text), span: first.span });
        }
        let mut span = first.span;
        let mut is_empty = true;
        while is_empty || self.token.span.start == span.end {
            let is_part = match self.token.kind {
                Kind::Word => !is_empty || !KEYWORDS.contains(&self.text()),
                Kind::Number => true,
                Kind::Arithmetic(Arithmetic::Multiply) => self.text() == "*",
                _ => false,
            };
            if !is_part {
                break;
            }
            span = span.to(self.bump().span);
            is_empty = false;
        }
        if is_empty {
            let help =
                "a process by its name, `n*` for all whose name begins with n, or a set: {a, b}";
            self.unexpected_with("the name of a process", Some(help.to_owned()));
            return None;
        }
        Some(Name { symbol: self.tree.names.intern(self.source.slice(span)), span })
    }
}
