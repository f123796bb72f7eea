//! The operands of formulas: atoms, prefixes and open brackets.

use super::lex::Kind::{self, Sign};
use super::lex::Token;
use super::{Frame, Infix, KEYWORDS, Parser, Prefix, modality, split_quantifier};
use crate::ast::formula::{Arithmetic, FormulaId, FormulaKind, Modality, Path, Quantifier};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::lexer::unquote;
use crate::name::Name;
use crate::rational::Rational;
use crate::source::Span;

impl Parser<'_> {
    /// Parses a complete operand; or pushes a prefix or an open bracket, and returns `None`, since the
    /// operand is still to come.
    pub(super) fn operand(&mut self, stack: &mut Vec<Frame>) -> Option<FormulaId> {
        let token = self.token;
        if self.begins_named_item() {
            return Some(self.no_operand(stack));
        }
        match token.kind {
            Kind::Word => self.word(stack),
            Kind::Quoted => {
                let next = self.next_token();
                if next.kind == Sign('(') && !next.begins_line {
                    return self.call(stack);
                }
                Some(self.path())
            }
            Kind::Text if self.next_token().kind == Sign('.') => Some(self.path()),
            Kind::Text => {
                self.bump();
                let text = unquote(self.source.slice(token.span));
                let symbol = self.tree.names.intern(&text);
                Some(self.push(token.span, FormulaKind::Text(symbol)))
            }
            Kind::Number => Some(self.number(token.span.start, false)),
            Kind::Constant(value) => Some(self.leaf(FormulaKind::Constant(value))),
            Kind::Not => self.prefix(stack, Prefix::Not),
            Kind::Arithmetic(Arithmetic::Subtract) => {
                self.bump();
                if self.token.kind == Kind::Number {
                    return Some(self.number(token.span.start, true));
                }
                stack.push(Frame::Prefix(Prefix::Negative, token.span));
                None
            }
            Sign('(') => {
                self.bump();
                stack.push(Frame::Group(token.span));
                None
            }
            Kind::Quantifier(quantifier) => {
                if self.quantifier(stack, quantifier, self.next_token()) {
                    return None;
                }
                self.bump();
                self.unexpected("`X`, `F`, `G`, `○`, `◇`, `□` or `[f U g]`");
                Some(self.invalid(token.span.start))
            }
            Kind::Modality(modality) => {
                self.unquantified(token.span, modality);
                self.prefix(stack, Prefix::Temporal(Quantifier::All, modality))
            }
            _ => Some(self.no_operand(stack)),
        }
    }

    /// An operand that begins with a word.
    fn word(&mut self, stack: &mut Vec<Frame>) -> Option<FormulaId> {
        let token = self.token;
        let text = self.text();
        if let Some((quantifier, rest)) = split_quantifier(text)
            && let Some(modality) = modality(rest)
        {
            return self.prefix(stack, Prefix::Temporal(quantifier, modality));
        }
        let next = self.next_token();
        match text {
            "true" | "false" => {
                return Some(self.leaf(FormulaKind::Constant(text == "true")));
            }
            "not" => return self.prefix(stack, Prefix::Not),
            "E" | "A" => {
                let quantifier = if text == "E" { Quantifier::Exists } else { Quantifier::All };
                if !next.begins_line && self.quantifier(stack, quantifier, next) {
                    return None;
                }
            }
            "X" | "F" | "G" => {
                let operand = matches!(
                    next.kind,
                    Sign('(') | Kind::Not | Kind::Quoted | Kind::Constant(_) | Kind::Word
                ) && !next.begins_line
                    && !self.is_infix_word(next);
                if let Some(modality) = self.modality(token).filter(|_| operand) {
                    self.unquantified(token.span, modality);
                    return self.prefix(stack, Prefix::Temporal(Quantifier::All, modality));
                }
            }
            "last" | "count" if next.kind == Sign('(') && !next.begins_line => {
                return Some(self.observation(text == "last"));
            }
            "forall" | "exists" if self.begins_binder(next) => {
                let quantifier =
                    if text == "forall" { Quantifier::All } else { Quantifier::Exists };
                return self.for_each(stack, quantifier);
            }
            "at_most_one" if next.kind == Sign('(') && !next.begins_line => {
                return self.at_most_one(stack);
            }
            _ if KEYWORDS.contains(&text) => return Some(self.no_operand(stack)),
            _ => {}
        }
        if next.kind == Sign('(') && !next.begins_line {
            return self.call(stack);
        }
        Some(self.path())
    }

    /// Whether a token is a word that joins two operands.
    pub(super) fn is_infix_word(&self, token: Token) -> bool {
        let text = self.source.slice(token.span);
        token.kind == Kind::Word
            && (matches!(text, "and" | "or" | "in" | "implies" | "iff" | "U" | "W" | "R")
                || matches!(text, "EU" | "AU" | "EW" | "AW" | "ER" | "AR"))
    }

    /// `X`, `F` or `G`, as a letter or a sign.
    fn modality(&self, token: Token) -> Option<Modality> {
        match token.kind {
            Kind::Modality(modality) => Some(modality),
            Kind::Word => modality(self.source.slice(token.span)),
            _ => None,
        }
    }

    /// Takes a node of one token.
    fn leaf(&mut self, kind: FormulaKind) -> FormulaId {
        let span = self.bump().span;
        self.push(span, kind)
    }

    /// Takes an operator of one token before its operand, which is still to come.
    fn prefix(&mut self, stack: &mut Vec<Frame>, prefix: Prefix) -> Option<FormulaId> {
        stack.push(Frame::Prefix(prefix, self.bump().span));
        None
    }

    /// Takes `E[`, or a modality in two tokens (`E G`, `∀□`), if one of them begins with this quantifier.
    fn quantifier(&mut self, stack: &mut Vec<Frame>, quantifier: Quantifier, next: Token) -> bool {
        let modality = self.modality(next);
        if modality.is_none() && !matches!(next.kind, Sign('[' | '(')) {
            return false;
        }
        let start = self.bump().span;
        let open = self.bump().span;
        stack.push(match modality {
            Some(modality) => Frame::Prefix(Prefix::Temporal(quantifier, modality), start.to(open)),
            None => Frame::Quantified { start: start.start, quantifier, open, left: None },
        });
        true
    }

    /// `name(`
    fn call(&mut self, stack: &mut Vec<Frame>) -> Option<FormulaId> {
        let name = self.name("the name of a pattern")?;
        let open = self.bump().span;
        if self.eat(Sign(')')).is_some() {
            return Some(self.push_from(name.span.start, FormulaKind::Call(name, Vec::new())));
        }
        stack.push(Frame::Call { name, open, arguments: Vec::new() });
        None
    }

    /// `path := name ('.' name)*`, or the name of a definition.
    pub(super) fn path(&mut self) -> FormulaId {
        let start = self.token.span.start;
        let Some(first) = self.name("a name") else { return self.invalid(start) };
        if self.token.kind != Sign('.') {
            let definition = self.definitions.get(first.symbol.index()).copied().flatten();
            let kind = match definition {
                Some(body) => FormulaKind::Named(first, body),
                None => FormulaKind::Variable(Path { process: None, name: first }),
            };
            return self.push_from(start, kind);
        }
        match self.rest_of_path() {
            Some(name) => {
                self.push_from(start, FormulaKind::Variable(Path { process: Some(first), name }))
            }
            None => self.invalid(start),
        }
    }

    /// The part of a path from its first dot on. Several names become one name with dots.
    fn rest_of_path(&mut self) -> Option<Name> {
        self.bump();
        let first = self.name("a name after the dot")?;
        if self.token.kind != Sign('.') {
            return Some(first);
        }
        let mut text = self.tree.names.text(first.symbol).to_owned();
        let mut span = first.span;
        while self.eat(Sign('.')).is_some() {
            let next = self.name("a name after the dot")?;
            text.push('.');
            text.push_str(self.tree.names.text(next.symbol));
            span = span.to(next.span);
        }
        Some(Name { symbol: self.tree.names.intern(&text), span })
    }

    /// `last(p)`, `count(p)` or `count(p.label)`
    fn observation(&mut self, last: bool) -> FormulaId {
        let start = self.bump().span.start;
        let open = self.bump().span;
        let Some(process) = self.name("the name of a process") else {
            self.skip_bracket();
            return self.invalid(start);
        };
        let mut label = None;
        if !last && self.token.kind == Sign('.') {
            label = self.rest_of_path();
            if label.is_none() {
                self.skip_bracket();
                return self.invalid(start);
            }
        }
        if self.eat(Sign(')')).is_none() {
            if matches!(self.token.kind, Kind::End | Sign(';')) {
                self.unclosed(open);
            } else {
                let help = if last {
                    "`last(p)` is the label of the last event of process p"
                } else {
                    "`count(p.label)` is how many events of p have had this label"
                };
                self.unexpected_with("`)`", Some(help.to_owned()));
                self.skip_bracket();
            }
            return self.invalid(start);
        }
        let kind =
            if last { FormulaKind::Last(process) } else { FormulaKind::Count(process, label) };
        self.push_from(start, kind)
    }

    /// Skips to the end of a bracket on this line.
    pub(super) fn skip_bracket(&mut self) {
        while !matches!(self.token.kind, Kind::End | Sign(';')) && !self.token.begins_line {
            if self.bump().kind == Sign(')') {
                return;
            }
        }
    }

    /// `Some(false)` if `in` is at the cursor, `Some(true)` for `not in`.
    pub(super) fn membership(&self) -> Option<bool> {
        match self.token.kind {
            Kind::In => Some(false),
            Kind::NotIn => Some(true),
            Kind::Word if self.token.begins_line && self.next_token().kind == Sign(':') => None,
            Kind::Word if self.text() == "in" => Some(false),
            Kind::Word if self.text() == "not" => {
                let next = self.next_token();
                let is_in = next.kind == Kind::Word && self.source.slice(next.span) == "in";
                is_in.then_some(true)
            }
            _ => None,
        }
    }

    /// `'not'? 'in' '{' (constant (',' constant)*)? '}'`, after the term.
    pub(super) fn members(&mut self, term: FormulaId, negated: bool) -> FormulaId {
        let start = self.tree.node(term).span.start;
        if self.bump().kind == Kind::Word && negated {
            self.bump();
        }
        self.needs_member(term);
        if self.token.kind != Sign('{') {
            self.unexpected_with("`{`", Some("list the values: x in {1, 2}".to_owned()));
            return self.invalid(start);
        }
        let open = self.bump().span;
        let mut members = Vec::new();
        while self.eat(Sign('}')).is_none() {
            if matches!(self.token.kind, Kind::End | Sign(';')) {
                self.unclosed(open);
                break;
            }
            match self.constant() {
                Some(constant) => members.push(constant),
                None => {
                    self.unexpected("a number, a text, `true` or `false`");
                    self.bump();
                }
            }
            let ends = matches!(self.token.kind, Sign('}' | ';') | Kind::End);
            if !ends && self.eat(Sign(',')).is_none() {
                self.unexpected("`,` or `}`");
                self.bump();
            }
        }
        let member = self.push_from(start, FormulaKind::Member(term, members));
        if negated { self.push_from(start, FormulaKind::Not(member)) } else { member }
    }

    /// A member of a set; a bare word is a text constant.
    fn constant(&mut self) -> Option<FormulaId> {
        let token = self.token;
        match token.kind {
            Kind::Number => Some(self.number(token.span.start, false)),
            Kind::Arithmetic(Arithmetic::Subtract) if self.next_token().kind == Kind::Number => {
                self.bump();
                Some(self.number(token.span.start, true))
            }
            Kind::Constant(value) => Some(self.leaf(FormulaKind::Constant(value))),
            Kind::Word | Kind::Quoted | Kind::Text => {
                self.bump();
                let text = self.source.slice(token.span);
                let kind = match text {
                    "true" => FormulaKind::Constant(true),
                    "false" => FormulaKind::Constant(false),
                    _ if token.kind == Kind::Word => {
                        FormulaKind::Text(self.tree.names.intern(text))
                    }
                    _ => FormulaKind::Text(self.tree.names.intern(&unquote(text))),
                };
                Some(self.push(token.span, kind))
            }
            _ => None,
        }
    }

    /// The number at the cursor; `start` is the offset of its sign.
    fn number(&mut self, start: u32, negative: bool) -> FormulaId {
        let token = self.bump();
        let text = self.source.slice(token.span);
        let sign = if negative { "-" } else { "" };
        match Rational::parse(&format!("{sign}{text}")) {
            Some(number) => self.push_from(start, FormulaKind::Number(number)),
            None => {
                let message = "this number is not a fraction of two 64-bit integers";
                let help = "use a smaller number, and do not divide by zero";
                self.findings.report(Code::BAD_NUMBER, token.span, message, help);
                self.invalid(start)
            }
        }
    }

    /// Whether the cursor is at the name of the next property, so that an operand is missing.
    fn begins_named_item(&self) -> bool {
        self.token.begins_line
            && self.previous_end > 0
            && matches!(self.token.kind, Kind::Word | Kind::Quoted | Kind::Text)
            && self.next_token().kind == Sign(':')
    }

    /// Reports that the token at the cursor cannot begin an operand.
    fn no_operand(&mut self, stack: &[Frame]) -> FormulaId {
        let token = self.token;
        let what = match stack.last() {
            Some(Frame::Infix(Infix::Comparison(_), _)) => "a value",
            Some(Frame::Infix(Infix::Arithmetic(_), _) | Frame::Prefix(Prefix::Negative, _)) => {
                "a number or a variable"
            }
            Some(Frame::Call { .. }) => "a formula or a value",
            Some(
                Frame::Group(_)
                | Frame::Quantified { .. }
                | Frame::ForEach { .. }
                | Frame::AtMostOne { .. }
                | Frame::Prefix(..)
                | Frame::Infix(..),
            )
            | None => "a formula",
        };
        let help = match token.kind {
            Kind::Word if KEYWORDS.contains(&self.text()) => Some(format!(
                "`{}` is a word of the language; as a name it goes between back quotes",
                self.text()
            )),
            _ => None,
        };
        if token.begins_line && self.previous_end > 0 && token.kind != Kind::End {
            let place = Span::at(self.previous_end);
            let message = format!("expected {what}, found the end of the line");
            let found = self.findings.finding(Code::UNEXPECTED_TOKEN, place, message);
            self.findings.push(Diagnostic { help, ..found });
        } else {
            self.unexpected_with(what, help);
        }
        // Closing brackets and separators are left to the enclosing brackets.
        let stays = matches!(token.kind, Kind::End | Sign(';' | ')' | ']' | '}' | ','));
        let begins_item = token.begins_line && self.previous_end > 0;
        if !stays && !begins_item {
            self.bump();
        }
        self.push(token.span, FormulaKind::Invalid)
    }

    /// `G f` without a quantifier.
    fn unquantified(&mut self, span: Span, modality: Modality) {
        let letter = modality.symbol();
        let message = format!("`{letter}` does not say over which runs");
        let help = format!("write `A{letter}` for all runs, `E{letter}` for some run");
        let found = self.findings.finding(Code::UNQUANTIFIED_MODALITY, span, message);
        self.findings.push(found.with_help(help).with_fix(span, format!("A{letter}")));
    }
}
