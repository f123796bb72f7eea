//! Looking ahead: what components alone refute.
//!
//! **Claim.** If components are taken apart, µ is explained by x only if each log of µ alone is
//! explained by what its component sees of x.
//!
//! *Proof.* Strip the events of all other components from a trace that explains µ
//! ([`strip`](super::strip)). ∎
//!
//! What one component sees is a small expression, and going along its log is a run of a small
//! automaton. So alternatives of an expression that has grown are looked at first, and those that
//! some component refutes are dropped.
//!
//! Before anything else, all of each log is looked at in this way ([`ask_alone`]). If every log is
//! explained but some is not complete, the multi-trace cannot be accepted with nothing missing, and
//! that need not be asked.
//!
//! *Cost.* At most [`DEPTH`] steps for each component and alternative; what was asked once for an
//! expression and a place in a log is kept until there is too much of it.
//!
//! *Switch.* `Options::look_ahead`, which also covers [`loosen`](super::loosen) and
//! [`hurry`](super::hurry). *Counter.* `Counters::refuted`, the alternatives that were dropped; what
//! is refuted before a search begins has no state and is not counted.

use otus_core::index::Index as _;
use otus_trace::{ComponentId, MultiTrace};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::logs::Logs;
use super::store::{Expr, ExprId, Store};
use super::{Context, Ending};
use crate::question::Question;

/// How many moments ahead are looked at.
const DEPTH: usize = 256;
/// Up to how many actions nothing is remembered of what was found.
const NEAR: usize = 16;

/// What was found for what a component sees, its number, and how much of its log is consumed.
pub(crate) type Seen = FxHashMap<(ExprId, u32, u32), bool>;

/// An expression without the alternatives that a component alone refutes.
pub(crate) fn plausible(
    context: &mut Context<'_>,
    seen: &mut Seen,
    logs: &Logs<'_>,
    expr: ExprId,
) -> ExprId {
    let Expr::Alt(alternatives) = context.store.expr(expr).clone() else {
        return expr;
    };
    let kept: Vec<ExprId> = alternatives
        .iter()
        .copied()
        .filter(|&x| {
            (0..logs.len()).all(|component| is_possible(context, seen, logs, x, component))
        })
        .collect();
    if kept.len() == alternatives.len() {
        return expr;
    }
    context.counters.refuted += (alternatives.len() - kept.len()) as u64;
    context.store.alt(kept)
}

/// In how many ways a component alone can take its next moment.
pub(crate) fn beginnings(
    context: &mut Context<'_>,
    seen: &mut Seen,
    logs: &Logs<'_>,
    expr: ExprId,
    component: usize,
) -> usize {
    let Some((Some(leaf), after)) = logs.next(component, context.alphabet) else { return 0 };
    let local = context.store.strip(expr, context.others[component]);
    let next = context.store.step(local, leaf);
    let ways = match context.store.expr(next) {
        Expr::Never => return 0,
        Expr::Alt(alternatives) => alternatives.clone(),
        Expr::Empty
        | Expr::Leaf(_)
        | Expr::Par(_)
        | Expr::Seq(..)
        | Expr::Loop(..)
        | Expr::Late(..) => return 1,
    };
    ways.iter().filter(|&&way| survives(context, seen, logs, (way, component, after))).count()
}

/// Whether a component alone does not refute an expression, all of its log looked at.
pub(crate) fn is_possible_alone(
    context: &mut Context<'_>,
    logs: &Logs<'_>,
    expr: ExprId,
    component: usize,
) -> bool {
    let mut local = context.store.strip(expr, context.others[component]);
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

/// Whether a component alone does not refute an expression.
fn is_possible(
    context: &mut Context<'_>,
    seen: &mut Seen,
    logs: &Logs<'_>,
    expr: ExprId,
    component: usize,
) -> bool {
    if logs.is_over(component) {
        return true;
    }
    let local = context.store.strip(expr, context.others[component]);
    survives(context, seen, logs, (local, component, logs.consumed[component]))
}

/// Whether what a component sees allows what is left of its log after so many actions.
fn survives(
    context: &mut Context<'_>,
    seen: &mut Seen,
    logs: &Logs<'_>,
    (local, component, at): (ExprId, usize, u32),
) -> bool {
    let (mut local, mut at) = (local, at);
    let number = u32::try_from(component).unwrap_or(u32::MAX);
    let most = context.store.size(local).saturating_mul(8).saturating_add(64);
    // A short way is gone again more quickly than it is remembered.
    let far = logs.length(component) - at as usize > NEAR;
    let mut path = Vec::new();
    let mut steps = 0;
    let found = loop {
        if far {
            if let Some(&known) = seen.get(&(local, number, at)) {
                break known;
            }
            path.push((local, number, at));
        }
        steps += 1;
        let Some((leaf, after)) = logs.next_at(component, at, context.alphabet) else {
            break match logs.endings[component] {
                Ending::Final => context.store.nullable(local),
                Ending::Early => true,
            };
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
        seen.insert(place, found);
    }
    found
}

/// What components alone say about a multi-trace none of whose logs starts late.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Alone {
    /// Some component cannot explain its log; of each log, how much its component can.
    Refuted(Box<[u32]>),
    /// Every log is explained if it may stop early, but not all of them are complete.
    Unfinished,
    /// Every log is explained and complete.
    Explained,
    /// Nothing: they were not asked, or not to the end.
    Unknown,
}

/// Asks components alone about a multi-trace, each given what it sees of the interaction. This is a
/// run of small automata which all multi-traces share. Most that are wrong are refuted by it, and a
/// run of the whole, which would make expressions that nobody needs again, is not begun.
pub(crate) fn ask_alone(
    context: &mut Context<'_>,
    seen: &[ExprId],
    trace: &MultiTrace,
    question: &Question,
) -> Alone {
    if seen.is_empty() {
        return Alone::Unknown;
    }
    let (mut refuted, mut unfinished) = (false, false);
    let mut explained: SmallVec<[u32; 8]> = SmallVec::new();
    for (component, &start) in seen.iter().enumerate() {
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
                return Alone::Unknown;
            }
            (local, at) = (next, after);
        }
        let complete = context.store.nullable(local);
        refuted |= !complete && !question.of(component).may_stop_early();
        unfinished |= !complete;
        explained.push(at);
    }
    match (refuted, unfinished) {
        _ if context.store.is_spent() => Alone::Unknown,
        (true, _) => Alone::Refuted(explained.as_slice().into()),
        (false, true) => Alone::Unfinished,
        (false, false) => Alone::Explained,
    }
}
