//! Linear sums of readings.
//!
//! Sums are exact or refused: a comparison of sums becomes an atom only if no sum of
//! values that the readings can take exceeds 64 bits.

use otus_syntax::ast::formula::{Arithmetic, Comparison, FormulaId as NodeId};
use otus_syntax::{Code, Rational};
use otus_trace::order::{PartialOrder, Value};

use super::{Lowering, Meaning, mirror, truth};
use crate::atom::{Atom, Reading};
use crate::lcm;

/// `Σ cᵢ·rᵢ + c`. The readings are sorted and distinct, and no cᵢ is 0.
#[derive(Debug, Clone)]
pub(super) struct Sum {
    terms: Vec<(Reading, Rational)>,
    constant: Rational,
}

impl Sum {
    pub(super) fn constant(constant: Rational) -> Self {
        Sum { terms: Vec::new(), constant }
    }

    pub(super) fn reading(reading: Reading) -> Self {
        Sum { terms: vec![(reading, Rational::from(1))], constant: Rational::from(0) }
    }

    /// The value of the sum, if it has no readings.
    pub(super) fn value(&self) -> Option<Rational> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The reading, if it is the whole sum.
    pub(super) fn single(&self) -> Option<Reading> {
        match *self.terms {
            [(reading, factor)]
                if factor == Rational::from(1) && self.constant == Rational::from(0) =>
            {
                Some(reading)
            }
            _ => None,
        }
    }

    fn scaled(&self, factor: Rational) -> Option<Sum> {
        if factor == Rational::from(0) {
            return Some(Sum::constant(factor));
        }
        let terms =
            self.terms.iter().map(|&(reading, own)| Some((reading, own.checked_mul(factor)?)));
        Some(Sum {
            terms: terms.collect::<Option<_>>()?,
            constant: self.constant.checked_mul(factor)?,
        })
    }

    fn plus(&self, other: &Sum) -> Option<Sum> {
        let mut terms = self.terms.clone();
        for &(reading, factor) in &other.terms {
            match terms.binary_search_by_key(&reading, |&(own, _)| own) {
                Ok(at) => terms[at].1 = terms[at].1.checked_add(factor)?,
                Err(at) => terms.insert(at, (reading, factor)),
            }
        }
        terms.retain(|&(_, factor)| factor != Rational::from(0));
        Some(Sum { terms, constant: self.constant.checked_add(other.constant)? })
    }

    /// Whether all sums of values fit into 64 bits, in any order of adding.
    fn fits(&self, trace: &PartialOrder) -> bool {
        let mut most: i128 = 0;
        let mut below: i128 = 1;
        let mut add = |factor: Rational, numbers: &[Rational]| -> Option<()> {
            let mut largest = 0;
            for number in numbers {
                let product = factor.checked_mul(*number)?;
                let denominator = i128::from(product.denominator());
                below = lcm(below, denominator)?;
                largest = largest.max(i128::from(product.numerator()).abs() / denominator + 1);
            }
            most += largest;
            Some(())
        };
        let mut all = add(Rational::from(1), &[self.constant]);
        for &(reading, factor) in &self.terms {
            all = all.and_then(|()| add(factor, &numbers(trace, reading)));
        }
        all.is_some() && most.checked_mul(below).is_some_and(|most| i64::try_from(most).is_ok())
    }
}

/// The numbers that a reading can have as its value.
fn numbers(trace: &PartialOrder, reading: Reading) -> Vec<Rational> {
    let Reading::Variable(variable) = reading else {
        return vec![Rational::from(i64::try_from(trace.event_count()).unwrap_or(i64::MAX))];
    };
    let mut ids: Vec<_> = trace.assigned(variable).chain([trace.initial(variable)]).collect();
    ids.sort_unstable();
    ids.dedup();
    let number = |value| match trace.value(value) {
        Value::Number(number) => Some(number),
        Value::Boolean(_) | Value::Text(_) => None,
    };
    ids.into_iter().filter_map(number).collect()
}

