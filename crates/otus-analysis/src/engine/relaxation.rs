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
//! for a while. *Switch.* `Options::look_ahead`. *Counter.* `Counters::refuted`.

use super::order::Order;
use super::store::{Expr, ExprId, Leaf, Store};

impl Store {
    /// The fully relaxed expression.
    pub(crate) fn relax_fully(&mut self, expr: ExprId) -> ExprId {
        self.memoized(|store| &mut store.fully_relaxed, expr, |store| store.fully_relaxed(expr))
    }

    fn fully_relaxed(&mut self, expr: ExprId) -> ExprId {
        match self.expr(expr).clone() {
            Expr::Never | Expr::Empty => expr,
            Expr::Leaf(leaf) => {
                let leaf = self.leaf(leaf).clone();
                if leaf.parts.len() == 1 {
                    return expr;
                }
                let parts: Vec<(ExprId, u32)> = leaf
                    .parts
                    .iter()
                    .map(|&part| {
                        let here = &self.components[part.0.0 as usize];
                        let lifelines = leaf.lifelines.intersection(here);
                        (self.event(Leaf { lifelines, parts: Box::new([part]) }), 1)
                    })
                    .collect();
                self.par(parts)
            }
            Expr::Alt(operands) => self.alt_of(&operands, Store::relax_fully),
            Expr::Par(operands) => self.par_of(&operands, Store::relax_fully),
            Expr::Seq(order, operands) => {
                let all: Vec<ExprId> = operands.iter().map(|&x| self.relax_fully(x)).collect();
                let order = self.local(&self.order(order));
                let order = self.intern_order(order);
                self.seq(order, &all)
            }
            Expr::Loop(order, body) => {
                let body = self.relax_fully(body);
                let order = self.local(&self.order(order));
                let order = self.intern_order(order);
                self.repeat(order, body)
            }
            Expr::Suffix(skipped, inner) => {
                let inner = self.relax_fully(inner);
                self.suffix(skipped, inner)
            }
        }
    }

    /// The conflicts inside components.
    fn local(&self, order: &Order) -> Order {
        let pieces = order.classes().flat_map(|class| {
            let pieces = self.components.iter().map(move |here| here.intersection(&class));
            pieces.filter(|piece| !piece.is_empty()).collect::<Vec<_>>()
        });
        Order::new(pieces)
    }
}
