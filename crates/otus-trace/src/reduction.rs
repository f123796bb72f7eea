//! Boolean formulas as questions about multi-traces, and back.
//!
//! Whether a multi-trace is a multi-prefix of an interaction is NP-hard. Mahe et al., "Dealing with observability in
//! interaction-based offline runtime verification" (000), section 4.3, reduces a formula in conjunctive normal form to such
//! a question:
//!
//! ```text
//! one lifeline l_j for each clause C_j, one message m
//! i   = seq(alt(i_x₁, i_¬x₁), seq(alt(i_x₂, i_¬x₂), …)),  i_ℓ = the seq of all l_j?m with ℓ in C_j
//! µ|l_j = l_j?m
//! ```
//!
//! An execution of i chooses a value for every variable, and the lifeline of a clause receives m once for each of its
//! literals that holds. So the formula is satisfiable iff µ is a multi-prefix of i.

mod restore;

use otus_core::{Action, LifelineId, MessageId, Pool, Signature, TermId};
use otus_syntax::SourceId;
use otus_syntax::dimacs::{Formula, variable};

use crate::multitrace::{Builder, MultiTrace, Partition};

pub use restore::{Reduced, restore};

/// A multi-prefix question that is equivalent to the satisfiability of a formula.
#[derive(Debug)]
pub struct Reduction {
    /// The pool of the term and the multi-trace.
    pub pool: Pool,
    /// The interaction.
    pub term: TermId,
    /// The multi-trace that is a multi-prefix iff the formula is satisfiable.
    pub trace: MultiTrace,
}

/// Reduces the satisfiability of a formula to a multi-prefix question.
///
/// ```
/// use otus_syntax::dimacs::Formula;
/// use otus_trace::reduction::reduce;
///
/// let formula = Formula { variables: 2, clauses: vec![vec![1, -2], vec![2]] };
/// let reduction = reduce(&formula);
/// assert_eq!(reduction.pool.text(reduction.term), "seq(alt(l1?m, ∅), alt(l2?m, l1?m))");
/// ```
///
/// # Panics
/// If a clause has a variable beyond `formula.variables`.
pub fn reduce(formula: &Formula) -> Reduction {
    let mut signature = Signature::default();
    let message = signature.add_message("m");
    let lifelines: Vec<LifelineId> =
        (1..=formula.clauses.len()).map(|j| signature.add_lifeline(&format!("l{j}"))).collect();
    let mut pool = Pool::new(signature);

    // The lifelines of the clauses with a literal, at index 2x for x and 2x + 1 for its negation.
    let mut clauses_of: Vec<Vec<LifelineId>> = vec![Vec::new(); 2 * formula.variables];
    for (clause, &lifeline) in formula.clauses.iter().zip(&lifelines) {
        for &literal in clause {
            let index = 2 * variable(literal) + usize::from(literal < 0);
            if clauses_of[index].last() != Some(&lifeline) {
                clauses_of[index].push(lifeline);
            }
        }
    }
    let alternatives: Vec<TermId> = clauses_of
        .chunks_exact(2)
        .map(|pair| {
            let left = receptions(&mut pool, message, &pair[0]);
            let right = receptions(&mut pool, message, &pair[1]);
            pool.alt(left, right)
        })
        .collect();
    let term = sequence(&mut pool, &alternatives);

    let mut builder = Builder::new(Partition::discrete(lifelines.len()), lifelines.len(), false);
    for &lifeline in &lifelines {
        builder.push(pool.intern_action(Action::reception(lifeline, message)), 0);
        builder.next_component();
    }
    Reduction { term, trace: builder.finish(SourceId::default()), pool }
}

/// `i_ℓ`.
fn receptions(pool: &mut Pool, message: MessageId, lifelines: &[LifelineId]) -> TermId {
    let events: Vec<TermId> =
        lifelines.iter().map(|&lifeline| pool.reception(lifeline, message)).collect();
    sequence(pool, &events)
}

fn sequence(pool: &mut Pool, terms: &[TermId]) -> TermId {
    let Some((&last, before)) = terms.split_last() else { return Pool::EMPTY };
    before.iter().rev().fold(last, |rest, &term| pool.seq(term, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_literals_count_once() {
        let formula = Formula { variables: 2, clauses: vec![vec![1, 1, -1], vec![]] };
        let reduction = reduce(&formula);
        assert_eq!(reduction.pool.text(reduction.term), "seq(alt(l1?m, l1?m), alt(∅, ∅))");
        assert_eq!(reduction.trace.len(), 2);
        assert_eq!(reduce(&Formula::default()).trace.len(), 0);
    }
}
