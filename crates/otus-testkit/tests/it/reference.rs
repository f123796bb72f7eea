//! The rules of the small-step semantics as the papers print them: by recursion on terms, without sharing, memory or
//! simplification. The recursion is deep, so they are for the small terms of tests.
//!
//! The semantics of `otus-core` computes the same with folds, tables and simplified results. Tests compare it with this module
//! where the oracle, which only has sets of traces, cannot decide: positions, loop depths, the order of steps, and replays of
//! witnesses.
//!
//! The rules are those of paper 003 (Mahe et al., "Tooling offline runtime verification against interaction models"), Def. 4,
//! 5, 12 and 13, and of paper 000 ("Dealing with observability…"), Def. 5.

use otus_core::{EventId, LifelineId, LifelineSet, Pool, RegionId, Term, TermId};

/// i —e@p→ i′
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    /// The letters of the position.
    pub(crate) position: Vec<u8>,
    /// The executed event.
    pub(crate) event: EventId,
    /// β(i, p)
    pub(crate) loop_depth: u32,
    /// i′, as the rule gives it.
    pub(crate) follow_up: TermId,
}

/// Def. 4: pruning, the behaviours of the term without events on certain lifelines; `None` for ⊥.
pub(crate) fn prune(pool: &mut Pool, term: TermId, avoided: &LifelineSet) -> Option<TermId> {
    match pool.node(term) {
        Term::Empty => Some(term),
        Term::Event(event) => {
            pool.region(pool.event_lifelines(event)).is_disjoint(avoided).then_some(term)
        }
        Term::Alt(i, j) => match (prune(pool, i, avoided), prune(pool, j, avoided)) {
            (Some(i), Some(j)) => Some(pool.alt(i, j)),
            (i, j) => i.or(j),
        },
        Term::Strict(i, j) => {
            let (i, j) = (prune(pool, i, avoided)?, prune(pool, j, avoided)?);
            Some(pool.strict(i, j))
        }
        Term::Coreg(region, i, j) => {
            let (i, j) = (prune(pool, i, avoided)?, prune(pool, j, avoided)?);
            Some(pool.coreg(region, i, j))
        }
        Term::LoopS(i) => {
            Some(prune(pool, i, avoided).map_or(Pool::EMPTY, |body| pool.loop_s(body)))
        }
        Term::LoopC(region, i) => {
            Some(prune(pool, i, avoided).map_or(Pool::EMPTY, |body| pool.loop_c(region, body)))
        }
    }
}

/// Def. 5: all steps, those at smaller positions first. The right rule of `strict` requires that the left side terminates,
/// which means that pruning all lifelines does not give ⊥.
pub(crate) fn steps(pool: &mut Pool, term: TermId) -> Vec<Step> {
    let mut all = Vec::new();
    match pool.node(term) {
        Term::Empty => {}
        Term::Event(event) => {
            let follow_up = Pool::EMPTY;
            all.push(Step { position: Vec::new(), event, loop_depth: 0, follow_up });
        }
        Term::Alt(i, j) => {
            all.extend(steps(pool, i).into_iter().map(|step| under(1, 0, step)));
            all.extend(steps(pool, j).into_iter().map(|step| under(2, 0, step)));
        }
        Term::Strict(i, j) => {
            for step in steps(pool, i) {
                let follow_up = pool.strict(step.follow_up, j);
                all.push(Step { follow_up, ..under(1, 0, step) });
            }
            let everything = pool.signature().all_lifelines();
            if prune(pool, i, &everything).is_some() {
                all.extend(steps(pool, j).into_iter().map(|step| under(2, 0, step)));
            }
        }
        Term::Coreg(region, i, j) => {
            for step in steps(pool, i) {
                let follow_up = pool.coreg(region, step.follow_up, j);
                all.push(Step { follow_up, ..under(1, 0, step) });
            }
            for step in steps(pool, j) {
                let ordered = ordered(pool, region, step.event);
                if let Some(pruned) = prune(pool, i, &ordered) {
                    let follow_up = pool.coreg(region, pruned, step.follow_up);
                    all.push(Step { follow_up, ..under(2, 0, step) });
                }
            }
        }
        Term::LoopS(i) => {
            for step in steps(pool, i) {
                let follow_up = pool.strict(step.follow_up, term);
                all.push(Step { follow_up, ..under(1, 1, step) });
            }
        }
        Term::LoopC(region, i) => {
            for step in steps(pool, i) {
                let ordered = ordered(pool, region, step.event);
                let after = pool.coreg(region, step.follow_up, term);
                if let Some(before) = prune(pool, term, &ordered) {
                    let follow_up = pool.coreg(region, before, after);
                    all.push(Step { follow_up, ..under(1, 1, step) });
                }
            }
        }
    }
    all
}

/// Θ(e)∖r
fn ordered(pool: &Pool, region: RegionId, event: EventId) -> LifelineSet {
    pool.region(pool.event_lifelines(event)).difference(&pool.region(region))
}

/// The step of a term that a step of its operand gives.
fn under(letter: u8, loops: u32, mut step: Step) -> Step {
    step.position.insert(0, letter);
    Step { loop_depth: step.loop_depth + loops, ..step }
}

/// The subterm at a position.
pub(crate) fn subterm(pool: &Pool, term: TermId, position: &[u8]) -> Option<TermId> {
    let [letter, rest @ ..] = position else { return Some(term) };
    let operand = pool.node(term).operands().nth(usize::from(*letter).checked_sub(1)?)?;
    subterm(pool, operand, rest)
}

