//! The grammar of guards and of the variables that binders declare.
//!
//! ```text
//! guard    := '[' atom (',' atom)* ']'
//! atom     := '=' path
//!           | path relation operand
//!           | path 'in' '{' literal (',' literal)* '}'
//!           | path '~' quoted
//!           | name 'at' word
//!           | name 'within' duration 'of' word
//!           | name 'at' 'least' duration 'after' word
//! path     := name ('.' name)*
//! relation := '=' | '==' | '!=' | '<' | '<=' | '>' | '>='
//! operand  := literal | word (('+' | '-') (number | duration))?
//! literal  := number | quoted | 'true' | 'false'
//! number   := '-'? (digits | digits '.' digits | digits '/' digits)
//! duration := number unit
//! ```
//!
//! A path `a.f` is the field f at lifeline a if a is an end of the passing, and the field `a.f` otherwise. The receiver stands behind
//! the guard, so this is decided when the passing is complete ([`resolve`]). A word on the right is a variable; texts are
//! quoted.

use crate::ast::guard::{Atom, Duration, Literal, Offset, Operand, Relation, Test};
use crate::code::Code;
use crate::lexer::TokenKind::{self, Sign};
use crate::lexer::{scan_word, unquote};
use crate::name::{Name, Symbol};
use crate::parser::Cursor;
use crate::rational::Rational;
use crate::source::{Span, offset};

/// An atom before the ends of its passing are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    /// The atom, with the whole path as its field.
    atom: Atom,
    /// The first name of a path, and the rest.
    split: Option<(Name, Name)>,
}

impl Draft {
    /// An atom whose lifeline is known.
    pub(crate) fn of(atom: Atom) -> Draft {
        Draft { atom, split: None }
    }

    /// The atom so far.
    pub(crate) fn atom(&self) -> &Atom {
        &self.atom
    }

    /// The first name of a path, which may be a lifeline, and the rest.
    pub(crate) fn path(&self) -> Option<(Name, Name)> {
        self.split
    }

    /// Moves all spans to other places.
    pub(crate) fn relocate(&mut self, place: impl Fn(Span) -> Span) {
        self.atom.span = place(self.atom.span);
        let split = self.split.iter_mut().flat_map(|(first, rest)| [first, rest]);
        for name in split.chain(self.atom.names_mut()) {
            name.span = place(name.span);
        }
    }
}

/// Whether two atoms say the same, wherever they stand.
pub(crate) fn same(one: &Atom, other: &Atom) -> bool {
    let placeless = |atom: &Atom| {
        let mut draft = Draft::of(atom.clone());
        draft.relocate(|_| Span::default());
        draft
    };
    placeless(one) == placeless(other)
}

/// The atoms of a passing, given its ends.
pub(crate) fn resolve(drafts: Vec<Draft>, is_end: impl Fn(Symbol) -> bool) -> Vec<Atom> {
    let resolved = drafts.into_iter().map(|Draft { mut atom, split }| {
        if let Some((lifeline, rest)) = split
            && is_end(lifeline.symbol)
        {
            atom.lifeline = Some(lifeline);
            if let Test::Compare { field, .. }
            | Test::In { field, .. }
            | Test::Matches { field, .. } = &mut atom.test
            {
                *field = rest;
            }
        }
        atom
    });
    resolved.collect()
}

/// `guard`, if the cursor is at its bracket.
pub(crate) fn guard(cursor: &mut Cursor<'_>) -> Vec<Draft> {
    let mut atoms = Vec::new();
    let Some(open) = cursor.eat(Sign('[')) else { return atoms };
    if cursor.kind() == Sign(']') {
        let help = "write what the message must carry, `[f = 1]`, or leave the brackets out";
        cursor.unexpected_with("an atom in the brackets", Some(help.to_owned()));
    }
    loop {
        match cursor.kind() {
            Sign(']') => {
                cursor.bump();
                return atoms;
            }
            Sign(',') => {
                cursor.bump();
            }
            TokenKind::End | Sign('@' | ')') | TokenKind::Arrow => {
                cursor.unclosed(open.span, ']');
                return atoms;
            }
            _ => {
                match atom(cursor) {
                    Some(atom) => atoms.push(atom),
                    None => skip_atom(cursor),
                }
                after_atom(cursor);
            }
        }
    }
}

