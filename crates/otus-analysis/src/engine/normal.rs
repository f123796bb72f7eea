//! Normal forms: one function per operator, each giving the number of an expression that denotes
//! the operator applied to its operands.
//!
//! Laws used, all of which keep the traces (D is a conflict relation, see [`Order`]):
//!
//! - *units*: operands that are ∅ go; one operand alone is itself;
//! - *restriction*: of D only classes that meet two operands matter, and within these only the
//!   lifelines that occur; if nothing is left the operands are without conflict;
//! - *flattening*: `sched_D(x, sched_E(y, z)) = sched_F(x, y, z)` if F has the conflicts of D between
//!   x and the others and those of E between y and z;
//! - *independence*: operands in no conflict with each other, directly or through others, fall
//!   apart into operands of `Par`; neighbours without conflict commute, so they are sorted;
//! - *idempotence*: alternatives are a set; ∅ is not needed beside one that has the empty trace;
//!   `loop(alt(∅, x)) = loop(x)`, `loop_D(loop_D(x)) = loop_D(x)`;
//! - *absorption* (switch `absorb`): x is not needed beside y if x ⊑ y ([`include`](super::include));
//!   `loop_D(x)` followed by `loop_D(y)` is `loop_D(y)` if x ⊑ y and they are in conflict as
//!   iterations are: iterations of x are iterations of y, and none at all is allowed. The same the
//!   other way round. This keeps expressions of constant size on long traces.

use std::sync::Arc;

use otus_core::LifelineSet;

use super::order::Order;
use super::store::{Expr, ExprId, Facts, OrderId, Store};

/// Sequences do not become longer than this by flattening, so that a step, which makes a new
/// sequence, costs no more than this; longer ones are trees ([`compile`](super::compile)).
const FLAT: usize = 64;
/// Beyond this many alternatives, not every pair is compared.
const COMPARED: usize = 24;

impl Store {
    /// One of these.
    pub(crate) fn alt(&mut self, alternatives: impl IntoIterator<Item = ExprId>) -> ExprId {
        let mut all: Vec<ExprId> = Vec::new();
        for alternative in alternatives {
            match self.expr(alternative) {
                Expr::Never => {}
                Expr::Alt(nested) => all.extend_from_slice(nested),
                Expr::Empty
                | Expr::Leaf(_)
                | Expr::Par(_)
                | Expr::Seq(..)
                | Expr::Loop(..)
                | Expr::Late(..) => all.push(alternative),
            }
        }
        if let [only] = all.as_slice() {
            return *only;
        }
        all.sort_unstable();
        all.dedup();
        if all.first() == Some(&Store::EMPTY) && all[1..].iter().any(|&x| self.nullable(x)) {
            all.remove(0);
        }
        if self.absorb && all.len() > 1 && all.len() <= COMPARED {
            self.drop_included(&mut all);
        }
        match all.as_slice() {
            [] => Store::NEVER,
            [only] => *only,
            [..] => {
                let facts = Facts {
                    lifelines: self.union(&all),
                    nullable: all.iter().any(|&x| self.nullable(x)),
                    size: self.sum(&all).saturating_add(1),
                };
                self.intern(Expr::Alt(all.into()), facts)
            }
        }
    }

    /// All of these, without conflict.
    pub(crate) fn par(&mut self, operands: impl IntoIterator<Item = (ExprId, u32)>) -> ExprId {
        let mut all: Vec<(ExprId, u32)> = Vec::new();
        for (operand, count) in operands {
            match self.expr(operand) {
                Expr::Never => return Store::NEVER,
                Expr::Empty => {}
                Expr::Par(nested) => all.extend(nested.iter().map(|&(x, n)| (x, n * count))),
                Expr::Leaf(_) | Expr::Alt(_) | Expr::Seq(..) | Expr::Loop(..) | Expr::Late(..) => {
                    all.push((operand, count));
                }
            }
        }
        all.sort_unstable();
        all.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        if self.absorb {
            self.absorb_loops_of_par(&mut all);
        }
        match all.as_slice() {
            [] => Store::EMPTY,
            [(only, 1)] => *only,
            [..] => {
                let exprs: Vec<ExprId> = all.iter().map(|&(x, _)| x).collect();
                // How often something occurs makes it no harder.
                let sizes = all.iter().map(|&(x, n)| self.size(x).saturating_mul(n.min(2)));
                let facts = Facts {
                    lifelines: self.union(&exprs),
                    nullable: exprs.iter().all(|&x| self.nullable(x)),
                    size: sizes.fold(0, u32::saturating_add),
                };
                self.intern(Expr::Par(all.into()), facts)
            }
        }
    }

