//! Logs that start late: the suffixes after skipping some first events.
//!
//! Let Y be lifelines. `suffix_Y(x)` has the traces t such that x has a trace that consists of
//! skipped events on Y followed by t. If components are decoupled ([`coupling`](super::coupling)),
//! a component with lifelines Y that may start late is explained by x iff it is explained by
//! `suffix_Y(x)`: the skipped events come before all others *of the component*, and no order with
//! other components is left to respect. Skipping on several components commutes, so one node holds
//! them all; it is expanded for one of them at a time.
//!
//! # Equations
//!
//! ```text
//! suffix_Y(e)             = alt(e, ∅) if all lifelines of e are in Y, else e
//! suffix_Y(alt(x1, …))    = alt of the suffix_Y(xk);        the same for par
//! suffix_Y(sched_D(x, y)) = alt over Z ⊆ Y of sched_D(prune(suffix_Y(x), D(Z)), suffix_Z(y))
//! suffix_Y(loop_D(x))     = F(Y)
//!   F(Y) = loop_D(suffix_Y(x))   if no lifeline of x in Y is in a class of D
//!   F(Y) = alt(∅, alt over Z ⊊ Y of
//!              sched_D(loop_D(prune(suffix_Y(x), D(Y))), prune(suffix_Y(x), D(Z)), F(Z)))
//! ```
//!
//! Sequence: let Z be the lifelines on which events of y are skipped. Skipped events come first, so
//! no event of x in conflict with Z may remain. Loop: the set of lifelines on which iterations skip
//! can only shrink from one iteration to the next; the middle operand is the first iteration after
//! which it is smaller.
//!
//! Not every Z is needed. If Z ⊆ Z′ then `suffix_Z ⊑ suffix_Z′`; if also D(Z) = D(Z′), the
//! alternative of Z′ includes that of Z. It suffices to take the lifelines of Y that are in no
//! class of D, together with any union of classes.
//!
//! Sequences and loops are kept as `Suffix` nodes and expanded when needed.
//!
//! *Cost.* Exponential in the number of classes of D that this one component has on both sides: one
//! alternative for each set of them in a sequence, one for each chain of such sets in a loop. It is
//! one class if the component is one lifeline, or the order is `strict`. Each `Suffix` node is
//! expanded once for each component.
//!
//! With `Options::relax` off, a search tries to skip events instead ([`coupled`](super::coupled)).
//! The tests compare both methods.

use otus_core::LifelineSet;

use super::order::Order;
use super::store::{Expr, ExprId, Facts, OrderId, SetId, Store};

impl Store {
    /// The suffixes of an expression after skipping first events on some lifelines.
    pub(crate) fn suffix(&mut self, skipped: SetId, expr: ExprId) -> ExprId {
        let own = self.sets.items[skipped].intersection(self.lifelines(expr));
        if own.is_empty() {
            return expr;
        }
        match self.expr(expr).clone() {
            Expr::Leaf(leaf) if self.leaf(leaf).lifelines.is_subset(&own) => {
                self.alt([expr, Store::EMPTY])
            }
            Expr::Never | Expr::Empty | Expr::Leaf(_) | Expr::Alt(_) | Expr::Par(_) => {
                self.map(expr, |store, x| store.suffix(skipped, x))
            }
            // Skipping on different lifelines commutes.
            Expr::Suffix(other, inner) => {
                let both = self.sets.items[other].union(&own);
                let both = self.set(&both);
                self.suffix(both, inner)
            }
            Expr::Seq(..) | Expr::Loop(..) => {
                let skipped = self.set(&own);
                let others = self.lifelines(expr).difference(&own);
                let others = self.set(&others);
                let facts = Facts {
                    lifelines: self.lifelines(expr).clone(),
                    word: self.facts[expr].word,
                    // Nullable if all events of some trace can be skipped.
                    nullable: self.prune(expr, others) != Store::NEVER,
                    size: self.size(expr).saturating_add(1),
                };
                if self.is_spent() {
                    return Store::NEVER;
                }
                self.intern(Expr::Suffix(skipped, expr), facts)
            }
        }
    }

    /// A `Suffix` node in which the skipping on one component is moved to the operands.
    pub(super) fn expand(&mut self, expr: ExprId, component: &LifelineSet) -> ExprId {
        let &Expr::Suffix(skipped, inner) = self.expr(expr) else { return expr };
        let here = self.sets.items[skipped].intersection(component);
        let elsewhere = self.sets.items[skipped].difference(component);
        if here.is_empty() {
            return expr;
        }
        let here = self.set(&here);
        let compute = |store: &mut Store| {
            let expanded = store.expanded(here, inner);
            let elsewhere = store.set(&elsewhere);
            store.suffix(elsewhere, expanded)
        };
        self.worked(|store| &mut store.expanded, (expr, here), compute)
    }

