//! Removal of lifelines from a term and from its signature.
//!
//! In Mahe et al., "Dealing with observability in interaction-based offline runtime verification", Def. 5, removal
//! leads from the interactions over L to those over L ∖ H. A search, which removes one lifeline after another, keeps L
//! and uses [`remove`](super::remove()); but an interaction that is written to a file should not declare lifelines
//! that were removed from it. Regions of `coreg` and `loopC` lose the removed lifelines, too, which changes no trace,
//! because no events are left on the removed lifelines that a region could make concurrent.

use rustc_hash::FxHashMap;

use crate::action::Action;
use crate::algebra::fold::fold;
use crate::algebra::{Memo, remove};
use crate::index::{LifelineId, TermId};
use crate::pool::Pool;
use crate::set::LifelineSet;
use crate::term::Term;

/// The term without the lifelines that are not kept, in a pool whose signature has only the kept ones.
///
/// # Panics
/// Never: after removal, all actions are on kept lifelines.
pub fn restrict(pool: &mut Pool, term: TermId, kept: &LifelineSet) -> (Pool, TermId) {
    let removed = pool.signature().all_lifelines().difference(kept);
    let removed = pool.intern_region(&removed);
    let term = remove(pool, &mut Memo::default(), term, removed);
    let mut to = Pool::new(pool.signature().restricted(kept));
    let numbers: FxHashMap<LifelineId, LifelineId> =
        kept.iter().zip(to.signature().lifelines().map(|(id, _)| id)).collect();
    let region = |set: &LifelineSet| -> LifelineSet {
        set.iter().filter_map(|lifeline| numbers.get(&lifeline).copied()).collect()
    };
    let copy = |from: &mut Pool, term: TermId, operands: &[TermId]| match from.node(term) {
        Term::Empty => Pool::EMPTY,
        Term::Event(event) => {
            let actions = from.event_actions(event).iter().map(|&action| from.action(action));
            let actions: Vec<Action> = actions
                .map(|action| Action { lifeline: numbers[&action.lifeline], peer: None, ..action })
                .collect();
            let event = to.intern_event(&actions);
            to.event(event)
        }
        Term::Strict(..) => to.strict(operands[0], operands[1]),
        Term::Alt(..) => to.alt(operands[0], operands[1]),
        Term::LoopS(_) => to.loop_s(operands[0]),
        Term::Coreg(within, ..) => {
            let within = to.intern_region(&region(&from.region(within)));
            to.coreg(within, operands[0], operands[1])
        }
        Term::LoopC(within, _) => {
            let within = to.intern_region(&region(&from.region(within)));
            to.loop_c(within, operands[0])
        }
    };
    let term = fold(pool, term, &mut FxHashMap::default(), |_, _| None, copy);
    (to, term)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{interaction, region};

    /// Checks the term and the lifelines that are left.
    #[track_caller]
    fn check(text: &str, kept: &str, expected: &str) {
        let (mut pool, term) = interaction(text);
        let kept = region(&mut pool, kept);
        let kept = pool.region(kept);
        let (left, term) = restrict(&mut pool, term, &kept);
        let names: Vec<&str> = left.signature().lifelines().map(|(_, name)| name).collect();
        assert_eq!(format!("{} over {}", left.text(term), names.join(",")), expected);
        assert_eq!(left.signature().message_count(), pool.signature().message_count());
    }

    #[test]
    fn lifelines_leave_the_signature() {
        check("seq(a -- m -> b, b -- n -> c)", "b", "seq(b?m, b!n) over b");
        check("seq(a -- m -> b, b -- n -> c)", "bc", "seq(b?m, strict(b!n, c?n)) over b,c");
        check("a -- <synch> m -> (b,c)", "ac", "{a!m, c?m} over a,c");
    }

    #[test]
    fn lifelines_leave_the_regions() {
        check("coreg(a,b)(b!m, b -- n -> c)", "bc", "coreg(b)(b!m, strict(b!n, c?n)) over b,c");
        check("coreg(a)(b!m, b -- n -> c)", "bc", "seq(b!m, strict(b!n, c?n)) over b,c");
        check("loopC(a,b)(b!m)", "b", "loopP(b!m) over b");
        check("par(b!m, a!n, c!m)", "bc", "par(b!m, c!m) over b,c");
    }
}