/// Reports a text between an atom and the next `,` or `]`.
fn after_atom(cursor: &mut Cursor<'_>) {
    if ends_atom(cursor.kind()) {
        return;
    }
    if cursor.kind() == TokenKind::Word && !cursor.is_lost() {
        let (end, span) = (Span::at(cursor.previous_end()), cursor.token().span);
        let message = format!("`,` is missing before `{}`", cursor.text());
        let found = cursor.findings.finding(Code::UNEXPECTED_TOKEN, span, message);
        cursor.findings.push(found.with_help("separate atoms by `,`").with_fix(end, ","));
        return;
    }
    cursor.unexpected("`,` or `]` after an atom");
    skip_atom(cursor);
}

fn ends_atom(kind: TokenKind) -> bool {
    matches!(kind, Sign(',' | ']' | ')' | '@') | TokenKind::End | TokenKind::Arrow)
}

/// Skips the rest of an atom with a fault.
fn skip_atom(cursor: &mut Cursor<'_>) {
    while !ends_atom(cursor.kind()) {
        cursor.bump();
    }
}

fn atom(cursor: &mut Cursor<'_>) -> Option<Draft> {
    let start = cursor.token().span.start;
    let (lifeline, test, split) = if cursor.eat(Sign('=')).is_some() {
        let first = cursor.name("a field after `=`")?;
        (None, Test::Same(path(cursor, first)?.0), None)
    } else {
        let first = cursor.name("a field or a lifeline")?;
        match (cursor.kind(), cursor.text()) {
            (TokenKind::Word, "at" | "within") => (Some(first), timing(cursor)?, None),
            _ => {
                let (field, split) = path(cursor, first)?;
                (None, comparison(cursor, field)?, split)
            }
        }
    };
    let atom = Atom { span: Span::new(start, cursor.previous_end()), lifeline, test };
    Some(Draft { atom, split })
}

/// The rest of a path after its first name: the whole path, and its first name with the rest if it has several.
fn path(cursor: &mut Cursor<'_>, first: Name) -> Option<(Name, Option<(Name, Name)>)> {
    if cursor.kind() != Sign('.') {
        return Some((first, None));
    }
    let mut names: Vec<Name> = Vec::new();
    while cursor.eat(Sign('.')).is_some() {
        names.push(if cursor.kind() == TokenKind::Number {
            let span = cursor.bump().span;
            Name { symbol: cursor.names.intern(cursor.slice(span)), span }
        } else {
            cursor.name("a field after `.`")?
        });
    }
    let mut join = |names: &[Name], start: u32| {
        let texts: Vec<&str> = names.iter().map(|name| cursor.names.text(name.symbol)).collect();
        let symbol = cursor.names.intern(&texts.join("."));
        Name { symbol, span: Span::new(start, cursor.previous_end()) }
    };
    let rest = match names[..] {
        [only] => only,
        [second, ..] => join(&names, second.span.start),
        [] => return None,
    };
    names.insert(0, first);
    Some((join(&names, first.span.start), Some((first, rest))))
}

/// A variable. Its name is plain, because a text in quotes is a constant.
pub(super) fn variable(cursor: &mut Cursor<'_>, what: &str) -> Option<Name> {
    let span = cursor.token().span;
    let is_word = cursor.kind() == TokenKind::Word;
    let begins_number = cursor.text().starts_with(|c: char| c.is_ascii_digit());
    if is_word && !begins_number && !matches!(cursor.text(), "true" | "false") {
        cursor.bump();
        return Some(Name { symbol: cursor.names.intern(cursor.slice(span)), span });
    }
    if is_word || matches!(cursor.kind(), TokenKind::Quoted | TokenKind::Number) {
        let message = format!("`{}` cannot be the name of a variable", cursor.text());
        let help = "its name has letters, digits and `_` only, begins with a letter, and is neither \
                    `true` nor `false`";
        cursor.findings.report(Code::UNEXPECTED_TOKEN, span, message, help);
        cursor.bump();
        return None;
    }
    if cursor.kind() == TokenKind::OpenQuote {
        // Reports the quote.
        return cursor.name(what).and(None);
    }
    cursor.unexpected(what);
    None
}

