//! Pruning: the traces without an event on some lifelines.
//!
//! ```text
//! prune(e, X)               = e, or never if e is on a lifeline of X
//! prune(alt(x1, …), X)      = alt of the prune(xk, X)
//! prune(sched_D(x1, …), X)  = sched_D(prune(x1, X), …)
//! prune(loop_D(x), X)       = loop_D(prune(x, X)), which is ∅ if nothing is left of x
//! ```
//!
//! *Cost.* One walk over the expression. Each pair of an expression and a set of lifelines is
//! pruned once.

use super::store::{Expr, ExprId, SetId, Store};

impl Store {
    /// The traces without events on these lifelines.
    pub(crate) fn prune(&mut self, expr: ExprId, lifelines: SetId) -> ExprId {
        if self.lifelines(expr).is_disjoint(&self.sets.items[lifelines]) {
            return expr;
        }
        let key = (expr, lifelines);
        self.worked(|store| &mut store.pruned, key, |store| store.pruned(expr, lifelines))
    }

    fn pruned(&mut self, expr: ExprId, lifelines: SetId) -> ExprId {
        match *self.expr(expr) {
            // Leaves on other lifelines were returned by `prune`.
            Expr::Leaf(_) => Store::NEVER,
            Expr::Suffix(skipped, inner) => self.prune_suffix(expr, skipped, inner, lifelines),
            Expr::Never
            | Expr::Empty
            | Expr::Alt(_)
            | Expr::Par(_)
            | Expr::Seq(..)
            | Expr::Loop(..) => self.map(expr, |store, x| store.prune(x, lifelines)),
        }
    }
}
