//! Erasure of unobservable events that wait for nothing.
//!
//! A component that may stop early and whose log is consumed is *finished*: its events may still
//! happen, at any time, unobserved. Let e be an event whose lifelines are all on finished
//! components. It is *constrained* if an event that is not erased stands to its left in conflict
//! with it.
//!
//! **Claim.** Replacing every unconstrained event of finished components by ∅ changes no answer.
//!
//! *Proof.* From left to right: remove the erased events from a witness. Operators only constrain
//! pairs of events that are present, so the rest is a trace of the erased expression, and no
//! observed event is gone. From right to left: take a witness of the erased expression, with the
//! alternatives and iterations it chose, and put the events that were erased from these before all
//! others, in the order of the interaction. Every event that stands to the left of an erased event
//! in conflict with it is erased too, hence in front in the right order; every event that stands to
//! its right comes later. No component sees the difference, since finished components observe
//! nothing. ∎
//!
//! If components are decoupled ([`coupling`](super::coupling)), conflicts are only inside
//! components, so all events of a finished component are unconstrained. This is the removal of
//! lifelines of the paper "Dealing with observability…", exact there.
//!
//! *Cost.* One walk over the expression, memoized for each expression, set of finished lifelines
//! and set of lifelines that are blocked from the left.

use otus_core::LifelineSet;

use super::store::{Expr, ExprId, SetId, Store};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Loops {
    /// The bodies of loops are erased as well.
    Erased,
    /// Loops are left unchanged.
    Kept,
}

impl Store {
    /// The expression without the unconstrained events on finished lifelines.
    pub(crate) fn erase(&mut self, expr: ExprId, finished: SetId) -> ExprId {
        self.erase_behind(expr, finished, Loops::Erased, &LifelineSet::EMPTY)
    }

    /// Like [`Store::erase`], outside of loops only.
    pub(crate) fn erase_outside_loops(&mut self, expr: ExprId, finished: SetId) -> ExprId {
        self.erase_behind(expr, finished, Loops::Kept, &LifelineSet::EMPTY)
    }

    /// Like [`Store::erase`], for an expression to whose left there are events that are not erased; events on
    /// their lifelines, `blocked`, are constrained.
    fn erase_behind(
        &mut self,
        expr: ExprId,
        finished: SetId,
        loops: Loops,
        blocked: &LifelineSet,
    ) -> ExprId {
        let here = self.sets.items[finished].intersection(self.lifelines(expr));
        let blocked = blocked.intersection(&here);
        if here.is_subset(&blocked) {
            return expr;
        }
        let blocked_id = self.set(&blocked);
        let key = (expr, finished, loops, blocked_id);
        let compute = |store: &mut Store| store.erased(expr, finished, loops, &blocked);
        self.worked(|store| &mut store.erased, key, compute)
    }

    fn erased(
        &mut self,
        expr: ExprId,
        finished: SetId,
        loops: Loops,
        blocked: &LifelineSet,
    ) -> ExprId {
        match self.expr(expr).clone() {
            Expr::Leaf(leaf) => {
                let own = &self.leaf(leaf).lifelines;
                let unseen = own.is_subset(&self.sets.items[finished]);
                if unseen && own.is_disjoint(blocked) { Store::EMPTY } else { expr }
            }
            // Erased events need not be skipped.
            Expr::Never | Expr::Empty | Expr::Alt(_) | Expr::Par(_) | Expr::Suffix(..) => {
                self.map(expr, |store, x| store.erase_behind(x, finished, loops, blocked))
            }
            Expr::Seq(order, operands) => {
                let classes = self.order(order);
                let mut behind = blocked.clone();
                let mut all = Vec::with_capacity(operands.len());
                for &operand in operands.iter() {
                    let left = self.erase_behind(operand, finished, loops, &behind);
                    behind = behind.union(&classes.conflicts(self.lifelines(left)));
                    all.push(left);
                }
                // An expression that has lost nothing is in normal form already.
                if *all == *operands { expr } else { self.seq(order, &all) }
            }
            Expr::Loop(..) if loops == Loops::Kept => expr,
            Expr::Loop(order, body) => {
                // An iteration comes after all earlier iterations, so the events that are kept in
                // the earlier iterations block it.
                let classes = self.order(order);
                let mut behind = blocked.clone();
                loop {
                    let left = self.erase_behind(body, finished, loops, &behind);
                    let next = behind.union(&classes.conflicts(self.lifelines(left)));
                    if next == behind {
                        return if left == body { expr } else { self.repeat(order, left) };
                    }
                    behind = next;
                }
            }
        }
    }
}