    /// All of these, with conflicts.
    pub(crate) fn seq(&mut self, order: OrderId, operands: &[ExprId]) -> ExprId {
        if operands.contains(&Store::NEVER) {
            return Store::NEVER;
        }
        let mut all: Vec<ExprId> =
            operands.iter().copied().filter(|&x| x != Store::EMPTY).collect();
        match all.as_slice() {
            [] => return Store::EMPTY,
            [only] => return *only,
            [..] => {}
        }
        let mut order = self.between(&self.order(order), &all);
        let mut at = 0;
        while at < all.len() {
            match self.inlined(&order, &all, at) {
                // What is inlined may have more to inline.
                Some((joined, longer)) => (order, all) = (joined, longer),
                None => at += 1,
            }
        }
        if order.is_none() {
            return self.par(all.into_iter().map(|x| (x, 1)));
        }
        let groups = self.groups(&order, &all);
        if let [only] = groups.as_slice() {
            return self.connected(&order, only);
        }
        let parts: Vec<(ExprId, u32)> =
            groups.iter().map(|group| (self.connected(&order, group), 1)).collect();
        self.par(parts)
    }

    /// Any number of times, with conflicts between iterations.
    pub(crate) fn repeat(&mut self, order: OrderId, body: ExprId) -> ExprId {
        let mut body = body;
        if let Expr::Alt(alternatives) = self.expr(body) {
            // ∅ adds nothing, and iterations of a loop of the same kind are iterations.
            let alternatives = alternatives.clone();
            let full = self.order(order);
            let plain: Vec<ExprId> = alternatives
                .iter()
                .filter(|&&x| x != Store::EMPTY)
                .map(|&x| self.unrepeated(&full, x))
                .collect();
            body = self.alt(plain);
        }
        let full = self.order(order);
        body = self.unrepeated(&full, body);
        if body == Store::EMPTY || body == Store::NEVER {
            return Store::EMPTY;
        }
        let lifelines = self.lifelines(body).clone();
        let order = self.intern_order(full.within(&lifelines));
        let facts = Facts { lifelines, nullable: true, size: self.size(body).saturating_add(1) };
        self.intern(Expr::Loop(order, body), facts)
    }

    pub(crate) fn intern_order(&mut self, order: Order) -> OrderId {
        match self.orders.find(&Arc::new(order.clone())) {
            Some(known) => known,
            None => self.orders.intern(Arc::new(order)),
        }
    }

    /// The body of a loop with this order, or the expression itself.
    fn unrepeated(&self, order: &Order, expr: ExprId) -> ExprId {
        match *self.expr(expr) {
            Expr::Loop(own, body)
                if *self.orders.items[own] == order.within(self.lifelines(body)) =>
            {
                body
            }
            Expr::Never
            | Expr::Empty
            | Expr::Leaf(_)
            | Expr::Alt(_)
            | Expr::Par(_)
            | Expr::Seq(..)
            | Expr::Loop(..)
            | Expr::Late(..) => expr,
        }
    }

    /// What matters of an order between operands.
    fn between(&self, order: &Order, operands: &[ExprId]) -> Order {
        order.between(operands.iter().map(|&x| self.lifelines(x)))
    }

    /// The operand at an index replaced by its own operands, if that keeps all conflicts.
    fn inlined(&self, order: &Order, all: &[ExprId], at: usize) -> Option<(Order, Vec<ExprId>)> {
        let room = FLAT.saturating_sub(all.len());
        let (inner, nested): (Order, Vec<ExprId>) = match self.expr(all[at]) {
            Expr::Seq(inner, nested) if nested.len() <= room => {
                ((*self.orders.items[*inner]).clone(), nested.to_vec())
            }
            Expr::Par(nested) => {
                let count = nested.iter().map(|&(_, n)| n as usize).fold(0, usize::saturating_add);
                if count > room {
                    return None;
                }
                let copies = nested.iter().flat_map(|&(x, n)| std::iter::repeat_n(x, n as usize));
                (Order::default(), copies.collect())
            }
            Expr::Never
            | Expr::Empty
            | Expr::Leaf(_)
            | Expr::Alt(_)
            | Expr::Seq(..)
            | Expr::Loop(..)
            | Expr::Late(..) => return None,
        };
        let joined = order.join(&inner);
        if self.between(&joined, all) != *order || self.between(&joined, &nested) != inner {
            return None;
        }
        let mut longer = Vec::with_capacity(all.len() + nested.len());
        longer.extend_from_slice(&all[..at]);
        longer.extend_from_slice(&nested);
        longer.extend_from_slice(&all[at + 1..]);
        Some((joined, longer))
    }

    /// Operands that are connected by conflicts, each group in order.
    fn groups(&self, order: &Order, all: &[ExprId]) -> Vec<Vec<ExprId>> {
        let mut groups: Vec<(LifelineSet, Vec<usize>)> = Vec::new();
        for (i, &operand) in all.iter().enumerate() {
            let mut reach = order.conflicts(self.lifelines(operand));
            let mut members = Vec::new();
            groups.retain_mut(|(known, others)| {
                let apart = known.is_disjoint(&reach);
                if !apart {
                    reach = reach.union(known);
                    members.append(others);
                }
                apart
            });
            members.push(i);
            groups.push((reach, members));
        }
        let sorted = groups.into_iter().map(|(_, mut members)| {
            members.sort_unstable();
            members.into_iter().map(|i| all[i]).collect()
        });
        sorted.collect()
    }

