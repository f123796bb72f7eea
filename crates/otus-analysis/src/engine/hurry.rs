//! Slices, with luck: one log after the other.
//!
//! A log that may start late leaves open where it starts, and several such logs leave open how
//! they lie to each other: there may be a great many ways, most of them as good as any other. In an
//! interaction that repeats itself, one way is nearly always right: first all of one log, then
//! all of the next, in later iterations. So that is tried before anything else: as long as a log
//! has not begun, its events in what stands before a loop are skipped.
//!
//! **Claim.** Let `x.L` be a sequence in which L is a loop. `late_Y(x.L)` has all traces of
//! `strip_Y(x).late_Y(L)`.
//!
//! *Proof.* It is the case Z = Y of the equation for sequences ([`late`](super::late)), since
//! pruning Y from `late_Y(x)` is to skip all of it. ∎
//!
//! Where order between components matters ([`coupled`](super::coupled)), the same is done by letting
//! happen at once what stands outside of loops, waits for nothing, and is on components that see
//! nothing now: by the argument of [`strip`](super::strip) such events can come first, now that
//! nobody sees them.
//!
//! So an explanation found this way is one. If none is found, all ways are tried.
//!
//! *Cost.* Each expression once; the attempt is given up after 1000 states and four for each moment.
//! *Switch.* `Options::look_ahead`. *Counter.* None; its states are counted with the others.

use super::store::{Expr, ExprId, SetId, Store};

impl Store {
    /// An expression with fewer traces, in which logs that have not begun begin in a loop, if they
    /// can.
    pub(crate) fn hurry(&mut self, expr: ExprId) -> ExprId {
        if let Some(&known) = self.hurried.get(&expr) {
            return known;
        }
        let found = match self.expr(expr).clone() {
            Expr::Alt(alternatives) => {
                let all: Vec<ExprId> = alternatives.iter().map(|&x| self.hurry(x)).collect();
                self.alt(all)
            }
            Expr::Par(operands) => {
                let all: Vec<(ExprId, u32)> =
                    operands.iter().map(|&(x, n)| (self.hurry(x), n)).collect();
                self.par(all)
            }
            Expr::Late(skipped, inner) => self.hurried(expr, skipped, inner),
            Expr::Never | Expr::Empty | Expr::Leaf(_) | Expr::Seq(..) | Expr::Loop(..) => expr,
        };
        if self.is_spent() {
            return Store::NEVER;
        }
        self.hurried.insert(expr, found);
        found
    }

    fn hurried(&mut self, expr: ExprId, skipped: SetId, inner: ExprId) -> ExprId {
        let Expr::Seq(order, operands) = self.expr(inner).clone() else { return expr };
        let own = self.sets.items[skipped].clone();
        let mut parts = operands.to_vec();
        // For each component by itself: the last loop in which it has events.
        for component in self.components.clone() {
            let here = own.intersection(&component);
            if here.is_empty() {
                continue;
            }
            let last = (0..operands.len()).rev().find(|&i| {
                matches!(self.expr(operands[i]), Expr::Loop(..))
                    && !self.lifelines(operands[i]).is_disjoint(&here)
            });
            let set = self.set(&here);
            match last {
                Some(last) => {
                    for part in &mut parts[..last] {
                        *part = self.strip(*part, set);
                    }
                    parts[last] = self.late(set, parts[last]);
                }
                // It has to begin somewhere here.
                None => return expr,
            }
        }
        self.seq(order, &parts)
    }
}
