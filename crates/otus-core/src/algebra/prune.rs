//! Pruning: the traces of a term without any action on given lifelines.
//!
//! Mahe et al., "Tooling offline runtime verification against interaction models", Def. 4 and
//! Th. 1: `prune(i, L′)` accepts exactly the traces of i that have no action on L′; it is ⊥
//! (here `None`) if there is no such trace. An event of several lifelines is excluded if any of them is
//! in L′. The result is simplified.

use crate::algebra::fold::fold;
use crate::algebra::{Memo, simplify};
use crate::index::{RegionId, TermId};
use crate::pool::Pool;
use crate::term::Term;

/// ```text
/// ∅ ↦ ∅        e ↦ e if Θ(e) ∩ L′ = ∅ else ⊥
/// alt(i,j) ↦ alt of the pruned operands that are not ⊥, or ⊥ if both are ⊥
/// f(i,j) ↦ f(i′,j′), ⊥ if either is ⊥              f ∈ {strict, coreg_r}
/// loop(i) ↦ loop(i′), or ∅ if i ↦ ⊥
/// ```
pub fn prune(
    pool: &mut Pool,
    memo: &mut Memo,
    term: TermId,
    lifelines: RegionId,
) -> Option<TermId> {
    if lifelines == Pool::NONE {
        return Some(term);
    }
    let avoided = pool.region(lifelines);
    let done = memo.prune.entry(lifelines).or_default();
    let untouched =
        |pool: &Pool, term| pool.lifelines(term).is_disjoint(&avoided).then_some(Some(term));
    fold(pool, term, done, untouched, |pool, term, operands: &[Option<TermId>]| {
        match (pool.node(term), operands) {
            // A leaf that is not `untouched` has an action on L′.
            (Term::Empty | Term::Event(_), _) => None,
            (Term::Alt(..), &[None, other] | &[other, None]) => other,
            (Term::LoopS(_) | Term::LoopC(..), &[None]) => Some(Pool::EMPTY),
            (_, operands) => {
                let pruned: Option<Vec<TermId>> = operands.iter().copied().collect();
                pruned.map(|operands| simplify::rebuild(pool, term, &operands))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{interaction, region};

    #[track_caller]
    fn check(text: &str, lifelines: &str, expected: &str) {
        let (mut pool, term) = interaction(text);
        let region = region(&mut pool, lifelines);
        let pruned = prune(&mut pool, &mut Memo::default(), term, region);
        assert_eq!(pruned.map_or("⊥".to_owned(), |term| pool.text(term)), expected);
    }

    #[test]
    fn the_rules_of_the_definition() {
        check("o", "a", "∅");
        check("a!m", "b", "a!m");
        check("a!m", "a", "⊥");
        check("alt(a!m, b!m)", "a", "b!m");
        check("alt(a!m, b!m)", "ab", "⊥");
        check("alt(a!m, b!m)", "c", "alt(a!m, b!m)");
        check("strict(b!m, alt(a!m, o))", "a", "b!m");
        check("par(b!m, a!m)", "a", "⊥");
        check("loopS(a!m)", "a", "∅");
        check("loopW(alt(a!m, b!m))", "a", "loopW(b!m)");
        check("a -- <synch> m -> b", "b", "⊥");
        check("loopC(c)(seq(a!m, loopP(b!m)))", "b", "loopC(c)(a!m)");
    }

    #[test]
    fn figure_3() {
        // Executing l3!m4 first in the example of the paper prunes what precedes it of l3.
        check(
            "coreg(b)(alt(a -- m1 -> (b,c), o), loopW(alt(a -- m2 -> b, b -- m3 -> c)))",
            "c",
            "loopW(strict(a!m2, b?m2))",
        );
    }
}
