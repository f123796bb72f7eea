//! Stripping: events that nobody will see and that wait for nothing.
//!
//! A component that may stop early and whose log is consumed is a *ghost*: its events may still
//! happen, at any time, unseen. Let e be an event whose lifelines are all on ghosts. It is
//! *constrained* if an event that is not stripped stands to its left in conflict with it.
//!
//! **Claim.** Replacing every unconstrained event of ghosts by ∅ changes no answer.
//!
//! *Proof.* From left to right: take the stripped events out of a witness. Conditions of operators
//! are about pairs of events that are there, so what is left is a trace of the stripped
//! expression, and no observed event is gone. From right to left: take a witness of the stripped
//! expression, with the alternatives and iterations it chose, and put the events that were
//! stripped from these before all others, in the order of the interaction. Whatever stands to the
//! left of such an event in conflict with it is stripped too, hence in front in the right order;
//! whatever stands to the right comes later. No component sees the difference, since ghosts see
//! nothing. ∎
//!
//! If components are taken apart ([`harm`](super::harm)), conflicts are only inside components,
//! so all events of a ghost are unconstrained: this is the removal of lifelines of the paper
//! "Dealing with observability…", exact there.
//!
//! *Cost.* One walk over the expression, kept for each expression, set of ghosts and set of
//! lifelines that are blocked from the left.
//!
//! *Switch.* `Options::strip`, for coupled searches. Where components are taken apart there is none:
//! there stripping is what the end of a log that may stop early means. *Counter.* None.

use otus_core::LifelineSet;

use super::store::{Expr, ExprId, SetId, Store};

/// What becomes of loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Loops {
    /// Their bodies are stripped as well.
    Stripped,
    /// They stay as they are.
    Kept,
}

impl Store {
    /// The expression without the unconstrained events on lifelines of ghosts.
    pub(crate) fn strip(&mut self, expr: ExprId, ghosts: SetId) -> ExprId {
        self.strip_behind(expr, (ghosts, Loops::Stripped), &LifelineSet::EMPTY)
    }

    /// The same outside of loops only, which stay as they are.
    pub(crate) fn strip_open(&mut self, expr: ExprId, ghosts: SetId) -> ExprId {
        self.strip_behind(expr, (ghosts, Loops::Kept), &LifelineSet::EMPTY)
    }

    /// The same behind events that block some lifelines.
    fn strip_behind(
        &mut self,
        expr: ExprId,
        (ghosts, loops): (SetId, Loops),
        blocked: &LifelineSet,
    ) -> ExprId {
        let here = self.sets.items[ghosts].intersection(self.lifelines(expr));
        let blocked = blocked.intersection(&here);
        if here.is_subset(&blocked) {
            return expr;
        }
        let blocked_id = self.set(&blocked);
        if let Some(&known) = self.stripped.get(&(expr, ghosts, loops, blocked_id)) {
            return known;
        }
        if self.work() {
            return Store::NEVER;
        }
        let found = super::deep(|| self.stripped(expr, (ghosts, loops), &blocked));
        if self.is_spent() {
            return Store::NEVER;
        }
        self.stripped.insert((expr, ghosts, loops, blocked_id), found);
        found
    }

    fn stripped(
        &mut self,
        expr: ExprId,
        (ghosts, loops): (SetId, Loops),
        blocked: &LifelineSet,
    ) -> ExprId {
        let these = (ghosts, loops);
        match self.expr(expr).clone() {
            Expr::Never | Expr::Empty => expr,
            Expr::Leaf(leaf) => {
                let own = &self.leaf(leaf).lifelines;
                let unseen = own.is_subset(&self.sets.items[ghosts]);
                if unseen && own.is_disjoint(blocked) { Store::EMPTY } else { expr }
            }
            Expr::Alt(alternatives) => {
                let all: Vec<ExprId> =
                    alternatives.iter().map(|&x| self.strip_behind(x, these, blocked)).collect();
                self.alt(all)
            }
            Expr::Par(operands) => {
                let all: Vec<(ExprId, u32)> = operands
                    .iter()
                    .map(|&(x, n)| (self.strip_behind(x, these, blocked), n))
                    .collect();
                self.par(all)
            }
            Expr::Seq(order, operands) => {
                let classes = self.order(order);
                let mut behind = blocked.clone();
                let mut all = Vec::with_capacity(operands.len());
                for &operand in operands.iter() {
                    let left = self.strip_behind(operand, these, &behind);
                    behind = behind.union(&classes.conflicts(self.lifelines(left)));
                    all.push(left);
                }
                self.seq(order, &all)
            }
            Expr::Loop(..) if loops == Loops::Kept => expr,
            Expr::Loop(order, body) => {
                // An iteration stands behind all earlier ones: what they keep blocks it.
                let classes = self.order(order);
                let mut behind = blocked.clone();
                loop {
                    let left = self.strip_behind(body, these, &behind);
                    let next = behind.union(&classes.conflicts(self.lifelines(left)));
                    if next == behind {
                        return self.repeat(order, left);
                    }
                    behind = next;
                }
            }
            Expr::Late(skipped, inner) => {
                // Whatever of it is stripped need not be skipped.
                let inner = self.strip_behind(inner, these, blocked);
                self.late(skipped, inner)
            }
        }
    }
}
