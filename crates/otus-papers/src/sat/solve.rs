//! A reference solver, as small as possible.
//!
//! Davis, Putnam, Logemann and Loveland, 1962: set what unit clauses force; otherwise try both
//! values of a variable of the shortest clause that is left. Each pass looks at every clause
//! anew, which is enough for hundreds of them.

use super::{Formula, variable};

/// Values that satisfy a formula, by variable, if there are any.
///
/// # Panics
/// If a clause has a variable that the formula has not.
pub fn solve(formula: &Formula) -> Option<Vec<bool>> {
    let mut values: Vec<Option<bool>> = vec![None; formula.variables];
    // What was set, in order; with `true` for a choice whose other value is still to be tried.
    let mut trail: Vec<(usize, bool)> = Vec::new();
    loop {
        match shortest(formula, &values) {
            Shortest::None => {
                return Some(values.into_iter().map(|value| value.unwrap_or(false)).collect());
            }
            Shortest::Clause { literal, open } => {
                values[variable(literal)] = Some(literal > 0);
                trail.push((variable(literal), open > 1));
            }
            Shortest::False => loop {
                let (variable, is_choice) = trail.pop()?;
                if is_choice {
                    values[variable] = values[variable].map(|value| !value);
                    trail.push((variable, false));
                    break;
                }
                values[variable] = None;
            },
        }
    }
}

/// The state of the clauses under some values.
enum Shortest {
    /// All are true.
    None,
    /// One is false.
    False,
    /// One has the fewest literals without a value, and no true one.
    Clause { literal: i32, open: usize },
}

fn shortest(formula: &Formula, values: &[Option<bool>]) -> Shortest {
    let mut best: Option<(usize, i32)> = None;
    for clause in &formula.clauses {
        let value = |literal: i32| values[variable(literal)].map(|value| value == (literal > 0));
        if clause.iter().any(|&literal| value(literal) == Some(true)) {
            continue;
        }
        let mut open = clause.iter().copied().filter(|&literal| value(literal).is_none());
        let Some(first) = open.next() else { return Shortest::False };
        let count = 1 + open.count();
        if best.is_none_or(|(least, _)| count < least) {
            best = Some((count, first));
        }
    }
    best.map_or(Shortest::None, |(open, literal)| Shortest::Clause { literal, open })
}
