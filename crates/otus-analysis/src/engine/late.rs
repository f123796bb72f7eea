//! Logs that start late: what remains after skipping some first events.
//!
//! Let Y be lifelines. `late_Y(x)` has the traces t for which x has a trace made
//! of events on Y, all skipped, and then t. A component that may start late is explained by
//! x iff it is explained by `late_Y(x)`, Y being its lifelines, if components are taken apart
//! ([`harm`](super::harm)): the skipped events come before all others *of the component*, and
//! no order with other components is left to respect. For several components this commutes, so one
//! node has them all; it is expanded for one of them at a time.
//!
//! # Equations
//!
//! ```text
//! late_Y(e)             = alt(e, ∅) if all lifelines of e are in Y, else e
//! late_Y(alt(x1, …))    = alt of the late_Y(xk);        the same for par
//! late_Y(sched_D(x, y)) = alt over Z ⊆ Y of sched_D(prune(late_Y(x), D(Z)), late_Z(y))
//! late_Y(loop_D(x))     = F(Y)
//!   F(Y) = loop_D(late_Y(x))   if no lifeline of x in Y is in a class of D
//!   F(Y) = alt(∅, alt over Z ⊊ Y of
//!              sched_D(loop_D(prune(late_Y(x), D(Y))), prune(late_Y(x), D(Z)), F(Z)))
//! ```
//!
//! Sequence: let Z be the lifelines on which events of y are skipped. Skipped events come first, so
//! no event of x in conflict with Z may remain. Loop: the lifelines on which iterations skip can
//! only become fewer from one iteration to the next; the middle operand is the first iteration
//! after which there are fewer.
//!
//! Only some Z are needed: `late_Z ⊑ late_Z′` if Z ⊆ Z′, so if also D(Z) = D(Z′) then Z′ covers Z.
//! It is enough to take, with the lifelines of Y that are in no class of D, any union of classes.
//!
//! Sequences and loops are kept as `Late` nodes and expanded when needed.
//!
//! *Cost.* Exponential in the number of classes of D that this one component has on both sides:
//! one alternative for each set of them in a sequence, one for each chain of such sets in a loop. It is
//! one class if the component is one lifeline, or the order is `strict`. Each `Late` node is expanded
//! once for each component.
//!
//! *Switch.* None: where components are taken apart this is what a late start means. With
//! `Options::relax` off, skipped events are searched for instead ([`coupled`](super::coupled)), so the
//! two are compared by the tests. *Counter.* None.

use otus_core::LifelineSet;

use super::order::Order;
use super::store::{Expr, ExprId, Facts, LeafId, SetId, Store};

impl Store {
    /// What remains of an expression after skipping first events on some lifelines.
    pub(crate) fn late(&mut self, skipped: SetId, expr: ExprId) -> ExprId {
        let own = self.sets.items[skipped].intersection(self.lifelines(expr));
        if own.is_empty() {
            return expr;
        }
        match self.expr(expr).clone() {
            Expr::Never | Expr::Empty => expr,
            Expr::Leaf(leaf) => {
                if self.leaf(leaf).lifelines.is_subset(&own) {
                    self.alt([expr, Store::EMPTY])
                } else {
                    expr
                }
            }
            Expr::Alt(alternatives) => {
                let all: Vec<ExprId> =
                    alternatives.iter().map(|&x| self.late(skipped, x)).collect();
                self.alt(all)
            }
            Expr::Par(operands) => {
                let all: Vec<(ExprId, u32)> =
                    operands.iter().map(|&(x, n)| (self.late(skipped, x), n)).collect();
                self.par(all)
            }
            // Skipping here and skipping there commute.
            Expr::Late(other, inner) => {
                let both = self.sets.items[other].union(&own);
                let both = self.set(&both);
                self.late(both, inner)
            }
            Expr::Seq(..) | Expr::Loop(..) => {
                let skipped = self.set(&own);
                let others = self.lifelines(expr).difference(&own);
                let others = self.set(&others);
                let facts = Facts {
                    lifelines: self.lifelines(expr).clone(),
                    word: self.facts[expr].word,
                    // All events of some trace are skipped.
                    nullable: self.prune(expr, others) != Store::NEVER,
                    size: self.size(expr).saturating_add(1),
                };
                if self.is_spent() {
                    return Store::NEVER;
                }
                self.intern(Expr::Late(skipped, expr), facts)
            }
        }
    }

    /// The component of an event, as lifelines. (Late nodes are only used where events have one.)
    pub(super) fn home(&self, leaf: LeafId) -> LifelineSet {
        let lifelines = &self.leaf(leaf).lifelines;
        let home = self.components.iter().find(|component| !component.is_disjoint(lifelines));
        home.cloned().unwrap_or(LifelineSet::EMPTY)
    }

