//! Inclusion of expressions, as far as their form shows it.
//!
//! `x ⊑ y` says that every trace of x is a trace of y. The test is sound and fast, but incomplete;
//! it is only used to drop redundant expressions. Each case is a law:
//!
//! ```text
//! ∅ ⊑ y                        if y has the empty trace
//! alt(x1, …) ⊑ y               if every xk ⊑ y
//! x ⊑ alt(y1, …)               if x ⊑ some yk
//! x ⊑ loop_D(y)                if x ⊑ y
//! loop_E(x) ⊑ loop_D(y)        if x ⊑ loop_D(y) and E has the conflicts of D
//! sched_E(x1, …) ⊑ loop_D(y)   if every xk ⊑ loop_D(y) and E has the conflicts of D between them
//! sched_E(x1, …) ⊑ sched_D(y1, …)
//!                              if the xk are included, in order, in some of the yk, the others have
//!                              the empty trace, and E has the conflicts of D between the xk
//! x ⊑ late(y)                  if x ⊑ y
//! ```
//! A sequence with more conflicts has fewer traces, hence the conditions on E.
//!
//! *Cost.* Each pair of expressions once; a pair costs as many pairs as there are below it.

use smallvec::SmallVec;

use super::order::Order;
use super::store::{Expr, ExprId, Store};

impl Store {
    /// Whether every trace of x is known to be a trace of y.
    pub(crate) fn includes(&mut self, x: ExprId, y: ExprId) -> bool {
        if x == y || x == Store::NEVER {
            return true;
        }
        if x == Store::EMPTY || y == Store::EMPTY || y == Store::NEVER {
            return x == Store::EMPTY && self.nullable(y);
        }
        let impossible = (self.nullable(x) && !self.nullable(y))
            || !self.lifelines(x).is_subset(self.lifelines(y));
        if impossible {
            return false;
        }
        self.worked(|store| &mut store.included, (x, y), |store| store.compare(x, y))
    }

    fn compare(&mut self, x: ExprId, y: ExprId) -> bool {
        if let Expr::Alt(alternatives) = self.expr(x) {
            let alternatives = alternatives.clone();
            return alternatives.iter().all(|&x| self.includes(x, y));
        }
        match self.expr(y).clone() {
            Expr::Never | Expr::Empty | Expr::Leaf(_) => false,
            Expr::Alt(alternatives) => alternatives.iter().any(|&y| self.includes(x, y)),
            Expr::Suffix(_, y) => self.includes(x, y),
            Expr::Loop(order, body) => {
                let order = self.order(order);
                self.includes(x, body) || self.iterates(x, y, &order)
            }
            Expr::Seq(order, operands) => {
                let order = self.order(order);
                // If x has more operands than y, the alignment fails, so at most one operand more
                // is listed.
                let (own, parts) = self.parts(x, operands.len() + 1);
                self.aligns(&parts, &operands) && has(&own, &self.between(&order, &parts))
            }
            Expr::Par(operands) => {
                // Equal operands cancel; of the rest, x must have none and y only optional ones.
                let mut parts: SmallVec<[(ExprId, u32); 16]> = if let Expr::Par(own) = self.expr(x)
                {
                    SmallVec::from_slice(own)
                } else if let Expr::Seq(_, own) = self.expr(x) {
                    own.iter().map(|&x| (x, 1)).collect()
                } else {
                    SmallVec::from_elem((x, 1), 1)
                };
                for &(y, count) in operands.iter() {
                    let mut left = count;
                    for (_, has) in parts.iter_mut().filter(|(x, _)| *x == y) {
                        let taken = left.min(*has);
                        left -= taken;
                        *has -= taken;
                    }
                    if left > 0 && !self.nullable(y) {
                        return false;
                    }
                }
                parts.iter().all(|&(_, left)| left == 0)
            }
        }
    }

    /// Whether x is a sequence of traces of the loop y.
    fn iterates(&mut self, x: ExprId, y: ExprId, order: &Order) -> bool {
        match self.expr(x).clone() {
            Expr::Loop(own, body) => {
                has(&self.order(own), &order.within(self.lifelines(body))) && self.includes(body, y)
            }
            Expr::Seq(..) | Expr::Par(_) => {
                // Two copies of an operand are enough to show whether it is in conflict with
                // itself; all copies could be very many.
                let (own, parts) = self.parts(x, 2);
                has(&own, &self.between(order, &parts))
                    && parts.iter().all(|&x| self.includes(x, y))
            }
            Expr::Never | Expr::Empty | Expr::Leaf(_) | Expr::Alt(_) | Expr::Suffix(..) => false,
        }
    }

    /// An expression as a sequence, with at most `most` copies of equal operands without conflict.
    fn parts(&self, x: ExprId, most: usize) -> (Order, SmallVec<[ExprId; 16]>) {
        if let Expr::Seq(order, operands) = self.expr(x) {
            ((*self.orders.items[*order]).clone(), SmallVec::from_slice(operands))
        } else if let Expr::Par(operands) = self.expr(x) {
            let often = |n: u32| most.min(n as usize);
            let all = operands.iter().flat_map(|&(x, n)| std::iter::repeat_n(x, often(n)));
            (Order::default(), all.collect())
        } else {
            (Order::default(), SmallVec::from_elem(x, 1))
        }
    }

    /// Whether the xs are included, in order, in some of the ys, and the other ys are nullable.
    fn aligns(&mut self, xs: &[ExprId], ys: &[ExprId]) -> bool {
        let mut next = 0;
        for &y in ys {
            match xs.get(next) {
                Some(&x) if self.includes(x, y) => next += 1,
                _ if self.nullable(y) => {}
                _ => return false,
            }
        }
        next == xs.len()
    }
}

/// Whether an order has all conflicts of another.
fn has(order: &Order, needed: &Order) -> bool {
    needed.is_none() || order.join(needed) == *order
}

#[cfg(test)]
mod tests {
    use otus_core::{LifelineId, LifelineSet};
    use otus_trace::multitrace::ComponentId;

    use super::*;
    use crate::engine::store::{Leaf, SymbolId};

    #[test]
    fn many_operands_are_all_looked_at() {
        let here = LifelineSet::singleton(LifelineId(0));
        let mut store = Store::new(vec![here.clone()], true);
        let leaf = |store: &mut Store, number| {
            let parts = Box::new([(ComponentId(0), SymbolId(number))]);
            store.event(Leaf { lifelines: here.clone(), parts })
        };
        let (a, b) = (leaf(&mut store, 0), leaf(&mut store, 1));
        let (more, fewer) = (store.par([(a, 65)]), store.par([(a, 64)]));
        assert!(!store.includes(more, fewer) && !store.includes(fewer, more));
        let none = store.intern_order(Order::default());
        let all = store.repeat(none, a);
        let mixed = store.par([(a, 64), (b, 1)]);
        assert!(store.includes(more, all) && !store.includes(mixed, all));
    }
}