    /// A sequence that does not fall apart.
    fn connected(&mut self, order: &Order, operands: &[ExprId]) -> ExprId {
        if let [only] = operands {
            return *only;
        }
        let order = self.between(order, operands);
        let mut all = operands.to_vec();
        if all.len() <= FLAT {
            all = self.sorted(&order, &all);
        }
        if self.absorb
            && let Some(fewer) = self.absorbed(&order, &all)
        {
            let order = self.intern_order(order);
            return self.seq(order, &fewer);
        }
        let facts = Facts {
            lifelines: self.union(&all),
            nullable: all.iter().all(|&x| self.nullable(x)),
            size: self.sum(&all),
        };
        let order = self.intern_order(order);
        self.intern(Expr::Seq(order, all.into()), facts)
    }

    /// The least of the orders that differ in neighbours without conflict.
    fn sorted(&self, order: &Order, all: &[ExprId]) -> Vec<ExprId> {
        // By operand: which of those before it are in conflict with it, as bits.
        let waits: Vec<u64> = (0..all.len())
            .map(|i| {
                let own = self.lifelines(all[i]);
                let before = (0..i).filter(|&j| order.relates(self.lifelines(all[j]), own));
                before.fold(0, |bits, j| bits | 1 << j)
            })
            .collect();
        let mut left: u64 = u64::MAX >> (64 - all.len());
        let mut sorted = Vec::with_capacity(all.len());
        while left != 0 {
            let ready = (0..all.len()).filter(|&i| left & 1 << i != 0 && waits[i] & left == 0);
            let Some(next) = ready.min_by_key(|&i| all[i]) else { break };
            sorted.push(all[next]);
            left &= !(1 << next);
        }
        sorted
    }

    /// The operands without a loop that another one covers, if there is such.
    fn absorbed(&mut self, order: &Order, all: &[ExprId]) -> Option<Vec<ExprId>> {
        for i in 0..all.len() {
            if !matches!(self.expr(all[i]), Expr::Loop(..)) {
                continue;
            }
            for j in i + 1..all.len() {
                if !matches!(self.expr(all[j]), Expr::Loop(..)) {
                    continue;
                }
                // One of the two must be movable to the other.
                let apart = |x: usize, k: usize| {
                    !order.relates(self.lifelines(all[x]), self.lifelines(all[k]))
                };
                let first_moves = (i + 1..j).all(|k| apart(i, k));
                let second_moves = (i + 1..j).all(|k| apart(j, k));
                if !first_moves && !second_moves {
                    continue;
                }
                let mut fewer = all.to_vec();
                // What remains stands where both can stand.
                let kept = if self.covers(order, all[i], all[j]) {
                    all[j]
                } else if self.covers(order, all[j], all[i]) {
                    all[i]
                } else {
                    continue;
                };
                let (place, gone) = if first_moves { (j, i) } else { (i, j) };
                fewer[place] = kept;
                fewer.remove(gone);
                return Some(fewer);
            }
        }
        None
    }

    fn absorb_loops_of_par(&mut self, all: &mut Vec<(ExprId, u32)>) {
        let none = Order::default();
        let mut i = 0;
        while i < all.len() {
            let (own, count) = all[i];
            if matches!(self.expr(own), Expr::Loop(..)) {
                if count > 1 && self.covers(&none, own, own) {
                    all[i].1 = 1;
                }
                let others: Vec<ExprId> = all.iter().map(|&(x, _)| x).collect();
                let covered = others.iter().any(|&x| {
                    x != own && matches!(self.expr(x), Expr::Loop(..)) && self.covers(&none, own, x)
                });
                if covered {
                    all.remove(i);
                    continue;
                }
            }
            i += 1;
        }
    }

    /// Whether a loop beside a larger one, with these conflicts between the two, adds nothing.
    fn covers(&mut self, order: &Order, small: ExprId, large: ExprId) -> bool {
        let (&Expr::Loop(small_order, x), &Expr::Loop(large_order, y)) =
            (self.expr(small), self.expr(large))
        else {
            return false;
        };
        let (xs, ys) = (self.lifelines(x), self.lifelines(y));
        let large_order = &self.orders.items[large_order];
        xs.is_subset(ys)
            && large_order.within(xs) == *self.orders.items[small_order]
            && large_order.between([xs, ys].into_iter()) == order.between([xs, ys].into_iter())
            && self.includes(x, y)
    }

    /// Drops alternatives that others include.
    fn drop_included(&mut self, all: &mut Vec<ExprId>) {
        let mut i = 0;
        while i < all.len() {
            let own = all[i];
            if (0..all.len()).any(|j| j != i && self.includes(own, all[j])) {
                all.remove(i);
            } else {
                i += 1;
            }
        }
    }

    fn union(&self, exprs: &[ExprId]) -> LifelineSet {
        exprs.iter().fold(LifelineSet::EMPTY, |all, &x| all.union(self.lifelines(x)))
    }

    fn sum(&self, exprs: &[ExprId]) -> u32 {
        exprs.iter().map(|&x| self.size(x)).fold(0, u32::saturating_add)
    }
}
