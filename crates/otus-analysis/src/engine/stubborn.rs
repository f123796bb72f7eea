//! Stubborn sets (Valmari, 1989): which components must move.
//!
//! If events or conflicts cross components, the order of events matters, but not all orders do.
//! Let S be a set of components such that
//!
//! 1. some component of S has moments left;
//! 2. for each c of S and each leaf e of the expression that can be the next on c (it is observed
//!    there as the next moment; or c observes nothing now, then any leaf on c): either some component
//!    of e that cannot take part now is in S, or all components of e are in S, and so are those of all
//!    lifelines that stand to the left of e in conflict with it.
//!
//! **Claim.** If the rest is explained, it is explained by a trace whose first event touches S.
//!
//! *Proof.* Take a trace that explains it. By 1 some event of it touches S; let e be the first that
//! does, and c a component of S that it touches. None of the events before e touches S, so c is
//! still where it is now, and e is as in 2. If a component of e that cannot take part now were in
//! S, it could not take part when e happens either: only its own events change that. So the other
//! case of 2 holds, and no event before e is on a lifeline that stands to the left of e in conflict
//! with it. (If e is in an iteration of a loop that such an event began, e can begin it instead.)
//! Hence e can be moved to the front. Components see no difference: those of e are in S. ∎
//!
//! *Occurrences that cannot be first.* If all components of e are in S, then no event that is on
//! one of them and in conflict with e comes before e, since it would touch S. So the operands to
//! the left of an occurrence of e matter only as far as they can do without such events; if they
//! cannot, this occurrence is not the first.
//!
//! So only events that touch S are tried. If none can happen, the rest is not explained.
//!
//! *Cost.* The lifelines to the left of a leaf are computed once for each expression and leaf.
//!
//! A set is closed from each component that has moments left; the one with the fewest moves is
//! taken. *Forced moves* are an easily recognised case: the components of one leaf are such a set
//! if all of them observe it next, no rival leaf occurs, and it waits for no other component.

use otus_core::LifelineSet;

use super::store::{Expr, ExprId, LeafId, Store};

impl Store {
    /// The lifelines that stand to the left of some occurrence of a leaf in conflict with it, if
    /// all of its components are in the stubborn set; `None` if the leaf does not occur, or cannot
    /// be first.
    pub(crate) fn waits_for(&mut self, expr: ExprId, leaf: LeafId) -> Option<LifelineSet> {
        if !self.leaf(leaf).lifelines.is_subset(self.lifelines(expr)) {
            return None;
        }
        self.memoized(|store| &mut store.waiting, (expr, leaf), |store| store.waits(expr, leaf))
    }

    pub(crate) fn occurs(&mut self, expr: ExprId, leaf: LeafId) -> bool {
        if !self.leaf(leaf).lifelines.is_subset(self.lifelines(expr)) {
            return false;
        }
        if let Some(known) = self.occurring.get(expr, leaf) {
            return known != 0;
        }
        let form = self.expr(expr).clone();
        let found = matches!(form, Expr::Leaf(own) if own == leaf)
            || form.operands().any(|x| super::deep(|| self.occurs(x, leaf)));
        self.occurring.insert(expr, leaf, self.leaves.items.len(), u32::from(found));
        found
    }

    /// The lifelines of the components of a leaf.
    pub(super) fn homes(&self, leaf: LeafId) -> LifelineSet {
        let parts = self.leaf(leaf).parts.iter();
        parts.fold(LifelineSet::EMPTY, |all, &(component, _)| {
            all.union(&self.components[component.0 as usize])
        })
    }

    fn waits(&mut self, expr: ExprId, leaf: LeafId) -> Option<LifelineSet> {
        let mut all: Option<LifelineSet> = None;
        let mut add = |more: LifelineSet| {
            all = Some(all.as_ref().map_or_else(|| more.clone(), |known| known.union(&more)));
        };
        match self.expr(expr).clone() {
            Expr::Never | Expr::Empty => {}
            Expr::Leaf(own) => {
                if own == leaf {
                    add(LifelineSet::EMPTY);
                }
            }
            form @ (Expr::Alt(_) | Expr::Par(_) | Expr::Suffix(..)) => {
                form.operands().filter_map(|x| self.waits_for(x, leaf)).for_each(add);
            }
            Expr::Seq(order, operands) => {
                let conflicts = self.order(order).conflicts(&self.leaf(leaf).lifelines);
                let own = self.homes(leaf).intersection(&conflicts);
                let own = self.set(&own);
                let mut left = LifelineSet::EMPTY;
                for &operand in operands.iter() {
                    if let Some(inner) = self.waits_for(operand, leaf) {
                        add(inner.union(&left));
                    }
                    // An operand that needs an event on a component of the leaf rules out later
                    // occurrences.
                    let quiet = self.prune(operand, own);
                    if quiet == Store::NEVER {
                        break;
                    }
                    left = left.union(&self.lifelines(quiet).intersection(&conflicts));
                }
            }
            Expr::Loop(order, body) => {
                if let Some(inner) = self.waits_for(body, leaf) {
                    let conflicts = self.order(order).conflicts(&self.leaf(leaf).lifelines);
                    let own = self.homes(leaf).intersection(&conflicts);
                    let own = self.set(&own);
                    let quiet = self.prune(body, own);
                    add(inner.union(&self.lifelines(quiet).intersection(&conflicts)));
                }
            }
        }
        all
    }
}
