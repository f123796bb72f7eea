//! Steps: the residual of an expression after an event.
//!
//! `∂_e x` denotes all t with e.t a trace of x. It is the alternative of the residuals for
//! each way in which e can come first. With D(e) for the lifelines in conflict with e,
//!
//! ```text
//! ∂_e e = ∅
//! ∂_e alt(x1, …)        = alt of the ∂_e xk
//! ∂_e sched_D(x1, …)    = alt over k of sched_D(prune(x1, D(e)), …, ∂_e xk, …)
//! ∂_e loop_D(x)         = sched_D(loop_D(prune(x, D(e))), ∂_e x, loop_D(x))
//! ```
//!
//! These are the rules of the paper with all follow-ups of one event combined.
//!
//! *Cost.* Each pair of an expression and an event is computed once. The combined expression can
//! grow, so searches split it beyond some multiple of the size they began with.

use smallvec::SmallVec;

use super::store::{Expr, ExprId, LeafId, Store};

/// The residuals after an event, for each way in which it can come first.
pub(super) type Ways = SmallVec<[ExprId; 8]>;

impl Store {
    /// The residual after an event, over all ways in which it can come first; `NEVER` if it cannot.
    #[inline]
    pub(crate) fn step(&mut self, expr: ExprId, leaf: LeafId) -> ExprId {
        if let Some(known) = self.stepped.get(expr, leaf) {
            return ExprId(known);
        }
        self.first_step(expr, leaf)
    }

    /// Whether the event of a leaf can come first in the expression. The residual is not computed
    /// if the operands already decide this.
    pub(crate) fn can_begin(&mut self, expr: ExprId, leaf: LeafId) -> bool {
        if let Some(known) = self.stepped.get(expr, leaf) {
            return ExprId(known) != Store::NEVER;
        }
        let form = self.expr(expr).clone();
        if !matches!(form, Expr::Alt(_) | Expr::Par(_)) {
            return self.step(expr, leaf) != Store::NEVER;
        }
        form.operands().any(|operand| self.step(operand, leaf) != Store::NEVER)
    }

    /// A step that is not memoized yet.
    #[inline(never)]
    fn first_step(&mut self, expr: ExprId, leaf: LeafId) -> ExprId {
        if !self.leaf(leaf).lifelines.is_subset(self.lifelines(expr)) {
            return Store::NEVER;
        }
        if self.work() {
            return Store::NEVER;
        }
        let step = |store: &mut Store, operand| store.step(operand, leaf);
        let ways = super::deep(|| self.ways_by(expr, leaf, step));
        let found = self.alt(ways);
        if self.is_spent() {
            return Store::NEVER;
        }
        self.stepped.insert(expr, leaf, self.leaves.items.len(), found.0);
        found
    }

    /// The residual of each way, as far as the outermost operator distinguishes ways. A function
    /// gives the steps of the operands.
    pub(super) fn ways_by(
        &mut self,
        expr: ExprId,
        leaf: LeafId,
        step: impl Fn(&mut Store, ExprId) -> ExprId,
    ) -> Ways {
        let mut ways = Ways::new();
        match self.expr(expr).clone() {
            Expr::Never | Expr::Empty => {}
            Expr::Leaf(own) => {
                if own == leaf {
                    ways.push(Store::EMPTY);
                }
            }
            Expr::Alt(alternatives) => {
                for &alternative in alternatives.iter() {
                    ways.push(step(self, alternative));
                }
            }
            Expr::Par(operands) => {
                for (k, &(operand, _)) in operands.iter().enumerate() {
                    let next = step(self, operand);
                    if next != Store::NEVER {
                        ways.push(self.par_with(&operands, k, next));
                    }
                }
            }
            Expr::Seq(order, operands) => {
                let conflicts = self.orders.items[order].conflicts(&self.leaf(leaf).lifelines);
                let conflicts = self.set(&conflicts);
                let mut all: SmallVec<[ExprId; 16]> = SmallVec::from_slice(&operands);
                for (k, &operand) in operands.iter().enumerate() {
                    let here = self.leaf(leaf).lifelines.is_subset(self.lifelines(operand));
                    let next = if here { step(self, operand) } else { Store::NEVER };
                    if next != Store::NEVER {
                        all[k] = next;
                        let way = self.seq(order, &all);
                        ways.push(way);
                    }
                    all[k] = self.prune(operand, conflicts);
                    if all[k] == Store::NEVER {
                        break;
                    }
                }
            }
            Expr::Loop(order, body) => {
                let next = step(self, body);
                if next != Store::NEVER {
                    let conflicts = self.orders.items[order].conflicts(&self.leaf(leaf).lifelines);
                    let conflicts = self.set(&conflicts);
                    let before = self.prune(body, conflicts);
                    let before = self.repeat(order, before);
                    let way = self.seq(order, &[before, next, expr]);
                    ways.push(way);
                }
            }
            Expr::Suffix(skipped, inner) => {
                // `Suffix` nodes only occur where events have one component.
                let home = self.homes(leaf);
                if self.sets.items[skipped].is_disjoint(&home) {
                    let next = step(self, inner);
                    let way = self.suffix(skipped, next);
                    ways.push(way);
                } else {
                    let expanded = self.expand(expr, &home);
                    ways.push(step(self, expanded));
                }
            }
        }
        ways
    }
}
