//! The grammar of CTL formulas and of `.ctl` files.
//!
//! ```text
//! file     := (item ';'?)*
//! item     := 'let' name '=' formula | (name ':')? formula
//! formula  := formula ('<->' | '->' | '|' | '&') formula
//!           | formula ('EU' | 'AU' | 'EW' | 'AW' | 'ER' | 'AR') formula
//!           | ('!' | 'EX' | 'AX' | 'EF' | 'AF' | 'EG' | 'AG') formula
//!           | ('E' | 'A') '[' formula ('U' | 'W' | 'R') formula ']'
//!           | term ('=' | '!=' | '<' | '<=' | '>' | '>=') term
//!           | term 'not'? 'in' '{' (constant (',' constant)*)? '}'
//!           | 'true' | 'false' | path | name '(' (formula | term), … ')' | '(' formula ')'
//!           | ('forall' | 'exists') name ((',' | '!=') name)* ('in' range)? ':' formula
//!           | 'at_most_one' '(' name ('in' range)? ',' formula (',' 'per' path (',' path)*)? ')'
//! term     := term ('+' | '-' | '*') term | '-' term | '(' term ')'
//!           | number | '"text"' | path | 'last' '(' name ')' | 'count' '(' path ')'
//! path     := name ('.' name)*
//! range    := process | '{' process (',' process)* '}'      (`n*`: all processes whose name begins with n)
//! ```
//!
//! Precedence from low to high: `forall` and `exists`, `<->`, `->` (right-associative), `|`, `&`, the infix forms of until
//! (right-associative), `!` and the unary modalities, comparisons, `+` and `-`, `*`, and the minus sign.
//! So `AG x < 2 & f` is `(AG (x < 2)) & f`.
//!
//! A name is a plain word or any text in back quotes; a text constant is in double quotes. A formula
//! ends at the end of its line, unless a bracket is open or the next line begins with an operator; a
//! `;` ends it anywhere. Keywords need back quotes to be names, except `E`, `A`, `U`, `W`, `R`, `X`,
//! `F`, `G`, `last`, `count`, `forall` and `exists`, which are keywords only where a name is impossible.
//!
//! The parser is an operator-precedence parser with an explicit stack of pending operators and open
//! brackets, so it does not recurse.

mod bind;
mod lex;
mod operand;
mod sort;

use crate::ast::formula::{
    Arithmetic, Binder, Comparison, Connective, FormulaFile, FormulaId, FormulaKind, FormulaNode,
    Item, ItemKind, Modality, Quantifier, UntilKind,
};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::excerpt::{printable, shortened};
use crate::grammar::Parsed;
use crate::lexer::unquote;
use crate::name::Name;
use crate::parser::Findings;
use crate::rational::Rational;
use crate::source::{Source, Span, offset};
use crate::suggest::did_you_mean;
use lex::Kind::{self, Sign};
use lex::{Lexer, Token};

/// Parses the formulas of a `.ctl` file, or a single formula.
///
/// ```
/// use otus_syntax::{Source, parse_formulas, print};
///
/// let text = "let both = p.cs & q.cs\nexclusion: AG !both\nE[x<3 U y==\"up\"]";
/// let parsed = parse_formulas(&Source::new("props.ctl", text));
/// assert!(parsed.diagnostics.is_empty());
/// assert_eq!(parsed.tree.properties().count(), 2);
/// assert_eq!(
///     print::formulas(&parsed.tree),
///     "let both = p.cs & q.cs\nexclusion: AG !both\nE[x < 3 U y = \"up\"]\n"
/// );
/// ```
pub fn parse_formulas(source: &Source) -> Parsed<FormulaFile> {
    let mut parser = Parser::new(source);
    while parser.token.kind != Kind::End {
        let before = parser.token.span;
        if parser.eat(Sign(';')).is_none() {
            parser.item();
        }
        if parser.token.span == before {
            // This token cannot begin a formula; it has been reported.
            parser.bump();
        }
    }
    parser.findings.with_tree(parser.tree)
}

