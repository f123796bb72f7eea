//! The printer of guards: `[mid = m, client at s]`.
//!
//! A number is printed as a decimal if it is one (`0.25`), else as a fraction (`1/3`). A field whose name is a path is printed
//! bare, unless its first word could be read as a lifeline (`a.f`), or its author quoted it.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use crate::ast::guard::{Atom, Literal, Offset, Operand, Test};
use crate::ast::{Passing, Section, SpecFile};
use crate::lexer::{quote, quoted};
use crate::name::{Name, Names, Symbol, is_plain};
use crate::rational::Rational;

/// The names that a guard is printed with.
#[derive(Debug, Clone)]
pub(crate) struct Naming<'n> {
    names: &'n Names,
    /// The declared lifelines.
    lifelines: Cow<'n, FxHashSet<Symbol>>,
}

impl<'n> Naming<'n> {
    /// The names of a tree.
    pub(crate) fn of(tree: &'n SpecFile) -> Self {
        let declared = tree.sections.iter().filter_map(|section| match section {
            Section::Lifelines(declared) => Some(&declared.names),
            Section::Messages(_) | Section::Options(_) => None,
        });
        let lifelines = declared.flatten().map(|declaration| declaration.name.symbol).collect();
        Naming { names: &tree.names, lifelines: Cow::Owned(lifelines) }
    }

    /// These names, of which some are lifelines.
    pub(crate) fn new(names: &'n Names, lifelines: &'n FxHashSet<Symbol>) -> Self {
        Naming { names, lifelines: Cow::Borrowed(lifelines) }
    }

    /// The guard of a passing in brackets; nothing if it has no atoms.
    pub(crate) fn guard(&self, passing: &Passing) -> String {
        if passing.guard.is_empty() {
            return String::new();
        }
        let ends: Vec<Symbol> = passing
            .origin
            .iter()
            .chain(passing.target.lifelines())
            .map(|name| name.symbol)
            .collect();
        self.atoms(&passing.guard, &ends, |name| self.text(name).into_owned())
    }

    /// Atoms in brackets, between ends that `lifeline` writes.
    pub(crate) fn atoms(
        &self,
        atoms: &[Atom],
        ends: &[Symbol],
        lifeline: impl Fn(Name) -> String,
    ) -> String {
        let texts: Vec<String> =
            atoms.iter().map(|atom| self.atom(atom, ends, &lifeline)).collect();
        format!("[{}]", texts.join(", "))
    }

    fn text(&self, name: Name) -> Cow<'n, str> {
        quote(self.names.text(name.symbol))
    }

    /// An atom as it is written between the brackets.
    fn atom(&self, atom: &Atom, ends: &[Symbol], lifeline: impl Fn(Name) -> String) -> String {
        // Behind a lifeline, every name is a field.
        let field = |name: Name| {
            if atom.lifeline.is_some() { self.path(name, &[]) } else { self.path(name, ends) }
        };
        let test = match &atom.test {
            Test::Compare { field: name, relation, operand } => {
                format!("{} {} {}", field(*name), relation.symbol(), self.operand(operand))
            }
            Test::In { field: name, values } => {
                let values: Vec<String> = values.iter().map(literal).collect();
                format!("{} in {{{}}}", field(*name), values.join(", "))
            }
            Test::Matches { field: name, pattern } => {
                format!("{} ~ {}", field(*name), quoted(pattern, '"'))
            }
            Test::Same(name) => format!("={}", self.path(*name, ends)),
            Test::At(anchor) => format!("at {}", self.text(*anchor)),
            Test::Within { duration, anchor } => {
                format!("within {duration} of {}", self.text(*anchor))
            }
            Test::After { duration, anchor } => {
                format!("at least {duration} after {}", self.text(*anchor))
            }
        };
        match (&atom.test, atom.lifeline.map(lifeline)) {
            (Test::At(_) | Test::Within { .. } | Test::After { .. }, Some(lifeline)) => {
                format!("{lifeline} {test}")
            }
            (_, Some(lifeline)) => format!("{lifeline}.{test}"),
            (_, None) => test,
        }
    }

    /// A field: bare if it is a path of plain names and cannot be taken for a field at a lifeline.
    fn path(&self, field: Name, ends: &[Symbol]) -> Cow<'n, str> {
        let text = self.names.text(field.symbol);
        let Some((first, _)) = text.split_once('.') else { return quote(text) };
        let is_lifeline = self
            .names
            .find(first)
            .is_some_and(|first| ends.contains(&first) || self.lifelines.contains(&first));
        let was_quoted = !field.span.is_empty() && field.span.len() as usize != text.len();
        if !is_lifeline && !was_quoted && text.split('.').all(is_plain) {
            return Cow::Borrowed(text);
        }
        Cow::Owned(quoted(text, '"'))
    }

    fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Literal(literal) => self::literal(literal),
            Operand::Variable { name, offset } => {
                let name = self.text(*name);
                match offset {
                    None => name.into_owned(),
                    Some(Offset::Number(number)) => signed(&name, &number_text(*number)),
                    Some(Offset::Duration(duration)) => signed(&name, &duration.to_string()),
                }
            }
        }
    }
}

/// A sum with a number that may be negative.
fn signed(name: &str, number: &str) -> String {
    match number.strip_prefix('-') {
        Some(number) => format!("{name} - {number}"),
        None => format!("{name} + {number}"),
    }
}

/// A constant as it is written.
fn literal(literal: &Literal) -> String {
    match literal {
        Literal::Number(number) => number_text(*number),
        Literal::Text(text) => quoted(text, '"'),
        Literal::Boolean(truth) => truth.to_string(),
    }
}

/// A number as a decimal of at most nine digits behind the point, else as a fraction.
fn number_text(number: Rational) -> String {
    let power = |exponent: u32| 10_i64.pow(exponent);
    let found = (1..=9).find(|&digits| power(digits) % number.denominator() == 0);
    let (Some(digits), false) = (found, number.denominator() == 1) else {
        return number.to_string();
    };
    let scaled = i128::from(number.numerator()) * i128::from(power(digits) / number.denominator());
    let (size, one) = (scaled.unsigned_abs(), u128::from(power(digits).unsigned_abs()));
    let sign = if scaled < 0 { "-" } else { "" };
    format!("{sign}{}.{:0width$}", size / one, size % one, width = digits as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_they_are_read() {
        for text in ["0", "-3", "0.25", "-0.5", "1.05", "1/3", "-7/12", "0.000000001", "12.125"] {
            let number = Rational::parse(text).unwrap();
            assert_eq!(number_text(number), text);
        }
        let small = Rational::new(1, 10_000_000_000).unwrap();
        assert_eq!(number_text(small), "1/10000000000");
    }
}
