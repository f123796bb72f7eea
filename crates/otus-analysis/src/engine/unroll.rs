//! Steps that begin an iteration of a loop, and steps that do not.
//!
//! Unobserved events could go on forever, but only by beginning iterations, because every other
//! event makes the expression smaller. By the *loop lemma* (a loop iteration none of whose events
//! is observed can be left out of a witness), whatever is explained at all is explained by a trace
//! in which every iteration begun from now on has an event that is observed from now on. An
//! observed event is in at most β iterations at once, one for each loop around it, where β is the
//! nesting depth of loops. So if r moments are left, at most r·β iterations need to be begun before
//! the next moment is observed.
//!
//! *Cost.* Each pair of an expression and an event is computed once for each of the two kinds of
//! steps.

use super::step::Ways;
use super::store::{Expr, ExprId, LeafId, Store};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Begins {
    /// Steps that begin no iteration.
    Nothing,
    /// Steps that begin one iteration, or several nested ones.
    Iteration,
}

impl Store {
    /// The residual after an event, by the steps of one kind.
    pub(crate) fn step_that(&mut self, begins: Begins, expr: ExprId, leaf: LeafId) -> ExprId {
        if !self.leaf(leaf).lifelines.is_subset(self.lifelines(expr)) {
            return Store::NEVER;
        }
        let compute = |store: &mut Store| {
            let ways = store.ways_that(begins, expr, leaf);
            store.alt(ways)
        };
        self.worked(|store| &mut store.stepped_that, (begins, expr, leaf), compute)
    }

    fn ways_that(&mut self, begins: Begins, expr: ExprId, leaf: LeafId) -> Ways {
        let step = |store: &mut Store, operand| store.step_that(begins, operand, leaf);
        match (self.expr(expr).clone(), begins) {
            (Expr::Loop(..), Begins::Nothing) | (Expr::Leaf(_), Begins::Iteration) => Ways::new(),
            (Expr::Loop(..), Begins::Iteration) => Ways::from_elem(self.step(expr, leaf), 1),
            _ => self.ways_by(expr, leaf, step),
        }
    }
}
