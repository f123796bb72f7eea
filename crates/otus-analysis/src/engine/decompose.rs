//! Decomposition of slices: if the interaction repeats itself, each log is decided by itself.
//!
//! **Claim.** Let x be closed under concatenation, such as a loop of any kind, and let every
//! component be a slice or unobserved. Then x explains µ iff it explains each log of µ, with all
//! other components unobserved.
//!
//! *Proof.* What explains µ explains each of its logs. Conversely let tₖ be a trace of x that
//! explains the log of the k-th component. Then t₁.t₂…tₙ is a trace of x, and the k-th component
//! may have observed the same part of it as of tₖ, since it may start late and stop early. ∎
//!
//! So the relative position of the logs, which makes slices hard, does not matter: a slice of n
//! actions takes n steps of small automata, one for each component. These are the projections
//! of the fully relaxed expression ([`relaxation`](super::relaxation)), for components that cannot
//! observe the difference ([`coupling`](super::coupling)).
//!
//! If iterations have no conflicts, not even the order of a log matters:
//!
//! **Claim.** Let x be a loop without conflicts, such as `loopP(y)`, or several of them side by side. Then x explains one
//! log, a slice, iff every moment of the log belongs to some event of x.
//!
//! *Proof.* Every event of an interaction happens in some trace of it, since nothing in it is impossible. So for each
//! moment there is an iteration that has done everything before an event with that moment. All of these may be done
//! before the log starts. Then each iteration does its event, in the order of the log; the rest of it may happen after the
//! end of the log. ∎
//!
//! A log that may stop early need not be completed, so more can be dropped:
//!
//! **Claim.** Let y be a loop without conflicts, and x ⊑ y. Then `par(x, y, z)` and `par(y, z)`
//! have the same prefixes.
//!
//! *Proof.* `par(x, y) ⊑ par(y, y) ⊑ y`; conversely x need not have begun. ∎
//!
//! *Cost.* A step for each moment, if the projection has no choices that are resolved late;
//! otherwise the log is searched like any other multi-trace.

use otus_core::index::Index as _;
use otus_trace::{ComponentId, MultiTrace};

use super::compile::Compiled;
use super::decoupled::Found;
use super::logs::Logs;
use super::store::{Expr, ExprId, Store};
use super::{Context, initial_expr};
use crate::budget::{Meter, Stop};
use crate::question::{Observed, Question};

/// Whether logs can be decided one by one.
pub(crate) fn applies(store: &Store, compiled: &Compiled, question: &Question) -> bool {
    let components = 0..store.components.len();
    components.map(ComponentId::new).all(|component| match question.of(component) {
        Observed::Slice | Observed::Unobserved => *question != Question::GlobalPrefix,
        Observed::Complete | Observed::StopsEarly | Observed::StartsLate => false,
    }) && repeats(store, compiled.rigid)
}

/// The question about one log, with the other components unobserved.
pub(crate) fn only(question: &Question, component: usize, components: usize) -> Question {
    let declared = (0..components).map(|at| question.of(ComponentId::new(at)));
    Question::only(declared, &[component])
}

/// Whether the only observed log is explained. Unknown if following the log does not decide this.
pub(crate) fn explain(
    context: &mut Context<'_>,
    compiled: &Compiled,
    logs: &mut Logs<'_>,
    component: usize,
    meter: &mut Meter<'_>,
) -> Found {
    context.counters.decomposed += 1;
    if !logs.is_in_alphabet(component, context.alphabet) {
        return Found::No;
    }
    if is_parallel(context.store, compiled.rigid) {
        return Found::Yes;
    }
    if !is_relaxable(compiled, component) {
        return Found::Unknown(Stop::States);
    }
    let relaxed = context.store.relax_fully(compiled.relaxed);
    let start = initial_expr(context, relaxed, logs);
    run(context, start, logs, component, meter)
}

/// Follows one log, which may stop early, in the projection of its component. The answer is unknown
/// if alternatives would have to be tried one by one.
pub(crate) fn run(
    context: &mut Context<'_>,
    start: ExprId,
    logs: &mut Logs<'_>,
    component: usize,
    meter: &mut Meter<'_>,
) -> Found {
    let most = context.store.size(start).saturating_mul(8).saturating_add(64);
    let mut expr = start;
    while let Some((leaf, after)) = logs.next(component, context.alphabet) {
        if let Some(stop) = context.tick(meter) {
            return Found::Unknown(stop);
        }
        let Some(leaf) = leaf else { return Found::No };
        let next = context.store.step(expr, leaf);
        expr = context.store.prefix_reduce(next);
        if context.store.is_spent() || context.store.size(expr) > most {
            return Found::Unknown(Stop::States);
        }
        if expr == Store::NEVER {
            logs.note_furthest();
            return Found::No;
        }
        logs.consumed[component] = after;
    }
    Found::Yes
}

