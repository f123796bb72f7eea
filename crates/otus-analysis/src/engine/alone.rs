//! Slices of what repeats itself: each log alone.
//!
//! **Claim.** Let x be closed under concatenation, such as a loop of any kind, and let every
//! component be a slice or unobserved. Then µ is explained by x iff each of its logs is, with all other
//! components unobserved.
//!
//! *Proof.* What explains µ explains each of its logs. Conversely let tₖ be a trace of x that explains
//! the log of the k-th component. Then t₁.t₂…tₙ is a trace of x, and the k-th component may have seen of
//! it what it saw of tₖ: it started late and stopped early. ∎
//!
//! So how logs lie to each other, which is what makes slices hard, makes no difference: a slice of n
//! actions takes n steps of small automata, one for each component. Those are what a component
//! sees of the loosened expression ([`loosen`](super::loosen)), where one log alone cannot tell the
//! difference ([`harm`](super::harm)).
//!
//! What may stop early need not be completed, so more can be forgotten:
//!
//! **Claim.** Let y be a loop without conflicts, and x ⊑ y. Then `par(x, y, z)` and `par(y, z)` have the
//! same prefixes.
//!
//! *Proof.* `par(x, y) ⊑ par(y, y) ⊑ y`; conversely x may remain to be begun. ∎
//!
//! *Cost.* A step for each moment, if what a component sees has no choices that are settled late; if
//! it has, the log is asked for like any other multi-trace.
//! *Switch.* `Options::alone`. *Counter.* `Counters::alone`, the logs asked by themselves.

use otus_core::index::Index as _;
use otus_trace::{ComponentId, MultiTrace};

use super::compile::Compiled;
use super::logs::Logs;
use super::search::Found;
use super::store::{Expr, ExprId, Store};
use super::{Context, begin};
use crate::budget::{Meter, Stop};
use crate::question::{Observed, Question};

/// Whether logs can be asked one by one.
pub(crate) fn applies(store: &Store, compiled: &Compiled, question: &Question) -> bool {
    let components = 0..store.components.len();
    components.map(ComponentId::new).all(|component| match question.of(component) {
        Observed::Slice | Observed::Unobserved => *question != Question::GlobalPrefix,
        Observed::Complete | Observed::StopsEarly | Observed::StartsLate => false,
    }) && repeats(store, compiled.rigid)
}

/// The same question about one log, the other components unobserved.
pub(crate) fn only(question: &Question, component: usize, components: usize) -> Question {
    let each = (0..components).map(|other| {
        let own = other == component;
        if own { question.of(ComponentId::new(other)) } else { Observed::Unobserved }
    });
    Question::Each(each.collect())
}

/// Whether the only log that is observed is explained, where that can be told by going along it.
pub(crate) fn explain(
    context: &mut Context<'_>,
    compiled: &Compiled,
    logs: &mut Logs<'_>,
    component: usize,
    meter: &mut Meter<'_>,
) -> Found {
    context.counters.alone += 1;
    if !logs.is_known(component, context.alphabet) {
        return Found::No;
    }
    if !is_loose(compiled, component) {
        return Found::Unknown(Stop::States);
    }
    let loose = context.store.loosen(compiled.relaxed);
    let start = begin(context, loose, logs);
    run(context, start, logs, component, meter)
}

/// Goes along one log, which may stop early, with what its component sees. Unknown if
/// alternatives would have to be tried one by one.
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
        expr = context.store.shed(next);
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
    /// An expression with the same prefixes and less to complete.
    fn shed(&mut self, expr: ExprId) -> ExprId {
        if let Some(&known) = self.shed.get(&expr) {
            return known;
        }
        let found = match self.expr(expr).clone() {
            Expr::Alt(alternatives) => {
                let all: Vec<ExprId> = alternatives.iter().map(|&x| self.shed(x)).collect();
                self.alt(all)
            }
            Expr::Par(operands) => {
                // What stands in another loop that stays can go.
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
            Expr::Never
            | Expr::Empty
            | Expr::Leaf(_)
            | Expr::Seq(..)
            | Expr::Loop(..)
            | Expr::Late(..) => expr,
        };
        if self.is_spent() {
            return Store::NEVER;
        }
        self.shed.insert(expr, found);
        found
    }

    /// The alternatives of the body of a loop without conflicts, late starts spelt out.
    fn repeated(&mut self, expr: ExprId) -> Vec<ExprId> {
        let mut found = Vec::new();
        let mut pending = match *self.expr(expr) {
            Expr::Loop(order, body) if self.order(order).is_none() => vec![body],
            Expr::Loop(..)
            | Expr::Never
            | Expr::Empty
            | Expr::Leaf(_)
            | Expr::Alt(_)
            | Expr::Par(_)
            | Expr::Seq(..)
            | Expr::Late(..) => return found,
        };
        while let Some(body) = pending.pop() {
            match self.expr(body).clone() {
                Expr::Alt(alternatives) => pending.extend_from_slice(&alternatives),
                Expr::Late(skipped, inner) => {
                    let own = self.sets.items[skipped].clone();
                    let home = self.components.iter().find(|here| !here.is_disjoint(&own)).cloned();
                    let expanded = home.map(|home| self.expand(body, &home));
                    pending.extend(expanded.filter(|&other| other != body));
                    found.push(inner);
                }
                Expr::Never
                | Expr::Empty
                | Expr::Leaf(_)
                | Expr::Par(_)
                | Expr::Seq(..)
                | Expr::Loop(..) => found.push(body),
            }
            if self.is_spent() {
                break;
            }
        }
        found
    }
}

/// Whether one log alone cannot tell the loosened expression from the original.
pub(crate) fn is_loose(compiled: &Compiled, component: usize) -> bool {
    compiled.decoupled || compiled.alone[component]
}

/// Whether an expression is closed under concatenation.
fn repeats(store: &Store, expr: ExprId) -> bool {
    match store.expr(expr) {
        Expr::Empty | Expr::Loop(..) => true,
        Expr::Par(operands) => {
            operands.iter().all(|&(x, _)| matches!(store.expr(x), Expr::Empty | Expr::Loop(..)))
        }
        Expr::Never | Expr::Leaf(_) | Expr::Alt(_) | Expr::Seq(..) | Expr::Late(..) => false,
    }
}

/// How much is consumed of one log, beside all of the others.
pub(crate) fn beside(trace: &MultiTrace, component: usize, consumed: Box<[u32]>) -> Box<[u32]> {
    let mut all = consumed;
    for other in trace.partition().components() {
        if other.index() != component {
            all[other.index()] = u32::try_from(trace.steps(other).len()).unwrap_or(u32::MAX);
        }
    }
    all
}
