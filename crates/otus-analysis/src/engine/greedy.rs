//! A greedy attempt for slices: one log after the other.
//!
//! The start of a log that may start late is unknown, and so is the relative position of several
//! such logs. There may be a great many combinations, most of them equivalent. In an interaction
//! that repeats itself, one combination nearly always works: first all of one log, then all of the
//! next, in later iterations. So this combination is tried first: as long as a log has not started,
//! its events before a loop are skipped.
//!
//! **Claim.** Let `x.L` be a sequence in which L is a loop. `suffix_Y(x.L)` has all traces of
//! `erase_Y(x).suffix_Y(L)`.
//!
//! *Proof.* It is the case Z = Y of the equation for sequences ([`suffix`](super::suffix)), since
//! pruning Y from `suffix_Y(x)` skips all of it. ∎
//!
//! In coupled searches ([`coupled`](super::coupled)), events happen at once that stand outside of
//! loops, wait for nothing, and are on components whose period of observation they are outside of:
//! by the argument of [`erase`](super::erase) such events can come first, while they are
//! unobserved.
//!
//! So an explanation found this way is valid. If none is found, all combinations are tried.
//!
//! *Cost.* Each expression is rewritten once. The attempt is given up after 1000 states plus four
//! for each moment. Its states are counted with the others.

use super::store::{Expr, ExprId, SetId, Store};

impl Store {
    /// An expression with fewer traces, in which every log that has not started starts inside a
    /// loop, if it can.
    pub(crate) fn greedy(&mut self, expr: ExprId) -> ExprId {
        let compute = |store: &mut Store| match *store.expr(expr) {
            Expr::Alt(_) | Expr::Par(_) => store.map(expr, Store::greedy),
            Expr::Suffix(skipped, inner) => store.greedy_suffix(expr, skipped, inner),
            Expr::Never | Expr::Empty | Expr::Leaf(_) | Expr::Seq(..) | Expr::Loop(..) => expr,
        };
        self.memoized(|store| &mut store.greedy, expr, compute)
    }

    fn greedy_suffix(&mut self, expr: ExprId, skipped: SetId, inner: ExprId) -> ExprId {
        let Expr::Seq(order, operands) = self.expr(inner).clone() else { return expr };
        let own = self.sets.items[skipped].clone();
        let mut parts = operands.to_vec();
        // For each component by itself: skip to the last loop in which it has events.
        for component in self.components.clone() {
            let here = own.intersection(&component);
            if here.is_empty() {
                continue;
            }
            let last = (0..operands.len()).rev().find(|&i| {
                matches!(self.expr(operands[i]), Expr::Loop(..))
                    && !self.lifelines(operands[i]).is_disjoint(&here)
            });
            let set = self.set(&here);
            match last {
                Some(last) => {
                    for part in &mut parts[..last] {
                        *part = self.erase(*part, set);
                    }
                    parts[last] = self.suffix(set, parts[last]);
                }
                // There is no loop, so the component has to start somewhere here.
                None => return expr,
            }
        }
        self.seq(order, &parts)
    }
}
