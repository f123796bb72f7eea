//! Steps that begin an iteration of a loop, and steps that do not.
//!
//! Events that nobody sees could go on for ever, but only by beginning iterations: every other
//! event makes the expression smaller. By the *loop lemma* (a loop iteration none of whose events
//! is observed can be left out of a witness), what is explained at all is explained by a trace in
//! which every iteration begun from now on has an event that is observed from now on. An observed
//! event is in at most β iterations at once, one for each loop around it, where β is how deep
//! loops are nested. So if r moments are left, at most r·β iterations can be begun before the next
//! moment is observed.
//!
//! *Cost.* Each expression and event once more, for each of the two kinds of steps. *Switch.* None:
//! a search without the bound might not end. *Counter.* None.

use super::step::Ways;
use super::store::{Expr, ExprId, LeafId, Store};

/// Which steps are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Begins {
    /// Those that begin no iteration.
    Nothing,
    /// Those that begin one, or several inside each other.
    Iteration,
}

impl Store {
    /// What is left after an event, as far as it begins an iteration or does not.
    pub(crate) fn step_that(&mut self, begins: Begins, expr: ExprId, leaf: LeafId) -> ExprId {
        if !self.leaf(leaf).lifelines.is_subset(self.lifelines(expr)) {
            return Store::NEVER;
        }
        if let Some(&known) = self.stepped_that.get(&(begins, expr, leaf)) {
            return known;
        }
        if self.work() {
            return Store::NEVER;
        }
        let ways = super::deep(|| self.ways_that(begins, expr, leaf));
        let found = self.alt(ways);
        if self.is_spent() {
            return Store::NEVER;
        }
        self.stepped_that.insert((begins, expr, leaf), found);
        found
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
