//! Conditions without the variables that nothing mentions any more.
//!
//! ```text
//! ∃x. l ≤ x ∧ x ≤ u   =   l ≤ u          for all lower bounds l and upper bounds u of x
//! ```
//!
//! This is Fourier and Motzkin's elimination, which is exact for rational numbers. It is applied to variables that are numbers
//! for certain and have bounds only: no disequalities, sets or patterns. Without it, the times of unobserved events of a long
//! log form a chain of conditions that grows with every event.

use otus_core::Value;
use otus_syntax::Rational;
use otus_syntax::ast::guard::Relation;
use smallvec::SmallVec;

use super::bound::flipped;
use super::condition::{Condition, Open, Requirement};

/// What a number is compared with: a variable plus a number, or a number alone.
type Side = (Option<Open>, Rational);

/// The bounds of a variable, and whether they are strict.
#[derive(Debug, Default)]
struct Bounds {
    lower: SmallVec<[(Side, bool); 4]>,
    upper: SmallVec<[(Side, bool); 4]>,
}

/// Leaves out variables that are not `live`. Those in `times` are known to be numbers. The conditions must be satisfiable.
pub(super) fn project(conditions: &mut Vec<Condition>, live: &[Open], times: &[Open]) {
    if conditions.is_empty() {
        return;
    }
    let known = numbers(conditions, times);
    for &open in known.iter().filter(|open| !live.contains(open)) {
        let Some(joined) = bounds(conditions, open).and_then(|bounds| joined(&bounds)) else {
            continue;
        };
        let is_about = |condition: &Condition| condition.variables().any(|own| own == open);
        let mut fewer: Vec<Condition> =
            conditions.iter().filter(|it| !is_about(it)).cloned().collect();
        for condition in joined {
            add(&mut fewer, condition);
        }
        // A variable that is compared with a number is one, which must not be forgotten.
        let left = numbers(&fewer, times);
        let about = conditions.iter().filter(|it| is_about(it));
        if about.flat_map(Condition::variables).all(|own| own == open || left.contains(&own)) {
            *conditions = fewer;
        }
    }
}

