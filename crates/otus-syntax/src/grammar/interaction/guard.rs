//! The grammar of guards and of the variables that binders declare.
//!
//! ```text
//! guard    := '[' (atom (',' atom)*)? ']'
//! atom     := '=' name
//!           | (name '.')? name relation operand
//!           | (name '.')? name 'in' '{' literal (',' literal)* '}'
//!           | (name '.')? name '~' quoted
//!           | name 'at' name
//!           | name 'within' duration 'of' name
//!           | name 'at' 'least' duration 'after' name
//! relation := '=' | '!=' | '<' | '<=' | '>' | '>='
//! operand  := literal | name (('+' | '-') (number | duration))?
//! literal  := '-'? number | quoted | 'true' | 'false'
//! duration := number unit
//! ```

use crate::ast::guard::{Atom, Duration, Literal, Offset, Operand, Relation, Test};
use crate::code::Code;
use crate::lexer::TokenKind::{self, Sign};
use crate::lexer::unquote;
use crate::name::Name;
use crate::parser::Cursor;
use crate::rational::Rational;
use crate::source::Span;

/// `guard`, if the cursor is at its bracket.
pub(super) fn guard(cursor: &mut Cursor<'_>) -> Vec<Atom> {
    let mut atoms = Vec::new();
    let Some(open) = cursor.eat(Sign('[')) else { return atoms };
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
            _ => match atom(cursor) {
                Some(atom) => atoms.push(atom),
                None => skip_atom(cursor),
            },
        }
    }
}

/// Skips the rest of an atom with a fault.
fn skip_atom(cursor: &mut Cursor<'_>) {
    while !matches!(cursor.kind(), Sign(',' | ']' | ')' | '@') | TokenKind::End | TokenKind::Arrow)
    {
        cursor.bump();
    }
}

fn atom(cursor: &mut Cursor<'_>) -> Option<Atom> {
    let start = cursor.token().span.start;
    let (lifeline, test) = if cursor.eat(Sign('=')).is_some() {
        (None, Test::Same(cursor.name("a field after `=`")?))
    } else {
        let first = cursor.name("a field or a lifeline")?;
        match (cursor.kind(), cursor.text()) {
            (TokenKind::Word, "at" | "within") => (Some(first), timing(cursor)?),
            (Sign('.'), _) => {
                cursor.bump();
                let field = cursor.name("a field after `.`")?;
                (Some(first), comparison(cursor, field)?)
            }
            _ => (None, comparison(cursor, first)?),
        }
    };
    Some(Atom { span: Span::new(start, cursor.previous_end()), lifeline, test })
}

/// The rest of an atom about the time of an event, after its lifeline.
fn timing(cursor: &mut Cursor<'_>) -> Option<Test> {
    let word = cursor.bump().span;
    if cursor.slice(word) == "within" {
        let duration = duration(cursor)?;
        keyword(cursor, "of")?;
        return Some(Test::Within { duration, anchor: cursor.name("an anchor")? });
    }
    if cursor.text() == "least" && cursor.kind_after() == TokenKind::Number
        || cursor.text() == "least" && is_duration_word(cursor)
    {
        cursor.bump();
        let duration = duration(cursor)?;
        keyword(cursor, "after")?;
        return Some(Test::After { duration, anchor: cursor.name("an anchor")? });
    }
    Some(Test::At(cursor.name("an anchor")?))
}

