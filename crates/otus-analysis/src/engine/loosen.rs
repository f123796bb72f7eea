//! Forgetting what is across components, exact or not.
//!
//! An expression whose conflicts are cut down to those inside components, and whose events fall
//! apart into what each component sees, has at least the multi-traces of the original. If it
//! does not explain what is left then nothing does. It is quickly asked
//! ([`search`](super::search)), so coupled searches look ahead with it.
//!
//! **Claim.** What the loosened expression does not explain, the original does not.
//!
//! *Proof.* A trace of the original, each event replaced by its parts one after the other, respects the
//! conflicts that are left, which are some of those it respects already, and components see the same
//! in it. ∎
//!
//! *Cost.* Each expression is loosened once. A question may take 128 states, the first one as
//! many as it needs; questions are asked only after some dead ends, or when nothing more was consumed
//! for a while. *Switch.* `Options::look_ahead`. *Counter.* `Counters::refuted`.

use super::order::Order;
use super::store::{Expr, ExprId, Leaf, Store};

impl Store {
    /// The expression with only what each component can tell.
    pub(crate) fn loosen(&mut self, expr: ExprId) -> ExprId {
        if let Some(&known) = self.loosened.get(&expr) {
            return known;
        }
        let found = super::deep(|| self.loosened(expr));
        if self.is_spent() {
            return Store::NEVER;
        }
        self.loosened.insert(expr, found);
        found
    }

    fn loosened(&mut self, expr: ExprId) -> ExprId {
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
            Expr::Alt(operands) => {
                let all: Vec<ExprId> = operands.iter().map(|&x| self.loosen(x)).collect();
                self.alt(all)
            }
            Expr::Par(operands) => {
                let all: Vec<(ExprId, u32)> =
                    operands.iter().map(|&(x, n)| (self.loosen(x), n)).collect();
                self.par(all)
            }
            Expr::Seq(order, operands) => {
                let all: Vec<ExprId> = operands.iter().map(|&x| self.loosen(x)).collect();
                let order = self.local(&self.order(order));
                let order = self.intern_order(order);
                self.seq(order, &all)
            }
            Expr::Loop(order, body) => {
                let body = self.loosen(body);
                let order = self.local(&self.order(order));
                let order = self.intern_order(order);
                self.repeat(order, body)
            }
            Expr::Late(skipped, inner) => {
                let inner = self.loosen(inner);
                self.late(skipped, inner)
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