    /// A `Late` node as an expression whose `Late` nodes for a component are further inside.
    pub(super) fn expand(&mut self, expr: ExprId, component: &LifelineSet) -> ExprId {
        let &Expr::Late(skipped, inner) = self.expr(expr) else { return expr };
        let here = self.sets.items[skipped].intersection(component);
        let elsewhere = self.sets.items[skipped].difference(component);
        if here.is_empty() {
            return expr;
        }
        let here = self.set(&here);
        if let Some(&known) = self.expanded.get(&(expr, here)) {
            return known;
        }
        if self.work() {
            return Store::NEVER;
        }
        let expanded = super::deep(|| self.expanded(here, inner));
        let elsewhere = self.set(&elsewhere);
        let found = self.late(elsewhere, expanded);
        if self.is_spent() {
            return Store::NEVER;
        }
        self.expanded.insert((expr, here), found);
        found
    }

    fn expanded(&mut self, skipped: SetId, inner: ExprId) -> ExprId {
        let own = self.sets.items[skipped].clone();
        match self.expr(inner).clone() {
            Expr::Seq(order, operands) => {
                let [first, rest @ ..] = &*operands else { return inner };
                let (first, rest) = (*first, self.seq(order, rest));
                let classes = self.order(order);
                let here = own.intersection(self.lifelines(rest));
                let late_first = self.late(skipped, first);
                let mut ways = Vec::new();
                for chosen in choices(&classes, &here, self.lifelines(first)) {
                    let conflicts = classes.conflicts(&chosen);
                    let (conflicts, chosen) = (self.set(&conflicts), self.set(&chosen));
                    let first = self.prune(late_first, conflicts);
                    let rest = self.late(chosen, rest);
                    ways.push(self.seq(order, &[first, rest]));
                }
                self.alt(ways)
            }
            Expr::Loop(order, body) => self.late_loop(inner, (order, body), &own),
            Expr::Never
            | Expr::Empty
            | Expr::Leaf(_)
            | Expr::Alt(_)
            | Expr::Par(_)
            | Expr::Late(..) => self.late(skipped, inner),
        }
    }

    /// F(Y) of the module's documentation.
    fn late_loop(
        &mut self,
        whole: ExprId,
        (order, body): (super::store::OrderId, ExprId),
        own: &LifelineSet,
    ) -> ExprId {
        let classes = self.order(order);
        let own = own.intersection(self.lifelines(body));
        if own.is_empty() {
            return whole;
        }
        let skipped = self.set(&own);
        let late_body = self.late(skipped, body);
        let conflicts = classes.conflicts(&own);
        if conflicts.is_empty() {
            return self.repeat(order, late_body);
        }
        let all = self.set(&conflicts);
        let skipping = self.prune(late_body, all);
        let skipping = self.repeat(order, skipping);
        let mut ways = vec![Store::EMPTY];
        for chosen in choices(&classes, &own, &own) {
            if chosen == own {
                continue;
            }
            let conflicts = classes.conflicts(&chosen);
            let conflicts = self.set(&conflicts);
            let turning = self.prune(late_body, conflicts);
            let after = self.late_loop(whole, (order, body), &chosen);
            ways.push(self.seq(order, &[skipping, turning, after]));
        }
        self.alt(ways)
    }

    /// The traces of a `Late` node without an event on some lifelines.
    pub(super) fn prune_late(
        &mut self,
        expr: ExprId,
        (skipped, inner): (SetId, ExprId),
        lifelines: SetId,
    ) -> ExprId {
        let own = self.sets.items[skipped].clone();
        let gone = self.sets.items[lifelines].clone();
        // What cannot be skipped must not be there.
        let outside = gone.difference(&own);
        if own.is_disjoint(&gone) || !outside.is_disjoint(self.lifelines(inner)) {
            let (outside, here) = (self.set(&outside), self.set(&own.intersection(&gone)));
            let inner = self.prune(inner, outside);
            let rest = self.late(skipped, inner);
            return self.prune(rest, here);
        }
        let component = self.components.iter().find(|component| {
            let here = component.intersection(&own);
            !here.is_disjoint(&gone)
        });
        let Some(component) = component.cloned() else { return expr };
        let here = own.intersection(&component);
        if here.is_subset(&gone) && component.intersection(self.lifelines(inner)) == here {
            // All of the component is skipped.
            let (here, elsewhere) = (self.set(&here), self.set(&own.difference(&component)));
            let inner = self.strip(inner, here);
            let rest = self.late(elsewhere, inner);
            return self.prune(rest, lifelines);
        }
        let expanded = self.expand(expr, &component);
        self.prune(expanded, lifelines)
    }
}

/// The sets of lifelines that need be considered (see the module's documentation): what of `here` is
/// in no conflict with `left`, with any of the classes that are.
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
