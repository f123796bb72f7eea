//! The number of iterations of each loop that suffices for a multi-trace.
//!
//! By the loop lemma (proved in the oracle of otus-testkit) a multi-trace that is explained at all
//! is explained by a run in which every iteration of every loop has an observed event. So every
//! iteration that is needed has an observed event on some component c. On c it is the first or the
//! last iteration that c observed, or else all of its events on c are observed. Let k be the number
//! of moments on c that the body can show, and m the fewest events on c of a run of the body that
//! has any. If c is a chain, iterations follow one another on c, at most two of them are cut by the
//! ends of the observed window, and each of the others uses up m moments: at most ⌊(k − 2)/m⌋ + 2
//! iterations show something on c, and at most k in any case. The sum over the components bounds
//! the iterations of all instances of the loop together.

use otus_core::{ActionId, Pool, Term, TermId};
use otus_trace::multitrace::ComponentId;
use otus_trace::{MultiTrace, Partition};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::coupling;
use crate::question::{Observed, Question};

/// For each loop of a term: the number of iterations that suffices.
pub(super) fn bounds(
    pool: &Pool,
    term: TermId,
    trace: &MultiTrace,
    question: &Question,
) -> FxHashMap<TermId, usize> {
    let parts = coupling::parts(pool, term);
    let mut bounds = FxHashMap::default();
    for &part in &parts {
        let (Term::LoopS(body) | Term::LoopC(_, body)) = pool.node(part) else { continue };
        // A component is a chain if no subterm leaves events of it unordered.
        let is_loose = |part, component| {
            coupling::is_loose(pool, trace.partition(), pool.node(part), component)
        };
        let is_chain = |component| !parts.iter().any(|&part| is_loose(part, component));
        let shown = actions(pool, body);
        let mut bound = 0;
        for component in trace.partition().components() {
            if question.of(component) == Observed::Unobserved {
                continue;
            }
            let moments = trace
                .moments(component)
                .filter(|moment| moment.iter().all(|step| shown.contains(&step.action())))
                .count();
            let least = if moments > 2 && is_chain(component) {
                fewest(pool, body, trace.partition(), component)
            } else {
                1
            };
            bound += moments.min(moments.saturating_sub(2) / least.max(1) + 2);
        }
        bounds.insert(part, bound);
    }
    bounds
}

/// The actions of a term.
fn actions(pool: &Pool, term: TermId) -> FxHashSet<ActionId> {
    let parts = coupling::parts(pool, term).into_iter();
    let events = parts.filter_map(|part| pool.node(part).as_event());
    events.flat_map(|event| pool.event_actions(event)).copied().collect()
}

/// The fewest events on a component, over the runs that have any there.
fn fewest(pool: &Pool, term: TermId, partition: &Partition, component: ComponentId) -> usize {
    const NEVER: usize = usize::MAX;
    // Whether some run has no event there, and the fewest events of a run that has some.
    let mut known: FxHashMap<TermId, (bool, usize)> = FxHashMap::default();
    for part in coupling::parts(pool, term) {
        let value = match pool.node(part) {
            Term::Empty => (true, NEVER),
            Term::Event(event) => {
                let touches = pool.event_actions(event).iter().any(|&action| {
                    partition.component_of(pool.action(action).lifeline) == component
                });
                if touches { (false, 1) } else { (true, NEVER) }
            }
            Term::Alt(left, right) => {
                let (left, right) = (known[&left], known[&right]);
                (left.0 || right.0, left.1.min(right.1))
            }
            Term::Strict(left, right) | Term::Coreg(_, left, right) => {
                let (left, right) = (known[&left], known[&right]);
                let with = |one: (bool, usize), other: (bool, usize)| {
                    one.1.saturating_add(if other.0 { 0 } else { other.1 })
                };
                (left.0 && right.0, with(left, right).min(with(right, left)))
            }
            Term::LoopS(body) | Term::LoopC(_, body) => (true, known[&body].1),
        };
        known.insert(part, value);
    }
    match known[&term].1 {
        NEVER => 1,
        fewest => fewest,
    }
}
