//! Comparisons of values of which any may be open.

use otus_core::Value;
use otus_core::valued::plus;
use otus_syntax::Rational;
use otus_syntax::ast::guard::Relation;

use super::condition::{Condition, Open, Requirement};

/// A value, or the variable that stands for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Bound {
    Open(Open),
    Known(Value),
}

/// What a comparison comes to.
pub(super) enum Related {
    Holds(bool),
    /// It holds if this does.
    If(Condition),
}

/// `left rel right + offset`
pub(super) fn related(
    left: &Bound,
    relation: Relation,
    right: &Bound,
    offset: Rational,
) -> Related {
    let condition = match (left, right) {
        (Bound::Known(left), Bound::Known(right)) => {
            let right = plus(right, offset);
            return Related::Holds(relation.holds(right.and_then(|right| left.compare(&right))));
        }
        (Bound::Open(on), Bound::Known(right)) => {
            plus(right, offset).map(|value| (*on, Requirement::Constant(relation, value)))
        }
        (Bound::Open(on), Bound::Open(other)) => {
            Some((*on, Requirement::Variable(relation, *other, offset)))
        }
        (Bound::Known(left), Bound::Open(on)) => {
            let negative = Rational::from(0).checked_sub(offset);
            let shifted = negative.and_then(|negative| plus(left, negative));
            shifted.map(|value| (*on, Requirement::Constant(flipped(relation), value)))
        }
    };
    match condition {
        Some((on, test)) => Related::If(Condition { on, test }),
        // No value plus a number is a text.
        None => Related::Holds(relation == Relation::NotEqual),
    }
}

/// The relation seen from the other side.
pub(super) fn flipped(relation: Relation) -> Relation {
    match relation {
        Relation::Equal | Relation::NotEqual => relation,
        Relation::Less => Relation::Greater,
        Relation::LessEqual => Relation::GreaterEqual,
        Relation::Greater => Relation::Less,
        Relation::GreaterEqual => Relation::LessEqual,
    }
}

/// What becomes of a condition when a variable gets its value.
pub(super) enum Told {
    Holds,
    Fails,
    Left(Condition),
}

pub(super) fn told(condition: &Condition, open: Open, value: &Value) -> Told {
    let truth = |holds: bool| if holds { Told::Holds } else { Told::Fails };
    let zero = Rational::from(0);
    match &condition.test {
        Requirement::Variable(relation, other, offset) if condition.on == open => {
            if *other == open {
                let other = plus(value, *offset);
                return truth(relation.holds(other.and_then(|other| value.compare(&other))));
            }
            let shifted = zero.checked_sub(*offset).and_then(|negative| plus(value, negative));
            match shifted {
                Some(shifted) => {
                    let test = Requirement::Constant(flipped(*relation), shifted);
                    Told::Left(Condition { on: *other, test })
                }
                None => truth(*relation == Relation::NotEqual),
            }
        }
        Requirement::Variable(relation, other, offset) if *other == open => {
            match plus(value, *offset) {
                Some(value) => {
                    let test = Requirement::Constant(*relation, value);
                    Told::Left(Condition { on: condition.on, test })
                }
                None => truth(*relation == Relation::NotEqual),
            }
        }
        Requirement::Constant(relation, constant) if condition.on == open => {
            truth(relation.holds(value.compare(constant)))
        }
        Requirement::In(values) if condition.on == open => truth(values.contains(value)),
        Requirement::Matches(pattern) if condition.on == open => {
            truth(matches!(value, Value::Text(text) if otus_core::valued::matches(pattern, text)))
        }
        Requirement::Constant(..)
        | Requirement::Variable(..)
        | Requirement::In(_)
        | Requirement::Matches(_) => Told::Left(condition.clone()),
    }
}