/// Def. 12: β(i, p), the number of loops above a position; `None` if there is no such position.
pub(crate) fn loop_depth_at(pool: &Pool, term: TermId, position: &[u8]) -> Option<u32> {
    let [letter, rest @ ..] = position else { return Some(0) };
    let node = pool.node(term);
    let operand = node.operands().nth(usize::from(*letter).checked_sub(1)?)?;
    Some(loop_depth_at(pool, operand, rest)? + u32::from(node.is_loop()))
}

/// β(i): the largest β(i, p).
pub(crate) fn loop_depth(pool: &Pool, term: TermId) -> u32 {
    let node = pool.node(term);
    let deepest = node.operands().map(|operand| loop_depth(pool, operand)).max();
    deepest.map_or(0, |depth| depth + u32::from(node.is_loop()))
}

/// The number of loops of a term.
pub(crate) fn loops(pool: &Pool, term: TermId) -> u32 {
    let node = pool.node(term);
    u32::from(node.is_loop()) + node.operands().map(|operand| loops(pool, operand)).sum::<u32>()
}

/// Def. 13: η(i), the number of actions outside loops.
pub(crate) fn outside_loops(pool: &Pool, term: TermId) -> u32 {
    match pool.node(term) {
        Term::Empty | Term::LoopS(_) | Term::LoopC(..) => 0,
        Term::Event(_) => 1,
        Term::Strict(i, j) | Term::Coreg(_, i, j) => {
            outside_loops(pool, i) + outside_loops(pool, j)
        }
        Term::Alt(i, j) => outside_loops(pool, i).max(outside_loops(pool, j)),
    }
}

/// `rmv_h`: actions on h become ∅, and the structure stays.
pub(crate) fn remove(pool: &mut Pool, term: TermId, lifeline: LifelineId) -> TermId {
    rebuild(pool, term, &mut |pool, node| {
        let Term::Event(event) = node else { return pool.intern(node) };
        let actions = pool.event_actions(event).iter().map(|&action| pool.action(action));
        let rest: Vec<_> = actions.filter(|action| action.lifeline != lifeline).collect();
        if rest.is_empty() {
            return Pool::EMPTY;
        }
        let event = pool.intern_event(&rest);
        pool.event(event)
    })
}

/// The term without causality between lifelines: strict sequencing becomes weak, and the actions of a rendez-vous become
/// separate events. On the discrete partition, its multi-traces are the tuples of local traces of paper 000.
pub(crate) fn relax(pool: &mut Pool, term: TermId) -> TermId {
    rebuild(pool, term, &mut |pool, node| match node {
        Term::Strict(i, j) => pool.seq(i, j),
        Term::LoopS(i) => pool.loop_w(i),
        Term::Event(event) => {
            let lifelines = pool.region(pool.event_lifelines(event));
            let parts: Vec<TermId> = lifelines
                .iter()
                .map(|lifeline| {
                    let actions = pool.event_actions(event).iter().map(|&a| pool.action(a));
                    let own: Vec<_> = actions.filter(|a| a.lifeline == lifeline).collect();
                    let event = pool.intern_event(&own);
                    pool.event(event)
                })
                .collect();
            parts.into_iter().reduce(|i, j| pool.par(i, j)).unwrap_or(Pool::EMPTY)
        }
        Term::Empty | Term::Coreg(..) | Term::Alt(..) | Term::LoopC(..) => pool.intern(node),
    })
}

/// The term after replacing each of its nodes, operands first.
fn rebuild(
    pool: &mut Pool,
    term: TermId,
    replace: &mut dyn FnMut(&mut Pool, Term) -> TermId,
) -> TermId {
    let node = match pool.node(term) {
        node @ (Term::Empty | Term::Event(_)) => node,
        Term::Strict(i, j) => Term::Strict(rebuild(pool, i, replace), rebuild(pool, j, replace)),
        Term::Coreg(region, i, j) => {
            Term::Coreg(region, rebuild(pool, i, replace), rebuild(pool, j, replace))
        }
        Term::Alt(i, j) => Term::Alt(rebuild(pool, i, replace), rebuild(pool, j, replace)),
        Term::LoopS(i) => Term::LoopS(rebuild(pool, i, replace)),
        Term::LoopC(region, i) => Term::LoopC(region, rebuild(pool, i, replace)),
    };
    replace(pool, node)
}

/// Whether parts of a term can overlap on a lifeline.
pub(crate) fn has_concurrency(pool: &Pool, term: TermId) -> bool {
    let is_concurrent = |node| matches!(node, Term::Coreg(region, ..) | Term::LoopC(region, _) if region != Pool::NONE);
    any_node(pool, term, &is_concurrent)
}

/// Whether anything in a term orders one lifeline against another.
pub(crate) fn has_causality(pool: &Pool, term: TermId) -> bool {
    any_node(pool, term, &|node| match node {
        Term::Strict(..) | Term::LoopS(_) => true,
        Term::Event(event) => pool.region(pool.event_lifelines(event)).len() > 1,
        Term::Empty | Term::Coreg(..) | Term::Alt(..) | Term::LoopC(..) => false,
    })
}

fn any_node(pool: &Pool, term: TermId, holds: &dyn Fn(Term) -> bool) -> bool {
    let node = pool.node(term);
    holds(node) || node.operands().any(|operand| any_node(pool, operand, holds))
}
