//! Orders that make no difference are left out.
//!
//! *Claim.* If no lifeline of the interaction ever waits for another, and every lifeline is observed
//! by itself, then of all executions (R_e) only those on one component need be tried, whichever
//! component with something left is chosen. The one with the fewest is: none of them ends the path
//! at once, a single one is no choice.
//!
//! *Why.* Call a term *free* if each of its events is on one lifeline, and each `strict` and `loopS`
//! in it, with operands, is on at most one. A free term accepts, with a trace, every trace that
//! swaps neighbouring actions of different lifelines: so do events and terms on one lifeline, unions
//! of such sets, and `coreg_r` and `loopC_r`, which order only actions of the same lifeline. If a
//! multi-trace is explained by an accepted trace t, its next action a on the chosen component is the
//! first action of t there, so a can be moved to the front of t, and a step of the interaction leads
//! to where the rest is accepted. This holds for `accept`, `prefix` and `eliminate`, which must
//! consume everything. Steps, pruning and removal leave a free term free, so asking once is enough.
//!
//! *Cost.* One pass over the interaction; then counting the children of a node by component.
//!
//! *Option.* [`Config::partial_order_reduction`](crate::Config), off unless set. It does nothing for
//! `simulate`, for the verdicts of 2020 (which tell leaves apart that differ only in order), for
//! other partitions, and for interactions with message passing, whose receiver waits.
//!
//! *What it gives.* Formulas with 20 variables and 91 clauses, as interactions without message
//! passing, take some hundred nodes instead of more than can be counted: every order in which the
//! same choices are made was a path.
//!
//! The option of the same name in the peer tool assumes freedom without asking for it, and fails
//! `strict(loopS(b -- x ->|), a -- m ->|)` on a: a!m, b: b!x.

use otus_core::algebra::fold::fold;
use otus_core::{Pool, Term, TermId};
use rustc_hash::FxHashMap;

/// Whether no lifeline ever waits for another.
pub(super) fn is_free(pool: &mut Pool, term: TermId) -> bool {
    let lone = |pool: &Pool, term: TermId| pool.lifelines(term).len() <= 1;
    fold(
        pool,
        term,
        &mut FxHashMap::default(),
        |pool, term| lone(pool, term).then_some(true),
        |pool, term, operands| match pool.node(term) {
            Term::Empty => true,
            // With operands on several lifelines, or an event on several.
            Term::Event(_) | Term::Strict(..) | Term::LoopS(_) => false,
            Term::Coreg(..) | Term::Alt(..) | Term::LoopC(..) => operands.iter().all(|&free| free),
        },
    )
}

/// Keeps the children of the first of the groups with the fewest; groups without any count too.
/// `group` says to which of the numbered groups a child belongs; `is_open` which groups matter.
pub(super) fn keep_fewest<T>(
    children: &mut Vec<T>,
    groups: usize,
    is_open: impl Fn(usize) -> bool,
    group: impl Fn(&T) -> usize,
) {
    let mut counts = vec![0u32; groups];
    for child in children.iter() {
        counts[group(child)] += 1;
    }
    if let Some(fewest) = (0..groups).filter(|&i| is_open(i)).min_by_key(|&i| counts[i]) {
        children.retain(|child| group(child) == fewest);
    }
}

#[cfg(test)]
mod tests {
    use otus_syntax::{Source, parse_spec};

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: bool) {
        let mut tree = parse_spec(&Source::new("x.hif", text)).tree;
        tree.implicit = true;
        let mut lowered = otus_core::lower(&[&tree]);
        assert_eq!(is_free(&mut lowered.pool, lowered.term.unwrap()), expected, "{text}");
    }

    #[test]
    fn lifelines_wait_for_each_other_in_strict_order_and_in_message_passing() {
        check("o", true);
        check("seq(a!m, alt(b!m, c?m))", true);
        check("loopP(seq(strict(a!m, a!n), loopS(b!m)))", true);
        check("coreg(a)(loopW(seq(a!m, b!m)), o)", true);
        check("strict(a!m, b!m)", false);
        check("seq(c!x, loopS(seq(a!m, b!m)))", false);
        check("a -- m -> b", false);
        check("seq(c!x, a -- <synch>m -> b)", false);
    }

    #[test]
    fn the_first_smallest_group_is_kept() {
        let keep = |children: &[usize], open: &[usize]| {
            let mut children = children.to_vec();
            keep_fewest(&mut children, 4, |i| open.contains(&i), |&child| child);
            children
        };
        assert_eq!(keep(&[2, 1, 2, 1], &[1, 2]), [1, 1]);
        assert_eq!(keep(&[2, 1, 2], &[1, 2]), [1]);
        assert_eq!(keep(&[2, 1, 2], &[1, 2, 3]), [0; 0]);
        assert_eq!(keep(&[], &[]), [0; 0]);
    }
}
