//! The printer of guards: `[mid = m, client at s]`.

use crate::ast::guard::{Atom, Literal, Offset, Operand, Test};
use crate::lexer::{quote, quoted};
use crate::name::{Name, Names};
use crate::rational::Rational;

/// Appends a guard in brackets; nothing for one without atoms.
pub(super) fn guard(out: &mut String, names: &Names, atoms: &[Atom]) {
    if atoms.is_empty() {
        return;
    }
    let texts: Vec<String> = atoms.iter().map(|atom| self::atom(names, atom)).collect();
    out.push('[');
    out.push_str(&texts.join(", "));
    out.push(']');
}

/// An atom as it is written between the brackets.
pub(super) fn atom(names: &Names, atom: &Atom) -> String {
    let text = |name: Name| quote(names.text(name.symbol));
    let lifeline = atom.lifeline.map(&text);
    let test = match &atom.test {
        Test::Compare { field, relation, operand } => {
            format!("{} {} {}", text(*field), relation.symbol(), self::operand(names, operand))
        }
        Test::In { field, values } => {
            let values: Vec<String> = values.iter().map(literal).collect();
            format!("{} in {{{}}}", text(*field), values.join(", "))
        }
        Test::Matches { field, pattern } => format!("{} ~ {}", text(*field), quoted(pattern, '"')),
        Test::Same(field) => format!("={}", text(*field)),
        Test::At(anchor) => format!("at {}", text(*anchor)),
        Test::Within { duration, anchor } => format!("within {duration} of {}", text(*anchor)),
        Test::After { duration, anchor } => format!("at least {duration} after {}", text(*anchor)),
    };
    match (&atom.test, lifeline) {
        (Test::At(_) | Test::Within { .. } | Test::After { .. }, Some(lifeline)) => {
            format!("{lifeline} {test}")
        }
        (_, Some(lifeline)) => format!("{lifeline}.{test}"),
        (_, None) => test,
    }
}

fn operand(names: &Names, operand: &Operand) -> String {
    match operand {
        Operand::Literal(literal) => self::literal(literal),
        Operand::Variable { name, offset } => {
            let name = quote(names.text(name.symbol));
            match offset {
                None => name.into_owned(),
                Some(Offset::Number(number)) if *number < Rational::from(0) => {
                    format!("{name} - {}", number.to_string().trim_start_matches('-'))
                }
                Some(Offset::Number(number)) => format!("{name} + {number}"),
                Some(Offset::Duration(duration)) if duration.0 < 0 => {
                    format!("{name} - {}", duration.to_string().trim_start_matches('-'))
                }
                Some(Offset::Duration(duration)) => format!("{name} + {duration}"),
            }
        }
    }
}

/// A constant as it is written.
fn literal(literal: &Literal) -> String {
    match literal {
        Literal::Number(number) => number.to_string(),
        Literal::Text(text) => quoted(text, '"'),
        Literal::Boolean(truth) => truth.to_string(),
    }
}