/// Whether the word after the next token is a number with a unit, such as `2s`.
fn is_duration_word(cursor: &Cursor<'_>) -> bool {
    cursor.kind_after() == TokenKind::Word
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
    let mut values = Vec::new();
    loop {
        match cursor.kind() {
            Sign('}') => {
                cursor.bump();
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
        (TokenKind::Number | Sign('-'), _) => {
            let number = number(cursor)?;
            Some(Operand::Literal(Literal::Number(number)))
        }
        (TokenKind::Word, "true") => {
            cursor.bump();
            Some(Operand::Literal(Literal::Boolean(true)))
        }
        (TokenKind::Word, "false") => {
            cursor.bump();
            Some(Operand::Literal(Literal::Boolean(false)))
        }
        (TokenKind::Word, _) => {
            let span = cursor.bump().span;
            let symbol = cursor.names.intern(cursor.slice(span));
            let offset = offset(cursor)?;
            Some(Operand::Variable { name: Name { symbol, span }, offset })
        }
        _ => {
            let help = "a value is a number, a \"text\", true, false, or a variable";
            cursor.unexpected_with("a value", Some(help.to_owned()));
            None
        }
    }
}

/// What is added to a variable or subtracted from it, if anything is. The outer `None` is a fault.
#[expect(clippy::option_option, reason = "a fault differs from no offset")]
fn offset(cursor: &mut Cursor<'_>) -> Option<Option<Offset>> {
    let negative = match cursor.text() {
        "+" => false,
        "-" => true,
        _ => return Some(None),
    };
    cursor.bump();
    let sign = |number: Rational| {
        if negative { Rational::from(0).checked_sub(number) } else { Some(number) }
    };
    let start = cursor.token().span;
    let (number, unit) = measured(cursor)?;
    let found = match unit {
        None => sign(number).map(Offset::Number),
        Some(unit) => sign(number)
            .and_then(|number| Duration::new(number, cursor.slice(unit)))
            .map(Offset::Duration),
    };
    if found.is_none() {
        bad_duration(cursor, Span::new(start.start, cursor.previous_end()));
        return None;
    }
    Some(found)
}

/// `number unit`
fn duration(cursor: &mut Cursor<'_>) -> Option<Duration> {
    let start = cursor.token().span;
    let (number, unit) = measured(cursor)?;
    let span = Span::new(start.start, cursor.previous_end());
    let found = unit.and_then(|unit| Duration::new(number, cursor.slice(unit)));
    if found.is_none() {
        bad_duration(cursor, span);
    }
    found
}

fn bad_duration(cursor: &mut Cursor<'_>, span: Span) {
    let text = cursor.slice(span);
    let units: Vec<&str> = Duration::units().collect();
    let message = format!("`{text}` is not a duration");
    let help = format!("write a number and one of the units {}: 2s, 150ms", units.join(", "));
    cursor.findings.report(Code::BAD_DURATION, span, message, help);
}

/// A number and the span of the unit behind it, if there is one. Digits and the unit behind them are one word for the
/// lexer.
fn measured(cursor: &mut Cursor<'_>) -> Option<(Rational, Option<Span>)> {
    let start = cursor.token().span.start;
    let is_adjacent = |cursor: &Cursor<'_>| cursor.token().span.start == cursor.previous_end();
    if cursor.kind() == TokenKind::Number
        && cursor.kinds_after().take(2).eq([Sign('.'), TokenKind::Word])
    {
        cursor.bump();
        cursor.bump();
        if !is_adjacent(cursor) {
            cursor.unexpected("digits after the point");
            return None;
        }
    }
    if cursor.kind() == TokenKind::Word {
        let word = cursor.token().span;
        let letters = cursor.text().trim_start_matches(|c: char| c.is_ascii_digit());
        let unit = Span::new(word.end - u32::try_from(letters.len()).unwrap_or(0), word.end);
        cursor.bump();
        if let Some(number) = Rational::parse(cursor.slice(Span::new(start, unit.start))) {
            return Some((number, Some(unit)));
        }
        bad_duration(cursor, Span::new(start, word.end));
        return None;
    }
    let number = number(cursor)?;
    let is_unit = cursor.kind() == TokenKind::Word && Duration::units().any(|u| u == cursor.text());
    let unit = is_unit.then(|| cursor.bump().span);
    Some((number, unit))
}

/// `'-'? digits ('.' digits)?`
fn number(cursor: &mut Cursor<'_>) -> Option<Rational> {
    let start = cursor.token().span;
    cursor.eat(Sign('-'));
    cursor.expect(TokenKind::Number, "a number")?;
    if cursor.kind() == Sign('.') && cursor.token().span.start == cursor.previous_end() {
        cursor.bump();
        cursor.expect(TokenKind::Number, "digits after the point")?;
    }
    let span = Span::new(start.start, cursor.previous_end());
    let number = Rational::parse(cursor.slice(span));
    if number.is_none() {
        let message = format!("`{}` does not fit in 64 bits", cursor.slice(span));
        cursor.findings.report(Code::UNEXPECTED_TOKEN, span, message, "use a smaller number");
    }
    number
}
