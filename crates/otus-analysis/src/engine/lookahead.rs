//! Look-ahead: refutation by single components.
//!
//! **Claim.** If components are decoupled, x explains µ only if each log of µ by itself is
//! explained by its component's projection of x.
//!
//! *Proof.* Erase the events of all other components from a trace that explains µ
//! ([`erase`](super::erase)). ∎
//!
//! A projection is a small expression, and following a log is a run of a small
//! automaton. So the alternatives of an expression that has grown are checked first, and those that
//! some component refutes are dropped.
//!
//! Before any search, each log is checked completely in this way ([`analyze_locally`]). If every
//! log is explained, but some log is only a prefix, the multi-trace cannot be a Pass, so that
//! question is skipped.
//!
//! *Cost.* At most [`DEPTH`] steps for each component and alternative; results are memoized by
//! expression and position in a log until there are too many of them.

use otus_core::index::Index as _;
use otus_trace::{ComponentId, MultiTrace};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::logs::Logs;
use super::store::{Expr, ExprId, Store};
use super::{Context, Ending};
use crate::question::Question;

/// The number of moments that look-ahead follows.
const DEPTH: usize = 256;
/// Results for logs with at most this number of actions left are not memoized.
const NEAR: usize = 16;

/// Memoized results by projection, number of the component, and consumed actions of its log.
pub(crate) type LocalMemo = FxHashMap<(ExprId, u32, u32), bool>;

/// The expression without the alternatives that a single component refutes.
pub(crate) fn plausible(
    context: &mut Context<'_>,
    memo: &mut LocalMemo,
    logs: &Logs<'_>,
    expr: ExprId,
) -> ExprId {
    let Expr::Alt(alternatives) = context.store.expr(expr).clone() else {
        return expr;
    };
    let mut kept = alternatives.to_vec();
    kept.retain(|&expr| {
        (0..logs.len()).filter(|&component| !logs.is_over(component)).all(|component| {
            let local = context.store.erase(expr, context.others[component]);
            survives(context, memo, logs, local, component, logs.consumed[component])
        })
    });
    if kept.len() == alternatives.len() {
        return expr;
    }
    context.counters.refuted += (alternatives.len() - kept.len()) as u64;
    context.store.alt(kept)
}

/// The number of ways in which a component by itself can take its next moment.
pub(crate) fn beginnings(
    context: &mut Context<'_>,
    memo: &mut LocalMemo,
    logs: &Logs<'_>,
    expr: ExprId,
    component: usize,
) -> usize {
    let Some((Some(leaf), after)) = logs.next(component, context.alphabet) else { return 0 };
    let local = context.store.erase(expr, context.others[component]);
    let next = context.store.step(local, leaf);
    if next == Store::NEVER {
        return 0;
    }
    let Expr::Alt(ways) = context.store.expr(next) else { return 1 };
    let ways = ways.clone();
    ways.iter().filter(|&&way| survives(context, memo, logs, way, component, after)).count()
}

/// Whether some component by itself refutes an expression. The logs are followed to the end, unless
/// that takes too much fuel.
pub(crate) fn is_refuted(context: &mut Context<'_>, logs: &Logs<'_>, expr: ExprId) -> bool {
    if (0..logs.len()).all(|component| is_locally_possible(context, logs, expr, component)) {
        return false;
    }
    let is_certain = !context.store.is_spent();
    if !is_certain {
        context.store.refuel();
    }
    is_certain
}

/// Whether a component by itself does not refute an expression. Follows its log to the end.
fn is_locally_possible(
    context: &mut Context<'_>,
    logs: &Logs<'_>,
    expr: ExprId,
    component: usize,
) -> bool {
    let mut local = context.store.erase(expr, context.others[component]);
    let most = context.store.size(local).saturating_mul(32).saturating_add(256);
    let mut at = logs.consumed[component];
    while let Some((leaf, after)) = logs.next_at(component, at, context.alphabet) {
        let Some(leaf) = leaf else { return false };
        local = context.store.step(local, leaf);
        if local == Store::NEVER {
            return false;
        }
        if context.store.size(local) > most {
            return true;
        }
        at = after;
    }
    logs.endings[component] == Ending::Early || context.store.nullable(local)
}

/// Whether the projection onto a component allows the rest of its log after this number of actions.
fn survives(
    context: &mut Context<'_>,
    memo: &mut LocalMemo,
    logs: &Logs<'_>,
    local: ExprId,
    component: usize,
    at: u32,
) -> bool {
    let (mut local, mut at) = (local, at);
    let number = u32::try_from(component).unwrap_or(u32::MAX);
    let most = context.store.size(local).saturating_mul(8).saturating_add(64);
    // Recomputing a short suffix is cheaper than memoizing it.
    let far = logs.log(component).len() - at as usize > NEAR;
    let mut path = Vec::new();
    let mut steps = 0;
    let found = loop {
        if far {
            if let Some(&known) = memo.get(&(local, number, at)) {
                break known;
            }
            path.push((local, number, at));
        }
        steps += 1;
        let Some((leaf, after)) = logs.next_at(component, at, context.alphabet) else {
            break logs.endings[component] == Ending::Early || context.store.nullable(local);
        };
        if steps > DEPTH || context.store.size(local) > most {
            break true;
        }
        let Some(leaf) = leaf else { break false };
        local = context.store.step(local, leaf);
        if local == Store::NEVER {
            break false;
        }
        at = after;
    };
    for place in path {
        memo.insert(place, found);
    }
    found
}

/// The result of checking each component by itself, for a multi-trace none of whose logs starts
/// late.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LocalAnswer {
    /// Some component cannot explain its log. By component: the number of actions it can explain.
    Refuted(Box<[u32]>),
    /// Every log is explained if it may stop early, but some log is not a whole trace of its
    /// component.
    Unfinished,
    /// Every log is explained and complete.
    Explained,
    /// The components were not checked, or not to the end.
    Unknown,
}

/// Checks each log of a multi-trace against its component's projection. This runs small automata
/// that all multi-traces share. It refutes most wrong multi-traces, and thereby saves a search of
/// the whole expression, which would create expressions that are never needed again.
pub(crate) fn analyze_locally(
    context: &mut Context<'_>,
    projections: &[ExprId],
    trace: &MultiTrace,
    question: &Question,
) -> LocalAnswer {
    if projections.is_empty() {
        return LocalAnswer::Unknown;
    }
    let (mut refuted, mut unfinished) = (false, false);
    let mut explained: SmallVec<[u32; 8]> = SmallVec::new();
    for (component, &start) in projections.iter().enumerate() {
        let component = ComponentId::new(component);
        let log = trace.steps(component);
        let most = context.store.size(start).saturating_mul(8).saturating_add(64);
        let (mut local, mut at) = (start, 0);
        while let Some((leaf, after)) = context.alphabet.leaf_at(log, at) {
            let next = leaf.map_or(Store::NEVER, |leaf| context.store.step(local, leaf));
            if next == Store::NEVER {
                refuted = true;
                break;
            }
            if context.store.size(next) > most {
                return LocalAnswer::Unknown;
            }
            (local, at) = (next, after);
        }
        let complete = context.store.nullable(local);
        refuted |= !complete && !question.of(component).may_stop_early();
        unfinished |= !complete;
        explained.push(at);
    }
    match (refuted, unfinished) {
        _ if context.store.is_spent() => LocalAnswer::Unknown,
        (true, _) => LocalAnswer::Refuted(explained.as_slice().into()),
        (false, true) => LocalAnswer::Unfinished,
        (false, false) => LocalAnswer::Explained,
    }
}