/// The rest of an atom about the time of an event, after its lifeline.
fn timing(cursor: &mut Cursor<'_>) -> Option<Test> {
    let word = cursor.bump().span;
    if cursor.slice(word) == "within" {
        let duration = duration(cursor)?;
        keyword(cursor, "of")?;
        return Some(Test::Within { duration, anchor: variable(cursor, "an anchor")? });
    }
    // An anchor may be called `least`; then the atom ends behind it.
    if cursor.text() == "least" && !ends_atom(cursor.kind_after()) {
        cursor.bump();
        let duration = duration(cursor)?;
        keyword(cursor, "after")?;
        return Some(Test::After { duration, anchor: variable(cursor, "an anchor")? });
    }
    Some(Test::At(variable(cursor, "an anchor")?))
}

fn keyword(cursor: &mut Cursor<'_>, word: &str) -> Option<()> {
    if cursor.kind() == TokenKind::Word && cursor.text() == word {
        cursor.bump();
        return Some(());
    }
    cursor.unexpected(&format!("`{word}`"));
    None
}

/// The rest of an atom about a field.
fn comparison(cursor: &mut Cursor<'_>, field: Name) -> Option<Test> {
    match (cursor.kind(), cursor.text()) {
        (TokenKind::Word, "in") => {
            cursor.bump();
            Some(Test::In { field, values: set(cursor)? })
        }
        (_, "~") => {
            cursor.bump();
            let pattern = cursor.expect(TokenKind::Quoted, "a pattern in quotes after `~`")?;
            Some(Test::Matches { field, pattern: unquote(cursor.slice(pattern.span)).into() })
        }
        _ => {
            let relation = relation(cursor)?;
            Some(Test::Compare { field, relation, operand: operand(cursor)? })
        }
    }
}

fn relation(cursor: &mut Cursor<'_>) -> Option<Relation> {
    let first = cursor.token();
    let next_is_equal = |cursor: &Cursor<'_>| {
        cursor.kind() == Sign('=') && cursor.token().span.start == first.span.end
    };
    let found = match first.kind {
        Sign('=') => {
            cursor.bump();
            // `==` is a habit from other languages.
            if next_is_equal(cursor) {
                cursor.bump();
            }
            Relation::Equal
        }
        Sign(sign @ ('!' | '<' | '>')) => {
            cursor.bump();
            let or_equal = next_is_equal(cursor);
            if or_equal {
                cursor.bump();
            }
            match (sign, or_equal) {
                ('!', true) => Relation::NotEqual,
                ('<', true) => Relation::LessEqual,
                ('<', false) => Relation::Less,
                ('>', true) => Relation::GreaterEqual,
                ('>', false) => Relation::Greater,
                _ => {
                    cursor.unexpected("`=` after `!`");
                    return None;
                }
            }
        }
        _ => {
            let help = "write `f = v`, `!=`, `<`, `<=`, `>`, `>=`, `f in {v, w}` or `f ~ \"a*\"`";
            cursor.unexpected_with("a relation after the field", Some(help.to_owned()));
            return None;
        }
    };
    Some(found)
}

/// `'{' literal (',' literal)* '}'`
fn set(cursor: &mut Cursor<'_>) -> Option<Vec<Literal>> {
    let open = cursor.expect(Sign('{'), "`{` before the values")?;
    let (mut values, mut has_fault) = (Vec::new(), false);
    loop {
        match cursor.kind() {
            Sign('}') => {
                cursor.bump();
                if values.is_empty() && !has_fault {
                    let span = Span::new(open.span.start, cursor.previous_end());
                    let help = "name at least one value: {1, \"text\"}";
                    cursor.findings.report(Code::NO_OPERANDS, span, "this set has no values", help);
                }
                return Some(values);
            }
            Sign(',') => {
                cursor.bump();
            }
            TokenKind::End | Sign(']' | ')' | '@') => {
                cursor.unclosed(open.span, '}');
                return Some(values);
            }
            _ => {
                let start = cursor.token().span;
                match operand(cursor)? {
                    Operand::Literal(literal) => values.push(literal),
                    Operand::Variable { .. } => {
                        has_fault = true;
                        let message = "a variable cannot be in a set of values";
                        let help = "texts are quoted; compare with a variable by `=`";
                        let span = Span::new(start.start, cursor.previous_end());
                        cursor.findings.report(Code::UNEXPECTED_TOKEN, span, message, help);
                    }
                }
            }
        }
    }
}

