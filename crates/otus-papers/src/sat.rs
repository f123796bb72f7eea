//! Satisfiability problems as questions about multi-traces, and a small solver for reference.
//!
//! Whether a multi-trace is a multi-prefix of an interaction is NP-hard: Mahe et al., "Dealing with
//! observability…" (000), section 4.3, reduces a formula in conjunctive normal form to such a question
//! ([`otus_trace::reduction`]). That gives hard problems with known answers, of any size: formulas come from files
//! ([`Problem::from_json_lines`]) or are random ([`random`]), and the answers come from [`solve`], which is independent
//! of interactions.

mod solve;

use serde::Deserialize;

pub use otus_syntax::dimacs::Formula;
pub use otus_trace::reduction::{Reduction, reduce};
pub use solve::solve;

/// A formula with its name in a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The name of the formula.
    pub name: String,
    /// The formula.
    pub formula: Formula,
}

/// A line of a collection.
#[derive(Deserialize)]
struct Line {
    name: String,
    vars: usize,
    clauses: Vec<Vec<i32>>,
}

impl Problem {
    /// Reads JSON lines.
    ///
    /// ```
    /// use otus_papers::sat::Problem;
    ///
    /// let line = r#"{"name": "tiny", "vars": 2, "clauses": [[1, -2], [2]]}"#;
    /// let problems = Problem::from_json_lines(line).unwrap();
    /// assert_eq!(problems[0].formula.clauses, [vec![1, -2], vec![2]]);
    /// assert!(Problem::from_json_lines(r#"{"name": "tiny"}"#).is_err());
    /// ```
    ///
    /// # Errors
    /// If a line does not describe a problem.
    pub fn from_json_lines(text: &str) -> serde_json::Result<Vec<Problem>> {
        let lines = serde_json::Deserializer::from_str(text).into_iter::<Line>();
        let problem = |Line { name, vars, clauses }| {
            let formula = Formula { variables: vars, clauses };
            Problem { name, formula }
        };
        lines.map(|line| line.map(problem)).collect()
    }
}

/// A random formula whose clauses have three literals of different variables, or fewer if there are fewer
/// variables. The seed determines it.
pub fn random(variables: usize, clauses: usize, seed: u64) -> Formula {
    let mut random = fastrand::Rng::with_seed(seed);
    let bound = i32::try_from(variables).unwrap_or(i32::MAX);
    let clause = |random: &mut fastrand::Rng| {
        let mut chosen = random.choose_multiple(1..=bound, 3.min(variables));
        for literal in &mut chosen {
            *literal = if random.bool() { *literal } else { -*literal };
        }
        chosen
    };
    Formula { variables, clauses: (0..clauses).map(|_| clause(&mut random)).collect() }
}

#[cfg(test)]
mod tests {
    use otus_syntax::dimacs::variable;

    use super::*;

    /// Whether an assignment, by variable, makes every clause true.
    fn is_satisfied(formula: &Formula, values: &[bool]) -> bool {
        let holds = |&literal: &i32| values[variable(literal)] == (literal > 0);
        formula.clauses.iter().all(|clause| clause.iter().any(holds))
    }

    /// By trying all assignments.
    fn is_satisfiable(formula: &Formula) -> bool {
        (0..1u32 << formula.variables).any(|number| {
            let values: Vec<bool> = (0..formula.variables).map(|i| number >> i & 1 == 1).collect();
            is_satisfied(formula, &values)
        })
    }

    #[test]
    fn random_formulas_have_three_different_variables_in_a_clause() {
        let formula = random(5, 40, 1);
        assert_eq!(formula, random(5, 40, 1));
        assert_ne!(formula, random(5, 40, 2));
        for clause in &formula.clauses {
            let mut variables: Vec<usize> = clause.iter().map(|&l| variable(l)).collect();
            variables.sort_unstable();
            variables.dedup();
            assert_eq!(variables.len(), 3, "{clause:?}");
            assert!(variables.iter().all(|&variable| variable < 5), "{clause:?}");
        }
        assert_eq!(random(2, 1, 0).clauses[0].len(), 2);
        assert_eq!(random(0, 1, 0).clauses, [Vec::<i32>::new()]);
    }

    #[test]
    fn the_solver_agrees_with_all_assignments() {
        let mut counts = [0, 0];
        for seed in 0..300 {
            let variables = 3 + usize::try_from(seed % 6).unwrap();
            let formula = random(variables, variables * 9 / 2, seed);
            let found = solve(&formula);
            assert_eq!(found.is_some(), is_satisfiable(&formula), "{formula:?}");
            assert!(found.as_ref().is_none_or(|values| is_satisfied(&formula, values)));
            counts[usize::from(found.is_some())] += 1;
        }
        assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
    }

    #[test]
    fn the_solver_knows_the_corner_cases() {
        let check = |variables, clauses: &[&[i32]], expected: bool| {
            let clauses = clauses.iter().map(|clause| clause.to_vec()).collect();
            let formula = Formula { variables, clauses };
            assert_eq!(solve(&formula).is_some(), expected, "{formula:?}");
        };
        check(0, &[], true);
        check(0, &[&[]], false);
        check(1, &[&[1, -1]], true);
        check(1, &[&[1, 1], &[-1]], false);
        check(3, &[&[1], &[-1, 2], &[-2, 3], &[-3, -1]], false);
    }
}
