//! A small reference solver: DPLL (Davis, Logemann and Loveland, CACM 1962).
//!
//! It assigns the variables of unit clauses, and otherwise tries both values of a variable of the shortest open clause.
//! Each step scans all clauses, which is fast enough for hundreds of them.

use otus_syntax::dimacs::{Formula, variable};

/// A satisfying assignment of a formula, by variable, if there is one.
///
/// # Panics
/// If a clause has a variable beyond `formula.variables`.
pub fn solve(formula: &Formula) -> Option<Vec<bool>> {
    let mut values: Vec<Option<bool>> = vec![None; formula.variables];
    // The assigned variables in order, with `true` for a decision whose other value is not tried yet.
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

/// The shortest open clause under a partial assignment.
enum Shortest {
    /// Every clause is true.
    None,
    /// A clause is false.
    False,
    /// A clause without a true literal and with the fewest open literals; `literal` is the first open one.
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