/// Words that cannot be names without back quotes.
pub(crate) const KEYWORDS: [&str; 21] = [
    "true", "false", "not", "and", "or", "in", "let", "EX", "AX", "EF", "AF", "EG", "AG", "EU",
    "AU", "EW", "AW", "ER", "AR", "implies", "iff",
];

/// The help for `/`.
const DIVISION: &str = "to divide by a number, multiply by a fraction: 1/2 * x";

/// Words that are keywords only in some places; the printer quotes names that are spelt like them.
pub(crate) const SOFT_KEYWORDS: [&str; 12] =
    ["E", "A", "U", "W", "R", "X", "F", "G", "last", "count", "forall", "exists"];

struct Parser<'s> {
    source: &'s Source,
    lexer: Lexer<'s>,
    token: Token,
    previous_end: u32,
    tree: FormulaFile,
    /// For each node: whether it is a constant expression.
    constant: Vec<bool>,
    /// For each symbol: the first item with this name.
    named: Vec<Option<Name>>,
    /// For each symbol: its definition, which is not itself a name.
    definitions: Vec<Option<FormulaId>>,
    /// The formula in the pair of parentheses that was closed last.
    grouped: Option<FormulaId>,
    findings: Findings,
}

/// A stack entry that waits for an operand.
enum Frame {
    /// `(`
    Group(Span),
    /// `E[` or `A(`, and the operand before its `U`.
    Quantified {
        start: u32,
        quantifier: Quantifier,
        open: Span,
        left: Option<(FormulaId, UntilKind)>,
    },
    /// `name(`, and the complete arguments.
    Call { name: Name, open: Span, arguments: Vec<FormulaId> },
    /// `forall p in n*:`
    ForEach { start: u32, quantifier: Quantifier, binder: Box<Binder> },
    /// `at_most_one(m in n*,`
    AtMostOne { start: u32, open: Span, binder: Box<Binder> },
    /// An operator before its operand.
    Prefix(Prefix, Span),
    /// An operator after its first operand.
    Infix(Infix, FormulaId),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefix {
    Not,
    Negative,
    Temporal(Quantifier, Modality),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Infix {
    Connective(Connective),
    Until(Quantifier, UntilKind),
    Comparison(Comparison),
    Arithmetic(Arithmetic),
}

/// The continuation after an operand.
enum Next {
    /// Another operand follows.
    Operand,
    /// The operand has become a part of this larger operand.
    Grown(FormulaId),
    Complete(FormulaId),
}

impl Prefix {
    fn power(self) -> u8 {
        match self {
            Prefix::Not | Prefix::Temporal(..) => PREFIX_POWER,
            Prefix::Negative => NEGATIVE_POWER,
        }
    }
}

/// The binding power of `!` and the modalities.
pub(crate) const PREFIX_POWER: u8 = 6;
/// The binding power of the minus sign.
pub(crate) const NEGATIVE_POWER: u8 = 10;

pub(crate) fn connective_power(connective: Connective) -> u8 {
    match connective {
        Connective::Iff => 1,
        Connective::Implies => 2,
        Connective::Or => 3,
        Connective::And => 4,
    }
}

/// The binding power of comparisons and `in`.
pub(crate) const COMPARISON_POWER: u8 = 7;

pub(crate) fn arithmetic_power(operator: Arithmetic) -> u8 {
    match operator {
        Arithmetic::Add | Arithmetic::Subtract => 8,
        Arithmetic::Multiply => 9,
    }
}

impl Infix {
    fn power(self) -> u8 {
        match self {
            Infix::Connective(connective) => connective_power(connective),
            Infix::Until(..) => 5,
            Infix::Comparison(_) => COMPARISON_POWER,
            Infix::Arithmetic(operator) => arithmetic_power(operator),
        }
    }

    /// Whether `f op g op h` is `f op (g op h)`.
    fn is_right_associative(self) -> bool {
        matches!(self, Infix::Connective(Connective::Implies) | Infix::Until(..))
    }
}

/// Splits `E…` or `A…` into the quantifier and the rest.
fn split_quantifier(word: &str) -> Option<(Quantifier, &str)> {
    let rest = |quantifier: Quantifier| Some((quantifier, word.strip_prefix(quantifier.symbol())?));
    rest(Quantifier::Exists).or_else(|| rest(Quantifier::All))
}

/// `U`, `W` or `R`.
fn until_kind(word: &str) -> Option<UntilKind> {
    match word {
        "U" => Some(UntilKind::Until),
        "W" => Some(UntilKind::Weak),
        "R" => Some(UntilKind::Release),
        _ => None,
    }
}

/// `X`, `F` or `G`.
fn modality(word: &str) -> Option<Modality> {
    match word {
        "X" => Some(Modality::Next),
        "F" => Some(Modality::Finally),
        "G" => Some(Modality::Globally),
        _ => None,
    }
}

impl<'s> Parser<'s> {
    fn new(source: &'s Source) -> Self {
        let mut parser = Parser {
            source,
            lexer: Lexer::new(source.text()),
            token: Token { kind: Kind::End, span: Span::at(0), begins_line: true },
            previous_end: 0,
            tree: FormulaFile { source: source.id(), ..FormulaFile::default() },
            constant: Vec::new(),
            named: Vec::new(),
            definitions: Vec::new(),
            grouped: None,
            // A token that can neither end a formula nor begin the next one would be reported
            // twice, so equal findings are dropped.
            findings: Findings::bounded(source.id()).distinct(),
        };
        parser.token = parser.lexer.token(|comment| parser.tree.comments.push(comment));
        parser
    }

    /// `item := 'let' name '=' formula | (name ':')? formula`
    fn item(&mut self) {
        let start = self.token.span.start;
        let is_let = self.token.kind == Kind::Word && self.text() == "let";
        let (kind, name) = if is_let && self.next_token().kind != Sign(':') {
            self.bump();
            let name = self.name("the name of the definition");
            if self.eat(Kind::Comparison(Comparison::Equal)).is_none() {
                self.unexpected("`=` and a formula");
            }
            (ItemKind::Definition, name)
        } else if matches!(self.token.kind, Kind::Word | Kind::Quoted | Kind::Text)
            && self.next_token().kind == Sign(':')
        {
            let name = self.name("the name of a property");
            self.bump();
            (ItemKind::Property, name)
        } else {
            (ItemKind::Property, None)
        };
        let body = self.formula();
        if kind == ItemKind::Property {
            self.needs_formula(body, "a property");
        }
        if let Some(name) = name {
            self.define(kind, name, body);
        }
        let span = Span::new(start, self.previous_end.max(start));
        if kind == ItemKind::Property || name.is_some() {
            self.tree.items.push(Item { span, kind, name, body });
        }
        self.end_of_item();
    }

    /// A formula ends with its line or a semicolon.
    fn end_of_item(&mut self) {
        let ends = |token: Token| matches!(token.kind, Kind::End | Sign(';')) || token.begins_line;
        if ends(self.token) {
            return;
        }
        // Text directly after an unexpected character belongs to the same fault.
        let is_rest = self.findings.list.last().is_some_and(|last| {
            last.code == Code::UNEXPECTED_CHARACTER
                && last.primary.span.end == self.token.span.start
        });
        let help = match self.token.kind {
            Kind::Word if self.text().len() > 1 => did_you_mean(self.text(), KEYWORDS),
            Kind::Unknown if self.text() == "/" => Some(DIVISION.to_owned()),
            Sign(')' | ']' | '}') => Some("no such bracket is open".to_owned()),
            _ => None,
        };
        if !is_rest {
            self.unexpected_with("an operator or the end of the formula", help);
        }
        while !ends(self.token) {
            self.bump();
        }
    }

    /// Records a name and its definition; reports a duplicate name.
    fn define(&mut self, kind: ItemKind, name: Name, body: FormulaId) {
        let index = name.symbol.index();
        if self.named.len() <= index {
            self.named.resize(index + 1, None);
            self.definitions.resize(index + 1, None);
        }
        if kind == ItemKind::Definition {
            self.definitions[index] = Some(match self.tree.node(body).kind {
                FormulaKind::Named(_, inner) => inner,
                _ => body,
            });
        }
        let Some(first) = self.named[index] else {
            self.named[index] = Some(name);
            return;
        };
        let text = self.tree.names.text(name.symbol);
        let message = format!("two formulas have the name `{text}`");
        let found = self.findings.finding(Code::DUPLICATE_DECLARATION, name.span, message);
        let found = found.with_related(self.source.id(), first.span, "the first is here");
        self.findings.push(found.with_help("give each its own name"));
    }

    /// Parses the longest formula or term that begins at the cursor.
    fn formula(&mut self) -> FormulaId {
        let mut stack: Vec<Frame> = Vec::new();
        loop {
            let Some(mut done) = self.operand(&mut stack) else { continue };
            loop {
                match self.after_operand(&mut stack, done) {
                    Next::Operand => break,
                    Next::Grown(id) => done = id,
                    Next::Complete(id) => return id,
                }
            }
        }
    }

    fn after_operand(&mut self, stack: &mut Vec<Frame>, operand: FormulaId) -> Next {
        let token = self.token;
        if let Some(infix) = self.infix() {
            let power = infix.power() + u8::from(infix.is_right_associative());
            let left = self.reduce(stack, operand, power);
            if let (Infix::Comparison(_), FormulaKind::Compare(..)) =
                (infix, &self.tree.node(left).kind)
                && self.grouped != Some(left)
            {
                self.chained(token.span, left);
                self.tree.nodes[left.index()].kind = FormulaKind::Invalid;
            }
            self.bump();
            stack.push(Frame::Infix(infix, left));
            return Next::Operand;
        }
        if let Some(negated) = self.membership() {
            let left = self.reduce(stack, operand, COMPARISON_POWER);
            return Next::Grown(self.members(left, negated));
        }
        // Power 0 applies all operators up to the innermost bracket.
        let done = self.reduce(stack, operand, 0);
        self.in_bracket(stack, done)
    }

    /// Continues after a complete formula, in the innermost open bracket if there is one.
    fn in_bracket(&mut self, stack: &mut Vec<Frame>, done: FormulaId) -> Next {
        let until = if self.token.kind == Kind::Word { until_kind(self.text()) } else { None };
        let Some(mut frame) = stack.pop() else { return Next::Complete(done) };
        match &mut frame {
            Frame::Group(open) => {
                if self.close(stack, *open, Sign(')'), "an operator or `)`") {
                    self.tree.nodes[done.index()].span = Span::new(open.start, self.previous_end);
                    self.grouped = Some(done);
                    return Next::Grown(done);
                }
            }
            Frame::Call { name, open, arguments } => {
                if self.eat(Sign(',')).is_some() {
                    arguments.push(done);
                    stack.push(frame);
                    return Next::Operand;
                }
                if self.close(stack, *open, Sign(')'), "an operator, `,` or `)`") {
                    arguments.push(done);
                    let kind = FormulaKind::Call(*name, std::mem::take(arguments));
                    return Next::Grown(self.push_from(name.span.start, kind));
                }
            }
            Frame::Quantified { start, quantifier, open, left } => {
                if let (None, Some(kind)) = (&left, until) {
                    self.bump();
                    self.needs_formula(done, "`U`");
                    *left = Some((done, kind));
                    stack.push(frame);
                    return Next::Operand;
                }
                let closer = self.closer(*open);
                let what = match (&left, closer) {
                    (None, _) => "an operator, or `U`, `W` or `R`",
                    (Some(_), Sign(')')) => "an operator or `)`",
                    (Some(_), _) => "an operator or `]`",
                };
                if left.is_none() && self.token.kind == closer {
                    self.half_until(*start, *quantifier);
                }
                if self.close(stack, *open, closer, what) {
                    let Some((left, kind)) = *left else {
                        return Next::Grown(self.invalid(*start));
                    };
                    self.needs_formula(done, "`U`");
                    let kind = FormulaKind::Until(*quantifier, kind, left, done);
                    return Next::Grown(self.push_from(*start, kind));
                }
            }
            Frame::AtMostOne { start, open, binder } => {
                self.needs_formula(done, "`at_most_one`");
                let mut parts = vec![done];
                if self.eat(Sign(',')).is_some() {
                    self.keys(&mut parts);
                }
                if self.close(stack, *open, Sign(')'), "`,` and `per`, or `)`") {
                    let kind = FormulaKind::AtMostOne(binder.clone(), parts);
                    return Next::Grown(self.push_from(*start, kind));
                }
            }
            Frame::ForEach { .. } | Frame::Prefix(..) | Frame::Infix(..) => {
                return Next::Complete(done);
            }
        }
        stack.push(frame);
        Next::Grown(done)
    }

    /// Takes the bracket that closes `open`, or reports that `what` was expected. At the end of the
    /// formula, the missing bracket is assumed; otherwise unexpected tokens are skipped and the
    /// result is `false`.
    fn close(&mut self, stack: &[Frame], open: Span, closer: Kind, what: &str) -> bool {
        if self.eat(closer).is_some() {
            return true;
        }
        if matches!(self.token.kind, Sign(')' | ']')) {
            // A wrong kind of bracket either closes an outer bracket, or was meant to close this
            // one.
            self.unclosed(open);
            let outer = stack.iter().rev().find_map(|frame| match *frame {
                Frame::Group(open)
                | Frame::Call { open, .. }
                | Frame::AtMostOne { open, .. }
                | Frame::Quantified { open, .. } => Some(open),
                Frame::ForEach { .. } | Frame::Prefix(..) | Frame::Infix(..) => None,
            });
            if outer.is_none_or(|outer| self.closer(outer) != self.token.kind) {
                self.bump();
            }
            return true;
        }
        let is_indented =
            self.source.text()[..self.token.span.start as usize].ends_with([' ', '\t']);
        let begins_item = self.token.begins_line
            && matches!(self.token.kind, Kind::Word | Kind::Quoted)
            && (!is_indented || self.next_token().kind == Sign(':'));
        if matches!(self.token.kind, Kind::End | Sign(';')) || begins_item {
            self.unclosed(open);
            return true;
        }
        self.unexpected(what);
        self.bump();
        // The rest up to the bracket belongs to the same fault.
        while !matches!(self.token.kind, Kind::End | Sign(';' | ')' | ']' | ','))
            && !self.token.begins_line
        {
            self.bump();
        }
        false
    }

    fn closer(&self, open: Span) -> Kind {
        if self.source.slice(open) == "(" { Sign(')') } else { Sign(']') }
    }

    /// Applies the operators on the stack whose binding power is at least `power`.
    fn reduce(&mut self, stack: &mut Vec<Frame>, mut operand: FormulaId, power: u8) -> FormulaId {
        while let Some(frame) = stack.last() {
            match *frame {
                Frame::Prefix(prefix, span) if prefix.power() >= power => {
                    operand = self.prefixed(prefix, span, operand);
                }
                Frame::Infix(infix, left) if infix.power() >= power => {
                    operand = self.joined(infix, left, operand);
                }
                // The formula of a quantifier extends as far as possible.
                Frame::ForEach { start, quantifier, ref binder } if power == 0 => {
                    self.needs_formula(operand, bind::word(quantifier));
                    let kind = FormulaKind::ForEach(quantifier, binder.clone(), operand);
                    operand = self.push_from(start, kind);
                }
                Frame::Prefix(..)
                | Frame::Infix(..)
                | Frame::Group(_)
                | Frame::Quantified { .. }
                | Frame::ForEach { .. }
                | Frame::AtMostOne { .. }
                | Frame::Call { .. } => return operand,
            }
            stack.pop();
        }
        operand
    }

    fn prefixed(&mut self, prefix: Prefix, span: Span, operand: FormulaId) -> FormulaId {
        let kind = match prefix {
            Prefix::Not => {
                self.needs_formula(operand, "`!`");
                FormulaKind::Not(operand)
            }
            Prefix::Temporal(quantifier, modality) => {
                let text = format!("`{}{}`", quantifier.symbol(), modality.symbol());
                self.needs_formula(operand, &text);
                FormulaKind::Temporal(quantifier, modality, operand)
            }
            Prefix::Negative => {
                self.needs_number(operand, "`-`");
                let negated = match self.tree.node(operand).kind {
                    FormulaKind::Number(number) => Rational::from(0).checked_sub(number),
                    _ => None,
                };
                negated.map_or(FormulaKind::Negative(operand), FormulaKind::Number)
            }
        };
        self.push_from(span.start, kind)
    }

    fn joined(&mut self, infix: Infix, left: FormulaId, right: FormulaId) -> FormulaId {
        let kind = match infix {
            Infix::Connective(connective) => {
                let text = format!("`{}`", connective.symbol());
                self.needs_formula(left, &text);
                self.needs_formula(right, &text);
                FormulaKind::Connective(connective, left, right)
            }
            Infix::Until(quantifier, kind) => {
                self.needs_formula(left, "`U`");
                self.needs_formula(right, "`U`");
                FormulaKind::Until(quantifier, kind, left, right)
            }
            Infix::Comparison(comparison) => {
                self.needs_value(left, comparison);
                self.needs_value(right, comparison);
                FormulaKind::Compare(comparison, left, right)
            }
            Infix::Arithmetic(operator) => {
                let text = format!("`{}`", operator.symbol());
                self.needs_number(left, &text);
                self.needs_number(right, &text);
                if operator == Arithmetic::Multiply {
                    self.needs_linear(left, right);
                }
                FormulaKind::Arithmetic(operator, left, right)
            }
        };
        self.push_from(self.tree.node(left).span.start, kind)
    }

    /// The infix operator at the cursor. A word at the beginning of a line and before a colon is not an
    /// operator but the name of the next property.
    fn infix(&self) -> Option<Infix> {
        match self.token.kind {
            Kind::Connective(connective) => Some(Infix::Connective(connective)),
            Kind::Comparison(comparison) => Some(Infix::Comparison(comparison)),
            Kind::Arithmetic(operator) => Some(Infix::Arithmetic(operator)),
            Kind::Word => {
                let infix = match self.text() {
                    "and" => Infix::Connective(Connective::And),
                    "or" => Infix::Connective(Connective::Or),
                    "implies" => Infix::Connective(Connective::Implies),
                    "iff" => Infix::Connective(Connective::Iff),
                    word => {
                        let (quantifier, rest) = split_quantifier(word)?;
                        Infix::Until(quantifier, until_kind(rest)?)
                    }
                };
                let named = self.token.begins_line && self.next_token().kind == Sign(':');
                (!named).then_some(infix)
            }
            _ => None,
        }
    }

    fn push_from(&mut self, start: u32, kind: FormulaKind) -> FormulaId {
        let span = Span::new(start, self.previous_end.max(start));
        self.push(span, kind)
    }

    fn push(&mut self, span: Span, kind: FormulaKind) -> FormulaId {
        let constant = match &kind {
            FormulaKind::Number(_) => true,
            FormulaKind::Negative(f) | FormulaKind::Named(_, f) => self.constant[f.index()],
            FormulaKind::Arithmetic(_, f, g) => {
                self.constant[f.index()] && self.constant[g.index()]
            }
            _ => false,
        };
        self.constant.push(constant);
        self.tree.nodes.push(FormulaNode { span, kind });
        FormulaId(offset(self.tree.nodes.len() - 1))
    }

    fn invalid(&mut self, start: u32) -> FormulaId {
        self.push_from(start, FormulaKind::Invalid)
    }

    fn text(&self) -> &'s str {
        self.source.slice(self.token.span)
    }

    fn next_token(&self) -> Token {
        let mut lexer = self.lexer;
        lexer.token(|_| {})
    }

    fn bump(&mut self) -> Token {
        let tree = &mut self.tree;
        let next = self.lexer.token(|comment| tree.comments.push(comment));
        let taken = std::mem::replace(&mut self.token, next);
        self.previous_end = taken.span.end;
        taken
    }

    fn eat(&mut self, kind: Kind) -> Option<Token> {
        (self.token.kind == kind).then(|| self.bump())
    }

    fn unexpected(&mut self, what: &str) {
        self.unexpected_with(what, None);
    }

    /// Reports that `what` was expected at the cursor.
    fn unexpected_with(&mut self, what: &str, help: Option<String>) {
        let token = self.token;
        let text = self.text();
        let expected = format!("expected {what}, found");
        let (code, span, message, usual) = match token.kind {
            Kind::End => {
                let message = format!("{expected} the end of the text");
                (Code::UNEXPECTED_TOKEN, Span::at(self.previous_end), message, None)
            }
            Kind::OpenQuote => {
                let message = "this quote has no end on its line".to_owned();
                let quote = if text.starts_with('`') { '`' } else { '"' };
                let help = format!("close it with `{quote}`");
                (Code::UNTERMINATED_QUOTE, token.span, message, Some(help))
            }
            Kind::Unknown => {
                let message =
                    format!("`{}` does not belong here; expected {what}", printable(text));
                let usual = match text {
                    _ if text.starts_with(['\'', '‘', '“', '«']) => {
                        "a text stands between double quotes"
                    }
                    "/" => DIVISION,
                    "\\" | "^" | "%" | "@" | "$" => {
                        "a name with this sign goes between back quotes"
                    }
                    _ => {
                        "a name with other signs than letters, digits and `_` goes between back quotes"
                    }
                };
                (Code::UNEXPECTED_CHARACTER, token.span, message, Some(usual.to_owned()))
            }
            _ => {
                let message = format!("{expected} `{}`", shortened(text, 24));
                (Code::UNEXPECTED_TOKEN, token.span, message, None)
            }
        };
        let found = self.findings.finding(code, span, message);
        self.findings.push(Diagnostic { help: help.or(usual), ..found });
    }

    fn unclosed(&mut self, open: Span) {
        let closer = match self.source.slice(open) {
            "(" => ')',
            "[" => ']',
            _ => '}',
        };
        let place = match self.token.kind {
            Kind::End => Span::at(self.previous_end),
            _ => self.token.span,
        };
        let expected = format!("`{closer}` expected at the latest here");
        self.findings.unclosed(self.source, open, closer, place, expected);
    }

    /// `a < b < c`
    fn chained(&mut self, at: Span, left: FormulaId) {
        let span = self.tree.node(left).span.to(at);
        let help = "join two comparisons: a < b & b < c";
        self.findings.report(Code::UNEXPECTED_TOKEN, span, "comparisons cannot be chained", help);
    }

    /// `E[f]`
    fn half_until(&mut self, start: u32, quantifier: Quantifier) {
        let letter = quantifier.symbol();
        let span = Span::new(start, self.token.span.end);
        let message = format!("`{letter}[…]` needs `U`, `W` or `R` between two formulas");
        let help = format!("write {letter}[f U g]; or {letter}F f, {letter}G f, {letter}X f");
        self.findings.report(Code::UNEXPECTED_TOKEN, span, message, help);
    }

    /// Takes a name, plain or in quotes of either kind, or reports that `what` was expected.
    fn name(&mut self, what: &str) -> Option<Name> {
        match self.token.kind {
            Kind::Word => {
                let token = self.bump();
                let text = self.source.slice(token.span);
                if KEYWORDS.contains(&text) {
                    let message = format!("`{text}` is a word of the language, not a name");
                    let help = format!("to use it as a name, write it as `{text}` with its quotes");
                    let found = self.findings.finding(Code::NEEDS_QUOTES, token.span, message);
                    let fix = format!("`{text}`");
                    self.findings.push(found.with_help(help).with_fix(token.span, fix));
                }
                Some(Name { symbol: self.tree.names.intern(text), span: token.span })
            }
            Kind::Quoted | Kind::Text => {
                let token = self.bump();
                let text = unquote(self.source.slice(token.span));
                if text.is_empty() {
                    self.findings.empty_name(token.span, format!("{what} is empty"));
                }
                Some(Name { symbol: self.tree.names.intern(&text), span: token.span })
            }
            _ => {
                self.unexpected(what);
                None
            }
        }
    }
}
