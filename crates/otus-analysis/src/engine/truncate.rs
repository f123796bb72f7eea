//! Truncation for global prefixes: events that cannot happen any more because a log is over.
//!
//! In a global prefix every component was observed up to the same time, so once a log is
//! consumed, nothing happens on that component any more; and nothing need be completed. Let E
//! be the lifelines of such components. An event that touches E is *dead*: it will not happen, but
//! it may block events that stand behind it in conflict with it.
//!
//! **Claim 1.** Replacing by ∅ every dead event that has no live event in conflict with it to its
//! right (nor in later iterations) leaves the prefixes without dead events unchanged.
//!
//! *Proof.* Let t be such a prefix. If a trace of the original begins with t, remove the replaced
//! dead events: operators only constrain pairs of events that are present, so the rest is a trace
//! of the truncated expression, and it begins with t. Conversely let t be a prefix of a trace u of
//! the truncated expression, and put the replaced dead events back into the alternatives and
//! iterations that u chose. Order all events: first t, then the rest from left to right as in the
//! interaction. Two events in conflict are then in the order of the interaction: if both are in t,
//! because t is a prefix of u; if neither is, by construction; and if f is in t and g is not, then
//! g is not to the left of f, for otherwise g would precede f in u, or be a replaced event although
//! the live f is to its right. ∎
//!
//! **Claim 2.** If x has no live event that can happen first, and y is nullable, then `alt(x, y)`
//! may be replaced by y; and x by ∅ if it is nullable.
//!
//! *Proof.* No event of x is in a prefix without dead events. If such a prefix chooses x, it can
//! choose the empty trace instead, because nothing to the right waits for that. ∎
//!
//! *Cost.* One walk for each expression, E, and set of lifelines that matter to the right, memoized.

use otus_core::LifelineSet;

use super::store::{Expr, ExprId, SetId, Store};

impl Store {
    /// The expression without dead events that block nothing.
    pub(crate) fn truncate(&mut self, expr: ExprId, over: SetId) -> ExprId {
        self.truncate_before(expr, over, &LifelineSet::EMPTY)
    }

    /// Like [`Store::truncate`], where dead events on some lifelines block live events to the
    /// right.
    fn truncate_before(&mut self, expr: ExprId, over: SetId, blocking: &LifelineSet) -> ExprId {
        if self.sets.items[over].is_disjoint(self.lifelines(expr)) {
            return expr;
        }
        let blocking = blocking.intersection(self.lifelines(expr));
        let key = (expr, over, self.set(&blocking));
        let compute = |store: &mut Store| {
            let found = store.truncate_inside(expr, over, &blocking);
            let is_void = store.nullable(found) && store.is_idle(found, over);
            if is_void { Store::EMPTY } else { found }
        };
        self.worked(|store| &mut store.truncated, key, compute)
    }

    fn truncate_inside(&mut self, expr: ExprId, over: SetId, blocking: &LifelineSet) -> ExprId {
        match self.expr(expr).clone() {
            Expr::Leaf(leaf) => {
                let own = &self.leaf(leaf).lifelines;
                // `truncate_before` returns expressions without dead events at once, so this leaf
                // is a dead event.
                if own.is_disjoint(blocking) { Store::EMPTY } else { expr }
            }
            Expr::Alt(alternatives) => {
                let mut all: Vec<ExprId> =
                    alternatives.iter().map(|&x| self.truncate_before(x, over, blocking)).collect();
                if all.iter().any(|&x| self.nullable(x)) {
                    all.retain(|&x| !self.is_idle(x, over));
                    all.push(Store::EMPTY);
                }
                self.alt(all)
            }
            Expr::Never | Expr::Empty | Expr::Par(_) => {
                self.map(expr, |store, x| store.truncate_before(x, over, blocking))
            }
            Expr::Seq(order, operands) => {
                let classes = self.order(order);
                let mut blocking = blocking.clone();
                let mut all = Vec::with_capacity(operands.len());
                for &operand in operands.iter().rev() {
                    let left = self.truncate_before(operand, over, &blocking);
                    let live = self.lifelines(left).difference(&self.sets.items[over]);
                    blocking = blocking.union(&classes.conflicts(&live));
                    all.push(left);
                }
                all.reverse();
                self.seq(order, &all)
            }
            Expr::Loop(order, body) => {
                let live = self.lifelines(body).difference(&self.sets.items[over]);
                let blocking = blocking.union(&self.order(order).conflicts(&live));
                let body = self.truncate_before(body, over, &blocking);
                self.repeat(order, body)
            }
            // No log starts late in a global prefix.
            Expr::Suffix(..) => expr,
        }
    }

    /// Whether no live event can happen first; `false` if unknown.
    fn is_idle(&mut self, expr: ExprId, over: SetId) -> bool {
        if let Some(&known) = self.idle.get(&(expr, over)) {
            return known;
        }
        let found = match self.expr(expr).clone() {
            Expr::Never | Expr::Empty => true,
            Expr::Leaf(leaf) => !self.leaf(leaf).lifelines.is_disjoint(&self.sets.items[over]),
            Expr::Seq(order, operands) => {
                let classes = self.order(order);
                let mut blocked = LifelineSet::EMPTY;
                operands.iter().all(|&x| {
                    let idle = super::deep(|| self.is_idle(x, over));
                    let waits = self.lifelines(x).is_subset(&blocked);
                    // If one class has all lifelines of x, then everything in conflict with them
                    // waits for x, whichever of its events come first.
                    let class = classes.classes().find(|class| self.lifelines(x).is_subset(class));
                    if let Some(class) = class.filter(|_| idle && !self.nullable(x)) {
                        blocked = blocked.union(&class);
                    }
                    idle || waits
                })
            }
            form @ (Expr::Alt(_) | Expr::Par(_) | Expr::Loop(..) | Expr::Suffix(..)) => {
                form.operands().all(|x| super::deep(|| self.is_idle(x, over)))
            }
        };
        self.idle.insert((expr, over), found);
        found
    }
}