    fn expanded(&mut self, skipped: SetId, inner: ExprId) -> ExprId {
        let own = self.sets.items[skipped].clone();
        match self.expr(inner).clone() {
            Expr::Seq(order, operands) => {
                let [first, rest @ ..] = &*operands else { return inner };
                let (first, rest) = (*first, self.seq(order, rest));
                let classes = self.order(order);
                let here = own.intersection(self.lifelines(rest));
                let first_suffix = self.suffix(skipped, first);
                let mut ways = Vec::new();
                for chosen in choices(&classes, &here, self.lifelines(first)) {
                    let conflicts = classes.conflicts(&chosen);
                    let (conflicts, chosen) = (self.set(&conflicts), self.set(&chosen));
                    let first = self.prune(first_suffix, conflicts);
                    let rest = self.suffix(chosen, rest);
                    ways.push(self.seq(order, &[first, rest]));
                }
                self.alt(ways)
            }
            Expr::Loop(order, body) => self.suffix_loop(inner, order, body, &own),
            Expr::Never | Expr::Empty | Expr::Leaf(_) => self.suffix(skipped, inner),
            Expr::Alt(_) | Expr::Par(_) | Expr::Suffix(..) => self.suffix(skipped, inner),
        }
    }

    /// F(Y) of the module documentation.
    fn suffix_loop(
        &mut self,
        whole: ExprId,
        order: OrderId,
        body: ExprId,
        own: &LifelineSet,
    ) -> ExprId {
        let classes = self.order(order);
        let own = own.intersection(self.lifelines(body));
        if own.is_empty() {
            return whole;
        }
        let skipped = self.set(&own);
        let body_suffix = self.suffix(skipped, body);
        let conflicts = classes.conflicts(&own);
        if conflicts.is_empty() {
            return self.repeat(order, body_suffix);
        }
        let all = self.set(&conflicts);
        let skipping = self.prune(body_suffix, all);
        let skipping = self.repeat(order, skipping);
        let mut ways = vec![Store::EMPTY];
        for chosen in choices(&classes, &own, &own) {
            if chosen == own {
                continue;
            }
            let conflicts = classes.conflicts(&chosen);
            let conflicts = self.set(&conflicts);
            let turning = self.prune(body_suffix, conflicts);
            let after = self.suffix_loop(whole, order, body, &chosen);
            ways.push(self.seq(order, &[skipping, turning, after]));
        }
        self.alt(ways)
    }

    /// The traces of a `Suffix` node without events on some lifelines.
    pub(super) fn prune_suffix(
        &mut self,
        expr: ExprId,
        skipped: SetId,
        inner: ExprId,
        lifelines: SetId,
    ) -> ExprId {
        let own = self.sets.items[skipped].clone();
        let gone = self.sets.items[lifelines].clone();
        // An event that cannot be skipped must not occur.
        let outside = gone.difference(&own);
        if own.is_disjoint(&gone) || !outside.is_disjoint(self.lifelines(inner)) {
            let (outside, here) = (self.set(&outside), self.set(&own.intersection(&gone)));
            let inner = self.prune(inner, outside);
            let rest = self.suffix(skipped, inner);
            return self.prune(rest, here);
        }
        let both = own.intersection(&gone);
        let component = self.components.iter().find(|component| !component.is_disjoint(&both));
        let Some(component) = component.cloned() else { return expr };
        let here = own.intersection(&component);
        if here.is_subset(&gone) && component.intersection(self.lifelines(inner)) == here {
            // All events of the component are skipped.
            let (here, elsewhere) = (self.set(&here), self.set(&own.difference(&component)));
            let inner = self.erase(inner, here);
            let rest = self.suffix(elsewhere, inner);
            return self.prune(rest, lifelines);
        }
        let expanded = self.expand(expr, &component);
        self.prune(expanded, lifelines)
    }
}

/// The sets of lifelines that need to be considered (see the module documentation): the lifelines
/// of `here` without conflict with `left`, together with any union of the classes in conflict.
fn choices(order: &Order, here: &LifelineSet, left: &LifelineSet) -> Vec<LifelineSet> {
    let mut free = here.clone();
    let mut all = Vec::new();
    let mut bound: Vec<LifelineSet> = Vec::new();
    for class in order.classes() {
        if !class.is_disjoint(left) && !class.is_disjoint(here) {
            free = free.difference(&class);
            bound.push(class.intersection(here));
        }
    }
    all.push(free);
    for class in bound {
        let with: Vec<LifelineSet> = all.iter().map(|set| set.union(&class)).collect();
        all.extend(with);
    }
    all
}
