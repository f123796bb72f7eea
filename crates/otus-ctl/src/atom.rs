//! Atomic predicates: tests on a single cut.
//!
//! A *reading* is a number, text or truth value that a cut determines: the value of a variable, the label of
//! the last event of a process, or the number of events (with some label) of a process. An atom is a test on
//! one or several readings. Paper 001 has only comparisons of a variable with a constant, `x • c`. The set
//! of cuts of a test on readings of several processes is a union of boxes, and is built as such
//! ([`encode`](crate::encode)).

use otus_syntax::Rational;
use otus_syntax::ast::formula::Comparison;
use otus_trace::order::{LabelId, ProcessId, Value, VariableId};

/// A value that a cut determines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reading {
    /// The value of a variable.
    Variable(VariableId),
    /// The label of the last event of a process: a text, empty if there is none.
    Last(ProcessId),
    /// The number of events of a process in the cut, or of those with a label.
    Count(ProcessId, Option<LabelId>),
}

/// A test on readings.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Atom {
    /// One reading has one of some values. The values are of one kind and sorted.
    Member(Reading, Box<[Value]>),
    /// One reading is compared with a value of its kind.
    Compare(Reading, Comparison, Value),
    /// Two readings of the same kind are compared.
    Pair(Reading, Comparison, Reading),
    /// `Σ cᵢ·rᵢ ⋈ c` for at least two readings, which are sorted and distinct. No cᵢ is 0.
    Linear(Box<[(Reading, Rational)]>, Comparison, Rational),
}

impl Atom {
    /// The readings of the atom, in order.
    pub fn readings(&self) -> Vec<Reading> {
        match self {
            Atom::Member(reading, _) | Atom::Compare(reading, ..) => vec![*reading],
            Atom::Pair(left, _, right) => vec![*left, *right],
            Atom::Linear(terms, ..) => terms.iter().map(|&(reading, _)| reading).collect(),
        }
    }

    /// The equality that the atom is the negation of, if it is an inequality.
    pub(crate) fn as_not_equal(&self) -> Option<Atom> {
        match self {
            Atom::Compare(reading, Comparison::Unequal, value) => {
                Some(Atom::Compare(*reading, Comparison::Equal, value.clone()))
            }
            Atom::Pair(left, Comparison::Unequal, right) => {
                Some(Atom::Pair(*left, Comparison::Equal, *right))
            }
            Atom::Linear(terms, Comparison::Unequal, constant) => {
                Some(Atom::Linear(terms.clone(), Comparison::Equal, *constant))
            }
            Atom::Member(..) | Atom::Compare(..) | Atom::Pair(..) | Atom::Linear(..) => None,
        }
    }

    /// Whether the atom holds for these values of its readings, in the order of
    /// [`readings`](Self::readings). Values of different kinds are unequal, and neither is less than
    /// the other. Sums cannot overflow, since that was checked when the formula was read.
    pub fn holds(&self, values: &[&Value]) -> bool {
        match self {
            Atom::Member(_, members) => members.iter().any(|member| member == values[0]),
            Atom::Compare(_, comparison, value) => compare(values[0], *comparison, value),
            Atom::Pair(_, comparison, _) => compare(values[0], *comparison, values[1]),
            Atom::Linear(terms, comparison, constant) => {
                let mut summands =
                    terms.iter().zip(values).map(|(&(_, factor), value)| scaled(value, factor));
                let sum = summands.try_fold(Rational::from(0), |sum, next| sum.checked_add(next?));
                sum.is_some_and(|sum| comparison.holds(sum.cmp(constant)))
            }
        }
    }
}

/// A value times a factor, if it is a number and the product fits.
pub(crate) fn scaled(value: &Value, factor: Rational) -> Option<Rational> {
    match value {
        Value::Number(number) => factor.checked_mul(*number),
        Value::Boolean(_) | Value::Text(_) => None,
    }
}

fn compare(left: &Value, comparison: Comparison, right: &Value) -> bool {
    match left.compare(right) {
        Some(order) => comparison.holds(order),
        None => comparison == Comparison::Unequal,
    }
}