impl Store {
    /// An expression with the same prefixes and fewer operands to complete.
    pub(super) fn prefix_reduce(&mut self, expr: ExprId) -> ExprId {
        self.memoized(|store| &mut store.prefix_reduced, expr, |store| store.prefix_reduced(expr))
    }

    fn prefix_reduced(&mut self, expr: ExprId) -> ExprId {
        match self.expr(expr).clone() {
            Expr::Alt(_) => self.map(expr, Store::prefix_reduce),
            Expr::Par(operands) => {
                // An operand that is included in an iteration of another loop can be dropped.
                let mut all = operands.to_vec();
                let mut at = 0;
                while at < all.len() {
                    let (x, _) = all[at];
                    let others: Vec<ExprId> =
                        all.iter().map(|&(y, _)| y).filter(|&y| y != x).collect();
                    let stands = others.into_iter().any(|y| {
                        let repeated = self.repeated(y);
                        repeated.into_iter().any(|z| self.includes(x, z))
                    });
                    if stands {
                        all.remove(at);
                    } else {
                        at += 1;
                    }
                }
                self.par(all)
            }
            Expr::Never | Expr::Empty | Expr::Leaf(_) => expr,
            Expr::Seq(..) | Expr::Loop(..) | Expr::Suffix(..) => expr,
        }
    }

    /// The alternatives of the body of a loop without conflicts, with `Suffix` nodes expanded.
    fn repeated(&mut self, expr: ExprId) -> Vec<ExprId> {
        let mut found = Vec::new();
        let Expr::Loop(order, body) = *self.expr(expr) else { return found };
        if !self.order(order).is_none() {
            return found;
        }
        let mut pending = vec![body];
        while let Some(body) = pending.pop() {
            match self.expr(body).clone() {
                Expr::Alt(alternatives) => pending.extend_from_slice(&alternatives),
                Expr::Suffix(skipped, inner) => {
                    let own = self.sets.items[skipped].clone();
                    let home = self.components.iter().find(|here| !here.is_disjoint(&own)).cloned();
                    let expanded = home.map(|home| self.expand(body, &home));
                    pending.extend(expanded.filter(|&other| other != body));
                    found.push(inner);
                }
                Expr::Never | Expr::Empty | Expr::Leaf(_) => found.push(body),
                Expr::Par(_) | Expr::Seq(..) | Expr::Loop(..) => found.push(body),
            }
            if self.is_spent() {
                break;
            }
        }
        found
    }
}

/// Whether the fully relaxed expression is exact for a single log.
pub(crate) fn is_relaxable(compiled: &Compiled, component: usize) -> bool {
    compiled.decoupled || compiled.relaxable[component]
}

/// Whether an expression is closed under concatenation.
fn repeats(store: &Store, expr: ExprId) -> bool {
    all_operands(store, expr, |x| matches!(store.expr(x), Expr::Empty | Expr::Loop(..)))
}

/// Whether an expression consists of loops without conflicts.
pub(super) fn is_parallel(store: &Store, expr: ExprId) -> bool {
    all_operands(
        store,
        expr,
        |x| matches!(store.expr(x), Expr::Loop(order, _) if store.orders.items[*order].is_none()),
    )
}

/// Whether all parts that stand side by side in an expression have a property.
fn all_operands(store: &Store, expr: ExprId, property: impl Fn(ExprId) -> bool) -> bool {
    let Expr::Par(operands) = store.expr(expr) else { return property(expr) };
    operands.iter().all(|&(x, _)| property(x))
}

/// The consumed actions of each component if the log of one component fails and all others are
/// consumed.
pub(crate) fn beside(trace: &MultiTrace, component: usize, consumed: Box<[u32]>) -> Box<[u32]> {
    let mut all = consumed;
    for other in trace.partition().components() {
        if other.index() != component {
            all[other.index()] = u32::try_from(trace.steps(other).len()).unwrap_or(u32::MAX);
        }
    }
    all
}
