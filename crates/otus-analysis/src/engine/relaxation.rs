//! Full relaxation: forgets all causality across components, exact or not.
//!
//! The fully relaxed expression restricts conflicts to those inside components, and splits events
//! into the parts that each component observes. It has at least the multi-traces of the original.
//! It is fast to search ([`decoupled`](super::decoupled)), so coupled searches use it for
//! look-ahead.
//!
//! **Claim.** What the fully relaxed expression does not explain, the original does not explain.
//!
//! *Proof.* Take a trace of the original and replace each event by its parts one after the other.
//! It respects the remaining conflicts, which are some of the original ones, and components observe
//! the same in it. ∎
//!
//! *Cost.* Each expression is relaxed once. A look-ahead may take 128 states, the first one as
//! many as it needs. It is only used after some dead ends, or when nothing more was consumed
//! for a while.

use super::order::Order;
use super::store::{Expr, ExprId, Leaf, OrderId, Store};

impl Store {
    pub(crate) fn relax_fully(&mut self, expr: ExprId) -> ExprId {
        self.memoized(|store| &mut store.fully_relaxed, expr, |store| store.fully_relaxed(expr))
    }

    fn fully_relaxed(&mut self, expr: ExprId) -> ExprId {
        match self.expr(expr).clone() {
            Expr::Leaf(leaf) if self.leaf(leaf).parts.len() > 1 => {
                let leaf = self.leaf(leaf).clone();
                let parts = leaf.parts.iter().map(|&part| {
                    let here = &self.components[part.0.0 as usize];
                    let lifelines = leaf.lifelines.intersection(here);
                    (self.event(Leaf { lifelines, parts: Box::new([part]) }), 1)
                });
                let parts: Vec<(ExprId, u32)> = parts.collect();
                self.par(parts)
            }
            Expr::Seq(order, operands) => {
                let all: Vec<ExprId> = operands.iter().map(|&x| self.relax_fully(x)).collect();
                let order = self.local(order);
                self.seq(order, &all)
            }
            Expr::Loop(order, body) => {
                let body = self.relax_fully(body);
                let order = self.local(order);
                self.repeat(order, body)
            }
            Expr::Never | Expr::Empty | Expr::Leaf(_) => expr,
            Expr::Alt(_) | Expr::Par(_) | Expr::Suffix(..) => self.map(expr, Store::relax_fully),
        }
    }

    /// The conflicts inside components.
    fn local(&mut self, order: OrderId) -> OrderId {
        let order = self.order(order);
        let pieces = order
            .classes()
            .flat_map(|class| self.components.iter().map(move |here| here.intersection(&class)));
        let local = Order::new(pieces);
        self.intern_order(local)
    }
}
