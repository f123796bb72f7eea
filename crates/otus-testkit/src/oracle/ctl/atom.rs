//! The value of an atomic predicate at a cut.

use std::cmp::Ordering;

use otus_core::index::Index as _;
use otus_ctl::atom::{Atom, Reading};
use otus_syntax::Rational;
use otus_syntax::ast::formula::Comparison;
use otus_trace::order::Value;

use super::Lattice;

impl Lattice<'_> {
    /// Whether an atomic predicate holds at a cut.
    pub fn holds(&self, cut: usize, atom: &Atom) -> bool {
        match atom {
            Atom::Member(reading, values) => values.contains(&self.reading(cut, *reading)),
            Atom::Compare(reading, comparison, value) => {
                related(order(&self.reading(cut, *reading), value), *comparison)
            }
            Atom::Pair(left, comparison, right) => {
                let (left, right) = (self.reading(cut, *left), self.reading(cut, *right));
                related(order(&left, &right), *comparison)
            }
            Atom::Linear(terms, comparison, constant) => {
                let mut sum = Rational::from(0);
                for &(reading, factor) in terms {
                    let Value::Number(number) = self.reading(cut, reading) else { return false };
                    let Some(more) = factor.checked_mul(number).and_then(|x| sum.checked_add(x))
                    else {
                        return false;
                    };
                    sum = more;
                }
                related(Some(sum.cmp(constant)), *comparison)
            }
        }
    }

    /// The value of a readable quantity at a cut.
    pub fn reading(&self, cut: usize, reading: Reading) -> Value {
        match reading {
            Reading::Variable(variable) => self.valuations[cut][variable.index()].clone(),
            Reading::Last(process) => {
                let last = self.past(cut, process).next_back();
                let label = last.and_then(|event| self.trace.label(event));
                Value::Text(label.unwrap_or("").into())
            }
            Reading::Count(process, label) => {
                let counted = self
                    .past(cut, process)
                    .filter(|&event| label.is_none() || self.trace.label_id(event) == label);
                Value::integer(i64::try_from(counted.count()).unwrap_or(i64::MAX))
            }
        }
    }
}

/// The order of two values; `None` if their kinds differ.
fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Boolean(a), Value::Boolean(b)) => Some(a.cmp(b)),
        (Value::Number(a), Value::Number(b)) => Some(a.cmp(b)),
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

/// The result of a comparison; values without an order are unequal.
fn related(order: Option<Ordering>, comparison: Comparison) -> bool {
    match comparison {
        Comparison::Equal => order == Some(Ordering::Equal),
        Comparison::Unequal => order != Some(Ordering::Equal),
        Comparison::Less => order == Some(Ordering::Less),
        Comparison::Greater => order == Some(Ordering::Greater),
        Comparison::AtMost => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Comparison::AtLeast => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}
