//! Partial-order reduction: prunes orders of steps that make no difference.
//!
//! *Claim.* If no lifeline of the interaction ever waits for another, and every lifeline is a
//! component of its own, then it suffices to try the executions (R_e) of a single component, chosen
//! arbitrarily among those with unconsumed moments. The component with the fewest executions is
//! chosen: with none the path ends at once, and with one there is no branching.
//!
//! *Proof.* Call a term *free* if each of its events is on one lifeline, and each of its `strict`
//! and `loopS` subterms is on at most one lifeline. The set of traces of a free term is closed
//! under swapping neighbouring actions of different lifelines: this holds for events and terms on
//! one lifeline, for unions of such sets, and for `coreg_r` and `loopC_r`, which order only actions
//! of the same lifeline. If an accepted trace t explains a multi-trace, then the next action a of
//! the chosen component is the first action of t on it, so a can be moved to the front of t, and a
//! step of the interaction leads to a term that accepts the rest. This holds for `accept`, `prefix`
//! and `eliminate`, which must consume everything. Steps, pruning and removal keep a free term
//! free, so one check at the root suffices.
//!
//! *Cost.* One pass over the interaction, then a count of each node's children by component.
//!
//! *Option.* [`Config::partial_order_reduction`](crate::Config), off by default. It has no effect
//! on `simulate`, on the verdicts of 2020 (which distinguish leaves that differ only in order), on
//! other partitions, and on interactions with message passing, where the receiver waits.
//!
//! *Effect.* Formulas with 20 variables and 91 clauses, encoded as interactions without message
//! passing, take some hundred nodes. Without the reduction the search does not end in practice,
//! because every order of the same choices is a path of its own.
//!
//! The option of the same name in `hibou_label` 0.8.8 does not check that the term is free, and
//! fails `strict(loopS(b -- x ->|), a -- m ->|)` on a: a!m, b: b!x.

use otus_core::algebra::fold::fold;
use otus_core::{Pool, Term, TermId};
use rustc_hash::FxHashMap;

/// Whether a term is free: no lifeline ever waits for another.
pub(super) fn is_free(pool: &mut Pool, term: TermId) -> bool {
    let lone = |pool: &Pool, term: TermId| pool.lifelines(term).len() <= 1;
    fold(
        pool,
        term,
        &mut FxHashMap::default(),
        |pool, term| lone(pool, term).then_some(true),
        |pool, term, operands| match pool.node(term) {
            Term::Empty => true,
            // These have events on several lifelines, since `lone` has answered for the others.
            Term::Event(_) | Term::Strict(..) | Term::LoopS(_) => false,
            Term::Coreg(..) | Term::Alt(..) | Term::LoopC(..) => operands.iter().all(|&free| free),
        },
    )
}

/// Keeps the children of the first group among those with the fewest children; a group without
/// children counts too. `group` maps a child to its group; only groups with `is_open` compete.
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