fn operand(cursor: &mut Cursor<'_>) -> Option<Operand> {
    match (cursor.kind(), cursor.text()) {
        (TokenKind::Quoted, _) => {
            let span = cursor.bump().span;
            Some(Operand::Literal(Literal::Text(unquote(cursor.slice(span)).into())))
        }
        // Reports the quote.
        (TokenKind::OpenQuote, _) => cursor.name("a value").and(None),
        (TokenKind::Word, "true") => {
            cursor.bump();
            Some(Operand::Literal(Literal::Boolean(true)))
        }
        (TokenKind::Word, "false") => {
            cursor.bump();
            Some(Operand::Literal(Literal::Boolean(false)))
        }
        (TokenKind::Number | Sign('-'), _) => constant(cursor),
        (TokenKind::Word, text) if text.starts_with(|c: char| c.is_ascii_digit()) => {
            constant(cursor)
        }
        (TokenKind::Word, _) => {
            let span = cursor.bump().span;
            let symbol = cursor.names.intern(cursor.slice(span));
            let offset = offset_of(cursor)?;
            Some(Operand::Variable { name: Name { symbol, span }, offset })
        }
        (Sign(sign @ ('<' | '>')), _) => {
            let help = format!("write `{sign}=` for \"or equal\"");
            cursor.unexpected_with("a value after the relation", Some(help));
            None
        }
        (TokenKind::Unknown, "'" | "`" | "‘" | "’") => {
            let span = cursor.token().span;
            let message = format!("a text stands in `\"`, not in `{}`", cursor.text());
            cursor.findings.report(Code::UNEXPECTED_CHARACTER, span, message, "write \"text\"");
            None
        }
        _ => {
            let help = "a value is a number, a \"text\", true, false, or a variable";
            cursor.unexpected_with("a value", Some(help.to_owned()));
            None
        }
    }
}

/// A number without a unit.
fn constant(cursor: &mut Cursor<'_>) -> Option<Operand> {
    let measured = measured(cursor)?;
    if let Some(unit) = measured.unit {
        let text = cursor.slice(measured.span);
        let message = format!("`{text}` is neither a number nor a variable");
        let help = "a duration is added to an anchor: `time <= s + 2s`, `a within 2s of s`; \
                    a text stands in quotes";
        let span = Span::new(measured.span.start, unit.end);
        cursor.findings.report(Code::BAD_DURATION, span, message, help);
        return None;
    }
    Some(Operand::Literal(Literal::Number(measured.number)))
}

/// What is added to a variable or subtracted from it, if anything is. The outer `None` is a fault.
#[expect(clippy::option_option, reason = "a fault differs from no offset")]
fn offset_of(cursor: &mut Cursor<'_>) -> Option<Option<Offset>> {
    let is_negative = match cursor.text() {
        "+" => false,
        "-" => true,
        _ => return Some(None),
    };
    cursor.bump();
    if !is_number(cursor) {
        let help = "only a number or a duration is added to a variable: `x + 1`, `s + 2s`";
        cursor.unexpected_with("a number or a duration", Some(help.to_owned()));
        return None;
    }
    let measured = measured(cursor)?;
    // Both signs are printed, so both have to fit.
    let opposite = Rational::from(0).checked_sub(measured.number);
    let number = opposite.map(|opposite| if is_negative { opposite } else { measured.number });
    let found = match (number, measured.unit) {
        (None, _) => None,
        (Some(number), None) => Some(Offset::Number(number)),
        (Some(number), Some(unit)) => {
            Duration::new(number, cursor.slice(unit)).map(Offset::Duration)
        }
    };
    if found.is_none() {
        bad_duration(cursor, measured.span);
        return None;
    }
    Some(found)
}

