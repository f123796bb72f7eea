//! Differences: whether some numbers have given distances.
//!
//! Conditions x − y ≤ c and x − y < c have a solution iff no cycle of them adds up to less than 0, or to 0 with one `<` among
//! them (Bellman 1958; Dill 1989). A condition "x − y < a or x − y > b" is tried both ways, and so is "x is one of …".
//!
//! Numbers are rational.

use otus_core::value::Value;
use otus_syntax::Rational;

/// A condition on numbered unknowns. Unknown 0 is the number 0.
#[derive(Debug, Clone)]
pub(super) enum Condition {
    /// x − y ≤ c, or < if it is strict.
    AtMost { x: usize, y: usize, c: Rational, is_strict: bool },
    /// x − y < low, or x − y > high.
    Outside { x: usize, y: usize, low: Rational, high: Rational },
    /// x is one of these.
    OneOf { x: usize, values: Vec<Rational> },
}

/// The number that is 0.
pub(super) const ZERO: usize = 0;

/// x = y + c
pub(super) fn equal(x: usize, y: usize, c: Rational) -> [Condition; 2] {
    [at_most(x, y, c, false), at_most(y, x, minus(c), false)]
}

/// x − y ≤ c, or < if it is strict.
pub(super) fn at_most(x: usize, y: usize, c: Rational, is_strict: bool) -> Condition {
    Condition::AtMost { x, y, c, is_strict }
}

/// −c. The smallest number of 64 bits, which has no negative, does not occur in small cases.
pub(super) fn minus(c: Rational) -> Rational {
    Rational::from(0).checked_sub(c).unwrap_or(c)
}

/// Whether some numbers satisfy all conditions; `None` if the work is more than what is left.
pub(super) fn is_satisfiable(
    count: usize,
    conditions: &[Condition],
    left: &mut usize,
) -> Option<bool> {
    *left = left.checked_sub(1)?;
    let is_choice = |condition: &Condition| !matches!(condition, Condition::AtMost { .. });
    let Some(at) = conditions.iter().position(is_choice) else {
        return Some(has_no_bad_cycle(count, conditions));
    };
    let mut others = conditions.to_vec();
    let alternatives: Vec<Vec<Condition>> = match others.swap_remove(at) {
        Condition::AtMost { .. } => Vec::new(),
        Condition::Outside { x, y, low, high } => {
            vec![vec![at_most(x, y, low, true)], vec![at_most(y, x, minus(high), true)]]
        }
        Condition::OneOf { x, values } => {
            values.into_iter().map(|value| equal(x, ZERO, value).to_vec()).collect()
        }
    };
    for alternative in alternatives {
        let tried = [others.clone(), alternative].concat();
        if is_satisfiable(count, &tried, left)? {
            return Some(true);
        }
    }
    Some(false)
}

/// A bound: at most this number, or less than it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Bound {
    number: i128,
    /// −1 for `<`, 0 for `≤`, so that smaller bounds are the stronger ones.
    strict: i8,
}

fn has_no_bad_cycle(count: usize, conditions: &[Condition]) -> bool {
    let scale: i128 = conditions
        .iter()
        .map(|condition| match condition {
            Condition::AtMost { c, .. } => i128::from(c.denominator()),
            Condition::Outside { .. } | Condition::OneOf { .. } => 1,
        })
        .fold(1, lcm);
    let mut bounds: Vec<Vec<Option<Bound>>> = vec![vec![None; count]; count];
    for condition in conditions {
        let Condition::AtMost { x, y, c, is_strict } = condition else { continue };
        let number = i128::from(c.numerator()) * (scale / i128::from(c.denominator()));
        let bound = Bound { number, strict: -i8::from(*is_strict) };
        let known = &mut bounds[*x][*y];
        *known = Some(known.map_or(bound, |known| known.min(bound)));
    }
    for via in 0..count {
        for x in 0..count {
            for y in 0..count {
                let (Some(first), Some(second)) = (bounds[x][via], bounds[via][y]) else {
                    continue;
                };
                let sum = Bound {
                    number: first.number + second.number,
                    strict: first.strict.min(second.strict),
                };
                let known = &mut bounds[x][y];
                *known = Some(known.map_or(sum, |known| known.min(sum)));
            }
        }
        // A bad cycle would make the numbers grow.
        if (0..count).any(|x| bounds[x][x].is_some_and(|b| b < Bound { number: 0, strict: 0 })) {
            return false;
        }
    }
    true
}

fn lcm(a: i128, b: i128) -> i128 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

/// The number that a value is.
pub(super) fn number(value: &Value) -> Option<Rational> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Boolean(_) | Value::Text(_) => None,
    }
}