impl Lowering<'_> {
    pub(super) fn scaled(&mut self, inner: NodeId, factor: Rational) -> Meaning {
        match self.sum(inner) {
            Some(sum) => self.exact(inner, sum.scaled(factor)),
            None => Meaning::Nothing,
        }
    }

    pub(super) fn arithmetic(
        &mut self,
        id: NodeId,
        operator: Arithmetic,
        left: NodeId,
        right: NodeId,
    ) -> Meaning {
        let (Some(a), Some(b)) = (self.sum(left), self.sum(right)) else {
            return Meaning::Nothing;
        };
        let result = match operator {
            Arithmetic::Add => a.plus(&b),
            Arithmetic::Subtract => b.scaled(Rational::from(-1)).and_then(|b| a.plus(&b)),
            Arithmetic::Multiply => match (a.value(), b.value()) {
                (Some(factor), _) => b.scaled(factor),
                (_, Some(factor)) => a.scaled(factor),
                (None, None) => {
                    let message = "variables are multiplied";
                    let help = "variables can be added and multiplied by numbers: 2 * x + y";
                    self.complain(Code::NOT_LINEAR, self.span(id), message, help);
                    return Meaning::Nothing;
                }
            },
        };
        self.exact(id, result)
    }

    pub(super) fn compare_sums(
        &mut self,
        id: NodeId,
        comparison: Comparison,
        left: &Sum,
        right: &Sum,
    ) -> Meaning {
        let difference = right
            .scaled(Rational::from(-1))
            .and_then(|right| left.plus(&right))
            .filter(|sum| sum.terms.len() < 2 || sum.fits(self.trace));
        let Meaning::Sum(sum) = self.exact(id, difference) else { return Meaning::Nothing };
        let bound = Rational::from(0).checked_sub(sum.constant);
        let Some(bound) = bound else { return self.exact(id, None) };
        let formula = match &*sum.terms {
            [] => truth(comparison.holds(Rational::from(0).cmp(&bound))),
            &[(reading, factor)] => {
                let (up, down) = (i128::from(factor.numerator()), i128::from(factor.denominator()));
                let quotient = Rational::new(
                    i128::from(bound.numerator()) * down,
                    i128::from(bound.denominator()) * up,
                );
                let Some(value) = quotient else { return self.exact(id, None) };
                let comparison = if up < 0 { mirror(comparison) } else { comparison };
                self.formulas.atom(Atom::Compare(reading, comparison, Value::Number(value)))
            }
            terms => self.formulas.atom(Atom::Linear(terms.into(), comparison, bound)),
        };
        Meaning::Formula(formula)
    }

    /// `s + t in {1, 2}`
    pub(super) fn sum_member(&mut self, id: NodeId, sum: &Sum, values: &[Value]) -> Meaning {
        let mut any = Vec::new();
        for value in values {
            let Value::Number(number) = value else { continue };
            let equal = self.compare_sums(id, Comparison::Equal, sum, &Sum::constant(*number));
            let Meaning::Formula(equal) = equal else { return Meaning::Nothing };
            any.push(equal);
        }
        Meaning::Formula(self.formulas.or(any))
    }

    /// A node as a sum; otherwise an error is reported.
    fn sum(&mut self, id: NodeId) -> Option<Sum> {
        match self.meaning(id).clone() {
            Meaning::Sum(sum) => Some(sum),
            Meaning::Nothing => None,
            Meaning::Text(word, true) => {
                self.unknown_variable(&word, self.span(id));
                None
            }
            Meaning::Formula(_) | Meaning::Truth(_) | Meaning::Reading(..) | Meaning::Text(..) => {
                let help = "only numbers can be added and multiplied";
                self.complain(Code::WRONG_KIND, self.span(id), "this is not a number", help);
                None
            }
        }
    }

    fn exact(&mut self, id: NodeId, sum: Option<Sum>) -> Meaning {
        match sum {
            Some(sum) => Meaning::Sum(sum),
            None => {
                let message = "these numbers are too large to be added exactly";
                let help = "numbers are fractions of 64-bit integers";
                self.complain(Code::SUM_TOO_LARGE, self.span(id), message, help);
                Meaning::Nothing
            }
        }
    }
}