/// `number unit`
fn duration(cursor: &mut Cursor<'_>) -> Option<Duration> {
    if !is_number(cursor) {
        let help = "write a number and a unit: 2s, 150ms";
        cursor.unexpected_with("a duration", Some(help.to_owned()));
        return None;
    }
    let Measured { number, unit, mut span } = measured(cursor)?;
    if unit.is_some() && number < Rational::from(0) {
        let message = format!("`{}` is a negative duration", cursor.slice(span));
        let help = "a duration is how long something takes; an event before the anchor is said by `time <= s - 2s`";
        cursor.findings.report(Code::BAD_DURATION, span, message, help);
        return None;
    }
    let found = unit.and_then(|unit| Duration::new(number, cursor.slice(unit)));
    if found.is_none() {
        // A word behind the number that is no unit.
        if unit.is_none()
            && cursor.kind() == TokenKind::Word
            && !matches!(cursor.text(), "of" | "after")
        {
            span = Span::new(span.start, cursor.bump().span.end);
        }
        bad_duration(cursor, span);
    }
    found
}

fn bad_duration(cursor: &mut Cursor<'_>, span: Span) {
    let text = cursor.slice(span);
    let units: Vec<&str> = Duration::units().collect();
    let message = format!("`{text}` is not a duration");
    let help = format!(
        "write a number and one of the units {}: 2s, 150ms; the largest is about 292 years, the \
         smallest 1ns",
        units.join(", ")
    );
    cursor.findings.report(Code::BAD_DURATION, span, message, help);
}

/// Whether a number begins at the cursor. Digits and letters behind them are one word for the lexer.
fn is_number(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.kind(), TokenKind::Number | Sign('-'))
        || cursor.kind() == TokenKind::Word
            && cursor.text().starts_with(|c: char| c.is_ascii_digit())
}

/// A number, perhaps with a unit behind it.
struct Measured {
    number: Rational,
    /// The letters directly behind it, or a unit behind a blank.
    unit: Option<Span>,
    /// Both.
    span: Span,
}

/// A number with its unit, if it has one. Tokens do not follow numbers (`1/4` is three, `2s` is one), so the number is found in
/// the text, and the tokens up to its end are taken.
fn measured(cursor: &mut Cursor<'_>) -> Option<Measured> {
    let start = cursor.token().span.start;
    let is_negative = cursor.eat(Sign('-')).is_some();
    let from = cursor.token().span.start;
    let text = cursor.text_from(from);
    let length = number_length(text);
    if length == 0 {
        cursor.unexpected("a number");
        return None;
    }
    let unit = Span::new(from + offset(length), from + offset(scan_word(text, length)));
    while cursor.token().span.start < unit.end {
        cursor.bump();
    }
    let written = &text[..length];
    let sign = if is_negative { "-" } else { "" };
    let Some(number) = Rational::parse(&format!("{sign}{written}")) else {
        let span = Span::new(start, from + offset(length));
        let is_zero = |below: &str| below.bytes().all(|byte| byte == b'0');
        let (message, help) = if written.split_once('/').is_some_and(|(_, below)| is_zero(below)) {
            (format!("`{written}` divides by zero"), "write another number")
        } else {
            (
                format!("`{written}` does not fit in 64 bits"),
                "use a smaller number, or a text in quotes",
            )
        };
        cursor.findings.report(Code::BAD_NUMBER, span, message, help);
        return None;
    };
    let mut unit = (!unit.is_empty()).then_some(unit);
    let is_unit = cursor.kind() == TokenKind::Word && Duration::units().any(|u| u == cursor.text());
    if unit.is_none() && is_unit {
        unit = Some(cursor.bump().span);
    }
    Some(Measured { number, unit, span: Span::new(start, cursor.previous_end()) })
}

/// The length of the number at the start of a text: `12`, `0.25`, `1.5e3`, `1/3`.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        from + bytes[from.min(bytes.len())..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let whole = digits(0);
    if whole == 0 {
        return 0;
    }
    let mut end = whole;
    match bytes.get(whole) {
        Some(b'.') => {
            let fraction = digits(whole + 1);
            if fraction > whole + 1 {
                end = fraction;
            }
        }
        Some(b'/') => {
            let below = digits(whole + 1);
            return if below > whole + 1 { below } else { whole };
        }
        _ => {}
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}