/// The variables that are numbers for certain, in the order in which that is found.
fn numbers(conditions: &[Condition], times: &[Open]) -> Vec<Open> {
    let zero = Rational::from(0);
    let mut found: Vec<Open> = times.to_vec();
    let add = |found: &mut Vec<Open>, open: Open| {
        if !found.contains(&open) {
            found.push(open);
        }
    };
    for condition in conditions {
        match &condition.test {
            Requirement::Constant(relation, Value::Number(_))
                if *relation != Relation::NotEqual =>
            {
                add(&mut found, condition.on);
            }
            Requirement::Variable(relation, other, offset)
                if *relation != Relation::NotEqual && *offset != zero =>
            {
                add(&mut found, condition.on);
                add(&mut found, *other);
            }
            Requirement::Constant(..)
            | Requirement::Variable(..)
            | Requirement::In(_)
            | Requirement::Matches(_) => {}
        }
    }
    loop {
        let before = found.len();
        for condition in conditions {
            if let Requirement::Variable(relation, other, _) = condition.test
                && relation != Relation::NotEqual
                && (found.contains(&condition.on) || found.contains(&other))
            {
                add(&mut found, condition.on);
                add(&mut found, other);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// The bounds of a variable; `None` if some condition on it is no bound.
fn bounds(conditions: &[Condition], open: Open) -> Option<Bounds> {
    let mut bounds = Bounds::default();
    for condition in conditions.iter().filter(|it| it.variables().any(|own| own == open)) {
        let (relation, side) = match &condition.test {
            Requirement::Constant(relation, Value::Number(number)) => (*relation, (None, *number)),
            Requirement::Variable(relation, other, offset) if condition.on == open => {
                if *other == open {
                    return None;
                }
                (*relation, (Some(*other), *offset))
            }
            // y rel x + d is x rel⁻¹ y − d.
            Requirement::Variable(relation, _, offset) => {
                let minus = Rational::from(0).checked_sub(*offset)?;
                (flipped(*relation), (Some(condition.on), minus))
            }
            Requirement::Constant(..) | Requirement::In(_) | Requirement::Matches(_) => {
                return None;
            }
        };
        match relation {
            Relation::Equal => {
                bounds.lower.push((side, false));
                bounds.upper.push((side, false));
            }
            Relation::NotEqual => return None,
            Relation::Less => bounds.upper.push((side, true)),
            Relation::LessEqual => bounds.upper.push((side, false)),
            Relation::Greater => bounds.lower.push((side, true)),
            Relation::GreaterEqual => bounds.lower.push((side, false)),
        }
    }
    Some(bounds)
}

/// What the bounds of a variable say about the others; `None` if a number does not fit.
fn joined(bounds: &Bounds) -> Option<Vec<Condition>> {
    let mut found = Vec::new();
    for &((below, low), is_strict) in &bounds.lower {
        for &((above, high), is_strict_too) in &bounds.upper {
            let is_strict = is_strict || is_strict_too;
            let (on, relation, test) = match (below, above) {
                // low + below ≤ high + above
                (Some(on), above) => {
                    let relation = if is_strict { Relation::Less } else { Relation::LessEqual };
                    (on, relation, (above, high.checked_sub(low)?))
                }
                (None, Some(on)) => {
                    let relation =
                        if is_strict { Relation::Greater } else { Relation::GreaterEqual };
                    (on, relation, (None, low.checked_sub(high)?))
                }
                // The conditions are satisfiable.
                (None, None) => continue,
            };
            let test = match test {
                (Some(other), _) if other == on => continue,
                (Some(other), offset) => Requirement::Variable(relation, other, offset),
                (None, number) => Requirement::Constant(relation, Value::Number(number)),
            };
            found.push(Condition { on, test });
        }
    }
    Some(found)
}

/// Adds a condition, unless a tighter one of the same form is there; looser ones of the same form go.
fn add(conditions: &mut Vec<Condition>, new: Condition) {
    let implies = |one: &Condition, other: &Condition| -> bool {
        let (above, first, second) = match (&one.test, &other.test) {
            (
                Requirement::Constant(a, Value::Number(first)),
                Requirement::Constant(b, Value::Number(second)),
            ) if a == b => (a, first, second),
            (Requirement::Variable(a, x, first), Requirement::Variable(b, y, second))
                if a == b && x == y =>
            {
                (a, first, second)
            }
            _ => return one == other,
        };
        one.on == other.on
            && match above {
                Relation::Less | Relation::LessEqual => first <= second,
                Relation::Greater | Relation::GreaterEqual => first >= second,
                Relation::Equal | Relation::NotEqual => first == second,
            }
    };
    if conditions.iter().any(|known| implies(known, &new)) {
        return;
    }
    conditions.retain(|known| !implies(&new, known));
    conditions.push(new);
}

#[cfg(test)]
mod tests {
    use super::super::condition::satisfiable;
    use super::*;

    fn random(random: &mut fastrand::Rng) -> Vec<Condition> {
        let relations = Relation::ALL;
        (0..random.usize(1..7))
            .map(|_| {
                let relation = relations[random.usize(..relations.len())];
                let number = Rational::from(random.i64(-2..3));
                let other = Open(random.u32(..4));
                let test = if random.bool() {
                    Requirement::Constant(relation, Value::Number(number))
                } else {
                    Requirement::Variable(relation, other, number)
                };
                Condition { on: Open(random.u32(..4)), test }
            })
            .collect()
    }

    /// `y = x + 1` says that x is a number, also when nothing mentions y any more.
    #[test]
    fn numbers_stay_numbers() {
        let test = Requirement::Variable(Relation::Equal, Open(0), Rational::from(1));
        let mut conditions = vec![Condition { on: Open(1), test }];
        project(&mut conditions, &[Open(0)], &[]);
        let test = Requirement::Constant(Relation::Equal, Value::text("p"));
        conditions.push(Condition { on: Open(0), test });
        assert_eq!(satisfiable(&conditions), Some(false));
    }

    /// Whatever the variables that are left must also satisfy, the answer is the same with and without the others.
    #[test]
    fn projections_allow_the_same_values() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut gone = 0;
        for _ in 0..600 {
            let conditions = random(&mut rng);
            if satisfiable(&conditions) != Some(true) {
                continue;
            }
            let live = [Open(0), Open(1)];
            let mut fewer = conditions.clone();
            project(&mut fewer, &live, &live);
            gone += usize::from(fewer.len() < conditions.len());
            for first in -3..4 {
                for second in -3..4 {
                    let fixed = [(Open(0), first), (Open(1), second)].map(|(on, value)| {
                        let test = Requirement::Constant(Relation::Equal, Value::integer(value));
                        Condition { on, test }
                    });
                    let with = |all: &[Condition]| satisfiable(&[all, &fixed].concat());
                    assert_eq!(with(&conditions), with(&fewer), "{conditions:?} {fewer:?}");
                }
            }
        }
        assert!(gone > 60, "{gone}");
    }
}
