//! Garbage collection of expressions, so that tables do not grow without bound.
//!
//! Expressions are numbered in order of creation, operands before the expressions that have them.
//! Keeping only the subexpressions of some roots, in the same order, keeps sorted operands sorted;
//! everything else is computed again when it is needed.
//!
//! **Claim.** Every later question has the same answer.
//!
//! *Proof.* Tables only hold results that can be computed from expressions. A kept expression has
//! the same operands under new numbers, in the same relative order, hence the same form. ∎
//!
//! *Cost.* One walk over the table of expressions. It is done only between analyses, when tables
//! have outgrown 256 MiB or half of the memory budget; within an analysis every expression may be
//! met again.

use otus_core::index::{Index as _, IndexVec};
use otus_core::intern::Interner;
use rustc_hash::FxHashMap;

use super::memo::LeafMemo;
use super::store::{Expr, ExprId, Store};

impl Store {
    /// Keeps these expressions, which get new numbers, and their subexpressions.
    pub(crate) fn compact(&mut self, roots: &mut [&mut ExprId]) {
        let mut kept = vec![false; self.len()];
        let mut pending: Vec<ExprId> = roots.iter().map(|root| **root).collect();
        pending.extend([Store::NEVER, Store::EMPTY]);
        while let Some(expr) = pending.pop() {
            if !std::mem::replace(&mut kept[expr.index()], true) {
                pending.extend(self.expr(expr).operands());
            }
        }
        let exprs = std::mem::take(&mut self.exprs.items);
        let facts = std::mem::take(&mut self.facts);
        self.forget();
        let mut renamed: IndexVec<ExprId, ExprId> = IndexVec::filled(Store::NEVER, kept.len());
        for index in (0..kept.len()).filter(|&index| kept[index]) {
            let old = ExprId::new(index);
            let expr = match &exprs[old] {
                Expr::Alt(operands) => Expr::Alt(operands.iter().map(|&x| renamed[x]).collect()),
                Expr::Seq(order, operands) => {
                    Expr::Seq(*order, operands.iter().map(|&x| renamed[x]).collect())
                }
                Expr::Par(operands) => {
                    Expr::Par(operands.iter().map(|&(x, n)| (renamed[x], n)).collect())
                }
                Expr::Loop(order, inner) => Expr::Loop(*order, renamed[*inner]),
                Expr::Suffix(skipped, inner) => Expr::Suffix(*skipped, renamed[*inner]),
                leaf @ (Expr::Never | Expr::Empty | Expr::Leaf(_)) => leaf.clone(),
            };
            renamed[old] = self.intern(expr, facts[old].clone());
        }
        for root in roots {
            **root = renamed[**root];
        }
    }

    /// Empties all tables of expressions, and gives their memory back, which [`Store::bytes`] counts.
    fn forget(&mut self) {
        self.exprs = Interner::default();
        self.stepped = LeafMemo::default();
        self.stepped_that = FxHashMap::default();
        self.pruned = FxHashMap::default();
        self.erased = FxHashMap::default();
        self.truncated = FxHashMap::default();
        self.idle = FxHashMap::default();
        self.prefix_reduced = FxHashMap::default();
        self.initial = FxHashMap::default();
        self.expanded = FxHashMap::default();
        self.greedy = FxHashMap::default();
        self.included = FxHashMap::default();
        self.waiting = FxHashMap::default();
        self.occurring = LeafMemo::default();
        self.independent = LeafMemo::default();
        self.fully_relaxed = FxHashMap::default();
        self.forced = FxHashMap::default();
        self.boxed = 0;
    }
}

#[cfg(test)]
mod tests {
    use otus_core::{LifelineId, LifelineSet};
    use otus_trace::multitrace::ComponentId;

    use super::*;
    use crate::engine::order::Order;
    use crate::engine::store::{Leaf, SymbolId};

    #[test]
    fn what_is_kept_means_the_same() {
        let here = LifelineSet::singleton(LifelineId(0));
        let mut store = Store::new(vec![here.clone()], true);
        let leaf = |store: &mut Store, number| {
            let parts = Box::new([(ComponentId(0), SymbolId(number))]);
            store.event(Leaf { lifelines: here.clone(), parts })
        };
        let (a, b, c) = (leaf(&mut store, 0), leaf(&mut store, 1), leaf(&mut store, 2));
        let order = store.intern_order(Order::diagonal(LifelineSet::singleton(LifelineId(0))));
        let _unused = store.seq(order, &[c, b, a]);
        let either = store.alt([a, c]);
        let body = store.seq(order, &[either, b]);
        let mut root = store.repeat(order, body);
        let before = store.len();
        let Expr::Leaf(first) = *store.expr(a) else { panic!("a leaf") };
        let stepped = store.step(root, first);
        let size = store.size(stepped);
        let bytes = store.bytes();
        store.compact(&mut [&mut root]);
        assert!(store.len() < before && store.bytes() < bytes);
        let again = store.step(root, first);
        assert_eq!(store.size(again), size);
        // An expression that is built again gets the same number.
        let (a, b, c) = (leaf(&mut store, 0), leaf(&mut store, 1), leaf(&mut store, 2));
        let either = store.alt([a, c]);
        let body = store.seq(order, &[either, b]);
        assert_eq!(store.repeat(order, body), root);
    }
}
