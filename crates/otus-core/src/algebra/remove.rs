//! Removal of lifelines from a term.
//!
//! Mahe et al., "Dealing with observability in interaction-based offline runtime verification",
//! Def. 5: every action on a removed lifeline becomes ∅ and the operators stay. By Th. 1 there, this
//! commutes with the semantics of tuples of local traces. It does *not* commute with the projection of
//! global traces if messages cross inside concurrent parts, so a caller has to choose between the two
//! semantics. A synchronous event keeps its remaining actions. The result is simplified.

use crate::algebra::fold::fold;
use crate::algebra::{Memo, simplify};
use crate::index::{EventId, RegionId, TermId};
use crate::pool::Pool;
use crate::set::LifelineSet;

/// ```text
/// ∅ ↦ ∅    a ↦ ∅ if θ(a) ∈ H else a    f(i,j) ↦ f(i′,j′)    loop(i) ↦ loop(i′)
/// ```
pub fn remove(pool: &mut Pool, memo: &mut Memo, term: TermId, lifelines: RegionId) -> TermId {
    let removed = pool.region(lifelines);
    let done = memo.remove.entry(lifelines).or_default();
    let untouched = |pool: &Pool, term| pool.lifelines(term).is_disjoint(&removed).then_some(term);
    fold(pool, term, done, untouched, |pool, term, operands| match pool.node(term).as_event() {
        Some(event) => remove_actions(pool, event, &removed),
        None => simplify::rebuild(pool, term, operands),
    })
}

/// The projection of a term onto the lifelines of one co-localization: the term with all other
/// lifelines removed. Its traces include the local trace, on these lifelines, of every accepted
/// multi-trace. It is exact for one component alone, but loses the dependencies between components.
pub fn project(pool: &mut Pool, memo: &mut Memo, term: TermId, lifelines: RegionId) -> TermId {
    let all = pool.signature().all_lifelines();
    let others = all.difference(&pool.region(lifelines));
    let others = pool.intern_region(&others);
    remove(pool, memo, term, others)
}

/// The event without its actions on removed lifelines.
fn remove_actions(pool: &mut Pool, event: EventId, removed: &LifelineSet) -> TermId {
    let actions = pool.event_actions(event).iter().map(|&action| pool.action(action));
    let left: Vec<_> = actions.filter(|action| !removed.contains(action.lifeline)).collect();
    if left.is_empty() {
        return Pool::EMPTY;
    }
    let event = pool.intern_event(&left);
    pool.event(event)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{interaction, region};

    #[track_caller]
    fn check(text: &str, lifelines: &str, expected: &str) {
        let (mut pool, term) = interaction(text);
        let region = region(&mut pool, lifelines);
        let removed = remove(&mut pool, &mut Memo::default(), term, region);
        assert_eq!(pool.text(removed), expected);
    }

    #[test]
    fn actions_go_and_the_structure_stays() {
        check("a -- m -> b", "b", "a!m");
        check("a -- m -> b", "ab", "∅");
        check("alt(a!m, b!m)", "a", "alt(∅, b!m)");
        check("loopS(seq(a!m, b -- n -> c))", "c", "loopS(seq(a!m, b!n))");
        check("a -- <synch> m -> b", "a", "b?m");
        check("a -- <synch> m -> (b,c)", "a", "{b?m, c?m}");
    }
}
