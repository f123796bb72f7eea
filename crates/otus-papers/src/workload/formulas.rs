//! Random formulas, as in Appendix B of 000.

use std::ops::RangeInclusive;

use crate::sat::{Formula, random, solve};

/// Random formulas. The number of variables comes from a range, the number of clauses per variable from another.
pub fn custom(
    count: usize,
    variables: &RangeInclusive<usize>,
    density: &RangeInclusive<usize>,
    seed: u64,
) -> Vec<Formula> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut formula = || {
        let variables = rng.usize(variables.clone());
        let clauses = rng.usize(variables * density.start()..=variables * density.end());
        random(variables, clauses, rng.u64(..))
    };
    (0..count).map(|_| formula()).collect()
}

/// Random formulas like those of the collection uf20: 20 variables, 91 clauses, satisfiable.
pub fn uniform(count: usize, seed: u64) -> Vec<Formula> {
    let mut rng = fastrand::Rng::with_seed(seed);
    std::iter::repeat_with(|| random(20, 91, rng.u64(..)))
        .filter(|formula| solve(formula).is_some())
        .take(count)
        .collect()
}
