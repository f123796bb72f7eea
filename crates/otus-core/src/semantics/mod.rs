//! The small-step semantics: the events a term can execute, their positions, and the follow-up terms.
//!
//! Mahe et al., "Tooling offline runtime verification against interaction models", section 3. Each
//! file implements one judgement and shows its inference rules.

mod execute;
pub mod frontier;
pub mod position;

pub use execute::execute;
pub use frontier::{Frontiers, Step};
pub use position::{PositionId, Positions};

use crate::index::TermId;
use crate::pool::Pool;

/// Whether the term accepts the empty trace.
///
/// ```text
/// terminates(i) iff prune(i, L) ≠ ⊥
/// ```
///
/// The paper's rule for `strict` requires that the left operand "prunes to ∅". But `loopS(alt(a,∅))`
/// prunes to `loopS(∅)`, which accepts the empty trace although it is not the symbol ∅; the right
/// condition is that it does not prune to ⊥. Termination is an attribute of a term (see
/// [`Attributes`](crate::Attributes)), computed by the same rules.
pub fn terminates(pool: &Pool, term: TermId) -> bool {
    pool.attributes(term).terminates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{Memo, prune};
    use crate::sample::interaction;

    #[test]
    fn pruning_all_lifelines_says_the_same() {
        for text in [
            "o",
            "a!m",
            "alt(a!m, o)",
            "strict(loopS(alt(a!m, o)), o)",
            "seq(a!m, o)",
            "par(loopW(a!m), alt(o, b!m))",
            "coreg(a)(alt(a!m, b!m), o)",
            "loopC(a)(a!m)",
        ] {
            let (mut pool, term) = interaction(text);
            let pruned = prune(&mut pool, &mut Memo::default(), term, Pool::ALL);
            assert_eq!(pruned.is_some(), terminates(&pool, term), "{text}");
        }
    }
}
